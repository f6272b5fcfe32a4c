"""Features of tile pictures: the colours of background and ink, the bevel, the glyph.

A tile is a background with a glyph drawn on it. If an empty tile of the same board fits, it serves
as the background: bevels, gaps and pictures behind the board then cancel out. If not, the
background is one colour, the median of a band well inside the border, which a glyph crosses but
never fills.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.tiles import SIDE, colour_steps

FORM_SIDE = 16
"""Height and width of a glyph's normal form."""


def normal_form(ink: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """Scale the inked box to `FORM_SIDE` rows or columns, centred in a square; None without ink.

    The box contains all rows and columns with ink of more than 0.35 of the strongest.
    """
    mask = ink > 0.35 * ink.max() if ink.max() > 0 else np.zeros_like(ink, dtype=np.bool_)
    rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return None
    box = ink[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    width = min(FORM_SIDE, max(2, round(FORM_SIDE * box.shape[1] / box.shape[0])))
    height = min(FORM_SIDE, max(2, round(FORM_SIDE * box.shape[0] / box.shape[1])))
    shrinking = box.shape[0] > FORM_SIDE
    scaled = cv2.resize(
        box, (width, height), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR
    )
    form = np.zeros((FORM_SIDE, FORM_SIDE), dtype=np.float32)
    top, left = (FORM_SIDE - height) // 2, (FORM_SIDE - width) // 2
    form[top : top + height, left : left + width] = scaled
    return form


Floats = NDArray[np.float32]

EMPTY_CONTRAST = 22.0
"""A tile with less contrast in its middle, in colour steps, counts as empty."""

RED = 120.0
"""A colour means danger if red exceeds the other channels by at least so many steps."""

_BAND = np.zeros((SIDE, SIDE), dtype=np.bool_)
_BAND[4:-4, 4:-4] = True
_OUTER = np.zeros((SIDE, SIDE), dtype=np.bool_)
_OUTER[3:-3, 3:-3] = True
_BAND[6:-6, 6:-6] = False
_OUTER[8:-8, 8:-8] = False
_CORNERS = _BAND.copy()
_CORNERS[8:-8] = False
_CORNERS[:, 8:-8] = False
_EDGE = np.zeros((SIDE, SIDE), dtype=np.bool_)
_EDGE[3:-3, 3:-3] = True
_EDGE[5:-5, 5:-5] = False
_MIDDLE = slice(6, SIDE - 6)
_CENTRE = slice(5, SIDE - 5)
_INSIDE_DEEP = slice(4, SIDE - 4)
_INSIDE = slice(2, SIDE - 2)


@dataclass(frozen=True, eq=False)
class Features:
    """Features of ``n`` tile pictures, one row each.

    All are float32 except ``empty``; colours are red, green, blue; differences are colour steps.

    - ``background_colour`` ``(n, 3)``.
    - ``contrast`` ``(n,)``: how far the strongest ink is from the background.
    - ``ink_colour`` ``(n, 3)``: the mean colour of the ink.
    - ``ink_share`` ``(n,)``: the share of the tile that is ink.
    - ``bevel`` ``(n, 2)``: how much lighter than the background the top-left border is, and
      the bottom-right one.
    - ``normal_form`` ``(n, FORM_SIDE, FORM_SIDE)``: the glyph, scaled by
      `normal_form`; ``ink_box`` ``(n, 4)``: its top, left, bottom, right in the tile, 0..1.
    - ``silhouette``: the normal form of all that differs clearly from the background, thin poles
      and pale parts included.
    - ``empty`` bool ``(n,)``: whether there is no glyph.
    """

    background_colour: Floats
    contrast: Floats
    ink_colour: Floats
    ink_share: Floats
    bevel: Floats
    normal_form: Floats
    silhouette: Floats
    ink_box: Floats
    empty: NDArray[np.bool_]

    @property
    def red_ahead(self) -> Floats:
        """By how many steps red exceeds the other channels in the background, ``(n,)``."""
        ground = self.background_colour
        return np.asarray(ground[:, 0] - ground[:, 1:].max(axis=1))


def _candidate_colours(pictures: Floats) -> Floats:
    """Return colours that the background may have, ``(3, n, 3)``.

    These are the medians of a band and of its corners, and the commonest colour further out.
    A digit crosses the band inside the border, a mine fills it but leaves its corners free, a
    cross fills the corners.
    """
    medians = [np.median(pictures[:, band], axis=1) for band in (_BAND, _CORNERS)]
    return np.stack([*medians, _commonest_colour(pictures[:, _EDGE])]).astype(np.float32)


def _background_colour(pictures: Floats) -> Floats:
    """Return the colour of the background: the candidate that most outer pixels have.

    Float32 ``(n, 3)``.
    """
    candidates, outer = _candidate_colours(pictures), pictures[:, _OUTER]
    off = np.stack([colour_steps(outer, colour[:, None, :]) for colour in candidates])
    support = (off < 9).mean(axis=2) + 0.1 * np.maximum(0, 1 - off / 9).mean(axis=2)
    best = candidates[support.argmax(axis=0), np.arange(len(pictures))]
    return np.asarray(best, dtype=np.float32)


def _commonest_colour(pixels: Floats) -> Floats:
    """Return the commonest colour of each row of pixels ``(n, m, 3)``, in steps of 8."""
    steps = (pixels / 8).astype(np.int32)
    code = steps[..., 0] * 1024 + steps[..., 1] * 32 + steps[..., 2]
    equal = (code[:, :, None] == code[:, None, :]).sum(axis=2)
    commonest = pixels[np.arange(len(pixels)), equal.argmax(axis=1)]
    return np.asarray(commonest, dtype=np.float32)


def _contrast_inside(pictures: Floats, background_colour: Floats) -> Floats:
    """Return how far the middle of each tile is from its background: the 97th percentile."""
    off = colour_steps(pictures[:, _MIDDLE, _MIDDLE], background_colour[:, None, None, :])
    flat = off.reshape(len(pictures), -1)
    rank = int(flat.shape[1] * 0.97)
    return np.asarray(np.partition(flat, rank, axis=1)[:, rank], dtype=np.float32)


def _unevenness(pictures: Floats) -> Floats:
    """Return the range of brightness of 16 blocks: small on a uniform texture."""
    inside = pictures[:, 4:-4, 4:-4]
    blocks = inside.reshape(len(pictures), 4, 4, 4, 4, 3).mean(axis=(2, 4)).reshape(-1, 16, 3)
    return np.asarray(np.ptp(blocks, axis=1).max(axis=1), dtype=np.float32)


def _gradient_residual(pictures: Floats) -> Floats:
    """Return how far the inside of a tile is from a smooth gradient: the 97th percentile."""
    inside = pictures[:, _INSIDE_DEEP, _INSIDE_DEEP]
    count, side = inside.shape[:2]
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j].astype(np.float32)
    terms = np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=-1).reshape(-1, 6)
    values = inside.reshape(count, side * side, 3)
    fitted = terms @ (np.linalg.pinv(terms) @ values)
    off = colour_steps(values, fitted)
    return np.asarray(np.percentile(off, 97, axis=1), dtype=np.float32)


def extract_features(pictures: NDArray[np.uint8]) -> Features:
    """Compute the features of tile pictures, uint8 ``(n, SIDE, SIDE, 3)``."""
    tiles = pictures.astype(np.float32)
    background_colour = _background_colour(tiles)
    contrast = _contrast_inside(tiles, background_colour)
    textured = (contrast >= EMPTY_CONTRAST) & (_unevenness(tiles) < 0.2 * contrast)
    textured |= (contrast >= EMPTY_CONTRAST) & (_gradient_residual(tiles) < 0.8 * EMPTY_CONTRAST)
    background_colour[textured] = tiles[textured][:, _INSIDE, _INSIDE].mean(axis=(1, 2))
    empty = (contrast < EMPTY_CONTRAST) | textured
    empty_tiles = _distinct_tiles(tiles[empty])
    background = background_colour[:, None, None, :] * np.ones((1, SIDE, SIDE, 1), dtype=np.float32)
    bevel = _bevel(tiles, background_colour)
    if len(empty_tiles):
        _fit_backgrounds(tiles, background, empty_tiles)
    off = colour_steps(tiles, background)
    off[:, :2] = off[:, -2:] = 0
    off[:, :, :2] = off[:, :, -2:] = 0
    _clear_bevels(off)
    contrast = np.percentile(off[:, _INSIDE, _INSIDE].reshape(len(tiles), -1), 98, axis=1)
    contrast = contrast.astype(np.float32)
    strength = np.clip((off - 8) / np.maximum(contrast - 8, 14)[:, None, None], 0, 1)
    ink = np.asarray(strength, dtype=np.float32)
    ink[empty] = 0
    weight = np.where(ink > 0.6, ink, 0) + 1e-6
    total = weight.sum(axis=(1, 2))
    ink_colour = np.einsum("nyx,nyxc->nc", weight, tiles) / total[:, None]
    normal_form, ink_box = _normal_forms(ink)
    differs = off > np.maximum(30, 0.15 * contrast)[:, None, None]
    differs[empty] = False
    silhouette, _ = _normal_forms(differs.astype(np.float32))
    return Features(
        background_colour=background[:, _BAND].mean(axis=1),
        contrast=contrast,
        ink_colour=ink_colour.astype(np.float32),
        ink_share=ink.mean(axis=(1, 2)),
        bevel=bevel,
        normal_form=normal_form,
        silhouette=silhouette,
        ink_box=ink_box,
        empty=empty,
    )


def _bevel(tiles: Floats, background_colour: Floats) -> Floats:
    """Return how much lighter than the background the top-left and bottom-right borders are."""
    light = tiles.mean(axis=3) - background_colour.mean(axis=1)[:, None, None]
    inner = slice(5, -5)
    top_left = (light[:, 1:3, inner].mean(axis=(1, 2)) + light[:, inner, 1:3].mean(axis=(1, 2))) / 2
    bottom = light[:, -3:-1, inner].mean(axis=(1, 2))
    right = light[:, inner, -3:-1].mean(axis=(1, 2))
    return np.stack([top_left, (bottom + right) / 2], axis=1).astype(np.float32)


def _distinct_tiles(tiles: Floats, limit: int = 16) -> Floats:
    """Pick at most ``limit`` tiles that differ from one another."""
    chosen: list[Floats] = []
    for tile in tiles:
        if all(colour_steps(tile, other).mean() > 6 for other in chosen):
            chosen.append(tile)
        if len(chosen) == limit:
            break
    return np.stack(chosen) if chosen else np.zeros((0, SIDE, SIDE, 3), dtype=np.float32)


def _fit_backgrounds(tiles: Floats, background: Floats, empty_tiles: Floats) -> None:
    """Use as background of each tile the empty tile that equals it over nearly half its area.

    If two do (an open and a hidden one of nearly one colour), use the nearer one.
    """
    best = np.zeros(len(tiles), dtype=np.float32)
    for empty_tile in empty_tiles:
        off = colour_steps(tiles, empty_tile[None])
        covered_share = (off < 14).mean(axis=(1, 2))
        near = covered_share + np.maximum(0, 1 - off / 14).mean(axis=(1, 2))
        better = (covered_share > 0.45) & (near > best)
        best[better] = near[better]
        background[better] = empty_tile


def _clear_bevels(off: Floats) -> None:
    """Clear the rest of bevels: rows and columns near a side with ink on 85 % of their length."""
    for side in (0, 1):
        view = off if side == 0 else off.swapaxes(1, 2)
        lines = (view[:, :, 3:-3] > 14).mean(axis=2) > 0.85
        for order in (range(2, 7), range(SIDE - 3, SIDE - 8, -1)):
            open_run = np.ones(len(off), dtype=np.bool_)
            for index in order:
                open_run &= lines[:, index]
                view[open_run, index] = 0


def _normal_forms(ink: Floats) -> tuple[Floats, Floats]:
    """Bring the glyphs to normal form and return their boxes; clears strays in ``ink``."""
    forms = np.zeros((len(ink), FORM_SIDE, FORM_SIDE), dtype=np.float32)
    boxes = np.zeros((len(ink), 4), dtype=np.float32)
    for index, glyph in enumerate(ink):
        if not glyph.any():
            continue
        _clear_strays(glyph)
        mask = glyph > 0.35
        rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        form = normal_form(glyph)
        if form is not None and rows.size:
            boxes[index] = np.array([rows[0], cols[0], rows[-1] + 1, cols[-1] + 1]) / SIDE
            forms[index] = form
    return forms, boxes


def _clear_strays(glyph: Floats) -> None:
    """Clear blots that lie mostly outside the centre: remains of lines and bevels."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        (glyph > 0.3).astype(np.uint8), connectivity=8
    )
    middle = np.bincount(labels[_CENTRE, _CENTRE].ravel(), minlength=count)
    for blot in range(1, count):
        if middle[blot] < 0.2 * stats[blot, cv2.CC_STAT_AREA]:
            glyph[labels == blot] = 0
    glyph[glyph <= 0.3] *= cv2.dilate((glyph > 0.3).astype(np.uint8), np.ones((3, 3)))[glyph <= 0.3]


def coarse_shape(normal_form: Floats) -> Floats:
    """Average a glyph's normal form down to six by six."""
    return np.asarray(
        cv2.resize(normal_form, (6, 6), interpolation=cv2.INTER_AREA), dtype=np.float32
    )


def shape_text(normal_form: Floats) -> tuple[str, ...]:
    """Draw a glyph's normal form as six rows of six ninths (``.`` none, ``9`` full)."""
    return tuple(
        "".join(".123456789"[min(9, round(float(value) * 9))] for value in row)
        for row in coarse_shape(normal_form)
    )
