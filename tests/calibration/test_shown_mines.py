"""The mines of a lost board are found even if a part of it is covered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.reader import Reader
from calibration.rules import UNREAD
from calibration.theme import LEARNED, Theme, builtin_themes
from solver.board import Tile, count_neighbours
from tests.calibration.screens import FIXTURES, Screen, labelled

FINISHED = [
    (screen, theme)
    for screen in labelled(FIXTURES) + labelled(FIXTURES, covered=True)
    for theme in builtin_themes()
    if theme.name == f"{screen.program}/{screen.theme}" and screen.status != "playing"
]


@pytest.mark.parametrize(
    ("screen", "theme"), [pytest.param(*case, id=case[0].name) for case in FINISHED]
)
def test_mines_are_found_beside_the_cover_of_a_lost_board_and_of_no_other(
    screen: Screen, theme: Theme
) -> None:
    """With a learned theme only those that numbers confirm; a flag may stand on one, too."""
    frame, board = screen.frame(), screen.board.tiles
    shown = Reader(Calibration(screen.grid, theme)).shown_mines(frame)
    seen = shown != UNREAD
    assert (shown == board)[seen].all()
    assert seen.any() == (screen.status == "lost")
    if screen.status == "lost":
        learned = Reader(Calibration(screen.grid, replace(theme, name=LEARNED)))
        seen = learned.shown_mines(frame) != UNREAD
        assert np.isin(board, (Tile.MINE, Tile.EXPLODED, Tile.FLAG))[seen].all()
        assert (count_neighbours(board > 0)[seen] >= 2).all()


def test_a_board_of_too_many_kinds_of_tiles_shows_no_mines() -> None:
    side, px = 34, 16
    noise = np.random.default_rng(0).integers(0, 256, (side * px, side * px, 3), np.uint8)
    grid = Grid(0.0, 0.0, px, px, side, side)
    shown = Reader(Calibration(grid, Theme(LEARNED, ()))).shown_mines(Frame(noise))
    assert (shown == UNREAD).all()
