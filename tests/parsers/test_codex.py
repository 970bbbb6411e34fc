"""Codex: whose words, what a compaction leaves, what a rewind takes back, and ids that last."""

import json
from pathlib import PurePosixPath, PureWindowsPath

import msgspec
import pytest

from ctxd_parsers.codex import Codex
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    ContextInjected,
    Interrupted,
    Option,
    QuestionAnswered,
    Reasoning,
    SessionEnded,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    TurnEnded,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.framing import Framer
from ctxd_parsers.limits import PROMPTS_REMEMBERED
from ctxd_parsers.registry import claimant
from parsers.codex_logs import (
    DAY,
    PARSER,
    PATH,
    PREFIX,
    SEGMENT,
    THREAD,
    TURN,
    agent,
    compacted,
    happened,
    item,
    line,
    lines,
    message,
    meta,
    model,
    of,
    parse,
    parsed,
    recorded,
    said,
    user,
)
from parsers.contract import ParserContract
from parsers.kiro_logs import hostile

AGENTS = (
    "# AGENTS.md instructions for /home/dev/app\n\n<INSTRUCTIONS>\nNo floats.\n\n</INSTRUCTIONS>"
)
ENVIRONMENT = "<environment_context>\n  <cwd>/home/dev/app</cwd>\n</environment_context>"
PART_PATH = DAY / f"rollout-2026-11-30T03-20-00-{THREAD}_{SEGMENT}.jsonl"


class TestCodex(ParserContract):
    parser = PARSER


def words(events):
    return [event.text for event in of(UserMessage, events)]


def standing(files):
    """The user's words of a thread's files, less those that were taken back."""
    found = []
    for event in (event for events in files for event in events):
        if isinstance(event, Withdrawn):
            ids = [one.id for one in found]
            assert event.since in ids
            found = found[: ids.index(event.since)]
        found.append(event)
    return words(found)


class TestRecordedLogs:
    @pytest.mark.parametrize(
        ("case", "prompts", "compactions"),
        [
            ("0.57.0/compaction", [1], [1]),
            ("0.98.0/compaction", [3], [2]),
            ("0.144.0/compaction", [3], [2]),
            ("0.144.0/fork_rollback", [2, 6], [0, 0]),
            ("0.171.0/exec", [1], [0]),
            ("0.171.0/manual_compaction", [4], [1]),
            ("0.171.0/automatic_compaction", [3, 1, 2, 1], [2, 0, 0, 0]),
            ("0.171.0/remote_compaction", [3, 1, 1], [1, 0, 0]),
            ("0.171.0/rewind", [2, 1], [0, 0]),
            ("0.171.0/rewinds", [2, 2, 1, 2], [0, 0, 0, 0]),
            ("0.171.0/hook_context", [4], [1]),
        ],
    )
    def test_prompts_and_compactions_are_those_that_were_made(self, case, prompts, compactions):
        files = recorded(case)
        assert [len(of(UserMessage, events)) for events in files] == prompts
        assert [len(of(Compaction, events)) for events in files] == compactions

    def test_all_generations_tell_the_same_words_of_both_sides(self):
        generations = [recorded(f"{version}/compaction") for version in ("0.98.0", "0.144.0")]
        told = [
            [e.text for e in events if isinstance(e, UserMessage | AssistantMessage | Reasoning)]
            for (events,) in generations
        ]
        assert told[0] == told[1]
        assert told[0][0].startswith("We need a ledger store. Use SQLite, not Postgres")
        assert told[0][1:3] == [
            "I look at the files first.",
            "Decision: SQLite. Rejected: Postgres, because it needs a server.",
        ]

    def test_nothing_in_them_is_unknown_or_damaged(self):
        for case in ("0.57.0/compaction", "0.98.0/compaction", "0.144.0/fork_rollback"):
            assert not [e for events in recorded(case) for e in of(Unknown | Unparsed, events)]
        for case in ("exec", "hook_context", "remote_compaction", "rewinds", "migrated"):
            files = recorded(f"0.171.0/{case}")
            assert not [e for events in files for e in of(Unknown | Unparsed, events)]

    def test_no_log_tells_a_sessions_end(self):
        for case in ("automatic_compaction", "rewinds", "exec"):
            assert not [
                e for events in recorded(f"0.171.0/{case}") for e in of(SessionEnded, events)
            ]

    def test_a_summary_that_is_said_before_its_compaction_is_no_word_of_the_agents(self):
        for case in ("0.144.0/compaction", "0.171.0/manual_compaction"):
            (events,) = recorded(case)
            summaries = {event.summary for event in of(Compaction, events)}
            assert summaries.isdisjoint(e.text for e in of(AssistantMessage, events))


class TestWhoseWords:
    @pytest.mark.parametrize(
        "text",
        [
            AGENTS,
            ENVIRONMENT,
            "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>",
            "<user_instructions>\nNo floats.\n</user_instructions>",
            "<skill>\n<name>review</name>\nRead it twice.\n</skill>",
            "<permissions instructions>\nall\n</permissions instructions>",
            "<user_shell_command>\nls\n</user_shell_command>",
            PREFIX + "SQLite chosen.",
        ],
    )
    def test_what_the_client_sends_as_the_user_is_not_the_users(self, text):
        assert words(parsed(meta(), said("user", text), user(text))) == []

    def test_a_message_to_the_model_is_no_words_without_the_clients_own_event(self):
        assert words(parsed(meta(), said("user", "Use DuckDB."), user("Use SQLite."))) == [
            "Use SQLite."
        ]

    @pytest.mark.parametrize("kind", ["environment_context", "user_instructions"])
    def test_old_clients_mark_what_is_not_the_users(self, kind):
        rows = [user("anything", kind=kind), user("mine", kind="plain")]
        assert words(parsed(meta(), *rows)) == ["mine"]

    def test_of_an_editors_context_only_the_request_behind_it_is_the_users(self):
        context = "# Context from my IDE setup:\n\n## Active file: src/app.py\n\nnever use tabs\n\n"
        sent = f"{context}## My request for Codex:\nUse SQLite.\n"
        (event,) = of(UserMessage, parsed(meta(), user(sent)))
        assert event.text == "Use SQLite.\n"

    def test_an_editors_context_without_a_request_is_nobodys_word(self):
        sent = "# Context from my IDE setup:\n\n## Active file: src/app.py\n"
        assert words(parsed(meta(), user(sent))) == []

    def test_words_about_such_a_heading_stay_whole(self):
        text = "Why is there\n## My request for Codex:\nin the log?"
        assert words(parsed(meta(), user(text))) == [text]

    def test_an_item_holds_words_and_what_was_attached(self):
        content = [
            {"type": "text", "text": "Look at this."},
            {"type": "local_image", "path": "/home/dev/a.png"},
            {"type": "image", "image_url": "data:x"},
        ]
        (event,) = of(UserMessage, parsed(meta(), item("UserMessage", content=content)))
        assert event.text == "Look at this."
        assert event.attachments == ("/home/dev/a.png", "image")

    def test_a_second_prompt_in_a_turn_was_queued(self):
        rows = [happened("task_started", turn_id=TURN), user("Do it."), user("In French.")]
        assert [e.origin for e in of(UserMessage, parsed(meta(), *rows))] == ["typed", "queued"]

    @pytest.mark.parametrize(
        "fields",
        [
            {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p1", "depth": 1}}}},
            {"source": {"subagent": "review"}},
            {"source": {"internal": "memory_consolidation"}},
            {"thread_source": "memory_consolidation"},
        ],
    )
    def test_in_a_thread_that_no_user_started_nothing_is_the_users(self, fields):
        events = parsed(meta(**fields), user("Review the change."))
        assert words(events) == []
        assert of(SessionStarted, events)[0].how == "sub_agent"
        assert [e.text for e in of(ContextInjected, events)] == ["Review the change."]

    def test_a_spawned_thread_names_the_one_that_spawned_it(self):
        source = {"subagent": {"thread_spawn": {"parent_thread_id": "p1"}}}
        assert of(SessionStarted, parsed(meta(source=source)))[0].parent == "p1"

    def test_what_a_spawned_thread_repeats_stays_the_users_word_in_its_parent(self):
        parent = parsed(meta(), user("Use SQLite."))
        spawned = meta(id="c1", source={"subagent": {"thread_spawn": {}}}, parent_thread_id=THREAD)
        child = parsed(spawned, meta(), user("Use SQLite."))
        assert of(SessionStarted, child)[0].parent == THREAD
        ids = {event.id for event in parent}
        assert ids.isdisjoint(event.id for event in of(ContextInjected, child))

    def test_runs_without_a_terminal_are_named_as_those_of_a_library(self):
        clients = [of(SessionStarted, parsed(meta(source=s)))[0].client for s in ("exec", "mcp")]
        assert clients == ["sdk-exec", "sdk-mcp"]
        assert of(SessionStarted, parsed(meta(source="vscode")))[0].client == "vscode"

    def test_a_hooks_words_are_injected_and_the_clients_own_are_not_told(self):
        (events,) = recorded("0.171.0/hook_context")
        found = of(ContextInjected, events)
        assert {event.source for event in found} == {"hook"}
        assert [event.text for event in found][:2] == [
            "MARK-SessionStart-startup",
            "MARK-UserPromptSubmit-",
        ]

    def test_older_clients_do_not_say_which_words_are_a_hooks(self):
        rows = [said("developer", "<permissions instructions>all"), said("developer", "Mind X.")]
        (event,) = of(ContextInjected, parsed(meta(), *rows))
        assert (event.source, event.text) == ("client", "Mind X.")

    def test_what_0_57_says_after_a_compaction_is_not_the_agents(self):
        (events,) = recorded("0.57.0/compaction")
        assert "Compact task completed" not in [e.text for e in of(AssistantMessage, events)]
        rows = [agent("Compact task completed")]
        assert of(AssistantMessage, parsed(meta(), user("Say it."), *rows))


class TestContextFiles:
    def test_a_block_of_context_files_is_one_file_or_two(self):
        both = AGENTS.replace("No floats.", "Be brief.\n\n--- project-doc ---\n\nNo floats.")
        found = of(ContextFileLoaded, parsed(meta(), said("user", AGENTS, ENVIRONMENT)))
        assert [(e.path, e.text) for e in found] == [("/home/dev/app/AGENTS.md", "No floats.")]
        found = of(ContextFileLoaded, parsed(meta(), said("user", both)))
        assert [(e.path, e.scope, e.text) for e in found] == [
            ("~/.codex/AGENTS.md", "user", "Be brief."),
            ("/home/dev/app/AGENTS.md", "project", "No floats."),
        ]

    def test_old_clients_gave_it_without_its_folder(self):
        block = "<user_instructions>\n\nNo floats.\n\n</user_instructions>"
        (event,) = of(ContextFileLoaded, parsed(meta(), said("user", block)))
        assert (event.path, event.text) == ("/home/dev/app/AGENTS.md", "No floats.")

    def test_its_folder_may_be_left_out(self):
        block = AGENTS.replace(" for /home/dev/app", "")
        (event,) = of(ContextFileLoaded, parsed(meta(), said("user", block), user(block)))
        assert (event.path, event.text) == ("/home/dev/app/AGENTS.md", "No floats.")

    def test_what_0_98_writes_behind_it_is_not_the_files(self):
        (events,) = recorded("0.98.0/compaction")
        assert {e.text for e in of(ContextFileLoaded, events)} == {
            "# Payments\n- Never log raw card numbers."
        }

    def test_it_is_loaded_at_the_start_when_it_changed_and_after_a_compaction(self):
        changed = AGENTS.replace("No floats.", "No doubles.")
        rows = [said("user", AGENTS), said("user", AGENTS), said("user", changed)]
        rows += [compacted("S", [message("user", changed), message("user", PREFIX + "S")])]
        events = parsed(meta(), *rows, said("user", changed))
        reasons = [event.reason for event in of(ContextFileLoaded, events)]
        assert reasons == ["start", "start", "changed", "compaction", "start"]

    def test_what_the_client_says_of_a_change_is_not_the_files(self):
        (events,) = recorded("0.171.0/context_file_changed")
        assert [(e.reason, e.text) for e in of(ContextFileLoaded, events)] == [
            ("start", "# Payments\n- Never log raw card numbers."),
            ("changed", "# Payments\n- Money is integer cents."),
            ("compaction", "# Payments\n- Money is integer cents."),
        ]

    def test_files_that_are_gone_are_loaded_no_more(self):
        gone = "The previously provided AGENTS.md instructions no longer apply."
        rows = [said("user", AGENTS), said("user", AGENTS.replace("No floats.", gone))]
        events = parsed(meta(), *rows, compacted("S"))
        assert len(of(ContextFileLoaded, events)) == 1
        assert of(Compaction, events)[0].kept == ()

    def test_before_0_144_the_loaded_file_stays_in_the_window(self):
        events = parsed(meta(), said("user", AGENTS), user("Use SQLite."), compacted("S"))
        (boundary,) = of(Compaction, events)
        ids = [e.id for e in events if isinstance(e, ContextFileLoaded | UserMessage)]
        assert list(boundary.kept) == ids


class TestCompactions:
    def test_the_clients_words_before_a_summary_are_not_the_summarys(self):
        assert of(Compaction, parsed(meta(), compacted(PREFIX + "SQLite.")))[0].summary == "SQLite."
        assert of(Compaction, parsed(meta(), compacted("SQLite.")))[0].summary == "SQLite."

    def test_an_encrypted_summary_is_there_but_not_readable(self):
        history = [message("user", "Use SQLite."), {"type": "compaction", "encrypted_content": "x"}]
        events = parsed(meta(), user("Use SQLite."), agent("Yes."), compacted("", history))
        (boundary,) = of(Compaction, events)
        assert (boundary.summary, boundary.readable) == (None, False)
        assert boundary.kept == (of(UserMessage, events)[0].id,)

    def test_a_summary_that_is_not_stored_is_not_called_unreadable(self):
        (boundary,) = of(Compaction, parsed(meta(), compacted("", [])))
        assert (boundary.summary, boundary.readable) == (None, True)

    def test_only_the_users_prompts_stay_and_startup_blocks_are_none(self):
        history = [
            message("developer", "<permissions instructions>all"),
            message("user", AGENTS, ENVIRONMENT),
            message("user", "Use SQLite."),
            message("user", PREFIX + "S"),
        ]
        rows = [user("Use SQLite."), agent("Yes."), user("Not Postgres.")]
        events = parsed(meta(), *rows, compacted(PREFIX + "S", history))
        (boundary,) = of(Compaction, events)
        assert boundary.kept == (of(UserMessage, events)[0].id,)
        assert not of(ContextInjected, events)

    def test_of_equal_prompts_the_newest_stay(self):
        rows = [user("Go on."), agent("A."), user("Go on."), agent("B."), user("Go on.")]
        history = [message("user", "Go on."), message("user", "Go on.")]
        events = parsed(meta(), *rows, compacted("S", history))
        ids = [event.id for event in of(UserMessage, events)]
        assert of(Compaction, events)[0].kept == tuple(ids[1:])

    def test_words_that_came_with_an_editors_context_are_known_again(self):
        sent = "# Context from my IDE setup:\n\n## My request for Codex:\nUse SQLite."
        events = parsed(meta(), user(sent), compacted("S", [message("user", sent)]))
        assert of(Compaction, events)[0].kept == (of(UserMessage, events)[0].id,)

    def test_a_prompt_that_was_cut_stands_in_the_window_as_it_was_cut(self):
        cut = "Use SQLite. …6610 tokens truncated… and no floats."
        rows = [user("Use SQLite." + "x" * 90_000), user("Go on.")]
        history = [message("user", cut), message("user", "Go on.")]
        events = parsed(meta(), *rows, compacted("S", history))
        (shown,) = of(ContextInjected, events)
        assert (shown.source, shown.text) == ("client", cut)
        assert of(Compaction, events)[0].kept == (shown.id, of(UserMessage, events)[1].id)

    def test_prompts_of_the_file_that_a_rewind_left_stand_in_the_window(self):
        base = {"thread_id": THREAD, "end_ordinal_exclusive": 15}
        history = [message("user", "Use SQLite.", kinds=["user.text"]), message("user", "Go on.")]
        rows = [user("Go on."), compacted("S", history), compacted("S", history)]
        events = parsed(meta(history_base=base), *rows, path=PART_PATH)
        (shown,) = of(ContextInjected, events)
        first, second = of(Compaction, events)
        assert first.kept == second.kept == (shown.id, of(UserMessage, events)[0].id)

    def test_before_0_144_prompts_stay_as_far_as_20_000_tokens_reach(self):
        rows = [user(letter * 24_000) for letter in "abcd"]
        events = parsed(meta(cli_version="0.98.0"), *rows, compacted(PREFIX + "S"))
        ids = [event.id for event in of(UserMessage, events)]
        assert of(Compaction, events)[0].kept == tuple(ids[1:])

    def test_an_older_prompt_does_not_stay_behind_one_that_does_not_fit(self):
        rows = [user("short"), user("b" * 79_000), user("c" * 4_000)]
        events = parsed(meta(cli_version="0.98.0"), *rows, compacted(PREFIX + "S"))
        assert of(Compaction, events)[0].kept == (of(UserMessage, events)[2].id,)

    def test_tokens_are_counted_by_the_bytes_of_the_words(self):
        rows = [user("short"), user("ä" * 39_998)]
        events = parsed(meta(cli_version="0.98.0"), *rows, compacted("S"))
        assert of(Compaction, events)[0].kept == (of(UserMessage, events)[1].id,)

    def test_what_is_gone_does_not_come_back_at_the_next_compaction(self):
        rows = [user("a" * 79_000), user("b" * 4_000), compacted("S"), compacted("S")]
        events = parsed(meta(cli_version="0.98.0"), *rows)
        first, second = of(Compaction, events)
        assert first.kept == second.kept == (of(UserMessage, events)[1].id,)

    def test_who_asked_for_it_is_told_since_0_171(self):
        (manual,) = of(Compaction, recorded("0.171.0/manual_compaction")[0])
        automatic = of(Compaction, recorded("0.171.0/automatic_compaction")[0])
        assert manual.trigger == "manual"
        assert [event.trigger for event in automatic] == ["auto", "auto"]

    def test_before_only_in_mid_turn_it_is_known_to_be_automatic(self):
        found = of(Compaction, recorded("0.144.0/compaction")[0])
        assert [event.trigger for event in found] == [None, "auto"]
        assert [e.trigger for e in of(Compaction, recorded("0.98.0/compaction")[0])] == [None, None]

    def test_the_window_after_it_is_as_large_as_the_client_says(self):
        found = of(Compaction, recorded("0.98.0/compaction")[0])
        assert [event.tokens_after for event in found] == [6509, 6539]


class TestRewinds:
    def test_a_segment_withdraws_what_lies_behind_the_place_it_names(self):
        base, segment = recorded("0.171.0/rewind")
        (withdrawn,) = of(Withdrawn, segment)
        assert withdrawn.since == of(UserMessage, base)[1].id
        assert standing([base, segment]) == [
            "First prompt: use SQLite.",
            "Second prompt changed: integer cents, never floats.",
        ]
        (started,) = of(SessionStarted, segment)
        assert (started.session, started.how) == (base[0].session, "rewind")

    def test_a_segment_of_a_segment_and_one_from_the_first_prompt(self):
        files = recorded("0.171.0/rewinds")
        assert standing(files[:3]) == [
            "First prompt: use SQLite.",
            "Second prompt changed: integer cents, never floats.",
            "Third prompt changed: command line only.",
        ]
        assert standing(files) == ["First prompt changed: use DuckDB.", "Resumed: go on."]

    def test_all_segments_are_one_session(self):
        assert len({e.session for events in recorded("0.171.0/rewinds") for e in events}) == 1

    def test_before_the_same_file_tells_how_many_prompts_were_taken_back(self):
        _, fork = recorded("0.144.0/fork_rollback")
        assert [e.since for e in of(Withdrawn, fork)] == [
            next(e.id for e in of(UserMessage, fork) if e.text == "Money in floats.")
        ]
        assert standing([fork])[-1] == "Integer cents, never floats."

    def test_several_prompts_are_taken_back_at_once_and_no_more_than_there_are(self):
        rows = [user("A."), user("B."), user("C.")]
        events = parsed(meta(), *rows, happened("thread_rolled_back", num_turns=2))
        assert of(Withdrawn, events)[0].since == of(UserMessage, events)[1].id
        events = parsed(meta(), *rows, happened("thread_rolled_back", num_turns=9))
        assert of(Withdrawn, events)[0].since == of(UserMessage, events)[0].id

    @pytest.mark.parametrize("turns", [0, -3, "x", None])
    def test_a_rollback_of_nothing_takes_nothing_back(self, turns):
        events = parsed(meta(), user("A."), happened("thread_rolled_back", num_turns=turns))
        assert not of(Withdrawn, events)


class TestForks:
    def test_a_fork_of_old_repeats_its_parents_events_under_their_ids(self):
        parent, fork = recorded("0.144.0/fork_rollback")
        ids = [event.id for event in parent[1:]]
        assert [event.id for event in fork[1 : len(ids) + 1]] == ids
        assert {event.session for event in fork} == {fork[0].session}
        assert (fork[0].how, fork[0].parent) == ("fork", parent[0].session)

    def test_what_is_said_in_the_fork_has_ids_of_its_own(self):
        told = [user("Go on."), agent("Yes.")]
        other = THREAD.replace("01a", "01b")
        parent = parsed(meta(), *told, user("Stay."), agent("A."))
        fork = parsed(meta(id=other, forked_from_id=THREAD), meta(), *told, user("Leave."))
        ids = [event.id for event in parent]
        assert [e.id in ids for e in of(UserMessage, fork)] == [True, False]

    def test_a_compaction_that_a_fork_repeats_keeps_the_same(self):
        history = [message("user", "Use SQLite. …9 tokens truncated…"), message("user", "Go on.")]
        rows = [happened("task_started", turn_id=TURN), user("Use SQLite. " + "x" * 50)]
        rows += [user("Go on."), compacted("S", history)]
        parent = parsed(meta(), *rows)
        fork = parsed(meta(id="other", forked_from_id=THREAD), meta(), *rows)
        assert of(Compaction, parent)[0].kept == of(Compaction, fork)[0].kept
        assert [event.id for event in parent[1:]] == [event.id for event in fork[1:]]

    def test_a_fork_of_now_names_its_parent_and_withdraws_nothing(self):
        fork = recorded("0.171.0/automatic_compaction")[2]
        assert (fork[0].how, fork[0].parent) == ("fork", "01a22a72-1c1f-75f3-bfb0-c9b22b3fabe7")
        assert not of(Withdrawn, fork)


class TestIds:
    def test_a_migration_leaves_the_ids_of_all_that_stands(self):
        for before, after in zip(
            recorded("0.144.0/fork_rollback"), recorded("0.171.0/migrated"), strict=True
        ):
            stands = standing([before])
            assert words(after) == stands
            known = {event.id: event for event in before}
            assert all(event.id in known for event in after)
            for event in (event for event in after if not isinstance(event, Usage)):
                plain = msgspec.structs.replace(event, span=None)
                assert plain == msgspec.structs.replace(known[event.id], span=None)

    def test_a_file_has_other_bytes_and_other_lines_after_a_migration(self):
        spans = [
            [event.span for event in recorded(case)[1]]
            for case in ("0.144.0/fork_rollback", "0.171.0/migrated")
        ]
        assert spans[0] != spans[1]

    def test_the_same_words_said_twice_are_two_messages(self):
        for first in (meta(), meta(cli_version="0.57.0")):
            events = parsed(first, user("Go on."), agent("A."), user("Go on."))
            assert len({event.id for event in of(UserMessage, events)}) == 2

    def test_damage_between_lines_moves_no_id(self):
        rows = [meta(), user("A."), agent("B."), user("C.")]
        whole, (first, *rest) = parsed(*rows), [lines(row) for row in rows]
        damaged = parse(b"".join([first, b"\0" * 99 + b"\n", b'{"type":1}\n', *rest]))
        kept = [event.id for event in damaged if not isinstance(event, Unparsed | Unknown)]
        assert kept == [event.id for event in whole]


class TestSessions:
    def test_the_first_line_says_where_and_with_what_it_was_started(self):
        git = {"branch": "main", "repository_url": "git@github.com:acme/shop.git"}
        (event,) = of(SessionStarted, parsed(meta(git=git)))
        assert (event.session, event.cwd, event.branch) == (THREAD, "/home/dev/app", "main")
        assert (event.repository, event.client_version) == ("acme/shop", "0.144.0")

    def test_without_the_first_line_the_name_tells_the_session(self):
        events = parsed(user("Use SQLite."))
        assert [type(event) for event in events] == [SessionStarted, UserMessage]
        assert {event.session for event in events} == {THREAD}

    def test_another_folder_of_a_later_turn_is_told_once(self):
        turn = line("turn_context", {"cwd": "/home/dev/other", "model": "m1"})
        events = parsed(meta(), turn, agent("A."), turn)
        assert [event.cwd for event in of(WorkspaceChanged, events)] == ["/home/dev/other"]
        assert of(AssistantMessage, events)[0].model == "m1"

    def test_its_title_stands_in_the_index_of_all_sessions(self):
        rows = [{"id": THREAD, "thread_name": "Old"}, {"id": "x", "thread_name": "Other"}]
        rows += [{"id": THREAD, "thread_name": "Ledger"}]
        index = PARSER.companions(PATH)[-1]
        assert index == PurePosixPath("/home/dev/.codex/session_index.jsonl")
        events = parsed(meta(), companions={index: lines(*rows) + b"\xff{"})
        assert [event.title for event in of(SessionTitled, events)] == ["Ledger"]

    def test_an_archived_rollout_has_the_same_index(self):
        archived = PurePosixPath("/home/dev/.codex/archived_sessions") / PATH.name
        index = PurePosixPath("/home/dev/.codex/session_index.jsonl")
        assert index in PARSER.companions(archived)

    def test_an_interrupted_turn_is_told(self):
        events = recorded("0.171.0/remote_compaction")[0]
        assert of(Interrupted, events)
        assert of(TurnEnded, events)[-1].reason == "interrupted"

    def test_usage_that_is_written_again_is_told_once(self):
        info = {"total_token_usage": {"total_tokens": 9}, "last_token_usage": {"input_tokens": 7}}
        count = happened("token_count", info=info)
        assert len(of(Usage, parsed(meta(), count, count))) == 1
        assert not of(Usage, parsed(meta(), happened("token_count", info=None)))

    def test_kinds_never_seen_are_counted_by_name(self):
        rows = [line("new_line", {}), happened("new_event"), item("NewItem"), model("new_part")]
        kinds = [event.record_kind for event in of(Unknown, parsed(meta(), *rows))]
        assert kinds == [
            "new_line",
            "event_msg new_event",
            "item_completed NewItem",
            "response_item new_part",
        ]


class TestTools:
    def call(self, name, **arguments):
        return model("function_call", name=name, call_id="c", arguments=json.dumps(arguments))

    def output(self, text):
        return model("function_call_output", call_id="c", output=text)

    @pytest.mark.parametrize(
        ("name", "arguments", "command"),
        [
            ("exec_command", {"cmd": "ls -l"}, "ls -l"),
            ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
            ("shell", {"command": ["git", "log", "a b"]}, "git log 'a b'"),
            ("shell_command", {"command": "ls"}, "ls"),
        ],
    )
    def test_a_command_is_told_as_one_line(self, name, arguments, command):
        (event,) = of(ToolCall, parsed(meta(), self.call(name, **arguments)))
        assert (event.name, event.command) == (name, command)

    def test_a_patch_names_its_files(self):
        patch = "*** Begin Patch\n*** Update File: a.py\n+x\n*** Add File: b/c.py\n*** End Patch"
        row = model("custom_tool_call", name="apply_patch", call_id="c", input=patch)
        (event,) = of(ToolCall, parsed(meta(), row))
        assert (event.paths, event.excerpt) == (("a.py", "b/c.py"), patch)

    @pytest.mark.parametrize(
        ("output", "status"),
        [
            ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nx", "ok"),
            ("Exit code: 2\nWall time: 0\nOutput:\nx", "error"),
            ('{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.0}}', "error"),
            ({"content": '{"output":"","metadata":{"exit_code":0}}', "success": True}, "ok"),
            ([{"type": "input_text", "text": "Exit code: 0\n"}], "ok"),
            ("exec command rejected by user", "refused"),
            ("patch rejected by user", "refused"),
            ("aborted by user after 3.1s", "interrupted"),
            ("unsupported call: shell", None),
            ("Wall time: 1\nOutput:\nProcess exited with code 3", None),
            (None, None),
        ],
    )
    def test_how_a_call_ended_is_read_from_its_output(self, output, status):
        (event,) = of(ToolResult, parsed(meta(), self.output(output)))
        assert event.status == status

    def test_a_command_that_was_declined_is_refused(self):
        rows = [item("CommandExecution", status="declined") | {}, self.output("no")]
        rows[0]["payload"]["item"]["id"] = "c"
        assert of(ToolResult, parsed(meta(), *rows))[0].status == "refused"

    def test_answers_to_questions_are_the_users_words(self):
        options = [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}]
        questions = [{"id": "q", "header": "h", "question": "Which store?", "options": options}]
        given = {"answers": {"q": {"answers": ["SQLite", "user_note: must run offline"]}}}
        rows = [
            self.call("request_user_input", questions=questions),
            self.output(json.dumps(given)),
        ]
        events = parsed(meta(), *rows)
        (answer,) = of(QuestionAnswered, events)
        assert answer.options == (Option("SQLite", "one file"), Option("Postgres"))
        assert (answer.question, answer.chosen) == ("Which store?", ("SQLite",))
        assert answer.text == "must run offline"
        (said,) = of(UserMessage, events)
        assert (said.text, said.origin) == ("SQLite\nmust run offline", "answer")

    def test_what_is_no_answer_is_no_word(self):
        rows = [self.call("request_user_input", questions=[]), self.output("cancelled")]
        assert words(parsed(meta(), *rows)) == []


class TestPlaces:
    @pytest.mark.parametrize(
        ("system", "home"),
        [
            ("linux", PurePosixPath("/home/dev")),
            ("macos", PurePosixPath("/Users/dev")),
            ("windows", PureWindowsPath("C:/Users/dev")),
        ],
    )
    def test_rollouts_lie_in_the_home_on_every_system(self, system, home):
        (source,) = PARSER.sources(Environment(system, home))
        assert source.root == home / ".codex"

    def test_the_environment_and_the_user_name_further_homes(self):
        given = {"CODEX_HOME": "/data/codex"}
        more = {"codex": (PurePosixPath("/mnt/codex"),)}
        env = Environment("linux", PurePosixPath("/home/dev"), given, more)
        roots = [source.root.as_posix() for source in PARSER.sources(env)]
        assert roots == ["/data/codex", "/home/dev/.codex", "/mnt/codex"]

    def test_a_rollout_is_known_by_name_or_by_its_first_line(self):
        head = lines(meta())
        assert isinstance(claimant(PATH, b""), Codex)
        assert isinstance(claimant(PART_PATH, b""), Codex)
        assert isinstance(claimant(PurePosixPath("/backup/log.jsonl"), head), Codex)

    @pytest.mark.parametrize(
        ("path", "head"),
        [
            ("/home/dev/.codex/history.jsonl", b'{"session_id":"x","ts":1,"text":"ls"}'),
            ("/home/dev/.codex/session_index.jsonl", b'{"id":"x","thread_name":"y"}'),
            (f"/home/dev/{PATH.name}.zst", b"\x28\xb5\x2f\xfd"),
            ("/home/dev/notes.jsonl", b'{"text":"\\"session_meta\\""}'),
        ],
    )
    def test_other_files_beside_it_are_not(self, path, head):
        assert not PARSER.claims(PurePosixPath(path), head)


class TestDamage:
    TORN = b'{"timestamp":"2026-11-30T03:13:46Z","type":"event_msg","payload":{"type":"agent_mess'
    SHAPES = hostile(lambda text: lines(user(text)).rstrip(), TORN)

    @pytest.mark.parametrize(("data", "expected", "damaged"), SHAPES.values(), ids=SHAPES.keys())
    def test_damage_costs_the_damaged_bytes_alone(self, data, expected, damaged):
        events = parse(lines(meta()) + data)
        assert words(events) == expected
        odd = of(Unparsed, events)
        assert bool(odd) == bool(damaged)

    def test_state_stays_small_however_long_the_log(self):
        rows = [user(f"Prompt {number}.") for number in range(3 * PROMPTS_REMEMBERED)]
        state = PARSER.begin(PATH, {})
        list(PARSER.parse(Framer().feed(lines(meta(), *rows)), state))
        assert len(msgspec.msgpack.encode(state)) < 40_000

    @pytest.mark.parametrize(
        "text",
        [
            "# Context from my IDE setup:\n" + "## My request for Code" * 5_000,
            "# " + "\n## " * 30_000,
            "<skill>" + "<name>" * 20_000,
            PREFIX[:200] + "your own " * 12_000,
            "# AGENTS.md instructions for " + "<INSTRUCTIONS>\n" * 8_000,
        ],
    )
    def test_hostile_text_is_read_in_linear_time(self, text):
        events = parsed(
            meta(), user(text), said("user", text), compacted(text, [message("user", text)])
        )
        assert of(Compaction, events)
