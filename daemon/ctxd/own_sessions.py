"""Sessions that are ctxd's own, told from their events as they come.

A session is the user's or ctxd's from its first words on: who goes into a reader's folder later, or
pastes what a reader was asked, is still the user.
"""

from __future__ import annotations

from collections import OrderedDict

from ctxd.policy.items import SESSIONS_TOLD_APART
from ctxd.reader.own import is_own_folder, is_own_words
from ctxd_parsers.events import Event, SessionStarted, UserMessage, WorkspaceChanged

Key = tuple[str, str]
"""Agent and session id."""


def shows_own(event: Event) -> bool:
    """Whether an event that comes before any of the user's words, or is the first of them, shows
    its session to be ctxd's own."""
    if event.sub_agent is not None:
        return False
    if isinstance(event, SessionStarted | WorkspaceChanged):
        return is_own_folder(event.cwd)
    return isinstance(event, UserMessage) and is_own_words(event.text)


class OwnSessions:
    """Tells the sessions of one log apart."""

    def __init__(self) -> None:
        self._own: OrderedDict[Key, bool | None] = OrderedDict()
        """None while nothing of a session's words is known."""
        self.is_any = False
        """Whether there was one."""

    def take(self, event: Event) -> bool:
        """Whether the session of the next event is ctxd's own, as far as it has shown."""
        key = (event.agent, event.session)
        known = self._own.get(key)
        if known is None:
            if shows_own(event):
                known = self.is_any = True
            elif isinstance(event, UserMessage) and event.sub_agent is None:
                known = False
            self._own[key] = known
            if len(self._own) > SESSIONS_TOLD_APART:
                self._own.popitem(last=False)
        return bool(known)
