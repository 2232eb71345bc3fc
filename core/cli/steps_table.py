"""The rows of encode_steps as aligned text: a line for each merge, with the pair that wins between brackets."""

import unicodedata
from collections.abc import Iterator, Sequence

from core.alphabet import Token, utf8
from core.encode_steps import Phrase, Row, WordSteps, piece_label, row_title
from core.vocab import label

RANKS_SHOWN = 8


def phrase_lines(phrase: Phrase) -> Iterator[str]:
    """The words one below the other."""
    for number, word in enumerate(phrase.words):
        if number:
            yield ""
        yield from word_lines(word)


def word_lines(word: WordSteps) -> Iterator[str]:
    """The word, a line for each merge, and a line with the ids."""
    yield label(Token(utf8(word.word)), "")
    rows = [_cells(word, index) for index in range(word.row_count)]
    width = max(display_width(tokens) for _, tokens, _ in rows)
    head = max(len(rank) for rank, _, _ in rows)
    for index, (rank, tokens, remark) in enumerate(rows):
        if word.merges_left_out and index == word.row_count - 1:
            yield f"  … {word.merges_left_out:,} more"
        padding = " " * (width - display_width(tokens))
        yield f"  {rank:>{head}}  {tokens}{padding}  {remark}".rstrip()


def _cells(word: WordSteps, index: int) -> tuple[str, str, str]:
    """What happens, the tokens it happens to, and what else could have."""
    row = word.row(index)
    names = [piece_label(word, piece) for piece in row.pieces]
    if row.winner is None or row.winner_end is None:
        return "=", " ".join(names), _result(word, index)
    names[row.winner] = f"[{names[row.winner]}"
    names[row.winner_end - 1] += "]"
    merge = word.merge_of(index)
    if merge is None:
        return "match", " ".join(names), ""
    return f"rank {merge.rank:,}", " ".join(names), _others(row)


def _result(word: WordSteps, index: int) -> str:
    ids = " ".join("?" if (token_id := word.id_of(piece)) is None else str(token_id) for piece in word.result)
    return f"{'ids' if len(word.result) > 1 else 'id'} {ids} ({row_title(word, index)})"


def _others(row: Row) -> str:
    """The ranks of merges that had to wait, and of those that dropout left out."""
    left_out = [rank for place in sorted(row.left_out) if (rank := row.ranks[place]) is not None]
    parts = [("later", row.rivals), ("left out", left_out)]
    return "; ".join(f"{title} {_listed(ranks)}" for title, ranks in parts if ranks)


def _listed(ranks: Sequence[int]) -> str:
    shown = ", ".join(f"{rank:,}" for rank in ranks[:RANKS_SHOWN])
    return shown if len(ranks) <= RANKS_SHOWN else f"{shown} and {len(ranks) - RANKS_SHOWN:,} more"


def display_width(text: str) -> int:
    """Columns of a terminal: Chinese characters take two, combining marks none."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
