"""Where the text goes: what is this machine, what has to be encrypted, and what failures mean."""

import os
import subprocess
import sys

import pytest

from api_shapes import ASK
from ctxd.reader.api_troubles import Failed, refusal_of, retry_after
from ctxd.reader.backends.registry import backend
from ctxd.reader.servers import go_around_proxies, is_this_machine, server_of
from ctxd.reader.values import Choice, ReaderError
from scripted_api import Said, scripted

SECRET = "sk-ant-0123456789abcdef"


def choice(url: str, **more) -> Choice:
    return Choice(backend="openai", base_url=url, **more)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("box.localhost", True),
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("192.168.1.5", False),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
        ("127.1", False),
        ("", False),
    ],
)
def test_only_names_that_cannot_be_another_machine_are_this_one(host, expected):
    assert is_this_machine(host) is expected


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:11434/v1", "http://[::1]:8080/v1", "https://gateway.example/v1"]
)
def test_text_goes_to_this_machine_or_encrypted(url):
    server = server_of(choice(url))
    assert server.url == url
    assert server.is_local is url.startswith("http://")


@pytest.mark.parametrize("url", ["http://192.168.1.5:11434/v1", "http://gateway.example"])
def test_text_goes_unencrypted_to_no_other_machine_unless_the_settings_say_so(url):
    with pytest.raises(ReaderError) as raised:
        server_of(choice(url))
    assert "unencrypted" in raised.value.message
    assert not server_of(choice(url, unencrypted=True)).is_local


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x",
        "https://",
        "//host",
        "gateway.example",
        "https://[bad",
        "https://host:99999",
        f"https://{SECRET}@gateway.example/v1",
        f"https://user:{SECRET}@gateway.example/v1",
        f"https://gateway.example/v1?key={SECRET}",
        f"https://gateway.example/v1#{SECRET}",
    ],
)
def test_other_addresses_are_refused_without_being_repeated(url):
    with pytest.raises(ReaderError) as raised:
        server_of(choice(url))
    assert raised.value.trouble == "account"
    assert SECRET not in raised.value.message


@pytest.mark.parametrize("name", ["anthropic", "openai", "bedrock"])
def test_everyone_says_who_gets_the_text(name):
    asked = backend(name)
    assert asked.sends_to(Choice(backend=name))
    assert asked.sends_to(choice("http://localhost:1234/v1")) == ""
    assert asked.sends_to(choice("https://gateway.example/v1")) == "gateway.example"


def test_a_local_server_that_passes_text_on_is_not_said_to_keep_it():
    local = "http://localhost:11434/v1"
    for model in ("gpt-oss:120b-cloud", "minimax-m2:cloud"):
        assert model in backend("openai").sends_to(choice(local, model=model))
    assert backend("openai").sends_to(choice(local, model="cloud-9:8b")) == ""


def test_what_goes_unencrypted_is_said_to():
    sent = backend("openai").sends_to(choice("http://192.168.1.5:11434/v1", unencrypted=True))
    assert sent == "192.168.1.5:11434, unencrypted"


def test_asking_what_there_is_loads_no_library_of_an_api():
    code = (
        "import sys\n"
        "from ctxd.reader.backends.registry import backend\n"
        "from ctxd.reader.values import Choice\n"
        "for name in ('anthropic', 'openai', 'bedrock'):\n"
        "    choice = Choice(backend=name, base_url='http://localhost:9/v1', model='m')\n"
        "    backend(name).sends_to(choice), backend(name).version()\n"
        "heavy = {'anthropic', 'openai', 'boto3', 'botocore', 'keyring', 'httpx2'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["anthropic", "openai", "bedrock"])
def test_a_library_that_is_missing_is_said_to_be(name, monkeypatch):
    asked = backend(name)
    monkeypatch.setitem(sys.modules, asked.library, None)
    local = Choice(backend=name, base_url="http://localhost:9/v1", model="m")
    assert "ctxd-daemon[reader]" in asked.ready(local).hint
    with pytest.raises(ReaderError) as raised:
        asked.command(ASK, local)
    assert raised.value.trouble == "missing"


def test_a_local_server_that_is_not_started_is_not_ready():
    with scripted([Said()]) as server:
        here = choice(f"{server.url}/v1")
        assert backend("openai").ready(here).is_ready
    ready = backend("openai").ready(here)
    assert (ready.is_ready, ready.hint) == (False, "start the server")


def test_a_cloud_is_ready_as_far_as_can_be_told_without_asking_it(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    asked = backend("bedrock")
    assert asked.ready(Choice(backend="bedrock")).why_not == "no model is named"
    named = Choice(backend="bedrock", model="m", region="eu-central-1")
    assert asked.ready(named).why_not == "no AWS credentials"
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert asked.ready(named).is_ready
    assert "eu-central-1" in asked.sends_to(named)


def test_other_ways_around_proxies_stay():
    variables = {"NO_PROXY": "intranet.example"}
    go_around_proxies("127.0.0.1", variables)
    assert variables == {"NO_PROXY": "intranet.example,127.0.0.1", "no_proxy": "127.0.0.1"}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "999999999999"}, 4 * 3600.0),
        (
            {
                "retry-after": "Mon, 30 Nov 2026 12:01:00 GMT",
                "date": "Mon, 30 Nov 2026 12:00:00 GMT",
            },
            60.0,
        ),
        (
            {
                "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT",
                "date": "Mon, 30 Nov 2026 12:00:00 GMT",
            },
            0.0,
        ),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, None),
    ],
)
def test_when_to_come_back_is_understood_in_every_form(headers, expected):
    assert retry_after(headers) == expected


@pytest.mark.parametrize("code", [SECRET, "a" * 100, "x y", "<script>", "", "7", "sk-abc"])
def test_what_may_be_no_word_of_an_api_is_not_repeated(code):
    error = refusal_of(Failed(host="host", model="m", status=400, code=code, words=SECRET))
    assert error.message == "host does not take the question (400)"


def test_what_a_server_says_is_looked_through_in_linear_time():
    words = "input " * 20_000 + "prompt request " * 5_000
    error = refusal_of(Failed(host="host", model="m", status=400, words=words))
    assert error.trouble == "account"


@pytest.mark.parametrize("status", [0, 99, 200, 304, 600, 999])
def test_odd_statuses_have_a_trouble_too(status):
    assert refusal_of(Failed(host="host", model="m", status=status)).trouble
