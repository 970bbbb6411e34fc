"""Pastes that nobody marked: where in a typed message another hand's text stands.

People paste reviews, other agents' answers, mails and web pages between their own lines, and what
stands there is not their word. It is known by being introduced ("the reviewer said:"), by marks
that are not typed (an agent's bullets, its offers to go on), or by a change of hand: formal prose
in the message of somebody who types in lower case. A carefully written specification of the
user's own shows none of these. Both errors cost, so a message of which nothing would be left is
taken as the user's word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from ctxd.extract.steering import steers
from ctxd.extract.text_blocks import Block
from ctxd.extract.text_hands import SAID, Hand, Signs
from ctxd.extract.text_intros import announces_own, introduced_inside, introduces
from ctxd.policy.extraction import (
    PASTE_CHARS_MIN,
    PASTE_CONTRAST,
    PASTE_FRAGMENT_WORDS,
    PASTE_INTRO_CHARS,
    PASTE_RETURN_WORDS,
    PASTE_THIN_GROUPS,
    PASTE_THIN_SHARE,
    PASTE_THIN_WORDS,
    PASTE_THREAD_MAILS,
)

_ARROW = re.compile(r"(?:->|=>|-->|→)[ \t]+$")
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»"}
_SPECIFIES = re.compile(
    r"\b(?:spec(?:ification)?s?|requirements?|goals?|constraints?|acceptance|scope|"
    r"user stor(?:y|ies)|non-goals|tasks?|features?|plan|design|wishes|wanted|objectives?|overview|"
    r"context|background)\b",
    re.IGNORECASE,
)


def unmarked(text: str, blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Return the spans of a typed message that were pasted by the looks of it, ascending."""
    if len(text) < PASTE_CHARS_MIN or not blocks:
        return []
    signs = Signs(text)
    if len(blocks) == 1 and not signs.glyph and ":" not in text:
        return []
    return _Reader(text, blocks, signs).spans()


class _Reader:
    """Goes over the blocks of one message and follows whose hand it is."""

    def __init__(self, text: str, blocks: Sequence[Block], signs: Signs) -> None:
        self.text = text
        self.blocks = blocks
        self.hands = [Hand(text, block, signs) for block in blocks]
        self.from_inside: dict[int, int] = {}

    @cached_property
    def casual(self) -> bool:
        """Whether the message has words that were typed in passing."""
        return any(
            (one.low or one.casual) and not one.marked and not one.alien for one in self.hands
        )

    @cached_property
    def specifies(self) -> bool:
        """Whether it holds a list of the user's own."""
        return any(self._specifies(block) for block in self.blocks)

    @cached_property
    def latin(self) -> bool:
        """Whether it begins in the Latin script."""
        return next((one.latin for one in self.hands if one.words), True)

    @cached_property
    def thread(self) -> bool:
        """Whether it holds several mails."""
        return sum(one.mail for one in self.hands) >= PASTE_THREAD_MAILS

    def spans(self) -> list[tuple[int, int]]:
        """Return what was pasted."""
        pasted = self._dumped() or self._followed()
        self._answered(pasted)
        self._fill("glyph", pasted)
        self._fill("mail", pasted)
        if not any(pasted):
            return []
        own = any(
            one.words and (not there or index in self.from_inside)
            for index, (one, there) in enumerate(zip(self.hands, pasted, strict=True))
        )
        if not own and not any(one.alien for one in self.hands):
            return []
        return self._merged(pasted)

    def _followed(self) -> list[bool]:
        pasted: list[bool] = []
        inside = introduced = False
        quoted = -1
        for index in range(len(self.blocks)):
            if inside and index > quoted and self._comes_back(index, introduced=introduced):
                inside = False
            elif not inside:
                introduced = self._introduced(index)
                inside = introduced or self._other_hand(index)
                if inside:
                    quoted = self._closed_at(index)
                if inside and not introduced:
                    self._reach_back(index, pasted)
            pasted.append(inside)
        return pasted

    def _closed_at(self, index: int) -> int:
        """Return the block that ends the quotation which this one begins, or this one."""
        start = self.from_inside.get(index, self.blocks[index].start)
        closing = _QUOTES.get(self.text[start])
        if closing is None or closing in self.text[start + 1 : self.blocks[index].end]:
            return index
        following = range(index + 1, len(self.blocks))
        return next((at for at in following if self._words(self.blocks[at])[-1] == closing), index)

    def _introduced(self, index: int) -> bool:
        """Return whether the words before this block, or its first ones, announce another's."""
        block, one = self.blocks[index], self.hands[index]
        if block.kind not in SAID or not one.words:
            return False
        start = introduced_inside(self.text, block.start, block.end)
        if start:
            self.from_inside[index] = start
            return True
        before = self.blocks[index - 1]
        if not index or before.kind not in ("prose", "item") or self.hands[index - 1].alien:
            return False
        line = self._words(before).rsplit("\n", 1)[-1].rstrip()
        colon = line.endswith((":", "："))
        if not colon and (not one.opened or one.order):
            return False
        kind = introduces(line)
        if kind == "other" and (one.marked or not one.own):
            return colon or one.formal > one.casual
        return kind == "colon" and self._contrasts(one) and one.review

    def _other_hand(self, index: int) -> bool:
        block, one = self.blocks[index], self.hands[index]
        if block.kind not in SAID or not one.words:
            return False
        if one.alien or self._quoted(block):
            return True
        if index and one.latin != self.latin and one.words >= PASTE_RETURN_WORDS:
            return True
        if not self._contrasts(one):
            return False
        if one.review:
            return one.formal >= PASTE_CONTRAST
        return block.kind == "prose" and one.formal > PASTE_CONTRAST and not one.order

    def _contrasts(self, one: Hand) -> bool:
        """Return whether this is another hand's than the casual one of the message."""
        if one.low or one.casual or one.own or not one.marked:
            return False
        return self.casual and not self.specifies and (one.review or not one.wish)

    def _specifies(self, block: Block) -> bool:
        """Return whether this announces or heads a list of the user's own."""
        words = self._words(block)[-PASTE_INTRO_CHARS:]
        if block.kind != "heading" and not words.endswith((":", "：")):
            return False
        return announces_own(words) or _SPECIFIES.search(words) is not None

    def _reach_back(self, index: int, pasted: list[bool]) -> None:
        """Take neat paragraphs right before a paste, except the first, as its beginning."""
        for earlier in range(index - 1, 0, -1):
            one = self.hands[earlier]
            neat = one.formal >= PASTE_CONTRAST - 1 or self.blocks[earlier].kind == "heading"
            if not neat or one.casual or one.low or one.own or one.order:
                return
            pasted[earlier] = True

    def _quoted(self, block: Block) -> bool:
        words = self._words(block).rstrip(".,")
        closing = _QUOTES.get(words[:1])
        if closing is None or len(words) < PASTE_CHARS_MIN or not words.endswith(closing):
            return False
        return closing not in words[1:-1]

    def _comes_back(self, index: int, *, introduced: bool) -> bool:
        """Return whether the user speaks again in this block behind a paste."""
        block, one, before = self.blocks[index], self.hands[index], self.blocks[index - 1]
        last = block.paragraph == self.blocks[-1].paragraph
        goes_on = (
            block.paragraph == before.paragraph
            or (block.kind == "item" == before.kind)
            or (self.thread and not last)
        )
        if goes_on or block.kind not in ("prose", "item") or one.alien or self._quoted(block):
            return False
        if steers(self._words(block)):
            return False
        if one.words and one.latin == self.latin != self.hands[index - 1].latin:
            return True
        if one.own or one.casual > 1 or (one.casual and not one.formal):
            return not (introduced and one.review and not one.casual)
        if one.review or one.words > PASTE_RETURN_WORDS:
            return one.low and not one.marked and not introduced
        return self._speaks_shortly(block, one, sure=last or not introduced, last=last)

    def _speaks_shortly(self, block: Block, one: Hand, *, sure: bool, last: bool) -> bool:
        words = self._words(block)
        if one.order or one.casual:
            return not words.endswith(":")
        if one.low:
            return sure and len(words.split("\n", 1)[0].split()) > PASTE_FRAGMENT_WORDS
        return last and one.words > PASTE_FRAGMENT_WORDS and not one.marked

    def _answered(self, pasted: list[bool]) -> None:
        """Take what stands before an arrow as what is answered there."""
        for index in range(1, len(self.blocks)):
            block = self.blocks[index]
            lead = self.text[max(0, block.start - 4) : block.start]
            if block.paragraph == self.blocks[index - 1].paragraph or not _ARROW.search(lead):
                continue
            pasted[index] = False
            for earlier in range(index - 1, -1, -1):
                if self.hands[earlier].casual or self.hands[earlier].low:
                    break
                pasted[earlier] = True

    def _fill(self, sign: Literal["glyph", "mail"], pasted: list[bool]) -> None:
        """Take all between the first and the last sign of a terminal, or of a mail."""
        signs = [index for index, one in enumerate(self.hands) if getattr(one, sign)]
        if len(signs) > 1:
            count = signs[-1] + 1 - signs[0]
            pasted[signs[0] : signs[-1] + 1] = [True] * count

    def _dumped(self) -> list[bool]:
        """Return what is a page copied as a whole: very many groups of a few words a line."""
        if len(self.blocks) < PASTE_THIN_GROUPS:
            return []
        thin = [
            index
            for index, one in enumerate(self.hands)
            if 0 < one.words <= PASTE_THIN_WORDS * (one.text.count("\n") + 1)
        ]
        if len(thin) < PASTE_THIN_GROUPS or len(thin) < PASTE_THIN_SHARE * len(self.blocks):
            return []
        first, last = thin[0] or thin[1], thin[-1]
        return [first <= index <= last for index in range(len(self.blocks))]

    def _merged(self, pasted: Sequence[bool]) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        inside, done = False, 0
        for index, (block, there) in enumerate(zip(self.blocks, pasted, strict=True)):
            if there and inside:
                spans[-1] = (spans[-1][0], block.end)
            elif there:
                line = self.text.rfind("\n", done, block.start) + 1 or done
                spans.append((self.from_inside.get(index, max(line, done)), block.end))
            inside, done = there, block.end
        return spans

    def _words(self, block: Block) -> str:
        return self.text[block.start : block.end]
