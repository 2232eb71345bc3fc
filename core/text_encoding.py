"""Finds out in which encoding the bytes of a text are written, and decodes them; tells text from binary data."""

import codecs
import re
import unicodedata
from collections.abc import Generator
from enum import StrEnum
from typing import NamedTuple

import charset_normalizer

from core.errors import CorpusError
from core.progress import Progress
from core.utf8 import HALF_CHARACTER

DECODE_BYTES = 1 << 20
GUESS_BYTES = 1 << 16
BEFORE_GUESS_BYTES = GUESS_BYTES // 64  # of a long line, in front of its first byte that is not ASCII
MARK_NOTE = "A byte order mark at the start was removed."

ENCODINGS: tuple[str, ...] = (
    "utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be",
    "cp1252", "iso8859-1", "iso8859-2", "iso8859-15", "cp1250",
    "cp1251", "koi8-r", "cp866", "cp1253", "cp1254", "cp1255", "cp1256", "cp874",
    "gb18030", "big5", "big5hkscs", "cp932", "euc_jp", "iso2022_jp", "cp949", "cp437", "mac-roman",
)  # fmt: skip


class DetectedBy(StrEnum):
    """How the encoding of a text became known."""

    BYTE_ORDER_MARK = "byte order mark"
    VALID_UTF8 = "valid UTF-8"
    GUESSED = "guessed"
    CHOSEN = "chosen"
    TYPED = "typed"


class Detection(NamedTuple):
    """An encoding (a Python codec) and how it became known; `mark_bytes` at the start are a byte order mark."""

    encoding: str
    detected_by: DetectedBy
    mark_bytes: int = 0


_MARKS: tuple[tuple[bytes, str], ...] = (  # UTF-32 LE before UTF-16 LE: its mark begins with the other's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC: tuple[tuple[int, bytes, str], ...] = (  # archives are unpacked before: these are in another one
    (0, b"PK\x03\x04", "it begins like a zip archive or an office document"),
    (0, b"\x1f\x8b", "it begins like a gzip archive"),
    (0, b"\xfd7zXZ\x00", "it begins like an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "it begins like a Zstandard archive"),
    (0, b"PAR1", "it is a Parquet table, which can only be read as word counts"),
    (0, b"7z\xbc\xaf\x27\x1c", "it begins like a 7z archive"),
    (0, b"\x89PNG\r\n", "it begins like a PNG image"),
    (0, b"\xff\xd8\xff", "it begins like a JPEG image"),
    (0, b"GIF87a", "it begins like a GIF image"),
    (0, b"GIF89a", "it begins like a GIF image"),
    (0, b"%PDF-", "it begins like a PDF document"),
    (0, b"\x7fELF", "it begins like a program"),
    (0, b"SQLite format 3\x00", "it begins like a database"),
    (0, b"\xd0\xcf\x11\xe0", "it begins like an old office document"),
    (257, b"ustar", "it begins like a tar archive"),
)
HIGH = re.compile(rb"[\x80-\xff]")
# also what UTF-8 forbids: overlong forms, surrogates, five and six bytes, a character cut off at the end
_UTF8_SHAPED = re.compile(
    rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}"
    rb"|[\xf8-\xfb][\x80-\xbf]{4}|[\xfc\xfd][\x80-\xbf]{5}|[\xe0-\xf4][\x80-\xbf]{1,2}\Z"
)
_CONTROLS = bytes(code for code in range(32) if chr(code) not in "\t\n\v\f\r\x1b")
# names as charset-normalizer spells them; of two that are as good as each other the earlier is taken
_LATIN = ("cp1252", "iso8859_15", "cp1250", "iso8859_2", "cp1254")
_GUESSES = (
    *_LATIN, "cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256", "cp874",
    "gb18030", "big5", "big5hkscs", "cp932", "euc_jp", "cp949",
)  # fmt: skip


def detect(data: bytes, name: str) -> Detection:
    """The encoding by the first bytes; UTF-8 may prove wrong further on. Raises CorpusError if it is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Detection(encoding, DetectedBy.BYTE_ORDER_MARK, len(mark))
    for place, magic, reason in _MAGIC:
        if data.startswith(magic, place):
            raise _binary(name, reason)
    sample = data[:GUESS_BYTES]
    if wide := _wide_encoding(sample):
        return Detection(wide, DetectedBy.GUESSED)
    if sample.count(0) > max(512, len(sample) // 10):
        raise _binary(name, "it is full of NUL bytes")
    if b"\x1b$" in sample and _start_of_text(sample, "iso2022_jp") is not None:
        return Detection("iso2022_jp", DetectedBy.GUESSED)
    return Detection("utf-8", DetectedBy.VALID_UTF8)


def _start_of_text(sample: bytes, encoding: str) -> str | None:
    """The sample decoded, which may end inside a character; None if it is not in that encoding."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeError:
        return None


def _wide_encoding(sample: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, known by NUL bytes in what is no good UTF-8 text."""
    plain = _start_of_text(sample, "utf-8")
    if 0 not in sample or (plain is not None and _looks_written(plain)):
        return None
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        text = _start_of_text(sample, encoding)
        if text and "\0" not in text and any(map(str.isspace, text)) and _looks_written(text):
            return encoding
    return None


def _looks_written(text: str) -> bool:
    """Whether hardly a character is a control character, unassigned or for private use."""
    odd = sum(unicodedata.category(char) in _ODD_CATEGORIES and not char.isspace() for char in text)
    return odd * 50 <= len(text)


_ODD_CATEGORIES = ("Cc", "Cn", "Co", "Cs")


def guess(data: bytes, name: str) -> str:
    """The likeliest encoding of text that is not valid UTF-8: broken UTF-8 before an older encoding."""
    sample = interesting(data)
    shaped = sum(map(len, _UTF8_SHAPED.findall(sample)))
    if shaped * 5 >= len(HIGH.findall(sample)) * 4:
        return "utf-8"
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if 0 in sample or controls * 50 > len(sample):
        raise _binary(name, f"{controls:,} of {len(sample):,} bytes are control characters")
    for cut in range(4):  # the sample may end inside a character
        if encoding := _likeliest(sample[: len(sample) - cut]):
            return encoding
    return "cp1252" if _reads_as_latin(sample) else "utf-8"


def _reads_as_latin(sample: bytes) -> bool:
    """Whether the bytes that are not ASCII are nearly all accented letters among more plain ones."""
    others = [char for char in sample.decode("cp1252", "replace") if not char.isascii()]
    letters = sum(map(str.isalpha, others))
    return letters * 10 >= len(others) * 9 and len(re.findall(rb"[A-Za-z]", sample)) >= len(others)


def _likeliest(sample: bytes) -> str | None:
    accents, letters = len(HIGH.findall(sample)), len(re.findall(rb"[A-Za-z]", sample))
    guesses = _GUESSES if letters >= accents else _GUESSES[len(_LATIN) :]  # no Latin script has so many accents
    found = charset_normalizer.from_bytes(sample, cp_isolation=list(guesses))
    ranked = [
        (match.chaos, -match.coherence, guesses.index(match.encoding)) for match in found if match.encoding in guesses
    ]
    return _commonest(sample, guesses[min(ranked)[2]]) if ranked else None


def interesting(data: bytes) -> bytes:
    """Up to GUESS_BYTES from the line with the first byte that is not ASCII, or from that byte in a very long line."""
    match = HIGH.search(data)
    first = match.start() if match else 0
    start = max(data.rfind(b"\n", 0, first) + 1, first - BEFORE_GUESS_BYTES)
    return data[start : start + GUESS_BYTES]


def _commonest(sample: bytes, encoding: str) -> str:
    """The first of _GUESSES that reads the sample as `encoding` does; charset-normalizer lists one of such twins."""
    text = sample.decode(encoding, "replace")
    same = (guess for guess in _GUESSES if sample.decode(guess, "replace") == text)
    return codecs.lookup(next(same, encoding)).name


def _binary(name: str, reason: str) -> CorpusError:
    return CorpusError(
        f"{name} looks like a binary file, not text: {reason}. Open a plain text file; save documents as plain text "
        "and unpack archives first. If it is text after all, choose its encoding."
    )


def chosen(encoding: str, data: bytes) -> Detection:
    """The user's encoding, with the byte order mark that belongs to it. Raises CorpusError for an unknown name."""
    try:
        b"a".decode(encoding, "replace")
        name = codecs.lookup(encoding).name.removesuffix("-sig")
    except (LookupError, UnicodeError, ValueError):
        raise CorpusError(f"There is no text encoding named {encoding!r}. Known are, among others: {_SOME}.") from None
    for mark, marked in _MARKS:
        if data.startswith(mark) and marked.startswith(name):
            return Detection(marked, DetectedBy.CHOSEN, len(mark))
    return Detection(_WITHOUT_MARK.get(name, name), DetectedBy.CHOSEN)


_WITHOUT_MARK = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""Without a byte order mark the order of nearly all such files; Python's stream decoders would have none."""

_SOME = ", ".join(ENCODINGS[:8])
Decoded = tuple[str, Detection, tuple[str, ...]]


def decode(data: bytes, detection: Detection, name: str) -> Generator[Progress, None, Decoded]:
    """The text, the encoding it turned out to have, and what the user should know.

    Raises CorpusError if it is not in the encoding they chose.
    """
    notes = [MARK_NOTE] if detection.mark_bytes else []
    body = data[detection.mark_bytes :]
    try:
        text = yield from _decode_strictly(body, detection)
    except UnicodeError:
        if detection.detected_by is DetectedBy.CHOSEN:
            raise wrong_encoding(detection.encoding, _first_broken(body, detection), name) from None
        if detection.detected_by is DetectedBy.VALID_UTF8:
            detection = Detection(guess(body, name), DetectedBy.GUESSED)
            if detection.encoding != "utf-8":
                return (yield from decode(data, detection, name))
        text, note = _decode_replacing(body, detection)
        notes.append(note)
    if half := HALF_CHARACTER.search(text):
        raise half_character(detection.encoding, text.count("\n", 0, half.start()), name)
    if nuls := text.count("\0"):
        notes.append(nul_note(nuls))
    return text, detection, tuple(notes)


def _decode_strictly(body: bytes, detection: Detection) -> Generator[Progress, None, str]:
    decoder = codecs.getincrementaldecoder(detection.encoding)()
    parts: list[str] = []
    total = detection.mark_bytes + len(body)
    for start in range(0, len(body), DECODE_BYTES):
        parts.append(decoder.decode(body[start : start + DECODE_BYTES]))
        yield Progress(total, total)  # all bytes are read: only a chance to stop
    parts.append(decoder.decode(b"", final=True))
    return "".join(parts)


def _decode_replacing(data: bytes, detection: Detection) -> tuple[str, str]:
    """The text with U+FFFD for bytes that mean nothing, and a sentence about them."""
    encoding = detection.encoding
    text = data.decode(encoding, "replace")
    broken = text.count("\ufffd") - data.decode(encoding, "ignore").count("\ufffd")
    return text, broken_note(broken, encoding, _first_broken(data, detection))


def broken_note(broken: int, encoding: str, first: str) -> str:
    """What is to be known of a text with so many U+FFFD for bytes that mean nothing."""
    are, at = ("is", "at") if broken == 1 else ("are", "the first at")
    return f"{counted(broken, 'broken character')}, not valid {encoding.upper()}, {are} shown as U+FFFD, {at} {first}."


def nul_note(nuls: int) -> str:
    return f"The text contains {counted(nuls, 'NUL character')}."


def byte_and_line(place: int, line_ends_before: int) -> str:
    """A place in a file in the user's words, counted from 1."""
    return f"byte {place + 1:,} (line {line_ends_before + 1:,})"


def _first_broken(body: bytes, detection: Detection) -> str:
    """The place of the first broken byte, with the byte order mark."""
    start = len(body)
    try:
        body.decode(detection.encoding)
    except UnicodeDecodeError as error:
        start = error.start
    line_ends = body[:start].decode(detection.encoding, "replace").count("\n")
    return byte_and_line(detection.mark_bytes + start, line_ends)


def wrong_encoding(encoding: str, first: str, name: str) -> CorpusError:
    """A text is not in the encoding that was chosen; `first` is the place that shows it."""
    return CorpusError(
        f"{name} is not {encoding.upper()}: {first} is not valid in it. "
        "Choose another encoding, or let it be found out."
    )


def half_character(encoding: str, line_ends_before: int, name: str) -> CorpusError:
    """An encoding that somebody chose, such as UTF-7, can spell what is no text."""
    return CorpusError(
        f"{name}, line {line_ends_before + 1:,}: read as {encoding.upper()} it holds half a character (a lone "
        "surrogate). Choose another encoding, or let it be found out."
    )


def counted(number: int, one: str) -> str:
    """`1 byte`, `2,000 bytes`"""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"
