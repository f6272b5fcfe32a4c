"""Time calibration on screenshots: ``python -m tests.bench.bench_calibrate FOLDER``.

Uses the screenshots of 1920x1080 in FOLDER and below, for instance ``fixtures/screens``. Prints how
long it takes to find the grid and to calibrate (which reads the tiles and finds the counter, too):
median, 5 and 95 % of the wall-clock time and of the processor time, in milliseconds. With
``--scale 2`` they are enlarged to 3840x2160, as on a screen with that scale factor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from calibration.calibration import calibrate
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.images import load_image
from calibration.locate.crosses import find_lattices

SIZE = 1920, 1080


def main() -> None:
    """Time both steps on every screenshot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=int, default=1, help="enlarge the pictures so many times")
    args = parser.parse_args()
    pictures = sorted(p for p in args.folder.rglob("*") if p.suffix in (".png", ".webp"))
    loaded = [load_image(picture) for picture in pictures]
    frames = [
        Frame(np.repeat(np.repeat(frame.pixels, args.scale, axis=0), args.scale, axis=1))
        for frame in loaded
        if (frame.width, frame.height) == SIZE
    ]
    list(find_lattices(frames[0]))
    steps = ("find lattices", lambda frame: list(find_lattices(frame))), ("calibrate", calibrate)
    for name, step in steps:
        spent = [spent_ms(step, frame) for _ in range(args.rounds) for frame in frames]
        low, middle, high = np.percentile(spent, (5, 50, 95), axis=0)
        for kind, part in (("wall clock", 0), ("processor", 1)):
            print(
                f"{name:14} {middle[part]:6.1f} ms  ({low[part]:.1f} to {high[part]:.1f}) {kind}, "
                f"{len(frames)} screenshots"
            )


def spent_ms(step: Callable[[Frame], object], frame: Frame) -> tuple[float, float]:
    """Return the wall-clock and the processor time of a step, also if it raises."""
    begun = time.perf_counter(), time.process_time()
    with suppress(CalibrationError):
        step(frame)
    return 1e3 * (time.perf_counter() - begun[0]), 1e3 * (time.process_time() - begun[1])


if __name__ == "__main__":
    main()
