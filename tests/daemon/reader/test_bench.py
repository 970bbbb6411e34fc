"""A reader is measured by files: what it would be sent, and what its answers come to."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ctxd.reader.own import MARK
from ctxd.reader.prompt import ask_of, chunks_of
from ctxd.reader.turns import heard
from reader_talks import no_items, talk

ROOT = Path(__file__).parents[3]
SAID = (
    ("Which database shall I use for the queue?", "sqlite is enough, no server please"),
    ("Done.", "thanks, commit it"),
)


def bench(*arguments):
    command = [sys.executable, "-m", "tests.bench.reader", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def transcripts(tmp_path):
    folder = tmp_path / "transcripts"
    folder.mkdir()
    rows = [
        {"i": 2 * number + side, "role": role, "text": text, "ts": None}
        for number, pair in enumerate(SAID)
        for side, (role, text) in enumerate(zip(("assistant", "user"), pair, strict=True))
    ]
    (folder / "talk.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def test_what_is_exported_is_what_a_daemon_would_send(transcripts, tmp_path):
    assert "1 calls" in bench("export", transcripts, tmp_path / "out")
    text = (tmp_path / "out/talk.01.txt").read_text(encoding="utf-8")
    assert text.startswith(f"{MARK}\n")
    [chunk] = chunks_of(heard(talk(*SAID), no_items))
    told = [line.partition(" ")[2] for line in text.splitlines() if " turn " in line[:16]]
    assert told == [
        line.partition(" ")[2]
        for line in ask_of(chunk).prompt.splitlines()
        if " turn " in line[:16]
    ]
    ask = json.loads((tmp_path / "out/talk.01.json").read_bytes())
    assert text == f"{ask['instructions']}\n\n{ask['text']}"


def test_answers_become_predictions_through_the_daemons_checks(transcripts, tmp_path):
    answers = tmp_path / "answers"
    answers.mkdir()
    item = {
        "turn": 1, "quote": "sqlite is enough, no server please", "from_turn": None,
        "proposal_quote": None, "statement": "sqlite is enough for the queue, no server",
        "kind": "decision", "reason": "", "rejected": [], "scope": [], "authority": "user",
        "durability": "repo", "sure": 3, "candidate": None, "supersedes": [],
    }  # fmt: skip
    invented = item | {"turn": 2, "quote": "always use Postgres", "statement": "Use Postgres"}
    told = {"items": [item, invented], "not_items": []}
    (answers / "talk.01.txt").write_text(json.dumps(told), encoding="utf-8")
    said = bench("import", transcripts, answers, tmp_path / "out")
    assert "refused: the user did not say this" in said
    lines = (tmp_path / "out/talk.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    assert [(one["turn"], one["kind"]) for one in found if "sqlite" in one["text"]] == [
        (1, "decision")
    ]
    assert not any("Postgres" in one["text"] for one in found)


def test_a_call_without_an_answer_leaves_what_was_understood_offline(transcripts, tmp_path):
    (tmp_path / "none").mkdir()
    said = bench("import", transcripts, tmp_path / "none", tmp_path / "out")
    assert "1 calls without an answer" in said
    assert (tmp_path / "out/talk.jsonl").exists()
