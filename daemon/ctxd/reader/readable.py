"""Which sessions a reader may read: those that a person spoke in."""

from __future__ import annotations

from ctxd.session_state import Session


def why_not(session: Session) -> str:
    """Why a session is not read, for the user; empty where it may be."""
    if session.own:
        return "it is ctxd's own, of asking a reader"
    if session.how == "sub_agent":
        return "it is a sub-agent's, and only what you say yourself is read"
    return "" if session.user_messages else "nobody spoke in it"
