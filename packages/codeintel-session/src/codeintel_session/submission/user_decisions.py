"""What only the user can decide: the open questions of a project, and the answers they typed in a terminal.

An answer belongs to the digest of its question, which names every commit or failure it is about: what changes since
opens the question again. The answers lie beside the sessions and are sealed, so that nobody else can write one.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeintel_contract import BranchIntervention, Contract, ContractViolation, Payload, read_file
from codeintel_session.git import GitRepository
from codeintel_session.machine.decide import current
from codeintel_session.machine.judges.ready import escalation_due, needs_user
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.user_words import AskedWords, Prompt, words_of_request
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.ports import Ports
from codeintel_session.storage.atomic import change_atomically
from codeintel_session.storage.home import HOME, ensure_home
from codeintel_session.storage.seal import Origin, Seal
from codeintel_session.submission.elicitation import BRANCH_CHOICES, Question, question_for
from codeintel_session.submission.submission import Submission, payload_of

NAME = "decisions.json"
MAX_BYTES = 1_000_000
MOST_KEPT = 100
STAKE_CHARS = 3000
"""Maximum length of what a question shows of the branches it is about."""
BRANCHES, ESCALATION = "branches", "escalation"


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question to the user; without `options` the answer is free text. `stake` shows what it is `about`."""

    kind: str
    digest: str
    say: MessageRef
    options: tuple[str, ...] = ()
    stake: str = ""
    about: tuple[str, ...] = ()


def find_unreviewed(git: GitRepository, names: Sequence[str]) -> dict[str, list[str]]:
    """Return by task branch the commits that its base lacks. A session that reaches its end leaves none."""
    return {name: commits for name in names if (commits := git.own_commits(name))}


def prompts_since_start(ports: Ports, state: SessionState) -> list[Prompt]:
    """Return what the user typed after the session began."""
    return [prompt for prompt in ports.words.prompts(state.client) if prompt.at > state.started_at]


def request_of(ports: Ports, state: SessionState) -> AskedWords:
    """Return what the user asked for in a session and what they said since, in their own words where they are known."""
    asked = ports.words.as_kept(state.query)
    return words_of_request(asked, ports.words.prompts(state.client), state.started_at, state.done_at)


def branch_question(git: GitRepository, own: str | None = None) -> OpenQuestion | None:
    """Return the question about stale branches with commits that no finished session made, None if there is none."""
    unreviewed = find_unreviewed(git, git.stale_task_branches(own))
    if not unreviewed:
        return None
    stake = "\n".join(f"{name}\n{git.own_changes(name)}" for name in unreviewed)
    say = MessageRef("session_messages.decide_branches", {"branches": ", ".join(unreviewed)})
    return OpenQuestion(BRANCHES, _digest(BRANCHES, unreviewed), say, BRANCH_CHOICES, stake, tuple(unreviewed))


def escalation_question(state: SessionState) -> OpenQuestion | None:
    """Return the question how to proceed after failures, None unless the session waits at one."""
    counters = state.counters
    at_limit = state.phase_state.current_phase == "VERIFY_INTERVENTION" and needs_user(state)
    if not (at_limit or (state.phase_state.ready_substep == "plan" and escalation_due(state))):
        return None
    count = counters.verification_failure_count or counters.intervention_count
    about = {state.session_id: [counters.verification_failure_count, counters.intervention_count, state.plan_round]}
    say = MessageRef("session_messages.ask_escalation", {"count": count, "why": state.revert_reason})
    return OpenQuestion(ESCALATION, _digest(ESCALATION, about), say)


def _digest(kind: str, about: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps([kind, about], sort_keys=True).encode()).hexdigest()


def answer_to(root: Path, seal: Seal | None, question: OpenQuestion | None) -> str:
    """Return what the user typed as the answer to a question, "" if nothing, or if the answer has no valid seal."""
    entry = _read(root).get(question.digest) if question else None
    if question is None or seal is None or not isinstance(entry, dict):
        return ""
    text = str(entry.get("answer", ""))
    origin = seal.origin(_mark(question.digest), entry.get("seal"), _sealed(question.digest, text))
    return text if origin is Origin.OURS else ""


def keep_answer(root: Path, seal: Seal, question: OpenQuestion, text: str) -> None:
    """Keep the user's answer to a question."""
    stamp = seal.stamp(_mark(question.digest), _sealed(question.digest, text))

    def with_answer() -> bytes:
        kept = {**_read(root), question.digest: {"answer": text, "seal": stamp}}
        return json.dumps(dict(list(kept.items())[-MOST_KEPT:])).encode()

    change_atomically(ensure_home(root) / "sessions" / NAME, with_answer)


def _read(root: Path) -> dict[str, object]:
    try:
        found = json.loads(read_file(root / HOME / "sessions", NAME, MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _mark(digest: str) -> str:
    return f"decision {digest}"


def _sealed(digest: str, text: str) -> bytes:
    return f"{digest}\0{text}".encode("utf-8", "surrogatepass")


def question_of(ports: Ports, contract: Contract, state: SessionState, submission: Submission) -> Question | None:
    """Return the question that a submission raises; None if there is none, or the submission will be refused."""
    try:
        payload = payload_of(contract, current(state), submission)
        return question_for(state, payload, _stake(ports, payload))
    except ContractViolation:
        return None


def _stake(ports: Ports, payload: Payload) -> str:
    """Return what the stale branches hold that no finished session made."""
    if ports.git is None or not isinstance(payload, BranchIntervention):
        return ""
    found = branch_question(ports.git)
    return found.stake[:STAKE_CHARS] if found else ""
