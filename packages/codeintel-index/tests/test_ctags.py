"""Universal Ctags as the source of symbols for languages without a grammar; a fake one that prints what we say, and a
real one where the machine has it."""

import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.errors import ToolTimeout
from codeintel_index.lookup.definitions import structure_of
from codeintel_index.testing import make_repo
from codeintel_index.tools import ctags

PERL = "package Shop::Cart;\n\nsub total {\n  return 1;\n}\n"
FAKE = """#!{python}
import sys
if "--version" in sys.argv:
    print({version!r})
elif "--list-features" in sys.argv:
    print({features!r})
else:
    sys.stdin.read()
    sys.stdout.buffer.write({output!r})
"""
Fake = Callable[..., Path]
ENDS = """package Cart;
my $tax = 2;
sub total {
  my $sum = shift;

  return $sum;
}

sub one { 1 }
sub last
{
  return 2;
}
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Puts a program in the place of ctags that says it is Universal Ctags and prints `output`."""

    def make(
        output: bytes = b"", version: str = "Universal Ctags 6.1", features: str = "#NAME\njson  supports json"
    ) -> Path:
        place = tmp_path / "ctags"
        place.write_text(FAKE.format(python=sys.executable, version=version, features=features, output=output))
        place.chmod(place.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv(ctags.VARIABLE, str(place))
        ctags._is_universal.cache_clear()
        return place

    return make


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> str:
    """The ctags of this machine."""
    monkeypatch.delenv(ctags.VARIABLE, raising=False)
    found = ctags.find_ctags()
    if found is None:
        pytest.skip("Universal Ctags with JSON is not installed")
    return found


def tags(place: Path, *paths: str) -> dict[str, list[tuple[object, ...]]]:
    found = ctags.tags_of(place.parent, paths)
    return {
        path: [(each.kind, each.parent, each.name, each.line, each.end_line, each.signature) for each in symbols]
        for path, symbols in found.items()
    }


def test_tags_are_symbols_by_file_and_line(fake: Fake) -> None:
    place = fake(
        b'{"_type": "ptag", "name": "JSON_OUTPUT_VERSION"}\n'
        b'{"_type": "tag", "name": "f", "path": "./a/b.pl", "pattern": "/^sub f { \\\\/ }$/", "line": 7, "kind": "sub",'
        b' "scope": "A::B", "scopeKind": "package", "end": 9}\n'
        b'{"_type": "tag", "name": "g", "path": "./a/b.pl", "line": 2}\n'
        b'{"_type": "tag", "name": "__anon1", "path": "./a/b.pl", "line": 3, "kind": "sub"}\n'
        b'{"_type": "tag", "name": "broken\n'
        b"no tag at all\n"
        b'{"_type": "tag", "name": "x", "path": "./c.vim", "line": 1, "kind": "function", "end": 0}\n'
    )
    assert tags(place, "a/b.pl", "c.vim") == {
        "a/b.pl": [("symbol", "", "g", 2, 2, ""), ("sub", "A.B", "f", 7, 9, "sub f { / }")],
        "c.vim": [("function", "", "x", 1, 1, "")],
    }


@pytest.mark.parametrize(
    ("version", "features"),
    [("Exuberant Ctags 5.8", "json"), ("Universal Ctags 5.9", "#NAME\nregex  can use regular expressions"), ("", "")],
)
def test_another_ctags_is_no_ctags(fake: Fake, version: str, features: str) -> None:
    fake(version=version, features=features)
    assert ctags.find_ctags() is None


@pytest.mark.parametrize("place", ["/nowhere/ctags", "", "/"])
def test_what_is_no_program_is_no_ctags(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ctags.VARIABLE, place)
    assert ctags.find_ctags() is None


def test_a_path_with_a_line_break_is_not_asked_about(fake: Fake) -> None:
    assert tags(fake(b'{"_type": "tag", "name": "f", "path": "./b.pl", "line": 1}\n'), "a\nb.pl") == {}


def test_a_ctags_that_hangs_costs_the_symbols_and_is_told(
    fake: Fake, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = fake()
    place.write_text(place.read_text().replace("sys.stdin.read()", "import time; time.sleep(60)"))
    (shop / "cart.pl").write_text(PERL)
    assert ctags.find_ctags() == str(place)
    monkeypatch.setattr(ctags, "TIMEOUT_S", 0.2)
    with Index.open(shop) as index:
        report = index.sync()
        assert report.errors == ("cart.pl: ctags took longer than 0.2 s",)
        assert "cart.pl" in {hit.path for hit in index.search("Shop Cart total", collection="forest").hits}
        with pytest.raises(ToolTimeout):
            index.symbols("cart.pl")


@pytest.mark.parametrize("synced", [False, True])
def test_symbols_of_ctags_are_found_by_name_and_say_their_source(shop: Path, real: str, synced: bool) -> None:
    (shop / "cart.pl").write_text(PERL)
    with Index.open(shop) as index:
        if synced:
            index.sync()
        found = [each for each in index.definitions("total") if each.source == "ctags"]
        assert [(each.path, each.kind, each.line) for each in found] == [("cart.pl", "subroutine", 3)]
        assert [each.source for each in index.definitions("parse_price")] == ["tree-sitter"]
        assert [each.name for each in index.symbols("cart.pl")] == ["Shop::Cart", "total"]


def test_a_project_cannot_tell_ctags_what_to_do(tmp_path: Path, real: str) -> None:
    root = make_repo(
        tmp_path / "hostile", {"cart.pl": PERL, ".ctags.d/x.ctags": "--exclude=*.pl\n", ".ctags": "--exclude=*"}
    )
    assert [each.name for each in ctags.tags_of(root, ["cart.pl"])["cart.pl"]] == ["Shop::Cart", "total"]


def test_prose_and_languages_with_a_grammar_are_not_asked_about(fake: Fake, shop: Path) -> None:
    fake(b"".join(b'{"_type": "tag", "name": "no", "path": "./%s", "line": 1}\n' % path for path in (b"a.md", b"b.py")))
    (shop / "a.md").write_text("no heading\n")
    (shop / "b.py").write_text("1 + 1\n")
    with Index.open(shop) as index:
        index.sync()
        assert index.definitions("no") == ()


def test_without_ctags_such_files_are_text(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ctags.VARIABLE, "")
    (shop / "cart.pl").write_text(PERL)
    with Index.open(shop) as index:
        index.sync()
        assert index.symbols("cart.pl") == ()
        assert index.search("Shop Cart total sub", collection="forest").hits


def test_the_real_ctags_is_the_one_on_the_path(real: str) -> None:
    assert real == shutil.which("ctags")


def test_a_function_ends_where_its_block_does_if_ctags_does_not_say_it(tmp_path: Path, real: str) -> None:
    """Evidence that names a function of Perl was refused: only its first line counted, which had not changed."""
    root = make_repo(tmp_path / "shop", {"Cart.pm": ENDS})
    found = {each.name: (each.line, each.end_line) for each in structure_of(root, "Cart.pm").symbols}
    assert {name: found[name] for name in ("total", "one", "last")} == {
        "total": (3, 7),
        "one": (9, 9),
        "last": (10, 13),
    }
