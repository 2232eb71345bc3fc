"""vocab.json and merges.txt: the real library agrees, older readers lose nothing, the side-car completes them."""

import json

import pytest

from core.alphabet import Base, Marker, Unknown
from core.errors import FormatError
from core.formats import FORMATS, Severity
from core.formats.base import COUNTS_ARE_LOST
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig
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

GPT2 = FORMATS["gpt2"]
WITH_SPACES = (
    "suffix gpt2", "characters gpt2", "characters lines", "continuing gpt2 dropped", "wordpiece without marker",
    "metaspace", "metaspace none kept", "metaspace llama2", "metaspace sandwich", "characters kept",
    "characters none fused", "characters punctuation own",
)  # fmt: skip
WITH_SYMBOL = [name for name in KINDS if name.startswith(("symbol", "wordpiece symbol"))]
WRITABLE = [name for name in KINDS if name not in (*WITH_SPACES, *WITH_SYMBOL)]


@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "wordpiece kept"])
def test_the_snippet_gives_our_ids_and_text_at_every_step(name, tmp_path):
    pytest.importorskip("tokenizers")
    recording = kind(name)
    for step in steps(recording):
        path = written(recording, step, "gpt2", tmp_path)
        assert_same(recording, step, hugging_face(run(GPT2.snippet(path))["tokenizer"]), probes(name))


def test_the_two_files_alone_are_a_gpt2_tokenizer(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    recording = kind("bytes gpt2 chinese")
    path = saved(recording, len(recording), "gpt2", tmp_path)
    model = tokenizers.models.BPE.from_file(str(path / "vocab.json"), str(path / "merges.txt"))
    library = tokenizers.Tokenizer(model)
    library.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = tokenizers.decoders.ByteLevel()
    assert_same(recording, len(recording), hugging_face(library), probes())


def test_the_files_written_out(tmp_path):
    pipeline = Pipeline(Normalizer.named("nfc"), PRE_TOKENIZERS["whitespace"])
    config = TrainerConfig(
        base=Base.CHARACTERS, marker=Marker.SUFFIX, special_tokens=("<unk>",), unknown_token="<unk>",
        unknown=Unknown.TOKEN, complete_alphabet=False, merges=2,
    )  # fmt: skip
    assert [p.name for p in GPT2.save(record("low low", config, pipeline), 2, tmp_path)] == [
        "merges.txt",
        "vocab.json",
        "bpe-gui.json",
    ]
    assert (tmp_path / "merges.txt").read_bytes() == b"#version: 0.2\nl o\nlo w</w>\n"
    assert json.loads((tmp_path / "vocab.json").read_bytes()) == {
        "<unk>": 0, "l": 1, "o": 2, "w": 3, "w</w>": 4, "lo": 5, "low</w>": 6,
    }  # fmt: skip
    assert json.loads((tmp_path / "bpe-gui.json").read_bytes()) == {
        "format": "bpe-gui tokenizer settings",
        "version": 2,
        "base": "characters",
        "marker": "suffix",
        "marker_text": "</w>",
        "score": "frequency",
        "normalizer": ["nfc"],
        "pre_tokenizer": {"name": "whitespace", "pattern": r"\S+", "digits": "together", "punctuation": False},
        "special_tokens": ["<unk>"],
        "unknown": "token",
        "unknown_token": "<unk>",
    }


@pytest.mark.parametrize("name", WRITABLE)
def test_reading_back_loses_nothing(name, tmp_path):
    recording = kind(name)
    again = GPT2.load(written(recording, len(recording), "gpt2", tmp_path))
    assert [m.pair for m in again] == [m.pair for m in recording]
    assert again.alphabet.tokens == recording.alphabet.tokens
    assert again.pipeline == recording.pipeline
    assert again.alphabet.unknown == recording.alphabet.unknown
    for field in ("unknown_token", "marker_text", "score"):
        assert getattr(again.config, field) == getattr(recording.config, field)


def test_readers_merge_what_stands_beside_an_unknown_character_and_the_warning_says_so(tmp_path):
    pytest.importorskip("tokenizers")
    config = TrainerConfig(base=Base.CHARACTERS, marker=Marker.CONTINUING, complete_alphabet=False, merges=1)
    recording = record("ab ab", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    assert any("may merge their neighbours" in message for message in messages(recording, "gpt2", "warning"))
    library = hugging_face(run(GPT2.snippet(saved(recording, 1, "gpt2", tmp_path)))["tokenizer"])
    assert Tokenizer(recording).ids("a?b") == [0, 2]
    assert library("a?b")[0] == [3]


def test_without_the_side_car_what_no_merge_makes_is_special(tmp_path):
    recording = kind("bytes gpt2")
    path = saved(recording, 50, "gpt2", tmp_path)
    (path / "bpe-gui.json").unlink()
    again = GPT2.load(path)
    assert again.alphabet.special_ids == {"<|endoftext|>": 0, "<s>": 1}
    assert again.pipeline.pre_tokenizer.name == "gpt2"
    assert GPT2.load(path / "merges.txt").alphabet.special_ids == again.alphabet.special_ids
    assert "ByteLevel" in GPT2.snippet(path)


def test_merges_that_begin_with_a_hash_are_kept(tmp_path):
    recording = record("## ## ## #", TrainerConfig())
    path = saved(recording, len(recording), "gpt2", tmp_path)
    assert (path / "merges.txt").read_text(encoding="utf-8").split("\n")[1] == "# #"
    assert len(GPT2.load(path)) == len(recording)


def test_carriage_returns_and_a_missing_header_or_last_line_end_are_read(tmp_path):
    path = saved(record("low low", TrainerConfig(merges=2)), 2, "gpt2", tmp_path)
    for text in ("l o\nlo w", "#version: 0.2\r\nl o\r\nlo w\r\n"):
        (path / "merges.txt").write_bytes(text.encode())
        assert [again.token_id for again in GPT2.load(path)] == [256, 257]


def words_json(**changes):
    words = PRE_TOKENIZERS["gpt2"]
    known = {"name": "gpt2", "pattern": words.pattern, "digits": "together", "punctuation": False}
    return json.dumps({"pre_tokenizer": known | changes})


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("merges.txt", "#version: 0.2\nl o\n\n", "merges.txt, line 3: expected two tokens"),
        ("merges.txt", "l o w\n", "merges.txt, line 1: expected two tokens"),
        ("merges.txt", "\ufeffl o\n", "byte order mark"),
        ("merges.txt", "#version: 0.2\nl o\nlo w\nx y\n", "merges.txt, line 4: 'xy' is not in the vocabulary"),
        ("vocab.json", "[]", "vocab.json: a JSON object was expected"),
        ("vocab.json", '{"a": -1}', "expected an id, a whole number from 0, for 'a', found -1"),
        ("vocab.json", '{"a": 1, "a": 2}', "the key 'a' stands there twice"),
        ("vocab.json", '{"a": NaN}', "NaN is not JSON"),
        ("vocab.json", '{"\\ud800": 1}', "lone surrogate"),
        ("vocab.json", '{"a": 1', "vocab.json, line 1, column"),
        ("vocab.json", "[" * 200_000, "nested too deeply"),
        ("vocab.json", '{"a": ' + "9" * 5000 + "}", "vocab.json: "),
        ("bpe-gui.json", "{}", "is not a file of bpe-gui tokenizer settings"),
        (
            "bpe-gui.json",
            '{"marker": "no"}',
            "marker: expected one of none, symbol, suffix, continuing, metaspace, found 'no'",
        ),
        ("bpe-gui.json", '{"score": 3}', "score: expected one of frequency, wordpiece, found 3"),
        ("bpe-gui.json", '{"special_tokens": [1]}', "special_tokens: expected a list of strings"),
        (
            "bpe-gui.json",
            '{"base": "characters", "unknown": "fuse"}',
            "Which special token stands for unknown characters?",
        ),
        ("bpe-gui.json", '{"pre_tokenizer": "gpt2"}', "pre_tokenizer: expected an object with name, pattern, digits"),
        ("bpe-gui.json", words_json(pattern=1), "pre_tokenizer: expected a string as its pattern"),
        ("bpe-gui.json", words_json(punctuation=1), "pre_tokenizer: expected true or false as its punctuation"),
        ("bpe-gui.json", words_json(pattern="x"), "pre_tokenizer: The pre-tokenizer 'gpt2' has a pattern of its own"),
        ("bpe-gui.json", words_json(digits="all"), "pre_tokenizer: Digits cannot be cut 'all'"),
        ("bpe-gui.json", '{"normalizer": "nfc"}', "normalizer: The normalizer should be a list of steps"),
        ("bpe-gui.json", '{"normalizer": ["replace"]}', "normalizer: The normalizer 'replace' should be an object"),
        ("bpe-gui.json", '{"unknown_token": []}', "unknown_token: expected a string or null"),
    ],
)
def test_damaged_files_are_refused_with_their_place(file, content, message, tmp_path):
    path = saved(record("low low", TrainerConfig(merges=2)), 2, "gpt2", tmp_path)
    if file == "bpe-gui.json" and content != "{}":
        content = json.dumps(json.loads((path / file).read_text(encoding="utf-8")) | json.loads(content))
    (path / file).write_bytes(content.encode())
    with pytest.raises(FormatError) as caught:
        GPT2.load(path)
    assert message in str(caught.value)


def test_bytes_that_are_not_utf8_and_missing_files_are_named(tmp_path):
    path = saved(record("low low", TrainerConfig(merges=2)), 2, "gpt2", tmp_path)
    (path / "merges.txt").write_bytes(b"l o\n\xff o\n")
    with pytest.raises(FormatError, match=r"merges\.txt, line 2: it is not UTF-8"):
        GPT2.load(path)
    (path / "merges.txt").unlink()
    with pytest.raises(FormatError, match=r"merges\.txt is missing in"):
        GPT2.load(path)
    (path / "merges.txt").mkdir()
    with pytest.raises(FormatError, match=r"merges\.txt is a folder"):
        GPT2.load(path)


def test_what_the_two_files_cannot_hold_is_refused():
    assert "white space, such as" in refusals(kind("characters gpt2"), "gpt2")[0]
    assert "puts a marker of its own" in refusals(kind("symbol words"), "gpt2")[0]
    space = record("a a", TrainerConfig(Base.CHARACTERS, special_tokens=(" ",)), Pipeline())
    assert "white space, such as ' '" in refusals(space, "gpt2")[0]
    version = record("#version #version", TrainerConfig(), Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    assert "'#version'" in refusals(version, "gpt2")[0]
    assert refusals(version, "gpt2", step=2) == []
    suffix = TrainerConfig(marker=Marker.SUFFIX, **CHARACTERS)
    literal = record("a</w> a</w>", suffix, Pipeline(pre_tokenizer=PRE_TOKENIZERS["words"]))
    assert refusals(literal, "gpt2") == []  # words and punctuation apart, so that no token spells the marker


@pytest.mark.parametrize("base", Base)
@pytest.mark.parametrize("pre_tokenizer", ["gpt2", "o200k", "none"])
def test_a_separate_marker_is_refused_whatever_cuts_the_words(base, pre_tokenizer):
    config = TrainerConfig(base, Marker.SYMBOL, merges=2)
    recording = record("lowlow", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS[pre_tokenizer]))
    assert [message[:55] for message in refusals(recording, "gpt2")] == [
        "No reader of these files puts a marker of its own behin"
    ]


@pytest.mark.parametrize("marker", [Marker.SUFFIX, Marker.CONTINUING])
@pytest.mark.parametrize("text", [" ", "\n", "_\u3000_"])
def test_a_marker_with_white_space_is_refused(marker, text):
    recording = record("low low", TrainerConfig(Base.CHARACTERS, marker, marker_text=text), Pipeline())
    assert f"The marker {text!r} holds white space" in refusals(recording, "gpt2")[-1]


@pytest.mark.parametrize("name", [*WITH_SPACES, *WITH_SYMBOL])
def test_spaces_in_tokens_and_separate_markers_are_refused(name):
    message = refusals(kind(name), "gpt2")[0]
    assert ("Tokens hold white space" in message) or ("puts a marker of its own" in message)


def test_a_pattern_the_library_cannot_read_is_said_and_left_out_of_the_code(tmp_path):
    recording = record("a b", TrainerConfig(), Pipeline(pre_tokenizer=custom(r"\X+")))
    assert any("The code for Python cannot make the pre-tokenizer" in m for m in messages(recording, "gpt2", "warning"))
    GPT2.save(recording, 0, tmp_path)
    assert "# pre_tokenizer: The pattern has" in GPT2.snippet(tmp_path)


def test_what_the_two_files_lose_is_said():
    losses = " ".join(messages(kind("suffix whitespace"), "gpt2", Severity.LOSS))
    for words in ("how the text is cut", "which tokens are special", "'</w>' marks the end", "'<unk>' is the unknown"):
        assert words in losses
    losses = " ".join(messages(kind("metaspace bytes"), "gpt2", Severity.LOSS))
    assert "that unknown characters are written in bytes" in losses
    losses = " ".join(messages(kind("continuing words"), "gpt2", Severity.LOSS))
    assert "'##' marks a token inside a word" in losses
    assert any("merge by rank" in message for message in messages(kind("wordpiece words"), "gpt2", Severity.WARNING))
    assert "the normalizer (lowercase, nfc)" in " ".join(messages(kind("bytes lowercase nfc"), "gpt2", Severity.LOSS))
    assert messages(kind("bytes gpt2 chinese"), "gpt2", Severity.LOSS) == [COUNTS_ARE_LOST]
