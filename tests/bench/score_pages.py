"""Score folders of labelled pictures: ``python -m tests.bench.score_pages FOLDER... [--network]``.

Each picture has a JSON file of the same name with ``state`` (the board as text), ``status`` and,
where they are known, ``grid``, ``mines`` and ``expect`` (set where a refusal is right). Prints for
each picture the result, and a table of boards in play and finished ones apart:

    exact     every tile that must be read is right
    unknown   the same, but some tiles are reported as unknown, or who won
    refused   an error is reported instead of a board
    wrong     a tile, the size or the status differs from the label

In play, a board owes every tile. A finished one owes its numbers, its hidden tiles and the status;
which drawn mark is a mine, an exploded mine, a flag or a wrong flag is counted apart. A tile whose
label is ``~`` may be read as anything. Exits with 1 if anything was read wrong.

With ``--network`` the network alone reads the boards on their true grids, each by itself, and again
with the fresh board beside it where a picture ``fresh`` or ``NAME_fresh`` of the same grid lies
there. Prints how many boards are exact, and how many right and wrong ones are left from several
limits of the least certain tile on; then of how many boards the network finds the ends, if their
grids are widened by a ring of cells.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from calibration.calibration import calibrate
from calibration.errors import CalibrationError, StatusUnclear
from calibration.grid import Grid, PixelPoint
from calibration.images import load_image
from calibration.labels import LABELS
from calibration.read.board import decode_board, groups_of
from calibration.read.network import cut_views, rate_tiles
from calibration.reader import Reader
from solver.board import Board, Tile
from solver.game import Status
from tests.bench.series import parser

RESULTS = ("exact", "unknown", "refused", "wrong", "marks otherwise")

MARKS = (Tile.FLAG, Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)
"""What is drawn on cells of a finished board that are, or were taken for, mines."""

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")

LIMITS = 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99  # limits of the network's least certain tile


def main():
    made = parser(__doc__, network=False)
    made.add_argument("folder", type=Path, nargs="+")
    options = made.parse_args()
    if options.network:
        return score_network(options.folder)
    counts, right = defaultdict(Counter), []
    for label, picture, truth in labelled_pictures(options.folder):
        board = Board.from_text("\n".join(truth["state"]), truth.get("mines"))
        kind = "to be refused" if "expect" in truth else kind_of(truth)
        result = score(picture, truth, board, right)
        for name in result.split(":")[0].split(" + "):
            counts[kind][name] += 1
        print(f"{label.parent.name}/{label.stem:24} {kind:13} {result}", flush=True)
    print("\n| | " + " | ".join(("pictures", *RESULTS)) + " |\n|---|" + "---|" * 6)
    for kind, results in counts.items():
        total = sum(results[name] for name in RESULTS[:4])
        print(f"| {kind} | {total} | " + " | ".join(str(results[n]) for n in RESULTS) + " |")
    print(f"\n{len(right)} tiles of boards of the right size, {sum(right)} of them right")
    return 1 if any(results["wrong"] for results in counts.values()) else 0


def labelled_pictures(folders):
    """Yield labels below the folders, their pictures and what they say; fresh boards first."""
    for folder in folders:
        found = [path for path in folder.rglob("*.json") if '"state"' in path.read_text()]
        for label in sorted(found, key=lambda path: ("_fresh" not in path.stem, path)):
            for ending in PICTURES:
                if (picture := label.with_suffix(ending)).exists():
                    yield label, picture, json.loads(label.read_text())


def kind_of(truth):
    return "in play" if Status(truth["status"]) is Status.PLAYING else "finished"


def grid_of(truth):
    if "grid" not in truth:
        return None
    place = (truth["grid"][key] for key in ("x0", "y0", "tile_w", "tile_h"))
    return Grid(*place, len(truth["state"]), len(truth["state"][0]))


def score(path, truth, board, right):
    """Read a picture as a user does; ``right`` lists which tiles were."""
    grid = grid_of(truth)
    middle = grid and PixelPoint(
        grid.x0 + grid.cols * grid.tile_w / 2, grid.y0 + grid.rows * grid.tile_h / 2
    )
    try:
        picture = load_image(path)
        reader = Reader(calibrate(picture, near=middle))
        reading = reader.read_in_part(picture, reader.read(picture, reader.begin()).memory)
    except CalibrationError as error:
        seen = error.board if isinstance(error, StatusUnclear) else None
        same_size = seen is not None and seen.tiles.shape == board.tiles.shape
        if same_size and judge(seen.tiles, board.tiles, over=True).startswith("exact"):
            return "unknown: who won"
        return f"refused: {type(error).__name__}: {error}"
    if reading.board.tiles.shape != board.tiles.shape:
        return f"wrong: size {reading.board.rows}x{reading.board.cols}"
    right.extend((reading.board.tiles == board.tiles)[board.tiles != Tile.UNKNOWN])
    if reading.status.value != truth["status"]:
        return f"wrong: status {reading.status.value}"
    return judge(reading.board.tiles, board.tiles, over=kind_of(truth) == "finished")


def judge(tiles, truth, *, over):
    off = (tiles != truth) & (truth != Tile.UNKNOWN)
    unknown, marks = off & (tiles == Tile.UNKNOWN), np.zeros_like(off)
    if over:
        marks = off & np.isin(tiles, MARKS) & np.isin(truth, MARKS)
    wrong = off & ~unknown & ~marks
    if wrong.any():
        return f"wrong: {wrong.sum()} tiles, first {np.argwhere(wrong)[0].tolist()}"
    also = " + marks otherwise" if marks.any() else ""
    return f"unknown{also}: {unknown.sum()} tiles" if unknown.any() else f"exact{also}"


def score_network(folders):
    """Read boards on their true grids by the network alone."""
    labelled, spent = labelled_pictures(folders), []
    boards = [one for one in labelled if "grid" in one[2] and "expect" not in one[2]]
    for how in ("alone", "with the fresh board"):
        results = defaultdict(list)
        for label, picture, truth in boards:
            then = fresh_views(label, picture.suffix, truth) if how != "alone" else None
            cut = cut_views(load_image(picture).pixels, grid_of(truth))
            started = time.process_time()
            groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
            decoded = decode_board(rate_tiles(cut, groups, then)[0], groups)
            spent.append(1e3 * (time.process_time() - started))
            sure = decoded.chances.max(axis=1)[np.unique(groups)].min()
            tiles, kind = LABELS[decoded.columns][groups], kind_of(truth)
            board = Board.from_text("\n".join(truth["state"]))
            result = judge(tiles, board.tiles, over=kind == "finished")
            if not result.startswith("exact"):
                print(f"{label.parent.name}/{label.stem}: {result}, sure {sure:.3f}")
            results[kind].append((result.startswith("exact"), sure))
        for kind, found in results.items():
            exact, sure = (np.array(values) for values in zip(*found, strict=True))
            at = ", ".join(
                f"{limit}: {(exact & (sure >= limit)).sum()}/{(~exact & (sure >= limit)).sum()}"
                for limit in LIMITS
            )
            print(f"{how}, {kind}: {exact.sum()} of {len(exact)} exact; right/wrong from {at}")
    ends = [has_right_ends(picture, truth) for _, picture, truth in boards]
    print(f"ends right: {sum(ends)} of {len(ends)}; {np.median(spent):.1f} ms a board (median)")
    return 0


def fresh_views(label, suffix, truth):
    """Return the views of the same board before the first click, None if there is no picture."""
    stem = label.stem.rpartition("_")[0]
    then = label.with_name(f"{stem}_fresh.json" if stem else "fresh.json")
    if then == label or not then.exists():
        return None
    if json.loads(then.read_text())["grid"] != truth["grid"]:
        return None
    return cut_views(load_image(then.with_suffix(suffix)).pixels, grid_of(truth)).views


def has_right_ends(picture, truth):
    """Whether most cells of each side are tiles, and of no side of the ring around the board."""
    wider = grid_of(truth).widened(1, 1, 1, 1)
    cut = cut_views(load_image(picture).pixels, wider)
    groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
    is_tile = rate_tiles(cut, groups)[1] > 0
    ring = is_tile[0, 1:-1], is_tile[-1, 1:-1], is_tile[1:-1, 0], is_tile[1:-1, -1]
    inner = is_tile[1, 1:-1], is_tile[-2, 1:-1], is_tile[1:-1, 1], is_tile[1:-1, -2]
    outside, inside = (np.array([side.mean() for side in sides]) for sides in (ring, inner))
    return bool((outside < 0.5).all() and (inside > 0.5).all())


if __name__ == "__main__":
    sys.exit(main())
