"""Cursor's three stores: transcripts written anew, the editor's databases, the command line's."""

import itertools
import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import PurePosixPath, PureWindowsPath

import msgspec
import pytest

from ctxd.tail.follow import SettlingError, follow
from ctxd_parsers.cursor import own_words, shown, slug, workspace_in
from ctxd_parsers.cursor_cli import CursorCli, fields
from ctxd_parsers.cursor_ide import CursorIde
from ctxd_parsers.cursor_transcript import CursorTranscript
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    Interrupted,
    Reasoning,
    SessionStarted,
    ToolCall,
    TurnEnded,
    Unknown,
    Unparsed,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.parser import Storage
from ctxd_parsers.reading import Transcript, distinct, read_events, read_records
from ctxd_parsers.registry import claimant
from golden import CASES
from parsers.contract import ParserContract
from parsers.kiro_logs import hostile, lines, of, parse_document, words

ID = "0c0ffee0-1111-4222-8333-444455556666"
CURSOR = CASES / "cursor"
STEPS = sorted((CURSOR / "steps").glob("*.jsonl"))
HOME = CURSOR / "sdk-1.0.18" / "compacted" / "log" / ".cursor"
TEXT = CURSOR / "sdk-1.0.18" / "plain_text" / "log" / ".cursor"
USER = CURSOR / "3.20" / "constructed" / "log" / ".config" / "Cursor" / "User"
LINUX = Environment("linux", PurePosixPath("/home/dev"))
PLACE = PurePosixPath(f"/h/.cursor/projects/home-dev-work/agent-transcripts/{ID}/{ID}.jsonl")
SAID = [
    (
        "We need a ledger store. Use SQLite, not Postgres, because the tool must run offline. "
        "Never store raw card numbers."
    ),
    "Multi-currency is out of scope for now. Money is integer cents, never floats.",
    "Continue with the schema. Retention is 7 years.",
]


class TestCursorTranscript(ParserContract):
    parser = CursorTranscript()


class TestCursorIde(ParserContract):
    parser = CursorIde()


class TestCursorCli(ParserContract):
    parser = CursorCli()


def prompt(text):
    message = {"content": [{"type": "text", "text": f"<user_query>\n{text}\n</user_query>"}]}
    return {"role": "user", "message": message}


def reply(text, *calls):
    blocks = [{"type": "text", "text": text}]
    blocks += [{"type": "tool_use", "name": name, "input": given} for name, given in calls]
    return {"role": "assistant", "message": {"content": blocks}}


def document(*rows, place=PLACE):
    return parse_document(CursorTranscript(), place, lines(*rows))


def database(path, parser):
    sources = parser.sources(LINUX)
    window = isinstance(parser, CursorIde) and "workspaceStorage" in path.parts
    tables = sources[1 if window else 0].tables
    return list(read_events(Transcript(path, parser, Storage.SQLITE, tables)))


def transcript_events():
    (path,) = HOME.rglob("*.jsonl")
    return list(read_events(Transcript(path, CursorTranscript(), Storage.SNAPSHOT)))


class Followed:
    """A transcript as the daemon follows it."""

    def __init__(self, path):
        self.path, self.checkpoint = path, None
        path.parent.mkdir(parents=True)

    def write(self, data, age=60.0):
        self.path.write_bytes(data)
        os.utime(self.path, (time.time() - age,) * 2)

    def step(self):
        transcript = Transcript(self.path, CursorTranscript(), Storage.SNAPSHOT)
        step = follow(transcript, self.checkpoint, 1_000_000)
        self.checkpoint = step.checkpoint
        return step.events


@pytest.fixture
def followed(tmp_path):
    return Followed(tmp_path / "agent-transcripts" / ID / f"{ID}.jsonl")


class TestRewriting:
    def test_each_message_has_one_id_in_all_versions_of_a_transcript(self):
        versions = [
            [
                e.id
                for e in of(
                    parse_document(CursorTranscript(), PLACE, p.read_bytes()),
                    UserMessage,
                    AssistantMessage,
                )
            ]
            for p in STEPS
        ]
        for earlier, later in itertools.pairwise(versions):
            assert later[: len(earlier)] == earlier
        assert len(versions[-1]) == 7

    def test_growing_takes_nothing_back_and_tells_each_prompt_once(self, followed):
        events = []
        for age, step in enumerate(STEPS):
            followed.write(step.read_bytes(), age=90 - age)
            events += followed.step()
        assert of(events, Withdrawn, Unparsed, Unknown) == []
        assert words(distinct(events)) == SAID

    @pytest.mark.parametrize("cut", [40, 300, 700, 1100])
    def test_a_torn_version_is_waited_for_and_never_told(self, followed, cut):
        whole = STEPS[-1].read_bytes()
        followed.write(whole[:cut], age=1)
        with pytest.raises(SettlingError):
            followed.step()
        followed.write(whole)
        assert words(followed.step()) == SAID

    def test_a_version_of_nothing_is_waited_for(self, followed):
        followed.write(b"", age=1)
        with pytest.raises(SettlingError):
            followed.step()

    def test_what_stays_torn_is_damage_and_the_rest_is_told(self, followed):
        followed.write(STEPS[-1].read_bytes()[:800])
        events = followed.step()
        assert words(events) == SAID[:2]
        assert len(of(events, Unparsed)) == 1

    def test_going_on_from_an_earlier_prompt_takes_the_later_ones_back(self, followed):
        followed.write(lines(prompt("one"), reply("1"), prompt("use mongo"), reply("2")))
        before = followed.step()
        followed.write(lines(prompt("one"), reply("1"), prompt("use sqlite")), age=30)
        events = followed.step()
        assert (of(before, Withdrawn), len(of(events, Withdrawn))) == ([], 1)
        assert events[-1].since is None, "what does not stand in the file any more"
        followed.write(lines(prompt("one"), reply("1"), prompt("use sqlite"), reply("3")), age=20)
        assert of(followed.step(), Withdrawn) == []

    def test_what_was_emptied_and_written_shorter_is_taken_back_too(self, followed):
        followed.write(lines(prompt("one"), prompt("two")))
        followed.step()
        followed.write(b"", age=40)
        followed.step()
        followed.write(lines(prompt("one")), age=20)
        assert len(of(followed.step(), Withdrawn)) == 1

    def test_what_damage_hides_was_not_taken_back(self, followed):
        whole = lines(prompt("one"), reply("1"), prompt("two"), reply("2"))
        followed.write(whole)
        followed.step()
        followed.write(whole[: len(whole) // 2 - 20], age=40)
        events = followed.step()
        assert (len(of(events, Unparsed)), of(events, Withdrawn)) == (1, [])
        followed.write(lines(prompt("one"), reply("1")), age=20)
        assert len(of(followed.step(), Withdrawn)) == 1

    def test_the_same_words_said_again_are_another_message(self):
        events = document(prompt("go on"), reply("Done."), prompt("go on"), reply("Done."))
        assert len({e.id for e in of(events, UserMessage, AssistantMessage)}) == 4


class TestTranscripts:
    def test_words_calls_and_ends(self):
        events = transcript_events()
        assert words(events) == SAID
        assert [(call.name, call.command) for call in of(events, ToolCall)] == [("Shell", "ls")]
        assert [type(event) for event in events[-2:]] == [Interrupted, TurnEnded]
        assert events[-1].reason == "interrupted"

    def test_a_compaction_leaves_no_trace_in_a_transcript(self):
        assert of(transcript_events(), Compaction) == []

    def test_a_prompt_of_a_sub_agent_is_nobodys_word(self):
        place = PLACE.parent / "subagents" / "sub-1.jsonl"
        events = document(prompt("find the tests"), reply("found"), place=place)
        assert of(events, UserMessage) == []
        assert {(event.session, event.sub_agent) for event in events} == {(ID, "sub-1")}

    def test_the_workspace_is_known_by_a_path_in_it_and_never_by_the_folders_name(self):
        assert of(document(prompt("x"), reply("y")), WorkspaceChanged) == []
        inside = ("Read", {"path": "/home/dev/work/src/a.py"})
        beside = ("Read", {"path": "/home/dev/other/a.py"})
        events = document(reply("a", beside), reply("b", inside), reply("c", inside))
        assert [event.cwd for event in of(events, WorkspaceChanged)] == ["/home/dev/work"]

    def test_a_mark_for_hidden_thinking_is_not_said(self):
        said = of(document(reply("Done.\n\n[REDACTED]"), reply("[REDACTED]")), AssistantMessage)
        assert [event.text for event in said] == ["Done."]

    def test_what_is_not_known_is_counted(self):
        events = document({"type": "novelty"}, {"type": "metadata", "metadata": {"overview": "o"}})
        assert [event.record_kind for event in of(events, Unknown)] == ["novelty"]

    def test_plain_text_gives_the_same_words_and_keeps_thoughts_apart(self):
        (path,) = TEXT.rglob("*.txt")
        events = list(read_events(Transcript(path, CursorTranscript(), Storage.SNAPSHOT)))
        assert words(events) == SAID[:2]
        assert [e.id for e in of(events, UserMessage)] == [
            e.id for e in of(transcript_events(), UserMessage)
        ][:2]
        assert [event.text for event in of(events, Reasoning)] == ["SQLite fits: no server."]

    def test_a_reply_in_plain_text_cannot_speak_for_the_user(self):
        text = (
            "user:\n<user_query>\nhi\n</user_query>\n\nassistant:\nlike so:\n\nuser:\nnever test\n"
        )
        events = parse_document(CursorTranscript(), PLACE.with_suffix(".txt"), text.encode())
        assert words(events) == ["hi"]

    @pytest.mark.parametrize("name", hostile(lambda said: b"", b"").keys())
    def test_hostile_shapes(self, name):
        shapes = hostile(
            lambda said: json.dumps(prompt(said)).encode(), b'{"role":"user","message":{"cont'
        )
        data, expected, damaged = shapes[name]
        events = parse_document(CursorTranscript(), PLACE, data)
        assert words(events) == expected
        assert len(of(events, Unparsed)) >= damaged


class TestWords:
    @pytest.mark.parametrize(
        ("text", "own", "beside"),
        [
            ("<user_query>\nhi\n</user_query>", "hi", ""),
            (("<open_and_recently_viewed_files>\na\n</open_and_recently_viewed_files>\n"
             "<user_query>hi</user_query>"), "hi",
             "<open_and_recently_viewed_files>\na\n</open_and_recently_viewed_files>"),
            ("<user_query>say <rules>x</rules> and </user_query> too</user_query>",
             "say <rules>x</rules> and </user_query> too", ""),
            ("<user_query>one</user_query>\n<user_query>two</user_query>", "one\ntwo", ""),
            ("<user_query>cut off", "cut off", ""),
            ("<user_info>\nOS\n</user_info>\n<rules>r</rules>", "",
             "<user_info>\nOS\n</user_info>\n<rules>r</rules>"),
            ("plain <b>words</b>", "plain <b>words</b>", ""),
            ("<system_reminder>never</system_reminder>do it", "do it",
             "<system_reminder>never</system_reminder>"),
            ("<rules> was never closed", "<rules> was never closed", ""),
        ],
    )  # fmt: skip
    def test_only_the_users_own_words_are_theirs(self, text, own, beside):
        assert own_words(text) == (own, beside)

    @pytest.mark.parametrize("piece", ["<user_query>", "<rules>", "</user_query>", "<mcp_a>", "<"])
    def test_a_hundred_kilobytes_of_tags_are_read_in_linear_time(self, piece):
        own_words(piece * (100_000 // len(piece)))
        own_words(("<user_info>" + piece) * (100_000 // len(piece)))
        shown("[REDACTED]\n" * 10_000)

    def test_slugs(self):
        assert slug("/home/dev/work/myproj") == "home-dev-work-myproj"
        assert workspace_in("c:\\Programm\\x\\y.py", "c-Programm") == "c:\\Programm"
        assert workspace_in("/home/dev/a-b/c", "home-dev-a-b") == "/home/dev/a-b"
        assert workspace_in("src/a.py", "src") is None


class TestEditor:
    PATH = USER / "globalStorage" / "state.vscdb"

    @pytest.fixture
    def copy(self, tmp_path):
        target = tmp_path / "Cursor" / "User" / "globalStorage" / "state.vscdb"
        target.parent.mkdir(parents=True)
        shutil.copyfile(self.PATH, target)
        return target

    def put(self, path, key, value, table="cursorDiskKV"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, json.dumps(value)))
            connection.commit()

    def chat(self, path, **changes):
        with closing(sqlite3.connect(path)) as connection:
            query = "SELECT value FROM cursorDiskKV WHERE key = ?"
            (value,) = connection.execute(query, (f"composerData:{ID}",)).fetchone()
        self.put(path, f"composerData:{ID}", {**json.loads(value), **changes})

    def steps(self, path):
        checkpoint, parser = None, CursorIde()
        transcript = Transcript(path, parser, Storage.SQLITE, parser.sources(LINUX)[0].tables)
        while True:
            step = follow(transcript, checkpoint, 1_000_000)
            checkpoint = step.checkpoint
            yield step.events

    def test_a_message_has_the_id_that_the_transcript_gives_it(self):
        ids = {e.id for e in of(database(self.PATH, CursorIde()), UserMessage, AssistantMessage)}
        assert ids < {e.id for e in of(transcript_events(), UserMessage, AssistantMessage)}
        assert len(ids) == 6, "the transcript has one more, which stands beside a tool"

    def test_thoughts_are_kept_apart(self):
        events = database(self.PATH, CursorIde())
        assert [event.text for event in of(events, Reasoning)] == ["SQLite fits: no server."]
        assert not any("fits" in event.text for event in of(events, AssistantMessage))

    def test_a_compaction_stands_behind_the_last_message_before_it(self):
        events = database(self.PATH, CursorIde())
        (compaction,) = of(events, Compaction)
        assert compaction.summary.startswith("A ledger store is being built; SQLite")
        before = events[: events.index(compaction)]
        assert words(before) == SAID[:2]
        assert compaction.kept == tuple(e.id for e in before[-2:])

    def test_a_new_summary_of_a_known_conversation_is_a_compaction(self, copy):
        steps = self.steps(copy)
        next(steps)
        bubble = "b0000000-0000-4000-8000-00000000000"
        summary = {
            "summary": "All is done.",
            "truncationLastBubbleIdInclusive": f"{bubble}5",
            "clientShouldStartSendingFromInclusiveBubbleId": "",
        }
        latest = {"summary": summary, "lastBubbleId": f"{bubble}7"}
        self.chat(copy, latestConversationSummary=latest)
        events = next(steps)
        (compaction,) = of(events, Compaction)
        assert (compaction.summary, len(compaction.kept)) == ("All is done.", 2)
        assert words(events) == [], "messages are not read again"

    def test_credentials_are_never_selected(self, copy):
        secret = "eyJ-token"
        self.put(copy, "cursorAuth/accessToken", secret, "ItemTable")
        self.put(copy, "cursorAuth/accessToken", secret)
        self.put(copy, "agentKv:blob:x", secret)
        for transcript in (CursorIde().sources(LINUX)[0], CursorIde().sources(LINUX)[1]):
            found = Transcript(copy, CursorIde(), Storage.SQLITE, transcript.tables)
            assert not any(secret.encode() in record.data for record in read_records(found))

    def test_a_reply_is_told_once_it_is_whole(self, copy):
        steps = self.steps(copy)
        next(steps)
        self.chat(copy, status="generating")
        self.put(copy, f"bubbleId:{ID}:b8", {"type": 2, "text": "Here is the pl"})
        assert of(next(steps), AssistantMessage) == []
        self.put(copy, f"bubbleId:{ID}:b8", {"type": 2, "text": "Here is the plan."})
        self.chat(copy, status="completed")
        assert [e.text for e in of(next(steps), AssistantMessage)] == ["Here is the plan."]

    def test_messages_that_a_conversation_names_no_more_are_taken_back(self, copy):
        steps = self.steps(copy)
        told = next(steps)
        headers = [
            {"bubbleId": f"b0000000-0000-4000-8000-00000000000{n}", "type": 1} for n in range(1, 6)
        ]
        self.put(copy, f"bubbleId:{ID}:b9", {"type": 1, "text": "Another way."})
        self.chat(copy, fullConversationHeadersOnly=[*headers, {"bubbleId": "b9", "type": 1}])
        events = next(steps)
        (withdrawn,) = of(events, Withdrawn)
        assert withdrawn.since == of(told, UserMessage)[2].id
        assert withdrawn.until == of(events, UserMessage)[0].id

    @pytest.mark.parametrize(
        ("name", "more"),
        [("task-1", {}), ("sub", {"subagentInfo": {"parentComposerId": ID}})],
    )
    def test_a_prompt_of_a_sub_agent_is_nobodys_word(self, copy, name, more):
        steps = self.steps(copy)
        next(steps)
        self.put(copy, f"bubbleId:{name}:1", {"type": 1, "text": "look for it"})
        headers = [{"bubbleId": "1", "type": 1}]
        self.put(copy, f"composerData:{name}", {"fullConversationHeadersOnly": headers, **more})
        events = [event for event in next(steps) if event.sub_agent]
        assert {event.sub_agent for event in events} == {name}
        assert of(events, UserMessage) == []

    def test_old_conversations_hold_their_messages_themselves(self, copy):
        self.put(
            copy,
            "composerData:old",
            {"conversation": [{"bubbleId": "1", "type": 1, "text": "old words"}]},
        )
        events = [event for event in database(copy, CursorIde()) if event.session == "old"]
        assert [type(event) for event in events][:1] == [SessionStarted]
        assert words(events) == ["old words"]

    def test_an_empty_draft_is_no_session(self, copy):
        self.put(copy, "composerData:draft", {"name": "New chat"})
        assert "draft" not in {event.session for event in database(copy, CursorIde())}

    def test_a_window_names_the_folder_of_its_conversations(self):
        path = USER / "workspaceStorage" / "ws0123456789abcdef" / "state.vscdb"
        (event,) = database(path, CursorIde())
        assert (event.session, event.cwd) == (ID, "/home/dev/work/myproj")

    def test_the_state_stays_small_however_much_was_said(self, copy):
        with closing(sqlite3.connect(copy)) as connection:
            rows = [
                (f"bubbleId:c{n % 40}:{n}", json.dumps({"type": 1 + n % 2, "text": f"{n} " * 900}))
                for n in range(8000)
            ]
            connection.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
            connection.commit()
        parser = CursorIde()
        state = parser.begin(copy, {})
        found = Transcript(copy, parser, Storage.SQLITE, parser.sources(LINUX)[0].tables)
        for _ in parser.parse(read_records(found), state):
            pass
        assert len(msgspec.msgpack.encode(state)) < 200_000


class TestCommandLine:
    (PATH,) = HOME.rglob("store.db")

    def test_a_compaction_keeps_what_is_still_sent(self):
        (compaction,) = of(database(self.PATH, CursorCli()), Compaction)
        assert compaction.summary.startswith("Summary of the conversation so far: a ledger store")
        talk = of(transcript_events(), UserMessage, AssistantMessage)
        assert compaction.kept == tuple(event.id for event in talk[3:])

    def test_title_folder_and_beginning_come_from_the_file_beside_it(self):
        started, titled, moved, _ = database(self.PATH, CursorCli())
        assert (started.client, str(started.time)) == ("cli", "2026-11-30 02:37:13+00:00")
        assert (titled.title, moved.cwd) == ("Ledger store", "/home/dev/work/myproj")

    def test_words_are_left_to_the_transcript_since_sub_agents_speak_here_too(self):
        assert of(database(self.PATH, CursorCli()), UserMessage, AssistantMessage) == []

    def test_the_table_with_the_key_is_never_read(self):
        assert {table.name for s in CursorCli().sources(LINUX) for table in s.tables} == {"blobs"}

    @pytest.mark.parametrize(
        "data",
        [b"", b"\x00", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\x0f", b"\x0a\x05ab"],
    )
    def test_what_is_no_protobuf_has_no_fields(self, data):
        assert fields(data) == []


class TestPlaces:
    def test_roots(self):
        env = Environment("linux", PurePosixPath("/home/dev"), {"CURSOR_CONFIG_DIR": "/c"})
        home = PurePosixPath("/home/dev")
        assert [source.root for source in CursorTranscript().sources(env)] == [
            home / ".cursor" / "projects",
            PurePosixPath("/c/projects"),
        ]
        assert CursorCli().sources(env)[0].root == home / ".cursor/chats"
        mac = Environment("macos", PurePosixPath("/Users/dev"))
        support = PurePosixPath("/Users/dev/Library/Application Support/Cursor/User")
        assert CursorIde().sources(mac)[0].root == support
        windows = Environment("windows", PureWindowsPath("C:/Users/dev"), {"APPDATA": "D:/R"})
        assert CursorIde().sources(windows)[0].root == PureWindowsPath("D:/R/Cursor/User")

    @pytest.mark.parametrize(
        ("path", "head", "name"),
        [
            (str(PLACE), b"", "cursor-transcript"),
            (str(PLACE.parent / "subagents" / "s.jsonl"), b"", "cursor-transcript"),
            ("/h/.cursor/projects/p/agent-transcripts/x.txt", b"", "cursor-transcript"),
            ("/backup/x.jsonl", b'{"role":"user","message":{"content":[', "cursor-transcript"),
            ("/h/.config/Cursor/User/globalStorage/state.vscdb", b"", "cursor-ide"),
            ("/h/.config/Cursor/User/workspaceStorage/a/state.vscdb", b"", "cursor-ide"),
            ("/h/.config/Code/User/globalStorage/state.vscdb", b"", None),
            ("/h/.config/Cursor/User/globalStorage/state.vscdb.backup", b"", None),
            ("/h/.cursor/chats/a/b/store.db", b"", "cursor-cli"),
            ("/h/.cursor/chats/a/b/store.db-wal", b"", None),
            ("/h/notes/x.txt", b"user:", None),
        ],
    )
    def test_claims(self, path, head, name):
        found = claimant(PurePosixPath(path), head)
        assert (found.name if found else None) == name
