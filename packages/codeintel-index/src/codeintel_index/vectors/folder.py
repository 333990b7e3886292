"""Chroma folders, opened by a child process that ends when nobody has used it for a while.

Chroma takes 80 MB from its import on and gives nothing back, and damaged files may end the process that opens them. So
this process sends (folder, collection, method, arguments) over a pipe, and the child, `python -m
codeintel_index.vectors.folder`, answers (result, error). All indexes of a process share one child: starting it costs
more than a second. A search reads the copies of the vectors (`local.py`), so collections here have small graphs.
"""

import atexit
import functools
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from codeintel_index.errors import DenseUnavailable
from codeintel_index.tools.binaries import python_module
from codeintel_index.vectors import chroma

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

IDLE_S = 20.0
ANSWER_S = 300.0
END_S = 10.0


class _Child:
    """The child process: started when first asked, and again after it ended."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._idle: threading.Timer | None = None

    def ask(self, *request: object) -> Any:
        """Have a request answered. Raises DenseUnavailable, also where the child dies or hangs over it."""
        with self._guard:
            if self._idle is not None:
                self._idle.cancel()
            result, error = self._ask(request)
            self._idle = threading.Timer(IDLE_S, self.end)
            self._idle.daemon = True
            self._idle.start()
        if error:
            raise DenseUnavailable(error)
        return result

    def _ask(self, request: tuple[object, ...]) -> tuple[Any, str]:
        process = self._process = self._process or _start()
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(ANSWER_S, process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            pickle.dump(request, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            found: tuple[Any, str] = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None, f"the process that holds the vectors ended with {self._end()}; it is started again"
        finally:
            watchdog.cancel()
        return found

    def is_running(self) -> bool:
        """Whether there is a child."""
        return self._process is not None

    def end(self) -> None:
        """End the child; the next request starts another."""
        with self._guard:
            self._end()

    def _end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            try:
                pipe.close()  # with its input the child ends
            except OSError:  # unsent bytes for a child that is gone
                continue
        try:
            return process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def _start() -> "subprocess.Popen[bytes]":
    command, environment = python_module("codeintel_index.vectors.folder")
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )


CHILD = _Child()
atexit.register(CHILD.end)  # no process is left when ours ends


@dataclass(frozen=True)
class Folder:
    """The store in a folder, as its client in the child answers."""

    place: Path

    def collection(self, name: str) -> "Collection":
        """Return a collection, made if it does not exist."""
        return Collection(self, name)

    def keep_collections(self, names: set[str]) -> None:
        """Delete all other collections."""
        CHILD.ask(str(self.place), "", "keep", {"names": names})

    def close(self) -> None:
        """Close the store in the child, if there is one. The next store finds the child running for a while."""
        if CHILD.is_running():
            CHILD.ask(str(self.place), "", "close", {})


@dataclass(frozen=True)
class Collection:
    """A collection, each method of which is called in the child."""

    folder: Folder
    name: str

    def __getattr__(self, method: str) -> Callable[..., Any]:
        return functools.partial(self._call, method)

    def _call(self, method: str, **arguments: object) -> Any:
        return CHILD.ask(str(self.folder.place), self.name, method, arguments)


def _read(requests: BinaryIO, pending: "queue.SimpleQueue[Any]") -> None:
    """Pass on the requests; ends the process, in the middle of one too, when nobody is left to send any.

    Chroma survives that: it writes in transactions.
    """
    while True:
        try:
            pending.put(pickle.load(requests))
        except EOFError:
            os._exit(0)


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests, one after the other."""
    clients: dict[str, ClientAPI] = {}
    pending: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, pending), daemon=True).start()
    while True:
        place, collection, method, arguments = pending.get()
        try:
            with chroma.translate_errors():
                answer = _answered(clients, place, collection, method, arguments), ""
        except DenseUnavailable as error:
            answer = None, error.why
        pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _answered(
    clients: "dict[str, ClientAPI]", place: str, collection: str, method: str, arguments: dict[str, Any]
) -> Any:
    if method == "close":
        if place in clients:
            chroma.close(clients.pop(place))
        return None
    if place not in clients:
        clients[place] = chroma.open_folder(Path(place))
    client = clients[place]
    if method == "keep":
        return chroma.keep_collections(client, arguments["names"])
    found = getattr(chroma.collection(client, collection, searched=False), method)(**arguments)
    return dict(found) if isinstance(found, dict) else found


if __name__ == "__main__":
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not become an answer
    _serve(sys.stdin.buffer, pipe)
