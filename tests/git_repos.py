"""Real git repositories for tests, untouched by the configuration of whoever runs them."""

import os
import subprocess

NAMED = ("-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false")


def git(folder, *arguments):
    """What git prints when it is run in a folder."""
    command = ["git", "-C", str(folder), *NAMED, "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=variables(folder)
    )
    return done.stdout.rstrip("\n")


def variables(folder):
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}


def new_repository(folder):
    """A repository with one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    commit(folder, {"readme.txt": "a project\n"})
    return folder


def commit(folder, files, message="work"):
    """Write files and commit them."""
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
    git(folder, "add", "-f", "--", *files)
    git(folder, "commit", "-q", "-m", message)


def status(folder):
    """What `git status` names, by path."""
    lines = git(folder, "status", "--porcelain", "--untracked-files=all").splitlines()
    return {line[3:]: line[:2] for line in lines}
