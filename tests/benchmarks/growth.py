"""How our training grows with the text: time per megabyte and memory."""

from collections.abc import Sequence

from corpora import Corpora
from jobs import Job, Patience, in_turn
from report import Report
from table import mebibytes, median, seconds, spread, table

HEADER = ("MB", "s", "min to max", "ms per MB", "MB per s", "unique words", "peak MiB")


def measure(report: Report, corpora: Corpora, sizes: Sequence[float], merges: int, patience: Patience) -> None:
    """The largest text is meant to be lines of a smaller one in other orders, which has no new words."""
    report.title(f"Growth of training, {merges:,} merges, GPT-2 pattern")
    texts = [corpora.of_size(size) for size in sizes]
    rows = []
    for text in texts:
        job = Job("train", "ours", {"kind": "gpt2", "path": str(text.path), "merges": merges})
        outcomes = in_turn([job], patience)["ours"]
        good = [outcome for outcome in outcomes if not outcome.problem]
        if not good:
            report.problem(f"{text}: {outcomes[0].problem}")
            rows.append([f"{text.megabytes:,.1f}", outcomes[0].failure, *[""] * (len(HEADER) - 2)])
            continue
        taken = [outcome.seconds for outcome in good]
        middle = sorted(taken)[len(taken) // 2]
        rows.append(
            [
                f"{text.megabytes:,.1f}",
                median(taken),
                spread(taken),
                seconds(1000 * middle / text.megabytes),
                f"{text.megabytes / middle:,.1f}",
                f"{good[0].numbers['unique_words']:,}",
                mebibytes(max(outcome.numbers["peak_bytes"] for outcome in good)),
            ]
        )
    report.add(table(HEADER, rows))
    for text in texts:
        report.add(f"- {text}")
