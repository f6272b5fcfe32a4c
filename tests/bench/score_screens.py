"""Score a folder of labelled screenshots: ``python -m tests.bench.score_screens DIR``.

Prints for each program: boards found and their error in pixels, wrong and unreadable tiles, status,
counter, and median times. Exits with 1 if any tile is wrong.
"""

import argparse
import statistics
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from calibration.calibration import calibrate
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import recognise
from calibration.errors import CalibrationError, NoGrid, Unreadable
from calibration.grid import PixelPoint
from calibration.theme import builtin_themes
from tests.calibration.reading import Frames
from tests.calibration.screens import labelled


@dataclass
class Score:
    """The results of one program's screenshots."""

    screens: int = 0
    no_grid: int = 0
    off_origin: float = 0.0
    off_pitch: float = 0.0
    tiles: int = 0
    wrong: int = 0
    unread: int = 0
    refused: int = 0
    status: int = 0
    counter: int = 0
    counters: int = 0
    calibrate_ms: list[float] = field(default_factory=list)
    read_ms: list[float] = field(default_factory=list)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-themes", action="store_true", help="read without themes")
    parser.add_argument("--covered", action="store_true", help="score folders named covered")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--brighter", type=int, default=0)
    options = parser.parse_args()
    scores = defaultdict(Score)
    for screen in labelled(options.folder, covered=options.covered):
        frame, grid = screen.varied(scale=options.scale, brighter=options.brighter)
        themes = () if options.no_themes else builtin_themes()
        add(scores[f"{screen.program}/{screen.theme}"], screen, frame, grid, themes)
    print(
        "| program | screens | no grid | origin px | pitch % | tiles | wrong | unread | refused "
        "| status | counter | calibrate ms | read ms |\n" + "|---" * 13 + "|"
    )
    for program, score in sorted(scores.items()):
        print(row(program, score))
    wrong = sum(score.wrong for score in scores.values())
    print(f"{sum(score.tiles for score in scores.values())} tiles, {wrong} wrong")
    return 1 if wrong else 0


def add(score, screen, frame, grid, themes):
    """Score one screenshot."""
    score.screens += 1
    score.tiles += screen.board.tiles.size
    middle = PixelPoint(
        grid.x0 + grid.cols * grid.tile_w / 2, grid.y0 + grid.rows * grid.tile_h / 2
    )
    started = time.perf_counter()
    try:
        found = calibrate(frame, near=middle, themes=themes)
    except NoGrid:
        found = None
    except CalibrationError:
        score.refused += 1
        return
    score.calibrate_ms.append(1e3 * (time.perf_counter() - started))
    if found is None or (found.grid.rows, found.grid.cols) != (grid.rows, grid.cols):
        score.no_grid += 1
        return
    score.off_origin = max(
        score.off_origin, abs(found.grid.x0 - grid.x0), abs(found.grid.y0 - grid.y0)
    )
    off_pitch = max(
        abs(found.grid.tile_w / grid.tile_w - 1), abs(found.grid.tile_h / grid.tile_h - 1)
    )
    score.off_pitch = max(score.off_pitch, 100 * off_pitch)
    seen = recognise(frame, found.grid, themes=themes)
    doubtful = seen.confidence < MARGIN
    wrong = (seen.tiles != screen.board.tiles) & ~doubtful
    score.unread += int(doubtful.sum())
    score.wrong += int(wrong.sum())
    if wrong.any():
        print(f"WRONG {screen.picture}: {np.argwhere(wrong)[:5].tolist()}", file=sys.stderr)
    read_whole(score, screen, frame, found)


def read_whole(score, screen, frame, calibration):
    """Read as the bot does: a whole board or an error."""
    frames = Frames(calibration)
    try:
        frames.read(frame)
        started = time.perf_counter()
        reading = frames.read(frame)
        score.read_ms.append(1e3 * (time.perf_counter() - started))
    except Unreadable:
        score.refused += 1
        return
    score.status += reading.status.value == screen.status
    if screen.mines_left is not None:
        score.counters += 1
        score.counter += reading.mines_left == screen.mines_left


def row(program, score):
    """Return a row of the table."""
    medians = [
        f"{statistics.median(times):.1f}" if times else "-"
        for times in (score.calibrate_ms, score.read_ms)
    ]
    read = score.screens - score.no_grid - score.refused
    cells = [
        program, score.screens, score.no_grid, f"{score.off_origin:.2f}", f"{score.off_pitch:.2f}",
        score.tiles, score.wrong, score.unread, score.refused, f"{score.status}/{read}",
        f"{score.counter}/{score.counters}", *medians,
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    sys.exit(main())
