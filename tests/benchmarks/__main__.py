"""Ours and the other tools in turn, as tables.

    python tests/benchmarks [--corpus FILE] [--size MB,...] [--runs N] [--only PART,...] [--tools TOOL,...] [--quick]

Each run is a process of its own, ready to start when the clock does: what is compiled is loaded, and modules are
imported. Training goes from a file to merges in memory on all cores, encoding from a text in memory to ids on one.

Without a text it takes those of a folder `shared/data` beside the checkout, or makes one. Exit status 1 means that a
tool failed, or made other merges or ids than ours; how long it took never does.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import encode
import growth
import nasty
import train
from corpora import Corpora, Corpus, shared_ranks
from jobs import ROOT, Job, Patience, run
from machine import description
from peers import PEERS
from report import Report
from table import mebibytes, seconds

PARTS = ("gpt2", "whitespace", "encode", "growth", "nasty")
QUICK_MEGABYTES = 0.5


LEGEND = """- to ours: how many times as long as ours beside it; wanted: at least so many times
- s: median of the runs, from a file to merges in memory, or from a text in memory to ids; CPU s: of all cores
- merges, ids: compared with ours, told to cut the text and decide ties as the tool does"""


def main() -> int:
    chosen = arguments()
    report, corpora = Report(), Corpora(chosen.folder, chosen.corpus, uses_shared=not chosen.quick)
    patience = Patience(chosen.runs, chosen.timeout, chosen.repeat_slow)
    for line in [*description(["numba", "numpy", "regex", *PEERS]), kernels(patience), LEGEND]:
        report.add(line)
    tools = installed(report, chosen.tools)
    for corpus in texts(corpora, chosen):
        for kind in (kind for kind in train.KINDS if kind in chosen.only):
            train.measure(report, kind, corpus, chosen.merges, tools, patience)
    if "encode" in chosen.only:
        text = corpora.of_size(chosen.encode_size)
        encode.measure(report, text, chosen.ranks or text.path, chosen.encode_merges, tools, patience)
    if "growth" in chosen.only:
        growth.measure(report, corpora, chosen.growth, chosen.merges, patience)
    if "nasty" in chosen.only:
        nasty.measure(report, corpora, chosen.nasty, chosen.nasty_merges, chosen.nasty_share, patience)
    for problem in report.problems:
        report.add(f"\nPROBLEM: {problem}")
    return bool(report.problems)


def installed(report: Report, tools: Sequence[str]) -> list[str]:
    """Those that are; the others are said to be left out."""
    for tool in tools:
        if not PEERS[tool].is_installed:
            report.add(f"- {tool} is left out: it is not installed. All of them: pip install -e .[bench]")
    return [tool for tool in tools if PEERS[tool].is_installed]


def kernels(patience: Patience) -> str:
    """The first job compiles them if need be, so that no other one does."""
    loaded = [run(Job("load_kernels", "ours"), patience) for _ in range(2)]
    reason = loaded[1].problem or loaded[1].numbers["reason"]
    if reason:
        return f"Ours works in plain Python: {reason}"
    once, again = loaded
    size = mebibytes(again.numbers["peak_bytes"])
    return f"Our loops: loaded in {seconds(once.seconds)} s, then in {seconds(again.seconds)} s, which takes {size} MiB"


def texts(corpora: Corpora, chosen: argparse.Namespace) -> list[Corpus]:
    whole = corpora.whole()
    if whole and not chosen.size:
        return [whole]
    return [corpora.of_size(size) for size in chosen.size or [1, 10, 100]]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/benchmarks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpus", type=Path, help="a UTF-8 text, plain or .xz")
    parser.add_argument("--size", type=megabytes, default=[], help="megabytes of it to train on, such as 1,10,100")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--repeat-slow", action="store_true", help="also what takes longer than half a minute")
    parser.add_argument("--timeout", type=float, default=900, help="seconds after which a tool is stopped")
    parser.add_argument("--merges", type=int, default=32_000)
    parser.add_argument("--encode-size", type=float, default=10, help="megabytes to encode")
    parser.add_argument("--encode-merges", type=int, default=50_000)
    parser.add_argument("--ranks", type=Path, default=shared_ranks(), help="a .tiktoken file instead of those merges")
    parser.add_argument("--growth", type=megabytes, default=[], help="megabytes, such as 1,10,100,1000")
    parser.add_argument(
        "--nasty", type=names(tuple(nasty.TEXTS)), default=tuple(nasty.TEXTS), help=", ".join(nasty.TEXTS)
    )
    parser.add_argument("--nasty-merges", type=int, default=1_000)
    parser.add_argument("--nasty-share", type=float, default=1.0, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, default=ROOT / ".bench", help="where texts that are made are kept")
    parser.add_argument("--only", type=names(PARTS), default=PARTS, help=", ".join(PARTS))
    parser.add_argument("--tools", type=names(tuple(PEERS)), default=tuple(PEERS), help=", ".join(PEERS))
    parser.add_argument("--quick", action="store_true", help="everything once, on very small texts")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.size, chosen.runs, chosen.merges = [QUICK_MEGABYTES], 1, 500
        chosen.encode_size, chosen.encode_merges, chosen.ranks = QUICK_MEGABYTES, 500, None
        chosen.growth = chosen.growth or [0.1, 0.2, QUICK_MEGABYTES]
        chosen.nasty_merges, chosen.nasty_share = 100, 0.004
    chosen.growth = chosen.growth or [1, 10, 100, 1000]
    return chosen


def megabytes(text: str) -> list[float]:
    return [float(part) for part in text.split(",") if part]


def names(known: tuple[str, ...]):
    def parse(text: str) -> list[str]:
        wanted = [name for name in text.split(",") if name]
        if unknown := [name for name in wanted if name not in known]:
            raise argparse.ArgumentTypeError(f"there is no {unknown[0]!r}; known are {', '.join(known)}")
        return wanted

    return parse


if __name__ == "__main__":
    sys.exit(main())
