"""Text as UTF-8, also where it is not quite text."""

import re

HALF_CHARACTER = re.compile("[\ud800-\udfff]")
"""A lone surrogate, half of a pair: typed text and names of files may hold it, no file in UTF-8 can."""


def utf8(text: str) -> bytes:
    """The bytes of `text`. Half a surrogate pair, which typed text may hold, is no error: three bytes stand for it."""
    return text.encode(errors="surrogatepass")


def whole_characters(text: str) -> str:
    """The text with U+FFFD for each half of a character."""
    return text if text.isascii() else HALF_CHARACTER.sub("\ufffd", text)
