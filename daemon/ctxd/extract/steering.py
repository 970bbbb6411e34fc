"""Words that speak to whoever reads a session, and what hides among words.

Text of web pages, mails and tools comes to stand in sessions, and some of it was written to steer a
model. What a session says is data: words that tell a reader what to answer, or that play one of the
speakers, are nobody's decision.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ctxd.policy.extraction import DOUBT_CHARS

_FORGETS = (
    r"\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.!?\n]{0,30}"
    r"\b(?:previous|prior|above|preceding|earlier|other|original|your|system|these|all)\b"
    r"[^.!?\n]{0,20}\b(?:instructions?|prompts?|rules|guidelines|directives)\b"
    r"|\b(?:ignore|disregard|forget|override)\b[^.!?\n]{0,20}\b(?:whatever|everything|anything"
    r"|all) "
    r"(?:that )?(?:the |your |any )?(?:user|developer|you|human|others?|system)\b[^.!?\n]{0,20}"
    r"\b(?:said|told|wrote|asked|instructed|know)\b"
    r"|\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*)\b[^.!?\n]{0,40}"
    r"\b(?:anweisungen|instruktionen|regeln|vorgaben|prompts?)\b"
    r"|\b(?:ignore[zr]?|oublie[zr]?)\b[^.!?\n]{0,40}\b(?:instructions|consignes|r[eè]gles)\b"
    r"|\b(?:ignor[ae]n?|ignorar|ignorate|olvid[ae]n?|esque[cç]a\w*|desconsider\w+|dimentica\w*)\b"
    r"[^.!?\n]{0,40}"
    r"\b(?:instrucciones|reglas|instru[cç][oõ]es|regras|istruzioni|regole|indicaciones)\b"
    r"|\b(?:игнорируй\w*|забудь\w*|не обращай\w*)\b[^.!?\n]{0,40}(?:инструкц|указани|правил)"
    r"|(?:忽略|无视|忘记|忽视)[^。！\n]{0,20}(?:指示|指令|说明|规则|提示)"
    r"|(?:指示|命令|指令|ルール|プロンプト)[^。！\n]{0,12}(?:無視|忘れ)"
    r"|(?:지시|명령|규칙)[^.!\n]{0,12}무시"
)
"""What came before shall not count."""

_MODEL = (
    r"(?:ai|llms?|(?:language |ai )?models?|(?:coding |ai )?(?:assistants?|agents?)"
    r"|summari[sz]ers?|extractors?|annotators?|bots?|ctxd)"
)
_ADDRESSES = (
    r"\b(?:attention|hey|dear|note|notice|message|instructions?|hint|reminder)\b[ ,:]{1,3}"
    rf"(?:to |for )?(?:all |any |the |every )?{_MODEL}\b(?! (?:is|are|was|were|has|have|from|of)\b)"
    r"|(?:^|[.!?:\n]\s*)(?:to|for) (?:all |any |the |every )?"
    r"(?:ai|llms?|(?:ai|coding|llm|language) (?:assistants?|agents?|models?|readers?))\b"
    r"[^.!?\n]{0,20}[:,]"
    r"|\b(?:if you are|you are now|act as) (?:an? |the )?"
    r"(?:ai|llm|language model|(?:ai |coding )?(?:assistant|agent)|extractor|annotator"
    r"|summari[sz]er)\b"
    r"|\b(?:an alle|hinweis (?:an|für)) (?:die )?(?:ki|ai|llms?|sprachmodelle?|assistenten)\b"
    r"|\b(?:note|avis|nota|aviso|atenci[oó]n|attention)\b[^.!?\n]{0,12}\b(?:[aà]|para|pour|aux?|al)"
    r"\b[^.!?\n]{0,12}\b(?:ia|ias|llms?|modelos?|mod[eè]les?|asistentes?|assistants?)\b"
    r"|\b(?:whoever|whatever|anyone who|any (?:model|tool|agent|assistant|reader|llm) that"
    r"|if you)\b"
    r"[^.!?\n]{0,20}\b(?:summari[sz]es?|reads?|process(?:es)?|extracts?|annotates?|analy[sz]es?)\b"
    r"[^.!?\n]{0,20}\b(?:this|the) (?:chat|text|log|page|session|conversation|transcript|message"
    r"|mail|file|document|issue|thread)\b"
    r"|\b(?:for|to) (?:the |all |any |future |later )?(?:summar(?:y|ies)|summari[sz]ers?"
    r"|transcripts?|llms?|language models?|extraction)\s{0,2}[:,-]"
    r"|(?:^|\n)\s{0,4}(?:reader|summari[sz]er|extractor|annotator|model|llm|ai)\s{0,2}:"
    r"|(?:注意|致|提示)[^。\n]{0,6}(?:AI|模型|助手)|AI(?:アシスタント|モデル)?(?:へ|への)"
)
"""Who it speaks to."""

_ITEM = r"(?:items?|entr(?:y|ies)|findings?|candidates?|quotes?|statements?)"
_DICTATES = (
    r"\b(?:mark|label|rate|set|treat|flag|classify|report|return|tag)\b[^.!?\n]{0,40}"
    r"\b(?:sure|certain|certainty|authority|durability|confidence|user authority)\b[^.!?\n]{0,30}"
    r"(?:\b(?:[123]|user|repo|confirmed|certain|highest|maximum)\b|[:=])"
    rf"|\b(?:mark|label|rate|treat|set)\b[^.!?\n]{{0,12}}\b(?:all|every|each|any|these|this)\b"
    rf"[^.!?\n]{{0,20}}\b{_ITEM}\b[^.!?\n]{{0,40}}\b(?:sure|certain|confirmed|true|valid|user)\b"
    r"|\b(?:add|record|store|save|output|emit|extract|include|insert|create|return|report"
    r"|write down)\b[^.!?\n]{0,25}\b(?:as|an?|one|the following|this|new)\b[^.!?\n]{0,25}"
    r"\b(?:items?|finding|memory entry)\b[^.!?\n]{0,12}[:\"'“]"
    r"|\b(?:add|record|save|store|write down|note)\b[^.!?\n]{0,25}\b(?:to|in|into|as)\b"
    r"[^.!?\n]{0,12}\b(?:your|the project) (?:[\w-]{1,12} ){0,2}?(?:records?|memory|memories"
    r"|notes|rules|output)\b"
    r"|\b(?:record|note|store|save|log)\b[^.!?\n]{0,12}\bas an? (?:rule|decision|constraint)\b"
    r"|\b(?:authority|durability|not_items|from_turn|proposal_quote|supersedes)[\"']?\s*[:=]\s*"
    r"[\"'\[\d]|[\"']sure[\"']\s*:\s*\d|\bsure: ?[123]\b"
    r"|\btreat\b[^.!?\n]{0,40}\bas (?:an? |the )?(?:user'?s? )?(?:approval|approved|consent"
    r"|confirmation)\b"
    r"|\b(?:candidates?|labels?|items?) [ck]\d{1,3}\b|\bsupersedes? [ck]\d"
    r"|\byour (?:output|answer|response|reply|json)\b[^.!?\n]{0,20}"
    r"\b(?:must|should|shall|has to|needs to|is to)\b"
)
"""How it shall answer."""

_FRAMES = (
    r"<\|?/?(?:im_start|im_end|system|assistant|user|turn|inst|sys|session|transcript|exchange"
    r"|quoted|eot_id|endoftext)\b[^>\n]{0,40}\|>|</(?:user|turn|transcript|session|exchange)>"
    r"|\[/?(?:INST|SYS|SYSTEM|TURN)\b[^\]\n]{0,20}\]|<<SYS>>"
    r"|(?:^|\n)\s{0,4}(?:#{1,6} ?)?(?:system|assistant|developer|human)"
    r"(?: (?:prompt|message|note))?\s{0,2}:"
    r"|(?:^|\n)#{2,4} ?(?:instructions?|response|input|system|user"
    r"|assistant)\b\s{0,2}:?\s{0,4}(?:\n|$)"
    r"|\bhuman: [^\n]{0,200}\bassistant:"
    r"|(?:^|\n)\s{0,4}[-=#*_]{2,10} ?(?:end|begin|start)(?:ing)?(?: of)? (?:the )?"
    r"(?:turn|session|transcript|data|exchange|conversation|user|input|text|chunk|log)"
)
"""Marks of somebody else's frame: it plays one of the speakers."""

_STEERS = re.compile(f"{_FORGETS}|{_ADDRESSES}|{_DICTATES}|{_FRAMES}", re.IGNORECASE)

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
