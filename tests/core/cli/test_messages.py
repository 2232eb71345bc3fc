"""Every wrong option and every wrong file has a message of its own, and a status that tells the one from the other."""

import shlex

import pytest

from tests.core.cli.commands import bpe

OPTIONS = [
    ("", "Which command? There are train, encode, decode, stats, show, convert, attach, what-if."),
    ("trian x", "There is no command 'trian'."),
    ("--verbose", "There is no option '--verbose'."),
    ("train", "the following arguments are required: FILE."),
    ("train T", "--out PATH is missing: where to save the tokenizer."),
    ("train T --format gpt2 --json-lines", "--format is the format of an --out, and there is none."),
    ("train T --out N/m --colour red", "There is no option --colour."),
    ("train T --out N/m --mer 5", "There is no option --mer."),
    ("train T --out", "--out: expected one argument; one that begins with - is written --out=-…."),
    ("train T --out N/m --merges 5 --vocab-size 300", "--vocab-size: not allowed with argument --merges."),
    ("train T --out N/m --merges x", "--merges: expected a whole number from 0 on, got 'x'."),
    ("train T --out N/m --merges -1", "--merges: expected a whole number from 0 on, got '-1'."),
    ("train T --out N/m --merges 1.5", "--merges: expected a whole number from 0 on, got '1.5'."),
    ("train T --out N/m --merges 10000001", "--merges: expected a whole number up to 10,000,000, got '10000001'."),
    ("train T --out N/m --min-frequency 0", "--min-frequency: expected a whole number from 1 on, got '0'."),
    ("train T --out N/m --coverage 2", "--coverage: expected a number from 0 to 1, got '2'."),
    ("train T --out N/m --coverage nan", "--coverage: expected a number from 0 to 1, got 'nan'."),
    ("train T --out N/m --base characters --coverage 0", "The character coverage must be more than 0 and at most 1"),
    ("train T --out N/m --base letters", "--base: there is no 'letters'; choose from characters, bytes."),
    ("train T --out N/m --normalizer nfc,uppercase", "--normalizer: there is no 'uppercase'; choose from ftfy, "),
    ("train T --out N/m --pre-tokenizer gpt5", "--pre-tokenizer: there is no 'gpt5'; choose from gpt2, cl100k, "),
    ("train T --out N/m --marker '<w>'", "--marker: there is no '<w>'; choose from none, symbol, suffix, continuing, "),
    ("train T --out N/m --tie-break random", "--tie-break: there is no 'random'; choose from ids, bytes, first-seen, "),
    ("train T --out N/m --preset bert", "--preset: there is no 'bert'; choose from gpt2, gpt4, "),
    ("train T --out N/m --format onnx", "--format: there is no 'onnx'; choose from huggingface, gpt2, "),
    ("train T --out N/m --pattern '('", "--pattern: The pattern cannot be read at character 2: missing )."),
    ("train T --out N/m --pattern 'a*'", "--pattern: The pattern matches nothing in an empty text"),
    ("train T --out N/m --pre-tokenizer custom", "--pre-tokenizer custom needs a --pattern."),
    ("train T --out N/m --pre-tokenizer gpt2 --pattern x", "--pattern x: Only for words cut by your own pattern."),
    ("train T --out N/m --replace '(' x", "--replace: The pattern cannot be read at character 2: missing )."),
    ("train T --out N/m --replace x", "--replace: expected 2 arguments."),
    ("train T --out N/m --normalizer replace", "--replace: Write at least one pattern and its new text."),
    ("train T --out N/m --number-token ''", "--number-token: Write what takes the place of a number."),
    ("train T --out N/m --normalizer prepend-metaspace", "--normalizer prepend_metaspace: Only with the marker ▁"),
    ("train T --out N/m --stop-at-token '['", "--stop-at-token: The pattern cannot be read"),
    ("train T --out N/m --marker '</w>'", "--marker suffix: A byte alphabet has no final or continuing letters"),
    ("train T --out N/m --marker ▁", "--marker metaspace: The marker ▁ is a character"),
    ("train T --out N/m --marker-text _", "--marker-text _: Only with a marker that is not part of the text."),
    ("train T --out N/m --no-complete-alphabet", "--no-complete-alphabet: Only with a marker on characters"),
    ("train T --out N/m --coverage 0.9", "--coverage 0.9: Only for an alphabet of characters."),
    ("train T --out N/m --alphabet-limit 9", "--alphabet-limit 9: Only for an alphabet of characters."),
    ("train T --out N/m --initial-characters ab", "--initial-characters ab: Only for an alphabet of characters."),
    ("train T --out N/m --base characters --byte-order value", "--byte-order value: Only for an alphabet of bytes."),
    ("train T --out N/m --specials-last --merges 1", "--specials-last: Write a special token first."),
    ("train T --out N/m --specials-in-text match", "--specials-in-text match: Write a special token first."),
    (
        "train T --out N/m --special a --specials-in-text no",
        "--specials-in-text: there is no 'no'; choose from ",
    ),
    (
        "train T --out N/m --specials-last --special a",
        "Special tokens can only have the last ids if a number of merges",
    ),
    ("train T --out N/m --special a --special a", "The same special token is listed twice."),
    ("train T --out N/m --special ''", "A special token must not be empty."),
    (
        "train T --out N/m --unknown bytes",
        "--unknown bytes: Every text can be written in bytes, so nothing is unknown.",
    ),
    ("train T --out N/m --unknown-token '<unk>'", "--unknown-token <unk>: Every text can be written in bytes"),
    ("train T --out N/m --base characters --unknown token", "Which special token stands for unknown characters?"),
    ("train T --out N/m --base characters --marker '##' --unknown bytes", "--unknown bytes: Bytes have no final or"),
    (
        "train T --out N/m --base characters --unknown drop --unknown-token '<unk>'",
        "--unknown-token <unk>: Only where unknown characters become the unknown token.",
    ),
    (
        "train T --out N/m --base characters --marker ▁ --pre-tokenizer lines",
        "--pre-tokenizer lines: With the marker ▁ spaces are letters",
    ),
    ("train T --out N/m --pre-tokenizer metaspace", "--pre-tokenizer metaspace: Only with the marker ▁"),
    ("train T --out N/m --vocab-size 256", "--vocab-size: There are 256 tokens before the first merge: 256 bytes."),
    (
        "train T --out N/m --base characters --vocab-size 3",
        "--vocab-size: There are 11 tokens before the first merge: 11 characters. A vocabulary of 3 leaves no room",
    ),
    ("train T --out N/m --force é a", "--force: there is no token 'é' before training"),
    ("train T --out N/m --force e s --force e s", "--force e s: this pair is merged already."),
    ("train T --out N/m --forbid es t", "--forbid: there is no token 'es' before training begins."),
    (
        "train T --out N/m --merges 0 --force e s",
        "--merges asks for 0 merges, and 1 are there already; it counts them too.",
    ),
    (
        "train T --out N/m --continue M/bytes --merges 5",
        "--merges asks for 5 merges, and 12 are there already; it counts them too.",
    ),
    (
        "train T --out N/m --continue M/bytes --vocab-size 9",
        "--vocab-size: There are 257 tokens before the first merge",
    ),
    ("train T --out N/m --continue M/bytes --base bytes", "--base: with --continue this is the model's."),
    ("train T --out N/m --continue M/bytes --preset gpt2", "--preset: with --continue these choices are the model's."),
    ("train T --out N/m --continue M/bytes --coverage 0.9", "--coverage 0.9: Only for an alphabet of characters."),
    ("train T --out N/m.txt", "m.txt: the ending .txt does not tell the format; choose a --format: huggingface, "),
    ("train T --out N/a --out N/b --format gpt2", "--format is given 1 times and --out 2 times: name one"),
    ("train T --out T --format word-counts", "four.txt is read and would be written over. Choose another name."),
    ("train T --write-word-counts T", "four.txt is read and would be written over. Choose another name."),
    ("train T --out N/a.csv --out N/a.csv", "a.csv would be written twice. Choose another name for one of the two."),
    ("train T --out N/a.tiktoken --out N/a.json", "a.json would be written twice. Choose another name for one of the"),
    ("train T --out N/a.csv --write-word-counts N/a.csv", "a.csv would be written twice. Choose another name for one"),
    ("train T --continue M/ranks.tiktoken --out M/ranks.json", "ranks.json is read and would be written over."),
    ("convert M/ranks.tiktoken M/ranks.json", "ranks.json is read and would be written over. Choose another name."),
    ("train T --out ''", "--out: the name is empty."),
    ("train T --merges 1 '' --json-lines", "FILE: the name is empty."),
    ("train T --encoding '' --json-lines", "--encoding: the name is empty."),
    ("show ''", "MODEL: the name is empty."),
    ("convert M/bytes ''", "OUT: the name is empty."),
    ("train T - --out N/m", "Standard input (-) is UTF-8 text and the only one: no other files with it."),
    ("train T --word-counts --encoding cp1252 --out N/m", "A list of word counts is always UTF-8: --encoding is for"),
    ("encode M/bytes", "the following arguments are required: TEXT."),
    ("encode M/bytes x --ids --steps", "--steps: not allowed with argument --ids."),
    ("encode M/bytes x --step 13", "--step 13: the model has 12 merges."),
    ("encode M/bytes x --encoder greedy", "--encoder: there is no 'greedy'; choose from merge-rank, token-rank, "),
    ("encode M/bytes x --special maybe", "--special: there is no 'maybe'; choose from match, as-text, refuse."),
    ("encode M/bytes x --dropout 2", "--dropout: expected a number from 0 to 1, got '2'."),
    ("encode M/bytes x --dropout 0.1 --encoder token-rank", "--dropout: Dropout is for the encoder 'Merge rank'"),
    ("encode M/bytes x --seed 1", "--seed is the luck of --dropout, which is not given."),
    ("encode M/bytes x --lines", "--lines is for standard input: give - as the only TEXT."),
    ("encode M/bytes x -", "Standard input (-) is read alone: give no other TEXT with it."),
    ("decode M/bytes 1 --lines", "--lines is for standard input: give - as the only ID."),
    ("decode M/bytes 1 -", "Standard input (-) is read alone: give no other ID with it."),
    ("stats M/bytes", "the following arguments are required: FILE."),
    ("stats M/bytes T --csv --json", "--json: not allowed with argument --csv."),
    ("stats M/bytes T --table pie", "--table: there is no 'pie'; choose from curves, frequencies, "),
    ("stats M/bytes T --alpha 11", "--alpha: expected a number from 0 to 10, got '11'."),
    ("show", "the following arguments are required: MODEL."),
    ("show M/bytes x", "x is one argument too many."),
    ("show M/bytes --merges --vocab", "--vocab: not allowed with argument --merges."),
    ("convert M/bytes", "the following arguments are required: OUT."),
    ("convert M/bytes N/x.bin", "x.bin: the ending .bin does not tell the format; choose a --format: huggingface, "),
    ("what-if T", "the following arguments are required: --against."),
    ("what-if T --against x", "--against: there is no 'x'; choose from ids, bytes, first-seen, lexicographic, "),
]

FILES = [
    ("train N/none.txt --json-lines", "none.txt: there is no such file in "),
    ("train N/empty --json-lines", "There is no text file in the folder empty."),
    ("train N/zip --json-lines", "zip looks like a binary file, not text: it begins like a zip archive"),
    ("train T --encoding klingon --json-lines", "There is no text encoding named 'klingon'."),
    ("train N/latin --encoding utf-8 --json-lines", "latin is not UTF-8: byte 4 (line 1) is not valid in it."),
    ("train N/counts --word-counts --json-lines", 'counts, line 2: "b" behind the last space or tab is not a whole'),
    (
        "train T --special es --specials-in-text refuse --json-lines",
        "The corpus holds the special token 'es' at character 36. Train with special tokens as tokens or as plain text",
    ),
    ("train T --out N/no/m", "m cannot be saved: there is no folder "),
    ("train T --out N/zip", "zip is a file, and the format huggingface needs a folder. Choose another name."),
    ("train T --out N --format tiktoken", "is a folder, and a file is to be written. Choose another name or format."),
    ("train T --write-word-counts N/no/words", "words cannot be saved: there is no folder "),
    ("train T --base characters --out N/m.tiktoken", "The format tiktoken cannot hold this tokenizer."),
    ("train T --continue N/none --json-lines", "none: there is no such file or folder. A model is "),
    ("encode N/none x", "none: there is no such file or folder. A model is one of: Hugging Face"),
    ("encode N/empty x", "there is no tokenizer in this folder. A model is one of: Hugging Face"),
    ("encode T x", "four.txt: this is no tokenizer that can be read. A model is one of: "),
    ("encode N/zip x", "zip: this is no tokenizer that can be read. A model is one of: "),
    ("encode N/broken.json x", "broken.json: this begins like JSON, but is not: line 1, column 2: Expecting"),
    ("encode N/other.json x", "other.json: this JSON is no tokenizer. A model is one of: "),
    ("encode N/unigram.json x", "unigram.json, model.type: this is a Unigram tokenizer."),
    ("encode N/timeline.json x", "timeline.json: this timeline is a report, and no tokenizer can be read from it."),
    ("encode N/alone.tiktoken x", "alone.tiktoken: 255 of the 256 bytes have no rank, such as 00."),
    ("decode M/bytes 5000", "No token has the id 5000."),
    ("stats M/bytes N/none.txt", "none.txt: there is no such file in "),
    ("convert M/suffix N/x.tiktoken", "The format tiktoken cannot hold this tokenizer. tiktoken knows only"),
    ("convert M/bytes N/zip", "zip is a file, and the format huggingface needs a folder. Choose another name."),
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    (folder / "empty").mkdir()
    contents = {
        "zip": b"PK\x03\x04",
        "latin": b"caf\xe9",
        "counts": b"a 1\na b\n",
        "broken.json": b"{",
        "other.json": b'{"a": 1}',
        "unigram.json": b'{"model": {"type": "Unigram"}}',
        "timeline.json": b'{"format": "bpe-gui timeline"}',
        "alone.tiktoken": b"IQ== 0\n",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def arguments(line, four, models, odd):
    """T is a text, M the folder of models, N the folder of odd files."""
    names = {"T": four, "M": models, "N": odd}
    for word in shlex.split(line):
        first, slash, rest = word.partition("/")
        yield f"{names[first]}{slash}{rest}" if first in names else word


@pytest.mark.parametrize(("line", "message"), OPTIONS, ids=[line for line, _ in OPTIONS])
def test_wrong_usage(four, models, odd, line, message):
    result = bpe(*arguments(line, four, models, odd))
    name = line.split(" ")[0]
    of = "bpe" if name in ("", "trian", "--verbose") else f"bpe {name}"
    *_, error, hint = result.err.splitlines()
    assert error.startswith(f"bpe: error: {message}")
    assert (result.status, hint) == (2, f"Try: {of} --help")
    assert result.out == ""


@pytest.mark.parametrize(("line", "message"), FILES, ids=[line for line, _ in FILES])
def test_wrong_files(four, models, odd, line, message):
    before = sorted(odd.iterdir())
    result = bpe(*arguments(line, four, models, odd))
    error = result.err.splitlines()[-1]
    assert error.startswith("bpe: error: ")
    assert message in error
    assert result.status == 1
    assert result.out == ""
    assert sorted(odd.iterdir()) == before
