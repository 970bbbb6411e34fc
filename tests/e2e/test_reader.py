"""The running daemon with a second reader: sessions are read in the background, and whatever the
reader does, the daemon goes on."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import time
from datetime import timedelta
from pathlib import Path

import pytest

from ctxd.hooks.command import client_command
from ctxd.ledger import Ledger
from ctxd.service.asking import Request, ask, control_address
from e2e.conversations import ClaudeCode
from e2e.daemon import Daemon, wait_until
from fake_reader import FakeReader

PLAIN = "Never log request bodies, not even at debug level."
VAGUE = "the dates look odd in the export, ISO would read nicer"
VAGUER = (
    "somebody in finance opens these files in Excel",
    "blue reads better than green there",
    "half of our customers sit in Brazil",
    "the nightly job has an hour before the mirrors wake",
    "my phone shows that dialog cut in half",
    "the old team named everything after rivers",
)
LIKELY = 0.5


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()
    assert "defect" not in (daemon.log if daemon.places.log.exists() else "")


@pytest.fixture
def reader(tmp_path, daemon):
    reader = FakeReader(tmp_path)
    daemon.settings(reader.settings)
    yield reader
    daemon.close()
    assert reader.is_gone()


def talk(daemon, name="one", *words):
    """A session in which a user says some things, and which waits to be over."""
    session = ClaudeCode(daemon.home, name)
    for text in words or (PLAIN, VAGUE):
        session.user(text)
        session.assistant("Understood, I keep to that.")
    return session


def read(daemon, *sessions):
    """Ask for sessions to be read, as `ctxd read` does."""
    daemon.flush()
    words = [word for one in sessions for word in (one.agent, one.session)]
    answer = daemon.ask("read", *words)
    assert answer.ok, answer
    return answer.message


def wanted(daemon):
    with Ledger.reader(daemon.ledger) as ledger:
        return ledger.wanted_readings()


def sure(daemon):
    """Lines of the items that are likely: of the vague words only when a reader bears them out."""
    with Ledger.reader(daemon.ledger) as ledger:
        return [kept.state.text for kept in ledger.items() if kept.item.probability > LIKELY]


def texts(daemon):
    with Ledger.reader(daemon.ledger) as ledger:
        return [kept.state.text for kept in ledger.items()]


def workers(daemon):
    """Processes that have a session read."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            home = f"HOME={daemon.home}".encode()
            if b"ctxd.reader.worker" in words and home in Path(
                f"/proc/{name}/environ"
            ).read_bytes().split(b"\0"):
                found.append(int(name))
    return found


def hook(daemon, session, event, **more):
    """Have the client's hook say something of a session."""
    told = {
        "session_id": session.session,
        "cwd": session.cwd,
        "hook_event_name": event,
        "transcript_path": str(session.path),
    }
    subprocess.run(
        client_command(session.agent, daemon.places, ""),
        input=json.dumps(told | more).encode(),
        env={"CTXD_HOME": str(daemon.own)},
        capture_output=True,
        timeout=10,
        check=True,
    )


def end(daemon, session):
    """Say that a session is over."""
    hook(daemon, session, "SessionEnd")


def account(daemon):
    with Ledger.reader(daemon.ledger) as ledger:
        return ledger.reader_account(time.strftime("%Y-%m-%d", time.gmtime()))


def test_what_only_the_reader_sees_becomes_an_item(daemon, reader):
    daemon.start()
    one = talk(daemon)
    assert "1 session queued" in read(daemon, one)
    wait_until(lambda: VAGUE in sure(daemon), 30, "the item")
    wait_until(lambda: not wanted(daemon), 10, "it is read")
    assert reader.calls == 1
    assert account(daemon).calls == 1
    assert (account(daemon).input_tokens, account(daemon).output_tokens) == (100, 50)
    read(daemon, one)
    wait_until(lambda: not wanted(daemon), 20, "it is looked at again")
    assert reader.calls == 1, "what was read is not asked again"


def test_a_session_is_read_when_it_is_over(daemon, reader):
    daemon.start()
    one = talk(daemon)
    daemon.flush()
    assert not wanted(daemon)
    end(daemon, one)
    wait_until(lambda: VAGUE in sure(daemon), 30, "the item")
    assert reader.calls == 1


def test_with_no_reader_chosen_nothing_is_read_and_the_order_says_what_to_do(daemon, reader):
    daemon.settings("")
    daemon.start()
    one = talk(daemon)
    daemon.flush()
    end(daemon, one)
    answer = daemon.ask("read", one.agent, one.session)
    assert not answer.ok
    assert "ctxd reader setup" in answer.hint
    daemon.flush()
    assert not wanted(daemon)
    assert not reader.calls


def test_a_session_from_before_the_daemon_first_ran_is_read_only_when_asked_for(daemon, reader):
    one = ClaudeCode(daemon.home, "old")
    one.ago = timedelta(days=3)
    one.user(VAGUE)
    one.assistant("Understood.")
    daemon.start()
    daemon.flush()
    assert daemon.session(one.session).state == "ended"
    assert not wanted(daemon)
    read(daemon, one)
    wait_until(lambda: VAGUE in sure(daemon), 30, "the item")


def test_a_line_lands_while_the_reader_hangs(daemon, reader):
    reader.does("hang")
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: reader.notes("hangs"), 20, "the reader hangs")
    other = ClaudeCode(daemon.home, "other")
    other.user("Add rate limiting to the public endpoints.")
    other.assistant("Done: 60 requests a minute per key.")
    began = time.monotonic()
    other.user("Never call the payment service from a migration.")
    wait_until(lambda: any("payment service" in text for text in texts(daemon)), 5, "the item")
    assert time.monotonic() - began < 5
    assert daemon.ask("ping").ok
    began = time.monotonic()
    assert daemon.stop() == 0
    assert time.monotonic() - began < 10
    assert reader.is_gone(0.5), "a stop takes the reader along"


@pytest.mark.parametrize("way", ["hang", "fork"])
def test_a_daemon_that_is_killed_takes_the_reader_along_and_its_successor_goes_on(
    daemon, reader, way
):
    reader.does(way)
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: reader.notes("hangs"), 20, "the reader hangs")
    assert reader.living()
    daemon.kill()
    assert reader.is_gone(10)
    reader.does("good")
    daemon.start()
    wait_until(lambda: VAGUE in sure(daemon), 40, "the item")
    wait_until(lambda: not wanted(daemon), 10, "it is read")
    assert account(daemon).calls == 2, "the call that was lost counts"


def test_a_worker_that_is_killed_takes_the_reader_along(daemon, reader):
    reader.does("fork", "good")
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: reader.notes("hangs"), 20, "the reader hangs")
    [worker] = workers(daemon)
    os.kill(worker, signal.SIGKILL)
    assert reader.is_gone(10)
    wait_until(lambda: wanted(daemon)[0].tries == 1, 10, "it failed once")
    assert "code -9" in wanted(daemon)[0].message
    assert reader.calls == 1, "it is not tried again at once"


def test_other_settings_end_what_is_under_way_and_begin_it_anew(daemon, reader):
    reader.does("hang", "good")
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: reader.notes("hangs"), 20, "the reader hangs")
    daemon.settings(reader.settings + "model = 'another'\n")
    daemon.ask("reload")
    wait_until(lambda: VAGUE in sure(daemon), 30, "the item")
    assert reader.calls == 2


def test_a_reader_that_is_switched_off_is_ended_and_no_more_is_read(daemon, reader):
    reader.does("fork")
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: reader.notes("hangs"), 20, "the reader hangs")
    daemon.settings("")
    daemon.ask("reload")
    assert reader.is_gone(10)
    daemon.flush()
    time.sleep(1)
    assert reader.calls == 1


def test_a_pause_ends_what_is_under_way_and_it_is_read_afterwards(daemon, reader):
    reader.does("hang", "good")
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: reader.notes("hangs"), 20, "the reader hangs")
    assert daemon.ask("pause").ok
    assert reader.is_gone(10)
    time.sleep(0.5)
    assert reader.calls == 1
    assert daemon.ask("resume").ok
    wait_until(lambda: VAGUE in sure(daemon), 30, "the item")
    assert not any(one.tries for one in wanted(daemon))


def test_many_sessions_are_read_one_after_the_other(daemon, reader):
    daemon.start()
    sessions = [talk(daemon, text, text) for text in VAGUER[:4]]
    read(daemon, *sessions)
    wait_until(lambda: len(sure(daemon)) == 4, 60, "all items")
    wait_until(lambda: not wanted(daemon), 20, "all are read")
    assert reader.calls == 4
    assert reader.at_most_one()


def test_an_answer_that_does_not_pass_is_asked_for_once_more_and_then_dropped(daemon, reader):
    reader.does("babble", "good")
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: VAGUE in sure(daemon), 30, "the item")
    assert [more[0] for _, _, *more in reader.notes("began")] == [False, True]
    reader.does("babble")
    read(daemon, talk(daemon, "two", "somebody in finance opens these files in Excel"))
    wait_until(lambda: not wanted(daemon), 30, "it is given up")
    assert reader.calls == 4
    assert account(daemon).troubles == {"malformed": 3}


def test_words_that_nobody_said_become_no_item(daemon, reader):
    reader.does("invented")
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: not wanted(daemon), 30, "it is read")
    assert reader.calls == 2
    assert account(daemon).refused == 4
    assert not any("never said" in text for text in texts(daemon))


@pytest.mark.parametrize("way", ["rate", "key"])
def test_what_asking_again_would_not_help_is_not_asked_again(daemon, reader, way):
    reader.does(way)
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: account(daemon).failed, 30, "it failed")
    other = talk(daemon, "two")
    daemon.flush()
    end(daemon, other)
    time.sleep(1)
    assert reader.calls == 1
    assert len(wanted(daemon)) == 2
    assert not any(one.tries for one in wanted(daemon))
    daemon.stop()
    daemon.start()
    daemon.flush()
    time.sleep(1)
    assert reader.calls == 1, "a restart changes nothing about it"
    reader.does("good")
    daemon.settings(reader.settings + "model = 'another'\n")
    daemon.ask("reload")
    wait_until(lambda: not wanted(daemon), 30, "other settings do")


def test_a_budget_that_is_spent_holds_over_a_restart(daemon, reader):
    daemon.settings(reader.settings + "calls_a_day = 1\n")
    daemon.start()
    one, two = talk(daemon), talk(daemon, "two", "somebody in finance opens these files in Excel")
    read(daemon, one, two)
    wait_until(lambda: reader.notes("ended"), 30, "the first")
    wait_until(lambda: len(wanted(daemon)) == 1, 10, "the first is read")
    daemon.stop()
    daemon.start()
    daemon.flush()
    time.sleep(1)
    assert reader.calls == 1
    daemon.settings(reader.settings + "calls_a_day = 2\n")
    daemon.ask("reload")
    wait_until(lambda: not wanted(daemon), 30, "the second")
    assert reader.calls == 2


@pytest.mark.parametrize("way", ["crash", "silent", "flood"])
def test_a_reader_that_breaks_is_tried_again_later(daemon, reader, way):
    reader.does(way)
    daemon.start()
    read(daemon, talk(daemon))
    wait_until(lambda: wanted(daemon)[0].tries == 1, 40, "it failed once")
    [one] = wanted(daemon)
    assert 30 < one.at - time.time() < 90
    assert one.message
    assert reader.calls == 1
    assert account(daemon).troubles == {"broken": 1}


def test_what_is_forgotten_while_it_is_read_is_asked_and_known_no_more(daemon, reader):
    reader.does("hang", "good")
    daemon.start()
    repository = daemon.home / "shop"
    (repository / ".git").mkdir(parents=True)
    one = ClaudeCode(daemon.home, "one", str(repository))
    for text in (PLAIN, VAGUE):
        one.user(text)
        one.assistant("Understood, I keep to that.")
    read(daemon, one)
    wait_until(lambda: reader.notes("hangs"), 20, "the reader hangs")
    with Ledger.reader(daemon.ledger) as ledger:
        [item] = [kept.item.id for kept in ledger.items() if kept.state.text == PLAIN]
    request = Request("forget", str(repository), arguments=(item,))
    assert ask(control_address(daemon.places.runtime), request, 10).ok
    wait_until(lambda: VAGUE in sure(daemon), 30, "it is read anew")
    wait_until(lambda: not wanted(daemon), 20, "all is read")
    assert daemon.stop() == 0
    assert PLAIN.encode() not in daemon.ledger.read_bytes()


@pytest.mark.long
def test_kills_at_any_moment_lose_no_reading_and_leave_nothing_behind(daemon, reader):
    chance = random.Random(9)
    reader.does("ponder")
    daemon.start()
    sessions = [talk(daemon, text, text) for text in VAGUER]
    read(daemon, *sessions)
    for _ in range(25):
        time.sleep(chance.uniform(0.0, 0.9))
        victims = workers(daemon)
        if chance.random() < 0.3 and victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victims[0], signal.SIGKILL)
        daemon.kill()
        assert reader.is_gone(10)
        daemon.start()
    read(daemon, *sessions)  # what was killed would have to wait otherwise
    wait_until(lambda: len(sure(daemon)) == 6, 90, "all items")
    wait_until(lambda: not wanted(daemon), 20, "all are read")
    assert reader.at_most_one()


def test_a_session_is_read_when_its_compaction_is_ahead_and_nobody_waits_for_it(daemon, reader):
    reader.does("hang", "good")
    daemon.start()
    one = talk(daemon)
    daemon.flush()
    began = time.monotonic()
    hook(daemon, one, "PreCompact", trigger="auto")
    assert time.monotonic() - began < 5
    wait_until(lambda: reader.notes("hangs"), 20, "it is read in the background")
    assert [row.why for row in wanted(daemon)] == ["ahead"]
    assert daemon.session(one.session).state != "ended"


def test_while_ctxd_is_paused_an_order_waits_and_says_so(daemon, reader):
    daemon.start()
    one = talk(daemon)
    daemon.flush()
    assert daemon.ask("pause").ok
    answer = daemon.ask("read", one.agent, one.session)
    assert answer.ok
    assert "ctxd resume" in answer.message
    assert daemon.ask("resume").ok
    wait_until(lambda: VAGUE in sure(daemon), 30, "the item")


def test_nothing_of_the_reader_is_loaded_while_none_is_chosen(daemon, reader):
    daemon.settings("")
    daemon.start(PYTHONPROFILEIMPORTTIME="1")
    one = talk(daemon)
    daemon.flush()
    end(daemon, one)
    daemon.flush()
    assert "ctxd.service.run" in daemon.output
    loaded = set(re.findall(r"ctxd\.reader(?:\.\w+)*\b", daemon.output))
    assert loaded <= {"ctxd.reader", "ctxd.reader.own"}
    assert not any(f"{name} " in daemon.output for name in ("openai", "anthropic", "boto3"))
