"""Summaries of agents, cut into passages."""

from __future__ import annotations

from ctxd.retention.passages import passages

SUMMARY = """<overview>
The user wants a faster import. The old one stays until March.
</overview>
<history>
1. User asked for a cache
   - Added one in `cache.py`; it holds 60 s
   - Tested
</history>

6. All user messages:
   - "never touch the old importer, e.g. in `old.py`"
   - "one more thing: …" (long message, cut)

## Key decisions
| what | which |
| store | SQLite 3.45 |
"""


def single(text):
    return [one for one in passages(text) if one.first == one.last]


def the(words):
    (found,) = [one for one in single(SUMMARY) if words in one.text]
    return found


def test_list_items_sentences_and_rows_are_passages():
    assert [one.text for one in single("- a b. C d\n- e f")] == ["a b.", "C d", "e f"]


def test_each_passage_is_a_verbatim_part_of_the_text():
    assert all(one.text in SUMMARY for one in passages(SUMMARY))


def test_dots_in_names_versions_and_abbreviations_end_nothing():
    assert the("never touch").text == '"never touch the old importer, e.g. in `old.py`"'
    assert "3.45" in the("SQLite").text


def test_a_passage_knows_the_part_of_the_summary_that_it_stands_in():
    assert the("faster import").section == "request"
    assert the("holds 60 s").section == "done"
    assert the("never touch").section == "said"
    assert the("SQLite").section == "rules"


def test_a_list_item_knows_the_line_that_it_is_nested_in():
    assert the("Tested").context == "User asked for a cache"


def test_a_quotation_that_was_cut_says_so():
    assert the("one more thing").cut
    assert not the("never touch").cut


def test_sentences_of_one_paragraph_are_read_together_as_well():
    texts = [one.text for one in passages(SUMMARY)]

    assert "The user wants a faster import. The old one stays until March." in texts


def test_a_sentence_without_an_end_is_cut():
    assert all(len(one.text) <= 600 for one in single("word " * 1000))
