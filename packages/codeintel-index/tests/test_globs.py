"""The one dialect of globs: what fits, and that no pattern on no path keeps anybody waiting."""

import pytest

from codeintel_index.errors import BadPattern
from codeintel_index.globs import compile_glob
from codeintel_index.testing import bounded

FITS = [
    ("**/*.{ts,tsx}", ["a.ts", "src/b.tsx", "src/.hidden/c.ts"], ["a.js", "ts", "a.ts/b"]),
    ("src/*.py", ["src/a.py", "src/.a.py"], ["src/deep/a.py", "a.py", "lib/src/a.py"]),
    ("**/x", ["x", "a/x", "a/b/x"], ["ax", "x/a"]),
    ("*.html", ["a.html", "pages/deep/a.html"], ["a.htm"]),
    ("src/**", ["src/a", "src/a/b"], ["src", "lib/src/a"]),
    ("./src/", ["src/a", "src/a/b"], ["lib/a"]),
    ("/Makefile", ["Makefile"], ["lib/Makefile"]),
    ("a/**/b/**/c", ["a/b/c", "a/x/b/c", "a/x/b/y/b/z/c"], ["a/c", "a/b", "x/a/b/c"]),
    ("{docs,src/lib}/*.md", ["docs/a.md", "src/lib/a.md"], ["src/a.md", "src/docs/a.md"]),
    ("v{1..3}.py", ["v1.py", "v3.py"], ["v4.py", "v{1..3}.py"]),
    ("[!a]?[c-e]", ["bxd", "x/bxd"], ["axd", "bxf", "b/d"]),
    (r"\*[[].py", ["*[.py"], ["a[.py"]),
    ("File.py", ["File.py"], ["file.py"]),
    ("!src/*.py", ["a.py", "src/b/a.py"], ["src/a.py"]),
    ("!tests", ["a.py", "src/tests.py"], ["tests", "tests/a.py", "src/tests/b/c.py"]),
    ("!tests/", ["a.py", "src/tests.py"], ["tests/a.py", "src/tests/b/c.py"]),
    ("!**/tests", ["a.py"], ["tests/a.py", "src/tests/b/c.py"]),
    ("!src/gen/", ["src/a.py", "gen/a.py"], ["src/gen/a.py", "src/gen/b/c.py"]),
]


@pytest.mark.parametrize(("pattern", "fitting", "others"), FITS)
def test_a_glob_fits_these_paths_and_not_those(pattern: str, fitting: list[str], others: list[str]) -> None:
    fits = compile_glob(pattern)
    assert [path for path in [*fitting, *others] if fits(path)] == fitting


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("x" * 1001, "longer than 1000"),
        ("**/a/" * 5, r"more than 4 times \*\*"),
        ("*a*b*c*d*", "more than 4 stars"),
        ("{a,b}" * 9, "more than 256 ways"),
        ("{1..99999999}", "more than 256 ways"),
        ("{" * 900, "without its }"),
        ("src/[z-a]", "a range that ends before it begins"),
    ],
)
def test_a_glob_that_is_broken_or_could_take_long_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(BadPattern, match=why):
        compile_glob(pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/a/**/a/**/a/**/b", "a/" * 2000),
        ("**/a*/**/*a/**/{a,aa}/**/b", "a/" * 2000),
        ("*a*a*a*ab", "a" * 4000),
        ("**/*a*a*a*b/**/*a*a*a*b", ("a" * 250 + "/") * 16),
    ],
)
def test_the_dearest_glob_on_the_worst_path_is_answered_at_once(pattern: str, path: str) -> None:
    with bounded():
        assert not compile_glob(pattern)(path)
