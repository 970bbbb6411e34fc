"""Words, numbers and cues by which statements and passages are compared."""

from __future__ import annotations

import pytest

from ctxd.retention.counted import counted
from ctxd.retention.sought import sought
from ctxd.retention.tables import meanings_of, opposites_of, units
from ctxd.retention.words import in_english, words


def test_names_in_code_count_by_their_parts():
    assert {"social", "screen"} <= words("`SocialScreen`").stems
    assert {"slot", "20"} <= words("`SLOT_COUNT = 20`").stems


def test_words_with_one_meaning_share_a_group():
    assert "offline" in words("works with the radio off").meanings
    assert "offline" in words("must work without network").meanings


def test_a_word_with_un_is_about_what_it_denies():
    told = words("all levels are unlocked")

    assert "lock" in told.stems
    assert "deny" in told.cues


def test_cues_are_read_word_for_word():
    assert "weak" in words("that is largely so").cues
    assert "weak" not in words("a large file").cues


def test_a_rule_without_exceptions_has_none():
    told = words("relay off on any fault, no exceptions")

    assert "except" not in told.cues


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("72 h", "three days"),
        ("2 GB", "2048 MB"),
        ("every 60 seconds", "once a minute"),
        ("30 s", "half a minute"),
        ("50 Hz", "steps of 1/50 s"),
        ("25 cm", "250 mm"),
        ("90 s", "a minute and a half"),
        ("90 minutes", "one and a half hours"),
        ("limit 0", "the limit is zero"),
        ("4,000 rows", "4k rows"),
    ],
)
def test_one_quantity_has_one_key(one, other):
    assert counted(one) & counted(other)


@pytest.mark.parametrize(
    ("one", "other"), [("30 s", "30 min"), ("10 per hour", "10 per minute"), ("5 MB", "5 GB")]
)
def test_two_quantities_have_two_keys(one, other):
    assert not counted(one) & counted(other)


def test_numbers_in_a_remark_are_not_looked_for():
    assert [number.value for number in sought("keep it below 40 MB").numbers] == [40 * 1024**2]
    assert not sought("never patch the core, the last guy did and it cost us 3 years").numbers


@pytest.mark.parametrize(
    ("said", "english"),
    [
        ("die Spalten nie umbenennen", {"column", "never", "rename"}),
        ("jamais de données patient dans les logs", {"never", "data", "patient"}),
        ("el popup no debe cargar nada de la red", {"popup", "load", "network"}),
    ],
)
def test_words_of_other_languages_are_put_into_english(said, english):
    assert english <= set(in_english(said).split())


def test_english_stays_as_it_is():
    said = "no es-lint in the ci, i die on this hill"

    assert in_english(said) == said


def test_the_tables_can_be_read():
    assert "cache" in meanings_of("cach")
    assert "secret" in opposites_of("public")
    assert units()["minutes"] == "min"
