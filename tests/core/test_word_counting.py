"""Every way of counting the words of a corpus finds the same."""

import gzip
import time
from pathlib import Path

import pytest

from core import kernel_loader, word_counting
from core.corpus import Corpus, load_corpora, read_corpora
from core.errors import CorpusError, PatternError
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts, count_words
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.progress import CountingProgress, without_progress
from core.special_tokens import Specials, SpecialTokenError
from core.word_counting import count_corpus
from core.word_limits import Beyond, WordLimits

TEXT = "".join(
    f"Line {number}: größer, don't  12,345!\r\n\n  日本語 {number * 7919 % 1_000} <s>\n" for number in range(4_000)
)
PIPELINES = [
    Pipeline(),
    Pipeline(Normalizer.named("nfkc", "lowercase"), PRE_TOKENIZERS["o200k"]),
    Pipeline(Normalizer.named("metaspace"), PRE_TOKENIZERS["metaspace"], Texts.FILES),
    Pipeline(pre_tokenizer=custom(r"\p{L}+"), texts=Texts.LINES),
    Pipeline(pre_tokenizer=custom(r"[a-z]+|\d"), texts=Texts.FILES),
    Pipeline(pre_tokenizer=custom(r"[a-z]+|\d")),
    Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"], special_tokens=("<s>",), specials=Specials.MATCH),
    Pipeline(texts=Texts.LINES_WITH_ENDS, pre_tokenizer=PRE_TOKENIZERS["cl100k"]),
]
OPEN_FILES = Path("/proc/self/fd")
WAYS = ["here", "processes", "compiled"]


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Which way is taken where there is a choice; the compiled one only for the pipelines that it can do."""
    if request.param == "compiled":
        kernel_loader.load()
    monkeypatch.setattr(kernel_loader.LOADER.__class__, "is_ready", property(lambda _: request.param == "compiled"))
    monkeypatch.setattr(word_counting, "MIN_CHARS_FOR_WORKERS", 0 if request.param == "processes" else 1 << 40)
    monkeypatch.setattr("core.chunks.CHUNK_CHARS", 50_000)
    monkeypatch.setattr("core.corpus_pieces.PIECE_CHARS", 30_000)
    return request.param


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    half = len(TEXT) // 2 + 3
    (folder / "a.txt").write_bytes(TEXT[:half].encode("utf-16"))
    (folder / "b.txt.gz").write_bytes(gzip.compress(TEXT[half:].encode()))
    (folder / "empty.txt").write_bytes(b"")
    return [folder / "a.txt", folder / "empty.txt", folder / "b.txt.gz"]


def found(words):
    return list(words.counts.items()), words.total, words.unmatched, words.unmatched_samples


@pytest.mark.parametrize("pipeline", PIPELINES, ids=range(len(PIPELINES)))
def test_a_text_in_memory(way, files, pipeline):
    corpus = load_corpora(files)
    expected = without_progress(count_words(corpus.text, pipeline, corpus.files))
    assert found(without_progress(count_corpus(corpus, pipeline))) == found(expected)


@pytest.mark.parametrize("pipeline", PIPELINES, ids=range(len(PIPELINES)))
def test_a_text_that_stays_in_its_files(way, files, pipeline, monkeypatch):
    monkeypatch.setattr("core.corpus.SHOWN_BYTES", 100)
    whole = load_corpora(files)
    corpus = without_progress(read_corpora(files, most_bytes=1_000))
    assert len(corpus.text) < len(whole.text)
    expected = without_progress(count_words(whole.text, pipeline, whole.files))
    words = without_progress(count_corpus(corpus, pipeline))
    assert found(words) == found(expected)
    assert (words.read.sha256, words.notes) == (whole.sha256, whole.notes)
    assert corpus.when_read(words.read).byte_count == whole.byte_count


@pytest.mark.parametrize("beyond", Beyond)
def test_limits(way, files, beyond, monkeypatch):
    monkeypatch.setattr("core.word_limits.MEGABYTE", 1 << 16)
    corpus = load_corpora(files)
    expected = without_progress(count_words(corpus.text, Pipeline())).counts
    words = without_progress(count_corpus(corpus, Pipeline(limits=WordLimits(1, beyond))))
    frequent = without_progress(count_corpus(corpus, Pipeline(limits=WordLimits(1, beyond, min_count=100))))
    if beyond is Beyond.SPILL or way == "here":
        assert list(words.counts.items()) == list(expected.items())
        assert list(frequent.counts.items()) == [(word, count) for word, count in expected.items() if count >= 100]
        assert frequent.notes[-1].endswith("that occur fewer than 100 times.")
    else:
        assert sum(expected.values()) > words.total
        assert "were dropped" in words.notes[0]
        assert "fewer than 100 times" in frequent.notes[0]


def test_progress_goes_up_to_the_end(way, files):
    corpus = without_progress(read_corpora(files, most_bytes=1_000))
    steps = list(count_corpus(corpus, Pipeline()))
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert steps[-1].done == steps[-1].total == corpus.byte_count
    counted = [step for step in steps if isinstance(step, CountingProgress)]
    assert counted[-1].words > 50_000
    assert counted[-1].unique > 1_000


def test_what_is_refused(way, files):
    corpus = load_corpora(files)
    with pytest.raises(SpecialTokenError) as error:
        without_progress(count_corpus(corpus, Pipeline(special_tokens=("<s>",), specials=Specials.REFUSE)))
    assert error.value.position == corpus.text.index("<s>")


def test_errors_of_processes_name_the_text(way):
    text = "ok\n" * 100_000 + "zz\n"
    with pytest.raises(
        PatternError, match=r"^Line 100,001 of the corpus is a text of its own\. The pattern matches noth"
    ):
        without_progress(
            count_corpus(Corpus.typed(text), Pipeline(pre_tokenizer=custom(r"z*(?<=z)|\w"), texts=Texts.LINES))
        )


def test_a_file_that_changed_is_told(way, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    corpus = without_progress(read_corpora([path], most_bytes=1_000))
    path.write_text(TEXT + "more")
    with pytest.raises(CorpusError, match=r"^text\.txt has changed since it was opened"):
        without_progress(count_corpus(corpus, Pipeline()))


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="only Linux lists the open files there")
def test_cancelling_leaves_nothing_behind(way, files, monkeypatch):
    monkeypatch.setattr("core.word_limits.MEGABYTE", 1 << 16)
    corpus = without_progress(read_corpora(files * 5, most_bytes=1_000))
    pipeline = Pipeline(Normalizer() if way == "compiled" else Normalizer.named("nfc"), limits=WordLimits(1))
    before = len(list(OPEN_FILES.iterdir()))
    counting = count_corpus(corpus, pipeline)
    while next(counting).done < corpus.byte_count // 2:
        pass
    start = time.monotonic()
    counting.close()
    assert time.monotonic() - start < 0.5
    assert len(list(OPEN_FILES.iterdir())) == before


def test_putting_the_counts_of_threads_together_can_be_left(monkeypatch):
    kernel_loader.load()
    monkeypatch.setattr(word_counting, "thread_count", lambda: 2)
    monkeypatch.setattr(word_counting, "SIZE_FOR_THREADS", 0)
    monkeypatch.setattr("core.byte_counting.WORDS_PER_SLICE", 1_000)
    corpus = Corpus.typed(" ".join(map(str, range(400_000))))  # in three stretches, of some 150,000 words each
    steps = list(count_corpus(corpus, Pipeline()))
    assert sum(progress.done == corpus.character_count for progress in steps) > 100


def test_one_file_is_one_text(way):
    corpus = Corpus.typed("a b")
    assert without_progress(count_corpus(corpus, PIPELINES[4])).counts == {"a": 1, "b": 1}


def test_room_that_threads_have_from_the_start_drops_no_words(monkeypatch):
    kernel_loader.load()
    monkeypatch.setattr(word_counting, "thread_count", lambda: 4)
    corpus = Corpus.typed("".join(f"{number % 40_000}\n" for number in range(400_000)))
    pipeline = Pipeline(texts=Texts.LINES, limits=WordLimits(memory_mb=4, beyond=Beyond.DROP))
    words = without_progress(count_corpus(corpus, pipeline))
    assert (len(words.counts), set(words.counts.values()), words.notes) == (40_000, {10}, ())
