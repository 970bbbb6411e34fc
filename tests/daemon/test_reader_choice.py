"""Which reader was chosen is told without a mistake, from a file and an environment."""

import pytest

from ctxd.reader_choice import chosen_reader
from ctxd.settings import load_settings


def choice(tmp_path, text, **variables):
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    found = chosen_reader(tmp_path, variables)
    return found.backend if found else None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "polling = true\n",
        '[reader]\nbackend = "off"\n',
        '[reader]\nmodel = "m"\n',
        '# [reader]\n# backend = "openai"\n',
        "[reader\n",
        "reader = 3\n",
        '[reader]\nbackend = "nobody"\n',
        "[reader]\nbackend = 7\n",
    ],
)
def test_none_is_chosen_by_what_says_nothing_of_one_or_is_wrong(tmp_path, text):
    assert choice(tmp_path, text) is None


def test_no_file_chooses_none(tmp_path):
    assert chosen_reader(tmp_path, {}) is None
    assert chosen_reader(tmp_path / "config.toml" / "nowhere", {}) is None


def test_a_file_that_is_no_text_chooses_none(tmp_path):
    (tmp_path / "config.toml").write_bytes(b'[reader]\nbackend = "openai"\n\xff')
    assert chosen_reader(tmp_path, {}) is None


@pytest.mark.parametrize(
    "text",
    [
        '[reader]\nbackend = "openai"\n',
        'reader.backend = "openai"\n',
        'reader = {backend = "openai"}\n',
        '["reader"]\n"backend" = "openai"\n',
    ],
)
def test_one_is_chosen_in_whatever_way_it_is_written(tmp_path, text):
    assert choice(tmp_path, text) == "openai"


def test_the_environment_comes_first(tmp_path):
    assert choice(tmp_path, "", CTXD_READER_BACKEND="openai") == "openai"
    text = '[reader]\nbackend = "openai"\n'
    assert choice(tmp_path, text, CTXD_READER_BACKEND="off") is None
    assert choice(tmp_path, text, CTXD_READER_BACKEND="bedrock") == "bedrock"
    assert choice(tmp_path, text, CTXD_READER_BACKEND="") == "openai"
    assert choice(tmp_path, text, CTXD_READER="1") == "openai"


def test_it_is_chosen_as_all_of_the_settings_say(tmp_path):
    text = '[reader]\nbackend = "openai"\ncalls_a_day = 7\nmodel = "m-1"\n'
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    variables = {"CTXD_READER_MODEL": "m-2", "CTXD_READER_UNASKED": "false", "CTXD_READER": "1"}
    variables["CTXD_READER_PICTURES"] = "/somebody/elses"
    assert chosen_reader(tmp_path, variables) == load_settings(tmp_path, variables).reader
