"""Saves the recording that is shown, with its bookmarks, in this program's own file, on a thread."""

import weakref
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from bpe_gui.latest_job import LatestJob
from bpe_gui.session import Session
from bpe_gui.settings import Settings
from core.formats.recording_file import FORMAT, SUFFIX, saving
from core.model_facts import model_name
from core.model_source import ModelSource
from core.recording import Recording

FILTERS = f"Recordings (*{SUFFIX});;All files (*)"


class RecordingSaver(QObject):
    """One saving at a time: a new one cancels the one still going, which leaves its file as it was.

    Signals:
    started(name): writing began.
    progressed(Progress)
    saved(path)
    failed(message): no file has changed.
    cancelled: no file has changed.
    """

    started = Signal(str)
    progressed = Signal(object)
    saved = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, session: Session, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._places: list[tuple[weakref.ref[Recording], Path]] = []
        self._saving: tuple[Recording, Path] | None = None
        self._job = LatestJob(self)
        self._job.progressed.connect(self.progressed)
        self._job.done.connect(self._end)
        self._job.failed.connect(self.failed)

    @property
    def is_saving(self) -> bool:
        return self._job.is_running

    def place_of(self, recording: Recording) -> Path | None:
        """The file that it was saved in or opened from; None if there is none of our own."""
        for other, path in reversed(self._places):
            if other() is recording:
                return path
        imported = recording.imported
        if imported and imported.source and imported.source.path.suffix == SUFFIX:
            return imported.source.path
        return None

    def save_again_or_with_dialog(self, parent: QWidget | None) -> None:
        """Write over the file that the recording has; ask for one if it has none."""
        if path := self.place_of(self._session.recording):
            self.save(path)
        else:
            self.save_with_dialog(parent)

    def save_with_dialog(self, parent: QWidget | None) -> None:
        chosen, _ = QFileDialog.getSaveFileName(parent, "Save the recording", str(self._suggestion()), FILTERS)
        if chosen:
            path = Path(chosen)
            self.save(path if path.suffix else path.with_suffix(SUFFIX))

    def save(self, path: Path) -> None:
        """Write all of the recording as it is now, with its bookmarks and the step that is shown."""
        self.cancel()
        recording = self._session.recording
        self._saving = recording, path.absolute()
        self.started.emit(path.name)
        self._job.start(partial(saving, recording, path, self._session.notes, len(recording)))

    def cancel(self) -> None:
        if self._job.cancel():
            self.cancelled.emit()

    def finish(self) -> None:
        """Wait until what is being saved is on the disk: the window is about to close."""
        self._job.finish()

    def _suggestion(self) -> Path:
        recording = self._session.recording
        if path := self.place_of(recording):
            return path
        name = model_name(recording) or (recording.corpus.name if recording.corpus else "") or FORMAT.suggested_name
        return Path(self._settings.text(Settings.LAST_FOLDER), Path(name).stem + SUFFIX)

    def _end(self) -> None:
        assert self._saving is not None, "only what was started comes to its end"
        recording, path = self._saving
        self._places = [pair for pair in self._places if (other := pair[0]()) is not None and other is not recording]
        self._places.append((weakref.ref(recording), path))
        self._settings.set(Settings.LAST_FOLDER, str(path.parent))
        self._settings.add_recent_source(ModelSource(path))
        self.saved.emit(path)
