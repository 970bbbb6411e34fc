"""The command `ctxd`."""

from __future__ import annotations

import sys

from ctxd import __version__


def main() -> int:
    """Run the command line of this process and return its exit code.

    `--version` is answered before anything is imported: scripts and shell prompts ask it often.
    """
    arguments = sys.argv[1:]
    if arguments == ["--version"] and _print_version():
        return 0
    _import()
    import gc

    from ctxd.cli import run

    code = run(arguments)
    gc.freeze()  # else all there is would be looked through once more, an eighth of `ctxd status`
    return code


def _import() -> None:
    """Import what every command needs. Ctrl-C ends the process at once meanwhile: there is nothing
    to tidy up yet, and an exception that is raised inside an import comes out as anything."""
    import signal

    raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if raises:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    import gc

    from ctxd.policy.startup import GARBAGE_OBJECTS

    gc.set_threshold(GARBAGE_OBJECTS)
    import ctxd.cli.exits
    import ctxd.cli.group  # noqa: F401 - imported to be there

    if raises:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _print_version() -> bool:
    """Print it; False when it cannot be, which is the full command line's to explain."""
    try:
        sys.stdout.write(f"ctxd {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):  # AttributeError: started with stdout closed
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
