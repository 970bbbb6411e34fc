"""What calls cost: estimated before they are made, and after them where the backend does not tell.

Tokens are counted with a vocabulary that came with the installation; models of other makers cut
text otherwise, by a tenth or two. What the program around a model adds to a prompt is its own: an
agent in headless mode sends some thousand tokens of instructions with each, and says so afterwards.
"""

from __future__ import annotations

import msgspec

from ctxd.context_files.tokens import long_counts
from ctxd.policy.reader import (
    READER_PROMPT_TOKENS_AROUND,
    READER_TOLD_MONEY,
    READER_TOLD_TOKENS,
)
from ctxd.reader.values import FOR_THE_USER, Ask, Prices, Reply, Spent, Trouble

_MILLION = 1_000_000
_NOT_TAKEN: frozenset[Trouble] = FOR_THE_USER | {"rate"}


def tokens_of(*texts: str) -> int:
    """The tokens that texts take together."""
    return sum(long_counts(texts))


def sent_tokens(ask: Ask) -> int:
    """The tokens that a question sends at least: its texts, its schema, and what is around them."""
    schema = msgspec.json.encode(ask.schema).decode()
    return tokens_of(ask.instructions, ask.text, schema) + READER_PROMPT_TOKENS_AROUND


def price(spent: Spent, prices: Prices) -> float:
    """US dollars for so many tokens; 0 where the prices are not known."""
    return (
        spent.input_tokens * prices.million_in + spent.output_tokens * prices.million_out
    ) / _MILLION


def at_most(ask: Ask, prices: Prices) -> Spent:
    """What a question costs when its answer is as long as it may be."""
    spent = Spent(sent_tokens(ask), ask.answer_tokens)
    return msgspec.structs.replace(spent, money=price(spent, prices))


def unanswered(ask: Ask, prices: Prices, trouble: Trouble) -> Spent:
    """What a question costs that came to nothing, as far as anybody can tell: what was sent, unless
    nothing was taken."""
    if trouble in _NOT_TAKEN:
        return Spent()
    spent = Spent(sent_tokens(ask))
    return msgspec.structs.replace(spent, money=price(spent, prices))


def spent_for(ask: Ask, reply: Reply, prices: Prices) -> Spent:
    """What a call cost: as the backend says, else by its texts. What it says is not believed where
    it cannot be."""
    sent, came, money = reply.input_tokens, reply.output_tokens, reply.money
    if sent is None or not 0 <= sent <= READER_TOLD_TOKENS:
        sent = sent_tokens(ask)
    if came is None or not 0 <= came <= READER_TOLD_TOKENS:
        came = tokens_of(reply.text)
    counted = Spent(sent, came)
    if money is None or not 0 <= money <= READER_TOLD_MONEY:
        money = price(counted, prices)
    return msgspec.structs.replace(counted, money=money)
