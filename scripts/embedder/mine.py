# /// script
# dependencies = ["codeintel-index[languages]"]
# ///
"""Mine pairs of words and code: `mine.py FOLDER_OF_CLONES OUT.jsonl.gz PROVENANCE.csv`.

A pair is a sentence somebody wrote and the passage it was written about, shaped as the index shapes a chunk, without
the sentence itself. Kinds: doc (a comment above or in a definition), inline, module (the head of a file and a chunk of
it), name (a symbol and its body), test (what a test says and does), prose (documentation that names a symbol), commit
(a subject and a hunk of it). What a repository may give is capped, per file and kind. Order and choice come from
digests, so the same commits give the same pairs.
"""

import csv
import gzip
import hashlib
import json
import logging
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from prose import comments, said, sentences, without
from sources import Source, git, sources

from codeintel_index.embedding.models import passage
from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.languages.table import language_id
from codeintel_index.results import Chunk
from codeintel_index.syntax.parsing import parse
from codeintel_index.text.tokens import tokens

FILES = 500
LARGEST = 80_000
CAPS = {"doc": 2500, "inline": 1200, "module": 700, "name": 700, "test": 700, "prose": 500, "commit": 600}
DATA = {"", "html", "css", "json", "yaml", "toml", "markdown", "sql"}
TEST = re.compile(r"""\b(?:it|test|describe|context|specify|should|scenario|feature)\b\s*\(?\s*(["'`])(.{12,120}?)\1""")
TEST_NAME = re.compile(r"\b(?:def|func|fun|fn|void|function)\s+`?([Tt]est\w{8,}|should\w{8,}|`[^`]{12,}`)")
SECTION = re.compile(r"(?m)^#{1,4} +(.+)\n+([^\n#`|<].{30,}(?:\n[^\n#`|].+)*)")
NAMED = re.compile(r"`([A-Za-z_][\w.:#]{3,60})(?:\([^`]*\))?`")
FOREIGN = re.compile(
    r"(?i)(?:^|/)(?:_?vendor(?:ed)?|node_modules|third[-_]?party|external?s?|deps|dependencies|contrib/lib|submodules)/"
)
DULL = re.compile(
    r"(?i)^(?:merge|bump|release|version|update (?:dep|change)|chore|revert|fix typo|typo|prepare|v?\d)|changelog"
)

log = logging.getLogger("mine")


class Pair(NamedTuple):
    """What is said, and the passage it is said about."""

    kind: str
    language: str
    says: str
    passage: str


def mine(source: Source) -> list[Pair]:
    """All pairs of one repository, within the caps."""
    chance = random.Random(source.name)
    chunks = dict(_files(source, chance))
    found: dict[tuple[str, str], Pair] = {}
    for pair in (*_from_code(chunks, chance), *_from_prose(source, chunks), *_from_commits(source, chunks)):
        if len(tokens(pair.passage)) >= 12:
            found.setdefault((pair.kind, pair.says.lower()), pair)
    kept: Counter[str] = Counter()
    out = []
    pairs = list(found.values())
    chance.shuffle(pairs)
    for pair in pairs:
        kept[pair.kind] += 1
        if kept[pair.kind] <= CAPS[pair.kind]:
            out.append(pair)
    return out


def _files(source: Source, chance: random.Random) -> Iterator[tuple[str, tuple[Chunk, ...]]]:
    paths = [each for each in git(source.git_dir, "ls-tree", "-r", "--name-only", "HEAD").split("\n") if _wanted(each)]
    tests = [each for each in paths if kind_of(each) == "test"]
    code = [each for each in paths if kind_of(each) != "test"]
    chance.shuffle(tests)
    chance.shuffle(code)
    for path, data in _blobs(source, code[:FILES] + tests[: FILES // 5]):
        if len(data) <= LARGEST:
            yield path, parse(path, data).chunks


def _wanted(path: str) -> bool:
    """Code of the repository's own: what it carries of others may be under another license, or kept apart."""
    if FOREIGN.search(path):
        return False
    return language_id(path) not in DATA and kind_of(path) not in {"generated", "vendored"} and ".min." not in path


def _blobs(source: Source, paths: list[str]) -> Iterator[tuple[str, bytes]]:
    command = ["git", f"--git-dir={source.git_dir}", "cat-file", "--batch"]
    asked = "".join(f"HEAD:{path}\n" for path in paths).encode()
    out = subprocess.run(command, input=asked, capture_output=True, check=True).stdout
    at = 0
    for path in paths:
        end = out.index(b"\n", at)
        head = out[at:end].split()
        if len(head) != 3 or head[1] != b"blob":
            at = end + 1
            continue
        size = int(head[2])
        yield path, out[end + 1 : end + 1 + size]
        at = end + size + 2


def _from_code(chunks: dict[str, tuple[Chunk, ...]], chance: random.Random) -> Iterator[Pair]:
    for path, found in chunks.items():
        if kind_of(path) == "test":
            yield from _from_tests(found)
            continue
        yield from _from_head(found, chance)
        for chunk in found:
            yield from _from_chunk(chunk, chance)


def _from_head(found: tuple[Chunk, ...], chance: random.Random) -> Iterator[Pair]:
    """The first sentence of a file belongs to all of it."""
    if len(found) < 2:
        return
    head = next((each for each in comments(found[0].text[:3000], found[0].language) if each.says), None)
    if head is not None and found[0].kind in {"module", "merged"}:
        for chunk in chance.sample(found[1:], min(2, len(found) - 1)):
            yield Pair("module", chunk.language, head.says, passage(chunk))


def _from_chunk(chunk: Chunk, chance: random.Random) -> Iterator[Pair]:
    found = comments(chunk.text, chunk.language)
    bare = passage(_with(chunk, without(chunk.text, found)))
    telling = [each for each in found if each.says]
    for kind, each in zip(
        ("doc", "inline"), (telling[:1] + ([chance.choice(telling[1:])] if telling[1:] else [])), strict=False
    ):
        others = [other for other in found if other is not each]
        kept = chance.random() < 0.5
        yield Pair(
            kind,
            chunk.language,
            each.says,
            passage(_with(chunk, without(chunk.text, [each]))) if kept and others else bare,
        )
    words = tokens(chunk.symbol)
    if chunk.kind != "merged" and len(words) >= 3 and chance.random() < 0.3:
        hidden = re.sub(rf"\b{re.escape(chunk.symbol)}\b", " ", without(chunk.text, found))
        yield Pair("name", chunk.language, " ".join(words[1:]), f"{chunk.path} {chunk.parent}\n{hidden}")


def _with(chunk: Chunk, text: str) -> Chunk:
    return Chunk(chunk.id, chunk.path, 1, 1, chunk.kind, chunk.symbol, chunk.parent, chunk.language, text)


def _from_tests(found: tuple[Chunk, ...]) -> Iterator[Pair]:
    for chunk in found:
        for match in [*TEST.finditer(chunk.text), *TEST_NAME.finditer(chunk.text)][:6]:
            words = match[match.lastindex or 1].strip("`")
            spoken = " ".join(tokens(words)[1:]) if " " not in words else words
            says = said(re.sub(r"^[Tt]ests?\b", "", spoken.replace("_", " ")).strip())
            body = chunk.text[match.end() : match.end() + 900]
            if says:
                yield Pair("test", chunk.language, says, f"{chunk.path} {chunk.parent}\n{body}")


def _from_prose(source: Source, chunks: dict[str, tuple[Chunk, ...]]) -> Iterator[Pair]:
    """Sections of documentation that name a symbol defined in one or two places."""
    defined: dict[str, list[Chunk]] = {}
    for chunk in (each for found in chunks.values() for each in found if each.symbol):
        defined.setdefault(chunk.symbol.lower(), []).append(chunk)
    paths = [p for p in git(source.git_dir, "ls-tree", "-r", "--name-only", "HEAD").split("\n") if p.endswith(".md")]
    for _, data in _blobs(source, sorted(p for p in paths if "change" not in p.lower())[:200]):
        for heading, text in SECTION.findall(data.decode(errors="replace")[:200_000]):
            says = sentences(text)
            for name in NAMED.findall(text)[:3] if says else ():
                places = defined.get(re.split(r"[.:#]+", name)[-1].lower(), ())
                if 1 <= len(places) <= 2:
                    plain = heading.replace("`", "")
                    yield Pair("prose", places[0].language, f"{plain} {says}", passage(places[0]))


def _from_commits(source: Source, chunks: dict[str, tuple[Chunk, ...]]) -> Iterator[Pair]:
    options = ["--no-merges", "-n2500", "-U5", "--no-color", "--no-renames", "--diff-filter=M", "--format=%x00%s"]
    log = git(source.git_dir, "-c", "core.bigFileThreshold=200k", "log", *options, "--", *_endings(chunks), partly=True)
    for record in log.split("\0")[1:]:
        subject, _, patch = record.partition("\n")
        files = patch.split("\ndiff --git ")[1:] if patch.count("\ndiff --git ") <= 3 else []
        says = said(re.sub(r"^\[?[\w()/.*-]+[\]:]\s+|\(?#\d+\)?\s*$", "", subject.strip()))
        if not files or not says or DULL.search(subject):
            continue
        patch = max(files, key=len)[:20_000]
        path = patch.partition(" b/")[2].partition("\n")[0]
        hunks = re.split(r"(?m)^@@ .*? @@(.*)$", patch)[1:]
        text = "\n".join(hunks[:6])[:3500]
        lines = [line[1:] for line in text.split("\n") if not line.startswith("-")]
        if _wanted(path):
            yield Pair("commit", language_id(path), says, f"{path}\n" + "\n".join(lines))


def _endings(chunks: dict[str, tuple[Chunk, ...]]) -> list[str]:
    """Patterns for the files of the repository's main languages."""
    count = Counter(path.rpartition(".")[2] for path in chunks if "." in path)
    return [f"*.{ending}" for ending, _ in count.most_common(3)]


def main() -> None:
    """Mine all repositories of a folder."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    folder, out, provenance = map(Path, sys.argv[1:4])
    good, refused = sources(folder)
    seen: set[bytes] = set()
    rows: list[tuple[object, ...]] = []
    with gzip.open(out, "wt", encoding="utf-8") as file, ProcessPoolExecutor(2) as pool:
        for source, pairs in zip(good, pool.map(mine, good), strict=True):
            kinds: Counter[str] = Counter()
            languages: Counter[str] = Counter()
            for pair in pairs:
                digest = hashlib.blake2b(
                    f"{pair.says}\0{pair.passage}".encode(errors="replace"), digest_size=8
                ).digest()
                if digest not in seen:
                    seen.add(digest)
                    kinds[pair.kind] += 1
                    languages[pair.language] += 1
                    file.write(json.dumps([source.name, *pair]) + "\n")
            main_language = max(languages, key=languages.__getitem__, default="")
            rows.append((source.name, source.commit, source.license, main_language, *(kinds[kind] for kind in CAPS)))
            log.info("%s", rows[-1])
    with provenance.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("repository", "revision", "license", "language", *CAPS))
        writer.writerows(rows)
    for name, why in refused.items():
        log.info("refused: %s, %s", name, why)


if __name__ == "__main__":
    main()
