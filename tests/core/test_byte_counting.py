"""The same words as plain count_words in the same order, whatever the threads do."""

import threading
import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import kernel_loader
from core.alphabet import utf8
from core.byte_counting import (
    ByteCounter,
    CountingThreads,
    can_count,
    count_text,
)
from core.byte_texts import Chunk, Stretch, stretches
from core.normalizer import Normalizer
from core.packed_words import PackedWords
from core.pipeline import Pipeline, Places, Texts, WordCounts, count_words
from core.pre_tokenizer import PRE_TOKENIZERS, custom, named
from core.progress import Progress, without_progress
from core.special_tokens import Specials, SpecialTokenError
from tests.core.hard_texts import any_text

LESSON = (
    "It's the cat's 12,345th théâtre,\r\n the 日本語 🙂🙂 …\n\n\tthe  end of İstanbul; <s> don't DON'T ½ e\u0301 "
    "\ud83d \n"
)
TEXTS = [Texts.WHOLE, Texts.FILES, Texts.LINES, Texts.LINES_WITH_ENDS]


@pytest.fixture(autouse=True, scope="module")
def _kernels() -> None:
    kernel_loader.load()


def plain(text: str, pipeline: Pipeline, files: Places = ()) -> WordCounts:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_loader, "are_ready", lambda: False)
        return without_progress(count_words(text, pipeline, files))


def pairs(words: Mapping[str, int]) -> list[tuple[str, int]]:
    return list(words.items())


def various(lines: int) -> str:
    """Different words again and again, in lines that begin differently."""
    return "".join(f"{LESSON[i % 40 :]}{i % 997} word{i % 5_003} {'long' * (i % 23)}é\n" for i in range(lines))


@pytest.mark.parametrize("pre_tokenizer", PRE_TOKENIZERS.values(), ids=PRE_TOKENIZERS)
def test_it_can_count_the_words_of_our_patterns(pre_tokenizer) -> None:
    assert can_count(Pipeline(pre_tokenizer=pre_tokenizer))


@pytest.mark.parametrize(
    "pipeline",
    [
        Pipeline(Normalizer.named("lowercase")),
        Pipeline(pre_tokenizer=custom(r"\w+")),
        Pipeline(pre_tokenizer=named("gpt2", digits="single")),
        Pipeline(pre_tokenizer=named("none", punctuation=True)),
    ],
)
def test_it_cannot_count_what_needs_more_than_that(pipeline: Pipeline) -> None:
    assert not can_count(pipeline)


def test_words_come_in_order_of_first_appearance() -> None:
    words = without_progress(count_text("low lower low\nnew low", Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])))
    assert pairs(words) == [("low", 3), ("lower", 1), ("new", 1)]
    assert words.total == 5


@settings(max_examples=150)
@given(any_text, any_text, st.sampled_from(list(PRE_TOKENIZERS.values())))
def test_same_as_plain_counting(one: str, other: str, pre_tokenizer) -> None:
    text = f"{one}\n{other} <s>{one}\r\n{other}"
    files = ((0, len(one)), (len(one) + 1, len(text)))
    for texts in TEXTS:
        for specials in (Specials.MATCH, Specials.AS_TEXT):
            pipeline = Pipeline(
                pre_tokenizer=pre_tokenizer, texts=texts, special_tokens=("<s>", "\n"), specials=specials
            )
            expected = plain(text, pipeline, files)
            assert pairs(without_progress(count_text(text, pipeline, files))) == pairs(expected.counts)
            words = without_progress(count_text(text, pipeline, files, threads=1))
            assert pairs(words) == pairs(expected.counts)
            assert words.total == expected.total


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k", "whitespace"])
@pytest.mark.parametrize("texts", TEXTS)
def test_any_number_of_threads_gives_the_same(name: str, texts: Texts) -> None:
    text = various(5_000)
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS[name], texts=texts)
    expected = plain(text, pipeline)
    chunks = [Chunk(utf8(text)[start : start + 1_000], start) for start in range(0, len(utf8(text)), 1_000)]
    for threads in (0, 1, 2, 5):
        with CountingThreads(pipeline.pre_tokenizer.pattern, threads) as counting:
            for stretch in stretches(chunks, pipeline, 5_000):
                counting.add(stretch)
            words = counting.gather().result()
        assert pairs(words) == pairs(expected.counts)
        assert words.total == expected.total


def test_a_long_text_is_counted_in_compiled_loops_with_progress_in_characters() -> None:
    text = various(20_000)
    counting = count_words(text, Pipeline())
    steps = []
    try:
        while True:
            steps.append(next(counting))
    except StopIteration as stop:
        words = stop.value
    assert isinstance(words.counts, PackedWords)
    assert pairs(words.counts) == pairs(plain(text, Pipeline()).counts)
    assert (words.total, words.unique) == (sum(words.counts.values()), len(words.counts))
    assert len(steps) > 2
    assert steps == sorted(steps)
    assert steps[-1] == Progress(len(text), len(text))


@pytest.mark.parametrize("threads", [0, 2])
def test_words_longer_than_any_chunk(threads: int) -> None:
    word = "é" * 2_500_000  # 5 MB
    words = without_progress(count_text(f"a {word} b{word} {word}", Pipeline(), threads=threads))
    assert pairs(words) == [("a", 1), (f" {word}", 2), (f" b{word}", 1)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt2", [(" " * 999_999, 1), (" x", 1)]),
        ("o200k", [(" " * 999_999, 1), (" x", 1)]),
        ("whitespace", [("x", 1)]),
        ("none", [(" " * 1_000_000 + "x", 1)]),
    ],
)
def test_a_million_spaces(name: str, expected: list[tuple[str, int]]) -> None:
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS[name])
    assert pairs(without_progress(count_text(" " * 1_000_000 + "x", pipeline))) == expected


def test_words_in_words_as_many_as_there_are() -> None:
    text = " ".join(map(str, range(300_000)))
    words = without_progress(count_text(text, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]), threads=2))
    assert pairs(words) == [(str(number), 1) for number in range(300_000)]


def test_no_text_has_no_words() -> None:
    for threads in (0, 2):
        assert pairs(without_progress(count_text("", Pipeline(), threads=threads))) == []


def test_refused_special_tokens() -> None:
    pipeline = Pipeline(special_tokens=("<s>",), specials=Specials.REFUSE)
    with pytest.raises(SpecialTokenError, match="'<s>' at character 100,001"):
        without_progress(count_words("x" * 100_000 + "<s>", pipeline))
    assert pairs(without_progress(count_text("a", pipeline))) == [("a", 1)]


@pytest.mark.parametrize("threads", [0, 2])
@pytest.mark.parametrize("texts", [Texts.WHOLE, Texts.LINES_WITH_ENDS])
@pytest.mark.parametrize("name", ["gpt2", "cl100k", "whitespace"])
def test_a_long_text_that_cannot_be_cut_is_counted_in_slices(name: str, texts: Texts, threads: int) -> None:
    text = "onetwo中" * 100_000 + "one  two中 " * 900_000
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS[name], texts=texts)
    data = np.frombuffer(bytearray(utf8(text)) + bytes(64), np.uint8)
    stretch = Stretch(data, np.zeros(1, np.int64), np.array([len(data) - 64]), 0, 0, texts is Texts.LINES_WITH_ENDS)
    with CountingThreads(pipeline.pre_tokenizer.pattern, threads) as counting:
        slices = list(counting.adding(stretch))
        words = counting.gather().result()
    assert len(slices) >= (0 if threads else 2)
    assert pairs(words) == pairs(plain(text, pipeline).counts)


def test_a_long_text_that_cannot_be_cut_can_be_left() -> None:
    data = np.frombuffer(bytearray(b"one two " * 20_000_000) + bytes(64), np.uint8)
    stretch = Stretch(data, np.zeros(1, np.int64), np.array([len(data) - 64]), 0, 0, False)
    with CountingThreads(Pipeline().pre_tokenizer.pattern, 1) as counting:
        counting.add(stretch)
        while not counting.total:
            time.sleep(0.001)
    assert counting.total < 20_000_000


def test_closing_ends_the_threads() -> None:
    counting = count_text("one two three\n" * 1_000_000, Pipeline(), threads=2)
    next(counting)
    next(counting)
    assert counters()
    start = time.monotonic()
    counting.close()
    assert not counters()
    assert time.monotonic() - start < 2  # 0.02 s on a machine that does nothing else


def counters() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("counting")]


def test_an_error_in_the_stream_ends_the_threads() -> None:
    def chunks():
        yield Chunk(b"one two\n" * 1_000_000, 1)
        raise OSError("the disk is gone")

    def count() -> None:
        with CountingThreads(Pipeline().pre_tokenizer.pattern, 2) as counting:
            for stretch in stretches(chunks(), Pipeline()):
                counting.add(stretch)

    with pytest.raises(OSError, match="the disk is gone"):
        count()
    assert not counters()


class TestByteCounter:
    def counter(self, *texts: str, capacity: int = 2) -> ByteCounter:
        counter = ByteCounter(PRE_TOKENIZERS["gpt2"].pattern, capacity)
        for text in texts:
            self.count(counter, text)
        return counter

    def count(self, counter: ByteCounter, text: str, base: int = 0) -> None:
        for stretch in stretches([Chunk(utf8(text), 0)], Pipeline()):
            counter.count(stretch.data, 0, int(stretch.ends[-1]), base)

    def test_it_grows(self) -> None:
        text = various(300)
        counter = self.counter(text)
        assert pairs(counter.result()) == pairs(plain(text, Pipeline()).counts)
        assert counter.unique == len(counter.result())
        assert counter.total == counter.result().total
        assert 40 * counter.unique < counter.memory_bytes < 400 * counter.unique

    def test_it_forgets(self) -> None:
        counter = self.counter("one two", various(10))
        counter.clear()
        assert (counter.unique, counter.total, pairs(counter.result())) == (0, 0, [])
        self.count(counter, "two one")
        assert pairs(counter.result()) == [("two", 1), (" one", 1)]

    def test_places_are_those_of_the_corpus(self) -> None:
        counter = self.counter()
        self.count(counter, "low é", base=5_000_000_000)
        self.count(counter, "low new", base=100)
        other = self.counter()
        self.count(other, "é low", base=50)
        words, places = counter.result_with_places()
        assert pairs(words) == [(" new", 1), ("low", 2), (" é", 1)]
        counter.take_in(other)
        words, places = counter.result_with_places()
        assert pairs(words) == [("é", 1), (" low", 1), (" new", 1), ("low", 2), (" é", 1)]
        assert places.tolist() == [50, 52, 103, 5_000_000_000, 5_000_000_003]


def test_gathering_leaves_room_for_more() -> None:
    pipeline = Pipeline()
    with CountingThreads(pipeline.pre_tokenizer.pattern, 3) as counting:
        for stretch in stretches([Chunk(b"one two\n" * 1_000, 1)], pipeline, 10):
            counting.add(stretch)
        assert counting.gather().total == 3_000
        assert (counting.total, counting.unique) == (3_000, 3)
        counting.gather().clear()
        for stretch in stretches([Chunk(b"three", 1)], replace(pipeline, texts=Texts.LINES), 10):
            counting.add(stretch)
        assert pairs(counting.gather().result()) == [("three", 1)]


class LateThread:
    """A queue whose first caller is asleep until two stretches are counted."""

    def __init__(self, queue) -> None:
        self._queue = queue
        self._callers = iter([True])
        self._counted = threading.Semaphore(0)

    def get(self):
        if next(self._callers, False):
            assert all(self._counted.acquire(timeout=5) for _ in range(2))
        return self._queue.get()

    def put(self, counter) -> None:
        self._queue.put(counter)
        self._counted.release()


def test_a_thread_that_falls_asleep_changes_no_order() -> None:
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    chunks = [Chunk(line, 0) for line in (b"old first\n", b"new word\n", b"last first\n")]
    with CountingThreads(pipeline.pre_tokenizer.pattern, 2) as counting:
        counting._idle = LateThread(counting._idle)
        for stretch in stretches(chunks, pipeline, 5):
            counting.add(stretch)
        words = counting.gather().result()
    assert pairs(words) == [("old", 1), ("first", 2), ("new", 1), ("word", 1), ("last", 1)]
