"""What holds of every item, whatever the model says of it: its line, its evidence, its id.

Each check gives what is wrong in words; nothing else of the text, so that it may be printed.
"""

import re
import unicodedata

from ctxd.extract.judge import judge
from ctxd.item import item_id
from ctxd.policy.extraction import ITEM_CHARS
from ctxd_parsers.events import QuestionAnswered

NEGATIONS = {
    "en": r"\b(?:not|never|no|none|nothing|nobody|nowhere|neither|nor|without|cannot|avoid|"
    r"stop \w+ing|\w+n['\u2019]t|dont|doesnt|didnt|isnt|arent|wont|cant|shouldnt|mustnt)\b",
    "de": r"\b(?:nicht|nie|niemals|kein\w*|nichts|niemand|ohne)\b",
    "es": r"\b(?:no|nunca|jamás|sin|nada|ningun\w*|ningún|tampoco)\b",
    "fr": r"\b(?:ne|jamais|pas|sans|aucun\w*|rien|plus)\b|\bn['\u2019](?=\w)",
    "pt": r"\b(?:não|nunca|jamais|sem|nada|nenhum\w*)\b",
    "ru": r"\b(?:не|нет|никогда|нельзя|без|никак\w*|ничего|ни)\b",
    "zh": r"不|别|別|没|勿|禁止|无",
    "ja": r"ない|ません|しないで|禁止|ず(?=[、。に])|なく",
}
"""What denies, a language; looser than what extraction itself goes by, and made apart from it."""
_NEGATION = {name: re.compile(found, re.IGNORECASE) for name, found in NEGATIONS.items()}
_ANSWER = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|well|hm+|actually|ah|oh|yeah|but|and|wait|sorry|please)\W+)*"
    r"(?:no|nope|nah|nein|non|não|нет|不|いいえ)\s*(?:[,.!…:;\u2013\u2014-]+|$)",
    re.IGNORECASE,
)
"""A "no" that answers somebody and may be left out where a whole sentence follows."""
_OPTION_LEFT = re.compile(
    r"(?<!\w)(?:but |not |without |except |nicht |ohne |sin |sans |sem |без |не |no )+"
    r"(?:option )?\W{0,3}"
    r"(?:[A-Za-z]|\d{1,2})(?!\w|[.:]\d)"
)
"""An option that an answer leaves: "2, not 3". It stands among what was turned down."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_UNSEEN = re.compile("[\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_TURNED_DOWN = re.compile(r"^Not wanted: ")


def problems(spoken, items):
    """What is wrong with the items of one exchange, each in words."""
    found = [f"{name}: {item.kind}" for item in items for name in _of_item(spoken, item)]
    ids = [item.id for item in items]
    return found + ([] if len(set(ids)) == len(ids) else ["two items of one id"])


def problems_of_judging(spoken, model=None):
    """The same, of what the judge makes of it, and whether it judges alike twice."""
    items = judge(spoken, model)
    found = problems(spoken, items)
    if judge(spoken, model) != items:
        found.append("judged otherwise the second time")
    return found


def _of_item(spoken, item):
    events = {event.id: event for event in (*spoken.earlier, *spoken.proposal, *spoken.answer)}
    yield from _of_line(item, _said(events, item))
    yield from (name for quote in item.evidence for name in _of_quote(events, quote))
    if not item.evidence or item.evidence[0].event != item.event:
        yield "does not begin with what binds it"
    if item.id not in {item_id([q.quote for q in item.evidence[:n]]) for n in (1, 2)}:
        yield "id is not that of its quotes"
    if _lost_negation(item):
        yield "a negation is lost"
    if _new_numbers(events, item):
        yield "a number that nobody said"


def _of_line(item, said):
    text = item.text
    if not text.strip():
        yield "no text"
    if len(text) > ITEM_CHARS:
        yield "text too long"
    if any(c in "\n\r\u2028\u2029\x85" for c in text):
        yield "more than one line"
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in text):
        yield "a control character"
    if _unbalanced(text) and not any(map(_unbalanced, said)) and not text.endswith("…"):
        yield "brackets put in"
    if any(part not in text for part in item.filled):
        yield "filled in and not there"
    if not 0 <= item.probability <= 1:
        yield "no probability"


def _of_quote(events, quote):
    event = events.get(quote.event)
    if event is None:
        yield "quote of an event that is not there"
    elif isinstance(event, QuestionAnswered):
        if quote.speaker == "agent" and quote.quote != event.question:
            yield "quote is not the question"
        if quote.speaker == "user" and not _is_given(event, quote.quote):
            yield "quote is not the answer"
    elif not event.text.startswith(quote.quote, quote.start) or not quote.quote:
        yield "quote does not stand at its place"


def _is_given(event, words):
    given = [*event.chosen, event.text or ""]
    rest = words
    for part in sorted(given, key=len, reverse=True):
        rest = rest.replace(part.strip(), "") if part.strip() else rest
    return all(any(word in part for part in given) for word in rest.replace(",", " ").split())


def _lost_negation(item):
    """Whether a quote that the line is made of denies, and neither the line nor what it says was
    turned down does. Of an answer to a proposal the "no" itself may stand as "Not wanted"; of a
    dialog's question, which explains, the sentence that asks may stand alone."""
    negation = _NEGATION.get(item.language, _NEGATION["en"])
    told = " ".join([item.text, *item.rejected, item.reason])
    if not item.evidence or item.text.endswith("…") or _TURNED_DOWN.match(item.text):
        return False
    binding, *leaning = [quote.quote for quote in item.evidence]
    sources = [_ANSWER.sub("", _OPTION_LEFT.sub(" ", binding) if leaning else binding)]
    of_dialog = len({quote.event for quote in item.evidence}) < len(item.evidence)
    agreed = item.act in ("approve", "choose") and not of_dialog
    if leaning and agreed and _overlap(leaning[0], item.text):
        sources.append(leaning[0])
    return any(len(negation.findall(s)) > len(negation.findall(told)) for s in sources)


def _overlap(quote, text):
    words = set(re.findall(r"\w{4,}", quote.casefold()))
    return bool(words) and len(words & set(re.findall(r"\w{4,}", text.casefold()))) > len(words) / 2


def _new_numbers(events, item):
    text = item.text
    for name in item.filled:
        text = text.replace(name, " ")
    said = _UNSEEN.sub("", " ".join(_said(events, item)))
    return set(_NUMBER.findall(text)) - set(_NUMBER.findall(said))


def _said(events, item):
    """The texts that the line may be made of: the quotes, and what a dialog showed."""
    found = [quote.quote for quote in item.evidence]
    for quote in item.evidence:
        event = events.get(quote.event)
        if isinstance(event, QuestionAnswered):
            found += [event.question, event.text or ""]
            found += [text for one in event.options for text in (one.label, one.description or "")]
    return found


def _unbalanced(text):
    opened = []
    for c in text:
        if c in "([{":
            opened.append(c)
        elif c in _BRACKETS and (not opened or opened.pop() != _BRACKETS[c]):
            return True
    return bool(opened)
