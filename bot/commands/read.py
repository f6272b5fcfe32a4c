"""``minebot read``: find and read the board on screenshots."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.commands.options import (
    add_json,
    add_mines,
    add_picture,
    calibration_of,
    near_of,
    themes_of,
)
from bot.exit_codes import exit_code_of
from bot.say import board_text, emit, error_json, note, out
from calibration.calibrate import Calibration, calibrate
from calibration.errors import BadImage, CalibrationError, SeveralGrids, Unreadable
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.overlay import draw_candidates, draw_reading, save_picture
from calibration.pictures import load_image
from calibration.reader import Reader, Reading

ABOUT = """\
Find the Minesweeper board on each screenshot, wherever it is, and read it.

An image without a board, or with a board that cannot be read with confidence, is reported and
the next one is read; the exit code is that of the first error."""


@dataclass(frozen=True)
class Sheet:
    """A screenshot that was read, and how long that took in milliseconds."""

    frame: Frame
    calibration: Calibration
    reading: Reading
    calibrate_ms: float
    read_ms: float


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "read",
        help="find and read the board on screenshots",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("images", nargs="+", type=Path, metavar="IMAGE", help="a screenshot")
    add_mines(parser)
    add_picture(parser)
    parser.add_argument(
        "--overlay",
        type=Path,
        metavar="DIR",
        help="draw the grid, the tiles read and their confidence over each image, into DIR",
    )
    parser.add_argument(
        "--save-calibration",
        type=Path,
        metavar="FILE",
        help="save where the last image's board is and how it is read (TOML)",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read every image; the exit code is that of the first error."""
    codes = [_read_one(image, args) for image in args.images]
    return next((code for code in codes if code), 0)


def read_sheet(image: Path, args: argparse.Namespace) -> Sheet:
    """Load, calibrate and read an image. Raises a `CalibrationError`."""
    frame = load_image(image)
    start = time.perf_counter()
    calibration = calibration_of(args) or calibrate(
        frame, near=near_of(args), mines=args.mines, themes=themes_of(args)
    )
    found = time.perf_counter()
    reading = Reader(calibration).read(frame)
    done = time.perf_counter()
    return Sheet(frame, calibration, reading, 1e3 * (found - start), 1e3 * (done - found))


def _read_one(image: Path, args: argparse.Namespace) -> int:
    try:
        sheet = read_sheet(image, args)
    except CalibrationError as error:
        if args.json:
            emit({"image": str(image), **error_json(error)})
        else:
            note(str(error) if isinstance(error, BadImage) else f"{image}: {error}")
        if args.overlay is not None:
            _draw_error(image, error, args)
        return exit_code_of(error) or 1
    if args.save_calibration is not None:
        sheet.calibration.save(args.save_calibration)
    if args.overlay is not None:
        _draw(image, sheet, args.overlay)
    if args.json:
        emit(sheet_json(image, sheet))
    else:
        _print(image, sheet)
    return 0


def sheet_json(image: Path, sheet: Sheet) -> dict[str, Any]:
    """Describe what was read."""
    grid, reading = sheet.calibration.grid, sheet.reading
    return {
        "image": str(image),
        "rows": grid.rows,
        "cols": grid.cols,
        "grid": {"x0": grid.x0, "y0": grid.y0, "tile_w": grid.tile_w, "tile_h": grid.tile_h},
        "board": reading.board.text_rows(),
        "status": reading.status.value,
        "mines": reading.board.mines,
        "mines_left": reading.mines_left,
        "theme": reading.theme,
        "confidence": round(reading.confidence, 4),
        "ms": {"calibrate": round(sheet.calibrate_ms, 2), "read": round(sheet.read_ms, 2)},
    }


def _print(image: Path, sheet: Sheet) -> None:
    grid, reading = sheet.calibration.grid, sheet.reading
    counter = "" if reading.mines_left is None else f", counter {reading.mines_left}"
    out().print(
        f"{image}: {grid.rows} rows, {grid.cols} columns at {grid.x0:.1f},{grid.y0:.1f}, tiles "
        f"{grid.tile_w:.2f} x {grid.tile_h:.2f} px; {reading.status.value}{counter}; theme "
        f"{reading.theme}, confidence {reading.confidence:.2f}; "
        f"{sheet.calibrate_ms:.0f} + {sheet.read_ms:.0f} ms",
        markup=False,
    )
    out().print(board_text(reading.board))


def _draw(image: Path, sheet: Sheet, folder: Path) -> None:
    reading = sheet.reading
    picture = draw_reading(
        sheet.frame,
        sheet.calibration.grid,
        reading.board,
        confidence=reading.tile_confidence,
        note=f"{reading.status.value}, theme {reading.theme}",
    )
    save_picture(picture, folder / f"{image.stem}.png")


def _draw_error(image: Path, error: CalibrationError, args: argparse.Namespace) -> None:
    """Draw what the error is about: the boards to choose from, or the tiles in doubt."""
    try:
        frame = load_image(image)
    except CalibrationError:
        return
    grids: Iterable[Grid] = error.grids if isinstance(error, SeveralGrids) else ()
    picture = draw_candidates(frame, tuple(grids), str(error))
    save_picture(picture, args.overlay / f"{image.stem}.png")
    if isinstance(error, Unreadable):
        _save_tiles(image, error, args.overlay)


def _save_tiles(image: Path, error: Unreadable, folder: Path) -> None:
    for (row, col), tile in error.tiles.items():
        if tile.size:
            save_picture(tile, folder / f"{image.stem}-tile-{row}-{col}.png")
