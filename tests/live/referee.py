"""A witness beside the bot: it sees the clicks the server got and how the program says it ended.

Nothing here uses the product's eyes. Clicks and keys come from the server's RECORD extension,
ends from the program's own signs: titles of its dialogs, or a few pixels that only an end
paints.
"""

from __future__ import annotations

import contextlib
import io
import os
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
from Xlib.error import BadWindow
from Xlib.ext import record
from Xlib.protocol import rq

from tests.live.desk import open_camera
from tests.live.programs import Running

Pixels = NDArray[np.uint8]
Sign = Callable[[Pixels, frozenset[str]], str | None]
"""Tells ``won`` or ``lost``, from a picture of the window's inside and the titles of all."""


@dataclass(frozen=True)
class Press:
    """A mouse button that went down, or a key (``button`` 0), and when."""

    x: int
    y: int
    button: int
    at: float


def connect(name: str) -> Display:
    """Connect to a display without a file of credentials, which python-xlib insists on."""
    os.environ.setdefault("XAUTHORITY", os.devnull)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves that file open
        return Display(name)


class Ledger(threading.Thread):
    """Writes down every button and key that goes down on a display, until closed."""

    def __init__(self, display: str) -> None:
        super().__init__(daemon=True)
        self.presses: list[Press] = []
        self._control = connect(display)
        self._data = connect(display)
        self._context = self._data.record_create_context(
            0,
            [record.AllClients],
            [
                {
                    "core_requests": (0, 0),
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
        """Listen until the context is disabled."""
        self._data.record_enable_context(self._context, self._note)
        self._data.record_free_context(self._context)

    def _note(self, reply: rq.Struct) -> None:
        data = reply.data
        while reply.category == record.FromServer and len(data):
            event, data = rq.EventField(None).parse_binary_value(
                data, self._data.display, None, None
            )
            if event.type in (X.ButtonPress, X.KeyPress):
                button = event.detail if event.type == X.ButtonPress else 0
                self.presses.append(Press(event.root_x, event.root_y, button, time.monotonic()))

    def close(self) -> None:
        """Stop listening."""
        self._control.record_disable_context(self._context)
        self._control.flush()
        self.join(5)
        self._control.close()
        self._data.close()


class Umpire(threading.Thread):
    """Watches a program's own signs and lists how its games ended."""

    def __init__(self, running: Running, sign: Sign) -> None:
        super().__init__(daemon=True)
        self.ends: list[str] = []
        self._sign = sign
        self._inside = running.desk.geometry(running.window)
        self._name = running.desk.env["DISPLAY"]
        self._display = connect(self._name)
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        """Look every 40 ms; an end that is seen twice running counts, once."""
        with open_camera(self._name) as camera:
            before = counted = None
            while not self._over.wait(0.04):
                said = self._sign(self._look(camera), frozenset(window_titles(self._display)))
                if said == before != counted:
                    counted = said
                    self.ends += [said] if said else []
                before = said

    def _look(self, camera: Any) -> Pixels:
        """Take a picture of the window as it lay when the watch began."""
        left, top, width, height = self._inside
        shot = camera.grab((left, top, left + width, top + height))
        return np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3)

    def close(self) -> None:
        """Stop watching."""
        time.sleep(0.3)  # the last end has to be seen twice, too
        self._over.set()
        self.join(5)
        self._display.close()


def window_titles(display: Display) -> Iterator[str]:
    """Walk over the titles of the windows the window manager shows."""
    wanted = display.intern_atom("_NET_CLIENT_LIST")
    name = display.intern_atom("_NET_WM_NAME")
    clients = display.screen().root.get_full_property(wanted, X.AnyPropertyType)
    for number in clients.value if clients else ():
        try:
            told = display.create_resource_object("window", number).get_full_property(
                name, X.AnyPropertyType
            )
        except BadWindow:
            continue
        if told:
            value = told.value
            yield value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def xdemineur_sign(window: Pixels, titles: frozenset[str]) -> str | None:
    """Tell by its face, a fixed bitmap: sunglasses when won, crosses for eyes when lost."""
    middle = window.shape[1] // 2
    face = window[28:57, middle - 14 : middle + 15]
    yellow = int(((face[..., :2] > 200).all(-1) & (face[..., 2] < 80)).sum())
    return {YELLOW_WON: "won", YELLOW_LOST: "lost"}.get(yellow)


YELLOW_WON, YELLOW_LOST = 506, 588
"""Yellow pixels of the two faces; the one in play has 580 (counted on 14 screenshots)."""


def gnome_mines_sign(window: Pixels, titles: frozenset[str]) -> str | None:
    """Tell by the red star of the exploded mine, or by the dialog that congratulates."""
    red = (window[..., 0] > 180) & (window[..., 1:] < 20).all(-1)
    if red.sum() > 20:
        return "lost"
    return "won" if "Congratulations!" in titles else None


def kmines_sign(window: Pixels, titles: frozenset[str]) -> str | None:
    """Tell by the dialogs: to reset a lost game, to enter a score when won."""
    if any(title.startswith("Reset?") for title in titles):
        return "lost"
    return "won" if any("Score" in title for title in titles) else None


def sgt_mines_sign(window: Pixels, titles: frozenset[str]) -> str | None:
    """Tell by the exploded mine's red tile, or by the flags it sets itself when won.

    The black of the flags counts, 0.05 tiles each; no digit under 7 is black, and the bot
    plays without flags here.
    """
    red = ((window[..., 0] > 180) & (window[..., 1:] < 20).all(-1)).astype(np.uint8)
    if cv2.erode(red, np.ones((1, 16))).any():
        return "lost"
    black = int((window.max(-1) < 12).sum())
    return "won" if black > 0.03 * 400 * 10 else None


def winemine_sign(window: Pixels, titles: frozenset[str]) -> str | None:
    """Tell by its face: sunglasses when won, grey when lost."""
    middle = window.shape[1] // 2
    face = window[23:48, middle - 12 : middle + 13]
    yellow = int(((face[..., :2] > 200).all(-1) & (face[..., 2] < 80)).sum())
    return {128: "won", 0: "lost"}.get(yellow)


SIGNS: dict[str, Sign] = {
    "xdemineur": xdemineur_sign,
    "gnome-mines": gnome_mines_sign,
    "kmines": kmines_sign,
    "sgt-mines": sgt_mines_sign,
    "winemine": winemine_sign,
}


@contextmanager
def watching(running: Running) -> Iterator[tuple[Ledger, Umpire]]:
    """Have clicks written down and ends watched for."""
    ledger = Ledger(running.desk.env["DISPLAY"])
    umpire = Umpire(running, SIGNS[running.program.name])
    try:
        yield ledger, umpire
    finally:
        umpire.close()
        ledger.close()
