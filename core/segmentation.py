"""Which tokens any stretch of a text shows at a step. Only what is asked for is cut into words and encoded.

How a text is cut is the pre-tokenizer's business and how a word is merged the tokenizer's; this finds places in a
text of any size where cutting can start, and remembers the words it has seen.
"""

from array import array
from bisect import bisect_right
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import regex

from core.alphabet import Base, Marker, Unknown, utf8
from core.merge import UNKNOWN
from core.pipeline import Pipeline, Places
from core.pre_tokenizer import LINES, WHITESPACE, Word, custom
from core.progress import Progress, without_progress
from core.recording import Recording
from core.tokenizer import Tokenizer, WordHistory
from core.vocab import decoded_pieces, hex_bytes

if TYPE_CHECKING:
    from core.compiled_encoder import CompiledEncoder

LISTED_WORDS = Pipeline(pre_tokenizer=custom(r"[^\n]+"))

GAP = -2
"""In place of a token id: text outside every word, such as white space that the pre-tokenizer drops."""

CELL_CHARS = 4_096
MAX_WORD_CHARS = 2_048
MAX_CELLS = 64
MAX_WORDS = 50_000
NORMALIZE_CHARS = 1 << 16
QUICK_CHARS = 1 << 16
WORDS_PER_STRETCH = 512
WORDS_PER_REPORT = 1_000  # in one batch
CHARS_PER_REPORT = 1 << 15
_REACHES = (64, 1_024, 16_384)  # characters to look for a neighbour


class Segment(NamedTuple):
    """A token, or a GAP, in a text: it touches the characters `start` to `end` (half-open).

    Of the first of them `lead` UTF-8 bytes belong to tokens before, of the last one `trail` bytes to tokens after. A
    marker that is a token of its own touches nothing: `start == end`, behind its word. `is_new`: the merge of rank
    step - 1 made it.
    """

    token_id: int
    start: int
    end: int
    lead: int = 0
    trail: int = 0
    is_new: bool = False

    @property
    def place(self) -> tuple[int, int, int, int]:
        """What it touches, which no other segment at the same step does."""
        return self[1:5]


_Token = tuple[int, int, int, int, int, bool]  # as a Segment, counted from the start of its word


@dataclass(frozen=True)
class WordPlaces:
    """Where all words of a text start and end, for patterns that can only be matched from the start of the text."""

    starts: "array[int]"
    ends: "array[int]"


def prepare(recording: Recording, text: str) -> Generator[Progress, None, "Segmenter"]:
    """Normalize `text` and, where words cannot be cut out of its middle, find them all; the generator returns the
    segmenter. Short work if `is_quick`. Raises PatternError as `PreTokenizer.words` does."""
    if is_word_list(recording, text):
        _, places = yield from _all_words(LISTED_WORDS, text)
        return Segmenter(recording, text, places)
    if recording.pipeline.needs_places:
        corpus = recording.corpus
        files = corpus.files if corpus is not None and corpus.text == text else ()
        normalized, places = yield from _all_words(recording.pipeline, text, files)
        return Segmenter(recording, normalized, places, normalized != text)
    normalized = text
    if recording.pipeline.normalizer:
        normalized = yield from _normalize(recording, text)
    return Segmenter(recording, normalized, None, normalized != text)


def is_word_list(recording: Recording, text: str) -> bool:
    """Whether `text` shows the words of given counts, one a line: they are used as they are."""
    corpus = recording.corpus
    return corpus is not None and corpus.given_counts is not None and corpus.text == text


def is_quick(recording: Recording, text: str) -> bool:
    """Whether `prepare` takes a few milliseconds at most."""
    pipeline = recording.pipeline
    if pipeline.needs_places or is_word_list(recording, text):
        return not text  # a pattern of the user's may take its time on any text
    return not pipeline.normalizer or len(text) <= QUICK_CHARS


def prepare_now(recording: Recording, text: str) -> "Segmenter":
    """As `prepare`, without the progress."""
    return without_progress(prepare(recording, text))


def _normalize(recording: Recording, text: str) -> Generator[Progress, None, str]:
    normalizer, parts, start = recording.pipeline.normalizer, list[str](), 0
    size = len(text) if normalizer.needs_whole_text else NORMALIZE_CHARS
    while start < len(text):
        end = text.find("\n", start + size) + 1 or len(text)  # normalizers work line by line
        parts.append(normalizer.normalize(text[start:end], at_start=start == 0))
        yield Progress(start, len(text))
        start = end
    return "".join(parts)


def _all_words(pipeline: Pipeline, text: str, files: Places = ()) -> Generator[Progress, None, tuple[str, WordPlaces]]:
    """The normalized text and the places of its words, text by text."""
    places, parts = WordPlaces(array("q"), array("q")), list[str]()
    done = reported = start = 0
    originals = pipeline.cut(text, files)
    for (normalized, end), (original, _) in zip(pipeline.corpus_texts(text, files), originals, strict=True):
        for batch in pipeline.pre_tokenizer.word_batches(normalized):
            places.starts.extend(start + word.start for word in batch)
            places.ends.extend(start + word.end for word in batch)
            if len(batch) > WORDS_PER_REPORT or done - reported > CHARS_PER_REPORT:
                reported = done
                yield Progress(done, len(text))
        parts += [normalized, end]
        start += len(normalized) + len(end)
        done += len(original) + len(end)
    yield Progress(len(text), len(text))
    return "".join(parts), places


class Segmenter:
    """One text under one recording that may still grow.

    Words longer than MAX_WORD_CHARS are cut into parts of that length, so that any text can be shown at once: tokens
    at the joints may differ from the trainer's, see `is_exact`.
    """

    def __init__(
        self, recording: Recording, text: str, places: WordPlaces | None = None, is_changed: bool = False
    ) -> None:
        """`text` is normalized; `is_changed` says that it was another one before."""
        self.recording = recording
        self.text = text
        self.is_changed = is_changed
        self.is_exact = True  # of what was asked for so far
        self._has_marker = recording.alphabet.marker is not Marker.NONE
        self._places = places
        self._cells: dict[int, list[Word]] = {}
        self._known_words: dict[str, _Word] = {}
        self._step = 0
        self._known_tokens: dict[str, list[_Token]] = {}  # of words, at _step

    @cached_property
    def byte_count(self) -> int:
        """Size of the text in UTF-8."""
        return len(utf8(self.text))

    def know_size_from(self, other: "Segmenter") -> None:
        """To count the bytes of 60 MB takes 70 ms: not again where the other one shows the same text."""
        if other.text is self.text and "byte_count" in vars(other):
            self.byte_count = other.byte_count

    def copy(self) -> "Segmenter":
        """One for another thread: it shares the text, and nothing that changes."""
        return Segmenter(self.recording, self.text, self._places, self.is_changed)

    @property
    def spaces_lead(self) -> bool:
        """Whether a space belongs to the word behind it rather than to none."""
        return self.recording.pipeline.pre_tokenizer.name not in ("whitespace", "words")

    def segments(self, start: int, stop: int, step: int) -> list[Segment]:
        """Tokens and gaps that touch the characters `start` to `stop`, after the first `step` merges.

        Gaps are cut at `start` and `stop`, tokens are not.
        """
        self._go_to(step)
        found, place = list[Segment](), start
        for word in self.words(start, stop):
            if word.start > place:
                found.append(Segment(GAP, place, word.start))
            found += self._placed(word, start, stop)
            place = word.end
        if place < stop:
            found.append(Segment(GAP, place, stop))
        return found

    def token_at(self, character: int, lead: int, step: int) -> Segment | None:
        """The token that holds the byte `lead` of a character; the next one if it is outside every word."""
        for reach in _REACHES:
            tokens = self._tokens(character, character + reach, step)
            holding = [token for token in tokens if (token.start, token.lead) <= (character, lead)]
            if holding or tokens:
                return holding[-1] if holding else tokens[0]
        return None

    def token_behind(self, token: Segment, step: int) -> Segment | None:
        """The next token; None if there is none, or nothing but dropped text for thousands of characters."""
        for reach in _REACHES:
            start = token.start - (token.start == token.end)  # a marker is found by the character before it
            tokens = self._tokens(start, token.end + reach, step)
            index = [other.place for other in tokens].index(token.place) + 1
            if index < len(tokens):
                return tokens[index]
        return None

    def token_before(self, token: Segment, step: int) -> Segment | None:
        """The token before, as `token_behind`."""
        for reach in _REACHES:
            tokens = self._tokens(max(token.start - reach, 0), token.end, step)
            index = [other.place for other in tokens].index(token.place)
            if index > 0:
                return tokens[index - 1]
        return None

    def words(self, start: int, stop: int) -> Iterator[Word]:
        """The words that touch the characters `start` to `stop`."""
        if self._places is not None:
            yield from self._words_at_places(self._places, start, stop)
            return
        cell, stop = start // CELL_CHARS, min(stop, len(self.text))
        if self._cut(cell) > start:
            cell -= 1
        while self._cut(cell) < stop:
            for word in self._words_of_cell(cell):
                if word.end > start and word.start < stop:
                    yield word
            cell += 1

    def find_merge(self, rank: int, start: int) -> Generator[None, None, Segment | None]:
        """Look for a token that the merge of this rank made, from character `start` on, then from the beginning.

        Yields after every few thousand characters; the generator returns the token as it is at step rank + 1.
        """
        content = self._sought(rank)
        for first, last in self._stretches():
            if last > start:
                if found := self._made_between(rank, content, max(first, start), last):
                    return found
                yield
        for first, last in self._stretches():
            if first >= start:
                break
            if found := self._made_between(rank, content, first, last):
                return found
            yield
        return None

    def count_tokens(self, step: int) -> Generator[Progress, None, int]:
        """Number of tokens of the whole text after `step` merges; yields after every few thousand characters."""
        tokenizer = Tokenizer(self.recording, step)
        if self._places is None and (compiled := tokenizer.compiled):
            total = yield from self._count_compiled(compiled)
            if total is not None:
                return total
        total = 0
        for first, last in self._stretches():
            total += sum(len(tokenizer.pieces(word.text)) for word in self.words(first, last))
            yield Progress(last, len(self.text))
        return total

    def _count_compiled(self, compiled: "CompiledEncoder") -> Generator[Progress, None, int | None]:
        """The same for all of the text in one go; None if words are shown in parts."""
        from core.word_places import words_in

        total = 0
        for words, share in words_in(self.recording.pipeline.pre_tokenizer, self.text):
            if words.longest > MAX_WORD_CHARS:
                return None
            total += compiled.token_count(words)
            yield Progress(int(share * len(self.text)), len(self.text))
        return total

    def ends_word(self, segment: Segment) -> bool:
        """Whether the token carries the end-of-word marker."""
        if segment.token_id < 0 or not self._has_marker:
            return False
        return self.recording.token(segment.token_id).ends_word

    def shown_text(self, segment: Segment) -> str:
        """The segment as text that can be copied; bytes that are not whole characters as hex: `⟨E4 B8⟩`."""
        if segment.token_id in (GAP, UNKNOWN):
            return self.text[segment.start : segment.end]
        pieces = decoded_pieces(self.recording.token(segment.token_id).content)
        return "".join(piece if isinstance(piece, str) else f"⟨{hex_bytes(piece)}⟩" for piece in pieces)

    def _tokens(self, start: int, stop: int, step: int) -> list[Segment]:
        """At least the tokens that touch the characters `start` to `stop`; those of one character are all there."""
        segments = self.segments(start, min(max(stop, start + 1), len(self.text)), step)
        return [segment for segment in segments if segment.token_id != GAP]

    def _placed(self, word: Word, start: int, stop: int) -> Iterator[Segment]:
        offset = word.start
        for token_id, first, last, lead, trail, is_new in self._tokens_of(word.text):
            is_shown = (
                start < offset + last <= stop if first == last else offset + first < stop and offset + last > start
            )
            if is_shown and token_id == GAP:
                yield Segment(GAP, max(offset + first, start), min(offset + last, stop))
            elif is_shown:
                yield Segment(token_id, offset + first, offset + last, lead, trail, is_new)

    def _tokens_of(self, text: str) -> list[_Token]:
        tokens = self._known_tokens.get(text)
        if tokens is None:
            if len(self._known_tokens) >= MAX_WORDS:
                self._known_tokens.clear()
            tokens = self._known_tokens[text] = self._word(text).tokens(self._step)
        return tokens

    def _word(self, text: str) -> "_Word":
        word = self._known_words.get(text)
        if word is None:
            if len(self._known_words) >= MAX_WORDS:
                self._known_words.clear()
            word = self._known_words[text] = _Word(self.recording, text)
        return word

    def _go_to(self, step: int) -> None:
        if step != self._step:
            self._step = step
            self._known_tokens.clear()

    def _sought(self, rank: int) -> bytes:
        """Bytes that stand wherever the merge was made: its token's, but for dropped characters in their midst."""
        content, alphabet = self.recording.token(self.recording[rank].token_id).content, self.recording.alphabet
        if alphabet.unknown is Unknown.DROP and alphabet.base is Base.CHARACTERS:
            return utf8(content.decode()[:1])
        return content

    def _made_between(self, rank: int, content: bytes, start: int, stop: int) -> Segment | None:
        if content not in utf8(self.text[max(start - MAX_WORD_CHARS, 0) : stop]):
            return None
        for word in self.words(start, stop):
            if content in utf8(word.text) and self._word(word.text).history.applied_at(rank):
                for segment in self.segments(word.start, word.end, rank + 1):
                    if segment.is_new and segment.start >= start:
                        return segment
        return None

    def _stretches(self) -> Iterator[tuple[int, int]]:
        """The text in pieces of some thousand characters that no word crosses."""
        if self._places is not None:
            starts, ends = self._places.starts, self._places.ends
            for index in range(0, len(starts), WORDS_PER_STRETCH):
                yield starts[index], ends[min(index + WORDS_PER_STRETCH, len(ends)) - 1]
            return
        cell = 0
        while (start := self._cut(cell)) < len(self.text):
            if (stop := self._cut(cell + 1)) > start:
                yield start, stop
            cell += 1

    def _words_at_places(self, places: WordPlaces, start: int, stop: int) -> Iterator[Word]:
        index = bisect_right(places.ends, start)
        while index < len(places.starts) and (first := places.starts[index]) < stop:
            last = places.ends[index]
            for word in self._parts(Word(self.text[first:last], first, last)):
                if word.end > start and word.start < stop:
                    yield word
            index += 1

    def _words_of_cell(self, cell: int) -> list[Word]:
        words = self._cells.get(cell)
        if words is None:
            if len(self._cells) >= MAX_CELLS:
                self._cells.clear()
            words = self._cells[cell] = list(self._cut_cell(cell))
        return words

    def _cut_cell(self, cell: int) -> Iterator[Word]:
        start, stop = self._cut(cell), self._cut(cell + 1)
        if start == stop:
            return
        for word in self.recording.pipeline.pre_tokenizer.words_between(self.text, start, stop):
            if word.end > stop:  # a cell without a safe cut ends inside a word
                self.is_exact = False
                word = Word(word.text[: stop - word.start], word.start, stop)
            yield from self._parts(word)

    def _parts(self, word: Word) -> Iterator[Word]:
        if len(word.text) <= MAX_WORD_CHARS:
            yield word
            return
        self.is_exact = False
        for first in range(0, len(word.text), MAX_WORD_CHARS):
            part = word.text[first : first + MAX_WORD_CHARS]
            yield Word(part, word.start + first, word.start + first + len(part))

    def _cut(self, cell: int) -> int:
        """Where the words of a cell start: at the first safe cut in it, or at its very start if it has none."""
        start = cell * CELL_CHARS
        if start <= 0 or start >= len(self.text):
            return min(max(start, 0), len(self.text))
        match = _safe_cut(self.recording.pipeline.pre_tokenizer.pattern).search(
            self.text, start - 1, start + CELL_CHARS + 1
        )
        return match.end() if match else start


@lru_cache(maxsize=8)
def _safe_cut(pattern: str) -> "regex.Pattern[str]":
    """Ends where a word of this pattern always ends, whatever stands around: a text can be cut there.

    No word of the patterns with line starts goes on from a visible character to a space, or from a letter to
    punctuation; only whole lines do.
    """
    if pattern == LINES:
        return regex.compile(r"\n")
    if pattern == WHITESPACE:
        return regex.compile(r"\S(?=\s)|\n(?=\S)")
    return regex.compile(r"\S(?=[^\S\r\n])|\n(?=\S)|\p{L}(?=[^\s\w\p{N}])")


class _Word:
    """A word's history, and the characters that its base symbols belong to; those that vanish are gaps."""

    def __init__(self, recording: Recording, word: str) -> None:
        self.history = WordHistory(recording, word)
        self._symbols = recording.alphabet.spell(word)
        self._length = len(word)
        self._has_gaps = recording.alphabet.unknown is Unknown.DROP

    def tokens(self, step: int) -> list[_Token]:
        """The word's tokens after `step` merges, as segments of the word."""
        tokens = self._tokens(step)
        return list(self._with_gaps(tokens)) if self._has_gaps else tokens

    def _with_gaps(self, tokens: list[_Token]) -> Iterator[_Token]:
        place = 0
        for token in tokens:
            if token[1] > place:
                yield GAP, place, token[1], 0, 0, False
            yield token
            place = token[2]
        if place < self._length:
            yield GAP, place, self._length, 0, 0, False

    def _tokens(self, step: int) -> list[_Token]:
        history, symbols = self.history, self._symbols
        new_boundaries = set(history.applied_at(step - 1)) if step else set[int]()
        return [
            (
                token_id,
                symbols[start].start,
                symbols[end - 1].end,
                symbols[start].lead,
                symbols[end - 1].trail,
                bool(new_boundaries) and not new_boundaries.isdisjoint(range(start, end - 1)),
            )
            for token_id, start, end in history.pieces(step)
        ]
