"""Words that are tokens as they stand, whatever the merges make of them."""

from core.alphabet import Alphabet, Base, Marker, Token
from core.encode_steps import row_title, why
from core.encoding_rules import Encoder, EncodingRules
from core.merge import Merge
from core.recording import Recording
from core.tokenizer import Tokenizer, WordHistory
from core.word_steps import WordSteps


def model(whole_pieces: bool = True) -> Recording:
    """ab and bc are merged; abc, with an id between theirs, and cba are made by no merge."""
    letters = {i: Token(letter.encode()) for i, letter in enumerate("abc")}
    recording = Recording(
        Alphabet(Base.BYTES, Marker.NONE, letters),
        vocabulary={4: Token(b"abc"), 6: Token(b"cba")},
        rules=EncodingRules(whole_pieces=whole_pieces),
    )
    recording.extend([Merge(0, 0, 1, 3), Merge(1, 1, 2, 5)])
    return recording


def ids(recording: Recording, text: str, step: int | None = None, encoder: Encoder | None = None) -> list[int]:
    return [piece.token_id for piece in Tokenizer(recording, step, encoder).pieces(text)]


def test_a_word_that_is_a_token_is_that_token() -> None:
    assert ids(model(), "abc") == [4]
    assert ids(model(), "cba") == [6]
    assert ids(model(), "abcabc") == [3, 2, 3, 2]


def test_without_them_the_merges_decide() -> None:
    assert ids(model(whole_pieces=False), "abc") == [3, 2]


def test_a_token_that_no_merge_makes_is_there_behind_those_of_lower_id() -> None:
    assert [ids(model(), "abc", step) for step in (0, 1, 2)] == [[0, 1, 2], [4], [4]]
    assert [ids(model(), "cba", step) for step in (0, 1, 2)] == [[2, 1, 0], [2, 1, 0], [6]]


def test_another_encoder_knows_nothing_of_them() -> None:
    assert ids(model(), "cba", encoder=Encoder.ALL_AT_ONCE) == [2, 1, 0]


def test_the_history_of_a_word_has_them_too() -> None:
    history = WordHistory(model(), "cba")
    assert [[piece.token_id for piece in history.pieces(step)] for step in (0, 1, 2)] == [[2, 1, 0], [2, 1, 0], [6]]


def rows(recording: Recording, word: str, step: int, encoder: Encoder = Encoder.MERGE_RANK) -> list[str]:
    steps = WordSteps(recording, word, step, encoder=encoder)
    return [row_title(steps, index) for index in range(steps.row_count)]


def test_the_rows_of_a_word_say_that_it_is_taken_whole() -> None:
    assert rows(model(), "abc", 2) == ["whole word: abc", "1 token"]
    assert rows(model(), "abc", 0) == ["3 tokens"]
    assert rows(model(), "abc", 2, Encoder.LIST_ORDER) == ["rank 0: a + b → ab", "2 tokens"]
    assert rows(model(), "a", 2) == ["1 token"]
    word = WordSteps(model(), "cba", 2)
    assert [piece.token_id for piece in word.result] == [6]
    assert why(word, 0) == "The whole word is a token: it is taken as it stands, before any merge is tried."
    assert why(word, 1) == "The whole word is one token."
