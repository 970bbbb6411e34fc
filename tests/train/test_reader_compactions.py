"""A reader's verdicts are measured through the very path of the daemon, and without labels."""

from __future__ import annotations

import json

from tests.bench import reader_compactions as bench

SUMMARY = "Rules:\n- Requests time out after 30 s.\n- Nobody pushes to main.\n"
PAIRS = [
    {"id": "p1", "item": "requests time out after 3 s", "label": "changed"},
    {"id": "p2", "item": "never push to main", "label": "kept"},
    {"id": "p3", "item": "log in JSON", "label": "lost"},
]


def files(tmp_path):
    pairs = tmp_path / "pairs.jsonl"
    rows = [pair | {"kind": "constraint", "after": SUMMARY, "statement": ""} for pair in PAIRS]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    bench.export(pairs, tmp_path / "prompts")
    return pairs, tmp_path / "prompts", tmp_path / "out.jsonl"


def verdicts(out):
    rows = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["verdict"] for row in rows}


def test_a_call_is_exported_as_it_would_be_sent_and_without_labels(tmp_path):
    _, prompts, _ = files(tmp_path)
    text, parts = sorted(prompts.glob("*.txt")), sorted(prompts.glob("*.json"))
    assert len(text) == len(parts) == 1
    words, ask = text[0].read_text(encoding="utf-8"), json.loads(parts[0].read_bytes())
    assert words == f"{ask['instructions']}\n\n{ask['text']}"
    assert all(pair["item"] in words for pair in PAIRS)
    assert "p1" not in words


def test_answers_count_as_in_the_daemon_and_what_does_not_leaves_the_comparison(tmp_path, capsys):
    pairs, prompts, out = files(tmp_path)
    bench.take(pairs, tmp_path / "none", out)
    offline = verdicts(out)
    name = next(prompts.glob("*.txt")).stem
    answers = tmp_path / "answers"
    answers.mkdir()
    rows = [
        {"item": "i1", "answer": "kept", "passage": "Requests time out after 30 s.", "why": "name"},
        {"item": "i2", "answer": "weakened", "passage": "pushes to main", "why": "modality"},
        {"item": "i3", "answer": "kept", "passage": "logs are JSON", "why": "other words"},
    ]
    (answers / f"{name}.txt").write_text(f"```\n{json.dumps({'items': rows})}\n```", "utf-8")
    capsys.readouterr()
    bench.take(pairs, answers, out)
    assert verdicts(out) == offline | {"p2": "weakened"}
    printed = capsys.readouterr().out
    assert "2 refused" not in printed
    assert "refused: another number or unit stands there" in printed
    assert "refused: it does not stand in the texts word for word" in printed
