"""What is left of what a user said after a compaction: `python tests/bench/survival.py [CLIENT]`.

Drives the real clients (`make clients`) through the same sessions without and with ctxd, and prints
as a Markdown table how much of it the next request states, word for word. Those not installed are
left out. With `--ways` the ways of saying something follow, with what each client lost of them.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from e2e.clients import installed
from e2e.clients.claude_code import ClaudeCodeStream, ClaudeCodeTerminal
from e2e.clients.client import Client
from e2e.clients.copilot import CopilotProgram, CopilotTerminal
from e2e.clients.guarded import guarded, running
from e2e.clients.survival import Compaction, Outcome, play

CLIENTS: Sequence[tuple[type[Client], str, Sequence[str]]] = (
    (ClaudeCodeTerminal, "terminal", installed.CLAUDE_CODE),
    (ClaudeCodeStream, "editor", installed.CLAUDE_CODE[:1]),
    (CopilotTerminal, "terminal", installed.COPILOT),
    (CopilotProgram, "editor, long session", installed.COPILOT),
)
NAMES = {"claude-code": "Claude Code", "copilot-cli": "Copilot CLI"}
HOW: Sequence[Compaction] = ("manual", "automatic")


class Row(NamedTuple):
    """One client, and how its window was compacted."""

    client: str
    how: str
    without: Outcome
    with_ctxd: Outcome


def rows(only: str) -> Iterator[Row]:
    for client, where, versions in CLIENTS:
        if only not in client.agent or (where == "terminal" and not installed.TMUX):
            continue
        for version in filter(lambda v: installed.find(client.agent, v), versions):
            for how in HOW:
                name = f"{NAMES[client.agent]} {version}, {where}"
                yield Row(name, how, alone(client, version, how), beside(client, version, how))


def alone(client: type[Client], version: str, how: Compaction) -> Outcome:
    with running(client, version) as it:
        return play(it, how)


def beside(client: type[Client], version: str, how: Compaction) -> Outcome:
    with running(client, version) as it, guarded(it):
        return play(it, how)


def share(outcome: Outcome) -> str:
    return f"{len(outcome.there)} of {len(outcome.said)}"


def lost(outcome: Outcome) -> str:
    return ", ".join(one.way for one in outcome.missing) or "nothing"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("client", nargs="?", default="", help="part of an agent's name")
    arguments.add_argument("--ways", action="store_true", help="say what was lost, too")
    chosen = arguments.parse_args()
    print("| client | compaction | without ctxd | with ctxd |\n|---|---|---|---|")
    found = []
    for row in rows(chosen.client):
        found.append(row)
        cells = (row.client, row.how, share(row.without), share(row.with_ctxd))
        print(f"| {' | '.join(cells)} |", flush=True)
    if not found:
        sys.exit(f"error: {installed.missing() or 'no such client is installed'}")
    if chosen.ways:
        for row in found:
            print(f"\n{row.client}, {row.how}: without ctxd it loses {lost(row.without)};")
            print(f"with ctxd {lost(row.with_ctxd)}")


if __name__ == "__main__":
    main()
