"""Facts for one submission, by contract key: everything a judge reads of the world, looked up before it.

One small function a key; a key that is not in the table needs no facts.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from codeintel_contract.names import Key
from codeintel_contract.payloads import (
    BranchIntervention,
    DocumentResearch,
    Exploration,
    Payload,
    PostImplVerify,
    QueryFrame,
    ReadyImpl,
    Verification,
)

from .adapters.files import file_fact, text_of
from .adapters.git import GitRepository
from .changed import changes_of
from .machine.checklist import parse_evidence
from .machine.facts import Changed, Facts, FileFact, VerifierFact
from .machine.judges.prompts import ESCALATION
from .machine.promises import TestCode, is_test, tally
from .machine.state import SessionState
from .ports import Ports


def gather(ports: Ports, state: SessionState, key: Key, payload: Payload) -> Facts:
    """The facts a submission of `key` is judged by."""
    collect = _GATHER.get(key)
    return collect(ports, state, payload) if collect else Facts()


def _file_facts(ports: Ports, names: Iterable[str]) -> dict[str, FileFact]:
    """Facts by the spelling the agent used; a `file:line` is looked up by its file."""
    paths = (name for text in names for name in (text, _path_of(text)) if name)
    return {path: file_fact(ports.root, path) for path in paths}


def _path_of(text: str) -> str:
    evidence = parse_evidence(text)
    return evidence.path if evidence else ""


def _branch(ports: Ports, state: SessionState, payload: BranchIntervention) -> Facts:
    git = ports.git
    current = (git.current_branch() or "") if git else ""
    stale = current in state.stale_branches
    base = (git.base_of(current) or "") if git and stale else ""
    return Facts(current_branch=current, current_is_stale=stale, stale_base=base)


def _documents(ports: Ports, state: SessionState, payload: DocumentResearch) -> Facts:
    sources = [rule.source for rule in payload.mandatory_rules]
    return Facts(files=_file_facts(ports, [*payload.documents_reviewed, *sources]))


def _frame(ports: Ports, state: SessionState, payload: QueryFrame) -> Facts:
    values = [slot.value for slot in _slots(payload) if slot and slot.value]
    near = ports.code.relevance(values, payload.target_symbols) if values and payload.target_symbols else {}
    return Facts(defined=_defined(ports, payload.target_symbols), relevance=near)


def _slots(payload: QueryFrame) -> list[Any]:
    return [getattr(payload.slots, name) for name in type(payload.slots).model_fields] if payload.slots else []


def _defined(ports: Ports, names: Iterable[str]) -> dict[str, bool]:
    return {name: ports.code.defines(name) for name in names}


def _exploration(ports: Ports, state: SessionState, payload: Exploration) -> Facts:
    targets = state.query_frame.get("target_symbols", ())
    files = _file_facts(ports, payload.explored_files)
    return Facts(files=files, has_sources=ports.code.has_sources(), defined=_defined(ports, targets))


def _verification(ports: Ports, state: SessionState, payload: Verification) -> Facts:
    return Facts(files=_file_facts(ports, [entry.evidence for entry in payload.hypotheses_verified]))


def _implement(ports: Ports, state: SessionState, payload: ReadyImpl) -> Facts:
    texts = [item.evidence.strip() for item in payload.checklist if item.status == "done" and item.evidence]
    files = _file_facts(ports, texts)
    empty = frozenset(text for text in texts if _is_empty(ports, files, text))
    return Facts(files=files, empty_evidence=empty, changes=changes_of(ports, state))


def _is_empty(ports: Ports, files: dict[str, FileFact], text: str) -> bool:
    evidence = parse_evidence(text)
    fact = files.get(evidence.path) if evidence else None
    if evidence is None or fact is None or not 1 <= evidence.start <= evidence.end <= fact.lines:
        return False
    return ports.code.is_empty(fact.path, evidence.start, evidence.end)


def _changes(ports: Ports, state: SessionState, payload: Payload) -> Facts:
    return Facts(changes=changes_of(ports, state))


def _verify(ports: Ports, state: SessionState, payload: PostImplVerify) -> Facts:
    changes = changes_of(ports, state) if payload.passed else ()
    facts = Facts(verifiers=_verifiers(ports, state, changes), trusted=ports.library.trusted(), changes=changes)
    if ports.git is None:
        return facts
    return replace(facts, tree=ports.git.tree_digest(), tests=tuple(_test_code(ports.root, ports.git, state, changes)))


def _verifiers(ports: Ports, state: SessionState, changes: Iterable[Changed]) -> dict[str, VerifierFact]:
    """Those the session began with. One that lost its command or its file since still needs a receipt."""
    now = ports.library.verifiers()
    began = {name: verifier.command for name, verifier in now.items()} if state.verifiers is None else state.verifiers
    paths = [change.path for change in changes if not change.older]
    return {
        name: VerifierFact(name, bool(command or now[name].command), now[name].fits(paths))
        if name in now
        else VerifierFact(name, bool(command), fits=True)
        for name, command in began.items()
    }


def _test_code(root: Path, git: GitRepository, state: SessionState, changes: Iterable[Changed]) -> Iterator[TestCode]:
    """Changed test files, in the state they had before the session and now."""
    for change in changes:
        old = change.old_path or change.path
        if not change.older and (is_test(change.path) or is_test(old)):
            before = tally(old, git.text_at(state.base_commit, old))
            yield TestCode(change.path, before, tally(change.path, text_of(root / change.path)))


def _intervention(ports: Ports, state: SessionState, payload: Payload) -> Facts:
    return Facts(prompts=(*ports.library.prompts("interventions"), ESCALATION))


def _review(ports: Ports, state: SessionState, payload: Payload) -> Facts:
    facts = Facts(prompts=ports.library.prompts("review_prompts"), changes=changes_of(ports, state))
    return replace(facts, **_branch_facts(ports, state))


def _merge(ports: Ports, state: SessionState, payload: Payload) -> Facts:
    facts = Facts(merge_mode=ports.merge_mode, **_branch_facts(ports, state))
    if ports.git is None or not facts.on_branch or state.branch == state.base or not state.commits:
        return facts
    found = ports.git.standing(state.branch, state.base, state.commits[-1], state.base_commit)
    return replace(facts, brought=found.own, late=found.late, late_commits=found.commits, work_gone=found.gone)


def _branch_facts(ports: Ports, state: SessionState) -> dict[str, Any]:
    git = ports.git
    if git is None:
        return {"on_branch": False}
    current = git.current_branch() or ""
    merged = current == state.base != state.branch and bool(state.commits) and git.landed(state.commits[-1])
    return {"on_branch": current == state.branch, "merged": merged}


_GATHER: dict[Key, Callable[[Ports, SessionState, Any], Facts]] = {
    Key.BRANCH_INTERVENTION: _branch,
    Key.DOCUMENT_RESEARCH: _documents,
    Key.QUERY_FRAME: _frame,
    Key.EXPLORATION: _exploration,
    Key.VERIFICATION: _verification,
    Key.READY_IMPL: _implement,
    Key.READY_COMPLETE: _changes,
    Key.POST_IMPL_VERIFY: _verify,
    Key.VERIFY_INTERVENTION: _intervention,
    Key.PRE_COMMIT: _review,
    Key.QUALITY_REVIEW: _review,
    Key.MERGE: _merge,
}
