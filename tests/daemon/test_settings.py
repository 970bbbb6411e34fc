"""The configuration file: missing is fine, wrong is named with what would be right."""

import os
from datetime import time
from pathlib import Path

import pytest

from ctxd.errors import UsageError
from ctxd.settings import Settings, load_settings


def settings(tmp_path, text):
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    return load_settings(tmp_path)


def test_no_file_means_the_defaults(tmp_path):
    assert load_settings(tmp_path) == Settings()


def test_further_folders_of_a_parser_are_taken_with_their_tilde(tmp_path):
    found = settings(tmp_path, '[roots]\ncopilot-cli = ["~/work/.copilot", "/srv/copilot"]\n')
    assert found.extra_roots == {
        "copilot-cli": (Path.home() / "work/.copilot", Path("/srv/copilot"))
    }


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("poling = true\n", "unknown key `poling`", "did you mean `polling`?"),
        ('[roots]\ncopilot-cil = ["/x"]\n', "unknown parser `copilot-cil`", "`copilot-cli`"),
        ("polling = 7\n", "`polling`", "mend the value"),
        ("[roots\n", "cannot read", "mend or remove the file"),
        ('[notify]\nlevle = "off"\n', "unknown key `notify.levle`", "did you mean `level`?"),
        ('[notify]\nlevel = "loud"\n', "`notify.level`", '`level = "constraints"`'),
        (
            '[notify]\nquiet_hours = "at night"\n',
            "`notify.quiet_hours` in",
            '`quiet_hours = "22:00-07:00"`',
        ),
        ("notify = 3\n", "`notify`", "mend the value"),
        (
            "xyzzy = 1\n",
            "unknown key `xyzzy`",
            "known are: notify, polling, reader, repositories, roots, write",
        ),
    ],
)
def test_what_is_wrong_is_named_with_a_hint(tmp_path, text, message, hint):
    with pytest.raises(UsageError) as raised:
        settings(tmp_path, text)
    assert message in raised.value.message
    assert hint in raised.value.hint


def test_a_file_that_is_no_text_is_an_error_that_names_it(tmp_path):
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot read"):
        load_settings(tmp_path)


def test_the_mode_of_the_nearest_folder_counts(tmp_path):
    shop = tmp_path.resolve() / "shop"
    found = settings(
        tmp_path,
        f'write = "review"\n[repositories]\n"{shop.as_posix()}" = "auto"\n'
        f'"{(shop / "secret").as_posix()}" = "off"\n',
    )
    assert found.mode_of(tmp_path) == "review"
    assert found.mode_of(shop) == "auto"
    assert found.mode_of(shop / "api") == "auto"
    assert found.mode_of(shop / "secret") == "off"


def test_a_mode_that_is_none_is_named(tmp_path):
    with pytest.raises(UsageError, match="`write` in"):
        settings(tmp_path, 'write = "yes"\n')


def test_what_is_wrong_with_the_quiet_hours_is_said_plainly(tmp_path):
    with pytest.raises(UsageError, match="begins when it ends"):
        settings(tmp_path, '[notify]\nquiet_hours = "07:00-07:00"\n')


def test_notices_are_made_for_constraints_at_any_hour_unless_the_user_says_otherwise(tmp_path):
    assert (Settings().notify.level, Settings().notify.hours) == ("constraints", None)
    found = settings(tmp_path, '[notify]\nlevel = "critical"\nquiet_hours = "22:00-07:00"\n')
    assert (found.notify.level, found.notify.hours) == ("critical", (time(22), time(7)))


@pytest.mark.parametrize(
    ("name", "hint"), [("CTXD_WIRTE", "`CTXD_WRITE`"), ("CTXD_NOTIFY_LEVLE", "`CTXD_NOTIFY_LEVEL`")]
)
def test_a_mistyped_variable_is_named_with_a_hint(tmp_path, name, hint):
    with pytest.raises(UsageError) as raised:
        load_settings(tmp_path, {name: "off"})
    assert name in raised.value.message
    assert hint in raised.value.hint


def test_variables_of_others_are_left_alone(tmp_path):
    others = {"CTXD_HOME": "/x", "CTXD_PICTURES": "/y", "CTXD_TEST_CLIENTS": "/z", "CTXD_": "1"}
    assert load_settings(tmp_path, others) == Settings()
    assert load_settings(tmp_path, others | {"CTXD_WRITE": "off"}).write == "off"


def test_no_reader_is_chosen_and_what_it_may_cost_is_bounded_by_default():
    found = Settings().reader
    assert (found.backend, found.is_on, found.unasked) == ("off", False, True)
    assert (found.calls_a_day, found.tokens_a_day, found.money_a_day) == (100, 1_000_000, 2.0)


def test_a_reader_is_chosen_in_the_file_or_by_variables(tmp_path):
    (tmp_path / "config.toml").write_text(
        '[reader]\nbackend = "openai"\nbase_url = "http://localhost:8080/v1/"\n'
        'program = "~/bin/it"\ncalls_a_day = 7\n',
        encoding="utf-8",
    )
    found = load_settings(tmp_path, {"CTXD_READER_MONEY_IN": "0.5", "CTXD_READER_MODEL": "m-1"})
    assert (found.reader.is_on, found.reader.calls_a_day, found.reader.money_in) == (True, 7, 0.5)
    choice = found.reader.choice
    assert (choice.backend, choice.model) == ("openai", "m-1")
    assert choice.base_url == "http://localhost:8080/v1"
    assert choice.program == str(Path.home() / "bin" / "it")


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ('backend = "nobody"', "there is no backend `nobody`", "known are: off, "),
        ('bakend = "off"', "unknown key `reader.bakend`", "did you mean `backend`?"),
        ('api_key = "sk-1234"', "unknown key `reader.api_key`", "the system's keyring"),
        ('token = "sk-1234"', "unknown key `reader.token`", "the system's keyring"),
        ('base_url = "https://me:sk-1234@host/v1"', "no user, password", "the system's keyring"),
        ('base_url = "https://host/v1?key=sk-1234"', "no user, password", "the system's keyring"),
        (f'base_url = "https://host/sk-proj-{"aB3" * 12}/v1"', "no user, password", "keyring"),
        ('base_url = "localhost"', "no address of a server", '`base_url = "http://'),
        ('base_url = "http://[::1"', "no address of a server", '`base_url = "http://'),
        ('base_url = "http://host:port"', "no address of a server", '`base_url = "http://'),
        ('base_url = "file:///etc/passwd"', "no address of a server", '`base_url = "http://'),
        ('model = "--dangerous"', "no name", "as the backend names it"),
        ('model = "a\\nb"', "no name", "as the backend names it"),
        ("calls_a_day = 0", "`reader.calls_a_day`", "`ctxd reader off`"),
        ("money_a_day = inf", "`reader.money_a_day`", "mend the value"),
    ],
)
def test_what_is_wrong_with_the_reader_is_named_and_no_key_is_repeated(
    tmp_path, line, message, hint
):
    with pytest.raises(UsageError) as raised:
        settings(tmp_path, f"[reader]\n{line}\n")
    assert message in raised.value.message
    assert hint in raised.value.hint
    assert "sk-1234" not in raised.value.message + raised.value.hint


def test_the_mark_of_a_reader_s_process_is_no_setting(tmp_path, monkeypatch):
    monkeypatch.setenv("CTXD_READER", "1")
    found = load_settings(tmp_path, {"CTXD_READER": "1", "CTXD_WRITE": "off"})
    assert (found.write, found.reader) == ("off", Settings().reader)
    assert os.environ["CTXD_READER"] == "1"
    with pytest.raises(UsageError, match="CTXD_READER_BAKEND"):
        load_settings(tmp_path, {"CTXD_READER_BAKEND": "off"})
