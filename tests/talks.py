"""Exchanges made by hand for tests: what an agent said and did, and what the user answered."""

from datetime import UTC, datetime

from ctxd.extract.exchange import Spoken
from ctxd_parsers.events import (
    AssistantMessage,
    Option,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    UserMessage,
)

KEY = {"agent": "a", "session": "s"}
AT = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def exchange(user, *said, earlier=(), origin="typed", call=None, opening=None):
    """An exchange: the user's words to what the agent said and called before.

    Strings of `said` are messages, the rest events; `earlier` takes messages of the agent.
    """
    before = tuple(_agents(f"a{number}", one) for number, one in enumerate(said))
    words = UserMessage(**KEY, id="u", time=AT, text=user, origin=origin, call=call)
    past = tuple(_agents(f"e{number}", one) for number, one in enumerate(earlier))
    first = not (before or past) if opening is None else opening
    return Spoken("a", "s", (words,), before, past, first)


def picked(question, options, *chosen, text=None, also=()):
    """A dialog's answer: `options` are labels with their descriptions."""
    offered = tuple(Option(label, told or None) for label, told in options.items())
    first = QuestionAnswered(
        **KEY,
        id="q",
        time=AT,
        question=question,
        options=offered,
        chosen=chosen,
        text=text,
        call="c",
    )
    return Spoken("a", "s", (first, *also))


def edit(*paths, call="c", excerpt=None):
    """An edit that the agent asked for."""
    return ToolCall(**KEY, id=f"call {call}", call=call, name="Edit", paths=paths, excerpt=excerpt)


def command(line, call="c"):
    """A command that the agent asked to run."""
    return ToolCall(**KEY, id=f"call {call}", call=call, name="Bash", command=line)


def refused(words, *said, call="c"):
    """Words given when a tool call was turned down."""
    return exchange(words, *said, origin="refusal", call=call)


def plan(text, *, approved=True, words=""):
    """A plan that was shown, and what the user decided about it."""
    decided = PlanDecided(**KEY, id="p", time=AT, approved=approved, plan=text, call="c")
    told = UserMessage(**KEY, id="u", time=AT, text=words, origin="plan_feedback", call="c")
    return Spoken("a", "s", (decided, told) if words else (decided,))


def _agents(name, one):
    return AssistantMessage(**KEY, id=name, time=AT, text=one) if isinstance(one, str) else one
