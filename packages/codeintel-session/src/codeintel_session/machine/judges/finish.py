"""Judges of PRE_COMMIT, QUALITY_REVIEW and MERGE: the commit, its quality, and the merge."""

import re
from collections.abc import Iterable, Iterator, Sequence

from codeintel_contract import ContractViolation, Key, Merge, PreCommit, QualityReview, ReviewedFile, quote_name
from codeintel_session.machine.facts import Changed, Facts
from codeintel_session.machine.judges.chain import broken, is_verified, late_verdict
from codeintel_session.machine.limits import DETAIL_CHARS
from codeintel_session.machine.naming import find_prompt, names_of
from codeintel_session.machine.outcome import find_doubts, find_gaps
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import active_tags, applies, number_of
from codeintel_session.machine.verdict import Commit, Discard, Effect, FoldCommits, MergeBranch, MessageRef, Verdict
from codeintel_session.machine.write_policy import reconcile, write_policy

_OWN_TRAILER = re.compile(r"^[ \t]*Code-Intel-[\w-]+[ \t]*:.*(?:\n|$)", re.MULTILINE | re.IGNORECASE)
"""A line that only the server writes: it says what it verified."""
_OF_MESSAGE = re.compile(
    r"[^.!?\n]*\b(?:commit(?:'s)?\s+(?:message|subject|title)|message of the commit)[^.!?\n]*", re.I
)
_TICKET = re.compile(r"\b[A-Z][A-Z0-9]+-\d+\b|#\d+")
"""What a request may want of a message to the letter."""
_ACTS = {
    r"\[(?:skip[ -][\w-]+|[\w-]+[ -]skip|no[ -]ci)\]|\*\*\*no_ci\*\*\*|^skip-checks:\s*true": (
        r"\b(?:skip|no|without)\b[^.\n]{0,80}\b(?:ci|checks|actions|pipelines?)\b"
    ),
    r"^[*| \t]*(?-i:BREAKING[ -]CHANGE)(?:\s*:| #)|^\w+(?:\([^)\n]*\))?!:": r"\bbreaking\b|\bincompatib|\bmajor\b",
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\s+(?:issues? )?"
    r"(?:[\w./-]*#|gh-|https?://\S+/issues/)\d+": "",
    r"\b(?-i:[A-Z][A-Z0-9]+-\d+)(?=\s)[^\n#]*\s#[a-z][a-z-]+": "",
    r"\+semver:\s*\w+|(?<!\S)#(?:major|minor|patch|none)\b": "",
    r"^(?:fixup|squash|amend)! |^change-id:\s*I[0-9a-f]{8,}": "",
    r"^co-authored-by(?:\s*:| #)(?!.*\bnoreply@).*@.*$": "",
    r"^signed-off-by(?:\s*:| #).*$": r"\bsign(?:ed)?[ -]?off\b",
    r"^(?:[a-z]+-)*(?:review|ack|test|approv|verif|behalf)[a-z]*-(?:by|of|on)(?:\s*:| #).*$": "",
    r"^release-as(?:\s*:| #).*$": "",
    r"(?<=\n\n)(?:from|date|subject|in-reply-to): \S.*$": "",
    r"^(?:diff -|index: |--- |\+\+\+ )\S.*$": "",
}
"""What programs and people act upon when they find it in a message, and what in a request asks for it."""
_TRAILING, _BLANK = re.compile(r"[^\S\n]+$", re.MULTILINE), re.compile(r"\n{3,}")
_TOLD = re.compile(r"[#@/\d]")
"""Of what acts, a last word with one of these is what a request would name."""
_OPEN = re.compile(r"\b(?:leave|keep|stay|remain)s?\b.{0,80}\bopen\b|\bnot (?:close|resolve)\b")
"""A sentence of a request that names an issue which must not be closed."""
_COMMIT_FAILED = "failures.PRE_COMMIT.finalize_failed"
_RECOMMIT_FAILED = "failures.QUALITY_REVIEW.commit_execution_failed"


def pre_commit(state: SessionState, payload: PreCommit, facts: Facts) -> Verdict:
    """Require a decision about every changed path; exactly the kept paths are committed."""
    find_prompt("review_prompt_used", payload.review_prompt_used, facts.prompts)
    if not _OWN_TRAILER.sub("", payload.commit_message).strip():
        raise ContractViolation("failures.PRE_COMMIT.missing_commit_message")
    if not facts.on_branch:
        raise ContractViolation("failures.PRE_COMMIT.branch_manager_not_found", branch=state.branch)
    changes = {change.path: change for change in facts.changes if not change.preexisting and not change.committed}
    decisions = {entry.path: entry for entry in payload.decisions()}
    dropped = [path for path, entry in decisions.items() if entry.decision == "discard"]
    if (stale := broken(state, facts, dropped)) is not None:
        return stale
    _check_decisions(changes, decisions, facts.changes)
    discarded = [path for path, entry in decisions.items() if entry.decision == "discard" and path in changes]
    kept = [change for change in facts.changes if change.path not in discarded]
    reconcile(state, kept)
    _check_shown(state, kept)
    touched = [path for path, change in changes.items() if change.touched_preexisting]
    named = {"older_changes": touched, "left_out": _left_out(facts.changes)}
    warnings = tuple(MessageRef(f"warnings.{key}", {"files": names_of(files)}) for key, files in named.items() if files)
    warnings += (*_of_message(state.query, payload.commit_message), *_acting(state, facts, payload.commit_message))
    moved = {path: move for path, move in state.moved.items() if path not in discarded}
    if discarded and is_verified(state):
        _check_something_kept(state, facts.changes, discarded)
        gone = tuple(both_sides(changes[path] for path in discarded))
        found = MessageRef("warnings.discarded_before_verification", {"files": names_of(discarded)})
        return Verdict("unverified", {"moved": moved}, (Discard(gone),), (found, *warnings))
    effects = _commit_effects(state, payload, facts.changes, discarded)
    return Verdict(updates={"moved": moved}, effects=effects, warnings=warnings)


def _of_message(query: str, message: str) -> Iterator[MessageRef]:
    """Yield what the request wants of the commit's message and it lacks."""
    wanted = [words for said in _OF_MESSAGE.findall(query) for words in _TICKET.findall(said)]
    if lacking := [words for words in wanted if words.lower() not in message.lower()]:
        yield MessageRef("warnings.message_lacks", {"words": names_of(lacking)})


def _acting(state: SessionState, facts: Facts, message: str) -> tuple[MessageRef, ...]:
    """Return what a message says that others act upon, and the user does not ask for."""
    sentences = re.split(r"(?<=[.!?])\s|\n", "\n".join((state.query, *facts.said_since)).lower())
    asked = "\n".join(said for said in sentences if not _OPEN.search(said))
    how = re.IGNORECASE | re.MULTILINE
    kinds = [acts for acts, asks in _ACTS.items() if not (asks and re.search(asks, asked))]
    cleaned = _BLANK.sub("\n\n", _TRAILING.sub("", message))  # as git does
    said = [found[0].strip() for acts in kinds for found in re.finditer(acts, cleaned, how)]
    last = {words: words.split()[-1] for words in said}
    acting = [words for words in last if (last[words] if _TOLD.search(last[words]) else words).lower() not in asked]
    return (MessageRef("warnings.message_acts", {"words": names_of(acting)}),) if acting else ()


def _check_shown(state: SessionState, changes: Iterable[Changed]) -> None:
    """Require that review_changes has shown the whole diff of every change that is kept, as it is now."""
    unshown: list[str] = []
    stale: list[str] = []
    for change in changes:
        if not change.preexisting and not state.content_shown(change.path, change.content):
            shown = state.shown.get(change.path)
            (stale if shown and shown.content != change.content else unshown).append(change.path)
    for name, files in (("changed_since_review", stale), ("files_not_shown", unshown)):
        if files:
            problems = tuple(f"{quote_name(path)}: call review_changes with this path" for path in files)
            raise ContractViolation(f"failures.PRE_COMMIT.{name}", problems=problems, files=names_of(files))


def _check_something_kept(state: SessionState, changes: Iterable[Changed], discarded: Sequence[str]) -> None:
    open_ = [change for change in changes if not change.preexisting and not change.committed]
    if not state.commits and all(change.path in discarded for change in open_):
        raise ContractViolation("failures.PRE_COMMIT.nothing_to_commit")


def _check_decisions(changes: dict[str, Changed], decisions: dict[str, ReviewedFile], every: Sequence[Changed]) -> None:
    known, others = set(both_sides(every)), {change.path for change in every if change.preexisting}
    if missing := [path for path in changes if path not in decisions]:
        raise ContractViolation(
            "failures.PRE_COMMIT.files_not_reviewed",
            problems=tuple(f"reviewed_files: {quote_name(path)} is missing" for path in missing),
            files=names_of(missing),
        )
    # If the paths were committed or discarded just before a crash or a failing hook, the same payload must still pass.
    # A file of someone else is not the session's to discard.
    unknown = [
        path for path, entry in decisions.items() if (path not in known if entry.decision == "keep" else path in others)
    ]
    if unknown:
        raise ContractViolation("failures.PRE_COMMIT.files_not_changed", files=names_of(unknown))
    bare = [path for path, entry in decisions.items() if entry.decision == "discard" and not entry.reason.strip()]
    if bare:
        raise ContractViolation("failures.PRE_COMMIT.review_failed", files=names_of(bare))


def _commit_effects(
    state: SessionState, payload: PreCommit, changes: Sequence[Changed], discarded: Sequence[str]
) -> tuple[Effect, ...]:
    reviewed = [change for change in changes if not change.preexisting and not change.committed]
    kept = [change for change in reviewed if change.path not in discarded]
    _check_something_kept(state, changes, discarded)
    gone = [change for change in reviewed if change.path in discarded]
    effects: list[Effect] = []
    if gone:
        effects.append(Discard(tuple(both_sides(gone))))
    # A discarded file that was committed earlier must leave the branch too, and what others committed; git skips
    # unchanged paths.
    if kept or gone or _left_out(changes):
        message = _OWN_TRAILER.sub("", payload.commit_message).strip()
        contents = tuple((change.path, change.content) for change in kept)
        paths = tuple(both_sides([*kept, *gone]))
        failure = _COMMIT_FAILED if number_of(Key.QUALITY_REVIEW) not in state.completed_steps else _RECOMMIT_FAILED
        effects.append(Commit(paths, message, failure, _left_out(changes), contents))
    return tuple(effects)


def _left_out(changes: Iterable[Changed]) -> tuple[str, ...]:
    return tuple(both_sides(change for change in changes if change.committed_by_others))


def both_sides(changes: Iterable[Changed]) -> list[str]:
    """List the paths of the changes, with the old path of each rename."""
    return [path for change in changes for path in (change.path, change.old_path) if path]


def quality_review(state: SessionState, payload: QualityReview, facts: Facts) -> Verdict:
    """Continue if there are no `issues`, else return to planning; past the limit, force completion."""
    find_prompt("quality_prompt_used", payload.quality_prompt_used, facts.prompts)
    if not facts.on_branch:
        raise ContractViolation("failures.PRE_COMMIT.branch_manager_not_found", branch=state.branch)
    issues = [issue for issue in payload.issues if issue.strip()]
    if not issues:
        reconcile(state, facts.changes)
        return broken(state, facts, more=_uncommitted(facts)) or Verdict()
    if state.counters.quality_revert_count >= state.limits.quality_reverts and not facts.rework_wanted:
        warning = MessageRef("failures.QUALITY_REVIEW.quality_forced_completion", {"issues": "; ".join(issues)})
        reconcile(state, facts.changes)
        if (stale := broken(state, facts, more=_uncommitted(facts))) is not None:
            return stale
        return Verdict("issues_at_limit", {"forced_completion": True}, warnings=(warning,))
    count = state.counters.quality_revert_count + 1
    counters = state.counters.model_copy(update={"quality_revert_count": count})
    return Verdict("issues", {"counters": counters, "revert_reason": "; ".join(issues)[:DETAIL_CHARS]})


def _uncommitted(facts: Facts) -> list[str]:
    """List what the last commit does not hold as it is now, and what others committed of their own."""
    rest = [change.path for change in facts.changes if not change.preexisting and not change.committed]
    return [*rest, *_left_out(facts.changes)]


def merge(state: SessionState, payload: Merge, facts: Facts) -> Verdict:
    """Merge the task branch into its base; a session that committed in place has nothing to merge."""
    reviewed = number_of(Key.QUALITY_REVIEW) in state.completed_steps or state.forced_completion
    if applies(Key.QUALITY_REVIEW, active_tags(state.flags, state.intent)) and not reviewed:
        raise ContractViolation("failures.MERGE.quality_review_required")
    stale = None if facts.merged else broken(state, facts, more=_uncommitted(facts))
    if state.branch_policy == "in_place":
        return stale or Verdict()
    # After a crash the merge may be complete, or half done: the effect recognizes that and finishes it.
    if not (facts.on_branch or facts.merged):
        raise ContractViolation("failures.MERGE.branch_manager_not_found", branch=state.branch, base=state.base)
    _reconcile_branch(state, facts)
    if stale is not None:
        return stale
    if facts.late and not facts.merged:
        return late_verdict(state, facts)
    message = f"Merge {state.branch} into {state.base}\n\n{_OWN_TRAILER.sub('', payload.summary).strip()}"
    verified = not state.forced_completion and not find_gaps(state, facts)
    doubts = sum(map(len, find_doubts(state, facts).values()))
    effects: list[Effect] = [MergeBranch(state.branch, state.base, facts.merge_mode, message, verified, doubts)]
    if facts.fixups == "fold" and len(state.commits) > 1 and not facts.merged:
        effects.insert(0, FoldCommits(state.branch))
    warnings = (MessageRef("warnings.base_moved_since", {"base": state.base}),) if facts.base_moved else ()
    return Verdict(effects=tuple(effects), warnings=(*warnings, *_acting(state, facts, payload.summary)))


def _reconcile_branch(state: SessionState, facts: Facts) -> None:
    """Require that every file the branch changes was explored, whoever committed it: a hook may add to a commit."""
    if facts.work_gone:
        last = "".join(state.commits[-1:])[:12]
        raise ContractViolation("failures.MERGE.work_gone", branch=state.branch, commit=last)
    changed = dict.fromkeys((*facts.brought, *facts.late))
    policy = write_policy(state)
    if files := [path for path in changed if path not in policy.explored and not policy.is_planned(path)]:
        raise ContractViolation(
            "failures.MERGE.unexplored_commits",
            problems=tuple(f"{quote_name(path)}: committed on {state.branch} but not explored" for path in files),
            files=names_of(files),
            commits="; ".join(facts.late_commits) or "none",
        )
