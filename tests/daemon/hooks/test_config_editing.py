"""The smallest change of a settings file: one value in, one value out, no other byte touched."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxd.hooks.editing import ShapeError, append, member, remove, replace
from ctxd.hooks.jsonc import BrokenError, parse
from written_json import VALUES, written

AT_RANDOM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
LIST = ("hooks", "Stop")
ONE = "[\r\n            1\r\n        ]"
NEW = {"command": 'it\'s "ours"', "timeout": 5}


def is_within(part, whole):
    """Whether one text is the other with something added, and nothing taken away."""
    rest = iter(whole)
    return all(character in rest for character in part)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}'),
        ('{"a":1}', '{"a":1,"hooks":{"Stop":[1]}}'),
        ('{"a": 1}', '{"a": 1, "hooks": {"Stop": [1]}}'),
        ('{"hooks": {"Stop": []}}', '{"hooks": {"Stop": [1]}}'),
        ('{"hooks": {"Stop": [0]}}\n', '{"hooks": {"Stop": [0, 1]}}\n'),
        (
            '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t0\n\t\t]\n\t}\n}\n',
            '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t0,\n\t\t\t1\n\t\t]\n\t}\n}\n',
        ),
        (
            '{\r\n    "hooks": {}\r\n}\r\n',
            '{\r\n    "hooks": {\r\n        "Stop": [1]\r\n    }\r\n}\r\n'.replace("[1]", ONE),
        ),
        (
            '{\n  "hooks": {\n    "Stop": [\n      0, // last\n    ],\n  },\n}',
            '{\n  "hooks": {\n    "Stop": [\n      0, // last\n      1,\n    ],\n  },\n}',
        ),
        (
            '{\n  "hooks": {\n    "Stop": [\n      0 // last\n    ]\n  }\n}',
            '{\n  "hooks": {\n    "Stop": [\n      0, // last\n      1\n    ]\n  }\n}',
        ),
        (
            '{\n  "hooks": {\n    "Stop": [ // none yet\n    ]\n  }\n}',
            '{\n  "hooks": {\n    "Stop": [ // none yet\n      1\n    ]\n  }\n}',
        ),
        (
            '{"hooks": {"Stop": [0]}, "hooks": {"Stop": []}}',
            '{"hooks": {"Stop": [0]}, "hooks": {"Stop": [1]}}',
        ),
    ],
)
def test_a_value_is_laid_out_as_its_neighbours_are(before, after):
    assert append(before, LIST, 1) == after
    assert parse(after).data["hooks"]["Stop"][-1] == 1


@AT_RANDOM
@given(st.data())
def test_what_is_put_into_a_list_and_taken_out_again_leaves_every_byte(data):
    elements = data.draw(st.lists(VALUES, min_size=1, max_size=3))
    value = {**data.draw(st.dictionaries(st.text(max_size=4), VALUES, max_size=2))}
    value["hooks"] = {"x": data.draw(VALUES), "Stop": elements}
    text = data.draw(written(value))
    longer = append(text, LIST, NEW)
    assert is_within(text, longer)
    assert parse(longer).data["hooks"]["Stop"] == [*elements, NEW]
    assert remove(longer, (*LIST, len(elements))) == text


@AT_RANDOM
@given(st.data())
def test_members_that_had_to_be_made_go_again(data):
    value = data.draw(st.dictionaries(st.text(min_size=1, max_size=4), VALUES, min_size=1))
    value.pop("hooks", None)
    value["z"] = 1
    text = data.draw(written(value))
    longer = append(text, LIST, NEW)
    assert is_within(text, longer)
    assert parse(longer).data == {**value, "hooks": {"Stop": [NEW]}}
    assert remove(longer, ("hooks",)) == text


@AT_RANDOM
@given(st.data())
def test_any_value_can_be_taken_out_wherever_it_stands(data):
    elements = data.draw(st.lists(VALUES, min_size=1, max_size=4))
    index = data.draw(st.integers(0, len(elements) - 1))
    text = data.draw(written({"a": elements, "b": 1}))
    left = parse(remove(text, ("a", index))).data
    assert left == {"a": elements[:index] + elements[index + 1 :], "b": 1}
    assert parse(remove(text, ("a",))).data == {"b": 1}


@AT_RANDOM
@given(st.data())
def test_a_value_gives_way_to_another_one_in_its_place(data):
    elements = data.draw(st.lists(VALUES, min_size=1, max_size=4))
    index = data.draw(st.integers(0, len(elements) - 1))
    text = data.draw(written({"a": elements, "b": [{}]}))
    there = parse(replace(text, ("a", index), NEW)).data
    assert there == {"a": [*elements[:index], NEW, *elements[index + 1 :]], "b": [{}]}


@AT_RANDOM
@given(VALUES.flatmap(lambda value: st.tuples(st.just(value), written(value))))
def test_comments_and_loose_commas_change_no_value(pair):
    value, text = pair
    assert parse(text).data == value


def test_a_member_is_added_only_where_there_is_none():
    assert member('{"version": 2}', "version", 1) == '{"version": 2}'
    assert member('{"a": 1}', "version", 1) == '{"a": 1, "version": 1}'


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a": 1,, }', "[,]", "{'a': 1}", '{"a": 1} x', '{"a": "\n"}', '{"a" 1}', "/* {}"],
)
def test_what_is_no_json_is_said_so(text):
    with pytest.raises(BrokenError):
        append(text, LIST, 1)


@pytest.mark.parametrize(
    "text", ["[]", "1", '{"hooks": []}', '{"hooks": null}', '{"hooks": {"Stop": {}}}']
)
def test_what_is_in_the_way_is_left_there(text):
    with pytest.raises(ShapeError):
        append(text, LIST, 1)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        '{"a":' * 25_000 + "1" + "}" * 25_000,
        '"' * 100_001,
        '\\"' * 50_000,
        "/*" * 50_000,
        "//" * 50_000,
        "/" * 100_000,
        '{"a": "' + "\\\\" * 50_000,
        "{" + " " * 100_000 + ",}",
    ],
    ids=lambda text: text[:6],
)
def test_a_hostile_text_is_refused_at_once(text):
    with pytest.raises(BrokenError):
        parse(text)


def test_the_parts_of_a_text_are_the_text():
    text = '{"a": [1, /* 2 */ "\\"x"], // y\n "b": null,}'
    assert "".join(token.text for token in parse(text).tokens) == text
    assert parse(text).data == json.loads('{"a": [1, "\\"x"], "b": null}')
