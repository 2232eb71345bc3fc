"""Results of other tools on the same texts: equal merges, ids, offsets and decoded texts, tie by tie."""

import base64
import hashlib
import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token, Unknown, byte_stand_ins
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.tokenizer import Specials, Tokenizer
from core.trainer import StopReason, TieBreak, TrainerConfig
from tests.core.runs import count, record, record_words

DATA = Path(__file__).parent.parent / "data"
SHARED = Path(__file__).parents[3] / "shared" / "data"  # more of the same data, beside some checkouts

HUGGING_FACE = [
    "01_hf_char_eow",
    "03_hf_bytelevel_gpt2",
    "05_hf_gpt4_pattern",
    "06_hf_whitespace_no_marker",
    "07_hf_llama2_style_byte_fallback",
    "07b_hf_metaspace_split",
    "08a_hf_ties_alphabet",
    "08b_hf_ties_special_changes_ids",
    "08c_hf_ties_merged_vs_char",
    "09_hf_overlap_runs",
    *(f"10_hf_min_frequency_{n}" for n in range(5)),
    *(f"11_hf_max_token_length_{n:02}" for n in (0, 1, 2, 3, 4, 5, 6, 8, 16)),
    "13a_hf_limit_alphabet",
    "13b_hf_initial_alphabet",
    "14a_hf_vocab_smaller_than_alphabet",
    "14b_hf_empty_corpus",
    "14c_hf_whitespace_corpus",
    "14d_hf_single_chars",
    "15_hf_continuing_prefix",
    "16_hf_no_pretokenizer",
    "17_hf_literal_eow_in_corpus",
]
OTHERS = {
    "22a_tiktoken_educational_train": TieBreak.FIRST_SEEN,
    "23a_rustbpe_gpt4": TieBreak.BYTES,
    "23b_rustbpe_ties": TieBreak.BYTES,
    "24a_minbpe_regex": TieBreak.FIRST_SEEN,
    "24b_minbpe_basic_overlap": TieBreak.FIRST_SEEN,
}


@cache
def vector(name):
    return json.loads((DATA / "vectors" / f"{name}.json").read_text(encoding="utf-8"))


def pipeline(expected):
    kind = (expected["pre_tokenizer"] or {"type": None})["type"]
    if kind == "Sequence":
        return Pipeline(pre_tokenizer=custom(expected["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]))
    if kind == "Metaspace":
        return Pipeline(Normalizer.named("metaspace"), PRE_TOKENIZERS["metaspace"])
    if expected["normalizer"]:
        return Pipeline(Normalizer.named("prepend_metaspace"), PRE_TOKENIZERS["none"])
    names = {"WhitespaceSplit": "whitespace", "Whitespace": "words", "ByteLevel": "gpt2", None: "none"}
    return Pipeline(pre_tokenizer=PRE_TOKENIZERS[names[kind]])


def is_byte_level(expected):
    return (expected["pre_tokenizer"] or {}).get("type") in ("ByteLevel", "Sequence")


def marker(expected):
    if "end_of_word_suffix" in expected["trainer"]:
        return Marker.SUFFIX
    if "continuing_subword_prefix" in expected["trainer"]:
        return Marker.CONTINUING
    return Marker.METASPACE if pipeline(expected).normalizer else Marker.NONE


def unknown(expected):
    specials = expected["trainer"].get("special_tokens", ())
    if "<0x00>" in specials:
        return Unknown.BYTES
    if "<unk>" in specials:
        return Unknown.FUSE if model(expected)["fuse_unk"] else Unknown.TOKEN
    return Unknown.DROP


def model(expected):
    written = expected["tokenizer_json"]
    return (json.loads(written) if isinstance(written, str) else written)["model"]


@cache
def hugging_face_run(name):
    expected = vector(name)
    options = expected["trainer"]
    specials = tuple(text for text in options.get("special_tokens", ()) if not text.startswith("<0x"))
    longest = options.get("max_token_length")
    config = TrainerConfig(
        base=Base.BYTES if is_byte_level(expected) else Base.CHARACTERS,
        marker=marker(expected),
        vocab_size=options["vocab_size"],
        min_frequency=max(1, options.get("min_frequency", 0)),
        special_tokens=specials,
        unknown_token="<unk>" if "<unk>" in specials else None,
        unknown=unknown(expected),
        initial_characters="".join(options.get("initial_alphabet", ())) if not is_byte_level(expected) else "",
        alphabet_limit=options.get("limit_alphabet"),
        # theirs is exclusive and spares pairs of base symbols
        longest_token=None if longest is None else max(2, longest - 1),
    )
    words = Counter()
    for text in expected["training_texts"]:
        words.update(count(text, pipeline(expected)))
    alphabet = None if expected["deterministic"] else alphabet_as_given(expected, config)
    return record_words(words, config, alphabet, pipeline(expected))


def alphabet_as_given(expected, config):
    """Hugging Face numbers final and continuing letters in the order of a hash table, anew in each run."""
    vocab = expected["vocab_in_id_order"]
    tokens = {}
    for token_id, text in enumerate(vocab[: len(vocab) - len(expected["merges"])]):
        letter = text.removesuffix("</w>").removeprefix("##" if len(text) == 3 else "")
        is_special = text in config.special_tokens
        tokens[token_id] = Token(letter.encode(), text.endswith("</w>"), is_special, continues=letter == text[2:] != "")
    return Alphabet(config.base, config.marker, tokens, config.unknown)


def written(token, expected):
    """The token as Hugging Face writes it."""
    if is_byte_level(expected) and not token.special:
        return "".join(byte_stand_ins()[byte] for byte in token.content)
    return token.text("##" if token.continues else "</w>").decode()


@pytest.fixture(params=HUGGING_FACE)
def hugging_face(request):
    return vector(request.param), hugging_face_run(request.param)


def test_word_counts_of_hugging_face(hugging_face):
    expected, recording = hugging_face
    words = {written(Token(word.encode()), expected): count for word, count in recording.word_counts.items()}

    assert words == {word: count for word, count in expected["word_counts"].items() if word}


def test_merges_of_hugging_face(hugging_face):
    expected, recording = hugging_face
    merges = [[written(recording.token(i), expected) for i in merge.pair] for merge in recording]

    assert merges == expected["merges"]


def test_vocabulary_of_hugging_face(hugging_face):
    expected, recording = hugging_face
    vocab = dict(recording.tokens_at(len(recording)))

    assert list(vocab) == list(range(len(vocab)))
    assert [written(token, expected) for token in vocab.values()] == expected["vocab_in_id_order"]


def test_encodings_of_hugging_face(hugging_face):
    expected, recording = hugging_face
    tokenizer = Tokenizer(recording)
    for encoding in expected["encodings"]:
        tokens = [token for token in tokenizer.encode(encoding["text"]) if token.token_id >= 0]
        assert tokenizer.ids(encoding["text"]) == encoding["ids"]
        assert [token.token_id for token in tokens] == encoding["ids"]
        assert [written(recording.token(i), expected) for i in encoding["ids"]] == encoding["tokens"]
        if recording.alphabet.dropped:
            continue  # their offsets end too early once a character has vanished, and spaces stand where it was
        assert [[token.start, token.end] for token in tokens] == encoding["offsets"]
        if expected["decoder"] or tokenizer.joins_with_spaces:  # else theirs puts spaces between all
            assert tokenizer.decode(encoding["ids"]) == encoding["decoded"]


def test_a_merge_that_spells_a_special_token_makes_a_token_of_its_own():
    expected = vector("12a_hf_special_in_corpus_and_collision")
    recording = hugging_face_run("12a_hf_special_in_corpus_and_collision")
    merges = [[written(recording.token(i), expected) for i in merge.pair] for merge in recording]
    vocab = [written(token, expected) for _, token in recording.tokens_at(len(recording))]

    assert merges == expected["merges"]
    assert [text for i, text in enumerate(vocab) if text not in vocab[:i]] == expected["vocab_in_id_order"]
    assert vocab.count("ab") == 2  # there it is one, so that the text "ab" can come out as the special token


def test_training_beside_special_tokens_with_flags():
    expected = vector("12b_hf_special_flags")
    recording = hugging_face_run("12b_hf_special_flags")

    assert [[written(recording.token(i), expected) for i in merge.pair] for merge in recording] == expected["merges"]
    assert [written(token, expected) for _, token in recording.tokens_at(len(recording))] == expected[
        "vocab_in_id_order"
    ]


def test_encodings_of_tiktoken():
    recording = hugging_face_run("03_hf_bytelevel_gpt2")
    tokenizer = Tokenizer(recording)
    for encoding in vector("20_tiktoken_from_03")["encodings"]:
        assert tokenizer.ids(encoding["text"], Specials.AS_TEXT) == encoding["ids_ordinary"]
        assert tokenizer.ids(encoding["text"]) == encoding["ids_with_special"]
        contents = [recording.token(i).content.hex() for i in encoding["ids_ordinary"]]
        assert contents == encoding["token_bytes_hex"]


@pytest.mark.parametrize("name", OTHERS)
def test_merges_and_encodings_of_other_trainers(name):
    expected = vector(name)
    text, pattern = expected["training_text"], expected["pat_str"]
    config = TrainerConfig(byte_order=ByteOrder.VALUE, tie_break=OTHERS[name], vocab_size=expected["vocab_size"])
    cut = custom(pattern) if pattern else PRE_TOKENIZERS["none"]
    recording = record(text, config, Pipeline(pre_tokenizer=cut))

    assert [recording.token(merge.token_id).content.hex() for merge in recording] == expected["learned_tokens_hex"]
    if "merges_ids" in expected:
        assert [list(merge.pair) for merge in recording] == expected["merges_ids"]
    tokenizer = Tokenizer(recording)
    for encoding in expected["encodings"]:
        assert tokenizer.ids(encoding["text"]) == encoding["ids"]


def test_rustbpe_breaks_ties_by_id_when_ids_are_byte_values():
    expected = vector("23b_rustbpe_ties")
    config = TrainerConfig(byte_order=ByteOrder.VALUE, tie_break=TieBreak.IDS, vocab_size=expected["vocab_size"])
    recording = record(expected["training_text"], config, Pipeline(pre_tokenizer=custom(expected["pat_str"])))

    assert [recording.token(merge.token_id).content.hex() for merge in recording] == expected["learned_tokens_hex"]


RULES = {
    "smallest_pair": (ByteOrder.VALUE, TieBreak.IDS),
    "first_seen": (ByteOrder.VALUE, TieBreak.FIRST_SEEN),
    "hf": (ByteOrder.STAND_IN, TieBreak.IDS),
}
JOBS = sorted((DATA / "training").glob("*.json"))
SHARED_JOBS = sorted((SHARED / "training").glob("*.json"))


def check_training_job(path, corpora):
    """Merges and counts for each tie rule of the file; in it ids below 256 are bytes, 256 + k is the k-th merge."""
    job = json.loads(path.read_text(encoding="utf-8"))
    corpus = corpora / job["corpus"]
    if corpus.name == "en_alice_50k.txt":
        corpus = DATA / "text" / "alice_50k.txt"
    text = corpus.read_bytes().decode()
    cut = Pipeline(pre_tokenizer=custom(job["pattern"]))
    counts = count(text, cut)
    assert (sum(counts.values()), len(counts)) == (job["chunk_total"], job["chunk_unique"])
    for rule, expected in job["results"].items():
        byte_order, tie_break = RULES[rule]
        config = TrainerConfig(byte_order=byte_order, tie_break=tie_break, merges=job["n_merges"])
        recording = record_words(counts, config, pipeline=cut)

        def numbered(token_id, recording=recording):
            return token_id if token_id >= 256 else recording.token(token_id).content[0]

        assert [[*map(numbered, m.pair), m.count] for m in recording] == expected["merges"], rule
        assert [m.rank for m in recording if m.tied > 1] == expected["ties_at_steps"], rule
        assert recording.stop_reason is StopReason.MERGES


@pytest.mark.parametrize("path", JOBS, ids=lambda path: path.stem)
def test_training_on_a_real_text(path):
    check_training_job(path, DATA)


@pytest.mark.skipif(not SHARED_JOBS, reason="the larger data set is not beside this checkout")
@pytest.mark.parametrize("path", SHARED_JOBS, ids=lambda path: path.stem)
def test_training_on_a_real_text_of_the_larger_data_set(path):
    check_training_job(path, SHARED / "corpora")


@pytest.mark.skipif(not SHARED_JOBS, reason="the larger data set is not beside this checkout")
@pytest.mark.parametrize(
    "name",
    [
        "en_alice_gpt2_2000",
        "en_kjv_1m_cl100k_llama3_4096",
        "code_python_1m_cl100k_llama3_3000",
        "mul_udhr_22_o200k_3000",
        "zh_classics_1m_o200k_2000",
    ],
)
def test_rank_files_learned_from_a_megabyte(name):
    index = json.loads((SHARED / "training" / "big" / "index.json").read_text(encoding="utf-8"))
    job = next(job for job in index if job["file"] == f"{name}.tiktoken")
    text = (SHARED / "corpora" / job["corpus"]).read_bytes().decode()
    config = TrainerConfig(byte_order=ByteOrder.VALUE, merges=job["merges"])
    recording = record(text, config, Pipeline(pre_tokenizer=custom(job["pattern"])))

    written = b"".join(
        b"%s %d\n" % (base64.b64encode(token.content), i) for i, token in recording.tokens_at(job["merges"])
    )
    assert hashlib.sha256(written).hexdigest() == job["sha256"]
    assert recording[-1].count == job["last_count"]
