"""Small pairs of an item and the passage that bears on it, by what makes them hard."""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """What was said, what a summary says, and what that leaves of it."""

    item: str
    passage: str
    answer: str


OTHER_UNIT = (
    Pair("request timeout is 30 s", "The request timeout is 30 minutes.", "changed"),
    Pair("uploads max 20 MB", "Uploads are limited to 20 GB.", "changed"),
    Pair(
        "token bucket: 100 requests per minute",
        "The bucket allows 100 requests per hour.",
        "changed",
    ),
    Pair("keep logs 90 days", "Logs are kept for 90 hours.", "changed"),
    Pair("fan on above 60 °C", "The fan goes on above 60 °F.", "changed"),
    Pair("fuse trips at 500 mA", "The fuse trips at 500 A.", "changed"),
    Pair(
        "chunks of 512 tokens, no overlap",
        "Documents are cut into chunks of 512 characters, no overlap.",
        "changed",
    ),
    Pair("sampling at 48 kHz", "Sampling runs at 48 Hz.", "changed"),
    Pair("margin is 8 px", "The margin is 8 rem.", "changed"),
    Pair("tank pressure max 3 bar", "Tank pressure may reach 3 psi at most.", "changed"),
    Pair("debounce 50 ms", "Debounce: 50 µs.", "changed"),
    Pair("link speed 100 Mbit", "The link is set to 100 MB per second.", "changed"),
    Pair("retry every 10 seconds", "It retries every 10 minutes.", "changed"),
    Pair("doses in mg, max 400 mg", "Doses: at most 400 g.", "changed"),
    Pair("geofence radius 200 m", "The geofence has a radius of 200 km.", "changed"),
    Pair("discount of 5 percent max", "A discount is at most 5 euros.", "changed"),
    Pair("battery reserve 15 %", "The battery keeps a reserve of 15 minutes.", "changed"),
)
SAME_MEASURE = (
    Pair(
        "request timeout is 30 s",
        "Requests time out after half a minute; that value is agreed.",
        "kept",
    ),
    Pair("keep logs 14 days", "Logs are kept for two weeks, then they must be deleted.", "kept"),
    Pair("max upload is 2 GB", "Uploads must not exceed 2048 MB.", "kept"),
    Pair(
        "poll every 60 seconds, not more often",
        "Polling happens once a minute and never more often.",
        "kept",
    ),
    Pair("page size 1000 rows max", "A page must have at most 1,000 rows.", "kept"),
    Pair("sessions live 12h", "A session lives 12 hours; this is fixed.", "kept"),
)
OTHER_NUMBER = (
    Pair("at most 3 retries", "There are at most 5 retries.", "changed"),
    Pair("port is 8443", "The service listens on port 8080.", "changed"),
    Pair("python 3.11 only", "Python 3.9 is the only version that is used.", "changed"),
    Pair("workers: 4, never more", "There are 16 workers and never more.", "changed"),
    Pair("release on 14 may", "The release is on 4 May.", "changed"),
    Pair("line length 100", "Lines have at most 120 characters.", "changed"),
    Pair("error budget 0.1 %", "The error budget is 1 %.", "changed"),
)
OTHER_NAME = (
    Pair("use pnpm for everything", "Packages are installed with yarn, as agreed.", "changed"),
    Pair("config in TOML", "Configuration is written in YAML.", "changed"),
    Pair("bucket is media-eu-2", "The bucket is `media-eu-3`.", "changed"),
    Pair("store timestamps in UTC", "Timestamps are stored in local time.", "changed"),
    Pair("write to orders_v2", "Writes go to `orders_v1`.", "changed"),
    Pair(
        "staging deploys only, not prod", "Deploys go to production only, not staging.", "changed"
    ),
    Pair("database is postgres", "The database is MySQL, as the user chose.", "changed"),
)
TURNED = (
    Pair("never log the request body", "The request body is always logged.", "changed"),
    Pair("do not cache search results", "Search results are cached for an hour.", "changed"),
    Pair(
        "no telemetry of any kind", "Telemetry is sent once a day, as the user wished.", "changed"
    ),
    Pair("dont rename the public api", "The public API gets renamed in this release.", "changed"),
    Pair("guests can not comment", "Guests can comment.", "changed"),
    Pair("drafts stay private", "Drafts are public.", "changed"),
)
REVERSED = (
    Pair("use sqlite, not postgres", "Use Postgres, not SQLite.", "changed"),
    Pair(
        "prefer composition over inheritance, no inheritance",
        "Inheritance is used, composition is out.",
        "changed",
    ),
    Pair("validate before saving", "Records are saved before they are validated.", "changed"),
    Pair("newest entries first", "The oldest entries come first.", "changed"),
    Pair(
        "server decides, client only displays",
        "The client decides, the server only displays.",
        "changed",
    ),
    Pair(
        "no jenkins, we go with github actions",
        "GitHub Actions was dropped, Jenkins is used.",
        "changed",
    ),
)
SOFTER = (
    Pair(
        "all endpoints must be authenticated",
        "Endpoints should preferably be authenticated where possible.",
        "weakened",
    ),
    Pair(
        "never push to main without review",
        "It would be nice to have a review before a push to main.",
        "weakened",
    ),
    Pair("every query needs an index", "Ideally every query has an index.", "weakened"),
    Pair("no new dependencies", "It came up whether new dependencies are wanted.", "weakened"),
    Pair(
        "response time must stay under 200 ms",
        "Response times were discussed; the aim is around 200 ms where feasible.",
        "weakened",
    ),
    Pair(
        "tests must not touch the network",
        "Tests should perhaps avoid the network if convenient.",
        "weakened",
    ),
)
NARROWED = (
    Pair(
        "no firewall changes unless the owner approves in writing",
        "Firewall changes are fine.",
        "changed",
    ),
    Pair(
        "cache for 60 s for guests, no caching for members",
        "Responses are cached for 60 s.",
        "weakened",
    ),
)
ONCE = (
    Pair(
        "passwords must never appear in logs",
        "Removed a print statement that had shown a password in the logs.",
        "weakened",
    ),
    Pair("always run the linter before a commit", "The linter was run on Tuesday.", "lost"),
    Pair(
        "do not edit the generated client",
        "The generated client was regenerated in this session.",
        "lost",
    ),
    Pair("never force push", "A push to the branch was done at noon.", "lost"),
)
CUT = (
    Pair(
        "one rule: no raw sql outside of the repository layer",
        '"one rule: …" (message cut)',
        "lost",
    ),
    Pair("and please never use the blue logo on print", '"and please never…" [truncated]', "lost"),
)
TOPIC = (
    Pair(
        "no more than 40 widgets on a dashboard",
        "`src/dashboard/widgets.ts` renders the widgets.",
        "lost",
    ),
    Pair("the export must not contain salaries", "The export is written by `export.py`.", "lost"),
    Pair("leave the parser alone", "The parser has 1,200 lines.", "lost"),
    Pair("cold start below 2 s", "Cold start loads the settings and opens the window.", "lost"),
)
ABSENT = (
    Pair("no emojis in commit messages", "The build takes four minutes on the runner.", "lost"),
    Pair("we support windows 10 and up", "Two tables were joined by customer.", "lost"),
)
KEPT = (
    Pair("never log the request body", "Request bodies must never be logged.", "kept"),
    Pair(
        "no new dependencies without asking me",
        "Ask the user before adding any dependency.",
        "kept",
    ),
    Pair("use sqlite, not postgres", "SQLite is used; Postgres is ruled out.", "kept"),
    Pair("db is postgres", "Postgres is the database, that is settled.", "kept"),
    Pair(
        "dont touch the legacy importer",
        "The legacy importer is off limits and stays as it is.",
        "kept",
    ),
    Pair(
        "all money in integer cents", "Amounts are integer cents everywhere, never floats.", "kept"
    ),
    Pair("must work offline", "It has to work without network.", "kept"),
    Pair("max 3 retries then give up", "After at most three retries it gives up.", "kept"),
    Pair("custommer names never in logs", "Customer names must never get into logs.", "kept"),
    Pair("only admins may delete", "Deleting is reserved for admins, nobody else may.", "kept"),
    Pair("validate before saving", "Records must be validated before they are saved.", "kept"),
    Pair("kein neues framework", "No new framework may be added.", "kept"),
    Pair(
        "jamais de données patient dans les logs",
        "Patient data must never appear in the logs.",
        "kept",
    ),
)

FILLER = """This session is being continued from a previous conversation.

1. Primary Request and Intent:
   Build an inventory tool for a small museum. The catalogue is imported and can be browsed.

2. Key Technical Concepts:
   - {passage}
   - Exhibits are numbered by room, and a number is used once

3. Files and Code Sections:
   - `app/catalogue.py` reads the old card index

4. Errors and fixes:
   - A missing comma in the card index broke the import of room seven

5. Pending Tasks:
   - Labels for the second floor
"""


def summary(pair: Pair) -> str:
    """Return a summary in which the passage stands among other things."""
    return FILLER.format(passage=pair.passage)
