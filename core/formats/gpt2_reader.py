"""Reads GPT-2's two files: in any order of merges, with or without our side-car, and the merges alone."""

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

from core.added_tokens import AddedToken
from core.alphabet import MARKER_TEXT, METASPACE_TEXT, Base, Marker, Token, Unknown
from core.encoding_rules import Encoder, EncodingRules
from core.errors import FormatError
from core.formats.assembly import Model, NumberedMerge, assembled, is_unit
from core.formats.base import Reading, ReadOptions
from core.formats.clip_pipeline import CLIP_NOT_APPLIED, clip_pipeline
from core.formats.gpt2_files import ENTRIES_PER_SLICE, Pair, pair_of, read_merges, read_vocab
from core.formats.merge_lines import MergeLine
from core.formats.rebuild import Settings
from core.formats.side_car import SideCar
from core.formats.spelling import BYTE_OF_STAND_IN, FALLBACK, STAND_INS
from core.formats.strict_json import is_id
from core.imported import Imported
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.progress import Progress, without_progress
from core.recording import Recording

KIND, KIND_VERSION = "bpe-gui tokenizer settings", 2
UNKNOWN_TOKENS = ("<unk>", "[UNK]", "<UNK>")
MAX_NAMED = 5
_BYTE_OF = {ord(char): value for char, value in BYTE_OF_STAND_IN.items()}
_STAND_INS = frozenset(BYTE_OF_STAND_IN)
_LOOKS_SPECIAL = re.compile(r"<[^<>]+>|\[[^\[\]]+\]|<\|.+\|>")
_CONTINUING = Marker.CONTINUING.text


@dataclass(frozen=True)
class Said:
    """What the files say beside vocabulary and merges, or what is taken for granted where they do not."""

    settings: Settings
    rules: EncodingRules = field(default_factory=EncodingRules)
    added_tokens: tuple[AddedToken, ...] = ()
    facts: tuple[str, ...] = ()
    not_applied: tuple[str, ...] = ()


def read(path: Path, options: ReadOptions) -> Reading:
    pair = pair_of(path)
    lines = yield from read_merges(pair.merges)
    vocab = (yield from read_vocab(pair.vocab)) if pair.vocab else vocabulary_of(lines)
    said = said_of(pair, vocab, lines, options)
    vocab = _with_specials(vocab, options.special_tokens or {}, (pair.vocab or pair.merges).name)
    model = yield from _model(pair, vocab, lines, said)
    name = (pair.vocab or pair.merges).name
    return (yield from assembled(model, Imported("gpt2", name, said.facts, said.not_applied)))


def vocabulary_of(lines: Sequence[MergeLine]) -> dict[str, int]:
    """As of GPT-2's own encoder: bytes in the order of their stand-ins, then tokens in that of the merges."""
    vocab = {char: token_id for token_id, char in enumerate(STAND_INS.values())}
    for line in lines:
        vocab.setdefault(line.left + line.right, len(vocab))
    for line in lines:
        for part in line[:2]:
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


def _model(
    pair: Pair, vocab: Mapping[str, int], lines: Sequence[MergeLine], said: Said
) -> Generator[Progress, None, Model]:
    settings, file = said.settings, (pair.vocab or pair.merges).name
    specials, tokens = frozenset(settings.special_tokens), dict[int, Token]()
    entries = iter(vocab.items())
    while batch := list(islice(entries, ENTRIES_PER_SLICE)):
        for text, token_id in batch:
            tokens[token_id] = _token(text, token_id, settings, specials, file)
        yield Progress(len(tokens), len(vocab))
    merges = list[NumberedMerge]()
    for start in range(0, len(lines), ENTRIES_PER_SLICE):
        for line in lines[start : start + ENTRIES_PER_SLICE]:
            merges.append(_numbered(line, vocab, settings, pair.merges.name))
        yield Progress(len(merges), len(lines))
    return model_of(tokens, merges, said)


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
    if not text:
        raise FormatError(f"{file}: the token of id {token_id} is empty.")
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


def _numbered(line: MergeLine, vocab: Mapping[str, int], settings: Settings, file: str) -> NumberedMerge:
    made = settings.joined(line.left, line.right)
    try:
        return vocab[line.left], vocab[line.right], vocab[made]
    except KeyError:
        missing = next(text for text in (line.left, line.right, made) if text not in vocab)
        raise FormatError(f"{file}, line {line.number}: {missing!r} is not in the vocabulary.") from None


def said_of(pair: Pair, vocab: Mapping[str, int], lines: Sequence[MergeLine], options: ReadOptions) -> Said:
    said = side_car_says(pair.side_car) if pair.side_car else guessed(vocab, lines, pair.vocab is not None)
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
    return Said(side_car.settings(), _rules(side_car), _added_tokens(side_car))


def extra_json(recording: Recording) -> dict[str, Any]:
    """What the side-car says of an imported tokenizer that those trained here have not."""
    extra: dict[str, Any] = {}
    if recording.rules != EncodingRules():
        extra["encoding"] = {"encoder": recording.rules.encoder, "whole_pieces": recording.rules.whole_pieces}
    if recording.added_tokens:
        extra["added_tokens"] = [asdict(token) for token in recording.added_tokens]
    return extra


def _rules(side_car: SideCar) -> EncodingRules:
    value = side_car.data.get("encoding")
    if value is None:
        return EncodingRules()
    is_known = isinstance(value, dict) and value.keys() == {"encoder", "whole_pieces"}
    if not is_known or value["encoder"] not in tuple(Encoder) or not isinstance(value["whole_pieces"], bool):
        side_car.fail("encoding", "an object with the encoder and whole_pieces, true or false")
    return EncodingRules(Encoder(value["encoder"]), value["whole_pieces"])


def _added_tokens(side_car: SideCar) -> tuple[AddedToken, ...]:
    value = side_car.data.get("added_tokens", [])
    if not isinstance(value, list) or not all(map(_is_added_token, value)):
        side_car.fail("added_tokens", "a list of objects, each with content, token_id and true or false for the rest")
    return tuple(AddedToken(**token) for token in value)


def _is_added_token(value: object) -> bool:
    names = {each.name for each in fields(AddedToken)}
    if not isinstance(value, dict) or value.keys() != names:
        return False
    flags = (value[name] for name in names - {"content", "token_id"})
    return isinstance(value["content"], str) and is_id(value["token_id"]) and all(isinstance(f, bool) for f in flags)


def guessed(vocab: Mapping[str, int], lines: Sequence[MergeLine], has_vocab: bool) -> Said:
    """What the files are by what is in them: bytes as GPT-2's, CLIP's, or characters."""
    word_ends = any(line.right.endswith(MARKER_TEXT) for line in lines)
    if not has_vocab:
        return Said(Settings(), facts=(_ALONE,))
    if word_ends and all(char in vocab and char + MARKER_TEXT in vocab for char in STAND_INS.values()):
        specials = _specials(vocab, lines, Settings(marker=Marker.SUFFIX))
        settings = Settings(marker=Marker.SUFFIX, special_tokens=specials, pipeline=clip_pipeline())
        return Said(settings, facts=(_LIKE_CLIP, *_about_specials(specials)), not_applied=CLIP_NOT_APPLIED)
    if not word_ends and _is_byte_level(vocab, lines):
        specials = _specials(vocab, lines, Settings())
        return Said(Settings(special_tokens=specials), facts=(_LIKE_GPT2, *_about_specials(specials)))
    return _guessed_characters(vocab, lines, word_ends)


def _is_byte_level(vocab: Mapping[str, int], lines: Iterable[MergeLine]) -> bool:
    letters = set[str]().union(*(line.left + line.right for line in lines))
    has_bytes = STAND_INS[0x20] in vocab or all(char in vocab for char in STAND_INS.values())
    return has_bytes and letters <= _STAND_INS


def _guessed_characters(vocab: Mapping[str, int], lines: Sequence[MergeLine], word_ends: bool) -> Said:
    marker, pipeline = Marker.NONE, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
    if word_ends:
        marker = Marker.SUFFIX
    elif any(line.left + line.right.removeprefix(_CONTINUING) in vocab for line in lines if _goes_on(line)):
        marker = Marker.CONTINUING
    elif METASPACE_TEXT in vocab:
        marker = Marker.METASPACE
        pipeline = Pipeline(Normalizer.named("prepend_metaspace"), PRE_TOKENIZERS["none"])
    unknown_token = next((text for text in UNKNOWN_TOKENS if text in vocab), None)
    unknown = Unknown.DROP if unknown_token is None else Unknown.TOKEN
    if all(f"<0x{value:02X}>" in vocab for value in range(256)):
        unknown = Unknown.BYTES
    settings = Settings(Base.CHARACTERS, marker, unknown_token=unknown_token, unknown=unknown, pipeline=pipeline)
    specials = _specials(vocab, lines, settings)
    return Said(
        replace(settings, special_tokens=specials),
        facts=(f"{_OF_CHARACTERS} {_CUTS[marker]}", *_about_specials(specials)),
    )


def _goes_on(line: MergeLine) -> bool:
    return line.right.startswith(_CONTINUING) and len(line.right) > len(_CONTINUING)


def _specials(vocab: Mapping[str, int], lines: Iterable[MergeLine], settings: Settings) -> tuple[str, ...]:
    """What no merge makes and stands in brackets, and what no text could be spelled as."""
    used = {settings.joined(line.left, line.right) for line in lines}
    used |= {part for line in lines for part in line[:2]}
    return tuple(text for text in vocab if text not in used and _is_special(text, settings))


def _is_special(text: str, settings: Settings) -> bool:
    if settings.unknown is Unknown.BYTES and FALLBACK.fullmatch(text.encode()):
        return False
    if settings.base is Base.BYTES and not _STAND_INS.issuperset(text):
        return True
    return len(text) > 1 and text != settings.marker_text and bool(_LOOKS_SPECIAL.fullmatch(text))


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
