"""Normalizers that mend texts from the web: HTML's names of characters, and what the library ftfy repairs.

CLIP's tokenizer does both first; two steps here are only for it: ftfy over the whole text, and Python's lower case.
"""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from html.entities import html5
from importlib.util import find_spec
from typing import ClassVar

import regex

from core.alignment import Alignment
from core.errors import ConfigError
from core.normalizer_steps import Step, placed_lines

MAX_DIFF_CHARS = 200
"""Longer stretches, of which only the ends are alike, are not compared letter by letter: it takes the square of it."""
_REFERENCE = re.compile("&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\\t\\n\\f <&#;]{1,32};?)")  # as Python's html has it
_MAX_DIGITS = 9
_PARTS = regex.compile(r"&#?[0-9A-Za-z]{1,24};|\X")

Change = tuple[int, int, str]


@dataclass(frozen=True)
class HtmlUnescape(Step):
    """As Python's html.unescape: `&amp;` becomes `&`, `&#39;` and `&#x27;` become `'`, `&notit` becomes `¬it`."""

    name = "html_unescape"
    title = "HTML's characters"
    help = "What HTML writes for characters becomes these: &amp; is &, &#39; is '."
    loss = "Characters and what HTML writes for them, such as & and &amp;, are no longer told apart."

    def normalize(self, text: str) -> str:
        return _REFERENCE.sub(_unescaped, text) if "&" in text else text

    def align(self, text: str) -> Alignment:
        return Alignment.of_changes(text, _html_changes(text))


def _html_changes(text: str) -> Iterator[Change]:
    for match in _REFERENCE.finditer(text):
        if match[1][0] == "#":
            yield *match.span(), _unescaped(match)
        elif name := _name(match[1]):
            yield match.start(), match.start(1) + len(name), html5[name]


def _name(text: str) -> str:
    """The longest name that `text` begins with, "" if there is none."""
    return next((text[:size] for size in range(len(text), 1, -1) if text[:size] in html5), "")


def _unescaped(match: re.Match[str]) -> str:
    if len(match[1]) <= 40:
        return html.unescape(match[0])
    kind, digits = re.match("(#[xX]?)([^;]*)", match[1]).groups()  # type: ignore[union-attr]  # names are shorter
    digits = digits.lstrip("0")  # Python refuses numbers of thousands of digits
    return html.unescape(f"&{kind}{digits or 0};") if len(digits) <= _MAX_DIGITS else "\ufffd"


@dataclass(frozen=True)
class Ftfy(Step):
    """ftfy.fix_text of every line on its own. The library `ftfy` is loaded when the first text comes."""

    is_by_line: ClassVar[bool] = True

    name = "ftfy"
    title = "ftfy"
    help = "Broken text is repaired (Ã© is é), and curly quotes, ligatures, full-width letters become plain ones."
    loss = "Broken text, curly quotes, ligatures, full-width letters and control characters are gone."

    def __post_init__(self) -> None:
        if not has_ftfy():
            raise ConfigError(
                "The normalizer ftfy needs the Python package ftfy, which is not installed. "
                "Install it (pip install ftfy) or leave the normalizer out."
            )

    def normalize(self, text: str) -> str:
        return "".join([fixed for _, _, fixed, _ in self._fixed_lines(text)])

    def align(self, text: str) -> Alignment:
        return Alignment.of_changes(text, self._changes(text))

    def _changes(self, text: str) -> Iterator[Change]:
        for place, line, fixed, is_html in self._fixed_lines(text):
            if fixed != line:
                changes = _part_changes(line, fixed, is_html) or _differences(line, fixed)
                yield from ((place + start, place + end, new) for start, end, new in changes)

    def _fixed_lines(self, text: str) -> Iterator[tuple[int, str, str, bool]]:
        """Every line, where it starts, what becomes of it, and whether a tag before it says that the text is HTML."""
        is_html = False
        for place, line in placed_lines(text):
            yield place, line, _fixed(line, is_html), is_html
            is_html = is_html or (not self.is_by_line and "<" in line)


@dataclass(frozen=True)
class FtfyText(Ftfy):
    """ftfy.fix_text of a whole text: behind the first line with `<`, HTML's names of characters stay as they are."""

    is_by_line = False
    needs_whole_text = True

    name = "ftfy_text"
    title = "ftfy of the whole text"


@dataclass(frozen=True)
class PythonLowercase(Step):
    """Python's str.lower, with its Unicode: a Σ that ends a word becomes `ς`, `ΟΔΟΣ` becomes `οδος`."""

    name = "python_lowercase"
    title = "Lower case (Python)"
    help = "Capital letters become small ones, and a Σ at the end of a word becomes ς."
    loss = "Capital letters and small ones are no longer told apart."

    def normalize(self, text: str) -> str:
        return text.lower()

    def align(self, text: str) -> Alignment:
        lowered = text.lower()
        if len(lowered) == len(text):  # no character's lower case is shorter
            return Alignment.identity(lowered)
        sizes = [len(char.lower()) for char in text]
        places = [place for place, size in enumerate(sizes) for _ in range(size)]
        return Alignment(lowered, places, [place + 1 for place in places])


def has_ftfy() -> bool:
    return find_spec("ftfy") is not None


def _part_changes(line: str, fixed: str, is_html: bool) -> list[Change] | None:
    """What becomes of every letter, with its marks, and of HTML's names; None if all together become something else."""
    parts = [(match.span(), match[0], _fixed_part(match[0], is_html)) for match in _PARTS.finditer(line)]
    if "".join([new for _, _, new in parts]) != fixed:
        return None
    return [(*span, new) for span, old, new in parts if new != old]


def _differences(line: str, fixed: str) -> list[Change]:
    """Where the two differ; every change is of one letter at least, as far as can be told from looking at them."""
    most = min(len(line), len(fixed))
    start = next((i for i in range(most) if line[i] != fixed[i]), most)
    after = next((i for i in range(most - start) if line[-1 - i] != fixed[-1 - i]), most - start)
    old, new = line[start : len(line) - after], fixed[start : len(fixed) - after]
    if max(len(old), len(new)) > MAX_DIFF_CHARS:
        return [_of_a_letter(line, start, start + len(old), new)]
    changes = list[Change]()
    for kind, low, high, new_low, new_high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            change = _of_a_letter(line, start + low, start + high, new[new_low:new_high])
            if changes and changes[-1][1] > change[0]:
                first, end, before = changes.pop()
                change = first, end, before + new[new_low:new_high]
            changes.append(change)
    return changes


def _of_a_letter(line: str, start: int, end: int, new: str) -> Change:
    """The change; what is put between two letters counts as part of the one behind it, or of the last one."""
    if start < end:
        return start, end, new
    return (start, start + 1, new + line[start]) if start < len(line) else (start - 1, start, line[start - 1] + new)


@lru_cache(1 << 14)
def _fixed_part(part: str, is_html: bool) -> str:
    return _fixed(part, is_html)


def _fixed(text: str, is_html: bool) -> str:
    return _fixers()[is_html](text)


@cache
def _fixers() -> tuple[Callable[[str], str], Callable[[str], str]]:
    """ftfy for a text that may write characters as HTML does, and for one that is HTML."""
    try:
        from ftfy import TextFixerConfig, fix_text
    except ImportError as error:  # before 6.0 there was none
        raise ConfigError(
            f"The normalizer ftfy needs the Python package ftfy 6 or newer: {error}. "
            "Install it (pip install --upgrade ftfy) or leave the normalizer out."
        ) from None
    usual, in_html = TextFixerConfig(explain=False), TextFixerConfig(explain=False, unescape_html=False)
    return lambda text: fix_text(text, usual), lambda text: fix_text(text, in_html)
