"""`ctxd search`: items by their words, here or everywhere."""

import json

import jsonschema
import pytest

from cli.known import BODIES, LIMITER, NGINX, RETRIES, fill, judged, known, open_ledger
from cli.test_json import schema


@pytest.fixture
def filled(home):
    return fill(home)


def texts(run):
    assert (run.code, run.err) == (0, "")
    found = [json.loads(line) for line in run.lines]
    for row in found:
        jsonschema.validate(row, schema("item-1"))
    return [row["text"] for row in found]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["redis"], [LIMITER.text]),
        (["token", "BUCKET"], [LIMITER.text]),
        (["token bucket"], [LIMITER.text]),
        (["limit"], [LIMITER.text, NGINX.text]),
        (["patient"], [BODIES.text]),
        (["retry"], [RETRIES.text]),
        (["src/limits.py"], [LIMITER.text]),
        (["kept"], []),
    ],
)
def test_items_of_the_repository_are_found_by_words(filled, words, expected):
    assert texts(filled.ctxd("search", *words, "--json")) == expected


def test_items_of_all_repositories_are_found_when_asked_for(filled):
    found = texts(filled.ctxd("search", "--everywhere", "bodies", "--json"))
    assert sorted(found) == ["bodies of requests are kept", BODIES.text]
    assert texts(filled.ctxd("search", "bodies", "--repo", "/srv/other", "--json")) == [
        "bodies of requests are kept"
    ]
    titles, *lines = filled.ctxd("search", "--everywhere", "bodies").lines
    assert "REPOSITORY" in titles
    assert sum("/srv/other" in line for line in lines) == 1


def test_kinds_can_be_picked(filled):
    assert texts(filled.ctxd("search", "request", "--kind", "constraint", "--json")) == [
        BODIES.text
    ]


def test_what_was_rejected_is_found_behind_what_holds(filled):
    with open_ledger(filled) as ledger:
        ledger.decide(str(filled.path.resolve()), LIMITER.id, "rejected")
    lines = filled.ctxd("search", "limit").lines
    assert [NGINX.text in lines[1], " rejected " in lines[2]] == [True, True]


def test_of_many_the_best_are_shown_and_the_others_counted(filled):
    here = str(filled.path.resolve())
    with open_ledger(filled) as ledger:
        many = [known(f"widget number {number}", number) for number in range(50)]
        ledger.settle([judged("k", *many, repository=here)])
    lines = filled.ctxd("search", "widget").lines
    assert len(lines) == 22
    assert lines[-1].startswith("and 30 more; ")
    assert len(filled.ctxd("search", "widget", "--json").lines) == 50


@pytest.mark.parametrize(
    "words", ["kafka", "--", "'", '"', "NOT", "a* OR b", "(", "^x", "{zz yy}: ww"]
)
def test_nothing_found_is_no_failure(filled, words):
    run = filled.ctxd("search", "--color", "never", "--", words)
    assert (run.code, run.err) == (0, "")
    message, hint = run.lines
    assert message == f"nothing found for `{words}` in this repository"
    assert hint.startswith("hint: ")


def test_what_is_found_elsewhere_is_hinted_at(filled):
    message, hint = filled.ctxd("search", "kept").lines
    assert message == "nothing found for `kept` in this repository"
    assert hint == "hint: `--everywhere` finds 1 item in other repositories"


def test_where_ctxd_never_ran_there_is_nothing_to_find(home):
    run = home.ctxd("search", "redis")
    assert run.code == 0
    assert run.lines[0] == "no items: ctxd has not read any session yet"
    assert home.ctxd("search", "redis", "--json").out == ""


def test_hostile_words_are_shown_and_not_obeyed(filled):
    run = filled.ctxd("search", "\x1b[2J\u202e", "--color", "never")
    assert r"nothing found for `\x1b[2J\u202e`" in run.out


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ([], "missing argument `TEXT...`", "`ctxd search -h` shows how it is used"),
        (
            ["x", "--kind", "y"],
            "invalid value for `--kind`",
            "`ctxd search -h` shows how it is used",
        ),
        (
            ["x", "--repo", ".", "--everywhere"],
            "`--repo` and `--everywhere` exclude each other",
            "leave out one of them",
        ),
    ],
)
def test_a_mistake_is_answered_with_what_and_what_next(filled, arguments, message, hint):
    run = filled.ctxd("search", *arguments)
    error, _, second = run.err.splitlines()
    assert (run.code, run.out) == (2, "")
    assert error.startswith(f"error: {message}")
    assert second == f"hint: {hint}"
