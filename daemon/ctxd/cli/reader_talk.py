"""The dialog of `ctxd reader setup`: which backend, what it needs, and the user's plain word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from getpass import getpass
from typing import TYPE_CHECKING, Any

from ctxd.cli.reader_lines import print_hint, print_wrapped
from ctxd.errors import UserError
from ctxd.reader.backends.registry import backend
from ctxd.reader.values import ReaderError

if TYPE_CHECKING:
    from ctxd.reader.values import Choice
    from ctxd.reader_report import BackendRow
    from ctxd.settings_reader import ReaderSettings
    from ctxd.terminal import Terminal

_NONE = frozenset({"", "none", "off", "q"})


class SetupTalk:
    """Asks one thing after another; Enter is always the answer that sends nothing anew."""

    def __init__(
        self, out: Terminal, settings: ReaderSettings, found: Sequence[BackendRow]
    ) -> None:
        self._out = out
        self._settings = settings
        self._found = found

    def backend(self) -> str:
        """The name of the one that is wanted; empty for none."""
        names = [one.backend for one in self._found]
        numbered = dict(zip(map(str, range(1, len(names) + 1)), names, strict=True))
        while True:
            said = self._said("which one? a number or a name, Enter for none").lower()
            if said in _NONE:
                return ""
            if said in names or said in numbered:
                return numbered.get(said, said)
            self._out.print(("one of the numbers or names above", "dim"))

    def details(self, name: str, how: Mapping[str, Any]) -> dict[str, Any]:
        """What else there is to be set, as far as the command line did not say it."""
        wanted = dict(how)
        known = self._settings if self._settings.backend == name else None
        own = getattr(backend(name), "url", "")
        if own and wanted["base_url"] is None:
            kept = known.base_url if known else ""
            wanted["base_url"] = self._said("address of its server", kept or own)
            if wanted["base_url"] == own:
                wanted["base_url"] = ""
        if wanted["model"] is None:
            kept = known.model if known else ""
            said = self._said("model", kept or "its own")
            wanted["model"] = "" if said == "its own" else said
        return wanted

    def is_agreed(self, choice: Choice) -> bool:
        """Whether the user wants it, having been told who gets the text; then also their key, where
        one is needed and not found."""
        sends_to = backend(choice.backend).sends_to(choice)
        if sends_to:
            print_wrapped(self._out, f"Exchanges of your sessions will be sent to {sends_to}.")
        else:
            self._out.print("Nothing leaves this machine with this one.")
        if self._said("choose it? y/n", "n").lower() not in ("y", "yes"):
            return False
        self._ask_for_key(choice)
        return True

    def _ask_for_key(self, choice: Choice) -> None:
        from ctxd.cli.reader_setup import key_name, store_key
        from ctxd.reader import keys

        found = backend(choice.backend)
        find = getattr(found, "key", None)
        if find is None or not found.needs_key:
            return
        try:
            find(choice)
        except ReaderError as error:
            if error.trouble != "key":
                return
            self._out.print(error.message)
        else:
            return
        try:
            keys.check(key_name(choice))  # a key that cannot be kept is not asked for
            key = getpass("the key, which is not shown; Enter for none [none]: ").strip()
            if key:
                store_key(choice, key)
        except EOFError:
            self._out.print()
        except UserError as error:
            print_wrapped(self._out, error.message, ("! ", "bold yellow"))
            print_hint(self._out, error.hint, "  ")

    def _said(self, question: str, default: str = "none") -> str:
        """What the user typed; the default where they typed nothing or have hung up."""
        try:
            said = input(f"{question} [{default}]: ").strip()
        except EOFError:
            self._out.print()
            said = ""
        return said or default
