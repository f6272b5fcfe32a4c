"""Show a risk, a chance or a network's value: as a colour and in figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]

_GREEN: Colour = (70, 200, 90)
_YELLOW: Colour = (250, 230, 80)
_RED: Colour = (225, 60, 50)


def heat(risk: float) -> Colour:
    """Return the colour of a risk: from green over yellow, at one third, to red."""
    if risk < 1 / 3:
        return blend(_GREEN, _YELLOW, 3 * risk)
    return blend(_YELLOW, _RED, 1.5 * (risk - 1 / 3))


def blend(low: Colour, high: Colour, share: float) -> Colour:
    """Mix two colours. ``share`` is the part of ``high``; it is limited to 0..1."""
    red, green, blue = (
        round(a + (b - a) * min(1.0, max(0.0, share))) for a, b in zip(low, high, strict=True)
    )
    return red, green, blue


def value_colour(share: float) -> Colour:
    """Return the colour of a network's value: black at the least, bright red at the best.

    ``share`` is where it lies between these, 0..1. The colours are those of the DQN report.
    """
    return blend((20, 0, 0), (255, 40, 40), share)


def value_shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where each value lies between the least and the best, 0..1; NaN stays NaN."""
    known = values[~np.isnan(values)]
    if not known.size:
        return values
    span = float(known.max() - known.min())
    shares: NDArray[np.float64] = (values - known.min()) / span if span else values - values + 1.0
    return shares


def short_percent(risk: float, *, tenths: bool = False) -> str:
    """Write a risk in percent for one cell: whole, and 0 or 100 only where it is certain.

    With ``tenths``, a risk below 10 % has one decimal.
    """
    if risk in (0.0, 1.0):
        return f"{100 * risk:.0f}"
    if tenths and risk < 0.1:
        return f"{max(0.1, 100 * risk):.1f}"
    return f"{min(99.0, max(1.0, 100 * risk)):.0f}"
