"""X servers as people have them: cookies of a display manager, keyboards of other countries."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.desktop.x11_display import COOKIE, LOCAL, WILD, open_display
from bot.desktop.x11_keys import XKeyboard
from bot.errors import NoDesktop
from tests.live.conftest import require
from tests.live.match import ROOT, RUN_BOT

# python-xlib does not close the socket of a display that did not let it in.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

DATA = bytes(range(16))


@contextmanager
def x_server(*options: str, depth: int = 24) -> Iterator[str]:
    """Start an X server without a window manager; return the number of its display."""
    reading, writing = os.pipe()
    screen = ["-screen", "0", f"800x600x{depth}", "-nolisten", "tcp", "-noreset"]
    command = ["Xvfb", "-displayfd", str(writing), *screen, *options]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            yield pipe.readline().strip()
    finally:
        server.terminate()
        server.wait(10)


def write_cookie(path: Path, family: int, address: bytes, number: bytes, data: bytes) -> Path:
    fields = (address, number, COOKIE, data)
    packed = b"".join(struct.pack(">H", len(field)) + field for field in fields)
    path.write_bytes(struct.pack(">H", family) + packed)
    return path


HERE = socket.gethostname().encode()


@pytest.mark.parametrize("name", [":{}", "unix:{}", ":{}.0"])
@pytest.mark.parametrize(("family", "address"), [(LOCAL, HERE), (WILD, b"")])
def test_cookies_without_a_display_number_open_the_display(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, family: int, address: bytes
) -> None:
    require()
    theirs = write_cookie(tmp_path / "server", LOCAL, HERE, b"0", DATA)
    with x_server("-auth", str(theirs)) as number:
        monkeypatch.setenv("DISPLAY", name.format(number))
        ours = write_cookie(tmp_path / "person", family, address, b"", DATA)
        monkeypatch.setenv("XAUTHORITY", str(ours))
        open_display().close()
        wrong = write_cookie(tmp_path / "other", family, address, b"", DATA[::-1])
        for path in (wrong, tmp_path / "missing"):
            monkeypatch.setenv("XAUTHORITY", str(path))
            with pytest.raises(NoDesktop, match="lets you in"):
                open_display()


@contextmanager
def typing(layouts: str) -> Iterator[subprocess.Popen[str]]:
    """Show a window that prints what is typed; of the layouts the last one is on."""
    subprocess.run(["setxkbmap", "-layout", layouts], check=True)
    command = [sys.executable, "-m", "tests.live.typed", str(layouts.count(","))]
    window = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert window.stdout is not None
        assert window.stdout.readline() == "ready\n"
        yield window
    finally:
        window.kill()
        window.communicate()


MODIFIERS = ("Control_L", "Shift_L", "ISO_Level3_Shift")


@pytest.mark.parametrize("layouts", ["us", "ru", "us,ru", "fr", "us,ru,fr"])
def test_keys_are_typed_on_every_keyboard(monkeypatch: pytest.MonkeyPatch, layouts: str) -> None:
    """A second group, a digit that needs Shift, a letter that no key of a keyboard has."""
    require("setxkbmap", packages="x11-xkb-utils")
    with x_server() as number:
        monkeypatch.setenv("DISPLAY", f":{number}")
        with typing(layouts) as window:
            keyboard = XKeyboard()
            for keys in ("n", "2", "f2", "ctrl+n", "escape", "ü"):
                keyboard.press(keys)
            assert window.stdout is not None
            lines: list[list[str]] = []
            while not lines or lines[-1] != ["udiaeresis"]:
                words = window.stdout.readline().split()
                assert words
                lines += [words] if words[0] not in MODIFIERS else []
            group = int(keyboard._state().group)
    digit = ["2", "Shift"] if layouts.endswith("fr") else ["2"]
    assert lines == [["n"], digit, ["F2"], ["n", "Control"], ["Escape"], ["udiaeresis"]]
    assert group == layouts.count(",")


@pytest.mark.parametrize("depth", [8, 16, 30])
def test_on_a_screen_that_gives_no_picture_no_other_game_is_played(depth: int) -> None:
    require()
    with x_server(depth=depth) as number:
        env = os.environ | {"DISPLAY": f":{number}", "XAUTHORITY": os.devnull}
        env.pop("WAYLAND_DISPLAY", None)
        command = [*RUN_BOT, "play", "--json"]
        done = subprocess.run(
            command, check=False, env=env, cwd=ROOT, capture_output=True, text=True
        )
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["error"] == "NoDesktop"
    assert f"not {depth}" in done.stderr
    assert done.stderr.count("\n") == 1
