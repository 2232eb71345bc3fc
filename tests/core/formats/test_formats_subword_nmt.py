"""subword-nmt's codes: the library reads ours and we read its, version 0.1 and 0.2, with its vocabulary beside."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, Marker, Token, Unknown
from core.bpe_text import BpeText
from core.encoding_rules import Encoder
from core.errors import FormatError
from core.formats import FORMATS, ReadOptions, Severity, export
from core.formats.opening import open_model
from core.formats.subword_nmt import AT_SPACES, at_spaces
from core.formats.subword_nmt_vocab import read_vocabulary
from core.merge import UNKNOWN
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig
from tests.core.formats.kinds import DATA, alice, kind, messages, probes, refusals, run
from tests.core.runs import record

CODES, VOCAB = FORMATS["subword-nmt"], FORMATS["subword-nmt-vocab"]
PIPELINE = Pipeline(pre_tokenizer=at_spaces())


def trained(text, marker=Marker.SUFFIX, **options):
    return record(text, TrainerConfig(Base.CHARACTERS, marker, **options), PIPELINE)


def read(text, folder, name="bpe.codes", **options):
    path = folder / name
    path.write_bytes(text.encode())
    return CODES.load(path, ReadOptions(**options))


def library(path):
    with path.open(encoding="utf-8", newline="\n") as file:
        return pytest.importorskip("subword_nmt.apply_bpe").BPE(file)


def in_lines(text):
    """A lone carriage return ends a line here and stays inside a word there."""
    return text.replace("\r", "").split("\n")


def assert_the_library_agrees(recording, path, text):
    bpe, ours = library(path), BpeText(Tokenizer(recording, encoder=Encoder.ALL_AT_ONCE))
    for line in in_lines(text):
        assert "".join(ours.encoded(line)) == bpe.process_line(line), line


@pytest.mark.parametrize(
    ("marker", "lines"), [(Marker.SUFFIX, "#version: 0.2\nl o\nlo w</w>\n"), (Marker.SYMBOL, "l o\nlo w\n")]
)
def test_the_file_written_out(marker, lines, tmp_path):
    recording = trained("low low lower", marker, merges=3)
    result = export(recording, 2, CODES, tmp_path / "bpe.codes")
    assert (tmp_path / "bpe.codes").read_text(encoding="utf-8") == lines
    assert result.self_test.passed
    assert [part.difference for part in result.self_test.parts] == [""]


@pytest.mark.parametrize("marker", [Marker.SUFFIX, Marker.SYMBOL])
def test_the_library_gives_our_tokens_of_what_we_train_and_write(marker, tmp_path):
    recording = trained(alice(), marker, merges=300)
    path = tmp_path / "bpe.codes"
    assert export(recording, 300, CODES, path).self_test.passed
    text = alice() + "\n".join(probes()) + (DATA / "text" / "udhr_cmn_hans.txt").read_text(encoding="utf-8")[:5000]
    assert_the_library_agrees(recording, path, text)
    assert_the_library_agrees(CODES.load(path), path, text)
    assert "bpe" in run(CODES.snippet(path))


@pytest.mark.parametrize("marker", [Marker.SUFFIX, Marker.SYMBOL])
def test_reading_back_what_was_read_gives_the_same_ids(marker, tmp_path):
    CODES.save(trained(alice(), marker, merges=200), 200, tmp_path / "bpe.codes")
    first = CODES.load(tmp_path / "bpe.codes")
    assert messages(first, "subword-nmt", Severity.WARNING) == []
    CODES.save(first, 200, tmp_path / "again.codes")
    again = CODES.load(tmp_path / "again.codes")
    assert (tmp_path / "again.codes").read_bytes() == (tmp_path / "bpe.codes").read_bytes()
    assert list(again) == list(first)
    assert again.alphabet == first.alphabet
    assert again.pipeline == first.pipeline
    assert again.rules == first.rules


def test_the_ids_are_ours_and_the_letters_those_of_the_codes(tmp_path):
    recording = read("#version: 0.2\nb a</w>\nb c\n", tmp_path)
    assert list(recording.alphabet.tokens.values()) == [
        *map(Token, (b"a", b"b", b"c")), *(Token(letter, ends_word=True) for letter in (b"a", b"b", b"c")),
    ]  # fmt: skip
    assert [merge[1:4] for merge in recording] == [(1, 3, 6), (1, 2, 7)]
    assert recording.alphabet.unknown is Unknown.KEEP
    assert recording.pipeline.pre_tokenizer.pattern == AT_SPACES
    assert recording.imported.facts == (
        "Codes of version 0.2: </w> is part of each word's last symbol.",
        "The file has no ids: characters come first here, by code point, then tokens in the order of the merges.",
    )
    tokens = Tokenizer(recording).encode("ba?c bcé")
    assert [token.token_id for token in tokens] == [1, 0, UNKNOWN, 5, 7, UNKNOWN]


def test_version_01_has_the_marker_as_a_symbol(tmp_path):
    recording = read("r </w>\ne r</w>\nl o\n", tmp_path)
    assert recording.alphabet.marker is Marker.SYMBOL
    assert "version 0.1" in recording.imported.facts[0]
    assert [recording.token(merge.token_id) for merge in recording] == [
        Token(b"r", ends_word=True), Token(b"er", ends_word=True), Token(b"lo"),
    ]  # fmt: skip
    same = read("#version: 0.1\nr </w>\ne r</w>\nl o\n", tmp_path)
    assert list(same) == list(recording)
    assert same.alphabet == recording.alphabet


def test_a_header_that_was_lost_is_noticed(tmp_path):
    assert "may have been lost" in read("e r</w>\nl o\n", tmp_path).imported.facts[2]


@pytest.mark.parametrize("header", ["#version: 0.2", "#version: 0.2.0", "#version:   0.2", "#version: 0.2\r"])
def test_headers_that_the_library_reads(header, tmp_path):
    recording = read(header + "\nl o\n", tmp_path)
    assert recording.alphabet.marker is Marker.SUFFIX
    assert library(tmp_path / "bpe.codes").version == (0, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#version: 0.3\nl o\n", "bpe.codes, line 1: expected '#version: 0.2', or no header for version 0.1, found"),
        ("#version:0.3\nl o\n", "line 1: expected '#version: 0.2'"),
        ("#version: two\nl o\n", "line 1: expected '#version: 0.2'"),
        ("#version 0.2\nl o\n", "line 1: expected '#version: 0.2'"),
        ("#version: 0.2\nl o\nlo\n", "bpe.codes, line 3: expected two tokens with a space between, found 'lo'"),
        ("#version: 0.2\nl  o\n", "line 2: expected two tokens"),
        ("#version: 0.2\nl o w\n", "line 2: expected two tokens"),
        ("#version: 0.2\nl o\n\nlo w\n", "line 3: expected two tokens with a space between, found ''"),
        ("#version: 0.2\n", "there is no merge in it"),
        ("", "there is no merge in it"),
        ("\ufeff#version: 0.2\nl o\n", "byte order mark"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, message, tmp_path):
    with pytest.raises(FormatError) as caught:
        read(text, tmp_path)
    assert message in str(caught.value)


def test_a_version_without_its_space_is_refused_as_the_library_cannot_read_it(tmp_path):
    with pytest.raises(FormatError, match=r"line 1: expected '#version: 0\.2'"):
        read("#version:0.2\nl o\n", tmp_path)
    with pytest.raises(ValueError, match="invalid literal"):
        library(tmp_path / "bpe.codes")


def test_carriage_returns_spaces_around_lines_and_empty_last_lines_are_read_as_the_library_does(tmp_path):
    recording = read("#version: 0.2\r\n l o \r\nlo w</w>\n\n\n", tmp_path)
    assert [m.pair for m in recording] == [(0, 1), (6, 5)]
    assert list(library(tmp_path / "bpe.codes").bpe_codes) == [("lo", "w</w>"), ("l", "o")]
    assert len(read("#version: 0.2\nl o\nlo w</w>", tmp_path)) == 2


def test_letters_that_end_lines_elsewhere_are_letters(tmp_path):
    recording = read("#version: 0.2\n\u2028 \u0085\n\t \u00a0</w>\n\x0b \x1c\n", tmp_path)
    assert [recording.token(merge.token_id).content.decode() for merge in recording] == [
        "\u2028\u0085", "\t\u00a0", "\x0b\x1c",
    ]  # fmt: skip


def test_merges_that_begin_with_a_hash_are_merges(tmp_path):
    recording = read("#version: 0.2\n# #\n## #</w>\n", tmp_path)
    assert_the_library_agrees(recording, tmp_path / "bpe.codes", "## ### #### a## ##a")
    again = tmp_path / "again.codes"
    CODES.save(recording, 2, again)
    assert again.read_text(encoding="utf-8") == "#version: 0.2\n# #\n## #</w>\n"
    assert any("OpenNMT" in message for message in messages(recording, "subword-nmt", Severity.WARNING))


ODD = {
    "not in order": "#version: 0.2\nab c</w>\na b\n",
    "all places at once": "#version: 0.2\nab a\na b\n",
    "twice, the first counts": "#version: 0.2\nb c\na b\nb c\n",
    "parts that nothing makes": "#version: 0.2\nxy z\na b\nxyz w</w>\n",
    "two ways to a token": "#version: 0.2\na b\nab c\nb c\na bc\n",
    "0.1": "ab c\na b\nabc </w>\nb </w>\na b</w>\n",
}


@pytest.mark.parametrize("lines", ODD.values(), ids=ODD)
def test_merges_that_no_training_makes_are_kept_and_go_out_again(lines, tmp_path):
    recording = read(lines, tmp_path)
    assert not recording.is_monotone
    assert recording.rules.encoder is Encoder.ALL_AT_ONCE
    text = "abc abcabc ababx abababx abcx xyz xyzw aab cab ab"
    assert_the_library_agrees(recording, tmp_path / "bpe.codes", text)
    result = export(recording, len(recording), CODES, tmp_path / "again.codes")
    assert result.self_test.passed
    assert (tmp_path / "again.codes").read_text(encoding="utf-8") == lines
    assert messages(recording, "subword-nmt", Severity.WARNING) == []


@settings(max_examples=60)
@given(
    merges=st.lists(st.tuples(*[st.sampled_from(["a", "b", "ab", "ba", "aa", "aba"])] * 2, st.booleans()), min_size=1),
    words=st.lists(st.text("ab", min_size=1, max_size=9), min_size=1, max_size=6),
)
def test_any_list_gives_the_librarys_tokens(merges, words, tmp_path_factory):
    path = tmp_path_factory.mktemp("any") / "bpe.codes"
    lines = [f"{left} {right}{'</w>' * ends}\n" for left, right, ends in merges]
    recording = read("#version: 0.2\n" + "".join(lines), path.parent)
    assert_the_library_agrees(recording, path, " ".join(words))


def test_the_letters_of_the_marker_in_tokens_are_said(tmp_path):
    recording = read("#version: 0.2\n< /\n</ w\n</w >\na </w></w>\n", tmp_path)
    assert any("hold the letters </w>" in fact for fact in recording.imported.facts)
    assert recording.token(recording[2].token_id) == Token(b"</w>")
    assert recording.token(recording[3].right) == Token(b"</w>", ends_word=True)
    assert "holds the letters '</w>'" in refusals(recording, "subword-nmt")[0]


def test_special_tokens_that_a_person_names(tmp_path):
    lines = "#version: 0.2\nl o\n"
    recording = read(lines, tmp_path, special_tokens={"<s>": 9})
    assert Tokenizer(recording).ids("lo<s>") == [0, 3, 9]
    with pytest.raises(FormatError, match=r"'<s>' cannot have the id 1, which is 'o'"):
        read(lines, tmp_path, special_tokens={"<s>": 1})
    whitespace = read(lines, tmp_path, pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    assert whitespace.pipeline.pre_tokenizer.name == "whitespace"


def test_what_the_format_cannot_hold():
    assert "not bytes" in refusals(kind("bytes gpt2"), "subword-nmt")[0]
    assert "marks the end of each word" in refusals(kind("continuing words"), "subword-nmt")[0]
    assert "without a merge" in refusals(kind("suffix whitespace"), "subword-nmt", 0)[0]
    assert "hold spaces or line ends" in refusals(kind("suffix gpt2"), "subword-nmt")[0]
    assert "holds the letters '</w>'" in refusals(kind("suffix other marker"), "subword-nmt")[0]
    version = trained("#version:#version: x", Marker.SYMBOL)
    assert refusals(version, "subword-nmt") == []  # letters come first in the first merge


def test_what_the_library_does_otherwise_is_said():
    warnings = " ".join(messages(kind("suffix whitespace"), "subword-nmt", Severity.WARNING))
    for words in ("cuts words at the space", "no special tokens", "leaves unknown characters as they are"):
        assert words in warnings
    assert "no normalizer: put texts through nfkc" in " ".join(
        messages(kind("symbol whitespace nfkc"), "subword-nmt", Severity.WARNING)
    )
    assert "merges by rank" in " ".join(messages(kind("wordpiece symbol"), "subword-nmt", Severity.WARNING))
    assert [message[:17] for message in messages(trained("low low"), "subword-nmt", Severity.LOSS)] == [
        "Ids are not kept,", "Counts, ties and ",
    ]  # fmt: skip


def test_it_is_known_by_what_is_in_it(tmp_path):
    for name, lines in (("a.txt", "#version: 0.2\nl o\nlo w</w>\n"), ("b", "l o\nlo w\nw </w>\n")):
        (tmp_path / name).write_text(lines, encoding="utf-8")
        assert open_model(tmp_path / name).format is CODES
    for text in (
        "low 5\nlower 3\n",
        "two words\na line\n",
        "",
        "\0\xff",
        "l o\nlo w</w>\n" * 3 + "a text that goes on\n" * 9,
    ):
        assert not CODES.recognizes(text.encode(), tmp_path / "x")


def test_a_real_file(tmp_path):
    recording = CODES.load(DATA / "formats" / "subword_nmt_200.codes")
    assert len(recording) == 200
    assert recording.is_monotone
    assert_the_library_agrees(recording, DATA / "formats" / "subword_nmt_200.codes", alice())


def test_the_vocabulary_counts_what_get_vocab_counts(tmp_path):
    get_vocab = pytest.importorskip("subword_nmt.get_vocab").get_vocab
    recording = trained(alice(), merges=200)
    VOCAB.save(recording, 150, tmp_path / "bpe.vocab")
    cut, counted = io.StringIO("".join(BpeText(Tokenizer(recording, 150)).encoded(alice()))), io.StringIO()
    get_vocab(cut, counted)
    ours = (tmp_path / "bpe.vocab").read_text(encoding="utf-8").splitlines()
    theirs = counted.getvalue().splitlines()
    assert sorted(ours) == sorted(theirs)
    counts = [int(line.split(" ")[1]) for line in ours]
    assert counts == sorted(counts, reverse=True)


def test_ids_from_a_vocabulary_beside_the_codes(tmp_path):
    recording = trained("low low lower", merges=3)
    CODES.save(recording, 3, tmp_path / "bpe.codes")
    VOCAB.save(recording, 3, tmp_path / "bpe.vocab")
    assert (tmp_path / "bpe.vocab").read_text(encoding="utf-8") == "low 2\nw@@ 1\nlo@@ 1\ner 1\n"
    again = CODES.load(tmp_path / "bpe.codes")
    assert [again.token(token_id) for token_id in range(4)] == [
        Token(b"low", ends_word=True), Token(b"w"), Token(b"lo"), Token(b"er", ends_word=True),
    ]  # fmt: skip
    assert "Ids are the lines of bpe.vocab" in again.imported.facts[1]
    assert len({token for _, token in again.tokens_at(3)}) == again.vocab_size(3)
    (tmp_path / "bpe.vocab").rename(tmp_path / "bpe.codes.vocab")
    assert list(CODES.load(tmp_path / "bpe.codes")) == list(again)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("low\n", "bpe.vocab, line 1: expected a token, a space and a count, found 'low'"),
        ("low 5\nlow 4\n", "line 2: the token 'low' is listed twice"),
        ("low -5\n", "line 1: expected a token"),
        ("low " + "9" * 30, "line 1: expected a token"),
        (" 5\n", "line 1: expected a token"),
    ],
)
def test_a_damaged_vocabulary(text, message, tmp_path):
    (tmp_path / "bpe.vocab").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read("#version: 0.2\nl o\n", tmp_path)
    assert message in str(caught.value)


def test_vocabularies_that_cannot_be_written():
    assert "Attach a corpus" in refusals(CODES.load(DATA / "formats" / "subword_nmt_200.codes"), "subword-nmt-vocab")[0]
    assert "tells tokens that end words" in refusals(kind("symbol words"), "subword-nmt-vocab")[0]
    assert VOCAB.preview(kind("bytes gpt2"), 9)  # what is refused is looked at too
    assert "separates by them" in refusals(kind("suffix gpt2"), "subword-nmt-vocab")[0]


def test_a_vocabulary_alone(tmp_path):
    (tmp_path / "v").write_text("low 5\nlo@@ 3\n", encoding="utf-8")
    assert list(read_vocabulary(tmp_path / "v").items()) == [("low", 5), ("lo@@", 3)]
