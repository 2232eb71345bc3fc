"""Where a long text can be cut before it is cut into words: places at which every word surely ends.

Nothing is known of a pattern of the user's own, nor of the pre-tokenizer that makes one word of the whole text.
"""

from collections.abc import Iterator
from functools import cache

import regex

from core.pre_tokenizer import BEFORE_METASPACE, BEFORE_METASPACES, O200K, PreTokenizer

AT_LINE_STARTS = r"(?<=\n)(?=\S)"
AT_METASPACES, AT_FIRST_METASPACES = "(?=▁)", "(?<=[^▁])(?=▁)"
AT_MOST_LINE_STARTS = r"(?<=\n)(?=[^\s/])"  # O200K takes "!\n/" for one word

_PLACES = {O200K: AT_MOST_LINE_STARTS, BEFORE_METASPACE: AT_METASPACES, BEFORE_METASPACES: AT_FIRST_METASPACES}


def safe_places(pre_tokenizer: PreTokenizer) -> str | None:
    """A pattern, of no width, for such places; None if none are known.

    What a word before it is may depend on the character behind the place, but on no more of what follows.
    """
    if pre_tokenizer.pattern in _PLACES:
        return _PLACES[pre_tokenizer.pattern]
    return AT_LINE_STARTS if pre_tokenizer.pattern_cuts_at_line_starts else None


def first_and_last(places: str, text: str) -> tuple[int, int] | None:
    """The first and the last safe place; None if there is none."""
    first = _compiled(places).search(text)
    if first is None:
        return None
    last = _compiled(f"(?r){places}").search(text)
    assert last is not None
    return first.start(), last.start()


def words_between(pre_tokenizer: PreTokenizer, text: str, start: int, stop: int) -> Iterator[list[str]]:
    """The words between two safe places, or ends, of a text, in lists of some thousand."""
    size = stop - start
    part = text[start : stop + 1]  # one character more, which has a say
    if pre_tokenizer.is_plain:
        for matches in pre_tokenizer.match_batches(part):
            yield [match[0] for match in matches if match.start() < size]
    else:
        for words in pre_tokenizer.word_batches(part):
            yield [word.text for word in words if word.start < size]


@cache
def _compiled(places: str) -> "regex.Pattern[str]":
    return regex.compile(places)
