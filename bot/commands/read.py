"""``minebot read``: find and read the board on screenshots."""

from __future__ import annotations

from pathlib import Path

from bot.commands.expecting import Label, load_labels, mismatches
from bot.commands.pictures import theme_files_of, themes_of
from bot.commands.screenshots import (
    ON_SCREEN,
    NotRead,
    ReadBoard,
    ScreenshotReading,
    Shot,
    calibration_for,
    explanations_of,
    explanations_of_error,
    read_screenshot,
    shots_of,
)
from bot.errors import UsageError
from bot.exit_codes import FAILED, exit_code_of
from bot.outputs import check_not_an_input, check_writable, write_output
from bot.terminal.console import console
from bot.terminal.output import note
from bot.terminal.pictures.overlays import draw_reading, save_picture
from bot.terminal.pictures.refusals import draw_refusal
from bot.terminal.report import tell
from bot.usage.read import Read
from calibration.errors import CalibrationError, Unreadable
from solver.analysis import analyse
from solver.board import Board
from solver.counting import counted
from solver.errors import BadMineTotal, InconsistentBoard, TooManyPlacements


def run(args: Read) -> int:
    """Read every image; return the exit code of the first error.

    What is written was checked first, so that a file that is there then is this run's own.
    """
    _check_outputs(args)
    if args.theme is not None:
        themes_of(args.theme)  # an unknown theme is told once, not for each image
    if args.expect is not None and args.screen:
        raise UsageError("--expect compares screenshots with their labels: leave out --screen.")
    labels = {} if args.expect is None else load_labels(args.expect, args.images)
    shots = shots_of(args.images, screen=args.screen)
    codes = [_read_one(shot, args, labels.get(shot.name)) for shot in shots]
    if labels and not args.json:
        wrong = sum(code != 0 for code in codes)
        console().print(f"{wrong} of {counted(len(codes), 'picture')} not as expected.")
    return next((code for code in codes if code), 0)


def _check_outputs(args: Read) -> None:
    """Raise `UsageError` if a file cannot be written, or would take the place of another."""
    labels = [args.expect] if args.expect is not None and args.expect.is_file() else []
    inputs = (*args.images, *labels, *theme_files_of(args))
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


def _read_one(shot: Shot, args: Read, label: Label | None) -> int:
    """Read an image, write the files asked for, and tell of it; return the exit code."""
    try:
        report = _read_board(shot, args, label)
    except (CalibrationError, BadMineTotal, UsageError) as error:
        explanations = explanations_of_error(shot, error, args, args.explain)
        tell(NotRead(shot, error, explanations), as_json=args.json, colours=args.colours)
        if args.overlay is not None and isinstance(error, CalibrationError):
            _save_error_overlay(shot, error, args)
        expected = label is not None and label.error == type(error).__name__
        return 0 if expected else exit_code_of(error) or 1
    tell(report, as_json=args.json, colours=args.colours)
    return FAILED if report.differences else 0


def _read_board(shot: Shot, args: Read, label: Label | None) -> ReadBoard:
    """Read the board of an image, and write the files asked for."""
    screenshot = read_screenshot(shot, args)
    if args.save_calibration is not None:
        write_output(args.save_calibration, screenshot.calibration.to_toml(), replace=True)
    if args.overlay is not None:
        _save_overlay(shot.name, screenshot, args)
    explanations = explanations_of(screenshot.frame, screenshot.calibration, args.explain)
    if args.mines is not None:
        _note_wrong_total(shot.name, screenshot.reading.board)
    differences = None if label is None else mismatches(label, screenshot.reading)
    return ReadBoard(shot, screenshot, explanations, differences)


def _note_wrong_total(image: Path, board: Board) -> None:
    """Tell that the numbers contradict the mine total of ``--mines``."""
    try:
        analyse(board)
    except InconsistentBoard as error:
        note(f"{image}: {error} The board is told as it was read.")
    except TooManyPlacements:
        return  # nothing is known against the total


def _save_overlay(image: Path, screenshot: ScreenshotReading, args: Read) -> None:
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


def _save_error_overlay(shot: Shot, error: CalibrationError, args: Read) -> None:
    """Save a picture that shows the error: what was found, and where reading failed."""
    assert args.overlay is not None
    try:
        frame = shot.frame
    except CalibrationError:
        return
    grid = None
    if isinstance(error, Unreadable):
        grid = calibration_for(frame, error, args).grid
    picture = draw_refusal(frame, error, grid)
    save_picture(picture, overlay_path(shot.name, args.overlay), replace=True)
