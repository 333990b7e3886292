"""The index as the session sees it: implements `codeintel_session.ports.Code` over `codeintel_index.Index`."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeintel_session.machine.state import SessionState
from codeintel_session.ports import Clock

if TYPE_CHECKING:
    from codeintel_index import Index
    from codeintel_index.results import MapEntry

log = logging.getLogger(__name__)


class IndexedCode:
    """One project's index, opened on first use: a session that needs no search pays nothing for it."""

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
        """Open the index, anew if config.json says something else than when it was opened."""
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
            self.index.sync_behind()

    def overview(self) -> dict[str, Any]:
        """`index` of a start_session reply."""
        stats = self.index.stats()
        age = None if stats.age_s is None else round(stats.age_s)
        return {"state": stats.state, "files": stats.files, "chunks": stats.chunks, "age_s": age}

    def is_empty(self, path: str, start: int, end: int) -> bool:
        """True if the definitions at these lines implement nothing."""
        return self.index.is_empty(path, start, end)

    def defines(self, name: str) -> bool:
        """True if the project defines the name; `Class.method` is looked up as given, then by its last part."""
        plain = name.strip().removesuffix("()")
        return bool(plain) and bool(self.index.definitions(plain))

    def has_sources(self) -> bool:
        """True if there is a file to explore."""
        return bool(self.index.source_files())

    def relevance(self, values: Sequence[str], names: Sequence[str]) -> Mapping[str, float]:
        """For each name its best similarity to one of the values."""
        rows = self.index.relevance(list(names), list(values))
        return {name: max(0.0, *row) for name, row in zip(names, rows, strict=True) if row}

    def learn(self, state: SessionState, changed: Sequence[str], learned_at: str) -> int:
        """Every term of the request with every target symbol in files really changed, into the Map."""
        from codeintel_index.errors import IndexFault

        try:
            entries = list(self._lessons(state, changed, learned_at))
            self.index.learn(entries)
        except (IndexFault, OSError):
            # The work is done and merged: a lesson that cannot be kept must not undo that.
            log.exception("what session %s taught was not kept", state.session_id)
            return 0
        return len(entries)

    def _lessons(self, state: SessionState, changed: Sequence[str], learned_at: str) -> "Iterator[MapEntry]":
        from codeintel_index.results import MapEntry

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
                        verified_by=", ".join(state.receipts) or "the agent's own verification",
                        evidence="\n".join(_evidence(state)),
                    )


def _evidence(state: SessionState) -> "Iterator[str]":
    """A line for each item that was done: what, and where it is seen."""
    for task in state.tasks:
        for item in task.checklist:
            if item.evidence:
                yield f"- {item.item}: {item.evidence}"


def _terms(state: SessionState) -> list[str]:
    slots = state.query_frame.get("slots") or {}
    feature = slots.get("target_feature", {}).get("value", "")
    return list(dict.fromkeys(term for term in (state.query, feature) if term.strip()))
