"""A message cut into blocks and sentences; what the speaker said told apart from what is shown.

Code, diffs, logs, quotes and pastes are blocks of their own and never hold sentences. Offsets are
those of the text as it is in the event: nothing is normalised, so that evidence stays verbatim.
Markdown is read as people and agents write it to each other, not as the standard has it: a list
needs no blank line, an option may be a paragraph, a log needs no fence. No text raises, and all
work is linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxd.extract.sentences import SPOKEN, Sentence, sentences
from ctxd.extract.text_blocks import Block, BlockKind, structure
from ctxd.extract.text_frames import frames
from ctxd.extract.text_pastes import unmarked

__all__ = ["SPOKEN", "Block", "BlockKind", "Sentence", "blocks", "own_words", "sentences"]

_PLACEHOLDER = re.compile(
    r"\[(?:Image|Screenshot|File|Attachment) ?#?\d{0,4}\]|\[image\]|"
    r"\[(?:Pasted|\.{3}Truncated) text #?\d{0,4}[^\]\n]{0,40}\]|"
    r"<image name=[^>\n]{0,300}>|</image>"
)


def blocks(text: str, pasted: Sequence[tuple[int, int]] = (), *, typed: bool = True) -> list[Block]:
    """Return the blocks of a message, of which these spans were marked as pasted.

    `typed` is for what a user typed: then paragraphs that nobody marked, but that read like another
    hand's, are pastes too. An agent's text is read with `typed=False`.
    """
    known = [*pasted, *frames(text)] if typed else pasted
    found = structure(text, known)
    spans = unmarked(text, found) if typed else []
    return structure(text, [*known, *spans]) if spans else found


def own_words(text: str, pasted: Sequence[tuple[int, int]] = ()) -> str:
    """Return what is left of a user's message without what is shown and without placeholders."""
    parts = [
        _PLACEHOLDER.sub(" ", text[block.start : block.end]).strip()
        for block in blocks(text, pasted)
        if block.kind in SPOKEN
    ]
    return "\n".join(part for part in parts if part)
