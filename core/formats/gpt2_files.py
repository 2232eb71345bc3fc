"""The two files of GPT-2's format: which ones belong together under which names, and what stands in them."""

import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NamedTuple

from core.errors import FormatError
from core.formats.merge_lines import VERSION_LINE, MergeList, looked_at, read_merge_lines
from core.formats.sliced_json import read_object
from core.formats.strict_json import is_id, read_bytes, read_text
from core.progress import Progress

VOCAB, MERGES, SIDE_CAR = "vocab.json", "merges.txt", "bpe-gui.json"
VOCAB_ENDINGS, MERGES_ENDINGS = (VOCAB, "encoder.json"), (MERGES, ".bpe")
"""Of the names they have elsewhere: `gpt2-vocab.json`, and `encoder.json` with `vocab.bpe`."""
ZIP_MAGIC = b"PK\x03\x04"
BYTES_LOOKED_AT = 1 << 16
ENTRIES_OF_A_VOCABULARY = 256
"""So many entries make a vocabulary of what has no merges beside it."""
ENTRIES_PER_SLICE = 10_000
_HEADER = re.compile(VERSION_LINE)
_FLAT = re.compile(r'\s*\{\s*(?:"(?:[^"\\]|\\.)*+"\s*:\s*-?\d++\s*(?:,\s*|\}\s*))++')

_CUT_ENTRY = re.compile(r'\s*(?:"(?:[^"\\]|\\.)*+(?:\\|"\s*(?::\s*(?:-|-?\d++)?)?)?)?\s*', re.DOTALL)
"""The end of what was looked at, or of a file that was cut off; a text instead of an id is no such thing."""


class Pair(NamedTuple):
    """`vocab` is None where only the merges are there."""

    vocab: Path | None
    merges: Path

    @property
    def file(self) -> str:
        """The name of the one that says the ids."""
        return (self.vocab or self.merges).name

    @property
    def side_car(self) -> Path | None:
        """Of a pair with the usual names, which are those we write."""
        if self.vocab is None or (self.vocab.name, self.merges.name) != (VOCAB, MERGES):
            return None
        path = self.merges.with_name(SIDE_CAR)
        return path if path.exists() else None


def pair_of(path: Path) -> Pair:
    """The pair that a folder holds, or that a file is part of. Raises FormatError where one of the two is missing."""
    if path.is_dir():
        return _pair_in(path)
    if path.name.endswith(VOCAB_ENDINGS) or _is_flat(path):
        merges = merges_beside(path)
        if merges is None:
            raise FormatError(f"{path.name} is a vocabulary, and its merges are missing: no {MERGES} lies beside it.")
        return Pair(path, merges)
    return Pair(vocab_beside(path), path)


def _pair_in(folder: Path) -> Pair:
    if (folder / VOCAB).exists() or (folder / MERGES).exists():
        return Pair(folder / VOCAB, folder / MERGES)
    found = list(pairs_in(folder))
    if len(found) != 1:
        raise FormatError(f"{VOCAB} is missing in {folder.absolute()}.")
    return found[0]


def pairs_in(folder: Path) -> Iterator[Pair]:
    """Complete pairs only."""
    for vocab in _ending(folder, VOCAB_ENDINGS):
        if merges := merges_beside(vocab):
            yield Pair(vocab, merges)


def merges_beside(vocab: Path) -> Path | None:
    return _partner(vocab, MERGES_ENDINGS)


def vocab_beside(merges: Path) -> Path | None:
    """None for a file whose name is not one of merges: codes of another tool may lie beside a vocabulary."""
    return _partner(merges, VOCAB_ENDINGS) if merges.name.endswith(MERGES_ENDINGS) else None


def _partner(path: Path, endings: tuple[str, ...]) -> Path | None:
    """The only one there is, or the one with the most letters in common at the start of its name."""
    found = [other for other in _ending(path.parent, endings) if other != path and not _is_packed(other)]
    if len(found) < 2:
        return found[0] if found else None
    shared = {other: _letters_shared(path.name, other.name) for other in found}
    most = max(shared.values())
    best = [other for other in found if shared[other] == most]
    return best[0] if len(best) == 1 else None


def _is_packed(path: Path) -> bool:
    """As a recording of this program is, whose name ends as that of GPT-2's merges."""
    return _beginning(path)[:4] == ZIP_MAGIC


def _letters_shared(first: str, second: str) -> int:
    """At the start of both."""
    pairs = zip(first, second, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _ending(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(endings) and entry.is_file())
    except OSError:
        return []
    return [folder / name for name in names]


def _is_flat(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return looks_like_vocabulary(file.read(BYTES_LOOKED_AT))
    except OSError:
        return False


def looks_like_vocabulary(data: bytes) -> bool:
    """Whether it begins as a JSON object from texts to whole numbers."""
    return entries_seen(data) > 0


def entries_seen(data: bytes) -> int:
    """Entries at the beginning of such an object; 0 for anything else."""
    text = data[:BYTES_LOOKED_AT].decode(errors="replace")
    match = _FLAT.match(text)
    if not match:
        return 0
    return match[0].count(":") if _CUT_ENTRY.fullmatch(text, match.end()) else 0


def recognizes(data: bytes, path: Path) -> bool:
    """A vocabulary with merges beside it, or a large one; merges with a vocabulary beside them, or spelled in bytes."""
    if data.lstrip()[:1] == b"{":
        seen = entries_seen(data)
        is_named = path.name.endswith(VOCAB_ENDINGS) and _FLAT.match(data[:BYTES_LOOKED_AT].decode(errors="replace"))
        return seen >= ENTRIES_OF_A_VOCABULARY or bool((seen or is_named) and merges_beside(path))
    found = looked_at(data)
    if found is None or found.columns != 2:
        return False
    if vocab_beside(path) is not None:
        return True
    is_byte_level = found.is_spelled_in_bytes and not found.has_word_ends
    return is_byte_level and (found.has_space_signs or path.name.endswith(MERGES_ENDINGS))


def finds(folder: Path) -> Iterator[Path]:
    """Not beside a tokenizer.json: transformers writes the two there, and they say less."""
    if (folder / "tokenizer.json").is_file():
        return
    if (folder / VOCAB).is_file() and (folder / MERGES).is_file():
        yield folder
        return
    found = list(pairs_in(folder))
    yield from (pair.vocab for pair in found if pair.vocab)
    taken = {pair.merges for pair in found}
    for merges in _ending(folder, (MERGES,)):
        if merges not in taken and recognizes(_beginning(merges), merges):
            yield merges


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(BYTES_LOOKED_AT)
    except OSError:
        return b""


def read_vocab(path: Path) -> Generator[Progress, None, dict[str, int]]:
    """Raises FormatError for what is no id, and for an id that two tokens have."""
    vocab = yield from read_object(read_bytes(path), path.name)
    for text, token_id in vocab.items():
        if not is_id(token_id):
            raise FormatError(f"{path.name}: expected an id, a whole number from 0, for {text!r}, found {token_id!r}.")
    yield Progress(0, len(vocab))
    texts = {token_id: text for text, token_id in vocab.items()}
    if len(texts) < len(vocab):
        first, second = next((text, texts[i]) for text, i in vocab.items() if texts[i] != text)
        raise FormatError(f"{path.name}: the tokens {first!r} and {second!r} both have the id {vocab[first]}.")
    return vocab


class Merges(NamedTuple):
    """Those of a file, and its text."""

    listing: MergeList
    text: str

    @property
    def letters(self) -> set[str]:
        """All of the tokens'; those of a header are among all spellings."""
        return set(self.text) - set(" \r\n")

    def has_ends(self, marker: str) -> bool:
        """Whether a token at the end of a line ends so."""
        return re.search(rf"{re.escape(marker)}\r?(?:\n|\Z)", self.text) is not None


def read_merges(path: Path) -> Generator[Progress, None, Merges]:
    """With or without header, last line end and carriage returns. Raises FormatError with the line."""
    text = read_text(path)
    yield Progress(0, len(text))
    return Merges((yield from read_merge_lines(text, path.name, header=_HEADER)), text)
