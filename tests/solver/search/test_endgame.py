"""Exact play: against a search that tries everything, and the known optima of small boards."""

import random
from math import comb

import numpy as np
import pytest

from solver.agents import make_agent
from solver.analysis import field_of
from solver.board import Board, Tile
from solver.game import Rule
from solver.search.endgame.best_play import GIVEN_UP, most_wins
from solver.search.endgame.layouts import list_layouts, numbers_shown
from solver.search.endgame.memo import begin_search, look_up, remember
from solver.search.first_click import decide_first, mirror_images
from solver.search.game_state import begin_state, study_state
from solver.search.limit import Limit
from tests.solver.brute import best_wins, layouts, random_board

WHOLE = Limit(layouts=400_000, positions=8_000_000)


def search_wins(board: Board, positions: int = 100_000, to_beat: int = 0) -> tuple[int, int]:
    """Return the wins of the best line and the number of layouts."""
    assert board.mines is not None
    state = begin_state(field_of(board), board.cols, board.mines)
    cells, found = list_layouts(state.field, state.near, study_state(state), 5000)
    shown = numbers_shown(state.field, state.near, cells, found)
    everything = np.arange(len(found), dtype=np.int32)
    search = begin_search(shown, np.empty((0, 0), np.int32), positions)
    return most_wins(search, everything, to_beat)[0], len(found)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(10))
def test_brute_force_agrees(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(30):
        board = random_board(rng, most_covered=8)
        fitting = layouts(board)
        if board.mines is None or not fitting or (board.tiles < Tile.HIDDEN).any():
            continue
        opened = frozenset(cell for cell in board.cells() if board.open[cell])
        assert search_wins(board) == (best_wins(fitting, opened), len(fitting))


OPTIMA = [  # wins of the best first click among all layouts: unprotected, safe, zero
    (3, 3, 2, 0.666667, 0.857143, 1.0),
    (4, 4, 2, 0.850000, 0.971429, 1.0),
    (4, 4, 3, 0.714286, 0.879121, 1.0),
    (4, 4, 4, 961 / 1820, 0.704029, 0.971429),
    (4, 4, 5, 1461 / 4368, 0.486513, 0.952381),
    (4, 4, 6, 1584 / 8008, 0.316484, 1.0),
    (4, 5, 4, 2950 / 4845, 0.761094, 0.936364),
    (4, 5, 5, 6998 / 15504, 0.601823, 0.919913),
    (5, 5, 2, 0.886667, 0.963768, 0.971429),
    (5, 5, 3, 1798 / 2300, 0.888340, 0.914286),
    (5, 5, 4, 8236 / 12650, 0.775080, 0.855495),
    (2, 5, 3, 0.175000, 0.250000, 0.500000),
    (1, 10, 5, 24 / 252, 0.190476, 0.333333),
    (3, 7, 10, 14096 / 352716, 0.076295, 0.439394),
]


MOST_LAYOUTS = {Rule.NONE: 10_000, Rule.SAFE: 20_000, Rule.ZERO: 400_000}
"""Larger boards take too long. Unprotected and safe first clicks are one and the same search."""

CASES = [
    pytest.param(case, rule, id="{}x{}x{}-{}".format(*case[:3], rule.value))
    for case in OPTIMA
    for rule in Rule
    if comb(case[0] * case[1], case[2]) <= MOST_LAYOUTS[rule]
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("case", "rule"), CASES)
def test_known_optima(case: tuple[int, int, int, float, float, float], rule: Rule) -> None:
    rows, cols, mines, *best = case
    spared = list(Rule).index(rule)
    field = field_of(Board(np.full((rows, cols), Tile.HIDDEN), mines))
    _, win = decide_first(field, cols, mines, WHOLE, spared)
    assert win == pytest.approx(best[spared], abs=1e-6)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(5))
def test_guesses_are_as_good_as_trying_everything(seed: int) -> None:
    """The cell that `deep` opens starts a line that wins as often as the best there is."""
    rng = random.Random(100 + seed)
    agent = make_agent("deep")
    guesses = 0
    while guesses < 8:
        board = random_board(rng, most_covered=8)
        fitting = layouts(board)
        if board.mines is None or not fitting or (board.tiles < Tile.HIDDEN).any():
            continue
        decision = agent.decide(board)
        if decision.win is None or board.covered.all():
            continue
        guesses += 1
        opened = frozenset(cell for cell in board.cells() if board.open[cell])
        best = best_wins(fitting, opened)
        assert decision.win == pytest.approx(best / len(fitting))
        (move,) = decision.moves
        kept: dict[int, list[np.ndarray]] = {}
        for mined in fitting:
            if not mined[move.cell]:
                number = sum(mined[near] for near in board.neighbours(move.cell))
                kept.setdefault(number, []).append(mined)
        assert sum(best_wins(part, opened | {move.cell}) for part in kept.values()) == best


def test_published_middle_game() -> None:
    board = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    assert search_wins(board) == (285, 360)


def test_mirrored_first_clicks_are_searched_once() -> None:
    """The first cell of each kind stands for its mirror images: nothing better is lost."""
    for rows, cols, mines in [(2, 3, 2), (3, 2, 2), (3, 3, 1), (1, 6, 2)]:
        board = Board(np.full((rows, cols), Tile.HIDDEN), mines)
        cell, win = decide_first(field_of(board), cols, mines, WHOLE, 0)
        fitting = layouts(board)
        assert win == pytest.approx(best_wins(fitting, frozenset()) / len(fitting))
        assert cell >= 0


def test_a_value_to_beat_bounds_what_it_cuts() -> None:
    """Above the value to beat the count is exact; below, it is never less than the best."""
    rng = random.Random(11)
    for _ in range(60):
        board = random_board(rng, most_covered=9)
        if board.mines is None or not layouts(board) or (board.tiles < Tile.HIDDEN).any():
            continue
        best, _ = search_wins(board)
        for to_beat in range(best + 3):
            value, _ = search_wins(board, to_beat=to_beat)
            assert (value == best) if best > to_beat else (best <= value <= to_beat)


@pytest.mark.parametrize(("rows", "cols", "mines"), [(2, 3, 2), (3, 3, 4), (1, 5, 2), (4, 4, 1)])
def test_images_are_the_layouts_turned_and_mirrored(rows: int, cols: int, mines: int) -> None:
    field = field_of(Board(np.full((rows, cols), Tile.HIDDEN), mines))
    state = begin_state(field, cols, mines)
    _, found = list_layouts(field, state.near, study_state(state), 500)
    boards = found.reshape(-1, rows, cols)
    images = mirror_images(found, cols)
    assert len(images) == (7 if rows == cols else 3)
    for number, board in enumerate(boards):
        turned = [np.rot90(flipped, k) for flipped in (board, board[::-1]) for k in range(4)]
        expected = {mask.tobytes() for mask in turned if mask.shape == board.shape}
        assert {boards[image[number]].tobytes() for image in images} | {board.tobytes()} == expected


def test_sets_and_their_images_are_known_as_one() -> None:
    shown = np.zeros((1, 6), np.int8)
    search = begin_search(shown, np.array([[5, 4, 3, 2, 1, 0]], np.int32), 100)
    remember(search, np.array([0, 1, 3], np.int32), 2, True)
    for known in ([0, 1, 3], [2, 4, 5]):
        assert search.table[look_up(search, np.array(known, np.int32))] == 0
    for other in ([0, 1, 2], [0, 4, 3], [5, 1, 3], [0, 1]):  # some have the same marks
        assert search.table[look_up(search, np.array(other, np.int32))] < 0


def test_any_few_layouts_are_searched_like_trying_everything() -> None:
    """Sets that no position has, too: what was met before must not be mixed up."""
    board = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    state = begin_state(field_of(board), board.cols, 5)
    cells, found = list_layouts(state.field, state.near, study_state(state), 500)
    search = begin_search(
        numbers_shown(state.field, state.near, cells, found), np.empty((0, 0), np.int32), 100_000
    )
    opened = frozenset(cell for cell in board.cells() if board.open[cell])
    masks = np.zeros((len(found), state.field.size), bool)
    for mask, layout in zip(masks, found, strict=True):
        mask[cells[layout]] = True
    boards = masks.reshape(-1, 6, 7)[:, 1:-1, 1:-1]
    rng = np.random.default_rng(3)
    for size in (2, 3, 4, 5) * 3:
        some = np.sort(rng.choice(len(found), size, replace=False)).astype(np.int32)
        assert most_wins(search, some, 0)[0] == best_wins(list(boards[some]), opened)


def test_gives_up_past_the_allowed_work() -> None:
    board = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    assert search_wins(board, positions=3)[0] == GIVEN_UP


def test_too_many_layouts_are_not_listed() -> None:
    board = Board(np.full((16, 30), Tile.HIDDEN), 99)
    state = begin_state(field_of(board), 30, 99)
    assert len(list_layouts(state.field, state.near, study_state(state), 100)[1]) == 0
