"""Where a command writes: results to standard output, messages and progress to standard error."""

import io
import os
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from core.compressed import unpacked
from core.errors import BpeError
from core.progress import CountingProgress, Progress

if TYPE_CHECKING:
    from tqdm import tqdm

Result = TypeVar("Result")


class Console:
    """`progress` None is a bar where standard error is a terminal; `quiet` leaves errors only."""

    def __init__(self, progress: bool | None = None, quiet: bool = False) -> None:
        self._has_bars = sys.stderr.isatty() and not quiet if progress is None else progress
        self._is_quiet = quiet

    @property
    def is_terminal(self) -> bool:
        """Whether results are for the eye."""
        return sys.stdout.isatty()

    def hide_bars(self) -> None:
        self._has_bars = False

    def write(self, text: str) -> None:
        sys.stdout.write(text)

    def write_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(f"{line}\n")

    def flush(self) -> None:
        sys.stdout.flush()

    def abandon_output(self) -> None:
        """Whoever read it has gone: what is still to be written goes nowhere, without an error at the end."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def note(self, message: str, kind: str = "note") -> None:
        self.say(f"{kind}: {message}")

    def say(self, message: str) -> None:
        if not self._is_quiet:
            complain(message)

    def follow(self, work: Generator[Progress, None, Result], title: str, unit: str = "") -> Result:
        """What the generator returns; a bar shows how far it is, in bytes if the unit is "B"."""
        with self.bar(title, unit=unit) as bar:
            done = 0
            while True:
                try:
                    progress = next(work)
                except StopIteration as stop:
                    result: Result = stop.value
                    return result
                if bar is not None:
                    bar.total = progress.total or None  # 0: nobody knows
                    if isinstance(progress, CountingProgress):
                        bar.set_postfix_str(f"{progress.words:,} words, {progress.unique:,} different", refresh=False)
                    bar.update(max(progress.done - done, 0))
                    done = max(progress.done, done)

    @contextmanager
    def bar(self, title: str, total: int | None = None, unit: str = "") -> Iterator["tqdm[Any] | None"]:
        """A bar that is gone when its work is done; None where none is wanted."""
        if not self._has_bars:
            yield None
            return
        from tqdm import tqdm  # takes 0.1 s, for which a command without a bar need not wait

        tqdm.monitor_interval = 0  # its thread would outlive the command
        with tqdm(
            total=total,
            desc=f"bpe: {title}",
            leave=False,
            dynamic_ncols=True,
            file=_Heedless(sys.stderr),
            unit=unit or "it",
            unit_scale=bool(unit),
        ) as bar:
            yield bar


class _Heedless:
    """A stream whose faults stop nothing: a bar that nobody can see is no reason to lose an hour of training."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def complain(message: str) -> None:
    """A line on standard error; if nobody reads that, or its disk is full, the work goes on all the same."""
    with suppress(OSError):
        print(f"bpe: {message}", file=sys.stderr)


def read_stdin() -> str:
    """All of standard input as it is, or unpacked, line ends untouched. Raises BpeError where it is not UTF-8."""
    if sys.stdin is None:
        raise BpeError("standard input is closed: there is nothing to read.")
    data = unpacked(sys.stdin.buffer.read(), "standard input")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BpeError(
            f"standard input: byte {error.start + 1:,} (line {line:,}) is not UTF-8. Convert the text to UTF-8 first."
        ) from None


def prepare_streams() -> None:
    """Standard output is UTF-8 whatever the locale says, and no line end is translated.

    Where the shell has closed it (`>&-`) writing is an error in words; messages to a closed standard error go nowhere.
    """
    if sys.stdout is None:
        sys.stdout = _nowhere(os.O_RDONLY, "r")
    if sys.stderr is None:
        sys.stderr = _nowhere(os.O_WRONLY, "w")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="\n")


def settle_streams() -> None:
    """Drop what could not be written: Python would try again at its end, complain, and choose a status of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _nowhere(flags: int, mode: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(os.fdopen(os.open(os.devnull, flags), f"{mode}b", closefd=False), encoding="utf-8")
