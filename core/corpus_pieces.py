"""A corpus piece by piece, whether its text is in memory or still in its files, as bytes or as text."""

from collections.abc import Iterator

from core.chunks import TextPiece
from core.corpus import Corpus
from core.progress import Progress
from core.text_stream import Piece, StreamRead

PIECE_CHARS = 1 << 20  # 2 ms to encode


class CorpusPieces:
    """`read` is what is known of the files once all their pieces were taken, None of a text in memory."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.read: StreamRead | None = None

    def bytes(self) -> Iterator[Piece]:
        """In UTF-8; progress is in bytes of the files, or characters of a text in memory."""
        if self._corpus.unread is not None:
            self.read = yield from self._corpus.unread.read()
            return
        for piece in self._in_memory():
            yield Piece(piece.text.encode(errors="surrogatepass"), *piece[1:])

    def texts(self) -> Iterator[TextPiece]:
        if self._corpus.unread is None:
            yield from self._in_memory()
            return
        for piece in self.bytes():
            yield TextPiece(piece.data.decode(errors="surrogatepass"), *piece[1:])

    def _in_memory(self) -> Iterator[TextPiece]:
        text, end = self._corpus.text, 0
        for number, (start, stop) in enumerate(self._corpus.files or ((0, len(text)),)):
            if end < start:
                yield TextPiece(text[end:start], number, Progress(end, len(text)), is_added=True)
            for place in range(start, max(stop, start + 1), PIECE_CHARS):
                end = min(place + PIECE_CHARS, stop)
                yield TextPiece(text[place:end], number, Progress(end, len(text)))
