"""Find a board on a picture of the whole screen, at the start and again.

Each function takes what is followed and remembered, and returns what is followed from now on;
nothing is clicked. A window that is dragged, or a page that scrolls, takes its pixels along: most
tiles keep every pixel. This makes it possible to follow a board whose appearances were learned
during the game and which cannot be read from a single picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.errors import ScreenGone
from bot.tracking import places
from bot.tracking.target import Followed, Target
from calibration import Calibration, Frame, Grid, PixelPoint, Reading, ScreenPoint, calibrate
from calibration.classify.recognise import is_of_another_program
from calibration.errors import BoardCovered, CalibrationError, NoGrid, UnreadableTiles
from calibration.theme import LEARNED, Theme
from calibration.tiles import SAME_PIXEL, colour_steps
from solver.board import Board, Cell

UNMOVED = 0.2
"""A window did not move if more than this share of its tiles kept all pixels."""


@dataclass(frozen=True)
class Found:
    """The board was found again: follow ``now``, and read its frames again.

    ``is_other`` says whether its position or theme differs from before. ``said`` is a note for the
    user.
    """

    now: Followed
    is_other: bool = False
    said: str = ""


@dataclass(frozen=True)
class Lost:
    """The board was not found again, and ``why``: what is followed stays as it is."""

    why: CalibrationError | ScreenGone


@dataclass(frozen=True)
class Wanted:
    """Which board to look for.

    With several boards on the screen, ``near`` chooses one, in the units of the mouse.
    ``mines`` is the mine total if it is known; ``themes`` are those to read with, None for all.
    """

    near: ScreenPoint | None = None
    mines: int | None = None
    themes: tuple[Theme, ...] | None = None

    def place_of(self, screen: Frame, followed: Followed | None) -> PixelPoint | None:
        """Return the pixel that chooses the board: the middle of the followed one, or ``near``."""
        if followed is None:
            return self.near and screen.to_pixel(self.near)
        bounds = followed.target.on_screen.grid.bounds
        return PixelPoint((bounds.x0 + bounds.x1) / 2, (bounds.y0 + bounds.y1) / 2)

    def find(self, screen: Frame, followed: Followed | None) -> Calibration:
        """Find the board on the screen, the one ``followed`` if there is one.

        If no board can be read, looks for an exact copy of the followed one at another place.
        Raises what `calibrate` raises.
        """
        near = self.place_of(screen, followed)
        try:
            return calibrate(screen, near=near, mines=self.mines, themes=self.themes)
        except CalibrationError:
            moved = followed and _moved(followed, screen)
            if not moved:
                raise
            return moved

    def find_in_region(self, region: Frame, target: Target) -> Calibration:
        """Calibrate anew on a frame of the region of a board. Raises what `calibrate` raises."""
        grid = target.in_region.grid
        centre = grid.centre(Cell(grid.rows // 2, grid.cols // 2))
        return calibrate(region, near=centre, mines=self.mines, themes=self.themes)


def _moved(followed: Followed, screen: Frame) -> Calibration | None:
    """Find the board that was read last by its pixels; None if it is gone or did not move."""
    if followed.memory.last_read is None:
        return None
    before, board, there = followed.memory.last_read
    grid = moved_copy(before, there, board.open, screen)
    moved = None if grid is None else replace(followed.target.in_region, grid=grid)
    return None if moved is None or places.same_place(moved, followed.target.on_screen) else moved


def follow(old: Followed, screen: Frame, found: Calibration, after: Board | None) -> Found | Lost:
    """Decide whether a board ``found`` on the screen is the followed one, or that one is lost.

    ``after`` is the last board of the game under way, None between games. Whatever still reads the
    open numbers as before is kept: first the old grid and theme, then the found ones.
    """
    new, before = old.at(screen, found), old.target.on_screen
    grid, region = new.target.on_screen.grid, old.target.region_on(screen)
    if after is not None and (grid.rows, grid.cols) != (after.rows, after.cols):
        return Lost(NoGrid("The board in play is not on the screen, only one of another size."))
    if places.same_lattice(grid, before.grid) and not _is_unplayed(new, screen):
        return Lost(BoardCovered("only a part of the board can be seen"))
    if places.same_place(new.target.on_screen, before):
        return _follow_in_place(old, new, screen, after)
    unchanged = old.target.reader.unchanged(region, old.memory.reader)
    unmoved = places.within_half_a_tile(grid, before.grid) and unchanged > UNMOVED
    border = old.target.border_intact(old.target.crop_board(region))
    result, read = old.read(region) if border else (None, old)
    if isinstance(result, Reading) or (unmoved and not _reads_all_numbers(new, screen, after)):
        # The window did not move: the grid just found came from a half-painted board, or from
        # tiles of another size than before.
        return Found(read)
    now = old.at(screen, places.keep_known_theme(new.target.on_screen, before))
    moved = places.same_spacing(grid, before.grid) and not unmoved
    what = "The window moved" if moved else "The size of the tiles changed"
    return Found(now, True, f"{what}; the board is found again.")


def _follow_in_place(old: Followed, new: Followed, screen: Frame, after: Board | None) -> Found:
    """Follow a board that did not move, with the theme and lines just found if only they read it.

    The first ones may be wrong: hidden tiles alone distinguish few themes, and lines may be off by
    a pixel if the window was only partly painted. A theme learned just now counts only during a
    game, whose open numbers must stay as they are. If nothing reads the board, a flash or a dialog
    changed its border, and all that is known is kept.
    """
    found, before = new.target.on_screen, old.target.on_screen
    result, read = old.read(old.target.region_on(screen))
    learned = places.keep_profile(found, before) if old.memory.program_confirmed else found
    for place in dict.fromkeys((learned, places.keep_known_theme(found, before))):
        # A new theme does not help if an indicator contradicts the tiles.
        afresh = place.theme.name == LEARNED
        may_be = after is not None and isinstance(result, UnreadableTiles) if afresh else True
        other = old.at(screen, place)
        if may_be and not isinstance(result, Reading) and _reads(other, screen, after):
            return Found(other, True)
    return Found(read._replace(target=read.target.with_border_of(screen)))


def _reads(followed: Followed, screen: Frame, after: Board | None) -> bool:
    """Whether a board can be read on the screen, with every open number as in ``after``."""
    result, _ = followed.read(followed.target.region_on(screen))
    if not isinstance(result, Reading):
        return False
    return after is None or bool((result.board.tiles == after.tiles)[after.open].all())


def _reads_all_numbers(followed: Followed, screen: Frame, after: Board | None) -> bool:
    """Whether the new lines read every open number of the game as before, so that they are right.

    On some pages a column grows when its first number appears and shifts the columns next to it,
    although the window did not move.
    """
    return after is not None and bool(after.open.any()) and _reads(followed, screen, after)


def _is_unplayed(followed: Followed, screen: Frame) -> bool:
    """Whether all cells are covered, for instance because a person changed the size."""
    result, _ = followed.read(followed.target.region_on(screen), same_game=False)
    return isinstance(result, Reading) and bool(result.board.covered.all())


def follow_recognised(old: Followed, screen: Frame, found: Calibration) -> Found:
    """Decide what to follow after a calibration to recognise the program: its theme or the old one.

    The memory of the result says whether the program is confirmed now.
    """
    new, theme = old.at(screen, found), old.target.on_screen.theme
    found = new.target.on_screen
    if found.theme.name == LEARNED and theme.program != LEARNED:
        nothing_new = not is_of_another_program(screen, found.grid, theme)
    else:
        nothing_new = found.theme.name in (LEARNED, theme.name)
    confirmed = nothing_new or found.theme.program != LEARNED
    is_other, said = not nothing_new and places.same_place(found, old.target.on_screen), ""
    if is_other and found.theme.program != theme.program:
        known = found.theme.program != LEARNED
        said = f"This is {found.theme.program}." if known else f"This is not {theme.program}."
    now = new if is_other else old
    memory = replace(now.memory, program_confirmed=confirmed)
    return Found(now._replace(memory=memory), is_other, said)


EDGE_SHARE = 0.1
"""Width of a tile's edge, which a change of its neighbours may change, as a share of the tile."""

ENOUGH_OPEN_TILES = 6
"""Number of open tiles that is enough to locate a board. If it has fewer, `LEAST_OF_OPEN` of all
tiles must match, because hidden tiles all look the same."""

LEAST_OF_OPEN = 0.9
"""Least share of the open tiles that match: the pointer may be over one."""

LEAST_OF_ALL = 0.5
"""Least share of all tiles that match: the others have been opened since."""


def moved_copy(before: Frame, grid: Grid, opened: NDArray[np.bool_], now: Frame) -> Grid | None:
    """Find a board of ``before`` in another frame; return its grid there, or None.

    ``opened`` ``(rows, cols)`` marks its open tiles.
    """
    x0, y0, x1, y1 = (max(0, side) for side in grid.bounds)
    picture = before.pixels[y0:y1, x0:x1]
    if picture.shape[0] > now.height or picture.shape[1] > now.width:
        return None
    enough_open = opened.sum() >= ENOUGH_OPEN_TILES
    compared, insides = np.zeros(picture.shape[:2], np.uint8), []
    edge = round(EDGE_SHARE * grid.tile_w)
    for cell in np.ndindex(*opened.shape):
        box = grid.box(Cell(*cell))
        left, top, right, bottom = box.x0 - x0, box.y0 - y0, box.x1 - x0, box.y1 - y0
        compared[top:bottom, left:right] |= opened[cell] or not enough_open
        insides.append(np.s_[top + edge : bottom - edge, left + edge : right - edge])
    grey, screen = (cv2.cvtColor(one, cv2.COLOR_RGB2GRAY) for one in (picture, now.pixels))
    off = cv2.matchTemplate(screen, grey, cv2.TM_SQDIFF, mask=compared)
    _, _, (x, y), _ = cv2.minMaxLoc(off)
    here = now.pixels[y : y + picture.shape[0], x : x + picture.shape[1]]
    changed = colour_steps(here, picture) > SAME_PIXEL
    same = np.array([not changed[inside].any() for inside in insides])
    if same.mean() < (LEAST_OF_ALL if enough_open else LEAST_OF_OPEN):
        return None
    if enough_open and same[opened.ravel()].mean() < LEAST_OF_OPEN:
        return None
    return grid.moved(x - x0, y - y0)
