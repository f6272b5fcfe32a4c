"""Find the board in a screenshot and learn how to read it.

Geometry proposes grids, meaning decides: a grid counts only if its tiles read as a Minesweeper
board, so that keypads, spreadsheets and squared paper do not.
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

from calibration.counter import WELL_KNOWN_TOTALS, Place, find_counter
from calibration.crosses import Found, search
from calibration.errors import BadCalibration, NoGrid, SeveralGrids
from calibration.frame import Frame, PixelBox, PixelPoint
from calibration.grid import Grid
from calibration.learn import MARGIN, Recognition, recognise
from calibration.memory import SAME_LOOK
from calibration.theme import Theme
from calibration.tiles import coarse, cut, gather
from calibration.tilings import tilings
from solver.board import Board

PLAUSIBLE = 0.4
"""Least plausibility of a board; a fresh one has 0.5 (see `calibration.learn.Recognition`)."""

MOST_CANDIDATES = 12
"""Grids looked at closely. Reading the tiles of one takes a few milliseconds."""

MOST_PANEL_ROWS = 4
"""Rows of tiles that a panel over the board can pass for, at most."""

LEAST_ROWS = 5
"""Rows that must be left of a board when the panel is taken off."""


@dataclass(frozen=True)
class Calibration:
    """All the eyes need to read the next frame.

    ``mines`` is the total on the board, None where nothing tells it; ``mines_from`` says what
    did: ``given``, ``counter``, ``size`` (a well-known level) or ``unknown``. ``counter`` is
    where the window's mine counter stands, None where none was found.
    """

    grid: Grid
    theme: Theme
    mines: int | None = None
    mines_from: str = "unknown"
    counter: Place | None = None

    def to_toml(self) -> str:
        """Write it as TOML; `from_toml` reads it back."""
        data: dict[str, Any] = {"grid": asdict(self.grid), "mines_from": self.mines_from}
        if self.mines is not None:
            data["mines"] = self.mines
        if self.counter is not None:
            data["counter"] = {"kind": self.counter.kind, "box": list(self.counter.box)}
        return tomli_w.dumps(data | {"theme": self.theme.to_data()})

    @classmethod
    def from_toml(cls, text: str) -> Calibration:
        """Read what `to_toml` wrote. Raises `BadCalibration` for anything else."""
        try:
            data = tomllib.loads(text)
            counter = data.get("counter")
            mines = data.get("mines")
            return cls(
                _grid_of(data["grid"]),
                Theme.from_data(data["theme"]),
                None if mines is None else int(mines),
                str(data["mines_from"]),
                counter and Place(str(counter["kind"]), PixelBox(*map(int, counter["box"]))),
            )
        except tomllib.TOMLDecodeError as error:
            raise BadCalibration(f"The saved calibration is no TOML: {error}.") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadCalibration(f"The saved calibration lacks or garbles {error}.") from error

    def save(self, path: Path) -> None:
        """Write it to a file. Raises `BadCalibration` when the file cannot be written."""
        try:
            path.write_text(self.to_toml(), encoding="utf-8")
        except OSError as error:
            raise BadCalibration(f"{path} cannot be written: {error.strerror}.") from error

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Read a file that `save` wrote. Raises `BadCalibration`."""
        try:
            text = path.read_text(encoding="utf-8")
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
    """Find the one board in ``frame``, or the one nearest to ``near``.

    ``mines`` is the total where it is known; otherwise the window's counter tells it, or the
    size of a well-known level. ``themes`` are tried before a look is learned (None: the
    built-in ones). Raises `NoGrid`, also for a board that the picture cuts off, or `SeveralGrids`
    where ``near`` is needed.
    """
    found = search(frame)
    boards = _boards(frame, [one.grid for one in found if not one.cut_at], themes)
    if not boards:
        boards = _cut_out(frame, found, themes)
    if near is not None:
        grid, recognition = min(boards, key=lambda board: _distance(board[0], near))
    elif len(boards) == 1:
        grid, recognition = boards[0]
    else:
        raise SeveralGrids(_choice(boards), tuple(grid for grid, _ in boards))
    return _with_total(frame, grid, recognition, mines)


def _boards(
    frame: Frame, grids: Sequence[Grid], themes: Sequence[Theme] | None
) -> list[tuple[Grid, Recognition]]:
    """Read every candidate and keep those that are boards; of overlapping ones the best."""
    judged = [_judge(frame, grid, themes) for grid in grids[:MOST_CANDIDATES]]
    plausible = [board for board in judged if board[1].plausibility >= PLAUSIBLE]
    plausible.sort(key=lambda board: board[0].confidence * board[1].plausibility, reverse=True)
    kept: list[tuple[Grid, Recognition]] = []
    for board in plausible:
        if not any(_overlap(board[0].bounds, other.bounds) for other, _ in kept):
            kept.append(board)
    return kept


def _judge(frame: Frame, grid: Grid, themes: Sequence[Theme] | None) -> tuple[Grid, Recognition]:
    """Read a candidate; where it is no board, try it without the rows above it.

    The panel of counters and face over a board can happen to lie on its lattice.
    """
    whole = recognise(frame, grid, themes=themes)
    if whole.plausibility < PLAUSIBLE:
        for rows in range(1, min(MOST_PANEL_ROWS, grid.rows - LEAST_ROWS) + 1):
            below = grid.without_top(rows)
            seen = recognise(frame, below, themes=themes)
            if seen.plausibility >= PLAUSIBLE and not _is_board_above(frame, grid, rows):
                return below, seen
    return grid, whole


def _is_board_above(frame: Frame, grid: Grid, rows: int) -> bool:
    """Whether a third of the ``rows`` taken off, or more, look like tiles that are left."""
    pictures = cut(frame, grid)
    look, _ = gather(coarse(pictures.reshape(-1, *pictures.shape[2:])), SAME_LOOK)
    above, below = np.split(look, [rows * grid.cols])
    return bool(np.isin(above, below).mean() >= 1 / 3)


def _with_total(
    frame: Frame, grid: Grid, recognition: Recognition, mines: int | None
) -> Calibration:
    """Add the mine total and the counter's place."""
    counter = None
    if (recognition.confidence >= MARGIN).all():
        side = recognition.theme.handling.counter
        counter = find_counter(frame, grid, Board(recognition.tiles), mines=mines, side=side)
    place = counter.place if counter else None
    if mines is not None:
        return Calibration(grid, recognition.theme, mines, "given", place)
    if counter is not None:
        return Calibration(grid, recognition.theme, counter.total, "counter", place)
    total = WELL_KNOWN_TOTALS.get((grid.rows, grid.cols))
    return Calibration(grid, recognition.theme, total, "unknown" if total is None else "size")


def _cut_out(
    frame: Frame, found: Sequence[Found], themes: Sequence[Theme] | None
) -> list[tuple[Grid, Recognition]]:
    """Return the board that a picture was cut out along.

    Without a cut one, return those without lines. Raises `NoGrid` where there is none, and says
    so if one is cut off.
    """
    cut = _boards(frame, [one.grid for one in found if one.cut_at], themes)
    whole = {one.grid for one in found if one.cut_out}
    boards = [board for board in cut if board[0] in whole and _is_told(*board)]
    if boards:
        return boards
    if not cut:
        return _without_lines(frame, themes)
    grid = cut[0][0]
    raise NoGrid(
        f"The board near {round(grid.x0)},{round(grid.y0)} is cut off by the edge of the "
        "picture: move its window wholly onto the screen."
    )


def _without_lines(frame: Frame, themes: Sequence[Theme] | None) -> list[tuple[Grid, Recognition]]:
    """Return the boards found by what repeats in the frame. Raises `NoGrid` where there is none."""
    boards = [board for board in _boards(frame, list(tilings(frame)), themes) if _is_told(*board)]
    if not boards:
        raise NoGrid(
            "There is no Minesweeper board in the picture. Bring its window to the front, "
            "wholly on the screen."
        )
    return boards


def _is_told(grid: Grid, seen: Recognition) -> bool:
    """Whether a board shows a number or has a usual size, as no wallpaper of squares does."""
    return bool((seen.tiles > 0).any()) or (grid.rows, grid.cols) in WELL_KNOWN_TOTALS


def _overlap(one: PixelBox, two: PixelBox) -> bool:
    """Whether two boxes share more than a fifth of the smaller one."""
    width = min(one.x1, two.x1) - max(one.x0, two.x0)
    height = min(one.y1, two.y1) - max(one.y0, two.y0)
    smaller = min((box.x1 - box.x0) * (box.y1 - box.y0) for box in (one, two))
    return width > 0 and height > 0 and width * height > 0.2 * smaller


def _distance(grid: Grid, point: PixelPoint) -> float:
    """Pixels from a point to a board, 0 inside it."""
    x0, y0, x1, y1 = grid.bounds
    return hypot(max(x0 - point.x, 0, point.x - x1), max(y0 - point.y, 0, point.y - y1))


def _choice(boards: Sequence[tuple[Grid, Recognition]]) -> str:
    """Say where the boards are, so that one can be asked for."""
    places = (
        f"{grid.rows}x{grid.cols} near {round(grid.x0 + grid.cols * grid.tile_w / 2)},"
        f"{round(grid.y0 + grid.rows * grid.tile_h / 2)}"
        for grid, _ in boards
    )
    return f"There are {len(boards)} boards ({'; '.join(places)}): say which with --near X,Y."


def _grid_of(data: Mapping[str, Any]) -> Grid:
    """Build a grid from its table. Raises `ValueError`, `KeyError` or `TypeError`."""
    sizes = {name: float(data[name]) for name in ("x0", "y0", "tile_w", "tile_h", "confidence")}
    shifts = {name: tuple(map(float, data.get(name, ()))) for name in ("x_shifts", "y_shifts")}
    if not all(map(isfinite, (*sizes.values(), *shifts["x_shifts"], *shifts["y_shifts"]))):
        raise ValueError("the grid")
    return Grid(**sizes, rows=int(data["rows"]), cols=int(data["cols"]), **shifts)  # type: ignore[arg-type]
