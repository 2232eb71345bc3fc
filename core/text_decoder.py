"""Decodes a text block by block, to the same characters and notes as text_encoding.decode gives for all of it at once.

It never has to begin again: what an encoding is guessed by, GUESS_BYTES from the first byte that is not ASCII on, is in
one block. If all of that is UTF-8, so is the text, whatever is broken further on; if not, nothing but ASCII, which all
that is guessed have in common, was handed out before.
"""

import codecs

from core.byte_checks import line_ends_and_nuls, whole_characters
from core.text_encoding import (
    BEFORE_GUESS_BYTES,
    GUESS_BYTES,
    HIGH,
    MARK_NOTE,
    DetectedBy,
    Detection,
    broken_note,
    byte_and_line,
    chosen,
    detect,
    guess,
    half_character,
    interesting,
    nul_note,
    wrong_encoding,
)


class TextDecoder:
    """`feed` every block of a file, the first of at least GUESS_BYTES or all there is; gives its text as UTF-8.

    Before a block is fed, ask `wants_more` with it: it may have to be longer.
    """

    def __init__(self, name: str, beginning: bytes, encoding: str | None = None) -> None:
        """`encoding` None finds it out. Raises CorpusError if it is no text or there is no such encoding."""
        self._name = name
        self.detection = chosen(encoding, beginning) if encoding else detect(beginning, name)
        self._unmarked = self.detection.mark_bytes  # bytes of the mark that are still to come
        self._decoder = _decoder(self.detection.encoding)
        self._counter: codecs.IncrementalDecoder | None = None  # leaves broken characters out, once there was one
        self._last = b""  # of the bytes before
        self._sample = b""  # what a guess looks at: from the first byte that is not ASCII on
        self._place = 0  # in bytes of the file
        self._line_ends = 0
        self._nuls = 0
        self._broken = 0
        self._first_broken = ""

    @property
    def byte_count(self) -> int:
        return self._place

    def notes(self) -> tuple[str, ...]:
        """What the user should know of the text so far."""
        notes = [MARK_NOTE] if self.detection.mark_bytes else []
        if self._first_broken:
            notes.append(broken_note(self._broken, self.detection.encoding, self._first_broken))
        if self._nuls:
            notes.append(nul_note(self._nuls))
        return tuple(notes)

    def wants_more(self, block: bytes) -> bool:
        """Whether the block ends too soon behind the first byte that is not ASCII to guess by what follows it."""
        if self._sample or self.detection.detected_by is not DetectedBy.VALID_UTF8 or block.isascii():
            return False
        first = HIGH.search(block)
        return first is not None and len(block) - first.start() < GUESS_BYTES

    def feed(self, block: bytes, is_last: bool) -> bytes:
        """Its text as UTF-8, without a character that is cut off at its end: that comes with the next one.

        Raises CorpusError if the file is not in the encoding chosen, or no text.
        """
        if self.detection.detected_by is DetectedBy.VALID_UTF8 and not self._sample and not block.isascii():
            self._sample = interesting(self._last + block)
        body = block[self._unmarked :]
        self._unmarked -= len(block) - len(body)
        try:
            data = self._decoded(body, is_last)
        except UnicodeEncodeError as error:
            line_ends = self._line_ends + error.object.count("\n", 0, error.start)
            raise half_character(self.detection.encoding, line_ends, self._name) from None
        self._last = (self._last + block[-BEFORE_GUESS_BYTES:])[-BEFORE_GUESS_BYTES:]
        self._place += len(block)
        line_ends, nuls = line_ends_and_nuls(data)
        self._line_ends += line_ends
        self._nuls += nuls
        return data

    def _decoded(self, body: bytes, is_last: bool) -> bytes:
        if self._counter is not None:
            return self._replaced(body, is_last)
        state = self._decoder.getstate()
        try:
            if self.detection.encoding != "utf-8":
                return self._decoder.decode(body, is_last).encode()
            self._check(body, is_last)
            known = state[0] + body  # the text in UTF-8: encoding it again would take as long as decoding
            return known[: len(known) - len(self._decoder.getstate()[0])]
        except UnicodeEncodeError:
            raise
        except UnicodeError as error:
            self._decoder.setstate(state)
            waiting = self._go_on(self._broken_place(error, len(body)))
        return self._decoded(waiting + body, is_last)

    def _check(self, body: bytes, is_last: bool) -> None:
        """Raise UnicodeDecodeError if it is not UTF-8. Most of it need not be decoded to know."""
        state = self._decoder.getstate()
        known = state[0] + body
        try:
            self._decoder.reset()
            self._decoder.decode(known[whole_characters(known) :], is_last)
        except UnicodeDecodeError:
            self._decoder.setstate(state)
            self._decoder.decode(body, is_last)  # for the place of the fault in all of it

    def _broken_place(self, error: UnicodeError, size: int) -> str:
        """In the file, in the user's words; `size` is that of the bytes just fed."""
        place = self._place if self._place else self.detection.mark_bytes
        if not isinstance(error, UnicodeDecodeError):
            return byte_and_line(place, self._line_ends)
        waiting = len(error.object) - size  # of a character that the block before has begun
        before = error.object[: error.start].decode(self.detection.encoding, "replace")
        return byte_and_line(place - waiting + error.start, self._line_ends + before.count("\n"))

    def _go_on(self, first_broken: str) -> bytes:
        """In another encoding, or with U+FFFD for what is broken; returns bytes to decode once more."""
        state = self._decoder.getstate()
        if self.detection.detected_by is DetectedBy.CHOSEN:
            raise wrong_encoding(self.detection.encoding, first_broken, self._name)
        if self.detection.detected_by is DetectedBy.VALID_UTF8:
            self.detection = Detection(guess(self._sample, self._name), DetectedBy.GUESSED)
            if self.detection.encoding != "utf-8":
                self._decoder = _decoder(self.detection.encoding)
                return state[0]
        self._first_broken = first_broken
        self._decoder = _decoder(self.detection.encoding, "replace")
        self._counter = _decoder(self.detection.encoding, "ignore")
        self._decoder.setstate(state)
        self._counter.setstate(state)
        return b""

    def _replaced(self, body: bytes, is_last: bool) -> bytes:
        assert self._counter is not None
        text, without = self._decoder.decode(body, is_last), self._counter.decode(body, is_last)
        self._broken += text.count("\ufffd") - without.count("\ufffd")
        return text.encode()


def _decoder(encoding: str, errors: str = "strict") -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder(encoding)(errors)
