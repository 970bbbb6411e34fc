"""What `ctxd status` says of notices that no desktop has shown: they may be all that was told."""

from __future__ import annotations

from collections.abc import Iterator

from ctxd.ledger import KeptNotice, Reader
from ctxd.policy.daemon import SHORT_ID_CHARS
from ctxd.policy.notices import NOTICE_KEPT_SECONDS, NOTICES_LOOKED_AT, NOTICES_NAMED
from ctxd.terminal import one_line

_LOOK = "`ctxd compactions {session}` shows what was dropped"
_TEST = f"{_LOOK}, `ctxd doctor --notify` tests the desktop"
_HINTS = {"held": _LOOK, "none": _LOOK, "failed": _TEST}


def unshown(reader: Reader, now: float) -> Iterator[tuple[str, str]]:
    """A message and a hint for each of the last notices that was held back, or not dispatched."""
    found = [
        kept
        for kept in reader.notices(NOTICES_LOOKED_AT)
        if kept.state in _HINTS and kept.title and now - kept.time < NOTICE_KEPT_SECONDS
    ]
    for kept in found[:NOTICES_NAMED]:
        yield _message(kept), _HINTS[kept.state].format(session=_short(kept))
    more = len(found) - NOTICES_NAMED
    if more > 0:
        message = f"{more} more {'notice was' if more == 1 else 'notices were'} not shown"
        yield message, "`ctxd compactions` shows what was dropped"


def _message(kept: KeptNotice) -> str:
    first = kept.body.partition("\n")[0]
    told = one_line(f"{kept.title}: {first}" if first else kept.title)
    was = "was held back" if kept.state == "held" else "was not shown on the desktop"
    why = kept.why.removeprefix("held back ")
    return f"{told} (session {_short(kept)}); it {was}: {one_line(why)}"


def _short(kept: KeptNotice) -> str:
    return one_line(kept.session)[:SHORT_ID_CHARS]
