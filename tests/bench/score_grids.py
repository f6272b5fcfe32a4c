"""Score the grids that are found, before a tile is read: ``python -m tests.bench.score_grids DIR``.

DIR holds pictures, each with a JSON file of the same name beside it that gives its ``grid``,
``rows`` and ``cols``. A picture counts as found if its grid is among the candidates. Prints each
picture without it and what was found in its place, then the totals.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.images import load_image
from calibration.locate.lines.crosses import find_lattices
from calibration.locate.repetition.borderless import find_borderless_grids

MOST_OFF = 0.2
"""How far a line may lie from its place, in tiles: a page may give the corner of the first tile,
and the grid is the middle of the gap beside it."""


def main() -> None:
    """Score all labelled pictures of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--verbose", action="store_true", help="print the pictures found, too")
    options = parser.parse_args()
    places, spent = [], []
    for label in sorted(options.folder.rglob("*.json")):
        truth = true_grid(label)
        picture = next((p for p in map(label.with_suffix, (".png", ".webp")) if p.exists()), None)
        if truth is None or picture is None:
            continue
        frame = load_image(picture)
        start = time.perf_counter()
        found = list(candidates(frame))
        spent.append(1e3 * (time.perf_counter() - start))
        places.append(next((k for k, (_, one) in enumerate(found) if same(one, truth)), None))
        if places[-1] is None or options.verbose:
            shown = "; ".join(f"{kind} {text(grid)}" for kind, grid in found) or "nothing"
            print(f"{picture.relative_to(options.folder)}: {text(truth)}: {places[-1]}: {shown}")
    print(
        f"{len(places)} pictures: the grid is first in {places.count(0)}, later in "
        f"{sum(bool(place) for place in places)}, missing in {places.count(None)}; "
        f"{statistics.median(spent):.0f} ms (at most {max(spent):.0f})"
    )


def candidates(frame: Frame) -> Iterator[tuple[str, Grid]]:
    """Yield the grids of both searches, those with lines first, with the kind of each."""
    for found in find_lattices(frame):
        yield "lines" if found.is_whole or found.is_crop else "part", found.grid
    for grid in find_borderless_grids(frame):
        yield "repeats", grid


def true_grid(label: Path) -> Grid | None:
    """Return the grid that a label gives, None for a file that gives none."""
    data = json.loads(label.read_text())
    if "grid" not in data:
        return None
    sizes = {key: float(data["grid"][key]) for key in ("x0", "y0", "tile_w", "tile_h")}
    rows = data.get("rows") or len(data["state"])
    return Grid(**sizes, rows=rows, cols=data.get("cols") or len(data["state"][0]))


def same(found: Grid, truth: Grid) -> bool:
    """Tell whether two grids have the same cells, each nearly at the same place."""
    return (found.rows, found.cols) == (truth.rows, truth.cols) and bool(
        abs(found.x_lines - truth.x_lines).max() < MOST_OFF * truth.tile_w
        and abs(found.y_lines - truth.y_lines).max() < MOST_OFF * truth.tile_h
    )


def text(grid: Grid) -> str:
    """Describe a grid in a few characters."""
    tile = f"{grid.tile_w:.2f}x{grid.tile_h:.2f}"
    return f"{grid.rows}x{grid.cols} at {grid.x0:.1f},{grid.y0:.1f} of {tile}"


if __name__ == "__main__":
    main()
