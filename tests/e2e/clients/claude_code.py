"""Claude Code as a person or a program uses it, with a model server of ours behind it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from e2e.clients.client import QUIET_SECONDS, Client
from e2e.clients.dialects import Messages
from e2e.clients.installed import Installed
from e2e.clients.model_server import ModelServer, Reply, Request, Scripted, Tool
from e2e.clients.terminal import MARK, Terminal
from e2e.daemon import wait_until

KEY = "sk-ant-stub-000000000000000000000000000000"
WINDOW = 200_000
EDITS = ("--permission-mode", "acceptEdits")
"""How an editor starts it that shows edits itself."""
FULL = 194_000
"""Tokens beyond which each version compacts by itself before the next request."""


class ClaudeCode(Client):
    """The client, however it is used."""

    agent = "claude-code"
    _logs = ".claude/projects/*/*.jsonl"
    _compacted = b'"isCompactSummary":true'

    def __init__(self, installed: Installed, folder: Path, **variables: str) -> None:
        super().__init__(installed, folder, ModelServer(Messages()), variables)
        self._prepare()

    @property
    def environment(self) -> dict[str, str]:
        return {
            **super().environment,
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": KEY,
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_INSTALLATION_CHECKS": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(WINDOW),
            "IS_SANDBOX": "1",
            **self.variables,
        }

    @property
    def session(self) -> str:
        return self.logs[-1].stem

    def resume(self) -> None:
        self.start("--resume", self.session)

    def command(self, *arguments: str) -> list[str]:
        return [*self.installed.command, *arguments]

    def _prepare(self) -> None:
        settings = self.home / ".claude"
        settings.mkdir(parents=True, exist_ok=True)
        version = self.installed.version
        state = {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": version,
            "lastReleaseNotesSeen": version,
            "theme": "dark",
            "numStartups": 5,
            "autoUpdates": False,
            "installMethod": "global",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {
                str(self.repo): {
                    "hasTrustDialogAccepted": True,
                    "hasCompletedProjectOnboarding": True,
                    "projectOnboardingSeenCount": 5,
                }
            },
        }
        (self.home / ".claude.json").write_text(json.dumps(state), encoding="utf-8")
        allowed = {"permissions": {"allow": ["Read", "Edit", "Write", "Agent", "Task"]}}
        (settings / "settings.json").write_text(json.dumps(allowed, indent=2), encoding="utf-8")


class ClaudeCodeTerminal(ClaudeCode):
    """The client in a terminal: all that a person can say there."""

    planning = ("--permission-mode", "plan")
    _dialogs = (
        ("Do you want to use this API key", ("1",)),
        ("trust this folder", ("Enter",)),
        ("trust the files in this folder", ("Enter",)),
        ("Resume from summary", ("Down", "Enter")),
    )
    _ready = rf"^[│ ]*[{MARK}>](\s|$)"

    def __init__(self, installed: Installed, folder: Path, **variables: str) -> None:
        super().__init__(installed, folder, **variables)
        self.terminal = Terminal(folder)

    def _wait(self, check: Callable[[], object], seconds: float, what: str) -> None:
        self.terminal.wait(check, seconds, what)

    def start(self, *arguments: str) -> None:
        self.terminal.start(self.command(*arguments), self.repo, self.environment)
        answered: set[str] = set()

        def ready() -> bool:
            screen = self.terminal.screen
            for shown, keys in self._dialogs:
                if shown in screen and shown not in answered:
                    answered.add(shown)
                    time.sleep(0.3)
                    self.terminal.keys(*keys)
                    return False
            return re.search(self._ready, screen, re.MULTILINE) is not None and "─" * 20 in screen

        self.terminal.wait(ready, 60, "the client is ready")
        time.sleep(0.3)

    def say(self, words: str, *replies: Scripted) -> None:
        self.model.replies.extend(replies)
        before = self.model.turns
        self.terminal.enter(words)
        self.wait_turn(before)

    def refuse(self, request: str, words: str) -> None:
        """Turn down a command that the agent wants to run, with words."""
        call = Tool("Bash", {"command": "rm -rf build", "description": "Remove the build folder"})
        self.model.replies.extend([Reply("I clear the build folder.", (call,)), "Not done, then."])
        self.terminal.enter(request)
        self.terminal.wait_for("Do you want to proceed")
        before = self.model.turns
        self.terminal.choose(r"\d\. (No|Type here)")
        self.terminal.press("Tab", "Tab to (amend|add)")
        self.terminal.enter(words)
        self.wait_turn(before)

    def answer(self, request: str, question: str, options: tuple[str, str], words: str) -> None:
        """Answer a dialog of the agent's with words of one's own."""
        asked = {
            "question": question,
            "header": "Choice",
            "multiSelect": False,
            "options": [{"label": one, "description": f"Take {one}"} for one in options],
        }
        call = Tool("AskUserQuestion", {"questions": [asked]})
        self.model.replies.extend([Reply("One question.", (call,)), "Noted."])
        self.terminal.enter(request)
        self.terminal.wait_for(re.escape(options[0]))
        before = self.model.turns
        if words in options:
            self.terminal.choose(rf"\d\. {re.escape(words)}")
            self.terminal.accept()
        else:
            self.terminal.choose(r"\d\. (Type something|Other)")
            self.terminal.enter(words)
        time.sleep(QUIET_SECONDS)
        if self.terminal.shows(r"\d\. Submit answers"):
            self.terminal.keys("Enter")
        self.wait_turn(before)

    def plan(self, request: str, plan: str, words: str) -> None:
        """Say what is to change about a plan; the session has to be in plan mode."""

        def written(request: Request) -> Reply:
            path = re.search(r'(/[^\s"\\]*/\.claude/plans/[\w.-]+\.md)', request.text)
            assert path, "the request names no file for the plan"
            return Reply(
                "I write it down.", (Tool("Write", {"file_path": path[1], "content": plan}),)
            )

        shown = Reply("Here is my plan.", (Tool("ExitPlanMode", {"plan": plan}),))
        self.model.replies.extend([written, shown, "I change the plan."])
        self.terminal.enter(request)
        self.terminal.wait_for(r"\d\. (Tell Claude|Type here)")
        before = self.model.turns
        self.terminal.choose(r"\d\. (Tell Claude|Type here)")
        self.terminal.enter(words)
        self.wait_turn(before)
        self.terminal.press("BTab", "(plan|auto) mode on|accept edits on")

    def queue(self, request: str, words: str) -> None:
        """Say something while the agent is at work."""
        asked, before = len(self.model.requests), self.model.turns
        read = Tool("Read", {"file_path": str(self.repo / "readme.txt")})
        self.model.replies.extend([Reply("I look at it.", (read,), seconds=1.5), "Noted."])
        self.terminal.enter(request)
        wait_until(lambda: len(self.model.requests) > asked, 10, "the agent is at work")
        self.terminal.enter(words)
        self.wait_turn(before)

    def compact(self, summary: str) -> None:
        self.expect(summary)
        done = self.compactions()
        self.terminal.enter("/compact")
        self.wait_compacted(done)
        self.wait_quiet()

    def fill(self, words: str) -> None:
        self.say(words, Reply("Done, as agreed.", tokens=FULL))

    def clear(self) -> None:
        self.terminal.enter("/clear")
        time.sleep(1.0)

    def stop(self) -> None:
        if self.terminal.running:
            self.terminal.enter("/exit")
            self.terminal.wait(lambda: not self.terminal.running, 20, "the client ends")

    def close(self) -> None:
        self.terminal.close()
        super().close()


class ClaudeCodeStream(ClaudeCode):
    """The client as editors use it: prompts go in as JSON, no terminal."""

    @property
    def environment(self) -> dict[str, str]:
        """Whoever is an editor's extension says so; a program's prompts are nobody's word."""
        return {**super().environment, "CLAUDE_CODE_ENTRYPOINT": "claude-vscode"}

    process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        wire = ("-p", "--input-format", "stream-json", "--output-format", "stream-json")
        with (self.home / "stream.jsonl").open("ab") as output:
            self.process = subprocess.Popen(
                self.command(*wire, "--verbose", *EDITS, *arguments),
                cwd=self.repo,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def output(self) -> list[dict]:
        """What it has told so far."""
        *lines, _ = (self.home / "stream.jsonl").read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines if line.startswith("{")]

    def say(self, words: str, *replies: Scripted) -> None:
        self.model.replies.extend(replies)
        results = self._results()
        self._send(words)
        wait_until(lambda: self._results() > results, 60, "the turn's result")

    def compact(self, summary: str) -> None:
        self.expect(summary)
        self.say("/compact")

    def fill(self, words: str) -> None:
        self.say(words, Reply("Done, as agreed.", tokens=FULL))

    def stop(self) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)

    def close(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
            if self.process.stdin is not None:
                self.process.stdin.close()
        super().close()

    def _results(self) -> int:
        return sum(line.get("type") == "result" for line in self.output)

    def _send(self, words: str) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        message = {"type": "user", "message": {"role": "user", "content": words}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
