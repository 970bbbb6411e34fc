"""`ctxd reader setup`: what could read, where text would go, and one of it chosen by the user.

Nothing is chosen by itself: on a terminal the user is asked, and told before who gets the text;
without one a name has to be given.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ctxd.cli.config_file import change, config_path, config_text
from ctxd.cli.reader_lines import SENT, print_backends, print_hint, print_wrapped
from ctxd.cli.settings import current
from ctxd.configuration import check, with_value, without_value
from ctxd.errors import Exit, UsageError, UserError
from ctxd.policy.reader import READER_KEY_CHARS
from ctxd.reader.extra import install_hint
from ctxd.reader_report import BackendRow, ReaderReport, row, rows

if TYPE_CHECKING:
    from ctxd.reader.values import Choice
    from ctxd.settings_reader import ReaderSettings

_VARIABLE = "CTXD_READER_BACKEND"
_FIELDS = ("model", "base_url", "region", "program")
_USED_BY = (("base_url", True, "backends with a server"), ("program", False, "agents"))
"""Fields that only some backends heed: those that ask a server, or those that do not."""
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
    _tell_of_extra(found)
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


def _tell_of_extra(found: Sequence[BackendRow]) -> None:
    """Say how the libraries come here that are missing."""
    hint = install_hint()
    if missing := [one.backend for one in found if one.hint == hint]:
        print_hint(current.output, f"the libraries for {', '.join(missing)}: {hint}")


def choice_with(name: str, how: Mapping[str, Any]) -> Choice:
    """What would be chosen with these options; raise UsageError for what is wrong with them."""
    where = "these options"
    return check(_with(config_text(), name, how, where), where).reader.choice


def set_up(name: str, how: Mapping[str, Any]) -> int:
    """Choose a backend with these options, and say who gets the text from now on."""
    where = f"`{config_path()}`"
    _refuse_what_says_nothing(name, how)
    choice = choice_with(name, how)
    if how["key_stdin"]:
        store_key(choice, sys.stdin.readline(READER_KEY_CHARS + 2).strip())
    change(lambda text: _with(text, name, how, where))
    return _say(name, choice)


def _refuse_what_says_nothing(name: str, how: Mapping[str, Any]) -> None:
    """Raise UsageError for a backend that there is not, or an option that it has no use for."""
    from ctxd.reader.backends.registry import NAMES, backend

    if name not in NAMES:
        raise UsageError(f"there is no backend `{name}`", f"known are: {', '.join(NAMES)}")
    asks_server = hasattr(backend(name), "server")
    for field, is_of_server, owner in _USED_BY:
        if how[field] and asks_server != is_of_server:
            option = field.replace("_", "-")
            hint = f"it is for {owner}; `ctxd reader setup` lists them"
            raise UsageError(f"`--{option}` says nothing to `{name}`", hint)


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


def warn_of_environment(name: str) -> bool:
    """Whether the environment chooses something else; say so where it does."""
    other = os.environ.get(_VARIABLE)
    if not other or other == name:
        return False
    said = f"`{_VARIABLE}={other}` in the environment comes before the file"
    print_wrapped(current.messages, said, ("! ", "bold yellow"))
    print_hint(current.messages, f"`unset {_VARIABLE}`", "  ")
    return True


def _with(text: str, name: str, how: Mapping[str, Any], where: str) -> str:
    """The text of the configuration file with a backend chosen. What was set for another one goes:
    a model's name means nothing to the next maker."""
    before = check(text, f"`{config_path()}`").reader
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
        said = f"{name} is chosen: exchanges of your sessions go to {found.sends_to}"
    else:
        said = f"{name} is chosen: all of it stays on this machine"
    print_wrapped(out, said)
    if warn_of_environment(name):
        return Exit.FINDINGS
    if found.is_ready:
        print_hint(out, "`ctxd reader test` tries it, `ctxd reader off` turns it off")
        return Exit.OK
    print_wrapped(current.messages, f"it cannot be used yet: {found.why_not}", ("! ", "yellow"))
    print_hint(current.messages, found.hint, "  ")
    return Exit.FINDINGS
