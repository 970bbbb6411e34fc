"""`ctxd doctor`: what is wrong is named with what to do about it, and nothing is changed."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from batches import batch
from cli.known import BODIES, DAY, LIMITER, LOG, SESSION, TALK, fill, judged, open_ledger, said
from cli.running import PATIENCE_SECONDS, ROOT, plain
from ctxd.doctor import TEST
from ctxd.ledger import SessionRow
from private_bus import needs_bus, private_bus

linux = pytest.mark.skipif(sys.platform != "linux", reason="as Linux has it")
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")
SCHEMAS = ROOT / "daemon" / "ctxd" / "schemas"


@pytest.fixture
def bus():
    with tempfile.TemporaryDirectory(prefix="ctxd-bus-") as folder, private_bus(Path(folder)) as it:
        yield it


@pytest.fixture
def alone(home):
    """A home without a service manager and other programs that happen to be on this machine."""
    tools = home.path / "tools"
    tools.mkdir()
    home.variables |= {"PATH": str(tools), "XDG_RUNTIME_DIR": str(home.path)}
    return home


@pytest.fixture
def running(alone):
    """A home in which a daemon runs."""
    process = subprocess.Popen(
        alone.command("run"),
        env=alone.variables,
        cwd=alone.path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + PATIENCE_SECONDS
    while alone.ctxd("ping").code != 0:
        assert time.monotonic() < until
    alone.pid = process.pid
    yield alone
    process.terminate()
    process.wait(PATIENCE_SECONDS)


def told(run):
    """State and message of each check, by its name, in a printed report; the worst of a name."""
    lines = [line.split(maxsplit=2) for line in run.lines if line[:4].strip() in WORST]
    found = {}
    for state, name, message in sorted(lines, key=lambda line: WORST.index(line[0])):
        found[name.rstrip(":")] = (state, message)
    return found


WORST = ("ok", "warn", "fail")


def bad(run):
    return {name for name, (state, _) in told(run).items() if state != "ok"}


class TestNotify:
    @linux
    @needs_bus
    def test_a_notice_that_arrives_is_told_with_who_took_it(self, home, bus):
        bus.serve()
        run = home.ctxd("doctor", "--notify", **bus.variables)
        assert (run.code, run.err) == (0, "")
        assert run.lines == ["ok    notices: a test notice was dispatched by D-Bus (stub 1)"]
        assert [notice["title"] for notice in bus.said()] == [TEST.title]

    @linux
    def test_without_a_desktop_it_says_so_and_what_to_do(self, home):
        run = home.ctxd("doctor", "--notify", XDG_RUNTIME_DIR=str(home.path))
        assert run.code == 4
        assert run.lines == [
            "warn  notices: the test notice was not dispatched: there is no session bus",
            "      hint: log in to a desktop, or set `DBUS_SESSION_BUS_ADDRESS`",
        ]

    @linux
    @needs_bus
    def test_a_desktop_that_refuses_is_a_failure(self, home, bus):
        bus.serve("refuses")
        run = home.ctxd("doctor", "--notify", **bus.variables)
        assert run.code == 4
        state, message = told(run)["notices"]
        assert state == "fail"
        assert message.endswith("by D-Bus: the notification daemon refuses it: no room for more")
        assert "hint:" in run.out

    @linux
    @needs_bus
    def test_the_same_is_told_to_programs(self, home, bus):
        bus.serve()
        run = home.ctxd("doctor", "--notify", "--json", **bus.variables)
        report = json.loads(run.out)
        jsonschema.validate(report, schema("doctor-1"))
        [check] = report["checks"]
        assert (check["name"], check["state"], check["hint"]) == ("notices", "ok", "")

    @linux
    @needs_bus
    def test_it_writes_nothing(self, home, bus):
        bus.serve()
        before = home.files()
        home.ctxd("doctor", "--notify", **bus.variables)
        assert home.files() == before


def schema(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))


class TestLooking:
    def test_on_a_new_machine_only_the_daemon_is_missing(self, alone):
        before = alone.files()
        run = alone.ctxd("doctor")
        assert run.code == 4
        assert bad(run) == {"daemon"}
        assert told(run)["daemon"][1] == "the daemon is not running: never started"
        assert "hint: start it with `ctxd service install`, or `ctxd run`" in run.out
        assert run.lines[-1] == "1 warning"
        assert alone.files() == before

    @posix
    def test_where_a_daemon_runs_all_is_well(self, running):
        run = running.ctxd("doctor")
        assert bad(run) == set()
        assert (run.code, run.lines[-1]) == (0, "all is well")
        found = told(run)
        assert f"running, pid {running.pid}" in found["daemon"][1]
        assert "ok    privacy: the daemon has no network socket open\n" in run.out

    @linux
    def test_the_lock_is_the_daemons(self, running):
        assert told(running.ctxd("doctor"))["lock"] == ("ok", f"held by pid {running.pid}")

    @posix
    def test_a_daemon_that_was_killed_leaves_no_lock(self, running):
        os.kill(running.pid, 9)
        while Path(f"/proc/{running.pid}/fd").exists() and running.ctxd("ping").code == 0:
            time.sleep(0.05)
        run = running.ctxd("doctor")
        assert told(run)["daemon"][0] == "warn"
        assert told(run)["lock"][0] == "ok"

    def test_without_a_reader_nothing_leaves_this_machine(self, alone):
        out = alone.ctxd("doctor").out
        assert "ok    privacy: no reader: nothing leaves this machine\n" in out
        assert "  reader: " not in out

    def test_a_reader_is_told_with_what_leaves_and_what_keeps_it_from_reading(self, alone):
        fill(alone)
        variables = {"CTXD_READER_BACKEND": "openai", "CTXD_READER_CALLS_A_DAY": "7"}
        variables["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
        run = alone.ctxd("doctor", **variables)
        assert run.code == 4
        told = "without secrets, pastes, code and tool output, to OpenAI (api.openai.com)\n"
        assert (
            f"ok    privacy: the reader openai sends what you and your agents say, {told}"
            in run.out
        )
        assert (
            "warn  reader: openai cannot be used: there is no key for api.openai.com\n" in run.out
        )
        assert "      hint: `ctxd reader setup` takes one" in run.out
        assert (
            "ok    reader: today 0 of 7 calls, 0 of 1,000,000 tokens, $0.00 of $2.00\n" in run.out
        )
        assert (
            "reader" not in alone.ctxd("doctor", **variables | {"CTXD_READER_BACKEND": "off"}).err
        )

    def test_a_reader_that_runs_here_sends_nothing(self, alone):
        variables = {"CTXD_READER_BACKEND": "openai"}
        variables["CTXD_READER_BASE_URL"] = "http://localhost:9/v1"
        out = alone.ctxd("doctor", **variables).out
        assert "privacy: the reader openai runs here: nothing leaves this machine" in out
        assert "warn  reader: openai cannot be used: nothing answers at localhost:9" in out

    def test_settings_that_are_wrong_are_named(self, home):
        config = home.path / "own" / "config"
        config.mkdir(parents=True)
        (config / "config.toml").write_text('[notify]\nlevle = "off"\n', encoding="utf-8")
        run = home.ctxd("--home", "own", "doctor")
        state, message = told(run)["settings"]
        assert state == "fail"
        assert "unknown key `notify.levle`" in message
        assert "did you mean `level`?" in run.out

    @posix
    def test_a_folder_that_others_may_enter_is_named(self, home):
        state = home.path / "own" / "state"
        state.mkdir(parents=True)
        state.chmod(0o755)
        run = home.ctxd("--home", "own", "doctor")
        assert told(run)["folders"] == ("fail", "`~/own/state` is open to other users")
        assert stat.S_IMODE(state.stat().st_mode) == 0o755

    @posix
    def test_a_folder_that_is_a_link_to_nothing_is_named(self, home):
        (home.path / "own").mkdir()
        (home.path / "own" / "state").symlink_to(home.path / "gone")
        run = home.ctxd("--home", "own", "doctor")
        state, message = told(run)["folders"]
        assert state == "fail"
        assert message.startswith("`~/own/state` is a link to what is gone, `")

    def test_a_ledger_that_cannot_be_read_is_named_and_left_as_it_is(self, home):
        state = home.path / "own" / "state"
        state.mkdir(parents=True, mode=0o700)
        (state / "ledger.sqlite3").write_bytes(b"no database" * 1000)
        run = home.ctxd("--home", "own", "doctor")
        assert run.code == 4
        assert told(run)["ledger"][0] == "fail"
        assert (state / "ledger.sqlite3").read_bytes() == b"no database" * 1000

    def test_another_program_of_the_same_name_is_noticed(self, alone):
        foreign = alone.path / "tools" / "ctxd"
        foreign.write_text("#!/bin/sh\necho another\n", encoding="utf-8")
        foreign.chmod(0o755)
        run = alone.ctxd("doctor")
        assert told(run)["program"][0] == "warn"
        assert "is another program: `~/tools/ctxd`" in run.out

    @posix
    def test_another_installation_of_ctxd_is_told_from_another_program(self, alone):
        other = alone.path / "tools" / "ctxd"
        other.write_text("#!/usr/bin/python3\nfrom ctxd.__main__ import main\n", encoding="utf-8")
        other.chmod(0o755)
        assert "is another installation" in told(alone.ctxd("doctor"))["program"][1]

    def test_a_client_that_deletes_its_logs_soon_is_noticed(self, alone):
        settings = alone.path / ".claude" / "settings.json"
        settings.parent.mkdir()
        log = alone.path / ".claude" / "projects" / "-srv" / "one.jsonl"
        log.parent.mkdir(parents=True)
        log.write_text("{}\n", encoding="utf-8")
        settings.write_text('{"cleanupPeriodDays": 2}', encoding="utf-8")
        run = alone.ctxd("doctor")
        assert "the client deletes logs that are 2 days old, as its settings say" in run.out
        assert "hint: raise `cleanupPeriodDays` in `~/.claude/settings.json`" in run.out
        settings.write_text("{broken", encoding="utf-8")
        assert "logs that are 30 days old, unless told otherwise" in alone.ctxd("doctor").out

    @posix
    def test_a_log_from_the_future_tells_of_a_clock_that_is_wrong(self, alone):
        log = alone.path / ".claude" / "projects" / "-srv" / "one.jsonl"
        log.parent.mkdir(parents=True)
        log.write_text("{}\n", encoding="utf-8")
        os.utime(log, (time.time() + 7200, time.time() + 7200))
        assert told(alone.ctxd("doctor"))["clock"][0] == "warn"

    def test_what_the_daemon_complained_of_is_told(self, alone):
        log = alone.path / "own" / "log" / "ctxd.log"
        log.parent.mkdir(parents=True, mode=0o700)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S+0000")
        lines = [
            "2020-01-01T00:00:00+0000 ERROR ctxd.old long ago",
            f"{now} INFO ctxd.service.run started",
            f"{now} WARNING watchdog.observers.inotify queue overflow",
            f"{now} ERROR ctxd.service.guard cannot write the ledger: the disk is full",
        ]
        log.write_text("\n".join(lines) + "\n", encoding="utf-8")
        log.chmod(0o600)
        found = told(alone.ctxd("--home", "own", "doctor"))
        assert found["log"][0] == "warn"
        assert found["log"][1].startswith("1 error in a day, the last: ctxd.service.guard cannot")
        assert found["events"][1].startswith("file events were lost 1 time in a day;")

    @linux
    def test_a_service_manager_that_hangs_is_not_waited_for(self, alone):
        stuck = alone.path / "tools" / "systemctl"
        stuck.write_text("#!/bin/sh\nexec /bin/sleep 120\n", encoding="utf-8")
        stuck.chmod(0o755)
        run = alone.ctxd("doctor")
        assert told(run)["service"] == ("warn", "the service manager does not answer")

    def test_unknown_records_are_named_with_what_to_do(self, alone):
        from ctxd_parsers.events import Unknown

        odd = Unknown(
            agent="claude-code",
            session=SESSION,
            id="x",
            time=DAY,
            record_kind="brand-new",
            span=(0, 9),
        )
        with open_ledger(alone) as ledger:
            ledger.record(batch(odd, path=LOG, records=1))
        state, message = told(alone.ctxd("doctor"))["claude-code"]
        assert state == "warn"
        assert message.endswith("1 unknown kind (`brand-new`)")

    def test_the_same_is_told_to_programs(self, home):
        report = json.loads(home.ctxd("doctor", "--json").out)
        jsonschema.validate(report, schema("doctor-1"))
        assert {check["name"] for check in report["checks"]} >= {"versions", "settings", "daemon"}
        assert all(check["hint"] for check in report["checks"] if check["state"] != "ok")

    @posix
    @pytest.mark.parametrize("width", [20, 60, 80, 200])
    def test_it_fits_the_terminal(self, alone, width):
        text = plain(alone.on_terminal(width, "doctor").out)
        assert max(map(len, text.splitlines())) <= max(width, 26)

    def test_hostile_names_do_nothing_to_the_terminal(self, alone):
        config = alone.path / "own" / "config"
        config.mkdir(parents=True)
        text = '"\\u001b[2Jhidden\\u202e" = 1\n'
        (config / "config.toml").write_text(text, encoding="utf-8")
        for colour in ("always", "never"):
            out = alone.ctxd("--home", "own", "doctor", "--color", colour).out
            assert "\u202e" not in out
            assert "\x1b[2J" not in out
            assert "[2Jhidden" in out

    @posix
    def test_a_posix_locale_and_a_reader_that_has_gone_are_no_trouble(self, alone):
        posix_locale = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        run = alone.ctxd("doctor", **posix_locale)
        assert (run.code, run.err) == (4, "")
        assert run.out.isascii()
        line = f"{sys.executable} -m ctxd doctor | /usr/bin/head -n 1"
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            env=alone.variables,
            cwd=alone.path,
            capture_output=True,
            check=False,
        )
        assert (done.stdout.count(b"\n"), done.stderr) == (1, b"")


class TestRepositories:
    @pytest.fixture
    def worktree(self, alone):
        """A repository that ctxd has written to."""
        from ctxd.context_files.memories import Known, remember
        from ctxd.context_files.values import Memory

        fill(alone)
        known = Known(repository=str(alone.path), memory={"AGENTS.md": Memory(block=True)})
        with open_ledger(alone) as ledger:
            remember(ledger, str(alone.path), known)
        return alone

    def test_markers_that_were_removed_are_told(self, worktree):
        (worktree.path / "AGENTS.md").write_text("# Rules\n", encoding="utf-8")
        run = worktree.ctxd("doctor")
        assert told(run)["repositories"] == (
            "warn",
            "`~`: the markers in `AGENTS.md` were removed",
        )
        assert "hint: `ctxd enable` has it be written to again" in run.out

    def test_settings_of_a_repository_that_cannot_be_read_are_told(self, worktree):
        (worktree.path / ".ctxd.toml").write_text("write = [", encoding="utf-8")
        assert "`.ctxd.toml` cannot be read" in told(worktree.ctxd("doctor"))["repositories"][1]

    def test_a_lock_that_git_left_behind_is_told(self, worktree):
        lock = worktree.path / ".git" / "index.lock"
        lock.touch()
        os.utime(lock, (1_000_000_000, 1_000_000_000))
        run = worktree.ctxd("doctor")
        assert told(run)["repositories"][1] == "`~`: git's lock was left behind"
        assert "remove `~/.git/index.lock`" in run.out


class TestReport:
    SECRET = "zanzibar-otters"

    @pytest.fixture
    def worked(self, alone):
        """A home with sessions of a repository whose name, and whose words, nobody is to see."""
        repository = alone.path / "work" / "marmalade-shop"
        (repository / ".git").mkdir(parents=True)
        here = str(repository)
        row = SessionRow(
            agent="claude-code", id=SESSION, cwd=here, title=self.SECRET, turns=3, spoken=True
        )
        with open_ledger(alone) as ledger:
            events = [said(*spoken) for spoken in TALK]
            ledger.record(batch(*events, path=LOG, sessions=[row]))
            ledger.settle([judged("u2", LIMITER, BODIES, repository=here)])
        log = alone.path / "own" / "log" / "ctxd.log"
        log.parent.mkdir(parents=True, mode=0o700)
        at = "2026-03-14T09:12:04+0000"
        store = alone.path / ".claude" / "projects" / here.replace("/", "-")
        lines = [
            f"{at} WARNING ctxd.service.reading set aside path='{store}/{SESSION}.jsonl' why='x'",
            f"{at} ERROR ctxd.service.aside defect: {here}/AGENTS.md",
            "Traceback (most recent call last):",
            f'  File "{ROOT}/daemon/ctxd/pipeline.py", line 9, in step',
            f"    raise ValueError('{self.SECRET}')",
            f"ValueError: {self.SECRET}",
            f"{at} INFO ctxd.x marmalade-shop is quiet, key=AKIAIOSFODNN7EXAMPLE",
        ]
        log.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return alone

    def test_it_holds_what_helps_and_nothing_that_was_said(self, worked):
        run = worked.ctxd("doctor", "--report", "report.json")
        assert "wrote report.json: read it before you send it to anybody" in run.err
        text = (worked.path / "report.json").read_text(encoding="utf-8")
        report = json.loads(text)
        jsonschema.validate(report, schema("bundle-1"))
        assert {check["name"] for check in report["checks"]} >= {"versions", "ledger", "daemon"}
        assert report["items"]["active"] == 2
        assert {one["key"] for one in report["settings"]} >= {"write", "notify.level"}
        for word in (self.SECRET, "marmalade", "token bucket", "patient data", "limiter"):
            assert word not in text
        assert str(worked.path) not in text
        assert SESSION not in text
        assert "AKIAIOSFODNN7EXAMPLE" not in text

    def test_the_log_keeps_its_events_and_the_places_of_a_defect(self, worked):
        worked.ctxd("doctor", "--report", "report.json")
        log = json.loads((worked.path / "report.json").read_text(encoding="utf-8"))["log"]
        assert log[0].endswith("set aside path='~/.claude/projects/....jsonl' why='x'")
        assert log[1].endswith("defect: <path>.md")
        assert log[2].endswith('daemon/ctxd/pipeline.py", line 9, in step')
        assert log[3] == "ValueError"
        assert "<repository> is quiet" in log[4]

    def test_names_stand_in_it_only_when_they_are_asked_for(self, worked):
        worked.ctxd("doctor", "--report", "report.json", "--names")
        text = (worked.path / "report.json").read_text(encoding="utf-8")
        assert "~/work/marmalade-shop/AGENTS.md" in text
        assert self.SECRET not in text

    @posix
    def test_it_is_the_users_alone_and_replaces_nothing(self, worked):
        worked.ctxd("doctor", "--report", "report.json")
        path = worked.path / "report.json"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        before = path.read_bytes()
        run = worked.ctxd("doctor", "--report", "report.json")
        assert run.code == 1
        assert run.err.endswith("hint: name another file\n")
        assert path.read_bytes() == before

    def test_the_server_that_a_reader_is_asked_at_is_not_named(self, alone):
        address = {"CTXD_READER_BASE_URL": "https://llm.inner.example:8443/v1"}
        variables = {"CTXD_READER_BACKEND": "openai", **address}
        shown = alone.ctxd("doctor", "--report", "made.json", **variables)
        assert "llm.inner.example:8443" in shown.out
        text = (alone.path / "made.json").read_text(encoding="utf-8")
        assert "to <server>" in text
        assert "inner.example" not in text

    def test_it_can_be_made_where_nothing_works(self, alone):
        state = alone.path / "own" / "state"
        state.mkdir(parents=True, mode=0o700)
        (state / "ledger.sqlite3").write_bytes(b"no database" * 1000)
        alone.ctxd("--home", "own", "doctor", "--report", "report.json")
        report = json.loads((alone.path / "report.json").read_text(encoding="utf-8"))
        assert report["agents"] == []
        assert {"fail"} <= {check["state"] for check in report["checks"]}

    @pytest.mark.parametrize("arguments", [["--names"], ["--notify", "--report", "x"]])
    def test_what_says_nothing_together_is_refused(self, home, arguments):
        assert home.ctxd("doctor", *arguments).code == 2
