"""`ctxd reader`: which language model reads sessions a second time, and where the text goes."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError

if TYPE_CHECKING:
    from ctxd.ledger import Reader
    from ctxd.reader_report import ReaderReport
    from ctxd.settings_reader import ReaderSettings

ACTIONS = ("show", "setup", "off", "test")
_SET = ("model", "base_url", "region", "program", "key_stdin")
"""Options that say something to `setup` alone."""


def _names(context: click.Context, _argument: click.Parameter, begun: str) -> list[str]:
    from ctxd.reader.backends.registry import NAMES

    is_asked = context.params.get("action") == "setup"
    return [name for name in NAMES if name.startswith(begun)] if is_asked else []


@command_of(
    ("ctxd reader", "which one is chosen, and what it was asked today"),
    ("ctxd reader setup", "see what there is and where text would go; choose"),
    ("ctxd reader test", "one small call, to see that it answers"),
)
@click.argument("action", type=click.Choice(ACTIONS), metavar="[ACTION]", default="show")
@click.argument("backend", metavar="[BACKEND]", required=False, shell_complete=_names)
@click.option("--model", metavar="NAME", help="setup: the model, as the backend names it.")
@click.option("--base-url", metavar="URL", help="setup: address of a server.")
@click.option("--region", metavar="NAME", help="setup: region of a cloud.")
@click.option("--program", metavar="PATH", help="setup: an agent's program.")
@click.option("--key-stdin", is_flag=True, help="setup: keep the key on stdin in the keyring.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(*, action: str, backend: str | None, as_json: bool, **how: Any) -> int:
    """Have a language model read your sessions a second time; off unless you choose one.

    ACTION is show (the default), setup, off or test. `setup` lists the BACKENDs that are here, with
    where each sends what it reads, and asks; named, one is chosen without a question. Exits with 4
    when the chosen one cannot be used.
    """
    given = [name for name in _SET if how[name]]
    if given and action != "setup":
        option = given[0].replace("_", "-")
        raise UsageError(f"`--{option}` says nothing to `{action}`", "`ctxd reader -h` helps")
    if backend is not None and action != "setup":
        raise UsageError(f"`{action}` takes no backend", "`ctxd reader setup NAME` chooses one")
    if action == "setup":
        return _setup(backend, how, as_json=as_json)
    if action == "off":
        return _off(as_json=as_json)
    return _test(as_json=as_json) if action == "test" else _show(as_json=as_json)


def taken() -> ReaderReport:
    """How the chosen reader stands now."""
    from ctxd.reader_report import report

    with ExitStack() as stack:
        return report(_settings(), ledger(stack), datetime.now(UTC))


def ledger(stack: ExitStack) -> Reader | None:
    """The ledger; None where the daemon never ran."""
    from ctxd.cli.item_choice import open_ledger
    from ctxd.ledger import NoLedgerError
    from ctxd.status import ledger_path

    try:
        return stack.enter_context(open_ledger())
    except NoLedgerError:
        if ledger_path(current.places.state).exists():  # it is damaged
            raise
        return None


def _settings() -> ReaderSettings:
    from ctxd.settings import load_settings

    return load_settings(current.places.config).reader


def _show(*, as_json: bool) -> int:
    found = taken()
    if as_json:
        from ctxd.cli.json_output import print_json

        print_json(found)
    else:
        from ctxd.cli.reader_lines import print_report

        print_report(current.output, found, datetime.now(UTC))
    return Exit.FINDINGS if found.chosen and not found.chosen.is_ready else Exit.OK


def _setup(backend: str | None, how: dict[str, Any], *, as_json: bool) -> int:
    from ctxd.cli.reader_setup import ask_and_set, list_all, set_up

    if backend is not None and as_json:
        raise UsageError("`--json` lists what could be chosen", "leave out one of the two")
    if as_json:
        return list_all(taken(), _settings())
    if backend is None:
        return ask_and_set(_settings(), how)
    return set_up(backend, how)


def _off(*, as_json: bool) -> int:
    from ctxd.cli.config_file import change, config_path
    from ctxd.cli.reader_setup import warn_of_environment
    from ctxd.configuration import with_value

    where = f"`{config_path()}`"
    change(lambda text: with_value(text, "reader.backend", "off", where))
    is_overruled = warn_of_environment("off")
    if as_json:
        return _show(as_json=True)
    if is_overruled:
        return Exit.FINDINGS
    current.output.print("the reader is off: no session text leaves ctxd")
    return Exit.OK


def _test(*, as_json: bool) -> int:
    from ctxd.cli.reader_trial import test

    return test(_settings(), as_json=as_json)
