"""Other programs' databases: what was written since, read so that the owner never notices."""

import os
import shutil
import sqlite3
import threading
from contextlib import closing

import msgspec
import pytest

from ctxd.tail.follow import follow
from ctxd_parsers.parser import Storage, Table
from ctxd_parsers.reading import Transcript
from ctxd_parsers.sqlite_rows import BusyError
from notes import TABLE, Follower, Notes, database, put, texts, transcript

HOUR_MS = 3_600_000


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data.sqlite3"


@pytest.fixture
def owner(path):
    with database(path) as connection:
        connection.execute("PRAGMA busy_timeout = 0")
        yield connection


@pytest.fixture
def follower(path):
    return Follower(transcript(path, Storage.SQLITE))


def test_rows_are_taken_when_they_are_written(owner, follower):
    put(owner, "a", "one", 5)
    assert follower.texts() == ["one"]
    put(owner, "b", "two", 6)
    assert "two" in follower.texts()


def test_a_row_that_is_written_again_is_read_again(owner, follower):
    put(owner, "a", "one", 5)
    put(owner, "b", "two", 6)
    follower.texts()
    put(owner, "a", "one, longer", 7)
    found = follower.texts()
    assert "one, longer" in found
    assert "one" not in found


def test_a_second_row_of_the_same_instant_is_not_missed(owner, follower):
    put(owner, "a", "one", 5)
    follower.texts()
    put(owner, "b", "two", 5)
    assert "two" in follower.texts()


def test_a_row_written_by_a_clock_that_was_set_back_is_not_missed(owner, follower):
    put(owner, "a", "one", 2 * HOUR_MS)
    follower.texts()
    put(owner, "b", "two", HOUR_MS)
    assert "two" in follower.texts()
    put(owner, "b", "three", HOUR_MS + 1)
    assert "three" in follower.texts()


def test_nothing_is_read_of_a_database_that_is_as_it_was(owner, follower):
    put(owner, "a", "one", 5)
    follower.texts()
    step = follower.step()
    assert (step.records, step.bytes_read, step.events) == (0, 0, [])


def test_a_write_to_another_table_reads_no_row_again(owner, follower):
    put(owner, "a", "one", 5)
    follower.texts()
    owner.execute("INSERT INTO secrets VALUES ('token', 'hidden')")
    owner.commit()
    assert follower.step().records == 0


def test_a_row_that_is_read_again_goes_to_the_same_state(owner, follower):
    """A parser can tell by it that a history got shorter since the last reading."""
    put(owner, "a", "one", 5)
    follower.texts()
    put(owner, "a", "two", 7)
    assert [(event.text, event.turn) for event in follower.step().events] == [("two", "2")]


def test_a_state_that_an_older_version_stored_means_reading_all_rows(owner, follower):
    put(owner, "a", "one", 5)
    step = follower.step()
    follower.checkpoint = msgspec.structs.replace(step.checkpoint, state=b"\xc1 no state")
    put(owner, "b", "two", 7)
    assert follower.texts() == ["one", "two"]
    assert follower.steps[1].again


def test_a_large_database_is_read_in_steps_and_each_row_once(owner, path):
    for number in range(500):
        put(owner, f"r{number}", f"text {number}", number)
    follower = Follower(transcript(path, Storage.SQLITE), budget=1000)
    assert follower.texts() == [f"text {number}" for number in range(500)]
    assert len(follower.steps) > 10
    assert follower.steps[0].behind > 0
    assert follower.steps[-1].behind == 0
    assert follower.texts() == []


def test_rows_written_while_a_pass_is_cut_are_taken_after_it(owner, path):
    for number in range(100):
        put(owner, f"r{number}", f"text {number}", number)
    follower = Follower(transcript(path, Storage.SQLITE), budget=1000)
    found = texts(follower.step())
    put(owner, "r0", "written again", 200)
    put(owner, "new", "new", 201)
    found += follower.texts()
    found += follower.texts()
    assert set(found) == {*(f"text {number}" for number in range(100)), "written again", "new"}


def test_tables_without_a_column_of_changes_are_read_whole_at_each_change(owner, path):
    plain = (Table("notes", ("id",), "value"), Table("secrets", ("key",), "value"))
    follower = Follower(Transcript(path, Notes(), Storage.SQLITE, plain[:1]), budget=100)
    for number in range(20):
        put(owner, f"r{number}", f"text {number}", 0)
    assert sorted(set(follower.texts())) == sorted(f"text {number}" for number in range(20))
    put(owner, "new", "new", 0)
    assert "new" in follower.texts()


def test_a_database_in_another_ones_place_is_read_whole(owner, path, follower, tmp_path):
    put(owner, "a", "one", 500)
    follower.texts()
    with database(tmp_path / "other") as other:
        put(other, "x", "other", 5)
    os.replace(tmp_path / "other", path)
    assert follower.texts() == ["other"]
    assert follower.steps[0].again is False
    assert any(step.again for step in follower.steps)


# F29


def test_a_locked_database_is_tried_again_later_and_loses_nothing(owner, follower):
    put(owner, "a", "one", 5)
    owner.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BusyError):
        follower.step()
    owner.rollback()
    assert follower.texts() == ["one"]


def test_what_stands_only_in_the_write_ahead_log_is_read(owner, path, follower):
    owner.execute("PRAGMA journal_mode = WAL")
    owner.execute("PRAGMA wal_autocheckpoint = 0")
    put(owner, "a", "one", 5)
    assert follower.texts() == ["one"]
    main = path.stat()
    put(owner, "b", "two", 6)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (main.st_size, main.st_mtime_ns)
    assert "two" in follower.texts()


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_reading_changes_nothing_that_would_make_it_read_again(owner, path, follower, mode):
    owner.execute(f"PRAGMA journal_mode = {mode}")
    put(owner, "a", "one", 5)
    owner.close()
    follower.texts()
    assert [follower.step().bytes_read for _ in range(3)] == [0, 0, 0]


def test_a_database_copied_while_it_was_written_is_an_error_and_not_empty(owner, path, tmp_path):
    rows = [(f"r{number}", "x" * 500, number) for number in range(2000)]
    owner.executemany("INSERT INTO notes VALUES (?, ?, ?)", rows)
    owner.commit()
    copy = tmp_path / "copy.sqlite3"
    data = path.read_bytes()
    copy.write_bytes(data[: len(data) // 2])
    with pytest.raises(OSError, match="database"):
        Follower(transcript(copy, Storage.SQLITE)).texts()


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_the_owner_is_never_refused_because_of_us(owner, path, mode):
    """It writes while another thread follows without a pause, which no daemon does, and waits for
    locks a fifth of what clients do."""
    owner.execute(f"PRAGMA journal_mode = {mode}")
    owner.execute(f"PRAGMA busy_timeout = {0 if mode == 'WAL' else 1000}")
    for number in range(300):
        put(owner, f"r{number}", "x" * 2000, number)
    done, found = threading.Event(), set()

    def watch():
        follower = Follower(transcript(path, Storage.SQLITE), budget=50_000)
        while True:
            last = done.is_set()
            try:
                found.update(follower.texts())
            except BusyError:
                continue
            follower.steps.clear()
            if last:
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for number in range(300):
            put(owner, "live", f"live {number}", 1000 + number)
    finally:
        done.set()
        watcher.join()
    assert "live 299" in found


def test_columns_that_were_not_declared_are_never_read(owner, path, follower):
    put(owner, "a", "one", 5)
    owner.execute("INSERT INTO secrets VALUES ('token', 'hidden')")
    owner.commit()
    step = follower.step()
    assert b"hidden" not in repr(step).encode()


def test_a_link_to_a_database_is_not_followed(owner, tmp_path, path):
    put(owner, "a", "one", 5)
    link = tmp_path / "link.sqlite3"
    link.symlink_to(path)
    with pytest.raises(OSError, match=r"(?i)symbolic links"):
        follow(Transcript(link, Notes(), Storage.SQLITE, (TABLE,)), None, 1000)


def test_a_missing_database_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        Follower(transcript(tmp_path / "none.sqlite3", Storage.SQLITE)).step()
    assert list(tmp_path.iterdir()) == []


def test_a_backup_put_back_is_read_whole(owner, path, follower, tmp_path):
    put(owner, "a", "one", 5)
    shutil.copy(path, tmp_path / "backup")
    put(owner, "a", "two", 6)
    follower.texts()
    with closing(sqlite3.connect(tmp_path / "backup")) as backup:
        backup.backup(owner)
    assert follower.texts() == ["one"]
