"""A keyring in a file, for processes that a test starts; one that hangs, and one that fails."""

import json
import os
import threading
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringError, PasswordDeleteError

FILE = "KEPT_KEYRING_FILE"
"""The variable that names the file."""


class Kept(KeyringBackend):
    priority = 1

    def get_password(self, service, username):
        return self._all().get(f"{service}/{username}")

    def set_password(self, service, username, password):
        self._write({**self._all(), f"{service}/{username}": password})

    def delete_password(self, service, username):
        kept = self._all()
        if kept.pop(f"{service}/{username}", None) is None:
            raise PasswordDeleteError
        self._write(kept)

    def _all(self):
        path = Path(os.environ[FILE])
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def _write(self, kept):
        Path(os.environ[FILE]).write_text(json.dumps(kept), encoding="utf-8")


class Hanging(KeyringBackend):
    """Waits for a user who is not there, until the test is over."""

    priority = 1
    over = threading.Event()

    def get_password(self, service, username):
        self.over.wait()

    set_password = delete_password = get_password


class Failing(KeyringBackend):
    """Repeats in its complaint what it was given."""

    priority = 1

    def get_password(self, service, username):
        message = f"cannot look for {service} {username}"
        raise KeyringError(message)

    def set_password(self, service, username, password):
        message = f"cannot keep {password}"
        raise KeyringError(message)
