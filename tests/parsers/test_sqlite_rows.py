"""Another program's database is read without its owner ever noticing."""

import sqlite3
from contextlib import closing

import pytest

from ctxd_parsers.limits import SQLITE_PAGE_ROWS
from ctxd_parsers.parser import Table
from ctxd_parsers.sqlite_rows import BusyError, extent, read

TABLE = Table("conversations", ("place", "id"), "value", changed="updated")


@pytest.fixture
def owner(tmp_path):
    """The other program's connection to its database."""
    with closing(sqlite3.connect(tmp_path / "data.sqlite3")) as connection:
        connection.execute("CREATE TABLE auth (key TEXT, value TEXT)")
        connection.execute("INSERT INTO auth VALUES ('token', 'secret')")
        connection.execute(
            "CREATE TABLE conversations (place TEXT, id TEXT, value BLOB, updated INT)"
        )
        connection.commit()
        yield connection


def insert(owner, *rows):
    owner.executemany("INSERT INTO conversations VALUES (?, ?, ?, ?)", rows)
    owner.commit()


def test_rows_come_with_their_keys_in_the_order_they_were_made(owner, tmp_path):
    insert(owner, ("/a", "2", "{}", 5), ("/a", "1", '{"x":1}', 6))
    records = list(read(tmp_path / "data.sqlite3", (TABLE,)))
    assert [(record.key, record.data) for record in records] == [
        (("conversations", "/a", "2"), b"{}"),
        (("conversations", "/a", "1"), b'{"x":1}'),
    ]


def test_more_rows_than_a_page_are_all_read_once(owner, tmp_path):
    insert(owner, *(("/a", str(n), str(n), n) for n in range(3 * SQLITE_PAGE_ROWS + 1)))
    records = list(read(tmp_path / "data.sqlite3", (TABLE,)))
    assert [record.data for record in records] == [
        str(n).encode() for n in range(3 * SQLITE_PAGE_ROWS + 1)
    ]


def test_only_rows_changed_since_are_read_again(owner, tmp_path):
    insert(owner, ("/a", "old", "o", 5), ("/a", "new", "n", 6))
    records = list(read(tmp_path / "data.sqlite3", (TABLE,), since=5))
    assert [record.data for record in records] == [b"n"]


def test_text_in_blob_columns_and_blobs_and_numbers_are_bytes(owner, tmp_path):
    insert(owner, ("/a", 1, "text", 1), ("/a", 2, b"\xff\x00", 1), ("/a", 3, 42, 1))
    records = list(read(tmp_path / "data.sqlite3", (TABLE,)))
    assert [record.data for record in records] == [b"text", b"\xff\x00", b"42"]


def test_a_commit_of_the_owner_that_is_still_in_its_write_ahead_log_is_seen(owner, tmp_path):
    owner.execute("PRAGMA journal_mode = WAL")
    insert(owner, ("/a", "1", "fresh", 1))
    assert [record.data for record in read(tmp_path / "data.sqlite3", (TABLE,))] == [b"fresh"]


def test_a_locked_database_is_busy_and_not_empty(owner, tmp_path):
    insert(owner, ("/a", "1", "x", 1))
    owner.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BusyError):
        list(read(tmp_path / "data.sqlite3", (TABLE,)))
    owner.rollback()


def test_the_owner_can_write_while_a_reader_stands_between_two_pages(owner, tmp_path):
    owner.execute("PRAGMA busy_timeout = 0")
    insert(owner, *(("/a", str(n), "x", n) for n in range(2 * SQLITE_PAGE_ROWS)))
    reader = read(tmp_path / "data.sqlite3", (TABLE,))
    next(reader)
    insert(owner, ("/a", "while reading", "x", 1))
    assert sum(1 for _ in reader) == 2 * SQLITE_PAGE_ROWS


def test_nothing_is_written_beside_or_into_the_database(owner, tmp_path):
    insert(owner, ("/a", "1", "x", 1))
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    list(read(tmp_path / "data.sqlite3", (TABLE,)))
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_a_table_or_column_that_does_not_exist_has_no_rows(owner, tmp_path):
    insert(owner, ("/a", "1", "x", 1))
    missing = (Table("gone", ("k",), "v"), Table("conversations", ("nokey",), "value"))
    assert list(read(tmp_path / "data.sqlite3", missing)) == []


def test_columns_beside_the_key_come_with_it_where_they_are(owner, tmp_path):
    insert(owner, ("/a", "1", "{}", 5), ("/a", "2", "{}", None))
    table = Table("conversations", ("id",), "value", beside=("updated", "of_a_later_version"))
    records = list(read(tmp_path / "data.sqlite3", (table,)))
    assert [record.key for record in records] == [
        ("conversations", "1", "5", ""),
        ("conversations", "2", "", ""),
    ]


def test_new_rows_are_found_by_the_last_one_and_read_without_a_walk_over_the_old(owner, tmp_path):
    path = tmp_path / "data.sqlite3"
    table = Table("conversations", ("id",), "value", changed="rowid")
    assert extent(path, table) == (-1, 0)
    insert(owner, *(("/a", str(n), str(n), n) for n in range(3 * SQLITE_PAGE_ROWS)))
    highest, total = extent(path, table)
    assert (highest, total) == (3 * SQLITE_PAGE_ROWS, 0)
    insert(owner, ("/a", "new", "new", 0))
    assert extent(path, table) == (highest + 1, 0)
    assert [record.data for record in read(path, (table,), since=highest)] == [b"new"]
    owner.execute("DELETE FROM conversations WHERE id = 'new'")
    owner.commit()
    assert extent(path, table) == (highest, 0)


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
def test_what_is_no_database_is_an_os_error_or_empty(tmp_path, content):
    path = tmp_path / "x.sqlite3"
    path.write_bytes(content)
    if content:
        with pytest.raises(OSError, match="not a database"):
            list(read(path, (TABLE,)))
    else:
        assert list(read(path, (TABLE,))) == []


def test_a_missing_database_is_not_created(tmp_path):
    with pytest.raises(OSError, match="cannot be read"):
        list(read(tmp_path / "none.sqlite3", (TABLE,)))
    assert not any(tmp_path.iterdir())


def test_a_path_with_odd_characters_is_the_file_of_that_name(tmp_path):
    path = tmp_path / "what? #1 %20.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE conversations (place, id, value, updated)")
        connection.execute("INSERT INTO conversations VALUES ('p', 'i', 'v', 1)")
        connection.commit()
    assert [record.data for record in read(path, (TABLE,))] == [b"v"]


class TestPrefixes:
    """A table of everything, of which only rows with certain keys are read."""

    TABLE = Table("kv", ("key",), "value", changed="rowid", prefixes=("talk:", "said:"))

    @pytest.fixture
    def kv(self, owner):
        owner.execute("CREATE TABLE kv (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        self.put(owner, ("token", "secret"), ("said:1", "a"), ("talk:1", "b"), ("said;", "no"))
        return owner

    def put(self, owner, *rows):
        owner.executemany("INSERT INTO kv VALUES (?, ?)", rows)
        owner.commit()

    def read(self, tmp_path, since=None):
        return [r.data for r in read(tmp_path / "data.sqlite3", (self.TABLE,), since=since)]

    def test_rows_with_other_keys_are_never_selected(self, kv, tmp_path):
        assert self.read(tmp_path) == [b"a", b"b"]

    def test_a_row_that_is_replaced_comes_as_the_newest(self, kv, tmp_path):
        highest, total = extent(tmp_path / "data.sqlite3", self.TABLE)
        self.put(kv, ("said:1", "anew"))
        assert self.read(tmp_path, since=highest) == [b"anew"]
        assert extent(tmp_path / "data.sqlite3", self.TABLE) == (5, total + 5 - 2)

    def test_a_row_without_a_value_is_no_record(self, kv, tmp_path):
        self.put(kv, ("said:2", None))
        assert self.read(tmp_path) == [b"a", b"b"]

    def test_more_rows_than_a_page_come_in_the_order_they_were_written(self, kv, tmp_path):
        keys = ("said:", "talk:", "other:")
        many = [(f"{keys[n % 3]}x{n}", str(n)) for n in range(3 * SQLITE_PAGE_ROWS)]
        self.put(kv, *many)
        wanted = [value.encode() for key, value in many if not key.startswith("other")]
        assert self.read(tmp_path)[2:] == wanted

    def test_the_index_of_the_key_is_used_and_no_value_is_read_to_find_them(self, kv):
        plan = kv.execute(
            'EXPLAIN QUERY PLAN SELECT rowid, "rowid" FROM "kv" '
            'WHERE +rowid > 1 AND "key" >= ? AND "key" < ?',
            ("said:", "said;"),
        ).fetchall()
        assert "COVERING INDEX" in plan[0][-1]
