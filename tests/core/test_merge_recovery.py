"""The order of tokens tells the merges they were made by, with compiled loops and without."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import kernel_loader
from core.corpus import Corpus
from core.merge_recovery import BYTES, Parts, recovered
from core.options import Options
from core.progress import without_progress
from core.recording import record


@pytest.fixture(autouse=True, scope="module")
def _kernels() -> None:
    kernel_loader.load()


def both(tokens: Sequence[bytes]) -> list[tuple[int, int, int]]:
    """Number of parts, first and last part of each; the same whoever finds them."""
    compiled = rows(without_progress(recovered(tokens)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_loader, "are_ready", lambda: False)
        assert rows(without_progress(recovered(tokens))) == compiled
    return compiled


def rows(parts: Parts) -> list[tuple[int, int, int]]:
    return list(zip(parts.counts.tolist(), parts.lefts.tolist(), parts.rights.tolist(), strict=True))


def test_tokens_fall_into_the_two_parts_they_were_made_of() -> None:
    a, b = ord("a"), ord("b")
    assert both([b"ab", b"aa", b"abab", b"aab"]) == [
        (2, a, b),
        (2, a, a),
        (2, BYTES, BYTES),
        (2, a, BYTES),  # ab is earlier than aa
    ]


def test_what_no_merge_makes_falls_into_more_and_is_no_part_of_later_tokens() -> None:
    dot, colon = ord("."), ord(":")
    assert both([b".:.", b".:", b".:.:.:", b".:.x"]) == [
        (3, dot, dot),
        (2, dot, colon),
        (3, BYTES + 1, BYTES + 1),
        (3, BYTES + 1, ord("x")),
    ]


def test_no_tokens() -> None:
    assert both([]) == []


@pytest.mark.parametrize("size", [15, 16, 17, 255, 256, 257, 300, 1_000])
def test_tokens_of_any_length(size: int) -> None:
    spaces = [b" " * length for length in range(2, size + 1)]
    expected = [(2, 32 if i == 0 else BYTES + i - 1, 32) for i in range(len(spaces))]
    found = both(spaces)
    assert found[:2] == expected[:2]
    assert all(count == 2 or length > 3 for (count, *_), length in zip(found, range(2, size + 1), strict=True))


@settings(max_examples=200)
@given(st.lists(st.binary(min_size=2, max_size=12), unique=True, max_size=40))
def test_any_vocabulary(tokens: list[bytes]) -> None:
    for count, left, right in both(tokens):
        assert count >= 2
        assert max(left, right) < BYTES + len(tokens)


@given(st.lists(st.text(st.sampled_from("ab ü"), max_size=30), min_size=1, max_size=8).map(" ".join))
def test_trained_merges_come_back(text: str) -> None:
    options = Options(merges=30)
    recording = record(Corpus.typed(text), options.pipeline(), options.config())
    tokens = [recording.token(merge.token_id).content for merge in recording]
    numbers = {recording.token(i).content: recording.token(i).content[0] for i in recording.alphabet.tokens}
    numbers |= {token: BYTES + i for i, token in enumerate(tokens)}
    expected = [
        (2, numbers[recording.token(merge.left).content], numbers[recording.token(merge.right).content])
        for merge in recording
    ]
    assert both(tokens) == expected
