"""Sessions as real clients wrote them: the cases of the parser tests, passed on event by event."""

import json
from datetime import timedelta

import msgspec
import pytest

from ctxd.session import Session, advance, rebuild
from ctxd.signals import (
    CompactionAhead,
    CompactionHappened,
    SessionBegan,
    SessionClosed,
    SubAgentCompacted,
    TurnComplete,
    WindowCut,
    WithdrawnSignal,
)
from ctxd_parsers.events import (
    Cleared,
    Compaction,
    Reasoning,
    ToolResult,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
)
from ctxd_parsers.reading import read_events
from golden import CASES, case_name, cases, transcripts
from session_events import WORDS, Passing, held, passed, plain_window

NOT_KEPT = (Usage, Reasoning, ToolResult, Unknown, Unparsed)
"""What the ledger does not keep, so that it comes again when a log is read anew."""


def case(name):
    return CASES / name


def passed_case(name) -> Passing:
    return passed(transcripts(case(name)))


def only(passing: Passing) -> Session:
    (session,) = passing.sessions.values()
    return session


def texts(passing: Passing, session: Session) -> list[str]:
    """The words in a session's window; a summary as its kind."""
    by_id = {event.id: event for event in passing.passed[session.id]}
    found = [(entry.kind, by_id[entry.id]) for entry in session.window.entries]
    return [kind if kind == "summary" else getattr(e, "text", kind) for kind, e in found]


@pytest.mark.parametrize("folder", cases(), ids=case_name)
class TestEveryLog:
    def test_the_window_is_what_a_plain_reading_says(self, folder):
        passing = passed(transcripts(folder))
        for session in passing.sessions.values():
            assert held(session) == plain_window(passing.passed[session.id])

    def test_a_stored_session_goes_on_as_if_it_had_never_been_stored(self, folder):
        passing = passed(transcripts(folder))
        for name, events in passing.passed.items():
            owned = [passing.owner[event.agent, event.id] != name for event in events]
            session, signals = Session(events[0].agent, name), []
            for number, event in enumerate(events):
                if number % 7 == 3:
                    session = msgspec.msgpack.decode(msgspec.msgpack.encode(session), type=Session)
                signals += advance(session, event, copied=owned[number])
            assert session == passing.sessions[name]
            assert signals == passing.signals[name]

    def test_a_log_that_is_read_anew_changes_nothing(self, folder):
        passing = passed(transcripts(folder))
        for name, session in passing.sessions.items():
            before = msgspec.msgpack.encode(session)
            for event in passing.passed[name]:
                if isinstance(event, NOT_KEPT) and passing.owner[event.agent, event.id] == name:
                    advance(session, event)
            assert msgspec.msgpack.encode(session) == before

    def test_its_facts_are_those_of_its_log(self, folder):
        passing = passed(transcripts(folder))
        for name, session in passing.sessions.items():
            own = [e for e in passing.passed[name] if passing.owner[e.agent, e.id] == name]
            words = [e for e in own if isinstance(e, UserMessage) and e.sub_agent is None]
            boundaries = [e for e in own if isinstance(e, Compaction)]
            assert session.user_messages == len(words)
            assert [one.event for one in session.compactions] == [e.id for e in boundaries]
            assert session.compacted == len([e for e in boundaries if e.sub_agent is None])
            assert set(session.sub_agents) == {e.sub_agent for e in own if e.sub_agent}
            assert len(msgspec.msgpack.encode(session)) < 20_000


LIFECYCLES = {
    # Trigger, tokens before and tokens after, as `compactMetadata` of each version has them.
    "1.0.35": [(None, None, None), (None, None, None)],
    "1.0.128": [("manual", 15785, None), ("auto", 194013, None)],
    "2.0.37": [("manual", 16254, None), ("auto", 194013, None)],
    "2.0.77": [("manual", 18599, None), ("auto", 194013, None)],
    "2.1.63": [("manual", 19894, None), ("auto", 194074, None)],
    "2.1.109": [("manual", 26333, 184), ("auto", 194025, 246)],
    "2.1.197": [("manual", 22891, 805), ("auto", 194025, 802)],
    "2.1.265": [("manual", 19964, 954), ("auto", 194047, 1042)],
    "2.1.332": [("manual", 14334, 2953), ("auto", 194025, 3047)],
}


def raw_rows(name):
    for path in sorted(case(name).rglob("log/**/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


@pytest.mark.parametrize("version", LIFECYCLES)
class TestEveryVersionOfOneClient:
    """The same script played by nine versions of Claude Code: rules agreed, a manual compaction
    with a focus, a sub-agent, an automatic compaction, `/clear`, and a further prompt."""

    def lifecycle(self, version):
        passing = passed_case(f"claude-code/{version}/lifecycle")
        first = next(s for s in passing.sessions.values() if s.how == "startup")
        return passing, first

    def test_its_turns_and_words_are_counted(self, version):
        _, session = self.lifecycle(version)
        assert (session.turns, session.user_messages) == (5, 6)
        assert session.client_version == version
        assert not session.busy
        assert session.sub_agents

    def test_its_compactions_have_trigger_and_tokens(self, version):
        _, session = self.lifecycle(version)
        found = [(one.trigger, one.tokens_before, one.tokens_after) for one in session.compactions]
        assert found == LIFECYCLES[version]
        assert [one.storm for one in session.compactions] == [False, False]

    def test_its_window_is_summary_kept_and_later(self, version):
        passing, session = self.lifecycle(version)
        events = passing.passed[session.id]
        boundary = [number for number, e in enumerate(events) if isinstance(e, Compaction)][-1]
        later = [
            event.id
            for event in events[boundary + 1 :]
            if isinstance(event, WORDS) and event.sub_agent is None
        ]
        preserved = {
            uuid
            for row in raw_rows(f"claude-code/{version}/lifecycle")
            if row.get("subtype") == "compact_boundary"
            for uuid in row["compactMetadata"].get("preservedMessages", {}).get("uuids", [])
        }
        kept = [
            event.id
            for event in events[:boundary]
            if isinstance(event, WORDS) and event.id.split("#")[0] in preserved
        ]
        cut = [signal for signal in passing.signals[session.id] if type(signal) is WindowCut]
        window = list(cut[0].window_before) if cut else held(session)
        # What the first compaction preserved is summarised by the second, which preserves its own.
        last = passing.of(session.id, CompactionHappened)[-1]
        assert window == [events[boundary].id, *(e for e in kept if e in last.kept), *later]
        assert set(kept) >= set(last.kept)
        assert bool(last.kept) == bool(preserved)

    def test_clearing_begins_another_session_with_its_own_window(self, version):
        passing, session = self.lifecycle(version)
        cleared = next(s for s in passing.sessions.values() if s.how == "clear")
        assert cleared.id != session.id
        assert (cleared.turns, cleared.compacted) == (1, 0)
        assert [entry.kind for entry in cleared.window.entries if entry.kind != "file"] == [
            "user",
            "agent",
        ]


class TestOneClient:
    """Claude Code, beyond its versions."""

    def test_an_answer_that_is_written_before_the_summary_belongs_to_the_new_window(self):
        passing = passed_case("claude-code/2.1.109/out_of_order")
        session = next(s for s in passing.sessions.values() if s.how == "startup")
        assert [entry.kind for entry in session.window.entries] == ["summary", "agent"]
        assert session.window.tokens == 25780

    def test_a_sub_agents_compaction_does_not_touch_the_users_window(self):
        passing = passed_case("claude-code/2.1.332/subagent_compact")
        session = only(passing)
        assert [(one.trigger, one.tokens_before) for one in session.compactions] == [
            ("auto", 194064)
        ]
        assert session.compactions[0].sub_agent in session.sub_agents
        assert session.compacted == 0
        assert "summary" not in {entry.kind for entry in session.window.entries}
        assert passing.of(session.id, SubAgentCompacted)
        assert not passing.of(session.id, CompactionHappened)

    def test_a_rewind_leaves_only_the_branch_that_was_taken(self):
        passing = passed_case("claude-code/2.1.332/rewind")
        session = only(passing)
        (back,) = passing.of(session.id, WithdrawnSignal)
        assert not back.rebuild
        assert session.withdrawn == len(back.ids) == 4
        assert texts(passing, session) == [
            "First: we use SQLite.",
            "OK, SQLite.",
            "Instead of Redis use an in-process LRU cache.",
            "LRU then.",
        ]
        assert session.turns == 4

    def test_a_fork_has_the_copies_in_its_window_and_counts_its_own_turns(self):
        found = transcripts(case("claude-code/2.1.332/resume_fork"))
        passing = passed(sorted(found, key=lambda t: b"requestSessionId" in t.path.read_bytes()))
        fork = next(s for s in passing.sessions.values() if s.how == "fork")
        parent = passing.sessions[fork.parent]
        assert (parent.turns, fork.turns) == (3, 1)
        assert held(fork)[: len(held(parent))] == held(parent)
        assert len(passing.of(fork.id, TurnComplete)) == 1

    @pytest.mark.parametrize("kind", ["auto", "manual"])
    def test_what_a_hook_puts_in_after_a_compaction_is_in_the_window(self, kind):
        session = only(passed_case(f"claude-code/2.1.332/compact_{kind}"))
        kinds = [entry.kind for entry in session.window.entries]
        assert kinds[0] == "summary"
        assert "injected" in kinds

    @pytest.mark.parametrize(
        ("name", "ended"),
        [
            ("exit_slash", True),
            ("exit_ctrl-c", True),
            ("exit_sigterm", True),
            ("exit_close", True),
            ("exit_kill9", False),
        ],
    )
    def test_only_a_client_that_could_write_tells_its_end(self, name, ended):
        session = only(passed_case(f"claude-code/2.1.332/{name}"))
        assert (session.ended is not None) == ended

    def test_each_headless_run_begins_and_closes_the_session_again(self):
        passing = passed_case("claude-code/2.1.332/print_compact")
        session = only(passing)
        assert session.starts == 5
        assert len(passing.of(session.id, SessionClosed)) == 5
        began = [signal.how for signal in passing.of(session.id, SessionBegan)]
        assert began == ["startup", *["resume"] * 4]

    def test_words_given_in_a_refusal_answer_the_call_that_was_refused(self):
        passing = passed_case("claude-code/2.1.332/user_feedback")
        session = only(passing)
        refusals = [
            event
            for event in passing.passed[session.id]
            if isinstance(event, UserMessage) and event.origin == "refusal"
        ]
        assert refusals
        for refusal in refusals:
            exchange = next(
                signal.exchange
                for signal in passing.signals[session.id]
                if getattr(signal, "exchange", None) and refusal.id in signal.exchange.answer
            )
            calls = {
                getattr(event, "call", None)
                for event in passing.passed[session.id]
                if event.id in exchange.proposal
            }
            assert refusal.call in calls


class TestAnotherClient:
    """Copilot CLI, which makes its summaries while the turn goes on."""

    def test_what_is_said_while_a_summary_is_made_stays(self):
        passing = passed_case("copilot-cli/1.0.102/auto_compact_background")
        session = only(passing)
        assert [(one.trigger, one.cause) for one in session.compactions] == [
            ("auto", "threshold"),
            ("auto", "threshold"),
        ]
        assert len(passing.of(session.id, CompactionAhead)) == 2
        happened = passing.of(session.id, CompactionHappened)[-1]
        events = {event.id: number for number, event in enumerate(passing.passed[session.id])}
        begun = [
            number
            for number, event in enumerate(passing.passed[session.id])
            if type(event).__name__ == "CompactionStarted"
        ][-1]
        meanwhile = {e for e in happened.window_before if events[e] > begun}
        assert meanwhile
        assert meanwhile <= set(happened.kept)

    def test_all_words_of_the_user_survive_and_those_of_the_agent_do_not(self):
        passing = passed_case("copilot-cli/1.0.102/tools_manual_compact")
        session = only(passing)
        happened = passing.of(session.id, CompactionHappened)[0]
        by_id = {event.id: event for event in passing.passed[session.id]}
        assert {type(by_id[one]) for one in happened.kept} == {UserMessage}
        assert len(happened.window_before) > len(happened.kept)

    def test_of_very_many_the_middle_ones_go(self):
        passing = passed_case("copilot-cli/1.0.102/compact_user_messages_omitted")
        session = only(passing)
        kept = passing.of(session.id, CompactionHappened)[0].kept
        asked = [event.id for event in passing.passed[session.id] if isinstance(event, UserMessage)]
        assert list(kept) == [*asked[:3], *asked[18:34]]

    @pytest.mark.parametrize("how", ["auto", "manual"])
    def test_a_compaction_that_failed_took_nothing(self, how):
        passing = passed_case(f"copilot-cli/1.0.102/compact_failed_{how}")
        session = only(passing)
        assert session.compactions == []
        assert session.window.attempts == []
        assert held(session) == [
            event.id for event in passing.passed[session.id] if isinstance(event, WORDS)
        ]
        assert passing.of(session.id, CompactionAhead)

    def test_messages_dropped_without_a_summary_leave_the_window_unsure(self):
        passing = passed_case("copilot-cli/1.0.61/auto_compact_and_truncation")
        session = only(passing)
        assert session.window.unsure
        (cut,) = passing.of(session.id, WindowCut)
        assert cut.window_after is None

    def test_a_sub_agents_compaction_does_not_touch_the_users_window(self):
        session = only(passed_case("copilot-cli/1.0.102/subagent_compaction"))
        assert session.compacted == 0
        assert [one.sub_agent for one in session.compactions] == session.sub_agents
        assert [entry.kind for entry in session.window.entries] == ["user", "agent"]
        assert session.window.tokens == 10506

    def test_a_rewind_that_rewrote_the_log_asks_for_a_rebuild(self):
        before = transcripts(case("copilot-cli/1.0.102/rewind_1_before"))
        after = transcripts(case("copilot-cli/1.0.102/rewind_2_after"))
        passing = passed(before)
        session = only(passing)
        taken = held(session)
        for event in read_events(after[0]):
            passing.add(event)
        (back,) = passing.of(session.id, WithdrawnSignal)
        assert back.rebuild
        assert held(session) == taken
        standing = list(read_events(after[0]))
        rebuild(session, standing)
        assert held(session) == taken[:4]
        assert session.withdrawn == 2
        assert session.turns == 3

    def test_a_fork_has_the_copies_in_its_window_and_counts_its_own_turns(self):
        passing = passed_case("copilot-cli/1.0.102/rewind_clear_new_fork")
        fork = next(s for s in passing.sessions.values() if s.how == "fork")
        parent = passing.sessions[fork.parent]
        assert held(fork)[:2] == held(parent)
        assert (parent.turns, fork.turns) == (1, 1)

    def test_a_killed_process_leaves_a_turn_open_that_its_resume_closes(self):
        killed = only(passed_case("copilot-cli/1.0.102/killed_mid_tool"))
        assert killed.busy
        assert killed.ended is None
        passing = passed_case("copilot-cli/1.0.102/resume_kill_signals")
        session = only(passing)
        assert (session.starts, session.busy) == (5, False)
        assert [signal.reason for signal in passing.of(session.id, SessionClosed)] == [
            "routine"
        ] * 4


class TestAThirdClient:
    """Kiro and its stores."""

    def kiro(self, generation, name):
        passing = passed_case(f"kiro/{generation}/webhook_retries")
        return passing, next(s for s in passing.sessions.values() if s.id.startswith(name))

    def test_clearing_empties_the_window_and_says_what_went(self):
        passing, session = self.kiro("cli-v2", "8527213d")
        (cut,) = passing.of(session.id, WindowCut)
        gone = [e.text for e in passing.passed[session.id] if e.id in cut.window_before]
        assert any("alias until January" in text for text in gone)
        assert not any("alias until January" in text for text in texts(passing, session))
        assert any(isinstance(event, Cleared) for event in passing.passed[session.id])

    def test_a_cancelled_prompt_is_not_in_the_window(self):
        passing, session = self.kiro("cli-v2", "8527213d")
        assert session.withdrawn == 1
        assert "wait" not in texts(passing, session)

    def test_the_snapshot_of_a_compaction_stays_in_the_window(self):
        passing, session = self.kiro("cli-v2", "d26cf058")
        first = passing.of(session.id, CompactionHappened)[0]
        by_id = {event.id: event for event in passing.passed[session.id]}
        kept = " ".join(getattr(by_id[one], "text", "") for one in first.kept)
        assert "Out of scope" in kept
        assert "410 Gone" in kept
        assert "signing secret" not in kept
        assert session.compacted == 2

    def test_a_session_that_was_compacted_into_a_new_one_keeps_the_tail_of_the_old(self):
        passing, session = self.kiro("v1-sqlite", "6a13db16")
        assert session.how == "compaction"
        happened = passing.of(session.id, CompactionHappened)[0]
        assert len(happened.kept) == 3
        assert held(session)[:4] == [happened.boundary.event, *happened.kept]
        assert session.turns == 1

    def test_a_sub_agents_compaction_in_the_parents_log_is_told_apart(self):
        passing, session = self.kiro("v3", "sess_039d5e85")
        assert session.compacted == 2
        assert [bool(one.sub_agent) for one in session.compactions] == [False, False, True]
        assert len(passing.of(session.id, SubAgentCompacted)) == 1

    def test_a_reverted_checkpoint_takes_its_words_back(self):
        passing, session = self.kiro("v3", "sess_039d5e85")
        back = passing.of(session.id, WithdrawnSignal)[0]
        by_id = {event.id: event for event in passing.passed[session.id]}
        assert any(
            getattr(by_id[one], "text", "") == "Switch the worker to LISTEN/NOTIFY."
            for one in back.ids
        )

    def test_where_the_log_does_not_tell_what_is_kept_the_window_is_unsure(self):
        _, session = self.kiro("v3", "sess_039d5e85")
        assert session.window.unsure


def test_no_session_ends_before_its_last_event():
    for folder in cases():
        for session in passed(transcripts(folder)).sessions.values():
            if session.ended and session.ended.time and session.last_event:
                assert session.ended.time - session.last_event > timedelta(seconds=-1)
