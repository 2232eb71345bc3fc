"""Results of other tools on the same texts: equal merges, ids, offsets and decoded texts, tie by tie."""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path

import pytest

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token, Unknown, byte_stand_ins
from core.corpus import Pipeline
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
    "08a_hf_ties_alphabet",
    "08b_hf_ties_special_changes_ids",
    "08c_hf_ties_merged_vs_char",
    "09_hf_overlap_runs",
    *(f"10_hf_min_frequency_{n}" for n in range(5)),
    "14a_hf_vocab_smaller_than_alphabet",
    "14b_hf_empty_corpus",
    "14c_hf_whitespace_corpus",
    "14d_hf_single_chars",
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


def pre_tokenizer(expected):
    kind = expected["pre_tokenizer"]["type"]
    if kind == "Sequence":
        return custom(expected["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"])
    return PRE_TOKENIZERS[{"WhitespaceSplit": "whitespace", "Whitespace": "words", "ByteLevel": "gpt2"}[kind]]


def is_byte_level(expected):
    return expected["pre_tokenizer"]["type"] in ("ByteLevel", "Sequence")


@cache
def hugging_face_run(name):
    expected = vector(name)
    options = expected["trainer"]
    specials = tuple(options.get("special_tokens", ()))
    config = TrainerConfig(
        base=Base.BYTES if is_byte_level(expected) else Base.CHARACTERS,
        marker=Marker.SUFFIX if "end_of_word_suffix" in options else Marker.NONE,
        vocab_size=options["vocab_size"],
        min_frequency=max(1, options.get("min_frequency", 0)),
        special_tokens=specials,
        unknown_token="<unk>" if "<unk>" in specials else None,
        unknown=Unknown.TOKEN if "<unk>" in specials else Unknown.KEEP,
    )
    pipeline = Pipeline(pre_tokenizer=pre_tokenizer(expected))
    alphabet = None if expected["deterministic"] else alphabet_as_given(expected, config)
    return record("\n".join(expected["training_texts"]), config, pipeline, alphabet)


def alphabet_as_given(expected, config):
    """Hugging Face numbers final letters in the order of a hash table, anew in each run."""
    vocab = expected["vocab_in_id_order"]
    tokens = {}
    for token_id, text in enumerate(vocab[: len(vocab) - len(expected["merges"])]):
        ends_word = text.endswith("</w>")
        tokens[token_id] = Token(text.removesuffix("</w>").encode(), ends_word, text in config.special_tokens)
    return Alphabet(config.base, config.marker, tokens)


def written(token, expected):
    """The token as Hugging Face writes it."""
    if is_byte_level(expected) and not token.special:
        return "".join(byte_stand_ins()[byte] for byte in token.content)
    return token.text().decode()


@pytest.fixture(params=HUGGING_FACE)
def hugging_face(request):
    return vector(request.param), hugging_face_run(request.param)


def test_word_counts_of_hugging_face(hugging_face):
    expected, recording = hugging_face
    words = {written(Token(word.encode()), expected): count for word, count in recording.word_counts.items()}

    assert words == expected["word_counts"]


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
        assert [[token.start, token.end] for token in tokens] == encoding["offsets"]
        assert tokenizer.decode(encoding["ids"]) == encoding["decoded"]


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
    pipeline = Pipeline(pre_tokenizer=custom(pattern or r"(?s).+"))  # no pattern: the whole text is one word
    recording = record(text, config, pipeline)

    assert [recording.token(merge.token_id).content.hex() for merge in recording] == expected["learned_tokens_hex"]
    if "merges_ids" in expected:
        assert [list(merge.pair) for merge in recording] == expected["merges_ids"]
    tokenizer = Tokenizer(recording)
    for encoding in expected["encodings"]:
        assert tokenizer.ids(encoding["text"]) == encoding["ids"]


def test_rustbpe_breaks_ties_by_id_when_ids_are_byte_values():
    expected = vector("23b_rustbpe_ties")
    pipeline = Pipeline(pre_tokenizer=custom(expected["pat_str"]))
    config = TrainerConfig(byte_order=ByteOrder.VALUE, tie_break=TieBreak.IDS, vocab_size=expected["vocab_size"])
    recording = record(expected["training_text"], config, pipeline)

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
    pipeline = Pipeline(pre_tokenizer=custom(job["pattern"]))
    counts = count(text, pipeline)
    assert (sum(counts.values()), len(counts)) == (job["chunk_total"], job["chunk_unique"])
    for rule, expected in job["results"].items():
        byte_order, tie_break = RULES[rule]
        config = TrainerConfig(byte_order=byte_order, tie_break=tie_break, merges=job["n_merges"])
        recording = record_words(counts, config, pipeline=pipeline)

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
