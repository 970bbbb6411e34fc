"""`ctxd show`: who said it, when, in which session, in which words; and what became of it."""

import json
import os

import jsonschema
import pytest

from batches import batch
from cli.known import (
    AGENT,
    ASKED,
    BODIES,
    LIMITER,
    LOG,
    NGINX,
    RETRIES,
    SESSION,
    fill,
    judged,
    known,
    open_ledger,
)
from cli.running import plain
from cli.test_json import schema
from ctxd.item import Evidence
from ctxd.policy.shown import SHOWN_TEXT_CHARS
from ctxd_parsers.events import (
    AssistantMessage,
    Option,
    PlanDecided,
    QuestionAnswered,
    ToolCall,
    UserMessage,
    Withdrawn,
)

on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")


@pytest.fixture
def filled(home):
    return fill(home)


def shown(home, item, *arguments):
    run = home.ctxd("show", item.id, "--json", *arguments)
    assert (run.code, run.err) == (0, "")
    [line] = run.lines
    found = json.loads(line)
    jsonschema.validate(found, schema("show-1"))
    return found


def talk(found):
    return [(spoken["speaker"], spoken["text"]) for spoken in found["exchange"]]


class TestJson:
    def test_who_said_it_when_and_where_is_told(self, filled):
        found = shown(filled, LIMITER)
        assert found["item"]["text"] == "Redis with a token bucket"
        assert (found["item"]["agent"], found["item"]["session"]) == (AGENT, SESSION)
        assert found["item"]["time"] == "2026-03-14T09:02:00Z"
        assert found["session_title"] == "Rate limits"
        assert found["transcript"] == str(LOG)
        assert found["transcript_span_bytes"] == [200, 299]

    def test_the_evidence_is_verbatim_and_the_exchange_whole(self, filled):
        found = shown(filled, LIMITER)
        assert [(quoted["speaker"], quoted["quote"]) for quoted in found["evidence"]] == [
            ("user", "A."),
            ("agent", "A) Redis with a token bucket"),
        ]
        assert talk(found) == [
            ("agent", ASKED),
            ("user", "A. And never log request bodies, they hold patient data"),
            ("agent", "Understood. I start with the token bucket."),
        ]

    def test_the_history_names_what_superseded_it(self, filled):
        history = shown(filled, NGINX)["history"]
        assert [(row["type"], row["other_item"], row["other_text"]) for row in history] == [
            ("captured", None, None),
            ("superseded", LIMITER.id, LIMITER.text),
        ]

    def test_the_users_verdicts_are_in_the_history(self, filled):
        here = str(filled.path.resolve())
        with open_ledger(filled) as ledger:
            ledger.decide(here, BODIES.id, "edited", "Bodies are never logged.")
            ledger.decide(here, BODIES.id, "rejected")
        found = shown(filled, BODIES)
        assert found["item"]["status"] == "rejected"
        assert found["understood_text"] == "never log request bodies"
        assert [(row["type"], row["by"], row["text"]) for row in found["history"]][:2] == [
            ("edited", "user", "Bodies are never logged."),
            ("rejected", "user", None),
        ]

    def test_evidence_outlives_the_log_and_the_ledgers_events(self, filled):
        with open_ledger(filled) as ledger:
            ledger._connection.execute("DELETE FROM events")
        found = shown(filled, LIMITER)
        assert (found["exchange"], found["transcript"]) == ([], None)
        assert found["evidence"][0]["quote"] == "A."


class TestExchange:
    def in_a_session(self, home, *events):
        """A session of these events, with an item that the one named `x` binds."""
        item = known("the item", event="x")
        with open_ledger(home) as ledger:
            ledger.record(batch(*events))
            ledger.settle([judged("x", item, repository=str(home.path.resolve()))])
        return talk(shown(home, item))

    def event(self, kind, event_id, **facts):
        return kind(agent=AGENT, session=SESSION, id=event_id, **facts)

    def user(self, event_id, text="words", **more):
        return self.event(UserMessage, event_id, text=text, **more)

    def agent(self, event_id, text="reply", **more):
        return self.event(AssistantMessage, event_id, text=text, **more)

    def test_several_words_in_a_row_are_one_answer(self, home):
        assert self.in_a_session(
            home,
            self.user("u0", "before"),
            self.agent("m0", "this?"),
            self.agent("m1", "or that?"),
            self.user("u1", "that"),
            self.user("x", "and quick"),
            self.user("u2", "please"),
            self.agent("m2", "done"),
            self.user("u3", "behind"),
        ) == [
            ("agent", "this?"),
            ("agent", "or that?"),
            ("user", "that"),
            ("user", "and quick"),
            ("user", "please"),
            ("agent", "done"),
        ]

    def test_the_first_and_last_words_of_a_session_have_nobody_around_them(self, home):
        assert self.in_a_session(home, self.user("x", "alone")) == [("user", "alone")]

    def test_what_sub_agents_said_is_not_in_it(self, home):
        assert self.in_a_session(
            home,
            self.agent("m0", "this?"),
            self.agent("m1", "inside", sub_agent="child"),
            self.user("x", "yes"),
            self.agent("m2", "inside", sub_agent="child"),
            self.agent("m3", "done"),
        ) == [("agent", "this?"), ("user", "yes"), ("agent", "done")]

    def test_a_dialog_is_shown_with_its_options_and_once(self, home):
        answer = self.event(
            QuestionAnswered,
            "x",
            question="Which store?",
            options=(Option("Redis", "fast"), Option("Postgres")),
            chosen=("Postgres", "both"),
            text="for now",
            call="c",
        )
        same = self.user("u1", "Postgres, for now", origin="answer", call="c")
        assert self.in_a_session(home, answer, same) == [
            ("user", "Which store?\n- Redis: fast\n> Postgres\n> both\n> for now")
        ]

    def test_a_plan_and_a_refused_call_are_shown(self, home):
        call = self.event(
            ToolCall, "c", call="c", name="edit", paths=("a.py",), excerpt="import redis"
        )
        idle = self.event(ToolCall, "d", call="d", name="read", paths=("b.py",))
        plan = self.event(PlanDecided, "x", approved=False, plan="1. do it", choice="No")
        assert self.in_a_session(home, call, idle, plan) == [
            ("agent", "edit a.py\nimport redis"),
            ("user", "turned down the plan (No)\n1. do it"),
        ]

    def test_what_was_taken_back_is_left_out_unless_it_is_the_item_itself(self, home):
        gone = self.event(Withdrawn, "w", since="u1", until="x", reason="rewind")
        events = [self.user("u1", "taken back"), self.user("x", "kept"), gone]
        assert self.in_a_session(home, *events) == [("user", "kept")]
        again = self.event(Withdrawn, "w2", since="x", reason="rewind")
        assert self.in_a_session(home, again) == [("user", "taken back"), ("user", "kept")]


class TestPage:
    def test_everything_is_on_the_page(self, filled):
        run = filled.ctxd("show", LIMITER.id[:4])
        assert (run.code, run.err) == (0, "")
        for text in (
            f"{LIMITER.id}  decision, active",
            "Redis with a token bucket",
            "the agent's proposal, which you approved",
            "counters are lost on restart",
            "counters in the process: lost on restart",
            "src/limits.py",
            "for the repository",
            "90%",
            f'2026-03-14 09:02 in {AGENT} session {SESSION} "Rate limits"',
            "/logs/5b0e8a1c.jsonl, from byte 200",
            "  user   A.",
            "  agent  A) Redis with a token bucket",
            "  agent  Understood. I start with the token bucket.",
        ):
            assert text in run.out, text

    def test_what_waits_for_review_says_so(self, filled):
        out = filled.ctxd("show", RETRIES.id).out
        assert out.startswith(f"{RETRIES.id}  question, active, review\n")
        assert "60%, waits for your review" in out

    def test_the_users_wording_stands_above_what_was_understood(self, filled):
        with open_ledger(filled) as ledger:
            ledger.decide(str(filled.path.resolve()), BODIES.id, "edited", "No bodies in logs!")
        lines = filled.ctxd("show", BODIES.id).lines
        assert lines[1] == "  No bodies in logs!"
        assert "  understood as never log request bodies" in lines

    def test_long_texts_are_cut_where_they_matter_least_unless_all_is_asked_for(self, filled):
        long = "first words. " + "filler " * 1000 + "last words"
        item = known("long", 8, "u8")
        with open_ledger(filled) as ledger:
            events = [
                AssistantMessage(agent=AGENT, session=SESSION, id="m7", text=long),
                UserMessage(agent=AGENT, session=SESSION, id="u8", text="go on"),
                AssistantMessage(agent=AGENT, session=SESSION, id="m8", text=long),
            ]
            ledger.record(batch(*events, path=LOG))
            ledger.settle([judged("u8", item, repository=str(filled.path.resolve()))])
        before, _, after = filled.ctxd("show", item.id).lines[-3:]
        assert before.startswith("  agent  [...] filler")
        assert before.endswith("last words")
        assert after.startswith("  agent  first words.")
        assert after.endswith("[...]")
        assert len(before) < SHOWN_TEXT_CHARS + 40
        whole = filled.ctxd("show", item.id, "--full").out
        assert whole.count(long) == 2
        assert long in [spoken["text"] for spoken in shown(filled, item)["exchange"]]

    def test_an_exchange_that_is_gone_is_said_to_be_gone(self, filled):
        assert "no longer stored; the evidence above" in filled.ctxd("show", NGINX.id).out

    def test_nothing_of_a_hostile_session_acts_on_the_terminal(self, filled):
        hostile = "\x1b]0;owned\x07\x1b[2J\u202etxt.exe\u200b[/nope][bold]"
        item = known(
            hostile,
            7,
            "u7",
            reason=hostile,
            rejected=(hostile,),
            scope=(hostile,),
            more_evidence=(Evidence("m", "agent", f"one\n{hostile}"),),
        )
        with open_ledger(filled) as ledger:
            words = UserMessage(agent=AGENT, session=SESSION, id="u7", text=hostile)
            ledger.record(batch(words, path=LOG))
            ledger.settle([judged("u7", item, repository=str(filled.path.resolve()))])
            ledger.decide(str(filled.path.resolve()), item.id, "edited", hostile)
        for colour in ("always", "never"):
            run = filled.ctxd("show", item.id, "--color", colour)
            assert run.code == 0
            assert r"\x1b]0;owned\x07\x1b[2J\u202etxt.exe\u200b[/nope][bold]" in run.out
            assert not {"\x07", "\u202e", "\u200b"} & set(run.out)


@on_terminal
@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_page_at_a_width(filled, snapshot, width):
    text = plain(filled.on_terminal(width, "show", LIMITER.id).out)
    assert max(map(len, text.splitlines())) <= width
    snapshot(f"show-{width}", text)


@on_terminal
def test_colours_add_nothing_but_colour(filled):
    coloured = filled.on_terminal(80, "show", BODIES.id).out
    assert "\x1b[" in coloured
    assert plain(filled.on_terminal(80, "show", BODIES.id, NO_COLOR="1").out) == plain(coloured)

    def test_a_quote_that_stands_in_a_longer_one_is_not_shown_beside_it(self, filled):
        longer = "always sort the imports by hand, says the linter"
        parts = [Evidence("u7", "user", one) for one in ("sort the imports", longer)]
        other = Evidence("m7", "agent", "sort the imports")
        item = known("sort", 7, "u7", quote=longer, more_evidence=(*parts, other))
        with open_ledger(filled) as ledger:
            ledger.settle([judged("u7", item, repository=str(filled.path.resolve()))])
        run = filled.ctxd("show", item.id)
        evidence = run.out.partition("Evidence")[2].partition("Exchange")[0]
        said = [line.strip() for line in evidence.splitlines() if line.strip()]
        assert said == [f"user   {longer}", "agent  sort the imports"]
        assert len(shown(filled, item)["evidence"]) == 4


class TestNames:
    def mistake(self, home, *arguments):
        run = home.ctxd("show", *arguments)
        assert (run.code, run.out) == (1, "")
        error, blank, hint = run.err.splitlines()
        assert (error[:7], blank, hint[:6]) == ("error: ", "", "hint: ")
        return error[7:], hint[6:]

    def test_an_item_is_named_by_the_start_of_its_id_in_any_case(self, filled):
        for name in (BODIES.id, BODIES.id[:5], BODIES.id[:4].upper()):
            assert BODIES.id in filled.ctxd("show", name).lines[0]

    @pytest.mark.parametrize("name", ["zzzz9", "", "%", "a" * 5000, "\u202eid"])
    def test_an_unknown_id_is_answered_with_where_ids_are(self, filled, name):
        error, hint = self.mistake(filled, name)
        assert error.startswith("no item `")
        assert hint.startswith("`ctxd items` lists them")

    def test_an_id_that_fits_several_is_answered_with_them(self, filled):
        many = [known(f"rule {number}") for number in range(300)]
        with open_ledger(filled) as ledger:
            ledger.settle([judged("k", *many, repository=str(filled.path.resolve()))])
        start = BODIES.id[0]
        error, hint = self.mistake(filled, start)
        assert error.startswith(f"several items begin with `{start}`: {start}")
        assert error.endswith(" more")
        named = hint.removesuffix("`").split()[-1]
        assert filled.ctxd("show", named).code == 0

    def test_the_same_words_of_two_repositories_are_told_apart(self, filled):
        other = filled.path / "other"
        other.mkdir()
        (filled.path / ".git").rename(filled.path / "api")
        with open_ledger(filled) as ledger:
            for folder in ("/srv/one", "/srv/two"):
                ledger.settle([judged(folder, known("both"), repository=folder)])
        both = known("both")
        error, hint = self.mistake(filled, both.id)
        assert error == f"`{both.id}` was said in several repositories"
        assert hint == f"name one of them, as in `ctxd show {both.id} --repo /srv/one`"
        found = shown(filled, both, "--repo", "/srv/two")
        assert found["item"]["repository"] == "/srv/two"

    def test_an_item_of_the_current_repository_comes_before_one_elsewhere(self, filled):
        with open_ledger(filled) as ledger:
            ledger.settle([judged("e", BODIES, repository="/srv/other")])
        assert shown(filled, BODIES)["item"]["repository"] == str(filled.path.resolve())

    def test_without_a_ledger_there_is_nothing_to_show(self, home):
        error, hint = self.mistake(home, "7f3a")
        assert error.startswith("there is no ledger at ")
        assert hint == "`ctxd run` makes one"


def test_ids_are_completed(filled):
    asked = {"_CTXD_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    run = filled.ctxd(COMP_WORDS=f"ctxd show {BODIES.id[:3]}", **asked)
    assert run.lines == [f"plain,{BODIES.id}"]
    run = filled.ctxd(COMP_WORDS="ctxd show 7", CTXD_HOME=str(filled.path / "none"), **asked)
    assert (run.out.strip(), run.err) == ("", "")
