"""Codex. It was not seen to delete a log; archiving moves one to another folder, which is read."""

from __future__ import annotations

from ctxd.clients.client import Client

CODEX = Client(agent="codex", product="Codex", proven=("0.57.0", "0.98.0", "0.144.0", "0.171.0"))
