"""Mistral's tekken.json: ids as mistral-common gives them, and every key that is wrong is named."""

import base64
import json

import pytest

from core.errors import FormatError
from core.formats import EXPORTS, FORMATS
from core.formats.base import ReadOptions
from core.formats.opening import located, open_model
from core.formats.rank_file import parsed_ranks
from core.formats.tekken import OLD_SPECIALS
from core.pre_tokenizer import GPT2, PRE_TOKENIZERS
from core.tokenizer import Specials, Tokenizer
from tests.core.formats.kinds import DATA, messages, probes, run, saved

TEKKEN = FORMATS["tekken"]
PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def tokens(*merged):
    return [bytes([value]) for value in range(256)] + list(merged)


def document(contents, specials=25, size=None, **changes):
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(contents)
    ]
    config = {
        "pattern": PATTERN,
        "num_vocab_tokens": len(vocab),
        "default_vocab_size": specials + len(vocab) if size is None else size,
        "default_num_special_tokens": specials,
        "version": "v3",
    }
    return {"config": config, "vocab": vocab} | changes


def written(folder, value):
    (folder / "tekken.json").write_text(json.dumps(value), encoding="utf-8")
    return folder / "tekken.json"


def loaded(folder, value, options=None):
    return TEKKEN.load(written(folder, value), options)


def cut_cl100k():
    """The first ranks of GPT-4 with the bytes by value, as Mistral has them."""
    ranks = parsed_ranks((DATA / "formats" / "cl100k_1200.tiktoken").read_bytes(), "x")
    return tokens(*ranks.tokens()[256:])


def test_ids_begin_behind_the_special_tokens(tmp_path):
    recording, format = open_model(written(tmp_path, document(tokens(b"he", b"ll", b"hell", b" w"), specials=1000)))
    assert format is TEKKEN
    assert [(merge.left, merge.right, merge.token_id) for merge in recording] == [
        (1104, 1101, 1256), (1108, 1108, 1257), (1256, 1257, 1258), (1032, 1119, 1259),
    ]  # fmt: skip
    assert Tokenizer(recording).ids("hello wall") == [1258, 1111, 1259, 1097, 1257]
    assert (recording.token(0).content, recording.token(999).content) == (b"<unk>", b"<SPECIAL_999>")
    assert list(recording.alphabet.special_ids)[:21] == [*OLD_SPECIALS, "<SPECIAL_20>"]
    assert len(recording.alphabet.special_ids) == 1000
    assert recording.imported.not_applied == ()


def test_the_text_of_a_special_token_is_text(tmp_path):
    recording = loaded(tmp_path, document(tokens()))
    assert Tokenizer(recording).ids("<s>", Specials.MATCH) == [60 + 25, 115 + 25, 62 + 25]
    assert (
        "The text of a special token in a text is plain text, as in Mistral's own library." in recording.imported.facts
    )


def test_tokens_without_an_id_are_left_out(tmp_path):
    recording = loaded(tmp_path, document(tokens(b"ab", b"cd", b"ef"), size=25 + 257))
    assert len(recording) == 1
    assert Tokenizer(recording).ids("abcd") == [25 + 256, 25 + 99, 25 + 100]
    assert "Of 259 tokens the last 2 are not used, as there are no ids for them." in recording.imported.facts


def test_ids_are_those_of_tiktoken_with_the_special_tokens_before(tmp_path):
    tiktoken = pytest.importorskip("tiktoken")
    contents = cut_cl100k()
    ranks = {token: rank for rank, token in enumerate(contents)}
    theirs = tiktoken.Encoding("tekken", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    ours = Tokenizer(loaded(tmp_path, document(contents, specials=1000)))
    for text in probes():
        assert ours.ids(text) == [1000 + rank for rank in theirs.encode(text)]


def test_newer_files_name_their_special_tokens_and_other_parts(tmp_path):
    named = [
        {"rank": 1, "token_str": "<s>", "is_control": True},
        {"rank": 0, "token_str": "<unk>", "is_control": True},
    ]
    value = document(tokens(), specials=4, special_tokens=named, image={"image_patch_size": 16}, audio={"x": 1})
    value["config"]["version"] = "v13"
    recording = loaded(tmp_path, value)
    assert recording.alphabet.special_ids == {"<unk>": 0, "<s>": 1, "<SPECIAL_2>": 2, "<SPECIAL_3>": 3}
    assert recording.imported.not_applied == ("the tokens for images", "the tokens for sound")


def test_tokens_without_a_merge_are_kept(tmp_path):
    recording = loaded(tmp_path, document(tokens(b"abc", b"ab")))
    assert recording.rules.whole_pieces
    ours = Tokenizer(recording, encoder=recording.rules.encoder)
    assert ours.ids("abc") == [25 + 256]
    assert ours.ids("abcd") == [25 + 256, 25 + 100]  # ab, then abc, though its rank is lower


def test_another_pattern_can_be_given(tmp_path):
    recording = loaded(tmp_path, document(tokens()), ReadOptions(PRE_TOKENIZERS["gpt2"]))
    assert recording.pipeline.pre_tokenizer.pattern == GPT2


def test_it_goes_on_as_tiktoken_ranks(tmp_path):
    recording = loaded(tmp_path, document(cut_cl100k()))
    path = saved(recording, len(recording), "tiktoken", tmp_path)
    again = FORMATS["tiktoken"].load(path)
    assert again.rules == recording.rules
    assert again.alphabet == recording.alphabet
    encoding = run(FORMATS["tiktoken"].snippet(path))["encoding"]
    for text in probes():
        assert encoding.encode(text, disallowed_special=()) == Tokenizer(recording).ids(text)
    assert any("disallowed_special=()" in message for message in messages(recording, "tiktoken", "warning"))
    assert "tekken" not in EXPORTS


def test_in_a_folder_tokenizer_json_goes_first(tmp_path):
    path = written(tmp_path, document(tokens()))
    assert located(tmp_path) == (TEKKEN, path)
    (tmp_path / "tokenizer.json").write_text("{}")
    assert list(TEKKEN.finds(tmp_path)) == []


def test_too_few_ids_for_the_special_tokens_are_refused(tmp_path):
    with pytest.raises(FormatError, match="special_tokens: expected different tokens with ranks below 3, found"):
        loaded(tmp_path, document(tokens(), specials=3))


def changed(value, place, new):
    *keys, last = place
    inner = value
    for key in keys:
        inner = inner[key]
    inner[last] = new
    return value


@pytest.mark.parametrize(
    ("place", "new", "message"),
    [
        (["config"], [], "tekken.json, config: expected an object, found []."),
        (["vocab"], {}, "tekken.json, vocab: expected a list of tokens, found {}."),
        (["config", "pattern"], None, "config.pattern: expected a string, found None."),
        (["config", "pattern"], "(", "config.pattern: The pattern cannot be read"),
        (["config", "pattern"], r"[^a&&[b]]+", "config.pattern: && in a set of characters is not read here."),
        (["config", "default_vocab_size"], 10, "config.default_vocab_size: expected at least 281 and at most 283"),
        (["config", "default_vocab_size"], 284, "config.default_vocab_size: expected at least 281 and at most 283"),
        (["config", "default_vocab_size"], True, "config.default_vocab_size: expected a whole number from 0 to"),
        (["config", "default_num_special_tokens"], -1, "default_num_special_tokens: expected a whole number from 0 to"),
        (["config", "default_num_special_tokens"], 2**40, "default_num_special_tokens: expected a whole number"),
        (["config", "version"], "v11", "special_tokens: expected a list, as versions after v7 have, found None."),
        (["special_tokens"], "<s>", "special_tokens: expected a list, found '<s>'."),
        (["special_tokens"], [{"rank": "0"}], "special_tokens[0], rank: expected a whole number from 0 on"),
        (["special_tokens"], [{"rank": 0}], "special_tokens[0], token_str: expected a string that is not empty"),
        (["special_tokens"], [{"rank": 0, "token_str": "a"}] * 2, "special_tokens: expected different tokens"),
        (["special_tokens"], [{"rank": 9, "token_str": "<SPECIAL_4>"}], "special_tokens: expected different tokens"),
        (["vocab", 3], 7, "vocab[3]: expected an object with the rank 3 and a string as its token_bytes, found 7."),
        (["vocab", 3, "rank"], 4, "vocab[3]: expected an object with the rank 3"),
        (["vocab", 3, "token_bytes"], None, "vocab[3]: expected an object with the rank 3 and a string"),
        (["vocab", 257, "token_bytes"], "no!", "vocab[257], token_bytes: expected 1 to 4,096 bytes in base64"),
        (["vocab", 257, "token_bytes"], "", "vocab[257], token_bytes: expected 1 to 4,096 bytes in base64"),
        (["vocab", 257, "token_bytes"], "IQ== 1\nIQ==", "vocab[257], token_bytes: expected 1 to 4,096 bytes in base64"),
        (["vocab", 257, "token_bytes"], "é", "vocab[257], token_bytes: expected 1 to 4,096 bytes in base64"),
        (["vocab", 257, "token_bytes"], "YWI=", "vocab[257]: the token 'ab' is that of vocab[256] too."),
        (["vocab", 257, "token_bytes"], "YQ==", "vocab[257]: the token 'a' is that of vocab[97] too."),
        (["vocab", 3, "token_bytes"], "BA==", "vocab: expected the 256 bytes in order as its first tokens"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(place, new, message, tmp_path):
    with pytest.raises(FormatError) as caught:
        loaded(tmp_path, changed(document(tokens(b"ab", b"cd")), place, new))
    assert message in str(caught.value)
    assert str(caught.value).startswith("tekken.json, ")
