"""What an item is about: the paths and symbols it names, and how grave it is to break it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ctxd.item import Kind, Severity
from ctxd.policy.extraction import LINES_REMEMBERED, SCOPE_NAMES

_NAME = re.compile(
    r"`([^`\n]{2,80})`"
    r"|(?<![\w/.@~-])(~?/?(?:[\w@.-]+/)+[\w@.-]*\w)"
    r"|(?<![\w/.-])([\w-]+\.(?:py|ts|tsx|js|jsx|go|rs|java|kt|swift|c|cc|cpp|h|hpp|cs|rb|php|sql|md|"
    r"json|ya?ml|toml|sh|css|scss|html|vue|svelte|proto|lock|env|ini|cfg|tf|ipynb))\b"
    r"|(?<![\w.])([a-z]+(?:_[a-z0-9]+)+(?:\(\))?|[a-z]+[A-Z]\w+(?:\(\))?|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)(?!\w)"
)
_URL = re.compile(r"\b[a-z][a-z+.-]{0,20}://\S+", re.IGNORECASE)
_BINDING = re.compile(
    r"\b(?:never|must(?: not|n'?t)?|under no circumstances|always|nie(?:mals)?|nunca|jamais|"
    r"никогда|"
    r"не должн\w+)\b|绝不|必须|決して|絶対"
)
_GRAVE = re.compile(
    r"\b(?:delet\w+|drop(?:s|ped|ping)? (?:the )?(?:table|database|db|data)|destroy\w*|"
    r"overwrit\w+|force[- ]?push\w*|reset --hard|rm -rf|truncat\w+|prod(?:uction)?|data loss|"
    r"secrets?|passwords?|credentials?|tokens?|api keys?|private keys?|encrypt\w*|security|"
    r"vulnerab\w+|pii|gdpr|backups?|irreversib\w+|migrat\w+)\b"
)
_FORBIDS = re.compile(
    r"\b(?:don'?t|do not|no|not|never|without|only|avoid|stop|must|always|keep|nicht|kein\w*|no|"
    r"ne|pas|não|не)\b|不要|别|禁止|しない"
)


def names(texts: Iterable[str], paths: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the paths and symbols that texts name, in their order, then those touched."""
    found: dict[str, None] = {}
    for text in texts:
        found |= dict.fromkeys(_named(text))
    found |= dict.fromkeys(paths)
    return tuple(found)[:SCOPE_NAMES]


@lru_cache(LINES_REMEMBERED)
def _named(text: str) -> tuple[str, ...]:
    if "://" in text:
        text = _URL.sub(" ", text)
    said = (match[match.lastindex or 0] for match in _NAME.finditer(text))
    return tuple(name for name in said if " " not in name and any(map(str.isalpha, name)))


def severity_of(kind: Kind, text: str) -> Severity:
    """`critical` for a rule that says never or must, or that guards data, secrets or production."""
    if kind not in ("constraint", "correction", "scope", "rejection", "decision"):
        return "normal"
    text = text.lower()
    binding = bool(_BINDING.search(text)) and kind in ("constraint", "correction", "scope")
    guards = bool(_GRAVE.search(text)) and bool(_FORBIDS.search(text))
    return "critical" if binding or guards else "normal"
