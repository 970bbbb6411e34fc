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
    try:
        from ctxd.cli import run

        return run(arguments)
    except KeyboardInterrupt:  # while still importing
        return 130


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
