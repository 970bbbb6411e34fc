"""Whether an item is still stated after a compaction."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ctxd.retention.after import After
from ctxd.retention.candidates import candidates
from ctxd.retention.forest import shipped
from ctxd.retention.judge import judge
from ctxd.retention.sought import sought
from ctxd.retention.values import DROPPED, Stated, Text

sys.path.insert(0, str(Path(__file__).parent))
import judged_pairs as pairs


def asked(item, *texts, kind="constraint"):
    return judge(Stated(text=item, kind=kind), After.of(texts))


def of(pair):
    return asked(pair.item, Text("summary", pairs.summary(pair)))


def words(pair):
    return f"{pair.item} / {pair.passage}"


@pytest.mark.parametrize("pair", pairs.OTHER_UNIT, ids=words)
def test_a_number_in_another_unit_is_not_kept(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.SAME_MEASURE, ids=words)
def test_the_same_measure_in_other_units_is_kept(pair):
    assert of(pair).answer == "kept"


@pytest.mark.parametrize("pair", pairs.OTHER_NUMBER, ids=words)
def test_another_number_is_not_kept(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.OTHER_NAME, ids=words)
def test_another_name_is_not_kept(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.TURNED, ids=words)
def test_the_opposite_is_not_kept(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.REVERSED, ids=words)
def test_two_that_changed_places_are_not_kept(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.SOFTER, ids=words)
def test_a_duty_that_became_a_wish_is_not_kept(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.NARROWED, ids=words)
def test_half_of_a_rule_is_not_kept(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.ONCE, ids=words)
def test_what_was_done_once_is_no_rule(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.CUT, ids=words)
def test_a_quotation_that_breaks_off_before_the_rule_keeps_nothing(pair):
    assert of(pair).answer == "lost"


@pytest.mark.parametrize("pair", pairs.TOPIC, ids=words)
def test_a_mention_of_the_matter_is_no_rule(pair):
    assert of(pair).answer in DROPPED


@pytest.mark.parametrize("pair", pairs.ABSENT, ids=words)
def test_what_is_not_mentioned_is_lost(pair):
    assert of(pair).answer == "lost"


@pytest.mark.parametrize("pair", pairs.KEPT, ids=words)
def test_the_same_in_other_words_is_kept(pair):
    assert of(pair).answer == "kept"


def test_the_deciding_passage_is_a_verbatim_part_of_the_text_that_is_named():
    text = "- Amounts are integer cents everywhere, never floats.\n- The rest is in `money.py`."
    verdict = asked("money as integer cents, no floats", Text("kept", text, name="event-7"))

    assert verdict.answer == "kept"
    assert verdict.passage in text
    assert (verdict.where, verdict.name) == ("kept", "event-7")


def test_a_rule_that_only_a_file_states_is_found_there():
    texts = (
        Text("summary", "The build was repaired."),
        Text("file", "# Rules\n\n- Never push to `main` without a review.\n", name="AGENTS.md"),
    )

    verdict = asked("never push to main without a review", *texts)

    assert (verdict.answer, verdict.where, verdict.name) == ("kept", "file", "AGENTS.md")


def test_words_that_are_there_and_were_taken_back_are_not_kept():
    text = '- The user had said "guests can not comment"; afterwards this was lifted.'

    assert asked("guests can not comment", Text("summary", text)).answer == "changed"


def test_nothing_to_read_is_unknown():
    assert asked("no telemetry").answer == "unknown"
    assert asked("no telemetry", Text("summary", " \n\n")).answer == "unknown"


def test_the_words_that_were_said_count_beside_the_line():
    item = Stated(
        text="Player records keep their order.",
        quotes=("never sort the roster file, the order means something",),
    )
    text = '- "never sort the roster file, the order means something"'

    assert judge(item, After.of((Text("summary", text),))).answer == "kept"


def test_an_approval_without_words_of_its_own_keeps_nothing():
    item = Stated(text="Checkpoints are renamed to steps.", quotes=("yes, do it",))
    text = '- "yes, do it"\n- The importer reads the card index.'

    assert judge(item, After.of((Text("summary", text),))).answer != "kept"


def test_a_short_answer_keeps_nothing_without_the_question_that_it_answers():
    item = Stated(
        text="Where should the reports read their orders? read only from the replica",
        quotes=("read only from the replica",),
    )
    said = (
        "Never log request bodies, not even at debug level.",
        "The warehouse client must time out after 3 seconds.",
        "Don't cache prices, always read them from the database.",
        "Ask me where the reports come from.",
    )

    assert judge(item, After.of([Text("kept", text) for text in said])).answer == "lost"


@pytest.mark.parametrize(
    "item",
    [
        "カードデータをログに残さないこと",
        "не трогай старый импорт, он нужен бухгалтерии",
        "proszę nigdy nie zmieniać nazw kolumn",
        "älä koskaan poista asiakkaiden tilauksia",
    ],
)
def test_an_item_in_a_language_without_a_table_is_never_said_to_be_changed(item):
    assert asked(item, Text("summary", pairs.summary(pairs.KEPT[0]))).answer == "lost"


@pytest.mark.parametrize(
    "text",
    [
        "a " * 50_000,
        "x" * 100_000,
        " " * 100_000,
        "- never. " * 12_000,
        "`" * 100_000,
        "1 s, " * 20_000,
    ],
    ids=["words", "one word", "blanks", "sentences", "signs", "numbers"],
)
def test_hostile_texts_are_judged_like_others(text):
    assert asked("never log the request body", Text("summary", text)).answer in {"lost", "unknown"}
    assert asked(text, Text("summary", "Nothing of the kind is said here.")).answer != "kept"


def test_only_passages_that_share_words_are_looked_at():
    text = "\n".join(f"- The shelf number {n} holds glass." for n in range(500))
    after = After.of((Text("summary", text + "\n- Requests time out after 30 s."),))

    found = candidates(sought("request timeout is 30 s"), after)

    assert found
    assert all("Requests" in one.unit.passage.text for one in found)


def test_every_feature_that_the_model_weighs_exists():
    after = After.of((Text("summary", pairs.summary(pairs.KEPT[0])),))
    (first, *_) = candidates(sought(pairs.KEPT[0].item), after)

    for forest in (shipped().deciding, shipped().judging):
        assert set(forest.features) <= set(first.features)
