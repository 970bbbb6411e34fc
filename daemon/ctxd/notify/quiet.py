"""Hours of the day in which nothing is shown, as `22:00-07:00`, by the clock on the wall."""

from __future__ import annotations

import re
from datetime import datetime, time

Hours = tuple[time, time]
"""Begin and end, the end on the next day where it is the earlier one."""

_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


def hours_of(text: str) -> Hours | None:
    """Quiet hours as written, None for an empty text; raise ValueError for any other."""
    if not text:
        return None
    found = _HOURS.fullmatch(text.replace(" ", ""))
    if not found:
        raise ValueError("not of the form 22:00-07:00")
    begin_hour, begin_minute, end_hour, end_minute = map(int, found.groups())
    begin, end = time(begin_hour, begin_minute), time(end_hour, end_minute)
    if begin == end:
        raise ValueError("begins when it ends")
    return begin, end


def is_quiet(hours: Hours | None, now: float) -> bool:
    """Whether a Unix time is in quiet hours, in this computer's time zone."""
    if hours is None:
        return False
    begin, end = hours
    at = datetime.fromtimestamp(now).time()  # noqa: DTZ006 - the clock on the wall
    return begin <= at < end if begin < end else at >= begin or at < end
