"""Recognise a look: match a frame against the known themes, or learn a new one from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.draft import Draft
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.memory import SAME_LOOK
from calibration.naming import name_looks
from calibration.rules import UNREAD, Tiles, broken
from calibration.theme import LEARNED, Theme, builtin_themes
from calibration.theming import choose_theme, doubt_strangers, extract_looks, names_by_theme
from solver.board import Tile


@dataclass(frozen=True, eq=False)
class Recognition:
    """What `recognise` made of a grid.

    ``theme`` is the built-in theme that explains the tiles, or one named ``learned``.
    ``tiles`` is an int8 array ``(rows, cols)`` as in `Board`, only to be trusted where
    ``confidence`` (float64 of the same shape, 0..1) is above `calibration.learn.MARGIN`.
    ``plausibility`` (0..1) says how well this is a Minesweeper board by its meaning: near 1 for
    a position in which every tile is read and the numbers agree, about 0.5 for a board of
    nothing but equal hidden tiles (a fresh board, or any table of empty squares), near 0 for a
    keypad, a spreadsheet, wallpaper squares or text. Accept from 0.4.
    """

    theme: Theme
    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]
    plausibility: float


MARGIN = 0.5
"""Confidence below which a tile is unreadable."""


def recognise(frame: Frame, grid: Grid, *, themes: Sequence[Theme] | None = None) -> Recognition:
    """Match the tiles of ``grid`` against ``themes`` (None: the built-in ones), or learn.

    Never raises for a look it cannot read: doubt shows as low ``plausibility`` and
    ``confidence``, so that it can judge several candidate grids.
    """
    draft = draft_of(tile_pictures.cut(frame, grid))
    theme = choose_theme(draft, builtin_themes() if themes is None else themes)
    if theme is None:
        name_looks(draft)
    else:
        name_by(draft, theme)
    confidence = draft.certainty[draft.groups]
    tiles = np.where(confidence >= MARGIN, draft.tiles, UNREAD).astype(np.int8)
    learned = theme or Theme(LEARNED, extract_looks(draft))
    return Recognition(learned, draft.tiles, confidence, _plausibility(tiles))


def name_by(draft: Draft, theme: Theme, remembered: Tiles | None = None) -> None:
    """Name all looks: by the theme, by what is remembered of them, the others by learning."""
    known = names_by_theme(draft, theme)
    draft.settle(known)
    if remembered is not None:
        draft.settle(remembered)
    name_looks(draft)
    doubt_strangers(draft, theme, known)


def draft_of(pictures: NDArray[np.uint8], hidden: NDArray[np.uint8] | None = None) -> Draft:
    """Find the looks of a board, pictures ``(rows, cols, SIDE, SIDE, 3)``.

    ``hidden`` are pictures ``(n, SIDE, SIDE, 3)`` of hidden tiles seen before: flags are told by
    the ground they stand on, and a board that was won shows flags only.
    """
    rows, cols = pictures.shape[:2]
    flat = pictures.reshape(rows * cols, *pictures.shape[2:])
    groups, leaders = tile_pictures.gather(tile_pictures.coarse(flat), SAME_LOOK)
    looks = flat[leaders]
    if hidden is None or not len(hidden):
        return Draft.start(looks, groups.reshape(rows, cols))
    draft = Draft.start(np.concatenate([looks, hidden]), groups.reshape(rows, cols))
    known = np.full(len(draft.names), UNREAD, dtype=np.int8)
    known[len(looks) :] = Tile.HIDDEN
    draft.settle(known)
    return draft


def _plausibility(tiles: NDArray[np.int8]) -> float:
    numbers = tiles > 0
    unread = float((tiles == UNREAD).mean())
    if not numbers.any():
        return 0.5 * (1 - unread) ** 2
    wrong = float(broken(tiles).sum() / max(1, (tiles >= 0).sum()))
    return float(max(0.0, (1 - unread)) * max(0.0, 1 - 4 * wrong))
