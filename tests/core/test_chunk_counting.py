"""Words counted in chunks are those that count_words finds in the whole corpus: words, order, counts, what is left."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.chunk_counting import Joiner, count_chunk
from core.chunks import Chunk, TextPiece, Way, chunks_of, way_of
from core.errors import BpeError, PatternError
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts, WordCounts, count_words
from core.pre_tokenizer import PRE_TOKENIZERS, custom, named
from core.progress import Progress, without_progress
from core.safe_cuts import safe_places
from core.special_tokens import Specials, SpecialTokenError
from tests.core.hard_texts import any_text, hard_text

SPECIALS = ("<|e|>", "<|e|>a", "\n1")
PRE_TOKENIZERS_TRIED = [
    *PRE_TOKENIZERS.values(),
    *(
        named("gpt2", digits="threes", punctuation=True),
        named("words", digits="threes"),
        named("o200k", digits="single"),
    ),
    *(named("whitespace", punctuation=True), named("metaspace", digits="single")),
    *(custom(r"\p{L}+|,\n?"), custom(r"a[\s\S]?b|\S"), replace(custom("[ab]+"), punctuation=True)),
]
NORMALIZERS_TRIED = [
    Normalizer(),
    Normalizer.named("nfkc", "lowercase"),
    Normalizer.named("metaspace"),
    Normalizer.named("collapse_whitespace", "strip"),
    Normalizer.named("replace", "strip", "metaspace", replacements=((r"\n", ""), ("a", "\n"), ("b", " "))),
]


def joined(files: list[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The corpus of these files, and where each of them is."""
    text, places = "", []
    for file in files:
        text += "\n" if file and text and not text.endswith("\n") else ""
        places.append((len(text), len(text) + len(file)))
        text += file
    return text, tuple(places) if files[1:] else ()


def pieces(files: list[str], size: int):
    last = ""
    for number, file in enumerate(files):
        if file and last and not last.endswith("\n"):
            yield TextPiece("\n", number, Progress(0, 0), is_added=True)
        for start in range(0, max(len(file), 1), size):
            yield TextPiece(file[start : start + size], number, Progress(0, 0))
        last = file or last


def in_chunks(files: list[str], pipeline: Pipeline, piece: int, chunk: int):
    joiner, counts = Joiner(pipeline), dict[str, int]()

    def add(words):
        for word, count in words.items():
            counts[word] = counts.get(word, 0) + count

    for one in chunks_of(pieces(files, piece), pipeline, chunk):
        for words in joiner.add(one, count_chunk(one, pipeline)):
            add(words)
    add(joiner.end())
    return list(counts.items()), joiner.unmatched, joiner.samples


def at_once(files: list[str], pipeline: Pipeline):
    text, places = joined(files)
    words: WordCounts = without_progress(count_words(text, pipeline, places))
    return list(words.counts.items()), words.unmatched, words.unmatched_samples


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (PatternError, SpecialTokenError) as error:
        return str(error)


token_text = st.lists(st.sampled_from(["<|e|>", "<|", "e|>", "a", "\n1", "\n", "b ", "don't"]), max_size=20).map(
    "".join
)
pipelines = st.builds(
    Pipeline,
    st.sampled_from(NORMALIZERS_TRIED),
    st.sampled_from(PRE_TOKENIZERS_TRIED),
    st.sampled_from(Texts),
    st.sampled_from([(), SPECIALS[:1], SPECIALS]),
    st.sampled_from(Specials),
)


@settings(max_examples=700, derandomize=True, deadline=None)
@given(
    st.lists(st.one_of(any_text, hard_text, token_text), min_size=1, max_size=3),
    pipelines,
    st.integers(1, 40),
    st.integers(1, 30),
)
@example(["!\n/ a", "b"], Pipeline(pre_tokenizer=PRE_TOKENIZERS["o200k"]), 1, 1)
@example(["a \n", "b"], Pipeline(), 2, 2)
def test_any_chunks_of_any_corpus(files, pipeline, piece, chunk):
    if len(files) == 1 and pipeline.texts is Texts.FILES:
        pipeline = replace(pipeline, texts=Texts.WHOLE)
    assert outcome(in_chunks, files, pipeline, piece, chunk) == outcome(at_once, files, pipeline)


@pytest.mark.parametrize("pre_tokenizer", PRE_TOKENIZERS_TRIED, ids=lambda one: f"{one.name}-{one.digits}")
def test_every_border_of_a_text(pre_tokenizer):
    text = "I'll say  \n\n 12345, o'clock!\n/ x\r\n\r\ny\t▁▁z'S\u2028a\x85b\n'll\n"
    pipeline = Pipeline(pre_tokenizer=pre_tokenizer)
    expected = at_once([text], pipeline)
    for size in range(1, len(text) + 1):
        assert in_chunks([text], pipeline, 5, size) == expected, size


def test_a_text_is_cut_where_its_pipeline_lets_it():
    ways = {
        Way.PARTS: Pipeline(),
        Way.LINES: Pipeline(pre_tokenizer=custom("a+"), texts=Texts.LINES),
        Way.WHOLE_TEXTS: Pipeline(pre_tokenizer=custom("a+")),
        Way.BETWEEN_SPECIALS: Pipeline(pre_tokenizer=custom("a+"), special_tokens=("<s>",), specials=Specials.MATCH),
    }
    text = "aa\nab<s>ac\nad<s>ae"
    texts = {way: [chunk.text for chunk in chunks_of(pieces([text], 4), ways[way], 5)] for way in ways}
    assert {way_of(ways[way]) for way in ways} == set(Way)
    assert texts == {
        Way.PARTS: ["aa\nab<s>", "ac\nad<s>", "ae"],
        Way.LINES: ["aa\n", "ab<s>ac\n", "ad<s>ae"],
        Way.WHOLE_TEXTS: [text],
        Way.BETWEEN_SPECIALS: ["aa\nab<s>", "ac\nad<s>", "ae"],
    }


def test_a_long_text_without_a_place_to_cut_is_not_searched_again_and_again():
    pipeline = Pipeline(Normalizer.named("lowercase"))
    chunks = chunks_of(pieces(["x" * 100_000], 10), pipeline, 10)
    assert [len(chunk.text) for chunk in chunks] == [100_000]


def test_errors_name_the_text_in_the_whole_corpus():
    pipeline = Pipeline(pre_tokenizer=custom(r"z*(?<=z)|\w"), texts=Texts.LINES)
    text = "ac\n" * 7 + "zz\n"
    with pytest.raises(BpeError) as whole:
        at_once([text], pipeline)
    with pytest.raises(BpeError) as chunked:
        in_chunks([text], pipeline, 6, 6)
    assert str(chunked.value) == str(whole.value)
    assert str(whole.value).startswith(
        "Line 8 of the corpus is a text of its own. The pattern matches nothing at character 3"
    )


def test_nothing_is_known_of_patterns_of_the_users_own():
    assert safe_places(custom("a+")) is None
    assert safe_places(PRE_TOKENIZERS["none"]) is None
    assert all(safe_places(one) for name, one in PRE_TOKENIZERS.items() if name != "none")


def test_a_chunk_without_a_safe_place_waits_for_the_next():
    pipeline = Pipeline()
    counts = [count_chunk(Chunk(text, Progress(0, 0), is_part=True), pipeline) for text in ("ab", "c\nd", "e")]
    assert [(one.head, one.ahead, one.tail) for one in counts] == [("ab", "", ""), ("c\n", "d", "d"), ("e", "", "")]
