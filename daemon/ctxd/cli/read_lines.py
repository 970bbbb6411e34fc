"""What reading sessions would take, and what was read, as lines."""

from __future__ import annotations

import json

from ctxd.cli import words
from ctxd.cli.columns import Column, print_table
from ctxd.cli.reader_lines import print_hint, print_wrapped
from ctxd.cli.reader_words import STAYS, goes_to
from ctxd.reader_plan import CallRow, PlannedSession, ReadPlan
from ctxd.terminal import Span, Terminal

_OFF = "no reader is chosen"
_TWICE = "A call is made once more where its answer does not pass."
NOTHING = "Nothing would be sent: all of it was read before. `--again` has it read once more."


def print_plan(out: Terminal, found: ReadPlan) -> None:
    """Write how many calls and tokens it would take, and where they would go."""
    columns = [
        Column("SESSION", least=8),
        Column("AGENT", drop=1),
        Column("CALLS", right=True),
        Column("READ BEFORE", right=True, drop=2),
        Column("TOKENS SENT", right=True),
    ]
    print_table(out, columns, [_row(one) for one in found.sessions])
    out.print()
    print_wrapped(out, _summary(found) if found.calls else NOTHING)
    if found.backend == "off":
        print_hint(out, "`ctxd reader setup` lists what could read")


def _summary(found: ReadPlan) -> str:
    most = words.number(found.output_tokens_most)
    sent = words.count(found.input_tokens, "token")
    said = f"{words.count(found.calls, 'call')}, {sent} sent, at most {most} answered"
    if found.money_most_dollars:
        said += f", at most {words.dollars(found.money_most_dollars)}"
    return f"{said}; {_where(found)}. Nothing was sent. {_TWICE}"


def print_questions(out: Terminal, found: ReadPlan) -> None:
    """Write word for word what would be sent, a call after the other."""
    number = 0
    for session in found.sessions:
        for call in session.calls:
            number += 1
            place = f"call {number} of {found.calls}, session {session.session}: "
            tokens = words.count(call.input_tokens, "token")
            out.print((f"=== {place}{tokens}, {_where(found)}", "bold cyan"))
            _print_question(out, call)
    if not found.calls:
        print_wrapped(out, NOTHING)


def _print_question(out: Terminal, call: CallRow) -> None:
    if call.question is None:
        return
    for line in call.question.instructions.splitlines():
        out.print(line)
    out.print()
    for line in call.question.text.splitlines():
        out.print(line)
    out.print(("=== form of the answer", "bold cyan"))
    out.print(json.dumps(call.question.answer_schema))


def _row(one: PlannedSession) -> list[Span]:
    return [
        one.session,
        one.agent,
        words.number(len(one.calls)),
        f"{words.number(one.read)} of {words.number(one.parts)}",
        words.number(sum(call.input_tokens for call in one.calls)),
    ]


def _where(found: ReadPlan) -> str:
    if found.backend == "off":
        return _OFF
    return f"all of it goes {goes_to(found.sends_to)}" if found.sends_to else f"all of it {STAYS}"
