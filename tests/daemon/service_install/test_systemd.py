"""The unit, as systemd reads it."""

import os
import shutil
import subprocess
import sys

import msgspec
import pytest

from ctxd.errors import UserError
from ctxd.service_install.definition import Stamp, is_edited
from ctxd.service_install.steps import Done
from ctxd.service_install.systemd import Systemd, unit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is of Linux")
needs_systemd = pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="needs systemd-analyze (Debian: systemd)"
)
SHOWN = "LoadState={}\nActiveState={}\nSubState={}\nUnitFileState={}\nMainPID={}\nResult={}\n"


def verify(folder, text):
    """What systemd has to say of a unit: it ends with 0 even for keys that it does not know."""
    folder.mkdir(mode=0o700, exist_ok=True)
    file = folder / "ctxd.service"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(file)],
        env={"HOME": str(folder), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@needs_systemd
def test_systemd_has_nothing_to_say_of_the_unit(tmp_path):
    command = (sys.executable, "-P", "-m", "ctxd", "run")
    assert verify(tmp_path / "u", unit(command, {})) == (0, "")
    assert verify(tmp_path / "u", unit(command, {}) + "Nonsense=1\n")[1] != ""


@needs_systemd
def test_a_path_of_any_name_is_found(tmp_path):
    odd = tmp_path / "a b" / "50% of $HOME \N{SNOWMAN} %h"
    odd.mkdir(parents=True)
    (odd / "python").symlink_to(sys.executable)
    own = "/srv/\"mine\" and \\ 'yours' 5% $x"
    text = unit((str(odd / "python"), "-m", "ctxd", "--home", own, "run"), {"X": own})
    assert verify(tmp_path / "u", text) == (0, "")
    (odd / "python").unlink()
    assert "is not executable" in verify(tmp_path / "u", text)[1]


def test_the_unit_says_what_keeps_it_alive_and_what_it_may_not():
    lines = unit(("/usr/bin/ctxd", "run"), {}).splitlines()
    assert "ExecStart=/usr/bin/ctxd run" in lines
    for line in (
        "Type=notify",
        "Restart=on-failure",
        "RestartPreventExitStatus=78",
        "WatchdogSec=60",
        "NoNewPrivileges=true",
        "MemoryDenyWriteExecute=true",
        "RestrictAddressFamilies=AF_UNIX",
        "WantedBy=default.target",
    ):
        assert line in lines
    assert not [line for line in lines if line.startswith(("Protect", "Private", "ReadWrite"))]


def test_words_are_quoted_as_systemd_reads_them(definition):
    lines = unit(definition.command, definition.environment).splitlines()
    command = 'ExecStart=/opt/ctxd/bin/python -P -m ctxd --home "/srv/a b/50%% $$x" run'
    assert command in lines
    assert 'Environment="XDG_STATE_HOME=/srv/\\"state\\" 5%%"' in lines


def test_a_program_that_no_unit_can_name_is_refused(definition):
    odd = msgspec.structs.replace(definition, command=('/opt/"ctxd"/python', "run"))
    with pytest.raises(UserError, match="quotes are in its path"):
        Systemd().text(odd, Stamp("0.4.0", ""))


def test_a_unit_is_known_as_our_own(definition):
    text = Systemd().text(definition, Stamp("0.4.0", "/opt/ctxd/bin/python"))
    assert not is_edited(text)
    assert is_edited(text.replace("Nice=10", "Nice=0"))


@pytest.mark.parametrize(
    ("shown", "status", "failure"),
    [
        (("loaded", "active", "running", "enabled", 42, "success"), 0, ""),
        (("loaded", "inactive", "dead", "enabled", 0, "success"), 0, ""),
        (("loaded", "failed", "failed", "enabled", 0, "exit-code"), 78, "its settings are wrong"),
        (("loaded", "failed", "failed", "enabled", 0, "exit-code"), 1, "it ended with 1"),
        (("loaded", "activating", "auto-restart", "", 0, "watchdog"), 9, "it hung"),
        (("loaded", "failed", "failed", "", 0, "signal"), 9, "systemd says `signal`"),
    ],
)
def test_what_systemd_tells_is_understood(programs, shown, status, failure):
    text = SHOWN.format(*shown) + f"ExecMainStatus={status}\n"
    programs.answers["systemctl --user show ctxd"] = Done(0, text, "")
    state = Systemd(programs).state()
    assert state.registered
    assert (state.running, state.pid) == ((True, 42) if status == 0 and shown[4] else (False, None))
    assert state.failure == failure


def test_a_manager_that_does_not_answer_is_told(programs, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    programs.answers["systemctl"] = Done(1, "", "Failed to connect to bus: No medium found\n")
    with pytest.raises(UserError, match="Failed to connect to bus") as caught:
        Systemd(programs).check()
    assert "@reboot ctxd run" in caught.value.hint


@needs_systemd
def test_the_unit_is_kept_where_systemd_looks_for_it(monkeypatch, tmp_path, programs):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", "/home/dev")
    usual = "/home/dev/.config/systemd/user"
    for folders, chosen in (
        (f"/run/systemd/user {usual}", usual),
        (f"/run/systemd/user {tmp_path}/systemd/user", f"{tmp_path}/systemd/user"),
    ):
        programs.answers["systemctl --user show"] = Done(0, f"UnitPath={folders}\n", "")
        systemd = Systemd(programs)
        systemd.check()
        assert str(systemd.file) == f"{chosen}/ctxd.service"
