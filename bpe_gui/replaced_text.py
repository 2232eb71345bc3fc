"""Keeps the last text that was typed, pasted or edited and then replaced by an opening, and brings it back."""

from concurrent.futures import Future, ThreadPoolExecutor, wait

from PySide6.QtCore import QObject, Signal

from bpe_gui.draft import Draft, read_kept, write_or_remove
from bpe_gui.opener import Opener
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.corpus import Corpus
from core.corpus_source import CorpusSource
from core.editing import KEPT_TEXT

FILE_NAME = "replaced.txt"


class ReplacedText(QObject):
    """One text beside the corpus, in a file of its own; bringing it back puts the text of that moment aside likewise.

    Signals:
    put_aside: a text was replaced and is kept.
    changed: whether there is one, or which, is another now.
    """

    put_aside = Signal()
    changed = Signal()

    def __init__(
        self, session: Session, settings: Settings, opener: Opener, draft: Draft, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._opener = opener
        self._draft = draft
        self._path = settings.folder / FILE_NAME
        self._text = read_kept(self._path)
        self._name = KEPT_TEXT
        self._writer = ThreadPoolExecutor(max_workers=1)  # one thread: the last text is also written last
        self._writing: Future[None] | None = None
        opener.replaced.connect(self._keep)

    @property
    def exists(self) -> bool:
        return bool(self._text)

    def bring_back(self) -> None:
        """Make it the corpus; nothing changes if there is none."""
        if self._text:
            self._opener.take_text(self._text, self._name)

    def finish(self) -> None:
        """Wait until it is on the disk."""
        if self._writing is not None:
            wait([self._writing])

    def _keep(self, before: Corpus) -> None:
        now = self._session.corpus
        is_back = _is_in_no_file(now) and now.text == self._text
        if is_back:
            self._draft.save()  # before its own file is written over
        if before.text and _is_in_no_file(before) and before.text != now.text:
            self._set(before.text, before.name)
            self.put_aside.emit()
        elif is_back:
            self._set("", KEPT_TEXT)

    def _set(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self._writing = self._writer.submit(write_or_remove, self._path, text)
        self.changed.emit()


def _is_in_no_file(corpus: Corpus) -> bool:
    return CorpusSource.of(corpus) is None
