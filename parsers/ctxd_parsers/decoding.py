"""Typed rows from records, however damaged.

The fast path is one call of a typed msgspec decoder, which skips unknown fields without building
them. A record that it refuses is repaired in order of what real logs show: NUL bytes or a BOM
before the record, invalid UTF-8, lone surrogates, fields of a type never seen before, and torn and
whole records glued on one line. What cannot be repaired becomes `Damage`; every good record beside
it is still read. (Sources: RELIABILITY notes of real bug reports, named at each step.)
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

import msgspec

from ctxd_parsers.limits import MENDED_ITEMS
from ctxd_parsers.parser import Record

T = TypeVar("T", bound=msgspec.Struct)

_FAILURES = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)
_BLANK = b"\0 \t\r\n"
_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile(
    rb"(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?P<other>\\[^u])|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_OBJECT = re.compile(r'\{\s*"')
_UNIONS = (Union, UnionType)
_NOT_BLANK = re.compile(r"[^\0\s]")
_SCANNER = json.JSONDecoder(strict=False)
_SCANS_PER_LINE = 8
"""How often a damaged line may be scanned in search of whole records in it, so that damage costs
linear time whatever its shape; real cases need two or three."""
_SCAN_STEP = 64
"""A try that fails at once is charged this fraction of the line, since the exception alone counts
the line's newlines."""


class Damage(msgspec.Struct, frozen=True):
    """A stretch of bytes that is not a record."""

    reason: str


class RowDecoder(Generic[T]):
    """Decodes records into one row type, whose fields all have defaults.

    `marks` are fields that every record worth saving from a damaged line has: they tell a record
    from an object that stands inside one.
    """

    def __init__(self, row: type[T], marks: tuple[str, ...]) -> None:
        self._row = row
        self._decode = msgspec.json.Decoder(row).decode
        self._marks = frozenset(marks)

    def rows(self, records: Iterable[Record]) -> Iterator[tuple[Record, T | Damage]]:
        """Each record with its row, or with the damage found; a glued line gives several pairs."""
        decode = self._decode
        for record in records:
            try:
                row = decode(record.data)
            except _FAILURES:
                yield from self._repair(record)
            else:
                yield record, row

    def _repair(self, record: Record) -> Iterator[tuple[Record, T | Damage]]:
        if record.damage:
            yield record, Damage(record.damage)
            return
        content = record.data.lstrip(_BLANK)
        before = record.data[: len(record.data) - len(content)]
        if b"\0" in before:
            yield record, Damage("NUL bytes")
        text = content.rstrip(_BLANK).removeprefix(_BOM).decode("utf-8", "replace")
        if not text:
            return
        row, reason = self._attempt(text)
        if row is not None:
            yield record, row
        else:
            yield from self._unglue(record, text, reason)

    def _attempt(self, text: str) -> tuple[T | None, str]:
        """The row of one record's repaired text, or why there is none."""
        data = _SURROGATE.sub(_mend_surrogate, text.encode())
        try:
            return self._decode(data), ""
        except msgspec.ValidationError:
            return self._lenient(data)
        except RecursionError:
            return None, "nested too deeply"
        except _FAILURES:
            return None, "not JSON"

    def _lenient(self, data: bytes) -> tuple[T | None, str]:
        """The row with every part that has the expected type; others keep their defaults."""
        try:
            return _filled(self._row, data), ""
        except _FAILURES:
            return None, "not an object"

    def _unglue(
        self, record: Record, text: str, reason: str
    ) -> Iterator[tuple[Record, T | Damage]]:
        """Whole records inside a line that is not one itself: a torn record with the next one
        behind it (anthropics/claude-code#52387), or two records without a newline between."""
        found = list(self._whole_objects(text))
        left, after = [], 0
        for position, piece in found:
            left.append(text[after:position])
            after = position + len(piece)
        if "".join([*left, text[after:]]).strip("\0 \t\r"):
            yield record, Damage("torn record" if found else reason)
        base = record.start + record.data.find(text[:1].encode())
        for position, piece in found:
            row, why = self._attempt(piece)
            start = base + len(text[:position].encode())
            part = Record(piece.encode(), start, start + len(piece.encode()))
            yield part, Damage(why) if row is None else row

    def _whole_objects(self, text: str) -> Iterator[tuple[int, str]]:
        """Records, not what stands inside one: a torn record may hold whole ones of others, such as
        a history or the arguments of a tool, and nobody said those here. A record begins where the
        line or the one before it does, or ends where the line or the next one does."""
        position, budget, least = 0, _SCANS_PER_LINE * len(text), len(text) // _SCAN_STEP
        begin = _skip_blanks(text, 0)
        while budget > 0 and (match := _OBJECT.search(text, position)):
            start, position = match.start(), match.end()
            try:
                value, end = _SCANNER.raw_decode(text, start)
            except json.JSONDecodeError as error:
                budget -= max(error.pos - start, least)
            except RecursionError:
                budget -= max(sys.getrecursionlimit(), least)
            else:
                budget -= max(end - start, 1)
                following = _skip_blanks(text, end)
                stands_alone = start == begin or text[following : following + 1] in ("", "{")
                if self._marks <= value.keys() and stands_alone:
                    yield start, text[start:end]
                    position, begin = end, following


class Part(Generic[T]):
    """Decodes what stands inside a row. Never fails: what is unusable falls to its default."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._decode = msgspec.json.Decoder(kind).decode
        self._repair = RowDecoder(kind, ("a mark that no object has",))

    def __call__(self, raw: msgspec.Raw | bytes) -> T:
        """The part that `raw` is the JSON of."""
        try:
            return self._decode(raw)
        except _FAILURES:
            found = next(self._repair.rows((Record(bytes(raw)),)), (None, None))[1]
            return self._kind() if found is None or isinstance(found, Damage) else found


def _skip_blanks(text: str, position: int) -> int:
    found = _NOT_BLANK.search(text, position)
    return found.start() if found else len(text)


def _filled(kind: type[T], data: bytes | msgspec.Raw) -> T:
    """The struct of an object, as far as its fields fit; raise for anything but an object."""
    raw, known = msgspec.json.decode(data, type=dict[str, msgspec.Raw]), {}
    for field in _fields(kind):
        if field.encode_name in raw:
            with contextlib.suppress(*_FAILURES):
                known[field.name] = _fitted(raw[field.encode_name], field.type)
    return kind(**known)


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _fitted(data: msgspec.Raw, wanted: Any) -> Any:
    """A value of the wanted type, without what in it has another type; raise when nothing fits.

    A list of plain values is whole or not at all: without a step, a path leads elsewhere.
    """
    with contextlib.suppress(*_FAILURES):
        return msgspec.json.decode(data, type=wanted)
    for option in get_args(wanted) if get_origin(wanted) in _UNIONS else (wanted,):
        if _is_struct(option):
            return _filled(option, data)
        if get_origin(option) is list and _is_struct(item := get_args(option)[0]):
            return list(_fitting(data, item))
    raise ValueError("of another type")


def _is_struct(wanted: Any) -> bool:
    return isinstance(wanted, type) and issubclass(wanted, msgspec.Struct)


def _fitting(data: msgspec.Raw, wanted: Any) -> Iterator[Any]:
    if bytes(data).count(b",") > MENDED_ITEMS:  # at least as many as there are items
        raise ValueError("too many items")
    for item in msgspec.json.decode(data, type=list[msgspec.Raw]):
        with contextlib.suppress(*_FAILURES):
            yield _fitted(item, wanted)


def mended(data: bytes) -> bytes:
    """JSON whose strings hold invalid UTF-8 or half surrogate pairs, with U+FFFD in their place.

    For parts that a row leaves undecoded (`msgspec.Raw`): skipping does not look inside strings.
    """
    return _SURROGATE.sub(_mend_surrogate, data.decode("utf-8", "replace").encode())


def _mend_surrogate(match: re.Match[bytes]) -> bytes:
    return match[0] if match["pair"] or match["other"] else rb"\ufffd"
