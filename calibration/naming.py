"""Give names to looks nobody described: learn a theme from one board.

Digits come first, by shape; then mines, which are round; then empty tiles, named by the rules
of the game; then digits again, now that it is known how many mines each has room for; then
flags and question marks by the ground they stand on, and what shape left open by its place.
"""

from __future__ import annotations

import numpy as np

from calibration.digits import find_digits, name_digits
from calibration.draft import Draft
from calibration.papers import name_papers
from calibration.places import name_by_place
from calibration.rules import UNREAD
from calibration.symbols import (
    doubt_odd_boards,
    doubt_odd_flags,
    name_marks,
    name_mines,
    review_mines,
)
from solver.board import Tile


def name_looks(draft: Draft) -> None:
    """Name the looks of a draft that are not fixed yet, each with its certainty."""
    digits = find_digits(draft)
    name_digits(draft, digits)
    name_mines(draft, digits)
    name_papers(draft)
    hidden = list(draft.papers_named(Tile.HIDDEN))
    misplaced = digits & np.isin(draft.grounds, hidden) & ~draft.fixed
    draft.name(misplaced, UNREAD, 0.0)
    name_digits(draft, digits & ~misplaced)
    review_mines(draft)
    name_marks(draft)
    name_by_place(draft)
    doubt_odd_flags(draft)
    doubt_odd_boards(draft)
