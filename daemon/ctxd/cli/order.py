"""What the user orders, given to the daemon; where none runs, carried out here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxd.cli.settings import current
from ctxd.errors import CtxdError, Exit

if TYPE_CHECKING:
    from ctxd.service.asking import Answer, Request


class RefusedOrderError(CtxdError):
    """An order that was not carried out, with the exit code that says why."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.message, answer.hint or "`ctxd status` shows more")
        self.exit_code = Exit(answer.exit_code)


def order(command: str, about: str, *arguments: str) -> str:
    """Have an order of `ctxd.orders` carried out and return what it says; raise CtxdError when it
    is refused."""
    from ctxd.policy.shown import FLUSH_SECONDS
    from ctxd.service.asking import Request, ask, control_address

    request = Request(command, about, arguments)
    answer = ask(control_address(current.places.runtime), request, 2 * FLUSH_SECONDS)
    answer = answer or _carried_out_here(request)
    if not answer.ok:
        raise RefusedOrderError(answer)
    return answer.message


def _carried_out_here(request: Request) -> Answer:
    import time

    from ctxd.cli.item_choice import open_ledger
    from ctxd.context_files.receipts import Receipts
    from ctxd.ledger import Ledger
    from ctxd.orders import Orders
    from ctxd.settings import load_settings
    from ctxd.status import ledger_path

    places = current.places
    open_ledger().close()  # there has to be one: none is made here
    mode_of = load_settings(places.config).mode_of
    with Ledger.open(ledger_path(places.state)) as ledger:
        orders = Orders(ledger, Receipts(places.receipts), mode_of, time.time)
        return orders.answer(request)
