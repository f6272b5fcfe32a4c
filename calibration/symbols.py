"""Name what is drawn and is no digit: flags, question marks, mines of three kinds.

A mine is round: its drawing equals its mirror images. A flag is not, stands on hidden ground
and carries its cloth at the top. What is wrongly flagged is crossed out, or its ground is red.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import glyphs
from calibration.digits import PLAIN_INK, coloured_like_digits
from calibration.draft import Draft, Mask
from calibration.looks import Floats, likeness
from calibration.rules import UNREAD, broken
from solver.board import Tile

ROUND = 0.38
"""Symmetry from which a drawing counts as round; mines have 0.4 to 1, flags under 0.32."""

HALF_CROSSED = 0.35
"""Share from which a drawing of several inks may be a cross that is not quite met."""

MOST_UNREAD = 0.15
"""Share of unread tiles from which nothing on the board is trusted."""

ALIKE = 0.45
"""Correlation from which two flags, or each and one between them, are drawn alike."""

FLAG_SYMMETRY = 0.34

FAINT = 40.0
"""Contrast under which a drawing may be noise of a lossy picture, and no symbol is named."""

CROSSED = 0.8
"""Share of both diagonals in one strong red that makes a cross."""

RED_GROUND = 0.6
"""Share of what lies between a cross's arms from which the ground is red, and nothing crossed."""


def name_mines(draft: Draft, digits: Mask) -> None:
    """Name crossed-out tiles and mines; the odd or only mine is the exploded one."""
    features = draft.features
    mines: list[int] = []
    for look in np.flatnonzero(~features.empty & ~digits):
        if draft.fixed[look]:
            if draft.names[look] in (Tile.MINE, Tile.EXPLODED):
                mines.append(int(look))
            continue
        cross = _cross(draft.pictures[look], features.face[look])
        if cross >= CROSSED or _is_crossed_out(features.outline[look]):
            draft.name(int(look), Tile.WRONG_FLAG, 0.9)
        elif cross >= HALF_CROSSED and features.spread[look] > PLAIN_INK:
            continue
        elif draft.symmetry[look] >= ROUND and features.share[look] > 0.06:
            mines.append(int(look))
    kinds = _kinds(draft, mines)
    for kind, tile in zip(kinds, _names_of_kinds(draft, kinds), strict=True):
        fresh = np.array([look for look in kind if not draft.fixed[look]], dtype=np.intp)
        draft.name(fresh, tile, 0.9)


def _names_of_kinds(draft: Draft, kinds: list[list[int]]) -> list[int]:
    """Call the odd kind exploded, or the only one where it is a single mine."""
    given = [next((int(draft.names[i]) for i in kind if draft.fixed[i]), 0) for kind in kinds]
    weights = [int(draft.counts[kind].sum()) for kind in kinds]
    usual = _usual_kind(draft, kinds, weights)
    names = []
    for index, name in enumerate(given):
        exploded = weights[index] == 1 if len(kinds) == 1 else index != usual
        if Tile.EXPLODED in given:
            exploded = False
        names.append(name or int(Tile.EXPLODED if exploded else Tile.MINE))
    return names


def _kinds(draft: Draft, mines: list[int]) -> list[list[int]]:
    """Group mines by ground and ink."""
    features = draft.features
    kinds: list[list[int]] = []
    for look in sorted(mines, key=lambda one: -int(draft.counts[one])):
        for kind in kinds:
            face = np.abs(features.face[look] - features.face[kind[0]]).max()
            ink = np.abs(features.colour[look] - features.colour[kind[0]]).max()
            if face <= 40 and ink <= 60:
                kind.append(look)
                break
        else:
            kinds.append([look])
    return kinds


def _usual_kind(draft: Draft, kinds: list[list[int]], weights: list[int]) -> int:
    """Index of the mines that did not explode: the most, and the less colourful of equals."""

    def vivid(kind: list[int]) -> float:
        face, ink = draft.features.face[kind[0]], draft.features.colour[kind[0]]
        return float(max(np.ptp(face), np.ptp(ink)))

    ranks = [(weights[index], -vivid(kind)) for index, kind in enumerate(kinds)]
    return max(range(len(ranks)), key=ranks.__getitem__, default=-1)


def name_marks(draft: Draft) -> None:
    """Name flags and question marks. The papers must have names already."""
    hidden, opened = draft.papers_named(Tile.HIDDEN), draft.papers_named(0)
    lost = bool(np.isin(draft.names, (Tile.MINE, Tile.EXPLODED)).any())
    coloured = coloured_like_digits(draft)
    strong = draft.features.contrast >= FAINT
    for look in np.flatnonzero(~draft.features.empty & strong & (draft.names == UNREAD)):
        ground = int(draft.grounds[look])
        if _is_question(draft, int(look), on_hidden=ground in hidden):
            draft.name(int(look), Tile.QUESTION, 0.9)
            continue
        if not _is_flag(draft, int(look)):
            continue
        if ground not in hidden and (
            coloured[look]
            or _may_be_open(draft, int(look), opened)
            or _has_digit_shape(draft, int(look))
        ):
            continue
        face = draft.features.face[look]
        red = float(face[0] - face[1:].max()) > 80
        if red and lost:
            if (draft.names == Tile.EXPLODED).any():  # else this may be the mine that was hit
                draft.name(int(look), Tile.WRONG_FLAG, 0.85)
        elif ground in hidden:
            draft.name(int(look), Tile.FLAG, 0.9)
        elif ground not in opened or not hidden:
            draft.name(int(look), Tile.FLAG, 0.75)


def review_mines(draft: Draft) -> None:
    """Doubt mines that stand on hidden ground or without an exploded one.

    Only a lost game shows mines, and then the exploded one is among them. A round flag, or a
    flag whose thin pole was lost in scaling, stands on hidden ground or on its own; so may a
    blurred four, which is rather round.
    """
    mine, exploded = draft.names == Tile.MINE, draft.names == Tile.EXPLODED
    hidden = np.isin(draft.grounds, list(draft.papers_named(Tile.HIDDEN)))
    opened = np.isin(draft.grounds, list(draft.papers_named(0)))
    if not (draft.names == Tile.WRONG_FLAG).any():
        if not exploded.any():
            draft.certainty[mine & ~(opened & (draft.symmetry > 0.8))] = 0.0
        if not mine.any():
            blurred_digit = (draft.symmetry < 0.7) & (draft.features.spread <= PLAIN_INK)
            blurred_digit &= draft.scores[:, :8].max(axis=1) >= 0.7
            draft.certainty[exploded & (hidden | blurred_digit)] = 0.0
    draft.certainty[exploded & (draft.counts > 3)] = 0.0
    if len(_kinds(draft, np.flatnonzero(exploded).tolist())) > 1:
        draft.certainty[exploded & ~draft.fixed] = 0.0


def doubt_odd_flags(draft: Draft) -> None:
    """Doubt flags unlike the commonest one: all flags of a board are drawn alike.

    Scaling draws copies a little differently; what one step of likeness joins is alike.
    """
    flags = np.flatnonzero((draft.names == Tile.FLAG) & ~draft.features.empty)
    if not flags.size:
        return
    weight = draft.counts[flags] + 1000 * draft.fixed[flags]
    alike = {int(flags[weight.argmax()])}
    fresh = list(alike)
    while fresh:
        outline = draft.features.outline[fresh.pop()]
        near = [
            int(look)
            for look in flags
            if look not in alike and likeness(draft.features.outline[look], outline) >= ALIKE
        ]
        alike.update(near)
        fresh.extend(near)
    odd = [look for look in flags if look not in alike and not draft.fixed[look]]
    draft.certainty[odd] = 0.0


def doubt_odd_boards(draft: Draft) -> None:
    """Doubt marks where no number is open yet, and everything on a board that can be none.

    So it is where marks are most of the board (then its hidden tiles bear a drawing), where
    little can be read, or where the tiles contradict each other at every turn.
    """
    marks = np.isin(draft.names, (Tile.FLAG, Tile.QUESTION, Tile.WRONG_FLAG))
    total = int(draft.counts.sum())
    if not (draft.names >= 0).any():
        draft.certainty[marks & ~draft.fixed] = 0.0
    covered = draft.counts[marks].sum()
    tiles = draft.tiles
    unread = (tiles == UNREAD) | (draft.certainty[draft.groups] < 0.4)
    wrong = float(broken(np.where(unread, UNREAD, tiles).astype(np.int8)).sum())
    odd = covered > 0.5 * total or (covered > 3 and not (draft.names >= 0).any())
    if odd or unread.mean() > MOST_UNREAD or wrong > 0.1 * (tiles >= 0).sum():
        draft.certainty[~draft.fixed] = 0.0


def _may_be_open(draft: Draft, look: int, opened: set[int]) -> bool:
    """Whether a drawing in one ink has the face of open tiles: a number too blurred to read."""
    on = np.isin(draft.grounds, list(opened)) & draft.features.empty
    if draft.features.spread[look] > PLAIN_INK or not on.any():
        return False
    off = np.abs(draft.features.face[on] - draft.features.face[look]).max(axis=1).min()
    return bool(off <= 20)


def _has_digit_shape(draft: Draft, look: int) -> bool:
    """Whether a drawing in one ink is surely no flag. A flag with a foot has 0.88 for a one."""
    one_ink = draft.features.spread[look] <= PLAIN_INK
    return bool(one_ink and draft.scores[look, :8].max() >= 0.9)


def _is_flag(draft: Draft, look: int) -> bool:
    """Whether a drawing is lopsided and no heavier at its bottom, with no mark beside it."""
    form = draft.features.outline[look]
    half = glyphs.SIDE // 2
    top, bottom = float(form[:half].sum()), float(form[half:].sum())
    share = float(draft.features.share[look])
    upright = top >= 0.4 * bottom and 0.03 < share < 0.25
    return draft.symmetry[look] < FLAG_SYMMETRY and upright and _question_beside(draft, look) < 0.3


def _is_question(draft: Draft, look: int, *, on_hidden: bool) -> bool:
    """Whether a drawing is a question mark in one ink, or has one beside it.

    No number stands on hidden ground, where a small one may look more like a seven or a two.
    """
    score = draft.scores[look]
    rivals = score[[0, 2, 3, 4, 5, 7]] if on_hidden else score[:8]
    alone = score[8] >= max(0.78, rivals.max() - 0.08)
    plain = draft.features.spread[look] <= PLAIN_INK
    return bool(alone and plain) or _question_beside(draft, look) > 0.6


def _question_beside(draft: Draft, look: int) -> float:
    """How much what stands beside the largest blot looks like a question mark."""
    rest = _beside(draft.features.ink[look])
    form = glyphs.normal_form(rest)
    if form is None or rest.sum() < 1.5:
        return 0.0
    return float(glyphs.match_digits(form[None])[0, 8])


def _beside(ink: Floats) -> Floats:
    """Return the drawing without its largest blot."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        (ink > 0.15).astype(np.uint8), connectivity=8
    )
    if count < 3:
        return np.zeros_like(ink)
    main = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    return np.where((labels != main) & (labels > 0), ink, 0).astype(np.float32)


def _is_crossed_out(outline: Floats) -> bool:
    """Whether a drawing fills both diagonals and all four corners of its box, as a cross does.

    A mine's rays end before the corners of the box that its upright rays reach.
    """
    size = len(outline)
    index = np.arange(size)
    corner = 3
    corners = [
        outline[rows, cols].mean()
        for rows in (slice(0, corner), slice(-corner, None))
        for cols in (slice(0, corner), slice(-corner, None))
    ]
    diagonals = (outline[index, index].mean() + outline[index, size - 1 - index].mean()) / 2
    sides = outline[6:-6, [0, -1]].mean() + outline[[0, -1], 6:-6].mean()
    return bool(min(corners) >= 0.35 and diagonals >= 0.85 and sides < 0.8)


def _cross(picture: NDArray[np.uint8], face: Floats) -> float:
    """Share of the diagonals drawn in one strong red, which mines and flags never have.

    Where all four sides between a cross's arms are as red, the ground is: a mine that exploded.
    """
    side = len(picture)
    red = picture[..., 0].astype(int) - picture[..., 1:].max(axis=2) > 60
    near, middle = slice(side // 6, side // 4), slice(side // 3, -(side // 3))
    sides = (
        red[near, middle],
        red[::-1][near, middle],
        red[middle, near],
        red[middle, ::-1][:, near],
    )
    if min(part.mean() for part in sides) > RED_GROUND:
        return 0.0
    index = np.arange(side // 4, side - side // 4)
    places = np.concatenate([index, index]), np.concatenate([index, side - 1 - index])
    drawn = np.abs(picture[places].astype(int) - face).max(axis=1) > 50
    return float((red[places] & drawn).mean())
