"""Stands in for `systemctl --user`: does what it does with units, links and one real process.

Run as a program; what it knows is in the folder FAKE_SYSTEMD, where every call is noted.
"""

import contextlib
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

UNIT = "ctxd.service"
SECONDS = 50
HERE = Path(os.environ["FAKE_SYSTEMD"])
UNITS = Path(os.environ["HOME"]) / ".config" / "systemd" / "user"
LINK = UNITS / "default.target.wants" / UNIT
STATE = HERE / "state.json"


def known() -> dict:
    return json.loads(STATE.read_text()) if STATE.exists() else {}


def note(**facts) -> None:
    STATE.write_text(json.dumps(known() | facts))


def complain(text) -> None:
    sys.stderr.write(f"{text}\n")


def alive(pid) -> bool:
    try:
        return bool(pid) and Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def unit() -> Path | None:
    packaged = HERE / "packaged" / UNIT
    return next((path for path in (UNITS / UNIT, packaged) if path.exists()), None)


def show() -> None:
    if "--property=UnitPath" in sys.argv:
        sys.stdout.write(f"UnitPath=/run/systemd/user {UNITS} /usr/lib/systemd/user\n")
        return
    state, file = known(), unit()
    running = alive(state.get("pid"))
    facts = {
        "LoadState": "loaded" if file else "not-found",
        "ActiveState": "active" if running else "inactive",
        "SubState": "running" if running else state.get("sub", "dead"),
        "UnitFileState": "enabled" if LINK.is_symlink() else "disabled",
        "MainPID": state["pid"] if running else 0,
        "Result": state.get("result", "success"),
        "ExecMainStatus": state.get("status", 0),
        "FragmentPath": file or "",
    }
    if (HERE / "masked").exists():
        facts["LoadState"] = "masked"
    sys.stdout.write("".join(f"{name}={value}\n" for name, value in facts.items()))


def words(key: str) -> list[str]:
    """Those of all lines of the unit with that key."""
    lines = unit().read_text(encoding="utf-8").splitlines()
    found = [line.removeprefix(f"{key}=") for line in lines if line.startswith(f"{key}=")]
    return [word.replace("%%", "%") for line in found for word in shlex.split(line)]


def start() -> int:
    if alive(known().get("pid")):
        return 0
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind("\0" + f"fake-systemd-{os.getpid()}")
    manager.settimeout(0.1)
    process = subprocess.Popen(
        [word.replace("$$", "$") for word in words("ExecStart")],
        # As bare as can be: no PATH, no locale, no XDG_RUNTIME_DIR.
        env={
            "HOME": os.environ["HOME"],
            "NOTIFY_SOCKET": f"@fake-systemd-{os.getpid()}",
            **dict(word.split("=", 1) for word in words("Environment")),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=(HERE / "stderr").open("ab"),
        start_new_session=True,
        cwd="/",
    )
    said, until = b"", time.monotonic() + SECONDS
    while b"READY=1" not in said:
        if time.monotonic() > until:
            process.kill()
        with contextlib.suppress(TimeoutError):
            said += manager.recv(4096)
        if process.poll() is not None:
            note(pid=0, result="exit-code", status=process.returncode)
            complain(f"Job for {UNIT} failed because the control process exited.")
            return 1
    note(pid=process.pid, result="success", status=0)
    return 0


def stop() -> int:
    pid = known().get("pid")
    if alive(pid):
        os.kill(pid, signal.SIGTERM)
        while alive(pid):
            time.sleep(0.02)
    note(pid=0, result="success")
    return 0


def enable() -> int:
    LINK.parent.mkdir(exist_ok=True)
    LINK.symlink_to(unit())
    return 0


def disable() -> int:
    if "--now" in sys.argv:
        stop()
    LINK.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        LINK.parent.rmdir()
    return 0


def restart() -> int:
    return stop() or start()


def main() -> int:
    with (HERE / "calls").open("a", encoding="utf-8") as calls:
        print(*sys.argv[1:], file=calls)
    if (HERE / "no-bus").exists():
        complain("Failed to connect to bus: No medium found")
        return 1
    if (HERE / "refuses").exists() and sys.argv[2] != "show":
        complain(f"Failed to {sys.argv[2]} unit: Access denied")
        return 1
    does = {
        "show": show,
        "start": start,
        "stop": stop,
        "restart": restart,
        "enable": enable,
        "disable": disable,
    }
    return does.get(sys.argv[2], lambda: 0)() or 0


if __name__ == "__main__":
    sys.exit(main())
