"""What is read out of a hook's payload.

Those of `payloads.jsonl` were written by the clients it names, in scripted sessions on a machine
made for it; home folders are renamed, and a tool's result is cut.
"""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.hooks.payloads import happening
from ctxd.hooks.registry import VENDORS
from ctxd.hooks.talks.registry import TALKS
from ctxd.reader.own import FOLDER

REAL = [
    json.loads(line)
    for line in Path(__file__).with_name("payloads.jsonl").read_text(encoding="utf-8").splitlines()
]
CLAUDE_CODE = TALKS["claude-code"]
COPILOT = TALKS["copilot-cli"]
PROMPT = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/home/dev/shop"}


def read(told, talk=CLAUDE_CODE, event=""):
    return happening(talk, json.dumps(told).encode(), event)


def name(case):
    told = case["payload"]
    parts = (case["client"], case["event"] or told["hook_event_name"], told.get("source"))
    return " ".join(
        filter(None, (*parts, "of a sub-agent" if {"agent_id", "agentId"} & told.keys() else ""))
    )


@pytest.mark.parametrize("case", REAL, ids=name)
def test_what_clients_really_send_is_understood(case):
    found = read(case["payload"], TALKS[case["agent"]], case["event"])
    if case["moment"] is None:
        assert found is None
        return
    told = case["payload"]
    assert found.moment == case["moment"]
    assert found.session == told.get("session_id", told.get("sessionId"))
    assert found.cwd == told["cwd"]
    log = told.get("transcript_path", told.get("transcriptPath"))
    assert found.transcript == (Path(log) if log else None)


@pytest.mark.parametrize("case", [case for case in REAL if case["moment"]], ids=name)
def test_a_session_that_an_agent_has_as_the_reader_says_nothing(case):
    folder = f"/home/demo/.local/state/ctxd/{FOLDER}/call-1"
    told = case["payload"] | {"cwd": folder}
    assert read(told, TALKS[case["agent"]], case["event"]) is None


def test_every_agent_is_spoken_of_in_some_payload_or_says_nothing():
    known = {case["agent"] for case in REAL}
    undriven = {"copilot-vscode", "kiro"}
    assert {agent for agent, talk in TALKS.items() if talk.heard} == known | undriven


def test_every_hook_that_is_installed_for_an_agent_with_a_talk_is_understood():
    for vendor in VENDORS:
        talk = TALKS.get(vendor.calls or vendor.agent)
        if talk is not None:
            assert {moment.event for moment in vendor.moments} <= talk.moments.keys()


def test_a_moment_at_which_something_is_said_can_come():
    for talk in TALKS.values():
        assert talk.heard.keys() <= {*talk.moments.values(), *talk.started.values()}


@pytest.mark.parametrize("event", ["PreCompact", "UserPromptSubmit", "PostToolUse", "SessionStart"])
def test_copilots_payloads_may_have_the_names_of_vs_code(event):
    told = PROMPT | {"hook_event_name": event}
    assert read(told, COPILOT).moment == COPILOT.moments[event]


def test_the_payloads_own_word_for_the_moment_counts():
    assert read(PROMPT, event="PreCompact").moment == "prompt_submitted"


@pytest.mark.parametrize("transcript", [None, "", 7, {"path": "x"}, "x" * 5000, "a\0b"])
def test_a_transcript_that_is_no_path_is_left_out(transcript):
    assert read(PROMPT | {"transcript_path": transcript}).transcript is None


@pytest.mark.parametrize("session", [None, "", 7, ["s"], "x" * 200, "a\0b"])
def test_a_payload_that_names_no_session_says_nothing(session):
    assert read(PROMPT | {"session_id": session}) is None


@pytest.mark.parametrize("event", [None, "", 7, "Unheard", ["PreCompact"]])
def test_a_payload_of_another_moment_says_nothing(event):
    assert read(PROMPT | {"hook_event_name": event}) is None


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b'{"session_id": "s"',
        b'{"a": ' * 100_000,
        b"[" * 1_000_000,
        b'{"session_id": "s", "hook_event_name": "PreCompact", "x": ' + b"[" * 500_000,
    ],
    ids=range(8),
)
def test_what_is_no_payload_says_nothing(payload):
    assert happening(CLAUDE_CODE, payload) is None


def test_what_a_payload_holds_besides_is_not_looked_at():
    deep = (
        msgspec.json.encode(PROMPT)[:-1] + b', "tool_response": ' + b"[" * 500 + b"]" * 500 + b"}"
    )
    assert happening(CLAUDE_CODE, deep).session == "s"


@pytest.mark.parametrize("cut", [rb"\ud83d", rb"\ude00 more", rb"\ud83dx", b"\xf0\x9f", b"\xff"])
def test_a_text_that_was_cut_within_a_character_hides_nothing_else(cut):
    payload = json.dumps(PROMPT).encode()[:-1] + b', "prompt": "' + cut + b'"}'
    assert happening(CLAUDE_CODE, payload).session == "s"


@given(st.binary(max_size=200) | st.text().map(str.encode))
def test_no_bytes_are_an_error(payload):
    for talk in TALKS.values():
        happening(talk, payload)


@given(
    st.dictionaries(
        st.sampled_from([*PROMPT, "agent_id", "source", "sessionId"]),
        st.none() | st.text() | st.integers() | st.lists(st.text()),
    )
)
def test_no_object_is_an_error(told):
    for talk in TALKS.values():
        read(told, talk)


@pytest.mark.parametrize(
    ("event", "moment"), [("preCompact", "before_compaction"), ("sessionEnd", "session_ended")]
)
def test_cursor_names_the_conversation(event, moment):
    told = {"conversation_id": "c1", "session_id": "s1", "hook_event_name": event}
    found = read(told | {"transcript_path": "/t.jsonl", "trigger": "auto"}, TALKS["cursor"])
    assert (found.moment, found.session) == (moment, "c1")
    assert (found.trigger, found.transcript) == ("auto", Path("/t.jsonl"))
