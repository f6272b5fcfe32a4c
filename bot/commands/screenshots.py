"""A screenshot that was read: what was found on it, and why its tiles were read so."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from bot.commands.expecting import MOST_TOLD, Mismatch
from bot.commands.options import check_on_board
from bot.commands.pictures import calibrated
from bot.errors import UsageError
from bot.remedies import told
from bot.terminal.board_text import board_text, cell_width_for
from bot.terminal.descriptions import error_json, grid_json
from bot.terminal.output import note
from bot.terminal.witnesses import explanation_json, explanation_lines
from bot.usage.shared import Screenshot
from calibration.calibration import Calibration
from calibration.classify.explain import Explanation, explain, influence
from calibration.classify.refusals import TILE_NAMES
from calibration.errors import BadImage, Unreadable, UnreadableGrid
from calibration.frame import Frame
from calibration.images import load_image
from calibration.reader import Reader
from calibration.reading import Reading
from calibration.theme import LEARNED, Theme
from solver.board import TEXT_OF_TILE, Cell
from solver.counting import counted

Asked = tuple[int, int] | bool | None
"""What ``--explain`` asks for: a tile, every appearance, or nothing."""


ON_SCREEN = Path("screen")
"""What the picture of ``--screen`` is called."""


@dataclass(frozen=True)
class Shot:
    """A picture to read: a file, or what the screen shows now."""

    name: Path
    grabbed: Frame | None = None

    @property
    def frame(self) -> Frame:
        """The picture. Raises what `load_image` raises."""
        return load_image(self.name) if self.grabbed is None else self.grabbed


def shots_of(images: Sequence[Path], *, screen: bool) -> tuple[Shot, ...]:
    """Return the pictures that were named, or one of the screen.

    Raises `UsageError` unless either is asked for, and `NoDesktop` or `ScreenGone` where no picture
    of the screen can be made.
    """
    if bool(images) == screen:
        raise UsageError("Give either a screenshot, or --screen for what the screen shows now.")
    if not screen:
        return tuple(map(Shot, images))
    from bot.desktop.routes import open_desktop  # noqa: PLC0415  needed with --screen only

    return (Shot(ON_SCREEN, open_desktop(None, note).screen.grab()),)


@dataclass(frozen=True)
class ScreenshotReading:
    """A screenshot, what was found and read on it, and how long that took in milliseconds."""

    frame: Frame
    calibration: Calibration
    reading: Reading
    calibrate_ms: float
    read_ms: float


@dataclass(frozen=True)
class ReadBoard:
    """The report on a board that was read; ``differences`` from its label, if it has one."""

    shot: Shot
    screenshot: ScreenshotReading
    explanations: Sequence[Explanation] = ()
    differences: Sequence[Mismatch] | None = None

    def json(self) -> Iterator[Mapping[str, Any]]:
        """Describe the grid, the reading, and what was asked for."""
        line = _screenshot_json(self.shot.name, self.screenshot) | explanation_json(
            self.explanations
        )
        if self.differences is not None:
            line |= {"differences": [one.to_json() for one in self.differences]}
        yield line

    def show(self, terminal: Console) -> None:
        """Print the board; a pipe gets its text form, to solve it."""
        terminal.print(f"{self.shot.name}: {_figures(self.screenshot)}")
        board = self.screenshot.reading.board
        shown = terminal.is_terminal
        width = cell_width_for(board, terminal.width) if shown else 2
        drawn = board_text(board, cell_width=width, letters=True, labels=shown)
        terminal.print(drawn, end="\n\n")
        note_unknown(self.screenshot.reading)
        for line in explanation_lines(self.explanations):
            terminal.print(line)
        found = self.differences or ()
        for one in found[:MOST_TOLD]:
            terminal.print(f"{self.shot.name}, {one}.")
        if len(found) > MOST_TOLD:
            terminal.print(
                f"{self.shot.name}: {counted(len(found) - MOST_TOLD, 'more difference')}."
            )


@dataclass(frozen=True)
class NotRead:
    """The report on a picture whose board cannot be found or read."""

    shot: Shot
    error: Exception
    explanations: Sequence[Explanation] = ()

    def json(self) -> Iterator[Mapping[str, Any]]:
        """Describe the error, and what was asked for."""
        yield {
            "image": str(self.shot.name),
            **error_json(self.error, live=self.shot.grabbed is not None),
            **explanation_json(self.explanations),
        }

    def show(self, terminal: Console) -> None:
        """Print what went wrong."""
        sentence = told(self.error, live=self.shot.grabbed is not None)
        named = isinstance(self.error, BadImage)
        note(sentence if named else f"{self.shot.name}: {sentence}")
        for line in explanation_lines(self.explanations):
            terminal.print(line)


def read_screenshot(shot: Shot, args: Screenshot) -> ScreenshotReading:
    """Calibrate on a picture and read it. Raises what `calibrated` and `load_image` raise."""
    frame = shot.frame
    start = time.perf_counter()
    calibration = calibrated(frame, args)
    found = time.perf_counter()
    reading = Reader(calibration).read_in_part(frame)
    done = time.perf_counter()
    return ScreenshotReading(
        frame, calibration, reading, 1e3 * (found - start), 1e3 * (done - found)
    )


def explanations_of(
    frame: Frame, calibration: Calibration, asked: Asked
) -> tuple[Explanation, ...]:
    """Explain the tiles that ``--explain`` asks for; none without it.

    The tile that was asked for stands first among those that look like it. Raises `UsageError` if
    it is not on the board.
    """
    if asked is None:
        return ()
    grid = calibration.grid
    found = explain(frame, grid, calibration.theme)
    if isinstance(asked, bool):
        return found
    tile = Cell(*asked)
    check_on_board(tile, grid.rows, grid.cols)
    (one,) = (one for one in found if tile in one.cells)
    cells = (tile, *(cell for cell in one.cells if cell != tile))
    return (replace(one, cells=cells, influence=influence(frame, grid, calibration.theme, tile)),)


def explanations_of_error(
    shot: Shot, error: Exception, args: Screenshot, asked: Asked
) -> tuple[Explanation, ...]:
    """Explain the tiles of a board that cannot be read; none if no grid was found.

    A tile that is not on the board is told, and does not take the place of ``error``.
    """
    if asked is None or not isinstance(error, Unreadable):
        return ()
    frame = shot.frame
    try:
        return explanations_of(frame, calibration_for(frame, error, args), asked)
    except UsageError as no_tile:
        note(f"{shot.name}: {no_tile}")
        return ()


def calibration_for(frame: Frame, error: Unreadable, args: Screenshot) -> Calibration:
    """Return the calibration with which reading failed."""
    if isinstance(error, UnreadableGrid):
        return Calibration(error.grid, Theme(LEARNED, ()))
    return calibrated(frame, args)


def _screenshot_json(image: Path, screenshot: ScreenshotReading) -> dict[str, Any]:
    """Describe the grid and the reading, as ``read --json`` prints them."""
    grid, reading = screenshot.calibration.grid, screenshot.reading
    return {
        "image": str(image),
        "rows": grid.rows,
        "cols": grid.cols,
        "grid": grid_json(grid),
        "board": reading.board.text_rows(),
        "status": reading.status.value,
        "mines": reading.board.mines,
        "mines_left": reading.mines_left,
        "theme": reading.theme,
        "confidence": round(reading.confidence, 4),
        "unknown": [list(cell) for cell in reading.unknown],
        "rivals": [_rivals_text(reading, cell) for cell in reading.unknown],
        "ms": {
            "calibrate": round(screenshot.calibrate_ms, 2),
            "read": round(screenshot.read_ms, 2),
        },
    }


def _figures(screenshot: ScreenshotReading) -> str:
    """Say in one line what was found, where, and how long it took."""
    grid, reading = screenshot.calibration.grid, screenshot.reading
    learned = reading.theme == LEARNED
    looks = "looks learned from this picture" if learned else f"theme {reading.theme}"
    tiles = "the tiles that are read" if reading.unknown else "a tile"
    left = "" if reading.mines_left is None else f", {counted(reading.mines_left, 'mine')} left"
    return (
        f"{grid.rows} rows, {grid.cols} columns at {grid.x0:.1f},{grid.y0:.1f}, tiles "
        f"{grid.tile_w:.2f} x {grid.tile_h:.2f} px; {reading.status.value}{left}; {looks}, least "
        f"confidence of {tiles} {reading.confidence:.2f}; "
        f"{screenshot.calibrate_ms:.0f} ms to calibrate, {screenshot.read_ms:.0f} ms to read"
    )


def _rivals_text(reading: Reading, cell: Cell) -> str:
    """Write the two likeliest tiles of an unknown cell as on a board."""
    return "".join(TEXT_OF_TILE[tile] for tile in reading.likeliest(cell))


def note_unknown(reading: Reading) -> None:
    """Tell which tiles are unknown, and what they may be."""
    for cell in reading.unknown:
        one, other = (TILE_NAMES[tile] for tile in reading.likeliest(cell))
        note(f"{cell.place.capitalize()} is not known (~): {one} or {other}.")
