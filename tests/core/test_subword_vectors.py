"""Results of subword-nmt and SentencePiece on the same texts: equal merges and segmentations."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import regex

from core.alphabet import Base, Marker, Unknown
from core.corpus import Corpus
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.tokenizer import Tokenizer
from core.trainer import TieBreak, TrainerConfig
from core.word_counts import corpus_words_counted, load_word_counts
from tests.core.runs import count, finish, record_words

VECTORS = Path(__file__).parent.parent / "data" / "vectors"
SUBWORD_NMT = sorted(path.stem for path in VECTORS.glob("30*.json"))
SENTENCEPIECE = sorted(path.stem for path in VECTORS.glob("4[01]*.json"))


@cache
def vector(name):
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


@cache
def subword_nmt_run(name):
    expected = vector(name)
    pipeline = Pipeline(pre_tokenizer=custom("[^ ]+"), texts=Texts.LINES)  # only the ASCII space separates words
    if expected["options"].get("is_dict"):
        words = {word: int(n) for word, n in (line.split() for line in expected["training_text"].splitlines())}
    else:
        words = count(expected["training_text"], pipeline)
    merges = expected["num_operations"]
    if expected["options"].get("total_symbols"):
        merges -= len({c for word in words for c in word[:-1]}) + len({word[-1] for word in words})
    config = TrainerConfig(
        Base.CHARACTERS,
        Marker.SUFFIX,
        tie_break=TieBreak.REVERSE_LEXICOGRAPHIC,
        merges=merges,
        min_frequency=expected["min_frequency"],
        complete_alphabet=False,
    )
    return record_words(words, config, pipeline=pipeline)


@pytest.mark.parametrize("name", SUBWORD_NMT)
def test_merges_of_subword_nmt(name):
    recording = subword_nmt_run(name)
    merges = [[recording.token(i).text().decode() for i in merge.pair] for merge in recording]

    assert merges == vector(name)["merges"]


@pytest.mark.parametrize("name", SUBWORD_NMT)
def test_segmentations_of_subword_nmt(name):
    tokenizer = Tokenizer(subword_nmt_run(name))
    for encoding in vector(name)["encodings"]:
        words = tokenizer.recording.pipeline.words(encoding["text"].strip("\r\n "))
        assert " ".join(with_joints(tokenizer, word.text) for word in words) == encoding["segmented"]


def with_joints(tokenizer, word):
    """`lo@@ w`, unknown characters kept as they are."""
    symbols = tokenizer.recording.alphabet.spell(word)
    pieces = tokenizer.pieces(word)
    return "@@ ".join(word[symbols[piece.start].start : symbols[piece.end - 1].end] for piece in pieces)


def test_word_counts_are_read_from_a_list_of_subword_nmts(tmp_path):
    expected = vector("30g_subword_nmt_dict")
    (tmp_path / "dict.txt").write_text(expected["training_text"], encoding="utf-8", newline="")
    corpus: Corpus = load_word_counts(tmp_path / "dict.txt")
    words = finish(corpus_words_counted(corpus, Pipeline()))

    assert words.counts == dict(subword_nmt_run("30g_subword_nmt_dict").word_counts)


# by default SentencePiece makes no piece of two scripts, and takes Chinese characters and kana for one
SCRIPTS = [r"[\p{Han}\p{Hiragana}\p{Katakana}ー]", r"\p{Latin}", r"\p{Cyrillic}", r"\p{Devanagari}", r"\p{Hangul}"]
ONE_SCRIPT = "|".join(rf"(?:{script}\p{{Inherited}}*)+" for script in (*SCRIPTS, r"[\p{Common}--▁]"))


@cache
def sentencepiece_run(name):
    """SentencePiece's words end in ▁ where `treat_whitespace_as_suffix` is set."""
    expected = vector(name)
    nmt_nfkc = ()
    if "normalization_rule_name" not in expected["options"]:
        nmt_nfkc = ("nmt_nfkc",)
        pytest.importorskip("sentencepiece", reason="nmt_nfkc is made of its tables")
    only_spaces = ((r"^ +| +$", ""), (r" +", " "))  # other white space is text to it
    normalizer = Normalizer.named(*nmt_nfkc, "replace", "prepend_metaspace", replacements=only_spaces)
    pipeline = Pipeline(normalizer, PRE_TOKENIZERS["metaspace"], Texts.LINES)
    words = count("\n".join(expected["training_lines"]), pipeline)
    if expected["options"].get("treat_whitespace_as_suffix"):
        words = {f"{word[1:]}▁": n for word, n in words.items()}
    if expected["options"].get("split_by_unicode_script", True):
        words = cut_by_script(words)
    config = TrainerConfig(
        Base.CHARACTERS,
        Marker.METASPACE,
        tie_break=TieBreak.SHORT_THEN_STRING,
        longest_token=16,
        unknown=Unknown.BYTES if expected["options"].get("byte_fallback") else Unknown.KEEP,
    )
    return record_words(words, config, pipeline=pipeline)


def cut_by_script(words):
    """What its trainer makes of words; a ▁ goes with the script next to it."""
    cut = Counter()
    for word, n in words.items():
        parts = regex.findall(rf"(?V1)(?:^▁)?(?:{ONE_SCRIPT})▁?", word)
        assert "".join(parts) == word
        for part in parts:
            cut[part] += n
    return cut


@pytest.mark.parametrize("name", SENTENCEPIECE)
def test_merges_of_sentencepiece(name):
    """It goes on with pairs that no longer occur where ours ends, and stops at its vocabulary size."""
    recording, letters = sentencepiece_run(name), {c for line in vector(name)["training_lines"] for c in line}
    pieces = [piece for piece, _, kind in vector(name)["pieces"] if kind == "NORMAL"]
    merged = [piece for piece in pieces if len(piece) > 1]
    ours = [recording.token(merge.token_id).content.decode() for merge in recording]

    assert len(ours) > 5
    assert ours[: len(merged)] == merged[: len(ours)]
    assert {piece for piece in pieces if len(piece) == 1} <= letters | {"▁"}


@pytest.mark.parametrize("name", ["40a_spm_bpe_identity_byte_fallback"])
def test_encodings_of_sentencepiece(name):
    expected, recording = vector(name), sentencepiece_run(name)
    merges = sum(len(piece) > 1 for piece, _, kind in expected["pieces"] if kind == "NORMAL")
    tokenizer = Tokenizer(recording, min(merges, len(recording)))
    for encoding in expected["encodings"]:
        if "\n" in encoding["text"]:
            continue  # spaces around a line end are text to it, and our replacements go line by line
        tokens = [recording.token(i) for i in tokenizer.ids(encoding["text"])]
        assert [token.text().decode() for token in tokens] == encoding["pieces"]
        assert tokenizer.decode(tokenizer.ids(encoding["text"])) == encoding["decoded"]
