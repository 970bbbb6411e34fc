"""After a reader was asked: what counts, what is owed, who is told, and that a kill repeats
nothing. In a real ledger, with sessions that were read from logs."""

import pytest

from compacting import World, answers, of
from ctxd.retention.revising import revise
from ctxd.retention.values import Opinion, Reread, Verdict

MAIN = "never push to main"
TABS = "indent with four spaces"
BARE = "The user wants the report to be exported as CSV."
KEEPS = f"{BARE} You must {MAIN}."
READER = "fake one"
GONE = Verdict("lost", why="not stated")


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.start()
    yield made
    made.ledger.close()


def compacted(world, summary, rule=MAIN, name="c1", **more):
    """A session with one rule, compacted just now and told of."""
    world.user(f"rule: {rule}")
    world.compacts(summary, name, now=True, **more)
    [record] = world.go()
    return record


def kept(world, passage="exported as CSV", event="c1"):
    return Verdict("kept", passage, "summary", event, "in other words")


def read(world, verdict, rule=MAIN, event="c1", session="s"):
    """A reader is asked; what comes of it is told to whoever listens."""
    found = [Reread(str(world.repo), of(rule), verdict)]
    is_news = revise(world.ledger, (world.agent, session), event, found, READER)
    world.retain()
    return is_news


def record(world, event="c1"):
    return next(one for one in world.ledger.records() if one.event == event)


def owed(world, session="s"):
    return [one.id for one in world.ledger.owed(world.agent, session)]


def give(world, rule=MAIN, at=None):
    at = world.wall if at is None else at
    world.ledger.mark_given(world.agent, "s", [(str(world.repo), of(rule))], at)


class TestWhoseItIs:
    def test_a_readers_verdict_counts_and_the_comparisons_is_kept_beside_it(self, world):
        before = compacted(world, BARE).items[0].verdict
        read(world, kept(world))
        [one] = record(world).items
        assert one.verdict == kept(world)
        assert one.second == Opinion(reader=READER, verdict=kept(world), offline=before)
        assert one.offline == before

    def test_one_that_showed_nothing_leaves_all_as_it_was_but_was_asked(self, world):
        before = compacted(world, BARE).items[0]
        assert not read(world, None)
        [one] = record(world).items
        assert (one.verdict, one.owed) == (before.verdict, True)
        assert one.second == Opinion(reader=READER)
        assert owed(world) == [of(MAIN)]

    def test_the_first_reader_that_is_asked_counts(self, world):
        compacted(world, BARE)
        read(world, kept(world))
        read(world, GONE)
        assert answers(record(world)) == {of(MAIN): "kept"}

    def test_what_a_file_says_counts_as_before(self, world):
        world.has_file("CLAUDE.md", f"# Rules\n- {MAIN}\n")
        compacted(world, KEEPS)
        assert not read(world, GONE)
        [one] = record(world).items
        assert (one.verdict.answer, one.verdict.where) == ("reloaded", "file")
        assert (one.second.verdict, one.owed) == (GONE, False)
        assert owed(world) == []

    def test_of_a_compaction_or_an_item_that_is_not_there_nothing_comes(self, world):
        compacted(world, BARE)
        before = world.ledger.records()
        assert not read(world, GONE, event="elsewhere")
        assert not read(world, GONE, rule="no such rule")
        assert world.ledger.records() == before

    def test_an_item_that_holds_no_more_is_left_as_it_was(self, world):
        compacted(world, KEEPS)
        world.ledger.decide(str(world.repo), of(MAIN), "rejected")
        assert not read(world, GONE)
        assert (answers(record(world)), owed(world)) == ({of(MAIN): "kept"}, [])


class TestFalseAlarm:
    def test_it_is_taken_back(self, world):
        compacted(world, BARE)
        assert owed(world) == [of(MAIN)]
        assert not read(world, kept(world))
        assert owed(world) == []
        [found] = world.ledger.item_boundaries(str(world.repo), of(MAIN))
        assert (found.answer, found.owed) == ("kept", False)
        assert len(world.told) == 1, "nobody is told of what is well"

    def test_what_was_given_meanwhile_stays_so(self, world):
        compacted(world, BARE)
        give(world)
        read(world, kept(world))
        [found] = world.ledger.item_boundaries(str(world.repo), of(MAIN))
        assert (found.answer, found.given) == ("kept", world.wall)

    def test_it_is_judged_again_at_the_next_compaction(self, world):
        compacted(world, BARE)
        read(world, kept(world))
        world.compacts(BARE, "c2", now=True)
        world.go()
        assert answers(record(world, "c2")) == {of(MAIN): "lost"}

    def test_after_a_later_compaction_it_stays_owed_since_nobody_looked_for_it_there(self, world):
        compacted(world, BARE)
        world.compacts(BARE, "c2", now=True)
        world.go()
        assert answers(record(world, "c2")) == {}
        read(world, kept(world))
        assert answers(record(world)) == {of(MAIN): "kept"}
        assert owed(world) == [of(MAIN)]


class TestMissedLoss:
    def test_it_is_owed_and_told_once(self, world):
        compacted(world, KEEPS)
        assert [one.items for one in world.told] == [[]]
        assert read(world, GONE)
        assert owed(world) == [of(MAIN)]
        _, again = world.told
        assert [one.state.text for one in again.items] == [MAIN]
        assert again.record.items[0].second.reader == READER
        world.begin()
        world.retain()
        assert len(world.told) == 2

    def test_what_is_given_back_pays_for_it(self, world):
        compacted(world, KEEPS)
        read(world, GONE)
        give(world)
        assert owed(world) == []

    @pytest.mark.parametrize("minutes", [-1, 5])
    def test_what_the_agent_was_told_around_it_or_since_is_not_owed(self, world, minutes):
        compacted(world, KEEPS)
        give(world, at=world.wall + 60 * minutes)
        read(world, GONE)
        assert owed(world) == []

    def test_what_it_was_told_long_before_does_not_count(self, world):
        compacted(world, KEEPS)
        give(world, at=world.wall - 3600)
        read(world, GONE)
        assert owed(world) == [of(MAIN)]

    def test_what_is_softer_only_is_owed_and_nobody_is_told(self, world):
        compacted(world, KEEPS)
        assert not read(world, Verdict("weakened", f"must {MAIN}", "summary", "c1", "modality"))
        assert owed(world) == [of(MAIN)]
        assert len(world.told) == 1

    def test_what_a_human_wrote_into_a_file_alarms_nobody(self, world):
        world.has_file("CLAUDE.md", f"# Rules\n- {MAIN}\n", age=-3600)
        compacted(world, KEEPS)
        assert not read(world, GONE)
        [one] = record(world).items
        assert (one.verdict.answer, one.on_disk_before) == ("lost", True)

    def test_in_a_session_that_is_over_nobody_is_told(self, world):
        from datetime import timedelta

        compacted(world, KEEPS)
        world.wall += timedelta(days=30).total_seconds()
        world.ledger.set_states([((world.agent, "s"), "ended", None)])
        assert not read(world, GONE)
        assert len(world.told) == 1

    def test_of_history_nothing_is_owed_and_nobody_told(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEPS, "c1")
        world.wall += 3 * 86400
        world.go()
        assert not read(world, GONE)
        assert answers(record(world)) == {of(MAIN): "lost"}
        assert (owed(world), world.told) == ([], [])

    def test_after_a_later_compaction_that_one_decides(self, world):
        compacted(world, KEEPS)
        world.compacts(KEEPS, "c2", now=True)
        world.go()
        assert not read(world, GONE)
        assert owed(world) == []
        assert read(world, GONE, event="c2")
        assert owed(world) == [of(MAIN)]


class TestOnce:
    @pytest.mark.parametrize("when", ["before", "after"])
    @pytest.mark.parametrize("point", ["revise", "tell"])
    def test_a_kill_repeats_nothing(self, world, point, when):
        compacted(world, KEEPS)
        done = getattr(world.ledger, point)

        def killed(*given, **more):
            if when == "after":
                done(*given, **more)
            raise SystemExit

        setattr(world.ledger, point, killed)
        with pytest.raises(SystemExit):
            read(world, GONE)
        world.begin()
        read(world, GONE)
        assert owed(world) == [of(MAIN)]
        news = [one for one in world.told if one.items]
        assert len(news) == 1 + (point, when).count("tell") * (when == "before")
        read(world, GONE)
        assert [one for one in world.told if one.items] == news

    def test_what_it_says_is_forgotten_with_the_item(self, world):
        world.user(f"rule: {TABS}")
        compacted(world, f"{BARE} Something else entirely stands here.")
        told = Verdict("changed", "Something else entirely stands here", "summary", "c1", "words")
        read(world, told)
        world.ledger.forget(str(world.repo), of(MAIN))
        assert MAIN not in repr(world.ledger.records())
        assert "Something else" not in repr(world.ledger.records())
        assert not read(world, GONE)

    def test_no_secret_of_a_passage_is_stored(self, world):
        secret = "ghp_" + "a1B2c3D4e5" * 4
        compacted(world, BARE)
        read(world, Verdict("changed", f"use {secret}", "summary", "c1", "words"))
        assert secret not in repr(world.ledger.records())
