"""Claude Code's transcripts: which files they are, how sessions begin, go on and end, damage."""

from pathlib import Path, PurePosixPath, PureWindowsPath

import msgspec
import pytest

from ctxd_parsers.discovery import find_transcripts, folders_to_watch
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    ContextInjected,
    SessionEnded,
    SessionStarted,
    SessionTitled,
    ToolResult,
    TurnEnded,
    Unknown,
    Unparsed,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.parser import ProcessSign, Record
from ctxd_parsers.reading import read_events
from golden import cases, transcripts
from parsers.claude_code_logs import (
    PARSER,
    PATH,
    SESSION,
    assistant,
    attachment,
    boundary,
    encoded,
    of,
    only,
    read,
    recorded,
    row,
    summary,
    user,
    words,
)
from parsers.contract import ParserContract

EVERY_CASE = [case for case in cases() if case.parent.parent.name == "claude-code"]


class TestClaudeCode(ParserContract):
    parser = PARSER


# Which files.


def roots(environment: Environment) -> list[str]:
    return [str(source.root) for source in PARSER.sources(environment)]


def test_transcripts_lie_in_the_named_both_default_and_further_accounts_folders():
    home = PurePosixPath("/home/dev")
    variables = {"CLAUDE_CONFIG_DIR": "/srv/claude", "XDG_CONFIG_HOME": "/home/dev/.xdg"}
    extra = {"claude-code": (PurePosixPath("/mnt/old"), PurePosixPath("/mnt/copy/projects"))}
    sources = PARSER.sources(Environment("linux", home, variables, extra))
    assert [str(source.root) for source in sources] == [
        "/srv/claude/projects",
        "/home/dev/.claude/projects",
        "/home/dev/.xdg/claude/projects",
        "/mnt/old/projects",
        "/mnt/copy/projects",
        "/home/dev",
    ]
    assert {source.patterns for source in sources[:-1]} == {("*/*.jsonl", "*/*/subagents/*.jsonl")}
    assert sources[-1].patterns[0] == ".claude?*/projects/*/*.jsonl"
    assert Path("/home/dev") not in folders_to_watch(sources)


def test_transcripts_of_all_accounts_are_found_on_disk_and_other_logs_are_not(tmp_path):
    wanted = [
        f".claude/projects/-p/{SESSION}.jsonl",
        f".claude/projects/-p/{SESSION}/subagents/agent-a1.jsonl",
        ".claude/projects/-p/agent-a2.jsonl",
        ".claude-work/projects/-p/b.jsonl",
        ".claude2/projects/-p/b/subagents/agent-a3.jsonl",
        ".config/claude/projects/-p/b.jsonl",
    ]
    history = {"display": "hello", "project": "/p", "sessionId": "s"}
    for name in [*wanted, ".claude/history.jsonl", ".claude/projects/-p/history.jsonl"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(history if path.stem == "history" else user("u", "hello", None)))
    found = find_transcripts(Environment("linux", tmp_path), [PARSER])
    assert sorted(t.path.relative_to(tmp_path).as_posix() for t in found) == sorted(wanted)


def test_the_default_folders_are_the_same_on_every_system():
    assert roots(Environment("macos", PurePosixPath("/Users/dev")))[:2] == [
        "/Users/dev/.claude/projects",
        "/Users/dev/.config/claude/projects",
    ]
    windows = roots(Environment("windows", PureWindowsPath("C:/Users/dev")))
    assert windows[0] == "C:\\Users\\dev\\.claude\\projects"


def test_every_recorded_transcript_is_claimed_wherever_it_is_copied_to():
    found = [t for case in EVERY_CASE for t in transcripts(case)]
    assert len(found) == 107
    for transcript in found:
        head = transcript.path.read_bytes()[:4096]
        assert PARSER.claims(PurePosixPath("/mnt/backup/some name.jsonl"), head)


@pytest.mark.parametrize(
    ("path", "head", "expected"),
    [
        (PATH, b"", True),
        (PATH, b"\0" * 4096, True),
        (PATH, encoded({"type": "user", "big": "x" * 5000})[:4096], True),
        (PATH.with_name("agent-a4ba102a945eb5b21.jsonl"), b"", True),
        (PATH.with_suffix("") / "subagents" / "agent-a4ba.jsonl", b"", True),
        (PATH.with_name("notes.jsonl"), b"", False),
        (PATH.with_suffix(".json"), encoded(user("u", "x")), False),
        (PATH, encoded({"type": "session.start", "data": {"sessionId": "s"}}), False),
        (PurePosixPath("/x/a.jsonl"), encoded(user("u", "x" * 9000))[:4096], True),
        (PurePosixPath("/x/a.jsonl"), b"\xef\xbb\xbf" + encoded(user("u", "x")), True),
        (PurePosixPath("/x/a.jsonl"), b"\0" * 40 + encoded(user("u", "x")), True),
        (PurePosixPath("/x/a.jsonl"), b'{"type":"pr-l{"a\n' + encoded(user("u", "x")), True),
        (PurePosixPath("/x/a.jsonl"), encoded({"type": "mode", "sessionId": "s"}), True),
        (PurePosixPath("/x/a.jsonl"), encoded({"type": "user", "payload": {}}), False),
        (PurePosixPath("/x/a.jsonl"), encoded({"type": "user", "sessionId": "s"}), False),
        (PurePosixPath("/x/a.jsonl"), encoded({"sessionId": "s", "kind": "main"}), False),
        (PurePosixPath("/x/a.jsonl"), b'["type", "user"]\n42\n', False),
        (
            PATH.parent.parent.parent / "history.jsonl",
            encoded({"display": "/exit", "project": "/home/dev", "sessionId": "s"}),
            False,
        ),
    ],
)
def test_a_file_is_claimed_by_its_first_rows_or_its_place(path, head, expected):
    assert PARSER.claims(path, head) is expected


def test_a_living_process_is_known_by_the_file_beside_the_projects():
    (case,) = [case for case in EVERY_CASE if case.name == "exit_kill9"]
    (transcript,) = transcripts(case)
    (pattern,) = PARSER.sign_patterns(transcript.path)
    assert pattern == case / "log" / "sessions" / "*.json"
    data = (case / "log" / "sessions" / "2468.json").read_bytes()
    assert PARSER.read_sign(pattern, data) == ProcessSign(
        pid=2468,
        session="1582cd70-aed0-41f7-8b1c-93025e636790",
        started=394543.0,
        status="idle",
        space="pid:[4026531836]",
    )
    for cut in (b"", data[:100], b"null", b'{"pid": "x"}', b'{"pid": 7}'):
        assert PARSER.read_sign(pattern, cut) is None
    assert PARSER.sign_patterns(PurePosixPath("/mnt/backup/a.jsonl")) == []


# Sessions begin, move, end.


def test_a_session_starts_once_with_where_and_what(tmp_path):
    rows = [user(f"u{n}", "hello", f"u{n - 1}", entrypoint="cli") for n in range(1, 5)]
    (start,) = of(read(tmp_path, *rows), SessionStarted)
    assert (start.how, start.session, start.parent) == ("startup", SESSION, None)
    assert (start.cwd, start.branch) == ("/home/dev/demo", "main")
    assert (start.client, start.client_version) == ("cli", "2.1.206")


def test_rows_without_a_session_id_are_of_the_files_session(tmp_path):
    bare = {"type": "user", "message": {"role": "user", "content": "hello"}}
    events = read(tmp_path, bare, name="a name.jsonl")
    assert {event.session for event in events} == {"a name"}
    assert [type(event) for event in events] == [SessionStarted, UserMessage]
    assert events == read(tmp_path, bare, name="a name.jsonl")


@pytest.mark.parametrize(
    "version", ["1.0.128", "2.0.37", "2.0.77", "2.1.63", "2.1.109", "2.1.197", "2.1.265", "2.1.332"]
)
def test_clear_begins_a_new_session_in_its_own_file(version):
    starts = of([e for s in recorded(version, "lifecycle").values() for e in s], SessionStarted)
    assert sorted(s.how for s in starts if not s.sub_agent) == ["clear", "startup"]


def test_in_1_0_35_clear_begins_a_new_session_in_the_same_file():
    events = only("1.0.35", "lifecycle")
    (cleared,) = of(events, Cleared)
    first, second = [s for s in of(events, SessionStarted) if not s.sub_agent]
    assert (first.how, second.how) == ("startup", "clear")
    assert second.parent == first.session == cleared.session
    assert events[events.index(cleared) + 1] == second
    assert {e.session for e in events[events.index(second) :]} == {second.session}


def test_clear_within_a_session_empties_the_window(tmp_path):
    cleared = user("c", "<command-name>/clear</command-name>", None)
    rows = [user("u1", "use sqlite", None), cleared, user("u2", "start", "c")]
    events = read(tmp_path, *rows)
    assert [(e.id, e.session) for e in of(events, Cleared)] == [("c", SESSION)]
    assert of(events, Withdrawn) == []


def test_1_0_35_resumes_into_a_new_file_that_begins_with_copies():
    sessions = recorded("1.0.35", "resume")
    old, new = (
        sessions["51a202c7-f8d4-41fc-81db-fcbbfc6daebc"],
        sessions["c0bbcb21-2140-4003-b398-da50832f3202"],
    )
    known = {event.id for event in old}
    assert [e.text for e in of(new, UserMessage) if e.id not in known] == ["Continued: LRU."]
    (resumed,) = [s for s in of(new, SessionStarted) if s.how == "resume"]
    assert resumed.session.startswith("c0bbcb21")
    assert resumed.parent.startswith("51a202c7")


def test_later_clients_resume_in_the_same_file():
    events = only("2.1.332", "resume_fork", "f302f748")
    assert [s.how for s in of(events, SessionStarted)] == ["startup", "resume", "resume"]
    assert len(of(events, SessionEnded)) == 3
    assert len({event.session for event in events}) == 1


def test_a_fork_names_its_parent_and_repeats_no_word_under_a_new_id():
    sessions = recorded("2.1.332", "resume_fork")
    old, new = (
        sessions["f302f748-0a79-4732-8698-348fcaad8a63"],
        sessions["0fff7ee8-107e-42e7-ab90-9525853e977d"],
    )
    (fork,) = [s for s in of(new, SessionStarted) if s.how == "fork"]
    assert fork.parent == "f302f748-0a79-4732-8698-348fcaad8a63"
    known = {event.id for event in old}
    fresh = [event for event in new if event.id not in known]
    assert words(fresh) == ["Forked: try LFU after all."]
    by_id = {event.id: type(event) for event in old}
    assert all(by_id.get(event.id, type(event)) is type(event) for event in new)


def test_each_copied_row_of_a_branch_names_the_session_it_was_copied_from(tmp_path):
    def copied(row: dict) -> dict:
        return {**row, "forkedFrom": {"sessionId": "old", "messageUuid": row["uuid"]}}

    rows = [copied(user("a", "use sqlite", None)), copied(assistant("b", "ok", "a"))]
    events = read(tmp_path, *rows, user("c", "and no tabs", "b"))
    starts = of(events, SessionStarted)
    assert [(s.how, s.parent) for s in starts] == [("startup", None), ("fork", "old")]
    assert [message.id for message in of(events, UserMessage)] == ["a", "c"]


def test_a_row_written_twice_is_told_once(tmp_path):
    rows = [user("a", "use sqlite", None), assistant("b", "ok", "a")]
    assert read(tmp_path, *rows, *rows)[:3] == read(tmp_path, *rows)[:3]
    assert words(read(tmp_path, *rows, *rows)) == ["use sqlite"]


def test_a_resume_after_a_crash_is_told_by_what_the_client_makes_up():
    events = only("2.1.332", "kill9_midturn")
    assert [s.how for s in of(events, SessionStarted)] == ["startup", "resume"]
    assert [r.status for r in of(events, ToolResult)] == ["interrupted"]
    made_up = [m for m in of(events, AssistantMessage) if m.failed]
    assert [m.text for m in made_up] == ["No response requested."]
    assert [t.reason for t in of(events, TurnEnded)] == ["completed", "interrupted", "completed"]


def test_a_start_hook_tells_of_a_resume_that_no_row_tells_of(tmp_path):
    hook = {"type": "hook_success", "hookName": "SessionStart:resume", "hookEvent": "SessionStart"}
    rows = [attachment(f"h{n}", content="ctx", **hook) for n in (1, 2)]
    events = read(tmp_path, user("u1", "one", None), *rows, user("u2", "two"))
    assert [(s.how, s.id) for s in of(events, SessionStarted)][1:] == [("resume", "h1#resume")]
    assert [i.text for i in of(events, ContextInjected)] == ["ctx", "ctx"]


def test_a_start_hook_in_front_of_all_words_tells_how_the_session_began(tmp_path):
    hook = {"type": "hook_success", "hookName": "SessionStart:clear", "hookEvent": "SessionStart"}
    rows = [attachment("h", None, content="", **hook), user("u1", "one", "h")]
    assert [s.how for s in of(read(tmp_path, *rows), SessionStarted)] == ["clear"]


def test_a_transcript_that_begins_with_a_boundary_goes_on_from_a_summary(tmp_path):
    events = read(tmp_path, boundary("b", trigger="auto"), summary("s", "so far"), user("u", "go"))
    assert [s.how for s in of(events, SessionStarted)] == ["compaction"]


@pytest.mark.parametrize(
    "scenario",
    [
        "exit_slash",
        "exit_ctrl-c",
        "exit_ctrl-d",
        "exit_sigterm",
        "exit_sighup",
        "exit_sigint",
        "exit_close",
    ],
)
def test_every_orderly_exit_ends_the_session_once(scenario):
    events = only("2.1.332", scenario)
    assert len(of(events, SessionEnded)) == 1
    assert isinstance(events[-1], SessionEnded)


def test_a_killed_client_leaves_no_end():
    assert of(only("2.1.332", "exit_kill9"), SessionEnded) == []


def test_old_clients_end_with_an_exit_row_that_is_no_word():
    events = only("2.0.77", "lifecycle", "09daf685")
    assert [e.reason for e in of(events, SessionEnded)] == ["exit"]
    assert words(events) == ["Start on the CSV export."]


def test_a_session_that_goes_on_after_its_exit_row_is_resumed(tmp_path):
    rows = [
        user("u1", "one", None),
        user("e", "<command-name>/exit</command-name>", "u1"),
        user("o", "<local-command-stdout>Bye!</local-command-stdout>", "e"),
    ]
    assert len(of(read(tmp_path, *rows), SessionStarted)) == 1
    events = read(tmp_path, *rows, user("u2", "two", "o"))
    assert [s.id for s in of(events, SessionStarted)][1:] == ["u2#resume"]


def test_each_run_of_a_print_session_starts_and_ends():
    events = only("2.1.332", "print_compact")
    assert [s.how for s in of(events, SessionStarted)] == ["startup", *["resume"] * 4]
    ends = of(events, SessionEnded)
    assert len({end.id for end in ends}) == 5


def test_a_shells_cd_and_the_cd_command_change_the_workspace():
    changes = of(only("2.1.332", "cd_move"), WorkspaceChanged)
    assert [c.cwd for c in changes] == ["/tmp/demo/cd_move/sub/pkg", "/tmp/demo/cd_move/sub"]


def test_another_branch_changes_the_workspace_and_a_sub_agents_folder_does_not(tmp_path):
    side = user("s", "look", None, isSidechain=True, agentId="a", cwd="/tmp/worktree")
    rows = [user("u1", "one", None), side, user("u2", "two", gitBranch="fix")]
    changes = of(read(tmp_path, *rows), WorkspaceChanged)
    assert [(c.cwd, c.branch) for c in changes] == [("/home/dev/demo", "fix")]


def test_titles_come_from_the_agent_and_the_user_and_only_when_they_change(tmp_path):
    titles = [{"type": "ai-title", "aiTitle": "Stub", "sessionId": SESSION}] * 2
    titles.append({"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION})
    events = read(tmp_path, user("u1", "one", None), *titles)
    assert [(t.title, t.by) for t in of(events, SessionTitled)] == [
        ("Stub", "agent"),
        ("Mine", "user"),
    ]
    for version in ("1.0.128", "2.0.37"):
        for session in recorded(version, "summary_lines").values():
            assert of(session, SessionTitled) == []


# What is unknown or damaged.


def test_unknown_rows_are_told_by_kind_and_version_of_the_client(tmp_path):
    rows = [
        user("u", "hello", None, version="2.1.300"),
        row("hologram", "h", "u", version="3.0.0"),
        {"type": "telepathy", "sessionId": SESSION},
        row("system", "s", "u", subtype="prophecy"),
        attachment("t", type="tea_leaves"),
    ]
    found = of(read(tmp_path, *rows), Unknown)
    assert [(u.record_kind, u.client_version) for u in found] == [
        ("hologram", "3.0.0"),
        ("telepathy", "2.1.300"),
        ("system:prophecy", "2.1.206"),
        ("attachment:tea_leaves", "2.1.206"),
    ]
    assert len({u.id for u in found}) == 4


def test_every_row_of_every_recorded_session_is_known():
    for case in EVERY_CASE:
        for transcript in transcripts(case):
            assert of(list(read_events(transcript)), Unknown, Unparsed) == []


@pytest.mark.parametrize(
    ("damage", "reasons"),
    [
        (b"\0" * 512, ["NUL bytes"]),
        (b'{"type":"user","uuid":"torn', ["not JSON"]),
        (b"42\n[]\nnull", ["not an object"] * 3),
        (
            b'{"type":"user","message":' + b'{"x":' * 100_000 + b"1" + b"}" * 100_001,
            ["nested too deeply"],
        ),
    ],
)
def test_rows_around_damage_are_read_and_the_damage_is_counted(tmp_path, damage, reasons):
    events = read(tmp_path, user("u1", "before", None), damage, user("u2", "after", "u1"))
    assert words(events) == ["before", "after"]
    assert [found.reason for found in of(events, Unparsed)] == reasons
    assert {found.session for found in of(events, Unparsed)} == {SESSION}


def test_records_glued_to_damage_or_each_other_are_recovered(tmp_path):
    """anthropics/claude-code#52387 and #49876."""
    torn = b'{"type":"pr-link","sessionId":"x","prNu'
    for glue in (torn, b"\0" * 300, encoded(user("u0", "glued", None)).rstrip()):
        good = encoded(user("u2", "after", "u1")).rstrip()
        events = read(tmp_path, user("u1", "before", "u0"), glue + good)
        assert words(events)[-1] == "after"
        assert words(events)[:-1] == (["before", "glued"] if b"glued" in glue else ["before"])


def test_fields_of_another_type_cost_only_themselves(tmp_path):
    odd = user("u1", "keep sqlite", None, gitBranch=5, isMeta="no", promptId={}, cwd=["x"])
    events = read(tmp_path, odd, assistant("a", "ok", message={"usage": {"input_tokens": "many"}}))
    assert words(events) == ["keep sqlite"]
    assert [m.text for m in of(events, AssistantMessage)] == ["ok"]


def test_a_state_in_the_middle_of_a_compaction_can_be_stored(tmp_path):
    rows = [user("u1", "one", None), boundary("b", trigger="auto"), assistant("a", "early")]
    rows += [summary("s", "so far", "b"), user("u2", "two")]
    records = [Record(line, n, n + 1) for n, line in enumerate(encoded(*rows).splitlines())]
    state, found = PARSER.begin(PATH, {}), []
    for record in records:
        found += PARSER.parse([record], state)
        state = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=PARSER.state_type)
    assert found == list(PARSER.parse(records, PARSER.begin(PATH, {})))
    kinds = [type(event) for event in found[1:]]
    assert kinds == [UserMessage, Compaction, AssistantMessage, UserMessage]
