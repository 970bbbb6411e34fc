"""A program in a job object, which Windows ends with all that is in it when its last handle goes:
when it is told to, and when the process that holds it ends in whatever way.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ctxd.notify.programs import NO_WINDOW
from ctxd.reader.guarded import outputs_of

_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE = 0x2000
_WORD = ctypes.c_size_t


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION; only its flags are set."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("working_set", _WORD * 2),
        ("processes", ctypes.c_uint32),
        ("affinity", _WORD),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
        ("counters", ctypes.c_uint64 * 6),
        ("memory", _WORD * 4),
    )


class Jobbed:
    """A program in a job of its own; it is put there before it can have started another one."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], given: IO[bytes], place: Path, _lock: int
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the user's reader, no shell
            list(argv),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=place,
            env=dict(env),
            creationflags=NO_WINDOW | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._kernel = _kernel()
        try:
            self._job = self._job_of(self._process)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    @property
    def outputs(self) -> tuple[IO[bytes], IO[bytes]]:
        """What it prints, and what it complains of."""
        return outputs_of(self._process)

    def wait(self) -> int:
        """Wait until it has ended and return its code."""
        code = self._process.wait()
        self._kernel.TerminateJobObject(self._job, 1)
        return code

    def close(self) -> None:
        """End it, if it still runs, with all it started."""
        self._kernel.TerminateJobObject(self._job, 1)
        self._process.wait()
        self._kernel.CloseHandle(self._job)

    def _job_of(self, process: subprocess.Popen[bytes]) -> Any:
        limits = _Limits(flags=_KILL_ON_CLOSE)
        job = self._kernel.CreateJobObjectW(None, None)
        handle = ctypes.c_void_p(int(process._handle))  # type: ignore[attr-defined]  # noqa: SLF001
        if (
            not job
            or not self._kernel.SetInformationJobObject(
                job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
            or not self._kernel.AssignProcessToJobObject(job, handle)
        ):
            raise OSError("Windows does not take it into a job object")
        return job


def _kernel() -> Any:
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, ctypes.c_wchar_p)
    kernel.SetInformationJobObject.argtypes = (
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_uint32,
    )
    kernel.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.TerminateJobObject.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    return kernel
