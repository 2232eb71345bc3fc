"""Whether a text comes back when its tokens are decoded: what a way of tokenizing loses, and what one text does."""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from core.alphabet import Alphabet, Base, Marker, Token, Unknown, utf8
from core.decoding import decode, drops_white_space
from core.encoding_rules import Encoder
from core.pipeline import Pipeline
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from core.trainer_config import TrainerConfig
from core.vocab import label

MAX_SAMPLE_CHARS = 12


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """A text and what its tokens decode to.

    `place` is the first character of the text that does not come back, None where all do; `message` says it in a line.
    """

    is_equal: bool
    decoded: str
    place: int | None
    message: str


def round_trip(
    recording: Recording,
    step: int,
    text: str,
    encoder: Encoder = Encoder.MERGE_RANK,
    specials: Specials = Specials.MATCH,
) -> RoundTrip:
    """Encode and decode `text`. Raises as Tokenizer.encode does."""
    return round_trip_of(recording, text, Tokenizer(recording, step, encoder).ids(text, specials))


def round_trip_of(recording: Recording, text: str, ids: Iterable[int]) -> RoundTrip:
    """Decode ids that `text` was encoded to. Raises BpeError for an id no token has."""
    decoded = decode(recording, ids)
    if decoded == text:
        return RoundTrip(True, decoded, None, "The text comes back exactly as it was.")
    place = _first_difference(text, decoded)
    return RoundTrip(False, decoded, place, _difference(text, decoded, place))


def round_trip_work(
    recording: Recording, step: int, text: str, specials: Specials = Specials.MATCH
) -> Generator[None, None, RoundTrip]:
    """`round_trip` by merge rank for a thread of its own: up to 0.7 s for 100,000 characters, once it has begun."""
    yield
    return round_trip(recording, step, text, specials=specials)


def recording_losses(recording: Recording) -> tuple[str, ...]:
    """`scheme_losses` of a recording."""
    return scheme_losses(recording.pipeline, recording.config, recording.alphabet)


def scheme_losses(pipeline: Pipeline, config: TrainerConfig, alphabet: Alphabet | None = None) -> tuple[str, ...]:
    """What may not come back of some text, a sentence each; empty where every text comes back exactly.

    The alphabet, where there is one already, says more of unknown characters than the config.
    """
    losses = _normalizer_losses(pipeline), _cutting_losses(pipeline, config), _unknown_losses(config, alphabet)
    return tuple(chain.from_iterable(losses))


def _normalizer_losses(pipeline: Pipeline) -> Iterator[str]:
    for step in pipeline.normalizer.steps:
        yield f"{step.title}: {step.loss}"


def _cutting_losses(pipeline: Pipeline, config: TrainerConfig) -> Iterator[str]:
    pre_tokenizer = pipeline.pre_tokenizer
    if config.marker is Marker.METASPACE and not pipeline.normalizer.has_metaspace:
        yield "A ▁ of the text comes back as a space, and one at its start not at all: no normalizer put it there."
    if pre_tokenizer.keeps_everything:
        return
    match pre_tokenizer.name:
        case "whitespace" | "words":
            yield "White space between words is dropped: of which kind it was, and how much, does not come back."
        case "lines":
            yield "Line ends are dropped."
        case _:
            yield "Text that your own pattern does not match is dropped."
    yield from _join_losses(pipeline, config)


def _join_losses(pipeline: Pipeline, config: TrainerConfig) -> Iterator[str]:
    if config.marker in (Marker.SYMBOL, Marker.SUFFIX, Marker.CONTINUING):
        yield "A space is put between any two words, whether there was one or not."
    elif config.marker is Marker.NONE and config.base is Base.CHARACTERS and drops_white_space(pipeline):
        yield "A space is put between any two tokens: without a marker nothing tells where words end."


def _unknown_losses(config: TrainerConfig, alphabet: Alphabet | None) -> Iterator[str]:
    if config.base is Base.BYTES:
        return
    match alphabet.unknown if alphabet else config.unknown:
        case Unknown.KEEP | Unknown.DROP:
            yield "Characters that the alphabet lacks are left out."
        case Unknown.TOKEN | Unknown.FUSE:
            yield "Characters that the alphabet lacks become the unknown token."
        case Unknown.BYTES if alphabet and len(alphabet.fallback_ids) < 256:
            yield "Some characters that the alphabet lacks are lost: not every byte has a token."


def _first_difference(text: str, decoded: str) -> int:
    pairs = enumerate(zip(text, decoded, strict=False))
    return next((place for place, (old, new) in pairs if old != new), min(len(text), len(decoded)))


def _difference(text: str, decoded: str, place: int) -> str:
    if place == len(text):
        return f"All of it comes back, and then {_sample(decoded, place)}, which is not in the text."
    if place == len(decoded):
        return f"From character {place + 1:,} on, {_sample(text, place)}, nothing comes back."
    return f"At character {place + 1:,}, {_sample(text, place)} comes back as {_sample(decoded, place)}."


def _sample(text: str, place: int) -> str:
    shown = label(Token(utf8(text[place : place + MAX_SAMPLE_CHARS])), "")
    return f"‘{shown}…’" if len(text) > place + MAX_SAMPLE_CHARS else f"‘{shown}’"
