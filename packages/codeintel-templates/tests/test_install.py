"""Installing: what lands where, and that nobody's work is overwritten."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from codeintel_templates import CLIENTS, find_client, manifest, read_template
from codeintel_templates.copy import Plan, apply, plan, plan_uninstall, take_back
from codeintel_templates.errors import Obstructed, StalePlan, UsageError
from codeintel_templates.proposals import Proposals, Suite

pytestmark = pytest.mark.draws(18)

Tree = dict[str, bytes]
Install = Callable[..., Plan]
Kinds = Callable[[Plan], dict[str, str]]
Dying = Callable[..., Any]


def test_a_plan_writes_nothing(project: Path, tree: Callable[[], Tree]) -> None:
    before = tree()
    plan(project, clients=("all",))
    assert tree() == before


def test_every_row_of_every_client_lands_at_its_destination(install: Install, tree: Callable[[], Tree]) -> None:
    install(clients=("all",), proposals=Proposals(suites=(Suite(command="make check"),), reader="claude -p"))
    assert {row.destination for row in manifest.all_rows()} | {manifest.RECORD, "README.md"} == set(tree())


def test_claude_alone_gets_no_file_of_another_client(install: Install, tree: Callable[[], Tree]) -> None:
    install()
    assert not [path for path in tree() if path.startswith((".codex", ".agents", ".cursor", ".vscode"))]


@pytest.mark.parametrize("client", [*CLIENTS, "all"])
def test_installing_twice_changes_nothing(
    client: str, project: Path, install: Install, tree: Callable[[], Tree]
) -> None:
    install(clients=(client,))
    before = tree()
    second = plan(project, clients=(client,))
    assert second.changes == ()
    apply(second)
    assert tree() == before


def test_a_second_client_is_added_to_the_first(install: Install, project: Path) -> None:
    install(clients=("claude",))
    install(clients=("codex",))
    record = json.loads((project / manifest.RECORD).read_text(encoding="utf-8"))
    assert record["clients"] == ["claude", "codex"]
    assert ".mcp.json" in record["files"]


def test_git_sees_what_is_the_projects_and_not_what_is_the_servers(
    project: Path, install: Install, git: Callable[..., str]
) -> None:
    install(proposals=Proposals(suites=(Suite(command="make check"),), reader="claude -p"))
    for made in ("agreements/a.md", "chroma/x", "logs/y", "sessions/z.json", "index.db", "index.db-wal", "index.lock"):
        path = project / ".code-intel" / made
        path.parent.mkdir(exist_ok=True)
        path.write_text("x", encoding="utf-8")
    status = git("status", "--porcelain", "-uall", "--", ".code-intel")
    seen = {line[3:] for line in status.splitlines()}
    assert seen == {row.destination for row in manifest.all_rows() if row.destination.startswith(".code-intel")} | {
        manifest.RECORD
    }


def test_committed_files_hold_no_path_of_this_machine(
    project: Path, install: Install, tree: Callable[[], Tree]
) -> None:
    install(clients=("all",))
    home = str(Path(manifest.__file__).parents[3])
    for path, data in tree().items():
        assert str(project).encode() not in data, path
        assert home.encode() not in data, path


@pytest.mark.parametrize("present", ["CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md"])
def test_no_rules_file_is_added_where_one_is(present: str, project: Path, install: Install) -> None:
    path = project / present
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine\n", encoding="utf-8")
    install()
    assert path.read_text(encoding="utf-8") == "mine\n"
    assert (project / ".claude/CLAUDE.md").exists() is (present == ".claude/CLAUDE.md")


def test_a_file_that_was_there_before_is_kept_and_ours_put_beside_it(
    project: Path, install: Install, kinds: Kinds
) -> None:
    skill = project / ".claude/skills/code/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("mine\n", encoding="utf-8")
    report = install()
    assert kinds(report)[".claude/skills/code/SKILL.md"] == "conflict"
    assert skill.read_text(encoding="utf-8") == "mine\n"
    assert skill.with_name("SKILL.md.new").read_text(encoding="utf-8").startswith("---\nname: code")
    assert plan(project).changes == ()


def test_an_offer_never_overwrites_a_file_named_like_it(project: Path, install: Install) -> None:
    skill = project / ".claude/skills/code/SKILL.md"
    skill.parent.mkdir(parents=True)
    for name in ("SKILL.md", "SKILL.md.new"):
        skill.with_name(name).write_text("mine\n", encoding="utf-8")
    install()
    assert skill.with_name("SKILL.md.new").read_text(encoding="utf-8") == "mine\n"
    assert skill.with_name("SKILL.md.new2").exists()


def test_installing_again_puts_back_what_was_lost(project: Path, install: Install, kinds: Kinds) -> None:
    install()
    (project / ".claude/skills/code/SKILL.md").unlink()
    assert kinds(install())[".claude/skills/code/SKILL.md"] == "create"


def test_the_gitignore_that_hid_an_uninitialized_folder_is_replaced(project: Path, install: Install) -> None:
    (project / ".code-intel").mkdir()
    ignore = project / ".code-intel/.gitignore"
    ignore.write_text("# made by the server\n*\n", encoding="utf-8")
    install()
    assert "/sessions/" in ignore.read_text(encoding="utf-8").splitlines()


def test_include_and_exclude_go_by_component(install: Install, tree: Callable[[], Tree]) -> None:
    install(include=("skill", "mcp"), exclude=("mcp",))
    assert set(tree()) == {"README.md", ".claude/skills/code/SKILL.md", manifest.RECORD}


@pytest.mark.parametrize(
    ("command", "program", "leading"),
    [
        (("codeintel",), "codeintel", []),
        (("uvx", "--from", "codeintel-server", "codeintel"), "uvx", ["--from", "codeintel-server", "codeintel"]),
    ],
)
def test_every_client_starts_the_command_given(
    command: tuple[str, ...], program: str, leading: list[str], project: Path, install: Install
) -> None:
    install(clients=("all",), command=command)

    def entry(path: str, top: str) -> dict[str, object]:
        text = (project / path).read_text(encoding="utf-8")
        data = tomllib.loads(text) if path.endswith("toml") else json.loads(text)
        found = data[top]["code-intel"]
        assert isinstance(found, dict)
        return found

    serve = [*leading, "serve"]
    assert entry(".mcp.json", "mcpServers") == {"type": "stdio", "command": program, "args": serve}
    assert entry(".cursor/mcp.json", "mcpServers") == {"command": program, "args": serve}
    assert entry(".vscode/mcp.json", "servers") == {
        "type": "stdio",
        "command": program,
        "args": [*serve, "--project", "${workspaceFolder}"],
    }
    assert entry(".codex/config.toml", "mcp_servers") == {
        "command": program,
        "args": serve,
        "startup_timeout_sec": 60,
        "tool_timeout_sec": 1000,
    }


def test_a_client_waits_longer_than_the_verifier_that_init_writes_may_run() -> None:
    front = yaml.safe_load(read_template("code-intel/verifiers/tests.md").split("---\n")[1])
    assert find_client("codex").entry(["codeintel"])["tool_timeout_sec"] > front["timeout_s"]


def test_an_absolute_command_is_taken_with_a_warning(project: Path) -> None:
    made = plan(project, command=("/opt/bin/codeintel",))
    assert any("/opt/bin/codeintel" in notice for notice in made.notices)


@pytest.mark.parametrize(
    "options",
    [{"clients": ("emacs",)}, {"clients": ()}, {"include": ("hats",)}, {"exclude": ("hats",)}, {"command": ()}],
)
def test_a_request_that_makes_no_sense_is_refused(options: dict[str, tuple[str, ...]], project: Path) -> None:
    with pytest.raises(UsageError):
        plan(project, **options)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        plan(tmp_path / "nowhere")


def test_nothing_is_written_through_a_link_that_leaves_the_project(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (project / ".claude").symlink_to(outside, target_is_directory=True)
    with pytest.raises(Obstructed, match="leads out of the project"):
        plan(project)
    assert list(outside.iterdir()) == []


def test_a_file_where_a_folder_is_needed_is_named(project: Path, tree: Callable[[], Tree]) -> None:
    (project / ".code-intel").write_text("", encoding="utf-8")
    with pytest.raises(Obstructed, match="is not a folder"):
        plan(project)


def test_a_plan_does_not_outlive_a_change_to_the_project(project: Path, tree: Callable[[], Tree]) -> None:
    made = plan(project)
    (project / ".mcp.json").write_text("{}", encoding="utf-8")
    before = tree()
    with pytest.raises(StalePlan):
        apply(made)
    assert tree() == before


@pytest.mark.sample
@pytest.mark.parametrize("earlier", [None, ("uvx", "codeintel")], ids=["install", "with another command"])
def test_a_run_that_died_anywhere_is_finished_by_the_next(
    earlier: tuple[str, ...] | None, project: Path, install: Install, tree: Callable[[], Tree], dying: Dying
) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": { }}', encoding="utf-8")
    start, writes, died = tree(), 0, True
    while died:
        if earlier:
            install(command=earlier)
        with dying(after=writes) as state:
            install()
        died, writes = state.died, writes + 1
        assert not [path for path in tree() if path.endswith(".tmp")]
        install()
        assert plan(project).changes == ()
        take_back(plan_uninstall(project))
        assert {path: data for path, data in tree().items() if path != ".mcp.json"} == {
            path: data for path, data in start.items() if path != ".mcp.json"
        }
        assert json.loads((project / ".mcp.json").read_text(encoding="utf-8")) == {"mcpServers": {}}
    assert writes > 3


def test_the_mode_of_a_merged_file_is_kept(project: Path, install: Install) -> None:
    config = project / ".mcp.json"
    config.write_text("{}\n", encoding="utf-8")
    config.chmod(0o640)
    install()
    assert config.stat().st_mode & 0o777 == 0o640
