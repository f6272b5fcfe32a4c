"""Scripted games with known mistakes: each is found, none is invented, losses are explained."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bot.record.games import WORSE, Kind
from solver.agents import make_agent
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Game, Rule, Status
from solver.guesses import compare_guesses
from tests.bot.command_line import TOO_LARGE
from tests.bot.record.written_games import Step, end, judged, turn


def scripted(seed: int, wanted: Kind | None) -> tuple[list[Step], list[tuple[int, Kind]]]:
    """Play a game as well as `deep`, but make the wanted mistake at the first two chances."""
    random = Random(seed)
    game = Game.random(9, 9, 10, rule=Rule.ZERO, seed=seed)
    steps, planted = list[Step](), list[tuple[int, Kind]]()
    while game.status is Status.PLAYING:
        board, number = game.board, len(steps) + 1
        cell = make_agent("deep").decide(board).moves[0].cell
        may_err = board.open.any() and len(planted) < 2
        if wanted and may_err and (wrong := mistaken_cells(board, wanted)):
            cell = random.choice(wrong)
            planted.append((number, wanted))
        steps.append(turn(str(board), ("open", *cell), number=number, mines=board.mines))
        game.open(cell)
    steps.append(end("won" if game.status is Status.WON else "lost"))
    return steps, planted


def mistaken_cells(board: Board, wanted: Kind) -> list[Cell]:
    known, covered = analyse(board), board.hidden_cells()
    if wanted is Kind.CERTAIN_MINE:
        return list(known.mines)
    if wanted is Kind.NEEDLESS_RISK:
        return [one for one in covered if known.safe and 0.0 < known.probabilities[one] < 1.0]
    if known.safe:
        return []
    best, *others = compare_guesses(board, also=covered)
    worse = [one for one in others if one.win is not None and one.survival > 0.0]
    return [one.cell for one in worse if (best.win or 0.0) - (one.win or 0.0) > 0.03]


@pytest.mark.parametrize("wanted", [Kind.CERTAIN_MINE, Kind.NEEDLESS_RISK, Kind.WORSE_GUESS, None])
def test_planted_mistakes_are_found_and_none_is_invented(
    wanted: Kind | None, tmp_path: Path
) -> None:
    made = 0
    for seed in range(1, 9):
        steps, planted = scripted(seed, wanted)
        game = judged(tmp_path / str(seed), *steps)
        assert sorted((one.turn, one.kind) for one in game.mistakes) == sorted(planted)
        made += len(planted)
        if game.game.result == "lost" and planted and planted[-1][0] == len(game.turns):
            assert game.cause.startswith("Mistake in the last turn")
        elif game.game.result == "lost":
            assert game.cause.startswith("Bad luck")
            assert "%" in game.cause
    assert bool(made) == (wanted is not None)


@pytest.mark.parametrize(
    ("board", "mines", "move", "mistakes"),
    [
        ("1# 11", 1, ("open", 0, 1), [Kind.CERTAIN_MINE]),
        # The 0 makes the row below it safe; one of the two cells on the left is a mine.
        ("#10 #10 ### ###", 2, ("open", 0, 0), [Kind.NEEDLESS_RISK]),
        ("#10 #10 ### ###", 2, ("open", 2, 2), []),
        ("1### #### #### ####", 3, ("open", 0, 1), [Kind.WORSE_GUESS]),
        ("1### #### #### ####", 3, ("open", 3, 3), []),
        ("1F# 1## ###", 2, ("chord", 0, 0), [Kind.WRONG_FLAG]),
        ("1F 11", 1, ("chord", 0, 0), []),
        ("3# ##", 1, ("open", 0, 1), []),  # no layout fits
    ],
)
def test_a_move_is_this_mistake_or_none(
    board: str, mines: int, move: tuple[str, int, int], mistakes: list[Kind], tmp_path: Path
) -> None:
    game = judged(tmp_path, turn(board, move, mines=mines))
    assert [(one.turn, one.kind) for one in game.mistakes] == [(1, kind) for kind in mistakes]


@pytest.mark.slow
def test_a_guess_that_is_hardly_worse_is_no_mistake(tmp_path: Path) -> None:
    board = Board.from_text("1####\n#####\n#####\n#####", 4)
    candidates = compare_guesses(board, also=board.hidden_cells())
    best = candidates[0].win
    assert best is not None
    for at, one in enumerate(candidates):
        assert one.win is not None
        step = turn(str(board), ("open", *one.cell), mines=4)
        found = [mistake.kind for mistake in judged(tmp_path / str(at), step).mistakes]
        assert found == ([Kind.WORSE_GUESS] if best - one.win >= WORSE else [])


UNKNOWN_TOTAL = Board.from_text("001######\n112######\n##2######" + 6 * "\n#########")


def test_without_a_mine_total_the_guess_survives_as_in_play_and_none_is_called_worse(
    tmp_path: Path,
) -> None:
    decision = make_agent("deep").decide(UNKNOWN_TOTAL)
    text = str(UNKNOWN_TOTAL)
    step = turn(text, ("open", *decision.moves[0].cell), mines=None)
    game = judged(tmp_path, step)
    assert game.chance == pytest.approx(decision.survival)
    (played,) = game.turns
    assert played.analysis is not None
    for one in played.candidates:
        assert played.analysis.probabilities[one.cell] == pytest.approx(1 - one.survival)
    riskiest = max(UNKNOWN_TOTAL.hidden_cells(), key=played.risk)
    game = judged(tmp_path, turn(text, ("open", *riskiest), mines=None))
    assert not game.mistakes
    assert game.chance < 0.8


@pytest.mark.parametrize(
    ("blame", "begins"),
    [
        ("misread", "Misread: the 3"),
        ("misclick", "Misclick: the 3"),
        ("solver fault", "Solver fault: the 3"),
        ("bad luck", "Bad luck: "),
    ],
)
def test_a_loss_is_put_down_to_what_the_recording_says(
    blame: str, begins: str, tmp_path: Path
) -> None:
    over = end("lost", blame=blame, why="the 3 was read as a 5.")
    assert judged(tmp_path, turn("1# ##"), over).cause.startswith(begins)


@pytest.mark.slow
def test_a_board_too_large_to_count_is_judged_without_its_risks(tmp_path: Path) -> None:
    (played,) = judged(tmp_path, turn(TOO_LARGE, ("open", 0, 0), mines=None)).turns
    assert (played.analysis, played.mistakes) == (None, ())


def test_time_lost_is_no_mistake_about_risk(tmp_path: Path) -> None:
    others = dict.fromkeys(("grab", "read", "decide", "send"), 1.0)
    flag = ("flag", 0, 1)
    again = turn("1# 11", flag, number=2, retry=True, ms={**others, "wait": 3100.0})
    quick = turn("1# 11", flag, number=3, retry=True, ms={**others, "wait": 300.0})
    game = judged(tmp_path, turn("1# 11", flag), again, quick)
    assert [(one.turn, one.kind) for one in game.mistakes] == [(2, Kind.TIME_LOST)]
