"""All parsers, ours and those of other packages. Order never matters: a file that two of them claim
is an error, not a race."""

from __future__ import annotations

from pathlib import PurePath

from ctxd_parsers.claude_code import ClaudeCode
from ctxd_parsers.codex import Codex
from ctxd_parsers.copilot_cli import CopilotCli
from ctxd_parsers.copilot_vscode import CopilotVscode, CopilotVscodeJson
from ctxd_parsers.copilot_vscode_transcript import CopilotVscodeTranscript
from ctxd_parsers.cursor_cli import CursorCli
from ctxd_parsers.cursor_ide import CursorIde
from ctxd_parsers.cursor_transcript import CursorTranscript
from ctxd_parsers.gemini_cli import GeminiCli, GeminiCliJson
from ctxd_parsers.kiro_cli import KiroCli
from ctxd_parsers.kiro_ide import KiroIde
from ctxd_parsers.kiro_sqlite import KiroSqlite
from ctxd_parsers.kiro_v3 import KiroV3
from ctxd_parsers.parser import Parser
from ctxd_parsers.plugins import installed
from ctxd_parsers.windsurf_devin import WindsurfDevin
from ctxd_parsers.windsurf_devin_transcript import WindsurfDevinTranscript
from ctxd_parsers.windsurf_transcript import WindsurfTranscript

_OWN: tuple[Parser, ...] = (
    ClaudeCode(),
    Codex(),
    CopilotCli(),
    CopilotVscode(),
    CopilotVscodeJson(),
    CopilotVscodeTranscript(),
    CursorCli(),
    CursorIde(),
    CursorTranscript(),
    GeminiCli(),
    GeminiCliJson(),
    KiroCli(),
    KiroIde(),
    KiroSqlite(),
    KiroV3(),
    WindsurfDevin(),
    WindsurfDevinTranscript(),
    WindsurfTranscript(),
)
PARSERS: tuple[Parser, ...] = (*_OWN, *installed(parser.name for parser in _OWN))
"""Ours, and those that other packages bring."""


class TwoClaimsError(Exception):
    """Two parsers claim the same file: a defect of the parsers, named so that it can be mended."""


def claimant(path: PurePath, head: bytes, parsers: tuple[Parser, ...] = PARSERS) -> Parser | None:
    """The one parser whose store `path` belongs to, or None; raise `TwoClaimsError` for two."""
    claims = [parser for parser in parsers if parser.claims(path, head)]
    if len(claims) > 1:
        names = " and ".join(parser.name for parser in claims)
        raise TwoClaimsError(f"{names} both claim {path}")
    return claims[0] if claims else None


def parser_named(name: str) -> Parser:
    """The parser of that name; raise KeyError if there is none."""
    return next(iter([parser for parser in PARSERS if parser.name == name] or _missing(name)))


def _missing(name: str) -> list[Parser]:
    raise KeyError(name)
