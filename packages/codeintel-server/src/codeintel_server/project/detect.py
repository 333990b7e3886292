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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from codeintel_contract import read_file
from codeintel_server.project.cmake import test_command
from codeintel_server.verification.junit import VARIABLE
from codeintel_server.verification.runner import own_programs
from codeintel_server.verification.selection import PROGRAMS
from codeintel_templates import NO_DOCS, Proposals, Suite

DOC_FOLDERS = ("docs/", "doc/", "documentation/", "guides/", "guide/", "wiki/", "site/", "website/", "content/")
DOC_SUFFIXES = (".md", ".mdx", ".markdown", ".rst", ".rdoc", ".pod", ".adoc", ".txt")
TOLD = '> "$CODEINTEL_JUNIT"'
GO = "go test ./..." if os.name == "nt" else f"go test -json ./... {TOLD}"
JUNIT = '--junitxml "$CODEINTEL_JUNIT"'
VITEST = '--reporter=default --reporter=junit --outputFile.junit="$CODEINTEL_JUNIT"'
JEST = '--json --outputFile="$CODEINTEL_JUNIT"'
MOCHA = '--reporter xunit -O output="$CODEINTEL_JUNIT"'
_REPORTS = {"vitest": VITEST, "jest": JEST, "mocha": MOCHA}
_ENDS_IN = re.compile(
    r"(?:^|&&)\s*(?:\w+=\S*\s+|(?:npx|cross-env|node|nyc|c8)\s+|-\S+\s+)*(?:\S*/)?(vitest|jest|mocha)(?:\.m?js)?(?:\s[^&|;]*)?$"
)
"""A script to whose end options of its runner can be added."""
_NO_CHAIN = re.compile(r"[;|<>`\n$]|(?<!&)&(?!&)")
"""What makes a script more than programs one after the other."""
NODE = (
    'NODE_OPTIONS="--test-reporter=spec --test-reporter-destination=stdout'
    ' --test-reporter=junit --test-reporter-destination=$CODEINTEL_JUNIT"'
)
MAVEN = "mvn -q test --fail-at-end"
GRADLE = "gradle cleanTest test --continue"
"""Without the first task, a run of the same code would write no report."""
PHPUNIT = '--log-junit "$CODEINTEL_JUNIT"'
RSPEC = '--format progress --format json --out "$CODEINTEL_JUNIT"'
MOST_FOLDERS = 6
"""A project with its sources in more folders than this is indexed as a whole."""
MAX_BYTES = 2_000_000
MANY = 500
"""Files beside the sources, from which on they are worth leaving out of the index."""
NOT_PARTS = frozenset(
    {
        "example", "examples", "fixtures", "__fixtures__", "testdata", "third_party", "vendor", "node_modules",
        "benchmark", "benchmarks",
    }
)  # fmt: skip
"""Folders, at any depth, that may be separate projects and are not part of this one."""
TESTS = ("tests", "test")
MOST_SUITES = 20
"""Packages with tests of their own that get a verifier each; there may be hundreds."""


@dataclass(frozen=True, slots=True)
class Found:
    """What there is: source files by language, most first, documents, and what is proposed.

    `left_out` are folders with tests of their own for which no verifier is proposed, as there are too many.
    """

    languages: dict[str, int]
    documents: int
    proposals: Proposals
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A way to run tests.

    `line` gives the shell line for a folder, "" where it does not use the tool. `marks` are the names of files, with
    `*`, of which a folder that uses it has one; `match` says which files its tests judge. `reports` is a glob of the
    reports that the tool writes in a place of its own.
    """

    name: str
    line: Callable[[Path], str]
    marks: tuple[str, ...]
    match: tuple[str, ...]
    reports: str = ""


@dataclass(frozen=True, slots=True)
class Used:
    """A tool that a folder of the project uses; the folder is "" or ends with a slash."""

    folder: str
    tool: Tool
    line: str


def detect(root: Path, part: str = "") -> Found:
    """Look at a project's files, or those of one folder of it; reads only those few that say how it is built."""
    from codeintel_index import Files, IndexConfig, find_language

    paths = [path for path in Files(root, IndexConfig()).listed() if path.startswith(part)]
    rows = {path: row for path in paths if (row := find_language(path)) is not None and not row.is_data}
    below = [(path, path.removeprefix(part).lower()) for path in paths]
    documents = [path for path, name in below if name.startswith(DOC_FOLDERS) and path.endswith(DOC_SUFFIXES)]
    suites = _suites(root, paths, part)
    return Found(
        languages=dict(Counter(row.id for row in rows.values()).most_common()),
        documents=len(documents),
        proposals=Proposals(
            source_dirs=(part.rstrip("/"),) if part else _source_dirs(paths, [*rows, *documents]),
            docs_path=tuple(dict.fromkeys(part + _top(path.removeprefix(part)) for path in documents)) or NO_DOCS,
            suites=tuple(suites[:MOST_SUITES]),
        ),
        left_out=tuple(suite.name.removeprefix("tests-") for suite in suites[MOST_SUITES:]),
    )


def _suites(root: Path, paths: Sequence[str], part: str) -> list[Suite]:
    """One suite for each tool of the root, and for each outermost package below it that no tool of the root tests.

    Of a part that holds packages, only theirs.
    """
    packages = [use for tool in TOOLS for use in _packages(tool, root, paths)] if part else []
    found = packages or [use for tool in TOOLS for use in _uses(tool, root, paths)]
    used = sorted(found, key=lambda use: (use.folder.count("/"), use.folder))
    judged = {use.tool.match: use.tool for use in used if not use.folder}  # what another tool of the root tests
    used = [use for use in used if judged.get(use.tool.match, use.tool) is use.tool or not use.folder]
    used = [use for use in used if use.tool is not MAKE or _builds_c(use, used, paths)]
    suites: dict[str, Suite] = {}
    for use in used:
        alone = sum(one.folder == use.folder for one in used) == 1
        name = _free_name(["tests", use.folder, "" if alone else use.tool.name], suites)
        inside = re.sub(NOT_PLAIN, "?", use.folder)
        has_reports = use.tool.reports and _has_jvm_tests(root / use.folder)
        suites[name] = Suite(
            name=name,
            command=f"cd {shlex.quote(use.folder.rstrip('/'))} && {use.line}" if use.folder else use.line,
            report=f"junit:{inside}{use.tool.reports}" if has_reports else "junit" if VARIABLE in use.line else "none",
            match=tuple(f"{inside}{glob}" for glob in use.tool.match),
        )
    return list(suites.values())


def _uses(tool: Tool, root: Path, paths: Sequence[str]) -> Iterator[Used]:
    """Where the project uses a tool: at its root, else in each outermost package, however deep it lies."""
    if line := tool.line(root):
        yield Used("", tool, line)
    else:
        yield from _packages(tool, root, paths)


def _packages(tool: Tool, root: Path, paths: Sequence[str]) -> Iterator[Used]:
    found: list[str] = []
    folders = {
        _package_of(path) for path in paths if any(fnmatchcase(path.rpartition("/")[2], mark) for mark in tool.marks)
    }
    for folder in sorted(folders - {""}, key=lambda folder: (folder.count("/"), folder)):
        has_tests = not tool.reports or _has_jvm_tests(root / folder)
        is_free = _is_part(folder) and not folder.startswith(tuple(found))
        if is_free and has_tests and (line := tool.line(root / folder)):
            found.append(folder)
            yield Used(folder, tool, line)


def _is_part(path: str) -> bool:
    """Say whether a file or a folder, with a slash behind it, is in no folder that may be another project."""
    return not any(part.lstrip("_") in NOT_PARTS or part.startswith(".") for part in path.split("/")[:-1])


def _has_jvm_tests(folder: Path) -> bool:
    return any(any(folder.glob(place)) for place in _JVM_TESTS)


def _package_of(path: str) -> str:
    """Return the folder that a mark is about, with a slash behind it. One among tests is about what they test."""
    *parts, name = path.split("/")
    if name == "conftest.py" and parts and parts[-1] in TESTS:
        parts.pop()
    return "".join(f"{part}/" for part in parts)


def _builds_c(make: Used, used: Sequence[Used], paths: Sequence[str]) -> bool:
    """Say whether a Makefile is more than a short name for another tool's command."""
    is_alone = all(one is make or one.folder != make.folder for one in used)
    inside = (path.removeprefix(make.folder) for path in paths if path.startswith(make.folder))
    return is_alone or any(path.endswith(C_SUFFIXES) and _is_part(path) for path in inside)


def _free_name(parts: Sequence[str], taken: Mapping[str, object]) -> str:
    plain = (re.sub(r"[^\w.]+", "-", part).strip("-") for part in parts)
    name = wanted = "-".join(part for part in plain if part)
    count = 1
    while name in taken:
        count += 1
        name = f"{wanted}-{count}"
    return name


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
    configured = [root / "pytest.ini", *(folder / "conftest.py" for folder in (root, *(root / name for name in TESTS)))]
    uses_pytest = "pytest" in named or any(path.is_file() for path in configured)
    arguments = f"pytest -q {JUNIT}" if uses_pytest else _told(_unittest(root))
    # Where a system has python3 alone, the verifier would end with "command not found".
    plain = "python -m" if shutil.which("python") or not shutil.which("python3") else "python3 -m"
    runner = _runner(root, _PYTHON_RUNNERS, plain)
    tools = project.get("tool")
    if isinstance(tools, dict) and "uv" in tools:
        runner = "uv run"
    if not shutil.which(runner.split()[0]) and "VIRTUAL_ENV" in own_programs(root):
        runner = plain  # someone set the environment up without the manager, whose lines would not even start
    if not uses_pytest and runner != plain:
        runner += " python -m"
    python = runner.removesuffix(" -m")
    python += "" if "python" in python else " python"
    line = f"{runner} {arguments}" if arguments else f"{python} {_OWN}" if (root / _OWN).is_file() else ""
    return f"{python} setup.py -q build_ext --inplace && {line}" if line and _builds_in_place(root) else line


def _unittest(root: Path) -> str:
    """How the project itself calls all of unittest (hatch, tox, nox, its CI), else a discovery of its tests."""
    named = [root / name for name in ("pyproject.toml", "tox.ini", "setup.cfg", "noxfile.py", "Makefile")]
    for path in (*named, *_flows(root)):
        if found := _UNITTEST.search(_text(path).replace("{toxinidir}/", "")):
            return found[1].strip()
    for folder in (root, *(root / name for name in TESTS), *_tests_of_modules(root)):
        if any(_IMPORTS_UNITTEST.search(_text(path)) for path in sorted(folder.glob("test*.py"))):
            is_top = folder == root or (folder / "__init__.py").is_file()
            return "unittest" if is_top else f"unittest discover -s {folder.name}"
    return ""


def _told(arguments: str) -> str:
    """Have unittest name its tests, which it does on the standard error."""
    if not arguments or os.name == "nt":
        return arguments
    return f"{arguments}{'' if arguments.endswith(' -v') else ' -v'} {TOLD} 2>&1"


def _tests_of_modules(root: Path) -> list[Path]:
    """The packages with tests inside of a package of the root (`shop/tests`); unittest finds them from the root."""
    found = (path.parent for name in TESTS for path in sorted(root.glob(f"*/{name}/__init__.py")))
    return [folder for folder in found if (folder.parent / "__init__.py").is_file()]


def _builds_in_place(root: Path) -> bool:
    """Say whether the project's own CI makes extension modules beside their sources: a checkout has none to test."""
    return (root / "setup.py").is_file() and any(_IN_PLACE.search(_text(flow)) for flow in _flows(root))


def _flows(root: Path) -> list[Path]:
    return sorted(root.glob(".github/workflows/*.y*ml"))


_PYTHON_RUNNERS = {
    "uv.lock": "uv run", "poetry.lock": "poetry run", "pdm.lock": "pdm run", "Pipfile.lock": "pipenv run",
}  # fmt: skip
_SCRIPT_RUNNERS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun run", "bun.lockb": "bun run"}


def _scripts(root: Path) -> str:
    scripts = _scripts_of(root / "package.json")
    script = scripts.get("test", "")
    if not script or "no test specified" in script:
        return ""
    runner = _runner(root, _SCRIPT_RUNNERS, "npm")
    if not shutil.which(runner.split()[0]) and any((root / one).exists() for one in ("package-lock.json", PROGRAMS)):
        runner = "npm"  # whatever the lock files say, this is what someone installs with here
    if script.startswith("node --test") and os.name != "nt":  # a variable before a command is the shell's of elsewhere
        return f"{NODE} {runner} test"
    found = _ENDS_IN.search(script)
    if not found and not {"pretest", "posttest"} & scripts.keys() and (chain := _chain(root, script)):
        return chain
    report = f" {_REPORTS[found[1]]}" if found else ""
    return f"{runner} test{' --' * (runner == 'npm' and bool(report))}{report}"


def _chain(root: Path, script: str) -> str:
    """Return what a script runs one after the other, with a report of the tests, which are not the last of it."""
    parts = [part.strip() for part in script.split("&&")]
    for at, part in enumerate(parts if os.name != "nt" and not _NO_CHAIN.search(script) else ()):
        if (found := _ENDS_IN.search(part)) and (root / PROGRAMS / found[1]).exists():
            parts[at] += f" {_REPORTS[found[1]]}"
            return " && ".join([f'PATH="$PWD/{PROGRAMS}:$PATH"', *parts])
    return ""


def _runner(folder: Path, runners: Mapping[str, str], plain: str) -> str:
    """What runs a package's tools, by the lock file beside it or, for a workspace, above it in the repository."""
    for place in (folder, *folder.parents):
        for lock, runner in runners.items():
            if (place / lock).exists():
                return runner
        if (place / ".git").exists():
            break
    return plain


def _scripts_of(path: Path) -> dict[str, str]:
    """The scripts of a package's file that are texts."""
    scripts = _json(path).get("scripts")
    named = scripts.items() if isinstance(scripts, dict) else ()
    return {name: text.strip() for name, text in named if isinstance(text, str)}


def _php(root: Path) -> str:
    scripts = _json(root / "composer.json").get("scripts")
    if isinstance(scripts, dict) and (script := scripts.get("test")):
        only = script[0] if isinstance(script, list) and len(script) == 1 else script
        return "composer test" + f" -- {PHPUNIT}" * bool(isinstance(only, str) and _IS_PHPUNIT.fullmatch(only))
    return f"vendor/bin/phpunit {PHPUNIT}" if any(root.glob("phpunit.xml*")) else ""


def _ruby(root: Path) -> str:
    has_gems, has_specs = (root / "Gemfile").is_file(), (root / "spec").is_dir()
    has_task = "Rake::TestTask" in _text(root / "Rakefile")
    # Where the system's packages have the gems, and Bundler is missing, a line with it would not even start.
    is_bare = not shutil.which("bundle") and shutil.which("rspec" if has_specs else "rake")
    bundled = "bundle exec " * (has_gems and not is_bare)
    if has_gems and has_specs:
        return f"{bundled}rspec {RSPEC}"
    if not (has_gems or has_task):
        return ""
    line = "bin/rails test -v" if (root / "bin/rails").is_file() else f"{bundled}rake test" + " TESTOPTS=-v" * has_task
    return (line + f" {TOLD} 2>&1" * (line.endswith("-v") and os.name != "nt")) * (root / "test").is_dir()


def _cmake(root: Path) -> str:
    return test_command(_text(root / "CMakeLists.txt"))


def _perl(root: Path) -> str:
    told = "" if os.name == "nt" else f" {TOLD} 2>&1"
    return f"prove -lr t{told}" * (any((root / name).is_file() for name in _PERL) and any((root / "t").rglob("*.t")))


def _swift(root: Path) -> str:
    return "swift test" * (".testTarget" in _text(root / "Package.swift"))


def _make(root: Path) -> str:
    text = _text(root / "Makefile")
    found = _MAKE_TARGET.search(text)
    return f"make {found[1]}" if found and "CMAKE generated" not in text and not _cmake(root) else ""


def _cargo(root: Path) -> str:
    """With all features where the project's own CI tests so: code behind a feature is not even built without it."""
    if not (root / "Cargo.toml").is_file():
        return ""
    top = next((place for place in (root, *root.parents) if (place / ".git").exists()), root)
    flows = "".join(map(_text, _flows(top)))
    # What each target is, cargo says on the standard error; it would not run those after the first that fails.
    line, told = ("cargo test --quiet", "") if os.name == "nt" else ("cargo test --no-fail-fast", f" {TOLD} 2>&1")
    return line + " --all-features" * bool(_ALL_FEATURES.search(flows)) + told


def _present(mark: str, line: str, wrapper: str = "") -> Callable[[Path], str]:
    """Return the line where there is a mark, with the project's own wrapper of the program if it has one."""
    wrapped = f"./{wrapper} {line.partition(' ')[2]}"
    return lambda root: (wrapped if wrapper and (root / wrapper).is_file() else line) if any(root.glob(mark)) else ""


NOT_PLAIN = re.compile(r"[^\w./ -]")
"""What may mean something in a glob."""
_IS_PHPUNIT = re.compile(r"(?:@php )?(?:\S*/)?(?:phpunit|pest)(?: [^&|;,]*)?")
_MAKE_TARGET = re.compile(r"^(check|tests?)\s*:(?!=)", re.MULTILINE)
_OWN = "runtests.py"
_UNITTEST = re.compile(r"-m (unittest(?: +(?:'[\w./*-]+'|(?![\w.]*\.[A-Z])[\w./=-]+))*)(?= *(?:[\"\n#]|$))")
_IN_PLACE = re.compile(r"\bsetup\.py\b[^\n#]*\bbuild_ext\b[^\n#]* (?:-\w*i\b|--inplace\b)")
_IMPORTS_UNITTEST = re.compile(r"^(?:import|from) unittest\b", re.MULTILINE)
_ALL_FEATURES = re.compile(r"\bcargo test\b[^\n#]*--all-features\b")
C_SUFFIXES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp")
_C = tuple(f"**/*{suffix}" for suffix in C_SUFFIXES)
_JVM_TESTS = ("src/*[tT]est*", "*/src/*[tT]est*", "*/*/src/*[tT]est*")
"""Where Maven and Gradle find tests; without any there is no report, and a build below the root is not one of tests."""
_JVM = ("**/*.java", "**/*.kt", "**/*.scala", "**/*.groovy")
_GRADLE = "build.gradle*"
_PERL = ("Makefile.PL", "Build.PL", "cpanfile", "dist.ini")
_PY = ("pyproject.toml", "conftest.py", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "*requirements*.txt")
_JS = ("**/*.js", "**/*.jsx", "**/*.mjs", "**/*.cjs", "**/*.ts", "**/*.tsx", "**/*.vue", "**/*.svelte")
MAKE = Tool("make", _make, ("Makefile",), _C)
TOOLS: tuple[Tool, ...] = (
    Tool("python", _python, _PY, ("**/*.py",)),
    Tool("node", _scripts, ("package.json",), _JS),
    Tool("go", _present("go.mod", GO), ("go.mod",), ("**/*.go",)),
    Tool("rust", _cargo, ("Cargo.toml",), ("**/*.rs",)),
    Tool("maven", _present("pom.xml", MAVEN, "mvnw"), ("pom.xml",), _JVM, "**/target/surefire-reports/TEST-*.xml"),
    Tool("gradle", _present(_GRADLE, GRADLE, "gradlew"), (_GRADLE,), _JVM, "**/build/test-results/**/TEST-*.xml"),
    Tool("sbt", _present("build.sbt", "sbt test"), ("build.sbt",), ("**/*.scala", "**/*.java")),
    Tool("dotnet", _present("*.sln", "dotnet test"), ("*.sln",), ("**/*.cs", "**/*.fs")),
    Tool("php", _php, ("composer.json", "phpunit.xml*"), ("**/*.php",)),
    Tool("ruby", _ruby, ("Gemfile", "Rakefile"), ("**/*.rb",)),
    Tool("elixir", _present("mix.exs", "mix test"), ("mix.exs",), ("**/*.ex", "**/*.exs")),
    Tool("swift", _swift, ("Package.swift",), ("**/*.swift",)),
    Tool("haskell", _present("stack.yaml", "stack test"), ("stack.yaml",), ("**/*.hs",)),
    Tool("cmake", _cmake, ("CMakeLists.txt",), _C),
    MAKE,
    Tool("perl", _perl, _PERL, ("**/*.pl", "**/*.pm", "**/*.t")),
    Tool("zig", _present("build.zig", "zig build test"), ("build.zig",), ("**/*.zig",)),
)


def _text(path: Path) -> str:
    try:
        return read_file(path.parent, path, MAX_BYTES).decode("utf-8", "replace")
    except OSError:  # none, or none that says how a project is built
        return ""


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except (ValueError, RecursionError):  # not ours to judge: it proposes nothing
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):  # likewise
        return {}
    return found if isinstance(found, dict) else {}
