"""A client that submits anything at any time: an illegal move changes nothing, a legal one follows the table.

The tools are observed or not, the facts fit or not, the payload belongs to the phase or to another; whatever
comes, the state before is untouched, a refusal makes no new one, and the machine never leaves its table.
"""

from typing import Any

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from pydantic import ValidationError

from codeintel_contract.flags import Flags, check_combination
from codeintel_contract.loader import load_contract
from codeintel_contract.names import TOOL_NAMES, Intent, Key
from codeintel_contract.payloads import PAYLOADS
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine import observations
from codeintel_session.machine.decide import current, decide, start
from codeintel_session.machine.facts import Changed, Facts, FileFact, VerifierFact
from codeintel_session.machine.limits import QUALITY_REVERTS
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import active_tags, applies
from codeintel_session.testing import state_at

PATHS = st.sampled_from(["a.py", "b.py", "../x", "/etc/passwd", ".git/config", "new.py", ""])
WORDS = st.sampled_from(["", " ", "fix count_all", "when", "delete production database when", "because it is so"])
TOOLS = st.lists(st.sampled_from([*sorted(TOOL_NAMES), "Bash"]), max_size=3)
EVIDENCE = st.sampled_from(["a.py:1", "a.py:1-3", "b.py:9", "../x:1", "a.py:99", "nonsense", "", "search_text"])
IDS = st.sampled_from(["t1", "t2", "t3"])
ITEM = st.fixed_dictionaries(
    {"item": st.sampled_from(["one", "two"])},
    optional={"status": st.sampled_from(["pending", "done", "skipped"]), "evidence": EVIDENCE, "reason": WORDS},
)
TASK = st.fixed_dictionaries(
    {"id": IDS, "description": WORDS, "checklist": st.lists(ITEM, max_size=2)},
    optional={
        "status": st.sampled_from(["pending", "completed"]),
        "failure_count": st.integers(-9, 9),
        "drop_reason": WORDS,
    },
)
SLOT = st.fixed_dictionaries({"value": WORDS, "quote": WORDS})
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "summary": WORDS,
    "tools_used": TOOLS,
    "choice": st.sampled_from(["delete", "merge", "continue", "force"]),
    "documents_reviewed": st.lists(PATHS, max_size=2),
    "action_type": WORDS,
    "target_symbols": st.lists(WORDS, max_size=2),
    "scope": WORDS,
    "constraints": WORDS,
    "slots": st.fixed_dictionaries({}, optional={"observed_issue": SLOT, "desired_action": SLOT}),
    "explored_files": st.lists(PATHS, max_size=2),
    "findings": st.lists(WORDS, max_size=2),
    "needs_more_information": st.booleans(),
    "has_unverified_hypotheses": st.booleans(),
    "needs_impact_analysis": st.booleans(),
    "reason": WORDS,
    "search_query": WORDS,
    "search_results": st.lists(WORDS, max_size=2),
    "hypotheses_verified": st.lists(
        st.fixed_dictionaries({"hypothesis": WORDS, "result": st.booleans(), "evidence": EVIDENCE}), max_size=2
    ),
    "impact_summary": st.dictionaries(PATHS, st.sampled_from(["will_modify", "seen"]), max_size=2),
    "tasks": st.lists(TASK, max_size=3),
    "user_decision": WORDS,
    "task_id": IDS,
    "checklist": st.lists(ITEM, max_size=2),
    "verifier_used": st.sampled_from(["v", "run.md", "x"]),
    "passed": st.booleans(),
    "details": WORDS,
    "failed_tasks": st.lists(IDS, max_size=2),
    "prompt_used": st.sampled_from(["p", "user_escalation", "x"]),
    "action_taken": WORDS,
    "review_prompt_used": st.sampled_from(["p", "x"]),
    "reviewed_files": st.lists(PATHS, max_size=3),
    "commit_message": WORDS,
    "quality_prompt_used": st.sampled_from(["p", "x"]),
    "quality_score": WORDS,
    "issues": st.lists(WORDS, max_size=2),
}
FACTS = st.builds(
    Facts,
    files=st.just({name: FileFact("a.py", True, True, 9) for name in ("a.py", "a.py:1", "a.py:1-3")}),
    changes=st.sampled_from([(), (Changed("a.py", "modified", hunks=((1, 3),)),), (Changed("b.py", "modified"),)]),
    has_sources=st.booleans(),
    prompts=st.just(("p.md", "user_escalation.md")),
    verifiers=st.just({"v.md": VerifierFact("v.md", False), "run.md": VerifierFact("run.md", True)}),
    on_branch=st.booleans(),
    merged=st.booleans(),
    brought=st.sampled_from([(), ("a.py",), ("b.py",)]),
    late=st.sampled_from([(), ("a.py",), ("b.py",)]),
    work_gone=st.booleans(),
)
FLAGS = st.builds(
    Flags,
    gate_level=st.sampled_from(["auto", "full"]),
    **{name: st.booleans() for name, field in Flags.model_fields.items() if field.annotation is bool},
)


def payload_of(key: Key) -> st.SearchStrategy[dict[str, Any]]:
    names = [name for name in PAYLOADS[key].model_fields if name in FIELDS]
    return st.fixed_dictionaries({}, optional={name: FIELDS[name] for name in names})


class Adversary(RuleBasedStateMachine):
    """Whatever is submitted, the law of the flow holds."""

    state: SessionState
    ended = False

    @initialize(flags=FLAGS, intent=st.sampled_from(Intent), stale=st.booleans())
    def begin(self, flags: Flags, intent: Intent, stale: bool) -> None:
        try:
            flags, _ = check_combination(flags, intent)
        except ContractViolation:
            flags = Flags()
        blank = state_at(4, flags=flags, intent=intent, stale_branches=("s",) if stale else (), documents=("a.py",))
        self.state = start(blank)

    @rule(tool=st.sampled_from(sorted(TOOL_NAMES)), ok=st.booleans(), shown=st.lists(PATHS, max_size=2))
    def call_a_tool(self, tool: str, ok: bool, shown: list[str]) -> None:
        self.state = observations.observe(self.state, observations.ToolCall(tool, ok=ok, shown=tuple(shown)))

    @rule(data=st.data(), facts=FACTS, honest=st.booleans())
    def submit_for_this_phase(self, data: st.DataObject, facts: Facts, honest: bool) -> None:
        if not self.ended:
            if honest:  # a client that did call its tools gets further
                for tool in sorted(TOOL_NAMES):
                    self.state = observations.observe(self.state, observations.ToolCall(tool, shown=("a.py",)))
            self._submit(current(self.state).key, data, facts)

    @rule(key=st.sampled_from(Key), data=st.data(), facts=FACTS)
    def submit_for_any_phase(self, key: Key, data: st.DataObject, facts: Facts) -> None:
        if not self.ended and key is current(self.state).key:
            self._submit(key, data, facts)

    def _submit(self, key: Key, data: st.DataObject, facts: Facts) -> None:
        before, dumped = self.state, self.state.model_dump_json()
        try:
            payload = PAYLOADS[key].model_validate(data.draw(payload_of(key)))
            decision = decide(before, payload, facts, load_contract(None).phases[key])
        except (ContractViolation, ValidationError):
            decision = None
        assert before.model_dump_json() == dumped, "a submission changed the state it was judged on"
        if decision is not None:
            self._check_step(before, decision.state)
            self.ended = decision.ending is not None
            self.state = decision.state

    def _check_step(self, before: SessionState, after: SessionState) -> None:
        old, new = before.phase_state.step, after.phase_state.step
        assert new > old or (old, new) in {(13, 13), (15, 12), (16, 12), (18, 12)}
        assert after.counters.intervention_count - before.counters.intervention_count == (1 if old == 16 else 0)
        assert after.completed_steps == (*before.completed_steps, old)
        assert set(before.explored) <= set(after.explored) <= set(before.explored) | set(before.seen)
        done = {task.id for task in before.tasks if task.status == "completed"}
        now = {task.id for task in after.tasks}
        assert done <= now, "completed work was lost"
        if old == 12:
            assert not {task.id for task in after.tasks if task.status == "completed"} - done

    @invariant()
    def counters_stay_within_their_limits(self) -> None:
        if hasattr(self, "state"):
            assert self.state.counters.quality_revert_count <= QUALITY_REVERTS
            assert self.state.counters.intervention_count >= 0

    @invariant()
    def the_session_stands_at_a_row_its_flags_have(self) -> None:
        if hasattr(self, "state") and not self.ended:
            assert applies(current(self.state).key, active_tags(self.state.flags, self.state.intent))

    @invariant()
    def the_state_survives_a_checkpoint(self) -> None:
        if hasattr(self, "state"):
            assert SessionState.model_validate_json(self.state.model_dump_json()) == self.state


TestAdversary = Adversary.TestCase
TestAdversary.settings = settings(stateful_step_count=40, deadline=None)
