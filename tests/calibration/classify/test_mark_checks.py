"""The checks of marks after a decoding, on clusters made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from calibration.classify.checks.hidden import marks_read_as_hidden
from calibration.classify.checks.marks import (
    flags_shaped_as_mines,
    mines_alike,
    mines_read_otherwise,
    unknown_mines,
)
from calibration.classify.tile_network.network import CLASSES
from calibration.rules import UNREAD
from calibration.tiles import SIDE
from solver.board import Tile


@pytest.mark.parametrize(
    ("drawn", "hidden", "doubted"),
    [(3, 97, False), (20, 80, True), (46, 54, False), (19, 21, True), (21, 19, False)],
)
def test_more_round_tiles_than_can_be_mines_are_hidden(
    drawn: int, hidden: int, doubted: bool
) -> None:
    """The network took 103 of 225 round tiles of a fresh board for mines, by their shades."""
    scores = np.full((3, len(CLASSES)), np.log(0.01), np.float32)
    scores[0, CLASSES.index("mine")] = np.log(0.7)
    clusters: Any = SimpleNamespace(
        sizes=np.array([drawn, hidden, 100 - drawn - hidden]),
        empty=np.array([False, False, True]),
        given=np.full(3, UNREAD, np.int8),
        of_tile=np.repeat([0, 1, 2], [drawn, hidden, 100 - drawn - hidden]).reshape(10, 10),
        network_scores=scores,
    )
    decoding = SimpleNamespace(labels=np.array([Tile.HIDDEN, Tile.HIDDEN, 1], np.int8))
    marked = marks_read_as_hidden(clusters, cast(Any, decoding), None)
    assert marked.tolist() == [doubted, False, False]


@pytest.mark.parametrize(
    ("same_shape", "flag", "label", "ink", "on_open", "doubted"),
    [
        (True, 0.3, Tile.FLAG, (20, 20, 200), False, True),
        (True, 0.3, Tile.FLAG, (20, 20, 200), True, True),
        (True, 0.95, Tile.FLAG, (20, 20, 200), False, False),
        (False, 0.3, Tile.FLAG, (20, 20, 200), False, False),
        (True, 0.3, Tile.EXPLODED, (20, 20, 200), False, True),
        (True, 0.3, Tile.EXPLODED, (20, 20, 200), True, False),
        (True, 0.3, Tile.EXPLODED, (240, 20, 20), False, False),
    ],
)
def test_a_mark_with_the_shape_of_the_mines_may_have_exploded(
    same_shape: bool,
    flag: float,
    label: Tile,
    ink: tuple[int, int, int],
    on_open: bool,
    doubted: bool,
) -> None:
    disc = cv2.circle(np.zeros((SIDE, SIDE), np.float32), (12, 12), 6, 1.0, -1)
    bar = cv2.rectangle(np.zeros((SIDE, SIDE), np.float32), (10, 3), (13, 20), 1.0, -1)
    scores = np.full((3, len(CLASSES)), np.log(0.01), np.float32)
    scores[0, CLASSES.index("flag")] = np.log(flag)
    white, grey = (250, 250, 250), (150, 150, 150)
    clusters: Any = SimpleNamespace(
        sizes=np.array([1, 4, 9]),
        empty=np.array([False, False, True]),
        given=np.full(3, UNREAD, np.int8),
        seen_as=lambda name: scores[:, CLASSES.index(name)],
        features=SimpleNamespace(
            silhouette=np.stack([disc if same_shape else bar, disc, 0 * disc]),
            ink_colour=np.array([ink, (20, 20, 20), (20, 20, 20)], np.float32),
            background_colour=np.array([white if on_open else grey, grey, white], np.float32),
            red_ahead=np.zeros(3, np.float32),
        ),
    )
    labels = np.array([label, Tile.MINE, 0], np.int8)
    marked = flags_shaped_as_mines(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert marked.tolist() == [doubted, False, False]


@pytest.mark.parametrize(("seen", "doubted"), [("mine", True), ("flag", True), ("other", False)])
def test_question_marks_that_look_like_mines_or_flags_are_in_doubt(
    seen: str, doubted: bool
) -> None:
    """Beside a wrong flag ten dark bombs were likelier question marks: numbers need no mine there.

    A drawing that the network does not know stays what the board makes of it.
    """
    scores = np.full((2, len(CLASSES)), np.log(0.01), np.float32)
    scores[0, CLASSES.index(seen)] = np.log(0.8)
    clusters: Any = SimpleNamespace(
        sizes=np.array([10, 5]),
        empty=np.array([False, True]),
        of_tile=np.repeat([0, 1], [10, 5]).reshape(3, 5),
        given=np.full(2, UNREAD, np.int8),
        seen_as=lambda name: scores[:, CLASSES.index(name)],
    )
    labels = np.array([Tile.QUESTION, 0], np.int8)
    decoding = SimpleNamespace(labels=labels, chances=np.zeros((2, 16)))
    marked = mines_read_otherwise(clusters, cast(Any, decoding), np.ones((3, 5), np.float32))
    assert marked.tolist() == [doubted, False]


@pytest.mark.parametrize(("step", "alike"), [(2, True), (90, False)])
def test_a_mine_that_looks_as_the_others_did_not_explode_visibly(step: int, alike: bool) -> None:
    pictures = np.full((2, SIDE, SIDE, 3), (150, 100, 110), np.uint8)
    pictures[1, :, :, 0] += step
    clusters: Any = SimpleNamespace(
        pictures=pictures,
        sizes=np.array([7, 1]),
        empty=np.zeros(2, np.bool_),
        given=np.full(2, UNREAD, np.int8),
        features=SimpleNamespace(background_colour=np.zeros((2, 3), np.float32)),
    )
    labels = np.array([Tile.MINE, Tile.EXPLODED], np.int8)
    marked = mines_alike(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert marked.tolist() == [False, alike]


@pytest.mark.parametrize(("plain", "covered_px"), [(True, 8), (False, 8), (True, 16)])
def test_a_plain_mine_that_a_dialog_covers_in_part_did_not_explode(
    plain: bool, covered_px: int
) -> None:
    """Most of it has the colour of the others; a drawing on that colour is something else."""
    pictures = np.full((2, SIDE, SIDE, 3), (250, 0, 0), np.uint8)
    pictures[1, -covered_px:] = 255
    clusters: Any = SimpleNamespace(
        pictures=pictures,
        sizes=np.array([7, 1]),
        empty=np.array([True, plain]),
        given=np.full(2, UNREAD, np.int8),
        features=SimpleNamespace(background_colour=np.array([(250, 0, 0), (251, 80, 80)])),
    )
    labels = np.array([Tile.MINE, Tile.EXPLODED], np.int8)
    marked = mines_alike(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert marked.tolist() == [False, plain and covered_px < 12]


@pytest.mark.parametrize(
    ("plain", "count", "doubted"), [(True, 1, True), (True, 4, False), (False, 1, False)]
)
def test_a_plain_tile_beside_a_drawn_mine_that_exploded_may_be_a_small_window(
    plain: bool, count: int, doubted: bool
) -> None:
    labels = np.array([Tile.MINE, Tile.EXPLODED, Tile.HIDDEN], np.int8)
    likely = np.log(np.full(3, 0.95))
    clusters: Any = SimpleNamespace(
        sizes=np.array([count, 1, 6 - count]),
        empty=np.array([plain, False, True]),
        of_tile=np.array([[0, 1, 2]]),
        features=SimpleNamespace(red_ahead=np.zeros(3, np.float32)),
        seen_as=lambda name: likely if name == "mine" else likely - 9,
    )
    marked = unknown_mines(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert marked.tolist() == [doubted, False, False]


@pytest.mark.parametrize("beside", [True, False])
def test_a_strange_mine_counts_if_a_number_beside_a_mine_confirms_it(beside: bool) -> None:
    """A flag like none known, far from all numbers, is no mine because flags satisfy a number."""
    labels = np.array([Tile.EXPLODED, Tile.HIDDEN, 1, Tile.FLAG], np.int8)
    unlikely = np.log(np.full(4, 0.1))
    clusters: Any = SimpleNamespace(
        sizes=np.ones(4, np.intp),
        empty=np.array([False, True, False, False]),
        of_tile=np.array([[2, 0, 1, 1]] if beside else [[0, 1, 2, 3]]),
        features=SimpleNamespace(red_ahead=np.zeros(4, np.float32)),
        seen_as=lambda _: unlikely,
    )
    marked = unknown_mines(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert marked[0] == (not beside)


@pytest.mark.parametrize(
    ("ahead", "board", "doubted"),
    [
        (0.0, [[0, 1]], True),
        (200.0, [[0, 1]], False),
        (0.0, [[2, 0, 1]], False),
        (0.0, [[0, 1, 3]], False),
        (0.0, [[3, 1]], True),
    ],
    ids=["won", "on red", "in play", "lost", "won, taken for exploded"],
)
def test_red_drawings_on_tiles_that_are_not_red_may_be_the_flags_of_a_won_board(
    ahead: float, board: list[list[int]], doubted: bool
) -> None:
    """The flags of a won board are red trefoils; the network takes them for mines on red."""
    scores = {"mine": np.log([0.26, 0.01, 0.01, 0.2]), "exploded": np.log([0.7, 0.01, 0.01, 0.8])}
    clusters: Any = SimpleNamespace(
        sizes=np.bincount(np.ravel(board), minlength=4),
        empty=np.array([False, False, True, False]),
        of_tile=np.array(board),
        features=SimpleNamespace(red_ahead=np.full(4, ahead, np.float32)),
        seen_as=lambda name: scores[name],
    )
    labels = np.array([Tile.MINE, 1, Tile.HIDDEN, Tile.EXPLODED], np.int8)
    marked = unknown_mines(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert (marked & (clusters.sizes > 0)).any() == doubted


@pytest.mark.parametrize(("ahead", "doubted"), [(43.0, True), (150.0, False)])
def test_a_mine_less_red_than_all_others_need_not_have_exploded(
    ahead: float, doubted: bool
) -> None:
    """A page draws its mines on red, and a mine that was flagged on the yellow of its flags."""
    likely = np.log(np.full(3, 0.95))
    clusters: Any = SimpleNamespace(
        sizes=np.array([9, 1, 6]),
        empty=np.array([False, False, True]),
        of_tile=np.repeat([0, 1, 2], [9, 1, 6]).reshape(4, 4),
        features=SimpleNamespace(red_ahead=np.array([148.0, ahead, -3.0])),
        seen_as=lambda name: likely if name == "mine" else likely - 9,
    )
    labels = np.array([Tile.MINE, Tile.EXPLODED, 0], np.int8)
    marked = unknown_mines(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert marked.tolist() == [False, doubted, False]
