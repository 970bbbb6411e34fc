"""Which reader the user chose, for those who ask often: nothing heavy is loaded to find that it is
none, and of the settings no more than those of the reader to find which."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxd.places import CONFIG_FILE

if TYPE_CHECKING:
    from ctxd.settings_reader import ReaderSettings

_VARIABLE = "CTXD_READER_"
_TABLE = "reader"
_OFF = "off"


def chosen_reader(folder: Path, variables: Mapping[str, str] = os.environ) -> ReaderSettings | None:
    """The settings of the reader that was chosen in a configuration folder or the environment; None
    where none was, or where they are wrong, which is told elsewhere."""
    in_file, named = _in_file(folder / CONFIG_FILE), _in_environment(variables)
    if (in_file | named).get("backend", _OFF) == _OFF:
        return None
    from pydantic import ValidationError

    from ctxd.settings_reader import ReaderSettings

    ours = {name: text for name, text in named.items() if name in ReaderSettings.model_fields}
    try:
        return ReaderSettings.model_validate(in_file | ours)
    except ValidationError:
        return None


def _in_environment(variables: Mapping[str, str]) -> dict[str, Any]:
    named = {name.upper(): text for name, text in variables.items() if text}
    return {
        name.removeprefix(_VARIABLE).lower(): text
        for name, text in named.items()
        if name.startswith(_VARIABLE)
    }


def _in_file(file: Path) -> dict[str, Any]:
    """What a configuration file says of the reader."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return {}
    lines = (line.strip() for line in text.splitlines())
    if not any(_TABLE in line for line in lines if not line.startswith("#")):
        return {}
    import tomllib

    try:
        table = tomllib.loads(text).get(_TABLE)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}
