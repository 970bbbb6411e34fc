"""What packagers get: made from the code, current, and as the systems read it."""

import os
import plistlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlparse

import pytest
import xmlschema

from ctxd import __version__
from ctxd.cli.group import ALL
from ctxd.service_install.systemd import unit

ROOT = Path(__file__).parent.parent
PACKAGING = ROOT / "packaging"
FORMULA = (PACKAGING / "homebrew" / "ctxd.rb").read_text(encoding="utf-8")
MANUAL = (PACKAGING / "man" / "ctxd.1").read_text(encoding="utf-8")
REQUIREMENTS = (PACKAGING / "requirements.txt").read_text(encoding="utf-8")
LOCK = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)
OTHERS = {"certifi", "tzdata"}
"""What Homebrew has of its own, and what is for Windows alone."""
not_windows = pytest.mark.skipif(os.name == "nt", reason="made on POSIX")


def read(*parts):
    return PACKAGING.joinpath(*parts).read_text(encoding="utf-8")


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"needs {program}")


def check(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@not_windows
def test_what_is_made_from_the_code_is_current():
    """`make packaging` writes it anew."""
    command = [sys.executable, "packaging/generate.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_host_or_folder_of_a_machine_is_in_it():
    for path in PACKAGING.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(?<![~\w])/(root|work)/|file:///|index-url", text), path


def test_the_manual_has_every_command_and_exit_code():
    plain = MANUAL.replace("\\-", "-")
    for name in ALL:
        assert f"\n.SS ctxd {name} " in plain
    for code in (0, 1, 2, 3, 4, 5, 6, 70, 78, 130, 141):
        assert f".TP\n\\fB{code}\\fR\n" in plain


@needs("mandoc")
def test_the_manual_is_well_formed():
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", str(PACKAGING / "man" / "ctxd.1")],
        capture_output=True,
        text=True,
        check=False,
    )
    # A date would make it another page each day.
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []


@needs("man")
def test_the_manual_fits_eighty_columns():
    done = subprocess.run(
        ["man", "-l", "--warnings", str(PACKAGING / "man" / "ctxd.1")],
        env=os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("shell", "name"),
    [("bash", "ctxd.bash"), ("zsh", "_ctxd"), ("fish", "ctxd.fish")],
)
def test_completions_are_scripts_of_their_shells(shell, name):
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    check(shell, "-n", str(PACKAGING / "completions" / name))


@needs("systemd-analyze")
def test_systemd_has_nothing_to_say_of_the_packaged_unit(tmp_path):
    tmp_path.chmod(0o700)
    text = read("systemd", "ctxd.service")
    assert text.endswith(unit(("/usr/bin/ctxd", "run"), {}))
    file = tmp_path / "ctxd.service"
    file.write_text(text.replace("/usr/bin/ctxd", "/usr/bin/env"), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(file)],
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_launch_agent_is_a_property_list():
    made = plistlib.loads(read("launchd", "ctxd.daemon.plist").encode())
    assert made["Label"] == "ctxd.daemon"
    assert made["ProgramArguments"][1:] == ["-P", "-m", "ctxd", "run"]
    assert made["KeepAlive"] == {"SuccessfulExit": False}


def test_the_task_is_valid():
    schema = xmlschema.XMLSchema(ROOT / "tests/daemon/service_install/task.xsd")
    schema.validate(str(PACKAGING / "windows" / "ctxd.xml"))


def test_pins_are_all_that_ctxd_needs_and_nothing_else():
    pins = {name.lower().replace("_", "-") for name, _ in PIN.findall(REQUIREMENTS)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    direct = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    assert direct <= pins
    assert not pins & {"pytest", "ruff", "mypy", "hypothesis", "xmlschema"}
    extra = {re.match(r"[\w-]+", line)[0] for line in project["optional-dependencies"]["reader"]}
    assert extra
    assert not pins & (extra | {"httpx2", "cryptography", "botocore"})
    for name, version in PIN.findall(REQUIREMENTS):
        assert f"\n{name}=={version}" in f"\n{LOCK}"


def test_the_formula_has_the_locked_versions_with_their_hashes():
    """`make lock` writes it anew."""
    found = re.findall(r'resource "(.+)" do\n +url "(.+)"\n +sha256 "(.+)"', FORMULA)
    assert {name for name, *_ in found} == {name for name, _ in PIN.findall(REQUIREMENTS)} - OTHERS
    versions = dict(PIN.findall(LOCK))
    for name, url, digest in found:
        place = urlparse(url)
        assert (place.scheme, place.netloc) == ("https", "files.pythonhosted.org")
        part = re.search(rf"^{re.escape(name)}==.*?(?=^\S)", LOCK + "\nx", re.MULTILINE | re.DOTALL)
        assert f"--hash=sha256:{digest}" in part[0]
        assert place.path.endswith(f"-{versions[name]}.tar.gz")
    assert f"/ctxd_daemon-{__version__}.tar.gz" in FORMULA


@needs("ruby")
def test_the_formula_is_ruby():
    done = subprocess.run(
        ["ruby", "-wc", str(PACKAGING / "homebrew" / "ctxd.rb")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Syntax OK\n", "")


def test_files_that_packages_install_are_there():
    for name in re.findall(r"packaging/[\w./-]+", FORMULA + read("debian", "rules")):
        assert (ROOT / name).exists(), name
    for name in read("debian", "ctxd.manpages").split():
        assert (ROOT / name).exists()


def test_the_debian_package_enables_nothing_and_has_the_version():
    assert f"\nctxd ({__version__}-" in "\n" + read("debian", "changelog")
    rules = read("debian", "rules")
    assert "dh_installsystemduser --no-enable" in rules
    assert os.name == "nt" or os.access(PACKAGING / "debian" / "rules", os.X_OK)
