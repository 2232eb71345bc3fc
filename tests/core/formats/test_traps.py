"""Where naive readers and writers of these formats give other ids than the tools themselves, a small case each."""

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token, Unknown
from core.encoding_rules import EncodingRules
from core.errors import FormatError
from core.formats import FORMATS
from core.formats.opening import open_model
from core.formats.sentencepiece_model import Piece, Treatment
from core.merge import Merge
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.recording import Recording
from core.special_tokens import Specials
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig
from tests.core.formats.kinds import DATA, run
from tests.core.formats.piece_models import HEAD, model, processor, scored
from tests.core.runs import record

Json = dict[str, Any]
LETTERS = {"a": 0, "b": 1, "c": 2, "x": 3}
UNKNOWN = {"unk_token": "<unk>"}


def document(vocab: dict[str, int], merges: list[Any], specials: tuple[str, ...] = (), **options: Any) -> Json:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": 99, "content": text, "special": True, **flags} for text in specials]
    return {"added_tokens": added, "model": {"type": "BPE", "vocab": vocab, "merges": merges} | options}


def split(pattern: str) -> Json:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def written(content: Json, folder: Path) -> Path:
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def trained(text: str, pipeline: Pipeline, **options: Any) -> Recording:
    usual: Json = {"merges": 3, "special_tokens": ("<unk>",), "unknown_token": "<unk>"}
    return record(text, TrainerConfig(**usual | options), pipeline)


BYTES_IN_PART = LETTERS | {"<0xC3>": 4, "<0xA9>": 5, "<0xE4>": 6, "<unk>": 7}


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (document(LETTERS | {"ab": 4, "abc": 5}, ["ab c", "a b"]), {"abc": [5], "cab": [2, 4]}),
        (document(LETTERS | {"ab": 4, "aba": 5}, ["ab a", "a b"]), {"ababx": [5, 1, 3]}),
        (document(LETTERS | {"ab": 4, "bc": 5}, ["a b", "b c", "a b"]), {"abc": [0, 5]}),
        (document(LETTERS | {"ab": 4, "bc": 5, "abc": 6}, ["a b", "b c", "ab c", "a bc"]), {"abc": [6]}),
        (document(LETTERS, [], ("<s", "<s>")), {"a<s>b<sc": [0, 5, 1, 4, 2]}),
        (document(BYTES_IN_PART, [], **UNKNOWN, byte_fallback=True), {"é": [4, 5], "a中": [0, 7]}),
        (document({"a": 0, "<0xc3>": 1, "<0xa9>": 2, "<unk>": 3}, [], **UNKNOWN, byte_fallback=True), {"é": [3]}),
        (
            document({"a": 0, "<0xC3>": 1, "<0xA9>": 2, "<0xC3><0xA9>": 3}, ["<0xC3> <0xA9>"], byte_fallback=True),
            {"éa": [3, 0]},
        ),
        (
            document({"a": 0, "b</w>": 1, "ab</w>": 2, "<unk>": 3}, ["a b</w>"], **UNKNOWN, end_of_word_suffix="</w>"),
            {"ab": [2], "ba": [3, 3]},
        ),
        (
            document(
                {"a": 0, "b</w>": 1, "ab": 2, "c": 3, "d</w>": 4, "cd</w>": 5},
                [],
                end_of_word_suffix="</w>",
                ignore_merges=True,
            ),
            {"ab": [2], "cd": [3, 4]},
        ),
        (document(LETTERS | {"a\0": 4, "\0": 5}, ["a \0"]), {"a\0a": [4, 0]}),
        (
            document({"▁": 0, "h": 1, "i": 2, "▁h": 3, "▁hi": 4, "▁▁": 5}, ["▁ h", "▁h i", "▁ ▁"], ("<s>",))
            | {
                "normalizer": {
                    "type": "Sequence",
                    "normalizers": [
                        {"type": "Prepend", "prepend": "▁"},
                        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
                    ],
                }
            },
            {"<s> hi": [6, 0, 4], "hi<s>hi": [4, 6, 4], "  hi": [5, 4]},
        ),
        (
            document({"1": 0, "一": 1, "½": 2, "x": 3, "x一": 4, "x½": 5}, ["x 一", "x ½"])
            | {"pre_tokenizer": {"type": "Digits", "individual_digits": True}},
            {"x一x½1": [4, 3, 2, 0]},
        ),
        (
            document({"a": 0, "\x1c": 1, "\x85": 2, "a\x1c": 3, "a\x85": 4}, ["a \x1c", "a \x85"])
            | {"pre_tokenizer": {"type": "WhitespaceSplit"}},
            {"a\x1ca a\x85a": [3, 0, 0, 0]},
        ),
        (
            document({"²": 0, "a": 1, "\u200d": 2, "²a": 3, "a\u200d": 4}, ["² a", "a \u200d"])
            | {"pre_tokenizer": {"type": "Whitespace"}},
            {"²a\u200d": [0, 4]},
        ),
        (
            document({"²": 0, "a": 1, "\u200d": 2, "²a": 3, "a\u200d": 4}, ["² a", "a \u200d"])
            | {"pre_tokenizer": split(r"\w+")},
            {"²a\u200d": [3, 2]},
        ),
        (
            document({"1": 0, "11": 1, "1111": 2}, ["1 1", "11 11"]) | {"pre_tokenizer": split(r"\p{N}{1,3}+")},
            {"1111": [2]},
        ),
    ],
    ids=[
        "by rank and not in one pass",
        "one place at a time",
        "of two the last counts",
        "a token of two merges",
        "the longest added token",
        "not all bytes of a character",
        "bytes in small letters",
        "bytes are merged",
        "a letter that never ended a word",
        "whole words without their suffix",
        "NUL",
        "each stretch gets its own mark",
        "numerals that are no digits",
        "white space of Python alone",
        "word characters of Rust",
        "word characters of Oniguruma",
        "a repeat that is not possessive",
    ],
)
def test_a_tokenizer_json(content, ids, tmp_path):
    file = written(content, tmp_path)
    tokenizer = Tokenizer(open_model(file).recording)
    assert {text: tokenizer.ids(text) for text in ids} == ids
    library = pytest.importorskip("tokenizers").Tokenizer.from_file(str(file))
    assert {text: library.encode(text, add_special_tokens=False).ids for text in ids} == ids


def test_all_places_of_a_pair_at_once_in_subword_nmt(tmp_path):
    """The same list of merges as in the second case above."""
    codes = tmp_path / "codes"
    codes.write_text("#version: 0.2\nab a\na b\nx</w> y\n", encoding="utf-8")
    recording = open_model(codes).recording
    words = [recording.token(i) for i in Tokenizer(recording).ids("ababx ababa")]
    assert words == [
        *(Token(b"ab"), Token(b"ab"), Token(b"x", ends_word=True)),
        *(Token(b"ab"), Token(b"ab"), Token(b"a", ends_word=True)),
    ]
    apply_bpe = pytest.importorskip("subword_nmt.apply_bpe")
    with codes.open(encoding="utf-8") as lines:
        assert apply_bpe.BPE(lines).process_line("ababx ababa") == "ab@@ ab@@ x ab@@ ab@@ a"


def test_an_unknown_token_that_is_not_there_matters_only_when_it_is_needed(tmp_path):
    file = written(document(LETTERS | {"ab": 4}, ["a b"], **UNKNOWN), tmp_path)
    recording = open_model(file).recording
    assert Tokenizer(recording).ids("abc") == [4, 2]
    assert recording.imported
    assert "fails at an unknown character; here it is left out" in recording.imported.facts[0]
    library = pytest.importorskip("tokenizers").Tokenizer.from_file(str(file))
    assert library.encode("abc").ids == [4, 2]
    with pytest.raises(Exception, match="not found in the vocabulary"):
        library.encode("é")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (document(LETTERS | {"ab": 3}, ["a b"]), "model.vocab: the tokens 'x' and 'ab' both have the id 3"),
        (document(LETTERS | {"ab": 4}, ["a b", ["ab", "c"]]), "model.merges[1]: expected the same kind"),
        (document(LETTERS | {"a b": 4, "a ": 5}, ["a  b"]), "model.merges[0]"),
    ],
)
def test_contradictions_in_a_tokenizer_json(content, message, tmp_path):
    with pytest.raises(FormatError) as caught:
        open_model(written(content, tmp_path))
    assert message in str(caught.value)


def test_groups_of_a_pattern_capture_nothing_elsewhere(tmp_path):
    """`re.findall`, which minbpe uses, would give the groups and not the words."""
    words = Pipeline(pre_tokenizer=custom(r"([a-z])([0-9])?|\s+"))
    config = TrainerConfig(merges=2, byte_order=ByteOrder.VALUE)
    recording = record("a1 b2 a1", config, words)
    FORMATS["minbpe"].save(recording, 2, tmp_path / "x.model")
    assert (tmp_path / "x.model").read_text(encoding="utf-8").split("\n")[1] == r"(?:[a-z])(?:[0-9])?|\s+"
    FORMATS["tiktoken"].save(recording, 2, tmp_path / "x.tiktoken")
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["pattern"] == r"(?:[a-z])(?:[0-9])?|\s+"
    assert Tokenizer(FORMATS["minbpe"].load(tmp_path / "x.model")).ids("a1 b2") == [256, 32, 257]


def test_a_pattern_leaves_text_over(tmp_path):
    """Hugging Face keeps what no word is, tiktoken drops it; ours is written so that both give our ids."""
    recording = record("ab ab", TrainerConfig(merges=1), Pipeline(pre_tokenizer=custom("[a-z]+")))
    expected = Tokenizer(recording).ids("ab12ab")
    assert [recording.token(i).content for i in expected] == [b"ab", b"ab"]
    for name in ("huggingface", "tiktoken"):
        path = tmp_path / FORMATS[name].suggested_name
        FORMATS[name].save(recording, 1, path)
        assert Tokenizer(FORMATS[name].load(path)).ids("ab12ab") == expected
    pytest.importorskip("tokenizers")
    found = run(FORMATS["huggingface"].snippet(tmp_path / "tokenizer"))["tokenizer"]
    assert found.encode("ab12ab").ids == expected
    pytest.importorskip("tiktoken")
    assert run(FORMATS["tiktoken"].snippet(tmp_path / "bpe.tiktoken"))["encoding"].encode("ab12ab") == expected


class Trap:
    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (self.folder,)


def test_a_pickle_is_never_run(tmp_path):
    """nanochat's tokenizer.pkl is one."""
    file = tmp_path / "tokenizer.pkl"
    file.write_bytes(pickle.dumps(Trap(str(tmp_path / "made"))))
    for path in (file, tmp_path):
        with pytest.raises(FormatError, match="no tokenizer"):
            open_model(path)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("steps", [("prepend_metaspace",), ("nmt_nfkc", "prepend_metaspace")])
def test_sentencepiece_on_marks_control_characters_and_names_of_special_tokens(steps, tmp_path):
    pytest.importorskip("sentencepiece")
    pipeline = Pipeline(Normalizer.named(*steps), PRE_TOKENIZERS["none"])
    recording = trained(
        "ab ab a", pipeline, base=Base.CHARACTERS, marker=Marker.METASPACE, unknown=Unknown.BYTES, merges=3
    )
    FORMATS["sentencepiece"].save(recording, 3, tmp_path / "x.model")
    library = run(FORMATS["sentencepiece"].snippet(tmp_path / "x.model"))["tokenizer"]
    tokenizer = Tokenizer(recording)
    assert tokenizer.ids("a▁b") == tokenizer.ids("a b")
    for text in ("a\0b", "\0", "a▁b", "▁", "日日", "<unk>", "a\ufeffb", "a\u2028b", "a\u200cb", "  a  b ", "a\r\nb"):
        assert library.encode(text) == tokenizer.ids(text, Specials.AS_TEXT), text


def test_unknown_characters_in_a_row_are_one_unknown_token_in_sentencepiece(tmp_path):
    pytest.importorskip("sentencepiece")
    pipeline = Pipeline(Normalizer.named("prepend_metaspace"), PRE_TOKENIZERS["none"])
    recording = trained("ab a", pipeline, base=Base.CHARACTERS, marker=Marker.METASPACE, unknown=Unknown.FUSE, merges=1)
    FORMATS["sentencepiece"].save(recording, 1, tmp_path / "x.model")
    library = run(FORMATS["sentencepiece"].snippet(tmp_path / "x.model"))["tokenizer"]
    unknown = recording.unknown_id
    assert Tokenizer(recording).ids("a日日b日").count(unknown) == 2
    ids = library.encode("a日日b日")
    assert ids == Tokenizer(recording).ids("a日日b日")
    assert library.decode(ids) == Tokenizer(recording).decode(ids) == "a<unk>b<unk>"


def test_a_row_of_spaces_at_which_tiktoken_s_stack_overflows():
    recording = open_model(DATA / "formats" / "cl100k_1200.tiktoken").recording
    ids = Tokenizer(recording).ids(" " * 300_000)
    assert (len(ids), len(set(ids))) == (9_375, 1)
    assert recording.token(ids[0]).content == b" " * 32


def test_rows_of_spaces_whose_pieces_have_one_score_go_out_to_hugging_face_unchanged(tmp_path):
    """As in Mistral's models: the pieces of two to four spaces are equal, and SentencePiece takes the leftmost."""
    pytest.importorskip("sentencepiece")
    library = pytest.importorskip("tokenizers")
    spaces = [Piece("▁" * count, -1.0) for count in (2, 3, 4)]
    data = model(
        [*HEAD, Piece("▁a", 0.0), *spaces, *scored("▁", "a", first=-9)],
        Treatment("identity", remove_extra_whitespaces=False),
    )
    (tmp_path / "m.model").write_bytes(data)
    recording = open_model(tmp_path / "m.model").recording
    assert len(recording.rules.tied) == 2
    FORMATS["huggingface"].save(recording, len(recording), tmp_path / "tokenizer")
    theirs = library.Tokenizer.from_file(str(tmp_path / "tokenizer" / "tokenizer.json"))
    for count in range(40):
        text = " " * count + "a" + " " * (count // 2)
        assert theirs.encode(text).ids == processor(data).encode(text), count


def test_tiktoken_joins_what_no_merge_of_the_file_joins(tmp_path):
    """Llama 3 as tokenizer.json: a token without a merge is found as a whole word only."""
    values = {value: Token(bytes([value])) for value in range(256)}
    orphan = {256: Token(b"ab"), 257: Token(b"abc")}
    recording = Recording(
        Alphabet(Base.BYTES, Marker.NONE, values), vocabulary=orphan, rules=EncodingRules(whole_pieces=True)
    )
    recording.append(Merge(0, 97, 98, 256))
    (message,) = (f.message for f in FORMATS["tiktoken"].preflight(recording, 1) if "No merge makes" in f.message)
    assert message.startswith("No merge makes the token 257, 'abc': here only a whole word is such a token")
    FORMATS["tiktoken"].save(recording, 1, tmp_path / "x.tiktoken")
    theirs = Tokenizer(FORMATS["tiktoken"].load(tmp_path / "x.tiktoken"))
    assert Tokenizer(recording).ids("abcab") == [256, 99, 256]
    assert theirs.ids("abcab") == [257, 256]
