"""From a compaction in a log to its record: once, whole, in order, and never of what is no
user's window."""

from datetime import timedelta

import pytest

from compacting import NOW, World, answers, of
from ctxd.signals import CompactionAhead
from ctxd_parsers.events import Compaction, ContextInjected, Usage, UserMessage

MAIN = "never push to main"
TABS = "indent with four spaces"
KEEP = "The user wants the report to be exported as CSV."


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.start()
    yield made
    made.ledger.close()


def owed(world, session="s"):
    return [one.id for one in world.ledger.owed(world.agent, session)]


class TestOnce:
    def test_a_compaction_waits_from_the_transaction_that_read_it(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, "c1")
        world.read()
        world.begin()
        [waiting] = world.ledger.boundaries_of((world.agent, "s"))
        assert (waiting.boundary.event, waiting.window_before) == ("c1", ("e1",))
        world.understand()
        [record] = world.retain()
        assert (record.event, answers(record)) == ("c1", {of(MAIN): "lost"})
        assert world.ledger.boundaries_of((world.agent, "s")) == []

    def test_reading_and_judging_again_changes_nothing(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP)
        before = world.go()
        world.begin()
        assert world.go() == before
        world.log().write_bytes(world.log().read_bytes())
        world.begin()
        assert world.go() == before

    @pytest.mark.parametrize("point", ["record", "keep_record", "untold", "tell"])
    @pytest.mark.parametrize("when", ["before", "after"])
    def test_a_kill_at_any_point_loses_nothing_and_stores_nothing_twice(self, world, point, when):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, "c1", now=True)
        world.user(f"rule: {TABS}")
        world.compacts(KEEP, "c2", now=True)
        with pytest.raises(SystemExit):
            _killed(world, point, when).go()
        world.begin()
        records = world.go()
        assert [(one.event, len(one.items)) for one in records] == [("c1", 1), ("c2", 1)]
        assert [one.record.event for one in world.told][-2:] == ["c1", "c2"]
        assert world.ledger.untold(9) == []

    def test_whoever_listens_is_told_once(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, now=True)
        world.go()
        world.go()
        [dropped] = world.told
        assert [one.state.text for one in dropped.items] == [MAIN]
        assert (dropped.cwd, dropped.repository) == (str(world.repo), str(world.repo))
        assert dropped.client_version == "2.1.332"

    def test_one_that_cannot_be_judged_costs_that_one(self, world, monkeypatch):
        from ctxd.retention import retaining

        original = retaining.record

        def fails(happened, *more):
            if happened.boundary.event == "c1":
                raise ValueError("a defect")
            return original(happened, *more)

        monkeypatch.setattr(retaining, "record", fails)
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, "c1")
        world.compacts(KEEP, "c2")
        first, second = world.go()
        assert (first.readable, first.items) == (False, [])
        assert answers(second) == {}
        assert second.readable

    def test_one_that_fails_to_listen_keeps_it_from_nobody(self, world):
        def fails(_dropped):
            raise ValueError("a defect")

        world.compacts(KEEP, now=True)
        world.retaining._listeners = (fails, world.told.append)
        world.go()
        assert len(world.told) == 1

    def test_the_dropped_items_are_told_the_most_binding_first(self, world):
        world.user(f"rule: {TABS}; rule: {MAIN}")
        world.compacts(KEEP, now=True)
        world.go()
        assert [one.state.text for one in world.told[0].items] == [MAIN, TABS]


class TestOrder:
    def test_it_is_judged_when_what_was_said_before_it_is_understood(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP)
        world.read()
        assert world.retain() == []
        assert world.ledger.is_boundary_waiting()
        world.understand()
        [record] = world.retain()
        assert answers(record) == {of(MAIN): "lost"}

    def test_a_session_does_not_wait_for_another_one(self, world):
        world.start(session="other")
        world.user(f"rule: {MAIN}", session="other")
        world.compacts(KEEP, "c1")
        world.read()
        world.read("other")
        assert [record.event for record in world.retain()] == ["c1"]

    def test_what_happens_now_comes_before_history_and_a_session_keeps_its_order(self, world):
        for number in range(12):
            world.compacts(KEEP, f"old{number}")
        world.start(session="live")
        world.compacts(KEEP, "first", session="live")
        world.passes(30)
        world.compacts(KEEP, "second", session="live", now=True)
        world.read()
        world.read("live")
        waiting = world.ledger.boundaries_waiting(3, live=True)
        assert [one.boundary.event for one in waiting] == ["first", "second"]
        assert [one.live for one in waiting] == [False, True]
        assert [one.event for one in world.retain()][:2] == ["old0", "old1"]
        assert [one.record.event for one in world.told] == ["second"]

    def test_one_of_now_that_waits_for_exchanges_keeps_its_place_before_history(self, world):
        world.start(session="old")
        world.compacts(KEEP, "old", session="old")
        world.read("old")
        world.passes(30)
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, "new", now=True)
        world.read()
        world.retaining.look(urgent=True)
        assert not world.retaining.step()
        assert not world.retaining.presses
        world.understand()
        world.retaining.look()
        assert world.retaining.presses
        assert world.retaining.step()
        assert [record.event for record in world.ledger.records()] == ["new"]
        while world.retaining.presses:
            world.retaining.step()
        assert world.retaining.waits, "history is next"
        assert [record.event for record in world.retain()] == ["old", "new"]
        assert not world.retaining.waits

    def test_history_is_told_to_nobody(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP)
        world.wall = (NOW + timedelta(days=3)).timestamp()
        [record] = world.go()
        assert (record.live, world.told, owed(world)) == (False, [], [])


class TestWhose:
    def test_a_sub_agents_window_is_not_recorded(self, world):
        world.user(f"rule: {MAIN}")
        world.write(Compaction(**world.fact("c1"), summary=KEEP, kept=(), sub_agent="helper"))
        assert world.go() == []

    def test_a_sub_agents_own_session_alarms_nobody(self, world):
        world.start(session="helper", how="sub_agent", parent="s")
        world.compacts(KEEP, session="helper", now=True)
        [record] = world.go("helper")
        assert (record.live, world.told) == (False, [])

    @pytest.mark.parametrize("first", ["s", "fork"])
    def test_a_forks_copy_of_a_compaction_is_none_of_its_own(self, world, first):
        shared = [world.user(f"rule: {MAIN}"), world.compacts(KEEP, "c1")]
        world.start(session="fork", how="fork", parent="s")
        for event in shared:
            copy = type(event)(**{f: getattr(event, f) for f in event.__struct_fields__})
            copied = {f: getattr(copy, f) for f in copy.__struct_fields__} | {"session": "fork"}
            world.write(type(event)(**copied), session="fork")
        world.compacts(KEEP, "c2", session="fork")
        for session in (first, {"s": "fork", "fork": "s"}[first]):
            world.go(session)
        found = {one.event: one.session for one in world.ledger.records()}
        assert found == {"c1": "s", "c2": "fork"}

    def test_a_fork_is_judged_by_what_was_said_in_its_parent(self, world):
        said = world.user(f"rule: {MAIN}", "shared")
        world.go()
        world.start(session="fork", how="fork", parent="s")
        fields = {f: getattr(said, f) for f in said.__struct_fields__} | {"session": "fork"}
        world.write(UserMessage(**fields), session="fork")
        world.compacts(KEEP, "c2", session="fork")
        [record] = world.go("fork")
        assert answers(record) == {of(MAIN): "lost"}

    def test_what_is_taken_back_takes_its_record_along(self, world):
        world.user(f"rule: {MAIN}")
        asked = world.user("please go on with the export")
        world.compacts(KEEP, "c1", now=True)
        assert len(world.go()) == 1
        assert owed(world) == [of(MAIN)]
        world.takes_back(asked)
        assert world.go() == []
        assert owed(world) == []
        assert world.ledger.item_boundaries(str(world.repo), of(MAIN)) == []

    def test_what_is_taken_back_before_it_is_judged_is_never_judged(self, world):
        asked = world.user("please go on with the export")
        world.compacts(KEEP, "c1", now=True)
        world.takes_back(asked)
        assert world.go() == []
        assert not world.ledger.is_boundary_waiting()

    def test_text_that_a_client_puts_before_the_model_is_no_item(self, world):
        profile = f"<agent_instructions>rule: {MAIN}</agent_instructions>"
        world.write(ContextInjected(**world.fact(), source="client", text=profile))
        world.compacts(KEEP)
        [record] = world.go()
        assert record.items == []


class TestManyCompactions:
    def test_an_item_keeps_its_identity_through_eleven_of_them(self, world):
        world.user(f"rule: {MAIN}", "first")
        for number in range(11):
            kept = number not in (4, 10)
            if number == 5:
                world.user(f"as I said, rule: {MAIN}")
            world.compacts(f"{KEEP} {'You must ' + MAIN if kept else ''}.", f"c{number}")
        records = world.go()
        assert len(records) == 11
        found = world.ledger.item_boundaries(str(world.repo), of(MAIN))
        assert [one.number for one in found] == list(range(1, 12))
        assert [one.event for one in found if one.answer == "lost"] == ["c4", "c10"]
        [item] = world.ledger.items_by_id(of(MAIN))
        assert item.item.evidence[0].event == "first"

    def test_what_one_summary_keeps_and_the_next_drops_is_lost_there(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(f"Constraints: {MAIN}.", "c1")
        world.compacts(KEEP, "c2")
        world.compacts(KEEP, "c3")
        first, second, third = world.go()
        assert answers(first) == {of(MAIN): "kept"}
        assert answers(second) == {of(MAIN): "lost"}
        assert answers(third) == {}, "it is not in the window any more"

    def test_what_was_given_back_is_in_the_window_again(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, "c1", now=True)
        world.go()
        world.ledger.mark_given(world.agent, "s", [(str(world.repo), of(MAIN))], world.wall)
        assert owed(world) == []
        world.user("go on with the export of the report")
        world.compacts(KEEP, "c2", now=True)
        assert answers(world.go()[-1]) == {of(MAIN): "lost"}
        assert owed(world) == [of(MAIN)]

    def test_what_was_given_back_before_its_record_counts_at_the_next_one_of_the_same_step(
        self, world
    ):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, "c1", now=True)
        world.ledger.mark_given(world.agent, "s", [(str(world.repo), of(MAIN))], world.wall)
        world.user("go on with the export of the report")
        world.compacts(KEEP, "c2", now=True)
        assert [answers(one) for one in world.go()] == [{of(MAIN): "lost"}] * 2

    def test_what_two_in_a_row_dropped_is_owed_until_it_is_given(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, "c1", now=True)
        world.compacts(KEEP, "c2", now=True)
        _, second = world.go()
        assert second.storm or answers(second) == {}
        assert owed(world) == [of(MAIN)]

    def test_an_item_that_is_said_again_is_judged_again(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(KEEP, "c1")
        world.user(f"once more, rule: {MAIN}")
        world.compacts(f"Constraints: {MAIN}.", "c2")
        assert [answers(one) for one in world.go()] == [
            {of(MAIN): "lost"},
            {of(MAIN): "kept"},
        ]

    def test_history_is_judged_by_what_held_at_the_time(self, world):
        world.user("rule: retry failed uploads 3 times")
        world.compacts("Failed uploads are retried 3 times.", "c1")
        world.user("rule: retry failed uploads 9 times")
        world.go()
        statuses = {one.item.text: one.state.status for one in world.ledger.items(statuses=())}
        [record] = world.ledger.records()
        assert list(answers(record).values()) == ["kept"], statuses


class TestWhatIsJudged:
    def test_an_item_for_the_moment_is_not(self, world):
        world.user("moment: rename it to main")
        world.compacts(KEEP)
        [record] = world.go()
        assert record.items == []

    def test_an_item_that_the_user_turned_down_is_not(self, world):
        world.user(f"rule: {MAIN}")
        world.read()
        world.understand()
        world.ledger.decide(str(world.repo), of(MAIN), "rejected")
        world.compacts(KEEP)
        assert world.go()[0].items == []

    def test_an_item_that_was_forgotten_leaves_the_record_and_the_debts(self, world):
        world.user(f"rule: {MAIN}")
        world.compacts(f"Someone will {MAIN.removeprefix('never ')}.", now=True)
        world.go()
        world.ledger.forget(str(world.repo), of(MAIN))
        assert world.ledger.records()[0].items == []
        assert owed(world) == []

    def test_an_item_of_which_the_user_is_not_sure_is_owed_as_well(self, world):
        world.user(f"maybe: {MAIN}")
        world.compacts(KEEP, now=True)
        world.go()
        assert owed(world) == [of(MAIN)]


class TestBefore:
    def test_a_window_that_fills_up_is_told_of_once(self, world):
        world.user("go on with the export of the report")
        for number, tokens in enumerate((50, 80, 90)):
            usage = Usage(
                **world.fact(), message=f"m{number}", context_tokens=tokens, window_tokens=100
            )
            world.write(usage)
            signals = world.read()
            ahead = [one for one in signals if isinstance(one, CompactionAhead)]
            assert len(ahead) == (1 if tokens == 80 else 0), tokens
            assert all(one.window == ("e1",) for one in ahead)

    def test_and_again_after_a_compaction(self, world):
        for tokens in (95, None, 95):
            if tokens is None:
                world.compacts(KEEP, tokens_before=95, tokens_after=10)
            else:
                fact = world.fact()
                world.write(
                    Usage(**fact, message=fact["id"], context_tokens=tokens, window_tokens=100)
                )
            ahead = [one for one in world.read() if isinstance(one, CompactionAhead)]
            assert len(ahead) == (0 if tokens is None else 1)


def _killed(world, point, when):
    """Have the process die before or after it does a step of judging for the first time."""
    from ctxd.retention import retaining

    def dies(action):
        def instead(*arguments):
            if when == "after":
                action(*arguments)
            raise SystemExit(1)

        return instead

    if point == "record":
        original = retaining._recorded
        retaining._recorded = dies(original)
        close = world.ledger.close

        def restored():
            retaining._recorded = original
            close()

        world.ledger.close = restored
    else:
        setattr(world.ledger, point, dies(getattr(world.ledger, point)))
    return world
