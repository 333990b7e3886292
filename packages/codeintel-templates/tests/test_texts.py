"""The texts: they parse, name only what exists, and lead to the fields the server wants."""

import json
import re
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from codeintel_contract.flags import FLAG_NAMES, GATE_LEVELS, OPTIONS
from codeintel_contract.names import EXPLORATION_TOOLS, TOOL_NAMES, Intent, Key
from codeintel_contract.payloads import PAYLOADS
from codeintel_templates import SKILL, manifest, texts
from codeintel_templates.copy import Plan, plan_uninstall, take_back

pytestmark = pytest.mark.draws(18)

Install = Callable[..., Plan]

READER = "code-intel/verifiers/second_reader.md"
"""It has no prose: text in it would take the place of the packaged instructions."""
PROSE = [name for name in texts.template_names() if name.endswith(".md") and name != READER]
REPLY_FIELDS = {
    "may_follow",
    "discard_active",
    "expected_payload",
    "instruction",
    "query",
    "recovery_available",
    "required_tools",
    "requires_user_intervention",
    "session_active",
    "session_id",
}
TASK_FIELDS = {"id", "description", "status", "checklist", "drop_reason", "item", "evidence", "reason"}
FRONT_MATTER = {"match", "command", "timeout_s", "report"}
OTHER_WORDS = {"create_user", "red_before"}


def payload_fields(*keys: Key) -> set[str]:
    return {field for key in keys for field in PAYLOADS[key].model_fields}


def front_matter(name: str) -> dict[str, object]:
    text = texts.read_template(name)
    assert text.startswith("---\n")
    data = yaml.safe_load(text.split("\n---\n", 1)[0].removeprefix("---\n"))
    assert isinstance(data, dict)
    return data


def quoted(name: str) -> set[str]:
    """What stands in backticks, fenced blocks left out."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", texts.read_template(name), flags=re.DOTALL)))


def test_every_template_is_a_row_and_every_row_has_its_template() -> None:
    assert {row.source for row in manifest.all_rows() if row.source} == set(texts.template_names())


def test_no_template_is_ignored_by_git() -> None:
    root = Path(str(files("codeintel_templates"))) / "files"
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", *(str(root / name) for name in texts.template_names())],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == ""


def test_a_text_is_read_by_name_and_an_unknown_name_is_a_key_error() -> None:
    assert texts.read_template(SKILL).startswith("---\n")
    assert texts.template_body(SKILL).startswith("# /code\n")
    assert texts.template_body("code-intel/task_planning.md") == texts.read_template("code-intel/task_planning.md")
    for name in ("../errors.py", "code", "/etc/passwd"):
        with pytest.raises(KeyError):
            texts.read_template(name)


def test_config_json_has_the_keys_and_defaults_of_the_specification() -> None:
    config = json.loads(texts.read_template("code-intel/config.json"))
    patterns = config.pop("exclude_patterns")
    assert config == {
        "$schema": "./schemas/config.schema.json",
        "version": "1.0",
        "embedding_model": "default",
        "source_dirs": [],
        "chunk_strategy": "ast",
        "chunk_max_tokens": 512,
        "sync_ttl_hours": 1,
        "sync_on_start": True,
    }
    assert "**/node_modules/**" in patterns
    assert not [pattern for pattern in patterns if "build" in pattern]


def test_context_yml_has_the_keys_and_defaults_of_the_specification() -> None:
    context = yaml.safe_load(texts.read_template("code-intel/context.yml"))
    search = context.pop("document_search")
    assert context == {
        "project_rules": {"source": "CLAUDE.md", "summary": "", "content_hash": ""},
        "doc_research": {"enabled": True, "docs_path": ["docs/"], "default_prompts": ["default.md"]},
        "last_synced": None,
    }
    assert search["include_patterns"] == ["**/*.{md,mdx,markdown,rst,rdoc,pod,adoc}"]
    assert set(search) == {"include_patterns", "exclude_patterns"}


def test_the_installed_contract_is_the_packaged_one(project: Path, install: Install) -> None:
    install()
    packaged = files("codeintel_contract").joinpath("phase_contract.yml").read_bytes()
    assert (project / ".code-intel/phase_contract.yml").read_bytes() == packaged


@pytest.mark.parametrize("name", [name for name in PROSE if "verifiers/" in name])
def test_a_default_verifier_matches_files_and_runs_nothing(name: str) -> None:
    data = front_matter(name)
    assert {"match", "report"} <= set(data) <= FRONT_MATTER
    assert (data["report"], data.get("command", "")) == ("none", "")
    assert data["match"]


def test_the_documented_way_to_add_a_command_to_a_verifier_parses() -> None:
    text = texts.read_template("code-intel/verifiers/backend.md").replace("# command:", "command:")
    data = yaml.safe_load(text.replace("# timeout_s:", "timeout_s:").split("---")[1])
    assert set(data) == FRONT_MATTER
    assert isinstance(data["timeout_s"], int)


@pytest.mark.parametrize("name", [*PROSE, "code-intel/context.yml"])
def test_every_file_of_ours_a_text_names_is_installed(name: str, project: Path, install: Install) -> None:
    install()
    there = [path.relative_to(project).as_posix() for path in project.rglob("*")]
    ours = {Path(row.destination).name for row in manifest.all_rows()}
    named = set(re.findall(r"\.code-intel/[\w./-]*\w", texts.read_template(name)))
    named |= {word for word in quoted(name) if re.fullmatch(r"[a-z_]+\.(md|yml)", word)}
    for path in named:
        assert any(item == path or item.endswith(f"/{path}") for item in there) or path in ours, path


def test_every_file_the_contract_sends_an_agent_to_is_installed(project: Path, install: Install) -> None:
    install()
    contract = yaml.safe_load(texts.phase_contract())
    named = [path for phase in contract["phases"].values() for path in phase.get("resources", [])]
    assert named
    assert [path for path in named if not (project / path).exists()] == []


@pytest.mark.parametrize("name", PROSE)
def test_every_tool_and_field_a_text_names_exists(name: str) -> None:
    known = TOOL_NAMES | payload_fields(*Key) | REPLY_FIELDS | TASK_FIELDS | FRONT_MATTER | OTHER_WORDS
    for word in quoted(name):
        called = re.match(r"([a-z_]+)\(", word)
        if called:
            assert called[1] in TOOL_NAMES, word
        elif re.fullmatch(r"[a-z]+(_[a-z]+)+", word):
            assert word in known, word


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("task_planning.md", Key.READY_PLAN),
        ("user_escalation.md", Key.VERIFY_INTERVENTION),
        ("verifiers/backend.md", Key.POST_IMPL_VERIFY),
        ("verifiers/html_css.md", Key.POST_IMPL_VERIFY),
        ("verifiers/generic.md", Key.POST_IMPL_VERIFY),
        ("doc_research/default.md", Key.DOCUMENT_RESEARCH),
        ("review_prompts/garbage_detection.md", Key.PRE_COMMIT),
        ("review_prompts/quality_review.md", Key.QUALITY_REVIEW),
        ("interventions/structure_review.md", Key.VERIFY_INTERVENTION),
        ("interventions/hypothesis_review.md", Key.VERIFY_INTERVENTION),
        ("interventions/step_back.md", Key.VERIFY_INTERVENTION),
    ],
)
def test_a_prompt_leads_to_each_field_its_phase_wants(name: str, key: Key) -> None:
    common = {"summary", "tools_used", "compaction_count"}
    assert payload_fields(key) - common <= quoted(f"code-intel/{name}")


@pytest.mark.parametrize("name", [n for n in PROSE if re.search("verifiers/|review|intervent|escalation", n)])
def test_a_prompt_hands_in_its_own_name(name: str) -> None:
    assert {Path(name).name, f".code-intel/{Path(name).name}"} & quoted(name)


def test_the_plan_shown_as_an_example_is_one_the_server_would_take() -> None:
    block = re.search(r"```json\n(.*?)```", texts.read_template("code-intel/task_planning.md"), re.DOTALL)
    assert block
    assert PAYLOADS[Key.READY_PLAN].model_validate(json.loads(block[1])).told() == "t1: Round invoice totals half up"


class TestSkill:
    def test_it_is_short(self) -> None:
        text = texts.read_template(SKILL)
        assert len(text.splitlines()) <= 120
        assert len(text) / 4 <= 1300

    def test_its_front_matter_names_it(self) -> None:
        data = front_matter(SKILL)
        assert data["name"] == "code"
        assert isinstance(data["description"], str)
        assert len(data["description"]) <= 1024

    def test_its_options_are_those_of_the_contract(self) -> None:
        rows = [line for line in texts.read_template(SKILL).splitlines() if line.startswith("| `--")]
        shown = {
            word.partition("=")[0] for row in rows for word in re.findall(r"`(-[^`]+)`", "|".join(row.split("|")[1:3]))
        }
        assert shown == {spelling for option in OPTIONS for spelling in (option.long, option.short) if spelling}

    def test_long_and_short_form_stand_in_the_same_row(self) -> None:
        rows = [line for line in texts.read_template(SKILL).splitlines() if line.startswith("| `--")]
        for option in OPTIONS:
            row = next(row for row in rows if re.search(rf"`{option.long}[`=]", row))
            assert not option.short or re.search(rf"`{option.short}[`=]", row)
            assert bool(option.value) == (f"{option.long}=" in row)

    def test_options_that_are_no_flags_are_shown_with_the_tool_to_call(self) -> None:
        flags, others = texts.read_template(SKILL).split("Three options are not flags")
        for option in OPTIONS:
            part = others if option.instead else flags
            assert f"`{option.long}" in part
            assert option.instead.partition("(")[0] in part

    def test_it_names_every_gate_level_and_intent(self) -> None:
        assert set(GATE_LEVELS) <= quoted(SKILL)
        assert all(f"| {intent} |" in texts.read_template(SKILL) for intent in Intent)

    def test_it_leaves_flag_names_and_most_tools_to_the_server(self) -> None:
        assert not set(FLAG_NAMES) & quoted(SKILL)
        assert EXPLORATION_TOOLS & quoted(SKILL) <= {"search_text", "query", "read_lines"}


def test_no_text_names_a_path_of_a_machine() -> None:
    for name in texts.template_names():
        assert not re.search(r"/(home|Users|work|tmp|usr)/", texts.read_template(name)), name


def test_reading_a_text_needs_no_installation(project: Path) -> None:
    assert take_back(plan_uninstall(project)).changes == ()
    assert "submit_phase" in texts.read_template(SKILL)
