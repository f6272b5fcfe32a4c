"""What a program keeps free of mines at the first click."""

from __future__ import annotations

from calibration.theme import LEARNED, Theme
from solver.game import Rule


def first_click_rule(theme: Theme | None) -> Rule:
    """Return the first-click rule of a program; the most common one if it is unknown."""
    if theme is None or theme.program == LEARNED:
        return Rule.SAFE
    return Rule(theme.profile.first_click)
