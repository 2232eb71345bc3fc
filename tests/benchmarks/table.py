"""Tables of a report: aligned to read as they are, and Markdown to paste."""

import statistics
from collections.abc import Sequence

MEBIBYTE = 1 << 20


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column is aligned to the left, all others to the right.

    >>> print(table(["tool", "s"], [["ours", "1.2"], ["theirs", "10"]]))
    | tool   |   s |
    | :----- | --: |
    | ours   | 1.2 |
    | theirs |  10 |
    """
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(cells, widths) for cells in (header, rule, *rows))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]
    return "| " + " | ".join(padded) + " |"


def seconds(value: float) -> str:
    """
    >>> [seconds(value) for value in (0.0123, 1.234, 12.34, 1234.5)]
    ['0.012', '1.23', '12.3', '1,234']
    """
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def median(values: Sequence[float]) -> str:
    return seconds(statistics.median(values))


def spread(values: Sequence[float]) -> str:
    """`1.2 to 1.4`; nothing for a single value."""
    return f"{seconds(min(values))} to {seconds(max(values))}" if len(values) > 1 else "one run"


def times(value: float) -> str:
    return f"{value:.1f} x" if value < 100 else f"{value:,.0f} x"


def mebibytes(count: float) -> str:
    return f"{count / MEBIBYTE:,.0f}"
