"""Real screenshots without the theme file of their program, and those that something covers."""

from __future__ import annotations

import pytest

from calibration.calibration import Calibration
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import recognise
from calibration.errors import Unreadable
from calibration.reader import read
from calibration.theme import Theme, builtin_themes
from tests.calibration.screens import FIXTURES, Screen, labelled, without_program

SCREENS = labelled(FIXTURES)
COVERED = labelled(FIXTURES, covered=True)

# Appearances that cannot be learned from a single frame: a six whose loop is closed by blurring,
# a small question mark beside a flag. They must stay unread and never be read as something else.
UNREAD_WITHOUT_THEME = 2


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", sorted({screen.program for screen in SCREENS}))
def test_a_deleted_theme_file_costs_no_wrong_tile(program: str) -> None:
    themes = without_program(builtin_themes(), program)
    unread = 0
    for screen in (screen for screen in SCREENS if screen.program == program):
        seen = recognise(screen.frame(), screen.grid, themes=themes)
        doubtful = seen.confidence < MARGIN
        assert not ((seen.tiles != screen.board.tiles) & ~doubtful).any(), screen.name
        unread += int(doubtful.sum())
    assert unread <= UNREAD_WITHOUT_THEME


@pytest.mark.slow
@pytest.mark.sampled(22)
@pytest.mark.parametrize("screen", COVERED, ids=lambda screen: screen.name)
@pytest.mark.parametrize("known", [True, False], ids=["theme", "no theme"])
def test_a_cover_is_noticed(screen: Screen, known: bool) -> None:
    theme = recognise(screen.frame(), screen.grid).theme if known else Theme("learned", ())
    try:
        reading = read(screen.frame(), Calibration(screen.grid, theme, screen.board.mines))
    except Unreadable:
        return
    assert reading.board == screen.board
