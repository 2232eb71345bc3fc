"""Whether there is a screen to draw on. Qt itself ends the process when it finds none, so it is asked before Qt is."""

import os
import socket
import sys
from pathlib import Path

CONNECT_SECONDS = 1.0


def has_display() -> bool:
    """True where a window can be shown: always on Windows and macOS, else if a display server answers."""
    if sys.platform in ("win32", "darwin"):
        return True
    return _wayland_answers() or _x11_answers()


def _wayland_answers() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    return bool(name) and _answers(Path(os.environ.get("XDG_RUNTIME_DIR", "/run/user/0"), name or ""))


def _x11_answers() -> bool:
    """DISPLAY is `host:number.screen`; without a host it is a socket in the file system or an abstract one."""
    host, _, rest = os.environ.get("DISPLAY", "").rpartition(":")
    number = rest.split(".")[0]
    if not number.isdigit():
        return False
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return _answers(path) or _answers("\0" + path)
    try:
        socket.create_connection((host.strip("[]"), 6000 + int(number)), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def _answers(address: str | Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(CONNECT_SECONDS)
        try:
            client.connect(str(address))
        except OSError:
            return False
    return True


if __name__ == "__main__":  # for the Makefile: exit status 0 if there is a display
    sys.exit(not has_display())
