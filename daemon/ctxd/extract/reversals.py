"""Words that take something back without saying what is to be instead.

"nah, let's roll that back", "forget what I said about the retries", "undo the rename". A question
whether to, a warning not to, and the name of a button are none of these, so the words are looked
for only where a sentence that wants something begins.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxd.extract.slots import content
from ctxd.policy.comparing import REVERSAL_OBJECT_WORDS, REVERSAL_TEXT_CHARS


class Reversal(NamedTuple):
    """Something is taken back."""

    named: tuple[str, ...]
    """Stems of the words that name what; () when it is only pointed to."""
    spoken: bool
    """Whether words are taken back, not work: they may be of any session."""
    code: bool
    """Whether what is named is a thing of version control or the like."""


def reversals(text: str) -> list[Reversal]:
    """Return what a user's message takes back, in its order."""
    found = []
    for sentence in _SENTENCE.findall(text[:REVERSAL_TEXT_CHARS]):
        reversal = _glyph_reversal(sentence) or _reversal(sentence)
        if reversal is not None:
            found.append(reversal)
    return found


_SENTENCE = re.compile(r"[^.!?;\n。！？]+[?？]?")
_WORD = re.compile(r"`[^`]{1,80}`|[\w/-]+(?:\.\w+)*")
_APOSTROPHES = str.maketrans("", "", "'’")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted((tuple(phrase.split()) for phrase in text.split(";")), key=len)[::-1])


_LEADS = _words(
    "nah no nope ok okay hm hmm hmmm actually wait well sorry ugh oh yeah so and but then please "
    "pls alright also now yes guys honestly argh damn still just maybe sigh"
)
_WANTS = _phrases(
    "lets; let us; can you; could you; can we; could we; we should; you should; i think we should; "
    "i think you should; i want to; i want you to; i would like to; id like to; id rather; "
    "we need to; "
    "we have to; you need to; i will; ill; you can; we can; better; go ahead and; id say; "
    "i think; id like you to; would you; lets just; we better; bitte; kannst du; lass uns; "
    "i have; ive; i"
)
_UNDO = _phrases(
    "revert; undo; roll back; rollback; back out; back out of; take back; reverse; scrap; scratch; "
    "unwind; walk back; throw out; abandon; cancel; discard; "
    "go back on; nimm zurück; annule; deshaz; desfaz; отмени; откати"
)
_SPEECH = _phrases(
    "forget what i said about; forget what i said; forget what i told you about; forget about; "
    "forget; ignore what i said about; ignore what i said; disregard what i said about; disregard; "
    "never mind what i said about; never mind about; never mind the; nevermind; nvm; never mind; "
    "changed my mind about; changed my mind on; changed my mind; change my mind about; "
    "change my mind on; change my mind; strike; take back what i said about; i take back; "
    "scratch what i said about; vergiss; oublie; olvida; olvídalo; esquece; забудь"
)
_AROUND = frozenset({"roll", "take", "back", "put", "walk", "nimm", "mach"})
_AROUND_ENDS = {
    "roll": "back",
    "take": "back",
    "walk": "back",
    "put": "back",
    "back": "out",
    "nimm": "zurück",
    "mach": "rückgängig",
}
_AGAIN = _words("remove delete drop take rip throw get")
_BARE = _phrases(
    "actually no; no wait; wait no; on second thought; on second thoughts; change of plan; "
    "change of plans; scratch that; lets go back; go back; doch nicht; hmm no; laisse tomber; "
    "let it be; lets not do that; lets not; not anymore; forget it; i concede; lets not then"
)
_GLYPHS = (
    "撤销",
    "回滚",
    "还原",
    "算了",
    "元に戻し",
    "取り消し",
    "やっぱりやめ",
    "되돌려",
    "취소해",
)
_POINTERS = _words(
    "it that this these those them all everything again please pls now then back out the a an one "
    "change changes edit edits last latest previous step part decision rule thing idea bit stuff "
    "your my our you i we about for of from to just did made said earlier completely entirely "
    "das dies es ça cela eso esto isso это"
)
_CODE = _words(
    "commit commits merge migration migrations deploy deployment release branch stash file files "
    "push rebase database transaction version patch pr prs checkout install upgrade package tag "
    "index container server line lines stage staged head worktree repo db snapshot"
)
_NO_REQUEST = _words("should shall did do does is are was were why what how when who would will")


def _glyph_reversal(sentence: str) -> Reversal | None:
    if any(sign in sentence for sign in _GLYPHS) and not sentence.endswith("？"):
        return Reversal((), spoken=False, code=False)
    return None


def _reversal(sentence: str) -> Reversal | None:
    words = _WORD.findall(sentence.casefold().translate(_APOSTROPHES))
    asked = sentence.endswith("?")
    if not words or (asked and words[0] in _NO_REQUEST):
        return None
    if _is_bare(words):
        return Reversal((), spoken=False, code=False)
    words = _without_lead(words)
    if used := _begins(words, _SPEECH):
        return _of(words[used:], spoken=True)
    around = _around(words)
    if around is not None:
        return _of(around, spoken=False)
    if used := _begins(words, _UNDO):
        return _of(words[used:], spoken=False)
    return None


def _is_bare(words: list[str]) -> bool:
    for start in range(min(2, len(words))):
        used = _begins(words[start:], _BARE)
        if used and len(words) - start - used <= 1:
            return True
    return False


def _begins(words: list[str], phrases: tuple[tuple[str, ...], ...]) -> int:
    """How many words the longest phrase has with which they begin."""
    return next((len(p) for p in phrases if tuple(words[: len(p)]) == p), 0)


def _without_lead(words: list[str]) -> list[str]:
    at, end = 0, len(words)
    while at < end and not _begins(words[at:], _SPEECH):
        if used := _begins(words[at:], _WANTS):
            at += used
        elif words[at] in _LEADS:
            at += 1
        else:
            break
    return words[at:]


def _around(words: list[str]) -> list[str] | None:
    """The words inside "roll ... back" and "remove ... again"."""
    if not words:
        return None
    ends = _AROUND_ENDS.get(words[0], "again" if words[0] in _AGAIN else "")
    inside = words[1 : 2 + REVERSAL_OBJECT_WORDS]
    if not ends or ends not in inside:
        return None
    inside = inside[: inside.index(ends)]
    if not inside and ends == "again":
        return None
    return inside or words[2:]


def _of(words: list[str], *, spoken: bool) -> Reversal | None:
    words = words[:REVERSAL_OBJECT_WORDS]
    named = [word for word in words if word not in _POINTERS]
    things = [word for word in named if word in _CODE]
    if named and named[0] in {"button", "key", "command", "if", "on", "when"}:
        return None
    stems = content(" ".join(word for word in named if word not in _CODE))
    return Reversal(stems, spoken=spoken, code=bool(things))
