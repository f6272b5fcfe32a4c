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
def test_mines_are_found_beside_the_cover_of_a_finished_board(screen: Screen, theme: Theme) -> None:
    """Nothing else is read as a mine, and none is found on a won board."""
    shown = Reader(Calibration(screen.grid, theme)).shown_mines(screen.frame())
    seen = shown != UNREAD
    assert (shown == screen.board.tiles)[seen].all()
    assert seen.any() == (screen.status == "lost")


LOST = [case for case in FINISHED if case[0].status == "lost"]


@pytest.mark.parametrize(
    ("screen", "theme"), [pytest.param(*case, id=case[0].name) for case in LOST]
)
def test_with_a_learned_theme_only_mines_confirmed_by_numbers_are_found(
    screen: Screen, theme: Theme
) -> None:
    """A flag that a lost board does not cross out stands on a mine, too."""
    learned = replace(theme, name=LEARNED)
    shown = Reader(Calibration(screen.grid, learned)).shown_mines(screen.frame())
    seen = shown != UNREAD
    assert np.isin(screen.board.tiles, (Tile.MINE, Tile.EXPLODED, Tile.FLAG))[seen].all()
    numbers = count_neighbours(screen.board.tiles > 0)
    assert (numbers[seen] >= 2).all()


def test_a_board_of_too_many_kinds_of_tiles_shows_no_mines() -> None:
    side, px = 34, 16
    noise = np.random.default_rng(0).integers(0, 256, (side * px, side * px, 3), np.uint8)
    grid = Grid(0.0, 0.0, px, px, side, side)
    shown = Reader(Calibration(grid, Theme(LEARNED, ()))).shown_mines(Frame(noise))
    assert (shown == UNREAD).all()
