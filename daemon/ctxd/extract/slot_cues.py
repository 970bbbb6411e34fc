"""Phrases that turn, bind or bound a statement, and what each does to the clause it stands in.

One phrase, one cue; the longest phrase wins. Apostrophes are left out: "don't" is "dont".
"""

from __future__ import annotations

from typing import Literal, NamedTuple, cast

from ctxd.extract.stems import stem

Does = Literal[
    "deny",  # turns the clause around
    "deny_doing",  # the same, before a verb in -ing
    "deny_rest",  # turns around what follows, up to a preposition
    "deny_before",  # turns around what went before in the clause
    "freeze",  # what went before is not to be changed
    "waive",  # no longer an obligation
    "modal",  # sets the modality
    "except",  # an exception follows
    "ask",  # a prohibition unless one asks
    "without",  # an exception in a prohibition, else what is denied
    "reason",  # a reason follows
    "clause",  # a new clause begins
    "only",  # closes the scope
    "every",  # opens the scope
    "bound",  # a limit for the number beside it
    "deed",  # a light verb
    "undo",  # a light verb that turns the clause around
    "done",  # the same verbs behind "be"
    "undone",
    "over",  # turns around what follows in a preference
    "also",  # comes on top of something else
    "order",  # what went before it comes first
    "link",  # the same for a verb that says more than where
    "order_back",  # what went before it comes last
    "term",  # one term, whatever its words
]


class Cue(NamedTuple):
    """What a phrase does, and with what."""

    does: Does
    what: str = ""


_TABLE = """
deny forbid: never; not; dont; do not; doesnt; didnt; isnt; arent; wont; wouldnt; cannot; can not;
    cant; mustnt; must not; must never; may not; may never; shall not; nobody; no one; noone;
    nowhere; none; nothing; neither; nor; no; zero; refuse to; refrain from; forbid; prohibit; ban;
    disallow; no longer; not any; not yet; hands off; stay away from; aint; nope; not ever;
    keep from; is not to; are not to; not to
deny_doing forbid: stop; quit
deny prefer: avoid; shouldnt; should not; should never; better not; rather not; try not to;
    prefer not to; preferably not; lets not; steer clear of; not a fan of
deny_rest: replace; replaces; replacing; switch from; move from; migrate from; change from;
    moving from; switching from; away from; instead of; rather than; in place of; as opposed to;
    in lieu of; in favour over; but not; and not; but never; and never; let alone
deny_before forbid: is out; are out; was rejected; were rejected; was taken out; forbidden;
    prohibited; banned; not allowed; not permitted; disallowed; off limits; ruled out;
    out of scope; off the table; not acceptable; taboo; not accepted; not ok; not okay; not wanted;
    no go; a no go; verboten; not an option; unacceptable; out of the question; not welcome;
    never allowed; never ok; never acceptable; not supported; unsupported
freeze touch: untouchable; as is; as it is; as they are; as they were; alone; untouched; unchanged;
    frozen; like it is; intact
waive allow: dont have to; do not have to; doesnt have to; does not have to; neednt; need not;
    dont need to; do not need to; doesnt need to; does not need to; no need to; no need for;
    not required; not necessary; not mandatory; isnt required; arent required; isnt necessary;
    isnt needed; not needed; without having to; dont need; do not need
modal require: non negotiable; not negotiable; must; have to; has to; had to; need to; needs to;
    shall; required; mandatory; ensure; make sure; be sure; obligatory; requires; require;
    necessary; got to; gotta; are to; is to; needed; be sure to; make sure to; make sure that;
    compulsory
modal allow: may; can; could; allowed; permitted; optional; is fine; are fine; is ok; are ok;
    is okay; are okay; ok to; okay to; fine to; feel free to; free to; acceptable; allow; permit;
    is good; might; optionally; is acceptable; no problem to
modal prefer: should; prefer; preferably; ideally; would rather; id rather; i rather;
    where possible; if possible; try to; consider; recommended; recommend; id like; i would like;
    where practical; better to; preferred; when possible; as far as possible; at best; i prefer;
    worth; would be nice; nice to have
ask: ask before; ask me before; ask first before; ask me first before; check with me before;
    ask us before; always ask before; always ask me before; confirm with me before;
    ask the user before; check with the user before; get approval before
except: except; except for; except when; except if; except in; excepting; unless; other than;
    apart from; aside from; with the exception of; save for; besides; excluding;
    the only exception is; only exception; the exception is; exceptions are; exception; exempt;
    but not for; but not in; not counting; barring
without: without; w/o; until; till; before asking
also: also; as well; too; in addition; additionally; on top of that; besides that; as well as
reason: because; despite; in spite of; although; even though; even if; not even; regardless of;
    so that; cause; cuz; bc; otherwise; or else; due to; thanks to; now that; the risk is;
    the reason is; that way; for the sake of; as otherwise; in order to; given that; so we; so they;
    so it; so i; so you; so the; since we; since it; since they; since the; since i; as it; as we;
    as they; reason; in order not to; since that; since this
clause: but; instead; whereas; while; however; so; and then; yet; though
only only: only; solely; exclusively; just; nothing but; no other; nothing else; purely
every all: always; every; all; each; everywhere; any; anywhere; whenever; ever; every time;
    at all times; without exception; no exceptions; across the board; any kind of
bound max: cap; capped; limit; limited; restrict; restricted; at most; no more than; not more than;
    never more than; max; maximum; up to; under; below; less than; fewer than; within; not exceed;
    never exceed; not longer than; no longer than; cap at; capped at; limit to; limited to;
    maximal; no later than; at the most; not over; cannot exceed; must not exceed; no higher than;
    ceiling of; limit of; cap of
bound min: at least; min; minimum; no less than; not less than; no fewer than; more than; above;
    exceed; longer than; older than; larger than; bigger than; greater than; minimal;
    no earlier than; not below; never below; floor of
bound max: tops; or less; or fewer; or lower; or earlier; or below; or under; or shorter; or older
bound min: or more; or newer; or later; or higher; or above; or longer; or greater; and up;
    and later; and above; and newer; or better
deed use: go back to; going back to; back to; return to; revert to; use; uses; using; used;
    go with; going with; went with; stick with; stick to; stay with; stay on; pick; choose; adopt;
    rely on; run on; runs on; based on; go for; settle on; settled on; opt for; work with; utilize;
    utilise; employ; take; via; going for; switch to; move to; migrate to; change to; lets use;
    we use; stays on; usage
deed add: add; adds; adding; introduce; introducing; install; include; includes; including;
    bring in; pull in; pulling in; bringing in; put in; adding new; bring
deed keep: keep; keeps; keeping; kept; leave; retain; preserve; stay; stays; remain; remains;
    maintain; hold on to; leaves
deed touch: touch; touching; modify; modifying; edit; editing; alter; altering; mess with; change;
    changing; fiddle with; tamper with; modifies; changes to
deed enable: enable; enables; enabling; turn on; switch on; enabled
deed show: show; shows; showing; shown; display; displays; displayed
deed make: make; makes; making; do; does; doing; be; is; are; set; sets; put; puts; have; has; get;
    gets; create; creates; creating; give; gives; happen; happens; go; goes
undo keep: remove; removing; delete; deleting; drop; dropping; get rid of; rip out; strip; ditch;
    scrap; throw out; throw away; kill; abandon; eliminate; removes; deletes; drops; purge
undo use: skip; skipping; omit; omitting; leave out; leaving out; exclude; stop using; quit using;
    forget; move away from; get away from; move off; drop support for
undo enable: disable; disables; disabling; turn off; switch off; turned off; switched off
undo show: hide; hides; hiding; hidden
done make: created; made; taken; done; set; given; put
done touch: changed; modified; edited; altered; touched
undone keep: removed; deleted; dropped; eliminated; abandoned; purged
undone use: skipped; omitted; left out; excluded; ignored
undone enable: disabled
over: over
order: before; prior to; ahead of; precede; precedes; then
order_back: after; following; later than
order into: to; into; →
link into: imports; import; importing; depends on; depend on; calls; call; extends; wraps
order_back into: from; imported by; called by; out of
"""

_TERMS = """
pr: pull request; merge request; pull requests; merge requests
readonly: read only
appendonly: append only
writeonly: write only
rightside: on the right; right side; right hand side; right aligned
leftside: on the left; left side; left hand side; left aligned
localtime: local time; local timezone; local times
commandline: command line
ci: continuous integration; the pipeline
locally: on my machine; on your machine; on the machine
pullrequest: pull-request
timezone: time zone; time zones
typehint: type hint; type hints; type annotation; type annotations
featureflag: feature flag; feature flags; feature toggle; feature toggles
envvar: env var; env vars; environment variable; environment variables
thirdparty: third party; 3rd party; external
opensource: open source
uppercase: upper case
lowercase: lower case
snakecase: snake case
camelcase: camel case
pascalcase: pascal case
kebabcase: kebab case
forcepush: force push; force pushing; force pushes; push with force; push --force
"""


def _rows(table: str) -> list[tuple[str, list[str]]]:
    """Rows of `name: phrase; phrase`, which go on in lines that begin with a blank."""
    rows = table.strip().replace("\n ", " ").splitlines()
    split = [row.partition(":") for row in rows]
    return [(name, [" ".join(p.split()) for p in phrases.split(";")]) for name, _, phrases in split]


def _cues() -> dict[str, Cue]:
    cues: dict[str, Cue] = {}
    for name, phrases in _rows(_TABLE):
        does, _, what = name.partition(" ")
        cue = Cue(cast("Does", does), what)
        cues |= dict.fromkeys(phrases, cue)
    for name, phrases in _rows(_TERMS):
        cues |= dict.fromkeys(phrases, Cue("term", stem(name)))
    return cues


CUES = _cues()
"""Phrase -> what it does."""


def _by_first_word() -> dict[str, list[tuple[tuple[str, ...], Cue]]]:
    phrases: dict[str, list[tuple[tuple[str, ...], Cue]]] = {}
    for phrase, cue in CUES.items():
        words = tuple(phrase.split())
        phrases.setdefault(words[0], []).append((words, cue))
    for alike in phrases.values():
        alike.sort(key=lambda pair: -len(pair[0]))
    return phrases


PHRASES = _by_first_word()
"""First word -> the phrases that begin with it, the longest first."""
