"""A statement in the words of its quote may still alter them: then the words themselves stand."""

import pytest

from ctxd.reader.altering import alters


@pytest.mark.parametrize(
    ("said", "altered"),
    [
        ("the cache expires after 60 seconds", "The cache expires after 60 minutes."),
        ("keep backups for 14 days", "Keep backups for 14 weeks."),
        ("margins are 12 px", "Margins are 12 rem."),
        (
            "use 2 workers for imports and 8 for exports",
            "Use 8 workers for imports and 2 for exports.",
        ),
        ("the worker calls the api", "The API calls the worker."),
        ("admins can delete users, editors can not", "Editors can delete users, admins can not."),
        ("rename fetchUser to loadUser", "Rename loadUser to fetchUser."),
        ("stop using moment.js in the frontend", "Keep using moment.js in the frontend."),
        ("increase the pool size when load grows", "Decrease the pool size when load grows."),
        ("all endpoints need auth except health", "All endpoints need auth including health."),
        ("all endpoints need auth except health", "All endpoints need auth."),
        ("do not force push unless I say so", "Do not force push."),
        ("retry requests unless they are POST", "Retry requests when they are POST."),
        ("deploy only on tuesdays", "Deploy on Tuesdays too."),
        ("run migrations after the backup", "Run migrations before the backup."),
        ("passwords have at least 12 characters", "Passwords have at most 12 characters."),
        ("no more than 5 open connections", "No less than 5 open connections."),
        ("coverage must be above 80 percent", "Coverage must be below 80 percent."),
        ("use snake case in the importer", "Use snake case everywhere."),
        ("add rate limits later", "Add rate limits now."),
        ("the parser may skip blank lines", "The parser must skip blank lines."),
        ("we could maybe use redis for sessions", "Redis must be used for sessions."),
    ],
)
def test_what_is_altered_is_seen(said, altered):
    assert alters(altered, said, said)


@pytest.mark.parametrize(
    ("said", "fair"),
    [
        ("the cache expires after 60 seconds", "Cache entries expire after 60s."),
        ("at most 3 retries per request", "No more than 3 retries per request."),
        (
            "all endpoints need auth except health",
            "Every endpoint needs auth, but health does not.",
        ),
        ("do not force push unless I say so", "Force push only if the user says so."),
        ("deploy only on tuesdays", "Deploys happen on Tuesdays only."),
        ("run migrations after the backup", "Run the backup first, then the migrations."),
        ("add rate limits later", "Rate limits are deferred."),
        ("the parser may skip blank lines", "The parser can skip blank lines."),
        ("please use snake case in the importer", "The importer uses snake case."),
    ],
)
def test_a_fair_rewording_is_none(said, fair):
    assert not alters(fair, said, said)
