"""minbpe's .model: ids as its two tokenizers give them, and every line that is wrong is named."""

import json
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
import regex

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token
from core.errors import FormatError
from core.formats import FORMATS
from core.formats.base import ReadOptions
from core.formats.opening import located, open_model
from core.loaded_merges import LoadedMerges
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.recording import Recording
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig
from tests.core.formats.kinds import alice, kind, messages, probes, refusals, run, saved, steps
from tests.core.runs import record

MINBPE = FORMATS["minbpe"]
VECTORS = Path(__file__).parents[2] / "data" / "vectors"
FITTING = {
    "gpt2": (),
    "cl100k": ("<s>",),
    "words": ("<|endoftext|>", "<s>"),
    "none": (),
    "qwen2": (),
}
"""Pre-tokenizers, each with special tokens."""


class PlainMinbpe:
    """What minbpe does with a file, told by its description: the pair learned first, at all its places, again."""

    def __init__(self, path):
        version, self.pattern, count, *lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        assert version == "minbpe v1"
        specials, merges = lines[: int(count)], lines[int(count) :]
        self.specials = {text: int(token_id) for text, token_id in (line.split() for line in specials)}
        self.merges = {tuple(map(int, line.split())): 256 + rank for rank, line in enumerate(merges)}

    def encode(self, text):
        if not self.specials:
            return self.encode_ordinary(text)
        parts = regex.split("(" + "|".join(map(regex.escape, self.specials)) + ")", text)
        return [
            i
            for part in parts
            for i in ([self.specials[part]] if part in self.specials else self.encode_ordinary(part))
        ]

    def encode_ordinary(self, text):
        words = regex.findall(self.pattern, text) if self.pattern else [text]
        return [i for word in words for i in self.encode_word(list(word.encode()))]

    def encode_word(self, ids):
        while known := [pair for pair in pairwise(ids) if pair in self.merges]:
            best, place, joined = min(known, key=self.merges.__getitem__), 0, []
            while place < len(ids):
                is_there = tuple(ids[place : place + 2]) == best
                joined.append(self.merges[best] if is_there else ids[place])
                place += 2 if is_there else 1
            ids = joined
        return ids


def loaded(folder, text, options=None):
    (folder / "bpe.model").write_bytes(text.encode())
    return MINBPE.load(folder / "bpe.model", options)


@pytest.mark.parametrize(("name", "words"), [("24a_minbpe_regex", "cl100k"), ("24b_minbpe_basic_overlap", "none")])
def test_its_own_files_give_its_own_ids(name, words, tmp_path):
    vector = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    (tmp_path / "theirs").write_bytes(vector["model_file"].encode())
    recording, format = open_model(tmp_path / "theirs")
    assert format is MINBPE
    assert recording.pipeline.pre_tokenizer == PRE_TOKENIZERS[words]
    assert [list(merge.pair) for merge in recording] == vector["merges_ids"]
    assert [merge.token_id for merge in recording] == list(range(256, vector["vocab_size"]))
    assert recording.is_monotone
    assert recording.config.byte_order is ByteOrder.VALUE
    tokenizer = Tokenizer(recording)
    assert vector["encodings"]
    for encoding in vector["encodings"]:
        assert tokenizer.ids(encoding["text"]) == encoding["ids"]


def fitting(words):
    config = TrainerConfig(byte_order=ByteOrder.VALUE, special_tokens=FITTING[words], specials_last=True, merges=200)
    return record(alice()[:9000], config, Pipeline(pre_tokenizer=PRE_TOKENIZERS[words]))


@pytest.mark.parametrize("words", ["o200k", *FITTING])
def test_what_is_written_gives_our_ids_in_minbpe(words, tmp_path):
    recording = fitting(words) if words in FITTING else kind("bytes o200k specials last")
    for step in steps(recording):
        path = saved(recording, step, "minbpe", tmp_path)
        theirs, ours = PlainMinbpe(path), Tokenizer(recording, step)
        for text in probes():
            assert theirs.encode(text) == ours.ids(text)
        again = MINBPE.load(path)
        assert [merge.pair for merge in again] == [recording[rank].pair for rank in range(step)]
        assert again.alphabet == recording.alphabet
        assert again.pipeline == recording.pipeline


def test_the_file_written_out(tmp_path):
    config = TrainerConfig(byte_order=ByteOrder.VALUE, special_tokens=("<s>",), specials_last=True, merges=2)
    recording = record("low low", config)
    path = saved(recording, 2, "minbpe", tmp_path)
    assert path.read_bytes() == (
        b"minbpe v1\n"
        rb"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        b"\n1\n<s> 258\n108 111\n256 119\n"
    )


def test_without_pattern_it_is_one_word_and_a_basic_tokenizer(tmp_path):
    config = TrainerConfig(byte_order=ByteOrder.VALUE, merges=50)
    recording = record(alice()[:3000], config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"]))
    path = saved(recording, 50, "minbpe", tmp_path)
    assert path.read_bytes().startswith(b"minbpe v1\n\n0\n")
    assert MINBPE.load(path).pipeline.pre_tokenizer == PRE_TOKENIZERS["none"]
    with_special = TrainerConfig(byte_order=ByteOrder.VALUE, merges=50, special_tokens=("<s>",), specials_last=True)
    recording = record(alice()[:3000], with_special, Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"]))
    path = saved(recording, 50, "minbpe", tmp_path)
    assert path.read_bytes().startswith(b"minbpe v1\n[\\s\\S]+\n1\n<s> 306\n")
    assert MINBPE.load(path).pipeline.pre_tokenizer == PRE_TOKENIZERS["none"]


def test_the_pattern_is_the_whole_line(tmp_path):
    recording = loaded(tmp_path, "minbpe v1\n a| ?b \n0\n")
    assert recording.pipeline.pre_tokenizer.pattern == " a| ?b "
    assert "drops the white space" in messages(recording, "minbpe", "warning")[0]
    path = saved(recording, 0, "minbpe", tmp_path)
    assert path.read_bytes() == b"minbpe v1\n a| ?b \n0\n"


def test_line_ends_of_windows_and_special_tokens_with_spaces_are_read(tmp_path):
    recording = loaded(tmp_path, "minbpe v1\r\n\r\n2\r\n<a b> 300\r\n<c> 301\r\n97 98\r\n\r\n")
    assert recording.alphabet.special_ids == {"<a b>": 300, "<c>": 301}
    assert Tokenizer(recording).ids("ab<a b>") == [256, 300]
    assert recording.imported.facts == ("43 ids below 302 stand for no token.",)


def test_what_the_person_says_goes_first(tmp_path):
    options = ReadOptions(PRE_TOKENIZERS["words"], {"<x>": 900})
    recording = loaded(tmp_path, "minbpe v1\n\n1\n<s> 300\n", options)
    assert recording.pipeline.pre_tokenizer == PRE_TOKENIZERS["words"]
    assert recording.alphabet.special_ids == {"<x>": 900}


def test_in_a_folder_other_models_are_left_alone(tmp_path):
    (tmp_path / "spm.model").write_bytes(b"something else")
    (tmp_path / "bpe.model").write_bytes(b"minbpe v1\n\n0\n")
    assert located(tmp_path) == (MINBPE, tmp_path / "bpe.model")


HEAD = "minbpe v1\n\n0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minbpe v1", "bpe.model, line 3: expected the number of special tokens, found ''."),
        ("minbpe v2\n\n0\n", "bpe.model, line 1: expected 'minbpe v1', found 'minbpe v2'."),
        ("minbpe v1\n(\n0\n", "bpe.model, line 2: The pattern cannot be read"),
        ("minbpe v1\n\nx\n", "line 3: expected the number of special tokens, found 'x'."),
        ("minbpe v1\n\n-1\n", "line 3: expected the number of special tokens, found '-1'."),
        ("minbpe v1\n\n9999999999\n", "line 3: expected the number of special tokens"),
        ("minbpe v1\n\n٣\n", "line 3: expected the number of special tokens"),
        ("minbpe v1\n\n2\n<s> 300\n", "line 3: 2 special tokens are announced, and the file ends before that."),
        ("minbpe v1\n\n1\n<s>\n", "line 4: expected a new special token, a space and its id."),
        ("minbpe v1\n\n1\n<s> x\n", "line 4: expected the id of a special token, found 'x'."),
        ("minbpe v1\n\n2\n<s> 300\n<s> 301\n", "line 5: expected a new special token, a space and its id."),
        ("minbpe v1\n\n2\n<s> 300\n<e> 300\n", "special tokens: the id 300 of '<e>' is that of another token."),
        ("minbpe v1\n\n1\n<s> 256\n97 98\n", "special tokens: the id 256 of '<s>' is that of another token."),
        (HEAD + "97\n", "line 4: expected the two ids of a merge, found '97'."),
        (HEAD + "97 98 99\n", "line 4: expected the two ids of a merge, found '97 98 99'."),
        (HEAD + "97 -8\n", "line 4: expected the two ids of a merge, found '97 -8'."),
        (HEAD + "97 98\n\n97 99\n", "line 5: expected the two ids of a merge, found ''."),
        (HEAD + "97 256\n", "line 4: the merge that makes token 256 needs token 256, which is not there before it."),
        (HEAD + "97 98\n97 98\n", "line 5: the merge of 97 98 is that of line 4 too."),
        (
            HEAD + "97 97\n" + "".join(f"{i} {i}\n" for i in range(256, 300)),
            "line 16: a token of 8,192 bytes is too long",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text, message, tmp_path):
    with pytest.raises(FormatError) as caught:
        loaded(tmp_path, text)
    assert message in str(caught.value)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "bpe.model").write_bytes(b"minbpe v1\n\xff\n0\n")
    with pytest.raises(FormatError, match=r"bpe\.model, line 2: it is not UTF-8 text"):
        MINBPE.load(tmp_path / "bpe.model")


def trained(words="gpt2", *specials, last=True, order=ByteOrder.VALUE, normalizer=()):
    config = TrainerConfig(byte_order=order, special_tokens=specials, specials_last=last, merges=3)
    return record("low lower lowest", config, Pipeline(Normalizer.named(*normalizer), PRE_TOKENIZERS[words]))


def bare(vocabulary=None, merges=(), specials=None):
    tokens = {value: Token(bytes([value])) for value in range(256)} | (specials or {})
    recording = Recording(Alphabet(Base.BYTES, Marker.NONE, tokens), vocabulary=vocabulary or {})
    lefts, rights, ids = zip(*merges, strict=True) if merges else ((), (), ())
    recording.load(LoadedMerges(lefts, rights, ids))
    return recording


def test_what_minbpe_cannot_do_is_refused():
    def refused(recording, message):
        assert message in refusals(recording, "minbpe")[0]

    refused(kind("suffix whitespace"), "whose base symbols are the 256 bytes, without a marker")
    refused(trained(order=ByteOrder.STAND_IN), "here 0 is not the byte 00")
    refused(trained("gpt2", "<s>", last=False), "here 0 is not the byte 00")
    refused(trained("gpt2", "<s >"), "The special token '<s >' holds white space")
    refused(trained("gpt2", "<s\u3000>"), "holds white space")
    refused(trained(normalizer=("nfc",)), "minbpe has no normalizer: texts not put through nfc before")
    gap = bare({300: Token(b"ab")}, [(97, 98, 300)])
    refused(gap, "the merge of rank 0 makes token 300")
    early = bare({256: Token(b"abc"), 257: Token(b"bc")}, [(97, 257, 256), (98, 99, 257)])
    refused(early, "minbpe makes tokens only of tokens that are there before")
    refused(bare({256: Token(b"abc")}), "none makes 'abc'")
    long = bare({256: Token(b"a" * 5000)}, [(97, 97, 256)])
    refused(long, "The merge of rank 0 makes a token of more than 4,096 bytes")
    blank = record("a a", TrainerConfig(byte_order=ByteOrder.VALUE), Pipeline(pre_tokenizer=custom(" ")))
    refused(blank, "The pattern is nothing but white space")


def test_warnings():
    texts = messages(trained("gpt2", "<s>", "<s>x"), "minbpe", "warning")
    assert (
        texts[0] == "The special token '<s>x' begins with '<s>': which of the two minbpe finds depends on their order."
    )
    assert "unless encode() is called with allowed_special" in texts[1]
    assert messages(trained(), "minbpe", "warning") == []
    assert "Counts" in messages(trained(), "minbpe", "loss")[0]


class Basic:
    """minbpe's own way to load: without the white space around the pattern, and without compiling it."""

    def __init__(self):
        self.compiled_pattern = regex.compile("nothing")

    def load(self, file):
        self.read = PlainMinbpe(Path(file))
        self.pattern = self.read.pattern.strip()
        self.vocab = {value: bytes([value]) for value in range(256)}
        for (left, right), token_id in self.read.merges.items():
            self.vocab[token_id] = self.vocab[left] + self.vocab[right]

    def encode(self, text):
        return self.read.encode_word(list(text.encode()))

    def decode(self, ids):
        return b"".join(self.vocab[token_id] for token_id in ids).decode()


class Regex(Basic):
    def encode(self, text, allowed_special):
        assert allowed_special == "all"
        return [i for word in self.compiled_pattern.findall(text) for i in self.read.encode_word(list(word.encode()))]


@pytest.mark.parametrize("words", [" ?[A-Za-z]+|[^A-Za-z]", " ?[A-Z]?[a-z]+|, ", ""])
def test_the_code_for_it_cuts_with_the_pattern(words, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "minbpe", SimpleNamespace(BasicTokenizer=Basic, RegexTokenizer=Regex))
    pre_tokenizer = custom(words) if words else PRE_TOKENIZERS["none"]
    config = TrainerConfig(byte_order=ByteOrder.VALUE, merges=60)
    recording = record("Hello, world! low, world " * 9, config, Pipeline(pre_tokenizer=pre_tokenizer))
    (tmp_path / "näme's").mkdir()
    path = saved(recording, len(recording), "minbpe", tmp_path / "näme's")
    found = run(MINBPE.snippet(path))["tokenizer"]
    ids = found.encode("Hello, world! low", **({"allowed_special": "all"} if words else {}))
    assert ids == Tokenizer(recording).ids("Hello, world! low")
