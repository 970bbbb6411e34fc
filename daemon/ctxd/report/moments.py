"""Times beside a picture, as short as they can be and still tell."""

from __future__ import annotations

from datetime import datetime

from ctxd.cli import words
from ctxd.report.values import Timeline


def moment(time: datetime, timeline: Timeline) -> str:
    """Of a session within a day the hour, else the day."""
    days = {words.local(mark.time).date() for mark in timeline.times}
    shown = words.minute(time)
    return shown[11:] if len(days) == 1 else shown[5:10]
