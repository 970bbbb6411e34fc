"""The version of an agent's client: told by itself, by its package, by its logs, or by nobody."""

import json
import os
import sys
import time

import msgspec
import pytest

from ctxd.hooks import versions
from ctxd.hooks.registry import BY_AGENT
from ctxd.hooks.versions import ClientVersion, version_of
from ctxd_parsers.environment import Environment

pytestmark = pytest.mark.skipif(os.name == "nt", reason="clients here are scripts")
CLAUDE = BY_AGENT["claude-code"]


def client(folder, code, name="claude"):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable} -S\n{code}", encoding="utf-8")
    path.chmod(0o755)
    return path


def version(tmp_path, vendor=CLAUDE, logged=None):
    env = Environment("linux", tmp_path, {"PATH": str(tmp_path / "bin")})
    return version_of(vendor, env, lambda _agent: logged)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("2.1.332 (Claude Code)", "2.1.332"),
        ("codex-cli 0.171.0", "0.171.0"),
        ("1.0.102\nCommit: 1234.5", "1.0.102"),
        ("v1.109.3", "1.109.3"),
        ("0.62.0-nightly.20261012", "0.62.0"),
        ("\x1b[1m2.0\x1b[0m", "2.0"),
    ],
)
def test_a_client_tells_its_version(tmp_path, said, text):
    client(tmp_path / "bin", f"import sys; print({said!r}) if sys.argv[1:] == ['--version'] else 0")
    assert version(tmp_path) == ClientVersion(text, "client")


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit(1)",
        "print('no idea')",
        "import os; os.write(1, b'\\xff' * 100000)",
        "import sys; sys.stderr.write('1.2.3')",
    ],
)
def test_a_client_that_does_not_tell_leaves_it_to_the_logs(tmp_path, code):
    client(tmp_path / "bin", code)
    assert version(tmp_path, logged="2.0.77") == ClientVersion("2.0.77", "log")
    assert version(tmp_path) == ClientVersion()


def test_a_client_that_hangs_is_ended_with_its_children(tmp_path, monkeypatch):
    monkeypatch.setattr(versions, "CLIENT_VERSION_SECONDS", 1.0)
    pids = tmp_path / "pids"
    client(
        tmp_path / "bin",
        "import os, time\n"
        "os.fork()\n"
        f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')\n"
        "time.sleep(600)",
    )
    assert version(tmp_path, logged="1.2") == ClientVersion("1.2", "log")
    for pid in map(int, pids.read_text(encoding="utf-8").split()):
        while os.path.exists(f"/proc/{pid}") and is_alive(pid):
            time.sleep(0.01)


def is_alive(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_a_client_gets_nothing_to_read_and_is_kept_from_updating(tmp_path):
    client(
        tmp_path / "bin",
        "import os, sys\nassert sys.stdin.read() == ''\n"
        "print('1.0' if os.environ['DISABLE_AUTOUPDATER'] else '2.0')",
    )
    assert version(tmp_path).text == "1.0"


def test_a_client_from_npm_is_not_even_run(tmp_path):
    package = tmp_path / "lib" / "node_modules" / "@anthropic-ai" / "claude-code"
    program = client(package / "bin", f"open({str(tmp_path / 'ran')!r}, 'w')")
    about = {"name": "@anthropic-ai/claude-code", "version": "2.1.332"}
    (package / "package.json").write_text(json.dumps(about), encoding="utf-8")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(program)
    assert version(tmp_path) == ClientVersion("2.1.332", "client")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"name": "other", "version": "9.9"}', '{"name": 1}'])
def test_another_package_around_a_client_tells_nothing_of_it(tmp_path, text):
    client(tmp_path / "bin", "print('1.5')")
    (tmp_path / "package.json").write_text(text, encoding="utf-8")
    assert version(tmp_path).text == "1.5"


def test_the_first_program_that_tells_is_asked(tmp_path):
    vendor = msgspec.structs.replace(CLAUDE, programs=("absent", "mute", "claude"))
    client(tmp_path / "bin", "", name="mute")
    client(tmp_path / "bin", "print('3.1')")
    assert version(tmp_path, vendor).numbers == (3, 1)


def test_a_program_of_windows_seen_from_inside_it_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(versions.shutil, "which", lambda *_, **__: "/mnt/c/Users/me/claude")
    monkeypatch.setattr(versions, "_asked", lambda *_: "9.9")
    assert version(tmp_path).text == "9.9"
    env = Environment("linux", tmp_path, {"WSL_DISTRO_NAME": "Debian"})
    assert version_of(CLAUDE, env, lambda _agent: None).text == ""


def test_a_version_that_is_not_known_has_no_numbers():
    assert ClientVersion().numbers is None
    assert ClientVersion("2.1.63").numbers < (2, 1, 109)
