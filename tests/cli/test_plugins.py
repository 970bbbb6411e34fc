"""An agent that another package adds, as docs/adding-an-agent.md says, and nothing else."""

import json
import re

import pytest

from cli.running import ROOT

DOC = (ROOT / "docs" / "adding-an-agent.md").read_text(encoding="utf-8")
[PARSER] = re.findall(r"^```python\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)
[ENTRY] = re.findall(r"^```toml\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)
LOG = [
    {"who": "user", "text": "Never log request bodies.", "at": 1_790_000_000},
    {"who": "agent", "text": "Understood.", "at": 1_790_000_001},
    {"summary": "We talked.", "at": 1_790_000_002},
    {"who": "robot"},
]


def package(home, name, code, entries):
    """An installed package, as far as the interpreter can tell."""
    site = home.path / "site"
    facts = site / f"{name}-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = "\n".join(line.replace('"', "") for line in entries.splitlines()[1:])
    (facts / "entry_points.txt").write_text(f"[ctxd_parsers]\n{lines}\n", encoding="utf-8")
    (site / f"{name}.py").write_text(code, encoding="utf-8")
    found = [str(site), *filter(None, [home.variables.get("PYTHONPATH")])]
    home.variables["PYTHONPATH"] = ":".join(dict.fromkeys(found))


@pytest.fixture
def toy(home):
    package(home, "toy_parser", PARSER, ENTRY)
    log = home.path / ".toy" / "one.jsonl"
    log.parent.mkdir()
    log.write_text("".join(json.dumps(row) + "\n" for row in LOG) + "{torn\n", encoding="utf-8")
    return home


def test_it_is_scanned_like_all_others(toy):
    [agent] = json.loads(toy.ctxd("scan", "--json").out)["agents"]
    assert (agent["agent"], agent["transcripts"], agent["sessions"]) == ("toy", 1, 1)
    assert (agent["user_messages"], agent["compactions"]) == (1, 1)
    assert [kind["kind"] for kind in agent["unknown_kinds"]] == ["robot"]
    assert [damage["reason"] for damage in agent["damage"]] == ["no JSON"]
    assert sum(agent["items"].values()) == 1


def test_its_sessions_and_events_are_shown(toy):
    [session] = [json.loads(line) for line in toy.ctxd("sessions", "--json").lines]
    assert (session["agent"], session["session"]) == ("toy", "one")
    assert "Never log request bodies." in toy.ctxd("events", toy.path / ".toy" / "one.jsonl").out


def test_a_broken_one_is_left_out_and_named_by_doctor(toy):
    package(toy, "bad_parser", "raise OSError('no luck')\n", "x\nbad = bad_parser:Bad")
    package(toy, "half_parser", "class Half:\n    name = 'half'\n", "x\nhalf = half_parser:Half")
    package(toy, "twin_parser", PARSER, "x\ntwin = twin_parser:Toy")
    [agent] = json.loads(toy.ctxd("scan", "--json").out)["agents"]
    assert agent["agent"] == "toy"
    checks = json.loads(toy.ctxd("doctor", "--json").out)["checks"]
    told = [check["message"] for check in checks if check["name"] == "parsers"]
    assert len(told) == 3
    assert "`bad` of another package is left out: OSError: no luck" in told[0]
    assert "`half` of another package is left out: it has no `agent`" in told[1]
    assert "`twin` of another package is left out: there is a parser `toy` already" in told[2]
