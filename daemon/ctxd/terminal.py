"""Text on a terminal: the one place where words of sessions, paths and logs become output.

Whatever reaches a stream passes `visible` here: control characters, escape sequences, text that
reorders or hides other text, and half characters come out as visible escapes. Nothing is ever read
as markup. Columns are plain, without boxes; colour never carries a meaning alone. Where the output
is no terminal nothing is cut.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, TextIO

if TYPE_CHECKING:
    from rich.console import Console

Colour = Literal["auto", "always", "never"]
Span = str | tuple[str, str]
"""A piece of a line: text, or text and a style (rich's words for one)."""

_HIDDEN = (
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"  # format characters
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\uffa0"  # blank though letters or marks
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, bidi, separators
    "\ufe00-\ufe0d\U000e0100-\U000e01ef"  # variation selectors but the two for text and emoji
    "\ud800-\udfff"  # halves of characters
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f"  # tags: a whole hidden alphabet
    "]"
)
_SPACES = re.compile(r"[ \t\r\n\f\v\x85\u2028\u2029]+")


def visible(text: str) -> str:
    """The text with everything that acts on a terminal, or hides in it, as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_HIDDEN, _escape, text)


def one_line(text: str) -> str:
    """The text made visible, with runs of spaces and line ends as one space."""
    return visible(_SPACES.sub(" ", text).strip())


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "backslashreplace").decode("ascii")


def visible_json(data: bytes) -> bytes:
    """The same JSON for a terminal: what would act on it as JSON's own escapes."""
    import json

    text = data.decode("utf-8")
    return re.sub(_HIDDEN, lambda match: json.dumps(match[0])[1:-1], text).encode("utf-8")


def path_text(path: str | PurePath) -> str:
    r"""A path as text that UTF-8 can carry; bytes of a name that are no text come as `\xff`."""
    text = str(path)
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "backslashreplace")
    return data.decode("utf-8", "backslashreplace")


def short_path(path: str | PurePath, home: str | PurePath) -> str:
    """A path as people write it, with `~` for the home folder."""
    text, base = path_text(path), path_text(home).rstrip("/\\")
    if base and (text == base or text.startswith((base + "/", base + "\\"))):
        return "~" + text[len(base) :]
    return text


def wants_colour(choice: Colour, *, is_terminal: bool, variables: Mapping[str, str]) -> bool:
    """The flag beats NO_COLOR beats FORCE_COLOR beats what the output is; empty variables count
    as unset (no-color.org, force-color.org)."""
    if choice != "auto":
        return choice == "always"
    if variables.get("NO_COLOR"):
        return False
    if variables.get("FORCE_COLOR"):
        return True
    return is_terminal and variables.get("TERM") != "dumb"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


class Terminal:
    """One output stream and what it can show."""

    def __init__(
        self,
        stream: TextIO,
        colour: Colour = "auto",
        variables: Mapping[str, str] = os.environ,
    ) -> None:
        self.stream = stream
        self.is_terminal = stream.isatty()
        self.colour = wants_colour(colour, is_terminal=self.is_terminal, variables=variables)
        self.encoding = stream.encoding or "utf-8"
        self.width = _columns() if self.is_terminal else None
        """Columns to fill; None where there is no edge to cut at."""
        self.ellipsis = "\N{HORIZONTAL ELLIPSIS}" if self._can_show("\u2026") else "..."
        self._console: Console | None = None

    def show(self, text: str) -> str:
        """The text as this stream will write it, so that it can be measured."""
        text = visible(text)
        if text.isascii():
            return text
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def print(self, *spans: Span) -> None:
        """Write one line."""
        parts = [self._part(span) for span in spans]
        if not self.colour:
            self.stream.write("".join(text for text, _ in parts).rstrip(" ") + "\n")
            return
        from rich.text import Text

        line = Text.assemble(*parts)
        line.rstrip()
        self._coloured().print(line, soft_wrap=True)

    def _part(self, span: Span) -> tuple[str, str]:
        text, style = (span, "") if isinstance(span, str) else span
        return self.show(text), style

    def cut(self, text: str, width: int, *, keep_end: bool = False) -> str:
        """The text as shown, at most `width` columns wide, with an ellipsis where some is gone."""
        text = self.show(text)
        if cells(text) <= width and len(text) <= width * _MARKS_PER_CELL:
            return text
        room = width - len(self.ellipsis)
        if room < 0:
            return self.ellipsis[:width]
        if keep_end:
            return self.ellipsis + _fitting(text[::-1], room)[::-1]
        return _fitting(text, room).rstrip(" ") + self.ellipsis

    def _can_show(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def _coloured(self) -> Console:
        if self._console is None:
            self._console = _console(self.stream)
        return self._console


def _columns() -> int:
    import shutil

    return shutil.get_terminal_size().columns


_MARKS_PER_CELL = 4
"""Characters a column may hold: combining marks take no width, and thousands can stand on one."""


def _fitting(text: str, width: int) -> str:
    used, taken = 0, []
    for character in text[: max(width, 0) * _MARKS_PER_CELL]:
        used += cells(character)
        if used > width:
            break
        taken.append(character)
    return "".join(taken)


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    class PlainConsole(Console):
        """Leaves a closed pipe to the caller."""

        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - called while the error is handled

    return PlainConsole(
        file=stream,
        force_terminal=True,
        color_system="standard",
        no_color=False,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=None if sys.platform == "win32" else False,
    )


def prepare_streams() -> None:
    """Make stdout and stderr of this process carry any text, whatever its locale is."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open to the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
