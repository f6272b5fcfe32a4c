"""Read the smiley above a board: an indicator of the game's status in addition to the board.

Many programs have the smiley of Windows' Minesweeper: it smiles during the game, wears sunglasses
after a win and is dead after a loss. A theme may hold these pictures. For other programs they are
learned while the board shows the status, and used once there are two of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid, PixelBox, PixelPoint
from calibration.theme import SMILEY_SIDE, SmileyAppearance, levels_of
from solver.game import Status

SAME_PICTURE = 0.6
"""Largest mean difference in levels between pictures of the same smiley; scaling causes 0.6."""

MAY_BE_SAME = 2.8
"""The same for pictures that may show the same smiley: a smoothly enlarged winemine differs by 2.6,
smileys of other programs by 1.2 from those of xdemineur and by 4.1 from those of winemine."""

FACE_MARGIN = 0.08
"""How much nearer the best status must be than the next one. In screenshots of two programs wrong
ones are 0.26 further away, 0.1 after scaling or a change of brightness."""

BACKGROUND_STEP = 16
"""Least difference in colour between a button and the background around it."""

YELLOW_SHARE = 0.12
"""Least share of yellow pixels in the box of a smiley (measured: 0.26 and 0.38)."""

EYES, BETWEEN_EARS = (0.25, 0.6), (0.12, 0.88)
"""Where the eyes of a smiley are, as shares of its height, and its width without the outline, as
shares of the width."""

GLASSES_DARK = 100
"""Colour up to which glasses are dark."""

GLASSES_WIDE = 0.7
"""Least share of the width that glasses cover. In eight drawings with sunglasses they cover 0.82 to
1; in 22 others the eyes cover 0.6 at most, and thin spectacles 0.74."""

GLASSES_HIGH = 0.05
"""Least share of the height that glasses cover: thin spectacles cover a thirtieth."""

Picture = NDArray[np.float32]
Pixels = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Smiley:
    """The smiley of one window: its box, and its pictures for each status, known or learned.

    ``learns``: the theme has no pictures. ``box`` is None until `found` has found it; it is
    searched only once (``sought``). ``ambiguous``: it looks the same for two statuses.
    """

    known: tuple[tuple[Status, Picture], ...] = ()
    learns: bool = True
    box: PixelBox | None = None
    sought: bool = False
    ambiguous: bool = False

    @classmethod
    def of(cls, appearances: Iterable[SmileyAppearance]) -> Smiley:
        """Return the smiley of a theme with these pictures."""
        known = tuple((one.status, levels_of(one.picture)) for one in appearances)
        return cls(known, learns=not known)

    @property
    def centre(self) -> PixelPoint | None:
        """The point to click, None if no smiley was found."""
        if self.box is None:
            return None
        return PixelPoint((self.box.x0 + self.box.x1) / 2, (self.box.y0 + self.box.y1) / 2)

    def found(self, frame: Frame, grid: Grid) -> Smiley:
        """Return the smiley with its place above a board, unless it was already searched.

        If the theme has pictures of it, it need not be yellow.
        """
        if self.sought:
            return self
        return replace(self, box=find_smiley(frame, grid, yellow=self.learns), sought=True)

    def status(self, frame: Frame) -> Status | None:
        """Return the status that the smiley shows; None without a smiley, or if uncertain.

        With pictures of one status only the result is None: the smiley may never change.
        """
        if self.box is None or self.ambiguous or len({status for status, _ in self.known}) < 2:
            return None
        shown = picture(frame, self.box)
        differences: dict[Status, float] = {}
        for status, known in self.known:
            differences[status] = min(_difference(shown, known), differences.get(status, 16.0))
        nearest, second, *_ = sorted(differences, key=lambda status: differences[status])
        # Learned pictures are of this window; in some windows only the eyes of the smiley differ.
        slack = FACE_MARGIN if self.learns else SAME_PICTURE
        certain = (
            differences[nearest] <= slack
            and differences[second] - differences[nearest] >= FACE_MARGIN
        )
        return nearest if certain else None

    def wears_sunglasses(self, frame: Frame) -> bool:
        """Whether the smiley is yellow and wears sunglasses, which means a win in every program."""
        if self.box is None:
            return False
        button = frame.pixels[self.box.y0 : self.box.y1, self.box.x0 : self.box.x1]
        yellow = _yellow(button)
        rows, cols = (np.flatnonzero(yellow.sum(axis=axis) >= 2) for axis in (1, 0))
        if yellow.mean() < YELLOW_SHARE or not (len(rows) and len(cols)):
            return False
        face = button[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
        (top, bottom), (left, right) = (
            (round(low * side), round(high * side))
            for (low, high), side in zip((EYES, BETWEEN_EARS), face.shape, strict=False)
        )
        dark = (face[top:bottom, left:right] <= GLASSES_DARK).all(axis=2).mean(axis=1)
        return bool(np.count_nonzero(dark >= GLASSES_WIDE) >= GLASSES_HIGH * len(face))

    def learning(self, frame: Frame, status: Status) -> Smiley:
        """Return the smiley with its picture beside a board at rest, for a certain status.

        A smiley that looks the same for two statuses is never used again.
        """
        if self.box is None or not self.learns:
            return self
        shown = picture(frame, self.box)
        statuses_alike = {
            known for known, one in self.known if _difference(shown, one) < FACE_MARGIN
        }
        known = self.known if statuses_alike else (*self.known, (status, shown))
        return replace(
            self, known=known, ambiguous=self.ambiguous or not statuses_alike <= {status}
        )

    def knowing(self, other: Smiley) -> Smiley:
        """Return the smiley with the pictures that another one learned before the window moved."""
        if not (self.learns and other.learns):
            return self
        return replace(self, known=other.known, ambiguous=other.ambiguous)

    def at(self, other: Smiley, dx: int, dy: int) -> Smiley:
        """Return the smiley at the place of another one, which the window moved by so many pixels.

        A window that has just moved may be without its smiley for a moment.
        """
        if other.box is None:
            return self
        x0, y0, x1, y1 = other.box
        return replace(self, box=PixelBox(x0 + dx, y0 + dy, x1 + dx, y1 + dy), sought=True)

    def is_known(self, frame: Frame, status: Status | None = None) -> bool:
        """Whether the smiley looks like one of its pictures, so that nothing covers it.

        With a ``status``: like a picture for that status.
        """
        if self.box is None:
            return False
        shown = picture(frame, self.box)
        asked = [one for known, one in self.known if status in (None, known)]
        return any(_difference(shown, one) <= SAME_PICTURE for one in asked)


def shows_smiley(frame: Frame, grid: Grid, appearances: Sequence[SmileyAppearance]) -> bool:
    """Whether one of these smileys may be above a board; True if there are none."""
    if not appearances:
        return True
    if (box := find_smiley(frame, grid, yellow=False)) is None:
        return False
    shown = picture(frame, box)
    return any(_difference(shown, levels_of(one.picture)) <= MAY_BE_SAME for one in appearances)


def find_smiley(frame: Frame, grid: Grid, *, yellow: bool = True) -> PixelBox | None:
    """Find the button with a smiley above the middle of a board; None if there is none.

    It differs from the background, is about square and one or two tiles high, and lies on the
    board's vertical middle line. Other buttons may, too: with ``yellow``, a share of its pixels
    must be yellow.
    """
    middle = float(grid.x_lines[[0, -1]].mean())
    side = max(grid.tile_w, grid.tile_h)
    half, reach = max(2.5 * side, 40), max(4 * side, 64)
    bottom, top = round(grid.y0) - 2, max(0, round(grid.y0 - reach))
    left, right = max(0, round(middle - half)), min(frame.width, round(middle + half))
    if bottom - top < 8 or right - left < 8:
        return None
    strip = np.ascontiguousarray(frame.pixels[top:bottom, left:right])
    differences = cv2.absdiff(strip, np.broadcast_to(_background(strip), strip.shape).copy()).max(
        axis=2
    )
    stands_out = (differences > BACKGROUND_STEP).astype(np.uint8)
    # The button may have a frame around it: outlines within outlines count, too.
    outlines, _ = cv2.findContours(stands_out, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    for outline in sorted(outlines, key=_height, reverse=True):
        x, y, wide, high = cv2.boundingRect(outline)
        squarish = 0.8 <= wide / high <= 1.25 and max(14, 0.7 * side) <= high <= max(2.6 * side, 44)
        central = abs(left + x + wide / 2 - middle) <= max(0.3 * side, 3)
        yellow_enough = (
            not yellow or _yellow(strip[y : y + high, x : x + wide]).mean() >= YELLOW_SHARE
        )
        if squarish and central and yellow_enough:
            return PixelBox(left + x, top + y, left + x + wide, top + y + high)
    return None


def picture(frame: Frame, box: PixelBox) -> Picture:
    """Return the picture in a box: float32 ``(SMILEY_SIDE, SMILEY_SIDE)``, grey levels 0 to 15."""
    crop = np.ascontiguousarray(frame.pixels[box.y0 : box.y1, box.x0 : box.x1])
    small = cv2.resize(crop, (SMILEY_SIDE, SMILEY_SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY) / np.float32(17), dtype=np.float32)


def _difference(one: Picture, other: Picture) -> float:
    """Return the mean difference in levels, ignoring a difference in brightness."""
    differences = one - other
    return float(np.abs(differences - differences.mean()).mean())


def _height(outline: cv2.typing.MatLike) -> int:
    return int(cv2.boundingRect(outline)[3])


def _background(strip: Pixels) -> Pixels:
    """Return the colour of the background: the most frequent one, in steps of 8."""
    codes = (strip // 8).astype(np.int32) @ np.array([1024, 32, 1], dtype=np.int32)
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    return np.asarray(strip.reshape(-1, 3)[first[counts.argmax()]], dtype=np.uint8)


def _yellow(pixels: Pixels) -> NDArray[np.bool_]:
    """Mark yellow pixels."""
    red, green, blue = (pixels[..., channel].astype(np.int16) for channel in range(3))
    return np.asarray(np.minimum(red, green) - blue > 70)
