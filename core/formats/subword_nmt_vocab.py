"""The vocabulary of subword-nmt's `get-vocab`: `lo@@ 5` for a token inside words, `low 3` for one that ends them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.alphabet import Base, Marker, Token
from core.errors import FormatError
from core.formats.base import Finding, Format, Lines, Severity, refusal
from core.formats.strict_json import read_text
from core.merge import UNKNOWN
from core.recording import Recording

SEPARATOR = "@@"
ENDING = ".vocab"
_BETWEEN = re.compile(rb"[ \r\n]")


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of such a file with the numbers of their lines, from 0."""

    ids: Mapping[Token, int]
    file: str

    @property
    def fact(self) -> str:
        return f"Ids are the lines of {self.file}, from 0; tokens that it lacks follow."


def ids_beside(codes: Path) -> Vocabulary | None:
    """The vocabulary with the name of the codes: `bpe.vocab` or `bpe.codes.vocab` for `bpe.codes`.

    None if there is none. Raises FormatError with the line of what is no entry.
    """
    for path in (codes.with_suffix(ENDING), codes.with_name(codes.name + ENDING)):
        if path.is_file() and path != codes:
            entries = read_vocabulary(path)
            return Vocabulary({token_of(text): number for number, text in enumerate(entries)}, path.name)
    return None


def read_vocabulary(path: Path) -> dict[str, int]:
    """The spellings with their counts. Raises FormatError with the line of what is no entry, or one too many."""
    text = read_text(path)
    counts: dict[str, int] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1):
        token, _, count = line.strip("\r ").partition(" ")
        if not token or not (count.isascii() and count.isdigit()) or len(count) > 18:
            raise FormatError(
                f"{path.name}, line {number}: expected a token, a space and a count, found {line[:60]!r}."
            )
        if token in counts:
            raise FormatError(f"{path.name}, line {number}: the token {token!r} is listed twice.")
        counts[token] = int(count)
    return counts


def token_of(spelling: str, separator: str = SEPARATOR) -> Token:
    """`lo@@` goes on, `low` ends its word."""
    if len(spelling) > len(separator) and spelling.endswith(separator):
        return Token(spelling.removesuffix(separator).encode())
    return Token(spelling.encode(), ends_word=True)


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    alphabet = recording.alphabet
    if alphabet.base is not Base.CHARACTERS or alphabet.marker is not Marker.SUFFIX:
        yield refusal(
            "The list tells tokens that end words from those that do not. Train with characters and the marker </w> "
            "attached to the last letter."
        )
    elif not recording.has_counts:
        yield refusal("There are no counts to save: the tokenizer comes from a file. Attach a corpus, or train one.")
    elif any(_BETWEEN.search(token.content) for token in alphabet.tokens.values() if not token.special):
        yield refusal("Tokens hold spaces or line ends, and the file separates by them. Cut words at white space.")
    else:
        yield Finding(Severity.LOSS, "Only tokens that occur, and their counts, are kept: neither merges nor settings.")


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: _lines(recording, step)}


def _lines(recording: Recording, step: int) -> Lines:
    """The most frequent first, equally frequent ones by id."""
    counts = _counts(recording, step)
    for token_id in sorted(counts, key=lambda token_id: (-counts[token_id], token_id)):
        token = recording.token(token_id)
        if counts[token_id] > 0:
            yield f"{token.content.decode(errors='replace')}{'' if token.ends_word else SEPARATOR} {counts[token_id]}\n"


def _counts(recording: Recording, step: int) -> dict[int, int]:
    """As Recording.token_count, of all tokens at once: a preview of 32,000 must be quick."""
    counts = Counter({token_id: count for token_id, count in recording.base_counts.items() if token_id != UNKNOWN})
    for rank in range(step):
        merge = recording[rank]
        counts[merge.token_id] += merge.applied
        counts[merge.left] -= merge.applied
        counts[merge.right] -= merge.applied
    return counts


FORMAT = Format(
    name="subword-nmt-vocab",
    title="subword-nmt vocabulary",
    help="Every token and how often it stands in the corpus, as subword-nmt's get-vocab counts them in @@ text.",
    suggested_name="bpe.vocab",
    is_folder=False,
    findings=findings,
    render=render,
)
