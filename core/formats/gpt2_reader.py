"""Reads GPT-2's two files: in any order of merges, with or without our side-car, and the merges alone."""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from core.added_tokens import AddedToken
from core.alphabet import MARKER_TEXT, METASPACE_TEXT, Base, Marker, Token, Unknown
from core.decoders import Decoder
from core.encoding_rules import EncodingRules
from core.errors import BpeError, FormatError
from core.formats.assembly import Model, NumberedMerge, assembled, is_unit
from core.formats.base import Reading, ReadOptions
from core.formats.clip_pipeline import HUGGING_FACE_NOT_APPLIED, hugging_face_clip_pipeline
from core.formats.gpt2_files import ENTRIES_PER_SLICE, Merges, Pair, pair_of, read_merges, read_vocab
from core.formats.json_values import json_of, value_of
from core.formats.merge_lines import MergeList, SpelledMerge
from core.formats.side_car import SideCar
from core.formats.spelled import Settings
from core.formats.spelling import BYTE_OF_STAND_IN, FALLBACK, STAND_INS
from core.imported import Imported
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.progress import Progress, without_progress
from core.recording import Recording

KIND, KIND_VERSION = "bpe-gui tokenizer settings", 2
UNKNOWN_TOKENS = ("<unk>", "[UNK]", "<UNK>")
MAX_NAMED = 5
SAVED_BY_TRANSFORMERS = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
_BYTE_OF = {ord(char): value for char, value in BYTE_OF_STAND_IN.items()}
_STAND_INS = frozenset(BYTE_OF_STAND_IN)
_IN_BRACKETS = re.compile(r"<[^<>]+>|\[[^\[\]]+\]|<\|.+\|>")
_CONTINUING = Marker.CONTINUING.text


@dataclass(frozen=True)
class Said:
    """What the files say beside vocabulary and merges, or what is taken for granted where they do not."""

    settings: Settings
    rules: EncodingRules = field(default_factory=EncodingRules)
    added_tokens: tuple[AddedToken, ...] = ()
    decoder: Decoder | None = None
    facts: tuple[str, ...] = ()
    not_applied: tuple[str, ...] = ()


def read(path: Path, options: ReadOptions) -> Reading:
    pair = pair_of(path)
    merges = yield from read_merges(pair.merges)
    vocab = (yield from read_vocab(pair.vocab)) if pair.vocab else vocabulary_of(merges.listing.pairs)
    said = side_car_says(pair.side_car) if pair.side_car else guessed(vocab, merges, pair.vocab is not None)
    vocab = _with_specials(vocab, options.special_tokens or {}, pair.file)
    numbered = yield from _numbered(merges.listing, vocab, said.settings, pair.merges.name)
    if not pair.side_car:
        said = _with_guessed_specials(said, vocab, numbered)
    said = _with_options(said, options)
    tokens = yield from _tokens(vocab, said.settings, pair.file)
    return (
        yield from assembled(
            model_of(tokens, numbered, said),
            Imported("gpt2", pair.file, said.facts, (*said.not_applied, *_not_read(pair))),
        )
    )


def _not_read(pair: Pair) -> Iterator[str]:
    """What transformers would look into, for the way to cut texts and special tokens."""
    beside = [name for name in SAVED_BY_TRANSFORMERS if pair.merges.with_name(name).is_file()]
    if beside and not pair.side_car:
        yield (
            f"{' and '.join(beside)}, which lie beside the file" if len(beside) > 1 else f"{beside[0]} beside the file"
        )


def vocabulary_of(pairs: Iterable[SpelledMerge]) -> dict[str, int]:
    """As of GPT-2's own encoder: bytes in the order of their stand-ins, then tokens in that of the merges."""
    vocab = {char: token_id for token_id, char in enumerate(STAND_INS.values())}
    for left, right in pairs:
        vocab.setdefault(left + right, len(vocab))
    for part in chain.from_iterable(pairs):
        vocab.setdefault(part, len(vocab))
    return vocab


def _with_specials(vocab: dict[str, int], specials: Mapping[str, int], file: str) -> dict[str, int]:
    """With those that a person names. Raises FormatError for an id that is another token's."""
    texts = {token_id: text for text, token_id in vocab.items()} if specials else {}
    for text, token_id in specials.items():
        if texts.get(token_id, text) != text or vocab.get(text, token_id) != token_id:
            owner = f"{texts[token_id]!r}'s" if token_id in texts else "another one than in the file"
            raise FormatError(f"{file}: the special token {text!r} cannot have the id {token_id}, which is {owner}.")
    return {**vocab, **specials}


def _numbered(
    listing: MergeList, vocab: Mapping[str, int], settings: Settings, file: str
) -> Generator[Progress, None, list[NumberedMerge]]:
    merges, is_plain = list[NumberedMerge](), settings.marker is not Marker.CONTINUING
    for start in range(0, len(listing.pairs), ENTRIES_PER_SLICE):
        part = listing.pairs[start : start + ENTRIES_PER_SLICE]
        try:
            if is_plain:
                merges += [(vocab[left], vocab[right], vocab[left + right]) for left, right in part]
            else:
                merges += [(vocab[left], vocab[right], vocab[settings.joined(left, right)]) for left, right in part]
        except KeyError as error:
            missing = error.args[0]
            rank = next(rank for rank, pair in enumerate(part, start) if missing in (*pair, settings.joined(*pair)))
            raise FormatError(f"{file}, line {listing.line(rank)}: {missing!r} is not in the vocabulary.") from None
        yield Progress(len(merges), len(listing.pairs))
    return merges


def _tokens(vocab: Mapping[str, int], settings: Settings, file: str) -> Generator[Progress, None, dict[int, Token]]:
    specials, tokens, entries = frozenset(settings.special_tokens), dict[int, Token](), iter(vocab.items())
    while batch := list(islice(entries, ENTRIES_PER_SLICE)):
        for text, token_id in batch:
            tokens[token_id] = _token(text, token_id, settings, specials, file)
        yield Progress(len(tokens), len(vocab))
    return tokens


def model_of(tokens: Mapping[int, Token], merges: Sequence[NumberedMerge], said: Said) -> Model:
    settings = said.settings
    return Model(
        tokens,
        merges,
        settings.base,
        settings.marker,
        settings.marker_text,
        settings.pipeline,
        settings.unknown,
        settings.unknown_token,
        settings.score,
        said.rules,
        said.added_tokens,
        decoder=said.decoder,
    )


def base_recording(path: Path) -> Recording:
    """What the files say, without the merges and what they make: for code that reads the files itself."""
    pair = pair_of(path)
    said = side_car_says(pair.side_car) if pair.side_car else Said(Settings())
    vocab = without_progress(read_vocab(pair.vocab)) if pair.vocab and pair.side_car else {}
    specials = frozenset(said.settings.special_tokens)
    tokens = {i: _token(text, i, said.settings, specials, path.name) for text, i in vocab.items()}
    base = {i: token for i, token in tokens.items() if token.special or is_unit(token, said.settings.base)}
    return without_progress(assembled(model_of(base, (), said), Imported("gpt2", path.name)))


def _token(text: str, token_id: int, settings: Settings, specials: frozenset[str], file: str) -> Token:
    if text in specials:
        return Token(text.encode(), special=True)
    letters, ends_word, continues = _without_marker(text, settings)
    if settings.base is Base.BYTES:
        if not _STAND_INS.issuperset(letters):
            raise FormatError(
                f"{file}: the token {text!r} (id {token_id}) is not spelled in GPT-2's letters for bytes, and is no "
                "special token."
            )
        return Token(letters.translate(_BYTE_OF).encode("latin-1"), ends_word, continues=continues)
    if settings.unknown is Unknown.BYTES and FALLBACK.fullmatch(text.encode()):
        return Token(bytes.fromhex(text[3:5]), is_fallback=True)
    return Token(letters.encode(), ends_word, continues=continues)


def _without_marker(text: str, settings: Settings) -> tuple[str, bool, bool]:
    """The letters, whether they end a word, and whether they go on with one. A marker alone is letters, unless it is a
    symbol of its own."""
    marker, letters = settings.marker_text, ""
    if settings.marker in (Marker.SUFFIX, Marker.SYMBOL) and text.endswith(marker):
        letters = text.removesuffix(marker)
        return (letters, True, False) if letters or settings.marker is Marker.SYMBOL else (text, False, False)
    if settings.marker is Marker.CONTINUING and text.startswith(marker):
        letters = text.removeprefix(marker)
    return (letters, False, True) if letters else (text, False, False)


def _with_options(said: Said, options: ReadOptions) -> Said:
    settings = said.settings
    if options.special_tokens is not None:
        settings = replace(settings, special_tokens=_chosen_specials(settings, options.special_tokens))
    if options.pre_tokenizer is not None:
        settings = replace(settings, pipeline=replace(settings.pipeline, pre_tokenizer=options.pre_tokenizer))
    return replace(said, settings=settings)


def _chosen_specials(settings: Settings, given: Mapping[str, int]) -> tuple[str, ...]:
    """Those given, and those that could be nothing else."""
    stranger = (text for text in settings.special_tokens if not _STAND_INS.issuperset(text))
    others = stranger if settings.base is Base.BYTES else ()
    unknown = [settings.unknown_token] if settings.unknown_token else []
    return tuple(dict.fromkeys([*given, *unknown, *others]))


def side_car_says(path: Path) -> Said:
    """Raises FormatError naming the key that is not as expected."""
    side_car = SideCar(path)
    side_car.check_kind(KIND, KIND_VERSION)
    data, file = side_car.data, side_car.file
    return Said(
        side_car.settings(),
        value_of(EncodingRules, data.get("encoding", {}), f"{file}, encoding"),
        value_of(tuple[AddedToken, ...], data.get("added_tokens", []), f"{file}, added_tokens"),
        _decoder(data["decoder"], f"{file}, decoder") if "decoder" in data else None,
    )


def extra_json(recording: Recording) -> dict[str, Any]:
    """What the side-car says of an imported tokenizer that those trained here have not."""
    extra: dict[str, Any] = {}
    if recording.rules != EncodingRules():
        extra["encoding"] = json_of(recording.rules)
    if recording.added_tokens:
        extra["added_tokens"] = json_of(recording.added_tokens)
    if recording.decoder:
        extra["decoder"] = list(recording.decoder.settings)
    return extra


def _decoder(value: object, place: str) -> Decoder:
    if not isinstance(value, list) or not all(isinstance(step, dict) for step in value):
        raise FormatError(f"{place}: expected a list of objects.")
    try:
        return Decoder(tuple(value))
    except BpeError as error:
        raise FormatError(f"{place}: {error}") from None


def guessed(vocab: Mapping[str, int], merges: Merges, has_vocab: bool) -> Said:
    """What the files are by what is in them, special tokens aside: bytes as GPT-2's, CLIP's, or characters."""
    if not has_vocab:
        return Said(Settings(), facts=(_ALONE,))
    word_ends = merges.has_ends(MARKER_TEXT)
    bytes_there = [char in vocab for char in STAND_INS.values()]
    if word_ends and all(bytes_there) and all(char + MARKER_TEXT in vocab for char in STAND_INS.values()):
        settings = Settings(marker=Marker.SUFFIX, pipeline=hugging_face_clip_pipeline())
        return Said(settings, facts=(_LIKE_CLIP,), not_applied=HUGGING_FACE_NOT_APPLIED)
    if not word_ends and (all(bytes_there) or STAND_INS[0x20] in vocab) and merges.letters <= _STAND_INS:
        return Said(Settings(), facts=(_LIKE_GPT2,))
    marker = Marker.SUFFIX if word_ends else _marker_of_characters(vocab, merges)
    return Said(_settings_of_characters(vocab, marker), facts=(f"{_OF_CHARACTERS} {_CUTS[marker]}",))


def _marker_of_characters(vocab: Mapping[str, int], merges: Merges) -> Marker:
    marked = (pair for pair in merges.listing.pairs if pair[1].startswith(_CONTINUING) and pair[1] != _CONTINUING)
    if any(left + right.removeprefix(_CONTINUING) in vocab for left, right in marked):
        return Marker.CONTINUING
    return Marker.METASPACE if METASPACE_TEXT in vocab else Marker.NONE


def _settings_of_characters(vocab: Mapping[str, int], marker: Marker) -> Settings:
    """As the library loads them: unknown characters vanish where there is no token for them."""
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    if marker is Marker.METASPACE:
        pipeline = Pipeline(Normalizer.named("prepend_metaspace"), PRE_TOKENIZERS["none"])
    unknown_token = next((text for text in UNKNOWN_TOKENS if text in vocab), None)
    unknown = Unknown.DROP if unknown_token is None else Unknown.TOKEN
    if not marker.changes_symbols and all(f"<0x{value:02X}>" in vocab for value in range(256)):
        unknown = Unknown.BYTES
    specials = (unknown_token,) if unknown_token else ()
    return Settings(Base.CHARACTERS, marker, "", specials, unknown_token, pipeline, unknown)


def _with_guessed_specials(said: Said, vocab: Mapping[str, int], merges: Sequence[NumberedMerge]) -> Said:
    """What no merge makes or uses and stands in brackets, and what no text could be spelled as."""
    settings = said.settings
    looking_so = {token_id: text for text, token_id in vocab.items() if _looks_special(text, settings)}
    specials = looking_so.keys() - chain.from_iterable(merges) if looking_so else set[int]()
    known = settings.special_tokens
    found = tuple(text for token_id, text in looking_so.items() if token_id in specials or text in known)
    return replace(said, settings=replace(settings, special_tokens=found), facts=(*said.facts, *_about_specials(found)))


def _looks_special(text: str, settings: Settings) -> bool:
    if settings.unknown is Unknown.BYTES and FALLBACK.fullmatch(text.encode()):
        return False
    if settings.base is Base.BYTES and not _STAND_INS.issuperset(text):
        return True
    return (
        len(text) > 2
        and text != MARKER_TEXT
        and text[0] in "<["
        and text[-1] in ">]"
        and bool(_IN_BRACKETS.fullmatch(text))
    )


def _about_specials(specials: Sequence[str]) -> tuple[str, ...]:
    if not specials:
        return ()
    named = ", ".join(specials[:MAX_NAMED]) + (", …" if len(specials) > MAX_NAMED else "")
    return (f"The files do not say which tokens are special; these look it: {named}.",)


_ALONE = (
    "There is no vocabulary beside the merges: ids are those of GPT-2's own encoder, bytes first, then tokens in the "
    "order of the merges. Special tokens are not known."
)
_LIKE_GPT2 = "The files do not say how texts are cut: it is done as GPT-2 does."
_LIKE_CLIP = "The files do not say how texts are cut: bytes with </w> at the end of words are CLIP's way."
_OF_CHARACTERS = "The files do not say how texts are cut."
_CUTS = {
    Marker.SUFFIX: "Its symbols are characters, </w> marks the end of a word, and words are cut at white space.",
    Marker.CONTINUING: "Its symbols are characters, ## marks what goes on with a word, words are cut at white space.",
    Marker.METASPACE: "Its symbols are characters, and ▁ stands for a space: texts are not cut.",
    Marker.NONE: "Its symbols are characters, and words are cut at white space.",
}
