"""The human has the last word: on wording, on deletion, and on whether ctxd writes at all."""

import msgspec
import pytest

from ctxd.context_files.block import BEGIN, END
from ctxd.item_log import refined, superseded
from made_items import item
from rule_files import HOME, Worktree, codes, remembered


@pytest.fixture
def tree():
    tree = Worktree({HOME: "# Shop\n\nUse pnpm.\n"})
    tree.tabs = tree.say("use tabs")
    tree.go = tree.say("use Go", hour=1)
    tree.write()
    return tree


def drop(tree, words):
    lines = tree.text.splitlines(keepends=True)
    tree.text = "".join(line for line in lines if words not in line)


def verdicts(planned):
    return [(event.item, event.type, event.text) for event in planned.events]


def test_a_reworded_line_is_the_items_wording_from_then_on(tree):
    tree.text = tree.text.replace("- use tabs [", "-  use hard tabs,  always [")
    planned = tree.write()
    assert verdicts(planned) == [(tree.tabs, "edited", "use hard tabs, always")]
    assert not planned.edits
    tree.events.append(refined(tree.tabs, item("use tabs of width 4", hour=3)))
    tree.events.append(superseded(tree.tabs, item("use spaces", hour=4)))
    assert not tree.write().edits
    assert f"-  use hard tabs,  always [{tree.tabs}]" in tree.text


def test_what_is_written_on_behind_the_id_belongs_to_the_wording(tree):
    tree.text = tree.text.replace(f"[{tree.tabs}]", f"[{tree.tabs}], but not in YAML")
    assert verdicts(tree.write()) == [(tree.tabs, "edited", "use tabs, but not in YAML")]
    assert not tree.write().edits


def test_a_line_that_an_editor_wrapped_or_marked_otherwise_is_not_reworded(tree):
    tree.text = tree.text.replace("- use tabs [", "* use\n  tabs [")
    planned = tree.write()
    assert (planned.events, planned.edits) == ((), ())


def test_what_a_human_writes_into_a_line_that_would_act_stays_as_they_wrote_it(tree):
    tree.text = tree.text.replace("use tabs [", "see [docs](https://shop.example/tabs) [")
    tree.write()
    tree.say("use Rust", hour=5)
    tree.write()
    assert f"- see [docs](https://shop.example/tabs) [{tree.tabs}]" in tree.text


def test_a_secret_that_a_human_writes_into_a_line_does_not_reach_the_ledger(tree):
    token = "ghp_" + "a1B2c3D4e5" * 4
    tree.text = tree.text.replace("use tabs [", f"use {token} [")
    [event] = tree.write().events
    assert token not in event.text
    assert token in tree.text
    assert not tree.write().events


def test_a_deleted_line_is_retracted_and_never_comes_back(tree):
    drop(tree, "use tabs")
    planned = tree.write()
    assert verdicts(planned) == [(tree.tabs, "retracted", None)]
    assert codes(planned) == ["lines.deleted"]
    tree.say("use tabs", hour=9)
    tree.events.append(refined(tree.tabs, item("use tabs everywhere", hour=10)))
    tree.say("use Rust", hour=11)
    tree.write()
    assert "use tabs" not in tree.text


def test_a_deleted_line_does_not_come_back_even_if_what_was_remembered_is_lost(tree):
    drop(tree, "use tabs")
    tree.write()
    tree.memory = {}
    tree.write()
    assert "use tabs" not in tree.text


def test_a_retracted_item_that_the_user_takes_up_again_is_written_again(tree):
    drop(tree, "use tabs")
    tree.write()
    tree.rule(tree.tabs, "restored")
    tree.write()
    assert f"- use tabs [{tree.tabs}]" in tree.text


def test_a_line_that_is_cut_and_pasted_in_two_saves_holds_again(tree):
    whole = tree.text
    drop(tree, "use tabs")
    tree.write()
    tree.text = whole
    assert verdicts(tree.write()) == [(tree.tabs, "restored", None)]
    assert tree.states[tree.tabs].status == "active"
    assert tree.text == whole


@pytest.mark.parametrize("tag", ["", " [{}]"])
def test_a_line_that_is_moved_elsewhere_is_the_humans_and_left_there(tree, tag):
    drop(tree, "use tabs")
    moved = "- Use tabs." + tag.format(tree.tabs)
    tree.text = tree.text.replace("Use pnpm.", f"Use pnpm.\n{moved}")
    planned = tree.write()
    assert (planned.events, planned.edits) == ((), ())
    assert tree.states[tree.tabs].status == "active"
    tree.events.append(refined(tree.tabs, item("use tabs everywhere", hour=9)))
    assert not tree.write().edits
    assert tree.text.count("se tabs") == 1


def test_a_line_that_is_moved_to_another_context_file_is_not_retracted(tree):
    drop(tree, "use tabs")
    tree.files["CLAUDE.md"] = b"# Rules\n\n- use tabs\n"
    planned = tree.write()
    assert (planned.events, planned.edits) == ((), ())


def test_a_line_whose_id_or_bullet_is_taken_off_is_the_humans(tree):
    tree.text = tree.text.replace(f"use tabs [{tree.tabs}]", "use tabs")
    tree.text = tree.text.replace("- use Go [", "use Go [")
    planned = tree.write()
    assert (planned.events, planned.edits) == ((), ())
    assert not tree.write().edits


def test_lines_keep_the_order_and_the_place_that_a_human_gave_them(tree):
    lines = tree.text.splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if "use tabs" in line)
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    lines.insert(at + 1, "- a rule of my own\n")
    tree.text = before = "".join(lines)
    assert not tree.write().edits
    tree.say("use Rust", hour=5)
    tree.write()
    rust = next(line for line in tree.text.splitlines(keepends=True) if "use Rust" in line)
    assert tree.text.replace(rust, "") == before


def test_a_heading_that_a_human_renamed_is_used_as_it_is(tree):
    tree.text = tree.text.replace("## Decided", "## What we settled on")
    tree.say("use Rust", hour=5)
    tree.write()
    assert "## Decided" not in tree.text
    assert tree.text.index("use Rust") > tree.text.index("use Go")


def test_a_humans_lines_in_the_block_survive_the_last_item(tree):
    tree.text = tree.text.replace("- use Go", "- a rule of my own\n- use Go")
    for known in (tree.tabs, tree.go):
        tree.rule(known, "rejected")
    tree.write()
    assert "- a rule of my own\n" in tree.text
    assert "## Decided" in tree.text


def test_removed_markers_mean_stop_until_the_block_is_back(tree):
    whole = tree.text
    tree.text = whole.replace(f"{BEGIN}\n", "").replace(f"{END}\n", "")
    tree.say("use Rust", hour=5)
    for _ in range(2):
        planned = tree.write()
        assert (planned.edits, planned.events) == ((), ())
        assert codes(planned) == ["block.stopped"]
    tree.text = whole
    tree.write()
    assert "use Rust" in tree.text


def test_a_deleted_file_means_stop_as_well(tree):
    del tree.files[HOME]
    tree.say("use Rust", hour=5)
    planned = tree.write()
    assert (planned.edits, codes(planned)) == ((), ["block.stopped"])


def test_enabling_a_stopped_file_writes_the_block_anew(tree):
    tree.text = "# Shop\n"
    tree.write()
    tree.memory = {}
    tree.write()
    assert f"- use tabs [{tree.tabs}]" in tree.text


def test_one_marker_alone_is_no_stop_but_a_damage(tree):
    tree.text = tree.text.replace(f"{END}\n", "")
    planned = tree.write()
    assert codes(planned) == ["block.broken"]
    assert not remembered(tree).stopped


def test_a_line_that_a_merge_has_doubled_is_healed(tree):
    line = f"- use tabs [{tree.tabs}]\n"
    tree.text = tree.text.replace(line, line * 3)
    [edit] = tree.write().edits
    assert [change.action for change in edit.changes] == ["heal", "heal"]
    assert tree.text.count(line) == 1


def test_of_a_line_and_its_rewording_side_by_side_the_humans_stays(tree):
    line = f"- use tabs [{tree.tabs}]\n"
    tree.text = tree.text.replace(line, f"{line}- use hard tabs [{tree.tabs}]\n")
    planned = tree.write()
    assert verdicts(planned) == [(tree.tabs, "edited", "use hard tabs")]
    assert line not in tree.text
    assert f"- use hard tabs [{tree.tabs}]\n" in tree.text


def test_a_new_rule_that_a_human_made_from_a_copy_of_a_line_is_left_alone(tree):
    line = f"- use tabs [{tree.tabs}]\n"
    copy = f"- deploy on Fridays only [{tree.tabs}]\n"
    tree.text = tree.text.replace(line, line + copy)
    for _ in range(2):
        planned = tree.write()
        assert (planned.edits, planned.events) == ((), ())
        assert codes(planned) == ["ids.doubled"]


def test_what_git_lays_is_nobodys_word(tree):
    on_feature = tree.text
    drop(tree, "use tabs")
    on_main = tree.text.replace("use Go", "use Golang")
    tree.lay(on_main)
    planned = tree.write()
    assert (planned.edits, planned.events) == ((), ())
    tree.say("use Rust", hour=5)
    tree.write()
    assert "use tabs" not in tree.text
    assert "- use Golang [" in tree.text
    tree.lay(on_feature)
    planned = tree.write()
    assert (planned.edits, planned.events) == ((), ())
    assert all(one.status == "active" for one in tree.states.values())


def test_what_was_taken_back_or_replaced_on_one_branch_stays_on_another(tree):
    on_main = tree.text
    drop(tree, "use tabs")
    tree.events.append(superseded(tree.go, item("use Rust", hour=5)))
    tree.write()
    assert (tree.tabs in tree.text, tree.go in tree.text) == (False, False)
    tree.lay(on_main)
    for _ in range(2):
        assert not tree.write().edits


def test_a_wording_that_came_with_a_branch_is_not_changed_back_and_not_taken_out(tree):
    tree.lay(tree.text.replace("use tabs", "use tabs of width 8"))
    tree.write()
    tree.events.append(refined(tree.tabs, item("use tabs everywhere", hour=5)))
    assert not tree.write().edits
    tree.events.append(superseded(tree.tabs, item("use spaces", hour=6)))
    assert not tree.write().edits
    assert "use tabs of width 8" in tree.text


def test_what_a_hand_does_after_git_is_a_humans_word_again(tree):
    tree.lay(tree.text.replace("use Go", "use Golang"))
    tree.write()
    tree.text = tree.text.replace("use Golang", "use Go 1.24")
    drop(tree, "use tabs")
    assert verdicts(tree.write()) == [
        (tree.tabs, "retracted", None),
        (tree.go, "edited", "use Go 1.24"),
    ]


def test_a_stash_takes_no_item_back_and_its_return_brings_the_lines(tree):
    whole = tree.text
    tree.lay("# Shop\n\nUse pnpm.\n")
    planned = tree.write()
    assert (planned.edits, planned.events) == ((), ())
    tree.text = whole
    planned = tree.write()
    assert (planned.edits, planned.events) == ((), ())


def test_git_taking_the_file_away_is_no_stop(tree):
    del tree.files[HOME]
    tree.bases[HOME] = b""
    tree.say("use Rust", hour=5)
    planned = tree.write()
    assert "block.stopped" not in codes(planned)
    assert "use Rust" in tree.text
    assert "use tabs" not in tree.text


def test_lines_that_another_machine_left_out_for_want_of_room_are_not_retracted(tree):
    drop(tree, "use tabs")
    tree.text = tree.text.replace(END, f"1 more in `.ctxd/items.jsonl`\n\n{END}")
    before = tree.text
    tree.bases[HOME] = (
        before.replace("- use Go", f"- use tabs [{tree.tabs}]\n- use Go")
        .replace("1 more in `.ctxd/items.jsonl`\n\n", "")
        .encode()
    )
    assert not tree.write().events


def test_a_rejected_item_that_comes_back_by_a_merge_goes_again(tree):
    drop(tree, "use tabs")
    tree.write()
    before = tree.text
    tree.text = before.replace("- use Go", f"- use tabs [{tree.tabs}]\n- use Go")
    tree.bases[HOME] = before.encode()
    tree.write()
    assert tree.text == before


def test_a_review_only_look_remembers_what_stands_there_and_no_more(tree):
    tree.say("use Rust", hour=5)
    assert tree.look().edits
    assert tree.look().edits
    drop(tree, "use tabs")
    assert verdicts(tree.look()) == [(tree.tabs, "retracted", None)]
    assert not tree.look().events
    tree.write()
    assert "use Rust" in tree.text
    assert "use tabs" not in tree.text


def test_a_wording_given_in_review_reaches_the_line(tree):
    tree.rule(tree.tabs, "edited", "use hard tabs")
    tree.write()
    assert f"- use hard tabs [{tree.tabs}]" in tree.text
    assert not tree.write().events


def test_items_of_others_that_the_ledger_does_not_know_are_left_alone(tree):
    line = "- a teammate's rule [k3mz7qpa]\n"
    tree.text = tree.text.replace("- use Go", f"{line}- use Go")
    drop(tree, "use Rust")
    assert not tree.write().edits
    tree.say("use Rust", hour=5)
    tree.write()
    assert line in tree.text


def test_the_events_of_a_look_are_the_same_whatever_the_edits_become(tree):
    drop(tree, "use tabs")
    planned = tree.plan()
    assert planned.events
    assert msgspec.structs.replace(planned.looked[HOME], written={}) == msgspec.structs.replace(
        planned.memory[HOME], written={}
    )
