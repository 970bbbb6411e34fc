"""What a user may configure: the settings, their defaults, and what is wrong with those given.

The environment (`CTXD_POLLING`, `CTXD_NOTIFY_LEVEL`) comes before `config.toml`, that before the
defaults. A repository's own `.ctxd.toml` only narrows: see `ctxd.context_files.modes`.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ctxd.context_files.modes import Mode
from ctxd.errors import UsageError
from ctxd.notify.quiet import Hours, hours_of
from ctxd.notify.values import Level
from ctxd.places import CONFIG_FILE
from ctxd.settings_reader import KEYS_ELSEWHERE, HintedError, ReaderSettings, is_key
from ctxd_parsers.registry import PARSERS

FILE = CONFIG_FILE
VARIABLE = "CTXD_"
"""How the environment's names of settings begin."""
NO_SETTINGS = frozenset({"CTXD_HOME", "CTXD_READER"})
"""Variables that begin so and are for something else."""


class NotifySettings(BaseModel):
    """Notices on the desktop."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    level: Level = "constraints"
    """What notices are made for: `constraints` (whatever has to hold), `critical` (only what
    destroys or leaks something when broken) or `off`."""
    quiet_hours: str = ""
    """When none is shown, as `22:00-07:00`; what comes meanwhile is told afterwards."""

    @field_validator("quiet_hours")
    @classmethod
    def _readable(cls, text: str) -> str:
        hours_of(text)
        return text

    @property
    def hours(self) -> Hours | None:
        """The quiet hours; None when there are none."""
        return hours_of(self.quiet_hours)


class Settings(BaseModel):
    """The configuration, checked."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    write: Mode = "auto"
    """What is written into context files unasked: `auto` (your own plain words, of live sessions),
    `review` (nothing, everything waits for you) or `off` (context files are left alone)."""
    repositories: dict[str, Mode] = Field(default_factory=dict)
    """The same for single repositories, by their folder or one above them; the longest counts."""
    notify: NotifySettings = NotifySettings()
    reader: ReaderSettings = ReaderSettings()
    polling: bool = False
    """Never rely on file events, compare the disk every few seconds instead."""
    roots: dict[str, list[Path]] = Field(default_factory=dict)
    """Further folders with logs, by parser name: for places that only a shell's environment names,
    which a service started at login never sees."""

    @property
    def extra_roots(self) -> dict[str, tuple[PurePath, ...]]:
        """The further roots with `~` resolved, as the parsers' environment takes them."""
        return {
            name: tuple(path.expanduser() for path in paths) for name, paths in self.roots.items()
        }

    def mode_of(self, root: Path) -> Mode:
        """What may be written unasked in a worktree, as far as the user's own settings go."""
        fitting = {
            path: mode
            for name, mode in self.repositories.items()
            if (path := Path(os.path.realpath(os.path.expanduser(name)))) in (root, *root.parents)
        }
        return fitting[max(fitting, key=lambda path: len(path.parts))] if fitting else self.write


def load_settings(folder: Path, variables: Mapping[str, str] = os.environ) -> Settings:
    """The settings in force, of a configuration folder and the environment; raise UsageError naming
    what is wrong with them."""
    values: dict[str, Any] = {}
    for where, given in (
        (f"`{folder / FILE}`", read_file(folder / FILE)),
        ("the environment", from_environment(variables)),
    ):
        checked(given, where)
        values = merged(values, given)
    return checked(values, "the configuration")


def read_file(path: Path) -> dict[str, Any]:
    """The values in a configuration file; none where there is no file. Raise UsageError for one
    that cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"cannot read `{path}`: {error}", "mend or remove the file") from error


def from_environment(variables: Mapping[str, str]) -> dict[str, Any]:
    """The values that environment variables give; raise UsageError for one that names nothing."""
    named = {
        name: text
        for name, text in variables.items()
        if name.upper().startswith(VARIABLE) and name not in NO_SETTINGS and text
    }
    if not named:
        return {}
    from ctxd.settings_environment import values_of

    return values_of(named)


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Values with others over them, table by table."""
    result = dict(under)
    for key, value in over.items():
        below = result.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = merged(below, value) if both else value  # type: ignore[arg-type]
    return result


def checked(values: Mapping[str, Any], where: str) -> Settings:
    """The settings that these values are; raise UsageError naming what is wrong, and where."""
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise _named(where, error) from error
    for name in settings.roots:
        _check_parser(where, name)
    return settings


def unknown(key: str, where: str) -> UsageError:
    """What to say of a key that there is none of."""
    section, _, name = key.rpartition(".")
    hint = KEYS_ELSEWHERE if is_key(name) else closest(name, _fields_of(section))
    return UsageError(f"unknown key `{key}` in {where}", hint)


def _fields_of(section: str) -> Iterable[str]:
    """The names of the settings in a table, or of all that stand in none."""
    field = Settings.model_fields.get(section)
    kind = field.annotation if field else None
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_fields
    return Settings.model_fields


def _named(where: str, error: ValidationError) -> UsageError:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return unknown(key, where)
    said = first["msg"].removeprefix("Value error, ")
    why = first.get("ctx", {}).get("error")
    hint = why.hint if isinstance(why, HintedError) else _HINTS.get(key, "mend the value")
    return UsageError(f"`{key}` in {where}: {said[:1].lower()}{said[1:]}", hint)


_HINTS = {
    "notify.quiet_hours": 'write it as `quiet_hours = "22:00-07:00"`',
    "notify.level": 'write `level = "constraints"`, `"critical"` or `"off"`',
    "reader.calls_a_day": "`ctxd reader off` turns the reader off",
    "reader.tokens_a_day": "`ctxd reader off` turns the reader off",
    "write": 'write `write = "auto"`, `"review"` or `"off"`',
}


def _check_parser(where: str, name: str) -> None:
    names = [parser.name for parser in PARSERS]
    if name not in names:
        raise UsageError(f"unknown parser `{name}` under `roots` in {where}", closest(name, names))


def closest(word: str, known: Iterable[str]) -> str:
    """What somebody who wrote a word may have meant, as a hint."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean `{close[0]}`?" if close else "known are: " + ", ".join(names)
