"""Runs each measurement in a process of its own, tools in turn: A B C, A B C."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ONE_JOB = Path(__file__).with_name("one_job.py")
SLOW_SECONDS = 30.0
"""A tool that takes longer is run once only, unless all runs are asked for."""


@dataclass(frozen=True)
class Job:
    """What one process does: a function of one_job.py, the tool it does it with, and the function's arguments."""

    task: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    one_thread: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a job returned; where there is a problem, only that."""

    numbers: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""

    @property
    def failure(self) -> str:
        """The problem as short as a table needs it: `failed`"""
        return self.problem.partition(":")[0]

    @property
    def seconds(self) -> float:
        return float(self.numbers["seconds"])


@dataclass(frozen=True)
class Patience:
    runs: int
    timeout_seconds: float
    repeats_slow: bool = False


def run(job: Job, patience: Patience) -> Outcome:
    """Do the job in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        description = json.dumps({"task": job.task, "tool": job.tool, "arguments": dict(job.arguments)})
        command = [sys.executable, str(ONE_JOB), description, str(result)]
        try:
            done = subprocess.run(
                command,
                env=_environment(job),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=patience.timeout_seconds,
            )
        except subprocess.TimeoutExpired:
            return Outcome(problem=f"stopped after {patience.timeout_seconds:,.0f} s")
        if done.returncode or not result.exists():
            last = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
            return Outcome(problem=f"failed: {last[:200]}")
        return Outcome(json.loads(result.read_text(encoding="utf-8")))


def in_turn(jobs: Sequence[Job], patience: Patience) -> dict[str, list[Outcome]]:
    """Outcomes by tool, of every round in which it was run."""
    outcomes: dict[str, list[Outcome]] = {job.tool: [] for job in jobs}
    for number in range(1, patience.runs + 1):
        for job in jobs:
            earlier = outcomes[job.tool]
            if not earlier or _is_worth_repeating(earlier[-1], patience):
                say(f"  {job.tool}, run {number} of {patience.runs}")
                earlier.append(run(job, patience))
    return outcomes


def _is_worth_repeating(outcome: Outcome, patience: Patience) -> bool:
    return not outcome.problem and (patience.repeats_slow or outcome.seconds < SLOW_SECONDS)


def _environment(job: Job) -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    if job.one_thread:
        environment |= {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "NUMBA_NUM_THREADS": "1"}
    return environment


def say(text: str) -> None:
    """Progress, apart from the report."""
    print(text, file=sys.stderr, flush=True)
