"""The merges as the rows of a table: what its cells hold, which rows a filter keeps, their order, and their text.

Work over all rows is a generator that yields now and then, so that a window can do it in slices.
"""

import operator
import re
from collections.abc import Callable, Generator, Iterable, Sequence
from enum import IntEnum
from heapq import merge as merge_sorted
from typing import Any

from core.errors import BpeError
from core.merge import Merge
from core.recording import Recording
from core.trainer_config import Score
from core.utf8 import utf8
from core.vocab import CARRIAGE_RETURN, NEWLINE, SPACE, TAB, token_label

ROWS_PER_SLICE = 1_000
"""About a millisecond of work."""


class Column(IntEnum):
    RANK = 0
    LEFT = 1
    RIGHT = 2
    TOKEN = 3
    COUNT = 4
    SCORE = 5
    APPLIED = 6
    COMPLETED = 7
    TIED = 8
    TOKENS_LEFT = 9
    TOKEN_ID = 10
    ALSO = 11


TOKEN_COLUMNS = (Column.LEFT, Column.RIGHT, Column.TOKEN)
COUNT_COLUMNS = (
    Column.COUNT,
    Column.SCORE,
    Column.APPLIED,
    Column.COMPLETED,
    Column.TIED,
    Column.TOKENS_LEFT,
)
"""Empty in a recording that was read from a file without counts; SCORE also where the count is the score."""
SELDOM = (Column.SCORE, Column.ALSO)

Condition = Callable[[Recording, Merge], bool]


class FilterError(BpeError):
    """A filter that begins like a condition and does not end like one."""


def token_of(merge: Merge, column: Column) -> int:
    """Id of the token in a token column."""
    return {Column.LEFT: merge.left, Column.RIGHT: merge.right}.get(column, merge.token_id)


def has_values(recording: Recording, column: Column) -> bool:
    """Whether the column says anything about this recording."""
    if column is Column.ALSO:
        return recording.index.has_several_ways
    if column is Column.SCORE:
        return recording.has_counts and recording.config.score is Score.WORDPIECE
    return recording.has_counts or column not in COUNT_COLUMNS


def number_of(recording: Recording, merge: Merge, column: Column) -> float:
    """The number in any other column; a whole one in all but SCORE."""
    match column:
        case Column.RANK:
            return merge.rank
        case Column.COUNT:
            return merge.count
        case Column.SCORE:
            return merge.score or 0.0
        case Column.APPLIED:
            return merge.applied
        case Column.COMPLETED:
            return merge.completed
        case Column.TIED:
            return merge.tied
        case Column.TOKENS_LEFT:
            return recording.corpus_length(merge.rank + 1)
        case Column.ALSO:
            return len(recording.index.ranks_making(merge.token_id)) - 1
        case _:
            return merge.token_id


def cell_text(recording: Recording, rank: int, column: Column) -> str:
    """What the cell says: `th`, `5,321`, `0.0125`, `+2`, or nothing where the column has no values."""
    merge = recording[rank]
    if column in TOKEN_COLUMNS:
        return token_label(recording, token_of(merge, column))
    if not has_values(recording, column):
        return ""
    number = number_of(recording, merge, column)
    if column is Column.ALSO:
        return f"+{number:,}" if number else ""
    return score_text(number) if column is Column.SCORE else f"{number:,}"


def other_ranks(recording: Recording, merge: Merge) -> tuple[int, ...]:
    """Ranks of the other merges that make the same token."""
    return tuple(rank for rank in recording.index.ranks_making(merge.token_id) if rank != merge.rank)


def score_text(score: float) -> str:
    """Three digits: `0.0125`, `3.1e-6`."""
    return f"{score:.3g}".replace("e-0", "e-")


def parse_filter(text: str) -> Condition | None:
    """The condition that `text` stands for, None for an empty one. Raises FilterError.

    `the` or ` the` is text in the token, in any case unless it has capitals; `#12` and `#12-20` are ranks; `id:300` is
    a token id, made or used; `count>100` compares rank, id, count, score, applied, completed or tied; `also>0` asks
    for tokens that other merges make too; quotes make anything text.
    """
    if not text:
        return None
    stripped = text.strip()
    if match := re.fullmatch(r"#([\d,]+)(?:-#?([\d,]+))?", stripped):
        first, last = _number(match[1]), _number(match[2] or match[1])
        return lambda recording, merge: first <= merge.rank <= last
    if match := re.fullmatch(r"id\s*:\s*(.*)", stripped):
        wanted = _whole_number(match[1], "id:", "id:300")
        return lambda recording, merge: wanted in (merge.left, merge.right, merge.token_id)
    if match := re.fullmatch(r"(rank|id|count|score|applied|completed|tied)\s*(<=|>=|=|<|>)\s*(.*)", stripped):
        return _comparison(*match.groups())
    if match := re.fullmatch(r"also\s*(<=|>=|=|<|>)\s*(.*)", stripped):
        compare, limit = _SIGNS[match[1]], _whole_number(match[2], f"also{match[1]}", "also>0")
        return lambda recording, merge: compare(len(other_ranks(recording, merge)), limit)
    is_wanted = text_condition(text[1:-1] if re.fullmatch(r'".+"', text, re.DOTALL) else text)
    # the token holds both parts of the merge, so text in either is found in it
    return lambda recording, merge: is_wanted(_text_of(recording, merge.token_id))


def _comparison(name: str, sign: str, number: str) -> Condition:
    compare = _SIGNS[sign]
    if name == "score":
        least = _decimal_number(number, name + sign, f"{name}{sign}0.01")
        return lambda recording, merge: compare(merge.score or 0.0, least)
    limit = _whole_number(number, name + sign, f"{name}{sign}100")
    value = operator.attrgetter("token_id" if name == "id" else name)
    return lambda recording, merge: compare(value(merge), limit)


_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}


def _whole_number(text: str, before: str, example: str) -> int:
    if not re.fullmatch(r"[0-9][0-9,]*", text.strip()):
        raise FilterError(f"A whole number must follow {before}, as in {example}.")
    return _number(text)


def _decimal_number(text: str, before: str, example: str) -> float:
    if not re.fullmatch(r"([0-9]+\.?|[0-9]*\.[0-9]+)(e[+-]?[0-9]+)?", text.strip().lower()):
        raise FilterError(f"A number must follow {before}, as in {example}.")
    return float(text)


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def text_condition(text: str) -> Callable[[bytes], bool]:
    """Whether a token's text holds `text`, in any case unless that has capitals; signs stand for what they show."""
    needle = _bytes_of_label(text)
    if text == text.lower():
        return lambda content: needle in _lower(content)
    return lambda content: needle in content


def _bytes_of_label(text: str) -> bytes:
    """The bytes that a label, or part of one, stands for: `␣th` is ` th`, `⟨E4 B8⟩` two bytes."""
    for sign, character in ((SPACE, " "), (TAB, "\t"), (NEWLINE, "\n"), (CARRIAGE_RETURN, "\r"), ("◌", "")):
        text = text.replace(sign, character) if text != sign else text
    pieces = re.split(r"⟨((?:[0-9A-Fa-f]{2} ?)+)⟩", text)
    return b"".join(bytes.fromhex(piece) if i % 2 else utf8(piece) for i, piece in enumerate(pieces))


def _text_of(recording: Recording, token_id: int) -> bytes:
    return recording.token(token_id).text(recording.config.marker_text)


def _lower(text: bytes) -> bytes:
    return text.decode(errors="surrogateescape").lower().encode(errors="surrogateescape")


def matching(recording: Recording, condition: Condition | None, ranks: Iterable[int]) -> list[int]:
    """Those of `ranks` whose merges the filter keeps."""
    return [rank for rank in ranks if condition is None or condition(recording, recording[rank])]


def arranged(
    recording: Recording, condition: Condition | None, column: Column, descending: bool
) -> Generator[None, None, list[int]]:
    """Ranks of the merges that the filter keeps, in the order of a column; equal ones by rank.

    Merges that are appended while this runs are left out.
    """
    ranks: list[int] = []
    for start in range(0, known := len(recording), ROWS_PER_SLICE):
        ranks += matching(recording, condition, range(start, min(start + ROWS_PER_SLICE, known)))
        yield
    if column is Column.RANK:
        return ranks[::-1] if descending else ranks
    return (yield from _ordered(recording, ranks, column, descending))


def _ordered(
    recording: Recording, ranks: list[int], column: Column, descending: bool
) -> Generator[None, None, list[int]]:
    """Sorted slice by slice and merged: sorting 100,000 at once would hold everything else up."""
    slices: list[list[tuple[Any, int]]] = []
    for start in range(0, len(ranks), ROWS_PER_SLICE):
        keyed = [(_sort_key(recording, rank, column), rank) for rank in ranks[start : start + ROWS_PER_SLICE]]
        slices.append(sorted(keyed, key=_first, reverse=descending))
        yield
    in_order: list[int] = []
    for n, (_, rank) in enumerate(merge_sorted(*slices, key=_first, reverse=descending), 1):
        in_order.append(rank)
        if n % ROWS_PER_SLICE == 0:
            yield
    return in_order


_first = operator.itemgetter(0)


def _sort_key(recording: Recording, rank: int, column: Column) -> float | bytes:
    """UTF-8 sorts like the code points it stands for."""
    merge = recording[rank]
    if column in TOKEN_COLUMNS:
        return _text_of(recording, token_of(merge, column))
    return number_of(recording, merge, column)


def tsv(recording: Recording, ranks: Sequence[int]) -> Generator[None, None, str]:
    """Tab-separated text with a header line, for spreadsheets; numbers are plain digits, scores exact.

    The score, and other ways to make a token, have a column only where there are any.
    """
    columns = [column for column in Column if column not in SELDOM or has_values(recording, column)]
    lines = ["\t".join(column.name.lower() for column in columns)]
    for n, rank in enumerate(ranks, 1):
        lines.append("\t".join(_plain_cell(recording, rank, column) for column in columns))
        if n % ROWS_PER_SLICE == 0:
            yield
    return "\n".join(lines) + "\n"


def _plain_cell(recording: Recording, rank: int, column: Column) -> str:
    if column in TOKEN_COLUMNS or not has_values(recording, column):
        return cell_text(recording, rank, column)
    if column is Column.ALSO:
        return " ".join(map(str, other_ranks(recording, recording[rank])))
    return str(number_of(recording, recording[rank], column))
