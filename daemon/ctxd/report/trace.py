"""The course of one session: where each event stands in it, and how full the window was.

The ledger keeps no token counts, so the session's logs are read once more for them, by the same
rules that `ctxd.window` follows. Bounded in time; where a log is gone, or takes too long, what the
ledger has tells the order of things, and the compactions how full the window was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd import window as windows
from ctxd.policy.report import TIME_MARKS, TIMELINE_POINTS
from ctxd.report.values import TimeMark, WindowPoint
from ctxd.window import Window
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    Event,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    Truncated,
    Usage,
    UserMessage,
)

Key = tuple[str, str]
"""Agent and session id."""

_STEPS = (
    UserMessage,
    AssistantMessage,
    QuestionAnswered,
    PlanDecided,
    ToolCall,
    Usage,
    Compaction,
    Cleared,
    Truncated,
)
"""Events that take a session one position further."""


class TooLongError(Exception):
    """The logs could not be read in the time there was."""


class Course(msgspec.Struct):
    """One session from its start to its end."""

    places: dict[str, int] = {}
    """Position of each event that has one."""
    length: int = 0
    points: list[WindowPoint] = []
    moments: list[TimeMark] = []
    limit: int | None = None
    is_measured: bool = False
    """Whether any response told its tokens."""


def from_logs(paths: Iterable[Path], session: Key, until: float) -> Course | None:
    """The course of a session as its logs tell it; None when they tell nothing (any more), or not
    until that monotonic time."""
    try:
        found = course(_read(paths, session, until))
    except (OSError, TooLongError):
        return None
    return found if found.length else None


def course(events: Iterable[Event]) -> Course:
    """The course of a session from the events of the user's own conversation, in their order."""
    made, window = Course(), Window()
    for event in events:
        if event.sub_agent is not None or not isinstance(event, _STEPS):
            continue
        if event.id in made.places:
            continue
        made.length += 1
        made.places[event.id] = made.length
        if event.time is not None:
            made.moments.append(TimeMark(made.length, event.time))
        _measure(made, window, event)
    made.limit = window.limit
    made.points = _thinned(made.points)
    made.moments = spread(made.moments, made.length)
    return made


def _measure(made: Course, window: Window, event: Event) -> None:
    if isinstance(event, Usage):
        windows.measure(window, event)
        if event.time is None or window.measured == event.time:
            made.is_measured = True
            _point(made, event.time, window.tokens, window.percent)
    elif isinstance(event, Compaction):
        if event.tokens_before is not None:
            _point(made, event.time, event.tokens_before, _percent(event.tokens_before, window))
        windows.compact(window, event)
        _point(made, event.time, window.tokens, window.percent)
    elif isinstance(event, (Truncated, Cleared)):
        if isinstance(event, Truncated):
            windows.truncate(window, event)
        else:
            windows.clear(window, event.time)
        _point(made, event.time, window.tokens, window.percent)


def _percent(tokens: int, window: Window) -> float | None:
    return min(100.0, 100.0 * tokens / window.limit) if window.limit else None


def _point(made: Course, at: datetime | None, tokens: int | None, percent: float | None) -> None:
    if tokens is None and percent is None:
        return
    share = None if percent is None else round(percent / 100, 4)
    made.points.append(WindowPoint(made.length, at, tokens, share))


def _read(paths: Iterable[Path], session: Key, until: float) -> Iterator[Event]:
    from ctxd_parsers.discovery import transcripts_under
    from ctxd_parsers.reading import read_events

    for path in paths:
        for transcript in transcripts_under(path):
            for event in read_events(transcript):
                if time.monotonic() > until:
                    raise TooLongError
                if (event.agent, event.session) == session:
                    yield event


def _thinned(points: Sequence[WindowPoint]) -> list[WindowPoint]:
    """So many points at most; of those that fall together the fullest, and where the window is cut
    both sides."""
    most = TIMELINE_POINTS
    if len(points) <= most:
        return list(points)
    kept: list[WindowPoint] = []
    size = -(-len(points) // (most // 2))
    for start in range(0, len(points), size):
        part = points[start : start + size]
        fullest, emptiest = max(part, key=fill), min(part, key=fill)
        kept += sorted({fullest, emptiest}, key=part.index)
    return kept


def fill(point: WindowPoint) -> float:
    """How full a window was, by whatever measure there is."""
    return float(point.tokens if point.tokens is not None else point.share or 0)


def spread(moments: Sequence[TimeMark], length: int) -> list[TimeMark]:
    """A few moments, as evenly spread over the positions as they come."""
    if len(moments) <= TIME_MARKS:
        return list(moments)
    wanted = [length * number / (TIME_MARKS - 1) for number in range(TIME_MARKS)]
    return list(dict.fromkeys(_nearest(moments, position) for position in wanted))


def _nearest(moments: Sequence[TimeMark], position: float) -> TimeMark:
    distance: Callable[[TimeMark], float] = lambda mark: abs(mark.position - position)  # noqa: E731 - one line says it
    return min(moments, key=distance)
