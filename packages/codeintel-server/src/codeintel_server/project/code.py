"""The index as the session sees it: implements `codeintel_session.ports.Code` over `codeintel_index.Index`."""

import logging
import re
import time
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from codeintel_session import Clock, SessionState

if TYPE_CHECKING:
    from codeintel_index import Index, MapEntry

Found = TypeVar("Found")
MAX_NAMES = 8
"""Target symbols that are looked up for facts."""
SEARCH_S = 1.0
"""Time for one search for facts; one that takes longer gives none."""

log = logging.getLogger(__name__)


class IndexedCode:
    """One project's index, opened on first use: a session that needs no search pays nothing for it.

    The port describes its methods.
    """

    def __init__(self, root: Path, clock: Clock) -> None:
        self.root = root
        self._clock = clock

    @cached_property
    def index(self) -> "Index":
        """The index."""
        from codeintel_index import Index

        return Index.open(self.root, clock=self._clock.now)

    @property
    def is_open(self) -> bool:
        """True once something needed the index."""
        return "index" in self.__dict__

    def reopen_if_changed(self) -> None:
        """Open the index; reopen it if config.json has changed since."""
        from codeintel_index import Index, IndexConfig

        config = IndexConfig.from_file(self.root / ".code-intel" / "config.json")
        if self.is_open and self.index.config != config:
            self.index.close()
            del self.index
        if not self.is_open:
            self.index = Index.open(self.root, config, self._clock.now)

    def close(self) -> None:
        """Let go of the index."""
        if self.is_open:
            self.index.close()

    def sync_if_old(self) -> None:
        """Start a sync in the background if the last one is older than `sync_ttl_hours`. Nothing waits for it."""
        age = self.index.stats().age_s
        if age is None or age > self.index.config.sync_ttl_hours * 3600:
            self.index.sync_in_background()

    def overview(self) -> dict[str, Any]:
        """`index` of a start_session reply."""
        stats = self.index.stats()
        age = None if stats.age_s is None else round(stats.age_s)
        return {"state": stats.state, "files": stats.files, "chunks": stats.chunks, "age_s": age}

    def kind_of_lines(self, path: str, start: int, end: int, changed: Sequence[tuple[int, int]]) -> str:
        return self.index.kind_of_lines(path, start, end, changed)

    def lines_of(self, path: str, name: str, *, strict: bool = False) -> Sequence[tuple[int, int]]:
        parts = [part for part in re.split(r"::|[.#]|->", name.strip().removesuffix("()")) if part]
        symbols: Sequence[Any] = _of_text(lambda: self.index.symbols(path), ()) if parts else ()
        found = [each for each in symbols if name.strip() in (each.name, f"{each.parent}.{each.name}")]
        found = found or [each for each in symbols if each.name == parts[-1]]
        outer = f".{'.'.join(parts[:-1])}."
        exact = [each for each in found if f".{each.parent}.".endswith(outer)]
        if strict and parts[1:]:
            found = [each for each in found if outer in f".{each.parent}."]
        return [(each.first_line, each.end_line) for each in exact or found]

    def new_stubs(self, path: str, before: str, changed: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
        return _of_text(lambda: self.index.new_stubs(path, before, changed), [])

    def names_touched(self, path: str, before: str, changed: Sequence[tuple[int, int]]) -> Collection[str]:
        return _of_text(lambda: self.index.names_touched(path, before, changed), ())

    def altered(self, path: str, before: str) -> Sequence[tuple[str, Sequence[tuple[int, int]]]]:
        return _of_text(lambda: self.index.altered(path, before), ())

    def has_same_code(self, path: str, text: str, before: str) -> bool:
        from codeintel_index import has_same_code

        return has_same_code(path, text.encode("utf-8", "surrogateescape"), before.encode("utf-8", "surrogateescape"))

    def definitions_at(self, path: str, start: int, end: int) -> Collection[str]:
        return _of_text(lambda: self.index.definitions_at(path, start, end), ())

    def in_text(self, names: Sequence[str]) -> Mapping[str, bool]:
        return _searched("target symbols", lambda: self.index.names_in_text(names[:MAX_NAMES], timeout=SEARCH_S))

    def in_code(self, names: Sequence[str]) -> Mapping[str, bool]:
        return _searched("names of the request", lambda: self.index.names_in_code(names[:MAX_NAMES], timeout=SEARCH_S))

    def unseen_users(self, names: Sequence[str], seen: Container[str]) -> Mapping[str, tuple[str, ...]]:
        from codeintel_index import IndexFault

        found: dict[str, tuple[str, ...]] = {}
        deadline = time.monotonic() + SEARCH_S
        for name in names[:MAX_NAMES]:
            left = deadline - time.monotonic()
            try:
                paths = self.index.files_using(name, known=seen, timeout=left) if left > 0 else []
            except IndexFault as fault:
                log.warning("users of %s were not searched for: %s", name, fault)
                break
            if paths:
                found[name] = tuple(paths)
        return found

    def has_sources(self) -> bool:
        return bool(self.index.source_files())

    def relevance(self, values: Sequence[str], names: Sequence[str]) -> Mapping[str, float]:
        rows = self.index.relevance(list(names), list(values))
        return {name: max(0.0, *row) for name, row in zip(names, rows, strict=True) if row}

    def learn(self, state: SessionState, changed: Sequence[str], learned_at: str, by: str = "") -> int:
        """Write every term of the request with every target symbol in files really changed into the Map.

        `by` says who found the work right, if it was not the session's verification.
        """
        from codeintel_index import IndexFault

        try:
            entries = list(self._lessons(state, changed, learned_at, by))
            self.index.learn(entries)
        except (IndexFault, OSError):
            # The work is done and merged: a lesson that cannot be kept must not undo that.
            log.exception("what session %s taught was not kept", state.session_id)
            return 0
        return len(entries)

    def _lessons(self, state: SessionState, changed: Sequence[str], learned_at: str, by: str) -> "Iterator[MapEntry]":
        from codeintel_index import MapEntry

        for name in state.query_frame.get("target_symbols", ()):
            for symbol in self.index.definitions(name):
                for term in _terms(state) if symbol.path in changed else ():
                    yield MapEntry(
                        term=term,
                        symbol=symbol.name,
                        path=symbol.path,
                        similarity=1.0,
                        session_id=state.session_id,
                        intent=state.intent.value,
                        learned_at=learned_at,
                        verified_by=by or ", ".join(state.receipts) or "the agent's own verification",
                        evidence="\n".join(_evidence(state)),
                    )


def _of_text(look: Callable[[], Found], nothing: Found) -> Found:
    """Return what is found in a file, nothing for an image, a nested repository, or a link that leads out."""
    from codeintel_index import NotAFile, PathOutsideProject

    try:
        return look()
    except (NotAFile, PathOutsideProject):
        return nothing


def _searched(what: str, look: Callable[[], Mapping[str, bool]]) -> Mapping[str, bool]:
    """Return what a search for facts finds; nothing if it fails."""
    from codeintel_index import IndexFault

    try:
        return look()
    except IndexFault as fault:
        log.warning("%s were not searched for: %s", what, fault)
        return {}


def _evidence(state: SessionState) -> "Iterator[str]":
    """A line for each item that was done: what, and where it is seen."""
    for task in state.tasks:
        for item in task.checklist:
            if item.evidence:
                yield f"- {item.item}: {', '.join(item.evidence)}"


def _terms(state: SessionState) -> list[str]:
    slots = state.query_frame.get("slots") or {}
    feature = slots.get("target_feature", {}).get("value", "")
    return list(dict.fromkeys(term for term in (state.query, feature) if term.strip()))
