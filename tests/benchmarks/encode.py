"""Encoding a text in memory on one thread: with nothing cached from it, then the same text again."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import agreement
import numpy as np
from corpora import Corpus
from jobs import Job, Outcome, Patience, in_turn, run
from peers import PEERS
from report import Report
from table import mebibytes, median, spread, table, times
from train import ratio

WANTED = {"tiktoken": "6 x", "tokenizers": "40 x", "gigatoken": "0.67 x"}
WANTED_FROM_MEGABYTES = 9
HEADER = ("tool", "first s", "min to max", "to ours", "wanted", "again s", "to ours", "peak MiB", "ids")


def measure(
    report: Report, corpus: Corpus, source: Path, merges: int, tools: Sequence[str], patience: Patience
) -> None:
    """`source` is a file of ranks, or a text to train so many merges on."""
    with tempfile.TemporaryDirectory() as folder:
        model = run(Job("make_model", "ours", {"source": str(source), "folder": folder, "merges": merges}), patience)
        if model.problem:
            report.title(f"Encode {corpus}")
            report.problem(model.problem)
            report.add(f"No model: {model.problem}")
            return
        report.title(f"Encode {corpus} with {model.numbers['merges']:,} merges of {source.name}, one thread")
        encoders = ["ours", *(tool for tool in tools if PEERS[tool].encoder)]
        jobs = [_job(tool, Path(folder), corpus) for tool in encoders]
        outcomes = in_turn(jobs, patience)
        report.add(table(HEADER, [_row(report, tool, outcomes, Path(folder), corpus) for tool in encoders]))


def _job(tool: str, folder: Path, corpus: Corpus) -> Job:
    arguments = {"model": str(folder), "path": str(corpus.path), "ids": str(_ids(folder, tool))}
    return Job("encode", tool, arguments, one_thread=True)


def _ids(folder: Path, tool: str) -> Path:
    return folder / f"ids-of-{tool}.npy"


def _row(
    report: Report, tool: str, outcomes: Mapping[str, Sequence[Outcome]], folder: Path, corpus: Corpus
) -> list[str]:
    good = [outcome for outcome in outcomes[tool] if not outcome.problem]
    if not good:
        report.problem(f"{tool}: {outcomes[tool][0].problem}")
        return [tool, outcomes[tool][0].failure, *[""] * (len(HEADER) - 2)]
    seconds = [outcome.seconds for outcome in good]
    return [
        tool,
        median(seconds),
        spread(seconds),
        times(ratio(outcomes["ours"], outcomes[tool])),
        WANTED.get(tool, "") if corpus.megabytes >= WANTED_FROM_MEGABYTES else "",
        median([outcome.numbers["again_seconds"] for outcome in good]),
        times(ratio(outcomes["ours"], outcomes[tool], "again_seconds")),
        mebibytes(max(outcome.numbers["peak_bytes"] for outcome in good)),
        _agreement(report, tool, folder),
    ]


def _agreement(report: Report, tool: str, folder: Path) -> str:
    theirs = np.load(_ids(folder, tool))
    if tool == "ours":
        return f"{len(theirs):,}"
    if not _ids(folder, "ours").exists():
        return "ours failed"
    verdict = agreement.of_ids(np.load(_ids(folder, "ours")).tolist(), theirs.tolist())
    if not verdict.is_good:
        report.problem(f"{tool}: ids {verdict.text}")
    return verdict.text
