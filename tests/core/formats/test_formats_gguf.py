"""The tokenizers in GGUF files, which are built here byte by byte."""

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, Unknown
from core.errors import FormatError, PatternWantedError
from core.formats.base import ReadOptions
from core.formats.gguf import FORMAT
from core.formats.gguf_head import Kind
from core.formats.llama_cpp_words import pre_tokenizer_of
from core.formats.opening import located, open_model
from core.formats.sentencepiece import FORMAT as SENTENCEPIECE
from core.formats.sentencepiece_model import PieceType, read_model
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.progress import without_progress
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from tests.core.formats.kinds import probes
from tests.core.formats.piece_models import DATA, processor, trained

Pairs = list[tuple[str, bytes]]


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def string(value: str) -> bytes:
    return struct.pack("<I", Kind.TEXT) + text(value)


def texts(values: list[str] | list[bytes]) -> bytes:
    return struct.pack("<IIQ", Kind.ARRAY, Kind.TEXT, len(values)) + b"".join(map(text, values))


def numbers(kind: Kind, format: str, values: list[Any]) -> bytes:
    return struct.pack("<IIQ", Kind.ARRAY, kind, len(values)) + struct.pack(f"<{len(values)}{format}", *values)


def gguf(pairs: Pairs, version: int = 3) -> bytes:
    head = b"GGUF" + struct.pack("<IQQ", version, 7, len(pairs))
    return head + b"".join(text(key) + value for key, value in pairs) + b"tensors" * 100


def ggml(**values: bytes) -> Pairs:
    before: Pairs = [
        ("general.architecture", string("llama")),
        ("general.quantization_version", struct.pack("<II", Kind.UINT32, 2)),
        ("llama.rope.freq_base", struct.pack("<If", Kind.FLOAT32, 10_000.0)),
        ("llama.list", numbers(Kind.UINT16, "H", [1, 2, 3])),
        ("general.tags", texts(["a", "b"])),
    ]
    return [*before, *((f"tokenizer.ggml.{key}", value) for key, value in values.items())]


def flag(value: bool) -> bytes:
    return struct.pack("<I?", Kind.BOOL, value)


def number(value: int) -> bytes:
    return struct.pack("<II", Kind.UINT32, value)


def of_pieces(data: bytes, **others: bytes) -> bytes:
    """The same as a model of SentencePiece, as converters write it: user-defined tokens with spaces for ▁."""
    model = without_progress(read_model(data, "m"))
    is_looked_for = [piece.type is PieceType.USER_DEFINED for piece in model.pieces]
    tokens = [
        piece.text.replace("▁", " ") if is_user_defined else piece.text
        for piece, is_user_defined in zip(model.pieces, is_looked_for, strict=True)
    ]
    values = {
        "model": string("llama"),
        "pre": string("default"),
        "tokens": texts(tokens),
        "scores": numbers(Kind.FLOAT32, "f", [piece.score for piece in model.pieces]),
        "token_type": numbers(Kind.INT32, "i", [piece.type for piece in model.pieces]),
        "add_space_prefix": flag(model.treatment.add_dummy_prefix),
    }
    return gguf(ggml(**values | others))


def gpt2(**others: bytes) -> bytes:
    folder = DATA / "formats" / "gpt2_1000"
    vocab = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    merges = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")[1:-1]
    tokens = sorted(vocab, key=vocab.__getitem__)
    assert [vocab[token] for token in tokens] == list(range(len(tokens)))
    types = [3 if token == "<|endoftext|>" else 1 for token in tokens]
    values = {
        "model": string("gpt2"),
        "pre": string("gpt-2"),
        "tokens": texts([*tokens, "<added one>"]),
        "token_type": numbers(Kind.INT32, "i", [*types, 4]),
        "merges": texts(merges),
    }
    return gguf(ggml(**{key: value for key, value in (values | others).items() if value}))


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def load(data: bytes, options: ReadOptions | None = None) -> Recording:
        (tmp_path / "m.gguf").write_bytes(data)
        return FORMAT.load(tmp_path / "m.gguf", options)

    return load


def test_pieces_give_the_ids_of_sentencepiece(load: Any) -> None:
    data = trained("llama")
    tokenizer, theirs = Tokenizer(load(of_pieces(data))), processor(data)
    for probe in probes():
        assert tokenizer.ids(probe, Specials.AS_TEXT) == theirs.encode(probe), probe
    assert tokenizer.recording.alphabet.unknown is Unknown.BYTES
    assert tokenizer.recording.imported is not None
    assert tokenizer.recording.imported.format == "gguf"


def test_special_tokens_are_cut_out_before_a_space_is_put_before_each_text(load: Any) -> None:
    tokenizer = Tokenizer(load(of_pieces(trained("llama"))))
    theirs = processor(trained("llama"))
    assert tokenizer.ids("<s>a b</s>c") == [1, *theirs.encode("a b"), 2, *theirs.encode("c")]


def test_user_defined_tokens_are_not_special(load: Any) -> None:
    tokenizer = Tokenizer(load(of_pieces(trained("gemma"))))
    theirs = processor(trained("gemma"))
    for probe in ("a<mask>b\n\nc", "<h1>  x", "a   b"):
        assert tokenizer.ids(probe, Specials.AS_TEXT) == theirs.encode(probe)
    (mask,) = (token for token in tokenizer.recording.looked_for if token.content == "<mask>")
    assert not mask.special


def test_files_without_types_or_with_several_unknown_tokens(load: Any) -> None:
    data = trained("llama")
    model = without_progress(read_model(data, "m"))
    types = [PieceType.UNKNOWN if piece.type is PieceType.CONTROL else piece.type for piece in model.pieces]
    theirs = processor(data)
    for others in ({"token_type": string("")}, {"token_type": numbers(Kind.INT32, "i", types)}):
        is_without = others["token_type"] == string("")
        pairs = of_pieces(data, **others) if not is_without else _without(of_pieces(data), "token_type")
        tokenizer = Tokenizer(load(pairs))
        assert tokenizer.ids("Hello, 世界") == theirs.encode("Hello, 世界")
        assert tokenizer.recording.unknown_id == 0


def _without(data: bytes, key: str) -> bytes:
    return data.replace(f"tokenizer.ggml.{key}".encode(), f"tokenizer.xxxx.{key}".encode())


def test_merges_give_the_ids_of_gpt2(load: Any) -> None:
    recording, (reference, _) = load(gpt2()), open_model(DATA / "formats" / "gpt2_1000")
    ours, theirs = Tokenizer(recording), Tokenizer(reference)
    for probe in probes():
        assert ours.ids(probe) == theirs.ids(probe), probe
    assert [merge.pair for merge in recording] == [merge.pair for merge in reference]
    assert recording.pipeline.pre_tokenizer == PRE_TOKENIZERS["gpt2"]
    assert recording.alphabet.base is Base.BYTES
    added = recording.vocab_size(len(recording)) - 1
    assert ours.ids("x<added one>y", Specials.AS_TEXT)[1] == added


def test_both_versions_and_no_other(load: Any) -> None:
    data = gpt2()
    assert len(load(data[:4] + struct.pack("<I", 2) + data[8:])) == 1_000
    for version, message in ((1, "version 1 is not read"), (0x03000000, "big-endian files are not read")):
        with pytest.raises(FormatError, match=message):
            load(data[:4] + struct.pack("<I", version) + data[8:])


@pytest.mark.parametrize(
    ("pre", "probe", "expected"),
    [
        ("gpt-2", "ab 12\t\n x", ["ab", " 12", "\t\n", " x"]),
        ("llama-bpe", "it'S 1234!\n", ["it", "'S", " ", "123", "4", "!\n"]),
        ("qwen2", "a 12", ["a", " ", "1", "2"]),
        ("gpt-4o", "don't", ["don't"]),
        ("starcoder", "a 12", ["a", " ", "1", "2"]),
        ("deepseek-v3", "1234中文ab", ["123", "4", "中文", "ab"]),
        ("deepseek-coder", "a\n12 b.", ["a", "\n", "1", "2", " b", "."]),
        ("falcon", "a, 12345", ["a", ",", " ", "123", "45"]),
        ("bloom", "a, b12", ["a", ",", " b12"]),
        ("viking", "a b12", ["a", " b", "1", "2"]),
        ("tekken", "HTTPServer's 12", ["HTTPServer", "'s", " ", "1", "2"]),
        ("seed-coder", "a!\n1", ["a", "!", "\n", "1"]),
        ("bailingmoe", "a\n\n1", ["a", "\n\n", "1"]),
        ("minicpm5", "1234 ab", ["123", "4", " ab"]),
        ("qwen35", "e\u0301a 1", ["e\u0301a", " ", "1"]),
        ("poro-chat", "a. b", ["a", ".", " b"]),
    ],
)
def test_how_texts_are_cut(pre: str, probe: str, expected: list[str]) -> None:
    pre_tokenizer = pre_tokenizer_of(pre)
    assert pre_tokenizer is not None
    assert [word.text for word in pre_tokenizer.words(probe)] == expected


def test_a_cut_that_is_not_known_is_asked_for(load: Any) -> None:
    for data, message in (
        (gpt2(pre=string("new-one")), "'new-one' is no way to cut texts that is known here"),
        (gpt2(pre=b""), "it is not said how texts are cut"),
    ):
        with pytest.raises(PatternWantedError, match=message):
            load(data)
        recording = load(data, ReadOptions(pre_tokenizer=custom(r"\w+|\W")))
        assert recording.pipeline.pre_tokenizer == custom(r"\w+|\W")


def test_words_that_are_tokens_are_whole_where_llama_cpp_has_it_so(load: Any) -> None:
    assert load(gpt2(pre=string("llama-bpe"))).rules.whole_pieces
    assert not load(gpt2()).rules.whole_pieces


def test_of_merges_listed_twice_the_first_counts(load: Any) -> None:
    tokens = [*map(chr, range(ord("a"), ord("d"))), "ab", "bc"]
    merges = texts(["a b", "b c", "a b"])
    recording = load(gguf(ggml(model=string("gpt2"), pre=string("gpt-2"), tokens=texts(tokens), merges=merges)))
    assert Tokenizer(recording).ids("abc") == [3, 2]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"model": string("t5")}, "tokenizer.ggml.model: the tokenizer is a Unigram model"),
        ({"model": string("bert")}, "a WordPiece model"),
        ({"model": string("rwkv")}, "the one of RWKV"),
        ({"model": string("other")}, "of the kind 'other', which is not known here"),
        ({}, "there is no tokenizer in this file"),
        ({"model": string("no_vocab")}, "there is no tokenizer in this file"),
        ({"model": number(5)}, "tokenizer.ggml.model: expected text"),
        ({"model": string("llama")}, "tokenizer.ggml.tokens: expected a list of texts"),
        ({"model": string("llama"), "tokens": texts(["a", "a"])}, "'a' is token 0 and token 1"),
        ({"model": string("llama"), "tokens": texts([b"\xff"])}, "text 0 is not UTF-8"),
        (
            {"model": string("llama"), "tokens": texts(["a", "b"]), "scores": numbers(Kind.FLOAT32, "f", [1])},
            "tokenizer.ggml.scores: expected 2 numbers, one for each token, found 1",
        ),
        (
            {"model": string("llama"), "tokens": texts(["a"]), "scores": string("x")},
            "tokenizer.ggml.scores: expected a list of numbers",
        ),
        ({"model": string("gpt2"), "pre": string("gpt-2"), "tokens": texts(["a"])}, "merges: expected a list of texts"),
        (
            {"model": string("gpt2"), "pre": string("gpt-2"), "tokens": texts(["a", "b"]), "merges": texts(["a b"])},
            "merge 0, 'a b': there is no token 'ab'",
        ),
        (
            {"model": string("gpt2"), "pre": string("gpt-2"), "tokens": texts(["a"]), "merges": texts(["ab"])},
            "merge 0 should be two tokens with a space between, found 'ab'",
        ),
        ({"model": string("gpt2"), "pre": string("gemma4"), "tokens": texts(["a"])}, "merge characters"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(values: dict[str, bytes], message: str, load: Any) -> None:
    with pytest.raises(FormatError) as error:
        load(gguf(ggml(**values)))
    assert str(error.value).startswith("m.gguf")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGUF", "byte 4: it should go on for 4 bytes, and 0 are left"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "1,152,921,504,606,846,976 keys cannot be"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 40), "a key of 1,099,511,627,776 bytes cannot be"),
        (gguf([("a", struct.pack("<I", 99))]), "there is no type of values 99"),
        (gguf([("a", struct.pack("<IIQ", Kind.ARRAY, Kind.TEXT, 1 << 62))]), "texts in one array are too many"),
        (gguf([("a", struct.pack("<IIQ", Kind.ARRAY, Kind.FLOAT64, 1 << 62))]), "bytes, and 700 are left"),
        (gguf([("a", struct.pack("<IIQ", Kind.ARRAY, Kind.ARRAY, 1))]), "arrays of arrays are not read"),
        (gguf([("a", struct.pack("<IQ", Kind.TEXT, 1 << 63))]), "it should go on for"),
        (gguf([("tokenizer.a", number(1)), ("tokenizer.a", number(2))]), "the key 'tokenizer.a' stands there twice"),
    ],
)
def test_claims_that_cannot_be_are_not_believed(data: bytes, message: str, load: Any) -> None:
    with pytest.raises(FormatError) as error:
        load(data)
    assert message in str(error.value)


def test_cut_off_anywhere(load: Any) -> None:
    data = gguf(ggml(model=string("gpt2"), pre=string("gpt-2"), tokens=texts(["a", "b", "ab"]), merges=texts(["a b"])))
    end = data.index(b"tensors")
    for size in range(4, end):
        with pytest.raises(FormatError, match=r"^m.gguf"):
            load(data[:size])
    assert len(load(data[:end])) == 1


@settings(max_examples=500)
@given(st.data())
def test_changed_bytes_end_in_our_error_or_a_recording(data: st.DataObject) -> None:
    import tempfile

    kinds = {
        "gpt2": {"pre": string("gpt-2"), "merges": texts(["a b"])},
        "llama": {"scores": numbers(Kind.FLOAT32, "f", [0, -1, -2])},
    }
    kind = data.draw(st.sampled_from(sorted(kinds)))
    changed = bytearray(gguf(ggml(model=string(kind), tokens=texts(["a", "b", "ab"]), **kinds[kind]))[:-700])
    for _ in range(data.draw(st.integers(1, 5))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.gguf"
        path.write_bytes(changed)
        try:
            Tokenizer(FORMAT.load(path)).ids("ab ab x")
        except FormatError as error:
            assert str(error).startswith("m.gguf")  # noqa: PT017


def test_of_a_file_of_gigabytes_only_the_head_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.gguf"
    path.write_bytes(gpt2())
    os.truncate(path, 6 << 30)  # of which nothing is on the disk
    recording, format = open_model(path)
    assert format is FORMAT
    assert len(recording) == 1_000


def test_recognized_by_content(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(gpt2())
    assert located(tmp_path / "x.json")[0] is FORMAT
    assert located(DATA / "formats" / "spm_bpe_900.model")[0] is SENTENCEPIECE
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="device or pipe"):
        located(tmp_path / "pipe")


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.gguf")
    with pytest.raises(FormatError, match="is no file, where one was expected"):
        FORMAT.load(tmp_path / "m.gguf")
