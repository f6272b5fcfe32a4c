"""Openings, by numbers beside them, the fresh board and the last clicks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.classify.checks.openings import (
    ClickedCells,
    LastClicks,
    as_before,
    only_opened,
)
from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.fresh_likeness import likeness_to_fresh
from calibration.classify.recognise import label_clusters, recognise
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD
from calibration.tiles import cut
from solver.board import Cell, Tile
from tests.calibration.classify.drawing import IN_PART, NO_THEME, drawn, tiles
from tests.calibration.desktops import flat_board


@pytest.mark.parametrize(
    ("shown", "opened"),
    [
        ("1#####\n" + "######\n" * 2 + "#####1", True),
        ("1#####\n######\n###2##\n#####1", False),  # a window may lie over what was not clicked
    ],
)
def test_only_clicks_opened_what_changed_as_long_as_nothing_else_did(
    shown: str, opened: bool
) -> None:
    clusters = cluster_tiles(*drawn(shown))
    like_fresh = likeness_to_fresh(clusters, cut(*drawn("######\n" * 4)))
    clicked, last = np.zeros((4, 6), np.bool_), np.zeros((4, 6), np.bool_)
    clicked[0, 0] = clicked[3, 5] = last[3, 5] = True
    before = tiles("1#####\n" + "######\n" * 3)
    cells = ClickedCells(clicked, np.zeros_like(clicked))
    found = only_opened(clusters, like_fresh, LastClicks(last, before), cells)
    assert (found is not None) is opened
    if found is not None:
        assert np.array_equal(found[clusters.of_tile], clicked)


@pytest.mark.parametrize("chess", [False, True])
def test_a_program_may_open_only_a_part_of_the_cells_around_zeros(chess: bool) -> None:
    """On a chessboard some of its zeros are in doubt, since the network takes them for hidden."""
    seen = recognise(*drawn(IN_PART, chess=chess), themes=())
    assert np.array_equal(seen.tiles, tiles(IN_PART))
    assert (seen.confidence > 0.5).mean() > (0.9 if chess else 0.999)
    assert chess or seen.plausibility > 0.9


def test_two_numbers_and_a_zero_are_an_opening_though_a_corner_stays_hidden() -> None:
    text = "01######\n1#######\n" + "########\n" * 6
    seen = recognise(*drawn(text), themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()


def test_numbers_beside_tiles_with_other_borders_are_an_opening() -> None:
    board = "01####\n02####\n02####\n01####\n01####\n01####"
    seen = recognise(*drawn(board, lined=True), themes=())
    assert np.array_equal(seen.tiles, tiles(board))
    assert (seen.confidence > 0.5).all()


ZEROS = """
000###
000###
00####
######
"""


@pytest.mark.parametrize(
    ("shown", "clicked", "read"),
    [
        (ZEROS, [(0, 0)], True),
        (ZEROS, [(3, 5)], False),  # what changed is not where the click was
        (ZEROS.replace("##\n######", "##\n#####0"), [(0, 0)], False),  # changed in two places
        (ZEROS.replace("0", "#").replace("#", "0", 1), [(0, 0)], True),
        ("\n000000" * 4, [(0, 0)], False),  # a dialog may lie over all of the board
    ],
)
def test_zeros_that_opened_alone_are_reported_by_the_fresh_board_and_the_click(
    shown: str, clicked: list[tuple[int, int]], read: bool
) -> None:
    frame, grid = drawn(shown)
    start = drawn(shown.replace("0", "#"))
    clusters = cluster_tiles(frame, grid)
    marked = np.zeros((4, 6), np.bool_)
    marked[tuple(np.transpose(clicked))] = True
    like_fresh, clicks = likeness_to_fresh(clusters, cut(*start)), LastClicks(marked, None)
    decoding = label_clusters(clusters, NO_THEME, like_fresh, clicks)
    labels = np.where(decoding.certainty > 0.5, decoding.labels, UNREAD)[clusters.of_tile]
    assert np.array_equal(labels, tiles(shown)) is read
    assert not decoding.impossible(clusters.of_tile).any() or not read


def test_a_picture_that_the_first_click_opened_is_a_zero() -> None:
    shown = ["001#####", "111#####", "########", "########"]
    fresh, frame = (flat_board(rows) for rows in (["#" * 8] * 4, shown))
    grid = Grid(99.5, 119.5, 30, 30, 4, 8)
    pixels = frame.pixels.copy()
    for x in (100, 130):
        pixels[120:149, x : x + 29] = 128
        cv2.circle(pixels, (x + 14, 134), 11, (240, 190, 60), -1, cv2.LINE_AA)
        cv2.circle(pixels, (x + 14, 137), 4, (200, 90, 20), -1, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    like_fresh, clicked = likeness_to_fresh(clusters, cut(fresh, grid)), np.zeros((4, 8), np.bool_)
    clicked[0, 0] = True
    read = [
        label_clusters(clusters, NO_THEME, like_fresh, clicks)
        for clicks in (None, LastClicks(clicked, None))
    ]
    zero = clusters.of_tile[0, 0]
    assert read[0].certainty[zero] < MARGIN
    assert read[1].certainty.min() >= MARGIN
    assert np.array_equal(read[1].labels[clusters.of_tile], tiles("\n".join(shown)))


def test_what_looks_as_a_mine_that_took_a_life_took_one_too() -> None:
    """Two lone mines far apart on a board in play: the second was taken for something over it."""
    before = tiles("0#X 011 ###")
    clusters: Any = SimpleNamespace(
        sizes=np.array([1, 4, 2, 2]), of_tile=np.array([[0, 1, 2], [0, 3, 3], [1, 1, 2]])
    )
    changed = np.ones((3, 3), np.bool_)
    assert as_before(clusters, before, changed, ()).tolist() == [UNREAD] * 4
    known = as_before(clusters, before, changed, {Cell(0, 2)})
    assert known.tolist() == [UNREAD, UNREAD, Tile.EXPLODED, UNREAD]
