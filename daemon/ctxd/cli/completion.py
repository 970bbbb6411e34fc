"""`ctxd completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import click

from ctxd.cli.group import COMPLETION_VARIABLE
from ctxd.cli.group import command as command_of
from ctxd.errors import Exit


@command_of(
    ('eval "$(ctxd completion bash)"', "in ~/.bashrc"),
    ('eval "$(ctxd completion zsh)"', "in ~/.zshrc"),
    ("ctxd completion fish > ~/.config/fish/completions/ctxd.fish", ""),
)
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the script that completes ctxd's commands and options in a shell.

    SHELL is bash, zsh or fish.
    """
    from click.shell_completion import get_completion_class

    from ctxd.cli.group import group

    kind = get_completion_class(shell)
    if kind is None:  # a click without this shell
        return Exit.FAILED
    click.echo(kind(group, {}, "ctxd", COMPLETION_VARIABLE).source())
    return Exit.OK
