"""Notices on Linux: the notification daemon of the desktop, by the session's D-Bus.

By jeepney, which speaks the protocol in plain Python over a blocking socket: 20 ms and 0.5 MB,
where desktop-notifier takes 80 ms and swallows failures. The daemon's answer to `Notify` is the
only proof that a notice was taken; each call has a deadline, since the bus starts a daemon that
does not run, and that may hang.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ctxd.notify.values import Dispatched, Notice
from ctxd.policy.notices import NOTICE_ANSWER_SECONDS

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection

_NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_NOTIFY = "susssasa{sv}i"
_URGENCY = {"normal": 1, "critical": 2}
_SERVER_DECIDES = -1
"""When the notice goes away by itself."""

_NOBODY = (
    "org.freedesktop.DBus.Error.ServiceUnknown",
    "org.freedesktop.DBus.Error.NameHasNoOwner",
)


def show(
    notice: Notice,
    variables: Mapping[str, str] = os.environ,
    seconds: float = NOTICE_ANSWER_SECONDS,
) -> Dispatched:
    """Give a notice to the notification daemon of the session."""
    from jeepney.io.blocking import DBusConnection, prep_socket
    from jeepney.wrappers import DBusErrorResponse

    address = session_bus(variables)
    if address is None:
        hint = "log in to a desktop, or set `DBUS_SESSION_BUS_ADDRESS`"
        return Dispatched("none", why="there is no session bus", hint=hint)
    until = time.monotonic() + seconds
    try:
        with DBusConnection(prep_socket(_socket(address), timeout=seconds)) as connection:
            return Dispatched("dispatched", _Server(connection, until).notify(notice))
    except DBusErrorResponse as error:
        return _refused(error)
    except TimeoutError:
        why = f"the notification daemon does not answer within {seconds:.0f} s"
        return Dispatched("failed", "D-Bus", why, "restart the notification daemon")
    except (OSError, ValueError, RuntimeError) as error:
        why = f"cannot use the session bus `{address}`: {error}"
        return Dispatched("failed", "D-Bus", why, "mend `DBUS_SESSION_BUS_ADDRESS`, or log in anew")


def session_bus(variables: Mapping[str, str]) -> str | None:
    """Where the session's bus listens; None when there is none.

    A service, or a shell by SSH, may not have the variable; systemd's bus is at a fixed place.
    """
    address = variables.get("DBUS_SESSION_BUS_ADDRESS")
    if address:
        return address
    folder = variables.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    path = os.path.join(folder, "bus")
    try:
        is_socket = stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return None
    return f"unix:path={path}" if is_socket else None


def _socket(address: str) -> str:
    from jeepney.bus import get_connectable_addresses

    found: str | None = next(get_connectable_addresses(address), None)
    if found is None:
        raise ValueError("no address in it")
    return found


def _refused(error: Any) -> Dispatched:
    if error.name in _NOBODY:
        why = "no program on this session's bus shows notices"
        return Dispatched("none", why=why, hint="start a notification daemon, such as dunst")
    said = next((part for part in error.data if isinstance(part, str)), "")
    why = f"the notification daemon refuses it: {said or error.name}"
    return Dispatched("failed", "D-Bus", why, "see the log of the notification daemon")


class _Server:
    """The notification daemon."""

    def __init__(self, connection: DBusConnection, until: float) -> None:
        self._connection = connection
        self._until = until

    def notify(self, notice: Notice) -> str:
        """Have it show a notice, and return what it calls itself."""
        abilities = self._ask("GetCapabilities")[0]
        name, _, version, _ = self._ask("GetServerInformation")
        title, body = notice.title, _escaped(notice.body, abilities)
        if "body" not in abilities:
            title = f"{title}: {body}"
        urgency = {"urgency": ("y", _URGENCY[notice.urgency])}
        shown: tuple[Any, ...] = (
            "ctxd",
            0,
            "dialog-warning",
            title,
            body,
            [],
            urgency,
            _SERVER_DECIDES,
        )
        self._ask("Notify", _NOTIFY, shown)
        return f"D-Bus ({name} {version})"

    def _ask(self, method: str, signature: str | None = None, body: tuple[Any, ...] = ()) -> Any:
        from jeepney import DBusAddress, new_method_call
        from jeepney.wrappers import unwrap_msg

        place = DBusAddress(_PATH, bus_name=_NAME, interface=_NAME)
        left = max(0.0, self._until - time.monotonic())
        call = new_method_call(place, method, signature, body)
        return unwrap_msg(self._connection.send_and_get_reply(call, timeout=left))


def _escaped(text: str, abilities: list[str]) -> str:
    """The text as it has to be written where the daemon reads markup in it."""
    if "body-markup" not in abilities:
        return text
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
