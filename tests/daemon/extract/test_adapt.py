"""What the user keeps and rejects moves the model: a little, the right way, and never for good.

A small model stands in for the one that ships, so that what is tested here does not move with its
material; what must hold of any model is told of the one that ships, too.
"""

from datetime import UTC, datetime, timedelta
from itertools import cycle, islice

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxd.extract.adapt import _UNITS, Verdict, adapted, learned, lenient, lesson, traced
from ctxd.extract.candidates import readings
from ctxd.extract.classify import Linear, Model, Scale, judged, scores, shipped
from ctxd.extract.exchange import Spoken
from ctxd.extract.features import candidate_features
from ctxd.extract.judge import judge
from ctxd.policy.extraction import ADAPT_HALF_LIFE_DAYS, ADAPT_REACH
from ctxd_parsers.events import AssistantMessage, Option, QuestionAnswered, UserMessage

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HERE, THERE = "/home/dev/api", "/home/dev/site"
NONE = Linear(0.0, {})
MODEL = Model(
    version="small",
    message=Linear(
        0.1,
        {"act:constrain": 0.5, "act:approve": 0.1, "only:approve": 0.1, "first:approve": 0.1}
        | {"asked": 0.1, "asked:design": 0.1, "asked+approve": 0.1, "asked:design+approve": 0.1}
        | {"act:report": -0.8, "origin=typed": 0.1, "unprompted": 0.1, "w:never": 0.2},
    ),
    sentence=NONE,
    candidate=Linear(
        -0.2,
        {"message": 0.5, "words": 0.4, "proposal": -0.9, "dialog": 0.9, "run:constrain": 0.6}
        | {"role:question": 0.1, "role:question/design": 0.1, "point:prose": 0.1, "question": 0.1}
        | {"answered:approve": 0.1, "question+approve": 0.1, "whole": 0.1, "run=1": 0.2},
    ),
    scales={source: Scale() for source in ("words", "dialog", "proposal")},
    kinds={"decision": NONE},
    durations={"repo": NONE},
)
THINGS = (
    "importer", "exporter", "scheduler", "mailer", "indexer", "parser", "planner", "renderer",
    "uploader", "watcher", "archiver", "crawler", "formatter", "validator", "logger", "router",
)  # fmt: skip


def said(words, proposal=""):
    key = words + proposal
    user = UserMessage(agent="a", session="s", id=f"u {key}", text=words, time=NOON)
    agent = AssistantMessage(agent="a", session="s", id=f"a {key}", text=proposal)
    return Spoken("a", "s", (user,), (agent,) if proposal else (), (), not proposal)


def approval(thing, deed="skip empty rows from the spreadsheet"):
    return said("yes, do that", f"Should the {thing} {deed}?")


def rule(thing):
    return said(f"Never call the {thing} from a database migration.")


def report(thing):
    return said(f"The {thing} crashed twice on the staging machine.")


def picked(thing):
    options = (Option("A queue", "Survives a restart."), Option("A cache", "Is faster."))
    dialog = QuestionAnswered(
        agent="a",
        session="s",
        id=f"q {thing}",
        question=f"What shall the {thing} use?",
        options=options,
        chosen=("A queue",),
    )
    return Spoken("a", "s", (dialog,))


def best(spoken, model=MODEL):
    """The likeliest candidate, with the message it is of."""
    reading = readings(spoken)[0]
    return reading, judged(reading, model)[0]


def probability(spoken, model):
    return best(spoken, model)[1].probability


def taught(spoken, *, kept, time=NOON, repository=HERE, model=MODEL):
    reading, one = best(spoken, model)
    item = f"{one.candidate.user.event} {one.candidate.text}"
    return lesson(reading, one.candidate, Verdict(item, repository, kept, time), model)


def after(lessons, repository=HERE, model=MODEL):
    return adapted(model, learned(lessons), repository)


def moved(spoken, lessons, repository=HERE):
    """How far lessons move the likeliest candidate of an exchange, in log-odds."""
    reading, one = best(spoken)
    own = after(lessons, repository)
    features = candidate_features(reading, one.candidate, scores(reading, own))
    offset = own.scales[one.candidate.source].offset
    return own.candidate.score(features) + offset - one.score


class TestVerdicts:
    def test_a_user_who_rejects_all_that_was_only_approved_sees_less_of_it(self):
        before = probability(approval(THINGS[0]), MODEL)
        deeds = ("stop at the first error", "retry every request three times")
        own = after([taught(approval(t, d), kept=False) for t in THINGS[1:] for d in deeds])
        assert probability(approval(THINGS[0]), own) < 0.7 * before

    def test_what_falls_below_the_least_probability_is_not_shown(self):
        offset = Scale(1.0, -6.0)
        own = msgspec.structs.replace(MODEL, scales=dict.fromkeys(MODEL.scales, offset))
        assert judge(approval(THINGS[0]), MODEL)
        assert judge(approval(THINGS[0]), own) == []

    def test_and_goes_on_seeing_rules_that_were_kept(self):
        lessons = [taught(approval(thing), kept=False) for thing in THINGS]
        lessons += [taught(rule(thing), kept=True) for thing in THINGS[1:]]
        assert (
            probability(rule(THINGS[0]), after(lessons))
            > probability(rule(THINGS[0]), MODEL) - 0.05
        )

    def test_what_is_kept_although_it_was_unlikely_becomes_likelier(self):
        own = after([taught(report(thing), kept=True) for thing in THINGS[1:]])
        assert probability(report(THINGS[0]), own) > probability(report(THINGS[0]), MODEL) + 0.1

    def test_one_wrong_verdict_changes_little(self):
        lessons = [taught(rule(THINGS[1]), kept=False)]
        for other in (rule(THINGS[0]), approval(THINGS[0]), report(THINGS[0])):
            assert abs(probability(other, after(lessons)) - probability(other, MODEL)) < 0.06

    def test_one_wrong_verdict_among_right_ones_changes_less(self):
        right = [taught(rule(thing), kept=True) for thing in THINGS[2:]]
        wrong = [*right, taught(rule(THINGS[1]), kept=False)]
        apart = moved(rule(THINGS[0]), right) - moved(rule(THINGS[0]), wrong)
        assert 0 < apart < -moved(rule(THINGS[0]), wrong[-1:])

    def test_a_user_who_contradicts_himself_ends_near_what_ships(self):
        # The model takes these for even chances: as many are kept as rejected.
        level = 0.5 - probability(report(THINGS[0]), MODEL)
        assert abs(level) < 0.2
        lessons = [
            taught(report(thing), kept=kept) for thing, kept in zip(THINGS, cycle([True, False]))
        ]
        assert abs(moved(report(THINGS[0]), lessons)) < 0.25

    def test_verdicts_count_in_other_repositories_too_but_less(self):
        lessons = [taught(rule(thing), kept=False, repository=THERE) for thing in THINGS[1:]]
        there, here = (moved(rule(THINGS[0]), lessons, place) for place in (THERE, HERE))
        assert there < here < 0

    def test_nobody_s_verdicts_leave_the_model_as_it_ships(self):
        assert after([]) == MODEL


class TestTime:
    def lessons(self, age):
        """Rules rejected so many days before reports are kept."""
        old = NOON - timedelta(days=age)
        rejected = [taught(rule(thing), kept=False, time=old) for thing in THINGS[1:]]
        return [*rejected, *(taught(report(thing), kept=True) for thing in THINGS[1:])]

    def test_a_verdict_fades_as_newer_ones_come(self):
        effects = [moved(rule(THINGS[0]), self.lessons(age)) for age in (0, 90, 365, 3650)]
        assert effects == sorted(effects)
        assert effects[0] < -0.3

    def test_an_old_one_counts_for_half_after_so_long(self):
        def lessons(age, weight=1.0):
            rejected = taught(rule("mailer"), kept=False, time=NOON - timedelta(days=age))
            verdict = msgspec.structs.replace(rejected.verdict, weight=weight)
            return [
                msgspec.structs.replace(rejected, verdict=verdict),
                taught(report("router"), kept=True),
            ]

        faded = moved(rule(THINGS[0]), lessons(ADAPT_HALF_LIFE_DAYS))
        assert faded == pytest.approx(moved(rule(THINGS[0]), lessons(0, 0.5)), abs=0.005)
        assert faded > moved(rule(THINGS[0]), lessons(0))

    def test_time_alone_changes_nothing(self):
        late = NOON + timedelta(days=3650)
        lessons = [taught(rule(thing), kept=False) for thing in THINGS]
        later = [taught(rule(thing), kept=False, time=late) for thing in THINGS]
        assert learned(lessons) == learned(later)


MANY = [
    taught(make(thing), kept=kept, repository=place)
    for make in (approval, rule, report, picked)
    for thing in THINGS[:6]
    for kept in (True, False)
    for place in (HERE, THERE)
]
some = st.lists(st.sampled_from(MANY), max_size=40)


class TestAnyVerdicts:
    @given(some, st.randoms())
    def test_their_order_does_not_matter(self, lessons, chance):
        shuffled = list(lessons)
        chance.shuffle(shuffled)
        assert learned(shuffled) == learned(lessons)

    @given(some)
    def test_what_they_change_is_bounded(self, lessons):
        for one in MANY[:: len(THINGS)]:
            size = sum(value**2 for value in one.features.values()) ** 0.5
            adjustment = learned(lessons)
            assert abs(change(adjustment, one)) <= ADAPT_REACH * size + 0.01

    @given(some)
    def test_they_are_moved_by_the_adapted_model_as_they_were_told(self, lessons):
        """What is learned and what is applied are the same sum."""
        adjustment = learned(lessons)
        for make in (approval, rule, report, picked):
            told = taught(make("mailer"), kept=True)
            assert moved(make("mailer"), lessons) == pytest.approx(
                change(adjustment, told), abs=0.01
            )

    @given(some)
    def test_the_model_that_ships_is_never_changed(self, lessons):
        before = msgspec.json.encode(MODEL)
        after(lessons)
        assert msgspec.json.encode(MODEL) == before

    @given(some)
    def test_no_words_are_learned_that_the_model_did_not_know(self, lessons):
        adjustment = learned(lessons)
        assert adjustment.message.keys() <= MODEL.message.weights.keys()
        assert adjustment.candidate.keys() <= MODEL.candidate.weights.keys()


def change(adjustment, one):
    """What an adjustment adds to a lesson's log-odds."""
    total = 0.0
    for name, value in one.features.items():
        part, _, rest = name.partition(":")
        weights = (
            adjustment.offset if part == "offset" else getattr(adjustment, part).get(rest, 0.0)
        )
        total += value * weights / _UNITS[part]
    return total


class TestTheModelThatShips:
    @settings(max_examples=15, deadline=None)
    @given(st.lists(st.booleans(), min_size=100, max_size=100))
    def test_a_hundred_verdicts_do_not_wreck_it(self, answers):
        makes = cycle((approval, rule, report, picked))
        lessons = [
            taught(make(thing), kept=kept, model=shipped())
            for make, thing, kept in zip(makes, cycle(THINGS), answers)
        ]
        own = after(lessons, model=shipped())
        for make in (approval, rule, report, picked):
            was, now = (probability(make("mailer"), model) for model in (shipped(), own))
            assert abs(now - was) < 0.5

    def test_whoever_rejects_all_goes_on_seeing_what_is_likeliest(self):
        lessons = [
            taught(rule(thing), kept=False, model=shipped(), time=NOON + timedelta(hours=hour))
            for hour, thing in enumerate(islice(cycle(THINGS), 100))
        ]
        own = after(lessons, model=shipped())
        assert judge(said("Never store passwords in plain text, not even in tests."), own)


class TestTraces:
    @pytest.mark.parametrize("make", [approval, rule, picked])
    def test_an_item_is_traced_to_the_candidate_it_was_made_of(self, make):
        spoken = make("mailer")
        for item in judge(spoken):
            reading, candidate = traced(spoken, item)
            assert candidate in reading.candidates
            assert item.evidence[0].event == candidate.user.event
            assert (candidate.source == "words") == (item.authority == "user") or make is picked
        assert judge(spoken)

    def test_an_item_of_other_words_is_traced_to_nothing(self):
        [item, *_] = judge(rule("mailer"))
        assert traced(rule("router"), item) is None


class TestPlainness:
    def test_what_has_to_be_plain_in_spite_of_all_verdicts_is_a_little_more_than_what_ships(self):
        for make in (approval, rule, report, picked):
            before, after = (probability(make("mailer"), m) for m in (MODEL, lenient(MODEL)))
            assert before < after < before + 0.1
