import pytest

from core.alphabet import Base, Marker
from core.merge import Merge
from core.merge_table import Column, FilterError, arranged, cell_text, matching, parse_filter, tsv
from core.recording import Recording
from core.trainer import TrainerConfig, build_alphabet
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
    assert cells == ["0", "h", "e", "he", "3", "3", "1", "12", "7"]


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
        "rank\tleft\tright\ttoken\tcount\tapplied\ttied\ttokens_left\ttoken_id",
        "0\th\te\the\t3\t3\t1\t12\t7",
    ]


def test_text_of_rows_has_plain_digits_and_one_line_a_row():
    recording = record("\t\n" * 3_000, CHARACTERS)
    text = finish(tsv(recording, range(len(recording))))
    assert text.count("\n") == len(recording) + 1
    assert all(len(line.split("\t")) == len(Column) for line in text.splitlines())
