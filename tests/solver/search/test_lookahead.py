"""The judge: what describes a guess is what may follow it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from solver.analysis import analyse, field_of, number_chances
from solver.board import Board, Cell
from solver.search.game_state import GameState, begin_state, study_state
from solver.search.limit import Limit
from solver.search.lookahead import (
    NEXT,
    NEXT_TOLERANCE,
    RARE,
    candidates,
    describe_guess,
    describe_guesses,
    describe_next,
    values_of_guesses,
)
from solver.search.value_net import (
    BY_NET,
    EDGES,
    FEATURES,
    FOLLOWING,
    JUDGED,
    SAFE,
    SURVIVES_NEXT,
    estimate,
    features,
    load_net,
)

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
    squares = sum(
        expected[number] * after_features(state, place, number) ** 2 for number in range(9)
    )
    np.testing.assert_allclose(described[FEATURES : 2 * FEATURES], squares, rtol=1e-9)
    assert described[SURVIVES_NEXT] == pytest.approx(after)
    assert described[BY_NET] == pytest.approx(safe * (chances @ values) / standing)
    assert described[SAFE] == pytest.approx(safe)
    assert described[EDGES] == edges


def after_features(state: GameState, place: int, number: int) -> NDArray[np.float64]:
    """Return the features of the position after a number is shown; zeros where it cannot be."""
    tried, into = begin_state(state.field, BOARD.cols, 6), np.zeros(FEATURES)
    tried.field[place] = number
    shown = begin_state(tried.field, BOARD.cols, 6)
    counted = study_state(shown)
    if counted.fits:
        features(shown, counted, into)
    return into


def test_the_guess_after_a_guess_is_described_by_the_best_of_its_candidates() -> None:
    state, net = begin_state(field_of(BOARD), BOARD.cols, 6), load_net()
    place = (1 + 1) * 7 + 3
    before = state.field.copy(), state.need.copy(), state.around.copy(), state.counts.copy()
    _, chances, values = describe_guesses(
        state, study_state(state), net, np.array([place]), np.ones(1), 1.0
    )
    found = describe_next(state, net, place, chances[0], values[0])
    now = state.field, state.need, state.around, state.counts
    assert all((old == new).all() for old, new in zip(before, now, strict=True))
    expected = np.zeros(3)
    for number in np.flatnonzero(chances[0]):
        tiles = BOARD.tiles.copy()
        tiles[1, 2] = number
        board, value = Board(tiles, BOARD.mines), values[0, number]
        best = value, value, 1.0
        if chances[0, number] >= RARE and value < 1.0 and not analyse(board).safe:
            after = begin_state(field_of(board), board.cols, 6)
            counted = study_state(after)
            cells, risks = candidates(after, counted, net, NEXT_TOLERANCE, NEXT)
            described = describe_guesses(after, counted, net, cells, 1.0 - risks, value)[0]
            judged = np.minimum(value * described @ net.judge, 1.0 - risks)
            by_net, survives = value * described[:, BY_NET], described[:, SURVIVES_NEXT]
            best = judged.max(), by_net.max(), survives.max()
        expected += chances[0, number] * np.array(best)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert found[2] < 1.0  # at least one number leaves a guess


def test_a_judged_guess_is_worth_no_more_than_it_is_safe_and_a_dead_one_nothing() -> None:
    state, net = begin_state(field_of(BOARD), BOARD.cols, 6), load_net()
    risks = np.array([0.2, 0.9])
    places = np.array([(1 + 1) * 7 + 3, 8])
    eager = net._replace(last_judge=np.full(JUDGED + FOLLOWING, 100.0))
    worth = values_of_guesses(state, study_state(state), eager, places, risks, Limit())
    assert worth.tolist() == [0.8, 0.0]  # the second cannot beat the first, so it is skipped
    dead = Board.from_text("1#\n##", 1)
    closed = begin_state(field_of(dead), 2, 1)
    assert values_of_guesses(
        closed, study_state(closed), eager, np.array([6]), np.array([1 / 3]), Limit()
    ).tolist() == [0.0]


def test_only_finalists_are_looked_at_twice() -> None:
    state, net = begin_state(field_of(BOARD), BOARD.cols, 6), load_net()
    counted = study_state(state)
    cells, risks = candidates(state, counted, net, 1.0, 25)
    once = values_of_guesses(state, counted, net, cells, risks, Limit(finalists=0))
    last_judge = np.zeros(JUDGED + FOLLOWING)
    last_judge[BY_NET] = 0.01  # so low that no finalist rules out another
    low = net._replace(last_judge=last_judge)
    twice = values_of_guesses(state, counted, low, cells, risks, Limit(finalists=3))
    assert set(np.flatnonzero(twice)) == set(np.argsort(-once, kind="stable")[:3])
