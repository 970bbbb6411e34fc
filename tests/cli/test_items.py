"""`ctxd items`: what was understood, where one is; and why there is nothing where there is not."""

import json
import os
import subprocess

import jsonschema
import pytest

from batches import batch
from cli.known import (
    AGENT,
    BODIES,
    LIMITER,
    NGINX,
    RETRIES,
    SESSION,
    fill,
    judged,
    known,
    make_repository,
    open_ledger,
)
from cli.running import plain
from cli.test_json import schema
from ctxd.exchange import Exchange
from ctxd.ledger import Pending, SessionRow
from ctxd_parsers.events import UserMessage

on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")


@pytest.fixture
def filled(home):
    return fill(home)


def rows(run):
    assert (run.code, run.err) == (0, "")
    return [json.loads(line) for line in run.lines]


def texts(run):
    return [row["text"] for row in rows(run)]


class TestList:
    def test_a_line_an_item_those_that_bind_most_first(self, filled):
        run = filled.ctxd("items")
        assert (run.code, run.err) == (0, "")
        heading, blank, titles, *lines = run.lines
        assert heading == "~  3 items, 1 for review"
        assert blank == ""
        assert titles.split() == ["ID", "KIND", "ITEM", "NOTE", "SAID"]
        assert [line.split()[:2] for line in lines] == [
            [BODIES.id[:4], "constraint"],
            [LIMITER.id[:4], "decision"],
            [RETRIES.id[:4], "question"],
        ]
        assert "never log request bodies" in lines[0]
        assert " critical " in lines[0]
        assert " review " in lines[2]

    def test_the_newest_of_a_kind_comes_last(self, filled):
        with open_ledger(filled) as ledger:
            here = str(filled.path.resolve())
            for number in (30, 10, 20):
                ledger.settle(
                    [judged(f"n{number}", known(f"at {number}", number), repository=here)]
                )
        assert texts(filled.ctxd("items", "--kind", "decision", "--json")) == [
            LIMITER.text,
            "at 10",
            "at 20",
            "at 30",
        ]

    def test_what_does_not_hold_any_more_is_shown_when_asked_for(self, filled):
        assert NGINX.text not in filled.ctxd("items").out
        run = filled.ctxd("items", "--all")
        [line] = [line for line in run.lines if NGINX.text in line]
        assert " superseded " in line
        assert run.lines[0] == "~  4 items, 1 of the past, 1 for review"

    def test_another_repository_is_named_by_a_folder_in_it(self, filled):
        assert texts(filled.ctxd("items", "--repo", "/srv/other", "--json")) == [
            "bodies of requests are kept"
        ]
        deep = filled.path / "other" / "src"
        make_repository(deep.parent)
        deep.mkdir()
        with open_ledger(filled) as ledger:
            there = str(deep.parent.resolve())
            ledger.settle([judged("o1", known("only there"), repository=there)])
        assert texts(filled.ctxd("items", "--repo", deep, "--json")) == ["only there"]
        assert texts(filled.ctxd("items", "--repo", ".", "--kind", "decision", "--json")) == [
            LIMITER.text
        ]

    def test_the_current_folder_counts_however_deep_it_is(self, filled):
        deep = filled.path / "src" / "deep"
        deep.mkdir(parents=True)
        done = subprocess.run(
            filled.command("items", "--json"),
            env=filled.variables,
            cwd=deep,
            capture_output=True,
            check=True,
        )
        assert len(done.stdout.splitlines()) == 3

    def test_a_session_is_named_by_the_start_of_its_id(self, filled):
        run = filled.ctxd("items", "--session", SESSION[:6])
        assert run.lines[0] == f"{AGENT} session {SESSION}  4 items, 1 for review"
        assert texts(filled.ctxd("items", "--session", SESSION, "--repo", ".", "--json")) == [
            BODIES.text,
            LIMITER.text,
            RETRIES.text,
        ]

    def test_kinds_can_be_picked(self, filled):
        run = filled.ctxd("items", "--kind", "constraint", "--kind", "question", "--json")
        assert texts(run) == [BODIES.text, RETRIES.text]

    def test_an_id_is_as_long_as_it_must_be(self, filled):
        with open_ledger(filled) as ledger:
            here = str(filled.path.resolve())
            twins = [known(f"rule {number}") for number in range(3000)]
            ledger.settle([judged("u7", *twins, repository=here)])
        found = rows(filled.ctxd("items", "--json"))
        short = {row["short_id"] for row in found}
        assert len(short) == len(found)
        assert {len(row["short_id"]) for row in found} > {4}
        assert all(row["id"].startswith(row["short_id"]) for row in found)

    def test_each_line_of_json_is_as_published(self, filled):
        for arguments in ([], ["--all"], ["--repo", "/srv/other"]):
            for row in rows(filled.ctxd("items", *arguments, "--json")):
                jsonschema.validate(row, schema("item-1"))
                assert list(row) == sorted(row)
        [row] = rows(filled.ctxd("items", "--kind", "decision", "--json"))
        assert row == {
            "schema": "ctxd.item/1",
            "id": LIMITER.id,
            "short_id": LIMITER.id[:4],
            "repository": str(filled.path.resolve()),
            "kind": "decision",
            "status": "active",
            "text": "Redis with a token bucket",
            "reason": "counters are lost on restart",
            "rejected": ["counters in the process: lost on restart"],
            "scope": ["src/limits.py"],
            "authority": "confirmed",
            "durability": "repo",
            "severity": "normal",
            "probability": 0.9,
            "waits_for_review": False,
            "accepted": False,
            "edited": False,
            "restated": 0,
            "superseded_by": None,
            "agent": AGENT,
            "session": SESSION,
            "time": "2026-03-14T09:02:00Z",
            "language": "en",
        }

    def test_the_users_verdicts_show(self, filled):
        here = str(filled.path.resolve())
        with open_ledger(filled) as ledger:
            ledger.decide(here, RETRIES.id, "accepted")
            ledger.decide(here, BODIES.id, "edited", "Request bodies are never logged.")
            ledger.decide(here, LIMITER.id, "rejected")
        run = filled.ctxd("items", "--all")
        assert run.lines[0] == "~  4 items, 1 of the past"
        assert "Request bodies are never logged.  critical, edited" in run.out
        [line] = [line for line in run.lines if LIMITER.text in line]
        assert " rejected " in line
        [line] = [line for line in run.lines if NGINX.text in line]
        assert "superseded" not in line

    def test_nothing_of_a_hostile_item_acts_on_the_terminal(self, filled):
        here = str(filled.path.resolve())
        hostile = "\x1b]0;owned\x07\u202etxt.exe\u200b[/nope][bold]\nsecond line"
        with open_ledger(filled) as ledger:
            ledger.settle([judged("u7", known(hostile), repository=here)])
        for colour in ("always", "never"):
            run = filled.ctxd("items", "--kind", "decision", "--color", colour)
            assert r"\x1b]0;owned\x07\u202etxt.exe\u200b[/nope][bold] second line" in run.out
            assert not {"\x07", "\u202e", "\u200b"} & set(run.out)

    def test_listing_writes_nothing(self, filled):
        before = filled.files()
        for arguments in (["items"], ["items", "--all", "--json"], ["search", "redis"]):
            filled.ctxd(*arguments)
        assert filled.files() - before <= {
            path
            for path in filled.files()
            if path.name in {"ledger.sqlite3-shm", "ledger.sqlite3-wal"}
        }

    def test_it_works_while_the_ledger_is_written(self, filled):
        with open_ledger(filled) as ledger:
            ledger.settle([judged("u7", known("fresh"), repository=str(filled.path.resolve()))])
            assert "fresh" in filled.ctxd("items").out


@on_terminal
@pytest.mark.parametrize("width", [60, 80, 200])
def test_items_at_a_width(filled, snapshot, width):
    run = filled.on_terminal(width, "items", "--all")
    text = plain(run.out)
    assert max(map(len, text.splitlines())) <= width
    snapshot(f"items-{width}", text)


@on_terminal
def test_colours_add_nothing_but_colour(filled):
    coloured = filled.on_terminal(80, "items").out
    assert "\x1b[" in coloured
    assert plain(filled.on_terminal(80, "items", NO_COLOR="1").out) == plain(coloured)


class TestNothing:
    def why(self, home, *arguments):
        run = home.ctxd("items", *arguments)
        assert (run.code, run.err) == (0, "")
        message, hint = run.lines
        assert hint.startswith("hint: ")
        assert home.ctxd("items", *arguments, "--json").out == ""
        return message

    def test_where_ctxd_never_ran(self, home):
        assert self.why(home) == "no items: ctxd has not read any session yet"

    def test_where_it_has_read_nothing(self, home):
        open_ledger(home).close()
        assert self.why(home) == "no items: ctxd has not read any session yet"

    def test_where_no_session_ran(self, filled):
        make_repository(filled.path / "other")
        assert self.why(filled, "--repo", "other") == (
            "no items: no session of an agent ran in `~/other`"
        )

    def in_session(self, home, *words, **more):
        make_repository(home.path)
        row = SessionRow(agent="a", id="s", cwd=str(home.path.resolve()), spoken=True)
        events = [UserMessage(agent="a", session="s", id=name, text=name) for name in words]
        with open_ledger(home) as ledger:
            ledger.record(batch(*events, sessions=[row], **more))

    def test_where_nothing_was_understood(self, home):
        self.in_session(home, "hello")
        assert self.why(home) == (
            "no items: nothing in `~` was understood as a decision or anything else to keep"
        )
        assert self.why(home, "--session", "s").startswith("no items: nothing in this session was")

    def test_where_it_still_waits(self, home):
        waiting = Pending("a", "s", Exchange((), ("u1",)))
        self.in_session(home, "u1", pending=[waiting])
        assert self.why(home) == "no items yet: 1 exchange waits to be judged"

    def test_where_the_language_is_not_covered(self, home):
        self.in_session(home, "u1")
        with open_ledger(home) as ledger:
            here = str(home.path.resolve())
            for number in range(2):
                ledger.settle([judged(f"u{number}", repository=here, uncovered="fi")])
        assert self.why(home) == ("no items: 2 exchanges in a language that is not covered (fi)")

    def test_where_none_holds_any_more(self, filled):
        here = str(filled.path.resolve())
        with open_ledger(filled) as ledger:
            for item in (BODIES, LIMITER, RETRIES, NGINX):
                ledger.decide(here, item.id, "rejected")
        assert self.why(filled) == "no items hold any more, of 4"

    def test_where_there_are_only_other_kinds(self, filled):
        assert self.why(filled, "--kind", "scope") == "no items of that kind, but 3 of others"


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (["--kind", "rule"], 2, "invalid value for `--kind`", "`ctxd items -h` shows"),
        (["--session", "zzz"], 1, "no session `zzz`", "`ctxd sessions` lists them"),
        (["--session", "tw"], 1, "several sessions begin with `tw`: twin1, twin2", "type more of"),
        (["--repo", ""], 2, "invalid value for `--repo`: it is empty", "`ctxd items -h`"),
    ],
)
def test_a_mistake_is_answered_with_what_and_what_next(filled, arguments, code, message, hint):
    with open_ledger(filled) as ledger:
        rows = [SessionRow(agent=AGENT, id=f"twin{number}", spoken=True) for number in (2, 1)]
        ledger.save_sessions(rows)
    run = filled.ctxd("items", *arguments)
    first, _, second = run.err.splitlines()
    assert (run.code, run.out) == (code, "")
    assert first.startswith(f"error: {message}")
    assert second.startswith(f"hint: {hint}")


def test_a_damaged_ledger_is_not_taken_for_none(filled):
    (filled.path / "own" / "state" / "ledger.sqlite3").write_bytes(b"not a database at all" * 400)
    run = filled.ctxd("items")
    assert (run.code, run.out) == (1, "")
    assert "damaged" in run.err or "is no ledger" in run.err


def test_a_thousand_items_are_listed_in_no_time(filled):
    import time

    here = str(filled.path.resolve())
    with open_ledger(filled) as ledger:
        for start in range(0, 1000, 100):
            many = [known(f"rule number {n}", n) for n in range(start, start + 100)]
            ledger.settle([judged(f"k{start}", *many, repository=here)])
    begin = time.perf_counter()
    assert len(filled.ctxd("items").lines) == 1006
    assert time.perf_counter() - begin < 3


@pytest.mark.parametrize(
    "arguments",
    [["items"], ["items", "--all"], ["show", BODIES.id], ["search", "a"], ["show", "z"]],
)
def test_nothing_is_left_open_and_no_warning_is_raised(filled, arguments):
    quiet = filled.ctxd(*arguments)
    strict = filled.ctxd(*arguments, PYTHONDEVMODE="1", PYTHONWARNINGS="error")
    assert (strict.code, strict.out, strict.err) == (quiet.code, quiet.out, quiet.err)


@pytest.mark.parametrize("arguments", [["items"], ["show", BODIES.id], ["search", "limit"]])
def test_a_posix_locale_shows_escapes_and_does_not_fail(filled, arguments):
    with open_ledger(filled) as ledger:
        here = str(filled.path.resolve())
        for item in (BODIES, LIMITER):
            ledger.decide(here, item.id, "edited", "Grenze für 世界")
    posix = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = filled.ctxd(*arguments, **posix)
    assert (run.code, run.err) == (0, "")
    assert r"Grenze f\xfcr \u4e16\u754c" in run.out
