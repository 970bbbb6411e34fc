"""What the user says of items changes what becomes one, on this machine and from then on."""

import msgspec
import pytest

from batches import batch
from ctxd.adaptation import LEARNED, Adaptation, Learned
from ctxd.exchange import Exchange
from ctxd.extract.adapt import Adjustment, lenient
from ctxd.extract.classify import shipped
from ctxd.extract.exchange import Spoken
from ctxd.extract.judge import judge
from ctxd.item_log import captured
from ctxd.ledger import Ledger, Pending
from ctxd.policy.items import ADAPT_SECONDS
from ctxd.session import Session
from ctxd.understanding import LIVE_SINCE, Understanding
from ctxd_parsers.events import AssistantMessage, UserMessage
from made_items import item
from session_events import NOON

THINGS = (
    "importer", "exporter", "scheduler", "mailer", "indexer", "parser", "planner", "renderer",
    "uploader", "watcher", "archiver", "crawler",
)  # fmt: skip


WISHES = (
    "Never write the totals to the disk.",
    "Always round the totals to two digits.",
    "The totals go below the table.",
    "Write the totals in a smaller font.",
    "We use the grey background for the totals.",
    "Sort the totals by month.",
    "Rename the column to total.",
)


def spoken(words):
    said = UserMessage(agent="a", session="s", id=f"u {words}", text=words, time=NOON)
    return Spoken("a", "s", (said,), opening=True)


class World:
    """A ledger, one session that is talked in, and a clock that stands still."""

    def __init__(self, folder):
        self.now = NOON.timestamp() + 3600
        self.repository = str(folder)
        self.ledger = Ledger.open(folder / "ledger.sqlite3", self.wall)
        self.ledger.set_meta(LIVE_SINCE, repr(NOON.timestamp() - 3600))
        self.said = 0
        self.before = []
        self.begin()

    def wall(self):
        return self.now

    def begin(self):
        """Start anew, as after a kill."""
        self.understanding = Understanding(self.ledger, self.session, self.wall)
        self.adaptation = Adaptation(self.ledger, self.wall)

    def session(self, key):
        return Session(*key, cwd=self.repository, started=NOON, last_event=NOON)

    def hear(self, words, proposal=""):
        """An exchange, recorded and judged; the ids of its items."""
        number = self.said = self.said + 1
        known = set(self.ledger.item_ids())
        user = UserMessage(agent="a", session="s", id=f"u{number}", text=words, time=NOON)
        agent = AssistantMessage(agent="a", session="s", id=f"a{number}", text=proposal)
        events = [agent, user] if proposal else [user]
        exchange = Exchange(
            proposal=(agent.id,) if proposal else (),
            answer=(user.id,),
            earlier=tuple(self.before[-8:]),
        )
        self.before += [event.id for event in events]
        pending = [Pending("a", "s", exchange)]
        self.ledger.record(batch(*events, offset=100 * number, pending=pending))
        while self.understanding.step():
            pass
        return sorted(set(self.ledger.item_ids()) - known)

    def rule(self, thing):
        [name] = self.hear(f"Never call the {thing} from a database migration.", "All tests pass.")
        return name

    def decide(self, names, verdict):
        for name in names:
            self.ledger.decide(self.repository, name, verdict)

    def model(self):
        self.now += ADAPT_SECONDS
        return self.adaptation.model(self.repository)

    def learned(self):
        """What was learned, as it is kept."""
        self.model()
        return msgspec.json.decode(self.ledger.meta(LEARNED), type=Learned).adjustment


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    yield world
    world.ledger.close()


@pytest.fixture
def rules(world):
    """Twelve rules, known as items."""
    return [world.rule(thing) for thing in THINGS]


class TestVerdicts:
    def test_without_any_the_model_is_the_one_that_ships(self, world, rules):
        assert world.model() is shipped()
        assert world.ledger.meta(LEARNED) is None

    def test_what_is_rejected_becomes_less_likely_in_later_exchanges(self, world, rules):
        [before] = world.ledger.items_by_id(world.rule("router"))
        world.decide(rules, "rejected")
        world.now += ADAPT_SECONDS
        [after] = world.ledger.items_by_id(world.rule("formatter"))
        assert after.item.probability < before.item.probability - 0.2

    def test_what_is_accepted_becomes_likelier(self, world, rules):
        world.decide(rules, "accepted")
        assert world.learned().offset > 0

    def test_an_edit_agrees_that_it_is_an_item(self, world, rules):
        for name in rules:
            world.ledger.decide(world.repository, name, "edited", "Never, in no migration.")
        assert world.learned().offset > 0

    def test_a_rejection_taken_back_is_none(self, world, rules):
        world.decide(rules, "rejected")
        assert world.learned().offset < 0
        world.decide(rules, "restored")
        assert world.learned().offset > 0

    def test_deleting_what_was_agreed_to_is_no_rejection(self, world, rules):
        world.decide(rules, "accepted")
        agreed = world.learned()
        world.now -= ADAPT_SECONDS
        world.decide(rules, "retracted")
        assert world.learned().offset == pytest.approx(agreed.offset, abs=0.01)

    def test_deleting_what_nobody_agreed_to_is_one(self, world, rules):
        world.decide(rules, "retracted")
        assert world.learned().offset < 0

    def test_none_make_anything_plain_that_is_far_from_it_as_shipped(self, world, rules):
        world.decide(rules[:1], "accepted")
        world.model()
        kept = msgspec.json.decode(world.ledger.meta(LEARNED), type=Learned)
        eager = msgspec.structs.replace(kept, adjustment=Adjustment(offset=5.0))
        world.ledger.set_meta(LEARNED, msgspec.json.encode(eager).decode())
        world.begin()
        plain = {True: 0, False: 0}
        for words in WISHES:
            said = spoken(words)
            model = world.adaptation.model(world.repository)
            eagerly = {item.id for item in judge(said, model) if item.plain}
            nearly = {item.id for item in judge(said, lenient(shipped())) if item.plain}
            written = {i.id for i in world.adaptation.judge(said, world.repository) if i.plain}
            assert written == eagerly & nearly
            plain[bool(written)] += bool(eagerly)
        assert all(plain.values())

    def test_what_was_let_be_while_others_were_rejected_counts_a_little(self, world, rules):
        world.decide(rules[:1], "rejected")
        alone = world.learned()
        assert all(known.item.plain for known in world.ledger.items())
        for known in world.ledger.items():
            world.ledger.add_item_events(
                world.repository, [captured(msgspec.structs.replace(known.item, plain=False))]
            )
        world.decide(rules[:1], "rejected")
        assert world.learned().offset < alone.offset


class TestKeeping:
    def test_what_was_learned_outlives_the_daemon(self, world, rules):
        world.decide(rules, "rejected")
        model = world.model()
        world.begin()
        assert world.model() == model

    def test_verdicts_are_looked_for_every_few_minutes_only(self, world, rules):
        assert world.model() is shipped()
        world.decide(rules, "rejected")
        world.now += ADAPT_SECONDS - 1
        assert world.adaptation.model(world.repository) is shipped()
        world.now += 1
        assert world.adaptation.model(world.repository) is not shipped()

    def test_a_clock_set_back_does_not_put_them_off(self, world, rules):
        world.model()
        world.decide(rules, "rejected")
        world.now -= 86_400
        assert world.adaptation.model(world.repository) is not shipped()

    def test_no_word_of_the_user_s_is_kept_that_the_model_did_not_know(self, world):
        world.decide(
            world.hear("Never call the zyxwvut from a migration of the qwertzu."), "rejected"
        )
        world.model()
        kept = world.ledger.meta(LEARNED)
        assert world.repository in kept
        assert "zyxwvut" not in kept
        assert "qwertzu" not in kept

    def test_what_is_kept_is_made_anew_when_it_cannot_be_read(self, world, rules):
        world.decide(rules, "rejected")
        before = world.learned()
        world.ledger.set_meta(LEARNED, "{")
        world.begin()
        assert world.learned() == before

    def test_a_ledger_begun_anew_forgets_it(self, world, rules):
        world.decide(rules, "rejected")
        world.rule("router")
        world.understanding.forget_all()
        assert world.understanding._adaptation is None


class TestWords:
    def test_an_answer_to_a_proposal_of_before_is_found_with_it(self, world):
        plan = "Two ways:\n\nA) Keep the totals in a queue.\nB) Keep the totals in a table.\n"
        world.hear("Which of them is faster?", plan)
        names = world.hear("ok, then B", "The table is slower by some milliseconds. Which one?")
        assert names
        world.decide(names, "rejected")
        assert world.learned().offset < 0

    def test_an_item_whose_words_are_not_there_teaches_nothing(self, world):
        elsewhere = item("use tabs in makefiles")
        world.ledger.add_item_events(world.repository, [captured(elsewhere)])
        world.decide([elsewhere.id], "rejected")
        assert world.learned() == Adjustment()

    def test_a_defect_in_learning_costs_no_exchange(self, world, rules, monkeypatch, caplog):
        def fails(*_):
            raise ValueError("boom")

        world.decide(rules, "rejected")
        monkeypatch.setattr("ctxd.adaptation.traced", fails)
        world.now += ADAPT_SECONDS
        assert world.rule("router")
        assert "nothing is learned" in caplog.text
        assert world.model() is shipped()
