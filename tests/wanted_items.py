"""Exchanges that settle something, and what a careful reader would keep of each.

Every exchange was made up for this purpose. `Wanted.says` are words that the item's line must hold;
the other fields are told only where there is one right value.
"""

from typing import NamedTuple

from ctxd.extract.exchange import Spoken
from talks import command, edit, exchange, picked, plan, refused


class Wanted(NamedTuple):
    """One item, as far as its values are beyond doubt."""

    says: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    """Words of the options turned down, one each, in their order."""
    reason: str | None = None
    scope: tuple[str, ...] = ()
    authority: str | None = None
    filled: tuple[str, ...] = ()


class Case(NamedTuple):
    """An exchange and the items wanted of it."""

    name: str
    spoken: Spoken
    wanted: tuple[Wanted, ...]


RULE = ("constraint", "rejection", "scope", "correction")
LEFT_OUT = ("scope", "constraint", "rejection")

STORES = """Two ways to keep the drafts:

A) IndexedDB - survives a reload, but every browser limits it differently.
B) The server - one more table, works on all devices.

Which one?"""
QUEUES = """I looked at three queues:

1. Redis streams: fast, but we would have to run Redis in production.
2. A table in Postgres: slower, nothing new to run.
3. RabbitMQ: does all of it, much more to operate.

I recommend 2. Which do you want?"""
RETRIES = """The client can retry in two places.

**Option 1: in the transport.** Simple, but uploads would be sent twice.
**Option 2: in the caller.** More code, each caller decides.

Which option do you prefer?"""
NUMBERED = """A few questions before I start:

1. Where should the token live: the system keychain or a file in the home folder?
2. Should the sync run on start as well?
3. Rename `fetch_all` to `fetch_pages`, since that is what it does?"""
LETTERED = """Open points for the importer:

a) Should duplicate rows be merged or rejected?
b) Do we keep the original file after the import?
c) Should the importer create missing customers?"""
CACHES = {
    "In memory (Recommended)": "Fast and simple. Each worker has its own copy.",
    "Redis": "Shared by all workers, but needs another service.",
    "Files": "Survives a restart. Slower than memory.",
}

DIALOGS = (
    Case(
        "a pick, with what was not picked and why",
        picked("Where should the rate limiter keep its counters?", CACHES, "Redis"),
        (
            Wanted(
                ("rate limiter", "Redis"),
                ("decision",),
                rejected=("In memory", "Files (Slower"),
                authority="confirmed",
            ),
        ),
    ),
    Case(
        "the recommended option without its mark",
        picked("Where should the cache live?", CACHES, "In memory (Recommended)"),
        (
            Wanted(
                ("cache", "In memory"),
                ("decision",),
                rejected=("Redis (", "Files"),
                authority="confirmed",
            ),
        ),
    ),
    Case(
        "several picks",
        picked(
            "Which export formats should the first release have?",
            {"CSV": "", "Parquet": "", "XLSX": "Needs a heavy dependency."},
            "CSV",
            "Parquet",
        ),
        (Wanted(("CSV", "Parquet"), rejected=("XLSX (Needs a heavy dependency)",)),),
    ),
    Case(
        "words typed instead of a pick",
        picked(
            "How should deleted invoices be shown?",
            {"Hidden": "", "Greyed out": ""},
            text="greyed out, but only for bookkeepers, because auditors want to see the gaps",
        ),
        (Wanted(("only for bookkeepers",), reason="auditors", authority="user"),),
    ),
    Case(
        "a dialog of two questions",
        picked(
            "Which database should the tests use?",
            {"SQLite": "Fast, but other types.", "Postgres in a container": "Like production."},
            "Postgres in a container",
            also=picked(
                "Should the seed data be part of the repository?",
                {"Yes": "", "No": "Developers make their own."},
                "Yes",
            ).answer,
        ),
        (Wanted(("Postgres in a container",), rejected=("SQLite (",)), Wanted(("seed data",))),
    ),
)
"""Answers to question dialogs."""

PICKS = (
    Case(
        "a letter",
        exchange("B", STORES),
        (Wanted(("The server",), rejected=("IndexedDB",), authority="confirmed"),),
    ),
    Case(
        "a letter with a word of assent",
        exchange("yup, A", STORES),
        (Wanted(("IndexedDB",), rejected=("The server",), authority="confirmed"),),
    ),
    Case(
        "a letter with an order behind it",
        exchange("yup, A and update both docs", STORES),
        (Wanted(("IndexedDB", "update both docs"), rejected=("The server",)),),
    ),
    Case(
        "a number and a reason",
        exchange("2, because we already run Postgres", QUEUES),
        (Wanted(("table in Postgres",), rejected=("Redis", "RabbitMQ"), reason="already run"),),
    ),
    Case(
        "an ordinal",
        exchange("the second one please", QUEUES),
        (Wanted(("table in Postgres",), rejected=("Redis", "RabbitMQ")),),
    ),
    Case(
        "the number of a bold option",
        exchange("option 2", RETRIES),
        (Wanted(("in the caller",), rejected=("in the transport",)),),
    ),
    Case(
        "a number that answers a question of two turns ago",
        exchange(
            "ok, 3 then",
            "The tests of the mailer are green now.",
            earlier=(QUEUES,),
        ),
        (Wanted(("RabbitMQ",), rejected=("Redis", "Postgres")),),
    ),
    Case(
        "options in one line",
        exchange("2", "Two ways: 1. Keep the flag for a release. 2. Remove it now. Which?"),
        (Wanted(("Remove it now",), rejected=("Keep the flag",)),),
    ),
    Case(
        "one of several that is turned down",
        exchange("1 and 3, not 2", QUEUES),
        (Wanted(("Redis streams",)), Wanted(("RabbitMQ",))),
    ),
    Case(
        "the recommended one",
        exchange("go with your recommendation", QUEUES),
        (Wanted(("table in Postgres",), rejected=("Redis", "RabbitMQ"), authority="confirmed"),),
    ),
    Case(
        "a letter in German",
        exchange("nimm B", STORES),
        (Wanted(("The server",), rejected=("IndexedDB",)),),
    ),
    Case(
        "a number in Chinese",
        exchange("选2", QUEUES),
        (Wanted(("table in Postgres",), rejected=("Redis", "RabbitMQ")),),
    ),
)
"""Short answers to enumerated options."""

APPROVALS = (
    Case(
        "yes to a question of design",
        exchange(
            "yes",
            "The exporter stops at the first row without a date. "
            "Should the exporter skip rows without a date and report them at the end?",
        ),
        (Wanted(("exporter", "skip rows without a date"), authority="confirmed"),),
    ),
    Case(
        "yes to an offer",
        exchange(
            "yes please",
            "All tenants share one cache. Do you want me to give each tenant its own cache?",
        ),
        (Wanted(("give each tenant its own cache",), ("decision",), authority="confirmed"),),
    ),
    Case(
        "yes with a reason",
        exchange(
            "yes, nobody uses it any more",
            "The build still covers Python 3.9. Shall we drop support for Python 3.9?",
        ),
        (Wanted(("drop support for Python 3.9",), authority="confirmed"),),
    ),
    Case(
        "yes with a limit",
        exchange(
            "yes, but without the retry",
            "Should I move the upload to a background job with a retry?",
        ),
        (Wanted(("without the retry",)),),
    ),
    Case(
        "no to a question of design",
        exchange(
            "no, the ids must stay stable",
            "Should I renumber the rows after a deletion?",
        ),
        (Wanted(("ids must stay stable",), RULE),),
    ),
    Case(
        "a bare no",
        exchange("no", "Should the importer create customers that do not exist yet?"),
        (Wanted(("importer create customers",), ("rejection", "decision")),),
    ),
    Case(
        "a plan with words",
        plan(
            "1. Add a `tenant` column. 2. Backfill it. 3. Drop the old table.",
            words="good, but never drop the old table before the backfill was checked by hand",
        ),
        (Wanted(("never drop the old table",), ("constraint",), authority="user"),),
    ),
)
"""Yes and no."""

NUMBERS = (
    Case(
        "a numbered reply on lines",
        exchange("1. keychain\n2. no\n3. yes", NUMBERED),
        (
            Wanted(("token", "keychain")),
            Wanted(("sync run on start", "no")),
            Wanted(("fetch_pages",)),
        ),
    ),
    Case(
        "a numbered reply in one line",
        exchange("1: the keychain, 2: not now, 3: no, the name is in the docs", NUMBERED),
        (
            Wanted(("token", "keychain")),
            Wanted(("sync run on start", "not now")),
            Wanted(("name is in the docs",)),
        ),
    ),
    Case(
        "a lettered reply",
        exchange("a) reject them b) yes c) no, never", LETTERED),
        (
            Wanted(("duplicate rows", "reject them")),
            Wanted(("keep the original file",)),
            Wanted(("create missing customers", "never")),
        ),
    ),
    Case(
        "a numbered reply that skips a point and explains",
        exchange(
            "1 - a file, the keychain does not work in containers\n"
            "3 - no, keep fetch_all, plugins call it",
            NUMBERED,
        ),
        (
            Wanted(("a file, the keychain does not work in containers",)),
            Wanted(("keep fetch_all",), scope=("fetch_all",)),
        ),
    ),
    Case(
        "rulings of the user's own, one a line",
        exchange(
            "three things:\n"
            "- amounts are always integers in cents\n"
            "- never round before the invoice total\n"
            "- the currency is part of the key",
            "I added the invoice model.",
        ),
        (
            Wanted(("amounts are always integers in cents",), ("constraint",)),
            Wanted(("never round before the invoice total",), ("constraint",)),
            Wanted(("currency is part of the key",)),
        ),
    ),
)
"""Replies to several points: an item a point."""

REFUSALS = (
    Case(
        "a file that must not be touched",
        refused(
            "no, don't touch this, it is generated",
            "I will fix the type by hand.",
            edit("src/api/schema.gen.ts"),
        ),
        (
            Wanted(
                ("don't touch this", "schema.gen.ts"),
                RULE,
                scope=("src/api/schema.gen.ts",),
                filled=("src/api/schema.gen.ts",),
                authority="user",
            ),
        ),
    ),
    Case(
        "another way than the edit",
        refused(
            "use the helper in lib/dates.ts instead of a new dependency",
            edit("package.json", excerpt='"dayjs": "^1.11.0"'),
        ),
        (Wanted(("lib/dates.ts", "instead of a new dependency"), scope=("lib/dates.ts",)),),
    ),
    Case(
        "a command that must never run",
        refused(
            "never run migrations against the shared database, only against your own copy",
            command("alembic upgrade head"),
        ),
        (Wanted(("never run migrations", "only against your own copy"), ("constraint",)),),
    ),
    Case(
        "what is to hold instead",
        refused(
            "no, the order number has to come from the server, otherwise two tills collide",
            edit("src/till/order.py"),
        ),
        (
            Wanted(
                ("order number has to come from the server",),
                reason="otherwise two tills collide",
                scope=("src/till/order.py",),
            ),
        ),
    ),
)
"""Words given when a tool call was turned down."""

RULES = (
    Case(
        "a prohibition",
        exchange("Never log request bodies, not even at debug level.", "I added logging."),
        (Wanted(("Never log request bodies",), ("constraint",), authority="user"),),
    ),
    Case(
        "a prohibition without an apostrophe",
        exchange("dont put secrets in the yaml files, they end up in the image", "Configured."),
        (Wanted(("dont put secrets in the yaml files",), ("constraint",)),),
    ),
    Case(
        "an obligation",
        exchange(
            "every public endpoint must check the tenant id before it reads anything",
            "The endpoints are in place.",
        ),
        (Wanted(("must check the tenant id",), ("constraint",)),),
    ),
    Case(
        "a bound with a number",
        exchange("keep the bundle under 180 kB, always", "The bundle has 210 kB now."),
        (Wanted(("under 180 kB",), ("constraint",)),),
    ),
    Case(
        "an exception",
        exchange("no `as` casts in the client, except `as const`", "I cast the response."),
        (Wanted(("no `as` casts", "except `as const`"), RULE),),
    ),
    Case(
        "a permanent way of working",
        exchange(
            "from now on write the changelog entry in the same commit as the change",
            "Committed. I will add the changelog entry at the end.",
        ),
        (Wanted(("write the changelog entry in the same commit",), ("constraint", "correction")),),
    ),
    Case(
        "what the tests run against",
        exchange(
            "we always test locally against the docker database, never against staging",
            "I can run the tests against staging.",
        ),
        (Wanted(("docker database", "never against staging"), ("constraint", "correction")),),
    ),
)
"""What must hold."""

SCOPES = (
    Case(
        "out of scope",
        exchange(
            "multi-currency is out of scope for this release",
            "The model has one currency. Should I plan for several?",
        ),
        (Wanted(("multi-currency is out of scope",), LEFT_OUT),),
    ),
    Case(
        "not now",
        exchange(
            "no mobile layout yet, desktop only for the pilot",
            "The page works on wide screens.",
        ),
        (Wanted(("no mobile layout yet", "desktop only"), LEFT_OUT),),
    ),
    Case(
        "an edge case that is ignored",
        exchange(
            "we can ignore leap seconds here, nobody schedules that finely",
            "Leap seconds would shift the reminder by one second.",
        ),
        (Wanted(("ignore leap seconds",), LEFT_OUT, reason="nobody schedules"),),
    ),
    Case(
        "only one part",
        exchange(
            "only change the reader, leave the writer alone",
            "Both the reader and the writer parse the header.",
        ),
        (Wanted(("only change the reader", "leave the writer alone"), RULE),),
    ),
)
"""What is left out."""

CORRECTIONS = (
    Case(
        "how the agent worked",
        exchange(
            "stop guessing, read the log before you change anything",
            "Maybe it is the cache. I cleared it.",
        ),
        (Wanted(("read the log before you change anything",), ("correction", "constraint")),),
    ),
    Case(
        "what the agent believed",
        exchange(
            "that's wrong, the webhook is signed with the account secret, not with the api key",
            "The webhook is signed with the API key, so I verify it with that.",
        ),
        (Wanted(("signed with the account secret", "not with the api key")),),
    ),
    Case(
        "what the agent did unasked",
        exchange(
            "why did you bump the version? never bump versions yourself, the release job does it",
            "I bumped the version to 2.4.0 and committed.",
        ),
        (Wanted(("never bump versions yourself",), RULE, reason=None),),
    ),
)
"""What the user put right."""

OTHERS = (
    Case(
        "a question left open",
        exchange(
            "we still have to decide how long to keep the audit rows, leave that open for now",
            "The audit table grows by 2 GB a month.",
        ),
        (Wanted(("how long to keep the audit rows",)),),
    ),
    Case(
        "a reversal that says what is to be instead",
        exchange(
            "actually no, go back to polling, websockets break behind their proxy",
            "Websockets are in place.",
        ),
        (Wanted(("go back to polling", "websockets break")),),
    ),
    Case(
        "a choice with what it is instead of",
        exchange(
            "let's use plain SQL files instead of an ORM so that the DBAs can review them",
            "How should I write the queries?",
        ),
        (Wanted(("plain SQL files instead of an ORM",), reason="so that the DBAs"),),
    ),
    Case(
        "a wish put as a question",
        exchange(
            "could we store the amounts as cents instead? floats bit us before",
            "The amounts are floats.",
        ),
        (Wanted(("store the amounts as cents",)),),
    ),
    Case(
        "a name",
        exchange(
            "call the package ledgerline, not ledger-line",
            "What should the package be called?",
        ),
        (Wanted(("ledgerline, not ledger-line",)),),
    ),
    Case(
        "it, with one file it can mean",
        exchange(
            "never edit it by hand again",
            "I corrected a wrong line.",
            edit("db/structure.sql"),
        ),
        (Wanted(("never edit it", "db/structure.sql"), filled=("db/structure.sql",)),),
    ),
)
"""Questions, reversals, choices, names."""

LANGUAGES = (
    Case(
        "a prohibition in German",
        exchange(
            "Bitte niemals Kundendaten ins Log schreiben, auch nicht im Debug-Modus.",
            "Die Anfragen werden jetzt protokolliert.",
        ),
        (Wanted(("niemals Kundendaten ins Log schreiben",), RULE),),
    ),
    Case(
        "a refusal in German",
        exchange(
            "nein, keine neue Abhängigkeit, nimm die Standardbibliothek",
            "Ich würde dafür ein Paket hinzufügen. Einverstanden?",
        ),
        (Wanted(("keine neue Abhängigkeit",)),),
    ),
    Case(
        "an approval in German",
        exchange("ja, genau so", "Soll ich die Beträge als ganze Cent speichern?"),
        (Wanted(("Beträge als ganze Cent speichern",), authority="confirmed"),),
    ),
    Case(
        "a prohibition in Spanish",
        exchange(
            "nunca guardes contraseñas en el repositorio, ni siquiera en las pruebas",
            "He añadido la configuración.",
        ),
        (Wanted(("nunca guardes contraseñas",), RULE),),
    ),
    Case(
        "an approval in Spanish",
        exchange("sí, hazlo así", "¿Quieres que los importes se guarden en céntimos?"),
        (Wanted(("importes se guarden en céntimos",), authority="confirmed"),),
    ),
    Case(
        "a prohibition in French",
        exchange(
            "ne modifie jamais les fichiers générés, ils sont écrasés à chaque build",
            "J'ai corrigé le fichier généré.",
        ),
        (Wanted(("ne modifie jamais les fichiers générés",), RULE),),
    ),
    Case(
        "an approval in French",
        exchange("oui, fais comme ça", "Veux-tu que je garde l'ancien format pendant un an ?"),
        (Wanted(("garde l'ancien format pendant un an",), authority="confirmed"),),
    ),
    Case(
        "a prohibition in Portuguese",
        exchange(
            "nunca altere a tabela de pagamentos diretamente, use sempre o serviço",
            "Corrigi o valor na tabela.",
        ),
        (Wanted(("nunca altere a tabela de pagamentos",), RULE),),
    ),
    Case(
        "a prohibition in Russian",
        exchange(
            "никогда не меняй миграции, которые уже применены на сервере",
            "Я исправил старую миграцию.",
        ),
        (Wanted(("никогда не меняй миграции",), RULE),),
    ),
    Case(
        "an approval in Russian",
        exchange("да, давай так", "Хранить суммы в копейках целыми числами?"),
        (Wanted(("суммы в копейках",), authority="confirmed"),),
    ),
    Case(
        "a prohibition in Chinese",
        exchange("不要修改已经发布的迁移文件，永远新建一个。", "我修改了旧的迁移文件。"),  # noqa: RUF001
        (Wanted(("不要修改已经发布的迁移文件",), RULE),),
    ),
    Case(
        "an approval in Chinese",
        exchange("好的，就这样", "要不要把金额存成整数分？"),  # noqa: RUF001
        (Wanted(("金额存成整数分",), authority="confirmed"),),
    ),
    Case(
        "a prohibition in Japanese",
        exchange(
            "本番データベースには絶対に直接接続しないでください。",
            "本番のデータベースで確認しました。",
        ),
        (Wanted(("絶対に直接接続しない",), RULE),),
    ),
    Case(
        "an approval in Japanese",
        exchange("はい、それでお願いします", "金額は整数のセントで保存しますか？"),  # noqa: RUF001
        (Wanted(("整数のセントで保存",), authority="confirmed"),),
    ),
)
"""The same in other languages."""

GROUPS = {
    "dialogs": DIALOGS,
    "picks": PICKS,
    "approvals": APPROVALS,
    "numbers": NUMBERS,
    "refusals": REFUSALS,
    "rules": RULES,
    "scopes": SCOPES,
    "corrections": CORRECTIONS,
    "others": OTHERS,
    "languages": LANGUAGES,
}


def misses(wanted, item):
    """What of a wanted item another one does not have, in words; empty when it is that one."""
    if not all(words.casefold() in item.text.casefold() for words in wanted.says):
        return ["text"]
    found = []
    if len(item.rejected) < len(wanted.rejected) or not all(
        any(words in option for option in item.rejected) for words in wanted.rejected
    ):
        found.append("rejected")
    if wanted.reason is not None and wanted.reason not in item.reason:
        found.append("reason")
    found += ["scope"] if not set(wanted.scope) <= set(item.scope) else []
    found += ["authority"] if wanted.authority not in (None, item.authority) else []
    found += ["filled"] if wanted.filled and item.filled != wanted.filled else []
    return found
