import pytest

from core.alphabet import Base, Marker
from core.merge import Merge
from core.merge_table import (
    Column,
    FilterError,
    arranged,
    cell_text,
    has_values,
    matching,
    parse_filter,
    score_text,
    tsv,
)
from core.recording import Recording
from core.trainer import Score, TrainerConfig, build_alphabet
from tests.core.runs import finish, record, record_words

CHARACTERS = TrainerConfig(base=Base.CHARACTERS)
TEXT = "the The cat the"


@pytest.fixture
def recording() -> Recording:
    """Tokens by rank: he, the, ␣T, ␣c, ␣the, at, ␣The, ␣cat; their ids are 7 to 14."""
    return record(TEXT, CHARACTERS)


def tokens(recording, text):
    condition = parse_filter(text)
    ranks = matching(recording, condition, range(len(recording)))
    return [cell_text(recording, rank, Column.TOKEN) for rank in ranks]


def test_cells(recording):
    cells = [cell_text(recording, 0, column) for column in Column]
    assert cells == ["0", "h", "e", "he", "3", "", "3", "0", "1", "12", "7", ""]


def test_cells_have_thousands_separators():
    recording = record("ab" * 5_000, CHARACTERS)
    assert cell_text(recording, 0, Column.COUNT) == "5,000"


def test_counts_are_empty_in_a_recording_without_them():
    config = TrainerConfig()
    recording = Recording(build_alphabet({}, config), config)
    recording.append(Merge(0, 64, 65, 256))
    assert cell_text(recording, 0, Column.COUNT) == ""
    assert cell_text(recording, 0, Column.TOKENS_LEFT) == ""
    assert cell_text(recording, 0, Column.TOKEN_ID) == "256"


def test_no_filter_keeps_everything(recording):
    assert parse_filter("") is None
    assert len(tokens(recording, "")) == len(recording)


def test_text_is_found_in_any_case(recording):
    assert tokens(recording, "the") == ["the", "␣the", "␣The"]


def test_capitals_are_meant(recording):
    assert tokens(recording, "The") == ["␣The"]


@pytest.mark.parametrize("text", [" the", "␣the"])
def test_a_space_typed_finds_the_sign_for_it(recording, text):
    assert tokens(recording, text) == ["␣the", "␣The"]


def test_capitals_beyond_ascii_count_as_the_same_letters():
    assert tokens(record("ÀÉ", CHARACTERS), "àé") == ["ÀÉ"]


def test_hex_finds_parts_of_characters():
    recording = record("中", TrainerConfig())  # E4 B8 AD
    assert tokens(recording, "⟨B8⟩⟨AD⟩") == ["⟨B8⟩⟨AD⟩", "中"]
    assert tokens(recording, "⟨E4 b8⟩") == ["中"]


def test_the_marker_can_be_searched():
    recording = record("low low", TrainerConfig(base=Base.CHARACTERS, marker=Marker.SYMBOL))
    assert "low</w>" in tokens(recording, "w</w>")


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("#1", [1]),
        ("#1-2", [1, 2]),
        ("#1-#2", [1, 2]),
        ("#1,000", []),
        ("rank<=1", [0, 1]),
        (" count >= 3 ", [0]),
        ("count = 3", [0]),
        ("id=7", [0]),
    ],
)
def test_numbers(recording, text, ranks):
    assert matching(recording, parse_filter(text), range(len(recording))) == ranks


def test_an_id_finds_the_merges_that_make_or_use_it(recording):
    assert tokens(recording, "id:7") == ["he", "the", "␣The"]


def test_half_a_character_finds_what_holds_its_bytes(recording):
    assert tokens(recording, "\ud800") == []
    assert tokens(record_words({"\ud800": 2}, TrainerConfig()), "\ud800") == ["⟨ED⟩⟨A0⟩⟨80⟩"]


def test_what_only_looks_like_a_condition_is_text():
    recording = record_words({"#1": 2, '"x"': 1, "count": 1}, CHARACTERS)
    assert tokens(recording, '"#1"') == ["#1"]
    assert tokens(recording, "#") == ["#1"]
    assert tokens(recording, '"') == ['"x', '"x"']
    assert tokens(recording, "count") == ["count"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("count>", "A whole number must follow count>, as in count>100."),
        ("count>many", "A whole number must follow count>, as in count>100."),
        ("id:the", "A whole number must follow id:, as in id:300."),
        ("id:-1", "A whole number must follow id:, as in id:300."),
        ("id:٣", "A whole number must follow id:, as in id:300."),
    ],
)
def test_a_bad_filter_says_what_was_expected(text, message):
    with pytest.raises(FilterError, match=message):
        parse_filter(text)


def ordered(recording, column, descending=False, condition=None):
    return finish(arranged(recording, condition, column, descending))


def test_order_of_training(recording):
    known = len(recording)
    assert ordered(recording, Column.RANK) == list(range(known))
    assert ordered(recording, Column.RANK, descending=True) == list(range(known - 1, -1, -1))


@pytest.fixture
def scored():
    """hug 10, pug 5, pun 12, bun 4, hugs 5: the first merges by score are g s, b u, bu n."""
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    return record_words(words, TrainerConfig(base=Base.CHARACTERS, score=Score.WORDPIECE, merges=3))


def test_scores_have_three_digits(scored):
    assert [cell_text(scored, rank, Column.TOKEN) for rank in range(3)] == ["gs", "bu", "bun"]
    assert [cell_text(scored, rank, Column.SCORE) for rank in range(3)] == ["0.05", "0.0278", "0.0625"]


@pytest.mark.parametrize(
    ("score", "text"),
    [(0.0, "0"), (1.0, "1"), (0.05, "0.05"), (1 / 3, "0.333"), (1.234e-6, "1.23e-6"), (2e-12, "2e-12")],
)
def test_score_text(score, text):
    assert score_text(score) == text


def test_scores_can_be_filtered_sorted_and_copied(scored):
    assert matching(scored, parse_filter("score>0.04"), range(3)) == [0, 2]
    assert matching(scored, parse_filter("score<=5e-2"), range(3)) == [0, 1]
    assert ordered(scored, Column.SCORE, descending=True) == [2, 0, 1]
    header, row = finish(tsv(scored, [0])).splitlines()
    assert header.split("\t")[4:7] == ["count", "score", "applied"]
    assert row.split("\t")[4:7] == ["5", "0.05", "5"]


def test_words_made_whole_can_be_filtered_and_sorted(scored):
    assert [cell_text(scored, rank, Column.COMPLETED) for rank in range(3)] == ["0", "0", "4"]
    assert matching(scored, parse_filter("completed>=1"), range(3)) == [2]
    assert ordered(scored, Column.COMPLETED, descending=True) == [2, 0, 1]


@pytest.mark.parametrize("text", ["score>", "score>high", "score>0,5", "score>.", "score>-1"])
def test_a_bad_score_says_what_was_expected(text):
    with pytest.raises(FilterError, match=r"A number must follow score>, as in score>0\.01\."):
        parse_filter(text)


def test_scores_say_nothing_where_the_count_is_the_score(recording):
    assert not has_values(recording, Column.SCORE)
    assert has_values(recording, Column.COMPLETED)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("column", [Column.LEFT, Column.TOKEN])
def test_tokens_sort_by_their_characters(recording, column, descending):
    cells = [cell_text(recording, r, column).replace("␣", " ") for r in ordered(recording, column, descending)]
    assert cells == sorted(cells, reverse=descending)


def test_equal_values_stay_in_the_order_of_training():
    recording = record("abcdefgh", CHARACTERS)
    assert ordered(recording, Column.COUNT, descending=True) == list(range(7))


def test_long_recordings_sort_right_across_slices():
    config = TrainerConfig()
    recording = Recording(build_alphabet({}, config), config, base_counts={64: 10_000_000})
    recording.extend(Merge(rank, 64 + rank % 3, 65, 256 + rank, count=rank * 7919 % 5_003) for rank in range(5_000))
    ranks = ordered(recording, Column.COUNT)
    counts = [recording[rank].count for rank in ranks]
    assert counts == sorted(counts)
    assert sorted(ranks) == list(range(5_000))
    ranks = ordered(recording, Column.COUNT, descending=True, condition=parse_filter("id:64"))
    counts = [recording[rank].count for rank in ranks]
    assert counts == sorted(counts, reverse=True)
    assert len(ranks) == 1_667


def test_rows_as_text(recording):
    lines = finish(tsv(recording, [0])).splitlines()
    assert lines == [
        "rank\tleft\tright\ttoken\tcount\tapplied\tcompleted\ttied\ttokens_left\ttoken_id",
        "0\th\te\the\t3\t3\t0\t1\t12\t7",
    ]


def test_text_of_rows_has_plain_digits_and_one_line_a_row():
    recording = record("\t\n" * 3_000, CHARACTERS)
    text = finish(tsv(recording, range(len(recording))))
    assert text.count("\n") == len(recording) + 1
    assert all(len(line.split("\t")) == len(Column) - 2 for line in text.splitlines())  # no scores, no other ways
