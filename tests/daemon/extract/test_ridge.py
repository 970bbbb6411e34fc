"""The regression that learns from answers, as such."""

import math

from hypothesis import given
from hypothesis import strategies as st

from ctxd.extract.ridge import Row, solved, sum_of

FAR = 1e9

values = st.floats(-1.5, 1.5)
rows = st.lists(
    st.builds(
        Row,
        st.floats(-4, 4),
        st.dictionaries(st.sampled_from("abcdef"), values, max_size=5),
        st.booleans(),
        st.floats(0.01, 1),
    ),
    max_size=30,
)


def length(weights):
    return math.sqrt(sum(weight**2 for weight in weights.values()))


def likely(row, weights):
    return 1 / (1 + math.exp(-row.log_odds - sum_of(row.features, weights)))


@given(rows)
def test_no_other_weights_explain_the_answers_better(answers):
    weights = solved(answers, FAR)
    for name in "abcdef":
        pull = sum(
            row.weight * (row.yes - likely(row, weights)) * row.features.get(name, 0.0)
            for row in answers
        )
        assert math.isclose(weights.get(name, 0.0), pull, abs_tol=1e-3)


@given(rows, st.floats(0.01, 3))
def test_weights_never_reach_further_than_they_may(answers, reach):
    assert length(solved(answers, reach)) <= reach + 1e-9


@given(rows)
def test_answers_that_count_nothing_change_nothing(answers):
    ignored = [Row(row.log_odds, row.features, row.yes, 0.0) for row in answers]
    assert length(solved(ignored, FAR)) == 0


def test_an_answer_that_was_expected_changes_less_than_one_that_was_not():
    expected, unexpected = (solved([Row(2.0, {"a": 1.0}, yes, 1.0)], FAR) for yes in (True, False))
    assert 0 < expected["a"] < -unexpected["a"]


def test_extreme_expectations_are_no_accident():
    assert solved([Row(1e6, {"a": 1.0}, yes=False), Row(-1e6, {"a": 1.0}, yes=True)], FAR)["a"] < 1


def test_nothing_is_learned_from_nothing():
    assert solved([], FAR) == {}
    assert solved([Row(0.0, {}, yes=True)], FAR) == {}
