"""Text search: what is found, in which order, and that no pattern is ever more than a pattern."""

import os
import threading
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.errors import BadArgument, BadPattern, NotAFile, ToolTimeout
from codeintel_index.testing import git, make_repo, write_files

pytestmark = pytest.mark.draws(18)


@pytest.fixture(params=["ripgrep", "python-re"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both engines: the second is what is used where ripgrep is missing."""
    if request.param == "python-re":
        monkeypatch.setenv("CODEINTEL_RG", "/nowhere/rg")
    return str(request.param)


def found(index: Index, pattern: str, **options: object) -> list[tuple[str, int, int]]:
    return [(m.path, m.line, m.column) for m in index.grep(pattern, **options)[0].matches]  # type: ignore[arg-type]


def test_matches_have_line_column_and_text(index: Index, engine: str) -> None:
    result = index.grep(r"def (add|parse)_price")[0]
    assert [(m.path, m.line, m.column, m.text) for m in result.matches] == [
        ("shop/money.py", 13, 1, "def add_prices(prices: list[Price]) -> Price:"),
        ("shop/money.py", 18, 1, "def parse_price(text: str) -> Price:"),
    ]
    assert (result.total, result.truncated, result.engine) == (2, False, engine)


def test_columns_count_characters(index: Index, engine: str) -> None:
    write_files(index.root, {"ö.py": 'x = "äöü"  # here\n'})
    assert found(index, "here") == [("ö.py", 1, 14)]


def test_several_patterns_answer_in_their_order(index: Index, engine: str) -> None:
    results = index.grep(["class Cart", "nothing at all", "class Price"])
    assert [(result.pattern, result.total) for result in results] == [
        ("class Cart", 1),
        ("nothing at all", 0),
        ("class Price", 1),
    ]


def test_context_lines_stand_around_a_match(index: Index, engine: str) -> None:
    match = index.grep("class Price", context_lines=1)[0].matches[0]
    assert (match.before, match.after) == (("@dataclass(frozen=True)",), ('    """An amount in cents."""',))


@pytest.mark.sample
def test_path_glob_and_type_narrow_the_search(index: Index, engine: str) -> None:
    everywhere = {path for path, _, _ in found(index, "parse_price")}
    assert everywhere == {"docs/money.md", "shop/money.py", "tests/test_money.py"}
    assert {path for path, _, _ in found(index, "parse_price", path="tests")} == {"tests/test_money.py"}
    assert {path for path, _, _ in found(index, "parse_price", glob="*.md")} == {"docs/money.md"}
    assert {path for path, _, _ in found(index, "parse_price", glob="s*/**/*.py")} == {"shop/money.py"}
    assert {path for path, _, _ in found(index, "parse_price", glob="!*.py")} == {"docs/money.md"}
    assert {path for path, _, _ in found(index, "parse_price", file_type="py", glob="test*")} == {"tests/test_money.py"}


def test_a_glob_does_not_bring_ignored_files_back(index: Index, engine: str) -> None:
    write_files(index.root, {".gitignore": "*.gen.py\n", "a.gen.py": "parse_price\n"})
    assert "a.gen.py" not in {path for path, _, _ in found(index, "parse_price", glob="*.py")}


TRACKED = ["build/a.py", "build/sub/x [1] y.py", "build/!z.md", "c.log", "line\nend.log"]


@pytest.mark.sample
def test_tracked_files_are_found_although_the_ignore_rules_name_them(index: Index, engine: str) -> None:
    write_files(index.root, dict.fromkeys([*TRACKED, "build/no.py", "no.log", "build/out/no.py"], "needle\n"))
    git(index.root, "add", "--force", *TRACKED)
    write_files(index.root, {".gitignore": "build/\n*.log\n", "build/.gitignore": "*\n"})
    assert {path for path, _, _ in found(index, "needle")} == set(TRACKED) <= set(index.source_files())
    assert {path for path, _, _ in found(index, "needle", path="build/sub")} == {"build/sub/x [1] y.py"}
    assert [path for path, _, _ in found(index, "needle", path="build/a.py")] == ["build/a.py"]
    assert {path for path, _, _ in found(index, "needle", glob="*.md")} == {"build/!z.md"}
    assert {path for path, _, _ in found(index, "needle", file_type="py", glob="!a.*")} == {"build/sub/x [1] y.py"}
    assert {each.path for each in index.references("needle")} == set(TRACKED)


@pytest.mark.parametrize("path", ["src", "src/", "src/deep"])
def test_below_a_folder_each_line_is_found_once_whatever_is_tracked_elsewhere(
    index: Index, engine: str, path: str
) -> None:
    write_files(index.root, {"src/deep/a.py": "needle\n", ".rc": "needle\n", "src/deep/no.py": "needle\n"})
    git(index.root, "add", ".rc", "src/deep/a.py")
    write_files(index.root, {".gitignore": ".*\nno.py\n"})
    assert [match.path for match in index.grep("needle", path=path)[0].matches] == ["src/deep/a.py"]
    assert [each.path for each in index.references("needle")] == [".rc", "src/deep/a.py"]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_below_a_folder_only_files_that_git_lists_are_searched_where_rules_are_a_link(
    index: Index, engine: str
) -> None:
    """Git follows no such link, so the rules of `src` alone count."""
    write_files(index.root, {"src/a.py": "needle\n", "src/no.log": "needle\n", "src/.gitignore": "*.log\n"})
    (index.root / "rules").write_text("*.py\n", encoding="utf-8")
    (index.root / "shop/.gitignore").symlink_to("../rules")
    git(index.root, "add", "shop/.gitignore")
    assert found(index, "needle", path="src") == found(index, "needle") == [("src/a.py", 1, 1)]


@pytest.mark.sample
def test_a_file_that_is_added_in_spite_of_the_rules_is_found_at_once(index: Index, engine: str, tmp_path: Path) -> None:
    git(index.root, "worktree", "add", "--quiet", str(tmp_path / "second"))
    for root in (index.root, tmp_path / "second"):
        write_files(root, {".gitignore": "*.log\n", "a.log": "needle\n"})
        with Index.open(root) as other:
            assert found(other, "needle") == []
            git(root, "add", "--force", "a.log")
            assert found(other, "needle") == [("a.log", 1, 1)]


@pytest.mark.sample
def test_pages_of_tracked_and_ignored_files_fit_together(index: Index, engine: str) -> None:
    names = ["a.log", "a/1.py", "b-c/2.log", "b/3.py", "b/4.log", "z.py"]
    write_files(index.root, dict.fromkeys(names, "needle\n" * 500))
    git(index.root, "add", "--force", ".")
    write_files(index.root, {".gitignore": "*.log\n"})
    paged = [match for at in range(0, 3000, 700) for match in index.grep("needle", limit=700, offset=at)[0].matches]
    assert len({(match.path, match.line) for match in paged}) == len(paged) == 3000


def test_only_the_rules_that_git_goes_by_hide_a_file(tmp_path: Path, engine: str) -> None:
    write_files(tmp_path, {".gitignore": "*.py\n", ".ignore": "*.md\n"})
    root = make_repo(
        tmp_path / "inner", {".ignore": "*.txt\n", "a.py": "needle\n", "b.txt": "needle\n", "sub/c.md": "needle\n"}
    )
    with Index.open(root) as index:
        assert {path for path, _, _ in found(index, "needle")} == {"a.py", "b.txt", "sub/c.md"}
    with Index.open(root / "sub") as index:
        assert {path for path, _, _ in found(index, "needle")} == {"c.md"}


def test_a_project_that_an_outer_repository_ignores_is_searched_for_itself(tmp_path: Path, engine: str) -> None:
    outer = make_repo(tmp_path / "outer", {".gitignore": "*\n"})
    write_files(outer, {"mine/a.py": "needle\n", "mine/.gitignore": "*.log\n", "mine/b.log": "needle\n"})
    with Index.open(outer / "mine") as index:
        assert {path for path, _, _ in found(index, "needle")} == {"a.py"} == set(index.source_files()) - {".gitignore"}


def test_case_and_fixed_text_are_options(index: Index, engine: str) -> None:
    assert found(index, "CLASS CART") == []
    assert found(index, "CLASS CART", case_sensitive=False) == [("shop/cart.py", 6, 1)]
    assert found(index, "Price(sum(", fixed=True) == [("shop/money.py", 15, 12)]


@pytest.mark.sample(4)
@pytest.mark.parametrize("pattern", ["--pre=./script", "-f/etc/passwd", "--files", "-e", "--", "-"])
def test_a_pattern_is_never_an_option(index: Index, engine: str, pattern: str) -> None:
    marker = index.root.parent / "ran"
    write_files(index.root, {"script": f"#!/bin/sh\ntouch '{marker}'\n", "notes.txt": f"before {pattern} after\n"})
    (index.root / "script").chmod(0o755)
    assert ("notes.txt", 1, 8) in found(index, pattern, fixed=True)
    index.grep(pattern, file_type="py", glob="*.py", path="shop")
    assert not marker.exists()


@pytest.mark.parametrize(
    "options", [{"file_type": "--pre=./x"}, {"file_type": "nosuchtype"}, {"glob": "{"}, {"fixed": True, "glob": "a\0"}]
)
def test_other_arguments_are_no_options_either(index: Index, options: dict[str, object]) -> None:
    with pytest.raises(BadArgument if "file_type" in options else BadPattern):
        index.grep("x", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2", "*", "", "a\0b", "x" * 20_000])
def test_a_broken_pattern_is_refused_by_name(index: Index, engine: str, pattern: str) -> None:
    if (pattern, engine) == ("a{2", "python-re"):
        pytest.skip("plain text to Python")
    with pytest.raises(BadPattern):
        index.grep(pattern)


@pytest.mark.sample
def test_a_broken_pattern_takes_nothing_from_the_others(index: Index, engine: str) -> None:
    good, bad = index.grep(["price", "(price"])
    assert (good, bad.matches) == (index.grep("price")[0], ())
    assert (good.refused, bool(bad.refused)) == ("", True)
    with pytest.raises(BadPattern, match="price"):
        index.grep(["(price", "[a"])
    if engine == "ripgrep":
        assert index.grep(["price", "(?=price)"])[1].refused.endswith("is not supported")


@pytest.mark.sample
def test_pages_fit_together(index: Index, engine: str) -> None:
    whole = found(index, "price")
    pages = [found(index, "price", limit=4, offset=offset) for offset in range(0, len(whole), 4)]
    assert [match for page in pages for match in page] == whole
    result = index.grep("price", limit=4)[0]
    assert (result.total, result.truncated) == (len(whole), True)


def test_beyond_the_cap_pages_still_fit_together(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.tools.grep.CAP", 3)
    first, second = found(index, "price", limit=3), found(index, "price", limit=3, offset=3)
    monkeypatch.undo()
    assert first + second == found(index, "price")[:6]


def test_a_long_line_is_cut_around_the_match(index: Index) -> None:
    write_files(index.root, {"long.js": "x" * 50_000 + "needle" + "y" * 50_000 + "\n"})
    match = index.grep("needle")[0].matches[0]
    assert len(match.text) < 500
    assert "needle" in match.text
    assert match.column == 50_001


def test_lines_that_are_not_utf8_are_found(index: Index, engine: str) -> None:
    write_files(index.root, {"latin.txt": b"caf\xe9 needle\n"})
    assert found(index, "needle") == [("latin.txt", 1, 6)]


@pytest.mark.sample(2)
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(a*)*b$", "(.*a){25}$", "^(([a-z])+.)+[A-Z]"])
def test_a_search_that_takes_too_long_is_killed(index: Index, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(index.root, {"evil.txt": "a" * 60 + "b!\n"})
    assert found(index, pattern, path="evil.txt", timeout=20.0) == []
    monkeypatch.setenv("CODEINTEL_RG", "/nowhere/rg")
    with pytest.raises(ToolTimeout):
        index.grep(pattern, timeout=0.3)


@pytest.mark.sample(3)
@pytest.mark.parametrize("pattern", ["a{99999999999999999}", "(" * 5000 + ")" * 5000, "((x{900}){900}){900}", "\ud800"])
def test_a_pattern_that_is_too_much_for_its_engine_is_refused(index: Index, engine: str, pattern: str) -> None:
    if pattern.startswith("((x") and engine == "python-re":
        pytest.skip("Python compiles it, and the search has its deadline")
    with pytest.raises(BadPattern):
        index.grep(pattern)


@pytest.mark.parametrize(
    "glob", ["*a" * 5, "**/" * 5 + "x", "{a,b}" * 9, "{" * 300, "{{a,b},{c,d}}" * 5, "x" * 1001, "\ud800"]
)
def test_a_glob_that_could_be_tried_in_too_many_ways_is_refused(index: Index, engine: str, glob: str) -> None:
    with pytest.raises(BadPattern):
        index.grep("x", glob=glob)


def test_what_is_no_file_is_not_waited_for(index: Index, engine: str) -> None:
    os.mkfifo(index.root / "pipe")
    for path in ("pipe", "shop/../pipe"):
        with pytest.raises(NotAFile, match="neither a file nor a folder"):
            index.grep("x", path=path)
    assert found(index, "class Cart") == [("shop/cart.py", 6, 1)]


@pytest.mark.skipif(os.name == "nt", reason="makes a pipe")
def test_a_pipe_in_the_place_of_gits_index_is_not_waited_for(index: Index, engine: str) -> None:
    before = found(index, "def send_receipt")
    (index.root / ".git/index").unlink(missing_ok=True)
    os.mkfifo(index.root / ".git/index")
    assert found(index, "def send_receipt") == before != []


@pytest.mark.skipif(os.name == "nt", reason="makes a pipe")
def test_a_git_file_that_is_a_pipe_ends_no_search(tmp_path: Path, engine: str) -> None:
    (tmp_path / "shop.py").write_text("def count_all(): ...\n", encoding="utf-8")
    os.mkfifo(tmp_path / ".git")
    with Index.open(tmp_path) as index:
        assert found(index, "count_all") == [("shop.py", 1, 5)]


def test_a_slow_ripgrep_is_killed(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "rg"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("CODEINTEL_RG", str(slow))
    with pytest.raises(ToolTimeout):
        index.grep("x", timeout=0.2)


def test_the_users_ripgrep_configuration_is_not_read(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rgrc").write_text("--glob=!shop\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rgrc"))
    assert found(index, "class Cart") == [("shop/cart.py", 6, 1)]


def test_many_threads_may_search_at_once(synced: Index) -> None:
    answers: list[object] = []

    def work() -> None:
        for _ in range(3):
            answers.append((found(synced, "class Cart"), len(synced.definitions("Cart"))))  # noqa: PERF401

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [([("shop/cart.py", 6, 1)], 1)] * 24
