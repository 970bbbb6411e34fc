"""The configuration as the user sees and edits it: which value is in force, where it comes from,
and a file changed without losing its comments.

What is wrong is found before anything is written.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomlkit
from pydantic import BaseModel
from tomlkit.exceptions import TOMLKitError

from ctxd.context_files.modes import NAME, allowed
from ctxd.errors import UsageError
from ctxd.policy.shown import CONFIG_COLUMNS
from ctxd.replacing import replace
from ctxd.settings import (
    FILE,
    Settings,
    checked,
    from_environment,
    load_settings,
    read_file,
    unknown,
)

Origin = Literal["environment", "repository", "file", "default"]
"""`repository`: the `.ctxd.toml` of the worktree that is asked about, which only narrows."""


class Setting(msgspec.Struct, frozen=True):
    """One setting, and where its value comes from."""

    key: str
    value: Any
    origin: Origin
    meaning: str


class ConfigReport(msgspec.Struct, frozen=True, kw_only=True):
    """The published form `ctxd.config/1` of all settings (docs/json.md)."""

    schema: Literal["ctxd.config/1"] = "ctxd.config/1"
    file: str
    """The configuration file."""
    exists: bool
    settings: list[Setting]


def keys() -> dict[str, str]:
    """Every setting with what it means; of a table that the user fills, the table's name."""
    return {key: _one_line(meaning) for key, meaning, _ in _fields(Settings, "")}


def all_settings(
    folder: Path, root: Path | None = None, variables: Mapping[str, str] = os.environ
) -> list[Setting]:
    """The settings in force, of a worktree where one is given; raise UsageError for what is wrong
    with those given."""
    settings = load_settings(folder, variables)
    values = settings.model_dump(mode="json")
    layers: list[tuple[Origin, dict[str, Any]]] = [
        ("environment", from_environment(variables)),
        ("file", read_file(folder / FILE)),
    ]
    found = []
    for key, meaning in keys().items():
        given = [name for name, layer in layers if _at(layer, key) is not None]
        origin = given[0] if given else "default"
        found.append(Setting(key, _at(values, key), origin, meaning))
    return [_in_worktree(one, settings, root) for one in found]


def with_value(text: str, key: str, value: str, where: str) -> str:
    """The text of a configuration file in which a setting has this value, everything else as it
    was; raise UsageError when the key or the value is wrong."""
    table, name = _place(key, where)
    document = _parsed(text, where)
    holder: Any = document
    if table:
        if table not in document:
            document[table] = tomlkit.table()
        holder = document[table]
    settings = _first_right(document, (holder, name), (_typed(value), value), where)
    kept = _at(settings.model_dump(mode="json"), table) if table else settings.model_dump()
    holder[name] = kept[name]
    return document.as_string()


def _first_right(
    document: tomlkit.TOMLDocument,
    place: tuple[Any, str],
    readings: tuple[Any, ...],
    where: str,
) -> Settings:
    """The settings with the first reading of a value that fits: a word may look like a time."""
    holder, name = place
    errors = []
    for reading in readings:
        holder[name] = reading
        try:
            return checked(tomllib.loads(document.as_string()), where)
        except UsageError as error:
            errors.append(error)
    raise errors[0]


def without_value(text: str, key: str, where: str) -> str:
    """The text of a configuration file without a setting, which then has its default."""
    table, name = _place(key, where)
    document = _parsed(text, where)
    holder: Any = document.get(table, {}) if table else document
    if name not in holder:
        raise UsageError(f"`{key}` is not set in {where}", "`ctxd config show` lists what is")
    del holder[name]
    if table and not holder:
        del document[table]
    return document.as_string()


def check(text: str, where: str) -> Settings:
    """The settings that the text of a configuration file gives; raise UsageError otherwise."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where}: {error}", "mend that line") from error
    return checked(values, where)


def write(folder: Path, text: str) -> None:
    """Put a configuration file in place of the one there is, at once and for the user alone."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = (folder / FILE).resolve()  # a link of whoever manages such files stays one
    replace(target, text.replace("\n", os.linesep).encode("utf-8"))


def commented() -> str:
    """A configuration file that says what can be set, with every default, and sets nothing."""
    lines = ["# The configuration of ctxd. Lines with a `#` before them are the defaults."]
    section = ""
    # What stands in no table comes first: behind a table's heading it would be part of that.
    for key, meaning, default in sorted(_fields(Settings, ""), key=lambda field: "." in field[0]):
        table, _, name = key.rpartition(".")
        if isinstance(default, dict):
            continue
        lines += ["", f"# [{table}]"] if table != section else [""] * (not table)
        section = table
        lines += _explained(f"# {name} = {tomlkit.item(default).as_string()}", meaning)
    for key, meaning, default in _fields(Settings, ""):
        if isinstance(default, dict):
            lines += ["", *(f"# {line}" for line in meaning.splitlines()), f"# [{key}]"]
            lines.append(f"# {_EXAMPLES[key]}")
    return "\n".join(lines) + "\n"


def _explained(line: str, meaning: str) -> list[str]:
    """A line with what it means: behind it where there is room, else above."""
    behind = f"{line}  # {meaning}"
    if "\n" not in meaning and len(behind) <= CONFIG_COLUMNS:
        return [behind]
    return [*(f"# {one}" for one in meaning.splitlines()), line]


_EXAMPLES = {
    "repositories": '"~/work/other" = "review"',
    "roots": 'name-of-a-parser = ["~/elsewhere"]',
}
_ENTRIES = {"repositories": ["repositories.PATH"], "roots": ["roots.PARSER"]}


def _in_worktree(one: Setting, settings: Settings, root: Path | None) -> Setting:
    """What is written unasked differs between worktrees."""
    if root is None or one.key != "write":
        return one
    mine = settings.mode_of(root)
    narrowed = allowed(mine, root).mode
    origin: Origin = "file" if mine != settings.write else one.origin
    if narrowed != mine:
        origin = "repository"
    return Setting(one.key, narrowed, origin, f"{one.meaning} (In `{NAME}` a repository narrows.)")


def _fields(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, Any]]:
    """Key, meaning and default of every setting."""
    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, BaseModel):
            yield from _fields(type(default), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", field.description or "", default


def _place(key: str, where: str) -> tuple[str, str]:
    """The table of a key, empty for none, and its name there."""
    known = keys()
    table, _, name = key.partition(".")
    inside = [one for one in known if one.startswith(f"{key}.")] or _ENTRIES.get(key)
    if inside:
        raise UsageError(f"`{key}` is a table", "name what is in it: " + ", ".join(inside))
    if key in known and not name:
        return "", key
    if name and (key in known or table in _EXAMPLES):
        return table, name
    raise unknown(key, where)


def _at(values: Mapping[str, Any], key: str) -> Any:
    for part in key.split("."):
        if not isinstance(values, Mapping) or part not in values:
            return None
        values = values[part]
    return values


def _typed(text: str) -> Any:
    """A value as it would stand in the file; a bare word is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _parsed(text: str, where: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise UsageError(f"{where}: {error}", "`ctxd config edit` opens it") from error


def _one_line(text: str) -> str:
    return " ".join(text.split())


def reference() -> str:
    """The settings in Markdown, for docs/configuration.md."""
    rows = [
        f"| `{key}` | {_cell(default)} | {_one_line(meaning)} |"
        for key, meaning, default in _fields(Settings, "")
    ]
    return "\n".join(["| setting | default | meaning |", "| --- | --- | --- |", *rows]) + "\n"


def _cell(default: Any) -> str:
    return f"`{tomlkit.item(default).as_string()}`" if default not in ({}, "") else "none"
