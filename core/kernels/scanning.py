r"""Where the words of a text begin and end in its UTF-8 bytes: the patterns of core/pre_tokenizer.py, written as loops.

None of them looks back: what stands before the place where a search begins has no say. So a scan can stop behind any
word and go on from there, and a text can be cut in two where no word crosses and no pattern looks across.

Bytes must be whole characters in UTF-8, half a surrogate pair being one as well; up to PADDING bytes behind them are
read, and what these are makes no difference.
"""

import numpy as np

from core.kernels.bit_scanning import WINDOW, cl100k_starts, contraction_end, gpt2_starts
from core.kernels.characters import (
    LETTER,
    LOWER,
    NUMBER,
    OTHER,
    SIGN,
    SPACE,
    UPPER,
    WORD,
    character_kinds,
    kind_and_size,
)
from core.kernels.compiled import bytes_between, kernel, trailing_zeros
from core.packed_words import PADDING, Bytes, Numbers
from core.pre_tokenizer import (
    BEFORE_METASPACE,
    BEFORE_METASPACES,
    CL100K,
    GPT2,
    LINES,
    NONE,
    O200K,
    QWEN2,
    WHITESPACE,
    WORDS,
)

_GPT2, _CL100K, _QWEN2, _O200K, _WORDS, _WHITESPACE, _METASPACE, _METASPACES, _LINES, _NONE = range(10)

PATTERN_NUMBERS = {
    GPT2: _GPT2,
    CL100K: _CL100K,
    QWEN2: _QWEN2,
    O200K: _O200K,
    WORDS: _WORDS,
    WHITESPACE: _WHITESPACE,
    BEFORE_METASPACE: _METASPACE,
    BEFORE_METASPACES: _METASPACES,
    LINES: _LINES,
    NONE: _NONE,
}
"""The patterns that `scan` knows, and what it calls them."""


@kernel
def scan(
    pattern: int, data: Bytes, start: int, stop: int, kinds: Bytes, starts: Numbers, ends: Numbers, count: int
) -> int:
    """The words of the text `data[start:stop]` behind `count` others, or as many as there is room for in `starts`.

    Returns how many there are then. If that is as many as there is room for, go on from the last word's end.
    """
    if pattern in (_GPT2, _CL100K, _QWEN2, _O200K):
        return _scan_windows(pattern, data, start, stop, kinds, starts, ends, count)
    if pattern == _WHITESPACE:
        return _scan_whitespace(data, start, stop, kinds, starts, ends, count)
    while count < len(starts):
        start = _word_start(pattern, data, start, stop, kinds)
        if start >= stop:
            break
        starts[count] = start
        start = _word_end(pattern, data, start, stop, kinds)
        ends[count] = start
        count += 1
    return count


@kernel
def scan_lines(
    pattern: int, data: Bytes, start: int, stop: int, kinds: Bytes, starts: Numbers, ends: Numbers, count: int,
    line_stop: int,
) -> tuple[int, int]:  # fmt: skip
    """As `scan`, with every line a text of its own, line end and all; returns also where the last of them ends.

    That is `line_stop` of the call that goes on, so that the end of a long line is not looked for again and again. A
    place up to `start` says that it is not known.
    """
    if pattern == _GPT2:
        return _scan_gpt2_lines(data, start, stop, kinds, starts, ends, count, line_stop)
    while start < stop and count < len(starts):
        if line_stop <= start:
            line_stop = _line_stop(data, start, stop)
        count = scan(pattern, data, start, line_stop, kinds, starts, ends, count)
        start = line_stop
    return count, line_stop


@kernel
def _scan_gpt2_lines(
    data: Bytes, start: int, stop: int, kinds: Bytes, starts: Numbers, ends: Numbers, count: int, line_stop: int
) -> tuple[int, int]:
    """As _scan_windows, across the ends of lines."""
    while count < len(starts) and start < stop:
        window, later = start, np.uint64(0)
        if data[start] < 0x80:
            later = gpt2_starts(data, start, stop, True)
            later &= later - np.uint64(1)
        if later == 0:
            if line_stop <= start:
                line_stop = _line_stop(data, start, stop)
            starts[count] = start
            start = _gpt2_end(data, start, line_stop, kinds)
            ends[count] = start
            count += 1
        start, count = _write_words(window, later, start, starts, ends, count)
    return count, line_stop


@kernel
def _line_stop(data: Bytes, start: int, stop: int) -> int:
    """Behind the line end of the line that `start` is in."""
    for window in range(start, stop, WINDOW):
        found = bytes_between(data, window, 10, 10)
        if found != 0:
            return min(window + trailing_zeros(found) + 1, stop)
    return stop


@kernel
def _scan_whitespace(
    data: Bytes, start: int, stop: int, kinds: Bytes, starts: Numbers, ends: Numbers, count: int
) -> int:
    """As `scan`: 64 bytes at once. Words are what is between white space."""
    before, is_inside = np.uint64(1), False
    while start < stop:
        space, size = _spaces(data, start, stop, kinds)
        edges = space ^ ((space << np.uint64(1)) | before)
        if size < WINDOW:
            edges &= (np.uint64(1) << np.uint64(size)) - np.uint64(1)
        while edges != 0:
            place = start + trailing_zeros(edges)
            edges &= edges - np.uint64(1)
            if is_inside:
                ends[count] = place
                count += 1
            elif count == len(starts):
                return count
            else:
                starts[count] = place
            is_inside = not is_inside
        before = (space >> np.uint64(size - 1)) & np.uint64(1)
        start += size
    if is_inside:
        ends[count] = stop
        count += 1
    return count


@kernel
def _spaces(data: Bytes, start: int, stop: int, kinds: Bytes) -> tuple[int, int]:
    """A bit for each byte of white space from `start` on, and for how many bytes they are right: characters are whole.

    All white space outside of ASCII begins with one of four bytes.
    """
    size = min(stop - start, WINDOW)
    space = bytes_between(data, start, 32, 32) | bytes_between(data, start, 9, 13)
    unclear = bytes_between(data, start, 0xC2, 0xC2) | bytes_between(data, start, 0xE1, 0xE3)
    while unclear != 0:
        place = trailing_zeros(unclear)
        if place >= size:
            break
        unclear &= unclear - np.uint64(1)
        kind, width = kind_and_size(data, start + place, kinds)
        if kind & SPACE:
            if place + width > WINDOW:
                return space, place
            space |= ((np.uint64(1) << np.uint64(width)) - np.uint64(1)) << np.uint64(place)
    return space, size


@kernel
def _scan_windows(
    pattern: int, data: Bytes, start: int, stop: int, kinds: Bytes, starts: Numbers, ends: Numbers, count: int
) -> int:
    """As `scan`: 64 bytes at once, and word by word where that does not go on."""
    while count < len(starts) and start < stop:
        window = start
        later = _starts_behind(pattern, data, window, stop)
        if later == 0:
            starts[count] = start
            start = _word_end(pattern, data, start, stop, kinds)
            ends[count] = start
            count += 1
        start, count = _write_words(window, later, start, starts, ends, count)
    return count


@kernel
def _write_words(window: int, later: int, start: int, starts: Numbers, ends: Numbers, count: int) -> tuple[int, int]:
    """The words from `start` on, as many as there is room for: each ends where `later` has the start of another.

    Returns where the last one ends, and how many there are then.
    """
    while later != 0 and count < len(starts):
        starts[count] = start
        start = window + trailing_zeros(later)
        ends[count] = start
        later &= later - np.uint64(1)
        count += 1
    return start, count


@kernel
def _starts_behind(pattern: int, data: Bytes, start: int, stop: int) -> int:
    """A bit for each byte behind `start`, where a word begins, at which another one surely does or the text ends."""
    if data[start] >= 0x80:
        return np.uint64(0)
    if pattern == _GPT2:
        found = gpt2_starts(data, start, stop, False)
    else:
        found = cl100k_starts(data, start, stop, 1 if pattern == _QWEN2 else 3, pattern == _O200K)
    return found & (found - np.uint64(1))


@kernel
def last_safe_cut(pattern: int, data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    r"""The last place between `start` and `stop` that makes two texts of one with the same words; -1 if there is none.

    None is found at `start` and `stop` themselves. `data[start]` begins a character, while the last one need not be
    complete. Most patterns are cut before white space that no word can hold, behind anything else. GPT-4's take line
    ends into words and are also cut behind these, but GPT-2 looks ahead there: "a \nb" is "a", " ", "\n", "b", and
    "a \n" is "a", " \n".
    """
    if pattern == _NONE:
        return -1
    following, place = stop, stop
    is_complete = False
    while place > start:
        place -= 1
        if data[place] & 0xC0 == 0x80:
            continue
        if is_complete and _is_safe(pattern, data, place, following, kinds):
            return following
        is_complete = is_complete or place + kind_and_size(data, place, kinds)[1] <= stop
        following = place
    return -1


@kernel
def _is_safe(pattern: int, data: Bytes, before: int, place: int, kinds: Bytes) -> bool:
    """Whether a text can be cut at `place`; the character before it begins at `before`."""
    if pattern == _METASPACE:
        return _is_metaspace(data, place)
    if pattern == _METASPACES:
        return _is_metaspace(data, place) and not _is_metaspace(data, before)
    if pattern == _LINES:
        return bool(data[before] == 10)
    is_space = kind_and_size(data, place, kinds)[0] & SPACE != 0
    is_behind_space = kind_and_size(data, before, kinds)[0] & SPACE != 0
    if pattern in (_GPT2, _WORDS, _WHITESPACE):
        return is_space and not is_behind_space
    if _is_line_end(data[before]):
        return not is_space and (pattern != _O200K or data[place] != 47)  # "!\n/" is one word
    return is_space and not is_behind_space and not _is_line_end(data[place])


@kernel
def _word_start(pattern: int, data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    """The patterns that keep everything begin a word where the last one ended."""
    if pattern == _WORDS:
        return _skip(SPACE, data, start, stop, kinds)
    if pattern == _LINES:
        while start < stop and _ends_line(data, start, stop):
            start += 1
    return start


@kernel
def _word_end(pattern: int, data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    if pattern == _GPT2:
        return _gpt2_end(data, start, stop, kinds)
    if pattern == _CL100K:
        return _cl100k_end(3, data, start, stop, kinds)
    if pattern == _QWEN2:
        return _cl100k_end(1, data, start, stop, kinds)
    if pattern == _O200K:
        return _o200k_end(data, start, stop, kinds)
    if pattern == _WORDS:
        is_word = kind_and_size(data, start, kinds)[0] & WORD != 0
        return _skip(WORD if is_word else SIGN, data, start, stop, kinds)
    if pattern == _METASPACE:
        return _metaspace_end(data, start, stop)
    if pattern == _METASPACES:
        return _metaspaces_end(data, start, stop)
    if pattern == _LINES:
        return _line_end(data, start, stop)
    return stop


@kernel
def _gpt2_end(data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    """Where the word that begins at `start` ends, as with all functions below."""
    if data[start] == 39:
        end = contraction_end(data, start, stop, False)
        if end > start:
            return end
    place = start + 1 if data[start] == 32 and start + 1 < stop else start
    kind, size = kind_and_size(data, place, kinds)
    kind &= LETTER | NUMBER | OTHER
    if kind:
        return _skip(kind, data, place + size, stop, kinds)
    return _space_end(data, start, stop, kinds)


@kernel
def _cl100k_end(digits: int, data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    """`digits` is how many numbers a word has at most."""
    kind, size = kind_and_size(data, start, kinds)
    place = start + size
    if kind & LETTER:
        return _skip(LETTER, data, place, stop, kinds)
    if kind & NUMBER:
        return _skip_some(digits - 1, NUMBER, data, place, stop, kinds)
    if data[start] == 39:
        end = contraction_end(data, start, stop, True)
        if end > start:
            return end
    next_kind, next_size = kind_and_size(data, place, kinds) if place < stop else (0, 0)
    if next_kind & LETTER and not _is_line_end(data[start]):
        return _skip(LETTER, data, place + next_size, stop, kinds)
    if kind & OTHER or (data[start] == 32 and next_kind & OTHER):
        place = _skip(OTHER, data, place, stop, kinds)
        while place < stop and _is_line_end(data[place]):
            place += 1
        return place
    return _line_break_end(data, start, stop, kinds)


@kernel
def _o200k_end(data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    kind, size = kind_and_size(data, start, kinds)
    place = start + size
    if kind & NUMBER:
        return _skip_some(2, NUMBER, data, place, stop, kinds)
    end = _cased_word_end(data, start, stop, kinds)
    if end > start:
        return contraction_end(data, end, stop, True)
    is_sign_next = place < stop and kind_and_size(data, place, kinds)[0] & OTHER != 0
    if kind & OTHER or (data[start] == 32 and is_sign_next):
        place = _skip(OTHER, data, place, stop, kinds)
        while place < stop and (_is_line_end(data[place]) or data[place] == 47):
            place += 1
        return place
    return _line_break_end(data, start, stop, kinds)


@kernel
def _cased_word_end(data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    r"""Where `[^\r\n\p{L}\p{N}]?U*L+` ends, or else `[^\r\n\p{L}\p{N}]?U+L*`; `start` if neither matches.

    U is UPPER and L is LOWER. Marks, and letters without case, are both. U* takes all it can; if no L follows, it gives
    back all behind its last character that is an L too. If there is none, the character before may be one: a mark.
    """
    kind, size = kind_and_size(data, start, kinds)
    first = start if kind & LETTER or _is_line_end(data[start]) else start + size
    place, end_of_both = first, start
    if first > start and kind & LOWER:
        end_of_both = first
    while place < stop:
        kind, size = kind_and_size(data, place, kinds)
        if not kind & UPPER:
            break
        place += size
        if kind & LOWER:
            end_of_both = place
    if place < stop and kind & LOWER:
        return _skip(LOWER, data, place, stop, kinds)
    if end_of_both > start:
        return end_of_both
    return place if place > first else start


@kernel
def _line_break_end(data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    r"""`\s*[\r\n]+`, or else as _space_end: behind the last line end of a run of white space."""
    end, place = start, start
    while place < stop:
        kind, size = kind_and_size(data, place, kinds)
        if not kind & SPACE:
            break
        if _is_line_end(data[place]):
            end = place + 1
        place += size
    return end if end > start else _space_end(data, start, stop, kinds)


@kernel
def _space_end(data: Bytes, start: int, stop: int, kinds: Bytes) -> int:
    r"""`\s+(?!\S)|\s+`: the last character of a run goes with what follows, unless it is the only one."""
    last, place = start, start
    while place < stop:
        kind, size = kind_and_size(data, place, kinds)
        if not kind & SPACE:
            return last if last > start else place
        last = place
        place += size
    return place


@kernel
def _metaspace_end(data: Bytes, start: int, stop: int) -> int:
    place = start + 1
    while place < stop and not _is_metaspace(data, place):
        place += 1
    return place


@kernel
def _metaspaces_end(data: Bytes, start: int, stop: int) -> int:
    place = start
    while place < stop and _is_metaspace(data, place):
        place += 3
    return _metaspace_end(data, place - 1, stop)


@kernel
def _line_end(data: Bytes, start: int, stop: int) -> int:
    place = start + 1
    while place < stop and not _ends_line(data, place, stop):
        place += 1
    return place


@kernel
def _ends_line(data: Bytes, place: int, stop: int) -> bool:
    r"""Whether "\n" or "\r\n" begins here."""
    return data[place] == 10 or (data[place] == 13 and place + 1 < stop and data[place + 1] == 10)


@kernel
def _is_line_end(byte: int) -> bool:
    return byte == 10 or byte == 13


@kernel
def _is_metaspace(data: Bytes, place: int) -> bool:
    return bool(data[place] == 0xE2 and data[place + 1] == 0x96 and data[place + 2] == 0x81)


@kernel
def _skip(kind: int, data: Bytes, place: int, stop: int, kinds: Bytes) -> int:
    """The first place from `place` on that has a character of no such kind."""
    while place < stop:
        found, size = kind_and_size(data, place, kinds)
        if not found & kind:
            break
        place += size
    return place


@kernel
def _skip_some(most: int, kind: int, data: Bytes, place: int, stop: int, kinds: Bytes) -> int:
    """As _skip, over so many characters at most."""
    while most > 0 and place < stop:
        found, size = kind_and_size(data, place, kinds)
        if not found & kind:
            break
        place += size
        most -= 1
    return place


@kernel
def find_lines(data: Bytes, stop: int, ends: Numbers) -> int:
    """Where the lines of `data[:stop]` end, behind their line ends; there is room for them. Returns how many."""
    count = 0
    for window in range(0, stop, WINDOW):
        found = bytes_between(data, window, 10, 10)
        while found != 0:
            ends[count] = window + trailing_zeros(found) + 1
            if ends[count] > stop:
                break
            found &= found - np.uint64(1)
            count += 1
    if stop > 0 and (count == 0 or ends[count - 1] < stop):
        ends[count] = stop
        count += 1
    return count


def warm_up() -> None:
    data, places, kinds = np.zeros(PADDING, np.uint8), np.zeros(1, np.int64), character_kinds()
    scan(_GPT2, data, 0, 0, kinds, places, places, 0)
    scan_lines(_GPT2, data, 0, 0, kinds, places, places, 0, 0)
    find_lines(data, 0, places)
    last_safe_cut(_GPT2, data, 0, 0, kinds)
