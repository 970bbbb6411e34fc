"""What the user picked or typed in a question dialog: the cleanest evidence there is."""

from __future__ import annotations

import re

from ctxd.extract.acts import cues
from ctxd.extract.terms import content
from ctxd.extract.wording import cut
from ctxd.policy.extraction import ITEM_CHARS, MEANING_CHARS, OPTION_CHARS, TELLING_WORDS
from ctxd_parsers.events import Option, QuestionAnswered

_MARK = re.compile(
    r"\s*\((?:recommended|default|suggested|empfohlen|recomendado)\)\s*$", re.IGNORECASE
)
_DELEGATED = re.compile(
    r"^\W*(?:you (?:decide|choose|pick)|your (?:call|choice)|up to you|[\w-]{1,20}['’]?s discretion"
    r"|whatever you (?:think|prefer)|no preference|don'?t care|skip|none of (?:these|the above)"
    r"|other|(?:something|someth) else)\b",
    re.IGNORECASE,
)
_AGENDA = re.compile(
    r"\b(?:which|what) (?:\w+ ){0,3}(?:areas?|topics?|questions?|sections?|points?) (?:\w+ ){0,4}"
    r"(?:discuss|explore|cover|talk|dig|go (?:over|through)|rework|revis\w+)\b",
    re.IGNORECASE,
)
"""Asks what to talk about: the answer settles nothing yet."""
_REDIRECTS = re.compile(
    r"\b(?:let me (?:redirect|explain|clarify|think)|not quite|revise"
    r"|(?:talk|discuss|chat) about (?:it|this)|needs? (?:rework|changes|discussion))\b",
    re.IGNORECASE,
)
_MOVES_ON = re.compile(
    r"\b(?:do|work on|tackle|start|start with|take) (?:\w+ )?(?:next|first|now)\b"
    r"|\b(?:proceed|continue|go on|move on|get started|next step|which step|what next|ready to)\b"
    r"|\b(?:should|shall|may|can|want me to|like me to) (?:i )?(?:now |also )?(?:commit|push|merge"
    r"|open|run|rerun|start|begin|rebase|deploy|restart|retry|publish"
    r"|create (?:a|the) (?:pr|pull request|commit|branch))\b"
    r"|\b(?:weiter(?:machen|gehen)|fortfahren|continuar|seguir|continuer|prosseguir)\b"
    r"|продолж|继续|続け",
    re.IGNORECASE,
)
"""Asks what to do next, not how something is to be."""
_DRAWBACK = re.compile(
    r"\b(?:but|however|although|risk\w*|costs?|slower|harder|more (?:complex|work|code|invasive|"
    r"states?)|complex\w*|loses?|breaks?|requires?|needs?|without|no longer|can'?t|cannot|downside|"
    r"drawback|con)\b",
    re.IGNORECASE,
)
_MOVING_WORDS = 3
"""Content words of an answer that only says what comes next; a longer one may say how."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def is_settled(answer: QuestionAnswered) -> bool:
    """Whether an answer settles something: not one that only moves on, leaves it to the agent, or
    asks back."""
    words = given(answer)
    if (not content(words) and not answer.chosen) or _DELEGATED.match(words):
        return False
    if answer.text and not answer.chosen and words.rstrip().endswith(("?", "？")):
        return False
    if _AGENDA.search(question(answer)) or _REDIRECTS.search(words):
        return False
    if "navigation" not in cues(question(answer)) and not _MOVES_ON.search(question(answer)):
        return True
    return "navigation" not in cues(words) and len(content(words)) > _MOVING_WORDS


def given(answer: QuestionAnswered) -> str:
    """The user's side of it: the labels picked, without marks such as "(Recommended)", and the
    words typed."""
    picked = [_MARK.sub("", label) for label in answer.chosen]
    typed = (answer.text or "").strip()
    return ", ".join([*picked, typed] if typed and typed not in picked else picked)


def question(answer: QuestionAnswered) -> str:
    """The sentence of a dialog's question that asks; dialogs explain before and after it."""
    parts = _sentences(answer.question)
    asking = [part for part in parts if part.endswith(("?", "？"))]
    found = (asking[-1:] or parts)[0]
    halved = any(found.count(pair[0]) != found.count(pair[1]) for pair in ("()", "[]", "{}"))
    return " ".join(parts) if halved else found


def statement(answer: QuestionAnswered) -> str:
    """One line for an answer: what was asked, what was picked, and what that means."""
    words = given(answer)
    asked = question(answer)
    if not answer.chosen and len(content(words)) > TELLING_WORDS:
        return cut(words)
    meaning = [m for m in (_meaning(option) for option in _picked(answer)) if m]
    line = f"{asked} {words}" if asked else words
    if len(line) > ITEM_CHARS:
        line = words
    if len(meaning) == 1 and len(line) + len(meaning[0]) + 2 <= ITEM_CHARS:
        line = f"{line}: {meaning[0]}"
    return cut(line)


def untaken(answer: QuestionAnswered) -> tuple[str, ...]:
    """The options that were not picked, each with the drawback its description names."""
    picked = set(answer.chosen)
    if not picked:
        return ()
    return tuple(
        _with_drawback(option)
        for option in answer.options
        if option.label not in picked and not _DELEGATED.match(option.label)
    )


def _sentences(text: str) -> list[str]:
    """The sentences of a text, blanks and line breaks made one blank each."""
    return _SENTENCE.split(" ".join(text.split()))


def _picked(answer: QuestionAnswered) -> list[Option]:
    chosen = set(answer.chosen)
    return [option for option in answer.options if option.label in chosen]


def _meaning(option: Option) -> str:
    """The start of an option's description: the sentences that say what it is."""
    parts = _sentences(option.description or "")
    line = ""
    for part in parts:
        if line and len(line) + len(part) > MEANING_CHARS:
            break
        line = f"{line} {part}".strip()
    return cut(line, OPTION_CHARS)


def _with_drawback(option: Option) -> str:
    label = _MARK.sub("", option.label)
    for part in _sentences(option.description or ""):
        if _DRAWBACK.search(part):
            return f"{label} ({cut(part.rstrip('.'), OPTION_CHARS)})"
    return label
