"""`.code-intel/chroma/`: what a Chroma server would hold of the project, to be copied, moved or served by `chroma run`.

It is derived from the rows, and nobody here reads it. A child process, `python -m codeintel_index.vectors.folder`,
writes what differs: at the lowest priority, and half a minute after a change at the soonest, so that no answer waits.
The child ends with its parent, in the middle of a batch too; the next one compares the ids and continues. `state.json`
in the folder tells which vectors of which rows are there. A folder of other rows, or one that cannot be written, is
deleted and filled again.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable, IndexBusy
from codeintel_index.project_file import read_file
from codeintel_index.store import locks
from codeintel_index.store.database import Database
from codeintel_index.store.reader import FOREST, KEPT, Reader
from codeintel_index.tools.binaries import python_module
from codeintel_index.vectors import chroma
from codeintel_index.vectors.store import project_key

DELAY_S = 30.0  # importing Chroma takes a second, which a burst of edits need not pay for each of them
HUNG_S = 3600
STATE_BYTES = 10_000
BATCH = 2000  # what Chroma is given at once: with 512 it takes half as long again
BUSY = "another process is filling it"
SAMPLE, NEAR, FOUND = 5, 0.01, 0.7
"""Vectors of each batch that are looked for in the end, how near one must be, and how many must be found: the search is
approximate, and damaged graphs answer too."""
SPARE, TIMES = 256_000_000, 16
"""A file of the folder may have so many bytes, and so many times those of the rows: over damaged graphs disks were seen
to fill up."""


class Folder:
    """The folder of one index. Safe to share between threads. `why`: why it could not be filled, "" if it could."""

    def __init__(
        self, root: Path, data_dir: Path, reader: Reader, config: IndexConfig, model: Callable[[], str]
    ) -> None:
        self._root = root
        self._data_dir = data_dir
        self._reader = reader
        self._config = config
        self._model = model
        self._guard = threading.Lock()
        self._filling = threading.Lock()
        self._closing = threading.Event()
        self._wanted = threading.Event()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[str] | None = None
        self.why = ""

    def follow(self) -> None:
        """Have the folder filled in a while, if it differs from the rows by then. Returns at once."""
        with self._guard:
            self._wanted.set()
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._run, name="codeintel-chroma", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closing.wait(DELAY_S):
            self._wanted.clear()
            self.fill()
            with self._guard:
                if not self._wanted.is_set() and self.why != BUSY:
                    self._thread = None
                    return

    def fill(self) -> None:
        """Bring the folder to the state of the rows now."""
        with self._filling:
            self.why = ""
            try:
                for _ in range(2):  # the second time from nothing
                    if self._closing.is_set() or self._is_complete():
                        return
                    self.why = self._run_child()
                    if self.why not in ("", BUSY):
                        _state_of(self._data_dir).unlink(missing_ok=True)
            except (DenseUnavailable, OSError, sqlite3.Error) as error:
                self.why = self.why or str(error)

    def count(self, made: int) -> int:
        """Count how many of the vectors that were made of chunks are in the folder."""
        state = self._state()
        return made - self._reader.kept_state(FOREST, self._model(), state[FOREST][0])[1] if state else 0

    def close(self) -> None:
        """Stop; what is not written is left to the next."""
        with self._guard:
            self._closing.set()
            if self._process is not None:
                self._process.kill()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _state(self) -> dict[str, Any]:
        return _read_state(self._data_dir, [self._reader.meta("made"), self._model()])

    def _is_complete(self) -> bool:
        """Whether the folder holds what the rows do, as far as is known without opening it, or there are none yet."""
        state, rows = self._state(), {kind: [*self._reader.kept_state(kind, self._model())] for kind in KEPT}
        return not self._reader.meta("synced_at") or {**state, **rows} == state

    def _run_child(self) -> str:
        """Run the child to its end; returns why it could not fill the folder, "" if it could."""
        command, environment = python_module("codeintel_index.vectors.folder")
        config = str(self._config.chunk_max_tokens), self._config.chroma_project
        with self._guard:
            if self._closing.is_set():
                return ""
            process = self._process = subprocess.Popen(
                [*command, str(self._root), str(self._data_dir), *config, self._model()],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                creationflags=getattr(subprocess, "IDLE_PRIORITY_CLASS", 0),
            )
        with process:  # an interrupt closes its input, with which it ends
            assert process.stdout is not None
            said = process.stdout.read().strip().rpartition("\n")[2][-200:]
        is_well = process.returncode == 0 or self._closing.is_set()
        return "" if is_well else said or f"its writer ended with {process.returncode}"


def _state_of(data_dir: Path) -> Path:
    return data_dir / "chroma" / "state.json"


def _read_state(data_dir: Path, of: Sequence[str]) -> dict[str, Any]:
    """For each kind the last row that a folder holds and how many it does, nothing for a folder of other rows."""
    try:
        state = json.loads(read_file(data_dir, _state_of(data_dir), STATE_BYTES))
        return state if state["of"] == [*of] and {*KEPT} <= state.keys() else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _write_folder(data_dir: Path, chunk_max_tokens: int, project: str, model: str) -> None:
    """Write what differs between rows and folder. Collections and ids are those of a server."""
    from chromadb import PersistentClient
    from chromadb.config import Settings

    database = Database(data_dir / "index.db", chunk_max_tokens)
    if not database.usable():
        return
    reader = Reader(database)
    of = [reader.meta("made"), model]
    place, state = data_dir / "chroma", _read_state(data_dir, of)
    is_ours = state.get("project") == project
    if not is_ours or any(each.is_symlink() for each in place.rglob("*")):  # it may have come with the repository
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        place.mkdir()
        state = {"of": of, "project": project} | {kind: [0, 0] for kind in KEPT}
    client = PersistentClient(str(place), settings=Settings(anonymized_telemetry=False))
    for kind in KEPT:
        collection = chroma.collection(client, f"{kind}__{model}__{project}", searched=False)
        for last in _write(collection, reader, kind, model, state[kind][0]):
            state[kind] = [last, collection.count()]
            new = _state_of(data_dir).with_suffix(".new")
            new.write_text(json.dumps(state), encoding="utf-8")
            new.replace(_state_of(data_dir))
    chroma.close(client)


def _write(collection: Any, reader: Reader, kind: str, model: str, written: int) -> Iterator[int]:
    """Bring a collection to the state of its rows; yields the last row that it holds."""
    from codeintel_index.vectors.local import unpacked

    held = set(collection.get(include=[])["ids"])
    gone, last, sample = set(held), 0, []
    while rows := reader.kept(kind, model, last, BATCH):
        last = rows[-1][0]
        gone -= {key for _, key, _ in rows}
        sample += [packed for *_, packed in rows[:: max(1, len(rows) // SAMPLE)]]
        if new := [row for row in rows if row[0] > written or row[1] not in held]:
            collection.upsert(ids=[key for _, key, _ in new], embeddings=unpacked([packed for *_, packed in new]))
            yield last
    for start in range(0, len(gone), BATCH):
        collection.delete(ids=[*gone][start : start + BATCH])
    if sample:
        found = collection.query(query_embeddings=unpacked(sample), n_results=1, include=["distances"])["distances"]
        if sum(bool(each) and each[0] < NEAR for each in found) < FOUND * len(found):
            raise DenseUnavailable("vectors that were written are not found")
    yield last


def main(root: Path, data_dir: Path, chunk_max_tokens: str, project: str, model: str) -> None:
    """Write the folder as the only process that does, and end with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, meant for the parent, which ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if sys.platform != "win32":  # there the parent has set its priority
        import resource

        os.nice(19)
        signal.alarm(HUNG_S)
        most = SPARE + TIMES * (data_dir / "index.db").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    locks.make_data_dir(data_dir)
    try:
        with locks.hold(data_dir, locks.FOLDER, 0):
            _write_folder(data_dir, int(chunk_max_tokens), project_key(root, project), model)
    except IndexBusy:
        sys.exit(BUSY)


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing is written there: this returns when the other end is closed
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
