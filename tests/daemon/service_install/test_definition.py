"""What a service runs, and how ctxd knows a definition of its own again."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.errors import UserError
from ctxd.service_install import definition
from ctxd.service_install.definition import (
    Stamp,
    definition_for,
    interpreter,
    is_edited,
    relevant_variables,
    stamp_of,
    stamped,
)

STAMP = Stamp("0.4.0", "/opt/--/python", ("/home/dev/.config",))


def test_the_command_is_absolute_and_takes_no_module_from_where_it_stands(tmp_path):
    made = definition_for(None, tmp_path)
    assert made.command == (sys.executable, "-P", "-m", "ctxd", "run")
    assert Path(made.command[0]).is_absolute()


def test_a_folder_for_own_files_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = definition_for(Path("own"), tmp_path)
    assert made.command[-3:] == ("--home", str(tmp_path / "own"), "run")


def test_a_stamp_is_found_again():
    text = stamped("# @@\nkey=value\n", STAMP, "@@")
    found = stamp_of(text)
    assert (found.version, found.interpreter) == ("0.4.0", "/opt/--/python")
    assert found.made == ("/home/dev/.config",)


def test_text_of_others_has_no_stamp():
    for text in ("", "[Service]\n", "# ctxd-stamp: {not json}", '# ctxd-stamp: {"version": 3}'):
        assert stamp_of(text) is None
        assert not is_edited(text)


def test_every_change_but_that_of_the_stamp_is_an_edit():
    text = stamped("# @@\nkey=value\n", STAMP, "@@")
    assert not is_edited(text)
    assert is_edited(text.replace("value", "other"))
    assert is_edited(text + "\n")


@given(st.text(), st.text(), st.lists(st.text()))
def test_a_stamp_of_any_words_is_one_line_without_the_end_of_a_comment(version, path, made):
    line = Stamp(version, path, tuple(made)).line()
    assert line.isascii()
    assert line.isprintable()
    assert "--" not in line
    assert stamp_of(line) == Stamp(version, path, tuple(made))


def test_a_python_in_a_cache_is_refused(monkeypatch):
    for path in (
        "/home/dev/.cache/uv/archive-v0/x1/bin/python",
        "/Users/dev/Library/Caches/uv/archive-v0/x1/bin/python",
    ):
        monkeypatch.setattr(sys, "executable", path)
        with pytest.raises(UserError, match="is in a cache") as caught:
            interpreter()
        assert "uv tool install" in caught.value.hint


@pytest.mark.skipif(os.name == "nt", reason="Homebrew's folders")
def test_of_homebrew_the_link_that_outlives_upgrades_is_taken(tmp_path, monkeypatch):
    cellar = tmp_path / "Cellar" / "ctxd" / "0.4.0" / "libexec" / "bin" / "python"
    monkeypatch.setattr(sys, "executable", str(cellar))
    assert interpreter() == cellar
    linked = tmp_path / "opt" / "ctxd" / "libexec" / "bin" / "python"
    linked.parent.mkdir(parents=True)
    linked.touch()
    assert interpreter() == linked


def test_variables_are_those_that_decide_where_something_is():
    variables = {
        "XDG_STATE_HOME": "/srv/state",
        "XDG_CONFIG_HOME": "",
        "CLAUDE_CONFIG_DIR": "/srv/claude",
        "COPILOT_HOME": "/srv/copilot",
        "PATH": "/usr/bin",
        "API_KEY": "secret",
    }
    assert dict(relevant_variables(variables)) == {
        "XDG_STATE_HOME": "/srv/state",
        "CLAUDE_CONFIG_DIR": "/srv/claude",
        "COPILOT_HOME": "/srv/copilot",
    }


def test_a_path_with_a_line_break_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/srv/a\nExecStartPre=/bin/rm")
    with pytest.raises(UserError, match="is not all text"):
        definition_for(None, tmp_path)


def test_the_names_are_asked_of_the_parsers_themselves():
    assert "CLAUDE_CONFIG_DIR" in definition._asked_by_parsers()
