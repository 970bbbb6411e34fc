"""What a user may configure, read from `config.toml`. Missing means the defaults."""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path, PurePath

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ctxd.context_files.modes import Mode
from ctxd.errors import UsageError
from ctxd.notify.quiet import Hours, hours_of
from ctxd.notify.values import Level
from ctxd_parsers.registry import PARSERS


class NotifySettings(BaseModel):
    """Notices on the desktop."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Level = "constraints"
    """What they are made for: see `ctxd.notify.values`."""
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
    """The configuration file, checked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    roots: dict[str, list[Path]] = Field(default_factory=dict)
    """Further folders with logs, by parser name: for places that only a shell's environment names,
    which a service started at login never sees."""
    polling: bool = False
    """Never rely on file events, compare the disk every few seconds instead."""
    write: Mode = "auto"
    """What is written into context files unasked: see `ctxd.context_files.modes`."""
    repositories: dict[str, Mode] = Field(default_factory=dict)
    """The same for single repositories, by their folder or one above them; the longest counts."""
    notify: NotifySettings = NotifySettings()

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


def load_settings(folder: Path) -> Settings:
    """The settings in a configuration folder; raise UsageError naming what is wrong with them."""
    path = folder / "config.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read `{path}`: {error}", "mend or remove the file") from error
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise _named(path, error) from error
    for name in settings.roots:
        _check_parser(path, name)
    return settings


def _named(path: Path, error: ValidationError) -> UsageError:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return _unknown(path, key)
    said = first["msg"].removeprefix("Value error, ")
    hint = _HINTS.get(key, "mend the value")
    return UsageError(f"`{key}` in `{path}`: {said[:1].lower()}{said[1:]}", hint)


def _unknown(path: Path, key: str) -> UsageError:
    section, _, name = key.rpartition(".")
    fields = NotifySettings.model_fields if section == "notify" else Settings.model_fields
    return UsageError(f"unknown key `{key}` in `{path}`", _closest(name, fields))


_HINTS = {
    "notify.quiet_hours": 'write it as `quiet_hours = "22:00-07:00"`',
    "notify.level": 'write `level = "constraints"`, `"critical"` or `"off"`',
}


def _check_parser(path: Path, name: str) -> None:
    names = [parser.name for parser in PARSERS]
    if name not in names:
        raise UsageError(
            f"unknown parser `{name}` under `roots` in `{path}`", _closest(name, names)
        )


def _closest(word: str, known: object) -> str:
    names = sorted(str(name) for name in known)  # type: ignore[attr-defined]
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean `{close[0]}`?" if close else "known are: " + ", ".join(names)
