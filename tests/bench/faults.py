"""Play real programs and pages under random faults, and judge what the bot did.

    python -m tests.bench.faults [--games 100] [--seed 0] [--only NAME] [--faults A,B] [--keep DIR]

Each game is one run of ``minebot play`` on a private X server, with one fault of
`tests.bench.mischief` at a random moment. A referee sees every click that reached the server, how
the game ended by the window or the page itself, and the mines that a finished board shows.

A fault counts as *recovered* (the reported result is the true one), *typed stop* (exit code 3 to 6
and one sentence) or *wrong* (anything else: a result that is not true, a click beside the board or
on what lay over it, a number misread, a traceback). Exit code 1 if anything was wrong.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random

import cv2

from calibration import Frame, calibrate
from tests.bench.mischief import FAULTS, FROM_THE_START, MUST_STOP, Scene
from tests.bench.overlay_games import on
from tests.bench.series import Table, parser
from tests.live.command import Bot, lines_of
from tests.live.desk import Desk
from tests.live.ledger import Press
from tests.live.match import misread
from tests.live.programs import PROGRAMS
from tests.live.referee import SIGNS
from tests.live.session import DeskError, wait_until, which
from tests.live.webpage import LOOKS

GAMES_A_WINDOW = 6  # games played in one window before the next program's turn
REACTION_S = 0.4  # time after which no click may follow a fault that must stop the bot
SIGHT_S = 0.25  # time after which what lies over the board must have been seen
LIMIT_S = 240  # longest time that a game may take on a busy machine
KINDS = "recovered", "typed stop", "wrong"


class PlayedProgram:
    """A real program in a window; ``mines`` is its total, ``tile`` the size of a tile."""

    process = None

    def __init__(self, running):
        self.desk, self.window, self.pid = running.desk, running.window, running.process.pid
        self._program, self.mines = running.program, running.size[2]
        grid = calibrate(Frame(self.desk.wait_stable())).grid
        left, top, *_ = self.window_box()
        x0, y0, x1, y1 = grid.bounds
        self._board = x0 - left, y0 - top, x1 - x0, y1 - y0
        self.tile = round(grid.tile_w)

    def begin(self):
        """Bring the window back from wherever the last fault left it, and close its dialogs.

        A game goes on after its bot was stopped: clicks on a frozen window may win it.
        """
        self.desk.xdotool("windowmap", self.window)
        for dialog in {*self.desk.windows(self._program.window_class)} - {self.window}:
            self.desk.xdotool("windowfocus", "--sync", dialog, "key", "Escape")
        self.desk.xdotool("windowmove", self.window, 160, 90, "windowraise", self.window)
        with suppress(DeskError):
            self.desk.wait_stable(0.3, 4)

    def board(self):
        """Return the box of the board, which keeps its place in the window."""
        left, top, *_ = self.desk.geometry(self.window)
        return left + self._board[0], top + self._board[1], *self._board[2:]

    def window_box(self):
        """Return the box of the window's inside; None if it is not on the screen."""
        with suppress(ValueError):
            return self.desk.geometry(self.window)

    def wrong_result(self, reported):
        """Compare with what the window shows, as far as that certainly shows the end."""
        box = self.window_box()
        if reported not in ("won", "lost") or box is None:
            return []
        time.sleep(0.3)
        left, top, width, height = box
        window = self.desk.grab()[max(0, top) : top + height, max(0, left) : left + width]
        shown = SIGNS[self._program.name](window)
        return [f"reported {reported}, shown {shown}"] if shown not in (None, reported) else []

    def clicked_overlay(self):
        """List the clicks on what a page laid over its board."""
        return []

    def kill(self):
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


class PlayedPage(PlayedProgram):
    def __init__(self, page):
        self._page, self.desk = page, page.desk
        self.window, self.pid = page.window, os.getpgid(page.pid)
        self.mines, self.tile = page.game.asked["mines"], round(page.grid()[2])
        self._overlay_clicks = 0
        self._state_at_end: str | None = None

    def begin(self):
        """Bring the window back, and start a new game: the bot does not know how."""
        self.desk.xdotool("windowmap", self.window, "windowmove", self.window, 160, 40)
        self._page.new_game()

    def board(self):
        """Return the box of the board as the page reports it."""
        x, y, wide, high = self._page.grid()
        asked = self._page.game.asked
        return round(x), round(y), round(wide * asked["cols"]), round(high * asked["rows"])

    def kill(self):
        self._state_at_end = self._page.state
        super().kill()

    def wrong_result(self, reported):
        """Compare with how the page says the game stands."""
        if self._state_at_end is not None:
            early = reported == "won" != self._state_at_end
            return ["reported won for a page that was closed before"] if early else []
        wrong = reported in ("won", "lost") and reported != (state := self._page.state)
        return [f"reported {reported}, the page is {state}"] if wrong else []

    def clicked_overlay(self):
        """Return the clicks that the page's card got, at no particular place."""
        if self._state_at_end is not None:
            return []
        count = self._page.js("game.overlayClicks()")
        new, self._overlay_clicks = count - self._overlay_clicks, count
        return [Press(-1, -1, 1, 0.0)] * max(0, new)


def grounds():
    """List all programs that are installed, and the pages of these tests, in an order by chance."""
    programs = [name for name in PROGRAMS if which(name) is not None]
    found = [(name, size, "") for size in ("beginner", "intermediate") for name in programs]
    found += [(look, "beginner", end) for look in LOOKS for end in ("", "card")]
    Random(len(found)).shuffle(found)
    return found


@dataclass
class Verdict:
    program: str
    fault: str
    kind: str
    why: str = ""
    reported: str = ""
    chance: float | None = None


def main():
    defaults = {"games": 100, "seed": 0, "only": "", "keep": Path}
    args = parser(__doc__, faults=",".join(FAULTS), **defaults).parse_args()
    random, verdicts = Random(args.seed), list[Verdict]()
    # Ended early, it ends what it started, and prints what it has.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        for ground in cycle([one for one in grounds() if args.only in " ".join(one)]):
            name = " ".join(ground).strip()
            if len(verdicts) >= args.games:
                break
            count = min(GAMES_A_WINDOW, args.games - len(verdicts))
            try:
                with Desk() as desk, on(desk, *ground) as (running, page):
                    played = PlayedPage(page) if page else PlayedProgram(running)
                    play_some(name, played, count, args, random, verdicts)
            except Exception as error:  # a program that does not start says nothing of the bot
                print(f"  {name}: {type(error).__name__}: {error}", flush=True)
    finally:
        print_table(verdicts)
    return 1 if any(verdict.kind == "wrong" for verdict in verdicts) else 0


def play_some(name, played, count, args, random, verdicts):
    """Play some games in one window, until it was ended."""
    for _ in range(count):
        fault = random.choice(args.faults.split(","))
        with tempfile.TemporaryDirectory() as folder:
            session = (args.keep or Path(folder)) / f"{len(verdicts):04d} {name} {fault}"
            verdict = play_one(name, played, fault, random, session)
            if verdict.kind != "recovered" and session.exists():
                cv2.imwrite(str(session / "desk.png"), played.desk.grab()[..., ::-1])
        verdicts.append(verdict)
        said = " ".join((verdict.reported, verdict.why))
        print(f"{verdict.program:16} {fault:17} {verdict.kind:10} {said}", flush=True)
        if fault == "killed":
            return


def play_one(name, played, fault, random, session):
    """Play one game with one fault in it."""
    played.begin()
    played.desk.xdotool("mousemove", 1700, 1000)
    words = ("--json", "--pace", "0.03", "--agent", "tank", "--record", session)
    scene, places = Scene(played, random), [played.window_box()]
    with ExitStack() as stack:
        if fault in FROM_THE_START:
            stack.enter_context(FAULTS[fault](scene))
        bot = stack.enter_context(Bot(played, "play", "--screen", "x11", *words))
        scene.bot, presses = bot, bot.ledger.presses
        wait_until(lambda: presses or bot.process.poll() is not None, LIMIT_S, "a click")
        time.sleep(random.uniform(0, 1.5))
        places.append(played.window_box())
        at = time.monotonic()
        try:
            if fault not in FROM_THE_START:
                stack.enter_context(FAULTS[fault](scene))
            places.append(played.window_box())
            code = bot.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            said = " ".join(bot.err.split())[-200:]
            return Verdict(name, fault, "wrong", f"no end after {LIMIT_S} s; it said: {said}")
    places.append(played.window_box())
    result = next((line for line in lines_of(bot.out) if "result" in line), {})
    clicks = [press for press in presses if press.button]
    found = stray(clicks, places, scene.covers) + played.clicked_overlay()
    why = [f"stray click at {one.x},{one.y}" for one in found]
    if fault in MUST_STOP and (late := bot.clicks_after(at + REACTION_S)):
        why += [f"{late} clicks after {fault}"]
    why += played.wrong_result(result.get("result")) + misread_in(session, played.mines)
    return judge(name, fault, code, result, bot.err, why)


def stray(clicks, places, covers):
    """List the clicks outside of every place where the window was, and those on covers."""
    boxes = [box for box in places if box is not None]
    return [one for one in clicks if not any(_inside(one, box) for box in boxes)] + [
        one
        for one in clicks
        for since, until, box in covers
        if since + SIGHT_S < one.at < until and _inside(one, box)
    ]


def _inside(press, box):
    left, top, width, height = box
    return left <= press.x < left + width and top <= press.y < top + height


def misread_in(session, total):
    """List the first numbers that were misread, if the end shows all mines."""
    file, steps = session / "session.jsonl", []
    with suppress(ValueError, FileNotFoundError):  # a disk that was full cuts the last line
        for line in file.read_text("utf-8", "replace").splitlines():
            steps.append(json.loads(line))
    boards = [step["board"] for step in steps if "board" in step]
    # An end reported without its board, for instance under a dialog, shows no mine.
    end = next((step for step in steps if step.get("kind") == "game" and "board" in step), None)
    return misread([*boards, end["board"]], end["result"], total)[:3] if end else []


def judge(name, fault, code, result, err, why):
    """Sum one game up; ``why`` lists what is wrong with it so far."""
    sentences = err.strip().splitlines()
    reported = str(result.get("result", "")) or (sentences[-1] if sentences else "")
    if "Traceback" in err or "Unexpected" in err or code in (1, 2) or code < 0:
        full = fault == "disk full" and code == 1 and "Unexpected" not in err
        why += [] if full else [f"exit {code}: {reported}"]
    if why:
        return Verdict(name, fault, "wrong", "; ".join(why), reported)
    if result.get("result") in ("won", "lost") and code == 0:
        return Verdict(name, fault, "recovered", "", reported, result.get("chance"))
    return Verdict(name, fault, "typed stop", "", reported)


def print_table(verdicts):
    for title in ("fault", "program"):
        counts = Counter((getattr(verdict, title), verdict.kind) for verdict in verdicts)
        table = Table(f"\n{title}", "games", *KINDS)
        for name in dict.fromkeys(getattr(verdict, title) for verdict in verdicts):
            kinds = [counts[name, kind] for kind in KINDS]
            table.line(name, sum(kinds), *kinds)
    ended = [verdict for verdict in verdicts if verdict.chance is not None]
    won = sum(verdict.reported == "won" for verdict in ended)
    expected = sum(verdict.chance or 0.0 for verdict in ended)
    print(
        f"\n{len(verdicts)} games, {len(ended)} with a result, {won} won, {expected:.1f} expected; "
        f"{sum(verdict.kind == 'wrong' for verdict in verdicts)} wrong"
    )


if __name__ == "__main__":
    raise SystemExit(main())
