"""What is to be known of bytes before they are read as text; in compiled loops as soon as there are any."""

import codecs

import numpy as np

from core import kernel_loader

LINE_END = 10
CHECKED_BYTES = 1 << 13


def whole_characters(data: bytes) -> int:
    """So many bytes, from the first on, are whole characters of UTF-8; maybe not all before the first that are none."""
    if kernel_loader.are_ready():
        from core.kernels import text_checking

        return text_checking.whole_characters(np.frombuffer(data, np.uint8))
    decoder, place = codecs.getincrementaldecoder("utf-8")(), 0
    for start in range(0, len(data), CHECKED_BYTES):
        part = data[start : start + CHECKED_BYTES]
        if decoder.getstate()[0] or not part.isascii():  # what is ASCII for long need not be decoded to know
            try:
                decoder.decode(part)
            except UnicodeDecodeError:
                break
        place = start + len(part) - len(decoder.getstate()[0])
    return place


def line_ends_and_nuls(data: bytes) -> tuple[int, int]:
    r"""How many bytes are "\n", and how many are 0."""
    found = np.frombuffer(data, np.uint8)  # bytes.count takes ten times as long
    if kernel_loader.are_ready():
        from core.kernels import text_checking

        return text_checking.line_ends_and_nuls(found)
    return int(np.count_nonzero(found == LINE_END)), len(found) - int(np.count_nonzero(found))
