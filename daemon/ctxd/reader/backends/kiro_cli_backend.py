"""The Kiro CLI as a reader: `kiro-cli chat --no-interactive`, as an agent that has no tools.

Built from its documentation and from reports of its users; it was not run here. It prints for
people: colours even into a file, a sign before the answer, its costs behind it, and Markdown as it
should look. What stands in a fence it leaves as it is; so the answer is asked for in one, and every
line of the rest is left out.
"""

from __future__ import annotations

import json
import re

from ctxd.hooks.kiro import KIRO_CLI
from ctxd.reader import programs
from ctxd.reader.complaints import COMMON, ended, sign, told
from ctxd.reader.mentions import hidden, shown
from ctxd.reader.values import Ask, Choice, Command, Finished, ReaderError, Ready, Reply

_AGENT = "ctxd-reader"
_FENCED = """

The answer is one JSON object of this JSON Schema, in one code fence (```json ... ```), with \
nothing else around it, and without calling a tool:
{schema}
"""
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PROMPT = re.compile(r"\A\s*>[ \t]?")
_COSTS = re.compile(r"\s*▸.*")
_SIGNS = (
    sign(
        r"tool approval required|--no-interactive was specified",
        "malformed",
        "wanted to call a tool instead of answering",
    ),
    sign(r"kiro_api_key|not authenticated", "key", "is not logged in, or its key is not taken"),
    sign(r"unexpected argument", "account", "is too old for this: it has to be updated"),
    sign(r"monthly.{0,20}limit|limit.{0,20}reached", "account", "has no credit left"),
    sign(r"having trouble responding|dispatch failure|internalserver", "broken", "is in trouble"),
    *COMMON,
)


_WANTED = programs.Wanted(called="the Kiro CLI")


class KiroCliBackend:
    """See the module."""

    name = "kiro-cli"
    title = "Kiro CLI (kiro-cli chat)"
    needs_key = False

    def sends_to(self, choice: Choice) -> str:
        """Always the same."""
        del choice
        return "Amazon Web Services, through your Kiro login"

    def ready(self, choice: Choice) -> Ready:
        """By the program alone: its login is not to be seen without a call to its server."""
        return programs.ready(KIRO_CLI, choice, _WANTED)

    def command(self, ask: Ask, choice: Choice) -> Command:
        """`kiro-cli chat` with the question on its standard input, as an agent of this call."""
        program = programs.find(KIRO_CLI.programs, choice)
        options = ["--no-interactive", "--trust-tools=", "--wrap", "never", "--agent", _AGENT]
        if choice.model:
            options += ["--model", choice.model]
        return Command(
            argv=[program, "chat", *options],
            stdin=hidden(ask.prompt) + _FENCED.format(schema=json.dumps(ask.schema)),
            env={**programs.variables(program), "NO_COLOR": "1", "TERM": "dumb"},
            files={f".kiro/agents/{_AGENT}.json": json.dumps(_agent(), indent=2)},
        )

    def reply(self, finished: Finished) -> Reply:
        """What it printed, without what it prints for people."""
        text = _plain(finished.stdout)
        if finished.code:
            complaint = f"{_plain(finished.stderr)}\n{text}"
            raise told(complaint, "Kiro CLI", _SIGNS) or ended(finished, "Kiro CLI")
        if "{" not in text:
            complaint = f"{text}\n{_plain(finished.stderr)}"
            raise told(complaint, "Kiro CLI", _SIGNS) or ReaderError(
                "malformed", "Kiro CLI gave no answer"
            )
        return Reply(text=shown(text))


def _agent() -> dict[str, object]:
    """An agent without tools, servers, hooks, or files that it reads by itself."""
    return {
        "name": _AGENT,
        "description": "Reads sessions for ctxd",
        "prompt": "You read what you are given and answer with one JSON object. You call no tools.",
        "mcpServers": {},
        "includeMcpJson": False,
        "tools": [],
        "allowedTools": [],
        "resources": [],
        "hooks": {},
    }


def _plain(printed: str) -> str:
    """The words of what was printed for a terminal."""
    text = _CONTROLS.sub("", _ESCAPES.sub("", printed).replace("\r\n", "\n").replace("\r", "\n"))
    lines = _PROMPT.sub("", text).split("\n")
    return "\n".join(line for line in lines if not _COSTS.fullmatch(line)).strip()


BACKEND = KiroCliBackend()
