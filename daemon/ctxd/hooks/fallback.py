"""What a hook says without the daemon: `python -I -m ctxd.hooks.fallback AGENT [EVENT]`.

Started by the hook client, at compactions only, which ends it when its time is over. It reads the
ledger as the daemon left it and writes nothing: what it tells does not count as given. Whatever
goes wrong, it prints nothing and exits with 0.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from time import monotonic

from ctxd.errors import CtxdError
from ctxd.hooks.giving import Asked, gifts
from ctxd.hooks.payloads import happening
from ctxd.hooks.talks.registry import TALKS
from ctxd.hooks.wording import told
from ctxd.ledger import Ledger
from ctxd.places import Places
from ctxd.policy.hooks import HOOK_ANSWER_SECONDS, HOOK_REQUEST_BYTES
from ctxd.status import ledger_path

_MOMENTS = frozenset({"before_compaction", "after_compaction"})


def main() -> int:
    """Say what is known, for the arguments and the stdin of this process."""
    agent, event, *_ = [*sys.argv[1:], "", ""]
    try:
        data = answer(agent, event, sys.stdin.buffer.read(HOOK_REQUEST_BYTES), Places.current())
        while data:
            data = data[os.write(1, data) :]
    except (CtxdError, OSError):  # no ledger, or nobody who reads
        pass
    return 0


def answer(agent: str, event: str, payload: bytes, places: Places) -> bytes:
    """What is to be printed; raise CtxdError when there is no ledger that can be read."""
    until = monotonic() + HOOK_ANSWER_SECONDS
    talk = TALKS.get(agent)
    what = happening(talk, payload, event) if talk else None
    if what is None or what.moment not in _MOMENTS or what.moment not in what.talk.heard:
        return b""
    asked = Asked(
        moment=what.moment,
        keys=[(agent, what.session) for agent in what.talk.agents],
        cwd=what.cwd,
        now=datetime.now(UTC),
        trigger=what.trigger,
        is_logged=what.talk.logs_first,
        is_late=lambda: monotonic() > until,
    )
    with Ledger.reader(ledger_path(places.state)) as reader:
        if reader.paused():
            return b""
        found = gifts(reader, asked)
    text = told(found.heading, [gift.state for gift in found.items]).text
    return what.talk.heard[what.moment](what.event, text) if text else b""


if __name__ == "__main__":
    sys.exit(main())
