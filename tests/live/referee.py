"""A witness of play: it records the clicks that reach the server, and how each game ended.

Nothing here uses the code of the bot. Clicks and keys come from the server's RECORD extension;
ends come from the program itself: the titles of its dialogs, or a few pixels that it paints only
at an end.
"""

from __future__ import annotations

import contextlib
import io
import os
import struct
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from Xlib import X
from Xlib.display import Display
from Xlib.ext import record
from Xlib.protocol import rq

from bot.desktop.x11_display import connected
from tests.live.desk import open_camera
from tests.live.programs import Running

Pixels = NDArray[np.uint8]
Sign = Callable[[Pixels], str | None]
"""Finds ``won`` or ``lost`` in a picture of the window; None while a game is under way."""

X_CHANGE_PROPERTY = 18
"""Number of the core request that sets the title of a window, among other things."""


@dataclass(frozen=True)
class Press:
    """A mouse button or a key (``button`` 0) that was pressed, where and when."""

    x: int
    y: int
    button: int
    at: float


def connect(name: str) -> Display:
    """Connect to a display without the file of credentials that python-xlib asks for."""
    os.environ.setdefault("XAUTHORITY", os.devnull)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore", ResourceWarning)  # python-xlib leaves that file open
        return connected(name)


@dataclass(frozen=True)
class Remark:
    """Something the program showed, and when: ``won``, ``lost``, or the title of a window."""

    said: str
    at: float


class Ledger(threading.Thread):
    """Records every button and key pressed on a display, and every window title set there."""

    def __init__(self, display: str) -> None:
        super().__init__(daemon=True)
        self.presses: list[Press] = []
        self.titles: list[Remark] = []
        self._control = connect(display)
        self._data = connect(display)
        self._title = self._control.intern_atom("_NET_WM_NAME")
        self._context = self._data.record_create_context(
            0,
            [record.AllClients],
            [
                {
                    "core_requests": (X_CHANGE_PROPERTY, X_CHANGE_PROPERTY),
                    "core_replies": (0, 0),
                    "ext_requests": (0, 0, 0, 0),
                    "ext_replies": (0, 0, 0, 0),
                    "delivered_events": (0, 0),
                    "device_events": (X.KeyPress, X.ButtonPress),
                    "errors": (0, 0),
                    "client_started": False,
                    "client_died": False,
                }
            ],
        )
        self.start()

    def run(self) -> None:
        """Record until the context is disabled."""
        self._data.record_enable_context(self._context, self._note)
        self._data.record_free_context(self._context)

    def _note(self, reply: rq.Struct) -> None:
        now = time.monotonic()
        if reply.category == record.FromClient:
            self._note_title(bytes(reply.data), now)
        elif reply.category == record.FromServer:
            data = reply.data
            while len(data):
                event, data = rq.EventField(None).parse_binary_value(
                    data, self._data.display, None, None
                )
                if event.type in (X.ButtonPress, X.KeyPress):
                    button = event.detail if event.type == X.ButtonPress else 0
                    self.presses.append(Press(event.root_x, event.root_y, button, now))

    def _note_title(self, request: bytes, now: float) -> None:
        """Read a ChangeProperty request: window, property, type, format, length, the text."""
        if len(request) >= 24:
            name, _, bits, length = struct.unpack_from("<IIB3xI", request, 8)
            if name == self._title and bits == 8:
                text = request[24 : 24 + length].decode("utf-8", "replace")
                self.titles.append(Remark(text, now))

    def close(self) -> None:
        """Stop recording."""
        self._control.record_disable_context(self._context)
        self._control.flush()
        self.join(5)
        self._control.close()
        self._data.close()


class Umpire(threading.Thread):
    """Checks the window of a program again and again, and lists the ends that it showed.

    On a busy machine an end that is shown only briefly may be missed, but whatever is listed was
    shown.
    """

    def __init__(self, running: Running, sign: Sign) -> None:
        super().__init__(daemon=True)
        self.remarks: list[Remark] = []
        self._sign = sign
        self._over = threading.Event()
        self._inside = running.desk.geometry(running.window)
        self._name = running.desk.env["DISPLAY"]
        self.start()

    def run(self) -> None:
        """Check the window every 40 ms; an end counts if it is seen twice in a row."""
        with open_camera(self._name) as camera:
            before = None
            while not self._over.wait(0.04):
                at = time.monotonic()
                said = self._sign(self._look(camera))
                if said is not None and said == before:
                    self.remarks.append(Remark(said, at))
                before = said

    def _look(self, camera: Any) -> Pixels:
        """Grab the window where it lay at the start, as far as it is on the screen."""
        left, top, width, height = self._inside
        screen = camera.monitors[0]
        right, bottom = min(left + width, screen["width"]), min(top + height, screen["height"])
        shot = camera.grab((left, top, right, bottom))
        return np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3)

    def close(self) -> None:
        """Stop, after a last check."""
        time.sleep(0.3)
        self._over.set()
        self.join(5)


def xdemineur_sign(window: Pixels) -> str | None:
    """Return the end by the smiley, a fixed bitmap: sunglasses if won, crosses as eyes if lost."""
    middle = window.shape[1] // 2
    face = window[28:57, middle - 14 : middle + 15]
    yellow = int(((face[..., :2] > 200).all(-1) & (face[..., 2] < 80)).sum())
    return {YELLOW_WON: "won", YELLOW_LOST: "lost"}.get(yellow)


YELLOW_WON, YELLOW_LOST = 506, 588
"""Yellow pixels of the two smileys; during play it has 580 (counted on 14 screenshots)."""


def gnome_mines_sign(window: Pixels) -> str | None:
    """Return a loss by the red star of the exploded mine."""
    red = (window[..., 0] > 180) & (window[..., 1:] < 20).all(-1)
    return "lost" if red.sum() > 20 else None


def sgt_mines_sign(window: Pixels) -> str | None:
    """Return the end by the red tile of the exploded mine, or by the flags set after a win.

    Black pixels show the flags, 0.05 tiles each: no digit below 7 is black, and the bot plays
    without flags here.
    """
    red = ((window[..., 0] > 180) & (window[..., 1:] < 20).all(-1)).astype(np.uint8)
    if cv2.erode(red, np.ones((1, 16))).any():
        return "lost"
    black = int((window.max(-1) < 12).sum())
    return "won" if black > 0.03 * 400 * 10 else None


def winemine_sign(window: Pixels) -> str | None:
    """Return the end by the smiley: sunglasses if won, grey if lost; None below a dialog."""
    middle = window.shape[1] // 2
    face = window[23:48, middle - 12 : middle + 13]
    if not (face == OLIVE).all(-1).any():
        return None
    yellow = int(((face[..., :2] > 200).all(-1) & (face[..., 2] < 80)).sum())
    return {128: "won", 0: "lost"}.get(yellow)


OLIVE = (128, 128, 0)
"""A colour that all of winemine's smileys have."""


SIGNS: dict[str, Sign] = {
    "xdemineur": xdemineur_sign,
    "gnome-mines": gnome_mines_sign,
    "kmines": lambda window: None,
    "sgt-mines": sgt_mines_sign,
    "winemine": winemine_sign,
}
"""How each program shows an end in its window."""

DIALOGS = {
    "gnome-mines": {"Congratulations!": "won"},
    "kmines": {"Reset? ": "lost", "High Scores ": "won"},
}
"""How dialogs show an end, by the beginning of their titles. Only some wins open one."""


@dataclass(frozen=True)
class Witness:
    """All that is recorded while a bot plays."""

    running: Running
    ledger: Ledger
    umpire: Umpire

    def seen(self, begin: float, end: float) -> set[str]:
        """Return every end (``won``, ``lost``) that was shown between two moments."""
        dialogs = DIALOGS.get(self.running.program.name, {})
        remarks = self.umpire.remarks + [
            Remark(meaning, title.at)
            for title in self.ledger.titles
            for start, meaning in dialogs.items()
            if title.said.startswith(start)
        ]
        seen = {remark.said for remark in remarks if begin < remark.at < end}
        if not seen and self.running.program.name == "kmines":
            return {"won"}  # a lost game always asks whether to play it again
        return seen


@contextmanager
def watching(running: Running) -> Iterator[Witness]:
    """Record clicks, titles and ends within the block."""
    ledger = Ledger(running.desk.env["DISPLAY"])
    umpire = Umpire(running, SIGNS.get(running.program.name, lambda _: None))
    try:
        yield Witness(running, ledger, umpire)
    finally:
        umpire.close()
        ledger.close()
