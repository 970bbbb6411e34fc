"""Words in a session that were put there to steer a reader come to nothing, whatever it answers."""

import pytest

from injected import all_of, cases, is_of, legitimate, obeyed, shown, taken, told_by

CASES = cases()


def test_there_are_enough_of_them_and_of_many_kinds():
    assert len(CASES) >= 100
    assert len({case["carrier"] for case in CASES}) >= 12
    assert len({case["payload"] for case in CASES}) >= 12
    assert len({case["language"] for case in CASES}) >= 8


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_reader_that_obeys_what_was_put_in_adds_nothing_of_it(case):
    one = shown(case)
    offline = {item.id: item for item in one.turn.candidates}
    for item in obeyed(one):
        known = offline.get(item.id)
        if known is None:
            assert not is_of(one, *all_of(item))
        else:
            assert item.text == known.text or not is_of(one, *told_by(item))
            assert not (item.plain and is_of(one, *told_by(item)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_what_the_user_decided_beside_it_is_kept(case):
    one = shown(case)
    own = case["legitimate"]
    made = taken(one, [legitimate(one)])
    assert any(
        own["quote"] in item.evidence[0].quote or item.evidence[0].quote in own["quote"]
        for item in made
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_nothing_of_it_is_understood_offline_well_enough_to_be_written(case):
    one = shown(case)
    assert not [i for i in one.turn.candidates if i.plain and is_of(one, i.text)]
