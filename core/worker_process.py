"""The other side of worker_pool.py: a process that does one job after the other until nobody sends any more."""

import os
import pickle
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, NamedTuple

from core.errors import BpeError

COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from core.worker_process import main; sys.exit(main())"
)
"""For `python -c`, with the search path as JSON behind it: nothing of the program that asks is imported or run."""


class Answer(NamedTuple):
    """`fault` is the text of a traceback, where the work failed in a way that is not the user's doing."""

    result: Any = None
    error: BpeError | MemoryError | None = None
    fault: str = ""


def main() -> int:
    jobs = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anything prints is no answer
    with suppress(EOFError, BrokenPipeError):  # the program that asked has gone
        serve(jobs, answers)
    return 0


def serve(jobs: IO[bytes], answers: IO[bytes]) -> None:
    """First comes the function and what it is always given besides a job, then the jobs."""
    function, *context = pickle.load(jobs)
    while True:
        pickle.dump(_answer(function, pickle.load(jobs), context), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _answer(function: Callable[..., Any], job: Any, context: list[Any]) -> Answer:
    try:
        return Answer(function(job, *context))
    except (BpeError, MemoryError) as error:
        return Answer(error=error.with_traceback(None))
    except Exception:
        return Answer(fault=traceback.format_exc())
