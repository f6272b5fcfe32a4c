"""Which of two readings of an unknown look counts, or neither."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice, product

import numpy as np
import pytest

from calibration.classify.decode import MARGIN
from calibration.classify.recognise import Agreed, agreed
from calibration.labels import COLUMN_OF, LABELS, columns_of
from calibration.read.board import NetworkReading
from calibration.rules import Tiles
from calibration.tiles import MOST_COLOURS, SAME_COLOUR
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


DOUBTFUL = in_doubt(by_cues(PLAYED), (3, 2))


@pytest.mark.parametrize(
    ("one", "other", "counts"),
    [
        (DOUBTFUL, by_network(PLAYED, MARGIN), True),
        (DOUBTFUL, by_network(PLAYED, MARGIN - 0.01), False),
        (DOUBTFUL, by_network(PLAYED, possible=False), False),
        (DOUBTFUL, by_network("####\n####\n###1\n0021"), False),  # three numbers
        (DOUBTFUL, by_network("####\n####\n##11\n0021"), True),
        # The cues are sure of what they read, or not.
        (by_cues(PLAYED, MARGIN), by_network(PLAYED.replace("2", "3")), False),
        (by_cues(PLAYED, MARGIN - 0.01), by_network(PLAYED), True),
        (by_cues(PLAYED.replace("#210", "~210")), by_network(PLAYED), True),
        (by_cues(PLAYED.replace("#210", "#280")), by_network(PLAYED), True),
    ],
)  # fmt: skip
def test_the_network_counts_only_if_it_alone_is_sure(
    one: Agreed, other: NetworkReading, counts: bool
) -> None:
    assert agreed(one, other).by_network is counts


def test_what_the_network_alone_reads_is_its_reading_throughout() -> None:
    board = tiles(PLAYED)
    open_ground = np.arange(16).reshape(4, 4) % 3 == 0
    other = replace(by_network(PLAYED), rivals=board[::-1].copy(), open_ground=open_ground)
    other.confidence[0, :2] = 0.9, 0.89
    found = agreed(DOUBTFUL, other)
    assert found.by_network
    assert np.array_equal(found.tiles, other.tiles)
    assert np.array_equal(found.rivals, other.rivals)
    assert np.array_equal(found.open_ground, other.open_ground)
    assert found.confidence.tolist() == [[0.9, 0.0, 0.99, 0.99], *[[0.99] * 4] * 3]


def test_zeros_beyond_doubt_beside_hidden_tiles_contradict_nothing() -> None:
    board = PLAYED.replace("210", "010")
    one = by_cues(board)
    assert agreed(one, by_network(PLAYED)).by_network
    beyond = one._replace(open_ground=one.tiles == 0)
    assert not agreed(beyond, by_network(PLAYED)).by_network


@pytest.mark.parametrize(("chance", "doubted"), [(0.019, True), (0.02, False)])
def test_a_tile_that_both_read_differently_is_in_doubt(chance: float, doubted: bool) -> None:
    one, other = by_cues(PLAYED), by_network(PLAYED.replace("#210", "F210"))
    other.chances[1, 0, COLUMN_OF[Tile.HIDDEN]] = chance
    found = agreed(one, other)
    assert not found.by_network
    assert np.array_equal(found.tiles, one.tiles)
    if not doubted:
        assert found is one
        return
    assert np.argwhere(found.confidence != one.confidence).tolist() == [[1, 0]]
    assert np.argwhere(found.rivals != one.rivals).tolist() == [[1, 0]]
    assert (found.confidence[1, 0], found.rivals[1, 0]) == (0, Tile.FLAG)


@pytest.mark.parametrize(
    ("cell", "confidence", "chance", "doubted"),
    [
        ((1, 0), 0.39, 0.49, True),
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
    settled[3, 2] = True
    one = one._replace(tiles=np.where(settled, np.int8(3), one.tiles))  # of which none was sure
    settled[1, 0] = False
    assert agreed(one, by_network(PLAYED), settled).by_network


def test_a_colour_alone_is_not_a_mark() -> None:
    """A plain window may lie there."""
    one = in_doubt(by_cues(PLAYED), (1, 0))
    assert not agreed(one, by_network(PLAYED.replace("#210", "F210"))).by_network


def test_plain_tiles_in_doubt_beside_hidden_ones_are_not_hidden() -> None:
    """Something plain may lie over them."""
    one = in_doubt(by_cues(PLAYED, MARGIN), (3, 0))
    assert not agreed(one, by_network(PLAYED)).by_network


def test_hidden_tiles_on_the_ground_of_digits_may_be_zeros() -> None:
    board = "#1##\n#2##\n#2##\n#1##"
    one = in_doubt(by_cues(board), (0, 1))
    assert agreed(one, by_network(board)).by_network
    for off in (SAME_COLOUR, SAME_COLOUR + 1):
        alike = one.ground.copy()
        alike[3, 3] = 200 - off  # one of them is enough
        found = agreed(one._replace(ground=alike), by_network(board))
        assert found.by_network == (off > SAME_COLOUR)


def test_where_zeros_were_seen_the_ground_of_hidden_tiles_may_be_that_of_digits() -> None:
    alike = DOUBTFUL._replace(ground=np.full_like(DOUBTFUL.ground, 200))
    assert agreed(alike, by_network(PLAYED)).by_network


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
    assert np.argwhere(found.confidence < MARGIN).tolist() == [[1, 1]], "a number is not a mark"
    found = agreed(one, by_network(lost.replace("#100", "*100")))
    assert np.argwhere(found.confidence < MARGIN).tolist() == [[0, 0]], "nor is a hidden tile"


@pytest.mark.parametrize(
    ("board", "seen", "doubted"),
    [
        ("#200\n#300\n#200\n1100", "F200\nF300\nF200\n1100", []),
        ("#200\n#300\n#200\n1100", "F200\n#400\nF200\n1100", [(1, 1)]),  # a number
        ("#200\n#300\n#200\n1100", "F200\n0300\nF200\n1100", [(0, 0), (1, 0), (2, 0)]),
        ("##00\n#300\n#200\n1100", "F#00\nF300\n#200\n1100", [(0, 0), (1, 0)]),  # a free one
        ("0#10\n0110", "0F10\n0110", [(0, 1)]),  # a zero does not fit
    ],
)
def test_covered_cells_that_are_all_mines_end_the_game_whatever_they_show(
    board: str, seen: str, doubted: list[tuple[int, int]]
) -> None:
    one = by_cues(board)
    found = agreed(one._replace(open_ground=one.tiles == 0), by_network(seen))
    assert [*map(tuple, np.argwhere(found.confidence < MARGIN).tolist())] == doubted


@pytest.mark.parametrize(
    ("confidence", "even", "doubted"), [(0.8, True, False), (0.9, True, True), (0.8, False, True)]
)
def test_an_unsure_network_leaves_a_fresh_board_hidden(
    confidence: float, even: bool, doubted: bool
) -> None:
    """A fresh page had the colours of a rainbow: some resembled flags, others open tiles."""
    one, other = by_cues("####\n" * 4), by_network("F0##\n####\n####\n####", confidence)
    found = agreed(one._replace(even=one.even & even), other)
    assert bool((found.confidence < MARGIN).any()) is doubted
    played = by_cues(PLAYED)  # not fresh, whatever is even
    other = by_network(PLAYED.replace("#210", "F210"), confidence)
    found = agreed(played._replace(even=np.ones_like(played.even)), other)
    assert found.confidence[1, 0] < MARGIN
