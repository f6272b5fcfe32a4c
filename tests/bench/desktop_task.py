"""The task that desktop agents are given: win gnome-mines at 16×30, with the mines flagged.

    python -m tests.bench.desktop_task [--attempts 50] [--play OPTIONS]

An attempt starts the program on an X screen of its own and plays until at least 380 of the 381
cells without a mine are open and at least 95 of the 99 mines carry a flag. It may start a new game
three times, and has 1,500 seconds. The bot reads the last board; that it is over is detected by the
program. One line an attempt, then the share that passed, with its 95 % interval.
"""

import json
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
from tests.live.command import ROOT, RUN_BOT
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
    end = time.monotonic() + LIMIT_S
    results: list[str] = []
    with Desk() as desk:
        running = start(desk, PROGRAMS["gnome-mines"], (16, 30, 99), at=(160, 90))
        while len(results) < GAMES and results[-1:] != ["won"]:
            try:
                done = subprocess.run(
                    [*RUN_BOT, "play", "--screen", "real", "--flags", "--json", *options],
                    env=running.desk.env,
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=max(1.0, end - time.monotonic()),
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return [*results, "out of time"], *counts(running.desk)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            results += [result_line(line) for line in lines if "game" in line]
            if done.returncode:
                return [*results, done.stderr.strip()], *counts(running.desk)
        return results, *counts(running.desk)


def result_line(result):
    """Return how a game ended; of a loss by anything but bad luck, what is to blame, too."""
    blame = result.get("blame")
    return result["result"] if blame in (None, "bad luck") else f"lost by {blame}"


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
