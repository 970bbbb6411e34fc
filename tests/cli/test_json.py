"""JSON output: complete, alone on stdout, and as published."""

import json
from functools import reduce
from operator import or_
from pathlib import Path

import jsonschema
import msgspec
import pytest

from cli.running import ROOT, SAMPLE, SAMPLE_ID, SAMPLE_LOG
from ctxd.compaction_report import CompactionRow
from ctxd.configuration import ConfigReport
from ctxd.doctor import DoctorReport
from ctxd.doctor.bundle import Bundle
from ctxd.edit_report import DiffReport
from ctxd.item_report import ItemRow, ShownItem
from ctxd.log_report import LogRow
from ctxd.path_report import PathReport
from ctxd.reader.trying import Trial
from ctxd.reader_plan import ReadPlan
from ctxd.reader_report import ReaderReport
from ctxd.report.values import Timeline
from ctxd.scan_report import ScanReport
from ctxd.service_install.service import ServiceReport
from ctxd.session_report import SessionRow
from ctxd.status import Status
from ctxd_parsers.discovery import transcripts_under
from ctxd_parsers.events import Event
from golden import golden_form

SCHEMAS = ROOT / "daemon" / "ctxd" / "schemas"
EVENT_TYPES = Event.__subclasses__()
FORMS = {
    "scan-1": ScanReport,
    "session-1": SessionRow,
    "paths-1": PathReport,
    "status-1": Status,
    "item-1": ItemRow,
    "show-1": ShownItem,
    "log-1": LogRow,
    "doctor-1": DoctorReport,
    "bundle-1": Bundle,
    "compaction-1": CompactionRow,
    "diff-1": DiffReport,
    "timeline-1": Timeline,
    "service-1": ServiceReport,
    "reader-1": ReaderReport,
    "reader-test-1": Trial,
    "read-1": ReadPlan,
    "config-1": ConfigReport,
    "event-1": reduce(or_, EVENT_TYPES),
}
DOCUMENTED = [name for name in FORMS if name != "event-1"]
"""Those whose fields docs/json.md explains one by one; of the events it names the types."""


def schema(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))


def properties(node):
    """Every property named anywhere in a schema."""
    if isinstance(node, dict):
        yield from node.get("properties", {})
        for child in node.values():
            yield from properties(child)


@pytest.mark.parametrize("name", FORMS)
def test_the_published_schema_is_that_of_the_code(name, regen):
    """`pytest --regen=force` writes them anew."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    current = json.dumps(dialect | msgspec.json.schema(FORMS[name]), indent=2) + "\n"
    path = SCHEMAS / f"{name}.schema.json"
    if regen == "force":
        path.write_text(current, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == current
    jsonschema.Draft202012Validator.check_schema(json.loads(current))


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_field_is_documented(name):
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    missing = [field for field in properties(schema(name)) if f"`{field}`" not in text]
    assert not missing


def test_every_type_of_event_is_documented():
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    assert [made.__name__ for made in EVENT_TYPES if f"`{made.__name__}`" not in text] == []


def test_every_event_of_the_recorded_logs_is_as_published():
    kinds = {}
    for path in (ROOT / "tests" / "parsers").rglob("*.events"):
        for line in path.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            kinds.setdefault((event["event"], *event), event)
    assert {name for name, *_ in kinds} >= {"UserMessage", "Compaction", "ToolCall"}
    validator = jsonschema.Draft202012Validator(schema("event-1"))
    for event in kinds.values():
        validator.validate(event)


def test_scan_prints_one_valid_object(sample_home):
    run = sample_home.ctxd("scan", "--json")
    assert (run.code, run.err) == (0, "")
    [line] = run.lines
    report = json.loads(line)
    jsonschema.validate(report, schema("scan-1"))
    assert list(report) == sorted(report)
    [agent] = report["agents"]
    items = agent.pop("items")
    assert report["repositories"] == [{"repository": "/home/dev/shop-api", "items": items}]
    assert report["items"] is None
    assert agent == {
        "agent": "claude-code",
        "transcripts": 1,
        "transcript_bytes": SAMPLE_LOG.stat().st_size,
        "sessions": 1,
        "records": len(SAMPLE_LOG.read_bytes().splitlines()),
        "understood_share": 1.0,
        "user_messages": 5,
        "compactions": 1,
        "sub_agent_compactions": 0,
        "unknown_kinds": [],
        "damage": [],
    }


def test_scan_of_nothing_is_an_object_too(home):
    report = json.loads(home.ctxd("scan", "--json").out)
    jsonschema.validate(report, schema("scan-1"))
    assert report["agents"] == []


def test_scan_names_all_that_went_wrong(home):
    folder = home.path / "logs" / "projects" / "-srv-api"
    folder.mkdir(parents=True)
    log = SAMPLE_LOG.read_bytes()
    odd = b'{"type":"brand-new","sessionId":"%s","version":"9.9.9","uuid":"%d"}\n'
    lines = [odd % (SAMPLE_ID.encode(), number) for number in range(3)]
    (folder / f"{SAMPLE_ID}.jsonl").write_bytes(log + b"".join(lines) + b"{torn\n" + b"not json\n")
    run = home.ctxd("scan", "logs", "--json")
    report = json.loads(run.out)
    jsonschema.validate(report, schema("scan-1"))
    [agent] = report["agents"]
    assert agent["unknown_kinds"] == [
        {"kind": "brand-new", "client_version": "9.9.9", "records": 3}
    ]
    assert sum(damage["records"] for damage in agent["damage"]) == 2
    assert agent["damage"][0]["example_path"] == str(folder.resolve() / f"{SAMPLE_ID}.jsonl")
    assert 0 < agent["understood_share"] < 1
    assert run.code == 0


def test_sessions_prints_one_valid_object_a_line(sample_home):
    run = sample_home.ctxd("sessions", "--json")
    assert (run.code, run.err) == (0, "")
    [row] = map(json.loads, run.lines)
    jsonschema.validate(row, schema("session-1"))
    assert row["agent"] == "claude-code"
    assert row["session"] == SAMPLE_ID
    assert row["short_id"] == SAMPLE_ID[:8]
    assert (row["title"], row["titled_by"]) == ("Rate limiting for the public endpoints", "agent")
    assert (row["cwd"], row["repository"], row["worktree"]) == ("/home/dev/shop-api", None, None)
    assert row["remote"] is False
    assert row["branch"] == "rate-limits"
    assert row["started"] == "2026-03-14T09:12:04.310000Z"
    assert row["last_activity"] == "2026-03-14T09:18:21.533000Z"
    assert (row["user_messages"], row["compactions"]) == (5, 1)
    assert row["state"] == "ended"
    assert row["client_version"] == "2.1.332"


def test_paths_prints_one_valid_object(sample_home):
    run = sample_home.ctxd("paths", "--json")
    [line] = run.lines
    report = json.loads(line)
    jsonschema.validate(report, schema("paths-1"))
    found = {place["path"]: place["transcripts"] for place in report["logs"] if place["exists"]}
    assert found[str(sample_home.path / ".claude" / "projects")] == 1


def test_events_prints_exactly_the_golden_form(sample_home):
    [transcript] = transcripts_under(SAMPLE)
    run = sample_home.ctxd("events", SAMPLE_LOG, "--json")
    assert (run.code, run.err) == (0, "")
    assert run.out == golden_form(transcript)


def test_json_on_a_terminal_has_the_same_values_and_cannot_act_on_it(sample_home):
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    text = log.read_text(encoding="utf-8").replace("Redis just for", "Redis \x9b31m\u202e just for")
    log.write_text(text, encoding="utf-8")
    shown = sample_home.on_terminal(80, "events", log, "--json").out
    written = sample_home.ctxd("events", log, "--json").out
    assert "\x9b" in written
    assert not {"\x9b", "\u202e"} & set(shown)
    assert [json.loads(line) for line in shown.splitlines()] == [
        json.loads(line) for line in written.splitlines()
    ]


def test_json_is_utf_8_whatever_the_locale(sample_home):
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    log.write_text(
        log.read_text(encoding="utf-8").replace("Rate limiting for", "Begrenzung für 世界"),
        encoding="utf-8",
    )
    posix = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    row = json.loads(sample_home.ctxd("sessions", "--json", **posix).out)
    assert row["title"] == "Begrenzung für 世界 the public endpoints"


def test_a_file_name_that_is_no_text_is_written_all_the_same(home):
    folder = home.path / "caf\udce9" / "projects" / "-srv-api"
    try:
        folder.mkdir(parents=True)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such names")
    (folder / "bad.jsonl").symlink_to(folder)
    (folder / f"{SAMPLE_ID}.jsonl").write_bytes(SAMPLE_LOG.read_bytes() + b"{torn\n")
    report = json.loads(home.ctxd("scan", home.path, "--json").out)
    [damage] = report["agents"][0]["damage"]
    assert Path(damage["example_path"]).parent.parent.parent.name == r"caf\xe9"


def test_a_session_named_by_a_file_name_that_is_no_text_is_the_same_everywhere(home):
    folder = home.path / ".claude" / "projects" / "-srv-api"
    folder.mkdir(parents=True)
    log = folder / "caf\udce9.jsonl"
    rows = [json.loads(line) for line in SAMPLE_LOG.read_text(encoding="utf-8").splitlines()]
    text = "".join(json.dumps(row | {"sessionId": None}) + "\n" for row in rows)
    try:
        log.write_text(text, encoding="utf-8")
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such names")
    [session] = [json.loads(line) for line in home.ctxd("sessions", "--json").lines]
    assert session["transcripts"] == [str(folder.resolve() / r"caf\xe9.jsonl")]
    events = [json.loads(line) for line in home.ctxd("events", log, "--json").lines]
    assert {event["session"] for event in events} == {session["session"]}


def test_the_state_of_a_session_follows_from_the_age_of_its_last_event(home):
    from datetime import UTC, datetime, timedelta

    folder = home.path / ".claude" / "projects" / "-srv-api"
    folder.mkdir(parents=True)
    now = datetime.now(UTC)
    for number, age in enumerate((10, 600, 7200)):
        session = f"{number}0000000-0000-4000-8000-000000000000"
        time = (now - timedelta(seconds=age)).isoformat()
        row = {
            "parentUuid": None,
            "type": "user",
            "message": {"role": "user", "content": f"prompt {number}"},
            "uuid": f"{number}",
            "timestamp": time,
            "sessionId": session,
            "cwd": "/srv/api",
            "version": "2.1.332",
        }
        (folder / f"{session}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    rows = [json.loads(line) for line in home.ctxd("sessions", "--json").lines]
    assert [(row["title"], row["state"]) for row in rows] == [
        ("prompt 0", "live"),
        ("prompt 1", "idle"),
        ("prompt 2", "ended"),
    ]
    assert len(home.ctxd("sessions", "--json", "-n", "2").lines) == 2


def test_the_documented_numbers_are_those_of_the_code():
    from ctxd.policy.daemon import (
        ENDED_SECONDS,
        LIVE_SECONDS,
        SHORT_ID_CHARS,
        SILENT_TRANSCRIPT_BYTES,
    )
    from ctxd.policy.ledger import KINDS_REMEMBERED

    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    assert f"more than {SILENT_TRANSCRIPT_BYTES:,} bytes" in text
    assert f"beyond {KINDS_REMEMBERED} kinds" in text
    assert f"{SHORT_ID_CHARS} characters at least" in text
    live, ended = LIVE_SECONDS / 60, ENDED_SECONDS / 60
    assert f"in the last {live:.0f} minutes; `idle`: in the last {ended:.0f};" in text


def test_every_published_schema_is_printed_and_listed(home):
    assert home.ctxd("schema").lines == sorted(FORMS)
    assert json.loads(home.ctxd("schema", "status-1").out) == schema("status-1")
    assert json.loads(home.ctxd("schema", "ctxd.status/1").out) == schema("status-1")


def test_a_schema_that_is_not_there_is_answered_with_what_is(home):
    run = home.ctxd("schema", "statsu-1")
    assert run.code == 1
    assert run.err == "error: no form `statsu-1`\n\nhint: did you mean `status-1`?\n"
