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


def both(event: str, text: str) -> bytes:
    """In either form: for clients that share a configuration and take one of them each."""
    said = {"hookEventName": event, "additionalContext": text}
    return msgspec.json.encode({"additionalContext": text, "hookSpecificOutput": said})
