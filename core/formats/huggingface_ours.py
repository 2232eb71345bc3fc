"""Reads a tokenizer.json as our exporter writes it, so that what was saved comes back with our own names for it.

Each part of ours has one spelling there. A file that says anything else is read by the general way of
huggingface_reader.py, which gives the same ids.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.errors import BpeError, FormatError
from core.formats.huggingface_normalizer import Json, read_normalizer, steps_of
from core.formats.huggingface_pipeline import (
    BYTE_LEVEL,
    BYTE_LEVEL_DECODER,
    BYTE_LEVEL_ONLY,
    FUSE,
    MARKED_WORD,
    METASPACE_SPLIT,
    Layout,
    decoder_of,
    digits_apart,
    is_without_strangers,
    marking,
    matches_only,
    normalizer_of,
    pre_tokenizer_of,
    punctuation_apart,
)
from core.formats.patterns import from_portable
from core.normalizer import Normalizer, Step
from core.normalizer_steps import Metaspace
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, WHITESPACE, Digits, PreTokenizer, custom
from core.recording import Recording
from core.trainer import Score, TrainerConfig

PUNCTUATION_STEP: Json = {"type": "Punctuation", "behavior": "Isolated"}
DIGITS_STEP: Json = {"type": "Digits", "individual_digits": True}


@dataclass(frozen=True)
class OurWay:
    """How a file says what words, symbols and the unknown are, if it is one of ours or is spelled like one.

    `mark` is the character that stands for a marker that is a symbol of its own.
    """

    base: Base
    marker: Marker
    marker_text: str
    pipeline: Pipeline
    unknown: Unknown
    score: Score
    mark: str = ""


@dataclass(frozen=True)
class _Words:
    """What the pre-tokenizer comes to, with what normalizer and marker have there."""

    base: Base
    pre_tokenizer: PreTokenizer
    mark: str = ""
    last_step: tuple[Step, ...] = ()
    has_strangers_cut: bool = False


def our_way(document: Json) -> OurWay | None:
    """None for a file that says something our exporter never does. What comes out must be compared, see `is_ours`."""
    try:
        return _Reader(document).way()
    except BpeError:
        return None


def is_ours(document: Json, way: OurWay, letters: Mapping[int, Token], unknown_token: str | None) -> bool:
    """Whether our exporter would say what the file says, with these special tokens and base symbols."""
    try:
        layout = replace(Layout.of(_empty(way, letters, unknown_token)), mark=way.mark)
        if way.mark and layout.mark != way.mark:
            return False
        ours = (normalizer_of(layout), pre_tokenizer_of(layout))
    except BpeError:
        return False
    found = (document.get("normalizer"), document.get("pre_tokenizer"))
    return tuple(map(_plain, ours)) == tuple(map(_plain, found))


def has_our_decoder(document: Json, recording: Recording, mark: str) -> bool:
    try:
        ours, found = decoder_of(replace(Layout.of(recording), mark=mark)), document.get("decoder")
        if ours == BYTE_LEVEL_DECODER and isinstance(found, dict):  # its options change nothing
            return bool(found.get("type") == ours["type"])
        return _plain(ours) == _plain(found)
    except BpeError:
        return False


def _empty(way: OurWay, letters: Mapping[int, Token], unknown_token: str | None) -> Recording:
    specials = tuple(token.content.decode() for token in letters.values() if token.special)
    config = TrainerConfig(
        base=way.base,
        marker=way.marker,
        marker_text="" if way.mark else way.marker_text,
        special_tokens=specials,
        unknown_token=unknown_token if unknown_token in specials else None,
        unknown=way.unknown,
        score=way.score,
    )
    return Recording(Alphabet(way.base, way.marker, letters, way.unknown), config, way.pipeline)


def _plain(component: object) -> object:
    """Without options of ByteLevel that change neither ids nor text."""
    if isinstance(component, list):
        return [_plain(part) for part in component]
    if not isinstance(component, dict):
        return component
    if component.get("type") == "ByteLevel":
        return {"type": "ByteLevel", "use_regex": component.get("use_regex", True)}
    return {key: _plain(value) for key, value in component.items()}


class _Reader:
    def __init__(self, document: Json) -> None:
        self._data = document

    def way(self) -> OurWay:
        model: Json = self._data["model"]
        steps = steps_of(self._data.get("normalizer"), "normalizers")
        words = self._words(steps)
        normalizer = Normalizer((*read_normalizer(steps).steps, *words.last_step))
        prefix, suffix = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
        is_word_piece = model.get("type") == "WordPiece"
        if sum(map(bool, (prefix, suffix, words.mark))) > 1 or (words.base is Base.BYTES and (prefix or suffix)):
            raise self._not_ours()
        marker, text = Marker.NONE, ""
        if words.mark:
            marker, text = Marker.SYMBOL, words.mark
        elif suffix:
            marker, text = Marker.SUFFIX, suffix
        elif prefix:
            marker, text = Marker.CONTINUING, prefix
        elif words.base is Base.CHARACTERS and (normalizer.has_metaspace or self._decodes_metaspace()):
            marker = Marker.METASPACE
        return OurWay(
            words.base,
            marker,
            text,
            Pipeline(normalizer, words.pre_tokenizer),
            self._unknown(model, words, is_word_piece),
            Score.WORDPIECE if is_word_piece else Score.FREQUENCY,
            words.mark,
        )

    def _not_ours(self) -> FormatError:
        return FormatError("Our exporter does not write this.")

    @property
    def _decoders(self) -> list[Json]:
        return steps_of(self._data.get("decoder"), "decoders")

    def _unknown(self, model: Json, words: _Words, is_word_piece: bool) -> Unknown:
        token = model.get("unk_token")
        if words.base is Base.BYTES or words.has_strangers_cut:
            return Unknown.KEEP
        if is_word_piece:
            return Unknown.TOKEN
        if model.get("byte_fallback"):
            return Unknown.BYTES
        if token is None:
            return Unknown.DROP
        return Unknown.FUSE if model.get("fuse_unk") else Unknown.TOKEN

    def _decodes_metaspace(self) -> bool:
        return {"type": "Replace", "pattern": {"String": "▁"}, "content": " "} in self._decoders

    def _words(self, normalizer_steps: list[Json]) -> _Words:
        """Takes the last steps of the normalizer where they place a marker."""
        steps = steps_of(self._data.get("pre_tokenizer"), "pretokenizers")
        has_strangers_cut = bool(steps) and is_without_strangers(steps[-1])
        if has_strangers_cut:
            steps.pop()
        if marked := self._marked_words(steps, normalizer_steps):
            return replace(marked, has_strangers_cut=has_strangers_cut)
        base = Base.BYTES if steps and steps[-1].get("type") == "ByteLevel" else Base.CHARACTERS
        if steps[-1:] == [BYTE_LEVEL_ONLY]:
            steps.pop()
        punctuation, digits = self._taken_apart(steps)
        main, last_step = PRE_TOKENIZERS["none"], tuple[Step, ...]()
        if len(steps) > 1:
            raise self._not_ours()
        if steps == [METASPACE_SPLIT] and digits is Digits.TOGETHER and not punctuation:
            main, last_step = PRE_TOKENIZERS["metaspace"], (Metaspace(),)
        elif steps:
            main = self._splitter(steps[0])
        pre_tokenizer = replace(main, digits=digits, punctuation=punctuation)
        return _Words(base, pre_tokenizer, "", last_step, has_strangers_cut)

    def _taken_apart(self, steps: list[Json]) -> tuple[bool, Digits]:
        """Whether punctuation is cut apart and what is done with digits; takes both from the front of the steps."""
        punctuation = bool(steps) and steps[0] in (punctuation_apart(), PUNCTUATION_STEP)
        del steps[: int(punctuation)]
        for digits, others in ((Digits.SINGLE, DIGITS_STEP), (Digits.THREES, None)):
            if steps and steps[0] in (digits_apart(digits), others):
                del steps[0]
                return punctuation, digits
        return punctuation, Digits.TOGETHER

    def _marked_words(self, steps: list[Json], normalizer_steps: list[Json]) -> _Words | None:
        """The marker that is a symbol of its own, told by the two Replace steps that end the normalizer."""
        if len(normalizer_steps) < 2:
            return None
        stranger, mark = (str(step.get("content")) for step in normalizer_steps[-2:])
        for pattern, marked in MARKED_WORD.items():
            if steps == [matches_only(marked.format(mark))] and normalizer_steps[-2:] == marking(
                pattern, mark, stranger
            ):
                del normalizer_steps[-2:]
                return _Words(Base.CHARACTERS, from_portable(pattern), mark)
        return None

    def _splitter(self, step: Json) -> PreTokenizer:
        joins = self._decoders[-1:] == [FUSE]
        if step == BYTE_LEVEL:
            return PRE_TOKENIZERS["gpt2"]
        if step == {"type": "WhitespaceSplit"}:
            # without spaces between decoded tokens it is not quite ours of that name
            return custom(WHITESPACE) if joins else PRE_TOKENIZERS["whitespace"]
        if step == {"type": "Whitespace"}:
            return PRE_TOKENIZERS["words"]
        regex = step["pattern"].get("Regex") if isinstance(step.get("pattern"), dict) else None
        manner = (step.get("behavior"), step.get("invert"))
        if step.get("type") != "Split" or not isinstance(regex, str):
            raise self._not_ours()
        known = from_portable(regex)
        if manner == ("Removed", True):
            return custom(regex) if known.name == "words" and joins else known
        if manner == ("Isolated", False) and known.keeps_everything:
            return known
        raise self._not_ours()
