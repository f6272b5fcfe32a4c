"""The cell net: what it sees of a cell, counted slowly, and what its ratings follow."""

import random
from math import prod, sqrt

import numpy as np
import pytest

from solver.analysis import analyse
from solver.board import Board, Cell, Tile
from solver.search.cell_net import (
    AROUND,
    REACH,
    SEEN,
    best_at_sight,
    cells_to_rate,
    describe_cell,
    describe_position,
    edges_at,
    load_cell_net,
    rate_cells,
    survey,
)
from solver.search.game_state import study_state
from solver.search.whole_games import mark_mine
from tests.solver.states import state_of


def half_open(rng: random.Random) -> Board:
    """Draw a board on which some cells without a mine are open, and show their numbers."""
    rows, cols = rng.choice([(1, 8), (4, 5), (5, 6), (6, 6)])
    mined = np.array([rng.random() < 0.25 for _ in range(rows * cols)]).reshape(rows, cols)
    blank = Board(np.full((rows, cols), Tile.HIDDEN))
    tiles = np.full((rows, cols), Tile.HIDDEN, np.int8)
    for cell in blank.cells():
        if not mined[cell] and rng.random() < 0.3:
            tiles[cell] = sum(mined[near] for near in blank.neighbours(cell))
    return Board(tiles, int(mined.sum()))


def place_of(cell: Cell, board: Board) -> int:
    return (cell.row + 1) * (board.cols + 2) + cell.col + 1


def seen_slowly(board: Board, cell: Cell) -> list[float]:
    """Return the numbers that describe a hidden cell, each counted by its definition."""
    risks = analyse(board).probabilities
    least = float(np.nanmin(risks))

    def numbers_at(place: Cell) -> frozenset[Cell]:
        return frozenset(near for near in board.neighbours(place) if board.open[near])

    def unknown(place: Cell) -> list[Cell]:
        near = board.neighbours(place)
        return [other for other in near if board.covered[other] and risks[other] < 1.0]

    hidden = unknown(cell)
    risk = [float(risks[near]) for near in hidden]
    doubtful = [one for one in risk if one > 0.0]
    numbers = [near for near in numbers_at(cell) if board[near] > 0]
    slack = [
        sum(board.covered[near] for near in board.neighbours(number)) - board[number]
        for number in numbers
    ]
    pairs = [len(unknown(number)) == 2 for number in numbers]
    mines = [near for near in board.neighbours(cell) if board.covered[near] and risks[near] == 1.0]
    within = [
        other
        for other in board.cells()
        if board.open[other]
        and board[other] > 0
        and max(abs(other.row - cell.row), abs(other.col - cell.col)) <= 2
    ]
    free = not numbers_at(cell)
    frontier = [near for near in hidden if numbers_at(near)]
    alike = [
        other
        for other in board.cells()
        if board.covered[other] and numbers_at(other) == numbers_at(cell)
    ]
    sides = (cell.row == 0, cell.row == board.rows - 1, cell.col == 0, cell.col == board.cols - 1)
    edges = min(2, sum(sides))
    none = 0.0 if mines else prod(1.0 - one for one in risk)
    return [
        none,
        sqrt(none),
        prod(risk) if risk else 0.0,
        sum(one * (1.0 - one) for one in risk),
        min(doubtful, default=1.0),
        max(doubtful, default=0.0),
        sum(one < least + 0.05 for one in doubtful) / 4,
        len(hidden) / 8,
        len(frontier) / 8,
        len(doubtful) / 8,
        len(doubtful) == 0,
        len(doubtful) == 1,
        len(doubtful) == 2,
        free,
        free and bool(frontier),
        not free and len(hidden) > len(frontier),
        0.0 if free else len(alike) / 4,
        len(numbers) / 4,
        (len(within) - len(numbers)) / 8,
        slack.count(1) / 2,
        1 in slack,
        sum(pairs) / 2,
        edges / 2,
        edges == 2,
        10 * (float(risks[cell]) - least),
    ]


@pytest.mark.parametrize("seed", range(40))
def test_a_cell_is_described_by_what_lies_around_it(seed: int) -> None:
    board = half_open(random.Random(seed))
    state = state_of(board)
    counted, seen = study_state(state), np.full(SEEN, np.nan)
    position = survey(state, counted)
    for cell in board.cells():
        if board.covered[cell]:
            place = place_of(cell, board)
            describe_cell(state, counted, position, place, seen)
            expected = seen_slowly(board, cell)
            np.testing.assert_allclose(seen[:AROUND], expected, atol=1e-9, err_msg=f"{cell}")


def test_a_certain_mine_counts_as_marked_whether_it_is_or_not() -> None:
    board = Board.from_text("#2##\n##2#\n#1##\n####", 5)
    known = analyse(board)
    assert known.mines
    plain, marked, described = state_of(board), state_of(board), list[list[float]]()
    for cell in known.mines:
        mark_mine(marked, place_of(cell, board))
    for state in (plain, marked):
        counted, seen = study_state(state), np.zeros(SEEN)
        position, numbers = survey(state, counted), list[float]()
        describe_position(state, counted, position, seen)
        numbers += seen[AROUND:].tolist()
        for cell in board.cells():
            if board.covered[cell] and cell not in known.mines:
                describe_cell(state, counted, position, place_of(cell, board), seen)
                numbers += seen[:AROUND].tolist()
        described.append(numbers)
    np.testing.assert_allclose(described[0], described[1], atol=1e-9)


def test_a_position_is_described_by_its_counts() -> None:
    board = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    state, seen = state_of(board), np.zeros(SEEN)
    counted, known = study_state(state), analyse(board)
    describe_position(state, counted, survey(state, counted), seen)
    far, least = float(known.probabilities[3, 4]), float(np.nanmin(known.probabilities))
    expected = [8 / 240, counted.log_layouts / 100, 4 * least, 4 * far, 4 * 5 / 18]
    np.testing.assert_allclose(seen[AROUND:], expected, rtol=1e-9)


def test_of_cells_far_from_every_number_one_of_each_kind_is_rated() -> None:
    board = Board.from_text("\n".join(["1#######", *["########"] * 6]), 12)
    state = state_of(board)
    counted = study_state(state)
    seen = survey(state, counted)
    cells = cells_to_rate(state, counted, seen, 1.0)
    far = [cell for cell in cells if seen.close[cell] == 0]
    assert sorted(edges_at(state, cell) for cell in far) == [0, 1, 2]
    beside = [(row, col) for row in range(3) for col in range(3) if (row, col) != (0, 0)]
    near = {place_of(Cell(*place), board) for place in beside}
    assert set(cells) == near | set(far)


def test_no_cell_is_taken_that_is_much_riskier_than_the_safest() -> None:
    board = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    state = state_of(board)
    counted, risks = study_state(state), analyse(board).probabilities
    seen = survey(state, counted)
    cells = cells_to_rate(state, counted, seen, REACH)
    expected = [
        place_of(cell, board)
        for cell in board.cells()
        if board.covered[cell] and risks[cell] <= np.nanmin(risks) + REACH
    ]
    assert cells.tolist() == [cell for cell in expected if seen.close[cell] > 0]
    assert best_at_sight(load_cell_net(), state, counted) in expected


def test_a_certain_mine_is_no_guess_unless_nothing_else_is_left() -> None:
    for text, mines, guesses in (
        ("2#2\n###\n###", 6, [Cell(0, 1), Cell(1, 1)]),
        ("1#\n11", 1, [Cell(0, 1)]),
    ):
        board = Board.from_text(text, mines)
        state = state_of(board)
        counted = study_state(state)
        cells = cells_to_rate(state, counted, survey(state, counted), 1.0)
        assert cells.tolist() == [place_of(cell, board) for cell in guesses], text


def test_ratings_turn_with_the_board() -> None:
    board = half_open(random.Random(5))
    turned = Board(np.ascontiguousarray(np.rot90(board.tiles)), board.mines)
    net, rated = load_cell_net(), list[dict[Cell, float]]()
    for one in (board, turned):
        state = state_of(one)
        counted, covered = study_state(state), [c for c in one.cells() if one.covered[c]]
        places = np.array([place_of(cell, one) for cell in covered])
        ratings = rate_cells(net, state, counted, survey(state, counted), places)
        rated.append(dict(zip(covered, ratings.tolist(), strict=True)))
    for cell, rating in rated[0].items():
        assert rated[1][Cell(board.cols - 1 - cell.col, cell.row)] == pytest.approx(rating)
