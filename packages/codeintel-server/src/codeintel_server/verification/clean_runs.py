"""Run verifiers so that the result counts: in a clean checkout, compared with the same command on the session's base.

One checkout serves all runs of a call: the present tree, then the base's tests on the new code, then the new tests on
the base's code. It lies in the user's state folder and is removed when the call ends. The base is run once for each
tree, command and environment, in the background from the moment there is a plan, and its result is kept.

Where a clean checkout is not possible, the command runs in the project and the receipt says so: a link cannot be made,
the run still imports the project's code, or the base itself fails in its checkout before it runs a test, which
shows that the environment is at fault and not the session.
"""

import hashlib
import os
import re
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

from codeintel_contract import ContractViolation
from codeintel_server.verification import comparison, environment, reading
from codeintel_server.verification.base_results import Base, BaseResults
from codeintel_server.verification.checkout import Call, Checkout, NoCheckout, make_checkout, places
from codeintel_server.verification.comparison import named
from codeintel_server.verification.hollow_runs import examine
from codeintel_server.verification.runner import Progress, Ran, run_command, wait_for
from codeintel_server.verification.selection import narrow
from codeintel_server.verification.trust import state_folder
from codeintel_session import (
    AskedWords,
    BaseTests,
    Clock,
    GitFault,
    GitRepository,
    MessageRef,
    Named,
    Receipt,
    SessionService,
    SessionState,
    Verifier,
    Versions,
    assess_receipt,
    find_versions,
    keep_receipt,
    one_moment,
    request_of,
)

EXTRA_S = 300.0
"""Limit of a run beside the one that counts."""
WHOLE_S = 60.0
"""A suite that takes longer than this is not run once more where its runner cannot select files."""
_INSTALLS = re.compile(r"\b(?:install|sync|tox|nox)\b")
"""A command that may prepare its own environment."""
WAIT_S = 1.0
TRIES = 5


class CleanRuns:
    """The runs of one project's verifiers."""

    def __init__(self, root: Path, clock: Clock, lane: str = "") -> None:
        """Set up the runs; those of another `lane` have checkouts of their own, so that both can run at once."""
        self.root = root
        self._clock = clock
        self._git: GitRepository | None = None
        name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:8]
        self._bases = BaseResults(state_folder() / "runs" / name)
        self._places = places() / f"{name}{lane}"
        self._closing = threading.Event()
        self._base_lock = threading.Lock()
        self._run_lock = threading.Lock()
        self._background: list[threading.Thread] = []
        self._begun: set[tuple[str, str]] = set()
        self._news: dict[tuple[str, str], MessageRef] = {}

    def open(self, git: GitRepository | None) -> None:
        """Take the project's repository, None outside of one."""
        self._git = git

    @property
    def _repository(self) -> GitRepository:
        if self._git is None:
            raise NoCheckout("the project is not a git repository")
        return self._git

    def dependencies(self) -> dict[str, str]:
        """Return digests of the ignored folders and files that runs of verifiers need, and of the lock files."""
        return environment.digest_dependencies(self.root, self._found()) if self._git else {}

    def _found(self) -> tuple[str, ...]:
        return environment.find_dependencies(self._git.ignored()) if self._git else ()

    def close(self) -> None:
        """Stop the runs; what they still return is not kept."""
        self._closing.set()

    def clear(self) -> None:
        """Wait for the runs that were stopped, so that they remove their checkouts, and remove what is empty then."""
        for thread in self._background:
            thread.join(WAIT_S)
        if self._run_lock.acquire(timeout=WAIT_S):
            self._run_lock.release()
        with suppress(OSError):  # it is not there, or holds what builds can use again
            self._places.rmdir()

    def start_base(self, service: SessionService, verifiers: Sequence[Verifier]) -> None:
        """Run verifiers on the session's base in the background, each once a session; nobody waits for it."""
        self.open(service.ports.git)
        state = service.require()
        new = [one for one in verifiers if not one.is_reading and (state.session_id, one.name) not in self._begun]
        if self._git is None or not state.base_commit or not new:
            return
        self._begun |= {(state.session_id, one.name) for one in new}
        self._background = [thread for thread in self._background if thread.is_alive()]
        self._background.append(threading.Thread(target=self._run_bases, args=(service, new), daemon=True))
        self._background[-1].start()

    def _run_bases(self, service: SessionService, verifiers: Sequence[Verifier]) -> None:
        for verifier in verifiers:
            try:
                state = service.require()
                base = self._base(self._call(state, verifier, None, self._closing.is_set))
            except (ContractViolation, GitFault, OSError):
                continue  # run_verifier meets the same fault, and says so
            if (say := base.failing(verifier.name)) is not None:
                self._news[state.session_id, verifier.name] = say

    def fails_on_base(self, state: SessionState, *, take: bool) -> list[MessageRef]:
        """Return what fails on the base, of verifiers that did not run in the session yet; `take` says it only once."""
        found = [key for key in list(self._news) if key[0] == state.session_id and key[1] not in state.receipts]
        return [self._news.pop(key) if take else self._news[key] for key in found]

    def _call(
        self, state: SessionState, verifier: Verifier, progress: Progress | None, stopped: Callable[[], bool]
    ) -> Call:
        found = () if verifier.setup else self._found()
        versions = self._consistent(state, verifier)
        return Call(
            verifier=verifier,
            versions=versions,
            dependencies=found,
            digests=environment.digest_dependencies(self.root, found),
            progress=progress,
            stopped=lambda: stopped() or self._closing.is_set(),
        )

    def _consistent(self, state: SessionState, verifier: Verifier) -> Versions:
        """Return the present tree with what of it the session changed; files may change while both are read."""
        for _ in range(TRIES):
            with one_moment(self._git):
                tree = self._git.trees.take() if self._git else ""
                versions = find_versions(self._git, state, verifier.tests, verifier.steers)
            if self._git is None or self._git.trees.take() == tree:
                return versions
        raise ContractViolation("tool_errors.run_verifier.files_change", name=verifier.name)

    def verify(
        self, service: SessionService, verifier: Verifier, progress: Progress | None, stopped: Callable[[], bool]
    ) -> tuple[Receipt, str | None]:
        """Run a verifier on the present tree and keep the receipt; return it with the end of the output.

        A run of this tree that passed is not repeated, nor one that another call has under way: its receipt is
        returned, and None for the output.
        """
        self.open(service.ports.git)  # its trees are those of the session
        with wait_for(self._run_lock, verifier, progress, lambda: stopped() or self._closing.is_set()):
            state = service.require()
            call = replace(self._call(state, verifier, progress, stopped), request=request_of(service.ports, state))
            earlier = state.receipts.get(verifier.name)
            if earlier is not None and self._still_holds(earlier, state, call):
                return earlier, None
            receipt, output = self._verified(call, state)
            at = self._clock.now().isoformat(timespec="seconds")
            return keep_receipt(service, receipt.model_copy(update={"at": at})), output

    def verify_by_hand(self, state: SessionState, verifier: Verifier) -> tuple[Receipt, str]:
        """Run a verifier as for a session in this state, and keep nothing; return the receipt and the output."""
        call = self._call(state, verifier, None, self._closing.is_set)
        call = replace(call, request=AskedWords((), told=state.query))
        receipt, output = self._verified(call, state)
        return receipt.model_copy(update={"at": self._clock.now().isoformat(timespec="seconds")}), output

    def _still_holds(self, earlier: Receipt, state: SessionState, call: Call) -> bool:
        is_same = (
            bool(call.versions.tree) and earlier.tree == call.versions.tree and earlier.command == call.verifier.command
        )
        if call.verifier.is_reading:
            is_same = is_same and self._git is not None and self._git.changed_at(list(earlier.seen)) == earlier.seen
            return is_same and earlier.ids == reading.digest_of(call.request) and not earlier.unanswered
        same_environment = earlier.environment_changed == self._environment_changed(state, call)
        return is_same and same_environment and not earlier.in_place and assess_receipt(earlier)[0] == "passed"

    def _environment_changed(self, state: SessionState, call: Call) -> tuple[str, ...]:
        return environment.changed_since(state.dependencies, call.digests, is_made=bool(call.verifier.setup))

    def _verified(self, call: Call, state: SessionState) -> tuple[Receipt, str]:
        blank = Receipt(
            verifier=call.verifier.name,
            command=call.verifier.command,
            exit=0,
            tree=call.versions.tree,
            at="",
            reported=call.verifier.report != "none" and not call.verifier.is_reading,
            is_reading=call.verifier.is_reading,
            steering=call.versions.steering[: comparison.KEPT],
            data=call.versions.data[: comparison.KEPT],
            asking=call.versions.asking[: comparison.KEPT],
            disguised=call.versions.disguised[: comparison.KEPT],
            shared=call.dependencies[: comparison.KEPT],
            environment_changed=self._environment_changed(state, call)[: comparison.KEPT],
        )
        try:
            return self._read(call, blank, state) if blank.is_reading else self._in_checkout(call, blank, state)
        except NoCheckout as why:
            if blank.is_reading:
                return blank.model_copy(update={"unanswered": str(why)}), ""
            ran = run_command(self.root, call.verifier, call.progress, call.stopped)
            if why.compared is not None and comparison.ran_nothing(
                ran
            ):  # the environment is not at fault: it fails here too
                return why.compared
            found = {"in_place": str(why), "shared": (), "base": Base(why=str(why)).told(), "red_before_why": str(why)}
            return _with_run(blank, ran).model_copy(update={**found, "broken": _broken(ran, set())}), ran.output

    def _read(self, call: Call, blank: Receipt, state: SessionState) -> tuple[Receipt, str]:
        git = self._repository
        if not any((*call.request.asked, call.request.told)):
            raise NoCheckout("no session holds a request")
        base, tree = call.versions.base_commit, call.versions.tree
        patches = git.patches(base, tree)
        if not call.versions.changed:
            return blank, ""
        with self._checkout("read", call, ()) as place:
            here = (path for path in call.versions.changed if os.path.lexists(place.root / path))
            for path in (path for path in here if path not in patches):  # its type changed: a link in place of a file
                patches[path] = git.diff_text(base, path, end=tree)
            was = self._version(call, call.versions.changed)
            found, output = reading.read_change(place, patches, self.root, state, was)
        return blank.model_copy(update=found), output

    def _in_checkout(self, call: Call, blank: Receipt, state: SessionState) -> tuple[Receipt, str]:
        with self._checkout("now", call, ()) as place:
            unlike, before, stamps = place.find_unlike(self.root), place.digests(), place.stamps()
            ran = place.run(call.verifier)
            place.check()
            after, later = place.digests(), place.stamps()
            changed = (path for path in before if before[path] != after[path])
            created, loaded = place.take_created()
            rewritten = dict.fromkeys((*unlike, *changed, *place.other_modules(), *self._written_to(call)))
            base = self._base_of(call, ran, loaded)
            rewritten |= dict.fromkeys(path for path in loaded if path not in base.made)
            blank = blank.model_copy(
                update={
                    "rewritten": tuple(rewritten)[: comparison.KEPT],
                    "touched": tuple(path for path in stamps if stamps[path] != later.get(path))[: comparison.KEPT],
                    "created": created[: comparison.KEPT],
                }
            )
            receipt, failing = self._compared(_with_run(blank, ran), ran, base)
            if base.ran is not None and comparison.ran_nothing(ran) and comparison.ran_nothing(base.ran):
                why = f"in a clean checkout the base fails too, before any test: {comparison.last_line(base.ran)}"
                raise NoCheckout(why, (receipt, ran.output))
            if ran.exit != 0 and not ran.timed_out and (failing or not receipt.red.count):
                receipt = self._once_more(place, call, receipt, ran, base, failing)
            if assess_receipt(receipt, state.tasks)[0] == "passed":
                receipt = receipt.model_copy(update=self._beside(place, call, ran, base))
        return receipt, ran.output

    def _written_to(self, call: Call) -> list[str]:
        """Return the environments of Python that a run left otherwise than it found them, so that it passes once."""
        if _INSTALLS.search(call.verifier.command):
            return []
        now = environment.digest_dependencies(self.root, call.dependencies)
        kept = [path for path in call.dependencies if (self.root / path / "pyvenv.cfg").is_file()]
        return [path for path in kept if now[path] != call.digests[path]]

    def _compared(self, receipt: Receipt, ran: Ran, base: Base) -> tuple[Receipt, set[str]]:
        before = base.ran
        failing = comparison.broken(before, ran)
        update: dict[str, object] = {"base": base.told(), "broken": _broken(ran, failing)}
        if before is not None and not before.timed_out:
            if not ran.cases and before.has_failures():
                update["broken"] = Named()  # which ones failed is not known on either side
            update |= {
                "before": before.counts,
                "red": named(ran.failing() & before.failing()),
                "gone": Named() if ran.timed_out else comparison.missing(before, ran),
                "skipped": comparison.newly_skipped(before, ran),
            }
        return receipt.model_copy(update=update), failing

    def _once_more(
        self, place: Checkout, call: Call, receipt: Receipt, ran: Ran, base: Base, failing: Collection[str]
    ) -> Receipt:
        """Run what failed a second time; what passes then is flaky, and the receipt names both results."""
        if base.ran is not None and not ran.cases and base.ran.exit != 0:
            return receipt
        again = self._selected(place, call, self._files_of(place, failing), ran)
        if again is None or again.exit != 0 or again.failing():
            return receipt
        flaky = named(failing) if failing else Named(count=max(1, ran.counts.get("failures", 0)))
        return receipt.model_copy(update={"flaky": flaky, "broken": Named(), "exit": 0})

    def _files_of(self, place: Checkout, tests: Collection[str]) -> list[str]:
        """Return the files that test ids begin with, a module in those of pytest; none if one is not found."""
        found: dict[str, None] = {}
        for test in tests:
            first = test.partition("::")[0]
            parts = first.split(".")
            modules = ("/".join(parts[:end]) + ".py" for end in range(len(parts), 0, -1))
            paths = (first, first.rpartition(" ")[2], *modules)
            path = next((path for path in paths if (place.root / path).is_file()), "")
            if not path:
                return []
            found[path] = None
        return list(found)

    def _beside(self, place: Checkout, call: Call, ran: Ran, base: Base) -> dict[str, object]:
        """Run the base's tests on the new code, then the session's tests on the base's code."""
        versions, usual = call.versions, base
        found: dict[str, object] = {}
        if any(path not in versions.new_tests or path in versions.old_tests for path in versions.tests):
            place.overlay(self._version(call, versions.tests), versions.tests)
            again = self._selected(place, call, versions.old_tests, ran)
            if again is not None and again.cases and comparison.broken(base.ran, again):
                usual = self._alone(place, call, ran, base)
            found["base_tests"] = _base_tests(ran, usual, again)
        place.overlay(self._version(call, ()), versions.changed)
        found |= examine(place, ran, base.ran, self._before)
        if not versions.new_tests and not any((place.root / path).is_file() for path in versions.tests):
            return found | {"red_before_why": "no file that its name shows to hold tests or their data was changed"}
        place.overlay(self._version(call, versions.code), versions.changed)
        fails, why = self._fails_before(place, call, ran, usual)
        return found | {"red_before": fails, "red_before_why": why}

    def _before(self, commit: str, path: str) -> bytes:
        return self._repository.text_at(commit, path).encode("utf-8", "surrogateescape")

    def _alone(self, place: Checkout, call: Call, ran: Ran, base: Base) -> Base:
        """Return the base with the results of these test files alone: some tests need what others have imported."""
        place.overlay(self._version(call, call.versions.changed), call.versions.changed)
        alone = self._selected(place, call, call.versions.old_tests, ran)
        if alone is None or base.ran is None:
            return base
        return replace(base, ran=replace(base.ran, cases={**base.ran.cases, **alone.cases}))

    def _fails_before(self, place: Checkout, call: Call, ran: Ran, base: Base) -> tuple[bool | None, str]:
        tests = call.versions.new_tests
        if not call.versions.code:
            return None, "only tests changed"
        again = self._selected(place, call, tests, ran)  # which tests read changed data is not known: all of them run
        named_files = ", ".join((tests or call.versions.tests)[: comparison.KEPT])
        if again is None:
            return None, "the runner cannot select test files, and the whole suite takes too long"
        if again.cases:
            fails = bool(comparison.broken(base.ran, again))
        elif base.ran is not None and base.ran.exit != 0:
            return None, "the run of the base failed without the new tests, and names no test"
        elif base.ran is None or not (again.counts or again.exit) or again.exit_without_failures():
            return None, "the run on the base's code has no results that can be compared"
        else:
            fails = again.has_failures() or not again.counts
        if not fails and not tests:
            return None, "beside the code only data changed, and the run passes on the base's code too"
        if not fails and base.ran is not None and not comparison.runs_new(base.ran, ran, again):
            return None, "the new tests do not run with the base's code, which does not list or build them"
        return fails, named_files

    def _selected(self, place: Checkout, call: Call, files: Sequence[str], ran: Ran) -> Ran | None:
        """Run the command on some test files; on all, where they cannot be selected and all do not take long."""
        present = [path for path in files if (place.root / path).is_file()]
        line = narrow(place.root, call.verifier.command, present) if present else ""
        if not line and ran.seconds > WHOLE_S:
            return None
        limit = min(call.verifier.timeout_s, EXTRA_S)
        again = place.run(replace(call.verifier, command=line or call.verifier.command, timeout_s=limit, setup=""))
        return None if again.timed_out else again

    def _base_of(self, call: Call, ran: Ran, made: tuple[str, ...]) -> Base:
        if not call.versions.changed:
            return Base(ran=ran, version=self._version(call, ()), made=made)
        return self._base(call)

    def _version(self, call: Call, old: Collection[str]) -> str:
        if not call.versions.base_commit:
            return call.versions.tree
        return self._repository.as_committed(call.versions.tree, call.versions.base_commit, sorted(old))

    def _base(self, call: Call) -> Base:
        """Return the result of the command on the base; the first call for a tree makes the run, others wait for it."""
        if not call.versions.base_commit:
            return Base(why="the session has no base commit")
        version = self._version(call, call.versions.changed)
        with wait_for(self._base_lock, call.verifier, call.progress, call.stopped):
            known = self._bases.find(call, version)
            if known is None:
                known = self._run_base(call, version)
                self._bases.keep(call, version, known)
            return known

    def _run_base(self, call: Call, version: str) -> Base:
        try:
            with self._checkout("base", call, call.versions.changed) as place:
                ran = place.run(call.verifier)
                place.check()
                return Base(version, ran, made=place.take_created()[1])
        except ContractViolation as violation:
            if violation.key.endswith("run_stopped"):
                raise
            return Base(version, why="its report could not be read")
        except NoCheckout as why:
            return Base(version, why=str(why))

    def _checkout(self, kind: str, call: Call, old: Collection[str]) -> AbstractContextManager[Checkout]:
        return make_checkout(self._repository, self.root, self._places / kind, self._version(call, old), call)


def _base_tests(ran: Ran, base: Base, again: Ran | None) -> BaseTests | None:
    if again is None or (not again.counts.get("tests") and not again.has_failures()):
        return None
    failed = comparison.broken(base.ran, again)
    count = again.counts.get("failures", 0) + again.counts.get("errors", 0)
    if not again.cases and ((base.ran is not None and base.ran.has_failures()) or again.exit_without_failures()):
        return None
    gone = comparison.missing(base.ran, ran) if base.ran else Named()
    return BaseTests(
        passed=comparison.passed_count(again),
        failed=named(failed) if again.cases else Named(count=count),
        gone=gone,
    )


def _with_run(blank: Receipt, ran: Ran) -> Receipt:
    ids = "\n".join(sorted(ran.cases)).encode("utf-8", "surrogatepass")
    found = {
        "exit": ran.exit,
        "counts": ran.counts,
        "seconds": round(ran.seconds, 1),
        "timed_out": ran.timed_out,
        "ids": hashlib.sha256(ids).hexdigest()[:16] if ran.cases else "",
    }
    return blank.model_copy(update=found)


def _broken(ran: Ran, failing: Collection[str]) -> Named:
    if ran.cases:
        return named(failing or ())
    return Named(count=ran.counts.get("failures", 0) + ran.counts.get("errors", 0))
