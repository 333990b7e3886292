"""A repository whose configuration names programs: none runs because the server looked, and at a commit only those that
git itself runs then. Every key that we know to start a program is set, and a whole session is played over it.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeintel_index import Index
from codeintel_index.errors import BadConfig, IndexUnwritable, NoHistory
from codeintel_index.evaluate.questions import mine_questions
from codeintel_server.cli import app, consent
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.project.configuration import Context
from codeintel_server.project.doctor import examine
from codeintel_server.project.documents import find_documents
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.report.gather import find_state, gather
from codeintel_server.testing import Caller, play_to
from codeintel_server.verification.trust import is_trusted
from codeintel_session.testing import Repo, make_repo

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

# What git is told to start, and when: (section and key, value with {program}).
KEYS = {
    "fsmonitor": ("core.fsmonitor", "{program}"),
    "ssh": ("core.sshCommand", "{program}"),
    "askpass": ("core.askPass", "{program}"),
    "proxy": ("core.gitProxy", "{program}"),
    "alternates": ("core.alternateRefsCommand", "{program}"),
    "pager": ("core.pager", "{program}"),
    "editor": ("core.editor", "{program}"),
    "sequence-editor": ("sequence.editor", "{program}"),
    "credentials": ("credential.helper", "!{program}"),
    "external-diff": ("diff.external", "{program}"),
    "driver-diff": ("diff.evil.command", "{program}"),
    "textconv": ("diff.evil.textconv", "{program}"),
    "word-diff": ("interactive.diffFilter", "{program}"),
    "trailer": ("trailer.Code-Intel-Session.command", "{program}"),
    "trailer-new": ("trailer.Code-Intel-Merged.cmd", "{program}"),
    "status-pager": ("pager.status", "{program}"),
    "alias-status": ("alias.status", "!{program}"),
    "alias-own": ("alias.ls-files", "!{program}"),
    "signature": ("gpg.program", "{program}"),
    "show-signature": ("log.showSignature", "true"),
    "submodule": ("submodule.evil.update", "!{program}"),
    "merge-tool": ("mergetool.evil.cmd", "{program}"),
    "clean": ("filter.evil.clean", "{program} %f"),
    "merge-driver": ("merge.evil.driver", "{program}"),
}
HOOKS = [
    "applypatch-msg",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "post-merge",
    "post-index-change",
    "reference-transaction",
    "pre-rebase",
    "post-rewrite",
    "pre-push",
    "pre-auto-gc",
    "update",
    "fsmonitor-watchman",
]
FILES = {
    ".gitattributes": "*.py diff=evil filter=evil merge=evil\n",
    ".ctags.d/evil.ctags": "--exclude=*\n--langdef=evil{{_autoFQTag}}\n",
    ".ctags": "--exclude=*\n",
    ".ripgreprc": "--pre={program}\n--glob=!*\n",
    ".rgignore": "*\n",
    "rg": "#!/bin/sh\ntouch {marks}/rg\n",
    "git": "#!/bin/sh\ntouch {marks}/git\n",
    "ctags": "#!/bin/sh\ntouch {marks}/ctags\n",
    "sitecustomize.py": "open('{marks}/sitecustomize', 'w')\n",
    "usercustomize.py": "open('{marks}/usercustomize', 'w')\n",
    "tree_sitter.py": "open('{marks}/tree_sitter', 'w')\n",
    "codeintel_index.py": "open('{marks}/codeintel_index', 'w')\n",
    "conftest.py": "open('{marks}/conftest', 'w')\n",
}


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Where each program leaves its name when it runs."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.fixture
def hostile(repo: Path, marks: Path, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository with all of it set. Programs pass on what they are given, so that nothing fails for them."""
    programs = marks.parent / "programs"
    programs.mkdir()

    def program(name: str) -> Path:
        place = programs / name
        place.write_text(
            f"#!/bin/sh\ntouch '{marks}/{name}'\ncase $0 in *clean*) cat ;; esac\nexit 0\n", encoding="utf-8"
        )
        place.chmod(0o755)
        return place

    for name in HOOKS:
        program(name)
    for name, text in FILES.items():
        (repo / name).parent.mkdir(exist_ok=True)
        text = text.replace("{marks}", str(marks)).replace("{program}", str(program("preprocessor")))
        (repo / name).write_text(text, encoding="utf-8")
        (repo / name).chmod(0o755)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Traps")
    for name, (key, value) in KEYS.items():
        git(repo, "config", key, value.replace("{program}", str(program(name))))
    git(repo, "config", "core.hooksPath", str(programs))
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(repo / ".ripgreprc"))
    monkeypatch.chdir(repo)
    return repo


def ran(marks: Path) -> set[str]:
    return {place.name for place in marks.iterdir()}


SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n"


@pytest.fixture
def signed(hostile: Path) -> Path:
    """The newest commit seems to be signed, so that whoever shows signatures has them checked by a program."""
    text = Repo(hostile).git("cat-file", "commit", "HEAD")
    headers, _, message = text.partition("\n\n")
    (hostile.parent / "commit").write_text(f"{headers}\n{SIGNATURE}\n{message}\n", encoding="utf-8")
    made = Repo(hostile).git("hash-object", "-t", "commit", "-w", str(hostile.parent / "commit"))
    Repo(hostile).git("update-ref", "refs/heads/main", made)
    return hostile


def test_the_index_runs_nothing(signed: Path, marks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in ("", "none"):
        if engine:
            monkeypatch.setenv("CODEINTEL_RG", engine)
        with Index.open(signed) as index:
            index.sync(force=True)
            index.wait_dense()
            assert index.grep("count_all")[0].total >= 2
            assert index.definitions("count_all")
            assert index.references("count_all").total >= 1
            index.impact(["src/stats.py"])
        with pytest.raises(NoHistory):
            mine_questions(signed, ["src/stats.py"], 5)
        find_documents(signed, Context(), "count the numbers")
    assert ran(marks) <= {"reference-transaction"}  # of the test's own update-ref


async def test_an_investigation_runs_the_filters_of_git_at_most(
    call: Caller, change: Change, signed: Path, marks: Path
) -> None:
    (marks / "reference-transaction").unlink(missing_ok=True)
    end = await Player(call.client, change, Script(intent="QUESTION")).play()
    assert end["phase"] == "SESSION_COMPLETE"
    assert ran(marks) <= {"clean"}


async def test_a_whole_session_runs_hooks_and_filters_alone(
    call: Caller, change: Change, signed: Path, marks: Path
) -> None:
    player = Player(call.client, change, Script(verify=[False, True], issues=[["One more thing"]]))
    end = await player.play()
    state = find_state(signed, "")
    assert state is not None
    assert gather(signed, state).files
    assert end["outcome"] == "unverified"
    assert {"pre-commit", "commit-msg"} <= ran(marks), "the user's hooks do run at a commit"
    assert ran(marks) <= {*HOOKS, "clean"}


@pytest.mark.parametrize("is_repository", [False, True])
async def test_a_work_tree_that_lies_elsewhere_is_refused(
    call: Caller, repo: Path, git: Callable[..., str], is_repository: bool
) -> None:
    elsewhere = repo.parent / "elsewhere"
    elsewhere.mkdir()
    if is_repository:
        make_repo(elsewhere, {"private.txt": "not of this project"})
    git(repo, "config", "core.worktree", str(elsewhere))
    for tool, arguments in (("start_session", {"intent": "MODIFY", "query": "x"}), ("search_files", {"pattern": "*"})):
        reply = await call.call(tool, arguments)
        assert (reply["error"], "private.txt" in str(reply)) == ("git_failed", False)
    assert ("repository", "broken") in {(each.check, each.level) for each in examine(repo)}


@pytest.mark.parametrize("place", [".code-intel", "logs", "logs/decisions.jsonl", "sessions", "sessions/gate.json"])
async def test_nothing_is_written_through_a_link_that_came_with_the_repository(
    call: Caller, repo: Path, place: str
) -> None:
    victim = repo.parent / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine", encoding="utf-8")
    link = repo / place if place == ".code-intel" else repo / ".code-intel" / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(victim / "file" if "." in link.name[1:] else victim)
    reply = await call("start_session", intent="QUESTION", query="Where are numbers counted?")
    assert reply["error"] == "config_invalid"
    assert ("leads out of the project" if place == ".code-intel" else "is a link") in reply["message"]
    assert [entry.name for entry in victim.iterdir()] == ["file"]
    assert (victim / "file").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("make", [Path.touch, os.mkfifo], ids=["file", "pipe"])
@pytest.mark.parametrize("place", ["", "sessions", "logs"])
async def test_what_is_no_folder_in_the_place_of_ours_is_named_and_lookups_go_on(
    call: Caller, repo: Path, place: str, make: Callable[[Path], None]
) -> None:
    here = repo / ".code-intel" / place
    here.parent.mkdir(exist_ok=True)
    make(here)
    reply = await call("start_session", intent="QUESTION", query="Where are numbers counted?")
    assert (reply["error"], "is not a folder" in reply["message"]) == ("config_invalid", True)
    assert (await call("find_definitions", symbol="count_all"))["definitions"][0]["path"] == "src/stats.py"
    assert (await call("analyze_impact", target_files=["src/stats.py"]))["success"]


@pytest.mark.parametrize("place", ["", "index.db", "chroma", "agreements", "index.lock", "chroma.lock"])
def test_the_index_writes_through_no_link_either(repo: Path, place: str) -> None:
    victim = repo.parent / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine", encoding="utf-8")
    link = repo / ".code-intel" / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(victim if place in ("", "chroma", "agreements") else victim / "file")
    fault, why = (IndexUnwritable, "is a link") if place else (BadConfig, "leads out of the project")
    with pytest.raises(fault, match=why), Index.open(repo) as index:
        index.sync()
    assert [entry.name for entry in victim.iterdir()] == ["file"]
    assert (victim / "file").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("source", ["../private.md", "{outside}", "linked.md"])
async def test_rules_and_documents_of_elsewhere_are_not_read(call: Caller, repo: Path, source: str) -> None:
    outside = repo.parent / "private.md"
    outside.write_text("- numbers counted outside\n", encoding="utf-8")
    (repo / "linked.md").symlink_to(outside)
    source = source.replace("{outside}", str(outside))
    (repo / ".code-intel").mkdir()
    settings = (
        f"project_rules: {{source: '{source}'}}\ndoc_research: {{docs_path: ['..', '{outside.parent}', ':(top)']}}\n"
    )
    (repo / ".code-intel/context.yml").write_text(settings, encoding="utf-8")
    reply = await call("start_session", intent="QUESTION", query="Where are numbers counted outside?")
    assert reply["success"] is True
    assert "counted outside\n" not in json.dumps(reply)
    assert not [said for said in reply.get("notices", []) if "private.md" in said and "there is no file" not in said]


async def test_settings_that_repeat_themselves_without_end_are_refused(call: Caller, repo: Path) -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    (repo / ".code-intel").mkdir()
    for key in ("source", "summary", "content_hash"):
        text = "\n".join([*lines, f"project_rules: {{{key}: *a29}}"])
        (repo / ".code-intel/context.yml").write_text(text, encoding="utf-8")
        reply = await call("start_session", intent="QUESTION", query="Where are numbers counted?")
        assert (reply["error"], "anchors and aliases" in reply["message"]) == (
            "config_invalid",
            True,
        )


async def test_a_command_of_the_project_runs_only_as_the_user_agreed_to_it(
    call: Caller,
    change: Change,
    repo: Path,
    marks: Path,
    git: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verifier = repo / ".code-intel/verifiers/evil.md"
    verifier.parent.mkdir(parents=True)
    verifier.write_text(f"---\nmatch: ['**']\ncommand: touch '{marks}/first'\n---\nRun it.\n", encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Verifier")
    await play_to(call, change, 15, flags=["--fast"])
    assert (await call("run_verifier", name="evil"))["error"] == "untrusted_project"
    assert ran(marks) == set()
    monkeypatch.setattr(consent, "can_answer", lambda: True)
    shown = CliRunner().invoke(app, ["trust", str(repo)], input="y\n").output
    assert f"touch '{marks}/first'" in shown
    assert (await call("run_verifier", name="evil"))["passed"] is True
    verifier.write_text(f"---\nmatch: ['**']\ncommand: touch '{marks}/second'\n---\nRun it.\n", encoding="utf-8")
    assert (await call("run_verifier", name="evil"))["error"] == "untrusted_project"
    assert ran(marks) == {"first"}


def test_a_command_cannot_hide_itself_from_who_is_asked_about_it(repo: Path, marks: Path) -> None:
    verifier = repo / ".code-intel/verifiers/evil.md"
    verifier.parent.mkdir(parents=True)
    hiding = r"touch x; \e[2K\rmake test \u202e tset ekam"
    verifier.write_text(f'---\nmatch: ["**"]\ncommand: "{hiding}"\n---\n', encoding="utf-8")
    done = CliRunner().invoke(app, ["trust", str(repo)], input="n\n", color=True)
    assert r"touch x; \x1b[2K\rmake test \u202e tset ekam" in done.output
    assert done.exit_code == 1
    assert not is_trusted(ProjectLibrary(repo))
