"""Any BPE tokenizer.json: the library and we give the same ids and the same text, and the file comes back as it was."""

import json
import lzma
import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, Token
from core.encoding_rules import Encoder, EncodingRules
from core.errors import FormatError
from core.formats import FORMATS, Severity, export
from core.formats.assembly import Model, assembled
from core.formats.huggingface_document import OUTSIDE
from core.formats.opening import open_model
from core.imported import Imported
from core.progress import without_progress
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from tests.core.formats.kinds import DATA
from tests.core.formats.test_formats_huggingface import HARD

HF = FORMATS["huggingface"]
Json = dict[str, Any]

TEXTS = (
    "",
    " ",
    "  ",
    "a",
    "low lower lowest",
    " low  lower",
    "the cat 'sat', 123 4567 on2 mat3!",
    "a\nb\n\nc\r\n d",
    "Hello WORLD naïve café ÀÉ",
    "中文字符 和 english",
    "x<s>y </s> z",
    " <s> low <s>",
    "<unk> abc <pad>low",
    "low<mask> er",
    "low <mask>er",
    "  <mask>  low",
    "THE<S> the",
    "don't I'LL \u2019s",
    "½²Ⅷ٣ 1a2",
    "e\u0301 \u0301 ﬁ ㎏",
    "▁low▁ ▁▁",
    "a_b-c d.e",
    "tab\tand\x0bmore\x00nul\x7f",
    "\u200b\ufeff\u2028x\u3000y\xa0z",
    "aaaaaaa",
    "abababab",
    "e</w> low</w>",
    "##low ##",
    "<0x41> <0x0A>",
    "👩🏽‍🚀🇩🇪",
    "ΟΔΟΣ İ ß",
    "lowlowlow <s><s>low",
    "1 12 123 1234 12345",
)
TRAINING = [
    "low lower lowest new newer the cat sat on the mat, 123 4567! Hello WORLD don't",
    "naïve café a_b-c ▁low ▁new abab aaaa x y z e\u0301",
] * 3


def _added(content: str, special: bool = True, **flags: bool) -> Json:
    usual = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": 0, "content": content, **usual, "special": special} | flags


def _regex(pattern: str, behavior: str = "Isolated", invert: bool = False) -> Json:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def _string(text: str, behavior: str, invert: bool = False) -> Json:
    return {"type": "Split", "pattern": {"String": text}, "behavior": behavior, "invert": invert}


def _replace(pattern: Json, new: str) -> Json:
    return {"type": "Replace", "pattern": pattern, "content": new}


def _normalizers(*steps: Json) -> Json:
    return {"type": "Sequence", "normalizers": list(steps)}


def _pre_tokenizers(*steps: Json) -> Json:
    return {"type": "Sequence", "pretokenizers": list(steps)}


def _decoders(*steps: Json) -> Json:
    return {"type": "Sequence", "decoders": list(steps)}


def _metaspace(**options: Any) -> Json:
    return {"type": "Metaspace", "replacement": "▁"} | options


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
ONLY_BYTES = BYTES | {"use_regex": False}
BERT = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
LLAMA = _normalizers({"type": "Prepend", "prepend": "▁"}, _replace({"String": " "}, "▁"))
LLAMA_DECODER = _decoders(
    _replace({"String": "▁"}, " "),
    {"type": "ByteFallback"},
    {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
)
SPECIALS = [_added("<s>"), _added("</s>"), _added("<unk>")]

# What each file has beside a vocabulary that the library trained with the same parts.
FILES: dict[str, Json] = {
    "nothing": {},
    "nfc": {"normalizer": {"type": "NFC"}},
    "nfd, accents": {"normalizer": _normalizers({"type": "NFD"}, {"type": "StripAccents"})},
    "nfkd": {"normalizer": {"type": "NFKD"}},
    "lowercase": {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"}},
    "replace text": {"normalizer": _replace({"String": "low"}, "HIGH")},
    "replace line ends": {"normalizer": _replace({"String": "\n"}, " ⏎ ")},
    "replace pattern": {"normalizer": _replace({"Regex": r"\s+"}, " ")},
    "replace nothing": {"normalizer": _replace({"Regex": r"(?=\d)"}, "#")},
    "replace at lines": {"normalizer": _normalizers(_replace({"Regex": "^"}, ">"), _replace({"Regex": "$"}, "<"))},
    "prepend": {"normalizer": {"type": "Prepend", "prepend": "xy"}},
    "strip": {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": True}},
    "strip left": {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": False}},
    "bert": {"normalizer": BERT, "pre_tokenizer": {"type": "BertPreTokenizer"}},
    "bert with accents": {"normalizer": BERT | {"strip_accents": False, "clean_text": False}},
    "bert without accents": {"normalizer": BERT | {"strip_accents": True, "lowercase": False}},
    "nmt": {"normalizer": {"type": "Nmt"}},
    "bytes": {"pre_tokenizer": BYTES, "decoder": BYTES},
    "bytes with a space": {"pre_tokenizer": BYTES | {"add_prefix_space": True}, "decoder": BYTES},
    "bytes as a normalizer": {"normalizer": {"type": "ByteLevel"}, "decoder": BYTES},
    "bytes behind a pattern": {
        "pre_tokenizer": _pre_tokenizers(_regex(r"\p{N}{1,3}+|\p{L}+"), ONLY_BYTES),
        "decoder": BYTES,
    },
    "bytes behind digits": {
        "pre_tokenizer": _pre_tokenizers({"type": "Digits", "individual_digits": True}, BYTES),
        "decoder": BYTES,
    },
    "bytes behind four": {
        "pre_tokenizer": _pre_tokenizers(
            _regex(r"\p{N}{1,3}"), _regex("[一-龥]+"), _regex(r"[!-/]|\s+(?!\S)|\s+| ?\p{L}+", "Isolated"), ONLY_BYTES
        ),
        "decoder": BYTES,
    },
    "bytes with a suffix": {
        "pre_tokenizer": _pre_tokenizers(_regex(r"\S+", "Removed", True), ONLY_BYTES),
        "model": {"end_of_word_suffix": "</w>", "unk_token": "<unk>"},
    },
    "empty affixes": {
        "pre_tokenizer": BYTES,
        "decoder": BYTES,
        "model": {"end_of_word_suffix": "", "continuing_subword_prefix": ""},
    },
    "whitespace": {"pre_tokenizer": {"type": "Whitespace"}},
    "whitespace split": {"pre_tokenizer": {"type": "WhitespaceSplit"}},
    "punctuation": {"pre_tokenizer": {"type": "Punctuation", "behavior": "Isolated"}},
    "punctuation removed": {"pre_tokenizer": {"type": "Punctuation", "behavior": "Removed"}},
    "punctuation contiguous": {"pre_tokenizer": {"type": "Punctuation", "behavior": "Contiguous"}},
    "punctuation with previous": {"pre_tokenizer": {"type": "Punctuation", "behavior": "MergedWithPrevious"}},
    "punctuation with next": {"pre_tokenizer": {"type": "Punctuation", "behavior": "MergedWithNext"}},
    "digits": {"pre_tokenizer": {"type": "Digits", "individual_digits": False}},
    "digits one by one": {"pre_tokenizer": {"type": "Digits", "individual_digits": True}},
    "delimiter": {"pre_tokenizer": {"type": "CharDelimiterSplit", "delimiter": "e"}},
    "two whitespaces": {
        "pre_tokenizer": _pre_tokenizers({"type": "WhitespaceSplit"}, {"type": "Punctuation", "behavior": "Isolated"})
    },
    "split text": {"pre_tokenizer": _string(" ", "MergedWithNext")},
    "split text inverted": {"pre_tokenizer": _string("lo", "Removed", True)},
    "split removed": {"pre_tokenizer": _regex(r"\w", "Removed")},
    "split with previous inverted": {"pre_tokenizer": _regex(r"\d", "MergedWithPrevious", True)},
    "split where numbers begin": {"pre_tokenizer": _regex(r"(?=(\d{3})+(?!\d))", "Isolated")},
    "split at words": {"pre_tokenizer": _regex(r"\b", "Isolated")},
    "split ignoring case": {"pre_tokenizer": _regex(r"a(?i)b|LOW", "Isolated")},
    "split possessive": {"pre_tokenizer": _regex(r"\d{2}+|\h{3}?|[a-z]*+", "Isolated")},
    "metaspace": {
        "pre_tokenizer": _metaspace(prepend_scheme="always", split=True),
        "decoder": _metaspace(prepend_scheme="always", split=True),
    },
    "metaspace, old": {
        "pre_tokenizer": _metaspace(add_prefix_space=True),
        "decoder": _metaspace(add_prefix_space=True),
    },
    "metaspace first": {
        "pre_tokenizer": _metaspace(prepend_scheme="first", split=True),
        "decoder": _metaspace(prepend_scheme="first", split=True),
    },
    "metaspace never": {
        "pre_tokenizer": _metaspace(prepend_scheme="never", split=False),
        "decoder": _metaspace(prepend_scheme="never", split=False),
    },
    "metaspace of another mark": {"pre_tokenizer": _metaspace(replacement="_", prepend_scheme="always", split=True)},
    "llama": {
        "normalizer": LLAMA,
        "decoder": LLAMA_DECODER,
        "model": {"byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"},
    },
    "suffix": {
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
        "model": {"end_of_word_suffix": "</w>", "unk_token": "<unk>"},
    },
    "prefix": {
        "pre_tokenizer": {"type": "Whitespace"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"continuing_subword_prefix": "##", "unk_token": "<unk>"},
    },
    "unknown fused": {"model": {"unk_token": "<unk>", "fuse_unk": True}},
    "unknown": {"model": {"unk_token": "<unk>"}},
    "whole pieces": {"pre_tokenizer": {"type": "Whitespace"}, "model": {"ignore_merges": True}},
    "decoder replaces": {"decoder": _decoders(_replace({"Regex": "[aeiou]"}, "-"), {"type": "Fuse"})},
    "decoder strips": {"decoder": {"type": "Strip", "content": "l", "start": 1, "stop": 0}},
    "added, not special": {"added_tokens": [_added("low", False), _added("<mask>", False), *SPECIALS]},
    "added, normalized": {
        "normalizer": {"type": "Lowercase"},
        "added_tokens": [_added("<S>", normalized=True), _added("LOW", False, normalized=True)],
    },
    "added, normalized with a prefix": {
        "normalizer": LLAMA,
        "decoder": LLAMA_DECODER,
        "added_tokens": [_added("low", False, normalized=True), _added("<s>")],
    },
    "added, stripping": {
        "added_tokens": [
            _added("<mask>", lstrip=True),
            _added("<s>", rstrip=True),
            _added("</s>", lstrip=True, rstrip=True),
        ]
    },
    "added, single words": {
        "added_tokens": [_added("low", False, single_word=True), _added("<mask>", single_word=True)]
    },
    "added, letters and tokens": {
        "added_tokens": [_added("a"), _added("e", False), _added("lo", False), _added("low")]
    },
    "added, bytes": {
        "pre_tokenizer": BYTES,
        "decoder": BYTES,
        "added_tokens": [_added("é"), _added("Ġ", False), _added("low"), _added("中文")],
    },
    "added overlapping": {"added_tokens": [_added("<s"), _added("<s>"), _added("<s><s>"), _added("s>l")]},
    "post-processor": {
        "pre_tokenizer": BYTES,
        "decoder": BYTES,
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": ["</s>", 1],
            "cls": ["<s>", 0],
            "trim_offsets": True,
            "add_prefix_space": False,
        },
    },
}
PLAIN = {
    "type": "BPE",
    "dropout": None,
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "ignore_merges": False,
}


def _is_by_bytes(parts: Json) -> bool:
    return '"ByteLevel"' in json.dumps([parts.get("normalizer"), parts.get("pre_tokenizer")])


def _document(name: str) -> Json:
    """The file, its vocabulary trained by the library."""
    tokenizers = pytest.importorskip("tokenizers")
    parts = FILES[name]
    affixes = {key: value for key, value in parts.get("model", {}).items() if key.startswith(("end", "continuing"))}
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=150,
        special_tokens=["<s>", "</s>", "<unk>"],
        show_progress=False,
        initial_alphabet=list("abcdefghijklmnopqrstuvwxyz" + ("ĠĊé" if _is_by_bytes(parts) else " \n</w>#▁")),
        **{key: value for key, value in affixes.items() if value},
    )
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": SPECIALS,
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
    }
    document |= {key: value for key, value in parts.items() if key not in ("model", "added_tokens", "post_processor")}
    bare = document | {"added_tokens": [], "model": PLAIN | {"vocab": {}, "merges": []}}
    library = tokenizers.Tokenizer.from_str(json.dumps(bare))
    library.train_from_iterator(TRAINING, trainer)
    model = json.loads(library.to_str())["model"]
    vocab: dict[str, int] = model["vocab"]
    if parts.get("model", {}).get("byte_fallback"):
        vocab |= {f"<0x{value:02X}>": len(vocab) + value for value in range(256)}
    model |= PLAIN | parts.get("model", {}) | {"vocab": vocab, "merges": model["merges"]}
    return (
        document
        | {"added_tokens": parts.get("added_tokens", SPECIALS), "model": model}
        | {key: value for key, value in parts.items() if key == "post_processor"}
    )


def _written(document: Json, folder: Path) -> Path:
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return file


def _library(file: Path) -> Any:
    return pytest.importorskip("tokenizers").Tokenizer.from_file(str(file))


def _assert_same(recording: Recording, library: Any, texts: Any) -> None:
    tokenizer = Tokenizer(recording)
    for specials, as_text in ((Specials.MATCH, False), (Specials.AS_TEXT, True)):
        library.encode_special_tokens = as_text
        for text in texts:
            expected = library.encode(text, add_special_tokens=False).ids
            assert tokenizer.ids(text, specials) == expected, (text, specials)
            assert tokenizer.decode(expected) == library.decode(expected, skip_special_tokens=False), text


@pytest.mark.parametrize("name", FILES)
def test_the_library_gives_the_same_ids_and_text(name, tmp_path):
    file = _written(_document(name), tmp_path)
    recording = HF.load(file)
    _assert_same(recording, _library(file), TEXTS)
    imported = recording.imported
    assert imported
    assert imported.format == "huggingface"
    named = ("the post-processor RobertaProcessing, which adds <s> and </s>",) if name == "post-processor" else ()
    assert sorted(imported.not_applied) == sorted(named)


@pytest.mark.parametrize("name", FILES)
def test_hard_text_too(name, tmp_path):
    file = _written(_document(name), tmp_path)
    recording, library = HF.load(file), _library(file)

    @settings(max_examples=25, derandomize=True, database=None)
    @given(HARD)
    def agrees(text):
        _assert_same(recording, library, [text, "<s>" + text, text + " low<mask>"])

    agrees()


@pytest.mark.parametrize("name", FILES)
def test_it_is_written_again_as_it_was(name, tmp_path):
    document = _document(name)
    recording = HF.load(_written(document, tmp_path))
    HF.save(recording, len(recording), tmp_path / "again")
    again = json.loads((tmp_path / "again" / "tokenizer.json").read_text(encoding="utf-8"))
    model = again["model"]
    model["merges"] = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    assert again == document
    assert list(again) == list(document)
    _assert_same(recording, _library(tmp_path / "again" / "tokenizer.json"), TEXTS[:12])


PROBES = json.loads((DATA / "probes.json").read_text(encoding="utf-8"))["probes"]
MODELS = ("clip_256", "gpt_oss_300", "qwen3_500")


@pytest.mark.parametrize("name", MODELS)
def test_ids_and_text_of_pieces_of_real_tokenizers(name):
    tokenizer = Tokenizer(HF.load(DATA / "formats" / f"{name}.tokenizer.json"))
    expected = json.loads((DATA / "formats" / "expected" / f"{name}.json").read_text(encoding="utf-8"))["expected"]
    _assert_expected(tokenizer, expected)


def _assert_expected(tokenizer: Tokenizer, expected: Json) -> None:
    for probe in PROBES:
        wanted, text = expected[probe["id"]], probe["text"]
        assert tokenizer.ids(text, Specials.AS_TEXT) == wanted["ids"], probe["id"]
        special = wanted.get("special", wanted.get("ids_special"))
        assert special is None or tokenizer.ids(text) == special, probe["id"]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("claude_old", "claude_old/tokenizer.json.xz"),
        ("gpt_oss", "gpt_oss/tokenizer.json.xz"),
        ("mistral_v1", "mistral_v1/tokenizer.json"),
        ("qwen3", "qwen3/tokenizer.json.xz"),
    ],
)
def test_ids_of_real_tokenizers(name, file, shared_dir, tmp_path):
    packed = (shared_dir / "data" / "tokenizers" / file).read_bytes()
    (tmp_path / "tokenizer.json").write_bytes(lzma.decompress(packed) if file.endswith(".xz") else packed)
    path = shared_dir / "data" / "probes" / f"expected_{name}.json"
    expected = json.loads(path.read_text(encoding="utf-8"))
    _assert_expected(Tokenizer(HF.load(tmp_path)), {probe["id"]: probe for probe in expected["probes"]})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("merge_not_in_vocab", "model.merges[0]: 'Ġ' is not in the vocabulary"),
        ("truncated", "line 1, column 775: Unterminated string"),
    ],
)
def test_broken_files_name_their_fault(name, message):
    file = DATA / "formats" / f"broken_{name}.tokenizer.json"
    with pytest.raises(FormatError) as caught:
        HF.load(file)
    assert f"{file.name}, {message}" in str(caught.value)


LETTERS = "abcd"
TOKENS = st.text(LETTERS, min_size=1, max_size=5)


@st.composite
def _models(draw) -> Json:
    """Merges in any order, listed twice, several for one token, tokens without a merge, holes in the ids."""
    words = draw(st.lists(TOKENS, min_size=1, max_size=12))
    tokens = sorted({*LETTERS, *words, *(word[:place] for word in words for place in range(1, len(word)))})
    tokens = draw(st.permutations([*tokens, *{word[-2:] for word in words if len(word) > 1} - {*tokens}]))
    ids = draw(st.lists(st.integers(0, 60), min_size=len(tokens), max_size=len(tokens), unique=True))
    splits = [(w[:i], w[i:]) for w in tokens for i in range(1, len(w)) if w[:i] in tokens and w[i:] in tokens]
    merges = draw(st.lists(st.sampled_from(splits), max_size=15)) if splits else []
    return PLAIN | {
        "vocab": dict(zip(tokens, ids, strict=True)),
        "merges": ["#version: 0.2", *map(" ".join, merges)] if draw(st.booleans()) else [list(pair) for pair in merges],
        "ignore_merges": draw(st.booleans()),
    }


@settings(max_examples=300, derandomize=True, database=None)
@given(_models(), st.lists(st.text(LETTERS + "e ", max_size=14), max_size=5))
def test_any_list_of_merges_gives_the_library_s_ids(model, texts):
    tokenizers = pytest.importorskip("tokenizers")
    document = {"added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"}, "model": model}
    with TemporaryDirectory() as folder:
        file = _written(document, Path(folder))
        recording, library = HF.load(file), tokenizers.Tokenizer.from_file(str(file))
        _assert_same(recording, library, [*texts, *model["vocab"]])
        HF.save(recording, len(recording), Path(folder) / "again")
        again = json.loads((Path(folder) / "again" / "tokenizer.json").read_text(encoding="utf-8"))
    merges = [m.split(" ") if isinstance(m, str) else m for m in model["merges"] if not str(m).startswith("#version")]
    assert [merge.split(" ") for merge in again["model"].pop("merges")] == merges
    assert again == document | {"model": {key: value for key, value in model.items() if key != "merges"}}


def _facts(model: Json, tmp_path: Path, **parts: Any) -> tuple[str, ...]:
    imported = HF.load(_written({"model": model} | parts, tmp_path)).imported
    assert imported
    return imported.facts


def test_what_is_unusual_is_said(tmp_path):
    vocab = {"a": 0, "b": 1, "c": 5, "ab": 2, "abc": 3, "bc": 9}
    model = {"type": "BPE", "vocab": vocab, "merges": ["ab c", "a b", "a bc", "a b"]}
    assert _facts(model, tmp_path) == (
        "1 merge is listed again for a pair that has one already.",
        "1 merge makes a token that another merge makes too.",
        "1 token has no merge.",
        "4 ids below 10 stand for no token.",
    )
    lost = "The unknown token '<unk>' is not in the vocabulary."
    assert lost in " ".join(_facts(model | {"unk_token": "<unk>"}, tmp_path))


def test_a_model_without_a_type_is_bpe_if_it_has_merges(tmp_path):
    recording = HF.load(_written({"model": {"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}, tmp_path))
    assert Tokenizer(recording).ids("abba") == [2, 1, 0]


@pytest.mark.parametrize(
    ("part", "value", "named"),
    [
        ("model", {"dropout": 0.1}, "dropout of 0.1, which would leave out merges by chance"),
        ("truncation", {"max_length": 5}, "truncation of long texts"),
        ("padding", {"pad_id": 0}, "padding of short texts"),
        ("normalizer", {"type": "Nothing"}, "the normalizer Nothing"),
        ("normalizer", _replace({"Regex": "("}, "b"), "the normalizer Replace (The pattern has, at character 2"),
        ("normalizer", _replace({"Regex": r"(.)\1"}, "b"), "which other tools' engines do not know"),
        ("pre_tokenizer", {"type": "UnicodeScripts"}, "the pre-tokenizer UnicodeScripts"),
        ("pre_tokenizer", _regex("(a+)+b[[:alpha:]]"), "the pre-tokenizer Split (The pattern has"),
        ("pre_tokenizer", _regex("a", "Sideways"), "the pre-tokenizer Split with the behavior 'Sideways'"),
        (
            "pre_tokenizer",
            _pre_tokenizers({"type": "WhitespaceSplit"}, BYTES | {"add_prefix_space": True}),
            "the space that ByteLevel puts before every piece that another pre-tokenizer cut",
        ),
        (
            "pre_tokenizer",
            _pre_tokenizers(BYTES, {"type": "Digits", "individual_digits": True}),
            "that the pre-tokenizer Digits, behind ByteLevel, cuts some characters in two",
        ),
        ("decoder", {"type": "CTC"}, "the decoder CTC (There is no decoder 'CTC' here.)"),
        ("decoder", {"type": "Replace", "content": 3}, "the decoder Replace (The decoder Replace lacks a setting"),
        (
            "post_processor",
            {"type": "TemplateProcessing", "single": [], "special_tokens": {"<s>": {"id": "<s>"}}},
            "the post-processor TemplateProcessing, which adds <s>",
        ),
        ("post_processor", BYTES, ""),
    ],
)
def test_what_is_not_applied_is_named_and_kept(part, value, named, tmp_path):
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    document = {"added_tokens": [], "model": model} | ({} if part == "model" else {part: value})
    document["model"] = model | (value if part == "model" else {})
    recording = HF.load(_written(document, tmp_path))
    assert recording.imported
    assert [named in found for found in recording.imported.not_applied] == [True] * bool(named)
    HF.save(recording, 1, tmp_path / "again")
    assert json.loads((tmp_path / "again" / "tokenizer.json").read_text(encoding="utf-8")) == document


def test_added_tokens_have_the_ids_that_the_library_gives_them(tmp_path):
    vocab = {"a": 0, "<b>": 7, "c": 2}
    added = [_added("<x>"), _added("<b>"), _added("<y>"), _added("a"), _added("<x>", False), _added("<z>")]
    file = _written({"added_tokens": added, "model": PLAIN | {"vocab": vocab, "merges": []}}, tmp_path)
    library, recording = _library(file), HF.load(file)
    ids = {token.content: token.token_id for token in recording.looked_for}
    assert ids == {content: library.token_to_id(content) for content in ids}
    assert ids == {"<x>": 3, "<b>": 7, "<y>": 4, "a": 0, "<z>": 5}


def test_an_added_token_that_would_share_an_id_is_refused(tmp_path):
    model = PLAIN | {"vocab": {"a": 0, "b": 2}, "merges": []}
    with pytest.raises(FormatError, match=r"'<x>' is not in model.vocab and so gets the id 2.*which 'b' has already"):
        HF.load(_written({"added_tokens": [_added("<x>")], "model": model}, tmp_path))


def test_what_stands_beside_the_file_is_read_and_written_again(tmp_path):
    model = PLAIN | {"vocab": {"a": 0, "b": 1}, "merges": []}
    _written({"added_tokens": [_added("<s>")], "model": model}, tmp_path)
    more = {"content": "<tool>", "lstrip": False, "normalized": False, "rstrip": True, "single_word": False}
    config = {
        "bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}, "tokenizer_class": "LlamaTokenizerFast",
        "added_tokens_decoder": {"3": more | {"special": False}, "2": more | {"content": "<s>", "special": True}},
    }  # fmt: skip
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "special_tokens_map.json").write_text('{"pad_token": "<pad>"}', encoding="utf-8")
    recording = HF.load(tmp_path)
    assert recording.imported
    assert recording.imported.facts == (
        "The beginning of a text is <s>.", "The end of a text is </s>.", "The padding token is <pad>.",
    )  # fmt: skip
    assert Tokenizer(recording).ids("a<tool>  b<s>") == [0, 3, 1, 2]
    written = HF.save(recording, 0, tmp_path / "again")
    assert [path.name for path in written] == ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]
    assert json.loads(written[1].read_text(encoding="utf-8")) == config
    assert json.loads(written[2].read_text(encoding="utf-8")) == {"pad_token": "<pad>"}
    (tmp_path / "tokenizer_config.json").write_text("{", encoding="utf-8")
    assert "it was left out" in HF.load(tmp_path).imported.facts[0]


def _warnings(document: Json, tmp_path: Path) -> list[str]:
    recording = HF.load(_written({"model": PLAIN | {"vocab": {"a": 0}, "merges": []}} | document, tmp_path))
    return [f.message for f in HF.preflight(recording, len(recording)) if f.severity is Severity.WARNING]


def test_what_other_readers_make_of_the_same_file_is_said(tmp_path):
    assert _warnings({"pre_tokenizer": {"type": "WhitespaceSplit"}}, tmp_path) == []
    (message,) = _warnings({"pre_tokenizer": _pre_tokenizers({"type": "Whitespace"})}, tmp_path)
    assert "In JavaScript ids differ" in message
    (message,) = _warnings({"trained_by": "me", "also": 1}, tmp_path)
    assert message.endswith("this one has trained_by, also.")
    with pytest.raises(Exception, match="expected"):
        _library(tmp_path / "tokenizer.json")


def test_merges_are_strings_unless_a_token_holds_a_space(tmp_path):
    for vocab, merges, kind in (
        ({"a": 0, "b": 1, "ab": 2}, [["a", "b"]], str),
        ({"a": 0, " ": 1, "a ": 2}, [["a", " "]], list),
    ):
        recording = HF.load(_written({"model": PLAIN | {"vocab": vocab, "merges": merges}}, tmp_path))
        HF.save(recording, 1, tmp_path / "again")
        again = json.loads((tmp_path / "again" / "tokenizer.json").read_text(encoding="utf-8"))
        assert [type(merge) for merge in again["model"]["merges"]] == [kind]
        assert _library(tmp_path / "again" / "tokenizer.json").encode("".join(merges[0])).ids == [2]


def test_at_an_earlier_step_added_tokens_keep_their_ids(tmp_path):
    model = PLAIN | {"vocab": {"a": 0, "b": 1, "ab": 2, "aba": 3}, "merges": ["a b", "ab a"]}
    recording = HF.load(_written({"added_tokens": [_added("<s>")], "model": model}, tmp_path))
    HF.save(recording, 1, tmp_path / "again")
    library = _library(tmp_path / "again" / "tokenizer.json")
    assert library.encode("aba<s>").ids == Tokenizer(recording, 1).ids("aba<s>") == [2, 0, 4]


def test_merges_that_cannot_apply_yet_are_left_out(tmp_path):
    model = PLAIN | {"vocab": {"a": 0, "b": 1, "ab": 2, "aba": 3}, "merges": ["ab a", "a b"]}
    recording = HF.load(_written({"added_tokens": [], "model": model}, tmp_path))
    losses = [f.message for f in HF.preflight(recording, 1) if f.severity is Severity.LOSS]
    assert losses == ["1 of these merges have a part that only a later merge makes; they never apply and are left out."]
    HF.save(recording, 1, tmp_path / "again")
    library = _library(tmp_path / "again" / "tokenizer.json")
    assert library.encode("aba").ids == Tokenizer(recording, 1).ids("aba") == [0, 1, 0]


@pytest.mark.parametrize(("name", "count"), [("spm_bpe_900.model", 0), ("cl100k_1200.tiktoken", 0)])
def test_tokenizers_of_other_tools_give_their_ids_there(name, count, tmp_path):
    recording = open_model(DATA / "formats" / name).recording
    HF.save(recording, len(recording), tmp_path / "saved")
    library, tokenizer = _library(tmp_path / "saved" / "tokenizer.json"), Tokenizer(recording)
    library.encode_special_tokens = True
    texts = [probe["text"] for probe in PROBES]
    different = [
        text for text in texts
        if library.encode(text, add_special_tokens=False).ids != tokenizer.ids(text, Specials.AS_TEXT)
    ]  # fmt: skip
    assert len(different) == count


def test_by_token_rank_all_ways_to_split_a_token_are_merges(tmp_path):
    tokens = {i: Token(text.encode()) for i, text in enumerate(["a", "b", "c", "bc", "ab", "abc"])}
    model = Model(tokens, [(0, 1, 4), (4, 2, 5), (1, 2, 3)], Base.CHARACTERS, rules=EncodingRules(Encoder.TOKEN_RANK))
    recording = without_progress(assembled(model, Imported("tiktoken", "x.tiktoken")))
    HF.save(recording, 3, tmp_path / "saved")
    again = json.loads((tmp_path / "saved" / "tokenizer.json").read_text(encoding="utf-8"))
    assert again["model"]["merges"] == ["a b", "ab c", "b c"]
    late = Model(tokens, [(1, 2, 3), (0, 1, 4), (4, 2, 5)], Base.CHARACTERS, rules=EncodingRules(Encoder.TOKEN_RANK))
    recording = without_progress(assembled(late, Imported("tiktoken", "x.tiktoken")))
    HF.save(recording, 3, tmp_path / "saved")
    again = json.loads((tmp_path / "saved" / "tokenizer.json").read_text(encoding="utf-8"))
    assert again["model"]["merges"] == ["b c", "a b", "ab c", "a bc"]
    library = _library(tmp_path / "saved" / "tokenizer.json")
    for text in ("abc", "abcabc", "aabcc", "bcab"):
        assert library.encode(text).ids == Tokenizer(recording).ids(text)


@pytest.mark.parametrize(
    ("name", "is_warned"), [("LlamaTokenizer", True), ("GPT2TokenizerFast", True), ("Qwen2Tokenizer", False)]
)
def test_classes_of_transformers_that_do_not_follow_the_file(name, is_warned, tmp_path):
    shutil.copy(DATA / "formats" / "qwen3_500.tokenizer.json", tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}))
    recording = open_model(tmp_path).recording
    findings = FORMATS["huggingface"].preflight(recording, len(recording))
    assert any(f"names the class {name}" in finding.message for finding in findings) is is_warned


def test_added_tokens_that_later_merges_make_keep_their_ids(tmp_path):
    """As Gemma's for line ends, of which each longer one is merged from shorter ones."""
    document = _document("nothing") | {"added_tokens": [*SPECIALS, _added("lo", False), _added("aa", False)]}
    recording = HF.load(_written(document, tmp_path))
    done = export(recording, 0, HF, tmp_path / "early")
    assert done.self_test.passed
    assert [finding.message for finding in done.findings] == [
        "2 added tokens, such as 'lo', are made by later merges, but found in every text: they are in the vocabulary "
        "all the same."
    ]
    library = _library(tmp_path / "early" / "tokenizer.json")
    vocab = document["model"]["vocab"]
    expected = [vocab[token] for token in ("lo", "w", "aa", "t")]
    assert library.encode("lowaat", add_special_tokens=False).ids == expected
    assert Tokenizer(recording, 0).ids("lowaat") == expected
    kept = export(recording, 0, FORMATS["recording"], tmp_path / "early.bpe")
    assert kept.self_test.passed
    assert Tokenizer(open_model(tmp_path / "early.bpe").recording).ids("lowaat") == expected


def test_a_saved_recording_edited_by_hand_is_written_or_refused(tmp_path):
    recording = HF.load(_written(_document("nothing"), tmp_path))
    for nonsense in (None, -1, "x", [[]], [True, -1]):
        imported = replace(recording.imported, document=recording.imported.document | {OUTSIDE: nonsense})
        edited = replace(recording, imported=imported)
        HF.save(edited, 0, tmp_path / "again")
        assert (tmp_path / "again" / "tokenizer.json").is_file()
