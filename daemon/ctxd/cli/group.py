"""The group of all commands. A command's module is imported when the command is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from ctxd import __version__
from ctxd.cli.settings import common_options
from ctxd.errors import UsageError

COMPLETION_VARIABLE = "_CTXD_COMPLETE"
"""Set by the completion script of a shell, when it asks what may follow."""

COMMANDS = {
    "compactions": "Show what a session's compactions dropped, and what was done",
    "doctor": "Look whether anything keeps ctxd from its work",
    "items": "List decisions, constraints and what else was understood",
    "report": "Write an HTML file of sessions, their compactions and decisions",
    "review": "Accept, edit or reject what waits for your word",
    "scan": "Read all session logs once and count what is in them",
    "search": "Find items by words",
    "service": "Have the system run ctxd in the background",
    "show": "Show everything about one item, with its evidence",
    "status": "Tell whether ctxd runs, reads everything, and needs you",
}
"""Name and help line of each command that is used by itself; its module has the same name and a
function `command`."""

MORE = {
    "files": {
        "apply": "Write items into context files",
        "diff": "Show what waits to be written into context files",
        "enable": "Write again where the markers were removed",
        "forget": "Take an item out of all that ctxd keeps, for good",
        "log": "Show what was captured, what you said of it, and what was written",
        "undo": "Take back an edit of a context file",
    },
    "setup": {
        "config": "Show and change the configuration",
        "hook": "Have agents call ctxd before and after a compaction",
        "paths": "Show every folder that ctxd uses or looks for logs in",
        "pause": "Have the daemon stop reading for a while",
        "read": "Have the chosen language model read sessions now",
        "reader": "Have a language model read your sessions a second time",
        "resume": "Have a paused daemon go on",
        "run": "Follow all sessions in the foreground, until stopped",
    },
    "more": {
        "completion": "Print the script that completes commands in a shell",
        "events": "Show one session log, event by event, as ctxd understands it",
        "flush": "Have the daemon read everything up to now",
        "ping": "Ask whether the daemon is alive",
        "schema": "Print the JSON Schema of what a command prints",
        "sessions": "List the sessions found, the newest first",
        "timeline": "Draw a session's window, its compactions, and what they cut off",
    },
}
"""Commands that others lead to, those for setting ctxd up, and those for scripts: the help, which
fits a screen, has one line for each of these groups."""

ALL = COMMANDS | {name: line for group in MORE.values() for name, line in group.items()}

EXAMPLES = (
    ("ctxd service install", "follow all sessions from now on"),
    ("ctxd status", "what it is doing"),
    ("ctxd items", "what was decided in this repository"),
)

_OTHER_NAMES = {"help": ["-h"], "version": ["--version"], "list": ["sessions"]}
"""What other programs call a command is told of, not guessed at."""

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 80}
_EXAMPLE_WIDTH = 44
Function = TypeVar("Function", bound=Callable[..., Any])


class Command(click.Command):
    """A command with examples at the end of its help, and the options that all commands share."""

    examples: Sequence[tuple[str, str]] = ()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; raise UserError where there is no home to run it in."""
        from ctxd.places import require_home

        require_home()
        return super().invoke(ctx)

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        write_examples(formatter, self.examples)


def command(*examples: tuple[str, str]) -> Callable[[Function], Command]:
    """Make a function a command; its docstring is the help, `examples` its command lines."""

    def decorate(function: Function) -> Command:
        made = click.command(cls=Command, context_settings=_HELP)(function)
        made.params += common_options()
        made.examples = examples
        return made

    return decorate


def write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    """Command lines with what they do, under a heading."""
    with formatter.section("Examples"):
        formatter.write_dl(examples, col_max=_EXAMPLE_WIDTH)


class _Group(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(ALL)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in ALL:
            return None
        found = importlib.import_module(f"ctxd.cli.{name}").command
        found.name = name
        return found  # type: ignore[no-any-return]

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = arguments[0]
        asked_by_shell = context.resilient_parsing
        if name in ALL or name.startswith("-") or asked_by_shell:
            return super().resolve_command(context, arguments)
        import difflib

        meant = _OTHER_NAMES.get(name) or difflib.get_close_matches(name, ALL, 1)
        hint = f"did you mean `ctxd {meant[0]}`?" if meant else "`ctxd -h` lists the commands"
        raise UsageError(f"no command `{name}`", hint)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            groups = [(f"({name})", ", ".join(group)) for name, group in MORE.items()]
            formatter.write_dl([*sorted(COMMANDS.items()), *groups])

    def format_usage(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        # All options stand here: `-h` of a command explains those that it shares with the others.
        named = [option.get_help_record(context) for option in self.get_params(context)]
        options = [f"[{record[0].rpartition(', ')[2]}]" for record in named if record]
        formatter.write_usage(context.command_path, " ".join([*options, "COMMAND ..."]))

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(context, formatter)

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, EXAMPLES)


@click.group(cls=_Group, invoke_without_command=True, context_settings=_HELP)
@click.version_option(__version__, prog_name="ctxd", message="%(prog)s %(version)s")
@click.pass_context
def group(context: click.Context) -> int:
    """Keep what coding agents forget: decisions, constraints and their reasons."""
    if context.invoked_subcommand is not None:
        return 0
    from ctxd.cli.welcome import welcome
    from ctxd.places import require_home

    require_home()
    return welcome()


group.params += common_options()
