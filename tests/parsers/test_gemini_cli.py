"""Gemini CLI's chats: whose words, what a list of messages tells, what a compaction keeps."""

import json
from hashlib import sha256
from pathlib import PurePosixPath, PureWindowsPath

import msgspec
import pytest

from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    CompactionFailed,
    ContextFileLoaded,
    ContextInjected,
    Interrupted,
    PlanDecided,
    QuestionAnswered,
    Reasoning,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.framing import Framer
from ctxd_parsers.gemini_cli import GeminiCli, GeminiCliJson
from ctxd_parsers.gemini_cli_rows import ACKNOWLEDGED
from ctxd_parsers.limits import MESSAGES_TAKEN_BACK
from ctxd_parsers.parser import Record, Storage
from ctxd_parsers.reading import Transcript, distinct, read_events
from ctxd_parsers.registry import claimant
from golden import CASES
from parsers.contract import MAX_STATE_BYTES, ParserContract
from parsers.kiro_logs import hostile

LINES, DOCUMENT = GeminiCli(), GeminiCliJson()
ROOT = PurePosixPath("/home/dev/shop")
PROJECT = PurePosixPath("/home/dev/.gemini/tmp/shop")
PATH = PROJECT / "chats" / "session-2026-11-30T03-15-s1.jsonl"
OLD_PROJECT = PROJECT.with_name(sha256(str(ROOT).encode()).hexdigest())
OLD_PATH = OLD_PROJECT / "chats" / "session-2026-11-30T03-15-s1.json"
CONTEXT_ID = "d04923d38bb0f6017037e74183378ef4"
WORDS_OF_CASES = {
    "0.28.2/save_memory_compress": [3],
    "0.38.2/save_memory_compress": [3],
    "0.39.1/auto_compress_kill_resume": [6, 1],
    "0.42.0/manual_compress_clear": [1, 4],
    "0.45.2/manual_compress_clear": [1, 4],
    "0.61.0/abort_rewind": [4],
    "0.61.0/auto_compress_kill_resume": [6, 1],
    "0.61.0/headless_basic": [1],
    "0.61.0/hook_context": [4, 1],
    "0.61.0/manual_compress_clear": [4, 1],
    "0.61.0/nested_agents_file": [1],
    "0.61.0/references_shell_command_question": [6],
    "0.61.0/refused_tool_esc": [4],
    "0.61.0/resume_of_a_document": [2, 3],
}
"""Words of the user's in each chat of a case, withdrawn ones counted."""


class TestGeminiCli(ParserContract):
    parser = LINES


class TestGeminiCliJson(ParserContract):
    parser = DOCUMENT


def chats(case):
    return sorted((CASES / "gemini-cli" / case / "log").rglob("session-*"))


def chat(case, number=0):
    path = chats(case)[number]
    old = path.suffix == ".json"
    parser, storage = (DOCUMENT, Storage.SNAPSHOT) if old else (LINES, Storage.LINES)
    return list(distinct(read_events(Transcript(path, parser, storage))))


def main_chat(case):
    """The longer of a case's chats."""
    return max((chat(case, number) for number in range(len(chats(case)))), key=len)


def of(events, *types):
    return [event for event in events if isinstance(event, types)]


def words(events):
    return [event.text for event in of(events, UserMessage)]


def header(session="s1", start="2026-11-30T03:15:53.581Z", **more):
    project = sha256(str(ROOT).encode()).hexdigest()
    return {"sessionId": session, "projectHash": project, "startTime": start, **more}


def message(kind, identity, content, **more):
    time = "2026-11-30T03:16:00.000Z"
    return {"id": identity, "timestamp": time, "type": kind, "content": content, **more}


def user(identity, *texts, **more):
    return message("user", identity, [{"text": text} for text in texts], **more)


def model(identity, text="", **more):
    return message("gemini", identity, text, **more)


def info(identity, text):
    return message("info", identity, text)


def call(identity, name, status="success", output="done", **args):
    response = {"id": identity, "name": name, "response": {"output": output}}
    return {
        "id": identity,
        "name": name,
        "args": args,
        "status": status,
        "result": [{"functionResponse": response}],
    }


def context(*files):
    loaded = "\n\n".join(
        f"--- Context from: {path} ---\n{text}\n--- End of Context from: {path} ---"
        for path, text in files
    )
    text = (
        "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n"
        f"  - {ROOT}\n- **Directory Structure:**\n<loaded_context>\n<project_context>\n{loaded}\n"
        "</project_context>\n</loaded_context>\n</session_context>"
    )
    return user(CONTEXT_ID, text)


def listed(*messages):
    return {"$set": {"messages": list(messages), "lastUpdated": "2026-11-30T03:17:00.000Z"}}


def touched():
    return {"$set": {"lastUpdated": "2026-11-30T03:16:00.000Z"}}


def reset(session="s1"):
    return {"$set": {"sessionId": session}}


def compacted(summary, *kept, identity="sum"):
    return listed(context(), user(identity, summary), model(f"{identity}-ok", ACKNOWLEDGED), *kept)


def parsed(*rows, path=PATH, companions=None, parser=LINES):
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    state = parser.begin(path, companions or {})
    return list(parser.parse(Framer().feed(data), state))


def document(*messages, path=OLD_PATH, companions=None, **more):
    data = json.dumps({**header(), **more, "messages": list(messages)}, indent=2).encode()
    state = DOCUMENT.begin(path, companions or {})
    return list(DOCUMENT.parse([Record(data, 0, len(data))], state))


class TestRecordedChats:
    @pytest.mark.parametrize(("case", "counts"), WORDS_OF_CASES.items())
    def test_the_users_words_are_as_many_as_were_typed(self, case, counts):
        assert sorted(len(words(chat(case, n))) for n in range(len(counts))) == sorted(counts)
        assert len(chats(case)) == len(counts)

    @pytest.mark.parametrize("case", WORDS_OF_CASES)
    def test_nothing_is_unknown_or_damaged(self, case):
        for number in range(len(chats(case))):
            assert not of(chat(case, number), Unknown, Unparsed)

    def test_two_automatic_compactions_with_the_same_summary_are_two(self):
        events = main_chat("0.61.0/auto_compress_kill_resume")
        found = of(events, Compaction)
        assert [one.trigger for one in found] == ["auto", "auto"]
        assert {one.summary for one in found} == {"<state_snapshot>stub summary</state_snapshot>"}
        assert [one.tokens_before for one in found] == [700_000, 700_000]

    def test_what_a_compaction_keeps_has_the_ids_it_was_told_under(self):
        events = main_chat("0.61.0/auto_compress_kill_resume")
        by_id = {event.id: event for event in events}
        first, second = of(events, Compaction)
        assert [by_id[kept].text for kept in first.kept] == [
            "# agents\n- Run make lint before commit.",
            "# Payments service\n- Never log raw card numbers.",
            "Read sub/x.py",
            "# sub rules\n- sub only",
            "x is 1.",
        ]
        assert [by_id[kept].text for kept in second.kept][2:] == [
            "Go on with the schema; first compaction happens now.",
            "Schema done.",
        ]

    def test_resuming_twice_tells_no_message_again_and_no_compaction(self):
        events = main_chat("0.61.0/auto_compress_kill_resume")
        assert [one.how for one in of(events, SessionStarted)] == ["startup", "resume", "resume"]
        assert len(of(events, Compaction)) == 2
        assert len(set(words(events))) == 6
        assert not of(events, Withdrawn, Cleared)

    def test_a_summary_that_a_later_process_appends_is_a_title(self):
        events = main_chat("0.61.0/auto_compress_kill_resume")
        assert isinstance(events[-1], SessionTitled)

    def test_0_39_and_0_42_tell_their_compactions_without_summary(self):
        events = main_chat("0.39.1/auto_compress_kill_resume")
        found = of(events, Compaction)
        assert [(one.trigger, one.summary, one.kept) for one in found] == [("auto", None, None)] * 2
        (asked,) = of(main_chat("0.42.0/manual_compress_clear"), Compaction)
        assert (asked.trigger, asked.summary, asked.kept) == ("manual", None, None)

    @pytest.mark.parametrize(
        "case", ["0.45.2/manual_compress_clear", "0.61.0/manual_compress_clear"]
    )
    def test_a_compaction_that_was_asked_for_keeps_the_last_turn(self, case):
        events = main_chat(case)
        by_id = {event.id: event for event in events}
        (found,) = of(events, Compaction)
        assert found.trigger == "manual"
        assert "<overall_goal>Build a ledger store</overall_goal>" in found.summary
        assert [by_id[kept].text for kept in found.kept][1:] == [
            "Remember: money is integer cents, never floats.",
            "Saved to GEMINI.md.",
        ]

    def test_an_escaped_prompt_and_a_rewound_turn_are_withdrawn(self):
        events = chat("0.61.0/abort_rewind")
        by_id = {event.id: event for event in events}
        assert [(by_id[one.since].text, one.reason) for one in of(events, Withdrawn)] == [
            ("This turn is cancelled with Esc.", "cancelled"),
            ("Second prompt: use floats for money.", "rewind"),
        ]
        assert len(of(events, Interrupted)) == 1
        assert not of(events, Compaction)

    def test_what_hooks_gave_is_nobodys_word_and_is_kept_with_its_prompt(self):
        events = main_chat("0.61.0/hook_context")
        assert not any("MARK" in text for text in words(events))
        given = of(events, ContextInjected)
        assert [one.text for one in given] == [
            "MARK-SessionStart-startup",
            *["MARK-BeforeAgent-"] * 4,
        ]
        kept = of(events, Compaction)[0].kept
        assert [one.id in kept for one in given] == [False, False, False, True, False]

    def test_only_what_was_typed_is_the_users_word(self):
        events = chat("0.61.0/references_shell_command_question")
        assert [(one.text, one.origin) for one in of(events, UserMessage)] == [
            ("Explain @src/app.py but never rewrite it.", "typed"),
            ("the retry queue with backoff", "command_arguments"),
            ("Ask me which store.", "typed"),
            ("SQLite", "answer"),
            ("It must run offline", "answer"),
            ("Thanks, go on.", "typed"),
        ]
        assert of(events, UserMessage)[0].attachments == ("src/app.py",)

    def test_answers_tell_the_question_and_what_was_picked(self):
        picked, typed = of(chat("0.61.0/references_shell_command_question"), QuestionAnswered)
        assert (picked.question, picked.chosen, picked.text) == ("Which store?", ("SQLite",), None)
        assert [option.label for option in picked.options] == ["SQLite", "Postgres"]
        assert (typed.question, typed.chosen, typed.text) == ("Why?", (), "It must run offline")

    def test_a_refused_call_stays_and_the_prompt_put_back_is_not_said_again(self):
        events = chat("0.61.0/refused_tool_esc")
        assert words(events) == [
            "Write notes.md.",
            "No files at all, only answer here.",
            "Esc on a long tool.",
            "Then stop at that.",
        ]
        assert [one.status for one in of(events, ToolResult)] == ["refused", "ok"]
        by_id = {event.id: event for event in events}
        assert [by_id[one.since].text for one in of(events, Withdrawn)] == ["Esc on a long tool."]

    def test_an_old_chat_has_its_compaction_without_summary(self):
        for case in ("0.28.2/save_memory_compress", "0.38.2/save_memory_compress"):
            (found,) = of(chat(case), Compaction)
            assert (found.trigger, found.summary, found.kept) == ("manual", None, None)

    def test_an_old_chat_that_goes_on_as_lines_tells_nothing_of_it_again(self):
        old, new = chat("0.61.0/resume_of_a_document", 0), chat("0.61.0/resume_of_a_document", 1)
        again = {event.id: event for event in old}
        repeats = [event for event in new if event.id in again]
        assert len(repeats) == len(old)
        for event in repeats:
            assert msgspec.structs.replace(event, span=None) == again[event.id]
        assert words(new)[-1] == "Money is integer cents."
        assert not of(new, Withdrawn, Cleared)

    def test_a_remembered_fact_is_the_excerpt_of_its_call(self):
        (made,) = of(chat("0.28.2/save_memory_compress"), ToolCall)
        assert (made.name, made.excerpt) == ("save_memory", "Money is integer cents, never floats.")


class TestWords:
    @pytest.mark.parametrize(
        "text",
        [
            "<session_context>\nThe date",
            "<hook_context>always obey</hook_context>",
            "<state_snapshot>x</state_snapshot>",
            "/compress",
            "?",
            "  \n",
            "Please continue.",
            "System: Potential loop detected. Details: x",
            "[System: You previously returned an empty response with no text or thoughts.]",
            "[System: You successfully executed a tool but returned an empty response.]",
            "I ran the following shell command:\n```sh\nls\n```",
            "Here is the user's editor context as a JSON object.",
            "Background execution update:\n<background_output>\nx\n</background_output>",
            "\nYou are an AI agent that brings the power of Gemini directly into the terminal.",
        ],
    )
    def test_what_the_client_says_is_not_the_users(self, text):
        assert words(parsed(header(), user("u1", text), touched())) == []

    def test_text_beside_the_content_of_a_named_file_is_the_users(self):
        found = parsed(
            header(),
            user(
                "u1",
                "Look at @a.py",
                "\n--- Content from referenced files ---",
                "\nContent from @a.py:\n",
                "never do this",
                "\n--- End of content ---",
                "<hook_context>h</hook_context>",
            ),
        )
        assert words(found) == ["Look at @a.py"]
        assert of(found, UserMessage)[0].attachments == ("a.py",)
        assert [one.text for one in of(found, ContextInjected)] == ["h"]

    @pytest.mark.parametrize("text", ["// never log bodies", "/* keep this */ as it is"])
    def test_what_looks_like_a_comment_is_no_command(self, text):
        assert words(parsed(header(), user("u1", text))) == [text]

    def test_an_image_is_an_attachment(self):
        row = message("user", "u1", [{"text": "Like this"}, {"inlineData": {"data": "AAAA"}}])
        assert of(parsed(header(), row), UserMessage)[0].attachments == ("image",)

    def test_a_steering_update_with_tool_results_is_what_was_typed_meanwhile(self):
        steered = (
            "User steering update:\n<user_input>\nuse UTC\n</user_input>\nInternal instruction: x"
        )
        row = message("user", "u1", [{"text": steered}, {"functionResponse": {"id": "c"}}])
        (found,) = of(parsed(header(), row), UserMessage)
        assert (found.text, found.origin) == ("use UTC", "queued")

    def test_tool_results_alone_are_nobodys_word(self):
        row = message("user", "u1", [{"functionResponse": {"id": "c", "response": {}}}])
        assert words(parsed(header(), row)) == []

    def test_a_prompt_of_a_sub_agent_is_not_the_users(self):
        path = PROJECT / "chats" / "parent" / "child.jsonl"
        rows = [header("child", kind="subagent"), user("u1", "Find all callers"), model("m1", "4")]
        found = parsed(*rows, path=path)
        assert words(found) == []
        start = found[0]
        assert (start.how, start.session, start.sub_agent) == ("sub_agent", "parent", "child")
        assert of(found, AssistantMessage)[0].sub_agent == "child"

    def test_the_same_short_prompt_twice_is_said_twice(self):
        found = parsed(header(), user("u1", "go on"), model("m1", "ok"), user("u2", "go on"))
        assert words(found) == ["go on", "go on"]

    def test_a_plan_turned_down_with_words(self):
        feedback = (
            "Plan rejected. User feedback: no new table\n\nThe plan is stored at: /p.md\n"
            "Revise the plan based on the feedback."
        )
        made = call("c1", "exit_plan_mode", output=feedback, plan_filename="p.md")
        found = parsed(header(), model("m1", toolCalls=[made]))
        assert [one.approved for one in of(found, PlanDecided)] == [False]
        assert [(one.text, one.origin) for one in of(found, UserMessage)] == [
            ("no new table", "plan_feedback")
        ]

    def test_a_plan_approved(self):
        made = call("c1", "exit_plan_mode", output="Plan approved. Switching to Default mode.\n\nx")
        (found,) = of(parsed(header(), model("m1", toolCalls=[made])), PlanDecided)
        assert found.approved


class TestReplies:
    def test_a_message_that_comes_again_fuller_gives_what_is_new(self):
        thoughts = [{"subject": "Tree", "description": "I look."}]
        once = model("m1", "I look.", thoughts=thoughts, tokens={"input": 10, "output": 2})
        found = parsed(
            header(), once, {**once, "toolCalls": [call("c1", "glob", path="src")]}, once
        )
        assert [type(event) for event in found[1:]] == [
            Reasoning,
            AssistantMessage,
            Usage,
            ToolCall,
            ToolResult,
        ]

    def test_cached_tokens_are_not_counted_as_new_input(self):
        tokens = {"input": 1000, "output": 20, "cached": 800, "thoughts": 5, "total": 1025}
        (found,) = of(parsed(header(), model("m1", "x", tokens=tokens)), Usage)
        assert (found.input_tokens, found.cache_read_tokens) == (200, 800)
        assert (found.output_tokens, found.context_tokens) == (25, 1025)

    @pytest.mark.parametrize(
        ("status", "said", "expected"),
        [
            ("success", "x", "ok"),
            ("error", "x", "error"),
            ("cancelled", "[Operation Cancelled] Reason: User denied execution.", "refused"),
            ("cancelled", "User did not allow tool call", "refused"),
            (
                "cancelled",
                "[Operation Cancelled] Reason: Operation cancelled by user",
                "interrupted",
            ),
        ],
    )
    def test_how_a_call_ended(self, status, said, expected):
        made = call("c1", "write_file", status, said, file_path="a.py", content="x")
        (found,) = of(parsed(header(), model("m1", toolCalls=[made])), ToolResult)
        assert found.status == expected

    def test_a_shell_command_is_told_as_one(self):
        made = call("c1", "run_shell_command", command="make lint")
        (found,) = of(parsed(header(), model("m1", toolCalls=[made])), ToolCall)
        assert (found.command, found.excerpt) == ("make lint", None)

    def test_an_error_that_the_client_shows_is_no_reply(self):
        (found,) = of(parsed(header(), message("error", "e1", "[API Error: x]")), AssistantMessage)
        assert found.failed


class TestLists:
    def test_a_list_at_the_start_is_no_compaction_and_takes_nothing_back(self):
        found = parsed(header(), listed(context(("/p/GEMINI.md", "Use tabs."))), user("u1", "a"))
        assert [type(event) for event in found] == [
            SessionStarted,
            WorkspaceChanged,
            ContextFileLoaded,
            UserMessage,
        ]

    def test_a_context_file_that_did_not_change_is_loaded_once(self):
        first, second = context(("/p/GEMINI.md", "one")), context(("/p/GEMINI.md", "two"))
        found = parsed(header(), listed(first), listed(first), header(start="x"), listed(second))
        assert [one.text for one in of(found, ContextFileLoaded)] == ["one", "two"]

    def test_an_escaped_first_prompt_is_withdrawn(self):
        found = parsed(
            header(),
            listed(context()),
            user("u1", "oops"),
            touched(),
            info("i1", "Request cancelled."),
            touched(),
            listed(context()),
        )
        assert [one.since for one in of(found, Withdrawn)] == ["u1"]

    def test_a_list_of_strangers_empties_the_window_and_withdraws_nothing(self):
        found = parsed(
            header(),
            user("u1", "use tabs"),
            model("m1", "ok"),
            listed(context(), user("x1", "old")),
        )
        assert not of(found, Withdrawn)
        assert len(of(found, Cleared)) == 1
        assert words(found) == ["use tabs"]

    def test_a_list_with_the_same_words_under_new_ids_changes_nothing(self):
        said = [user("u1", "use tabs"), model("m1", "ok")]
        again = [user("n1", "use tabs"), message("gemini", "n2", [{"text": "ok"}])]
        found = parsed(header(), *said, listed(context(), *again), {"$rewindTo": "n1"})
        assert not of(found, Cleared)
        assert [one.since for one in of(found, Withdrawn)] == ["u1"]

    def test_a_rewind_into_what_a_compaction_kept_leaves_the_compaction(self):
        said = [user("u1", "old"), model("m1", "ok"), user("u2", "use tabs"), model("m2", "yes")]
        kept = [user("k1", "use tabs"), message("gemini", "k2", [{"text": "yes"}])]
        found = parsed(
            header(),
            *said,
            compacted("<state_snapshot>s</state_snapshot>", *kept),
            info("i1", ""),
            user("u3", "and then"),
            {"$rewindTo": "k1"},
        )
        assert [(one.since, one.until) for one in of(found, Withdrawn)] == [
            ("u2", "sum"),
            ("u3", None),
        ]

    def test_a_rewind_to_a_message_that_is_not_remembered_still_tells_it(self):
        many = [user(f"u{n}", f"prompt {n}") for n in range(MESSAGES_TAKEN_BACK + 10)]
        found = parsed(header(), *many, {"$rewindTo": "u3"})
        assert [one.since for one in of(found, Withdrawn)] == ["u3"]

    def test_words_run_together_by_the_client_are_not_said_again(self):
        found = parsed(
            header(),
            user("u1", "use tabs"),
            user("u2", "no, spaces"),
            user("x", "use tabs", "no, spaces"),
        )
        assert words(found) == ["use tabs", "no, spaces"]


class TestCompactions:
    SUMMARY = "<state_snapshot>s</state_snapshot>"

    def test_it_waits_for_its_trigger(self):
        rows = [header(), user("u1", "a"), reset(), compacted(self.SUMMARY)]
        assert not of(parsed(*rows), Compaction)
        for text, trigger in (("Context compressed from 67% to 0%.", "auto"), ("", "manual")):
            (found,) = of(parsed(*rows, info("i1", text)), Compaction)
            assert (found.id, found.trigger) == ("sum", trigger)

    def test_without_a_note_for_the_user_it_is_told_with_the_next_record(self):
        rows = [header(), user("u1", "a"), compacted(self.SUMMARY), touched(), user("u2", "b")]
        found = of(parsed(*rows), Compaction, UserMessage)
        assert [(type(one), getattr(one, "trigger", "")) for one in found[1:]] == [
            (Compaction, None),
            (UserMessage, ""),
        ]

    @pytest.mark.parametrize(
        "summary", ["<scratchpad>hm</scratchpad>\n<state_snapshot>s", "Plain."]
    )
    def test_a_summary_in_another_form_is_known_by_the_reply_to_it(self, summary):
        (found,) = of(
            parsed(header(), user("u1", "a"), compacted(summary), info("i", "")), Compaction
        )
        assert found.summary == summary

    def test_a_summary_run_together_with_the_first_message_is_no_second_compaction(self):
        merged = context()
        merged["id"] = "x"
        merged["content"].append({"text": self.SUMMARY})
        ok = model("sum-ok", ACKNOWLEDGED)
        found = parsed(
            header(),
            user("u1", "a"),
            compacted(self.SUMMARY),
            info("i", ""),
            user("u2", "b"),
            merged,
            listed(merged, ok, user("u2", "b")),
        )
        assert len(of(found, Compaction)) == 1
        assert words(found) == ["a", "b"]
        assert not of(found, Withdrawn, Cleared)

    def test_one_that_failed_removed_nothing(self):
        found = parsed(header(), user("u1", "a"), touched(), info("i1", ""), touched())
        assert [one.trigger for one in of(found, CompactionFailed)] == ["manual"]
        assert not of(found, Compaction)

    def test_0_39_shows_one_that_was_asked_for_by_what_stands_before(self):
        found = parsed(header(), user("u1", "a"), touched(), reset(), info("i1", ""))
        assert [one.kept for one in of(found, Compaction)] == [None]

    def test_an_old_automatic_one_tells_its_tokens(self):
        text = (
            "IMPORTANT: This conversation exceeded the compress threshold. A compressed context"
            " will be sent for future messages (compressed from: 700000 to 5000 tokens)."
        )
        (found,) = of(document(user("u1", "a"), info("i1", text)), Compaction)
        assert (found.trigger, found.tokens_before, found.tokens_after) == ("auto", 700_000, 5000)

    def test_one_whose_list_was_damaged_is_found_at_the_next_resume(self):
        rows = [header(), user("u1", "a"), header(start="y"), listed(context())]
        found = parsed(*rows, compacted(self.SUMMARY, user("u1", "a")), user("u2", "b"))
        (one,) = of(found, Compaction)
        assert one.kept == ("u1",)

    def test_the_other_messages_of_two_chats_have_the_same_ids_in_both_forms(self):
        """A chat of the old form that is resumed is copied into a new file line by line."""
        old = [user("u1", "a"), model("m1", "b"), info("i1", ""), user("u2", "c"), model("m2", "d")]
        lines = parsed(header(), *old, reset(), user("u3", "e"))

        def told(found):
            return [(type(e), e.id) for e in found]

        assert told(document(*old)) == told(lines)[:-1]


class TestContextFiles:
    def test_the_file_of_a_folder_comes_when_a_file_there_is_read(self):
        found = of(chat("0.61.0/nested_agents_file"), ContextFileLoaded)
        assert [(PurePosixPath(one.path).parts[-2:], one.reason) for one in found] == [
            (("myproj", "AGENTS.md"), "start"),
            (("sub", "AGENTS.md"), "nested"),
        ]

    def test_one_that_came_with_a_tools_output_is_nested(self):
        output = (
            "x=1\n\n\n--- Newly Discovered Project Context ---\n--- Context from: /p/sub/GEMINI.md "
            "---\nsub only\n--- End of Context from: /p/sub/GEMINI.md ---\n"
            "--- End Project Context ---"
        )
        made = call("c1", "read_file", output=output, file_path="sub/x.py")
        (found,) = of(parsed(header(), model("m1", toolCalls=[made])), ContextFileLoaded)
        assert (found.path, found.reason, found.text) == ("/p/sub/GEMINI.md", "nested", "sub only")

    def test_a_file_that_was_read_and_quotes_such_output_is_none(self):
        output = (
            "--- Newly Discovered Project Context ---\n--- Context from: /p/GEMINI.md ---\nx\n"
            "--- End of Context from: /p/GEMINI.md ---\n--- End Project Context ---\nand more"
        )
        made = call("c1", "read_file", output=output, file_path="notes.md")
        assert not of(parsed(header(), model("m1", toolCalls=[made])), ContextFileLoaded)

    def test_hostile_marks_are_read_in_linear_time(self):
        text = "<session_context>\n" + "--- Context from: a ---\n" * 50_000
        assert not of(parsed(header(), listed(user(CONTEXT_ID, text))), ContextFileLoaded)


class TestPlaces:
    @pytest.mark.parametrize(
        ("system", "home"),
        [
            ("linux", PurePosixPath("/home/dev")),
            ("macos", PurePosixPath("/Users/dev")),
            ("windows", PureWindowsPath("C:/Users/dev")),
        ],
    )
    def test_chats_lie_in_the_home_folder_everywhere(self, system, home):
        for parser in (LINES, DOCUMENT):
            (source,) = parser.sources(Environment(system, home))
            assert source.root == home / ".gemini" / "tmp"

    def test_another_home_may_stand_in(self):
        env = Environment("linux", PurePosixPath("/home/dev"), {"GEMINI_CLI_HOME": "/data/g"})
        assert LINES.sources(env)[0].root == PurePosixPath("/data/g/.gemini/tmp")

    @pytest.mark.parametrize(
        ("name", "parser"),
        [
            ("chats/session-2026-11-30T03-15-af97f530.jsonl", LINES),
            ("chats/session-2026-11-30T03-15-af97f530.json", DOCUMENT),
            ("chats/session-2026-11-30T03-15-af97f530.jsonl.unreadable-1", None),
            ("chats/session-2026-11-30T03-15-af97f530.jsonl.tmp-12", None),
            ("logs.json", None),
            ("chats/notes.jsonl", None),
        ],
    )
    def test_chats_are_known_by_folder_and_name(self, name, parser):
        found = claimant(PROJECT / name, b"")
        assert (found and found.name) == (parser and parser.name)

    def test_a_chat_lying_elsewhere_is_known_by_its_beginning(self):
        head = json.dumps(header()).encode()
        assert claimant(PurePosixPath("/tmp/x.jsonl"), head).name == LINES.name
        pretty = json.dumps(header(), indent=2).encode()
        assert claimant(PurePosixPath("/tmp/x.json"), pretty).name == DOCUMENT.name

    def test_a_session_is_known_by_its_id_not_by_the_files_name(self):
        assert {event.session for event in parsed(header("af97f530-9c86"), user("u", "x"))} == {
            "af97f530-9c86"
        }

    def test_the_marker_tells_the_project(self):
        found = parsed(header(), companions={PROJECT / ".project_root": b"/home/dev/shop\n"})
        assert found[0].cwd == "/home/dev/shop"

    def test_the_list_of_projects_tells_it_too(self):
        data = json.dumps({"projects": {"/home/dev/shop": "shop"}}).encode()
        home = PROJECT.parent.parent
        assert parsed(header(), companions={home / "projects.json": data})[0].cwd == str(ROOT)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("projects.json", {"projects": {"/else": "x", str(ROOT): "shop"}}),
            ("trustedFolders.json", {"/else": "TRUST_FOLDER", str(ROOT): "TRUST_FOLDER"}),
        ],
    )
    def test_a_hashed_folder_is_found_among_the_known_paths(self, name, value):
        companion = OLD_PROJECT.parent.parent / name
        found = document(user("u1", "a"), companions={companion: json.dumps(value).encode()})
        assert found[0].cwd == str(ROOT)

    def test_a_hashed_folder_is_found_by_the_paths_that_tools_touch(self):
        made = call("c1", "read_file", absolute_path=f"{ROOT}/src/deep/a.py")
        found = document(user("u1", "a"), model("m1", toolCalls=[made]))
        assert found[0].cwd is None
        assert [one.cwd for one in of(found, WorkspaceChanged)] == [str(ROOT)]

    def test_the_first_message_tells_the_project_where_nothing_else_does(self):
        found = parsed(header(), listed(context()))
        assert [one.cwd for one in of(found, WorkspaceChanged)] == [str(ROOT)]

    def test_a_marker_that_is_damaged_does_no_harm(self):
        home = PROJECT.parent.parent
        for data in (b"\xff\xfe", b"[" * 100_000, b"{}", b'{"projects": 3}', b"null"):
            assert parsed(header(), companions={home / "projects.json": data})[0].cwd is None


def line(text):
    identity = sha256(text.encode()).hexdigest()
    return json.dumps(user(identity, text), ensure_ascii=False).encode()


HOSTILE = hostile(line, b'{"id":"x","timestamp":"2026-11-30T03:16:00.000Z","type":"us')


class TestDamage:
    @pytest.mark.parametrize("shape", HOSTILE)
    def test_every_whole_record_beside_damage_is_read(self, shape):
        data, expected, damaged = HOSTILE[shape]
        first = json.dumps(header()).encode() + b"\n"
        found = list(LINES.parse(Framer().feed(first + data), LINES.begin(PATH, {})))
        assert words(found) == expected
        assert len(of(found, Unparsed)) == damaged


class TestBounds:
    def test_the_state_of_a_long_chat_stays_small(self):
        state = LINES.begin(PATH, {})
        rows = [header()]
        for number in range(2000):
            rows += [user(f"u{number:036}", f"p {number}"), model(f"m{number:036}", f"r {number}")]
        data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        assert len(list(LINES.parse(Framer().feed(data), state))) > 4000
        assert len(msgspec.msgpack.encode(state)) < MAX_STATE_BYTES

    def test_a_long_list_of_strangers_is_read_in_linear_time(self):
        said = [user(f"u{n}", f"p {n}") for n in range(MESSAGES_TAKEN_BACK)]
        strangers = [user(f"x{n}", "same words") for n in range(30_000)]
        assert len(of(parsed(header(), *said, listed(*strangers)), Cleared)) == 1

    def test_a_torn_document_is_damage(self):
        data = json.dumps({**header(), "messages": [user("u1", "a")]}).encode()[:-20]
        state = DOCUMENT.begin(OLD_PATH, {})
        found = list(DOCUMENT.parse([Record(data, 0, len(data))], state))
        assert [type(event) for event in found] == [Unparsed]

    def test_a_record_of_an_unknown_kind_is_counted(self):
        found = parsed(header(), {"later": 1}, message("video", "v1", "x"))
        assert [one.record_kind for one in of(found, Unknown)] == ["record", "video"]
