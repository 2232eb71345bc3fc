"""Parts of files counted apart, without Spark, have the words of the whole corpus in the same order."""

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.corpus import load_corpora
from core.errors import ConfigError, CorpusError
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts, count_words
from core.pre_tokenizer import PRE_TOKENIZERS, Digits, custom, named
from core.spark.corpus_parts import Part, PartCounter, Place, parts_of
from core.spark.files import CorpusFile, files_at
from core.special_tokens import Specials, SpecialTokenError
from tests.core.hard_texts import any_text
from tests.core.runs import finish

pytest.importorskip("pyarrow", reason="the Spark job reads files with pyarrow, which is an extra")

CL100K, NONE, WHITESPACE = PRE_TOKENIZERS["cl100k"], PRE_TOKENIZERS["none"], PRE_TOKENIZERS["whitespace"]
MATCHING = (("<s>", "<s"), Specials.MATCH)


def written(folder: Path, *contents: bytes) -> list[Path]:
    paths = [folder / f"{number}.txt" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return paths


def counted_in_parts(paths: Sequence[Path], pipeline: Pipeline, part_bytes: int) -> list[tuple[str, int]]:
    files = files_at(map(str, paths))
    counter, counts = PartCounter(files, pipeline), dict[str, int]()
    for part in parts_of(files, pipeline, part_bytes):
        for word, count in counter.count(part).items():
            counts[word] = counts.get(word, 0) + count
    return list(counts.items())


def counted_at_once(paths: Sequence[Path], pipeline: Pipeline) -> list[tuple[str, int]]:
    corpus = load_corpora(paths)
    counts: Mapping[str, int] = finish(count_words(corpus.text, pipeline, corpus.files)).counts
    return list(counts.items())


def test_parts_of_a_file():
    files = [CorpusFile("/a.txt", 25), CorpusFile("/b.txt", 5), CorpusFile("/c.txt", 12)]
    assert parts_of(files, Pipeline(), 10) == [
        Part(0, 0, 3, None, Place(0, 10)),
        Part(1, 0, 3, Place(0, 10), Place(0, 20)),
        Part(2, 0, 3, Place(0, 20), Place(2, 0)),
        Part(3, 0, 3, Place(2, 0), Place(2, 10)),
        Part(4, 0, 3, Place(2, 10), None),
    ]
    assert parts_of(files, Pipeline(texts=Texts.FILES), 20) == [
        Part(0, 0, 1, None, Place(0, 20)),
        Part(1, 0, 1, Place(0, 20), None),
        Part(2, 1, 2, None, None),
        Part(3, 2, 3, None, None),
    ]
    assert parts_of(files, Pipeline(pre_tokenizer=NONE), 10) == [Part(0, 0, 3, None, None)]
    assert parts_of([], Pipeline()) == []


def test_a_compressed_file_is_not_parted():
    files = [CorpusFile("/a.txt.gz", 25), CorpusFile("/b.txt.xz", 15)]
    assert parts_of(files, Pipeline(), 10) == [Part(0, 0, 2, None, Place(1, 0)), Part(1, 0, 2, Place(1, 0), None)]


def test_a_part_ends_behind_the_byte_where_a_line_begins(tmp_path):
    files = files_at(map(str, written(tmp_path, b"one\n two\nthree\nfour\n")))
    counter = PartCounter(files, Pipeline(pre_tokenizer=CL100K))
    parts = [dict(counter.count(part)) for part in parts_of(files, counter.pipeline, 8)]
    assert parts == [{"one": 1, "\n": 3, " two": 1, "three": 1}, {"four": 1, "\n": 1}, {}]


NORMALIZERS = st.sampled_from(
    [
        Normalizer.named(*names, replacements=((r"a", ""), (r"b", "\nq"), (r"\n", "")))
        for names in [
            *[(), ("lowercase",), ("strip", "collapse_whitespace", "nfkc"), ("nfd", "strip_accents")],
            *[("metaspace",), ("replace",), ("strip", "replace", "numbers")],
        ]
    ]
)
PRE = st.one_of(
    st.builds(
        named,
        st.sampled_from(list(PRE_TOKENIZERS)),
        digits=st.sampled_from(list(Digits)),
        punctuation=st.booleans(),
    ),
    st.just(custom(r"\w+|[^\w\s]")),
)
PIPELINES = st.builds(
    lambda normalizer, words, texts, specials: Pipeline(normalizer, words, texts, *specials),
    NORMALIZERS,
    PRE,
    st.sampled_from(list(Texts)),
    st.sampled_from([((), Specials.AS_TEXT), MATCHING]),
)
CONTENTS = st.lists(
    st.one_of(
        any_text,
        st.lists(st.sampled_from(["a", " ", "\n", "\r\n", "\n\n", "日", "12", "!\n/", " ▁", "\n\u0301 ", "<s>", "<s"]))
        .map("".join),
    ),
    min_size=1,
    max_size=3,
)  # fmt: skip


@settings(max_examples=250)
@example(["a\n", "", " b\nc"], Pipeline(), 1, False)
@example(["a", "b\n"], Pipeline(texts=Texts.LINES_WITH_ENDS), 1, True)
@example(["x<s>", "b\nc"], Pipeline(specials=Specials.MATCH, special_tokens=("<s>",)), 1, False)
@given(CONTENTS, PIPELINES, st.sampled_from([1, 2, 7, 30]), st.booleans())
def test_the_same_words_in_the_same_order(tmp_path_factory, contents, pipeline, part_bytes, has_mark):
    data = [(b"\xef\xbb\xbf" if has_mark else b"") + text.encode(errors="replace") for text in contents]
    paths = written(tmp_path_factory.getbasetemp(), *data)
    assert counted_in_parts(paths, pipeline, part_bytes) == counted_at_once(paths, pipeline)


@pytest.mark.parametrize("name", ["crlf", "mixed_eol", "cr_only", "bom_utf8", "bom_twice", "nul_bytes", "empty",
                                  "no_final_newline", "whitespace_only", "control_chars", "bidi_override"])  # fmt: skip
@pytest.mark.parametrize("texts", list(Texts))
def test_nasty_files(name, texts):
    folder = Path(__file__).parents[2] / "data" / "nasty"
    paths = [folder / f"{name}.txt", folder / "crlf.txt", folder / f"{name}.txt"]
    for pre_tokenizer in PRE_TOKENIZERS.values():
        pipeline = Pipeline(pre_tokenizer=pre_tokenizer, texts=texts)
        assert counted_in_parts(paths, pipeline, 1_000) == counted_at_once(paths, pipeline)


def test_compressed_files(tmp_path):
    lines = b"".join(b"line %d\n" % number for number in range(300))
    plain = written(tmp_path, lines, lines[5:-1], b"end")
    packed = [tmp_path / f"{path.name}.gz" for path in plain]
    for one, other in zip(plain, packed, strict=True):
        other.write_bytes(gzip.compress(one.read_bytes()))
    assert counted_in_parts(packed, Pipeline(), 10) == counted_at_once(plain, Pipeline())
    renamed = packed[0].rename(tmp_path / "renamed.txt")
    with pytest.raises(CorpusError, match=r"^renamed\.txt is compressed \(gzip\), which its name must tell: expected"):
        counted_in_parts([renamed], Pipeline(), 10)


def test_folders(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ["a/z.txt", "a.txt", "b.txt", ".hidden/c.txt", ".d.txt"]:
        (tmp_path / name).write_text(name)
    names = [Path(file.address).relative_to(tmp_path).as_posix() for file in files_at([str(tmp_path)])]
    assert names == ["a/z.txt", "a.txt", "b.txt"]  # as core.folders has them
    named_twice = files_at([str(tmp_path / "b.txt"), f"file://{tmp_path}/a.txt"])
    assert [(file.name, file.size) for file in named_twice] == [("b.txt", 5), ("a.txt", 5)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"good\nbad \xff\n",
            "0.txt: byte 10 is not UTF-8. On Spark a corpus must be UTF-8: convert it first, as with",
        ),
        (b"\xef\xbb\xbfbad \xff\n", "0.txt: byte 8 is not UTF-8. "),
        ("wide\n".encode("utf-16"), "0.txt is in UTF-16-LE. On Spark a corpus must be UTF-8"),
        (b"\x89PNG\r\n\x1a\n", "0.txt looks like a binary file, not text: it begins like a PNG image."),
    ],
)
def test_files_that_are_not_utf8(tmp_path, content, message):
    with pytest.raises(CorpusError) as caught:
        counted_in_parts(written(tmp_path, content), Pipeline(), 1_000)
    assert str(caught.value).startswith(message)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(CorpusError, match=r"no\.txt: there is no such file\.$"):
        files_at([str(tmp_path / "no.txt")])
    with pytest.raises(CorpusError, match=r": there is no file in this folder\.$"):
        files_at([str(tmp_path)])
    with pytest.raises(CorpusError, match=r"^nowhere://a could not be read: "):
        files_at(["nowhere://a"])


def test_special_tokens(tmp_path):
    paths = written(tmp_path, b"a\nb <s> c\n")
    refusing = Pipeline(specials=Specials.REFUSE, special_tokens=("<s>",))
    with pytest.raises(SpecialTokenError, match="The corpus holds the special token '<s>'"):
        counted_in_parts(paths, refusing, 2)
    with pytest.raises(ConfigError, match="A special token with a line end in it cannot be looked for on Spark"):
        counted_in_parts(paths, Pipeline(specials=Specials.MATCH, special_tokens=("a\nb",)), 2)
    assert counted_in_parts(paths, Pipeline(pre_tokenizer=WHITESPACE, special_tokens=("a\nb",)), 2)[0] == ("a", 1)
