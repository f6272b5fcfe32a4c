"""Refine the pitch of a board by what repeats on it: first its lines, then its tiles."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.locate.lines.line_fit import Floats, LineFit

Levels = NDArray[np.uint16]
"""Steps between pixels, with 256 added so that none is negative, or sizes: ``(n, width)``."""

MOST_DRIFT = 0.2
"""Largest error of a fit over the whole board that is corrected, in tiles."""

SAME_DRIFT_PX = 0.3
"""A fit that is off by less than this over the board needs no correction."""

CLEAR_GAIN = 1.1
"""How many times the energy another pitch needs to replace the fitted one."""

CLEAR_SCATTER_PX = 0.3
"""Largest scatter (root mean square) of the lags at which tiles repeat with one clear pitch."""

PRIOR_SHARE = 0.001
"""Weight of the fitted pitch against the matches: both count the same where this share of the
steps matches at every lag. Of 822 axes of real screens, scaled or not, 3 were off by more than
0.3 % without this weight, and none with it."""


def refine_by_harmonics(profile: Floats, fit: LineFit, cells: int) -> LineFit:
    """Replace the pitch by the one at which the lines clearly repeat better.

    Lines between open tiles and lines around hidden tiles lie at different offsets. If one half
    of a board is open and the other half hidden, the fitted pitch is wrong by a part of a tile
    over the board. Each kind of line still repeats at the true pitch, where the energy of all
    harmonics together is greatest. The middle of the fit stays where it is.
    """
    lo, hi = (max(0, int(fit.position(k))) for k in (0.5, cells - 0.5))
    part = np.sqrt(profile[lo:hi])
    if not part.any():
        return fit
    size = 1 << int(np.ceil(np.log2(part.size * 8)))
    energy = np.abs(np.fft.rfft(part - part.mean(), size)) ** 2
    drift = np.arange(-MOST_DRIFT * fit.pitch, MOST_DRIFT * fit.pitch, 0.25)
    pitches = fit.pitch + drift / cells
    at = size * np.arange(1, max(4, int(fit.pitch / 3) + 1))[:, None] / pitches
    total = np.interp(at, np.arange(energy.size), energy).sum(axis=0)
    if total.max() <= CLEAR_GAIN * total[np.abs(drift) <= SAME_DRIFT_PX].max():
        return fit
    pitch = float(pitches[int(total.argmax())])
    return LineFit(fit.start + 0.5 * cells * (fit.pitch - pitch), pitch)


def refine_by_repetition(rows: NDArray[np.int16], fit: LineFit, cells: int) -> LineFit:
    """Make the pitch exact by comparing the board with itself, shifted by whole tiles.

    ``rows`` are rows of grey pixels across the board, ``(n, width)``. Equal tiles match sharply
    when the shift is a whole number of pitches, and different tiles hardly match at any shift.
    Columns of open tiles beside columns of hidden ones therefore do not change the pitch, as they
    do in a fit to the lines. If too few tiles are equal, the lags scatter: the new pitch is then
    averaged with the fitted one, or not used. The middle of the fit stays where it is.
    """
    steps = rows[:, 2:] - rows[:, :-2]
    levels, size = (steps + 256).astype(np.uint16), np.abs(steps).astype(np.uint16)
    found = [
        (tiles, *match)
        for tiles in _distances(cells)
        if (match := _best_lag(levels, size, float(tiles * fit.pitch))) is not None
    ]
    most = max((weight for *_, weight in found), default=0.0)
    found = [match for match in found if match[2] >= 0.03 * most > 0]
    if len(found) < 2:
        return fit
    tiles, lags, weights = np.array(found).T
    use, pitch = weights.copy(), fit.pitch
    for _ in range(4):
        if use @ tiles**2 <= 0:
            return fit
        pitch = float((use * tiles) @ lags / (use @ tiles**2))
        off = np.abs(lags - pitch * tiles)
        use = weights * (off < max(0.35, 1.5 * float(np.median(off))))
    spread = float(np.sqrt(np.mean((lags - pitch * tiles) ** 2)))
    if spread > 2 * CLEAR_SCATTER_PX or abs(pitch - fit.pitch) * cells > 3:
        return fit
    if spread > CLEAR_SCATTER_PX:
        pitch = 0.5 * (pitch + fit.pitch)
    matched = float(use @ tiles**2)
    prior = PRIOR_SHARE * cv2.sumElems(size)[0] * float(tiles @ tiles)
    pitch = (matched * pitch + prior * fit.pitch) / (matched + prior)
    return LineFit(fit.start + 0.5 * cells * (fit.pitch - pitch), pitch)


def _distances(cells: int) -> list[int]:
    """List up to nine distances in tiles, mostly even: a checkerboard repeats only at these."""
    if cells <= 10:
        return list(range(1, cells))
    return [
        1,
        *dict.fromkeys((2 * np.linspace(1, (cells - 1) // 2, 8).round()).astype(int).tolist()),
    ]


def _best_lag(levels: Levels, size: Levels, about: float) -> tuple[float, float] | None:
    """Return the lag within 3 pixels at which the steps repeat best, and its weight."""
    base = round(about)
    lags = [lag for lag in range(base - 3, base + 4) if 0 < lag < levels.shape[1] - 4]
    if len(lags) < 3:
        return None
    least = size * 3 >> 3
    match = []
    for lag in lags:
        off = cv2.absdiff(levels[:, :-lag], levels[:, lag:])
        repeated = cv2.subtract(cv2.max(least[:, :-lag], least[:, lag:]), off)  # at least 0
        match.append(cv2.sumElems(repeated)[0])
    best = int(np.clip(np.argmax(match), 1, len(lags) - 2))
    left, mid, right = match[best - 1 : best + 2]
    bend = left - 2 * mid + right
    peak = float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)) if bend < 0 else 0.0
    lag = lags[best]
    whole = cv2.sumElems(cv2.max(size[:, :-lag], size[:, lag:]))[0]
    weight = max(0.0, mid - sorted(match)[len(match) // 2]) * mid / max(1.0, whole)
    return lag + peak, weight
