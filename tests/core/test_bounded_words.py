"""Words that do not fit wait on the disk, and come back exactly; or rare ones are dropped, and that is told."""

import errno
import os
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import spilled_words
from core.bounded_words import BoundedWords, at_least
from core.errors import CorpusError
from core.packed_words import PackedWords
from core.progress import without_progress
from core.spilled_words import SpilledWords
from core.word_limits import Beyond, WordLimits
from core.word_tally import WordTally

ROOT = Path(__file__).parents[2]


class Small(WordTally):
    """Is said to take a megabyte for each word."""

    @property
    def memory_bytes(self):
        return self.unique << 20


def bounded(words, limits, per_batch=3):
    """What is kept, and the notes."""
    tally = Small()
    with closing(BoundedWords(limits)) as kept:
        for start in range(0, len(words), per_batch):
            tally.add(Counter(words[start : start + per_batch]))
            without_progress(kept.relieve(tally))
        return list(without_progress(kept.result(tally)).items()), kept.notes()


def at_once(words, min_count=1):
    return [(word, count) for word, count in Counter(words).items() if count >= min_count]


words = st.lists(
    st.one_of(st.sampled_from(["a", "b", "aa", "日本", "\ud800", "x" * 300, "\0", " a", "a "]), st.text(min_size=1))
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(words, st.integers(2, 10), st.integers(1, 3), st.integers(1, 20))
def test_what_waits_on_the_disk_comes_back_exactly(words, memory_mb, min_count, per_batch):
    limits = WordLimits(memory_mb, Beyond.SPILL, min_count)
    assert bounded(words, limits, per_batch)[0] == at_once(words, min_count)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(words, st.integers(1, 3))
def test_without_a_limit_nothing_is_dropped(words, min_count):
    assert bounded(words, WordLimits(beyond=Beyond.DROP, min_count=min_count))[0] == at_once(words, min_count)


def test_large_counts_stay_exact():
    spilled = SpilledWords()
    with closing(spilled):
        for _ in range(2):
            without_progress(spilled.add(PackedWords.of({"a": 3_000_000_000, "b": 1})))
        assert dict(without_progress(spilled.added_up()).items()) == {"a": 6_000_000_000, "b": 2}


def test_what_is_left_out_is_told():
    found, notes = bounded(["a", "b", "b", "c", "a", "d"] * 2 + ["e"], WordLimits(4, min_count=3))
    assert found == [("a", 4), ("b", 4)]
    assert notes == ("Left out: 3 words (5 in the text) that occur fewer than 3 times.",)


def test_rare_words_are_dropped_where_memory_runs_out():
    text = ["a", "a", "b", "c", "a", "d"] * 50
    found, notes = bounded(text, WordLimits(2, Beyond.DROP), per_batch=2)
    assert dict(found)["a"] == 150
    assert dict(found).get("b", 0) < 50
    dropped = 300 - sum(count for _, count in found)
    (note,) = notes
    assert f"({dropped} in the text) that had occurred fewer than 2 times by then were dropped" in note


def test_more_is_dropped_until_the_rest_fits():
    tally = WordTally()
    words = {f"word {number}": 1 + number % 5 for number in range(30_000)}
    with closing(BoundedWords(WordLimits(1, Beyond.DROP, 2))) as kept:
        tally.add(words)
        without_progress(kept.relieve(tally))
        assert tally.unique == 0
        found = without_progress(kept.result(tally))
        assert found.byte_count <= (1 << 20) / 6
        assert set(found.values()) == {5}
        assert "30,000" not in kept.notes()[0]
        assert "fewer than 5 times" in kept.notes()[0]


def test_the_order_is_that_of_the_first_of_each():
    text = ["z", "y", "x", "y", "w", "z", "a", "x"]
    assert [word for word, _ in bounded(text, WordLimits(2), per_batch=1)[0]] == ["z", "y", "x", "w", "a"]


def test_only_frequent_ones():
    assert list(at_least(PackedWords.of({"a": 1, "bb": 2, "": 3}), 2).items()) == [("bb", 2), ("", 3)]
    assert len(at_least(PackedWords.of({}), 2)) == 0


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists the open files there")
def test_closing_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = open_files()
    spilled = SpilledWords()
    work = spilled.add(PackedWords.of({"a": 1}))
    next(work)
    assert open_files() == before + spilled_words.PARTS
    work.close()
    spilled.close()
    assert (open_files(), list(tmp_path.iterdir())) == (before, [])


KILLED = """
import os, sys
from core.packed_words import PackedWords
from core.progress import without_progress
from core.spilled_words import SpilledWords
spilled = SpilledWords()
without_progress(spilled.add(PackedWords.of({f"word {i}": 1 for i in range(10_000)})))
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows removes such files when the process ends, at a time of its own")
def test_a_process_that_is_killed_leaves_nothing(tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", KILLED], env=environment, check=False)
    assert done.returncode == -9
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "reason"), [(errno.ENOSPC, "the disk is full"), (errno.EIO, "Input/output error")])
def test_a_full_disk_is_told(monkeypatch, number, reason):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(SpilledWords, "_write", fail)
    with (
        closing(SpilledWords()) as spilled,
        pytest.raises(CorpusError, match=f": {reason}. Free some room, set TMPDIR"),
    ):
        without_progress(spilled.add(PackedWords.of({"a": 1})))
