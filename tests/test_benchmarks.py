"""That `make bench` works, and finds the same merges and ids in all tools; how fast they are is not tested."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "tests" / "benchmarks"
PEERS = ("tokenizers", "rustbpe", "gigabpe", "gigatoken", "sentencepiece", "tiktoken")


def run(*arguments, **environment):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, encoding="utf-8")


def benchmark(folder, *arguments):
    return run(BENCHMARKS, "--quick", "--folder", folder, *arguments)


def rows(output):
    """The cells of all tables by their first one."""
    lines = (line for line in output.splitlines() if line.startswith("| "))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("module", ["agreement", "corpora", "table"])
def test_examples_in_the_benchmarks_docstrings(module):
    done = run("-m", "doctest", BENCHMARKS / f"{module}.py", PYTHONPATH=str(BENCHMARKS))
    assert (done.returncode, done.stdout) == (0, "")


def test_tools_agree_on_merges_and_ids_of_a_small_text(tmp_path):
    installed = [peer for peer in PEERS if find_spec(peer)]
    done = benchmark(tmp_path, "--only", "gpt2,whitespace,encode")
    assert done.returncode == 0, done.stdout + done.stderr
    for peer in PEERS:
        found = [cells[-1] for cells in rows(done.stdout) if cells[0] == peer]
        tables = {"tokenizers": 3, "gigatoken": 2}.get(peer, 1)
        assert len(found) == tables * (peer in installed), done.stdout
        assert all("the same" in verdict for verdict in found), done.stdout
        assert (f"{peer} is left out" in done.stdout) == (peer not in installed)


def test_growth_and_nasty_texts_have_a_row_for_each_size(tmp_path):
    done = benchmark(tmp_path, "--only", "growth,nasty", "--growth", "0.05,0.1", "--nasty", "ababab", "--tools", "")
    assert done.returncode == 0, done.stdout + done.stderr
    first_cells = [cells[0] for cells in rows(done.stdout)]
    assert first_cells[2:4] == ["0.0", "0.1"]
    assert first_cells.count("ababab") == 3


def test_text_of_the_users_goes_on_with_its_lines_in_another_order(tmp_path):
    text = tmp_path / "numbers.txt"
    text.write_text("".join(f"line {number} of a text\n" for number in range(1_000)), encoding="utf-8")
    done = benchmark(tmp_path, "--only", "growth", "--corpus", text, "--growth", "0.01,0.04")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0.0 MB of the beginning of numbers.txt" in done.stdout
    assert "0.0 MB of the lines of numbers.txt in different orders" in done.stdout
    lines = text.read_text(encoding="utf-8").splitlines()
    longer = (tmp_path / "numbers-0.04m.txt").read_text(encoding="utf-8").splitlines()
    assert longer[:1_000] == lines
    assert longer[1_000:] != lines[: len(longer) - 1_000]
    assert set(longer) == set(lines)


def test_what_the_window_costs_is_told_of_runs_too_short_to_be_paused(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("low lower newest widest\n", encoding="utf-8")
    done = run(BENCHMARKS / "window_training.py", text, 5, QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "times as long" in done.stdout
    assert done.stdout.count("not measured: the text is too short, 0 of 10 runs") == 3
