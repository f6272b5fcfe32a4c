"""A witness of play: the clicks and keys that were received, and how each game ended.

Nothing here uses the code of the bot. Ends come from the program itself: the titles of its
dialogs, or a few pixels that it paints only at an end.
"""

import time
from contextlib import closing, contextmanager
from typing import NamedTuple

import cv2
import numpy as np

from tests.live.ledger import Ledger, NativeLedger, Remark, Watcher
from tests.live.programs import Running


class Umpire(Watcher):
    """Looks at the window of a program again and again, and lists the ends that it showed.

    On a busy machine an end that is shown only briefly may be missed, but whatever is listed was
    shown: it was seen twice in a row.
    """

    every_s = 0.04

    def __init__(self, eye, sign):
        super().__init__()
        self.remarks: list[Remark] = []
        self._eye, self._sign = eye, sign
        self._before: str | None = None
        self.start()

    def run(self):
        with self._eye as self._see:
            super().run()

    def look(self):
        at = time.monotonic()
        said = self._sign(self._see())
        if said is not None and said == self._before:
            self.remarks.append(Remark(said, at))
        self._before = said

    def close(self):
        """Stop, after some last pictures."""
        time.sleep(0.4)
        super().close()


def yellow_in(face):
    return int(((face[..., :2] > 200).all(-1) & (face[..., 2] < 80)).sum())


def xdemineur_sign(window):
    """Return the end by the smiley, a fixed bitmap: sunglasses if won, crosses as eyes if lost."""
    middle = window.shape[1] // 2
    face = window[28:57, middle - 14 : middle + 15]
    # Yellow pixels, counted on 14 screenshots; during play it has 580.
    return {506: "won", 588: "lost"}.get(yellow_in(face))


def red_in(window):
    return (window[..., 0] > 180) & (window[..., 1:] < 20).all(-1)


def gnome_mines_sign(window):
    """Return a loss by the red star of the exploded mine."""
    return "lost" if red_in(window).sum() > 20 else None


def sgt_mines_sign(window):
    """Return the end by the red tile of the exploded mine, or by the flags set after a win.

    Black pixels show the flags, 0.05 tiles each: no digit below 7 is black, and the bot plays
    without flags here.
    """
    if cv2.erode(red_in(window).astype(np.uint8), np.ones((1, 16))).any():
        return "lost"
    black = int((window.max(-1) < 12).sum())
    return "won" if black > 0.03 * 400 * 10 else None


def winemine_sign(window):
    """Return the end by the smiley: sunglasses if won, grey if lost; None below a dialog."""
    middle = window.shape[1] // 2
    face = window[23:48, middle - 12 : middle + 13]
    if not (face == (128, 128, 0)).all(-1).any():  # an olive that all its smileys have
        return None
    return {128: "won", 0: "lost"}.get(yellow_in(face))


SIGNS = {
    "xdemineur": xdemineur_sign,
    "gnome-mines": gnome_mines_sign,
    "kmines": lambda window: None,
    "sgt-mines": sgt_mines_sign,
    "winemine": winemine_sign,
}
"""Finds the end, ``won`` or ``lost``, in a picture of each program's window."""

DIALOGS = {
    "gnome-mines": {"Congratulations!": "won"},
    "kmines": {"Reset? ": "lost", "High Scores ": "won"},
}
"""How dialogs show an end, by the beginning of their titles. Only some wins open one."""


class Witness(NamedTuple):
    running: Running
    ledger: Ledger | NativeLedger
    umpire: Umpire

    def seen(self, begin, end):
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
def watching(running):
    desk, sign = running.desk, SIGNS.get(running.program.name, lambda _: None)
    with (
        closing(desk.ledger(running.window, running.process)) as ledger,
        closing(Umpire(desk.eye(running.window), sign)) as umpire,
    ):
        yield Witness(running, ledger, umpire)
