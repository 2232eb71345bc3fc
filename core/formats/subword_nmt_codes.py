"""Merges of characters with `</w>` at the end of words, spelled as subword-nmt and fastBPE do, become a model."""

from collections.abc import Generator, Iterable, Mapping, Sequence

from core.alphabet import MARKER_TEXT, Base, Marker, Token
from core.encoding_rules import Encoder, EncodingRules
from core.formats.assembly import Model, NumberedMerge
from core.formats.merge_lines import LINES_PER_SLICE, SpelledMerge
from core.pipeline import Pipeline
from core.pre_tokenizer import PreTokenizer
from core.progress import Progress

LITERAL_MARKER = (
    "Some tokens hold the letters </w>, which also mark the end of a word: where a text holds them the tool may take "
    "one for the other, and this program does not."
)
OWN_IDS = "The file has no ids: characters come first here, by code point, then tokens in the order of the merges."


def model_of(
    pairs: Sequence[SpelledMerge], marker: Marker, words: PreTokenizer, given: Mapping[Token, int]
) -> Generator[Progress, None, Model]:
    """The model that merges of such spellings describe; `given` are ids that another file says.

    A letter that occurs is known at the end of a word too. A part that is neither a letter nor made by a merge before
    stays a token, though no text becomes it.
    """
    ids = dict(given)
    for token in _base(pairs, marker):
        ids.setdefault(token, next_id(ids))
    numbering, merges = _Numbering(ids, marker), list[NumberedMerge]()
    for start in range(0, len(pairs), LINES_PER_SLICE):
        merges += map(numbering.merge, pairs[start : start + LINES_PER_SLICE])
        yield Progress(len(merges), len(pairs))
    return Model(
        {token_id: token for token, token_id in ids.items()},
        merges,
        Base.CHARACTERS,
        marker,
        MARKER_TEXT,
        Pipeline(pre_tokenizer=words),
        rules=EncodingRules(Encoder.ALL_AT_ONCE),
    )


def next_id(ids: Mapping[Token, int]) -> int:
    """Ids are never taken out, and those given begin with 0 and have no holes."""
    return len(ids)


def holds_marker(tokens: Iterable[Token]) -> bool:
    """Whether the letters of the marker are in a text's own."""
    marker = MARKER_TEXT.encode()
    return any(marker in token.content for token in tokens)


def _base(pairs: Sequence[SpelledMerge], marker: Marker) -> list[Token]:
    parts = {part.removesuffix(MARKER_TEXT) for pair in pairs for part in pair}
    letters = sorted(set("".join(parts)))
    symbols = [Token(letter.encode()) for letter in letters]
    if marker is Marker.SUFFIX:
        return [*symbols, *(Token(letter.encode(), ends_word=True) for letter in letters)]
    return [*symbols, Token(b"", ends_word=True)]


class _Numbering:
    """Gives tokens their ids, merge by merge."""

    def __init__(self, ids: dict[Token, int], marker: Marker) -> None:
        self._ids = ids
        self._marker = marker
        self._made = set[Token]()

    def merge(self, pair: SpelledMerge) -> NumberedMerge:
        left, right = Token(pair[0].encode()), self._right(pair[1])
        made = left + right
        self._made.add(made)
        return self._id(left), self._id(right), self._id(made)

    def _right(self, text: str) -> Token:
        """Only what ends a merge may end a word; letters that spell the mark may be letters for all that."""
        literal = Token(text.encode())
        if not text.endswith(MARKER_TEXT) or (text == MARKER_TEXT and self._marker is Marker.SUFFIX):
            return literal
        final = Token(text.removesuffix(MARKER_TEXT).encode(), ends_word=True)
        return literal if literal in self._made and final not in self._made else final

    def _id(self, token: Token) -> int:
        return self._ids.setdefault(token, next_id(self._ids))
