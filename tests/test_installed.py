"""What is built, installed as users install it, and kept by them over upgrades."""

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import pytest

from cli.running import SAMPLE, SAMPLE_ID
from ctxd import __version__
from ctxd.ledger.schema import MIGRATIONS
from installed import ROOT, build, install, python_for_everybody
from user_manager import logged_in, needs_user_manager

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name == "nt", reason="POSIX only"),
]
OLD = "0f428fd3ea78"
"""The last commit before version 4 of the ledger."""
PATIENCE_SECONDS = 60


class Machine:
    """A home folder and programs, with a stand-in for systemctl among them."""

    def __init__(self, folder):
        self.home = folder / "home"
        self.programs = folder / "bin"
        self.fake = folder / "systemd"
        for made in (self.home, self.programs, self.fake):
            made.mkdir(parents=True)
        systemctl = self.programs / "systemctl"
        script = ROOT / "tests" / "fake_systemctl.py"
        systemctl.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
        systemctl.chmod(0o755)
        shutil.copytree(SAMPLE / "projects", self.home / ".claude" / "projects")
        self.variables = {
            "HOME": str(self.home),
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "FAKE_SYSTEMD": str(self.fake),
        }

    def run(self, *command):
        return subprocess.run(
            [str(word) for word in command],
            env=self.variables,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    def ctxd(self, *arguments):
        return self.run(self.programs / "ctxd", *arguments)

    def items(self):
        """Ids and words of all items."""
        done = self.ctxd("items", "--all", "--session", SAMPLE_ID, "--json")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return sorted((row["id"], row["text"]) for row in rows)

    @property
    def said(self):
        """What the daemon said to its service manager's log."""
        path = self.fake / "stderr"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @property
    def ledger_version(self):
        path = self.home / ".local" / "state" / "ctxd" / "ledger.sqlite3"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return connection.execute("PRAGMA user_version").fetchone()[0]

    def close(self):
        state = self.fake / "state.json"
        pid = json.loads(state.read_text()).get("pid") if state.exists() else None
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    yield made
    made.close()


def unpacked(file, folder):
    """Take a tar file apart, with the filter that Python has from 3.11.4 on."""
    if hasattr(tarfile, "data_filter"):
        file.extraction_filter = tarfile.data_filter
    file.extractall(folder)


def source(folder, commit, version):
    """The product as it was at a commit, under another version."""
    archive = folder.with_suffix(".tar")
    done = subprocess.run(
        ["git", "-C", str(ROOT), "archive", "-o", str(archive), commit],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"the history here does not reach back to {commit}")
    with tarfile.open(archive) as file:
        unpacked(file, folder)
    return versioned(folder, version)


def current(folder, version):
    """The product as it is, under another version."""
    ignored = shutil.ignore_patterns(".*", "build", "dist", "__pycache__", "tests")
    shutil.copytree(ROOT, folder, ignore=ignored)
    return versioned(folder, version)


def versioned(folder, version):
    place = folder / "daemon" / "ctxd" / "__init__.py"
    place.write_text(f'"""ctxd."""\n\n__version__ = "{version}"\n', encoding="utf-8")
    return folder


class Uv:
    """`uv tool install`."""

    def __init__(self, machine, folder):
        self._variables = os.environ | {
            "UV_TOOL_DIR": str(folder / "uv"),
            "UV_TOOL_BIN_DIR": str(machine.programs),
        }
        self._program = str(Path(sys.executable).with_name("uv"))

    def install(self, wheel):
        words = ["tool", "install", "--quiet", "--force", "--python", sys.executable, str(wheel)]
        subprocess.run([self._program, *words], env=self._variables, check=True)


class Pipx:
    """`pipx install`."""

    def __init__(self, machine, folder):
        self._variables = os.environ | {
            "PIPX_HOME": str(folder / "pipx"),
            "PIPX_BIN_DIR": str(machine.programs),
            "PIPX_DEFAULT_PYTHON": sys.executable,
        }

    def install(self, wheel):
        words = ["-m", "pipx", "install", "--quiet", "--force", str(wheel)]
        subprocess.run(
            [sys.executable, *words], env=self._variables, check=True, capture_output=True
        )


NO_PIPX = importlib.util.find_spec("pipx") is None
INSTALLERS = [
    pytest.param(Uv, id="uv"),
    pytest.param(Pipx, id="pipx", marks=pytest.mark.skipif(NO_PIPX, reason="needs pipx")),
]


def learn(machine):
    """A daemon of whatever version reads all there is, judges it, and ends."""
    process = subprocess.Popen(
        [str(machine.programs / "ctxd"), "run"], env=machine.variables, cwd="/"
    )
    try:
        until = time.monotonic() + PATIENCE_SECONDS
        while not machine.items():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.2)
        assert machine.ctxd("flush").returncode == 0
    finally:
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0


@pytest.mark.parametrize("installer", INSTALLERS)
def test_an_upgrade_keeps_everything_that_was_known(machine, tmp_path, installer):
    tool = installer(machine, tmp_path)
    tool.install(build(source(tmp_path / "old", OLD, "0.0.9"), tmp_path / "wheels-old"))
    assert machine.ctxd("--version").stdout == "ctxd 0.0.9\n"
    learn(machine)
    before = machine.items()
    assert len(before) >= 3
    assert machine.ledger_version == 3

    tool.install(build(ROOT, tmp_path / "wheels"))
    assert machine.ctxd("--version").stdout == f"ctxd {__version__}\n"
    done = machine.ctxd("service", "install")
    assert done.returncode == 0, done.stderr + machine.said
    assert machine.ledger_version == len(MIGRATIONS)
    assert machine.items() == before
    assert machine.ctxd("doctor").returncode in {0, 4}

    tool.install(build(current(tmp_path / "next", "98.7.6"), tmp_path / "wheels-next"))
    report = machine.ctxd("service", "status")
    assert report.returncode == 0
    assert f"! needs restart: running {__version__}, installed 98.7.6" in report.stdout
    assert machine.ctxd("service", "install").returncode == 0
    report = json.loads(machine.ctxd("service", "status", "--json").stdout)
    assert (report["state"], report["running_version"], report["needs"]) == (
        "running",
        "98.7.6",
        [],
    )
    assert machine.items() == before

    assert machine.ctxd("service", "uninstall").returncode == 0
    assert machine.items() == before


@pytest.mark.parametrize("kind", ["whl", "tar.gz"])
def test_the_service_starts_from_what_was_built_with_an_empty_environment(machine, tmp_path, kind):
    build(ROOT, tmp_path / "dist")
    [package] = (tmp_path / "dist").glob(f"*.{kind}")
    python = install(package, tmp_path / "venv")
    assert (tmp_path / "venv" / "share" / "man" / "man1" / "ctxd.1").exists()
    (machine.programs / "ctxd").symlink_to(tmp_path / "venv" / "bin" / "ctxd")
    done = machine.ctxd("service", "install")
    assert (done.returncode, done.stderr.count("error")) == (0, 0), done.stderr
    unit = machine.home / ".config" / "systemd" / "user" / "ctxd.service"
    assert f"ExecStart={python} -P -m ctxd run" in unit.read_text(encoding="utf-8")
    assert machine.ctxd("ping").returncode == 0
    assert machine.ctxd("service", "uninstall").returncode == 0


def debian_tools():
    return all(map(shutil.which, ("dpkg-buildpackage", "dh", "dpkg-deb"))) and (
        Path("/usr/bin/python3").exists() and python_for_everybody() == "/usr/bin/python3"
    )


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    """What the Debian package has in it, in a folder that all can read."""
    if not debian_tools():
        pytest.skip("needs Debian's build tools (debhelper, dpkg-dev)")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    build(ROOT, folder / "dist")
    [archive] = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as file:
        unpacked(file, folder / "src")
    [tree] = (folder / "src").iterdir()
    shutil.copytree(tree / "packaging" / "debian", tree / "debian")
    (tree / "debian" / "rules").chmod(0o755)
    command = ["dpkg-buildpackage", "-b", "-us", "-uc"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    [package] = (folder / "src").glob("*.deb")
    subprocess.run(["dpkg-deb", "-R", str(package), str(folder / "root")], check=True)
    yield folder / "root"
    shutil.rmtree(folder)


def test_the_debian_package_has_what_belongs_into_it(debian):
    for name in (
        "usr/bin/ctxd",
        "usr/lib/ctxd/pyvenv.cfg",
        "usr/lib/systemd/user/ctxd.service",
        "usr/share/man/man1/ctxd.1.gz",
        "usr/share/bash-completion/completions/ctxd",
        "usr/share/zsh/vendor-completions/_ctxd",
        "usr/share/fish/vendor_completions.d/ctxd.fish",
    ):
        assert (debian / name).exists(), name
    led = os.readlink(debian / "usr/lib/ctxd/bin/python3")
    assert os.path.normpath(Path("/usr/lib/ctxd/bin") / led) == "/usr/bin/python3"
    assert not list(debian.rglob("*.wants"))
    scripts = [path.read_text(encoding="utf-8") for path in (debian / "DEBIAN").glob("post*")]
    for line in "\n".join(scripts).splitlines():
        assert not line.startswith(("deb-systemd-helper", "systemctl")), line
    assert f"Version: {__version__}-" in (debian / "DEBIAN" / "control").read_text("utf-8")


@needs_user_manager
def test_the_service_of_the_debian_package_is_off_until_its_user_says_otherwise(debian):
    with logged_in(debian / "usr") as login:
        assert login.run("ctxd", "--version").stdout == f"ctxd {__version__}\n"
        assert login.run("systemctl", "--user", "is-enabled", "ctxd").stdout == "disabled\n"
        assert login.show("ActiveState") == "inactive"
        done = login.run("ctxd", "service", "install")
        assert done.returncode == 0, done.stderr
        assert done.stdout == "ctxd runs, and starts at each login\n"
        report = json.loads(login.run("ctxd", "service", "status", "--json").stdout)
        assert (report["state"], report["needs"]) == ("running", [])
        assert report["definition"] == "/usr/lib/systemd/user/ctxd.service"
        config = login.home / ".config"
        assert [path.name for path in config.rglob("*") if path.is_symlink()] == ["ctxd.service"]
        assert login.run("ctxd", "service", "uninstall").returncode == 0
        assert login.run("systemctl", "--user", "is-enabled", "ctxd").stdout == "disabled\n"
        assert [path.name for path in config.rglob("ctxd*")] == []
