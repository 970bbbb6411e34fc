"""`ctxd schema`: the JSON Schema of what commands print with `--json`."""

from __future__ import annotations

from importlib.resources import files

import click

from ctxd.cli.group import command as command_of
from ctxd.cli.settings import current
from ctxd.errors import Exit, UserError

_END = ".schema.json"


@command_of(
    ("ctxd schema", "list the forms"),
    ("ctxd schema status-1", "what `ctxd status --json` prints"),
    ("ctxd schema ctxd.item/1", "the form that an object names"),
)
@click.argument("name", metavar="[NAME]", required=False)
def command(name: str | None) -> int:
    """Print the JSON Schema of a form of JSON output; without a NAME, list the forms."""
    folder = files("ctxd.schemas")
    names = sorted(
        file.name.removesuffix(_END) for file in folder.iterdir() if file.name.endswith(_END)
    )
    if name is None:
        for one in names:
            current.output.print(one)
        return Exit.OK
    wanted = name.removeprefix("ctxd.").replace("/", "-")
    if wanted not in names:
        from ctxd.settings import closest

        raise UserError(f"no form `{name}`", closest(wanted, names))
    for line in folder.joinpath(wanted + _END).read_text(encoding="utf-8").splitlines():
        current.output.print(line)
    return Exit.OK
