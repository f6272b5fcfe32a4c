"""Time calibration on screenshots: ``python -m tests.bench.bench_calibrate FOLDER [--rounds 5]``.

FOLDER holds screenshots, at any depth (``fixtures/screens`` will do); those of 1920x1080 are used.
Prints what finding the grid takes and what the whole calibration takes (with reading the tiles and
finding the counter), in milliseconds by the clock and of the processor: median, and the middle
nine tenths.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from calibration.calibrate import calibrate
from calibration.crosses import find_grids
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.pictures import load_image

SIZE = 1920, 1080


def main() -> None:
    """Time what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    pictures = sorted(p for p in args.folder.rglob("*") if p.suffix in (".png", ".webp"))
    loaded = [load_image(picture) for picture in pictures]
    frames = [frame for frame in loaded if (frame.width, frame.height) == SIZE]
    find_grids(frames[0])
    for name, step in (("find the grid", find_grids), ("calibrate", calibrate)):
        spent = [spent_ms(step, frame) for _ in range(args.rounds) for frame in frames]
        low, middle, high = np.percentile(spent, (5, 50, 95), axis=0)
        for kind, part in (("by the clock", 0), ("processor", 1)):
            print(
                f"{name:14} {middle[part]:6.1f} ms  ({low[part]:.1f} to {high[part]:.1f}) {kind}, "
                f"{len(frames)} screenshots"
            )


def spent_ms(step: Callable[[Frame], object], frame: Frame) -> tuple[float, float]:
    """Return the time of a step by the clock and of the processor; refusals take time, too."""
    begun = time.perf_counter(), time.process_time()
    with suppress(CalibrationError):
        step(frame)
    return 1e3 * (time.perf_counter() - begun[0]), 1e3 * (time.process_time() - begun[1])


if __name__ == "__main__":
    main()
