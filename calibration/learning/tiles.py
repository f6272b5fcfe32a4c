r"""How the weights of the tile network (`calibration.classify.tile_network`) are made.

Boards are drawn in random themes, spoiled as screens do, and cut with the product's own code; the
result is the same for the same seed, fonts and versions of OpenCV and FreeType. The seed determines
the training on one kind of processor. The temperature is then fitted on tiles in fonts that were
not trained on. All of the network stands in its file, from the enlarged pictures to the
log-probabilities, so that the product only has to run it; the weights are rounded to float16.

To make the weights again, with the packages of ``packages.txt`` installed (processor time: a
millisecond a tile to draw, 0.25 to 0.4 ms a tile and epoch to train; one thread, below 4 GiB):

    python -m calibration.learning.tiles draw HELD.npz --tiles 12000 --held-out
    python -m calibration.learning.tiles draw T1.npz --tiles 75000 --seed 1   (and for more seeds)
    python -m calibration.learning.tiles train network.onnx.gz T1.npz T2.npz T3.npz T4.npz T5.npz \
        --held-out HELD.npz --epochs 5

It needs torch and onnx. The shipped weights were trained in JAX, with the same layers, in eight
stages of this kind, each with ``--start``, on 100,000 to 1,200,000 tiles, while the generators grew
(commits fd4f312, 352187b, 68f06f4, 2fd4b50 and 2c453bb): 95 minutes of one core. They are the mean
of the weights after the last three stages.
"""

from __future__ import annotations

import argparse
import gzip
import io
import math
import sys
from argparse import RawDescriptionHelpFormatter as Raw
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from calibration.classify.tile_network import (
    CLASSES,
    HINTS,
    INPUTS,
    PICTURE_SIDE,
    VIEW_SIDE,
    close_ups,
)
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.learning import glyphs
from calibration.learning.drawn_theme import SHARE_OF_KIND, DrawnTheme
from calibration.learning.painter import Display, lay
from calibration.learning.shapes import colour, scenery
from calibration.tiles import cut

INVISIBLE = 0.05
"""Largest change of a colour, as a share, by an invisible glyph: a red cross on red."""


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
    rows, cols = (5, 6) if tile < 60 else (3, 4)
    canvas, names, lines = draw(rng, characters, tile, rows, cols)
    if rng.random() < 0.1:  # as behind a dialog
        canvas += rng.uniform(0.2, 0.7) * (rng.choice([0.0, 0.0, 1.0]) - canvas)
    pixels, scale = Display(rng, tile).show(np.clip(canvas * 255 + 0.5, 0, 255).astype(np.uint8))
    shift, stretch = np.clip(rng.normal(0, 0.025, 2), -0.08, 0.08), rng.normal(1, 0.004, 2)
    pitch = tile * scale[0], tile * scale[1]
    grid = Grid(
        lines[0] * scale[0] + shift[0] * pitch[0], lines[1] * scale[1] + shift[1] * pitch[1],
        pitch[0] * stretch[0], pitch[1] * stretch[1], rows, cols,
    )  # fmt: skip
    cutout = cut(Frame(pixels), grid, PICTURE_SIDE)
    return cutout.reshape(-1, PICTURE_SIDE, PICTURE_SIDE, 3), names


def draw(rng, characters, tile, rows, cols):
    """Draw a board with a margin. Returns the canvas, the classes, and where the board begins."""
    theme = DrawnTheme(rng, characters, tile)
    margin = round(0.4 * tile) + 1
    size = round(rows * tile) + 2 * margin, round(cols * tile) + 2 * margin
    canvas = np.tile(theme.page.astype(np.float32), (*size, 1))
    names = list(rng.choice(list(SHARE_OF_KIND), rows * cols, p=list(SHARE_OF_KIND.values())))
    names = [str(rng.integers(1, 9)) if name == "digit" else str(name) for name in names]
    places = [divmod(k, cols) for k in range(rows * cols)]
    boxes = [_box(row, col, tile, margin) for row, col in places]
    for name, place, box in zip(names, places, boxes, strict=True):
        theme.background(name).draw(rng, canvas, box, place)
    if rng.random() < 0.04:
        canvas += rng.uniform(0.1, 0.5) * (scenery(rng, *canvas.shape[:2]) - canvas)
    for index, box in enumerate(boxes):
        glyph, place = theme.glyph(names[index])
        if glyph is not None:
            left, top, right, bottom = box
            before = canvas[top:bottom, left:right].copy()
            middle = (left + right) / 2 + place[0] * tile, (top + bottom) / 2 + place[1] * tile
            lay(canvas, glyph, middle, fringes=theme.effect == "lcd")
            if np.abs(canvas[top:bottom, left:right] - before).max() < INVISIBLE:
                names[index] = "empty"
    names = [_disturb(rng, canvas, name, box) for name, box in zip(names, boxes, strict=True)]
    if rng.random() < 0.05:
        names = _overlaid(rng, canvas, theme, names, boxes)
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


def _overlaid(rng, canvas, theme, names, boxes):
    """Lay large letters over the board, as at the end of a game; return what the tiles now show."""
    before = canvas.copy()
    for _ in range(int(rng.integers(1, 4))):
        high = min(rng.uniform(1, 3) * theme.tile, 300)
        sign = theme.characters.letter(rng, theme.font, "GAMEOVRWINLSTYagmeovrwinlst", high)
        glyph = glyphs.tinted(sign[..., 3], colour(rng))
        middle = rng.uniform(0, canvas.shape[1]), rng.uniform(0, canvas.shape[0])
        lay(canvas, glyph, middle)
    changed = np.abs(canvas - before).max(axis=2) > 0.05
    shares = [changed[top:bottom, left:right].mean() for left, top, right, bottom in boxes]
    return [name if share < 0.05 else "other" for name, share in zip(names, shares, strict=True)]


CHANNELS = (16, 32, 48, 32)
HIDDEN_UNITS = 48
BATCH = 256

LEAST_DEVIATION = 10.0
"""Grey steps: a flatter picture is not stretched to full contrast, so that noise stays small."""

UNLIKE_TRAINING = 0.003
"""Share of tiles that look like nothing the network was trained on, so that its answer is random.

Of tiles of real programs and pages that it named with a stated 0.999 or more, up to that many
were something else; generated tiles alone would let it state certainty.
"""


class TileNetwork(nn.Module):
    """From enlarged pictures and hints to the logarithms of how likely each of `CLASSES` is."""

    def __init__(self):
        super().__init__()
        self.convolutions = nn.ModuleList(
            nn.Conv2d(one, other, 3, padding=1) for one, other in pairwise((3, *CHANNELS))
        )
        side = VIEW_SIDE // 2 ** (len(CHANNELS) - 1)
        self.dropout = nn.Dropout(0.1)
        self.hidden = nn.Linear(side * side * CHANNELS[-1] + HINTS, HIDDEN_UNITS)
        self.last = nn.Linear(HIDDEN_UNITS, len(CLASSES))
        self.register_buffer("temperature", torch.ones(()))

    def logits(self, views, hints):
        values = views.permute(0, 3, 1, 2).float()
        values = values - values.mean((2, 3), keepdim=True)
        deviation = values.square().mean((1, 2, 3), keepdim=True).sqrt()
        values = values / deviation.clamp(min=LEAST_DEVIATION)
        for layer, convolution in enumerate(self.convolutions):
            values = torch.relu(convolution(values))
            if layer < len(CHANNELS) - 1:
                values = functional.max_pool2d(values, 2)
        features = torch.cat([values.permute(0, 2, 3, 1).flatten(1), hints - 0.5], 1)
        return self.last(torch.relu(self.hidden(self.dropout(features))))

    def forward(self, views, hints):
        chances = (self.logits(views, hints) / self.temperature).softmax(-1)
        return ((1 - UNLIKE_TRAINING) * chances + UNLIKE_TRAINING / len(CLASSES)).log()


def write(path, network):
    """Write the network as the product runs it; rounds its weights."""
    for weights in network.eval().parameters():
        weights.data = weights.data.half().float()
    views = torch.zeros((2, VIEW_SIDE, VIEW_SIDE, 3), dtype=torch.uint8)
    file, tiles = io.BytesIO(), {0: "n"}
    torch.onnx.export(
        network, (views, torch.zeros(2, HINTS)), file, dynamo=False, opset_version=17,
        input_names=INPUTS, output_names=["scores"],
        dynamic_axes={"views": tiles, "hints": tiles, "scores": tiles},
    )  # fmt: skip
    path.write_bytes(gzip.compress(file.getvalue(), mtime=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=Raw)
    commands = parser.add_subparsers(dest="command", required=True)
    draws = commands.add_parser("draw", help="draw labelled tiles")
    draws.add_argument("out", type=Path)
    draws.add_argument("--tiles", type=int, default=400_000)
    draws.add_argument("--seed", type=int, default=1)
    draws.add_argument("--held-out", action="store_true", help="fonts that are not trained on")
    trains = commands.add_parser("train", help="train the network on them")
    trains.add_argument("out", type=Path, help="the network; its state is saved beside it")
    trains.add_argument("tiles", type=Path, nargs="+")
    trains.add_argument("--held-out", type=Path, required=True)
    trains.add_argument("--epochs", type=float, default=5)
    trains.add_argument("--rate", type=float, default=2e-3)
    trains.add_argument("--seed", type=int, default=1)
    trains.add_argument("--start", type=Path, nargs="+", help="go on from the mean of states")
    commands.add_parser("packages", help="list the packages of the installed fonts")
    options = parser.parse_args()
    if options.command == "packages":
        print("\n".join(glyphs.packages()))
    elif options.command == "draw":
        save_tiles(options)
    else:
        train(options)


def save_tiles(options):
    """Draw tiles and write them into a file."""
    cv2.setNumThreads(1)
    views, hints, labels = generate(options.tiles, options.seed, held_out=options.held_out)
    np.savez(options.out, views=views, hints=hints, labels=labels)


def train(options):
    """Train the network, fit its temperature, and write it."""
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    tiles = [torch.cat(parts) for parts in zip(*map(load, options.tiles), strict=True)]
    network = TileNetwork()
    if options.start:
        states = [torch.load(path, weights_only=True) for path in options.start]
        means = {name: torch.stack([one[name] for one in states]).mean(0) for name in states[0]}
        network.load_state_dict(means)
    fit(network, *tiles, options)
    views, hints, labels = load(options.held_out)
    with torch.no_grad():
        parts = zip(views.split(512), hints.split(512), strict=True)
        logits = torch.cat([network.eval().logits(*part) for part in parts])
    network.temperature.fill_(fit_temperature(logits, labels))
    write(options.out, network)
    torch.save(network.state_dict(), options.out.with_suffix(".pt"))
    right = (logits.argmax(1) == labels).double().mean()
    print(f"temperature {network.temperature:.3f}, held out {100 * right:.2f} % right, "
          f"{options.out.stat().st_size} bytes")  # fmt: skip


def load(path):
    """Return the views, hints and labels of a file."""
    with np.load(path) as file:
        views, hints, labels = (
            torch.from_numpy(file[name]) for name in ("views", "hints", "labels")
        )
    return views, hints, labels.long()


def fit(network, views, hints, labels, options):
    """Minimise cross-entropy with Adam and a falling rate."""
    steps = int(options.epochs * len(labels) / BATCH)
    warm = min(300, steps // 10 + 1)
    optimizer = torch.optim.AdamW(network.parameters(), options.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: min((k + 1) / warm, (1 + math.cos(math.pi * k / steps)) / 2)
    )
    order, losses = torch.empty(0, dtype=torch.long), []
    for k in range(steps):
        if len(order) < BATCH:
            order = torch.randperm(len(labels))
        batch, order = order[:BATCH], order[BATCH:]
        logits = network.train().logits(views[batch], hints[batch])
        loss = functional.cross_entropy(logits, labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
        if k % 250 == 249:
            print(
                f"step {k + 1} of {steps}: loss {np.mean(losses):.4f}", file=sys.stderr, flush=True
            )
            losses = []


def fit_temperature(logits, labels):
    """Return the temperature of the least cross-entropy."""
    return min(
        np.arange(0.3, 3.0, 0.01).tolist(),
        key=lambda temperature: float(functional.cross_entropy(logits / temperature, labels)),
    )


if __name__ == "__main__":
    main()
