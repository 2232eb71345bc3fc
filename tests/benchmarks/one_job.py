"""One measurement, alone in this process: what jobs.py starts. The clock runs only while the tool works.

python tests/benchmarks/one_job.py '{"task": "train", "tool": "ours", "arguments": {...}}' RESULT.json
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from peers import PEERS

WARM_UP = "Words to warm up: 12 of them, it's done.\n"


def train(tool: str, kind: str, path: str, merges: int) -> dict[str, Any]:
    """From a file to merges in memory; then they are spelled, for the comparison."""
    prepare = ours().TRAINERS[kind] if tool == "ours" else PEERS[tool].trainers[kind]
    spell, numbers = measured(prepare(Path(path), merges))
    spelled = spell()
    return {**numbers, **spelled, "tokens": spelled["tokens"][:merges]}  # some count their alphabet differently


def encode(tool: str, model: str, path: str, ids: str) -> dict[str, Any]:
    """A text from memory to its ids: first with nothing cached from it, then again."""
    use_one_core()
    prepare = ours().encoder if tool == "ours" else PEERS[tool].encoder
    encoded = prepare(Path(model))
    text = Path(path).read_bytes().decode()
    encoded(WARM_UP)
    _, first = measured(lambda: encoded(text))
    result, again = measured(lambda: encoded(text))
    np.save(ids, np.asarray(result, np.uint32))
    return {**first, "again_seconds": again["seconds"]}


def load_kernels(_tool: str) -> dict[str, Any]:
    reason, numbers = measured(ours().load_kernels)
    return {**numbers, "reason": reason}


def make_model(_tool: str, source: str, folder: str, merges: int) -> dict[str, Any]:
    """Write a model in the formats of all tools, from ranks or trained on a text."""
    return {"merges": ours().make_model(Path(source), Path(folder), merges)}


def train_and_encode(_tool: str, path: str, merges: int) -> dict[str, Any]:
    """Train on a text as one word after the other comes, and encode the same text."""
    (recording, longest), training = measured(ours().recorded_in_slices(Path(path), merges))
    encoded = ours().encoder_of(recording)
    text = Path(path).read_bytes().decode()
    encoded(WARM_UP)
    ids, encoding = measured(lambda: encoded(text))
    return {
        **training,
        "longest_seconds": longest,
        "encode_seconds": encoding["seconds"],
        "merges": len(recording),
        "ids": len(ids),
    }


def ours() -> ModuleType:
    """Not imported for the other tools, whose memory it would add to."""
    import ours

    return ours


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    task.__name__: task for task in (load_kernels, train, encode, make_model, train_and_encode)
}


def measured(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What the work returns; its time by the clock and of all processors, and the process's largest size so far."""
    processors, start = processor_seconds(), time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    return result, {
        "seconds": seconds,
        "processor_seconds": processor_seconds() - processors,
        "peak_bytes": peak_bytes(),
    }


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])


def peak_bytes() -> int:
    """Largest size in memory; Linux's getrusage would count that of the process this one was started from."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        import resource  # there is none on Windows

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def use_one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    outcome = TASKS[job["task"]](job["tool"], **job["arguments"])
    Path(sys.argv[2]).write_text(json.dumps(outcome), encoding="utf-8")
