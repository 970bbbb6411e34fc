"""Feedback on a plan answers the plan that was shown."""

from __future__ import annotations

from ctxd.extract.exchange import Spoken
from ctxd.extract.judge import judge
from ctxd_parsers.events import AssistantMessage, PlanDecided, UserMessage

PLAN = """# Plan: rate limits

1. **Storage** keep the counters in Redis with a TTL.
2. **Limit** 60 requests a minute per key.
3. **Answer** 429 with Retry-After.
"""
COMMON = {"agent": "a", "session": "s"}


def items(words):
    plan = PlanDecided(id="plan", approved=False, plan=PLAN, call="c", **COMMON)
    said = UserMessage(id="words", text=words, origin="plan_feedback", call="c", **COMMON)
    before = AssistantMessage(id="before", text="Here is the plan.", **COMMON)
    return judge(Spoken("a", "s", (plan, said), (before,)))


def test_a_numbered_reply_settles_the_points_of_the_plan_one_by_one():
    found = items("1. no, keep them in memory, one process only\n2. yes\n3. yes")

    assert [item.kind for item in found] == ["rejection", "decision", "decision"]
    assert "in memory" in found[0].text
    assert "60 requests a minute" in found[1].text
    assert "429 with Retry-After" in found[2].text


def test_the_evidence_is_a_verbatim_part_of_the_plan():
    quotes = [e for item in items("1. no\n2. yes\n3. yes") for e in item.evidence]
    of_plan = [quote for quote in quotes if quote.event == "plan"]

    assert of_plan
    assert all(PLAN[e.start : e.start + len(e.quote)] == e.quote for e in of_plan)


def test_a_rule_given_as_feedback_is_the_users_own_word():
    (rule,) = items("never store counters in redis, they go to memory")

    assert rule.authority == "user"
    assert rule.kind == "constraint"
    assert rule.plain
