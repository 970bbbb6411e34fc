"""A pass over many logs: nothing ends it, and what it counts is right."""

import json
import os
import tracemalloc
from pathlib import PurePosixPath

import msgspec
import pytest

from ctxd import scanning
from ctxd.counting import OTHERS, count
from ctxd.policy.daemon import SCAN_PARALLEL_BYTES, SCAN_PROGRESS_BYTES
from ctxd.policy.ledger import KIND_CHARS, KINDS_REMEMBERED
from ctxd.problems import Problem
from ctxd.scan_report import Collector
from ctxd.scanning import Find, Reading, read_all
from ctxd_parsers import registry
from ctxd_parsers.discovery import best_source
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import AssistantMessage, Compaction, Unknown, Unparsed
from ctxd_parsers.parser import Source, Storage
from notes import Notes, database, note, put


class Talks(Notes):
    """Notes whose text names the event they are."""

    def parse(self, records, state):
        for event in super().parse(records, state):
            yield _EVENTS.get(getattr(event, "text", "").split(" ")[0], lambda event: event)(event)


def fields(event):
    return {"agent": "notes", "session": event.session, "id": event.id, "span": event.span}


_EVENTS = {
    "agent": lambda event: AssistantMessage(**fields(event), text=event.text),
    "compaction": lambda event: Compaction(**fields(event)),
    "inner": lambda event: Compaction(**fields(event), sub_agent="a1"),
    "unknown": lambda event: Unknown(
        **fields(event), record_kind=event.text.split(" ")[1], client_version="1.2"
    ),
    "damage": lambda event: Unparsed(**fields(event), reason=event.text.split(" ")[1]),
}


class Faulty(Notes):
    """Fails on what its notes tell it to."""

    def claims(self, path, head):
        if b"bad claim" in head:
            raise RuntimeError("cannot tell")
        return super().claims(path, head)

    def parse(self, records, state):
        for event in super().parse(records, state):
            if event.text == "raise":
                raise KeyError("no such thing")
            if event.text == "die":
                os._exit(9)
            yield event


class Greedy(Notes):
    name = "greedy"


@pytest.fixture
def logs(tmp_path):
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def use(monkeypatch, *parsers):
    """Make these the only parsers there are."""
    monkeypatch.setattr(registry, "PARSERS", parsers)


def write(logs, name, *texts, ids=None):
    names = ids or [None] * len(texts)
    path = logs / f"{name}.jsonl"
    path.write_bytes(b"".join(note(text, own) for text, own in zip(texts, names, strict=True)))
    return path


def scan(path):
    found = Find.under([path])
    collector = Collector()
    for problem in found.problems:
        collector.take(problem)
    for _, outcome in read_all(found.jobs, count, nothing):
        collector.take(outcome)
    return collector.report(0)


def nothing(_count):
    """Takes progress and does nothing with it."""


def test_what_is_counted(monkeypatch, logs):
    use(monkeypatch, Talks())
    write(
        logs,
        "one",
        "hello",
        "agent hi",
        "compaction",
        "inner",
        "inner",
        "unknown kind-a",
        "unknown kind-a",
    )
    write(logs, "two", "hello", "again", "damage NUL", "unknown kind-b")
    [agent] = scan(logs).agents
    assert (agent.agent, agent.transcripts, agent.sessions, agent.records) == ("notes", 2, 2, 11)
    assert (agent.user_messages, agent.compactions, agent.sub_agent_compactions) == (3, 1, 2)
    assert [(k.kind, k.client_version, k.records) for k in agent.unknown_kinds] == [
        ("kind-a", "1.2", 2),
        ("kind-b", "1.2", 1),
    ]
    [damage] = agent.damage
    assert (damage.reason, damage.records) == ("NUL", 1)
    assert damage.example_path == str(logs / "two.jsonl")
    assert agent.understood_share == round(1 - 4 / 11, 6)


def test_a_repeated_event_counts_once_a_transcript(monkeypatch, logs):
    use(monkeypatch, Talks())
    write(logs, "one", "hello", "hello", "compaction", "compaction", ids=["a", "a", "b", "b"])
    write(logs, "two", "hello", ids=["a"])
    [agent] = scan(logs).agents
    assert (agent.user_messages, agent.compactions) == (2, 1)


def test_a_session_in_which_nothing_was_said_is_not_counted(monkeypatch, logs):
    use(monkeypatch, Talks())
    write(logs, "talk", "hello")
    write(logs, "empty", "compaction")
    [agent] = scan(logs).agents
    assert (agent.transcripts, agent.sessions) == (2, 1)


def test_parts_of_a_document_count_each(monkeypatch, logs):
    use(monkeypatch, Talks(patterns=("*.json",), storage=Storage.SNAPSHOT))
    notes = [json.loads(note(text)) for text in ("hello", "agent hi", "unknown x", "again")]
    (logs / "one.json").write_text(json.dumps({"notes": notes, "id": "one"}), encoding="utf-8")
    [agent] = scan(logs).agents
    assert agent.records == 1
    assert agent.understood_share == 0.75


def test_rows_of_a_database_are_records(monkeypatch, logs):
    use(monkeypatch, Notes(patterns=("*.db",), storage=Storage.SQLITE))
    with database(logs / "notes.db") as owner:
        for number in range(5):
            put(owner, str(number), f"text {number}", number)
    [agent] = scan(logs).agents
    assert (agent.records, agent.user_messages) == (5, 5)


def test_a_database_in_use_is_named_as_unreadable(monkeypatch, logs):
    use(monkeypatch, Notes(patterns=("*.db",), storage=Storage.SQLITE))
    with database(logs / "notes.db") as owner:
        put(owner, "1", "text", 1)
        owner.execute("PRAGMA locking_mode = EXCLUSIVE")
        owner.execute("BEGIN EXCLUSIVE")
        report = scan(logs)
    [file] = report.unreadable_files
    assert (file.path, file.reason) == (str(logs / "notes.db"), "is in use by its owner")


@pytest.mark.parametrize("size", [0, SCAN_PARALLEL_BYTES], ids=["one process", "many"])
def test_a_parser_that_fails_on_a_file_is_named_and_the_rest_is_read(monkeypatch, logs, size):
    use(monkeypatch, Faulty())
    monkeypatch.setattr(scanning.workers, "usable_cores", lambda: 3)
    for name in ("a", "b", "c"):
        write(logs, name, "hello", "x" * size)
    bad = write(logs, "bad", "hello", "raise")
    report = scan(logs)
    assert report.agents[0].transcripts == 3
    [defect] = report.parser_defects
    assert (defect.path, defect.parser) == (str(bad), "notes")
    assert defect.reason.startswith("KeyError: 'no such thing' (test_scanning.py:")
    assert report.unreadable_files == ()


def test_a_reading_process_that_dies_is_named_and_the_rest_is_read(monkeypatch, logs):
    use(monkeypatch, Faulty())
    monkeypatch.setattr(scanning.workers, "usable_cores", lambda: 3)
    for name in ("a", "b", "c"):
        write(logs, name, "hello", "x" * SCAN_PARALLEL_BYTES)
    bad = write(logs, "bad", "die")
    report = scan(logs)
    assert report.agents[0].transcripts == 3
    [file] = report.unreadable_files
    assert (file.path, file.reason) == (str(bad), "the process reading it ended with code 9")


def test_two_parsers_that_claim_a_file_are_a_defect_of_that_file_alone(monkeypatch, logs):
    class Second(Greedy):
        def claims(self, path, head):
            return path.stem == "both"

    use(monkeypatch, Notes(), Second())
    write(logs, "one", "hello")
    both = write(logs, "both", "hello")
    report = scan(logs)
    [defect] = report.parser_defects
    assert (defect.path, defect.parser) == (str(both), None)
    assert "notes and greedy both claim" in defect.reason
    assert report.agents[0].transcripts == 1


def test_a_parser_that_cannot_say_whether_a_file_is_its_own_is_named(monkeypatch, logs):
    use(monkeypatch, Faulty())
    write(logs, "one", "hello")
    bad = write(logs, "bad", "bad claim")
    report = scan(logs)
    [defect] = report.parser_defects
    assert defect.path == str(bad)
    assert report.agents[0].transcripts == 1


def test_a_file_that_two_given_paths_reach_counts_once(monkeypatch, logs):
    use(monkeypatch, Notes())
    path = write(logs, "one", "hello")
    assert len(Find.under([logs, path, logs]).jobs) == 1


def test_a_file_with_two_names_counts_once(monkeypatch, logs):
    use(monkeypatch, Notes())
    path = write(logs, "one", "hello")
    path.with_stem("two").hardlink_to(path)
    assert len(Find.under([logs]).jobs) == 1


def test_a_large_log_without_a_message_is_not_understood(monkeypatch, logs):
    use(monkeypatch, Talks())
    silent = write(logs, "silent", *["compaction " + "x" * 1000] * 101)
    write(logs, "talk", "hello", *["compaction " + "x" * 1000] * 101)
    write(logs, "small", "compaction " + "x" * 1000)
    [file] = scan(logs).not_understood_files
    assert (file.path, file.agent, file.size_bytes) == (str(silent), "notes", silent.stat().st_size)


def test_kinds_without_end_are_counted_as_others(monkeypatch, logs):
    use(monkeypatch, Talks())
    write(logs, "one", *[f"unknown kind-{number:04d}" for number in range(300)])
    [agent] = scan(logs).agents
    assert len(agent.unknown_kinds) == KINDS_REMEMBERED + 1
    assert sum(kind.records for kind in agent.unknown_kinds) == 300
    assert agent.unknown_kinds[0].kind == OTHERS


def test_the_name_of_a_kind_is_kept_short(monkeypatch, logs):
    use(monkeypatch, Talks())
    write(logs, "one", "unknown " + "k" * 10_000)
    [agent] = scan(logs).agents
    assert agent.unknown_kinds[0].kind == "k" * KIND_CHARS


def test_memory_does_not_grow_with_a_log(monkeypatch, logs):
    use(monkeypatch, Talks())

    def peak(lines):
        path = logs / "long.jsonl"
        with path.open("wb") as file:
            for _ in range(lines):
                file.write(note("agent " + "x" * 500))
        [job] = Find.under([path]).jobs
        tracemalloc.start()
        count(Reading(job, nothing))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(40_000) < 1.2 * peak(8_000)


def test_a_result_is_small_and_can_be_sent(monkeypatch, logs):
    use(monkeypatch, Talks())
    path = write(logs, "one", *["hello", "unknown x", "damage y"] * 1000)
    [job] = Find.under([path]).jobs
    assert len(msgspec.msgpack.encode(count(Reading(job, nothing)).sessions)) < 100


def test_progress_adds_up_to_the_size_of_all_files(monkeypatch, logs):
    use(monkeypatch, Faulty())
    paths = [
        write(logs, "big", *["x" * 1_000_000] * 12),
        write(logs, "bad", "raise", "x" * 1_000_000),
        write(logs, "small", "hello"),
    ]
    steps = []
    list(read_all(Find.under([logs]).jobs, count, steps.append))
    assert sum(steps) == sum(path.stat().st_size for path in paths)
    assert max(steps) < 2 * SCAN_PROGRESS_BYTES


def test_a_file_that_goes_away_before_it_is_read_is_named(monkeypatch, logs):
    use(monkeypatch, Notes())
    path = write(logs, "one", "hello")
    jobs = Find.under([logs]).jobs
    path.unlink()
    [(_, outcome)] = read_all(jobs, count, nothing)
    assert outcome == Problem(path, "unreadable", "no such file or directory", "notes")


@pytest.mark.parametrize(
    ("path", "storage"),
    [
        ("/home/dev/.store/work/a.jsonl", Storage.LINES),
        ("/home/dev/.store/chats/a.jsonl", Storage.SNAPSHOT),
        ("/backup/chats/a.jsonl", Storage.SNAPSHOT),
        ("/backup/a.jsonl", Storage.LINES),
        ("/backup/x/store.db", Storage.SQLITE),
        ("/backup/renamed.bin", Storage.LINES),
    ],
)
def test_a_file_given_by_hand_is_stored_as_its_path_says_best(path, storage):
    sources = [
        Source(PurePosixPath("/home/dev/.store"), ("*/*.jsonl",), Storage.LINES),
        Source(PurePosixPath("/home/dev/.store"), ("chats/*.jsonl",), Storage.SNAPSHOT),
        Source(PurePosixPath("/home/dev/.store"), ("store.db",), Storage.SQLITE),
    ]
    assert best_source(sources, PurePosixPath(path)).storage is storage


def test_everywhere_means_the_places_of_the_agents(monkeypatch, tmp_path):
    use(monkeypatch, Notes())
    folder = tmp_path / ".notes" / "work"
    folder.mkdir(parents=True)
    write(folder, "one", "hello")
    write(tmp_path, "elsewhere", "hello")
    found = Find.everywhere(Environment("linux", tmp_path))
    assert [job.path.name for job in found.jobs] == ["one.jsonl"]
