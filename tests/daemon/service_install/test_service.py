"""Installing and removing on systems that are not here: their programs are noted, not run."""

import shutil

import msgspec
import pytest

from ctxd import __version__
from ctxd.errors import UserError
from ctxd.service.control import Answer
from ctxd.service_install.launchd import Launchd
from ctxd.service_install.managers import State
from ctxd.service_install.service import NotInstalledError, Service
from ctxd.service_install.steps import Call, carry_out
from ctxd.service_install.windows import TaskScheduler

pytestmark = pytest.mark.skipif(not hasattr(__import__("os"), "getuid"), reason="POSIX paths")


class Daemon:
    """Answers, while it is there."""

    answer = None

    def __call__(self):
        return self.answer


@pytest.fixture
def daemon():
    return Daemon()


@pytest.fixture(params=[Launchd, TaskScheduler])
def service(request, programs, daemon, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "home" / "Local"))
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    (tmp_path / "home").mkdir()
    made = Service(request.param(programs), daemon)
    made.state = State()
    monkeypatch.setattr(made.manager, "state", lambda: made.state)
    return made


@pytest.fixture
def definition(definition, tmp_path):
    log = tmp_path / "home" / "logs" / "ctxd"
    return msgspec.structs.replace(definition, log=log, version=__version__)


def tree(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*"))


def test_what_is_installed_is_removed_without_a_trace(service, definition, programs, tmp_path):
    before = tree(tmp_path)
    carry_out(service.install(definition), programs)
    assert tree(tmp_path) != before
    assert programs.calls
    service.state = State(registered=True, at_login=True)
    assert service.report().state == "stopped"
    carry_out(service.uninstall(), programs)
    assert tree(tmp_path) == before
    service.state = State()
    assert service.uninstall() == []


def test_what_is_installed_and_runs_is_left_alone(service, definition, programs, daemon):
    carry_out(service.install(definition), programs)
    running = None if isinstance(service.manager, TaskScheduler) else True
    service.state = State(registered=True, at_login=True, running=running, pid=running and 42)
    daemon.answer = Answer(ok=True, version=__version__, pid=42)
    assert service.install(definition) == []
    assert service.start() == []
    report = service.report()
    assert (report.state, report.pid, report.running_version) == ("running", 42, __version__)
    assert [need.code for need in report.needs] == ["service.stale"]  # no such interpreter here


def test_another_daemon_is_not_disturbed(service, definition, daemon):
    daemon.answer = Answer(ok=True, version=__version__, pid=7)
    service.state = State(registered=True, at_login=True, running=False)
    assert service.other() == 7
    assert not [step for step in service.install(definition)[-1:] if is_start(step)]


def is_start(step):
    return isinstance(step, Call) and bool({"kickstart", "/run"} & set(step.command))


def test_an_outdated_daemon_is_restarted(service, definition, programs, daemon):
    carry_out(service.install(definition), programs)
    running = None if isinstance(service.manager, TaskScheduler) else True
    service.state = State(registered=True, at_login=True, running=running, pid=running and 42)
    daemon.answer = Answer(ok=True, version="0.0.9", pid=42)
    assert service.install(definition) == service.manager.restart(service.state)
    assert "service.restart" in [need.code for need in service.report().needs]


def test_nothing_is_started_or_stopped_that_is_not_installed(service):
    for action in (service.start, service.stop, service.restart):
        with pytest.raises(NotInstalledError):
            action()


def test_a_definition_in_another_encoding_is_nobody_of_ours(service, definition):
    service.manager.file.parent.mkdir(parents=True)
    service.manager.file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="was not written by ctxd"):
        service.install(definition)


def test_folders_that_only_a_shell_names_are_told_where_they_are_not_seen(monkeypatch):
    monkeypatch.setenv("APPDATA", "C:\\x")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert "APPDATA" not in TaskScheduler().advice()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "C:\\claude")
    assert "`CLAUDE_CONFIG_DIR`" in TaskScheduler().advice()
