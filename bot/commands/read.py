"""``minebot read``: find and read the board on screenshots."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.commands.expecting import MOST_TOLD, Label, Mismatch, load_labels, mismatches
from bot.commands.options import check_on_board
from bot.commands.pictures import (
    calibration_of,
    check_near,
    near_of,
    note_other_theme,
    theme_files_of,
    themes_of,
)
from bot.errors import UsageError
from bot.exit_codes import FAILED, exit_code_of
from bot.outputs import check_not_an_input, check_writable, write_output
from bot.remedies import told
from bot.terminal.board_text import board_text
from bot.terminal.console import console
from bot.terminal.descriptions import error_json, grid_json
from bot.terminal.output import emit, note
from bot.terminal.pictures.overlays import draw_reading, save_picture
from bot.terminal.pictures.refusals import draw_refusal
from bot.terminal.witnesses import explanation_json, explanation_lines
from bot.tracking.places import check_found
from bot.usage.read import Read
from bot.usage.shared import Screenshot
from calibration.calibration import Calibration, calibrate
from calibration.classify.explain import Explanation, explain, influence
from calibration.classify.refusals import TILE_NAMES
from calibration.errors import BadImage, CalibrationError, Unreadable, UnreadableGrid
from calibration.frame import Frame
from calibration.images import load_image
from calibration.reader import Reader
from calibration.reading import Reading
from calibration.theme import LEARNED, Theme
from solver.analysis import analyse
from solver.board import TEXT_OF_TILE, Board, Cell
from solver.counting import counted
from solver.errors import BadMineTotal, InconsistentBoard, TooManyPlacements


@dataclass(frozen=True)
class ScreenshotReading:
    """A screenshot, what was found and read on it, and how long that took in milliseconds."""

    frame: Frame
    calibration: Calibration
    reading: Reading
    calibrate_ms: float
    read_ms: float


def run(args: Read) -> int:
    """Read every image; return the exit code of the first error."""
    _check_outputs(args)
    if args.theme is not None:
        themes_of(args.theme)  # an unknown theme is told once, not for each image
    labels = {} if args.expect is None else load_labels(args.expect, args.images)
    codes = [_read_one(image, args, labels.get(image)) for image in args.images]
    if labels and not args.json:
        wrong = sum(code != 0 for code in codes)
        console().print(f"{wrong} of {counted(len(codes), 'picture')} not as expected.")
    return next((code for code in codes if code), 0)


def _check_outputs(args: Read) -> None:
    """Raise `UsageError` if a file cannot be written, or would take the place of another."""
    labels = [args.expect] if args.expect is not None and args.expect.is_file() else []
    inputs = (*args.images, *labels, *theme_files_of(args))
    if args.save_calibration is not None:
        check_writable(args.save_calibration)
        check_not_an_input(args.save_calibration, inputs)
    if args.overlay is None:
        return
    drawn: dict[Path, Path] = {}
    for image in dict.fromkeys(args.images):
        path = overlay_path(image, args.overlay)
        check_writable(path)
        check_not_an_input(path, inputs)
        if path in drawn:
            raise UsageError(
                f"{drawn[path]} and {image} have one name, so that {path} would be both: read "
                "them into two folders."
            )
        drawn[path] = image


def overlay_path(image: Path, folder: Path) -> Path:
    """Return where the overlay of an image is saved."""
    return folder / f"{image.stem}.png"


def read_screenshot(image: Path, args: Screenshot) -> ScreenshotReading:
    """Load an image, calibrate on it and read it. Raises a `CalibrationError`."""
    frame = load_image(image)
    start = time.perf_counter()
    saved = calibration_of(args)
    check_near(near_of(args), frame)
    if saved is not None:
        check_found(frame, saved)
    calibration = saved or calibrate(
        frame, near=near_of(args), mines=args.mines, themes=themes_of(args.theme)
    )
    note_other_theme(args, calibration.theme)
    found = time.perf_counter()
    reading = Reader(calibration).read_in_part(frame)
    done = time.perf_counter()
    return ScreenshotReading(
        frame, calibration, reading, 1e3 * (found - start), 1e3 * (done - found)
    )


def _read_one(image: Path, args: Read, label: Label | None) -> int:
    try:
        screenshot = read_screenshot(image, args)
        if args.save_calibration is not None:
            write_output(args.save_calibration, screenshot.calibration.to_toml())
        if args.overlay is not None:
            _save_overlay(image, screenshot, args.overlay)
        explanations = _explanations(screenshot.frame, screenshot.calibration, args)
        if args.mines is not None:
            _note_wrong_total(image, screenshot.reading.board)
    except (CalibrationError, BadMineTotal, UsageError) as error:
        if args.json:
            found = _explanations_of_error(image, error, args)
            emit({"image": str(image), **error_json(error), **explanation_json(found)})
        else:
            sentence = told(error, live=False)
            note(sentence if isinstance(error, BadImage) else f"{image}: {sentence}")
            _print_explanations(_explanations_of_error(image, error, args))
        if args.overlay is not None and isinstance(error, CalibrationError):
            _save_error_overlay(image, error, args, args.overlay)
        expected = label is not None and label.error == type(error).__name__
        return 0 if expected else exit_code_of(error) or 1
    wrong = [] if label is None else mismatches(label, screenshot.reading)
    if args.json:
        line = screenshot_json(image, screenshot) | explanation_json(explanations)
        emit(line if label is None else line | {"differences": [one.to_json() for one in wrong]})
    else:
        _print(image, screenshot)
        _print_explanations(explanations)
        _print_mismatches(image, wrong)
    return FAILED if wrong else 0


def _print_mismatches(image: Path, found: Sequence[Mismatch]) -> None:
    """Print what was read otherwise than expected."""
    for one in found[:MOST_TOLD]:
        console().print(f"{image}, {one}.")
    if len(found) > MOST_TOLD:
        console().print(f"{image}: {counted(len(found) - MOST_TOLD, 'more difference')}.")


def _note_wrong_total(image: Path, board: Board) -> None:
    """Tell that the numbers contradict the mine total of ``--mines``."""
    try:
        analyse(board)
    except InconsistentBoard as error:
        note(f"{image}: {error} The board is told as it was read.")
    except TooManyPlacements:
        return  # nothing is known against the total


def _explanations(frame: Frame, calibration: Calibration, args: Read) -> tuple[Explanation, ...]:
    """Explain the tiles that ``--explain`` asks for; none without it.

    The tile that was asked for stands first among those that look like it. Raises `UsageError` if
    it is not on the board.
    """
    if args.explain is None:
        return ()
    grid = calibration.grid
    if args.explain is True:
        return explain(frame, grid, calibration.theme)
    asked = Cell(*args.explain)
    check_on_board(asked, grid.rows, grid.cols)
    found = explain(frame, grid, calibration.theme)
    (one,) = (one for one in found if asked in one.cells)
    cells = (asked, *(cell for cell in one.cells if cell != asked))
    return (replace(one, cells=cells, influence=influence(frame, grid, calibration.theme, asked)),)


def _explanations_of_error(image: Path, error: Exception, args: Read) -> tuple[Explanation, ...]:
    """Explain the tiles of a board that cannot be read; none if no grid was found.

    A tile that is not on the board is told, and does not take the place of ``error``.
    """
    if args.explain is None or not isinstance(error, Unreadable):
        return ()
    frame = load_image(image)
    try:
        return _explanations(frame, _calibration_for(frame, error, args), args)
    except UsageError as no_tile:
        note(f"{image}: {no_tile}")
        return ()


def _calibration_for(frame: Frame, error: Unreadable, args: Read) -> Calibration:
    """Return the calibration with which reading failed."""
    if isinstance(error, UnreadableGrid):
        return Calibration(error.grid, Theme(LEARNED, ()))
    return calibration_of(args) or calibrate(
        frame, near=near_of(args), mines=args.mines, themes=themes_of(args.theme)
    )


def _print_explanations(explanations: tuple[Explanation, ...]) -> None:
    for line in explanation_lines(explanations):
        console().print(line)


def screenshot_json(image: Path, screenshot: ScreenshotReading) -> dict[str, Any]:
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
        "rivals": [rivals_text(reading, cell) for cell in reading.unknown],
        "ms": {
            "calibrate": round(screenshot.calibrate_ms, 2),
            "read": round(screenshot.read_ms, 2),
        },
    }


def _print(image: Path, screenshot: ScreenshotReading) -> None:
    grid, reading = screenshot.calibration.grid, screenshot.reading
    mines_left = (
        "" if reading.mines_left is None else f", {counted(reading.mines_left, 'mine')} left"
    )
    console().print(
        f"{image}: {grid.rows} rows, {grid.cols} columns at {grid.x0:.1f},{grid.y0:.1f}, tiles "
        f"{grid.tile_w:.2f} x {grid.tile_h:.2f} px; {reading.status.value}{mines_left}; theme "
        f"{reading.theme}, confidence {reading.confidence:.2f}; "
        f"{screenshot.calibrate_ms:.0f} ms to calibrate, {screenshot.read_ms:.0f} ms to read",
    )
    terminal = console()
    numbered = terminal.is_terminal  # a pipe gets the text form of the board, to solve it
    terminal.print(board_text(reading.board, letters=True, labels=numbered), end="\n\n")
    note_unknown(reading)


def rivals_text(reading: Reading, cell: Cell) -> str:
    """Write the two likeliest tiles of an unknown cell as on a board."""
    return "".join(TEXT_OF_TILE[tile] for tile in reading.likeliest(cell))


def note_unknown(reading: Reading) -> None:
    """Tell which tiles are unknown, and what they may be."""
    for cell in reading.unknown:
        one, other = (TILE_NAMES[tile] for tile in reading.likeliest(cell))
        note(f"{cell.place.capitalize()} is not known (~): {one} or {other}.")


def _save_overlay(image: Path, screenshot: ScreenshotReading, folder: Path) -> None:
    reading = screenshot.reading
    picture = draw_reading(
        screenshot.frame,
        screenshot.calibration.grid,
        reading.board,
        confidence=reading.tile_confidence,
        note=f"{reading.status.value}, theme {reading.theme}",
    )
    save_picture(picture, overlay_path(image, folder))


def _save_error_overlay(image: Path, error: CalibrationError, args: Read, folder: Path) -> None:
    """Save a picture that shows the error: what was found, and where reading failed."""
    try:
        frame = load_image(image)
    except CalibrationError:
        return
    grid = None
    if isinstance(error, Unreadable):
        grid = _calibration_for(frame, error, args).grid
    save_picture(draw_refusal(frame, error, grid), overlay_path(image, folder))
