"""The log of operations of a VS Code chat: replay, repeats, what was taken back, bounds, damage."""

import json
import random
from pathlib import PurePosixPath

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxd_parsers.copilot_vscode_chat import CHAT, OPEN_RESPONSE_CHARS
from ctxd_parsers.copilot_vscode_log import Raw, append, change, kept
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    Interrupted,
    SessionTitled,
    TurnEnded,
    Unknown,
    Unparsed,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.framing import Framer
from ctxd_parsers.parser import Record
from ctxd_parsers.reading import Transcript, read_events, read_records
from parsers.vscode_chats import (
    BEGIN,
    CASE,
    ENGINE,
    FIXTURE,
    FLAT,
    LOG,
    answered,
    carousel,
    chat,
    cut,
    fixture_events,
    lines,
    model_response,
    of,
    push,
    put,
    request,
    result,
    texts,
    told,
    told_flat,
    tool_call,
    whole,
)


def replayed(path):
    """The whole state that a log leaves behind."""
    state = {}
    for line in path.read_bytes().splitlines():
        operation = json.loads(line)
        where = operation.get("k", [])
        if operation["kind"] == 0:
            state = operation["v"]
        elif operation["kind"] == 2:
            assert append(state, where, operation.get("v", []), operation.get("i"))
        else:
            gone = operation["kind"] == 3 or "v" not in operation
            assert change(state, where, msgspec.UNSET if gone else operation["v"])
    return state


# The log


def test_replaying_a_log_leaves_exactly_the_state_that_the_client_had():
    expected = json.loads((CASE / "replayed_state.json").read_text(encoding="utf-8"))
    assert replayed(FIXTURE) == expected


def test_what_is_remembered_of_a_log_is_what_is_kept_of_its_whole_state():
    state = LOG.begin(FIXTURE, {})
    for record in read_records(Transcript(FIXTURE, LOG)):
        list(LOG.parse([record], state))
    whole_state = Raw(msgspec.json.encode(replayed(FIXTURE)))
    reduced = kept(whole_state, CHAT)
    assert reduced["requests"][0]["message"]["text"].startswith("Look at src/db.py")
    assert [r["requestId"] for r in state.chat["requests"]] == [
        r["requestId"] for r in reduced["requests"]
    ]
    for name in ("version", "creationDate", "customTitle", "sessionId"):
        assert state.chat[name] == reduced[name]
    assert "inputState" not in state.chat


@pytest.mark.parametrize(
    ("state", "path", "value", "left"),
    [
        ({"a": [1, 2]}, ["a", 1], 5, {"a": [1, 5]}),
        ({"a": [1]}, ["a", 3], 5, {"a": [1, None, None, 5]}),
        ({"a": 1, "b": 2}, ["a"], msgspec.UNSET, {"b": 2}),
        ({"a": [1, 2]}, ["a", 0], msgspec.UNSET, {"a": [None, 2]}),
        ({"a": {}}, ["a", "new"], [], {"a": {"new": []}}),
    ],
)
def test_setting_does_what_the_client_does(state, path, value, left):
    assert change(state, path, value)
    assert state == left


@pytest.mark.parametrize(
    ("state", "values", "length", "left"),
    [
        ({"a": [1, 2, 3]}, [9], 1, {"a": [1, 9]}),
        ({"a": [1, 2, 3]}, [], 0, {"a": []}),
        ({"a": [1]}, [2, 3], None, {"a": [1, 2, 3]}),
        ({"a": [1]}, [7], 3, {"a": [1, None, None, 7]}),
        ({}, [1], None, {"a": [1]}),
        ({"a": None}, [1], None, {"a": [1]}),
        ({"a": ""}, [1], None, {"a": [1]}),
    ],
)
def test_appending_does_what_the_client_does(state, values, length, left):
    assert append(state, ["a"], values, length)
    assert state == left


def test_a_chat_may_be_undone_field_by_field_without_a_word_lost():
    """A set without a value unsets, as `undefined` vanishes in JSON."""
    found = told(
        whole(request(0, "use tabs")),
        put(["customTitle"], "Tabs"),
        {"kind": 1, "k": ["customTitle"]},
        put(["customTitle"], "Tabs or spaces"),
    )
    assert [event.title for event in of(SessionTitled, found)] == ["Tabs", "Tabs or spaces"]
    assert texts(UserMessage, found) == ["use tabs"]


# What was taken back


def test_a_cancelled_request_that_another_replaced_is_withdrawn():
    found = fixture_events()
    (gone,) = of(Withdrawn, found)
    cancelled, after = of(UserMessage, found)[4:]
    assert (cancelled.text, gone.since, gone.reason) == (
        "rename everything",
        cancelled.id,
        "cancelled",
    )
    places = [found.index(event) for event in (cancelled, gone, after)]
    assert places == sorted(places)
    between = found[places[0] + 1 : places[1]]
    assert [type(event) for event in between] == [Interrupted, TurnEnded]


def test_a_rewind_takes_back_all_turns_after_it_at_once():
    found = told(
        whole(answered(0, "a", "A"), answered(1, "b", "B"), answered(2, "c", "C")),
        push(["requests"], request(3, "d"), cut=1),
    )
    (gone,) = of(Withdrawn, found)
    kept_word, first_gone, _, after = of(UserMessage, found)
    assert (gone.since, gone.until, gone.reason) == (first_gone.id, None, "rewind")
    assert (kept_word.text, after.text) == ("a", "d")


def test_a_request_taken_back_before_anything_follows_is_withdrawn_at_once():
    found = told(whole(answered(0, "a", "A"), answered(1, "b", "B")), cut(["requests"], 1))
    assert [event.since for event in of(Withdrawn, found)] == [of(UserMessage, found)[1].id]


def test_a_removal_in_the_middle_takes_back_no_later_turn():
    found = told(
        whole(answered(0, "a", "A"), answered(1, "b", "B"), answered(2, "c", "C")),
        push(["requests"], answered(2, "c", "C"), cut=1),
    )
    _, removed, later = of(UserMessage, found)
    (gone,) = of(Withdrawn, found)
    assert (gone.since, gone.until) == (removed.id, later.id)
    assert texts(AssistantMessage, found) == ["A", "B", "C"]


def test_a_request_that_was_sent_again_is_another_message():
    """The same words after the same prompt: the second must not be taken for a repeat."""
    found = told(
        whole(answered(0, "plan", "A or B?"), answered(1, "yes, A", "Doing B.")),
        push(["requests"], answered(5, "yes, A", "Doing A."), cut=1),
    )
    _, first, again = of(UserMessage, found)
    assert (first.text, again.text) == ("yes, A", "yes, A")
    assert first.id != again.id
    assert of(Withdrawn, found)[0].since == first.id


def test_short_answers_to_different_prompts_are_different_messages():
    found = told(whole(*(answered(n, text, "ok") for n, text in enumerate(["do x", "yes"] * 3))))
    assert len({event.id for event in of(UserMessage, found)}) == 6
    assert len({event.id for event in of(AssistantMessage, found)}) == 6


def test_a_system_turn_that_is_taken_back_is_withdrawn_by_its_first_event():
    notice = answered(1, "`make` completed", "It built.", isSystemInitiated=True)
    found = told(whole(answered(0, "build", "Building."), notice), cut(["requests"], 1))
    (gone,) = of(Withdrawn, found)
    assert gone.since == of(AssistantMessage, found)[1].id


def test_a_restored_checkpoint_takes_nothing_back_until_the_next_request():
    marked = answered(1, "b", "B", shouldBeRemovedOnSend={"requestId": "request_1"})
    found = told(whole(answered(0, "a", "A"), marked))
    assert of(Withdrawn, found) == []
    assert texts(UserMessage, found) == ["a", "b"]


def test_a_running_request_that_was_cancelled_and_replaced_is_told_in_order():
    found = told(
        whole(request(0, "rename everything")),
        push(["requests", 0, "response"], {"value": "Renaming "}),
        put(["requests", 0, "result"], {"errorDetails": {"message": "Canceled"}, "metadata": {}}),
        put(["requests", 0, "modelState"], {"value": 2}),
        push(["requests"], request(1, "only get_order"), cut=0),
    )
    kinds = [type(event) for event in found[1:]]
    assert kinds == [
        UserMessage,
        AssistantMessage,
        Interrupted,
        TurnEnded,
        Withdrawn,
        UserMessage,
    ]
    assert of(Withdrawn, found)[0].reason == "cancelled"


# Repeats


def test_a_whole_state_in_the_middle_repeats_nothing():
    turns = [answered(0, "a", "A"), answered(1, "b", "B")]
    once = told(whole(*turns, customTitle="T"))
    assert told(whole(*turns, customTitle="T"), whole(*turns, customTitle="T")) == once


def test_a_whole_state_that_lacks_requests_takes_them_back():
    turns = [answered(0, "a", "A"), answered(1, "b", "B")]
    found = told(whole(*turns), whole(turns[0]))
    assert [event.since for event in of(Withdrawn, found)] == [of(UserMessage, found)[1].id]


def test_a_log_that_was_rewritten_gives_the_ids_it_gave_before():
    before = {event.id: event for event in fixture_events()}
    state = json.loads((CASE / "replayed_state.json").read_text(encoding="utf-8"))
    after = told({"kind": 0, "v": state})
    assert {event.id for event in after} <= before.keys()
    for event in of(UserMessage, after) + of(AssistantMessage, after) + of(Compaction, after):
        assert msgspec.structs.replace(event, span=None) == msgspec.structs.replace(
            before[event.id], span=None
        )


def test_the_flat_json_of_a_chat_gives_the_ids_of_its_log():
    state = json.loads((CASE / "replayed_state.json").read_text(encoding="utf-8"))
    log = told({"kind": 0, "v": state})
    flat = told_flat(state)
    plain = [[msgspec.structs.replace(e, span=None) for e in found] for found in (log, flat)]
    assert plain[0] == plain[1]


def test_a_flat_chat_read_again_after_a_change_tells_only_what_is_new():
    state = FLAT.begin(PurePosixPath("chat-1.json"), {})
    first = [answered(0, "a", "A"), request(1, "b")]
    second = [answered(0, "a", "A"), answered(1, "b", "B"), request(2, "c")]
    events = []
    for turns in (first, second):
        data = json.dumps(chat(*turns)).encode()
        events.append(list(FLAT.parse([Record(data, 0, len(data))], state)))
    assert texts(UserMessage, events[0]) == ["a", "b"]
    assert texts(UserMessage, events[1]) == ["c"]
    assert texts(AssistantMessage, events[1]) == ["B"]


# Bounds


def stored(state):
    return len(msgspec.msgpack.encode(state))


def test_a_log_of_20_mb_is_remembered_in_less_than_one():
    """Bulk of every kind: drafts, thinking, tool results, rendered prompts, edits."""
    state, longest, size, number = LOG.begin(PurePosixPath("x.jsonl"), {}), 0, 0, 0
    operations = [whole()]
    words = []
    while size < 20_000_000:
        call = tool_call(f"c{number}", "create_file", filePath="/w/a.py", content="x" * 30_000)
        done = result(
            model_response(
                f"r{number}", "Said. " * 50, call, thinking={"text": "", "id": "e" * 5000}
            ),
            results={call["id"]: "out " * 10_000},
            renderedUserMessage=[{"text": "ctx " * 10_000}],
        )
        shown = [
            {"kind": "thinking", "value": "think " * 2000},
            {"value": "Said. " * 50},
            {"kind": "textEditGroup", "edits": [[{"text": "y" * 20_000}]]},
        ]
        operations += [
            push(["requests"], request(number, f"do {number}")),
            put(["inputState", "inputText"], "draft " * 500),
            push(["requests", number, "response"], *shown),
            put(["requests", number, "result"], done),
            put(["requests", number, "modelState"], {"value": 1}),
            push(["requests", number, "response"], {"value": "Done."}, cut=2),
        ]
        data = lines(*operations)
        size += len(data)
        number += 1
        for record in Framer().feed(data):
            words += of(UserMessage, list(LOG.parse([record], state)))
            longest = max(longest, stored(state))
        operations = []
    assert len(words) == number
    assert longest < 1_000_000
    assert longest < 100_000, "bulk is left out, not only cut"


def test_a_chat_of_ten_thousand_requests_is_remembered_in_less_than_a_megabyte():
    state = LOG.begin(PurePosixPath("x.jsonl"), {})
    events = []
    for start in range(0, 10_000, 500):
        turns = [answered(n, f"do {n}", "ok") for n in range(start, start + 500)]
        data = lines(*([whole()] if not start else []), push(["requests"], *turns))
        events += LOG.parse(Framer().feed(data), state)
        assert stored(state) < 1_000_000
    assert len({event.id for event in of(UserMessage, events)}) == 10_000
    late = list(LOG.parse(Framer().feed(lines(push(["requests"], request(10_000, "end")))), state))
    assert texts(UserMessage, late) == ["end"]


def test_a_response_that_grows_without_end_is_cut_at_the_bound():
    state = LOG.begin(PurePosixPath("x.jsonl"), {})
    operations = [whole(request(0, "go"))]
    operations += [
        push(["requests", 0, "response"], {"value": "x" * 50_000}, {"kind": "undoStop"})
        for _ in range(40)
    ]
    found = list(LOG.parse(Framer().feed(lines(*operations)), state))
    assert stored(state) < OPEN_RESPONSE_CHARS + 50_000
    end = lines(put(["requests", 0, "modelState"], {"value": 2}), put(["customTitle"], "t"))
    found += LOG.parse(Framer().feed(end), state)
    assert [len(text) for text in texts(AssistantMessage, found)] == [OPEN_RESPONSE_CHARS]


# Damage


GOOD = [whole(request(0, "use sqlite")), push(["requests"], request(1, "never touch migrations"))]
HOSTILE = {
    "a request that is not there": push(["requests", 7, "response"], {"value": "x"}),
    "an index below zero": push(["requests", -1, "response"], {"value": "x"}),
    "a huge index": put(["requests", 10**12], request(9, "x")),
    "a huge cut": cut(["requests"], 10**12),
    "a cut below zero": cut(["requests"], -5),
    "requests that are no array": put(["requests"], "gone"),
    "a request that is no object": put(["requests", 0], "gone"),
    "an append to a text": push(["customTitle"], "x"),
    "an append to an object": push(["requests", 0], "x"),
    "a path of numbers": put([0, 1], "x"),
    "a path into a text": put(["requests", "0", "message"], "x"),
    "a path of wrong types": {"kind": 1, "k": [None, True, {}], "v": 1},
    "a path that is a text": {"kind": 1, "k": "requests", "v": []},
    "no path": {"kind": 2, "v": [request(9, "x")]},
    "a state that is a number": {"kind": 0, "v": 7},
    "a state that is missing": {"kind": 0},
    "an index that is a text": {"kind": 2, "k": ["requests"], "v": [], "i": "1"},
    "a kind that is a text": {"kind": "2", "k": ["requests"], "v": []},
    "no kind": {"k": ["requests"], "v": []},
    "deep nesting": b'{"kind":1,"k":["customTitle"],"v":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "NULs": b"\0" * 500,
    "a torn operation": b'{"kind":2,"k":["requests"],"v":[{"requestId":"request_9","mess',
    "not an object": b"[1,2]",
}


@pytest.mark.parametrize("damage", HOSTILE.values(), ids=HOSTILE.keys())
def test_an_operation_that_cannot_be_done_costs_nothing_else(damage):
    found = told(GOOD[0], damage, GOOD[1])
    assert texts(UserMessage, found) == ["use sqlite", "never touch migrations"]
    assert of(Withdrawn, found) == []


@pytest.mark.parametrize("damage", HOSTILE.values(), ids=HOSTILE.keys())
def test_an_operation_that_cannot_be_done_is_counted(damage):
    found = told(GOOD[0], damage, GOOD[1])
    assert len(of(Unparsed, found)) == 1


def test_an_unknown_kind_of_operation_is_counted_as_that():
    found = told(GOOD[0], {"kind": 9, "k": ["requests"], "v": []}, GOOD[1])
    assert [event.record_kind for event in of(Unknown, found)] == ["operation 9"]
    assert texts(UserMessage, found) == ["use sqlite", "never touch migrations"]


def test_operations_on_what_is_not_read_are_neither_told_nor_counted():
    found = told(
        GOOD[0],
        put(["inputState", "attachments"], [{"x": 1}]),
        put(["newField", 3, "x"], 1),
        push(["pendingRequests"], {"id": "p", "request": request(8, "queued, not sent")}),
        put(["requests", 0, "vote"], 1),
        put(["requests", 0, "result", "metadata", "toolCallResults", "c"], {}),
        {"kind": 3, "k": ["requests", 0, "followups"]},
        {"kind": 1, "k": [], "v": 3},
    )
    assert texts(UserMessage, found) == ["use sqlite"]
    assert of(Unparsed, found) + of(Unknown, found) == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b"cut \\ud83c emoji", "cut \ufffd emoji"),
        (b"bad \xff\xfe byte", "bad \ufffd\ufffd byte"),
        ("line\u2028end\u0085".encode(), "line\u2028end\x85"),
        (b"whole \\ud83c\\udf89 pair", "whole \U0001f389 pair"),
    ],
)
def test_damaged_text_inside_an_operation_is_mended(written, read):
    operations = [json.dumps(op).encode().replace(b"use sqlite", written) for op in GOOD]
    assert texts(UserMessage, told(*operations)) == [read, "never touch migrations"]
    flat = json.dumps(chat(request(0, "use sqlite"))).encode().replace(b"use sqlite", written)
    assert texts(UserMessage, told_flat(flat)) == [read]


def test_a_part_that_cannot_be_decoded_costs_only_itself():
    odd = json.dumps(GOOD[0]).encode().replace(str(BEGIN).encode(), b"1" + b"0" * 400)
    found = told(odd, GOOD[1])
    assert texts(UserMessage, found) == ["use sqlite", "never touch migrations"]
    assert of(UserMessage, found)[0].time is None


def test_a_log_whose_first_line_is_lost_still_gives_the_words_that_follow():
    found = told(
        b'{"kind":0,"v":{"version":3,"requ',
        push(["requests"], request(5, "never touch migrations"), cut=5),
        push(["requests", 5, "response"], {"value": "ok"}),
        put(["requests", 5, "modelState"], {"value": 1}),
        put(["inputState", "inputText"], ""),
    )
    assert texts(UserMessage, found) == ["never touch migrations"]
    assert texts(AssistantMessage, found) == ["ok"]


def test_a_first_line_glued_to_the_second_loses_neither():
    glued = json.dumps(GOOD[0]).encode() + json.dumps(GOOD[1]).encode()
    assert texts(UserMessage, told(glued)) == ["use sqlite", "never touch migrations"]


def test_a_last_line_that_is_still_being_written_waits(tmp_path):
    path = tmp_path / "chatSessions" / "x.jsonl"
    path.parent.mkdir()
    data = lines(*GOOD)
    path.write_bytes(data[:-40])
    assert texts(UserMessage, list(read_events(Transcript(path, LOG)))) == ["use sqlite"]
    path.write_bytes(data[:-1])
    assert len(of(UserMessage, list(read_events(Transcript(path, LOG))))) == 2


@pytest.mark.parametrize("junk", [7, "text", None, True, [], {}])
def test_changes_of_a_request_that_is_none_cost_nothing_else(junk):
    events = told(
        whole(),
        push(["requests"], junk),
        put(["requests", 0, "response"], [{"value": "x"}]),
        push(["requests", 0, "response"], {"value": "y"}),
        put(["requests", 0, "modelState"], {"value": 1}),
        push(["requests"], answered(1, "never touch migrations", "understood")),
    )
    assert texts(UserMessage, events) == ["never touch migrations"]
    assert texts(AssistantMessage, events)[-1:] == ["understood"]


@pytest.mark.parametrize("junk", [7, "x", None, [], {}, [[]], {"a": 1}, -1, 1e300, 10**30, True])
def test_junk_in_the_place_of_any_part_of_a_request_never_raises(junk):
    good = answered(0, "a", "A", slashCommand={"name": "compact"}, confirmation="x")
    good["response"] = [carousel({"q": "A"}, ENGINE), {"kind": "planReview", "data": {}}]
    good["result"]["metadata"]["summaries"] = [{"toolCallRoundId": "r", "text": "t"}]
    for path in paths_of(good):
        spoiled = json.loads(json.dumps(good))
        assert change(spoiled, path, junk)
        for turns in ([spoiled], [spoiled, request(1, "b")]):
            found = told(whole(*turns), whole(*turns), cut(["requests"], 0))
            msgspec.json.encode(found)
            msgspec.msgpack.encode(found)


def paths_of(value, start=()):
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, child in pairs:
        yield [*start, key]
        yield from paths_of(child, (*start, key))


STEPS = st.sampled_from(
    ["requests", 0, 1, 2, "response", "result", "modelState", "message", "text", "customTitle", "x"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(["", "a", "go"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["requestId", "message", "text", "response", "value", "kind", "requests"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
OPERATIONS = st.fixed_dictionaries(
    {"kind": st.integers(0, 4)},
    optional={"k": st.lists(STEPS, max_size=5), "v": VALUES, "i": st.integers(-1, 4)},
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations=st.lists(OPERATIONS, max_size=8), at=st.integers(0, 8))
def test_any_operations_in_any_order_can_be_followed_stored_and_taken_up(operations, at):
    records = list(Framer().feed(lines(whole(answered(0, "a", "A"), request(1, "b")), *operations)))
    state = LOG.begin(PurePosixPath("x.jsonl"), {})
    every = list(LOG.parse(records, state))
    state = LOG.begin(PurePosixPath("x.jsonl"), {})
    first = list(LOG.parse(records[:at], state))
    taken_up = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=LOG.state_type)
    assert first + list(LOG.parse(records[at:], taken_up)) == every


def test_a_chat_is_followed_the_same_however_often_it_is_saved():
    """The same chat as one line, and as a log of small saves in random order of length."""
    chance = random.Random(5)
    turns = [answered(n, f"do {n}", f"Did {n}.") for n in range(12)]
    operations = [whole()]
    for number, turn in enumerate(turns):
        operations.append(push(["requests"], request(number, f"do {number}")))
        operations += [put(["inputState", "inputText"], "x")] * chance.randint(0, 3)
        operations += [
            put(["requests", number, "result"], turn["result"]),
            put(["requests", number, "modelState"], turn["modelState"]),
            push(["requests", number, "response"], *turn["response"]),
        ]
    at_once = [msgspec.structs.replace(event, span=None) for event in told(whole(*turns))]
    assert [msgspec.structs.replace(event, span=None) for event in told(*operations)] == at_once
