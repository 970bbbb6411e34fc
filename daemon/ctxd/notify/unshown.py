"""What `ctxd status` says of notices that no desktop has shown: they may be all that was told."""

from __future__ import annotations

from collections.abc import Iterator

from ctxd.ledger import KeptNotice, Reader
from ctxd.policy.daemon import SHORT_ID_CHARS
from ctxd.policy.notices import NOTICE_KEPT_SECONDS, NOTICES_LOOKED_AT, NOTICES_NAMED
from ctxd.terminal import one_line

_LOOK = "`ctxd compactions {session}` shows what was dropped"
_FILES = "`ctxd diff` shows what waits"
_TEST = "`ctxd doctor --notify` tests the desktop"
_UNSHOWN = frozenset({"held", "none", "failed"})


def unshown(reader: Reader, now: float) -> Iterator[tuple[str, str]]:
    """A message and a hint for each of the last notices that was held back, or not dispatched."""
    found = [
        kept
        for kept in reader.notices(NOTICES_LOOKED_AT)
        if kept.state in _UNSHOWN and kept.title and now - kept.time < NOTICE_KEPT_SECONDS
    ]
    for kept in found[:NOTICES_NAMED]:
        yield _message(kept), _hint(kept)
    more = len(found) - NOTICES_NAMED
    if more > 0:
        message = f"{more} more {'notice was' if more == 1 else 'notices were'} not shown"
        yield message, "`ctxd compactions` shows what was dropped"


def _message(kept: KeptNotice) -> str:
    first = kept.body.partition("\n")[0]
    told = one_line(f"{kept.title}: {first}" if first else kept.title)
    was = "was held back" if kept.state == "held" else "was not shown on the desktop"
    why = kept.why.removeprefix("held back ")
    whose = f" (session {_short(kept)})" if kept.session else ""
    return f"{told}{whose}; it {was}: {one_line(why)}"


def _hint(kept: KeptNotice) -> str:
    hint = _LOOK.format(session=_short(kept)) if kept.session else _FILES
    return f"{hint}, {_TEST}" if kept.state == "failed" else hint


def _short(kept: KeptNotice) -> str:
    return one_line(kept.session)[:SHORT_ID_CHARS]
