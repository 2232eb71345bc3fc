"""CLIP's merges: ids are those of open_clip, and of Hugging Face's tokenizers where texts need no mending."""

import gzip
import importlib.util
import json
import time
import tracemalloc

import pytest

from core.alphabet import Base, Marker, Token
from core.errors import FormatError
from core.formats import EXPORTS, FORMATS, ReadOptions
from core.formats.opening import open_model
from core.formats.spelling import STAND_INS
from core.pre_tokenizer import PRE_TOKENIZERS
from core.tokenizer import Tokenizer
from tests.core.formats.kinds import DATA

CLIP = FORMATS["clip"]
SMALL = DATA / "formats" / "clip_bpe_256.txt"
HEADER = '"bpe_simple_vocab_16e6.txt#version: 0.2\n'
FTFY = (
    "contractions_curly", "compat_nfkc", "hebrew_niqqud", "japanese", "chinese", "titlecase_modifiers",
    "turkish_german", "whitespace_zoo", "bom_inside", "nul_and_controls", "separators_1c_1f", "digits",
    "special_deepseek", "apostrophes_mid",
)  # fmt: skip
"""Curly quotes, ligatures, full-width letters, control characters and line separators become others there."""
NOT_AS_CLIP = ("contraction_long_s", "near_special", "unassigned_new", "json_markup", "greek_polytonic")
"""There the case of contractions and special tokens counts, HTML's names and Σ stay, and Unicode is another version."""
NAMED_BY_OPEN_CLIP = {"<start_of_text>": 49_406, "<end_of_text>": 49_407}


def texts():
    data = json.loads((DATA / "probes.json").read_text(encoding="utf-8"))
    return {probe["id"]: probe["text"] for probe in data["probes"]}


def read(content, folder, **options):
    path = folder / "merges"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return CLIP.load(path, ReadOptions(**options))


def test_a_folder_with_its_file_is_no_folder_of_texts(tmp_path):
    (tmp_path / "readme.txt").write_text("about", encoding="utf-8")
    (tmp_path / "bpe_simple_vocab_1.txt").write_text("another file", encoding="utf-8")
    (tmp_path / "bpe_simple_vocab_16e6.txt.gz").write_bytes(gzip.compress(SMALL.read_bytes()))
    opened = open_model(tmp_path)
    assert (opened.format, len(opened.recording)) == (CLIP, 256)


def test_the_ids_of_hugging_face(tmp_path):
    opened = open_model(SMALL)
    assert opened.format is CLIP
    found = json.loads((DATA / "formats" / "expected" / "clip_256.json").read_text(encoding="utf-8"))["expected"]
    tokenizer = Tokenizer(opened.recording)
    for name, text in texts().items():
        if name not in (*FTFY, *NOT_AS_CLIP):
            assert tokenizer.ids(text) == found[name].get("special", found[name]["ids"]), name


@pytest.fixture
def merges_of_clip(shared_dir):
    (path,) = (shared_dir / "data" / "tokenizers" / "clip").iterdir()
    return path


def test_all_that_clip_takes_of_its_file(merges_of_clip):
    recording = open_model(merges_of_clip).recording
    assert len(recording) == 48_894
    assert recording.is_monotone
    assert recording.vocab_size(len(recording)) == 49_408
    assert recording.alphabet.special_ids == {"<|startoftext|>": 49406, "<|endoftext|>": 49407}
    assert "lists 262,144 merges, of which CLIP takes the first 48,894" in recording.imported.facts[1]


@pytest.mark.parametrize("is_mended", [True, False])
def test_the_ids_of_open_clip(is_mended, merges_of_clip, shared_dir, monkeypatch):
    if not is_mended:
        monkeypatch.setattr("core.text_cleaning.find_spec", lambda name: None)
    elif importlib.util.find_spec("ftfy") is None:
        pytest.skip("the package ftfy is not installed")
    recording = CLIP.load(merges_of_clip, ReadOptions(special_tokens=NAMED_BY_OPEN_CLIP))
    found = json.loads((shared_dir / "data" / "probes" / "expected_clip.json").read_text(encoding="utf-8"))
    tokenizer, probes, others = Tokenizer(recording), texts(), []
    for probe in found["probes"]:
        ids = tokenizer.ids(probes[probe["id"]])
        if ids != probe["ids"]:
            others.append(probe["id"])
        elif "decoded" in probe:
            assert tokenizer.decode(ids) == probe["decoded"].removesuffix(" ")
    assert len(found["probes"]) == 64
    assert sorted(others) == ([] if is_mended else sorted(FTFY))


def test_the_vocabulary_is_bytes_bytes_that_end_words_and_what_merges_make(tmp_path):
    recording = read(HEADER + "l o\nlo w</w>\n", tmp_path)
    assert (recording.alphabet.base, recording.alphabet.marker) == (Base.BYTES, Marker.SUFFIX)
    assert list(recording.alphabet.tokens) == [*range(512), 514, 515]
    assert recording.token(0) == Token(b"!")
    assert recording.token(255) == Token(b"\xad")
    assert recording.token(256) == Token(b"!", ends_word=True)
    assert [merge[1:4] for merge in recording] == [(75, 78, 512), (512, 342, 513)]
    assert recording.token(513) == Token(b"low", ends_word=True)
    tokenizer = Tokenizer(recording)
    assert tokenizer.ids("LOW  lowlo\n<|ENDOFTEXT|>it's 12") == [513, 512, 86, 75, 334, 515, 72, 339, 6, 338, 272, 273]
    assert tokenizer.decode([513, 512, 342]) == "low low"


def test_texts_are_mended_before_they_are_cut(tmp_path):
    recording = read(HEADER + "l o\n", tmp_path)
    assert recording.pipeline.normalizer.names[1:] == ("html_unescape", "html_unescape", "python_lowercase")
    alignment = recording.pipeline.normalizer.align("&amp;LT;ΛΟΓΟΣ")
    assert (alignment.text, alignment.starts[:2]) == ("<λογος", [0, 8])


@pytest.mark.parametrize(
    ("found", "first", "not_applied"),
    [("found", "ftfy_text", ()), (None, "nfc", ("ftfy, which is not installed: pip install ftfy",))],
)
def test_ftfy_is_named_where_it_is_not_installed(found, first, not_applied, monkeypatch):
    monkeypatch.setattr("core.text_cleaning.find_spec", lambda name: found)
    recording = open_model(SMALL).recording
    assert recording.imported.not_applied == not_applied
    assert recording.pipeline.normalizer.names[0] == first


def test_packed_or_not_and_with_any_line_ends(tmp_path):
    plain = CLIP.load(SMALL)
    packed = read(gzip.compress(SMALL.read_bytes()), tmp_path)
    assert list(packed) == list(plain)
    assert packed.alphabet == plain.alphabet
    assert open_model(tmp_path / "merges").format is CLIP
    other = read(SMALL.read_text(encoding="utf-8").replace("\n", "\r\n").rstrip(), tmp_path)
    assert list(other) == list(plain)


def test_of_what_is_listed_twice_the_last_counts(tmp_path):
    recording = read(HEADER + "a b\nb c\na b\n", tmp_path)
    assert [merge[1:4] for merge in recording] == [(65, 66, 513), (64, 65, 514)]
    assert Tokenizer(recording).ids("abcd") == [64, 513, 323]
    assert recording.token(512) == Token(b"ab")


def test_more_merges_than_clip_takes_are_counted_and_not_read(tmp_path):
    letters = list(STAND_INS.values())
    pairs = [f"{a} {b}\n" for a in letters for b in letters][:48_894]
    recording = read(HEADER + "".join(pairs) + "this is no merge\n" * 3, tmp_path)
    assert len(recording) == 48_894
    assert "lists 48,897 merges" in recording.imported.facts[1]
    assert recording.alphabet.special_ids["<|startoftext|>"] == 49_406


def test_what_a_person_says(tmp_path):
    recording = read(HEADER + "l o\n", tmp_path, special_tokens={"<s>": 600}, pre_tokenizer=PRE_TOKENIZERS["words"])
    assert recording.alphabet.special_ids == {"<s>": 600}
    assert recording.pipeline.pre_tokenizer.name == "words"
    with pytest.raises(FormatError, match=r"'<s>' cannot have the id 5"):
        read(HEADER + "l o\n", tmp_path, special_tokens={"<s>": 5})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + "l o\nlo\n", "merges, line 3: expected two tokens with a space between, found 'lo'"),
        (HEADER + "l o\n\nlo w\n", "line 3: expected two tokens"),
        (HEADER + "l \u4e2d\n", "line 2: 'l\u4e2d' is not spelled in GPT-2's letters for bytes"),
        (HEADER + "xy z\n", "line 2: 'xy' is neither a byte nor made by a merge"),
        ("l o\n", "line 1: expected a header"),
        (HEADER.encode() + b"\xff o\n", "line 2: it is not UTF-8"),
        (gzip.compress((HEADER + "l o\n").encode() * 99)[:-20], "is damaged and cannot be unpacked (gzip)"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(content, message, tmp_path):
    with pytest.raises(FormatError) as caught:
        read(content, tmp_path)
    assert message in str(caught.value)


def test_a_file_that_would_grow_to_gigabytes_ends_soon(tmp_path):
    data = gzip.compress(HEADER.encode() + b"l o\n" * (1 << 24))
    assert len(data) < 100_000
    start = time.perf_counter()
    tracemalloc.start()
    with pytest.raises(FormatError, match="unpacks to more than 32 MB"):
        read(data, tmp_path)
    assert tracemalloc.get_traced_memory()[1] < 150_000_000
    tracemalloc.stop()
    assert time.perf_counter() - start < 5


def test_it_is_read_only_and_known_by_its_first_line(tmp_path):
    assert "clip" not in EXPORTS
    assert CLIP.recognizes(HEADER.encode(), tmp_path)
    for data in (b"#version: 0.2\nl o\n", b"", gzip.compress(b"a text"), b"\x1f\x8b\x08", b"\x1f\x8b\x08\xff" * 9):
        assert not CLIP.recognizes(data, tmp_path)
