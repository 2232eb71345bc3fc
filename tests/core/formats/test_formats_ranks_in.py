"""Rank files of other hands: known by their content, encoded as tiktoken does, whatever is unusual about them."""

import base64
import hashlib
import json
import lzma
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from core.added_tokens import AddedToken
from core.alphabet import Alphabet, Base, Marker, Token
from core.encoders import encode
from core.encoding_rules import Encoder, EncodingRules
from core.errors import FormatError, PatternWantedError
from core.formats import FORMATS
from core.formats.base import ReadOptions
from core.formats.known_vocabularies import LLAMA3, SPECIAL_TOKENS, recognized, special_tokens
from core.formats.opening import is_model, located, open_model
from core.formats.patterns import cuts_as_cl100k, from_portable
from core.formats.rank_file import Ranks, parsed_ranks
from core.formats.rank_model import RankModel, merges_of, recording_of
from core.formats.spelled import Settings
from core.imported import Imported
from core.pipeline import Pipeline
from core.pre_tokenizer import CL100K, GPT2, PRE_TOKENIZERS
from core.progress import without_progress
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from core.trainer import TrainerConfig
from tests.core.formats.kinds import DATA, kind, messages, refusals, run, saved
from tests.core.runs import record

TIKTOKEN = FORMATS["tiktoken"]
CUT = DATA / "formats" / "cl100k_1200.tiktoken"
TEXTS = {probe["id"]: probe["text"] for probe in json.loads((DATA / "probes.json").read_text())["probes"]}
BYTE_PROBES = {
    probe["id"]: bytes.fromhex(probe["hex"])
    for probe in json.loads((DATA / "formats" / "byte_probes.json").read_text())["probes"]
}
WHOLE_TEXT = ReadOptions(pre_tokenizer=PRE_TOKENIZERS["none"])

NEW_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
NEW_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"


def lines(*tokens):
    """A rank file of the 256 bytes and these tokens."""
    everything = [*(bytes([value]) for value in range(256)), *tokens]
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(everything))


def loaded(folder, data, options=None):
    (folder / "bpe.tiktoken").write_bytes(data)
    return TIKTOKEN.load(folder / "bpe.tiktoken", options)


def bytes_encoded(recording, data):
    """As tiktoken's `_encode_bytes`: what is no UTF-8 makes one word with the word before."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        text = data[: error.start].decode()
    words = [word.text.encode() for word in recording.pipeline.words(text)]
    words = [*words[:-1], b"".join(words[-1:]) + data[len(text.encode()) :]]
    inner = recording.alphabet.inner
    pieces = [encode(recording, [inner[byte] for byte in word], len(recording)) for word in words]
    return [piece.token_id for word in pieces for piece in word]


def test_part_of_a_known_vocabulary_is_known_without_its_name(tmp_path):
    path = tmp_path / "whatever.bin"
    path.write_bytes(CUT.read_bytes())
    recording, format = open_model(path)
    assert format is TIKTOKEN
    assert len(recording) == 1200
    assert recording.pipeline.pre_tokenizer == PRE_TOKENIZERS["cl100k"]
    assert recording.alphabet.special_ids == {}
    assert recording.rules == EncodingRules(Encoder.MERGE_RANK, whole_pieces=False)
    assert recording.is_monotone
    assert recording.imported.file == "whatever.bin"
    assert recording.imported.facts == (
        "The ranks are the first of cl100k_base, whose pattern is used. It is not all of cl100k_base, so the special "
        "tokens are left out.",
    )


def test_its_ids_are_those_of_tiktoken():
    expected = json.loads((DATA / "formats" / "expected" / "cl100k_1200.json").read_text())["expected"]
    given_tokens = ReadOptions(special_tokens={"<|endoftext|>": 1457, "<|fim_prefix|>": 1458})
    recording = TIKTOKEN.load(CUT, given_tokens)
    tokenizer = Tokenizer(recording)
    assert len(expected) == 64
    for name, ids in expected.items():
        assert tokenizer.ids(TEXTS[name], Specials.AS_TEXT) == ids["ids"]
        assert tokenizer.ids(TEXTS[name], Specials.MATCH) == ids.get("special", ids["ids"])
    assert recording.imported.facts[-1] == "1 id below 1,459 stands for no token."


def test_bytes_that_are_no_text_have_the_ids_of_tiktoken():
    expected = json.loads((DATA / "formats" / "expected" / "cl100k_1200_bytes.json").read_text())
    recording = TIKTOKEN.load(CUT)
    assert {name: bytes_encoded(recording, BYTE_PROBES[name]) for name in expected} == expected


def test_order_and_line_ends_of_the_file_do_not_matter(tmp_path):
    shuffled = b"\r\n\r\n".join(sorted(CUT.read_bytes().split(b"\n")))
    ours, other = TIKTOKEN.load(CUT), loaded(tmp_path, shuffled)
    assert list(ours) == list(other)
    assert ours.alphabet == other.alphabet
    assert ours.pipeline == other.pipeline


def test_the_broken_file_names_its_line():
    path = DATA / "formats" / "broken_rank.tiktoken"
    with pytest.raises(FormatError, match=r"broken_rank\.tiktoken, line 2: expected a token in base64, a space and"):
        open_model(path)


def test_a_list_of_words_and_counts_is_no_rank_file(tmp_path):
    (tmp_path / "words.txt").write_bytes(b"that 900\nwith 800\nIQ 7\n")
    assert not is_model(tmp_path / "words.txt")
    (tmp_path / "words.txt").write_bytes(lines())
    assert is_model(tmp_path / "words.txt")


def test_in_a_folder_ranks_are_found_under_llama_s_name(tmp_path):
    (tmp_path / "other.model").mkdir()
    (tmp_path / "tokenizer.model").write_bytes(CUT.read_bytes())
    assert located(tmp_path) == (TIKTOKEN, tmp_path / "tokenizer.model")


def test_ranks_of_nobody_ask_for_a_pattern(tmp_path):
    with pytest.raises(PatternWantedError) as caught:
        loaded(tmp_path, lines(b"ab"))
    assert str(caught.value) == (
        "bpe.tiktoken: ranks do not say how texts are cut into words, and these are of no known vocabulary. Say which "
        "pattern goes with them, such as GPT-2's or GPT-4's; or put a file bpe.json with \"pattern\" and "
        '"special_tokens" beside it.'
    )
    recording = loaded(tmp_path, lines(b"ab"), ReadOptions(PRE_TOKENIZERS["words"], {"<s>": 300}))
    assert recording.pipeline.pre_tokenizer == PRE_TOKENIZERS["words"]
    assert Tokenizer(recording).ids("ab cab<s>") == [256, 99, 256, 300]


def test_what_the_person_says_goes_before_the_side_car(tmp_path):
    (tmp_path / "bpe.json").write_text(json.dumps({"pattern": GPT2, "special_tokens": {"<s>": 300}}))
    assert loaded(tmp_path, lines()).pipeline.pre_tokenizer == PRE_TOKENIZERS["gpt2"]
    recording = loaded(tmp_path, lines(), ReadOptions(PRE_TOKENIZERS["none"], {"<e>": 301}))
    assert recording.pipeline.pre_tokenizer == PRE_TOKENIZERS["none"]
    assert recording.alphabet.special_ids == {"<e>": 301}


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ({"<s>": 255}, "The special tokens given: the id 255 of '<s>' is that of another token."),
        ({"<s>": 300, "<e>": 300}, "The special tokens given: the id 300 of '<e>' is that of another token."),
        ({"": 300}, "The special tokens given: expected an object from text to id"),
        ({"<s>": -1}, "The special tokens given: expected an object from text to id"),
        ({"\ud800": 300}, "holds half a character"),
    ],
)
def test_special_tokens_that_cannot_be_are_refused(tokens, message, tmp_path):
    with pytest.raises(FormatError) as caught:
        loaded(tmp_path, lines(), ReadOptions(PRE_TOKENIZERS["none"], tokens))
    assert message in str(caught.value)


def test_a_tokenizer_json_beside_the_ranks_is_no_side_car(tmp_path):
    (tmp_path / "tokenizer.model").write_bytes(CUT.read_bytes())
    document = {"model": {}, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"}}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    assert TIKTOKEN.load(tmp_path / "tokenizer.model").pipeline.pre_tokenizer == PRE_TOKENIZERS["cl100k"]


# "dead" falls into "de", "a", "d"; "abc" and "deaf" likewise, and no others come to them
ORPHANS = (b"de", b"ea", b"ed", b"dead", b"abc", b"deaf", b" a", b"fa", b"des")
# here "dead" does become a token, by way of "dea", which comes later
LATER = (*ORPHANS, b"dea", b"deads")


def test_tokens_without_a_merge_are_found_as_whole_words(tmp_path):
    options = ReadOptions(PRE_TOKENIZERS["gpt2"])
    recording = loaded(tmp_path, lines(*ORPHANS), options)
    assert recording.rules == EncodingRules(Encoder.TOKEN_RANK, whole_pieces=True)
    assert list(recording.orphans) == [259, 260, 261]
    assert recording.imported.facts == ("3 tokens have no merge: only words that are such a token hold it.",)
    assert recording.vocab_size(len(recording)) == 256 + len(ORPHANS)
    tokenizer = Tokenizer(recording, encoder=recording.rules.encoder)
    assert tokenizer.ids("dead") == [259]
    assert tokenizer.ids("deadly") == [256, 97, 100, 108, 121]
    assert tokenizer.ids("abc abcd") == [260, 262, 98, 99, 100]


def test_tokens_that_are_made_of_later_ones_have_their_merges(tmp_path):
    recording = loaded(tmp_path, lines(*LATER), ReadOptions(PRE_TOKENIZERS["gpt2"]))
    assert recording.rules == EncodingRules(Encoder.TOKEN_RANK, whole_pieces=True)
    assert not recording.is_monotone
    assert recording.parts_of(259) == (265, 100)  # dead = dea + d
    assert recording.parts_of(265) == (256, 97)  # dea = de + a
    assert recording.parts_of(266) == (259, 115)  # deads = dead + s
    assert recording.parts_of(261) == (265, 102)  # deaf = dea + f
    assert list(recording.orphans) == [260]
    assert recording.imported.facts == (
        "1 token has no merge: only words that are such a token hold it.",
        "Some tokens are made of tokens of higher rank: no training has made these ranks.",
    )
    assert Tokenizer(recording, encoder=recording.rules.encoder).ids(" deadly") == [32, 259, 108, 121]
    assert saved(recording, len(recording), "tiktoken", tmp_path).read_bytes() == lines(*LATER)


@pytest.mark.parametrize("tokens", [ORPHANS, LATER])
def test_they_are_encoded_as_tiktoken_does(tokens, tmp_path):
    tiktoken = pytest.importorskip("tiktoken")
    recording = loaded(tmp_path, lines(*tokens), ReadOptions(PRE_TOKENIZERS["gpt2"]))
    ours = Tokenizer(recording, encoder=recording.rules.encoder)
    ranks = {token: rank for rank, token in enumerate([*(bytes([value]) for value in range(256)), *tokens])}
    theirs = tiktoken.Encoding("theirs", pat_str=GPT2, mergeable_ranks=ranks, special_tokens={})

    @given(st.lists(st.sampled_from(["dead", "de", "a", "b", "c", "f", "s", "ead", " "]), max_size=9).map("".join))
    def agrees(text):
        assert ours.ids(text) == theirs.encode(text)

    agrees()


def test_they_are_written_again(tmp_path):
    recording = loaded(tmp_path, lines(*ORPHANS), ReadOptions(PRE_TOKENIZERS["gpt2"], {"<s>": 400}))
    path = saved(recording, len(recording), "tiktoken", tmp_path)
    assert path.read_bytes() == lines(*ORPHANS)
    again = TIKTOKEN.load(path)
    assert list(again) == list(recording)
    assert dict(again.tokens_at(len(again))) == dict(recording.tokens_at(len(recording)))
    assert again.rules == recording.rules
    assert run(TIKTOKEN.snippet(path))["encoding"].encode("dead deadly") == Tokenizer(again).ids("dead deadly")


def test_an_empty_token_and_holes_are_kept(tmp_path):
    data = lines(b"ab", b"") + b"YWJhYg== 300\n"
    recording = loaded(tmp_path, data.replace(b"\n 257", b"\n= 257"), WHOLE_TEXT)
    assert recording.rules == EncodingRules()
    assert recording.imported.facts == (
        "The token 257 is empty: no text holds it.",
        "42 ids below 301 stand for no token.",
    )
    assert dict(recording.tokens_at(2))[257] == Token(b"")
    assert Tokenizer(recording).ids("ababa") == [300, 97]
    assert saved(recording, 2, "tiktoken", tmp_path).read_bytes() == data.replace(b"\n 257", b"\n= 257")


@pytest.mark.parametrize("token", [b"ab", b"abcd", b"\xff", b""])
def test_a_token_twice_is_refused_wherever_it_comes_from(token, tmp_path):
    data = (lines(b"ab", b"abcd", b"", b"cd") + base64.b64encode(token) + b" 900\n").replace(b"\n ", b"\n= ")
    with pytest.raises(FormatError, match=r"line 261: the token '.*' stands there twice, first in line"):
        loaded(tmp_path, data, WHOLE_TEXT)


FEW = st.text("abc", min_size=2, max_size=5).map(str.encode)


@settings(max_examples=300)
@given(st.lists(FEW, unique=True, max_size=14), st.text("abc", max_size=20))
def test_any_ranks_encode_as_tiktoken_does(tokens, text):
    """Also ranks that no training has made."""
    tiktoken = pytest.importorskip("tiktoken")
    everything = {token: rank for rank, token in enumerate([*(bytes([value]) for value in range(256)), *tokens])}
    theirs = tiktoken.Encoding("theirs", pat_str=r"[\s\S]+", mergeable_ranks=everything, special_tokens={})
    recording = _recording(parsed_ranks(lines(*tokens), "x"))
    assert Tokenizer(recording, encoder=recording.rules.encoder).ids(text) == theirs.encode(text)


def _recording(ranks: Ranks) -> Recording:
    whole = Settings(pipeline=Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"]))
    return recording_of(RankModel(ranks, without_progress(merges_of(ranks)), {}, whole), Imported("tiktoken", "x"))


@pytest.mark.parametrize(("pattern", "ours"), [(NEW_GPT2, GPT2), (NEW_CL100K, CL100K)])
def test_tiktoken_s_newer_patterns_cut_as_the_known_ones(pattern, ours):
    newer, older = regex.compile(pattern), regex.compile(ours)

    @given(st.text(st.sampled_from("aé1²! '\r\n\t\u3000sSt\u017f中-_/"), max_size=14))
    def agree(text):
        text += "."  # they differ only in white space at the very end
        assert newer.findall(text) == older.findall(text)

    agree()


def test_where_they_differ_the_tokens_decide(tmp_path):
    assert cuts_as_cl100k(NEW_CL100K, [b"a", b" \n", b"\n\n", b"\r\n"])
    assert not cuts_as_cl100k(NEW_CL100K, [b"a", b"\n "])
    assert not cuts_as_cl100k(CL100K, [b"a"])
    assert from_portable(NEW_GPT2) == PRE_TOKENIZERS["gpt2"]
    (tmp_path / "bpe.json").write_text(json.dumps({"pattern": NEW_CL100K}))
    assert loaded(tmp_path, lines(b"ab")).pipeline.pre_tokenizer == PRE_TOKENIZERS["cl100k"]
    spanning = loaded(tmp_path, lines(b"\n "))
    assert spanning.pipeline.pre_tokenizer.name == "custom"
    assert Tokenizer(spanning).ids("a\n ") == [97, 256]


def test_special_tokens_by_name_are_complete():
    whisper, harmony = special_tokens("whisper"), special_tokens("o200k_harmony")
    assert (len(whisper), whisper["<|endoftext|>"], whisper["<|su|>"], whisper["<|30.00|>"]) == (
        1608,
        50257,
        50357,
        51864,
    )
    assert special_tokens("whisper_large_v3")["<|notimestamps|>"] == whisper["<|notimestamps|>"] + 1 == 50364
    assert (len(harmony), harmony["<|startoftext|>"], harmony["<|start|>"], harmony["<|call|>"]) == (
        1090,
        199998,
        200006,
        200012,
    )
    assert sorted(harmony.values()) == [*range(199998, 201088)]
    assert special_tokens("p50k_edit") == {
        "<|endoftext|>": 50256, "<|fim_prefix|>": 50281, "<|fim_middle|>": 50282, "<|fim_suffix|>": 50283,
    }  # fmt: skip
    for name in SPECIAL_TOKENS:
        tokens = special_tokens(name)
        assert len(set(tokens.values())) == len(tokens)


def test_tiktoken_has_the_same_special_tokens(monkeypatch):
    public = pytest.importorskip("tiktoken_ext.openai_public")
    for name in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks"):
        monkeypatch.setattr(public, name, lambda *_, **__: {})
    for name in ("r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"):
        theirs = getattr(public, name)()["special_tokens"]
        theirs.pop("<|reserved_200018|>", None)  # an id has one text here
        assert special_tokens(name) == theirs


ADDED = (
    AddedToken("<mask>", 300, lstrip=True),
    AddedToken("ab", 256, special=False, normalized=True),
    AddedToken("<tool>", 301, special=False),
    AddedToken("<think>", 302, special=False),
)
"""Two that are not special: one is an ordinary token, the other one of the alphabet."""


def test_added_tokens_come_back_with_their_conditions(tmp_path):
    tokens = {value: Token(bytes([value])) for value in range(256)}
    tokens |= {300: Token(b"<mask>", special=True), 302: Token(b"<think>", special=True)}
    recording = Recording(
        Alphabet(Base.BYTES, Marker.NONE, tokens),
        TrainerConfig(special_tokens=("<mask>", "<think>")),
        vocabulary={256: Token(b"ab"), 301: Token(b"<tool>")},
        added_tokens=ADDED,
    )
    recording.extend(TIKTOKEN.load(_one_merge(tmp_path)))
    path = saved(recording, 1, "tiktoken", tmp_path)
    assert path.read_bytes() == lines(b"ab")
    again = TIKTOKEN.load(path)
    assert again.added_tokens == ADDED
    assert dict(again.tokens_at(1)) == dict(recording.tokens_at(1))
    assert any("white space beside them counts" in message for message in messages(recording, "tiktoken", "warning"))
    assert json.loads(path.with_suffix(".json").read_text())["special_tokens"] == {
        "<mask>": 300,
        "ab": 256,
        "<tool>": 301,
        "<think>": 302,
    }


def _one_merge(folder: Path) -> Path:
    (folder / "one.tiktoken").write_bytes(lines(b"ab"))
    (folder / "one.json").write_text(json.dumps({"pattern": GPT2}))
    return folder / "one.tiktoken"


@pytest.mark.parametrize(
    "added",
    [None, [], {}, ["<s>"], [{"content": "<s>"}], [{"content": "", "token_id": 300}], 7],
)
def test_damaged_added_tokens_are_refused(added, tmp_path):
    (tmp_path / "bpe.json").write_text(json.dumps({"pattern": "a", "added_tokens": added}))
    if added == []:
        assert loaded(tmp_path, lines()).added_tokens == ()
        return
    with pytest.raises(FormatError, match=r"bpe\.json, added_tokens: expected a list of objects with content"):
        loaded(tmp_path, lines())


def test_damaged_lists_of_ids_are_refused(tmp_path):
    added = [{"content": "<s>", "token_id": 300}]
    settings = {"pattern": "a", "added_tokens": added, "ordinary_tokens": ["300"]}
    (tmp_path / "bpe.json").write_text(json.dumps(settings))
    with pytest.raises(FormatError, match=r"bpe\.json, ordinary_tokens: expected a list of ids"):
        loaded(tmp_path, lines())


def test_what_tiktoken_would_find_and_the_model_does_not_is_refused():
    tokens = {value: Token(bytes([value])) for value in range(256)}
    orphan = Recording(Alphabet(Base.BYTES, Marker.NONE, tokens), vocabulary={256: Token(b"abc")})
    assert "No merge makes the token 256, 'abc'" in refusals(orphan, "tiktoken", 0)[0]
    twice = Recording(Alphabet(Base.BYTES, Marker.NONE, tokens), vocabulary={256: Token(b"ab"), 257: Token(b"ab")})
    assert "The tokens 256 and 257 are both 'ab'" in refusals(twice, "tiktoken", 0)[0]
    empty = Recording(Alphabet(Base.BYTES, Marker.NONE, tokens | {256: Token(b"", special=True)}))
    assert "A special token is empty" in refusals(empty, "tiktoken", 0)[0]
    for_many = record("a", TrainerConfig(special_tokens=("<a", "<ab", "<abc", "<abcd", "<abcde", "<abcdef")))
    assert sum("a matter of chance" in message for message in messages(for_many, "tiktoken", "warning")) == 3


def test_our_own_special_tokens_are_written_as_before(tmp_path):
    path = saved(kind("bytes gpt2"), 10, "tiktoken", tmp_path)
    assert "added_tokens" not in json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def ranks_in(shared: Path, name: str) -> bytes:
    folder = shared / "data" / "tokenizers"
    plain, packed = folder / f"{name}.tiktoken", folder / f"{name}.tiktoken.xz"
    if plain.is_file():
        return plain.read_bytes()
    if packed.is_file():
        return lzma.decompress(packed.read_bytes())
    pytest.skip("no tokenizers in the folder `shared`")


@pytest.mark.parametrize(
    ("name", "known", "digest", "merges"),
    [
        ("r50k_base", "r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930", 50_000),
        ("cl100k_base", "cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 100_000),
        ("o200k_base", "o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 199_742),
        ("whisper_multilingual", "whisper", "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126", 50_000),
    ],
)
def test_whole_vocabularies_are_known_and_encode_as_tiktoken_does(name, known, digest, merges, shared_dir, tmp_path):
    data = ranks_in(shared_dir, name)
    assert hashlib.sha256(data).hexdigest() == digest
    (tmp_path / "ranks").write_bytes(data)
    recording, _ = open_model(tmp_path / "ranks")
    assert len(recording) == merges
    assert recording.alphabet.special_ids == special_tokens(known)
    assert recording.imported.facts[0] == f"The ranks are those of {known}, whose pattern and special tokens are used."
    tokenizer = Tokenizer(recording)
    expected = json.loads((shared_dir / "data" / "probes" / f"expected_{name}.json").read_text())["probes"]
    for probe in expected:
        assert tokenizer.ids(TEXTS[probe["id"]], Specials.AS_TEXT) == probe["ids"]
        assert tokenizer.ids(TEXTS[probe["id"]], Specials.MATCH) == probe.get("ids_special", probe["ids"])
    expected_bytes = shared_dir / "data" / "probes" / f"expected_bytes_{name}.json"
    for probe in json.loads(expected_bytes.read_text())["probes"] if expected_bytes.is_file() else ():
        assert bytes_encoded(recording, BYTE_PROBES[probe["id"]]) == probe["ids"]


def test_p50k_goes_on_where_r50k_ends(shared_dir):
    spaces = [base64.b64encode(b" " * count) + b" %d\n" % (50_255 + count) for count in range(2, 26)]
    data = ranks_in(shared_dir, "r50k_base") + b"".join(spaces)
    assert hashlib.sha256(data).hexdigest() == "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"
    found = recognized(parsed_ranks(data, "x"))
    assert (found.vocabulary.name, found.is_whole) == ("p50k_base", True)
    part = recognized(parsed_ranks(b"".join(data.splitlines(keepends=True)[:40_000]), "x"))
    assert (part.vocabulary.name, part.is_whole) == ("r50k_base", False)


def test_llama3_begins_like_gpt4(shared_dir):
    data = ranks_in(shared_dir, "cl100k_base")
    more = [base64.b64encode(b"%06d" % rank) + b" %d\n" % rank for rank in range(100_256, 128_000)]
    found = recognized(parsed_ranks(data + b"".join(more), "x"))
    assert found.vocabulary is LLAMA3
    assert found.special_tokens["<|eot_id|>"] == 128_009
    assert recognized(parsed_ranks(data + b"".join(more[:-1]), "x")) is None
