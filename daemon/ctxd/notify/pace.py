"""How often a desktop is spoken to: never twice within a minute, and a few times an hour."""

from __future__ import annotations

from collections import deque

from ctxd.notify.values import Urgency
from ctxd.policy.notices import NOTICE_COOLDOWN_SECONDS, NOTICE_HOUR_SECONDS, NOTICES_AN_HOUR


class Pace:
    """Says when the next notice may be sent. Times are monotonic."""

    def __init__(self) -> None:
        self._sent: dict[Urgency, deque[float]] = {
            "normal": deque(maxlen=NOTICES_AN_HOUR),
            "critical": deque(maxlen=NOTICES_AN_HOUR),
        }

    def note(self, urgency: Urgency, at: float) -> None:
        """A notice was sent, whatever became of it."""
        self._sent[urgency].append(at)

    def free_at(self, urgency: Urgency) -> float:
        """From when on another notice of that urgency may be sent."""
        sent = self._sent[urgency]
        if not sent:
            return float("-inf")
        cooled = sent[-1] + NOTICE_COOLDOWN_SECONDS
        return max(cooled, sent[0] + NOTICE_HOUR_SECONDS) if len(sent) == sent.maxlen else cooled
