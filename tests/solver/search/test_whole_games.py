"""Whole games inside the kernels: the same games as turn by turn, and unbiased chances."""

import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from solver.agents.glance import Glance
from solver.agents.tank import Tank
from solver.analysis import field_of
from solver.arena.boards import BoardSet, Size, read_boards
from solver.arena.games import play_game, play_in_kernels
from solver.board import Board, Cell
from solver.exact.codes import HIDDEN, MINE
from solver.exact.constraints import count_around
from solver.exact.probability import risk_of
from solver.game import Rule
from solver.search.game_state import (
    COVERED,
    UNKNOWN_MINES,
    WAITING,
    GameState,
    begin_state,
    study_state,
)
from solver.search.whole_games import (
    finish_tank,
    lay_mines,
    open_by_rules,
    open_cell,
    safest,
    survive_guess,
    untouched_field,
)

BOARDS = sorted((Path(__file__).parents[3] / "fixtures" / "boards").glob("*.json"))


def place_of(cell: Cell, cols: int) -> int:
    return (cell.row + 1) * (cols + 2) + cell.col + 1


def inside(bordered: np.ndarray, rows: int, cols: int) -> np.ndarray:
    return bordered.reshape(rows + 2, cols + 2)[1:-1, 1:-1]


def started(boards: BoardSet, number: int, first: Cell) -> GameState:
    """Take up a board in the kernels and open its first cell."""
    rows, cols, mines = boards.size.rows, boards.size.cols, boards.size.mines
    play = begin_state(untouched_field(rows, cols), cols, mines)
    order = np.array(boards.order(number), np.int32)
    lay_mines(play, order, cols, place_of(first, cols), mines, boards.rule is Rule.ZERO)
    open_cell(play, place_of(first, cols))
    return play


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_first_click_opens_what_the_game_opens(path: Path) -> None:
    boards = read_boards(path)
    for number in range(len(boards)):
        first = boards.first or Cell(0, 0)
        game = boards.game(number)
        game.open(first)
        play = started(boards, number, first)
        rows, cols = boards.size.rows, boards.size.cols
        assert (inside(play.mined, rows, cols) == game.mines).all()
        shown = inside(play.field, rows, cols)
        assert (np.where(shown >= 0, shown, HIDDEN) == game.board.tiles).all()


@pytest.mark.parametrize("player", [Tank, Glance])
@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_games_are_the_same_in_the_kernels_and_turn_by_turn(path: Path, player: type[Tank]) -> None:
    boards = read_boards(path)
    agent = player(rule=boards.rule)
    first = boards.first or Cell(0, 0)
    for number in range(len(boards)):
        rng = [random.Random(number) for _ in range(2)]
        slow = play_game(agent, boards.game(number), first=first, rng=rng[0])
        swift = play_in_kernels(agent, boards.game(number), first=first, rng=rng[1])
        assert slow.chance is not None
        if slow.won:
            assert swift.chance == pytest.approx(slow.chance)
        else:  # what comes after a fatal guess is drawn
            assert swift.chance is not None
            assert 0 < swift.chance <= 1
        assert replace(swift, seconds=0, chance=0) == replace(slow, seconds=0, chance=0)


def test_certain_cells_are_opened_and_their_counts_kept() -> None:
    """After the single-number rules all that is kept beside the field agrees with it."""
    boards = read_boards(next(path for path in BOARDS if "16x16x40_zero" in path.name))
    for number in range(len(boards)):
        play = started(boards, number, boards.first or Cell(0, 0))
        assert open_by_rules(play)
        assert play.counts[WAITING] == 0
        assert play.counts[COVERED] == (play.field == HIDDEN).sum()
        assert play.counts[UNKNOWN_MINES] == 40 - (play.field == MINE).sum()
        assert play.mined[play.field == MINE].all()
        need, around = np.zeros_like(play.need), np.zeros_like(play.around)
        count_around(play.field, play.near, need, around)
        numbers = play.field >= 0
        assert (play.need[numbers] == need[numbers]).all()
        assert (play.around[numbers] == around[numbers]).all()


def test_contradictions_are_noticed() -> None:
    board = Board.from_text("1#1\n###\n0#3", 4)
    assert not open_by_rules(begin_state(field_of(board), board.cols, 4))


def test_of_equals_safest_takes_one_beside_a_number() -> None:
    """One mine in three cells beside the 1, four in the other twelve: the same risk."""
    board = Board.from_text("1###\n####\n####\n####", 5)
    play = begin_state(field_of(board), 4, 5)
    assert safest(play, study_state(play)) == place_of(Cell(0, 1), 4)
    assert Tank().decide(board).moves[0].cell == Cell(0, 1)


def test_safest_takes_the_least_risk_and_then_the_fewest_hidden_neighbours() -> None:
    board = Board.from_text("2####\n#####\n#####", 3)
    play = begin_state(field_of(board), 5, 3)
    known = study_state(play)
    chosen = safest(play, known)
    risks = {cell: risk_of(known, place_of(cell, 5)) for cell in board.cells() if cell != (0, 0)}
    least = min(risks.values())
    equals = [cell for cell in risks if risks[cell] < least + 1e-9]
    fewest = min(len(board.neighbours(cell)) for cell in equals)
    assert chosen == place_of(next(c for c in equals if len(board.neighbours(c)) == fewest), 5)


def test_survival_product_averages_to_the_share_of_wins() -> None:
    """Over every layout of a board the products of the chances survived average to the wins."""
    size = Size(3, 3, 2)
    wins, chances = [], []
    for pair in combinations(range(1, 9), size.mines):
        boards = BoardSet(
            size, Rule.SAFE, orders=[[*pair, *(c for c in range(9) if c not in pair)]]
        )
        for seed in range(20):
            play = started(boards, 0, Cell(0, 0))
            end = finish_tank(play)
            wins.append(end.hit < 0)
            chances.append(end.chance)
            state = np.array([seed], np.uint64)
            while end.hit >= 0:
                survive_guess(play, end.hit, state)
                end = finish_tank(play)
                chances[-1] *= end.chance
    spread = np.std(chances) / len(chances) ** 0.5
    assert abs(np.mean(chances) - np.mean(wins)) < 5 * spread + 1e-12
    assert np.std(chances) < np.std(wins)
