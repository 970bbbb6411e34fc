"""`ctxd reader setup`: what could read, where text would go, and one of it chosen by the user.

Nothing is chosen by itself: on a terminal the user is asked, and told before who gets the text;
without one a name has to be given.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ctxd.cli.config_file import change, config_path, config_text
from ctxd.cli.reader_lines import SENT, print_backends, print_hint, print_wrapped
from ctxd.cli.settings import current
from ctxd.configuration import check, with_value, without_value
from ctxd.errors import Exit, UsageError, UserError
from ctxd.policy.reader import READER_KEY_CHARS
from ctxd.reader_report import ReaderReport, row, rows

if TYPE_CHECKING:
    from ctxd.reader.values import Choice
    from ctxd.settings_reader import ReaderSettings

_VARIABLE = "CTXD_READER_BACKEND"
_FIELDS = ("model", "base_url", "region", "program")
_ABOUT = (
    "A language model can read your sessions a second time. It finds more of what was decided; "
    "what it says counts only where the words it quotes stand in the session. Nothing is sent "
    "unless you choose one."
)


def list_all(found: ReaderReport, settings: ReaderSettings) -> int:
    """Print what could be chosen, for other programs."""
    from ctxd.cli.json_output import print_json

    print_json(msgspec.structs.replace(found, backends=rows(settings)))
    return Exit.OK


def ask_and_set(settings: ReaderSettings, how: Mapping[str, Any]) -> int:
    """Show what could be chosen, and have the user choose; raise UsageError where nobody can be
    asked."""
    from ctxd.cli.reader_talk import SetupTalk

    out = current.output
    found = sorted(rows(settings), key=lambda one: not one.is_ready)
    is_asked = sys.stdin.isatty() and sys.stdout.isatty()
    print_wrapped(out, _ABOUT)
    out.print()
    print_backends(out, found, numbered=is_asked)
    out.print()
    print_wrapped(out, SENT)
    out.print()
    if not is_asked:
        raise UsageError("there is no terminal to ask on", "`ctxd reader setup NAME` chooses one")
    talk = SetupTalk(out, settings, found)
    name = talk.backend()
    if not name:
        out.print("nothing was changed")
        return Exit.OK
    wanted = talk.details(name, how)
    if not talk.is_agreed(choice_with(name, wanted)):
        out.print("nothing was changed")
        return Exit.OK
    return set_up(name, wanted)


def choice_with(name: str, how: Mapping[str, Any]) -> Choice:
    """What would be chosen with these options; raise UsageError for what is wrong with them."""
    where = "these options"
    return check(_with(config_text(), name, how, where), where).reader.choice


def set_up(name: str, how: Mapping[str, Any]) -> int:
    """Choose a backend with these options, and say who gets the text from now on."""
    where = f"`{config_path()}`"
    choice = check(_with(config_text(), name, how, where), where).reader.choice
    if how["key_stdin"]:
        store_key(choice, sys.stdin.readline(READER_KEY_CHARS + 2).strip())
    change(lambda text: _with(text, name, how, where))
    warn_of_environment(name)
    return _say(name, choice)


def store_key(choice: Choice, key: str) -> None:
    """Keep a key in the system's keyring; raise UserError when that cannot be."""
    from ctxd.reader import keys

    keys.store(key_name(choice), key)
    current.output.print(f"the key is kept in {keys.KEYRING}")


def key_name(choice: Choice) -> str:
    """The name that the key of a choice is kept by; raise UserError for a backend without keys."""
    from ctxd.reader.backends.registry import backend

    found = backend(choice.backend)
    named = getattr(found, "key_name", None)
    if named is None or not found.needs_key:
        hint = f"`ctxd reader setup {choice.backend}` without a key chooses it"
        raise UserError(f"`{choice.backend}` takes no key from ctxd", hint)
    return str(named(choice))


def warn_of_environment(name: str) -> None:
    """Say so where the environment chooses something else."""
    other = os.environ.get(_VARIABLE)
    if other and other != name:
        said = f" `{_VARIABLE}={other}` in the environment comes before the file"
        current.messages.print(("!", "bold yellow"), said)


def _with(text: str, name: str, how: Mapping[str, Any], where: str) -> str:
    """The text of the configuration file with a backend chosen. What was set for another one goes:
    a model's name means nothing to the next maker."""
    before = check(text, where).reader
    text = with_value(text, "reader.backend", name, where)
    for field in _FIELDS:
        key, value = f"reader.{field}", how[field]
        if value:
            text = with_value(text, key, _absolute(value) if field == "program" else value, where)
        elif getattr(before, field) and (before.backend != name or value == ""):
            text = without_value(text, key, where)
    return text


def _absolute(program: str) -> str:
    """A path that means the same wherever the daemon was started."""
    is_path = os.sep in program and not program.startswith("~")
    return os.path.abspath(program) if is_path else program


def _say(name: str, choice: Choice) -> int:
    found = row(name, choice)
    out = current.output
    if found.sends_to:
        said = f"{name} reads from now on: exchanges of your sessions go to {found.sends_to}"
    else:
        said = f"{name} reads from now on: all of it stays on this machine"
    print_wrapped(out, said)
    if found.is_ready:
        print_hint(out, "`ctxd reader test` tries it, `ctxd reader off` turns it off")
        return Exit.OK
    print_wrapped(current.messages, f"it cannot be used yet: {found.why_not}", ("! ", "yellow"))
    print_hint(current.messages, found.hint, "  ")
    return Exit.FINDINGS
