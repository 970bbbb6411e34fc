"""An exchange with its texts: what extraction is given."""

from __future__ import annotations

import msgspec

from ctxd_parsers.events import (
    AssistantMessage,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    UserMessage,
)

AgentEvent = AssistantMessage | ToolCall
UserEvent = UserMessage | QuestionAnswered | PlanDecided


class Spoken(msgspec.Struct, frozen=True):
    """What an agent said and did, and what the user answered, in the order of the log."""

    agent: str
    session: str
    answer: tuple[UserEvent, ...]
    """The user's words and picks. A dialog's answer is a `QuestionAnswered` a question, and a
    `UserMessage` of origin `answer` with the same `call`, which repeats it."""
    proposal: tuple[AgentEvent, ...] = ()
    """What the agent said and called since the user's words before; () for an opening."""
    earlier: tuple[AssistantMessage | UserMessage, ...] = ()
    """What was said in the exchanges before this one, oldest first: an answer may reach back."""
    opening: bool = False
    """Whether these are the first words of the session."""
