"""Time reading a 16x30 board: ``python -m tests.bench.bench_read [IMAGE-LABEL.json …]``.

Three cases a screenshot: the first frame of a window (a theme is matched and every look named),
a whole new frame of looks already known, and a frame in which one tile in twenty has changed.
"""

import argparse
import statistics
import time
from pathlib import Path

from calibration.calibrate import Calibration
from calibration.frame import Frame
from calibration.learn import recognise
from calibration.reader import Reader
from solver.board import Cell
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
    everything = []
    for screen in screens:
        first, whole, few = times(screen)
        everything += whole
        print(
            f"| {screen.name} | {first:.1f} | {middle(whole)} | {middle(few)} |".replace(
                " ± ", " | "
            )
        )
    print(f"whole frames of known looks, all screens: {middle(everything)} ms (median ± quartiles)")


def times(screen):
    """Return milliseconds: of the first frame, of whole known frames, of small changes."""
    frame = screen.frame()
    calibration = Calibration(screen.grid, recognise(frame, screen.grid).theme, screen.board.mines)
    reader = Reader(calibration)
    first = timed(reader, frame)
    other = changed(frame, screen, every=1)
    timed(reader, other)
    whole = [timed(reader, one) for _ in range(ROUNDS // 2) for one in (frame, other)]
    little = changed(frame, screen, every=20)
    few = [timed(reader, one) for _ in range(ROUNDS // 2) for one in (frame, little)]
    return first, whole, few[1:]


def changed(frame, screen, *, every):
    """Return the frame with one step of colour added in every n-th tile: same looks, new pixels."""
    pixels = frame.pixels.copy()
    for index, cell in enumerate(screen.board.cells()):
        if index % every == 0:
            box = screen.grid.box(Cell(*cell))
            inside = pixels[box.y0 + 2 : box.y1 - 2, box.x0 + 2 : box.x1 - 2]
            inside[inside < 255] += 1
    return Frame(pixels)


def timed(reader, frame):
    started = time.perf_counter()
    reader.read(frame)
    return 1e3 * (time.perf_counter() - started)


def middle(times_ms):
    """Write the median and half the distance between the quartiles."""
    low, median, high = statistics.quantiles(times_ms, n=4)
    return f"{median:.2f} ± {(high - low) / 2:.2f}"


if __name__ == "__main__":
    main()
