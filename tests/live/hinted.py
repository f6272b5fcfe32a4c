"""The marks that `minebot watch --overlay` draws: what is seen of them, and what they should be.

The game's window is also seen without them: the X server keeps its picture apart (extension
Composite), while it shows on the screen what it always would.
"""

from typing import Any

import numpy as np
from Xlib.ext import composite

from bot.watch.hints import GUESS_COLOUR, MINE_COLOUR, SAFE_COLOUR
from solver.agents import make_agent
from solver.agents.tank import decide
from solver.analysis import analyse_likely
from solver.board import Cell, Tile
from tests.live.ledger import connect, pixels_of
from tests.live.session import wait_still

KINDS = {"safe": SAFE_COLOUR, "mine": MINE_COLOUR, "guess": GUESS_COLOUR}
LEAST_PIXELS = 8  # pixels of a colour in a tile that make a mark; every mark has more of them


def marked(picture, grid):
    """Return the kind of mark that a picture of the screen shows on each cell that has one."""
    seen = {}
    for kind, colour in KINDS.items():
        there = has_colour(picture, colour)
        for row, col in np.ndindex(grid.rows, grid.cols):
            box = grid.box(Cell(row, col))
            if there[box.y0 : box.y1, box.x0 : box.x1].sum() >= LEAST_PIXELS:
                seen[Cell(row, col)] = kind
    return seen


def any_marks(picture):
    """Count the pixels of a picture that have the colour of a mark."""
    return sum(int(has_colour(picture, colour).sum()) for colour in KINDS.values())


def has_colour(picture, colour):
    return (picture == np.array(colour, np.uint8)).all(axis=2)


def should_be_marked(board):
    """Return the marks that the board under way should have."""
    known, decision = analyse_likely(board), decide(make_agent("deep"), board)
    if board.covered.sum() == len(known.mines):
        return {}  # won, even if the program does not say so
    marks = dict.fromkeys(known.safe, "safe") | dict.fromkeys(known.mines, "mine")
    if not decision.certain:
        marks |= {move.cell: "guess" for move in decision.moves}
    return {cell: kind for cell, kind in marks.items() if board[cell] != Tile.FLAG}


class Painted:
    """A window as its program paints it, whatever lies over it."""

    def __init__(self, display, window):
        self._display = connect(display)
        self._window: Any = self._display.create_resource_object("window", window)
        self._window.composite_redirect_window(composite.RedirectAutomatic)
        self._display.sync()

    def look(self):
        """Take a picture of its inside, RGB."""
        pixmap = self._window.composite_name_window_pixmap()
        picture = pixels_of(pixmap, self._window.get_geometry().border_width)
        pixmap.free()
        return picture

    def close(self):
        self._display.close()


class CleanDesk:
    """A desk on whose pictures the game's window is seen without what lies over it."""

    def __init__(self, desk, window):
        self._desk, self._window = desk, window
        self._painted = Painted(desk.env["DISPLAY"], window)
        self.close = self._painted.close

    def __getattr__(self, name):
        return getattr(self._desk, name)

    def grab(self):
        picture = self._desk.grab()
        left, top, width, height = self._desk.geometry(self._window)
        picture[top : top + height, left : left + width] = self._painted.look()
        return picture

    def wait_stable(self, still_s=0.4, limit_s=20):
        return wait_still(self.grab, still_s, limit_s)
