"""The checks after a decoding, on clusters made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from calibration.classify.checks import (
    ClickedCells,
    LastClicks,
    as_before,
    digits_misread,
    flags_or_mines,
    only_opened,
    symbols_of_the_end,
    symbols_read_as_hidden,
)
from calibration.classify.clusters import cluster_tiles
from calibration.classify.cues import likeness_to_fresh
from calibration.classify.decode import MARGIN, Decoding
from calibration.classify.tile_network import CLASSES
from calibration.labels import COLUMN_OF, LABELS
from calibration.rules import UNREAD
from calibration.tiles import cut
from solver.board import Cell, Tile
from tests.calibration.drawing import drawn, tiles


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
    marked = symbols_read_as_hidden(clusters, cast("Any", decoding), None)
    assert marked.tolist() == [doubted, False, False]


def chances(*rows: dict[int, float]) -> Decoding:
    """Return a decoding of clusters with these chances; the likeliest label is the best."""
    table = np.zeros((len(rows), len(LABELS)))
    for row, likely in zip(table, rows, strict=True):
        for tile, chance in likely.items():
            row[COLUMN_OF[tile]] = chance
    none = np.zeros(len(rows), np.bool_)
    return Decoding(LABELS[table.argmax(axis=1)], table, 0.0, none, none)


SURE, EITHER = {int(Tile.EXPLODED): 0.9, int(Tile.MINE): 0.1}, {-2: 0.4, -4: 0.3, -6: 0.3}


@pytest.mark.parametrize(
    ("shown", "reported"),
    [
        ([{-4: 0.5, -5: 0.3, -6: 0.2}], [Tile.MINE]),  # a mine, of whatever kind
        ([{-5: 0.9, -4: 0.1}], [Tile.EXPLODED]),  # clear as it is
        ([SURE, EITHER], [Tile.EXPLODED, Tile.MINE]),  # the game is over, whatever the other is
        ([{-2: 0.5, -4: 0.5}], None),  # the status hangs on it
        ([SURE, {-1: 0.5, -4: 0.5}], None),  # a hidden tile is not a mark
    ],
)
def test_only_the_kind_of_a_mark_may_be_in_doubt_on_a_finished_board(
    shown: list[dict[int, float]], reported: list[Tile] | None
) -> None:
    clusters: Any = SimpleNamespace(sizes=np.ones(len(shown), np.intp))
    found = symbols_of_the_end(clusters, chances(*shown))
    assert (found.certainty >= MARGIN).all() == (reported is not None)
    if reported is not None:
        assert found.labels.tolist() == reported


@pytest.mark.parametrize(
    ("other", "sizes", "doubted"),
    [({0: 1.0}, [4, 9], True), ({-4: 1.0}, [4, 1], False), ({0: 1.0}, [1, 9], True)],
    ids=["on which the status hangs", "beside a mine", "the only one"],
)
def test_a_flag_that_the_network_takes_for_a_mine_is_in_doubt(
    other: dict[int, float], sizes: list[int], doubted: bool
) -> None:
    scores = np.full((2, len(CLASSES)), np.log(0.01), np.float32)
    scores[0, CLASSES.index("exploded")] = np.log(0.9)
    clusters: Any = SimpleNamespace(
        sizes=np.array(sizes),
        given=np.full(2, UNREAD, np.int8),
        seen_as=lambda name: scores[:, CLASSES.index(name)],
    )
    found = flags_or_mines(clusters, chances({-2: 1.0}, other), np.ones((1, 5), np.float32))
    assert found.tolist() == [doubted, False]


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


@pytest.mark.parametrize(
    ("label", "expected"), [(0, [False, True]), (Tile.WRONG_FLAG, [True, True])]
)
def test_a_digit_that_is_read_otherwise_is_doubted(label: int, expected: list[bool]) -> None:
    """In a corner a small 0 looks a little like each digit: together more than like a 0.

    Blurred digits of a won board were taken for wrong flags.
    """
    chances = np.full((2, len(CLASSES)), 0.01)
    for row, seen in enumerate(({"zero": 0.27, "6": 0.2, "5": 0.2, "8": 0.2}, {"6": 0.5})):
        for name, chance in seen.items():
            chances[row, CLASSES.index(name)] = chance
    scores = np.log(chances)
    clusters = SimpleNamespace(
        given=np.full(2, UNREAD),
        sizes=np.array([19, 3]),
        network_scores=scores,
        seen_as=lambda name: scores[:, CLASSES.index(name)],
        digit_chance=np.exp(scores[:, 1:9]).sum(axis=1),
    )
    decoding = SimpleNamespace(labels=np.full(2, label, np.int8))
    doubted = digits_misread(cast("Any", clusters), cast("Any", decoding), None)
    assert doubted.tolist() == expected
