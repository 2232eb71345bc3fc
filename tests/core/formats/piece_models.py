"""SentencePiece models for tests: of the vectors, written by hand, and trained by the library."""

import base64
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

from core.charsmap import Charsmap
from core.formats.huggingface_normalizer import nmt_nfkc_charsmap
from core.formats.sentencepiece_model import Piece, PieceType, SentencePieceModel, Treatment, specs, written

DATA = Path(__file__).parents[2] / "data"
HEAD = [
    Piece("<unk>", type=PieceType.UNKNOWN), Piece("<s>", type=PieceType.CONTROL), Piece("</s>", type=PieceType.CONTROL)
]  # fmt: skip
BYTES = [Piece(f"<0x{value:02X}>", type=PieceType.BYTE) for value in range(256)]
LLAMA = {"byte_fallback": True, "remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True}
TRAINED: dict[str, dict[str, Any]] = {
    "defaults": {"normalization_rule_name": "nmt_nfkc"},
    "llama": {**LLAMA, "split_digits": True},
    "gemma": {
        **LLAMA,
        "add_dummy_prefix": False,
        "user_defined_symbols": ["\n", "\n\n", "▁▁", "▁▁▁", "<mask>", "[tag=0]", "<h1>"],
        "pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3,
    },
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix, spaces kept": {"treat_whitespace_as_suffix": True, "remove_extra_whitespaces": False},
    "no prefix": {"add_dummy_prefix": False, "normalization_rule_name": "nmt_nfkc_cf"},
    "user-defined": {
        "normalization_rule_name": "nfkc",
        "user_defined_symbols": ["ﬁ", "ab", "abc", "<u>", "x  y", " q", "①②"],
        "control_symbols": ["<ctl>"],
    },
    "words not cut": {"split_by_whitespace": False, "split_by_unicode_script": False, "max_sentencepiece_length": 30},
    "other ids": {"unk_id": 5, "bos_id": -1, "eos_id": -1, "pad_id": 0, "unk_piece": "[UNK]", "pad_piece": "[PAD]"},
}  # fmt: skip


@cache
def trained(name: str) -> bytes:
    """A model of the library's own on some text of many kinds; TRAINED has the options."""
    import sentencepiece

    text = (DATA / "text" / "alice_50k.txt").read_text(encoding="utf-8")[:20_000].split("\n")
    text += [
        "ﬁ ½ ²  é e\u0301 ①②③ 中文字的东西 日本語 한국어 हिन्दी 😀👍🏽",
        "x  y   z 12 345 a1b2",
        "\t<h1>low</h1>",
    ] * 3
    written_to = io.BytesIO()
    options = {"normalization_rule_name": "identity", **TRAINED[name]}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_writer=written_to, model_type="bpe", vocab_size=700, minloglevel=2,
        num_threads=1, hard_vocab_limit=False, **options,
    )  # fmt: skip
    return written_to.getvalue()


def vector(name: str) -> Any:
    return json.loads((DATA / "vectors" / f"{name}.json").read_text(encoding="utf-8"))


def model(pieces: list[Piece], treatment: Treatment | None = None) -> bytes:
    """Only the pieces and what makes a difference to encoding."""
    treatment = treatment or Treatment(rule="identity")
    return b"".join(written(SentencePieceModel(pieces, rest=specs(treatment, pieces))))


def scored(*texts: str, first: float = 0.0) -> list[Piece]:
    """Pieces whose scores fall by one each."""
    return [Piece(text, first - rank) for rank, text in enumerate(texts)]


def of_vector(case: Any) -> bytes:
    """The model of a case of vector 42, or of a trained one of 40 and 41."""
    if case.get("model_base64"):
        return base64.b64decode(case["model_base64"])
    if isinstance(case["pieces"], dict):
        pieces = [*_pieces(case["pieces"]["head"]), *BYTES, *_pieces(case["pieces"]["tail"])]
        return model(pieces, Treatment(rule="identity", byte_fallback=True))
    options = case["options"]
    has_table = options.get("normalization_rule_name", "nmt_nfkc") == "nmt_nfkc"
    treatment = Treatment(
        charsmap=nmt_nfkc_charsmap() if has_table else b"",
        whitespace_as_suffix=options.get("treat_whitespace_as_suffix", False),
        byte_fallback=options.get("byte_fallback", False),
    )
    return model(_pieces(case["pieces"]), treatment)


def _pieces(listed: list[Any]) -> list[Piece]:
    return [Piece(text, score, PieceType[type]) for text, score, type in listed]


@cache
def nmt_nfkc() -> Charsmap:
    return Charsmap.of(nmt_nfkc_charsmap())


def processor(data: bytes):  # type: ignore[no-untyped-def]  # the library has no types
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_proto=data)
