"""Hints while a person plays: the advice of an agent, and its marks on the game's window.

An agent thinks about the newest board in a thread. The marks of our own overlay are taken out of
the pictures that the bot grabs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from bot.desktop.ports import Clock, Colour, Mark, Monitor, Overlay, Screen
from bot.tracking.target import Pixels
from calibration import Frame, Grid, PixelBox
from solver import Board, Cell, SolverError, Tile
from solver.agents.base import Agent, Decision, Thinker
from solver.agents.tank import decide
from solver.analysis import Analysis, analyse_likely
from solver.guesses import win_chance


@dataclass(frozen=True)
class Sight:
    """The board of a game under way, at rest; ``grid`` is in pixels of the whole screen.

    One or two tiles may be unknown if a pointer or a bubble hides them. ``game`` counts from 1.
    """

    game: int
    board: Board
    grid: Grid


class Hints(Protocol):
    """Receives what happens on the watched board, as soon as it is seen."""

    def board_changed(self, cells: Collection[Cell] | None) -> None:
        """React to a new picture of the board: it changes, moves, or is covered.

        ``cells`` are the cells that look different from the stable board; None if that is unknown.
        """
        ...

    def board_at_rest(self, sight: Sight) -> None:
        """React to a board that has been read; it may be the same one at another place."""
        ...


@dataclass(frozen=True)
class Advice:
    """What is known about a board, and what an agent would do on it.

    While the agent thinks, ``decision`` is None, and ``thought`` is the number of layouts tried and
    the largest possible number. A decision without moves gives the reason. ``win`` is the estimated
    win chance, None if it is not known.
    """

    board: Board
    analysis: Analysis | None = None
    decision: Decision | None = None
    win: float | None = None
    thought: tuple[int, int] | None = None


class _Outdated(Exception):
    """There is a newer board, so the result for this one is no longer needed."""


class Adviser:
    """Thinks about one board at a time; `ask` cancels the search on the previous board.

    It must be closed to end its thread.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._asked: Board | None = None
        self._found = SimpleQueue[Advice]()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="adviser")

    def ask(self, board: Board | None) -> None:
        """Think about this board from now on, or about none."""
        self._asked = board
        if board is not None:
            self._thread.submit(self._think, board)

    def poll(self) -> Advice | None:
        """Return the newest advice on the current board, None if there is no new one."""
        newest = None
        while True:
            try:
                advice = self._found.get_nowait()
            except Empty:
                return newest
            if advice.board is self._asked:
                newest = advice

    def close(self) -> None:
        """Cancel the search and end the thread."""
        self.ask(None)
        self._thread.shutdown(cancel_futures=True)

    def _think(self, board: Board) -> None:
        """Report the certain cells immediately, and the decision when it is found."""
        if board is not self._asked:
            return
        try:
            advice = Advice(board, analyse_likely(board))
            self._found.put(advice)
            if isinstance(self._agent, Thinker):
                self._agent.on_progress = lambda *thought: self._report(advice, thought)
            decision = decide(self._agent, board)
            win = decision.win
            if win is None and decision.moves and decision.certain:
                win = win_chance(board)
            self._found.put(replace(advice, decision=decision, win=win))
        except _Outdated:
            return
        except SolverError as error:
            self._found.put(Advice(board, decision=Decision((), str(error), 1.0)))

    def _report(self, advice: Advice, thought: tuple[int, int]) -> None:
        if advice.board is not self._asked:
            raise _Outdated
        self._found.put(replace(advice, thought=thought))


SAFE_COLOUR: Colour = (0, 200, 83)

MINE_COLOUR: Colour = (255, 23, 68)

GUESS_COLOUR: Colour = (255, 196, 0)

DARK: Colour = (20, 20, 20)
"""Colour of a risk's figures on a tile that is brighter than `BRIGHT`; else they are white."""

WHITE: Colour = (250, 250, 250)

BRIGHT = 110

LINE = 1 / 12
"""Width of an outline as a share of the tile; at least two pixels."""

FIGURE_SIZE = 0.6
"""Size of the figures as a share of the tile."""

Brightness = Callable[[PixelBox], float]
"""Returns the brightness of a part of the screen, 0 to 255."""


def marks_of(advice: Advice, grid: Grid, brightness: Brightness) -> dict[Cell, list[Mark]]:
    """Return the marks of each cell that has any, in pixels of ``grid``.

    A safe cell has an outline, a certain mine without a flag has corners, and a guess has an
    outline and its risk in percent: all kinds can be distinguished without colours.
    """
    marks = dict[Cell, list[Mark]]()
    board, analysis, decision = advice.board, advice.analysis, advice.decision
    if analysis is None or board.covered.sum() == len(analysis.mines):
        return marks  # nothing is left to open
    for cell in analysis.safe:
        if board[cell] != Tile.FLAG:
            marks[cell] = [Mark(box, SAFE_COLOUR) for box in _outline(grid.box(cell))]
    for cell in analysis.mines:
        if board[cell] != Tile.FLAG:
            marks[cell] = [Mark(box, MINE_COLOUR) for box in _corners(grid.box(cell))]
    if decision is not None and not decision.certain:
        for move in decision.moves:
            box = grid.box(move.cell)
            figures = DARK if brightness(box) > BRIGHT else WHITE
            marks[move.cell] = list(_guess(box, 1.0 - decision.survival, figures))
    return marks


def _line(box: PixelBox) -> int:
    return max(2, round(LINE * min(box.x1 - box.x0, box.y1 - box.y0)))


def _outline(box: PixelBox) -> list[PixelBox]:
    """Return the four sides of a box, one pixel inside it."""
    width = _line(box)
    x0, y0, x1, y1 = box.x0 + 1, box.y0 + 1, box.x1 - 1, box.y1 - 1
    return [
        PixelBox(x0, y0, x1, y0 + width),
        PixelBox(x0, y1 - width, x1, y1),
        PixelBox(x0, y0 + width, x0 + width, y1 - width),
        PixelBox(x1 - width, y0 + width, x1, y1 - width),
    ]


def _corners(box: PixelBox) -> list[PixelBox]:
    """Return the sides of a box without their middle parts: its corners."""
    width, parts = _line(box), list[PixelBox]()
    reach = max(width + 1, min(box.x1 - box.x0, box.y1 - box.y0) // 3)
    for x0, y0, x1, y1 in _outline(box):
        if x1 - x0 > width:
            parts += [PixelBox(x0, y0, x0 + reach, y1), PixelBox(x1 - reach, y0, x1, y1)]
        else:
            left = max(1, reach - width)
            parts += [PixelBox(x0, y0, x1, y0 + left), PixelBox(x0, y1 - left, x1, y1)]
    return parts


def _guess(box: PixelBox, risk: float, colour: Colour) -> Iterator[Mark]:
    """Yield the outline of a guess, and its risk as figures of a colour."""
    for side in _outline(box):
        yield Mark(side, GUESS_COLOUR)
    figures = _figures(f"{min(99, max(1, round(100 * risk)))}", box)
    for x0, y0, x1, y1 in _runs(figures):
        yield Mark(PixelBox(box.x0 + x0, box.y0 + y0, box.x0 + x1, box.y0 + y1), colour)


def _figures(text: str, box: PixelBox) -> NDArray[np.bool_]:
    """Draw figures in the middle of a tile; return their mask."""
    width, height = box.x1 - box.x0, box.y1 - box.y0
    picture = Image.new("1", (width, height))
    font = ImageFont.load_default(size=FIGURE_SIZE * min(width, height))
    ImageDraw.Draw(picture).text((width / 2, height / 2), text, fill=1, font=font, anchor="mm")
    return np.asarray(picture)


def _runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int, int, int]]:
    """Cut a mask into rectangles one pixel high: left, top, right, bottom."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    for (y, x0), (_, x1) in zip(starts.tolist(), ends.tolist(), strict=True):
        yield x0, y, x1, y + 1


class WindowHints:
    """Draws advice on the board, and removes marks from cells that change."""

    def __init__(self, screen: CleanScreen) -> None:
        self._screen = screen
        self._marks: dict[Cell, list[Mark]] = {}

    def show(self, advice: Advice, grid: Grid) -> None:
        """Draw advice on a board at rest; ``grid`` is in pixels of the whole screen."""
        self._draw(marks_of(advice, grid, lambda box: float(self._screen.grab(box).pixels.mean())))

    def clear(self, changed: Collection[Cell] | None = None) -> None:
        """Remove the marks of the cells that changed, or all marks."""
        left = {} if changed is None else self._marks
        self._draw({cell: marks for cell, marks in left.items() if cell not in (changed or ())})

    def _draw(self, marks: dict[Cell, list[Mark]]) -> None:
        if marks != self._marks:
            self._marks = marks
            self._screen.show([mark for some in marks.values() for mark in some])


LINGER_S = 0.25
"""For so many seconds, removed marks may still be on pictures: a compositor shows them until its
next frame, and a program until it has repainted the area."""

BURIED_S = 0.3
"""Seconds after which invisible marks are raised: a click may raise the window above them."""

BURIED = 0.5
"""Marks are invisible if less than this share of their pixels can be seen."""


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Marks that were drawn at one time.

    ``ys`` and ``xs`` are their pixels on the screen; ``colours`` and ``clean`` are the colours of
    these pixels with and without the marks.
    """

    marks: Sequence[Mark]
    ys: NDArray[np.intp]
    xs: NDArray[np.intp]
    colours: Pixels
    clean: Pixels
    at: float

    def take_off(self, pixels: Pixels, left: int, top: int, *, hidden: bool) -> float:
        """Replace the marks by the clean pixels; return the share of the marks that was visible.

        The picture shows the screen from ``left`` and ``top`` on. With ``hidden``, pixels of a mark
        with another colour are replaced as well.
        """
        ys, xs = self.ys - top, self.xs - left
        inside = (ys >= 0) & (ys < pixels.shape[0]) & (xs >= 0) & (xs < pixels.shape[1])
        ys, xs = ys[inside], xs[inside]
        visible = (pixels[ys, xs] == self.colours[inside]).all(axis=1)
        place = visible | hidden
        pixels[ys[place], xs[place]] = self.clean[inside][place]
        return float(visible.mean()) if visible.size else 1.0


@dataclass(frozen=True)
class _Cleaned:
    """A picture with some marks as it was grabbed, the same without them, and what was visible."""

    box: PixelBox | None
    drawn: _Drawn | None
    grabbed: Frame
    clean: Frame
    seen: float


class CleanScreen:
    """A screen on which marks can be drawn, and whose pictures never show them.

    The pixels under the marks come from the last picture without them, so a change there is not
    noticed. Pixels of removed marks that still have the mark's colour are replaced for `LINGER_S`.
    """

    def __init__(self, screen: Screen, overlay: Overlay, clock: Clock) -> None:
        self._screen, self._overlay, self._clock = screen, overlay, clock
        self._shown: _Drawn | None = None
        self._gone: list[_Drawn] = []
        self._last: _Cleaned | None = None

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return self._screen.monitors()

    def show(self, marks: Sequence[Mark]) -> None:
        """Show these marks and no others."""
        drawn = self._prepare(marks) if marks else None
        if self._shown is not None:
            self._gone.append(replace(self._shown, at=self._clock.now()))
        if drawn is not None or self._shown is not None:
            self._overlay.show(marks)
        self._shown = drawn

    def _prepare(self, marks: Sequence[Mark]) -> _Drawn:
        """Remove these marks from the last picture."""
        edges = np.array([mark.box for mark in marks])
        left, top = (int(edge) for edge in edges[:, :2].min(axis=0).clip(min=0))
        right, bottom = (int(edge) for edge in edges[:, 2:].max(axis=0))
        clean = self.grab(PixelBox(left, top, right, bottom)).pixels
        mask, colours = np.zeros(clean.shape[:2], np.bool_), np.zeros_like(clean)
        for (x0, y0, x1, y1), colour in marks:
            rows, cols = (y0 - top, y1 - top), (x0 - left, x1 - left)
            place = tuple(slice(max(0, first), max(0, end)) for first, end in (rows, cols))
            mask[place], colours[place] = True, colour
        ys, xs = np.nonzero(mask)
        now = self._clock.now()
        return _Drawn(marks, ys + top, xs + left, colours[mask], clean[mask], now)

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Grab the screen or a box of it, as `Screen.grab`, without the marks."""
        frame, now = self._screen.grab(box), self._clock.now()
        self._gone = [drawn for drawn in self._gone if now - drawn.at <= LINGER_S]
        if self._shown is None and not self._gone:
            return frame
        last = self._last
        if last is None or not self._is_as_last(last, frame, box):
            last = self._clean(frame, box)
        self._last = None if self._gone else last
        if self._shown is not None and last.seen < BURIED and now - self._shown.at > BURIED_S:
            self._overlay.show(self._shown.marks)
            self._shown = replace(self._shown, at=now)
        return last.clean

    def _is_as_last(self, last: _Cleaned, frame: Frame, box: PixelBox | None) -> bool:
        """Whether a picture shows the same as the last one; usually nothing changes."""
        same = (last.box, last.drawn) == (box, self._shown) and not self._gone
        return same and np.array_equal(last.grabbed.pixels, frame.pixels)

    def _clean(self, frame: Frame, box: PixelBox | None) -> _Cleaned:
        """Remove all marks from a picture."""
        pixels, seen = frame.pixels.copy(), 1.0
        left, top = (max(0, box.x0), max(0, box.y0)) if box else (0, 0)
        if self._shown is not None:
            seen = self._shown.take_off(pixels, left, top, hidden=True)
        for drawn in reversed(self._gone):
            drawn.take_off(pixels, left, top, hidden=False)
        clean = Frame(pixels, frame.origin, frame.scale)
        return _Cleaned(box, self._shown, frame, clean, seen)
