"""Which of two readings in an unknown theme counts, or neither."""

from __future__ import annotations

from itertools import cycle, islice, product

import numpy as np
import pytest

from calibration.classify.decode import MARGIN
from calibration.classify.recognise import Agreed, agreed
from calibration.labels import LABELS, columns_of
from calibration.read.board import NetworkReading
from calibration.rules import Tiles
from calibration.tiles import MOST_COLOURS
from solver.board import Board, Tile

PLAYED = "#100\n#210\n##20\n##20"
"""Zeros, five numbers, and hidden cells; all agree."""


def tiles(text: str) -> Tiles:
    return Board.from_text(text).tiles


def by_cues(text: str, confidence: float = 1.0) -> Agreed:
    """Return a reading of the cues, grey on which only numbers and marks are drawn."""
    board = tiles(text)
    even = (board == 0) | (board == Tile.HIDDEN)
    ground = np.full((*board.shape, 3), 200.0, np.float32)
    ground[board == Tile.HIDDEN] = 120
    sure = np.full(board.shape, confidence)
    return Agreed(board, sure, board, np.zeros(board.shape, np.bool_), even, ground)


def by_network(text: str, confidence: float = 0.99, *, possible: bool = True) -> NetworkReading:
    board = tiles(text)
    chances = np.full((*board.shape, len(LABELS)), (1 - confidence) / (len(LABELS) - 1))
    columns = columns_of(board)[..., None].astype(np.intp)
    np.put_along_axis(chances, columns, confidence, 2)
    none = np.zeros(board.shape, np.bool_)
    return NetworkReading(
        board, np.full(board.shape, confidence), board, none, is_possible=possible, chances=chances
    )


def in_doubt(reading: Agreed, *cells: tuple[int, int]) -> Agreed:
    confidence = reading.confidence.copy()
    for cell in cells:
        confidence[cell] = 0.3
    return reading._replace(confidence=confidence)


def test_the_network_counts_where_the_cues_are_in_doubt() -> None:
    found = agreed(in_doubt(by_cues(PLAYED), (3, 2)), by_network(PLAYED))
    assert found.by_network
    assert np.array_equal(found.tiles, tiles(PLAYED))
    assert (found.confidence >= MARGIN).all()


def test_a_tile_that_the_network_alone_reads_must_be_nearly_certain() -> None:
    other = by_network(PLAYED)
    other.confidence[0, :2] = 0.9, 0.8
    found = agreed(in_doubt(by_cues(PLAYED), (3, 2)), other)
    assert found.by_network
    assert np.argwhere(found.confidence < MARGIN).tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "other",
    [
        by_network(PLAYED, 0.5),
        by_network(PLAYED, possible=False),
        by_network("####\n####\n###1\n0021"),
    ],
    ids=["not sure", "impossible", "too few numbers"],
)
def test_it_does_not_count_unless_it_is_sure_and_numbers_confirm_it(other: NetworkReading) -> None:
    one = in_doubt(by_cues(PLAYED), (3, 2))
    found = agreed(one, other)
    assert not found.by_network
    assert found.confidence[3, 2] < MARGIN


def test_a_tile_that_both_read_differently_is_in_doubt() -> None:
    found = agreed(by_cues(PLAYED), by_network(PLAYED.replace("#210", "F210")))
    assert [tuple(cell) for cell in np.argwhere(found.confidence < MARGIN)] == [(1, 0)]
    assert found.rivals[1, 0] == Tile.FLAG


@pytest.mark.parametrize(
    ("cell", "confidence", "chance", "doubted"),
    [
        ((1, 0), 0.3, 0.1, True),
        ((1, 0), 0.3, 0.5, False),
        ((1, 0), 0.4, 0.1, False),
        ((0, 3), 0.3, 0.01, False),
    ],
    ids=["a pointer may lie on it", "as likely as not", "no other label either", "an odd zero"],
)
def test_a_covered_tile_that_the_network_cannot_read_is_in_doubt(
    cell: tuple[int, int], confidence: float, chance: float, doubted: bool
) -> None:
    other = by_network(PLAYED)
    other.confidence[cell] = confidence
    other.chances[cell] = chance
    found = agreed(by_cues(PLAYED), other)
    assert (found.confidence[cell] < MARGIN) == doubted


def test_both_readings_alike_change_nothing() -> None:
    one = by_cues(PLAYED)
    assert agreed(one, by_network(PLAYED)) is one


def test_what_clicks_have_shown_is_not_doubted() -> None:
    one, settled = by_cues(PLAYED), np.zeros((4, 4), np.bool_)
    settled[1, 0] = True
    other = by_network(PLAYED.replace("#210", "F210"))
    assert agreed(one, other, settled) is one
    one = in_doubt(one, (3, 2))
    assert agreed(one, other, settled) is one
    assert agreed(one, by_network(PLAYED), settled).by_network


def test_a_colour_alone_is_not_a_mark() -> None:
    """A plain window may lie there."""
    one = in_doubt(by_cues(PLAYED), (1, 0))
    assert not agreed(one, by_network(PLAYED.replace("#210", "F210"))).by_network


def test_plain_tiles_in_doubt_beside_hidden_ones_are_not_hidden() -> None:
    """Something plain may lie over them."""
    one = in_doubt(by_cues(PLAYED), (3, 0))
    assert not agreed(one, by_network(PLAYED)).by_network


def test_hidden_tiles_on_the_ground_of_digits_may_be_zeros() -> None:
    board = "#1##\n#2##\n#2##\n#1##"
    one = in_doubt(by_cues(board), (0, 1))
    assert agreed(one, by_network(board)).by_network
    alike = one.ground.copy()
    alike[3, 3] = 200  # one of them is enough
    assert not agreed(one._replace(ground=alike), by_network(board)).by_network


def test_among_many_colours_that_of_a_flag_is_not_known() -> None:
    """A page draws its tiles in all colours of the rainbow, and flags in red."""
    board = "###100\n###210\n####20\n####20"
    hidden = tiles(board) < 0
    one = by_cues(board)
    one = one._replace(confidence=np.where(hidden, 0.3, 1.0))
    assert agreed(one, by_network(board)).by_network
    colours = [*islice(product((0, 128, 255), repeat=3), MOST_COLOURS + 1)]
    for count in (MOST_COLOURS, MOST_COLOURS + 1):
        rainbow = one.ground.copy()
        rainbow[hidden] = [*islice(cycle(colours[:count]), int(hidden.sum()))]
        found = agreed(one._replace(ground=rainbow), by_network(board))
        assert found.by_network == (count == MOST_COLOURS)


def test_which_mark_a_finished_board_shows_is_not_doubted() -> None:
    lost = "#100\nX210\n#*20\n##20"
    one = by_cues(lost)
    assert agreed(one, by_network(lost.replace("*", "F"))) is one
    found = agreed(one, by_network(lost.replace("2", "*", 1)))
    assert np.argwhere(found.confidence < MARGIN).tolist() == [[1, 1]], "a number is no mark"


def test_covered_cells_that_are_all_mines_end_the_game_whatever_they_show() -> None:
    board = "#200\n#300\n#200\n1100"
    one = by_cues(board)
    assert agreed(one, by_network(board.replace("#", "F"))) is one


@pytest.mark.parametrize(("confidence", "doubted"), [(0.8, False), (0.9, True)])
def test_an_unsure_network_leaves_a_fresh_board_hidden(confidence: float, doubted: bool) -> None:
    """A fresh page had the colours of a rainbow: some resembled flags, others open tiles."""
    other = by_network("F0##\n####\n####\n####", confidence)
    found = agreed(by_cues("####\n" * 4), other)
    assert bool((found.confidence < MARGIN).any()) is doubted
