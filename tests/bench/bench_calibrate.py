"""Time calibration on screenshots: ``python -m tests.bench.bench_calibrate FOLDER [--rounds 5]``.

FOLDER holds screenshots, at any depth (``fixtures/screens`` will do). Prints, in milliseconds of
one core, what finding the grid takes and what the whole calibration takes (with reading the tiles
and finding the counter): median, and the middle nine tenths.
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


def main() -> None:
    """Time what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    pictures = sorted(p for p in args.folder.rglob("*") if p.suffix in (".png", ".webp"))
    frames = [load_image(picture) for picture in pictures]
    find_grids(frames[0])
    for name, step in (("find the grid", find_grids), ("calibrate", calibrate)):
        spent = [cpu_ms(step, frame) for _ in range(args.rounds) for frame in frames]
        low, middle, high = np.percentile(spent, (5, 50, 95))
        print(f"{name:14} {middle:6.1f} ms  ({low:.1f} to {high:.1f}), {len(frames)} screenshots")


def cpu_ms(step: Callable[[Frame], object], frame: Frame) -> float:
    """Return the processor time of one step; a refusal takes its time too."""
    begun = time.process_time()
    with suppress(CalibrationError):
        step(frame)
    return 1e3 * (time.process_time() - begun)


if __name__ == "__main__":
    main()
