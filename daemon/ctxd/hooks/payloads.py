"""What a hook's payload says, whichever agent it is from.

How each agent speaks is said in `ctxd.hooks.talks`; what comes out here is the same for all. A
payload is somebody else's data: what is not understood is no happening, never an error, and no path
in it is followed, only looked up among the transcripts that are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from ctxd.policy.daemon import FACT_CHARS, MAX_ID_CHARS
from ctxd.reader.own import is_own_folder
from ctxd_parsers.decoding import mended
from ctxd_parsers.events import Trigger

Moment = Literal[
    "before_compaction",
    "after_compaction",
    "session_started",
    "prompt_submitted",
    "tool_done",
    "session_ended",
]
"""`before_compaction`: a summary of the window is about to be made. `after_compaction`: it was, and
the agent goes on with it at once. `session_started`: begun, resumed or cleared. `prompt_submitted`,
`tool_done`: in the middle of a session; what is said reaches the model with the next request."""


Shape = Callable[[str, str], bytes]
"""What is printed to say a text, given the event's name: see `ctxd.hooks.shapes`."""


class Fields(msgspec.Struct, frozen=True, kw_only=True):
    """The names that an agent's payloads have for what they tell."""

    session: str = "session_id"
    event: str = "hook_event_name"
    transcript: str = "transcript_path"
    cwd: str = "cwd"
    source: str = "source"
    """How a session was started."""
    trigger: str = "trigger"
    sub_agent: str = "agent_id"


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """How the hooks of one agent speak."""

    agents: tuple[str, ...]
    """Those whose sessions a payload may be about, by their parsers' names. Clients run hooks of
    each other's configuration, too."""
    moments: Mapping[str, Moment]
    """What the names of its events stand for; others are of no interest."""
    started: Mapping[str, Moment | None] = {}
    """What the start of a session is by its source, where it is another moment than others, or
    none of interest."""
    fields: tuple[Fields, ...] = (Fields(),)
    """The first whose session is there counts."""
    logs_first: bool = False
    """Whether the summary may be in the log when the hooks after a compaction are called."""
    compacts_at: float | None = None
    """Share of its window in use, 0 to 100, from which on the client compacts with the user's next
    prompt, when the hooks of that prompt have been called."""
    heard: Mapping[Moment, Shape] = {}
    """Moments at which a model hears what a hook says, and in which form: before a compaction the
    one that makes the summary, else the agent's own."""


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened in a session, as a hook tells it."""

    talk: Talk
    moment: Moment
    event: str
    """The event's name, as the agent has it."""
    session: str
    transcript: Path | None = None
    """Where the session's log is said to be: no more than a hint."""
    cwd: str = ""
    trigger: Trigger | None = None
    """Of a compaction."""


_TRIGGERS: Mapping[str, Trigger] = {"manual": "manual", "auto": "auto"}
_payloads = msgspec.json.Decoder(dict[str, msgspec.Raw])


def happening(talk: Talk, payload: bytes, event: str = "") -> Happening | None:
    """What a payload says; `event` names the moment where the payload itself does not. None when it
    says nothing of interest, speaks of a sub-agent, whose window is not the user's, or of a session
    that an agent has as ctxd's reader."""
    told = _told(payload) or _told(mended(payload))
    for names in talk.fields:
        session = _text(told, names.session, MAX_ID_CHARS)
        if session:
            break
    else:
        return None
    name = _text(told, names.event) or event
    moment = talk.moments.get(name)
    if moment == "session_started":
        moment = talk.started.get(_text(told, names.source), moment)
    cwd = _text(told, names.cwd)
    if moment is None or _text(told, names.sub_agent) or is_own_folder(cwd):
        return None
    transcript = _text(told, names.transcript)
    return Happening(
        talk=talk,
        moment=moment,
        event=name,
        session=session,
        transcript=Path(transcript) if transcript else None,
        cwd=cwd,
        trigger=_TRIGGERS.get(_text(told, names.trigger)),
    )


def _told(payload: bytes) -> Mapping[str, msgspec.Raw]:
    """The parts of a payload; none of one that is no JSON object, or holds halves of characters, as
    clients send that cut a text."""
    try:
        return _payloads.decode(payload)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}


def _text(told: Mapping[str, msgspec.Raw], name: str, longest: int = FACT_CHARS) -> str:
    """What a payload says under a name; empty when that is no text, or cannot be right."""
    if name not in told:
        return ""
    try:
        text = msgspec.json.decode(told[name], type=str)
    except (msgspec.MsgspecError, UnicodeError):
        return ""
    return text if len(text) <= longest and "\0" not in text else ""
