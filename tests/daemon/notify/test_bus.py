"""The notification daemon of a Linux desktop: its answer alone is proof of a notice."""

import os
import socket
import sys
import time

import pytest

from ctxd.notify.bus import session_bus, show
from ctxd.notify.values import Notice
from private_bus import needs_bus

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is used on Linux"),
    needs_bus,
]

NOTICE = Notice(
    "k", "Compaction dropped 1 constraint", "never <b>push</b> & run\nshop-api", "critical"
)


def test_a_notice_arrives_as_it_is_with_its_urgency(bus):
    bus.serve("plain")
    answer = show(NOTICE, bus.variables)
    assert (answer.state, answer.backend, answer.why) == ("dispatched", "D-Bus (stub 1)", "")
    assert bus.said() == [
        {"title": NOTICE.title, "body": "never <b>push</b> & run\nshop-api", "urgency": 2}
    ]


def test_a_notice_that_is_not_critical_says_so(bus):
    bus.serve("plain")
    show(Notice("k", "title", "body"), bus.variables)
    assert bus.said()[0]["urgency"] == 1


def test_words_are_no_markup_where_the_daemon_reads_some(bus):
    bus.serve("markup")
    show(NOTICE, bus.variables)
    assert bus.said()[0]["body"] == "never &lt;b&gt;push&lt;/b&gt; &amp; run\nshop-api"
    assert bus.said()[0]["title"] == NOTICE.title


def test_a_daemon_that_shows_titles_alone_has_all_in_the_title(bus):
    bus.serve("no-body")
    show(NOTICE, bus.variables)
    assert "never <b>push</b>" in bus.said()[0]["title"]


def test_a_daemon_that_refuses_is_a_failure_in_its_own_words(bus):
    bus.serve("refuses")
    answer = show(NOTICE, bus.variables)
    assert answer.state == "failed"
    assert answer.why == "the notification daemon refuses it: no room for more"
    assert answer.hint


def test_a_daemon_that_hangs_is_a_failure_within_the_deadline(bus):
    bus.serve("hangs")
    began = time.monotonic()
    answer = show(NOTICE, bus.variables, seconds=0.5)
    assert answer.state == "failed"
    assert "does not answer" in answer.why
    assert time.monotonic() - began < 5


def test_a_daemon_that_hangs_when_the_bus_starts_it_is_a_failure_within_the_deadline(bus):
    bus.activate("/bin/sleep 60")
    answer = show(NOTICE, bus.variables, seconds=0.5)
    assert answer.state == "failed"
    assert "does not answer" in answer.why


def test_a_daemon_that_cannot_be_started_is_a_failure(bus):
    bus.activate("/nonexistent/daemon")
    answer = show(NOTICE, bus.variables)
    assert answer.state == "failed"
    assert "refuses" in answer.why


def test_a_bus_without_a_daemon_is_no_desktop_and_no_failure(bus):
    answer = show(NOTICE, bus.variables)
    assert answer.state == "none"
    assert "shows notices" in answer.why
    assert answer.hint


def test_no_bus_is_no_desktop_and_no_failure(tmp_path):
    answer = show(NOTICE, {"XDG_RUNTIME_DIR": str(tmp_path)})
    assert (answer.state, answer.why) == ("none", "there is no session bus")
    assert answer.hint


def test_the_bus_of_the_login_is_found_without_the_variable(bus):
    bus.serve("plain")
    assert session_bus({"XDG_RUNTIME_DIR": str(bus.folder)}) == bus.address
    assert show(NOTICE, {"XDG_RUNTIME_DIR": str(bus.folder)}).state == "dispatched"


@pytest.mark.parametrize(
    "address",
    ["unix:path=/nonexistent/bus", "tcp:host=localhost,port=1", "nonsense", "unix:path", ";;"],
)
def test_an_address_that_leads_nowhere_is_a_failure_that_names_it(address):
    answer = show(NOTICE, {"DBUS_SESSION_BUS_ADDRESS": address})
    assert answer.state == "failed"
    assert address in answer.why
    assert answer.hint


def test_a_bus_that_takes_the_call_and_says_nothing_is_a_failure(tmp_path):
    path = os.path.join(os.path.relpath(tmp_path), "bus")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        answer = show(NOTICE, {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={path}"}, seconds=0.3)
    assert answer.state == "failed"
