"""Broken copies of a tokenizer file, read one after the other in a process of its own that may take 1 GB.

`python -m tests.core.formats.mutating FILE COUNT SEED FOLDER` writes a line of JSON for each copy that ends in anything
but a tokenizer or an error of ours, or takes too long.
"""

import json
import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

from core import kernel_loader
from core.errors import BpeError
from core.formats.opening import open_model
from core.tokenizer import Tokenizer

SECONDS = 10
MEMORY = 1 << 30
PROBES = ("", "Hello, world! 中文 🙂 12345\r\n  x", "<s>hi</s><|endoftext|> low lower", "\x00\ufeff e\u0301")
ODD = (
    None, True, -1, 0, 1, 2**31, 2**63, -(2**40), 1.5, 1e308, "", "x", "\x00", "Ġ", "a b", "▁", "</w>", [], {}, [[]],
    "BPE", [None], {"": None}, "\ud7ff" * 3, "(", "(a+)+$", "x" * 5_000, [1] * 100,
)  # fmt: skip


def mutated(data: bytes, luck: random.Random) -> bytes:
    """A copy with one to three faults of some kind."""
    if data.lstrip()[:1] == b"{" and luck.random() < 0.5:
        return mutated_json(data, luck)
    for _ in range(luck.choice((1, 1, 1, 2, 3))):
        data = luck.choice(FAULTS)(data, luck)
    return data


def mutated_json(data: bytes, luck: random.Random) -> bytes:
    value = json.loads(data)
    for _ in range(luck.choice((1, 1, 2))):
        place, key = random_place(value, luck)
        if place is None:
            continue
        what = luck.random()
        if what < 0.2:
            del place[key]
        elif what < 0.3 and isinstance(place[key], int):
            place[key] = -place[key]
        elif what < 0.4:
            deep = place[key]
            for _ in range(luck.choice((5, 50, 200))):
                deep = [deep] if luck.random() < 0.5 else {"a": deep}
            place[key] = deep
        elif what < 0.5 and isinstance(place, list):
            place.append(place[key])
        elif what < 0.6 and isinstance(place, dict):
            place[luck.choice(("x", "", "type", "vocab", "merges", "pattern"))] = place.pop(key)
        else:
            place[key] = luck.choice(ODD)
    return json.dumps(value, ensure_ascii=luck.random() < 0.5).encode("utf-8", "surrogatepass")


def random_place(value: object, luck: random.Random) -> tuple[dict | list | None, object]:
    """Some container inside, and a key of it."""
    while isinstance(value, dict | list) and value:
        key = luck.choice(list(value)) if isinstance(value, dict) else luck.randrange(len(value))
        inner = value[key]
        if not isinstance(inner, dict | list) or not inner or luck.random() < 0.3:
            return value, key
        value = inner
    return None, None


def flip(data: bytes, luck: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(luck.choice((1, 2, 8, 64))):
        if changed:
            changed[luck.randrange(min(len(changed), luck.choice((64, 512, len(changed)))))] = luck.randrange(256)
    return bytes(changed)


def cut(data: bytes, luck: random.Random) -> bytes:
    return data[: luck.randrange(len(data) + 1)]


def drop(data: bytes, luck: random.Random) -> bytes:
    start = luck.randrange(len(data) + 1)
    return data[:start] + data[start + luck.choice((1, 2, 7, 100, 1_000)) :]


def repeat(data: bytes, luck: random.Random) -> bytes:
    start = luck.randrange(len(data) + 1)
    piece = data[start : start + luck.choice((1, 4, 20, 300))]
    return data[:start] + piece * luck.choice((2, 3, 50)) + data[start:]


def insert(data: bytes, luck: random.Random) -> bytes:
    start = luck.randrange(len(data) + 1)
    return data[:start] + luck.choice(INSERTED) + data[start:]


INSERTED = (
    b"\x00", b"\xff" * 9, b"\x80" * 20, b"\n", b" ", b"\r\n", b"-", b"9" * 20, b"[" * 3_000, b"\xed\xa0\x80",
)  # fmt: skip


def swap_lines(data: bytes, luck: random.Random) -> bytes:
    lines = data.split(b"\n")
    a, b = luck.randrange(len(lines)), luck.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def negate(data: bytes, luck: random.Random) -> bytes:
    """A minus before some digit."""
    places = [i for i, byte in enumerate(data[: 1 << 16]) if 48 <= byte < 58]
    place = luck.choice(places) if places else 0
    return data[:place] + b"-" + data[place:]


FAULTS = (flip, flip, cut, drop, repeat, insert, swap_lines, negate)


def fault_of(path: Path) -> str | None:
    """What is wrong about reading a file; None if it is a tokenizer that works or an error of ours."""
    started = time.monotonic()
    signal.alarm(SECONDS)
    try:
        tokenizer = Tokenizer(open_model(path).recording)
        for text in PROBES:
            tokenizer.decode(tokenizer.ids(text))
    except BpeError as error:
        if not str(error).strip():
            return "an error without words"
    except BaseException:
        return traceback.format_exc(limit=-4)
    finally:
        signal.alarm(0)
    seconds = time.monotonic() - started
    return f"it took {seconds:.1f} s" if seconds > SECONDS else None


def main(file: str, count: str, seed: str, folder: str) -> None:
    original, place = Path(file), Path(folder)
    for sibling in original.parent.iterdir():
        if sibling.is_file() and sibling.stat().st_size < 1 << 22:
            shutil.copy(sibling, place)
    if os.environ.get("BPE_TESTS_COMPILED") == "1":
        kernel_loader.load()
    data, target = original.read_bytes(), place / original.name
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _too_long)
    for number in range(int(count)):
        target.write_bytes(mutated(data, random.Random(f"{seed} {number}")))
        if fault := fault_of(target):
            print(json.dumps({"number": number, "fault": fault}), flush=True)


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
