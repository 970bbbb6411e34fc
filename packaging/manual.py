"""The manual page ctxd(1), made from the commands themselves."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from collections.abc import Iterator

import click

from ctxd import __version__, errors
from ctxd.cli.group import ALL, EXAMPLES, group
from ctxd.cli.settings import common_options

_ENVIRONMENT = {
    "CTXD_HOME": "Keep ctxd's own files below this folder, as `--home` does.",
    "NO_COLOR, FORCE_COLOR": "Never, or always, use colours; `--color` comes before them.",
    "CTXD_NO_PROGRESS": "Show no progress bar.",
}
_FILES = {
    "~/.config/ctxd/config.toml": "The configuration; `ctxd config show` explains it.",
    "~/.local/state/ctxd/": "What ctxd knows, and its log.",
    "AGENTS.md, .ctxd/items.jsonl": "In a repository: what was decided there. `.ctxd.toml` "
    "narrows what is written.",
}


def manual() -> str:
    """The page in the language of man(7)."""
    lines = [
        '.\\" Made by packaging/generate.py from the commands.',
        f'.TH CTXD 1 "" "ctxd {__version__}" "User Commands"',
        ".nh",
        ".SH NAME",
        f"ctxd \\- {_roff(_sentence(group.help or '')).lower()}",
        ".SH SYNOPSIS",
        ".B ctxd",
        "[\\fB\\-\\-color\\fR \\fIWHEN\\fR] [\\fB\\-\\-home\\fR \\fIDIR\\fR]",
        "\\fICOMMAND\\fR [\\fIARGUMENT\\fR ...]",
        ".SH DESCRIPTION",
        _roff(_ABOUT),
        ".SH COMMANDS",
        *(line for name in sorted(ALL) for line in _command(name)),
        ".SH OPTIONS OF ALL COMMANDS",
        *_options(common_options()),
        ".SH EXIT STATUS",
        *_terms(dict(_exit_codes())),
        ".SH ENVIRONMENT",
        *_terms(_ENVIRONMENT),
        ".SH FILES",
        _roff("`ctxd paths` shows all folders in use. On Linux:"),
        *_terms(_FILES),
        ".SH EXAMPLES",
        *_terms(dict(EXAMPLES)),
    ]
    return "\n".join(lines) + "\n"


_ABOUT = (
    "Coding agents forget: a context window compacts and the summary drops what was agreed. ctxd "
    "reads the session logs that they leave on this machine, keeps decisions, constraints and "
    "their reasons, and writes them in small edits into the context files that agents read. "
    "Nothing is sent anywhere, unless you choose a language model as second reader."
)


def _command(name: str) -> Iterator[str]:
    command = group.get_command(click.Context(group), name)
    context = click.Context(command, info_name=f"ctxd {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SS ctxd {_roff(name)} {_roff(usage)}"
    for number, paragraph in enumerate(inspect.cleandoc(command.help or "").split("\n\n")):
        if number:
            yield ".PP"
        yield _roff(" ".join(paragraph.split()))
    common = {option.name for option in common_options()}
    yield from _options([param for param in command.params if param.name not in common])
    yield from _terms({line: what for line, what in command.examples if what})


def _options(params: list[click.Parameter]) -> Iterator[str]:
    for param in params:
        if isinstance(param, click.Argument):
            continue
        record = param.get_help_record(click.Context(click.Command("ctxd")))
        if record:
            yield ".TP"
            yield f"\\fB{_roff(record[0])}\\fR"
            yield _roff(record[1])


def _terms(terms: dict[str, str]) -> Iterator[str]:
    for term, meaning in terms.items():
        yield ".TP"
        yield f"\\fB{_roff(term)}\\fR"
        yield _roff(meaning) or "\\&"


def _exit_codes() -> Iterator[tuple[str, str]]:
    """The codes with what stands below each of them in the source."""
    yield "0", "All is well."
    [made] = ast.parse(inspect.getsource(errors.Exit)).body
    body = made.body
    for assigned, text in itertools.pairwise(body):
        if isinstance(assigned, ast.Assign) and isinstance(text, ast.Expr):
            yield str(ast.literal_eval(assigned.value)), " ".join(text.value.value.split())


def _sentence(text: str) -> str:
    return text.partition("\n")[0].strip().removesuffix(".")


def _roff(text: str) -> str:
    """Text as it is, with what stands between backticks in bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    return "\\&" + text if text.startswith((".", "'")) else text
