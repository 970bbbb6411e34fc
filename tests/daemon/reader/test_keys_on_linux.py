"""Keys in the keyring of a Linux desktop: a real one, on a session bus of the test's own."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from private_bus import needs_bus, private_bus

PROGRAM = shutil.which("gnome-keyring-daemon")
pytestmark = [
    needs_bus,
    pytest.mark.skipif(PROGRAM is None, reason="needs gnome-keyring"),
]
LOCK = """
import secretstorage
bus = secretstorage.dbus_init()
secretstorage.Collection(bus).lock()
bus.close()
"""
ASK = """
from ctxd.reader import keys
from ctxd.reader.values import ReaderError
try:
    print(keys.find("anthropic", {}))
except ReaderError as error:
    print(error.trouble, error.message)
"""
KEEP = """
from ctxd.reader import keys
keys.store("anthropic", "sk-test-0123456789")
print(keys.find("anthropic", {}).secret, keys.remove("anthropic"), keys.find("anthropic", {}))
keys.store("anthropic", "sk-test-0123456789")
"""


@pytest.fixture
def desktop():
    """A bus with a keyring that its user has unlocked at login."""
    # The socket's path has to be short.
    with tempfile.TemporaryDirectory() as folder, private_bus(Path(folder)) as bus:
        yield bus.variables | {"HOME": folder, "XDG_RUNTIME_DIR": folder}


@pytest.fixture
def unlocked(desktop):
    command = [PROGRAM, "--foreground", "--components=secrets", "--unlock"]
    daemon = subprocess.Popen(
        command,
        env=desktop,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    daemon.stdin.write(b"a password")
    daemon.stdin.close()
    daemon.stdout.readline()
    yield desktop
    daemon.kill()
    daemon.wait()
    daemon.stdout.close()


def run(code, variables) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_key_is_kept_found_and_removed(unlocked):
    assert run(KEEP, unlocked) == "sk-test-0123456789 True None"
    assert run(ASK, unlocked) == 'Key(source="the system\'s keyring")'


def test_a_locked_keyring_does_not_prompt_in_the_background(unlocked):
    run(KEEP, unlocked)
    run(LOCK, unlocked)
    assert run(ASK, unlocked) == "key the system's keyring is locked"


def test_a_bus_without_a_keyring_has_no_key(desktop):
    assert run(ASK, desktop) == "None"
