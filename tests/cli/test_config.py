"""`ctxd config`: what holds and why, and changes that are checked before they count."""

import json
import os
import stat
import sys
import tomllib

import jsonschema
import pytest

from cli.running import ROOT, Home
from cli.test_json import schema
from ctxd import configuration
from ctxd.errors import UsageError

COMMENTED = '# mine\nwrite = "auto" # as agreed\n\n[notify]\nlevel = "critical"\n'


@pytest.fixture
def home(home: Home):
    home.variables["CTXD_HOME"] = str(home.path / "own")
    return home


@pytest.fixture
def file(home):
    return home.path / "own" / "config" / "config.toml"


def given(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def editor(home, code):
    """An editor that runs a line of Python on `text`."""
    script = home.path / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "text = path.read_text(encoding='utf-8')\n"
        f"{code}\n"
        "path.write_text(text, encoding='utf-8')\n",
        encoding="utf-8",
    )
    home.variables["EDITOR"] = f"{sys.executable} {script}"


def test_to_look_writes_nothing(home, file):
    run = home.ctxd("config")
    assert (run.code, run.err) == (0, "")
    assert run.lines[0].split() == ["write", "auto"]
    assert home.ctxd("config", "path").out == f"{file}\n"
    assert "is not there" in home.ctxd("config", "check").out
    assert not file.parent.exists()


def test_the_origin_of_each_value_is_told(home, file):
    given(file, COMMENTED)
    home.variables["CTXD_POLLING"] = "true"
    lines = dict(line.split(maxsplit=1) for line in home.ctxd("config", "show", "--origin").lines)
    assert lines["write"] == "auto  (file)"
    assert lines["notify.level"] == "critical  (file)"
    assert lines["notify.quiet_hours"] == "-  (default)"
    assert lines["polling"] == "true  (environment)"


def test_the_environment_comes_before_the_file(home, file):
    given(file, COMMENTED)
    home.variables["CTXD_NOTIFY_LEVEL"] = "off"
    assert home.ctxd("config", "get", "notify.level").out == "off\n"


def test_a_repository_narrows_and_that_is_told(home, file):
    (home.path / ".git").mkdir()
    (home.path / ".ctxd.toml").write_text('write = "off"\n', encoding="utf-8")
    assert "off  (repository)" in home.ctxd("config", "show", "--origin").lines[0]


def test_what_is_shown_is_as_published(home):
    found = json.loads(home.ctxd("config", "--json").out)
    jsonschema.validate(found, schema("config-1"))
    assert {one["key"] for one in found["settings"]} == set(configuration.keys())
    assert all(one["meaning"] for one in found["settings"])


def test_a_change_keeps_comments_and_all_the_rest(home, file):
    given(file, COMMENTED)
    assert home.ctxd("config", "set", "write", "review").code == 0
    text = file.read_text(encoding="utf-8")
    assert text == COMMENTED.replace('"auto"', '"review"')
    assert home.ctxd("config", "unset", "notify.level").code == 0
    assert "notify" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("polling", "yes", {"polling": True}),
        ("notify.quiet_hours", "22:00-07:00", {"notify": {"quiet_hours": "22:00-07:00"}}),
        ("reader.calls_a_day", "20", {"reader": {"calls_a_day": 20}}),
        ("reader.money_a_day", "1", {"reader": {"money_a_day": 1.0}}),
        ("reader.model", "1234", {"reader": {"model": "1234"}}),
        ("repositories.~/a.b/c", "off", {"repositories": {"~/a.b/c": "off"}}),
        ("roots.copilot-cli", '["~/x"]', {"roots": {"copilot-cli": ["~/x"]}}),
    ],
)
def test_a_value_is_kept_as_what_it_means(home, file, key, value, kept):
    run = home.ctxd("config", "set", key, value)
    assert (run.code, run.out) == (0, "")
    assert run.err == "it holds from the next start of the daemon\n"
    assert tomllib.loads(file.read_text(encoding="utf-8")) == kept
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["set", "wirte", "off"], "unknown key `wirte`", "did you mean `write`?"),
        (["set", "write", "maybe"], "`write`", 'write `write = "auto"`'),
        (["set", "notify.levle", "off"], "unknown key `notify.levle`", "did you mean `level`?"),
        (["set", "notify", "off"], "`notify` is a table", "notify.level, notify.quiet_hours"),
        (["set", "repositories", "off"], "`repositories` is a table", "repositories.PATH"),
        (["set", "roots.copilot-cil", '["/x"]'], "unknown parser", "did you mean `copilot-cli`?"),
        (["set", "reader.key", "x"], "unknown key `reader.key`", "the system's keyring"),
        (["set", "reader.backend", "none"], "no backend `none`", "known are: off, "),
        (["set", "reader.base_url", "http://a:b@c/"], "no user, password", "keyring"),
        (["unset", "polling"], "`polling` is not set", "config show"),
        (["get", "colour"], "unknown key `colour`", "known are"),
        (["set", "write"], "say which setting, and its value", "config -h"),
        (["show", "write"], "takes nothing more", "config -h"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(home, file, arguments, message, hint):
    run = home.ctxd("config", *arguments)
    assert run.code == 2
    assert message in run.err
    assert hint in run.err
    assert not file.exists()


def test_a_broken_file_is_named_and_left_as_it_is(home, file):
    given(file, "write = [\n")
    for arguments in (["set", "write", "off"], ["check"], ["show"]):
        run = home.ctxd("config", *arguments)
        assert run.code == 2
        assert str(file) in run.err
    assert file.read_text(encoding="utf-8") == "write = [\n"


def test_a_link_to_a_file_kept_elsewhere_stays_one(home, file):
    kept = home.path / "dotfiles.toml"
    kept.write_text(COMMENTED, encoding="utf-8")
    file.parent.mkdir(parents=True)
    file.symlink_to(kept)
    home.ctxd("config", "set", "write", "off")
    assert file.is_symlink()
    assert 'write = "off"' in kept.read_text(encoding="utf-8")


def test_a_first_edit_starts_from_all_settings_with_their_defaults(home, file):
    editor(home, "text = text.replace('# polling = false', 'polling = true')")
    assert home.ctxd("config", "edit").code == 0
    text = file.read_text(encoding="utf-8")
    assert tomllib.loads(text) == {"polling": True}
    for key in sorted(configuration.keys()):
        assert key.rpartition(".")[2] in text
    assert len(text.splitlines()) <= 40


def test_an_edit_that_is_wrong_does_not_come_into_force(home, file):
    given(file, COMMENTED)
    editor(home, "text = text.replace('auto', 'all')")
    run = home.ctxd("config", "edit")
    assert run.code == 2
    assert "`write`" in run.err
    assert file.read_text(encoding="utf-8") == COMMENTED


def test_an_edit_that_changes_nothing_writes_nothing(home, file):
    editor(home, "pass")
    assert home.ctxd("config", "edit").err == "nothing was changed\n"
    assert not file.exists()


def test_every_line_of_the_offered_file_can_be_taken_in_use():
    text = "\n".join(
        line.removeprefix("# ")
        for line in configuration.commented().splitlines()
        if " = " in line or line.startswith("# [")
    )
    with pytest.raises(UsageError, match="name-of-a-parser"):
        configuration.check(text, "it")
    configuration.check(text.replace("name-of-a-parser", "copilot-cli"), "it")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_failed_write_leaves_no_copy_behind(home, file):
    given(file, COMMENTED)
    assert home.ctxd("config", "set", "write", "off").code == 0
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


def test_the_reference_is_that_of_the_settings():
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert text.endswith(f"\n\n{configuration.reference()}")
