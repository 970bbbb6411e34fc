"""Logs that do not only grow: cut, replaced, rewritten, deleted, and kept in databases."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest

from ctxd.ledger.keeping import is_kept
from ctxd_parsers.discovery import transcripts_under
from ctxd_parsers.events import Compaction, UserMessage, Withdrawn
from ctxd_parsers.reading import read_events
from e2e.daemon import Daemon, wait_until
from e2e.homes import append, as_of_now, case, fresh, lines_of, put_beside

PROMISE_SECONDS = 5.0
CLAUDE_CODE = "claude-code/2.1.332/basic_tools_raw"
VSCODE = "copilot-vscode/operation-log/compactions_and_rewind"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    daemon = Daemon(tmp_path_factory.mktemp("rewrites")).start()
    yield daemon
    daemon.close()


def log_of(daemon, name=CLAUDE_CODE):
    """Where a log goes that nobody has seen before, and its lines."""
    lines = fresh(list(lines_of(case(name), daemon.home)))
    path = lines[0][0]
    path.parent.mkdir(parents=True, exist_ok=True)
    return path, [line for target, line in lines if target == path]


def told_by(path):
    """Agent, session and ids of what the file tells now, as far as it is kept."""
    (transcript,) = transcripts_under(path)
    events = [event for event in read_events(transcript) if is_kept(event)]
    return events[0].agent, events[0].session, list(dict.fromkeys(event.id for event in events))


def stored(daemon, path):
    agent, session, _ = told_by(path)
    return daemon.ids(agent, session)


def assert_told(daemon, path):
    """The ledger has what the file tells now, once and in order, and nothing of it is withdrawn."""
    daemon.flush()
    agent, session, ids = told_by(path)
    found = daemon.ids(agent, session)
    assert len(found) == len(set(found))
    assert [one for one in found if one in set(ids)] == ids


def cut_and_write_anew(path, lines):
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(b"".join(lines))


def cut_within_a_line(path, lines):
    size = len(b"".join(lines[:5])) - 20
    os.truncate(path, size)
    append(path, b"".join(lines)[size:])


def cut_and_grow_past_the_position(path, lines):
    """One write over the old bytes, other ones at the position, and more behind it."""
    with path.open("r+b") as file:
        file.write(b"".join(lines[:3] + lines[4:]))


def put_another_file_in_its_place(path, lines):
    other = path.with_name("other")
    other.write_bytes(b"".join(lines))
    other.replace(path)


def delete_and_make_again(path, lines):
    path.unlink()
    path.write_bytes(b"".join(lines))


def rewrite_with_the_old_times(path, lines):
    before = path.stat()
    put_another_file_in_its_place(path, lines)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        cut_and_write_anew,
        cut_within_a_line,
        cut_and_grow_past_the_position,
        put_another_file_in_its_place,
        delete_and_make_again,
        rewrite_with_the_old_times,
    ],
)
def test_whatever_happens_to_a_log_each_event_of_it_is_told_once(daemon, change):
    path, lines = log_of(daemon)
    append(path, b"".join(lines[: len(lines) // 2]))
    daemon.flush()
    before = stored(daemon, path)
    change(path, lines)
    daemon.flush()
    assert_told(daemon, path)
    assert set(before) <= set(stored(daemon, path)), "what was learned stays"


def test_a_log_that_is_deleted_leaves_what_was_learned_from_it(daemon):
    path, lines = log_of(daemon)
    append(path, b"".join(lines))
    daemon.flush()
    agent, session, ids = told_by(path)
    before = daemon.session(session)
    path.unlink()
    daemon.flush()
    assert daemon.ids(agent, session) == ids
    assert daemon.session(session).turns == before.turns


def test_a_last_line_that_only_lacks_its_newline_is_told_and_told_once(daemon):
    path, lines = log_of(daemon, "claude-code/2.1.332/user_feedback")
    (last,) = [n for n, line in enumerate(lines) if b'"user"' in line][-1:]
    append(path, b"".join(lines[:last]) + lines[last].rstrip(b"\n"))
    began = time.monotonic()
    agent, session, ids = told_by(path)
    wait_until(lambda: daemon.ids(agent, session) == ids, PROMISE_SECONDS, "the last line")
    assert time.monotonic() - began < PROMISE_SECONDS
    append(path, b"\n" + b"".join(lines[last + 1 :]))
    assert_told(daemon, path)


def lines_named(daemon, name, old, new):
    """A case's log under another session's name."""
    lines = [line for _, line in lines_of(case(name), daemon.home)]
    return b"".join(lines).replace(old.encode(), new.encode())


def test_a_rewind_that_rewrites_the_log_withdraws_what_it_took_back(daemon):
    before, after = (f"copilot-cli/1.0.102/rewind_{end}" for end in ("1_before", "2_after"))
    old = next(lines_of(case(before), daemon.home))[0].parent.name
    path, _ = log_of(daemon, before)
    path.write_bytes(lines_named(daemon, before, old, path.parent.name))
    daemon.flush()
    agent, session, first = told_by(path)
    assert daemon.ids(agent, session) == first
    path.write_bytes(lines_named(daemon, after, old, path.parent.name))
    daemon.flush()
    _, _, now = told_by(path)
    assert set(first) - set(now), "the case takes something back"
    assert set(daemon.ids(agent, session)) == set(now)
    assert set(daemon.ids(agent, session, withdrawn=True)) == set(first) | set(now)


def chat(name, session):
    """A chat of VS Code as it is in a case, under another session's name."""
    (path,) = (case(name) / "log" / "User").glob("workspaceStorage/*/chatSessions/*.jsonl")
    return path.read_bytes().replace(path.stem.encode(), session.encode())


def test_a_chat_whose_log_is_rewritten_as_a_whole_is_told_once(daemon):
    path, _ = log_of(daemon, VSCODE)
    append(path, chat(VSCODE, path.stem))
    daemon.flush()
    agent, session, ids = told_by(path)
    assert daemon.ids(agent, session, withdrawn=True) == ids
    path.write_bytes(chat("copilot-vscode/operation-log/rewritten", path.stem))
    daemon.flush()
    _, _, now = told_by(path)
    assert len(set(now) & set(ids)) > 20, "it tells the same again"
    found = daemon.ids(agent, session, withdrawn=True)
    assert len(found) == len(set(found))
    assert set(found) == set(ids) | set(now)
    standing = daemon.events(agent, session)
    assert {e.id for e in standing if not isinstance(e, Withdrawn)} == set(now)


OWNER = """
import json, sqlite3, sys, time
path, turns = sys.argv[1], int(sys.argv[2])
connection = sqlite3.connect(path, timeout=5, isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("PRAGMA busy_timeout = 0")
((rowid, value),) = connection.execute("SELECT rowid, value FROM conversations_v2 WHERE rowid = 1")
row = json.loads(value)
history = row["history"]
slowest = 0.0
for turn in range(turns):
    copy = json.loads(json.dumps(history[0]))
    copy["user"]["content"] = {"Prompt": {"prompt": f"live words {turn}"}}
    copy["assistant"]["Response"]["message_id"] = f"live-{turn}"
    row["history"].append(copy)
    began = time.monotonic()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        "UPDATE conversations_v2 SET value = ?, updated_at = ? WHERE rowid = 1",
        (json.dumps(row), int(time.time() * 1000)),
    )
    connection.execute("COMMIT")
    slowest = max(slowest, time.monotonic() - began)
    time.sleep(0.02)
print(slowest)
"""


def database(daemon, client):
    source = case("kiro/v1-sqlite/webhook_retries") / "log/.local/share/kiro-cli/data.sqlite3"
    path = daemon.home / ".local/share" / client / "data.sqlite3"
    path.parent.mkdir(parents=True, exist_ok=True)
    copy = path.with_name("copy")
    copy.write_bytes(source.read_bytes())
    copy.replace(path)
    daemon.flush()
    return path


def live_words(daemon):
    found = daemon.events("kiro-cli", "24c82315-0cf5-513f-bde8-40da7a963916")
    return [e.text for e in found if isinstance(e, UserMessage) and "live words" in e.text]


def test_a_database_is_followed_while_its_owner_writes_and_never_feels_it(daemon):
    """Its owner waits for no lock at all: one that we held would fail it at once."""
    path = database(daemon, "kiro-cli")
    owner = subprocess.run(
        [sys.executable, "-c", OWNER, str(path), "60"], capture_output=True, text=True, check=False
    )
    assert owner.returncode == 0, owner.stderr
    expected = [f"live words {turn}" for turn in range(60)]
    wait_until(lambda: live_words(daemon) == expected, PROMISE_SECONDS, "all words, once")


def test_a_locked_database_is_read_when_its_owner_lets_go_and_costs_nothing_meanwhile(daemon):
    path = database(daemon, "amazon-q")
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        ((value,),) = owner.execute("SELECT value FROM conversations_v2 WHERE rowid = 3")
        owner.execute("BEGIN EXCLUSIVE")
        row = json.loads(value)
        row["history"].append(json.loads(json.dumps(row["history"][0])))
        row["history"][-1]["user"]["content"] = {"Prompt": {"prompt": "words behind a lock"}}
        row["history"][-1]["assistant"]["Response"]["message_id"] = "behind-a-lock"
        owner.execute(
            "UPDATE conversations_v2 SET value = ?, updated_at = ? WHERE rowid = 3",
            (json.dumps(row), int(datetime.now(UTC).timestamp() * 1000)),
        )
        os.utime(path)
        time.sleep(0.5)
        before = daemon.cpu_seconds()
        time.sleep(2.0)
        assert daemon.cpu_seconds() - before < 0.5
        assert daemon.status().warnings == (), "a lock is no failure"
        owner.execute("COMMIT")

    def told():
        found = daemon.events("kiro-cli", "83787f7f-c2a2-5d92-8fe4-070b589ad4c6")
        return any(isinstance(e, UserMessage) and "behind a lock" in e.text for e in found)

    wait_until(told, 10, "the words behind the lock")


def test_a_document_that_is_written_in_place_is_never_taken_half(daemon):
    name = "copilot-vscode/json-3/compactions_and_rewind"
    put_beside(case(name), daemon.home)
    (path,) = (daemon.home / ".config/Code/User").glob("workspaceStorage/*/chatSessions/*.json")
    data = path.read_bytes()
    daemon.flush()
    agent, session, ids = told_by(path)
    assert daemon.ids(agent, session) == ids
    with path.open("r+b") as file:
        file.truncate(0)
        for start in range(0, len(data), 4096):
            file.write(data[start : start + 4096])
            file.flush()
            time.sleep(0.02)
    assert_told(daemon, path)
    assert not daemon.codes()
    assert len(daemon.session(session).latest_compactions) == sum(
        isinstance(event, Compaction) for event in daemon.events(agent, session)
    )


def test_a_session_that_is_forked_while_it_lives_is_told_in_both(daemon):
    lines = fresh(list(lines_of(case("claude-code/2.1.332/resume_fork"), daemon.home)))
    for target, line in lines:
        append(target, line)
    for path in dict.fromkeys(target for target, _ in lines):
        assert_told(daemon, path)


def test_times_of_cases_are_moved_and_nothing_else():
    text = b'{"timestamp":"2026-01-01T00:00:00.000Z","a":"2026-01-01"}'
    (moved,) = as_of_now([text])
    assert moved.endswith(b'Z","a":"2026-01-01"}')
    assert abs(datetime.now(UTC) - datetime.fromisoformat(moved[14:38].decode())).seconds < 5
