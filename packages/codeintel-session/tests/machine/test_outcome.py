"""The outcome of a session follows from state and facts alone; `verified` needs a run of the very tree left behind."""

from dataclasses import replace
from typing import Any

import pytest

from codeintel_contract import ChecklistItem, Flags, Intent, Task, load_contract
from codeintel_session.machine.facts import Changed, Facts, VerifierFact
from codeintel_session.machine.outcome import Outcome, conclude, outcome_words, proof_of
from codeintel_session.machine.state import BaseRun, Named, Receipt
from codeintel_session.replies.reply import render_message
from codeintel_session.testing import state_at

RECEIPT = Receipt(verifier="unit.md", command="pytest", exit=0, tree="now", at="t")
FACTS = Facts(
    changes=(Changed("a.py", "modified"),),
    verifiers={"unit.md": VerifierFact("unit.md", True, fits=True), "page.md": VerifierFact("page.md", True)},
    tree="now",
)


def receipt(**update: Any) -> dict[str, Receipt]:
    return {"unit.md": RECEIPT.model_copy(update=update)}


def task_of(item: str) -> Task:
    return Task(id="T", description="rename", checklist=(ChecklistItem(item=item, status="done", evidence=()),))


def ended(facts: Facts = FACTS, failed: bool = False, **fields: Any) -> tuple[str, list[str]]:
    given: dict[str, Any] = {"receipts": {"unit.md": RECEIPT}, **fields}
    found = conclude(state_at(19, **given), failed, facts)
    return found.outcome.value, list(found.gaps)


def test_a_passed_run_of_every_fitting_verifier_on_the_tree_left_behind_is_verified() -> None:
    assert ended() == ("verified", [])


@pytest.mark.parametrize(
    ("facts", "receipt", "gap"),
    [
        ({"verifiers": {}}, {}, "no_command"),
        ({"verifiers": {"page.md": VerifierFact("page.md", True)}}, {}, "no_command"),
        ({"verifiers": {"unit.md": VerifierFact("unit.md", True, fits=True, is_reading=True)}}, {}, "no_command"),
        ({}, {"exit": 1, "unanswered": "it ended with exit code 1"}, "unanswered"),
        ({"trusted": False}, {}, "not_trusted"),
        ({"tree": "later"}, {}, "other_tree"),
        ({"base_moved": True}, {}, "other_tree"),
        ({}, {"rewritten": ("a.py",)}, "rewritten"),
        ({}, {"exit": 1}, "not_passed"),
        ({}, {"exit": 124, "timed_out": True}, "timed_out"),
        ({}, {"commands_changed": True}, "commands_changed"),
        ({}, {"in_place": "no checkout"}, "in_place"),
        ({}, {"reported": True}, "no_tests"),
        ({"verifiers": {"other.md": VerifierFact("other.md", True, fits=True)}}, {}, "not_run"),
    ],
)
def test_whatever_is_missing_makes_it_unverified_and_is_named(
    facts: dict[str, Any], receipt: dict[str, Any], gap: str
) -> None:
    run = RECEIPT.model_copy(update=receipt)
    assert ended(replace(FACTS, **facts), receipts={"unit.md": run}) == ("unverified", [gap])


def test_verification_left_out_by_a_flag_is_unverified_even_with_a_receipt() -> None:
    assert ended(flags=Flags(no_verify=True)) == ("unverified", ["left_out"])


def test_an_untrusted_project_is_never_verified_whatever_was_run() -> None:
    untrusted = replace(FACTS, trusted=False)
    for fields in ({}, {"forced_completion": True}, {"flags": Flags(only_verify=True)}):
        assert ended(untrusted, **fields)[0] != "verified"


@pytest.mark.parametrize("changes", [(), (Changed("mine.txt", "modified", preexisting=True),)])
def test_without_a_change_of_its_own_nothing_was_done(changes: tuple[Changed, ...]) -> None:
    assert ended(replace(FACTS, changes=changes)) == ("nothing_done", ["no_change"])


def test_with_every_item_skipped_nothing_was_done() -> None:
    skipped = ChecklistItem(item="x", status="skipped", reason="not needed any more")
    done = ChecklistItem(item="y", status="done", evidence=("a.py:1",))
    assert ended(tasks=(Task(id="t", description="d", checklist=(skipped,)),))[0] == "nothing_done"
    assert ended(tasks=(Task(id="t", description="d", checklist=(skipped, done)),))[0] == "verified"


def test_a_forced_completion_is_forced_though_the_tests_pass() -> None:
    assert ended(forced_completion=True) == ("forced", [])
    assert ended(replace(FACTS, trusted=False), forced_completion=True) == ("forced", ["not_trusted"])


def test_a_check_alone_is_verified_failed_or_unverified_and_needs_no_change() -> None:
    alone = Flags(only_verify=True)
    clean = replace(FACTS, changes=())
    assert ended(clean, flags=alone) == ("verified", [])
    assert ended(clean, failed=True, flags=alone) == ("failed", [])
    assert ended(replace(clean, verifiers={}), flags=alone) == ("unverified", ["no_command"])


def test_an_investigation_is_answered() -> None:
    assert ended(intent=Intent.QUESTION) == ("answered", [])


@pytest.mark.parametrize("outcome", list(Outcome))
def test_the_first_word_of_every_ending_is_the_outcome(outcome: Outcome) -> None:
    state = state_at(19, outcome=outcome.value, chosen_by={"fast": "agent", "no_doc": "user", "no_quality": "unknown"})
    said = [render_message(load_contract(None), say) for say in proof_of(state)]
    assert said[0].startswith(f"{outcome.value}: ")
    assert [("no_doc" in text, text.endswith(": fast."), text.endswith(": no_quality.")) for text in said[-2:]] == [
        (False, True, False),
        (False, False, True),
    ]


def test_of_a_session_that_still_runs_only_what_was_chosen_is_said() -> None:
    state = state_at(19, chosen_by={"fast": "agent"}, left_out="and keep the old names", options_left="-q")
    said = [say.key for say in proof_of(state)]
    assert said == ["endings.chosen.agent", "endings.chosen.part", "endings.chosen.options"]


@pytest.mark.parametrize(
    ("facts", "fields", "notes"),
    [
        ({}, {"query_from": "user"}, {}),
        ({}, {}, {"as_given": ""}),
        ({"changes": (Changed("a.md", "modified"), Changed("b.py", "modified"))}, {"query_from": "user"}, {}),
        ({"changes": (Changed("CMakeLists.txt", "modified"),)}, {"query_from": "user"}, {}),
        (
            {"changes": (Changed("a.md", "modified"), Changed("tests/test_a.py", "added"))},
            {"query_from": "user"},
            {"no_code": "a.md, tests/test_a.py"},
        ),
        *(
            (
                {"changes": (Changed("a.py", "modified"), Changed("tests/test_a.py", "added"))},
                {"query_from": "user", "receipts": receipt(commented=commented)},
                notes,
            )
            for commented, notes in (((), {}), (("a.py",), {"no_code": "a.py, tests/test_a.py"}))
        ),
        ({"changes": ()}, {"query_from": "agent", "flags": Flags(only_verify=True)}, {"only_verified": ""}),
        ({}, {"query_from": "user", "receipts": receipt(red_before=False)}, {"green_before": ""}),
        ({}, {"query_from": "user", "dirty_at_start": {"a.py": "1", "b.py": "2"}}, {"user_work_gone": "b.py"}),
        ({"in_base": True}, {"query_from": "user", "dirty_at_start": {"b.py": "2"}}, {}),
        (
            {"changes": tuple(Changed(path, "modified") for path in ("b.py", "c.py", "d.py", "e.json", "NEWS.md"))},
            {
                "query_from": "user",
                "query": "Change c",
                "tasks": (
                    Task(
                        id="T",
                        description="b.py",
                        checklist=(ChecklistItem(item="do it", status="done", evidence=("d.py:3",)),),
                    ),
                ),
            },
            {"beside": "e.json"},
        ),
        *(
            (
                {"changes": tuple(Changed(path, "modified") for path in ("src/locales/en.json", "data/de.json"))},
                {"query_from": "user", "query": "Rename them", "tasks": (task_of(item),)},
                {"beside": named} if named else {},
            )
            for item, named in {
                "the files in src/locales, and those of data/": "",
                "all of `src/locales/*`; the data folder": "",
                "src/locales and data": "data/de.json",
                "src/locales/fr.json": "src/locales/en.json, data/de.json",
                "src/locales.py and data/fr.json": "src/locales/en.json, data/de.json",
            }.items()
        ),
        ({"foreign": ("1a2b3c Tidy",)}, {"query_from": "user"}, {"foreign_commits": "1a2b3c Tidy"}),
        ({"settings_unseen": ("a.md",)}, {"query_from": "user"}, {"settings_unseen": "a.md"}),
        ({}, {"query_from": "user", "commits_before": ("1a2b Slip it in",)}, {"commits_before": '"1a2b Slip it in"'}),
        ({}, {"query_from": "user", "accepted_tree": "now"}, {"accepted": ""}),
        ({}, {"query_from": "user", "accepted_tree": "another"}, {}),
        ({}, {"query_from": "user", "requests_left": ("Paint it",)}, {"requests_left": "Paint it"}),
        ({}, {"query_from": "user", "changes_before": ("a b.py",)}, {"changes_before": "a b.py"}),
        ({}, {"query_from": "user", "base": "b", "asked_on": "main", "commits": ("1a2b",)}, {"other_branch": "main"}),
        ({}, {"query_from": "user", "base": "b", "asked_on": "b", "commits": ("1a2b",)}, {}),
        ({"said_since": ("do not merge",)}, {"query_from": "user"}, {"said_since": "do not merge"}),
        (
            {},
            {
                "query_from": "user",
                "receipts": {"unit.md": RECEIPT.model_copy(update={"suggestions": ("a.py:3: f(0) raises.",)})},
            },
            {"suggested": "a.py:3"},
        ),
    ],
)
def test_what_the_outcome_does_not_say_stands_beside_it(
    facts: dict[str, Any], fields: dict[str, Any], notes: dict[str, str]
) -> None:
    found = conclude(state_at(19, **{"receipts": {"unit.md": RECEIPT}} | fields), False, replace(FACTS, **facts))
    told = {code: text for code, text in found.notes.items() if code != "no_reader"}
    assert (found.outcome, told) == ("verified", notes)
    said = [say.key for say in proof_of(state_at(19, outcome="verified", notes=found.notes))]
    assert said[1:] == [f"endings.notes.{code}" for code in found.notes]


READ = RECEIPT.model_copy(update={"is_reading": True})


@pytest.mark.parametrize(
    ("fields", "is_told"),
    [
        ({}, True),
        ({"receipts": {"unit.md": RECEIPT, "reader.md": READ}}, False),
        ({"receipts": {"unit.md": RECEIPT, "reader.md": READ.model_copy(update={"tree": "an earlier one"})}}, True),
        ({"receipts": {}}, False),
        ({"flags": Flags(only_verify=True)}, False),
    ],
)
def test_a_verified_change_that_no_reader_compared_with_the_request_is_called_so(
    fields: dict[str, Any], is_told: bool
) -> None:
    found = conclude(state_at(19, **{"receipts": {"unit.md": RECEIPT}} | fields), False, FACTS)
    assert (found.outcome, "no_reader" in found.notes) == (
        "verified" if fields.get("receipts", 1) else "unverified",
        is_told,
    )


def test_what_a_reader_found_and_tests_that_do_not_count_are_doubts_beside_the_outcome() -> None:
    places = {"unrun": Named(names=("a.rs: b",), count=1), "unheard": Named(names=("a.py:3 test_a",), count=1)}
    places["indifferent"] = Named(names=("a.py:4 test_a",), count=1)
    read = ('a.py:3: f(0) raises (asked: "every number").',)
    state = state_at(
        19, receipts=receipt(red_before=False, runner_dependent=("a.py: test_a",), findings=read, **places)
    )
    found = conclude(state, False, FACTS)
    doubts = {"findings": read, "unrun": ("a.rs: b",), "unheard": ("a.py:3 test_a",), "indifferent": ("a.py:4 test_a",)}
    doubts["runner_dependent"] = ("a.py: test_a",)
    assert (found.outcome, found.doubts) == ("verified", doubts)
    said = proof_of(state.model_copy(update={"outcome": "verified", "doubts": doubts}))
    assert said[0].values["outcome"] == "verified, with doubts (5)"
    assert [say.key for say in said[1:6]] == [f"endings.doubts.{code}" for code in doubts]
    assert outcome_words("unverified", doubts) == "unverified"
    assert conclude(state, False, replace(FACTS, tree="another")).doubts == {}


@pytest.mark.parametrize(
    ("evidence", "changes", "undone"),
    [
        (("docs/a.md:1-3", "docs/b.md:0"), (Changed("a.py", "modified"),), ("docs/a.md:1-3, docs/b.md:0",)),
        (("docs/a.md:1-3",), (Changed("docs/a.md", "modified", undone=True),), ("docs/a.md:1-3",)),
        (("docs/a.md:1-3", "a.py:4"), (Changed("a.py", "modified"),), ()),
        (("docs/a.md:0",), (Changed("docs/b.md", "renamed", old_path="docs/a.md"),), ()),
        ((), (Changed("a.py", "modified"),), ()),
    ],
)
def test_what_was_shown_and_is_in_no_change_any_more_is_a_doubt(
    evidence: tuple[str, ...], changes: tuple[Changed, ...], undone: tuple[str, ...]
) -> None:
    item = ChecklistItem(item="the README names it", status="done", evidence=evidence)
    state = state_at(19, receipts=receipt(), tasks=(Task(id="T", description="d", checklist=(item,)),))
    found = conclude(state, False, replace(FACTS, changes=changes))
    assert found.doubts.get("undone", ()) == undone
    assert conclude(state, False, replace(FACTS, changes=changes, in_base=True)).doubts == {}


def test_a_reader_takes_nothing_from_what_the_runs_show() -> None:
    reader = {"read.md": RECEIPT.model_copy(update={"verifier": "read.md", "is_reading": True})}
    state = state_at(19, receipts=receipt(red_before=False) | reader)
    verifiers = {**FACTS.verifiers, "read.md": VerifierFact("read.md", True, fits=True, is_reading=True)}
    found = conclude(state, False, replace(FACTS, verifiers=verifiers))
    assert (found.outcome, list(found.notes)) == ("verified", ["green_before", "as_given"])


def test_a_verified_suite_that_was_red_before_is_named_and_not_called_passed() -> None:
    was_red = RECEIPT.model_copy(
        update={"exit": 1, "red": Named(names=("a::b",), count=1), "base": BaseRun(state="ran", exit=1)}
    )
    assert ended(receipts={"unit.md": was_red}) == ("verified", [])
    said = proof_of(state_at(19, outcome="verified", receipts={"unit.md": was_red}))[0]
    text = render_message(load_contract(None), said)
    assert text.startswith("verified: ")
    assert ("unit.md" in text, "passed" in text) == (True, False)


@pytest.mark.parametrize(
    ("late", "gaps", "ending"),
    [
        ({}, ["unanswered"], "unverified_unread"),
        ({"timed_out": True, "exit": -9}, ["unanswered"], "unverified_unread"),
        ({"tree": "another"}, ["unanswered", "other_tree"], "unverified_unread"),
        (None, ["not_run"], "unverified"),
    ],
)
def test_where_only_the_reader_gave_no_answer_the_tests_are_not_doubted(
    late: dict[str, Any] | None, gaps: list[str], ending: str
) -> None:
    reader = RECEIPT.model_copy(
        update={"verifier": "read.md", "is_reading": True, "unanswered": "no answer", **(late or {})}
    )
    receipts = {"unit.md": RECEIPT} | ({"read.md": reader} if late is not None else {})
    verifiers = {**FACTS.verifiers, "read.md": VerifierFact("read.md", True, fits=True, is_reading=True)}
    found = conclude(state_at(19, receipts=receipts), False, replace(FACTS, verifiers=verifiers))
    assert (found.outcome, list(found.gaps)) == ("unverified", gaps)
    state = state_at(19, receipts=receipts, outcome="unverified", gaps=found.gaps)
    said = [render_message(load_contract(None), say) for say in proof_of(state)]
    assert proof_of(state)[0].key == f"endings.ends.{ending}"
    assert ("unit.md passed" in said[0]) is (ending != "unverified")
    assert proof_of(state.model_copy(update={"gaps": {}}))[0].key == "endings.ends.unverified"
    failed = {**receipts, "unit.md": RECEIPT.model_copy(update={"exit": 1})}
    unsure = state_at(19, receipts=failed, outcome="unverified", gaps={**found.gaps, "not_passed": "unit.md"})
    assert proof_of(unsure)[0].key == "endings.ends.unverified"
