"""The index beside semble, in turns on the same checkouts: the whole index, questions, a new process's first answer.

    uv run python benchmarks/index/beside_semble.py CHECKOUT … --semble PYTHON [--rounds 3]

PYTHON is the interpreter of an environment of its own, in which `pip install semble==0.7.0` was run. Nothing downloads
semble's model: one of the same size with random weights stands in, so the times are right and the answers are not.
Both index code, documents and configuration, and look at the disk before they answer in a new process. CPU time is that
of all processes, which a busy machine disturbs less than the clock. Both have their modules as bytecode, as installed
ones do: a first round on one file, which is not counted, writes it.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

QUESTIONS = 30
STARTS = 5
VOCABULARY, DIMENSIONS = 30_000, 256  # of potion-code-16M
SKIPPED = shutil.ignore_patterns(".git", ".code-intel")
Figures = dict[str, float]


def build_ours(root: Path, _: str) -> None:
    """Index a checkout from nothing, with vectors."""
    from codeintel_index import Index

    shutil.rmtree(root / ".code-intel", ignore_errors=True)
    with Index.open(root) as index:
        index.sync()
        index.wait_dense()


def fill_ours(root: Path, _: str) -> None:
    """Fill the folder of Chroma, which follows an index that can be searched."""
    from codeintel_index import Index

    with Index.open(root) as index:
        assert not index.fill_folder()


def open_ours(root: Path, _: str) -> Callable[[str], object]:
    """Open the index; returns its search."""
    from codeintel_index import Index

    index = Index.open(root)
    return lambda question: index.search(question, "forest").hits


def _semble(root: Path, model: str) -> Any:
    from semble import SembleIndex
    from semble.types import ContentType

    return SembleIndex.from_path(root, content=tuple(ContentType), model_path=model)


def build_semble(root: Path, model: str) -> None:
    """Index a checkout from nothing, and keep it as its command does."""
    from semble.cache import save_index_to_cache

    shutil.rmtree(os.environ["SEMBLE_CACHE_LOCATION"], ignore_errors=True)
    save_index_to_cache(_semble(root, model), str(root))


def open_semble(root: Path, model: str) -> Callable[[str], object]:
    """Open the index that was kept; returns its search."""
    index = _semble(root, model)
    assert index.loaded_from_disk
    return lambda question: index.search(question, top_k=10)


def make_model(root: Path, model: str) -> None:
    """Write a static model with random weights whose words are those of a checkout."""
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.trainers import WordPieceTrainer

    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = BertNormalizer(), BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    paths = [str(path) for path in sorted(root.rglob("*.*")) if path.is_file() and _is_text(path)]
    tokenizer.train(paths, WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=special, show_progress=False))
    weights = np.random.default_rng(1).standard_normal((tokenizer.get_vocab_size(), DIMENSIONS), dtype=np.float32)
    StaticModel(weights, tokenizer, config={"normalize": True}, normalize=True).save_pretrained(model)


def _is_text(path: Path) -> bool:
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


PARTS = {"build-ours": build_ours, "fill-ours": fill_ours, "build-semble": build_semble, "model": make_model}
OPENS = {"ask-ours": open_ours, "ask-semble": open_semble}


def run_part(part: str, root: Path, model: str, began: str) -> Figures:
    """Do one part in this process; `began` is when the process was started."""
    if part in PARTS:
        PARTS[part](root, model)
        return {"seconds": time.time() - float(began)}
    asked = questions(root)
    search = OPENS[part](root, model)
    assert search(asked[0])
    first = time.time() - float(began)
    took: list[float] = []
    busy: list[float] = []
    for question in asked[1:]:
        at, cpu = time.perf_counter(), time.process_time()
        search(question)
        took.append(time.perf_counter() - at)
        busy.append(time.process_time() - cpu)
    return {
        "first": first,
        "p50": statistics.median(took),
        "p50-cpu": statistics.median(busy),
    }


def questions(root: Path) -> list[str]:
    """Make questions of the words in the names of files."""
    stems = {path.stem for path in root.rglob("*.*") if ".git" not in path.parts and ".code-intel" not in path.parts}
    words = sorted({word.lower() for stem in stems for word in re.findall(r"[A-Z]?[a-z]{3,}", stem)})
    chance = random.Random(3)
    return [f"where is the {' '.join(chance.sample(words, 2))} handled" for _ in range(QUESTIONS)]


def measure(root: Path, semble: Path, rounds: int) -> Iterator[tuple[str, Figures]]:
    """Yield (part, figures) of both, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        place, small, model = Path(folder) / root.name, Path(folder) / "small", str(Path(folder) / "model")
        shutil.copytree(root, place, ignore=SKIPPED, symlinks=True)
        small.mkdir()
        shutil.copy(__file__, small)
        for each in (place, small):
            subprocess.run(["git", "init", "--quiet", str(each)], check=True)
        environment = {
            **os.environ,
            "SEMBLE_CACHE_LOCATION": str(Path(folder) / "cache"),
            "SEMBLE_INDEX_WORKERS": "4",  # as its command sets it
            "HF_HUB_OFFLINE": "1",
            "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run(part: str, root: Path = place) -> Figures:
            python = sys.executable if part.endswith("ours") else str(semble)
            command = [python, __file__, "--part", part, str(root), model, str(time.time())]
            before = os.times()
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
            used = os.times()
            found: Figures = json.loads(done.stdout)
            spent = used.children_user + used.children_system - before.children_user - before.children_system
            return found | {"cpu": spent}

        run("model")
        for part in ("build-ours", "build-semble", "ask-ours", "ask-semble"):
            run(part, small)
        for _ in range(rounds):
            for part in ("build-ours", "fill-ours", "build-semble", *("ask-ours", "ask-semble") * STARTS):
                yield part, run(part)


def rows(found: dict[str, list[Figures]]) -> Iterator[str]:
    """Write the medians of both, and the ratio."""
    for title, part, key, unit in (
        ("whole index", "build", "seconds", 1),
        ("… CPU time", "build", "cpu", 1),
        ("first answer of a new process", "ask", "first", 1000),
        ("… CPU time of it and further questions", "ask", "cpu", 1000),
        ("question, p50", "ask", "p50", 1000),
        ("… CPU time, p50", "ask", "p50-cpu", 1000),
    ):
        ours, other = (statistics.median(each[key] for each in found[f"{part}-{who}"]) for who in ("ours", "semble"))
        name = "s" if unit == 1 else "ms"
        yield f"| {title} | {ours * unit:.1f} {name} | {other * unit:.1f} {name} | {ours / other:.2f} |\n"
    for title, key in (("Chroma's folder, behind", "seconds"), ("… CPU time", "cpu")):
        yield f"| {title} | {statistics.median(each[key] for each in found['fill-ours']):.1f} s | | |\n"


def main() -> None:
    """Print a table for each checkout."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("roots", nargs="+", type=Path)
    options.add_argument("--semble", type=Path, required=True, help="Python of an environment with semble")
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    for root in chosen.roots:
        found: dict[str, list[Figures]] = {}
        for part, figures in measure(root.resolve(), chosen.semble.absolute(), chosen.rounds):
            found.setdefault(part, []).append(figures)
        title = f"{root.name}; load {os.getloadavg()[2]:.0f} on {os.cpu_count()} cores"
        sys.stdout.write(f"| {title} | ours | semble | ratio |\n|---|---|---|---|\n")
        sys.stdout.writelines(rows(found))
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--part"]:
        sys.stdout.write(json.dumps(run_part(sys.argv[2], Path(sys.argv[3]), sys.argv[4], sys.argv[5])))
    else:
        main()
