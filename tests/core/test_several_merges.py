"""Tokens that several merges make: which these are, in the table and in what is said of a token."""

import numpy as np

from core.alphabet import Alphabet, Base, Marker, Token
from core.loaded_merges import LoadedMerges
from core.merge import Merge
from core.merge_table import Column, cell_text, has_values, number_of, parse_filter, tsv
from core.recording import Recording
from core.several_merges import SeveralMerges
from core.trainer import TrainerConfig
from core.vocab import facts, ways_lines
from tests.core.runs import record


def model() -> Recording:
    """abc is made in two ways and named once; cb is named and made by no merge."""
    letters = {i: Token(letter.encode()) for i, letter in enumerate("abc")}
    recording = Recording(Alphabet(Base.BYTES, Marker.NONE, letters), vocabulary={9: Token(b"cb")})
    recording.extend([Merge(0, 0, 1, 3), Merge(1, 1, 2, 4), Merge(2, 3, 2, 5), Merge(3, 0, 4, 5)])
    return recording


def test_ranks_by_token() -> None:
    several = SeveralMerges.of([7, 3, 7, 5, 3, 7], 6)
    assert [several.making(token) for token in (3, 5, 7, 8)] == [(1, 4), (3,), (0, 2, 5), ()]
    assert several.are_there
    assert not SeveralMerges.of([1, 2, 3], 3).are_there
    assert not SeveralMerges.of([], 0).are_there


def test_the_index_knows_them_and_those_that_are_added() -> None:
    recording = model()
    assert recording.index.has_several_ways
    assert recording.index.ranks_making(5) == (2, 3)
    assert recording.index.ranks_making(3) == (0,)
    assert recording.index.ranks_making(0) == ()
    recording.append(Merge(4, 1, 1, 3))
    assert recording.index.ranks_making(3) == (0, 4)


def test_the_table_has_a_column_for_them() -> None:
    recording = model()
    assert has_values(recording, Column.ALSO)
    assert [cell_text(recording, rank, Column.ALSO) for rank in range(4)] == ["", "", "+1", "+1"]
    assert [number_of(recording, merge, Column.ALSO) for merge in recording] == [0, 0, 1, 1]
    recording.append(Merge(4, 1, 1, 5))
    assert cell_text(recording, 2, Column.ALSO) == "+2"
    assert tsv_lines(recording)[0].split("\t")[-1] == "also"
    assert [line.split("\t")[-1] for line in tsv_lines(recording)[1:]] == ["", "", "3 4", "2 4", "2 3"]


def tsv_lines(recording: Recording) -> list[str]:
    work = tsv(recording, range(len(recording)))
    while True:
        try:
            next(work)
        except StopIteration as end:
            return str(end.value).removesuffix("\n").split("\n")


def test_a_trained_recording_has_none() -> None:
    recording = record("low lower lowest", TrainerConfig(merges=3))
    assert not has_values(recording, Column.ALSO)
    assert "also" not in tsv_lines(recording)[0]
    assert recording.index.ranks_making(recording[1].token_id) == (1,)


def test_they_can_be_filtered() -> None:
    recording = model()
    condition = parse_filter("also>0")
    assert condition is not None
    assert [merge.rank for merge in recording if condition(recording, merge)] == [2, 3]


def test_what_is_said_of_a_token() -> None:
    recording = model()
    assert ways_lines(recording, 5) == ["rank 2: ab + c → abc", "rank 3: a + bc → abc"]
    assert ways_lines(recording, 3) == []
    assert (facts(recording, 5, 4).ways, facts(recording, 5, 4).rank) == (2, 2)
    assert facts(recording, 9, 4).kind == "token that no merge makes"
    assert facts(recording, 0, 4).kind == "base symbol"


def test_many_ways_are_not_all_listed() -> None:
    recording = model()
    recording.extend([Merge(rank, 0, 0, 5) for rank in range(4, 12)])
    assert len(ways_lines(recording, 5)) == 6
    assert ways_lines(recording, 5)[-1] == "and 5 more ways"


def test_pairs_that_are_listed_again() -> None:
    columns = np.array([(0, 1, 3), (1, 2, 4), (0, 1, 3), (2, 0, 5), (0, 1, 3), (1, 0, 6)], np.int32).T
    loaded = LoadedMerges(*columns)
    assert loaded.listed_again() == {(0, 1): [0, 2, 4]}
    letters = {i: Token(letter.encode()) for i, letter in enumerate("abc")}
    tokens = {3: Token(b"ab"), 4: Token(b"bc"), 5: Token(b"ca"), 6: Token(b"ba")}
    recording = Recording(Alphabet(Base.BYTES, Marker.NONE, letters), vocabulary=tokens)
    recording.load(loaded)
    index = recording.index
    assert [index.last_rank((0, 1), step) for step in range(7)] == [None, 0, 0, 2, 2, 4, 4]
    assert [index.next_rank((0, 1), rank) for rank in range(-1, 5)] == [0, 2, 2, 4, 4, None]
    assert [index.last_rank((1, 0), step) for step in (5, 6)] == [None, 5]
    assert index.last_rank((2, 2), 6) is None
    recording.append(Merge(6, 2, 2, 7))
    assert index.last_rank((2, 2), 7) == 6
    assert index.last_rank((0, 1), 4) == 2
