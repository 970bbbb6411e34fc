"""Talks in one session, as the events of a log and as a reader is shown them."""

from ctxd.reader.prompt import chunks_of
from ctxd.reader.turns import heard
from ctxd_parsers.events import AssistantMessage, SessionStarted, UserMessage

WHO = {"agent": "a", "session": "s"}


def talk(*pairs):
    """Events of a session: of each pair the agent said the first and the user the second."""
    events = [SessionStarted(**WHO, id="start", how="new", cwd="/home/me/project")]
    for number, (agent, user) in enumerate(pairs):
        if agent:
            events.append(AssistantMessage(**WHO, id=f"a{number}", text=agent))
        is_text = isinstance(user, str)
        events.append(UserMessage(**WHO, id=f"u{number}", text=user) if is_text else user)
    return [*events, AssistantMessage(**WHO, id="last", text="Done.")]


def no_items(said):
    return []


def chunks_shown(*pairs, judge=no_items):
    """The chunks that a talk is read in."""
    return chunks_of(heard(talk(*pairs), judge))
