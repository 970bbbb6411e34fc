"""What is remembered of a VS Code chat, and the events that a change of it makes.

Promises: user messages are told when their request is first seen, what the agent did once, when it
is whole; a request that comes again is not told again; one that goes is withdrawn. The state stays
small: of requests whose end was told only ids are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from ctxd_parsers.copilot_vscode_chat import (
    context_files,
    fields_of,
    items_of,
    lighten,
    number_of,
    prompt_of,
    response_of,
    text_of,
)
from ctxd_parsers.copilot_vscode_turns import (
    AGENT,
    CANCELLED,
    COMPLETE,
    FAILED,
    Scene,
    chain,
    compaction_events,
    dialog_events,
    end_events,
    outcomes_of,
    round_events,
    shown_events,
    turn_id,
    usage_events,
    user_events,
)
from ctxd_parsers.events import (
    AssistantMessage,
    ContextFileLoaded,
    Event,
    PlanDecided,
    QuestionAnswered,
    SessionStarted,
    SessionTitled,
    ToolCall,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.limits import EXCERPT_CHARS, PENDING_CALLS, PROMPTS_REMEMBERED
from ctxd_parsers.values import derived_id, from_epoch_ms

OPEN_REQUESTS = 8
"""Last requests of a chat of which parts that are saved late are still placed. Only the last one
changes, and its last parts are saved after its end."""

_REMOTE = re.compile(r"[:/](?P<name>[^/:@]+/[^/:]+?)(?:\.git)?/?$")
_KEPT = (
    UserMessage,
    AssistantMessage,
    ToolCall,
    QuestionAnswered,
    PlanDecided,
    ContextFileLoaded,
)
"""Events that a compaction may leave in the window."""

Span = tuple[int, int]


class Turn(msgspec.Struct, array_like=True):
    """A request, as far as it was told."""

    id: str = ""
    chain: str = ""
    """Names the last prompt of a person, up to and including this request's."""
    first: str = ""
    """Id of its first event."""
    answered: list[str] = []
    """Ids of the answers that were told."""
    rounds: bool = False
    """The model responses were told, so the response's own text is not."""
    settling: bool = False
    """It ended with the record before, and parts may follow."""
    sealed: bool = False
    """Its end was told."""
    cancelled: bool = False
    error: str = ""


class ChatState(msgspec.Struct):
    """All that is remembered of one chat."""

    session: str
    cwd: str | None = None
    chat: dict[str, Any] = {}
    """The chat, reduced: see `copilot_vscode_chat.CHAT`."""
    turns: list[Turn] = []
    """One for each of the chat's requests."""
    open_from: int = 0
    """All requests before this one are sealed."""
    started: bool = False
    title: str = ""
    spent: list[str] = []
    """Ids of turns that were taken back; not used again."""
    recent: list[tuple[str, str]] = []
    """Model response and event, for the last events: what a compaction keeps."""
    files: list[str] = []
    """Context files that were told."""

    @property
    def requests(self) -> list[Any]:
        """The chat's requests."""
        return items_of(self.chat.get("requests"))

    def names(self) -> list[str]:
        """What tells the requests apart; version 1 has only their order."""
        return [self.name(index) for index in range(len(self.requests))]

    def name(self, index: int) -> str:
        """What tells one request from the others."""
        return text_of(fields_of(self.requests[index]).get("requestId")) or f"#{index}"


def retell(state: ChatState, names: list[str], span: Span) -> Iterator[Event]:
    """The events of a change to the array of requests, whose `names` were others before."""
    if not state.started:
        state.session = text_of(state.chat.get("sessionId")) or state.session
    before = [(name, turn) for name, turn in zip(names, state.turns, strict=False) if turn.id]
    old = dict(reversed(before))
    state.turns = [old.pop(name) if name in old else Turn() for name in state.names()]
    gone = {turn.id for turn in old.values()}
    yield from _withdrawn(state, [turn for _, turn in before], gone, span)
    taken = _Taken.of(state)
    state.open_from = 0
    for index, request in enumerate(state.requests):
        turn = state.turns[index]
        if not isinstance(request, dict):
            turn.sealed = True
        elif turn.sealed:
            if "told" not in request:
                _reduce(state, index)
        else:
            if not turn.id:
                yield from settle(state, span, index)
                yield from _begin(state, index, taken, span)
            yield from touch(state, index, span, came_whole=True)
    yield from settle(state, span, len(state.turns) - 1)


def reword(state: ChatState, index: int, span: Span) -> Iterator[Event]:
    """The events of a change to a request's message: other words are another turn."""
    turn = state.turns[index]
    prompt = prompt_of(state.requests[index])
    if prompt.own and not prompt.compacts and chain(prompt.key) != turn.chain:
        before = list(state.turns)
        state.turns[index] = Turn()
        yield from _withdrawn(state, before, {turn.id}, span)
        taken = _Taken.of(state)
        yield from _begin(state, index, taken, span)


def touch(
    state: ChatState, index: int, span: Span, *, came_whole: bool = False, grew: bool = False
) -> Iterator[Event]:
    """The events of a change within a request. `came_whole`: nothing of it is still to be read;
    `grew`: parts of its response came, which are saved last."""
    request, turn = state.requests[index], state.turns[index]
    scene = _scene(state, index, span)
    if "result" in request:
        yield from _result(state, scene, turn, request)
        del request["result"]
    parts = response_of(request)
    if text_of(fields_of(request.get("modeInfo")).get("permissionLevel")) != "autopilot":
        for part in map(fields_of, parts):
            yield from _told(state, turn, dialog_events(scene, part))
    if turn.sealed:
        _reduce(state, index)
        return
    lighten(request)
    if _ending(request, turn) is not None:
        if turn.rounds or came_whole or (grew and turn.settling):
            yield from finish(state, index, span)
        turn.settling = True


def finish(state: ChatState, index: int, span: Span) -> Iterator[Event]:
    """The end of a turn, with what it said if that was not told."""
    request, turn = state.requests[index], state.turns[index]
    scene, ending = _scene(state, index, span), _ending(request, turn)
    if not turn.rounds and not prompt_of(request).compacts:
        parts = shown_events(scene, response_of(request), _model(request, {}))
        yield from _told(state, turn, parts)
    turn.cancelled = ending == CANCELLED
    time = from_epoch_ms(number_of(fields_of(request.get("modelState")).get("completedAt")))
    yield from _told(state, turn, end_events(scene, ending, turn.error, time))
    turn.sealed = True
    _reduce(state, index)


def settle(state: ChatState, span: Span, index: int) -> Iterator[Event]:
    """The end of the turns before a request: others followed them."""
    while state.open_from < index:
        if not state.turns[state.open_from].sealed:
            yield from finish(state, state.open_from, span)
        state.open_from += 1


def title(state: ChatState, span: Span | None) -> Iterator[Event]:
    """The chat's title when it is new. The client makes one up; a user may write another."""
    found = text_of(state.chat.get("customTitle")) or text_of(state.chat.get("computedTitle"))
    if found.strip() and found != state.title and state.started:
        state.title = found
        name = derived_id(state.session, "title", found)
        yield SessionTitled(agent=AGENT, session=state.session, id=name, span=span, title=found)


def _scene(state: ChatState, index: int, span: Span) -> Scene:
    request = state.requests[index]
    return Scene(
        state.session,
        state.turns[index].id,
        span,
        from_epoch_ms(number_of(request.get("timestamp"))),
        text_of(request.get("requestId")) or None,
    )


def _told(
    state: ChatState, turn: Turn, events: Iterable[Event], response: str = ""
) -> Iterator[Event]:
    """The events but for answers that were told before, each remembered as far as needed."""
    for event in events:
        if isinstance(event, (QuestionAnswered, PlanDecided, UserMessage)):
            if event.id in turn.answered:
                continue
            turn.answered = [*turn.answered[1 - PENDING_CALLS :], event.id]
        turn.first = turn.first or event.id
        if isinstance(event, _KEPT):
            state.recent = [*state.recent[1 - PENDING_CALLS :], (response, event.id)]
        yield event


class _Taken(msgspec.Struct):
    """Ids of turns that are in use, or were and are not given again."""

    ids: set[str]
    tried: dict[str, int] = {}
    """For requests of one name behind the same prompt, how many ids were tried: damaged chats hold
    thousands under one."""

    @classmethod
    def of(cls, state: ChatState) -> _Taken:
        """Those of a chat."""
        return cls({turn.id for turn in state.turns}.union(state.spent))

    def free(self, session: str, before: str, name: str) -> str:
        """The next id that is free."""
        key = derived_id(session, before, name)
        while True:
            number = self.tried.get(key, 0)
            self.tried[key] = number + 1
            found = derived_id(session, "request", before, name, number)
            if found not in self.ids:
                return found


def _begin(state: ChatState, index: int, taken: _Taken, span: Span) -> Iterator[Event]:
    request, turn = state.requests[index], state.turns[index]
    prompt = prompt_of(request)
    before = state.turns[index - 1].chain if index else ""
    turn.id = turn_id(state.session, before, prompt.key)
    if turn.id in taken.ids:
        turn.id = taken.free(state.session, before, state.name(index))
    taken.ids.add(turn.id)
    turn.chain = chain(prompt.key) if prompt.own and not prompt.compacts else before
    scene = _scene(state, index, span)
    yield from _start(state, scene, _model(request, {}))
    for path in context_files(request):
        name = derived_id(state.session, "context file", path)
        if name not in state.files:
            state.files = [*state.files[1 - PENDING_CALLS :], name]
            yield from _told(state, turn, [scene.make(ContextFileLoaded, name, path=path)])
    if prompt.own:
        yield from _told(state, turn, user_events(scene, request, prompt))


def _start(state: ChatState, scene: Scene, model: str | None) -> Iterator[Event]:
    if state.started:
        return
    state.started = True
    data = fields_of(state.chat.get("repoData"))
    remote = _REMOTE.search(text_of(data.get("remoteUrl")))
    yield scene.make(
        SessionStarted,
        derived_id(state.session, "start"),
        from_epoch_ms(number_of(state.chat.get("creationDate"))),
        cwd=state.cwd,
        repository=remote["name"] if remote else None,
        branch=text_of(data.get("localBranch")) or None,
        client="vscode",
        model=model,
    )
    yield from title(state, scene.span)


def _result(state: ChatState, scene: Scene, turn: Turn, request: dict[str, Any]) -> Iterator[Event]:
    """What the agent did, as the result tells it."""
    result = fields_of(request["result"])
    metadata = fields_of(result.get("metadata"))
    model = _model(request, metadata)
    outcomes = outcomes_of(result)
    turn.error = text_of(fields_of(result.get("errorDetails")).get("message"))[:EXCERPT_CHARS]
    for found in map(fields_of, items_of(metadata.get("toolCallRounds"))):
        response = text_of(found.get("id"))
        for event in _told(state, turn, round_events(scene, found, outcomes, model), response):
            turn.rounds = True
            yield event
        state.recent = [*state.recent[1 - PENDING_CALLS :], (response, "")]
    elapsed = number_of(fields_of(result.get("timings")).get("totalElapsed"))
    sent = number_of(request.get("timestamp"))
    if elapsed is not None and sent is not None:
        scene.time = from_epoch_ms(sent + elapsed)
    prompt = prompt_of(request)
    compactions = compaction_events(scene, request, prompt, lambda after: _after(state, after))
    yield from _told(state, turn, compactions)
    yield from _told(state, turn, usage_events(scene, request, model))


def _after(state: ChatState, response: str) -> tuple[str, ...] | None:
    """The events told since a model response; None if it is not remembered."""
    for index in range(len(state.recent) - 1, -1, -1):
        if state.recent[index][0] == response and response:
            return tuple(event for _, event in state.recent[index + 1 :] if event)
    return None


def _model(request: dict[str, Any], metadata: dict[str, Any]) -> str | None:
    asked = text_of(request.get("modelId")).removeprefix("copilot/")
    return text_of(metadata.get("resolvedModel")) or asked or None


def _ending(request: dict[str, Any], turn: Turn) -> int | None:
    """How a response ended, as `ResponseModelState`; None while it goes on. Before that was stored,
    a request that was stored at all had come to its end."""
    if "modelState" in request:
        value = number_of(fields_of(request["modelState"]).get("value"))
        return value if value in {COMPLETE, CANCELLED, FAILED} else None
    if isinstance(request.get("isCanceled"), bool):
        return CANCELLED if request["isCanceled"] else COMPLETE
    return COMPLETE if turn.rounds else None


def _reduce(state: ChatState, index: int) -> None:
    """Leave only ids of a request that was told, and room for parts that are saved late."""
    requests = state.requests
    room: list[None] = [None] * len(response_of(requests[index]))
    name = text_of(requests[index].get("requestId"))
    requests[index] = {"requestId": name, "response": room, "told": True}
    if index >= OPEN_REQUESTS and isinstance(requests[index - OPEN_REQUESTS], dict):
        requests[index - OPEN_REQUESTS].pop("response", None)
    if index >= PROMPTS_REMEMBERED:
        requests[index - PROMPTS_REMEMBERED] = None
        state.turns[index - PROMPTS_REMEMBERED] = Turn(sealed=True)


def _withdrawn(state: ChatState, before: list[Turn], gone: set[str], span: Span) -> Iterator[Event]:
    """What was taken back, by stretches of requests that are there no more."""
    places = [index for index, turn in enumerate(before) if turn.id in gone]
    for place in places:
        if place - 1 in places:
            continue
        end = next(n for n in range(place, len(before) + 1) if n not in places)
        group = before[place:end]
        since = next((turn.first for turn in group if turn.first), None)
        until = next((turn.first for turn in before[end:] if turn.first), None)
        if since:
            yield Withdrawn(
                agent=AGENT,
                session=state.session,
                id=derived_id(state.session, "withdrawn", since),
                time=_newest(state),
                span=span,
                since=since,
                until=until,
                reason="cancelled" if [t.cancelled for t in group] == [True] else "rewind",
            )
        _forget(state, since, until, group)


def _forget(state: ChatState, since: str | None, until: str | None, group: list[Turn]) -> None:
    state.spent = [*state.spent, *(turn.id for turn in group)][-PENDING_CALLS:]
    told = [event for _, event in state.recent]
    if since in told:
        del state.recent[told.index(since) : told.index(until) if until in told else None]


def _newest(state: ChatState) -> datetime | None:
    newest = fields_of(state.requests[-1]) if state.requests else {}
    return from_epoch_ms(number_of(newest.get("timestamp")))
