"""The database of Amazon Q CLI and Kiro CLI's first engine: whose words, forks, rows read again."""

import json
import sqlite3
from contextlib import closing
from pathlib import PurePosixPath, PureWindowsPath

import msgspec
import pytest

from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    ContextInjected,
    Interrupted,
    SessionStarted,
    ToolCall,
    ToolResult,
    TurnEnded,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.kiro_sqlite import KiroSqlite, State
from ctxd_parsers.limits import CONVERSATIONS_REMEMBERED
from ctxd_parsers.parser import Record, Storage
from ctxd_parsers.reading import distinct
from ctxd_parsers.registry import claimant
from ctxd_parsers.sqlite_rows import BusyError
from ctxd_parsers.sqlite_rows import read as read_rows
from parsers.contract import ParserContract
from parsers.kiro_logs import ORACLE, log_of, of, read, words

PARSER = KiroSqlite()
EXPECTED = ORACLE["cli-v1"]
HOME = log_of("v1-sqlite")
PROMPTS = ORACLE["cli-v2"]["sessions"]["d26cf058-9029-5756-8748-cb5fd33f6b11"]["user_prompts"]
LINUX = Environment("linux", PurePosixPath("/home/dev"))
TABLES = PARSER.sources(LINUX)[0].tables
SCHEMA = (
    "CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT)",
    "CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT)",
    """CREATE TABLE conversations_v2 (
        key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
        created_at INTEGER, updated_at INTEGER, PRIMARY KEY (key, conversation_id))""",
)


class TestKiroSqlite(ParserContract):
    parser = PARSER


def database(path):
    return read(PARSER, path, Storage.SQLITE, TABLES)


@pytest.fixture
def owner(tmp_path):
    """The client's connection to its database."""
    with closing(sqlite3.connect(tmp_path / "data.sqlite3", isolation_level=None)) as connection:
        for statement in SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT INTO auth_kv VALUES ('token', 'SECRETTOKEN')")
        yield connection


def save(owner, value, key="/w", identity="c1", updated=1):
    owner.execute(
        "INSERT INTO conversations_v2 VALUES (?, ?, ?, 1, ?) "
        "ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
        (key, identity, value, updated),
    )


def stamp(second):
    return f"2026-10-05T09:00:{second:02}+00:00"


def milliseconds(second):
    return 1791190800000 + second * 1000


def entry(content, reply, second=None, *, cwd="/w", asked=True, **user):
    """A history entry; `second` is when it was typed, None for what was not."""
    when = second or 0
    request = {
        "request_start_timestamp_ms": milliseconds(when),
        "stream_end_timestamp_ms": milliseconds(when + 1),
        "model_id": "opus",
    }
    return {
        "user": {
            "content": content,
            "timestamp": None if second is None else stamp(second),
            "additional_context": "",
            "env_context": {"env_state": {"current_working_directory": cwd}},
            **user,
        },
        "assistant": reply,
        "request_metadata": request if asked else None,
    }


def prompt(text):
    return {"Prompt": {"prompt": text}}


def results(*calls, status="Success"):
    said = [{"tool_use_id": call, "content": [], "status": status} for call in calls]
    return {"ToolUseResults": {"tool_use_results": said}}


def cancelled(text, *calls):
    said = [{"tool_use_id": call, "content": [], "status": "Error"} for call in calls]
    return {"CancelledToolUses": {"prompt": text, "tool_use_results": said}}


def response(identity, text):
    return {"Response": {"message_id": identity, "content": text}}


def tool_use(identity, call, name="execute_bash", **arguments):
    uses = [{"id": call, "name": name, "args": arguments}]
    return {"ToolUse": {"message_id": identity, "content": "", "tool_uses": uses}}


def typed(*texts):
    """Transcript lines of the user, each with an answer behind it."""
    lines = []
    for text in texts:
        lines += ["> " + text.replace("\n", "> \n"), "ok\n[Tool uses: none]"]
    return lines


def conversation(history, transcript=(), summary=None, identity="c1"):
    if isinstance(summary, int):
        request = {"message_id": f"s{summary}", "stream_end_timestamp_ms": milliseconds(summary)}
        summary = ["SUMMARY", request]
    return {
        "conversation_id": identity,
        "history": history,
        "transcript": list(transcript),
        "latest_summary": summary,
        "model_info": {"model_id": "opus"},
    }


def parsed(*conversations, state=None, key="/w"):
    state = state or State("data")
    records = [
        Record(json.dumps(c).encode(), key=("conversations_v2", key, c["conversation_id"]))
        for c in conversations
    ]
    return list(PARSER.parse(records, state))


class TestTheOracle:
    def rows(self):
        events = database(HOME / ".local" / "share" / "kiro-cli" / "data.sqlite3")
        return {
            name: [event for event in events if event.session == EXPECTED[name]]
            for name in ("original", "fork", "other_dir")
        }

    def test_the_original_and_its_fork_have_the_users_prompts_once_each(self):
        rows = self.rows()
        assert words(rows["original"]) == PROMPTS[:4]
        together = list(distinct([*rows["original"], *rows["fork"]]))
        assert words(together) == PROMPTS

    def test_tool_output_that_a_compaction_made_a_prompt_is_nobodys_words(self):
        assert EXPECTED["not_user_words"]
        assert not any("41 passed" in text for text in words(self.rows()["fork"]))

    def test_the_fork_goes_on_from_the_original_with_its_summary(self):
        fork = self.rows()["fork"]
        start, compaction = of(fork, SessionStarted)[0], of(fork, Compaction)[0]
        assert (start.how, start.parent) == ("compaction", EXPECTED["original"])
        assert compaction.id == "987bd45b-4c71-5c5d-86c0-f0a7e063ddb4"
        assert compaction.trigger is None
        before = fork[: fork.index(compaction)]
        assert words(before) == PROMPTS[:4]
        assert words(fork[len(before) :]) == PROMPTS[4:]

    def test_what_the_fork_kept_are_events_of_the_original_too(self):
        rows = self.rows()
        kept = of(rows["fork"], Compaction)[0].kept
        assert kept == (
            "a4f7462b-2289-541f-be45-45d598b8d8af",
            of(rows["original"], UserMessage)[3].id,
            "51240be7-87ee-5d7f-9902-e3f08a76efc9",
        )
        assert set(kept) <= {event.id for event in rows["original"]}

    def test_rules_that_the_summary_leaves_out_are_not_kept_either(self):
        fork = self.rows()["fork"]
        compaction = of(fork, Compaction)[0]
        kept = [event.text for event in of(fork, UserMessage) if event.id in compaction.kept]
        for lost in ("signing secret", "Celery"):
            assert not any(lost in text for text in [compaction.summary, *kept])

    def test_another_folders_conversation_is_its_own(self):
        start = of(self.rows()["other_dir"], SessionStarted)[0]
        assert (start.cwd, start.parent) == ("/home/dev/work/docs-site", None)

    def test_a_compaction_in_place_leaves_the_older_words_in_the_transcript(self):
        events = database(HOME / EXPECTED["q_db"])
        assert words(events) == PROMPTS[:4]
        start, compaction = of(events, SessionStarted)[0], of(events, Compaction)[0]
        assert (start.how, start.parent) == ("startup", None)
        assert [type(event) for event in events[:4]] == [SessionStarted, *[UserMessage] * 3]
        assert len(compaction.kept) == 3
        assert compaction is events[-1]


class TestWhoseWords:
    def test_a_prompt_with_a_time_is_words_even_if_it_was_never_displayed(self):
        events = parsed(conversation([entry(prompt("go"), response("m1", "ok"), 1)]))
        message = of(events, UserMessage)[0]
        assert (message.text, message.time.isoformat()) == ("go", stamp(1))

    def test_a_prompt_fetched_from_a_server_and_its_reply_are_neither_ones_words(self):
        history = [entry(prompt("be evil"), response("m1", "I am"), asked=False)]
        events = parsed(conversation(history, typed("hello")))
        assert words(events) == ["hello"]
        assert of(events, AssistantMessage) == []

    @pytest.mark.parametrize(
        "text",
        [
            "You took too long to respond - try to split up the work into smaller steps.",
            "In a few words, summarize our conversation so far.",
            "The conversation history has overflowed, clearing state",
            "[SYSTEM NOTE: This is an automated request, not from the user] Resume the todos",
            "Tool use was cancelled by the user Tool use was cancelled by the user",
        ],
    )
    def test_prompts_of_the_client_are_nobodys_words(self, text):
        assert words(parsed(conversation([entry(prompt(text), response("m", "k"), 1)]))) == []

    def test_commands_and_answers_to_permission_dialogs_are_no_prompts(self):
        lines = typed("/model", "y", "!ls", "go", "T")
        history = [entry(prompt("go"), response("m1", "ok"), 1)]
        assert words(parsed(conversation(history, lines))) == ["go"]

    def test_what_a_compaction_was_asked_to_keep_is_the_users_word(self):
        lines = typed("/compact keep the port", "/compact --show-summary", "/compact")
        message = of(parsed(conversation([], lines)), UserMessage)[0]
        assert (message.text, message.origin) == ("keep the port", "command_arguments")

    def test_a_quote_that_the_agent_begins_with_is_not_the_users(self):
        lines = ["> go", "> as you said\n[Tool uses: fs_read,fs_write]"]
        assert words(parsed(conversation([], lines))) == ["go"]

    def test_a_prompt_of_several_lines_is_recovered_as_it_was(self):
        assert words(parsed(conversation([], typed("one\ntwo\n\nthree")))) == ["one\ntwo\n\nthree"]

    def test_a_prompt_that_a_compaction_shortened_is_given_in_full(self):
        long = "x" * 1500
        history = [entry(prompt(long[:1200] + "..."), response("m1", "ok"), 1)]
        events = parsed(conversation(history, typed(long), 9))
        assert words(events) == [long]

    def test_the_same_words_said_twice_are_two_prompts(self):
        history = [
            entry(prompt("yes"), response("m1", "ok"), 1),
            entry(prompt("yes"), response("m2", "ok"), 2),
        ]
        events = of(parsed(conversation(history, typed("yes", "yes"))), UserMessage)
        assert len({event.id for event in events}) == 2

    def test_words_instead_of_an_approval_are_a_refusal(self):
        history = [
            entry(prompt("go"), tool_use("m1", "t1", command="rm x"), 1),
            entry(cancelled("no, keep x", "t1"), response("m2", "ok"), 2),
        ]
        events = parsed(conversation(history, typed("go", "no, keep x")))
        refusal = of(events, UserMessage)[1]
        assert (refusal.text, refusal.origin, refusal.call) == ("no, keep x", "refusal", "t1")
        assert refusal.turn == of(events, UserMessage)[0].id
        assert [(r.call, r.status) for r in of(events, ToolResult)] == [("t1", "refused")]

    @pytest.mark.parametrize(
        ("text", "reply", "status"),
        [
            (
                "I deny this tool request. Ask a follow up question clarifying the expected action",
                "what then?",
                "refused",
            ),
            (
                "The user interrupted the tool execution.",
                "Tool uses were interrupted, waiting for the next user prompt",
                "interrupted",
            ),
            (
                "Tool use with fs_write was rejected because the arguments supplied were forbidden",
                "ok",
                "error",
            ),
            (None, "ok", "interrupted"),
        ],
    )
    def test_what_the_client_says_about_a_tool_that_did_not_run_is_no_word(
        self, text, reply, status
    ):
        events = parsed(conversation([entry(cancelled(text, "t1"), response("m", reply), 1)]))
        assert words(events) == []
        assert [result.status for result in of(events, ToolResult)] == [status]
        assert len(of(events, Interrupted)) == (reply.startswith("Tool uses were"))

    def test_what_hooks_said_and_images_stand_beside_the_prompt(self):
        history = [
            entry(prompt("go"), response("m1", "ok"), 1, additional_context="branch x", images=[{}])
        ]
        events = parsed(conversation(history))
        assert of(events, UserMessage)[0].attachments == ("image",)
        injected = of(events, ContextInjected)[0]
        assert (injected.source, injected.text) == ("hook", "branch x")


class TestEntries:
    def test_a_reply_gives_its_text_its_tools_its_share_of_the_window_and_its_end(self):
        first = entry(prompt("go"), tool_use("m1", "t1", command="make"), 1)
        first["request_metadata"]["context_usage_percentage"] = 12.5
        history = [first, entry(results("t1"), response("m2", "done"))]
        events = parsed(conversation(history, typed("go")))
        call, usage = of(events, ToolCall)[0], of(events, Usage)[0]
        assert (call.id, call.command, call.call) == ("m1", "make", "t1")
        assert (usage.id, usage.context_percent, usage.message) == ("m1#1", 12.5, "m1")
        assert [(r.id, r.call, r.status) for r in of(events, ToolResult)] == [
            ("m2-user", "t1", "ok")
        ]
        said, end = of(events, AssistantMessage)[0], of(events, TurnEnded)[0]
        assert (said.id, said.text, said.model) == ("m2", "done", "opus")
        assert (end.id, end.reason) == ("m2#1", "completed")
        assert end.turn == of(events, UserMessage)[0].id

    def test_a_timed_out_reply_is_the_clients(self):
        reply = response(None, "Response timed out - message took too long to generate")
        events = parsed(conversation([entry(prompt("go"), reply, 1, asked=False)]))
        assert of(events, AssistantMessage)[0].failed
        assert of(events, TurnEnded) == []

    def test_old_entries_are_pairs_without_times(self):
        pair = [{"content": prompt("go"), "images": None}, response("m1", "ok")]
        with_transcript = parsed(conversation([pair], typed("go")))
        without = parsed(conversation([pair]))
        assert words(with_transcript) == words(without) == ["go"]
        assert of(without, AssistantMessage)[0].id == "m1"

    def test_tool_output_at_the_head_of_an_old_compacted_history_is_no_word(self):
        pair = [{"content": prompt('{"exit_status":"0"}')}, response("m1", "ok")]
        assert words(parsed(conversation([pair], summary="SUMMARY"))) == []

    def test_an_old_summary_is_a_bare_text_and_tells_not_what_it_kept(self):
        pair = [{"content": prompt("go")}, response("m1", "ok")]
        events = parsed(conversation([pair], typed("go"), "SUMMARY"))
        compaction = of(events, Compaction)[0]
        assert (compaction.summary, compaction.kept) == ("SUMMARY", None)

    def test_a_compaction_stands_between_what_was_before_and_after_it(self):
        history = [
            entry(prompt("old"), response("m1", "ok"), 1),
            entry(prompt("new"), response("m2", "ok"), 30),
        ]
        events = parsed(conversation(history, typed("older", "old", "new"), 10))
        order = [
            event.text for event in of(events, UserMessage, Compaction) if hasattr(event, "text")
        ]
        assert order == ["older", "old", "new"]
        compaction = of(events, Compaction)[0]
        assert compaction.kept == (of(events, UserMessage)[1].id, "m1")
        assert events.index(compaction) < events.index(of(events, UserMessage)[2])

    def test_another_folder_in_the_middle_is_a_change_of_workspace(self):
        history = [
            entry(prompt("a"), response("m1", "ok"), 1),
            entry(prompt("b"), response("m2", "ok"), 2, cwd="/w/sub"),
            entry(prompt("c"), response("m3", "ok"), 3, cwd="/w/sub"),
        ]
        moved = of(parsed(conversation(history)), WorkspaceChanged)
        assert [change.cwd for change in moved] == ["/w/sub"]

    def test_when_the_client_drops_lines_their_places_count_no_longer(self):
        history = [entry(prompt("go"), response("m1", "ok"), 1)]
        events = parsed(conversation(history, ["> go"] * 10_000))
        assert [event.id for event in of(events, UserMessage)] == ["m1-prompt"]


class TestReadingAgain:
    OLD = (("use tabs", "m1", 1), ("port 8080", "m2", 2))

    def before(self, identity="c1"):
        history = [entry(prompt(text), response(m, "ok"), at) for text, m, at in self.OLD]
        return conversation(history, typed("use tabs", "port 8080"), identity=identity)

    def test_a_compaction_in_place_neither_doubles_nor_loses_a_prompt(self):
        state = State("data")
        first = parsed(self.before(), state=state)
        later = conversation(
            [entry(prompt("go"), response("m3", "ok"), 30)],
            typed("use tabs", "port 8080", "go"),
            10,
        )
        second = parsed(later, state=state)
        assert words(list(distinct([*first, *second]))) == ["use tabs", "port 8080", "go"]
        assert words(second) == ["use tabs", "port 8080", "go"]
        assert len(of(second, Compaction)) == 1
        assert of(second, Cleared, Withdrawn) == []

    def test_a_fork_and_a_fork_of_it_repeat_the_ids_of_the_first(self):
        state = State("data")
        events = parsed(self.before(), state=state)
        for number, name in enumerate(("c2", "c3")):
            lines = typed("use tabs", "port 8080", *["go"] * number)
            events += parsed(conversation([], lines, 10 + number, name), state=state)
        starts = of(events, SessionStarted)
        assert [(start.session, start.parent) for start in starts] == [
            ("c1", None),
            ("c2", "c1"),
            ("c3", "c2"),
        ]
        assert words(list(distinct(events))) == ["use tabs", "port 8080", "go"]

    def test_a_fork_has_its_originals_ids_even_when_nothing_is_remembered(self):
        original = parsed(self.before())
        fork = conversation(self.before()["history"][1:], self.before()["transcript"], 10, "c2")
        alone = parsed(fork)
        ids = [event.id for event in of(original, UserMessage)]
        assert [event.id for event in of(alone, UserMessage)] == ids
        assert of(alone, Compaction)[0].kept == (ids[1], "m2")

    def test_conversations_that_begin_alike_share_no_later_prompts(self):
        def talk(answer):
            lines = ["> go", f"{answer}\n[Tool uses: none]", "> yes", "ok\n[Tool uses: none]"]
            return [event.id for event in of(parsed(conversation([], lines)), UserMessage)]

        first, second = talk("SQLite?"), talk("Postgres?")
        assert not set(first) & set(second)

    def test_a_line_that_nothing_follows_waits(self):
        lines = [*typed("go"), "> and"]
        assert words(parsed(conversation([], lines))) == ["go"]
        assert words(parsed(conversation([], [*lines, "error: no network"]))) == ["go", "and"]

    def test_a_conversation_that_began_otherwise_is_no_parent(self):
        state = State("data")
        parsed(self.before("c0"), state=state)
        other = conversation([], typed("something else"), 10, "c1")
        start = of(parsed(other, state=state), SessionStarted)[0]
        assert (start.how, start.parent) == ("startup", None)

    def test_a_conversation_of_another_folder_is_no_parent(self):
        state = State("data")
        parsed(self.before("c0"), state=state, key="/elsewhere")
        fork = conversation([], typed("use tabs"), 10, "c1")
        assert of(parsed(fork, state=state), SessionStarted)[0].parent is None

    def test_an_emptied_history_was_cleared(self):
        state = State("data")
        parsed(self.before(), state=state)
        cleared = parsed(conversation([]), state=state)
        assert len(of(cleared, Cleared)) == 1
        assert of(parsed(conversation([]), state=state), Cleared) == []

    def test_a_shortened_history_was_rewound(self):
        state = State("data")
        parsed(self.before(), state=state)
        history = self.before()["history"][:1]
        shorter = parsed(conversation(history, typed("use tabs")), state=state)
        assert [(w.since, w.reason) for w in of(shorter, Withdrawn)] == [(None, "rewind")]
        assert words(shorter) == ["use tabs"]

    def test_a_row_that_only_grew_took_nothing_back(self):
        state = State("data")
        parsed(self.before(), state=state)
        grown = self.before()
        grown["history"].append(entry(prompt("go"), response("m3", "ok"), 3))
        grown["transcript"] += typed("go")
        assert of(parsed(grown, state=state), Withdrawn, Cleared) == []

    def test_only_the_latest_conversations_are_remembered(self):
        state = State("data")
        for number in range(CONVERSATIONS_REMEMBERED + 10):
            parsed(self.before(f"c{number}"), state=state)
        assert len(state.conversations) == CONVERSATIONS_REMEMBERED
        assert len(msgspec.msgpack.encode(state)) < 20_000


class TestTheDatabase:
    def test_credentials_are_never_read(self, owner, tmp_path):
        save(owner, json.dumps(conversation([entry(prompt("go"), response("m", "ok"), 1)])))
        records = list(read_rows(tmp_path / "data.sqlite3", TABLES))
        assert {record.key[0] for record in records} == {"conversations_v2"}
        assert not any(b"SECRETTOKEN" in record.data for record in records)
        assert {table.name for table in TABLES} == {"conversations", "conversations_v2"}

    @pytest.mark.parametrize("kind", [str, str.encode])
    def test_values_may_be_text_or_bytes(self, owner, tmp_path, kind):
        value = json.dumps(conversation([entry(prompt("grün"), response("m", "ok"), 1)]))
        save(owner, kind(value))
        assert words(database(tmp_path / "data.sqlite3")) == ["grün"]

    def test_rows_of_the_older_table_are_named_by_their_value(self, owner, tmp_path):
        value = json.dumps(conversation([entry(prompt("go"), response("m", "ok"), 1)]))
        owner.execute("INSERT INTO conversations VALUES ('/w', ?)", (value,))
        events = database(tmp_path / "data.sqlite3")
        assert {event.session for event in events} == {"c1"}
        assert of(events, SessionStarted)[0].cwd == "/w"

    def test_only_rows_written_since_are_read_again(self, owner, tmp_path):
        value = json.dumps(conversation([]))
        save(owner, value, identity="c1", updated=5)
        save(owner, value, identity="c2", updated=9)
        records = read_rows(tmp_path / "data.sqlite3", TABLES, since=5)
        assert [record.key for record in records] == [("conversations_v2", "/w", "c2")]

    def test_a_damaged_row_is_counted_and_the_others_are_read(self, owner, tmp_path):
        good = conversation([entry(prompt("go"), response("m", "ok"), 1)])
        text = json.dumps(good)
        save(owner, text[: len(text) // 2], identity="torn")
        save(owner, b"\0" * 64, identity="nul")
        save(owner, "", identity="empty")
        save(owner, "[1]", identity="list")
        save(owner, b"\xef\xbb\xbf" + text.encode(), identity="bom")
        save(owner, text.encode().replace(b"go", b"g\xff"), identity="utf8")
        save(owner, text.replace("go", "\\ud83c"), identity="surrogate")
        events = database(tmp_path / "data.sqlite3")
        assert {event.session for event in of(events, Unparsed)} == {"torn", "nul", "list"}
        assert words(events) == ["go", "g\ufffd", "\ufffd"]

    @pytest.mark.parametrize(
        "change",
        [
            {"transcript": 7},
            {"transcript": [7, None, {}]},
            {"latest_summary": 7},
            {"latest_summary": [7, 7]},
            {"latest_summary": []},
            {"model_info": "opus"},
            {"conversation_id": {}},
        ],
    )
    def test_fields_of_the_wrong_type_cost_only_themselves(self, owner, tmp_path, change):
        good = conversation([entry(prompt("go"), response("m", "ok"), 1)])
        save(owner, json.dumps({**good, **change}))
        assert words(database(tmp_path / "data.sqlite3")) == ["go"]

    @pytest.mark.parametrize(
        "history", [7, [7], [None], [[]], [[7, 7]], [{}], [{"user": 7, "assistant": []}]]
    )
    def test_a_history_that_is_none_gives_no_words(self, owner, tmp_path, history):
        save(owner, json.dumps(conversation(history)))
        events = database(tmp_path / "data.sqlite3")
        assert [type(event) for event in events] == [SessionStarted]

    def test_a_locked_database_is_to_be_tried_again(self, owner, tmp_path):
        owner.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BusyError):
            database(tmp_path / "data.sqlite3")

    def test_a_file_that_is_no_database_is_an_error_and_no_empty_store(self, tmp_path):
        (tmp_path / "data.sqlite3").write_bytes(b"SQLite format 3\0" + b"x" * 4096)
        with pytest.raises(OSError, match="database"):
            database(tmp_path / "data.sqlite3")

    def test_a_database_without_the_columns_has_no_conversations(self, tmp_path):
        with closing(sqlite3.connect(tmp_path / "data.sqlite3")) as connection:
            connection.execute("CREATE TABLE conversations (name TEXT)")
            connection.execute("CREATE TABLE conversations_v2 (key TEXT, value TEXT)")
            connection.commit()
        assert database(tmp_path / "data.sqlite3") == []

    def test_a_database_that_does_not_tell_what_changed_is_read_whole(self, tmp_path):
        with closing(sqlite3.connect(tmp_path / "data.sqlite3")) as connection:
            connection.execute("CREATE TABLE conversations_v2 (key, conversation_id, value)")
            connection.execute("INSERT INTO conversations_v2 VALUES ('/w', 'c1', '{}')")
            connection.commit()
        assert len(list(read_rows(tmp_path / "data.sqlite3", TABLES, since=5))) == 1


class TestPlaces:
    def roots(self, system, home, **variables):
        extra = {"kiro-sqlite": (home / "extra",)}
        sources = PARSER.sources(Environment(system, home, variables, extra))
        assert {source.patterns for source in sources} == {("data.sqlite3",)}
        assert {source.storage for source in sources} == {Storage.SQLITE}
        return [source.root for source in sources]

    def test_linux(self):
        home = PurePosixPath("/home/dev")
        share = home / ".local" / "share"
        assert self.roots("linux", home) == [
            share / "kiro-cli",
            share / "amazon-q",
            home / "extra",
        ]
        moved = self.roots("linux", home, XDG_DATA_HOME="/data")
        assert moved[0] == PurePosixPath("/data/kiro-cli")

    def test_macos(self):
        home = PurePosixPath("/Users/dev")
        support = home / "Library" / "Application Support"
        assert self.roots("macos", home)[:2] == [support / "kiro-cli", support / "amazon-q"]

    def test_windows_is_looked_at_in_both_folders(self):
        home = PureWindowsPath("C:/Users/dev")
        local, roaming = PureWindowsPath("D:/Local"), PureWindowsPath("D:/Roaming")
        roots = self.roots("windows", home, LOCALAPPDATA="D:/Local", APPDATA="D:/Roaming")
        assert roots[:4] == [
            local / "kiro-cli",
            local / "amazon-q",
            roaming / "kiro-cli",
            roaming / "amazon-q",
        ]

    @pytest.mark.parametrize(
        ("path", "head", "claimed"),
        [
            ("/h/.local/share/kiro-cli/data.sqlite3", b"", True),
            ("/h/.local/share/amazon-q/data.sqlite3", b"SQLite format 3\0", True),
            ("/backup/data.sqlite3", b"SQLite format 3\0rest", True),
            ("/backup/data.sqlite3", b"", False),
            ("/h/.local/share/kiro-cli/data.sqlite3-journal", b"", False),
            ("/h/.local/share/kiro-cli/data.sqlite3-wal", b"", False),
            ("/h/.local/share/kiro-cli/history", b"", False),
            ("/h/.config/other/state.sqlite3", b"SQLite format 3\0", False),
        ],
    )
    def test_only_the_database_is_claimed(self, path, head, claimed):
        found = claimant(PurePosixPath(path), head)
        assert (found is not None and found.name == "kiro-sqlite") == claimed
