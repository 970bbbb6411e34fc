"""Words that speak to whoever reads a session, and what hides among words.

Text of web pages, mails and tools comes to stand in sessions, and some of it was written to steer a
model. What a session says is data: words that tell a reader what to answer, or that play one of the
speakers, are nobody's decision.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ctxd.policy.extraction import DOUBT_CHARS

_THING = (
    r"(?:items?|entr(?:y|ies)|findings?|candidates?|rules?|constraints?|decisions?|quotes?"
    r"|statements?|memor(?:y|ies)|records?)"
)
_STEERS = re.compile(
    # what came before shall not count
    r"\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.!?\n]{0,30}"
    r"\b(?:previous|prior|above|preceding|earlier|other|original|your|system|these|all)\b"
    r"[^.!?\n]{0,20}\b(?:instructions?|prompts?|rules|guidelines|directives|context|task)\b"
    r"|\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*)\b[^.!?\n]{0,40}"
    r"\b(?:anweisungen|instruktionen|regeln|vorgaben|prompts?)\b"
    r"|\b(?:ignore[zr]?|oublie[zr]?)\b[^.!?\n]{0,40}\b(?:instructions|consignes|r[eè]gles)\b"
    r"|\b(?:ignor[ae]n?|ignorar|olvid[ae]n?|esque[cç]a\w*|desconsider\w+|dimentica\w*|ignor[ai]te?)"
    r"\b[^.!?\n]{0,40}"
    r"\b(?:instrucciones|reglas|instru[cç][oõ]es|regras|istruzioni|regole|indicaciones)\b"
    r"|\b(?:игнорируй\w*|забудь\w*|не обращай\w*)\b[^.!?\n]{0,40}(?:инструкц|указани|правил)"
    r"|(?:忽略|无视|忘记|忽视)[^。！\n]{0,20}(?:指示|指令|说明|规则|提示)"
    r"|(?:指示|命令|指令|ルール|プロンプト)[^。！\n]{0,12}(?:無視|忘れ)"
    r"|(?:지시|명령|규칙)[^.!\n]{0,12}무시"
    # who it speaks to
    r"|\b(?:to|for|hey|dear|attention|note to|notice to|message (?:to|for)|instructions? (?:to"
    r"|for))"
    r"[ ,:]{1,3}(?:all |any |the |every )?(?:ai|llms?|(?:language |ai )?models?|(?:coding |ai )"
    r"(?:assistants?|agents?)|readers? of th|summari[sz]ers?|extractors?|annotators?|bots?|ctxd)\b"
    r"|\b(?:if you are|you are now|act as|as) (?:an? |the )?(?:ai|llm|language model|(?:ai "
    r"|coding )"
    r"?(?:assistant|agent)|extractor|annotator|summari[sz]er)\b[^.!?\n]{0,20}"
    r"(?:reading|processing|that|who|,|must|should|:)"
    r"|\b(?:an alle|hinweis (?:an|für)) (?:die )?(?:ki|ai|llms?|sprachmodelle?|assistenten)\b"
    r"|\b(?:note|avis|nota|aviso|atenci[oó]n|attention)\b[^.!?\n]{0,12}\b(?:[aà]|para|pour|aux?"
    r"|al)\b"
    r"[^.!?\n]{0,12}\b(?:ia|ias|llms?|modelos?|mod[eè]les?|asistentes?|assistants?)\b"
    r"|(?:注意|致|提示)[^。\n]{0,6}(?:AI|模型|助手)|AI(?:アシスタント|モデル)?(?:へ|への)"
    # how it shall answer
    r"|\b(?:mark|label|rate|set|treat|flag|classify|report|return|tag)\b[^.!?\n]{0,40}"
    r"\b(?:sure|certain|certainty|authority|durability|confidence|confirmed by the user"
    r"|user authority|plain)\b[^.!?\n]{0,30}(?:\b(?:[123]|user|repo|confirmed|certain|true|highest"
    r"|maximum)\b|[:=])"
    rf"|\b(?:mark|label|rate|treat)\b[^.!?\n]{{0,12}}\b(?:all|every|each|any|these|this)\b"
    rf"[^.!?\n]{{0,20}}\b{_THING}\b"
    rf"|\b(?:add|record|store|save|output|emit|extract|include|insert|create|return|report"
    rf"|write down)"
    rf"\b[^.!?\n]{{0,25}}\b(?:as|an?|the following|this|new)\b[^.!?\n]{{0,25}}"
    rf"\b(?:items?|finding|memory entry)\b[^.!?\n]{{0,12}}(?:[:\"'“]|\bwith\b|\bfor\b|$)"
    r"|\b(?:authority|durability|sure|not_items|from_turn|proposal_quote|supersedes|candidate)"
    r"[\"']?\s*[:=]\s*[\"'\[\d]"
    r"|\b(?:candidates?|labels?|items?) [ck]\d{1,3}\b|\bsupersedes? [ck]\d"
    r"|\byour (?:output|answer|response|reply|json)\b[^.!?\n]{0,20}"
    r"\b(?:must|should|shall|has to|needs to|is to)\b"
    # marks of somebody else's frame
    r"|<\|?/?(?:im_start|im_end|system|assistant|user|turn|inst|sys|session|transcript|exchange"
    r"|data"
    r"|quoted|eot_id|endoftext)\b[^>\n]{0,40}>|\[/?(?:INST|SYS|SYSTEM|TURN)\b[^\]\n]{0,20}\]"
    r"|<<SYS>>"
    r"|(?:^|\n)\s{0,4}(?:#{1,6} ?)?(?:system|assistant|developer|human)(?: (?:prompt|message"
    r"|note))?"
    r"\s{0,2}:"
    r"|(?:^|\n)\s{0,4}[-=#*_]{2,10} ?(?:end|begin|start)(?:ing)?(?: of)? (?:the )?"
    r"(?:turn|session|transcript|data|exchange|conversation|user|input|text|chunk)",
    re.IGNORECASE,
)
"""Tells a reader what to answer, or plays one of the speakers."""

_VEILS = re.compile(
    "[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u00ad"
    "\U000e0000-\U000e007f\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
"""Characters that show nothing or turn text round, and that no word needs. Joiners, of which emoji
and some scripts are made, are not among them."""
_CODED = re.compile(
    r"(?<![A-Za-z0-9+/])(?=[A-Z0-9+/]{0,300}[a-z])(?=[a-z0-9+/]{0,300}[A-Z])(?=[A-Za-z+/]{0,300}\d)"
    r"[A-Za-z0-9+]{24}[A-Za-z0-9+/]{16,}={0,2}"
)
"""Longer than any name, with letters of both cases and digits: base64 and the like."""


@lru_cache(1024)
def steers(text: str) -> bool:
    """Whether words tell a reader what to answer, play a speaker, or hide something."""
    text = text[:DOUBT_CHARS]
    veiled = not text.isascii() and _VEILS.search(text) is not None
    return veiled or _STEERS.search(text) is not None or _CODED.search(text) is not None
