"""What kind of file system a folder lies on, as far as it decides whether writes are told."""

from __future__ import annotations

import os
import re
from pathlib import Path

MOUNTS = Path("/proc/mounts")

_SILENT = frozenset(
    {"9p", "afs", "ceph", "cifs", "drvfs", "glusterfs", "lustre", "nfs", "nfs4", "prl_fs"}
    | {"smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"}
)
"""Where others may write without this system noticing: network file systems, and folders shared
with a host. FUSE counts too, since it is anybody's code."""


class Mounts:
    """The mount table as it was when it was read; empty on systems without one."""

    def __init__(self, table: Path = MOUNTS) -> None:
        try:
            lines = table.read_bytes().splitlines()
        except OSError:
            lines = []
        self._types: dict[str, str] = {}
        for line in lines:
            _device, folder, kind, *_options = [*line.split(b" "), b"", b""]
            self._types[_unescape(folder)] = os.fsdecode(kind)

    def silent(self, folder: str) -> str | None:
        """The kind of file system when it may change without events; None when it tells all."""
        while folder not in self._types and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        kind = self._types.get(folder, "")
        return kind if kind in _SILENT or kind.startswith("fuse") else None


def _unescape(field: bytes) -> str:
    """A path as the table writes it, where blanks are octal numbers."""
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8) & 255]), field))
