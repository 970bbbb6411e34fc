"""Settings files as they are found: whatever stands there besides our hooks is there afterwards."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_hooks import ALL_AGENTS, Hooks
from ctxd.errors import UserError
from ctxd.hooks.configuration import hooks_in
from ctxd.hooks.jsonc import parse
from written_json import VALUES, written

GROUP = {"hooks": [{"type": "command", "command": "echo hi", "timeout": 3}]}
EVENTS = ["PreCompact", "SessionStart", "Stop", "UserPromptSubmit", "preCompact", "Notification"]
FOREIGN = st.one_of(
    st.just(GROUP),
    st.fixed_dictionaries({"command": st.text(max_size=10)}),
    st.fixed_dictionaries({"matcher": st.text(max_size=5), "hooks": st.lists(VALUES, max_size=2)}),
    VALUES,
)

AT_RANDOM = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

SURVIVE = {
    "empty object": b"{}",
    "empty object on a line": b"{}\n",
    "blanks in it": b"{\n}\n",
    "empty file": b"",
    "only blanks": b" \n\n",
    "byte order mark": b'\xef\xbb\xbf{\n  "a": 1\n}\n',
    "no line end": b'{\n  "a": 1\n}',
    "CRLF": b'{\r\n  "a": 1,\r\n  "hooks": {}\r\n}\r\n',
    "old Mac's line ends": b'{\r  "a": 1\r}\r',
    "tabs": b'{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
    "one line": b'{"a":1,"hooks":{"PreCompact":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    "spaced": b'{ "a" : 1 , "hooks" : { "Stop" : [ ] } }',
    "line comments": b'// mine\n{\n  "a": 1, // one\n  // below\n  "hooks": {} // none\n}\n// end',
    "block comments": b'/* { */{"a": /* 1 */ 2, "hooks": {/**/}}/* } */',
    "loose commas": b'{\n  "a": [1, 2,],\n  "hooks": {\n    "Stop": [],\n  },\n}\n',
    "a key twice": b'{"hooks": {"Stop": [1]}, "a": 1, "hooks": {"Stop": []}}',
    "comments like strings": b'{"a": "// no", "b": "/* no */", "c": "\\"}"}',
    "unknown escapes kept": b'{"a": "\\u00e9\\/\\ud83e\\udd80", "b": "\xc3\xa9"}',
    "half a character": b'{"a": "\\ud800"}',
    "large numbers": b'{"a": 1e400, "b": 123456789012345678901234567890, "c": -0.0}',
    "foreign hooks in every event": json.dumps({"hooks": {e: [GROUP] for e in EVENTS}}).encode(),
    "ours in its words only": b'{"note": "runs ctxd hooks client.py"}',
    "a client of the same name": b'{"hooks": {"Stop": [{"command": "python /x/hooks/client.py"}]}}',
    "empty lists": b'{"hooks": {"PreCompact": [], "preCompact": [], "Stop": []}}',
    "deep": b'{"a": ' + b"[" * 190 + b"]" * 190 + b"}",
    "a long line": b'{"a": "' + b"x" * 300_000 + b'"}',
    "line separators": '{"a": "\u2028\u2029\x85"}'.encode(),
    "nothing but a version": b'{"version": 1}\n',
    "a key that hides": '{"ho\u200boks": {}, "hooks ": {}}'.encode(),
    "tokens": b'{"env": {"API_KEY": "sk-123"}, "permissions": {"deny": ["Read(./.env)"]}}',
}
REFUSED = {
    "not closed": b'{"a": 1',
    "a word": b"hello",
    "a list": b"[]",
    "hooks a list of words": b'{"hooks": "none"}',
    "hooks null": b'{"hooks": null}',
    "two values": b"{}{}",
    "no number": b'{"a": NaN}',
    "single quotes": b"{'a': 1}",
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "Latin-1": b'{"a": "\xe9"}',
    "NUL": b'{"a": 1}\0',
    "deep": b'{"a": ' + b"[" * 500 + b"]" * 500 + b"}",
    "too deep": b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
}


def has_its_form(agent, data):
    """Whether a file of this agent may look so: some have a list where others have an object."""
    return not agent.startswith("kiro") or b'"hooks":{' not in data.replace(b" ", b"")


@pytest.mark.parametrize(
    ("agent", "case"),
    [(a, case) for a in ALL_AGENTS for case, data in SURVIVE.items() if has_its_form(a, data)],
)
def test_what_stands_there_is_there_afterwards_byte_for_byte(tmp_path, agent, case):
    hooks = Hooks(tmp_path, agent)
    before = SURVIVE[case]
    hooks.lay(before)
    hooks.install()
    there = parse(hooks.data.decode("utf-8-sig")).data
    assert len(hooks_in(there)) == len(hooks.vendor.known_by(None))
    hooks.uninstall()
    assert hooks.data == before
    assert hooks.kept == []


@pytest.mark.parametrize("agent", ["claude-code", "copilot-cli", "kiro-cli"])
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_left_as_it_is(tmp_path, agent, case):
    hooks = Hooks(tmp_path, agent)
    hooks.lay(REFUSED[case])
    with pytest.raises(UserError) as caught:
        hooks.install()
    assert "mend" in caught.value.hint
    assert hooks.data == REFUSED[case]
    assert hooks.kept == []


@given(data=st.data())
@AT_RANDOM
def test_random_foreign_hooks_survive(tmp_path, data):
    foreign = data.draw(
        st.dictionaries(st.sampled_from(EVENTS), st.lists(FOREIGN, max_size=3), max_size=3)
    )
    rest = data.draw(st.dictionaries(st.text(max_size=5), VALUES, max_size=2))
    rest.pop("hooks", None)
    value = {**rest, "hooks": foreign} if data.draw(st.booleans()) else rest
    before = data.draw(written(value)).encode("utf-8", "surrogatepass")
    hooks = Hooks(tmp_path, data.draw(st.sampled_from(["claude-code", "gemini-cli", "cursor"])))
    hooks.lay(before)
    hooks.install()
    between = parse(hooks.data.decode()).data
    assert {key: between[key] for key in rest} == rest
    for event, elements in value.get("hooks", {}).items():
        assert between["hooks"][event][: len(elements)] == elements
    hooks.uninstall()
    assert hooks.data == before


@given(data=st.data())
@AT_RANDOM
def test_what_somebody_else_adds_meanwhile_stays_too(tmp_path, data):
    """Then there is no going back to the bytes of before: ours are taken out of what stands."""
    foreign = data.draw(
        st.dictionaries(st.sampled_from(EVENTS), st.lists(FOREIGN, min_size=1, max_size=2))
    )
    before = {"hooks": foreign, "a": 1} if data.draw(st.booleans()) else {"a": 1}
    hooks = Hooks(tmp_path, "claude-code")
    hooks.lay(data.draw(written(before)).encode("utf-8", "surrogatepass"))
    hooks.install()
    there = parse(hooks.data.decode()).data
    there["hooks"]["PreCompact"].insert(0, GROUP)
    there["hooks"].setdefault("Stop", []).append(GROUP)
    hooks.lay(data.draw(written(there)).encode("utf-8", "surrogatepass"))
    hooks.uninstall()
    wanted = {**before, "hooks": {key: list(value) for key, value in foreign.items()}}
    if "hooks" not in before:
        wanted["hooks"] = {}
    wanted["hooks"].setdefault("PreCompact", []).insert(0, GROUP)
    wanted["hooks"].setdefault("Stop", []).append(GROUP)
    assert parse(hooks.data.decode()).data == wanted


@given(data=st.data())
@AT_RANDOM
def test_taking_out_needs_no_memory_of_what_was_there(tmp_path, data):
    """Where ctxd's own state is gone, too, all but empty lists and objects come back."""
    foreign = data.draw(
        st.dictionaries(st.sampled_from(EVENTS), st.lists(FOREIGN, min_size=1, max_size=2))
    )
    text = data.draw(written({"a": 1, "hooks": {"Other": [GROUP], **foreign}}))
    hooks = Hooks(tmp_path, "claude-code")
    hooks.lay(text.encode("utf-8", "surrogatepass"))
    hooks.install()
    for name in hooks.kept:
        os.unlink(hooks.places.state / "hooks" / name)
    hooks.uninstall()
    assert hooks.data == text.encode("utf-8", "surrogatepass")


def test_installing_twice_is_installing_once(tmp_path):
    for agent in ALL_AGENTS:
        hooks = Hooks(tmp_path / agent, agent)
        hooks.lay(b'{\n  "a": 1 // one\n}\n')
        hooks.install()
        between = hooks.data
        step = hooks.install()
        assert hooks.data == between
        assert not step.changes
        assert not step.remembers
        hooks.uninstall()
        assert not hooks.uninstall().changes
