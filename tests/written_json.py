"""JSON with comments as people and programs write it, made at random."""

import json
from random import Random

from hypothesis import strategies as st

_BLANKS = ["", "", " ", "\n", "\n  ", "\r\n\t", "  "]
_COMMENTS = ["/* a, [b] */", '// it\'s "c" {\n', "/**/", "// d\r\n"]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(["// no comment", "/* nor this */", '"', "\\", "},]", "\u2028", "\U0001f980"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=5,
)


def written(value):
    """A value as texts, spaced and commented at random."""
    return st.integers(0, 2**32).map(lambda seed: _Writer(Random(seed)).whole(value))


class _Writer:
    def __init__(self, random):
        self.random = random

    def whole(self, value):
        return self.gap() + self.bare(value) + self.gap()

    def bare(self, value):
        if isinstance(value, dict):
            members = [
                self.gap() + self.scalar(key) + self.gap() + ":" + self.whole(member)
                for key, member in value.items()
            ]
            return "{" + self.joined(members) + "}"
        if isinstance(value, list):
            return "[" + self.joined([self.whole(element) for element in value]) + "]"
        return self.scalar(value)

    def scalar(self, value):
        return json.dumps(value, ensure_ascii=self.random.random() < 0.5)

    def gap(self):
        gap = self.random.choice(_BLANKS)
        if self.random.random() < 0.25:
            gap += self.random.choice(_COMMENTS) + self.random.choice(_BLANKS)
        return gap

    def joined(self, parts):
        if not parts:
            return self.random.choice(_BLANKS)
        trailing = "," if self.random.random() < 0.3 else ""
        return ",".join(parts) + trailing + self.gap()
