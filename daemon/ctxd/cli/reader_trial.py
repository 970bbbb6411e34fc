"""`ctxd reader test`: one small call to the reader that was chosen, counted as any other."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import msgspec

from ctxd.cli import words
from ctxd.cli.reader_words import goes_to
from ctxd.cli.settings import current
from ctxd.errors import Exit, UserError
from ctxd.reader import budget
from ctxd.reader.own import FOLDER
from ctxd.reader.trying import Trial, calls_of, items_of, try_out
from ctxd.reader.values import Begun, Called, Prices, ReaderError, Spent, Told
from ctxd.reader_status import HINTS
from ctxd.terminal import one_line

if TYPE_CHECKING:
    from ctxd.reader.budget import Limits
    from ctxd.settings_reader import ReaderSettings

_HINTS = {
    "rate": "try it again later",
    "slow": "a smaller model answers sooner: `ctxd config set reader.model NAME`",
    "broken": "`ctxd reader` tells how it stands; try it again later",
    "malformed": "a more capable model answers in the form asked for",
}
"""What to do where the trial itself failed, which nobody tries again by itself."""
_NOT_CHOSEN = "no reader is chosen", "`ctxd reader setup` lists what there is"


def test(settings: ReaderSettings, *, as_json: bool) -> int:
    """Ask the chosen reader once, and tell what came of it."""
    if not settings.is_on:
        raise UserError(*_NOT_CHOSEN)
    out = current.messages
    left = _left(settings)
    if out.is_terminal and not as_json:
        out.print((f"asking {settings.backend}; this may take a minute", "dim"))
    began = time.monotonic()
    trial = _trial(settings, _asked(settings, left), time.monotonic() - began)
    if as_json:
        from ctxd.cli.json_output import print_json

        print_json(trial)
        return Exit.OK if trial.is_answer else Exit.FAILED
    if not trial.is_answer:
        raise UserError(f"{settings.backend} did not answer: {trial.message}", trial.hint)
    _print(trial)
    return Exit.OK


def _left(settings: ReaderSettings) -> Limits:
    """What is left of today; raise UserError when that is nothing."""
    from ctxd.cli.reader import ledger

    with ExitStack() as stack:
        found = ledger(stack)
        if found is None:
            return budget.Limits(settings.calls_a_day, settings.tokens_a_day, settings.money_a_day)
        account = found.reader_account(budget.day_of(time.time()))
    if not budget.can_call(account, settings):
        raise UserError("today's budget is spent", HINTS["budget"])
    return budget.left(account, settings)


def _asked(settings: ReaderSettings, left: Limits) -> list[Told] | ReaderError:
    prices = Prices(settings.money_in, settings.money_out)
    folder = current.places.state / FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return try_out(
            settings.choice, left, prices, folder, lambda word: _count(settings.backend, word)
        )
    except ReaderError as error:
        return error


def _count(backend: str, word: Told) -> None:
    """Have a call counted; where the daemon never ran there is nowhere to."""
    from ctxd.cli.order import order
    from ctxd.status import ledger_path

    if not isinstance(word, Begun | Called) or not ledger_path(current.places.state).exists():
        return
    begun = isinstance(word, Begun)
    called = Called(spent=Spent(word.input_tokens)) if isinstance(word, Begun) else word
    order("count", "", backend, msgspec.json.encode(called).decode(), "begun" if begun else "over")


def _trial(settings: ReaderSettings, told: list[Told] | ReaderError, seconds: float) -> Trial:
    from ctxd.reader.backends.registry import backend

    words_of = [] if isinstance(told, ReaderError) else told
    calls = calls_of(words_of)
    last = calls[-1] if calls else None
    error = told if isinstance(told, ReaderError) else None
    trouble = error.trouble if error else _trouble(words_of)
    message = error.message if error else (last.message if last else "it was not asked")
    return Trial(
        backend=settings.backend,
        model=settings.model,
        sends_to=backend(settings.backend).sends_to(settings.choice),
        is_answer=not trouble,
        items=items_of(words_of),
        refused=last.refused if last else 0,
        calls=len(calls),
        seconds=round(seconds, 1),
        input_tokens=sum(one.spent.input_tokens for one in calls),
        output_tokens=sum(one.spent.output_tokens for one in calls),
        money_dollars=sum(one.spent.money for one in calls),
        trouble=trouble,
        message=message if trouble else "",
        hint=_HINTS.get(trouble, HINTS.get(trouble, "")),
    )


def _trouble(told: list[Told]) -> str:
    """That of the last call; empty where it gave an answer."""
    calls = calls_of(told)
    if not calls:
        return "budget"
    return calls[-1].trouble or ""


def _worth(trial: Trial) -> str:
    """What the answer is worth: the text that it was shown holds one decision."""
    counted = words.count(trial.items, "item")
    if trial.items and not trial.refused:
        return f"it answers as asked for: {counted}, with quotes that are there"
    if trial.refused:
        parts = words.count(trial.refused, "part")
        return f"it answers: {counted}, and {parts} of the answer did not count"
    return "it answers, but misses what was decided in the text: another model may find more"


def _print(trial: Trial) -> None:
    out = current.output
    said = _worth(trial)
    tokens = (
        f"{words.number(trial.input_tokens)} sent, {words.number(trial.output_tokens)} answered"
    )
    price = words.dollars(trial.money_dollars) if trial.money_dollars else "not told"
    for label, value in (
        ("reader", " ".join(filter(None, (trial.backend, trial.model)))),
        ("answer", said),
        ("text", f"went {goes_to(trial.sends_to)}" if trial.sends_to else "stayed here"),
        ("took", f"{trial.seconds:g} s, {words.count(trial.calls, 'call')}"),
        ("tokens", tokens),
        ("price", price),
    ):
        out.print((f"{label:<12}", "dim"), one_line(value))
