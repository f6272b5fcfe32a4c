"""Score the network on labelled screenshots: ``python -m tests.bench.score_tile_network DIR``.

Each picture has a JSON file beside it with its true grid and board, as `tests/bench/score_pages.py`
reads it; single tiles are named without any context. Prints what the tiles of each kind were named,
the digits right in each folder, and how often the network was right for each range of stated
probabilities. Hidden tiles and open ones without a number count as right where they are named
empty; a page that draws something on them, or draws its flags as plain colours, shows in the rows
of `named`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from calibration.classify.tile_network import CLASSES, PICTURE_SIDE, label_scores, load_network
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.images import load_image
from calibration.tiles import cut

SHOWS = {"#": "empty", "0": "empty", "F": "flag", "?": "question", "*": "mine", "X": "exploded",
         "W": "wrong_flag"} | {digit: digit for digit in "12345678"}  # fmt: skip

EDGES = (0.0, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999, 1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--tiles", type=Path, help="score generated tiles too (their NPZ file)")
    parser.add_argument("--faults", type=int, default=0, help="list so many wrong tiles")
    parser.add_argument("--scale", type=float, default=1.0, help="enlarge or shrink the pictures")
    options = parser.parse_args()
    rows = [row for folder in options.folders for row in tiles(folder, options.scale)]
    programs, places, truths, scores = (list(column) for column in zip(*rows, strict=True))
    scores, truths = np.array(scores), np.array([CLASSES.index(truth) for truth in truths])
    table_of_classes(truths, scores)
    table_of_programs(programs, truths, scores)
    print("\nreliability, digits only:")
    digits = np.isin(truths, np.arange(1, 9)) | np.isin(scores.argmax(axis=1), np.arange(1, 9))
    table_of_reliability(truths[digits], scores[digits])
    print("\nreliability, all tiles:")
    table_of_reliability(truths, scores)
    if options.tiles:
        generated(options.tiles)
    wrong = np.flatnonzero(digits & (scores.argmax(axis=1) != truths))
    for k in wrong[: options.faults]:
        named = CLASSES[scores[k].argmax()]
        print(f"{programs[k]} {places[k]}: {CLASSES[truths[k]]} named {named} "
              f"{np.exp(scores[k].max()):.3f}", file=sys.stderr)  # fmt: skip
    speed()


def tiles(folder, scale):
    """Return program, place, true class and scores of every tile under a folder."""
    rows = []
    for label in sorted(folder.rglob("*.json")):
        data = json.loads(label.read_text())
        if "state" not in data or "covered" in label.parts:
            continue
        state, grid = data["state"], data["grid"]
        picture = next(label.with_suffix(kind) for kind in (".webp", ".png")
                       if label.with_suffix(kind).exists())  # fmt: skip
        frame, x, y = scaled(load_image(picture), scale)
        place = Grid(grid["x0"] * x, grid["y0"] * y, grid["tile_w"] * x, grid["tile_h"] * y,
                     len(state), len(state[0]))  # fmt: skip
        pictures = cut(frame, place, PICTURE_SIDE)
        scores = label_scores(pictures.reshape(-1, PICTURE_SIDE, PICTURE_SIDE, 3))
        program = data.get("program") or data["clone"]
        rows += [
            (program, f"{label.stem} {divmod(k, len(state[0]))}", SHOWS[sign], scores[k])
            for k, sign in enumerate("".join(state))
        ]
    return rows


def scaled(frame, scale):
    """Return the frame at another size, and how much wider and higher it became."""
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    size = round(frame.width * scale), round(frame.height * scale)
    pixels = cv2.resize(frame.pixels, size, interpolation=method)
    return Frame(pixels), size[0] / frame.width, size[1] / frame.height


def table_of_classes(truths, scores):
    print("| shows | tiles | right | named otherwise |\n|---|---|---|---|")
    for truth in np.unique(truths):
        named = Counter(CLASSES[k] for k in scores[truths == truth].argmax(axis=1))
        right = named.pop(CLASSES[truth], 0)
        others = ", ".join(f"{name} {count}" for name, count in named.most_common())
        print(f"| {CLASSES[truth]} | {(truths == truth).sum()} | {right} | {others} |")


def table_of_programs(programs, truths, scores):
    counts = defaultdict(lambda: np.zeros(6, int))
    named = scores.argmax(axis=1)
    for program, truth, name in zip(programs, truths, named, strict=True):
        digit, called = 1 <= truth <= 8, 1 <= name <= 8
        mark = not digit and truth != 0
        counts[program] += (digit, digit and name == truth, not digit, not digit and called,
                            mark, mark and name == truth)  # fmt: skip
    print("\n| program | digits | right | no digit | named a digit | flags, mines, ... | right |")
    print("|---" * 7 + "|")
    for program, row in sorted(counts.items()):
        print(f"| {program} | " + " | ".join(map(str, row)) + " |")
    print("| all | " + " | ".join(map(str, sum(counts.values()))) + " |")


def table_of_reliability(truths, scores):
    """Print how often the named class was right, for each range of its stated probability."""
    stated, right = np.exp(scores.max(axis=1)), scores.argmax(axis=1) == truths
    print("| stated | tiles | mean stated | right |\n|---|---|---|---|")
    for low, high in pairwise(EDGES):
        inside = (stated > low) & (stated <= high)
        if inside.any():
            print(f"| {low} to {high} | {inside.sum()} | {stated[inside].mean():.4f} "
                  f"| {right[inside].mean():.4f} |")  # fmt: skip


def generated(path):
    """Score generated tiles, whose views are in the file."""
    with np.load(path) as file:
        seen, truths = {name: file[name] for name in ("views", "hints")}, file["labels"]
    (scores,) = load_network().run(None, seen)
    print("\ngenerated tiles:")
    table_of_classes(truths, scores)
    table_of_reliability(truths, scores)


def speed():
    """Print how long 20 tiles and a board of 480 take."""
    rng = np.random.default_rng(0)
    for count in (20, 480):
        pictures = rng.integers(0, 256, (count, PICTURE_SIDE, PICTURE_SIDE, 3), dtype=np.uint8)
        times = []
        for _ in range(15):
            started = time.process_time()
            label_scores(pictures)
            times.append(1e3 * (time.process_time() - started))
        print(f"{count} tiles: {np.median(times):.1f} ms of processor time, median of 15")


if __name__ == "__main__":
    main()
