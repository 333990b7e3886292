"""The default run draws from sampled tests by the seed, the full run plays all of them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SAMPLED = """
import pytest

@pytest.mark.sample(3)
@pytest.mark.parametrize("number", range(100))
def test_a_number(number): ...
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with our rule, and tests under it."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "test_numbers.py").write_text(SAMPLED, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow\n    sample\n", encoding="utf-8")
    return tmp_path


def collected(folder: Path, *words: str, seed: str = "a") -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *words]
    environment = {**os.environ, "CODEINTEL_TEST_SEED": seed}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def played(folder: Path, *words: str) -> str:
    """Name the tests that were run, those that were skipped left out."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *words]
    done = subprocess.run(command, cwd=folder, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return "\n".join(line for line in done.stdout.splitlines() if " PASSED" in line)


def test_a_seed_draws_the_same_again_and_another_seed_draws_others(folder: Path) -> None:
    drawn = [collected(folder, "-m", "not slow", seed=seed) for seed in ("a", "a", "b")]
    assert [len(each) for each in drawn] == [3, 3, 3]
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_full_run_plays_what_was_not_drawn(folder: Path) -> None:
    drawn, others = collected(folder, "-m", "not slow"), collected(folder, "-m", "slow")
    assert {*drawn} & {*others} == set()
    assert sorted([*drawn, *others]) == sorted(collected(folder, "-m", ""))
    assert len({*drawn, *others}) == 100


def test_a_test_that_is_named_is_played_whatever_the_seed(folder: Path) -> None:
    for seed in ("a", "b", "c"):
        assert len(collected(folder, "-m", "not slow", "test_numbers.py::test_a_number[50]", seed=seed)) == 1


DRAWN = """
import pytest
pytestmark = pytest.mark.draws(6)

def test_required(): ...
@pytest.mark.parametrize("number", range(20))
def test_a_number(number): ...
"""


def test_a_module_plays_its_share_and_a_fourth_of_what_requirements_name_and_alone_all_of_it(folder: Path) -> None:
    (folder / "test_sessions.py").write_text(DRAWN, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow\n    sample\n    draws\n", encoding="utf-8")
    (folder / "tests/requirements").mkdir(parents=True)
    row = "- id: x\n  tests:\n    - test_sessions.py::test_required\n"
    (folder / "tests/requirements/flow.yml").write_text(row, encoding="utf-8")
    required, shares = [], set()
    for seed in "abcdefgh":
        drawn = [each for each in collected(folder, "-m", "not slow", seed=seed) if "test_sessions" in each]
        required.append("test_sessions.py::test_required" in drawn)
        shares.add(len(drawn) - required[-1])
        assert len(collected(folder, "-m", "not slow", "test_sessions.py", seed=seed)) == 21
    assert {*required} == {True, False}
    assert shares == {3, 4}, "20 of 6 parts"


DEAR = """
import pytest
pytestmark = pytest.mark.slow

@pytest.mark.turns(4)
@pytest.mark.parametrize("number", range(20))
def test_a_number(number): ...
"""


def test_what_takes_turns_is_played_by_a_part_and_alone_as_a_whole(folder: Path) -> None:
    (folder / "packages").mkdir()
    (folder / "packages/test_dear.py").write_text(DEAR, encoding="utf-8")
    (folder / "packages/test_sessions.py").write_text(DRAWN, encoding="utf-8")
    marks = "".join(f"    {mark}\n" for mark in ("slow", "sample", "draws", "turns", "package"))
    (folder / "pytest.ini").write_text(f"[pytest]\nmarkers =\n{marks}", encoding="utf-8")
    (folder / "tests/requirements").mkdir(parents=True)
    row = "- id: x\n  tests:\n    - packages/test_sessions.py::test_required\n"
    (folder / "tests/requirements/flow.yml").write_text(row, encoding="utf-8")
    for words, dear, drawn in (
        (("-m", ""), 5, 21),
        (("-m", "slow or not package"), 5, range(3, 9)),
        (("-m", "", "packages/test_dear.py"), 20, 0),
    ):
        done = played(folder, *words)
        assert done.count("test_dear") == dear
        assert done.count("test_sessions") in (drawn if isinstance(drawn, range) else [drawn])


GROUPED = """
import os
import pytest
pytestmark = pytest.mark.xdist_group("one")

@pytest.mark.parametrize("number", range(6))
def test_a_number(number):
    open(os.environ["PYTEST_XDIST_WORKER"], "a").close()
"""


def test_tests_of_a_group_are_played_by_one_worker(folder: Path) -> None:
    (folder / "test_numbers.py").write_text(GROUPED, encoding="utf-8")
    words = ("-q", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider", "-p", "xdist.plugin")
    subprocess.run([sys.executable, "-m", "pytest", *words], cwd=folder, capture_output=True, check=True)
    assert len(list(folder.glob("gw*"))) == 1
    assert "--dist loadgroup" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_the_last_step_imports_only_modules_of_packages_that_can_have_slow_tests(folder: Path) -> None:
    package = folder / "packages"
    package.mkdir()
    shutil.copy(folder / "test_numbers.py", package / "test_marked.py")
    (package / "test_fast.py").write_text("raise SystemError('imported')\n", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow\n    sample\n    package\n", encoding="utf-8")
    found = collected(folder, "-m", "slow or not package")
    assert {each.partition("::")[0] for each in found} == {"packages/test_marked.py", "test_numbers.py"}
    assert len(found) == 100 + 97
    assert '-m "slow or not package"' in (ROOT / ".ci/run").read_text(encoding="utf-8")
