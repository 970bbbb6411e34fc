"""Tables of words: what says nothing, what is one thing by two names, what excludes each other."""

from __future__ import annotations

from ctxd.extract.stems import stem


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


FOREIGN_DENIALS = _words("""
nicht nie niemals kein keine keinen keinem keiner ohne nunca jamás ningún ninguna sin jamais pas ne
aucun aucune sans não nem nenhum sem не никогда нельзя без ни
""")
"""Negations of other languages, so that a "nie" or "nunca" is never read as nothing."""

GLYPH_DENIALS = ("不", "别", "勿", "禁", "未", "ない", "ません", "なし", "아니", "않", "금지", "말")

STOP = _words("""
a an the live lives between through back enough place under longer anymore this that these those it
its he she they them we us our ours you your i me my mine im ive ill were youre theyre well lets
let of in on at by for to as with and or if is are was be been being am do did done will would
there here so such than too very really just please pls plz kindly still again now ok okay yes yeah
yep hey hi actually basically simply honestly maybe perhaps like kind sort thing things stuff way
ways etc eg ie vs via per which who whom whose what when where how why up out off down about into
onto upon over some one ones else same own even anyway however though both either more most much
many lot lots want wants wanted wish think know see say said tell sure going gonna go come got
whatever s t re ll ve d m directly straight right everything anything something someone anyone
everyone everybody somebody anybody und oder der die das den dem ein eine einen ist sind wir ich es
zu für mit auf von bitte el la los las un una y o de en por para con que le les des du et ou à au
aux dans pour est nous os um uma e da em no na и в на с по для это мы
""")
"""Words that say nothing of what a statement is about."""

_SYNONYMS = """
database: db dbs databases datastore
config: configuration configurations configs conf cfg settings
repository: repo repos repositories
dependency: deps dep dependencies library libraries lib libs gem gems crate crates
folder: dir dirs directory directories folders
document: docs doc documentation
argument: arg args arguments param params parameter parameters
function: func funcs fn fns functions
pr: prs pullrequest
auth: authentication authn login
message: msg msgs messages
error: err errs errors exception exceptions
environment: env envs environments
production: prod
staging: stage stg
development: dev
kubernetes: k8s
postgres: postgresql pg psql postgre
javascript: js
typescript: ts
python: py python3
email: mail mails emails
max: maximum maximal
min: minimum minimal
whole: full entire complete fully entirely completely
small: tiny little
large: big huge
fast: quick quickly
begin: start starts started starting
end: finish finished finishes finishing ends ended ending
fetch: retrieve retrieves fetched
check: verify verifies checked verifying checking verified
implementation: impl
variable: var vars variables
string: str strings
integer: int ints integers
timestamp: timestamps datetime datetimes
request: req reqs requests
response: resp responses reply
test: tests testing spec specs tested
suite: suites
commit: commits committing committed checkin
deploy: deployment deployments deploys deployed deploying rollout
person: people ppl persons folks
frontend: ui
annotation: annotations hint hints
endpoint: endpoints route routes
screen: screens
schedule: cron
ask: asking asked consult consulting
approve: approval approved permission consent sign-off
utc: zulu
release: releases released releasing
generate: genrate generated generates generating generation
pipeline: pipelines
cli: commandline
write: written wrote
run: ran
send: sent
build: built
choose: chosen chose
break: broken broke
hold: held
find: found
throw: thrown threw
read: reads reading
grow: grown grew
upgrade: bump bumps bumping bumped upgrades upgrading
deduplicate: dedupe dedup deduplication
account: acct accts accounts
log: logs logging logged
minify: minified
identical: same
owner: owners
format: formatting formatted formats
formatter: formatters prettifier
lint: linter linting linters linted
password: passwd passwords pwd
secret: secrets credential credentials creds
picture: image images pictures img
mobile: phone phones handset handsets
encrypt: encryption encrypted encrypts
compress: compression compressed
translate: localize localise localization localisation i18n translation translations
require: requirement requirements
replace: replacement replaces
manage: management
readonly: ro
"""

SYNONYMS = {
    word: stem(name)
    for name, _, words in (line.partition(":") for line in _SYNONYMS.strip().splitlines())
    for word in (name, *words.split())
}
"""Word -> the term it stands for."""


def term_of(word: str) -> str:
    """Return the term that a lower-case word stands for."""
    return SYNONYMS.get(word) or stem(word)


def _terms(table: str) -> frozenset[str]:
    return frozenset(map(term_of, table.split()))


SOFT = _terms("""
new extra additional existing current direct straight whole full entire complete project codebase
code repo repository here branch file automatic manual explicit single simple plain proper real
actual normal default certain specific particular other app application system work handle
currently ever yet cap capped limit limited max min interval hand
""")
"""Words that narrow a statement little: alone they do not make it another one."""

PLACES = _terms("""
dev development staging prod production sandbox qa preview ci locally local remote linux macos
windows android ios web mobile desktop frontend backend server client browser master main trunk
develop
""")
"""Terms that say where a statement holds: of two places, each may have its own rule."""

PREPOSITIONS = _words(
    "for in on at as when if because by with from within while during where to into"
)

AUXILIARIES = _words(
    "is are was were be been must should do does did can could will would may might has have had "
    "shall need we i you they it"
)
"""Words before a "not" that denies the whole clause; behind others it turns down an alternative."""

ANSWERED = _words(
    "lets i we you it its thats this that dont never not do just please actually keep leave "
    "make put the those these they my your id ill im were why what if then"
)
"""Words behind a "no" that only answers ("no keep it")."""

BE = _words("be is are was were been being get gets got")

CONDITIONS = _words("if when whenever where wherever")
"""Words behind which a "not" says when, not what."""

DETERMINERS = _words("the a an one we it they this that")
"""Words with which something else begins behind "of the rows"."""

EXAMPLES = _words("such like eg including especially particularly even")
"""Words behind a comma that only go into what stands before it."""

DWELLING = _words("live lives stored kept stay stays saved belong belongs go goes store save put")
"""Verbs behind which an "in" names what is chosen."""

SETTING = _words("set sets default defaults upgrade pin downgrade")
"""Verbs behind which a "to" names what is chosen."""

NAMING = frozenset({term_of("name")})
"""Verbs whose object is what is chosen."""

JOINING = _terms("""
run call test check validate support log mention cover mirror push publish deploy read write send
notify ask tell monitor restart import invoke lint scan track handle accept parse
export report update review build offer document generate ship translate cache clear
block need render implement add lock wrap mock seed stub expose archive compress watch inspect
""")
"""Verbs of which many objects may be true side by side: to run one thing forbids no other."""

SIEVING = _terms("handle block close open ignore catch accept reject")
"""Verbs behind which a number names one among many ("block port 22")."""

POINTING = _words("it that this these those them they one ones here there its same above below")
"""Words for something that was said elsewhere."""

LABELLED = _words(
    "level phase step stage part chapter section slide page task issue option round milestone "
    "sprint ticket figure table tier act wave lesson iteration story epic row column line pr mr "
    "layer variant point item question story rule case scenario track lane"
)
"""Words behind which a number is a name."""

TOPIC_BEFORE = _words("for of when if between during about")
"""Words before what a statement is about, never before what it chooses."""

_RIVALS = """
toml yaml json ini xml json5 hcl protobuf msgpack csv parquet avro
sqlite postgres mysql mariadb mongodb mongo dynamodb duckdb cassandra mssql clickhouse
redis memcached valkey
utc localtime gmt cet est pst
npm pnpm yarn bun
pip poetry uv pipenv conda pdm
pytest unittest nose2
jest vitest mocha ava jasmine
react vue svelte angular solid preact
rest graphql grpc soap trpc
tabs spaces
rebase squash
snakecase camelcase kebabcase pascalcase
uppercase lowercase
python rust golang java kotlin swift ruby php bash typescript javascript perl scala elixir
black ruff yapf autopep8
eslint biome tslint oxlint
webpack vite rollup esbuild parcel turbopack
docker podman
aws gcp azure hetzner heroku
github gitlab bitbucket gitea
kafka rabbitmq nats sqs
celery apscheduler dramatiq rq
requests httpx aiohttp
flask django fastapi starlette
english german french spanish japanese chinese
sync async
synchronous asynchronous
mit apache gpl bsd mpl
dark light
first last
oldest newest
earliest latest
ascending descending
optimistic pessimistic
monorepo polyrepo
exponential linear constant
metric imperial
trace debug info warn
terraform pulumi cloudformation
helm kustomize
merge rebase
sass less tailwind
cookie cookies jwt
uuid ulid cuid
int64 int32 integer float decimal
leftside rightside
public private internal
allowlist denylist
push pull
strict lenient
sha256 md5 sha1 sha512 blake2
bcrypt argon2 scrypt
"""


def _families(table: str) -> dict[str, frozenset[int]]:
    families: dict[str, frozenset[int]] = {}
    for number, line in enumerate(table.strip().splitlines()):
        for word in map(term_of, line.split()):
            families[word] = families.get(word, frozenset()) | {number}
    return families


RIVALS = _families(_RIVALS)
"""Term -> the families in which one member stands in for another."""
