"""The child process that tries a vector store: `python -m codeintel_index.vectors.probe FOLDER`.

It reads all ids, stores some vectors again as they are and queries their neighbours; it ends with 0 if every answer is
complete. A damaged store makes it print why and end with 1, or makes it die or hang: hence a process of its own.
"""

import sys
from pathlib import Path
from typing import Any

from codeintel_index.errors import DenseUnavailable
from codeintel_index.vectors.chroma import close, open_folder, translate_errors

SAMPLE = 50
SPARE = 256_000_000  # bytes


def fault(place: Path) -> str:
    """Say what is wrong with the store, "" if nothing is."""
    try:
        with translate_errors():
            client = open_folder(place)
            wrong = [collection.name for collection in client.list_collections() if not _whole(collection)]
            close(client)
    except DenseUnavailable as error:
        return error.why
    return f"vectors of {', '.join(wrong)} are lost" if wrong else ""


def _whole(collection: Any) -> bool:
    """Whether every vector is counted, listed and found by the search."""
    count = collection.count()
    if not count:
        return True
    ids = collection.get(include=[])["ids"]
    some = collection.get(ids=ids[:: max(1, count // SAMPLE)], include=["embeddings"])
    collection.upsert(ids=some["ids"], embeddings=some["embeddings"])
    wanted = min(SAMPLE, count)
    found = collection.query(query_embeddings=some["embeddings"], n_results=wanted, include=[])["ids"]
    return len(ids) == count and all(2 * len(each) >= wanted for each in found)


def _bound(place: Path) -> None:
    """Keep files from growing far beyond what is there: over damaged graphs disks were seen to fill up."""
    try:
        import resource
    except ImportError:  # Windows
        return
    most = SPARE + 4 * sum(each.stat().st_size for each in place.rglob("*") if each.is_file())
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


if __name__ == "__main__":
    _bound(Path(sys.argv[1]))
    why = fault(Path(sys.argv[1]))
    sys.stdout.write(why)
    sys.exit(1 if why else 0)
