"""Hand-written codes under subword-nmt and hand-written pieces under SentencePiece: equal segmentations and ids."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.encoding_rules import Encoder
from core.merge import Merge
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from core.trainer import TrainerConfig

VECTORS = Path(__file__).parent.parent / "data" / "vectors"


def vector(name):
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


# subword-nmt

CODES = [
    case
    for case in vector("31_subword_nmt_apply_cases")["cases"]
    if not case["vocab"] and not case["glossaries"]  # what its vocabularies and glossaries do is not offered
]


def recording_of_codes(codes_file):
    """With a header </w> is part of the last letter, as in `t</w>`; without one it is a symbol of its own."""
    lines = codes_file.splitlines()
    marker = Marker.SUFFIX if lines[0] == "#version: 0.2" else Marker.SYMBOL
    rules = [tuple(map(token, line.split(" "))) for line in lines[marker is Marker.SUFFIX :]]
    letters = {letter for left, right in rules for letter in (left + right).content.decode()}
    base = [Token(letter.encode()) for letter in sorted(letters)]
    if marker is Marker.SUFFIX:
        base += [Token(letter.content, ends_word=True) for letter in base]
    else:
        base.append(token("</w>"))
    ids = {known: i for i, known in enumerate(base)}
    for made in (part for left, right in rules for part in (left, right, left + right)):
        ids.setdefault(made, len(ids))
    vocabulary = {i: known for known, i in ids.items()}
    alphabet = Alphabet(Base.CHARACTERS, marker, {i: vocabulary[i] for i in range(len(base))}, Unknown.KEEP)
    config = TrainerConfig(Base.CHARACTERS, marker)
    recording = Recording(alphabet, config, Pipeline(pre_tokenizer=custom("[^ ]+")), vocabulary=vocabulary)
    for rank, (left, right) in enumerate(rules):
        recording.append(Merge(rank, ids[left], ids[right], ids[left + right]))
    return recording


def token(text):
    return Token(text.removesuffix("</w>").encode(), ends_word=text.endswith("</w>"))


@pytest.mark.parametrize("case", CODES, ids=lambda case: case["title"])
def test_codes_segment_as_in_subword_nmt(case):
    recording = recording_of_codes(case["codes_file"])
    tokenizer = Tokenizer(recording, encoder=Encoder.ALL_AT_ONCE)
    joint = f"{case['separator']} "
    for encoding in case["encodings"]:
        words = []
        for word in recording.pipeline.words(encoding["text"]):
            symbols = recording.alphabet.spell(word.text)
            spans = [(symbols[p.start].start, symbols[p.end - 1].end) for p in tokenizer.pieces(word.text)]
            words.append(joint.join(word.text[start:end] for start, end in spans if start < end))
        assert " ".join(words) == encoding["segmented"]


def test_only_vocabularies_and_glossaries_are_left_out():
    assert len(CODES) == 10


# SentencePiece

BYTES = [[f"<0x{byte:02X}>", 0.0, "BYTE"] for byte in range(256)]


def recording_of_pieces(pieces, *normalizers):
    """The pieces with their ids; the merges are those that the pieces before them leave of each."""
    tokens = {i: piece_token(text, kind) for i, (text, _, kind) in enumerate(pieces)}
    ids = {text: i for i, (text, _, _) in enumerate(pieces)}
    base = {i: known for i, known in tokens.items() if known.special or len(pieces[i][0]) == 1 or known.is_fallback}
    unknown = Unknown.BYTES if any(kind == "BYTE" for _, _, kind in pieces) else Unknown.FUSE
    specials = tuple(text for text, _, kind in pieces if kind in ("UNKNOWN", "CONTROL"))
    config = TrainerConfig(
        Base.CHARACTERS, Marker.METASPACE, special_tokens=specials, unknown_token="<unk>", unknown=unknown
    )
    extra_spaces = ((r"^ +| +$", ""), (r" +", " "))
    pipeline = Pipeline(Normalizer.named(*normalizers, replacements=extra_spaces), PRE_TOKENIZERS["none"])
    alphabet = Alphabet(Base.CHARACTERS, Marker.METASPACE, base, unknown)
    recording = Recording(alphabet, config, pipeline, vocabulary=tokens)
    scores = {text: score for text, score, kind in pieces if kind == "NORMAL"}
    for text in sorted(scores, key=scores.__getitem__, reverse=True):
        parts = joined(text, {other: score for other, score in scores.items() if score > scores[text]})
        if len(parts) == 2:
            recording.append(Merge(len(recording), ids[parts[0]], ids[parts[1]], ids[text]))
    return recording


def piece_token(text, kind):
    if kind == "BYTE":
        return Token(bytes.fromhex(text[3:5]), is_fallback=True)
    return Token(text.encode(), special=kind != "NORMAL")


def joined(text, scores):
    """Letters joined by score, the leftmost among equals."""
    parts = [*text]
    while places := [(-scores[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in scores]:
        _, place = min(places)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts


def check_encodings(recording, encodings):
    """Control symbols are text like any other where they stand in a text."""
    tokenizer = Tokenizer(recording, encoder=Encoder.TOKEN_RANK)
    for encoding in encodings:
        assert tokenizer.ids(encoding["text"], Specials.AS_TEXT) == encoding["ids"], encoding["text"]
        pieces = [recording.token(i).text().decode() for i in encoding["ids"]]
        if recording.unknown_id in encoding["ids"]:
            continue  # theirs shows the text that is unknown, and decodes it as ⁇
        assert pieces == encoding["pieces"]
        assert tokenizer.decode(encoding["ids"]) == encoding["decoded"]


HANDWRITTEN = {case["title"]: case for case in vector("42_spm_handwritten_models")["cases"]}


@pytest.mark.parametrize(
    "title",
    [
        "basic, default normalizer flags",
        "equal scores: leftmost",
        "any adjacent pair whose concatenation is a piece merges",
        "piece that cannot be reached",
    ],  # the others are of unused and user-defined pieces, and of texts without a ▁ before them, which are not offered
)
def test_pieces_encode_as_in_sentencepiece(title):
    case = HANDWRITTEN[title]
    one_line = [encoding for encoding in case["encodings"] if "\n" not in encoding["text"]]
    check_encodings(recording_of_pieces(case["pieces"], "replace", "prepend_metaspace"), one_line)


def test_pieces_with_bytes_encode_as_in_sentencepiece():
    case = HANDWRITTEN["byte fallback"]
    pieces = [*case["pieces"]["head"], *BYTES, *case["pieces"]["tail"]]
    one_line = [encoding for encoding in case["encodings"] if "\n" not in encoding["text"]]
    assert len(one_line) == 11
    check_encodings(recording_of_pieces(pieces, "replace", "prepend_metaspace"), one_line)


def test_pieces_learned_with_sentencepiece_s_defaults_encode_as_there():
    pytest.importorskip("sentencepiece")
    expected = vector("40b_spm_bpe_defaults_nmt_nfkc")
    recording = recording_of_pieces(expected["pieces"], "nmt_nfkc", "replace", "prepend_metaspace")
    one_line = [encoding for encoding in expected["encodings"] if "\n" not in encoding["text"]]

    assert len(one_line) == 18
    check_encodings(recording, one_line)
