"""Sessions read at the user's word: by the daemon, which is followed while it does, or where none
runs by this command itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ctxd.cli import words
from ctxd.cli.order import RefusedOrderError, order
from ctxd.cli.progress import Passing
from ctxd.cli.reader_lines import print_hint, print_wrapped
from ctxd.cli.settings import current
from ctxd.errors import Exit
from ctxd.policy.shown import READING_LOOK_SECONDS, READING_PING_SECONDS

if TYPE_CHECKING:
    from ctxd.ledger import Ledger, Reader
    from ctxd.ledger.second_values import Account
    from ctxd.settings_reader import ReaderSettings

Key = tuple[str, str]
"""Agent and session id."""
_AFTER = "`ctxd items` lists what was understood, `ctxd review` what waits for your word"
_NO_ANSWER = "`ctxd reader test` tries it; `ctxd read --again` has a session read once more"


def read(keys: Sequence[Key], settings: ReaderSettings, *, again: bool) -> int:
    """Have sessions read, and tell how that goes."""
    from ctxd.service.asking import Request, ask, control_address

    flat = tuple(word for key in keys for word in key)
    if again:
        order("anew", "", *flat)
    answer = ask(control_address(current.places.runtime), Request("read", None, flat))
    if answer is None:
        return _here(keys, settings)
    if not answer.ok:
        raise RefusedOrderError(answer)
    current.output.print(answer.message)
    if not current.messages.is_terminal:
        print_hint(current.messages, "`ctxd reader` tells how far it is")
        return Exit.OK
    try:
        return _followed(frozenset(keys), settings)
    except KeyboardInterrupt:
        print_wrapped(current.messages, "it goes on; `ctxd reader` tells how far it is")
        return Exit.INTERRUPTED


class _Account:
    """What was spent since the command began."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._before = self._now()

    def _now(self) -> Account:
        from ctxd.reader.budget import day_of

        return self._reader.reader_account(day_of(time.time()))

    def losses(self) -> tuple[int, int, int]:
        """How many calls there were, how many gave no answer, and how many parts of answers did not
        count."""
        names = ("calls", "failed", "refused")
        now, before = self._now(), self._before
        calls, failed, refused = (getattr(now, one) - getattr(before, one) for one in names)
        return max(0, calls), max(0, failed), max(0, refused)

    def words(self) -> str:
        """In words: `3 calls, 24k tokens, $0.12`; empty where nothing was asked."""
        now, before = self._now(), self._before
        calls = max(0, now.calls - before.calls)
        if not calls:
            return ""
        tokens = now.input_tokens + now.output_tokens
        tokens = max(0, tokens - before.input_tokens - before.output_tokens)
        said = f"{words.count(calls, 'call')}, {words.about(tokens)} tokens"
        money = max(0.0, now.money - before.money)
        return f"{said}, {words.dollars(money)}" if money else said


def _followed(keys: frozenset[Key], settings: ReaderSettings) -> int:
    """Show how far it is until all are read, or nothing more can be done now."""
    from ctxd.cli.item_choice import open_ledger
    from ctxd.reader_status import reader_status

    with open_ledger() as reader, Passing(current.messages) as line:
        spent, ping_at = _Account(reader), time.monotonic() + READING_PING_SECONDS
        while True:
            waiting = [one for one in reader.wanted_readings() if one.key in keys]
            if not waiting:
                break
            status = reader_status(reader, settings, datetime.now(UTC))
            trouble = status.trouble
            if trouble is not None and trouble.until is not None:
                line.clear()
                return _stopped(trouble.message, trouble.hint, len(waiting))
            if _is_paused(reader):
                line.clear()
                return _stopped("the daemon is paused", "`ctxd resume`", len(waiting))
            failed = [one.message for one in waiting if one.tries]
            if len(failed) == len(waiting):
                line.clear()
                return _stopped(failed[0], "it is tried again later", len(waiting))
            left = words.count(len(waiting), "session")
            line.show(f"{settings.backend} reads, {left} left  {spent.words()}")
            if time.monotonic() >= ping_at:
                ping_at = time.monotonic() + READING_PING_SECONDS
                if not _runs():
                    line.clear()
                    return _gone(len(waiting))
            time.sleep(READING_LOOK_SECONDS)
        line.clear()
        return _read(spent)


def _is_paused(reader: Reader) -> bool:
    beat = reader.heartbeat()
    return beat is not None and beat.state == "paused"


def _runs() -> bool:
    from ctxd.service.asking import Request, ask, control_address

    return ask(control_address(current.places.runtime), Request("ping")) is not None


def _read(spent: _Account) -> int:
    """Say that all is read, and what of it came to nothing."""
    calls, failed, refused = spent.losses()
    if calls and failed >= calls:
        said = f"{spent.words()}, and none gave an answer that could be read"
        print_wrapped(current.messages, said, ("! ", "bold yellow"))
        print_hint(current.messages, _NO_ANSWER, "  ")
        return Exit.PARTIAL
    said = f"read: {spent.words()}" if calls else "nothing was asked: all of it was read before"
    said += f"; {words.count(failed, 'call')} without an answer" if failed else ""
    said += f"; {words.count(refused, 'part')} of answers did not count" if refused else ""
    print_wrapped(current.output, said)
    print_hint(current.output, _AFTER)
    return Exit.OK


def _stopped(message: str, hint: str, left: int) -> int:
    out = current.messages
    print_wrapped(out, f"{words.count(left, 'session')} left: {message}", ("! ", "bold yellow"))
    print_hint(out, hint, "  ")
    return Exit.PARTIAL


def _gone(left: int) -> int:
    print_wrapped(
        current.messages,
        f"the daemon has stopped; {words.count(left, 'session')} left, which it reads when it runs",
        ("! ", "bold yellow"),
    )
    return Exit.NOT_RUNNING


def _here(keys: Sequence[Key], settings: ReaderSettings) -> int:
    """Read where no daemon runs: one after the other, while the user waits."""
    from ctxd.ledger import Ledger
    from ctxd.status import ledger_path

    with (
        Ledger.open(ledger_path(current.places.state)) as ledger,
        Passing(current.messages) as line,
    ):
        spent = _Account(ledger)
        try:
            outcome = _all_here(
                ledger, keys, settings, lambda said: line.show(f"{said}{spent.words()}")
            )
        except KeyboardInterrupt:
            line.clear()
            print_wrapped(current.messages, "stopped; what was read until now is kept")
            return Exit.INTERRUPTED
        line.clear()
        if outcome is not None:
            return _stopped(outcome[0], outcome[1], outcome[2])
        return _read(spent)


def _all_here(
    ledger: Ledger, keys: Sequence[Key], settings: ReaderSettings, show: Callable[[str], None]
) -> tuple[str, str, int] | None:
    """Read all of them, and take in what was found; return why not all of them are, with a hint and
    how many are left."""
    from ctxd.pipeline import Pipeline
    from ctxd.reader.job import Means
    from ctxd.reader.own import FOLDER
    from ctxd.reader.running import read_here
    from ctxd.reader_status import HINTS

    means = Means(
        wishes=lambda: settings,
        folder=current.places.state / FOLDER,
        monotonic=time.monotonic,
        wall=time.time,
        wake=lambda: None,
        judge=lambda _key: None,
    )
    understanding = Pipeline(ledger, time.time).understanding
    left = len(keys)

    def tell(_key: Key, _told: object) -> None:
        show(f"{settings.backend} reads, {words.count(left, 'session')} left  ")

    show(f"{settings.backend} reads, {words.count(left, 'session')} left  ")
    for done in read_here(ledger, means, keys, tell):
        understanding.judge(understanding.waiting(done.key))
        if done.over.trouble is not None:
            return done.over.message, HINTS.get(done.over.trouble, ""), left
        left -= 1
    return None
