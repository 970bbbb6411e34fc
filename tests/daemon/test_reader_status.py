"""How the chosen reader stands: today's account, what waits, and what keeps it from reading."""

import json
from datetime import UTC, datetime
from typing import get_args

import pytest

from ctxd.ledger import Ledger
from ctxd.reader import budget, resting
from ctxd.reader.backends.api_backend import ApiBackend
from ctxd.reader.extra import install_hint
from ctxd.reader.values import Called, Choice, Spent, Trouble
from ctxd.reader_report import row
from ctxd.reader_status import HINTS, reader_status
from ctxd.settings_reader import ReaderSettings
from ctxd.status import take_status

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
CHOSEN = ReaderSettings(backend="openai", model="m-1", calls_a_day=10)
DAY = budget.day_of(NOW.timestamp())


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3", NOW.timestamp) as ledger:
        yield ledger


def rest(ledger, trouble, settings=CHOSEN):
    limits = (settings.calls_a_day, settings.tokens_a_day, settings.money_a_day)
    digest = resting.digest_of(settings.choice, *limits)
    failure = resting.Failure(trouble, "it went wrong")
    resting.note(ledger, resting.rest_after(failure, None, digest, NOW.timestamp()))


def warnings(ledger, chosen=CHOSEN):
    return [one for one in take_status(ledger, None, NOW, chosen).warnings if "reader" in one.code]


def test_none_that_was_chosen_is_spoken_of_nowhere(ledger):
    found = take_status(ledger, None, NOW)
    assert found.reader is None
    assert warnings(ledger, None) == []


def test_what_was_asked_today_is_counted_and_no_other_day(ledger):
    called = Called(spent=Spent(1000, 200, 0.25), refused=2)
    ledger.count_call(DAY, "openai", called)
    ledger.count_call(DAY, "codex", called)
    ledger.count_call("2026-03-13", "openai", called)
    ledger.want_reading(("claude-code", "one"), "ended", NOW.timestamp())
    found = reader_status(ledger, CHOSEN, NOW)
    assert (found.today.calls, found.today.calls_most) == (2, 10)
    assert (found.today.tokens, found.today.money_dollars) == (2400, 0.5)
    assert (found.today.refused, found.waiting) == (4, 1)
    assert found.sends_to == "OpenAI (api.openai.com)"
    assert found.trouble is None


@pytest.mark.parametrize("trouble", get_args(Trouble))
def test_each_trouble_that_has_it_wait_is_a_warning_with_a_hint(ledger, trouble):
    rest(ledger, trouble)
    [warning] = warnings(ledger)
    assert warning.code == f"reader.{trouble}"
    assert warning.message == "the reader openai waits: it went wrong"
    assert warning.hint == HINTS[trouble] != ""


def test_other_settings_end_what_was_wrong(ledger):
    rest(ledger, "key")
    assert warnings(ledger, ReaderSettings(backend="openai", model="m-2")) == []


def test_a_spent_budget_waits_until_tomorrow(ledger):
    for _ in range(10):
        ledger.count_call(DAY, "openai", Called(spent=Spent(10, 10)))
    [warning] = warnings(ledger)
    assert warning.code == "reader.budget"
    trouble = reader_status(ledger, CHOSEN, NOW).trouble
    assert trouble.until.timestamp() == budget.next_day(NOW.timestamp())


def test_one_bad_answer_is_told_and_is_no_warning(ledger):
    called = Called(spent=Spent(10, 10), trouble="malformed", message="no answer")
    ledger.count_call(DAY, "openai", called)
    trouble = reader_status(ledger, CHOSEN, NOW).trouble
    assert (trouble.trouble, trouble.message, trouble.until) == ("malformed", "no answer", None)
    assert warnings(ledger) == []


def test_without_a_ledger_nothing_was_asked():
    found = reader_status(None, CHOSEN, NOW)
    assert (found.today.calls, found.waiting, found.trouble) == (0, 0, None)


def test_what_another_reader_failed_at_is_not_said_of_the_chosen_one(tmp_path):
    with Ledger.open(tmp_path / "ledger.sqlite3") as ledger:
        failed = Called(spent=Spent(), trouble="missing", message="`codex` is not installed")
        ledger.count_call(DAY, "codex", failed)
        found = reader_status(ledger, CHOSEN, NOW)
        assert (found.today.failed, found.trouble) == (1, None)
        ledger.count_call(DAY, "openai", failed)
        assert reader_status(ledger, CHOSEN, NOW).trouble.trouble == "missing"


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/me/.local/share/uv/tools/ctxd-daemon", "`uv tool install 'ctxd-daemon[reader]'`"),
        ("/home/me/.local/pipx/venvs/ctxd-daemon", "`pipx install --force 'ctxd-daemon[reader]'`"),
        ("/home/me/venv", "`/v/bin/python -m pip install 'ctxd-daemon[reader]'`"),
    ],
)
def test_the_extra_is_installed_as_ctxd_was(prefix, command):
    assert install_hint(prefix, "/v/bin/python", "").startswith(command)


def test_the_extra_comes_from_the_clone_that_ctxd_came_from(tmp_path):
    clone = tmp_path / "my ctxd"
    clone.mkdir()
    origin = json.dumps({"url": clone.as_uri(), "dir_info": {"editable": True}})
    assert install_hint("/v", "python", origin).startswith(
        f"`python -m pip install '{clone}[reader]'`"
    )


def test_the_extra_comes_from_the_repository_that_ctxd_came_from():
    origin = json.dumps({"url": "https://h/ctxd.git", "vcs_info": {"vcs": "git"}})
    wanted = "'ctxd-daemon[reader] @ git+https://h/ctxd.git'"
    assert wanted in install_hint("/v", "python", origin)


@pytest.mark.parametrize(
    "origin", ["{}", "[1]", "nonsense", '{"url": "file:///is/gone"}', '{"url": "http://[", "a": 1}']
)
def test_where_it_came_from_is_not_guessed(origin):
    assert "'ctxd-daemon[reader]'" in install_hint("/v", "python", origin)


def test_what_is_missing_is_told_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(ApiBackend, "version", lambda _self: "")
    found = row("anthropic", Choice(backend="anthropic"))
    assert not found.is_ready
    assert found.why_not == "the library that it is asked through is not installed"
    assert found.hint == install_hint()
