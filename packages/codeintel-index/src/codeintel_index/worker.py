"""The child process that parses files during a full sync: `python -m codeintel_index.worker`.

It reads pickled (root, stats, max_tokens, known) requests from stdin and answers lists of Prepared on stdout, both
pipes of the parent that started it; it ends when stdin does, so it never outlives its parent.
"""

import gc
import os
import pickle
import sys
from pathlib import Path
from typing import BinaryIO

from codeintel_index.store.prepared import FileStat, Prepared, prepare
from codeintel_index.store.tagged import with_tags

Request = tuple[str, list[FileStat], int, dict[str, bytes]]


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while True:
        try:
            request: Request = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(answer(request), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()
        gc.collect(0)


def answer(request: Request) -> list[Prepared]:
    """Prepare the files of one request, in order."""
    root, stats, max_tokens, known = request
    return with_tags(Path(root), (prepare(Path(root), stat, max_tokens, known.get(stat.path, b"")) for stat in stats))


def main() -> None:
    """Keep the real stdout for answers and send whatever libraries print to stderr."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    gc.disable()  # the nodes of a tree would set it off again and again; once a request is enough
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
