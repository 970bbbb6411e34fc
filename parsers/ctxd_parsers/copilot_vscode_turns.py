"""A request of a VS Code chat, and what the agent did for it, as events.

Promises: whatever is read here may be any JSON; ids depend on what was said and nothing else, so
that the chat's own log, its flat JSON and the extension's transcript give one message one id.

How ids are made: a *turn* is named by its prompt and the prompt before it (`turn_id`), every event
in it by the turn and its content. That way a short answer ("yes") is told from the same answer to
something else, and the stores agree without a common id: the chat knows request ids, the transcript
only its own. What does not count as a prompt before: `/compact` and what the client sent by itself,
for the transcript has no trace of the first and no mark on the second.
Facts are of microsoft/vscode and its extensions/copilot, as named at each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from ctxd_parsers.copilot_vscode_chat import (
    Prompt,
    attachments,
    call_name,
    fields_of,
    items_of,
    number_of,
    reduced_call,
    speech_of,
    text_of,
)
from ctxd_parsers.copilot_vscode_log import SHORT_CHARS
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    CompactionFailed,
    Event,
    Interrupted,
    Option,
    PlanDecided,
    QuestionAnswered,
    Reasoning,
    Status,
    ToolCall,
    ToolResult,
    TurnEnded,
    Usage,
    UserMessage,
)
from ctxd_parsers.limits import PENDING_CALLS
from ctxd_parsers.values import derived_id, from_epoch_ms

AGENT = "copilot-vscode"

AUTOPILOT = "The user is not available to respond"
"""How the client answers a question dialog by itself (AUTOPILOT_ASK_USER_RESPONSE)."""

CONTINUE = re.compile(r'(?:@\S+ )?(?P<label>[^:\n]+): "(?P<title>.+)"', re.DOTALL)
"""A press of a confirmation's button, as the client words it (`Continue: "Continue to iterate?"."""

ASKED = 72
"""Characters of a question's header that name it: dialogs cut headers at 75 (askQuestionsTool)."""

COMPLETE, CANCELLED, FAILED = 1, 2, 3
"""How a response ended (ResponseModelState); 0 is pending, 4 waits for the user."""

_TURNED_DOWN = {0, 5}
"""Confirmations that are refusals (ToolConfirmKind): denied, skipped."""

_SUCCESS = {"", "success"}
_HINT = "\nIf you need specific details from before compaction"

E = TypeVar("E", bound=Event)


class Scene(msgspec.Struct):
    """What the events of one record and turn have in common."""

    session: str
    turn: str
    span: tuple[int, int] | None = None
    time: datetime | None = None
    request: str | None = None
    sub_agent: str | None = None
    used: list[str] = []
    """Ids of what was said in the turn, to tell the second "Done." from the first."""

    def make(self, kind: type[E], event_id: str, time: datetime | None = None, **facts: Any) -> E:
        """An event with a given id."""
        return kind(
            agent=AGENT,
            session=self.session,
            id=event_id,
            time=time or self.time,
            span=self.span,
            sub_agent=self.sub_agent,
            **facts,
        )

    def name(self, *identity: object) -> str:
        """The id of an event of this turn."""
        return derived_id(self.turn, *identity)

    def name_next(self, *identity: object) -> str:
        """The same for what may be said twice in a turn."""
        name = self.name(*identity)
        earlier = self.used.count(name)
        self.used.append(name)
        del self.used[:-PENDING_CALLS]
        return f"{name}#{earlier}" if earlier else name


def chain(prompt: str) -> str:
    """What names a prompt to the one after it."""
    return derived_id("prompt", prompt)


def turn_id(session: str, before: str, prompt: str) -> str:
    """The name of a turn, and the id of its user message."""
    return derived_id(session, "turn", before, prompt)


def user_events(scene: Scene, request: dict[str, Any], prompt: Prompt) -> Iterator[Event]:
    """The user's words that began a turn."""
    attached = attachments(request)
    if prompt.compacts:
        words = command_arguments(prompt)
        if words:
            yield scene.make(
                UserMessage, scene.turn, text=words, origin="command_arguments", turn=scene.request
            )
    elif label := text_of(request.get("confirmation")):
        yield from pressed(scene, prompt.text, label)
    else:
        yield scene.make(
            UserMessage, scene.turn, text=prompt.text, turn=scene.request, attachments=attached
        )


def command_arguments(prompt: Prompt) -> str:
    """What the user asked a summary to focus on."""
    return prompt.text.partition("/compact")[2].strip()


def _focus(prompt: Prompt) -> str | None:
    """The same as far as it is remembered until the summary is there."""
    text = prompt.text[:SHORT_CHARS]
    return (text.partition("/compact")[2].strip() or None) if prompt.compacts else None


def pressed(scene: Scene, text: str, label: str) -> Iterator[Event]:
    """The answer given by pressing a confirmation's button."""
    found = CONTINUE.fullmatch(text.strip())
    question = found["title"] if found else text
    yield scene.make(QuestionAnswered, scene.name("pressed"), question=question, chosen=(label,))
    yield scene.make(UserMessage, scene.turn, text=label, origin="answer", turn=scene.request)


def dialog_events(scene: Scene, part: dict[str, Any]) -> Iterator[Event]:
    """What the user answered in a dialog that the response shows."""
    reader = _DIALOGS.get(text_of(part.get("kind")))
    if reader:
        yield from reader(scene, part)


def _carousel(scene: Scene, part: dict[str, Any]) -> Iterator[Event]:
    answers = fields_of(part.get("data"))
    for question in map(fields_of, items_of(part.get("questions"))):
        answer = answers.get(text_of(question.get("id")))
        options = [fields_of(option) for option in items_of(question.get("options"))]
        labels = [text_of(option.get("value")) or text_of(option.get("id")) for option in options]
        shown = [text_of(option.get("label")) for option in options]
        chosen, typed = _normal(answer, labels)
        header = text_of(question.get("title"))
        about = {
            "header": header,
            "question": text_of(question.get("message")) or header,
            "options": [
                {"label": label, "description": text.removeprefix(label).removeprefix(" - ")}
                for label, text in zip(labels, shown, strict=True)
            ],
        }
        yield from answered(scene, about, chosen, typed, call_name(part.get("resolveId")))


def _normal(answer: Any, labels: list[str]) -> tuple[list[str], str]:
    """What was picked and what was typed, as the tool tells the model (convertCarouselAnswers)."""
    found = fields_of(answer)
    if isinstance(answer, list) or "selectedValues" in found:
        picked = answer if isinstance(answer, list) else items_of(found["selectedValues"])
        return [text_of(value) for value in picked], text_of(found.get("freeformValue"))
    if typed := text_of(found.get("freeformValue")):
        return [], typed
    value = text_of(found.get("selectedValue") if found else answer)
    return ([value], "") if value in labels else ([], value)


def tool_answers(scene: Scene, call: dict[str, Any], answers: dict[str, Any]) -> Iterator[Event]:
    """What the user answered, from the result of the tool that asked."""
    for question in map(fields_of, items_of(call.get("questions"))):
        answer = fields_of(answers.get(text_of(question.get("header"))))
        if not answer.get("skipped"):
            chosen = [text_of(value) for value in items_of(answer.get("selected"))]
            typed = text_of(answer.get("freeText"))
            yield from answered(scene, question, chosen, typed, call_name(call.get("id")))


def answered(
    scene: Scene, question: dict[str, Any], chosen: list[str], typed: str, call: str
) -> Iterator[Event]:
    """The answer to one question of a dialog; none if nobody answered, or the client did."""
    picked = tuple(label for label in chosen if label)
    if not (picked or typed) or typed.startswith(AUTOPILOT):
        return
    header = text_of(question.get("header"))
    options = [fields_of(option) for option in items_of(question.get("options"))]
    name = scene.name("answer", header[:ASKED], *picked, "", typed)
    yield scene.make(
        QuestionAnswered,
        name,
        question=text_of(question.get("question")) or header,
        options=tuple(
            Option(text_of(option.get("label")), text_of(option.get("description")) or None)
            for option in options
        ),
        chosen=picked,
        text=typed or None,
        call=call or None,
    )
    words = "\n".join(text for text in (", ".join(picked), typed) if text)
    yield scene.make(UserMessage, f"{name}#1", text=words, origin="answer", call=call or None)


def _elicited(scene: Scene, part: dict[str, Any]) -> Iterator[Event]:
    """A form filled in for an MCP server. Without a result only a button was pressed, and a form
    that still waits is stored as rejected (ChatElicitationRequestPart.toJSON)."""
    given = fields_of(part.get("acceptedResult"))
    values = {name: value for name, value in given.items() if isinstance(value, (str, int, float))}
    if part.get("state") != "accepted" or not values:
        return
    texts = [f"{name}: {value}" for name, value in values.items()]
    only = str(next(iter(values.values()))) if len(values) == 1 else ""
    header = text_of(part.get("title"))
    about = {"header": header, "question": text_of(part.get("message")) or header}
    yield from answered(scene, about, [], only or "\n".join(texts), "")


def _plan(scene: Scene, part: dict[str, Any]) -> Iterator[Event]:
    given = fields_of(part.get("data"))
    if not isinstance(given.get("rejected"), bool):
        return
    call = call_name(part.get("resolveId")) or None
    choice, words = text_of(given.get("action")), text_of(given.get("feedback"))
    name = scene.name("plan", call or "", given["rejected"], choice, words)
    plan = text_of(part.get("content")) or None
    yield scene.make(
        PlanDecided,
        name,
        approved=not given["rejected"],
        plan=plan,
        choice=choice or None,
        call=call,
    )
    if words:
        yield scene.make(UserMessage, f"{name}#1", text=words, origin="plan_feedback", call=call)


_DIALOGS = {"questionCarousel": _carousel, "elicitationSerialized": _elicited, "planReview": _plan}


def said(scene: Scene, text: str, **facts: Any) -> Iterator[Event]:
    """What the agent said, unless it is blank."""
    if text.strip():
        yield scene.make(AssistantMessage, scene.name_next("said", text), text=text, **facts)


def thought(scene: Scene, text: str, **facts: Any) -> Iterator[Event]:
    """What the model thought, unless it is blank."""
    if text.strip():
        yield scene.make(Reasoning, scene.name_next("thought", text), text=text, **facts)


def called(scene: Scene, call: dict[str, Any], **facts: Any) -> Iterator[Event]:
    """A tool call."""
    name = call_name(call.get("id"))
    if name:
        yield scene.make(
            ToolCall,
            scene.name_next("call", name),
            call=name,
            name=call["name"],
            paths=tuple(call["paths"]),
            command=call["command"],
            excerpt=call["excerpt"],
            **facts,
        )


def ended(scene: Scene, call: str, status: Status | None, **facts: Any) -> Event:
    """The end of a tool call."""
    return scene.make(
        ToolResult, scene.name_next("result", call), call=call, status=status, **facts
    )


def round_events(
    scene: Scene, found: dict[str, Any], outcomes: dict[str, Any], model: str | None
) -> Iterator[Event]:
    """One model response with its tool calls, their results and the answers they got."""
    time, message = from_epoch_ms(found.get("timestamp")), text_of(found.get("id")) or None
    thinking = text_of(fields_of(found.get("thinking")).get("text"))
    yield from thought(scene, thinking, time=time, message=message)
    text = text_of(found.get("response"))
    yield from said(scene, text, time=time, message=message, model=model)
    calls = [fields_of(call) for call in items_of(found.get("toolCalls"))]
    for call in calls:
        yield from called(scene, call, time=time, message=message)
    for call in calls:
        told = outcomes.get(call_name(call.get("id")))
        if told:
            yield ended(scene, call_name(call["id"]), told["status"], time=time)
            yield from tool_answers(scene, call, told.get("answers", {}))


def outcomes_of(result: dict[str, Any]) -> dict[str, Any]:
    """The verdicts of a result by tool call. The same words stand for a call that the user denied
    and for one that fell with the whole turn, which ends with an error message then."""
    message = text_of(fields_of(result.get("errorDetails")).get("message"))
    found = fields_of(fields_of(result.get("metadata")).get("toolCallResults"))
    fallen = "interrupted" if message else "refused"
    return {
        call: {**told, "status": fallen} if told["status"] == "cancelled" else told
        for call, told in found.items()
    }


def shown_events(scene: Scene, parts: list[Any], model: str | None) -> Iterator[Event]:
    """What a response shows, where the model responses behind it were not stored: cancelled turns,
    and participants of other extensions. Text between two tool calls is one message."""
    text = ""
    for part in parts:
        if fields_of(part).get("kind") == "toolInvocationSerialized":
            yield from said(scene, text, model=model)
            yield from _shown_call(scene, part)
            text = ""
        text += speech_of(part)
    yield from said(scene, text, model=model)


def _shown_call(scene: Scene, part: dict[str, Any]) -> Iterator[Event]:
    """A tool call as the response shows it. Its id is another than the model's."""
    inner = text_of(part.get("subAgentInvocationId")) or None
    where = msgspec.structs.replace(scene, sub_agent=inner)
    command = fields_of(fields_of(part.get("toolSpecificData")).get("commandLine")).get("original")
    name = text_of(part.get("toolId"))
    call = {
        **reduced_call(name, {"command": command}),
        "id": part.get("toolCallId"),
        "excerpt": None,
    }
    yield from called(where, call)
    confirmed = part.get("isConfirmed")
    if isinstance(confirmed, dict):
        confirmed = number_of(confirmed.get("type")) not in _TURNED_DOWN
    if confirmed is False:
        yield ended(where, call_name(call["id"]), "refused")
    elif part.get("isComplete") is True:
        yield ended(where, call_name(call["id"]), "ok")


def compaction_events(
    scene: Scene,
    request: dict[str, Any],
    prompt: Prompt,
    kept: Callable[[str], tuple[str, ...] | None],
) -> Iterator[Event]:
    """The compactions that happened in a turn. All up to and including the named model response
    was replaced (class ConversationHistory of the extension), so what came after stays."""
    for summary in _summaries(fields_of(fields_of(request.get("result")).get("metadata"))):
        text = without_hint(text_of(summary.get("text")))
        after, how = text_of(summary.get("toolCallRoundId")), text_of(summary.get("outcome"))
        trigger = "manual" if prompt.compacts else "auto"
        if not text.strip() or how not in _SUCCESS:
            name = scene.name_next("compaction failed", after, how)
            yield scene.make(CompactionFailed, name, trigger=trigger, reason=how or "no summary")
            continue
        yield scene.make(
            Compaction,
            scene.name_next("compaction", after, text),
            trigger=trigger,
            cause=text_of(summary.get("source")) or None,
            summary=text,
            kept=kept(after),
            instructions=_focus(prompt),
            tokens_before=number_of(summary.get("contextLengthBefore")),
            duration_ms=number_of(summary.get("durationMs")),
        )


def _summaries(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """All summaries of a turn. The newer list repeats the single one, and the model response that
    a summary ends at repeats its text; the last of those that end at one response was used."""
    found = [fields_of(entry) for entry in items_of(metadata.get("summaries"))]
    single = fields_of(metadata.get("summary"))
    places = {text_of(entry.get("toolCallRoundId")) for entry in found}
    if single and text_of(single.get("toolCallRoundId")) not in places:
        found.insert(0, single)
        places.add(text_of(single.get("toolCallRoundId")))
    found += [
        {"toolCallRoundId": entry.get("id"), "text": entry.get("summary")}
        for entry in map(fields_of, items_of(metadata.get("toolCallRounds")))
        if text_of(entry.get("summary")).strip() and text_of(entry.get("id")) not in places
    ]
    last = {text_of(entry.get("toolCallRoundId")): entry for entry in found if _worked(entry)}
    return [e for e in found if not _worked(e) or e is last[text_of(e.get("toolCallRoundId"))]]


def _worked(summary: dict[str, Any]) -> bool:
    return (
        bool(text_of(summary.get("text")).strip()) and text_of(summary.get("outcome")) in _SUCCESS
    )


def without_hint(text: str) -> str:
    """A summary without what the client appends: where the model can read up what was lost."""
    start = text.rfind(_HINT)
    return text[:start].rstrip("\n") if start >= 0 and "transcript" in text[start:] else text


def usage_events(scene: Scene, request: dict[str, Any], model: str | None) -> Iterator[Event]:
    """Tokens of the turn's last model response; how much of it came from a cache is not told."""
    metadata = fields_of(fields_of(request.get("result")).get("metadata"))
    asked = number_of(metadata.get("promptTokens")) or number_of(request.get("promptTokens"))
    given = number_of(metadata.get("outputTokens")) or number_of(request.get("completionTokens"))
    if asked is None and given is None:
        return
    rounds = [fields_of(found) for found in items_of(metadata.get("toolCallRounds"))]
    yield scene.make(
        Usage,
        scene.name("usage"),
        message=text_of(rounds[-1].get("id")) or None if rounds else None,
        model=model,
        output_tokens=given,
        context_tokens=None if asked is None else asked + (given or 0),
    )


def end_events(
    scene: Scene, state: int | None, error: str, time: datetime | None
) -> Iterator[Event]:
    """The end of a turn: `state` is the client's number for how, None if it went on without."""
    if state == FAILED and error.strip():
        yield scene.make(
            AssistantMessage, scene.name("failed", error), time, text=error, failed=True
        )
    if state == CANCELLED:
        yield scene.make(Interrupted, scene.name("interrupted"), time)
    reason = {COMPLETE: "completed", CANCELLED: "interrupted", FAILED: "error"}.get(state or 0)
    yield scene.make(TurnEnded, scene.name("end"), time, reason=reason, turn=scene.request)
