"""New items against known ones: the last word wins, and nothing agreed is lost."""

import time
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coexisting_rules import BESIDE, ONE_VALUE
from ctxd.extract.echo import Echo
from ctxd.extract.narrower import places
from ctxd.extract.reconcile import Known, Outcome, reconcile
from ctxd.item import Evidence, Item, item_id
from statement_pairs import NOT_UNDERSTOOD, PAIRS

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def item(text, minute=0, authority="user", kind="constraint", **fields):
    return Item(
        id=item_id([text, str(minute), authority]),
        agent="codex",
        session=fields.pop("session", "s1"),
        event=f"e{minute}",
        time=fields.pop("time", NOON + timedelta(minutes=minute)),
        kind=kind,
        text=text,
        authority=authority,
        probability=0.9,
        **fields,
    )


STATEMENTS = sorted({text for _, *texts in PAIRS for text in texts})
ITEMS = [item(text, minute) for minute, text in enumerate(STATEMENTS)]
MANY = st.lists(st.sampled_from(ITEMS), min_size=1, max_size=25)
RELATIONS = {"against": "supersedes"}


@pytest.mark.parametrize(("stands", "known", "new"), PAIRS)
def test_the_second_of_a_pair_stands_to_the_first_as_a_reader_would_say(stands, known, new):
    outcome = reconcile([item(known)], item(new, minute=1))
    assert outcome.relation == RELATIONS.get(stands, stands)


@pytest.mark.parametrize(("known", "new"), NOT_UNDERSTOOD)
def test_what_is_not_understood_is_kept_beside_what_is_known(known, new):
    assert reconcile([item(known)], item(new, minute=1)).relation == "new"


@pytest.mark.parametrize(("known", "new"), BESIDE)
def test_a_rule_never_drives_out_a_rule_about_another_thing(known, new):
    assert reconcile([item(known)], item(new, minute=1)).relation == "new"


@pytest.mark.parametrize(("known", "new"), ONE_VALUE)
def test_of_two_values_for_one_thing_the_later_one_holds(known, new):
    assert reconcile([item(known)], item(new, minute=1)).relation == "supersedes"


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Use pnpm instead of npm from now on.", "Use yarn instead of pnpm in the docs folder."),
        ("Use pnpm instead of npm.", "Use npm instead of pnpm in src/api."),
        ("Use pnpm instead of npm.", "In CI use npm instead of pnpm."),
        ("Use pnpm instead of npm.", "On Windows use npm instead of pnpm."),
        ("use npm", "When deploying, use pnpm instead of npm"),
        (
            "We use PostgreSQL, not MySQL, because of JSONB.",
            "Let's go with SQLite instead of Postgres for the tests.",
        ),
        (
            "Use REST instead of GraphQL from now on for the public API.",
            "For the internal admin API let's use GraphQL instead of REST.",
        ),
    ],
)
def test_what_holds_in_a_smaller_place_takes_nothing_from_what_holds_elsewhere(known, new):
    wide, narrow = item(known), item(new, minute=1)
    assert reconcile([wide], narrow).relation == "new"
    assert reconcile([narrow], wide).relation == "new"


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Use pnpm instead of npm.", "Use npm instead of pnpm from now on."),
        ("Use Postgres.", "Use SQLite instead of Postgres in this repo."),
        ("Use npm.", "Use pnpm instead of npm for the whole project."),
        ("Use npm in CI.", "Use pnpm instead of npm in CI."),
        ("Use REST for the public API.", "Use GraphQL instead of REST for the public API."),
    ],
)
def test_what_names_no_place_of_its_own_holds_instead(known, new):
    assert reconcile([item(known)], item(new, minute=1)).relation == "supersedes"


def test_a_purpose_or_a_reason_is_no_place():
    texts = ("use Pino for logging", "use uv for faster builds", "use uv in this repo", "log here")
    assert [list(places(text)) for text in texts] == [[]] * 4
    assert list(places("use uv in CI instead of pip")) == [("CI", "use uv instead of pip")]


class TestWhoseWordCounts:
    KNOWN = "retry failed uploads 3 times"
    NEW = "retry failed uploads 5 times"

    def relation(self, known, new):
        return reconcile([known], new).relation

    def test_the_last_word_of_the_user_wins(self):
        known = item(self.KNOWN)
        outcome = reconcile([known], item(self.NEW, minute=5))
        assert (outcome.relation, outcome.of, outcome.why) == ("supersedes", known.id, "number")

    @pytest.mark.parametrize("known", ["user", "confirmed", "agent"])
    @pytest.mark.parametrize("new", ["user", "confirmed"])
    def test_a_later_word_of_the_user_overrules_anybody(self, known, new):
        later = item(self.NEW, minute=5, authority=new)
        assert self.relation(item(self.KNOWN, authority=known), later) == "supersedes"

    @pytest.mark.parametrize("known", ["user", "confirmed"])
    def test_an_agent_alone_never_overrules_the_user(self, known):
        later = item(self.NEW, minute=5, authority="agent")
        assert self.relation(item(self.KNOWN, authority=known), later) == "contradicts"

    def test_an_agent_overrules_an_agent(self):
        later = item(self.NEW, minute=5, authority="agent")
        assert self.relation(item(self.KNOWN, authority="agent"), later) == "supersedes"

    def test_a_word_of_the_past_that_is_read_late_does_not_overrule_the_present(self):
        assert self.relation(item(self.KNOWN, minute=9), item(self.NEW)) == "superseded"

    @pytest.mark.parametrize("time", [None, NOON])
    def test_words_of_which_nobody_knows_the_later_are_both_shown(self, time):
        known = item(self.KNOWN, time=time)
        assert self.relation(known, item(self.NEW, time=NOON)) == "contradicts"

    def test_all_that_says_otherwise_is_overruled(self):
        known = [item(self.KNOWN), item("failed uploads: retry at most 4 times", minute=1)]
        outcome = reconcile(known, item(self.NEW, minute=5))
        assert outcome.relation == "supersedes"
        assert {outcome.of, *outcome.others} == {one.id for one in known}

    def test_an_agent_alone_adds_no_exception_to_the_users_word(self):
        new = item("no `as` casts, except `as const`", minute=5, authority="agent")
        assert self.relation(item("no `as` casts"), new) == "contradicts"

    def test_a_reason_of_the_agents_changes_nothing(self):
        new = item("no `as` casts because they hide bugs", minute=5, authority="agent")
        assert self.relation(item("no `as` casts"), new) == "same"

    def test_time_zones_do_not_matter(self):
        known = item(self.KNOWN, time=datetime(2026, 3, 1, 12))  # noqa: DTZ001 - as an old log has it
        assert self.relation(known, item(self.NEW, minute=5)) == "supersedes"


class TestNothingIsLost:
    def test_forty_restatements_are_one_item(self):
        verbs = ["never push", "don't push", "do not push", "you must not push", "never ever push"]
        hows = ["directly to main", "straight to main", "to main directly", "to `main` directly"]
        says = [f"{verb} {how}" for verb in verbs for how in hows]
        says += [f"please {text}" for text in says]
        known = Known()
        for minute, text in enumerate(says):
            outcome = known.reconcile(new := item(text, minute))
            if outcome.relation != "same":
                known.add(new)
        assert len(says) == 40
        assert len(known) == 1

    def test_an_exception_survives_being_left_out(self):
        first = item("no `as` casts")
        exception = item("no `as` casts, except `as const`", minute=1)
        assert reconcile([first], exception).relation == "refines"
        assert reconcile([exception], item("no `as` casts", minute=2)) == Outcome(
            "same", exception.id, "exception"
        )

    def test_another_exception_stands_beside_the_first(self):
        known = item("no `as` casts, except `as const`")
        assert reconcile([known], item("no `as` casts, except in tests", 1)).relation == "new"

    def test_more_detail_that_drops_an_exception_is_no_refinement(self):
        known = item("never deploy on Fridays, except for hotfixes")
        new = item("never deploy on Fridays, and never to more than 2 regions", minute=1)
        assert reconcile([known], new).relation == "new"

    def test_what_comes_on_top_is_an_item_of_its_own(self):
        known = item("log failed logins")
        assert reconcile([known], item("also log failed logins of admins", 1)).relation == "new"

    def test_a_smaller_permission_leaves_the_rule_in_force(self):
        known = item("never push to main")
        assert reconcile([known], item("you may push docs fixes to main", 1)).relation == "new"


class TestKinds:
    def test_a_rejected_option_is_not_the_wish_for_it(self):
        known = item("Redis for the cache", kind="rejection")
        assert reconcile([known], item("use Redis for the cache", 1)).relation == "supersedes"

    def test_an_option_turned_down_beside_a_decision_may_be_taken_up_again(self):
        known = item("one config file for all", kind="decision", rejected=("a file per stage",))
        new = item("a config file per stage for all", 1, kind="decision")
        assert reconcile([known], new).relation == "supersedes"

    def test_a_decision_answers_an_open_question(self):
        question = item("SQLite or Redis for the cache?", kind="question")
        answer = item("use SQLite for the cache", 1, kind="decision")
        assert reconcile([question], answer).relation in {"supersedes", "new"}
        plain = item("use SQLite for the cache?", kind="question")
        assert reconcile([plain], answer).relation == "supersedes"

    def test_a_question_overrules_nothing(self):
        known = item("use SQLite for the cache", kind="decision")
        asked = item("use Redis for the cache?", 1, kind="question")
        assert reconcile([known], asked).relation == "new"

    def test_the_number_of_an_answer_is_no_part_of_it(self):
        assert reconcile([item("1. use ruff")], item("3) use ruff", 1)).relation == "same"


class TestPointing:
    def leaning(self, text, minute, quote):
        evidence = (
            Evidence(event=f"e{minute}", speaker="user", quote=text),
            Evidence(event=f"a{minute}", speaker="agent", quote=quote),
        )
        return item(text, minute, evidence=evidence)

    def test_the_same_few_words_to_another_proposal_are_another_item(self):
        known = self.leaning("yes, do it", 0, "Shall I split the parser?")
        new = self.leaning("yes, do it", 1, "Shall I drop Python 3.10?")
        assert reconcile([known], new).relation == "new"

    def test_the_same_few_words_to_the_same_proposal_are_the_same(self):
        known = self.leaning("yes, do it", 0, "Shall I split the parser?")
        new = self.leaning("Yes, do it!", 1, "Shall I split the parser?")
        assert reconcile([known], new).relation == "same"


class TestWhatStaysOut:
    def test_what_the_user_rejected_stays_out(self):
        rejected = item("use Redis for the cache")
        outcome = reconcile([], item("redis for the cache", minute=3), rejected=[rejected])
        assert outcome == Outcome("same", rejected.id, "rejected")

    def test_what_says_otherwise_than_a_rejected_item_may_come_in(self):
        rejected = item("use Redis for the cache")
        for text in ["don't use Redis for the cache", "use Redis for the sessions"]:
            assert reconcile([], item(text, 3), rejected=[rejected]).relation == "new"

    def test_what_a_context_file_says_is_nothing_new(self):
        told = Echo(["- Never log request bodies.\n- Use tabs.\n"])
        assert reconcile([], item("never log request bodies"), told=told).relation == "same"
        assert reconcile([], item("log request bodies"), told=told).relation == "new"


def fed(items, times):
    """How much is known each time after items were given so many times."""
    known, counts = Known(), []
    for _ in range(times):
        for one in items:
            outcome = known.reconcile(one)
            if outcome.relation == "refines":
                known.add(msgspec.structs.replace(one, id=outcome.of))
            elif outcome.relation == "supersedes":
                for name in (outcome.of, *outcome.others):
                    known.remove(name)
            if outcome.relation in {"new", "contradicts", "supersedes"}:
                known.add(one)
        counts.append(len(known))
    return counts


def test_the_same_items_fed_five_times_are_known_once():
    items = [item(f"{text} in part {n}", n) for n in range(2) for text in STATEMENTS][:500]
    assert len(items) == 500
    counts = fed(items, 5)
    assert counts == [counts[0]] * 5


@given(st.sampled_from(ITEMS), st.sampled_from(["user", "confirmed", "agent"]))
def test_an_item_is_the_same_as_itself_said_again(one, authority):
    again = item(one.text, 9999, authority=authority)
    assert reconcile([one], one).relation == "same"
    assert reconcile([one], again).relation == "same"


@given(st.text(min_size=1, max_size=200))
def test_any_text_is_the_same_as_itself(text):
    assert reconcile([item(text)], item(text, 1)).relation == "same"


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(ITEMS), min_size=1, max_size=25), st.sampled_from(ITEMS), st.randoms()
)
def test_the_order_of_what_is_known_does_not_matter(known, new, random):
    expected = reconcile(known, new)
    shuffled = list(known)
    random.shuffle(shuffled)
    assert reconcile(shuffled, new) == expected


@settings(max_examples=60)
@given(MANY, st.sampled_from(ITEMS))
def test_removing_and_adding_again_changes_nothing(items, new):
    known = Known(items)
    expected = known.reconcile(new)
    for one in items:
        known.remove(one.id)
        known.remove(one.id)
    assert len(known) == 0
    assert known.reconcile(new).relation == "new"
    for one in items:
        known.add(one)
    assert known.reconcile(new) == expected


def test_one_among_five_thousand_is_found_at_once():
    topics = ["parser", "ledger", "watcher", "importer", "exporter", "session", "window", "tail"]
    known = Known(
        item(f"the {topics[n % 8]} of area {n} keeps {topics[n // 8 % 8]} {n} in table t{n}", n)
        for n in range(5000)
    )
    known.add(wanted := item("never log request bodies of the parser", 6000))
    new = item("request bodies of the parser must never be logged", 6001)
    taken = []
    for _ in range(20):
        started = time.process_time()
        outcome = known.reconcile(new)
        taken.append(time.process_time() - started)
    assert (outcome.relation, outcome.of) == ("same", wanted.id)
    assert min(taken) < 0.01
