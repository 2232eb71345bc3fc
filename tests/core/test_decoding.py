"""Decoding for every marker: written out, and against Hugging Face's decoders on any ids."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, Marker, Unknown, byte_stand_ins
from core.decoding import decode
from core.errors import BpeError
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig
from tests.core.runs import record

TEXT = "low lower é lowest 日本 low est e e"
MARKER_TEXT = {Marker.SUFFIX: "</w>", Marker.CONTINUING: "##"}


def trained(marker=Marker.NONE, base=Base.CHARACTERS, pre_tokenizer="whitespace", normalizer=(), **options):
    pipeline = Pipeline(Normalizer.named(*normalizer), PRE_TOKENIZERS[pre_tokenizer])
    return record(TEXT, TrainerConfig(base, marker, merges=12, **options), pipeline)


@pytest.mark.parametrize(
    ("recording", "text", "decoded"),
    [
        (trained(Marker.SUFFIX), "low  lowest\n", "low lowest"),
        (trained(Marker.SYMBOL), "low  lowest\n", "low lowest"),
        (trained(Marker.CONTINUING), "low  lowest\n", "low lowest"),
        (trained(), "low loww", "low low w"),
        (trained(Marker.SYMBOL, Base.BYTES, "gpt2"), " low  lowest\n", " low  lowest\n"),
        (trained(Marker.CONTINUING, pre_tokenizer="none"), "low lowest  e", "low lowest  e"),
        (trained(pre_tokenizer="none"), "low lowest  e", "low lowest  e"),
        (
            trained(Marker.METASPACE, pre_tokenizer="metaspace", normalizer=["metaspace"]),
            "low  lowest ",
            "low  lowest ",
        ),
        (trained(Marker.METASPACE, pre_tokenizer="none", normalizer=["prepend_metaspace"]), "  low ", "  low "),
        (trained(Marker.METASPACE, pre_tokenizer="none", normalizer=["metaspace"]), "  low ", " low "),
        (trained(Marker.NONE, Base.BYTES, "metaspace", ["metaspace"]), "low  lowest ", "low  lowest "),
        (trained(unknown=Unknown.BYTES, pre_tokenizer="none"), "low 🙂é!", "low 🙂é!"),
    ],
)
def test_decoding_what_was_encoded(recording, text, decoded):
    assert decode(recording, Tokenizer(recording).ids(text)) == decoded


def test_every_stretch_between_special_tokens_begins_anew():
    recording = trained(
        Marker.METASPACE, pre_tokenizer="none", normalizer=["prepend_metaspace"], special_tokens=("<s>", "<e>")
    )
    ids = Tokenizer(recording).ids("<s> low<e>low")

    assert [recording.token(i).content.decode() for i in ids] == ["<s>", "▁", "▁low", "<e>", "▁low"]
    assert decode(recording, ids) == "<s> low<e>low"


def test_an_unknown_token_does_not_begin_a_stretch():
    recording = trained(
        Marker.METASPACE,
        pre_tokenizer="none",
        normalizer=["prepend_metaspace"],
        special_tokens=("<unk>",),
        unknown_token="<unk>",
        unknown=Unknown.FUSE,
    )

    assert decode(recording, Tokenizer(recording).ids("low ?! low")) == "low <unk> low"


def test_bytes_that_are_no_utf8():
    fallback = trained(unknown=Unknown.BYTES, pre_tokenizer="none")
    ids = fallback.alphabet.fallback_ids
    low = Tokenizer(fallback).ids("low")

    assert decode(fallback, [ids[0xE6], ids[0x97], *low, ids[0xE6], ids[0x97], ids[0xA5]]) == "\ufffd\ufffdlow日"
    assert decode(fallback, [ids[0xE6], ids[0x97], ids[0xA5], ids[0xFF]]) == "\ufffd" * 4  # no run is saved in part
    data = trained(base=Base.BYTES, pre_tokenizer="gpt2")
    assert decode(data, [data.alphabet.id_of(bytes([value])) for value in (0xE6, 0x97, 0x61)]) == "\ufffda"


def test_bytes_that_spell_a_metaspace_are_one():
    recording = trained(Marker.METASPACE, pre_tokenizer="none", unknown=Unknown.BYTES)  # without the normalizer
    ids = Tokenizer(recording).ids("low▁low")

    assert [recording.token(i).is_fallback for i in ids].count(True) == 3
    assert decode(recording, ids) == "low▁low"


@pytest.mark.parametrize("token_id", [-1, 999])
def test_an_id_that_no_token_has(token_id):
    with pytest.raises(BpeError, match=rf"^No token has the id {token_id}\.$"):
        decode(trained(), [token_id])


def written(recording, token_id):
    token = recording.token(token_id)
    if recording.alphabet.base is Base.BYTES and not token.special:
        return "".join(byte_stand_ins()[byte] for byte in token.content)
    return token.text(MARKER_TEXT.get(recording.alphabet.marker, "")).decode()


THEIRS = {
    "suffix": (trained(Marker.SUFFIX), lambda d: d.BPEDecoder(suffix="</w>")),
    "continuing": (trained(Marker.CONTINUING), lambda d: d.WordPiece(prefix="##", cleanup=False)),
    "bytes": (trained(base=Base.BYTES, pre_tokenizer="gpt2"), lambda d: d.ByteLevel()),
    "metaspace and bytes for the unknown": (
        trained(Marker.METASPACE, Base.CHARACTERS, "none", ["prepend_metaspace"], unknown=Unknown.BYTES),
        lambda d: d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", 1, 0)]),
    ),
}


@pytest.mark.parametrize("name", THEIRS)
@settings(max_examples=150)
@given(data=st.data())
def test_any_ids_decode_as_in_hugging_face(name, data):
    decoders = pytest.importorskip("tokenizers.decoders")
    recording, theirs = THEIRS[name]
    known = [token_id for token_id, _ in recording.tokens_at(len(recording))]
    ids = data.draw(st.lists(st.sampled_from(known), max_size=12))
    while ids and recording.token(ids[0]).continues:  # theirs leaves the mark of a first token standing
        ids.pop(0)

    assert decode(recording, ids) == theirs(decoders).decode([written(recording, i) for i in ids])


@settings(max_examples=150)
@given(text=st.text("lowerst é日▁", max_size=20).map(lambda text: text.lstrip(" ▁")))
def test_metaspace_decodes_as_in_hugging_face(text):
    """But for spaces at the start of the text: of several that make one token theirs keeps none."""
    decoders = pytest.importorskip("tokenizers.decoders")
    recording = trained(Marker.METASPACE, Base.CHARACTERS, "metaspace", ["metaspace"])
    ids = Tokenizer(recording).ids(text)

    theirs = decoders.Metaspace(prepend_scheme="always").decode([written(recording, i) for i in ids])
    assert decode(recording, ids) == theirs
