"""Measure how long a desktop takes for whole pictures, pictures of a board, and clicks.

    python -m tests.bench.bench_desktop [--here] [--repeats 50]

It starts an X server and a sway at the scales 1, 1.5 and 2, without a window. With ``--here`` it
measures the desktop that it runs on, and clicks in the middle of the screen. It prints
milliseconds: the median, and the limit below which 95 % lie.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bot.desktop.routes import open_desktop
from calibration.grid import PixelBox, ScreenPoint
from tests.live.desk import Desk
from tests.live.sway import SCREENS, SwayDesk

REGION = PixelBox(400, 300, 1000, 700)


def main() -> int:
    """Time each desktop in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", action="store_true")
    parser.add_argument("--repeats", type=int, default=50)
    args = parser.parse_args()
    if args.here:
        time_desktop(args.repeats)
        return 0
    with Desk() as desk:
        print("X11", flush=True)
        _in_process(desk.env, args.repeats)
    for scale, screen in SCREENS.items():
        with SwayDesk(screen) as wayland:
            print(f"sway, {screen.width}x{screen.height} at scale {scale:g}", flush=True)
            _in_process(wayland.env, args.repeats)
    return 0


def _in_process(env: dict[str, str], repeats: int) -> None:
    subprocess.run(
        [sys.executable, "-m", "tests.bench.bench_desktop", "--here", "--repeats", str(repeats)],
        env={key: value for key, value in env.items() if key != "PYTHONPATH"},
        cwd=Path(__file__).resolve().parents[2],
        check=True,
    )


def time_desktop(repeats: int) -> None:
    """Time this session's desktop."""
    os.environ.setdefault("NO_AT_BRIDGE", "1")
    desktop = open_desktop()
    first = desktop.screen.monitors()[0]
    middle = ScreenPoint((first.left + first.right) // 2, (first.top + first.bottom) // 2)
    beside = ScreenPoint(middle.x + 1, middle.y)
    places = [middle, beside] * repeats
    report("whole picture", repeats, desktop.screen.grab)
    report("600x400 of it", repeats, lambda: desktop.screen.grab(REGION))
    report("click", repeats, lambda: desktop.pointer.click(places.pop()))
    report("where the pointer is", repeats, desktop.pointer.position)


def report(what: str, repeats: int, act: Callable[[], object]) -> None:
    """Print how long something takes."""
    act()
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        act()
        taken.append(1e3 * (time.perf_counter() - begun))
    print(f"  {what:22} {np.median(taken):8.2f} {np.percentile(taken, 95):8.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
