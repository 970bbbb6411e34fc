"""What `ctxd doctor` finds out by itself, from real sockets, locks, ledgers and limits."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ctxd.clients.client import Client
from ctxd.clients.registry import CLIENTS
from ctxd.doctor import machine, upkeep, watching
from ctxd.doctor.agents import ask_all
from ctxd.doctor.background import service
from ctxd.doctor.later import Later
from ctxd.doctor.privacy import network_sockets, privacy
from ctxd.doctor.scrubbing import Scrubber
from ctxd.doctor.values import bounded, warn
from ctxd.errors import UserError
from ctxd.hooks.versions import ClientVersion
from ctxd.ledger import Ledger
from ctxd.ledger.checkup import check_up
from ctxd.places import Places
from ctxd.service_install.managers import State
from ctxd.service_install.steps import Done
from ctxd_parsers.environment import Environment
from ctxd_parsers.registry import PARSERS

ROOT = Path(__file__).parent.parent.parent
linux = pytest.mark.skipif(sys.platform != "linux", reason="as Linux has it")


@pytest.fixture
def places(tmp_path):
    found = Places.under(tmp_path / "own")
    for folder in (found.state, found.log):
        folder.mkdir(parents=True, mode=0o700)
    return found


class TestPrivacy:
    @linux
    def test_a_socket_that_reaches_a_network_is_seen(self):
        before = network_sockets(os.getpid())
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            assert network_sockets(os.getpid()) == before + 1
            assert privacy(os.getpid()).state == "fail"
        assert network_sockets(os.getpid()) == before

    @linux
    def test_sockets_of_this_machine_alone_do_not_count(self):
        before = network_sockets(os.getpid())
        with socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX):
            assert network_sockets(os.getpid()) == before

    def test_a_process_that_is_gone_is_not_taken_for_a_private_one(self):
        check = privacy(2**22 + 1)
        assert (check.state, check.message) == (
            "ok",
            "the system does not tell which sockets the daemon has",
        )


class TestLock:
    @linux
    def test_the_holder_of_a_lock_is_known_without_taking_it(self, places):
        code = (
            "import sys, time; from filelock import FileLock;"
            "lock = FileLock(sys.argv[1]); lock.acquire();"
            "print('held', flush=True); time.sleep(60)"
        )
        command = [sys.executable, "-c", code, str(places.state / "daemon.lock")]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            check = upkeep.lock(places, process.pid)
            process.kill()
        assert check.message == f"held by pid {process.pid}, which just starts or ends"
        assert upkeep.lock(places, None).message == "free"

    def test_looking_makes_no_lock(self, places):
        upkeep.lock(places, None)
        assert list(places.state.iterdir()) == []


class TestLedger:
    def test_a_sound_ledger_is_left_as_it_is(self, places):
        path = places.state / "ledger.sqlite3"
        Ledger.open(path, time.time).close()
        before = path.read_bytes()
        found = check_up(path, 5.0)
        assert (found.trouble, found.whole, found.damaged) == ("", True, False)
        assert path.read_bytes() == before
        assert upkeep.ledger(places).state == "ok"

    def test_a_damaged_page_is_found(self, places):
        path = places.state / "ledger.sqlite3"
        Ledger.open(path, time.time).close()
        data = bytearray(path.read_bytes())
        data[4096 * 2 : 4096 * 6] = b"\xa5" * (4096 * 4)
        path.write_bytes(data)
        check = upkeep.ledger(places)
        assert check.state == "fail"
        assert "is damaged: " in check.message

    def test_another_database_is_no_ledger(self, places):
        import sqlite3

        path = places.state / "ledger.sqlite3"
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE anything (x)")
        connection.close()
        assert upkeep.ledger(places).message.endswith("is damaged: it is not a ledger")

    def test_a_check_that_takes_too_long_is_given_up(self, places, monkeypatch):
        path = places.state / "ledger.sqlite3"
        Ledger.open(path, time.time).close()
        monkeypatch.setattr("ctxd.ledger.checkup.DOCTOR_LEDGER_STEPS", 1)
        found = check_up(path, -1.0)
        assert (found.whole, found.trouble) == (False, "")


class TestWatching:
    def look(self, tmp_path, places, limit, folders=5, instances=128):
        for number in range(folders):
            (tmp_path / ".claude" / "projects" / str(number)).mkdir(parents=True, exist_ok=True)
        limits = tmp_path / "limits"
        limits.mkdir()
        (limits / "max_user_watches").write_text(f"{limit}\n", encoding="ascii")
        (limits / "max_user_instances").write_text(f"{instances}\n", encoding="ascii")
        disk = watching.OnDisk(Environment("linux", tmp_path))
        return watching.watching(disk, places, polling=False, limits=limits)

    @linux
    def test_folders_within_the_limit_are_fine(self, tmp_path, places):
        [check] = self.look(tmp_path, places, 1000)
        assert check.message == "6 folders of 1,000 that the system lets a user watch"
        assert check.state == "ok"

    @linux
    @pytest.mark.parametrize(("limit", "instances"), [(7, 128), (1000, 0)])
    def test_a_limit_that_is_too_low_is_told_with_what_raises_it(
        self, tmp_path, places, limit, instances
    ):
        [check] = self.look(tmp_path, places, limit, instances=instances)
        assert check.state == "warn"
        assert check.hint == "`sudo sysctl fs.inotify.max_user_watches=524288`"

    def test_logs_are_counted_by_agent_with_the_newest(self, tmp_path):
        for agent, number in ((".claude/projects/x", 2), (".copilot/session-state/y", 1)):
            folder = tmp_path / agent
            folder.mkdir(parents=True)
            for one in range(number):
                name = "events.jsonl" if "copilot" in agent else f"{one}.jsonl"
                (folder / name).touch()
                os.utime(folder / name, (1000 + one, 1000 + one))
        disk = watching.OnDisk(Environment("linux", tmp_path))
        assert {name: (one.files, one.newest) for name, one in disk.agents.items()} == {
            "claude-code": (2, 1001),
            "copilot-cli": (1, 1000),
        }


class TestClients:
    CLIENT = Client(agent="x", product="X", proven=("1.0.9", "1.0.10", "2.1.3"))

    @pytest.mark.parametrize(
        ("version", "standing"),
        [
            ("1.0.10", "tested"),
            ("1.0.11", "like a tested one"),
            ("1.7.0", "like a tested one"),
            ("2.1.40", "like a tested one"),
            ("2.2.0", "newer"),
            ("10.0.0", "newer"),
            ("0.9", "older"),
            ("", "not known"),
        ],
    )
    def test_a_version_is_held_against_those_that_were_tested(self, version, standing):
        assert self.CLIENT.standing(version) == standing

    def test_every_agent_whose_logs_are_read_is_known(self):
        assert {client.agent for client in CLIENTS} == {parser.agent for parser in PARSERS}

    @pytest.mark.parametrize("client", [c for c in CLIENTS if c.proven], ids=lambda c: c.agent)
    def test_proven_versions_are_those_of_the_recorded_logs(self, client):
        folder = ROOT / "tests" / "parsers" / client.agent
        recorded = [path.name for path in folder.iterdir() if path.name[0].isdigit()]
        ordered = sorted(recorded, key=lambda name: tuple(map(int, name.split("."))))
        assert list(client.proven) == ordered

    @pytest.mark.parametrize(
        ("settings", "days"),
        [
            ('{"cleanupPeriodDays": 5}', 5),
            ("{", 30),
            ("[]", 30),
            ('{"cleanupPeriodDays": "5"}', 30),
        ],
    )
    def test_how_long_logs_are_kept_is_read_from_the_clients_settings(
        self, tmp_path, settings, days
    ):
        (tmp_path / ".claude").mkdir()
        (tmp_path / ".claude" / "settings.json").write_text(settings, encoding="utf-8")
        kept = CLIENTS[0].keeps(Environment("linux", tmp_path))
        assert kept.days == days

    @pytest.mark.parametrize(
        "settings", ['{"cleanup.periodDays": 14}', '{"cleanup": {"periodDays": 14}}']
    )
    def test_settings_may_be_flat_or_nested(self, tmp_path, settings):
        folder = tmp_path / ".kiro" / "settings"
        folder.mkdir(parents=True)
        [client] = [client for client in CLIENTS if client.agent == "kiro-cli"]
        assert client.keeps(Environment("linux", tmp_path)) is None
        (folder / "cli.json").write_text(settings, encoding="utf-8")
        assert client.keeps(Environment("linux", tmp_path)).days == 14

    @pytest.mark.parametrize(
        ("retention", "days"),
        [
            ("{}", 30),
            ('{"maxAge": "12h"}', 0.5),
            ('{"maxAge": "2w", "enabled": true}', 14),
            ('{"maxAge": "soon"}', 30),
            ('{"enabled": false}', None),
            ("[]", 30),
        ],
    )
    def test_an_age_may_have_a_unit(self, tmp_path, retention, days):
        (tmp_path / ".gemini").mkdir()
        settings = f'{{"general": {{"sessionRetention": {retention}}}}}'
        (tmp_path / ".gemini" / "settings.json").write_text(settings, encoding="utf-8")
        [client] = [client for client in CLIENTS if client.agent == "gemini-cli"]
        kept = client.keeps(Environment("linux", tmp_path))
        assert (kept and kept.days) == days

    def test_what_cannot_be_read_is_told_with_what_the_user_can_switch_on(self, tmp_path):
        [client] = [client for client in CLIENTS if client.agent == "windsurf"]
        env = Environment("linux", tmp_path)
        assert client.closed(env) is None
        (tmp_path / ".codeium" / "windsurf" / "cascade").mkdir(parents=True)
        assert "`ctxd hook install windsurf`" in client.closed(env).instead
        (tmp_path / ".windsurf" / "transcripts").mkdir(parents=True)
        assert client.closed(env) is None

    def test_a_client_that_hangs_is_not_waited_for(self):
        class Agents:
            def version(self, vendor):
                if vendor.agent == "windsurf":
                    time.sleep(30)
                return ClientVersion("1.2.3", "client")

        begin = time.monotonic()
        told = ask_all(Agents(), 0.2)
        assert time.monotonic() - begin < 5
        assert told.late == ("windsurf",)
        assert told.versions["claude-code"].text == "1.2.3"


class FakeManager:
    """A service manager that says what it is told to."""

    name = "systemd"
    encoding = "utf-8"

    def __init__(self, file, state, why=""):
        self.file, self._state, self._why = file, state, why

    def run(self, command):
        return Done(0, "", "")

    def check(self):
        if self._why:
            raise UserError(self._why, "use `ctxd run`")

    def state(self):
        return self._state

    def advice(self):
        return "`loginctl enable-linger` has it run on"


class TestService:
    def checks(self, tmp_path, state, text=None, why=""):
        file = tmp_path / "ctxd.service"
        if text is not None:
            file.write_text(text, encoding="utf-8")
        return list(service(lambda: None, FakeManager(file, state, why)))

    def unit(self, **stamp):
        from ctxd.service_install.definition import Stamp, interpreter, stamped

        facts = {"version": __import__("ctxd").__version__, "interpreter": str(interpreter())}
        return stamped("# @\n[Unit]\n", Stamp(**facts | stamp), "@")

    RUNS = State(registered=True, at_login=True, running=True, pid=7)

    def test_one_that_runs_and_starts_at_login_is_fine(self, tmp_path):
        [check] = self.checks(tmp_path, self.RUNS, self.unit())
        assert check.state == "ok"
        assert check.message.startswith("running, started by systemd at login; `loginctl")

    def test_without_a_service_manager_nothing_is_wrong(self, tmp_path):
        [check] = self.checks(tmp_path, self.RUNS, why="there is no systemd here")
        assert (check.state, check.hint) == ("ok", "")

    def test_none_is_a_warning(self, tmp_path):
        [check] = self.checks(tmp_path, State())
        assert (check.state, check.hint) == ("warn", "`ctxd service install`")

    @pytest.mark.parametrize(
        ("stamp", "said"),
        [({"interpreter": "/gone/python"}, "which is gone"), ({"version": "0.0.1"}, "is of 0.0.1")],
    )
    def test_a_definition_that_is_stale_is_told(self, tmp_path, stamp, said):
        [check] = self.checks(tmp_path, self.RUNS, self.unit(**stamp))
        assert check.state == "warn"
        assert said in check.message

    def test_one_that_fails_is_a_failure(self, tmp_path):
        state = State(registered=True, at_login=True, running=False, failure="it ended with 1")
        [check] = self.checks(tmp_path, state, self.unit())
        assert (check.state, check.message) == ("fail", "it does not run: it ended with 1")

    def test_one_that_is_not_started_at_login_is_told(self, tmp_path):
        state = State(registered=True, at_login=False, running=True, pid=7)
        [check] = self.checks(tmp_path, state, self.unit())
        assert check.message == "it is not started at login"


class TestScrubbing:
    HOME = str(Path.home())

    def scrubber(self, **more):
        own = [Path("/home/x/.local/state/ctxd"), Path("/opt/py")]
        return Scrubber(own, [Path("/logs/projects")], ["/srv/marmalade", "/srv/ctxd"], **more)

    @pytest.mark.parametrize(
        ("text", "sent"),
        [
            ("see `/srv/marmalade/AGENTS.md` now", "see `<path>.md` now"),
            ("path='/srv/My Shop/a b.jsonl' why", "path='<path>.jsonl' why"),
            ("at /srv/marmalade/x.py:3", "at <path>"),
            ("/logs/projects/-srv-x/5b.jsonl", "/logs/projects/....jsonl"),
            (
                "/home/x/.local/state/ctxd/ledger.sqlite3",
                "/home/x/.local/state/ctxd/ledger.sqlite3",
            ),
            ("in marmalade, not in marmalades", "in <repository>, not in marmalades"),
            ("ctxd runs; 3/4 are read; a/b", "ctxd runs; 3/4 are read; a/b"),
            (r"C:\Users\x\shop\a.md is gone", "<path>.md is gone"),
            ("AKIAIOSFODNN7EXAMPLE", None),
        ],
    )
    def test_names_and_paths_do_not_get_through(self, text, sent):
        found = self.scrubber().text(text)
        assert found == sent if sent else text not in found

    def test_what_is_sent_stays_the_same_when_it_is_scrubbed_again(self):
        once = self.scrubber().text("see `/srv/marmalade/AGENTS.md` and /logs/projects/a.jsonl")
        assert self.scrubber().text(once) == once

    def test_a_long_line_takes_no_time(self):
        begin = time.process_time()
        for text in ("'/" * 50_000, "/" * 100_000, "~/a " * 25_000, "'" * 100_000):
            self.scrubber().text(text)
        assert time.process_time() - begin < 20


class TestSmallThings:
    def test_findings_of_one_kind_are_bounded(self):
        found = list(bounded(warn("x", f"{number}", "do") for number in range(9)))
        assert [check.message for check in found] == ["0", "1", "2", "6 more like it"]
        assert list(bounded([])) == []

    def test_a_clock_before_this_ctxd_was_written_is_wrong(self):
        assert machine.clock(0.0, None).state == "warn"
        assert machine.clock(time.time(), None).state == "ok"
        assert machine.clock(time.time(), time.time() + 10 * 86_400).state == "warn"

    def test_what_is_installed_here_is_new_enough(self):
        assert machine.versions().state == "ok"

    def test_a_sqlite_that_is_too_old_is_a_failure(self, monkeypatch):
        monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 8, 0))
        check = machine.versions()
        assert check.state == "fail"
        assert check.message.endswith("it needs SQLite 3.35 at least")


class TestLater:
    def test_what_was_found_in_time_is_there(self):
        assert Later(lambda: 7).by(time.monotonic() + 30) == 7

    def test_what_hangs_is_not_waited_for(self):
        gate = threading.Event()
        assert Later(gate.wait).by(time.monotonic() + 0.05) is None
        gate.set()

    def test_what_fails_fails_where_it_is_waited_for(self):
        with pytest.raises(ZeroDivisionError):
            Later(lambda: 1 / 0).by(time.monotonic() + 30)
