"""The running daemon with a second reader: sessions are read in the background, and whatever the
reader does, the daemon goes on."""

import time

import pytest

from ctxd.ledger import Ledger
from e2e.conversations import ClaudeCode
from e2e.daemon import Daemon, wait_until
from fake_reader import FakeReader

PLAIN = "Never log request bodies, not even at debug level."
VAGUE = "the dates look odd in the export, ISO would read nicer"
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
