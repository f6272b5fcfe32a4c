"""Find the board in a screenshot and learn how to read it.

Drawn lines, or what repeats in the picture, give candidates for the grid. Each candidate is read,
and it counts only if its tiles form a Minesweeper board: keypads, spreadsheets and squared paper do
not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import hypot, isfinite
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from calibration.classify.recognise import MARGIN, Recognition, recognise
from calibration.errors import BadCalibration, NoGrid, SeveralGrids, UnreadableGrid
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.counter import (
    WELL_KNOWN_TOTALS,
    CounterPlace,
    denies_usual_total,
    find_counter,
)
from calibration.locate.borderless import find_borderless_grids
from calibration.locate.crosses import FoundLattice, find_lattices
from calibration.points import PixelBox, PixelPoint, overlap
from calibration.theme import Theme
from calibration.tiles import SAME_APPEARANCE, coarse, cut, gather
from solver.board import Board

PLAUSIBLE = 0.4
"""Least plausibility of a board; a board with all cells hidden has 0.5 (see `Recognition`)."""

MOST_CANDIDATES = 12
"""Most grids that are read. Reading the tiles of one takes a few milliseconds."""

MOST_PANEL_ROWS = 4
"""Most rows of tiles that the panel above a board can be mistaken for."""

MOST_OVERLAP = 0.2
"""Largest part of the smaller of two boards that the other one may cover."""

LEAST_ROWS_LEFT = 5
"""Fewest rows of a board that are left when such rows are removed."""


@dataclass(frozen=True)
class Calibration:
    """All that is needed to read the next frame of the same window.

    ``mines`` is the mine total, None if it is unknown. ``mines_from`` says where it comes from:
    ``given``, ``counter``, ``size`` (that of a well-known level) or ``unknown``. ``counter`` is the
    place of the window's mine counter, None if none was found.
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
        return tomli_w.dumps(data | {"theme": self.theme.to_data()})

    @classmethod
    def from_toml(cls, text: str) -> Calibration:
        """Build a calibration from the text of `to_toml`. Raises `BadCalibration` for any other."""
        try:
            data = tomllib.loads(text)
            counter = data.get("counter")
            mines = data.get("mines")
            return cls(
                _grid_of(data["grid"]),
                Theme.from_data(data["theme"]),
                None if mines is None else int(mines),
                str(data["mines_from"]),
                counter and CounterPlace(str(counter["kind"]), PixelBox(*map(int, counter["box"]))),
            )
        except tomllib.TOMLDecodeError as error:
            raise BadCalibration(f"The saved calibration is no TOML: {error}.") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadCalibration(
                f"The saved calibration has a missing or wrong entry: {error}."
            ) from error

    def save(self, path: str | Path) -> None:
        """Write the calibration to a file. Raises `BadCalibration` if that fails."""
        try:
            Path(path).write_text(self.to_toml(), encoding="utf-8")
        except OSError as error:
            raise BadCalibration(f"{path} cannot be written: {error.strerror}.") from error

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read a file written by `save`. Raises `BadCalibration` if it cannot be read."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadCalibration(f"{path} cannot be read as a saved calibration.") from error
        return cls.from_toml(text)


def calibrate(
    frame: Frame,
    *,
    near: PixelPoint | None = None,
    mines: int | None = None,
    themes: Sequence[Theme] | None = None,
) -> Calibration:
    """Find the only board in ``frame``, or the one nearest to ``near``, and learn to read it.

    ``mines`` is the mine total, if it is known; otherwise it comes from the window's mine counter
    or from the size of a well-known level. ``themes`` are tried first (None: the built-in ones);
    if none fits, the appearances are learned from the frame. Raises `NoGrid` if there is no board
    or the picture cuts it off, `UnreadableGrid` if there is a grid with numbers that make no board,
    and `SeveralGrids` if there are several and ``near`` is not given.
    """
    found = find_lattices(frame)
    uncut = [one.grid for one in found if not one.cut_at]
    boards = _boards(frame, uncut, themes)
    if not boards:
        try:
            boards = _boards_cropped_or_without_lines(frame, found, themes)
        except NoGrid as error:
            raise _unreadable(frame, uncut, themes) or error from error
    if near is None and len(boards) > 1:
        # A board of which a part cannot be read is covered: it cannot be played.
        whole = [board for board in boards if (board[1].confidence >= MARGIN).all()]
        boards = whole if len(whole) == 1 else boards
    if near is not None:
        grid, recognition = min(boards, key=lambda board: _distance(board[0], near))
    elif len(boards) == 1:
        grid, recognition = boards[0]
    else:
        raise SeveralGrids(_choice_message(boards), tuple(grid for grid, _ in boards))
    return _with_total(frame, grid, recognition, mines)


def _boards(
    frame: Frame, grids: Sequence[Grid], themes: Sequence[Theme] | None
) -> list[tuple[Grid, Recognition]]:
    """Read the candidates and keep the plausible boards; of overlapping ones, the best."""
    judged = [_read_candidate(frame, grid, themes) for grid in grids[:MOST_CANDIDATES]]
    plausible = [board for board in judged if board[1].plausibility >= PLAUSIBLE]
    plausible.sort(key=lambda board: board[0].confidence * board[1].plausibility, reverse=True)
    kept: list[tuple[Grid, Recognition]] = []
    for board in plausible:
        if not any(overlap(board[0].bounds, other.bounds) > MOST_OVERLAP for other, _ in kept):
            kept.append(board)
    return kept


def _unreadable(
    frame: Frame, grids: Sequence[Grid], themes: Sequence[Theme] | None
) -> UnreadableGrid | None:
    """Return the error for the best grid that shows numbers but is no board; None without any."""
    for grid in grids[:MOST_CANDIDATES]:
        if recognise(frame, grid, themes=themes).has_numbers:
            return UnreadableGrid(
                f"A grid of {grid.rows}×{grid.cols} was found, but its tiles cannot be read: their "
                "appearances make no board. Is something over it? See --explain.",
                grid,
            )
    return None


def _read_candidate(
    frame: Frame, grid: Grid, themes: Sequence[Theme] | None
) -> tuple[Grid, Recognition]:
    """Read a candidate; if it is no board, try it without its uppermost rows.

    The panel above a board, with counter and smiley, can happen to fit its lattice.
    """
    whole = recognise(frame, grid, themes=themes)
    if whole.plausibility < PLAUSIBLE:
        for rows in range(1, min(MOST_PANEL_ROWS, grid.rows - LEAST_ROWS_LEFT) + 1):
            below = grid.without_top(rows)
            recognition = recognise(frame, below, themes=themes)
            if recognition.plausibility >= PLAUSIBLE and not _is_board_above(frame, grid, rows):
                return below, recognition
    return grid, whole


def _is_board_above(frame: Frame, grid: Grid, rows: int) -> bool:
    """Tell whether a third or more of the removed ``rows`` look like tiles that are left."""
    pictures = cut(frame, grid)
    clusters, _ = gather(coarse(pictures.reshape(-1, *pictures.shape[2:])), SAME_APPEARANCE)
    above, below = np.split(clusters, [rows * grid.cols])
    return bool(np.isin(above, below).mean() >= 1 / 3)


def _with_total(
    frame: Frame, grid: Grid, recognition: Recognition, mines: int | None
) -> Calibration:
    """Add the mine total and the place of the mine counter."""
    counter, board = None, None
    if (recognition.confidence >= MARGIN).all():
        side = recognition.theme.profile.counter_side
        board = Board(recognition.tiles)
        counter = find_counter(frame, grid, board, mines=mines, side=side)
    place = counter.place if counter else None
    if mines is not None:
        return Calibration(grid, recognition.theme, mines, "given", place)
    if counter is not None:
        return Calibration(grid, recognition.theme, counter.total, "counter", place)
    total = WELL_KNOWN_TOTALS.get((grid.rows, grid.cols))
    if total is not None and board is not None and denies_usual_total(frame, grid, board):
        total = None
    return Calibration(grid, recognition.theme, total, "unknown" if total is None else "size")


def _boards_cropped_or_without_lines(
    frame: Frame, found: Sequence[FoundLattice], themes: Sequence[Theme] | None
) -> list[tuple[Grid, Recognition]]:
    """Return the board that the picture was cropped to or, failing that, the boards without lines.

    Raises `NoGrid` if the picture cuts a board off, and if there is no board at all.
    """
    cut_boards = _boards(frame, [one.grid for one in found if one.cut_at], themes)
    crops = {one.grid for one in found if one.is_crop}
    boards = [
        board for board in cut_boards if board[0] in crops and _has_number_or_usual_size(*board)
    ]
    if boards:
        return boards
    if not cut_boards:
        return _boards_without_lines(frame, themes)
    grid = cut_boards[0][0]
    raise NoGrid(
        f"The board near {round(grid.x0)},{round(grid.y0)} is cut off by the edge of the "
        "picture: move its window wholly onto the screen."
    )


def _boards_without_lines(
    frame: Frame, themes: Sequence[Theme] | None
) -> list[tuple[Grid, Recognition]]:
    """Return the boards found by what repeats in the frame. Raises `NoGrid` if there is none."""
    boards = [
        board
        for board in _boards(frame, list(find_borderless_grids(frame)), themes)
        if _has_number_or_usual_size(*board)
    ]
    if not boards:
        raise NoGrid(
            "There is no Minesweeper board in the picture. Bring its window to the front, "
            "wholly on the screen."
        )
    return boards


def _has_number_or_usual_size(grid: Grid, recognition: Recognition) -> bool:
    """Tell whether a board shows a number or has a well-known size; a pattern does neither."""
    return bool((recognition.tiles > 0).any()) or (grid.rows, grid.cols) in WELL_KNOWN_TOTALS


def _distance(grid: Grid, point: PixelPoint) -> float:
    """Return the distance from a point to a board in pixels, 0 inside it."""
    x0, y0, x1, y1 = grid.bounds
    return hypot(max(x0 - point.x, 0, point.x - x1), max(y0 - point.y, 0, point.y - y1))


def _choice_message(boards: Sequence[tuple[Grid, Recognition]]) -> str:
    """Say where the boards are, and how to choose one of them."""
    places = (
        f"{grid.rows}x{grid.cols} near {round(grid.x0 + grid.cols * grid.tile_w / 2)},"
        f"{round(grid.y0 + grid.rows * grid.tile_h / 2)}"
        for grid, _ in boards
    )
    return f"There are {len(boards)} boards ({'; '.join(places)}): say which with --near X,Y."


def _grid_of(data: Mapping[str, Any]) -> Grid:
    """Build a grid from its TOML table. Raises `ValueError`, `KeyError` or `TypeError`."""
    sizes = {name: float(data[name]) for name in ("x0", "y0", "tile_w", "tile_h", "confidence")}
    shifts = {name: tuple(map(float, data.get(name, ()))) for name in ("x_shifts", "y_shifts")}
    if not all(map(isfinite, (*sizes.values(), *shifts["x_shifts"], *shifts["y_shifts"]))):
        raise ValueError("the grid")
    return Grid(**sizes, rows=int(data["rows"]), cols=int(data["cols"]), **shifts)  # type: ignore[arg-type]
