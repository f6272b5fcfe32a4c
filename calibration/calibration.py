"""Find the board in a screenshot and learn how to read it.

`calibration.boards` finds the boards; here one of them is chosen, and its mine total is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import hypot
from pathlib import Path
from typing import Any

import tomli_w

from calibration.boards.ranking import FoundBoard, rivals
from calibration.boards.search import find_boards
from calibration.classify.refusals import few_unknown
from calibration.errors import BadCalibration, SeveralGrids
from calibration.frame import Frame
from calibration.grid import FARTHEST_PX, SMALLEST_TILE_PX, Grid, PixelBox, PixelPoint
from calibration.indicators.counter import (
    CounterPlace,
    find_counter,
)
from calibration.theme import Theme
from solver.analysis import USUAL_TOTALS
from solver.board import MAX_SIDE, Board
from solver.files import TOML_BYTES, parse_toml, read_text, write_file

MOST_SHIFTED = 0.5
"""How far a line of a saved grid may lie from its even position, in tiles: clicks go to the middle
between even positions."""


@dataclass(frozen=True)
class Calibration:
    """Everything needed to read the next frame of the same window.

    ``mines`` is the mine total, None if it is unknown. ``mines_from`` says where it comes from:
    ``given``, ``counter`` or ``unknown``. ``counter`` is the place of the window's mine counter,
    None if none was found.
    """

    grid: Grid
    theme: Theme
    mines: int | None = None
    mines_from: str = "unknown"
    counter: CounterPlace | None = None

    def to_toml(self) -> str:
        """Return the calibration as TOML, which `from_toml` reads back."""
        data: dict[str, Any] = {"grid": asdict(self.grid), "mines_from": self.mines_from}
        if self.mines is not None:
            data["mines"] = self.mines
        if self.counter is not None:
            data["counter"] = {"kind": self.counter.kind, "box": list(self.counter.box)}
        return (
            f"# A calibration of minebot\n{tomli_w.dumps(data | {'theme': self.theme.to_data()})}"
        )

    @classmethod
    def from_toml(cls, text: str) -> Calibration:
        """Build a calibration from the text of `to_toml`. Raises `BadCalibration` for any other."""
        try:
            data = parse_toml(text)
        except ValueError as error:
            raise BadCalibration(f"The saved calibration is not TOML: {error}.") from error
        try:
            counter = data.get("counter")
            # Older files have the usual total of the size if no counter was read.
            sure = data["mines_from"] in ("given", "counter")
            mines = data.get("mines") if sure else None
            grid = _grid_of(data["grid"])
            return cls(
                grid,
                Theme.from_data(data["theme"]),
                None if mines is None else _total_of(mines, grid),
                str(data["mines_from"]) if sure else "unknown",
                counter and _counter_of(counter),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadCalibration(
                f"The saved calibration has a missing or wrong entry: {error}."
            ) from error

    def save(self, path: str | Path, *, replace: bool = False) -> None:
        """Write the calibration to a file; ``replace`` one that is there.

        Raises `BadCalibration` if that fails.
        """
        try:
            write_file(path, self.to_toml(), replace=replace)
        except OSError as error:
            raise BadCalibration(f"{path} cannot be written: {error.strerror}.") from error

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read a file written by `save`. Raises `BadCalibration`, which names the file."""
        try:
            return cls.from_toml(read_text(path, TOML_BYTES))
        except OSError as error:
            raise BadCalibration(f"{path} cannot be read: {error.strerror}.") from error
        except BadCalibration as error:
            reason = str(error).rstrip(".")
            raise BadCalibration(
                f"{path} cannot be read as a saved calibration: {reason}."
            ) from error


def calibrate(
    frame: Frame,
    *,
    near: PixelPoint | None = None,
    mines: int | None = None,
    themes: Sequence[Theme] | None = None,
) -> Calibration:
    """Find the only board in ``frame``, or the one nearest to ``near``, and learn to read it.

    ``mines`` is the mine total, if it is known; otherwise it comes from the window's mine counter.
    ``themes`` are tried first (None: the built-in ones); if none fits, the appearances are learned
    from the frame. Raises `NoGrid` if there is no board or the picture cuts it off,
    `UnreadableGrid` if a grid with numbers is not a possible board, and `SeveralGrids` if there are
    several boards and ``near`` is not given.
    """
    boards = find_boards(frame, themes)
    if near is not None:
        return _with_total(frame, min(boards, key=lambda one: _distance(one.grid, near)), mines)
    boards = rivals(boards)
    if len(boards) > 1:
        raise SeveralGrids(_choice_message(frame, boards), tuple(board.grid for board in boards))
    return _with_total(frame, boards[0], mines)


def _with_total(frame: Frame, found: FoundBoard, mines: int | None) -> Calibration:
    """Add the mine total and the place of the mine counter.

    A display shows the total minus the flags, and any uncertain tile may be a flag. With a few
    uncertain tiles the counter is trusted only if it gives the usual total of that size.
    """
    grid, theme = found.grid, found.recognition.theme
    counter, expected, tiles = None, mines, found.known_tiles
    if not found.is_readable:
        usual = mines or USUAL_TOTALS.get((grid.rows, grid.cols))
        expected = usual if few_unknown(tiles) else None
    if found.is_readable or expected is not None:
        side = theme.profile.counter_side
        counter = find_counter(frame, grid, Board(tiles), mines=expected, side=side)
    place = counter.place if counter else None
    if mines is not None:
        return Calibration(grid, theme, mines, "given", place)
    if counter is not None:
        return Calibration(grid, theme, counter.total, "counter", place)
    return Calibration(grid, theme)


def _distance(grid: Grid, point: PixelPoint) -> float:
    """Return the distance from a point to a board in pixels, 0 inside it."""
    x0, y0, x1, y1 = grid.bounds
    return hypot(max(x0 - point.x, 0, point.x - x1), max(y0 - point.y, 0, point.y - y1))


def _choice_message(frame: Frame, boards: Sequence[FoundBoard]) -> str:
    """Say where the boards are, in the units of the mouse, and how to choose one of them."""
    places = []
    for grid in (board.grid for board in boards):
        x0, y0, x1, y1 = grid.bounds
        middle = frame.to_screen(PixelPoint((x0 + x1) / 2, (y0 + y1) / 2))
        places.append(f"{grid.rows}x{grid.cols} near {middle.x},{middle.y}")
    return f"There are {len(boards)} boards ({'; '.join(places)}): say which with --near X,Y."


def _grid_of(data: Mapping[str, Any]) -> Grid:
    """Build a grid from its TOML table. Raises `ValueError`, `KeyError` or `TypeError`."""
    sizes = {name: float(data[name]) for name in ("x0", "y0", "tile_w", "tile_h", "confidence")}
    shifts = {name: tuple(map(float, data.get(name, ()))) for name in ("x_shifts", "y_shifts")}
    sizes |= {name: float(data.get(name, 0.0)) for name in ("gap_w", "gap_h")}
    if not all(abs(value) <= FARTHEST_PX for value in sizes.values()):  # nor NaN
        raise ValueError("the grid")
    for name, pitch in (("x_shifts", sizes["tile_w"]), ("y_shifts", sizes["tile_h"])):
        if not all(abs(shift) <= MOST_SHIFTED * pitch for shift in shifts[name]):
            raise ValueError(f"the {name} of the grid")
    if min(sizes["tile_w"], sizes["tile_h"]) < SMALLEST_TILE_PX:
        raise ValueError(f"its tiles are smaller than {SMALLEST_TILE_PX:g} pixels")
    rows, cols = data["rows"], data["cols"]
    if not (
        type(rows) is type(cols) is int and 1 <= min(rows, cols) <= max(rows, cols) <= MAX_SIDE
    ):
        raise ValueError("the size of the board")
    return Grid(**sizes, rows=rows, cols=cols, **shifts)  # type: ignore[arg-type]


def _total_of(mines: Any, grid: Grid) -> int:
    """Check a mine total. Raises `ValueError`."""
    if type(mines) is not int or not 0 <= mines <= grid.rows * grid.cols:
        raise ValueError("the mine total")
    return mines


def _counter_of(data: Mapping[str, Any]) -> CounterPlace:
    """Build the place of a counter from its TOML table. Raises `ValueError` or the like."""
    box = PixelBox(*map(int, data["box"]))
    if max(map(abs, box)) > FARTHEST_PX or not (box.x0 < box.x1 and box.y0 < box.y1):
        raise ValueError("the box of the counter")
    return CounterPlace(str(data["kind"]), box)
