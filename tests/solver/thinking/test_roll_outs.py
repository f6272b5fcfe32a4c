"""Roll-outs: unbiased, the same on any number of threads, and a race that the best one wins."""

import threading
from itertools import combinations
from math import inf

import numpy as np
import pytest

from solver.agents import make_agent
from solver.board import Board
from solver.errors import UnknownAgent
from solver.exact.sampling import uniform
from solver.search.cell_net import best_at_sight, load_cell_net
from solver.search.endgame.best_play import search_endgame
from solver.search.game_state import GameState, study_state
from solver.search.guess import Method
from solver.search.limit import Limit
from solver.search.value_net import load_net
from solver.search.whole_games import advance, copy_state, open_cell
from solver.thinking.playouts import SPREAD, forecast_numbers, try_worlds
from solver.thinking.race import estimates, in_the_race, prior_worlds
from solver.thinking.think import think
from solver.thinking.workers import open_workers
from tests.solver.states import state_of

MIDDLE_GAME = Board.from_text("#####\n#1###\n#3###\n#####", 5)
THINK = Limit(layouts=1, whole=1, worlds=400)
"""No endgame search, so that the race decides even on a small board."""


def share_won_at_sight(board: Board, place: int) -> float:
    """Play every layout in which the cell is safe to the end; return the share that is won.

    A world with k mines hit on the way is not lost but drawn again, so a share of plain wins over
    all layouts is what the product of chances estimates.
    """
    start, play = state_of(board), state_of(board)
    hidden = np.flatnonzero(start.field == start.field[place])
    games, won = 0, 0
    for mines in combinations(hidden, board.mines or 0):
        mined = np.zeros(start.field.size, bool)
        mined[list(mines)] = True
        shown = [number for number in range(start.field.size) if start.field[number] >= 0]
        fits = all(sum(mined[n + s] for s in start.near) == start.field[n] for n in shown)
        if not fits or mined[place]:
            continue
        copy_state(play, start)
        play.mined[:] = mined
        open_cell(play, place)
        games += 1
        won += wins_at_sight(play)
    return won / games


def wins_at_sight(play: GameState) -> bool:
    """Play on by the cell net; return whether no guess hits a mine."""
    while True:
        over, counted = advance(play)
        if over:
            return True
        cell = best_at_sight(load_cell_net(), play, counted)
        if play.mined[cell]:
            return False
        open_cell(play, cell)


def test_roll_outs_estimate_what_the_cell_net_wins() -> None:
    state, net, place = state_of(MIDDLE_GAME), load_net(), 10  # the cell at row 1, column 3
    counted, cells = study_state(state), np.array([place])
    means, values = forecast_numbers(state, counted, net, cells)
    safe = 1.0 - analysed_risk(place)
    room = state_of(MIDDLE_GAME)
    worlds = try_worlds(state, counted, net.cells, cells, values, room, 0, 2000)[:, 0]
    found, error = safe * means[0] + worlds.mean(), worlds.std() / len(worlds) ** 0.5
    assert abs(found - safe * share_won_at_sight(MIDDLE_GAME, place)) < 4 * error + 1e-12
    assert error < 0.01


def test_no_two_worlds_draw_the_same_numbers() -> None:
    drawn = []
    for world in range(50):
        random = np.array([world + 1], np.uint64) * SPREAD
        drawn += [uniform(random) for _ in range(600)]
    assert len(set(drawn)) == len(drawn)


def analysed_risk(place: int) -> float:
    from solver.analysis import analyse

    width = MIDDLE_GAME.cols + 2
    return float(analyse(MIDDLE_GAME).probabilities[place // width - 1, place % width - 1])


def test_the_guess_is_the_same_on_any_number_of_threads() -> None:
    state, net = state_of(MIDDLE_GAME), load_net()
    counted = study_state(state)
    guesses = {think(state, counted, net, THINK, threads=count) for count in (1, 2, 3)}
    assert len(guesses) == 1
    assert guesses.pop().method is Method.ROLL_OUTS


def test_chunks_are_put_together_in_their_order_whichever_ends_first() -> None:
    others_done = threading.Event()

    def chunk(first: int, count: int) -> np.ndarray:  # type: ignore[type-arg]
        if first == 0:
            assert others_done.wait(10)
        elif first == 32:
            others_done.set()
        return np.arange(first, first + count, dtype=float)[:, None]

    done: list[int] = []
    with open_workers(3) as workers:
        rows = workers.try_all(chunk, 0, 40, done.append)
    assert rows[:, 0].tolist() == list(range(40))
    assert done == [16, 32, 40]


def test_an_error_in_the_progress_ends_the_thought() -> None:
    class Stopped(Exception):
        pass

    heard: list[int] = []

    def stop(done: int, most: int) -> None:
        heard.append(done)
        raise Stopped

    agent = make_agent("deep", limit=THINK._replace(worlds=100_000))
    agent.on_progress = stop  # type: ignore[attr-defined]
    before = threading.active_count()
    with pytest.raises(Stopped):
        agent.decide(MIDDLE_GAME)
    assert heard == [16]
    assert threading.active_count() == before


def test_thought_finds_a_guess_nearly_as_good_as_the_best() -> None:
    state, net = state_of(MIDDLE_GAME), load_net()
    counted = study_state(state)
    best = search_endgame(state, counted, Limit())
    assert best is not None
    guess = think(state, counted, net, THINK, threads=1)
    after = [share for cell, share in won_after_guesses(MIDDLE_GAME).items() if cell == guess.cell]
    assert after[0] > best[1] - 0.02


def won_after_guesses(board: Board) -> dict[int, float]:
    """Return the chance to win with best play after each covered cell, by its place."""
    from solver.candidates import compare_guesses

    covered = [cell for cell in board.cells() if board.covered[cell]]
    width = board.cols + 2
    return {
        (candidate.cell.row + 1) * width + candidate.cell.col + 1: candidate.win or 0.0
        for candidate in compare_guesses(board, also=covered)
    }


def test_the_race_drops_who_is_clearly_behind_and_keeps_the_rest() -> None:
    rng = np.random.default_rng(1)
    gains = rng.normal([0.0, -0.002, -0.2], 0.1, (400, 3))
    assert in_the_race(np.array([0.5, 0.5, 0.5]), gains, 150).tolist() == [True, True, False]
    few = rng.normal([0.0, -0.002, -0.01], 0.1, (16, 3))
    assert in_the_race(np.array([0.5, 0.5, 0.5]), few, 150).all()
    assert in_the_race(np.array([0.5, 0.5, 0.4]), few, 150).tolist() == [True, True, False]


def test_few_worlds_hardly_move_the_forecast_and_many_replace_it() -> None:
    forecasts, gains = np.array([0.5, 0.4]), np.array([[-0.2, 0.1]])
    assert estimates(forecasts, gains, 150).argmax() == 0
    assert estimates(forecasts, np.repeat(gains, 3000, axis=0), 150).argmax() == 1


def test_the_forecast_counts_for_more_where_more_layouts_are_left() -> None:
    forecasts, gains = np.array([0.5, 0.49]), np.tile([-0.01, 0.01], (100, 1))
    assert estimates(forecasts, gains, prior_worlds(10)).argmax() == 1
    assert estimates(forecasts, gains, prior_worlds(220)).argmax() == 0


def test_where_too_many_layouts_are_left_the_look_ahead_decides() -> None:
    state, net = state_of(MIDDLE_GAME), load_net()
    counted = study_state(state)
    for late, method in (
        (counted.log_layouts - 0.1, Method.LOOK_AHEAD),
        (counted.log_layouts + 0.1, Method.ROLL_OUTS),
    ):
        assert think(state, counted, net, THINK._replace(late=late)).method is method


def test_a_cell_that_is_surely_a_mine_is_not_tried() -> None:
    state = state_of(Board.from_text("1#\n11", 1))
    guess = think(state, study_state(state), load_net(), THINK)
    assert (guess.cell, guess.method) == (6, Method.LOOK_AHEAD)


def test_the_default_level_tries_late_guesses_only() -> None:
    net, limit = load_net(), make_agent("deep")._limit  # type: ignore[attr-defined]
    found = set()
    for rows in (["#" * 30] * 16, ["0" * 24 + "1#####"] * 15 + ["0" * 24 + "1#####"]):
        board = Board.from_text("\n".join(rows), 99 if rows[0][0] == "#" else 20)
        state = state_of(board)
        found.add(think(state, study_state(state), net, limit).method)
    assert found == {Method.LOOK_AHEAD, Method.ROLL_OUTS}


def test_a_level_is_an_option_of_deep_and_must_be_known() -> None:
    assert make_agent("deep:think=none")._limit.worlds == 0  # type: ignore[attr-defined]
    assert make_agent("deep:think=low")._limit.late == inf  # type: ignore[attr-defined]
    with pytest.raises(UnknownAgent, match="Known: none, brief, low, medium, high"):
        make_agent("deep:think=forever")
    with pytest.raises(UnknownAgent, match="no option 'think'"):
        make_agent("tank:think=low")
