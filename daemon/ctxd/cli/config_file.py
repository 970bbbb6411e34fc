"""The configuration file as commands change it: read, written at once, taken up by the daemon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ctxd.cli.settings import current
from ctxd.errors import Exit, UserError
from ctxd.places import CONFIG_FILE


def config_path() -> Path:
    """Where it is."""
    return current.places.config / CONFIG_FILE


def config_text() -> str:
    """What stands in it; nothing where there is none."""
    try:
        return config_path().read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeError) as error:
        raise UserError(
            f"cannot read `{config_path()}`: {error}", "mend or remove the file"
        ) from error


def change(edited: Callable[[str], str]) -> int:
    """Put a changed text in its place, and have a running daemon take it up."""
    from ctxd.configuration import write

    text = config_text()
    changed = edited(text)
    if changed != text:
        write(current.places.config, changed)
    return take_up()


def take_up() -> int:
    """Have a running daemon take the configuration up."""
    from ctxd.service.asking import Request, ask, control_address

    answer = ask(control_address(current.places.runtime), Request("reload"))
    said = "the daemon takes it up" if answer else "it holds from the next start of the daemon"
    current.messages.print(said)
    return Exit.OK
