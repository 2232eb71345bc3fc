"""Texts that some tools need quadratic time or too deep a stack for, at n, 2 n and 4 n characters."""

import math
import random
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpora import Corpora
from jobs import Job, Outcome, Patience, run, say
from report import Report
from table import mebibytes, seconds, table

HEADER = (
    "text", "characters", "merges", "train s", "per n log n", "longest ms", "encode s", "per n log n", "peak MiB",
)  # fmt: skip


@dataclass(frozen=True)
class Text:
    name: str
    characters: int
    make: Callable[[int], str]


def letters(count: int) -> str:
    """Without a space."""
    return "".join(random.Random(0).choices(string.ascii_lowercase, k=count))


def line(count: int) -> str:
    """Of any kind of character but line ends, up to U+07FF."""
    characters = [chr(i) for i in range(0x20, 0x800) if i not in (0x85, *range(0x7F, 0xA0))]
    return "".join(random.Random(0).choices(characters, k=count))


TEXTS = {
    text.name: text
    for text in (
        Text("letters", 10_000_000, letters),
        Text("same", 5_000_000, lambda count: "a" * count),
        Text("ababab", 5_000_000, lambda count: "ab" * (count // 2)),
        Text("spaces", 1_000_000, lambda count: " " * count),
        Text("line", 700_000, line),
    )
}


def measure(
    report: Report, corpora: Corpora, names: Sequence[str], merges: int, share: float, patience: Patience
) -> None:
    """`share` 1 goes up to the sizes in TEXTS."""
    report.title("Nasty texts at n, 2 n and 4 n characters")
    rows = []
    for text in (TEXTS[name] for name in names):
        first: tuple[int, Outcome] | None = None
        for part in (4, 2, 1):
            size = int(text.characters * share) // part
            path = corpora.one_line(text.name, size, text.make)
            say(f"  {text.name}, {size:,} characters")
            outcome = run(Job("train_and_encode", "ours", {"path": str(path), "merges": merges}), patience)
            if outcome.problem:
                report.problem(f"{text.name}, {size:,} characters: {outcome.problem}")
                rows.append([text.name, f"{size:,}", outcome.failure, *[""] * (len(HEADER) - 3)])
                continue
            first = first or (size, outcome)
            rows.append(_row(text.name, size, outcome, *first))
    report.add(table(HEADER, rows))
    report.add("- per n log n: relative to the first row of the text; longest: during which training cannot be stopped")


def _row(name: str, size: int, outcome: Outcome, first_size: int, first: Outcome) -> list[str]:
    work = size * math.log(size) / (first_size * math.log(first_size))

    def growth(key: str) -> str:
        return f"{outcome.numbers[key] / first.numbers[key] / work:.2f}"

    return [
        name,
        f"{size:,}",
        f"{outcome.numbers['merges']:,}",
        seconds(outcome.seconds),
        growth("seconds"),
        seconds(1000 * outcome.numbers["longest_seconds"]),
        seconds(outcome.numbers["encode_seconds"]),
        growth("encode_seconds"),
        mebibytes(outcome.numbers["peak_bytes"]),
    ]
