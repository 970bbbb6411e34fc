"""A login of an unprivileged user with a real `systemd --user` of its own, as in a container.

Namespaces of processes, mounts and control groups keep it apart: it sees a home folder of a test,
an empty `/run`, and nothing of it is left when it ends. Needs root, systemd, and a kernel with
control groups of version 2; other machines skip what needs it.
"""

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

USER = 65534
NAME = "tester"
RUNTIME = f"/run/user/{USER}"
PROGRAMS = ("unshare", "nsenter", "setpriv", "systemctl")
MANAGER = "/lib/systemd/systemd"
_SECONDS = 20

_INSIDE = """\
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /run
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 /sys/fs/cgroup
group=/sys/fs/cgroup/ctxd-test-{number}
mkdir $group $group/manager
grep -v '^nobody:' /etc/passwd > {folder}/passwd
echo '{name}:x:{user}:{user}::{folder}/home:/bin/sh' >> {folder}/passwd
mount --bind {folder}/passwd /etc/passwd
{mounts}
# The folder by which programs tell that systemd runs the machine.
mkdir -p {runtime} /run/systemd/system
chown {user}:{user} {runtime}
chmod 700 {runtime}
echo $$ > $group/manager/cgroup.procs
exec unshare --cgroup --mount sh -ec '
umount /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
chown -R {user}:{user} /sys/fs/cgroup
cd {folder}/home
setpriv --reuid {user} --regid {user} --clear-groups --inh-caps=-all \
  env -i HOME={folder}/home USER={name} PATH=/usr/bin:/bin XDG_RUNTIME_DIR={runtime} \
  {manager} --user --log-target=console >{folder}/home/.systemd.log 2>&1 &
# The first process of a namespace is no place for it.
wait
'
"""


@functools.cache
def missing() -> str:
    """Why there can be no such login here; empty when there can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "needs root on Linux"
    if not all(map(shutil.which, PROGRAMS)) or not Path(MANAGER).exists():
        return "needs systemd and util-linux"
    words = ["unshare", "--mount", "--pid", "--fork", "--cgroup", "mount", "-t", "cgroup2"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*words, "none", folder], capture_output=True, check=False)
    return "" if done.returncode == 0 else "needs to make namespaces and control groups"


needs_user_manager = pytest.mark.skipif(bool(missing()), reason=missing() or "can be made")


class UserManager:
    """The login, while it lasts."""

    def __init__(self, folder: Path, usr: Path | None = None) -> None:
        self.folder = folder
        self._mounts = f"mount -t overlay overlay -o lowerdir={usr}:/usr /usr" if usr else ""
        self.home = folder / "home"
        self._process: subprocess.Popen[bytes] | None = None
        self._number = str(os.getpid()) + folder.name[-4:]

    def start(self) -> None:
        self.home.mkdir()
        os.chown(self.home, USER, USER)
        script = self.folder / "inside.sh"
        facts = {"folder": self.folder, "number": self._number, "manager": MANAGER}
        facts |= {"mounts": self._mounts, "user": USER, "name": NAME, "runtime": RUNTIME}
        script.write_text(_INSIDE.format(**facts), encoding="utf-8")
        apart = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--cgroup"]
        self._process = subprocess.Popen(
            ["unshare", *apart, "--propagation", "private", "sh", str(script)]
        )
        until = time.monotonic() + _SECONDS
        while self.run("systemctl", "--user", "is-system-running").stdout.strip() != "running":
            assert self._process.poll() is None, self.log
            assert time.monotonic() < until, self.log
            time.sleep(0.1)

    def run(self, *command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """A command of that user, as in a shell of the login."""
        inside = self._inside()
        if inside is None:
            return subprocess.CompletedProcess(command, 1, "", "it is not there yet")
        given = {"HOME": self.home, "USER": NAME, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        given |= {"XDG_RUNTIME_DIR": RUNTIME, **variables}
        return subprocess.run(
            ["nsenter", "--target", inside, "--mount", "--pid", "--cgroup", "--"]
            + ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]
            + ["env", "-i", f"--chdir={self.home}"]
            + [f"{name}={value}" for name, value in given.items()]
            + [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def show(self, name: str, unit: str = "ctxd.service") -> str:
        """What systemd says of a unit."""
        done = self.run("systemctl", "--user", "show", unit, f"--property={name}", "--value")
        return done.stdout.strip()

    def give(self, path: Path) -> None:
        """Have a file or folder, with all in it, belong to the user."""
        for one in (path, *path.rglob("*")):
            os.chown(one, USER, USER, follow_symlinks=False)

    @property
    def log(self) -> str:
        path = self.home / ".systemd.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()  # and with the first process of a namespace all others end
            self._process.wait()
        self._remove_groups()

    def _inside(self) -> str | None:
        """The pid of the first process in there, as it is outside."""
        pid = self._process.pid if self._process else 0
        with contextlib.suppress(OSError):
            found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
            return found[0] if found else None
        return None

    def _remove_groups(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            script = (
                f"mount -t cgroup2 none {folder}; cd {folder}; for try in 1 2 3 4 5; do "
                f"find ctxd-test-{self._number} -depth -type d -exec rmdir {{}} + && break; "
                "sleep 0.2; done"
            )
            command = ["unshare", "--mount", "sh", "-c", script]
            subprocess.run(command, capture_output=True, check=False)


@contextlib.contextmanager
def logged_in(usr: Path | None = None) -> Iterator[UserManager]:
    """The login of a user, in a folder that this user can reach; with what is in `usr` in `/usr`,
    as if it were installed there."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    manager = UserManager(folder, usr)
    try:
        manager.start()
        yield manager
    finally:
        manager.close()
        shutil.rmtree(folder, ignore_errors=True)
