"""The texts to measure on: given by path, those in a folder `shared` beside the checkout, or made here.

What is made or unpacked lies in a folder, and is used again.
"""

import itertools
import lzma
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jobs import ROOT, say

SHARED = ROOT.parent / "shared" / "data"
MEGABYTE = 1_000_000
SHARED_TEXTS = {1: "en_docs_1m.txt", 10: "en_docs_10m.txt.xz", 100: "en_docs_100m.txt.xz"}

SAMPLES = ("alice.txt", "languages.txt")
BYTES_PER_MADE_WORD = 20
FEWEST_MADE_WORDS, MOST_MADE_WORDS = 5_000, 300_000
WORDS_PER_LINE = 12
LINES_PER_BLOCK = 10_000


@dataclass(frozen=True)
class Corpus:
    path: Path
    source: str

    @property
    def megabytes(self) -> float:
        return self.path.stat().st_size / MEGABYTE

    def __str__(self) -> str:
        return f"{self.megabytes:,.1f} MB of {self.source}"


class Corpora:
    """Texts of any size. `given` is a text of the user's; without it the shared ones are taken, or one is made."""

    def __init__(self, folder: Path, given: Path | None = None, uses_shared: bool = True) -> None:
        self.folder = folder
        self._given = given
        self._shared = SHARED / "corpora" if uses_shared and (SHARED / "corpora").is_dir() else None

    def whole(self) -> Corpus | None:
        """The user's text as it is."""
        return Corpus(self._unpacked(self._given), self._given.name) if self._given else None

    def of_size(self, megabytes: float) -> Corpus:
        """A longer text is cut at a line end, a shorter one goes on with its lines in other orders."""
        source = self._source(megabytes)
        if source is None:
            path = self._once(f"made-{megabytes:g}m.txt", lambda file: _make(file, int(megabytes * MEGABYTE)))
            return Corpus(path, "made-up words (synthetic)")
        size, wanted = source.stat().st_size, int(megabytes * MEGABYTE)
        if abs(size - wanted) <= wanted // 100:
            return Corpus(source, source.name)
        name = f"{source.stem}-{megabytes:g}m.txt"
        if size > wanted:
            return Corpus(self._once(name, lambda file: _cut(source, file, wanted)), f"the beginning of {source.name}")
        repeated = self._once(name, lambda file: _repeat(source, file, wanted))
        return Corpus(repeated, f"the lines of {source.name} in different orders")

    def _source(self, megabytes: float) -> Path | None:
        if self._given:
            return self._unpacked(self._given)
        if not self._shared:
            return None
        size = next((size for size in SHARED_TEXTS if size >= megabytes), max(SHARED_TEXTS))
        return self._unpacked(self._shared / SHARED_TEXTS[size])

    def one_line(self, name: str, characters: int, text: Callable[[int], str]) -> Path:
        """A text that is made from a function of its length."""
        return self._once(f"{name}-{characters}.txt", lambda file: file.write_bytes(text(characters).encode()))

    def _unpacked(self, path: Path) -> Path:
        if path.suffix != ".xz":
            return path

        def unpack(file: Path) -> None:
            with lzma.open(path) as packed, file.open("wb") as plain:
                shutil.copyfileobj(packed, plain)

        return self._once(path.stem, unpack)

    def _once(self, name: str, make: Callable[[Path], object]) -> Path:
        """The file of this name in the folder, made unless it is there."""
        path = self.folder / name
        if not path.exists():
            say(f"  making {name}")
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / ".gitignore").write_text("*\n")
            unfinished = path.with_suffix(".part")
            make(unfinished)
            unfinished.replace(path)
        return path


def shared_ranks() -> Path | None:
    """GPT-2's own vocabulary."""
    path = SHARED / "tokenizers" / "r50k_base.tiktoken"
    return path if path.exists() else None


def _cut(source: Path, file: Path, size: int) -> None:
    with source.open("rb") as text:
        file.write_bytes(_beginning(text.read(size)))


def _beginning(data: bytes) -> bytes:
    """As many whole lines as there are; of a single one whole characters.

    >>> _beginning(b"one\\ntwo\\nthr"), _beginning("\\u4e2d\\u6587".encode()[:5]).decode()
    (b'one\\ntwo\\n', '中')
    """
    return data[: data.rfind(b"\n") + 1] or data.decode(errors="ignore").encode()


def _fill(file: Path, blocks: Iterator[bytes], size: int) -> None:
    """Write blocks of lines up to a size."""
    with file.open("wb") as text:
        for block in blocks:
            left = size - text.tell()
            if left < len(block):
                text.write(_beginning(block[:left]))
                return
            text.write(block)


def _repeat(source: Path, file: Path, size: int) -> None:
    lines = source.read_bytes().splitlines(keepends=True)
    if not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    _fill(file, _orders(lines), size)


def _orders(lines: list[bytes]) -> Iterator[bytes]:
    chance = random.Random(0)
    while True:
        yield b"".join(lines)
        chance.shuffle(lines)


def _make(file: Path, size: int) -> None:
    """Lines of made-up words, the word of rank n with a frequency of 1 / n as in real texts; always the same ones."""
    chance = random.Random(0)
    words = _made_words(chance, min(max(size // BYTES_PER_MADE_WORD, FEWEST_MADE_WORDS), MOST_MADE_WORDS))
    _fill(file, _made_lines(chance, words), size)


def _made_lines(chance: random.Random, words: Sequence[str]) -> Iterator[bytes]:
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    while True:
        drawn = chance.choices(words, cum_weights=weights, k=LINES_PER_BLOCK * WORDS_PER_LINE)
        yield "".join(" ".join(line) + "\n" for line in _lines(drawn)).encode()


def _lines(words: Sequence[str]) -> Iterator[Sequence[str]]:
    return (words[i : i + WORDS_PER_LINE] for i in range(0, len(words), WORDS_PER_LINE))


def _made_words(chance: random.Random, count: int) -> list[str]:
    """The samples' words by frequency, then words of which any three neighbouring letters are in one of those."""
    texts = [(ROOT / "resources" / "samples" / name).read_text(encoding="utf-8") for name in SAMPLES]
    known = Counter(" ".join(texts).split())
    followers: dict[str, list[str]] = {}
    for word in known:
        for i in range(len(word) + 1):
            followers.setdefault(word[max(0, i - 2) : i], []).append(word[i : i + 1])  # "" ends it
    words = dict.fromkeys(word for word, _ in known.most_common())
    while len(words) < count:
        word = ""
        while letter := chance.choice(followers[word[-2:]]):
            word += letter
        words.setdefault(word)
    return list(words)
