"""Lets other processes do jobs, several at a time, and hands out their results in the order of the jobs.

They are started anew, not forked, and import nothing but core: a window or a script of the user's stays out of them.
"""

import json
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, cast

from core.errors import BpeError
from core.worker_process import COMMAND, Answer

WAIT_SECONDS = 0.05  # for a result; then whoever waits may want to cancel
MAX_WORKERS = 16
JOBS_WAITING = 2  # for each worker


class WorkerError(BpeError):
    """A process that worked for this one has gone."""


def worker_count() -> int:
    """As many as there are processors for this process."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MAX_WORKERS)


class WorkerPool:
    """Calls `function(job, *context)` in `count` processes; all must be found by name when they import core."""

    def __init__(self, function: Callable[..., Any], *context: Any, count: int) -> None:
        """Raises OSError if no process can be started."""
        self._workers: list[_Worker] = []
        self._idle = SimpleQueue[_Worker]()
        self._threads = ThreadPoolExecutor(count, "worker")  # one waits for each process
        try:
            for _ in range(count):
                self._workers.append(_Worker(pickle.dumps((function, *context))))
                self._idle.put(self._workers[-1])
        except BaseException:
            self.close()
            raise

    def results(self, jobs: Iterable[Any]) -> Iterator[Any]:
        """The result of each job in order, and None whenever there is none for a while, or a job was sent first.

        Raises what the function raises, if it is a BpeError or MemoryError, and WorkerError if a process has ended.
        """
        jobs, waiting, room = iter(jobs), deque[Future[Any]](), JOBS_WAITING * len(self._workers)
        while True:
            for job in _some(jobs, room - len(waiting)):
                waiting.append(self._threads.submit(self._do, job))
                if len(waiting) < room:  # making all of the first ones takes long
                    yield None
            if not waiting:
                return
            if wait([waiting[0]], WAIT_SECONDS).done:
                yield waiting.popleft().result()
            else:
                yield None

    def close(self) -> None:
        """End the processes at once, whatever they are at."""
        for worker in self._workers:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def _do(self, job: Any) -> Any:
        worker = self._idle.get()
        try:
            return worker.do(job)
        finally:
            self._idle.put(worker)


class _Worker:
    def __init__(self, setup: bytes) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl+C is for this process, which ends the others
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._setup = setup

    def do(self, job: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        try:
            setup, self._setup = self._setup, b""
            self._process.stdin.write(setup)
            pickle.dump(job, self._process.stdin, pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()
            answer: Answer = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise WorkerError(
                "A process that helped with the work was ended from outside, perhaps because memory ran out. Try again."
            ) from None
        if answer.error:
            raise answer.error
        if answer.fault:
            raise RuntimeError(f"A process that helped with the work failed:\n{answer.fault}")
        return answer.result

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was still to be sent has no reader
                cast(Any, stream).close()
        self._process.wait()


def _some(jobs: Iterator[Any], number: int) -> Iterator[Any]:
    for _ in range(number):
        try:
            yield next(jobs)
        except StopIteration:
            return
