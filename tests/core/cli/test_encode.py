"""`bpe encode`: ids, tokens and steps of texts, equal to what the libraries make of the files."""

import base64
import json

import pytest
import tiktoken
from tokenizers import Tokenizer

from core import kernel_loader
from tests.core.cli.commands import HARD, bpe, output


def test_tokens_are_what_is_shown(models):
    assert output("encode", models / "bytes", "lowest newest\n", "é") == "low est ␣ newest ⏎\n⟨C3⟩ ⟨A9⟩\n"
    assert output("encode", models / "suffix", "lowest lower", "--tokens") == "lo w est</w> lo w e r</w>\n"


def test_ids_are_a_line_for_each_text(models):
    assert output("encode", models / "bytes", "lowest", "--ids", "newest") == "260 258\n263\n"
    assert output("encode", models / "bytes", "", "--ids") == "\n"


def test_standard_input_is_one_text(models):
    assert output("encode", models / "bytes", "-", "--ids", stdin=b"low\r\nlow") == "260 202 199 260\n"
    assert output("encode", models / "bytes", "-", "--ids") == "\n"


def test_a_long_text_is_written_in_pieces(models, monkeypatch):
    monkeypatch.setattr("core.cli.encode.BATCH_TOKENS", 2)
    line = ["encode", models / "kept", "low é low", "é é é", "newest", "--progress"]
    assert output(*line, "--ids") == "26 26\n\n25\n"
    assert output(*line) == "low</w> é low</w>\né é é\nnewest</w>\n"


@pytest.mark.parametrize("model", ["bytes", "suffix", "kept"])
@pytest.mark.parametrize("form", ["--ids", "--tokens"])
def test_compiled_loops_write_the_same(models, monkeypatch, model, form):
    line = ["encode", models / model, HARD, "low é lowest<|end|>", "", form, "--step", 5]
    monkeypatch.setattr("core.kernel_loader.are_ready", lambda: False)
    plain = bpe(*line)
    kernel_loader.load()
    monkeypatch.setattr("core.kernel_loader.are_ready", lambda: True)
    monkeypatch.setattr("core.cli.encode.COMPILED_CHARS", 1)

    assert bpe(*line) == plain


def test_a_refused_text_gives_no_tokens(models):
    result = bpe("encode", models / "bytes", "low low <|end|>", "--special", "refuse")
    assert result[:2] == (1, "")


def test_every_line_of_standard_input_on_its_own(models):
    lines = output("encode", models / "bytes", "-", "--lines", stdin=b"lowest\n\nnewest\r\n")
    assert lines == "low est\n\nnewest ␍\n"
    assert output("encode", models / "bytes", "-", "--lines") == ""


def test_what_begins_with_a_hyphen(models):
    ids = output("encode", models / "bytes", "--ids", "--", "--low", "-low")
    assert ids == "13 13 260\n13 260\n"


def test_hugging_face_gives_the_same_ids(models):
    library = Tokenizer.from_file(str(models / "bytes" / "tokenizer.json"))
    ours = output("encode", models / "bytes", "-", "--ids", stdin=HARD.encode())
    assert list(map(int, ours.split())) == library.encode(HARD).ids
    assert len(ours.split()) > 150


def test_hugging_face_gives_the_same_marked_ids(models):
    library = Tokenizer.from_file(str(models / "suffix" / "tokenizer.json"))
    text = "lowest  newest\nwid low\u3000est lowlow deniest"
    assert list(map(int, output("encode", models / "suffix", text, "--ids").split())) == library.encode(text).ids


def test_tiktoken_gives_the_same_ids(models):
    side_car = json.loads((models / "ranks.json").read_text(encoding="utf-8"))
    lines = (line.split() for line in (models / "ranks.tiktoken").read_bytes().splitlines())
    library = tiktoken.Encoding(
        "test",
        pat_str=side_car["pattern"],
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
        special_tokens=side_car["special_tokens"],
    )
    ours = output("encode", models / "ranks.tiktoken", "-", "--ids", stdin=HARD.encode())
    assert list(map(int, ours.split())) == library.encode(HARD, allowed_special="all")


def test_what_the_file_says_itself_cannot_be_said_otherwise(models):
    options = ("--pattern", "none", "--special-token", "low=500")
    result = bpe("encode", models / "bytes", "low", "--ids", *options)
    assert (result.status, result.out) == (0, output("encode", models / "bytes", "low", "--ids"))
    assert result.err == (
        "bpe: warning: --pattern is not used: bytes itself says how texts are cut.\n"
        "bpe: warning: --special-token is not used: bytes itself says which special tokens there are.\n"
    )
    assert bpe("encode", models / "ranks.tiktoken", "low", *options).err == ""


def test_a_pattern_of_rust_means_what_it_means_to_tiktoken(tmp_path):
    """Kimi's pattern takes the letters that are no Chinese characters with `&&` in a set."""
    ranks = [bytes([value]) for value in range(256)] + ["中".encode()[:2], "中".encode(), "b中".encode(), b"ab"]
    lines = (f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(ranks))
    (tmp_path / "kimi.tiktoken").write_text("".join(lines))
    pattern = r"[\p{Han}]+|[\p{L}\p{M}&&[^\p{Han}]]+"
    encode = ("encode", tmp_path / "kimi.tiktoken", "ab中", "--ids", "--pattern")
    assert output(*encode, pattern) == "259 257\n"
    assert output(*encode, r"\p{L}+") == "97 258\n"


@pytest.mark.parametrize(
    ("how", "ids"),
    [((), "0"), (("--special", "match"), "0"), (("--special", "as-text"), "28 92 69 78 68 92 30")],
)
def test_special_tokens(models, how, ids):
    assert output("encode", models / "bytes", "<|end|>", "--ids", *how) == ids + "\n"


def test_special_tokens_can_be_refused(models):
    result = bpe("encode", models / "bytes", "low<|end|>", "--special", "refuse")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("bpe: error: The text holds the special token '<|end|>' at character 4.")


def test_fewer_merges(models):
    assert output("encode", models / "bytes", "lowest", "--step", 2) == "l o w est\n"
    assert output("encode", models / "bytes", "lowest", "--step", 0) == "l o w e s t\n"


def test_characters_without_a_token(models):
    ids = bpe("encode", models / "kept", "low ax", "--ids")
    assert (ids.out, ids.err) == ("26\n", "bpe: warning: 2 characters are in no token: left out.\n")
    tokens = bpe("encode", models / "kept", "lo\u200b\n")
    assert tokens.out == "lo ⟨E2 80 8B⟩\n"
    assert tokens.err == "bpe: warning: 1 character is in no token: shown, but without an id.\n"


def test_steps(models):
    assert output("encode", models / "kept", "lowest xer", "--steps") == (
        "lowest\n"
        "  rank 0  l o w [e s] t</w>  later 2\n"
        "  rank 1  l o w [es t</w>]   later 2\n"
        "  rank 2  [l o] w est</w>\n"
        "       =  lo w est</w>       ids 22 9 21 (3 tokens)\n"
        "\n"
        "xer\n"
        "  =  x e r</w>  ids ? 1 16 (2 tokens, 1 unknown)\n"
    )


def test_steps_of_the_longest_match(models):
    assert output("encode", models / "bytes", "lowest<|end|>", "--steps", "--encoder", "longest-match") == (
        "lowest\n"
        "  match  [l o w] e s t\n"
        "  match  low [e s t]\n"
        "      =  low est        ids 260 258 (2 tokens)\n"
        "\n"
        "<|end|>\n"
        "  =  <|end|>  id 0 (special token)\n"
    )


def test_steps_of_a_long_text_are_cut(models):
    result = bpe("encode", models / "bytes", "low " * 1_251, "--steps")
    assert result.err == "bpe: warning: 4 more characters are not shown word by word.\n"


@pytest.mark.parametrize("encoder", ["merge-rank", "token-rank", "all-at-once", "list-order", "longest_match"])
def test_encoders_agree_on_what_was_trained(models, encoder):
    assert output("encode", models / "bytes", "newest lower", "--encoder", encoder) == "newest ␣ lower\n"


def test_dropout(models):
    text = " ".join(["newest"] * 20)
    drops = [output("encode", models / "bytes", text, "--dropout", 0.5, "--seed", seed) for seed in (1, 1, 2)]
    assert drops[0] == drops[1] != drops[2]
    assert drops[0].replace(" ", "").replace("␣", " ").strip() == text
    assert output("encode", models / "bytes", text, "--dropout", 0) == output("encode", models / "bytes", text)
    assert output("encode", models / "bytes", "newest", "--dropout", 1) == "n e w e s t\n"
    lines = output("encode", models / "bytes", *["newest"] * 9, "--dropout", 0.5).splitlines()
    assert len(set(lines)) > 3
    merged = output("encode", models / "bytes", "newest", "--dropout", 0.5, "--seed", 3, "--steps").splitlines()
    assert "  rank 4  n [e w] es t   left out 1" in merged


def test_two_encoders(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("ab abc bc bc bc")
    output("train", text, "--pre-tokenizer", "whitespace", "--merges", 2, "--out", tmp_path / "m")
    said = output("encode", tmp_path / "m", "bc abc", "--against", "longest-match", "ab")
    assert said == (
        "abc: Longest match takes ‘ab’ at once. Merge rank never makes it here, because a merge across its border "
        "comes first: rank 0: b + c → bc.\n"
        "1 of 2 words differs\n"
        "\n"
        "the same in this word\n"
    )


def test_bytes_in_hex_as_tiktoken_encodes_them(models):
    lines = (line.split() for line in (models / "ranks.tiktoken").read_text().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    pattern = json.loads((models / "ranks.json").read_text())["pattern"]
    theirs = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    for data in (b"", b"low", b"low lowest\xff", b"\xf0\x9f\x98", b"newest \n \xc3", b"a\x80low lowest"):
        ids = " ".join(map(str, theirs._encode_bytes(data)))
        assert output("encode", models / "ranks.tiktoken", data.hex(" "), "--hex", "--ids") == f"{ids}\n"
    assert output("encode", models / "ranks.tiktoken", "6c6f77 ff", "--hex") == "low ⟨FF⟩\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["6g"], "--hex: expected two digits from 0 to f for each byte"),
        (["61", "--steps"], "--hex does not go with --steps"),
        (["61", "--dropout", "0.1"], "--hex does not go with --dropout"),
        (["-"], "--hex does not go with standard input (-)"),
    ],
)
def test_hex_that_cannot_be_used(models, line, message):
    result = bpe("encode", models / "bytes", *line, "--hex")
    assert result.status == 2
    assert message in result.err


def test_broken_text_needs_bytes(models):
    result = bpe("encode", models / "suffix", "61ff", "--hex")
    assert result.status == 1
    assert "Byte 2 is not UTF-8, and this tokenizer knows characters only, not bytes." in result.err
