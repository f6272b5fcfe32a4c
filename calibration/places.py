"""Tell mines, flags and the exploded mine apart by where they stand, whatever their shape.

A loss shows every mine: then each number has as many mines and flags around it as it says, and
some mines lie where no number is near. Flags stand on hidden ground and at numbers; on open
ground nothing stands but numbers and mines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.digits import PLAIN_INK, coloured_like_digits
from calibration.draft import Draft, Ints, Mask
from calibration.looks import likeness
from calibration.rules import UNREAD, Tiles, count_around
from calibration.symbols import FAINT
from solver.board import Tile

SAME_DRAWING, SAME_INK = 0.6, 60.0
"""Correlation and colour steps from which two drawings, on whatever ground, are one symbol."""

SAME_GROUND = 14.0
"""Colour steps within which a ground is that of hidden, or of open tiles."""

UNLIKE_A_DIGIT = 0.8
"""Correlation with the best digit under which a drawing in one ink is none."""

SURE = 0.8
"""Certainty from which a number is taken for granted here."""

FAR_MINES = 2
"""Mines away from all numbers that show a board whose mines are laid open."""

SYMBOLS = (UNREAD, Tile.FLAG, Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)


@dataclass(frozen=True, eq=False)
class Symbol:
    """One drawing and its looks: on open ground, on hidden ground, and on any other."""

    opened: Ints
    hidden: Ints
    other: Ints


def name_by_place(draft: Draft) -> None:
    """Name symbols that shape alone leaves in doubt, or names against all other signs."""
    symbols = _symbols(draft)
    mines = [symbol for symbol in symbols if _are_mines(draft, symbol)]
    if len(mines) == 1:
        _name_loss(draft, mines[0], symbols)
    elif not mines and len(symbols) == 1:
        _name_flags(draft, symbols[0])


def _name_loss(draft: Draft, mine: Symbol, symbols: list[Symbol]) -> None:
    """Name the mines of a lost game, the exploded one, and the flags beside them."""
    draft.name(np.concatenate([mine.opened, mine.hidden]), Tile.MINE, 0.9)
    if draft.counts[mine.other].sum() == 1 and _is_no_number(draft, mine.other):
        draft.name(mine.other, Tile.EXPLODED, 0.9)
    others = [symbol for symbol in symbols if symbol is not mine]
    for rank, symbol in enumerate(others):
        flags = rank == 0 and symbol.hidden.size and not symbol.opened.size
        if flags and _fits(draft, symbol.hidden, mined=True):
            draft.name(symbol.hidden, Tile.FLAG, 0.8)
            _name_odd(draft, symbol.other, unlike_flags=False)
        else:
            looks = np.concatenate([symbol.opened, symbol.hidden, symbol.other])
            _name_odd(draft, looks, unlike_flags=bool(symbol.other.size))


def _is_no_number(draft: Draft, looks: Ints) -> bool:
    """Whether a drawing that could be a number as well is a mine by the numbers around."""
    if not _like_digits(draft)[looks].any() or not (_numbers(draft) > 0).any():
        return True
    as_mine, as_none = (_fits(draft, looks, mined=mined) for mined in (True, False))
    return as_mine and not (as_none and _says_its_mines(draft, looks))


def _says_its_mines(draft: Draft, looks: Ints) -> bool:
    """Whether drawings, taken for numbers, look like the count of the mines shown around them."""
    at, drawn = np.isin(draft.groups, looks), _marked(draft)
    drawn[looks] = False
    marks, look = count_around(drawn[draft.groups])[at], draft.groups[at]
    alike = draft.scores[look, marks - 1] >= UNLIKE_A_DIGIT
    return bool(((marks > 0) & (alike | (draft.names[look] == marks))).all())


def _name_odd(draft: Draft, looks: Ints, *, unlike_flags: bool) -> None:
    """Name what is neither a mine nor a flag: by the numbers around, or as what is still missing.

    Every loss has a mine that exploded, and its ground is its own.
    """
    if not looks.size:
        return
    as_mine, as_none = (_fits(draft, looks, mined=mined) for mined in (True, False))
    single = draft.counts[looks].sum() == 1
    missing = not ((draft.names == Tile.EXPLODED) & (draft.certainty >= 0.5)).any()
    missing &= not _like_digits(draft)[looks].any()
    if single and as_mine and unlike_flags and (missing or not as_none):
        draft.name(looks, Tile.EXPLODED, 0.8)
    elif single and as_none and not as_mine and not _like_digits(draft)[looks].any():
        draft.name(looks, Tile.WRONG_FLAG, 0.8)
    elif not np.isin(draft.names[looks], (Tile.FLAG, Tile.WRONG_FLAG)).all():
        draft.certainty[looks] = 0.0


def _fits(draft: Draft, looks: Ints, *, mined: bool) -> bool:
    """Whether the numbers at some drawings are right if these are mines, or if they are none."""
    numbers, here = _numbers(draft), np.isin(draft.groups, looks)
    drawn = _marked(draft)
    drawn[looks] = mined
    at = (numbers >= 0) & (count_around(here) > 0)
    return not (at & (count_around(drawn[draft.groups]) != numbers)).any()


def _name_flags(draft: Draft, symbol: Symbol) -> None:
    """Name flags of any shape: the only symbol, on hidden ground, while mines are still sought."""
    if symbol.opened.size or symbol.other.size or draft.counts[symbol.hidden].sum() < 2:
        return
    numbers, marks = _numbers(draft), count_around(np.isin(draft.groups, symbol.hidden))
    near = bool((count_around(numbers > 0) > 0)[np.isin(draft.groups, symbol.hidden)].all())
    if near and (numbers > marks).any():
        draft.name(symbol.hidden, Tile.FLAG, 0.8)


def _are_mines(draft: Draft, symbol: Symbol) -> bool:
    """Whether a symbol is a mine: on open ground, one of them exploded, or all laid open."""
    lying = np.concatenate([symbol.opened, symbol.hidden])
    if symbol.opened.size and symbol.hidden.size:
        return False
    many = int(draft.counts[lying].sum()) >= 2
    exploded = int(draft.counts[symbol.other].sum()) == 1
    return many and ((bool(symbol.opened.size) and exploded) or _laid_open(draft, lying))


def _laid_open(draft: Draft, looks: Ints) -> bool:
    """Whether all mines are shown, these among them: some lie, as hidden tiles do, off the numbers.

    Numbers that have as many marks around them as they say may be the work of flags.
    """
    numbers = _numbers(draft)
    drawn = _marked(draft)
    marks = count_around(drawn[draft.groups])
    off = count_around(numbers >= 0) == 0
    far = off & np.isin(draft.groups, looks)
    exact = (numbers > 0).any() and not ((numbers >= 0) & (numbers != marks)).any()
    return bool(exact and (off & (draft.tiles == Tile.HIDDEN)).any() and far.sum() >= FAR_MINES)


def _numbers(draft: Draft) -> Tiles:
    """Return the open cells' numbers read so far, -1 elsewhere."""
    sure = (draft.names >= 0) & (draft.certainty >= SURE)
    return np.where(sure, draft.names, -1).astype(np.int8)[draft.groups]


def _symbols(draft: Draft) -> list[Symbol]:
    """Gather the drawings that are no numbers, the most frequent first."""
    unnamed = np.isin(draft.names, SYMBOLS) | (draft.certainty < SURE)
    left = (draft.features.contrast >= FAINT) & ~draft.features.empty & ~draft.fixed & unnamed
    left &= draft.counts > 0
    on_odd_ground = np.isin(np.arange(len(left)), _place(draft, np.arange(len(left))).other)
    left &= ~_like_digits(draft) | (on_odd_ground & (draft.counts == 1))
    symbols = []
    for look in np.argsort(-draft.counts):
        if left[look]:
            alike = np.flatnonzero(left & _drawn_like(draft, int(look), left))
            left[alike] = False
            symbols.append(_place(draft, alike))
    return symbols


def _like_digits(draft: Draft) -> Mask:
    """Mark the drawings that may be numbers, too blurred to be named."""
    shaped = draft.scores[:, :8].max(axis=1) >= UNLIKE_A_DIGIT
    plain = draft.features.spread <= PLAIN_INK
    coloured = coloured_like_digits(draft) & (draft.names == UNREAD)
    return np.asarray((shaped & plain) | coloured)


def _marked(draft: Draft) -> Mask:
    """Mark the drawings that may stand for a mine: all but numbers and wrong flags."""
    numbers = (draft.names >= 0) & (draft.certainty >= SURE)
    return np.asarray(~draft.features.empty & ~numbers & (draft.names != Tile.WRONG_FLAG))


def _drawn_like(draft: Draft, look: int, among: Mask) -> Mask:
    """Mark the looks whose drawing and ink are those of ``look``, whatever their ground."""
    features = draft.features
    near: Mask = among & (np.abs(features.colour - features.colour[look]).max(axis=1) <= SAME_INK)
    for other in np.flatnonzero(near):
        near[other] = likeness(features.outline[other], features.outline[look]) >= SAME_DRAWING
    near[look] = True
    return near


def _place(draft: Draft, looks: Ints) -> Symbol:
    """Sort looks by their ground, or by its colour where the border fits no empty tile's."""
    grounds = [_grounded(draft, looks, name) for name in (0, int(Tile.HIDDEN))]
    (same_open, like_open), (same_hidden, like_hidden) = grounds
    on_open = same_open | (like_open & ~same_hidden & ~like_hidden)
    on_hidden = same_hidden | (like_hidden & ~same_open & ~like_open)
    if not draft.papers_named(0) and looks.size:
        # A first click that hit: the ground that most mines lie on is the open one.
        most = draft.features.face[looks[draft.counts[looks].argmax()]]
        off = np.abs(draft.features.face[looks] - most).max(axis=1)
        on_open = ~on_hidden & (off <= SAME_GROUND)
    return Symbol(looks[on_open], looks[on_hidden], looks[~on_open & ~on_hidden])


def _grounded(draft: Draft, looks: Ints, name: int) -> tuple[Mask, Mask]:
    """Mark the looks on the ground of empty tiles of a name, and those of its colour."""
    features = draft.features
    papers = list(draft.papers_named(name))
    faces = features.face[features.empty & np.isin(draft.grounds, papers)]
    off = np.abs(features.face[looks][:, None] - faces[None]).max(axis=2).min(axis=1, initial=99)
    return np.isin(draft.grounds[looks], papers), np.asarray(off <= SAME_GROUND)
