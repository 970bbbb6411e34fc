"""A desktop of a test's own: a screen that nobody sees, a session bus, and dunst to show notices.

Needs dunst, Xvfb, dbus-daemon and ImageMagick's `import`: Debian's packages dunst, xvfb, dbus,
imagemagick and fonts-dejavu-core.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

from private_bus import Bus

PROGRAMS = ("dunst", "Xvfb", "dbus-daemon", "import")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
ARTIFACTS = Path(__file__).parent.parent.parent / "build" / "artifacts"
_DUNST = DBusAddress(
    "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "org.dunstproject.cmd0"
)
_SECONDS = 20
_CONFIG = """\
[global]
    width = 420
    height = 300
    origin = top-right
    offset = 20x20
    font = DejaVu Sans Mono 9
    word_wrap = yes
    markup = full
    format = "<b>%s</b>\\n%b"
[each]
    summary = "*"
    script = {script}
"""
_SCRIPT = """\
#!/bin/sh
echo "$DUNST_URGENCY" >> {log}
"""


class Desktop:
    """Runs for as long as the test."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.variables = dict(bus.variables)
        self._running: list[subprocess.Popen[bytes]] = []
        self._urgencies = bus.folder / "urgencies"

    def start(self) -> None:
        reading, writing = os.pipe()
        screen = [
            "Xvfb",
            "-displayfd",
            str(writing),
            "-screen",
            "0",
            "900x300x24",
            "-nolisten",
            "tcp",
        ]
        self._run(screen, pass_fds=(writing,))
        os.close(writing)
        with os.fdopen(reading, encoding="ascii") as told:
            self.variables["DISPLAY"] = f":{told.readline().strip()}"
        config = self.bus.folder / "dunstrc"
        script = self.bus.folder / "script"
        script.write_text(_SCRIPT.format(log=self._urgencies), encoding="utf-8")
        script.chmod(0o700)
        config.write_text(_CONFIG.format(script=script), encoding="utf-8")
        self._run(["dunst", "-config", str(config)], env=self.variables | {"HOME": "/nonexistent"})
        self._wait_until_it_answers()

    def shown(self) -> list[dict]:
        """What was shown, the newest first, as dunst understood it; it is not shown any more."""
        self._ask("NotificationCloseAll")
        rows = self._ask("NotificationListHistory")[0]
        names = ("summary", "body", "appname")
        return [{name: row[name][1] for name in names} for row in rows]

    def urgencies(self, count: int) -> list[str]:
        """How urgent each of so many notices was to dunst, the oldest first."""
        until = time.monotonic() + _SECONDS
        while True:
            found = (
                self._urgencies.read_text(encoding="utf-8").split()
                if self._urgencies.exists()
                else []
            )
            if len(found) >= count or time.monotonic() > until:
                return found
            time.sleep(0.02)

    def photograph(self, name: str) -> Path:
        """The screen as it is, as a picture that is kept."""
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        path = ARTIFACTS / f"{name}.png"
        time.sleep(0.3)  # dunst draws a moment after it has answered
        subprocess.run(
            ["import", "-window", "root", str(path)],
            env=self.variables,
            check=True,
            timeout=_SECONDS,
        )
        return path

    def close(self) -> None:
        while self._running:
            process = self._running.pop()
            process.terminate()
            process.wait(_SECONDS)

    def _ask(self, method: str) -> tuple:
        with open_dbus_connection(self.bus.address) as connection:
            call = new_method_call(_DUNST, method)
            return connection.send_and_get_reply(call, timeout=_SECONDS).body

    def _wait_until_it_answers(self) -> None:
        until = time.monotonic() + _SECONDS
        has = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        call = new_method_call(has, "NameHasOwner", "s", (_DUNST.bus_name,))
        with open_dbus_connection(self.bus.address) as connection:
            while connection.send_and_get_reply(call, timeout=_SECONDS).body != (True,):
                assert time.monotonic() < until, "dunst does not start"
                time.sleep(0.02)

    def _run(self, command: list[str], **more) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        more.setdefault("env", self.variables)
        self._running.append(subprocess.Popen(command, **quiet, **more))


@contextlib.contextmanager
def desktop() -> Iterator[Desktop]:
    """A desktop in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="ctxd-desktop-") as folder:
        bus = Bus(Path(folder))
        shown = Desktop(bus)
        try:
            bus.start()
            shown.start()
            yield shown
        finally:
            shown.close()
            bus.close()
