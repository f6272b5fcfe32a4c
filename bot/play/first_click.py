"""What a program keeps free of mines at the first click, and whether it may be no game at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibration.theme import LEARNED, Theme
from solver.board import Board
from solver.game import Rule

if TYPE_CHECKING:
    from calibration.calibration import Calibration


def first_click_rule(theme: Theme | None) -> Rule:
    """Return the first-click rule of a program; the most common one if it is unknown."""
    if theme is None or theme.program == LEARNED:
        return Rule.SAFE
    return Rule(theme.profile.first_click)


def may_be_no_game(calibration: Calibration, board: Board) -> bool:
    """Whether nothing shows yet that this is Minesweeper: no program, counter or number.

    A chess board, squared paper or the keys of a calculator look like a fresh board.
    """
    unknown = calibration.theme.program == LEARNED and calibration.counter is None
    return unknown and bool(board.covered.all())
