"""Events as people read them: a line each, a time, a word for what it is, and what was said.

Every text comes from a log and is shown as text only. Times are local; a new day gets a line of
its own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from ctxd.cli import words
from ctxd.terminal import Terminal, cells, one_line
from ctxd_parsers import events as e

_LABEL_WIDTH = 10
_NO_TIME = " " * len("12:34:56")

Shown = tuple[str, str, str]
"""The word for an event, its style, and its text."""


class EventPrinter:
    """Writes events to one stream, in the order they come."""

    def __init__(self, out: Terminal, *, full: bool) -> None:
        self._out = out
        self._full = full
        self._day: date | None = None

    def print(self, event: e.Event) -> None:
        """Write one event; texts of several lines as a block below it when all is to be shown."""
        label, style, text = _SHOW[type(event)](event)
        time = self._time(event)
        agent = [(f"[{event.sub_agent}] ", "dim")] if event.sub_agent else []
        lead = f"{time} {label:<{_LABEL_WIDTH}} {agent[0][0] if agent else ''}"
        if self._full:
            line, *rest = text.replace("\r\n", "\n").expandtabs().split("\n")
        else:
            line, *rest = [self._shortened(one_line(text), lead)]
        self._out.print((time, "dim"), (f" {label:<{_LABEL_WIDTH}} ", style), *agent, line)
        for line in rest:
            self._out.print(" " * (len(_NO_TIME) + _LABEL_WIDTH + 2), line)

    def _shortened(self, line: str, lead: str) -> str:
        if self._out.width is None:
            return line
        return self._out.cut(line, max(self._out.width - cells(self._out.show(lead)), 0))

    def _time(self, event: e.Event) -> str:
        if event.time is None:
            return _NO_TIME
        local = words.local(event.time)
        if local.date() != self._day:
            self._day = local.date()
            self._out.print((self._day.isoformat(), "bold"))
        return local.time().isoformat("seconds")


def _joined(*parts: str | None, by: str = " ") -> str:
    return by.join(part for part in parts if part)


def _in_brackets(value: str | None) -> str | None:
    return f"({value})" if value else None


def _started(event: e.SessionStarted) -> Shown:
    client = _joined(event.agent, event.client, event.client_version)
    from_session = f"from {event.parent}" if event.parent else None
    text = _joined(event.how, event.cwd, event.branch, client, event.model, from_session)
    return "session", "bold", text


def _moved(event: e.WorkspaceChanged) -> Shown:
    return "workspace", "dim", _joined(event.cwd, event.branch, event.repository)


def _titled(event: e.SessionTitled) -> Shown:
    return "title", "dim", _joined(event.title, "(by the user)" if event.by == "user" else None)


def _user(event: e.UserMessage) -> Shown:
    how = None if event.origin == "typed" else f"({event.origin.replace('_', ' ')})"
    attached = f"[{', '.join(event.attachments)}]" if event.attachments else None
    return "user", "bold green", _joined(how, event.text, attached)


def _assistant(event: e.AssistantMessage) -> Shown:
    return ("agent", "red", f"(failed) {event.text}") if event.failed else ("agent", "", event.text)


def _reasoning(event: e.Reasoning) -> Shown:
    return "thinking", "dim", event.text


def _call(event: e.ToolCall) -> Shown:
    what = event.command or ", ".join(event.paths) or event.excerpt
    return "tool", "cyan", _joined(event.name, what)


def _result(event: e.ToolResult) -> Shown:
    style = "yellow" if event.status in {"refused", "error"} else "dim"
    return "result", style, event.status or "done"


def _answered(event: e.QuestionAnswered) -> Shown:
    chosen = ", ".join(event.chosen)
    others = [option.label for option in event.options if option.label not in event.chosen]
    instead = f"(not: {', '.join(others)})" if others else None
    answer = _joined(chosen, event.text, by=", ") or "no answer"
    return "answer", "bold green", _joined(event.question, f"-> {answer}", instead)


def _plan(event: e.PlanDecided) -> Shown:
    verdict = "approved" if event.approved else "turned down"
    return "plan", "bold green", _joined(verdict, _in_brackets(event.choice), event.plan)


def _file(event: e.ContextFileLoaded) -> Shown:
    return "context", "dim", _joined(event.path, _in_brackets(event.scope), event.reason)


def _injected(event: e.ContextInjected) -> Shown:
    return "injected", "dim", _joined(f"({event.source})", event.name, event.text)


def _usage(event: e.Usage) -> Shown:
    window = event.context_tokens
    text = _joined(
        f"{words.number(event.output_tokens)} tokens out" if event.output_tokens else None,
        f"{words.number(window)} in the window" if window else None,
        f"{event.context_percent:.0f}% of the window" if event.context_percent else None,
        event.model,
        by=", ",
    )
    return "usage", "dim", text


def _compacting(event: e.CompactionStarted) -> Shown:
    return "compacting", "yellow", _joined(event.trigger, event.cause)


def _compaction(event: e.Compaction) -> Shown:
    before, after = event.tokens_before, event.tokens_after
    tokens = f"{_tokens(before)} -> {_tokens(after)} tokens" if before or after else None
    kept = f"{len(event.kept)} kept word for word" if event.kept is not None else None
    missing = "(its summary is not stored)" if event.readable else "(its summary is not readable)"
    about = _joined(event.trigger, tokens, kept, by=", ")
    return "COMPACTION", "bold yellow", f"{about}: {event.summary or missing}"


def _tokens(value: int | None) -> str:
    return words.number(value) if value is not None else "?"


def _not_compacted(event: e.CompactionFailed) -> Shown:
    return "compaction", "yellow", _joined("failed", event.trigger, event.reason)


def _truncated(event: e.Truncated) -> Shown:
    calls = words.count(len(event.calls), "tool result") if event.calls else None
    messages = words.count(event.messages_removed, "message") if event.messages_removed else None
    return "truncated", "yellow", _joined(calls, messages, "left the window")


def _cleared(_event: e.Cleared) -> Shown:
    return "cleared", "yellow", "the window was emptied"


def _withdrawn(event: e.Withdrawn) -> Shown:
    return (
        "withdrawn",
        "yellow",
        _joined(event.reason, f"since {event.since}" if event.since else None),
    )


def _interrupted(_event: e.Interrupted) -> Shown:
    return "stopped", "yellow", "by the user"


def _turn_ended(event: e.TurnEnded) -> Shown:
    return "turn end", "dim", event.reason or ""


def _ended(event: e.SessionEnded) -> Shown:
    return "end", "bold", event.reason or ""


def _unknown(event: e.Unknown) -> Shown:
    return (
        "! unknown",
        "red",
        _joined(event.record_kind, _in_brackets(event.client_version)),
    )


def _unparsed(event: e.Unparsed) -> Shown:
    return "! damaged", "red", event.reason


_SHOW: dict[type, Callable[[Any], Shown]] = {
    e.SessionStarted: _started,
    e.WorkspaceChanged: _moved,
    e.SessionTitled: _titled,
    e.UserMessage: _user,
    e.AssistantMessage: _assistant,
    e.Reasoning: _reasoning,
    e.ToolCall: _call,
    e.ToolResult: _result,
    e.QuestionAnswered: _answered,
    e.PlanDecided: _plan,
    e.ContextFileLoaded: _file,
    e.ContextInjected: _injected,
    e.Usage: _usage,
    e.CompactionStarted: _compacting,
    e.Compaction: _compaction,
    e.CompactionFailed: _not_compacted,
    e.Truncated: _truncated,
    e.Cleared: _cleared,
    e.Withdrawn: _withdrawn,
    e.Interrupted: _interrupted,
    e.TurnEnded: _turn_ended,
    e.SessionEnded: _ended,
    e.Unknown: _unknown,
    e.Unparsed: _unparsed,
}
