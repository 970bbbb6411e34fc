"""An answer is found in whatever a reader says around it, and what is whole of it is kept."""

import json

import pytest

from ctxd.policy.reader import READER_ANSWER_CHARS
from ctxd.reader.answer_text import raw_answer
from ctxd.reader.values import ReaderError


def one(number, **more):
    return {"turn": number, "quote": f"words {number}", "statement": "Use it."} | more


def answer(*numbers, not_items=()):
    return json.dumps({"items": [one(n) for n in numbers], "not_items": list(not_items)})


def turns(text):
    return [item["turn"] for item in raw_answer(text).items]


def trouble(text):
    with pytest.raises(ReaderError) as caught:
        raw_answer(text)
    return caught.value.trouble


@pytest.mark.parametrize(
    "said",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```\nThat is all I found.",
        "Here is the answer:\n\n{}\n\nTurn 3 has [brackets] and {{braces}} in it.",
        "I looked at {{every}} turn [1] first.\n{}",
        "\ufeff{}",
        '{{"answer": {}}}',
    ],
)
def test_an_answer_is_found_among_words_and_in_fences(said):
    raw = raw_answer(said.format(answer(1, 2, not_items=["c1"])))
    assert [item["turn"] for item in raw.items] == [1, 2]
    assert raw.not_items == ["c1"]
    assert not raw.refusals


def test_of_several_answers_with_words_between_them_the_last_counts():
    assert turns(f"Draft:\n{answer(1, 2)}\n\nOn second thought, this is better:\n{answer(3)}") == [
        3
    ]


def test_answers_one_after_the_other_are_one_answer_in_pieces():
    assert turns(f"{answer(1)}\n{answer(2, 3)}\n") == [1, 2, 3]


def test_a_bare_list_of_items_and_an_item_a_line_are_answers():
    assert turns(json.dumps([one(1), one(2)])) == [1, 2]
    assert turns(f"{json.dumps(one(1))}\n{json.dumps(one(2))}") == [1, 2]


@pytest.mark.parametrize("indent", [None, 2, 8])
def test_of_an_answer_that_breaks_off_what_is_whole_is_kept(indent):
    whole = json.dumps({"items": [one(1), one(2), one(3)], "not_items": []}, indent=indent)
    cut = whole[: whole.index("words 3")]
    raw = raw_answer(cut)
    assert [item["turn"] for item in raw.items] == [1, 2]
    assert [refusal.where for refusal in raw.refusals] == ["items[2]"]


def test_an_answer_that_breaks_off_behind_its_items_has_them_all():
    whole = answer(1, 2, not_items=["c1", "c2"])
    raw = raw_answer(whole[:-4])
    assert [item["turn"] for item in raw.items] == [1, 2]
    assert raw.not_items == ["c1"]


def test_one_broken_item_does_not_cost_the_others():
    broken = answer(1, 2, 3).replace("words 2", 'words "2"')
    raw = raw_answer(broken)
    assert [item["turn"] for item in raw.items] == [1, 3]
    assert len(raw.refusals) == 1


def test_line_breaks_within_strings_are_taken_as_they_are():
    assert raw_answer('{"items": [], "not_items": ["a\nb"]}').not_items == ["a\nb"]


def test_of_an_endless_answer_the_beginning_is_read():
    items = ",".join(json.dumps(one(n)) for n in range(READER_ANSWER_CHARS // 20))
    raw = raw_answer('{"items": [' + items)
    assert 1000 < len(raw.items) < READER_ANSWER_CHARS // 20
    assert raw.refusals


@pytest.mark.parametrize(
    "said",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot assist with analysing this conversation.",
        "Ich kann das leider nicht beantworten.",
        "Je ne peux pas répondre à cette demande.",
        "抱歉,我无法处理这个请求。",
    ],
)
def test_a_refusal_in_words_is_told_apart(said):
    assert trouble(said) == "refused"


@pytest.mark.parametrize(
    "said",
    [
        "",
        "   \n",
        "There are no items in this session.",
        "[1, 2, 3]",
        "{}",
        '{"result": "ok"}',
        '{"items": "none"}',
        "null",
        "[" * 100_000,
        '{"items":' * 20_000,
        '{"items": [' + "[" * 50_000,
        "{" * 100_000,
        "\udcff\udcfe",
    ],
)
def test_what_is_no_answer_is_malformed_and_nothing_worse(said):
    assert trouble(said) == "malformed"
