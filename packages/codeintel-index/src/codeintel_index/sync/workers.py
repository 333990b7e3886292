"""Parsing many files in several processes. Parsing holds the interpreter's lock, so threads would gain nothing.

Plain child processes over pipes instead of multiprocessing: nothing of the host's main module is run again, and a file
that kills its parser costs that file, not the sync.
"""

import concurrent.futures
import os
import pickle
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from codeintel_index.store.rows import Batch, FileStat, Prepared
from codeintel_index.sync.worker import Request, answer
from codeintel_index.tools.binaries import python_module

BATCH = 48
POOL_FROM = 200  # files; below, starting processes costs more than it gains
BATCH_TIMEOUT_S = 120.0
MAX_WORKERS = 4
FILES_A_CHILD = 5000  # the parser's binding (0.26) keeps the bytes of every file it has read


def prepare_all(
    root: Path, stats: Sequence[FileStat], max_tokens: int, known: dict[str, bytes], stopped: Callable[[], bool]
) -> Iterator[Batch]:
    """Prepare files batch by batch, in this process for a few, in workers for many. Ends early once `stopped()`."""
    requests: list[Request] = []
    for start in range(0, len(stats), BATCH):
        part = list(stats[start : start + BATCH])
        requests.append((str(root), part, max_tokens, {s.path: known[s.path] for s in part if s.path in known}))
    answers = _in_workers(requests) if len(stats) >= POOL_FROM else map(answer, requests)
    for batch in answers:
        if stopped():
            return
        yield batch


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


class Worker:
    """One child process, started when first asked and again after it died or has parsed its share."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._parsed = 0

    def ask(self, request: Request) -> list[Batch]:
        """Have a request answered. A file at which the child dies or hangs is answered with an error."""
        if self._stopped:
            return []
        answered = self._try(request)
        if answered is not None:
            return [answered]
        root, stats, max_tokens, known = request
        if len(stats) == 1:
            stat = stats[0]
            died = Prepared(stat, 0, b"", skipped="unparsable", error=f"{stat.path}: its parser died")
            return [Batch([died], [], [])]
        return [each for stat in stats for each in self.ask((root, [stat], max_tokens, known))]

    def stop(self) -> None:
        """End the child; requests in progress fail fast."""
        self._stopped = True
        self._kill()

    def _try(self, request: Request) -> Batch | None:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(BATCH_TIMEOUT_S, process.kill)
        watchdog.start()
        try:
            pickle.dump(request, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            answered: Batch = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            self._kill()  # it died, or was killed while writing
            return None
        finally:
            watchdog.cancel()
        self._parsed += len(answered.files)
        if self._parsed >= FILES_A_CHILD:
            self._kill()
        return answered

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command, environment = python_module("codeintel_index.sync.worker")
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        return self._process

    def _kill(self) -> None:
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


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
