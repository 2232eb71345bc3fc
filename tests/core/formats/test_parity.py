"""Tokenizers of other tools, opened from their own files, give these tools' ids: real ones where they are at hand.

What is expected was written down with tiktoken, tokenizers, sentencepiece and open_clip.
"""

import gzip
import hashlib
import json
import lzma
from functools import cache
from pathlib import Path

import pytest

from core import kernel_loader
from core.byte_encoding import ids_of_bytes
from core.errors import BpeError, FormatError
from core.formats import ReadOptions
from core.formats.opening import open_model
from core.tokenizer import Specials, Tokenizer

DATA = Path(__file__).parents[2] / "data" / "formats"

SMALL = {
    "cl100k_1200": "cl100k_1200.tiktoken",
    "clip_256": "clip_256.tokenizer.json",
    "gpt2_1000": "gpt2_1000",
    "gpt_oss_300": "gpt_oss_300.tokenizer.json",
    "qwen3_500": "qwen3_500.tokenizer.json",
    "spm_bpe_900": "spm_bpe_900.model",
}
LARGE = {
    "cl100k_base": "cl100k_base.tiktoken.xz",
    "claude_old": "claude_old/tokenizer.json.xz",
    "clip": "clip/bpe_simple_vocab_16e6.txt.gz",
    "gpt2": "gpt2",
    "gpt_oss": "gpt_oss/tokenizer.json.xz",
    "mistral_v1": "mistral_v1/tokenizer.model.v1",
    "o200k_base": "o200k_base.tiktoken.xz",
    "o200k_harmony": "o200k_base.tiktoken.xz",
    "qwen3": "qwen3/tokenizer.json.xz",
    "r50k_base": "r50k_base.tiktoken",
    "whisper_multilingual": "whisper_multilingual.tiktoken",
}
HARMONY = {
    "<|startoftext|>": 199998, "<|endoftext|>": 199999, "<|reserved_200000|>": 200000, "<|reserved_200001|>": 200001,
    "<|return|>": 200002, "<|constrain|>": 200003, "<|reserved_200004|>": 200004, "<|channel|>": 200005,
    "<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008, "<|reserved_200009|>": 200009,
    "<|reserved_200010|>": 200010, "<|reserved_200011|>": 200011, "<|call|>": 200012, "<|endofprompt|>": 200018,
}  # fmt: skip
OPTIONS = {
    "o200k_harmony": ReadOptions(special_tokens=HARMONY),
    "cl100k_1200": ReadOptions(special_tokens={"<|endoftext|>": 1457, "<|fim_prefix|>": 1458}),
}
BYTES = ("cl100k_base", "gpt2", "o200k_base", "r50k_base")


@pytest.fixture(autouse=True)
def loops():
    kernel_loader.load()


@pytest.fixture(scope="module")
def large(shared_dir, tmp_path_factory):
    """Opens a tokenizer of the shared data, each once."""
    folder = shared_dir / "data" / "tokenizers"
    if not folder.is_dir():
        pytest.skip("the large tokenizers are not here")
    unpacked = tmp_path_factory.mktemp("tokenizers")

    @cache
    def opened(name):
        path = folder / LARGE[name]
        if path.suffix == ".xz":
            packed, path = path, unpacked / name / path.stem
            path.parent.mkdir()
            path.write_bytes(lzma.decompress(packed.read_bytes()))
        return open_model(path, OPTIONS.get(name)).recording

    return opened


def expected_of(folder, name):
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def texts(file):
    return {probe["id"]: probe["text"] for probe in json.loads(file.read_text(encoding="utf-8"))["probes"]}


def encoded(tokenizer, text, specials):
    """The ids, by plain and by compiled loops."""
    ids = [token.token_id for token in tokenizer.tokens(text, specials) if token.token_id >= 0]
    if tokenizer.compiled:
        assert tokenizer.id_array(text, specials).tolist() == ids
    return ids


@pytest.mark.parametrize("name", SMALL)
def test_small_ones(name):
    tokenizer = Tokenizer(open_model(DATA / SMALL[name], OPTIONS.get(name)).recording)
    probes = texts(DATA / "probes.json")
    for key, expected in expected_of(DATA / "expected", name)["expected"].items():
        ids = encoded(tokenizer, probes[key], Specials.AS_TEXT)
        assert ids == expected["ids"], (key, probes[key])
        if "special" in expected:
            assert encoded(tokenizer, probes[key], Specials.MATCH) == expected["special"], key
        if "decoded" in expected:
            assert tokenizer.decode(ids) == expected["decoded"], key


def test_merges_that_begin_with_a_hash_sign():
    tokenizer = Tokenizer(open_model(DATA / "gpt2_hash_merges").recording)
    for text, ids in expected_of(DATA / "expected", "gpt2_hash_merges")["texts"].items():
        assert tokenizer.ids(text) == ids


def test_broken_bytes_of_a_small_one():
    tokenizer = Tokenizer(open_model(DATA / "cl100k_1200.tiktoken").recording)
    probes = json.loads((DATA / "byte_probes.json").read_text())["probes"]
    expected = expected_of(DATA / "expected", "cl100k_1200_bytes")
    for probe in probes:
        assert ids_of_bytes(tokenizer, bytes.fromhex(probe["hex"])) == expected[probe["id"]], probe["id"]


def test_bytes_that_are_no_text_for_a_tokenizer_of_characters():
    tokenizer = Tokenizer(open_model(DATA / "spm_bpe_900.model").recording)
    assert ids_of_bytes(tokenizer, b"abc") == tokenizer.ids("abc")
    with pytest.raises(BpeError, match="Byte 2 is not UTF-8, and this tokenizer knows characters only"):
        ids_of_bytes(tokenizer, b"a\xff")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("spm_unigram_150_not_bpe.model", "(?i)unigram"),
        ("broken_merge_not_in_vocab.tokenizer.json", r"merges\[\d+\]|merge \d+"),
        ("broken_rank.tiktoken", r"broken_rank\.tiktoken, line 2: expected a token in base64, a space and a rank"),
        ("broken_truncated.tokenizer.json", r"line \d+, column \d+"),
    ],
)
def test_what_cannot_be_read_names_its_fault(file, message):
    with pytest.raises(FormatError, match=message):
        open_model(DATA / file)


def test_a_large_unigram_file(shared_dir):
    with pytest.raises(FormatError, match=r"(?i)unigram"):
        open_model(shared_dir / "data" / "tokenizers" / "spm_unigram_not_bpe" / "test_model.model")


@pytest.mark.parametrize("name", [name for name in LARGE if name != "clip"])  # open_clip mends texts first
def test_real_ones(name, large, shared_dir):
    tokenizer, folder = Tokenizer(large(name)), shared_dir / "data" / "probes"
    probes, document = texts(folder / "probes.json"), expected_of(folder, f"expected_{name}")
    ordinary = Specials.MATCH if document["modes"]["ids"] == "special" else Specials.AS_TEXT
    for expected in document["probes"]:
        key, text = expected["id"], probes[expected["id"]]
        ids = encoded(tokenizer, text, ordinary)
        assert ids == expected["ids"], (key, text)
        if "decoded" in expected:
            assert tokenizer.decode(ids) == expected["decoded"], key
        if "ids_special" in expected:
            assert encoded(tokenizer, text, Specials.MATCH) == expected["ids_special"], key


@pytest.mark.parametrize("name", BYTES)
def test_broken_bytes(name, large, shared_dir):
    folder = shared_dir / "data" / "probes"
    probes = {p["id"]: p["hex"] for p in json.loads((folder / "byte_probes.json").read_text())["probes"]}
    for expected in expected_of(folder, f"expected_bytes_{name}")["probes"]:
        ids = ids_of_bytes(Tokenizer(large(name)), bytes.fromhex(probes[expected["id"]]))
        assert ids == expected["ids"], expected["id"]


@pytest.mark.parametrize("name", [*LARGE, "mistral_v1 json"])
def test_whole_texts(name, large, shared_dir):
    document = json.loads((shared_dir / "data" / "probes" / "expected_files.json").read_text())
    results = document["results"].get(name.split()[0])
    if results is None:
        pytest.skip("nothing was written down for it")
    recording = large(name) if name in LARGE else mistral_json(shared_dir)
    tokenizer = Tokenizer(recording)
    for file, expected in results.items():
        text = (shared_dir / "data" / "corpora" / file).read_bytes().decode()
        ids = tokenizer.id_array(text, Specials.AS_TEXT)
        assert len(ids) == expected["tokens"], file
        assert hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest() == expected["ids_sha256"], file


def mistral_json(shared_dir):
    return open_model(shared_dir / "data" / "tokenizers" / "mistral_v1" / "tokenizer.json").recording


def test_a_packed_file_is_opened_as_it_is(large, shared_dir, tmp_path):
    path = shared_dir / "data" / "tokenizers" / "clip" / "bpe_simple_vocab_16e6.txt.gz"
    unpacked = tmp_path / "bpe.txt"
    unpacked.write_bytes(gzip.decompress(path.read_bytes()))
    assert list(open_model(unpacked).recording) == list(large("clip"))
