"""How our training grows with the text: time per megabyte and memory."""

import statistics
from collections.abc import Sequence

from corpora import Corpora, Corpus
from jobs import Job, Patience, in_turn
from report import Report
from table import mebibytes, seconds, spread, table

HEADER = ("MB", "s", "min to max", "ms per MB", "MB per s", "unique words", "peak MiB")


def measure(report: Report, corpora: Corpora, sizes: Sequence[float], merges: int, patience: Patience) -> None:
    """The largest text is meant to be lines of a smaller one in other orders, which has no new words."""
    report.title(f"Growth of training, {merges:,} merges, GPT-2 pattern")
    texts = [corpora.of_size(size) for size in sizes]
    report.add(table(HEADER, [_row(report, text, merges, patience) for text in texts]))
    for text in texts:
        report.add(f"- {text}")


def _row(report: Report, text: Corpus, merges: int, patience: Patience) -> list[str]:
    job = Job("train", "ours", {"kind": "gpt2", "path": str(text.path), "merges": merges})
    outcomes = in_turn([job], patience)["ours"]
    good = [outcome for outcome in outcomes if not outcome.problem]
    size = f"{text.megabytes:,.1f}"
    if not good:
        report.problem(f"{text}: {outcomes[0].problem}")
        return [size, outcomes[0].failure, *[""] * (len(HEADER) - 2)]
    taken = [outcome.seconds for outcome in good]
    middle = statistics.median(taken)
    return [
        size,
        seconds(middle),
        spread(taken),
        seconds(1000 * middle / text.megabytes),
        f"{text.megabytes / middle:,.1f}",
        f"{good[0].numbers['unique_words']:,}",
        mebibytes(max(outcome.numbers["peak_bytes"] for outcome in good)),
    ]
