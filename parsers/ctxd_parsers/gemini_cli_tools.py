"""What the tool calls of Gemini CLI tell: answers to questions and decisions on plans among them.

Read in the client's code (0.61, `ask-user.ts` and `exit-plan-mode.ts`); the answers also in a log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec

from ctxd_parsers import events
from ctxd_parsers import gemini_cli_rows as rows
from ctxd_parsers.events import Event, Option
from ctxd_parsers.gemini_cli_rows import Call
from ctxd_parsers.values import from_iso

Make = Callable[..., Any]
"""Makes an event of the record."""
_FEEDBACK = re.compile(
    r"Plan rejected\. User feedback: (.*?)(?:\n\nThe plan is stored at: [^\n]*\n.*)?\Z", re.DOTALL
)
_OVER = frozenset({"success", "error", "cancelled"})
_APPROVED, _REJECTED = "Plan approved.", "Plan rejected."


def told_by_call(make: Make, call: Call, identity: str, message: str) -> Iterator[Event]:
    """The events of one call, under ids that begin with `identity`."""
    about = rows.touched(call)
    yield make(
        events.ToolCall,
        id=identity,
        call=call.id or identity,
        name=call.name,
        paths=about.paths,
        command=about.command,
        excerpt=about.excerpt,
        message=message,
    )
    if call.result is None and call.status not in _OVER:
        return
    over = partial(make, time=from_iso(call.timestamp)) if call.timestamp else make
    if call.name == "ask_user":
        yield from _answers(over, call, identity)
    elif call.name == "exit_plan_mode":
        yield from _plan(over, call, identity)
    yield over(
        events.ToolResult,
        id=f"{identity}.result",
        call=call.id or identity,
        status=rows.status(call),
    )


def _answers(make: Make, call: Call, identity: str) -> Iterator[Event]:
    questions = call.args.get("questions") if isinstance(call.args, dict) else None
    answers = _given(rows.output(call))
    for number, asked in enumerate(questions if isinstance(questions, list) else []):
        answer = answers.get(str(number))
        if isinstance(asked, dict) and isinstance(answer, str) and answer.strip():
            base = f"{identity}.answer{number}"
            yield _answered(make, asked, answer, call.id or identity, base)
            yield make(
                events.UserMessage,
                id=f"{base}.words",
                text=answer,
                origin="answer",
                call=call.id or identity,
            )


def _answered(make: Make, asked: dict[str, Any], answer: str, call: str, identity: str) -> Event:
    options = tuple(_options(asked.get("options")))
    labels = [option.label for option in options]
    picked = [answer] if answer in labels else answer.split(", ")
    chosen = tuple(picked) if all(label in labels for label in picked) else ()
    question = asked.get("question")
    event: Event = make(
        events.QuestionAnswered,
        id=identity,
        question=question if isinstance(question, str) else "",
        options=options,
        chosen=chosen,
        text=None if chosen else answer,
        call=call,
    )
    return event


def _options(found: Any) -> Iterator[Option]:
    for one in found if isinstance(found, list) else []:
        if isinstance(one, dict) and isinstance(one.get("label"), str):
            about = one.get("description")
            yield Option(one["label"], about if isinstance(about, str) and about else None)


def _given(output: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(output.encode("utf-8", "replace"))
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return {}
    answers = found.get("answers") if isinstance(found, dict) else None
    return answers if isinstance(answers, dict) else {}


def _plan(make: Make, call: Call, identity: str) -> Iterator[Event]:
    output = rows.output(call)
    if not output.startswith((_APPROVED, _REJECTED)):
        return
    approved = output.startswith(_APPROVED)
    made = call.id or identity
    yield make(events.PlanDecided, id=f"{identity}.plan", approved=approved, call=made)
    feedback = _FEEDBACK.match(output)
    if feedback and feedback[1].strip():
        yield make(
            events.UserMessage,
            id=f"{identity}.plan.words",
            text=feedback[1],
            origin="plan_feedback",
            call=made,
        )
