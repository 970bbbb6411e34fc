"""What is shown on a real desktop: dunst, on a screen and a session bus of the test's own.

Pictures of it are kept in `build/artifacts`.
"""

import re
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ctxd.doctor import TEST
from ctxd.ledger import Ledger
from ctxd.notify.losses import Loss
from ctxd.notify.words import notice_of
from ctxd.policy.context_files import CONTEXT_QUIET_SECONDS
from ctxd.policy.notices import NOTICE_ANSWER_SECONDS, NOTICE_SETTLE_SECONDS
from e2e.conversations import ClaudeCode
from e2e.daemon import Daemon, wait_until
from e2e.desktop import MISSING, desktop
from git_repos import commit, new_repository
from private_bus import private_bus

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


BAN = "Never log request bodies, not even at debug level."
SUMMARY = "The user asked to look at the code. The code was looked at, and the tests pass."


@pytest.fixture
def screen():
    with desktop() as started:
        yield started


def test_a_test_notice_is_on_the_screen(tmp_path, screen):
    daemon = Daemon(tmp_path, **screen.variables)
    done = daemon.ctxd("doctor", "--notify")
    assert done.returncode == 0, done.stdout
    assert "dispatched by D-Bus (dunst" in done.stdout
    [shown] = screen.shown()
    assert (shown["summary"], shown["body"]) == (TEST.title, TEST.body)
    assert shown["appname"] == "ctxd"
    assert screen.urgencies(1) == ["NORMAL"]


def test_hostile_words_are_shown_as_they_are(screen):
    text = "never <b>push</b> & run <img src=x> \x1b[31m\u202emain"
    loss = Loss(
        repository="/home/dev/shop-api",
        item="i",
        text=text,
        kind="constraint",
        severity="critical",
        answer="lost",
    )
    sent(notice_of("k", [loss], "put back: AGENTS.md"), screen)
    screen.photograph("hostile-words")
    [shown] = screen.shown()
    assert shown["summary"] == "Compaction dropped 1 constraint"
    assert screen.urgencies(1) == ["CRITICAL"]
    assert "shop-api - put back: AGENTS.md" in shown["body"]
    assert "\x1b" not in shown["body"]


def sent(notice, screen):
    """Send a notice as the daemon does."""
    import msgspec

    done = subprocess.run(
        [sys.executable, "-m", "ctxd.notify.send"],
        input=msgspec.json.encode(notice),
        env=screen.variables | {"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert b"dispatched" in done.stdout, done.stdout


@pytest.fixture
def daemon(tmp_path, screen):
    daemon = Daemon(tmp_path, **screen.variables)
    daemon.start()
    yield daemon
    daemon.close()
    assert "defect" not in daemon.log


def talk_about(daemon, *rules, cwd="/home/dev/shop"):
    """A session in which the user states rules, up to the moment before a compaction."""
    talk = ClaudeCode(daemon.home, "one", cwd=str(cwd))
    talk.user("Look at the code first.")
    talk.assistant("It is a shop.")
    for rule in rules:
        talk.user(rule)
        talk.assistant("Understood.")
    talk.user("Now run the tests.")
    talk.assistant("They pass.")
    daemon.flush()
    return talk


def notices(daemon):
    with Ledger.reader(daemon.ledger) as reader:
        return reader.notices(100)


def settled(daemon, count=1):
    """The notices of the ledger, once there are so many and it is known what became of them."""

    def known():
        found = notices(daemon)
        is_known = all(kept.state in {"dispatched", "failed", "none"} for kept in found)
        return found if len(found) >= count and is_known else None

    return wait_until(known, 20, "what became of the notices")


def test_a_constraint_that_a_compaction_drops_is_on_the_screen(daemon, screen):
    talk = talk_about(daemon, BAN)
    talk.compacted(SUMMARY)
    [kept] = settled(daemon)
    screen.photograph("dropped-constraint")
    [shown] = screen.shown()
    assert shown["summary"] == kept.title == "Compaction dropped 1 constraint"
    assert shown["body"].startswith(BAN.rstrip("."))
    assert shown["body"].splitlines()[-1] == f"shop - see: ctxd compactions {talk.session[:8]}"
    assert kept.why.startswith("D-Bus (dunst")
    assert "notice.not_shown" not in daemon.codes()


def test_many_constraints_dropped_at_once_are_one_notice_with_the_worst_first(daemon, screen):
    rules = [
        "No new dependencies in this repository.",
        "Never drop the orders table, it has no backup.",
        BAN,
    ]
    talk = talk_about(daemon, *rules)
    talk.compacted(SUMMARY)
    settled(daemon)
    [shown] = screen.shown()
    assert shown["summary"] == "Compaction dropped 3 constraints"
    assert "dependencies" not in shown["body"]
    assert shown["body"].splitlines()[1] == "and 2 more"
    assert screen.urgencies(1) == ["CRITICAL"]


def test_a_compaction_that_keeps_them_is_not_told(daemon, screen):
    talk = talk_about(daemon, BAN)
    talk.compacted(f"{SUMMARY} The user's rule: {BAN}")
    daemon.flush()
    wait_until(lambda: records(daemon), 10, "the record")
    time.sleep(2 * NOTICE_SETTLE_SECONDS)
    assert notices(daemon) == []
    assert screen.shown() == []


def test_what_was_compacted_before_the_daemon_ran_is_not_told(tmp_path, screen):
    daemon = Daemon(tmp_path, **screen.variables)
    for number in range(50):
        talk = ClaudeCode(daemon.home, f"old {number}")
        talk.ago = timedelta(hours=1 + number)
        talk.user(BAN)
        talk.assistant("Understood.")
        talk.compacted(SUMMARY)
    daemon.start()
    try:
        daemon.flush()
        wait_until(lambda: len(records(daemon)) == 50, 60, "the records")
        time.sleep(2 * NOTICE_SETTLE_SECONDS)
        assert notices(daemon) == []
        assert screen.shown() == []
    finally:
        daemon.close()


def test_no_restart_tells_it_again(daemon, screen):
    talk = talk_about(daemon, BAN)
    talk.compacted(SUMMARY)
    settled(daemon)
    daemon.kill()
    daemon.start()
    daemon.flush()
    time.sleep(2 * NOTICE_SETTLE_SECONDS)
    assert len(screen.shown()) == 1


def test_a_desktop_that_is_gone_is_told_by_status(daemon, screen):
    talk = talk_about(daemon, BAN)
    screen.close()
    talk.compacted(SUMMARY)
    [kept] = settled(daemon)
    assert kept.state == "none"
    [warning] = [one for one in daemon.status().warnings if one.code == "notice.not_shown"]
    assert BAN.rstrip(".") in warning.message
    assert "no program on this session's bus shows notices" in warning.message


def records(daemon):
    with Ledger.reader(daemon.ledger) as reader:
        return reader.records()


def test_what_was_put_back_is_said_with_the_file_it_stands_in(tmp_path, daemon, screen):
    """It was said a moment before the compaction, and stood in no file yet."""
    root = new_repository(tmp_path / "shop")
    commit(root, {"AGENTS.md": "# shop\n"})
    time.sleep(CONTEXT_QUIET_SECONDS + 0.5)  # or somebody could be writing it just now
    talk = talk_about(daemon, cwd=root)
    talk.user(BAN)
    talk.assistant("Understood.")
    talk.compacted(SUMMARY)
    settled(daemon)
    screen.photograph("put-back")
    [shown] = screen.shown()
    assert BAN.rstrip(".") in (root / "AGENTS.md").read_text(encoding="utf-8")
    assert shown["body"].splitlines()[-1].startswith("shop - ")
    assert "AGENTS.md" in shown["body"]


def test_a_desktop_that_hangs_holds_nothing_up_and_is_told_by_status(tmp_path):
    with TemporaryDirectory(prefix="ctxd-bus-") as folder, private_bus(Path(folder)) as bus:
        bus.serve("hangs")
        daemon = Daemon(tmp_path, **bus.variables)
        daemon.start()
        try:
            talk = talk_about(daemon, BAN)
            talk.compacted(SUMMARY)
            wait_until(lambda: notices(daemon), 10, "the notice")
            slowest = 0.0
            while any(kept.state == "waiting" for kept in notices(daemon)):
                began = time.monotonic()
                assert daemon.ask("ping").ok
                slowest = max(slowest, time.monotonic() - began)
                time.sleep(0.1)
            assert slowest < NOTICE_ANSWER_SECONDS / 2
            [kept] = notices(daemon)
            assert (kept.state, "does not answer" in kept.why) == ("failed", True)
            assert "notice.not_shown" in daemon.codes()
            assert children_of(daemon.pid) == []
        finally:
            daemon.close()


def test_without_a_desktop_it_is_logged_and_told_by_status_and_nothing_fails(tmp_path):
    daemon = Daemon(tmp_path, XDG_RUNTIME_DIR=str(tmp_path))
    daemon.start()
    try:
        talk = talk_about(daemon, BAN)
        talk.compacted(SUMMARY)
        [kept] = settled(daemon)
        assert (kept.state, kept.why) == ("none", "there is no session bus")
        [warning] = [one for one in daemon.status().warnings if one.code == "notice.not_shown"]
        assert BAN.rstrip(".") in warning.message
        assert "there is no session bus" in daemon.log
        assert BAN.rstrip(".") not in daemon.log
        assert not re.search("WARNING|ERROR", daemon.log)
    finally:
        daemon.close()


def children_of(pid):
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return path.read_text(encoding="ascii").split()
