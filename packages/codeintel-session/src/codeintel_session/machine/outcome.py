"""Derive how a session ended from its state and the facts of its last submission: what is proved, and what is not.

`verified` means that every verifier with a command that fits the changes passed in the server's own run of the tree
that the session leaves behind. Everything else has a name of its own, with the reasons beside it. Doubts are what shows
that a run proves less than it says: they never refuse, and follow `verified` in the same breath.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath

from codeintel_contract import Key, Task
from codeintel_session.machine.checklist import files_shown
from codeintel_session.machine.facts import STAGED, Facts
from codeintel_session.machine.naming import is_prose, names_of
from codeintel_session.machine.receipts import assess_receipt
from codeintel_session.machine.state import Receipt, SessionState
from codeintel_session.machine.steps import active_tags, applies
from codeintel_session.machine.test_files import goes_with_tests
from codeintel_session.machine.user_words import Who
from codeintel_session.machine.verdict import MessageRef


class Outcome(StrEnum):
    """How a session ended. The last two are given by whoever puts it away before its end."""

    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    NOTHING_DONE = "nothing_done"
    FORCED = "forced"
    FAILED = "failed"
    ANSWERED = "answered"
    ABANDONED = "abandoned"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """An outcome, and by code what keeps the work from being proved; a value names the verifiers or the flag.

    `doubts` names, by code, what a reader of the change found, and tests and assertions that do not count. `notes` is
    what the outcome does not say: that nothing or no code was changed, that the tests pass without the change,
    that work of the user is gone, what they said later, and that no prompt is known.
    """

    outcome: Outcome
    gaps: dict[str, str] = field(default_factory=dict)
    doubts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


NO_READER = {"no_reader": ""}


def conclude(state: SessionState, failed: bool, facts: Facts) -> Conclusion:
    """Return the outcome of a session whose last submission is accepted; `failed` if it reports a failed check."""
    if "investigate" in active_tags(state.flags, state.intent):
        return Conclusion(Outcome.ANSWERED)
    if failed:
        return Conclusion(Outcome.FAILED)
    gaps, doubts, notes = find_gaps(state, facts), find_doubts(state, facts), _find_notes(state, facts)
    if not state.flags.only_verify and (nothing := _nothing_done(state, facts)):
        return Conclusion(Outcome.NOTHING_DONE, {nothing: ""} | gaps, doubts, notes)
    if state.forced_completion:
        return Conclusion(Outcome.FORCED, gaps, doubts, notes)
    if gaps:
        return Conclusion(Outcome.UNVERIFIED, gaps, doubts, notes)
    is_read = any(one.is_reading and one.tree == facts.tree for one in state.receipts.values())
    # Tests do not prove that the change is what was asked: without this word, `verified` could be read so.
    return Conclusion(Outcome.VERIFIED, {}, doubts, notes if is_read or state.flags.only_verify else NO_READER | notes)


def find_doubts(state: SessionState, facts: Facts) -> dict[str, tuple[str, ...]]:
    """Return by code what a reader says of the present tree; the tests and assertions that did not run, do not count,
    or pass under their runner alone; and what was shown for an item and is no longer there."""
    found: dict[str, dict[str, None]] = {
        "findings": {}, "unrun": {}, "unheard": {}, "indifferent": {}, "runner_dependent": {},
    }  # fmt: skip
    for one in state.receipts.values():
        if one.tree == facts.tree:
            found["findings"] |= dict.fromkeys(one.findings)
            found["unrun"] |= dict.fromkeys(one.unrun.names if one.unrun else ())
            found["unheard"] |= dict.fromkeys(one.unheard.names)
            found["indifferent"] |= dict.fromkeys(one.indifferent.names)
            found["runner_dependent"] |= dict.fromkeys(one.runner_dependent)
    found["undone"] = dict.fromkeys(_undone(state, facts))
    return {code: tuple(names) for code, names in found.items() if names}


def _undone(state: SessionState, facts: Facts) -> list[str]:
    """Return the places shown for items of which no file is in the change any more: reverted later, or discarded."""
    if facts.in_base:  # no diff shows what was changed
        return []
    there = {path for change in facts.changes if not change.undone for path in (change.path, change.source)}
    items = [item for task in state.tasks for item in task.checklist if item.evidence]
    return [", ".join(item.evidence) for item in items if not files_shown([item]) & there]


def outcome_words(outcome: str, doubts: Mapping[str, Collection[str]]) -> str:
    """Return an outcome in the first words of a reply or a report: `verified`, or `verified, with doubts (2)`."""
    count = sum(map(len, doubts.values())) if outcome == Outcome.VERIFIED else 0
    return f"{outcome}, with doubts ({count})" if count else outcome


def _find_notes(state: SessionState, facts: Facts) -> dict[str, str]:
    paths = [change.path for change in facts.changes if not change.preexisting]
    commented = {path for one in state.receipts.values() if one.tree == facts.tree for path in one.commented}
    found: dict[str, str] = {}
    if state.flags.only_verify:
        found["only_verified"] = ""
    elif paths and all(_is_document(path) or goes_with_tests(path) or path in commented for path in paths):
        found["no_code"] = names_of(paths)
    elif beside := _beside(state, paths):
        found["beside"] = names_of(beside)
    receipts = [one for one in state.receipts.values() if one.tree == facts.tree and not one.is_reading]
    is_run = not any(one.unrun is not None and one.unrun.count for one in receipts)
    if is_run and receipts and all(one.red_before is False for one in receipts):
        found["green_before"] = ""
    read = [one for one in state.receipts.values() if one.tree == facts.tree and one.suggestions]
    if state.accepted_tree and state.accepted_tree == facts.tree:
        found["accepted"] = ""
    if places := [one.partition(": ")[0] for receipt in read for one in receipt.suggestions]:
        found["suggested"] = names_of(places)
    there = {path for change in facts.changes for path in (change.path, change.source)}
    dirty = {path for path, was in state.dirty_at_start.items() if was != STAGED}
    if not facts.in_base and (gone := sorted(dirty - there)):
        found["user_work_gone"] = names_of(gone)
    if facts.foreign:
        found["foreign_commits"] = names_of(facts.foreign)
    if facts.settings_unseen:
        found["settings_unseen"] = names_of(facts.settings_unseen)
    if state.commits_before:
        found["commits_before"] = names_of(state.commits_before)
    if state.changes_before:
        found["changes_before"] = names_of(state.changes_before)
    if state.requests_left:
        found["requests_left"] = names_of(state.requests_left)
    if state.commits and state.asked_on and state.asked_on != state.base:
        found["other_branch"] = names_of([state.asked_on])
    if facts.said_since:
        found["said_since"] = names_of(facts.said_since)
    if state.query_from == Who.UNKNOWN:
        found["as_given"] = ""
    return found


def _beside(state: SessionState, paths: Iterable[str]) -> list[str]:
    """Return the changed files, other than documents and tests, that no task names or shows, nor a folder of them."""
    shown = files_shown(item for task in state.tasks for item in task.checklist)
    texts = (text for task in state.tasks for text in (task.description, *(item.item for item in task.checklist)))
    said = " ".join((state.query, *texts)).lower()
    others = (path for path in paths if path not in shown and not _is_document(path) and not goes_with_tests(path))
    stems = {path: re.escape(PurePosixPath(path).stem.lower()) for path in others if state.tasks}
    unnamed = [path for path, stem in stems.items() if not re.search(rf"(?<!\w){stem}(?!\w)", said)]
    folders = {str(folder) for path in unnamed for folder in PurePosixPath(path).parents}
    named = {folder for folder in folders if _names_folder(said, folder.lower())}
    return [path for path in unnamed if not named.intersection(map(str, PurePosixPath(path).parents))]


def _names_folder(said: str, folder: str) -> bool:
    """Return True if a text names a folder: by a path that ends with it, or by a name before a slash or `folder`."""
    end = r"(?![\w-]|\.\w|/[\w.])" if "/" in folder else r"(?:/(?![\w.])|`? (?:folder|directory)\b)"
    return re.search(rf"(?<![\w./-]){re.escape(folder)}{end}", said) is not None


def _is_document(path: str) -> bool:
    return is_prose(path) and not path.lower().endswith(".txt")  # CMakeLists.txt, requirements.txt


def _nothing_done(state: SessionState, facts: Facts) -> str:
    # After a crash within the merge the commits stand in the base, and no diff against it shows them.
    if not facts.in_base and all(change.preexisting for change in facts.changes):
        return "no_change"
    items = [item for task in state.tasks for item in task.checklist]
    return "all_skipped" if items and all(item.status == "skipped" for item in items) else ""


def find_gaps(state: SessionState, facts: Facts) -> dict[str, str]:
    """Return by code what keeps the present tree from being verified; empty if nothing does."""
    fitting = [one for one in facts.verifiers.values() if one.has_command and one.fits]
    needed = [one.name for one in fitting]
    if not applies(Key.POST_IMPL_VERIFY, active_tags(state.flags, state.intent)):
        return {"left_out": "no_verify"}
    if all(one.is_reading for one in fitting):
        return {"no_command": ""}
    if not facts.trusted:
        return {"not_trusted": ", ".join(needed)}
    found: dict[str, list[str]] = {}
    for name in needed:
        for code in _faults(state.receipts.get(name), state.tasks, facts):
            found.setdefault(code, []).append(name)
    return {code: ", ".join(names) for code, names in found.items()}


def _faults(receipt: Receipt | None, tasks: Sequence[Task], facts: Facts) -> Iterator[str]:
    if receipt is None:
        yield "not_run"
        return
    standing, why = assess_receipt(receipt, tasks)
    if why is not None:
        unproved = why.key.rpartition("receipt_")[2]
        is_late = receipt.timed_out and not receipt.is_reading
        yield "timed_out" if is_late else "not_passed" if standing == "failed" else unproved
    if receipt.in_place:
        yield "in_place"
    if receipt.tree != facts.tree or facts.base_moved:
        yield "other_tree"
    if receipt.rewritten:
        yield "rewritten"
    if receipt.commands_changed:
        yield "commands_changed"


def proof_of(state: SessionState) -> tuple[MessageRef, ...]:
    """Return the sentences that say how a session ended and who chose what; the first begins with the outcome."""
    if state.outcome not in list(Outcome):  # it still runs, or an earlier version ended it
        return choices_of(state)
    whys = [MessageRef(f"endings.why.{code}", {"names": names}) for code, names in state.gaps.items()]
    ran = {name: one for name, one in state.receipts.items() if not one.is_reading}
    passed = {name: one for name, one in ran.items() if assess_receipt(one, state.tasks)[0] == "passed"}
    was_red = state.outcome == Outcome.VERIFIED and any(receipt.exit for receipt in passed.values())
    faulty = {name for names in state.gaps.values() for name in names.split(", ")}
    is_unread = (
        state.outcome == Outcome.UNVERIFIED and passed and faulty and faulty <= state.receipts.keys() - ran.keys()
    )
    ending = "verified_as_before" if was_red else "unverified_unread" if is_unread else state.outcome
    words = outcome_words(state.outcome, state.doubts)
    first = MessageRef(f"endings.ends.{ending}", {"outcome": words, "names": ", ".join(passed) or "-"})
    doubts = [
        MessageRef(f"endings.doubts.{code}", said)
        for code, names in state.doubts.items()
        for said in ([{"output": one} for one in names] if code == "findings" else [{"names": ", ".join(names)}])
    ]
    notes = [MessageRef(f"endings.notes.{code}", {"names": names}) for code, names in state.notes.items()]
    return (first, *doubts, *whys, *notes, *choices_of(state))


def choices_of(state: SessionState) -> tuple[MessageRef, ...]:
    """Return what the agent chose in the user's place, and what nobody can say who chose."""
    by = {who: ", ".join(name for name, one in state.chosen_by.items() if one == who) for who in Who}
    said = [MessageRef(f"endings.chosen.{who}", {"names": by[who]}) for who in (Who.AGENT, Who.UNKNOWN) if by[who]]
    if state.left_out:
        said.append(MessageRef("endings.chosen.part", {"words": state.left_out}))
    if state.options_left:
        said.append(MessageRef("endings.chosen.options", {"names": state.options_left}))
    return tuple(said)
