"""`ctxd doctor`: what is wrong is named with what to do about it, and nothing is changed."""

import json
import os
import stat
import sys
import tempfile
from pathlib import Path

import jsonschema
import pytest

from cli.running import ROOT
from ctxd.doctor import TEST
from private_bus import needs_bus, private_bus

linux = pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is used on Linux")
SCHEMA = ROOT / "daemon" / "ctxd" / "schemas" / "doctor-1.schema.json"


@pytest.fixture
def bus():
    with tempfile.TemporaryDirectory(prefix="ctxd-bus-") as folder, private_bus(Path(folder)) as it:
        yield it


def said(run):
    """State and message of each check, by its name, in a printed report."""
    lines = [line.split(maxsplit=2) for line in run.lines if not line.startswith(" ")]
    return {name.rstrip(":"): (state, message) for state, name, message in lines}


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
        state, message = said(run)["notices"]
        assert state == "fail"
        assert message.endswith("by D-Bus: the notification daemon refuses it: no room for more")
        assert "hint:" in run.out

    @linux
    @needs_bus
    def test_the_same_is_told_to_programs(self, home, bus):
        bus.serve()
        run = home.ctxd("doctor", "--notify", "--json", **bus.variables)
        report = json.loads(run.out)
        jsonschema.validate(report, json.loads(SCHEMA.read_text(encoding="utf-8")))
        [check] = report["checks"]
        assert (check["name"], check["state"], check["hint"]) == ("notices", "ok", "")

    @linux
    @needs_bus
    def test_it_writes_nothing(self, home, bus):
        bus.serve()
        before = home.files()
        home.ctxd("doctor", "--notify", **bus.variables)
        assert home.files() == before


class TestLooking:
    def test_on_a_new_machine_only_the_daemon_is_missing(self, home):
        before = home.files()
        run = home.ctxd("doctor")
        assert run.code == 4
        found = said(run)
        assert {name for name, (state, _) in found.items() if state != "ok"} == {"daemon"}
        assert found["daemon"][1] == "the daemon is not running: never started"
        assert "hint: start it with `ctxd run`" in run.out
        assert home.files() == before

    def test_settings_that_are_wrong_are_named(self, home):
        config = home.path / "own" / "config"
        config.mkdir(parents=True)
        (config / "config.toml").write_text('[notify]\nlevle = "off"\n', encoding="utf-8")
        run = home.ctxd("--home", "own", "doctor")
        state, message = said(run)["settings"]
        assert state == "fail"
        assert "unknown key `notify.levle`" in message
        assert "did you mean `level`?" in run.out

    @pytest.mark.skipif(os.name == "nt", reason="modes")
    def test_a_folder_that_others_may_enter_is_named(self, home):
        state = home.path / "own" / "state"
        state.mkdir(parents=True)
        state.chmod(0o755)
        run = home.ctxd("--home", "own", "doctor")
        assert said(run)["folders"][0] == "fail"
        assert str(state) in said(run)["folders"][1]
        assert stat.S_IMODE(state.stat().st_mode) == 0o755

    def test_a_ledger_that_cannot_be_read_is_named_and_left_as_it_is(self, home):
        state = home.path / "own" / "state"
        state.mkdir(parents=True, mode=0o700)
        (state / "ledger.sqlite3").write_bytes(b"no database" * 1000)
        run = home.ctxd("--home", "own", "doctor")
        assert run.code == 4
        assert said(run)["ledger"][0] == "fail"
        assert (state / "ledger.sqlite3").read_bytes() == b"no database" * 1000

    def test_the_same_is_told_to_programs(self, home):
        report = json.loads(home.ctxd("doctor", "--json").out)
        jsonschema.validate(report, json.loads(SCHEMA.read_text(encoding="utf-8")))
        assert {check["name"] for check in report["checks"]} >= {"versions", "settings", "daemon"}
        assert all(check["hint"] for check in report["checks"] if check["state"] != "ok")
