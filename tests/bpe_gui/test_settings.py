from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from bpe_gui.settings import MAX_RECENT_FILES, Settings
from core.corpus_source import CorpusSource


def reopened(tmp_path: Path) -> Settings:
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


def test_defaults_have_their_types(settings: Settings) -> None:
    assert settings.text(Settings.THEME) == "system"
    assert settings.flag(Settings.MONOSPACED) is True
    assert settings.number(Settings.TEXT_POINTS) == 13.0


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        (Settings.THEME, "dark", Settings.text),
        (Settings.SHOW_WHITESPACE, True, Settings.flag),
        (Settings.MONOSPACED, False, Settings.flag),
        (Settings.SPEED, 1_000.0, Settings.number),
        (Settings.ENCODE_TEXT, '春眠 🌸, "quoted"; a\\b', Settings.text),
        (Settings.ENCODE_TEXT, "", Settings.text),
    ],
)
def test_values_survive_a_restart(settings: Settings, tmp_path: Path, key, value, read) -> None:
    settings.set(key, value)
    settings.sync()
    assert read(reopened(tmp_path), key) == value


@pytest.mark.parametrize("text", ["large", "", "-1", "nan", "inf", "1e400", "99999999999999999999"])
@pytest.mark.parametrize(
    ("key", "default"),
    [
        (Settings.TEXT_POINTS, 13.0),
        (Settings.SPEED, 100.0),
        (Settings.PLAY_SPEED, 4.0),
        (Settings.RENYI_ALPHA, 2.5),
        (Settings.DROPOUT, 0.0),
        (Settings.DROPOUT_SEED, 0.0),
    ],
)
def test_a_hand_edited_number_falls_back_to_the_default(
    settings: Settings, tmp_path: Path, key: str, default: float, text: str
) -> None:
    settings.set(key, text)
    settings.sync()
    assert reopened(tmp_path).number(key) == default


def test_a_change_is_announced_with_its_key(qtbot, settings: Settings) -> None:
    with qtbot.waitSignal(settings.changed) as changed:
        settings.set(Settings.THEME, "light")
    assert changed.args == [Settings.THEME]


def test_what_is_used_until_it_is_set_is_not_stored(qtbot, settings: Settings, tmp_path: Path) -> None:
    settings.set(Settings.THEME, "light")
    with qtbot.waitSignal(settings.changed) as changed:
        settings.use_until_set(Settings.THEME, "dark")
    assert (changed.args, settings.text(Settings.THEME)) == ([Settings.THEME], "dark")
    settings.sync()
    assert reopened(tmp_path).text(Settings.THEME) == "light"
    settings.set(Settings.THEME, "system")
    settings.sync()
    assert (settings.text(Settings.THEME), reopened(tmp_path).text(Settings.THEME)) == ("system", "system")


def test_recent_files_are_newest_first_without_repeats(settings: Settings, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "a.txt"):
        settings.add_recent_source(CorpusSource((tmp_path / name,)))
    settings.sync()
    assert [source.name for source in reopened(tmp_path).recent_sources()] == ["a.txt", "b.txt"]


def test_one_recent_file_is_still_a_list_after_a_restart(settings: Settings, tmp_path: Path) -> None:
    source = CorpusSource((tmp_path / 'one, "two".txt',))
    settings.add_recent_source(source)
    settings.sync()
    assert reopened(tmp_path).recent_sources() == [source]


def test_files_opened_together_are_one_recent_entry(settings: Settings, tmp_path: Path) -> None:
    both = CorpusSource((tmp_path / "春 🌸.txt", tmp_path / "b.txt"), "gb18030")
    turned = CorpusSource(both.paths[::-1])
    for source in (both, turned, CorpusSource((tmp_path / "b.txt",), is_word_counts=True)):
        settings.add_recent_source(source)
    settings.sync()
    assert reopened(tmp_path).recent_sources() == [
        CorpusSource((tmp_path / "b.txt",), is_word_counts=True),
        turned,
        both,
    ]


def test_the_last_way_of_reading_a_file_is_kept(settings: Settings, tmp_path: Path) -> None:
    source = CorpusSource((tmp_path / "words.txt",))
    settings.add_recent_source(source)
    settings.add_recent_source(replace(source, is_word_counts=True))
    assert settings.recent_sources() == [replace(source, is_word_counts=True)]
    settings.remove_recent_source(source)
    assert settings.recent_sources() == []


def test_what_somebody_wrote_into_the_recent_files_is_passed_over(tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    good = CorpusSource((tmp_path / "a.txt",))
    store.setValue(Settings.RECENT_FILES, ["/a/path.txt", '{"files": []}', good.to_json(), "[" * 99_999])
    assert Settings(store).recent_sources() == [good]


def test_recent_files_are_bounded_and_can_be_cleared(settings: Settings, tmp_path: Path) -> None:
    for number in range(MAX_RECENT_FILES + 5):
        settings.add_recent_source(CorpusSource((tmp_path / f"{number}.txt",)))
    assert len(settings.recent_sources()) == MAX_RECENT_FILES
    settings.clear_recent_files()
    assert settings.recent_sources() == []


def test_the_window_s_layout_survives(settings: Settings, tmp_path: Path) -> None:
    settings.store_window(QByteArray(b"\x00geometry"), QByteArray(b"\xfflayout"))
    settings.sync()
    again = reopened(tmp_path)
    assert (again.geometry(), again.layout()) == (QByteArray(b"\x00geometry"), QByteArray(b"\xfflayout"))
