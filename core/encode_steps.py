"""How a phrase is encoded, laid out for looking at: its words, row by row, and what is said of them."""

from dataclasses import dataclass
from functools import cached_property

from core.encoders import Dropout, Piece
from core.encoding_rules import Encoder
from core.merge import UNKNOWN, Merge
from core.recording import Recording
from core.tokenizer import Specials, Tokenizer
from core.vocab import bytes_line, facts, hex_bytes, label, merge_text, token_label
from core.word_steps import MAX_MERGE_ROWS, Row, WordSteps

__all__ = [
    "MAX_MERGE_ROWS", "MAX_PHRASE_CHARS", "Phrase", "Row", "WordSteps", "describe_piece", "encode_phrase",
    "merge_sentence", "phrase_title", "row_title", "spoken_row", "why",
]  # fmt: skip

MAX_PHRASE_CHARS = 5_000  # 11 ms for prose, 40 ms for one word of 15,000 bytes
MAX_RIVALS_SPOKEN = 5
MAX_FACT_CHARS = 90


@dataclass(frozen=True)
class Phrase:
    """A text as its words and special tokens; `problem` says why a pattern could not cut it."""

    words: tuple[WordSteps, ...] = ()
    characters_left_out: int = 0
    problem: str = ""

    @cached_property
    def ids(self) -> tuple[int, ...]:
        return tuple(token_id for word in self.words for token_id in word.ids())

    @cached_property
    def unknown_count(self) -> int:
        """Characters without an id."""
        return sum(word.unknown_count for word in self.words)


def encode_phrase(
    recording: Recording,
    text: str,
    step: int,
    encoder: Encoder = Encoder.MERGE_RANK,
    dropout: Dropout | None = None,
    specials: Specials = Specials.MATCH,
) -> Phrase:
    """The first MAX_PHRASE_CHARS of `text` under the first `step` merges.

    Raises PatternError as `words` does, ConfigError as WordSteps does, SpecialTokenError as Tokenizer.encode does.
    """
    shown = text[:MAX_PHRASE_CHARS]
    words, place = list[WordSteps](), 0
    known: dict[str, WordSteps] = {}
    for stretch in Tokenizer(recording, step, encoder, dropout).stretches(shown, specials):
        plain = shown[stretch.start : stretch.end]
        if stretch.token_id is not None:
            words.append(WordSteps(recording, plain, step, stretch.token_id, encoder))
            continue
        normalized = stretch.aligned.text if stretch.aligned else recording.pipeline.normalizer.normalize(plain)
        for word in recording.pipeline.pre_tokenizer.words(normalized):
            if word.text not in known or dropout:
                known[word.text] = WordSteps(recording, word.text, step, None, encoder, dropout, place)
            words.append(known[word.text])
            place += 1
    return Phrase(tuple(words), len(text) - len(shown))


def merge_sentence(recording: Recording, merge: Merge) -> str:
    """`rank 12: h + a → ha`"""
    return f"rank {merge.rank:,}: {merge_text(recording, merge)}"


def piece_label(word: WordSteps, piece: Piece) -> str:
    """`label` of a piece, or of the characters that no token covers."""
    if piece.token_id != UNKNOWN:
        return token_label(word.recording, piece.token_id)
    return label(word.token_of(piece), word.recording.config.marker_text)


def row_title(word: WordSteps, index: int) -> str:
    """What a row is called: its merge or match, or how many tokens the result has and for how many characters none."""
    merge, taken = word.merge_of(index), word.taken_in(index)
    if merge:
        left, right, made = _labels(word, index)
        return f"rank {merge.rank:,}: {left} + {right} → {made}"
    if taken and word.is_whole:
        return f"whole word: {piece_label(word, taken)}"
    if taken:
        return f"{'unknown' if taken.token_id == UNKNOWN else 'match'}: {piece_label(word, taken)}"
    if word.is_special:
        return _kind_of_special(word)
    tokens = _tokens(len(word.ids()))
    return f"{tokens}, {word.unknown_count:,} unknown" if word.unknown_count else tokens


def phrase_title(phrase: Phrase) -> str:
    """`5 tokens, 1 unknown character left out`: the sum of its words' results."""
    tokens, unknown = _tokens(len(phrase.ids)), phrase.unknown_count
    return (
        f"{tokens}, {unknown:,} unknown {'character' if unknown == 1 else 'characters'} left out" if unknown else tokens
    )


def _kind_of_special(word: WordSteps) -> str:
    """Other tools look for some tokens in texts that are not special."""
    (token_id,) = word.symbols
    is_added = any(token.token_id == token_id and not token.special for token in word.recording.added_tokens)
    return "added token" if is_added else "special token"


def _tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count:,} tokens"


def why(word: WordSteps, index: int) -> str:
    """Why the outlined pieces of a row won, or why nothing more can happen to the word."""
    row = word.row(index)
    if row.winner is None:
        return _why_ended(word, row)
    if word.is_whole:
        return "The whole word is a token: it is taken as it stands, before any merge is tried."
    if word.encoder is Encoder.LONGEST_MATCH:
        return _why_longest(word, index, row)
    return _why_left(row) if row.left_out else _why_first(word, row)


def _why_first(word: WordSteps, row: Row) -> str:
    assert row.rank is not None, "a pair was joined without a rank"
    thing = "token that two neighbours spell" if word.encoder is Encoder.TOKEN_RANK else "merge possible"
    possible = len(row.rivals) + 1
    if possible == 1:
        return f"Rank {row.rank:,} is the only {thing} here."
    if word.encoder is Encoder.LIST_ORDER:
        reason = f"Rank {row.rank:,} is the next merge of the list that fits; {possible - 1:,} more may follow."
    elif row.rivals[0] < row.rank:
        return f"Rank {row.rank:,} goes on at all its places; rank {row.rivals[0]:,}, possible by now, waits for it."
    else:
        things = "tokens that two neighbours spell" if word.encoder is Encoder.TOKEN_RANK else "possible merges"
        reason = f"Rank {row.rank:,} is the lowest of {possible:,} {things}."
    equals = row.rivals.count(row.rank)
    return f"{reason} It stands here {equals + 1:,} times: the leftmost goes first." if equals else reason


def _why_left(row: Row) -> str:
    """Why a merge won among those that dropout left in."""
    assert row.rank is not None, "a pair was joined without a rank"
    possible = len(row.rivals) + 1
    won = f"Rank {row.rank:,} is the {'only merge left' if possible == 1 else f'lowest of {possible:,} merges left'}"
    ranks = sorted(rank for place in row.left_out if (rank := row.ranks[place]) is not None)
    first = (
        f"rank {ranks[0]:,}" if len(ranks) == 1 else f"{len(ranks):,} before it, the first of them rank {ranks[0]:,}"
    )
    return f"{won}; dropout left out {first}."


def _why_longest(word: WordSteps, index: int, row: Row) -> str:
    taken = word.taken_in(index)
    assert taken is not None, "a row with a winner takes something"
    if taken.token_id == UNKNOWN:
        if taken.end - taken.start > 1:
            return "A character of this word is in no token: then the whole word is unknown, as in BERT."
        return "No token begins with this character: it is unknown, and matching goes on behind it."
    name = piece_label(word, taken)
    if row.winning_gap is None:
        return f"No longer token than {name} begins the rest of the word."
    others = [number for number in row.rivals if number < taken.end - taken.start]
    if not others:
        return f"{name} is the longest token that the rest of the word begins with."
    return f"{name} is the longest of {len(others) + 2:,} tokens that the rest of the word begins with."


def _why_ended(word: WordSteps, row: Row) -> str:
    if word.is_special:
        return f"{_kind_of_special(word).capitalize()}s are never cut: each has an id of its own."
    if row.left_out:
        merges = {1: "the only merge", 2: "both merges"}.get(len(row.left_out), f"all {len(row.left_out):,} merges")
        return f"Dropout left out {merges} possible here."
    if len(row.pieces) == 1:
        return "No token covers this character." if word.unknown_count else "The whole word is one token."
    match word.encoder:
        case Encoder.TOKEN_RANK:
            return "No two of these neighbours spell a token made up to this step."
        case Encoder.LIST_ORDER:
            return "No merge of the list that is still to come joins two of these neighbours."
        case Encoder.LONGEST_MATCH:
            return "The end of the word is reached."
    return "No merge up to this step joins two of these neighbours."


def spoken_row(word: WordSteps, index: int) -> str:
    """A row in words, for a screen reader: `rank 12: h plus a makes ha, rivals 40, 77`."""
    row, merge = word.row(index), word.merge_of(index)
    if merge is None:
        labels = ", ".join(label(word.token_of(piece), word.recording.config.marker_text) for piece in row.pieces)
        return f"{row_title(word, index)}: {labels}" if row.winner is None else f"{row_title(word, index)}, of {labels}"
    left, right, made = _labels(word, index)
    spoken = f"rank {merge.rank}: {left} plus {right} makes {made}"
    if row.rivals:
        spoken += ", rivals " + ", ".join(str(rank) for rank in row.rivals[:MAX_RIVALS_SPOKEN])
    if row.left_out:
        spoken += f", {len(row.left_out)} left out by dropout"
    return spoken


def _labels(word: WordSteps, index: int) -> tuple[str, str, str]:
    """The two pieces that a row joins, and what they become."""
    parts, taken = word.parts_in(index), word.taken_in(index)
    assert parts is not None, "only a merge joins"
    assert taken is not None
    return piece_label(word, parts[0]), piece_label(word, parts[1]), piece_label(word, taken)


def describe_piece(word: WordSteps, piece: Piece, step: int) -> str:
    """The facts about a piece, a line each."""
    if piece.token_id == UNKNOWN:
        unknown_id = word.id_of(piece)
        fate = (
            "left out: there is no unknown token" if unknown_id is None else f"becomes the unknown token {unknown_id:,}"
        )
        token = word.token_of(piece)
        return f"{label(token)}\nnever seen in training: no token\n{fate}\n{bytes_line(hex_bytes(token.content))}"
    known = facts(word.recording, piece.token_id, step)
    lines = [known.label, f"id {known.token_id:,}, {known.kind}"]
    if known.parts is not None and known.rank is not None:
        ways = f", one of {known.ways:,} ways" if known.ways > 1 else ""
        lines.append(f"rank {known.rank:,}: {known.parts[0]} + {known.parts[1]}{ways}")
    lines += [known.bytes_line, known.count_line]
    return "\n".join(
        line if len(line) <= MAX_FACT_CHARS else line[: MAX_FACT_CHARS - 1] + "…" for line in lines if line
    )
