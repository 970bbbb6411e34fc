"""Which pairs the model of the retention judge was trained on."""

from __future__ import annotations

import hashlib
from pathlib import Path

FOLDER = Path(__file__).parent / "pairs"


def pairs_files() -> list[Path]:
    """Return the files with pairs to train on; what is held out stands in a folder below."""
    return sorted(FOLDER.glob("*.jsonl"))


def version() -> str:
    """Return a hash of the pairs."""
    digest = hashlib.sha256()
    for path in pairs_files():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
