"""The task that desktop agents are given: win gnome-mines at 16×30, with the mines flagged.

    python -m tests.bench.desktop_task [--attempts 50] [--play OPTIONS]

An attempt starts the program on an X screen of its own and plays until at least 380 of the 381
cells without a mine are open and at least 95 of the 99 mines carry a flag. It may start a new game
three times, and has 1,500 seconds. The bot reads the last board; that it is over is detected by the
program. One line an attempt, then the share that passed, with its 95 % interval.
"""

import shlex
import subprocess
import sys
import time

from calibration.calibration import calibrate
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.reader import read
from solver.arena.statistics import wilson
from solver.board import Tile
from tests.bench.series import Table, parser
from tests.live.command import lines_of, run_bot
from tests.live.desk import Desk
from tests.live.programs import PROGRAMS, start

LEAST_OPEN, LEAST_FLAGS = 380, 95
GAMES, LIMIT_S = 4, 1500.0


def main():
    """Make the attempts and print them; exit code 1 if one failed in another way than by a mine."""
    args = parser(__doc__, attempts=50, play="").parse_args()
    passed, faults = 0, 0
    table = Table("attempt", "games", "open", "flags", "seconds")
    for number in range(1, args.attempts + 1):
        began = time.monotonic()
        results, opened, flags = attempt(shlex.split(args.play))
        done = opened >= LEAST_OPEN and flags >= LEAST_FLAGS
        passed += done
        faults += not done and results != ["lost"] * GAMES
        table.line(number, len(results), opened, flags, time.monotonic() - began)
        table.note([] if done else [f"not passed: {', '.join(results)}"])
    share = wilson(passed, args.attempts)
    low, high = share.ci95
    print(f"{passed} of {args.attempts} passed ({100 * low:.0f} to {100 * high:.0f} %)")
    return 1 if faults else 0


def attempt(options):
    """Play until a game is won; return the results, the open cells and the flags at the end."""
    words, end = ("play", "--screen", "real", "--flags", "--json"), time.monotonic() + LIMIT_S
    results = []
    with Desk() as desk:
        start(desk, PROGRAMS["gnome-mines"], (16, 30, 99), at=(160, 90))
        while len(results) < GAMES and results[-1:] != ["won"]:
            left_s = max(1.0, end - time.monotonic())
            try:
                done = run_bot(*words, *options, env=desk.env, limit_s=left_s)
            except subprocess.TimeoutExpired:
                return [*results, "out of time"], *counts(desk)
            for line in lines_of(done.stdout):
                if "game" in line:
                    blame = line.get("blame", "bad luck")
                    lost = blame != "bad luck"
                    results.append(f"lost by {blame}" if lost else line["result"])
            if done.returncode:
                return [*results, done.stderr.strip()], *counts(desk)
        return results, *counts(desk)


def counts(desk):
    """Count the open cells and the flags on the board that is shown; none if it cannot be read."""
    frame = Frame(desk.grab())
    try:
        board = read(frame, calibrate(frame)).board
    except CalibrationError:
        return 0, 0
    return int(board.open.sum()), int((board.tiles == Tile.FLAG).sum())


if __name__ == "__main__":
    sys.exit(main())
