"""Examples for the board model: a painted board as a reader meets it, and what it shows.

A reader has the tiles of a grid. In play it also has the fresh board, its own clicks, the labels of
the frame before, and the labels that a known program's theme gives. Each of them is left out by
chance, so that one model serves a screenshot and a game.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.classify.decoding.labels import LABELS
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.learning import glyphs
from calibration.learning.backgrounds import colour, scenery
from calibration.learning.happenings import Scene, happen
from calibration.learning.moments import moment
from calibration.learning.painter import Painter, lay
from calibration.learning.screens import Screen
from calibration.tiles import SIDE, cut
from solver.board import Tile
from solver.game import Status

NOT_TOLD = len(LABELS)
"""Index in place of a label that was not told."""

STATUSES = (Status.PLAYING, Status.WON, Status.LOST)

FRESH_SHARE, CLICKS_SHARE, BEFORE_SHARE, KNOWN_TOLD = 0.4, 0.3, 0.15, 0.08
"""How often each channel is told."""

NO_BOARDS = 0.06
"""Share of examples that are no board, or whose grid does not fit."""

_INDEX = np.zeros(32, np.int8)
_INDEX[np.array(LABELS, int)] = np.arange(len(LABELS))


@dataclass(frozen=True)
class Example:
    """Arrays of one grid; a reader fills them in the same way.

    ``views`` uint8 ``(rows, cols, SIDE, SIDE, 3)``; ``channels`` float32 ``(rows, cols, 5)``:
    whether the fresh board was seen, the tile's distance to its fresh picture and to the nearest
    fresh one, whether clicks are told, whether the player opened it; ``before`` and ``known`` are
    indices of `LABELS` or `NOT_TOLD`, int8 ``(rows, cols)``. ``labels`` likewise, ``status`` an
    index of `STATUSES`; both mean nothing unless ``is_board``.
    """

    views: NDArray[np.uint8]
    channels: NDArray[np.float32]
    before: NDArray[np.int8]
    known: NDArray[np.int8]
    labels: NDArray[np.int8]
    status: int
    is_board: bool


def index_of(tiles):
    """Return the indices of `Tile` values in `LABELS`."""
    return _INDEX[tiles]


def distances(views, fresh):
    """Return how far tiles are from the fresh board: at their place, and to the nearest tile.

    Mean differences over a tile as logarithms, so that 1, 10 and 100 grey levels are equal steps;
    float32 ``(rows, cols, 2)``. At most sixteen tiles of the fresh board are compared with all.
    """
    here, then = (
        np.ascontiguousarray(part.reshape(len(part) * part.shape[1], -1)[:, ::5], np.float32)
        for part in (views, fresh)
    )
    same = np.abs(here - then).mean(axis=1)
    some = then[:: max(1, len(then) // 16)][:16]
    nearest = np.minimum(same, np.min([np.abs(here - one).mean(axis=1) for one in some], axis=0))
    both = np.stack([same, nearest], axis=1).reshape(*views.shape[:2], 2)
    return (np.log1p(both) / 3).astype(np.float32)


def any_side(rng):
    """Return the side of a tile in pixels; small ones and 16 pixels more often."""
    kind = rng.random()
    if kind < 0.12:
        return 16
    if kind < 0.3:
        return int(rng.integers(10, 16))
    return round(float(np.exp(rng.uniform(np.log(16), np.log(44)))))


def examples(rng, characters, rows, cols, count=1):
    """Return so many examples of one look."""
    painter = Painter(rng, characters, any_side(rng))
    return [example(rng, painter, rows, cols) for _ in range(count)]


def example(rng, painter, rows, cols):
    """Return one example."""
    now, screen = moment(rng, rows, cols), Screen(rng, painter.side)
    scene = Scene(rng, painter, painter.paint(now.tiles), now.tiles.copy())
    happen(scene)
    margin = max(2, painter.side // 2)
    shown, scale = screen.show(painter.on_page(scene.board, margin))
    grid = _grid(rng, painter.side, margin, scale, rows, cols)
    is_board = rng.random() >= NO_BOARDS
    if not is_board:
        shown, grid = _no_board(rng, painter, shown, grid)
    views = cut(Frame(shown), grid, SIDE)
    channels = np.zeros((rows, cols, 5), np.float32)
    if rng.random() < FRESH_SHARE and is_board:
        fresh = painter.paint(np.full((rows, cols), Tile.HIDDEN, np.int8))
        then = screen.show(painter.on_page(fresh, margin))[0]
        channels[..., 0], channels[..., 1:3] = 1, distances(views, cut(Frame(then), grid, SIDE))
    if rng.random() < CLICKS_SHARE:
        channels[..., 3], channels[..., 4] = 1, now.opened
    return Example(views, channels, _told(rng, now.before, BEFORE_SHARE),
                   _told(rng, scene.labels, KNOWN_TOLD), index_of(scene.labels),
                   STATUSES.index(now.status), is_board)  # fmt: skip


def _told(rng, tiles, share):
    """Return labels as another reader tells them: mostly right, some left out, or none at all."""
    told = index_of(tiles)
    if rng.random() >= share:
        return np.full(tiles.shape, NOT_TOLD, np.int8)
    told = np.where(rng.random(tiles.shape) < rng.choice([0.0, 0.05, 0.3]), NOT_TOLD, told)
    wrong = rng.random(tiles.shape) < rng.choice([0.0, 0.01])
    return np.where(wrong, rng.integers(0, len(LABELS), tiles.shape), told).astype(np.int8)


def _grid(rng, side, margin, scale, rows, cols):
    """Return the grid of a board as a finder finds it: off by a few hundredths of a tile."""
    shift, stretch = np.clip(rng.normal(0, 0.02, 2), -0.07, 0.07), rng.normal(0, 0.02, 2)
    width, height = side * scale[0], side * scale[1]
    return Grid(margin * scale[0] + shift[0] * width, margin * scale[1] + shift[1] * height,
                width * (1 + stretch[0] / cols), height * (1 + stretch[1] / rows),
                rows, cols)  # fmt: skip


def _no_board(rng, painter, shown, grid):
    """Return what a finder may take for a board: a wrong grid, a photograph, or a page of words."""
    kind = rng.random()
    if kind < 0.3:
        return shown, grid.moved(rng.uniform(0.3, 0.7) * grid.tile_w, 0)
    if kind < 0.6:
        share = rng.choice([0.5, 0.75, 1.5])
        return shown, Grid(grid.x0, grid.y0, grid.tile_w * share, grid.tile_h * share,
                           grid.rows, grid.cols)  # fmt: skip
    if kind < 0.8:
        picture = scenery(rng, *shown.shape[:2])
    else:
        picture = np.tile(colour(rng).astype(np.float32), (*shown.shape[:2], 1))
        for _ in range(grid.rows * 2):
            sign = glyphs.text(painter.look.font, glyphs.words(rng), 0.5 * grid.tile_h,
                               rgb=colour(rng))  # fmt: skip
            lay(picture, sign, rng.random(2) * picture.shape[1::-1])
    return np.clip(picture * 255, 0, 255).astype(np.uint8), grid


def different(views):
    """Return the different pictures of ``(..., SIDE, SIDE, 3)``, and which each tile shows."""
    flat = np.ascontiguousarray(views).reshape(-1, SIDE * SIDE * 3)
    rows = flat.view(np.dtype((np.void, flat.shape[1]))).ravel()
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    pictures = flat[first].reshape(-1, SIDE, SIDE, 3)
    return pictures, which.reshape(views.shape[:-3]).astype(np.int64)


def prepare():
    """Let OpenCV use one thread: pictures of boards are too small for more."""
    cv2.setNumThreads(1)
