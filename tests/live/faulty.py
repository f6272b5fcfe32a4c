"""Games to play under faults: real programs and pages behind one face.

Each knows where its board is and how a game ended, and can be ended.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from calibration import Frame, ScreenPoint, calibrate
from tests.live.deeds import Box
from tests.live.desk import Desk
from tests.live.ledger import Press
from tests.live.programs import PROGRAMS, Program, Running, start
from tests.live.referee import SIGNS
from tests.live.session import DeskError, which
from tests.live.webpage import LOOKS, Page, PageGame, opened, own_page, pages_in


class Played:
    """A game in a window on a desk; ``mines`` is its total, ``tile`` the size of a tile."""

    desk: Desk
    window: int
    pid: int
    mines: int
    tile: int
    switch_look: Callable[[], None] | None = None

    def begin(self) -> None:
        """Prepare the next game, where the bot cannot start one itself."""

    def board(self) -> Box:
        """Return the box of the board on the screen."""
        raise NotImplementedError

    def window_box(self) -> Box | None:
        """Return the box of the window's inside; None if it is not on the screen."""
        try:
            return self.desk.geometry(self.window)
        except ValueError:
            return None

    def wrong_result(self, reported: str | None, begun: float) -> list[str]:
        """Say what is wrong with the reported result; ``begun`` is when the game began."""
        raise NotImplementedError

    def clicked_overlay(self) -> list[Press]:
        """List the clicks on what the page laid over its board."""
        return []

    def kill(self) -> None:
        """End the program."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


class PlayedProgram(Played):
    """A real program."""

    def __init__(self, running: Running) -> None:
        assert isinstance(running.desk, Desk)
        self.desk, self.window, self.pid = running.desk, running.window, running.process.pid
        self._running, self.mines = running, running.size[2]
        pixels = np.ascontiguousarray(self.desk.wait_stable())
        grid = calibrate(Frame(pixels, ScreenPoint(0, 0), 1.0)).grid
        left, top, *_ = self.desk.geometry(self.window)
        bounds = grid.bounds
        self._inside = bounds.x0 - left, bounds.y0 - top
        self._size = bounds.x1 - bounds.x0, bounds.y1 - bounds.y0
        self.tile = round(grid.tile_w)

    def begin(self) -> None:
        """Bring the window back from wherever the last fault left it, and close its dialogs.

        A game goes on after its bot was stopped: clicks on a frozen window may win it.
        """
        self.desk.xdotool("windowmap", self.window)
        for dialog in self._dialogs():
            self.desk.xdotool("windowfocus", "--sync", dialog, "key", "Escape")
        self.desk.xdotool("windowmove", self.window, 160, 90)
        self.desk.xdotool("windowraise", self.window)
        with suppress(DeskError):
            self.desk.wait_stable(0.3, 4)

    def _dialogs(self) -> list[int]:
        shown = self.desk.windows(self._running.program.window_class)
        return [window for window in shown if window != self.window]

    def board(self) -> Box:
        """Return the box of the board, which keeps its place in the window."""
        left, top, *_ = self.desk.geometry(self.window)
        return left + self._inside[0], top + self._inside[1], *self._size

    def wrong_result(self, reported: str | None, begun: float) -> list[str]:
        """Compare with what the window shows, as far as that certainly shows the end."""
        if reported not in ("won", "lost"):
            return []
        box = self.window_box()
        if box is None:
            return []
        time.sleep(0.3)
        left, top, width, height = box
        window = self.desk.grab()[max(0, top) : top + height, max(0, left) : left + width]
        shown = SIGNS[self._running.program.name](window)
        return [f"reported {reported}, shown {shown}"] if shown not in (None, reported) else []


class PlayedPage(Played):
    """A page in a browser."""

    def __init__(self, page: Page) -> None:
        self._page, self.desk = page, page.desk
        self.window, self.pid = page.window, page.process.pid
        self.mines = int(page.board["mines"] or 0)
        self.tile = round(page.grid()[2])
        self._overlay_clicks = 0
        self._state_at_end: str | None = None

    def begin(self) -> None:
        """Bring the window back, and start a new game: the bot does not know how."""
        self.desk.xdotool("windowmap", self.window)
        self.desk.xdotool("windowmove", self.window, 160, 40)
        self._page.new_game()

    def board(self) -> Box:
        """Return the box of the board as the page reports it."""
        x, y, wide, high = self._page.grid()
        rows, cols = self._page.board["rows"], self._page.board["cols"]
        return round(x), round(y), round(wide * cols), round(high * rows)

    def kill(self) -> None:
        """End the browser."""
        self._state_at_end = self._page.state
        super().kill()

    def wrong_result(self, reported: str | None, begun: float) -> list[str]:
        """Compare with how the page says the game stands."""
        if self._state_at_end is not None:
            early = reported == "won" != self._state_at_end
            return ["reported won for a page that was closed before"] if early else []
        state = self._page.state
        wrong = reported in ("won", "lost") and reported != state
        return [f"reported {reported}, the page is {state}"] if wrong else []

    def clicked_overlay(self) -> list[Press]:
        """Return the clicks that the page's card got, at no particular place."""
        if self._state_at_end is not None:
            return []
        count = int(self._page.js("window.game ? game.overlayClicks() : 0") or 0)
        new, self._overlay_clicks = count - self._overlay_clicks, count
        return [Press(-1, -1, 1, 0.0)] * max(0, new)


@dataclass(frozen=True)
class Ground:
    """A program or page that games are played on; ``open`` opens it on a desk."""

    name: str
    open: Callable[[Desk], AbstractContextManager[Played]]


def grounds(pages: Path | None) -> list[Ground]:
    """Return all programs that are installed, the pages of these tests, and those in a folder."""
    found = [
        _program(program, size)
        for size in ("beginner", "intermediate")
        for program in PROGRAMS.values()
        if which(program.name) is not None
    ]
    own = [own_page(look, end=end) for look in LOOKS for end in ("", "card")]
    others = [] if pages is None else pages_in(pages)
    every = found + [_page(game) for game in own + others]
    Random(len(every)).shuffle(every)
    return every


def _program(program: Program, size: str) -> Ground:
    @contextmanager
    def opened_program(desk: Desk) -> Iterator[Played]:
        yield PlayedProgram(start(desk, program, program.sizes[size], at=(160, 90)))

    return Ground(f"{program.name} {size}", opened_program)


def _page(game: PageGame) -> Ground:
    @contextmanager
    def opened_page(desk: Desk) -> Iterator[Played]:
        with opened(desk, game) as page:
            yield PlayedPage(page)

    return Ground(game.name, opened_page)
