"""Where two encoders part over the same word, and why."""

from dataclasses import dataclass

from core.encode_steps import merge_sentence, piece_label, row_title
from core.encoders import Piece
from core.encoding_rules import ENCODER_TITLES, Encoder
from core.merge import UNKNOWN
from core.word_steps import WordSteps


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two results differ: base symbols `start` to `end` (half-open) are cut in another way.

    `rows` are the rows of the two that show it, None where there is none or it is not among the rows shown.
    """

    start: int
    end: int
    rows: tuple[int | None, int | None]
    message: str


def compare(first: WordSteps, second: WordSteps) -> Difference | None:
    """Where the results of two encoders for the same word part, and why; None if they are the same."""
    assert first.word == second.word, "two words have no results to compare"
    if first.result == second.result:
        return None
    pairs = zip(first.result, second.result, strict=False)
    ours, theirs = next(pair for pair in pairs if pair[0] != pair[1])
    if ours.end == theirs.end:
        return _same_place(first, second, ours, theirs)
    longer, shorter = (first, second) if ours.end > theirs.end else (second, first)
    taken = max(ours, theirs, key=_end)
    blocking, reason = _why_not(shorter, taken)
    rows = {id(longer): _row_making(longer, taken), id(shorter): blocking}
    message = f"{_name(longer)} {_how(longer, taken)}. {_name(shorter)} {reason}"
    end = _end_of_difference(first, second, ours.start)
    return Difference(ours.start, end, (rows[id(first)], rows[id(second)]), message)


def _same_place(first: WordSteps, second: WordSteps, ours: Piece, theirs: Piece) -> Difference:
    message = (
        f"{_name(first)} makes {_quoted(first, ours)} with the id {_id(ours)} here, {_name(second, False)} "
        f"{_quoted(second, theirs)} with the id {_id(theirs)}."
    )
    return Difference(ours.start, ours.end, (_row_making(first, ours), _row_making(second, theirs)), message)


def _end_of_difference(first: WordSteps, second: WordSteps, start: int) -> int:
    """The next boundary that both have."""
    ends = ({piece.end for piece in word.result if piece.end > start} for word in (first, second))
    return min(set.intersection(*ends))


def _how(word: WordSteps, taken: Piece) -> str:
    name = _quoted(word, taken)
    if taken.token_id == UNKNOWN:
        return "makes the whole word unknown, because one of its characters is in no token"
    if word.encoder is Encoder.LONGEST_MATCH:
        return f"takes {name} at once"
    row = _row_making(word, taken)
    return f"makes {name}" if row is None else f"makes {name} ({row_title(word, row)})"


def _why_not(word: WordSteps, taken: Piece) -> tuple[int | None, str]:
    """Why a word never gets the token, as the end of a sentence that its encoder begins; and the row that shows it."""
    if taken.token_id == UNKNOWN:
        return None, "keeps the tokens that it knows."
    if found := word.first_left_out(taken.start, taken.end):
        return found[0], f"left out {merge_sentence(word.recording, found[1])} on the way."
    inside = [piece for piece in word.result if taken.start <= piece.start < taken.end]
    if word.encoder is Encoder.LONGEST_MATCH:
        return None, f"takes {_quoted(word, inside[0])}, the longest token that it knows there."
    if inside[-1].end > taken.end:
        row = word.row_removing(taken.end - 1)
        title = f": {row_title(word, row)}" if row is not None else ""
        return row, f"never makes it here, because a merge across its border comes first{title}."
    left, right = inside[0], inside[1]
    return word.row_count - 1, _why_not_joined(word, left, right)


def _why_not_joined(word: WordSteps, left: Piece, right: Piece) -> str:
    pair = f"{_quoted(word, left)} and {_quoted(word, right)}"
    row = word.row(word.row_count - 1)
    gap = row.pieces.index(left)
    if gap in row.left_out:
        return f"stops at {pair}: dropout left out the merge that joins them."
    listed = word.recording.index.last_rank((left.token_id, right.token_id), word.step)
    if word.encoder is Encoder.LIST_ORDER and listed is not None:
        return f"stops at {pair}: rank {listed:,}, which would join them, had its turn before they stood there."
    if word.encoder is Encoder.TOKEN_RANK:
        return f"stops at {pair}: they spell no token made up to this step."
    return f"stops at {pair}: no merge joins these two."


def _row_making(word: WordSteps, piece: Piece) -> int | None:
    """The row whose merge or match makes a piece."""
    return next((row for row in range(word.row_count - 1) if word.taken_in(row) == piece), None)


def _name(word: WordSteps, begins: bool = True) -> str:
    title = ENCODER_TITLES[word.encoder]
    title = title if begins else title[0].lower() + title[1:]
    return f"{title} with dropout" if word.dropout else title


def _quoted(word: WordSteps, piece: Piece) -> str:
    return f"‘{piece_label(word, piece)}’"


def _id(piece: Piece) -> str:
    return "none" if piece.token_id == UNKNOWN else f"{piece.token_id:,}"


def _end(piece: Piece) -> int:
    return piece.end
