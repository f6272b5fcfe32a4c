"""What the first click is spared, by the program on the screen."""

from __future__ import annotations

from calibration.theme import LEARNED, Theme
from solver.game import Rule


def rule_of(theme: Theme | None) -> Rule:
    """Return the first-click rule of a program; of an unknown one that of most programs."""
    if theme is None or theme.name == LEARNED:
        return Rule.SAFE
    return Rule(theme.handling.first_click)
