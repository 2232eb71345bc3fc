"""What a tokenizer.json says of the way from text to words and back: normalizer, pre-tokenizer, model and decoder.

Each part of ours has one spelling there, which the library follows exactly; the reader looks for the same spellings.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import regex

from core.alphabet import Alphabet, Base, Marker, Unknown
from core.decoding import has_metaspace, joins_with_spaces
from core.formats.huggingface_normalizer import NONCHARACTER, Json, json_of, one_or_sequence, replaced, replaced_text
from core.formats.patterns import TEXT_END, TEXT_START, WORD, inside_set, portable
from core.normalizer_steps import Metaspace
from core.pre_tokenizer import BEFORE_METASPACE, GPT2, LINES, NONE, WHITESPACE, WORDS, Digits, PreTokenizer
from core.punctuation import PUNCTUATION
from core.recording import Recording
from core.splits import Split
from core.trainer import Score

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
BYTE_LEVEL_ONLY: Json = BYTE_LEVEL | {"use_regex": False}
BYTE_LEVEL_DECODER: Json = BYTE_LEVEL | {"add_prefix_space": True}
METASPACE_SPLIT: Json = {
    "type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "prepend_scheme": "always", "split": True,
}  # fmt: skip
FUSE: Json = {"type": "Fuse"}
_WITHOUT_FIRST_SPACE: Json = {"type": "Strip", "content": " ", "start": 1, "stop": 0}

ANY = r"[\s\S]"
WHOLE_WORD = rf"{TEXT_START}(?:"

MAX_WORD_CHARS = 1_000_000_000
"""Of WordPiece, which makes one unknown token of a longer word; ours knows no limit."""

PRIVATE_USE = range(0xE000, 0xF900)
# Where a zero-width Replace puts the marker that is a symbol of its own, and what a marked word is.
WORD_ENDS = {
    WHITESPACE: rf"(?<=\S){TEXT_END}|(?<=\S)(?=\s)",
    WORDS: rf"(?<=[{WORD}])(?![{WORD}])|(?<=[^\s{WORD}])(?![^\s{WORD}])",
    LINES: rf"(?<=[^\r\n])(?=\r?\n|{TEXT_END})|(?<=\r)(?=\r\n|{TEXT_END})",
    NONE: rf"(?<=[\s\S]){TEXT_END}",
}
MARKED_WORD = {
    WHITESPACE: r"[^\s{0}]+{0}",
    WORDS: r"[^\s{0}]+{0}",
    LINES: r"(?:[^\r\n{0}]|\r(?!\n))+{0}",
    NONE: r"[^{0}]+{0}",
}


@dataclass(frozen=True)
class Layout:
    """A recording with what stands in its file for things the library has not.

    `mark` stands for a marker that is a symbol of its own, `stranger` for that character in a text. `known` are the
    characters of the alphabet, as the first of a word and as others, where those it lacks have to be cut out.
    `is_word_piece` is for a file that takes the longest token from the left, otherwise it merges by rank.
    """

    recording: Recording
    is_word_piece: bool
    mark: str = ""
    stranger: str = ""
    known: tuple[str, str] | None = None

    @classmethod
    def of(cls, recording: Recording) -> "Layout":
        return cls._of(recording, recording.config.score is Score.WORDPIECE)

    @classmethod
    def by_rank(cls, recording: Recording) -> "Layout":
        """For a file that lists the merges, whatever score they were chosen by."""
        return cls._of(recording, False)

    @classmethod
    def _of(cls, recording: Recording, is_word_piece: bool) -> "Layout":
        mark, stranger = _marks(recording) if recording.alphabet.marker is Marker.SYMBOL else ("", "")
        return cls(recording, is_word_piece, mark, stranger, _known(recording.alphabet, mark, is_word_piece))

    @property
    def alphabet(self) -> Alphabet:
        return self.recording.alphabet

    @property
    def pre_tokenizer(self) -> PreTokenizer:
        return self.recording.pipeline.pre_tokenizer

    @property
    def marker_text(self) -> str:
        """The marker as the file spells it."""
        return self.mark or self.recording.config.marker_text

    @property
    def has_metaspace_split(self) -> bool:
        """Whether the file's pre-tokenizer does the last step of our normalizer too, as in other people's files."""
        last = self.recording.pipeline.normalizer.steps[-1:]
        is_split = self.pre_tokenizer.is_plain and self.pre_tokenizer.pattern == BEFORE_METASPACE
        return is_split and self.alphabet.base is Base.CHARACTERS and [type(step) for step in last] == [Metaspace]


def _marks(recording: Recording) -> tuple[str, str]:
    """Two characters the recording does not use: one to stand for the marker, one for that character in a text."""
    tokens = (token for token in recording.alphabet.tokens.values() if not token.is_fallback)
    used = b"".join(token.content for token in tokens).decode(errors="replace")
    free = (chr(code) for code in PRIVATE_USE if chr(code) not in used)
    return next(free), next(free)


def _known(alphabet: Alphabet, mark: str, is_word_piece: bool) -> tuple[str, str] | None:
    if alphabet.base is Base.BYTES or alphabet.unknown is not Unknown.KEEP:
        return None
    if alphabet.marker.changes_symbols and not is_word_piece:
        return None  # cut out, it would make a last or first letter of its neighbour
    letters = [token for token in alphabet.tokens.values() if not token.is_fallback and not token.ends_word]
    first = {text for token in letters if not token.continues and len(text := token.content.decode()) == 1}
    later = {token.content.decode() for token in letters if token.continues}
    return inside_set(first | {*mark}), inside_set((later if alphabet.marker is Marker.CONTINUING else first) | {*mark})


def normalizer_of(layout: Layout) -> Json | None:
    ours = layout.recording.pipeline.normalizer.steps
    ours = ours[:-1] if layout.has_metaspace_split else ours
    steps = list(chain.from_iterable(json_of(step) for step in ours))
    if layout.mark:
        steps += marking(layout.pre_tokenizer.pattern, layout.mark, layout.stranger)
    return one_or_sequence(steps, "normalizers")


def marking(pattern: str, mark: str, stranger: str) -> list[Json]:
    """Put `mark` behind each word. One that stands in the text already is unknown to us: so is `stranger`."""
    return [replaced_text(mark, stranger), replaced(WORD_ENDS[pattern], mark)]


def pre_tokenizer_of(layout: Layout) -> Json | None:
    steps = [*_pieces(layout.pre_tokenizer), *_main(layout)]
    if layout.known is not None:
        steps.append(_without_strangers(layout))
    if layout.alphabet.base is Base.BYTES and BYTE_LEVEL not in steps:
        steps.append(BYTE_LEVEL_ONLY)
    return one_or_sequence(steps, "pretokenizers")


def _pieces(pre_tokenizer: PreTokenizer) -> Iterator[Json]:
    if pre_tokenizer.punctuation:
        yield punctuation_apart()
    if pre_tokenizer.digits is not Digits.TOGETHER:
        yield digits_apart(pre_tokenizer.digits)


def punctuation_apart() -> Json:
    """Not "Punctuation", which leaves runs of it together in transformers.js."""
    return isolated(portable(f"[{PUNCTUATION}]"))


def digits_apart(digits: Digits) -> Json:
    """Not "Digits", which knows only those of ASCII in transformers.js."""
    return isolated(r"\p{N}{1,3}" if digits is Digits.THREES else r"\p{N}")


def _main(layout: Layout) -> Iterator[Json]:
    pattern = layout.pre_tokenizer.pattern
    if splits := layout.pre_tokenizer.splits:
        yield from map(_split, splits)
    elif layout.mark:
        yield matches_only(MARKED_WORD[pattern].format(layout.mark))
    elif layout.has_metaspace_split:
        yield METASPACE_SPLIT
    elif layout.alphabet.base is Base.BYTES and pattern == GPT2:
        yield BYTE_LEVEL
    elif pattern == WHITESPACE:
        yield {"type": "WhitespaceSplit"}
    elif pattern != NONE:
        # not "Whitespace" for words: to transformers.js only ASCII letters are word characters there
        rewritten = portable(pattern)
        yield isolated(rewritten) if layout.pre_tokenizer.keeps_everything else matches_only(rewritten)


def _split(split: Split) -> Json:
    pattern = portable(split.pattern)
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": split.behavior, "invert": split.invert}


def isolated(pattern: str) -> Json:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def matches_only(pattern: str | None) -> Json:
    """As we do it: what the pattern does not match is dropped, where "Isolated" would keep it."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}


def _without_strangers(layout: Layout) -> Json:
    """Cuts out what has no id: a character, or a whole word for WordPiece, which knows no words in part.

    Without this the library would leave the character out and merge what stands on both sides of it.
    """
    assert layout.known is not None
    first, later = (f"[^{known}]" if known else ANY for known in layout.known)
    pattern = first
    if layout.is_word_piece:
        pattern = rf"{WHOLE_WORD}{first}[\s\S]*|[\s\S][\s\S]*?{later}[\s\S]*)"
    return matches_only(pattern) | {"invert": False}


def is_without_strangers(step: Json) -> bool:
    """Whether the step may be such a cut; what it cuts is to be compared."""
    pattern = step["pattern"].get("Regex") if isinstance(step.get("pattern"), dict) else None
    is_cut = isinstance(pattern, str) and pattern.startswith(("[^", ANY, WHOLE_WORD))
    return is_cut and step == matches_only(pattern) | {"invert": False}


def bpe_options(layout: Layout) -> Json:
    """Those of the model that say how words become symbols."""
    marker, unknown = layout.alphabet.marker, layout.alphabet.unknown
    return {
        "unk_token": unknown_token(layout),
        "continuing_subword_prefix": layout.marker_text if marker is Marker.CONTINUING else None,
        "end_of_word_suffix": layout.marker_text if marker is Marker.SUFFIX else None,
        "fuse_unk": unknown is Unknown.FUSE,
        "byte_fallback": unknown is Unknown.BYTES,
    }


def unknown_token(layout: Layout) -> str | None:
    """The special token that the file is to name for what is unknown."""
    has_none = layout.alphabet.base is Base.CHARACTERS and layout.alphabet.unknown in (Unknown.KEEP, Unknown.DROP)
    return None if has_none else layout.recording.config.unknown_token


def decoder_of(layout: Layout) -> Json | None:
    recording, steps = layout.recording, list[Json]()
    if recording.decoder:
        return one_or_sequence(list(recording.decoder.settings), "decoders")
    spaces = [replaced_text("▁", " ")] if has_metaspace(recording) else []
    if layout.alphabet.fallback_ids:
        steps += [*spaces, {"type": "ByteFallback"}]  # in this order: a ▁ that bytes spell is no space
        spaces = []
    if has_metaspace(recording):
        steps += [*_without_marker(layout), _joined(layout), *spaces, _without_first_spaces(recording)]
    elif layout.alphabet.base is Base.BYTES:
        steps.append(BYTE_LEVEL_DECODER)
        if layout.alphabet.marker is Marker.SUFFIX:
            space = "" if layout.pre_tokenizer.keeps_everything else " "
            steps.append(replaced_text(layout.marker_text, space))
            # not Strip, which fails on an empty text
            steps += [replaced(f" {TEXT_END}", "")] if space else []
    elif layout.alphabet.marker is Marker.CONTINUING:
        steps += _continuing(layout)
    elif joins_with_spaces(recording):  # as the library does without a decoder
        steps += [replaced(TEXT_START, " "), FUSE, _WITHOUT_FIRST_SPACE] if steps else []
    elif layout.alphabet.marker is Marker.NONE or layout.pre_tokenizer.keeps_everything:
        steps += [*_without_marker(layout), FUSE]
    else:
        steps.append({"type": "BPEDecoder", "suffix": layout.marker_text})
    return one_or_sequence(steps, "decoders")


def _without_marker(layout: Layout) -> Iterator[Json]:
    match layout.alphabet.marker:
        case Marker.SUFFIX | Marker.SYMBOL:
            yield replaced_text(layout.marker_text, "")
        case Marker.CONTINUING:
            yield replaced(TEXT_START + portable(regex.escape(layout.marker_text)), "")


def _joined(layout: Layout) -> Json:
    return FUSE if layout.alphabet.base is Base.CHARACTERS else BYTE_LEVEL_DECODER


def _continuing(layout: Layout) -> Iterator[Json]:
    """A space before each word but the first."""
    if layout.pre_tokenizer.keeps_everything:
        yield from (*_without_marker(layout), FUSE)
        return
    if layout.alphabet.unknown in (Unknown.TOKEN, Unknown.FUSE):
        yield {"type": "WordPiece", "prefix": layout.marker_text, "cleanup": False}
        return
    # a word whose first letters are left out begins in its middle, where WordPiece would show the marker
    marker = portable(regex.escape(layout.marker_text))
    yield replaced(rf"{TEXT_START}(?!{marker})", NONCHARACTER)
    yield from (*_without_marker(layout), FUSE)
    yield replaced(TEXT_START + NONCHARACTER, "")
    yield replaced_text(NONCHARACTER, " ")


def _without_first_spaces(recording: Recording) -> Json:
    """The space at the start of a text goes; a text begins behind each special token too."""
    special_ids, unknown = recording.alphabet.special_ids, recording.unknown_id
    specials = sorted(text.replace("▁", " ") for text, token_id in special_ids.items() if token_id != unknown)
    if not specials:
        return _WITHOUT_FIRST_SPACE
    places = [TEXT_START, *(f"(?<={portable(regex.escape(text))})" for text in specials)]
    return replaced("|".join(f"{place} " for place in places), "")
