"""Parsing many files in several processes. Parsing holds the interpreter's lock, so threads would gain nothing.

Plain child processes over pipes instead of multiprocessing: nothing of the host's main module is run again, and a file
that kills its parser is searched as text, and costs neither the sync nor the server.
"""

import concurrent.futures
import os
import pickle
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from codeintel_index.paths import MAX_BYTES
from codeintel_index.store.rows import Batch, FileStat, Request
from codeintel_index.sync.worker import answer
from codeintel_index.tools.binaries import limited, python_module

BATCH, BATCH_BYTES = 48, 4_000_000
POOL_FROM = 200  # files
POOL_BYTES = 1_000_000
"""Parsing so much takes a second; starting a process takes a fifth of one."""
SMALL = 2_000
"""Bytes. A file above it is parsed in a worker: 9,000 of a clone took 3 GB and 7 s, with no way to stop that."""
WARM_S = 60.0
"""How long a worker waits for the next edit."""
CHILD_MB = 350
"""With the model, megabytes of real code take 160, of garbage up to 310."""
BATCH_CPU_S = 120.0
"""Processor time, which the child counts itself (`worker.serve`): the clock would end it where the machine is busy."""
HUNG_S = 1800.0
"""After so long a child waits for what does not come, or has no way to count its processor time (Windows)."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # the memory of its threads would count to the limit
MAX_WORKERS = 4
FILES_A_CHILD = 5000  # the parser's binding (0.26) keeps the bytes of every file it has read


def prepare_all(
    root: Path,
    stats: Sequence[FileStat],
    max_tokens: int,
    known: dict[str, bytes],
    embedded: bool,
    stopped: Callable[[], bool],
    note: Path,
) -> Iterator[Batch]:
    """Prepare files batch by batch: a few small ones in this process, else in workers. Ends early once `stopped()`.

    `embedded`: with vectors of the default model.

    `note` lies there while this process parses; where one was left, a parser may have ended the process, and all files
    go to workers.
    """
    requests = [
        Request(
            str(root), part, max_tokens, {stat.path: known[stat.path] for stat in part if stat.path in known}, embedded
        )
        for part in _batches(stats)
    ]
    if sum(min(stat.size, MAX_BYTES) for stat in stats) >= POOL_BYTES or len(stats) >= POOL_FROM:
        answers = _in_workers(requests)
    elif any(stat.size > SMALL for stat in stats) or note.exists():
        answers = (batch for request in requests for batch in _WARM.ask(request))
    else:
        answers = _noted(requests, note)
    for batch in answers:
        if stopped():
            return
        yield batch
    note.unlink(missing_ok=True)


def _batches(stats: Sequence[FileStat]) -> Iterator[list[FileStat]]:
    part: list[FileStat] = []
    for stat in stats:
        part.append(stat)
        if len(part) == BATCH or sum(each.size for each in part) > BATCH_BYTES:
            yield part
            part = []
    if part:
        yield part


def _noted(requests: Iterable[Request], note: Path) -> Iterator[Batch]:
    for request in requests:
        note.touch()
        try:
            answered = answer(request)
        finally:
            note.unlink(missing_ok=True)
        yield answered


def _in_workers(requests: Iterable[Request]) -> Iterator[Batch]:
    count = max(1, min(MAX_WORKERS, _cpus()))
    idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    workers = [Worker() for _ in range(count)]
    for worker in workers:
        idle.put(worker)

    def run(request: Request) -> list[Batch]:
        worker = idle.get()
        try:
            return worker.ask(request)
        finally:
            idle.put(worker)

    pool = concurrent.futures.ThreadPoolExecutor(count, thread_name_prefix="codeintel-parse")
    waiting: deque[concurrent.futures.Future[list[Batch]]] = deque()
    try:
        for request in requests:
            waiting.append(pool.submit(run, request))
            if len(waiting) >= 3 * count:  # bounds what is parsed but not yet stored
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        for worker in workers:
            worker.stop()
        pool.shutdown(wait=True, cancel_futures=True)
        for worker in workers:
            worker.end()  # a child that was being started when its worker was stopped


class Worker:
    """One child process, started when first asked and again after it died or has parsed its share."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._parsed = 0

    def ask(self, request: Request) -> list[Batch]:
        """Have a request answered. A file at which a fresh child dies or hangs is answered as text, with an error."""
        is_used = self._parsed > 0  # what it holds of other files counts to its limit
        answered = None if self._stopped else self._try(request)
        if answered is not None:
            return [answered]
        if self._stopped:
            return []
        stats = request.stats
        if len(stats) == 1 and not is_used:
            error = f"{stats[0].path}: its parser died or took too long; it is searched as text"
            batch = answer(request, unfit=True)
            return [replace(batch, files=[replace(each, error=error) for each in batch.files])]
        return [each for stat in stats for each in self.ask(request._replace(stats=[stat]))]

    def stop(self) -> None:
        """End the child; requests in progress fail fast."""
        self._stopped = True
        self.end()

    def _try(self, request: Request) -> Batch | None:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(HUNG_S, process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            pickle.dump((request, BATCH_CPU_S), process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            answered: Batch = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            self.end()  # it died, or was killed while writing
            return None
        finally:
            watchdog.cancel()
        self._parsed += len(answered.files)
        if self._parsed >= FILES_A_CHILD:
            self.end()
        return answered

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.end()
        if self._process is None:
            command, environment = python_module("codeintel_index.sync.worker")
            self._process = subprocess.Popen(
                limited(command, CHILD_MB),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment | ONE_THREAD,
            )
        return self._process

    def end(self) -> None:
        """End the child; the next request starts another."""
        process, self._process, self._parsed = self._process, None, 0
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # unsent bytes for a child that is gone
                    continue


class _Warm:
    """A worker for edits, which waits for the next one. One thread asks it: Linux ends a child with the thread that
    started it."""

    def __init__(self) -> None:
        self._worker = Worker()
        self._thread = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="codeintel-edits")
        self._ends: threading.Timer | None = None

    def ask(self, request: Request) -> list[Batch]:
        """Have a request answered."""
        return self._thread.submit(self._ask, request).result()

    def _ask(self, request: Request) -> list[Batch]:
        if self._ends is not None:
            self._ends.cancel()
        try:
            return self._worker.ask(request)
        finally:
            self._ends = threading.Timer(WARM_S, self._thread.submit, [self._worker.end])
            self._ends.daemon = True
            self._ends.start()


_WARM = _Warm()


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
