"""The answer of `ctxd paths`, and what the welcome tells: every folder in use, and what is there.

The structs are the published form `ctxd.paths/1` (docs/json.md, schemas/paths-1.schema.json).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ctxd.places import Places
from ctxd.problems import Problem, file_problem
from ctxd.terminal import path_text
from ctxd_parsers import registry
from ctxd_parsers.discovery import transcripts_of
from ctxd_parsers.environment import Environment
from ctxd_parsers.parser import Parser, Source

Count = Annotated[int, Meta(ge=0)]


class OwnFolder(msgspec.Struct, frozen=True):
    """A folder of ctxd itself."""

    use: Literal["config", "state", "log", "runtime"]
    path: str
    exists: bool


class LogFolder(msgspec.Struct, frozen=True):
    """A place where an agent may keep its logs."""

    parser: str
    agent: str
    path: str
    patterns: tuple[str, ...]
    exists: bool
    transcripts: Count
    """Not counting those that an earlier place holds too."""
    transcript_bytes: Count


class PathReport(msgspec.Struct, frozen=True):
    """Every folder that ctxd uses, or looks for logs in."""

    schema: Literal["ctxd.paths/1"]
    own: tuple[OwnFolder, ...]
    logs: tuple[LogFolder, ...]


def look(places: Places, env: Environment) -> tuple[PathReport, list[Problem]]:
    """What is where, and what could not be looked at."""
    problems: list[Problem] = []
    seen: set[tuple[int, int]] = set()
    own = [
        OwnFolder("config", path_text(places.config), _exists(places.config)),
        OwnFolder("state", path_text(places.state), _exists(places.state)),
        OwnFolder("log", path_text(places.log), _exists(places.log)),
        OwnFolder("runtime", path_text(places.runtime), _exists(places.runtime)),
    ]
    logs = [
        _log_folder(parser, source, seen, problems)
        for parser in registry.PARSERS
        for source in parser.sources(env)
    ]
    return PathReport("ctxd.paths/1", tuple(own), tuple(logs)), problems


def _log_folder(
    parser: Parser, source: Source, seen: set[tuple[int, int]], problems: list[Problem]
) -> LogFolder:
    root = Path(source.root)

    def failed(path: Path, error: Exception) -> None:
        problems.append(file_problem(path, error, parser.name))

    number = size = 0
    for transcript in transcripts_of(parser, source, seen, failed):
        number += 1
        size += _size(transcript.path)
    return LogFolder(
        parser=parser.name,
        agent=parser.agent,
        path=path_text(root),
        patterns=source.patterns,
        exists=_exists(root),
        transcripts=number,
        transcript_bytes=size,
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # gone since it was found
        return 0


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # it cannot be told
        return False
