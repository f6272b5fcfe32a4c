"""Time reading a 16x30 board: ``python -m tests.bench.bench_read [IMAGE-LABEL.json …]``.

Three cases a screenshot: the first frame of a window (a theme is chosen and every cluster is
labelled), a frame in which all tiles changed but all clusters are known, and a frame in which one
tile in twenty changed.
"""

import argparse
import statistics
import time
from pathlib import Path

from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.read.recognise import recognise
from solver.board import Cell
from tests.calibration.reading import Frames
from tests.calibration.screens import FIXTURES, Screen, labelled

ROUNDS = 30


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="*", type=Path)
    options = parser.parse_args()
    screens = [Screen.load(label) for label in options.labels] or [
        screen for screen in labelled(FIXTURES) if screen.board.tiles.size == 480
    ]
    print("| screen | first ms | whole frame ms | spread | few tiles ms | spread |")
    print("|---" * 6 + "|")
    all_whole = []
    for screen in screens:
        first, whole, few = times(screen)
        all_whole += whole
        print(
            f"| {screen.name} | {first:.1f} | {median_text(whole)} | {median_text(few)} |".replace(
                " ± ", " | "
            )
        )
    median = median_text(all_whole)
    print(f"whole frames of known clusters, all screens: {median} ms (median ± quartiles)")


def times(screen):
    """Return milliseconds: of the first frame, of whole frames, of frames with few changes."""
    frame = screen.frame()
    calibration = Calibration(screen.grid, recognise(frame, screen.grid).theme, screen.board.mines)
    frames = Frames(calibration)
    first = timed(frames, frame)
    all_changed = changed(frame, screen, every=1)
    timed(frames, all_changed)
    whole = [timed(frames, one) for _ in range(ROUNDS // 2) for one in (frame, all_changed)]
    slightly_changed = changed(frame, screen, every=20)
    few = [timed(frames, one) for _ in range(ROUNDS // 2) for one in (frame, slightly_changed)]
    return first, whole, few[1:]


def changed(frame, screen, *, every):
    """Return the frame with every n-th tile a little brighter: new pixels, the same clusters."""
    pixels = frame.pixels.copy()
    for index, cell in enumerate(screen.board.cells()):
        if index % every == 0:
            box = screen.grid.box(Cell(*cell))
            inside = pixels[box.y0 + 2 : box.y1 - 2, box.x0 + 2 : box.x1 - 2]
            inside[inside < 255] += 1
    return Frame(pixels)


def timed(frames, frame):
    started = time.perf_counter()
    frames.read(frame)
    return 1e3 * (time.perf_counter() - started)


def median_text(times_ms):
    """Return the median and half the distance between the quartiles as text."""
    low, median, high = statistics.quantiles(times_ms, n=4)
    return f"{median:.2f} ± {(high - low) / 2:.2f}"


if __name__ == "__main__":
    main()
