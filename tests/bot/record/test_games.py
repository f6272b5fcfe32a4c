"""Scripted games with known mistakes: each is found, none is invented, losses are explained."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.record.games import WORSE, JudgedGame, Kind, games_of, judge
from solver.agents import make_agent
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Game, Rule, Status
from solver.guesses import compare_guesses
from tests.bot.command_line import TOO_LARGE
from tests.bot.record.test_review import session_of

Step = dict[str, Any]


def turn_of(number: int, board: Board, move: list[Any], **changes: Any) -> Step:
    decision = {"moves": [move], "reason": "played by hand", "survival": 1.0, "win": None}
    return {
        "kind": "turn",
        "game": 1,
        "turn": number,
        "board": board.text_rows(),
        "mines": board.mines,
        "decision": decision,
        "clicks": [],
        "retry": False,
        **changes,
    }


def end_of(result: str, **more: Any) -> Step:
    return {"kind": "game", "game": 1, "result": result, **more}


def judged(folder: Path, *steps: Step) -> JudgedGame:
    (game,) = games_of(session_of(folder, *steps))
    return judge(game)


def scripted(seed: int, wanted: Kind | None) -> tuple[list[Step], list[tuple[int, Kind]]]:
    """Play a game as well as `deep`, but make the wanted mistake whenever there is a chance."""
    random = Random(seed)
    game = Game.random(9, 9, 10, rule=Rule.ZERO, seed=seed)
    steps: list[Step] = []
    planted: list[tuple[int, Kind]] = []
    while game.status is Status.PLAYING and len(steps) < 40:
        board = game.board
        number = len(steps) + 1
        cell = None
        if board.open.any() and len(planted) < 2:
            cell = mistaken_cell(board, wanted, random)
        if cell is not None and wanted is not None:
            planted.append((number, wanted))
        else:
            cell = make_agent("deep").decide(board).moves[0].cell
        steps.append(turn_of(number, board, ["open", *cell]))
        game.open(cell)
    steps.append(end_of("won" if game.status is Status.WON else "lost"))
    return steps, planted


def mistaken_cell(board: Board, wanted: Kind | None, random: Random) -> Cell | None:
    known = analyse(board)
    risks = known.probabilities
    covered = [cell for cell in board.cells() if board.covered[cell]]
    if wanted is Kind.CERTAIN_MINE:
        return random.choice(known.mines) if known.mines else None
    if wanted is Kind.NEEDLESS_RISK and known.safe:
        risky = [cell for cell in covered if 0.0 < risks[cell] < 1.0]
        return random.choice(risky) if risky else None
    if wanted is Kind.WORSE_GUESS and not known.safe:
        best, *others = compare_guesses(board, also=covered)
        assert best.win is not None
        worse = [
            one.cell
            for one in others
            if one.win is not None and best.win - one.win > 0.03 and one.survival > 0.0
        ]
        return random.choice(worse) if worse else None
    return None


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


@pytest.mark.slow
def test_a_guess_that_is_hardly_worse_is_no_mistake(tmp_path: Path) -> None:
    board = Board.from_text("1####\n#####\n#####\n#####", 4)
    candidates = compare_guesses(board, also=[c for c in board.cells() if board.covered[c]])
    best = candidates[0].win
    assert best is not None
    for at, one in enumerate(candidates):
        assert one.win is not None
        step = turn_of(1, board, ["open", *one.cell])
        found = [mistake.kind for mistake in judged(tmp_path / str(at), step).mistakes]
        assert found == ([Kind.WORSE_GUESS] if best - one.win >= WORSE else [])


UNKNOWN_TOTAL = Board.from_text("001######\n112######\n##2######" + 6 * "\n#########")


def test_without_a_mine_total_the_guess_survives_as_in_play(tmp_path: Path) -> None:
    decision = make_agent("deep").decide(UNKNOWN_TOTAL)
    game = judged(tmp_path, turn_of(1, UNKNOWN_TOTAL, ["open", *decision.moves[0].cell]))
    assert game.chance == pytest.approx(decision.survival)
    (turn,) = game.turns
    assert turn.analysis is not None
    for one in turn.candidates:
        assert turn.analysis.probabilities[one.cell] == pytest.approx(1 - one.survival)


def test_without_chances_to_win_no_guess_is_called_worse(tmp_path: Path) -> None:
    covered = [cell for cell in UNKNOWN_TOTAL.cells() if UNKNOWN_TOTAL.covered[cell]]
    risks = judged(tmp_path, turn_of(1, UNKNOWN_TOTAL, ["open", *covered[0]])).turns[0]
    riskiest = max(covered, key=risks.risk)
    game = judged(tmp_path, turn_of(1, UNKNOWN_TOTAL, ["open", *riskiest]))
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
    board = Board.from_text("1#\n##", 1)
    step = turn_of(1, board, ["open", 0, 1])
    end = end_of("lost", blame=blame, why="the 3 was read as a 5.")
    assert judged(tmp_path, step, end).cause.startswith(begins)


@pytest.mark.slow
def test_a_board_too_large_to_count_is_judged_without_its_risks(tmp_path: Path) -> None:
    step = turn_of(1, Board.from_text(TOO_LARGE), ["open", 0, 0])
    (turn,) = judged(tmp_path, step).turns
    assert (turn.analysis, turn.mistakes) == (None, ())


def test_time_lost_is_no_mistake_about_risk(tmp_path: Path) -> None:
    board = Board.from_text("1#\n11", 1)
    others = dict.fromkeys(("grab", "read", "decide", "send"), 1.0)
    again = turn_of(2, board, ["flag", 0, 1], retry=True, ms={**others, "wait": 3100.0})
    quick = turn_of(3, board, ["flag", 0, 1], retry=True, ms={**others, "wait": 300.0})
    game = judged(tmp_path, turn_of(1, board, ["flag", 0, 1]), again, quick)
    assert [(one.turn, one.kind) for one in game.mistakes] == [(2, Kind.TIME_LOST)]


def test_a_chord_on_a_wrong_flag_is_one_mistake(tmp_path: Path) -> None:
    board = Board.from_text("1F#\n1##\n###", 2)
    game = judged(tmp_path, turn_of(1, board, ["chord", 0, 0]))
    assert [one.kind for one in game.mistakes] == [Kind.WRONG_FLAG]
    right = Board.from_text("1F\n11", 1)
    assert not judged(tmp_path / "right", turn_of(1, right, ["chord", 0, 0])).mistakes


def test_a_board_that_no_layout_fits_is_no_mistake(tmp_path: Path) -> None:
    board = Board.from_text("3#\n##", 1)
    game = judged(tmp_path, turn_of(1, board, ["open", 0, 1]), end_of("lost"))
    assert not game.mistakes
