"""`bpe show`: the scheme, the lists."""

import base64
import json
from pathlib import Path

from core.formats.huggingface_normalizer import nmt_nfkc_charsmap
from tests.core.cli.commands import output

DATA = Path(__file__).parents[2] / "data" / "formats"


def test_a_summary(models):
    assert output("show", models / "bytes").splitlines() == [
        "format           Hugging Face tokenizer.json",
        "vocabulary       269 tokens: 1 special token, 256 base symbols",
        "merges           12",
        "base             bytes, ids by stand-in",
        "marker           none",
        "normalizer       none",
        "pre-tokenizer    gpt2",
        r"pattern          's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "special          0 <|end|>",
        "text comes back  always, byte for byte",
        "first merges     rank 0: e + s → es, id 257",
        "                 rank 1: es + t → est, id 258",
        "                 rank 2: l + o → lo, id 259",
        "                 rank 3: lo + w → low, id 260",
        "                 rank 4: e + w → ew, id 261",
        "last merges      rank 7: d + est → dest, id 264",
        "                 rank 8: i + dest → idest, id 265",
        "                 rank 9: w + idest → widest, id 266",
        "                 rank 10: e + r → er, id 267",
        "                 rank 11: low + er → lower, id 268",
    ]


def test_why_a_text_does_not_come_back(models):
    lines = output("show", models / "suffix", "--step", 1).splitlines()
    assert lines[2:5] == [
        "merges           1 of 9",
        "base             characters",
        "marker           suffix, written </w>",
    ]
    assert lines[8:-4] == ["unknown          drop", "text comes back  not always:"]
    assert lines[-4:] == [
        f"{'':17}White space between words is dropped: of which kind it was, and how much, does not come back.",
        "                 A space is put between any two words, whether there was one or not.",
        "                 Characters that the alphabet lacks are left out.",
        "all merges       rank 0: e + s → es, id 20",
    ]


def test_of_a_table_of_characters_only_the_beginning_is_shown(tmp_path):
    """As in SentencePiece's models and XLM-RoBERTa's tokenizer.json."""
    document = json.loads((DATA / "qwen3_500.tokenizer.json").read_text(encoding="utf-8"))
    charsmap = base64.b64encode(nmt_nfkc_charsmap()).decode()
    document["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": charsmap}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document), encoding="utf-8")

    normalizer = output("show", tmp_path).partition("\nnormalizer")[2].partition("\n")[0]
    assert normalizer.strip() == "{name: precompiled, charsmap: ALwCAACEAAAA…, by_graphemes: true}"


def test_all_merges(models):
    lines = output("show", models / "ranks.tiktoken", "--merges").splitlines()
    assert len(lines) == 13
    head, first = lines[0].split("\t"), lines[1].split("\t")
    row = dict(zip(head, first, strict=True))
    assert (row["rank"], row["left"], row["right"], row["token"], row["token_id"]) == ("0", "e", "s", "es", "257")


def test_all_tokens(models):
    lines = output("show", models / "suffix", "--vocab", "--step", 2).splitlines()
    assert lines[0] == "id\ttoken\thex\tkind\trank\tleft_id\tright_id\tends_word\tcontinues"
    assert lines[1] == "0\td\t64\tbase symbol\t\t\t\t0\t0"
    assert lines[19] == "18\tt</w>\t74\tbase symbol\t\t\t\t1\t0"
    assert lines[21:] == [
        "20\tes\t6573\tmerged token\t0\t1\t7\t0\t0",
        "21\test</w>\t657374\tmerged token\t1\t20\t18\t1\t0",
    ]
    assert (
        output("show", models / "bytes", "--vocab").splitlines()[1]
        == "0\t<|end|>\t3c7c656e647c3e\tspecial token\t\t\t\t0\t0"
    )
