"""What a second reader found counts when an exchange is judged: of the words as they are now."""

import time
from pathlib import Path

import msgspec
import pytest

from ctxd.item import Evidence, Item, item_id
from ctxd.ledger import Ledger, Pending
from ctxd.pipeline import Pipeline
from ctxd.reader.tasks import tasks_of
from ctxd.reader.turns import heard, words_digest
from ctxd.reader.values import Finding, Findings
from ctxd.understanding import Understanding
from ctxd_parsers.discovery import transcripts_under
from ctxd_parsers.events import Withdrawn
from understood import House

KEY = ("a", "s")
CASES = Path(__file__).parent.parent / "parsers"


def judge(said):
    """A judge that sees only what begins with `rule:`."""
    return [
        Item(
            id=item_id([event.text]),
            agent=said.agent,
            session=said.session,
            event=event.id,
            time=event.time,
            kind="constraint",
            text=event.text,
            authority="user",
            probability=0.6,
            evidence=(Evidence(event.id, "user", event.text, time=event.time),),
        )
        for event in said.answer
        if event.text.startswith("rule:")
    ]


class Read(House):
    """A session that a second reader reads."""

    def begin(self):
        self.understanding = Understanding(self.ledger, self.session, time.time, judge)

    def found(self, exchange, *quotes, refuted=(), session="s", **more):
        """Findings of these quotes in an exchange, as the process that reads it makes them."""
        events = self.ledger.events(("a", session))
        [turn] = [one for one in heard(events, judge) if one.exchange == exchange]
        told = {event.id: event for event in turn.said.answer}
        found = tuple(self.finding(told[exchange], quote, **more) for quote in quotes)
        return Findings(
            exchange=exchange,
            words=words_digest(turn.said),
            reader="agent model",
            found=found,
            refuted=tuple(refuted),
        )

    def finding(self, event, quote, statement=None, **more):
        start = event.text.index(quote)
        evidence = Evidence(event.id, "user", quote, start, event.time)
        facts = {"kind": "constraint", "authority": "user", "durability": "repo", "sure": 3}
        return Finding(statement=statement or quote, evidence=(evidence,), **facts | more)

    def read(self, *findings, session="s"):
        self.ledger.keep_findings(("a", session), f"chunk {len(findings)}", findings)
        self.settle()

    def texts(self, **more):
        return sorted(kept.state.text for kept in self.items(**more))


@pytest.fixture
def house(tmp_path):
    house = Read(tmp_path)
    yield house
    house.ledger.close()


def test_what_only_the_reader_saw_becomes_an_item(house):
    house.agent("Shall I log request bodies?")
    name = house.hear("better not, they hold personal data")
    assert house.texts() == []
    house.read(house.found(name, "better not", statement="Request bodies are not logged"))
    [kept] = house.items()
    assert kept.state.text == "Request bodies are not logged"
    assert kept.exchange == ("a", "s", name)
    assert kept.item.evidence[0].quote == "better not"


def test_what_both_saw_is_one_item_and_what_the_reader_says_is_none_is_less_likely(house):
    both = house.hear("rule: never log request bodies")
    [one] = house.items()
    house.read(house.found(both, "never log request bodies", candidate=one.id))
    assert [kept.id for kept in house.items()] == [one.id]
    assert house.items()[0].item.probability > one.item.probability
    house.agent("ok")
    other = house.hear("rule: sort of, whatever")
    [before] = [kept for kept in house.items() if kept.exchange[2] == other]
    house.read(house.found(other, refuted=[before.id]))
    after = [kept for kept in house.items() if kept.id == before.id]
    assert not after or after[0].item.probability < before.item.probability


def test_what_stands_in_a_context_file_by_now_is_read_as_well(house):
    name = house.hear("rule: never log request bodies")
    [one] = house.items()
    line = f"- {one.state.text} [{one.id}]\n"
    (house.folder / "AGENTS.md").write_text(line, encoding="utf-8")
    house.read(house.found(name, "never log request bodies", candidate=one.id))
    [kept] = house.items()
    assert kept.id == one.id
    assert kept.item.probability > one.item.probability


@pytest.mark.parametrize("word", ["bodies", "headers", "cookies", "tokens", "mails", "names"])
def test_what_was_recorded_before_it_was_read_does_not_undo_the_reading(house, word):
    name = house.hear(f"rule: never log {word}")
    [one] = house.items()
    recorded = house.ledger.item_events(one.repository)
    house.read(house.found(name, f"never log {word}", candidate=one.id))
    [read] = house.items()
    house.ledger.add_item_events(one.repository, recorded)  # as from the repository's record
    assert house.items() == [read]
    assert read.item.probability > one.item.probability


def test_what_a_reader_says_is_overturned_holds_no_more(house):
    house.hear("rule: the worker retries five times")
    [old] = house.items()
    house.agent("Retries hide the failures of the worker.")
    name = house.hear("good point, let the worker fail at once then")
    words = "let the worker fail at once"
    house.read(house.found(name, words, statement="The worker fails at once", supersedes=(old.id,)))
    assert house.texts() == ["The worker fails at once"]
    [gone] = house.items(statuses=("superseded",))
    assert gone.id == old.id


def test_a_reader_overturns_neither_what_it_does_not_speak_of_nor_what_came_later(house):
    house.hear("rule: dates are written in UTC")
    [dates] = house.items()
    house.agent("Fine.")
    name = house.hear("let the worker fail at once then")
    house.agent("Done.")
    house.hear("rule: the worker retries after all")
    later = [kept.id for kept in house.items() if "after all" in kept.state.text]
    over = (dates.id, *later)
    words = "let the worker fail at once"
    house.read(house.found(name, words, statement="The worker fails at once", supersedes=over))
    assert {"rule: dates are written in UTC", "rule: the worker retries after all"} <= {
        *house.texts()
    }


def test_an_exchange_that_was_not_read_is_judged_as_before(house):
    house.hear("rule: never log request bodies")
    house.agent("ok")
    other = house.hear("hm")
    house.read(house.found(other))
    assert house.texts() == ["rule: never log request bodies"]


def test_findings_count_when_an_exchange_is_judged_again_whoever_is_chosen_then(house):
    name = house.hear("better not log request bodies")
    exchange = house.last
    house.read(house.found(name, "better not log request bodies"))
    house.begin()
    house.tell(pending=[Pending("a", "s", exchange)])
    house.settle()
    assert house.texts() == ["better not log request bodies"]


def test_judging_an_exchange_with_findings_again_changes_nothing(house):
    name = house.hear("better not log request bodies")
    findings = house.found(name, "better not log request bodies")
    house.read(findings)
    before = house.ledger.item_events(str(house.folder))
    for _ in range(2):
        house.read(findings)
    assert house.ledger.item_events(str(house.folder)) == before


def test_findings_of_an_answer_that_has_grown_count_no_more(house):
    name = house.user("better not log request bodies")
    findings = house.found(name, "better not log request bodies")
    house.settle()
    grown = house.user("well, do log them")
    exchange = msgspec.structs.replace(house.last, answer=(name, grown))
    house.tell(pending=[Pending("a", "s", exchange)])
    house.settle()
    house.read(findings)
    assert house.texts() == []
    assert house.ledger.findings(("a", "s", name)) == findings, "they may count again"


def test_findings_of_words_that_were_taken_back_count_no_more(house):
    name = house.hear("better not log request bodies")
    house.read(house.found(name, "better not log request bodies"))
    assert house.texts() == ["better not log request bodies"]
    house.tell(Withdrawn(agent="a", session="s", id="back", since=name))
    house.settle()
    assert house.texts() == []


def test_findings_that_come_after_their_words_were_taken_back_count_for_nothing(house):
    name = house.hear("better not log request bodies")
    findings = house.found(name, "better not log request bodies")
    house.tell(Withdrawn(agent="a", session="s", id="back", since=name))
    house.read(findings)
    assert house.items(statuses=()) == []


def test_findings_rest_on_the_proposal_as_it_was_too(house):
    house.agent("Shall I log request bodies?")
    name = house.hear("better not")
    findings = house.found(name, "better not", statement="Request bodies are not logged")
    changed = msgspec.structs.replace(findings, words="0123456789abcdef")
    house.read(changed)
    assert house.texts() == []
    house.read(findings)
    assert house.texts() == ["Request bodies are not logged"]


def test_what_was_forgotten_does_not_come_back_when_it_is_judged_again(house):
    name = house.hear("better not log request bodies")
    exchange = house.last
    house.read(house.found(name, "better not log request bodies"))
    [kept] = house.items()
    house.ledger.forget(kept.repository, kept.id)
    house.tell(pending=[Pending("a", "s", exchange)])
    house.settle()
    assert house.items(statuses=()) == []
    assert house.ledger.findings(("a", "s", name)).found == ()


def test_what_the_user_rejected_stays_rejected_when_a_reader_finds_it(house):
    house.hear("rule: never log request bodies")
    [one] = house.items()
    house.ledger.decide(one.repository, one.id, "rejected")
    findings = house.found(one.exchange[2], "never log request bodies", candidate=one.id)
    house.read(findings)
    assert house.texts() == []


@pytest.mark.parametrize(("year", "waits"), [(2026, False), (2020, True)])
def test_only_what_was_said_since_ctxd_runs_is_written_unasked(house, year, waits):
    said = house.session(KEY).started.replace(year=year)
    name = house.hear("Never log request bodies.", time=said)
    house.read(house.found(name, "Never log request bodies"))
    [kept] = house.items()
    assert kept.state.waits == waits


def test_a_defect_in_merging_costs_one_exchange(house, monkeypatch):
    def fail(*_):
        raise RuntimeError

    name = house.hear("rule: never log request bodies")
    house.agent("ok")
    house.hear("rule: sort imports by hand")
    monkeypatch.setattr("ctxd.reader.agreeing.agreed", fail)
    house.read(house.found(name))
    assert house.texts() == ["rule: sort imports by hand"]


@pytest.mark.parametrize(
    "case",
    [
        "claude-code/2.1.332/resume_fork",
        "claude-code/2.1.332/rewind",
        "claude-code/2.1.332/clear",
        "claude-code/2.1.332/questions",
        "claude-code/2.1.332/plan_mode",
        "codex/0.171.0/migrated",
        "codex/0.171.0/rewind",
        "copilot-cli/1.0.102/rewind_clear_new_fork",
        "copilot-cli/1.0.102/steering_user_shell",
        "gemini-cli/0.61.0/abort_rewind",
        "gemini-cli/0.61.0/refused_tool_esc",
        "kiro/cli-v2/webhook_retries",
    ],
)
def test_the_words_that_a_reader_is_shown_are_those_that_are_judged(case, tmp_path):
    """Read in another process, from the ledger, and judged by the exchange that it then is."""
    with Ledger.open(tmp_path / "ledger.sqlite3") as ledger:
        pipeline, shown, judged = Pipeline(ledger, time.time), {}, {}
        for transcript in transcripts_under(CASES / case / "log"):
            while pipeline.advance(transcript).more:
                pass
        for row in ledger.sessions():
            key = (row.agent, row.id)
            found = [
                Findings(exchange=turn.exchange, words=words_digest(turn.said), reader="r")
                for task in tasks_of(ledger, key)
                for turn in task._chunk.turns
            ]
            shown |= {(*key, one.exchange): one.words for one in found}
            ledger.keep_findings(key, "chunk", found)
        for pending in ledger.pending():
            said = pipeline.understanding._case(pending).said
            if pending.key in shown and said is not None:
                judged[pending.key] = words_digest(said)
        assert judged == shown
        assert shown
