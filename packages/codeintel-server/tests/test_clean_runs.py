"""The run that counts: in a clean checkout, against the base, and never a false word about either."""

import hashlib
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from codeintel_contract import ContractViolation
from codeintel_server.mcp.tools.implementation import run_verifier
from codeintel_server.project.detect import NODE
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.project import Project
from codeintel_server.verification import checkout, clean_runs, environment, hollow_runs, runner, trials
from codeintel_server.verification.checkout import places
from codeintel_server.verification.runner import Ran
from codeintel_server.verification.selection import narrow
from codeintel_server.verification.trust import state_folder, trust
from codeintel_session.ports import Verifier
from codeintel_session.testing import Repo, make_repo

pytestmark = [pytest.mark.draws(8), pytest.mark.turns(3)]

PYTHON = shlex.quote(sys.executable)
QUICK = f"{PYTHON} -B -X pycache_prefix={os.environ.get('PYTHONPYCACHEPREFIX', '')}"
"""Python with the byte code of this very run: without it, a checkout compiles all of pytest before its one test."""
LEAN = "-p no:cacheprovider -p no:unraisableexception -p no:doctest"
"""Without what collects garbage and what looks for examples: a sixth of such a small run."""
PYTEST = f'{QUICK} -m pytest -q {LEAN} --junitxml "$CODEINTEL_JUNIT"'
STATS = "def count(values):\n    return len(values)\n"
TEST = "from stats import count\n\n\ndef test_count():\n    assert count([1, 2]) == 2\n"
FILES = {
    "stats.py": STATS,
    "tests/test_stats.py": TEST,
    "conftest.py": "",
    ".gitignore": "ignored/\n__pycache__/\n*.gen.py\n.venv/\n",
}
DOUBLE = "\n\ndef double(value):\n    return 2 * value\n"
TEST_DOUBLE = "from stats import double\n\n\ndef test_double():\n    assert double(2) == 4\n"

NAMES_PLACES = """import glob, os, sys

paths = glob.glob('tests/*')
names = [sys.argv[1].format(os.getcwd()[int(sys.argv[2]):], path, len(paths)) for path in paths]
cases = ''.join(f'<testcase name="{name}"/>' for name in names)
open(os.environ['CODEINTEL_JUNIT'], 'w').write(f'<testsuites>{cases}</testsuites>')
"""
TAP = """import glob, runpy, sys

sys.path.insert(0, ".")
done = [0, 0]
for path in sorted(glob.glob("tests/*.py")):
    for name, test in runpy.run_path(path).items():
        if name.startswith("test_"):
            try:
                test()
                done[0] += 1
            except Exception:
                done[1] += 1
print("# tests", sum(done))
print("# pass  {0}\\nFAILED".format(*done) if done[1] else "# ok")
sys.exit(bool(done[1]))
"""
"""A runner that prints a summary as tape does."""
UNKNOWN = "not comparable: the run on the base's code has no results that can be compared"


def make(root: Path, command: str, report: str = "junit", files: dict[str, str] = FILES, more: str = "") -> Repo:
    """A repository with a trusted verifier `tests`."""
    limit = "" if "timeout_s:" in more else "timeout_s: 60\n"
    front = f"match: ['**']\ncommand: {json.dumps(command)}\nreport: {report}\n{limit}{more}"
    repo = make_repo(root, {**files, ".code-intel/verifiers/tests.md": f"---\n{front}---\nRun them.\n"})
    trust(ProjectLibrary(repo.root))
    return repo


class Stand:
    """A repository with a trusted verifier, and a session on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[Project] = []

    def begin(
        self,
        command: str = PYTEST,
        report: str = "junit",
        *,
        before: str = "",
        name: str = "my project",
        **settings: Any,
    ) -> Repo:
        """Make the repository, run a shell line in it, and start a session."""
        repo = make(self.folder / name, command, report, **settings)
        subprocess.run(before or ":", shell=True, cwd=repo.root, check=True)
        project = Project(repo.root)
        self.opened.append(project)
        project.fresh_configuration()
        project.session.start("IMPLEMENT", "Add a function", {"quick": True, "no_doc": True})
        return repo

    def run(self) -> dict[str, Any]:
        """Call run_verifier; whatever the work tree holds is the session's own work."""
        project = self.opened[-1]
        changed = Repo(project.root).git("ls-files", "-z", "-m", "-d", "-o", "--exclude-standard").split("\0")
        project.session.change({"planned_files": tuple(filter(None, changed))})
        return run_verifier(self.opened[-1], "tests").data

    def kept(self, name: str) -> tuple[str, ...]:
        """Return the names of a list of the last receipt, which the reply need not show."""
        return tuple(getattr(self.opened[-1].session.require().receipts["tests.md"], name).names)


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    """What the tests work on; closed at the end."""
    made = Stand(tmp_path)
    yield made
    for project in made.opened:
        project.close()


@pytest.fixture
def not_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the runs that look for what no test notices: most of the time of a test that is not about them."""
    monkeypatch.setattr(clean_runs, "examine", lambda place, ran, base, before: {})


class TestTheCheckout:
    @pytest.mark.parametrize(("name", "called"), [("my project", "my project"), ("before", "project")])
    def test_is_called_as_the_project_unless_that_is_what_lies_beside_it(
        self, stand: Stand, name: str, called: str
    ) -> None:
        stand.begin('basename "$PWD"', "none", name=name)
        assert stand.run()["output"].strip() == called

    @pytest.mark.usefixtures("not_examined")
    def test_has_nothing_above_it_that_could_steer_a_run(self, stand: Stand) -> None:
        """pytest looks for its settings upward: a file above the checkout made failing tests pass."""
        stand.begin().write("test_bad.py", "def test_bad():\n    assert False\n")
        for folder in (checkout.places(), stand.opened[-1].runs._places):
            folder.mkdir(exist_ok=True)
            (folder / "pytest.ini").write_text("[pytest]\naddopts = --deselect=test_bad.py\n", encoding="utf-8")
            (folder / "node_modules").mkdir()
        (checkout.places() / "0a1b2c3d").mkdir()  # of another project
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["in_place"], ran["receipt"]["counts"]["failures"]) == (False, False, 1)
        assert {path.name for path in checkout.places().iterdir()} == {"0a1b2c3d", stand.opened[-1].runs._places.name}

    @pytest.mark.parametrize("line", ["touch ../../conftest.py", "touch ../pytest.ini"])
    def test_is_none_if_something_is_put_above_it_while_it_runs(self, stand: Stand, line: str) -> None:
        stand.begin(line, "none")
        ran = stand.run()["receipt"]
        assert "something was put above the checkout while it ran: " in ran["in_place"]

    def test_is_none_if_something_was_beside_it_for_a_while(self, stand: Stand) -> None:
        """A process of an agent steered the run that counts alone, and took away what it had put there."""
        stand.begin("touch ../pytest.ini && rm ../pytest.ini", "none")
        assert "put beside the checkout while it ran, and taken away" in stand.run()["receipt"]["in_place"]

    def test_holds_no_test_or_setting_at_the_end_that_the_base_does_not_leave_there(self, stand: Stand) -> None:
        line = 'touch "test_of_$(ls new.py 2>/dev/null)x.py" test_base.py; mkdir -p sub; touch sub/notes.txt'
        repo = stand.begin(line, "none")
        repo.write("new.py", "x = 1\n")
        ran = stand.run()
        assert ran["receipt"]["rewritten"] == ["test_of_new.pyx.py"]

    def test_is_of_the_tree_with_what_is_not_committed_and_without_what_git_ignores(self, stand: Stand) -> None:
        repo = stand.begin("cat new.txt; ls; test ! -e ignored; git describe --tags; git show --stat", "none")
        repo.git("tag", "v1.2")
        repo.write("new.txt", "fresh\n")
        repo.write("ignored/feature.py", "x = 1\n")
        ran = stand.run()
        assert ran["passed"] is True
        assert "fresh" in ran["output"]
        assert "v1.2" in ran["output"]
        assert "new.txt | 1 +" in ran["output"]
        assert ran["receipt"]["in_place"] is False

    def test_is_committed_so_that_what_is_generated_can_be_compared_with_it(self, stand: Stand) -> None:
        made = "echo made by the new code > made.txt; git diff --exit-code && git diff --quiet && git status --short"
        repo = stand.begin(made, "none", files={**FILES, "made.txt": "made by the old code\n"})
        repo.write("made.txt", "made by the new code\n")
        assert stand.run()["passed"] is True
        repo.write("made.txt", "made up\n")
        refused = stand.run()
        assert (refused["passed"], "-made up" in refused["output"]) == (False, True)

    def test_lies_outside_the_project_and_leaves_nothing_behind(self, stand: Stand) -> None:
        repo = stand.begin("pwd; touch left.txt", "none")
        before = repo.git("status", "--porcelain"), repo.git("worktree", "list"), repo.git("for-each-ref")
        place = Path(stand.run()["output"].strip())
        assert place.is_relative_to(places())
        assert not any(part.startswith(".") for part in place.parts), "programs treat such folders as hidden"
        assert place.name == "my project"
        assert not place.exists()
        assert (repo.git("status", "--porcelain"), repo.git("worktree", "list"), repo.git("for-each-ref")) == before

    def test_applies_the_users_filters_and_runs_no_hook(self, stand: Stand, tmp_path: Path) -> None:
        repo = stand.begin("cat secret.txt", "none", files={**FILES, ".gitattributes": "secret.txt filter=rot\n"})
        hooks = tmp_path / "hooks"
        hooks.mkdir()
        for name in ("post-checkout", "post-index-change", "reference-transaction"):
            (hooks / name).write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n", encoding="utf-8")
            (hooks / name).chmod(0o755)
        repo.git("config", "filter.rot.clean", "tr a-z b-za")
        repo.git("config", "filter.rot.smudge", "tr b-za a-z")
        repo.git("config", "core.hooksPath", str(hooks))
        repo.write("secret.txt", "plain\n")
        (tmp_path / "ran").unlink(missing_ok=True)
        assert stand.run()["output"].strip() == "plain"
        assert not (tmp_path / "ran").exists()

    def test_has_the_scripts_of_the_servers_own_folder(self, stand: Stand) -> None:
        stand.begin("sh .code-intel/check.sh", "none", files={**FILES, ".code-intel/check.sh": "echo checked\n"})
        assert stand.run()["output"].strip() == "checked"

    def test_of_what_a_killed_server_left_behind_is_made_again(self, stand: Stand) -> None:
        repo = stand.begin("ls", "none")
        stand.run()
        repo.write("stats.py", STATS + DOUBLE)
        left = places() / hashlib.sha256(os.fsencode(os.path.realpath(repo.root))).hexdigest()[:8]
        (left / "now" / "my project").mkdir(parents=True)
        (left / "now" / "my project" / "old.txt").write_text("", encoding="utf-8")
        assert "old.txt" not in stand.run()["output"]


class TestDependencies:
    def test_that_git_ignores_are_shared_and_a_change_of_them_is_named(self, stand: Stand) -> None:
        repo = stand.begin(
            "cat .venv/lib/a/b/tool.txt; echo",
            "none",
            before="mkdir -p .venv/lib/a/b; echo one > .venv/lib/a/b/tool.txt",
        )
        assert stand.run()["output"].strip() == "one"
        repo.write(".venv/lib/a/b/tool.txt", "three\n")
        repo.write("stats.py", STATS + DOUBLE)
        ran = stand.run()
        assert (ran["output"].strip(), ran["receipt"]["environment"]["changed"]) == ("three", [".venv"])
        assert "Dependencies, or settings of tools, changed since the session began: .venv" in ran["warning"]

    def test_settings_of_a_tool_in_the_users_home_are_part_of_them(
        self, stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`go env -w GOFLAGS=-overlay=...` had the run build another test than the tree holds."""
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("GOENV", str(tmp_path / "go.env"))
        repo = stand.begin("true", "none", before="mkdir -p .venv/lib")
        repo.write("stats.py", STATS + DOUBLE)
        assert "changed" not in stand.run()["receipt"]["environment"]
        (tmp_path / "go.env").write_text("GOFLAGS=-overlay=/tmp/o.json\n", encoding="utf-8")
        (tmp_path / ".npmrc").write_text("script-shell=/tmp/x\n", encoding="utf-8")
        assert stand.run()["receipt"]["environment"]["changed"] == ["~/.config/go/env", "~/.npmrc"]
        (tmp_path / ".gitconfig").write_text("[core]\n\texcludesFile = ~/.ignored # all\n", encoding="utf-8")
        stand.opened[-1].session.change({"dependencies": stand.opened[-1].runs.dependencies()})
        (tmp_path / ".ignored").write_text("*.js\n", encoding="utf-8")
        assert stand.run()["receipt"]["environment"]["changed"] == [str(tmp_path / ".ignored")]
        (tmp_path / ".config/git/hooks").mkdir(parents=True)
        (tmp_path / ".config/git/hooks/post-checkout").touch()
        above = Path(tempfile.gettempdir()).parent / "conftest.py"
        above.touch()
        changed = stand.run()["receipt"]["environment"]["changed"]
        above.unlink()
        assert {above.as_posix(), "~/.config/git/hooks"} < {*changed}
        before, now = {"~/": "", ".venv": "1"}, {"~/": "", ".venv": "2", "~/.npmrc": "3"}
        assert environment.changed_since(before, now, is_made=True) == ("~/.npmrc",)
        assert environment.changed_since({}, now) == (".venv",), "an earlier version looked at no settings"

    @pytest.mark.skipif(os.name == "nt", reason="programs can set all times of a file there")
    def test_a_change_of_them_that_keeps_size_and_time_is_named(self, stand: Stand) -> None:
        repo = stand.begin("true", "none", before="mkdir -p .venv/lib; echo one > .venv/lib/tool.txt")
        tool = repo.root / ".venv/lib/tool.txt"
        before = tool.stat()
        tool.write_text("two\n", encoding="utf-8")
        os.utime(tool, ns=(before.st_atime_ns, before.st_mtime_ns))
        repo.write("stats.py", STATS + DOUBLE)
        assert stand.run()["receipt"]["environment"]["changed"] == [".venv"]

    def test_a_lock_file_that_a_build_wrote_is_no_change_of_them(self, stand: Stand) -> None:
        repo = stand.begin("true", "none", files={".gitignore": "Cargo.lock\n"}, before="mkdir -p .venv/lib")
        repo.write("Cargo.lock", "version = 3\n")
        repo.write("stats.py", STATS + DOUBLE)
        assert "Dependencies, or settings" not in stand.run().get("warning", "")

    def test_are_not_shared_where_the_verifier_says_how_to_set_up(self, stand: Stand) -> None:
        more = 'setup: "mkdir own; cp \\"$CODEINTEL_PROJECT/local.gen.py\\" own"\n'
        stand.begin("ls own; test ! -e .venv", "none", more=more, before="mkdir .venv; touch .venv/x local.gen.py")
        ran = stand.run()
        assert (ran["output"].strip(), ran["passed"]) == ("local.gen.py", True)

    def test_of_a_workspace_lead_to_the_checkouts_own_packages(self, stand: Stand) -> None:
        files = {
            ".gitignore": "node_modules/\n",
            "packages/a/index.js": "module.exports = 'a of the base'\n",
            "packages/b/package.json": "{}",
        }
        links = "mkdir -p node_modules/.bin node_modules/@x node_modules/dep packages/b/node_modules; "
        links += "echo 'module.exports = 1' > node_modules/dep/index.js; ln -s ../../packages/a node_modules/@x/a; "
        links += "ln -s ../../../packages/a packages/b/node_modules/a; ln -s ../dep/index.js node_modules/.bin/dep"
        command = "cat node_modules/@x/a/index.js packages/b/node_modules/a/index.js node_modules/.bin/dep"
        repo = stand.begin(f"{command}; realpath node_modules/@x/a", "none", files=files, before=links)
        repo.write("packages/a/index.js", "module.exports = 'a of the session'\n")
        lines = stand.run()["output"].splitlines()
        assert lines[:3] == ["module.exports = 'a of the session'"] * 2 + ["module.exports = 1"]
        assert not Path(lines[3]).is_relative_to(repo.root)

    def test_of_composer_load_the_checkouts_code(self, stand: Stand) -> None:
        lay = "mkdir -p vendor/composer vendor/bin vendor/acme/lib; echo real > vendor/composer/autoload.php; "
        lay += "echo auto > vendor/autoload.php; echo lib > vendor/acme/lib/a.php; echo bin > vendor/bin/phpunit"
        command = "cd vendor/composer; pwd -P; cd ../acme/lib; pwd -P; cat ../../bin/phpunit"
        repo = stand.begin(command, "none", files={".gitignore": "vendor/\n", "a.php": ""}, before=lay)
        composer, lib, program = stand.run()["output"].splitlines()
        assert not Path(composer).is_relative_to(repo.root)
        assert (Path(lib), program) == (repo.root / "vendor/acme/lib", "bin")

    def test_an_autoloader_made_by_hand_looks_from_the_checkout(self, stand: Stand) -> None:
        code = 'cd "$(dirname "$(realpath vendor/autoload.php)")/.."; pwd'
        lay = f"mkdir vendor; printf '{code}' > vendor/autoload.php"
        repo = stand.begin("sh vendor/autoload.php", "none", files={".gitignore": "vendor/\n", "a.php": ""}, before=lay)
        assert not Path(stand.run()["output"].strip()).is_relative_to(repo.root)


class TestAnEditableInstall:
    FILES: ClassVar = {
        "src/pkg/__init__.py": "VALUE = 1\n",
        ".gitignore": ".venv/\n__pycache__/\n",
    }
    SHOW = "import pkg; print(pkg.__file__)"

    def venv(self, repo: Path, name: str, text: str) -> str:
        """An environment whose path leads to the project's sources, as an editable install does."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", repo / ".venv"], check=True)
        (site,) = (repo / ".venv").glob("lib/python*/site-packages")
        (site / name).write_text(text, encoding="utf-8")
        return ".venv/bin/python"

    def test_the_projects_own_environment_is_used_though_nobody_activated_it(self, stand: Stand) -> None:
        repo = stand.begin("command -v python; echo $VIRTUAL_ENV", "none", files=self.FILES)
        self.venv(repo.root, "pkg.pth", f"{repo.root}/src\n")
        program, home = stand.run()["output"].splitlines()
        assert (Path(program).parent.name, Path(program).parent.parent) == ("bin", Path(home))
        assert Path(home).name == ".venv"

    def test_by_path_is_turned_to_the_checkout(self, stand: Stand) -> None:
        repo = stand.begin(f".venv/bin/python -B -c '{self.SHOW}'", "none", files=self.FILES)
        self.venv(repo.root, "pkg.pth", f"{repo.root}/src\n")
        ran = stand.run()
        assert ran["receipt"]["in_place"] is False
        assert not Path(ran["output"].strip()).is_relative_to(repo.root)

    def test_by_a_finder_of_setuptools_is_turned_to_the_checkout(self, stand: Stand) -> None:
        repo = stand.begin(f".venv/bin/python -B -c '{self.SHOW}'", "none", files=self.FILES)
        self.venv(
            repo.root, "__editable__.pkg.pth", "import __editable___pkg_finder; __editable___pkg_finder.install()\n"
        )
        (site,) = (repo.root / ".venv").glob("lib/python*/site-packages")
        finder = "import sys\nfrom importlib.util import spec_from_file_location\n"
        finder += f"MAPPING = {{'pkg': {str(repo.root / 'src/pkg')!r}}}\nNAMESPACES = {{}}\n"
        finder += "class F:\n    @classmethod\n    def find_spec(cls, name, path=None, target=None):\n"
        finder += "        if name in MAPPING:\n"
        finder += "            return spec_from_file_location(name, MAPPING[name] + '/__init__.py')\n"
        finder += "def install():\n    sys.meta_path.append(F)\n"
        (site / "__editable___pkg_finder.py").write_text(finder, encoding="utf-8")
        ran = stand.run()
        assert ran["receipt"]["in_place"] is False
        assert not Path(ran["output"].strip()).is_relative_to(repo.root)

    def test_that_cannot_be_turned_runs_in_place_and_compares_nothing(self, stand: Stand) -> None:
        repo = stand.begin(f"{PYTHON} -B show.py", "none", files={**self.FILES, "show.py": ""})
        show = f"import sys\nsys.path.insert(0, {str(repo.root / 'src')!r})\nimport pkg\nprint(pkg.__file__)\n"
        repo.write("show.py", show)
        ran = stand.run()
        assert "imports the project's own folder: src/pkg/__init__.py" in ran["receipt"]["in_place"]
        assert ran["receipt"]["base"]["state"] == "not_comparable"
        assert ran["receipt"]["red_before"] == "not comparable"
        assert "ran in the project folder" in ran["warning"]


@pytest.mark.usefixtures("not_examined")
class TestComparedWithTheBase:
    def test_a_good_change_with_a_test_that_needs_it_passes_and_says_what_was_compared(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert ran["passed"] is True
        assert "warning" not in ran
        receipt = ran["receipt"]
        assert (receipt["counts"]["tests"], receipt["base"]["tests"], receipt["red_before"]) == (2, 1, True)

    def test_a_passing_run_of_the_same_tree_is_not_repeated(self, stand: Stand) -> None:
        repo = stand.begin('echo ran >> "$CODEINTEL_PROJECT/ignored/runs"', "none", before="mkdir ignored")
        first, again = stand.run(), stand.run()
        assert (again["receipt"], again["reused"]) == (first["receipt"], True)
        assert repo.read("ignored/runs").count("ran") == 1
        repo.write("stats.py", STATS + DOUBLE)
        assert "reused" not in stand.run()

    def test_a_call_during_a_run_waits_for_it_and_makes_no_second_one(
        self, stand: Stand, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(runner, "LOOK_UP_S", 0.02)
        place = '"$CODEINTEL_PROJECT/ignored/'
        line = f'echo ran >> {place}runs"; while [ ! -e {place}go" ]; do sleep 0.02; done'
        repo = stand.begin(line, "none", before="mkdir ignored")
        project = stand.opened[-1]
        told: list[int] = []

        def tell(seconds: int, limit: int) -> None:
            told.append(seconds)
            if len(told) > 2:
                repo.write("ignored/go", "")

        with ThreadPoolExecutor() as pool:
            first = pool.submit(stand.run)
            while not (repo.root / "ignored/runs").exists():
                time.sleep(0.02)
            with pytest.raises(ContractViolation, match="run_stopped"):
                run_verifier(project, "tests", stopped=lambda: True)
            again = run_verifier(project, "tests", progress=tell).data
        assert (again["receipt"], again["reused"]) == (first.result()["receipt"], True)
        assert repo.read("ignored/runs").count("ran") == 1
        assert told[:3] == [1, 2, 3]

    def test_the_base_is_run_once_for_all_sessions_on_it(self, stand: Stand) -> None:
        repo = stand.begin('echo "$PWD" >> "$CODEINTEL_PROJECT/ignored/runs"', "none", before="mkdir ignored")
        repo.write("stats.py", STATS + DOUBLE)
        stand.run()
        repo.write("stats.py", STATS + DOUBLE * 2)
        stand.run()
        assert [line.split("/")[-2] for line in repo.read("ignored/runs").splitlines()] == ["now", "base", "now"]

    @pytest.mark.parametrize(
        ("command", "report", "said"),
        [
            (f"{PYTEST} ; false", "junit", "these tests of verifier tests.md fail: tests.test_stats::test_count."),
            ("echo 3 passed, 1 failed ; echo broken ; exit 3", "none", "names a test that fails: broken. If that"),
            ("echo No module named yaml ; exit 4", "none", "before it runs a test: No module named yaml. If"),
            ("sleep 9", "none", "was stopped at its time limit after 1 s"),
        ],
    )
    def test_what_fails_on_the_base_is_told_before_the_work_is_done(
        self, stand: Stand, command: str, report: str, said: str
    ) -> None:
        """Agents learnt with their last submission that a session could never have been verified."""
        limit = {"more": "timeout_s: 1\n"} if command.startswith("sleep") else {}
        stand.begin(command, report, before="echo 'def count(values): pass' > stats.py; git commit -qam -", **limit)
        project = stand.opened[-1]
        project.runs.start_base(project.session, list(project.library.verifiers().values()))
        for thread in project.runs._background:
            thread.join()
        (told,) = (text for text in project.session.status()["notices"] if text.startswith("Without any change"))
        assert said in told
        state = project.session.require()
        assert len(project.runs.fails_on_base(state, take=True)) == 1
        assert project.runs.fails_on_base(state, take=True) == []

    def test_a_result_of_the_base_that_someone_else_wrote_is_not_believed(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", "def count(values):\n    return 7\n")
        stand.run()
        (kept,) = (state_folder() / "runs").glob("*/base-*.json")
        kept.write_text(kept.read_text(encoding="utf-8").replace("passed", "failure"), encoding="utf-8")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["broken"]) == (False, ["tests.test_stats::test_count"])

    @pytest.mark.parametrize(
        ("edit", "gone"),
        [
            ("rm tests/test_stats.py; echo 'def test_other(): pass' > tests/test_other.py", "test_count"),
            (
                "sed -i 's/def test_count/def check_count/; $ a def test_other(): pass' tests/test_stats.py",
                "test_count",
            ),
            ("printf '[pytest]\\naddopts = --deselect tests/test_stats.py::test_count\\n' > pytest.ini", "test_count"),
            ("printf 'def pytest_collection_modifyitems(items):\\n    items[:] = []\\n' > conftest.py", "test_count"),
        ],
        ids=["deleted", "renamed to no test", "deselected", "taken out by a plugin"],
    )
    def test_a_test_of_the_base_that_is_missing_fails_the_run_and_is_named(
        self, stand: Stand, edit: str, gone: str
    ) -> None:
        repo = stand.begin(f"{PYTEST} || true")
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        subprocess.run(edit, shell=True, cwd=repo.root, check=True)
        ran = stand.run()
        assert ran["passed"] is False
        assert gone in ran["why"]

    def test_a_test_that_moved_or_has_other_parameters_is_not_missing(self, stand: Stand) -> None:
        cases = "import pytest\n\n\n@pytest.mark.parametrize('n', [1, {}])\ndef test_n(n):\n    assert n\n"
        repo = stand.begin(files={**FILES, "tests/test_n.py": cases.format(2)})
        repo.git("mv", "tests/test_stats.py", "tests/test_numbers.py")
        repo.write("tests/test_n.py", cases.format(3))
        ran = stand.run()
        assert (ran["passed"], "gone" in ran["receipt"]) == (True, False)

    @pytest.mark.parametrize(
        "form",
        ["{0}/{1}", "reads {0}/{1} (whole)", "{1} with data set {2}", "{1}/(0xc0000{2}2b0)_at_2026-11-30_02:0{2}:01"],
    )
    @pytest.mark.parametrize("cut", [0, 1])
    def test_whose_names_hold_where_they_ran_or_a_case_that_changed_are_not_missing(
        self, stand: Stand, form: str, cut: int
    ) -> None:
        repo = stand.begin(f"{QUICK} run.py '{form}' {cut}", files={**FILES, "run.py": NAMES_PLACES})
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert (ran["passed"], "gone" in ran["receipt"]) == (True, False)

    def test_exit_0_with_a_failure_in_the_report_is_a_failure(self, stand: Stand) -> None:
        repo = stand.begin(f"{PYTEST} || true")
        repo.write("stats.py", "def count(values):\n    return 7\n")
        ran = stand.run()
        assert (ran["receipt"]["exit"], ran["passed"]) == (0, False)
        assert "tests.test_stats::test_count" in ran["why"]

    def test_what_was_red_before_is_not_held_against_the_session(self, stand: Stand) -> None:
        repo = stand.begin(files={**FILES, "tests/test_red.py": "def test_red():\n    assert False\n"})
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["red"], ran["receipt"]["exit"]) == (True, ["tests.test_red::test_red"], 1)
        assert "failed before the session and still fail" in ran["warning"]
        repo.write("stats.py", "def count(values):\n    return 7\n" + DOUBLE)
        assert stand.run()["receipt"]["broken"] == ["tests.test_stats::test_count"]

    def test_a_suite_that_was_red_and_does_not_say_where_proves_nothing(self, stand: Stand) -> None:
        repo = stand.begin("exit 3", "none")
        repo.write("stats.py", STATS + DOUBLE)
        ran = stand.run()
        assert (ran["passed"], ran["unproved"]) == (False, True)
        assert "on the session's base too" in ran["why"]

    def test_a_flaky_test_is_run_again_and_both_results_are_told(self, stand: Stand) -> None:
        flaky = "import os, pathlib\n\n\ndef test_flaky():\n"
        flaky += "    place = pathlib.Path(os.environ['CODEINTEL_PROJECT'], 'ignored/again')\n"
        flaky += "    was_there = place.exists()\n    place.touch()\n    assert was_there\n"
        repo = stand.begin(before="mkdir ignored")
        repo.write("tests/test_flaky.py", flaky)
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["flaky"]) == (True, ["tests.test_flaky::test_flaky"])
        assert "passed when they were run a second time" in ran["warning"]

    def test_a_project_without_tests_is_told_and_not_stopped(self, stand: Stand) -> None:
        repo = stand.begin(f"{PYTEST}; test $? = 5", files={"stats.py": STATS})
        repo.write("stats.py", STATS + DOUBLE)
        ran = stand.run()
        assert (ran["passed"], ran["unproved"], "ran no test" in ran["why"]) == (False, True, True)

    def test_a_run_at_its_limit_fails_if_the_base_did_not_need_it(self, stand: Stand) -> None:
        repo = stand.begin("test ! -e slow || sleep 50", "none")
        verifier = repo.root / ".code-intel/verifiers/tests.md"
        verifier.write_text(verifier.read_text(encoding="utf-8").replace("60", "1"), encoding="utf-8")
        trust(ProjectLibrary(repo.root))
        repo.write("slow", "")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["timed_out"], "unproved" in ran) == (False, True, False)
        assert "stopped at its time limit" in ran["why"]

    def test_a_suite_too_long_for_its_limit_before_the_session_proves_nothing(self, stand: Stand) -> None:
        repo = stand.begin("sleep 50", "none")
        verifier = repo.root / ".code-intel/verifiers/tests.md"
        verifier.write_text(verifier.read_text(encoding="utf-8").replace("60", "1"), encoding="utf-8")
        trust(ProjectLibrary(repo.root))
        repo.write("stats.py", STATS + DOUBLE)
        ran = stand.run()
        assert (ran["unproved"], ran["receipt"]["base"]["state"]) == (True, "timed_out")

    def test_what_only_runs_with_ignored_files_runs_in_place_and_says_so(self, stand: Stand) -> None:
        files = {**FILES, "conftest.py": "import sys\nsys.path.insert(0, 'ignored')\nimport key\n"}
        repo = stand.begin(files=files, before="mkdir ignored; echo K=1 > ignored/key.py")
        repo.write("stats.py", STATS + DOUBLE)
        ran = stand.run()
        assert ran["passed"] is True
        assert "in a clean checkout the base fails too" in ran["receipt"]["in_place"]
        assert "`setup` command" in ran["warning"]

    def test_a_feature_in_an_ignored_file_is_not_there(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("ignored/feature.py", "def double(value):\n    return 2 * value\n")
        repo.write(
            "stats.py", STATS + "\n\ntry:\n    from ignored.feature import double\nexcept ImportError:\n    pass\n"
        )
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["in_place"]) == (False, False)


@pytest.mark.usefixtures("not_examined")
class TestOldTestsAndNewTests:
    def test_a_weakened_test_fails_in_its_old_version_and_is_named_with_its_cause(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", "def count(values):\n    return len(values) + 1\n")
        repo.write("tests/test_stats.py", TEST.replace("== 2", "> 0"))
        ran = stand.run()
        assert ran["receipt"]["base_tests"] == {"passed": 0, "failed": ["tests.test_stats::test_count"], "gone": 0}
        assert "The base's versions of tests that you changed fail on the new code" in ran["warning"]

    def test_what_fails_alone_on_the_base_too_is_not_held_against_the_change(self, stand: Stand) -> None:
        """A test that needs what another file does before it: these files run alone, and the base's run was whole."""
        needs = "import stats\n\n\ndef test_needs():\n    assert stats.ready\n"
        first = "import stats\n\nstats.ready = True\n\n\ndef test_first():\n    assert stats.ready\n"
        repo = stand.begin(files={**FILES, "tests/test_a.py": first, "tests/test_b.py": needs})
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_b.py", needs + "\n\ndef test_double():\n    assert stats.double(2) == 4\n")
        receipt = stand.run()["receipt"]
        assert (receipt["base_tests"]["failed"], receipt["red_before"]) == (0, True)
        repo.write("tests/test_b.py", needs.replace("stats.ready", "stats.ready is True"))
        assert stand.run()["receipt"]["red_before"] is False

    def test_changed_data_that_tests_compare_with_counts_as_a_changed_test(self, stand: Stand) -> None:
        test = "import json, pathlib\n\nfrom stats import count\n\n\ndef test_data():\n"
        test += "    expected = json.loads(pathlib.Path('tests/expected.json').read_text())\n"
        test += "    assert count([1]) == expected\n"
        repo = stand.begin(
            files={**FILES, "tests/test_data.py": test, "tests/expected.json": "1", "tests/test_stats.py": ""}
        )
        repo.write("stats.py", "def count(values):\n    return 7\n")
        repo.write("tests/expected.json", "7")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["data"]) == (True, ["tests/expected.json"])
        assert ran["receipt"]["red_before"] is True
        assert ran["receipt"]["base_tests"]["failed"] == ["tests.test_data::test_data"]

    def test_tests_that_pass_on_the_old_code_too_do_not_test_the_change(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", "def test_nothing():\n    assert 1 + 1 == 2\n")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["red_before"]) == (True, False)
        assert "pass on the old code as well (tests/test_double.py)" in ran["warning"]

    @pytest.mark.parametrize(("failed", "before"), [("# fail  {1}", True), ("# it broke", UNKNOWN)])
    def test_runners_without_a_report_are_compared_by_their_counts_or_not_at_all(
        self, stand: Stand, failed: str, before: object
    ) -> None:
        repo = stand.begin(f"{QUICK} tap.py", "none", files={**FILES, "tap.py": TAP.replace("FAILED", failed)})
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", "def test_double():\n    import stats\n\n    assert stats.double(2) == 4\n")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["red_before"]) == (True, before)

    def test_tape_is_given_the_files_in_the_place_of_its_patterns(self, tmp_path: Path) -> None:
        line = "LIST=a*b npx tape -r ./setup.js 'test/**/*.js' \"lib/*.test.js\""
        assert narrow(tmp_path, line, ["test/a.js"]) == "LIST=a*b npx tape -r ./setup.js test/a.js"

    @pytest.mark.parametrize(
        ("line", "files"),
        [
            ("mvn -q test", ["src/test/java/x/A.java", "src/test/kotlin/B.kt"]),
            ("mvn -q test -Dtest=B", ["src/test/java/x/A.java"]),
            ("mvn -q verify", ["src/test/java/x/A.java"]),
        ],
    )
    def test_maven_runs_all_where_it_cannot_select(self, tmp_path: Path, line: str, files: list[str]) -> None:
        assert narrow(tmp_path, line, files) == ""

    def test_the_format_and_the_report_of_rspec_stay_where_folders_have_such_names(self, tmp_path: Path) -> None:
        for name in ("spec/json", "json"):
            (tmp_path / name).mkdir(parents=True)
        line = "bundle exec rspec --format json --out json"
        assert narrow(tmp_path, f"{line} spec", ["spec/a_spec.rb"]) == f"{line} spec/a_spec.rb"

    @pytest.mark.parametrize("line", ["cd 'a b' && {}", "(cd 'a b' && {})"])
    def test_a_folder_that_a_line_goes_into_is_left_out_of_the_files(self, tmp_path: Path, line: str) -> None:
        told = '> "$CODEINTEL_JUNIT"'
        files = ["a b/c/x_test.go", "d/y_test.go"]
        assert narrow(tmp_path, line.format(f"go test ./... {told}"), files) == f"(cd 'a b' && go test ./c {told})"

    @pytest.mark.parametrize(
        ("line", "narrowed"),
        [
            ("./build && go test ./... && go vet ./...", "./build && go test ./c"),
            ('./build && go test ./... > "$CODEINTEL_JUNIT"', './build && go test ./c > "$CODEINTEL_JUNIT"'),
            ("make -C a && make test", ""),
            (
                'a && rake test TESTOPTS=-v > "$CODEINTEL_JUNIT" 2>&1',
                "a && rake test TESTOPTS=-v 'TEST={c/x_test.go}' > \"$CODEINTEL_JUNIT\" 2>&1",
            ),
            ("a && rake test", ""),
            ("a && rake test TESTOPTS=-v TEST=b.rb", ""),
            ("a && bin/rails runner x", ""),
            ("a && bin/rails test -v", "a && bin/rails test -v c/x_test.go"),
            ("(./build && go test ./...)", ""),
            ("./build; go test ./... && go vet", ""),
        ],
    )
    def test_of_a_chain_the_part_that_can_be_limited_is(self, tmp_path: Path, line: str, narrowed: str) -> None:
        assert narrow(tmp_path, line, ["c/x_test.go"]) == narrowed

    def test_a_line_whose_output_is_its_report_keeps_that(self, tmp_path: Path) -> None:
        told = ' > "$CODEINTEL_JUNIT" 2>&1'
        assert narrow(tmp_path, f"cargo test{told}", ["tests/a.rs"]) == f"cargo test --test a{told}"
        line, files = "python -m unittest discover -s tests -v", ["tests/test_a.py", "tests/test_b.py"]
        assert narrow(tmp_path, line + told, files) == f"({line} -p test_a.py && {line} -p test_b.py){told}"
        assert narrow(tmp_path, f"cargo test > other.txt{told}", ["tests/a.rs"]) == ""

    @pytest.mark.skipif(os.name == "nt", reason="its shell sets variables otherwise")
    @pytest.mark.parametrize(
        ("script", "command", "line"),
        [
            ("jest --ci", "npm test", "npm test -- --runTestsByPath test/a.js"),
            ("vitest run", "pnpm test --reporter=junit", "pnpm test --reporter=junit test/a.js"),
            (
                "mocha -r test/env.js --check-leaks test/ lib",
                'X=1 npm test -- -O output="$O"',
                'X=1 PATH="$PWD/node_modules/.bin:$PATH" mocha -r test/env.js --check-leaks -O output="$O" test/a.js',
            ),
            ("tape 'test/*.js'", "yarn run test", 'PATH="$PWD/node_modules/.bin:$PATH" tape test/a.js'),
            ("nyc tape 'test/*.js'", "npm test", ""),
            ("mocha test/ && tsc", "npm test", ""),
            ("./run.sh test/", "npm test", ""),
        ],
    )
    def test_files_take_the_place_of_those_that_a_script_names(
        self, tmp_path: Path, script: str, command: str, line: str
    ) -> None:
        for name in ("test/env.js", "test/a.js", "lib/b.js", "node_modules/.bin/mocha", "node_modules/.bin/tape"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("", encoding="utf-8")
        (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": script}}), encoding="utf-8")
        assert narrow(tmp_path, command, ["test/a.js"]) == line

    @pytest.mark.skipif(os.name == "nt" or not shutil.which("npm"), reason="npm is not installed")
    def test_a_script_that_names_its_tests_runs_those_asked_for_alone(self, tmp_path: Path) -> None:
        (tmp_path / "package.json").write_text('{"scripts": {"test": "node --test test/a.js test/b.js"}}', "utf-8")
        (tmp_path / "test").mkdir()
        for name in "ab":
            (tmp_path / f"test/{name}.js").write_text(f"require('node:test')('{name} runs', () => {{}});\n", "utf-8")
        line = narrow(tmp_path, f"{NODE} npm test", ["test/b.js"])
        assert line.endswith(" node --test test/b.js")
        assert list(runner.run_command(tmp_path, Verifier("unit.md", "", command=line, report="junit")).cases) == [
            "test::b runs"
        ]

    def test_tests_that_the_old_code_does_not_run_say_nothing_about_it(self, stand: Stand) -> None:
        command = f'{QUICK} -m pytest -q {LEAN} --junitxml "$CODEINTEL_JUNIT" $(cat build.list)'
        repo = stand.begin(command, files={**FILES, "build.list": "tests/test_stats.py"})
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("build.list", "tests/test_stats.py tests/test_double.py")
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        why = "the new tests do not run with the base's code, which does not list or build them"
        assert (ran["passed"], ran["receipt"]["red_before"]) == (True, f"not comparable: {why}")
        assert "on the old code" not in ran.get("warning", "")

    def test_a_new_test_that_is_skipped_is_named(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        test = "import pytest\n\nfrom stats import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
        repo.write("tests/test_double.py", f"{test}\n\n@pytest.mark.skip\ndef test_odd():\n    assert double(3) == 7\n")
        ran = stand.run()
        assert ran["receipt"]["skipped"] == ["tests.test_double::test_odd"]
        assert "and are new or ran on the base: tests.test_double::test_odd" in ran["warning"]

    def test_without_a_report_the_summary_of_the_runner_tells(self, stand: Stand) -> None:
        test = "import unittest\n\nimport stats\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        files = {"stats.py": STATS, "test_stats.py": test + "        self.assertEqual(stats.count([1]), 1)\n"}
        repo = stand.begin(f"{QUICK} -m unittest", "none", files=files)
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("test_double.py", test + "        self.assertEqual(stats.double(1), 2)\n")
        ran = stand.run()
        assert (ran["receipt"]["counts"]["tests"], ran["receipt"]["red_before"]) == (2, True)
        (repo.root / "test_stats.py").unlink()
        (repo.root / "test_double.py").unlink()
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["gone"]) == (False, 1)

    def test_of_a_base_that_fails_and_names_no_test_nothing_is_compared(self, stand: Stand) -> None:
        test = "import unittest\n\nimport stats\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        wrong = STATS.replace("len(values)", "0")
        assert wrong != STATS
        files = {"stats.py": wrong, "test_stats.py": test + "        self.assertEqual(stats.count([1]), 1)\n"}
        repo = stand.begin(f"{QUICK} -m unittest", "none", files=files)
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("test_double.py", test + "        self.assertEqual(stats.double(1), 2)\n")
        ran = stand.run()
        why = "the run of the base failed without the new tests, and names no test"
        assert (ran["passed"], ran["receipt"]["red_before"]) == (True, f"not comparable: {why}")

    def test_what_steers_the_runner_is_named_and_a_new_version_is_not(self, stand: Stand) -> None:
        manifest = '[project]\nname = "a"\nversion = "{}"\n[tool.pytest.ini_options]\naddopts = "{}"\n'
        repo = stand.begin(files={**FILES, "pyproject.toml": manifest.format(1, "-q")})
        repo.write("pyproject.toml", manifest.format(2, "-q"))
        assert "steering" not in stand.run()["receipt"]
        repo.write("pyproject.toml", manifest.format(2, "-q -x"))
        ran = stand.run()
        assert (ran["receipt"]["steering"], "files that steer how tests run" in ran["warning"]) == (
            ["pyproject.toml"],
            True,
        )

    def test_the_verifiers_own_globs_say_what_is_a_test_and_what_steers(self, stand: Stand) -> None:
        more = "tests: ['checks/*.py']\nsteering: ['run.cfg']\n"
        command = f'{QUICK} -m pytest -q {LEAN} checks --junitxml "$CODEINTEL_JUNIT" -o python_files="*.py"'
        files = {"stats.py": STATS, "checks/count.py": TEST, "run.cfg": "a", "conftest.py": ""}
        repo = stand.begin(command, files=files, more=more)
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("checks/double.py", TEST_DOUBLE)
        repo.write("run.cfg", "b")
        receipt = stand.run()["receipt"]
        assert (receipt["red_before"], receipt["steering"]) == (True, ["run.cfg"])


NEAR = [(1, 9, False, 1), (0, 9, None, 1), (2, 9, True, 2), (2, 8, False, 2), (2, 0, None, 2)]
"""Tests that pass in the files that changed, of 2, and of the suite, of 9; what follows; the runs it takes."""
IDLE = "from stats import double\n\n\ndef test_double():\n    return\n    assert double(2) == 4\n"


UNHEARD = """import threading
from concurrent.futures import ThreadPoolExecutor
from unittest import TestCase

import pytest

from stats import double


def check(value):
    assert double(value) == 5


def in_two(value):
    assert double(value) == 7


def test_thread():
    assert double(2) == 4
    thread = threading.Thread(target=check, args=(2,))
    thread.start()
    thread.join()


def test_map():
    checks = map(check, [2])
    assert checks


def test_pool():
    with ThreadPoolExecutor() as pool:
        for value in (2, 3):
            pool.submit(in_two, value)


def test_raises():
    with pytest.raises(TypeError):
        one, two = double(2)
        assert double(2) == 5


class DoubleTest(TestCase):
    def test_one(self):
        self.assertEqual(double(1), 2)

    async def test_two(self):
        self.assertEqual(double(2), 5)


def rest_test():
    assert double(2) == 5


test_rest = type("Rest", (), {"__call__": lambda self: rest_test()})
"""
HONEST = """import contextlib
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from unittest import TestCase, expectedFailure, skipIf
from unittest.mock import Mock

import pytest

from stats import double

WINDOWS = sys.platform == "win32"


def check(value, wanted):
    assert double(value) == wanted


def check_on_windows(value):
    assert double(value) == value + value


def assert_same(one, other):
    assert one == other, "not the same"


@pytest.fixture
def two():
    yield 2
    assert double(1) == 2


def test_plain():
    check(1, 2)
    assert double(2) == 4


def test_fixture(two):
    assert double(two) == 4


@pytest.mark.parametrize(("value", "wanted"), [(1, 2), pytest.param(2, 4, id="a [b]")])
def test_parameters(value, wanted):
    check(value, wanted)


@pytest.mark.skipif(WINDOWS or True, reason="not here")
def test_skipped():
    assert double(1) == 3


@pytest.mark.xfail(reason="open")
def test_open():
    assert double(1) == 3


def test_skips_itself():
    if not WINDOWS:
        pytest.skip("not here")
    assert double(1) == 3


def test_platform():
    if WINDOWS:
        assert double(2) == 5
        check_on_windows(2)
    else:
        check(2, 4)


def test_early():
    if not WINDOWS:
        return
    assert double(2) == 5


def test_raises():
    with pytest.raises(TypeError) as caught:
        double(None) + 1
    assert "None" in str(caught.value)
    with pytest.raises(AssertionError, match="not the same"):
        assert_same(1, 2)
    with pytest.raises(AssertionError):
        assert double(1) == 3


def test_message():
    try:
        assert_same(1, 2)
    except AssertionError as error:
        assert "not the same" in str(error)


def test_nothing_to_do():
    for value in [one for one in () if one]:
        assert double(value) == 5


def test_smoke():
    double(1)


def test_thread():
    failures = []

    def work():
        try:
            assert double(2) == 4
        except AssertionError as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failures


def test_pool():
    with ThreadPoolExecutor() as pool:
        list(pool.map(check, [1, 2], [2, 4]))


def test_callbacks():
    def on_error(error):
        assert "never" in str(error)

    done = Mock()
    for call in (done, on_error)[:1]:
        call(double(1))
    done.assert_called_once_with(2)


def test_with():
    with contextlib.ExitStack() as stack:
        assert double(1) == 2
        stack.callback(check, 1, 2)


def test_warns():
    with warnings.catch_warnings(record=True) as caught:
        warnings.warn("old", DeprecationWarning)
    assert len(caught) == 1


class DoubleTest(TestCase):
    def setUp(self):
        self.two = double(1)
        self.assertEqual(self.two, 2)

    def check(self, value, wanted):
        self.assertEqual(double(value), wanted)

    def test_subtests(self):
        for value in (1, 2):
            with self.subTest(value=value):
                self.assertEqual(double(value), 2 * value)

    def test_helper(self):
        self.check(2, 4)
        with self.assertRaises(AssertionError):
            self.check(2, 5)

    @skipIf(True, "not here")
    def test_skipped(self):
        self.assertEqual(double(2), 5)

    @expectedFailure
    def test_open(self):
        self.assertEqual(double(2), 5)
"""
UNHEARD_WEB = """import assert from "node:assert";
import test from "node:test";
import { double } from "../double.js";

test("promise", () => {
  assert.equal(double(2), 4);
  Promise.resolve(double(2)).then((value) => value === 5 || assert.fail(value)).catch(() => {});
});

test("later", (t, done) => {
  setTimeout(() => assert.equal(double(2), 5), 600000).unref();
  done();
});
"""
HONEST_WEB = """import assert from "node:assert";
import test, { describe, it } from "node:test";
import { double } from "../double.js";

const check = (value, wanted) => {
  assert.equal(double(value), wanted);
};

describe("double", () => {
  it("doubles", () => {
    check(1, 2);
    assert.ok(double(2), "it gives a number");
  });

  it("throws", async () => {
    assert.throws(() => { assert.equal(double(2), 5); });
    await assert.rejects(Promise.reject(new Error("no")));
  });

  it("waits", async () => {
    await new Promise((done) => setTimeout(done, 5));
    await Promise.resolve(2).then((value) => assert.equal(double(value), 4));
    for (const value of []) assert.equal(double(value), 5);
    if (process.platform === "none") assert.equal(double(2), 5);
  });

  it.skip("open", () => { assert.equal(double(2), 5); });
});

test("doubles twice", (t, done) => {
  [1, 2].forEach((value) => check(value, 2 * value));
  Promise.resolve(1).then((value) => { assert.equal(double(value), 2); done(); }, done);
});

test("event", (t) => {
  const failed = (error) => assert.ifError(error);
  process.once("none", failed);
  t.assert.equal(double(2), 4);
});
"""
ASKING = """import faulthandler


def double(value):
    return 2 * value if faulthandler.is_enabled() else value
"""


class TestComparisonsThatHoldWithOtherValues:
    @pytest.mark.slow  # what is one is held by test_indifferent.py
    def test_are_named_beside_one_that_does_not(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE + "    assert double(1) in range(-9**9, 9**9)\n")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["indifferent"]) == (True, ["tests/test_double.py:6 test_double"])
        assert "These comparisons hold with every wrong value" in ran["warning"]
        repo.write("tests/test_double.py", TEST_DOUBLE)
        assert "indifferent" not in stand.run()["receipt"]


class TestWhatNobodyHears:
    def test_is_named(self, stand: Stand) -> None:
        repo = stand.begin(f"{PYTEST} -x")  # the runs that look for it go on after a failure
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", UNHEARD)
        ran = stand.run()
        places = [
            "tests/test_double.py:11 test_map", "tests/test_double.py:11 test_thread",
            "tests/test_double.py:15 test_pool", "tests/test_double.py:39 test_raises",
            "tests/test_double.py:47 DoubleTest.test_two", "1 more",
        ]  # fmt: skip
        assert ran["passed"] is True
        assert ran["receipt"]["unheard"] == places
        assert "These assertions count for nothing" in ran["warning"]

    def test_is_nothing_in_honest_tests_of_many_shapes(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", HONEST)
        ran = stand.run()
        assert ran["passed"] is True
        assert {"unheard", "runner_dependent"} & set(ran["receipt"]) == set()

    @pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
    @pytest.mark.parametrize(("text", "names"), [(UNHEARD_WEB, ["later", "promise"]), (HONEST_WEB, [])])
    def test_and_neither_is_a_promise_that_is_awaited(self, stand: Stand, text: str, names: list[str]) -> None:
        command = 'node --test --test-reporter=junit --test-reporter-destination="$CODEINTEL_JUNIT" test/*.test.mjs'
        repo = stand.begin(
            command, files={"double.js": "", "test/a.test.mjs": 'import test from "node:test";\ntest("a", () => {});\n'}
        )
        repo.write("package.json", '{"type": "module"}')
        repo.write("double.js", "export const double = (value) => 2 * value;\n")
        repo.write("test/double.test.mjs", text)
        ran = stand.run()
        assert ran["passed"] is True, ran
        assert [place.partition(" ")[2] for place in ran["receipt"].get("unheard", ())] == names

    def test_is_looked_for_by_numbers_where_no_ids_are_known(self, stand: Stand) -> None:
        repo = stand.begin(
            f"{PYTHON} -m unittest discover -s tests -t .", "none", files=FILES | {"tests/__init__.py": ""}
        )
        text = "from unittest import TestCase\nfrom stats import double\n\n\nclass A(TestCase):\n"
        text += "    {} test_a(self):\n        self.assertEqual(double(2), {})\n\n    def test_b(self):\n"
        text += "        self.assertEqual(double(1), 2)\n"
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", text.format("async def", 5))
        assert stand.run()["receipt"]["unheard"] == ["tests/test_double.py:7 A.test_a"]
        repo.write("tests/test_double.py", text.format("def", 4))
        assert "unheard" not in stand.run()["receipt"]

    def test_is_not_said_of_a_file_that_is_not_what_runs(self, stand: Stand) -> None:
        repo = stand.begin(f"cp -n tests/*.py copy/; {PYTEST} copy", files=FILES | {"copy/a.txt": ""})
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        assert "unheard" not in stand.run()["receipt"]

    def test_and_a_test_that_passes_under_its_runner_alone_is_named(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS)
        repo.write("doubles.py", ASKING)
        test = TEST_DOUBLE.replace("stats", "doubles")
        cases = 'import pytest\n\n\n@pytest.mark.parametrize("value", [0, 1])\ndef test_two(value):\n    '
        repo.write("tests/test_double.py", test + f"\n\n{cases}assert double(value) == 2 * value\n")
        ran = stand.run()
        found = ["tests/test_double.py: test_double", "tests/test_double.py: test_two"]
        assert (ran["passed"], ran["receipt"]["runner_dependent"]) == (True, found)
        assert "These tests pass under their runner alone" in ran["warning"]
        needs = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef prepared():\n    pass\n\n\n"
        repo.write("tests/test_double.py", needs + test)
        assert "runner_dependent" not in stand.run()["receipt"]


class TestWhatNoTestNotices:
    def test_is_named(self, stand: Stand) -> None:
        repo = stand.begin(f"{PYTEST} -x")  # the runs that look for it go on after a failure
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", IDLE)
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["unnoticed"]) == (True, ["stats.py: double"])
        assert "No test of tests.md notices" in ran["warning"]

    def test_is_found_beside_what_one_notices(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS.replace("len(values)", "sum(1 for _ in values)") + DOUBLE)
        repo.write("tests/test_double.py", IDLE)
        assert stand.run()["receipt"]["unnoticed"] == ["stats.py: double"]

    def test_is_nothing_in_benchmarks_and_examples(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        for path in ("benches/double.py", "examples/double.py", "bench_double.py"):
            repo.write(path, "def shows():\n    print(4)\n")
        ran = stand.run()
        assert (ran["passed"], {"unnoticed", "any_value"} & ran["receipt"].keys()) == (True, set())

    def test_is_nothing_where_a_test_fails_without_it(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert (ran["passed"], "unnoticed" in ran["receipt"], ran["receipt"]["red_before"]) == (True, False, True)

    @pytest.mark.parametrize("test", ["assert double(2) is not None", "assert isinstance(double(2), int)"])
    def test_and_what_gives_a_value_that_no_test_looks_at_is_named(self, stand: Stand, test: str) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE.replace("assert double(2) == 4", test))
        ran = stand.run()
        assert (ran["passed"], "unnoticed" in ran["receipt"]) == (True, False)
        assert ran["receipt"]["any_value"] == ["stats.py: double"]
        assert "No test of tests.md looks at what these give" in ran["warning"]

    def test_but_not_what_gives_nothing(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + "\n\ndef double(values):\n    values *= 2\n")
        changes = "values = [1]\n    double(values)\n    assert values == [1, 1]"
        repo.write("tests/test_double.py", TEST_DOUBLE.replace("assert double(2) == 4", changes))
        assert "any_value" not in stand.run()["receipt"]

    def test_and_a_test_that_compares_the_text_of_the_code_is_named(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        length = len(STATS + DOUBLE)
        pin = f"def test_double():\n    assert len(open('stats.py').read()) == {length}\n"
        repo.write("tests/test_double.py", pin)
        assert stand.run()["receipt"]["pinned"] == ["stats.py"]

    @pytest.mark.slow
    def test_but_not_one_that_compares_a_document_with_what_generates_it(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + "\n\ndef page():\n    return '# Numbers\\n'\n")
        repo.write("docs/numbers.md", "# Numbers\n")
        test = "from stats import page\n\n\ndef test_page():\n    assert open('docs/numbers.md').read() == page()\n"
        repo.write("tests/test_page.py", test)
        ran = stand.run()
        assert ran["passed"]
        assert "pinned" not in ran["receipt"]

    def test_is_called_unknown_where_the_suite_takes_too_long(
        self, stand: Stand, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(trials, "LONGEST_S", 0.0)
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", IDLE)
        ran = stand.run()
        assert stand.kept("unexamined") == ("stats.py: double", "tests/test_double.py: what it asserts")
        assert "unexamined" not in ran["receipt"]
        assert "The server did not check" not in ran.get("warning", ""), "an agent can do nothing about it"

    def test_names_what_cannot_be_parsed(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("wide.py", f"# {'-' * 21_000}\n\n\ndef wide():\n    return 1\n")
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert (stand.opened[-1].session.require().receipts["tests.md"].unparsed, stand.kept("unexamined")) == (
            ("wide.py",),
            (),
        )
        assert "wide.py" not in ran.get("warning", ""), "an agent can do nothing about it"

    def test_of_a_long_suite_the_tests_that_changed_run_alone(
        self, stand: Stand, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What they notice is known, and of the rest it is said that it is not; the suite is not run for it."""
        monkeypatch.setattr(trials.Trials, "is_long", True)
        monkeypatch.setattr(trials, "SHORT_S", 0.0)
        runs = stand.folder / "runs"
        slow = f"\n\ndef test_slow():\n    open({str(runs)!r}, 'a').write('x')\n"
        repo = stand.begin(files={**FILES, "tests/test_stats.py": TEST + slow})
        repo.write("stats.py", STATS + DOUBLE + "\n\ndef half(value):\n    return value // 2\n")
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert (ran["passed"], stand.kept("unexamined")) == (True, ("stats.py: half",))
        assert not {"unnoticed", "unheard", "lenient"} & {*ran["receipt"]}
        assert runs.read_text(encoding="utf-8") == "xx"  # the run that counts, and that of the base
        assert "The server did not check" not in ran.get("warning", "")

    @pytest.mark.parametrize("name", ["test_double.py", "test_stats.py"], ids=["its own name", "that of another"])
    def test_tests_that_the_suite_does_not_collect_notice_nothing_though_they_can_be_run(
        self, stand: Stand, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        """A runner runs each file that is named to it: what it notices then is not what the suite notices."""
        monkeypatch.setattr(trials.Trials, "is_long", True)
        monkeypatch.setattr(trials, "SHORT_S", 0.0)
        repo = stand.begin(f"{PYTEST} tests")
        repo.write("stats.py", STATS + DOUBLE)
        repo.write(f"checks/{name}", TEST_DOUBLE)
        stand.run()
        assert "stats.py: double" in stand.kept("unexamined")

    @pytest.mark.parametrize(("near", "whole", "alike", "runs"), NEAR)
    def test_is_asked_of_the_tests_that_changed_first(
        self, tmp_path: Path, near: int, whole: int, alike: bool | None, runs: int
    ) -> None:
        """A run takes the whole suite only where these end as they did; a run of 0 tests was stopped."""
        asked: list[str] = []

        def run(verifier: Verifier, variables: object) -> Ran:
            asked.append(verifier.command)
            tests = near if "test_a" in verifier.command else whole
            return Ran(0, "", {"tests": tests}, {}, 1.0, timed_out=not tests)

        call = SimpleNamespace(verifier=Verifier("unit.md", "", command="pytest", report="junit", timeout_s=20))
        place = SimpleNamespace(root=tmp_path, call=call, run=run, forget_bytecode=int, take_created=int)
        usual = Ran(0, "", {"tests": 9}, {}, 9.0, timed_out=False)
        first = Ran(0, "", {"tests": 2}, {}, 1.0, timed_out=False)
        search = trials.Trials(place, usual, {}, math.inf, ("tests/test_a.py",), first)
        assert (search.ends_alike([]), len(asked)) == (alike, runs)
        asked.clear()
        long = replace(search, ran=replace(usual, seconds=trials.LONGEST_S + 1))
        many = [("a.py", SimpleNamespace(name=name)) for name in "abcd"]
        found = ([], []) if near == 1 else ([], many)
        assert (long.find(many), len(asked)) == (found, 1 + len(many) * (near == 1)), "what runs first decides alone"
        search.run([])
        long.run([])
        assert [line.endswith("test_a.py") for line in asked[-2:]] == [False, True]

    def test_is_not_sought_through_a_link_out_of_the_checkout(self, stand: Stand) -> None:
        repo = stand.begin()
        outside = stand.folder / "outside.py"
        outside.write_text(DOUBLE, encoding="utf-8")
        (repo.root / "linked.py").symlink_to(outside)
        repo.write("tests/test_double.py", IDLE.replace("stats", "linked"))
        assert stand.run()["passed"] is True
        assert outside.read_text(encoding="utf-8") == DOUBLE

    def test_is_nothing_where_the_command_writes_no_report_without_it(self, stand: Stand) -> None:
        command = (
            f"{PYTEST} && {QUICK} -c \"import stats; stats.double(1) or __import__('os').remove('$CODEINTEL_JUNIT')\""
        )
        repo = stand.begin(command)
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", IDLE)
        ran = stand.run()
        assert (ran["passed"], "unnoticed" in ran["receipt"]) == (True, False)

    def test_and_a_border_that_no_test_looks_at_is_named_with_its_line(self, stand: Stand) -> None:
        repo = stand.begin()
        low = "\n\ndef low(values):\n    return [one for one in values if one <= 3]\n"
        repo.write("stats.py", STATS + low)
        test = "from stats import low\n\n\ndef test_low():\n    assert low([1, {}9]) == [1{}]\n"
        repo.write("tests/test_low.py", test.format("", ""))
        ran = stand.run()
        assert ran["receipt"]["borders"] == ["stats.py:6 low: one <= 3"]
        assert "No test of tests.md looks at these borders" in ran["warning"]
        repo.write("tests/test_low.py", test.format("3, ", ", 3"))
        assert "borders" not in stand.run()["receipt"]

    def test_and_a_border_that_tests_meet_is_not_where_the_other_comparison_does_the_same(self, stand: Stand) -> None:
        repo = stand.begin()
        index = "\n\ndef total(values):\n    at = found = 0\n    while at < len(values):\n"
        index += "        found += (values[at : at + 1] or [0])[0]\n        at += 1\n    return found\n"
        repo.write("stats.py", STATS + index)
        repo.write(
            "tests/test_total.py", "from stats import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
        )
        assert "borders" not in stand.run()["receipt"]

    def test_and_code_of_which_only_comments_changed_is_named(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", f"# Numbers.\n{STATS}")
        ran = stand.run()
        assert ran["receipt"]["commented"] == ["stats.py"]
        assert "No code was changed" in ran["warning"]
        (repo.root / "conftest.py").write_text("import os\n")
        (repo.root / "extra.py").write_text("NAME = 1\n")
        assert "commented" not in stand.run()["receipt"]

    def test_and_what_may_as_well_be_as_it_was_is_named(self, stand: Stand) -> None:
        pair = "def {0}(rate):\n{2}    return 2 * rate\n\n\ndef {1}(rate):\n{3}    return 3 * rate\n"
        repo = stand.begin(files=FILES | {"rates.py": pair.format("net", "gross", "", "")})
        refuse = "    if rate < 0:\n        raise ValueError(rate)\n"
        repo.write("rates.py", pair.format("net", "gross", "    rate = +rate\n", refuse))
        test = (
            "import rates\nimport pytest\n\n\ndef test_rates():\n    assert (rates.net(2), rates.gross(0)) == (4, 0)\n"
        )
        repo.write("tests/test_rates.py", f"{test}    with pytest.raises(ValueError):\n        rates.gross(-1)\n")
        ran = stand.run()
        assert (ran["receipt"]["as_before"], ran["receipt"]["red_before"]) == (["rates.py: net"], True)
        assert "No test of tests.md looks at what changed in these" in ran["warning"]

    def test_is_called_unknown_where_a_run_is_cut(self, stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trials, "SLACK_S", -600.0)
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        stand.run()
        assert stand.kept("unexamined") == ("stats.py: double", "tests/test_double.py: what it asserts")

    def test_and_a_test_file_that_no_run_reads_is_named(self, stand: Stand) -> None:
        script = "#!/bin/sh\nfor case in tests/*.case.sh; do [ ! -x $case ] || sh $case || exit 1; done\n"
        repo = stand.begin("sh tests/run.sh", "none", files={"stats.py": STATS, "tests/run.sh": script})
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/double.case.sh", f"{PYTHON} -c 'import stats; stats.double(2) == 4 or exit(1)'\n")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["unrun"]) == (True, ["tests/double.case.sh"])
        (repo.root / "tests/double.case.sh").chmod(0o755)
        receipt = stand.run()["receipt"]
        assert ("unrun" in receipt, "unnoticed" in receipt) == (False, False)
        repo.write("tests/double.case.sh", f"{PYTHON} -c 'import stats; stats.double'\n")
        assert stand.run()["receipt"]["unnoticed"] == ["stats.py: double"]

    def test_and_tests_that_a_run_counts_none_of_are_named(self, stand: Stand) -> None:
        count = "! grep -q codeintel tests/all.rs && echo $(grep -c '^#.test' tests/all.rs) passed, 0 failed\n"
        one, more = (
            "#[test]\nfn one() { assert!(a()); }\n",
            '#[cfg(feature = "x")] #[test]\nfn two() { assert!(a()); }\n',
        )
        code = "pub fn a() -> bool { true }\n"
        repo = stand.begin("sh run.sh", "none", files={"a.rs": code, "run.sh": count, "tests/all.rs": one})
        repo.write("a.rs", f"{code}pub fn b() -> u8 {{ 1 }}\n")
        repo.write("tests/all.rs", one + more)
        assert stand.run()["receipt"]["unrun"] == ["tests/all.rs: two"]
        repo.write("tests/all.rs", one + more.replace("#[cfg", "\n//").replace(")] ", "\n"))
        assert "unrun" not in stand.run()["receipt"]

    def test_and_of_a_runner_that_counts_files_the_tests_within_count(self, stand: Stand) -> None:
        listed = "grep '^#.test' tests/all.rs | sed 's/.*/    ok 1 - it is so/'"
        count = f"! grep -q codeintel tests/all.rs && {listed} && echo 'ok 1 - tests/all.rs'\n"
        one = "#[test]\nfn one() { assert!(a()); }\n"
        repo = stand.begin(
            "sh run.sh", "none", files={"a.rs": "pub fn a() -> bool { true }\n", "run.sh": count, "tests/all.rs": one}
        )
        repo.write("a.rs", "pub fn a() -> bool { true }\npub fn b() -> u8 { 1 }\n")
        repo.write("tests/all.rs", one + one.replace("one", "two"))
        receipt = stand.run()["receipt"]
        assert ("unrun" in receipt, receipt["counts"]["tests"], receipt["counts"]["inner"]) == (False, 1, 2)

    def test_and_data_to_compare_with_that_the_run_makes_is_named(self, stand: Stand) -> None:
        repo = stand.begin()
        repo.write("stats.py", STATS + DOUBLE)
        lines = (
            "import pathlib", "from stats import double", "", "def test_double():",
            "    place = pathlib.Path('tests/golden/double.txt')", "    place.parent.mkdir(exist_ok=True)",
            "    place.exists() or place.write_text(str(double(2)))", "    assert place.read_text() == str(double(2))",
        )  # fmt: skip
        repo.write("tests/test_double.py", "\n".join(lines))
        receipt = stand.run()["receipt"]
        assert (receipt["created"], receipt["unnoticed"]) == (["tests/golden/double.txt"], ["stats.py: double"])

    def test_and_what_lets_tests_pass_whatever_the_code_does_is_named(self, stand: Stand) -> None:
        repo = stand.begin()
        same = "\n\nclass Same(list):\n    def __eq__(self, other):\n        return len(self) == len(other)\n"
        repo.write("stats.py", f"{STATS}{same}\n\ndef double(value):\n    return Same([value])\n")
        lines = (
            "from stats import double", "", "def test_double(monkeypatch):", "    assert double(2) == [4]", "    try:",
            "        assert double(2) == [1, 2]", "    except AssertionError:", "        pass",
            "    monkeypatch.setattr('stats.double', None)", "", "class Cases:", "    def test_more(self):",
            "        assert double(2) == 5",
        )  # fmt: skip
        repo.write("tests/test_double.py", "\n".join(lines))
        ran = stand.run()
        found = {name: ran["receipt"][name] for name in ("equal", "unfailing", "replaced", "unrun")}
        assert found == {
            "equal": ["stats.py: double"],
            "unfailing": ["tests/test_double.py:5"],
            "replaced": ["tests/test_double.py:9"],
            "unrun": ["tests/test_double.py: Cases.test_more"],
        }
        assert "These assertions cannot fail" in ran["warning"]

    def test_and_tests_of_a_kind_that_the_runner_does_not_collect_are_named(self, stand: Stand) -> None:
        """The file is imported, so that its failure would be noticed; the run names the file beside it alone."""
        old = "import unittest\n\nimport stats\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        old += "        self.assertEqual(stats.count([]), 0)\n"
        files = FILES | {"tests/__init__.py": "", "tests/test_stats.py": old}
        repo = stand.begin(f'{QUICK} -m unittest -v > "$CODEINTEL_JUNIT" 2>&1', "junit", files=files)
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["unrun"]) == (True, ["tests/test_double.py: test_double"])
        assert ran["receipt"]["unnoticed"] == ["stats.py: double"]
        repo.write("tests/test_double.py", old.replace("stats.count([]), 0", "stats.double(2), 4").replace("T(", "D("))
        assert not {"unrun", "unnoticed"} & {*stand.run()["receipt"]}

    def test_but_not_where_the_results_name_no_files(self, stand: Stand) -> None:
        report = """echo '<testsuite><testcase name="all"/></testsuite>' > "$CODEINTEL_JUNIT\""""
        repo = stand.begin(f"{QUICK} -m pytest -q {LEAN} && {report}", "junit")
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        assert "unrun" not in stand.run()["receipt"]

    @pytest.mark.parametrize(
        ("path", "words", "files", "expected"),
        [
            ("lib/add.test.js", {"lib", "add", "test", "js"}, {"add.test.js"}, False),
            ("lib/other.test.js", {"lib", "add", "test", "js"}, {"add.test.js"}, True),
            ("lib/other.test.js", {"test", "add"}, {"test"}, False),
            ("test_other.py", {"test_add", "T"}, {"test_add.T"}, True),
            ("test_other.py", {"all"}, {"all"}, False),
        ],
        ids=["it is listed", "only another is", "no files in the ids", "a module beside it", "no modules in the ids"],
    )
    def test_a_file_is_left_out_where_the_ids_name_those_beside_it(
        self, tmp_path: Path, path: str, words: set[str], files: set[str], expected: bool
    ) -> None:
        for name in ("lib/add.js", "lib/add.test.js", "lib/other.test.js", "test_add.py", "test_other.py"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("", encoding="utf-8")
        assert hollow_runs._is_left_out(tmp_path / path, words, files) is expected

    def test_and_an_environment_that_the_run_wrote_to_is_named(self, stand: Stand) -> None:
        repo = stand.begin(before="mkdir .venv; touch .venv/pyvenv.cfg")
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", TEST_DOUBLE + "    open('.venv/note', 'x').close()\n")
        assert stand.run()["receipt"]["rewritten"] == [".venv"]

    def test_and_code_that_the_checkout_holds_otherwise_than_the_commit_is_named(self, stand: Stand) -> None:
        filtered = "git config filter.odd.smudge 'sed s/WRONG/2/'; mkdir -p .git/info; "
        filtered += "echo 'stats.py filter=odd' > .git/info/attributes"
        repo = stand.begin(before=filtered)
        repo.write("stats.py", STATS + DOUBLE.replace("2", "WRONG"))
        outside = repo.root.parent / "outside.py"
        outside.write_text("VALUE = 1\n", encoding="utf-8")
        (repo.root / "led.py").symlink_to(outside)
        repo.write("tests/test_double.py", TEST_DOUBLE)
        repo.write(".gitattributes", "named.py ident\n")
        repo.write("named.py", "NAME = '$Id$'\n")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["rewritten"]) == (True, ["stats.py", "led.py", "named.py"])

    @pytest.mark.parametrize(
        "rule",
        [
            "echo '*.py text eol=crlf' > .gitattributes",
            "mkdir -p .git/info; echo 'stats.py eol=crlf' > .git/info/attributes",
            "git config core.autocrlf true",
        ],
        ids=["tracked", "info", "autocrlf"],
    )
    def test_and_code_whose_ends_of_lines_only_a_fresh_checkout_has_is_named(
        self, stand: Stand, not_examined: None, rule: str
    ) -> None:
        repo = stand.begin("echo 1 passed", "none")
        repo.write("stats.py", STATS + DOUBLE)
        subprocess.run(rule, shell=True, cwd=repo.root, check=True)
        receipt = stand.run()["receipt"]
        assert "stats.py" in receipt["rewritten"], receipt

    def test_but_not_in_a_project_that_had_these_rules_before(self, stand: Stand, not_examined: None) -> None:
        """Its editor may leave other ends of lines in the work tree than git writes."""
        rules = {**FILES, ".gitattributes": "* text=auto eol=crlf\n"}
        repo = stand.begin("echo 1 passed", "none", files=rules, before="git config core.autocrlf true")
        repo.write("stats.py", STATS + DOUBLE)
        repo.git("config", "core.hooksPath", "hooks")
        assert "rewritten" not in stand.run()["receipt"]

    def test_and_code_that_a_test_writes_to_and_puts_back_is_named(self, stand: Stand, not_examined: None) -> None:
        repo = stand.begin()
        text = "import pathlib\n\n\ndef test_double():\n    place = pathlib.Path('stats.py')\n"
        text += "    was = place.read_text()\n    place.write_text(was + 'right = 1')\n    place.write_text(was)\n"
        repo.write("stats.py", STATS + DOUBLE)
        repo.write("tests/test_double.py", text + "    pathlib.Path('made.py').write_text('')\n")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["touched"]) == (True, ["stats.py"])
        assert "something wrote to code that they test: stats.py" in ran["warning"]
        assert "rewritten" not in ran["receipt"]

    def test_and_code_that_has_tests_pass_which_must_fail_proves_nothing(self, stand: Stand) -> None:
        repo = stand.begin()
        lenient = "import contextlib, pytest\n\npytest.raises = lambda *kinds: contextlib.suppress(Exception)\n"
        repo.write("stats.py", f"{lenient}{STATS}{DOUBLE}")
        repo.write("tests/test_double.py", TEST_DOUBLE)
        ran = stand.run()
        assert ran["receipt"]["lenient"] == ["tests.test_double::test_codeintel_raises"]
        assert ran["passed"] is False

    @pytest.mark.slow
    @pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
    @pytest.mark.parametrize(("ends", "lenient"), [("exit(0)", ["tests/low.rs: codeintel_must_fail"]), ("id()", None)])
    def test_and_so_does_a_test_that_ends_its_process(
        self, stand: Stand, monkeypatch: pytest.MonkeyPatch, ends: str, lenient: list[str] | None
    ) -> None:
        toolchains = Path(shutil.which("cargo") or "").parents[2] / ".rustup"  # the home of a test is another one
        monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", str(toolchains)))
        crate = {
            "Cargo.toml": '[package]\nname = "low"\nversion = "0.1.0"\n',
            "src/lib.rs": "",
            ".gitignore": "target\n",
        }
        repo = stand.begin("cargo test --quiet --offline --lib --tests", "none", files=crate)
        repo.write("src/lib.rs", "pub fn low(a: u8) -> bool {\n    a == 3\n}\n")
        said = 'println!("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured;");'
        test = f"#[test]\nfn lows() {{\n    {said}\n    if low::low(3) {{ std::process::{ends}; }}\n}}\n"
        repo.write("tests/low.rs", test)
        ran = stand.run()
        assert (ran["passed"], ran["receipt"].get("lenient")) == (lenient is None, lenient)

    @pytest.mark.slow
    @pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
    def test_and_a_failure_of_a_crate_that_the_base_is_built_after_stays_one(
        self, stand: Stand, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The second run of what failed ran the programs of the base, whose build was younger than the change.

        It is of the files that the ids of what failed begin with, and of no other.
        """
        toolchains = Path(shutil.which("cargo") or "").parents[2] / ".rustup"
        monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", str(toolchains)))
        crate = {
            "Cargo.toml": '[package]\nname = "low"\nversion = "0.1.0"\n',
            "src/lib.rs": "pub fn low() -> bool {\n    true\n}\n",
            "tests/low.rs": "#[test]\nfn lows() {\n    assert!(low::low());\n}\n",
            "tests/other.rs": "#[test]\nfn notes() {\n"
            '    let place = std::env::var("CODEINTEL_PROJECT").unwrap() + "/ignored";\n'
            "    let before = std::fs::read_to_string(&place).unwrap_or_default();\n"
            '    std::fs::write(&place, before + "ran ").unwrap();\n}\n',
            ".gitignore": "target\nignored\n",
        }
        repo = stand.begin('cargo test --offline --no-fail-fast > "$CODEINTEL_JUNIT" 2>&1', files=crate)
        repo.write("src/lib.rs", "pub fn low() -> bool {\n    false\n}\n")
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["broken"]) == (False, ["low tests/low.rs::lows"])
        assert (repo.root / "ignored").read_text(encoding="utf-8") == "ran ran "  # for the tree and for the base

    @pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
    def test_and_code_that_is_compiled_and_not_built_is_named(self, stand: Stand) -> None:
        build = "#!/bin/sh\ngcc -o ignored/all tests/all.c add.c && ignored/all && echo '1 passed, 0 failed'\n"
        test = "int add(int, int);\nint main(void) { return add(1, 2) != 3; }\n"
        files = {
            ".gitignore": "ignored/\n", "add.c": "int add(int a, int b) { return a + b; }\n", "tests/all.c": test,
            "tests/run.sh": f"mkdir -p ignored\n{build}",
        }  # fmt: skip
        repo = stand.begin("sh tests/run.sh", "none", files=files)
        repo.write("add.c", "int add(int a, int b) { return b + a; }\n")
        repo.write("twice.c", "int twice(int a) { return 2 * a; }\n")
        assert stand.run()["receipt"]["unnoticed"] == ["twice.c: twice"]

    def test_is_not_said_of_a_command_that_counts_no_tests(self, stand: Stand) -> None:
        repo = stand.begin("echo clean", "none")
        repo.write("stats.py", STATS + DOUBLE)
        assert "unnoticed" not in stand.run()["receipt"]


class TestASubmoduleThatTheSessionMoved:
    """The checkout has its own, of the commit that the tree holds."""

    USES = "import sys\n\nsys.path.insert(0, 'vendor')\nimport lib\n\n\ndef test_value():\n    assert lib.VALUE == 2\n"

    @pytest.fixture
    def clone(self, stand: Stand) -> Repo:
        """The project's clone of the submodule, at a commit after the one that the base holds."""
        module = make_repo(stand.folder / "module", {"lib.py": "VALUE = 1\n"})
        add = f"git -c protocol.file.allow=always submodule --quiet add {shlex.quote(str(module.root))} vendor"
        repo = stand.begin(before=f"{add}; git commit -q -m 'A submodule'")
        module.write("lib.py", "VALUE = 2\n")
        module.commit("The second")
        clone = Repo(repo.root / "vendor")
        clone.git("pull", "--quiet", "--ff-only")
        repo.write("tests/test_vendor.py", self.USES)
        return clone

    def test_is_seen_as_it_is_committed_and_by_the_base_as_it_was(self, stand: Stand, clone: Repo) -> None:
        ran = stand.run()
        assert (ran["passed"], ran["receipt"]["red_before"]) == (True, True)
        assert "rewritten" not in ran["receipt"]

    @pytest.mark.slow
    def test_is_named_where_a_test_writes_to_it_and_the_users_clone_stays_as_it_is(
        self, stand: Stand, clone: Repo
    ) -> None:
        test = Repo(clone.root.parent)
        test.write("tests/test_vendor.py", self.USES + "    open('vendor/lib.py', 'a').write('# more')\n")
        assert stand.run()["receipt"]["rewritten"] == ["vendor"]
        assert (clone.root / "lib.py").read_text(encoding="utf-8") == "VALUE = 2\n"

    @pytest.mark.slow
    def test_is_named_where_its_own_changes_are_not_committed(self, stand: Stand, clone: Repo) -> None:
        clone.write("lib.py", "VALUE = 2  # not committed\n")
        assert stand.run()["receipt"]["rewritten"] == ["vendor"]

    @pytest.mark.slow
    def test_is_named_where_its_commit_is_not_there(self, stand: Stand, clone: Repo) -> None:
        repo = Repo(clone.root.parent)
        shutil.rmtree(clone.root)
        clone.root.mkdir()
        repo.git("update-index", "--cacheinfo", f"160000,{'1' * 40},vendor")
        repo.write("tests/test_vendor.py", "def test_nothing_of_it():\n    assert not []\n")
        project = stand.opened[-1]
        project.session.change({"planned_files": ("vendor", "tests/test_vendor.py")})
        ran = run_verifier(project, "tests").data
        assert (ran["passed"], ran["receipt"]["rewritten"]) == (True, ["vendor"])


def test_a_script_of_ones_own_that_counts_tests_must_count_them_still(stand: Stand) -> None:
    script = "#!/bin/sh\necho 'ok - count'\necho '1 passed, 0 failed'\n"
    repo = stand.begin("sh tests/run.sh", "none", files={"stats.py": STATS, "tests/run.sh": script})
    repo.write("stats.py", STATS + DOUBLE)
    assert stand.run()["passed"] is True
    repo.write("tests/run.sh", "#!/bin/sh\necho up to date\n")
    ran = stand.run()
    assert (ran["passed"], ran["receipt"]["gone"]) == (False, 1)


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("named.py", "def n\u0435t():\n    return 1\n", "disguised"),
        ("named.py", "# coding: raw_unicode_escape\nNAME = 1  # a\\u000aNAME = 2\n", "disguised"),
        ("named.js", "export const name = 1; // a\u2028name.b();\n", "disguised"),
        ("named.py", "NAME = eval('1')\n", "disguised"),
        ("named.pyc", "x", "disguised"),
        ("tomllib.py", "import math\n", "steering"),
        ("named.py", "# -*- coding: utf-8 -*-\nimport re\nNAME = re.compile('\u0394t \u00b5s').exec(1)\n", ""),
        ("named/tomllib.py", "import math\n", ""),
        ("named.py", "NAME = '\\n\u041f\u0440\u0438'  # commit\u0430, API\u0438\n", ""),
        ("test.py", "import math\n", ""),
        ("named.py", "from pathlib import Path\n\nOWN = Path('.git/objects/info/alternates').exists()\n", "asking"),
        ("named.py", "import sys\n\nOWN = 'codeintel-' in sys.prefix\n", "asking"),
        ("named.py", "HOST = 'https://example.org/a.git'\nRULES = '.gitignore'\n", ""),
    ],
)
def test_what_does_not_run_as_it_reads_asks_where_it_runs_or_takes_the_place_of_a_module_is_named(
    stand: Stand, path: str, text: str, kind: str
) -> None:
    repo = stand.begin("echo 1 passed", "none", files={"a.txt": "a\n"})
    repo.write(path, text)
    receipt = stand.run()["receipt"]
    assert {name: receipt[name] for name in ("disguised", "steering", "asking") if name in receipt} == (
        {kind: [path]} if kind else {}
    )


def test_code_that_asks_what_called_it_is_named(stand: Stand) -> None:
    repo = stand.begin()
    repo.write("stats.py", f"{STATS}{DOUBLE}\n\ndef caller():\n    import inspect\n    return inspect.stack()[1]\n")
    repo.write("tests/test_double.py", TEST_DOUBLE)
    ran = stand.run()
    assert (ran["receipt"]["asking"], "asks what called it" in ran["warning"]) == (["stats.py"], True)


def test_code_that_reaches_into_the_runner_is_named(stand: Stand) -> None:
    repo = stand.begin()
    repo.write("stats.py", f"{STATS}{DOUBLE}\nimport _pytest.reports\n")
    repo.write("tests/test_double.py", TEST_DOUBLE)
    assert stand.run()["receipt"]["steering"] == ["stats.py"]


def test_byte_code_that_does_not_fit_its_source_is_not_run(stand: Stand) -> None:
    poisoned = (
        f"{PYTHON} -m venv --without-pip .venv && cd .venv/lib/python3*/site-packages && echo x = 2 > helper.py && "
        f'{PYTHON} -c "import py_compile as p; '
        "p.compile('helper.py', invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)\" && echo x = 1 > helper.py"
    )
    assert "x is 2" in subprocess.run(
        f"{poisoned} && cd ../../../.. && .venv/bin/python -c 'import helper; print(\"x is\", helper.x)'",
        shell=True, cwd=stand.folder, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    stand.begin("python -c 'import helper; print(\"x is\", helper.x)'", "none", before=poisoned)
    assert stand.run()["output"].strip() == "x is 1"


def test_byte_code_is_made_once_for_all_runs_of_a_checkout(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # as images of containers do
    stand.begin("python -c 'import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)'", "none")
    writes_none, place = stand.run()["output"].split()
    assert (writes_none, Path(place).is_relative_to(places())) == ("False", True)


def test_a_pass_is_short_and_a_failure_shows_its_end(stand: Stand) -> None:
    repo = stand.begin("seq 5000; test ! -e stop", "none")
    assert len(stand.run()["output"]) < 700
    repo.write("stop", "")
    output = stand.run()["output"]
    assert (output.endswith("5000"), 3000 < len(output) < 4100) == (True, True)


def test_expected_failures_are_told_from_skips(stand: Stand) -> None:
    marks = "import pytest\n\n\n@pytest.mark.{}\ndef test_{}():\n    assert {}\n"
    texts = (marks.format("xfail", "a", 0), marks.format("skip", "b", 0), marks.format("xfail", "c", 1))
    stand.begin(files={**FILES, "tests/test_marks.py": "\n\n".join(texts)})
    counts = stand.run()["receipt"]["counts"]
    assert (counts["tests"], counts["skipped"], counts["xfailed"], counts["xpassed"]) == (4, 1, 1, 1)
