"""What an API's failures mean: from the status, its headers and the words of the body.

The words decide and are not repeated: servers send back what they were sent, keys and text.
"""

from __future__ import annotations

import email.utils
import re
import ssl
from collections.abc import Iterator, Mapping

import msgspec

from ctxd.policy.reader import READER_BACKOFF_MOST_SECONDS
from ctxd.reader.http_clients import TooMuchError
from ctxd.reader.values import ReaderError, Trouble


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """A request that a server answered with a failure."""

    host: str
    model: str
    status: int
    code: str = ""
    """A word for it, as the server's API documents them."""
    words: str = ""
    """All it said, to look for signs in."""
    headers: Mapping[str, str] = {}


_CODE = re.compile(r"[A-Za-z][A-Za-z_]{2,39}")
"""What is surely a word of an API and no part of a key."""
_SIGNS: tuple[tuple[frozenset[int], re.Pattern[str], Trouble, str], ...] = (
    (
        frozenset({400, 403, 429}),
        re.compile(r"(?i)insufficient_quota|credit balance|billing|payment|purchase credits"),
        "account",
        "there is no credit left at {host}",
    ),
    (
        frozenset({400, 413, 422, 500}),
        re.compile(
            r"(?i)context_length_exceeded|context (?:length|window|size)|exceed_context|\bn_ctx\b"
            r"|(?:prompt|input|request|conversation)\b.{0,40}\btoo (?:long|large|many tokens)"
            r"|maximum (?:number of )?(?:input )?tokens"
        ),
        "long",
        "the question is too long for `{model}`",
    ),
    (
        frozenset({400}),
        re.compile(r"(?i)content_filter|content_policy|content management policy|safety"),
        "refused",
        "{host} does not want to answer",
    ),
)
"""Statuses, a sign among the words, and what both together mean."""
_KNOWN: dict[int, tuple[Trouble, str]] = {
    401: ("key", "{host} does not take the key"),
    402: ("account", "{host} wants to be paid first"),
    403: ("account", "{host} does not allow that with this key"),
    404: ("account", "{host} knows no model `{model}`, or `reader.base_url` is wrong"),
    408: ("slow", "{host} took too long"),
    413: ("long", "the question is too long for {host}"),
    429: ("rate", "{host} wants fewer calls"),
    504: ("slow", "{host} took too long"),
    529: ("rate", "{host} is overloaded"),
}
_CLASSES: dict[int, tuple[Trouble, str]] = {
    3: ("account", "{host} sends elsewhere: mend `reader.base_url`"),
    4: ("account", "{host} does not take the question"),
    5: ("broken", "{host} is in trouble"),
}
"""By the first digit of a status."""


def refusal_of(failed: Failed) -> ReaderError:
    """The trouble that a failure is."""
    trouble, message = _meaning(failed)
    code = f" {failed.code}" if _CODE.fullmatch(failed.code) else ""
    told = message.format(host=failed.host, model=failed.model)
    wait = retry_after(failed.headers) if trouble in ("rate", "broken", "slow") else None
    return ReaderError(trouble, f"{told} ({failed.status}{code})", wait)


def _meaning(failed: Failed) -> tuple[Trouble, str]:
    words = f"{failed.code} {failed.words}"
    for statuses, sign, trouble, message in _SIGNS:
        if failed.status in statuses and sign.search(words):
            return trouble, message
    general = _CLASSES.get(failed.status // 100, _CLASSES[5])
    return _KNOWN.get(failed.status, general)


def unreached(host: str, error: BaseException) -> ReaderError:
    """The trouble of a request that got no answer."""
    for cause in _causes(error):
        if isinstance(cause, TooMuchError):
            return ReaderError("malformed", f"{host} sends more than any answer has")
        if isinstance(cause, ssl.SSLError):
            return ReaderError("broken", f"{host} does not prove who it is: {_tls(cause)}")
        if isinstance(cause, ConnectionRefusedError):
            return ReaderError("broken", f"nothing answers at {host}")
        if "ssl.c:" in str(cause).lower() or "CERTIFICATE_VERIFY" in str(cause):
            return ReaderError("broken", f"{host} does not prove who it is")
    return ReaderError("broken", f"{host} cannot be reached, or broke off")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _tls(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return (error.reason or "TLS fails").lower().replace("_", " ")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds after which a server says that it may be asked again."""
    named = {name.lower(): value for name, value in headers.items()}
    seconds = _number(named.get("retry-after-ms", ""), 1000.0)
    if seconds is None:
        seconds = _number(named.get("retry-after", ""), 1.0)
    if seconds is None:
        seconds = _until(named.get("retry-after", ""), named.get("date", ""))
    if seconds is None:
        return None
    return min(max(seconds, 0.0), READER_BACKOFF_MOST_SECONDS)


def _number(text: str, divisor: float) -> float | None:
    return float(text) / divisor if re.fullmatch(r"\d{1,12}(\.\d{1,9})?", text.strip()) else None


def _until(then: str, now: str) -> float | None:
    try:
        difference = email.utils.parsedate_to_datetime(then) - email.utils.parsedate_to_datetime(
            now
        )
    except (ValueError, TypeError):
        return None
    return difference.total_seconds()
