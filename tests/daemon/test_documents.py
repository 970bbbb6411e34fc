"""Whole-file snapshots: read when they are whole, and never half written."""

import json
import os
import time

import pytest

from ctxd.policy.daemon import SNAPSHOT_LATE_SECONDS, SNAPSHOT_SETTLE_SECONDS, SNAPSHOT_TORN_SECONDS
from ctxd.tail.follow import SettlingError
from ctxd_parsers.events import Unparsed
from ctxd_parsers.parser import Storage
from notes import Follower, texts, transcript


@pytest.fixture
def path(tmp_path):
    return tmp_path / "chat.json"


@pytest.fixture
def follower(path):
    return Follower(transcript(path, Storage.SNAPSHOT))


def document(*numbers: int) -> bytes:
    return json.dumps({"notes": [{"id": f"n{n}", "text": f"note {n}"} for n in numbers]}).encode()


def write(path, data: bytes, age: float = 60) -> None:
    path.write_bytes(data)
    written = time.time() - age
    os.utime(path, (written, written))


def test_a_document_is_read_whole(path, follower):
    write(path, document(1, 2))
    step = follower.step()
    assert texts(step) == ["note 1", "note 2"]
    assert (step.records, step.behind, step.more, step.again) == (1, 0, False, False)


def test_a_new_version_is_read_whole_again_from_a_fresh_state(path, follower):
    write(path, document(1, 2))
    follower.step()
    write(path, document(1, 2, 3), age=30)
    step = follower.step()
    assert [(event.id, event.turn) for event in step.events] == [
        ("n1", "1"),
        ("n2", "2"),
        ("n3", "3"),
    ]
    assert step.again


def test_a_document_that_is_as_it_was_is_not_read(path, follower):
    write(path, document(1))
    follower.step()
    step = follower.step()
    assert (step.events, step.bytes_read) == ([], 0)


def test_a_document_that_was_only_touched_gives_nothing_new(path, follower):
    write(path, document(1))
    follower.step()
    write(path, document(1), age=30)
    step = follower.step()
    assert (step.events, step.again) == ([], False)
    assert follower.step().bytes_read == 0


def test_a_document_written_just_now_is_left_to_settle(path, follower):
    write(path, document(1), age=0)
    with pytest.raises(SettlingError):
        follower.step()
    time.sleep(SNAPSHOT_SETTLE_SECONDS)
    assert texts(follower.step()) == ["note 1"]


def test_a_document_that_never_rests_is_read_all_the_same(path, follower):
    write(path, document(1), age=2 * SNAPSHOT_LATE_SECONDS)
    follower.step()
    write(path, document(1, 2), age=0)
    assert texts(follower.step()) == ["note 1", "note 2"]


def test_a_torn_document_is_waited_for_and_then_damaged(path, follower):
    write(path, document(1)[:-4], age=1)
    with pytest.raises(SettlingError):
        follower.step()
    write(path, document(1)[:-4], age=SNAPSHOT_TORN_SECONDS + 1)
    assert [type(event) for event in follower.step().events] == [Unparsed]


def test_an_empty_document_is_waited_for_and_then_empty(path, follower):
    write(path, b"", age=1)
    with pytest.raises(SettlingError):
        follower.step()
    write(path, b"", age=SNAPSHOT_TORN_SECONDS + 1)
    assert follower.step().events == []


@pytest.mark.parametrize("shift", [3600, 10 * 365 * 86400], ids=["an hour", "ten years"])
def test_a_time_in_the_future_keeps_no_document_from_being_read(path, follower, shift):
    """The clock was set back after it was written."""
    write(path, document(1), age=-shift)
    assert texts(follower.step()) == ["note 1"]


def test_a_document_replaced_by_one_of_the_same_size_and_time_is_read(path, follower):
    write(path, document(1))
    follower.step()
    status = path.stat()
    new = path.with_suffix(".tmp")
    new.write_bytes(document(2))
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
    new.replace(path)
    assert texts(follower.step()) == ["note 2"]


def test_every_cut_of_a_document_is_waited_for(path, follower):
    whole = document(1, 2)
    for cut in range(len(whole)):
        write(path, whole[:cut], age=1)
        with pytest.raises(SettlingError):
            follower.step()
    write(path, whole, age=1)
    assert texts(follower.step()) == ["note 1", "note 2"]


def test_an_error_is_told_when_the_document_is_gone(follower):
    with pytest.raises(FileNotFoundError):
        follower.step()
