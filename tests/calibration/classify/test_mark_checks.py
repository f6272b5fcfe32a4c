"""The checks of marks after a decoding, on clusters made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from calibration.classify.checks.hidden import marks_read_as_hidden
from calibration.classify.checks.marks import flags_or_mines, marks_of_the_end
from calibration.classify.decoding.decoding import MARGIN, Decoding
from calibration.classify.tile_network.network import CLASSES
from calibration.labels import COLUMN_OF, LABELS
from calibration.rules import UNREAD
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
    found = marks_of_the_end(clusters, chances(*shown))
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
