"""Steps 17 to 19: what is committed, whether it is good enough, and the merge."""

from collections.abc import Iterable, Sequence

from codeintel_contract.payloads import Merge, PreCommit, QualityReview, ReviewedFile
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.effects import Commit, Discard, Effect, MergeBranch
from codeintel_session.machine.facts import Changed, Facts
from codeintel_session.machine.gate import named, reconcile
from codeintel_session.machine.limits import DETAIL_CHARS
from codeintel_session.machine.naming import name_of, names_of
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import applies, tags
from codeintel_session.machine.verdict import Say, Verdict

from .prompts import find_prompt


def pre_commit(state: SessionState, payload: PreCommit, facts: Facts) -> Verdict:
    """Every changed path is judged; exactly the kept ones are committed."""
    find_prompt("review_prompt_used", payload.review_prompt_used, facts.prompts)
    if not payload.commit_message.strip():
        raise ContractViolation("failures.PRE_COMMIT.missing_commit_message")
    if not facts.on_branch:
        raise ContractViolation("failures.PRE_COMMIT.branch_manager_not_found", branch=state.branch)
    changes = {change.path: change for change in facts.changes if not change.older and not change.committed}
    decisions = {entry.path: entry for entry in payload.decisions()}
    _check_cover(changes, decisions, set(both_sides(facts.changes)))
    discarded = [path for path, entry in decisions.items() if entry.decision == "discard" and path in changes]
    reconcile(state, [change for change in facts.changes if change.path not in discarded])
    effects = _commit_effects(state, payload, facts.changes, discarded)
    return Verdict(effects=effects, warnings=(*_older(changes.values()), *_swept(facts.changes)))


def _check_cover(changes: dict[str, Changed], decisions: dict[str, ReviewedFile], known: set[str]) -> None:
    if missing := [path for path in changes if path not in decisions]:
        raise ContractViolation(
            "failures.PRE_COMMIT.files_not_reviewed",
            problems=tuple(f"reviewed_files: {name_of(path)} is missing" for path in missing),
            files=names_of(missing),
        )
    # Committed or discarded just before a crash or a failing hook: the same payload must still be good.
    if unknown := [path for path, entry in decisions.items() if path not in known and entry.decision == "keep"]:
        raise ContractViolation("failures.PRE_COMMIT.files_not_changed", files=names_of(unknown))
    bare = [path for path, entry in decisions.items() if entry.decision == "discard" and not entry.reason.strip()]
    if bare:
        raise ContractViolation("failures.PRE_COMMIT.review_failed", files=names_of(bare))


def _commit_effects(
    state: SessionState, payload: PreCommit, found: Sequence[Changed], discarded: Sequence[str]
) -> tuple[Effect, ...]:
    changes = [change for change in found if not change.older and not change.committed]
    kept = [change for change in changes if change.path not in discarded]
    if not kept and not state.commits:
        raise ContractViolation("failures.PRE_COMMIT.nothing_to_commit")
    gone = [change for change in changes if change.path in discarded]
    effects: list[Effect] = []
    if gone:
        effects.append(Discard(tuple(both_sides(gone))))
    # A discarded file that was committed before must leave the branch too; unchanged paths are skipped by git.
    if kept or gone:
        message = payload.commit_message.strip()
        effects.append(Commit(tuple(both_sides([*kept, *gone])), message, left_out=_left_out(found)))
    return tuple(effects)


def _left_out(found: Iterable[Changed]) -> tuple[str, ...]:
    return tuple(both_sides(change for change in found if change.swept))


def _swept(found: Iterable[Changed]) -> tuple[Say, ...]:
    files = _left_out(found)
    return (Say("warnings.left_out", {"files": names_of(files)}),) if files else ()


def both_sides(changes: Iterable[Changed]) -> list[str]:
    """Paths of the changes, with the old path of each rename."""
    return [path for change in changes for path in (change.path, change.old_path) if path]


def _older(changes: Iterable[Changed]) -> tuple[Say, ...]:
    further = [change.path for change in changes if change.touched_older]
    return (Say("warnings.older_changes", {"files": names_of(further)}),) if further else ()


def quality_review(state: SessionState, payload: QualityReview, facts: Facts) -> Verdict:
    """Only `issues` decides: none goes on, some go back to planning, too often forces completion."""
    find_prompt("quality_prompt_used", payload.quality_prompt_used, facts.prompts)
    issues = [issue for issue in payload.issues if issue.strip()]
    if not issues:
        return Verdict(effects=_commit_rest(state, facts))
    if state.counters.quality_revert_count >= state.limits.quality_reverts and not facts.rework_wanted:
        said = Say("failures.QUALITY_REVIEW.quality_forced_completion", {"issues": "; ".join(issues)})
        return Verdict("issues_at_limit", {"forced_completion": True}, _commit_rest(state, facts), (said,))
    count = state.counters.quality_revert_count + 1
    counters = state.counters.model_copy(update={"quality_revert_count": count})
    return Verdict("issues", {"counters": counters, "revert_reason": "; ".join(issues)[:DETAIL_CHARS]})


def _commit_rest(state: SessionState, facts: Facts) -> tuple[Effect, ...]:
    """What was edited after the commit: the explored part is committed, anything else refused."""
    rest = [change for change in facts.changes if not change.older and not change.committed]
    reconcile(state, facts.changes)
    left_out = _left_out(facts.changes)
    if not rest and not left_out:
        return ()
    if not facts.on_branch:
        raise ContractViolation("failures.PRE_COMMIT.branch_manager_not_found", branch=state.branch)
    message = f"Changes of the quality review of session {state.session_id}"
    failure = "failures.QUALITY_REVIEW.commit_execution_failed"
    return (Commit(tuple(both_sides(rest)), message, failure, left_out),)


def merge(state: SessionState, payload: Merge, facts: Facts) -> Verdict:
    """Merge the task branch into its base; a session that committed in place has nothing to merge."""
    reviewed = 18 in state.completed_steps or state.forced_completion
    if applies(18, tags(state.flags, state.intent)) and not reviewed:
        raise ContractViolation("failures.MERGE.quality_review_required")
    if state.branch_policy == "in_place":
        return Verdict()
    # After a crash the merge may be done already, or half: the effect recognises that and finishes it.
    if not (facts.on_branch or facts.merged):
        raise ContractViolation("failures.MERGE.branch_manager_not_found", branch=state.branch, base=state.base)
    warnings = _reconcile_branch(state, facts)
    message = f"Merge {state.branch} into {state.base}\n\n{payload.summary.strip()}"
    effects = (MergeBranch(state.branch, state.base, facts.merge_mode, message),)
    return Verdict(effects=effects, warnings=warnings)


def _reconcile_branch(state: SessionState, facts: Facts) -> tuple[Say, ...]:
    """What the branch holds, whoever put it there: a hook may add to a commit. Explored files may be merged."""
    if facts.work_gone:
        last = "".join(state.commits[-1:])[:12]
        raise ContractViolation("failures.MERGE.work_gone", branch=state.branch, commit=last)
    changed = dict.fromkeys((*facts.brought, *facts.late))
    if files := [path for path in changed if path not in state.explored and not named(state, path)]:
        raise ContractViolation(
            "failures.MERGE.unexplored_commits",
            problems=tuple(f"{name_of(path)}: committed on {state.branch} but not explored" for path in files),
            files=names_of(files),
            commits="; ".join(facts.late_commits) or "none",
        )
    if not facts.late:
        return ()
    return (Say("warnings.late_commits", {"files": names_of(facts.late), "commits": "; ".join(facts.late_commits)}),)
