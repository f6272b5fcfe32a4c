"""Play games by a script beside `minebot watch --overlay`, and judge every hint on the window.

    python -m tests.bench.overlay_games [--games 20] [--on xdemineur,gnome-mines,kmines,flat,night]
        [--size intermediate] [--clicks 15] [--seed 1] [--keep DIR]

``--on`` names programs, and looks of the page of these tests in Chromium. After every click the
marks must be those that exact deduction finds on the board: which a page reports itself; for a
program it is read from the window's own picture, without the marks. A line a game: clicks with
right marks, marks that contradict the truth at any moment, the delay from the last change of the
board to the right marks (median, worst), and the share of a core that the watch takes while nothing
happens. Exit code 1 if anything was wrong. `tests/live/test_overlay.py` checks the recording.
"""

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

import numpy as np

from solver.board import Board, Cell
from tests.bench.series import Table, parser
from tests.live.desk import Desk, open_camera, shoot
from tests.live.hinted import CleanDesk, Painted, marked, should_be_marked
from tests.live.ledger import Watcher
from tests.live.person import Person, Watch
from tests.live.programs import PROGRAMS, STANDARD, Program, Running, start
from tests.live.session import DeskError, Pixels
from tests.live.webpage import LOOKS, opened, own_page

GAMES_A_WATCH = 5
IDLE_S = 6.0
LIMIT_S = 15.0
SETTLED_S = 0.4


class Shot(NamedTuple):
    """The marks on the screen at a moment; ``changed`` if the program has painted anew."""

    at: float
    marks: Mapping[Cell, str]
    changed: bool


class Film(Watcher):
    """Films the board of a window, whose corner is at ``place``, until it is closed.

    It sees what the screen shows, and what the program paints below.
    """

    every_s = 0.015

    def __init__(self, display, window, grid, place):
        super().__init__()
        self._box = grid.bounds
        self._grid = grid.moved(-self._box.x0, -self._box.y0)
        (x0, y0, x1, y1), (left, top) = self._box, place
        self._board = np.s_[y0 - top : y1 - top, x0 - left : x1 - left]
        self._name, self._window = display, window
        self._raw: list[tuple[float, Pixels, bool]] = []
        self._last: Pixels | None = None
        self._clean: Pixels | None = None
        self.start()

    def run(self):
        with (
            closing(Painted(self._name, self._window)) as self._painted,
            open_camera(self._name) as self._camera,
        ):
            super().run()

    def look(self):
        """Grab both pictures; keep that of the screen if it differs."""
        at, raw = time.monotonic(), shoot(self._camera, tuple(self._box))
        clean = self._painted.look()[self._board]
        changed = self._clean is not None and not np.array_equal(clean, self._clean)
        if self._last is None or changed or not np.array_equal(raw, self._last):
            self._raw.append((at, raw, changed))
        self._last, self._clean = raw, clean

    def shots(self):
        """Return what was filmed since the last call."""
        taken, self._raw = self._raw, []
        return [Shot(at, marked(raw, self._grid), changed) for at, raw, changed in taken]


def delay_s(shots, right):
    """Return the seconds from the last change of the board until the right marks stand.

    None if the last shot does not show them, or nothing changed.
    """
    changes = [shot.at for shot in shots if shot.changed]
    wrong = [number for number, shot in enumerate(shots) if shot.marks != right]
    since = wrong[-1] + 1 if wrong else 0
    if not changes or since == len(shots):
        return None
    return max(0.0, shots[since].at - changes[-1])


def contradictions(shots, right):
    """List the marks of any shot that say safe of a certain mine, or mine of a safe cell."""
    opposite = {"safe": "mine", "mine": "safe"}
    wrong = {
        f"{kind} at {cell.place}, which is {right[cell]}"
        for shot in shots
        for cell, kind in shot.marks.items()
        if kind in opposite and right.get(cell) == opposite[kind]
    }
    return sorted(wrong)


def main():
    defaults = {"games": 20, "size": "intermediate", "clicks": 15, "seed": 1, "keep": Path}
    args = parser(__doc__, on="xdemineur,gnome-mines,kmines,flat,night", **defaults).parse_args()
    folder = args.keep or Path(tempfile.mkdtemp(prefix="minebot-overlay-"))
    names, clean, delays = args.on.split(","), True, list[float]()
    table = Table("on", "clicks", "right", "wrong", "median s", "worst s", "idle %")
    for number in range(-(-args.games // GAMES_A_WATCH)):
        games = min(GAMES_A_WATCH, args.games - GAMES_A_WATCH * number)
        name = names[number % len(names)]
        session = folder / f"{name}-{number}"
        try:
            with Desk() as desk, on(desk, name, args.size) as (running, page):
                seed = args.seed + number
                for took, wrong, idle in watched(running, page, games, args.clicks, seed, session):
                    right, times = len(took), [f(took or [0.0]) for f in (median, max)]
                    table.line(name, right + len(wrong), right, len(wrong), *times, 100 * idle)
                    table.note(wrong)
                    delays += took
                    clean &= not wrong
        except DeskError as error:
            print(f"{name}: {error}", flush=True)
            clean = False
    if delays:
        print(f"all: median {median(delays):.2f} s, worst {max(delays):.2f} s")
    return 0 if clean else 1


@contextmanager
def on(desk, name, size, end=""):
    """Open a program, or the page of these tests in one of its looks."""
    if name not in LOOKS:
        program = PROGRAMS[name]
        yield start(desk, program, program.sizes[size], at=(160, 90)), None
        return
    cells = STANDARD[size]
    with opened(desk, own_page(name, size=cells, end=end)) as page:
        yield Running(Program(name, "chromium", None), desk, None, page.window, cells), page


def watched(running, page, games, clicks, seed, session):
    """Play some games in one window, watched; yield what came of each, and the idle share.

    What came of a game are the delays of the right marks, and what was wrong.
    """
    desk, window, mines = running.desk, running.window, str(running.size[2])
    with ExitStack() as stack:
        seen = running._replace(desk=stack.enter_context(closing(CleanDesk(desk, window))))
        person = Person(seen, seed)
        new_game = page.new_game if page else person.new_game
        watch = stack.enter_context(Watch(running, session, "--overlay", "--mines", mines))
        film = Film(desk.env["DISPLAY"], window, person.grid, desk.geometry(window)[:2])
        stack.enter_context(closing(film))
        for number in range(games):
            if number:
                new_game()
            judged = one_game(person, page, film, clicks, Random(seed + number))
            yield *judged, idle_share(watch.process.pid)
        watch.interrupt()
        code, said, _ = watch.end()
    if code:
        raise DeskError(f"exit {code}: {said}")


def one_game(person, page, film, clicks, random):
    """Play one game well, and judge the marks after every click."""
    delays, wrong = list[float](), list[str]()
    film.shots()
    for _ in range(clicks):
        board = person.click_well()
        if board is None:
            break
        truth = board
        if page is not None:
            if page.state != "playing":
                break
            rows = page.js("game.rows()")
            truth = Board.from_text("\n".join(rows)).with_mines(board.mines)
        if (truth.tiles != board.tiles).any():
            wrong.append("the independent look differs from the page")
        right = should_be_marked(truth)
        shots = film.shots()
        end = time.monotonic() + LIMIT_S
        while (delay := delay_s(shots, right)) is None and time.monotonic() < end:
            time.sleep(0.2)
            shots += film.shots()
        wrong += contradictions(shots, right)
        if delay is None:
            differ = dict(shots[-1].marks.items() ^ right.items()) if shots else right
            wrong.append(f"no right marks in {LIMIT_S:.0f} s; these differ: {differ}")
            continue
        delays.append(delay)
        time.sleep(random.uniform(0, SETTLED_S))
    return delays, wrong


def idle_share(pid):
    """Return the share of a core that a process takes while nothing happens."""
    time.sleep(1.0)
    before, begun = processor_s(pid), time.monotonic()
    time.sleep(IDLE_S)
    return (processor_s(pid) - before) / (time.monotonic() - begun)


def processor_s(pid):
    numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
