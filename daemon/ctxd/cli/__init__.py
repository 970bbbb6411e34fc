"""The command line: parses arguments, shows results, and turns every failure into an exit code."""

from __future__ import annotations

from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing is raised but `SystemExit`."""
    from ctxd.cli.exits import exit_code_of, settle
    from ctxd.terminal import prepare_streams

    try:
        prepare_streams()
        code = _invoke(list(arguments))
        settle()
    except BaseException as error:  # noqa: BLE001 - this is where all failures end
        return exit_code_of(error)
    return code


def _invoke(arguments: list[str]) -> int:
    import os

    from ctxd.cli.group import COMPLETION_VARIABLE, group

    instruction = os.environ.get(COMPLETION_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(group, {}, "ctxd", COMPLETION_VARIABLE, instruction)
    with group.make_context("ctxd", arguments) as context:
        result = group.invoke(context)
    return result if isinstance(result, int) else 0
