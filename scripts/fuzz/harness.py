"""What the fuzz targets share: seeds laid down once, a bound on the time of one input, the loop of atheris.

A target raises nothing but its finding: it catches what is documented, and lets everything else out.
"""

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import atheris

CPU_SECONDS = 1.0
"""What one input may cost; CPU time, so that a busy machine is no finding."""

Mutator = Callable[[bytes, int, int], bytes]


def fuzz(target: Callable[[bytes], None], seeds: Iterable[bytes], mutator: Mutator | None = None) -> None:
    """Fuzz as the command line says: a corpus folder or a finding, then libFuzzer's options."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(f"usage: {sys.argv[0]} CORPUS_FOLDER [-runs=200000] [-max_total_time=600] ...")
    corpus = Path(sys.argv[1])
    if not corpus.is_file():  # a file is a finding to be run again
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            (corpus / f"seed_{number:03d}").write_bytes(seed)
    options = {"custom_mutator": mutator} if mutator else {}
    atheris.Setup(sys.argv, bounded(target), **options)
    atheris.Fuzz()


def bounded(target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """The target, with its time held against the bound."""

    def run(data: bytes) -> None:
        began = time.process_time()
        target(data)
        took = time.process_time() - began
        assert took < CPU_SECONDS, f"{took:.1f} s for {len(data)} bytes"

    return run
