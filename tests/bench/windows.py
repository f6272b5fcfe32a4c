"""Longer series on Windows' own Python under Wine than CI has time for.

    python -m tests.bench.windows games [--beginner 20] [--intermediate 10] [--expert 10]
    python -m tests.bench.windows screens
    python -m tests.bench.windows units [TESTS...]

``games`` plays winemine: one line a level with games, wins, whether they were reported as they
ended, and presses beside the board; exit code 1 for a fault. ``screens`` reads all golden screens
and names those that Linux reads differently. ``units`` runs the quick unit tests (a quarter of an
hour), those of what CI runs on each system (`.github/workflows/ci.yml`).
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tests.calibration.screens import FIXTURES, PICTURES
from tests.live.command import ROOT
from tests.live.windows.wine import STANDARD, contradicted, opened_windows, read_otherwise

UNIT_TESTS = ("tests/bot", "tests/solver", "tests/system")
"""What runs within a quarter of an hour; `tests/calibration` reads pictures only."""

NOT_THERE = (
    # Compilers, JAX and hatchling are not installed there, and the packages are not a checkout.
    "tests/solver/engine/toolchain",
    "tests/solver/engine/platforms",
    "tests/solver/learning",
    "tests/bot/commands/test_train.py",
    "tests/bot/test_imports.py",
    "tests/solver/test_extras.py",
)
"""Tests that cannot run beside an installed wheel, on any system."""


def unit_tests(windows, folder, *tests, limit_s=800):
    """Run quick unit tests with the packages of the installed wheel, not those of the checkout."""
    for name in ("tests", "fixtures", "docs", ".github"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, folder)
    marks = "not slow and not live and not by_hand and not exhaustive"
    leave_out = [f"--ignore={name}" for name in NOT_THERE]
    # Wine's symlinks are stubs that say that they succeeded.
    words = ("-q", "-p", "no:cacheprovider", "-o", "timeout=120", "-m", marks, "-k", "not link")
    return windows.run("-m", "pytest", *words, *leave_out, *tests, cwd=folder, limit_s=limit_s)


def games(windows, folder, level, count):
    """Play games of a level and print a line; return whether each was reported as it ended."""
    words = ("--games", str(count))
    outcome = windows.play_winemine(folder / level, level, *words, limit_s=120 + 90 * count)
    reported, shown, stray = (outcome[name] for name in ("results", "ends", "stray"))
    wrong = contradicted(reported, shown)
    print(
        f"{level:14} {len(reported):3} games {reported.count('won'):3} won, "
        f"{len(shown)} ends seen, {'not as' if wrong else 'as'} reported, "
        f"{len(outcome['presses'])} presses, {len(stray)} beside the board"
    )
    if outcome.get("exit"):
        print(f"    ended with {outcome['exit']}: {outcome['err'][-400:]}")
    return len(reported) == count and not wrong and not stray and not outcome.get("exit")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    each = parser.add_subparsers(dest="what", required=True)
    series = each.add_parser("games")
    for level, count in (("beginner", 20), ("intermediate", 10), ("expert", 10)):
        series.add_argument(f"--{level}", type=int, default=count)
    each.add_parser("screens")
    units = each.add_parser("units")
    units.add_argument("tests", nargs="*", default=UNIT_TESTS)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="minebot-windows-"))
    with opened_windows() as windows:
        if args.what == "units":
            said = unit_tests(windows, folder, *args.tests, limit_s=3600)
            print(said.out)
            return said.code
        if args.what == "screens":
            pictures = [one for one in sorted(FIXTURES.rglob("*")) if one.suffix in PICTURES]
            differing = read_otherwise(windows, pictures)
            print(f"{len(pictures)} golden screens, read differently than on Linux: {differing}")
            return int(bool(differing))
        wanted = {level: getattr(args, level) for level in STANDARD}
        clean = [games(windows, folder, *one) for one in wanted.items() if one[1]]
        return int(not all(clean))


if __name__ == "__main__":
    sys.exit(main())
