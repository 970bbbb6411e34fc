"""What stands behind an item that a reader found: who said it, and whether that binds anybody.

The user's words bind; the agent's do when the user's accept them. Words that speak to a reader, and
what an agent merely reports, bind nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxd.extract import dialogs
from ctxd.extract.acts import acts, language
from ctxd.extract.passed_on import lies_in, others_views, own_voice, retold, samples
from ctxd.extract.proposals import is_operational
from ctxd.extract.steering import steers
from ctxd.extract.terms import content
from ctxd.item import Authority, Evidence
from ctxd.policy.extraction import LEAST_CONTENT
from ctxd.policy.reader import (
    READER_ANSWER_CONTENT,
    READER_NEAR_TURNS,
    READER_QUOTE_CHARS,
    READER_STATEMENT_SHARE,
)
from ctxd.reader.answer import FoundItem
from ctxd.reader.meddling import (
    is_own_voice,
    is_quotation,
    presumes,
    speaks_for_itself,
    told,
)
from ctxd.reader.quotes import Quoted, find, sentences_of
from ctxd.reader.statements import Basis, shared
from ctxd.reader.values import Part, Turn
from ctxd_parsers.events import PlanDecided, QuestionAnswered


class RefusedError(Exception):
    """A part of an answer that does not count."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field
        self.why = why


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The words behind an item."""

    turn: Turn
    binding: Quoted
    proposal: Quoted | None
    authority: Authority
    """As far as the speakers go."""
    basis: Basis
    why_not: str = ""
    """Why the binding words accept nothing; empty where they may."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The binding words, then the proposal."""
        speaker = (
            "agent" if self.authority == "agent" or _is_plan(self.turn, self.binding) else "user"
        )
        found = [_evidence(self.turn, self.binding, speaker)]
        if self.proposal is not None and self.proposal != self.binding:
            found.append(_evidence(self.turn, self.proposal, "agent"))
        return tuple(found)

    def authority_of(self, statement: str) -> Authority:
        """Whose word a statement is: the user's only where the user's own words carry it, or turn
        it down."""
        if self.authority != "user" or not self.basis.proposed or self.basis.turns_down:
            return self.authority
        if shared(statement, self.binding.around) >= READER_STATEMENT_SHARE:
            return "user"
        if self.why_not:
            raise RefusedError("quote", self.why_not)
        return "confirmed"


def standing(found: FoundItem, turns: Sequence[Turn]) -> Standing:
    """Return what stands behind an item; raise RefusedError when that is nothing.

    `turns` are those that were shown, in their order.
    """
    turn = next((one for one in turns if one.number == found.turn), None)
    if turn is None:
        raise RefusedError("turn", "there is no such turn")
    until = [one for one in turns if one.number <= turn.number]
    near = [one for one in until if turn.number - READER_NEAR_TURNS <= one.number]
    around = _Around(turn, near[:-1], until[: -len(near)])
    proposal = _proposal(found, near)
    if found.authority == "agent":
        return _agents(found, around, proposal)
    binding = _binding(found, turn)
    if _is_plan(turn, binding):
        _check_agent(binding, turn.user)
        basis = around.basis(binding, turn.user, proposed=proposal.around if proposal else "")
        return Standing(
            turn=turn, binding=binding, proposal=proposal, authority="confirmed", basis=basis
        )
    return _users(found, around, binding, proposal)


class _Around(msgspec.Struct, frozen=True):
    """The exchange that an item is of, and what was shown before it."""

    turn: Turn
    near: Sequence[Turn]
    """Those right before it."""
    before: Sequence[Turn]
    """All that came before these."""

    def basis(self, binding: Quoted, agent: Sequence[Part], **more: Any) -> Basis:
        """What a statement may rest on that these words bind; `agent` are the pieces of the
        exchange that an agent wrote."""
        return Basis(
            quote=binding.text,
            binding=binding.around,
            shown=_trusted(self.turn, agent),
            near="\n".join(_trusted(one, one.agent) for one in self.near),
            before="\n".join(_trusted(one, one.agent) for one in self.before),
            is_wary=_is_wary(self.turn),
            **more,
        )


def _users(found: FoundItem, around: _Around, binding: Quoted, proposal: Quoted | None) -> Standing:
    """What the user's words bind: by themselves, or with the proposal that they answer."""
    turn = around.turn
    does = _deeds(turn, binding)
    proposed = _proposed(turn, binding, proposal)
    confirms = found.authority == "confirmed" and bool(proposed)
    why_not = _accepts_not(does, binding, proposal, turn)
    if confirms and why_not:
        raise RefusedError("quote", why_not)
    basis = around.basis(
        binding,
        turn.agent,
        proposed=proposed,
        confirms=confirms,
        turns_down=bool(does & _TURNS_DOWN) and not does & _AGREES,
    )
    return Standing(
        turn=turn,
        binding=binding,
        proposal=proposal,
        authority="confirmed" if confirms else "user",
        basis=basis,
        why_not=why_not,
    )


def _agents(found: FoundItem, around: _Around, proposal: Quoted | None) -> Standing:
    """What the agent alone said."""
    turn = around.turn
    quoted = _located(found.quote, turn.agent, "quote", missing=proposal is not None) or proposal
    if quoted is None:
        raise RefusedError("quote", "the agent did not say this in that turn")
    _check_agent(quoted, turn.agent)
    if not speaks_for_itself(quoted.around):
        raise RefusedError("quote", "the agent does not say that it chooses this")
    basis = around.basis(quoted, turn.agent)
    return Standing(turn=turn, binding=quoted, proposal=None, authority="agent", basis=basis)


def _binding(found: FoundItem, turn: Turn) -> Quoted:
    quoted = _located(found.quote, turn.user, "quote")
    if quoted is None:
        raise RefusedError("quote", "the user did not say this, word for word, in that turn")
    if steers(quoted.part.text):
        raise RefusedError("quote", "these words speak to a reader; what is read is data")
    if is_quotation(quoted.part.text, quoted.start):
        raise RefusedError("quote", "the user quotes somebody else here")
    if lies_in(others_views(quoted.part.text), quoted.start, quoted.end):
        raise RefusedError("quote", "the user tells here what somebody else says or wants")
    if lies_in(samples(quoted.part.text), quoted.start, quoted.end):
        raise RefusedError("quote", "these words are to be written somewhere, or are an example")
    if _is_unseen(turn, quoted):
        raise RefusedError("quote", "these words stand in or beside a comment that nobody sees")
    return quoted


def _proposal(found: FoundItem, near: Sequence[Turn]) -> Quoted | None:
    """The proposal, where it is quoted: in the turn named, else in one near it."""
    if not (found.proposal_quote or "").strip():
        return None
    wanted = found.from_turn if found.from_turn is not None else found.turn
    if wanted > found.turn and found.authority != "user":
        raise RefusedError("from_turn", "a proposal comes before the words that accept it")
    named = [one for one in near if one.number == wanted]
    for turn in [*named, *reversed(near)]:
        quoted = _located(found.proposal_quote or "", turn.agent, "proposal_quote")
        if quoted is not None and found.authority == "user" and _is_void(quoted, turn.agent):
            return None
        if quoted is not None:
            _check_agent(quoted, turn.agent)
            return quoted
    if found.authority == "user":
        return None
    if (asked := _asked_by(found.proposal_quote or "", near[-1])) is not None:
        return asked
    raise RefusedError(
        "proposal_quote", "the agent did not say this, word for word, there or before"
    )


def _asked_by(quote: str, turn: Turn) -> Quoted | None:
    """The question of a dialog, where a quote is of one of its options: these are told in notes,
    and stand in no message."""
    line = " ".join(quote.split()).rstrip(".\u2026 ")
    if not line or not any(line in note for note in turn.notes):
        return None
    dialogs_of = {one.id for one in turn.said.answer if isinstance(one, QuestionAnswered)}
    asked = [part for part in turn.agent if part.event in dialogs_of]
    return Quoted(asked[-1], 0, len(asked[-1].text)) if asked else None


def _located(
    quote: str, parts: Sequence[Part], field: str, *, missing: bool = False
) -> Quoted | None:
    if len(quote) > READER_QUOTE_CHARS:
        raise RefusedError(field, f"is longer than {READER_QUOTE_CHARS} characters")
    if not quote.strip() and not missing:
        raise RefusedError(field, "is empty")
    return find(quote, parts)


def _check_agent(quoted: Quoted, parts: Sequence[Part]) -> None:
    """Raise RefusedError for an agent's words that carry nothing."""
    if why := _is_void(quoted, parts):
        raise RefusedError("proposal_quote", why)


def _is_void(quoted: Quoted, parts: Sequence[Part]) -> str:
    """Why an agent's words carry nothing; empty where they do."""
    if steers(quoted.part.text):
        return "these words speak to a reader; what is read is data"
    if presumes(quoted.around):
        return "only the user's own words may ask for this"
    if quoted.end > _reported(quoted.part, parts) or is_quotation(quoted.part.text, quoted.start):
        return "the agent reports this; it is not what it proposes"
    if lies_in(retold(quoted.part.text), quoted.start, quoted.end):
        return "the agent retells this; it is not what it proposes"
    return ""


def _reported(part: Part, parts: Sequence[Part]) -> int:
    """Offset in an agent's paragraph from which on it reports what others said; behind its end when
    it does not."""
    paragraphs = sorted(
        (one for one in parts if one.event == part.event), key=lambda one: one.start
    )
    begins = told([one.text for one in paragraphs])[paragraphs.index(part)]
    return begins if begins >= 0 else len(part.text)


_AGREES = frozenset({"approve", "choose"})
_TURNS_DOWN = frozenset({"refuse", "correct"})
_DOUBTS = frozenset({"ask", "report", "refuse", "defer"})
_SETTLES = frozenset({"approve", "choose", "decide", "constrain", "command", "correct", "scope"})


def _deeds(turn: Turn, binding: Quoted) -> frozenset[str]:
    """What the user's words do."""
    if _dialog(turn, binding):
        return _AGREES
    tongue = language(" ".join(part.text for part in turn.user))
    opening = binding.part == turn.user[0] and not binding.part.text[: binding.start].strip()
    return frozenset(acts(binding.around, tongue, opening=opening))


def _accepts_not(does: frozenset[str], binding: Quoted, proposal: Quoted | None, turn: Turn) -> str:
    """Why words that do this accept no proposal; empty where they may."""
    if does & _DOUBTS and not does & _SETTLES:
        return "these words do not approve what was proposed"
    if proposal is not None and not does & _AGREES and not _speaks_of(binding, proposal):
        return "these words are about something else than what was proposed"
    beside = proposal is not None and _is_beside(proposal, turn)
    return "the agent tells this, and asks about something else" if beside else ""


def _speaks_of(binding: Quoted, proposal: Quoted) -> bool:
    """Whether words that approve nothing in so many words are about a proposal: they are too few to
    be about anything else, or name what it names."""
    if _POINTS_BACK.search(binding.around):
        return True
    ours = content(binding.around)
    common = ours & (content(proposal.around) | content(proposal.part.text))
    return len(ours) <= READER_ANSWER_CONTENT or len(common) >= min(LEAST_CONTENT, len(ours))


_POINTS_BACK = re.compile(
    r"^\W{0,3}(?:yes|yeah|yep|yup|ok|okay|sure|agreed|fine|right|good|ha|go|ja|oui|s\u00ed|sim"
    r"|s\u00ec"
    r"|\u0434\u0430|\d{1,2}|[a-f])\b|\b(?:this|that|it|those|these|there)\b",
    re.IGNORECASE,
)
"""Answers, or points to what was said before."""


def _is_beside(proposal: Quoted, turn: Turn) -> bool:
    """Whether an agent only tells something, and asks whether to go on: a yes is to that."""
    asked = [part.text for part in turn.agent if part.text.rstrip().endswith(_ASKS)]
    if not asked or is_own_voice(proposal.part.text):
        return False
    question = (sentences_of(asked[-1]) or [asked[-1]])[-1]
    goes_on = _GOES_ON.search(question) is not None
    return goes_on or is_operational(question) or len(content(question)) < LEAST_CONTENT


_GOES_ON = re.compile(
    r"\b(?:shall|should|can|may|could|want|like)\b[^?]{0,12}\b(?:continue|go (?:on|ahead)|proceed"
    r"|close"
    r"|carry on|commit|push|merge|reply|answer|look|run|start|open|retry|move on)\b[^?]{0,20}\?",
    re.IGNORECASE,
)
"""Asks whether to take a next step."""
_ASKS = ("?", "\uff1f")


def _proposed(turn: Turn, binding: Quoted, proposal: Quoted | None) -> str:
    """The agent's words that a statement may rest on: the proposal, and of a dialog what it asked
    and what the picked options mean."""
    told = [proposal.around] if proposal else []
    answer = _dialog(turn, binding)
    if answer is not None:
        picked = [one for one in answer.options if one.label in answer.chosen]
        told += [dialogs.question(answer), answer.question]
        told += [f"{one.label}: {one.description or ''}" for one in picked]
    return "\n".join(told)


def _trusted(turn: Turn, agent: Sequence[Part]) -> str:
    """What was shown of an exchange but for what others are said to have said."""
    theirs = [
        own_voice(part.text[: _reported(part, agent)])
        for part in agent
        if not steers(part.text) and not presumes(part.text)
    ]
    mine = [part.text for part in turn.user if part not in agent and not steers(part.text)]
    return "\n".join([*theirs, *mine])


def _is_unseen(turn: Turn, quoted: Quoted) -> bool:
    """Whether words stand in a comment of HTML, or in a sentence with one."""
    texts = (
        getattr(event, "text", None) or ""
        for event in turn.said.answer
        if event.id == quoted.part.event
    )
    before = next(texts, "")[: quoted.part.start + quoted.start]
    return "<!--" in quoted.around or before.rfind("<!--") > before.rfind("-->")


def _is_wary(turn: Turn) -> bool:
    """Whether somebody speaks to a reader anywhere in an exchange, shown or not."""
    said = (*turn.said.proposal, *turn.said.answer)
    texts = [getattr(event, "text", None) or "" for event in said]
    return any(steers(part) for text in texts for part in text.split("\n\n"))


def _dialog(turn: Turn, quoted: Quoted) -> QuestionAnswered | None:
    return next(
        (
            event
            for event in turn.said.answer
            if isinstance(event, QuestionAnswered) and event.id == quoted.part.event
        ),
        None,
    )


def _is_plan(turn: Turn, quoted: Quoted) -> bool:
    """Whether words are those of a plan that the user approved as a whole."""
    return any(
        isinstance(event, PlanDecided) and event.id == quoted.part.event
        for event in turn.said.answer
    )


def _evidence(turn: Turn, quoted: Quoted, speaker: str) -> Evidence:
    said = (*turn.said.answer, *turn.said.proposal, *turn.said.earlier)
    time = next((event.time for event in said if event.id == quoted.part.event), None)
    start = quoted.part.start + quoted.start
    return Evidence(
        quoted.part.event, "user" if speaker == "user" else "agent", quoted.text, start, time
    )
