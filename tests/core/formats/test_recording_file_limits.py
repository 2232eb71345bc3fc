"""Recording files from strangers: whatever is in them, the answer is a message, at once and in little memory."""

import json
import random
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from core.bookmarks import Bookmark, Notes
from core.errors import FormatError
from core.formats.opening import open_model
from core.formats.recording_file import HEAD, load, save
from core.trainer import TrainerConfig
from tests.core.formats.kinds import kind
from tests.core.runs import record

MUTATIONS = 1_000
VALUES = (0, -1, 2**31, 10**30, 1.5, True, None, "", "x" * 999, [], {}, [[1]] * 5, "\ud800", 1e308, {"a": 1}, "bytes")


@pytest.fixture
def file(tmp_path) -> Path:
    config = TrainerConfig(merges=9, special_tokens=("<s>",))
    return save(record("low low lower newest newest widest", config), tmp_path / "a.bpe", Notes((Bookmark(2, "b"),), 1))


def entries_of(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def pack(file: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in entries.items():
            zipped.writestr(name, data)
    return file


def with_head(file: Path, **changes) -> Path:
    entries = entries_of(file)
    entries[HEAD] = json.dumps(json.loads(entries[HEAD]) | changes).encode()
    return pack(file, entries)


def with_entry(file: Path, name: str, data: bytes) -> Path:
    return pack(file, entries_of(file) | {name: data})


def message_of(file: Path) -> str:
    with pytest.raises(FormatError) as caught:
        load(file)
    return str(caught.value)


def test_a_newer_version_is_named(file):
    assert message_of(with_head(file, version=2)) == (
        "a.bpe, recording.json was written by a newer version of this program: its format has the number 2, and this "
        "version reads up to 1. Get a newer one to open it."
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "x"}, "a.bpe, recording.json: this is not a bpe-gui recording."),
        ({"version": "1"}, "a.bpe, recording.json, version: expected 1, found 1."),
        ({"merges": -1}, "a.bpe, recording.json.merges: expected a whole number from 0 on, found -1."),
        ({"base": "words"}, "a.bpe, recording.json.base: expected one of characters, bytes, found 'words'."),
        ({"merges": 8}, "a.bpe, merges.jsonl: 8 merges were expected, 9 are there."),
        ({"step": 10}, "a.bpe, recording.json: a step or bookmark is 10, and there are 9 merges."),
        ({"bookmarks": [{"step": 1}]}, "a.bpe, recording.json.bookmarks[0]: 'name' is missing."),
        ({"colour": 1}, "a.bpe, recording.json: there should be no 'colour'. A newer version of this program may know"),
        ({"rules": {"whole_pieces": 1}}, "a.bpe, recording.json.rules.whole_pieces: expected true or false, found 1."),
        ({"config": {"merges": 5, "coverage": 7}}, "a.bpe, recording.json.config: The character coverage must be more"),
    ],
)
def test_wrong_settings(file, changes, message):
    assert message_of(with_head(file, **changes)).startswith(message)


@pytest.mark.parametrize(
    ("entry", "data", "message"),
    [
        ("merges.jsonl", b'{"left":[1]}', "a.bpe, merges.jsonl, line 1: 'right' is missing."),
        ("merges.jsonl", b'{"left":[1],"right":[]}', "a.bpe, merges.jsonl, line 1, right: a list of 1 was expected"),
        (
            "merges.jsonl",
            b'{"left":[1],"right":[999],"token":[257]}',
            "a.bpe, merges.jsonl: the merge of rank 0 needs the id 999, and no token has it.",
        ),
        (
            "merges.jsonl",
            b'{"left":[1],"right":["2"],"token":[257]}',
            "a.bpe, merges.jsonl, line 1, right: expected whole numbers, found '2'.",
        ),
        ("merges.jsonl", b'{"left":[NaN]}', "a.bpe, merges.jsonl, line 1: NaN is not JSON."),
        ("alphabet.jsonl", b'{"id":[1,1],"hex":["61","62"]}', "a.bpe, alphabet.jsonl: an id stands for two tokens"),
        ("alphabet.jsonl", b'{"id":[1],"hex":["6"]}', "a.bpe, alphabet.jsonl: the content of a token is not in hex."),
        ("words.jsonl", b'{"word":["a","a"],"count":[1,2]}', "a.bpe, words.jsonl: a word is listed twice."),
        ("words.jsonl", b"[" * 100_000, "a.bpe, words.jsonl, line 1 is nested too deeply"),
        ("words.jsonl", b'{"word":[' + b'"a",' * 2_000_000, "a.bpe, words.jsonl, line 1: it is too long."),
        ("words.json", b"", "a.bpe: there should be no entry 'words.json'."),
    ],
)
def test_wrong_tables(file, entry, data, message):
    assert message_of(with_entry(file, entry, data)).startswith(message)


def test_what_is_missing_or_cut_off(file):
    entries, data = entries_of(file), file.read_bytes()
    assert message_of(pack(file, {name: entries[name] for name in (HEAD, "alphabet.jsonl")})) == (
        "a.bpe: merges.jsonl is missing in it."
    )
    file.write_bytes(data[:-30])
    with pytest.raises(FormatError, match=r"a\.bpe is cut off or damaged"):
        open_model(file)


def test_tokens_that_double_again_and_again(file):
    ids = list(range(257, 357))
    line = json.dumps({"left": [256, *ids[:-1]], "right": [256, *ids[:-1]], "token": ids})
    with_entry(with_head(file, merges=100), "merges.jsonl", line.encode())
    assert message_of(file) == "a.bpe, merges.jsonl: tokens are longer, or ids larger, than any should be."


@pytest.mark.parametrize("says_so", [True, False])
def test_a_zip_that_would_grow_to_gigabytes(file, says_so):
    size = 1 << 31
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as zipped, zipped.open("given_merges.jsonl", "w") as entry:
        for _ in range(64):
            entry.write(bytes(1 << 20))
    data = bytearray(file.read_bytes())
    place = data.rfind(b"PK\x01\x02")
    claimed = size if says_so else 1_000
    data[place + 24 : place + 28] = claimed.to_bytes(4, "little")
    file.write_bytes(data)
    tracemalloc.start()
    start = time.perf_counter()
    message = message_of(file)
    assert time.perf_counter() - start < 1
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()
    assert message in (
        "a.bpe: given_merges.jsonl would take 2,147 MB unpacked; at most 134 MB are read.",
        "a.bpe: given_merges.jsonl is damaged.",
    )


def test_a_directory_of_millions_of_entries(file):
    data = bytearray(file.read_bytes())
    data[-12:-10] = (65_535).to_bytes(2, "little")
    file.write_bytes(data)
    assert message_of(file) == "a.bpe: it has 65,535 entries; at most 8 are expected."


def test_mutated_files(file, tmp_path):
    """Bytes flipped, ends cut off, entries and values of other kinds in the place of what was there."""
    luck, target = random.Random(5), tmp_path / "b.bpe"
    sources = [
        file,
        save(kind("metaspace bytes"), tmp_path / "m.bpe"),
        save(kind("wordpiece words"), tmp_path / "w.bpe"),
    ]
    whole = [(source.read_bytes(), entries_of(source)) for source in sources]
    refused = 0
    for _ in range(MUTATIONS):
        data, entries = luck.choice(whole)
        match luck.randrange(4):
            case 0:
                changed = bytearray(data)
                for _ in range(luck.randint(1, 5)):
                    changed[luck.randrange(len(data))] = luck.randrange(256)
                target.write_bytes(changed)
            case 1:
                target.write_bytes(data[: luck.randrange(len(data))])
            case 2:
                name = luck.choice(list(entries))
                cut = entries[name][: luck.randrange(len(entries[name]))]
                pack(target, entries | {name: luck.choice([cut, entries[name] * 2, cut + b"\xff", b"{}"])})
            case _:
                name = luck.choice(list(entries))
                value = json.loads(entries[name].split(b"\n")[0] if name.endswith("l") else entries[name])
                pack(target, entries | {name: json.dumps(mutated(value, luck)).encode()})
        try:
            load(target)
        except FormatError:
            refused += 1
    assert refused > MUTATIONS * 0.9


def mutated(value, luck: random.Random):
    if not value or not isinstance(value, dict | list) or luck.random() < 0.1:
        return luck.choice(VALUES)
    if isinstance(value, dict):
        key = luck.choice(list(value))
        return value | {key: mutated(value[key], luck)}
    place = luck.randrange(len(value))
    return [*value[:place], mutated(value[place], luck), *value[place + luck.randrange(2) :]]
