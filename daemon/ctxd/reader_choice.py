"""Which reader the user chose, for those who ask often: nothing heavy is loaded to find that it is
none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ctxd.errors import CtxdError
from ctxd.places import CONFIG_FILE

if TYPE_CHECKING:
    from ctxd.settings_reader import ReaderSettings

_VARIABLE = "CTXD_READER_BACKEND"
_TABLE = "reader"
_OFF = "off"


def chosen_reader(folder: Path, variables: Mapping[str, str] = os.environ) -> ReaderSettings | None:
    """The settings of the reader that was chosen in a configuration folder or the environment; None
    where none was, or where the settings are wrong, which is told elsewhere."""
    if not _is_chosen(folder / CONFIG_FILE, variables):
        return None
    from ctxd.settings import load_settings

    try:
        found = load_settings(folder, variables).reader
    except CtxdError:
        return None
    return found if found.is_on else None


def _is_chosen(file: Path, variables: Mapping[str, str]) -> bool:
    given = [text for name, text in variables.items() if name.upper() == _VARIABLE and text]
    return (given[0] if given else _in_file(file)) != _OFF


def _in_file(file: Path) -> object:
    """What a configuration file chooses."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return _OFF
    lines = (line.strip() for line in text.splitlines())
    if not any(_TABLE in line for line in lines if not line.startswith("#")):
        return _OFF
    import tomllib

    try:
        table = tomllib.loads(text).get(_TABLE)
    except (tomllib.TOMLDecodeError, RecursionError):
        return _OFF
    return table.get("backend", _OFF) if isinstance(table, dict) else _OFF
