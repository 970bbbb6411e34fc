"""`ctxd compactions`: what each compaction dropped, why ctxd thinks so, and what was done."""

import json
import os

import jsonschema
import pytest

from batches import batch
from cli.known import (
    AGENT,
    BODIES,
    DAY,
    LIMITER,
    LOG,
    RETRIES,
    SESSION,
    fill,
    judged,
    known,
    make_repository,
    minute,
    open_ledger,
)
from cli.running import plain
from cli.test_json import schema
from ctxd.context_files import memories
from ctxd.context_files.memories import Known
from ctxd.context_files.values import Memory
from ctxd.ledger import SessionRow, WaitingBoundary
from ctxd.retention.revising import revise
from ctxd.retention.values import ItemVerdict, Record, Reread, Verdict
from ctxd.signals import Boundary
from ctxd_parsers.events import Compaction

on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")

SUMMARY = "Summary:\n1. Rate limit with counters.\n\x1b]0;owned\x07 \u202e"
CHANGED = Verdict(
    "changed", "counters in the process", "summary", "c1", "name: Redis, not counters"
)


def found(item, verdict, here, **more):
    return ItemVerdict(
        repository=here,
        item=item.id,
        kind=item.kind,
        severity=item.severity,
        verdict=verdict,
        said=item.time,
        **more,
    )


def happened(name, number, **more):
    facts = {"trigger": "auto", "tokens_before": 167_000, "tokens_after": 12_345, "kept": ()} | more
    return Compaction(agent=AGENT, session=SESSION, id=name, time=minute(number), **facts)


def record(name, number, *items, **more):
    facts = {"trigger": "auto", "tokens_before": 167_000, "tokens_after": 12_345} | more
    return Record(
        agent=AGENT, session=SESSION, event=name, time=minute(number), items=items, **facts
    )


@pytest.fixture
def filled(home):
    """A session that was compacted three times: items were lost, changed, and not judged yet."""
    fill(home)
    here = str(home.path.resolve())
    events = [
        happened("c1", 10, summary=SUMMARY),
        happened("c2", 20, summary="", readable=False, trigger="manual", tokens_after=None),
        happened("c3", 30, summary="later"),
    ]
    waits = WaitingBoundary(
        agent=AGENT, session=SESSION, repository=here, boundary=Boundary("c3", minute(30), "auto")
    )
    row = SessionRow(
        agent=AGENT,
        id=SESSION,
        cwd=here,
        title="Rate limits",
        turns=3,
        compactions=3,
        spoken=True,
        last_event=DAY,
    )
    with open_ledger(home) as ledger:
        ledger.record(batch(*events, path=LOG, offset=900, sessions=[row], boundaries=[waits]))
        ledger.keep_record(
            record(
                "c1",
                10,
                found(LIMITER, CHANGED, here, owed=True),
                found(BODIES, Verdict("lost", why="not mentioned"), here, owed=True),
                found(RETRIES, Verdict("kept", "look at the retries", "summary", "c1"), here),
                live=True,
                files_unnamed=[f"src/file{number}.py" for number in range(9)],
                request_missing="please draw\nthe new diagram of the limiter",
                files=["CLAUDE.md"],
                nested_gone=["web/CLAUDE.md"],
            )
        )
        ledger.mark_given(AGENT, SESSION, [(here, BODIES.id)], minute(11).timestamp())
        ledger.keep_record(
            record(
                "c2",
                20,
                found(BODIES, Verdict("unknown", why="the summary cannot be read"), here),
                trigger="manual",
                tokens_after=None,
                readable=False,
            )
        )
        memory = {"AGENTS.md": Memory(written={BODIES.id: f"- {BODIES.text}"}, block=True)}
        memories.remember(ledger, here, Known(repository=here, memory=memory))
    return home


def rows(run):
    assert (run.code, run.err) == (0, "")
    return [json.loads(line) for line in run.lines]


class TestList:
    def test_each_with_what_it_dropped_and_what_was_done(self, filled):
        run = filled.ctxd("compactions")
        assert (run.code, run.err) == (0, "")
        text = run.out
        assert text.startswith(f"{AGENT} {SESSION}\nRate limits\n")
        first, second, third = text.split("\n\n")[1:]
        files = ", ".join(f"src/file{number}.py" for number in (8, 7, 6, 5, 4, 3))
        assert first.splitlines() == [
            "1  2026-03-14 09:10  auto, 167,000 -> 12,345 tokens",
            "    1 kept, 1 changed, 1 lost",
            f"    lost     {BODIES.id[:4]}  {BODIES.text}",
            "                   not mentioned",
            "                   given back to the agent 2026-03-14 09:11; in AGENTS.md",
            f"    changed  {LIMITER.id[:4]}  {LIMITER.text}",
            '                   the summary says: "counters in the process"',
            "                   name: Redis, not counters",
            "                   not given back to the agent",
            '    your last request is not in it: "please draw the new diagram of the limiter"',
            "    gone until a file there is touched again: web/CLAUDE.md",
            f"    files not named: {files} and 3 more",
        ]
        assert second.splitlines() == [
            "2  2026-03-14 09:20  manual, 167,000 -> - tokens",
            "    1 unknown",
            "    the summary cannot be read",
        ]
        assert third.splitlines() == [
            "3  2026-03-14 09:30  auto",
            "    not judged yet",
        ]

    @on_terminal
    @pytest.mark.parametrize("width", [60, 80])
    def test_no_line_is_wider_than_the_terminal(self, filled, width):
        run = filled.on_terminal(width, "compactions", "--summary")
        lines = plain(run.out).splitlines()
        assert run.code == 0
        assert len(lines) > 20
        assert max(map(len, lines)) <= width

    @on_terminal
    def test_a_page_at_a_width(self, filled, snapshot):
        run = filled.on_terminal(80, "compactions", NO_COLOR="1")
        snapshot("compactions-80", plain(run.out))

    def test_the_summary_is_shown_when_asked_for_and_does_nothing_to_the_terminal(self, filled):
        assert "Summary:" not in filled.ctxd("compactions").out
        text = filled.ctxd("compactions", "--summary").out
        assert "    | 1. Rate limit with counters." in text
        assert "\x1b" not in text
        assert "\\x1b]0;owned\\x07 \\u202e" in text

    def test_of_history_it_is_not_said_that_nothing_was_done(self, filled):
        with open_ledger(filled) as ledger:
            here = str(filled.path.resolve())
            lost = found(RETRIES, Verdict("lost", why="not mentioned"), here)
            ledger.keep_record(record("c3", 30, lost, live=False))
            shown = filled.ctxd("compactions").out
            assert "not put back" not in shown
            ledger.keep_record(record("c3", 30, lost, live=True))
        assert "not put back" in filled.ctxd("compactions").out

    def test_what_a_humans_file_says_is_told_as_such(self, filled):
        with open_ledger(filled) as ledger:
            here = str(filled.path.resolve())
            lost = found(RETRIES, Verdict("lost"), here, on_disk_before=True)
            ledger.keep_record(record("c3", 30, lost, live=True))
        assert "stood in a context file of yours" in filled.ctxd("compactions").out


class TestWhich:
    def test_a_session_by_the_start_of_its_id(self, filled):
        elsewhere = filled.path / "other"
        elsewhere.mkdir()
        run = filled.ctxd("compactions", SESSION[:4])
        assert run.lines[0] == f"{AGENT} {SESSION}"

    @pytest.mark.parametrize(
        ("arguments", "message", "hint"),
        [
            (["nope"], "no session `nope`", "`ctxd sessions` lists them with their ids"),
            (["--item", "zzzz"], "no item `zzzz`", "`ctxd items` lists them"),
        ],
    )
    def test_what_is_not_there_is_said_with_what_to_do(self, filled, arguments, message, hint):
        run = filled.ctxd("compactions", *arguments)
        assert run.code == 1
        assert message in run.err
        assert hint in run.err

    def test_the_last_session_of_the_folder_that_had_any(self, filled):
        here = str(filled.path.resolve())
        later = SessionRow(
            agent=AGENT, id="later", cwd=here, spoken=True, last_event=minute(99), compactions=0
        )
        with open_ledger(filled) as ledger:
            ledger.record(batch(path=LOG.with_name("later"), sessions=[later]))
        assert filled.ctxd("compactions").lines[0] == f"{AGENT} {SESSION}"

    def test_another_folder_has_none(self, filled):
        other = filled.path / "other"
        other.mkdir()
        make_repository(other)
        run = filled.ctxd("compactions", "--repo", other)
        assert (run.code, run.err) == (0, "")
        assert run.lines[0] == "no compactions: no session in `~/other` had any"
        assert run.lines[1].startswith("hint: `ctxd sessions`")

    def test_before_anything_was_read_it_says_so(self, home):
        run = home.ctxd("compactions")
        assert run.code == 0
        assert run.lines[0] == "no compactions: ctxd has not read any session yet"
        assert home.ctxd("compactions", "--json").out == ""


class TestOneItem:
    def test_the_compactions_that_judged_it_are_shown(self, filled):
        run = filled.ctxd("compactions", "--item", BODIES.id[:4])
        assert run.code == 0
        assert run.lines[0] == BODIES.text
        assert [line for line in run.lines if line.startswith("    ")] == [
            "    lost     not mentioned",
            "             given back to the agent 2026-03-14 09:11; in AGENTS.md",
            "    the summary cannot be read",
            "    unknown",
        ]
        assert LIMITER.text not in run.out
        assert "files not named" not in run.out

    def test_as_json_each_has_that_item_alone(self, filled):
        found = rows(filled.ctxd("compactions", "--item", BODIES.id, "--json"))
        assert [(row["number"], [one["answer"] for one in row["items"]]) for row in found] == [
            (1, ["lost"]),
            (2, ["unknown"]),
        ]

    def test_one_that_no_compaction_judged_is_told_as_such(self, filled):
        with open_ledger(filled) as ledger:
            fresh = known("use a queue", 40, "u40")
            here = str(filled.path.resolve())
            ledger.settle([judged("u40", fresh, repository=here)])
        run = filled.ctxd("compactions", "--item", fresh.id)
        assert run.code == 0
        assert run.lines[0] == f"no compaction has judged `{fresh.id}`"

    def test_a_session_whose_compactions_are_anothers_is_not_said_to_have_had_none(self, filled):
        copy = "c0ffee00-0000-4000-8000-000000000001"
        row = SessionRow(agent=AGENT, id=copy, turns=3, compactions=1, spoken=True, last_event=DAY)
        with open_ledger(filled) as ledger:
            ledger.record(batch(path=LOG.with_name("copy.jsonl"), sessions=[row]))
        run = filled.ctxd("compactions", copy[:6])
        assert (run.code, run.lines[0]) == (0, "no compaction is recorded with this session")
        assert "copied from" in run.lines[1]


class TestJson:
    def test_it_is_as_published(self, filled):
        found = rows(filled.ctxd("compactions", "--json"))
        for row in found:
            jsonschema.validate(row, schema("compaction-1"))
        first, second, third = found
        assert first["counts"] == {
            "kept": 1,
            "weakened": 0,
            "changed": 1,
            "lost": 1,
            "reloaded": 0,
            "unknown": 0,
        }
        assert [one["answer"] for one in first["items"]] == ["lost", "changed", "kept"]
        assert first["items"][0]["given"].startswith("2026-03-14T09:11")
        assert first["items"][0]["files"] == ["AGENTS.md"]
        assert first["items"][1]["owed"] is True
        assert len(first["files_not_named"]) == 9
        assert first["context_files"] == ["CLAUDE.md"]
        assert first["nested_files_gone"] == ["web/CLAUDE.md"]
        assert (first["summary"], third["judged"]) == (None, False)
        assert (second["summary_readable"], second["trigger"]) == (False, "manual")

    def test_the_summary_is_in_it_when_asked_for(self, filled):
        found = rows(filled.ctxd("compactions", "--json", "--summary"))
        assert found[0]["summary"].startswith("Summary:\n1. Rate limit")

    def test_a_forgotten_item_is_gone_from_it(self, filled):
        with open_ledger(filled) as ledger:
            ledger.forget(str(filled.path.resolve()), BODIES.id)
        text = filled.ctxd("compactions", "--json", "--summary").out
        assert BODIES.text not in text
        assert BODIES.id not in text


class TestWhose:
    @pytest.fixture
    def reread(self, filled):
        """A reader was asked: of one item it agrees, of one it does not, of one it showed
        nothing."""
        here = str(filled.path.resolve())
        told = [
            Reread(here, LIMITER.id, Verdict("kept", "with counters", "summary", "c1")),
            Reread(here, BODIES.id, Verdict("lost", why="not stated")),
            Reread(here, RETRIES.id),
        ]
        with open_ledger(filled) as ledger:
            revise(ledger, (AGENT, SESSION), "c1", told, "codex gpt\x1b]0;owned\x07")
        return filled

    def test_whose_verdict_it_is_is_shown_and_a_false_alarm_with_it(self, reread):
        lines = [line.strip() for line in reread.ctxd("compactions").lines]
        assert "2 kept, 1 lost" in lines
        assert any(line.startswith("so say the comparison and codex gpt") for line in lines)
        [turned] = [line for line in lines if line.endswith("the comparison alone: changed")]
        assert turned.startswith("codex gpt")
        assert "\x1b" not in reread.ctxd("compactions").out
        one = reread.ctxd("compactions", "--item", RETRIES.id).out
        assert "showed nothing that stands there: the comparison counts" in one

    def test_as_json(self, reread):
        found = rows(reread.ctxd("compactions", "--json"))
        jsonschema.validate(found[0], schema("compaction-1"))
        whose = {
            one["id"]: (one["answer"], one["offline_answer"], one["reader_answer"], one["owed"])
            for one in found[0]["items"]
        }
        # It is not the last compaction: nobody looked for the one there since it seemed changed.
        assert whose == {
            LIMITER.id: ("kept", "changed", "kept", True),
            BODIES.id: ("lost", "lost", "lost", False),
            RETRIES.id: ("kept", "kept", None, False),
        }
        assert all(one["reader"].startswith("codex gpt") for one in found[0]["items"])
        assert found[1]["items"][0]["reader"] is None


class TestElsewhere:
    def test_show_tells_how_an_item_fared(self, filled):
        run = filled.ctxd("show", BODIES.id[:4])
        assert "  compactions   lost at 1 of 2 compactions, given back after 1" in run.lines
        [shown] = rows(filled.ctxd("show", BODIES.id, "--json"))
        assert [(one["number"], one["answer"]) for one in shown["compactions"]] == [
            (1, "lost"),
            (2, "unknown"),
        ]
        kept = filled.ctxd("show", RETRIES.id[:4]).out
        assert "kept at the only one it went through" in kept

    def test_status_of_a_session_tells_what_each_compaction_did(self, filled):
        run = filled.ctxd("status", "--session", SESSION[:4])
        lines = [line.strip() for line in run.lines]
        assert "1 kept, 1 changed, 1 lost" in lines
        assert "1 unknown" in lines
        assert f"hint: `ctxd compactions {SESSION[:8]}` tells what was lost" in lines
        [row] = rows(filled.ctxd("status", "--session", SESSION, "--json"))
        counts = [one["counts"] for one in row["latest_compactions"]]
        assert counts[0] is None, "the newest is not judged yet"
        assert (counts[2]["lost"], counts[2]["changed"]) == (1, 1)
        assert [one["trigger"] for one in row["latest_compactions"]] == ["auto", "manual", "auto"]

    def test_status_counts_what_was_dropped_and_given_back(self, filled):
        run = filled.ctxd("status", "--json")
        status = json.loads(run.out)
        jsonschema.validate(status, schema("status-1"))
        counts = [status["compactions"][name] for name in ("judged", "to_judge", "dropped")]
        assert (counts, status["compactions"]["given_back"]) == ([2, 1, 2], 1)

    def test_and_says_so_in_a_line(self, filled):
        with open_ledger(filled) as ledger:
            ledger.set_meta("fact", "x")
        text = filled.ctxd("status").out
        assert "2 compactions  2 items dropped, 1 of them given back, 1 still to be judged" in text
