"""What decides the meaning of a statement is read out, however it is written."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.extract.slots import compare, content, slots
from ctxd.extract.stems import stem
from statement_pairs import PAIRS


def number(text):
    (found,) = slots(text).numbers
    return found


@pytest.mark.parametrize(
    "texts",
    [
        ("at most 4k rows", "no more than 4,000 rows", "4000 rows max", "up to 4000 rows"),
        ("wait 72 h", "wait three days", "wait 3d", "wait 259200 seconds"),
        ("a 2 MB upload", "a 2mb upload", "a 2 megabyte upload", "a 2-MB upload"),
        ("10 per minute", "10/min", "10 calls a minute", "10 req/min"),
        ("95%", "95 percent", "95 pct"),
        ("at 4am", "at 4 a.m.", "at 04:00"),
        ("until 30 March", "until March 30"),
        ("nightly", "every day", "daily", "every 24 hours"),
        ("25 km/h", "25 kmh"),
        ("$40", "40 dollars", "40 USD"),
    ],
)
def test_a_number_is_the_same_however_it_is_written(texts):
    first, *others = (number(text) for text in texts)
    for other in others:
        assert (other.value, other.unit, other.per) == (first.value, first.unit, first.per)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10 requests per hour", "10 requests per day"),
        ("a timeout of 4 s", "a timeout of 4 ms"),
        ("retry 3 times", "retry 5 times"),
        ("port 8080", "port 8081"),
        ("at most 5 workers", "at least 5 workers"),
        ("keep it until 30 March", "keep it until 13 March"),
        ("return 409, not 422", "return 422"),
        ("25 km/h", "25 mph"),
        ("5 metres", "5 minutes"),
        ("a limit of 1.5 GB", "a limit of 15 GB"),
        ("weekly", "monthly"),
    ],
)
def test_another_number_unit_rate_or_limit_is_a_conflict(one, other):
    assert "number" in compare(slots(one), slots(other)).conflict
    assert "number" in compare(slots(other), slots(one)).conflict


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at most 7 days", "max"),
        ("never more than 7 days", "max"),
        ("7 days or less", "max"),
        ("7 days tops", "max"),
        ("capped at 7 days", "max"),
        ("< 7 days", "max"),
        ("at least 7 days", "min"),
        ("older than 7 days", "min"),
        ("7+ days", "min"),
        ("7 days or more", "min"),
        ("7 days", ""),
    ],
)
def test_a_number_knows_whether_it_is_a_limit(text, bound):
    assert number(text).bound == bound


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("never push to main", {"push", "main"}),
        ("main must never be pushed to", {"push", "main"}),
        ("pushing to main is forbidden", {"push", "main"}),
        ("use pnpm, not npm", {"npm"}),
        ("use SQLite instead of Redis for the cache", {"redis"}),
        ("no Celery; use APScheduler", {"celeri"}),
        ("don't use lodash, underscore or ramda", {"lodash", "underscor", "ramda"}),
        ("remove the shim", {"shim"}),
        ("don't remove the shim", set()),
        ("leave the parser alone", {"parser"}),
        ("prefer tabs over spaces", {"spac"}),
        ("replace moment with dayjs", {"moment"}),
        ("no, keep the shim", set()),
        ("never, ever push", {"push"}),
        ("the old theme is out", {"old", "them"}),
        ("keine Mocks verwenden", {"mock", "verwenden"}),
        ("if no tests fail, deploy", {"test", "fail"}),
    ],
)
def test_a_negation_reaches_the_words_that_it_turns_around(text, denied):
    assert slots(text).denied == denied


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("you must sign commits", "require"),
        ("always sign commits", "require"),
        ("never sign commits", "forbid"),
        ("commits may be signed", "allow"),
        ("you need not sign commits", "allow"),
        ("signing is optional", "allow"),
        ("prefer signed commits", "prefer"),
        ("avoid signed commits", "prefer"),
        ("sign commits", "plain"),
        ("use pnpm, never npm", "plain"),
    ],
)
def test_the_force_of_a_statement_is_told(text, modality):
    assert slots(text).modality == modality


@pytest.mark.parametrize(
    ("text", "excepted"),
    [
        ("no `as` casts, except `as const`", {"as const"}),
        ("never deploy on Fridays unless it is a hotfix", {"hotfix"}),
        ("do not add gems without asking", {"ask"}),
        ("ask before adding gems", {"ask"}),
        ("all modules other than the parser are frozen", {"parser"}),
        ("no dependencies apart from numpy", {"numpi"}),
    ],
)
def test_an_exception_is_kept_apart(text, excepted):
    found = slots(text)
    assert found.excepted == excepted
    assert not found.words & excepted


def test_a_reason_decides_nothing():
    assert slots("use SQLite because Redis needs a server").words == {"sqlit"}


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("call `init()` first", {"init()"}),
        ("set MAX_RETRIES in src/config.py", {"max_retries", "src/config.py"}),
        ("pass --dry-run to v2 of eu-west-1", {"--dry-run", "v2", "eu-west-1"}),
        ("use snake_case, not AppConfig", {"snake_case", "appconfig"}),
        ("`RETRIES = 5`", {"retries"}),
    ],
)
def test_identifiers_stay_whole(text, identifiers):
    assert slots(text).identifiers == identifiers


@pytest.mark.parametrize(
    ("one", "other", "slot"),
    [
        ("use tabs instead of spaces", "use spaces instead of tabs", "pair"),
        ("times are in UTC", "times are in local time", "name"),
        ("config is TOML", "config is YAML", "name"),
        ("serve under /v1", "serve under /v2", "identifier"),
        ("tests run in CI", "tests run locally", "place"),
        ("always push", "never push", "polarity"),
        ("comments are mandatory", "comments are optional", "modality"),
        ("lint before the tests", "lint after the tests", "order"),
    ],
)
def test_the_slot_that_decides_is_named(one, other, slot):
    assert slot in compare(slots(one), slots(other)).conflict


@pytest.mark.parametrize(
    ("one", "other", "slot"),
    [
        ("no casts, except const", "no casts", "exception"),
        ("only admins see logs", "admins see logs", "scope"),
        ("retry 3 times", "retry", "number"),
        ("you must validate input", "consider validating input", "modality"),
        ("migrate staging first", "migrate first", "place"),
    ],
)
def test_what_is_left_out_is_missing_and_the_other_way_round_added(one, other, slot):
    assert slot in compare(slots(one), slots(other)).missing
    assert slot in compare(slots(other), slots(one)).added


def test_words_that_differ_by_ending_are_one():
    families = ["migration migrations migrate migrated migrating", "retry retries retried",
                "validation validate validates validated", "cache caches cached caching",
                "create creates created creating creation", "class classes"]  # fmt: skip
    for family in families:
        assert len({stem(word) for word in family.split()}) == 1, family


def test_words_of_other_meaning_stay_apart():
    for pair in ["format form", "general generate", "logger log", "state station", "date data"]:
        one, other = pair.split()
        assert stem(one) != stem(other)


def test_content_keeps_the_order_and_all_words_of_exceptions_and_reasons():
    assert content("no `as` casts, except in tests, because they mask bugs") == (
        "as", "cast", "test", "mask", "bug",
    )  # fmt: skip


@given(st.text(max_size=300))
def test_no_text_raises_and_a_statement_agrees_with_itself(text):
    found = slots(text)
    same = compare(found, found)
    assert not (same.missing | same.added | same.left | same.right)
    assert found.words == found.affirmed | found.denied


@given(st.sampled_from([text for _, *texts in PAIRS for text in texts]))
def test_capitals_at_the_start_and_a_full_stop_change_nothing(text):
    shown = text[:1].upper() + text[1:]
    assert slots(shown.rstrip(".") + ".").words == slots(text).words


def test_hostile_statements_take_no_longer_than_long_ones():
    for piece in ("`", "a", "1,", "no ", "-", "a.b", "(", "not, ", "9", "/x", "、", "a=", "5/"):
        started = time.process_time()
        slots(piece * (100_000 // len(piece)))
        assert time.process_time() - started < 1
