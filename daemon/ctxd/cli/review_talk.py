"""The dialog of `ctxd review`: one item after another, a key and Enter for each.

Each answer is carried out at once, so that whoever stops halfway has lost nothing.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ctxd.cli import words
from ctxd.cli.item_page import ItemPage
from ctxd.cli.order import order
from ctxd.item_report import shown_item
from ctxd.terminal import one_line

if TYPE_CHECKING:
    from ctxd.item_report import ShownItem
    from ctxd.ledger import KeptItem, Reader
    from ctxd.terminal import Terminal

_KEYS = {
    "a": "accept",
    "e": "edit",
    "r": "reject",
    "s": "skip",
    "f": "full text",
    "q": "quit",
}
_ASKED = ", ".join(f"[{key}]{name[1:]}" for key, name in _KEYS.items()) + ": "


class ReviewTalk:
    """Asks about items until all are through or the user has enough."""

    def __init__(self, out: Terminal, reader: Reader, found: Sequence[KeptItem]) -> None:
        self._out = out
        self._reader = reader
        self._found = found
        self._done: Counter[str] = Counter()
        self._answers: dict[str, Callable[[KeptItem], bool]] = {
            "a": lambda kept: self._decide(kept, "accepted"),
            "e": self._edit,
            "r": lambda kept: self._decide(kept, "rejected"),
            "s": lambda _kept: True,
            "f": self._show_all,
        }

    def run(self) -> None:
        """Ask, then say what came of it."""
        for number, kept in enumerate(self._found, 1):
            place = f"{words.number(number)} of {words.number(len(self._found))}"
            ItemPage(self._out, self._shown(kept), full=False).print_briefly(place)
            self._out.print()
            if not self._ask_about(kept):
                break
        self._conclude()

    def _ask_about(self, kept: KeptItem) -> bool:
        """Whether to go on."""
        while True:
            answer = self._answer()
            if answer == "q":
                return False
            act = self._answers.get(answer)
            if act is None:
                self._out.print(("one of these letters, then Enter", "dim"))
            elif act(kept):
                self._out.print()
                return True

    def _answer(self) -> str:
        """The first letter of what the user typed; `q` where they have hung up."""
        try:
            typed = input(_ASKED).strip().lower()
        except EOFError:
            self._out.print()
            return "q"
        return typed[:1] if typed[:1] in _KEYS and _KEYS[typed[0]].startswith(typed) else "?"

    def _edit(self, kept: KeptItem) -> bool:
        """Have the user word it anew; whether they did."""
        known = self._out.show(one_line(kept.state.text))
        with _begun_with(known), contextlib.suppress(EOFError):
            text = one_line(input("new wording: "))
            if text and text != known:
                return self._decide(kept, "edited", text)
        self._out.print(("left as it was", "dim"))
        return False

    def _decide(self, kept: KeptItem, verdict: str, *text: str) -> bool:
        order("decide", kept.repository, verdict, kept.id, *text)
        self._done[verdict] += 1
        return True

    def _show_all(self, kept: KeptItem) -> bool:
        ItemPage(self._out, self._shown(kept), full=True).print()
        self._out.print()
        return False

    def _shown(self, kept: KeptItem) -> ShownItem:
        return shown_item(kept, self._reader)

    def _conclude(self) -> None:
        told = [f"{words.number(count)} {verdict}" for verdict, count in self._done.items()]
        left = len(self._found) - self._done.total()
        told += [f"{words.number(left)} left"] if left else []
        self._out.print(", ".join(told))
        if self._done.total() > self._done["rejected"]:
            self._out.print(("hint:", "cyan"), " `ctxd diff` shows what is to be written")


@contextlib.contextmanager
def _begun_with(text: str) -> Iterator[None]:
    """Have the next line that is typed begin with a text, where the system can do that."""
    try:
        import readline
    except ImportError:
        yield
        return
    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        yield
    finally:
        readline.set_startup_hook()
