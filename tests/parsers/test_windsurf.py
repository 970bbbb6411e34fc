"""Windsurf's transcripts and the stores of Devin's command line: whose words, trees, rewrites."""

import json
import sqlite3
from pathlib import PurePosixPath, PureWindowsPath

import msgspec
import pytest

from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    ContextInjected,
    Interrupted,
    SessionEnded,
    SessionStarted,
    ToolCall,
    ToolResult,
    Unknown,
    Unparsed,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.limits import HELD_EVENTS, KEPT_EVENTS, PROMPTS_REMEMBERED
from ctxd_parsers.parser import Record, Storage
from ctxd_parsers.reading import Transcript, distinct, read_events
from ctxd_parsers.registry import claimant
from ctxd_parsers.sqlite_rows import read as read_rows
from ctxd_parsers.windsurf_devin import WindsurfDevin
from ctxd_parsers.windsurf_devin_rows import TABLES
from ctxd_parsers.windsurf_devin_transcript import WindsurfDevinTranscript
from ctxd_parsers.windsurf_transcript import WindsurfTranscript
from golden import CASES
from parsers.contract import MAX_STATE_BYTES, ParserContract
from parsers.kiro_logs import hostile, of, parse_document, words
from parsers.windsurf_logs import SUMMARY, Store, conversation

CASCADE, DEVIN, AT_EXIT = WindsurfTranscript(), WindsurfDevin(), WindsurfDevinTranscript()
HOME = PurePosixPath("/home/dev")
TRAJECTORY = "5f0d7c1e-0000-4000-8000-00000000cafe"
PATH = HOME / ".windsurf" / "transcripts" / f"{TRAJECTORY}.jsonl"
DATABASE = HOME / ".local/share/devin/cli/sessions.db"
DOCUMENT = HOME / ".local/share/devin/cli/transcripts/brave-otter-1234.json"
FOREST = CASES / "windsurf/devin-3000.3.27/forest/log/.local/share/devin/cli/sessions.db"
EXITED = (
    CASES / "windsurf/devin-3000.3.27/transcript_at_exit/log/.local/share/devin/cli"
    "/transcripts/brave-otter-1234.json"
)


class TestCascade(ParserContract):
    parser = CASCADE


class TestDevin(ParserContract):
    parser = DEVIN


class TestDevinAtExit(ParserContract):
    parser = AT_EXIT


def step(kind, status="done", **part):
    return {"status": status, "type": kind, kind: part}


def prompt(words):
    return step("user_input", user_response=words)


def reply(words, status="done"):
    return step("planner_response", status, response=words)


def document(*steps):
    return b"".join(json.dumps(one).encode() + b"\n" for one in steps)


def cascade(*steps):
    return parse_document(CASCADE, PATH, document(*steps))


def again(state, *steps):
    """The events of a document that is read after the one that left this state."""
    data = document(*steps)
    return list(CASCADE.parse([Record(data, 0, len(data))], state))


def fresh():
    return CASCADE.begin(PATH, {})


class TestCascadeTranscripts:
    def test_only_what_the_user_said_is_the_users_word(self):
        found = cascade(
            step("user_input", user_response="Use SQLite.", rules_applied={"always_on": ["a.md"]}),
            reply("Use Postgres."),
            step("run_command", command="echo 'Use MySQL.'", output="Use MySQL."),
            step("mcp_tool", tool_name="ask", server_name="s", result="Use Oracle."),
        )
        assert words(found) == ["Use SQLite."]
        assert [event.path for event in of(found, ContextFileLoaded)] == ["a.md"]

    def test_rules_that_apply_to_many_prompts_are_told_once(self):
        rules = {"always_on": ["AGENTS.md"], "manual": ["b.md"]}
        asked = step("user_input", user_response="x", rules_applied=rules)
        found = of(cascade(asked, asked), ContextFileLoaded)
        assert [event.path for event in found] == ["AGENTS.md", "b.md"]

    def test_a_document_that_grows_tells_the_old_steps_under_the_old_ids(self):
        steps = [prompt("one"), reply("ok"), prompt("one"), reply("ok"), prompt("two")]
        state, whole = fresh(), cascade(*steps)
        for count in range(1, len(steps) + 1):
            found = again(state, *steps[:count])
            assert [event.id for event in found] == [event.id for event in whole[: count + 1]]
            assert not of(found, Withdrawn)

    def test_equal_words_are_each_told(self):
        found = cascade(prompt("yes"), reply("ok"), prompt("yes"), reply("ok"))
        assert len({event.id for event in of(found, UserMessage, AssistantMessage)}) == 4

    def test_what_does_not_stand_in_it_any_more_was_taken_back(self):
        state = fresh()
        again(state, prompt("one"), reply("ok"), prompt("two"), reply("done"))
        found = again(state, prompt("one"), reply("ok"), prompt("three"), reply("done"))
        assert [event.since for event in of(found, Withdrawn)] == [None]
        assert not of(again(state, prompt("one"), reply("ok"), prompt("three")), SessionEnded)

    def test_nothing_of_it_tells_of_a_compaction_or_an_end(self):
        found = cascade(prompt("one"), reply("# Summary of the conversation so far"))
        assert not of(found, Compaction, SessionEnded)

    def test_what_was_stopped_is_told_as_stopped(self):
        found = cascade(
            prompt("one"),
            step("run_command", "canceled", command="rm -r x"),
            reply("I was about to", "canceled"),
        )
        assert [event.status for event in of(found, ToolResult)] == ["interrupted"]
        assert len(of(found, Interrupted)) == 1
        assert [event.text for event in of(found, AssistantMessage)] == ["I was about to"]

    def test_a_step_of_a_new_kind_is_counted_and_those_beside_it_are_read(self):
        found = cascade(prompt("one"), step("teleport", to="x"), step("hook_progress"), reply("ok"))
        assert [event.record_kind for event in of(found, Unknown)] == ["teleport"]
        assert words(found) == ["one"]

    def test_its_folder_is_told_by_a_command_rather_than_by_a_file(self):
        look = step("view_file", path="/etc/hosts")
        change = step("code_action", path="/home/dev/shop/app.py", new_content="x")
        command = step("run_command", command="ls", cwd="/home/dev")
        assert folders(cascade(look, change, command, look)) == ["/home/dev"]
        assert folders(cascade(look, change)) == ["/home/dev/shop"]
        assert folders(cascade(look)) == ["/etc"]
        assert folders(cascade(command, change, look)) == ["/home/dev"]
        assert folders(cascade(step("view_file", path="src/app.py"))) == []
        assert folders(cascade(step("code_action", path="C:/shop/app.py"))) == ["C:\\shop"]

    def test_its_folder_is_told_before_the_words_that_are_about_it(self):
        found = cascade(prompt("one"), step("run_command", command="ls", cwd="/home/dev/shop"))
        kinds = [type(event) for event in found]
        assert kinds.index(WorkspaceChanged) < kinds.index(UserMessage)

    def test_it_is_read_as_a_whole_since_it_is_written_as_a_whole(self):
        (source,) = CASCADE.sources(Environment("linux", HOME))
        assert source.storage is Storage.SNAPSHOT
        assert str(source.root) == "/home/dev/.windsurf/transcripts"

    def test_what_is_encrypted_is_left_alone(self):
        for parser in (CASCADE, DEVIN, AT_EXIT):
            for system in ("linux", "macos", "windows"):
                home = PureWindowsPath("C:/Users/dev") if system == "windows" else HOME
                sources = parser.sources(Environment(system, home))
                assert not any(".codeium" in str(source.root) for source in sources)
        closed = HOME / ".codeium/windsurf/cascade" / f"{TRAJECTORY}.pb"
        assert claimant(closed, bytes(range(256))) is None

    def test_it_is_known_by_its_first_line_wherever_it_lies(self):
        assert claimant(PurePosixPath("/tmp/x.jsonl"), document(prompt("x"))).name == CASCADE.name
        turned = b'{"user_input": {"user_response": "x"}, "status": "done"}'
        assert claimant(PurePosixPath("/tmp/x.jsonl"), turned).name == CASCADE.name

    def test_a_long_conversation_leaves_a_bounded_state(self):
        state = fresh()
        again(state, *[prompt(f"word {n}") for n in range(3 * PROMPTS_REMEMBERED)])
        assert len(msgspec.msgpack.encode(state)) < MAX_STATE_BYTES

    SHAPES = hostile(lambda said: json.dumps(prompt(said)).encode(), b'{"status": "done", "type')

    @pytest.mark.parametrize("shape", SHAPES)
    def test_damage_costs_the_damaged_bytes_and_nothing_else(self, shape):
        data, expected, damaged = self.SHAPES[shape]
        found = parse_document(CASCADE, PATH, data)
        assert [said for said in expected if said not in words(found)] == []
        at_its_end = shape in ("NULs at the end", "torn last record")  # nothing comes behind it
        assert bool(of(found, Unparsed)) == bool(damaged or at_its_end)


def folders(events):
    return [event.cwd for event in of(events, WorkspaceChanged)]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "devin" / "cli" / "sessions.db") as made:
        yield made


def told(store):
    """What a plain read of the database tells."""
    return list(distinct(read_events(Transcript(store.path, DEVIN, Storage.SQLITE, TABLES))))


class Follower:
    """Reads a database again and again, as the daemon does: only rows that are new."""

    def __init__(self, store):
        self.store, self.state, self.row = store, DEVIN.begin(store.path, {}), 0

    def look(self):
        records = list(read_rows(self.store.path, TABLES))
        query = "SELECT node_id, session_id FROM message_nodes WHERE row_id > ?"
        fresh = set(self.store.connection.execute(query, (self.row,)).fetchall())
        query = "SELECT max(row_id) FROM message_nodes"
        (self.row,) = self.store.connection.execute(query).fetchone()
        return list(
            DEVIN.parse(
                [
                    one
                    for one in records
                    if one.key[0] != "messages" or (int(one.key[2]), one.key[1]) in fresh
                ],
                self.state,
            )
        )


def standing(events):
    """The words that stand, of both sides, in order: withdrawals carried out."""
    found = []
    for event in distinct(events):
        if isinstance(event, Withdrawn):
            ids = [one.id for one in found]
            first = ids.index(event.since)
            del found[first : ids.index(event.until) if event.until else None]
        else:
            found.append(event)
    return [event.text for event in of(found, UserMessage, AssistantMessage)]


CONVERSATION = [
    "Use SQLite, not Postgres. Never store raw card numbers.",
    "SQLite it is. I look around first.",
    "The module is there.",
    "Multi-currency is out of scope.",
    "Noted.",
    "Money is integer cents.",
]


class TestDevinsForest:
    def test_the_conversation_is_the_users_and_each_message_is_told_once(self, store):
        conversation(store)
        assert standing(told(store)) == CONVERSATION

    def test_words_of_the_client_a_helper_or_to_a_sub_agent_are_nobodys(self, store):
        conversation(store)
        found = told(store)
        assert words(found) == [CONVERSATION[n] for n in (0, 3, 5)]
        assert [event.text for event in of(found, ContextInjected)][1:] == ["continue"]
        assert not any("explore only" in text or "Summarizer" in text for text in standing(found))

    def test_it_tells_the_same_however_often_it_is_looked_at(self, store):
        follower, found = Follower(store), []

        class Watched(Store):
            def __init__(self):
                self.__dict__ |= store.__dict__

            def session(self, *args, **more):
                super().session(*args, **more)
                found.extend(follower.look())

            def node(self, *args, **more):
                super().node(*args, **more)
                found.extend(follower.look())

        conversation(Watched())
        assert standing(found) == CONVERSATION
        assert {event.id for event in of(found, UserMessage, AssistantMessage, Compaction)} == {
            event.id for event in of(told(store), UserMessage, AssistantMessage, Compaction)
        }

    def test_what_is_summarised_is_not_taken_back(self, store):
        store.node(0, None, "system", "You are Devin.")
        store.node(1, 0, "user", "one")
        store.node(2, 1, "assistant", "ok")
        store.node(3, None, "system", SUMMARY, column={"summarized_from": 2})
        store.node(4, 3, "user", "two")
        store.session(tip=4)
        found = told(store)
        assert not of(found, Withdrawn)
        assert standing(found) == ["one", "ok", "two"]

    def test_a_compaction_tells_its_summary_and_what_stays_beside_it(self, store):
        conversation(store)
        found = told(store)
        (compaction,) = of(found, Compaction)
        assert compaction.summary == SUMMARY
        assert (compaction.trigger, compaction.cause) == ("auto", "async_file_compactor")
        texts = {e.id: e.text for e in of(found, UserMessage, AssistantMessage)}
        assert [texts[one] for one in compaction.kept] == CONVERSATION[3:5]

    def test_a_compaction_whose_history_is_not_known_keeps_what_nobody_knows(self, store):
        store.node(900, 899, "system", SUMMARY, column={"summarized_from": 898})
        store.session(tip=900)
        (compaction,) = of(told(store), Compaction)
        assert compaction.kept is None

    def test_going_back_takes_back_what_was_said_since(self, store):
        follower = Follower(store)
        store.node(0, None, "system", "You are Devin.")
        store.node(1, 0, "user", "one")
        store.node(2, 1, "assistant", "ok")
        store.node(3, 2, "user", "use Postgres")
        store.node(4, 3, "assistant", "Postgres it is")
        store.session(tip=4)
        found = follower.look()
        store.node(5, 2, "user", "use SQLite")
        store.session(tip=5)
        found += follower.look()
        assert standing(found) == ["one", "ok", "use SQLite"]

    def test_going_back_to_the_very_beginning_takes_everything_back(self, store):
        store.node(0, None, "system", "You are Devin.")
        store.node(1, 0, "user", "use Postgres")
        store.node(2, 0, "user", "use SQLite")
        store.session(tip=2)
        assert standing(told(store)) == ["use SQLite"]

    def test_what_the_session_does_not_name_yet_is_not_taken_back(self, store):
        store.node(0, None, "system", "You are Devin.")
        store.node(1, 0, "user", "one")
        store.node(2, 1, "assistant", "ok")
        store.session(tip=1)
        assert standing(told(store)) == ["one", "ok"]

    def test_a_prompt_in_a_tree_of_its_own_is_told_once_the_conversation_ends_there(self, store):
        follower = Follower(store)
        store.node(0, None, "system", "You are Devin.")
        store.node(1, 0, "user", "one")
        store.session(tip=1)
        found = follower.look()
        store.node(2, None, "system", "You are Devin in another mode.")
        store.node(3, 2, "user", "begun anew")
        found += follower.look()
        assert standing(found) == ["one"]
        store.session(tip=3)
        found += follower.look()
        assert standing(found) == ["one", "begun anew"]

    def test_rows_that_are_all_written_anew_tell_nothing_new(self, store):
        conversation(store)
        follower = Follower(store)
        found = follower.look()
        store.anew()
        assert standing(found + follower.look()) == CONVERSATION

    def test_a_long_session_written_anew_tells_nothing_new_and_nothing_of_others(self, store):
        follower = Follower(store)
        store.node(0, None, "system", "You are Devin.", mark="system")
        store.node(1, 0, "user", "one")
        store.node(2, None, "system", "You are Devin.", mark="system")
        store.node(3, 2, "user", "a task of a sub-agent")
        for number in range(4, 3 * KEPT_EVENTS):
            store.node(number, number - 1 if number > 4 else 1, "assistant", f"step {number}")
        store.session(tip=3 * KEPT_EVENTS - 1)
        found = follower.look()
        store.anew()
        seen = {event.id for event in found}
        more = follower.look()
        assert [event for event in more if event.id not in seen] == []
        assert "a task of a sub-agent" not in words(found + more)

    def test_sessions_that_were_removed_from_view_are_not_read(self, store):
        store.session("gone", tip=1, hidden=1)
        store.node(1, None, "user", "a secret plan", session="gone")
        assert told(store) == []

    def test_sessions_do_not_mix(self, store):
        for number in range(40):
            name = f"session-{number}"
            store.node(1, None, "user", f"words of {number}", session=name, mark="same")
            store.session(name, tip=1)
        assert [(event.session, event.text) for event in of(told(store), UserMessage)] == [
            (f"session-{number}", f"words of {number}") for number in range(40)
        ]

    def test_the_state_stays_small_however_much_is_said(self, store):
        state = DEVIN.begin(store.path, {})
        for name in range(12):
            for number in range(2 * KEPT_EVENTS + 50):
                about = {"role": "assistant", "content": "word " * 50, "message_id": f"m{number}"}
                key = ("messages", f"s{name}", str(number), str(number - 1) if number else "")
                record = Record(json.dumps(about).encode(), key=(*key, "1796006200", ""))
                list(DEVIN.parse([record], state))
            for number in range(3 * HELD_EVENTS):
                about = {"role": "user", "content": "task " * 999, "message_id": f"t{number}"}
                key = ("messages", f"s{name}", str(9000 + number), "")
                list(DEVIN.parse([Record(json.dumps(about).encode(), key=key)], state))
        assert len(msgspec.msgpack.encode(state)) < 2 * MAX_STATE_BYTES

    def test_one_long_prompt_that_is_held_back_is_not_lost(self, store):
        store.node(0, None, "user", "one")
        store.node(1, None, "user", "words " * 50_000)
        store.session(tip=1)
        assert len(words(told(store))) == 2

    def test_a_torn_message_is_counted_and_those_beside_it_are_read(self, store):
        store.session(tip=2)
        store.node(1, None, "user", "one")
        store.connection.execute(
            "UPDATE message_nodes SET chat_message = substr(chat_message, 1, 30)"
        )
        store.node(2, 1, "user", "two")
        found = told(store)
        assert [event.session for event in of(found, Unparsed)] == ["calm-river"]
        assert words(found) == ["two"]

    @pytest.mark.parametrize("column", ["null", "[]", "not JSON", '{"summarized_from": "x"}'])
    def test_odd_facts_beside_a_message_change_nothing(self, store, column):
        store.session(tip=1)
        store.node(1, None, "user", "one")
        store.connection.execute("UPDATE message_nodes SET metadata = ?", (column,))
        assert words(told(store)) == ["one"]

    def test_a_ring_of_parents_ends(self, store):
        store.node(1, 3, "user", "one")
        store.node(2, 1, "assistant", "ok")
        store.node(3, 2, "user", "two", column={"summarized_from": 3})
        store.session(tip=3)
        assert words(told(store)) == ["one", "two"]

    def test_tables_of_early_versions_are_read(self):
        found = list(read_events(Transcript(FOREST, DEVIN, Storage.SQLITE, TABLES)))
        assert len(words(found)) == 2
        assert [event.cwd for event in of(found, WorkspaceChanged)] == ["/home/dev/work/myproj"]

    def test_no_other_table_is_read(self, store):
        store.connection.execute("CREATE TABLE app_state (key TEXT, value TEXT)")
        store.connection.execute("INSERT INTO app_state VALUES ('token', 'SECRETTOKEN')")
        conversation(store)
        assert not any(b"SECRET" in record.data for record in read_rows(store.path, TABLES))

    def test_its_client_never_waits_for_the_reader(self, store):
        conversation(store)
        reading = iter(list(read_rows(store.path, TABLES)))
        next(reading)
        other = sqlite3.connect(store.path, timeout=0, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        other.execute("COMMIT")
        other.close()


class TestWhereDevinKeepsThem:
    @pytest.mark.parametrize(
        ("environment", "expected"),
        [
            (Environment("linux", HOME), "/home/dev/.local/share/devin"),
            (Environment("linux", HOME, {"XDG_DATA_HOME": "/data"}), "/data/devin"),
            (Environment("macos", HOME), "/home/dev/Library/Application Support/devin"),
        ],
    )
    def test_it_looks_where_the_client_keeps_its_data(self, environment, expected):
        for parser in (DEVIN, AT_EXIT):
            assert expected in [str(source.root) for source in parser.sources(environment)]

    def test_it_looks_into_the_settings_on_windows(self):
        home = PureWindowsPath("C:/Users/dev")
        roots = [source.root for source in DEVIN.sources(Environment("windows", home))]
        assert home / "AppData" / "Roaming" / "devin" in roots

    def test_the_clients_variable_names_the_file(self):
        environment = Environment("linux", HOME, {"CHISEL_SESSION_DB": "/data/mine.db"})
        source = DEVIN.sources(environment)[-1]
        assert (str(source.root), source.patterns) == ("/data", ("mine.db",))

    def test_other_databases_and_documents_are_not_claimed(self):
        magic = b"SQLite format 3\0"
        assert claimant(PurePosixPath("/home/dev/app/sessions.db"), magic) is None
        named = claimant(PurePosixPath("/home/dev/app/mine.db"), magic + b"message_nodes")
        assert named.name == DEVIN.name
        other = b'{"schema_version": "ATIF-v1.7", "agent": {"name": "somebody"}}'
        assert not AT_EXIT.claims(PurePosixPath("/tmp/run.json"), other)
        assert AT_EXIT.claims(PurePosixPath("/tmp/run.json"), other.replace(b"somebody", b"devin"))


def left(*steps, **more):
    return parse_document(
        AT_EXIT, DOCUMENT, {"schema_version": "ATIF-v1.7", "steps": list(steps), **more}
    )


class TestDevinAtExitOnly:
    def test_its_messages_have_the_ids_that_they_have_in_the_database(self):
        database = read_events(Transcript(FOREST, DEVIN, Storage.SQLITE, TABLES))
        found = read_events(Transcript(EXITED, AT_EXIT, Storage.SNAPSHOT))
        kinds = (SessionStarted, UserMessage, AssistantMessage, ToolCall, ToolResult)
        assert {e.id for e in of(found, *kinds)} <= {e.id for e in of(database, *kinds)}

    def test_that_it_is_there_means_that_the_session_was_left(self):
        found = left({"source": "user", "message": "x", "timestamp": "2026-11-30T02:36:42Z"})
        (end,) = of(found, SessionEnded)
        assert end.time == of(found, UserMessage)[0].time
        assert end.session == "brave-otter-1234"

    def test_the_session_it_names_counts_whatever_the_file_is_called(self):
        found = left({"source": "user", "message": "x"}, session_id="other-name")
        assert {event.session for event in found} == {"other-name"}

    def test_the_clients_own_words_are_nobodys(self):
        found = left(
            {"source": "user", "message": "continue", "extra": {"is_user_input": None}},
            {"source": "user", "message": "go on", "extra": {"is_user_input": True}},
            {"source": "user", "message": "copied", "is_copied_context": True},
            {"source": "system", "message": "You are Devin."},
            {"source": "oracle", "message": "?"},
        )
        assert words(found) == ["go on"]
        assert [event.record_kind for event in of(found, Unknown)] == ["oracle"]

    def test_an_empty_document_ends_nothing(self):
        assert not of(left(), SessionEnded)
