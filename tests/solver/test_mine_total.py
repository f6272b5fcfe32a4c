"""The mine total that is likely where no counter is read."""

from collections import Counter
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from solver.agents import make_agent
from solver.analysis import (
    MOST_TOTALS,
    USUAL_TOTALS,
    _prior,
    analyse,
    analyse_likely,
    likely_mine_total,
    mean_over_totals,
    mine_total_chances,
)
from solver.board import Board, Cell, Tile, count_neighbours
from solver.guesses import compare_guesses
from tests.solver.brute import layouts


@pytest.mark.parametrize("size", [*USUAL_TOTALS, (10, 9), (20, 30)])
def test_chances_of_all_totals_sum_to_one(size: tuple[int, int]) -> None:
    chances = dict(_prior(*size))
    assert sum(chances.values()) == pytest.approx(1, abs=1e-3)
    assert all(0 < total < size[0] * size[1] for total in chances)


@pytest.mark.parametrize("rows", [("1##", "###", "###"), ("11#", "###"), ("2##", "###", "1##")])
def test_the_estimate_is_that_of_counting_all_layouts(rows: tuple[str, ...]) -> None:
    board = Board.from_text("\n".join(rows))
    size = board.rows * board.cols
    fitting = Counter(int(mined.sum()) for mined in layouts(board) if not mined.all())
    chances = {
        total: prior * fitting[total] / comb(size, total)
        for total, prior in _prior(board.rows, board.cols)
    }
    chances = {total: chance / sum(chances.values()) for total, chance in chances.items()}
    found = mine_total_chances(board)
    assert sum(found.values()) == pytest.approx(1)
    assert {total: found.get(total, 0) for total in chances} == pytest.approx(chances, abs=1e-3)
    mean = sum(total * chance for total, chance in chances.items())
    assert abs(likely_mine_total(board) - mean) <= 0.5


def test_what_follows_from_the_likely_total_is_not_certain() -> None:
    """A corner behind three mines is safe only if the board has the usual ten mines."""
    mines = np.zeros((9, 9), np.bool_)
    mines[[0, 1, 1, 4, 4, 4, 6, 6, 6, 8], [1, 0, 1, 2, 5, 8, 2, 5, 8, 5]] = True
    covered = mines.copy()
    covered[0, 0] = True
    tiles = np.where(covered, np.int8(Tile.HIDDEN), count_neighbours(mines)).astype(np.int8)
    board = Board(tiles)
    deep = make_agent("deep")
    assert not deep.decide(board).certain
    assert deep.decide(board.with_mines(10)).certain
    assert [move.cell for move in deep.decide(board).moves] == [Cell(0, 0)]


@pytest.mark.parametrize("rows", ["1##", "12#\n###\n###"])
def test_the_decision_and_the_candidates_agree_on_survival(rows: str) -> None:
    """It is the mean over the totals, so below that of a total at which the cell is safe."""
    board = Board.from_text(rows)
    decision = make_agent("deep").decide(board)
    (move,) = decision.moves
    compared = {one.cell: one for one in compare_guesses(board, count=9)}
    assert compared[move.cell].survival == pytest.approx(decision.survival)
    assert 0.5 < decision.survival < 0.999
    for one in compared.values():
        assert sum(one.numbers) == pytest.approx(one.survival)


def test_the_reported_risk_is_that_of_the_move() -> None:
    board = Board.from_text("001######\n112######\n##2######" + 6 * "\n#########")
    decision, known = make_agent("deep").decide(board), analyse_likely(board)
    assert known.probabilities[decision.moves[0].cell] == pytest.approx(1 - decision.survival)
    assert 0.05 < known.probabilities[8, 8] < 0.25
    assert not known.exact
    assert analyse_likely(board.with_mines(10)).exact


def test_a_total_that_no_usual_board_has_is_found() -> None:
    """Of 60 mines on 7x9 cells all but one are shown."""
    shown = "*********\n***8*****\n*****#***\n**#******\n*********\n*********\n*****X***"
    chances = mine_total_chances(Board.from_text(shown))
    assert min(chances) >= 60
    assert sum(chances.values()) == pytest.approx(1)


def test_candidates_exclude_certain_mines_and_are_limited() -> None:
    board = Board.from_text("001###\n013###\n01####\n123###\n##11##")
    mines = set(analyse(board).mines)
    cells = [one.cell for one in compare_guesses(board, count=24)]
    assert cells
    assert not mines & set(cells)
    last = cells[-1]
    compared = compare_guesses(board, count=3, also=[last])
    assert [one.cell for one in compared] == [*cells[:2], last]


def test_of_thousands_of_likely_totals_neighbours_are_taken_together() -> None:
    tiles = np.full((100, 100), Tile.HIDDEN, np.int8)
    tiles[50, 50] = 1
    board = Board(tiles)
    chances = mine_total_chances(board)
    assert len(chances) > 4_000
    asked: list[int | None] = []

    def risk(one: Board) -> NDArray[np.float64]:
        asked.append(one.mines)
        return analyse(one).probabilities[:1, :1]

    each = sum(
        chance * float(analyse(board.with_mines(total)).probabilities[0, 0])
        for total, chance in list(chances.items())
    )
    assert mean_over_totals(board, chances, risk)[0, 0] == pytest.approx(each, rel=1e-3)
    assert len(asked) <= MOST_TOTALS
