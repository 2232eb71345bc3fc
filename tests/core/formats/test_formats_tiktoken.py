"""tiktoken's rank file: the real library agrees, merges come back, and its traps are closed before saving."""

import base64
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token
from core.errors import FormatError
from core.formats import FORMATS, Severity
from core.formats.rank_file import parsed_ranks
from core.merge import Merge
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom, named
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from core.trainer import TieBreak, TrainerConfig
from tests.core.formats.kinds import (
    KINDS,
    alice,
    assert_same,
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

TIKTOKEN = FORMATS["tiktoken"]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
BYTES = [name for name in KINDS if name.startswith("bytes") and name != "bytes metaspace none"]


def library(encoding, normalize=lambda text: text, **options):
    def encode(text):
        ids = encoding.encode(normalize(text), **(options or {"allowed_special": "all"}))
        return ids, encoding.decode(ids)

    return encode


@pytest.mark.parametrize("name", BYTES)
def test_the_snippet_gives_our_ids_and_text_at_every_step(name, tmp_path):
    pytest.importorskip("tiktoken")
    recording = kind(name)
    for step in steps(recording):
        path = written(recording, step, "tiktoken", tmp_path)
        encoding = run(TIKTOKEN.snippet(path))["encoding"]
        assert_same(recording, step, library(encoding, recording.pipeline.normalizer.normalize), probes(name))


def test_with_metaspace_every_stretch_between_special_tokens_is_a_text_of_its_own(tmp_path):
    pytest.importorskip("tiktoken")
    recording = kind("bytes metaspace none")
    encoding = run(TIKTOKEN.snippet(saved(recording, 300, "tiktoken", tmp_path)))["encoding"]
    normalize, ours = recording.pipeline.normalizer.normalize, Tokenizer(recording)
    texts = [text for text in probes() if "<s>" not in text]
    assert [encoding.encode(normalize(text)) for text in texts] == [ours.ids(text) for text in texts]
    stretches = (normalize("a b"), "<s>", normalize("c"))
    assert ours.ids("a b<s>c") == [i for s in stretches for i in encoding.encode(s, allowed_special="all")]
    assert any("put before each text by hand" in message for message in messages(recording, "tiktoken", "warning"))


def test_special_tokens_can_have_the_last_ids(tmp_path):
    pytest.importorskip("tiktoken")
    recording = kind("bytes o200k specials last")
    assert recording.alphabet.special_ids == {"<|endoftext|>": 556, "<s>": 557}
    assert (recording[0].token_id, recording[299].token_id) == (256, 555)
    for step in (0, 300):
        path = saved(recording, step, "tiktoken", tmp_path)
        encoding = run(TIKTOKEN.snippet(path))["encoding"]
        assert (encoding.n_vocab, encoding.max_token_value) == (558, 557)
        assert encoding.encode("A\x00<s><|endoftext|>", allowed_special="all") == [65, 0, 557, 556]
        assert TIKTOKEN.load(path).alphabet.tokens == recording.alphabet.tokens


def test_rustbpe_would_give_the_same_file(tmp_path):
    rustbpe, tiktoken = pytest.importorskip("rustbpe"), pytest.importorskip("tiktoken")
    config = TrainerConfig(
        vocab_size=256 + 300 + 1,
        byte_order=ByteOrder.VALUE,
        tie_break=TieBreak.BYTES,
        special_tokens=("<|bos|>",),
        specials_last=True,
    )
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["cl100k"])
    path = saved(record(alice(), config, pipeline), 300, "tiktoken", tmp_path)
    theirs = rustbpe.Tokenizer()
    theirs.train_from_iterator([alice()], 256 + 300, pattern=pipeline.pre_tokenizer.pattern)
    ranks = {bytes(token): rank for token, rank in theirs.get_mergeable_ranks()}
    special_tokens = {"<|bos|>": len(ranks)}  # as nanochat numbers them
    expected = tiktoken.Encoding(
        "theirs", pat_str=theirs.get_pattern(), mergeable_ranks=ranks, special_tokens=special_tokens
    )
    ours = run(TIKTOKEN.snippet(path))["encoding"]
    written_ranks = parsed_ranks(path.read_bytes(), path.name)
    assert dict(zip(written_ranks.tokens(), written_ranks.ranks.tolist(), strict=True)) == ranks
    for text in probes():
        assert ours.encode(text, allowed_special="all") == expected.encode(text, allowed_special="all")


@pytest.mark.parametrize("name", ["bytes gpt2", "bytes cl100k", "bytes gpt2 chinese"])
def test_random_text_agrees(name, tmp_path_factory):
    pytest.importorskip("tiktoken")
    recording = kind(name)
    encoding = run(TIKTOKEN.snippet(saved(recording, 250, "tiktoken", tmp_path_factory.mktemp("t"))))["encoding"]

    # younger letters than Unicode 14 may be letters to one engine and not to the other
    @given(st.text(st.characters(max_codepoint=0x1C7F, exclude_categories=["Cs", "Cn"]), max_size=60))
    def agrees(text):
        assert_same(recording, 250, library(encoding), [text])

    agrees()


def test_special_tokens_can_be_text_there_too(tmp_path):
    pytest.importorskip("tiktoken")
    recording = kind("bytes gpt2")
    encoding = run(TIKTOKEN.snippet(saved(recording, 300, "tiktoken", tmp_path)))["encoding"]
    ids = [token.token_id for token in Tokenizer(recording).encode("a<s>b", Specials.AS_TEXT)]
    assert encoding.encode("a<s>b", disallowed_special=()) == ids


def test_the_script_beside_the_file_runs_from_anywhere(tmp_path):
    pytest.importorskip("tiktoken")
    (tmp_path / "näme's").mkdir()
    path = tmp_path / "näme's" / "my.first"
    files = TIKTOKEN.save(kind("bytes gpt2"), 200, path)
    assert [file.name for file in files] == ["my.first.tiktoken", "my.first.json", "my.first.py"]
    done = subprocess.run([sys.executable, "-I", files[2]], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.endswith("Hello, world!\n")
    moved = (tmp_path / "näme's").rename(tmp_path / "moved")
    done = subprocess.run([sys.executable, "-I", moved / files[2].name], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("Hello, world!\n")


def test_the_files_written_out(tmp_path):
    recording = record("low low", TrainerConfig(special_tokens=("<s>",), merges=1))
    ranks, side_car, _ = TIKTOKEN.save(recording, 1, tmp_path / "bpe.tiktoken")
    lines = ranks.read_bytes().decode().split("\n")
    assert lines[:2] == ["IQ== 1", "Ig== 2"]  # ! and "
    assert lines[-2:] == ["bG8= 257", ""]
    assert len(lines) == 258
    assert json.loads(side_car.read_text(encoding="utf-8")) == {
        "format": "bpe-gui tiktoken settings",
        "version": 2,
        "name": "bpe",
        "pattern": GPT2,
        "special_tokens": {"<s>": 0},
        "normalizer": [],
        "pre_tokenizer": {"name": "gpt2", "pattern": GPT2, "digits": "together", "punctuation": False},
        "score": "frequency",
        "unknown_token": None,
    }


@pytest.mark.parametrize("name", BYTES)
def test_the_merges_come_back(name, tmp_path):
    recording = kind(name)
    again = TIKTOKEN.load(written(recording, len(recording), "tiktoken", tmp_path))
    assert [(m.left, m.right, m.token_id) for m in again] == [(m.left, m.right, m.token_id) for m in recording]
    assert again.alphabet.tokens == recording.alphabet.tokens
    assert again.config.byte_order == recording.config.byte_order
    assert again.pipeline == recording.pipeline
    assert again.config.score == recording.config.score


def test_what_tiktoken_cannot_do_is_refused():
    assert "base symbols are the 256 bytes" in refusals(kind("suffix whitespace"), "tiktoken")[0]
    assert "no marker" in refusals(record("a b", TrainerConfig(marker=Marker.SYMBOL)), "tiktoken")[0]
    assert "'z' is also a byte" in refusals(record("a", TrainerConfig(special_tokens=("z",))), "tiktoken")[0]
    pattern = record("a", TrainerConfig(), Pipeline(pre_tokenizer=custom(r"\X")))
    assert "other tools' engines" in refusals(pattern, "tiktoken")[0]


def test_digits_and_punctuation_that_one_pattern_cannot_cut_are_refused():
    for words in (named("words", digits="threes"), named("custom", r"(?<=a)b|.", "single")):
        (message,) = refusals(record("a", TrainerConfig(), Pipeline(pre_tokenizer=words)), "tiktoken")
        assert "Save as Hugging Face tokenizer.json" in message


def test_a_missing_byte_and_ids_that_do_not_rise_are_refused():
    tokens = {value: Token(bytes([value])) for value in range(255)}
    few = Recording(Alphabet(Base.BYTES, Marker.NONE, tokens), TrainerConfig())
    assert "1 are missing, such as FF" in refusals(few, "tiktoken")[0]
    falling = Recording(Alphabet(Base.BYTES, Marker.NONE, tokens | {255: Token(b"\xff")}), TrainerConfig())
    falling.extend([Merge(0, 98, 99, 300), Merge(1, 97, 98, 299)])
    assert "the merge of rank 1 makes token 299" in refusals(falling, "tiktoken")[0]
    assert refusals(falling, "tiktoken", step=1) == []


def test_warnings_and_losses():
    assert "must be put through lowercase, nfc" in messages(kind("bytes lowercase nfc"), "tiktoken", "warning")[1]
    overlapping = record("a", TrainerConfig(special_tokens=("<s>", "<s>x")))
    assert "'<s>x' begins with '<s>'" in messages(overlapping, "tiktoken", "warning")[0]
    assert any("allowed_special" in message for message in messages(overlapping, "tiktoken", "warning"))
    assert messages(kind("bytes cl100k"), "tiktoken", Severity.WARNING) == []
    assert any("Counts" in message for message in messages(kind("bytes cl100k"), "tiktoken", Severity.LOSS))


def test_a_special_token_that_a_merge_makes_too_is_no_trouble(tmp_path):
    pytest.importorskip("tiktoken")
    recording = record("the the the", TrainerConfig(special_tokens=("the",)))
    encoding = run(TIKTOKEN.snippet(saved(recording, len(recording), "tiktoken", tmp_path)))["encoding"]
    assert_same(recording, len(recording), library(encoding), ["the other", "th e"])


def test_files_of_the_person_are_not_overwritten(tmp_path):
    recording = kind("bytes gpt2")
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError, match=r"package\.json is there already"):
        TIKTOKEN.save(recording, 1, tmp_path / "package.tiktoken")
    assert [file.name for file in tmp_path.iterdir()] == ["package.json"]
    for name in ("tiktoken", "json"):
        with pytest.raises(FormatError, match="would hide the library"):
            TIKTOKEN.save(recording, 1, tmp_path / name)
    TIKTOKEN.save(recording, 1, tmp_path / "again")
    TIKTOKEN.save(recording, 2, tmp_path / "again")
    assert len(TIKTOKEN.load(tmp_path / "again")) == 2


def rank_line(content, rank):
    return base64.b64encode(content) + b" %d\n" % rank


WORDS = {"name": "words", "pattern": r"\w+|[^\s\w]+", "digits": "together", "punctuation": False}
ALL_BYTES = b"".join(rank_line(bytes([value]), value) for value in range(256))


@pytest.mark.parametrize(
    ("ranks", "side_car", "message"),
    [
        (b"IQ== 0\n", {}, "255 of the 256 bytes have no rank, such as 00"),
        (
            ALL_BYTES + b"\n" + rank_line(b"!", 256),
            {},
            "line 258: the token '!' stands there twice, first in line 34.",
        ),
        (ALL_BYTES, {"pattern": None}, "bpe.json, pattern: expected a string"),
        (ALL_BYTES, {"pattern": "("}, "bpe.json, pattern: The pattern cannot be read"),
        (ALL_BYTES, {"special_tokens": []}, "special_tokens: expected an object"),
        (ALL_BYTES, {"special_tokens": {"": 256}}, "special_tokens: expected an object"),
        (ALL_BYTES, {"special_tokens": {"<s>": 255}}, "the id 255 of '<s>' is that of another token"),
        (ALL_BYTES, {"normalizer": ["no"]}, "bpe.json, normalizer: There is no normalizer named 'no'"),
        (ALL_BYTES, {"normalizer": 5}, "normalizer: The normalizer should be a list of steps"),
        (ALL_BYTES, {"score": "most"}, "score: expected one of frequency, wordpiece, found 'most'"),
        (
            ALL_BYTES,
            {"pre_tokenizer": WORDS, "normalizer": []},
            "bpe.json, pattern: expected the one of the pre-tokenizer, found 'a'",
        ),
        (ALL_BYTES, {"unknown_token": 5}, "unknown_token: expected a string or null"),
    ],
)
def test_damaged_files_are_refused_with_their_place(ranks, side_car, message, tmp_path):
    settings = {"pattern": "a", "special_tokens": {}} | side_car
    (tmp_path / "bpe.tiktoken").write_bytes(ranks)
    (tmp_path / "bpe.json").write_text(json.dumps(settings), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        TIKTOKEN.load(tmp_path / "bpe.tiktoken")
    assert message in str(caught.value)
