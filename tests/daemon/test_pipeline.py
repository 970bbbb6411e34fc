"""From changed logs to the ledger: nothing twice, nothing half, forks and rewinds as meant."""

import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from ctxd.ledger import Ledger, LedgerUnavailableError
from ctxd.ledger.keeping import is_kept
from ctxd.pipeline import Pipeline
from ctxd.signals import CompactionHappened, SessionBegan, SessionClosed
from ctxd.understanding import Understanding
from ctxd_parsers.discovery import transcripts_under
from ctxd_parsers.reading import distinct, read_events

CASES = Path(__file__).parent.parent / "parsers"
CLAUDE = CASES / "claude-code" / "2.1.332"
COPILOT = CASES / "copilot-cli" / "1.0.102"


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3") as ledger:
        yield ledger


def follow(ledger, logs, budget=4096):
    """Read all logs below a folder in small steps, and return the signals."""
    pipeline, signals = Pipeline(ledger, time.time), []
    for transcript in transcripts_under(logs):
        while True:
            progress = pipeline.advance(transcript, budget)
            signals += progress.signals
            if not progress.more:
                break
    return signals


def stored(ledger):
    return {
        (row.agent, row.id): [
            event.id for event in ledger.events((row.agent, row.id), withdrawn=True)
        ]
        for row in ledger.sessions(empty=True)
    }


def expected(logs):
    found = {}
    for transcript in transcripts_under(logs):
        for event in distinct(read_events(transcript)):
            if is_kept(event):
                ids = found.setdefault((event.agent, event.session), [])
                if event.id not in ids:
                    ids.append(event.id)
    return found


@pytest.mark.parametrize(
    "case",
    [
        CLAUDE / "lifecycle",
        CLAUDE / "compact_auto",
        CLAUDE / "rewind",
        CLAUDE / "resume_fork",
        COPILOT / "subagents",
        COPILOT / "rewind_clear_new_fork",
        COPILOT / "auto_compact_background",
    ],
    ids=lambda case: case.name,
)
def test_what_is_kept_of_a_log_is_what_one_plain_reading_gives(ledger, case):
    follow(ledger, case / "log")
    assert {key: set(ids) for key, ids in stored(ledger).items() if ids} == {
        key: set(ids) for key, ids in expected(case / "log").items()
    }


def test_reading_everything_again_changes_nothing(ledger):
    follow(ledger, CLAUDE / "lifecycle" / "log")
    before = stored(ledger), ledger.sessions()
    assert follow(ledger, CLAUDE / "lifecycle" / "log") == []
    assert (stored(ledger), ledger.sessions()) == before


def test_a_compaction_is_signalled_once_with_the_window_before_it(ledger):
    signals = follow(ledger, CLAUDE / "compact_auto" / "log")
    compactions = [signal for signal in signals if isinstance(signal, CompactionHappened)]
    assert [signal.boundary.trigger for signal in compactions] == ["auto", "auto"]
    assert all(signal.window_before for signal in compactions)


def test_a_session_is_signalled_to_begin_and_to_end(ledger):
    kinds = [type(signal) for signal in follow(ledger, CLAUDE / "exit_slash" / "log")]
    assert kinds[0] is SessionBegan
    assert kinds[-1] is SessionClosed


def test_a_rewound_part_is_withdrawn_and_leaves_the_window(ledger):
    follow(ledger, CLAUDE / "rewind" / "log")
    [row] = ledger.sessions()
    key = (row.agent, row.id)
    texts = [getattr(event, "text", "") for event in ledger.events(key)]
    assert "Second: and we use Redis as cache." not in texts
    assert "Instead of Redis use an in-process LRU cache." in texts
    session = ledger.session(*key)
    withdrawn = {e.id for e in ledger.events(key, withdrawn=True)} - {
        e.id for e in ledger.events(key)
    }
    assert withdrawn
    assert withdrawn.isdisjoint(entry.id for entry in session.window.entries)


@pytest.mark.parametrize("parent_first", [True, False])
def test_a_fork_has_its_parents_words_in_its_window_but_not_as_its_turns(ledger, parent_first):
    """Whichever of the two is read first: an import begins with the newest."""
    logs = sorted((CLAUDE / "resume_fork" / "log").rglob("*.jsonl"), reverse=parent_first)
    for log in logs:
        follow(ledger, log)
    sessions = {row.id: row for row in ledger.sessions()}
    [fork] = [row for row in sessions.values() if row.parent]
    parent = sessions[fork.parent]
    assert (parent.turns, fork.turns) == (3, 1)
    shared = {event.id for event in ledger.events(("claude-code", parent.id))}
    window = ledger.session("claude-code", fork.id).window
    assert shared & {entry.id for entry in window.entries}


def test_a_store_that_fails_in_mid_step_leaves_nothing_half_done(ledger, tmp_path, monkeypatch):
    log = tmp_path / "logs"
    shutil.copytree(CLAUDE / "lifecycle" / "log", log)
    [transcript, *_] = transcripts_under(log)
    pipeline = Pipeline(ledger, time.time)
    record = ledger.record

    def fail(_batch):
        raise LedgerUnavailableError("no space left", "make room")

    monkeypatch.setattr(ledger, "record", fail)
    with pytest.raises(LedgerUnavailableError):
        pipeline.advance(transcript)
    assert ledger.checkpoint(transcript.path) is None
    monkeypatch.setattr(ledger, "record", record)
    pipeline.advance(transcript)
    with Ledger.open(tmp_path / "other.sqlite3") as other:
        Pipeline(other, time.time).advance(transcript)
        assert stored(other) == stored(ledger)
        assert [r.turns for r in other.sessions()] == [r.turns for r in ledger.sessions()]


def test_sessions_that_were_open_are_taken_up_by_the_next_daemon(ledger, tmp_path):
    original = next((CLAUDE / "compact_auto" / "log").rglob("*.jsonl"))
    copy = tmp_path / "logs" / original.name
    copy.parent.mkdir()
    lines = original.read_bytes().split(b"\n")
    copy.write_bytes(b"\n".join(lines[: len(lines) // 2]) + b"\n")
    [transcript] = transcripts_under(copy)
    then = max(e.time for e in read_events(transcript) if e.time).timestamp()
    Pipeline(ledger, lambda: then + 1).advance(transcript)
    heir = Pipeline(ledger, lambda: then + 365 * 86400)
    assert heir.open_sessions == 1
    signals = heir.refresh()
    assert [type(signal) for signal in signals][-1] is SessionClosed
    assert ledger.sessions()[0].state == "ended"


def test_the_ledger_stays_sound(ledger, tmp_path):
    follow(ledger, CLAUDE / "lifecycle" / "log")
    connection = sqlite3.connect(tmp_path / "ledger.sqlite3")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.parametrize("parent_first", [True, False])
def test_the_words_a_fork_began_with_are_judged_as_its_parents(ledger, parent_first):
    logs = sorted((CLAUDE / "resume_fork" / "log").rglob("*.jsonl"), reverse=parent_first)
    for log in logs:
        follow(ledger, log)
    judged = {}
    pipeline = Pipeline(ledger, time.time)
    pipeline.understanding = Understanding(
        ledger,
        lambda key: ledger.session(*key),
        time.time,
        lambda said: judged.setdefault(said.session, []).append(said.answer) or [],
    )
    while pipeline.understanding.step():
        pass
    assert ledger.pending() == []
    [fork] = [row for row in ledger.sessions() if row.parent]
    assert {session: len(answers) for session, answers in judged.items()} == {
        fork.parent: 3,
        fork.id: 1,
    }
