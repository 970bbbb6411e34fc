"""The command of a hook: what shells make of it, also when ctxd is gone."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from ctxd.hooks.command import client_command
from ctxd.hooks.shell import Called, called, here, is_ours, posix, powershell, windows
from ctxd.places import Places

SHELLS = [shell for shell in ("sh", "dash", "bash", "zsh", "fish", "tcsh") if shutil.which(shell)]
NAMES = ["plain", "with a blank", "it's", 'a "quote"', "$HOME `id` \\x", "ümläut", "-rf; echo no"]
on_posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")


def words(folder):
    """Of a command whose client, in this folder, prints its arguments and what it is sent."""
    client = folder / "ctxd" / "hooks" / "client.py"
    client.parent.mkdir(parents=True)
    client.write_text("import sys; print(sys.argv[1:], sys.stdin.read())", encoding="utf-8")
    python = folder / "python"
    python.symlink_to(sys.executable)
    return [str(python), "-I", "-S", str(client), "some-agent", str(folder / "sock"), "Event"]


def run(shell, command):
    return subprocess.run(
        [shell, "-c", command], input=b"{}", capture_output=True, check=False, env={"HOME": "/x"}
    )


@on_posix
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", NAMES)
def test_shells_call_the_client_with_its_words(tmp_path, shell, name):
    command = words(tmp_path / name)
    done = run(shell, posix(command))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"{command[4:]} {{}}\n"


@on_posix
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("gone", ["python", "ctxd"])
def test_a_client_that_is_gone_disturbs_nobody(tmp_path, shell, gone):
    command = words(tmp_path)
    shutil.move(tmp_path / gone, tmp_path / "away")
    done = run(shell, posix(command))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@on_posix
@pytest.mark.parametrize("code", ["exit(2)", "raise SystemExit(1)", "syntax error("])
def test_a_client_that_fails_is_no_order_to_stop(tmp_path, code):
    command = words(tmp_path)
    with open(command[3], "w", encoding="utf-8") as file:
        file.write(code)
    assert run("sh", posix(command)).returncode == 0


@pytest.mark.parametrize("render", [posix, windows, powershell, here])
@pytest.mark.parametrize("name", ["plain", "with a blank", "it's"])
def test_a_command_of_ours_is_known_again_and_what_it_calls(render, name):
    command = render(
        [f"/opt/{name}/python", "-I", "-S", f"/opt/{name}/ctxd/hooks/client.py", "agent", "/sock"]
    )
    assert is_ours(command)
    assert called(command.replace("it''s", "it'\"'\"'s")) == Called(
        f"/opt/{name}/python", f"/opt/{name}/ctxd/hooks/client.py"
    )


def test_paths_of_windows_are_quoted_for_its_shells():
    command = [
        "C:\\Program Files\\Python\\python.exe",
        "-I",
        "-S",
        "C:\\Users\\it's me\\ctxd\\hooks\\client.py",
        "agent",
        "//./pipe/ctxd-me",
        "preCompact",
    ]
    assert windows(command) == (
        '"C:/Program Files/Python/python.exe" -I -S '
        '"C:/Users/it\'s me/ctxd/hooks/client.py" agent //./pipe/ctxd-me preCompact || exit 0'
    )
    assert powershell(command) == (
        "if ((Test-Path -LiteralPath 'C:\\Program Files\\Python\\python.exe') -and "
        "(Test-Path -LiteralPath 'C:\\Users\\it''s me\\ctxd\\hooks\\client.py')) "
        "{ & 'C:\\Program Files\\Python\\python.exe' -I -S "
        "'C:\\Users\\it''s me\\ctxd\\hooks\\client.py' 'agent' '//./pipe/ctxd-me' 'preCompact' }"
        "; exit 0"
    )
    assert called(windows(command)).python == "C:/Program Files/Python/python.exe"


@pytest.mark.parametrize(
    "command",
    [
        "echo hi",
        "python /x/hooks/client.py",
        "/opt/myctxd/hooks/client.py",
        "ctxd hook status",
        None,
        7,
        ["/x/ctxd/hooks/client.py"],
    ],
)
def test_other_commands_are_foreign(command):
    assert not is_ours(command)


@pytest.mark.parametrize(
    "command",
    ["'/x/ctxd/hooks/client.py", "/x/ctxd/hooks/client.py", "python -S /x/ctxd/hooks/client.py"],
)
def test_a_command_that_somebody_has_rewritten_calls_what_nobody_can_tell(command):
    assert is_ours(command)
    assert called(command) is None


@on_posix
def test_the_command_of_this_installation_runs(tmp_path):
    command = posix(client_command("claude-code", Places.under(tmp_path)))
    assert called(command).is_there
    done = run("sh", command.replace("{}", json.dumps({"hook_event_name": "Stop"})))
    assert (done.returncode, done.stderr) == (0, b"")
