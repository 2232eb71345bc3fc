"""What is drawn for the characters of a text: the same number of characters, none of which hides or moves another."""

import regex

STAND_IN = "▯"
"""Drawn for a character without a look of its own, and for one that would reorder its neighbours."""

_CONTROL_PICTURES = {code: chr(0x2400 + code) for code in range(0x20) if code != 0x09} | {0x7F: "␡"}

# Joiners shape letters and emoji, variation selectors and tags choose how an emoji looks; elsewhere they are unseen.
_UNSEEN = regex.compile(
    r"""
      (?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})(*SKIP)(*FAIL)
    | (?<=[\p{L}\p{M}])(?<!\p{Latin})[\u200C\u200D](*SKIP)(*FAIL)
    | (?<=\p{Emoji})[\uFE0E\uFE0F](*SKIP)(*FAIL)
    | (?<=\p{Han})[\uFE00-\uFE0F\U000E0100-\U000E01EF](*SKIP)(*FAIL)
    | \U0001F3F4[\U000E0020-\U000E007F]+(*SKIP)(*FAIL)
    | \p{Prepended_Concatenation_Mark}(*SKIP)(*FAIL)
    | [\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u0080-\u009F\uFE00-\uFE0F\U000E0100-\U000E01EF]
    | [\u034F\u115F\u1160\u3164\uFFA0\u17B4\u17B5\u180B-\u180D\u180F]
    """,
    regex.VERBOSE,
)
_RIGHT_TO_LEFT = regex.compile(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}\p{Bidi_Class=AN}]")
_STRONG = regex.compile(r"[\p{Bidi_Class=L}\p{Bidi_Class=R}\p{Bidi_Class=AL}]")
_SPACES = regex.compile(r"[\p{Zs}\t\n\r]")


def drawn(text: str) -> str:
    """`text` with a visible character for each that is unseen; a tab stays a tab."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(STAND_IN, text.translate(_CONTROL_PICTURES))


def has_right_to_left(text: str) -> bool:
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def reads_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction goes to the left."""
    match = _STRONG.search(text)
    return match is not None and _RIGHT_TO_LEFT.match(match[0]) is not None


def spaces(text: str) -> list[int]:
    """Places of the characters that are drawn as nothing."""
    return [match.start() for match in _SPACES.finditer(text)]


def space_mark(character: str) -> str:
    """What white space is marked with."""
    return {"\t": "→", "\n": "⏎", "\r": "␍"}.get(character, "·")


def utf16_places(text: str) -> list[int]:
    """For each character, and the end, its place in UTF-16 units, which is what Qt counts in."""
    if text.isascii() or max(text) < "\U00010000":
        return list(range(len(text) + 1))
    places, place = [0], 0
    for character in text:
        place += 1 if character < "\U00010000" else 2
        places.append(place)
    return places
