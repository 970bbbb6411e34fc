"""The way of a line through cuts, and where it is drawn."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.policy.report import LANES_OPEN, TIME_MARKS, TIMELINE_POINTS
from ctxd.report.course import way as way_of
from ctxd.report.drawing import drawing
from ctxd.report.trace import course
from ctxd.report.values import AtCut, Cut, Line, Timeline, TimeMark, WindowPoint
from ctxd_parsers.events import Cleared, Compaction, Usage
from session_events import agent, at, base, user

ANSWERS = {"survives": "kept", "reinjected": "reloaded", "breaks": "lost", "unknown": "unknown"}


def cut(number, position, **more):
    facts = {"event": f"c{number}", "time": None, "trigger": "auto", "judged": True}
    facts |= {"tokens_before": None, "tokens_after": None, "readable": True}
    return Cut(number=number, position=position, **facts | more)


def line(stated=(1,), ended=None, marks=()):
    facts = {"passage": "", "where": None, "name": "", "why": "", "given": None, "on_disk": False}
    return Line(
        item="abcd1234",
        short_id="abcd",
        repository="/r",
        kind="constraint",
        severity="normal",
        authority="user",
        status="active",
        text="use tabs",
        reason="",
        said=None,
        stated=stated,
        ended=ended,
        at_cuts=tuple(
            AtCut(cut=number, mark=mark, answer=ANSWERS[mark], **facts) for number, mark in marks
        ),
        evidence=(),
    )


def timeline(*cuts, length=100, lines=(), points=(), **more):
    facts = {"title": None, "cwd": None, "model": None, "started": None, "last_event": None}
    facts |= {"measured": "responses", "window_tokens": None, "times": (), "lines_left_out": 0}
    return Timeline(
        agent="a",
        session="s",
        short_id="s",
        length=length,
        points=points,
        cuts=cuts,
        lines=lines,
        **facts | more,
    )


def way(shown, known):
    return [(part.start, part.end, part.state) for part in way_of(shown, known).stretches]


class TestStretches:
    def test_what_survives_goes_on_to_the_end(self):
        shown = line(marks=[(1, "survives"), (2, "reinjected")])
        assert way(shown, timeline(cut(1, 30), cut(2, 60))) == [(1, 100, "held")]

    def test_what_breaks_is_gone_until_it_is_said_again(self):
        shown = line(stated=(5, 45), marks=[(1, "breaks"), (2, "survives")])
        assert way(shown, timeline(cut(1, 30), cut(2, 60))) == [
            (5, 30, "held"),
            (30, 45, "gone"),
            (45, 100, "held"),
        ]

    def test_what_was_taken_back_ends_there(self):
        assert way(line(ended=40), timeline(cut(1, 60))) == [(1, 40, "held")]

    def test_behind_a_cut_that_nobody_judged_it_is_doubtful(self):
        assert way(line(), timeline(cut(1, 60, judged=False))) == [
            (1, 60, "held"),
            (60, 100, "doubtful"),
        ]

    def test_at_a_cut_that_was_judged_without_it_nobody_can_tell_unless_it_was_gone(self):
        known = timeline(cut(1, 30), cut(2, 60))
        told = way_of(line(marks=[(1, "reinjected")]), known)
        assert [(stop.cut, stop.mark) for stop in told.stops] == [(1, "reinjected"), (2, "unknown")]
        assert [part.state for part in told.stretches] == ["held", "doubtful"]
        gone = way_of(line(marks=[(1, "breaks")]), known)
        assert [(stop.cut, stop.mark) for stop in gone.stops] == [(1, "breaks")]

    def test_a_cut_before_it_was_said_is_none_of_its(self):
        shown = line(stated=(50,), marks=[(2, "survives")])
        known = timeline(cut(1, 30, judged=False), cut(2, 80))
        assert [stop.cut for stop in way_of(shown, known).stops] == [2]
        assert way(shown, known) == [(50, 100, "held")]

    def test_one_from_an_earlier_session_begins_with_the_session(self):
        assert way(line(stated=()), timeline()) == [(0, 100, "held")]

    @given(
        st.lists(st.integers(1, 100), min_size=1, max_size=4, unique=True),
        st.lists(st.tuples(st.integers(1, 100), st.sampled_from(sorted(ANSWERS))), max_size=5),
    )
    def test_the_parts_of_a_line_have_no_gaps(self, stated, met):
        known = timeline(*(cut(n, position) for n, (position, _) in enumerate(sorted(met), 1)))
        marks = [(n, mark) for n, (_, mark) in enumerate(sorted(met), 1)]
        parts = way_of(line(tuple(sorted(stated)), marks=marks), known).stretches
        assert parts[0].start == min(stated)
        assert parts[-1].end == 100
        joints = itertools.pairwise(parts)
        assert all(one.end == other.start and one.state != other.state for one, other in joints)


class TestCourse:
    def usage(self, number, tokens, **more):
        return Usage(context_tokens=tokens, message=f"m{number}", **base(f"u{number}", **more))

    def test_each_response_measures_the_window(self):
        made = course([user("a", 1), self.usage(1, 100, seconds=2), self.usage(2, 300, seconds=3)])
        assert [(point.position, point.tokens) for point in made.points] == [(2, 100), (3, 300)]
        assert made.is_measured

    def test_sub_agents_and_repeats_count_for_nothing(self):
        once = [user("a", 1), self.usage(1, 100, seconds=2)]
        others = [agent("x", 2, sub_agent="sub"), self.usage(9, 9_000, seconds=2, sub_agent="sub")]
        assert course([*once, *others, *once]).length == 2

    def test_the_window_falls_at_a_compaction_and_when_it_is_cleared(self):
        events = [
            self.usage(1, 900, seconds=1),
            Compaction(tokens_before=910, tokens_after=100, **base("c", 2)),
            Cleared(**base("x", 3)),
        ]
        assert [point.tokens for point in course(events).points] == [900, 910, 100]

    def test_what_only_tells_a_share_has_shares(self):
        event = Usage(context_percent=42.0, **base("u", 1))
        assert [(p.tokens, p.share) for p in course([event]).points] == [(None, 0.42)]

    def test_points_and_times_are_few_however_long_it_is(self):
        made = course([self.usage(n, n % 997, seconds=n) for n in range(1, 9_000)])
        assert len(made.points) <= TIMELINE_POINTS
        assert max(point.tokens for point in made.points) == 996
        assert len(made.moments) <= TIME_MARKS
        assert made.moments[-1].position == made.length


class TestDrawing:
    @pytest.mark.parametrize("length", [0, 1, 100, 10**6])
    def test_everything_lies_in_the_picture(self, length):
        points = tuple(WindowPoint(length * n // 4, None, n * 50_000, None) for n in range(5))
        shown = line(stated=(length // 2,), marks=[(1, "breaks")])
        known = timeline(
            cut(1, length), length=length, points=points, lines=(shown,), window_tokens=180_000
        )
        made = drawing(known)
        for number in made.curve.replace("M", "").replace("L", " ").split():
            assert 0 <= float(number) <= 1000
        assert all(0 <= float(flag.across) <= 100 for flag in made.flags)
        for piece in made.lanes[0].pieces:
            assert 0 <= float(piece.start) <= float(piece.end) <= 100

    def test_the_scale_is_the_window_where_it_is_known_and_round_where_not(self):
        points = (WindowPoint(1, None, 163_000, None),)
        tops = [
            drawing(timeline(points=points, window_tokens=limit)).ticks[0].amount
            for limit in (200_000, None)
        ]
        assert tops == [200_000, 200_000]
        assert drawing(timeline(points=(WindowPoint(1, None, None, 0.4),))).ticks[0].amount == 1.0

    def test_a_window_that_nobody_measured_has_no_curve(self):
        assert drawing(timeline()).curve == ""

    def test_times_that_read_the_same_or_would_touch_are_left_out(self):
        times = tuple(TimeMark(n * 10, at(n * 20)) for n in range(10))
        labels = drawing(timeline(times=times)).labels
        places = [float(label.across) for label in labels]
        assert all(b - a >= 15 for a, b in itertools.pairwise(places))
        assert len({label.text for label in labels}) == len(labels)
        assert [labels[0].anchor, labels[0].across] == ["start", "0"]

    def test_numbers_of_cuts_close_together_do_not_lie_on_one_another(self):
        made = drawing(timeline(*(cut(n, 50 + n) for n in range(1, 5))))
        assert [flag.is_named for flag in made.flags] == [True, False, False, False]

    def test_of_many_lines_those_that_a_cut_dropped_are_seen_at_once(self):
        calm = [line(marks=[(1, "survives")]) for _ in range(LANES_OPEN)]
        lines = (*calm, *(line(marks=[(1, "breaks")]) for _ in range(3)))
        made = drawing(timeline(cut(1, 50), lines=lines))
        assert [len(made.lanes), len(made.rest), len(made.every)] == [LANES_OPEN, 3, 17]
        assert [lane.signs[0].stop.mark for lane in made.lanes[-3:]] == ["breaks"] * 3
