"""What of a text fits an editor pane, and what an edit in the pane does to the text itself, which may say more."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.corpus import Corpus
from core.word_counts import word_count_lines

MAX_EDITABLE_CHARS = 200_000
MAX_EDITABLE_LINE_CHARS = 20_000  # Qt lays a paragraph out as a whole: 1 MB in one line costs 1 s per typed character
MAX_SHOWN_CHARS = 50_000  # of a text that cannot be edited; Qt takes 0.1 ms to take in 1,000
MAX_SHOWN_LINE_CHARS = 2_000
MAX_SHOWN_WORDS = 5_000  # of a list of word counts

TYPED_TEXT = "typed text"
KEPT_TEXT = "your text"
"""Names of texts that are in no file: written in the pane, and kept from last time, which may have been pasted."""

_ONE_LINE_END = re.compile("\r\n|[\r\u2029\ufdd0\ufdd1]")  # all that Qt's text document turns into a new paragraph


@dataclass(frozen=True)
class Excerpt:
    """What a pane shows of a text; `remark` says what is left out or changed, "" if nothing is."""

    shown: str
    editable: bool
    remark: str = ""


def corpus_excerpt(corpus: Corpus) -> Excerpt:
    """Of a list of word counts its lines, of a large text its beginning, which cannot be edited; or else the text."""
    if corpus.is_partial:
        return _beginning(corpus)
    return excerpt(corpus.text) if corpus.given_counts is None else _list_excerpt(corpus.given_counts)


def excerpt(text: str) -> Excerpt:
    """The whole text if it can be edited, else its beginning with long lines broken."""
    shown = as_shown(text[:MAX_EDITABLE_CHARS])
    longest = max(map(len, shown.split("\n")))
    if len(text) <= MAX_EDITABLE_CHARS and longest <= MAX_EDITABLE_LINE_CHARS:
        return Excerpt(shown, True, _line_end_remark(text))
    lines = shown[:MAX_SHOWN_CHARS].split("\n")
    broken = "\n".join(piece for line in lines for piece in _pieces(line))
    return Excerpt(broken, False, _cut_remark(text, longest))


def _beginning(corpus: Corpus) -> Excerpt:
    lines = as_shown(corpus.text[:MAX_SHOWN_CHARS]).split("\n")
    broken = "\n".join(piece for line in lines for piece in _pieces(line))
    size = f"{corpus.byte_count / 1_000_000:,.0f} MB"
    return Excerpt(
        broken,
        False,
        f"Showing the beginning of {size}. Training reads all of it, from the {_files(len(corpus.paths))}; it is too "
        "large to edit here.",
    )


def _files(number: int) -> str:
    return "file" if number == 1 else f"{number:,} files"


def _list_excerpt(counts: Mapping[str, int]) -> Excerpt:
    shown, room = dict[str, int](), MAX_SHOWN_CHARS
    for word, count in counts.items():
        room -= len(word) + len(str(count)) + 2
        if room < 0 or len(shown) == MAX_SHOWN_WORDS:
            break
        shown[word] = count
    lines = as_shown("".join(word_count_lines(shown))).removesuffix("\n").split("\n")
    broken = "\n".join(piece for line in lines for piece in _pieces(line))
    left_out = len(shown) < len(counts)
    return Excerpt(broken, False, f"Showing the first {len(shown):,} of {len(counts):,} words." if left_out else "")


def as_shown(text: str) -> str:
    """The text as the pane has it: every kind of paragraph end is "\\n"."""
    return _ONE_LINE_END.sub("\n", text) if any(end in text for end in "\r\u2029\ufdd0\ufdd1") else text


def edited(text: str, shown_before: str, shown_after: str) -> str:
    """The text after an edit in the pane; outside the edit every character stays what it was, line ends too.

    >>> edited("a\\r\\nb\\rc", "a\\nb\\nc", "a\\nb!\\nc")
    'a\\r\\nb!\\rc'
    """
    start = _common_prefix(shown_before, shown_after)
    after = _common_prefix(shown_before[start:][::-1], shown_after[start:][::-1])
    new = shown_after[start : len(shown_after) - after].replace("\n", _usual_line_end(text))
    return text[: _place(text, start)] + new + text[_place(text, len(shown_before) - after) :]


def _pieces(line: str) -> list[str]:
    starts = range(0, max(len(line), 1), MAX_SHOWN_LINE_CHARS)
    return [line[start : start + MAX_SHOWN_LINE_CHARS] for start in starts]


def _common_prefix(one: str, other: str) -> int:
    """By halves: comparing slices is a thousand times faster than comparing characters in a loop."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _place(text: str, shown_place: int) -> int:
    place = shown_place
    for match in re.finditer("\r\n", text):  # the only line end that is longer than what is shown for it
        if match.start() >= place:
            break
        place += 1
    return place


def _usual_line_end(text: str) -> str:
    if "\r" not in text:
        return "\n"
    windows = text.count("\r\n")
    unix, old_mac = text.count("\n") - windows, text.count("\r") - windows
    return max(((unix, "\n"), (windows, "\r\n"), (old_mac, "\r")), key=lambda pair: pair[0])[1]


def _line_end_remark(text: str) -> str:
    windows = text.count("\r\n")
    kinds = {"CR LF": windows, "CR": text.count("\r") - windows, "U+2029": text.count("\u2029")}
    found = [f"{number:,} {kind}" for kind, number in kinds.items() if number]
    return f"Line ends are kept as they are: {', '.join(found)}." if found else ""


def _cut_remark(text: str, longest: int) -> str:
    shown = f"the first {MAX_SHOWN_CHARS:,} of {len(text):,} characters" if len(text) > MAX_SHOWN_CHARS else "all"
    broken = ", with long lines broken" if longest > MAX_SHOWN_LINE_CHARS else ""
    reason = "it is too large" if len(text) > MAX_EDITABLE_CHARS else f"a line of {longest:,} characters is too long"
    return f"Showing {shown}{broken}. All of it is used for training; {reason} to edit here."


def edited_name(name: str, was_empty: bool) -> str:
    """What a text is called once it was edited in the pane.

    >>> edited_name("alice.txt", was_empty=False)
    'alice.txt (edited)'
    """
    if was_empty:
        return TYPED_TEXT
    return name if name in (TYPED_TEXT, KEPT_TEXT) or name.endswith("(edited)") else f"{name} (edited)"
