"""Sessions from logs: one each, wherever its parts stand, and as its last log tells it."""

import os
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from ctxd.policy.daemon import ENDED_SECONDS, LIVE_SECONDS, TITLE_CHARS
from ctxd.scanning import Find, read_all
from ctxd.session_overview import merge, overviews
from ctxd.session_report import rows
from ctxd.short_ids import short_ids
from ctxd_parsers import registry
from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.events import (
    AnyEvent,
    AssistantMessage,
    Compaction,
    SessionEnded,
    SessionStarted,
    SessionTitled,
    UserMessage,
    WorkspaceChanged,
)
from ctxd_parsers.parser import Source

MORNING = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


class State(msgspec.Struct):
    """Nothing to remember."""


class Row(msgspec.Struct):
    """Every line is an event as it was written."""


class Recorded:
    """Logs whose records are events themselves."""

    name = agent = "recorded"
    state_type = State

    def sources(self, env):
        return [Source(env.home / ".recorded", ("*.jsonl",))]

    def claims(self, path, head):
        return head.startswith(b'{"event"')

    def companions(self, path):
        return []

    def begin(self, path, companions):
        return State()

    def parse(self, records, state):
        for record, row in RowDecoder(Row, marks=("event",)).rows(records):
            if not isinstance(row, Damage):
                yield msgspec.json.decode(record.data, type=AnyEvent)


@pytest.fixture(autouse=True)
def recorded(monkeypatch):
    monkeypatch.setattr(registry, "PARSERS", (Recorded(),))


@pytest.fixture
def logs(tmp_path):
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


class Log:
    """Events of one session, a minute apart."""

    def __init__(self, session="s1", begin=MORNING, sub_agent=None):
        self.session, self.time, self.sub_agent, self.events = session, begin, sub_agent, []

    def add(self, kind, name, **fields):
        self.events.append(
            kind(
                agent="recorded",
                session=self.session,
                sub_agent=self.sub_agent,
                id=name,
                time=self.time,
                **fields,
            )
        )
        self.time += timedelta(minutes=1)
        return self

    def write(self, path, modified=None):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in self.events))
        if modified:
            os.utime(path, (modified.timestamp(), modified.timestamp()))
        return path


def talk(session="s1", begin=MORNING, words="hello"):
    log = Log(session, begin).add(SessionStarted, f"{session}-start", cwd="/srv/api", branch="main")
    return log.add(UserMessage, f"{session}-u1", text=words).add(
        AssistantMessage, f"{session}-a1", text="hi"
    )


def listed(logs):
    parts = [
        part for _, found in read_all(Find.under([logs]).jobs, overviews, nothing) for part in found
    ]
    return merge(parts)


def nothing(_count):
    """Takes progress and does nothing with it."""


def test_what_a_session_tells(logs):
    log = talk().add(SessionTitled, "t1", title="Early").add(UserMessage, "u2", text="more")
    log.add(Compaction, "c1").add(SessionTitled, "t2", title="Late", by="user")
    path = log.add(WorkspaceChanged, "w1", cwd="/srv/other", branch="next").write(
        logs / "one.jsonl"
    )
    [session] = listed(logs)
    assert (session.agent, session.id, session.transcripts) == ("recorded", "s1", (path,))
    assert (session.cwd, session.branch) == ("/srv/api", "next")
    assert (session.title, session.titled_by, session.first_words) == ("Late", "user", "hello")
    assert (session.first, session.last) == (MORNING, MORNING + timedelta(minutes=7))
    assert (len(session.messages), len(session.compactions)) == (2, 1)


def test_a_copy_in_another_account_is_the_same_session(logs):
    talk().write(logs / "a" / "s1.jsonl")
    talk().add(UserMessage, "s1-u2", text="went on here").write(logs / "b" / "s1.jsonl")
    [session] = listed(logs)
    assert len(session.messages) == 2
    assert len(session.transcripts) == 2
    assert session.last == MORNING + timedelta(minutes=3)


def test_a_session_resumed_into_a_new_file_is_the_same_session(logs):
    first = talk().add(SessionEnded, "e1").write(logs / "1.jsonl")
    again = Log("s1", MORNING + timedelta(days=1)).add(
        SessionStarted, "s1-again", how="resume", model="new"
    )
    second = again.add(UserMessage, "s1-u9", text="where were we").write(logs / "2.jsonl")
    [session] = listed(logs)
    assert session.transcripts == (first, second)
    assert (session.cwd, session.model, session.first_words) == ("/srv/api", "new", "hello")
    assert not session.ended


def test_a_fork_is_a_session_of_its_own(logs):
    talk("s1").write(logs / "1.jsonl")
    talk("s2").write(logs / "2.jsonl")
    assert {session.id for session in listed(logs)} == {"s1", "s2"}


def test_a_file_with_two_sessions_holds_two(logs):
    both = talk("s1")
    both.events += talk("s2", MORNING + timedelta(hours=1)).events
    both.write(logs / "both.jsonl")
    assert [session.id for session in listed(logs)] == ["s2", "s1"]


def test_a_sub_agent_is_part_of_its_parent_and_says_nothing_for_it(logs):
    talk().write(logs / "1.jsonl")
    inner = Log("s1", MORNING + timedelta(minutes=20), sub_agent="a1")
    inner.add(SessionStarted, "i0", how="sub_agent", cwd="/elsewhere").add(
        AssistantMessage, "i1", text="done"
    )
    inner.add(SessionTitled, "i2", title="Inner").add(Compaction, "i3").write(logs / "agent.jsonl")
    [session] = listed(logs)
    assert (session.cwd, session.title, session.compactions) == ("/srv/api", None, set())
    assert session.last == MORNING + timedelta(minutes=23)
    assert len(session.transcripts) == 2


def test_a_session_that_was_opened_and_left_is_not_listed(logs):
    Log().add(SessionStarted, "s", cwd="/srv").add(SessionTitled, "t", title="New chat").write(
        logs / "1.jsonl"
    )
    assert listed(logs) == []


def test_an_end_counts_until_somebody_speaks_again(logs):
    talk("s1").add(SessionEnded, "e1").write(logs / "1.jsonl")
    talk("s2").add(SessionEnded, "e1").add(UserMessage, "u2", text="one more").write(
        logs / "2.jsonl"
    )
    ended = {session.id: session.ended for session in listed(logs)}
    assert ended == {"s1": True, "s2": False}


@pytest.mark.parametrize(
    ("silence", "state"),
    [
        (0, "live"),
        (LIVE_SECONDS, "live"),
        (LIVE_SECONDS + 1, "idle"),
        (ENDED_SECONDS, "idle"),
        (ENDED_SECONDS + 1, "ended"),
    ],
)
def test_silence_tells_the_state(logs, silence, state):
    talk().write(logs / "1.jsonl")
    [session] = listed(logs)
    assert session.state(session.last + timedelta(seconds=silence)) == state


def test_a_clock_gone_wrong_does_not_put_a_session_first(logs):
    written = MORNING + timedelta(hours=5)
    talk("late", datetime(2999, 1, 1, tzinfo=UTC)).write(logs / "1.jsonl", modified=written)
    talk("now", MORNING + timedelta(hours=6)).write(logs / "2.jsonl")
    late = listed(logs)[1]
    assert late.id == "late"
    assert late.last_activity == written


def test_a_session_without_any_time_has_that_of_its_file(logs):
    log = Log()
    log.time = None
    log.events.append(UserMessage(agent="recorded", session="s1", id="u", text="hello"))
    log.write(logs / "1.jsonl", modified=MORNING)
    [session] = listed(logs)
    assert (session.first, session.last_activity) == (None, MORNING)


def test_a_file_time_that_is_no_date_is_no_trouble(logs):
    path = talk().write(logs / "1.jsonl")
    try:
        os.utime(path, (2**40, 2**40))
    except OSError:
        pytest.skip("this file system knows no such times")
    [session] = listed(logs)
    assert session.last_activity == MORNING + timedelta(minutes=2)


def test_a_title_is_missing_or_that_of_the_first_message(logs):
    talk(words="first\n\n  words " + "x" * 1000).write(logs / "1.jsonl")
    [row] = rows(listed(logs), MORNING)
    assert row.title == "first words " + "x" * (TITLE_CHARS - len("first words "))
    assert row.titled_by == "first_message"
    log = Log("s2").add(AssistantMessage, "a", text="hi")
    log.write(logs / "1.jsonl")
    [row] = rows(listed(logs), MORNING)
    assert (row.title, row.titled_by) == (None, None)


def test_the_repository_is_that_of_the_working_directory(logs, tmp_path):
    checkout = tmp_path / "api"
    for folder in ("objects", "refs"):
        (checkout / ".git" / folder).mkdir(parents=True)
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (checkout / "src").mkdir()
    places = {"s1": str(checkout / "src"), "s2": "/gone/api", "s3": "vscode-remote://wsl+u/srv/api"}
    for session, cwd in places.items():
        log = Log(session).add(SessionStarted, session, cwd=cwd)
        log.add(UserMessage, f"{session}-u", text="hello").write(logs / f"{session}.jsonl")
    found = {row.session: row for row in rows(listed(logs), MORNING)}
    assert (found["s1"].repository, found["s1"].worktree) == (str(checkout), str(checkout))
    assert (found["s2"].repository, found["s2"].cwd, found["s2"].remote) == (
        None,
        "/gone/api",
        False,
    )
    assert (found["s3"].repository, found["s3"].remote) == (None, True)


def test_short_ids_are_as_short_as_they_can_be_and_still_tell():
    ids = [
        "0190aaaa-1111",
        "0190aaaa-1122",
        "0190bbbb-0000",
        "session-2026-a",
        "session-2026-b",
        "abc",
    ]
    assert short_ids(ids) == {
        "0190aaaa-1111": "0190aaaa-111",
        "0190aaaa-1122": "0190aaaa-112",
        "0190bbbb-0000": "0190bbbb",
        "session-2026-a": "session-2026-a",
        "session-2026-b": "session-2026-b",
        "abc": "abc",
    }


def test_an_id_that_another_one_begins_with_is_shown_whole():
    assert short_ids(["aaaaaaaaaa", "aaaaaaaaaabb"]) == {
        "aaaaaaaaaa": "aaaaaaaaaa",
        "aaaaaaaaaabb": "aaaaaaaaaab",
    }
