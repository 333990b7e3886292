"""Steps 17 to 19: what is committed, whether it is good enough, and the merge."""

from collections.abc import Iterable, Sequence

from codeintel_contract.payloads import Merge, PreCommit, QualityReview, ReviewedFile
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.effects import Commit, Discard, Effect, MergeBranch
from codeintel_session.machine.facts import Changed, Facts
from codeintel_session.machine.gate import reconcile
from codeintel_session.machine.limits import DETAIL_CHARS, QUALITY_REVERTS
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
    reconcile(state, [change for change in changes.values() if change.path not in discarded])
    effects = _cut_off(state, facts) + _commit_effects(payload, changes, discarded, facts)
    # A commit that a crash kept from the state is known to git.
    return Verdict(updates={"commits": facts.commits}, effects=effects, warnings=_older(changes.values()))


def _check_cover(changes: dict[str, Changed], decisions: dict[str, ReviewedFile], known: set[str]) -> None:
    if missing := [path for path in changes if path not in decisions]:
        raise ContractViolation(
            "failures.PRE_COMMIT.files_not_reviewed",
            problems=tuple(f"reviewed_files: {path} is missing" for path in missing),
            files=", ".join(missing),
        )
    # Committed or discarded just before a crash or a failing hook: the same payload must still be good.
    if unknown := [path for path, entry in decisions.items() if path not in known and entry.decision == "keep"]:
        raise ContractViolation("failures.PRE_COMMIT.files_not_changed", files=", ".join(unknown))
    bare = [path for path, entry in decisions.items() if entry.decision == "discard" and not entry.reason.strip()]
    if bare:
        raise ContractViolation("failures.PRE_COMMIT.review_failed", files=", ".join(bare))


def _commit_effects(
    payload: PreCommit, changes: dict[str, Changed], discarded: Sequence[str], facts: Facts
) -> tuple[Effect, ...]:
    kept = [change for change in changes.values() if change.path not in discarded]
    if not kept and not facts.commits:
        raise ContractViolation("failures.PRE_COMMIT.nothing_to_commit")
    effects: list[Effect] = []
    if discarded:
        effects.append(Discard(tuple(both_sides(changes[path] for path in discarded))))
    # A discarded file that an earlier round committed must leave the branch too; unchanged paths are skipped by git.
    gone = [changes[path] for path in discarded] if facts.commits else []
    if kept or gone:
        effects.append(Commit(tuple(both_sides([*kept, *gone])), payload.commit_message.strip()))
    return tuple(effects)


def _cut_off(state: SessionState, facts: Facts) -> tuple[Effect, ...]:
    """A commit that git knows and the state does not was cut off by a crash: made again, it finishes what is left.

    Git finds nothing to commit, and puts right what the crash left of the user's index.
    """
    made = [change for change in facts.changes if change.committed and not change.older]
    unknown = set(facts.commits) - set(state.commits)
    message = f"Changes of session {state.session_id}"
    return (Commit(tuple(both_sides(made)), message),) if made and unknown else ()


def both_sides(changes: Iterable[Changed]) -> list[str]:
    """Paths of the changes, with the old path of each rename."""
    return [path for change in changes for path in (change.path, change.old_path) if path]


def _older(changes: Iterable[Changed]) -> tuple[Say, ...]:
    further = [change.path for change in changes if change.touched_older]
    return (Say("warnings.older_changes", {"files": ", ".join(further)}),) if further else ()


def quality_review(state: SessionState, payload: QualityReview, facts: Facts) -> Verdict:
    """Only `issues` decides: none goes on, some go back to planning, too often forces completion."""
    find_prompt("quality_prompt_used", payload.quality_prompt_used, facts.prompts)
    issues = [issue for issue in payload.issues if issue.strip()]
    if not issues:
        return Verdict(effects=_commit_rest(state, facts))
    if state.counters.quality_revert_count >= QUALITY_REVERTS and not facts.rework_wanted:
        said = Say("failures.QUALITY_REVIEW.quality_forced_completion", {"issues": "; ".join(issues)})
        return Verdict("issues_at_limit", {"forced_completion": True}, _commit_rest(state, facts), (said,))
    count = state.counters.quality_revert_count + 1
    counters = state.counters.model_copy(update={"quality_revert_count": count})
    return Verdict("issues", {"counters": counters, "revert_reason": "; ".join(issues)[:DETAIL_CHARS]})


def _commit_rest(state: SessionState, facts: Facts) -> tuple[Effect, ...]:
    """What was edited after the commit: the explored part is committed, anything else refused."""
    rest = [change for change in facts.changes if not change.older and not change.committed]
    reconcile(state, rest)
    if not rest:
        return _cut_off(state, facts)
    if not facts.on_branch:
        raise ContractViolation("failures.PRE_COMMIT.branch_manager_not_found", branch=state.branch)
    message = f"Changes of the quality review of session {state.session_id}"
    commit = Commit(tuple(both_sides(rest)), message, "failures.QUALITY_REVIEW.commit_execution_failed")
    return (*_cut_off(state, facts), commit)


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
    message = f"Merge {state.branch} into {state.base}\n\n{payload.summary.strip()}"
    return Verdict(effects=(MergeBranch(state.branch, state.base, facts.merge_mode, message),))
