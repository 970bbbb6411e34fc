"""The items in `ctxd scan`: counted once, listed where asked for, and left out where not."""

import json

import jsonschema
import pytest

from cli.running import SAMPLE, plain
from cli.test_json import schema
from ctxd.counting import Counted, TranscriptCounts
from ctxd.item_counting import ItemCounter
from ctxd.scan_items import ItemSums
from ctxd_parsers.events import Withdrawn
from session_events import agent, base, user

BAN = "Never log request bodies, not even at debug level."


def found(*events, whole=False):
    counter = ItemCounter(whole=whole)
    for event in events:
        counter.take(event)
    counter.finish()
    return counter


def test_a_prohibition_is_an_item_and_small_talk_is_none():
    counter = found(user("u1", text=BAN), agent("a1"), user("u2", text="thanks"), agent("a2"))
    assert [one.event for one in counter.items.values()] == ["u1"]
    assert found(user("u1", text="thanks"), agent("a1")).items == {}


def test_what_the_user_took_back_is_no_item():
    back = Withdrawn(since="u1", **base("w"))
    assert found(user("u1", text=BAN), agent("a1"), back, user("u2", text="hi")).items == {}


def test_items_are_kept_whole_only_where_they_are_asked_for_and_then_without_secrets():
    password = "hunter2" + "correcthorse"
    said = user("u1", text=f"Never print the password: '{password}' in the logs.")
    [counted] = found(said).items.values()
    assert counted.item is None
    [whole] = found(said, whole=True).items.values()
    assert whole.item is not None
    assert password not in repr(whole)


def test_an_item_of_several_transcripts_and_agents_counts_once_a_repository():
    sums = ItemSums()
    one = {("/repo", "abc"): Counted("decision", "u1")}
    for name in ("claude", "claude", "kiro"):
        sums.take(TranscriptCounts(name, SAMPLE, 1, items=one))
    assert [sums.of_agent(name) for name in ("claude", "kiro", "none")] == [
        {"decision": 1},
        {"decision": 1},
        {},
    ]
    assert [(one.repository, one.items) for one in sums.repositories()] == [
        ("/repo", {"decision": 1})
    ]


def test_languages_that_are_not_covered_are_told(sample_home):
    sums = ItemSums()
    for number in (1, 2):
        sums.take(TranscriptCounts("a", SAMPLE, 1, uncovered={"pl": number, "tr": 1}))
    assert [(one.language, one.exchanges) for one in sums.languages()] == [("pl", 3), ("tr", 2)]


def test_the_list_has_each_item_with_its_repository(sample_home):
    run = sample_home.ctxd("scan", "--items", SAMPLE, "--json")
    report = json.loads(run.out)
    jsonschema.validate(report, schema("scan-1"))
    assert len(report["items"]) == sum(report["agents"][0]["items"].values())
    assert {item["repository"] for item in report["items"]} == {"/home/dev/shop-api"}
    assert any("never log request bodies" in item["text"] for item in report["items"])
    shown = plain(sample_home.ctxd("scan", "--items", SAMPLE).out)
    assert "never log request bodies" in shown


def test_the_sample_shows_a_decision_with_its_reason_and_what_was_turned_down(sample_home):
    report = json.loads(sample_home.ctxd("scan", "--items", SAMPLE, "--json").out)
    [choice] = [item for item in report["items"] if item["text"].startswith("In memory")]
    assert choice["kind"] == "decision"
    assert "I don't want Redis just for this" in choice["reason"]
    [other] = choice["rejected"]
    assert other.startswith("Redis")


@pytest.mark.parametrize("width", [60, 80])
def test_lists_fit_the_terminal(sample_home, width):
    for option in ("--items", "--no-items"):
        run = sample_home.on_terminal(width, "scan", option)
        assert max(map(len, plain(run.out).splitlines())) <= width


def test_without_items_none_are_looked_for(sample_home):
    report = json.loads(sample_home.ctxd("scan", "--no-items", "--json").out)
    jsonschema.validate(report, schema("scan-1"))
    assert (report["repositories"], report["items"]) == (None, None)
    assert [one["items"] for one in report["agents"]] == [None]
    assert "ITEMS" not in sample_home.ctxd("scan", "--no-items").out
