import socket

from bpe_gui.display import has_display


def test_no_display_named_is_no_display(monkeypatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not has_display()


def test_a_display_that_does_not_answer_is_none(monkeypatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for name in (":987", ":987.0", "unix:987", "localhost:987", "nonsense", ":"):
        monkeypatch.setenv("DISPLAY", name)
        assert not has_display(), name


def test_a_socket_that_answers_is_a_display(monkeypatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0/tmp/.X11-unix/X986")
        server.listen()
        monkeypatch.setenv("DISPLAY", ":986")
        assert has_display()


def test_other_systems_always_have_one(monkeypatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.delenv("DISPLAY", raising=False)
    assert has_display()
