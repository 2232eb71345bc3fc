import contextlib
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import PatternError
from core.user_patterns import too_slow
from core.worker_pool import WorkerError, WorkerPool

ROOT = Path(__file__).parents[2]


def results(pool, jobs):
    return [result for result in pool.results(jobs) if result is not None]


def test_results_come_in_the_order_of_the_jobs():
    with closing(WorkerPool(divmod, 7, count=2)) as pool:
        assert results(pool, range(100)) == [divmod(number, 7) for number in range(100)]


def test_jobs_are_taken_when_there_is_room():
    taken = []

    def jobs():
        for number in range(1_000):
            taken.append(number)
            yield number

    with closing(WorkerPool(divmod, 7, count=1)) as pool:
        working = pool.results(jobs())
        while next(working) is None:
            pass
        assert len(taken) < 10


def test_an_error_of_the_users_comes_back_as_it_is():
    with closing(WorkerPool(raise_error, count=2)) as pool, pytest.raises(PatternError) as error:
        results(pool, ["in “a”"])
    assert str(error.value).startswith("The pattern takes too long on in “a”. ")
    assert error.value.position == 12


def raise_error(job):
    raise too_slow(job, 12)


def test_a_fault_is_no_error_of_the_users():
    with closing(WorkerPool(divmod, 0, count=1)) as pool, pytest.raises(RuntimeError, match="ZeroDivisionError"):
        results(pool, [1])


def test_closing_ends_processes_at_once():
    pool = WorkerPool(time.sleep, count=2)
    working = pool.results([60, 60])
    assert next(working) is None  # while there is no result, whoever waits gets a turn
    before = time.monotonic()
    pool.close()
    assert time.monotonic() - before < 1
    assert all(worker._process.poll() is not None for worker in pool._workers)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_process_that_was_killed_is_told():
    with closing(WorkerPool(time.sleep, count=1)) as pool:
        working = pool.results([60])
        assert next(working) is None
        os.kill(pool._workers[0]._process.pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="ended from outside"):
            list(working)


ENDLESS = """
import sys, time
from core.worker_pool import WorkerPool
pool = WorkerPool(time.sleep, count=1)
next(pool.results([60]))
print(pool._workers[0]._process.pid, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("end", ["raise KeyboardInterrupt", "import os; os.kill(os.getpid(), 9)"])
def test_a_worker_does_not_outlive_its_program(end):
    program = ENDLESS.replace("60", "1") + end  # one that sleeps ends with its sleep
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment, check=False)
    worker = int(done.stdout)
    deadline = time.monotonic() + 10
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.kill(worker, 0)
            time.sleep(0.05)
        pytest.fail("the worker is still there")


def test_the_users_script_is_not_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "print('once')\n"
        "from core.worker_pool import WorkerPool\n"
        "pool = WorkerPool(divmod, 7, count=2)\n"
        "print([result for result in pool.results([15]) if result])\n"
        "pool.close()\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=False)
    assert (done.stdout, done.stderr) == ("once\n[(2, 1)]\n", "")
