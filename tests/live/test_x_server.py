"""X servers as people have them: cookies of a display manager, keyboards of other countries."""

import ctypes
import ctypes.util
import os
import re
import socket
import struct
import subprocess

import pytest

from bot.desktop.x11_display import COOKIE, LOCAL, WILD, open_display
from bot.desktop.x11_keys import XKeyboard
from bot.errors import NoDesktop
from tests.live.command import lines_of, run_bot
from tests.live.conftest import require
from tests.live.session import wait_until, x_server

# python-xlib does not close the socket of a display that did not let it in.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

DATA = bytes(range(16))


def write_cookie(path, family, address, number, data):
    fields = (address, number, COOKIE, data)
    packed = b"".join(struct.pack(">H", len(field)) + field for field in fields)
    path.write_bytes(struct.pack(">H", family) + packed)
    return path


HERE = socket.gethostname().encode()


@pytest.mark.parametrize("name", ["{}", "unix{}", "{}.0"])
@pytest.mark.parametrize(("family", "address"), [(LOCAL, HERE), (WILD, b"")])
def test_cookies_without_a_display_number_open_the_display(
    tmp_path, monkeypatch, name, family, address
):
    require()
    theirs = write_cookie(tmp_path / "server", LOCAL, HERE, b"0", DATA)
    with x_server("-auth", str(theirs)) as display:
        monkeypatch.setenv("DISPLAY", name.format(display))
        ours = write_cookie(tmp_path / "person", family, address, b"", DATA)
        monkeypatch.setenv("XAUTHORITY", str(ours))
        open_display().close()
        wrong = write_cookie(tmp_path / "other", family, address, b"", DATA[::-1])
        for path in (wrong, tmp_path / "missing"):
            monkeypatch.setenv("XAUTHORITY", str(path))
            with pytest.raises(NoDesktop, match="lets you in"):
                open_display()


PRESSED = re.compile(
    r"KeyPress event.*?state 0x([0-9a-f]+), keycode \d+ \(keysym 0x[0-9a-f]+, (\w+)\)", re.S
)
MODIFIERS = ("Control_L", "Shift_L", "ISO_Level3_Shift")
CORE_KEYBOARD = 0x100


def choose(layouts):
    """Give the keyboard some layouts; the last one is on."""
    subprocess.run(["setxkbmap", "-layout", layouts], check=True)
    x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    x11.XkbLockGroup(display, CORE_KEYBOARD, layouts.count(","))
    x11.XCloseDisplay(display)


def typed(log):
    """Return the symbols that a window got, each with the modifiers that were held."""
    names = (("Shift", 1), ("Control", 4), ("Alt", 8))
    return [
        [symbol, *(name for name, bit in names if int(state, 16) & bit)]
        for state, symbol in PRESSED.findall(log.read_text())
        if symbol not in MODIFIERS
    ]


@pytest.mark.parametrize("layouts", ["us", "ru", "us,ru", "fr", "us,ru,fr"])
def test_keys_are_typed_on_every_keyboard(tmp_path, monkeypatch, layouts):
    """A second group, a digit that needs Shift, a letter that no key of a keyboard has."""
    require("setxkbmap", "xev", packages="x11-xkb-utils")
    log, xev = tmp_path / "log", ["xev", "-geometry", "800x600+0+0", "-event", "keyboard"]
    with x_server() as display, log.open("w") as out:
        monkeypatch.setenv("DISPLAY", display)
        choose(layouts)
        window = subprocess.Popen(["stdbuf", "-oL", *xev], stdout=out)
        try:
            wait_until(lambda: "KeymapNotify" in log.read_text(), 20, "the window to have the keys")
            keyboard = XKeyboard()
            for keys in ("n", "2", "f2", "ctrl+n", "escape", "ü"):
                keyboard.press(keys)
            wait_until(lambda: typed(log)[-1:] == [["udiaeresis"]], 20, "the last letter")
            group = int(keyboard._state().group)
        finally:
            window.kill()
            window.wait()
    digit = ["2", "Shift"] if layouts.endswith("fr") else ["2"]
    assert typed(log) == [["n"], digit, ["F2"], ["n", "Control"], ["Escape"], ["udiaeresis"]]
    assert group == layouts.count(",")


@pytest.mark.parametrize("depth", [8, 16, 30])
def test_on_a_screen_that_gives_no_picture_no_other_game_is_played(depth):
    require()
    with x_server(screen=f"800x600x{depth}") as display:
        env = os.environ | {"DISPLAY": display, "XAUTHORITY": os.devnull}
        env.pop("WAYLAND_DISPLAY", None)
        done = run_bot("play", "--json", env=env)
    assert done.returncode == 1
    (line,) = lines_of(done.stdout)
    assert line["error"] == "NoDesktop"
    assert f"not {depth}" in done.stderr
    assert done.stderr.count("\n") == 1
