"""A home in which ctxd has understood things, without having run."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from batches import batch
from ctxd.item import Evidence, Item, item_id
from ctxd.item_log import restated, superseded
from ctxd.ledger import Judgement, Ledger, SessionRow
from ctxd_parsers.events import AssistantMessage, UserMessage

DAY = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
SESSION = "5b0e8a1c-9d47-4f2e-8c63-0123456789ab"
LOG = Path("/logs/5b0e8a1c.jsonl")
AGENT = "claude-code"
ASKED = "Which limiter?\nA) Redis with a token bucket\nB) counters in the process (lost on restart)"
TALK = (
    ("u1", "user", "the public API needs a rate limit"),
    ("m1", "agent", ASKED),
    ("u2", "user", "A. And never log request bodies, they hold patient data"),
    ("m2", "agent", "Understood. I start with the token bucket."),
    ("u3", "user", "maybe look at the retries some day"),
)


def minute(number):
    return DAY + timedelta(minutes=number)


def said(event, speaker, text):
    kind = UserMessage if speaker == "user" else AssistantMessage
    number = [name for name, *_ in TALK].index(event)
    span = (100 * number, 100 * number + 99)
    return kind(agent=AGENT, session=SESSION, id=event, time=minute(number), text=text, span=span)


def known(text, number=2, event="u2", **more):
    facts = {"kind": "decision", "authority": "user", "probability": 0.9, "plain": True} | more
    quote = Evidence(event, "user", facts.pop("quote", text), time=minute(number))
    return Item(
        id=item_id([text]),
        agent=AGENT,
        session=facts.pop("session", SESSION),
        event=event,
        time=minute(number),
        text=text,
        evidence=(quote, *facts.pop("more_evidence", ())),
        **facts,
    )


LIMITER = known(
    "Redis with a token bucket",
    authority="confirmed",
    reason="counters are lost on restart",
    rejected=("counters in the process: lost on restart",),
    scope=("src/limits.py",),
    quote="A.",
    more_evidence=(Evidence("m1", "agent", "A) Redis with a token bucket", 15, minute(1)),),
)
BODIES = known(
    "never log request bodies",
    kind="constraint",
    severity="critical",
    reason="they hold patient data",
)
RETRIES = known("look at the retries", 4, "u3", kind="question", plain=False, probability=0.6)
NGINX = known("let nginx limit the requests", -60, "gone", session="older")


def make_repository(folder):
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")


def open_ledger(home):
    home.variables["CTXD_HOME"] = str(home.path / "own")
    return Ledger.open(home.path / "own" / "state" / "ledger.sqlite3", lambda: DAY.timestamp())


def judged(event, *items, repository, events=(), session=SESSION, **more):
    key = (AGENT, session, event)
    return Judgement(key=key, repository=repository, items=items, events=events, **more)


def fill(home):
    """The home's own folder becomes a repository with one session, and items from it."""
    make_repository(home.path)
    here = str(home.path.resolve())
    row = SessionRow(agent=AGENT, id=SESSION, cwd=here, title="Rate limits", turns=3, spoken=True)
    with open_ledger(home) as ledger:
        ledger.record(batch(*(said(*spoken) for spoken in TALK), path=LOG, sessions=[row]))
        ledger.settle(
            [
                judged("gone", NGINX, repository=here, session="older"),
                judged(
                    "u2", LIMITER, BODIES, repository=here, events=[superseded(NGINX.id, LIMITER)]
                ),
                judged("u3", RETRIES, repository=here),
                judged("u9", known("bodies of requests are kept"), repository="/srv/other"),
                judged("u8", repository=here, events=[restated(BODIES.id, known("same", 9, "u8"))]),
            ]
        )
    return home
