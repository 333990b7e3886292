"""Rules of the house that no linter knows: one place for words, one for the flow, one broad except."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from codeintel_contract.loader import load_contract
from codeintel_contract.names import TOOL_NAMES, Key
from codeintel_contract.payloads import PAYLOADS

pytestmark = pytest.mark.draws(18)

ROOT = Path(__file__).parents[1]
SOURCES = sorted(ROOT.glob("packages/*/src/**/*.py"))
SECTIONS = (
    "common_failures",
    "failures",
    "success",
    "endings",
    "tool_errors",
    "session_messages",
    "hints",
    "query_frame_hints",
    "warnings",
)
KEY = re.compile(rf"({'|'.join(SECTIONS)})(\.[\w*]+)+")
KEPT_CODES = """
payload_mismatch unknown_phase branch_operation_failed branch_creation_failed phase_mismatch no_tasks unknown_task
already_completed wrong_order incomplete_tasks missing_commit_message branch_manager_not_found review_failed
finalize_failed commit_execution_failed quality_forced_completion quality_review_required merge_failed user_escalation
escalation_count phase_blocked task_branch_not_enabled write_blocked write_phase_blocked no_files validation_error
no_pattern no_symbol no_file_path chromadb_not_available unknown_tool semantic_search_failed branch_setup_failed
branch_setup_exception invalid_flags session_active unseen_files unobserved_tools checklist_required
checklist_evidence_unchanged checklist_evidence_reused unexplored_changes verification_receipt_missing
verification_receipt_stale verification_receipt_failed path_outside_project no_git_repository index_unavailable
tool_timeout untrusted_project
"""


def texts_of(node: ast.AST) -> Iterator[str]:
    """String literals below a node; what an f-string fills in at run time reads as `*`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
        return
    for child in ast.iter_child_nodes(node):
        yield from texts_of(child)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def literals() -> set[str]:
    return {text for path in SOURCES for text in texts_of(tree_of(path))}


def test_every_key_that_is_raised_has_its_words(literals: set[str]) -> None:
    messages = load_contract(None).messages
    raised = {text for text in literals if KEY.fullmatch(text)}
    missing = [key for key in raised if not any(re.fullmatch(key.replace("*", r"\w+"), name) for name in messages)]
    assert missing == []


def test_every_message_is_raised_somewhere(literals: set[str]) -> None:
    """A key put together at run time counts if the part filled in stands somewhere as a literal of its own."""
    patterns = [re.escape(text).replace(r"\*", r"(\w+)") for text in literals if KEY.fullmatch(text)]

    def is_raised(name: str) -> bool:
        found = (re.fullmatch(pattern, name) for pattern in patterns)
        return any(match and all(part in literals for part in match.groups()) for match in found)

    silent = [name for name in load_contract(None).messages if not is_raised(name)]
    assert silent == []


def test_the_codes_clients_know_keep_their_names() -> None:
    codes = {message.error for message in load_contract(None).messages.values()}
    assert sorted(set(KEPT_CODES.split()) - codes) == []


@pytest.mark.parametrize("key", list(Key))
def test_payload_models_and_expected_payloads_name_the_same_fields(key: Key) -> None:
    fields = PAYLOADS[key].model_fields
    shape = load_contract(None).validator(key).fields
    assert {name: field.is_required() for name, field in fields.items()} == {
        name: required and name != "tools_used" for name, required in shape.items()
    }


def test_instructions_name_only_tools_that_exist() -> None:
    contract = load_contract(None)
    for entry in contract.phases.values():
        assert set(entry.required_tools) | set(entry.recommended_tools) <= TOOL_NAMES


def test_only_the_boundary_swallows_everything() -> None:
    """A broad `except` elsewhere must raise again."""

    def swallows(handler: ast.ExceptHandler) -> bool:
        names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)} if handler.type else {""}
        broad = names & {"", "Exception", "BaseException"}
        return bool(broad) and not any(isinstance(node, ast.Raise) for node in ast.walk(handler))

    found = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        if any(isinstance(node, ast.ExceptHandler) and swallows(node) for node in ast.walk(tree_of(path)))
    }
    boundaries = {"mcp/dispatch.py", "guard/main.py"}  # of the server, and of the hook, which is a process of its own
    assert found == {f"packages/codeintel-server/src/codeintel_server/{name}" for name in boundaries}


OPENERS = {
    "codeintel_contract/project_file.py": "the one place",
    "codeintel_index/project_file.py": "the one place",
    "codeintel_contract/face.py": "our own package",
    "codeintel_index/face.py": "our own package",
    "codeintel_contract/loader.py": "our own package",
    "codeintel_templates/texts.py": "our own package",
    "codeintel_server/report/words.py": "our own package",
    "codeintel_index/syntax/tree.py": "our own package",
    "codeintel_index/store/schema.py": "our own package",
    "codeintel_index/embedding/static.py": "our own package",
    "codeintel_index/embedding/pretrained.py": "a model that the user named",
    "codeintel_index/evaluate/questions.py": "a file that the user named",
    "codeintel_server/guard/main.py": "our own package",
    "codeintel_server/guard/gate.py": "a hook without imports: the gate file, and a log that it appends to",
    "codeintel_server/verification/trust.py": "the user's state folder",
    "codeintel_server/verification/runner.py": "the temporary file that is a command's input",
    "codeintel_server/verification/reading.py": "our own package",
    "codeintel_server/transport/http_auth.py": "the user's state folder",
    "codeintel_session/storage/seal.py": "the user's state folder",
    "codeintel_session/storage/atomic.py": "a folder, to flush it",
    "codeintel_server/cli/report.py": "a browser",
    "codeintel_server/cli/verify.py": "a checkout for runs",
    "codeintel_server/project/installation.py": "the record of our own installation",
    "codeintel_session/storage/ignored_files.py": "copies in the server's folder, which are not flushed one by one",
    "codeintel_session/audit/logs.py": "a log that it appends to",
    "codeintel_index/mcp/stdio.py": "the null device",
    "codeintel_server/guard/prompts.py": "the user's state folder",
    "codeintel_server/guard/searches.py": "a hook without imports: a regular file, and only its beginning",
    "codeintel_server/verification/base_results.py": "the user's state folder",
    "codeintel_server/verification/environment.py": "an environment that the verifier names",
    "codeintel_server/verification/redirect/sitecustomize.py": "a process of the tests, without imports",
    "codeintel_server/verification/redirect/bare.py": "a process of the tests, without imports",
    "codeintel_server/verification/redirect/codeintel_values.py": "a process of the tests, without imports",
    "codeintel_server/verification/bare_runs.py": "the folder of the runs",
    "codeintel_server/verification/indifferent.py": "the folder of the runs",
    "codeintel_server/demo/change.py": "a clone of the demonstration's own",
    "codeintel_server/demo/stage.py": "a clone of the demonstration's own",
}
"""Modules that open files themselves, and why what they open is no file of a project that nobody vetted."""


def opens_files(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    of = getattr(node.func, "value", None)
    is_path = (
        name == "open" and getattr(of, "id", "") not in ("Index", "cls", "self") and getattr(of, "attr", "") != "runs"
    )
    return name in ("read_text", "read_bytes") or is_path


def test_files_of_a_project_are_opened_in_one_place() -> None:
    shipped = [path for path in SOURCES if "testing" not in path.parts and path.name != "testing.py"]
    found = {
        path.relative_to(ROOT).as_posix().partition("/src/")[2]
        for path in shipped
        if any(opens_files(node) for node in ast.walk(tree_of(path)))
    }
    assert found == set(OPENERS)


def test_only_the_table_assigns_phases() -> None:
    shipped = [path for path in SOURCES if "testing" not in path.parts]
    assigning = {path.name for path in shipped if "PhaseState(" in path.read_text(encoding="utf-8")}
    assert assigning == {"state.py", "decide.py", "session_start.py"}


def test_files_stay_readable() -> None:
    long = [path.relative_to(ROOT).as_posix() for path in SOURCES if len(path.read_text("utf-8").splitlines()) > 450]
    assert long == []


def test_following_a_submission_takes_at_most_thirty_files_and_they_exist() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| (\d+) \| `codeintel_(\w+?)(/[^`]+)`", page, re.MULTILINE)
    assert [int(number) for number, _, _ in named] == list(range(1, len(named) + 1))
    assert 20 < len(named) <= 30
    places = [ROOT / f"packages/codeintel-{package}/src/codeintel_{package}{name}" for _, package, name in named]
    assert [place for place in places if not place.exists()] == []


@pytest.mark.parametrize("package", ["contract", "index", "index.mcp", "session", "templates"])
def test_a_public_face_names_the_same_for_type_checkers_and_at_run_time(package: str) -> None:
    face = import_module(f"codeintel_{package}")
    tree = tree_of(Path(str(face.__file__)))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.col_offset]
    assert {alias.asname for node in imports for alias in node.names} == set(face.__all__)
    assert [name for name in face.__all__ if not hasattr(face, name)] == []


def test_the_index_which_needs_no_sibling_loads_its_faces_by_the_same_text() -> None:
    texts = {
        (ROOT / f"packages/codeintel-{one}/src/codeintel_{one}/face.py").read_bytes() for one in ("contract", "index")
    }
    assert len(texts) == 1
