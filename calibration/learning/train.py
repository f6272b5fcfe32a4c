"""Train the reader of boards: ``minebot train reader --sets DIR``.

Every step draws its boards anew from the seed and its number. The folder gets ``state.pt``, from
which training goes on after a stop, ``curve.csv``, a line every few minutes, and ``reader.onnx``.
The minutes are of processor time, over all runs; the rate falls as they pass. Published tile sets
without a free licence are not trained on: they measure the curve.

The network is written for torch and exported as ONNX. Encoder: three convolutions over a tile's
view and over its close-up, with the same weights. Context: blocks of a 3x3 convolution over the
grid, attention between all tiles, and a small layer.
"""

from __future__ import annotations

import csv
import math
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from calibration.labels import LABELS, MINE, OTHER, QUESTION, ZERO
from calibration.learning import glyphs
from calibration.learning.boards import CHANNELS, boards_of, joined, scenes
from calibration.learning.happenings import moment
from calibration.learning.sheets import (
    EndlessSheets,
    any_side,
    drawn_sheet,
    has_free_licence,
    load_sets,
)
from calibration.read.network import HINTS, MARGIN, VIEW_SIDE

WIDTH, HEADS, BLOCKS = 96, 4, 3
"""Values of an encoded tile, heads of the attention, and blocks of the context."""

CONVOLUTIONS = 24, 48, 80

NUMBERS = 10
"""Plain numbers beside a view: its median and the board's mean, and how much it varies."""

LEAST_DEVIATION = 0.03


class Encoder(nn.Module):
    """Encodes tiles, one by one, and names each as well as it can by itself."""

    def __init__(self):
        super().__init__()
        first, second, third = CONVOLUTIONS
        self.layers = nn.Sequential(
            *_convolution(6, first, 5, 2), *_convolution(first, second, 3, 1), nn.MaxPool2d(2),
            *_convolution(second, third, 3, 1), nn.MaxPool2d(2), nn.Flatten(),
        )  # fmt: skip
        side = VIEW_SIDE // 8
        self.out = nn.Linear(2 * third * side * side + NUMBERS + HINTS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.names = nn.Linear(WIDTH, len(LABELS))

    def forward(self, views, close_ups, hints, mean):
        """Encode uint8 views and close-ups; ``mean`` ``(n, 3)`` is the mean colour of the board."""
        count = views.shape[0]
        pictures = torch.cat([views, close_ups]).permute(0, 3, 1, 2).float() / 255
        inner = pictures[:, :, MARGIN:-MARGIN, MARGIN:-MARGIN].flatten(2)
        median = inner.topk(inner.shape[2] // 2 + 1, 2).values[:, :, -1]
        deviation = inner.std(2).amax(1).clamp(min=LEAST_DEVIATION)
        means = torch.cat([mean, mean])
        by_board = (pictures - means[:, :, None, None]) * 2
        by_tile = (pictures - median[:, :, None, None]) / deviation[:, None, None, None] / 2
        found = self.layers(torch.cat([by_board, by_tile.clamp(-3, 3)], 1))
        numbers = torch.cat([median[:count] - mean, median[:count] - 0.5, mean - 0.5,
                             deviation[:count, None].log() / 2], 1)  # fmt: skip
        both = torch.cat([found[:count], found[count:], numbers, hints], 1)
        encoded = self.norm(self.out(both))
        return encoded, self.names(encoded)


def _convolution(inputs, outputs, size, stride):
    layer = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
    return layer, nn.BatchNorm2d(outputs), nn.ReLU()


class Block(nn.Module):
    """Mixes the tiles of a board: neighbours, all tiles, and each tile by itself."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.around = nn.Conv2d(WIDTH, WIDTH, 3, 1, 1)
        self.attend, self.attended = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, board):
        """Take and return ``(boards, rows, cols, WIDTH)``."""
        boards, rows, cols, _ = board.shape
        near = self.around(self.norms[0](board).permute(0, 3, 1, 2))
        board = board + functional.gelu(near).permute(0, 2, 3, 1)
        parts = self.attend(self.norms[1](board))
        parts = parts.reshape(boards, rows * cols, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        seen = seen.transpose(1, 2).reshape(boards, rows, cols, WIDTH)
        board = board + self.attended(seen)
        return board + self.narrow(functional.gelu(self.wide(self.norms[2](board))))


class BoardReader(nn.Module):
    """Names the tiles of boards, and says of each cell whether it is a tile of the board."""

    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.enter = nn.Linear(WIDTH + len(LABELS) + CHANNELS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.names, self.is_tile = nn.Linear(WIDTH, len(LABELS)), nn.Linear(WIDTH, 1)

    def context(self, encoded, named, channels):
        """Return logits ``(boards, rows, cols, 16)`` and ``(boards, rows, cols)``."""
        board = self.enter(torch.cat([encoded, named.float().softmax(-1), channels], -1))
        for block in self.blocks:
            board = block(board)
        board = self.norm(board)
        return self.names(board), self.is_tile(board)[..., 0]

    def forward(self, views, close_ups, hints, which, board_of, channels):
        """Read boards whose cells ``which`` names; ``board_of`` says whose each tile is."""
        inner = views[:, MARGIN:-MARGIN, MARGIN:-MARGIN].float().mean((1, 2)) / 255
        mean = inner[which].mean((1, 2))[board_of]
        encoded, named = self.encoder(views, close_ups, hints, mean)
        names, is_tile = self.context(encoded[which], named[which], channels)
        return names, is_tile, named


RATE, WEIGHT_DECAY, AVERAGED = 2e-3, 0.01, 0.995

TILES, MOST_BOARDS, OF_A_THEME = 3500, 40, 2
"""Cells of a batch of indexed boards, most boards of it, and boards of one theme."""

SCENES, SCENE_TILES = 0.25, 800
"""Share of batches that are painted as a whole, and their cells."""

SIZES = ((5, 5), (6, 6), (7, 7), (8, 8), (9, 9), (9, 9), (9, 9), (8, 10), (10, 10), (9, 12),
         (12, 12), (13, 15), (14, 18), (16, 16), (16, 16), (20, 12), (20, 24), (16, 30), (16, 30),
         (30, 16))  # fmt: skip

OWN_NAMES, IS_TILE = 0.3, 0.2
"""Weights of the loss of single tiles, and of whether cells are tiles."""

REPORT_S = 120
"""Processor time between lines of the curve."""

CURVE = (
    "minutes",
    "step",
    "boards",
    "loss",
    "tiles",
    "exact",
    "held_tiles",
    "held_exact",
    "held_fresh",
)


def train_reader(
    folder: Path, sets: Sequence[Path], *, minutes: float, seed: int, bank: int = 3000
) -> Path:
    """Train in a folder on tile sets, each a folder with its index.csv; return the network's file.

    ``bank`` is the number of drawn themes. A run that was stopped goes on; one whose minutes have
    passed only writes the network again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    training = Training(folder, sets, minutes=minutes, seed=seed, bank=bank)
    training.run()
    path = folder / "reader.onnx"
    export(training.mean.module, path)
    return path


def bank_of(folder, count, seed):
    """Return drawn sheets, kept in a file of the folder."""
    path = folder / f"bank-{seed}-{count}.pickle"
    if not path.exists():
        rng, characters = np.random.default_rng(seed), glyphs.characters()
        sheets = [drawn_sheet(rng, characters, any_side(rng)) for _ in range(count)]
        path.write_bytes(pickle.dumps(sheets))
    return pickle.loads(path.read_bytes())


@dataclass(frozen=True)
class Source:
    """Draws batches: which sheets, and the characters of words."""

    sheets: EndlessSheets
    characters: glyphs.Characters

    def batch(self, rng, size=None, cells=TILES, most=MOST_BOARDS, each=OF_A_THEME):
        """Return indexed boards."""
        rows, cols = size or SIZES[int(rng.integers(len(SIZES)))]
        count = max(2, min(most, cells // (rows * cols)) // each)
        return joined([boards_of(rng, self.sheets.any(rng, self.characters),
                                 [moment(rng, rows, cols) for _ in range(each)],
                                 self.characters)
                       for _ in range(count)])  # fmt: skip

    def scenes(self, rng):
        """Return painted boards."""
        rows, cols = (int(n) for n in rng.integers(6, 14, 2))
        count = max(2, SCENE_TILES // (rows * cols))
        return scenes(rng, self.characters, self.sheets, rows, cols, count)


class Training:
    """A run that can be stopped after any report and goes on from there."""

    def __init__(self, folder, sets, *, minutes, seed, bank):
        self.folder, self.sets, self.minutes = folder, sets, minutes
        self.seed, self.bank = seed, bank
        torch.manual_seed(seed)
        self.network = BoardReader()
        average = get_ema_multi_avg_fn(AVERAGED)
        self.mean = AveragedModel(self.network, multi_avg_fn=average, use_buffers=True)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY, betas=(0.9, 0.98)
        )
        self.step, self.boards, self.seconds = 0, 0, 0.0
        if (self.folder / "state.pt").exists():
            self._restore(torch.load(self.folder / "state.pt", weights_only=True))

    def run(self):
        """Train until the minutes have passed."""
        bank = bank_of(self.folder, self.bank, self.seed)
        sets = load_sets(self.sets, allowed=has_free_licence)
        held = load_sets(self.sets, allowed=lambda row: not has_free_licence(row))
        characters = glyphs.characters()
        source = Source(EndlessSheets(sets, bank), characters)
        self._held(Source(EndlessSheets(held, [], published=1.0), characters) if held else source)
        count, kept = (sum(map(len, one.values())) for one in (sets, held))
        weights = sum(p.numel() for p in self.network.parameters())
        print(f"{count} sets of {len(sets)} sources, {len(bank)} drawn themes; "
              f"{kept} sets held out; {weights} weights", file=sys.stderr)  # fmt: skip
        sums, started, reported = [], time.process_time(), self.seconds
        while self.seconds < 60 * self.minutes:
            rng = np.random.default_rng([self.seed, self.step])
            drawn = source.scenes(rng) if rng.random() < SCENES else source.batch(rng)
            sums.append(self._learn(drawn))
            self.step, self.boards = self.step + 1, self.boards + len(drawn.which)
            now = time.process_time()
            self.seconds, started = self.seconds + now - started, now
            if self.seconds - reported > REPORT_S or self.seconds >= 60 * self.minutes:
                self._report(np.mean(sums, axis=0))
                self._save()
                sums, started, reported = [], time.process_time(), self.seconds

    def _held(self, source):
        rng = np.random.default_rng(77)
        sizes = (9, 9), (9, 9), (8, 8), (16, 16), (10, 10), (12, 12)
        self.held = [source.batch(rng, size, 1200, 12, 1) for size in sizes]

    def _learn(self, batch):
        passed = min(1.0, self.seconds / (60 * self.minutes))
        rate = (
            RATE * min(1, (self.step + 1) / 100) * (0.02 + 0.49 * (1 + math.cos(math.pi * passed)))
        )
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.network.train()
        loss, right, exact = losses(self.network, batch)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.mean.update_parameters(self.network)
        return float(loss.detach()), float(right), float(exact)

    @torch.no_grad()
    def _report(self, sums):
        found = {}
        self.mean.eval()
        for seen in (False, True):
            results = [self._measured(batch, seen) for batch in self.held]
            found[seen] = np.mean(np.concatenate(results), axis=0)
        held = found[False][0], found[False][1], found[True][1]
        values = (f"{self.seconds / 60:.1f}", self.step, self.boards,
                  *(f"{value:.4f}" for value in (*sums, *held)))  # fmt: skip
        path = self.folder / "curve.csv"
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([CURVE, values] if new else [values])
        print(dict(zip(CURVE, values, strict=True)), file=sys.stderr, flush=True)

    def _measured(self, batch, seen):
        """Return the share of tiles right and whether all are, for each board."""
        inputs = list(tensors(batch))
        if not seen:
            inputs[-1] = torch.zeros_like(inputs[-1])
        names = self.mean.module(*inputs)[0]
        right = (names.argmax(-1) == torch.from_numpy(batch.labels)).flatten(1).float()
        return np.stack([right.mean(1), (right == 1).all(1).float()], axis=1)

    def _save(self):
        state = {
            "network": self.network.state_dict(), "mean": self.mean.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": [self.step, self.boards, self.seconds],
        }  # fmt: skip
        part = self.folder / "state.part"
        torch.save(state, part)
        part.replace(self.folder / "state.pt")

    def _restore(self, state):
        self.network.load_state_dict(state["network"])
        self.mean.load_state_dict(state["mean"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.boards, self.seconds = state["progress"]


def tensors(batch):
    """Return the inputs of the network."""
    return (torch.from_numpy(batch.views), torch.from_numpy(batch.close_ups.pictures),
            torch.from_numpy(batch.close_ups.hints), torch.from_numpy(batch.which),
            torch.from_numpy(batch.board_of), torch.from_numpy(batch.channels))  # fmt: skip


def label_weights():
    """Return how much each label counts: rare ones more, what is not a tile less."""
    weights = torch.ones(len(LABELS))
    weights[ZERO + 5 : ZERO + 9], weights[QUESTION], weights[MINE + 1 : OTHER] = 2.0, 2.5, 2.5
    weights[OTHER] = 0.5
    return weights


WEIGHTS = label_weights()


def losses(network, batch):
    """Return the loss, the share of tiles right, and of boards without a wrong tile."""
    labels, real = torch.from_numpy(batch.labels), torch.from_numpy(batch.tiles)
    of_tile = torch.from_numpy(batch.of_tile)
    with torch.autocast("cpu", torch.bfloat16):
        names, is_tile, named = network(*tensors(batch))
    names, is_tile, named = names.float(), is_tile.float(), named.float()
    there = real > 0
    loss = IS_TILE * functional.binary_cross_entropy_with_logits(is_tile, real)
    known = of_tile >= 0
    if known.any():
        loss = loss + OWN_NAMES * functional.cross_entropy(
            named[known], of_tile[known], WEIGHTS, label_smoothing=0.01
        )
    if there.any():
        loss = loss + functional.cross_entropy(
            names[there], labels[there], WEIGHTS, label_smoothing=0.01
        )
    right = (names.argmax(-1) == labels) | ~there
    return loss, right.float().mean(), right.flatten(1).all(1).float().mean()


class _Exported(torch.nn.Module):
    """One board, whose tiles are all of it."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, views, close_ups, hints, which, channels):
        board_of = torch.zeros_like(views[:, 0, 0, 0], dtype=torch.int64)
        names, is_tile, _ = self.network(
            views, close_ups, hints, which[None], board_of, channels[None]
        )
        return names[0], is_tile[0]


def export(network, path):
    """Write the network as ONNX, for one board of any size."""
    network = _Exported(network.eval())
    pictures = torch.zeros((5, 24, 24, 3), dtype=torch.uint8)
    which = torch.arange(42).reshape(6, 7) % 5
    inputs = pictures, pictures, torch.zeros(5, 4), which, torch.zeros(6, 7, 5)
    names = ["views", "close_ups", "hints", "which", "channels"]
    tiles, sizes = {0: "n"}, {0: "rows", 1: "cols"}
    torch.onnx.export(
        network, inputs, path, dynamo=False, opset_version=17, input_names=names,
        output_names=["names", "is_tile"],
        dynamic_axes={"views": tiles, "close_ups": tiles, "hints": tiles, "which": sizes,
                      "channels": sizes, "names": sizes, "is_tile": sizes},
    )  # fmt: skip
