"""What is indexed and what is not; and no path leads out of the project."""

import os
from pathlib import Path

import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.errors import BadPattern, NotAFile, PathOutsideProject
from codeintel_index.testing import make_repo, write_files
from codeintel_index.text.redaction import is_private
from codeintel_index.tools import listing

pytestmark = pytest.mark.draws(18)


def test_folders_named_build_and_hidden_files_are_found(index: Index) -> None:
    write_files(
        index.root, {"build/make.py": "x = 1\n", "rebuild/a.py": "y = 1\n", ".github/workflow.yml": "on: push\n"}
    )
    assert {"build/make.py", "rebuild/a.py", ".github/workflow.yml"} <= set(index.source_files())


def test_ignored_files_and_the_index_itself_are_left_out(synced: Index) -> None:
    write_files(synced.root, {".gitignore": "out/\n", "out/a.py": "a = 1\n"})
    assert not [path for path in synced.source_files() if path.startswith(("out/", ".code-intel/", ".git/"))]


def test_binary_large_and_linked_files_are_left_out(index: Index, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("def outside(): ...\n")
    write_files(index.root, {"blob.py": b"x = 1\0", "large.py": b"#" * 1_000_001})
    os.symlink(tmp_path / "outside.py", index.root / "link.py")
    os.symlink(tmp_path, index.root / "linked")
    assert index.sync().files == 7
    assert index.definitions("outside") == ()


def test_a_tracked_file_below_a_folder_that_became_a_link_is_left_out(index: Index, tmp_path: Path) -> None:
    write_files(tmp_path / "elsewhere", {"money.md": "secret words\n"})
    (index.root / "docs/money.md").unlink()
    (index.root / "docs").rmdir()
    os.symlink(tmp_path / "elsewhere", index.root / "docs")
    assert "docs/money.md" not in index.source_files()


@pytest.mark.parametrize("name", [".env", ".env.local", "server.pem", "deploy.key", "id_rsa", "id_ed25519", ".netrc"])
def test_secrets_are_neither_indexed_nor_searched(index: Index, name: str) -> None:
    write_files(index.root, {f"conf/{name}": "TOKEN = 'hush'\n"})
    assert f"conf/{name}" not in index.source_files()
    assert index.grep("hush")[0].total == 0
    assert index.grep("hush", path=f"conf/{name}")[0].total == 0
    assert index.references("hush") == ()


def test_templates_of_secrets_and_public_keys_are_not_secret() -> None:
    assert not [name for name in (".env.example", "a/.env.sample", "id_rsa.pub", "keys.py") if is_private(name)]


def test_names_with_spaces_newlines_and_foreign_letters_work(index: Index) -> None:
    odd = ["a b/c d.py", "line\nbreak.py", "größe/naïve.py", "--glob.py", "日本.py"]
    write_files(index.root, dict.fromkeys(odd, "def odd_one(): ...\n"))
    index.sync()
    assert {symbol.path for symbol in index.definitions("odd_one")} == set(odd)
    assert {match.path for match in index.grep("odd_one")[0].matches} == set(odd)
    assert set(odd) <= set(index.files("*.py"))


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_not_utf8_does_no_harm(index: Index) -> None:
    place = os.fsencode(index.root) + b"/caf\xe9.py"
    try:
        with open(place, "wb") as file:
            file.write(b"def coffee(): ...\n")
    except OSError:
        pytest.skip("the file system refuses such names")
    assert index.sync().files == 7
    assert index.grep("def coffee")[0].matches[0].path == "caf\\xe9.py"


def test_source_dirs_and_exclude_patterns_narrow_the_project(shop: Path) -> None:
    config = IndexConfig(source_dirs=("shop", "missing"), exclude_patterns=("*mail*", "/docs/"))
    with Index.open(shop, config) as index:
        assert index.source_files() == ["shop/__init__.py", "shop/cart.py", "shop/money.py"]
        assert index.files("test_*.py") == ("tests/test_money.py",)
        assert index.files("docs/*") == ()


def test_source_dirs_of_which_none_exists_mean_everything(shop: Path) -> None:
    with Index.open(shop, IndexConfig(source_dirs=("src", "lib"))) as index:
        assert len(index.source_files()) == 7


def test_a_pattern_that_takes_back_is_honoured(shop: Path) -> None:
    with Index.open(shop, IndexConfig(exclude_patterns=("*.py", "!cart.py"))) as index:
        assert [path for path in index.source_files() if path.endswith(".py")] == ["shop/cart.py"]


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "shop/../../x",
        "/etc/passwd",
        "a\0b",
        "linked/x",
        "\\\\server\\share",
        "C:\\x",
        "C:/x",
        "loop/x",
    ],
)
def test_no_path_leads_out(index: Index, tmp_path: Path, path: str) -> None:
    os.symlink(tmp_path, index.root / "linked")
    os.symlink("loop", index.root / "loop")
    by_path = (
        index.symbols,
        index.structure,
        lambda p: index.function_at(p, 1),
        lambda p: index.kind_of_lines(p, 1, 1),
    )
    for call in by_path:
        with pytest.raises(PathOutsideProject):
            call(path)
    for narrowed in (
        lambda: index.grep("x", path=path),
        lambda: index.references("x", path=path),
        lambda: index.definitions("x", path=path),
        lambda: index.impact([path]),
    ):
        with pytest.raises(PathOutsideProject):
            narrowed()


def test_a_name_too_long_for_any_file_is_refused(index: Index) -> None:
    for call in (index.symbols, index.structure, lambda path: index.impact([path])):
        with pytest.raises(NotAFile):
            call("a" * 5000)


def test_an_absolute_path_inside_and_a_link_inside_are_fine(index: Index) -> None:
    os.symlink("cart.py", index.root / "shop/basket.py")
    assert index.symbols(str(index.root / "shop/cart.py"))[0].path == "shop/cart.py"
    assert index.symbols("shop/basket.py")[0].path == "shop/cart.py"


def test_what_is_not_a_text_file_is_refused_by_name(index: Index) -> None:
    write_files(index.root, {"blob.bin": b"\0\1"})
    os.mkfifo(index.root / "pipe")
    for path, why in (("shop", "folder"), ("gone.py", "no such"), ("blob.bin", "binary"), ("pipe", "neither")):
        with pytest.raises(NotAFile, match=why):
            index.symbols(path)


def test_globs_match_names_anywhere_and_paths_from_the_root(index: Index) -> None:
    assert list(index.files("money.*")) == ["docs/money.md", "shop/money.py"]
    assert list(index.files("shop/*.py")) == ["shop/__init__.py", "shop/cart.py", "shop/mail.py", "shop/money.py"]
    assert list(index.files("**/test_*.py")) == ["tests/test_money.py"]
    assert list(index.files("{docs,tests}/**")) == ["docs/money.md", "tests/test_money.py"]
    assert list(index.files("shop/[cm]a*.py")) == ["shop/cart.py", "shop/mail.py"]
    assert list(index.files("shop/[!cm]*.py")) == ["shop/__init__.py"]
    assert index.files("./shop/").total == 4


def test_a_limit_cuts_the_list_and_keeps_the_count(index: Index) -> None:
    found = index.files("*", limit=2)
    assert (len(found), found.total) == (2, 7)


@pytest.mark.parametrize("pattern", ["", "a\0", "{a,b", "[z-a]"])
def test_a_broken_glob_is_refused(index: Index, pattern: str) -> None:
    with pytest.raises(BadPattern):
        index.files(pattern)


def test_without_git_and_ripgrep_folders_are_walked(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(shop, {".gitignore": "*.log\nout/\n", "a.log": "x", "out/b.py": "x", "sub/.gitignore": "c.py\n"})
    write_files(shop, {"sub/c.py": "x", "sub/d.py": "x"})
    with_git = listing.list_files(shop)
    monkeypatch.setattr(listing, "list_with_git", lambda root: None)
    with_rg = listing.list_files(shop)
    monkeypatch.setattr(listing, "_ripgrep", lambda root: None)
    assert listing.list_files(shop) == with_rg == with_git


def test_a_hostile_repository_configuration_runs_nothing(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "hostile", {"a.py": "x = 1\n"})
    marker = tmp_path / "ran"
    script = tmp_path / "monitor"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    with (root / ".git/config").open("a", encoding="utf-8") as config:
        config.write(f"[core]\n\tfsmonitor = {script}\n")
    with Index.open(root) as index:
        index.sync()
    assert not marker.exists()
