"""Compare the looks on a board with a theme's, and make a theme of the looks on a board."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.draft import Draft
from calibration.looks import Features, Floats, shape_text
from calibration.rules import UNREAD, Tiles, broken
from calibration.theme import LEARNED, Colour, Look, Theme

FACE_SLACK, RIM_SLACK, INK_SLACK, SHAPE_SLACK = 14.0, 30.0, 48.0, 0.16
"""What counts as one unit of difference: colour steps, and mean ink of a sixth by a sixth.

Ten steps of brightness and a scaling of a fifth stay below one; two digits of the same ink and
ground are at least one and a half apart in shape.
"""

MOST_SHIFT, EVEN_SHIFT = 20, 4.0
"""Colour steps by which a screen may be lighter or darker, and by which its channels may differ."""

FREQUENT = 4
"""Empty looks, the most frequent ones, that are compared to find that shift."""

CLEAR_FIT, CLEAR_LEAD = 0.8, 0.1
"""Nearness needed to take a theme with its colours shifted, and its lead over other programs.

On 69 labelled screenshots the themes of other programs, shifted, come as near as 0.75.
"""

MOST_DRAWN = 0.5
"""Share of drawn tiles that a theme must name. At any brightness the right theme names 0.97 of
them on those screenshots, those of other programs 0.23 at most."""

GOOD_FIT = 0.45
"""Mean nearness of a board's tiles to a theme (1 the same, 0 beyond the slacks) to take it."""

FRESH_FIT = 0.6
"""The same where no number is seen: grey tiles alone tell little. Those of the right program come
as near as 0.67 on the screenshots and in play, one of a stranger came as near as 0.56."""

MARGIN_OF_MATCH = 0.35
"""How much nearer a look must be than the nearest one of another name, in those units."""


STRANGE = 2.0
"""Difference, in those units, from which a flag is none of the theme's; scaled ones stay below."""


def names_by_theme(draft: Draft, theme: Theme) -> Tiles:
    """Name the looks that the theme describes, `UNREAD` the others."""
    return _match(draft, theme)[0]


def doubt_strangers(draft: Draft, theme: Theme, known: Tiles) -> None:
    """Doubt drawings called flags or the like that look quite unlike the theme's own.

    Something lies over such a tile, or over a part of it. Numbers are told by their shape, and
    most must be ``known`` by the theme: a fresh board may have been taken for another program's.
    """
    numbers = np.where(draft.names > 0, draft.counts, 0)
    proven = numbers[known > 0].sum() >= MOST_DRAWN * max(1, numbers.sum())
    if theme.name == LEARNED or not proven:
        return
    drawn = np.array([look.tile < 0 and look.ink is not None for look in theme.looks])
    named = np.array([look.tile for look in theme.looks])
    difference = _differences(draft, _figures(theme))
    same = drawn & (draft.names[:, None] == named)
    least = np.where(same, difference, np.inf).min(axis=1)
    strange = same.any(axis=1) & (least > STRANGE) & ~draft.fixed & ~draft.features.empty
    draft.certainty[strange] = 0.0


def choose_theme(draft: Draft, themes: Sequence[Theme]) -> Theme | None:
    """Return the theme that fits the board best, None where none fits well.

    Each is tried as it is and lighter or darker, as a screen's settings make it; it is returned
    so. A tile counts the more the nearer its look is, so that of two programs that look alike
    the right one is taken; its manners go with it. Numbers are what tells programs apart: most
    must match, and a board without two kinds of them must clearly fit to pass for a lighter one.
    """
    fits = [_fit(draft, theme, 0) for theme in themes]
    if not any(fit.sure for fit in fits):
        fits += [_fit(draft, theme, step) for theme in themes for step in _steps(draft, theme)]
    fits = [fit for fit in fits if fit.good]
    best = max(fits, key=lambda fit: (fit.near, -abs(fit.step)), default=None)
    if best is None:
        return None
    if best.step and best.numbers < 2:
        rivals = [fit.near for fit in fits if fit.theme.program != best.theme.program]
        if best.near < CLEAR_FIT or best.near - max(rivals, default=0.0) < CLEAR_LEAD:
            return next((fit.theme for fit in fits if not fit.step), None)
    return best.theme


class _Fit(NamedTuple):
    """How a theme, lighter by ``step``, fits a board.

    ``near`` is the mean nearness of its tiles, ``drawn`` the share of its drawn tiles that are
    named and ``numbers`` how many kinds of numbers are.
    """

    theme: Theme
    step: int
    near: float
    drawn: float
    numbers: int

    @property
    def good(self) -> bool:
        """Whether the theme may be this board's."""
        least = GOOD_FIT if self.numbers else FRESH_FIT
        return self.near >= least and self.drawn >= MOST_DRAWN

    @property
    def sure(self) -> bool:
        """Whether the theme fits so well that no lighter or darker one need be tried."""
        return self.drawn >= 0.9 and self.near >= (GOOD_FIT if self.numbers >= 2 else 0.9)


def _fit(draft: Draft, theme: Theme, step: int) -> _Fit:
    shifted = theme.shifted(step) if step else theme
    names, near = _match(draft, shifted)
    drawn = np.where(draft.features.empty, 0, draft.counts)
    return _Fit(
        shifted,
        step,
        float(near[draft.groups].mean()),
        float(drawn[names != UNREAD].sum() / drawn.sum()) if drawn.any() else 1.0,
        len(set(names[(names > 0) & (drawn > 0)].tolist())),
    )


def _steps(draft: Draft, theme: Theme) -> set[int]:
    """Return how much lighter the theme must be for an empty tile to have a frequent face.

    A channel at the end of its range tells nothing of the step, but must fit.
    """
    empty = np.flatnonzero(draft.features.empty)
    frequent = empty[np.argsort(-draft.counts[empty])][:FREQUENT]
    steps = set()
    for face in draft.features.face[frequent]:
        free = (face > 4) & (face < 251)
        for look in theme.looks:
            if look.ink is not None or not free.any():
                continue
            step = round(float((face - look.face)[free].mean()))
            off = np.abs(np.array(look.face.shifted(step)) - face).max()
            if 0 < abs(step) <= MOST_SHIFT and off <= EVEN_SHIFT:
                steps.add(step)
    return steps


def _match(draft: Draft, theme: Theme) -> tuple[Tiles, Floats]:
    """Name looks by a theme, and say how near each is, 0..1.

    Nothing is named where the names would break the rules of the game, and nothing open where
    no number is seen: an open area has numbers around it.
    """
    names = np.full(len(draft.names), UNREAD, dtype=np.int8)
    near = np.zeros(len(names), dtype=np.float32)
    if not theme.looks:
        return names, near
    named = np.array([look.tile for look in theme.looks], dtype=np.int8)
    difference = _differences(draft, _figures(theme))
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


def _differences(draft: Draft, theme: _Figures) -> Floats:
    """Difference ``(looks on the board, looks of the theme)`` in units of the slacks."""
    features, shapes = draft.features, draft.shapes
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
