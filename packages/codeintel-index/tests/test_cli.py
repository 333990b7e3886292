"""The command line: what it prints, what it exits with, and that mistakes are told without a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.cli import app as cli
from codeintel_index.embedding.static import StaticEmbedder
from codeintel_index.sync.updater import IndexUpdater
from codeintel_index.testing import git, write_files

pytestmark = pytest.mark.draws(18)


class Ran:
    """One call of the command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> object:
        return json.loads(self.out)


@pytest.fixture
def run(shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Call the command in the shop."""
    monkeypatch.chdir(shop / "docs")

    def call(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["codeintel-index", *arguments])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        captured = capsys.readouterr()
        code = stopped.value.code
        return Ran(code if isinstance(code, int) else 0, captured.out, captured.err)

    return call


def test_sync_says_what_it_did_and_the_project_is_found_from_a_folder_below(run) -> None:  # type: ignore[no-untyped-def]
    assert "7 files" in run("sync").out
    report = run("sync", "--json").json
    assert (report["added"], report["unchanged"]) == (0, 7)
    assert run("sync", "--force", "--json").json["modified"] == 7


def test_sync_misses_the_extra_for_a_server_where_one_is_configured(  # type: ignore[no-untyped-def]
    run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    ran = run("sync")
    assert (ran.code, ran.err) == (0, "")
    monkeypatch.setenv("CODEINTEL_CHROMA_MODE", "http")
    ran = run("sync")
    assert ran.code == 1
    assert [line for line in ran.out.splitlines() if "pip install 'codeintel-index[vectors]'" in line]


def test_sync_fills_the_folder_of_chroma_and_a_search_does_not(  # type: ignore[no-untyped-def]
    run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("chromadb")
    monkeypatch.delenv("CODEINTEL_CHROMA_MODE")
    run("search", "receipt")
    assert not (shop / ".code-intel/chroma").exists()
    assert "; chroma, 0 of 7 chunks" in run("stats").out
    assert (run("sync").err, "; chroma, 7 of 7 chunks" in run("stats").out) == ("", True)


def test_an_interrupted_sync_has_an_index_and_leaves_the_folder_to_the_next(  # type: ignore[no-untyped-def]
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Index, "fill_folder", interrupted)
    ran = run("sync")
    assert ran.code == 0
    assert "chroma is not complete (interrupted)" in ran.err
    assert run("search", "mail a receipt", "--json").json["dense"] == ""


def test_search_syncs_by_itself_the_first_time(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("search", "mail", "a", "receipt")
    assert ran.code == 0
    assert ran.out.startswith("../shop/mail.py:")
    assert run("search", "receipt", "--json", "-n", "1").json["hits"][0]["path"] == "shop/mail.py"


@pytest.fixture
def slow_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model whose vectors are not made with the rows."""
    monkeypatch.setenv("CODEINTEL_EMBEDDING_MODEL", "other")
    monkeypatch.setattr("codeintel_index.embedding.models.load", lambda *_: StaticEmbedder())


@pytest.mark.usefixtures("slow_model")
def test_search_answers_before_there_are_vectors_and_then_makes_them(run, shop: Path) -> None:  # type: ignore[no-untyped-def]
    ran = run("search", "mail a receipt", "--json")
    assert ran.json["hits"][0]["path"] == "shop/mail.py"
    assert "no vectors yet" in ran.json["dense"] in ran.err
    with Index.open(shop) as index:
        assert index.stats().pending == 0
    assert run("search", "mail a receipt").err == ""


@pytest.mark.usefixtures("slow_model")
def test_what_a_search_cannot_finish_is_left_to_the_next(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(Index, "wait_dense", interrupted)
    monkeypatch.setattr(IndexUpdater, "start_background", lambda *_: None)
    assert "left for the next search" in run("search", "receipt").err
    monkeypatch.undo()


def test_grep_prints_as_grep_does(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("grep", "class Cart", "-C", "1")
    assert ran.out.split("\n")[:3] == [
        "../shop/cart.py-5-",
        "../shop/cart.py:6:1:class Cart:",
        '../shop/cart.py-7-    """What a customer is about to buy."""',
    ]
    assert "see --limit" in run("grep", "price", "-n", "1").out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("defs", "Cart.total"), "../shop/cart.py:16-18  method Cart.total"),
        (("defs", "PRICE", "--part", "--kind", "class"), "shop/money.py:7-10  class Price"),
        (("refs", "parse_price"), "../tests/test_money.py:1  [code]"),
        (("refs", "Price", "-n", "1"), "… 1 of"),
        (("symbols", "shop/cart.py", "--kind", "class"), "shop/cart.py:6-18  class Cart"),
        (("outline", "shop/cart.py"), "    16-18  def total(self)"),
        (("impact", "shop/money.py"), "must verify (2)\n  ../shop/cart.py:"),
        (("stats",), "absent, never synced"),
    ],
)
def test_each_command_prints_its_findings(run, arguments: tuple[str, ...], expected: str) -> None:  # type: ignore[no-untyped-def]
    ran = run(*arguments)
    assert ran.code == 0
    assert expected in ran.out
    assert run(*arguments, "--json").json


@pytest.mark.parametrize("arguments", [("defs", "nothing_here"), ("grep", "nothing_here"), ("refs", "nothing_here")])
def test_nothing_found_is_exit_code_one(run, arguments: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    assert run(*arguments).code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("grep", "("), "unclosed"),
        (("symbols", "../x"), "outside the project"),
        (("symbols", "gone.py"), "no such file"),
        (("search", "x", "--collection", "woods"), "auto, map or forest"),
        (("frobnicate",), "No such command"),
        (("stats", "--root", "/no/such/folder"), "no such folder"),
    ],
)
def test_mistakes_are_told_in_a_line(run, arguments: tuple[str, ...], message: str) -> None:  # type: ignore[no-untyped-def]
    ran = run(*arguments)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_a_mistake_in_the_configuration_names_the_key(run, shop: Path) -> None:  # type: ignore[no-untyped-def]
    (shop / ".code-intel").mkdir()
    (shop / ".code-intel/config.json").write_text('{"chunk_max_tokens": "x"}', "utf-8")
    assert "chunk_max_tokens" in run("stats").err
    (shop / ".code-intel/config.json").write_text('{"chunk_tokens": 1}', "utf-8")
    assert "did you mean 'chunk_max_tokens'" in run("stats").err


def test_file_contents_cannot_steer_the_terminal(run, shop: Path) -> None:  # type: ignore[no-untyped-def]
    (shop / "evil.txt").write_text("needle \x1b[2J\n", "utf-8")
    assert run("grep", "needle").out == "../evil.txt:1:1:needle \\x1b[2J\n"


def test_paths_are_understood_from_the_current_folder_and_from_the_root(run) -> None:  # type: ignore[no-untyped-def]
    assert run("outline", "money.md").out == run("outline", "docs/money.md").out != ""
    assert run("grep", "add_prices", "--path", "money.md").out.startswith("money.md:")
    assert run("refs", "parse_price", "--path", ".").out.startswith("money.md:3")
    assert run("impact", "../shop/money.py").out == run("impact", "shop/money.py").out


def test_paths_are_written_as_seen_from_where_the_user_stands(  # type: ignore[no-untyped-def]
    run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {shop: "shop/cart.py", shop / "shop": "cart.py", shop / "docs": "../shop/cart.py"}
    for folder, path in {**seen, tmp_path: f"{shop.as_posix()}/shop/cart.py"}.items():
        monkeypatch.chdir(folder)
        for command in (["defs", "Cart"], ["grep", "class Cart"], ["outline", "shop/cart.py"], ["search", "Cart"]):
            assert run(*command, "--root", str(shop)).out.startswith(path)
        assert run("defs", "Cart", "--root", str(shop), "--json").json[0]["path"] == "shop/cart.py"


def test_a_long_list_of_an_impact_is_cut_with_its_length(run, shop: Path) -> None:  # type: ignore[no-untyped-def]
    write_files(shop, {f"shop/user_{n}.py": "from shop.money import Price\n\nPRICE = Price(1)\n" for n in range(3)})
    out = run("impact", "shop/money.py", "-n", "2").out
    assert out.startswith("must verify (5)\n")
    assert "  … 2 of 5; see --limit" in out.splitlines()
    assert len(run("impact", "shop/money.py", "-n", "2", "--json").json["must_verify"]) == 5


def test_a_target_that_does_not_exist_is_said(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("impact", "shop/gone.py")
    assert (ran.code, "'shop/gone.py': no such file, and no plan names it" in ran.err) == (2, True)


def test_a_target_that_a_commit_deleted_is_shown_with_a_note(run, shop: Path) -> None:  # type: ignore[no-untyped-def]
    git(shop, "rm", "--quiet", "shop/mail.py")
    git(shop, "commit", "--quiet", "--message", "no mail")
    ran = run("impact", "shop/mail.py")
    assert (ran.code, "shop/mail.py: no such file; only what mentions it is shown" in ran.err) == (0, True)


def test_help_has_an_example_for_every_command(run) -> None:  # type: ignore[no-untyped-def]
    listed = run("--help").out
    for command in ("sync", "search", "grep", "defs", "refs", "symbols", "outline", "impact", "stats"):
        assert command in listed
        assert "Example: codeintel-index" in run(command, "--help").out
    assert run().out == listed


def test_the_installed_command_runs(shop: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from codeintel_index.cli.app import main; main()", "defs", "Cart"],
        cwd=shop,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("shop/cart.py:6-18")


def test_code_with_characters_that_the_terminal_does_not_know_is_shown_all_the_same(shop: Path) -> None:
    (shop / "shop/arrow.py").write_text('def arrow():\n    """Left → right."""\n', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "from codeintel_index.cli.app import main; main()", "grep", "Left"],
        cwd=shop,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Left ? right" in done.stdout) == (0, True), done.stderr


@pytest.mark.skipif(os.name == "nt", reason="opens a terminal of POSIX")
def test_on_a_terminal_sync_shows_how_far_it_is(shop: Path) -> None:
    ours, theirs = os.openpty()
    command = [str(Path(sys.executable).with_name("codeintel-index")), "sync", "--root", str(shop)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, text=True) as process:
        os.close(theirs)
        shown = b""
        try:
            while more := os.read(ours, 4096):
                shown += more
        except OSError:  # how Linux tells that nobody holds the other end any more
            pass
        os.close(ours)
        assert "7 files" in process.communicate()[0]
    assert b"indexing" in shown
    assert b"vectors" in shown
