"""Claude Code's transcripts: what its window gets and loses, its turns, usage and tool calls."""

import msgspec
import pytest

from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    CompactionFailed,
    ContextFileLoaded,
    ContextInjected,
    Reasoning,
    ToolCall,
    Truncated,
    TurnEnded,
    Unknown,
    Usage,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.limits import PROMPTS_REMEMBERED
from ctxd_parsers.parser import Record
from ctxd_parsers.reading import read_events
from golden import cases, transcripts
from parsers.claude_code_logs import (
    PARSER,
    PATH,
    SESSION,
    assistant,
    attachment,
    boundary,
    call,
    encoded,
    of,
    only,
    read,
    recorded,
    result,
    row,
    summary,
    user,
    words,
)

EVERY_CASE = [case for case in cases() if case.parent.parent.name == "claude-code"]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.0.35", [(None, None, 0), (None, None, 0)]),
        ("1.0.128", [("manual", 15785, 0), ("auto", 194013, 0)]),
        ("2.0.37", [("manual", 16254, 0), ("auto", 194013, 0)]),
        ("2.0.77", [("manual", 18599, 0), ("auto", 194013, 0)]),
        ("2.1.63", [("manual", 19894, 0), ("auto", 194074, 0)]),
        ("2.1.109", [("manual", 26333, 0), ("auto", 194025, 0)]),
        ("2.1.197", [("manual", 22891, 2), ("auto", 194025, 3)]),
        ("2.1.265", [("manual", 19964, 2), ("auto", 194047, 4)]),
        ("2.1.332", [("manual", 14334, 2), ("auto", 194025, 3)]),
    ],
)
def test_a_compaction_is_one_event_with_its_summary_in_every_version(version, expected):
    events = [e for s in recorded(version, "lifecycle").values() for e in s]
    found = of(events, Compaction)
    assert [(c.trigger, c.tokens_before, len(c.kept)) for c in found] == expected
    assert "Manual summary" in found[0].summary
    assert "Auto summary" in found[1].summary


def test_what_is_kept_are_the_last_reply_and_the_prompt_that_waits():
    events = only("2.1.197", "lifecycle", "e82bc890")
    _, automatic = of(events, Compaction)
    kept = [event for event in events if event.id in automatic.kept]
    texts = [event.text for event in kept if isinstance(event, (AssistantMessage, UserMessage))]
    assert texts == ["Grown.", "This prompt triggers the automatic compaction."]
    assert (automatic.tokens_after, automatic.duration_ms) == (802, 39)


@pytest.mark.parametrize(
    ("scenario", "direction", "kept", "removed"),
    [
        ("summarize_from", "from", ["First: we use SQLite."], 6),
        ("summarize_upto", "up_to", ["Second: and we use Redis as cache.", "Third: add docs."], 16),
    ],
)
def test_a_partial_compaction_keeps_the_other_part(scenario, direction, kept, removed):
    events = only("2.1.332", scenario)
    (compaction,) = of(events, Compaction)
    assert (compaction.cause, compaction.messages_removed) == (direction, removed)
    before = events[: events.index(compaction)]
    assert [m.text for m in of(before, UserMessage) if m.id in compaction.kept] == kept
    assert of(events, Withdrawn) == []


def test_a_sub_agents_compaction_is_its_own():
    sessions = recorded("2.1.332", "subagent_compact")
    (compaction,) = of([e for s in sessions.values() for e in s], Compaction)
    assert compaction.sub_agent == "a481a505f2951bb58"
    assert compaction.session == "c48f1fb5-e6b2-436d-a1e4-0d09bea062ac"
    assert len(compaction.kept) == 3


def test_a_reply_written_before_the_summary_belongs_behind_the_compaction():
    events = only("2.1.109", "out_of_order", "6bd87683")
    last = of(events, Compaction)[-1]
    (answer,) = [m for m in of(events, AssistantMessage) if m.text.startswith("Answer after")]
    assert events.index(answer) == events.index(last) + 1
    assert answer.span < last.span


def test_instruction_files_read_anew_stand_behind_the_compaction_that_dropped_them():
    events = only("2.1.332", "compact_auto")
    kinds = [type(e).__name__ for e in events if isinstance(e, (Compaction, ContextFileLoaded))]
    assert kinds == ["ContextFileLoaded", *["Compaction", "ContextFileLoaded"] * 2]
    reasons = [file.reason for file in of(events, ContextFileLoaded)]
    assert reasons == ["start", "compaction", "compaction"]


@pytest.mark.parametrize(
    "behind",
    [
        [user("u2", "go on")],
        [boundary("b2", trigger="manual"), summary("s2", "second", "b2")],
        [{"type": "cost-state", "sessionId": SESSION}],
        [assistant(f"a{n}", "more") for n in range(80)],
    ],
)
def test_a_boundary_whose_summary_never_comes_is_still_a_compaction(tmp_path, behind):
    rows = [user("u1", "one", None), boundary("b1", trigger="auto", preTokens=9), *behind]
    first = of(read(tmp_path, *rows), Compaction)[0]
    assert (first.id, first.trigger, first.tokens_before) == ("b1", "auto", 9)
    assert (first.summary, first.kept) == (None, None)


def test_a_summary_written_twice_is_one_compaction(tmp_path):
    twice = [summary("s", "so far", "b")] * 2
    events = read(tmp_path, user("u", "one", None), boundary("b", trigger="auto"), *twice)
    assert [(c.id, c.trigger) for c in of(events, Compaction)] == [("s", "auto")]


def test_rows_of_a_compaction_that_come_again_or_in_another_order_are_one_compaction(tmp_path):
    lost, told = boundary("b", trigger="auto"), summary("s", "so far", "b")
    between = [assistant(f"m{number}", "so") for number in range(99)]
    for rows in ([lost, told, lost, told], [lost, told, *between, lost], [told, lost]):
        events = read(tmp_path, user("u", "hi", None), *rows, user("v", "go on"))
        assert [(c.id, c.summary) for c in of(events, Compaction)] == [("s", "so far")]


def test_a_summary_that_is_not_called_one_is_known_by_its_text_behind_a_boundary(tmp_path):
    text = "This session is being continued from a previous conversation that ran out of context. X"
    told = user("s", text, "b")
    typed = user("s", text, "b", permissionMode="default")
    lost = boundary("b", trigger="auto")
    events = read(tmp_path, user("u", "hi", None), lost, told, user("v", "go on"))
    assert [(c.id, c.summary) for c in of(events, Compaction)] == [("s", text)]
    assert words(events) == ["hi", "go on"]
    events = read(tmp_path, user("u", "hi", None), lost, typed)
    assert [(c.id, c.summary) for c in of(events, Compaction)] == [("b", None)]
    assert words(events) == ["hi", text]


def test_metadata_of_other_types_costs_no_compaction(tmp_path):
    odd = boundary("b", trigger=7, preTokens="many", preservedMessages=[], durationMs=1.5)
    events = read(tmp_path, user("u", "one", None), odd, summary("s", "so far", "b"))
    (found,) = of(events, Compaction)
    assert (found.trigger, found.tokens_before, found.duration_ms) == (None, None, 1)


def test_kept_lists_the_ids_of_all_events_of_a_row(tmp_path):
    files = [{"path": f"/p/{n}/CLAUDE.md", "type": "Project", "content": "x"} for n in range(3)]
    loaded = attachment("i", "u", type="instructions", files=files)
    kept = {"uuids": ["u", "i"]}
    rows = [user("u", "one", None), loaded, boundary("b", trigger="manual", preservedMessages=kept)]
    events = read(tmp_path, *rows, summary("s", "so far", "b"))
    assert of(events, Compaction)[0].kept == ("u", "i", "i#1", "i#2")
    assert [file.id for file in of(events, ContextFileLoaded)] == ["i", "i#1", "i#2"]


def test_the_focus_is_told_where_it_comes_before_the_boundary():
    """2.1.265 logs `/compact ...` as a prompt, print runs queue it; neither is a word twice."""
    for version, scenario, part in (
        ("2.1.265", "lifecycle", "b9986ea8"),
        ("2.1.332", "print_compact", ""),
    ):
        events = only(version, scenario, part)
        first, second = of(events, Compaction)
        assert (first.instructions, second.instructions) == ("keep the constraints", None)
        assert words(events).count("keep the constraints") == 1


def test_a_blocked_compaction_removes_nothing():
    events = only("2.1.332", "precompact_block")
    (failed,) = of(events, CompactionFailed)
    assert failed.trigger == "manual"
    assert failed.reason.endswith("CTXD blocks manual compaction")
    assert of(events, Compaction) == []


def test_other_errors_of_compact_are_failures_and_those_of_other_commands_are_not(tmp_path):
    def stderr(uuid: str, text: str) -> dict:
        return user(uuid, f"<local-command-stderr>{text}</local-command-stderr>")

    rows = [
        user("c", "<command-name>/compact</command-name><command-args>all</command-args>", None),
        stderr("e1", "Error: Not enough messages to compact."),
        user("m", "<command-name>/model</command-name>"),
        stderr("e2", "Error: no such model"),
    ]
    failed = of(read(tmp_path, *rows), CompactionFailed)
    assert [(f.id, f.reason) for f in failed] == [("e1", "Error: Not enough messages to compact.")]


def test_dropped_tool_results_are_a_truncation():
    (cut,) = of(only("2.1.63", "microcompact"), Truncated)
    assert cut.calls == tuple(f"toolu_edeae9000{n}00" for n in range(1, 6))
    assert (cut.tokens_before, cut.tokens_after) == (89343, 39708)


def test_cut_results_of_later_clients_are_a_truncation(tmp_path):
    cut = attachment("t", type="tool_results_cut", callIds=["t1", "t2"], roughTokens=900)
    assert of(read(tmp_path, user("u", "x", None), cut), Truncated)[0].calls == ("t1", "t2")


# Rewind.


def test_the_recorded_rewind_withdraws_from_the_prompt_that_was_rewound_to():
    events = only("2.1.332", "rewind")
    (withdrawn,) = of(events, Withdrawn)
    since = next(m for m in of(events, UserMessage) if m.id == withdrawn.since)
    assert since.text == "Second: and we use Redis as cache."
    following = events[events.index(withdrawn) + 1]
    assert following.text == "Instead of Redis use an in-process LRU cache."


def test_only_a_rewind_withdraws_anything():
    """No other recorded session does: resumes, forks, duplicates, retries, interruptions."""
    for case in EVERY_CASE:
        found = [w for t in transcripts(case) for w in of(list(read_events(t)), Withdrawn)]
        assert len(found) == {"rewind": 1, "rewind_command": 2}.get(case.name, 0), case


def test_a_rewind_to_a_command_without_words_withdraws_what_came_of_it():
    events = only("2.1.332", "rewind_command")
    command, start = of(events, Withdrawn)
    (first,) = [event for event in events if event.id == command.since]
    assert (type(first), first.text) == (AssistantMessage, "Reviewed, decision: use mongo.")
    assert events[events.index(command) + 1].text == "Third: no review; keep SQLite."
    assert start.since == of(events, UserMessage)[0].id


REVIEW = "<command-message>review</command-message>\n<command-name>/review</command-name>"


def test_a_command_may_take_back_what_was_said(tmp_path):
    rows = [user("a", "use mongo", "p"), assistant("b", "ok", "a"), user("c", REVIEW, "p")]
    rows += [assistant("d", "reviewed", "c"), user("e", "use sqlite", "p")]
    events = read(tmp_path, *rows)
    assert [(w.id, w.since) for w in of(events, Withdrawn)] == [
        ("c#withdrawn", "a"),
        ("e#withdrawn", "d"),
    ]


def test_a_command_of_the_client_takes_nothing_back(tmp_path):
    """1.0.35 wrote one caveat for all of them, and so one parent."""
    model = "<command-name>/model</command-name>\n<command-args>opus</command-args>"
    rows = [user("a", model, "caveat"), user("b", "use sqlite", "a"), user("c", model, "caveat")]
    assert of(read(tmp_path, *rows, user("d", "no tabs", "c")), Withdrawn) == []


def test_a_prompt_taken_back_whose_row_comes_again_takes_nothing_back(tmp_path):
    rows = [user("a", "use mongo", "p"), user("c", "use sqlite", "p")]
    between = [assistant(f"m{number}", "so") for number in range(99)]
    events = read(tmp_path, *rows, *between, rows[0])
    assert [w.since for w in of(events, Withdrawn)] == ["a"]


def test_an_abandoned_fork_is_withdrawn_before_the_prompt_that_replaces_it(tmp_path):
    """daaain/claude-code-log#300."""
    events = read(
        tmp_path,
        user("a", "please use sqlite", None),
        assistant("b", "ok", "a"),
        user("c", "use mongo instead", "b"),
        assistant("d", "decision: use mongo", "c"),
        user("e", "never touch migrations", "b"),
        assistant("f", "understood", "e"),
        user("g", "and no downtime", "b"),
    )
    assert [(w.id, w.since) for w in of(events, Withdrawn)] == [
        ("e#withdrawn", "c"),
        ("g#withdrawn", "e"),
    ]


def test_a_rewind_to_the_start_withdraws_everything(tmp_path):
    rows = [user("a", "use mongo", None), assistant("b", "ok", "a"), user("c", "use sqlite", None)]
    assert [w.since for w in of(read(tmp_path, *rows), Withdrawn)] == ["a"]


def test_new_roots_after_a_compaction_and_repeated_rows_are_no_rewind(tmp_path):
    rows = [user("a", "one", None), user("a", "one", None), boundary("b", trigger="auto")]
    rows += [summary("s", "so far", "b"), user("c", "two", None)]
    assert of(read(tmp_path, *rows), Withdrawn) == []


def test_memory_of_prompts_is_bounded():
    rows = [user(f"u{n}", "x", f"p{n}") for n in range(PROMPTS_REMEMBERED + 9)]
    state = PARSER.begin(PATH, {})
    records = [Record(line) for line in encoded(*rows).splitlines()]
    assert len(of(list(PARSER.parse(records, state)), UserMessage)) == len(rows)
    assert len(state.prompts) == PROMPTS_REMEMBERED
    assert f"p{PROMPTS_REMEMBERED + 8}" in state.prompts


# Turns, usage, tools, context.


@pytest.mark.parametrize(
    ("version", "scenario", "expected"),
    [
        ("2.0.37", "summary_lines", ["completed"] * 4),
        ("2.0.77", "api_errors", ["completed", "completed", "error", "error"]),
        ("2.1.332", "api_errors", ["completed", "completed", "error", "completed"]),
        ("2.1.332", "stream_drop", ["completed", "error", "completed"]),
        ("2.1.332", "subagent", ["completed"] * 3),
    ],
)
def test_each_turn_ends_once(version, scenario, expected):
    events = [e for s in recorded(version, scenario).values() for e in s]
    assert [turn.reason for turn in of(events, TurnEnded)] == expected
    assert not any(turn.sub_agent for turn in of(events, TurnEnded))


def test_a_reason_repeated_on_every_block_ends_the_turn_behind_the_thinking(tmp_path):
    done = {"id": "m1", "stop_reason": "end_turn"}
    rows = [
        assistant("a1", [{"type": "thinking", "thinking": "hm"}], message=done),
        assistant("a0", [{"type": "thinking", "thinking": ""}, {"type": "image"}], message=done),
        assistant(
            "a2", [{"type": "text", "text": " \n"}, {"type": "text", "text": "first"}], message=done
        ),
        assistant("a3", "second", message=done),
    ]
    events = read(tmp_path, user("u", "go", None), *rows)
    assert [turn.id for turn in of(events, TurnEnded)] == ["a2#end"]
    assert [r.text for r in of(events, Reasoning)] == ["hm"]


def test_interactive_clients_end_a_turn_by_a_row_of_its_own(tmp_path):
    reply = assistant("a", "ok", message={"stop_reason": "end_turn"}, entrypoint="cli")
    end = row("system", "d", "a", subtype="turn_duration", durationMs=5)
    events = read(tmp_path, user("u", "go", None, promptId="p1"), reply, end)
    assert [(turn.id, turn.turn) for turn in of(events, TurnEnded)] == [("d", "p1")]


def test_api_errors_shown_as_replies_failed_and_retries_are_silent():
    events = only("2.0.77", "api_errors", "d0c001b9")
    assert [m.text[:14] for m in of(events, AssistantMessage) if m.failed] == [
        "API Error: 500",
        "API Error: 400",
    ]
    assert of(events, Unknown) == []
    assert all(usage.model != "<synthetic>" for usage in of(events, Usage))


def test_usage_is_told_once_a_response_and_again_when_it_grew():
    for version, counts in (("1.0.128", [61]), ("2.1.63", [1, 61])):
        events = [e for s in recorded(version, "lifecycle").values() for e in s]
        first = of(events, Reasoning)[0].message
        usages = [usage for usage in of(events, Usage) if usage.message == first]
        assert [usage.output_tokens for usage in usages] == counts
    last = usages[-1]
    assert (last.input_tokens, last.cache_write_tokens, last.cache_read_tokens) == (4, 1960, 17644)
    assert last.context_tokens == 4 + 1960 + 17644 + 61


def test_a_count_that_nobody_can_mean_is_none_and_can_be_stored(tmp_path):
    usage = {"input_tokens": 10**30, "output_tokens": 5}
    rows = [assistant("a", "ok", message={"usage": usage}), boundary("b", preTokens=10**30)]
    state = PARSER.begin(PATH, {})
    found = list(PARSER.parse([Record(line) for line in encoded(*rows).splitlines()], state))
    assert of(found, Usage) == []
    msgspec.msgpack.encode([state, found])


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Bash", {"command": "ls", "description": "list"}, ((), "ls", None)),
        ("Edit", {"file_path": "/a", "old_string": "x", "new_string": ""}, (("/a",), None, "")),
        ("Write", {"file_path": "/a", "content": "y" * 2000}, (("/a",), None, "y" * 1000)),
        ("MultiEdit", {"file_path": "/a", "edits": [{"new_string": "z"}]}, (("/a",), None, "z")),
        ("NotebookEdit", {"notebook_path": "/n", "new_source": "s"}, (("/n",), None, "s")),
        ("Grep", {"path": "/s", "re": "x"}, (("/s",), None, '{"path": "/s", "re": "x"}')),
        ("mcp__x__put", {"path": ["a"], "content": 1}, ((), None, '{"path": ["a"], "content": 1}')),
        ("Task", {}, ((), None, None)),
    ],
)
def test_a_tool_call_tells_what_it_touches(tmp_path, name, arguments, expected):
    rows = [user("u", "go", None), call("a", "t1", name, **arguments), result("r", "t1")]
    (found,) = of(read(tmp_path, *rows), ToolCall)
    assert (found.call, found.name) == ("t1", name)
    assert (found.paths, found.command, found.excerpt) == expected


def test_instruction_files_come_with_scope_reason_and_text():
    loaded = of(only("2.1.332", "instructions", "69b9f698"), ContextFileLoaded)
    root = "/tmp/demo/instructions/"
    files = [(f.path.removeprefix(root), f.scope, f.reason) for f in loaded]
    assert files[:7] == [
        ("/home/demo/.claude/CLAUDE.md", "user", "start"),
        ("/home/demo/.claude/rules/me.md", "user", "start"),
        ("CLAUDE.md", "project", "start"),
        ("docs/imported.md", "project", "start"),
        (".claude/CLAUDE.md", "project", "start"),
        (".claude/rules/style.md", "project", "start"),
        ("CLAUDE.local.md", "local", "start"),
    ]
    assert files[7:10] == [
        ("src/api/CLAUDE.md", "project", "nested"),
        (".claude/rules/sub/api.md", "project", "nested"),
        ("CLAUDE.md", None, "changed"),
    ]
    assert ("src/api/CLAUDE.md", None, "compaction") in files[10:]
    assert loaded[9].text.splitlines()[-1] == "- R2 NEW RULE ADDED WHILE RUNNING."


def test_agents_files_and_memory_are_context_files_too():
    events = only("2.1.332", "instructions_agents_only", "a31302f6")
    loaded = [(f.path.rpartition("only/")[2], f.reason) for f in of(events, ContextFileLoaded)]
    assert ("AGENTS.md", "start") in loaded
    assert ("src/web/AGENTS.md", "nested") in loaded
    memory = only("2.1.332", "memory_hash", "42909e66")
    assert [f.scope for f in of(memory, ContextFileLoaded)] == ["project", "memory"]


def test_files_that_are_no_context_files_are_silent(tmp_path):
    body = {"type": "text", "file": {"content": "x"}}
    rows = [
        attachment("f", type="file", filename="/p/src/app.py", content=body),
        attachment("e", type="edited_text_file", filename="/p/src/app.py", snippet="1\tx"),
        attachment("n", type="nested_memory", content={"content": "x"}),
        attachment("i", type="instructions", files=[{"content": "x"}, 7]),
        row("attachment", "none", "u"),
    ]
    assert of(read(tmp_path, user("u", "go", None), *rows), ContextFileLoaded) == []


def test_what_hooks_put_before_the_model_is_injected_context():
    injected = of(only("2.1.332", "compact_manual"), ContextInjected)
    text = "CTXD-REINJECT: never use numpy."
    assert [(i.source, i.name, i.text) for i in injected] == [("hook", "SessionStart", text)] * 2


def test_output_of_a_hook_that_the_model_never_saw_is_silent(tmp_path):
    fields = {"type": "hook_success", "content": "lint ok"}
    unseen = attachment("h1", hookEvent="PostToolUse", **fields)
    seen = [
        attachment("h2", hookEvent="UserPromptSubmit", **fields),
        attachment("h3", hookEvent="PostToolUse", outer={"rendered": [{"content": "x"}]}, **fields),
    ]
    found = of(read(tmp_path, user("u", "go", None), unseen, *seen), ContextInjected)
    assert [injected.id for injected in found] == ["h2", "h3"]
