"""The normalizers that Unicode and SentencePiece define: NFC, NFD, NFKC, NFKD and nmt_nfkc."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, ClassVar, Literal

from core.alignment import Alignment
from core.errors import ConfigError
from core.normalizer_steps import Step
from core.utf8 import whole_characters

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


_LATER = re.compile(
    "([\u07fd\u0897-\u089f\u08ca-\u08d3\u09fe\u0c3c\u0d3b\u0d3c\u0eba\u1715\u1abf-\u1ace\u1df6-\u1dfa\u32ff\ua7f2-\ua7f4"
    "\ua82c\uab69\U000105c9\U000105e4\U00010781-\U000107ba\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab\U00010eac"
    "\U00010efc-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011070\U0001133b\U00011383-\U000113d0\U0001145e"
    "\U00011839\U0001183a\U00011938\U0001193d\U0001193e\U00011943\U000119e0\U00011a34\U00011a47\U00011a99\U00011d42"
    "\U00011d44\U00011d45\U00011d97\U00011f41\U00011f42\U00016121-\U0001612f\U00016d68-\U00016d6a\U00016ff0\U00016ff1"
    "\U0001ccd6-\U0001ccf9\U0001e030-\U0001e06d\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef"
    "\U0001e4ec-\U0001e4ef\U0001e5ee\U0001e5ef\U0001f16c\U0001fbf0-\U0001fbf9])"
)
"""Marks and compositions that Unicode 10 and later brought: Hugging Face's tables do not know them, so all versions of
Python leave them as they are, and a saved tokenizer does here what it does there."""


def normal_form(form: Form, text: str) -> str:
    if text.isascii() or not _LATER.search(text):
        return unicodedata.normalize(form, text)
    parts = enumerate(_LATER.split(text))  # at odd places what is left as it is
    return "".join(part if place % 2 else unicodedata.normalize(form, part) for place, part in parts)


class _NormalForm(Step):
    form: ClassVar[Form]

    def normalize(self, text: str) -> str:
        return normal_form(self.form, text)

    def align(self, text: str) -> Alignment:
        form = self.form
        if unicodedata.is_normalized(form, text):
            return Alignment.identity(text)
        cuts = [0, *(i for i, char in enumerate(text) if i and _starts_afresh(form, char)), len(text)]
        clusters = ((start, end, normal_form(form, text[start:end])) for start, end in pairwise(cuts))
        return Alignment.of_changes(text, ((start, end, new) for start, end, new in clusters if new != text[start:end]))


@dataclass(frozen=True)
class Nfc(_NormalForm):
    """Letters and their marks joined where Unicode has one character for both; looks stay the same."""

    name = "nfc"
    form = "NFC"
    title = "NFC"
    help = "One code for each accented letter; looks stay the same."
    loss = "Different codes for the same accented letter are no longer told apart."


@dataclass(frozen=True)
class Nfd(_NormalForm):
    """Letters and their marks apart: `é` becomes `e` and U+0301; looks stay the same."""

    name = "nfd"
    form = "NFD"
    title = "NFD"
    help = "Accented letters fall apart into a letter and its marks; looks stay the same."
    loss = "Different codes for the same accented letter are no longer told apart."


@dataclass(frozen=True)
class Nfkc(_NormalForm):
    """As NFC, and what is only another shape of a character becomes that one: `ﬁ` becomes `fi`, `²` becomes `2`."""

    name = "nfkc"
    form = "NFKC"
    title = "NFKC"
    help = "Also full-width and other look-alike forms become plain ones: Ａ is A, ﬁ is fi, ² is 2."
    loss = "Look-alike forms, such as Ａ and A or ² and 2, are no longer told apart."


@dataclass(frozen=True)
class Nfkd(_NormalForm):
    """As NFD, and what is only another shape of a character becomes that one."""

    name = "nfkd"
    form = "NFKD"
    title = "NFKD"
    help = "As NFKC, but accented letters fall apart into a letter and its marks."
    loss = "Look-alike forms, such as Ａ and A or ² and 2, are no longer told apart."


@dataclass(frozen=True)
class NmtNfkc(Step):
    """SentencePiece's default: NFKC by its own tables, control characters left out, white space made spaces.

    Even "\\n" becomes a space; U+0085 stays. The library `sentencepiece` is loaded when the first text comes.
    """

    name = "nmt_nfkc"
    title = "nmt_nfkc"
    help = "SentencePiece's NFKC: look-alike forms become plain, line ends and other white space become spaces."
    loss = "Look-alike forms, control characters, and which white space it was, are gone."
    keeps_line_ends = False

    def __post_init__(self) -> None:
        if find_spec("sentencepiece") is None:
            raise ConfigError(
                "The normalizer nmt_nfkc needs the Python package sentencepiece, which is not installed. "
                "Install it (pip install sentencepiece) or take nfkc, which is much the same."
            )

    def normalize(self, text: str) -> str:
        normalized: str = _sentencepiece().Normalize(whole_characters(text))  # it refuses halves
        return normalized

    def align(self, text: str) -> Alignment:
        normalized, places = _sentencepiece().Normalize(whole_characters(text), with_offsets=True)
        if normalized == text:
            return Alignment.identity(text)
        starts = places[:-1]
        return Alignment(normalized, starts, _ends(starts, places[-1]))


def _ends(starts: list[int], end: int) -> list[int]:
    """Where the stretches that begin at `starts` end: characters made from one stretch have one start."""
    ends: list[int] = []
    following = end
    for start, after in pairwise([*reversed(starts), -1]):
        ends.append(following)
        if after != start:
            following = start
    return ends[::-1]


@cache
def _sentencepiece() -> Any:
    """SentencePiece's normalizer without all that is not in its table of characters."""
    try:
        from sentencepiece import SentencePieceNormalizer
    except ImportError as error:  # before 0.2 there was none
        raise ConfigError(
            f"The normalizer nmt_nfkc needs the Python package sentencepiece 0.2 or newer: {error}. "
            "Install it (pip install --upgrade sentencepiece) or take nfkc, which is much the same."
        ) from None
    return SentencePieceNormalizer(
        rule_name="nmt_nfkc", add_dummy_prefix=False, escape_whitespaces=False, remove_extra_whitespaces=False
    )


@cache
def _starts_afresh(form: Form, char: str) -> bool:
    """Whether nothing before `char` can join with it or trade places with it under this form."""
    if _LATER.match(char):
        return True
    first = unicodedata.normalize("NFKD" if "K" in form else "NFD", char)[0]
    return not unicodedata.combining(first) and (form.endswith("D") or first not in _second_halves())


@cache
def _second_halves() -> frozenset[str]:
    """Characters that can join with the one before them: marks, and the later parts of Hangul and Indic syllables."""
    found = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}  # Hangul composes by arithmetic
    for code in range(0x20000):  # no character above the first two planes has a pair as its decomposition
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            found.add(chr(int(parts[1], 16)))
    return frozenset(found)
