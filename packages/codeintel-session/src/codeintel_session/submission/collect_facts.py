"""Collect the facts of one submission: everything of the world that the judge of its contract key reads.

One small function for each key; a key that is not in the table needs no facts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from codeintel_contract import (
    Q1,
    Q3,
    BranchIntervention,
    ContractViolation,
    DocumentResearch,
    Exploration,
    Intent,
    Key,
    Payload,
    PlannedTask,
    QueryFrame,
    ReadyImpl,
    ReadyPlan,
    Task,
    Verification,
    VerifyIntervention,
)
from codeintel_session.git import GitFault, GitRepository
from codeintel_session.git.session_diff import changes_of, committable_tree, text_before
from codeintel_session.machine.assess import may_overrule
from codeintel_session.machine.checklist import parse_evidence
from codeintel_session.machine.decide import current
from codeintel_session.machine.facts import Changed, Facts, FileFact, Target, VerifierFact
from codeintel_session.machine.judges.research import find_source
from codeintel_session.machine.naming import ESCALATION
from codeintel_session.machine.quotes import content_words, new_words
from codeintel_session.machine.regressions import TestCode, Weakened, find_weakened, read_tests
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.test_files import is_test
from codeintel_session.machine.user_words import Who, decides, quoted, who_asked
from codeintel_session.ports import Code, Ports
from codeintel_session.storage.home import is_server_state
from codeintel_session.storage.project_files import (
    file_fact,
    files_named,
    has_name_of_file,
    paths_in,
    text_of,
    write_target,
)
from codeintel_session.submission.cited_lines import (
    find_absent,
    find_apart,
    find_commented,
    find_evident,
    find_kinds,
    find_places,
)
from codeintel_session.submission.elicitation import UserAnswer, accepts, wants_rework
from codeintel_session.submission.submission import WorldFailure, git_failed
from codeintel_session.submission.user_decisions import (
    answer_to,
    branch_question,
    escalation_question,
    find_unreviewed,
    prompts_since_start,
)

MAX_WORDS = 100
"""The words of a frame that are compared by meaning with as many of the request."""
_FILE_WITH_LINE = re.compile(r"[\w./-]+\.\w+(?=:\d)")
"""A file that a finding names with a line."""
_CODE_NAME = re.compile(r"`(?:[\w.:]*[.:])?([^\W\d]\w*)(?:\(\))?`")
"""A name that the text of an item marks as code; of a qualified one the last part."""


def collect_facts(ports: Ports, state: SessionState, payload: Payload, answer: UserAnswer | None) -> Facts:
    """Look up the facts that the judge of the present phase reads.

    Raises WorldFailure: a file of the project cannot be used, or git failed.
    """
    collect = _COLLECT.get(current(state).key)
    try:
        facts = collect(ports, state, payload) if collect else Facts()
    except GitFault as fault:
        raise git_failed(fault) from fault
    except ContractViolation as violation:
        raise WorldFailure.of(violation) from violation
    if facts.changes:  # the outcome of work says what the user said meanwhile
        said = [prompt.text for prompt in prompts_since_start(ports, state)]
        facts = replace(facts, said_since=quoted(said))
    if answer is None:
        return facts
    if current(state).key is Key.BRANCH_INTERVENTION:
        return replace(facts, user_chose=answer.text)
    facts = replace(facts, decided_by=Who.USER.value, accepts=accepts(answer.text))
    return replace(facts, rework_wanted=wants_rework(state, answer))


def _file_facts(ports: Ports, names: Iterable[str]) -> dict[str, FileFact]:
    """Facts by the spelling the agent used; a `file:line` is looked up by its file."""
    paths = (name for text in names for name in (text, _path_of(text)) if name)
    return {path: file_fact(ports.root, path) for path in paths}


def _path_of(text: str) -> str:
    evidence = parse_evidence(text)
    return evidence.path if evidence else ""


def _branch(ports: Ports, state: SessionState, payload: BranchIntervention) -> Facts:
    git = ports.git
    if git is None:
        return Facts()
    current = git.current_branch() or ""
    stale = current in state.stale_branches
    unreviewed = find_unreviewed(git, git.stale_task_branches(None))
    return Facts(
        current_branch=current,
        current_is_stale=stale,
        stale_base=(git.base_of(current) or "") if stale else "",
        unreviewed={name: tuple(commits) for name, commits in unreviewed.items()},
        fork=git.fork_of(current) if stale else "",
        user_chose=_chosen_by_user(ports, state, git, payload.choice) if unreviewed else "",
    )


def _chosen_by_user(ports: Ports, state: SessionState, git: GitRepository, choice: str) -> str:
    """Return what the user typed in a terminal, or the choice if a prompt of theirs since the start names it."""
    question = branch_question(git)
    if typed := answer_to(ports.root, ports.seal, question):
        return typed
    return choice if decides(choice, prompts_since_start(ports, state)) else ""


def _plan(ports: Ports, state: SessionState, payload: ReadyPlan) -> Facts:
    decision = _find_decision(ports, state, payload.user_decision or "")
    return Facts(planned=tuple(_planned(ports, payload.tasks)), **decision)


def _planned(ports: Ports, tasks: Iterable[PlannedTask]) -> Iterator[Target]:
    """Files that a plan names: those of the project, and what looks like the path of a new one."""
    texts = [text for task in tasks for text in (task.description, *(item.item for item in task.checklist))]
    for name in dict.fromkeys(name for text in texts for name in paths_in(text)):
        fact = file_fact(ports.root, name)
        if fact.inside and (fact.exists or has_name_of_file(name)):
            yield write_target(ports.root, name)


def _find_decision(ports: Ports, state: SessionState, said: str) -> dict[str, Any]:
    """Find out who decided how to proceed after failures, and what, if the session waits at that question."""
    question = escalation_question(state)
    if typed := answer_to(ports.root, ports.seal, question):
        return {"decided_by": Who.USER.value, "accepts": accepts(typed)}
    return {"decided_by": who_asked(said, prompts_since_start(ports, state)).value} if question else {}


def _documents(ports: Ports, state: SessionState, payload: DocumentResearch) -> Facts:
    sources = [rule.source for rule in payload.mandatory_rules]
    files = _file_facts(ports, [*payload.documents_reviewed, *sources])
    found = (
        find_source(rule.rule, rule.source, text_of(ports.root, path).splitlines())
        if (path := _path_of(rule.source) or rule.source) in files and files[path].lines
        else rule.source
        for rule in payload.mandatory_rules
    )
    return Facts(files=files, rule_sources=tuple(found))


def _frame(ports: Ports, state: SessionState, payload: QueryFrame) -> Facts:
    values = [slot.value for _, slot in payload.slots or () if slot and slot.value]
    near = ports.code.relevance(values, payload.target_symbols) if values and payload.target_symbols else {}
    return Facts(
        in_text=ports.code.in_text(payload.target_symbols),
        relevance=near,
        nearness=word_nearness(ports.code, state.query, values),
    )


def word_nearness(code: Code, request: str, values: Iterable[str]) -> Mapping[str, float]:
    """Return how similar each new word of the values is to the nearest word of the request; empty if nobody can say."""
    new = list(dict.fromkeys(word for value in values for word in new_words(value, request)))[:MAX_WORDS]
    return code.relevance(content_words(request)[:MAX_WORDS], new) if new else {}


def _exploration(ports: Ports, state: SessionState, payload: Exploration) -> Facts:
    named = [path for line in payload.findings for path in _FILE_WITH_LINE.findall(line)]
    files = _file_facts(ports, [*payload.explored_files, *named])
    return Facts(files=files, has_sources=ports.code.has_sources(), in_text=ports.code.in_text(_targets(state)))


def _targets(state: SessionState) -> list[str]:
    return list(state.query_frame.get("target_symbols", ()))


def _q1(ports: Ports, state: SessionState, payload: Q1) -> Facts:
    asked = state.intent is Intent.MODIFY and may_overrule(state, "q1", answer=payload.needs_more_information)
    return Facts(in_text=ports.code.in_text(_targets(state))) if asked else Facts()


def _q3(ports: Ports, state: SessionState, payload: Q3) -> Facts:
    asked = state.intent.implements and may_overrule(state, "q3", answer=payload.needs_impact_analysis)
    known = frozenset((*state.seen, *state.must_verify))  # the agent's own analysis named these, with their lines
    return Facts(unseen_users=ports.code.unseen_users(_targets(state), known)) if asked else Facts()


def _verification(ports: Ports, state: SessionState, payload: Verification) -> Facts:
    return Facts(files=_file_facts(ports, [entry.evidence for entry in payload.hypotheses_verified]))


def _implement(ports: Ports, state: SessionState, payload: ReadyImpl) -> Facts:
    done = [item for item in payload.checklist if item.status == "done"]
    given = [place for item in done for place in item.places()]
    changes, task = changes_of(ports.git, state), state.task(payload.task_id)
    places = find_places(ports, given, changes)
    items = [item.item for item in task.checklist] if task else []
    evident = find_evident(ports, items, changes) if any(not item.places() for item in done) else {}
    texts = [text for meant in (*evident.values(), *(places.get(place, (place,)) for place in given)) for text in meant]
    files = _file_facts(ports, texts)
    named = {fact.path for fact in files.values() if fact.is_there}
    kinds, unchanged = dict(find_kinds(ports, files, texts, changes)), named - {change.path for change in changes}
    return Facts(
        ignored=frozenset(path for path in unchanged if ports.git and ports.git.ignores(path)),
        files=files,
        places=places,
        evident=evident,
        kinds=kinds,
        only_comments=find_commented(ports, state, kinds, changes),
        changes=changes,
        digests={path: ports.git.file_digest(path) for path in sorted(named)} if ports.git else {},
        stubs=tuple(_stubs(ports, state, changes)),
        named={item: tuple(files_named(ports.root, item)) for item in items},
        untouched=_untouched(ports, state, items, changes),
        planned=tuple(_planned(ports, payload.tasks or ())),
    )


def _untouched(
    ports: Ports, state: SessionState, items: Iterable[str], changes: Sequence[Changed]
) -> dict[str, tuple[str, ...]]:
    """Names of the project's text that an item marks as code, and that no change concerns, by item.

    An item is left out if a change concerns one of its names: "call `a` from `b`" changes `b` alone.
    """
    marked = {item: [*_CODE_NAME.findall(item), *find_apart(ports, item, changes)] for item in items}
    names = list(dict.fromkeys(name for found in marked.values() for name in found))
    if not names or ports.git is None:
        return {}
    touched = _touched(ports, ports.git, state, names, changes)
    known = ports.code.in_text(names)
    return {
        item: tuple(found)
        for item, found in marked.items()
        if found and touched.isdisjoint(found) and all(known.get(name) for name in found)
    }


def _touched(
    ports: Ports, git: GitRepository, state: SessionState, names: Iterable[str], changes: Iterable[Changed]
) -> set[str]:
    """Names that a change concerns; of a deleted file those of `names` that it held."""
    touched: set[str] = set()
    for change in changes:
        before = text_before(git, state, change)
        if change.status == "deleted":
            touched |= {name for name in names if name in before}
        elif not change.preexisting:
            touched |= {*ports.code.names_touched(change.path, before, change.ranges)}
    return touched


def _stubs(ports: Ports, state: SessionState, changes: Iterable[Changed]) -> Iterator[str]:
    """Functions that the session left empty, whatever is cited; in tests an empty function is a stand-in."""
    for change in changes:
        is_gone = change.status in ("deleted", "mode") or not change.content or change.preexisting
        if ports.git is None or is_gone or change.is_link or is_test(change.path):
            continue
        before = text_before(ports.git, state, change)
        for line, name in ports.code.new_stubs(change.path, before, change.ranges):
            yield f"{change.path}:{line} {name}"


def _complete(ports: Ports, state: SessionState, payload: Payload) -> Facts:
    changes = changes_of(ports.git, state)
    return Facts(
        changes=changes,
        stubs=tuple(_stubs(ports, state, changes)),
        unseen=tuple(_unseen(ports, state, changes)),
        absent=find_absent(ports, state, changes),
        same_proof=tuple(_same_proof(ports, state)),
    )


def _same_proof(ports: Ports, state: SessionState) -> Iterator[str]:
    """Finished tasks all of whose evidence lies in definitions in which that of the tasks before lies too.

    A task of a later plan may well repair what an earlier one made.
    """
    before: set[tuple[object, ...]] = set()
    for task in state.tasks:
        places = _places(ports, task)
        if places and places <= before and task.round == state.tasks[0].round:
            yield task.id
        before |= places


def _places(ports: Ports, task: Task) -> set[tuple[object, ...]]:
    """Definitions in which the evidence of a task lies; outside of all of them its lines."""
    found: set[tuple[object, ...]] = set()
    for text in (text for item in task.checklist for text in item.evidence):
        if (evidence := parse_evidence(text)) is not None:
            names = ports.code.definitions_at(evidence.path, evidence.start, evidence.end)
            found |= {(evidence.path, name) for name in names} or {(evidence.path, evidence.start, evidence.end)}
    return found


def _unseen(ports: Ports, state: SessionState, changes: Iterable[Changed]) -> Iterator[str]:
    """Functions of the base that the session changed, and that no tool of this server showed."""
    for change in changes:
        if ports.git is None or change.status not in ("modified", "renamed") or change.preexisting or change.binary:
            continue
        shown = [*state.lines_shown.get(change.source, ()), *state.lines_shown.get(change.path, ())]
        for name, places in ports.code.altered(change.path, text_before(ports.git, state, change)):
            if not any(first <= end and start <= last for first, last in places for start, end in shown):
                yield f"{change.path}: {name}"


def _tested(ports: Ports, state: SessionState, payload: Payload) -> Facts:
    """Return what was changed, which verifiers judge it, and the tree that their runs are compared with."""
    changes = changes_of(ports.git, state)
    trusted = state.trusted or ports.library.trusted()
    facts = Facts(verifiers=_verifiers(ports, state, changes), trusted=trusted, changes=changes)
    if ports.git is None:
        return facts
    weakened = tuple(find_weakened_tests(ports.root, ports.git, state, changes))
    return replace(facts, tree=committable_tree(ports.git, state, changes), weakened=weakened)


def _verifiers(ports: Ports, state: SessionState, changes: Iterable[Changed]) -> dict[str, VerifierFact]:
    """Those the session began with. One that lost its command or its file since still needs a receipt."""
    now = ports.library.verifiers()
    began = {name: verifier.command for name, verifier in now.items()} if state.verifiers is None else state.verifiers
    paths = [change.path for change in changes if not change.preexisting]
    everything = state.flags.only_verify and not paths  # the tree as it is committed: every verifier judges it
    return {
        name: VerifierFact(
            name,
            has_command=bool(command) or (name in now and bool(now[name].command)),
            fits=everything or name not in now or now[name].fits(paths),
            is_lost=name not in now or not now[name].command,
            is_reading=name in now and now[name].is_reading,
        )
        for name, command in began.items()
    }


def find_weakened_tests(
    root: Path, git: GitRepository, state: SessionState, changes: Iterable[Changed]
) -> list[Weakened]:
    """Find the tests of changed test files that promise less than before the session."""
    found = []
    for change in changes:
        if not change.preexisting and (is_test(change.path) or is_test(change.source)):
            before = read_tests(change.source, text_before(git, state, change))
            found.append(TestCode(change.path, before, read_tests(change.path, text_of(root, change.path))))
    return find_weakened(found)


def _intervention(ports: Ports, state: SessionState, payload: VerifyIntervention) -> Facts:
    prompts = (*ports.library.prompts("interventions"), ESCALATION)
    return Facts(prompts=prompts, **_find_decision(ports, state, payload.action_taken))


def _review(ports: Ports, state: SessionState, payload: Payload) -> Facts:
    facts = Facts(prompts=ports.library.prompts("review_prompts"), **_chain(ports.git, state))
    return replace(facts, **_branch_facts(ports, state))


def _chain(git: GitRepository | None, state: SessionState) -> dict[str, Any]:
    """Return the changes, the tree of a commit of them, and in what it differs from the verified one."""
    changes = changes_of(git, state)
    if git is None or not state.base_commit:
        return {"changes": changes}
    tree, last = committable_tree(git, state, changes), state.verified_tree
    since = tuple(git.compare(last, tree)) if last and last != tree and git.trees.holds(last) else ()
    return {"changes": changes, "tree": tree, "since_verified": since}


def _merge(ports: Ports, state: SessionState, payload: Payload) -> Facts:
    facts = replace(
        _tested(ports, state, payload), merge_mode=ports.merge_mode, fixups=ports.fixups, **_branch_facts(ports, state)
    )
    if not facts.merged:
        facts = replace(facts, **_chain(ports.git, state))
    if ports.git is None or not facts.on_branch or state.branch == state.base or not state.commits:
        return facts
    found = ports.git.branch_status(state.branch, state.base, state.commits[-1], state.base_commit)
    settings = [path for path in found.settings if not is_server_state(path)]
    tips = ports.git.tips(state.branch, state.base)
    listed = ports.git.commits_between(tips.base, tips.branch) if tips.base and tips.branch else ()
    return replace(
        facts,
        in_base=found.in_base,
        brought=found.own,
        late=found.late,
        late_commits=found.commits,
        foreign=tuple(one for one in listed if not any(own.startswith(one.split(" ")[0]) for own in state.commits)),
        settings_unseen=tuple(ports.git.hidden_in(tips.branch, settings)),
        work_gone=found.gone,
        base_moved=found.base_moved,
    )


def _branch_facts(ports: Ports, state: SessionState) -> dict[str, Any]:
    git = ports.git
    if git is None:
        return {"on_branch": False}
    current = git.current_branch() or ""
    merged = current == state.base != state.branch and bool(state.commits) and git.landed(state.commits[-1])
    return {"on_branch": current == state.branch, "merged": merged}


_COLLECT: dict[Key, Callable[[Ports, SessionState, Any], Facts]] = {
    Key.BRANCH_INTERVENTION: _branch,
    Key.DOCUMENT_RESEARCH: _documents,
    Key.QUERY_FRAME: _frame,
    Key.EXPLORATION: _exploration,
    Key.Q1: _q1,
    Key.Q3: _q3,
    Key.VERIFICATION: _verification,
    Key.READY_PLAN: _plan,
    Key.READY_IMPL: _implement,
    Key.READY_COMPLETE: _complete,
    Key.POST_IMPL_VERIFY: _tested,
    Key.VERIFY_INTERVENTION: _intervention,
    Key.PRE_COMMIT: _review,
    Key.QUALITY_REVIEW: _review,
    Key.MERGE: _merge,
}
