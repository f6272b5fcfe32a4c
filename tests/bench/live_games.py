"""Play many games in a row on real programs and check each one.

    python -m tests.bench.live_games PROGRAM SIZE [--games 30] [--keep DIR] [--play OPTIONS]
        [--theme NAME] [--sway SCALE]
    python -m tests.bench.live_games looks [--only WORDS] [--games 5]

PROGRAM is one of those in `tests/live/programs.py` or ``all``; SIZE a level or ``all``. ``looks``
are series in other themes, sizes and scales; WORDS choose those whose name has all of them, such as
``gnome dark``. One line a series: games, wins, faults by kind, seconds a game. Exit code 1 if there
was a fault. ``--sway`` plays on a Wayland desktop, at scale 1, 1.5 or 2; ``--play`` takes more
options of minebot play, in one string. With inverted colours the referee sees clicks and numbers,
but no ends.
"""

import shlex
import sys
import tempfile
from itertools import product
from pathlib import Path
from statistics import median

from tests.bench.series import Table, parser
from tests.live.desk import Desk
from tests.live.match import faults, play
from tests.live.programs import PROGRAMS, start
from tests.live.sway import SCREENS, SwayDesk

GTK_THEMES = ("Adwaita", "Adwaita:dark", "HighContrast")
GNOME_THEMES = ("bgcolors", "classic", "default")

SGT_COLOURS = (
    *("e6e6e6", "dadada"),  # backgrounds
    *("0000ff", "007f00", "ff0000", "00007f", "7f0000", "007f7f", "000000", "7f7f7f"),  # digits
    *("000000", "ff0000", "ff0000", "ff0000", "000000", "000000"),  # mine, blast, cross, flag, ?
    *("ffffff", "999999", "ff9999", "ffb3b3"),  # light and dark edges, a wrong number, the cursor
)
"""The colours of sgt-mines in the order of its settings ``MINES_COLOUR_0`` and so on."""


def looks():
    """Yield the name of each series, its program, level and theme."""
    gnome, sgt, xdemineur = (PROGRAMS[name] for name in ("gnome-mines", "sgt-mines", "xdemineur"))
    for scale, gtk, theme in product((1, 2), GTK_THEMES, GNOME_THEMES):
        dressed = gnome._replace(env={"GTK_THEME": gtk, "GDK_SCALE": str(scale)})
        yield f"gnome-mines {theme} {gtk} scale {scale}", dressed, "beginner", theme
    for theme in ("default", "classic"):
        yield f"kmines {theme}", PROGRAMS["kmines"], "beginner", theme
    inverted = {
        f"MINES_COLOUR_{index}": f"{0xFFFFFF - int(colour, 16):06x}"
        for index, colour in enumerate(SGT_COLOURS)
    }
    # Another name, since the referee knows the ends of sgt-mines by its own colours.
    dark = sgt._replace(name="sgt-mines inverted", env=inverted)
    for total in (40, 60, 100, 150):
        sized = xdemineur._replace(sizes={"expert": (16, 30, total)})
        yield f"xdemineur {total} mines", sized, "expert", None
    for program, size in product((dark, PROGRAMS["winemine"]), ("beginner", "expert")):
        yield program.name, program, size, None


def main():
    made = parser(__doc__, games=30, theme=str, keep=Path, play="", only="")
    made.add_argument("program", choices=[*PROGRAMS, "all", "looks"])
    sizes = ["beginner", "intermediate", "expert", "all"]
    made.add_argument("size", choices=sizes, nargs="?", default="all")
    made.add_argument("--sway", type=float, choices=SCREENS)
    args = made.parse_args()
    folder = args.keep or Path(tempfile.mkdtemp(prefix="minebot-live-"))
    programs = PROGRAMS.values() if args.program == "all" else [PROGRAMS.get(args.program)]
    levels = ("beginner", "expert") if args.size == "all" else [args.size]
    plain = ((one.name, one, size, args.theme) for one, size in product(programs, levels))
    clean = True
    figures = ("games", "wins", "faults", "median s", "worst s", "turns")
    table = Table("program", "size       ", *figures, width=40)
    for name, program, size, theme in looks() if args.program == "looks" else plain:
        if not all(word in name for word in args.only.split()):
            continue
        session = folder / f"{name} {size}"
        try:
            with Desk() if args.sway is None else SwayDesk(SCREENS[args.sway]) as desk:
                running = start(desk, program, program.sizes[size], theme, at=(160, 90))
                words = shlex.split(args.play)
                match = play(running, args.games, session, *words, limit_s=60 * args.games)
        except FileNotFoundError as error:
            table.note([f"{name} {size} not played: no {error.filename} here"])
            continue
        wrong, count = faults(match), len(match.results)
        seconds = [result["seconds"] for result in match.results] or [0.0]
        turns = sum(result["turns"] for result in match.results) / max(1, count)
        times = median(seconds), max(seconds), turns
        table.line(name, size, count, match.wins, len(wrong), *times)
        table.note(wrong)
        clean = clean and not wrong
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
