"""Upgrading is a three-way decision: ours then, ours now, and what the user made of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_templates import manifest, texts
from codeintel_templates.copy import Kind, Plan, apply, plan_uninstall, plan_upgrade, take_back
from codeintel_templates.errors import BrokenFile, Obstructed, UsageError

pytestmark = pytest.mark.draws(6)

Install = Callable[..., Plan]
Kinds = Callable[[Plan], dict[str, str]]

PLANNING = ".code-intel/task_planning.md"


@pytest.fixture
def new_version(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Make every template say something new, as a later version would."""
    read = texts.read_template

    def run() -> None:
        monkeypatch.setattr(texts, "read_template", lambda name: read(name) + "\nnew in this version\n")

    return run


def test_without_a_new_version_there_is_nothing_to_do(project: Path, install: Install) -> None:
    install()
    (project / PLANNING).write_text("mine\n", encoding="utf-8")
    assert plan_upgrade(project).changes == ()


def test_an_unchanged_file_is_replaced(project: Path, install: Install, new_version: Callable[[], None]) -> None:
    install()
    new_version()
    apply(plan_upgrade(project))
    assert (project / PLANNING).read_text(encoding="utf-8").endswith("new in this version\n")
    assert plan_upgrade(project).changes == ()


def test_a_changed_file_is_kept_and_the_new_version_put_beside_it_once(
    project: Path, install: Install, new_version: Callable[[], None], kinds: Kinds
) -> None:
    install()
    (project / PLANNING).write_text("mine\n", encoding="utf-8")
    new_version()
    report = apply(plan_upgrade(project))
    beside = project / f"{PLANNING}.new"
    assert kinds(report)[PLANNING] == "conflict"
    assert [action.beside for action in report.actions if action.kind is Kind.CONFLICT] == [f"{PLANNING}.new"]
    assert (project / PLANNING).read_text(encoding="utf-8") == "mine\n"
    assert beside.read_text(encoding="utf-8").endswith("new in this version\n")
    beside.unlink()  # the user has merged it by hand
    assert plan_upgrade(project).changes == ()


def test_a_starting_point_the_user_changed_is_left_alone(
    project: Path, install: Install, new_version: Callable[[], None], kinds: Kinds
) -> None:
    install()
    (project / ".code-intel/config.json").write_text('{"version": "1.0"}\n', encoding="utf-8")
    new_version()
    assert kinds(apply(plan_upgrade(project)))[".code-intel/config.json"] == "keep"


def test_what_the_user_removed_stays_away(project: Path, install: Install, new_version: Callable[[], None]) -> None:
    install()
    (project / ".code-intel/verifiers/html_css.md").unlink()
    (project / ".mcp.json").write_text("{}\n", encoding="utf-8")
    new_version()
    apply(plan_upgrade(project))
    assert not (project / ".code-intel/verifiers/html_css.md").exists()
    assert (project / ".mcp.json").read_text(encoding="utf-8") == "{}\n"


def test_components_left_out_at_install_stay_out(project: Path, install: Install) -> None:
    install(exclude=("interventions",))
    apply(plan_upgrade(project))
    assert not (project / ".code-intel/interventions").exists()


def test_the_recorded_command_is_kept_unless_a_new_one_is_given(project: Path, install: Install) -> None:
    install(command=("uvx", "codeintel"))
    assert plan_upgrade(project).changes == ()
    apply(plan_upgrade(project, command=("codeintel",)))
    entry = json.loads((project / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["code-intel"]
    assert entry["command"] == "codeintel"


def test_a_file_checked_out_with_crlf_counts_as_unchanged(
    project: Path, install: Install, new_version: Callable[[], None], kinds: Kinds
) -> None:
    install()
    path = project / PLANNING
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert plan_upgrade(project).changes == ()
    new_version()
    assert kinds(apply(plan_upgrade(project)))[PLANNING] == "update"


def test_a_project_with_nothing_installed_says_so(project: Path) -> None:
    with pytest.raises(UsageError, match="nothing is installed"):
        plan_upgrade(project)


@pytest.mark.parametrize(
    ("text", "line"), [('{\n  "clients": [\n', 3), ('{"version": 2}', 1), ('{"files": {"x": 1}}', 1), ("[]", 1)]
)
def test_a_record_that_cannot_be_read_is_refused(text: str, line: int, project: Path, install: Install) -> None:
    install()
    (project / manifest.RECORD).write_text(text, encoding="utf-8")
    with pytest.raises(BrokenFile) as caught:
        plan_upgrade(project)
    assert (caught.value.path, caught.value.line) == (Path(manifest.RECORD), line)


def test_a_record_cannot_make_us_touch_a_file_outside(project: Path, install: Install) -> None:
    install()
    victim = project.parent / "victim.txt"
    victim.write_text("x", encoding="utf-8")
    path = project / manifest.RECORD
    record = json.loads(path.read_text(encoding="utf-8"))
    record["files"]["../victim.txt"] = {"mode": "own", "digest": "0"}
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(Obstructed):
        take_back(plan_uninstall(project))
    assert victim.exists()
    victim.unlink()
