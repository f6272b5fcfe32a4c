"""Drawings on the ground of numbers, strange digits and blasts, on clusters made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from calibration.classify.checks.hidden import drawn_on_open_ground
from calibration.rules import UNREAD
from calibration.tiles import SIDE
from solver.board import Tile

WHITE, GREY, OLIVE, RED = (250, 250, 250), (150, 150, 150), (140, 140, 70), (230, 30, 30)


def decoding(*labels: int) -> Any:
    doubted = np.zeros(len(labels), np.bool_)
    return cast(Any, SimpleNamespace(labels=np.array(labels, np.int8), doubted=doubted))


def clusters(
    grounds: list[tuple[int, int, int]],
    sizes: list[int],
    empty: list[bool],
    *,
    relief: Any = 0.0,
) -> Any:
    colours = np.array(grounds, np.float32)
    ahead = colours[:, 0] - colours[:, 1:].max(axis=1)
    return cast(
        Any,
        SimpleNamespace(
            sizes=np.array(sizes),
            empty=np.array(empty),
            given=np.full(len(sizes), UNREAD, np.int8),
            relief=np.full(len(sizes), relief),
            pictures=np.tile(colours[:, None, None].astype(np.uint8), (1, SIDE, SIDE, 1)),
            features=SimpleNamespace(background_colour=colours, red_ahead=ahead),
        ),
    )


@pytest.mark.parametrize(
    ("ground", "plain", "doubted"),
    [
        (WHITE, GREY, True),
        (OLIVE, GREY, False),
        (WHITE, WHITE, False),
        (RED, GREY, True),
        (RED, RED, False),
    ],
)
def test_a_drawing_on_the_ground_of_numbers_or_on_red_is_in_doubt(
    ground: tuple[int, int, int], plain: tuple[int, int, int], doubted: bool
) -> None:
    """Unless plain hidden tiles have that ground, too."""
    board = clusters([ground, WHITE, plain], [16, 20, 30], [False, False, True])
    marked = drawn_on_open_ground(board, decoding(Tile.HIDDEN, 1, Tile.HIDDEN), None)
    assert marked.tolist() == [doubted, False, False]


def test_a_raised_tile_is_no_drawing_on_the_ground_of_numbers() -> None:
    """A wide bevel is drawn around a middle in the colour of open tiles."""
    board = clusters([WHITE, WHITE, GREY], [16, 20, 30], [False, False, True], relief=60.0)
    labels = decoding(Tile.HIDDEN, 1, Tile.HIDDEN)
    assert not drawn_on_open_ground(board, labels, None).any()
    board.pictures[0, 4:-4, 4:-4] = GREY
    assert drawn_on_open_ground(board, labels, None).any(), "a box on the ground of numbers"
