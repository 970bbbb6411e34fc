"""Which material a model was trained on."""

from __future__ import annotations

import hashlib

from tests.train.material import FOLDER


def version() -> str:
    """Return a hash of the material."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.glob("*.jsonl")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
