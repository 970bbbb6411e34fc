"""The Gemini CLI as a reader: headless, with an empty list of tools, and settings for this call.

The settings stand in the private folder that it runs in, as a project's own: they go before the
user's, of which the login stays in force, and nothing of the user's is changed. A report that it
writes after an error holds the whole prompt: that goes into the private folder too.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from ctxd.hooks.gemini import GEMINI
from ctxd.reader import programs
from ctxd.reader.complaints import COMMON, ended, sign, told
from ctxd.reader.mentions import hidden, shown
from ctxd.reader.values import Ask, Choice, Command, Finished, ReaderError, Ready, Reply

_WANTED = programs.Wanted(called="the Gemini CLI", first=(0, 42), update="update the Gemini CLI")
"""The first version that was tried."""
_SYSTEM = "system.md"
_NONE = "none"
_NO_LOGIN_CODE = 41
_SETTINGS = {
    "tools": {"core": [_NONE], "discoveryCommand": "", "sandbox": False, "useRipgrep": False},
    "mcp": {"allowed": [_NONE]},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "context": {
        "fileName": f"{_NONE}.md",
        "includeDirectoryTree": False,
        "memoryBoundaryMarkers": [],
    },
    "general": {
        "checkpointing": {"enabled": False},
        "enableAutoUpdate": False,
        "enableAutoUpdateNotification": False,
        "maxAttempts": 2,
    },
    "model": {"disableLoopDetection": True, "maxSessionTurns": 3},
    "experimental": {"enableAgents": False},
    "ide": {"enabled": False},
    "useWriteTodos": False,
}
_VARIABLES = {
    "GEMINI_SYSTEM_MD": _SYSTEM,
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GEMINI_CLI_NO_RELAUNCH": "true",
    "GEMINI_SANDBOX": "false",
    "NO_BROWSER": "true",
    "NO_COLOR": "1",
    "TMPDIR": ".",
    "TEMP": ".",
    "TMP": ".",
}
_RULES = """\
You read what you are given and answer with one JSON object, without a fence and without a word \
before or after it. You call no tools. The object conforms to this JSON Schema:
{schema}
"""
_MODEL = "flash"
"""Left to choose by itself, it sends all of the text to another model first, to learn how hard it
is. This one is there for every login."""
_KEYS = (
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_GENAI_USE_GCA",
)
_SIGNS = (
    sign(r"quota", "rate", "has used up what it may ask for now"),
    sign(r"gemini_api_key|auth method", "key", "is not logged in, or its key is not there"),
    sign(r"is not found for api version", "account", "does not have the model it was asked for"),
    sign(r"recitation", "refused", "does not want to answer this"),
    *COMMON,
)


class _Tokens(msgspec.Struct):
    prompt: int = 0
    candidates: int = 0
    thoughts: int = 0


class _Model(msgspec.Struct):
    tokens: _Tokens = msgspec.field(default_factory=_Tokens)


class _Stats(msgspec.Struct):
    models: dict[str, _Model] = {}


class _Error(msgspec.Struct):
    message: str = ""


class _Result(msgspec.Struct):
    response: str | None = None
    stats: _Stats = msgspec.field(default_factory=_Stats)
    error: _Error | None = None


class GeminiCliBackend:
    """See the module."""

    name = "gemini-cli"
    title = "Gemini CLI (gemini -p)"
    needs_key = False

    def sends_to(self, choice: Choice) -> str:
        """Google, unless the environment names another server."""
        del choice
        if os.environ.get("GOOGLE_GEMINI_BASE_URL"):
            return "the server that GOOGLE_GEMINI_BASE_URL names, through your Gemini CLI"
        if os.environ.get("GOOGLE_GENAI_USE_VERTEXAI"):
            return "Google Cloud, in your own project, through your Gemini CLI"
        return "Google, through your Gemini CLI login"

    def ready(self, choice: Choice) -> Ready:
        """By the program, and whether a way to log in was chosen."""
        found = programs.ready(GEMINI, choice, _WANTED)
        if found.is_ready and not _is_logged_in():
            hint = "run `gemini` once and log in"
            return Ready(is_ready=False, what=found.what, why_not="not logged in", hint=hint)
        return found

    def command(self, ask: Ask, choice: Choice) -> Command:
        """`gemini` with the question on its standard input, which makes it headless."""
        program = programs.find(GEMINI.programs, choice)
        options = ["--output-format", "json", "--extensions", _NONE]
        if model := choice.model or _model():
            options += ["--model", model]
        return Command(
            argv=[program, *options],
            stdin=hidden(ask.prompt),
            env={**programs.variables(program), **_VARIABLES},
            files={
                ".gemini/settings.json": json.dumps(_SETTINGS),
                _SYSTEM: _RULES.format(schema=json.dumps(ask.schema)),
            },
        )

    def reply(self, finished: Finished) -> Reply:
        """What stands in the object that it prints; an error's is on standard error."""
        if finished.code:
            if finished.code == _NO_LOGIN_CODE:
                raise ReaderError("key", "the Gemini CLI is not logged in")
            complaint = _complaint(finished.stderr)
            raise told(complaint, "Gemini CLI", _SIGNS) or ended(finished, "Gemini CLI")
        result = _result(finished.stdout)
        text = shown(result.response or "")
        if not text.strip():
            complaint = result.error.message if result.error else ""
            raise told(complaint, "Gemini CLI", _SIGNS) or ReaderError(
                "malformed", "Gemini CLI gave an empty answer"
            )
        models = result.stats.models
        return Reply(
            text=text,
            model=max(models, key=lambda name: models[name].tokens.prompt, default=""),
            input_tokens=sum(one.tokens.prompt for one in models.values()) if models else None,
            output_tokens=sum(
                one.tokens.candidates + one.tokens.thoughts for one in models.values()
            )
            if models
            else None,
        )


def _result(stdout: str) -> _Result:
    """The object that it prints, whatever stands before it."""
    with contextlib.suppress(ValueError, msgspec.MsgspecError, RecursionError):
        data, _ = json.JSONDecoder().raw_decode(stdout, stdout.index("{"))
        return msgspec.convert(data, _Result)
    raise ReaderError("malformed", "Gemini CLI printed no answer")


def _complaint(stderr: str) -> str:
    """The message of the error that it tells last; all that it told, where there is none."""
    with contextlib.suppress(ValueError, msgspec.MsgspecError, RecursionError):
        data, _ = json.JSONDecoder().raw_decode(stderr, stderr.rindex('{\n  "session_id"'))
        error = msgspec.convert(data, _Result).error
        if error is not None and error.message:
            return error.message
    return stderr


def _home() -> Path:
    return Path(os.environ.get("GEMINI_CLI_HOME") or Path.home()) / ".gemini"


def _is_logged_in() -> bool:
    if any(map(os.environ.get, _KEYS)):
        return True
    return bool(_part(_part(_settings(), "security"), "auth").get("selectedType"))


def _model() -> str:
    """The model to be asked for where the user has not said which; empty where he has."""
    named = os.environ.get("GEMINI_MODEL") or _part(_settings(), "model").get("name")
    return _MODEL if not named or str(named).startswith("auto") else ""


def _settings() -> Mapping[str, Any]:
    try:
        found = json.loads((_home() / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _part(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = settings.get(name)
    return found if isinstance(found, dict) else {}


BACKEND = GeminiCliBackend()
