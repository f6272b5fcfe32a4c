"""Give names to looks nobody described: learn a theme from one board.

Digits come first, by shape; then mines, which are round; then empty tiles, named by the rules
of the game; then digits again, now that it is known how many mines each has room for; at last
flags and question marks by the ground they stand on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.digits import find_digits, name_digits
from calibration.draft import Draft, Ints
from calibration.papers import name_papers
from calibration.rules import UNREAD
from calibration.symbols import doubt_odd_boards, name_marks, name_mines, review_mines
from solver.board import Tile


@dataclass(frozen=True, eq=False)
class Named:
    """Tiles int8 ``(rows, cols)`` with their confidence float64, and the draft behind them."""

    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]
    draft: Draft


def name_looks(pictures: NDArray[np.uint8], groups: Ints) -> Named:
    """Name looks: ``pictures`` one a look, ``groups`` ``(rows, cols)`` which look each tile has."""
    draft = Draft.start(pictures, groups)
    digits = find_digits(draft)
    name_digits(draft, digits)
    name_mines(draft, digits)
    name_papers(draft)
    hidden = list(draft.papers_named(Tile.HIDDEN))
    misplaced = digits & np.isin(draft.grounds, hidden)
    draft.name(misplaced, UNREAD, 0.0)
    name_digits(draft, digits & ~misplaced)
    review_mines(draft)
    name_marks(draft)
    doubt_odd_boards(draft)
    return Named(draft.tiles, draft.certainty[groups], draft)
