"""What the reducer promises of any log, shown on events made by hand."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxd.exchange import Exchange
from ctxd.policy.daemon import (
    BOUNDARIES_KEPT,
    FACT_CHARS,
    MAX_ID_CHARS,
    STORM_SECONDS,
    SUB_AGENTS_REMEMBERED,
    WINDOW_ENTRIES,
)
from ctxd.policy.ledger import EARLIER_MESSAGES, EXCHANGE_EVENTS
from ctxd.session import Session, advance, close, rebuild
from ctxd.signals import (
    CompactionAhead,
    CompactionHappened,
    ExchangeComplete,
    SessionBegan,
    SessionClosed,
    SubAgentCompacted,
    TurnComplete,
    WindowCut,
    WithdrawnSignal,
)
from ctxd_parsers.events import (
    Cleared,
    CompactionFailed,
    CompactionStarted,
    ContextFileLoaded,
    ContextInjected,
    Interrupted,
    PlanDecided,
    QuestionAnswered,
    Reasoning,
    SessionEnded,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    Truncated,
    Unknown,
    Unparsed,
    Usage,
    Withdrawn,
    WorkspaceChanged,
)
from session_events import (
    agent,
    at,
    base,
    call,
    compaction,
    done,
    held,
    plain_window,
    reduced,
    started,
    user,
)


def of(kind, signals):
    return [signal for signal in signals if type(signal) is kind]


def exchanges(signals):
    found = [signal.exchange for signal in of(ExchangeComplete, signals)]
    return [(one.proposal, one.answer) for one in found]


def turns(signals):
    return [
        (one.exchange.answer, one.exchange.reply, one.reason) for one in of(TurnComplete, signals)
    ]


def back(since):
    return Withdrawn(since=since, **base("w"))


class TestFacts:
    def test_a_start_tells_where_and_with_what_the_session_runs(self):
        session, signals = reduced(
            started(
                seconds=0, cwd="/w", branch="b", repository="o/r", client_version="1", model="m"
            )
        )
        assert (session.cwd, session.branch, session.repository) == ("/w", "b", "o/r")
        assert (session.client_version, session.model, session.started) == ("1", "m", at(0))
        assert signals == [SessionBegan("a", "s", "startup")]

    def test_a_changed_workspace_replaces_only_what_it_names(self):
        session, _ = reduced(
            started(cwd="/w", branch="b"), WorkspaceChanged(branch="c", **base("x"))
        )
        assert (session.cwd, session.branch) == ("/w", "c")

    def test_the_last_title_counts(self):
        session, _ = reduced(
            SessionTitled(title="mine", by="user", **base("1")),
            SessionTitled(title="made", by="agent", **base("2")),
        )
        assert (session.title, session.titled_by) == ("made", "agent")

    def test_the_model_is_the_one_that_answered_last_and_never_the_clients_own_error(self):
        session, _ = reduced(
            agent("1", model="old"),
            agent("2", model="new"),
            msgspec.structs.replace(agent("3", model="synthetic"), failed=True),
        )
        assert session.model == "new"

    def test_times_may_go_back_within_a_log(self):
        session, _ = reduced(user("1", 50), agent("2", 10), user("3", 30))
        assert (session.started, session.last_event) == (at(10), at(50))

    def test_a_title_given_to_an_old_session_is_no_activity(self):
        session, _ = reduced(user("1", 5), SessionTitled(title="t", **base("2", 900)))
        assert session.last_event == at(5)

    def test_how_it_began_is_kept_through_later_resumes(self):
        session, signals = reduced(started(how="fork", parent="p"), started("again", how="resume"))
        assert (session.how, session.parent, session.starts) == ("fork", "p", 2)
        assert [signal.how for signal in signals] == ["fork", "resume"]

    def test_a_fork_that_repeats_its_parents_start_is_a_fork(self):
        session, _ = reduced(started("copy"), user("u"), started(how="fork", parent="p"))
        assert (session.how, session.parent) == ("fork", "p")


class TestTurns:
    def test_a_turn_is_complete_when_the_log_says_that_it_ended(self):
        session, signals = reduced(user("u"), agent("a1"), call("c"), agent("a2"), done("d"))
        assert turns(signals) == [(("u",), ("a1", "c", "a2"), "completed")]
        assert (session.turns, session.busy) == (1, False)

    def test_without_an_end_record_the_next_prompt_ends_a_turn(self):
        session, signals = reduced(user("u1"), agent("a1"), user("u2"))
        assert turns(signals) == [(("u1",), ("a1",), None)]
        assert (session.turns, session.busy) == (2, True)

    def test_a_turn_ends_once(self):
        _, signals = reduced(
            user("u"), agent("a"), Interrupted(**base("i")), done("d", reason="interrupted")
        )
        assert [reason for _, _, reason in turns(signals)] == ["interrupted"]

    def test_words_typed_while_the_agent_works_belong_to_its_turn(self):
        session, _ = reduced(
            user("u"), agent("a"), user("q", origin="queued"), agent("b"), done("d")
        )
        assert (session.turns, session.user_messages) == (1, 2)

    def test_queued_words_open_a_turn_once_the_agent_is_done(self):
        session, _ = reduced(user("u"), agent("a"), done("d"), user("q", origin="queued"))
        assert (session.turns, session.busy) == (2, True)

    def test_several_messages_of_one_prompt_are_one_turn(self):
        session, _ = reduced(user("u1", turn="t"), user("u2", turn="t"), agent("a"))
        assert (session.turns, session.user_messages) == (1, 2)

    @pytest.mark.parametrize("origin", ["answer", "refusal", "plan_feedback"])
    def test_answers_within_a_turn_open_none(self, origin):
        session, _ = reduced(user("u"), call("c"), user("x", origin=origin), agent("a"))
        assert session.turns == 1

    def test_a_command_counts_as_a_turn_when_the_agent_acts_on_it(self):
        session, _ = reduced(user("u", origin="command_arguments"))
        assert (session.turns, session.busy) == (0, False)
        advance(session, agent("a"))
        assert (session.turns, session.busy) == (1, True)

    def test_the_focus_of_a_compaction_is_no_turn(self):
        session, _ = reduced(user("u", origin="command_arguments"), compaction("c"), agent("later"))
        assert session.turns == 0

    def test_what_the_agent_does_unasked_is_no_turn_of_the_users(self):
        session, _ = reduced(user("u"), agent("a"), done("d"), agent("woken"), done("e"))
        assert session.turns == 1

    def test_the_end_of_another_turn_that_is_told_late_ends_nothing(self):
        session, _ = reduced(user("u", turn="2"), done("late", turn="1"))
        assert session.busy

    def test_a_new_process_finds_no_turn_open(self):
        session, signals = reduced(user("u"), agent("a"), started("again", how="resume"))
        assert turns(signals) == [(("u",), ("a",), None)]
        assert not session.busy


class TestExchanges:
    def test_an_answer_goes_with_all_that_the_agent_said_before_it(self):
        _, signals = reduced(user("u1"), agent("a1"), call("c"), agent("a2"), done("d"), user("u2"))
        assert exchanges(signals) == [((), ("u1",)), (("a1", "c", "a2"), ("u2",))]

    def test_a_refusal_goes_with_the_call_it_refuses(self):
        _, signals = reduced(user("u"), agent("a"), call("c"), user("no", origin="refusal"))
        assert exchanges(signals)[-1] == (("a", "c"), ("no",))

    def test_words_in_a_row_answer_the_same_proposal(self):
        _, signals = reduced(user("u"), agent("a"), user("n1"), user("n2"), agent("b"), user("n3"))
        assert exchanges(signals)[-2:] == [(("a",), ("n1", "n2")), (("b",), ("n3",))]

    def test_a_dialogs_answer_and_the_words_in_it_are_one_answer(self):
        _, signals = reduced(
            user("u"),
            call("ask"),
            QuestionAnswered(question="?", chosen=("A",), **base("q")),
            user("q#1", origin="answer"),
        )
        assert exchanges(signals)[-1] == (("ask",), ("q", "q#1"))

    def test_a_decision_on_a_plan_is_an_answer(self):
        _, signals = reduced(user("u"), call("plan"), PlanDecided(approved=True, **base("p")))
        assert exchanges(signals)[-1] == (("plan",), ("p",))

    def test_sub_agents_take_no_part(self):
        _, signals = reduced(user("u"), agent("x", sub_agent="1"), agent("a"), user("v"))
        assert exchanges(signals)[-1] == (("a",), ("v",))

    def test_of_a_long_turn_the_last_events_count(self):
        many = [call(f"c{number}") for number in range(EXCHANGE_EVENTS + 10)]
        _, signals = reduced(user("u"), *many, user("v"))
        assert exchanges(signals)[-1][0] == tuple(event.id for event in many[10:])

    def test_what_was_said_before_the_proposal_is_known_but_not_what_was_called(self):
        _, signals = reduced(
            user("u1"), agent("a1"), call("c"), user("u2"), agent("a2"), user("u3"), user("u4")
        )
        earlier = [signal.exchange.earlier for signal in of(ExchangeComplete, signals)]
        assert earlier == [(), ("u1",), ("u1", "a1", "u2"), ("u1", "a1", "u2")]

    @given(st.lists(st.sampled_from(["user", "agent", "call"]), max_size=60))
    def test_earlier_are_the_last_messages_before_the_proposal(self, kinds):
        make = {"user": user, "agent": agent, "call": call}
        events = [make[kind](f"e{number}") for number, kind in enumerate(kinds)]
        said = [event.id for event in events if not isinstance(event, ToolCall)]
        for signal in of(ExchangeComplete, reduced(*events)[1]):
            exchange = signal.exchange
            first = min([*exchange.proposal, *exchange.answer], key=lambda name: int(name[1:]))
            before = [name for name in said if int(name[1:]) < int(first[1:])]
            assert exchange.earlier == tuple(before[-EARLIER_MESSAGES:])

    def test_after_the_window_is_emptied_nothing_is_earlier(self):
        _, signals = reduced(user("u1"), agent("a1"), user("u2"), Cleared(**base("x")), user("u3"))
        assert of(ExchangeComplete, signals)[-1].exchange == Exchange(answer=("u3",))


class TestWindow:
    def test_it_holds_words_and_context_and_not_tools_and_thinking(self):
        session, _ = reduced(
            ContextFileLoaded(path="AGENTS.md", **base("f")),
            user("u"),
            ContextInjected(source="hook", text="t", **base("h")),
            Reasoning(text="t", **base("r")),
            call("c"),
            ToolResult(call="c", **base("cr")),
            agent("a"),
            agent("sub", sub_agent="1"),
            QuestionAnswered(question="?", **base("q")),
            PlanDecided(approved=False, **base("p")),
            Unknown(record_kind="k", **base("k")),
            Unparsed(reason="x", **base("x")),
        )
        assert [(entry.id, entry.kind) for entry in session.window.entries] == [
            ("f", "file"),
            ("u", "user"),
            ("h", "injected"),
            ("a", "agent"),
            ("q", "answer"),
            ("p", "plan"),
        ]

    def test_after_a_compaction_it_is_summary_kept_and_later(self):
        session, signals = reduced(
            user("u1"), agent("a1"), user("u2"), agent("a2"), compaction("c", kept=("a2", "u1"))
        )
        happened = of(CompactionHappened, signals)[0]
        assert happened.window_before == ("u1", "a1", "u2", "a2")
        assert happened.kept == ("u1", "a2")
        advance(session, user("u3"))
        assert held(session) == ["c", "u1", "a2", "u3"]
        assert not session.window.unsure

    def test_what_is_said_while_a_summary_is_made_stays(self):
        session, signals = reduced(
            user("u1"),
            CompactionStarted(trigger="auto", **base("begin")),
            agent("a1"),
            user("u2"),
            compaction("c", kept=("u1",)),
        )
        assert of(CompactionAhead, signals) == [CompactionAhead("a", "s", ("u1",), "auto")]
        assert held(session) == ["c", "u1", "a1", "u2"]

    def test_a_failed_compaction_changes_nothing(self):
        session, _ = reduced(
            user("u1"),
            CompactionStarted(attempt="1", **base("begin")),
            agent("a1"),
            CompactionFailed(attempt="1", **base("fail")),
            agent("a2"),
            compaction("c"),
        )
        assert held(session) == ["c"]
        assert session.compacted == 1

    def test_of_two_attempts_the_one_that_is_named_counts(self):
        session, _ = reduced(
            user("u1"),
            CompactionStarted(attempt="1", **base("b1")),
            agent("a1"),
            CompactionStarted(attempt="2", **base("b2")),
            agent("a2"),
            compaction("c", attempt="2"),
        )
        assert held(session) == ["c", "a2"]

    def test_an_attempt_does_not_outlive_its_process(self):
        session, _ = reduced(
            user("u1"),
            CompactionStarted(**base("begin")),
            agent("a1"),
            started("again", how="resume"),
            compaction("c"),
        )
        assert held(session) == ["c"]

    def test_a_second_compaction_summarises_the_first_summary(self):
        session, signals = reduced(user("u1"), compaction("c1"), user("u2"), compaction("c2"))
        assert of(CompactionHappened, signals)[1].window_before == ("c1", "u2")
        assert held(session) == ["c2"]

    def test_a_log_that_does_not_tell_what_is_kept_leaves_it_unsure(self):
        session, signals = reduced(user("u"), compaction("c", kept=None))
        assert held(session) == ["c"]
        assert session.window.unsure
        assert of(CompactionHappened, signals)[0].kept is None
        advance(session, compaction("d"))
        assert not session.window.unsure

    def test_a_sub_agents_compaction_does_not_touch_it(self):
        session, signals = reduced(user("u"), compaction("c", sub_agent="7", trigger="auto"))
        assert held(session) == ["u"]
        assert session.compacted == 0
        assert [(one.event, one.sub_agent) for one in session.compactions] == [("c", "7")]
        assert of(SubAgentCompacted, signals)[0].boundary.sub_agent == "7"
        assert not of(CompactionHappened, signals)

    def test_an_attempt_that_begins_after_an_end_does_not_outlive_the_next_one(self):
        ended = SessionEnded(**base("e1", 1))
        begun = CompactionStarted(**base("b2", 2))
        session, _ = reduced(ended, begun, SessionEnded(**base("e3", 3)), user("u4", 4))
        advance(session, compaction("c5", 5, kept=None))
        assert held(session) == ["c5"]

    def test_a_sub_agents_attempt_does_not_touch_it(self):
        session, _ = reduced(
            user("u"), CompactionStarted(**base("b", sub_agent="7")), agent("a"), compaction("c")
        )
        assert held(session) == ["c"]

    def test_clearing_empties_it_and_says_what_it_held(self):
        session, signals = reduced(user("u"), agent("a"), Cleared(**base("x")), user("v"))
        assert of(WindowCut, signals) == [WindowCut("a", "s", ("u", "a"), ())]
        assert held(session) == ["v"]
        assert exchanges(signals)[-1] == ((), ("v",))

    def test_dropped_messages_leave_it_unsure_and_dropped_tool_results_do_not(self):
        session, signals = reduced(user("u"), Truncated(calls=("c",), **base("1")))
        assert not session.window.unsure
        assert not of(WindowCut, signals)
        signals = advance(session, Truncated(messages_removed=4, **base("2")))
        assert session.window.unsure
        assert signals == [WindowCut("a", "s", ("u",), None)]

    def test_beyond_its_bound_the_oldest_words_of_the_agent_go_first(self):
        events = [user("first"), ContextFileLoaded(path="AGENTS.md", **base("file"))]
        events += [agent(f"a{number}") for number in range(WINDOW_ENTRIES)]
        session, _ = reduced(*events, user("last"))
        assert len(session.window.entries) <= WINDOW_ENTRIES
        assert held(session)[:2] == ["first", "file"]
        assert held(session)[-1] == "last"
        assert session.window.dropped + len(session.window.entries) == len(events) + 1

    def test_beyond_its_bound_the_users_words_go_when_there_are_no_others(self):
        events = [user(f"u{number}") for number in range(WINDOW_ENTRIES + 1)]
        session, _ = reduced(*events)
        assert len(session.window.entries) <= WINDOW_ENTRIES
        assert held(session)[-1] == events[-1].id


class TestFullness:
    def test_it_is_all_that_the_last_response_read_and_wrote(self):
        session, _ = reduced(
            Usage(
                input_tokens=10,
                cache_read_tokens=100,
                cache_write_tokens=20,
                output_tokens=7,
                window_tokens=1000,
                **base("1", 1),
            )
        )
        assert session.window.tokens == 137
        assert session.window.percent == pytest.approx(13.7)

    def test_the_clients_own_figure_counts_before_a_sum(self):
        session, _ = reduced(Usage(input_tokens=10, context_tokens=500, **base("1")))
        assert session.window.tokens == 500
        assert session.window.percent is None

    def test_a_client_may_tell_nothing_but_the_share(self):
        session, _ = reduced(Usage(context_percent=42.5, **base("1")))
        assert (session.window.tokens, session.window.percent) == (None, 42.5)

    def test_a_compaction_sets_it_anew(self):
        session, _ = reduced(
            Usage(context_tokens=900, window_tokens=1000, context_percent=90, **base("1", 1)),
            compaction("c", 2, trigger="auto", tokens_before=950, tokens_after=200),
        )
        assert session.window.percent == pytest.approx(20)
        assert session.window.filled_at == 950

    def test_what_it_holds_is_unknown_when_the_compaction_does_not_tell(self):
        session, _ = reduced(Usage(context_percent=90, **base("1", 1)), compaction("c", 2))
        assert (session.window.tokens, session.window.percent) == (None, None)

    def test_a_response_to_the_new_window_may_stand_before_the_compaction(self):
        session, _ = reduced(Usage(context_tokens=50, **base("1", 5)), compaction("c", 4))
        assert session.window.tokens == 50

    def test_sub_agents_have_their_own(self):
        session, _ = reduced(
            Usage(context_tokens=50, **base("1")),
            Usage(context_tokens=99, **base("2", sub_agent="x")),
        )
        assert session.window.tokens == 50


class TestCompactions:
    def test_each_is_remembered_with_what_the_log_tells(self):
        session, signals = reduced(
            user("u"),
            compaction("c", 9, trigger="auto", cause="threshold", tokens_before=9, tokens_after=2),
        )
        boundary = session.compactions[0]
        assert (boundary.event, boundary.time, boundary.trigger) == ("c", at(9), "auto")
        assert (boundary.cause, boundary.tokens_before, boundary.tokens_after) == (
            "threshold",
            9,
            2,
        )
        assert not boundary.storm
        assert of(CompactionHappened, signals)[0].boundary == boundary

    @pytest.mark.parametrize(("apart", "storm"), [(1, True), (STORM_SECONDS + 1, False)])
    def test_those_within_seconds_are_a_storm(self, apart, storm):
        session, _ = reduced(compaction("1", 0), agent("a", 0), compaction("2", apart))
        assert [boundary.storm for boundary in session.compactions] == [False, storm]

    def test_words_of_the_user_in_between_make_it_two(self):
        session, _ = reduced(compaction("1", 0), user("u", 0), compaction("2", 1))
        assert [boundary.storm for boundary in session.compactions] == [False, False]

    def test_one_that_the_user_asked_for_is_no_storm(self):
        session, _ = reduced(compaction("1", 0), compaction("2", 1, trigger="manual"))
        assert [boundary.storm for boundary in session.compactions] == [False, False]

    def test_without_times_those_with_nothing_said_between_are_a_storm(self):
        session, _ = reduced(
            user("u"), compaction("1"), compaction("2"), user("v"), compaction("3")
        )
        assert [boundary.storm for boundary in session.compactions] == [False, True, False]

    def test_a_sub_agents_makes_no_storm_of_the_users(self):
        session, _ = reduced(compaction("1", 0, sub_agent="x"), compaction("2", 1))
        assert [boundary.storm for boundary in session.compactions] == [False, False]

    def test_all_are_counted_and_the_last_are_remembered(self):
        events = [compaction(str(number), 60 * number) for number in range(BOUNDARIES_KEPT + 5)]
        session, _ = reduced(*events)
        assert session.compacted == BOUNDARIES_KEPT + 5
        assert [one.event for one in session.compactions] == [one.id for one in events[5:]]


class TestTakingBack:
    def test_all_from_the_withdrawn_event_on_leaves_the_window(self):
        session, signals = reduced(
            user("u1"),
            agent("a1"),
            done("d"),
            user("u2"),
            agent("a2"),
            Withdrawn(since="u2", **base("w")),
        )
        assert held(session) == ["u1", "a1"]
        assert of(WithdrawnSignal, signals) == [
            WithdrawnSignal("a", "s", "u2", None, ("u2", "a2"), rebuild=False)
        ]
        assert (session.withdrawn, session.busy) == (2, False)

    def test_what_follows_until_is_left(self):
        session, _ = reduced(
            user("u1"), agent("a1"), user("u2"), Withdrawn(since="u1", until="u2", **base("w"))
        )
        assert held(session) == ["u2"]

    def test_withdrawn_words_are_no_part_of_an_exchange(self):
        _, signals = reduced(user("u1"), agent("a1"), user("u2"), back("u2"), user("u3"))
        assert exchanges(signals)[-1] == (("a1",), ("u3",))

    @pytest.mark.parametrize("since", ["u1", None, "never seen"])
    def test_a_part_from_before_the_window_asks_for_a_rebuild(self, since):
        session, signals = reduced(
            user("u1"),
            agent("a1"),
            compaction("c", kept=("a1",)),
            Withdrawn(since=since, **base("w")),
        )
        assert of(WithdrawnSignal, signals)[0].rebuild
        assert held(session) == ["c", "a1"]

    def test_taking_back_the_compaction_itself_asks_for_a_rebuild(self):
        _, signals = reduced(
            user("u1"),
            agent("a1"),
            compaction("c", kept=("a1",)),
            Withdrawn(since="a1", **base("w")),
        )
        assert of(WithdrawnSignal, signals)[0].rebuild

    def test_a_rebuild_makes_the_window_of_what_still_stands(self):
        events = [user("u1"), agent("a1"), user("u2"), agent("a2"), compaction("c"), user("u3")]
        session, _ = reduced(started(cwd="/w"), *events)
        advance(session, Usage(context_tokens=5, window_tokens=10, **base("x")))
        rebuild(session, [started(cwd="/w"), *events[:2], user("u4")])
        assert held(session) == ["u1", "a1", "u4"]
        assert session.window.limit == 10
        assert session.talk.exchange().proposal == ("a1",)
        assert (session.turns, session.user_messages, session.compacted) == (3, 3, 1)
        assert session.withdrawn == 2

    def test_a_rebuild_leaves_the_window_as_full_as_it_was_measured(self):
        session, _ = reduced(started(cwd="/w"), user("u1"))
        advance(session, Usage(context_tokens=5, window_tokens=10, **base("x")))
        rebuild(session, [started(cwd="/w"), user("u1")])
        assert (session.window.tokens, session.window.limit) == (5, 10)


class TestEnds:
    def test_an_end_record_closes_the_session_and_its_turn(self):
        session, signals = reduced(
            user("u", 1), agent("a", 2), SessionEnded(reason="quit", **base("e", 3))
        )
        assert [type(signal) for signal in signals[-2:]] == [TurnComplete, SessionClosed]
        assert signals[-1] == SessionClosed("a", "s", "end record", "quit")
        assert (session.ended.reason, session.ended.time) == ("quit", at(3))

    def test_it_closes_once(self):
        _, signals = reduced(
            SessionEnded(**base("e1", 1)), SessionEnded(**base("e2", 1)), user("u", 0)
        )
        assert len(of(SessionClosed, signals)) == 1

    def test_an_end_that_the_log_does_not_tell_can_be_noted(self):
        session, _ = reduced(user("u", 1), agent("a", 2))
        signals = close(session, "dead process", session.last_event)
        assert [type(signal) for signal in signals] == [TurnComplete, SessionClosed]
        assert signals[-1].known_by == "dead process"
        assert close(session, "silence", at(9)) == []

    @pytest.mark.parametrize("event", [user("v"), agent("b", 9), call("c", 9), compaction("k", 9)])
    def test_whatever_goes_on_reopens_it(self, event):
        session, _ = reduced(user("u", 1), SessionEnded(**base("e", 3)))
        signals = advance(session, event)
        assert signals[0] == SessionBegan("a", "s", "resume")
        assert session.ended is None

    def test_a_resume_record_reopens_it_once(self):
        _, signals = reduced(
            SessionEnded(**base("e", 3)), started("r", 5, how="resume"), user("u", 6)
        )
        assert of(SessionBegan, signals) == [SessionBegan("a", "s", "resume")]

    @pytest.mark.parametrize(
        "event",
        [
            agent("late", 2),
            call("late", 2),
            SessionTitled(title="t", **base("t", 99)),
            Usage(context_tokens=1, **base("x", 99)),
            agent("sub", 99, sub_agent="1"),
        ],
    )
    def test_rows_that_come_late_do_not_reopen_it(self, event):
        session, _ = reduced(user("u", 1), SessionEnded(**base("e", 3)), event)
        assert session.ended is not None
        assert not session.busy


class TestCopies:
    def test_a_fork_has_its_parents_words_in_its_window_and_nothing_else_of_them(self):
        fork = Session("a", "s")
        advance(fork, started("f", 100, how="fork", parent="p", cwd="/fork"))
        for event in [
            started("old", 1, cwd="/old"),
            user("u1", 2),
            agent("a1", 3),
            compaction("c", 4, kept=("a1",)),
            user("u2", 5),
            agent("a2", 6),
            SessionEnded(**base("e", 7)),
        ]:
            assert advance(fork, event, copied=True) == []
        assert held(fork) == ["c", "a1", "u2", "a2"]
        assert (fork.turns, fork.user_messages, fork.compacted) == (0, 0, 0)
        assert (fork.cwd, fork.started, fork.ended, fork.busy) == ("/fork", at(100), None, False)
        signals = advance(fork, user("own", 101))
        assert exchanges(signals) == [(("a2",), ("own",))]
        assert (fork.turns, fork.user_messages) == (1, 1)


IDS = st.integers(0, 30)
STORED = [
    lambda number: user(f"u{number}", number),
    lambda number: agent(f"a{number}", number, model=f"m{number}"),
    lambda number: call(f"t{number}", number),
    lambda number: done(f"d{number}", number),
    lambda number: Interrupted(**base(f"i{number}", number)),
    lambda number: ContextFileLoaded(path="p", **base(f"f{number}", number)),
    lambda number: QuestionAnswered(question="?", **base(f"q{number}", number)),
    lambda number: CompactionStarted(**base(f"b{number}", number)),
    lambda number: CompactionFailed(**base(f"n{number}", number)),
    lambda number: SessionEnded(**base(f"e{number}", number)),
    lambda number: started(f"s{number}", number, how="resume"),
    lambda number: Cleared(**base(f"x{number}", number)),
    lambda number: agent(f"sub{number}", number, sub_agent=f"g{number % 3}"),
]
PASSING = [
    lambda number: Usage(context_tokens=number, model=f"m{number}", **base(f"us{number}", number)),
    lambda number: Reasoning(text="t", **base(f"r{number}", number)),
    lambda number: ToolResult(call="t", **base(f"tr{number}", number)),
    lambda number: Unknown(record_kind="k", **base(f"k{number}", number)),
]


@st.composite
def logs(draw):
    """Logs of any events, with compactions and rewinds that name earlier ones."""
    events = []
    for number in range(draw(st.integers(0, 40))):
        ids = [event.id for event in events]
        kind = draw(st.integers(0, len(STORED) + len(PASSING) + 1))
        if kind < len(STORED):
            events.append(STORED[kind](number))
        elif kind < len(STORED) + len(PASSING):
            events.append(PASSING[kind - len(STORED)](number))
        elif kind == len(STORED) + len(PASSING):
            kept = draw(st.none() | st.lists(st.sampled_from(ids or ["-"]), max_size=5).map(tuple))
            events.append(compaction(f"c{number}", number, kept=kept))
        else:
            events.append(
                Withdrawn(since=draw(st.sampled_from(ids or ["-"])), **base(f"w{number}", number))
            )
    return events


PASSING_KINDS = (Usage, Reasoning, ToolResult, Unknown)


class TestAnyLog:
    @settings(deadline=None, max_examples=200)
    @given(events=logs(), chance=st.randoms(use_true_random=False))
    def test_repeats_that_the_ledger_filters_change_nothing(self, events, chance):
        noisy = list(events)
        for event in chance.sample(events, len(events) // 2):
            noisy.insert(chance.randrange(noisy.index(event), len(noisy)) + 1, event)
        seen: set[str] = set()
        fresh = [event for event in noisy if not (event.id in seen or seen.add(event.id))]
        assert reduced(*fresh) == reduced(*events)

    @settings(deadline=None, max_examples=200)
    @given(events=logs())
    def test_a_log_that_is_read_anew_changes_nothing(self, events):
        """The ledger keeps no usage, thinking and results, so that these come again."""
        again = [event for event in events if isinstance(event, PASSING_KINDS)]
        assert reduced(*events, *again)[0] == reduced(*events)[0]

    @settings(deadline=None, max_examples=200)
    @given(events=logs(), cut=st.integers(0, 40))
    def test_a_stored_session_goes_on_as_if_it_had_never_been_stored(self, events, cut):
        session, signals = reduced(*events[:cut])
        stored = msgspec.msgpack.encode(session)
        session = msgspec.msgpack.decode(stored, type=Session)
        for event in events[cut:]:
            signals += advance(session, event)
        assert (session, signals) == reduced(*events)

    @settings(deadline=None, max_examples=200)
    @given(events=logs())
    def test_the_window_is_what_a_plain_reading_of_the_log_says(self, events):
        session, _ = reduced(*events)
        assert held(session) == plain_window(events)

    @settings(deadline=None, max_examples=50)
    @given(events=logs())
    def test_a_rebuild_from_all_events_is_the_session_that_saw_them(self, events):
        session, _ = reduced(*events)
        before = (held(session), session.talk)
        if not any(isinstance(event, Withdrawn) for event in events):
            rebuild(session, events)
            assert (held(session), session.talk) == before


class TestSize:
    @pytest.mark.parametrize("every", [5000, 1_000_000], ids=["compacted", "never compacted"])
    def test_it_is_bounded_after_100_000_events(self, every):
        session = Session("a", "s")
        makers = [STORED[0], STORED[1], STORED[2], STORED[6], STORED[12], PASSING[0]]
        for number in range(100_000):
            event = makers[number % len(makers)](number)
            advance(session, msgspec.structs.replace(event, id=f"{event.id:>036}"))
            if number % every == every - 1:
                advance(session, compaction(f"c{number}", number, kept=None))
        assert len(msgspec.msgpack.encode(session)) < 120_000

    def test_it_is_bounded_whatever_names_a_log_holds(self):
        long = "x" * 1_000_000
        session = Session("a", "s")
        facts = dict.fromkeys(("cwd", "branch", "repository", "client_version", "model"), long)
        advance(session, started(long, **facts))
        for number in range(SUB_AGENTS_REMEMBERED + 10):
            advance(session, agent("x", sub_agent=f"{number}{long}"))
        for event in [
            user(long, turn=long),
            agent(long),
            compaction(long, cause=long, attempt=long),
            CompactionStarted(attempt=long, **base(long)),
            SessionTitled(title=long, **base(long)),
            SessionEnded(reason=long, **base(long)),
        ]:
            advance(session, event)
        assert session.cwd == long[:FACT_CHARS]
        assert len(session.sub_agents) == SUB_AGENTS_REMEMBERED
        assert all(len(name) <= MAX_ID_CHARS for name in session.sub_agents)
        assert len(msgspec.msgpack.encode(session)) < 60_000


def test_the_end_that_the_log_tells_replaces_one_that_only_silence_told():
    session = Session("agent", "s")
    advance(session, SessionStarted(agent="agent", session="s", id="a"))
    close(session, "silence", None)
    assert advance(session, SessionEnded(agent="agent", session="s", id="b", reason="exit")) == []
    assert (session.ended.known_by, session.ended.reason) == ("end record", "exit")
