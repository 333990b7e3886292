"""What `init` finds out about a project by looking: languages, how its tests are run, where its documents are.

Only what files say; nothing is run. A tool is a row of `TOOLS`: how to see that a project uses it, and the line that
runs its tests. `init` shows its proposals to the user, and writes them into files that the user may change.
"""

import json
import os
import re
import shlex
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeintel_contract import read_file
from codeintel_templates import NO_DOCS, Proposals

DOC_FOLDERS = ("docs/", "doc/", "documentation/", "wiki/", "site/", "website/", "content/")
DOC_SUFFIXES = (".md", ".mdx", ".rst", ".rdoc", ".adoc", ".txt")
JUNIT = '--junitxml "$CODEINTEL_JUNIT"'
VITEST = '--reporter=default --reporter=junit --outputFile.junit="$CODEINTEL_JUNIT"'
NODE = (
    'NODE_OPTIONS="--test-reporter=spec --test-reporter-destination=stdout'
    ' --test-reporter=junit --test-reporter-destination=$CODEINTEL_JUNIT"'
)
MOST_FOLDERS = 6
"""A project with its sources in more folders than this is indexed as a whole; no more of its parts are tested."""
MAX_BYTES = 2_000_000
MANY = 500
"""Files beside the sources, from which on they are worth leaving out of the index."""
NOT_PARTS = frozenset({"example/", "examples/", "fixtures/", "third_party/", "vendor/"})
"""Folders that may be separate projects and are not part of this one."""


@dataclass(frozen=True, slots=True)
class Found:
    """What there is: source files by language, most first, documents, and what is proposed."""

    languages: dict[str, int]
    documents: int
    proposals: Proposals


@dataclass(frozen=True, slots=True)
class Tool:
    """A way to run tests. `line` gives the shell line, "" where the project does not use the tool."""

    line: Callable[[Path], str]
    match: tuple[str, ...]


def detect(root: Path) -> Found:
    """Look at a project's files; reads only those few that say how it is built."""
    from codeintel_index import Files, IndexConfig, find_language

    paths = Files(root, IndexConfig()).listed()
    rows = {path: row for path in paths if (row := find_language(path)) is not None and not row.is_data}
    documents = [path for path in paths if path.startswith(DOC_FOLDERS) and path.endswith(DOC_SUFFIXES)]
    return Found(
        languages=dict(Counter(row.id for row in rows.values()).most_common()),
        documents=len(documents),
        proposals=_tests(root, paths).model_copy(
            update={
                "source_dirs": _source_dirs(paths, [*rows, *documents]),
                "docs_path": tuple(dict.fromkeys(_top(path) for path in documents)) or NO_DOCS,
            }
        ),
    )


def _tests(root: Path, paths: Sequence[str]) -> Proposals:
    tops = dict.fromkeys(map(_top, paths))
    folders = [folder for folder in tops if folder and not folder.startswith(".") and folder not in NOT_PARTS]
    used = [(line, tool.match) for tool in TOOLS for line in _lines(tool, root, folders)]
    if not used:
        return Proposals()
    return Proposals(
        test_command=" && ".join(line for line, _ in used),
        test_report="junit" if len(used) == 1 and "$CODEINTEL_JUNIT" in used[0][0] else "none",
        test_match=tuple(dict.fromkeys(glob for _, match in used for glob in match)),
    )


def _lines(tool: Tool, root: Path, folders: Sequence[str]) -> list[str]:
    """How the project runs a tool: at its root, else in each of its folders that are projects of their own."""
    if line := tool.line(root):
        return [line]
    inside = ((folder, tool.line(root / folder)) for folder in folders)
    return [f"(cd {shlex.quote(folder.rstrip('/'))} && {line})" for folder, line in inside if line][:MOST_FOLDERS]


def _source_dirs(paths: Sequence[str], sources: Sequence[str]) -> tuple[str, ...]:
    """The folders with sources and documents, where they are few and most of a large project is something else."""
    tops = tuple(dict.fromkeys(_top(path) for path in sources))
    if not tops or "" in tops or len(tops) > MOST_FOLDERS:
        return ()
    outside = sum(not path.startswith(tops) for path in paths)
    return tuple(top.rstrip("/") for top in tops) if outside > max(MANY, len(paths) / 2) else ()


def _top(path: str) -> str:
    """The first folder of a path, with its slash; "" for a file of the root."""
    folder, slash, _ = path.partition("/")
    return f"{folder}/" if slash else ""


def _python(root: Path) -> str:
    project = _toml(root / "pyproject.toml")
    named = json.dumps(project) + _text(root / "tox.ini") + _text(root / "setup.cfg") + _text(root / "setup.py")
    named += "".join(_text(path) for path in sorted(root.glob("*requirements*.txt")))
    if "pytest" not in named and not (root / "pytest.ini").is_file() and not _holds_conftest(root):
        return ""
    # Where a system has python3 alone, the verifier would end with "command not found".
    plain = "python -m" if shutil.which("python") or not shutil.which("python3") else "python3 -m"
    runner = next((run for lock, run in _PYTHON_RUNNERS.items() if (root / lock).exists()), plain)
    tools = project.get("tool")
    if isinstance(tools, dict) and "uv" in tools:
        runner = "uv run"
    return f"{runner} pytest -q {JUNIT}"


def _holds_conftest(root: Path) -> bool:
    return any((folder / "conftest.py").is_file() for folder in (root, root / "tests", root / "test"))


_PYTHON_RUNNERS = {
    "uv.lock": "uv run",
    "poetry.lock": "poetry run",
    "pdm.lock": "pdm run",
    "Pipfile.lock": "pipenv run",
}
_SCRIPT_RUNNERS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun run", "bun.lockb": "bun run"}


def _scripts(root: Path) -> str:
    script = _script(root / "package.json")
    if not script or "no test specified" in script:
        return ""
    runner = next((run for lock, run in _SCRIPT_RUNNERS.items() if (root / lock).exists()), "npm")
    if script.startswith("node --test") and os.name != "nt":  # a variable before a command is the shell's of elsewhere
        return f"{NODE} {runner} test"
    return f"npm test -- {VITEST}" if script.startswith("vitest") and runner == "npm" else f"{runner} test"


def _script(path: Path) -> str:
    """The script `test` of a package's file; "" if it has none that is a text."""
    scripts = _json(path).get("scripts")
    found = scripts.get("test") if isinstance(scripts, dict) else None
    return found.strip() if isinstance(found, str) else ""


def _php(root: Path) -> str:
    scripts = _json(root / "composer.json").get("scripts")
    if isinstance(scripts, dict) and scripts.get("test"):
        return "composer test"
    return "vendor/bin/phpunit" if any(root.glob("phpunit.xml*")) else ""


def _ruby(root: Path) -> str:
    if not (root / "Gemfile").is_file():
        return ""
    return "bundle exec rspec" if (root / "spec").is_dir() else "bundle exec rake test" * (root / "test").is_dir()


def _gradle(root: Path) -> str:
    if not any(root.glob("build.gradle*")):
        return ""
    return "./gradlew test" if (root / "gradlew").is_file() else "gradle test"


def _maven(root: Path) -> str:
    if not (root / "pom.xml").is_file():
        return ""
    return "./mvnw -q test" if (root / "mvnw").is_file() else "mvn -q test"


def _cmake(root: Path) -> str:
    if "add_test" not in _text(root / "CMakeLists.txt") and "enable_testing" not in _text(root / "CMakeLists.txt"):
        return ""
    return "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"


def _make(root: Path) -> str:
    found = _MAKE_TARGET.search(_text(root / "Makefile"))
    return f"make {found[1]}" if found and not (root / "CMakeLists.txt").is_file() else ""


def _present(name: str, line: str) -> Callable[[Path], str]:
    return lambda root: line if any(root.glob(name)) else ""


_MAKE_TARGET = re.compile(r"^(check|tests?)\s*:(?!=)", re.MULTILINE)
_C = ("**/*.c", "**/*.h", "**/*.cc", "**/*.cpp", "**/*.cxx", "**/*.hpp")
_JVM = ("**/*.java", "**/*.kt", "**/*.scala", "**/*.groovy")
TOOLS: tuple[Tool, ...] = (
    Tool(_python, ("**/*.py",)),
    Tool(_scripts, ("**/*.js", "**/*.jsx", "**/*.mjs", "**/*.cjs", "**/*.ts", "**/*.tsx", "**/*.vue", "**/*.svelte")),
    Tool(_present("go.mod", "go test ./..."), ("**/*.go",)),
    Tool(_present("Cargo.toml", "cargo test --quiet"), ("**/*.rs",)),
    Tool(_maven, _JVM),
    Tool(_gradle, _JVM),
    Tool(_present("build.sbt", "sbt test"), ("**/*.scala", "**/*.java")),
    Tool(_present("*.sln", "dotnet test"), ("**/*.cs", "**/*.fs")),
    Tool(_php, ("**/*.php",)),
    Tool(_ruby, ("**/*.rb",)),
    Tool(_present("mix.exs", "mix test"), ("**/*.ex", "**/*.exs")),
    Tool(_present("Package.swift", "swift test"), ("**/*.swift",)),
    Tool(_present("stack.yaml", "stack test"), ("**/*.hs",)),
    Tool(_cmake, _C),
    Tool(_make, _C),
    Tool(_present("build.zig", "zig build test"), ("**/*.zig",)),
)


def _text(path: Path) -> str:
    try:
        return read_file(path.parent, path, MAX_BYTES).decode("utf-8", "replace")
    except OSError:  # none, or none that says how a project is built
        return ""


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError:  # not ours to judge: it proposes nothing
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path) or "{}")
    except ValueError:  # likewise
        return {}
    return found if isinstance(found, dict) else {}
