"""Agents' programs are found where users have them, also by a service with a short search path."""

import os

import pytest

from ctxd.reader import programs
from ctxd.reader.values import Choice, ReaderError

CHOICE = Choice(backend="any")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("WSL_DISTRO_NAME", raising=False)
    return tmp_path


def installed(path, says="an-agent 1.2.3"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {says}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    "folder",
    [
        ".local/bin",
        ".npm-global/bin",
        ".bun/bin",
        ".volta/bin",
        ".claude/local",
        ".nvm/versions/node/v22.3.0/bin",
        ".local/share/fnm/node-versions/v20.1.0/installation/bin",
        "Library/pnpm",
    ],
)
def test_a_program_is_found_in_the_users_folders(home, folder):
    path = installed(home / folder / "an-agent")
    assert programs.find(("an-agent",), CHOICE) == path


def test_the_search_path_goes_first_and_the_first_name_counts(home, monkeypatch):
    installed(home / ".local" / "bin" / "an-agent")
    first = installed(home / "first" / "an-agent")
    monkeypatch.setenv("PATH", f"{home}/first:/usr/bin")
    assert programs.find(("an-agent", "other"), CHOICE) == first
    assert programs.find(("missing", "an-agent"), CHOICE) == first


def test_the_newest_of_several_interpreters_goes_first(home):
    for version in ("v9.11.0", "v22.3.0", "v22.20.0", "v8.0.0"):
        installed(home / ".nvm" / "versions" / "node" / version / "bin" / "an-agent")
    assert "v22.20.0" in programs.find(("an-agent",), CHOICE)


def test_the_one_that_was_chosen_is_taken(home):
    installed(home / ".local" / "bin" / "an-agent")
    chosen = installed(home / "apart" / "mine")
    for named in (chosen, "~/apart/mine"):
        assert programs.find(("an-agent",), Choice(backend="any", program=named)) == chosen


def test_a_path_from_here_holds_elsewhere_too(home, monkeypatch):
    installed(home / ".local" / "bin" / "an-agent")
    monkeypatch.chdir(home)
    found = programs.find(["x"], Choice(backend="x", program=".local/bin/an-agent"))
    assert found == str(home / ".local" / "bin" / "an-agent")


def test_one_that_was_chosen_and_is_not_there_is_told_and_no_other_taken(home):
    installed(home / ".local" / "bin" / "an-agent")
    with pytest.raises(ReaderError, match="no program") as caught:
        programs.find(("an-agent",), Choice(backend="any", program="~/gone"))
    assert caught.value.trouble == "missing"


def test_a_file_that_is_no_program_is_none(home):
    (home / "bin").mkdir()
    (home / "bin" / "an-agent").write_text("text")
    with pytest.raises(ReaderError, match="`an-agent` is not installed"):
        programs.find(("an-agent",), CHOICE)


def test_linux_within_windows_takes_none_of_its_programs(home, monkeypatch):
    monkeypatch.setenv("WSL_DISTRO_NAME", "Debian")
    monkeypatch.setenv("PATH", "/mnt/c/Users/dev/AppData/npm:/usr/bin")
    assert "/mnt/c" not in programs.search_path()


def test_a_script_finds_its_interpreter_beside_it(home):
    path = installed(home / ".nvm" / "versions" / "node" / "v22.3.0" / "bin" / "an-agent")
    first = programs.variables(path)["PATH"].split(os.pathsep)[0]
    assert first == os.path.dirname(path)


def test_a_program_is_asked_for_its_version_and_a_package_is_read(home):
    path = installed(home / "bin" / "an-agent")
    assert programs.version(path, "") == "1.2.3"
    package = home / "lib" / "node_modules" / "an-agent"
    script = installed(package / "bin" / "an-agent.js", "$(touch ran)")
    (package / "package.json").write_text('{"name": "an-agent", "version": "4.5.6"}')
    assert programs.version(script, "an-agent") == "4.5.6"
