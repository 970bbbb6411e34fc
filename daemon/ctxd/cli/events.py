"""`ctxd events`: one session log as the events that ctxd makes of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.arguments import GivenPath, existing
from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.cli.words import typed
from ctxd.errors import Exit, UserError, reason
from ctxd.terminal import path_text

if TYPE_CHECKING:
    from ctxd_parsers.events import Event
    from ctxd_parsers.reading import Transcript

_LEAST_ID_CHARS = 4
"""Shorter starts of an id fit too many sessions."""


@command_of(
    ("ctxd events FILE", "a line an event, as wide as the terminal"),
    ("ctxd events 5b0e8a1c --full | less", "a session by its id, every text in full"),
    ("ctxd events FILE --json", "as JSON, for other programs"),
)
@click.argument("path", type=GivenPath())
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a line (docs/json.md)."
)
@click.option("--full", is_flag=True, help="Show whole texts, with their line breaks.")
def command(path: Path, *, as_json: bool, full: bool) -> int:
    """Show one session log, event by event, as ctxd understands it.

    PATH is a log, or a folder with a single log in it; or the start of a
    session's id, as `ctxd sessions` shows it.
    """
    named = _named(path)
    events = _read(_only(named, path) if named else _the_transcript(existing(path)))
    if as_json:
        _print_json(events)
    else:
        _print(events, full=full)
    return Exit.OK


def _named(path: Path) -> list[Transcript]:
    """The logs named after a session, where what was typed is not there but may be its id."""
    from ctxd_parsers.discovery import find_transcripts
    from ctxd_parsers.environment import Environment

    begun = str(path)
    if os.path.lexists(path) or len(path.parts) > 1 or len(begun) < _LEAST_ID_CHARS:
        return []
    return [
        transcript
        for transcript in find_transcripts(Environment.current())
        if transcript.path.name.startswith(begun) or transcript.path.parent.name.startswith(begun)
    ]


def _only(found: Sequence[Transcript], named: Path) -> Transcript:
    """The one that was found; raise UserError for several."""
    if len(found) == 1:
        return found[0]
    raise UserError(
        f"`{path_text(named)}` holds several session logs"
        if named.is_dir()
        else f"several session logs begin with `{path_text(named)}`",
        f"name one of them, as in `ctxd events {typed(path_text(found[0].path))}`",
    )


def _the_transcript(path: Path) -> Transcript:
    from ctxd_parsers.discovery import transcripts_under

    refused: list[tuple[Path, Exception]] = []
    found = list(islice(transcripts_under(path, on_error=lambda *what: refused.append(what)), 2))
    if found:
        return _only(found, path)
    name = path_text(path)
    for file, error in refused:
        if not isinstance(error, OSError):
            raise error
        raise UserError(
            f"cannot read `{path_text(file)}`: {reason(error, file)}",
            "`ctxd events` takes a regular file that you may read",
        )
    what = "holds no session log" if path.is_dir() else "is no session log of an agent ctxd knows"
    raise UserError(f"`{name}` {what}", "`ctxd paths` shows where the agents keep their logs")


def _read(transcript: Transcript) -> Iterator[Event]:
    from ctxd_parsers.reading import read_events

    try:
        yield from read_events(transcript)
    except OSError as error:
        why = reason(error, transcript.path)
        raise UserError(
            f"cannot read `{path_text(transcript.path)}`: {why}",
            "its agent may be writing to it: try again in a moment",
        ) from error


def _print_json(events: Iterable[Event]) -> None:
    import msgspec

    from ctxd.cli.json_output import print_line

    for event in events:
        print_line(msgspec.json.encode(event))


def _print(events: Iterable[Event], *, full: bool) -> None:
    from ctxd.cli.event_lines import EventPrinter
    from ctxd_parsers.reading import distinct

    printer = EventPrinter(current.output, full=full)
    for event in distinct(events):
        printer.print(event)
