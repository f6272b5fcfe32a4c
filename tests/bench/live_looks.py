"""Play real programs in many looks, at two scales and with many mine totals, and check each game.

    python -m tests.bench.live_looks [--games 5] [--only WORDS] [--keep DIR]

One line a series, as `tests.bench.live_games` prints it. WORDS choose the series whose name has
all of them, such as ``gnome dark``. Exit code 1 if there was a fault. With inverted colours the
referee sees clicks and numbers, but no ends.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from tests.bench.live_games import HEADING, play_series, report
from tests.live.programs import PROGRAMS, Program, with_environment

GTK_THEMES = ("Adwaita", "Adwaita:dark", "HighContrast")
GNOME_THEMES = ("bgcolors", "classic", "default")

SGT_COLOURS = (
    *("e6e6e6", "dadada"),  # backgrounds
    *("0000ff", "007f00", "ff0000", "00007f", "7f0000", "007f7f", "000000", "7f7f7f"),  # digits
    *("000000", "ff0000", "ff0000", "ff0000", "000000", "000000"),  # mine, blast, cross, flag, ?
    *("ffffff", "999999", "ff9999", "ffb3b3"),  # light and dark edges, a wrong number, the cursor
)
"""The colours of sgt-mines in the order of its settings ``MINES_COLOUR_0`` and so on."""


@dataclass(frozen=True)
class Series:
    """Games of a program in one look: ``size`` is one of its levels."""

    name: str
    program: Program
    size: str
    theme: str | None = None


def all_series() -> Iterator[Series]:
    """Yield every series that is played."""
    gnome, kmines, sgt, xdemineur, wine = (
        PROGRAMS[name] for name in ("gnome-mines", "kmines", "sgt-mines", "xdemineur", "winemine")
    )
    for scale, gtk, theme in product((1, 2), GTK_THEMES, GNOME_THEMES):
        dressed = with_environment(gnome, GTK_THEME=gtk, GDK_SCALE=str(scale))
        yield Series(f"gnome-mines {theme} {gtk} scale {scale}", dressed, "beginner", theme)
    for theme in ("default", "classic"):
        yield Series(f"kmines {theme}", kmines, "beginner", theme)
    inverted = {
        f"MINES_COLOUR_{index}": f"{0xFFFFFF - int(colour, 16):06x}"
        for index, colour in enumerate(SGT_COLOURS)
    }
    # Another name, since the referee knows the ends of sgt-mines by its own colours.
    dark = with_environment(replace(sgt, name="sgt-mines inverted"), **inverted)
    for size in ("beginner", "expert"):
        yield Series("sgt-mines inverted", dark, size)
    for total in (40, 60, 100, 150):
        sized = replace(xdemineur, sizes={"expert": (16, 30, total)})
        yield Series(f"xdemineur {total} mines", sized, "expert")
    for size in ("beginner", "expert"):
        yield Series("winemine", wine, size)


def main() -> int:
    """Play the series that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--only", default="", help="words that the name of a series must have")
    parser.add_argument("--keep", type=Path, help="keep the recorded sessions in this folder")
    args = parser.parse_args()
    folder = args.keep or Path(tempfile.mkdtemp(prefix="minebot-live-"))
    print(HEADING)
    clean = True
    for series in all_series():
        if not all(word in series.name for word in args.only.split()):
            continue
        session = folder / f"{series.name} {series.size}"
        try:
            match = play_series(
                series.program, series.size, args.games, session, series.theme, [], None
            )
        except FileNotFoundError as error:
            print(f"{series.name:40} {series.size:13} not played: no {error.filename} here")
            continue
        clean = report(series.name, series.size, match) and clean
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
