import codecs
import gzip
import hashlib
import json
import lzma
import os
import random
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.alphabet import byte_stand_ins
from core.corpus import Corpus, load_corpora, load_corpus, read_corpora
from core.corpus import read_corpus as read
from core.errors import CorpusError, PatternError
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts, WordCounts, count_words
from core.pre_tokenizer import PRE_TOKENIZERS, Digits, Word, custom, named
from core.progress import Progress, without_progress
from core.special_tokens import Specials, SpecialTokenError
from core.text_encoding import ENCODINGS, DetectedBy
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig
from core.word_counts import corpus_words_counted, load_word_counts
from tests.core.runs import record

NASTY = Path(__file__).parents[1] / "data" / "nasty"
SHARED_NASTY = Path(__file__).parents[3] / "shared" / "data" / "nasty"
SHARED_UDHR = SHARED_NASTY.parent / "corpora" / "udhr"

MARK, VALID, GUESSED = DetectedBy.BYTE_ORDER_MARK, DetectedBy.VALID_UTF8, DetectedBy.GUESSED
MARK_NOTE = "A byte order mark at the start was removed."
BINARY = None

# file: (encoding, how it was found, how many characters became U+FFFD)
EXPECTED = {
    "empty.txt": ("utf-8", VALID, 0),
    "whitespace_only.txt": ("utf-8", VALID, 0),
    "crlf.txt": ("utf-8", VALID, 0),
    "cr_only.txt": ("utf-8", VALID, 0),
    "mixed_eol.txt": ("utf-8", VALID, 0),
    "no_final_newline.txt": ("utf-8", VALID, 0),
    "bom_utf8.txt": ("utf-8", MARK, 0),
    "bom_twice.txt": ("utf-8", MARK, 0),
    "utf16le_bom.txt": ("utf-16-le", MARK, 0),
    "utf16be_bom.txt": ("utf-16-be", MARK, 0),
    "utf16le_nobom.txt": ("utf-16-le", GUESSED, 0),
    "gb18030.txt": ("gb18030", GUESSED, 0),
    "shift_jis.txt": ("cp932", GUESSED, 0),
    "euc_kr.txt": ("cp949", GUESSED, 0),
    "latin1.txt": ("cp1252", GUESSED, 0),
    "cp1252.txt": ("cp1252", GUESSED, 0),
    "koi8_r.txt": ("koi8-r", GUESSED, 0),
    "nul_bytes.txt": ("utf-8", VALID, 0),
    "control_chars.txt": ("utf-8", VALID, 0),
    "all_bytes.bin": BINARY,
    "surrogates_wtf8.txt": ("utf-8", GUESSED, 6),
    "surrogates_cesu8.txt": ("utf-8", GUESSED, 6),
    "surrogates_utf16.txt": ("utf-16-le", MARK, 2),
    "overlong_utf8.txt": ("utf-8", GUESSED, 11),
    "beyond_10ffff.txt": ("utf-8", GUESSED, 17),
    "truncated_utf8.txt": ("utf-8", VALID, 0),
    "truncated_emoji.txt": ("utf-8", GUESSED, 1),
    "stray_continuation.txt": ("utf-8", GUESSED, 5),
    "aaab_overlap.txt": ("utf-8", VALID, 0),
    "special_tokens.txt": ("utf-8", VALID, 0),
    "bidi_override.txt": ("utf-8", VALID, 0),
    "html_markup.txt": ("utf-8", VALID, 0),
    "name ünïcödé 名前.txt": ("utf-8", VALID, 0),
}
SHARED_EXPECTED = EXPECTED | {
    "truncated_utf8.txt": ("utf-8", GUESSED, 1),
    "binary_64k.bin": BINARY,
    "nasty_manifest.json": ("utf-8", VALID, 0),
}
SHARED_FILES = sorted(SHARED_NASTY.iterdir()) if SHARED_NASTY.is_dir() else []


def drain(counting: Generator[Progress, None, WordCounts]) -> WordCounts:
    while True:
        try:
            next(counting)
        except StopIteration as stop:
            counts: WordCounts = stop.value
            return counts


def write(folder: Path, data: bytes) -> Path:
    path = folder / "text.txt"
    path.write_bytes(data)
    return path


def check(path: Path, expected: tuple[str, DetectedBy, int] | None) -> None:
    if expected is BINARY:
        with pytest.raises(CorpusError, match=rf"^{path.name} looks like a binary file, not text: .* plain text"):
            load_corpus(path)
        return
    corpus = load_corpus(path)
    encoding, detected_by, replaced = expected
    assert (corpus.encoding, corpus.detected_by, corpus.text.count("\ufffd")) == (encoding, detected_by, replaced)
    assert any("U+FFFD" in note for note in corpus.notes) == bool(replaced)
    assert (MARK_NOTE in corpus.notes) == (detected_by is MARK)
    assert (corpus.name, corpus.path) == (path.name, path)
    data = path.read_bytes()
    assert (corpus.byte_count, corpus.sha256) == (len(data), hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize("name", EXPECTED)
def test_nasty_files(name):
    check(NASTY / name, EXPECTED[name])


def test_nasty_files_are_all_here_and_unchanged():
    manifest = json.loads((NASTY / "manifest.json").read_text(encoding="utf-8"))
    assert {entry["file"] for entry in manifest} == set(EXPECTED)
    for entry in manifest:
        data = (NASTY / entry["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"], entry["file"]


@pytest.mark.skipif(not SHARED_FILES, reason="the larger data set is not beside this checkout")
@pytest.mark.parametrize("path", SHARED_FILES, ids=lambda path: path.name)
def test_larger_nasty_files(path, tmp_path):
    if path.suffix == ".xz":
        (tmp_path / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
        path = tmp_path / path.stem
    check(path, SHARED_EXPECTED.get(path.name, ("utf-8", VALID, 0)))


def test_line_ends_survive():
    assert load_corpus(NASTY / "mixed_eol.txt").text == "a\nb\r\nc\rd\u2028e\x85f\n\rg"
    assert load_corpus(NASTY / "mixed_eol.txt").line_count == 4
    crlf, cr = load_corpus(NASTY / "crlf.txt"), load_corpus(NASTY / "cr_only.txt")
    assert (crlf.text.count("\r\n"), crlf.text.count("\n"), crlf.line_count) == (3, 3, 3)
    assert (cr.text.count("\r"), cr.text.count("\n"), cr.line_count) == (3, 0, 1)


def test_only_one_byte_order_mark_is_removed():
    assert load_corpus(NASTY / "bom_twice.txt").text == "\ufeffx\n"


@pytest.mark.parametrize(
    ("mark_and_codec", "encoding"),
    [
        ((b"\xef\xbb\xbf", "utf-8"), "utf-8"),
        ((b"\xff\xfe", "utf-16-le"), "utf-16-le"),
        ((b"\xfe\xff", "utf-16-be"), "utf-16-be"),
        ((b"\xff\xfe\0\0", "utf-32-le"), "utf-32-le"),
        ((b"\0\0\xfe\xff", "utf-32-be"), "utf-32-be"),
    ],
)
def test_byte_order_marks(tmp_path, mark_and_codec, encoding):
    mark, codec = mark_and_codec
    path = write(tmp_path, mark + "né\r\n".encode(codec))
    assert load_corpus(path).text == "né\r\n"
    assert load_corpus(path).encoding == encoding
    chosen = load_corpus(path, encoding.removesuffix("-le").removesuffix("-be"))
    assert (chosen.text, chosen.encoding, chosen.detected_by) == ("né\r\n", encoding, DetectedBy.CHOSEN)
    assert chosen.notes == (MARK_NOTE,)


@pytest.mark.parametrize("chosen", ["utf-16", "utf-32", "UTF_16"])
def test_a_wide_encoding_chosen_without_mark_has_the_low_byte_first(tmp_path, chosen):
    codec = chosen.lower().replace("_", "-") + "-le"
    path = write(tmp_path, "né\r\n中".encode(codec))
    corpus = load_corpus(path, chosen)
    assert (corpus.text, corpus.encoding, corpus.detected_by) == ("né\r\n中", codec, DetectedBy.CHOSEN)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(
    "text", ["plain words\n", "世界人权宣言\n序言 鉴于对人类\n", "Всеобщая декларация\n", "😀 ok\n"]
)
def test_wide_encodings_without_mark(tmp_path, codec, text):
    corpus = load_corpus(write(tmp_path, (text * 20).encode(codec)))
    assert (corpus.encoding, corpus.text) == (codec, text * 20)


@pytest.mark.parametrize(
    ("codec", "language", "expected"),
    [
        ("cp1251", "rus", "cp1251"),
        ("koi8_r", "rus", "koi8-r"),
        ("cp866", "rus", "cp866"),
        ("latin-1", "fra", "cp1252"),
        ("gbk", "cmn_hans", "gb18030"),
        ("cp932", "jpn", "cp932"),
        ("euc_jp", "jpn", "euc_jp"),
        ("iso2022_jp", "jpn", "iso2022_jp"),
        ("euc_kr", "kor", "cp949"),
        ("cp1255", "heb", "cp1255"),
        ("cp1256", "arb", "cp1256"),
        ("cp874", "tha", "cp874"),
    ],
)
@pytest.mark.parametrize("size", [400, 20_000])
def test_older_encodings(tmp_path, codec, language, expected, size):
    source = SHARED_UDHR / f"{language}.txt"
    if not source.exists():
        pytest.skip("the larger data set is not beside this checkout")
    data = source.read_bytes().decode()[: size // 2].encode(codec, "ignore")
    corpus = load_corpus(write(tmp_path, data))
    assert (corpus.encoding, corpus.detected_by) == (expected, GUESSED)
    assert corpus.text == data.decode(codec)


@pytest.mark.parametrize(
    ("text", "codec", "encoding"),
    [
        ("café", "latin-1", "cp1252"),
        ("Straße, Müller, Käse, schön: das ist für Österreich", "latin-1", "cp1252"),
        ("año niño ¿qué?", "latin-1", "cp1252"),
        ("smörgåsbord på svenska", "latin-1", "cp1252"),
        ("price 5€ “quoted” text", "cp1252", "cp1252"),
        ("café déjà vu " * 50, "latin-1", "cp1252"),
        ("Все люди", "cp1251", "cp1251"),
        ("日本語です", "cp932", "cp932"),
        ("Zażółć gęślą jaźń, proszę pana. Wszyscy ludzie rodzą się wolni i równi.", "cp1250", "cp1250"),
        ("Türkçe: ığdır şehri çok güzel, İstanbul değil", "cp1254", "cp1254"),
        ("Όλοι οι άνθρωποι γεννιούνται ελεύθεροι", "cp1253", "cp1253"),
    ],
)
def test_short_texts_in_older_encodings(tmp_path, text, codec, encoding):
    corpus = load_corpus(write(tmp_path, text.encode(codec)))
    assert (corpus.text, corpus.encoding) == (text, encoding)


def test_one_older_byte_long_after_the_start(tmp_path):
    data = b"plain words\n" * 100_000
    corpus = load_corpus(write(tmp_path, data + "déjà vu, un été\n".encode("latin-1")))
    assert (corpus.encoding, corpus.detected_by, corpus.notes) == ("cp1252", GUESSED, ())
    assert corpus.text.endswith("words\ndéjà vu, un été\n")


def test_one_broken_byte_in_good_utf8(tmp_path):
    line = "Die Würde des Menschen ist unantastbar: 世界人权宣言\n".encode()
    corpus = load_corpus(write(tmp_path, line * 30_000 + b"\xff" + line * 100))
    assert (corpus.encoding, corpus.detected_by) == ("utf-8", GUESSED)
    at = f"{len(line) * 30_000 + 1:,}"
    note = f"1 broken character, not valid UTF-8, is shown as U+FFFD, at byte {at} (line 30,001)."
    assert corpus.notes == (note,)


def test_places_of_broken_bytes_count_the_byte_order_mark():
    note = "2 broken characters, not valid UTF-16-LE, are shown as U+FFFD, the first at byte 5 (line 1)."
    assert load_corpus(NASTY / "surrogates_utf16.txt").notes == (MARK_NOTE, note)


def test_characters_across_read_borders(tmp_path):
    text = "x" + "世" * 1_000_000
    assert load_corpus(write(tmp_path, text.encode())).text == text
    assert load_corpus(write(tmp_path, b"x" + text.encode("utf-16-le")), "cp437").character_count == 2 * len(text) + 1


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(gzip.compress(b"words " * 50)),
        gzip.compress(lzma.compress(b"words " * 50)),
        b"notes.txt".ljust(257, b"\0") + b"ustar\x0000" + b"words " * 50,
        b"PK\x03\x04\x14\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"%PDF-1.7\n1 0 obj",
        b"abc\0" * 1000,
        bytes(range(256)) * 3,
        hashlib.sha256(b"").digest() * 300,
    ],
)
def test_binary_files_are_refused(tmp_path, data):
    with pytest.raises(CorpusError, match=r"^text\.txt looks like a binary file, not text: "):
        load_corpus(write(tmp_path, data))


def test_nul_characters_are_noted():
    corpus = load_corpus(NASTY / "nul_bytes.txt")
    assert corpus.text == "a\0b\0\0c\n"
    assert corpus.notes == ("The text contains 3 NUL characters.",)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(CorpusError, match=r"^no\.txt: there is no such file in "):
        load_corpus(tmp_path / "no.txt")
    with pytest.raises(CorpusError, match=f"There is no text file in the folder {tmp_path.name}"):
        load_corpus(tmp_path)
    with pytest.raises(CorpusError, match="could not be read: "):
        load_corpus(write(tmp_path, b"") / "below a file")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CorpusError, match="pipe is a device or pipe, not a text file"):
        load_corpus(tmp_path / "pipe")


def test_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, b"x")
    monkeypatch.setattr(Path, "open", refuse)  # chmod would not stop root, as whom the tests may run
    with pytest.raises(CorpusError, match=r"^text\.txt may not be read: permission denied"):
        load_corpus(path)


def test_chosen_encoding(tmp_path):
    path = write(tmp_path, "naïve\n".encode("cp437"))
    corpus = load_corpus(path, "CP437")
    assert (corpus.text, corpus.encoding, corpus.detected_by) == ("naïve\n", "cp437", DetectedBy.CHOSEN)
    with pytest.raises(CorpusError, match=r"^text\.txt is not UTF-8: byte 3 \(line 1\) is not valid in it"):
        load_corpus(path, "utf-8")
    with pytest.raises(CorpusError, match=r"byte 1,200,002 \(line 200,001\)"):
        load_corpus(write(tmp_path, b"words\n" * 200_000 + b"x\xff"), "utf-8")


@pytest.mark.parametrize("encoding", ["utf-9", "base64", "rot13", "undefined", "a\0b"])
def test_unknown_encoding(tmp_path, encoding):
    with pytest.raises(CorpusError, match=r"There is no text encoding named .* Known are, among others: utf-8, "):
        load_corpus(write(tmp_path, b"x"), encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_offered_encodings_read_and_keep_their_names(tmp_path, encoding):
    corpus = load_corpus(write(tmp_path, "plain\r\n".encode(encoding)), encoding)
    assert (corpus.text, corpus.encoding) == ("plain\r\n", encoding)


def test_what_is_detected_is_offered():
    assert {expected[0] for expected in SHARED_EXPECTED.values() if expected} <= set(ENCODINGS)


def test_progress_in_bytes(tmp_path):
    progress = list(read(write(tmp_path, b"x" * 2_500_000)))
    assert progress[:3] == [(1_048_576, 2_500_000), (2_097_152, 2_500_000), (2_500_000, 2_500_000)]
    assert all(step == (2_500_000, 2_500_000) for step in progress[3:])


def write_files(folder: Path, **contents: bytes) -> list[Path]:
    """One file for each name, with `.txt` behind it."""
    paths = [folder / f"{name}.txt" for name in contents]
    for path, data in zip(paths, contents.values(), strict=True):
        path.write_bytes(data)
    return paths


def test_several_files_are_one_corpus_in_the_order_given(tmp_path):
    b, a, c = write_files(tmp_path, b=b"low\n", a=b"lower\r\n", c=b"")
    corpus = load_corpora([b, a, str(c)])
    assert (corpus.text, corpus.name, corpus.path, corpus.paths) == (
        "low\nlower\r\n", "3 files: b.txt, a.txt, c.txt", None, (b, a, c)
    )  # fmt: skip
    assert (corpus.encoding, corpus.detected_by, corpus.byte_count, corpus.notes) == ("utf-8", VALID, 11, ())
    # printf 'low\nlower\r\n' | sha256sum
    assert corpus.sha256 == "5c5bdccc9b90f8cecbb8d5daec265d3b4f9a4566ba208e5c695b54720ca4e5b4"
    assert load_corpora([a, b]).text == "lower\r\nlow\n"


def test_more_than_three_files_are_named_by_the_first(tmp_path):
    paths = write_files(tmp_path, a=b"1", b=b"2", c=b"3", d=b"4", e=b"5")
    assert load_corpora(paths[:2]).name == "2 files: a.txt, b.txt"
    assert load_corpora(paths).name == "a.txt and 4 more"
    assert load_corpora(paths).text == "1\n2\n3\n4\n5"


@pytest.mark.parametrize(
    ("contents", "text", "notes"),
    [
        ((b"a", b"b\n"), "a\nb\n", ("A line end was added after a.txt.",)),
        ((b"a\r", b"b", b"c"), "a\r\nb\nc", ("A line end was added after a.txt, b.txt.",)),
        ((b"a", b"", b"c"), "a\nc", ("A line end was added after a.txt.",)),
        ((b"a", b""), "a", ()),
        ((b"", b"b"), "b", ()),
        ((b"", b""), "", ()),
        ((b"\n", b"\n"), "\n\n", ()),
        ((b"a\xe2\x80\xa8", b"b"), "a\u2028\nb", ("A line end was added after a.txt.",)),
    ],
)
def test_a_file_without_a_line_end_gets_one_before_the_next(tmp_path, contents, text, notes):
    corpus = load_corpora(write_files(tmp_path, **dict(zip("abc", contents, strict=False))))
    assert (corpus.text, corpus.notes) == (text, notes)


def test_one_file_of_several_is_read_as_it_is_alone(tmp_path):
    (path,) = write_files(tmp_path, a=b"\xef\xbb\xbfna\xc3\xafve")
    assert load_corpora([path]) == load_corpus(path)
    assert load_corpora([path], "utf-8") == load_corpus(path, "utf-8")
    assert list(read_corpora([path])) == list(read(path))
    assert load_corpus(path).paths == (path,)


def test_each_of_several_files_has_its_own_encoding(tmp_path):
    paths = write_files(
        tmp_path,
        a="é\n".encode(),
        b="Все люди\n".encode("cp1251"),
        c=b"\xff\xfe" + "日本\n".encode("utf-16-le"),
        d=b"x\0y\n",
    )
    corpus = load_corpora(paths)
    assert corpus.text == "é\nВсе люди\n日本\nx\0y\n"
    assert (corpus.encoding, corpus.detected_by) == ("utf-8, cp1251, utf-16-le", GUESSED)
    assert corpus.notes == (
        "b.txt is in CP1251 (guessed).",
        "c.txt is in UTF-16-LE (byte order mark).",
        "c.txt: A byte order mark at the start was removed.",
        "d.txt: The text contains 1 NUL character.",
    )
    chosen = load_corpora(paths[:2], "cp1251")
    assert (chosen.text, chosen.encoding, chosen.detected_by) == ("Г©\nВсе люди\n", "cp1251", DetectedBy.CHOSEN)


def test_notes_on_very_many_files_are_cut_short(tmp_path):
    corpus = load_corpora(write_files(tmp_path, **{f"file{i:02}": b"\xef\xbb\xbfa\n" for i in range(20)}))
    assert corpus.text == "a\n" * 20
    assert corpus.notes[0] == "file00.txt: A byte order mark at the start was removed."
    assert (len(corpus.notes), corpus.notes[-1]) == (9, "Left out: 12 more notes on the files.")


def test_errors_name_the_one_of_several_files(tmp_path):
    good, bad = write_files(tmp_path, good=b"words\n", bad=b"caf\xe9\n")
    with pytest.raises(CorpusError, match=r"^no\.txt: there is no such file in "):
        load_corpora([good, tmp_path / "no.txt"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match=r"^There is no text file in the folder empty\."):
        load_corpora([good, tmp_path / "empty"])
    with pytest.raises(CorpusError, match=r"^bad\.txt is not UTF-8: byte 4 \(line 1\) is not valid in it"):
        load_corpora([good, bad], "utf-8")
    bad.write_bytes(b"PK\x03\x04\x14\0")
    with pytest.raises(CorpusError, match=r"^bad\.txt looks like a binary file, not text: "):
        load_corpora([good, bad])
    with pytest.raises(CorpusError, match="choose at least one text file"):
        load_corpora([])


def test_a_missing_file_is_found_before_any_is_read(tmp_path):
    (path,) = write_files(tmp_path, a=b"x" * 3_000_000)
    with pytest.raises(CorpusError, match=r"^no\.txt: there is no such file in "):
        next(read_corpora([path, tmp_path / "no.txt"]))


def test_progress_in_bytes_of_all_files(tmp_path):
    progress = list(read_corpora(write_files(tmp_path, a=b"x" * 1_500_000, b=b"y" * 500_000)))
    assert progress[:2] == [(1_048_576, 2_000_000), (1_500_000, 2_000_000)]
    assert [step.done for step in progress] == sorted(step.done for step in progress)
    assert (progress[-1], {step.total for step in progress}) == ((2_000_000, 2_000_000), {2_000_000})


@given(st.text())
def test_any_text_comes_back(tmp_path_factory, text):
    path = write(tmp_path_factory.getbasetemp(), text.encode())
    corpus = load_corpus(path, "utf-8")
    assert corpus.text == text.removeprefix("\ufeff")
    assert corpus.line_count == len(corpus.text.split("\n")) - (not corpus.text or corpus.text.endswith("\n"))


@settings(derandomize=True)
@given(st.lists(st.text(alphabet="ab\r\n\u2028é😀"), min_size=2, max_size=5))
def test_any_texts_come_back_one_behind_the_other(tmp_path_factory, texts):
    folder = tmp_path_factory.getbasetemp()
    corpus = load_corpora(write_files(folder, **{str(i): text.encode() for i, text in enumerate(texts)}), "utf-8")
    lines = [line for text in texts for line in text.split("\n")[: -1 if not text or text[-1] == "\n" else None]]
    assert corpus.text in ("".join(line + "\n" for line in lines), "\n".join(lines))
    data = "".join(texts).encode()
    assert (corpus.byte_count, corpus.sha256) == (len(data), hashlib.sha256(data).hexdigest())


@given(st.binary())
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = write(tmp_path_factory.getbasetemp(), data)
    try:
        corpus = load_corpus(path)
    except CorpusError:
        return
    corpus.text.encode()  # no lone surrogates


def test_typed_text():
    corpus = Corpus.typed("a\r\né")
    assert (corpus.text, corpus.name, corpus.path) == ("a\r\né", "pasted text", None)
    assert (corpus.encoding, corpus.detected_by, corpus.byte_count) == ("utf-8", DetectedBy.TYPED, 5)
    assert corpus.sha256 == hashlib.sha256("a\r\né".encode()).hexdigest()
    assert (corpus.character_count, corpus.line_count, corpus.notes) == (4, 2, ())
    assert Corpus.typed("", "sample").name == "sample"


def test_typed_surrogates_are_joined_or_replaced():
    assert Corpus.typed("\ud83d\ude00!") == Corpus.typed("😀!")
    corpus = Corpus.typed("\ufffd a\ud83d b\ude00")
    assert corpus.text == "\ufffd a\ufffd b\ufffd"
    assert corpus.notes[0].startswith("2 lone surrogates became U+FFFD")


@pytest.mark.parametrize(
    ("encoding", "data"),
    [("utf-7", b"low\nlow +2D0- new"), ("utf-7", b"low\nlow +3gA-"), ("unicode_escape", b"low\nlow \\ud83d\\ude00")],
)
def test_half_a_character_that_a_chosen_encoding_spells_is_refused(tmp_path, encoding, data):
    name = codecs.lookup(encoding).name.upper()
    expected = (
        f"text.txt, line 2: read as {name} it holds half a character (a lone surrogate). "
        "Choose another encoding, or let it be found out."
    )
    path = write(tmp_path, data)
    for most_bytes in (1 << 20, 4):
        with pytest.raises(CorpusError) as caught:
            without_progress(read_corpora([path], encoding, most_bytes))
        assert str(caught.value) == expected


def test_a_whole_character_in_two_halves_is_read_from_utf_7(tmp_path):
    assert load_corpus(write(tmp_path, b"a +2D3eAA-!"), "utf-7").text == "a 😀!"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are text there")
def test_a_file_whose_name_is_no_text(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.txt")
    path.write_bytes(b"low")
    other = write(tmp_path, b"new")
    assert (load_corpus(path).name, load_corpus(path).path) == ("caf\ufffd.txt", path)
    assert load_corpora([path, other]).name == "2 files: caf\ufffd.txt, text.txt"
    path.write_bytes(b"low 5\n")
    assert load_word_counts(path).name == "caf\ufffd.txt"


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\rb\u2028c", 1)]
)
def test_line_count(text, lines):
    assert Corpus.typed(text).line_count == lines


def test_pipeline_words_are_placed_in_the_normalized_text():
    pipeline = Pipeline(Normalizer.named("nfkc", "lowercase"), PRE_TOKENIZERS["whitespace"])
    assert list(pipeline.words("ﬁsh İx")) == [Word("fish", 0, 4), Word("i\u0307x", 5, 8)]
    assert Pipeline() == Pipeline(Normalizer(), PRE_TOKENIZERS["gpt2"])


def test_counts_in_order_of_first_appearance():
    counts = drain(count_words("the cat, the dog\r\n the cat", Pipeline()))
    assert list(counts.counts.items()) == [
        ("the", 1), (" cat", 2), (",", 1), (" the", 2), (" dog", 1), ("\r\n", 1)
    ]  # fmt: skip
    assert (counts.total, counts.unique, counts.unmatched, counts.unmatched_samples) == (8, 6, 0, ())


def test_counts_of_nothing():
    assert drain(count_words("", Pipeline())) == WordCounts({}, 0)
    assert drain(count_words(" \n", Pipeline(pre_tokenizer=PRE_TOKENIZERS["words"]))) == WordCounts({}, 0)


def test_counts_over_many_pieces_are_those_of_the_words():
    text = "".join(f"Zeile {i % 997}: naïve \r\nÉTÉ e\u0301te\u0301 {'x' * (i % 7)}\n" for i in range(20_000))
    pipeline = Pipeline(Normalizer.named("nfc", "lowercase"))
    expected: dict[str, int] = {}
    for word in pipeline.words(text):
        expected[word.text] = expected.get(word.text, 0) + 1
    counts = drain(count_words(text, pipeline))
    assert list(counts.counts.items()) == list(expected.items())
    assert counts.total == sum(expected.values())


def test_text_that_a_pattern_misses():
    counts = drain(count_words("ab, 12 cd—34567890123456789012345 !\n", Pipeline(pre_tokenizer=custom(r"\p{L}+"))))
    assert counts.counts == {"ab": 1, "cd": 1}
    assert counts.unmatched == 28
    assert counts.unmatched_samples == ((2, ","), (4, "12"), (9, "—3456789012345678901"), (34, "!"))
    many = drain(count_words("a. " * 20_000, Pipeline(pre_tokenizer=custom("a"))))
    assert (many.total, many.unmatched, len(many.unmatched_samples)) == (20_000, 20_000, 5)
    assert drain(count_words("12", Pipeline(pre_tokenizer=custom("a")))) == WordCounts({}, 0, 2, ((0, "12"),))


def test_counting_says_where_a_pattern_fails():
    with pytest.raises(PatternError, match="at character 8,002 of the text"):
        drain(count_words("a " * 4_000 + " z", Pipeline(pre_tokenizer=custom("(?=z)|a"))))


@pytest.mark.parametrize(
    "text", ["word " * 50_000, "line\n" * 50_000, "wordword," * 25_000], ids=["line", "lines", "dense"]
)
@pytest.mark.parametrize("normalizer", [Normalizer(), Normalizer.named("lowercase")], ids=lambda it: "+".join(it.names))
def test_progress_of_counting(text, normalizer):
    progress = list(count_words(text, Pipeline(normalizer)))
    done = [step.done for step in progress]
    assert len(progress) >= 10
    assert done == sorted(done)
    assert progress[-1] == Progress(len(text), len(text))


LINES, WITH_ENDS = Texts.LINES, Texts.LINES_WITH_ENDS
FIVE_LINES = "low low\r\n lower\n\nab\rc\u2028d \x85e\vf\n end\r"


def test_names_of_texts_are_stable():
    assert list(Texts) == ["whole", "files", "lines", "lines-with-ends"]
    assert Pipeline().texts is Texts.WHOLE
    assert Pipeline(Normalizer(), PRE_TOKENIZERS["gpt2"], LINES).texts is LINES


def test_texts_of_a_corpus():
    assert list(Texts.WHOLE.cut(FIVE_LINES)) == [(FIVE_LINES, "")]
    assert list(LINES.cut(FIVE_LINES)) == [
        ("low low", "\r\n"), (" lower", "\n"), ("", "\n"), ("ab\rc\u2028d \x85e\vf", "\n"), (" end\r", "")
    ]  # fmt: skip
    assert list(WITH_ENDS.cut(FIVE_LINES)) == [
        ("low low\r\n", ""), (" lower\n", ""), ("\n", ""), ("ab\rc\u2028d \x85e\vf\n", ""), (" end\r", "")
    ]  # fmt: skip
    assert list(LINES.cut("\r\r\n\n")) == [("\r", "\r\n"), ("", "\n")]
    assert (list(LINES.cut("")), list(WITH_ENDS.cut("")), list(Texts.WHOLE.cut(""))) == ([], [], [("", "")])


@pytest.mark.parametrize(
    ("texts", "counts"),
    [
        (Texts.WHOLE, {"low": 1, " \n": 1, " low": 1, "\n\n": 1, " 1": 1, "\r\n ": 1}),
        (LINES, {"low": 1, " ": 2, " low": 1, " 1": 1}),
        (WITH_ENDS, {"low": 1, " \n": 1, " low": 1, "\n": 2, " 1": 1, "\r\n": 1, " ": 1}),
    ],
)
def test_words_end_where_texts_end(texts, counts):
    found = drain(count_words("low \n low\n\n 1\r\n ", Pipeline(texts=texts)))
    assert (found.counts, found.total) == (counts, sum(counts.values()))


def test_no_pattern_looks_beyond_its_text():
    behind = custom(r"(?<=a\n)b|(?<!\n)c|a(?!\nb)|^d|d$")
    assert drain(count_words("a\nb\nc\nxd\nd", Pipeline(pre_tokenizer=behind))).counts == {"b": 1, "d": 1}
    lines = drain(count_words("a\nb\nc\nxd\nd", Pipeline(pre_tokenizer=behind, texts=LINES)))
    assert lines == WordCounts({"a": 1, "c": 1, "d": 2}, 4, 2, ((2, "b"), (6, "x")))


def test_samples_of_what_a_pattern_misses_are_placed_in_the_corpus():
    pipeline = Pipeline(Normalizer.named("nfkc"), custom("[a-z]+"), LINES)
    assert drain(count_words("ﬁ 1\r\n\n2 ﬁ3", pipeline)) == WordCounts({"fi": 2}, 2, 3, ((3, "1"), (7, "2"), (11, "3")))


def test_words_of_a_corpus_are_placed_in_the_normalized_corpus():
    pipeline = Pipeline(Normalizer.named("nfkc", "lowercase"), PRE_TOKENIZERS["whitespace"], LINES)
    assert list(pipeline.corpus_words("ﬁsh İx\r\n\nB\r")) == [
        Word("fish", 0, 4),
        Word("i\u0307x", 5, 8),
        Word("b", 11, 12),
    ]
    assert list(pipeline.corpus_texts("ﬁsh İx\r\n\nB\r")) == [("fish i\u0307x", "\r\n"), ("", "\n"), ("b\r", "")]
    ends = Pipeline(texts=WITH_ENDS)
    assert list(ends.corpus_words("a\n\n b")) == [Word("a", 0, 1), Word("\n", 1, 2), Word("\n", 2, 3), Word(" b", 3, 5)]
    assert list(ends.words("a\n\n b")) == [Word("a", 0, 1), Word("\n\n", 1, 3), Word(" b", 3, 5)]
    assert list(Pipeline().corpus_words("a\n\n b")) == [Word("a", 0, 1), Word("\n\n", 1, 3), Word(" b", 3, 5)]


@pytest.mark.parametrize(
    ("pre_tokenizer", "texts", "needs_places"),
    [
        (PRE_TOKENIZERS["gpt2"], Texts.WHOLE, False),
        (PRE_TOKENIZERS["gpt2"], LINES, True),
        (PRE_TOKENIZERS["lines"], WITH_ENDS, True),
        (custom("a+"), Texts.WHOLE, True),
    ],
)
def test_where_words_cannot_be_cut_out_of_the_middle(pre_tokenizer, texts, needs_places):
    assert Pipeline(pre_tokenizer=pre_tokenizer, texts=texts).needs_places is needs_places


HARD = st.text(alphabet=st.sampled_from("ab Z19.'\n\n\r\t\v\x85\u2028\u3000éÉ\u0301ﬁİΣ日😀▁_"), max_size=30)
CUSTOM = {
    "behind": r"(?<=^|\n)\w+|(?<!\n)[^\w\n]+|\s",
    "ahead": r".+?(?=\n)|.+$|\n(?!a)",
    "anchors": r"\A.|\b\w+\b|.\Z|(?m:^\s)",
    "clusters": r"\X",
    "everything": r"(?s).+",
}


NORMALIZERS_TRIED = {
    "none": Normalizer(),
    "forms": Normalizer.named("nfkc", "lowercase"),
    "metaspace": Normalizer.named("strip", "prepend_metaspace"),
    "replace": Normalizer.named("collapse_whitespace", "replace", "metaspace", replacements=[(r"\s", "\n"), ("a", "")]),
}


@settings(derandomize=True, max_examples=400)
@example("a\nb", "behind", LINES, "none", Digits.TOGETHER, False)
@example("a \n b\r\n", "gpt2", WITH_ENDS, "none", Digits.TOGETHER, False)
@example(" a\n\nb \n\n", "metaspace", LINES, "metaspace", Digits.TOGETHER, False)
@given(
    HARD,
    st.sampled_from([*PRE_TOKENIZERS, *CUSTOM]),
    st.sampled_from([LINES, WITH_ENDS]),
    st.sampled_from(list(NORMALIZERS_TRIED)),
    st.sampled_from(Digits),
    st.booleans(),
)
def test_every_line_is_counted_as_if_it_were_alone(text, name, texts, normalizer_name, digits, punctuation):
    is_custom = name in CUSTOM
    pre_tokenizer = named("custom" if is_custom else name, CUSTOM.get(name), digits, punctuation)
    normalizer = NORMALIZERS_TRIED[normalizer_name]
    pipeline, alone = Pipeline(normalizer, pre_tokenizer, texts), Pipeline(normalizer, pre_tokenizer)
    lines = text.split("\n")
    last = lines.pop()
    lines = [line + "\n" if texts is WITH_ENDS else line.removesuffix("\r") for line in lines] + (
        [last] if last else []
    )
    expected: dict[str, int] = {}
    unmatched = 0
    for line in lines:
        counts = drain(count_words(line, alone))
        unmatched += counts.unmatched
        for word, count in counts.counts.items():
            expected[word] = expected.get(word, 0) + count
    found = drain(count_words(text, pipeline))
    assert list(found.counts.items()) == list(expected.items())
    assert (found.total, found.unmatched) == (sum(expected.values()), unmatched)
    normalized = "".join(piece + end for piece, end in pipeline.corpus_texts(text))
    words = list(pipeline.corpus_words(text))
    assert [word.text for word in words] == [word.text for line in lines for word in alone.words(line)]
    assert [normalized[word.start : word.end] for word in words] == [word.text for word in words]
    assert all(normalized[place:].startswith(sample) for place, sample in found.unmatched_samples)


def test_a_whole_corpus_is_at_its_start_only_once():
    text = "ab cd\n" * 30_000  # more than is normalized at a time
    metaspace = PRE_TOKENIZERS["metaspace"]
    whole = drain(count_words(text, Pipeline(Normalizer.named("metaspace"), metaspace)))
    assert whole.counts == {"▁ab": 1, "▁cd\nab": 29_999, "▁cd\n": 1}
    lines = drain(count_words(text, Pipeline(Normalizer.named("metaspace"), metaspace, LINES)))
    assert lines.counts == {"▁ab": 30_000, "▁cd": 30_000}
    ends = drain(count_words(text, Pipeline(Normalizer.named("metaspace"), metaspace, WITH_ENDS)))
    assert ends.counts == {"▁ab": 30_000, "▁cd\n": 30_000}


def files_of(folder, *contents):
    for number, content in enumerate(contents):
        (folder / f"{number}.txt").write_bytes(content.encode())
    return load_corpora([folder / f"{number}.txt" for number in range(len(contents))])


def test_files_keep_their_places_in_the_corpus(tmp_path):
    corpus = files_of(tmp_path, "ab", "", "cd\n", "e\r\nf")

    assert corpus.text == "ab\ncd\ne\r\nf"
    assert [corpus.text[start:end] for start, end in corpus.files] == ["ab", "", "cd\n", "e\r\nf"]
    assert "".join(text + end for text, end in Texts.FILES.cut(corpus.text, corpus.files)) == corpus.text
    assert [corpus.text_count(texts) for texts in Texts] == [1, 3, 4, 4]
    assert [files_of(tmp_path, "a\nb").text_count(texts) for texts in Texts] == [1, 1, 2, 2]
    assert [Corpus.typed("").text_count(texts) for texts in Texts] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "whole", "files"),
    [
        ("none", {"▁a\nb\nc\n▁d": 1}, {"▁a": 1, "▁b\n": 1, "▁c\n▁d": 1}),
        ("metaspace", {"▁a\nb\nc\n": 1, "▁d": 1}, {"▁a": 1, "▁b\n": 1, "▁c\n": 1, "▁d": 1}),
    ],
)
def test_every_file_may_be_a_text_of_its_own(tmp_path, name, whole, files):
    corpus = files_of(tmp_path, "a", "b\n", "c\n d")
    for texts, expected in ((Texts.WHOLE, whole), (Texts.FILES, files)):
        pipeline = Pipeline(Normalizer.named("metaspace"), PRE_TOKENIZERS[name], texts)
        assert drain(corpus_words_counted(corpus, pipeline)).counts == expected
        assert {word.text: 1 for word in pipeline.corpus_words(corpus.text, corpus.files)} == expected
    typed = Corpus.typed(corpus.text)  # whatever it once was
    assert drain(corpus_words_counted(typed, replace(pipeline, texts=Texts.FILES))).counts == whole


def test_counting_says_in_which_file_a_pattern_fails(tmp_path):
    corpus = files_of(tmp_path, "a", "az")
    message = r"^File 2 of the corpus is a text of its own\. The pattern matches nothing at character 2 of the text"
    with pytest.raises(PatternError, match=message):
        drain(corpus_words_counted(corpus, Pipeline(pre_tokenizer=custom("(?=z)|a"), texts=Texts.FILES)))


def test_progress_of_counting_in_files(tmp_path):
    corpus = files_of(tmp_path, "word\n" * 30_000, "word " * 20_000)
    pipeline = Pipeline(Normalizer.named("lowercase"), texts=Texts.FILES)
    progress = list(corpus_words_counted(corpus, pipeline))
    done = [step.done for step in progress]
    assert len(progress) >= 10
    assert done == sorted(done)
    assert progress[-1] == Progress(250_000, 250_000)


WITH_SPECIALS = Pipeline(
    Normalizer.named("lowercase", "metaspace"),
    PRE_TOKENIZERS["none"],
    special_tokens=("<S>", "<S><S>"),
    specials=Specials.MATCH,
)


@pytest.mark.parametrize(
    ("texts", "cut"),
    [
        (Texts.WHOLE, [("▁a", "<S>"), ("▁b\n", "<S><S>"), ("", "<S>"), ("▁c", "")]),
        (LINES, [("▁a", "<S>"), ("▁b", "\n"), ("", "<S><S>"), ("", "<S>"), ("▁c", "")]),
        (WITH_ENDS, [("▁a", "<S>"), ("▁b\n", ""), ("", "<S><S>"), ("", "<S>"), ("▁c", "")]),
    ],
)
def test_special_tokens_may_part_the_texts_of_a_corpus(texts, cut):
    pipeline, corpus = replace(WITH_SPECIALS, texts=texts), "A<S>B\n<S><S><S>C"
    assert list(pipeline.corpus_texts(corpus)) == cut
    assert drain(count_words(corpus, pipeline)).counts == {text: 1 for text, _ in cut if text}
    assert [(word.start, word.text) for word in pipeline.corpus_words(corpus)][:2] == [(0, "▁a"), (5, cut[1][0])]


def test_a_corpus_with_special_tokens_may_be_refused():
    pipeline = replace(WITH_SPECIALS, specials=Specials.REFUSE)
    assert drain(count_words("a", pipeline)).counts == {"▁a": 1}
    with pytest.raises(SpecialTokenError, match=r"^The corpus holds the special token '<S><S>' at character 3\. Train"):
        drain(count_words("a\n<S><S>", pipeline))


def test_counting_says_between_which_special_tokens_a_pattern_fails():
    pipeline = replace(WITH_SPECIALS, normalizer=Normalizer(), pre_tokenizer=custom("(?=z)|a"))
    with pytest.raises(PatternError, match=r"^Part 3 of the corpus is a text of its own\. The pattern matches nothing"):
        drain(count_words("a<S>a<S>az", pipeline))


@given(st.lists(st.sampled_from(["<S>", "<S><S>", "A", "é", " ", "\n", "<", "S>"])).map("".join))
def test_a_corpus_is_parted_where_encoding_parts_a_text(corpus):
    config = TrainerConfig(special_tokens=WITH_SPECIALS.special_tokens, merges=0)
    whole = Pipeline(WITH_SPECIALS.normalizer, WITH_SPECIALS.pre_tokenizer)
    tokenizer = Tokenizer(record("", config, whole))
    plain = (stretch for stretch in tokenizer.stretches(corpus) if stretch.token_id is None)
    texts = [corpus[stretch.start : stretch.end] for stretch in plain]
    words = [word.text for text in texts for word in whole.words(text)]
    assert [word.text for word in WITH_SPECIALS.corpus_words(corpus)] == words


def test_digits_and_punctuation_are_cut_before_a_pattern_of_ones_own():
    pipeline = Pipeline(pre_tokenizer=named("custom", "[a-z]+|[0-9]{2}|,", Digits.SINGLE, punctuation=True))
    assert drain(count_words("ab12, cd", pipeline)) == WordCounts({"ab": 1, ",": 1, "cd": 1}, 3, 2, ((2, "12"),))
    words = Pipeline(pre_tokenizer=named("words", digits=Digits.THREES, punctuation=True))
    assert drain(count_words("ab1234,, cd", words)) == WordCounts({"ab": 1, "123": 1, "4": 1, ",": 2, "cd": 1}, 6)


def test_counting_says_in_which_line_a_pattern_fails():
    pipeline = Pipeline(pre_tokenizer=custom("(?=z)|a"), texts=LINES)
    message = r"^Line 5,001 of the corpus is a text of its own\. The pattern matches nothing at character 2 of the text"
    with pytest.raises(PatternError, match=message):
        drain(count_words("a\n" * 5_000 + "az", pipeline))
    replacing = Pipeline(Normalizer.named("replace", replacements=[("(?=z)|a", "b")]), texts=LINES)
    message = (
        r"^Line 3 of the corpus is a text of its own\. Replacement 1: The pattern matches nothing at character 2 of"
    )
    with pytest.raises(PatternError, match=message):
        drain(count_words("a\na\naz", replacing))


@pytest.mark.parametrize(
    "text", ["word " * 50_000, "word\n" * 50_000, "\n" * 250_000, "word\n" + "wordword," * 25_000 + "\n\n"],
    ids=["one", "short", "empty", "dense"],
)  # fmt: skip
@pytest.mark.parametrize("texts", [LINES, WITH_ENDS])
def test_progress_of_counting_in_lines(text, texts):
    progress = list(count_words(text, Pipeline(Normalizer.named("lowercase"), texts=texts)))
    done = [step.done for step in progress]
    assert len(progress) >= 10
    assert done == sorted(done)
    assert progress[-1] == Progress(len(text), len(text))


@pytest.mark.parametrize("texts", list(Texts))
def test_texts_as_hugging_face_trains_on_them(tmp_path, texts):
    tokenizers = pytest.importorskip("tokenizers")
    rng = random.Random(texts)
    for _ in range(40):
        text = "".join(rng.choices(["a", "b", " ", "\n", "\r\n", "\r", "\u2028", "\x0b", "é", "1"], k=60))
        path = write(tmp_path, text.encode())
        theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
        theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        stand_ins = byte_stand_ins()
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=290, initial_alphabet=list(stand_ins.values()), show_progress=False
        )
        if texts is Texts.LINES_WITH_ENDS:
            theirs.train([str(path)], trainer)
        else:
            lines = text.replace("\r\n", "\n").split("\n")
            theirs.train_from_iterator(lines if texts is Texts.LINES else [text], trainer)
        ours = record(load_corpus(path, "utf-8").text, TrainerConfig(vocab_size=290), Pipeline(texts=texts))
        written = [
            tuple("".join(stand_ins[byte] for byte in ours.token(part).content) for part in merge.pair)
            for merge in ours
        ]
        expected = json.loads(theirs.to_str())["model"]["merges"]
        assert written == [tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in expected]
