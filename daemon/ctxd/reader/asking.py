"""Putting questions to a reader: within a budget, once more where an answer does not pass, and
telling of each call as soon as it is over.

One bad answer costs its question, one failure of the backend the next question too, and two in a
row all that follow: those are asked again later.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from ctxd.policy.reader import READER_FAILURES
from ctxd.reader import costs, prompt
from ctxd.reader.budget import SPENT, Limits
from ctxd.reader.tasks import Task
from ctxd.reader.values import (
    Ask,
    Begun,
    Called,
    Over,
    ReaderError,
    Refusal,
    Reply,
    Spent,
    Told,
    Trouble,
    Work,
)

log = logging.getLogger(__name__)

T = TypeVar("T")

Call = Callable[[Ask], Reply]
"""Makes a call; raises ReaderError."""

_PASSES: frozenset[Trouble] = frozenset({"slow", "broken", "malformed"})
"""Troubles that may be of this one question alone. Where not even a backend sees an answer, there
may be a login page or a new version in between: nothing was read."""
_NO_ANSWER: frozenset[Trouble] = frozenset({"refused", "long"})
"""Troubles that asking later would not end."""


class Asking:
    """Asks all that is to be asked of one session."""

    def __init__(self, work: Work, call: Call, tell: Callable[[Told], object]) -> None:
        self._work = work
        self._call = call
        self._tell = tell
        self._left = Limits(work.calls, work.tokens, work.money)
        self._dearest = Spent()
        """The most that a call cost: the next one may cost as much."""

    def ask_all(self, tasks: Sequence[Task]) -> None:
        """Ask what was not asked before, and say at the end how far that went."""
        known = frozenset(self._work.known)
        unread = [task for task in tasks if task.digest not in known]
        within = self._work.within
        if within is not None and len(unread) * self._work.pace > within:
            self._tell(Over(chunks=0, left=len(unread)))
            return
        done, last, failures = 0, None, 0
        for task in unread:
            try:
                self._ask(task)
            except ReaderError as error:
                last, failures = error, failures + 1
                if error.trouble not in _PASSES or failures == READER_FAILURES:
                    break
            else:
                done, failures = done + 1, 0
        self._tell(_over(done, len(unread) - done, last))

    def _ask(self, task: Task) -> None:
        """Ask one question, once more if its answer does not pass, and tell what came of it; raise
        ReaderError when that has to be done later."""
        ask = task.ask()
        try:
            faults, is_answer = self._once(task, ask)
            if faults:
                self._once_more(task, prompt.again(ask, faults), is_answer=is_answer)
        except ReaderError as error:
            if error.trouble not in _NO_ANSWER:
                raise
        self._tell(task.told())

    def _once_more(self, task: Task, ask: Ask, *, is_answer: bool) -> None:
        """Ask again; where there was an answer, what passed of it stands whatever comes now."""
        try:
            self._once(task, ask, again=True)
        except ReaderError:
            if not is_answer:
                raise

    def _once(self, task: Task, ask: Ask, *, again: bool = False) -> tuple[Sequence[Refusal], bool]:
        """Make a call and return what does not pass of its answer, and whether it is one at all."""
        self._afford(ask)
        self._tell(Begun(costs.sent_tokens(ask)))
        try:
            reply = _safely(lambda: self._call(ask))
        except ReaderError as error:
            spent = costs.unanswered(ask, self._work.prices, error.trouble)
            self._called(spent, error, again=again)
            raise
        spent = costs.spent_for(ask, reply, self._work.prices)
        try:
            faults = _safely(lambda: task.take(reply, self._name(reply)))
        except ReaderError as error:
            fault = _cut(reply) if reply.cut and error.trouble == "malformed" else error
            self._called(spent, fault, again=again)
            if fault.trouble != "malformed":
                raise
            return [Refusal("answer", fault.message)], False
        self._called(spent, None, refused=len(faults), again=again)
        return faults, True

    def _name(self, reply: Reply) -> str:
        model = reply.model or self._work.choice.model
        return " ".join(filter(None, (self._work.choice.backend, model)))

    def _afford(self, ask: Ask) -> None:
        """Raise ReaderError when a call could cost more than is left."""
        likely, left = _more(costs.at_most(ask, self._work.prices), self._dearest), self._left
        tokens = likely.input_tokens + likely.output_tokens
        if left.is_spent or left.tokens < tokens or left.money < likely.money:
            raise ReaderError("budget", SPENT)

    def _called(
        self,
        spent: Spent,
        error: ReaderError | None,
        *,
        again: bool,
        refused: int = 0,
    ) -> None:
        self._dearest = _more(self._dearest, spent)
        self._left = Limits(
            self._left.calls - 1,
            self._left.tokens - spent.input_tokens - spent.output_tokens,
            self._left.money - spent.money,
        )
        told = Called(
            spent=spent,
            trouble=error.trouble if error else None,
            message=error.message if error else "",
            retry_after=error.retry_after if error else None,
            refused=refused,
            again=again,
        )
        self._tell(told)


def _safely(action: Callable[[], T]) -> T:
    """What an action returns; a defect of ours is a failure as any other, and told in the log."""
    try:
        return action()
    except ReaderError:
        raise
    except Exception as error:
        log.exception("defect: %s", type(error).__name__)
        raise ReaderError("broken", f"internal error: {type(error).__name__}") from error


def _cut(reply: Reply) -> ReaderError:
    said = "it was cut off before its end: leave out what you are least sure of"
    return ReaderError("malformed", said if reply.text else "it is empty")


def _more(one: Spent, other: Spent) -> Spent:
    return Spent(
        max(one.input_tokens, other.input_tokens),
        max(one.output_tokens, other.output_tokens),
        max(one.money, other.money),
    )


def _over(done: int, left: int, last: ReaderError | None) -> Over:
    if last is None or not left:
        return Over(chunks=done, left=left)
    return Over(
        chunks=done,
        left=left,
        trouble=last.trouble,
        message=last.message,
        retry_after=last.retry_after,
    )
