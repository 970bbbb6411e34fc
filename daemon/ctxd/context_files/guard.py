"""What never becomes a rule unread: words that make an agent run, fetch or give away something.

Text from a web page or a tool can come to stand in a session as if a user had said it. An item that
names an address, asks for a command to be run, brings something in from outside or hands secrets
out waits for the user's review, however sure ctxd is of it; so does one that holds what looks like
a password. A prohibition of the same may pass, but not with the password in it.
"""

from __future__ import annotations

import re

_OUTWARD = re.compile(
    r"\w://|\bwww\.|[\w.+-]@[\w-]+\.\w"  # addresses
    r"|\|\s*(?:(?:ba|z|da)?sh|python3?|perl|node|iex)\b|\$\("  # into an interpreter
    r"|\bignore (?:all |any |the )?(?:previous|prior|above|other) (?:instructions|rules)",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\b(?:curl|wget|netcat|ncat|invoke-webrequest|iwr|scp|telnet|ngrok)\b"
    r"|\bbase64\b.{0,20}(?:-d|decode)\b|\beval\s*[(\"'$`]|\bchmod\s+(?:777|\+x)"
    r"|--dangerously|--yolo|--no-verify\b"
    r"|\b(?:run|runs|execute|exec|launch|invoke|source|eval|type|paste)\b[^.;]{0,40}"
    r"(?:`|\./|\.sh\b|\.ps1\b|\b(?:sudo|bash|sh|zsh|powershell|python3?|perl|node|npx|pipx|uvx|make"
    r"|npm|yarn|pnpm|bun|docker|kubectl|terraform|git|rm|dd|ssh|psql|mysql)\b)"
    r"|\b(?:download|fetch|clone|install|pull|import)\b[^.;]{0,40}\bfrom\b"
    r"|\b(?:npm|yarn|pnpm|pip|pipx|uv|cargo|go|gem|brew|apt|apt-get)\s+(?:i|install|add|get)\b"
    r"|\b(?:send|upload|post|email|mail|forward|share|publish|paste|print|reveal|copy|write|leak"
    r"|commit|push|exfiltrate|include)\b[^.;]{0,60}"
    r"\b(?:secrets?|tokens?|api.?keys?|passwords?|credentials?|private keys?|ssh keys?|cookies?"
    r"|env(?:ironment)? (?:vars?|variables?)|\.env)\b",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(
    r"(?:\b(?:pass(?:word|wort|wd|phrase|code)|kennwort|contraseña|senha|mot de passe|пароль"
    r"|tokens?|secrets?|api.?keys?|credentials?|login)\b[^.;!?\n]{0,40}?[\s:=\"'`]"
    r"(?:(?=[^\s]{0,40}\d)(?=[^\s]{0,40}[a-z])[^\s]{6,}|[a-z]+(?:-[a-z]+){2,}\b)"
    r"|\s-p[^\s-][^\s]{4,})",
    re.IGNORECASE,
)
"""A password or the like with what looks like its value: no pattern of `redact` can know it."""
_DENIED = re.compile(
    r"\b(?:never|not|don'?t|do not|must ?n[o']t|no|avoid|without|stop|forbid(?:den)?|instead of"
    r"|rather than|refuse|nie|nicht|kein\w*|jamais|nunca)\b(?! forget| fail| hesitate| skip)",
    re.IGNORECASE,
)
_REACH_CHARS = 60


def needs_review(text: str) -> bool:
    """Whether words ask for something that only the user may make a rule."""
    if _OUTWARD.search(text) or _CREDENTIAL.search(text):
        return True
    return any(not _is_denied(text, match.start()) for match in _DOING.finditer(text))


def _is_denied(text: str, start: int) -> bool:
    """Whether the words before, in the same sentence, forbid what follows."""
    before = text[max(0, start - _REACH_CHARS) : start]
    sentence = re.split(r"[.;:!?]\s", before)[-1]
    return _DENIED.search(sentence) is not None
