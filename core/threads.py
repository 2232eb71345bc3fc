"""Parts of one piece of work, each in a thread of its own: for compiled loops, which hold no interpreter lock."""

import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event

MAX_THREADS = 4
WAIT_SECONDS = 0.005


def processor_count() -> int:
    """So many threads are of use."""
    return min(os.cpu_count() or 1, MAX_THREADS)


def part_count(size: int, size_for_threads: int) -> int:
    """Into how many parts work is cut that is worth a thread for each `size_for_threads`."""
    return max(min(processor_count(), size // size_for_threads), 1)


def together(parts: Sequence[Iterator[object]]) -> Generator[None, None, None]:
    """Run all iterators to their ends, the first one in the caller's thread; yields after some milliseconds.

    When it is closed, or one of them fails, the threads end after the step that they are at.
    """
    first, *others = parts
    if not others:
        yield from (None for _ in first)
        return
    is_left = Event()
    with ThreadPoolExecutor(len(others), "counting") as pool:
        try:
            running = [pool.submit(_run, part, is_left) for part in others]
            for _ in first:
                _raise_errors(running)
                yield
            while wait(running, WAIT_SECONDS, FIRST_EXCEPTION).not_done:
                _raise_errors(running)
                yield
            _raise_errors(running)
        finally:
            is_left.set()


def _run(part: Iterator[object], is_left: Event) -> None:
    for _ in part:
        if is_left.is_set():
            return


def _raise_errors(running: Sequence[Future[None]]) -> None:
    for work in running:
        if work.done():
            work.result()
