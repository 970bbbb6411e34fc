"""Keys come from the environment or the system's keyring, each for its server, and never hang."""

import sys
import threading
import time
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail

from api_shapes import ANSWER, ASK, KEY, OpenAiShape, choice_of
from ctxd.errors import UserError
from ctxd.reader import child, keys
from ctxd.reader.backends.registry import backend
from ctxd.reader.extra import install_hint
from ctxd.reader.values import Choice, ReaderError
from kept_keyring import FILE, Failing, Hanging, Kept
from scripted_api import Said, scripted

NOTHING: dict[str, str] = {}
OPENAI = OpenAiShape()
TESTS = str(Path(__file__).parents[2])


@pytest.fixture(autouse=True)
def ring(monkeypatch, tmp_path):
    """A keyring of the test's own."""
    monkeypatch.setenv(FILE, str(tmp_path / "keyring.json"))
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    use(Kept(), monkeypatch)


def use(backend, monkeypatch):
    monkeypatch.setattr(keyring.core, "_keyring_backend", backend)


def test_a_key_that_is_kept_is_found_and_can_be_removed():
    keys.store("anthropic", KEY)
    assert keys.find("anthropic", NOTHING) == keys.Key(KEY, keys.KEYRING)
    assert keyring.get_password("ctxd", "anthropic") == KEY
    assert keys.find("openai", NOTHING) is None
    assert keys.remove("anthropic")
    assert keys.find("anthropic", NOTHING) is None
    assert not keys.remove("anthropic")


def test_the_environment_comes_first():
    keys.store("openai", "of the keyring".replace(" ", "-"))
    found = keys.find("openai", {"OPENAI_API_KEY": KEY})
    assert found == keys.Key(KEY, "`OPENAI_API_KEY`")


@pytest.mark.parametrize("value", ["", "  "])
def test_an_empty_variable_is_no_key(value):
    assert keys.find("anthropic", {"ANTHROPIC_API_KEY": value}) is None


def test_a_key_is_never_shown():
    assert KEY not in repr(keys.Key(KEY, "here"))
    assert KEY not in str([keys.Key(KEY, "here")])


def test_the_variable_of_a_vendor_is_for_its_server_alone():
    variables = {"OPENAI_API_KEY": KEY}
    assert keys.find("openai@gateway.example", variables) is None
    named = {**variables, "OPENAI_BASE_URL": "https://gateway.example/v1"}
    assert keys.find("openai@gateway.example", named).secret == KEY
    assert keys.find("openai@other.example", named) is None
    assert keys.find("openai@gateway.example", {**named, "OPENAI_BASE_URL": "https://[bad"}) is None


def test_each_server_has_a_name_of_its_own():
    asked = backend("openai")
    assert asked.key_name(Choice(backend="openai")) == "openai"
    assert (
        asked.key_name(Choice(backend="openai", base_url="https://api.openai.com/v1")) == "openai"
    )
    other = Choice(backend="openai", base_url="https://gateway.example:8443/v1")
    assert asked.key_name(other) == "openai@gateway.example:8443"


def test_where_no_keyring_is_there_is_no_key_and_a_way_to_have_one(monkeypatch):
    use(fail.Keyring(), monkeypatch)
    assert keys.find("anthropic", NOTHING) is None
    for act in (lambda: keys.store("anthropic", KEY), lambda: keys.remove("anthropic")):
        with pytest.raises(UserError) as raised:
            act()
        assert "no keyring" in raised.value.message
        assert "environment.d" in raised.value.hint or sys.platform != "linux"
        assert "ANTHROPIC_API_KEY" in raised.value.hint


@pytest.mark.parametrize("key", ["sk-\u2026", "sk-1\nX-Other: 1", "sk-\x7f"])
def test_what_no_server_would_get_whole_is_no_key(key):
    with pytest.raises(ReaderError) as raised:
        keys.find("openai", {"OPENAI_API_KEY": key})
    assert raised.value.trouble == "key"
    assert key not in raised.value.message


def test_without_the_library_there_is_no_keyring(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert keys.find("anthropic", NOTHING) is None
    with pytest.raises(UserError) as raised:
        keys.store("anthropic", KEY)
    assert raised.value.hint == install_hint()


def test_a_keyring_that_hangs_is_not_waited_for(monkeypatch, request):
    hanging = Hanging()
    hanging.over = threading.Event()
    request.addfinalizer(hanging.over.set)
    use(hanging, monkeypatch)
    monkeypatch.setattr(keys, "READER_KEYRING_SECONDS", 0.2)
    monkeypatch.setattr(keys, "READER_KEYRING_ASKED_SECONDS", 0.2)
    with pytest.raises(ReaderError) as raised:
        keys.find("anthropic", NOTHING)
    assert raised.value.trouble == "key"
    with pytest.raises(UserError):
        keys.store("anthropic", KEY)


def test_what_a_keyring_complains_of_is_not_repeated(monkeypatch):
    use(Failing(), monkeypatch)
    with pytest.raises(ReaderError) as raised:
        keys.find("anthropic", NOTHING)
    assert "KeyringError" in raised.value.message
    with pytest.raises(UserError) as refused:
        keys.store("anthropic", KEY)
    assert KEY not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(
    "key", ["", "two words", "line\nline", "tab\there", "schlüssel", "x" * 9000]
)
def test_what_is_no_key_is_not_kept(key):
    with pytest.raises(UserError):
        keys.store("anthropic", key)
    assert keys.find("anthropic", NOTHING) is None


def test_a_process_that_asks_finds_the_key_of_its_server_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "kept_keyring.Kept")
    monkeypatch.setenv("PYTHONPATH", TESTS)
    with scripted([Said(OPENAI.answer())]) as server:
        choice = choice_of(OPENAI, server.url)
        asked = backend("openai")
        keys.store(asked.key_name(choice), KEY)
        finished = child.run(asked.command(ASK, choice), tmp_path, 60)
    assert asked.reply(finished).text == ANSWER
    assert server.last.headers["authorization"] == f"Bearer {KEY}"


def test_a_process_that_asks_ends_though_the_keyring_hangs(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "kept_keyring.Hanging")
    monkeypatch.setenv("PYTHONPATH", TESTS)
    asked = backend("openai")
    begun = time.monotonic()
    finished = child.run(asked.command(ASK, Choice(backend="openai")), tmp_path, 60)
    with pytest.raises(ReaderError) as raised:
        asked.reply(finished)
    assert raised.value.trouble == "key"
    assert time.monotonic() - begun < 30


def test_without_a_key_the_vendor_is_not_asked(tmp_path, monkeypatch):
    for name in ("anthropic", "openai"):
        choice = Choice(backend=name)
        ready = backend(name).ready(choice)
        assert (ready.is_ready, ready.hint) == (False, "`ctxd reader setup`")
        with pytest.raises(ReaderError) as raised:
            backend(name).key(choice)
        assert raised.value.trouble == "key"
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    ready = backend("anthropic").ready(Choice(backend="anthropic"))
    assert ready.is_ready
    assert "key from `ANTHROPIC_API_KEY`" in ready.what
    assert KEY not in ready.what
