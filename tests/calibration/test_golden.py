"""Real screenshots must read exactly, with a theme file and without.

Those of ``browser`` show web pages with appearances, fonts and symbols that no theme describes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import Recognition, recognise
from calibration.errors import Unreadable
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.reader import read
from calibration.theme import Theme, builtin_themes
from tests.calibration.screens import FIXTURES, Screen, labelled, without_program

SCREENS = labelled(FIXTURES)
COVERED = labelled(FIXTURES, covered=True)

# Appearances that cannot be learned from a single frame: a six whose loop is closed by blurring,
# a small question mark beside a flag. They must stay unread and never be read as something else.
UNREAD_WITHOUT_THEME = 2


def name(screen: Screen) -> str:
    return screen.name


def tiles_read(
    frame: Frame, grid: Grid, themes: Sequence[Theme] | None
) -> tuple[Recognition, NDArray[np.bool_]]:
    """Return the recognition, and a mask of the tiles below the margin."""
    seen = recognise(frame, grid, themes=themes)
    doubtful = seen.confidence < MARGIN
    return seen, doubtful


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", sorted({screen.program for screen in SCREENS}))
def test_a_deleted_theme_file_costs_no_wrong_tile(program: str) -> None:
    themes = without_program(builtin_themes(), program)
    unread = 0
    for screen in (screen for screen in SCREENS if screen.program == program):
        seen, doubtful = tiles_read(screen.frame(), screen.grid, themes)
        assert not ((seen.tiles != screen.board.tiles) & ~doubtful).any(), screen.name
        unread += int(doubtful.sum())
    assert unread <= UNREAD_WITHOUT_THEME


@pytest.mark.slow
@pytest.mark.sampled(22)
@pytest.mark.parametrize("screen", COVERED, ids=name)
@pytest.mark.parametrize("known", [True, False], ids=["theme", "no theme"])
def test_a_cover_is_noticed(screen: Screen, known: bool) -> None:
    theme = recognise(screen.frame(), screen.grid).theme if known else Theme("learned", ())
    try:
        reading = read(screen.frame(), Calibration(screen.grid, theme, screen.board.mines))
    except Unreadable:
        return
    assert reading.board == screen.board
