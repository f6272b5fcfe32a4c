"""The terminal view: what it says in plain lines and what it draws on a terminal."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from bot.ports import Button
from bot.turn import Blame, Click, GameResult, Outcome, Timings, Turn
from bot.view import (
    LiveView,
    PlainView,
    board_text,
    demo_pace,
    frontier,
    heat,
    open_view,
    percent,
    result_line,
)
from calibration.frame import Frame, ScreenPoint
from calibration.reader import Reading
from solver.agents.base import Action, Decision, Move
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Status

FRAME = Frame(np.zeros((4, 4, 3), np.uint8))
BOARD = Board.from_text(
    """
    ####
    1221
    0000
    """,
    mines=2,
)


def turn_of(board: Board, decision: Decision, **changes: object) -> Turn:
    turn = Turn(1, 1, FRAME, Reading(board, Status.PLAYING, 1.0), decision, chance=0.5)
    return replace(turn, **changes)  # type: ignore[arg-type]


SAFE = Decision((Move(Cell(0, 0)), Move(Cell(0, 3))), "They are free.", 1.0)
GUESS = Decision((Move(Cell(0, 1)),), "least risk", 0.75, win=0.5)
WON = GameResult(1, Outcome.WON, turns=3, clicks=7, guesses=1, seconds=2.5, chance=0.8)


def terminal(width: int = 120, **options: object) -> Console:
    return Console(
        file=io.StringIO(), force_terminal=True, width=width, height=40, **options  # type: ignore[arg-type]
    )  # fmt: skip


def plain_text(view: LiveView) -> str:
    """Render the picture of the moment without colours."""
    console = Console(file=io.StringIO(), width=120)
    console.print(view.picture())
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_lines_go_to_a_pipe_and_pictures_to_a_terminal() -> None:
    assert isinstance(open_view(console=Console(file=io.StringIO())), PlainView)
    assert isinstance(open_view(console=terminal()), LiveView)


def test_plain_lines_tell_guesses_notes_and_results_only() -> None:
    console = Console(file=io.StringIO(), width=40)
    with open_view(console=console) as view:
        view.decided(turn_of(BOARD, SAFE))
        view.decided(turn_of(BOARD, GUESS))
        view.decided(turn_of(BOARD, GUESS, retry=True))
        view.noticed("The window moved [to the left].")
        view.game_over(WON, FRAME, None)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines == [
        "Game 1, turn 1: Guess at row 1, column 2: least risk; 75.0 % to survive, 50.0 % to win",
        "The window moved [to the left].",
        "Game 1: won after 2.5 s, 7 clicks, 1 guess; its chance was 80.0 %.",
    ]


def test_the_picture_shows_board_reason_and_chances() -> None:
    with open_view(games=3, agent="tank", console=terminal()) as view:
        assert isinstance(view, LiveView)
        assert "Looking for the board" in plain_text(view)
        view.decided(turn_of(BOARD, GUESS))
        text = plain_text(view)
    assert "game 1 of 3 · 3×4, 2 mines · tank" in text
    assert "75.0 % to survive" in text
    assert "this game so far 50.0 %" in text
    assert "least risk" in text
    assert "1  2  2  1" in text


def test_the_picture_counts_clicks_guesses_wins_and_own_time() -> None:
    with open_view(games=2, console=terminal()) as view:
        assert isinstance(view, LiveView)
        turn = turn_of(BOARD, GUESS)
        view.decided(turn)
        click = Click(Cell(0, 1), ScreenPoint(1, 1), Button.LEFT)
        view.played(replace(turn, clicks=(click,), timings=Timings(decide_ms=12.0)))
        view.game_over(WON, FRAME, Reading(BOARD, Status.WON, 1.0))
        text = plain_text(view)
    assert "won 1 of 1 (21–100 %)" in text
    assert "guesses 1" in text
    assert "clicks 1" in text
    assert "look and think 12 ms" in text
    assert "Game 1: won after 2.5 s" in text


def test_a_new_game_starts_its_counts_anew() -> None:
    with open_view(games=2, console=terminal()) as view:
        assert isinstance(view, LiveView)
        view.decided(turn_of(BOARD, GUESS))
        view.decided(turn_of(BOARD, SAFE, game=2))
        text = plain_text(view)
    assert "guesses 0" in text
    assert "game 2 of 2" in text
    assert "2 certain moves: They are free." in text


def test_only_the_last_notes_stay() -> None:
    with open_view(console=terminal()) as view:
        assert isinstance(view, LiveView)
        view.decided(turn_of(BOARD, SAFE))
        for number in range(9):
            view.noticed(f"note {number}")
        text = plain_text(view)
    assert "note 8" in text
    assert "note 1" not in text


def test_a_board_without_a_solution_is_shown_without_risks() -> None:
    impossible = Board.from_text("#8#/###".replace("/", "\n"), mines=3)
    with open_view(console=terminal()) as view:
        assert isinstance(view, LiveView)
        view.decided(turn_of(impossible, GUESS))
        assert "8" in plain_text(view)


def test_certain_mines_are_flags_and_frontier_risks_are_percents() -> None:
    text = board_text(BOARD, analyse(BOARD), targets=set(), cell_width=3).plain
    assert text.splitlines()[0].split() == ["0", "⚑", "⚑", "0"]
    even = Board.from_text("##\n11", mines=1)
    text = board_text(even, analyse(even), targets=set(), cell_width=3).plain
    assert text.splitlines()[0].split() == ["50", "50"]


def test_targets_stand_out() -> None:
    text = board_text(BOARD, analyse(BOARD), targets={Cell(0, 0)}, cell_width=3)
    assert text.plain.split()[0] == "✓"
    assert any("bright_cyan" in str(span.style) for span in text.spans)


def test_every_tile_has_a_sign_and_ascii_terminals_get_ascii() -> None:
    every = Board.from_text("#F?*XW\n012345\n678...")
    text = board_text(every, None, targets=set(), ascii_only=True).plain
    assert text.isascii()
    assert text.splitlines()[0].split() == [".", "F", "?", "*", "*", "x"]
    assert text.splitlines()[2].split() == ["6", "7", "8"]


def test_an_expert_board_fits_in_eighty_columns() -> None:
    with open_view(console=terminal(80)) as view:
        assert isinstance(view, LiveView)
        view.decided(turn_of(Board(np.full((16, 30), -1), 99), SAFE))
        console = Console(file=io.StringIO(), width=80)
        console.print(view.picture())
        lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert sum(line.count("·") >= 28 for line in lines) == 16
    assert max(map(len, lines)) <= 80


def test_the_frontier_is_what_touches_a_number() -> None:
    board = Board.from_text("###1\n###1\n####")
    assert frontier(board).tolist() == [
        [False, False, True, False],
        [False, False, True, False],
        [False, False, True, True],
    ]


@pytest.mark.parametrize(
    ("chance", "text"),
    [(1.0, "100 %"), (0.0, "0 %"), (0.9999, "99.9 %"), (0.0001, "0.1 %"), (0.794, "79.4 %")],
)
def test_only_certainty_reads_a_hundred_percent(chance: float, text: str) -> None:
    assert percent(chance) == text


def test_heat_runs_from_green_to_red() -> None:
    assert heat(0.0) == "rgb(0,210,70)"
    assert heat(1.0) == "rgb(255,0,70)"


def test_a_loss_is_told_with_its_blame() -> None:
    lost = replace(WON, outcome=Outcome.LOST, blame=Blame.BAD_LUCK, why="A 20 % risk came true.")
    assert "lost (bad luck)" in result_line(lost)
    assert result_line(lost).endswith("A 20 % risk came true.")


def test_a_demonstration_takes_about_ten_seconds() -> None:
    """Openings spare about half of the clicks on a beginner board, 60 % on larger ones."""
    assert demo_pace(81, 10).pause_s(guess=False) == pytest.approx(0.28, abs=0.01)
    assert demo_pace(480, 99).pause_s(guess=False) == pytest.approx(0.05, abs=0.01)
    assert demo_pace(4, 4).pause_s(guess=False) > 0


def test_a_flag_move_is_no_guess_target_of_the_wrong_kind() -> None:
    decision = Decision((Move(Cell(0, 1), Action.FLAG),), "It is a mine.", 1.0)
    with open_view(console=terminal()) as view:
        assert isinstance(view, LiveView)
        view.decided(turn_of(BOARD, decision))
        assert "1 certain move: It is a mine." in plain_text(view)
