"""Lists of `word count` lines, which many tools write and some train on: read as a corpus, written, and recognized."""

import codecs
import hashlib
import json
import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

from core.atomic import write_files
from core.corpus import Corpus
from core.errors import CorpusError, FormatError
from core.files import read_bytes
from core.pipeline import Pipeline, WordCounts
from core.progress import Progress, without_progress
from core.text_encoding import DetectedBy, counted
from core.word_counting import count_corpus

HEADER = "#word-counts json"
"""As first line: every word below is a JSON string. No word can look like it, for it does not end in a number."""

MAX_COUNT = 2**63 - 1
LINES_PER_PROGRESS = 4_096  # about 5 ms of work
LINES_LOOKED_AT = 1_000
MAX_QUOTED_CHARS = 40


def load_word_counts(path: str | Path) -> Corpus:
    """As read_word_counts, without the progress."""
    return without_progress(read_word_counts(path))


def read_word_counts(path: str | Path) -> Generator[Progress, None, Corpus]:
    r"""Read a UTF-8 list of words and how often each occurs, such as "low 5"; progress is in bytes.

    The last space or tab of a line separates, so that "  a  5" is the word "  a ". A word listed twice has the sum of
    its counts. Lines end in "\n" or "\r\n"; empty ones may stand at the end only. Raises CorpusError with the line.
    """
    path = Path(path)
    digest = hashlib.sha256()
    data, _ = yield from read_bytes(path, digest)
    has_mark = data.startswith(codecs.BOM_UTF8)
    lines = _decoded(data, path.name).split("\n")
    while lines and lines[-1] in ("", "\r"):
        lines.pop()
    counts: dict[str, int] = {}
    repeated = 0
    for number, (word, count) in _entries(lines, path.name):
        repeated += word in counts
        counts[word] = counts.get(word, 0) + count
        if counts[word] > MAX_COUNT:
            raise _wrong(path.name, number, f"with it the counts of {_quoted(word)} add up to more than {MAX_COUNT:,}")
        if number % LINES_PER_PROGRESS == 0:
            yield Progress(len(data), len(data))
    return Corpus(
        "".join(f"{word}\n" for word in counts),
        path.name,
        (path,),
        "utf-8",
        DetectedBy.BYTE_ORDER_MARK if has_mark else DetectedBy.VALID_UTF8,
        len(data),
        digest.hexdigest(),
        _notes(counts, repeated, has_mark),
        counts,
    )


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"{name}, line {line:,}: byte {error.start + 1:,} of the file is not UTF-8. "
            "A list of word counts must be UTF-8 text; save it as that."
        ) from None


def _entries(lines: list[str], name: str) -> Iterator[tuple[int, tuple[str, int]]]:
    """The number of each line, its word and its count."""
    is_json = bool(lines) and lines[0].removesuffix("\r") == HEADER
    for number, line in enumerate(lines, 1):
        if is_json and number == 1:
            continue
        try:
            word, count = _entry(line.removesuffix("\r"))
            yield number, (_unescaped(word) if is_json else word, count)
        except ValueError as error:
            raise _wrong(name, number, str(error)) from None


def _entry(line: str) -> tuple[str, int]:
    place = max(line.rfind(" "), line.rfind("\t"))
    word, digits = line[: max(place, 0)], line[place + 1 :]
    if not line:
        raise ValueError("the line is empty, and not at the end of the file")
    if place < 0:
        raise ValueError(f"there is no space or tab in {_quoted(line)}")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(_no_count(digits))
    if not word:
        raise ValueError(f"there is no word before the count {_quoted(digits)}")
    digits = digits.lstrip("0")
    if len(digits) > 19 or (count := int(digits or "0")) > MAX_COUNT:
        raise ValueError(f"the count {_quoted(digits)} is too large; the largest is {MAX_COUNT:,}")
    if count == 0:
        raise ValueError("the count is 0, and must be at least 1")
    return word, count


def _no_count(found: str) -> str:
    if not found:
        return "nothing follows the last space or tab"
    if re.fullmatch("-[0-9]+", found):
        return f"the count {_quoted(found)} is negative, and must be at least 1"
    return f"{_quoted(found)} behind the last space or tab is not a whole number"


def _unescaped(word: str) -> str:
    try:
        text = json.loads(word) if word.startswith('"') else None
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise ValueError(f"{_quoted(word)} is not a JSON string, which the first line says that every word is")
    if _SURROGATE.search(text):
        raise ValueError(f"{word} holds half a character (a lone surrogate)")
    if not text:
        raise ValueError("the word is empty")
    return text


def _wrong(name: str, number: int, what: str) -> CorpusError:
    return CorpusError(
        f"{name}, line {number:,}: {what}. "
        'Expected was a word, a space or tab, and how often the word occurs, such as "low 5".'
    )


def _quoted(text: str) -> str:
    short = text if len(text) <= MAX_QUOTED_CHARS else text[: MAX_QUOTED_CHARS - 1] + "…"
    return f'"{short}"' if short.isprintable() else json.dumps(short)


def _notes(counts: Mapping[str, int], repeated: int, has_mark: bool) -> tuple[str, ...]:
    notes = [
        f"Word counts: {counted(len(counts), 'word')}, {sum(counts.values()):,} in all.",
        "The words are trained on as they are: neither normalizer nor pre-tokenizer changes them.",
    ]
    if has_mark:
        notes.append("A byte order mark at the start was removed.")
    if repeated:
        notes.append(f"{counted(repeated, 'line')} with a word that was listed before: the counts were added up.")
    return tuple(notes)


def corpus_words_counted(corpus: Corpus, pipeline: Pipeline) -> Generator[Progress, None, WordCounts]:
    """The words that training on `corpus` starts from; raises PatternError as count_words does.

    Given counts are used as they are: the pipeline, made for texts, has no say in words that another tool has cut.
    """
    if corpus.given_counts is None:
        return (yield from count_corpus(corpus, pipeline))
    counts = dict(corpus.given_counts)  # the caller's own, who may empty it
    yield Progress(len(corpus.text), len(corpus.text))
    return WordCounts(counts, sum(counts.values()))


def write_word_counts(path: str | Path, counts: Mapping[str, int]) -> None:
    """Write what read_word_counts reads back as the same words, counts and order, or raise FormatError.

    Other tools read it too, unless a word holds a line end; some of them drop spaces at a word's start and end.
    """
    write_files({Path(path): (line.encode() for line in word_count_lines(counts))})


def word_count_lines(counts: Mapping[str, int]) -> Iterator[str]:
    """The lines of the file, made when asked for. Raises FormatError for a word or count that no file can hold."""
    is_json = _needs_json(counts)
    if is_json:
        yield HEADER + "\n"
    for word, count in counts.items():
        if not word:
            raise FormatError("A list of word counts cannot hold a word without characters.")
        if not 1 <= count <= MAX_COUNT:
            raise FormatError(
                f"The word {_quoted(word)} has the count {count:,}; from 1 to {MAX_COUNT:,} can be saved."
            )
        if not word.isascii() and _SURROGATE.search(word):
            raise FormatError(f"The word {word!r} holds half a character (a lone surrogate), which UTF-8 cannot hold.")
        yield f"{json.dumps(word, ensure_ascii=False) if is_json else word} {count}\n"


_SURROGATE = re.compile("[\ud800-\udfff]")


def _needs_json(counts: Mapping[str, int]) -> bool:
    """Whether lines of plain words would be read otherwise: here or, for a lone "\\r", in most other tools."""
    if next(iter(counts), "").startswith("\ufeff"):  # would pass for a byte order mark
        return True
    return any("\n" in word or "\r" in word for word in counts)


def looks_like_word_counts(text_beginning: str) -> bool:
    """Whether the first lines, up to 1,000, all end in a space or tab and digits; one that is cut off may differ."""
    lines = text_beginning.split("\n", LINES_LOOKED_AT)
    if len(lines) > 1:
        lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return bool(lines) and (lines[0] == HEADER or all(map(_WORD_COUNT.fullmatch, lines)))


_WORD_COUNT = re.compile(r"(?s).+[ \t][0-9]+")
