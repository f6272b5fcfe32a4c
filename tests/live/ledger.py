"""What was pressed on a desk, and which titles its windows were given.

Nothing here uses the code of the bot. On an X server the extension RECORD shows clicks, keys and
titles. A native program of Wayland writes its own protocol log (``WAYLAND_DEBUG``): each click and
key that it received, each title that it set.
"""

import contextlib
import io
import os
import re
import struct
import threading
import time
import warnings
from typing import NamedTuple

import numpy as np
from Xlib import X
from Xlib.ext import record
from Xlib.protocol import rq

from bot.desktop.x11_display import connected

X_CHANGE_PROPERTY = 18
"""Number of the core request that sets the title of a window, among other things."""


class Press(NamedTuple):
    """A mouse button or a key (``button`` 0) that was pressed, where and when."""

    x: int
    y: int
    button: int
    at: float


class Remark(NamedTuple):
    """Something the program showed, and when: ``won``, ``lost``, or the title of a window."""

    said: str
    at: float


def connect(name):
    """Connect to a display without the file of credentials that python-xlib asks for."""
    os.environ.setdefault("XAUTHORITY", os.devnull)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore", ResourceWarning)  # python-xlib leaves that file open
        return connected(name)


def pixels_of(drawable, border=0):
    """Take a picture of what an X window or pixmap holds, RGB."""
    inside = drawable.get_geometry()
    width, height = inside.width - 2 * border, inside.height - 2 * border
    image = drawable.get_image(border, border, width, height, X.ZPixmap, 0xFFFFFFFF)
    return np.frombuffer(image.data, np.uint8).reshape(height, width, 4)[..., 2::-1]


class Watcher(threading.Thread):
    """Has a look every ``every_s``."""

    every_s = 0.1

    def __init__(self):
        super().__init__(daemon=True)
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(self.every_s):
            self.look()

    def close(self):
        self.over.set()
        self.join(5)


class Ledger(threading.Thread):
    """Records every button and key pressed on a display, and every window title set there."""

    def __init__(self, display):
        super().__init__(daemon=True)
        self.presses: list[Press] = []
        self.titles: list[Remark] = []
        self._control = connect(display)
        self._data = connect(display)
        self._title = self._control.intern_atom("_NET_WM_NAME")
        wanted = {
            **dict.fromkeys(("core_replies", "delivered_events", "errors"), (0, 0)),
            **dict.fromkeys(("ext_requests", "ext_replies"), (0, 0, 0, 0)),
            **dict.fromkeys(("client_started", "client_died"), False),
            "core_requests": (X_CHANGE_PROPERTY, X_CHANGE_PROPERTY),
            "device_events": (X.KeyPress, X.ButtonPress),
        }
        self._context = self._data.record_create_context(0, [record.AllClients], [wanted])
        self.start()

    def run(self):
        self._data.record_enable_context(self._context, self._note)
        self._data.record_free_context(self._context)

    def _note(self, reply):
        now = time.monotonic()
        if reply.category == record.FromClient:
            # A ChangeProperty request: window, property, type, format, length, the text.
            request = bytes(reply.data)
            if len(request) >= 24:
                name, _, bits, length = struct.unpack_from("<IIB3xI", request, 8)
                if name == self._title and bits == 8:
                    text = request[24 : 24 + length].decode("utf-8", "replace")
                    self.titles.append(Remark(text, now))
        elif reply.category == record.FromServer:
            data = reply.data
            while len(data):
                event, data = rq.EventField(None).parse_binary_value(
                    data, self._data.display, None, None
                )
                if event.type in (X.ButtonPress, X.KeyPress):
                    button = event.detail if event.type == X.ButtonPress else 0
                    self.presses.append(Press(event.root_x, event.root_y, button, now))

    def close(self):
        self._control.record_disable_context(self._context)
        self._control.flush()
        self.join(5)
        self._control.close()
        self._data.close()


EVENT = re.compile(rb"\[ *[\d.]+\] +(?:\{.*?\} )?(-> )?(\w+)[@#](\d+)\.(\w+)\((.*)\)")
BUTTONS = {b"272": 1, b"273": 3, b"274": 2}


class NativeLedger(Watcher):
    """Stores every button and key that a native program receives, and every title that it sets.

    Points are in mouse units of the screen, computed from where the window's ``inside`` lay at the
    start; a click on any other surface of the program is stored at -1, -1.
    """

    every_s = 0.005

    def __init__(self, log, inside):
        super().__init__()
        self.presses: list[Press] = []
        self.titles: list[Remark] = []
        self._log, self._inside = log, inside
        self._main = self._over_what = b""
        self._shadow = self._at = (0.0, 0.0)
        self._xdg: dict[bytes, bytes] = {}
        self._read = 0
        self.look()
        self.presses.clear()  # those before the start
        self.start()

    def look(self):
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
                self._note_event(interface, name, values, now)

    def _note_request(self, interface, number, name, values, now):
        if name == b"get_xdg_surface":
            self._xdg[_number(values[0])] = _number(values[1])
        elif name == b"get_toplevel" and not self._main:
            self._main = self._xdg[number]
        elif name == b"set_window_geometry" and self._xdg.get(number) == self._main:
            self._shadow = (float(values[0]), float(values[1]))
        elif interface == b"xdg_toplevel" and name == b"set_title":
            self.titles.append(Remark(b",".join(values).decode("utf-8", "replace").strip('"'), now))

    def _note_event(self, interface, name, values, now):
        match interface, name:
            case b"wl_pointer", b"enter":
                self._over_what, self._at = _number(values[1]), (float(values[2]), float(values[3]))
            case b"wl_pointer", b"motion":
                self._at = (float(values[1]), float(values[2]))
            case b"wl_pointer", b"button" if values[3] == b"1":
                self.presses.append(Press(*self._place(), BUTTONS[values[2]], now))
            case b"wl_keyboard", b"key" if values[3] == b"1":
                self.presses.append(Press(*self._place(), 0, now))

    def _place(self):
        if self._over_what != self._main:
            return -1, -1
        across, down = (at - shadow for at, shadow in zip(self._at, self._shadow, strict=True))
        return int(self._inside[0] + across), int(self._inside[1] + down)

    def close(self):
        super().close()
        self.look()


def _number(value):
    """Return the number of an object in the log, such as that of ``wl_surface@20``."""
    return re.split(rb"[@#]", value)[-1]
