"""A block stays within its budget; what leaves is named, and what binds most leaves last."""

import base64
import socket

import pytest
from tiktoken import Encoding

from ctxd.context_files import tokens
from ctxd.context_files.block import find
from ctxd.context_files.budget import Claim, fit
from ctxd.context_files.lines import render
from ctxd.context_files.text_file import decode
from ctxd.context_files.tokens import counts
from rule_files import HOME, Worktree, codes, remembered, standing


def claims(number, **more):
    states = [standing(f"rule number {n} of many rules", hour=n, **more) for n in range(number)]
    return [Claim(state, render(state)) for state in states]


def test_tokens_are_those_of_the_whole_vocabulary():
    lines = ["- Never edit `src/app.py` by hand [k3mz7qpa]", "Größe 日本語 🙂", "", "x" * 300]
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in map(bytes.split, tokens._vocabulary().splitlines())
    }
    whole = Encoding("whole", pat_str=tokens._PATTERN, mergeable_ranks=ranks, special_tokens={})
    assert counts(lines) == [len(whole.encode_ordinary(line + "\n")) for line in lines]


def test_without_the_vocabulary_the_count_is_an_estimate_that_is_rather_too_high(monkeypatch):
    monkeypatch.setattr(tokens, "_vocabulary", lambda: None)
    line = "- Never edit migrations by hand, whatever anybody says about it [qqqqqqqq]"
    assert tokens._counted([line]) == [25]


def test_no_count_needs_the_network(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr(socket, "socket", refuse)
    assert counts(["a line nobody has counted yet"]) == [7]


def test_all_are_shown_while_there_is_room():
    some = claims(5)
    assert fit(some, 1500).left_out == ()


def test_critical_items_stay_and_questions_and_old_ones_leave_first():
    critical = claims(1, severity="critical")
    question = [Claim(s := standing("what now?", kind="question", hour=99), render(s))]
    normal = claims(9)[1:]
    fitted = fit([*critical, *question, *normal], 100)
    assert critical[0].state.item.id in fitted.shown
    assert question[0].state.item.id in fitted.left_out
    ids = [claim.state.item.id for claim in normal]
    shown = [item in fitted.shown for item in ids]
    assert shown == sorted(shown)
    assert 0 < sum(shown) < len(shown)


def test_what_a_human_worded_is_never_taken_away():
    held = [Claim(c.state, c.line, is_new=False, is_held=True) for c in claims(9)]
    newest = standing("newest rule of all", hour=99)
    fitted = fit([*held, Claim(newest, render(newest))], 50)
    assert fitted.left_out == (newest.item.id,)


def test_a_full_block_makes_room_seldom():
    tree, changes = Worktree(budget_tokens=400), []
    for number in range(60):
        tree.say(f"rule number {number} of many rules", hour=number)
        planned = tree.write()
        changes.append({change.action for edit in planned.edits for change in edit.changes})
    appended = sum(actions == {"add"} for actions in changes)
    assert appended >= 54
    assert sum(counts(tree.text.splitlines())) <= 400


def test_of_a_hundred_writes_nearly_all_only_append():
    tree, appends = Worktree({HOME: "# Shop\n"}), 0
    kinds = ("constraint", "decision", "decision", "scope", "question")
    for number in range(100):
        words = f"Never call the payment service number {number} from a signal handler"
        tree.say(words, kind=kinds[number % 5], reason="because ops runs it already", hour=number)
        [edit] = tree.write().edits
        appends += {change.action for change in edit.changes} == {"add"}
    assert appends >= 95


def test_what_found_no_room_is_named_by_one_line_and_does_not_come_back_by_itself():
    tree = Worktree(budget_tokens=200)
    ids = [tree.say(f"rule number {number} of many rules", hour=number) for number in range(30)]
    planned = tree.write()
    assert "budget.full" in codes(planned)
    block = find(decode(tree.files[HOME]).lines)
    shown = {entry.line.id for entry in block.entries}
    assert block.left_out == 30 - len(shown)
    assert set(remembered(tree).left_out) == set(ids) - shown
    assert tree.text.count("more in `.ctxd/items.jsonl`") == 1
    assert not tree.write().edits
    for known in list(shown)[:3]:
        tree.rule(known, "rejected")
    tree.write()
    assert not tree.write().edits


def test_an_item_that_holds_no_more_is_not_counted_among_those_left_out():
    tree = Worktree(budget_tokens=200)
    for number in range(30):
        tree.say(f"rule number {number} of many rules", hour=number)
    tree.write()
    before = find(decode(tree.files[HOME]).lines).left_out
    tree.rule(remembered(tree).left_out[0], "rejected")
    tree.say("the newest rule", hour=99)
    tree.write()
    after = find(decode(tree.files[HOME]).lines)
    assert after.left_out == len(remembered(tree).left_out)
    assert after.left_out != before


@pytest.mark.parametrize("budget", [0, 30])
def test_a_budget_too_small_for_anything_writes_nothing(budget):
    tree = Worktree(budget_tokens=budget)
    tree.say("use tabs")
    assert not tree.write().edits


def test_fifty_successive_writes_keep_every_item_verbatim():
    tree = Worktree({HOME: "# Shop\r\n\r\nUse pnpm."}, budget_tokens=10_000)
    lines = []
    for number in range(50):
        for part in range(1 + number % 3):
            words = f"rule {number}.{part}: keep `src/part_{number}` as it is"
            lines.append(f"- {words} [{tree.say(words, hour=number)}]\r\n")
        tree.write()
        assert tree.files[HOME].startswith(b"# Shop\r\n\r\nUse pnpm.")
        assert not tree.plan().edits
        assert all(line in tree.text for line in lines)
