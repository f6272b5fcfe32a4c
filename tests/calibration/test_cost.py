"""What a picture may cost: no more than the largest board, whatever repeats on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from calibration.boards import search
from calibration.boards.ranking import judged
from calibration.boards.search import find_boards
from calibration.calibration import Calibration
from calibration.errors import NoGrid, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid, shared_area
from calibration.locate import crosses, extent, lattice, repetition
from calibration.read import board
from calibration.reader import Reader
from calibration.theme import LEARNED, Theme
from calibration.tiles import SAME_APPEARANCE, VALUES_COMPARED, gather
from solver.board import MAX_SIDE

CELLS, PITCH = 60, 16


def squares(*, by_chance: bool) -> Frame:
    """Draw squares between lines, all of one colour, or each of a colour by chance."""
    random = np.random.default_rng(7)
    shape = (CELLS, CELLS, 3) if by_chance else (1, 1, 3)
    colours = np.broadcast_to(random.integers(90, 255, shape, dtype=np.uint8), (CELLS, CELLS, 3))
    pixels = np.full((CELLS * PITCH + 41, CELLS * PITCH + 41, 3), 250, np.uint8)
    inside = pixels[20:-20, 20:-20]
    inside[:-1, :-1] = colours.repeat(PITCH, 0).repeat(PITCH, 1)
    inside[::PITCH], inside[:, ::PITCH] = 40, 40
    return Frame(pixels)


def test_rows_are_compared_so_often_and_no_more() -> None:
    rows = np.arange(4000, dtype=np.float32)[:, None] * np.ones((1, 400), np.float32)
    few = rows[:2000]
    assert few.size * len(few) / 2 < VALUES_COMPARED < rows.size * len(rows) / 2
    groups, leaders = gather(few, 0.5)
    assert (groups == np.arange(len(few))).all()
    assert len(leaders) == len(few)
    with pytest.raises(UnreadableTiles, match="differ more than the tiles of any board"):
        gather(rows, 0.5)


def test_a_row_that_differs_in_one_value_is_in_a_group_of_its_own() -> None:
    """Few values are compared first: a difference in any of the others counts as well."""
    values = 437
    rows = np.zeros((values + 1, values), np.float32)
    rows[1:] += SAME_APPEARANCE * 1.01 * np.eye(values, dtype=np.float32)
    assert len(gather(rows, SAME_APPEARANCE)[1]) == values + 1


def test_cells_in_colours_by_chance_are_no_board() -> None:
    frame = squares(by_chance=True)
    with pytest.raises(NoGrid):
        find_boards(frame)
    grid = Grid(20, 20, PITCH, PITCH, CELLS, CELLS)
    readout = Reader(Calibration(grid, Theme(LEARNED, ()))).read(frame)
    assert isinstance(readout.result, UnreadableTiles)


def test_more_cells_than_any_board_has_are_a_texture(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = squares(by_chance=False)
    assert any(one.grid.rows >= CELLS - 1 for one in crosses.find_lattices(frame))
    assert repetition.repeating_regions(frame)
    for module in (extent, repetition):
        monkeypatch.setattr(module, "LARGEST_LATTICE", CELLS * CELLS // 2)
    assert not [one for one in crosses.find_lattices(frame) if one.grid.rows >= CELLS - 1]
    assert not repetition.repeating_regions(frame)


@pytest.mark.parametrize("limit", ["MOST_FITTED", "MOST_FITS"])
def test_lattices_are_fitted_in_so_many_pixels_and_regions_and_no_more(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Lines every 11 pixels, at half the resolution, seem to be lattices of many sizes."""
    pixels = np.full((1100, 1100, 3), 200, np.uint8)
    pixels[::11], pixels[:, ::11] = 60, 60
    fitted: list[float] = []

    def fit(*words: Any, fit: Callable[..., Any] = lattice.fit_lattice) -> Any:
        fitted.append(1 if limit == "MOST_FITS" else shared_area(words[2].box, words[2].box))
        return fit(*words)

    monkeypatch.setattr(crosses, "fit_lattice", fit)
    list(crosses.find_lattices(Frame(pixels)))
    whole, most = sum(fitted), 2 if limit == "MOST_FITS" else 4 * pixels.size // 3
    assert whole > most
    monkeypatch.setattr(crosses, limit, most)
    fitted.clear()
    list(crosses.find_lattices(Frame(pixels)))
    assert 0 < sum(fitted) <= most


def test_a_picture_may_hold_lattices_longer_than_any_board() -> None:
    """A row of cells across a very wide picture: no engine counts the mines of so many columns."""
    wide = MAX_SIDE + 50
    pixels = np.full((5 * PITCH + 41, wide * PITCH + 41, 3), 250, np.uint8)
    inside = pixels[20:-20, 20:-20]
    inside[:] = 190
    inside[::PITCH], inside[:, ::PITCH] = 40, 40
    with pytest.raises(NoGrid):
        find_boards(Frame(pixels))


@pytest.mark.parametrize(("limit", "most"), [("ENOUGH_CELLS", 100), ("ENOUGH_DIFFERENT", 5)])
def test_so_much_is_read_of_a_picture_and_no_more(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    """Squares in colours by chance do not make a board, whatever finder proposes a part of them."""
    frame = squares(by_chance=True)
    read: list[int] = []

    def judge(*words: Any, judge: Callable[..., Any] = judged) -> Any:
        found = judge(*words)
        read.append(found.grid.rows * found.grid.cols)
        return found

    monkeypatch.setattr(search, "judged", judge)
    for name in ("ENOUGH_CELLS", "ENOUGH_DIFFERENT"):
        monkeypatch.setattr(search, name, 10**9)
    with pytest.raises(NoGrid, match="no other board"):
        find_boards(frame)
    whole = len(read)
    assert whole > 2
    monkeypatch.setattr(search, limit, most)
    read.clear()
    with pytest.raises(NoGrid, match="no more were looked for"):
        find_boards(frame)
    assert len(read) < whole


def test_many_different_tiles_are_not_shown_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = squares(by_chance=True)
    grid = Grid(20, 20, PITCH, PITCH, CELLS, CELLS)
    monkeypatch.setattr(board, "MOST_DIFFERENT", CELLS)
    for look in (board.read_board, board.tiles_around):
        with pytest.raises(UnreadableTiles, match="differ more than the tiles of any board"):
            look(frame.pixels, grid)
