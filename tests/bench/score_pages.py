"""Score folders of labelled pictures: ``python -m tests.bench.score_pages FOLDER... [--fresh]``.

Each picture has a JSON file of the same name with ``state`` (the board as text), ``status`` and,
where they are known, ``grid``, ``mines`` and ``expect`` (set where a refusal is right). Prints for
each picture the result, and a table of boards in play and finished ones apart:

    exact     every tile that must be read is right
    unknown   the same, but some tiles are reported as unknown, or who won
    refused   an error is reported instead of a board
    wrong     a tile, the size or the status differs from the label

In play, a board owes every tile. A finished one owes its numbers, its hidden tiles and the status;
which drawn mark is a mine, an exploded mine, a flag or a wrong flag is counted apart. A tile whose
label is ``~`` may be read as anything. With ``--fresh`` the pictures NAME_fresh, NAME_mid and
NAME_end of one board are read as in play: one reader, calibrated on the first. Exits with 1 if
anything was read wrong.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from calibration.calibration import calibrate
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import recognise
from calibration.errors import CalibrationError, StatusUnclear
from calibration.grid import Grid, PixelPoint
from calibration.images import load_image
from calibration.reader import Reader
from calibration.rules import status_of
from solver.arena.charts import pyplot, save_figure
from solver.arena.statistics import wilson
from solver.board import Board, Tile
from solver.game import Status

RESULTS = ("exact", "unknown", "refused", "wrong", "marks otherwise")

MARKS = (Tile.FLAG, Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)
"""What is drawn on cells of a finished board that are, or were taken for, mines."""

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")

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
    counts, stated = {"in play": Counter(), "finished": Counter(), "to be refused": Counter()}, []
    readers = {}
    for label, picture in labelled_pictures(options.folder):
        truth = json.loads(label.read_text())
        board = Board.from_text("\n".join(truth["state"]), truth.get("mines"))
        kind = "in play" if Status(truth["status"]) is Status.PLAYING else "finished"
        if "expect" in truth:
            kind = "to be refused"
        game = label.parent / label.stem.rpartition("_")[0] if options.fresh else label
        if options.grids:
            result = score_tiles(picture, grid_of(truth), board, stated)
        else:
            result = score(picture, truth, board, (game, readers), stated)
        for name in result.split(":")[0].split(" + "):
            counts[kind][name] += 1
        print(f"{label.parent.name}/{label.stem:24} {kind:13} {result}", flush=True)
    print("\n| | " + " | ".join(("pictures", *RESULTS)) + " |\n|---|" + "---|" * 6)
    for kind, results in counts.items():
        total = sum(results[name] for name in RESULTS[:4])
        if total:
            print(f"| {kind} | {total} | " + " | ".join(str(results[n]) for n in RESULTS) + " |")
    right = sum(one for _, one in stated)
    print(f"\n{len(stated)} tiles of boards of the right size, {right} of them right")
    print_reliability(stated)
    if options.plot:
        plot_reliability(stated, options.plot)
    return 1 if any(results["wrong"] for results in counts.values()) else 0


def labelled_pictures(folders):
    """Yield each label below the folders with its picture; fresh boards before later ones."""
    for folder in folders:
        found = [path for path in folder.rglob("*.json") if '"state"' in path.read_text()]
        for label in sorted(found, key=lambda path: ("_fresh" not in path.stem, path)):
            for ending in PICTURES:
                if (picture := label.with_suffix(ending)).exists():
                    yield label, picture


def grid_of(truth):
    """Return the grid of a label, None if it has none."""
    if "grid" not in truth:
        return None
    place = (truth["grid"][key] for key in ("x0", "y0", "tile_w", "tile_h"))
    return Grid(*place, len(truth["state"]), len(truth["state"][0]))


def score(path, truth, board, played, stated):
    """Read a picture as a user does; ``played`` are its game and the readers of all games."""
    grid, (game, readers) = grid_of(truth), played
    middle = grid and PixelPoint(
        grid.x0 + grid.cols * grid.tile_w / 2, grid.y0 + grid.rows * grid.tile_h / 2
    )
    try:
        picture = load_image(path)
        # A board that moved is found again, as in play.
        if (game, grid) not in readers:
            reader = Reader(calibrate(picture, near=middle))
            readers[game, grid] = reader, reader.begin()
        reader, memory = readers[game, grid]
        readers[game, grid] = reader, reader.read(picture, memory).memory
        reading = reader.read_in_part(picture, readers[game, grid][1])
    except CalibrationError as error:
        seen = error.board if isinstance(error, StatusUnclear) else None
        same_size = seen is not None and seen.tiles.shape == board.tiles.shape
        if same_size and judge(seen.tiles, board.tiles, over=True).startswith("exact"):
            return "unknown: who won"
        return f"refused: {type(error).__name__}: {error}"
    if reading.board.tiles.shape != board.tiles.shape:
        return f"wrong: size {reading.board.rows}x{reading.board.cols}"
    judged = board.tiles != Tile.UNKNOWN
    right = reading.board.tiles == board.tiles
    stated.extend(zip(reading.tile_confidence[judged], right[judged], strict=True))
    if reading.status.value != truth["status"]:
        return f"wrong: status {reading.status.value}"
    return judge(
        reading.board.tiles, board.tiles, over=Status(truth["status"]) is not Status.PLAYING
    )


def judge(tiles, truth, *, over):
    """Compare a board with its label."""
    off = (tiles != truth) & (truth != Tile.UNKNOWN)
    unknown, marks = off & (tiles == Tile.UNKNOWN), np.zeros_like(off)
    if over:
        marks = off & np.isin(tiles, MARKS) & np.isin(truth, MARKS)
    wrong = off & ~unknown & ~marks
    if wrong.any():
        return f"wrong: {wrong.sum()} tiles, first {np.argwhere(wrong)[0].tolist()}"
    also = " + marks otherwise" if marks.any() else ""
    return f"unknown{also}: {unknown.sum()} tiles" if unknown.any() else f"exact{also}"


def score_tiles(path, grid, board, stated):
    """Recognise the tiles of a known grid."""
    seen = recognise(load_image(path), grid)
    stated.extend(zip(seen.confidence.ravel(), (seen.tiles == board.tiles).ravel(), strict=True))
    tiles = np.where(seen.confidence >= MARGIN, seen.tiles, np.int8(Tile.UNKNOWN))
    over = status_of(board.tiles, board.mines) is not Status.PLAYING
    return judge(tiles, board.tiles, over=over)


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
    print("\n| stated confidence | tiles | right |\n|---|---|---|")
    confidence, right = (np.array(values) for values in zip(*stated, strict=True))
    for low, high in zip(STEPS, (*STEPS[1:], 1.01), strict=True):
        here = (confidence >= low) & (confidence < high)
        if here.any():
            print(f"| {low:g} to {min(high, 1):g} | {here.sum()} | {right[here].mean():.4f} |")


if __name__ == "__main__":
    sys.exit(main())
