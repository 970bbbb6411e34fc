"""`ctxd read`: sessions read by the chosen language model now, or what that would take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxd.cli.arguments import GivenPath
from ctxd.cli.group import command as command_of
from ctxd.cli.item_choice import open_ledger, repository_named, session_ids, session_named
from ctxd.cli.settings import current
from ctxd.errors import Exit, UsageError, UserError

if TYPE_CHECKING:
    from ctxd.ledger import Reader
    from ctxd.settings_reader import ReaderSettings

Key = tuple[str, str]
"""Agent and session id."""


@command_of(
    ("ctxd read 5b0e --dry-run", "how many calls and tokens it would take"),
    ("ctxd read 5b0e --show", "word for word what would be sent"),
    ("ctxd read --repo", "all sessions of this repository"),
)
@click.argument("sessions", metavar="[SESSION]...", nargs=-1, shell_complete=session_ids)
@click.option(
    "--repo",
    type=GivenPath(),
    is_flag=False,
    flag_value=".",
    metavar="[PATH]",
    help="The sessions of a repository, the newest first.",
)
@click.option("--again", is_flag=True, help="Also what was read before.")
@click.option("--dry-run", is_flag=True, help="Tell what it would take; send nothing.")
@click.option("--show", is_flag=True, help="Print all that would be sent; send nothing.")
@click.option("--json", "as_json", is_flag=True, help="--dry-run, --show: one JSON object.")
def command(sessions: tuple[str, ...], repo: Path | None, **how: bool) -> int:
    """Have the language model that you chose with `ctxd reader setup` read sessions now.

    SESSION is the start of an id. What was read before is not sent again. A running daemon does it;
    Ctrl-C ends the waiting, not the reading. Exits with 6 when it could not read all.
    """
    if sessions and repo is not None:
        raise UsageError("sessions and `--repo` do not go together", "leave out one of the two")
    if not sessions and repo is None:
        raise UsageError("say which sessions, or `--repo`", "`ctxd sessions` lists them")
    is_plan = how["dry_run"] or how["show"]
    if how["as_json"] and not is_plan:
        raise UsageError("`--json` is for `--dry-run` and `--show`", "add one of the two")
    settings = _settings()
    if not is_plan and not settings.is_on:
        raise UserError("no reader is chosen", "`ctxd reader setup` lists what there is")
    with open_ledger() as reader:
        keys = _keys(reader, sessions, repo)
        if is_plan:
            return _plan(reader, keys, settings, **how)
    from ctxd.cli.read_order import read

    return read(keys, settings, again=how["again"])


def _settings() -> ReaderSettings:
    from ctxd.settings import load_settings

    return load_settings(current.places.config).reader


def _keys(reader: Reader, sessions: Sequence[str], repo: Path | None) -> list[Key]:
    if repo is not None:
        return _of_repository(reader, repo)
    keys = list(dict.fromkeys(session_named(reader, prefix) for prefix in sessions))
    for key in keys:
        if why := _why_not(reader, key):
            hint = "`ctxd sessions` lists those that somebody spoke in"
            raise UserError(f"session `{key[1]}` is not read: {why}", hint)
    return keys


def _of_repository(reader: Reader, repo: Path) -> list[Key]:
    """The newest sessions of a repository that may be read."""
    from ctxd.policy.reader import READER_ASKED_SESSIONS
    from ctxd.repositories import repository_key
    from ctxd.terminal import short_path

    wanted = repository_named(repo)
    rows = (row for row in reader.sessions() if repository_key(row.cwd, row.repository) == wanted)
    keys = ((row.agent, row.id) for row in rows)
    found = [key for key in keys if not _why_not(reader, key)]
    if not found:
        where = short_path(wanted, Path.home())
        raise UserError(f"no session ran in `{where}`", "`ctxd sessions` tells where each ran")
    if len(found) > READER_ASKED_SESSIONS:
        said = f"the newest {READER_ASKED_SESSIONS} of {len(found)} sessions; name others by id"
        current.messages.print(said)
    return found[:READER_ASKED_SESSIONS]


def _why_not(reader: Reader, key: Key) -> str:
    from ctxd.reader.readable import why_not

    session = reader.session(*key)
    return why_not(session) if session is not None else "it is gone"


def _plan(reader: Reader, keys: Sequence[Key], settings: ReaderSettings, **how: bool) -> int:
    from ctxd.cli.json_output import print_json
    from ctxd.cli.read_lines import print_plan, print_questions
    from ctxd.reader_plan import plan

    found = plan(reader, keys, settings, again=how["again"], show=how["show"])
    if how["as_json"]:
        print_json(found)
    elif how["show"]:
        print_questions(current.output, found)
    else:
        print_plan(current.output, found)
    return Exit.OK
