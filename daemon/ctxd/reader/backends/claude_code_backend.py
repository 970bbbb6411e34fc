"""Claude Code as a reader: `claude -p` with one question, no tool, and no session left behind.

Measured with 2.0.77, 2.1.197 and 2.1.332. Safe mode keeps the user's hooks, instructions, plugins
and servers out and lets his login in, also one that stands in his settings; `--bare` would not read
the login of a subscription. Versions without a safe mode read no settings at all. Given a schema,
2.0.77 asks without end for an answer in it (947 times in 50 s), so that only later ones are given
one, and two turns. An answer that is cut is asked for again, up to ten times: a limit of money ends
that. While prompts are cached, 2.0.77 asks three sub-agents in passing; caching gains nothing for
a question that is asked once.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import msgspec

from ctxd.hooks.claude_code import CLAUDE_CODE
from ctxd.policy.reader import READER_CALL_MONEY, READER_THINKING_TOKENS, READER_WAIT_TOLD_SECONDS
from ctxd.reader import programs
from ctxd.reader.complaints import COMMON, ended, sign, told
from ctxd.reader.mentions import hidden, shown
from ctxd.reader.own import MARK
from ctxd.reader.values import Ask, Choice, Command, Finished, ReaderError, Ready, Reply

_TITLE = "Claude Code"
_INSTRUCTIONS = "instructions.md"
_WANTED = programs.Wanted(called="Claude Code", first=(2, 0, 77), update="run `claude update`")
"""The first version that was tried."""
_SAFE = (2, 1, 197)
"""The first one that was tried of those with a safe mode, and with an end to asking for a form."""
_OPTIONS = (
    "-p",
    *("--output-format", "json"),
    "--no-session-persistence",
    *("--tools", ""),
    *("--permission-mode", "dontAsk"),
    "--strict-mcp-config",
    "--disable-slash-commands",
    *("--system-prompt-file", _INSTRUCTIONS),
    *("--max-budget-usd", str(READER_CALL_MONEY)),
)
_NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SIMPLE")
"""Variables of a session that the daemon may have been started in, and of a mode without login."""
_PROVIDERS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
_OFF = frozenset({"", "0", "false", "no", "off"})
_SIGNS = (
    sign(
        r"safeguards flagged|unable to respond to this request|usage polic",
        "refused",
        "does not want to answer this",
    ),
    sign(r"prompt is too long", "long", "was asked more than its model takes"),
    sign(
        r"not logged in|/login|failed to authenticate",
        "account",
        "is not logged in: start `claude` and log in",
    ),
    sign(r"credit balance", "account", "has no credit left"),
    sign(
        r"issue with the selected model|not_found_error",
        "account",
        "does not have the model it was asked for",
    ),
    sign(r"unknown option", "account", "is too old for this: it has to be updated"),
    sign(r"hit your [^\n]{0,40}limit|limit reached", "rate", "has reached the limit of its plan"),
    *COMMON,
)
_CUT = re.compile(r"exceeded the \d+ output token maximum")
_RESETS = re.compile(r"(?i)resets (\d{1,2})(?::(\d\d))? ?([ap])m(?: \(([\w/+-]{1,40})\))?")
_AT = re.compile(r"(?i)limit reached\|(\d{10})\b")
_COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class _Result(msgspec.Struct):
    """What it prints at the end."""

    type: str
    subtype: str = ""
    is_error: bool = False
    result: str | None = None
    structured_output: Any = None
    usage: dict[str, Any] = {}
    total_cost_usd: float | None = None
    model_usage: dict[str, Any] = msgspec.field(name="modelUsage", default_factory=dict)

    @property
    def text(self) -> str:
        """Its answer, as JSON where it was held to it."""
        if self.structured_output is not None:
            return json.dumps(self.structured_output, ensure_ascii=False)
        return (self.result or "").strip()

    @property
    def model(self) -> str:
        """The one that said most; others are asked in passing."""
        known = {name: one for name, one in self.model_usage.items() if isinstance(one, dict)}
        said = {name: _number(one.get("outputTokens")) for name, one in known.items()}
        return max(said, key=said.__getitem__).partition("[")[0] if said else ""

    def reply(self, *, cut: bool = False) -> Reply:
        """The same as what a reader said."""
        return Reply(
            text="" if cut else shown(self.text),
            model=self.model,
            input_tokens=sum(_number(self.usage.get(name)) for name in _COUNTED),
            output_tokens=_number(self.usage.get("output_tokens")),
            money=self.total_cost_usd,
            cut=cut,
        )


class ClaudeCodeBackend:
    """See the module."""

    name = "claude-code"
    title = "Claude Code (claude -p)"
    needs_key = False

    def sends_to(self, choice: Choice) -> str:
        """Anthropic, unless Claude Code is set up with another provider."""
        del choice
        variables = {**_settings_variables(), **os.environ}
        for name, provider in _PROVIDERS.items():
            if variables.get(name, "").casefold() not in _OFF:
                return f"{provider}, as your Claude Code is set up"
        host = urlsplit(variables.get("ANTHROPIC_BASE_URL", "")).hostname
        if host and not host.endswith(".anthropic.com"):
            return f"`{host}`, as your Claude Code is set up"
        return "Anthropic, through your Claude Code login"

    def ready(self, choice: Choice) -> Ready:
        """By the program and its version."""
        return programs.ready(CLAUDE_CODE, choice, _WANTED)

    def command(self, ask: Ask, choice: Choice) -> Command:
        """`claude -p` with what is to be read on its standard input."""
        program = programs.find(CLAUDE_CODE.programs, choice)
        version = _version(program)
        options = list(_OPTIONS)
        if not version or version >= _SAFE:
            options += ["--safe-mode", "--max-turns", "2"]
            if not program.lower().endswith((".cmd", ".bat")):
                # A script of Windows takes quotes out of what it is given.
                options += ["--json-schema", json.dumps(ask.schema)]
        else:
            options += ["--setting-sources", "", "--max-turns", "1"]
        if choice.model:
            options += ["--model", choice.model]
        return Command(
            argv=[program, *options],
            stdin=hidden(f"{MARK}\n{ask.text}"),
            env={
                **programs.variables(program),
                **CLAUDE_CODE.quiet,
                **dict.fromkeys(_NESTED, ""),
                "DISABLE_PROMPT_CACHING": "1",
                "CLAUDE_CODE_MAX_RETRIES": "1",
                "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(ask.answer_tokens + READER_THINKING_TOKENS),
            },
            files={_INSTRUCTIONS: ask.instructions},
        )

    def reply(self, finished: Finished) -> Reply:
        """The result that it prints; what went wrong stands in the same place."""
        result = _result(finished.stdout)
        if result is None:
            complaint = finished.stderr or finished.stdout
            raise told(complaint, _TITLE, _SIGNS) or ended(finished, _TITLE)
        if result.subtype == "error_max_budget_usd" or _CUT.search(result.text):
            return result.reply(cut=True)
        if result.is_error and result.result:
            raise _trouble(result.result)
        if result.subtype != "success" or not result.text:
            raise ReaderError("malformed", f"{_TITLE} gave no answer in the form it was asked for")
        return result.reply()


def _result(stdout: str) -> _Result | None:
    """The last of its lines that is a result; others may print something before."""
    for line in reversed(stdout.splitlines()):
        with contextlib.suppress(msgspec.MsgspecError, RecursionError):
            found = msgspec.json.decode(line, type=_Result)
            if found.type == "result":
                return found
    return None


def _trouble(complaint: str) -> ReaderError:
    error = told(complaint, _TITLE, _SIGNS)
    if error is None:
        return ReaderError("broken", f"{_TITLE} did not get an answer from its server")
    if error.trouble == "rate" and error.retry_after is None:
        error.retry_after = _wait(complaint, time.time())
    return error


def _wait(words: str, now: float) -> float | None:
    """Seconds until the limit of a plan is no more, where it says when that is."""
    seconds = None
    if found := _AT.search(words):
        seconds = int(found[1]) - now
    elif found := _RESETS.search(words):
        seconds = _until(found, now)
    return min(max(seconds, 1.0), READER_WAIT_TOLD_SECONDS) if seconds is not None else None


def _until(found: re.Match[str], now: float) -> float | None:
    """Seconds until it is next that time of day there."""
    hour = int(found[1]) % 12 + 12 * (found[3] in "pP")
    try:
        here = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(found[4]) if found[4] else None)
        then = here.replace(hour=hour, minute=int(found[2] or 0), second=0, microsecond=0)
    except (ValueError, OSError, KeyError):
        return None
    return ((then if then > here else then + timedelta(days=1)) - here).total_seconds()


@functools.cache
def _version(program: str) -> tuple[int, ...]:
    return programs.numbers(programs.version(program, CLAUDE_CODE.package, CLAUDE_CODE.quiet))


def _settings_variables() -> Mapping[str, str]:
    """Variables that stand in the user's settings; nothing where they cannot be read."""
    home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    with contextlib.suppress(OSError, ValueError, AttributeError, RecursionError):
        variables = json.loads((home / "settings.json").read_text(encoding="utf-8")).get("env")
        if isinstance(variables, dict):
            return {str(name): str(value) for name, value in variables.items()}
    return {}


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


BACKEND = ClaudeCodeBackend()
