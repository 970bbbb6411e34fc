"""What is told of a compaction, and in which words."""

import re

import pytest

from ctxd.notify.losses import losses
from ctxd.notify.taste import is_taste
from ctxd.notify.values import Notice
from ctxd.notify.words import conflict_of, digest_of, notice_of
from ctxd.policy.notices import NOTICE_ITEM_CHARS, NOTICE_TITLE_CHARS
from losing import REPO, keep, record, verdict

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def told(ledger, items, level="constraints", **more):
    return [loss.text for loss in losses(record(items, **more), ledger, level)]


def notice(ledger, items, done=""):
    return notice_of("key", losses(record(items), ledger, "constraints"), done)


class TestWhatIsTold:
    @pytest.mark.parametrize("kind", ["constraint", "scope", "rejection", "correction"])
    def test_what_has_to_hold_is_told(self, ledger, kind):
        assert told(ledger, keep(ledger, "no new dependency", kind=kind)) == ["no new dependency"]

    @pytest.mark.parametrize("kind", ["decision", "intent", "question"])
    def test_what_was_only_settled_is_not_told_unless_it_is_critical(self, ledger, kind):
        assert told(ledger, keep(ledger, "Redis for the queue", kind=kind)) == []
        critical = keep(ledger, "back up the database first", kind=kind, severity="critical")
        assert told(ledger, critical) == ["back up the database first"]

    @pytest.mark.parametrize("answer", ["kept", "reloaded", "unknown"])
    def test_what_is_still_there_or_cannot_be_told_is_no_loss(self, ledger, answer):
        [one] = keep(ledger, "no new dependency")
        assert told(ledger, [verdict(one, answer)]) == []

    @pytest.mark.parametrize("answer", ["lost", "changed", "weakened"])
    def test_what_is_gone_or_says_something_else_is_a_loss(self, ledger, answer):
        [one] = keep(ledger, "no new dependency")
        assert told(ledger, [verdict(one, answer)]) == ["no new dependency"]

    def test_what_stands_in_a_human_s_own_file_was_never_in_danger(self, ledger):
        [one] = keep(ledger, "no co-author line in commits")
        assert told(ledger, [verdict(one, on_disk_before=True)]) == []

    def test_the_critical_comes_first_then_what_is_lost(self, ledger):
        first, second = keep(ledger, "at most 3 retries", "no new dependency")
        [worst] = keep(ledger, "never drop the users table", severity="critical")
        items = [verdict(first, "weakened"), verdict(second), verdict(worst, "changed")]
        assert told(ledger, items) == [worst.text, second.text, first.text]

    def test_with_level_critical_only_the_critical_is_told(self, ledger):
        items = keep(ledger, "no new dependency")
        items += keep(ledger, "never drop the users table", severity="critical")
        assert told(ledger, items, "critical") == ["never drop the users table"]

    def test_with_level_off_nothing_is_told(self, ledger):
        items = keep(ledger, "never drop the users table", severity="critical")
        assert told(ledger, items, "off") == []

    def test_an_item_that_is_not_there_any_more_is_not_told(self, ledger):
        [one] = keep(ledger, "no new dependency")
        ledger.forget(REPO, one.id)
        assert told(ledger, [one]) == []

    def test_the_same_words_in_another_repository_are_another_item(self, ledger):
        keep(ledger, "no new dependency", repository="/home/dev/web")
        [one] = keep(ledger, "at most 3 retries")
        assert told(ledger, [one, verdict(one, repository="/home/dev/web")]) == [one.text]


class TestTaste:
    @pytest.mark.parametrize(
        "text",
        [
            "use single quotes",
            "double-quoted strings only",
            "tabs instead of spaces",
            "keep the indentation at two",
            "snake_case for file names",
            "no emojis in the README",
            "Avoid em-dashes. Use commas",
            "a friendlier tone in the errors",
        ],
    )
    def test_how_things_are_written_is_a_matter_of_taste(self, ledger, text):
        assert is_taste(text)
        assert told(ledger, keep(ledger, text)) == []

    @pytest.mark.parametrize(
        "text",
        [
            "no Co-Authored-By in commits",
            "never push to main",
            "the quotes service is read-only",
            "at most 3 retries",
            "keep /var/spaces untouched",
            "do not touch the milestones table",
        ],
    )
    def test_what_things_do_is_none(self, text):
        assert not is_taste(text)

    def test_taste_that_is_critical_is_told_all_the_same(self, ledger):
        [one] = keep(ledger, "never use double quotes: the parser drops them", severity="critical")
        assert told(ledger, [one]) == [one.text]

    def test_beside_a_loss_that_is_none_it_is_left_out(self, ledger):
        assert told(ledger, keep(ledger, "use single quotes", "at most 3 retries")) == [
            "at most 3 retries"
        ]


class TestWords:
    def test_one_constraint_is_told_with_its_repository_and_what_was_done(self, ledger):
        found = notice(ledger, keep(ledger, "at most 3 retries"), "put back: AGENTS.md")
        assert found == Notice(
            "key",
            "Compaction dropped 1 constraint",
            "at most 3 retries\nshop-api - put back: AGENTS.md",
        )

    def test_where_nothing_was_done_it_says_where_to_look(self, ledger):
        found = notice(ledger, keep(ledger, "at most 3 retries"))
        assert found.body.endswith("\nshop-api - see: ctxd compactions")

    def test_of_several_the_worst_is_told_and_the_others_are_counted(self, ledger):
        items = keep(ledger, "at most 3 retries", "no new dependency")
        items += keep(ledger, "never drop the users table", severity="critical")
        found = notice(ledger, items)
        assert found.title == "Compaction dropped 3 constraints"
        assert found.body.splitlines()[:2] == ["never drop the users table", "and 2 more"]
        assert found.urgency == "critical"

    @pytest.mark.parametrize(
        ("kind", "title"),
        [
            ("scope", "Compaction dropped 1 limit of scope"),
            ("rejection", "Compaction dropped 1 rejection"),
            ("correction", "Compaction dropped 1 correction"),
        ],
    )
    def test_the_title_names_what_it_is(self, ledger, kind, title):
        assert notice(ledger, keep(ledger, "not now", kind=kind)).title == title

    def test_of_different_kinds_the_title_names_none(self, ledger):
        items = keep(ledger, "at most 3 retries") + keep(ledger, "no Kafka", kind="rejection")
        assert notice(ledger, items).title == "Compaction dropped 2 agreed points"

    def test_a_changed_rule_is_told_with_what_is_said_instead(self, ledger):
        [one] = keep(ledger, "at most 3 retries")
        found = notice(ledger, [verdict(one, "changed", passage="retry up to 5 times")])
        assert found.title == "Compaction changed 1 constraint"
        assert found.body.splitlines()[:2] == [
            "at most 3 retries",
            "it now says: retry up to 5 times",
        ]

    def test_control_and_bidi_characters_do_nothing_and_markup_stays_text(self, ledger):
        hostile = "never \x1b[31mpush\x07 <b>to</b>\u202e main\u200b\r\nor tag\x9b it &amp;"
        found = notice(ledger, keep(ledger, hostile))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", found.body)
        assert "<b>to</b>" in found.body
        assert found.body.count("\n") == 1

    def test_long_words_are_cut(self, ledger):
        [one] = keep(ledger, "never push " + "x" * 5000)
        found = notice(ledger, [verdict(one, "changed", passage="y" * 5000)])
        assert all(len(line) <= NOTICE_ITEM_CHARS + 20 for line in found.body.splitlines())
        assert len(found.title) <= NOTICE_TITLE_CHARS

    def test_secrets_are_not_told(self, ledger):
        [one] = keep(ledger, "at most 3 retries")
        changed = verdict(one, "changed", passage=f"retry 5 times with {SECRET}")
        assert SECRET not in notice(ledger, [changed]).body

    def test_a_digest_names_the_worst_first_and_counts_the_others(self):
        held = [Notice(f"{n}", "t", f"rule {n}\nshop-api") for n in range(5)]
        held.append(Notice("9", "t", "never drop the users table\nshop-api", "critical"))
        found = digest_of("key", held)
        assert found.title == "6 compactions dropped what was agreed"
        assert found.body.splitlines() == [
            "never drop the users table",
            "rule 0",
            "rule 1",
            "and 3 more",
            "see: ctxd compactions",
        ]
        assert found.urgency == "critical"

    def test_a_worktree_that_is_left_to_the_user_is_told_once_a_day_with_the_reason(self):
        found = conflict_of("/home/dev/shop-api", "`AGENTS.md` was changed meanwhile", 20_000)
        assert found.title == "ctxd does not write to shop-api"
        assert found.body == "`AGENTS.md` was changed meanwhile\nshop-api - see: ctxd diff"
        assert found.key == conflict_of("/home/dev/shop-api", "another reason", 20_000).key
        assert found.key != conflict_of("/home/dev/shop-api", "another reason", 20_001).key

    def test_a_digest_of_different_matters_says_so(self):
        held = [Notice("a:s:c1", "t", "rule\nshop-api"), conflict_of("/home/dev/shop-api", "x", 1)]
        assert digest_of("key", held).title == "2 notices were held back"

    def test_of_a_hostile_text_of_100_kb_as_much_is_told_as_of_any(self, ledger):
        [one] = keep(ledger, "never push")
        hostile = ("tabs " * 10_000) + "\u202e\x1b[" * 20_000
        found = notice(ledger, [verdict(one, "changed", passage=hostile)])
        assert len(found.body) < 3 * NOTICE_ITEM_CHARS
        assert not is_taste(hostile)
