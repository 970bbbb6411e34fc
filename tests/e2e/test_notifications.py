"""What is shown on a real desktop: dunst, on a screen and a session bus of the test's own.

Pictures of it are kept in `build/artifacts`.
"""

import subprocess
import sys

import pytest

from ctxd.doctor import TEST
from ctxd.notify.losses import Loss
from ctxd.notify.words import notice_of
from e2e.daemon import Daemon
from e2e.desktop import MISSING, desktop

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


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
    assert "shop-api: put back: AGENTS.md" in shown["body"]
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
