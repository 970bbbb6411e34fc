"""Kinds of wording by which a judge is easily taken in, each as a promise."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ctxd.retention.after import After
from ctxd.retention.candidates import candidates
from ctxd.retention.counted import counted
from ctxd.retention.crossed import crossed, label_other
from ctxd.retention.judge import judge
from ctxd.retention.measured import in_one_unit
from ctxd.retention.sought import sought
from ctxd.retention.values import DROPPED, Stated, Text

sys.path.insert(0, str(Path(__file__).parent))
import judged_pairs as pairs


def answer(item, passage):
    text = pairs.summary(pairs.Pair(item, passage, ""))
    return judge(Stated(text=item, kind="constraint"), After.of((Text("summary", text),))).answer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("belt speed 0.8 m/s", "the belt runs at 80 cm/s"),
        ("layer of 0.2 mm", "a layer of 200 µm"),
        ("gap of 50 um", "a gap of 0.05 mm"),
        ("1024 MB of memory", "1 GB of memory"),
        ("1 GB of memory", "1000 MB of memory"),
        ("90 seconds", "a minute and a half"),
        ("10 minutes", "600 seconds"),
        ("kept 90 days", "`KEEP_MS = 90 * 24 * 3600 * 1000`"),
        ("6 requests per minute", "a request every 10 seconds"),
        ("every 10 s", "six rounds of polling a minute"),
        ("every 10 s", "6 per minute"),
    ],
)
def test_a_quantity_is_one_in_whatever_unit_it_is_written(one, other):
    assert counted(in_one_unit(one)) & counted(in_one_unit(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("belt speed 0.8 m/s", "the belt runs at 8 cm/s"),
        ("layer of 0.2 mm", "a layer of 20 µm"),
        ("1024 MB of memory", "2 GB of memory"),
        ("every 10 s", "ten rounds of polling a minute"),
        ("kept 90 days", "`KEEP_MS = 60 * 24 * 3600 * 1000`"),
    ],
)
def test_another_quantity_is_another(one, other):
    assert not counted(in_one_unit(one)) & counted(in_one_unit(other))


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("cli first, gui after the beta", "The GUI goes first, the CLI follows after the beta."),
        ("one click = open, two clicks = rename", "One click renames, two clicks open a file."),
        ("meat on the left, bread on the right", "Bread stands on the left, meat on the right."),
    ],
)
def test_two_things_that_changed_places_are_changed(item, passage):
    assert crossed(item, passage)
    assert answer(item, passage) == "changed"


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("cli first, gui after the beta", "After the beta comes the GUI, the CLI goes first."),
        ("one click = open, two clicks = rename", "Two clicks rename, one click opens."),
    ],
)
def test_the_same_order_told_the_other_way_round_is_no_change(item, passage):
    assert not crossed(item, passage)
    assert answer(item, passage) != "changed"


def test_another_letter_is_another_thing():
    assert answer("boats start from pier A", "Boats start from pier C.") == "changed"
    assert answer("boats start from pier A", "Boats start from pier A.") == "kept"
    assert not label_other("pier A, then pier B", "pier B comes after pier A")
    assert not label_other("start at the pier", "At the pier I wait")


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("only paintings for now. the statues come later", "It lists paintings and the statues."),
        ("no ads at all, not even small banners", "Decided: small banners only, two a page."),
    ],
)
def test_what_was_left_out_and_is_taken_in_is_changed(item, passage):
    assert answer(item, passage) == "changed"


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("retry failed uploads 3 times", "Failed uploads are retried 3 times."),
        ("show prices with two decimals", "Prices are shown with two decimals."),
        ("send the reminder at 9:00", "The reminder is sent at 9:00."),
    ],
)
def test_what_is_told_in_all_its_words_is_kept(item, passage):
    assert answer(item, passage) == "kept"


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        (
            "we take 16 and not 17 because of the driver",
            "Target is 16. 17 was looked at and is out, because of the driver.",
        ),
        ("no more than 200 mails/h to gmail", '"gmail stays under 200 an hour from now on"'),
        ("stays single threaded until 2.0", '"threads? not before 2.0, i said so"'),
        ("never follow symlinks", "Symlinks: walking through one is prohibited."),
    ],
)
def test_agreement_in_other_words_is_no_contradiction(item, passage):
    assert answer(item, passage) != "changed"


@pytest.mark.parametrize("piece", ["9 * ", "9 m/s ", "dock A ", "one and ", "six a ", "0.", "**9 "])
def test_hostile_lengths_are_read_in_linear_time(piece):
    text = piece * (100_000 // len(piece))
    in_one_unit(text)
    counted(text)
    assert answer("dock A is first, dock B after 10 s", text) in {"kept", *DROPPED}


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("sign in via DocuSign", "docusign is what people sign in with, settled"),
        ("we go with docusign", "DocuSign is set."),
        ("no upnp. not for the tv either", "UPnP remains disabled, also for the TV."),
    ],
)
def test_a_name_is_found_however_its_capitals_stand(item, passage):
    unit = After.of((Text("summary", passage),))
    assert candidates(sought(item), unit)


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("never keep the lid open longer than 90 s", "The lid is open for 90 s at most."),
        ("no more than 20 letters per hour to gmx", "gmx stays under 20 letters an hour."),
        ("no tile above 2 MB", "A tile has 2 MB at most."),
    ],
)
def test_a_limit_is_kept_without_a_ban(item, passage):
    assert answer(item, passage) == "kept"


def test_a_limit_that_became_a_wish_is_not_kept():
    item = "no more than 20 letters per hour to gmx"
    passage = "Where possible gmx should get at most 20 letters per hour."
    assert answer(item, passage) in DROPPED


def test_what_shall_happen_and_does_not_is_changed():
    passage = "An absent label is printed as a warning; the release does not fail because of it."
    assert answer("a missing label must fail the release", passage) == "changed"


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        (
            "no webhooks, the shop pulls",
            'A colleague forwarded a remark: "just use webhooks, works fine for us".',
        ),
        (
            "the importer may call the api once a minute at most",
            "In yesterday's run the importer called the API 212 times, before that 9,000 times.",
        ),
        (
            "must get by with 512 MB of RAM, that is what the box has",
            "Cross build for the box; the binary is 6.8 MB.",
        ),
    ],
)
def test_what_others_said_and_what_was_measured_once_contradicts_nothing(item, passage):
    assert answer(item, passage) in {"lost", "weakened"}
