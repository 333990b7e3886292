"""What the default run of the tests plays, and what only the full run does.

The default run leaves out what is marked `slow`. Of a test marked `sample` it plays one set of parameters, or as many
as the mark says, drawn by a seed that changes with each commit; the others are slow. Of the tests of a module marked
`draws(parts)`, whose tests start programs, sessions or stores, it plays one in so many, drawn likewise, and of those
that a requirement names first (`tests/requirements`) one in four, with one set of parameters. `-m ""` plays everything
but what is marked `turns`, the dearest of all: of that an eighth, or one in `turns(parts)`, drawn by commit, unless its
module is named alone; with `--hypothesis-profile full` each property plays as many examples as it deserves. The tests
below `packages` carry the mark `package`, so that `.ci/run` need not play again what it played with each package on its
own. Of the modules marked `draws`, its last step plays what requirements name first and a third of the rest.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent
SEED = "CODEINTEL_TEST_SEED"
TURNS = 8
NOT_NOW = "not the turn of this commit; its module alone plays all"
LAST = "slow or not package"
"""What the last step of `.ci/run` selects."""
MARKED = re.compile(r"mark\.(?:slow|sample|draws|turns)\b")
FIRST_TEST = re.compile(r"^  tests:\n    - (\S+)$", re.MULTILINE)

SLOW = (HealthCheck.too_slow,)  # a machine that is busy makes no test wrong
settings.register_profile("fast", max_examples=20, deadline=None, suppress_health_check=SLOW)
settings.register_profile("full", max_examples=60, deadline=None, suppress_health_check=SLOW)
settings.load_profile("fast")


def pytest_configure() -> None:
    """Set what the workers of xdist, and the programs that tests start, take over from here."""
    if SEED not in os.environ:
        os.environ[SEED] = commit()
    if sys.dont_write_bytecode:  # else each of the hundred programs that tests start would compile all it imports
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / ".pytest_cache" / "bytecode")


@pytest.fixture(scope="session", autouse=True)
def _other_runs_load_no_plugins() -> None:
    """Have the pytest of a project under test start without what is installed beside us: most of its time."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # not earlier: the workers of xdist load theirs


@pytest.fixture(scope="session", autouse=True)
def _own_temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have what killed programs leave go with the folders of this run, which pytest removes."""
    folder = str(tmp_path_factory.mktemp("temporary"))
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder))
    tempfile.tempdir = None  # as named now, and not as looked up before


def commit() -> str:
    """Name the commit the work tree stands on; outside a repository every run draws the same."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "none"


def pytest_report_header() -> str:
    """Say how to draw the same sample again."""
    return f"sampled tests: {SEED}={os.environ[SEED]}"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no module of a package for the last step of `.ci/run` if nothing in it can be slow: half of all."""
    is_package = collection_path.name.startswith("test_") and collection_path.is_relative_to(ROOT / "packages")
    if config.option.markexpr != LAST or not is_package or not collection_path.is_file():
        return None
    return None if MARKED.search(collection_path.read_text(encoding="utf-8")) else True


@pytest.hookimpl(tryfirst=True)  # before the marks are selected by
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as slow what is not drawn, and the tests of the packages as such."""
    for item in items:
        if item.path.is_relative_to(ROOT / "packages"):
            item.add_marker("package")
    # Their many small tests come last, so that no worker waits at the end for a long test of another; `.ci/run` gives
    # the tests out one by one (`--dist loadgroup`), without which one worker would have all the long ones.
    items.sort(key=lambda item: item.get_closest_marker("package") is not None)
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample"):
            groups[item.nodeid.partition("[")[0]].append(item)
    for name, members in groups.items():
        mark = members[0].get_closest_marker("sample")
        _draw(name, members, mark.args[0] if mark and mark.args else 1)
    is_alone = len({item.nodeid.partition("::")[0] for item in items}) == 1  # whoever runs one module wants all of it
    required = held_by_requirements()
    if not is_alone:
        rows: dict[int, list[pytest.Item]] = defaultdict(list)
        for item in items:
            mark = item.get_closest_marker("turns")
            if mark:
                rows[mark.args[0] if mark.args else TURNS].append(item)
            elif config.option.markexpr == LAST and item.get_closest_marker("draws"):
                rows[3].extend([item] * (item.nodeid.partition("[")[0] not in required))
        for parts, row in rows.items():
            _take_turns(row, parts)
    modules: dict[str, list[pytest.Item]] = defaultdict(list)
    held: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("draws") and not any(map(item.get_closest_marker, ("slow", "skip"))):
            name = item.nodeid.partition("[")[0]
            group = held[name] if name in required else modules[name.partition("::")[0]]
            group.append(item)
    if is_alone:
        return
    for name, members in held.items():  # one in four
        _draw(name, members, _share(name, 1, 4))
    for name, members in modules.items():
        mark = members[0].get_closest_marker("draws")
        _draw(name, members, _share(name, len(members), mark.args[0] if mark else 1))


def _take_turns(members: list[pytest.Item], parts: int) -> None:
    """Skip all but one in so many of the tests."""
    turn = random.Random(f"{os.environ[SEED]} {parts}").randrange(parts)
    for at, item in enumerate(members):
        if at % parts != turn:
            item.add_marker(pytest.mark.skip(reason=NOT_NOW))


def held_by_requirements() -> set[str]:
    """List the test that each requirement names first; a package that is tested alone has no requirements beside it."""
    manifests = sorted((ROOT / "tests" / "requirements").glob("*.yml"))
    return {test for path in manifests for test in FIRST_TEST.findall(path.read_text(encoding="utf-8"))}


def _share(name: str, count: int, parts: int) -> int:
    """Return how many of so many tests a part is; a die decides about the fraction, as for small modules."""
    return (count + random.Random(os.environ[SEED] + name).randrange(parts)) // parts


def _draw(name: str, members: list[pytest.Item], count: int) -> None:
    """Mark as slow all but so many of the tests, unless they alone were asked for."""
    drawn = random.Random(os.environ[SEED] + name).sample(range(len(members)), min(count, len(members)))
    slow = pytest.mark.slow  # looked up once: pytest compares the name with all marks
    for at in set(range(len(members))).difference(drawn):
        members[at].add_marker(slow)
