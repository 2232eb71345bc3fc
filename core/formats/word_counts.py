"""The words of the corpus with their counts, as a list that other trainers start from: a report, not a tokenizer."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from core.formats.base import Finding, Format, Lines, Severity
from core.recording import Recording
from core.word_counts import HEADER, word_count_lines


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    counts = recording.word_counts
    if not counts:
        yield Finding(
            Severity.REFUSAL, "There are no words to save: the corpus was empty, or the tokenizer comes from a file."
        )
        return
    if next(word_count_lines(counts)) == f"{HEADER}\n":
        yield Finding(
            Severity.WARNING,
            "Some words hold line ends, so all words are written as JSON strings, which other tools do not expect.",
        )
    elif any(word != word.strip() for word in counts):
        yield Finding(
            Severity.WARNING, "Some words begin or end with a space; other tools may drop it when they read the list."
        )
    yield Finding(Severity.LOSS, "Only words and counts are kept, whatever the step: neither merges nor settings.")


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: word_count_lines(recording.word_counts)}


FORMAT = Format(
    name="word-counts",
    title="Word counts of the corpus",
    help="Every word and how often it occurs, one a line: a corpus for this program, subword-nmt and others.",
    suggested_name="word-counts.txt",
    is_folder=False,
    findings=findings,
    render=render,
)
