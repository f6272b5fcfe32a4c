"""A witness on a Wayland desktop: the input that a program received, and what its window showed.

A native program writes its own protocol log (``WAYLAND_DEBUG``): each click and key that it
received, each title that it set. An X11 program is watched on Xwayland as on any X server. Nothing
here uses the product's own reading.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from Xlib import Xatom

from tests.live.programs import Running
from tests.live.referee import SIGNS, Ledger, Pixels, Press, Remark, Witness, connect
from tests.live.session import wait_until

EVENT = re.compile(rb"\[ *[\d.]+\] +(?:\{.*?\} )?(-> )?(\w+)[@#](\d+)\.(\w+)\((.*)\)")
LEFT, RIGHT, MIDDLE = 272, 273, 274
BUTTONS = {LEFT: 1, MIDDLE: 2, RIGHT: 3}


class NativeLedger(threading.Thread):
    """Stores every button and key that a native program receives, and every title that it sets.

    Points are in mouse units of the screen, computed from where the window lay at the start; a
    click on any other surface of the program is stored at -1, -1.
    """

    def __init__(self, running: Running) -> None:
        super().__init__(daemon=True)
        self.presses: list[Press] = []
        self.titles: list[Remark] = []
        self._log = running.desk.logs[running.process.pid]
        self._inside = running.desk.geometry(running.window)
        self._shadow = (0.0, 0.0)
        self._main = self._over = b""
        self._xdg: dict[bytes, bytes] = {}
        self._at = (0.0, 0.0)
        self._closing = threading.Event()
        self._read = 0
        self._catch_up(past=True)
        self.start()

    def run(self) -> None:
        """Read the log as it grows."""
        while not self._closing.wait(0.005):
            self._catch_up()

    def _catch_up(self, *, past: bool = False) -> None:
        with self._log.open("rb") as log:
            log.seek(self._read)
            new = log.read()
        whole = new.rpartition(b"\n")[0]
        self._read += len(whole) + 1 if whole else 0
        now = time.monotonic()
        for match in EVENT.finditer(whole):
            request, interface, number, name, arguments = match.groups()
            values = [value.strip() for value in arguments.split(b",")]
            if request:
                self._note_request(interface, number, name, values, now)
            else:
                self._note_event(interface, name, values, now, past=past)

    def _note_request(
        self, interface: bytes, number: bytes, name: bytes, values: list[bytes], now: float
    ) -> None:
        if name == b"get_xdg_surface":
            self._xdg[_number(values[0])] = _number(values[1])
        elif name == b"get_toplevel" and not self._main:
            self._main = self._xdg[number]
        elif name == b"set_window_geometry" and self._xdg.get(number) == self._main:
            self._shadow = (float(values[0]), float(values[1]))
        elif interface == b"xdg_toplevel" and name == b"set_title":
            self.titles.append(Remark(b",".join(values).decode("utf-8", "replace").strip('"'), now))

    def _note_event(
        self, interface: bytes, name: bytes, values: list[bytes], now: float, *, past: bool
    ) -> None:
        if interface == b"wl_pointer" and name == b"enter":
            self._over, self._at = _number(values[1]), (float(values[2]), float(values[3]))
        elif interface == b"wl_pointer" and name == b"motion":
            self._at = (float(values[1]), float(values[2]))
        elif interface == b"wl_pointer" and name == b"button" and values[3] == b"1" and not past:
            self.presses.append(Press(*self._place(), BUTTONS[int(values[2])], now))
        elif interface == b"wl_keyboard" and name == b"key" and values[3] == b"1" and not past:
            self.presses.append(Press(*self._place(), 0, now))

    def _place(self) -> tuple[int, int]:
        if self._over != self._main:
            return -1, -1
        left, top, _, _ = self._inside
        across, down = (at - shadow for at, shadow in zip(self._at, self._shadow, strict=True))
        return int(left + across), int(top + down)

    def close(self) -> None:
        """Read the rest of the log and stop."""
        self._closing.set()
        self.join(5)
        self._catch_up()


def _number(value: bytes) -> bytes:
    """Return the number of an object in the log, such as that of ``wl_surface@20``."""
    return re.split(rb"[@#]", value)[-1]


class WaylandUmpire(threading.Thread):
    """Looks at a program's own sign of the result again and again, and lists what it showed.

    Pictures of an X11 window come from Xwayland, in the program's own pixels; those of a native
    one come from grim, at the scale of the screen.
    """

    def __init__(self, running: Running) -> None:
        super().__init__(daemon=True)
        self.remarks: list[Remark] = []
        self._sign = SIGNS[running.program.name]
        self._running = running
        self._over = threading.Event()
        left, top, width, height = running.desk.geometry(running.window)
        self._place = f"{left},{top} {width}x{height}"
        self._x_window: Any = None
        if not running.desk.is_native(running.window):
            self._x_window = find_window(running)
        self.start()

    def run(self) -> None:
        """Look every 100 ms; what is seen twice in a row counts."""
        before = None
        while not self._over.wait(0.1):
            at = time.monotonic()
            said = self._sign(self._look())
            if said is not None and said == before:
                self.remarks.append(Remark(said, at))
            before = said

    def _look(self) -> Pixels:
        if self._x_window is None:
            return self._running.desk.grab_at(self._place, 1)
        inside = self._x_window.get_geometry()
        image = self._x_window.get_image(0, 0, inside.width, inside.height, 2, 0xFFFFFFFF)
        pixels = np.frombuffer(image.data, np.uint8).reshape(inside.height, inside.width, 4)
        return pixels[..., 2::-1]

    def close(self) -> None:
        """Stop watching, after some last pictures."""
        time.sleep(0.4)
        self._over.set()
        self.join(5)
        if self._x_window is not None:
            self._x_window.display.close()


def find_window(running: Running) -> Any:
    """Return the X window of a program on Xwayland."""
    with running.desk.as_user():
        display = connect(running.desk.env["DISPLAY"])

    def look() -> Any:
        for window in display.screen().root.query_tree().children:
            # python-xlib's own get_wm_class fails on xdemineur's, which is Latin-1.
            answer = window.get_full_property(Xatom.WM_CLASS, Xatom.STRING)
            text = "" if answer is None else answer.value
            text = text.decode("latin-1") if isinstance(text, bytes) else text
            if running.program.window_class in text.split("\0"):
                return window
        return None

    return wait_until(look, 10, "the window on Xwayland")


@contextmanager
def watching_wayland(running: Running) -> Iterator[Witness]:
    """Store clicks and titles, and watch for the ends of games."""
    if running.desk.is_native(running.window):
        ledger: Ledger | NativeLedger = NativeLedger(running)
    else:
        with running.desk.as_user():
            ledger = Ledger(running.desk.env["DISPLAY"])
    umpire = WaylandUmpire(running)
    try:
        yield Witness(running, ledger, umpire)
    finally:
        umpire.close()
        ledger.close()
