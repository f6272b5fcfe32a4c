"""Score the reader's network on labelled pictures: ``python -m tests.bench.score_network DIR...``.

The boards are read on their true grids (``grid`` of the label), each by itself, and again with the
fresh board beside it where a picture ``fresh`` or ``NAME_fresh`` of the same grid lies there.
Prints how many boards are exact, in play and finished apart (which mark a finished board shows on
a mine is not counted), and how many right and wrong ones are left from several limits of the least
certain tile on; then of how many boards the network finds the ends, if their grids are widened by
a ring of cells.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from calibration.images import load_image
from calibration.labels import LABELS
from calibration.read.board import decode_board, groups_of
from calibration.read.network import NETWORK_FILE, cut_views, name_tiles
from solver.board import Board, Tile
from tests.bench.score_pages import grid_of, labelled_pictures

LIMITS = 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99

MARKS = Tile.FLAG, Tile.EXPLODED, Tile.WRONG_FLAG


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument(
        "--network", type=Path, default=NETWORK_FILE, help="another network.onnx.gz"
    )
    parser.add_argument("--verbose", action="store_true", help="print each board that is not exact")
    options = parser.parse_args()
    boards = [
        (label, picture, truth)
        for label, picture in labelled_pictures(options.folder)
        if "grid" in (truth := json.loads(label.read_text())) and "expect" not in truth
    ]
    ends, spent = [], []
    for fresh in (False, True):
        results = {"in play": [], "finished": []}
        for label, picture, truth in boards:
            cut = cut_views(load_image(picture).pixels, grid_of(truth))
            then = fresh_views(label, picture.suffix, truth) if fresh else None
            started = time.process_time()
            groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
            decoded = decode_board(
                name_tiles(cut, groups, then, weights=options.network)[0], groups
            )
            spent.append(time.process_time() - started)
            tiles = LABELS[decoded.columns][groups]
            sure = decoded.chances.max(axis=1)[np.unique(groups)].min()
            kind = "in play" if truth["status"] == "playing" else "finished"
            wrong = count_wrong(tiles, truth, over=kind == "finished")
            results[kind].append((wrong == 0, sure))
            if wrong and options.verbose:
                print(f"{label.parent.name}/{label.stem}: {wrong} tiles wrong, sure {sure:.3f}")
            if not fresh:
                ends.append(has_right_ends(picture, truth, options.network))
        for kind, found in results.items():
            if found:
                print_row("with the fresh board" if fresh else "alone", kind, found)
    print(
        f"ends right: {sum(ends)} of {len(ends)}; {1e3 * np.median(spent):.1f} ms a board (median)"
    )


def print_row(how, kind, found):
    """Print one line of the table."""
    exact, sure = (np.array(values) for values in zip(*found, strict=True))
    at = ", ".join(
        f"{limit}: {(exact & (sure >= limit)).sum()}/{(~exact & (sure >= limit)).sum()}"
        for limit in LIMITS
    )
    print(f"{how}, {kind}: {exact.sum()} of {len(exact)} exact; right/wrong from {at}", flush=True)


def fresh_views(label, suffix, truth):
    """Return the views of the same board before the first click, None if there is no picture."""
    stem = label.stem.rpartition("_")[0]
    then = label.with_name(f"{stem}_fresh.json" if stem else "fresh.json")
    if then == label or not then.exists():
        return None
    if json.loads(then.read_text())["grid"] != truth["grid"]:
        return None
    return cut_views(load_image(then.with_suffix(suffix)).pixels, grid_of(truth)).views


def count_wrong(tiles, truth, *, over):
    """Count the tiles that differ from the label; marks of mines count alike on finished boards."""
    true = Board.from_text("\n".join(truth["state"])).tiles
    if over:
        tiles, true = (np.where(np.isin(one, MARKS), Tile.MINE, one) for one in (tiles, true))
    return int(((tiles != true) & (true != Tile.UNKNOWN)).sum())


def has_right_ends(picture, truth, weights):
    """Whether most cells of each side are tiles, and of no side of the ring around the board."""
    wider = grid_of(truth).widened(1, 1, 1, 1)
    cut = cut_views(load_image(picture).pixels, wider)
    groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
    is_tile = name_tiles(cut, groups, weights=weights)[1] > 0
    ring = is_tile[0, 1:-1], is_tile[-1, 1:-1], is_tile[1:-1, 0], is_tile[1:-1, -1]
    inner = is_tile[1, 1:-1], is_tile[-2, 1:-1], is_tile[1:-1, 1], is_tile[1:-1, -2]
    outside, inside = (np.array([side.mean() for side in sides]) for sides in (ring, inner))
    return bool((outside < 0.5).all() and (inside > 0.5).all())


if __name__ == "__main__":
    main()
