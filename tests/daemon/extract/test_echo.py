"""What stood before the model anyway is nobody's new word."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.extract.echo import Echo

RULES = """# Working here

- Never push to main; open a pull request.
- Use pnpm
- Run `make lint` and `make test` before every commit, and fix what they report.
* Times are stored in UTC, except in the export where local time is wanted.

Do not run the migrations on staging without asking Petra first.
The exporter retries 3 times with a pause of 2 s between attempts.
"""
BLOCK = """<!-- ctxd -->
## Always holds
- Request bodies are never logged. `25s5loxz`
- Redis with a token bucket limits the requests (ukbmaw4t)
<!-- /ctxd -->"""
ECHOES = [
    "Never push to main",
    "never push to main; open a pull request",
    "Use pnpm",
    "Run make lint and make test before every commit, and fix what they report.",
    "run `make lint` and `make test` before each commit and fix what they report",
    "do not run the migrations on staging without asking Petra first",
    "- The exporter retries 3 times with a pause of 2 s between attempts.",
    "Request bodies are never logged.",
    "Redis with a token bucket limits the requests",
    "Request bodies are never logged. `25s5loxz`",
]
NO_ECHOES = [
    "push to main",
    "always push to main",
    "run the migrations on staging",
    "do not run the migrations on staging",
    "The exporter retries 5 times with a pause of 2 s between attempts.",
    "The exporter retries 3 times with a pause of 2 ms between attempts.",
    "times are stored in UTC",
    "request bodies are logged",
    "use npm",
    "The importer retries 3 times with a pause of 2 s between attempts.",
    "Run make lint and make docs before every commit, and fix what they report.",
    "Use pnpm; never push to a fork",
    "yes",
    "",
    "make it so that the exporter keeps a log of its attempts",
]


@pytest.mark.parametrize("sentence", ECHOES)
def test_a_sentence_that_stands_in_a_source_is_an_echo(sentence):
    assert Echo([RULES, BLOCK]).holds(sentence)


@pytest.mark.parametrize("sentence", NO_ECHOES)
def test_a_sentence_that_says_something_else_is_none(sentence):
    assert not Echo([RULES, BLOCK]).holds(sentence)


def test_a_source_can_be_added_later():
    echo = Echo()
    assert not echo.holds("tabs are four columns wide")
    echo.add("In this house tabs are four columns wide.")
    assert echo.holds("tabs are four columns wide")


def test_five_cycles_of_telling_what_was_told_add_nothing():
    sentences = [line.strip("- *#") for line in RULES.splitlines() if line]
    new = [s for _ in range(5) for s in sentences if not Echo([RULES]).holds(s)]
    assert [s for s in new if len(s.split()) > 1] == []


def test_a_large_source_is_cut_up_once_and_then_quick_to_ask():
    said = "the part {} of module {} stays small".format
    source = "\n".join(said(n * 7, n % 89) for n in range(3000))
    started = time.process_time()
    echo = Echo([source])
    built = time.process_time() - started
    started = time.process_time()
    for n in range(200):
        assert echo.holds(said(n * 7, n % 89))
    asked = (time.process_time() - started) / 200
    assert built < 1
    assert asked < 0.02


@given(st.text(max_size=400), st.text(max_size=200))
def test_no_text_raises_and_every_long_sentence_is_an_echo_of_itself(source, sentence):
    Echo([source]).holds(sentence)
    words = [w for w in sentence.split() if w.isascii() and w.isalpha()]
    if len(words) > 1:
        assert Echo([source, " ".join(words)]).holds(" ".join(words))


def test_hostile_sources_take_time_in_proportion():
    for piece in ("never ", "a", "-", "2 ", "(abcdefgh", "'", "a.b."):
        started = time.process_time()
        Echo([piece * 50_000]).holds(piece * 2000)
        assert time.process_time() - started < 3
