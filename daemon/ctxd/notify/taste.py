"""Whether an item is a matter of taste: how things are written, not what they do.

A summary that drops it does no harm that a person has to be called for. Told in English, by names
of such matters; whatever is not surely one of them is told of.
"""

from __future__ import annotations

import re

from ctxd.policy.notices import NOTICE_TASTE_CHARS

_TASTE = re.compile(
    r"\b(?:"
    r"(?:single|double|curly|straight|smart)[- ]quot(?:es?|ed)"
    r"|semi-?colons?|(?:trailing|oxford) commas?|em[- ]?dash(?:es)?"
    r"|indent(?:s|ed|ing|ation)?|tabs? (?:over|not|instead of|or|for) spaces?"
    r"|spaces? (?:over|not|instead of|or) tabs?|line[- ]lengths?|blank lines?|white ?space"
    r"|camel[-_ ]?cased?|snake[-_ ]?cased?|kebab[-_ ]?cased?|pascal[-_ ]?cased?"
    r"|(?:title|sentence|upper|lower)[-_ ]?cased?"
    r"|emojis?|wording|phras(?:e|ing)|tone|bullet points?"
    r"|(?:code|coding|writing) style|(?:code )?formatting|prettier"
    r")\b",
    re.IGNORECASE,
)


def is_taste(text: str) -> bool:
    """Whether an item's line is about how things are written."""
    return _TASTE.search(text[:NOTICE_TASTE_CHARS]) is not None
