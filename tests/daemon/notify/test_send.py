"""Which desktop a system has, and that whatever its backend does is an answer."""

import subprocess
import sys

import msgspec
import pytest

from ctxd.notify import bus, send
from ctxd.notify.values import Dispatched, Notice

NOTICE = Notice("k", "title", "body")


def test_a_system_without_a_backend_has_no_desktop():
    answer = send.show(NOTICE, "sunos5")
    assert (answer.state, answer.why) == ("none", "ctxd reaches no desktop on sunos5")


@pytest.mark.parametrize("system", ["darwin", "linux", "win32"])
def test_a_backend_that_raises_has_failed(system, monkeypatch):
    def broken(notice):
        raise LookupError("no luck")

    for name in ("bus", "applescript", "powershell"):
        monkeypatch.setattr(f"ctxd.notify.{name}.show", broken)
    answer = send.show(NOTICE, system)
    assert (answer.state, answer.why) == ("failed", "LookupError: no luck")


def test_each_system_is_asked_through_its_own_backend(monkeypatch):
    monkeypatch.setattr(bus, "show", lambda notice: Dispatched("dispatched", notice.title))
    assert send.show(NOTICE, "linux").backend == "title"


def test_nothing_heavy_is_imported_for_a_notice():
    code = (
        "import sys, ctxd.notify.send, ctxd.notify.bus, jeepney.io.blocking;"
        "heavy = {'pydantic', 'rich', 'sqlite3', 'asyncio', 'ctxd.ledger'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    if sys.platform != "linux":
        code = code.replace(", ctxd.notify.bus, jeepney.io.blocking", "")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_process_reads_a_notice_and_writes_an_answer(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ctxd.notify.send"],
        input=msgspec.json.encode(NOTICE),
        capture_output=True,
        check=True,
        timeout=60,
        env={
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus",
            "PYTHONPATH": ":".join(sys.path),
        },
    )
    assert msgspec.json.decode(done.stdout, type=Dispatched).state in {"failed", "dispatched"}
