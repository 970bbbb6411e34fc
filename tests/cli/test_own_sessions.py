"""What an agent keeps of having been a reader is in no answer of a command."""

import json

import pytest

from cli.running import SAMPLE_ID, SAMPLE_LOG
from ctxd.reader.own import FOLDER, MARK

READERS_ID = "00000000-1111-4222-8333-444444444444"


def add_readers(home, sign):
    """Beside the sample session, the same one as it is when a reader was asked."""
    text = SAMPLE_LOG.read_text(encoding="utf-8").replace(SAMPLE_ID, READERS_ID)
    folder = "/home/dev/work/shop"
    if sign == "folder":
        rows = [json.loads(line) for line in text.splitlines()]
        folder = f"/home/dev/.local/state/ctxd/{FOLDER}"
        text = "\n".join(json.dumps(row | {"cwd": folder} if "cwd" in row else row) for row in rows)
    else:
        text = text.replace("Add rate limiting", f"{MARK}\\nAdd rate limiting", 1)
    store = home.path / ".claude" / "projects" / folder.replace("/", "-").replace(".", "-")
    store.mkdir(parents=True, exist_ok=True)
    (store / f"{READERS_ID}.jsonl").write_text(text + "\n", encoding="utf-8")


@pytest.mark.parametrize("sign", ["folder", "words"])
def test_commands_that_read_logs_tell_nothing_of_a_readers_session(sample_home, sign):
    commands = [
        ("sessions", "--json"),
        ("scan", "--json"),
    ]
    before = [sample_home.ctxd(*command).out for command in commands]
    add_readers(sample_home, sign)
    listed, scanned = (sample_home.ctxd(*command).out for command in commands)
    assert listed == before[0]
    assert json.loads(listed)["session"] == SAMPLE_ID
    told, told_before = json.loads(scanned), json.loads(before[1])
    [agent], [agent_before] = told["agents"], told_before["agents"]
    assert agent["transcripts"] == 2
    for name in ("sessions", "user_messages", "compactions"):
        assert agent[name] == agent_before[name] > 0
    assert told["items"] == told_before["items"]
    assert READERS_ID not in scanned
