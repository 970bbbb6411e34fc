"""The words of notices: what was dropped, the worst first, and what was done about it.

Texts of sessions are data here as everywhere: redacted once more, on one line, with what would act
or hide in them as visible escapes, and cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxd.item import Kind
from ctxd.notify.losses import Loss, of_severity
from ctxd.notify.values import Notice, Urgency
from ctxd.policy.daemon import SHORT_ID_CHARS
from ctxd.policy.notices import (
    DIGEST_LINES,
    NOTICE_BODY_CHARS,
    NOTICE_ITEM_CHARS,
    NOTICE_REPOSITORY_CHARS,
    NOTICE_TITLE_CHARS,
)
from ctxd.redact import redact
from ctxd.retention.values import Answer
from ctxd.terminal import one_line

_NAMES: dict[Kind, tuple[str, str]] = {
    "constraint": ("constraint", "constraints"),
    "scope": ("limit of scope", "limits of scope"),
    "rejection": ("rejection", "rejections"),
    "correction": ("correction", "corrections"),
    "decision": ("decision", "decisions"),
}
_DID: dict[Answer, str] = {"changed": "changed", "weakened": "weakened"}
LOOK = "see: ctxd compactions"
_CONFLICT = "conflict:"
"""How keys of such notices begin; others begin with an agent's name."""


def notice_of(key: str, found: Sequence[Loss], done: str = "") -> Notice:
    """The notice of one compaction; `found` is not empty and has the worst first, `done` says what
    was done about it, or what can be."""
    first = found[0]
    lines = [short(first.text, NOTICE_ITEM_CHARS)]
    if first.passage:
        lines.append(f"it now says: {short(first.passage, NOTICE_ITEM_CHARS)}")
    if len(found) > 1:
        lines.append(f"and {len(found) - 1} more")
    lines.append(" - ".join(filter(None, (repository_name(first.repository), done or LOOK))))
    return made(key, f"Compaction {_did(found)} {_what(found)}", lines, of_severity(found))


def digest_of(key: str, held: Sequence[Notice]) -> Notice:
    """One notice for several that were held back; the worst first, each by its first line."""
    worst = sorted(held, key=lambda one: one.urgency != "critical")
    lines = [one.body.partition("\n")[0] for one in worst[:DIGEST_LINES]]
    if len(worst) > len(lines):
        lines.append(f"and {len(worst) - len(lines)} more")
    lines.append(LOOK)
    mixed = any(one.key.startswith(_CONFLICT) for one in held)
    what = "notices were held back" if mixed else "compactions dropped what was agreed"
    return made(key, f"{len(held)} {what}", lines, worst[0].urgency)


def conflict_of(root: str, why: str, day: int) -> Notice:
    """A worktree whose files are left to the user, once a day; `why` is in ctxd's own words."""
    name = repository_name(root)
    lines = [short(why, NOTICE_ITEM_CHARS), f"{name} - see: ctxd diff"]
    return made(f"{_CONFLICT}{root}:{day}", f"ctxd does not write to {name}", lines, "normal")


def look(session: str) -> str:
    """Where all of what a session lost can be seen."""
    return f"{LOOK} {one_line(session)[:SHORT_ID_CHARS]}"


def made(key: str, title: str, lines: Sequence[str], urgency: Urgency) -> Notice:
    """A notice of lines that are short already."""
    body = "\n".join(lines)[:NOTICE_BODY_CHARS]
    return Notice(key, short(title, NOTICE_TITLE_CHARS), body, urgency)


def short(text: str, most: int) -> str:
    """A text of a session on one line of so many characters, which does nothing but be read."""
    line = one_line(redact(text))
    return line if len(line) <= most else line[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def repository_name(repository: str) -> str:
    """The last part of where a repository is."""
    name = repository.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return short(name, NOTICE_REPOSITORY_CHARS)


def _did(found: Sequence[Loss]) -> str:
    [answer, *others] = {one.answer for one in found}
    return "dropped" if others else _DID.get(answer, "dropped")


def _what(found: Sequence[Loss]) -> str:
    [kind, *others] = {one.kind for one in found}
    one, many = _ANY if others else _NAMES.get(kind, _ANY)
    return f"{len(found)} {one if len(found) == 1 else many}"


_ANY = ("agreed point", "agreed points")
