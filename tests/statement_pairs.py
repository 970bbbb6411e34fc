"""Pairs of statements and how the second stands to the first.

`same`: nothing new. `refines`: more precise. `against`: cannot both hold. `new`: both hold.
"""

_PAIRS = """
same | never push directly to main | don't push to main directly
same | never push directly to main | direct pushes to the main branch are not allowed
same | never push directly to main | main must never be pushed to directly
same | never push directly to main | No direct pushes to main!
same | never push directly to main | pushing straight to main is forbidden
same | never push directly to main | please do not ever push right onto main
same | use pnpm, not npm | use pnpm instead of npm
same | use pnpm, not npm | pnpm rather than npm please
same | use pnpm instead of npm | we use pnpm, never npm
same | retry three times | retry 3x
same | uploads are limited to 10 MB | uploads: at most 10mb
same | keep deleted rows for 30 days | keep deleted rows for 30d
same | run the linter before each commit | always run the linter before committing
same | don't add new dependencies | no additional deps
same | don't add new dependencies | no extra libraries
same | all timestamps are stored in UTC | store all timestamps in UTC
same | the config file is TOML | config files are TOML
same | do not touch the billing module | leave the billing module alone
same | do not touch the billing module | the billing module stays as it is
same | do not touch the billing module | the billing module must not be changed
same | only admins can see audit logs | audit logs: only admins can see them
same | write the docs in British English | docs must be written in British English
same | let's use Postgres for the queue | use PostgreSQL for the queue
same | the API returns ISO dates | the api should return ISO dates
same | no mocks in integration tests | never use mocks in integration tests
same | no mocks in integration tests | integration tests must not use mocks
same | errors go to stderr | errors must go to stderr
same | we support Python 3.11+ | support python 3.11 or newer
same | remove the legacy parser | get rid of the legacy parser
same | remove the legacy parser | the legacy parser gets dropped
same | keep the shim | don't remove the shim
same | cache entries expire after 60 s | cache entries expire after one minute
same | ask before you delete branches | ask me before deleting a branch
same | use feature flags for risky changes | risky changes use feature flags
same | the CLI must not need network access | cli must not need network acess
same | use type hints everywhere | type annotations everywhere
same | env vars are prefixed with APP_ | environment variables are prefixed with `APP_`
same | never log passwords | passwords must never be logged
same | no `as` casts, except `as const` | no `as` casts
same | limit retries to 5 | limit retries
same | never run more than 7 imports at once, the node dies | run at most 7 imports at once
same | you need not write tests for scripts | you don't have to write tests for scripts
same | keep the public API backwards compatible | the public API has to stay backwards compatible
same | commit messages follow Conventional Commits | use Conventional Commits for commit messages
same | dont commit generated files | generated files must not be committed
same | all user facing strings go through i18n | every user-facing string goes through i18n
same | the worker must be idempotent | make the worker idempotent
same | migrations must be reversible | each migration needs to be reversible
same | ask me before you install anything | do not install anything without asking me
same | no console.log in production code | console.log is forbidden in production code
same | the importer should stream, not load all | the importer streams instead of loading all
same | sessions expire after 30 minutes | session expiry is 30 min
same | error messages must be actionable | error messages have to be actionable
same | use uv instead of pip | uv, not pip
same | we never squash merge requests | merge requests are never squashed
same | prefer small PRs | PRs should be small
same | secrets live in Vault | keep secrets in Vault
same | don't mock the database in tests | tests must not mock the database
same | only the release script may create tags | tags are created by the release script only
same | wait 500ms between retries | retries wait half a second
same | leave the old endpoint in place until v3 | keep the old endpoint until v3
same | the dashboard polls every 10 seconds | dashboard polling interval is 10s
same | please answer in German | answers in German please
same | no new npm packages | don't add npm packages
same | one assertion per test | each test has one assertion
same | docs live next to the code | keep the docs next to the code
same | use the repository pattern for data access | data access goes through the repository pattern
same | cap uploads at 25 MB | uploads are capped at 25MB
same | public functions need docstrings | every public function needs a docstring
same | don't rename the CLI flags | CLI flags must not be renamed
same | run tests with `make test` | tests are run with `make test`
same | format with black | black does the formatting
same | the cache must survive restarts | cache has to survive a restart
same | every endpoint has to check the tenant | each endpoint must check the tenant
same | i dont want any analytics in this app | no analytics in the app
same | keep it to one file per vendor | one file per vendor
same | the parser must not panic on bad input | parser must never panic on bad input
same | ok so dates in the UI are dd.mm.yyyy | dates in the ui: dd.mm.yyyy
same | only use the stdlib, no third party deps | stdlib only, no third-party dependencies
same | lets name the package ctx-core | the package is named ctx-core
same | commit after every step please | always commit after each step
same | use 4 spaces for indentation | indentation is 4 spaces
same | dont squash, i want the single commits | do not squash, keep the single commits
same | anything above 10MB is rejected | reject anything over 10 MB
same | the bot must not reply in threads | bot should never reply in threads
same | we support only the last two Safari versions | support just the last 2 Safari versions
same | run prettier before you commit | before you commit, run prettier
same | tokens are rotated daily | rotate tokens every day
same | nothing gets deployed without my ok | do not deploy anything without my okay
same | benutze niemals force push | niemals force push benutzen
same | mocks are a no go in integration tests | no mocks in integration tests
same | the map tiles have to be cached offline | cache the map tiles offline
same | no pop-ups, ever | never show pop-ups
same | we only ship x86_64 builds | builds are shipped for x86_64 only
same | don't store card numbers | card numbers must never be stored
same | each service owns its schema | every service owns its own schema
same | let's keep feature branches under 3 days | feature branches live at most 3 days
same | the log level in prod is warn | log level is warn in production
same | do not auto-format markdown | markdown must not be auto-formatted
same | config lives in /etc/relay | the config is in /etc/relay
same | please use metric units | metric units please
same | webhooks need a signature check | check the signature of webhooks
same | snapshots are taken hourly | take snapshots every hour
same | never delete customers, only deactivate them | customers are never deleted, only deactivated
same | stick to one language per file | one language per file
same | the daemon must start without network | daemon has to start without a network
same | don't wrap lines in the changelog | no line wrapping in the changelog
refines | no `as` casts | no `as` casts, except `as const`
refines | no `as` casts | no `as` casts unless it is `as const`
refines | do not touch the billing module | do not touch the billing module without asking
refines | never deploy on Fridays | never deploy on Fridays, except for hotfixes
refines | retry failed uploads | retry failed uploads 3 times
refines | retry failed uploads 3 times | retry failed uploads 3 times with backoff
refines | use SQLite for the cache | use SQLite for the cache because it needs no server
refines | cap the request body | cap the request body at 2 MB
refines | write unit tests | always write unit tests for parsers
refines | show admin links to admins | show admin links only to admins
refines | the job runs nightly | the job runs nightly at 2am
refines | should validate user input | must validate user input
refines | queue names are lowercase | queue names are lowercase with dashes
refines | don't refactor the importer | don't refactor the importer until the release is out
refines | all tests must pass before merging | all tests must pass before merging, unless flaky
refines | sessions expire | sessions expire after 30 minutes
refines | no network calls in unit tests | no network calls in unit tests, except to localhost
refines | the dashboard polls the API | the dashboard polls the API every 10 seconds
refines | use structured logging | use structured logging with structlog
refines | uploads are capped at 25 MB | uploads are capped at 25 MB and only PNG or JPEG
refines | keep the old endpoint | keep the old endpoint until v3 is out
refines | don't bump major versions | don't bump major versions without asking
refines | retry on 5xx | retry on 5xx at most 4 times
refines | the worker must be idempotent | the worker must be idempotent because of retries
refines | prefer small PRs | PRs must be small
refines | tags are created by the release script | tags are created by the release script only
refines | encrypt backups | encrypt backups with age
refines | validate all input | validate all input at the boundary
refines | hide the sidebar on mobile | hide the sidebar on mobile below 600px
refines | never edit generated code | never edit generated code by hand, other than the header
refines | log failed logins | log failed logins with the IP address
refines | mocks are forbidden in e2e tests | mocks are forbidden in e2e tests apart from payment
refines | rotate tokens | rotate tokens every 24 hours
refines | anything above 10 MB is rejected | anything above 10 MB is rejected with a 413
refines | keep the legacy login | keep the legacy login until the app update is out in May
refines | use the Result type for errors | use the Result type for errors in the domain layer
refines | no force pushes | no force pushes, except on your own feature branch
refines | write a changelog entry for releases | write a changelog entry for releases, in English
refines | reply in English | always reply in English, because the customers read along
refines | the export has a header row | the export has a header row with the units
refines | throttle the search | throttle the search to 5 requests per second
refines | deploy on merge | deploy on merge unless the label hold is set
refines | use the shared logger | use the shared logger, never print
refines | don't store card numbers | don't store card numbers, except the last 4 digits
refines | cache the map tiles offline | cache the map tiles offline for 14 days
refines | snapshots are taken | snapshots are taken hourly
refines | config lives in /etc/relay | config lives in /etc/relay, unless RELAY_HOME is set
refines | webhooks need a signature check | webhooks need a signature check because anybody posts
refines | the daemon must start offline | the daemon must start offline within 2 seconds
refines | customers can be deactivated | only admins can deactivate customers
against | retry failed uploads 3 times | retry failed uploads 5 times
against | store times in UTC | store times in local time
against | config files are TOML | config files are YAML
against | all tests must run in parallel | tests may run in parallel
against | use tabs instead of spaces | use spaces instead of tabs
against | prefer composition over inheritance | prefer inheritance over composition
against | 10 requests per hour | 10 requests per day
against | always push | never push
against | use SQLite for the cache | use Redis for the cache
against | use SQLite for the cache | don't use SQLite for the cache
against | use SQLite for the cache | use Postgres for the cache
against | use Prawn for PDFs | use Grover for PDFs
against | timeouts are 4 s | timeouts are 4 ms
against | double bookings return 409 | double bookings return 422
against | double bookings return 409, not 422 | double bookings return 422
against | never push to main | you may push to main
against | never push to main | pushing to main is fine
against | remove the legacy parser | keep the legacy parser
against | enable strict mode | disable strict mode
against | add a changelog entry | don't add a changelog entry
against | you need not write tests for scripts | always write tests for scripts
against | at most 5 workers | at least 5 workers
against | run migrations before the deploy | run migrations after the deploy
against | the domain layer must not import adapters | adapters must not import the domain layer
against | use camelCase for JSON keys | use snake_case for JSON keys
against | keep the first duplicate | keep the last duplicate
against | squash commits on merge | never squash commits on merge
against | the region is eu-north-1 | the region is eu-west-1
against | serve the API under /v1 | serve the API under /v2
against | package manager is npm | package manager is pnpm
against | write the scripts in Bash | write the scripts in Python
against | comments are in German | comments are in English
against | dates are ascending | dates are descending
against | minimum password length is 8 | minimum password length is 12
against | comments are required | comments are optional
against | use moment for dates | date-fns instead of moment for dates
against | log lines may contain emails | log lines must not contain emails
against | expire sessions after 30 min | expire sessions after 30 days
against | sessions expire after 30 minutes | sessions expire after 60 minutes
against | max line length 100 | max line length is 120
against | answer in German | answer in English
against | the importer streams | the importer must not stream
against | use uv instead of pip | go back to pip, no uv
against | secrets live in Vault | secrets live in SSM
against | the worker must be idempotent | the worker does not have to be idempotent
against | squash merge requests | never squash merge requests
against | cap uploads at 25 MB | cap uploads at 50 MB
against | cap uploads at 25 MB | uploads have no cap
against | prefer exceptions over result types | prefer result types over exceptions
against | format with black | don't format with black
against | docs live next to the code | docs don't live next to the code any more
against | run the seed script before the migrations | run the seed script after the migrations
against | the default theme is dark | the default theme is light
against | use REST for the public API | use GraphQL for the public API
against | keep the old endpoint | drop the old endpoint
against | rate limit is 100 per minute | rate limit is 100 per second
against | sort newest first | sort oldest first
against | tags are created by hand | tags are not created by hand
against | copy config from staging to dev | copy config from dev to staging
against | docstrings are mandatory | docstrings are optional
against | we support Node 18 | we support Node 20
against | store money as integers | store money as floats
against | use Celery for the jobs | for the jobs use APScheduler, not Celery
against | ids are UUIDs | ids are ULIDs
against | the API is versioned in the path | don't version the API in the path
against | deploy automatically after merge | never deploy automatically after merge
against | at least 2 reviewers | 1 reviewer is enough
against | cache for an hour | cache for a day
against | the button is on the left | the button is on the right
against | render on the server | never render on the server
against | keep 7 backups | keep 14 backups
against | delete the branch after merge | keep the branch after merge
against | use port 8080 | use port 9090
against | admins can delete users | admins can't delete users
against | fail fast on invalid config | don't fail on invalid config
against | timeouts: 5 s connect | timeouts: 5 min connect
against | replace moment with dayjs | replace dayjs with moment
against | tokens are rotated daily | tokens are rotated weekly
against | anything above 10MB is rejected | anything above 20MB is rejected
against | dates in the UI are dd.mm.yyyy | dates in the UI are ISO
against | use 4 spaces for indentation | use 2 spaces for indentation
against | lets name the package ctx-core | name the package ctxlib, not ctx-core
against | the bot must not reply in threads | the bot may reply in threads
against | translations come from the CMS | translations come from code, not from the CMS
against | no analytics in the app | add analytics to the app
against | commit after every step | don't commit after every step, one commit at the end
against | retry with exponential backoff | retry with linear backoff
against | charge the card before shipping | charge the card after shipping
against | the worker pulls from Kafka | the worker pulls from RabbitMQ
against | errors are thrown | errors must not be thrown
against | group by customer | don't group by customer any longer
against | minimum 3 replicas | at most 3 replicas
against | the modal closes on escape | the modal must not close on escape
against | keep logs for 30 days | keep logs for 90 days
against | we go with Svelte for the frontend | we go with React for the frontend
against | the admin can see drafts | the admin must not see drafts
against | use the blue theme | the blue theme is out
against | start ids at 0 | start ids at 1
against | sign with GPG | signing with GPG is not needed
against | let the client retry | the client should not retry
against | publish from main | publish from release branches instead of main
against | store the avatar in S3 | store the avatar in Postgres
against | the trial lasts two weeks | the trial lasts 30 days
against | check permissions in the gateway | permissions are not checked in the gateway
against | wir nehmen npm | wir nehmen kein npm
against | send the mail immediately | never send the mail immediately
against | import data from A to B | import data from B to A
against | snapshots are taken hourly | snapshots are taken every 6 hours
against | the log level in prod is warn | the log level in prod is debug
against | cache map tiles for 14 days | cache map tiles for 14 hours
against | customers are never deleted | delete customers after 2 years
against | feature branches live at most 3 days | feature branches live at most 5 days
against | config lives in /etc/relay | config lives in /opt/relay
against | use metric units | use imperial units
against | show pop-ups | never show pop-ups
against | sign with Ed25519 | sign with RSA
against | prefer polling over webhooks | webhooks are preferred over polling
against | wrap lines in the changelog | don't wrap lines in the changelog
against | the daemon starts as root | the daemon must not start as root
against | prices include VAT | prices do not include VAT
against | name branches after tickets | don't name branches after tickets, name them after features
new | use SQLite for the cache | use SQLite for the sessions
new | never push to main | never force-push to main
new | never force-push to main | never push to main
new | never push to main | never push
new | tests run in CI | tests run locally
new | never touch staging | never touch production
new | run the linter on changed files before commit | run the linter on changed files before push
new | use Redis for sessions | use Postgres for jobs
new | retry uploads 3 times | keep 5 backups
new | deploy with Helm | deploy on Mondays
new | the parser is pure | the parser is fast
new | log errors to stderr | log requests to stdout
new | never delete rows | never update rows
new | add an index on user_id | add an index on order_id
new | don't log emails | don't log passwords
new | use ruff | use mypy
new | no comments in tests | no comments in migrations
new | cache for 60 s for anonymous users | no caching for logged-in users
new | the API is versioned | the database is versioned
new | keep functions small | keep commits small
new | never push to main | for docs you can push to main
new | write tests first | review tests first
new | backend uses Go | frontend uses TypeScript
new | max 3 retries for uploads | max 5 connections for uploads
new | buttons are blue | links are blue
new | validate input on the client | validate input on the server
new | use UTC in the database | use local time in the UI
new | no `as` casts, except `as const` | no `as` casts, except in tests
new | support Linux | support macOS
new | run migrations after the backup | never run migrations before the backup
new | ask before deleting branches | ask before deleting tags
new | use SQLite | use SQLite for the cache
new | users can export reports | admins can export reports
new | don't use globals in handlers | don't use threads in handlers
new | the importer skips empty lines | the exporter skips empty lines
new | run the unit tests before committing | run the e2e tests before committing
new | docs live next to the code | tests live next to the code
new | ids are UUIDs | emails are unique
new | don't mock the database | don't mock the clock
new | secrets live in Vault | certificates live in Vault
new | no network calls in unit tests | no sleeps in unit tests
new | the importer streams | the exporter streams
new | cap uploads at 25 MB | cap downloads at 25 MB
new | public functions need docstrings | private functions need no docstrings
new | use Redis for the queue | use Redis for the cache
new | format with black | lint with ruff
new | admins can delete users | admins can delete projects
new | the API is versioned in the path | the schema is versioned in the database
new | only the release script may create tags | only the release script may publish packages
new | sessions expire after 30 minutes | tokens expire after 30 minutes
new | never commit to main | never merge to main without review
new | show errors inline | show warnings inline
new | validate the payload before saving | validate the payload before sending
new | keep the header fixed | keep the footer fixed
new | log failed logins | log failed payments
new | hide the sidebar on mobile | hide the toolbar on mobile
new | the worker must be idempotent | the scheduler must be idempotent
new | migrations must be reversible | migrations must be fast
new | use TypeScript for the frontend | use Go for the backend
new | don't deploy on Fridays | don't deploy on Mondays
new | retry on 5xx | retry on timeouts
new | the default theme is dark | the default language is English
new | index on created_at | index on updated_at
new | prefer small PRs | prefer small functions
new | never log tokens | never store tokens
new | CI runs on Linux | CI runs on Windows
new | use dataclasses for events | use pydantic for settings
new | level 2 has a timer | level 3 has a timer
new | close issue #12 | close issue #14
new | allow guests to read | allow guests to comment
new | write tests for the parser | write docs for the parser
new | the mobile app uses REST | the web app uses GraphQL
new | don't use default exports | don't use namespaces
new | keep build times under 5 minutes | keep test runs under 5 minutes
new | staging uses the small instance | prod uses the large instance
new | don't add npm packages | don't add npm packages to the core module for logging
new | users see their own orders | admins see all orders
new | never push to main | you can push to main for hotfixes
new | use SQLite for tests | use Postgres in production
new | tokens are rotated daily | backups are made daily
new | use the Result type for errors | use the Option type for missing values
new | no mocks in integration tests | no fixtures in integration tests
new | keep the legacy login | keep the legacy export
new | the modal closes on escape | the menu closes on escape
new | the admin can see drafts | the editor can see drafts
new | the worker pulls from Kafka | the worker writes to Postgres
new | retry with exponential backoff | log with structured fields
new | check permissions in the gateway | check quotas in the gateway
new | write a changelog entry for each release | write a migration note for each release
new | charge the card before shipping | send the invoice before shipping
new | the parser must not panic on bad input | the lexer must not panic on bad input
new | use 4 spaces for indentation in Python | use 2 spaces for indentation in YAML
new | keep logs for 30 days | keep backups for 90 days
new | sign commits | sign releases
new | minimum 3 replicas | minimum 2 reviewers
new | the trial lasts two weeks | the sprint lasts two weeks
new | store the avatar in S3 | store the session in Postgres
new | reject anything over 10 MB | compress anything over 1 MB
new | never deploy on Fridays | never merge on Fridays
new | dates in the UI are dd.mm.yyyy | dates in the API are ISO
new | group by customer | sort by customer
new | publish from main | publish to npm
new | reply in English | reply within a day
new | run prettier before you commit | run eslint before you commit
new | the bot must not reply in threads | the bot must not reply to bots
new | name the package ctx-core | name the binary ctx
new | allow uploads for members | allow exports for members
new | do not modify third_party | do not modify vendor
new | only admins can invite users | only admins can export invoices
new | the header is sticky | the header is blue
new | throttle the search | cache the search
new | phase 1 covers import | phase 2 covers export
new | use Postgres for orders and Redis for carts | use Postgres for carts
new | don't throw in the domain layer | don't log in the domain layer
new | cache the map tiles offline | cache the search results offline
new | no pop-ups on mobile | no banners on mobile
new | each service owns its schema | each service owns its dashboard
new | don't store card numbers | don't store phone numbers
new | snapshots are taken hourly | backups are tested monthly
new | the log level in prod is warn | the log level in dev is debug
new | use metric units | use ISO dates
new | prices include VAT | prices are rounded
new | sign releases with Ed25519 | sign commits with GPG
new | name branches after tickets | name tags after releases
new | webhooks need a signature check | webhooks need a retry
new | customers can be deactivated | projects can be archived
new | the daemon starts as root | the client starts as user
new | keep feature branches under 3 days | keep pull requests under 400 lines
new | wrap lines in the changelog at 80 | wrap code at 100
new | ship x86_64 builds | test arm64 builds
new | don't auto-format markdown | don't auto-fix markdown links
new | config lives in /etc/relay | state lives in /var/lib/relay
new | one language per file | one class per file
new | the export runs at 2am | the import runs at 4am
new | read the handbook before editing | read the tracker before editing
new | level 1 has no enemies | level 2 has no enemies
new | never restart the primary | never restart the replica during backups
new | retry GET requests | never retry POST requests
"""

_NOT_UNDERSTOOD = """
no pop-ups | no pop-ups on the start page or in mails
we only ship x86_64 builds | we ship x86_64 and arm64 builds
each service owns its schema | all services share one schema, not one each
dont commit generated files | never check in generated files
max line length 100 | lines are at most 100 characters
let the CLI exit with code 2 on usage errors | usage errors exit with code 2
no network calls in unit tests | unit tests never hit the network
pls never touch the vendored code under third_party/ | third_party/ is vendored, do not modify it
all colours as tokens, no hex values in components | no hex colours in components, use tokens
for errors use the Result type, dont throw | don't throw, return Result for errors
translations come from the CMS, never from code | never take translations from code, but the CMS
all money amounts are integers in cents | money is stored as integer cents
the migration has to run in under a minute | the migration must take less than 60 seconds
"""


def _rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(row.split(" | ")) for row in table.strip().splitlines()]


PAIRS = _rows(_PAIRS)
"""(how the second stands, first, second)"""

NOT_UNDERSTOOD = _rows(_NOT_UNDERSTOOD)
"""Pairs that say the same in words too far apart: both are kept."""
