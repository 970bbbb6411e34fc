"""The full record in the repository: appended to only, merged by git in any order to one state."""

import os
from itertools import permutations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxd.context_files import record
from ctxd.item_log import captured, restated, state, superseded, verdict
from ctxd.ledger import Ledger
from git_repos import git, new_repository, status
from made_items import at_hour, item

TABS = item("use tabs", 0)
SPACES = item("use spaces", 2)
BODIES = item("never log request bodies", 1, kind="constraint")
EVENTS = (
    captured(TABS),
    captured(SPACES),
    captured(BODIES),
    superseded(TABS.id, SPACES),
    restated(BODIES.id, item("never log bodies", 4)),
    verdict(BODIES.id, "edited", at_hour(5), "never ever log request bodies"),
    verdict(SPACES.id, "retracted", at_hour(6)),
    verdict(SPACES.id, "restored", at_hour(7)),
)


def known(root):
    found = record.read(root)
    return () if found is None else found.events


def test_what_was_appended_is_read_back(tmp_path):
    assert record.append(tmp_path, EVENTS[:3])
    assert record.append(tmp_path, EVENTS[3:])
    assert known(tmp_path) == EVENTS
    assert not record.append(tmp_path, ())


def test_a_line_is_never_changed_once_it_is_there(tmp_path):
    before = b""
    for event in EVENTS:
        record.append(tmp_path, [event])
        after = (tmp_path / record.PATH).read_bytes()
        assert after.startswith(before)
        assert after.count(b"\n") == before.count(b"\n") + 1
        before = after


def test_nothing_is_made_where_there_is_nothing_to_tell(tmp_path):
    record.append(tmp_path, ())
    assert not (tmp_path / ".ctxd").exists()


def test_git_sees_nothing_but_the_records_own_folder(tmp_path):
    root = new_repository(tmp_path / "shop")
    record.append(root, EVENTS)
    assert set(status(root)) == {".ctxd/.gitattributes", ".ctxd/items.jsonl"}
    assert git(root, "check-attr", "merge", record.PATH).endswith("union")


def test_attributes_that_a_human_wrote_stay(tmp_path):
    (tmp_path / ".ctxd").mkdir()
    attributes = tmp_path / ".ctxd" / ".gitattributes"
    attributes.write_text("items.jsonl merge=ours\n", encoding="utf-8")
    record.append(tmp_path, EVENTS)
    assert attributes.read_text(encoding="utf-8") == "items.jsonl merge=ours\n"


@pytest.mark.parametrize(
    "line",
    [
        b"<<<<<<< HEAD",
        b'{"id": "torn',
        b"[1]",
        b'{"id":"a","item":"b","type":"exploded","by":"user"}',
        b'{"id":"","item":"","type":"captured","by":"user"}',
        b"\xff\xfe",
        b'{"a":' * 100_000,
    ],
)
def test_a_line_that_is_no_event_is_counted_and_left(tmp_path, line):
    record.append(tmp_path, EVENTS[:1])
    path = tmp_path / record.PATH
    path.write_bytes(path.read_bytes() + line)
    assert record.read(tmp_path).unread == 1
    record.append(tmp_path, EVENTS[1:2])
    assert known(tmp_path) == EVENTS[:2]
    assert line in path.read_bytes().split(b"\n")


def test_a_field_of_a_newer_version_does_not_hide_an_event():
    row = msgspec.json.decode(msgspec.json.encode(EVENTS[0])) | {"mood": "sunny"}
    assert record.parsed(msgspec.json.encode(row)).events == EVENTS[:1]


def test_line_ends_of_another_system_are_read():
    data = b"".join(msgspec.json.encode(event) + b"\r\n" for event in EVENTS)
    assert record.parsed(data).events == EVENTS


def test_a_record_that_is_too_large_is_not_added_to(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORD_BYTES", 2000)
    record.append(tmp_path, EVENTS[:1])
    before = (tmp_path / record.PATH).read_bytes()
    with pytest.raises(OSError, match="full"):
        record.append(tmp_path, EVENTS[1:])
    assert (tmp_path / record.PATH).read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_neither_a_linked_folder_nor_a_linked_file_is_written_through(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / ".ctxd").symlink_to(outside)
    with pytest.raises(OSError):
        record.append(root, EVENTS)
    assert record.read(root) is None
    (root / ".ctxd").unlink()
    (root / ".ctxd").mkdir()
    (outside / "victim").write_bytes(b"precious")
    (root / record.PATH).symlink_to(outside / "victim")
    with pytest.raises(OSError):
        record.append(root, EVENTS)
    assert sorted(path.name for path in outside.iterdir()) == ["victim"]
    assert (outside / "victim").read_bytes() == b"precious"


def test_what_is_missing_is_all_of_the_items_that_are_told_of():
    have = record.Record(EVENTS[:1])
    assert record.missing(have, EVENTS, ()) == [EVENTS[3]]
    later = record.missing(have, EVENTS, {BODIES.id})
    assert {event.item for event in later} == {TABS.id, BODIES.id}
    assert record.missing(record.Record(EVENTS), EVENTS, {BODIES.id}) == []
    assert record.missing(None, EVENTS, ()) == []


def test_a_ledger_is_rebuilt_from_the_record(tmp_path):
    record.append(tmp_path, EVENTS)
    with Ledger.open(tmp_path / "ledger.sqlite3") as ledger:
        ledger.add_item_events("/shop", record.read(tmp_path).events)
        found = {kept.id: kept.state for kept in ledger.items("/shop", statuses=())}
        history = ledger.item_events("/shop")
    assert found == state(EVENTS)
    assert record.missing(record.read(tmp_path), history, found) == []


def merged(root, order):
    """Merge branches into main one after the other; what the record comes to."""
    git(root, "checkout", "-q", "-B", "both", "main")
    for name in order:
        git(root, "merge", "-q", "--no-edit", name)
    return state(known(root))


def on_branch(root, name, events):
    git(root, "checkout", "-q", "-b", name, "main")
    for event in events:
        record.append(root, [event])
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", event.type)


def test_three_branches_merge_in_any_order_to_the_same_state(tmp_path):
    root = new_repository(tmp_path / "shop")
    record.append(root, EVENTS[:3])
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "record")
    for name, part in (("a", EVENTS[3:5]), ("b", EVENTS[5:6]), ("c", EVENTS[6:])):
        on_branch(root, name, part)
    for order in permutations("abc"):
        assert merged(root, order) == state(EVENTS), order


@st.composite
def histories(draw):
    """Events, and which of two branches each comes to: the first, the second, or both of them."""
    words = draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True))
    items = [item(f"rule {word}", hour) for hour, word in enumerate(words)]
    events = [captured(one) for one in items]
    for number in range(draw(st.integers(0, 8))):
        one, other = draw(st.sampled_from(items)), draw(st.sampled_from(items))
        now = at_hour(20 + number)
        events.append(
            draw(
                st.sampled_from(
                    [
                        verdict(one.id, "accepted", now),
                        verdict(one.id, "edited", now, f"rule {number}"),
                        verdict(one.id, "retracted", now),
                        superseded(one.id, other),
                        restated(one.id, item(f"again {number}", 10 + number)),
                    ]
                )
            )
        )
    return [(event, draw(st.sampled_from(["first", "second", "both"]))) for event in events]


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(histories(), st.booleans())
def test_generated_histories_merge_to_the_same_state_whoever_merges(tmp_path_factory, made, begun):
    root = new_repository(tmp_path_factory.mktemp("merge") / "shop")
    if begun:
        record.append(root, EVENTS[:1])
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "record")
    for name in ("first", "second"):
        git(root, "checkout", "-q", "-b", name, "main")
        record.append(root, [event for event, where in made if where in (name, "both")])
        git(root, "add", "-A")
        git(root, "commit", "-q", "--allow-empty", "-m", name)
    everything = state([*(EVENTS[:1] if begun else ()), *(event for event, _ in made)])
    for order in (("first", "second"), ("second", "first")):
        assert merged(root, order) == everything
        assert record.read(root) is None or record.read(root).unread == 0
