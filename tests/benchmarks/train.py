"""Training: from a file to a list of merges in memory, ours and the peers."""

import statistics
from collections.abc import Mapping, Sequence

import agreement
from corpora import Corpus
from jobs import Job, Outcome, Patience, in_turn, run
from peers import PEERS
from report import Report
from table import mebibytes, median, spread, table, times

KINDS = {"gpt2": "GPT-2 pattern, bytes", "whitespace": "white space, characters and </w>"}
WANTED_FROM_MEGABYTES = 90
WANTED = {
    "gpt2": {"tokenizers": 30, "rustbpe": 12, "gigabpe": 3},
    "whitespace": {"tokenizers": 50, "sentencepiece": 12},
}
"""How many times faster than these we want to be on a large text."""
HEADER = ("tool", "s", "min to max", "to ours", "wanted", "CPU s", "peak MiB", "merges")


def measure(report: Report, kind: str, corpus: Corpus, merges: int, tools: Sequence[str], patience: Patience) -> None:
    report.title(f"Train {merges:,} merges on {corpus}: {KINDS[kind]}")
    arguments = {"path": str(corpus.path), "merges": merges}
    trained = ["ours", *(tool for tool in tools if kind in PEERS[tool].trainers)]
    outcomes = in_turn([Job("train", tool, {"kind": kind, **arguments}) for tool in trained], patience)
    alike: dict[str, Outcome] = {kind: outcomes["ours"][0]}
    for like in {PEERS[tool].like[kind] for tool in trained[1:] if not outcomes[tool][0].problem} - {kind}:
        alike[like] = run(Job("train", "ours", {"kind": like, **arguments}), patience)
    wanted = WANTED[kind] if corpus.megabytes >= WANTED_FROM_MEGABYTES else {}
    rows = [_row(report, tool, kind, outcomes, alike, wanted) for tool in trained]
    report.add(table(HEADER, rows))


def _row(
    report: Report,
    tool: str,
    kind: str,
    outcomes: Mapping[str, Sequence[Outcome]],
    alike: Mapping[str, Outcome],
    wanted: Mapping[str, int],
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
        f"{wanted[tool]} x" if tool in wanted else "",
        median([outcome.numbers["processor_seconds"] for outcome in good]),
        mebibytes(max(outcome.numbers["peak_bytes"] for outcome in good)),
        _agreement(report, tool, good[0], alike[kind if tool == "ours" else PEERS[tool].like[kind]]),
    ]


def _agreement(report: Report, tool: str, outcome: Outcome, ours: Outcome) -> str:
    if tool == "ours":
        return f"{len(outcome.numbers['tokens']):,}"
    if ours.problem:
        return f"ours {ours.problem}"
    verdict = agreement.of_merges(ours.numbers, outcome.numbers["tokens"])
    if not verdict.is_good:
        report.problem(f"{tool}: merges {verdict.text}")
    return verdict.text


def ratio(ours: Sequence[Outcome], theirs: Sequence[Outcome], key: str = "seconds") -> float:
    """Median of how many times as long they took, each run by ours beside it; not a number where ours failed."""
    pairs = [(one, other) for one, other in zip(ours, theirs, strict=False) if not (one.problem or other.problem)]
    return statistics.median(other.numbers[key] / one.numbers[key] for one, other in pairs) if pairs else float("nan")
