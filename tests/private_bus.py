"""A session bus of a test's own, and notification daemons on it that behave as a test needs."""

import contextlib
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = shutil.which("dbus-daemon")
needs_bus = pytest.mark.skipif(PROGRAM is None, reason="needs dbus-daemon (Debian: dbus)")

_CONFIG = """\
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <servicedir>{folder}/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""

_SERVER = textwrap.dedent(
    """
    import json, sys, time
    from jeepney import HeaderFields, MessageType, new_error, new_method_return
    from jeepney.bus_messages import message_bus
    from jeepney.io.blocking import open_dbus_connection

    behaviour, log = sys.argv[1:]
    abilities = {"plain": ["body"], "no-body": ["actions"]}.get(behaviour, ["body", "body-markup"])
    connection = open_dbus_connection()
    connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.Notifications"))
    print("ready", flush=True)
    while True:
        message = connection.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        name = message.header.fields[HeaderFields.member]
        if behaviour == "hangs":
            continue
        if name == "GetCapabilities":
            connection.send(new_method_return(message, "as", (abilities,)))
        elif name == "GetServerInformation":
            connection.send(new_method_return(message, "ssss", ("stub", "tests", "1", "1.2")))
        elif behaviour == "refuses":
            connection.send(new_error(message, "org.example.Full", "s", ("no room for more",)))
        else:
            _, _, _, title, body, _, hints, _ = message.body
            with open(log, "a", encoding="utf-8") as file:
                said = {"title": title, "body": body, "urgency": hints["urgency"][1]}
                file.write(json.dumps(said) + "\\n")
            connection.send(new_method_return(message, "u", (7,)))
    """
)


class Bus:
    """A running session bus, for as long as the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"unix:path={folder}/bus"
        self.variables = {"DBUS_SESSION_BUS_ADDRESS": self.address, "PATH": os.environ["PATH"]}
        self._log = folder / "said"
        self._running: list[subprocess.Popen[str]] = []

    def start(self) -> None:
        (self.folder / "services").mkdir()
        config = self.folder / "bus.conf"
        config.write_text(_CONFIG.format(folder=self.folder), encoding="utf-8")
        command = [PROGRAM, f"--config-file={config}", "--nofork", "--print-address"]
        self._run(command, stderr=subprocess.DEVNULL)

    def serve(self, behaviour: str = "markup") -> None:
        """Have a notification daemon on it: `markup`, `plain` (reads none), `no-body`, `refuses` or
        `hangs`."""
        self._run([sys.executable, "-c", _SERVER, behaviour, str(self._log)])

    def activate(self, command: str) -> None:
        """Have the bus start that when it is asked for the notification daemon."""
        service = self.folder / "services" / "org.freedesktop.Notifications.service"
        name = "Name=org.freedesktop.Notifications"
        service.write_text(f"[D-BUS Service]\n{name}\nExec={command}\n", encoding="utf-8")
        self.reload()

    def reload(self) -> None:
        """Have the bus look at its services anew."""
        from jeepney import DBusAddress, new_method_call
        from jeepney.io.blocking import open_dbus_connection

        place = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        with open_dbus_connection(self.address) as connection:
            connection.send_and_get_reply(new_method_call(place, "ReloadConfig"), timeout=10)

    def said(self) -> list[dict]:
        """What the notification daemon has shown."""
        import json

        if not self._log.exists():
            return []
        return [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]

    def close(self) -> None:
        for process in reversed(self._running):
            process.kill()
            process.wait()
            process.stdout.close()

    def _run(self, command: list[str], **more) -> None:
        process = subprocess.Popen(
            command, env=self.variables, stdout=subprocess.PIPE, text=True, **more
        )
        self._running.append(process)
        assert process.stdout.readline().strip(), command


@contextlib.contextmanager
def private_bus(folder: Path) -> Iterator[Bus]:
    """A session bus in a folder, whose path must be short enough for a socket."""
    bus = Bus(folder)
    try:
        bus.start()
        yield bus
    finally:
        bus.close()
