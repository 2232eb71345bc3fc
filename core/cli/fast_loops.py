"""Whether a command gets the compiled loops: they must not cost more time than they save."""

from contextlib import suppress

from core.cli.console import Console
from core.errors import KernelError
from core.kernel_loader import Status, are_cached, are_ready, is_switched_off, keeping_problem, load, start_loading

LOAD_BYTES = 4_000_000
"""Loading takes 0.6 s, in which plain Python trains on so much English or encodes half a megabyte."""
COMPILE_BYTES = 32_000_000
"""Compiling takes 10 to 20 s, as plain Python does for so much English with 32,000 merges."""


def ensure_fast_loops(console: Console, byte_count: int) -> None:
    """Get them ready for a text of this size, compiling first for a large one.

    For one in between that is done beside the command's work, as far as it comes; the next command goes on from there.
    """
    if byte_count < LOAD_BYTES or are_ready() or is_switched_off():
        return
    if are_cached():
        with suppress(KernelError):  # plain Python does
            load()
    elif byte_count < COMPILE_BYTES:
        start_loading()
    else:
        _compile(console)


def _compile(console: Console) -> None:
    problem = keeping_problem()
    how = f"for this run only, as they cannot be kept ({problem})" if problem else "for this machine, once"
    console.note(f"compiling the fast loops {how}: some 20 seconds.")
    try:
        with console.bar("compiling") as bar:

            def show(status: Status) -> None:
                if bar is not None and status.total:
                    bar.total = status.total
                    bar.update(status.done - bar.n)

            load(show)
    except KernelError as error:
        console.note(f"{error} Going on in plain Python.", "warning")
