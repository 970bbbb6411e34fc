"""Blocks between tags in a user's words that are not the user's word.

Clients put notifications, context and files there, and people the pages and logs that they show.
What a person writes for itself between tags (`<requirements>`) is its word all the same. Linear in
the text, whatever is opened and never closed.
"""

from __future__ import annotations

import re

_OPEN = re.compile(r"<([a-z]{1,30}(?:[_-][a-z]{1,30}){0,4})(\s[^<>\n]{0,300})?>")
_OWN = frozenset({"user_query", "user-query", "user_message", "user_request"})
"""Tags that clients put around the user's own words."""
_SHOWN = frozenset(
    [
        "doc",
        "docs",
        "document",
        "documents",
        "file",
        "files",
        "content",
        "contents",
        "paste",
        "pasted",
        "log",
        "logs",
        "output",
        "stdout",
        "stderr",
        "review",
        "reviews",
        "page",
        "webpage",
        "website",
        "html",
        "article",
        "email",
        "mail",
        "quote",
        "transcript",
        "diff",
        "code",
        "error",
        "errors",
        "result",
        "results",
        "response",
        "readme",
        "source",
        "snippet",
        "search",
        "issue",
        "comment",
        "comments",
    ]
)
"""Tags of one word in which people show what somebody or something else wrote."""


def between_tags(text: str) -> list[tuple[int, int]]:
    """Return the spans that stand between tags and are not the user's word, ascending."""
    if "</" not in text:
        return []
    found: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    at = 0
    while (tag := _OPEN.search(text, at)) is not None:
        name, at = tag[1], tag.end()
        a_clients = name in _SHOWN or "-" in name or "_" in name
        if not a_clients or name in unclosed or name in _OWN or "=" not in (tag[2] or "="):
            continue
        close = f"</{name}>"
        end = text.find(close, at)
        if end < 0:
            unclosed.add(name)
            continue
        at = end + len(close)
        found.append((tag.start(), at))
    return found
