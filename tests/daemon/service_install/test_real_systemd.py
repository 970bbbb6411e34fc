"""The service under a real systemd, of a user who may do nothing special, from an installed wheel.

It is the one that `ctxd service install` sets up, with everything that its unit forbids.
"""

import errno
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from e2e.conversations import ClaudeCode
from git_repos import commit, new_repository
from installed import ROOT, build, install, python_for_everybody
from private_bus import _SERVER
from user_manager import RUNTIME, logged_in, needs_user_manager

pytestmark = [
    pytest.mark.long,
    needs_user_manager,
    pytest.mark.skipif(not python_for_everybody(), reason="needs a Python that all may start"),
]
BAN = "Never log request bodies, not even at debug level."


@pytest.fixture(scope="module")
def python():
    """The interpreter of an installed ctxd that every user can start."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    wheel = build(ROOT, folder / "dist")
    yield install(wheel, folder / "venv", python_for_everybody())
    shutil.rmtree(folder)


@pytest.fixture
def login(python):
    with logged_in() as manager:
        manager.ctxd = lambda *words: manager.run(python, "-m", "ctxd", *words)
        yield manager


@pytest.fixture
def service(login):
    """The service, installed and running."""
    done = login.ctxd("service", "install")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "ctxd runs, and starts at each login",
    ), done.stderr + login.log
    return login


def wait_until(check, seconds=30.0):
    until = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < until
        time.sleep(0.1)
    return found


def drop_in(login, text):
    """What a user writes with `systemctl --user edit ctxd`."""
    file = login.home / ".config" / "systemd" / "user" / "ctxd.service.d" / "own.conf"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    login.give(file.parent)
    login.run("systemctl", "--user", "daemon-reload")


def own_files(login):
    units = login.home / ".config"
    return {str(path.relative_to(units)) for path in units.rglob("*")}


def test_it_is_ready_at_login_and_confined(service):
    facts = {name: service.show(name) for name in ("ActiveState", "Type", "StatusText", "Result")}
    assert facts["ActiveState"] == "active"
    assert (facts["Type"], facts["Result"]) == ("notify", "success")
    assert facts["StatusText"].startswith("watching ")
    assert service.show("UnitFileState") == "enabled"
    pid = service.show("MainPID")
    said = service.run("cat", f"/proc/{pid}/status").stdout
    assert "NoNewPrivs:\t1" in said
    assert "Seccomp:\t2" in said
    assert service.run("ps", "-o", "ni=", "-p", pid).stdout.strip() == "10"
    assert service.ctxd("ping").returncode == 0
    assert service.ctxd("service", "status").returncode == 0
    assert "started version=" in service.ctxd("service", "logs").stdout


def test_it_reads_sessions_and_writes_into_the_users_repositories(service):
    root = new_repository(service.home / "work" / "shop")
    commit(root, {"AGENTS.md": "# shop\n"})
    service.give(root)
    talk = ClaudeCode(service.home, "one", cwd=str(root))
    for speak in (
        lambda: talk.user("Look at the code first."),
        lambda: talk.assistant("It is a shop."),
        lambda: talk.user(BAN),
        lambda: talk.assistant("Understood."),
    ):
        speak()
        service.give(service.home / ".claude")
    file = root / "AGENTS.md"
    wait_until(lambda: BAN in file.read_text(encoding="utf-8"))
    assert file.stat().st_uid == root.stat().st_uid
    wait_until((root / ".ctxd" / "items.jsonl").exists)
    staged = service.run("git", "-C", root, "diff", "--cached", "--name-only")
    assert (staged.returncode, staged.stdout) == (0, "")
    assert "defect" not in service.ctxd("service", "logs", "-n", "1000").stdout


def test_a_daemon_that_hangs_is_killed_and_started_again(service):
    drop_in(service, "[Service]\nWatchdogSec=3\nRestartSec=1\n")
    assert service.ctxd("service", "restart").returncode == 0
    pid = service.show("MainPID")
    # It pings often enough not to be killed while it is well.
    time.sleep(7)
    assert (service.show("MainPID"), service.show("NRestarts")) == (pid, "0")
    service.run("kill", "-STOP", pid)
    wait_until(lambda: service.show("NRestarts") == "1")
    wait_until(lambda: service.show("ActiveState") == "active")
    assert service.show("MainPID") not in {pid, "0"}
    assert service.ctxd("ping").returncode == 0


def test_a_daemon_that_is_killed_is_started_again_and_a_stop_is_clean(service):
    drop_in(service, "[Service]\nRestartSec=1\n")
    pid = service.show("MainPID")
    service.run("kill", "-KILL", pid)
    wait_until(lambda: service.show("NRestarts") == "1")
    wait_until(lambda: service.show("ActiveState") == "active")
    begin = time.monotonic()
    assert service.ctxd("service", "stop").stdout == "ctxd is stopped\n"
    assert time.monotonic() - begin < 10
    assert service.show("ActiveState") == "inactive"
    assert (service.show("Result"), service.show("ExecMainStatus")) == ("success", "0")
    assert "stopped" in service.ctxd("service", "logs", "-n", "1").stdout
    assert service.ctxd("service", "status").returncode == 3
    assert service.ctxd("service", "start").stdout == "ctxd runs\n"


def test_wrong_settings_are_not_tried_again(service):
    drop_in(service, "[Service]\nRestartSec=1\n")
    config = service.home / ".config" / "ctxd" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("wriet = 'off'\n", encoding="utf-8")
    service.give(config.parent)
    service.run("systemctl", "--user", "restart", "ctxd.service")
    wait_until(lambda: service.show("ActiveState") == "failed")
    time.sleep(3)
    assert service.show("ExecMainStatus") == "78"
    assert service.show("NRestarts") == "0"
    report = service.ctxd("service", "status")
    assert report.returncode == 3
    assert "! it does not run: its settings are wrong" in report.stdout
    assert "`wriet`" in service.ctxd("service", "start").stderr
    config.write_text("", encoding="utf-8")
    assert service.ctxd("service", "start").returncode == 0


def test_notices_go_out_from_there_and_no_network_does(service, python):
    bus = f"DBUS_SESSION_BUS_ADDRESS=unix:path={RUNTIME}/bus"
    server = service.home / "server.py"
    server.write_text(_SERVER, encoding="utf-8")
    words = ["systemd-run", "--user", "--collect", "--unit=desktop", f"--setenv={bus}"]
    done = service.run(*words, python, server, "plain", service.home / "said")
    assert done.returncode == 0, done.stderr
    script = service.home / "script.py"
    script.write_text(
        "import ctypes, socket, subprocess, sys\n"
        "from ctxd.notify.errand import dispatch\n"
        "from ctxd.notify.values import Notice\n"
        "told = dispatch(Notice('key', 'A title', 'a body'))\n"
        "try:\n"
        "    socket.socket(socket.AF_INET, socket.SOCK_STREAM)\n"
        "except OSError as error:\n"
        "    network = error.errno\n"
        "git = subprocess.run(['git', '--version'], capture_output=True).returncode\n"
        "print(told.state, network, git, file=open(sys.argv[1], 'w'))\n",
        encoding="utf-8",
    )
    # The same unit, with all that it forbids, and another program in it.
    result = service.home / "result"
    command = f"ExecStart=\nExecStart={python} {script} {result}"
    drop_in(service, f"[Service]\nType=oneshot\nRestart=no\nWatchdogSec=0\n{command}\n")
    service.run("systemctl", "--user", "stop", "ctxd.service")
    done = service.run("systemctl", "--user", "start", "ctxd.service")
    assert done.returncode == 0, done.stderr + service.log
    refused = str(errno.EAFNOSUPPORT)
    assert result.read_text(encoding="utf-8").split() == ["dispatched", refused, "0"]
    assert "A title" in (service.home / "said").read_text(encoding="utf-8")


def test_uninstall_leaves_nothing_of_the_service(login):
    before = own_files(login)
    login.ctxd("service", "install")
    assert own_files(login) != before
    done = login.ctxd("service", "uninstall")
    assert done.returncode == 0, done.stderr
    assert own_files(login) == before
    assert login.show("LoadState") == "not-found"
    assert login.ctxd("ping").returncode == 3
    assert login.ctxd("service", "uninstall").returncode == 0


def test_it_comes_up_by_itself_at_the_next_login(service):
    service.ctxd("service", "stop")
    service.run("systemctl", "--user", "start", "default.target")
    service.run("systemctl", "--user", "isolate", "basic.target")
    service.run("systemctl", "--user", "isolate", "default.target")
    wait_until(lambda: service.show("ActiveState") == "active")
