"""Score a folder of labelled pages: ``python -m tests.bench.score_pages FOLDER [--fresh]``.

FOLDER holds one folder a page, with pictures ``NAME_fresh.png``, ``NAME_mid.png`` and
``NAME_end.png``, each with a JSON file of the same name that tells grid, board and status. Prints
for each picture whether it was read exactly, by which error it was refused, or what was told wrong.
With ``--fresh`` the pictures of a board are read as in play: one reader, calibrated on the first.
Ends with how often a stated confidence was right (``--plot FILE`` draws it), and exits with 1 if
anything was told wrong.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from calibration.calibration import calibrate
from calibration.classify.recognise import recognise
from calibration.errors import CalibrationError
from calibration.grid import Grid
from calibration.images import load_image
from calibration.points import PixelPoint
from calibration.reader import Reader
from solver.arena.plots import pyplot, save_figure
from solver.arena.statistics import wilson
from solver.board import Board

STAGES = ("fresh", "mid", "end")

STEPS = (0.0, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Limits of the stated confidences between which frequencies are counted."""

LEAST_DOUBT = 1e-4
"""Stated doubts below this are drawn here."""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--plot", type=Path, help="draw the reliability of all stated confidences")
    parser.add_argument("--fresh", action="store_true", help="read as in play")
    parser.add_argument("--grids", action="store_true", help="the true grids are given")
    options = parser.parse_args()
    results, stated = Counter(), []
    for first in sorted(path for folder in options.folder for path in folder.rglob("*_fresh.json")):
        reader = last = None
        for stage in STAGES:
            label = first.with_name(first.name.replace("_fresh", f"_{stage}"))
            if not label.exists():
                continue
            truth, picture = json.loads(label.read_text()), load_image(label.with_suffix(".png"))
            grid, board = true_grid(truth)
            if options.grids:
                result = score_tiles(picture, grid, board, stated)
            else:
                # A board that moved is found again, as in play.
                reader = reader if options.fresh and grid == last else None
                last = grid
                result, reader = score(picture, grid, board, truth["status"], reader, stated)
            results[result.split(":")[0]] += 1
            print(f"{label.parent.name}/{label.stem:24} {result}", flush=True)
    total = sum(results.values())
    print(f"{total} pictures: " + ", ".join(f"{n} {name}" for name, n in results.most_common()))
    print_reliability(stated)
    if options.plot:
        plot_reliability(stated, options.plot)
    return 1 if results["wrong"] else 0


def true_grid(truth):
    """Return the grid and the board that a label tells."""
    board, grid = Board.from_text("\n".join(truth["state"]), truth["mines"]), truth["grid"]
    place = (grid[key] for key in ("x0", "y0", "tile_w", "tile_h"))
    return Grid(*place, board.rows, board.cols), board


def score(picture, grid, board, status, reader, stated):
    """Read a picture as a user does; return the result, and the reader for the next picture."""
    middle = PixelPoint(
        grid.x0 + grid.cols * grid.tile_w / 2, grid.y0 + grid.rows * grid.tile_h / 2
    )
    try:
        reader = reader or Reader(calibrate(picture, near=middle))
        reading = reader.read(picture)
    except CalibrationError as error:
        return f"refused: {type(error).__name__}: {error}", reader
    if reading.board.tiles.shape != board.tiles.shape:
        return f"wrong: grid {reading.board.rows}x{reading.board.cols}", reader
    wrong = reading.board.tiles != board.tiles
    stated.extend(zip(reading.tile_confidence.ravel(), ~wrong.ravel(), strict=True))
    if wrong.any():
        return f"wrong: {wrong.sum()} tiles, first {np.argwhere(wrong)[0].tolist()}", reader
    if reading.status.value != status:
        return f"wrong: status {reading.status.value}", reader
    return "exact", reader


def score_tiles(picture, grid, board, stated):
    """Recognise the tiles of a known grid."""
    seen = recognise(picture, grid)
    wrong = (seen.tiles != board.tiles) & (seen.confidence >= 0.5)
    stated.extend(zip(seen.confidence.ravel(), (seen.tiles == board.tiles).ravel(), strict=True))
    unread = int((seen.confidence < 0.5).sum())
    if wrong.any():
        return f"wrong: {wrong.sum()} tiles, first {np.argwhere(wrong)[0].tolist()}"
    return f"refused: {unread} tiles" if unread else "exact"


def plot_reliability(stated, path):
    """Draw how often tiles were wrong, with 95 % intervals, over the doubt that was stated.

    Both axes are logarithmic. Where no tile was wrong, an arrow hangs from the interval's end.
    """
    figure, axes = pyplot().subplots(figsize=(6, 4.5), layout="constrained")
    confidence, right = (np.array(values) for values in zip(*stated, strict=True))
    for low, high in zip(STEPS, (*STEPS[1:-1], 1.01), strict=False):
        here = (confidence >= low) & (confidence < high)
        if not here.any():
            continue
        wrong = wilson(int((~right[here]).sum()), int(here.sum()))
        doubt = max(LEAST_DOUBT, float((1 - confidence[here]).mean()))
        if wrong.value:
            axes.vlines(doubt, wrong.low, wrong.high, color="tab:blue")
            axes.plot(doubt, wrong.value, "o", color="tab:blue")
        else:
            axes.plot(doubt, wrong.high, "v", color="tab:blue")
        axes.annotate(f"{here.sum():,}", (doubt, wrong.high), (0, 5), textcoords="offset points")
    axes.plot((LEAST_DOUBT, 1), (LEAST_DOUBT, 1), color="grey", linewidth=1)
    axes.set(xscale="log", yscale="log", xlabel="1 - stated confidence", ylabel="share wrong")
    save_figure(figure, path)


def print_reliability(stated):
    """Print for each step of confidence how many tiles had it, and how many of them were right."""
    print("| stated confidence | tiles | right |\n|---|---|---|")
    confidence, right = (np.array(values) for values in zip(*stated, strict=True))
    for low, high in zip(STEPS, (*STEPS[1:], 1.01), strict=True):
        here = (confidence >= low) & (confidence < high)
        if here.any():
            print(f"| {low:g} to {min(high, 1):g} | {here.sum()} | {right[here].mean():.4f} |")


if __name__ == "__main__":
    sys.exit(main())
