"""Hooks of agents in a home of their own, put in and taken out by the parts of `ctxd hook`."""

from datetime import UTC, datetime
from pathlib import Path

from ctxd.hooks.installing import Installer
from ctxd.hooks.registry import BY_AGENT, VENDORS
from ctxd.places import Places
from ctxd_parsers.environment import Environment

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
ALL_AGENTS = [vendor.agent for vendor in VENDORS]


class Hooks:
    """One agent's, below a folder."""

    def __init__(self, folder: Path, agent: str, **variables: str) -> None:
        self.folder = folder
        self.vendor = BY_AGENT[agent]
        self.places = Places.under(folder / "own")
        self.env = Environment("linux", folder, variables)
        [self.file] = self.vendor.user_files(self.env)
        self.path = Path(self.file.path)

    @property
    def installer(self) -> Installer:
        """A new one: what it has planned is done or given up."""
        return Installer(self.places, NOW)

    @property
    def data(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None

    def lay(self, data: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(data)

    def install(self, version=None, text=""):
        installer = self.installer
        moments = self.vendor.known_by(version)
        step = installer.install(self.vendor, self.file, moments, text)
        installer.do(step)
        return step

    def uninstall(self):
        installer = self.installer
        step = installer.uninstall(self.vendor.agent, self.path, self.vendor.product)
        installer.do(step)
        return step

    @property
    def kept(self) -> list[str]:
        """Names of the files that are kept about hooks."""
        folder = self.places.state / "hooks"
        found = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
        return sorted(path.name for path in found)
