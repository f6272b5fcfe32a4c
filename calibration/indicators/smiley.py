"""The face above a board: the second sign of how a game stands.

Many programs keep the face of Windows' Minesweeper: it smiles in play, wears sunglasses when the
game is won and is dead when it is lost. A theme may know these pictures; of any other program
they are learned when the board tells what they mean, and count from the second one on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadCalibration
from calibration.frame import Frame, PixelBox, PixelPoint
from calibration.grid import Grid
from solver.game import Status

SIDE = 12
"""Rows and columns of a face's picture, each value one of 16 levels of grey."""

SAME = 0.6
"""Mean difference in levels up to which two pictures show one face: a scaled one is 0.6 off."""

MARGIN = 0.08
"""How much nearer the right face must be; on two programs' screenshots the wrong ones are 0.26
further off, 0.1 after scaling or a change of brightness."""

GROUND_STEP = 16
"""Colour steps between a button and the ground around it, at least."""

YELLOW = 0.12
"""Share of a face's box that is yellow while a game is on (measured: 0.26 and 0.38)."""

Picture = NDArray[np.float32]
Pixels = NDArray[np.uint8]


class FaceLook(NamedTuple):
    """One picture of a face, `SIDE` rows of hexadecimal digits, and what it says."""

    status: Status
    picture: tuple[str, ...]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> FaceLook:
        """Build it from a TOML table. Raises `BadCalibration`."""
        try:
            look = cls(Status(data["status"]), tuple(data["picture"]))
            if _from_text(look.picture).shape != (SIDE, SIDE):
                raise ValueError(f"its picture is not {SIDE} by {SIDE}")
        except (KeyError, ValueError, TypeError) as error:
            raise BadCalibration(f"A face of the theme cannot be read: {error}.") from error
        return look

    def to_data(self) -> dict[str, Any]:
        """Return a table for TOML; `from_data` reads it back."""
        return {"status": self.status.value, "picture": list(self.picture)}


class Face:
    """The face of one window: knows some pictures, learns others."""

    def __init__(self, looks: Iterable[FaceLook] = ()) -> None:
        self._known = [(look.status, _from_text(look.picture)) for look in looks]
        self.learns = not self._known
        self._mute = False
        self.box: PixelBox | None = None

    @property
    def centre(self) -> PixelPoint | None:
        """Where to click it, None where no face was found."""
        if self.box is None:
            return None
        return PixelPoint((self.box.x0 + self.box.x1) / 2, (self.box.y0 + self.box.y1) / 2)

    def find(self, frame: Frame, grid: Grid) -> None:
        """Look for the face above a board, once it was found no more.

        A program known to have a face has it grey, too.
        """
        if self.box is None:
            self.box = find_face(frame, grid, yellow=self.learns)

    def says(self, frame: Frame) -> Status | None:
        """Tell what the face says; None without a face, or for one not known for sure.

        A single learned picture says nothing: it may be one that never changes.
        """
        if self.box is None or self._mute or len({status for status, _ in self._known}) < 2:
            return None
        seen = picture(frame, self.box)
        off: dict[Status, float] = {}
        for status, known in self._known:
            off[status] = min(_difference(seen, known), off.get(status, 16.0))
        nearest, second, *_ = sorted(off, key=lambda status: off[status])
        # Learned ones are this window's own: on some, faces differ in the eyes alone.
        slack = MARGIN if self.learns else SAME
        sure = off[nearest] <= slack and off[second] - off[nearest] >= MARGIN
        return nearest if sure else None

    def learn(self, frame: Frame, status: Status) -> None:
        """Remember the face of a board at rest whose ``status`` is certain.

        A face that looks alike in play and at an end says nothing, now and ever.
        """
        if self.box is None or not self.learns:
            return
        seen = picture(frame, self.box)
        alike = {known for known, one in self._known if _difference(seen, one) < MARGIN}
        if not alike:
            self._known.append((status, seen))
        self._mute |= not alike <= {status}

    def familiar(self, frame: Frame) -> bool:
        """Whether the face looks as it did before: nothing lies over it."""
        if self.box is None:
            return False
        seen = picture(frame, self.box)
        return any(_difference(seen, one) <= SAME for _, one in self._known)


def find_face(frame: Frame, grid: Grid, *, yellow: bool = True) -> PixelBox | None:
    """Find the button with a face in the middle above a board; None without one.

    It stands out from the ground around it, is about square, a tile or two high, and lies on
    the board's middle line. Another button may do so too: its face must be ``yellow``.
    """
    middle = float(grid.x_lines[[0, -1]].mean())
    side = max(grid.tile_w, grid.tile_h)
    half, reach = max(2.5 * side, 40), max(4 * side, 64)
    bottom, top = round(grid.y0) - 2, max(0, round(grid.y0 - reach))
    left, right = max(0, round(middle - half)), min(frame.width, round(middle + half))
    if bottom - top < 8 or right - left < 8:
        return None
    strip = np.ascontiguousarray(frame.pixels[top:bottom, left:right])
    off = cv2.absdiff(strip, np.broadcast_to(_commonest(strip), strip.shape).copy()).max(axis=2)
    stands_out = (off > GROUND_STEP).astype(np.uint8)
    # The button may stand in a frame of its own: outlines within outlines count, too.
    outlines, _ = cv2.findContours(stands_out, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    for outline in sorted(outlines, key=_height, reverse=True):
        x, y, wide, high = cv2.boundingRect(outline)
        squarish = 0.8 <= wide / high <= 1.25 and max(14, 0.7 * side) <= high <= max(2.6 * side, 44)
        central = abs(left + x + wide / 2 - middle) <= max(0.3 * side, 3)
        smiles = not yellow or _yellow(strip[y : y + high, x : x + wide]) >= YELLOW
        if squarish and central and smiles:
            return PixelBox(left + x, top + y, left + x + wide, top + y + high)
    return None


def picture(frame: Frame, box: PixelBox) -> Picture:
    """Take a face's picture: float32 ``(SIDE, SIDE)``, grey in 16 levels and parts of them."""
    crop = np.ascontiguousarray(frame.pixels[box.y0 : box.y1, box.x0 : box.x1])
    small = cv2.resize(crop, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY) / np.float32(17), dtype=np.float32)


def picture_text(levels: Picture) -> tuple[str, ...]:
    """Write a picture as a theme file has it."""
    return tuple("".join(f"{round(level):x}" for level in row) for row in levels.tolist())


def _from_text(rows: Iterable[str]) -> Picture:
    return np.array([[int(char, 16) for char in row] for row in rows], dtype=np.float32)


def _difference(one: Picture, other: Picture) -> float:
    """Mean difference in levels, whatever the brightness."""
    off = one - other
    return float(np.abs(off - off.mean()).mean())


def _height(outline: cv2.typing.MatLike) -> int:
    return int(cv2.boundingRect(outline)[3])


def _commonest(strip: Pixels) -> Pixels:
    """Return the ground's colour: the commonest one, in steps of 8."""
    codes = (strip // 8).astype(np.int32) @ np.array([1024, 32, 1], dtype=np.int32)
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    return np.asarray(strip.reshape(-1, 3)[first[counts.argmax()]], dtype=np.uint8)


def _yellow(pixels: Pixels) -> float:
    """Share of yellow pixels."""
    red, green, blue = (pixels[..., channel].astype(np.int16) for channel in range(3))
    return float((np.minimum(red, green) - blue > 70).mean())
