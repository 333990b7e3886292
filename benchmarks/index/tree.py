"""A tree of any number of files, made of real ones: those of the Python that runs this and of its installed packages.

A thousand files are drawn once, by a fixed seed; a larger tree holds them again and again, each copy with its own names
for what it defines. So the mix of sizes and languages is the same at every size, and what differs is the number alone.
"""

import random
import re
import subprocess
import sysconfig
from pathlib import Path

POOL = 1000
LARGEST = 200_000  # bytes; what is larger is data more often than code
SUFFIXES = frozenset({".py", ".pyi", ".c", ".h", ".cpp", ".js", ".ts", ".md", ".toml", ".json", ".css", ".sh"})
_DEFINED = re.compile(r"\b(?:def|class|function|struct|enum|interface|typedef|#define)\s+([A-Za-z_]\w{3,})")
_WORD = re.compile(r"[A-Za-z_]\w{3,}")


def make_tree(root: Path, count: int, largest: int = LARGEST) -> int:
    """Write `count` files below `root`, which becomes a git repository with all of them committed; their bytes."""
    pool = _pool(largest)
    written = 0
    for number in range(count):
        base, path = pool[number % len(pool)]
        copy = number // len(pool)
        text = (base / path).read_text(encoding="utf-8")
        place = root / f"copy_{copy:03}" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        data = (_renamed(text, copy) if copy else text).encode()
        place.write_bytes(data)
        written += len(data)
    for command in (["init", "-q"], ["add", "-A"], [*_IDENTITY, "commit", "-q", "-m", "tree"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return written


_IDENTITY = ["-c", "user.name=b", "-c", "user.email=b@example.invalid", "-c", "gc.auto=0", "-c", "commit.gpgsign=false"]


def _pool(largest: int) -> list[tuple[Path, Path]]:
    """The files to copy: (folder, path in it), the same ones in the same order on every run."""
    found: list[tuple[Path, Path]] = []
    for base in {Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib"))}:
        for place in base.rglob("*"):
            path = place.relative_to(base)
            if place.suffix in SUFFIXES and "site-packages" not in path.parts and _usable(place, largest):
                found.append((base, path))
    if len(found) < POOL:
        raise SystemExit(f"only {len(found)} usable source files are installed here, {POOL} are needed")
    found.sort(key=lambda pair: pair[1].as_posix())
    return random.Random(1).sample(found, POOL)


def _usable(place: Path, largest: int) -> bool:
    if place.is_symlink() or not place.is_file() or not 0 < place.stat().st_size <= largest:
        return False
    try:
        place.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _renamed(text: str, copy: int) -> str:
    """The text with everything it defines called otherwise, wherever it is named."""
    defined = {name: f"{name}_{copy}" for name in _DEFINED.findall(text)}
    return _WORD.sub(lambda match: defined.get(match[0], match[0]), text)
