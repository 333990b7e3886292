"""What git could not get past is found before it is started; tests/test_project_file.py holds both copies together."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_contract import find_trap

pytestmark = pytest.mark.skipif(os.name == "nt", reason="makes links and pipes")


def cloned(root: Path) -> Path:
    """Make the folders that make a repository, with a file in it."""
    for name in (".git/objects/pack", ".git/refs/heads", ".git/info", "src"):
        (root / name).mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (root / ".git/config").write_text("[core]\n\tbare = false\n", encoding="utf-8")
    return root


def piped(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)


def configured(root: Path, text: str) -> None:
    os.mkfifo(root / "pipe")  # not in git's folder, where it would be found without the configuration
    settled(root, text)


def settled(root: Path, text: str) -> None:
    with (root / ".git/config").open("a", encoding="utf-8") as file:
        file.write(text)


def elsewhere(root: Path) -> None:
    (root / ".git").rename(root / "real")
    (root / ".git").write_text("gitdir: real\n", encoding="utf-8")
    piped(root / "real/HEAD")


def inner(root: Path) -> None:
    cloned(root / "inner")
    piped(root / "inner/.git/config")


def long(place: Path) -> None:
    place.touch()
    os.truncate(place, 20_000_000_000)


TRAPS: dict[str, tuple[Callable[[Path], object], str]] = {
    "an include": (lambda root: configured(root, "[include] path = ../pipe\n"), "pipe"),
    "an include with a condition": (
        lambda root: configured(root, '[includeIf "gitdir:/"]\n\tPath="../pi\\\npe" # x\n'),
        "pipe",
    ),
    "an include in an include": (
        lambda root: (
            (root / ".git/a").write_text("[include]\npath=../pipe\n"),
            configured(root, "[include]\npath = a\n"),
        ),
        "pipe",
    ),
    "a file of rules": (lambda root: configured(root, f"[core]\nexcludesFile = {root}/pipe\n"), "pipe"),
    "a device": (lambda root: (root / ".git/config").write_text("[include]\npath = /dev/zero\n"), "/dev/zero"),
    "rules of a folder": (lambda root: piped(root / "src/.gitignore"), "src/.gitignore"),
    "too many rules": (lambda root: (root / ".gitignore").write_text("*.a\n" * 80_000), ".gitignore"),
    "attributes of a folder": (lambda root: long(root / "src/.gitattributes"), "src/.gitattributes"),
    "a branch": (lambda root: piped(root / ".git/refs/heads/main"), ".git/refs/heads/main"),
    "a link to a device": (lambda root: (root / ".git/refs/x").symlink_to("/dev/zero"), ".git/refs/x"),
    "a pack": (lambda root: piped(root / ".git/objects/pack/pack-1.idx"), ".git/objects/pack/pack-1.idx"),
    "an index of 20 GB": (lambda root: long(root / ".git/index"), ".git/index"),
    "a folder elsewhere": (elsewhere, "real/HEAD"),
    "a repository inside": (inner, "inner/.git/config"),
}


@pytest.mark.parametrize("case", TRAPS)
def test_what_git_could_not_get_past_is_found(case: str, tmp_path: Path) -> None:
    root = cloned(tmp_path / "clone")
    make, name = TRAPS[case]
    make(root)
    assert find_trap(str(root)).endswith(name)
    assert find_trap(str(root / "src")).endswith(name)


def shared(root: Path) -> None:
    """Make a linked work tree inside, whose own folder shares that of the first."""
    own = root / ".git/worktrees/w"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/w\n", encoding="utf-8")
    (own / "commondir").write_text("../..\n", encoding="utf-8")
    (root / "w").mkdir()
    (root / "w/.git").write_text(f"gitdir: {own}\n", encoding="utf-8")


HARMLESS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda root: None,
    "a linked work tree": shared,
    "an include that leads in a circle": lambda root: settled(root, "[include]\npath = config\n"),
    "an include of what is not there": lambda root: settled(root, "[include]\npath = gone\n"),
    "no value": lambda root: settled(root, "[core]\nexcludesFile =\n\tpager = a\0b\n"),
    "rules that are a link, which git does not follow": lambda root: (root / ".gitignore").symlink_to("/dev/zero"),
    "a folder named as a repository": lambda root: (root / "src/.git").mkdir(),
    "a folder nobody may read": lambda root: (root / "src").chmod(0),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_git_gets_past_is_no_trap(case: str, tmp_path: Path) -> None:
    root = cloned(tmp_path / "clone")
    HARMLESS[case](root)
    assert find_trap(str(root)) == ""
    (root / "src").chmod(0o700)


def test_a_pipe_that_comes_later_among_gits_own_files_is_found_until_it_is_gone(tmp_path: Path) -> None:
    root = cloned(tmp_path / "clone")
    assert find_trap(str(root)) == find_trap(str(root)) == ""
    piped(root / ".git/info/exclude")
    assert find_trap(str(root)) == ".git/info/exclude"
    (root / ".git/info/exclude").unlink()
    assert find_trap(str(root)) == ""


def test_where_no_work_tree_is_nothing_is_looked_at(tmp_path: Path) -> None:
    piped(tmp_path / ".gitignore")
    assert find_trap(str(tmp_path)) == ""
