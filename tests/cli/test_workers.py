"""Many jobs on all cores: each gives one outcome, whatever happens to the process doing it."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from cli.running import ROOT
from ctxd import workers
from ctxd.workers import Died, Work, run_all

MANY = 50_000_000
"""Bytes that are worth other processes."""


def double(job, advance):
    advance(job)
    return job * 2


def process_of(_job, _advance):
    time.sleep(0.05)
    return os.getpid()


def die_of_seven(job, _advance):
    if job == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def always_die(_job, _advance):
    os._exit(3)


def name_of(job, _advance):
    return job


def nothing(_count):
    """Takes progress and does nothing with it."""


def outcomes(function, jobs, sizes, cores=3):
    advanced = []
    work = Work(function, jobs, sizes)
    return dict(run_all(work, advanced.append, cores)), sum(advanced)


def test_every_job_gives_its_result_and_progress_adds_up():
    jobs = list(range(100))
    results, advanced = outcomes(double, jobs, [MANY // 100] * 100)
    assert results == {job: job * 2 for job in jobs}
    assert advanced == sum(jobs)


def test_large_work_is_done_by_other_processes_side_by_side():
    results, _ = outcomes(process_of, list(range(6)), [MANY] * 6)
    assert os.getpid() not in results.values()
    assert len(set(results.values())) == 3


@pytest.mark.parametrize(
    ("sizes", "cores"), [([10] * 4, 3), ([MANY] * 4, 1)], ids=["little", "one core"]
)
def test_little_work_or_one_core_stays_in_this_process(sizes, cores):
    results, _ = outcomes(process_of, list(range(4)), sizes, cores)
    assert set(results.values()) == {os.getpid()}


def test_no_work_is_done_at_once():
    assert outcomes(double, [], []) == ({}, 0)


def test_the_largest_jobs_come_first():
    work = Work(name_of, ["small", "large", "middle"], [1, 3, 2])
    assert [job for job, _ in run_all(work, nothing, cores=1)] == ["large", "middle", "small"]


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_a_killed_process_fails_its_one_job_and_no_other():
    results, _ = outcomes(die_of_seven, list(range(20)), [MANY // 20] * 20)
    assert results.pop(7) == Died("the process reading it was killed by signal 9")
    assert results == {job: job for job in range(20) if job != 7}


def test_when_every_process_dies_every_job_has_failed():
    results, _ = outcomes(always_die, list(range(10)), [MANY] * 10)
    assert set(results.values()) == {Died("the process reading it ended with code 3")}


def test_processes_are_gone_when_the_caller_stops_early():
    import multiprocessing

    results = run_all(Work(process_of, list(range(50)), [MANY] * 50), nothing, cores=3)
    next(results)
    results.close()
    assert multiprocessing.active_children() == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_process_outlives_a_killed_caller(tmp_path):
    script = tmp_path / "caller.py"
    script.write_text(
        textwrap.dedent("""
            import sys, time
            from ctxd.workers import Work, run_all

            def slow(job, advance):
                print("working", flush=True)
                time.sleep(0.5)

            if __name__ == "__main__":
                list(run_all(Work(slow, list(range(99)), [10**7] * 99), lambda n: None, 3))
        """),
        encoding="utf-8",
    )
    path = os.pathsep.join([str(ROOT / "daemon"), str(ROOT / "parsers")])
    caller = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    for _ in range(3):
        caller.stdout.readline()
    children = (
        Path(f"/proc/{caller.pid}/task/{caller.pid}/children").read_text(encoding="utf-8").split()
    )
    assert len(children) == 3
    caller.kill()
    caller.wait()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    caller.stdout.close()


def test_it_also_works_where_processes_cannot_be_forked(monkeypatch):
    import multiprocessing

    monkeypatch.setattr(workers, "_context", lambda: multiprocessing.get_context("spawn"))
    results, _ = outcomes(abs_of, [-1, -2, 3], [MANY] * 3)
    assert results == {-1: 1, -2: 2, 3: 3}


def abs_of(job, _advance):
    return abs(job)
