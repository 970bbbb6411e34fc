"""Copilot, on the command line and in VS Code. Neither was seen to delete a log."""

from __future__ import annotations

from ctxd.clients.client import Client

COPILOT_CLI = Client(
    agent="copilot-cli", product="Copilot CLI", proven=("1.0.20", "1.0.61", "1.0.102")
)

COPILOT_VSCODE = Client(agent="copilot-vscode", product="Copilot in VS Code")
