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

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from statistics import median

from solver.board import Board
from tests.bench.series import Table, parser
from tests.live.desk import Desk
from tests.live.filmed import Film, contradictions, delay_s
from tests.live.hinted import CleanDesk, should_be_marked
from tests.live.person import Person, Watch
from tests.live.programs import PROGRAMS, STANDARD, Launch, Program, Running, start
from tests.live.session import DeskError
from tests.live.webpage import LOOKS, Page, opened, own_page

GAMES_A_WATCH = 5
IDLE_S = 6.0
LIMIT_S = 15.0
SETTLED_S = 0.4


@dataclass
class Judged:
    """What was seen in one game."""

    delays: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class PagePerson(Person):
    """A person who plays a page."""

    def __init__(self, running: Running, page: Page, seed: int) -> None:
        self._page = page
        super().__init__(running, seed)

    def new_game(self) -> None:
        """Start the next game."""
        self._page.new_game()


def main() -> int:
    """Play the games that the command line asks for."""
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
                for judged, idle in watched(running, page, games, args.clicks, seed, session):
                    right, wrong = len(judged.delays), judged.wrong
                    times = [f(judged.delays or [0.0]) for f in (median, max)]
                    table.line(name, right + len(wrong), right, len(wrong), *times, 100 * idle)
                    table.note(wrong)
                    delays += judged.delays
                    clean &= not wrong
        except DeskError as error:
            print(f"{name}: {error}", flush=True)
            clean = False
    if delays:
        print(f"all: median {median(delays):.2f} s, worst {max(delays):.2f} s")
    return 0 if clean else 1


@contextmanager
def on(desk: Desk, name: str, size: str) -> Iterator[tuple[Running, Page | None]]:
    """Open a program, or the page of these tests in one of its looks."""
    if name not in LOOKS:
        program = PROGRAMS[name]
        yield start(desk, program, program.sizes[size], at=(160, 90)), None
        return
    cells = STANDARD[size]
    with opened(desk, own_page(name, size=cells)) as page:
        as_program = Program(name, "chromium", "Chromium", lambda *_: Launch([]), {})
        yield Running(as_program, desk, page.process, page.window, cells), page


def watched(
    running: Running, page: Page | None, games: int, clicks: int, seed: int, session: Path
) -> Iterator[tuple[Judged, float]]:
    """Play some games in one window, watched; yield what came of each, and the idle share."""
    desk = running.desk
    assert isinstance(desk, Desk)
    clean_desk = CleanDesk(desk, running.window)
    seen_by_person = replace(running, desk=clean_desk)
    person = PagePerson(seen_by_person, page, seed) if page else Person(seen_by_person, seed)
    mines = ("--mines", str(running.size[2]))
    with (
        closing(clean_desk),
        closing(Watch(running, session, "--overlay", *mines)) as watch,
        closing(
            Film(
                desk.env["DISPLAY"], running.window, person.grid, desk.geometry(running.window)[:2]
            )
        ) as film,
    ):
        for number in range(games):
            if number:
                person.new_game()
            judged = one_game(person, page, film, clicks, Random(seed + number))
            yield judged, idle_share(watch.process.pid)
        watch.interrupt()
        code, said, _ = watch.end()
    if code:
        raise DeskError(f"exit {code}: {said}")


def one_game(person: Person, page: Page | None, film: Film, clicks: int, random: Random) -> Judged:
    """Play one game well, and judge the marks after every click."""
    judged = Judged()
    film.shots()
    for _ in range(clicks):
        board = person.click_well()
        if board is None:
            break
        truth = board if page is None else page_board(page, board.mines)
        if truth is None:
            break
        if (truth.tiles != board.tiles).any():
            judged.wrong.append("the independent look differs from the page")
        right = should_be_marked(truth)
        shots = film.shots()
        end = time.monotonic() + LIMIT_S
        while (delay := delay_s(shots, right)) is None and time.monotonic() < end:
            time.sleep(0.2)
            shots += film.shots()
        judged.wrong += contradictions(shots, right)
        if delay is None:
            last = dict(shots[-1].marks) if shots else {}
            differ = dict(last.items() ^ right.items())
            judged.wrong.append(
                f"no right marks in {LIMIT_S:.0f} s; seen and right differ: {differ}"
            )
            continue
        judged.delays.append(delay)
        time.sleep(random.uniform(0, SETTLED_S))
    return judged


def page_board(page: Page, mines: int | None) -> Board | None:
    """Return the board as the page reports it, None if its game is over."""
    if page.state != "playing":
        return None
    rows: list[str] = page.js(page.game.api["truth_js"])
    return Board.from_text("\n".join(rows)).with_mines(mines)


def idle_share(pid: int) -> float:
    """Return the share of a core that a process takes while nothing happens."""
    time.sleep(1.0)
    before, begun = processor_s(pid), time.monotonic()
    time.sleep(IDLE_S)
    return (processor_s(pid) - before) / (time.monotonic() - begun)


def processor_s(pid: int) -> float:
    """Return the processor seconds that a process has used."""
    numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
