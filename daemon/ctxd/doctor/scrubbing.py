"""Text made fit to be sent to somebody: no secrets, no names of repositories, no paths to them.

What stays of a path is where ctxd and the agents keep their own files; the rest of it is gone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from ctxd.redact import redact
from ctxd.terminal import path_text, short_path, visible

_START = r"(?:~[/\\]|/|[A-Za-z]:[/\\]|\\\\)"
_QUOTED = re.compile(rf"(?P<quote>[`'\"])(?P<path>{_START}[^`'\"\r\n]{{0,4096}})(?P=quote)")
_BARE = re.compile(rf"(?<![\w.~/\\<>`'\"])(?P<path>{_START}[^\s`'\",;()<>]{{1,4096}})")
_SYSTEM = ("/proc", "/sys", "/usr", "/etc", "/dev")
_OWN_WORDS = frozenset({"ctxd", "agents", "agent", "daemon", "log", "logs", "state", "config"})
"""Words that ctxd says of itself: a repository of that name is not told by them."""
_LEAST_NAME_CHARS = 3
_ENTRY = re.compile(r"\d{4}-\d\d-\d\dT\S+ (?:DEBUG|INFO|WARNING|ERROR|CRITICAL) ")
_FRAME = re.compile(r'  File "')
_RAISED = re.compile(r"[\w.]{1,200}(?=:|$)")


class Scrubber:
    """Takes names and paths out of texts; of one told to keep names, only secrets and the home."""

    def __init__(
        self,
        own: Iterable[PurePath],
        logs: Iterable[PurePath],
        repositories: Sequence[str] = (),
        *,
        names: bool = False,
    ) -> None:
        self._home = Path.home()
        self._own = [path_text(path) for path in own]
        self._logs = sorted((path_text(path) for path in logs), key=len, reverse=True)
        self._names = names
        self.server = ""
        """Name of the user's own server, where a reader is asked at one; empty for none."""
        bare = {PurePath(path).name for path in repositories}
        known = [name for name in bare if _is_telling(name)]
        alternatives = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        self._repositories = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)") if known else None

    def text(self, text: str) -> str:
        """The text as it may be sent."""
        text = redact(visible(text))
        text = _QUOTED.sub(lambda m: f"{m['quote']}{self.path(m['path'])}{m['quote']}", text)
        text = _BARE.sub(lambda m: self.path(m["path"]), text)
        if not self._names and self.server:
            text = text.replace(self.server, "<server>")
        if self._names or self._repositories is None:
            return text
        return self._repositories.sub("<repository>", text)

    def path(self, path: str) -> str:
        """What may be told of a path."""
        full = str(self._home) + path[1:] if path.startswith("~") else path
        if self._names or _is_below(full, (*self._own, *_SYSTEM)):
            return short_path(full, self._home)
        ending = PurePath(full).suffix if re.fullmatch(r"\.\w{1,8}", PurePath(full).suffix) else ""
        for folder in self._logs:
            if _is_below(full, (folder,)):
                inside = full != folder
                return short_path(folder, self._home) + (f"{os.sep}...{ending}" if inside else "")
        return f"<path>{ending}"

    def log(self, lines: Iterable[str]) -> list[str]:
        """Lines of the daemon's log. Of a traceback only the places and the kind of error stay,
        since its words may be those of a session."""
        kept = [line if _ENTRY.match(line) else _of_traceback(line) for line in lines]
        return [self.text(line) for line in kept if line]

    def value(self, value: object) -> object:
        """A setting's value: tables that the user fills have paths in them."""
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.value(one) for one in value]
        return self.text(value) if isinstance(value, str) else value


def _is_telling(name: str) -> bool:
    return len(name) >= _LEAST_NAME_CHARS and name.lower() not in _OWN_WORDS


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(
        path == folder or path.startswith((f"{folder}/", f"{folder}\\")) for folder in folders
    )


def _of_traceback(line: str) -> str:
    if _FRAME.match(line):
        return line
    raised = _RAISED.match(line)
    return raised[0] if raised and raised[0].endswith(("Error", "Exception", "Interrupt")) else ""
