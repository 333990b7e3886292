"""Vectors on a Chroma server: the same answers with the server, the lexical ones without it, shared by checkouts."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.testing import SHOP, git, make_repo, write_files
from codeintel_index.vectors.store import project_key

COMMAND = Path(sys.executable).with_name("chroma")
pytestmark = [
    pytest.mark.draws(18),
    pytest.mark.xdist_group("chroma"),
    pytest.mark.skipif(not COMMAND.exists(), reason="chromadb has no server command here"),
]


class Server:
    """A Chroma server on loopback that can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        place = ["--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen([str(COMMAND), "run", *place], stdout=quiet, stderr=quiet)
        deadline = time.monotonic() + 60
        while not self.answers() and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def answers(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def config(self) -> IndexConfig:
        return IndexConfig(chroma_mode="http", chroma_host="127.0.0.1", chroma_port=self.port)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that leave it alone; their projects are different ones."""
    server = Server(tmp_path_factory.mktemp("chroma") / "data")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that the test may stop; connecting to it again is tried at once."""
    monkeypatch.setattr("codeintel_index.vectors.store.RETRY_S", 0.0)
    server = Server(tmp_path / "chroma data")
    server.start()
    yield server
    server.stop()


def project(root: Path) -> Path:
    """The shop as a project of its own: its first commit is no other's."""
    return make_repo(root, {**SHOP, "docs/where.md": f"This shop is at {root}.\n"})


def embedded_by(index: Index, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that this index makes vectors of from now on."""
    texts: list[str] = []
    embed = index._dense.embed
    monkeypatch.setattr(index._dense, "embed", lambda new: texts.extend(new) or embed(new))
    return texts


def test_vectors_may_live_on_a_server(tmp_path: Path, running: Server) -> None:
    shop = project(tmp_path / "shop")
    with Index.open(shop, running.config) as index:
        index.sync()
        assert index.wait_dense() == 0
        page = index.search("mail a receipt", "forest")
        assert (page.hits[0].symbol, page.dense) == ("send_receipt", "")
        assert not (shop / ".code-intel/chroma").exists()


def test_worktrees_and_clones_share_vectors(tmp_path: Path, running: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = project(tmp_path / "shop")
    git(shop, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "worktree"))
    git(shop, "clone", "--quiet", str(shop), str(tmp_path / "clone"))
    with Index.open(shop, running.config) as index:
        index.sync()
        assert index.wait_dense() == 0
    for place in ("worktree", "clone"):
        with Index.open(tmp_path / place, running.config) as index:
            texts = embedded_by(index, monkeypatch)
            index.sync()
            assert index.wait_dense() == 0
            assert texts == []
            assert index._dense.nearest("mail a receipt", 3)


def test_a_server_on_a_copy_of_the_folder_has_the_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = project(tmp_path / "shop")
    git(shop, "clone", "--quiet", str(shop), str(tmp_path / "clone"))
    with Index.open(shop, IndexConfig()) as index:
        index.sync()
        assert index.fill_folder() == ""
    server = Server(Path(shutil.copytree(shop / ".code-intel/chroma", tmp_path / "served")))
    server.start()
    try:
        with Index.open(tmp_path / "clone", server.config) as index:
            texts = embedded_by(index, monkeypatch)
            index.sync()
            assert index.wait_dense() == 0
            assert texts == []
            assert index.search("mail a receipt", "forest").hits[0].symbol == "send_receipt"
            assert len(index._dense.nearest("mail a receipt", 50)) == index.stats().chunks
    finally:
        server.stop()


def test_what_another_checkout_has_is_not_answered(tmp_path: Path, running: Server) -> None:
    shop = project(tmp_path / "shop")
    git(shop, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "worktree"))
    gift = "def wrap_gift_{0}(paper, ribbon):\n    '''Wrap a gift in paper {0}.'''\n    return paper + ribbon\n"
    write_files(tmp_path / "worktree", {f"gift_{n}.py": gift.format(n) for n in range(120)})
    for root in (tmp_path / "worktree", shop):
        with Index.open(root, running.config) as index:
            index.sync()
            assert index.wait_dense() == 0
            found = [row for row, _ in index._dense.nearest("wrap a gift in paper", 5)]
            assert len(found) == 5
            assert {*found} == index._reader.chunks(found).keys()
    with Index.open(shop, running.config) as index:
        assert not [hit for hit in index.search("wrap a gift", "forest").hits if "gift" in hit.path]


def test_deleting_a_file_leaves_the_vectors_of_the_other_checkout(tmp_path: Path, running: Server) -> None:
    shop = project(tmp_path / "shop")
    git(shop, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "worktree"))
    with Index.open(shop, running.config) as index, Index.open(tmp_path / "worktree", running.config) as other:
        for each in (index, other):
            each.sync()
            assert each.wait_dense() == 0
        before = dict(other._dense.nearest("mail a receipt", 50))
        (shop / "shop/mail.py").unlink()
        index.sync()
        assert index.wait_dense() == 0
        assert dict(other._dense.nearest("mail a receipt", 50)) == before
        assert len(index._dense.nearest("mail a receipt", 50)) == len(before) - 1


def test_projects_do_not_mix(tmp_path: Path) -> None:
    first, second = project(tmp_path / "first"), project(tmp_path / "second")
    assert project_key(first) == project_key(first)
    assert project_key(first) != project_key(second)
    assert project_key(first) != project_key(first / "shop")
    assert project_key(first, "ours") == project_key(second, "ours") != project_key(first)


def test_without_a_commit_the_place_is_the_project(tmp_path: Path) -> None:
    bare = make_repo(tmp_path / "new", {"a.py": "x = 1\n"}, commit=False)
    (tmp_path / "plain").mkdir()
    assert len({project_key(bare), project_key(tmp_path / "plain")}) == 2


@pytest.mark.slow
def test_without_the_server_the_lexical_half_answers_and_says_so(shop: Path) -> None:
    nobody = IndexConfig(chroma_mode="http", chroma_host="127.0.0.1", chroma_port=free_port())
    with Index.open(shop, nobody) as index:
        index.sync()
        assert index.wait_dense() > 0
        page = index.search("mail a receipt", "forest")
        assert page.hits[0].symbol == "send_receipt"
        assert "does not answer" in page.dense


@pytest.mark.slow
def test_a_server_that_goes_and_comes_back_is_used_again(shop: Path, own: Server) -> None:
    with Index.open(shop, own.config) as index:
        index.sync()
        assert index.wait_dense() == 0
        own.stop()
        gone = index.search("mail a receipt", "forest")
        assert gone.hits[0].symbol == "send_receipt"
        assert "failed" in gone.dense or "does not answer" in gone.dense
        write_files(shop, {"shop/gift.py": "def wrap_gift(paper):\n    return paper\n"})
        index.sync()
        assert index.wait_dense() == 1
        own.start()
        assert index.wait_dense() == 0
        assert index.search("mail a receipt", "forest").dense == ""


@pytest.mark.slow
def test_vectors_that_the_server_lost_are_made_again(shop: Path, own: Server) -> None:
    with Index.open(shop, own.config) as index:
        index.sync()
        assert index.wait_dense() == 0
        own.stop()
        shutil.rmtree(own.folder)
        assert index.search("mail a receipt", "forest").dense
        own.start()
        assert index.wait_dense() == 0
        assert index._dense.store.count("forest") == index.stats().chunks
        assert index.search("mail a receipt", "forest").dense == ""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="stops a process with a signal")
def test_a_server_that_hangs_does_not_hang_the_search(shop: Path, own: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.vectors.chroma.ANSWER_S", 0.5)
    with Index.open(shop, own.config) as index:
        index.sync()
        assert index.wait_dense() == 0
        assert own.process is not None
        own.process.send_signal(signal.SIGSTOP)
        os.waitpid(own.process.pid, os.WUNTRACED)  # all of its threads have stopped: one may still have been answering
        page = index.search("mail a receipt", "forest")
        assert page.hits[0].symbol == "send_receipt"
        assert "failed" in page.dense
        own.process.send_signal(signal.SIGCONT)
        index.wait_dense()
        assert index.search("mail a receipt", "forest").dense == ""
