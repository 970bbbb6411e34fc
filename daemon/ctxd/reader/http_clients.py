"""How the libraries that speak HTTP for us are held: no redirects, no endless answers.

A redirect would carry the question to a server that nobody chose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxd.policy.reader import READER_CONNECT_SECONDS, READER_OUTPUT_BYTES

if TYPE_CHECKING:
    import httpx2

UNPACKED = {"Accept-Encoding": "identity"}
"""So that what is counted is what there is."""


class TooMuchError(ValueError):
    """A server answers more than any answer has."""


def settings(seconds: float) -> dict[str, Any]:
    """Arguments of a library's own kind of HTTP client."""
    import httpx2

    return {
        "follow_redirects": False,
        "timeout": httpx2.Timeout(seconds, connect=READER_CONNECT_SECONDS),
        "event_hooks": {"response": [_bound]},
    }


def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise TooMuchError
    response.stream = _bounded(response.stream)


def _bounded(stream: Any) -> Any:
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        """A body that ends with an error where it gets too long."""

        def __iter__(self) -> Iterator[bytes]:
            left = READER_OUTPUT_BYTES
            for part in stream:
                left -= len(part)
                if left < 0:
                    raise TooMuchError
                yield part

        def close(self) -> None:
            stream.close()

    return Bounded()
