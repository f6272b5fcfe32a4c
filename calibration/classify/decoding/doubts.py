"""Which looks cannot be decided from one picture, however well a labelling explains the board."""

from __future__ import annotations

import numpy as np

from calibration.classify.clusters import Ints, Mask
from calibration.classify.decoding.labelling_score import LabellingScore
from calibration.classify.decoding.looks import Looks
from calibration.labels import (
    EXPLODED,
    HIDDEN,
    LABELS,
    MINE,
    ZERO,
)
from calibration.likeness import steps_between

KNOWN = 10.0
"""By how much a background is likelier hidden than open if a theme or the fresh board shows it."""

CLEARLY_OPEN = 4.0
"""By how much a background is likelier open than hidden if it was not on the fresh board."""

SHADES = 24.0
"""Colour steps up to which two hidden backgrounds are shades of one, as over a picture."""

GRADIENT_STEP = 16.0
"""Colour steps between neighbouring shades of a gradient that hidden tiles have."""

PLAIN_MINE = 2.0
"""By how much a plain tile is likelier open than a mine if its colour does not mean danger."""

MOST_OTHERS = 4
"""Tiles that may have another colour than the rest of a fresh board: pointers lie on them."""


def unclear_looks(best: Ints, looks: Looks, score: LabellingScore) -> Mask:
    """Mark the looks that cannot be decided from one picture, ``(looks,)``.

    Among many colours that of a mark cannot be recognised. A second background that is hidden may
    as well be that of open tiles, or a mark: no rule contradicts. What a theme or the fresh board
    knows of these is clear. Without any number a
    board may have many colours, as a fresh rainbow has, but not just two.
    """
    hidden = looks.empty & (best == HIDDEN)
    spare = hidden & ~score.on_chessboard(hidden[None])[0]
    if spare.any() and not (hidden & ~spare).any():
        spare[np.where(spare, looks.sizes, -1).argmax()] = False
    main = np.where(hidden & ~spare, looks.sizes, -1).argmax()
    spare &= ~_in_gradient(hidden, int(main), looks)
    spare |= _may_be_open(best, looks, score)
    known = score.own[:, HIDDEN] - score.own[:, ZERO] > KNOWN
    begun = bool((LABELS[best] > 0).any()) or _two_colours(looks, hidden & spare)
    unclear = looks.varied | spare
    return np.asarray(
        (unclear & ~known & begun) | _changed(best, looks, score) | _shaded(best, looks, score)
    )


def _may_be_open(best: Ints, looks: Looks, score: LabellingScore) -> Mask:
    """Mark the hidden backgrounds on which digits stand, so that zeros may look like them.

    Not if all hidden tiles look so and there are zeros: these have a 0 written on them.
    """
    (found,), (others,) = score.hidden_with_digits(best[None])
    some = ((best == ZERO) & (looks.sizes > 0)).any()
    return np.asarray(found & (others or not some))


def _in_gradient(hidden: Mask, main: int, looks: Looks) -> Mask:
    """Mark the hidden backgrounds that a chain of shades joins to the ``main`` one."""
    off = steps_between(looks.colour, looks.colour)
    near = ((off <= GRADIENT_STEP) | looks.shaded) & hidden
    reached = np.arange(len(hidden)) == main
    while (grown := (reached | (near & reached[:, None]).any(axis=0))).sum() > reached.sum():
        reached = grown
    return np.asarray(reached)


def _two_colours(looks: Looks, spare: Mask) -> bool:
    """Whether there is one more colour of hidden tiles, or two, and many tiles have it."""
    spare = spare & ~looks.varied
    colours, of_look = np.unique(np.rint(looks.colour[spare] / SHADES), axis=0, return_inverse=True)
    sizes = np.bincount(of_look.ravel(), looks.sizes[spare], len(colours))
    return len(sizes) in (1, 2) and int(sizes.max()) > MOST_OTHERS


def _changed(best: Ints, looks: Looks, score: LabellingScore) -> Mask:
    """Mark the hidden backgrounds that look unlike the fresh board.

    They may be open ones around which more will open in a moment, unless the game is over and
    all of them look so.
    """
    hidden = looks.empty & (best == HIDDEN)
    changed = hidden & (score.own[:, ZERO] - score.own[:, HIDDEN] > CLEARLY_OPEN)
    as_before = hidden & ~changed & (looks.sizes > 0)
    over = np.isin(best, (MINE, EXPLODED)).any() and not as_before.any()
    return np.zeros_like(changed) if over else changed


def _shaded(best: Ints, looks: Looks, score: LabellingScore) -> Mask:
    """Mark plain mines whose colour means no danger: tiles under a pointer change their shade."""
    mines = looks.empty & np.isin(best, (MINE, EXPLODED))
    mines &= score.own[:, ZERO] - score.own[:, [MINE, EXPLODED]].max(axis=1) > PLAIN_MINE
    return np.asarray(mines)
