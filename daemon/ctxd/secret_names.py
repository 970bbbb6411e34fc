"""Values that stand where a secret is assigned: `DB_PASSWORD=x`, `"apiKey": "x"`, `--token x`.

The name alone proves nothing: code and prose are full of `password: string`, `token = next()` and
`apiKey: import.meta.env.VITE_API_KEY`. So the value decides, and how much it has to look like a
secret depends on the form: an environment line or a flag is believed, code and prose are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ctxd.policy.daemon import (
    SECRET_KEY_CHARS,
    SECRET_LONG_KEY_CHARS,
    SECRET_LONG_NUMBER_CHARS,
    SECRET_NAME_CHARS,
    SECRET_PASSWORD_CHARS,
    SECRET_SHORT_PASSWORD_CHARS,
    SECRET_VALUE_CHARS,
)

Form = Literal["environment", "given", "quoted", "loose"]
"""How a value is assigned.

`environment`: `DB_PASSWORD=x`, where any text can follow. `given`: a flag (`--token x`), a part of
a query (`?token=x`) or of a connection string (`;Pwd=x`). `quoted`: in code or JSON. `loose`: bare,
in code, YAML or prose.
"""

_STEMS = ("pass", "pwd", "secret", "token", "credential", "key")
"""What a telling name holds; found first, since a search for literals is the fastest there is."""
_WORD = re.compile(
    r"pass(?:w(?:or)?d|phrase|code)?|pwd|secret(?![ _-]?key)|token|credential|key", re.IGNORECASE
)
_KEY_OF = re.compile(
    r"(?:(?:api|access|secret|private|auth|signing|encryption|master|account)(?:[_-]?access)?[ _-]?"
    r"|(?:storage|session|service|app|deploy|license|webhook)(?:[_-]?role)?[_-]?)\Z",
    re.IGNORECASE,
)
"""What stands before `key` when it is one to keep: not a cache's, a table's or a map's."""
_JOINT = re.compile(
    r"""
    (?: [_-] (?: prod | production | dev | staging | stage | test | live | old | new | base
      | base64 | b64 | \d{1,3} ) )?
    (?P<joint>
      (?: \\? ["'`] )? \]?
      (?: \s? : \s? [a-z_] [\w\[\]|.]{0,40} (?= \s* = (?!=) ) )?   # a type between name and value
      [^\S\n]{0,8} (?: := | => | =(?!=) | :(?!:) | \bis:? [^\S\n] ) [^\S\n]{0,8}
      | [^\S\n]{1,4} )
    (?: [bfr]? (?P<quote> \\? ["'`] ) )?
    (?= [^\s"'`\\] )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NAME_BEFORE = re.compile(r"[\w.-]*\Z")
_TO_SPACE = re.compile(r"[^\s\"'`]+")
_TO_SIGN = re.compile(r"[^\s\"'`\\,;&)}\]<>|]+")
_STAND_IN = "[redacted:"

_REFERENCE = re.compile(r"[A-Za-z_@]\w*(?:(?:\??\.|::|->)[A-Za-z_]\w*)+(?:\[.*)?|\w+\[.*")
_CALL = re.compile(r"[A-Za-z_][\w.]*\(")
_ROOTS = (
    "process.",
    "os.",
    "import.",
    "env.",
    "secrets.",
    "settings.",
    "config.",
    "self.",
    "this.",
)
_PATH = re.compile(r"(?:~|\.{0,2})/[\w.@~-]+(?:/[\w.@~-]+)*/?|[A-Za-z]:[\\/].*|https?:.*")
_PLACEHOLDER = re.compile(
    r"\$[A-Za-z_({]|%\w+%|<|\{|\*|\[|\.\.|…|x{3,}|-{2}"
    r"|(?:none|null|nil|true|false|undefined|redacted|hidden)\Z",
    re.IGNORECASE,
)
_CODE_OR_PROSE = re.compile(
    r"[(#&@|!]"
    r"|(?:string|str|bytes|int|bool|boolean|number|any|object|optional|required|your|my|the|change"
    r"|example|placeholder|self|this|await|new|get|env|process|secrets?)\b",
    re.IGNORECASE,
)


def named_secrets(text: str, folded: str) -> Iterator[tuple[int, int]]:
    """Where in a text the values of secret names stand; `folded` is the text in lower case."""
    for stem in _STEMS:
        position = folded.find(stem)
        while position >= 0:
            found = _assigned(text, position)
            if found:
                yield found
            position = folded.find(stem, position + len(stem))


def _assigned(text: str, position: int) -> tuple[int, int] | None:
    """The value assigned to the name whose telling word begins at `position`."""
    found = _WORD.match(text, position)
    match = _JOINT.match(text, found.end()) if found else None
    if not found or not match:
        return None
    word, before = found[0], _name_before(text, position)
    if word.lower() == "key" and not _KEY_OF.search(
        text, max(0, position - SECRET_NAME_CHARS), position
    ):
        return None
    form = _form(text, position - len(before), match, word, before)
    start = match.end()
    value = _value(text, start, match["quote"], form)
    if value and form and _is_secret(word, value, form, quoted=bool(match["quote"])):
        return start, start + len(value)
    return None


def _name_before(text: str, start: int) -> str:
    found = _NAME_BEFORE.search(text, max(0, start - SECRET_NAME_CHARS), start)
    return found[0] if found else ""


def _form(text: str, start: int, match: re.Match[str], word: str, before: str) -> Form | None:
    """How the value is assigned; None when nothing is."""
    joint, lead = match["joint"], text[max(0, start - 1) : start]
    is_given = before.startswith("--") or (lead in {"?", "&", ";"} and joint == "=")
    if word.lower() in {"pass", "pwd"} and not _is_part_of_name(word, before) and lead != ";":
        return None
    if text.endswith(_STAND_IN, 0, start):
        return None
    if joint.isspace():
        return "given" if before.startswith("--") else None
    if word.isupper() and (joint == "=" or (joint.strip() == ":" and before)):
        return "environment"
    if is_given:
        return "given"
    return "quoted" if match["quote"] else "loose"


def _is_part_of_name(word: str, before: str) -> bool:
    """Whether `pass` or `pwd` ends a name; alone, one is a word of its own, the other a folder."""
    return bool(before) and (before[-1] in "_-." or word[0].isupper())


def _value(text: str, start: int, quote: str | None, form: Form | None) -> str:
    """The value that begins at `start`; empty for a quoted one with spaces: a sentence."""
    if quote:
        end = text.find(quote[-1], start, start + SECRET_VALUE_CHARS)
        value = text[start:end].removesuffix("\\") if end > 0 else ""
        if value:
            return "" if re.search(r"\s", value) else value
    shape = _TO_SPACE if form == "environment" else _TO_SIGN
    found = shape.match(text, start, start + SECRET_VALUE_CHARS)
    return found[0].rstrip(".,;:!?)") if found else ""


def _is_secret(word: str, value: str, form: Form, *, quoted: bool) -> bool:
    if _PLACEHOLDER.match(value) or _CALL.match(value) or value.startswith(_ROOTS):
        return False
    if _PATH.fullmatch(value) and not _is_strong(value):
        return False
    is_password = word.lower().startswith(("pass", "pwd"))
    if form in {"environment", "given"}:
        return is_password or _is_believable(value)
    if _CODE_OR_PROSE.match(value):
        return False
    if quoted:
        least = SECRET_SHORT_PASSWORD_CHARS if is_password else SECRET_KEY_CHARS
        return len(value) >= least and (is_password or _is_mixed(value))
    return not _REFERENCE.fullmatch(value) and _is_believable(value) and _is_mixed(value)


def _is_believable(value: str) -> bool:
    """Neither a small number (a limit, a count) nor too short to be a key."""
    return len(value) >= SECRET_PASSWORD_CHARS and not (
        value.isdigit() and len(value) < SECRET_LONG_NUMBER_CHARS
    )


def _is_mixed(value: str) -> bool:
    """More than a word or a path: it has a digit, or a sign that no name has."""
    return any(char.isdigit() or not (char.isalpha() or char in "_-.:/") for char in value)


def _is_strong(value: str) -> bool:
    """As long and as mixed as a key, even where it could be a path too."""
    has_digit = any(char.isdigit() for char in value)
    return (
        len(value) >= SECRET_LONG_KEY_CHARS
        and has_digit
        and value.lower() != value != value.upper()
    )
