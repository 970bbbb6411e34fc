"""The command that an agent's configuration holds: the hook client, and whom it talks to.

Everything in it is absolute, since agents start hooks with environments of their own. The address
is written down when the hook is installed: what it is computed from (CTXD_HOME, XDG_RUNTIME_DIR)
may be another one, or none, where the agent runs, and to compute it would take longer than the
call itself.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ctxd.places import Places
from ctxd.service.asking import control_address


def client_command(agent: str, places: Places, event: str = "") -> tuple[str, ...]:
    """The words of the command for the hooks of an agent.

    `event` is for agents whose payload does not say at which moment the hook was called: then it
    is told here.
    """
    client = Path(__file__).with_name("client.py")
    address = control_address(places.runtime)
    if os.name == "nt":  # a shell of another system's kind would take backslashes for its own
        address = address.replace("\\", "/")
    words = (sys.executable, "-I", "-S", str(client), agent, address)
    return (*words, event) if event else words
