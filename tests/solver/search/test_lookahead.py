"""The judge: what describes a guess is what may follow it."""

import numpy as np
import pytest

from solver.analysis import analyse, field_of, number_chances
from solver.board import Board, Cell
from solver.search.game_state import begin_state, study_state
from solver.search.lookahead import describe_guess, values_of_guesses
from solver.search.value_net import FEATURES, JUDGED, estimate, load_net

SURVIVES_NEXT, NET, SAFE, EDGES = range(FEATURES, FEATURES + 4)

BOARD = Board.from_text("#####\n#1###\n#3###\n#####\n#####", 6)


def survives_next(board: Board) -> float:
    """Return the chance to survive the safest next move; 1.0 on a board that is won."""
    known = analyse(board)
    if known.safe or board.covered.sum() == board.mines:
        return 1.0
    return 1.0 - float(np.nanmin(known.probabilities))


@pytest.mark.parametrize(
    ("cell", "edges"), [(Cell(0, 0), 2), (Cell(0, 2), 1), (Cell(1, 2), 0), (Cell(4, 4), 2)]
)
def test_a_guess_is_described_by_what_may_follow(cell: Cell, edges: int) -> None:
    assert BOARD.mines is not None
    state, net = begin_state(field_of(BOARD), BOARD.cols, BOARD.mines), load_net()
    counted, described = study_state(state), np.empty(JUDGED)
    safe, standing = 1 - float(analyse(BOARD).probabilities[cell]), estimate(net, state, counted)
    chances, values = np.empty(9), np.empty(9)
    place = (cell.row + 1) * (BOARD.cols + 2) + cell.col + 1
    describe_guess(state, net, place, safe, standing, described, chances, values)
    expected = number_chances(BOARD, cell)
    np.testing.assert_allclose(safe * chances, expected, atol=1e-12)
    after = 0.0
    for number, chance in enumerate(expected):
        if chance > 0:
            tiles = BOARD.tiles.copy()
            tiles[cell] = number
            after += chance * survives_next(Board(tiles, BOARD.mines))
    assert described[SURVIVES_NEXT] == pytest.approx(after)
    assert described[NET] == pytest.approx(safe * (chances @ values) / standing)
    assert described[SAFE] == pytest.approx(safe)
    assert described[EDGES] == edges


def test_a_judged_guess_is_worth_no_more_than_it_is_safe_and_a_dead_one_nothing() -> None:
    state, net = begin_state(field_of(BOARD), BOARD.cols, 6), load_net()
    risks = np.array([0.2, 0.9])
    places = np.array([(1 + 1) * 7 + 3, 8])
    eager = net._replace(judge=np.full(JUDGED, 100.0))
    worth = values_of_guesses(state, study_state(state), eager, places, risks)
    assert worth.tolist() == [0.8, 0.0]  # the second cannot beat the first, so it is skipped
    dead = Board.from_text("1#\n##", 1)
    closed = begin_state(field_of(dead), 2, 1)
    assert values_of_guesses(
        closed, study_state(closed), eager, np.array([6]), np.array([1 / 3])
    ).tolist() == [0.0]
