from hypothesis import given
from hypothesis import strategies as st

from core.alignment import Alignment


def test_changes_share_the_whole_stretch_they_replace():
    changes = [(0, 1, ""), (2, 4, "xyz"), (4, 5, "-")]
    assert Alignment.of_changes("abcdef", changes) == Alignment("bxyz-f", [1, 2, 2, 2, 4, 5], [2, 4, 4, 4, 5, 6])
    assert Alignment.of_changes("ab", [(0, 2, "")]) == Alignment("", [], [])
    assert Alignment.of_changes("ab", []) == Alignment("ab", range(2), range(1, 3))


def test_parts_are_put_together_at_their_places():
    parts = [(0, Alignment("x", [0], [2])), (2, Alignment("", [], [])), (3, Alignment.identity("yz"))]
    assert Alignment.of_parts(parts) == Alignment("xyz", [0, 3, 4], [2, 4, 5])
    same = [(0, Alignment.identity("a\n")), (2, Alignment.identity("bc"))]
    assert Alignment.of_parts(same) == Alignment("a\nbc", range(4), range(1, 5))


def test_a_step_that_adds_and_removes_text_keeps_its_place():
    """Later steps may drop characters (empty gaps) or add some (empty spans)."""
    dropped = Alignment("ac", [0, 2], [1, 3])
    prefixed = Alignment("_ac", [0, 0, 1], [0, 1, 2])
    assert dropped.then(prefixed) == Alignment("_ac", [0, 0, 2], [0, 1, 3])
    assert Alignment("", [], []).then(Alignment("_", [0], [0])) == Alignment("_", [0], [0])


cuts = st.lists(st.integers(0, 12), max_size=8).map(sorted)


def some_changes(text: str, places: list[int]) -> list[tuple[int, int, str]]:
    places = [place for place in dict.fromkeys(places) if place <= len(text)]
    return [(start, end, "xyz"[: start % 4]) for start, end in zip(places[::2], places[1::2], strict=False)]


@given(cuts, cuts)
def test_one_after_the_other_every_character_comes_from_what_its_source_came_from(first, second):
    one = Alignment.of_changes("abcdefghijkl", some_changes("abcdefghijkl", first))
    two = Alignment.of_changes(one.text, some_changes(one.text, second))
    both = one.then(two)
    assert both.text == two.text
    for start, end, inner_start, inner_end in zip(both.starts, both.ends, two.starts, two.ends, strict=True):
        assert (start, end) == (one.starts[inner_start], one.ends[inner_end - 1])
    assert list(both.starts) == sorted(both.starts)
    assert list(both.ends) == sorted(both.ends)
