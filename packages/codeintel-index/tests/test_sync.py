"""The index follows the files: whatever happens to them, one sync later nothing is missing and nothing is left over."""

import contextlib
import os
import shutil
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.store import locks
from codeintel_index.testing import full_text, git, make_repo, wanted_full_text, write_files

pytestmark = pytest.mark.draws(18)

Rows = Callable[..., list[tuple[object, ...]]]
TABLES = ("symbols", "names", "imports", "chunks")


def everything(root: Path, rows: Rows) -> dict[str, list[tuple[object, ...]]]:
    """What the database holds, without row numbers."""
    of_file = "SELECT f.path, {} FROM {} t JOIN files f ON f.id = t.file_id ORDER BY 1, 2, 3, 4"
    return {
        "files": rows(root, "SELECT path, digest, language, skipped FROM files ORDER BY path"),
        "symbols": rows(root, of_file.format("t.name, t.line, t.end_line, t.parent", "symbols")),
        "names": rows(root, of_file.format("t.name, t.lines, 0", "names")),
        "imports": rows(root, of_file.format("t.module, t.names, t.line", "imports")),
        "chunks": rows(root, of_file.format("t.chunk_id, t.start_line, t.text", "chunks")),
    }


def no_ghosts(root: Path, rows: Rows) -> None:
    """Every row belongs to a file, and the full text is that of the chunks."""
    for table in TABLES:
        assert rows(root, f"SELECT count(*) FROM {table} WHERE file_id NOT IN (SELECT id FROM files)") == [(0,)]
    with contextlib.closing(sqlite3.connect(root / ".code-intel/index.db")) as connection:
        assert full_text(connection) == wanted_full_text(connection)


def same_as_fresh(index: Index, rows: Rows, tmp_path: Path) -> None:
    """The index is what a first sync of the same files would have made."""
    copy = tmp_path / "fresh"
    shutil.copytree(index.root, copy, ignore=shutil.ignore_patterns(".code-intel"), symlinks=True)
    with Index.open(copy) as fresh:
        fresh.sync()
    assert everything(index.root, rows) == everything(copy, rows)
    no_ghosts(index.root, rows)


def test_a_first_sync_reports_what_it_added(index: Index) -> None:
    report = index.sync()
    assert (report.files, report.added, report.modified, report.deleted, report.unchanged) == (7, 7, 0, 0, 0)
    assert report.chunks > 0
    assert report.errors == ()


def test_an_empty_file_leaves_no_stem_that_nothing_holds(index: Index, rows: Rows) -> None:
    write_files(index.root, {"singularly_named.py": ""})
    assert index.sync().added == 8
    assert rows(index.root, "SELECT stem FROM words WHERE postings = x''") == []
    assert rows(index.root, "SELECT stem FROM words WHERE stem LIKE 'singularl%'") == []


def test_a_second_sync_finds_nothing_to_do(synced: Index) -> None:
    report = synced.sync()
    assert (report.added, report.modified, report.deleted, report.unchanged) == (0, 0, 0, 7)


MANY = {f"many/m{n}.py": f"def many_{n}(): ...\n" * 50 for n in range(60)}


def log_and_file(index: Index) -> tuple[int, int]:
    """The sizes of the log and of the file of an index."""
    return tuple((index.data_dir / f"index.db{suffix}").stat().st_size for suffix in ("-wal", ""))  # type: ignore[return-value]


def test_after_a_sync_the_rows_stand_in_the_file_and_not_in_its_log(dense: Index, rows: Rows, tmp_path: Path) -> None:
    write_files(dense.root, MANY)
    dense.sync()
    dense.wait_dense()
    log, file = log_and_file(dense)
    assert log <= file / 4
    write_files(tmp_path / "copy", {".code-intel/index.db": (dense.data_dir / "index.db").read_bytes()})
    assert rows(tmp_path / "copy", "SELECT count(*) FROM files WHERE path LIKE 'many/%'") == [(60,)]


def test_a_reader_in_the_middle_of_its_work_is_left_alone_by_a_checkpoint(dense: Index) -> None:
    reader = sqlite3.connect(dense.data_dir / "index.db", isolation_level=None)
    reader.execute("BEGIN")
    before = reader.execute("SELECT count(*) FROM files").fetchone()
    write_files(dense.root, MANY)
    dense.sync()
    assert dense.wait_dense() == 0
    assert dense.stats().notices == ()
    assert reader.execute("SELECT count(*) FROM files").fetchone() == before
    log, file = log_and_file(dense)
    assert log > file / 4
    reader.close()
    dense.sync()
    dense.wait_dense()
    assert log_and_file(dense)[0] == 0


def test_edits_deletes_and_renames_leave_no_ghosts(dense: Index, rows: Rows, tmp_path: Path) -> None:
    root = dense.root
    cart = (root / "shop/cart.py").read_text()
    write_files(root, {"shop/cart.py": cart.replace("add_item", "put_item"), "shop/new.py": "def brand_new(): ...\n"})
    (root / "docs/money.md").unlink()
    git(root, "mv", "shop/mail.py", "shop/letters.py")
    report = dense.sync()
    assert (report.added, report.modified, report.deleted) == (2, 1, 2)
    same_as_fresh(dense, rows, tmp_path)
    assert dense.definitions("add_item") == ()
    assert [s.path for s in dense.definitions("send_receipt")] == ["shop/letters.py"]
    assert {hit.path for hit in dense.search("mail a receipt", limit=50).hits}.isdisjoint({"shop/mail.py"})


def test_an_edit_that_keeps_size_and_time_is_seen(synced: Index) -> None:
    place = synced.root / "shop/money.py"
    before = place.stat()
    place.write_text(place.read_text().replace("parse_price", "parse_prise"))
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert synced.sync().modified == 1
    assert synced.definitions("parse_prise")


def test_a_touched_file_is_not_parsed_again(synced: Index, rows: Rows) -> None:
    chunks = rows(synced.root, "SELECT id FROM chunks")
    os.utime(synced.root / "shop/money.py", ns=(1, 1))
    report = synced.sync()
    assert (report.modified, report.unchanged) == (0, 7)
    assert rows(synced.root, "SELECT id FROM chunks") == chunks


def test_force_parses_every_file_again(synced: Index, rows: Rows, tmp_path: Path) -> None:
    assert synced.sync(force=True).modified == 7
    same_as_fresh(synced, rows, tmp_path)


def test_another_chunk_size_rebuilds_by_itself(synced: Index) -> None:
    synced.close()
    with Index.open(synced.root, IndexConfig(chunk_max_tokens=64)) as other:
        assert other.stats().state == "absent"
        assert other.sync().added == 7
        assert other.sync().unchanged == 7
        assert any("rebuilt" in note for note in other.stats().notices)


def test_progress_counts_up_to_the_number_of_files(index: Index) -> None:
    seen: list[tuple[int, int]] = []
    index.sync(progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (7, 7)


def test_worker_processes_give_the_same_rows(
    index: Index, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeintel_index.sync.workers.POOL_FROM", 1)
    monkeypatch.setattr("codeintel_index.sync.workers.BATCH", 2)
    assert index.sync().added == 7
    monkeypatch.undo()
    same_as_fresh(index, rows, tmp_path)


def test_worker_processes_are_replaced_when_they_have_done_their_share(
    index: Index, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeintel_index.sync.workers import Worker

    started: list[int] = []
    running = Worker._running

    def counted(worker: Worker):  # type: ignore[no-untyped-def]
        started.append(running(worker).pid)
        return running(worker)

    monkeypatch.setattr(Worker, "_running", counted)
    for name, value in (("POOL_FROM", 1), ("BATCH", 2), ("MAX_WORKERS", 1), ("FILES_A_CHILD", 3)):
        monkeypatch.setattr(f"codeintel_index.sync.workers.{name}", value)
    assert index.sync().added == 7
    assert len(set(started)) == 2
    monkeypatch.undo()
    same_as_fresh(index, rows, tmp_path)


def test_a_file_that_kills_its_parser_costs_only_itself(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    from codeintel_index.sync.workers import Worker

    ask = Worker._try
    deadly = "shop/mail.py"

    def dies(worker: Worker, request):  # type: ignore[no-untyped-def]
        return worker.end() if any(stat.path == deadly for stat in request[1]) else ask(worker, request)

    monkeypatch.setattr("codeintel_index.sync.workers.POOL_FROM", 1)
    monkeypatch.setattr(Worker, "_try", dies)
    report = index.sync()
    assert report.errors == (f"{deadly}: its parser died or took too long; it is searched as text",)
    assert report.files == 7
    assert not index.structure(deadly).symbols
    assert any(note.startswith(f"'{deadly}': searched as text") for note in index.stats().notices)
    monkeypatch.undo()
    assert index.sync().unchanged == 7
    assert not index.structure(deadly).symbols
    assert index.sync(force=True).modified == 7
    assert index.structure(deadly).symbols


@pytest.mark.skipif(sys.platform != "linux", reason="the system knows no limit on memory")
@pytest.mark.parametrize("edited", [False, True])
def test_a_file_whose_parser_takes_all_memory_is_searched_as_text(index: Index, edited: bool) -> None:
    if edited:
        index.sync()
    (index.root / "shop/mail.py").write_text("/*\n" * 3_000)  # 3 GB, all within one step of the parser
    assert "searched as text" in index.sync().errors[0]
    with Index.open(index.root) as after:
        assert not after.structure("shop/mail.py").symbols


@pytest.mark.skipif(sys.platform == "win32", reason="the system ends no process by its processor time")
def test_a_file_whose_parser_takes_too_much_processor_time_is_searched_as_text(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeintel_index.sync.workers.BATCH_CPU_S", 0.3)
    (index.root / "shop/mail.py").write_text("a = b\n" * 25_000)
    assert "shop/mail.py: its parser died or took too long; it is searched as text" in index.sync().errors


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be stopped")
def test_a_worker_that_the_machine_lets_wait_is_not_ended(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    from codeintel_index.sync.workers import Worker

    running = Worker._running

    def stopped(worker: Worker):  # type: ignore[no-untyped-def]
        process = running(worker)
        process.send_signal(signal.SIGSTOP)
        threading.Timer(3.0, process.send_signal, [signal.SIGCONT]).start()
        return process

    monkeypatch.setattr("codeintel_index.sync.workers.POOL_FROM", 1)
    monkeypatch.setattr("codeintel_index.sync.workers.BATCH_CPU_S", 2.0)
    monkeypatch.setattr(Worker, "_running", stopped)
    report = index.sync()
    assert (report.added, report.errors) == (7, ())


def test_edits_are_parsed_in_one_worker_that_waits_for_them_and_is_replaced_when_it_has_ended(
    synced: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeintel_index.sync.workers import Worker

    asked: list[int] = []
    ask = Worker._try
    monkeypatch.setattr(
        Worker, "_try", lambda worker, request: asked.append(worker._running().pid) or ask(worker, request)
    )
    for edit in range(3):
        (synced.root / "shop/mail.py").write_text(f"def edit_{edit}(): pass\n" + "# more\n" * 400)
        assert synced.sync().modified == 1
        assert synced.definitions(f"edit_{edit}")
        if edit == 1:
            os.kill(asked[-1], signal.SIGKILL)
            os.waitid(os.P_PID, asked[-1], os.WEXITED | os.WNOWAIT)
    assert asked[0] == asked[1] != asked[2]


def test_files_go_to_workers_where_this_process_ended_while_it_parsed(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeintel_index.sync import workers

    note = index.root / ".code-intel" / locks.PARSING
    here: list[bool] = []
    answer = workers.answer
    monkeypatch.setattr(workers, "SMALL", 100_000)
    monkeypatch.setattr(workers, "answer", lambda request: here.append(note.exists()) or answer(request))
    index.sync()
    assert (here, note.exists()) == ([True], False)
    note.touch()
    index.sync(force=True)
    assert (here, note.exists()) == ([True], False)


@pytest.mark.parametrize("damage", ["garbage", "version", "gone"])
def test_an_unusable_database_is_rebuilt_and_said(synced: Index, damage: str) -> None:
    synced.close()
    place = synced.root / ".code-intel/index.db"
    if damage == "garbage":
        place.write_bytes(b"not a database" * 1000)
    elif damage == "version":
        connection = sqlite3.connect(place)
        connection.execute("PRAGMA user_version = 9999")
        connection.close()
    else:
        shutil.rmtree(place.parent)
    with Index.open(synced.root) as index:
        assert index.stats().state == "absent"
        assert index.sync().added == 7
        assert index.definitions("parse_price")
        assert [note for note in index.stats().notices if "rebuilt" in note] or damage == "gone"


def test_damage_in_the_middle_of_the_file_is_survived(synced: Index) -> None:
    synced.close()
    place = synced.root / ".code-intel/index.db"
    for suffix in ("-wal", "-shm"):
        place.with_name(place.name + suffix).unlink(missing_ok=True)
    data = bytearray(place.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    place.write_bytes(bytes(data))
    with Index.open(synced.root) as index:
        index.search("receipt")
        index.sync()
        assert index.definitions("send_receipt")


def test_the_data_folder_may_be_deleted_while_the_index_is_open(dense: Index) -> None:
    shutil.rmtree(dense.root / ".code-intel")
    assert dense.stats().state == "absent"
    assert dense.sync().added == 7
    assert dense.search("mail a receipt").hits[0].symbol == "send_receipt"


def test_a_folder_the_index_makes_itself_hides_from_git(synced: Index) -> None:
    assert git(synced.root, "status", "--porcelain") == ""


def test_a_folder_that_was_there_is_left_as_it_is(index: Index) -> None:
    (index.root / ".code-intel").mkdir()
    index.sync()
    assert not (index.root / ".code-intel/.gitignore").exists()


def test_a_project_without_git_is_indexed_under_its_gitignore(tmp_path: Path) -> None:
    write_files(tmp_path / "plain", {"a.py": "def a(): ...\n", "out/b.py": "def b(): ...\n", ".gitignore": "out/\n"})
    with Index.open(tmp_path / "plain") as index:
        index.sync()
        assert index.source_files() == [".gitignore", "a.py"]


def test_a_project_inside_a_repository_that_ignores_it_is_indexed(tmp_path: Path) -> None:
    outer = make_repo(tmp_path / "outer", {".gitignore": "scratch/\n"})
    write_files(outer, {"scratch/a.py": "def a(): ...\n"})
    with Index.open(outer / "scratch") as index:
        assert index.sync().files == 1


def test_a_sync_that_is_stopped_keeps_what_it_has_and_the_next_one_does_the_rest(index: Index) -> None:
    write_files(index.root, {f"many/m{n}.py": f"def f{n}(): ...\n" for n in range(400)})
    told: list[int] = []
    report = index.sync(progress=lambda done, _: told.append(done), stopped=lambda: bool(told))
    assert 0 < report.added < 400
    assert index.stats().state == "absent"
    assert index.sync().added == 407 - report.added
    assert index.stats().state == "ready"


def test_changes_that_another_process_has_written_meanwhile_are_written_again(
    synced: Index, rows: Rows, tmp_path: Path
) -> None:
    """Between the look at the files and the writer's lock, another process may have removed a file's row."""
    money = synced.root / "shop/money.py"
    text = money.read_text(encoding="utf-8")
    money.write_text(f"{text}\n\nLATER = 1\n", encoding="utf-8")
    changes = synced._syncer.changes()
    assert [stat.path for stat in changes.suspects] == ["shop/money.py"]
    money.unlink()
    with Index.open(synced.root) as other:
        assert other.sync().deleted == 1
    money.write_text(f"{text}\n\nLATER = 1\n", encoding="utf-8")
    assert synced._syncer.update(changes).modified == 1
    same_as_fresh(synced, rows, tmp_path)
