"""Colour, variance and edge features of tile pictures: ground, ink and glyph.

A tile is taken as a ground with something drawn on it. The ground is that of an empty tile of
the same board where one fits (then bevels, gaps and pictures behind the board drop out), else
one colour: the median of a band well inside the border, which a glyph crosses but never fills.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import glyphs
from calibration.tiles import SIDE

Floats = NDArray[np.float32]

EMPTY_CONTRAST = 22.0
"""Colour steps in the middle of a tile under which it counts as empty."""

_BAND = np.zeros((SIDE, SIDE), dtype=np.bool_)
_BAND[4:-4, 4:-4] = True
_OUTSKIRTS = np.zeros((SIDE, SIDE), dtype=np.bool_)
_OUTSKIRTS[3:-3, 3:-3] = True
_BAND[6:-6, 6:-6] = False
_OUTSKIRTS[8:-8, 8:-8] = False
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

    ``face`` float32 ``(n, 3)`` the ground's colour; ``contrast`` ``(n,)`` the strongest ink's
    distance from the ground in colour steps; ``ink`` ``(n, SIDE, SIDE)`` how much of each pixel
    is drawn, 0..1; ``colour`` ``(n, 3)`` the ink's mean colour; ``spread`` ``(n,)`` how much
    its colour varies; ``share`` ``(n,)`` the inked share of the tile,
    ``core`` of its very middle; ``rim`` ``(n, 2)`` how
    much lighter than the face the top-left border is, and the bottom-right one; ``line``
    ``(n,)`` the strongest difference in colour between border and face; ``form``
    ``(n, glyphs.SIDE, glyphs.SIDE)`` the glyph's normal form, and ``box`` ``(n, 4)`` its top,
    left, bottom, right in the tile, 0..1; ``outline`` the same form of all that differs from the
    ground at all, thin poles and pale parts alike; ``empty`` ``(n,)`` whether nothing is drawn.
    """

    face: Floats
    contrast: Floats
    ink: Floats
    colour: Floats
    spread: Floats
    share: Floats
    core: Floats
    rim: Floats
    line: Floats
    form: Floats
    outline: Floats
    box: Floats
    empty: NDArray[np.bool_]


def distance(pictures: Floats, other: Floats) -> Floats:
    """Largest difference over the three channels, pixel by pixel."""
    off = np.abs(pictures - other)
    return np.asarray(np.maximum(np.maximum(off[..., 0], off[..., 1]), off[..., 2]), np.float32)


def _usual_colours(pictures: Floats) -> Floats:
    """Colours that the ground may have, ``(3, n, 3)``: medians, and the commonest further out.

    A digit crosses the band inside the border, a mine fills it but leaves its corners free, a
    cross fills the corners.
    """
    medians = [np.median(pictures[:, band], axis=1) for band in (_BAND, _CORNERS)]
    return np.stack([*medians, _mode(pictures[:, _EDGE])]).astype(np.float32)


def _face(pictures: Floats, usual: Floats, known: Floats | None = None) -> Floats:
    """Colour of the ground, ``(n, 3)``: of the ``usual`` ones the one most outskirts share.

    One of the ``known`` colours ``(k, 3)`` is taken where clearly more of them share it.
    """
    outskirts = pictures[:, _OUTSKIRTS]
    others = [] if known is None else [np.broadcast_to(face, usual[0].shape) for face in known]
    candidates = np.stack([*usual, *others]).astype(np.float32)
    off = np.stack([distance(outskirts, face[:, None, :]) for face in candidates])
    support = (off < 9).mean(axis=2) + 0.1 * np.maximum(0, 1 - off / 9).mean(axis=2)
    support[3:] -= 0.02
    best = candidates[support.argmax(axis=0), np.arange(len(pictures))]
    return np.asarray(best, dtype=np.float32)


def _mode(pixels: Floats) -> Floats:
    """Commonest colour of each row of pixels ``(n, m, 3)``, in steps of 8."""
    steps = (pixels / 8).astype(np.int32)
    code = steps[..., 0] * 1024 + steps[..., 1] * 32 + steps[..., 2]
    equal = (code[:, :, None] == code[:, None, :]).sum(axis=2)
    commonest = pixels[np.arange(len(pixels)), equal.argmax(axis=1)]
    return np.asarray(commonest, dtype=np.float32)


def contrast_inside(pictures: Floats, face: Floats) -> Floats:
    """How far the middle of each tile strays from its face: the 97th percentile of pixels."""
    off = distance(pictures[:, _MIDDLE, _MIDDLE], face[:, None, None, :])
    flat = off.reshape(len(pictures), -1)
    rank = int(flat.shape[1] * 0.97)
    return np.asarray(np.partition(flat, rank, axis=1)[:, rank], dtype=np.float32)


def _unevenness(pictures: Floats) -> Floats:
    """Colour steps between the lightest and darkest of 16 blocks: small on an even texture."""
    inside = pictures[:, 4:-4, 4:-4]
    blocks = inside.reshape(len(pictures), 4, 4, 4, 4, 3).mean(axis=(2, 4)).reshape(-1, 16, 3)
    return np.asarray(np.ptp(blocks, axis=1).max(axis=1), dtype=np.float32)


def _relief(pictures: Floats) -> Floats:
    """How far the inside of a tile strays from a smooth gradient: the 97th percentile."""
    inside = pictures[:, _INSIDE_DEEP, _INSIDE_DEEP]
    count, side = inside.shape[:2]
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j].astype(np.float32)
    terms = np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=-1).reshape(-1, 6)
    values = inside.reshape(count, side * side, 3)
    fitted = terms @ (np.linalg.pinv(terms) @ values)
    off = np.abs(values - fitted).max(axis=2)
    return np.asarray(np.percentile(off, 97, axis=1), dtype=np.float32)


def describe(pictures: NDArray[np.uint8]) -> Features:
    """Compute the features of tile pictures, uint8 ``(n, SIDE, SIDE, 3)``."""
    tiles = pictures.astype(np.float32)
    usual = _usual_colours(tiles)
    face = _face(tiles, usual)
    contrast = contrast_inside(tiles, face)
    textured = (contrast >= EMPTY_CONTRAST) & (_unevenness(tiles) < 0.2 * contrast)
    textured |= (contrast >= EMPTY_CONTRAST) & (_relief(tiles) < 0.8 * EMPTY_CONTRAST)
    face[textured] = tiles[textured][:, _INSIDE, _INSIDE].mean(axis=(1, 2))
    empty = (contrast < EMPTY_CONTRAST) | textured
    blanks = _blanks(tiles[empty])
    face[~empty] = _face(tiles[~empty], usual[:, ~empty], _distinct(face[empty]))
    ground = face[:, None, None, :] * np.ones((1, SIDE, SIDE, 1), dtype=np.float32)
    rim = _rim(tiles, face)
    if len(blanks):
        _fit_grounds(tiles, ground, blanks)
    off = distance(tiles, ground)
    off[:, :2] = off[:, -2:] = 0
    off[:, :, :2] = off[:, :, -2:] = 0
    _drop_borders(off)
    contrast = np.percentile(off[:, _INSIDE, _INSIDE].reshape(len(tiles), -1), 98, axis=1)
    contrast = contrast.astype(np.float32)
    strength = np.clip((off - 8) / np.maximum(contrast - 8, 14)[:, None, None], 0, 1)
    ink = np.asarray(strength, dtype=np.float32)
    ink[empty] = 0
    weight = np.where(ink > 0.6, ink, 0) + 1e-6
    total = weight.sum(axis=(1, 2))
    colour = np.einsum("nyx,nyxc->nc", weight, tiles) / total[:, None]
    square = np.einsum("nyx,nyxc->nc", weight, tiles**2) / total[:, None]
    spread = np.sqrt(np.maximum(square - colour**2, 0)).max(axis=1)
    form, box = _forms(ink)
    body = off > np.maximum(30, 0.15 * contrast)[:, None, None]
    body[empty] = False
    outline, _ = _forms(body.astype(np.float32))
    return Features(
        face=ground[:, _BAND].mean(axis=1),
        contrast=contrast,
        ink=ink,
        colour=colour.astype(np.float32),
        spread=spread.astype(np.float32),
        share=ink.mean(axis=(1, 2)),
        core=ink[:, 10:-10, 10:-10].mean(axis=(1, 2)),
        rim=rim,
        line=_line(tiles, face),
        form=form,
        outline=outline,
        box=box,
        empty=empty,
    )


def _rim(tiles: Floats, face: Floats) -> Floats:
    light = tiles.mean(axis=3) - face.mean(axis=1)[:, None, None]
    inner = slice(5, -5)
    top_left = (light[:, 1:3, inner].mean(axis=(1, 2)) + light[:, inner, 1:3].mean(axis=(1, 2))) / 2
    bottom = light[:, -3:-1, inner].mean(axis=(1, 2))
    right = light[:, inner, -3:-1].mean(axis=(1, 2))
    return np.stack([top_left, (bottom + right) / 2], axis=1).astype(np.float32)


def _line(tiles: Floats, face: Floats) -> Floats:
    """Colour steps from the face to the border: the strongest of the four sides."""
    inner = slice(6, -6)
    sides = [
        tiles[:, :2, inner].mean(axis=2).reshape(len(tiles), 2, 3),
        tiles[:, -2:, inner].mean(axis=2).reshape(len(tiles), 2, 3),
        tiles[:, inner, :2].mean(axis=1).reshape(len(tiles), 2, 3),
        tiles[:, inner, -2:].mean(axis=1).reshape(len(tiles), 2, 3),
    ]
    off = distance(np.concatenate(sides, axis=1), face[:, None, :])
    return np.asarray(off.max(axis=1), dtype=np.float32)


def _distinct(colours: Floats, limit: int = 12) -> Floats:
    """Pick colours that differ from one another, at most ``limit``."""
    chosen: list[Floats] = []
    for colour in colours:
        if len(chosen) < limit and all(np.abs(colour - one).max() > 8 for one in chosen):
            chosen.append(colour)
    return np.array(chosen, dtype=np.float32).reshape(-1, 3)


def _blanks(empties: Floats, limit: int = 16) -> Floats:
    """Pick empty tiles that differ from one another, at most ``limit``."""
    chosen: list[Floats] = []
    for tile in empties:
        if all(distance(tile, other).mean() > 6 for other in chosen):
            chosen.append(tile)
        if len(chosen) == limit:
            break
    return np.stack(chosen) if chosen else np.zeros((0, SIDE, SIDE, 3), dtype=np.float32)


def _fit_grounds(tiles: Floats, ground: Floats, blanks: Floats) -> None:
    """Lay under each tile the empty tile that equals it over most of the border and face.

    Of two that do, open and hidden ones of nearly one colour, the nearer.
    """
    best = np.zeros(len(tiles), dtype=np.float32)
    for blank in blanks:
        off = distance(tiles, blank[None])
        share = (off < 14).mean(axis=(1, 2))
        near = share + np.maximum(0, 1 - off / 14).mean(axis=(1, 2))
        better = (share > 0.45) & (near > best)
        best[better] = near[better]
        ground[better] = blank


def _drop_borders(off: Floats) -> None:
    """Clear bevels left at the sides: rows and columns inked over 85 % of their length."""
    for side in (0, 1):
        view = off if side == 0 else off.swapaxes(1, 2)
        lines = (view[:, :, 3:-3] > 14).mean(axis=2) > 0.85
        for order in (range(2, 7), range(SIDE - 3, SIDE - 8, -1)):
            open_run = np.ones(len(off), dtype=np.bool_)
            for index in order:
                open_run &= lines[:, index]
                view[open_run, index] = 0


def _forms(ink: Floats) -> tuple[Floats, Floats]:
    """Bring the middle's drawing to normal form, and give its box; clears strays in ``ink``."""
    forms = np.zeros((len(ink), glyphs.SIDE, glyphs.SIDE), dtype=np.float32)
    boxes = np.zeros((len(ink), 4), dtype=np.float32)
    for index, drawing in enumerate(ink):
        if not drawing.any():
            continue
        _drop_strays(drawing)
        mask = drawing > 0.35
        rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        form = glyphs.normal_form(drawing)
        if form is not None and rows.size:
            boxes[index] = np.array([rows[0], cols[0], rows[-1] + 1, cols[-1] + 1]) / SIDE
            forms[index] = form
    return forms, boxes


def _drop_strays(drawing: Floats) -> None:
    """Clear blots that keep to the border: rests of lines and bevels."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        (drawing > 0.3).astype(np.uint8), connectivity=8
    )
    middle = np.bincount(labels[_CENTRE, _CENTRE].ravel(), minlength=count)
    for blot in range(1, count):
        if middle[blot] < 0.2 * stats[blot, cv2.CC_STAT_AREA]:
            drawing[labels == blot] = 0
    drawing[drawing <= 0.3] *= cv2.dilate((drawing > 0.3).astype(np.uint8), np.ones((3, 3)))[
        drawing <= 0.3
    ]


def likeness(one: Floats, other: Floats) -> float:
    """Return the correlation of two drawings."""
    a, b = one - one.mean(), other - other.mean()
    power = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / power if power else 0.0


def shape_of(form: Floats) -> Floats:
    """Average a glyph's normal form down to six by six."""
    return np.asarray(cv2.resize(form, (6, 6), interpolation=cv2.INTER_AREA), dtype=np.float32)


def shape_text(form: Floats) -> tuple[str, ...]:
    """Draw a glyph's normal form as six rows of six ninths (``.`` none, ``9`` full)."""
    return tuple(
        "".join(".123456789"[min(9, round(float(value) * 9))] for value in row)
        for row in shape_of(form)
    )
