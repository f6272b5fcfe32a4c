"""Compare the looks on a board with a theme's, and make a theme of the looks on a board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.draft import Draft
from calibration.looks import Features, Floats, shape_of, shape_text
from calibration.rules import UNREAD, Tiles, broken
from calibration.theme import Colour, Look, Theme

FACE_SLACK, RIM_SLACK, INK_SLACK, SHAPE_SLACK = 14.0, 30.0, 48.0, 0.16
"""What counts as one unit of difference: colour steps, and mean ink of a sixth by a sixth.

Ten steps of brightness and a scaling of a fifth stay below one; two digits of the same ink and
ground are at least one and a half apart in shape.
"""

MOST_SHIFT, EVEN_SHIFT = 20, 4.0
"""Colour steps by which a screen may be lighter or darker, and by which its channels may differ."""

CLEAR_FIT, CLEAR_LEAD = 0.8, 0.1
"""Nearness needed to take a theme with its colours shifted, and its lead over other programs.

On 69 labelled screenshots the themes of other programs, shifted, come as near as 0.75.
"""

GOOD_FIT = 0.45
"""Mean nearness of a board's tiles to a theme (1 the same, 0 beyond the slacks) to take it."""

MARGIN_OF_MATCH = 0.35
"""How much nearer a look must be than the nearest one of another name, in those units."""


def names_by_theme(draft: Draft, theme: Theme) -> Tiles:
    """Name the looks that the theme describes, `UNREAD` the others."""
    return _match(draft, theme, _shapes(draft))[0]


def choose_theme(draft: Draft, themes: Sequence[Theme]) -> Theme | None:
    """Return the theme that fits the board best, None where none fits well.

    A tile counts the more the nearer its look is, so that of two programs that look alike the
    right one is taken; its manners go with it. Where none fits as it is, a theme that clearly
    fits best when all its colours are made lighter or darker is returned so.
    """
    shapes = _shapes(draft)
    fits = [_fit(draft, theme, shapes) for theme in themes]
    best = int(np.argmax(fits)) if fits else -1
    if best >= 0 and fits[best] >= GOOD_FIT:
        return themes[best]
    shifted = [one for theme in themes for one in _shifted(draft, theme)]
    ranked = sorted(((_fit(draft, one, shapes), one) for one in shifted), key=lambda fit: -fit[0])
    if not ranked or ranked[0][0] < CLEAR_FIT:
        return None
    fit, theme = ranked[0]
    others = (other for other, one in ranked if one.program != theme.program)
    return theme if fit - next(others, 0.0) >= CLEAR_LEAD else None


def _fit(draft: Draft, theme: Theme, shapes: Floats) -> float:
    return float(_match(draft, theme, shapes)[1][draft.groups].mean())


def _shifted(draft: Draft, theme: Theme) -> Iterator[Theme]:
    """Shift the theme's colours so that a hidden or open tile has the board's commonest face."""
    empty = np.flatnonzero(draft.features.empty)
    if not empty.size:
        return
    face = draft.features.face[empty[draft.counts[empty].argmax()]]
    steps = {
        round(float(off.mean()))
        for look in theme.looks
        if look.ink is None
        and np.ptp(off := face - np.array(look.face, dtype=np.float32)) <= EVEN_SHIFT
    }
    for step in sorted(steps):
        if 0 < abs(step) <= MOST_SHIFT:
            yield theme.shifted(step)


def _match(draft: Draft, theme: Theme, shapes: Floats) -> tuple[Tiles, Floats]:
    """Name looks of some shapes by a theme, and say how near each is, 0..1.

    Nothing is named where the names would break the rules of the game, and nothing open where
    no number is seen: an open area has numbers around it.
    """
    names = np.full(len(draft.names), UNREAD, dtype=np.int8)
    near = np.zeros(len(names), dtype=np.float32)
    if not theme.looks:
        return names, near
    named = np.array([look.tile for look in theme.looks], dtype=np.int8)
    difference = _differences(draft.features, shapes, _figures(theme))
    best = difference.argmin(axis=1)
    least = difference.min(axis=1)
    if not ((least < 1) & (named[best] > 0)).any():
        difference[:, named == 0] = np.inf
        best, least = difference.argmin(axis=1), difference.min(axis=1)
    other = np.where(named[None] == named[best][:, None], np.inf, difference).min(axis=1)
    fits = (least < 1) & (other - least >= MARGIN_OF_MATCH)
    matched = np.where(fits, named[best], names).astype(np.int8)
    if broken(matched[draft.groups]).any():
        return names, near
    return matched, np.where(fits, 1 - least, near).astype(np.float32)


class _Figures(NamedTuple):
    """The looks of a theme as arrays, one row a look."""

    face: Floats
    rim: Floats
    drawn: NDArray[np.bool_]
    ink: Floats
    shape: Floats


@cache
def _figures(theme: Theme) -> _Figures:
    looks = theme.looks
    return _Figures(
        np.array([look.face for look in looks], dtype=np.float32),
        np.array([look.rim for look in looks], dtype=np.float32),
        np.array([look.ink is not None for look in looks]),
        np.array([look.ink or (0, 0, 0) for look in looks], dtype=np.float32),
        np.stack([_shape(look) for look in looks]),
    )


def _shapes(draft: Draft) -> Floats:
    return np.stack([shape_of(form) for form in draft.features.form])


def _differences(features: Features, shapes: Floats, theme: _Figures) -> Floats:
    """Difference ``(looks on the board, looks of the theme)`` in units of the slacks."""
    off = np.abs(features.face[:, None] - theme.face[None]).max(axis=2) / FACE_SLACK
    off_rim = np.abs(features.rim[:, None] - theme.rim[None]).max(axis=2) / RIM_SLACK
    off_ink = np.abs(features.colour[:, None] - theme.ink[None]).max(axis=2) / INK_SLACK
    off_shape = np.abs(shapes[:, None] - theme.shape[None]).mean(axis=(2, 3)) / SHAPE_SLACK
    both = (~features.empty)[:, None] & theme.drawn[None]
    total = np.where(
        both, np.maximum(np.maximum(off, off_ink), off_shape), np.maximum(off, off_rim)
    )
    total = np.where(both, total + 0.3 * off_shape, total)
    return np.where(features.empty[:, None] == theme.drawn[None], 99.0, total).astype(np.float32)


def _shape(look: Look) -> Floats:
    if not look.shape:
        return np.zeros((6, 6), dtype=np.float32)
    rows = [[".123456789".index(char) for char in row] for row in look.shape]
    return np.asarray(np.array(rows) / 9, dtype=np.float32)


def extract_looks(
    draft: Draft, names: NDArray[np.int8] | None = None, sure: float = 0.8
) -> tuple[Look, ...]:
    """Describe the looks named with certainty, one entry for those that hardly differ."""
    names = draft.names if names is None else names
    chosen: list[Look] = []
    for index in np.argsort(-draft.counts):
        if names[index] == UNREAD or draft.certainty[index] < sure:
            continue
        look = _look(draft.features, int(index), int(names[index]))
        if not any(_alike(look, one) for one in chosen):
            chosen.append(look)
    return tuple(sorted(chosen, key=lambda look: (-min(look.tile, 0), look.tile)))


def _look(features: Features, index: int, tile: int) -> Look:
    rim = features.rim[index]
    empty = bool(features.empty[index])
    return Look(
        tile,
        _colour(features.face[index]),
        None if empty else _colour(features.colour[index]),
        (round(float(rim[0])), round(float(rim[1]))),
        () if empty else shape_text(features.form[index]),
    )


def _alike(one: Look, other: Look) -> bool:
    if one.tile != other.tile or (one.ink is None) != (other.ink is None):
        return False
    face = max(abs(a - b) for a, b in zip(one.face, other.face, strict=True))
    rim = max(abs(a - b) for a, b in zip(one.rim, other.rim, strict=True))
    if one.ink is None:
        return face <= 6 and rim <= 15
    return face <= 12 and float(np.abs(_shape(one) - _shape(other)).mean()) < 0.12


def _colour(values: NDArray[np.float32]) -> Colour:
    red, green, blue = (int(value) for value in np.clip(np.rint(values), 0, 255))
    return Colour(red, green, blue)
