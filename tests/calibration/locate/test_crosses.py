"""Boards with lines are found exactly; those cut off by the picture are marked as cut."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given, seed, settings
from hypothesis import strategies as st

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.crosses import find_lattices
from tests.calibration.sketches import STYLES, Pitch, half_open


def whole_grids(frame: Frame) -> list[Grid]:
    """Return the grids of all lattices that are not cut off, the best first."""
    return [found.grid for found in find_lattices(frame) if not found.cut_at]


def assert_lines_within(found: Grid, truth: Grid, most: float) -> None:
    """Assert that a grid is the true one, with lines to ``most`` pixels."""
    assert (found.rows, found.cols) == (truth.rows, truth.cols)
    assert abs(found.x_lines - truth.x_lines).max() < most
    assert abs(found.y_lines - truth.y_lines).max() < most


def assert_found(frame: Frame, truth: Grid) -> None:
    """Assert that the best grid is the true one: size, lines to 1.8 px, pitch to about 0.3 %."""
    found = whole_grids(frame)[0]
    assert_lines_within(found, truth, 1.8)
    # The pitch is that of the inner lines, which rounding moves by up to a pixel altogether.
    slack = max(0.003, 1.0 / ((min(truth.rows, truth.cols) - 2) * truth.tile_w))
    assert found.tile_w == pytest.approx(truth.tile_w, rel=slack)
    assert found.tile_h == pytest.approx(truth.tile_h, rel=slack)


@pytest.mark.slow
@seed(2)
@settings(max_examples=25, deadline=None, database=None)
@given(
    style=st.sampled_from([*STYLES]),
    rows=st.integers(5, 18),
    cols=st.integers(5, 18),
    tile=st.floats(13, 44),
    at=st.tuples(st.floats(60, 260), st.floats(70, 240)),
)
@example(style="gaps", rows=8, cols=8, tile=36.34, at=(100, 100))
@example(style="checkerboard", rows=9, cols=9, tile=22.5, at=(200.5, 120.25))
def test_any_size_pitch_and_place(
    style: str, rows: int, cols: int, tile: float, at: tuple[float, float]
) -> None:
    assert_found(*half_open(style, rows, cols, tile, 0.25, at))


def some(count: int, *choices: Sequence[object]) -> list[tuple[object, ...]]:
    """Draw cases from a product, the same ones each time."""
    return random.Random(1).sample([*product(*choices)], count)


@pytest.mark.parametrize(
    ("style", "rows", "cols", "tile", "opened"),
    [
        *product(STYLES, [12], [14], [24], [0.0, 0.5]),
        ("bevel", 24, 30, 20, 0.2),
        ("bevel", 50, 50, 14, 0.2),
        ("bevel", 5, 5, 80, 0.2),
        ("lines", 9, 12, (26.0, 23.0), 0.3),
    ],
)
def test_boards_of_every_style_and_size_are_found(
    style: str, rows: int, cols: int, tile: Pitch, opened: float
) -> None:
    assert_found(*half_open(style, rows, cols, tile, opened))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("style", "rows", "cols", "tile", "opened"),
    [
        *[("bevel", 3, 12, 20, 0.0), ("bevel", 3, 7, 40, 0.0), ("bevel", 12, 3, 30, 0.0)],
        *some(12, [*STYLES], [4, 5], [4], [13, 20.5, 30, 60, 80], [0.3]),
        *some(18, ["bevel"], [4, 5, 6, 8, 10], [5], [13, 24, 36.3, 61, 80], [0.0, 0.45, 0.8, 1.0]),
    ],
)
def test_the_only_grid_of_a_small_board_lies_exactly(
    style: str, rows: int, cols: int, tile: float, opened: float
) -> None:
    frame, truth = half_open(style, rows, cols, tile, opened)
    (found,) = whole_grids(frame)
    assert_lines_within(found, truth, 1.8)
    # Three or four inner lines, some of them on one side of their border, fix the pitch less well;
    # and with a fractional pitch lines are drawn up to a pixel off.
    assert abs(found.tile_w - tile) * cols < max(1.6, 0.003 * cols * tile)
    assert abs(found.tile_h - tile) * rows < max(1.6, 0.003 * rows * tile)


def test_a_wallpaper_of_squares_is_no_board() -> None:
    pixels = np.full((900, 1280, 3), 235, np.uint8)
    pixels[::40], pixels[:, ::40] = 215, 215
    assert not whole_grids(Frame(pixels))


@pytest.mark.parametrize(
    "widths",
    [
        (28, 28, 26, 26, 26, 27, 28, 28, 28),
        (26, 26, 28, 28, 28, 28, 26, 26, 26),
        (30, 30, 28, 27, 27, 28, 30, 30, 30, 28, 28),
        (29,) * 3 + (28,) * 5,
        (29,) * 5 + (28,) * 25,
        (29,) * 15 + (28,) * 15,
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_columns_of_a_table_that_fit_what_is_in_them_are_followed(
    widths: tuple[int, ...], turned: bool
) -> None:
    """Nothing but the number of digits in them makes columns narrower, or wider."""
    lines, high = 60 + np.concatenate([[0], np.cumsum(widths)]), 26
    pixels = np.full((60 + 9 * high + 60, lines[-1] + 60, 3), (13, 133, 132), np.uint8)
    pixels[60 : 60 + 9 * high, 60 : lines[-1]] = 211
    for row in range(9):
        for left, right in pairwise(lines.tolist()):
            tile = pixels[60 + row * high + 1 : 59 + (row + 1) * high, left + 1 : right - 1]
            tile[:] = 192
            if (row * 5 + left) % 3:
                tile[:2] = tile[:, :2] = 255
                tile[-2:] = tile[:, -2:] = 123
    frame = Frame(np.ascontiguousarray(pixels.swapaxes(0, 1) if turned else pixels))
    (found, *_) = whole_grids(frame)
    assert (found.rows, found.cols) == ((len(widths), 9) if turned else (9, len(widths)))
    assert np.abs((found.y_lines if turned else found.x_lines) - lines).max() <= 1.5
