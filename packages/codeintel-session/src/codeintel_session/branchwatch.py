"""What happened to the session's branch and its base behind its back, looked for at every submission.

Nothing here judges: what was committed is reconciled by the judges. This keeps what the branch lost, follows a base
that was merged or pulled in (or all of it would look like the session's changes), and says what it found, once.
"""

from .adapters.git import GitRepository
from .machine.naming import name_of
from .machine.state import SessionState
from .machine.verdict import Say
from .ports import Ports

FIRST_WATCHED = 12
"""Before READY there is no branch, and nothing is compared with the base."""


class BranchWatch:
    """The last look at one session's branch and base; a new one begins with each start and resume."""

    def __init__(self) -> None:
        self._base_tip = ""
        self._elsewhere = ""

    def look(self, ports: Ports, state: SessionState) -> tuple[SessionState, list[Say]]:
        """The session with its base followed, and what to say.

        Raises:
            GitFault: git cannot be asked.
        """
        git = ports.git
        if git is None or not state.base_commit or state.flags.only_verify or state.phase_state.step < FIRST_WATCHED:
            return state, []
        branch = state.branch or state.base
        if not branch:  # quick on a detached HEAD
            return state, []
        tips = git.tips(branch, state.base)
        said = self._place(git, state, here=tips.here)
        is_new = tips.branch != tips.noted
        if is_new and branch != state.base:
            said += _rewritten(git, branch, is_gone=not tips.branch)
        if tips.base == self._base_tip and not is_new:
            return state, said
        said += self._base_moved(git, state, tips.base)
        if tips.here and tips.base != state.base_commit:
            followed = git.followed(state.base_commit, branch, state.base)
            state = state.model_copy(update={"base_commit": followed})
        return state, said

    def _base_moved(self, git: GitRepository, state: SessionState, tip: str) -> list[Say]:
        before, self._base_tip = self._base_tip or _base_at_start(state, tip), tip
        if not tip or tip in (before, *state.commits):
            return []
        commits = "; ".join(map(name_of, git.between(before, tip))) or "none, it was put back"
        return [Say("session_messages.base_commits", {"base": state.base, "commits": commits})]

    def _place(self, git: GitRepository, state: SessionState, *, here: bool) -> list[Say]:
        place = "" if here or not state.branch else git.current_branch() or "no branch"
        known, self._elsewhere = self._elsewhere, place
        if place in ("", known):
            return []
        return [Say("session_messages.branch_left", {"branch": state.branch, "current": place})]


def _base_at_start(state: SessionState, tip: str) -> str:
    if state.branch_policy == "adopted":  # it began somewhere else; where its base stood is not known
        return tip
    return state.commits[-1] if state.branch_policy == "in_place" and state.commits else state.base_commit


def _rewritten(git: GitRepository, branch: str, *, is_gone: bool) -> list[Say]:
    kept = git.keep_tip(branch)
    if not kept:
        return []
    key = "branch_deleted" if is_gone else "branch_rewritten"
    return [Say(f"session_messages.{key}", {"branch": branch, "ref": kept})]
