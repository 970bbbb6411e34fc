"""Settings that environment variables give: `CTXD_WRITE`, `CTXD_NOTIFY_QUIET_HOURS`.

A module of its own, since what reads them costs as much to import as all the rest of a command.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict
from pydantic_settings.exceptions import SettingsError

from ctxd.errors import UsageError
from ctxd.policy.shown import SETTING_LIKENESS
from ctxd.settings import NO_SETTINGS, VARIABLE, Settings, closest


class _FromEnvironment(Settings, BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=VARIABLE, env_nested_delimiter="_", env_nested_max_split=1
    )


def variables() -> list[str]:
    """The names of all variables that are settings."""
    return list(_names(Settings, VARIABLE))


def values_of(given: Mapping[str, str]) -> dict[str, Any]:
    """The values that these variables give; raise UsageError for one that is a setting's name
    mistyped, and for a table that is no JSON. What resembles no setting is somebody else's."""
    known = variables()
    ours = {}
    for name, text in given.items():
        if name.upper().startswith(tuple(known)):
            ours[name] = text
        elif _is_mistyped(name.upper(), known):
            hint = closest(name.upper(), known)
            raise UsageError(f"the environment variable `{name}` is no setting", hint)
    with _only(ours):
        try:
            return EnvSettingsSource(_FromEnvironment)()
        except SettingsError as error:
            raise UsageError(f"the environment: {error}", "write a table as JSON") from error


def _is_mistyped(name: str, known: Sequence[str]) -> bool:
    words = [one.removeprefix(VARIABLE) for one in known]
    return bool(get_close_matches(name.removeprefix(VARIABLE), words, 1, SETTING_LIKENESS))


def _names(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        variable = f"{prefix}{name.upper()}"
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _names(kind, f"{variable}_")
        else:
            yield variable


@contextmanager
def _only(given: Mapping[str, str]) -> Iterator[None]:
    """The library reads the process' own environment; here it is these variables for a moment, and
    none that only looks like a table of settings."""
    before = {name: os.environ.get(name) for name in (*given, *NO_SETTINGS)}
    for name in NO_SETTINGS:
        os.environ.pop(name, None)
    os.environ.update(given)
    try:
        yield
    finally:
        for name, text in before.items():
            if text is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = text
