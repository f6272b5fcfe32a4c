"""Score a board model: ``python -m tests.bench.score_board_model MODEL.onnx FOLDER...``.

The folders hold labelled pictures as `tests.bench.score_pages` takes them. The true grid is given,
or the one that is found where a label tells none; a picture is skipped, and named, if none of its
size is found. Each picture is read alone: nothing is known of the game before. A board is told if
its least sure tile has the probability of the threshold. Prints a table of boards told exactly, in
part (some tiles are unknown) and wrong, beside the present reader on the same grids; with
``--list`` each picture whose likeliest labels are not exact, and the tiles that are wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import onnxruntime

from calibration.calibration import calibrate
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import recognise
from calibration.errors import CalibrationError
from calibration.images import load_image
from calibration.learning.examples import LABELS, NOT_TOLD, STATUSES, different, distances
from calibration.rules import impossible_numbers
from calibration.tiles import SIDE, cut
from solver.board import TEXT_OF_TILE, Board, Tile
from solver.game import Status
from tests.bench.score_pages import PICTURES, grid_of, judge, labelled_pictures

PLACES = (0, 0), (0.03, 0), (-0.03, 0), (0, 0.03), (0, -0.03)
"""Where ``--shifts`` reads the board, in tiles from its grid."""

SHIFTS = len(PLACES)

THRESHOLDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--list", action="store_true", help="name what is not told exactly")
    parser.add_argument("--fresh", action="store_true", help="the board NAME_fresh was seen before")
    parser.add_argument("--rules", action="store_true", help="refuse boards with wrong numbers")
    parser.add_argument("--shifts", action="store_true", help="the mean of five readings, moved")
    parser.add_argument("--model-only", action="store_true", help="without the present reader")
    options = parser.parse_args()
    model = Model(options.model)
    counts, statuses = defaultdict(Counter), Counter()
    for label, picture in labelled_pictures(options.folders):
        truth = json.loads(label.read_text())
        if "expect" in truth:
            continue
        board = Board.from_text("\n".join(truth["state"]), truth.get("mines"))
        over = Status(truth["status"]) is not Status.PLAYING
        kind = "finished" if over else "in play"
        frame = load_image(picture)
        grid = grid_of(truth) or found(frame, board.tiles.shape)
        if grid is None:
            print(f"{label.parent.name}/{label.stem}: no grid", file=sys.stderr)
            continue
        fresh = fresh_tiles(label, board.tiles.shape) if options.fresh else None
        tiles, chance, status = model.read(frame, grid, fresh, SHIFTS if options.shifts else 1)
        if options.rules and impossible_numbers(tiles).any():
            chance = np.zeros_like(chance)
        result = judge(tiles, board.tiles, over=over)
        for threshold in THRESHOLDS:
            name = result.split(":")[0].split(" + ")[0] if chance.min() >= threshold else "refused"
            counts[kind, threshold][name] += 1
        statuses[kind, status.value == truth["status"]] += 1
        if options.list and not result.startswith("exact"):
            tell(f"{label.parent.name}/{label.stem}", kind, tiles, chance, board.tiles)
        if not options.model_only:
            counts[kind, "present"][present(frame, grid, board, over=over)] += 1
    show(counts)
    for kind in ("in play", "finished"):
        print(f"{kind}: status right {statuses[kind, True]}, wrong {statuses[kind, False]}")
    print(f"480 tiles, all different: {speed(model):.0f} ms of processor time, median of 9")


class Model:
    """An ONNX file, run on one thread."""

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])

    def read(self, frame, grid, fresh=None, shifts=1):
        """Return tiles, the probability of each, and the status.

        ``fresh`` are the tile pictures of the board before the first click, None if not seen.
        """
        mean, statuses = 0.0, 0.0
        for x, y in PLACES[:shifts]:
            moved = grid.moved(x * grid.tile_w, y * grid.tile_h)
            labels, status, _ = self.run(cut(frame, moved, SIDE), fresh)
            chances = np.exp(labels - labels.max(axis=2, keepdims=True))
            mean = mean + chances / chances.sum(axis=2, keepdims=True) / shifts
            statuses = statuses + status
        tiles = np.array(LABELS, np.int8)[mean.argmax(axis=2)]
        return tiles, mean.max(axis=2), STATUSES[int(statuses.argmax())]

    def run(self, views, fresh=None):
        """Return the logits of the labels, the status and of being a board."""
        shape = 1, *views.shape[:2]
        pictures, which = different(views)
        nothing = np.full(shape, NOT_TOLD, np.int64)
        channels = np.zeros((*shape, 5), np.float32)
        if fresh is not None:
            channels[0, ..., 0], channels[0, ..., 1:3] = 1, distances(views, fresh)
        values = {
            "pictures": pictures, "which": which[None], "before": nothing, "known": nothing,
            "channels": channels,
        }  # fmt: skip
        labels, status, board = self.session.run(None, values)
        return labels[0], status[0], float(board[0])


def fresh_tiles(label, shape):
    """Return the tile pictures of the fresh board of the same name and size, None without one."""
    path = label.with_name(label.stem.rpartition("_")[0] + "_fresh.json")
    if not path.exists() or path == label:
        return None
    truth = json.loads(path.read_text())
    grid = grid_of(truth)
    if (grid.rows, grid.cols) != shape:
        return None
    pictures = (path.with_suffix(ending) for ending in PICTURES)
    return cut(load_image(next(p for p in pictures if p.exists())), grid, SIDE)


def found(frame, shape):
    """Return the grid that is found in a picture, None unless it has so many rows and columns."""
    try:
        grid = calibrate(frame).grid
    except CalibrationError:
        return None
    return grid if (grid.rows, grid.cols) == shape else None


def present(frame, grid, board, *, over):
    """Return what the present reader makes of the same grid."""
    try:
        seen = recognise(frame, grid)
    except CalibrationError:
        return "refused"
    tiles = np.where(seen.confidence >= MARGIN, seen.tiles, np.int8(Tile.UNKNOWN))
    return judge(tiles, board.tiles, over=over).split(":")[0].split(" + ")[0]


def tell(name, kind, tiles, chance, truth):
    """Print which tiles are named wrong, and as what."""
    off = (tiles != truth) & (truth != Tile.UNKNOWN)
    pairs = Counter(
        (TEXT_OF_TILE[a], TEXT_OF_TILE[b])
        for a, b in zip(truth[off].tolist(), tiles[off].tolist(), strict=True)
    )
    shown = ", ".join(f"{a} as {b} {n}" for (a, b), n in pairs.most_common(5))
    print(f"{name:34} {kind:8} {off.sum():4} of {off.size}, surest wrong "
          f"{chance[off].max():.3f}: {shown}")  # fmt: skip


def show(counts):
    names = "exact", "unknown", "wrong", "refused"
    for kind in ("in play", "finished"):
        total = sum(counts[kind, THRESHOLDS[0]].values())
        print(f"\n{kind}, {total} pictures\n\n| threshold | " + " | ".join(names))
        print("|---" * 5 + "|")
        for threshold in (*THRESHOLDS, "present"):
            row = counts[kind, threshold]
            print(f"| {threshold} | " + " | ".join(str(row[name]) for name in names) + " |")
    print()


def speed(model):
    """Return the milliseconds that a board of 480 different tiles takes."""
    views = np.random.default_rng(0).integers(0, 256, (16, 30, SIDE, SIDE, 3), dtype=np.uint8)
    times = []
    for _ in range(9):
        started = time.process_time()
        model.run(views)
        times.append(1e3 * (time.process_time() - started))
    return float(np.median(times))


if __name__ == "__main__":
    main()
