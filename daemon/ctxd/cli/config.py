"""`ctxd config`: the configuration shown, with where each value comes from, and changed safely."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from ctxd.cli.config_file import change, config_path, config_text, take_up
from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import repository_option
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError, UserError

ACTIONS = ("show", "get", "set", "unset", "edit", "check", "path")


@command_of(
    ("ctxd config show --origin", "where each value comes from"),
    ("ctxd config set write review", "have all wait for you"),
    ("ctxd config edit", "open the file and check it"),
)
@click.argument("action", type=click.Choice(ACTIONS), metavar="ACTION", default="show")
@click.argument("arguments", metavar="[KEY] [VALUE]", nargs=-1)
@click.option("--origin", is_flag=True, help="Say where each value comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (show).")
@repository_option("As it holds in this folder's repository (show, get).")
def command(
    *, action: str, arguments: tuple[str, ...], origin: bool, as_json: bool, repo: Path | None
) -> int:
    """Show and change the configuration.

    ACTION is show (the default), get, set, unset, edit, check or path. What is wrong is said and
    nothing is written; a running daemon takes a change up at once.
    """
    wanted = {"get": 1, "set": 2, "unset": 1}.get(action, 0)
    if len(arguments) != wanted:
        raise UsageError(_USAGE[wanted].format(action=action), "`ctxd config -h` has examples")
    if action == "show":
        return _show(repo, origin=origin, as_json=as_json)
    if action == "get":
        return _get(arguments[0], repo)
    return _ACTIONS[action](*arguments)


_USAGE = {
    0: "`ctxd config {action}` takes nothing more",
    1: "say which setting to {action}",
    2: "say which setting, and its value",
}


def _show(repo: Path | None, *, origin: bool, as_json: bool) -> int:
    from ctxd.cli.json_output import print_json
    from ctxd.configuration import ConfigReport, all_settings
    from ctxd.terminal import path_text

    found = all_settings(current.places.config, _root(repo))
    if as_json:
        exists = config_path().exists()
        print_json(ConfigReport(file=path_text(config_path()), exists=exists, settings=found))
        return Exit.OK
    width = max(len(one.key) for one in found)
    for one in found:
        where = (f"  ({one.origin})", "dim") if origin else ""
        current.output.print((one.key.ljust(width), "cyan"), f"  {_shown(one.value)}", where)
    return Exit.OK


def _get(key: str, repo: Path | None) -> int:
    from ctxd.configuration import all_settings
    from ctxd.settings import unknown

    values = {one.key: one.value for one in all_settings(current.places.config, _root(repo))}
    table, _, name = key.partition(".")
    if key not in values and name and isinstance(values.get(table), dict):
        values[key] = values[table].get(name)
    if key not in values:
        raise unknown(key, "the configuration")
    if values[key] is None:
        raise UserError(f"`{key}` is not set", "`ctxd config show` lists what is")
    current.output.print(_shown(values[key]))
    return Exit.OK


def _set(key: str, value: str) -> int:
    from ctxd.configuration import with_value

    return change(lambda text: with_value(text, key, value, f"`{config_path()}`"))


def _unset(key: str) -> int:
    from ctxd.configuration import without_value

    return change(lambda text: without_value(text, key, f"`{config_path()}`"))


def _edit() -> int:
    """Edit a copy, and put it in place only when it is right."""
    from ctxd.configuration import commented, write

    before = config_text() or commented()
    text = before
    while True:
        changed = click.edit(text, extension=".toml", require_save=True)
        if changed is None or changed == before:
            current.messages.print("nothing was changed")
            return Exit.OK
        text = changed
        if _is_right(text):
            break
        if not (sys.stdin.isatty() and click.confirm("edit it again?", default=True, err=True)):
            current.messages.print("the old configuration stays")
            return Exit.USAGE
    write(current.places.config, text)
    return take_up()


def _is_right(text: str) -> bool:
    from ctxd.configuration import check

    try:
        check(text, f"`{config_path()}`")
    except UsageError as error:
        current.messages.print(("error:", "bold red"), f" {error.message}")
        current.messages.print(("hint:", "cyan"), f" {error.hint}")
        return False
    return True


def _check() -> int:
    from ctxd.settings import load_settings

    load_settings(current.places.config)
    there = "is right" if config_path().exists() else "is not there: the defaults hold"
    current.output.print(f"`{config_path()}` {there}")
    return Exit.OK


def _print_path() -> int:
    current.output.print(str(config_path()))
    return Exit.OK


_ACTIONS: dict[str, Callable[..., int]] = {
    "set": _set,
    "unset": _unset,
    "edit": _edit,
    "check": _check,
    "path": _print_path,
}


def _root(repo: Path | None) -> Path | None:
    """The worktree that is asked about: that of the folder, of the current one if none is named."""
    from ctxd.context_files.whereabouts import spot_of

    spot = spot_of(os.path.abspath(repo or "."))
    return Path(spot.root) if spot else None


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_shown(one)}" for name, one in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return str(value).lower() if isinstance(value, bool) else str(value) or "-"
