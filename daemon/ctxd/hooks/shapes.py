"""The forms in which agents take text from a hook's output."""

from __future__ import annotations

import msgspec


def plain(_event: str, text: str) -> bytes:
    """As it is."""
    return text.encode()


def specific(event: str, text: str) -> bytes:
    """As context that is named with the event it is for; most agents."""
    said = {"hookEventName": event, "additionalContext": text}
    return msgspec.json.encode({"hookSpecificOutput": said})


def by_name(event: str, text: str) -> bytes:
    """In the form that fits the event's name: as context and nothing else under one in camel case;
    else in either form, for clients that share a configuration and take one of them each."""
    context = {"additionalContext": text}
    if event[:1].islower():
        return msgspec.json.encode(context)
    said = {"hookEventName": event, "additionalContext": text}
    return msgspec.json.encode({**context, "hookSpecificOutput": said})
