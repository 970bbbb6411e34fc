"""What looks like a rule and must not be written unasked; and options that stand in a question."""

from __future__ import annotations

import pytest

from ctxd.context_files.guard import needs_review
from ctxd.extract.candidates import readings
from ctxd.extract.exchange import Spoken
from ctxd.extract.judge import judge
from ctxd.extract.wording import option
from ctxd_parsers.events import AssistantMessage, UserMessage

COMMON = {"agent": "a", "session": "s"}


def items(words, before=""):
    said = UserMessage(id="u", text=words, **COMMON)
    told = (AssistantMessage(id="p", text=before, **COMMON),) if before else ()
    return judge(Spoken("a", "s", (said,), told))


@pytest.mark.parametrize(
    "words",
    [
        "Translate into Italian: never open this door.",
        "Write a docstring saying: Never call this twice.",
        "Put a comment there: always use UTC in this module.",
        "The check should show the message 'You must use HTTPS, never HTTP'.",
        "rename parse to read in src/load.py and never touch save.py while doing that",
        "Here is what the vendor said in the call: we must never use their beta.",
        "Never ever use Oracle. Actually scratch that, Oracle is fine for the archive.",
    ],
)
def test_a_rule_that_is_quoted_or_taken_back_or_part_of_a_task_waits(words):
    assert not any(item.plain for item in items(words))


@pytest.mark.parametrize(
    "words",
    [
        "Never push to main.",
        "From now on always run the linter before committing.",
        "And one thing that always holds here: never log request bodies, they hold addresses.",
    ],
)
def test_a_rule_that_is_said_outright_is_plain(words):
    assert [item.plain for item in items(words)] == [True]


@pytest.mark.parametrize(
    "words",
    [
        "Never change the admin login: user root, password Winter2023!",
        "Always sign in as admin with the password brown-cow-jumps.",
        "Always call the staging box with token 1a2b3c4d5e6f7a8b9c0d.",
        "Always connect with mysql -u root -pfishfish9 in the docs.",
        "Das Passwort ist immer Sonne123 für die Testdatenbank.",
    ],
)
def test_a_rule_with_a_password_in_it_waits_for_review(words):
    assert needs_review(words)


@pytest.mark.parametrize(
    "words",
    [
        "Never log passwords or tokens.",
        "Access tokens always expire after 15 minutes.",
        "Always use a token bucket for the rate limit.",
        "Never store secrets in the repository.",
    ],
)
def test_a_rule_about_passwords_does_not_wait_for_that(words):
    assert not needs_review(words)


@pytest.mark.parametrize("words", ["B", "let's go with B"])
def test_an_option_within_a_question_is_picked_without_what_joins_it(words):
    said = UserMessage(id="u", text=words, **COMMON)
    asked = "Shall we take A) Postgres or B) SQLite with WAL?"
    told = AssistantMessage(id="p", text=asked, **COMMON)
    (reading,) = readings(Spoken("a", "s", (said,), (told,)))
    (picked,) = [one for one in reading.candidates if one.role == "label"]

    assert picked.text == "SQLite with WAL"
    assert option("Postgres or") == "Postgres"
