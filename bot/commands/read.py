"""``minebot read``: find and read the board on screenshots, or on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bot.commands.parsing import argument, option
from bot.commands.shared import Files, Screenshot, Shown, cell_from_one
from bot.errors import UsageError
from bot.outputs import check_not_an_input, check_writable, write_output
from bot.streams import note
from solver.counting import counted
from solver.errors import BadMineTotal, InconsistentBoard, TooManyPlacements

if TYPE_CHECKING:
    from rich.console import Console

    from bot.commands.pictures import ScreenshotReading, Shot, Sought
    from calibration import Calibration, CalibrationError, Frame, Reading
    from calibration.classify.explain import Explanation
    from solver.board import Board, Cell


@dataclass(frozen=True, kw_only=True)
class Read(Screenshot, Files, Shown):
    """Find the Minesweeper board on each screenshot, or on the screen, wherever it is, and read it.

    If an image shows no board, or its board cannot be read with confidence, the error is reported
    and the next image is read. The exit code is that of the first error.

    With --explain, each cue rates what a tile may show by a log-likelihood: higher by 2.3 means
    ten times as likely. The cues are 'drawing' (is a digit drawn like the others?), 'network'
    (a small network that sees the tile), 'colour' (of the background), 'relief' (of the border) and
    'known' (a theme).

    examples:
      minebot read screen.png
      minebot read --screen                       what the screen shows now
      minebot read shots/*.png --json
      minebot read screen.png --overlay out/      pictures of what was read, or of what went wrong
      minebot read screen.png --explain 3,7       why the tile in row 3, column 7 was read so
      minebot read screen.png --near 640,400      of several boards, the one nearest to this pixel
    """

    images: Sequence[Path] = argument("a screenshot", "IMAGE", count="*")
    overlay: Path | None = option(
        "save in DIR a copy of each image with the grid, the tiles read and their confidence drawn "
        "on it",
        "DIR",
    )
    save_calibration: Path | None = option(
        "save the calibration of the last image (TOML): where the board is, how it is read", "FILE"
    )
    explain: tuple[int, int] | Literal[True] | None = option(
        "show for one tile, or for every appearance, how each cue rates it and what else it "
        "may be; rows and columns count from 1",
        "ROW,COL",
        read=cell_from_one,
        alone=True,
    )


def run(args: Read) -> int:
    """Read every image; return the exit code of the first error.

    The output files are checked before the first image, so that this run may replace its own.
    """
    from bot.commands.pictures import shots_of, sought_of

    _check_outputs(args)
    sought = sought_of(args)
    shots = shots_of(args.images, sought, screen=args.screen)
    codes = [_read_one(shot, args, sought) for shot in shots]
    return next((code for code in codes if code), 0)


def _check_outputs(args: Read) -> None:
    """Raise `UsageError` if a file cannot be written, or would replace another."""
    from bot.commands.pictures import ON_SCREEN, theme_files_of

    inputs = (*args.images, *theme_files_of(args))
    if args.save_calibration is not None:
        check_not_an_input(args.save_calibration, inputs)
        check_writable(args.save_calibration, replace=args.force)
    if args.overlay is None:
        return
    drawn: dict[Path, Path] = {}
    for image in [ON_SCREEN] if args.screen else dict.fromkeys(args.images):
        path = overlay_path(image, args.overlay)
        check_not_an_input(path, inputs)
        check_writable(path, replace=args.force)
        if path in drawn:
            raise UsageError(
                f"{drawn[path]} and {image} have one name, so that {path} would be both: read "
                "them into two folders."
            )
        drawn[path] = image


def overlay_path(image: Path, folder: Path) -> Path:
    """Return where the overlay of an image is saved."""
    return folder / f"{image.stem}.png"


def _read_one(shot: Shot, args: Read, sought: Sought) -> int:
    """Read an image, write the requested files, and print the report; return the exit code."""
    from bot.failures import exit_code_of
    from bot.terminal.console import print_answer
    from calibration.errors import CalibrationError

    try:
        report = _read_board(shot, args, sought)
    except (CalibrationError, BadMineTotal, UsageError) as error:
        explanations = explanations_of_error(shot, error, sought, args.explain)
        print_answer(NotRead(shot, error, explanations), as_json=args.json, colours=args.colours)
        if args.overlay is not None and isinstance(error, CalibrationError):
            _save_error_overlay(shot, error, args.overlay, sought)
        return exit_code_of(error) or 1
    print_answer(report, as_json=args.json, colours=args.colours)
    return 0


def _read_board(shot: Shot, args: Read, sought: Sought) -> ReadBoard:
    """Read the board of an image, and write the requested files."""
    from bot.commands.pictures import read_screenshot

    screenshot = read_screenshot(shot, sought)
    if args.save_calibration is not None:
        write_output(args.save_calibration, screenshot.calibration.to_toml(), replace=True)
    if args.overlay is not None:
        _save_overlay(shot.name, screenshot, args)
    explanations = explanations_of(screenshot.frame, screenshot.calibration, args.explain)
    if args.mines is not None:
        _note_wrong_total(shot.name, screenshot.reading.board)
    return ReadBoard(shot, screenshot, explanations)


def _note_wrong_total(image: Path, board: Board) -> None:
    """Note that the numbers contradict the mine total of ``--mines``."""
    from solver.analysis import analyse

    try:
        analyse(board)
    except InconsistentBoard as error:
        note(f"{image}: {error} The board is shown as read.")
    except TooManyPlacements:
        return  # the total cannot be checked


def _save_overlay(image: Path, screenshot: ScreenshotReading, args: Read) -> None:
    from bot.terminal.pictures import draw_reading, save_picture

    assert args.overlay is not None
    reading = screenshot.reading
    picture = draw_reading(
        screenshot.frame,
        screenshot.calibration.grid,
        reading.board,
        confidence=reading.tile_confidence,
        note=f"{reading.status.value}, theme {reading.theme}",
    )
    save_picture(picture, overlay_path(image, args.overlay), replace=True)


def _save_error_overlay(shot: Shot, error: CalibrationError, folder: Path, sought: Sought) -> None:
    """Save a picture that shows the error: what was found, and where reading failed."""
    from bot.commands.pictures import calibration_for
    from bot.terminal.pictures import draw_refusal, save_picture
    from calibration.errors import CalibrationError, Unreadable

    try:
        frame = shot.frame
    except CalibrationError:
        return
    grid = None
    if isinstance(error, Unreadable):
        grid = calibration_for(frame, error, sought).grid
    picture = draw_refusal(frame, error, grid)
    save_picture(picture, overlay_path(shot.name, folder), replace=True)


Asked = tuple[int, int] | bool | None
"""The value of ``--explain``: a tile, every appearance, or nothing."""


@dataclass(frozen=True)
class ReadBoard:
    """The report on a board that was read."""

    shot: Shot
    screenshot: ScreenshotReading
    explanations: Sequence[Explanation] = ()

    def json(self) -> Iterator[Mapping[str, Any]]:
        """Describe the grid, the reading, and the explanations asked for."""
        from bot.terminal.words import tiles_json

        yield _screenshot_json(self.shot.name, self.screenshot) | tiles_json(self.explanations)

    def show(self, terminal: Console) -> None:
        """Print the board, and the explanations asked for."""
        from bot.commands.pictures import note_unknown
        from bot.terminal.words import tiles_lines

        terminal.print(f"{self.shot.name}: {_figures(self.screenshot)}")
        print_board(self.screenshot.reading.board, terminal)
        note_unknown(self.screenshot.reading)
        for line in tiles_lines(self.explanations):
            terminal.print(line)


@dataclass(frozen=True)
class NotRead:
    """The report on a picture if its board, or the status of the game, cannot be read."""

    shot: Shot
    error: Exception
    explanations: Sequence[Explanation] = ()

    def json(self) -> Iterator[Mapping[str, Any]]:
        """Describe the error, and the explanations asked for."""
        from bot.terminal.words import error_json, tiles_json

        line: dict[str, Any] = {
            "image": str(self.shot.name),
            **error_json(self.error, live=self.shot.grabbed is not None),
        }
        if (board := self._board) is not None:
            line |= {"rows": board.rows, "cols": board.cols, "board": board.text_rows()}
        yield line | tiles_json(self.explanations)

    def show(self, terminal: Console) -> None:
        """Print what went wrong."""
        from bot.failures import sentence_for
        from bot.terminal.words import tiles_lines
        from calibration.errors import BadImage

        sentence = sentence_for(self.error, live=self.shot.grabbed is not None)
        named = isinstance(self.error, BadImage)
        note(sentence if named else f"{self.shot.name}: {sentence}")
        if self._board is not None:
            print_board(self._board, terminal)
        for line in tiles_lines(self.explanations):
            terminal.print(line)

    @property
    def _board(self) -> Board | None:
        """The board, if only the status of the game is unclear."""
        from calibration.errors import StatusUnclear

        return self.error.board if isinstance(self.error, StatusUnclear) else None


def print_board(board: Board, terminal: Console) -> None:
    """Print a board; a pipe receives its text form, for instance for ``minebot solve``."""
    from bot.terminal.board_text import board_text, cell_width_for

    shown = terminal.is_terminal
    width = cell_width_for(board, terminal.width) if shown else 2
    terminal.print(board_text(board, cell_width=width, letters=True, labels=shown), end="\n\n")


def explanations_of(
    frame: Frame, calibration: Calibration, asked: Asked
) -> tuple[Explanation, ...]:
    """Explain the tiles that ``--explain`` asks for; none without it.

    A single tile is the first among those that look like it. Raises `UsageError` if it is not on
    the board.
    """
    from bot.commands.resolve import check_on_board
    from calibration.classify.explain import explain, influence
    from solver.board import Cell

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
    shot: Shot, error: Exception, sought: Sought, asked: Asked
) -> tuple[Explanation, ...]:
    """Explain the tiles of a board that cannot be read; none if no grid was found.

    A tile that is not on the board gives a note and does not replace ``error``. A board with too
    many kinds of tiles has no explanation.
    """
    from bot.commands.pictures import calibration_for
    from calibration.errors import Unreadable, UnreadableTiles

    if asked is None or not isinstance(error, Unreadable):
        return ()
    frame = shot.frame
    try:
        return explanations_of(frame, calibration_for(frame, error, sought), asked)
    except UsageError as no_tile:
        note(f"{shot.name}: {no_tile}")
        return ()
    except UnreadableTiles:
        return ()


def _screenshot_json(image: Path, screenshot: ScreenshotReading) -> dict[str, Any]:
    """Describe the grid and the reading, as ``read --json`` prints them."""
    from bot.terminal.words import grid_json

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
    """Summarise in one line what was found, where, and how long it took."""
    from calibration.theme import LEARNED

    grid, reading = screenshot.calibration.grid, screenshot.reading
    learned = reading.theme == LEARNED
    theme = "theme learned from this picture" if learned else f"theme {reading.theme}"
    tiles = "the tiles that are read" if reading.unknown else "a tile"
    left = "" if reading.mines_left is None else f", {counted(reading.mines_left, 'mine')} left"
    return (
        f"{grid.rows} rows, {grid.cols} columns at {grid.x0:.1f},{grid.y0:.1f}, tiles "
        f"{grid.tile_w:.2f} x {grid.tile_h:.2f} px; {reading.status.value}{left}; {theme}, least "
        f"confidence of {tiles} {reading.confidence:.2f}; "
        f"{screenshot.calibrate_ms:.0f} ms to calibrate, {screenshot.read_ms:.0f} ms to read"
    )


def _rivals_text(reading: Reading, cell: Cell) -> str:
    """Write the two likeliest tiles of an unknown cell as on a board."""
    from solver.board import TEXT_OF_TILE

    return "".join(TEXT_OF_TILE[tile] for tile in reading.likeliest(cell))
