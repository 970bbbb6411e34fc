"""The process that sends a notice: whatever it does, its answer is true and nobody hangs."""

import os
import sys
import time

import pytest

from ctxd.notify.errand import COMMAND, Errand, dispatch
from ctxd.notify.values import Notice
from ctxd.processes import living

NOTICE = Notice("k", "Compaction dropped 1 constraint", "never push to main\nshop-api")


def python(code):
    return [sys.executable, "-c", code]


def outcome_of(errand, seconds=20):
    until = time.monotonic() + seconds
    while (outcome := errand.outcome()) is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    return outcome


@pytest.mark.skipif(sys.platform != "linux", reason="what there is on other systems is not known")
def test_without_a_desktop_there_is_none_and_no_error(monkeypatch, tmp_path):
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    answer = dispatch(NOTICE)
    assert (answer.state, answer.why) == ("none", "there is no session bus")


def test_the_answer_is_what_the_process_says():
    said = python('import sys; sys.stdin.read(); print(\'{"state": "dispatched"}\')')
    assert dispatch(NOTICE, said).state == "dispatched"


@pytest.mark.parametrize(
    "code",
    ["raise SystemExit(3)", "1 / 0", 'print(\'{"state": "sent"}\')', "print('nonsense')", "pass"],
)
def test_a_process_that_breaks_has_failed(code):
    answer = dispatch(NOTICE, python(code))
    assert answer.state == "failed"
    assert "the process that sends it ended with" in answer.why


def test_why_it_broke_is_said_in_its_last_line():
    assert "ZeroDivisionError" in dispatch(NOTICE, python("1 / 0")).why


def test_a_program_that_is_not_there_has_failed():
    answer = dispatch(NOTICE, ["/nonexistent/python"])
    assert answer.state == "failed"
    assert answer.why.startswith("cannot start it")


def test_starting_it_waits_for_nothing():
    began = time.monotonic()
    errand = Errand(NOTICE, python("import time; time.sleep(60)"))
    assert errand.outcome() is None
    errand.close()
    assert time.monotonic() - began < 30


@pytest.mark.skipif(os.name == "nt", reason="process groups")
def test_one_that_hangs_is_ended_with_all_it_started(tmp_path):
    child = tmp_path / "child"
    code = (
        "import subprocess, sys, time;"
        f"other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        f"open({str(child)!r}, 'w').write(str(other.pid)); time.sleep(600)"
    )
    now = [0.0]
    errand = Errand(NOTICE, python(code), seconds=3, clock=lambda: now[0])
    while not child.exists() or not child.read_text(encoding="utf-8"):
        assert errand.outcome() is None
        time.sleep(0.01)
    now[0] = 3.0
    answer = errand.outcome()
    assert (answer.state, answer.why) == ("failed", "the desktop does not answer within 3 s")
    pid = int(child.read_text(encoding="utf-8"))
    until = time.monotonic() + 10
    while living(pid):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_it_takes_no_module_from_the_folder_it_is_started_in(tmp_path, monkeypatch):
    (tmp_path / "ctxd").mkdir()
    (tmp_path / "ctxd" / "__init__.py").write_text("raise SystemExit(9)", encoding="utf-8")
    (tmp_path / "json.py").write_text("raise SystemExit(9)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
    assert "ended with" not in dispatch(NOTICE, COMMAND).why


def test_an_errand_that_was_closed_twice_is_still_closed():
    errand = Errand(NOTICE, python("import time; time.sleep(60)"))
    errand.close()
    errand.close()
