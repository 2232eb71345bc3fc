"""Texts cut into tokens as subword-nmt's `apply-bpe` writes them: `lo@@ w er@@ ed`, a mark behind each token that does
not end its word; and back.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

import regex

from core.alphabet import Base, Token
from core.decoding import has_metaspace
from core.errors import BpeError
from core.merge import UNKNOWN
from core.recording import Recording
from core.special_tokens import Specials
from core.tokenizer import Tokenizer

SEPARATOR = "@@"
MAX_REMEMBERED = 200_000
_LINE = regex.compile(r"( *)([^\r\n]*?)( *)([\r\n]+|\Z)")


def problem_of(recording: Recording) -> str | None:
    """Why a tokenizer's tokens make no such text, in the user's words; None if they do."""
    if recording.alphabet.base is not Base.CHARACTERS:
        return "Its tokens are bytes, which may be parts of characters: text cut into them is no text."
    if has_metaspace(recording):
        return "A ▁ begins its words, where this text has spaces between them."
    return None


class BpeText:
    """Writes texts so with a tokenizer. Raises BpeError for one whose tokens make no such text.

    Words are what stands between spaces; what else the tokenizer cuts at only parts the tokens of a word. With a
    `vocabulary` of spellings such as `lo@@` and `low`, tokens that it lacks fall into the parts they were merged from.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        separator: str = SEPARATOR,
        vocabulary: Collection[str] | None = None,
        specials: Specials = Specials.MATCH,
    ) -> None:
        if problem := problem_of(tokenizer.recording):
            raise BpeError(f"This tokenizer writes no {separator} text. {problem}")
        self.tokenizer = tokenizer
        self._separator = separator
        self._vocabulary = vocabulary
        self._specials = specials
        self._known: dict[str, str] = {}
        self._words = 0

    def encoded(self, text: str) -> Iterator[str]:
        """The text line by line, its line ends with it. Spaces at both ends of a line stay; between words one is left.

        A lone "\\r" ends a line too.
        """
        for line in _LINE.finditer(text):
            before, inner, behind, end = line.groups()
            yield f"{before}{self._line(inner)}{behind}{end}"

    def _line(self, line: str) -> str:
        line = self.tokenizer.recording.pipeline.normalizer.normalize(line)
        return " ".join(self._word(word) for word in line.split(" ") if word)

    def _word(self, word: str) -> str:
        found = self._known.get(word)
        if found is None:
            found = f"{self._separator} ".join(self._units(word))
            if not self.tokenizer.dropout and len(self._known) < MAX_REMEMBERED:
                self._known[word] = found
        return found

    def _units(self, word: str) -> list[str]:
        units = [unit for unit in self._cut(word) if unit.text]
        if self._vocabulary is None:
            return [unit.text for unit in units]
        last = len(units) - 1
        return [text for place, unit in enumerate(units) for text in self._limited(unit, place == last)]

    def _cut(self, word: str) -> Iterator["_Unit"]:
        recording = self.tokenizer.recording
        for stretch in self.tokenizer.stretches(word, self._specials):
            text = word[stretch.start : stretch.end]
            if stretch.token_id is not None:
                yield _Unit(text)
                continue
            for piece in recording.pipeline.pre_tokenizer.words(text):
                yield from self._merged(piece.text)
                self._words += 1

    def _merged(self, word: str) -> Iterator["_Unit"]:
        recording = self.tokenizer.recording
        pieces = self.tokenizer.pieces(word, self._words)
        spelled = recording.alphabet.spell(word) if any(piece.token_id == UNKNOWN for piece in pieces) else []
        for piece in pieces:
            if piece.token_id != UNKNOWN:
                yield _Unit(_text(recording.token(piece.token_id)), piece.token_id)
            else:
                yield _Unit(word[spelled[piece.start].start : spelled[piece.end - 1].end])

    def _limited(self, unit: "_Unit", is_last: bool) -> Iterator[str]:
        """The token if the vocabulary has it at this place, or its parts, until they have none."""
        assert self._vocabulary is not None
        waiting = [(unit, is_last)]
        while waiting:
            unit, is_last = waiting.pop()
            parts = self._parts(unit)
            if not parts or (unit.text if is_last else unit.text + self._separator) in self._vocabulary:
                if unit.text:
                    yield unit.text
                continue
            left, right = parts
            waiting += [(right, is_last and bool(right.text)), (left, is_last and not right.text)]

    def _parts(self, unit: "_Unit") -> tuple["_Unit", "_Unit"] | None:
        recording = self.tokenizer.recording
        pair = None if unit.token_id == UNKNOWN else recording.parts_of(unit.token_id)
        if pair is None:
            return None
        left, right = (_Unit(_text(recording.token(part)), part) for part in pair)
        return left, right


class _Unit(NamedTuple):
    """What is written of a token; UNKNOWN for a character without an id, and for special tokens."""

    text: str
    token_id: int = UNKNOWN


def _text(token: Token) -> str:
    return token.text("").decode()


def decoded(text: str, separator: str = SEPARATOR) -> str:
    """The text without its marks: `lo@@ w` is `low`. One that ends a line goes too.

    >>> decoded("lo@@ w er@@")
    'low er'
    """
    mark = re.escape(separator)
    return re.sub(rf"{mark} |{mark}(?=\r?\n|\r|\Z)", "", text)
