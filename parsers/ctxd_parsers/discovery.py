"""Which transcripts exist: the sources' patterns held against the disk."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate
from pathlib import Path

from ctxd_parsers.environment import Environment
from ctxd_parsers.parser import Parser, Source
from ctxd_parsers.reading import Transcript, read_head
from ctxd_parsers.registry import PARSERS, claimant

OnError = Callable[[Path, OSError], None]


def ignore_errors(_path: Path, _error: OSError) -> None:
    """For callers that count nothing."""


def find_transcripts(
    env: Environment,
    parsers: Iterable[Parser] = PARSERS,
    on_error: OnError = ignore_errors,
) -> Iterator[Transcript]:
    """Every transcript in the places where the parsers look, each real file once."""
    seen: set[tuple[int, int]] = set()
    for parser in parsers:
        for source in parser.sources(env):
            for path in matching_files(source, on_error):
                try:
                    status = path.stat(follow_symlinks=False)
                    if (status.st_dev, status.st_ino) in seen:
                        continue
                    if parser.claims(path, read_head(path)):
                        seen.add((status.st_dev, status.st_ino))
                        yield Transcript(path, parser, source.storage, source.tables)
                except OSError as error:
                    on_error(path, error)


def transcripts_under(
    path: Path, parsers: tuple[Parser, ...] = PARSERS, on_error: OnError = ignore_errors
) -> Iterator[Transcript]:
    """The transcripts at or below a path given by hand, told by the parsers' claims alone."""
    files = [path] if not path.is_dir() else _walk(path, on_error)
    for file in files:
        try:
            head = read_head(file)
        except OSError as error:
            on_error(file, error)
            continue
        parser = claimant(file, head, parsers)
        if parser is not None:
            yield Transcript(file, parser, *storage_of(parser, file))


def storage_of(parser: Parser, path: Path) -> tuple[object, ...]:
    """How a claimed file is stored: as the first of the parser's sources whose patterns fit its name."""
    env = Environment.current()
    sources = parser.sources(env)
    fitting = [
        source
        for source in sources
        if any(re.match(translate(p.split("/")[-1]), path.name) for p in source.patterns)
    ]
    source = (fitting or list(sources))[0]
    return source.storage, source.tables


def matching_files(source: Source, on_error: OnError = ignore_errors) -> Iterator[Path]:
    """Regular files below the source's root that fit one of its patterns, in a stable order."""
    root = Path(os.path.realpath(source.root))
    for pattern in source.patterns:
        yield from _expand(root, pattern.split("/"), on_error)


def _expand(folder: Path, segments: list[str], on_error: OnError) -> Iterator[Path]:
    head, *rest = segments
    if rest and not any(char in head for char in "*?["):
        yield from _expand(folder / head, rest, on_error)
        return
    fits = re.compile(translate(head)).match
    for entry in _entries(folder, on_error):
        if not fits(entry.name):
            continue
        if not rest and entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        elif rest and entry.is_dir(follow_symlinks=False):
            yield from _expand(Path(entry.path), rest, on_error)


def _walk(folder: Path, on_error: OnError) -> Iterator[Path]:
    for entry in _entries(folder, on_error):
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), on_error)
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def _entries(folder: Path, on_error: OnError) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        on_error(folder, error)
        return []
