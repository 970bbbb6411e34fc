"""The places where logs may lie, as one tree of patterns: each folder is listed once.

Several parsers look into the same folders, and a parser into one folder for several kinds of files.
Leading segments without wildcards are part of a tree's root, so that what lies beside them is never
listed; below it no link is followed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate
from operator import methodcaller
from pathlib import Path

import msgspec

from ctxd_parsers.environment import Environment
from ctxd_parsers.parser import Parser, Source

OnError = Callable[[str, OSError], None]
Fits = Callable[[str], object]


class Place(msgspec.Struct, frozen=True, gc=False):
    """Who reads the files that fit a pattern, and how they are stored."""

    parser: Parser
    source: Source


class Found(msgspec.Struct, frozen=True, gc=False):
    """A regular file that fits."""

    path: str
    status: os.stat_result
    places: list[Place]


class _Node:
    """What the entries of one folder are held against."""

    __slots__ = ("literal", "places", "wild")

    def __init__(self) -> None:
        self.literal: dict[str, _Node] = {}
        self.wild: dict[str, tuple[Fits, _Node]] = {}
        self.places: list[Place] = []
        """Who wants the file whose path ends here."""

    def grow(self, segments: list[str], place: Place) -> None:
        node = self
        for segment in segments:
            if _is_wild(segment):
                node = node.wild.setdefault(segment, (_matcher(segment), _Node()))[1]
            else:
                node = node.literal.setdefault(segment, _Node())
        if place not in node.places:
            node.places.append(place)

    def children(self, name: str) -> list[_Node]:
        found = [node for fits, node in self.wild.values() if fits(name)]
        node = self.literal.get(name)
        return found if node is None else [*found, node]


class LogPlaces:
    """All places of the parsers on one machine, as they are now: links are resolved once."""

    def __init__(self, env: Environment, parsers: Iterable[Parser]) -> None:
        self._home = os.path.realpath(env.home)
        self._trees: dict[str, _Node] = {}
        for parser in parsers:
            for source in parser.sources(env):
                for pattern in source.patterns:
                    self._plant(Place(parser, source), pattern.split("/"))

    def files(self, on_error: OnError) -> Iterator[Found]:
        """Every regular file that fits; `on_error` is told of folders that cannot be listed."""
        for root, node in self._trees.items():
            yield from _walk(root, [node], on_error)

    def places_of(self, path: str) -> list[Place]:
        """Whose patterns a path fits."""
        places: list[Place] = []
        for root, tree in self._trees.items():
            if not path.startswith(root + os.sep):
                continue
            nodes = [tree]
            for name in path[len(root) + 1 :].split(os.sep):
                nodes = [child for node in nodes for child in node.children(name)]
            places += [place for node in nodes for place in node.places if place not in places]
        return places

    def folders(self) -> list[str]:
        """The folders to watch, with all below them; some may not exist.

        The home folder is never one, nor any above it: of a pattern that begins there with a
        wildcard (`~/.agent*/logs/*`), the folders that fit now are. None lies within another.
        """
        found = {folder for root, node in self._trees.items() for folder in self._top(root, node)}
        return sorted(f for f in found if not any(f.startswith(o + os.sep) for o in found))

    def _plant(self, place: Place, segments: list[str]) -> None:
        literal = 0
        while literal < len(segments) - 1 and not _is_wild(segments[literal]):
            literal += 1
        root = os.path.realpath(os.path.join(place.source.root, *segments[:literal]))
        self._trees.setdefault(root, _Node()).grow(segments[literal:], place)

    def _top(self, root: str, node: _Node) -> Iterator[str]:
        if self._home != root and not self._home.startswith(root.rstrip(os.sep) + os.sep):
            yield root
            return
        for entry in _entries(root, _ignore):
            if entry.is_dir(follow_symlinks=False):
                for child in node.children(entry.name):
                    yield from _first_wild(entry.path, child)


def _first_wild(folder: str, node: _Node) -> Iterator[str]:
    """The folders below in which entries are told by a wildcard."""
    if node.wild and os.path.isdir(folder):
        yield folder
    for name, child in node.literal.items():
        yield from _first_wild(os.path.join(folder, name), child)


def _walk(folder: str, nodes: list[_Node], on_error: OnError) -> Iterator[Found]:
    if not any(node.wild for node in nodes):
        yield from _named(folder, nodes, on_error)
        return
    for entry in _entries(folder, on_error):
        name = entry.name
        below = nodes[0].children(name)
        for node in nodes[1:]:
            below += node.children(name)
        if not below:
            continue
        if entry.is_file(follow_symlinks=False):
            places = _places(below)
            if places and (status := _status(entry)) is not None:
                yield Found(entry.path, status, places)
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, below, on_error)


def _named(folder: str, nodes: list[_Node], on_error: OnError) -> Iterator[Found]:
    """The same where all names are known: nothing needs to be listed."""
    for name in dict.fromkeys(name for node in nodes for name in node.literal):
        path = os.path.join(folder, name)
        below = [node.literal[name] for node in nodes if name in node.literal]
        places = _places(below)
        status = _status(Path(path))
        if status is None:
            continue
        if places and stat.S_ISREG(status.st_mode):
            yield Found(path, status, places)
        elif stat.S_ISDIR(status.st_mode):
            yield from _walk(path, below, on_error)


def _places(nodes: list[_Node]) -> list[Place]:
    if len(nodes) == 1:
        return nodes[0].places
    return [place for node in nodes for place in node.places]


def _entries(folder: str, on_error: OnError) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        on_error(folder, error)
        return []


def _status(entry: os.DirEntry[str] | Path) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None


def _ignore(_path: str, _error: OSError) -> None:
    pass


def _is_wild(segment: str) -> bool:
    return any(char in segment for char in "*?[")


def _matcher(pattern: str) -> Fits:
    """A test of names; the commonest patterns are tested without a regular expression."""
    if pattern.startswith("*") and not _is_wild(pattern[1:]):
        return methodcaller("endswith", pattern[1:])
    return re.compile(translate(pattern)).match
