"""The tokenizer section of GGUF files, llama.cpp's models: SentencePiece's pieces, or merges as in GPT-2. Read only."""

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from core.added_tokens import AddedToken
from core.alphabet import Token
from core.encoding_rules import EncodingRules
from core.errors import FormatError, PatternWantedError
from core.formats.assembly import Model, NumberedMerge, assembled
from core.formats.base import Format, Reading, ReadOptions
from core.formats.gguf_head import MAGIC, metadata
from core.formats.llama_cpp_words import TAKES_WORDS_WHOLE, pre_tokenizer_of
from core.formats.sentencepiece_model import Piece, PieceType, SentencePieceModel, Treatment, is_byte
from core.formats.sentencepiece_reader import recording_of
from core.formats.spelling import bytes_of
from core.imported import Imported
from core.pipeline import Pipeline
from core.pre_tokenizer import PreTokenizer
from core.progress import Progress

NAME = "gguf"
TOKENS_PER_SLICE = 1 << 12
PREFIX = "tokenizer.ggml."
_OTHERS = {
    "t5": "a Unigram model, which has no merges",
    "bert": "a WordPiece model, which lists no merges",
    "rwkv": "the one of RWKV, which has no merges",
    "plamo2": "the one of PLaMo 2, which has no merges",
    "gemma4": "the one of Gemma 4, whose merges of characters are not read here",
}
_UNREAD_PRE = ("gemma4", "granite-embed-multi-311m", "sarvam-moe", "whitespace")


def reading(path: Path, options: ReadOptions) -> Reading:
    found = yield from metadata(path)
    section = _Section(path.name, found)
    match section.text("model"):
        case "llama":
            return (yield from _pieces(section))
        case "gpt2":
            return (yield from _merged_bytes(section, options))
        case "" | "none" | "no_vocab":
            raise FormatError(f"{path.name}: there is no tokenizer in this file.")
        case other:
            what = _OTHERS.get(other, f"of the kind {other!r}, which is not known here")
            raise FormatError(f"{path.name}, {PREFIX}model: the tokenizer is {what}.")


class _Section:
    """The values under `tokenizer.ggml.`, each of the type that is asked for. Raises FormatError with the key."""

    def __init__(self, file: str, found: Mapping[str, Any]) -> None:
        self.file = file
        self._found = found

    def text(self, key: str) -> str:
        value = self._found.get(PREFIX + key, b"")
        if not isinstance(value, bytes):
            self.fail(key, "expected text")
        return value.decode(errors="replace")

    def number(self, key: str) -> int | None:
        value = self._found.get(PREFIX + key)
        if value is not None and type(value) is not int:
            self.fail(key, "expected a whole number")
        return value

    def flag(self, key: str, usual: bool) -> bool:
        value = self._found.get(PREFIX + key, usual)
        if not isinstance(value, bool):
            self.fail(key, "expected true or false")
        return value

    def texts(self, key: str) -> list[bytes]:
        value = self._found.get(PREFIX + key)
        if not isinstance(value, list) or not value:
            self.fail(key, "expected a list of texts")
        return value

    def numbers(self, key: str, count: int, kinds: str) -> "list[Any] | None":
        value = self._found.get(PREFIX + key)
        if value is None:
            return None
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds or value.dtype == np.uint8:
            self.fail(key, "expected a list of numbers")
        if len(value) < count:
            self.fail(key, f"expected {count:,} numbers, one for each token, found {len(value):,}")
        numbers: list[Any] = value[:count].tolist()
        return numbers

    def data(self, key: str) -> bytes:
        value = self._found.get(PREFIX + key)
        if value is None:
            return b""
        if not isinstance(value, np.ndarray) or value.dtype.itemsize != 1:
            self.fail(key, "expected bytes")
        return value.tobytes()

    def decoded(self, key: str, number: int, text: bytes) -> str:
        try:
            return text.decode()
        except UnicodeDecodeError:
            self.fail(key, f"text {number:,} is not UTF-8, {text[:40]!r}")

    def fail(self, key: str, what: str) -> NoReturn:
        raise FormatError(f"{self.file}, {PREFIX}{key}: {what}.")


def _tokens(section: _Section) -> Generator[Progress, None, list[str]]:
    listed, texts, seen = section.texts("tokens"), list[str](), dict[str, int]()
    for number, data in enumerate(listed):
        text = section.decoded("tokens", number, data) or f"[EMPTY_{number}]"  # as llama.cpp calls it
        if seen.setdefault(text, number) != number:
            section.fail("tokens", f"{text[:40]!r} is token {seen[text]:,} and token {number:,}")
        texts.append(text)
        if number % TOKENS_PER_SLICE == 0:
            yield Progress(number, len(listed))
    return texts


def _types(section: _Section, texts: list[str]) -> list[PieceType]:
    numbers = section.numbers("token_type", len(texts), "iu")
    if numbers is None:
        return [PieceType.BYTE if is_byte(text) else PieceType.NORMAL for text in texts]
    known = {int(type): type for type in PieceType}
    return [known.get(number, PieceType.NORMAL) for number in numbers]


def _added(texts: list[str], types: list[PieceType]) -> tuple[AddedToken, ...]:
    """llama.cpp cuts them out of a text before anything else is done with it."""
    looked_for = (PieceType.CONTROL, PieceType.UNKNOWN, PieceType.USER_DEFINED)
    return tuple(
        AddedToken(text, i, special=type is not PieceType.USER_DEFINED)
        for i, (text, type) in enumerate(zip(texts, types, strict=True))
        if type in looked_for
    )


def _pieces(section: _Section) -> Reading:
    texts = yield from _tokens(section)
    types = _with_one_unknown(section, _types(section, texts))
    added = _added(texts, types)
    scores = section.numbers("scores", len(texts), "fiu") or [0.0] * len(texts)
    # user-defined tokens are cut out beforehand, and unused ones stay whole
    plain = {PieceType.UNUSED: PieceType.NORMAL}
    pieces = [
        Piece(text, float(score), plain.get(type, type)) for text, score, type in zip(texts, scores, types, strict=True)
    ]
    treatment = Treatment(
        charsmap=section.data("precompiled_charsmap"),
        add_dummy_prefix=section.flag("add_space_prefix", True),
        remove_extra_whitespaces=section.flag("remove_extra_whitespaces", False),
        byte_fallback=PieceType.BYTE in types,
    )
    return (yield from recording_of(SentencePieceModel(pieces, treatment), NAME, section.file, added_tokens=added))


def _with_one_unknown(section: _Section, types: list[PieceType]) -> list[PieceType]:
    """Older files have several tokens of the type, and some none."""
    unknown = [i for i, type in enumerate(types) if type is PieceType.UNKNOWN]
    wanted = section.number("unknown_token_id")
    if wanted is None or not 0 <= wanted < len(types):
        wanted = unknown[0] if unknown else 0
    for i in unknown:
        types[i] = PieceType.CONTROL
    types[wanted] = PieceType.UNKNOWN
    return types


def _merged_bytes(section: _Section, options: ReadOptions) -> Reading:
    texts = yield from _tokens(section)
    types, name = _types(section, texts), section.text("pre")
    pre_tokenizer = options.pre_tokenizer or _pre_tokenizer(section, name)
    added = _added(texts, types)
    literal = {token.token_id for token in added}
    tokens = {i: _token(text, types[i], i in literal) for i, text in enumerate(texts)}
    merges = yield from _merges(section, {text: i for i, text in enumerate(texts)})
    not_applied = ("a space before every text (add_space_prefix)",) if section.flag("add_space_prefix", False) else ()
    return (
        yield from assembled(
            Model(
                tokens,
                merges,
                pipeline=Pipeline(pre_tokenizer=pre_tokenizer),
                rules=EncodingRules(whole_pieces=name in TAKES_WORDS_WHOLE),
                added_tokens=added,
            ),
            Imported(NAME, section.file, not_applied=not_applied),
        )
    )


def _token(text: str, type: PieceType, is_literal: bool) -> Token:
    """What texts are not searched for is spelled in GPT-2's stand-ins for bytes."""
    content = None if is_literal else bytes_of(text)
    return Token(text.encode() if content is None else content, special=is_literal)


def _pre_tokenizer(section: _Section, name: str) -> PreTokenizer:
    if name in _UNREAD_PRE:
        section.fail("pre", f"tokenizers with {name!r} merge characters, and are not read here")
    found = pre_tokenizer_of(name)
    if found is None:
        said = f"{name!r} is no way to cut texts that is known here" if name else "it is not said how texts are cut"
        raise PatternWantedError(f"{section.file}, {PREFIX}pre: {said}. Choose a pre-tokenizer or give its pattern.")
    return found


def _merges(section: _Section, ids: Mapping[str, int]) -> Generator[Progress, None, list[NumberedMerge]]:
    """Of merges that are listed again the first ones count."""
    listed, merges = section.texts("merges"), dict[tuple[int, int], NumberedMerge]()
    for number, data in enumerate(listed):
        text = section.decoded("merges", number, data)
        space = text.find(" ", 1)  # the first character may be one
        left, right = text[:space], text[space + 1 :]
        if space < 0 or not right:
            section.fail("merges", f"merge {number:,} should be two tokens with a space between, found {text[:60]!r}")
        for token in (left, right, left + right):
            if token not in ids:
                section.fail("merges", f"merge {number:,}, {text[:60]!r}: there is no token {token[:60]!r}")
        merges.setdefault((ids[left], ids[right]), (ids[left], ids[right], ids[left + right]))
        if number % TOKENS_PER_SLICE == 0:
            yield Progress(number, len(listed))
    return list(merges.values())


def finds(folder: Path) -> Iterator[Path]:
    """Not beside a tokenizer.json, which says the same there."""
    if not (folder / "tokenizer.json").is_file():
        yield from sorted(folder.glob("*.gguf"))


FORMAT = Format(
    name=NAME,
    title="GGUF model",
    help="The tokenizer in a model file of llama.cpp; the model itself is not read.",
    suggested_name="model.gguf",
    is_folder=False,
    read=reading,
    recognizes=lambda data, path: data.startswith(MAGIC),
    finds=finds,
    follows=frozenset({"pre_tokenizer"}),
)
