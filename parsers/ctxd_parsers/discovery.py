"""Which transcripts exist: the sources' patterns held against the disk."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase, translate
from pathlib import Path, PurePath

from ctxd_parsers.environment import Environment
from ctxd_parsers.parser import Parser, Source
from ctxd_parsers.reading import Transcript, read_head
from ctxd_parsers.registry import PARSERS, claimant

OnError = Callable[[Path, Exception], None]
"""Told of each file or folder that could not be looked at. Most often an OSError; anything else is
a defect of a parser (`TwoClaimsError`, or an exception of its `claims`)."""


def ignore_errors(_path: Path, error: Exception) -> None:
    """For callers that count nothing: an unreadable file is passed over, a defect is raised."""
    if not isinstance(error, OSError):
        raise error


def find_transcripts(
    env: Environment,
    parsers: Iterable[Parser] = PARSERS,
    on_error: OnError = ignore_errors,
) -> Iterator[Transcript]:
    """Every transcript in the places where the parsers look, each real file once."""
    seen: set[tuple[int, int]] = set()
    for parser in parsers:
        for source in parser.sources(env):
            yield from transcripts_of(parser, source, seen, on_error)


def transcripts_of(
    parser: Parser,
    source: Source,
    seen: set[tuple[int, int]],
    on_error: OnError = ignore_errors,
) -> Iterator[Transcript]:
    """The transcripts in one place that are not `seen` yet, to which they are added."""
    for path in matching_files(source, on_error):
        try:
            status = path.stat(follow_symlinks=False)
            identity = (status.st_dev, status.st_ino)
            if identity not in seen and parser.claims(path, read_head(path)):
                seen.add(identity)
                yield Transcript(path, parser, source.storage, source.tables)
        except Exception as error:  # noqa: BLE001 - one file never ends a pass over all of them
            on_error(path, error)


def transcripts_under(
    path: Path, parsers: tuple[Parser, ...] = PARSERS, on_error: OnError = ignore_errors
) -> Iterator[Transcript]:
    """The transcripts at or below a path given by hand, told by the parsers' claims alone."""
    env = Environment.current()
    places: dict[str, Sequence[Source]] = {}
    for file in _walk(path, on_error) if path.is_dir() else [path]:
        try:
            parser = claimant(file, read_head(file), parsers)
        except Exception as error:  # noqa: BLE001 - one file never ends a pass over all of them
            on_error(file, error)
            continue
        if parser is not None:
            if parser.name not in places:
                places[parser.name] = parser.sources(env)
            source = best_source(places[parser.name], file)
            yield Transcript(file, parser, source.storage, source.tables)


def best_source(sources: Sequence[Source], path: PurePath) -> Source:
    """The source that a claimed file, wherever it lies, fits best; it says how it is stored."""
    return max(sources, key=lambda source: max(_fit(source, p, path) for p in source.patterns))


def _fit(source: Source, pattern: str, path: PurePath) -> tuple[int, int]:
    """How far a path, read from its end, agrees with a place and a pattern below it: segments named
    outright, which tell more, and segments that any name fits."""
    expected = [*source.root.parts[1:], *pattern.split("/")]
    named = wild = 0
    for wanted, segment in zip(reversed(expected), reversed(path.parts), strict=False):
        if not fnmatchcase(segment, wanted):
            break
        if _is_wild(wanted):
            wild += 1
        else:
            named += 1
    return named, wild


def matching_files(source: Source, on_error: OnError = ignore_errors) -> Iterator[Path]:
    """Regular files below the source's root that fit one of its patterns, in a stable order."""
    root = Path(os.path.realpath(source.root))
    for pattern in source.patterns:
        yield from _expand(root, pattern.split("/"), on_error)


def folders_to_watch(sources: Iterable[Source]) -> list[Path]:
    """Folders whose trees hold all that the sources' patterns can match, none within another.

    A pattern is followed down to its last segment named outright (`*/chatSessions` below the folder
    of all workspaces), so that nobody watches what lies beside: a home, or other programs' files.
    """
    found: set[Path] = set()
    for source in sources:
        root = Path(os.path.realpath(source.root))
        named = [_named_part(pattern) for pattern in source.patterns]
        shortest = min(named, key=len)
        for segments in named:
            if segments == shortest or segments[: len(shortest)] != shortest:
                wild = any(map(_is_wild, segments))
                found.update(_folders(root, segments) if wild else [root.joinpath(*segments)])
    return sorted(path for path in found if found.isdisjoint(path.parents))


def _named_part(pattern: str) -> list[str]:
    """A pattern's folders down to the last one named outright."""
    folders = pattern.split("/")[:-1]
    while folders and _is_wild(folders[-1]):
        folders.pop()
    return folders


def _folders(folder: Path, segments: list[str]) -> Iterator[Path]:
    """The folders below one that fit the segments and exist."""
    if not segments:
        yield folder
        return
    head, *rest = segments
    fits = re.compile(translate(head)).match
    for entry in _entries(folder, ignore_errors):
        if fits(entry.name) and entry.is_dir(follow_symlinks=False):
            yield from _folders(Path(entry.path), rest)


def _expand(folder: Path, segments: list[str], on_error: OnError) -> Iterator[Path]:
    head, *rest = segments
    if rest and not _is_wild(head):
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


def _is_wild(segment: str) -> bool:
    return any(char in segment for char in "*?[")


def _walk(folder: Path, on_error: OnError) -> Iterator[Path]:
    """Regular files below a folder, in a stable order; without recursion, however deep it goes."""
    waiting = [folder]
    while waiting:
        folders = []
        for entry in _entries(waiting.pop(), on_error):
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path)
        waiting += reversed(folders)


def _entries(folder: Path, on_error: OnError) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        on_error(folder, error)
        return []
