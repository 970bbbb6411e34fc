"""Cursor. It was not seen to delete a log."""

from __future__ import annotations

from ctxd.clients.client import Client

CURSOR = Client(agent="cursor", product="Cursor")
