"""Generate labelled tiles: ``python -m calibration.learning.tile_network.generate OUT.npz``.

Draws boards in random looks, spoils them as screens do, and cuts them with the product's own code.
The result is the same for the same seed, fonts and versions of OpenCV and FreeType. ``--packages``
lists the Debian packages that the fonts come from.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import cv2
import numpy as np

from calibration.classify.tile_network import CLASSES, PICTURE_SIDE, close_ups
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.learning import glyphs
from calibration.learning.looks import SHARE_OF_KIND, Look
from calibration.learning.painter import lay
from calibration.learning.shapes import colour, scenery
from calibration.tiles import cut

INVISIBLE = 0.05
"""Largest change of a colour, as a share, by an invisible glyph: a red cross on red."""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--tiles", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true", help="fonts that are not trained on")
    parser.add_argument("--packages", action="store_true", help="list the fonts' packages and end")
    options = parser.parse_args()
    if options.packages:
        print("\n".join(glyphs.packages()))
        return
    cv2.setNumThreads(1)
    started = time.perf_counter()
    views, hints, labels = generate(options.tiles, options.seed, held_out=options.held_out)
    np.savez(options.out, views=views, hints=hints, labels=labels)
    print(f"{len(labels)} tiles in {time.perf_counter() - started:.0f} s", file=sys.stderr)


def generate(count, seed, *, held_out=False):
    """Return views and hints as `close_ups` makes them, and the index of each tile's class."""
    rng = np.random.default_rng([seed, int(held_out)])
    characters = glyphs.characters(held_out=held_out)
    pictures, labels, parts = [], [], []
    done = 0
    while done < count:
        shown, names = board(rng, characters)
        pictures.append(shown)
        labels += names
        done += len(names)
        if sum(map(len, pictures)) > 4096 or done >= count:
            parts.append(close_ups(np.concatenate(pictures)))
            pictures = []
    return (
        np.concatenate([part.views for part in parts])[:count],
        np.concatenate([part.hints for part in parts])[:count],
        np.array([CLASSES.index(name) for name in labels], np.uint8)[:count],
    )


def board(rng, characters):
    """Return the tile pictures of one board, and their class names."""
    tile = np.exp(rng.uniform(np.log(10), np.log(72)))
    if rng.random() < 0.08:
        tile = rng.uniform(72, 200)
    elif rng.random() < 0.06:
        tile = rng.uniform(8, 12)
    enlarged = int(rng.integers(2, 6)) if rng.random() < 0.06 else 1
    if enlarged > 1:
        tile = rng.uniform(10, 22)
    rows, cols = (5, 6) if tile < 60 else (3, 4)
    canvas, names, lines = draw(rng, characters, tile, rows, cols)
    if enlarged > 1:
        canvas = canvas.repeat(enlarged, axis=0).repeat(enlarged, axis=1)
        tile, lines = tile * enlarged, (lines[0] * enlarged, lines[1] * enlarged)
    pixels, scale = spoil(rng, canvas, tile)
    shift, stretch = np.clip(rng.normal(0, 0.025, 2), -0.08, 0.08), rng.normal(1, 0.004, 2)
    pitch = tile * scale
    grid = Grid(
        lines[0] * scale[0] + shift[0] * pitch[0], lines[1] * scale[1] + shift[1] * pitch[1],
        pitch[0] * stretch[0], pitch[1] * stretch[1], rows, cols,
    )  # fmt: skip
    cutout = cut(Frame(pixels), grid, PICTURE_SIDE)
    return cutout.reshape(-1, PICTURE_SIDE, PICTURE_SIDE, 3), names


def draw(rng, characters, tile, rows, cols):
    """Draw a board with a margin. Returns the canvas, the classes, and where the board begins."""
    look = Look(rng, characters, tile)
    margin = round(0.4 * tile) + 1
    size = round(rows * tile) + 2 * margin, round(cols * tile) + 2 * margin
    canvas = np.tile(look.page.astype(np.float32), (*size, 1))
    names = list(rng.choice(list(SHARE_OF_KIND), rows * cols, p=list(SHARE_OF_KIND.values())))
    names = [str(rng.integers(1, 9)) if name == "digit" else str(name) for name in names]
    places = [divmod(k, cols) for k in range(rows * cols)]
    boxes = [_box(row, col, tile, margin) for row, col in places]
    for name, place, box in zip(names, places, boxes, strict=True):
        look.background(name).draw(rng, canvas, box, place)
    if rng.random() < 0.04:
        canvas += rng.uniform(0.1, 0.5) * (scenery(rng, *canvas.shape[:2]) - canvas)
    for index, box in enumerate(boxes):
        glyph, place = look.glyph(names[index])
        if glyph is not None:
            left, top, right, bottom = box
            before = canvas[top:bottom, left:right].copy()
            middle = (left + right) / 2 + place[0] * tile, (top + bottom) / 2 + place[1] * tile
            lay(canvas, glyph, middle, fringes=look.effect == "lcd")
            if np.abs(canvas[top:bottom, left:right] - before).max() < INVISIBLE:
                names[index] = "empty"
    names = [_disturb(rng, canvas, name, box) for name, box in zip(names, boxes, strict=True)]
    if rng.random() < 0.05:
        names = _overlaid(rng, canvas, look, names, boxes)
    return canvas, names, (margin, margin)


def _box(row, col, tile, margin):
    edges = (col * tile, row * tile, (col + 1) * tile, (row + 1) * tile)
    return tuple(margin + round(edge) for edge in edges)


def _disturb(rng, canvas, name, box):
    """Now and then tint a tile, ring it, or cover a part of it; return what it now shows."""
    left, top, right, bottom = box
    area, side = canvas[top:bottom, left:right], right - left
    kind = rng.random()
    if kind < 0.03:
        area += rng.uniform(0.1, 0.4) * (colour(rng) - area)
    elif kind < 0.055:
        wide, near = (
            max(1, round(rng.uniform(0.02, 0.07) * side)),
            round(rng.uniform(0, 0.1) * side),
        )
        ring = canvas[top + near : bottom - near, left + near : right - near]
        rgb = colour(rng)
        for part in (ring[:wide], ring[-wide:], ring[:, :wide], ring[:, -wide:]):
            part[:] = rgb
    elif kind < 0.075:
        share = rng.uniform(0.5, 0.9)
        cover = scenery(rng, *area.shape[:2]) if rng.random() < 0.5 else colour(rng)
        along = round(share * side)
        part = [np.s_[:along], np.s_[-along:], np.s_[:, :along], np.s_[:, -along:]][rng.integers(4)]
        area[part] = cover[part] if cover.ndim == 3 else cover
        return "other"
    elif kind < 0.085:
        area[:] = scenery(rng, *area.shape[:2])
        return "other"
    return name


def _overlaid(rng, canvas, look, names, boxes):
    """Lay large letters over the board, as at the end of a game; return what the tiles now show."""
    before = canvas.copy()
    for _ in range(int(rng.integers(1, 4))):
        high = min(rng.uniform(1, 3) * look.tile, 300)
        sign = look.characters.letter(rng, look.font, "GAMEOVRWINLSTYagmeovrwinlst", high)
        glyph = glyphs.tinted(sign[..., 3], colour(rng))
        middle = rng.uniform(0, canvas.shape[1]), rng.uniform(0, canvas.shape[0])
        lay(canvas, glyph, middle)
    changed = np.abs(canvas - before).max(axis=2) > 0.05
    shares = [changed[top:bottom, left:right].mean() for left, top, right, bottom in boxes]
    return [name if share < 0.05 else "other" for name, share in zip(names, shares, strict=True)]


def spoil(rng, canvas, tile):
    """Return the board as a screen shows it, uint8, and the scale to its pixels."""
    height, width = canvas.shape[:2]
    scale = np.ones(2)
    if rng.random() < 0.1:
        canvas = canvas[..., rng.permutation(3)]
    if rng.random() < 0.06:
        canvas = 1 - canvas
    if rng.random() < 0.1:
        share, towards = rng.uniform(0.2, 0.7), rng.choice([0.0, 0.0, 1.0])
        canvas = canvas + share * (towards - canvas)
    if rng.random() < 0.05:
        canvas = np.clip(canvas, 0, 1) ** rng.uniform(0.6, 1.6)
    if rng.random() < 0.25:
        factor = rng.uniform(max(0.6, 8 / tile), 2.2 if tile < 40 else 1.1)
        method = rng.choice([cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA])
        size = max(8, round(width * factor)), max(8, round(height * factor))
        canvas = cv2.resize(np.ascontiguousarray(canvas), size, interpolation=int(method))
        scale = np.array([size[0] / width, size[1] / height])
    if rng.random() < 0.15:
        canvas = cv2.GaussianBlur(canvas, (0, 0), rng.uniform(0.3, 0.02 * tile + 0.4))
    if rng.random() < 0.12:
        canvas = canvas + rng.normal(0, rng.uniform(0.004, 0.035), canvas.shape)
    pixels = np.clip(canvas * 255 + 0.5, 0, 255).astype(np.uint8)
    if rng.random() < 0.15:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 96))]
        pixels = cv2.imdecode(cv2.imencode(".jpg", pixels, quality)[1], cv2.IMREAD_COLOR)
    return np.ascontiguousarray(pixels), scale


if __name__ == "__main__":
    main()
