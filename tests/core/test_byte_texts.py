"""However a corpus comes in chunks and is cut into stretches, the texts have the words of the corpus."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import kernel_loader
from core.alphabet import utf8
from core.byte_texts import Chunk, Stretch, checked, stretches
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS
from core.special_tokens import Specials, SpecialTokenError
from tests.core.hard_texts import hard_text

LESSON = (
    "It's a <s>1234</s> <s>\r\nfine\r\r\n \n<s></s>\n\n  day<s\r\n/s>, \ud83d中文。\r\n中文!\n"
    "//<|end of\ntext|> 🙂▁a▁b \n"
)
SPECIALS = ("<s>", "</s>", "<s>\r", "\r", "<|end of\ntext|>", "s></s>\n", "<s></s>")
NAMES = ["gpt2", "cl100k", "o200k", "words", "whitespace", "metaspace", "metaspaces", "lines", "none"]


@pytest.fixture(autouse=True, scope="module")
def _kernels() -> None:
    kernel_loader.load()


def words_of(found: Sequence[Stretch], pipeline: Pipeline) -> list[str]:
    return [word.text for text in texts_of(found) for word in pipeline.pre_tokenizer.words(text)]


def texts_of(found: Iterable[Stretch]) -> Iterator[str]:
    for stretch in found:
        for start, end in zip(stretch.starts, stretch.ends, strict=True):
            text = stretch.data[start:end].tobytes().decode(errors="surrogatepass")
            yield from re.findall(r"[^\n]*\n|[^\n]+", text) if stretch.by_lines else [text]


def corpus_words(text: str, pipeline: Pipeline) -> list[str]:
    return [word.text for word in pipeline.corpus_words(text)]


def cut_at(data: bytes, *places: int) -> list[Chunk]:
    borders = [0, *sorted(places), len(data)]
    return [Chunk(data[start:end], end) for start, end in pairwise(borders)]


def pipelines(name: str) -> list[Pipeline]:
    return [
        Pipeline(pre_tokenizer=PRE_TOKENIZERS[name], texts=texts, special_tokens=SPECIALS, specials=specials)
        for texts in (Texts.WHOLE, Texts.LINES, Texts.LINES_WITH_ENDS)
        for specials in (Specials.MATCH, Specials.AS_TEXT)
    ]


def texts_in(text: str, pipeline: Pipeline, least_bytes: int = 1) -> list[str]:
    data = utf8(text)
    return [text for text in texts_of(stretches([Chunk(data, len(data))], pipeline, least_bytes)) if text]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (Texts.WHOLE, ["a<s>b\r\n\r\nc\r<", "\nd"]),
        (Texts.LINES, ["a<s>b", "c\r<", "d"]),
        (Texts.LINES_WITH_ENDS, ["a<s>b\r\n", "\r\n", "c\r<", "\n", "d"]),
    ],
)
def test_texts_between_special_tokens(texts: Texts, expected: list[str]) -> None:
    pipeline = Pipeline(texts=texts, special_tokens=("<|", "<|>"), specials=Specials.MATCH)
    assert texts_in("a<s>b\r\n\r\nc\r<<|>\nd", pipeline, 100) == expected


def test_a_line_end_is_no_part_of_a_special_token_in_lines() -> None:
    pipeline = Pipeline(texts=Texts.LINES, special_tokens=("x\r", "x", "y\n"), specials=Specials.MATCH)
    assert texts_in("ax\rbx\r\ncy\nd", pipeline) == ["a", "b", "cy", "d"]
    with_ends = replace(pipeline, texts=Texts.LINES_WITH_ENDS)
    assert texts_in("ax\rbx\r\ncy\nd", with_ends) == ["a", "b", "\n", "c", "d"]


@pytest.mark.parametrize("name", NAMES)
def test_every_border_of_a_chunk(name: str) -> None:
    data = utf8(LESSON)
    for pipeline in pipelines(name):
        expected = corpus_words(LESSON, pipeline)
        for place in range(len(data) + 1):
            assert words_of(list(stretches(cut_at(data, place), pipeline, 1)), pipeline) == expected, (pipeline, place)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 30])
def test_chunks_of_a_few_bytes(name: str, size: int) -> None:
    data = utf8(LESSON)
    for pipeline in pipelines(name):
        for least_bytes in (1, 20):
            found = list(stretches(cut_at(data, *range(0, len(data), size)), pipeline, least_bytes))
            assert words_of(found, pipeline) == corpus_words(LESSON, pipeline)


pieces = st.one_of(
    hard_text, st.sampled_from(["<s>", "</s>", "<s>\r\n", "\r", " \n ", "<|end of\ntext|>", "a b", "1234 "])
)


@settings(max_examples=300)
@given(st.lists(pieces, max_size=8).map("".join), st.data())
def test_any_text_in_any_chunks(text: str, draw: st.DataObject) -> None:
    data = utf8(text)
    places = draw.draw(st.lists(st.integers(0, len(data)), max_size=6))
    least_bytes = draw.draw(st.integers(1, 40))
    for name in ("gpt2", "o200k", "lines"):
        for pipeline in pipelines(name):
            found = list(stretches(cut_at(data, *places), pipeline, least_bytes))
            assert words_of(found, pipeline) == corpus_words(text, pipeline)
            assert b"".join(bytes(s.data[: n - s.base]) for s, n in zip(found, bases(found, data), strict=True)) == data


def bases(found: Sequence[Stretch], data: bytes) -> list[int]:
    """Where each stretch ends in the corpus: where the next one begins."""
    return [*(stretch.base for stretch in found[1:]), len(data)][: len(found)]


def test_a_chunk_can_end_a_text() -> None:
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["words"], texts=Texts.FILES)
    chunks = [Chunk(b"lo", 1), Chunk(b"w", 2, ends_text=True), Chunk(b"er", 3, ends_text=True), Chunk(b"", 4, True)]
    found = list(stretches(chunks, pipeline))
    assert words_of(found, pipeline) == ["low", "er"]
    assert [(stretch.base, stretch.place) for stretch in found] == [(0, 2), (3, 3)]


def test_stretches_are_as_long_as_asked_for_where_the_text_can_be_cut() -> None:
    chunks = [Chunk(b"low er\n" * 100, i) for i in range(100)]
    sizes = [int(stretch.ends[-1]) for stretch in stretches(chunks, Pipeline(), 5_000)]
    assert sum(sizes) == 70_000
    assert 4_000 < min(sizes[:-1]) <= max(sizes) < 6_500


def test_a_text_without_a_place_to_cut_is_searched_twice_at_most() -> None:
    found = list(stretches([Chunk(b"x" * 100, i) for i in range(100)], Pipeline(), 200))
    assert [int(stretch.ends[-1]) for stretch in found] == [10_000]


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_refused_special_tokens_are_found_across_chunks(size: int) -> None:
    text = "é🙂 a <s >\n b <s> c </s>"
    pipeline = Pipeline(special_tokens=("</s>", "<s>", "<s> c </"), specials=Specials.REFUSE)
    data = utf8(text)
    with pytest.raises(SpecialTokenError, match=r"the special token '<s> c </' at character 14\. Train with") as ours:
        list(checked(cut_at(data, *range(0, len(data), size)), pipeline))
    with pytest.raises(SpecialTokenError) as plain:
        pipeline.check(text)
    assert str(ours.value) == str(plain.value)
    passed = checked(cut_at(data[:19], *range(0, 19, size)), pipeline)
    assert b"".join(chunk.data for chunk in passed) == data[:19]
