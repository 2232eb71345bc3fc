"""Our normalizers in a tokenizer.json: how each is spelled with the library's steps, and back.

Only few are steps of the library's own; the others are patterns to replace, which it follows exactly.
"""

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any

import regex

from core.alphabet import METASPACE_TEXT
from core.charsmap import Precompiled
from core.errors import BpeError, FormatError
from core.formats.json_lines import text_of
from core.formats.oniguruma import from_oniguruma
from core.formats.patterns import TEXT_END, TEXT_START, portable, portable_in_lines
from core.normalizer import NORMALIZERS, Normalizer, Step, read_charsmap
from core.normalizer_library import Bert, Nmt, Prepend, ReplaceAnywhere, ReplaceText, StripEnds, StripMarks
from core.normalizer_steps import (
    CollapseWhitespace,
    Metaspace,
    Numbers,
    PrependMetaspace,
    Replace,
    Strip,
    StripAccents,
)
from core.sentencepiece_text import SentencePieceText
from core.text_cleaning import Ftfy, HtmlUnescape, PythonLowercase
from core.unicode_forms import NmtNfkc

Json = dict[str, Any]

NAMED = {"lowercase": "Lowercase", "nfc": "NFC", "nfkc": "NFKC", "nfd": "NFD", "nfkd": "NFKD"}
LINE_EDGES = r"(?<![^\r\n])[^\S\r\n]+|(?<![^\S\r\n])[^\S\r\n]+(?![^\r\n])"
WHITE_SPACE_RUNS = r"[^\S\r\n]+"
MARKS, NUMBERS = r"\p{M}+", r"\p{N}+"
SECOND_METASPACE = rf"{TEXT_START}▁(?=[ ▁])"
NONCHARACTER = "\ufdd0"
MAX_STEPS = 5
"""Of the library's, that one of ours is spelled with."""


def json_of(step: Step) -> Iterator[Json]:
    """A step of ours in the library's; raises FormatError for a replacement that it would do otherwise.

    Of HtmlUnescape, Ftfy and PythonLowercase, as far as the library goes; its findings warn of them.
    """
    match step:
        case SentencePieceText():
            yield from _sentencepiece(step)
        case PrependMetaspace():
            yield {"type": "Prepend", "prepend": "▁"}
            yield replaced_text(" ", "▁")
        case Metaspace():  # one match of no width would do, but ByteLevel cannot stand text put before the first letter
            yield {"type": "Prepend", "prepend": "▁"}
            yield replaced(SECOND_METASPACE, "")
            yield replaced_text(" ", "▁")
        case StripAccents():  # not the library's own: it follows an older Unicode and leaves 315 marks standing
            yield replaced(MARKS, "")
        case Strip():
            yield replaced(LINE_EDGES, "")
        case CollapseWhitespace():
            yield replaced(WHITE_SPACE_RUNS, " ")
        case Numbers():
            yield replaced(NUMBERS, step.token)
        case Replace():
            yield from (replaced(portable_in_lines(pattern), new) for pattern, new in step.replacements)
        case NmtNfkc():
            yield from _nmt_nfkc()
        case Precompiled():
            yield {"type": "Precompiled", "precompiled_charsmap": b64encode(step.charsmap.data).decode()}
        case ReplaceAnywhere():
            yield replaced(portable(step.pattern), step.new)
        case ReplaceText():
            yield replaced_text(step.old, step.new)
        case Prepend():
            there = regex.escape(step.text) if step.unless_there else None
            yield replaced(rf"{TEXT_START}(?!{there})(?=[\s\S])", step.text) if there else {
                "type": "Prepend", "prepend": step.text,
            }  # fmt: skip
        case StripEnds():
            yield {"type": "Strip", "strip_left": step.left, "strip_right": step.right}
        case StripMarks():
            yield {"type": "StripAccents"}
        case Nmt():
            yield {"type": "Nmt"}
        case HtmlUnescape():  # there is nothing like it
            return
        case Ftfy():
            yield {"type": "NFC"}
        case PythonLowercase():
            yield {"type": "Lowercase"}
        case Bert():
            parts = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
            yield {"type": "BertNormalizer", **{part: getattr(step, part) for part in parts}}
        case _:
            yield {"type": NAMED[step.name]}


def _sentencepiece(step: SentencePieceText) -> Iterator[Json]:
    if step.as_suffix:
        raise FormatError("Hugging Face puts no space behind a text, as this SentencePiece model asks for.")
    if step.charsmap:
        yield {"type": "Precompiled", "precompiled_charsmap": b64encode(step.charsmap.data).decode()}
    if step.removes_extra_spaces:
        yield replaced(rf"{TEXT_START} +|[ ▁]+{TEXT_END}", "")
        yield replaced(" {2,}", " ")
    if step.dummy_prefix:
        yield {"type": "Prepend", "prepend": METASPACE_TEXT if step.escapes_spaces else " "}
    if step.escapes_spaces:
        yield replaced_text(" ", METASPACE_TEXT)


def _nmt_nfkc() -> Iterator[Json]:
    """The library reads SentencePiece's table a grapheme at a time: of `ﬁ` and a mark it would lose the mark, and of a
    line end `\\r\\n` one space. After NFKC hardly such a character is left; `～`, which the table keeps, hides from it.
    """
    yield replaced(r"\r(?=\n)", " ")
    yield replaced_text("～", NONCHARACTER)
    yield {"type": "NFKC"}
    yield {"type": "Precompiled", "precompiled_charsmap": b64encode(nmt_nfkc_charsmap()).decode()}
    yield replaced_text(NONCHARACTER, "～")


def replaced(pattern: str, new: str) -> Json:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": new}


def replaced_text(old: str, new: str) -> Json:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


@cache
def nmt_nfkc_model() -> bytes:
    """SentencePiece's normalizer as it writes it, a protocol buffer."""
    from sentencepiece import SentencePieceNormalizer

    model: bytes = SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto()
    return model


@cache
def nmt_nfkc_charsmap() -> bytes:
    """Its table of characters: field 2 of the model's field 3, normalizer_spec."""
    return dict(_fields(dict(_fields(nmt_nfkc_model()))[3]))[2]


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer that hold bytes, by number."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(message):
        key = varint()
        if key & 7 == 0:
            varint()
            continue
        assert key & 7 == 2, "SentencePiece's normalizer has numbers, strings and messages only"
        size = varint()
        yield key >> 3, message[place : place + size]
        place += size


def read_normalizer(steps: list[Json]) -> Normalizer:
    """What these steps spell. Raises a BpeError for what no step of ours does."""
    found, place = list[Step](), 0
    while place < len(steps):
        step, size = _read(steps[place : place + MAX_STEPS])
        place += size
        if isinstance(step, Replace) and found and isinstance(before := found[-1], Replace) and _is_one(before):
            found[-1] = Replace(before.replacements + step.replacements)
        else:
            found.append(step)
    return Normalizer(tuple(found))


def _read(steps: list[Json]) -> tuple[Step, int]:
    """Our step that the first of these spell, and how many they are."""
    known: list[Step] = [Metaspace(), PrependMetaspace(), StripAccents(), Strip(), CollapseWhitespace()]
    if any(step.get("type") == "Precompiled" for step in steps):
        known.append(NmtNfkc())
    for step in known:
        spelled = list(json_of(step))
        if steps[: len(spelled)] == spelled:
            return step, len(spelled)
    for name, kind in NAMED.items():
        if steps[0] == {"type": kind}:
            return NORMALIZERS[name](), 1
    return _read_replacement(steps[0]), 1


def _read_replacement(step: Json) -> Step:
    pattern = step["pattern"].get("Regex") if isinstance(step.get("pattern"), dict) else None
    new = step.get("content")
    if step.get("type") != "Replace" or not isinstance(pattern, str) or not isinstance(new, str):
        shown = text_of(step)
        raise FormatError(
            f"expected one of {', '.join(NAMED.values())}, Replace with a Regex, or steps as this program writes them, "
            f"found {shown if len(shown) <= 100 else shown[:99] + '…'}."
        )
    if pattern == NUMBERS and new:
        return Numbers(new)
    portable_in_lines(pattern)
    return Replace(((pattern, new),))


def _is_one(step: Replace) -> bool:
    """Whether replacements that follow see the same lines be they in this step or in the next."""
    return all("\n" not in new for _, new in step.replacements)


def read_library_steps(steps: list[Json]) -> tuple[list[Step | None], list[str]]:
    """The steps of any file, and what is left out. The last one is None if it spells bytes in GPT-2's stand-ins."""
    found, left_out, place = list[Step | None](), list[str](), 0
    while place < len(steps):
        kind = steps[place].get("type")
        if steps[place : place + 2] == list(json_of(PrependMetaspace())):
            found.append(PrependMetaspace())
            place += 1
        elif kind == "ByteLevel" and place == len(steps) - 1:
            found.append(None)
        else:
            try:
                found += _library_steps(steps[place])
            except KeyError:
                left_out.append(f"the normalizer {kind}")
            except BpeError as error:
                left_out.append(f"the normalizer {kind} ({error})")
        place += 1
    return found, left_out


def _library_steps(step: Json) -> Iterator[Step]:
    """Raises KeyError for what is not known."""
    match step.get("type"):
        case "Lowercase" | "NFC" | "NFKC" | "NFD" | "NFKD" as kind:
            yield next(NORMALIZERS[name]() for name, spelled in NAMED.items() if spelled == kind)
        case "StripAccents":
            yield StripMarks()
        case "Strip":
            yield StripEnds(step["strip_left"] is True, step["strip_right"] is True)
        case "Prepend":
            yield Prepend(_string(step["prepend"]))
        case "Precompiled":
            yield Precompiled(read_charsmap(step["precompiled_charsmap"]), by_graphemes=True)
        case "Nmt":
            yield Nmt()
        case "BertNormalizer":
            strips = step["lowercase"] if step.get("strip_accents") is None else step["strip_accents"]
            parts = (step["clean_text"], step["handle_chinese_chars"], strips, step["lowercase"])
            yield Bert(*(part is True for part in parts))
        case "Replace":
            pattern, new = step["pattern"], _string(step["content"])
            if not isinstance(pattern, dict):
                raise KeyError("pattern")
            if "String" in pattern:
                yield ReplaceText(_string(pattern["String"]), new)
            else:
                yield ReplaceAnywhere(from_oniguruma(_string(pattern["Regex"])), new)
        case kind:
            raise KeyError(kind)


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise KeyError(value)
    return value


def one_or_sequence(steps: list[Json], key: str) -> Json | None:
    return steps[0] if len(steps) == 1 else {"type": "Sequence", key: steps} if steps else None


def steps_of(value: object, key: str) -> list[Json]:
    """The steps of a normalizer or pre-tokenizer, be it one or a Sequence of them."""
    if value is None:
        return []
    if isinstance(value, dict) and value.get("type") == "Sequence" and isinstance(value.get(key), list):
        return list(chain.from_iterable(steps_of(step, key) for step in value[key]))
    return [value] if isinstance(value, dict) else [{"type": value}]
