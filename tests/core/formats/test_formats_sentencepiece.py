"""Models of SentencePiece read, with the library's ids on hard texts; broken ones told of."""

import hashlib
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Unknown
from core.encoding_rules import Encoder, EncodingRules
from core.errors import FormatError
from core.formats.opening import open_model
from core.formats.sentencepiece import FORMAT
from core.formats.sentencepiece_model import Piece, PieceType, Treatment, looks_like_model
from core.normalizer_steps import PrependMetaspace
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from tests.core.formats.piece_models import (
    BYTES,
    DATA,
    HEAD,
    TRAINED,
    model,
    of_vector,
    processor,
    scored,
    trained,
    vector,
)
from tests.core.hard_texts import any_text, hard_text

CASES = [
    *vector("42_spm_handwritten_models")["cases"],
    *(
        vector(name)
        for name in (
            "40a_spm_bpe_identity_byte_fallback",
            "40b_spm_bpe_defaults_nmt_nfkc",
            "40d_spm_bpe_suffix_whitespace",
            "41a_spm_ties",
            "41b_spm_overlap",
            "41c_spm_zero_frequency_pieces",
        )
    ),
]
LETTERS = scored("▁", "a", "b", "c", "d", first=-10)
PROBES = json.loads((DATA / "probes.json").read_text(encoding="utf-8"))["probes"]


@pytest.fixture
def load(tmp_path: Path):  # type: ignore[no-untyped-def]
    def load(data: bytes, name: str = "m.model") -> Recording:
        (tmp_path / name).write_bytes(data)
        return FORMAT.load(tmp_path / name)

    return load


@cache
def loaded(name: str) -> tuple[Recording, Any]:
    """One of the trained models, and the library with it."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.model"
        path.write_bytes(trained(name))
        return FORMAT.load(path), processor(trained(name))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.get("title") or case["name"])
def test_the_vectors(case: Any, load: Any) -> None:
    tokenizer = Tokenizer(load(of_vector(case)))
    unknown = tokenizer.recording.unknown_id
    for encoding in case["encodings"]:
        assert tokenizer.ids(encoding["text"]) == encoding["ids"]
        if unknown not in encoding["ids"]:
            assert tokenizer.decode(encoding["ids"]) == encoding["decoded"]


def test_a_small_model_on_the_probes() -> None:
    path = DATA / "formats" / "spm_bpe_900.model"
    recording, format = open_model(path)
    expected = json.loads((DATA / "formats" / "expected" / "spm_bpe_900.json").read_text(encoding="utf-8"))["expected"]
    assert format is FORMAT
    tokenizer = Tokenizer(recording)
    for probe in PROBES:
        wanted = expected[probe["id"]]
        assert tokenizer.ids(probe["text"]) == wanted["ids"], probe["id"]
    assert recording.imported is not None
    assert recording.imported.format == "sentencepiece"
    assert recording.imported.not_applied == ()


@pytest.mark.parametrize("name", TRAINED)
@settings(max_examples=60)
@given(text=hard_text | any_text | st.sampled_from([probe["text"] for probe in PROBES]))
def test_texts_as_the_library_has_them(name: str, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    recording, theirs = loaded(name)
    tokenizer, ids = Tokenizer(recording), theirs.encode(text)
    assert tokenizer.ids(text) == ids
    if recording.unknown_id not in ids:
        assert tokenizer.decode(ids) == theirs.decode(ids)


@pytest.mark.parametrize("name", TRAINED)
def test_pieces_beside_each_other_as_the_library_has_them(name: str) -> None:
    """Pieces, also control and user-defined ones, spaces, and characters of which nothing is known."""
    recording, theirs = loaded(name)
    tokenizer, chance = Tokenizer(recording), random.Random(5)
    pool = [theirs.id_to_piece(i) for i in range(theirs.get_piece_size()) if not theirs.is_byte(i)]
    pool += ["<0x41>", "▁", " ", "  ", "\u3000", "\n", "\x01", "\u0600", "x  y", "①②", "¨", "ab", "\U0001f9ff"] * 10
    for _ in range(300):
        text = "".join(chance.choices(pool, k=chance.randint(1, 12)))
        assert tokenizer.ids(text) == theirs.encode(text), text


def test_what_is_read(load: Any) -> None:
    recording = load(model([*HEAD, *scored("ab", "▁ab"), *LETTERS]))
    assert [(merge.left, merge.right, merge.token_id) for merge in recording] == [(6, 7, 3), (5, 3, 4)]
    assert recording.rules == EncodingRules(Encoder.TOKEN_RANK, specials_are_text=True)
    assert recording.alphabet.unknown is Unknown.FUSE
    assert recording.unknown_id == 0
    assert list(recording.alphabet.special_ids) == ["<unk>", "<s>", "</s>"]
    assert recording.is_regular


def test_control_pieces_are_text_and_shown_as_special(load: Any) -> None:
    tokenizer = Tokenizer(load(model([*HEAD, *LETTERS, *scored("<", "s", ">", first=-20)])))
    assert tokenizer.ids("<s>") == [3, 8, 9, 10]
    assert tokenizer.ids("<s>", Specials.REFUSE) == [3, 8, 9, 10]
    assert tokenizer.recording.token(1).special


def test_normalizers_that_are_ours_already(load: Any) -> None:
    llama = Treatment(rule="identity", remove_extra_whitespaces=False)
    assert load(model([*HEAD, *LETTERS], llama)).pipeline.normalizer.steps == (PrependMetaspace(),)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("▁a", "ab"), "metaspace"),
        (("▁▁", "▁▁a"), "metaspaces"),
        (("a▁", "▁▁"), "▁+"),
        (("a▁b",), "none"),
        (("▁a", "b▁"), "none"),
    ],
)
def test_where_it_is_safe_to_cut(texts: tuple[str, ...], expected: str, load: Any) -> None:
    data = model([*HEAD, *scored(*texts), *LETTERS], Treatment(remove_extra_whitespaces=False))
    recording, theirs = load(data), processor(data)
    pre_tokenizer = recording.pipeline.pre_tokenizer
    assert expected in (pre_tokenizer.name, pre_tokenizer.pattern)
    chance = random.Random(1)
    for _ in range(200):
        text = "".join(chance.choices("ab▁ x", k=10))
        assert Tokenizer(recording).ids(text) == theirs.encode(text)


def test_words_with_an_unknown_space_are_not_cut(load: Any) -> None:
    data = model([*HEAD, *scored("a", "b")])
    recording = load(data)
    assert recording.pipeline.pre_tokenizer == PRE_TOKENIZERS["none"]
    assert Tokenizer(recording).ids("x x a") == processor(data).encode("x x a") == [0, 3]


def test_pieces_that_are_not_to_be_used(load: Any) -> None:
    pieces = [*HEAD, *scored("ab", "bc", "abc"), *LETTERS]
    pieces[3] = pieces[3]._replace(type=PieceType.UNUSED)
    data = model(pieces)
    recording, theirs, chance = load(data), processor(data), random.Random(2)
    assert recording.rules.unused == {3}
    assert any("not to be used" in fact for fact in recording.imported.facts)
    for _ in range(300):
        text = "".join(chance.choices("abc ", k=9))
        assert Tokenizer(recording).ids(text) == theirs.encode(text), text


def test_pieces_that_are_not_to_be_used_and_have_two_pasts(load: Any) -> None:
    """They fall into the two parts that came next to each other last, anywhere in the text."""
    pieces = [*HEAD, *scored("ab", "bc", "abc", "cab", "abcd"), *LETTERS]
    for i in (3, 5, 7):
        pieces[i] = pieces[i]._replace(type=PieceType.UNUSED)
    data = model(pieces)
    recording, theirs, chance = load(data), processor(data), random.Random(3)
    for _ in range(500):
        text = "".join(chance.choices("abcd ", k=12))
        assert Tokenizer(recording).ids(text) == theirs.encode(text), text


@settings(max_examples=150)
@given(
    st.lists(st.text("abc▁", min_size=2, max_size=4), unique=True, max_size=8),
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
    st.lists(st.text("abc▁ x", max_size=14), min_size=1, max_size=5),
)
def test_any_scores(texts: list[str], scores: list[int], probes: list[str]) -> None:
    """Equal scores, parts of lower score than what they make, pieces that cannot be reached."""
    import tempfile

    data = model([*HEAD, *map(Piece, texts, map(float, scores)), *LETTERS], Treatment(remove_extra_whitespaces=False))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.model"
        path.write_bytes(data)
        tokenizer, theirs = Tokenizer(FORMAT.load(path)), processor(data)
    for text in probes:
        assert tokenizer.ids(text) == theirs.encode(text)


def test_equal_scores_are_noted(load: Any) -> None:
    recording = load(model([*HEAD, Piece("ab", -1), Piece("bc", -1), Piece("cd", -2), *LETTERS]))
    assert recording.rules.tied == {1}
    assert not recording.has_histories


def test_a_character_that_is_no_piece_is_told_of(load: Any) -> None:
    recording = load(model([*HEAD, *scored("aé"), *LETTERS]))
    assert recording.imported.not_applied == (
        "1 pieces with characters that are no pieces of their own, such as 'aé', in texts with such characters",
    )


@pytest.mark.parametrize(
    ("pieces", "treatment", "message"),
    [
        ([*HEAD, *LETTERS, Piece("a")], None, "m.model, piece 8: 'a' is piece 4 too."),
        ([*HEAD, *LETTERS, Piece("")], None, "m.model, piece 8: it is empty."),
        ([*HEAD, Piece("ab", float("nan"))], None, "m.model, piece 3: its score is not a number."),
        ([*HEAD, HEAD[0]._replace(text="?")], None, "m.model: expected one piece for what is unknown, found pieces 0"),
        ([*HEAD, *BYTES[:-1]], Treatment(byte_fallback=True), "and 255 of the 256 bytes are pieces."),
        ([*HEAD, *BYTES], None, "m.model: bytes are pieces, and byte_fallback, which uses them, is off."),
        ([*HEAD, BYTES[0]._replace(text="<0xaF>")], None, "m.model, piece 3: '<0xaF>' is no byte such as '<0x0A>'."),
        ([*HEAD, Piece("a" * 70_000)], None, "m.model, piece 3: it has 70,000 characters."),
    ],
)
def test_contradictions(pieces: list[Piece], treatment: Treatment | None, message: str, load: Any) -> None:
    with pytest.raises(FormatError) as error:
        load(model(pieces, treatment))
    assert message in str(error.value)


def test_no_unknown_piece(load: Any) -> None:
    data = b"\n\x05\n\x03abc\x12\x02\x18\x02"
    with pytest.raises(FormatError, match="expected one piece for what is unknown, found none"):
        load(data)


def test_other_types_of_models_are_named(load: Any) -> None:
    with pytest.raises(FormatError, match="of the type UNIGRAM, and only those of the type BPE"):
        FORMAT.load(DATA / "formats" / "spm_unigram_150_not_bpe.model")
    for number, name in ((3, "WORD"), (4, "CHAR")):
        with pytest.raises(FormatError, match=f"of the type {name}"):
            load(b"\n\x09\n\x05<unk>\x18\x02" + b"\x12\x02\x18" + bytes([number]))
    with pytest.raises(FormatError, match="there is no type of model 9"):
        load(b"\n\x09\n\x05<unk>\x18\x02\x12\x02\x18\x09")


def test_cut_off_anywhere(load: Any) -> None:
    """But for the place before the normalizer_spec, which may be missing."""
    data = model([*HEAD, *scored("ab"), *LETTERS])
    wrong = list[int]()
    for size in range(20, len(data)):
        try:
            load(data[:size])
        except FormatError:
            wrong.append(size)
    assert set(range(20, len(data))) - set(wrong) == {data.index(b"\n\x08identity") - 2}


@settings(max_examples=400)
@given(st.data())
def test_changed_bytes_end_in_our_error_or_a_recording(data: st.DataObject) -> None:
    import tempfile

    changed = bytearray(model([*HEAD, *scored("ab", "abc"), *LETTERS], Treatment(byte_fallback=False)))
    for _ in range(data.draw(st.integers(1, 5))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.model"
        path.write_bytes(changed)
        try:
            Tokenizer(FORMAT.load(path)).ids("abc abc x")
        except FormatError as error:
            assert str(error).startswith("m.model")  # noqa: PT017


def test_a_broken_table_of_characters_is_named(load: Any) -> None:
    with pytest.raises(FormatError, match=r"m.model, normalizer_spec: The table of characters .* is broken"):
        load(model([*HEAD, *LETTERS], Treatment(charsmap=b"\x10\0\0\0" + bytes(3))))


def test_a_denormalizer_is_named(load: Any) -> None:
    recording = load(model([*HEAD, *LETTERS]) + b"\x2a\x06\x12\x04abcd")
    assert recording.imported.not_applied == ("the denormalizer, which changes decoded text",)


def test_recognized_by_content() -> None:
    assert looks_like_model(model(HEAD)[:40])
    for text in (b"\n\n\n\n\n\n\n", b"\nHello\n", b"\n\n\x05<unk>", b"", b"\n", b"low 5\nlower 2\n", b"{}"):
        assert not looks_like_model(text)


def test_found_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(model([*HEAD, *LETTERS]))
    (tmp_path / "minbpe.model").write_text("minbpe v1\n")
    assert list(FORMAT.finds(tmp_path)) == [tmp_path / "tokenizer.model"]
    (tmp_path / "tokenizer.json").write_text("{}")
    assert list(FORMAT.finds(tmp_path)) == []


def test_mistral(shared_dir: Path) -> None:
    recording, _ = open_model(shared_dir / "data" / "tokenizers" / "mistral_v1" / "tokenizer.model.v1")
    tokenizer = Tokenizer(recording)
    expected = json.loads((shared_dir / "data/probes/expected_mistral_v1.json").read_text(encoding="utf-8"))["probes"]
    texts = {probe["id"]: probe["text"] for probe in PROBES}
    for probe in expected:
        if probe["id"] in texts:
            assert tokenizer.ids(texts[probe["id"]]) == probe["ids"], probe["id"]
    assert len(recording) == 28_446
    text = (shared_dir / "data/corpora/en_alice.txt").read_bytes().decode()
    known = json.loads((shared_dir / "data/probes/expected_files.json").read_text(encoding="utf-8"))
    wanted = known["results"]["mistral_v1"]["en_alice.txt"]
    ids = tokenizer.id_array(text)
    assert len(ids) == wanted["tokens"]
    assert hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest() == wanted["ids_sha256"]
