"""Sessions that agents keep of having been a reader are none of the user's, in any agent's store.

The logs are real ones of agents that were run headless, in which the working directory, the first
words or both are made those of a reader's session.
"""

import json
import shutil
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from ctxd.counting import Counting
from ctxd.hooks.giving import Asked, Gifts, gifts
from ctxd.ledger import Judgement, Ledger, SessionRow
from ctxd.overhearing import Overhearing
from ctxd.own_sessions import OwnSessions
from ctxd.pipeline import Pipeline
from ctxd.reader.own import FOLDER, MARK, is_own
from ctxd.scanning import Find, Reading
from ctxd.session import Session, advance
from ctxd.session_overview import merge, overviews
from ctxd_parsers.discovery import transcripts_under
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    SessionTitled,
    ToolCall,
    UserMessage,
    WorkspaceChanged,
)
from ctxd_parsers.reading import read_events
from made_items import item
from session_events import NOON, started, user

CASES = Path(__file__).parent.parent / "parsers"
READERS_FOLDER = f"/home/dev/.local/state/ctxd/{FOLDER}/call"
QUESTION = f"{MARK}\nRead the exchanges below. We must never use numpy."


class Log(NamedTuple):
    """A log of a headless agent."""

    case: str
    cwd: str
    first_words: str


LOGS = [
    Log("claude-code/2.1.332/print_compact", "/tmp/demo/print_compact", "We must never use numpy."),
    Log("copilot-cli/1.0.102/prompt_mode", "/home/dev/shop", "first prompt"),
    Log("codex/0.171.0/exec", "/home/dev/work/myproj", "Use SQLite, not Postgres"),
    Log("gemini-cli/0.61.0/headless_basic", "/tmp/ctxdfix/gemini/work/myproj", "Use SQLite, not"),
]
SIGNS = ["folder", "words", "both"]


def make(log, sign, folder):
    """The log as it is when a reader was asked."""
    shutil.copytree(CASES / log.case / "log", folder)
    for file in folder.rglob("*"):
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            if sign in ("folder", "both"):
                text = text.replace(log.cwd, READERS_FOLDER)
            if sign in ("words", "both"):
                text = text.replace(log.first_words, json.dumps(QUESTION)[1:-1] + log.first_words)
            file.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(params=LOGS, ids=lambda log: log.case.partition("/")[0])
def log(request):
    return request.param


@pytest.fixture(params=SIGNS)
def own(log, request, tmp_path):
    """A store with a reader's session in it."""
    return make(log, request.param, tmp_path / "store")


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3") as opened:
        yield opened


def follow(ledger, store, budget=4096):
    """Read all logs of a store in small steps; return what it did that others hear of."""
    pipeline, heard = Pipeline(ledger, time.time), []
    for transcript in transcripts_under(store):
        more = True
        while more:
            progress = pipeline.advance(transcript, budget)
            heard += [*progress.signals, *progress.pending]
            more = progress.more
    while pipeline.understanding.step():
        pass
    heard += pipeline.refresh()
    return pipeline, heard


def keys(store):
    return {
        (event.agent, event.session)
        for transcript in transcripts_under(store)
        for event in read_events(transcript)
    }


def scanned(store):
    """What a scan counts, and the sessions it lists."""
    counts, parts = [], []
    for job in Find.under([store]).jobs:
        counts.append(Counting(whole=True)(Reading(job, lambda _: None)))
        parts += overviews(Reading(job, lambda _: None))
    return counts, merge(parts)


def test_the_same_logs_without_any_sign_are_the_users(log, ledger, tmp_path):
    store = make(log, "none", tmp_path / "store")
    follow(ledger, store)
    [row] = ledger.sessions()
    assert row.turns
    counts, sessions = scanned(store)
    assert sum(one.user_messages for one in counts) >= 1
    assert len(sessions) == 1


def test_nothing_of_a_readers_session_is_kept_or_judged(own, ledger):
    pipeline, heard = follow(ledger, own)
    assert {type(one).__name__ for one in heard} <= {"SessionBegan"}
    assert ledger.pending() == []
    assert ledger.items(statuses=()) == []
    assert ledger.boundaries_waiting(9) == []
    for key in keys(own):
        assert list(ledger.events(key, (UserMessage, AssistantMessage, ToolCall, Compaction))) == []
    assert pipeline.open_sessions == 0


def test_no_word_of_a_readers_session_is_in_the_ledger(own, ledger, log):
    follow(ledger, own)
    bodies = ledger._rows("SELECT body FROM events")
    assert not [body for (body,) in bodies if log.first_words.encode() in (body or b"")]
    assert ledger._rows("SELECT count(*) FROM item_events") == [(0,)]


def test_nothing_is_known_of_a_readers_session_but_that_it_is_one():
    session = Session("a", "s")
    for event in (
        SessionTitled(agent="a", session="s", id="t1", title="Never use numpy"),
        user("u1", 1, text=QUESTION),
        SessionTitled(agent="a", session="s", id="t2", title="Never use numpy"),
    ):
        assert advance(session, event) == []
    assert (session.own, session.title, session.talk.ids()) == (True, None, frozenset())
    assert not SessionRow.of(session).spoken


def test_a_readers_session_is_neither_listed_nor_counted_in_the_ledger(own, ledger):
    follow(ledger, own)
    assert ledger.sessions() == []
    assert [agent.sessions for agent in ledger.agents()] == [0]
    assert ledger.session_folders() == []
    assert ledger.unread() == []
    assert ledger.open_sessions() == {}


def test_a_readers_session_that_is_read_byte_by_byte_or_again_is_known_as_well(own, ledger):
    follow(ledger, own, budget=64)
    with ledger._transaction() as connection:
        connection.execute("UPDATE transcripts SET checkpoint = NULL")
    _, heard = follow(ledger, own)
    assert heard == []
    assert ledger.sessions() == []
    assert ledger.pending() == []


def test_a_scan_neither_counts_nor_lists_a_readers_session(own):
    counts, sessions = scanned(own)
    assert sessions == []
    for one in counts:
        assert (one.user_messages, one.compactions, one.sessions) == (0, 0, set())
        assert one.items == {}
        assert one.uncovered == {}
        assert not one.silent


def test_a_readers_session_of_any_size_is_not_taken_for_a_broken_log(log, tmp_path):
    store = make(log, "both", tmp_path / "store")
    for transcript in transcripts_under(store):
        text = transcript.path.read_text(encoding="utf-8")
        long = json.dumps(QUESTION + " and so on" * 20_000)[1:-1]
        transcript.path.write_text(text.replace(json.dumps(QUESTION)[1:-1], long), encoding="utf-8")
    counts, _ = scanned(store)
    assert [one.silent for one in counts] == [False] * len(counts)


def test_a_users_session_beside_it_stays(log, own, ledger, tmp_path):
    follow(ledger, own)
    other = LOGS[LOGS.index(log) - 1]
    beside = make(other, "none", tmp_path / "beside")
    follow(ledger, beside)
    assert {(row.agent, row.id) for row in ledger.sessions()} == keys(beside)


def test_hooks_of_a_readers_session_are_not_answered(own, ledger, tmp_path):
    follow(ledger, own)
    folder = tmp_path / "repo"
    folder.mkdir()
    work = item("move the shop to SQLite", kind="intent")
    ledger.settle([Judgement(key=("a", "s", "u1"), repository=str(folder), items=[work])])
    ledger.save_sessions([SessionRow.of(Session("a", "s", cwd=str(folder)))])

    def told(moment, asking):
        facts = {"moment": moment, "keys": sorted(asking), "cwd": str(folder), "now": NOON}
        return gifts(ledger, Asked(**facts))

    assert [gift.state.text for gift in told("session_started", [("a", "new")]).items] == [
        work.text
    ]
    for moment in ("session_started", "prompt_submitted", "before_compaction", "after_compaction"):
        assert told(moment, keys(own)) == Gifts()


# By single events


def test_who_goes_into_a_readers_folder_later_is_still_the_user():
    session = Session("a", "s")
    moved = WorkspaceChanged(agent="a", session="s", id="w", cwd=READERS_FOLDER)
    for event in (started("st", 0, cwd="/repo"), user("u1", 1, text="fix it"), moved):
        advance(session, event)
    assert not session.own
    assert session.cwd == READERS_FOLDER


def test_who_pastes_what_a_reader_was_asked_is_still_the_user():
    session = Session("a", "s")
    advance(session, user("u1", 1, text="what does this do?"))
    advance(session, user("u2", 2, text=QUESTION))
    assert not session.own


def test_a_session_that_was_found_to_be_a_readers_stays_one():
    session = Session("a", "s")
    for event in (user("u1", 1, text=QUESTION), user("u2", 2, text="and now?")):
        advance(session, event)
    assert session.own


def test_what_a_sub_agent_is_told_makes_no_session_a_readers():
    session = Session("a", "s")
    advance(session, user("x1", 1, text=QUESTION, sub_agent="x"))
    advance(session, user("u1", 2, text="fix it"))
    assert not session.own


def test_a_log_of_many_sessions_is_told_apart_with_bounded_memory(monkeypatch):
    monkeypatch.setattr("ctxd.own_sessions.SESSIONS_TOLD_APART", 5)
    sessions = OwnSessions()
    for number in range(50):
        text = QUESTION if number % 2 else "fix it"
        assert sessions.take(user("u", 0, session=f"s{number}", text=text)) == bool(number % 2)
    assert len(sessions._own) == 5
    assert sessions.is_any


def test_whoever_goes_through_a_readers_session_in_the_ledger_finds_no_exchange(own, ledger):
    follow(ledger, own)
    for key in keys(own):
        hearing = Overhearing()
        found = [said for event in ledger.events(key) for said in hearing.take(event)]
        assert [*found, *hearing.rest()] == []


@pytest.mark.parametrize(
    ("cwd", "words"),
    [
        (READERS_FOLDER, None),
        (f"/x/{FOLDER}", "anything"),
        (rf"C:\\Users\\dev\\AppData\\Local\\ctxd\\{FOLDER}\\call", None),
        (None, QUESTION),
        ("/repo", f"\n  {MARK}  \nRead"),
        ("/repo", MARK),
        ("/repo", "[ctxd reader 27]\r\nRead"),
    ],
)
def test_either_sign_is_enough(cwd, words):
    assert is_own(cwd, words)


@pytest.mark.parametrize(
    ("cwd", "words"),
    [
        (None, None),
        ("", ""),
        ("/work/ctxd/reader", "fix it"),
        (f"/work/my-{FOLDER}", "fix it"),
        ("/repo", f"look at {MARK}"),
        ("/repo", f"{MARK} is what it begins with"),
        ("/repo", "[ctxd reader]\nRead"),
        ("/repo", "\n" * 200_000),
    ],
)
def test_the_users_own_sessions_have_neither(cwd, words):
    assert not is_own(cwd, words)
