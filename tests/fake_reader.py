"""A program in the place of an agent that is asked as the reader: it answers as a test wants it to.

It speaks as `codex exec` does: the question on standard input, the answer in a file. What it is to
do stands in a file that the test may change at any time; what it did, in another one.
"""

import json
import os
import sys
import time
from pathlib import Path

from ctxd.processes import living

_SCRIPT = '''#!{python} -IS
import fcntl, json, os, re, signal, subprocess, sys, time

FOLDER = {folder!r}


def note(*words):
    with open(os.path.join(FOLDER, "calls"), "a") as file:
        file.write(json.dumps([time.monotonic(), os.getpid(), *words]) + "\\n")


def items(prompt):
    """An item for each turn, of all the user's words in it."""
    found, number, words, line = [], None, [], ""
    key = re.search(r"Lines that begin with `([^`]+)`", prompt)[1]
    for line in prompt.splitlines():
        if not line.startswith(key):
            words.append(line)
            continue
        if number is not None and words:
            quote = words[0].strip()
            found.append({{
                "turn": number, "quote": quote, "from_turn": None, "proposal_quote": None,
                "statement": quote, "kind": "constraint", "reason": "", "rejected": [],
                "scope": [], "authority": "user", "durability": "repo", "sure": 3,
                "candidate": None, "supersedes": [],
            }})
        user = re.match(re.escape(key) + r" turn (\\d+), the user", line)
        number, words = int(user[1]) if user else None, []
    return found


def answer(text):
    usage = {{"input_tokens": 100, "output_tokens": 50}}
    print(json.dumps({{"type": "turn.completed", "usage": usage}}))
    with open("answer.json", "w") as file:
        file.write(text)


def fail(message):
    print(json.dumps({{"type": "turn.failed", "error": {{"message": message}}}}), flush=True)
    sys.exit(1)


prompt = sys.stdin.read()
with open(os.path.join(FOLDER, "how")) as file:
    ways = file.read().split()
is_again = "Your last answer" in prompt
note("began", is_again)
others = open(os.path.join(FOLDER, "alone"), "w")
try:
    fcntl.flock(others, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    note("crowded")
way = ways[0]
if len(ways) > 1:
    with open(os.path.join(FOLDER, "how"), "w") as file:
        file.write(" ".join(ways[1:]))
if way == "ponder":
    time.sleep(0.4)
if way in ("good", "ponder"):
    answer(json.dumps({{"items": items(prompt), "not_items": []}}))
elif way == "nothing":
    answer(json.dumps({{"items": [], "not_items": []}}))
elif way == "lost":
    labels = re.findall(r"^#\\w+ (i\\d+) ", prompt, re.MULTILINE)
    gone = {{"answer": "lost", "passage": "", "why": "not stated"}}
    answer(json.dumps({{"items": [gone | {{"item": label}} for label in labels]}}))
elif way == "babble":
    answer("I would rather talk about the weather.")
elif way == "invented":
    made = [one | {{"quote": "these words were never said by anyone"}} for one in items(prompt)]
    answer(json.dumps({{"items": made, "not_items": []}}))
elif way == "rate":
    fail("429 too many requests, try again in 3600 seconds")
elif way == "key":
    fail("401 unauthorized")
elif way == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
elif way == "silent":
    sys.exit(3)
elif way == "flood":
    while True:
        sys.stdout.write("x" * 65536)
elif way in ("hang", "fork"):
    if way == "fork":
        deaf = "import signal, time; signal.signal(15, 1); print(1, flush=True); time.sleep(600)"
        for new_session in (False, True):
            grown = subprocess.Popen(
                [sys.executable, "-IS", "-c", deaf, FOLDER],
                start_new_session=new_session,
                stdout=subprocess.PIPE,
            )
            grown.stdout.readline()
            note("forked", grown.pid)
    note("hangs")
    time.sleep(600)
note("ended")
'''


class FakeReader:
    """The program, and what became of the calls to it."""

    def __init__(self, folder: Path, *ways: str) -> None:
        self.folder = folder / "reader program"
        self.folder.mkdir(parents=True)
        self.path = self.folder / "codex"
        script = _SCRIPT.format(python=sys.executable, folder=str(self.folder))
        self.path.write_text(script, encoding="utf-8")
        self.path.chmod(0o700)
        self.does(*ways or ("good",))

    def does(self, *ways: str) -> None:
        """What it does at the next calls; the last of it at all that follow."""
        fresh = self.folder / "how.new"
        fresh.write_text(" ".join(ways), encoding="ascii")
        os.replace(fresh, self.folder / "how")

    @property
    def settings(self) -> str:
        """The part of the configuration that chooses it."""
        return f"[reader]\nbackend = 'codex'\nprogram = '{self.path}'\n"

    def notes(self, word: str) -> list[list[object]]:
        """What it noted of one kind: time, pid, and the rest."""
        try:
            lines = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [[at, pid, *more] for at, pid, said, *more in map(json.loads, lines) if said == word]

    @property
    def calls(self) -> int:
        """Calls that were begun."""
        return len(self.notes("began"))

    def at_most_one(self) -> bool:
        """Whether no two of its processes ever ran at the same time."""
        return not self.notes("crowded")

    def living(self) -> list[int]:
        """Processes of it that run, and those that they started."""
        pids = {int(pid) for _, pid, *_ in self.notes("began")}
        pids |= {int(more[0]) for _, _, *more in self.notes("forked")}
        return [pid for pid in pids if living(pid) and self._is_ours(pid)]

    def _is_ours(self, pid: int) -> bool:
        """Whether it is not another process that has inherited the pid."""
        try:
            return str(self.folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    def is_gone(self, seconds: float = 10.0) -> bool:
        """Whether nothing of it runs any more, soon."""
        until = time.monotonic() + seconds
        while self.living() and time.monotonic() < until:
            time.sleep(0.02)
        return not self.living()
