"""At signs, which agents' programs follow: they put in what stands at an `@path` of a prompt.

That would send files that the session only names, wherever they are; agents do so before any tool
could be asked for, and have no setting against it. Hence every at sign goes out as its full-width
twin, which reads the same, and comes back as itself.
"""

from __future__ import annotations

import re

_AT = "@"
_TWIN = "\N{FULLWIDTH COMMERCIAL AT}"
_TWINS = re.compile(_TWIN + r"|\\u[fF][fF]20")
"""It, and as JSON may write it."""


def hidden(prompt: str) -> str:
    """A prompt in which nothing is a path to be followed."""
    return prompt.replace(_AT, _TWIN)


def shown(answer: str) -> str:
    """What was answered to such a prompt, with the signs as they were."""
    return _TWINS.sub(_AT, answer)
