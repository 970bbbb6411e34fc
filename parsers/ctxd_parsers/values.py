"""Values that every parser makes: ids, times, excerpts, paths. Pure, and total over bad input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Annotated
from urllib.parse import unquote, urlsplit

import msgspec

from ctxd_parsers.limits import EXCERPT_CHARS

Count = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
"""Type of a row's field for a whole number that JSON writers of all languages can mean; what is
beyond is damage, and could not be stored with a state."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def derived_id(*parts: object) -> str:
    """An id for a record that has none of its own, from what tells it from others.

    Never from a byte offset alone: a log that is rewritten must give the same ids again.
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "replace")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def numbered(base: str) -> Iterator[str]:
    """Ids for the events of one record: `base` for the first, then `base#1`, `base#2`, ..."""
    yield base
    number = 1
    while True:
        yield f"{base}#{number}"
        number += 1


def from_iso(text: str | None) -> datetime | None:
    """The time of an ISO 8601 text, in UTC; None for anything else. No zone means UTC."""
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None


def from_epoch(seconds: float | None) -> datetime | None:
    """The time of a Unix time in seconds; None for anything that is none."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return None
    try:
        return _EPOCH + timedelta(milliseconds=round(seconds * 1000))
    except (ValueError, OverflowError):
        return None


def from_epoch_ms(milliseconds: float | None) -> datetime | None:
    """The time of a Unix time in milliseconds; None for anything that is none."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, (int, float)):
        return None
    return from_epoch(milliseconds / 1000)


def excerpt(text: str) -> str:
    """The start of a text, at most `limits.EXCERPT_CHARS` characters."""
    return text if len(text) <= EXCERPT_CHARS else text[:EXCERPT_CHARS]


def uri_path(uri: str) -> str:
    """The local path of a `file:` URI (`file:///c%3A/x` is `c:/x`), any other URI as it is.

    Remote workspaces (`vscode-remote://ssh-remote+host/path`) stay URIs: their paths mean nothing
    on this machine.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    if parts.scheme != "file":
        return uri
    path = unquote(parts.path)
    if re.match(r"/[A-Za-z]:", path):
        path = path[1:]
    return f"//{parts.netloc}{path}" if parts.netloc else path
