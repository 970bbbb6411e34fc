"""The ledger keeps positions and what was learned together, once, and without secrets."""

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from batches import LOG, all_bytes, batch, checkpoint, ids, integrity, said, texts
from ctxd.ledger import (
    Found,
    Heartbeat,
    Ledger,
    LedgerInUseError,
    LedgerRebuiltError,
    LedgerUnavailableError,
    LedgerVersionError,
    NoLedgerError,
    SessionRow,
    fingerprint,
    opening,
)
from ctxd.ledger.schema import MIGRATIONS
from ctxd.policy.ledger import KINDS_REMEMBERED, SUSPICIONS, TEXT_CHARS
from ctxd.session import Session
from ctxd.tail.checkpoint import Mark
from ctxd_parsers.events import (
    Compaction,
    CompactionStarted,
    ContextFileLoaded,
    ContextInjected,
    Interrupted,
    Option,
    Paste,
    PlanDecided,
    QuestionAnswered,
    Reasoning,
    SessionTitled,
    ToolCall,
    ToolResult,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
)
from session_events import (
    agent,
    at,
    call,
    compaction,
    done,
    reduced,
    started,
    user,
)

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
STATE = msgspec.msgpack.encode({"x": 1})
SAFE = "[redacted:github-token]"


class FakeClock:
    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "ledger.sqlite3"


@pytest.fixture
def ledger(path, clock):
    with Ledger.open(path, clock) as opened:
        yield opened


def common(event_id, session="s", seconds=None):
    time = None if seconds is None else at(seconds)
    return {"agent": "a", "session": session, "id": event_id, "time": time}


def result(call_id, status="ok", **more):
    return ToolResult(call=call_id, status=status, **common(f"result of {call_id}", **more))


def edit(call_id, **more):
    return ToolCall(call=call_id, name="edit", excerpt="new text", **common(call_id), **more)


def excerpts(ledger):
    return {event.id: event.excerpt for event in ledger.events(("a", "s"), (ToolCall,))}


class TestPositions:
    def test_a_transcript_never_read_has_no_checkpoint(self, ledger):
        assert ledger.checkpoint(LOG) is None

    def test_the_checkpoint_of_the_last_batch_is_given_back(self, ledger):
        for offset in (10, 20):
            ledger.record(
                batch(said(offset), checkpoint=checkpoint(offset, state=b"\x81\xa1x\x01"))
            )
        assert ledger.checkpoint(LOG) == checkpoint(20, state=b"\x81\xa1x\x01")

    def test_names_that_are_no_text_are_told_apart(self, ledger):
        names = [Path(os.fsdecode(b"/logs/\xff.jsonl")), Path(os.fsdecode(b"/logs/\xfe\n.jsonl"))]
        for number, name in enumerate(names):
            ledger.record(batch(path=name, offset=number))
        assert [ledger.checkpoint(name).offset for name in names] == [0, 1]
        assert {path for path, _ in ledger.checkpoints()} == set(names)

    def test_positions_survive_closing(self, path, clock):
        with Ledger.open(path, clock) as ledger:
            ledger.record(batch(said(1)))
        with Ledger.open(path, clock) as ledger:
            assert ledger.checkpoint(LOG) == checkpoint(100)
            assert ids(ledger) == ["1"]

    def test_a_checkpoint_damaged_in_place_means_reading_from_the_start(self, ledger):
        ledger.record(batch(said(1), Unknown(record_kind="x", **common("u"))))
        ledger._connection.execute("UPDATE transcripts SET checkpoint = x'93c1'")
        assert ledger.checkpoint(LOG) is None
        ledger.record(batch(said(1), Unknown(record_kind="x", **common("u"))))
        assert ledger.agents()[0].records == 2
        assert ledger.agents()[0].unknown == 1

    def test_a_batch_that_fails_leaves_nothing_behind(self, ledger):
        ledger.record(batch(said(1), offset=10))
        broken = said(2, turn="\ud800")
        with pytest.raises(UnicodeEncodeError):
            ledger.record(batch(said(3, session="other"), broken, offset=20))
        assert ledger.checkpoint(LOG).offset == 10
        assert ids(ledger) == ["1"]
        assert ledger.sessions(empty=True)[0].id == "s"
        assert ledger.record(batch(said(3, session="other"), offset=30)) == 1
        assert ids(ledger, "other") == ["3"]


class TestEvents:
    def test_events_come_back_as_they_were_in_their_order(self, ledger):
        events = [
            started("start", 0, cwd="/repo", branch="main"),
            user("u", 1, text="use tabs"),
            agent("m", 2, text="done"),
            CompactionStarted(trigger="auto", **common("cs")),
            compaction("c", 3, kept=("u",), summary="sum", tokens_before=9, trigger="auto"),
            done("d", 4),
            Interrupted(**common("i")),
            ContextInjected(source="hook", text="x", name="Stop", **common("x")),
            SessionTitled(title="t", by="user", **common("t")),
            QuestionAnswered(
                question="which?", options=(Option("A", "first"),), chosen=("A",), **common("q")
            ),
            PlanDecided(approved=True, plan="1. do", **common("p")),
        ]
        assert ledger.record(batch(*events)) == len(events)
        assert list(ledger.events(("a", "s"))) == events

    def test_kinds_can_be_picked(self, ledger):
        ledger.record(batch(user("u"), agent("m"), compaction("c"), compaction("d", sub_agent="x")))
        assert [e.id for e in ledger.events(("a", "s"), (UserMessage, Compaction))] == [
            "u",
            "c",
            "d",
        ]
        assert [e.sub_agent for e in ledger.compactions(("a", "s"))] == [None, "x"]

    def test_an_event_is_stored_once_however_often_it_comes(self, ledger):
        assert ledger.record(batch(said(1), said(2), said(1))) == 2
        assert ledger.record(batch(said(2), said(3))) == 1
        assert ids(ledger) == ["1", "2", "3"]

    def test_the_same_id_of_another_agent_is_another_event(self, ledger):
        ledger.record(batch(said(1, "mine"), said(1, "theirs", agent="b")))
        assert texts(ledger) == ["mine"]
        assert texts(ledger, agent="b") == ["theirs"]

    def test_what_is_in_the_log_for_whoever_wants_it_is_not_kept(self, ledger):
        events = [
            Reasoning(text="hm", **common("r")),
            Usage(context_tokens=5, **common("g")),
            result("c"),
            result("e", "error"),
            Unknown(record_kind="k", **common("n")),
            Unparsed(reason="torn", **common("p")),
        ]
        assert ledger.record(batch(*events)) == 0
        assert ids(ledger) == []

    def test_a_stopped_tool_call_is_kept(self, ledger):
        ledger.record(batch(result("c", "refused"), result("d", "interrupted"), result("e")))
        assert ids(ledger) == ["result of c", "result of d"]

    def test_a_context_file_is_kept_as_a_fingerprint_of_its_text(self, ledger):
        loaded = ContextFileLoaded(path="/r/AGENTS.md", text="rules " * 9, **common("f"))
        ledger.record(batch(loaded))
        (kept,) = ledger.events(("a", "s"))
        assert kept.path == "/r/AGENTS.md"
        assert kept.text == fingerprint("rules " * 9) != fingerprint("rules " * 8)

    def test_a_text_is_cut_at_its_bound(self, ledger):
        ledger.record(batch(said(1, "x" * (TEXT_CHARS + 50_000))))
        assert texts(ledger) == ["x" * TEXT_CHARS]

    def test_an_event_of_a_kind_given_up_since_is_passed_over(self, ledger):
        ledger.record(batch(said(1), said(2)))
        gone = msgspec.msgpack.encode({"event": "Gone", "agent": "a", "session": "s", "id": "1"})
        ledger._connection.execute("UPDATE events SET body = ? WHERE id = '1'", (gone,))
        assert ids(ledger) == ["2"]


class TestExcerpts:
    def test_of_a_call_that_ran_is_not_kept(self, ledger):
        ledger.record(batch(edit("c", paths=("/a",), command="ls"), result("c")))
        (kept,) = ledger.events(("a", "s"))
        assert (kept.excerpt, kept.paths, kept.command) == (None, ("/a",), "ls")

    def test_of_a_refused_call_is_kept(self, ledger):
        ledger.record(batch(edit("c"), result("c", "refused")))
        assert excerpts(ledger) == {"c": "new text"}

    @pytest.mark.parametrize(
        "answer",
        [
            QuestionAnswered(question="?", call="c", **common("q")),
            PlanDecided(approved=True, call="c", **common("q")),
            UserMessage(text="no", origin="refusal", call="c", **common("q")),
        ],
        ids=["question", "plan", "words"],
    )
    def test_of_a_call_that_the_user_answered_is_kept(self, ledger, answer):
        ledger.record(batch(edit("c"), result("c"), answer))
        assert excerpts(ledger) == {"c": "new text"}

    def test_waits_for_the_result_and_goes_with_it(self, ledger):
        ledger.record(batch(edit("c"), edit("d")))
        assert excerpts(ledger) == {"c": "new text", "d": "new text"}
        ledger.record(batch(result("c"), result("d", "refused")))
        assert excerpts(ledger) == {"c": None, "d": "new text"}

    def test_is_left_when_the_ledger_was_closed_in_between(self, path):
        with Ledger.open(path) as ledger:
            ledger.record(batch(edit("c")))
        with Ledger.open(path) as ledger:
            ledger.record(batch(result("c")))
            assert excerpts(ledger) == {"c": "new text"}


class TestNewness:
    def test_only_events_new_to_their_session_are_passed_on_each_once(self, ledger):
        ledger.record(batch(said(1)))
        fresh = ledger.unseen([said(1), said(2), said(2), said(3)])
        assert fresh == [(said(2), False), (said(3), False)]

    def test_a_copy_in_a_fork_is_told_from_what_the_fork_adds(self, ledger):
        ledger.record(batch(said(1), said(2)))
        fork = [said(1, session="f"), said(2, session="f"), said(3, session="f")]
        assert [copied for _, copied in ledger.unseen(fork)] == [True, True, False]
        assert ledger.record(batch(*fork, path=Path("/logs/fork.jsonl"))) == 3
        assert ledger.unseen(fork) == []
        assert list(ledger.events(("a", "f"))) == fork
        assert ids(ledger) == ["1", "2"]

    def test_a_copy_of_a_copy_is_read_back_too(self, ledger):
        for session in ("s", "f", "g"):
            ledger.record(batch(said(1, "deep", session), path=Path(f"/logs/{session}")))
        assert texts(ledger, "g") == ["deep"]

    def test_kinds_that_are_not_kept_are_passed_through_in_place(self, ledger):
        usage = Usage(context_tokens=5, **common("g"))
        ledger.record(batch(said(1), usage))
        assert ledger.unseen([said(1), usage, said(2)]) == [(usage, False), (said(2), False)]

    def test_asking_first_changes_nothing_of_what_is_recorded(self, ledger):
        events = [said(1), said(2)]
        ledger.unseen(events)
        ledger.record(batch(said(1)))
        ledger.unseen(events)
        assert ledger.record(msgspec.structs.replace(batch(), events=events)) == 1
        assert ids(ledger) == ["1", "2"]

    def test_thousands_of_events_at_once(self, ledger):
        many = [said(number) for number in range(5000)]
        ledger.record(batch(*many[::2]))
        assert [event.id for event, _ in ledger.unseen(many)] == [e.id for e in many[1::2]]


class TestTakenBack:
    def test_everything_from_there_up_to_here_is_marked_and_kept(self, ledger):
        back = Withdrawn(since="2", **common("w"))
        ledger.record(batch(said(1), said(2), said(3), back, said(4)))
        assert ids(ledger) == ["1", "w", "4"]
        assert ids(ledger, withdrawn=True) == ["1", "2", "3", "w", "4"]

    def test_across_batches(self, ledger):
        ledger.record(batch(said(1), said(2)))
        ledger.record(batch(said(3)))
        ledger.record(batch(Withdrawn(since="2", **common("w")), said(4)))
        assert ids(ledger) == ["1", "w", "4"]

    def test_up_to_where_it_went_on(self, ledger):
        back = Withdrawn(since="1", until="3", **common("w"))
        ledger.record(batch(said(1), said(2), said(3), said(4), back))
        assert ids(ledger) == ["3", "4", "w"]

    def test_from_an_event_that_is_not_kept_itself(self, ledger):
        start = Reasoning(text="hm", **common("r"))
        ledger.record(batch(said(1), start, said(2), Withdrawn(since="r", **common("w"))))
        assert ids(ledger) == ["1", "w"]

    def test_from_an_event_nobody_knows_takes_back_nothing(self, ledger):
        ledger.record(batch(said(1), Withdrawn(since="?", **common("w"))))
        assert ids(ledger) == ["1", "w"]

    def test_other_sessions_keep_theirs(self, ledger):
        back = Withdrawn(since="1", **common("w", "f"))
        ledger.record(batch(said(1), said(2)))
        ledger.record(batch(said(1, session="f"), said(2, session="f"), back, path=Path("/f")))
        assert ids(ledger, "f") == ["w"]
        assert ids(ledger) == ["1", "2"]

    def test_a_record_written_twice_takes_back_nothing_more(self, ledger):
        back = Withdrawn(since="1", **common("w"))
        ledger.record(batch(said(1), back, said(2), back))
        assert ids(ledger) == ["w", "2"]

    def test_reading_the_log_anew_gives_the_same(self, ledger):
        events = [said(1), said(2), Withdrawn(since="2", **common("w")), said(3)]
        ledger.record(batch(*events))
        ledger.record(batch(*events, again=True))
        assert ids(ledger) == ["1", "w", "3"]

    def test_a_record_written_twice_is_not_brought_back_by_its_second_copy(self, ledger):
        events = [said(1), said(2), Withdrawn(since="2", **common("w")), said(2)]
        ledger.record(batch(*events))
        ledger.record(batch(*events, again=True))
        assert ids(ledger) == ["1", "w"]
        ledger.record(batch(said(1), said(2), Withdrawn(since="2", **common("w")), again=True))
        ledger.record(batch(said(2)))
        assert ids(ledger) == ["1", "w"]

    def test_what_a_rewritten_log_does_not_hold_any_more(self, ledger):
        ledger.record(batch(said(1), said(2), said(3)))
        gone = Withdrawn(since=None, **common("w"))
        ledger.record(batch(said(1), gone, said(4), again=True))
        assert ids(ledger) == ["1", "w", "4"]
        assert ids(ledger, withdrawn=True) == ["1", "2", "3", "w", "4"]

    def test_a_rewritten_log_read_in_several_steps(self, ledger):
        ledger.record(batch(said(1), said(2), said(3), said(4)))
        ledger.record(batch(said(1), again=True))
        ledger.record(batch(said(3)))
        ledger.record(batch(Withdrawn(since=None, **common("w")), said(5)))
        assert ids(ledger) == ["1", "3", "w", "5"]

    def test_what_came_after_a_rewrite_survives_the_next_reading(self, ledger):
        gone = Withdrawn(since=None, **common("w"))
        ledger.record(batch(said(1), said(2)))
        ledger.record(batch(said(1), gone, said(3), again=True))
        ledger.record(batch(said(1), gone, again=True))
        assert ids(ledger) == ["1", "w", "3"]
        ledger.record(batch(said(3)))
        assert ids(ledger) == ["1", "w", "3"]

    def test_what_is_there_again_counts_again(self, ledger):
        ledger.record(batch(said(1), said(2)))
        ledger.record(batch(said(1), Withdrawn(since=None, **common("w")), again=True))
        assert ids(ledger) == ["1", "w"]
        ledger.record(batch(said(1), said(2), again=True))
        assert ids(ledger) == ["1", "2", "w"]

    def test_a_log_that_was_cut_without_such_a_word_takes_back_nothing(self, ledger):
        ledger.record(batch(said(1), said(2)))
        ledger.record(batch(said(1), again=True))
        assert ids(ledger) == ["1", "2"]

    def test_what_a_row_of_a_database_does_not_hold_any_more(self, ledger):
        row = checkpoint(0, marks={"conversations": Mark(5)})
        ledger.record(batch(said(1), said(2), said(3), said("x", session="t"), checkpoint=row))
        gone = Withdrawn(since=None, **common("w"))
        ledger.record(batch(gone, said(1), said(4), checkpoint=row))
        assert ids(ledger) == ["1", "w", "4"]
        assert ids(ledger, "t") == ["x"]
        ledger.record(batch(said(1), said(2), said(4), checkpoint=row))
        assert ids(ledger) == ["1", "2", "w", "4"]

    def test_by_a_log_read_for_the_first_time_in_steps_is_nothing(self, ledger):
        ledger.record(batch(said(1), said(2)))
        ledger.record(batch(Withdrawn(since=None, **common("w")), said(3)))
        assert ids(ledger) == ["1", "2", "w", "3"]

    def test_of_another_transcript_of_the_session_stays(self, ledger):
        ledger.record(batch(said("sub"), path=Path("/logs/sub")))
        ledger.record(batch(said(1), said(2)))
        ledger.record(batch(said(1), Withdrawn(since=None, **common("w")), again=True))
        assert ids(ledger) == ["sub", "1", "w"]


class TestSessions:
    def reduced(self):
        session, _ = reduced(
            started("st", 0, cwd="/repo", branch="main", client_version="1.2", model="m1"),
            user("u", 1),
            agent("m", 2),
            compaction("c", 3),
            Usage(context_tokens=50, window_tokens=200, **common("g")),
            SessionTitled(title="about tabs", **common("t")),
        )
        return session

    def test_a_session_is_taken_up_as_its_reducer_left_it(self, ledger):
        session = self.reduced()
        ledger.record(batch(sessions=[SessionRow.of(session)]))
        assert ledger.session("a", "s") == session
        assert ledger.session("a", "other") is None

    def test_a_row_says_what_status_shows(self, ledger):
        row = SessionRow.of(self.reduced(), "live", "recent event")
        ledger.record(batch(sessions=[row]))
        (shown,) = ledger.sessions()
        assert shown == msgspec.structs.replace(row, body=b"")
        assert (shown.cwd, shown.branch, shown.title, shown.model) == (
            "/repo",
            "main",
            "about tabs",
            "m1",
        )
        assert (shown.turns, shown.compactions) == (1, 1)
        assert (shown.context_tokens, shown.window_tokens, shown.context_percent) == (50, 200, 25.0)
        assert (shown.started, shown.last_event) == (at(0), at(3))

    def test_the_newest_comes_first_and_those_nobody_spoke_in_are_left_out(self, ledger):
        rows = [
            SessionRow(agent="a", id="old", last_event=at(1), spoken=True),
            SessionRow(agent="a", id="new", last_event=at(9), spoken=True),
            SessionRow(agent="a", id="timeless", spoken=True),
            SessionRow(agent="b", id="other", last_event=at(5), spoken=True),
            SessionRow(agent="a", id="empty", last_event=at(20)),
        ]
        ledger.record(batch(sessions=rows))
        assert [row.id for row in ledger.sessions()] == ["new", "other", "old", "timeless"]
        assert [row.id for row in ledger.sessions(2)] == ["new", "other"]
        assert [row.id for row in ledger.sessions(agent="b")] == ["other"]
        assert ledger.sessions(empty=True)[0].id == "empty"

    def test_a_state_stays_until_another_one_is_told(self, ledger):
        ledger.record(
            batch(sessions=[SessionRow(agent="a", id="s", state="live", state_reason="p")])
        )
        ledger.record(batch(sessions=[SessionRow(agent="a", id="s", turns=2)]))
        assert ledger.sessions(empty=True)[0].state == "live"
        ledger.set_states([(("a", "s"), "ended", "silence")])
        (row,) = ledger.sessions(empty=True)
        assert (row.state, row.state_reason, row.turns) == ("ended", "silence", 2)

    def test_open_sessions_are_known_with_the_transcript_they_are_read_from(self, ledger):
        rows = [SessionRow(agent="a", id=name, state=name) for name in ("live", "ended", "crashed")]
        ledger.record(batch(sessions=[*rows, SessionRow(agent="a", id="untold")]))
        expected = {("a", "live"): (LOG, "notes"), ("a", "untold"): (LOG, "notes")}
        assert ledger.open_sessions() == expected
        ledger.save_sessions([SessionRow(agent="a", id="live", state="ended")])
        assert ledger.open_sessions() == {("a", "untold"): (LOG, "notes")}

    def test_a_body_of_an_older_form_means_a_new_session(self, ledger):
        ledger.record(batch(sessions=[SessionRow(agent="a", id="s", body=b"\xc1 no msgpack")]))
        assert ledger.session("a", "s") is None


class TestCounts:
    def test_of_an_agent(self, ledger, clock):
        odd = [
            Unknown(record_kind="odd", client_version="1.0", **common("k1")),
            Unknown(record_kind="odd", client_version="1.0", **common("k2")),
            Unknown(record_kind="odd", client_version="1.1", **common("k3")),
            Unparsed(reason="torn record", **common("k4")),
        ]
        row = SessionRow(agent="a", id="s", state="live", last_event=at(7), spoken=True)
        ledger.record(batch(said(1), *odd, records=9, behind=25, sessions=[row]))
        ledger.record(batch(said(2), records=3, path=Path("/logs/two"), offset=50))
        (counts,) = ledger.agents()
        assert (counts.agent, counts.sessions, counts.live) == ("a", 1, 1)
        assert counts.states == {"live": 1}
        assert counts.last_event == at(7)
        assert (counts.transcripts, counts.gone, counts.bytes, counts.behind) == (2, 0, 150, 25)
        assert (counts.records, counts.unknown, counts.damaged) == (12, 3, 1)
        assert counts.read_at == counts.understood_at == clock.now
        assert [(o.what, o.kind, o.client_version, o.number) for o in ledger.oddities()] == [
            ("unknown", "odd", "1.0", 2),
            ("unknown", "odd", "1.1", 1),
            ("damaged", "torn record", "", 1),
        ]

    def test_of_a_log_read_anew_begin_anew(self, ledger):
        odd = Unknown(record_kind="odd", **common("k"))
        ledger.record(batch(said(1), odd, records=5))
        ledger.record(batch(said(1), records=2, again=True))
        ledger.record(batch(odd, records=1))
        (counts,) = ledger.agents()
        assert (counts.records, counts.unknown) == (3, 1)
        assert [oddity.number for oddity in ledger.oddities()] == [1]

    def test_kinds_invented_without_end_are_counted_together(self, ledger):
        odd = [
            Unknown(record_kind=f"k{n}" * 99, **common(f"e{n}"))
            for n in range(2 * KINDS_REMEMBERED)
        ]
        ledger.record(batch(*odd[:50]))
        ledger.record(batch(*odd[50:]))
        found = ledger.oddities()
        assert len(found) == KINDS_REMEMBERED + 1
        assert found[0].kind == "others"
        assert sum(oddity.number for oddity in found) == 2 * KINDS_REMEMBERED

    def test_transcripts_found_but_not_read_are_behind(self, ledger):
        two = Path("/logs/two")
        ledger.found([Found(LOG, "notes", "a", 70), Found(two, "notes", "a", 30)])
        assert ledger.checkpoint(LOG) is None
        assert ledger.agents()[0].behind == 100
        ledger.record(batch(said(1), offset=70))
        assert ledger.agents()[0].behind == 30
        ledger.found([Found(LOG, "notes", "a", 90), Found(two, "notes", "a", 30)])
        assert ledger.agents()[0].behind == 50

    def test_a_deleted_log_takes_nothing_of_what_was_learned(self, ledger):
        row = SessionRow(agent="a", id="s", spoken=True)
        ledger.record(batch(said(1), sessions=[row], behind=10))
        ledger.gone([LOG])
        (counts,) = ledger.agents()
        assert (counts.transcripts, counts.gone, counts.bytes, counts.behind) == (1, 1, 0, 0)
        assert ids(ledger) == ["1"]
        assert [shown.id for shown in ledger.sessions()] == ["s"]
        assert ledger.checkpoint(LOG) == checkpoint(100)
        assert list(ledger.checkpoints()) == []

    def test_a_log_that_comes_back_is_there_again(self, ledger):
        ledger.record(batch(said(1)))
        ledger.gone([LOG])
        ledger.record(batch(said(2)))
        assert ledger.agents()[0].gone == 0

    def test_a_log_that_grows_without_being_understood_is_told(self, ledger, clock):
        began = clock.now
        ledger.record(batch(said(1)))
        assert ledger.unread() == []
        clock.now += 100
        ledger.record(batch(Unknown(record_kind="new", **common("k"))))
        clock.now += 600
        ledger.record(batch(records=3))
        (unread,) = ledger.unread()
        assert (unread.path, unread.since, unread.read_at) == (LOG, began + 100, began + 700)
        ledger.record(batch(said(2)))
        assert ledger.unread() == []


class TestFailures:
    def test_a_file_set_aside_is_told_until_something_of_it_is_read(self, ledger, clock):
        began = clock.now
        ledger.set_aside(LOG, "not permitted", 10, 20)
        clock.now += 60
        ledger.set_aside(LOG, "input/output error", 11, 21)
        (failure,) = ledger.failures()
        assert (failure.path, failure.reason, failure.times) == (LOG, "input/output error", 2)
        assert (failure.size, failure.mtime_ns) == (11, 21)
        assert (failure.since, failure.at) == (began, clock.now)
        ledger.record(batch(said(1)))
        assert ledger.failures() == []

    def test_size_and_time_are_looked_up_where_they_are_not_given(self, ledger, tmp_path):
        log = tmp_path / "log"
        log.write_bytes(b"12345")
        ledger.set_aside(log, "odd")
        ledger.set_aside(tmp_path / "missing", "gone")
        found = {failure.path.name: failure for failure in ledger.failures()}
        assert (found["log"].size, found["log"].mtime_ns) == (5, log.stat().st_mtime_ns)
        assert (found["missing"].size, found["missing"].mtime_ns) == (0, 0)

    def test_is_forgiven_or_gone(self, ledger):
        for name in ("x", "y"):
            ledger.set_aside(Path(name), "odd", 1, 1)
        ledger.forgive(Path("x"))
        ledger.gone([Path("y")])
        assert ledger.failures() == []


class TestFacts:
    def test_the_heartbeat_is_the_last_one(self, ledger):
        assert ledger.heartbeat() is None
        beat = Heartbeat(pid=1, version="0.1", started=1.0, tick=2.0, reason="why")
        ledger.beat(msgspec.structs.replace(beat, tick=1.0))
        ledger.beat(beat)
        assert ledger.heartbeat() == beat

    def test_facts_are_kept_by_name(self, ledger):
        assert ledger.meta("x") is None
        ledger.set_meta("x", "1")
        ledger.set_meta("x", "2")
        assert ledger.meta("x") == "2"

    def test_pausing_outlives_the_daemon(self, path):
        with Ledger.open(path) as ledger:
            assert not ledger.paused()
            ledger.pause(paused=True)
        with Ledger.open(path) as ledger:
            assert ledger.paused()
            ledger.pause(paused=False)
            assert not ledger.paused()


class TestSecrets:
    def test_no_text_field_of_any_event_brings_a_secret_into_the_ledger(self, path):
        dirty = f"x {SECRET} y"
        events = [
            started("e1", cwd=dirty, branch=dirty, model=dirty),
            user("e2", text=dirty),
            agent("e3", text=dirty),
            ToolCall(
                call="c", name="bash", command=dirty, paths=(dirty,), excerpt=dirty, **common("e4")
            ),
            QuestionAnswered(
                question=dirty,
                options=(Option(dirty, dirty),),
                chosen=(dirty,),
                text=dirty,
                **common("e5"),
            ),
            PlanDecided(approved=True, plan=dirty, choice=dirty, **common("e6")),
            Compaction(summary=dirty, instructions=dirty, cause=dirty, **common("e7")),
            ContextInjected(source="hook", text=dirty, name=dirty, **common("e8")),
            ContextFileLoaded(path=dirty, text=dirty, **common("e9")),
            SessionTitled(title=dirty, **common("e10")),
            UserMessage(text="ok", attachments=(dirty,), **common("e11")),
        ]
        session, _ = reduced(*events)
        state = msgspec.msgpack.encode({"pending": {dirty: [dirty, 5]}, "n": 1})
        with Ledger.open(path) as ledger:
            ledger.record(
                batch(
                    *events,
                    checkpoint=checkpoint(5, state=state),
                    sessions=[SessionRow.of(session)],
                )
            )
            ledger.set_aside(Path("/x"), "odd", 1, 1)
            kept = list(ledger.events(("a", "s")))
            point = ledger.checkpoint(LOG)
            assert all_bytes(path.parent).count(b"e10") > 0
            assert SECRET.encode() not in all_bytes(path.parent)
        assert SECRET.encode() not in all_bytes(path.parent)
        assert kept[1].text == f"x {SAFE} y"
        assert kept[4].options == (Option(f"x {SAFE} y", f"x {SAFE} y"),)
        assert msgspec.msgpack.decode(point.state) == {
            "pending": {f"x {SAFE} y": [f"x {SAFE} y", 5]},
            "n": 1,
        }

    def test_marks_of_pasted_text_move_with_the_words(self, ledger):
        text = f"look: {SECRET} and <pasted>"
        start = text.index("<pasted>")
        ledger.record(batch(said(1, text, pasted=(Paste(start, len(text), path="/p"),))))
        (kept,) = ledger.events(("a", "s"))
        (paste,) = kept.pasted
        assert kept.text == f"look: {SAFE} and <pasted>"
        assert kept.text[paste.start : paste.end] == "<pasted>"

    def test_a_paste_behind_the_bound_is_marked_up_to_it(self, ledger):
        text = "y" * TEXT_CHARS + "pasted"
        ledger.record(batch(said(1, text, pasted=(Paste(3, len(text)),))))
        (kept,) = ledger.events(("a", "s"))
        assert kept.pasted == (Paste(3, TEXT_CHARS),)

    def test_a_key_that_begins_before_the_bound_is_known_by_what_follows(self, ledger):
        key = "-----BEGIN PRIVATE KEY-----\n" + "abCD12" * 400 + "\n-----END PRIVATE KEY-----"
        ledger.record(batch(said(1, "z" * (TEXT_CHARS - 100) + key)))
        assert texts(ledger) == ["z" * (TEXT_CHARS - 100) + "[redacted:private-key]"]


class TestReading:
    def test_while_the_writer_is_at_work(self, ledger, path):
        ledger.record(batch(said(1)))
        with Ledger.reader(path) as reader:
            assert ids(reader) == ["1"]
            ledger.record(batch(said(2)))
            assert ids(reader) == ["1", "2"]

    def test_after_the_writer_is_gone(self, path):
        with Ledger.open(path) as ledger:
            ledger.record(batch(said(1)))
        with Ledger.reader(path) as reader:
            assert ids(reader) == ["1"]

    def test_writes_nothing_and_cannot(self, ledger, path):
        ledger.record(batch(said(1)))
        with Ledger.reader(path) as reader, pytest.raises(sqlite3.OperationalError):
            reader._connection.execute("DELETE FROM events")

    def test_says_so_when_there_is_no_ledger(self, path):
        with pytest.raises(NoLedgerError) as caught:
            Ledger.reader(path)
        assert "`ctxd run`" in caught.value.hint
        assert not path.exists()

    def test_says_so_when_the_file_is_something_else(self, path):
        path.parent.mkdir()
        path.write_bytes(b"not a database at all" * 99)
        with pytest.raises(NoLedgerError):
            Ledger.reader(path)
        with closing(sqlite3.connect(path.with_name("other"))) as other:
            other.execute("CREATE TABLE x (y)")
        with pytest.raises(NoLedgerError):
            Ledger.reader(path.with_name("other"))

    def test_of_every_kind_of_answer_works_on_an_empty_ledger(self, ledger, path):
        with Ledger.reader(path) as reader:
            empty = [reader.agents(), reader.sessions(), reader.failures(), reader.unread()]
            empty += [reader.oddities(), list(reader.checkpoints()), reader.compactions(("a", "s"))]
            assert empty == [[]] * 7
            assert reader.heartbeat() is reader.rebuilt() is reader.meta("x") is None
            assert reader.open_sessions() == {}


class TestOpening:
    def test_the_folder_and_the_files_are_the_users_alone(self, path):
        before = os.umask(0)
        try:
            with Ledger.open(path) as ledger:
                ledger.record(batch(said(1)))
                found = list(path.parent.iterdir())
                modes = {stat.S_IMODE(file.stat().st_mode) for file in found}
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert len(found) == 4
        assert modes == {0o600}

    def test_a_second_writer_is_refused_while_the_first_is_open(self, ledger, path):
        with pytest.raises(LedgerInUseError) as caught:
            Ledger.open(path)
        assert caught.value.hint
        ledger.record(batch(said(1)))
        ledger.close()
        with Ledger.open(path) as second:
            assert ids(second) == ["1"]

    def test_a_newer_ledger_is_refused_and_not_touched(self, path):
        with Ledger.open(path) as ledger:
            ledger._connection.execute("PRAGMA user_version = 999")
        before = path.read_bytes()
        for way in (Ledger.open, Ledger.reader):
            with pytest.raises(LedgerVersionError) as caught:
                way(path)
            assert "newer" in caught.value.message
        assert path.read_bytes() == before
        assert list(path.parent.glob("*corrupt*")) == []

    def test_an_older_ledger_cannot_be_read_before_it_is_brought_up_to_date(
        self, path, monkeypatch
    ):
        Ledger.open(path).close()
        monkeypatch.setattr(opening, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE later (x)",)))
        with pytest.raises(LedgerVersionError) as caught:
            Ledger.reader(path)
        assert "older" in caught.value.message

    def test_another_program_that_holds_a_lock_delays_nothing_for_long(self, ledger, path):
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(LedgerUnavailableError) as caught:
                ledger.record(batch(said(1)))
            assert "locked" in caught.value.message
            other.execute("ROLLBACK")
        assert ledger.record(batch(said(1))) == 1


class TestDamage:
    def test_what_is_no_database_is_kept_aside_and_said(self, path, clock):
        path.parent.mkdir()
        path.write_bytes(b"rubbish" * 1000)
        with Ledger.open(path, clock) as ledger:
            rebuilt = ledger.rebuilt()
            assert ledger.agents() == []
        assert rebuilt.at == clock.now
        assert "not a database" in rebuilt.why
        assert Path(rebuilt.aside).read_bytes() == b"rubbish" * 1000
        assert Path(rebuilt.aside).name == "ledger.corrupt-20270115T080000Z"

    def test_an_emptied_file_is_said_too(self, path):
        with Ledger.open(path) as ledger:
            ledger.record(batch(said(1)))
        path.write_bytes(b"")
        with Ledger.open(path) as ledger:
            assert "empty" in ledger.rebuilt().why
            assert ledger.checkpoint(LOG) is None

    def test_another_programs_database_is_not_written_into(self, path):
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE theirs (x)")
        before = path.read_bytes()
        with Ledger.open(path) as ledger:
            aside = Path(ledger.rebuilt().aside)
        assert aside.read_bytes() == before

    def test_found_while_in_use_begins_anew_and_says_so_to_the_caller(self, path, clock):
        with Ledger.open(path, clock) as ledger:
            for number in range(400):
                ledger.record(batch(said(number, "text " * 50)))
            ledger._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            size = path.stat().st_size
            with path.open("r+b") as file:
                file.seek(4096)
                file.write(os.urandom(size - 4096))
            ledger._connection.execute("PRAGMA shrink_memory")
            with pytest.raises(LedgerRebuiltError) as caught:
                ledger.record(batch(*(said(number) for number in range(500))))
            assert "corrupt" in caught.value.hint
            assert ledger.checkpoint(LOG) is None
            assert ledger.record(batch(said(1))) == 1
            assert Path(ledger.rebuilt().aside).stat().st_size >= size
        assert integrity(path) == "ok"

    @pytest.mark.parametrize("replaced", [False, True], ids=["deleted", "replaced"])
    def test_a_file_taken_away_while_in_use_is_noticed_at_once(self, path, replaced):
        with Ledger.open(path) as ledger:
            ledger.record(batch(said(1)))
            path.unlink()
            if replaced:
                with closing(sqlite3.connect(path)) as other:
                    other.execute("PRAGMA application_id = 0x63747864")
            with pytest.raises(LedgerRebuiltError):
                ledger.record(batch(said(2)))
            assert "while in use" in ledger.rebuilt().why
            assert ledger.record(batch(said(3))) == 1
            assert ids(ledger) == ["3"]
        assert integrity(path) == "ok"

    def test_the_folder_taken_away_while_in_use_comes_back(self, path):
        with Ledger.open(path) as ledger:
            shutil.rmtree(path.parent)
            with pytest.raises(LedgerRebuiltError):
                ledger.record(batch(said(1)))
            assert ledger.record(batch(said(2))) == 1
            assert ids(ledger) == ["2"]

    def test_what_cannot_be_begun_anew_now_is_later(self, path):
        with Ledger.open(path) as ledger:
            shutil.rmtree(path.parent)
            path.parent.write_bytes(b"in the way")
            for _ in range(2):
                with pytest.raises(LedgerUnavailableError):
                    ledger.record(batch(said(1)))
            path.parent.unlink()
            with pytest.raises(LedgerRebuiltError):
                ledger.checkpoint(LOG)
            assert ledger.record(batch(said(2))) == 1

    def test_what_is_sound_at_a_second_look_is_not_put_aside(self, ledger, path):
        ledger.record(batch(said(1)))
        seeming = sqlite3.DatabaseError("database disk image is malformed")
        seeming.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        for _ in range(SUSPICIONS - 1):
            assert isinstance(ledger._judged(seeming), LedgerUnavailableError)
            assert ids(ledger) == ["1"]
        assert ledger.record(batch(said(2))) == 1
        for _ in range(SUSPICIONS - 1):
            assert isinstance(ledger._judged(seeming), LedgerUnavailableError)
        assert isinstance(ledger._judged(seeming), LedgerRebuiltError)
        assert Path(ledger.rebuilt().aside).exists()

    def test_a_kill_between_putting_aside_and_beginning_anew_is_said_too(self, path):
        path.parent.mkdir()
        aside = path.with_name("ledger.corrupt-20260101T000000Z")
        aside.write_bytes(b"rubbish")
        with Ledger.open(path) as ledger:
            assert ledger.rebuilt().aside == str(aside)
        with Ledger.open(path) as ledger:
            assert ledger.rebuilt().aside == str(aside)

    def test_only_the_latest_damaged_ledgers_are_kept(self, path, clock):
        path.parent.mkdir()
        for number in range(5):
            clock.now += 1
            path.write_bytes(b"%d" % number * 200)
            Ledger.open(path, clock).close()
        kept = sorted(found.read_bytes()[:1] for found in path.parent.glob("*corrupt*"))
        assert kept == [b"2", b"3", b"4"]

    def test_two_in_one_second_are_both_kept(self, path, clock):
        path.parent.mkdir()
        for _ in range(2):
            path.write_bytes(b"rubbish" * 100)
            Ledger.open(path, clock).close()
        assert len(list(path.parent.glob("*corrupt*"))) == 2


def test_a_session_of_the_real_reducer_is_stored_with_its_window(ledger):
    session, _ = reduced(*(user(f"u{n}", n) for n in range(50)), call("c"), agent("m"))
    ledger.record(batch(sessions=[SessionRow.of(session)]))
    assert ledger.session("a", "s").window == session.window
    assert isinstance(ledger.session("a", "s"), Session)


def test_times_come_back_in_utc_to_the_microsecond(ledger):
    time = datetime(2026, 5, 4, 3, 2, 1, 123456, UTC)
    ledger.record(batch(said(1, time=time), sessions=[SessionRow(agent="a", id="s", started=time)]))
    assert ledger.sessions(empty=True)[0].started == time
    assert next(ledger.events(("a", "s"))).time == time
