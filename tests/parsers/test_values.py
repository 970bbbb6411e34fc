"""Ids, times and paths: total over bad input, the same every time."""

from datetime import UTC, datetime
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd_parsers.limits import EXCERPT_CHARS
from ctxd_parsers.values import (
    derived_id,
    excerpt,
    from_epoch,
    from_epoch_ms,
    from_iso,
    numbered,
    uri_path,
)


def test_a_derived_id_depends_on_where_its_parts_end():
    assert derived_id("ab", "c") != derived_id("a", "bc")
    assert derived_id("ab", b"c") == derived_id("ab", "c")


def test_a_derived_id_takes_lone_surrogates():
    assert derived_id("\ud83c") == derived_id("\ud83c")


def test_the_events_of_one_record_are_numbered_from_its_own_id():
    assert list(islice(numbered("u1"), 3)) == ["u1", "u1#1", "u1#2"]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-30T03:31:28.427Z", datetime(2026, 11, 30, 3, 31, 28, 427000, tzinfo=UTC)),
        ("2026-11-30T05:31:28+02:00", datetime(2026, 11, 30, 3, 31, 28, tzinfo=UTC)),
        ("2026-11-30T03:31:28", datetime(2026, 11, 30, 3, 31, 28, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_an_iso_time_is_read_as_utc(text, time):
    assert from_iso(text) == time


@pytest.mark.parametrize("junk", [None, True, "7", float("nan"), float("inf"), 1e300, [], -1e18])
def test_a_unix_time_that_is_none_gives_none(junk):
    assert from_epoch(junk) is None
    assert from_epoch_ms(junk) is None


def test_unix_times_are_read_in_their_unit():
    assert from_epoch(1796009487.018) == from_epoch_ms(1796009487018)
    assert from_epoch(0) == datetime(1970, 1, 1, tzinfo=UTC)


@given(st.text())
def test_an_excerpt_is_a_bounded_beginning(text):
    assert text.startswith(excerpt(text))
    assert len(excerpt(text * 100)) <= EXCERPT_CHARS


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/dev/my%20repo", "/home/dev/my repo"),
        ("file:///c%3A/Users/dev/x", "c:/Users/dev/x"),
        ("file:///C:/x", "C:/x"),
        ("file://server/share/x", "//server/share/x"),
        ("vscode-remote://ssh-remote%2Bhost/srv/x", "vscode-remote://ssh-remote%2Bhost/srv/x"),
        ("vscode-remote://wsl%2Bubuntu/home/x", "vscode-remote://wsl%2Bubuntu/home/x"),
        ("/already/a/path", "/already/a/path"),
        ("", ""),
    ],
)
def test_only_local_files_become_paths(uri, path):
    assert uri_path(uri) == path


@given(st.text())
def test_no_text_is_too_odd_for_a_uri(text):
    uri_path(text)
    uri_path("file://" + text)
