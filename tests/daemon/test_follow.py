"""Logs that grow, are cut, replaced and damaged: every whole line once, and nothing else."""

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxd.policy.daemon import BEFORE_BYTES, PREFIX_BYTES, TURN_BYTES
from ctxd.tail.follow import follow
from ctxd_parsers.events import Unparsed, UserMessage
from ctxd_parsers.framing import TOO_LONG
from ctxd_parsers.reading import Transcript
from notes import Follower, Notes, note, texts, transcript

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "session.jsonl"
    path.touch()
    return path


@pytest.fixture
def follower(log):
    return Follower(transcript(log))


def append(path: Path, *pieces: bytes) -> None:
    with path.open("ab") as file:
        for piece in pieces:
            file.write(piece)


def bytes_read_by(action) -> int:
    """Bytes that this process had from `read` calls meanwhile, as the kernel counts them."""

    def count() -> int:
        return int(Path("/proc/self/io").read_text(encoding="ascii").split()[1])

    before = count()
    action()
    counting = -(count() - count())
    return count() - before - 2 * counting


def test_lines_are_taken_once_as_they_come(log, follower):
    assert follower.texts() == []
    append(log, note("one"), note("two"))
    assert follower.texts() == ["one", "two"]
    append(log, note("three"))
    assert follower.texts() == ["three"]
    assert follower.texts() == []


def test_an_unfinished_line_waits_for_its_newline(log, follower):
    append(log, note("one"), b'{"id": "x", "te')
    assert follower.texts() == ["one"]
    assert follower.steps[-1].behind == 15
    append(log, b'xt": "two"}')
    assert follower.texts() == []
    append(log, b"\n")
    assert follower.texts() == ["two"]
    assert follower.steps[-1].behind == 0


def test_a_whole_last_line_that_only_lacks_its_newline_is_taken_when_the_file_rests(log, follower):
    append(log, note("one"), note("two")[:-1])
    assert follower.texts() == ["one"]
    assert follower.texts() == ["two"]
    assert follower.steps[-1].behind == 0
    append(log, b"\n", note("three"))
    assert follower.texts() == ["three"]


def test_a_torn_last_line_is_never_taken_however_long_the_file_rests(log, follower):
    append(log, note("one"), note("two")[:-3])
    assert [follower.texts() for _ in range(4)] == [["one"], [], [], []]


def test_the_state_of_the_parser_goes_on(log, follower):
    append(log, note(), note())
    follower.step()
    append(log, note())
    assert [event.turn for event in follower.step().events] == ["3"]


def test_a_step_takes_about_its_budget_and_says_that_there_is_more(log):
    append(log, *(note("x" * 100) for _ in range(1000)))
    follower = Follower(transcript(log), budget=10_000)
    step = follower.step()
    assert step.more
    assert 9_000 < step.checkpoint.offset < 20_000
    assert step.behind == log.stat().st_size - step.checkpoint.offset
    assert len(follower.texts()) + step.records == 1000
    assert not follower.steps[-1].more


def test_a_line_longer_than_the_budget_is_taken_whole(log):
    append(log, note("a"), note("x" * 5000), note("b"))
    follower = Follower(transcript(log), budget=100)
    assert follower.texts() == ["a", "x" * 5000, "b"]


def test_spans_point_at_the_lines(log, follower):
    append(log, note("one"), note("two"))
    follower.step()
    append(log, note("three"))
    spans = [event.span for event in follower.step().events]
    data = log.read_bytes()
    assert [json.loads(data[start:end])["text"] for start, end in spans] == ["three"]


def test_nothing_is_read_of_a_file_that_is_as_it_was(log, follower):
    append(log, note("x" * 10_000))
    follower.step()
    assert follower.step().bytes_read == 0


def test_a_step_that_was_not_stored_is_taken_again_with_the_same_events(log, follower):
    append(log, note(), note())
    lost = follow(follower.transcript, follower.checkpoint, TURN_BYTES)
    assert follower.step() == lost


def test_a_state_that_an_older_version_stored_means_reading_from_the_start(log, follower):
    append(log, note("one"))
    step = follower.step()
    follower.checkpoint = msgspec.structs.replace(step.checkpoint, state=b"\xc1 no state")
    append(log, note("two"))
    assert follower.texts() == ["one", "two"]
    assert follower.steps[-1].again


# F12 and F13


def grown(tmp_path, data: bytes, step: int) -> list:
    path = tmp_path / "grown.jsonl"
    path.write_bytes(b"")
    follower, events = Follower(transcript(path)), []
    for start in range(0, len(data), step):
        append(path, data[start : start + step])
        events += follower.step().events
    return events


ODD_LINES = (
    note("plain")
    + '{"id": "u", "text": "ünïcödé \u2028 \U0001f980"}\n'.encode()
    + b'{"id": "crlf", "text": "dos"}\r\n'
    + b"\n\r\n"
    + b'{"id": "torn", "te{"id": "good", "text": "glued"}\n'
    + note("last")
)


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_a_log_that_grows_in_small_pieces_gives_the_events_of_one_that_is_whole(tmp_path, step):
    whole = tmp_path / "whole" / "grown.jsonl"
    whole.parent.mkdir()
    whole.write_bytes(ODD_LINES)
    events = Follower(transcript(whole)).step().events
    assert grown(tmp_path, ODD_LINES, step) == events
    assert len(events) == 6


@settings(max_examples=50, deadline=None)
@given(cut=st.integers(0, len(ODD_LINES)), budget=st.integers(1, 400))
def test_every_prefix_and_then_the_rest_give_the_events_of_the_whole(tmp_path_factory, cut, budget):
    path = tmp_path_factory.mktemp("cut") / "grown.jsonl"
    path.write_bytes(ODD_LINES[:cut])
    follower = Follower(transcript(path), budget=budget)
    found = follower.texts()
    append(path, ODD_LINES[cut:])
    assert found + follower.texts() == texts(Follower(transcript(path)).step())


# F14


def test_a_log_that_was_emptied_is_read_from_its_start(log, follower):
    append(log, note("one"), note("two"))
    follower.step()
    os.truncate(log, 0)
    assert follower.texts() == []
    assert follower.steps[-1].again
    append(log, note("three"))
    assert follower.texts() == ["three"]
    assert not follower.steps[-1].again


def test_a_log_cut_within_a_line_is_read_from_its_start(log, follower):
    append(log, note("one"), note("two"))
    follower.step()
    os.truncate(log, log.stat().st_size - 5)
    assert follower.texts() == ["one"]
    assert follower.steps[-1].again


def test_a_log_cut_and_grown_past_the_old_position_is_read_from_its_start(log, follower):
    """Same name, same inode, same beginning, larger than before: only the bytes just before the
    position tell."""
    start = note("the same beginning " * PREFIX_BYTES)
    append(log, start, note("old"))
    follower.step()
    os.truncate(log, len(start))
    append(log, *(note(f"new {number}") for number in range(10)))
    assert follower.texts()[1:] == [f"new {number}" for number in range(10)]
    assert follower.steps[-1].again


def test_a_torn_tail_that_was_cut_off_costs_no_second_reading(log, follower):
    append(log, note("one"), note("torn")[:-6])
    follower.step()
    os.truncate(log, follower.checkpoint.offset)
    append(log, note("two"))
    assert follower.texts() == ["two"]
    assert not follower.steps[-1].again


# F15 and F16


def test_a_rotated_log_is_followed_under_its_name(log, follower):
    append(log, note("one"))
    follower.step()
    log.rename(log.with_suffix(".1"))
    with pytest.raises(FileNotFoundError):
        follower.step()
    log.write_bytes(note("two"))
    assert follower.texts() == ["two"]
    assert follower.steps[-1].again


def test_a_renamed_log_goes_on_under_its_new_name(log, follower):
    append(log, note("one"))
    follower.step()
    moved = log.rename(log.with_name("other.jsonl"))
    append(moved, note("two"))
    follower.transcript = transcript(moved)
    assert follower.texts() == ["two"]


def test_two_hundred_logs_deleted_and_made_again_are_each_read_whole(log, follower):
    for number in range(200):
        log.unlink()
        log.write_bytes(note(f"{number} first") + note(f"{number} second"))
        assert follower.texts() == [f"{number} first", f"{number} second"]


def test_a_log_replaced_by_one_that_begins_alike_is_read_from_its_start(log, follower):
    shared = note("x" * 2 * PREFIX_BYTES)
    append(log, shared, note("old"))
    follower.step()
    new = log.with_suffix(".tmp")
    new.write_bytes(shared + note("new") + note("newer"))
    new.replace(log)
    assert follower.texts()[1:] == ["new", "newer"]
    assert follower.steps[-1].again


def test_a_log_replaced_by_one_of_the_same_size_and_time_is_read_from_its_start(log, follower):
    append(log, note("old", name="1"))
    follower.step()
    status = log.stat()
    new = log.with_suffix(".tmp")
    new.write_bytes(note("new", name="1"))
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
    new.replace(log)
    assert log.stat().st_size == status.st_size
    assert follower.texts() == ["new"]


@pytest.mark.skipif(os.name == "nt", reason="no time of change there")
def test_a_log_written_over_with_its_old_size_and_time_is_read_from_its_start(log, follower):
    append(log, note("old", name="1"))
    follower.step()
    status = log.stat()
    time.sleep(0.01)
    with log.open("r+b") as file:
        file.write(note("new", name="1"))
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert follower.texts() == ["new"]
    assert follower.steps[-1].again


def test_the_position_is_checked_by_more_than_the_last_line(log, follower):
    """Two logs that end alike, in less than what is hashed, are told apart."""
    append(log, b"a" * BEFORE_BYTES + b"\n", note("same", name="1"))
    follower.step()
    data = log.read_bytes()
    start = len(data) - BEFORE_BYTES + 2
    with log.open("r+b") as file:
        file.seek(start)
        file.write(b"b")
    append(log, note("more"))
    follower.step()
    assert follower.steps[-1].again


# F17


def test_a_line_over_the_limit_is_told_and_the_next_ones_are_read(log):
    append(log, note("a"), note("x" * 500), note("b"))
    follower = Follower(transcript(log), longest=300)
    events = follower.step().events
    assert [type(event) for event in events] == [UserMessage, Unparsed, UserMessage]
    assert events[1].reason == TOO_LONG
    start, end = events[1].span
    assert json.loads(log.read_bytes()[start:end])["text"] == "x" * 500


def test_an_over_long_line_is_passed_over_step_by_step_and_told_once_it_ends(log):
    append(log, note("a"), note("x" * 50_000)[:-1])
    follower = Follower(transcript(log), budget=1000, longest=300)
    assert follower.texts() == ["a"]
    assert len(follower.steps) > 40
    assert all(step.bytes_read <= 1000 + PREFIX_BYTES + BEFORE_BYTES for step in follower.steps)
    assert follower.steps[-1].behind == 0
    append(log, b"xxx")
    assert follower.texts() == []
    append(log, b"\n", note("b"))
    step = follower.step()
    assert [type(event) for event in step.events] == [Unparsed, UserMessage]
    start, end = step.events[0].span
    assert log.read_bytes()[start:end].endswith(b"xxx\n")
    assert log.read_bytes()[:start].endswith(b"\n")


def test_a_log_cut_within_an_over_long_line_is_read_from_its_start(log):
    append(log, note("a"), b"x" * 5000)
    follower = Follower(transcript(log), budget=1000, longest=300)
    follower.texts()
    os.truncate(log, 2000)
    append(log, b"\n", note("b"))
    assert follower.texts() == ["a", "b"]
    assert follower.steps[-2].again or follower.steps[-1].again or follower.steps[-3].again


@pytest.mark.parametrize("size", [1 << 20, 20 << 20])
def test_a_line_of_many_megabytes_is_read(log, follower, size):
    append(log, note("x" * size), note("after"))
    assert [len(text) for text in follower.texts()] == [size, 5]


def measured(path: Path) -> dict:
    """Follows a log to its end in a process of its own, to measure that."""
    code = (
        "import json, re, sys, time; from pathlib import Path\n"
        "from notes import Follower, transcript\n"
        "follower = Follower(transcript(Path(sys.argv[1])))\n"
        "began, records, damaged = time.monotonic(), 0, 0\n"
        "while True:\n"
        "    step = follower.step()\n"
        "    follower.steps.clear()\n"
        "    records += step.records\n"
        "    damaged += sum(type(event).__name__ == 'Unparsed' for event in step.events)\n"
        "    if not step.more: break\n"
        "status = Path('/proc/self/status').read_text(encoding='ascii')\n"
        "peak = int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) / 1024\n"
        "print(json.dumps({'records': records, 'damaged': damaged, 'behind': step.behind,\n"
        "                  'peak_mb': peak, 'seconds': time.monotonic() - began}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return json.loads(done.stdout)


@linux
@pytest.mark.long
@pytest.mark.parametrize("megabytes", [63, 65, 300])
def test_lines_around_and_far_over_the_limit_fit_into_little_memory(log, megabytes):
    row = b'{"output": "' + b"x" * (megabytes << 20) + b'", "id": "x", "text": "long"}\n'
    append(log, note("before"), row, note("after"))
    found = measured(log)
    assert found["records"] == 3
    assert found["damaged"] == (megabytes > 64)
    assert found["peak_mb"] < 200


@linux
@pytest.mark.long
def test_a_log_without_any_newline_fits_into_little_memory(log):
    with log.open("wb") as file:
        file.truncate(1 << 30)
    found = measured(log)
    assert (found["records"], found["behind"]) == (0, 0)
    assert found["peak_mb"] < 200


@linux
@pytest.mark.long
def test_five_gigabytes_are_read_in_three_minutes_and_little_memory(log):
    if shutil.disk_usage(log.parent).free < 8 << 30:
        pytest.skip("not enough room on the disk")
    block = b"".join(
        b'{"output": "' + b"x" * 100_000 + b'", "id": "%d", "text": "t"}\n' % n for n in range(640)
    )
    with log.open("wb") as file:
        for _ in range(-(-(5 << 30) // len(block))):
            file.write(block)
    found = measured(log)
    log.unlink()
    assert found["records"] > 50_000
    assert found["peak_mb"] < 200
    assert found["seconds"] < 180


@linux
@pytest.mark.parametrize("megabytes", [5, pytest.param(500, marks=pytest.mark.long)])
def test_a_line_appended_to_a_large_log_costs_what_it_does_on_a_small_one(log, follower, megabytes):
    block = b"".join(note("x" * 100_000) for _ in range(10))
    with log.open("wb") as file:
        for _ in range(megabytes):
            file.write(block)
    follower.texts()
    append(log, note("one more"))
    assert bytes_read_by(lambda: follower.step()) < 4096
    assert texts(follower.steps[-1]) == ["one more"]
    assert follower.steps[-1].bytes_read < 4096


# F18


DAMAGED = {
    "NUL bytes": b"\0" * 4096,
    "BOM": b"\xef\xbb\xbf",
    "UTF-16": '{"id": "w", "text": "wide"}\n'.encode("utf-16"),
    "invalid UTF-8": b'{"id": "i", "text": "\xff\xfe\xc3"}\n',
    "lone surrogate": rb'{"id": "s", "text": "\ud83c"}' + b"\n",
    "depth": b"[" * 100_000 + b"\n",
    "many keys": b'{"id": "k"' + b"".join(b', "k%d": 0' % n for n in range(100_000)) + b"}\n",
    "duplicate keys": b'{"id": "d", "id": "e", "text": "a", "text": "b"}\n',
    "NaN": b'{"id": "n", "value": NaN}\n',
    "huge number": b'{"id": "h", "value": ' + b"9" * 100_000 + b"}\n",
    "other types": b'{"id": 5, "text": {"a": []}, "notes": 7}\n',
    "two records": note("left")[:-1] + note("right"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_good_lines_on_both_sides_of_damage_are_read(log, follower, damage):
    append(log, note("before"), DAMAGED[damage])
    first = follower.texts()
    append(log, note("after"))
    found = first + follower.texts()
    assert found[0] == "before"
    assert found[-1] == "after"


def test_nul_bytes_at_the_end_are_passed_over_when_lines_follow(log, follower):
    append(log, note("one"), b"\0" * 1728)
    assert follower.texts() == ["one"]
    assert follower.texts() == []
    append(log, note("two"))
    assert follower.texts() == ["two"]


# F23 and F24


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_in_the_place_of_a_log_is_not_followed(tmp_path, log):
    append(log, note("secret"))
    link = tmp_path / "link.jsonl"
    link.symlink_to(log)
    with pytest.raises(OSError, match=r"(?i)symbolic links"):
        Follower(transcript(link)).step()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs there")
def test_a_pipe_in_the_place_of_a_log_is_never_waited_on(tmp_path):
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        Follower(transcript(path)).step()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices there")
def test_a_device_in_the_place_of_a_log_is_not_read(tmp_path):
    path = tmp_path / "zero.jsonl"
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except OSError:
        path = Path("/dev/zero")
    with pytest.raises(OSError, match="not a regular file"):
        Follower(transcript(path)).step()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize(
    "name",
    [b"new\nline", b"\x1b[31mred", "\u202ertl".encode(), b"\xff\xfe", b"-rf", b"x" * 249, b" "],
)
def test_a_log_of_any_name_is_followed(tmp_path, name):
    path = tmp_path / os.fsdecode(name + b".jsonl")
    path.write_bytes(note("one"))
    assert Follower(transcript(path)).texts() == ["one"]


@pytest.mark.skipif(sys.platform != "linux", reason="paths are shorter elsewhere")
def test_a_log_at_the_end_of_a_very_long_path_is_an_error_at_worst(tmp_path):
    path = tmp_path.joinpath(*["d" * 200] * 25, "log.jsonl")
    with pytest.raises(OSError, match="too long"):
        Follower(transcript(path)).step()


# F28


def test_a_client_that_writes_on_while_it_rewrites_its_log_loses_nothing(log, follower):
    """In place and not at once, as one client does at every step."""
    lines = [note(f"turn {number}") for number in range(30)]
    append(log, *lines[:10], b'{"id": "end", "text": "ended"}\n')
    assert len(follower.texts()) == 11
    seen = set()
    with log.open("r+b") as file:
        file.truncate(0)
        for line in lines:
            file.write(line[:7])
            file.flush()
            seen.update(follower.texts())
            file.write(line[7:])
            file.flush()
    seen.update(follower.texts())
    assert seen == {f"turn {number}" for number in range(30)}


def test_a_parser_that_fails_leaves_the_position_where_it_was(log):
    class Failing(Notes):
        def parse(self, records, state):
            yield from super().parse(records, state)
            raise ZeroDivisionError

    append(log, note("one"))
    failing = Follower(Transcript(log, Failing()))
    with pytest.raises(ZeroDivisionError):
        failing.step()
    assert failing.checkpoint is None
