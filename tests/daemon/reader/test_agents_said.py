"""What agents' programs said when they were asked, and what is made of it.

The files below `said` were written by the real Codex 0.171.0, Gemini CLI 0.61.0 and Copilot CLI
1.0.102, see `tests/e2e/test_reader_codex.py` and its like; homes are renamed in them.
"""

import contextlib
import json
from pathlib import Path

import msgspec
import pytest

from ctxd.reader.backends import codex_backend, copilot_cli_backend, gemini_cli_backend
from ctxd.reader.complaints import ended, told
from ctxd.reader.values import Finished, ReaderError

SAID = Path(__file__).with_name("said")
MODULES = (codex_backend, copilot_cli_backend, gemini_cli_backend)
BACKENDS = {one.BACKEND.name: one.BACKEND for one in MODULES}
TROUBLES = {
    "codex": {
        "busy": "rate",
        "configuration": "account",
        "empty": "malformed",
        "filtered": "refused",
        "key": "key",
        "limit": "rate",
        "long": "long",
        "model": "account",
        "no_key": "key",
        "quota": "account",
        "rate": "rate",
        "torn": "broken",
        "trouble": "rate",
    },
    "copilot-cli": {
        "busy": "rate",
        "empty": "malformed",
        "filtered": "refused",
        "key": "key",
        "login": "account",
        "long": "long",
        "model": "account",
        "rate": "rate",
        "torn": "broken",
        "trouble": "broken",
    },
    "gemini-cli": {
        "busy": "rate",
        "day": "rate",
        "empty": "malformed",
        "key": "key",
        "login": "key",
        "long": "long",
        "model": "account",
        "no_key": "key",
        "rate": "rate",
        "safety": "refused",
        "torn": "broken",
        "trouble": "broken",
    },
}
REPLIES = {"answer", "cut", "prose", "tools"}


def said(backend, name):
    return msgspec.json.decode((SAID / backend / f"{name}.json").read_bytes(), type=Finished)


def each(wanted):
    return [(backend, name) for backend, names in wanted.items() for name in names]


def reply(backend, finished):
    return BACKENDS[backend].reply(finished)


@pytest.mark.parametrize(("backend", "name"), each(TROUBLES))
def test_what_went_wrong_is_told_without_the_programs_own_words(backend, name):
    with pytest.raises(ReaderError) as caught:
        reply(backend, said(backend, name))
    assert caught.value.trouble == TROUBLES[backend][name]
    assert len(caught.value.message) < 100
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_that_was_recorded_is_looked_at(backend):
    names = {path.stem for path in (SAID / backend).glob("*.json")}
    assert names == TROUBLES[backend].keys() | REPLIES


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_answer_is_a_reply_with_what_it_took(backend):
    answered = reply(backend, said(backend, "answer"))
    assert json.loads(answered.text)["not_items"] == ["c1"]
    assert answered.input_tokens > 100
    assert answered.output_tokens == 20
    assert not answered.cut


@pytest.mark.parametrize("backend", BACKENDS)
def test_prose_and_pieces_are_replies_that_are_judged_elsewhere(backend):
    assert reply(backend, said(backend, "prose")).text == "I am sorry, but no."
    assert reply(backend, said(backend, "cut")).text == '{"items": ['


def test_codex_says_that_an_answer_was_cut():
    assert reply("codex", said("codex", "cut")).cut


@pytest.mark.parametrize("backend", BACKENDS)
def test_calls_of_tools_are_counted_with_what_they_took(backend):
    once, twice = (reply(backend, said(backend, name)) for name in ("answer", "tools"))
    assert twice.input_tokens > once.input_tokens
    assert twice.output_tokens == 2 * once.output_tokens


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["answer", "torn", "key"])
def test_an_output_that_breaks_off_anywhere_is_a_reply_or_a_trouble(backend, name):
    whole = said(backend, name)
    for field in ("stdout", "stderr", "answer"):
        text = getattr(whole, field)
        for end in range(0, len(text), 7):
            cut = msgspec.structs.replace(whole, **{field: text[:end]})
            with contextlib.suppress(ReaderError):
                assert reply(backend, cut).text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("code", [0, 1, -9, 2, 41, 53, 130])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "{" * 100_000,
        '{"item":' * 100_000,
        "\x00\ufffd",
        '{"response": 3}',
        '{"type": []}\n' * 9,
    ],
)
def test_what_is_no_output_of_it_is_a_trouble(backend, code, text):
    with pytest.raises(ReaderError):
        reply(backend, Finished(code=code, stdout=text, stderr=text))


def test_a_program_that_was_killed_is_told():
    message = ended(Finished(code=-9, stdout="", stderr=""), "Codex").message
    assert message == "Codex ended by signal 9 and without an answer"


def test_gemini_gives_at_signs_back_as_they_were():
    twin = "\N{FULLWIDTH COMMERCIAL AT}"
    answer = {"response": json.dumps({"q": f"a{twin}b"}) + f"c{twin}d"}
    finished = Finished(code=0, stdout=json.dumps(answer), stderr="")
    assert reply("gemini-cli", finished).text == '{"q": "a@b"}c@d'


def test_gemini_may_print_something_before_its_answer():
    finished = said("gemini-cli", "answer")
    noisy = msgspec.structs.replace(
        finished, stdout=f"Loaded cached credentials.\n{finished.stdout}"
    )
    assert reply("gemini-cli", noisy) == reply("gemini-cli", finished)


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Rate limit reached. Please try again in 20s.", 20.0),
        ("rate limit; try again in 1.5 seconds", 1.5),
        ("429: retry after 250ms", 0.25),
        ("Too many requests, wait 2 minutes", 120.0),
        ("usage limit reached, resets in 3 hours", 10_800.0),
        ("usage limit reached, resets in 3 days", 86_400.0),
        ("usage limit reached, resets at 3 PM", None),
        ("Too many requests", None),
    ],
)
def test_a_wait_is_taken_from_what_is_told(words, seconds):
    error = told(words, "It")
    assert (error.trouble, error.retry_after) == ("rate", seconds)


def test_a_long_complaint_costs_no_more_than_its_beginning():
    assert told("model " * 1_000_000, "It") is None
    assert told("x" * 1_000_000 + "429", "It") is None
