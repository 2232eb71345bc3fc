"""The rows of a word under every encoder, against its result and against the plain way of merging it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, Marker, Unknown
from core.encode_steps import encode_phrase, phrase_title, row_title, spoken_row, why
from core.encoders import Dropout, Piece
from core.encoding_rules import Encoder
from core.errors import ConfigError
from core.merge import UNKNOWN
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.tokenizer import Specials, SpecialTokenError, Tokenizer
from core.trainer import Score, TrainerConfig
from core.word_steps import Row, WordSteps
from tests.core.runs import record_words
from tests.core.schemes import listed, rule_lists, rule_words, steps, trained, words

any_recording = trained() | rule_lists.map(listed)
any_word = words | rule_words
encoders = st.sampled_from(Encoder)
WHITESPACE = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])


def lowest(**options):
    """Merges: es, lo, low, est, rest, er, lower, lowest."""
    counts = {"es": 9, "rest": 5, "low": 6, "lower": 4, "lowest": 1}
    return record_words(counts, TrainerConfig(Base.CHARACTERS, **options), pipeline=WHITESPACE)


def rows(word):
    return [word.row(i) for i in range(word.row_count)]


def shown(word):
    """Each row as its pieces, the taken ones joined by `+`."""
    lines = []
    for row in rows(word):
        labels = [word.token_of(piece).text("##").decode() for piece in row.pieces]
        if row.winner is not None:
            labels[row.winner : row.winner_end] = ["+".join(labels[row.winner : row.winner_end])]
        lines.append(" ".join(labels))
    return lines


@settings(max_examples=300)
@given(any_recording, any_word, steps, encoders)
def test_every_row_makes_the_next_one(recording, word, step, encoder):
    step = min(step, len(recording))
    steps = WordSteps(recording, word, step, encoder=encoder)
    made = None
    for index, row in enumerate(rows(steps)):
        assert row.made == made
        assert len(row.ranks) == max(len(row.pieces) - 1, 0)
        if row.winner is None:
            assert index == steps.row_count - 1
            assert list(row.pieces) == Tokenizer(recording, step, encoder).pieces(word) == list(steps.result)
            break
        taken = steps.taken_in(index)
        group = row.pieces[row.winner : row.winner_end]
        assert (group[0].start, group[-1].end) == (taken.start, taken.end)
        pieces = (*row.pieces[: row.winner], taken, *row.pieces[row.winner_end :])
        assert pieces == steps.row(index + 1).pieces
        made = row.winner
        for boundary in range(taken.start, taken.end - 1):
            removed_here = not any(piece.end == boundary + 1 for piece in pieces)
            assert removed_here == (steps.row_removing(boundary) is not None and steps.row_removing(boundary) <= index)


@settings(max_examples=200)
@given(any_recording, any_word, steps, encoders)
def test_rows_are_those_of_the_plain_way(recording, word, step, encoder):
    step = min(step, len(recording))
    steps = WordSteps(recording, word, step, encoder=encoder)
    plain = list(Tokenizer(recording, step, encoder).steps(word))

    assert steps.merge_count == len(plain)
    for row, one in zip(rows(steps), plain, strict=False):
        assert tuple(piece.token_id for piece in row.pieces) == one.before
        assert (row.winner, row.winner_end) == (one.position, one.position + one.width)
        if encoder is not Encoder.LONGEST_MATCH:
            assert row.rank == one.rank
            if (
                encoder is not Encoder.LIST_ORDER
            ):  # where a rank may have had its turn, and stand for others all the same
                assert row.ranks == one.ranks


@settings(max_examples=100)
@given(any_recording, any_word, steps, encoders)
def test_there_is_something_to_say_about_every_row(recording, word, step, encoder):
    steps = WordSteps(recording, word, min(step, len(recording)), encoder=encoder)
    for index in range(steps.row_count):
        assert why(steps, index).endswith(".")
        assert row_title(steps, index)
        assert spoken_row(steps, index)


@settings(max_examples=100)
@given(any_recording, any_word, steps, encoders)
def test_the_ids_of_a_phrase_are_those_of_the_tokenizer(recording, word, step, encoder):
    step = min(step, len(recording))
    phrase = encode_phrase(recording, f"{word} {word}", step, encoder)

    assert list(phrase.ids) == Tokenizer(recording, step, encoder).ids(f"{word} {word}")


@given(trained(), words, steps, st.integers(0, 5))
def test_the_ids_of_a_phrase_with_dropout_are_those_of_the_tokenizer(recording, word, step, seed):
    dropout = Dropout(0.4, seed)
    phrase = encode_phrase(recording, f"{word} {word}", step, dropout=dropout)

    assert list(phrase.ids) == Tokenizer(recording, step, dropout=dropout).ids(f"{word} {word}")


def test_the_longest_match_takes_tokens_from_the_left():
    word = WordSteps(lowest(), "xlowerest", 8, encoder=Encoder.LONGEST_MATCH)

    assert shown(word) == [
        "x l o w e r e s t",
        "x l+o+w+e+r e s t",
        "x lower e+s+t",
        "x lower est",
    ]
    assert word.row(1) == Row(
        pieces=tuple(Piece(symbol, i, i + 1) for i, symbol in enumerate(word.symbols)),
        ranks=(None, 2, 3, None, 5, None, None, None),  # lengths of lo, low and lower
        winner=1,
        made=0,
        winner_end=6,
    )
    assert (word.row(1).rank, word.row(1).rivals, word.row(1).winning_gap) == (5, [2, 3], 4)
    assert (word.row(0).rank, word.row(0).rivals, word.row(0).winning_gap) == (None, [], None)
    assert [row_title(word, i) for i in range(4)] == ["unknown: x", "match: lower", "match: est", "2 tokens, 1 unknown"]
    assert word.merge_of(1) is None
    assert [why(word, i) for i in range(4)] == [
        "No token begins with this character: it is unknown, and matching goes on behind it.",
        "lower is the longest of 4 tokens that the rest of the word begins with.",
        "est is the longest of 3 tokens that the rest of the word begins with.",
        "The end of the word is reached.",
    ]
    assert spoken_row(word, 2) == "match: est, of x, lower, e, s, t"


def test_why_nothing_longer_is_taken():
    word = WordSteps(lowest(), "wl", 8, encoder=Encoder.LONGEST_MATCH)

    assert why(word, 0) == "No longer token than w begins the rest of the word."
    assert why(WordSteps(lowest(), "lo", 8, encoder=Encoder.LONGEST_MATCH), 1) == "The whole word is one token."


def test_wordpiece_gives_up_a_word_with_an_unknown_character():
    config = {"score": Score.WORDPIECE, "special_tokens": ("[UNK]",), "unknown_token": "[UNK]"}
    for unknown, ids, title in ((Unknown.TOKEN, [0], "1 token"), (Unknown.KEEP, [], "0 tokens, 4 unknown")):
        recording = lowest(**config, unknown=unknown)
        word = WordSteps(recording, "low?", len(recording), encoder=Encoder.LONGEST_MATCH)

        assert shown(word) == ["l+o+w+?", "low?"]
        assert word.result == (Piece(UNKNOWN, 0, 4),)
        assert why(word, 0) == "A character of this word is in no token: then the whole word is unknown, as in BERT."
        assert word.ids() == ids
        assert row_title(word, 1) == title


def test_token_rank_shows_what_it_joins():
    """abc is listed as ab + c, and made of a and bc here."""
    word = WordSteps(listed([("ab", "c"), ("b", "c"), ("a", "b")]), "abc", 3, encoder=Encoder.TOKEN_RANK)

    assert shown(word) == ["a b+c", "a+bc", "abc"]
    assert [row.ranks for row in rows(word)] == [(2, 1), (0,), ()]
    assert [row_title(word, i) for i in range(3)] == ["rank 1: b + c → bc", "rank 0: a + bc → abc", "1 token"]
    assert why(word, 0) == "Rank 1 is the lowest of 2 tokens that two neighbours spell."
    assert why(word, 1) == "Rank 0 is the only token that two neighbours spell here."
    assert spoken_row(word, 1) == "rank 0: a plus bc makes abc"


def test_all_places_at_once_lets_a_lower_rank_wait():
    word = WordSteps(listed([("ab", "a"), ("a", "b")]), "ababx", 2, encoder=Encoder.ALL_AT_ONCE)

    assert shown(word) == ["a+b a b x", "ab a+b x", "ab ab x"]
    assert word.row(1).ranks == (0, 1, None)
    assert why(word, 0) == "Rank 1 is the lowest of 2 possible merges. It stands here 2 times: the leftmost goes first."
    assert why(word, 1) == "Rank 1 goes on at all its places; rank 0, possible by now, waits for it."


def test_list_order_does_not_go_back():
    word = WordSteps(listed([("ab", "c"), ("a", "b"), ("c", "x")]), "abcx", 3, encoder=Encoder.LIST_ORDER)

    assert shown(word) == ["a+b c x", "ab c+x", "ab cx"]
    assert why(word, 0) == "Rank 1 is the next merge of the list that fits; 1 more may follow."
    assert why(word, 1) == "Rank 2 is the only merge possible here."
    assert why(word, 2) == "No merge of the list that is still to come joins two of these neighbours."


def test_dropout_says_what_it_left_out():
    word = WordSteps(lowest(), "lowest", 8, dropout=Dropout(0.4, 0))

    assert shown(word) == ["l+o w e s t", "lo w e+s t", "lo w es+t", "lo w est"]
    assert [row.left_out for row in rows(word)] == [{3}, set(), {0}, {0}]
    assert [row.rivals for row in rows(word)] == [[], [2], [], []]
    assert [why(word, i) for i in range(4)] == [
        "Rank 1 is the only merge left; dropout left out rank 0.",
        "Rank 0 is the lowest of 2 possible merges.",
        "Rank 3 is the only merge left; dropout left out rank 2.",
        "Dropout left out the only merge possible here.",
    ]
    assert spoken_row(word, 0) == "rank 1: l plus o makes lo, 1 left out by dropout"


def test_full_dropout_leaves_out_every_merge():
    word = WordSteps(lowest(), "lowest", 8, dropout=Dropout(1))

    assert shown(word) == ["l o w e s t"]
    assert word.row(0).left_out == {0, 3}
    assert why(word, 0) == "Dropout left out both merges possible here."


def test_dropout_with_another_encoder():
    with pytest.raises(ConfigError, match=r"^Dropout is for the encoder 'Merge rank'; 'Token rank' has none\."):
        encode_phrase(lowest(), "low", 8, Encoder.TOKEN_RANK, Dropout(0.5))


def test_characters_that_vanish_are_counted():
    phrase = encode_phrase(lowest(unknown=Unknown.DROP), "l?ow !", 8)

    assert [shown(word)[-1] for word in phrase.words] == ["low", ""]
    assert phrase_title(phrase) == "1 token, 2 unknown characters left out"


def test_a_run_of_unknown_characters_is_one_piece():
    recording = lowest(unknown=Unknown.FUSE, special_tokens=("<unk>",), unknown_token="<unk>")
    phrase = encode_phrase(recording, "low??", 8)

    assert shown(phrase.words[0])[-1] == "low ??"
    assert phrase_title(phrase) == "2 tokens"


def test_bytes_of_unknown_characters_are_pieces():
    recording = lowest(unknown=Unknown.BYTES)
    word = WordSteps(recording, "low日", 8)

    assert shown(word)[-1] == "low <0xE6> <0x97> <0xA5>"
    assert (word.unknown_count, len(word.ids())) == (0, 4)


def test_a_marked_word_matches_marked_tokens_only():
    recording = lowest(marker=Marker.CONTINUING)
    word = WordSteps(recording, "lowestlow", len(recording), encoder=Encoder.LONGEST_MATCH)

    assert shown(word)[0] == "l+##o+##w+##e+##s+##t ##l ##o ##w"
    assert shown(word)[-1] == "lowest ##l ##o ##w"  # low is no ##low


def test_special_tokens_may_be_refused_or_text():
    recording = lowest(special_tokens=("<s>",))
    assert [word.is_special for word in encode_phrase(recording, "low<s>", 8).words] == [False, True]
    assert [word.is_special for word in encode_phrase(recording, "low<s>", 8, specials=Specials.AS_TEXT).words] == [
        False
    ]
    with pytest.raises(SpecialTokenError):
        encode_phrase(recording, "low<s>", 8, specials=Specials.REFUSE)
