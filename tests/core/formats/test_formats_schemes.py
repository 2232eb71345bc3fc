"""tokenizer.json for WordPiece, metaspace, normalizers and unknown characters: the files written out, the limits."""

import base64
import json
import time
import unicodedata
from typing import Any

import pytest

from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.encoding_rules import Encoder
from core.formats import FORMATS
from core.formats.huggingface_code import code_of
from core.formats.huggingface_normalizer import nmt_nfkc_charsmap
from core.formats.huggingface_pipeline import Layout, normalizer_of
from core.merge import Merge
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, named
from core.recording import Recording
from core.text_cleaning import HtmlUnescape, PythonLowercase
from core.tokenizer import Specials, Tokenizer
from core.trainer import Score, TrainerConfig
from tests.core.formats.kinds import assert_same, hugging_face, kind, messages, probes, refusals, saved
from tests.core.runs import record

HF = FORMATS["huggingface"]


def characters(marker: Marker, unknown: Unknown = Unknown.TOKEN, **options: Any) -> TrainerConfig:
    base: dict[str, Any] = {"special_tokens": ("<unk>",), "unknown_token": "<unk>"}
    return TrainerConfig(Base.CHARACTERS, marker, unknown=unknown, **base | options)


def words(name: str, *normalizers: str, **options: Any) -> Pipeline:
    return Pipeline(Normalizer.named(*normalizers, **options), PRE_TOKENIZERS[name])


def document(recording: Recording, folder, step=None) -> dict[str, Any]:
    HF.save(recording, len(recording) if step is None else step, folder)
    return json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))


def library(folder):
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


def test_a_word_piece_file_written_out(tmp_path):
    config = characters(
        Marker.CONTINUING, score=Score.WORDPIECE, special_tokens=("[UNK]",), unknown_token="[UNK]",
        complete_alphabet=False, merges=3,
    )  # fmt: skip
    recording = record("hug hug pug", config, words("whitespace"))
    file = document(recording, tmp_path)
    assert file["model"] == {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 1_000_000_000,
        "vocab": {
            "[UNK]": 0, "g": 1, "h": 2, "p": 3, "u": 4, "##g": 5, "##u": 6, "hu": 7, "pu": 8, "hug": 9,
        },
    }  # fmt: skip
    assert file["decoder"] == {"type": "WordPiece", "prefix": "##", "cleanup": False}
    assert HF.encoder(recording) is Encoder.LONGEST_MATCH
    assert library(tmp_path).encode("hug pug hup").ids == [9, 8, 5, 0]


def test_the_merges_of_word_piece_come_back_from_the_vocabulary_alone(tmp_path):
    for name in (
        "wordpiece words",
        "wordpiece kept",
        "wordpiece symbol",
        "wordpiece without marker",
        "bytes wordpiece",
    ):
        recording = kind(name)
        again = HF.load(saved(recording, len(recording), "huggingface", tmp_path))
        assert [(m.left, m.right, m.token_id) for m in again] == [(m.left, m.right, m.token_id) for m in recording]


@pytest.mark.parametrize("name", ["wordpiece words", "wordpiece without marker"])
def test_the_model_word_piece_agrees_when_built_by_hand(name, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    recording = kind(name)
    document(recording, tmp_path)
    from_file = library(tmp_path)
    prefix = "##" if name == "wordpiece words" else ""
    by_hand = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            from_file.get_vocab(), unk_token="<unk>", max_input_chars_per_word=10**6, continuing_subword_prefix=prefix
        )
    )
    by_hand.normalizer, by_hand.pre_tokenizer = from_file.normalizer, from_file.pre_tokenizer
    by_hand.decoder = from_file.decoder
    by_hand.add_special_tokens([tokenizers.AddedToken(s, normalized=False) for s in recording.alphabet.special_ids])
    assert_same(recording, len(recording), hugging_face(by_hand), probes(name), Encoder.LONGEST_MATCH)


def test_bert_s_own_tokenizer_agrees_where_it_cuts_as_we_do(tmp_path):
    """BertPreTokenizer cuts at white space and at punctuation, and its decoder takes the spaces between words."""
    tokenizers = pytest.importorskip("tokenizers")
    config = characters(Marker.CONTINUING, score=Score.WORDPIECE, complete_alphabet=False, min_frequency=3, merges=300)
    pipeline = Pipeline(pre_tokenizer=named("whitespace", punctuation=True))
    recording = record(kind("wordpiece kept").corpus.text, config, pipeline)
    bert = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(document(recording, tmp_path)["model"]["vocab"], unk_token="<unk>")
    )
    bert.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    bert.decoder = tokenizers.decoders.WordPiece(prefix="##", cleanup=False)
    assert_same(recording, 300, hugging_face(bert), [kind("wordpiece kept").corpus.text[:9000]], Encoder.LONGEST_MATCH)


def test_a_word_longer_than_bert_allows_is_not_unknown(tmp_path):
    recording = record("a aa", characters(Marker.CONTINUING, score=Score.WORDPIECE, merges=1), words("whitespace"))
    document(recording, tmp_path)
    assert library(tmp_path).encode("a" * 300).ids == Tokenizer(recording, encoder=Encoder.LONGEST_MATCH).ids("a" * 300)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (characters(Marker.SUFFIX, score=Score.WORDPIECE), "no marker attached to the last letter"),
        (characters(Marker.CONTINUING, Unknown.DROP, score=Score.WORDPIECE), "can neither leave the character out"),
        (characters(Marker.NONE, Unknown.BYTES, score=Score.WORDPIECE), "nor write it in bytes"),
    ],
)
def test_what_word_piece_has_not_is_refused(config, message):
    assert message in " ".join(refusals(record("low low", config, words("whitespace")), "huggingface"))


def test_word_piece_without_rising_ids_is_refused():
    recording = Recording(
        Alphabet(Base.CHARACTERS, Marker.NONE, {i: Token(bytes([97 + i])) for i in range(3)}),
        TrainerConfig(Base.CHARACTERS, score=Score.WORDPIECE),
    )
    recording.extend([Merge(0, 0, 1, 9), Merge(1, 1, 2, 8)])
    assert any("the ids of these do not rise" in message for message in refusals(recording, "huggingface"))
    assert refusals(recording, "huggingface", step=1) == []


def test_llama_2_s_template(tmp_path):
    config = characters(Marker.METASPACE, Unknown.BYTES, merges=2)
    recording = record("ab ab", config, words("none", "prepend_metaspace"))
    file = document(recording, tmp_path)
    assert file["normalizer"] == {
        "type": "Sequence",
        "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ],
    }
    assert file["pre_tokenizer"] is None
    assert file["decoder"] == {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    }
    assert (file["model"]["byte_fallback"], file["model"]["fuse_unk"]) == (True, False)
    assert file["model"]["vocab"] == {
        "<unk>": 0, **{f"<0x{value:02X}>": 1 + value for value in range(256)}, "a": 257, "b": 258, "▁": 259,
        "ab": 260, "▁ab": 261,
    }  # fmt: skip
    assert library(tmp_path).encode(" abä").ids == [259, 261, 1 + 0xC3, 1 + 0xA4]


def test_spaces_that_the_alphabet_lacks_are_decoded_as_their_bytes_spell_them(tmp_path):
    config = characters(Marker.METASPACE, Unknown.BYTES, coverage=0.8)
    recording = record("aaaaaaaaa", config, words("none", "prepend_metaspace"))
    assert recording.alphabet.dropped == {"▁": 1}
    document(recording, tmp_path)
    ids = Tokenizer(recording).ids("a a")
    assert library(tmp_path).encode("a a").ids == ids
    assert library(tmp_path).decode(ids, skip_special_tokens=False) == Tokenizer(recording).decode(ids) == "▁a▁a"


def test_a_special_token_spelled_like_the_space_is_refused_beside_it():
    config = TrainerConfig(Base.CHARACTERS, Marker.METASPACE, special_tokens=("▁",), specials_last=True, merges=2)
    recording = record("ab ab", config, words("metaspace", "metaspace"))
    assert "The special token '▁' is spelled like a base symbol" in refusals(recording, "huggingface")[0]


@pytest.mark.parametrize("marker", [Marker.SUFFIX, Marker.CONTINUING])
def test_a_marker_that_is_a_space_comes_back(marker, tmp_path):
    recording = record("low low", TrainerConfig(Base.CHARACTERS, marker, marker_text=" "), words("whitespace"))
    document(recording, tmp_path)
    loaded = HF.load(tmp_path)
    assert list(loaded.tokens_at(len(loaded))) == list(recording.tokens_at(len(recording)))
    assert library(tmp_path).encode("low").ids == Tokenizer(recording).ids("low")


def test_metaspace_s_template(tmp_path):
    recording = record("ab ab", characters(Marker.METASPACE, merges=2), words("metaspace", "nfc", "metaspace"))
    file = document(recording, tmp_path)
    assert file["normalizer"] == {"type": "NFC"}
    assert file["pre_tokenizer"] == {
        "type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "prepend_scheme": "always", "split": True,
    }  # fmt: skip
    assert [step["type"] for step in file["decoder"]["decoders"]] == ["Fuse", "Replace", "Strip"]


def test_metaspace_where_other_steps_follow_and_digits_are_cut(tmp_path):
    pipeline = Pipeline(Normalizer.named("metaspace", "lowercase"), named("metaspace", digits="single"))
    file = document(record("Ab 12", characters(Marker.METASPACE), pipeline), tmp_path)
    assert file["normalizer"]["normalizers"] == [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"Regex": r"(?<![\s\S])▁(?=[ ▁])"}, "content": ""},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        {"type": "Lowercase"},
    ]
    assert [step["pattern"]["Regex"] for step in file["pre_tokenizer"]["pretokenizers"]] == [r"\p{N}", "▁[^▁]*|[^▁]+"]


def test_every_normalizer_written_out(tmp_path):
    pipeline = words(
        "gpt2", "nfd", "nfkd", "strip_accents", "strip", "collapse_whitespace", "numbers", "replace",
        number_token="<n>", replacements=(("a.b", "ab"), ("^x", "")),
    )  # fmt: skip
    file = document(record("a", TrainerConfig(), pipeline), tmp_path)
    assert [step.get("pattern", step["type"]) for step in file["normalizer"]["normalizers"]] == [
        "NFD",
        "NFKD",
        {"Regex": r"\p{M}+"},
        {"Regex": r"(?<![^\r\n])[^\S\r\n]+|(?<![^\S\r\n])[^\S\r\n]+(?![^\r\n])"},
        {"Regex": r"[^\S\r\n]+"},
        {"Regex": r"\p{N}+"},
        {"Regex": r"a[^\n]b"},
        {"Regex": r"(?<![^\n])x"},
    ]
    assert [step.get("content") for step in file["normalizer"]["normalizers"]][3:] == ["", " ", "<n>", "ab", ""]
    again = HF.load(tmp_path).pipeline.normalizer
    assert again.names == pipeline.normalizer.names
    assert again.normalize("x\n x  é12aXb ") == pipeline.normalizer.normalize("x\n x  é12aXb ") == "\n e<n>ab"


@pytest.mark.parametrize(
    ("replacements", "message"),
    [
        ([(r"\s", " ")], r"Replacement 1: The pattern '\\s' can match a line end"),
        ([("a", ""), (r"\X", "")], "Replacement 2: The pattern has, at character 2"),
        ([("a", "\n"), ("b", "")], "Replacement 1 puts line ends into the text"),
    ],
)
def test_a_replacement_that_the_library_would_do_otherwise_is_refused(replacements, message):
    recording = record("x", TrainerConfig(), words("gpt2", "replace", replacements=replacements))
    assert message in refusals(recording, "huggingface")[0]


def test_a_replacement_by_line_ends_is_fine_at_the_end(tmp_path):
    pipeline = words("gpt2", "replace", "strip", replacements=[("a", ""), ("b", "\n")])
    recording = record("x", TrainerConfig(), pipeline)
    saved(recording, 0, "huggingface", tmp_path)
    texts = ["x b y\n b", "b", "a ab\n\nba", ""]
    assert_same(recording, 0, hugging_face(library(tmp_path / "tokenizer")), texts)


def test_nmt_nfkc_is_sentencepiece_s_table(tmp_path):
    sentencepiece = pytest.importorskip("sentencepiece")
    recording = record("x", TrainerConfig(), words("gpt2", "nmt_nfkc"))
    steps = document(recording, tmp_path)["normalizer"]["normalizers"]
    assert [step["type"] for step in steps] == ["Replace", "Replace", "NFKC", "Precompiled", "Replace"]
    table = base64.b64decode(steps[3]["precompiled_charsmap"])
    assert table in sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto()
    assert len(table) == 240_007
    assert HF.load(tmp_path).pipeline == recording.pipeline
    prose = "Ａ①㍿ ﬁ½\u3000\u00a0x\ty\r\nz\x07\u200b\u2028é ệ ṩ 한국 각 ガ ｶﾞﾊﾟ ～~ हिन्दी ไทย ㋿ \ufeff\u200d"
    forms = [unicodedata.normalize(form, prose) for form in ("NFC", "NFD")]
    hard = [text for text in probes()[:60] if "\u0302\u0323" not in text and "\ufdd0" not in text]
    assert_same(recording, 0, hugging_face(library(tmp_path)), [prose, *forms, "", "\r\n", *hard])


def test_nmt_nfkc_changes_every_single_character_alike():
    pytest.importorskip("sentencepiece")
    tokenizers = pytest.importorskip("tokenizers")
    ours = Normalizer.named("nmt_nfkc")
    recording = record("x", TrainerConfig(), Pipeline(ours))
    names = {"normalizers": tokenizers.normalizers, "Regex": tokenizers.Regex, "charsmap": nmt_nfkc_charsmap()}
    theirs = eval(code_of(normalizer_of(Layout.of(recording)), "normalizers"), names)
    assigned = [
        chr(code) for code in (*range(0xD800), *range(0xE000, 0x32000)) if unicodedata.category(chr(code)) != "Co"
    ]
    assert [char for char in assigned if ours.normalize(char) != theirs.normalize_str(char)] == ["\ufdd0"]


def test_the_warning_about_nmt_nfkc_is_true(tmp_path):
    pytest.importorskip("sentencepiece")
    recording = record("x", TrainerConfig(), words("gpt2", "nmt_nfkc"))
    assert any(
        "a mark behind a character such as ﬁ" in message for message in messages(recording, "huggingface", "warning")
    )
    document(recording, tmp_path)
    ours, theirs = recording.pipeline.normalizer, library(tmp_path).normalizer
    assert (ours.normalize("ﬁ\u0301"), theirs.normalize_str("ﬁ\u0301")) == ("fi\u0301", "fí")
    assert (ours.normalize("\u0308\u05b0"), theirs.normalize_str("\u0308\u05b0")) == ("\u0308\u05b0", "\u05b0\u0308")


def test_another_table_of_characters_is_not_taken_for_it(tmp_path):
    pytest.importorskip("sentencepiece")
    file = document(record("x", TrainerConfig(), words("gpt2", "nmt_nfkc")), tmp_path)
    file["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(file), encoding="utf-8")
    loaded = HF.load(tmp_path)
    assert loaded.pipeline.normalizer.names == ()
    (fault,) = loaded.imported.not_applied
    assert "Precompiled" in fault


def test_what_hugging_face_cannot_mend_is_warned_of_and_left_out(tmp_path):
    normalizer = Normalizer((HtmlUnescape(), HtmlUnescape(), PythonLowercase()))
    recording = record("x", TrainerConfig(), Pipeline(normalizer, PRE_TOKENIZERS["gpt2"]))
    assert [
        text for text in messages(recording, "huggingface", "warning") if "html.unescape" in text or "ς" in text
    ] == [
        "Hugging Face has no normalizer for HTML's characters, such as &amp;: put texts through Python's html.unescape "
        "before they are encoded.",
        "Hugging Face makes σ of every Σ, where Python makes ς of one that ends a word, and it knows the capitals of "
        "another Unicode.",
    ]
    assert document(recording, tmp_path)["normalizer"] == {"type": "Lowercase"}
    theirs = library(tmp_path).normalizer
    assert (normalizer.normalize("&amp;Σ ΑΣ"), theirs.normalize_str("&amp;Σ ΑΣ")) == ("&σ ας", "&amp;σ ασ")


def test_of_ftfy_hugging_face_does_nfc(tmp_path):
    pytest.importorskip("ftfy")
    recording = record("x", TrainerConfig(), words("gpt2", "ftfy"))
    assert any("put texts through ftfy.fix_text" in text for text in messages(recording, "huggingface", "warning"))
    assert document(recording, tmp_path)["normalizer"] == {"type": "NFC"}


def test_steps_by_line_behind_nmt_nfkc_are_refused(tmp_path):
    pytest.importorskip("sentencepiece")
    for name in ("strip", "collapse_whitespace"):
        (message,) = refusals(record("x", TrainerConfig(), words("gpt2", "nmt_nfkc", name)), "huggingface")
        assert f"Put {name} before nmt_nfkc" in message
    fine = record("x", TrainerConfig(), words("gpt2", "strip", "nmt_nfkc", "lowercase", "numbers", "metaspace"))
    assert refusals(fine, "huggingface") == []
    document(fine, tmp_path, 0)
    assert_same(fine, 0, hugging_face(library(tmp_path)), [" A 1\n B\r\n\nｃ２ ", "\n", "x\u0000\ny"])


def test_merges_out_of_order_go_where_the_library_takes_them(tmp_path):
    tokens = {i: Token(bytes([97 + i])) for i in range(3)}
    recording = Recording(Alphabet(Base.CHARACTERS, Marker.NONE, tokens), TrainerConfig(Base.CHARACTERS))
    recording.extend([Merge(0, 0, 1, 3), Merge(1, 0, 1, 3)])
    assert refusals(recording, "huggingface") == []
    file = document(recording, tmp_path)
    assert file["model"]["merges"] == ["a b", "a b"]
    assert hugging_face(library(tmp_path))("abcab")[0] == [3, 2, 3]
    values = {value: Token(bytes([value])) for value in range(256)}
    recording = Recording(Alphabet(Base.BYTES, Marker.NONE, values), TrainerConfig())
    recording.extend([Merge(0, 0, 1, 256), Merge(1, 0, 1, 256)])
    assert "not in the order of training" in refusals(recording, "tiktoken")[0]


@pytest.mark.parametrize(
    ("text", "config", "message"),
    [
        (
            "the the the",
            TrainerConfig(special_tokens=("the",)),
            "'the' is spelled like a token that a merge makes, 'the', and",
        ),
        (
            "ab ab ab",
            characters(Marker.CONTINUING, special_tokens=("<unk>", "##b")),
            "'##b' is spelled like a base symbol, and",
        ),
        (
            "ab ab ab",
            characters(Marker.SUFFIX, special_tokens=("<unk>", "ab</w>")),
            "'ab</w>' is spelled like a token that a merge makes, and",
        ),
        (
            "ab",
            characters(Marker.NONE, Unknown.BYTES, special_tokens=("<unk>", "<0x41>")),
            "'<0x41>' is spelled like a base symbol",
        ),
        ("@ @", characters(Marker.SUFFIX, marker_text="@@"), "Behind the token '@' the marker '@@' could begin"),
        ("#### ####", characters(Marker.CONTINUING), "begins with the letters '##', which also mark a token inside"),
        ("<0x41> " * 9, characters(Marker.NONE, Unknown.BYTES), "'<0x41>', made of letters of the text"),
    ],
)
def test_tokens_that_would_be_spelled_alike_are_refused(text, config, message):
    recording = record(text, config, words("whitespace"))
    for name in ("huggingface", "gpt2"):
        assert message in " ".join(refusals(recording, name))


def test_a_marker_of_its_own_is_like_no_text(tmp_path):
    config = characters(Marker.SYMBOL, special_tokens=("<unk>", "low</w>", "lo</w>w"))
    recording = record("low low </w> l</w>ow", config, words("whitespace"))
    saved(recording, len(recording), "huggingface", tmp_path)
    texts = ["low low</w> lo</w>w l</w>ow </w>"]
    assert_same(recording, len(recording), hugging_face(library(tmp_path / "tokenizer")), texts)


@pytest.mark.parametrize("name", ["metaspace", "continuing words", "wordpiece words", "characters bytes words"])
def test_special_tokens_that_are_text_are_not_taken_for_tokens(name, tmp_path):
    recording = kind(name)
    document(recording, tmp_path)
    theirs = library(tmp_path)
    theirs.encode_special_tokens = True
    ours = Tokenizer(recording, encoder=HF.encoder(recording))
    for text in ("<s>", "a <s>b<|endoftext|>"):
        expected = [token.token_id for token in ours.encode(text, Specials.AS_TEXT)]
        assert theirs.encode(text, add_special_tokens=False).ids == expected


def test_a_letter_beside_the_marker_is_fine_where_they_cannot_run_into_one_another(tmp_path):
    recording = record("a<b <a </ab", characters(Marker.SUFFIX), words("whitespace"))
    saved(recording, len(recording), "huggingface", tmp_path)
    texts = ["a<b <a </ab b< a< b< </ </w"]
    assert_same(recording, len(recording), hugging_face(library(tmp_path / "tokenizer")), texts)


def test_the_warning_about_words_that_begin_with_the_marker_is_true(tmp_path):
    config = characters(Marker.CONTINUING, score=Score.WORDPIECE, complete_alphabet=False, merges=0)
    recording = record("# ba", config, words("whitespace"))
    warnings = messages(recording, "huggingface", "warning")
    assert any("begins with '##' is taken for the inside of a word" in message for message in warnings)
    saved(recording, 0, "huggingface", tmp_path)
    assert library(tmp_path / "tokenizer").encode("##a").ids == [recording.alphabet.id_of(b"a", continues=True)]
    assert Tokenizer(recording, encoder=Encoder.LONGEST_MATCH).ids("##a") == [0]
    assert not any("inside of a word" in m for m in messages(kind("wordpiece words"), "huggingface", "warning"))


def test_a_word_whose_first_letter_is_left_out_is_decoded_without_the_marker(tmp_path):
    recording = record("ab #b", characters(Marker.CONTINUING, Unknown.DROP, merges=0), words("whitespace"))
    saved(recording, 0, "huggingface", tmp_path)
    theirs = hugging_face(library(tmp_path / "tokenizer"))
    assert_same(recording, 0, theirs, ["?b ab", "##b a#b ?#", "a ?b", "?", "# ##"])
    assert theirs("?b ab")[1] == "b ab"


def test_bytes_of_unknown_characters_with_a_marker_of_its_own_are_right_but_for_one(tmp_path):
    recording = record("low", characters(Marker.SYMBOL, Unknown.BYTES), words("whitespace"))
    assert any("itself holds U+E000" in message for message in messages(recording, "huggingface", "warning"))
    saved(recording, len(recording), "huggingface", tmp_path)
    theirs, ours = hugging_face(library(tmp_path / "tokenizer")), Tokenizer(recording)
    assert_same(
        recording, len(recording), theirs, ["l中w low\ue001 é", *(text for text in probes() if "\ue000" not in text)]
    )
    assert theirs("\ue000")[0] != ours.ids("\ue000")


def test_what_javascript_does_otherwise_is_said():
    def said(name):
        return " ".join(m for m in messages(kind(name), "huggingface", "warning") if "In JavaScript" in m)

    assert "no marker inside words" in said("continuing words")
    assert "only after merging" in said("characters dropped")
    assert "joins unknown characters" in said("suffix fused")
    for name in ("wordpiece words", "metaspace", "characters gpt2", "metaspace llama2", "bytes wordpiece"):
        assert said(name) == ""


@pytest.mark.parametrize("marker", [Marker.CONTINUING, Marker.METASPACE, Marker.SUFFIX])
def test_preflight_of_large_vocabularies_of_characters_is_quick(marker):
    letters = [Token(chr(0x4E00 + i).encode(), continues=marker is Marker.CONTINUING) for i in range(6000)]
    tokens = {0: Token(b"<unk>", special=True), **dict(enumerate(letters, 1))}
    config = characters(marker)
    recording = Recording(Alphabet(Base.CHARACTERS, marker, tokens, Unknown.TOKEN), config, words("whitespace"))
    for rank in range(32_000):
        recording.append(Merge(rank, 1 + rank % 6000, 1 + rank // 6000, 6001 + rank))
    times = []
    for _ in range(3):
        start = time.perf_counter()
        HF.preflight(recording, len(recording))
        HF.preview(recording, len(recording))
        times.append(time.perf_counter() - start)
    assert min(times) < 0.15  # 0.05 s is the aim; the rest is for slow machines
