"""The launch agent, as launchd reads it."""

import plistlib
import shutil
from pathlib import Path

import pytest

from ctxd.service_install.definition import Stamp, is_edited, stamp_of
from ctxd.service_install.launchd import Launchd, agent
from ctxd.service_install.managers import State
from ctxd.service_install.steps import Call, CallFailedError, Done, carry_out

pytestmark = pytest.mark.skipif(not hasattr(__import__("os"), "getuid"), reason="POSIX only")

KEYS = {
    "Label": str,
    "ProgramArguments": list,
    "EnvironmentVariables": dict,
    "RunAtLoad": bool,
    "KeepAlive": dict,
    "ThrottleInterval": int,
    "ExitTimeOut": int,
    "ProcessType": str,
    "LowPriorityIO": bool,
    "Nice": int,
    "Umask": int,
    "WorkingDirectory": str,
    "StandardOutPath": str,
    "StandardErrorPath": str,
}
"""Of launchd.plist(5), those that ctxd uses, and what they take."""
RUNNING = """\
gui/501/ctxd.daemon = {
\tactive count = 1
\tpath = /Users/dev/Library/LaunchAgents/ctxd.daemon.plist
\tstate = running

\tprogram = /opt/ctxd/bin/python
\tpid = 4127
\tlast exit code = (never exited)
\tsub = {
\t\tstate = none
\t}
}
"""


@pytest.fixture
def launchd(programs, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    return Launchd(programs)


def test_the_property_list_comes_back_as_it_was_made(launchd, definition):
    text = launchd.text(definition, Stamp("0.4.0", "/opt/--/python"))
    read = plistlib.loads(text.encode())
    assert read == agent(definition)
    assert stamp_of(text).version == "0.4.0"
    assert not is_edited(text)


def test_every_key_is_one_of_launchd_and_of_its_type(definition):
    made = agent(definition)
    assert {name: type(value) for name, value in made.items()} == KEYS
    assert made["KeepAlive"] == {"SuccessfulExit": False}
    assert made["ProcessType"] == "Background"
    assert made["Umask"] == 0o077
    assert made["ProgramArguments"] == list(definition.command)
    assert Path(made["StandardErrorPath"]).parent == definition.log


def test_a_running_agent_is_understood(launchd, programs):
    programs.answers["launchctl print"] = Done(0, RUNNING, "")
    state = launchd.state()
    assert (state.registered, state.running, state.pid, state.failure) == (True, True, 4127, "")


def test_an_agent_that_failed_is_understood(launchd, programs):
    text = RUNNING.replace("= running", "= spawn scheduled").replace("\tpid = 4127\n", "")
    text = text.replace("(never exited)", "78: EX_CONFIG")
    programs.answers["launchctl print"] = Done(0, text, "")
    state = launchd.state()
    assert (state.running, state.pid) == (False, None)
    assert state.failure == "it ended with 78: EX_CONFIG"


def test_an_agent_that_is_not_loaded_is_understood(launchd, programs):
    programs.answers["launchctl print"] = Done(113, "", "Could not find service")
    assert launchd.state() == State(at_login=False)


def test_a_changed_agent_is_loaded_anew_and_an_unchanged_one_left_alone(launchd, programs):
    carry_out(launchd.register(State(registered=True), changed=True), programs)
    service = launchd._service
    domain = service.partition("/ctxd")[0]
    assert programs.calls == [
        f"launchctl bootout {service}",
        f"launchctl bootstrap {domain} {launchd.file}",
    ]
    assert launchd.register(State(registered=True), changed=False) == []


def test_an_order_that_came_too_early_is_given_again(programs, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    programs.answers["launchctl bootstrap"] = Done(5, "", "Bootstrap failed: 5: Input/output error")
    with pytest.raises(CallFailedError, match="Bootstrap failed: 5"):
        carry_out([Call(("launchctl", "bootstrap"), tries=3)], programs)
    assert len(programs.calls) == 3


def test_it_is_stopped_such_that_it_is_not_started_again(launchd):
    [step] = launchd.stop()
    assert step.command[:3] == ("launchctl", "kill", "SIGTERM")
