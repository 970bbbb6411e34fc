"""Writes the Homebrew formula: its resources are the locked dependencies of a run, from PyPI.

`python packaging/formula.py` asks the package index for the archives of the versions that
requirements-dev.txt pins; with `--archive FILE` the formula is of that source distribution, as it
is published.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxd import __version__

HERE = Path(__file__).parent
ROOT = HERE.parent
FORMULA = HERE / "homebrew" / "ctxd.rb"
UNPUBLISHED = "0" * 64
"""In the place of the hash of an archive that is not published yet."""
_OF_HOMEBREW = ("certifi",)
"""Packages that Homebrew wants to have from itself."""
_SYSTEMS = {
    "sys_platform == 'linux'": "on_linux",
    "sys_platform != 'linux'": "on_macos",
    "sys_platform == 'win32'": "",
}
"""Where a package is for one system only, what Homebrew calls that; empty: none of its."""
_FORMULA = """\
# Made by packaging/formula.py from requirements-dev.txt.
class Ctxd < Formula
  include Language::Python::Virtualenv

  desc "Keeps what coding agents forget: decisions, constraints and their reasons"
  homepage "https://pypi.org/project/ctxd-daemon/"
  url "https://files.pythonhosted.org/packages/source/c/ctxd-daemon/ctxd_daemon-{version}.tar.gz"
  # Set when a version is published: `python packaging/formula.py --archive FILE`.
  sha256 "{digest}"
  license "MIT"

  depends_on "rust" => :build # for pydantic-core and tiktoken
{depends}  depends_on "python@3.13"

{resources}
  def install
    virtualenv_install_with_resources
    man1.install "packaging/man/ctxd.1"
    bash_completion.install "packaging/completions/ctxd.bash" => "ctxd"
    zsh_completion.install "packaging/completions/_ctxd"
    fish_completion.install "packaging/completions/ctxd.fish"
  end

  service do
    run [opt_bin/"ctxd", "run"]
    keep_alive successful_exit: false
    process_type :background
    error_log_path var/"log/ctxd.err"
  end

  test do
    assert_equal "ctxd #{{version}}", shell_output("#{{bin}}/ctxd --version").strip
    assert_match "schema", shell_output("#{{bin}}/ctxd scan --json")
  end
end
"""


def formula(locked: list[Mapping[str, Any]], digest: str) -> str:
    """The formula for locked packages, as they stand in a pylock.toml."""
    resources: dict[str, list[str]] = {"": [], "on_linux": [], "on_macos": []}
    for package in locked:
        system = _SYSTEMS.get(package.get("marker", ""))
        if package["name"] not in _OF_HOMEBREW and system != "":
            resources[system or ""].append(_resource(package))
    blocks = list(resources[""])
    for system, made in resources.items():
        if system and made:
            inner = "\n".join(made).replace("\n  ", "\n    ")
            blocks.append(f"  {system} do\n  {inner}  end\n")
    return _FORMULA.format(
        version=__version__,
        digest=digest,
        depends="".join(f'  depends_on "{name}"\n' for name in _OF_HOMEBREW),
        resources="\n".join(blocks),
    )


def _resource(package: Mapping[str, Any]) -> str:
    archive = package.get("sdist")
    if archive is None:
        message = f"{package['name']} has no source distribution: what would Homebrew build?"
        raise SystemExit(message)
    return (
        f'  resource "{package["name"]}" do\n'
        f'    url "{archive["url"]}"\n'
        f'    sha256 "{archive["hashes"]["sha256"]}"\n'
        "  end\n"
    )


def _locked() -> list[Mapping[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        pins, lock = Path(folder, "pins.txt"), Path(folder, "pylock.toml")
        pins.write_text("\n".join(_pins()), encoding="utf-8")
        words = ["pip", "compile", "--quiet", "--universal", "--python-version", "3.11"]
        words += ["--constraints", str(pins), "--format", "pylock.toml", "--output-file", str(lock)]
        uv = Path(sys.executable).with_name("uv")
        subprocess.run([str(uv), *words, "pyproject.toml"], cwd=ROOT, check=True)
        return tomllib.loads(lock.read_text(encoding="utf-8"))["packages"]


def _pins() -> Iterator[str]:
    text = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    yield from re.findall(r"^[A-Za-z0-9_.-]+==[^\s;]+", text, re.MULTILINE)


def main() -> None:
    """Write the formula."""
    parser = argparse.ArgumentParser(description="Write the Homebrew formula.")
    parser.add_argument("--archive", type=Path, help="the published source distribution")
    archive = parser.parse_args().archive
    digest = hashlib.sha256(archive.read_bytes()).hexdigest() if archive else UNPUBLISHED
    FORMULA.parent.mkdir(exist_ok=True)
    FORMULA.write_text(formula(_locked(), digest), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
