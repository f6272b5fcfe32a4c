"""Boards played at once do what the plain game does."""

import numpy as np
import pytest

from solver.board import Board, Cell, Tile, count_neighbours
from solver.game import Game, Rule
from solver.learning.boards import (
    HIT,
    LOST,
    PLAYING,
    Boards,
    deal,
    exact_risks,
    make_boards,
    open_cells,
    survive,
)

ROWS, COLS, MINES = 6, 7, 8


def places(cells: list[tuple[int, int]]) -> np.ndarray:
    return np.array([(row + 1) * (COLS + 2) + col + 1 for row, col in cells])


def inside(values: np.ndarray, number: int) -> np.ndarray:
    return values[number].reshape(ROWS + 2, COLS + 2)[1:-1, 1:-1]


def opened(boards: Boards, cells: list[tuple[int, int]]) -> np.ndarray:
    counts = np.zeros(len(cells), np.int64)
    open_cells(boards, places(cells), counts)
    return counts


@pytest.mark.parametrize("rule", list(Rule))
def test_the_first_click_rule_spares_what_it_says(rule: Rule) -> None:
    boards = make_boards(300, ROWS, COLS, MINES, rule, seed=3)
    first = Cell(2, 3)
    counts = opened(boards, [first] * 300)
    hits = 0
    for number in range(300):
        mines = inside(boards.mined, number)
        assert mines.sum() == MINES
        hits += mines[first]
        assert (counts[number] == HIT) == mines[first]
        if rule is Rule.ZERO:
            assert count_neighbours(mines)[first] == 0
    expected = MINES / (ROWS * COLS) if rule is Rule.NONE else 0.0
    assert abs(hits / 300 - expected) < 0.08


def test_every_cell_is_mined_as_often_as_the_others() -> None:
    boards = make_boards(4000, ROWS, COLS, MINES, Rule.SAFE, seed=5)
    opened(boards, [(0, 0)] * 4000)
    share = np.mean([inside(boards.mined, number) for number in range(4000)], 0)
    assert share[0, 0] == 0
    assert np.abs(share.ravel()[1:] - MINES / (ROWS * COLS - 1)).max() < 0.035


def test_a_game_goes_as_the_plain_one() -> None:
    boards = make_boards(20, ROWS, COLS, MINES, Rule.SAFE, seed=7)
    opened(boards, [(1, 1)] * 20)
    games = []
    for number in range(20):
        blank = Board(np.full((ROWS, COLS), Tile.HIDDEN), MINES)
        games.append(Game.from_position(blank, inside(boards.mined, number).copy()))
        games[-1].open(Cell(1, 1))
    rng = np.random.default_rng(0)
    for _ in range(12):
        cells = [(int(rng.integers(ROWS)), int(rng.integers(COLS))) for _ in games]
        opened(boards, cells)
        for number, (game, cell) in enumerate(zip(games, cells, strict=True)):
            game.open(Cell(*cell))
            shown = np.where(game.board.open, game.board.tiles, -1)
            assert (inside(boards.field, number) == shown).all()
            status = {"playing": PLAYING, "lost": LOST}.get(game.status.value, 1)
            assert boards.status[number] == status


def opened_by_the_report(mines: np.ndarray, shown: np.ndarray, cell: tuple[int, int]) -> np.ndarray:
    """Return what is open after a safe move in the report's game: slow and plain."""
    numbers, now, waiting = count_neighbours(mines), shown.copy(), [cell]
    while waiting:
        row, col = waiting.pop()
        now[row, col] = True
        if numbers[row, col]:
            continue
        for near in np.ndindex(ROWS, COLS):
            beside = abs(near[0] - row) <= 1 and abs(near[1] - col) <= 1
            if beside and not now[near] and not mines[near] and numbers[near] == 0:
                waiting.append(near)
    return now


def test_in_the_reports_game_a_zero_opens_zeros_only() -> None:
    boards = make_boards(60, ROWS, COLS, MINES, Rule.SAFE, seed=4, report_game=True)
    safe = ROWS * COLS - MINES
    rng = np.random.default_rng(1)
    shown = np.array([inside(boards.field, number) >= 0 for number in range(60)])
    assert shown.any((1, 2)).mean() > 0.9
    for number in range(60):
        tiles = inside(boards.field, number)
        assert inside(boards.mined, number).sum() == MINES
        assert set(tiles[tiles >= 0].tolist()) <= {0}
        assert boards.left[number] == safe - shown[number].sum()
    hits = 0
    for _ in range(8):
        cells = [(int(rng.integers(ROWS)), int(rng.integers(COLS))) for _ in range(60)]
        playing = boards.status == PLAYING
        opened(boards, cells)
        for number in np.flatnonzero(playing):
            mines, cell = inside(boards.mined, number), cells[number]
            if mines[cell]:
                hits += 1
                assert boards.status[number] == LOST
                continue
            shown[number] = opened_by_the_report(mines, shown[number], cell)
            assert (inside(boards.field, number) >= 0).tolist() == shown[number].tolist()
    assert hits > 20
    before = boards.left.copy()
    deal(boards, boards.status == LOST)
    assert (boards.left[boards.status == PLAYING] >= 0).all()
    assert (boards.left != before).any()


def test_a_lost_game_goes_on_with_a_safe_cell() -> None:
    boards = make_boards(200, ROWS, COLS, 20, Rule.NONE, seed=1)
    counts = opened(boards, [(3, 3)] * 200)
    lost = boards.status == LOST
    assert lost.sum() > 50
    survive(boards, lost)
    assert (boards.status != LOST).all()
    assert (boards.left[lost] < ROWS * COLS - 20).all()
    assert ((boards.field >= 0) & boards.mined).sum() == 0
    deal(boards, lost)
    assert (boards.left[lost] == ROWS * COLS - 20).all()
    assert (boards.left[~lost] == ROWS * COLS - 20 - counts[~lost]).all()


def test_exact_risks_are_those_of_the_engine() -> None:
    boards = make_boards(1, ROWS, COLS, MINES, Rule.ZERO, seed=2)
    opened(boards, [(2, 2)])
    risks = exact_risks(boards, 0).reshape(ROWS + 2, COLS + 2)[1:-1, 1:-1]
    assert risks[inside(boards.field, 0) < 0].sum() == pytest.approx(MINES)
