"""tokenizer.json: the real library agrees on everything, and what it cannot do is said beforehand."""

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, Marker, Unknown
from core.encoding_rules import Encoder
from core.errors import FormatError
from core.formats import FORMATS, export, self_test
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from core.trainer import Score, TrainerConfig
from tests.core.formats.kinds import (
    CHARACTERS,
    KINDS,
    assert_same,
    hugging_face,
    kind,
    messages,
    probes,
    refusals,
    run,
    saved,
    steps,
    written,
)
from tests.core.runs import record

HF = FORMATS["huggingface"]
# Every class of character that engines treat in ways of their own, and neighbours that interact. Code points younger
# than Unicode 14 are left out: there the answer depends on the library's version.
HARD = st.text(
    st.sampled_from(
        "abzABZ019 \t\n\r\x0b\x0c\x00\x1c\x85\xa0\u2028\u2029\u200b\u200d\ufeff\u3000'’.,!-_~&[]<>|/sdwtmlrveſKßİΣςσ"
        "ée\u0301\u0300ñ²½Ⅷ٣०中文日本カナ한각\u1112\u1161\u11abไทยक्षिא\u05b0ع😀👩🏽\ufe0f🇩🇪\ue000\ue001\uffff\U0010ffff</w>"
    ),
    max_size=40,
)


@pytest.mark.parametrize("name", KINDS)
def test_the_library_gives_the_same_ids_and_text_at_every_step(name, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    recording = kind(name)
    for step in steps(recording):
        path = written(recording, step, "huggingface", tmp_path)
        library = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))
        assert_same(recording, step, hugging_face(library), probes(name), HF.encoder(recording))


@pytest.mark.parametrize("name", KINDS)
def test_the_library_agrees_on_random_hard_text(name, tmp_path_factory):
    tokenizers = pytest.importorskip("tokenizers")
    recording = kind(name)
    path = saved(recording, len(recording), "huggingface", tmp_path_factory.mktemp("hf"))
    library = hugging_face(tokenizers.Tokenizer.from_file(str(path / "tokenizer.json")))

    @settings(max_examples=40)
    @given(HARD)
    def agrees(text):
        assert_same(recording, len(recording), library, [text], HF.encoder(recording))

    agrees()


@pytest.mark.parametrize("name", ["bytes gpt2", "suffix whitespace", "symbol words", "characters words lowercase"])
def test_special_tokens_can_be_text_there_too(name, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    recording = kind(name)
    library = tokenizers.Tokenizer.from_file(str(saved(recording, 100, "huggingface", tmp_path) / "tokenizer.json"))
    library.encode_special_tokens = True
    for text in ("<s>", "a <s>b<|endoftext|>"):
        expected = [t.token_id for t in Tokenizer(recording, 100).encode(text, Specials.AS_TEXT)]
        assert library.encode(text, add_special_tokens=False).ids == expected


@pytest.mark.parametrize(
    "name",
    [
        "bytes cl100k", "suffix whitespace", "symbol lines", "characters gpt2", "characters words lowercase",
        "wordpiece words", "wordpiece kept", "metaspace", "metaspace llama2", "continuing incomplete", "bytes tidy",
    ],
)  # fmt: skip
def test_transformers_loads_the_folder(name, tmp_path):
    transformers = pytest.importorskip("transformers")
    recording = kind(name)
    library = transformers.AutoTokenizer.from_pretrained(str(saved(recording, len(recording), "huggingface", tmp_path)))

    def encode(text):
        ids = library.encode(text, add_special_tokens=False)
        return ids, library.decode(ids)

    assert_same(recording, len(recording), encode, probes(name), HF.encoder(recording))


def test_the_snippet_runs_as_it_is(tmp_path):
    pytest.importorskip("tokenizers")
    recording = kind("suffix whitespace")
    path = saved(recording, 50, "huggingface", tmp_path)
    assert_same(recording, 50, hugging_face(run(HF.snippet(path))["tokenizer"]), probes())


def test_the_file_written_out(tmp_path):
    config = TrainerConfig(
        base=Base.CHARACTERS, marker=Marker.SUFFIX, special_tokens=("<unk>",), unknown_token="<unk>",
        unknown=Unknown.TOKEN, complete_alphabet=False, merges=2,
    )  # fmt: skip
    recording = record("low low lot", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    HF.save(recording, 2, tmp_path / "new")
    assert json.loads((tmp_path / "new" / "tokenizer.json").read_text(encoding="utf-8")) == {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": 0, "content": "<unk>", "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True,
            }
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
            "end_of_word_suffix": "</w>", "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": {
                "<unk>": 0, "l": 1, "o": 2, "t": 3, "w": 4, "t</w>": 5, "w</w>": 6, "lo": 7, "low</w>": 8,
            },
            "merges": ["l o", "lo w</w>"],
        },
    }  # fmt: skip
    assert json.loads((tmp_path / "new" / "tokenizer_config.json").read_text(encoding="utf-8")) == {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": 10**30,
        "unk_token": "<unk>",
    }


def test_what_was_saved_reads_back_as_the_same_recording(tmp_path):
    for name in KINDS:
        recording = kind(name)
        again = HF.load(written(recording, min(9, len(recording)), "huggingface", tmp_path))
        assert [(m.left, m.right, m.token_id) for m in again] == [
            (m.left, m.right, m.token_id) for m in list(recording)[:9]
        ]
        assert again.alphabet.tokens == recording.alphabet.tokens
        assert again.alphabet.marker == recording.alphabet.marker
        assert again.config.byte_order == recording.config.byte_order
        assert again.config.marker_text == recording.config.marker_text
        assert again.config.score == recording.config.score
        assert again.unknown_id == recording.unknown_id
        assert again.pipeline.normalizer.names == recording.pipeline.normalizer.names
        words, read = recording.pipeline.pre_tokenizer, again.pipeline.pre_tokenizer
        assert (read.digits, read.punctuation) == (words.digits, words.punctuation)
        assert read.name == ("cl100k" if words.name == "llama3" else words.name)
        assert (again.decoder, again.added_tokens) == (None, ())


@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        ("characters kept", Unknown.KEEP),
        ("characters dropped", Unknown.DROP),
        ("characters gpt2", Unknown.TOKEN),
        ("characters none fused", Unknown.FUSE),
        ("characters bytes words", Unknown.BYTES),
        ("wordpiece kept", Unknown.KEEP),
        ("wordpiece words", Unknown.TOKEN),
        ("symbol kept", Unknown.KEEP),
    ],
)
def test_what_becomes_of_unknown_characters_is_read_back(name, unknown, tmp_path):
    assert HF.load(saved(kind(name), 5, "huggingface", tmp_path)).alphabet.unknown is unknown


def test_merges_are_lists_only_where_a_token_holds_a_space(tmp_path):
    with_spaces, without = kind("characters lines"), kind("characters words lowercase")
    for recording, expected in ((with_spaces, list), (without, str)):
        HF.save(recording, 300, tmp_path)
        merges = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))["model"]["merges"]
        assert {type(merge) for merge in merges} == {expected}
    assert any("0.20" in message for message in messages(with_spaces, "huggingface", "warning"))


@pytest.mark.parametrize("base", list(Base))
def test_a_merge_that_begins_like_a_version_line_is_not_lost(base, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    recording = record("#version: #version: #versions", TrainerConfig(base=base), pipeline)
    path = saved(recording, len(recording), "huggingface", tmp_path)
    library = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))
    assert_same(recording, len(recording), hugging_face(library), ["#version: #versions #v"])


def test_an_empty_tokenizer_is_a_valid_file(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    recording = record("", TrainerConfig(base=Base.CHARACTERS), Pipeline(pre_tokenizer=PRE_TOKENIZERS["words"]))
    path = saved(recording, 0, "huggingface", tmp_path)
    assert tokenizers.Tokenizer.from_file(str(path / "tokenizer.json")).encode("abc").ids == []


def test_a_marker_spelled_in_the_text_is_refused_with_advice():
    config = TrainerConfig(marker=Marker.SUFFIX, **CHARACTERS)
    recording = record("a</w> a</w> a</w>", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    (message,) = refusals(recording, "huggingface")
    assert "Choose another marker text, such as '</word>'" in message
    assert refusals(recording, "huggingface", step=0) == []


@pytest.mark.parametrize("format_name", ["huggingface", "gpt2"])
def test_a_special_token_spelled_like_another_token_is_refused(format_name):
    merged = record("the the the", TrainerConfig(special_tokens=("the",)))
    assert "'the'" in refusals(merged, format_name)[0]
    stand_in = record("é", TrainerConfig(special_tokens=("Ã",), merges=0))  # how the byte C3 is spelled
    assert "Ã" in refusals(stand_in, format_name)[0]
    a_byte = record("a b", TrainerConfig(special_tokens=(" ",), merges=0))
    assert "also the byte 20" in refusals(a_byte, format_name)[0]
    printable = record("a z", TrainerConfig(special_tokens=("z",), merges=0))
    assert refusals(printable, format_name) == []


def test_the_separate_marker_is_refused_where_it_cannot_be_placed():
    as_bytes = record("a b", TrainerConfig(marker=Marker.SYMBOL))
    assert "Train without a marker" in refusals(as_bytes, "huggingface")[0]
    gpt2 = record("a b", TrainerConfig(marker=Marker.SYMBOL, **CHARACTERS))
    assert "attached to the last letter" in refusals(gpt2, "huggingface")[0]
    assert any("U+E000" in message for message in messages(kind("symbol words"), "huggingface", "warning"))
    assert any("U+E002" in message for message in messages(kind("symbol private use"), "huggingface", "warning"))


def test_a_pattern_other_engines_do_not_know_is_refused(tmp_path):
    recording = record("a b", TrainerConfig(), Pipeline(pre_tokenizer=custom(r"\X+")))
    assert "\\X" in refusals(recording, "huggingface")[0]
    with pytest.raises(FormatError, match="which other tools' engines do not know"):
        export(recording, 0, HF, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_warnings_and_losses():
    def warned(recording, words):
        return any(words in message for message in messages(recording, "huggingface", "warning"))

    assert warned(kind("bytes lowercase nfc"), "transformers.js makes ς of a Σ")
    assert warned(kind("bytes own pattern"), "JavaScript")
    metaspace = TrainerConfig(**CHARACTERS | {"marker": Marker.METASPACE, "special_tokens": ("<unk>", "<▁>")})
    assert warned(record("a", metaspace, Pipeline(Normalizer.named("metaspace"))), "'<▁>' as text")
    assert warned(kind("wordpiece words"), "“Longest match” here")
    assert not warned(kind("wordpiece words"), "special token '<s>' becomes")
    assert warned(record("a", TrainerConfig(special_tokens=("éé",))), "'éé'")
    assert messages(kind("bytes gpt2"), "huggingface", "warning") == []
    assert any("Counts" in message for message in messages(kind("bytes gpt2"), "huggingface", "loss"))


def test_the_warning_about_decoded_special_tokens_is_true(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    recording = record("a", TrainerConfig(special_tokens=("éé",)))
    library = tokenizers.Tokenizer.from_file(str(saved(recording, 0, "huggingface", tmp_path) / "tokenizer.json"))
    assert library.decode([0], skip_special_tokens=False) == "\ufffd\ufffd"


def test_the_warning_about_a_missing_unknown_token_is_true(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    config = TrainerConfig(base=Base.CHARACTERS, marker=Marker.SUFFIX, complete_alphabet=False, merges=1)
    recording = record("ab ab", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    assert any("no unknown token" in message for message in messages(recording, "huggingface", "warning"))
    HF.save(recording, 1, tmp_path)
    library = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert Tokenizer(recording).ids("a?b") == [0, 2]
    assert library.encode("a?b").ids == [3]
    assert not self_test(recording, 1, HF, tmp_path, ["a?b"]).passed


def test_the_warning_about_special_tokens_that_a_normalizer_makes_is_true(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    config = TrainerConfig(**CHARACTERS | {"score": Score.WORDPIECE, "merges": 0})
    pipeline = Pipeline(Normalizer.named("lowercase"), PRE_TOKENIZERS["whitespace"])
    recording = record("<s> a", config, pipeline)
    warnings = messages(recording, "huggingface", "warning")
    assert any("turns into the special token '<s>' becomes that token" in message for message in warnings)
    library = tokenizers.Tokenizer.from_file(str(saved(recording, 0, "huggingface", tmp_path) / "tokenizer.json"))
    assert library.encode("<S>").ids == [1]
    assert Tokenizer(recording, encoder=Encoder.LONGEST_MATCH).ids("<S>") == [3, 6, 4]


def test_without_a_marker_what_stands_beside_an_unknown_character_stays_apart(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    recording = record("ab ab", TrainerConfig(base=Base.CHARACTERS, merges=1), Pipeline(pre_tokenizer=custom(r"\S+")))
    assert not any("unknown" in message for message in messages(recording, "huggingface", "warning"))
    library = tokenizers.Tokenizer.from_file(str(saved(recording, 1, "huggingface", tmp_path) / "tokenizer.json"))
    assert Tokenizer(recording).ids("a?b ab") == library.encode("a?b ab").ids == [0, 1, 2]


@pytest.mark.parametrize("form", ["nfc", "nfd", "nfkc", "nfkd"])
def test_normal_forms_know_no_more_than_the_library(form):
    theirs = getattr(pytest.importorskip("tokenizers.normalizers"), form.upper())()
    ours = Normalizer.named(form)
    everything = "\n".join(chr(code) for code in range(sys.maxunicode) if not 0xD800 <= code < 0xE000)
    assert ours.normalize(everything) == theirs.normalize_str(everything)


def _document(recording: Recording, tmp_path) -> dict:
    HF.save(recording, min(20, len(recording)), tmp_path)
    return json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("model", None, "tokenizer.json, model: expected an object, found null"),
        ("model.type", "Unigram", "model.type: this is a Unigram tokenizer. It has no merges"),
        ("model.type", "WordLevel", "model.type: this is a WordLevel tokenizer. It has no merges"),
        ("model.type", "WordPiece", "model.type: this is a WordPiece-only tokenizer, such as BERT's"),
        ("model.type", ["BPE"], 'model.type: expected "BPE", or "WordPiece" with merges that can be found again'),
        ("model.continuing_subword_prefix", "##", "expected null for a byte-level tokenizer; it is not supported"),
        ("model.unk_token", 3, "model.unk_token: expected a string or null, found 3"),
        ("model.byte_fallback", "yes", "model.byte_fallback: expected true or false"),
        ("model.vocab", [], "model.vocab: expected an object"),
        ("model.vocab.!", True, "model.vocab['!']: expected an id"),
        ("model.vocab.zz", 4, "both have the id 4"),
        ("model.merges", {}, "model.merges: expected a list"),
        ("model.merges", ["a b c"], "model.merges[0]: expected two tokens"),
        ("model.merges", [["a"]], "model.merges[0]: expected two tokens"),
        ("model.merges", [["a", 2]], "model.merges[0]: expected two tokens"),
        ("model.merges", [7], "model.merges[0]: expected two tokens"),
        ("model.merges", ["#version: 0.2", ["a", "b"]], "model.merges[1]: expected the same kind"),
        ("model.merges", ["Ġ ¡"], "model.merges[0]: 'Ġ¡' is not in the vocabulary"),
        ("added_tokens", {"a": 1}, "added_tokens: expected a list"),
        ("added_tokens", [{"content": ""}], "added_tokens[0]: expected an object"),
        ("added_tokens", [{"content": "<s>", "special": "no"}], "added_tokens[0].special: expected true or false"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_by_name(path, value, message, tmp_path):
    recording = kind("bytes gpt2") if path != "model.merges" else record("", TrainerConfig(merges=0))
    document = _document(recording, tmp_path)
    *parents, last = path.split(".")
    place = document
    for key in parents:
        place = place[key]
    place[last] = value
    (tmp_path / "tokenizer.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        HF.load(tmp_path)
    assert message in str(caught.value)


def test_added_tokens_outside_the_vocabulary_count_on_from_it(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    document = _document(record("low low lower", TrainerConfig(merges=3)), tmp_path)
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    document["added_tokens"] = [{"id": 7, "content": "<s>", "special": True, **flags}]
    (tmp_path / "tokenizer.json").write_text(json.dumps(document), encoding="utf-8")
    library = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert HF.load(tmp_path).alphabet.special_ids == {"<s>": library.token_to_id("<s>")}


def test_text_the_pattern_leaves_over_is_read_as_the_library_does(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    document = _document(kind("bytes cl100k"), tmp_path)
    document["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = r"\p{L}+|\p{N}"
    (tmp_path / "tokenizer.json").write_text(json.dumps(document), encoding="utf-8")
    library = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    read = HF.load(tmp_path)
    assert_same(read, len(read), hugging_face(library), [p for p in probes() if "\u0378" not in p])
