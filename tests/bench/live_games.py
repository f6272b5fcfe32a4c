"""Play many games in a row on a real program and check each one.

    python -m tests.bench.live_games PROGRAM SIZE [--games 30] [--keep DIR] [--play OPTIONS]
        [--sway SCALE]

PROGRAM is one of those in `tests/live/programs.py` or ``all``; SIZE a level or ``all``. One line
a program and size: games, wins, faults by kind, seconds a game. Exit code 1 if there was a fault.
With ``--sway SCALE`` they are played on a Wayland desktop, at scale 1, 1.5 or 2.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path
from statistics import median

from tests.live.desk import Desk
from tests.live.match import Match, faults, play
from tests.live.programs import PROGRAMS, Program, start
from tests.live.sway import SCREENS, SwayDesk

HEADING = f"{'program':40} size          games  wins  faults  s/game: median  worst   turns/game"


def main() -> int:
    """Play the series that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", choices=[*PROGRAMS, "all"])
    parser.add_argument("size", choices=["beginner", "intermediate", "expert", "all"])
    parser.add_argument("--games", type=int, default=30)
    parser.add_argument("--theme")
    parser.add_argument("--keep", type=Path, help="keep the recorded sessions in this folder")
    parser.add_argument("--play", default="", help="more options of minebot play, in one string")
    parser.add_argument("--sway", type=float, choices=SCREENS, help="play on sway, at this scale")
    args = parser.parse_args()
    folder = args.keep or Path(tempfile.mkdtemp(prefix="minebot-live-"))
    print(HEADING)
    clean = True
    for program in PROGRAMS.values() if args.program == "all" else [PROGRAMS[args.program]]:
        for size in ("beginner", "expert") if args.size == "all" else [args.size]:
            session = folder / f"{program.name}-{size}"
            match = play_series(
                program, size, args.games, session, args.theme, shlex.split(args.play), args.sway
            )
            clean = report(program.name, size, match) and clean
    return 0 if clean else 1


def play_series(
    program: Program,
    size: str,
    games: int,
    session: Path,
    theme: str | None,
    options: list[str],
    scale: float | None,
) -> Match:
    """Play a series in one window, on an X server or on sway at a scale."""
    with Desk() if scale is None else SwayDesk(SCREENS[scale]) as desk:
        running = start(desk, program, program.sizes[size], theme, at=(160, 90))
        return play(running, games, session, *options, limit_s=60 * games)


def report(name: str, size: str, match: Match) -> bool:
    """Print the line of a series and its faults; return whether it has none."""
    wrong = faults(match)
    seconds = [result["seconds"] for result in match.results] or [0.0]
    turns = sum(result["turns"] for result in match.results) / max(1, len(match.results))
    print(
        f"{name:40} {size:13} {len(match.results):5} {match.wins:5} "
        f"{len(wrong):7}  {median(seconds):14.2f} {max(seconds):6.2f} {turns:12.1f}",
        flush=True,
    )
    for fault in wrong:
        print(f"    {fault}", flush=True)
    return not wrong


if __name__ == "__main__":
    sys.exit(main())
