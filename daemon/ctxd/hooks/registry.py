"""The agents whose hooks ctxd knows."""

from __future__ import annotations

from ctxd.hooks.claude_code import CLAUDE_CODE
from ctxd.hooks.copilot_cli import COPILOT_CLI
from ctxd.hooks.vendor import Vendor

VENDORS: tuple[Vendor, ...] = (CLAUDE_CODE, COPILOT_CLI)
"""In the order they are listed."""

BY_AGENT = {vendor.agent: vendor for vendor in VENDORS}
