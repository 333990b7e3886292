"""Fakes of everything a session stands on, and a scripted agent: for the tests of this package and of others.

The fakes follow the Protocols of `ports`; git is never faked, a repository costs a few processes. `Driver`
plays a valid payload for whatever phase the session stands at, so that a test tells only what differs.
"""

import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from codeintel_contract.loader import Contract, load
from codeintel_contract.names import Key

from .access import check_write_target, review_changes
from .adapters.git import GitRepository
from .machine.decide import current
from .machine.state import SessionState
from .machine.watch import Seen
from .ports import Clock, Code, Library, Ports, Verifier
from .reply import Reply
from .service import SessionService

QUERY = "make count_all return the number of values when the list is empty because it crashes with an error"
SOURCE = "def count_all(values):\n    return len(values)\n"
MODULE = "src/stats.py"


@dataclass
class FakeCode:
    """The index: every answer is a field."""

    definitions: set[str] = field(default_factory=lambda: {"count_all"})
    empties: set[tuple[str, int, int]] = field(default_factory=set)
    sources: bool = True
    scores: dict[str, float] = field(default_factory=dict)
    learned: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def is_empty(self, path: str, start: int, end: int) -> bool:
        """True for what stands in `empties`."""
        return (path, start, end) in self.empties

    def defines(self, name: str) -> bool:
        """True for what stands in `definitions`."""
        return name in self.definitions

    def has_sources(self) -> bool:
        """`sources`."""
        return self.sources

    def relevance(self, values: Sequence[str], names: Sequence[str]) -> Mapping[str, float]:
        """`scores` of the names it has one for."""
        return {name: self.scores[name] for name in names if name in self.scores}

    def learn(self, state: SessionState, changed: Sequence[str], learned_at: str) -> int:
        """Keep what was taught in `learned`."""
        self.learned.append((state.session_id, tuple(changed)))
        return len(changed)


@dataclass
class FakeLibrary:
    """Prompts, verifiers and documents as given, over the packaged contract."""

    folders: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            "interventions": ("step_back.md", "hypothesis_review.md"),
            "review_prompts": ("garbage_detection.md", "quality_review.md"),
        }
    )
    known: dict[str, Verifier] = field(
        default_factory=lambda: {"generic.md": Verifier("generic.md", "Look at it.", match=("**/*.py",))}
    )
    found: tuple[str, ...] = ()
    digest_now: str | None = None
    """What `contract_digest` says; None is the truth. Set it to play an edited contract file."""

    def prompts(self, folder: str) -> tuple[str, ...]:
        """File names of `folders`."""
        return self.folders.get(folder, ())

    def verifiers(self) -> Mapping[str, Verifier]:
        """`known`."""
        return self.known

    def documents(self, query: str) -> tuple[str, ...]:
        """`found`."""
        return self.found

    def contract(self, pinned: str = "") -> Contract:
        """The packaged contract."""
        return load(None)

    def contract_digest(self) -> str:
        """The packaged contract's digest, or `digest_now`."""
        return load(None).digest if self.digest_now is None else self.digest_now


@dataclass
class FixedClock:
    """A clock that goes on by `tick_s` with every look, and tokens that count up."""

    time: datetime = datetime(2026, 11, 21, 10, 0, 0, tzinfo=UTC)
    tick_s: float = 2.0
    tokens: int = 0

    def now(self) -> datetime:
        """The time; the next look is later."""
        self.time += timedelta(seconds=self.tick_s)
        return self.time

    def token(self) -> str:
        """0001, 0002, …"""
        self.tokens += 1
        return f"{self.tokens:04x}"


@dataclass(frozen=True)
class Repo:
    """A real repository on disk, driven on the command line."""

    root: Path

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git and return what it printed."""
        done = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout.rstrip("\n")

    def write(self, path: str, text: str) -> Path:
        """Write a file and return where it is."""
        here = self.root / path
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_text(text, encoding="utf-8")
        return here

    def read(self, path: str) -> str:
        """The text of a file."""
        return (self.root / path).read_text(encoding="utf-8")

    def commit(self, message: str = "work") -> str:
        """Commit everything and return the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def branches(self) -> list[str]:
        """Local branches."""
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    @property
    def branch(self) -> str:
        """The branch HEAD stands on."""
        return self.git("branch", "--show-current")

    def status(self) -> list[str]:
        """`git status`, one line a path."""
        return [line for line in self.git("status", "--porcelain", "-uall").splitlines() if line]

    def hook(self, name: str, body: str) -> Path:
        """Install a hook."""
        here = self.write(f".git/hooks/{name}", "#!/bin/sh\n" + body)
        here.chmod(0o755)
        return here


def make_repo(root: Path, files: Mapping[str, str] | None = None, *, commit: bool = True) -> Repo:
    """A repository on branch main; `files` is one module unless told, committed unless told."""
    root.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", "--template=", "-b", "main", str(root)], check=True)
    repo = Repo(root)
    for key, value in {"user.name": "Ada", "user.email": "ada@example.org", "commit.gpgSign": "false"}.items():
        repo.git("config", key, value)
    for path, text in (files if files is not None else {MODULE: SOURCE}).items():
        repo.write(path, text)
    if commit:
        repo.commit("First")
    return repo


def without_git_environment() -> Iterable[str]:
    """Names of variables a test must take away, so that no configuration of the machine reaches it."""
    return [name for name in os.environ if name.startswith("GIT_")]


@dataclass
class World:
    """One project with all its fakes; services on it come and go like processes do."""

    root: Path
    code: FakeCode = field(default_factory=FakeCode)
    library: FakeLibrary = field(default_factory=FakeLibrary)
    clock: FixedClock = field(default_factory=FixedClock)
    merge_mode: str = "no-ff"
    with_git: bool = True

    def ports(self) -> Ports:
        """Fresh ports on the project."""
        code: Code = self.code
        library: Library = self.library
        clock: Clock = self.clock
        git = GitRepository.discover(self.root) if self.with_git else None
        return Ports(self.root, git, code, library, clock, self.merge_mode)

    def service(self) -> SessionService:
        """A service as a new process would make it."""
        return SessionService(self.ports())


def crashed(service: SessionService) -> None:
    """Leave a service as a killed process does: nothing saved, nothing archived, the lock freed by the kernel."""
    service.lock.release()


Payload = dict[str, Any]


class Driver:
    """An agent that does everything right; attributes say what it answers where there is a choice."""

    def __init__(self, service: SessionService, repo: Repo | None = None) -> None:
        self.service = service
        self.repo = repo
        self.answers = {"q1": False, "q2": False, "q3": False}
        self.choice = "continue"
        self.passed = True
        self.issues: list[str] = []
        self.targets = ["count_all"]
        self.explored = [MODULE]
        self.edits = 0

    @property
    def state(self) -> SessionState:
        """The running session."""
        return self.service.require()

    def start(self, intent: str = "MODIFY", query: str = QUERY, **flags: object) -> Reply:
        """Start a session."""
        return self.service.start(intent, query, flags)

    def key(self) -> Key:
        """The contract key the session stands at."""
        return current(self.state).key

    def see(self, tool: str, *shown: str, **more: Any) -> None:
        """Have a tool of ours called."""
        self.service.observe(Seen(tool=tool, shown=shown, **more))

    def payload(self) -> Payload:
        """A valid payload for the present phase; what it needs is done first."""
        key = self.key()
        fields = _PLAY[key](self)
        return {"summary": f"{key.value} done", "compaction_count": self.state.compaction_count, **fields}

    def submit(self, **changes: Any) -> Reply:
        """Submit a valid payload, with fields changed; a field set to ... is left out."""
        payload = {**self.payload(), **changes}
        return self.service.submit({name: value for name, value in payload.items() if value is not ...})

    def accept(self, **changes: Any) -> Reply:
        """Submit and insist on it being accepted."""
        reply = self.submit(**changes)
        assert reply["success"], reply
        return reply

    def until(self, key: Key, limit: int = 60) -> "Driver":
        """Go on until the session stands at a phase."""
        for _ in range(limit):
            if self.key() is key:
                return self
            self.accept()
        raise AssertionError(f"never came to {key.value}")

    def finish(self, limit: int = 80) -> Reply:
        """Go on to the end; returns the last reply."""
        for _ in range(limit):
            reply = self.accept()
            if reply["phase"] == "SESSION_COMPLETE":
                return reply
        raise AssertionError("never came to an end")

    def edit(self) -> str:
        """Change the module; returns evidence for the change."""
        assert self.repo is not None
        self.edits += 1
        text = self.repo.read(MODULE) if (self.repo.root / MODULE).exists() else ""
        self.repo.write(MODULE, f"{text}\n\ndef more_{self.edits}(values):\n    return [{self.edits}, *values]\n")
        lines = len(self.repo.read(MODULE).splitlines())
        return f"{MODULE}:{lines - 1}-{lines}"


def _explore(driver: Driver) -> Payload:
    driver.see("search_text", *driver.explored)
    driver.see("find_references", *driver.explored, subject="count_all")
    return {
        "explored_files": driver.explored,
        "findings": ["count_all takes a list"],
        "tools_used": ["search_text", "mcp__code-intel__find_references"],
    }


def _frame(driver: Driver) -> Payload:
    slots = {
        "target_feature": {"value": "count_all", "quote": "count_all"},
        "observed_issue": {"value": "it crashes with an error", "quote": "because it crashes with an error"},
        "desired_action": {"value": "return the number", "quote": "return the number of values"},
    }
    return {
        "action_type": "modify",
        "target_symbols": driver.targets,
        "scope": "one function",
        "constraints": "none",
        "slots": slots if driver.state.query == QUERY else ...,
        "tools_used": [],
    }


def _gate(name: str, answer: str) -> Callable[[Driver], Payload]:
    return lambda driver: {answer: driver.answers[name], "reason": "it is a small and local change", "tools_used": []}


def _semantic(driver: Driver) -> Payload:
    driver.see("semantic_search", count=1)
    return {
        "search_query": "counting",
        "search_results": [f"{MODULE}:1 counts"],
        "tools_used": ["semantic_search"],
    }


def _verification(driver: Driver) -> Payload:
    entry = {"hypothesis": "it counts", "result": True, "evidence": f"{MODULE}:1"}
    return {"hypotheses_verified": [entry], "tools_used": []}


def _impact(driver: Driver) -> Payload:
    driver.see("analyze_impact", must_verify=(MODULE,))
    return {"impact_summary": {MODULE: "will_modify: the function"}, "tools_used": ["analyze_impact"]}


def _plan(driver: Driver) -> Payload:
    old = [{"id": task.id, "description": task.description, "status": task.status} for task in driver.state.tasks]
    new = {
        "id": f"task_{driver.state.plan_round + 1}",
        "description": f"change count_all in {MODULE}",
        "status": "pending",
        "checklist": [{"item": "the change", "status": "pending"}],
    }
    decided = {"user_decision": "go on"} if driver.state.counters.verification_failure_count >= 6 else {}
    return {"tasks": [*old, new], "tools_used": [], **decided}


def _implement(driver: Driver) -> Payload:
    if MODULE not in driver.state.explored:
        driver.service.change(lambda now: {"explored": (*now.explored, MODULE)})
    check_write_target(driver.service, MODULE)
    driver.see("check_write_target")
    evidence = driver.edit()
    task = driver.state.pending_tasks()[0]
    items = [{"item": item.item, "status": "done", "evidence": evidence} for item in task.checklist]
    return {"task_id": task.id, "checklist": items, "tools_used": ["check_write_target"]}


def _verify(driver: Driver) -> Payload:
    return {"verifier_used": "generic.md", "passed": driver.passed, "details": "looked at it", "tools_used": []}


def _intervene(driver: Driver) -> Payload:
    prompt = "user_escalation.md" if driver.state.counters.intervention_count >= 2 else "step_back.md"
    return {"prompt_used": prompt, "action_taken": "another way", "tools_used": []}


def _pre_commit(driver: Driver) -> Payload:
    rows = review_changes(driver.service)
    driver.see("review_changes", count=len(rows))
    return {
        "review_prompt_used": "garbage_detection.md",
        "reviewed_files": [row["path"] for row in rows if row["whose"] != "older" and "committed" not in row],
        "commit_message": "Count empty lists too",
        "tools_used": ["review_changes"],
    }


def _quality(driver: Driver) -> Payload:
    return {
        "quality_prompt_used": "quality_review",
        "quality_score": "good",
        "issues": driver.issues,
        "tools_used": [],
    }


_PLAY: dict[Key, Callable[[Driver], Payload]] = {
    Key.BRANCH_INTERVENTION: lambda driver: {"choice": driver.choice, "tools_used": []},
    Key.DOCUMENT_RESEARCH: lambda driver: {"documents_reviewed": list(driver.state.documents), "tools_used": []},
    Key.QUERY_FRAME: _frame,
    Key.EXPLORATION: _explore,
    Key.Q1: _gate("q1", "needs_more_information"),
    Key.SEMANTIC: _semantic,
    Key.Q2: _gate("q2", "has_unverified_hypotheses"),
    Key.VERIFICATION: _verification,
    Key.Q3: _gate("q3", "needs_impact_analysis"),
    Key.IMPACT_ANALYSIS: _impact,
    Key.READY_PLAN: _plan,
    Key.READY_IMPL: _implement,
    Key.READY_COMPLETE: lambda driver: {},
    Key.POST_IMPL_VERIFY: _verify,
    Key.VERIFY_INTERVENTION: _intervene,
    Key.PRE_COMMIT: _pre_commit,
    Key.QUALITY_REVIEW: _quality,
    Key.MERGE: lambda driver: {},
}
