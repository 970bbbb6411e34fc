"""How a report puts things: numbers, times and verdicts in words, as filters of its templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from ctxd.cli import words
from ctxd.item import Authority, Speaker
from ctxd.policy.report import TABLE_ROWS
from ctxd.report.course import Stop
from ctxd.report.drawing import Drawing, Lane
from ctxd.report.moments import moment
from ctxd.report.values import AtCut, Cut, Timeline, WindowPoint
from ctxd.retention.values import Answer
from ctxd_parsers.events import Trigger

_ANSWERS: dict[Answer, str] = {
    "kept": "survives",
    "reloaded": "put back: a context file that the agent reads again states it",
    "weakened": "weakened: what binds in it is gone",
    "changed": "changed: something else is said",
    "lost": "lost: nothing says it any more",
    "unknown": "cannot be told: the summary cannot be read",
}
_WHOSE: dict[Authority, str] = {
    "user": "you said it",
    "confirmed": "the agent proposed it, you agreed",
    "agent": "the agent alone said it",
}
_SPEAKERS: dict[Speaker, str] = {"user": "you", "agent": "the agent"}
_TRIGGERS: dict[Trigger | None, str] = {"manual": "you", "auto": "the agent", None: words.NONE}
_NUMBERS = {1: "once", 2: "twice"}
_KILO, _MEGA = 1_000, 1_000_000


def became(stop: Stop) -> str:
    """What a cut did to an item, and why."""
    at = stop.at
    if at is None:
        return "not judged"
    said = _ANSWERS[at.answer]
    if at.answer not in ("kept", "reloaded") and at.why:
        said += f" ({at.why})"
    if at.given is not None and stop.mark == "reinjected":
        said += f"; put back: ctxd told the agent again at {words.minute(at.given)}"
    elif at.on_disk and stop.mark == "breaks":
        said += "; it still stands in a file of yours"
    return said


def source(at: AtCut) -> str:
    """Where a deciding passage stands."""
    if at.where == "file":
        return f"in {at.name}"
    where = "in the summary" if at.where == "summary" else "in a message that stayed word for word"
    return f"what comes nearest, {where}" if at.answer == "lost" else where


def way(lane: Lane, timeline: Timeline) -> str:
    """A lane in words, for who cannot see it."""
    line = lane.line
    parts = ["said in an earlier session" if not line.stated else "said in this session"]
    parts += [f"cut {sign.stop.cut}: {became(sign.stop)}" for sign in lane.signs]
    if not timeline.cuts:
        parts.append("no cut since")
    return "; ".join(parts)


def told(drawn: Drawing) -> str:
    """The window's picture in words."""
    shown = drawn.timeline
    if not shown.points:
        return "How full the window was is not told by its log"
    fullest = max(shown.points, key=lambda point: point.tokens or point.share or 0)
    most = amount(float(fullest.tokens or fullest.share or 0), in_tokens=drawn.in_tokens)
    cuts = words.count(len(shown.cuts), "cut")
    return f"The window over the session: {most} at its fullest, {cuts}; the numbers are in a table"


def in_short(cut: Cut) -> str:
    """A cut in a line: who asked for it, and what it left."""
    said = {"manual": "by you", "auto": "automatic", None: ""}[cut.trigger]
    if cut.tokens_before is None or cut.tokens_after is None:
        return said
    levels = f"{_rounded(cut.tokens_before)} to {_rounded(cut.tokens_after)}"
    return ", ".join(filter(None, (said, levels)))


def _rounded(tokens: int) -> str:
    return f"{tokens / _KILO:.0f}k" if tokens >= _KILO else str(tokens)


def cell(lane: Lane, cut: Cut) -> str:
    """One cell of the table of items and cuts."""
    for sign in lane.signs:
        if sign.stop.cut == cut.number:
            at = sign.stop.at
            if sign.stop.mark == "reinjected":
                return "put back"
            return "not judged" if at is None else at.answer
    return words.NONE


def sampled(timeline: Timeline) -> Sequence[WindowPoint]:
    """Measurements for the table: some of many, the last one always."""
    points = timeline.points
    step = -(-len(points) // TABLE_ROWS) or 1
    return points[::-1][::step][::-1]


def amount(value: float, in_tokens: bool) -> str:  # noqa: FBT001 - a template passes it by place
    """A level on the scale."""
    if not in_tokens:
        return f"{value:.0%}"
    if value >= _MEGA:
        return f"{value / _MEGA:g}M"
    return f"{value / _KILO:g}k" if value >= _KILO else f"{value:g}"


def until(time: datetime, start: datetime | None) -> str:
    """The end of a session: the day only where it is another."""
    shown = words.minute(time)
    is_same_day = start is not None and words.local(start).date() == words.local(time).date()
    return shown[11:] if is_same_day else shown


def name_of(repository: str) -> str:
    """What a repository is called in a heading."""
    return PurePath(repository).name or repository or "sessions without a folder"


def _thousands(value: int | None) -> str:
    return words.NONE if value is None else words.number(value)


def _stamp(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _when(time: datetime | None) -> str:
    return f", {words.minute(time)}" if time else ""


def _times(number: int) -> str:
    return _NUMBERS.get(number, f"{words.number(number)} times")


FILTERS: dict[str, Callable[..., Any]] = {
    "amount": amount,
    "asked": _TRIGGERS.__getitem__,
    "became": became,
    "cell": cell,
    "counted": words.count,
    "day": lambda time: words.minute(time)[:10],
    "in_short": in_short,
    "minute": words.minute,
    "moment": moment,
    "percent": words.share,
    "sampled": sampled,
    "source": source,
    "speaker": _SPEAKERS.__getitem__,
    "stamp": _stamp,
    "thousands": _thousands,
    "times": _times,
    "told": told,
    "until": until,
    "way": way,
    "when": _when,
    "whose": _WHOSE.__getitem__,
}
