"""Every tokenizer, ours or of another tool, out and back through every format that does not refuse it.

BPE_TESTS_ALL_ROUND_TRIPS=1 tries all of them; otherwise a part, always the same. What is refused, and why, is written
down in round_trips.json.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from core.formats import EXPORTS, Kept, Severity, export
from core.formats.opening import located, open_model
from core.recording import Recording
from core.tokenizer import Tokenizer
from tests.core.formats.kinds import AGE_MATTERS, KINDS, Encode, kind, probes, run

DATA = Path(__file__).parents[2] / "data" / "formats"
IMPORTED = (
    "cl100k_1200.tiktoken", "clip_256.tokenizer.json", "clip_bpe_256.txt", "gpt2_1000", "gpt2_hash_merges",
    "gpt_oss_300.tokenizer.json", "qwen3_500.tokenizer.json", "spm_bpe_900.model", "subword_nmt_200.codes",
    "fastbpe_150.codes",
)  # fmt: skip
MODELS = (*KINDS, *IMPORTED)
TOKENIZERS = [name for name, format in EXPORTS.items() if format.read]
TABLE = json.loads(Path(__file__).with_name("round_trips.json").read_text(encoding="utf-8"))
REFUSED: dict[str, dict[str, list[str]]] = TABLE["refused"]
FORETOLD: dict[str, list[str]] = TABLE["foretold"]
"""Where test strings give other tokens, and a warning says so."""
UNRECOGNIZED: dict[str, list[str]] = {"subword-nmt": ["wordpiece symbol"]}
"""Files in which nothing tells the format: codes without a header and without a marker."""
PARTS = 1 if os.environ.get("BPE_TESTS_ALL_ROUND_TRIPS") == "1" else 3
"""One of so many pairs of kind and format is tried."""


@cache
def model(name: str) -> Recording:
    return kind(name) if name in KINDS else open_model(DATA / name).recording


def is_tried(name: str, format_name: str) -> bool:
    return name in IMPORTED or crc32(f"{name} {format_name}".encode()) % PARTS == 0


def refusals(recording: Recording, format_name: str) -> list[str]:
    findings = EXPORTS[format_name].preflight(recording, len(recording))
    return [finding.message for finding in findings if finding.severity is Severity.REFUSAL]


def test_what_is_foretold_is_not_refused():
    for format_name, names in FORETOLD.items():
        assert [name for name in names if refusals(model(name), format_name)] == []


def pairs() -> list[tuple[str, str]]:
    return [(name, format_name) for name in MODELS for format_name in TOKENIZERS if is_tried(name, format_name)]


@pytest.mark.parametrize("name", MODELS)
def test_refused_for_the_reasons_that_are_known(name):
    expected = {
        (format_name, reason)
        for format_name, reasons in REFUSED.items()
        for reason, names in reasons.items()
        if name in names
    }
    for format_name in TOKENIZERS:
        for message in refusals(model(name), format_name):
            known = {pair for pair in expected if pair[0] == format_name and pair[1] in message}
            assert known, f"{format_name}: {message}"
            expected -= known
    assert expected == set()


def test_the_table_of_refusals_is_of_formats_that_there_are():
    assert set(REFUSED) <= set(TOKENIZERS)
    assert {name for reasons in REFUSED.values() for names in reasons.values() for name in names} <= {*MODELS}


@pytest.mark.parametrize(("name", "format_name"), pairs())
def test_out_and_back(name, format_name, tmp_path):
    recording, format = model(name), EXPORTS[format_name]
    if refusals(recording, format_name):
        pytest.skip("refused, as the table of refusals says")
    path = tmp_path / format.suggested_name
    result = export(recording, len(recording), format, path)
    test = result.self_test
    assert test is not None
    assert test.problem is None
    assert [part for part in test.parts if part.difference] == []
    if name not in UNRECOGNIZED.get(format_name, []):
        assert located(path)[0].name == format_name
    if name in FORETOLD.get(format_name, []):
        assert any(finding.severity is Severity.WARNING for finding in result.findings)
        return
    assert test.differences == ()
    if Kept.IDS in format.keeps:
        assert_same_ids(recording, format.load(path), format_name, texts_for(name))
    library = library_of(format_name, path)
    if library and name in IMPORTED:
        assert_same_as_library(recording, format_name, library, texts_for(name))


def texts_for(name: str) -> list[str]:
    """Libraries may follow another version of Unicode where there is a normalizer."""
    return probes(AGE_MATTERS[0] if name in IMPORTED and model(name).pipeline.normalizer else name)


def tokenizer_of(recording: Recording, format_name: str) -> Tokenizer:
    return Tokenizer(recording, encoder=None if recording.imported else EXPORTS[format_name].encoder(recording))


def assert_same_ids(recording: Recording, loaded: Recording, format_name: str, texts: list[str]) -> None:
    ours = tokenizer_of(recording, format_name)
    theirs = Tokenizer(loaded, encoder=EXPORTS[format_name].encoder(loaded))
    for text in texts:
        assert theirs.ids(text) == ours.ids(text), text


def assert_same_as_library(recording: Recording, format_name: str, library: Encode, texts: list[str]) -> None:
    """SentencePiece takes special tokens for text, others find them: what they make of them is not compared."""
    ours = tokenizer_of(recording, format_name)
    is_apart = format_name == "sentencepiece" or recording.rules.specials_are_text
    specials = [*recording.alphabet.special_ids, *(token.content for token in recording.looked_for)]
    for text in texts:
        if is_apart and any(special in text for special in specials):
            continue
        ids, decoded = library(text)
        assert ids == ours.ids(text), text
        assert decoded in (ours.decode(ids), PANIC), text


def library_of(format_name: str, path: Path) -> Encode | None:
    """The library itself with the file loaded by the code that the export dialog shows; None where there is none."""
    for module, wrap in LIBRARIES.items():
        if format_name in wrap:
            pytest.importorskip(module)
            found = run(EXPORTS[format_name].snippet(path))
            return wrap[format_name](found)
    return None


PANIC = "tokenizers panics"
"""Where its decoder Strip gets an empty token (0.23)."""


def _of_tokenizers(names: dict[str, Any]) -> Encode:
    tokenizer = names["tokenizer"]

    def encode(text: str) -> tuple[list[int], str]:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        try:
            return ids, tokenizer.decode(ids, skip_special_tokens=False)
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            return ids, PANIC

    return encode


def _of_tiktoken(names: dict[str, Any]) -> Encode:
    def encode(text: str) -> tuple[list[int], str]:
        ids = names["encoding"].encode(text, allowed_special="all")
        return ids, names["encoding"].decode(ids)

    return encode


def _of_sentencepiece(names: dict[str, Any]) -> Encode:
    (processor,) = (value for value in names.values() if type(value).__name__ == "SentencePieceProcessor")

    def encode(text: str) -> tuple[list[int], str]:
        ids = processor.encode(text)
        return ids, processor.decode(ids)

    return encode


LIBRARIES: dict[str, dict[str, Any]] = {
    "tokenizers": {
        "huggingface": _of_tokenizers,
        "gpt2": _of_tokenizers,
    },
    "tiktoken": {"tiktoken": _of_tiktoken},
    "sentencepiece": {"sentencepiece": _of_sentencepiece},
}
