"""Tell the files of a project apart: tests, files that steer the test runner, and data that tests expect.

A verifier's `tests:` and `steering:` globs extend the tables. A file that steers the runner decides which tests run and
what counts as a failure, so a change of one is named to the user with every run.
"""

import re
from collections.abc import Callable
from pathlib import PurePosixPath

_TEST_SUFFIXES = frozenset(
    {
        ".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".go", ".rs", ".java", ".kt", ".scala",
        ".groovy", ".cs", ".rb", ".php", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".m", ".mm", ".swift",
        ".dart", ".ex", ".exs", ".lua", ".sh", ".bash", ".bats", ".zig", ".hs", ".clj", ".cljs", ".cljc", ".coffee",
        ".cr", ".d", ".elm", ".erl", ".f90", ".fs", ".gleam", ".hx", ".janet", ".jl", ".kts", ".lisp", ".ml", ".nim",
        ".pl", ".ps1", ".r", ".R", ".rkt", ".scm", ".tcl", ".vb",
    }
)  # fmt: skip
_PLACE = re.compile(
    r"(?:^|/)(?:_*tests?_*|specs?)/|(?:^|/)(?:test_[^/]*|tests?\.\w+|conftest\.py)$"
    r"|[^/]*(?:[._-](?:test|spec)s?|Tests?|Spec|_test)\.\w+$"
)
_DATA_PLACE = re.compile(
    r"(?:^|/)(?:__snapshots__|__fixtures__|testdata|fixtures|golden|cassettes|expected)/"
    r"|\.(?:snap|golden|approved\.\w+|ambr)$|(?:^|/)(?:_*tests?_*|specs?)/"
)
_LISTS = re.compile(
    r"(?:^|/)(?:\.git\w+|\.npmignore|Makefile\.(?:am|in)|CMakeLists\.txt|meson\.build|BUILD(?:\.bazel)?)$"
)
"""Files of a folder of tests that say what is built or kept there; no test compares with them."""
_STEERS = re.compile(
    r"(?:^|/)(?:"
    r"conftest\.py|pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|noxfile\.py|sitecustomize\.py|usercustomize\.py"
    r"|\.coveragerc|pyproject\.toml|package\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnp\.c?js|\.mocharc(?:\.\w+)?"
    r"|(?:jest|vitest|vite|karma|cypress|playwright|ava|babel|wdio)(?:\.[\w-]+)*\.(?:config|setup|workspace)"
    r"(?:\.[\w-]+)*\.\w+|(?:jest|vitest)\.\w+\.\w+|\.babelrc(?:\.\w+)?|\.swcrc"
    r"|(?:GNU)?[Mm]akefile|(?!Android\.mk|Application\.mk)[\w.-]+\.mk|justfile|Taskfile\.ya?ml|Rakefile|\.rspec|\.simplecov"
    r"|Cargo\.toml|build\.rs|go\.mod|go\.work|phpunit\.xml(?:\.dist)?|composer\.json"
    r"|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradle\.properties|build\.sbt"
    r"|[\w.-]+\.runsettings|Directory\.Build\.(?:props|targets)|Jenkinsfile|\.gitlab-ci\.yml|\.travis\.yml"
    r"|azure-pipelines\.yml|mix\.exs|test_helper\.\w+|spec_helper\.rb|rails_helper\.rb"
    r")$|(?:^|/)(?:\.github/workflows|\.circleci|\.cargo|\.mvn)/|\.pth$"
)


def is_test(path: str) -> bool:
    """Return True if a path is named as a test file; not all of their languages have tests that can be counted."""
    return PurePosixPath(path).suffix in _TEST_SUFFIXES and _PLACE.search(path) is not None


_BY_HAND = re.compile(r"(?:^|/)(?:bench(?:es|marks?)?|examples?|demos?)/|(?:^|/)bench_[^/]*$|[._-]bench(?:mark)?\.\w+$")


def runs_by_hand(path: str) -> bool:
    """Return True if a path is named as a benchmark or an example, which no test is expected to notice."""
    return _BY_HAND.search(path) is not None


def steers(path: str) -> bool:
    """Return True if a path is named as a file that steers a test runner, a build or a CI run."""
    return _STEERS.search(path) is not None


def is_expected_data(path: str) -> bool:
    """Return True if a path is data that tests compare with: a snapshot, a golden file, a fixture."""
    return not is_test(path) and _is_beside_tests(path) and _LISTS.search(path) is None


def _is_beside_tests(path: str) -> bool:
    return not steers(path) and _DATA_PLACE.search(path) is not None


PARTS = {
    "pyproject.toml": ("tool", "build-system"),
    "package.json": (
        "scripts", "jest", "vitest", "mocha", "ava", "nyc", "c8", "babel", "type", "workspaces", "imports",
    ),
}  # fmt: skip
"""Of these files only some tables steer a runner."""


def steering_parts(path: str, load: Callable[[], dict[str, object]]) -> object:
    """Return what of a file steers a runner; `load` reads it as a table. None if the whole file does."""
    names = PARTS.get(PurePosixPath(path).name)
    if names is None:
        return None
    table = load()
    return {name: table[name] for name in names if name in table}


_RUNNER_ONLY = re.compile(
    r"(?:^|/)(?:pytest\.ini|\.pytest\.ini|\.mocharc(?:\.\w+)?|\.rspec|phpunit\.xml(?:\.dist)?"
    r"|(?:jest|vitest|karma|ava)(?:\.[\w-]+)*\.(?:config|setup|workspace)(?:\.[\w-]+)*\.\w+|(?:test|spec)_helper\.\w+)$"
)


def goes_with_tests(path: str) -> bool:
    """Return True if a path belongs to the tests, not the code: a test, what lies beside it, a runner's own file."""
    return is_test(path) or _is_beside_tests(path) or _RUNNER_ONLY.search(path) is not None


def is_collected(path: str) -> bool:
    """Return True if a runner takes tests from a file, which it does not from a `conftest.py` or an `__init__.py`."""
    return is_test(path) and PurePosixPath(path).name not in ("conftest.py", "__init__.py")
