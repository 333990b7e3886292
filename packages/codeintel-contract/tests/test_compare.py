"""A project's type of a field against the default's: what can no longer be sent, what the server cannot use."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from codeintel_contract.grammar import parse
from codeintel_contract.lint import Finding, lint_contract, losses
from codeintel_contract.loader import load_contract
from codeintel_contract.names import Key

TASK = "list[{id: str, status?: str: 'a' | 'b', checklist: list[{item: str, evidence?: str}]}]"
FILES = "list[str | {path: str, reason?: str}]"
TYPES = [kind.type for key in Key for kind in load_contract(None).validator(key).types.values()]


def compared(default: str, own: str) -> list[tuple[str, bool]]:
    return list(losses("f", parse(default).type, parse(own).type))


@given(st.sampled_from(TYPES))
def test_a_type_lacks_nothing_of_itself(node: object) -> None:
    assert list(losses("f", node, node)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("default", "own"),
    [
        ("{a: str, b?: str}", "{b: str, a, c: int}"),
        ("{a: str}", "dict"),
        ("dict", "{a: str}"),
        ("{a: {b: str}}", "{a}"),
        ("{a}", "{a: int}"),
        ("{a: str}", "{x: int} | {a: str}"),
        ("{a: str}", "{x: int} | dict"),
        ("str: 'a' | 'b'", "str: 'b'"),
        ("str: 'a' | 'b'", "str"),
        ("str", "str: 'a' | 'b'"),
        (FILES, "list[str]"),
        (FILES, "list[{reason: str, path: str}]"),
        ("str", "str | int"),
    ],
)
def test_more_or_other_order_or_a_narrower_choice_is_the_projects_own_business(default: str, own: str) -> None:
    assert compared(default, own) == []


@pytest.mark.parametrize(
    ("default", "own", "problem"),
    [
        ("{a: str, b?: str}", "{a: str}", "leaves out f.b, which the agent can then not send"),
        (FILES, "list[str | {path: str}]", "leaves out f[].reason, which the agent can then not send"),
        (
            TASK,
            "list[{id, status, checklist: list[{item}]}]",
            "leaves out f[].checklist[].evidence, which the agent can then not send",
        ),
        ("{a: str, b?: str}", "{c: int} | {a: str} | {d: int}", "leaves out f.b, which the agent can then not send"),
        ("str: 'a' | 'b'", "str: 'a' | 'c' | 'd'", "offers 'c', 'd' for f, which the server refuses"),
        ("{s: str: 'a'}", "{s: str | str: 'b'}", "offers 'b' for f.s, which the server refuses"),
    ],
)
def test_what_can_no_longer_be_sent_or_will_be_refused_is_a_loss(default: str, own: str, problem: str) -> None:
    assert compared(default, own) == [(problem, False)]


@pytest.mark.parametrize(
    ("default", "own", "problem"),
    [
        ("{a: str, b?: str}", "{b: str}", "leaves out f.a, without which the server refuses every payload"),
        ("list[str]", "str", "takes str for f, but the server can only use list[str]"),
        ("list[str]", "list[int]", "takes int for f[], but the server can only use str"),
        ("str | int", "bool | list[str]", "takes bool | list[str] for f, but the server can only use str | int"),
        ("{a: {b: str}}", "{a: {b: bool}}", "takes bool for f.a.b, but the server can only use str"),
    ],
)
def test_what_leaves_no_payload_of_use_is_said_to(default: str, own: str, problem: str) -> None:
    assert compared(default, own) == [(problem, True)]


def test_every_loss_is_told() -> None:
    assert [problem for problem, _ in compared(TASK, "list[{x: str, checklist: list[{y: int}]}]")] == [
        "leaves out f[].id, without which the server refuses every payload",
        "leaves out f[].status, which the agent can then not send",
        "leaves out f[].checklist[].item, without which the server refuses every payload",
        "leaves out f[].checklist[].evidence, which the agent can then not send",
    ]


class TestInTheLinter:
    """The same in a project's file, with its line and level."""

    def test_a_member_left_out_is_found_at_the_line_of_its_field(self, tmp_path: Path) -> None:
        path = tmp_path / "phase_contract.yml"
        path.write_text(
            "phases:\n  VERIFICATION:\n    expected_payload:\n"
            "      summary: str\n      tools_used: list[str]?\n      compaction_count: int?\n"
            "      hypotheses_verified: 'list[{hypothesis: str, result: bool}]'\n",
            encoding="utf-8",
        )
        problem = "leaves out hypotheses_verified[].evidence, without which the server refuses every payload"
        key = "phases.VERIFICATION.expected_payload.hypotheses_verified"
        assert lint_contract(path) == [Finding(7, "error", key, problem)]

    def test_a_value_the_server_does_not_know_is_a_warning(self, tmp_path: Path) -> None:
        path = tmp_path / "phase_contract.yml"
        path.write_text(
            "phases:\n  BRANCH_INTERVENTION:\n    expected_payload:\n"
            "      summary: str\n      tools_used: list[str]?\n      compaction_count: int?\n"
            "      choice: \"str: 'delete' | 'stash'\"\n",
            encoding="utf-8",
        )
        key = "phases.BRANCH_INTERVENTION.expected_payload.choice"
        assert lint_contract(path) == [
            Finding(7, "warning", key, "offers 'stash' for choice, which the server refuses")
        ]
