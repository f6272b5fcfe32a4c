"""The eye on the board: finds it on the screen, watches its border, reads it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.boxes import ALIGN, grown, joined, slices, strips
from bot.errors import ScreenGone
from bot.park import parking_place
from bot.ports import Screen
from calibration.calibrate import Calibration, calibrate
from calibration.counter import find_counter
from calibration.errors import CalibrationError
from calibration.frame import Frame, PixelBox, PixelPoint, ScreenPoint
from calibration.grid import Grid
from calibration.reader import Reader, Reading
from calibration.theme import LEARNED, Theme
from solver.board import Board, Cell
from solver.game import Status

Pixels = NDArray[np.uint8]

BLACK = 8
"""Brightest value of a black frame; a lit screen has at least some text or a pointer on it."""

BORDER_SHARE = 0.25
"""Share of the border's pixels that may change before the window counts as moved. A counter or
a line of text close by stays far below, another window or another place far above."""

SAME_LINE = 0.2
"""How far apart the lines of two grids on one lattice may lie, in tiles."""

BORDER_STEP = 24
"""Difference of one channel that counts as changed: over dithering, under any edge."""


@dataclass(frozen=True, eq=False)
class Watch:
    """Where to look: boxes in pixels of the whole screen, and the reader of what is in them.

    ``region`` holds the board and what belongs to it (counter, face, status line), ``tight``
    the board and a narrow border. ``border`` cuts the four strips beside the board out of
    ``tight``, and ``reference`` is what they looked like when the board was found. ``parking``
    is where the pointer is left.
    """

    whole: Calibration
    local: Calibration
    reader: Reader
    region: PixelBox
    tight: PixelBox
    border: tuple[tuple[slice, slice], ...]
    reference: tuple[Pixels, ...]
    parking: ScreenPoint


class Eye:
    """One board on one screen. `find` comes first."""

    def __init__(
        self,
        screen: Screen,
        *,
        near: PixelPoint | None = None,
        mines: int | None = None,
        themes: tuple[Theme, ...] | None = None,
    ) -> None:
        self._screen = screen
        self._near = near
        self._mines = mines
        self._themes = themes
        self._watch: Watch | None = None
        self._seen: Frame | None = None

    @property
    def watch(self) -> Watch:
        """What `find` or `use` found last."""
        assert self._watch is not None, "find the board first"
        return self._watch

    @property
    def seen(self) -> Frame | None:
        """The last picture that was to be read."""
        return self._seen

    @property
    def found(self) -> bool:
        """Whether a board was found yet."""
        return self._watch is not None

    def forget(self) -> None:
        """Drop what was found."""
        self._watch = None

    def keep(self, watch: Watch) -> None:
        """Go back to an earlier watch."""
        self._watch = watch

    def find(self) -> Frame:
        """Find the board on the whole screen, again if need be, and return that picture.

        Raises what `calibrate` raises, and `ScreenGone` for a black screen.
        """
        frame = self.whole()
        calibration = calibrate(frame, near=self._wanted(), mines=self._mines, themes=self._themes)
        self.use(frame, calibration)
        return frame

    def use(self, frame: Frame, calibration: Calibration) -> None:
        """Watch the board that ``calibration`` places in the whole-screen ``frame``."""
        bounds = calibration.grid.bounds
        width, height = bounds.x1 - bounds.x0, bounds.y1 - bounds.y0
        small, large = sorted((calibration.grid.tile_w, calibration.grid.tile_h))
        if calibration.counter is not None:
            # What counts stands by the counter or right above the board; less is less to grab.
            region = grown(joined(bounds, _counter_box(calibration)), round(4 * large), frame)
        else:
            # Side panels and status lines lie up to a third of the board away (measured on five
            # programs: 0.05 to 0.3), and small boards have them at a fixed distance.
            region = grown(bounds, max(280, round(0.35 * max(width, height))), frame)
        tight = grown(bounds, max(4, round(0.3 * small)), frame)
        border = tuple(slices(strip, tight) for strip in strips(bounds, tight))
        seen = frame.pixels[slices(tight, PixelBox(0, 0, 0, 0))]
        local = moved(calibration, -region.x0, -region.y0)
        self._watch = Watch(
            whole=calibration,
            local=local,
            reader=Reader(local),
            region=region,
            tight=tight,
            border=border,
            reference=tuple(seen[strip].copy() for strip in border),
            parking=frame.to_screen(parking_place(frame, calibration.grid)),
        )

    def whole(self) -> Frame:
        """Take a picture of the whole screen. Raises `ScreenGone` if it is black."""
        return _lit(self._screen.grab())

    def look(self) -> Frame:
        """Take a picture of the region. Raises `ScreenGone` if it is black."""
        self._seen = self._screen.grab(self.watch.region)
        return _lit(self._seen)

    def glance(self) -> Pixels:
        """Take a picture of the board and its border only; an empty one if the screen gives none.

        An empty picture is like no other, so whoever compares it looks closer with `look`.
        """
        try:
            return self._screen.grab(self.watch.tight).pixels
        except ScreenGone:
            return np.zeros((0, 0, 3), dtype=np.uint8)

    def surroundings(self) -> Pixels:
        """Take a picture of what lies around the board, the board itself blanked out."""
        frame = self._screen.grab(self.watch.region)
        pixels = frame.pixels.copy()
        pixels[slices(self.watch.whole.grid.bounds, self.watch.region)] = 0
        return pixels

    def read(self, frame: Frame, *, same_game: bool = True) -> Reading:
        """Read the board in a frame of the region. Raises as `Reader.read`."""
        return self.watch.reader.read(frame, same_game=same_game)

    def still_readable(self, screen: Frame, watch: Watch) -> bool:
        """Whether a ``watch`` finds its border and a board it can read in a whole screen."""
        region = Frame(screen.pixels[slices(watch.region, PixelBox(0, 0, 0, 0))])
        tight = region.pixels[slices(watch.tight, watch.region)]
        if border_changed(watch, tight) > BORDER_SHARE:
            return False
        try:
            watch.reader.read(region)
        except CalibrationError:
            return False
        return True

    def learn_face(self, frame: Frame, status: Status) -> None:
        """Remember what the face above the board looks like while a game stands so."""
        self.watch.reader.face.learn(frame, status)

    def tight_of(self, frame: Frame) -> Pixels:
        """Cut the board and its border out of a frame of the region."""
        return frame.pixels[slices(self.watch.tight, self.watch.region)]

    def tile_of(self, tight: Pixels, cell: Cell) -> Pixels:
        """Cut the picture of one cell out of a tight picture."""
        return tight[slices(self.watch.whole.grid.box(cell), self.watch.tight)]

    def border_intact(self, tight: Pixels) -> bool:
        """Whether the border looks as when the board was found: the window did not move."""
        return self.border_changed(tight) <= BORDER_SHARE

    def border_changed(self, tight: Pixels) -> float:
        """Return the share of the border that looks other than when the board was found."""
        return border_changed(self.watch, tight)

    def count_mines(self, frame: Frame, board: Board) -> int | None:
        """Look for the mine counter again, whatever total was believed in; None without one."""
        counter = find_counter(frame, self.watch.local.grid, board.with_mines(None))
        return None if counter is None else counter.total

    def point(self, frame: Frame, cell: Cell) -> ScreenPoint:
        """Return where to click a cell, given a frame of the region."""
        return frame.to_screen(self.watch.local.grid.centre(cell))

    def _wanted(self) -> PixelPoint | None:
        """Return the board asked for, or the one watched last: another may have appeared."""
        if self._watch is None:
            return self._near
        bounds = self._watch.whole.grid.bounds
        return PixelPoint((bounds.x0 + bounds.x1) / 2, (bounds.y0 + bounds.y1) / 2)


def border_changed(watch: Watch, tight: Pixels) -> float:
    """Return the share of a watch's border that looks other than at its beginning."""
    changed = total = 0
    for strip, before in zip(watch.border, watch.reference, strict=True):
        now = tight[strip]
        if now.shape != before.shape:
            return 1.0
        # Only the strips are compared: with the whole board it took 4 ms, now 0.1.
        differs = cv2.absdiff(now, before) > BORDER_STEP if before.size else before
        changed += int(differs.any(axis=2).sum())
        total += before.shape[0] * before.shape[1]
    return changed / max(1, total)


def moved(calibration: Calibration, dx: float, dy: float) -> Calibration:
    """Return the same calibration for a picture whose corner lies ``-dx, -dy`` further."""
    return replace(calibration, grid=calibration.grid.moved(dx, dy))


def known_as(found: Calibration, before: Calibration | None) -> Calibration:
    """Return what was found, with the theme from before if it has none of its own.

    The program is the one it was, whatever its board looks like at the moment.
    """
    if before is None or found.theme.name != LEARNED:
        return found
    return replace(found, theme=before.theme)


def local_calibration(whole: Calibration, screen: Frame, region: Frame) -> Calibration:
    """Return the calibration within ``region``, a cut-out of ``screen`` known by its origin.

    Origins are whole mouse units; that boxes start at multiples of `ALIGN` pixels makes up for
    what the rounding lost.
    """
    dx, dy = (
        ALIGN * round((mine - its) * screen.scale / ALIGN)
        for mine, its in zip(region.origin, screen.origin, strict=True)
    )
    return moved(whole, -dx, -dy)


def same_place(one: Calibration, other: Calibration) -> bool:
    """Whether two calibrations name the same board at the same place, within a pixel or so."""
    a, b = one.grid, other.grid
    return (a.rows, a.cols) == (b.rows, b.cols) and all(
        abs(x - y) <= 1.5
        for x, y in zip(
            (*a.x_lines[[0, -1]], *a.y_lines[[0, -1]]),
            (*b.x_lines[[0, -1]], *b.y_lines[[0, -1]]),
            strict=True,
        )
    )


def same_lattice(one: Grid, other: Grid) -> bool:
    """Whether a grid of another size lies on the same lines where both are.

    So does a piece of a board beside what hides the rest, or a board taken for too large.
    """
    if (one.rows, one.cols) == (other.rows, other.cols):
        return False
    return all(
        len(its := mine[(mine >= lines[0] - pitch / 2) & (mine <= lines[-1] + pitch / 2)]) > 2
        and float(np.abs(its[:, None] - lines).min(axis=1).max()) <= SAME_LINE * pitch
        for mine, lines, pitch in (
            (one.x_lines, other.x_lines, other.tile_w),
            (one.y_lines, other.y_lines, other.tile_h),
        )
    )


def _lit(frame: Frame) -> Frame:
    # Every 7th pixel of every 7th row: text and tiles are larger than that.
    if int(frame.pixels[::7, ::7].max(initial=0)) <= BLACK:
        raise ScreenGone("The screen is black: unlock it or bring the window back.")
    return frame


def _counter_box(calibration: Calibration) -> PixelBox:
    """Return where the counter stands, with the room that text is read with."""
    assert calibration.counter is not None
    box, x, y = calibration.counter.box, round(calibration.grid.x0), round(calibration.grid.y0)
    return PixelBox(box.x0 + x - 64, box.y0 + y - 64, box.x1 + x + 64, box.y1 + y + 64)
