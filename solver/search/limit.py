"""How much work a decision may take, counted in things done, never in seconds."""

from __future__ import annotations

from math import inf
from typing import NamedTuple


class Limit(NamedTuple):
    """Bounds of `deep`'s work; the same limit gives the same move on every machine.

    Boards that have at most ``whole`` layouts in all are searched whole from the first click: in
    seconds up to 20,000, in a minute and 650 MiB for the 352,716 of 3x7 with 10 mines.
    On others the endgame search starts at ``layouts`` layouts and visits at most ``positions``
    positions. Else the look-ahead considers ``candidates`` cells within ``tolerance`` of the least
    risk, and at the guess after each of the ``finalists``, the best of them so far. With ``worlds``
    above 0, these are then tried in up to so many worlds each, where at most e ** ``late`` layouts
    are left.
    """

    layouts: int = 5_000
    positions: int = 400_000
    candidates: int = 25
    tolerance: float = 0.1
    finalists: int = 10
    whole: int = 20_000
    worlds: int = 0
    late: float = inf
