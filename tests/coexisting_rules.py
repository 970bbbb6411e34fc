"""Rules that hold side by side, and choices of which only one can hold.

Two rules of the same direction about different things both bind: a prohibition, an obligation or a
permission of one thing says nothing of another, however alike their names are.
"""

from __future__ import annotations

_BESIDE = """
Never call payment7993 from a handler | Never call mail34 from a handler
always run `make lint` before committing | always run `make test` before committing
don't log e-mail addresses | don't log IP addresses
no emojis in commits | no emojis in docs
never import `utils.py` in the core | never import `legacy.py` in the core
never edit src/v1/schema.py | never edit src/v2/schema.py
do not touch `table_1` | do not touch `table_2`
don't rename service12 | don't rename service13
never call `fetch_1()` in tests | never call `fetch_2()` in tests
no calls to billing2 from the worker | no calls to billing3 from the worker
never log to app1.log | never log to app2.log
avoid Lodash in the frontend | avoid Moment in the frontend
never use moment | never use lodash
don't use Redis | don't use Postgres
never use YAML for configs | never use JSON for configs
no YAML in the config folder | no TOML in the config folder
don't write docs in German | don't write docs in French
don't use `any` in types | don't use `unknown` in types
don't deploy to eu-west-1 | don't deploy to eu-north-1
never commit `.env.1` | never commit `.env.2`
run `make fmt` after every edit | run `make docs` after every edit
always run `npm run lint` before pushing | always run `npm run build` before pushing
run ruff before committing | run mypy before committing
always run Ruff before committing | always run Mypy before committing
you must run eslint before pushing | you must run jest before pushing
run pytest before pushing | run unittest before pushing
run black before each commit | run ruff before each commit
always run check1 before merging | always run check2 before merging
run `tests/unit1` before committing | run `tests/unit2` before committing
always update CHANGELOG.md after a release | always update README.md after a release
always bump package1.json after a release | always bump package2.json after a release
update `docs/api-v1.md` with each change | update `docs/api-v2.md` with each change
validate `field_1` on input | validate `field_2` on input
add a test for RFC7230 | add a test for RFC7231
add an index on col1 | add an index on col2
you may call payment12 from a handler | you may call mail7 from a handler
you may edit `a1.py` | you may edit `b2.py`
the worker may read from S3 | the worker may read from Kafka
Alice may approve releases | Bob may approve releases
ask Alice before merging | ask Bob before merging
never page Alice at night | never page Bob at night
handlers must not import adapters1 | handlers must not import adapters2
never send mail to alice@example.org | never send mail to bob@example.org
don't ping 10.0.0.1 | don't ping 10.0.0.2
never bind to port 22 | never bind to port 25
never use port 8080 | never use port 9090
don't use Python 3.9 | don't use Python 3.8
never call the Stripe API from tests | never call the Twilio API from tests
never retry POST requests | never retry PUT requests
don't log phone numbers | don't log passport numbers
never touch `infra/prod` | never touch `infra/stage`
never read /etc/app1.conf directly | never read /etc/app2.conf directly
the gateway must call auth1 first | the gateway must call auth2 first
every service must expose /health1 | every service must expose /health2
tests must cover module7 | tests must cover module8
cover `parse_v1` with tests | cover `parse_v2` with tests
keep `service-a1` running | keep `service-b2` running
monitor host01 | monitor host02
restart worker1 nightly | restart worker2 nightly
back up db1 every night | back up db2 every night
encrypt bucket1 with KMS | encrypt bucket2 with KMS
do not use print in handlers | do not use eval in handlers
no tabs in Python | no tabs in Makefiles
never merge PR 12 | never merge PR 13
never use `--force1` with deploy | never use `--force2` with deploy
never run `rm -rf` in scripts | never run `git clean` in scripts
no Docker in CI | no Podman in CI
support Postgres | support MySQL
support YAML configs | support TOML configs
we test on Python and Go | we test on Rust and Go
the docs must mention Docker | the docs must mention Podman
don't compare sha1 hashes | don't compare md5 hashes
never store sha1 hashes | never store md5 hashes
don't block on sync calls | don't block on async calls
don't expose private keys | don't expose internal keys
never show the first name | never show the last name
validate the first page | validate the last page
log info messages | log debug messages
install Docker on the runners | install Podman on the runners
mirror the repo to GitHub | mirror the repo to GitLab
never mirror to GitHub | never mirror to GitLab
never call payment7993 from a handler | call mail34 only from a handler
never call payment7993 from a handler | never call payment7994 from a handler
never call payment7993, because it blocks | never call mail34, because it blocks
always call audit1 on login | always call audit2 on login
the importer must use lock1 | the exporter must use lock2
never use Alice's account | never use Bob's account
never use GPT2 tokens | never use T5 tokens
never delete table orders | never delete table users
do not remove `keep_1` | do not remove `keep_2`
remove `old_1` | remove `old_2`
delete src/a1.py | delete src/a2.py
disable rule E501 | disable rule E203
enable rule E501 | enable rule E203
disable feature1 | disable feature2
enable plugin1 | enable plugin2
ignore W291 in tests | ignore E402 in tests
fail the build on CVE-2024-1 | fail the build on CVE-2024-2
never use Foo in handlers | never use Bar in handlers
never trust X-Forwarded-For | never trust X-Real-IP
always set X-Trace1 | always set X-Trace2
read ADR-12 before changing the ledger | read ADR-14 before changing the ledger
never sleep 5 seconds in tests | never sleep 3 seconds in tests
never return 500 from handlers | never return 404 from handlers
retry on 502 | retry on 503
never expose port 5432 | never expose port 6379
don't call `client.get` in views | don't call `client.post` in views
no `as` casts | no `any` casts
format Go code with gofmt | format Python code with black
always sign Docker images | always sign Helm charts
never depend on Kafka | never depend on RabbitMQ
don't add Flask | don't add Django
never connect to Redis from a handler | never connect to Postgres from a handler
handlers must log to Kafka | handlers must log to Postgres
never use `make deploy` on Fridays | never use `make release` on Fridays
always use `make deploy` on staging | always use `make release` on prod
never import from `pkg.alpha1` | never import from `pkg.beta2`
you may use Redis for locks | you may use Redis for queues
you may use `eval` in scripts | you may use `exec` in scripts
you can use Alice's laptop | you can use Bob's laptop
you may push to feature1 | you may push to feature2
never push to release1 | never push to release2
always run the seed1 script after migrations | always run the seed2 script after migrations
no sleeps in tests | no prints in tests
dont use jQuery in the admin | dont use Bootstrap in the admin
avoid GOTO1 in scripts | avoid GOTO2 in scripts
don't run DB1 in CI | don't run DB2 in CI
always tell ops1 on deploys | always tell ops2 on deploys
never wake Anna for alerts | never wake Tom for alerts
never import queue9 from the api layer | never import store4 from the api layer
the scheduler mustn't call ledger21 | the scheduler mustn't call ledger22
avoid `var1` globals | avoid `var2` globals
don't pass user1 to the template | don't pass user2 to the template
we don't use OAuth1 | we don't use OAuth2
ban `lodash4` | ban `moment2`
`http1` is forbidden in services | `http2` is forbidden in services
`a_1` must not be null | `b_2` must not be null
`a_1` must be unique | `b_2` must be unique
`task1` runs before `task9` | `task2` runs before `task9`
`user_id1` is required | `user_id2` is required
payment7993 is off limits | mail34 is off limits
payment7993 must be idempotent | mail34 must be idempotent
Alice owns the parser | Bob owns the ledger
always call `close1()` in teardown | always call `close2()` in teardown
make sure to run `make lint` before pushing | make sure to run `make test` before pushing
before committing, run `make lint` | before committing, run `make test`
before committing run `make lint` | before committing run `make test`
run `make lint` first | run `make test` first
every commit must pass `make lint` | every commit must pass `make test`
`make lint` must pass before merging | `make test` must pass before merging
`make lint` has to be green | `make test` has to be green
use `make lint` before committing | use `make test` before committing
always use ruff before committing | always use mypy before committing
export metrics to Prometheus | export metrics to Datadog
export metrics as JSON and CSV | export metrics as YAML and CSV
accept JSON bodies | accept XML bodies
parse YAML front matter | parse TOML front matter
generate a Python client | generate a Java client
ship a Python SDK | ship a Kotlin SDK
write a guide for React | write a guide for Vue
document REST endpoints | document GraphQL endpoints
the API must offer REST | the API must offer GraphQL
offer English translations | offer German translations
translate the app into German | translate the app into French
users may log in with GitHub | users may log in with GitLab
clear cookies on logout | clear the jwt on logout
cache the first page | cache the last page
check for md5 collisions | check for sha1 collisions
test private methods through fixtures | test internal methods through fixtures
deprecate v1 | deprecate v2
drop Python 3.8 | drop Python 3.9
drop support for Node 16 | drop support for Node 18
never answer in German | never answer in French
don't use npm | don't use yarn
no npm in this repo | no yarn in this repo
never squash | never rebase
never call payment7993 and mail34 together | never call mail34 and stock5 together
skip test1 on Windows | skip test2 on Windows
leave config1 alone | leave config2 alone
don't touch config1.yaml | don't touch config2.yaml
config1.yaml must stay as it is | config2.yaml must stay as it is
keep `legacy1` until May | keep `legacy2` until May
notify #ops1 on failures | notify #ops2 on failures
lock row1 before writing | lock row2 before writing
rotate key1 weekly | rotate key2 weekly
rotate key1 weekly | rotate key2 daily
service-a1 has to retry 3 times | service-b2 has to retry 5 times
payment7993 times out after 3 s | mail34 times out after 5 s
payment7993 uses Redis | mail34 uses Postgres
handler1 must use UTC | handler2 must use localtime
`parser1` lives in `src/a1` | `parser2` lives in `src/b2`
never put secrets in config1 | never put secrets in config2
put helpers in `lib1` | put tests in `lib2`
never store tokens in cookies | never store tokens in localStorage
never store money as float | never store money as decimal
never sort ascending | never sort descending
no dark theme | no light theme
handle 404 errors | handle 500 errors
return 404 for missing users | return 409 for duplicates
close port 22 | close port 25
block 10.0.0.1 | block 10.0.0.2
allow 10.0.0.1 | allow 10.0.0.2
whitelist api.foo1.com | whitelist api.foo2.com
add label p1 to bugs | add label p2 to bugs
the report must include Q1 | the report must include Q2
create table t1 in the migration | create table t2 in the migration
set `X_1` in the env file | set `X_2` in the env file
set FOO1 before starting | set FOO2 before starting
do not commit to release1 without review | do not commit to release2 without review
only alice1 may deploy | only bob2 may deploy
verify the sha256 of downloads | verify the md5 of downloads
stay away from `core1` | stay away from `core2`
hands off `core1.py` | hands off `core2.py`
never ever deploy svc-1 by hand | never ever deploy svc-2 by hand
please don't log `user_id1` | please don't log `user_id2`
don't import React in workers | don't import Vue in workers
no React in workers | no Vue in workers
under no circumstances call api1 | under no circumstances call api2
refrain from using `goto1` | refrain from using `goto2`
stop calling `foo1()` | stop calling `foo2()`
never store IBANs in logs | never store PINs in logs
never share Q1 numbers | never share Q2 numbers
nobody may edit `gen1.py` | nobody may edit `gen2.py`
`gen1.py` must not be edited | `gen2.py` must not be edited
must not depend on `lib1` | must not depend on `lib2`
the core must not depend on FastAPI | the core must not depend on Flask
tests must not hit Stripe | tests must not hit Twilio
every PR must mention JIRA1 | every PR must mention JIRA2
every PR needs a label size1 | every PR needs a label team2
always start `redis1` before the tests | always start `redis2` before the tests
always close `conn1` after use | always close `conn2` after use
always check `err1` after `read1` | always check `err2` after `read1`
you are free to edit `a1.md` | you are free to edit `b2.md`
feel free to change `ui1` | feel free to change `ui2`
it's fine to delete `tmp1` | it's fine to delete `tmp2`
editing `a1.md` is fine | editing `b2.md` is fine
commits must reference T1 | commits must reference T2
handlers must validate `email1` | handlers must validate `phone2`
the CLI must support `--json1` | the CLI must support `--yaml2`
write a test for `parse1` | write a test for `parse2`
fix `bug1` before the release | fix `bug2` before the release
ask Anna before touching `db1` | ask Anna before touching `db2`
ask before changing `api1` | ask before changing `api2`
never push to main | never push to develop
never push to `release/1.2` | never push to `release/1.3`
`make lint` runs in CI | `make test` runs in CI
copy `a1` to `b1` | copy `a2` to `b1`
Never hold lock8 across an await | Never hold lock9 across an await
Never use float64 for prices | Never use int8 for prices
Do not mix v1 and v3 | Do not mix v2 and v3
nie payment1 aufrufen | nie mail2 aufrufen
nunca llames a pago1 | nunca llames a correo2
ne jamais appeler pay1 | ne jamais appeler mail2
keep table1 read-only | keep table2 read-only
treat `w1` warnings as errors | treat `w2` warnings as errors
`X-1` is a required header | `X-2` is a required header
the header `X-1` is required | the header `X-2` is required
required: `make lint` | required: `make test`
forbidden: `eval1` | forbidden: `exec2`
module1 uses tabs | module2 uses spaces
use Sentry for errors | use Grafana for metrics
instance1 is in eu-west-1 | instance2 is in eu-north-1
the owner of svc1 is Anna | the owner of svc2 is Tom
handler1 is deprecated | handler2 is deprecated
payment7993 must be called with retries | mail34 must be called with retries
use `Foo1` in the parser | use `Bar2` in the lexer
mention Alice in the changelog | mention Bob in the changelog
credit Alice in the docs | credit Bob in the docs
a release needs Alice's approval | a release needs Bob's approval
validate with schema1 and schema3 | validate with schema2 and schema3
never open files with `mode1` | never open files with `mode2`
never sign with RSA | never sign with DSA
never deploy with Helm | never deploy with Terraform
don't answer with JSON1 | don't answer with JSON2
never merge with `--x1` | never merge with `--x2`
never name a module utils | never name a module helpers
never name files `tmp1` | never name files `tmp2`
never invoke cron88 from the UI | never invoke batch12 from the UI
don't store passport scans | don't store face photos
no abbreviations in commit titles | no abbreviations in variable names
always execute `tox` before a release | always execute `nox` before a release
always regenerate `api.d.ts` after schema changes | always regenerate `db.d.ts` after schema changes
wrap calls to geo5 in a circuit breaker | wrap calls to tax6 in a circuit breaker
each handler must emit metric7 | each handler must emit trace8
never rename the column c_12 | never rename the column c_13
never use `/tmp/a1` for sockets | never use `/tmp/b2` for sockets
you can skip lint1 on docs | you can skip lint2 on docs
the linter may rewrite `a1.ts` | the linter may rewrite `b2.ts`
must not parse HTML with regexes | must not parse XML with regexes
never trust header1 | never trust cookie2
archive logs1 weekly | archive logs2 weekly
never call Moment in reducers | never call Axios in reducers
keep adr-001.md up to date | keep adr-002.md up to date
freeze module4 | freeze module5
inject clock1 into services | inject random2 into services
compress Q1 reports | compress Q2 reports
watch `src/a1` for changes | watch `src/b2` for changes
use gitleaks and trivy1 in CI | use gitleaks and snyk2 in CI
the README must explain `setup1` | the README must explain `setup2`
bump `core1` together with `web3` | bump `core2` together with `web3`
mock payment1 in tests | mock mail2 in tests
mock Stripe in tests | mock Twilio in tests
wrap Kafka behind an interface | wrap RabbitMQ behind an interface
delete Redis keys on logout | delete memcached keys on logout
seed Postgres before the tests | seed MySQL before the tests
never expose 5432 to the internet | never expose 6379 to the internet
warn on exit code 3 | warn on exit code 4
"""

_ONE_VALUE = """
use TOML for the config | use YAML for the config
retries: 3 | retries: 5
`retries: 3` | `retries: 5`
times are in UTC | times are in local time
prefer tabs over spaces | prefer spaces over tabs
never call payment7993 from a handler | always call payment7993 from a handler
never call payment7993 from a handler | you may call payment7993 from a handler
never log IP addresses | log IP addresses
always use TOML for the config | always use YAML for the config
you must use npm | you must use pnpm
always use npm, never pnpm | always use pnpm, never npm
always answer in German | always answer in English
the queue must be Kafka | the queue must be RabbitMQ
the region must be eu-north-1 | the region must be eu-west-1
always use port 8080 | always use port 9090
use `gpt-4` for summaries | use `gpt-5` for summaries
no more than 3 retries | no more than 5 retries
never retry more than 3 times | never retry more than 5 times
never wait longer than 3 s | never wait longer than 9 s
never upload more than 10 MB | never upload more than 20 MB
the timeout must be 3 s | the timeout must be 9 s
always run `make lint` before committing | never run `make lint` before committing
always run `make lint` before committing | run `make lint` after committing
run `make lint` instead of `make test` | run `make test` instead of `make lint`
format with black | format with ruff
no emojis in commits | emojis in commits are fine
serve the API under /v1 | the API is served under /v2
all times must be in UTC | all times must be in localtime
always sort ascending | always sort descending
the base image is python:3.11 | the base image is python:3.12
use node:18 as the base image | use node:20 as the base image
pin ruff to 0.4.1 | pin ruff to 0.5.2
upgrade the schema to v3 | upgrade the schema to v4
the timezone is set to UTC | the timezone is set to CET
set the timezone to UTC | set the timezone to CET
set retries to 3 | set retries to 5
name the package `ctx-core` | name the package `ctx-lib`
package manager: npm | package manager: pnpm
run tests with pytest | run tests with unittest
the test runner is jest | the test runner is vitest
tests must run with jest | tests must run with vitest
log in UTC | log in local time
always log in JSON | always log in XML
the queue runs on Kafka | the queue runs on RabbitMQ
switch to pnpm | switch to yarn
go back to npm | go back to yarn
jobs must use Celery | jobs must use APScheduler
all dates must be in UTC | all dates must be in CET
we deploy with Terraform | we deploy with Pulumi
the cache lives in Redis | the cache lives in memcached
return 404 for hidden users | return 403 for hidden users
retry after 3 s | retry after 9 s
the API version is v1 | the API version is v2
hash passwords with bcrypt | hash passwords with argon2
commits must be in English | commits must be in German
wait 3 s between retries | wait 9 s between retries
indent with tabs | indent with spaces
cap the pool at 10 connections | cap the pool at 20 connections
never keep more than 3 backups | never keep more than 9 backups
the modal opens first | the modal opens last
merge with squash | merge with rebase
always squash | always rebase
we use Svelte | we use React
sessions must expire after 30 minutes | sessions must expire after 60 minutes
you may retry at most 3 times | you may retry at most 5 times
never call payment7993 from a handler | call payment7993 from a handler
run `make lint` before committing | don't run `make lint` before committing
use port 3000 for the api | use port 4000 for the api
delete rows after 30 days | delete rows after 60 days
the linter is ruff | the linter is flake8
use `gpt-4` for summaries | use `claude-3` for summaries
the package is called ctx1 | the package is called ctx2
use Sentry for errors | use Rollbar for errors
ids are uuid4 | ids are uuid7
use uuid4 for ids | use uuid7 for ids
the docs are built with Sphinx | the docs are built with MkDocs
store sessions in Redis | store sessions in memcached
the daemon listens on port 8080 | the daemon listens on port 9090
emojis are allowed in commits | emojis are not allowed in commits
the column is int32 | the column is int64
cookies must be SameSite1 | cookies must be SameSite2
keep the config in JSON | keep the config in TOML
store UTC timestamps | store CET timestamps
run 4 workers | run 8 workers
release every 2 weeks | release every 3 weeks
never sort ascending | always sort ascending
the ORM is SQLAlchemy | the ORM is Tortoise
money is stored in int64 | money is stored in decimal
use argon2 for passwords | use scrypt for passwords
the wire format is msgpack | the wire format is protobuf
jobs run every 5 minutes | jobs run every 9 minutes
use eslint for linting | use biome for linting
chat replies must be in French | chat replies must be in Spanish
the image is built with Docker | the image is built with Podman
the default level is info | the default level is debug
always deploy manually | never deploy manually
pages hold 20 rows | pages hold 50 rows
bundle with Vite | bundle with Webpack
use model-4 for search | use model-5 for search
lock files are checked in | lock files are not checked in
the log format is JSON | the log format is XML
send mails in English | send mails in German
cache keys expire after 1 h | cache keys expire after 4 h
host the repo on GitHub | host the repo on GitLab
the API speaks REST | the API speaks GraphQL
"""


def _rows(table: str) -> list[tuple[str, ...]]:
    """Each pair both ways round."""
    pairs = [tuple(row.split(" | ")) for row in table.strip().splitlines()]
    return [*pairs, *(pair[::-1] for pair in pairs)]


BESIDE = _rows(_BESIDE)
"""(first, second), both of which hold."""

ONE_VALUE = _rows(_ONE_VALUE)
"""(first, second), of which the later one holds."""
