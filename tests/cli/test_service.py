"""`ctxd service` as its users run it, with a stand-in for `systemctl` that starts real daemons."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import jsonschema
import pytest

from cli.running import PATIENCE_SECONDS, ROOT, plain
from ctxd import __version__
from ctxd.processes import living

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is of Linux")
WIDTHS = (60, 80, 200)


class Systemd:
    """The stand-in, as a test sees it."""

    def __init__(self, folder, home):
        self.folder = folder
        self.home = home
        (folder / "bin").mkdir(parents=True)
        program = folder / "bin" / "systemctl"
        script = ROOT / "tests" / "fake_systemctl.py"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
        program.chmod(0o755)
        home.variables["PATH"] = f"{folder / 'bin'}:{home.variables['PATH']}"
        home.variables["FAKE_SYSTEMD"] = str(folder)

    @property
    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def orders(self):
        """Those calls that change something."""
        return [call.removeprefix("--user ") for call in self.calls if " show" not in call]

    @property
    def pid(self):
        state = self.folder / "state.json"
        return json.loads(state.read_text()).get("pid") if state.exists() else None

    @property
    def unit(self):
        return self.home.path / ".config" / "systemd" / "user" / "ctxd.service"

    def order(self, word):
        command = ["systemctl", "--user", word, "ctxd.service"]
        subprocess.run(command, env=self.home.variables, capture_output=True, check=False)

    def edit(self, old, new):
        text = self.unit.read_text(encoding="utf-8")
        assert old in text
        self.unit.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def systemd(tmp_path, home):
    made = Systemd(tmp_path / "systemd", home)
    yield made
    if made.pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(made.pid, signal.SIGKILL)


def wait_for_daemon(home, process):
    until = time.monotonic() + PATIENCE_SECONDS
    while home.ctxd("ping").code != 0:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)


def tree(home):
    """All there is but what the daemon itself keeps."""
    own = home.path / ".local"
    return {
        path.relative_to(home.path): path.read_bytes() if path.is_file() else None
        for path in home.path.rglob("*")
        if path != own and own not in path.parents
    }


def test_install_starts_it_with_next_to_no_environment_and_uninstall_leaves_no_trace(systemd, home):
    before = tree(home)
    run = home.ctxd("service", "install")
    assert (run.code, run.lines) == (
        0,
        ["wrote ~/.config/systemd/user/ctxd.service", "ctxd runs, and starts at each login"],
    )
    assert systemd.orders == ["daemon-reload", "enable ctxd.service", "start ctxd.service"]
    assert home.ctxd("ping").code == 0
    assert f"{sys.executable} -P -m ctxd run" in systemd.unit.read_text(encoding="utf-8")
    pid = systemd.pid
    run = home.ctxd("service", "uninstall")
    assert run.code == 0
    assert run.lines[0] == "removed ~/.config/systemd/user/ctxd.service"
    assert living(pid) is None
    assert tree(home) == before
    assert (home.path / ".local" / "state" / "ctxd").exists()


def test_what_was_there_before_is_there_afterwards(systemd, home):
    other = home.path / ".config" / "systemd" / "user" / "default.target.wants" / "x.service"
    other.parent.mkdir(parents=True)
    other.write_text("")
    before = tree(home)
    home.ctxd("service", "install")
    home.ctxd("service", "uninstall")
    assert tree(home) == before


def test_to_install_twice_is_to_install_once(systemd, home):
    home.ctxd("service", "install")
    done, pid, unit = systemd.orders, systemd.pid, systemd.unit.stat()
    run = home.ctxd("service", "install")
    assert (run.code, run.out) == (0, "ctxd runs, and starts at each login already\n")
    assert (systemd.orders, systemd.pid) == (done, pid)
    assert systemd.unit.stat() == unit


def test_a_dry_run_shows_everything_and_does_nothing(systemd, home):
    before = tree(home)
    run = home.ctxd("service", "install", "--dry-run")
    assert run.code == 0
    assert run.lines[0] == "would write ~/.config/systemd/user/ctxd.service"
    assert "    Type=notify" in run.lines
    assert run.lines[-3:] == [
        "would run systemctl --user daemon-reload",
        "would run systemctl --user enable ctxd.service",
        "would run systemctl --user start ctxd.service",
    ]
    assert tree(home) == before
    assert not systemd.orders
    home.ctxd("service", "install")
    done = systemd.orders
    run = home.ctxd("service", "uninstall", "--dry-run")
    assert run.lines == [
        "would run systemctl --user disable --now ctxd.service",
        "would remove ~/.config/systemd/user/ctxd.service",
        "would run systemctl --user daemon-reload",
        "would run systemctl --user reset-failed ctxd.service",
    ]
    assert systemd.orders == done
    assert home.ctxd("service", "install", "--dry-run").out == "nothing to do\n"


def test_stop_start_and_restart(systemd, home):
    home.ctxd("service", "install")
    first = systemd.pid
    assert home.ctxd("service", "stop").out == "ctxd is stopped\n"
    assert not systemd.pid
    assert home.ctxd("service", "stop").out == "ctxd is not running\n"
    run = home.ctxd("service", "status")
    assert run.code == 3
    assert "stopped" in run.out
    assert home.ctxd("service", "start").out == "ctxd runs\n"
    assert home.ctxd("service", "start").out == "ctxd runs already\n"
    second = systemd.pid
    assert home.ctxd("service", "restart").out == "ctxd runs\n"
    assert len({first, second, systemd.pid}) == 3


@pytest.mark.parametrize("action", ["start", "stop", "restart"])
def test_without_a_service_there_is_nothing_to_start_or_stop(systemd, home, action):
    run = home.ctxd("service", action)
    assert run.code == 3
    assert run.err == "error: the service is not installed\n\nhint: `ctxd service install`\n"
    assert not systemd.orders


def test_uninstall_without_a_service_is_no_failure(systemd, home):
    run = home.ctxd("service", "uninstall")
    assert run.code == 0
    assert run.out.startswith("the service is not installed")
    assert not systemd.orders


def test_status_is_0_while_it_runs_and_3_while_it_does_not(systemd, home):
    run = home.ctxd("service", "status")
    assert run.code == 3
    assert "not installed" in run.out
    home.ctxd("service", "install")
    assert home.ctxd("service", "status").code == 0


def test_status_as_json_is_as_published(systemd, home):
    schema = json.loads(
        (ROOT / "daemon" / "ctxd" / "schemas" / "service-1.schema.json").read_text("utf-8")
    )
    absent = home.ctxd("service", "status", "--json")
    assert absent.code == 3
    jsonschema.validate(json.loads(absent.out), schema)
    assert json.loads(absent.out)["needs"][0]["code"] == "service.missing"
    home.ctxd("service", "install")
    report = json.loads(home.ctxd("service", "status", "--json").out)
    jsonschema.validate(report, schema)
    assert report == {
        "schema": "ctxd.service/1",
        "manager": "systemd",
        "state": "running",
        "failure": "",
        "pid": systemd.pid,
        "at_login": True,
        "definition": str(systemd.unit),
        "definition_version": __version__,
        "interpreter": sys.executable,
        "running_version": __version__,
        "installed_version": __version__,
        "other_pid": None,
        "needs": [],
    }


def test_a_definition_of_another_version_is_told_and_brought_up_to_date(systemd, home):
    home.ctxd("service", "install")
    systemd.edit(f'"version": "{__version__}"', '"version": "0.0.9"')
    run = home.ctxd("service", "status")
    assert f"! its definition is of 0.0.9, installed is {__version__}" in run.lines
    assert "  hint: `ctxd service install` brings it up to date" in run.lines
    before = systemd.pid
    assert home.ctxd("service", "install").code == 0
    assert systemd.pid != before
    assert "!" not in home.ctxd("service", "status").out


def test_an_older_daemon_at_work_is_told_and_restarted(systemd, home, tmp_path):
    old = tmp_path / "old"
    shutil.copytree(ROOT / "daemon" / "ctxd", old / "ctxd")
    (old / "ctxd" / "__init__.py").write_text('"""Old."""\n__version__ = "0.0.9"\n')
    home.ctxd("service", "install")
    home.ctxd("service", "stop")
    path = f"{old}:{home.variables['PYTHONPATH']}"
    process = subprocess.Popen(
        home.command("run"), env=home.variables | {"PYTHONPATH": path}, cwd="/"
    )
    try:
        (systemd.folder / "state.json").write_text(json.dumps({"pid": process.pid}))
        wait_for_daemon(home, process)
        run = home.ctxd("service", "status")
        assert run.code == 0
        assert f"! needs restart: running 0.0.9, installed {__version__}" in run.lines
        assert "  hint: `ctxd service restart`" in run.lines
        assert home.ctxd("service", "install").out == "ctxd runs, and starts at each login\n"
        assert process.wait(10) == 0
        assert home.ctxd("service", "status", "--json").out.count(__version__) == 3
    finally:
        process.kill()
        process.wait()


def test_an_interpreter_that_is_gone_is_told(systemd, home):
    home.ctxd("service", "install")
    systemd.edit(json.dumps(sys.executable).replace("-", "\\u002d"), '"/gone/bin/python"')
    run = home.ctxd("service", "status")
    assert "! it starts `/gone/bin/python`, which is gone" in run.lines


def test_settings_that_are_wrong_are_told_before_anything_is_written(systemd, home):
    config = home.path / ".config" / "ctxd" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("wriet = 'off'\n", encoding="utf-8")
    for action in ("install", "start", "restart"):
        run = home.ctxd("service", action)
        assert run.code == 2
        assert "wriet" in run.err
    assert not systemd.orders
    assert not systemd.unit.exists()


def test_settings_that_become_wrong_end_it_with_78_and_status_says_why(systemd, home):
    home.ctxd("service", "install")
    home.ctxd("service", "stop")
    config = home.path / ".config" / "ctxd" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("wriet = 'off'\n", encoding="utf-8")
    systemd.order("start")
    assert json.loads((systemd.folder / "state.json").read_text())["status"] == 78
    assert "RestartPreventExitStatus=78" in systemd.unit.read_text(encoding="utf-8")
    run = home.ctxd("service", "status")
    assert run.code == 3
    assert "! it does not run: its settings are wrong" in run.lines


def test_a_unit_of_somebody_else_is_left_alone(systemd, home):
    systemd.unit.parent.mkdir(parents=True)
    systemd.unit.write_text("[Service]\nExecStart=/usr/bin/true\n")
    before = tree(home)
    for action in ("install", "uninstall"):
        run = home.ctxd("service", action)
        assert run.code == 1
        assert "was not written by ctxd" in run.err
    assert tree(home) == before


def test_a_link_in_its_place_is_left_alone(systemd, home):
    systemd.unit.parent.mkdir(parents=True)
    systemd.unit.symlink_to(home.path / "dotfiles" / "ctxd.service")
    run = home.ctxd("service", "install")
    assert run.code == 1
    assert "is a link to" in run.err
    assert systemd.unit.is_symlink()


def test_what_somebody_changed_in_the_unit_is_not_overwritten(systemd, home):
    home.ctxd("service", "install")
    systemd.edit("Nice=10", "Nice=5")
    text = systemd.unit.read_text(encoding="utf-8")
    run = home.ctxd("service", "install")
    assert run.code == 1
    assert "was edited since ctxd wrote it" in run.err
    assert systemd.unit.read_text(encoding="utf-8") == text
    assert home.ctxd("service", "uninstall").code == 0
    assert not systemd.unit.exists()


def test_a_masked_unit_is_named(systemd, home):
    (systemd.folder / "masked").touch()
    run = home.ctxd("service", "install")
    assert run.code == 1
    assert "error: `ctxd.service` is masked" in run.err
    assert "hint: `systemctl --user unmask ctxd.service`, then again" in run.err


def test_a_unit_of_a_package_is_enabled_and_never_copied(systemd, home):
    folder = systemd.folder / "packaged"
    folder.mkdir()
    command = f"{sys.executable} -m ctxd run"
    (folder / "ctxd.service").write_text(f"[Service]\nExecStart={command}\n")
    (systemd.home.path / ".config" / "systemd" / "user").mkdir(parents=True)
    before = tree(home)
    assert home.ctxd("service", "install").code == 0
    assert not systemd.unit.exists()
    report = json.loads(home.ctxd("service", "status", "--json").out)
    assert (report["state"], report["definition"]) == ("running", str(folder / "ctxd.service"))
    assert home.ctxd("service", "uninstall").code == 0
    assert tree(home) == before
    assert not systemd.pid


def test_without_systemd_it_says_what_else_can_be_done(home, tmp_path):
    (tmp_path / "bin").mkdir()
    for action in ("install", "status"):
        run = home.ctxd("service", action, PATH=str(tmp_path / "bin"))
        assert run.code == 1
        assert run.err.startswith("error: there is no systemd here to run a service\n\nhint: ")
        assert "`ctxd run`" in run.err
        assert "@reboot" in run.err


def test_without_a_bus_of_the_user_it_says_so_and_writes_nothing(systemd, home):
    (systemd.folder / "no-bus").touch()
    before = tree(home)
    run = home.ctxd("service", "install")
    assert run.code == 1
    assert "Failed to connect to bus: No medium found" in run.err
    assert "@reboot" in run.err
    assert tree(home) == before


def test_what_systemd_refuses_is_told_in_its_own_words(systemd, home):
    (systemd.folder / "refuses").touch()
    run = home.ctxd("service", "install")
    assert run.code == 1
    assert "error: `systemctl --user daemon-reload` failed: Failed to daemon-reload unit" in run.err


def test_under_sudo_it_refuses(systemd, home):
    if os.geteuid() != 0:
        pytest.skip("needs root to look like sudo")
    run = home.ctxd("service", "install", SUDO_UID="1000")
    assert run.code == 1
    assert "hint: leave out `sudo`" in run.err


def test_a_daemon_in_the_foreground_is_not_disturbed(systemd, home):
    process = subprocess.Popen(home.command("run"), env=home.variables, cwd="/")
    try:
        wait_for_daemon(home, process)
        run = home.ctxd("service", "install")
        assert run.code == 0
        assert "ctxd starts at each login" in run.out
        assert f"! now another daemon is at work, pid {process.pid}" in run.err
        assert "start ctxd.service" not in systemd.orders
        assert process.poll() is None
        report = json.loads(home.ctxd("service", "status", "--json").out)
        assert (report["state"], report["other_pid"]) == ("stopped", process.pid)
        run = home.ctxd("service", "start")
        assert run.code == 1
        assert f"another daemon is at work, pid {process.pid}" in run.err
    finally:
        process.terminate()
        process.wait()


def test_folders_that_only_this_shell_names_are_written_down(systemd, home):
    state = str(home.path / "state of mine 100%")
    home.variables["XDG_STATE_HOME"] = state
    home.variables["CLAUDE_CONFIG_DIR"] = "/srv/$claude"
    run = home.ctxd("service", "install")
    assert run.code == 0, run.err
    text = systemd.unit.read_text(encoding="utf-8")
    assert f'Environment="XDG_STATE_HOME={state.replace("%", "%%")}"' in text
    assert 'Environment="CLAUDE_CONFIG_DIR=/srv/$claude"' in text


def test_own_folders_elsewhere_are_written_down(systemd, home):
    own = home.path / "own"
    assert home.ctxd("--home", own, "service", "install").code == 0
    assert f"-m ctxd --home {own} run" in systemd.unit.read_text(encoding="utf-8")
    assert home.ctxd("--home", own, "ping").code == 0
    assert home.ctxd("ping").code == 3
    home.variables["CTXD_HOME"] = str(own)
    assert home.ctxd("service", "install").out.endswith("already\n")


def test_a_module_of_the_same_name_in_the_home_folder_is_not_what_starts(systemd, home):
    (home.path / "json.py").write_text("raise SystemExit('wrong one')\n")
    (home.path / "ctxd.py").write_text("raise SystemExit('wrong one')\n")
    assert home.ctxd("service", "install", PYTHONSAFEPATH="1").code == 0
    assert home.ctxd("ping", PYTHONSAFEPATH="1").code == 0


@pytest.mark.parametrize(
    "arguments",
    [["install", "--json"], ["status", "--dry-run"], ["stop", "-f"], ["install", "-n", "3"]],
)
def test_an_option_of_another_action_is_refused(systemd, home, arguments):
    run = home.ctxd("service", *arguments)
    assert run.code == 2
    assert f"`{arguments[1]}` says nothing to `{arguments[0]}`" in run.err


def test_an_action_is_one_of_seven(home):
    assert home.ctxd("service").code == 2
    assert home.ctxd("service", "reinstall").code == 2


def write_log(home, *names, count=100):
    folder = home.path / ".local" / "state" / "ctxd" / "log"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        lines = "".join(f"{name} line {number}\n" for number in range(count))
        (folder / name).write_text(lines, encoding="utf-8")
    return folder / "ctxd.log"


def test_logs_shows_the_last_lines(home):
    write_log(home, "ctxd.log")
    assert len(home.ctxd("service", "logs").lines) == 40
    assert home.ctxd("service", "logs", "-n", "2").lines == ["ctxd.log line 98", "ctxd.log line 99"]


def test_logs_goes_back_into_the_log_that_was_rotated(home):
    write_log(home, "ctxd.log", "ctxd.log.1", count=3)
    lines = home.ctxd("service", "logs", "-n", "4").lines
    assert lines == ["ctxd.log.1 line 2", *(f"ctxd.log line {number}" for number in range(3))]


def test_logs_needs_no_service_manager_and_says_where_else_to_look(home, tmp_path):
    run = home.ctxd("service", "logs", PATH=str(tmp_path))
    assert run.code == 1
    assert "error: cannot read `~/.local/state/ctxd/log/ctxd.log`: no such file" in run.err
    assert "hint: `journalctl --user -u ctxd` shows" in run.err


def test_logs_cannot_act_on_the_terminal(home):
    log = write_log(home, "ctxd.log", count=1)
    log.write_text("\x1b[2Jgone \u202e\n", encoding="utf-8")
    assert home.ctxd("service", "logs").out == "\\x1b[2Jgone \\u202e\n"


def test_logs_follows_over_a_rotation(home):
    log = write_log(home, "ctxd.log", count=1)
    process = subprocess.Popen(
        home.command("service", "logs", "-f"),
        env=home.variables,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ctxd.log line 0\n"
        with log.open("a", encoding="utf-8") as file:
            file.write("second\nhalf")
        assert process.stdout.readline() == "second\n"
        with log.open("a", encoding="utf-8") as file:
            file.write(" of it\nlast of the old\n")
        log.rename(log.with_name("ctxd.log.1"))
        log.write_text("first of the new\n", encoding="utf-8")
        lines = [process.stdout.readline() for _ in range(3)]
        assert lines == ["half of it\n", "last of the old\n", "first of the new\n"]
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        process.stdout.close()


def settled(text):
    """Without what differs from run to run."""
    text = plain(text).replace(sys.executable, "/opt/ctxd/bin/python")
    return text.replace(__version__, "0.1.0")


@pytest.fixture
def needy(systemd, home):
    """A service that everything is wrong with."""
    home.ctxd("service", "install")
    home.ctxd("service", "stop")
    systemd.edit(json.dumps(sys.executable).replace("-", "\\u002d"), '"/opt/old/bin/python"')
    (systemd.folder / "state.json").write_text(
        json.dumps({"pid": 0, "result": "watchdog", "status": 9})
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_status_at_a_width(needy, home, snapshot, width):
    run = home.on_terminal(width, "service", "status")
    assert run.code == 3
    text = settled(run.out)
    assert max(map(len, text.splitlines())) <= width
    snapshot(f"service-status-{width}", text)


def test_status_without_a_terminal_is_whole_and_plain(needy, home, snapshot):
    run = home.ctxd("service", "status", LC_ALL="C")
    assert "\x1b" not in run.out
    snapshot("service-status-piped", settled(run.out))
    assert "\x1b" not in home.on_terminal(80, "service", "status", NO_COLOR="1").out


@pytest.mark.parametrize("width", WIDTHS)
def test_status_of_nothing_at_a_width(systemd, home, snapshot, width):
    run = home.on_terminal(width, "service", "status")
    snapshot(f"service-none-{width}", settled(run.out))


def test_a_reader_that_stops_reading_is_no_trouble(systemd, home):
    line = f'"{sys.executable}" -m ctxd service install --dry-run | head -1'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env=home.variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("would write")
