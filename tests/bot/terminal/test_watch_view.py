"""A game that a person plays, on the panel of play and in plain lines."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest

from bot.events import Decided, GameOver, GameResult, Outcome, Played, Turn
from bot.record.games import Kind, Mistake
from bot.terminal import watch_view
from bot.terminal.console import PipeConsole
from bot.terminal.watch_view import WatchLog, WatchView
from bot.watch.hints import Advice
from calibration.frame import Frame
from calibration.reading import Reading
from solver.agents.base import Decision, Move
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Status

FRAME = Frame(np.zeros((4, 4, 3), np.uint8))
BOARD = Board.from_text("####\n1221\n0000", mines=2)
ADVICE = Advice(
    BOARD,
    analyse(BOARD),
    Decision((Move(Cell(0, 0)), Move(Cell(0, 3))), "2 cells are certainly safe", 1.0),
    win=0.875,
)
RISKY = Decision((Move(Cell(0, 1)),), "played by hand", 0.73)
TURN = Turn(1, 1, FRAME, Reading(BOARD, Status.PLAYING, 1.0), RISKY)
MISTAKE = Mistake(
    1, Kind.NEEDLESS_RISK, "row 1, column 2 had a risk of 27.0 % while 2 cells were safe", 0.27
)
LOST = GameResult(1, Outcome.LOST, turns=1, clicks=1, guesses=1, seconds=2.5, chance=0.73)


@pytest.fixture
def view() -> Iterator[WatchView]:
    terminal = PipeConsole(file=io.StringIO(), force_terminal=True, width=80, height=24)
    with WatchView(terminal) as watching:
        yield watching


def lines_of(view: WatchView) -> list[str]:
    console = PipeConsole(file=io.StringIO(), width=80)
    console.print(view.panel())
    return [line.strip("│| ") for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_the_panel_shows_board_certain_cells_best_move_and_chance(view: WatchView) -> None:
    view.advised(1, ADVICE)
    lines = lines_of(view)
    assert lines[0].strip("╭─╮┌┐+- ") == "minebot · game 1 · 3×4, 2 mines"
    assert lines[2].split() == ["1", "✓", "⚐", "⚐", "✓"]
    assert "Open row 1, column 1 and 1 more: 2 cells are certainly safe" in lines
    text = " ".join(lines)
    assert "chance to win 87.5 %" in text
    assert "mistakes 0" in text
    assert "bot's time" not in text


def test_a_mistake_is_shown_above_the_best_move_and_counted(view: WatchView) -> None:
    view.advised(1, ADVICE)
    below = lines_of(view).index("Open row 1, column 1 and 1 more: 2 cells are certainly safe")
    view(Decided(TURN))
    view(Played(TURN))
    view.warned(TURN, MISTAKE)
    lines = lines_of(view)
    warning = "Row 1, column 2 had a risk of 27.0 % while 2 cells were safe."
    assert lines.index(warning) == below
    assert lines[below + 1].startswith("Open row 1, column 1"), "nothing below moves"
    text = " ".join(lines)
    assert "mistakes 1" in text
    assert "clicks 1" in text
    assert "1 guess (risk): r1 c2 (27.0 %)" in text


def test_a_warning_stays_for_some_seconds_of_moves_and_goes_with_the_game(
    view: WatchView, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.advised(1, ADVICE)
    view.warned(TURN, MISTAKE)
    view(Played(TURN))
    view.advised(1, ADVICE)
    assert "had a risk of 27.0 %" in " ".join(lines_of(view))
    monkeypatch.setattr(watch_view, "WARNING_S", 0.0)
    view(Played(TURN))
    view.advised(1, ADVICE)
    assert "had a risk of 27.0 %" not in " ".join(lines_of(view))
    view.warned(TURN, MISTAKE)
    view(GameOver(LOST, FRAME, Reading(BOARD, Status.LOST, 1.0)))
    text = " ".join(lines_of(view))
    assert "had a risk of 27.0 %" in text
    assert "Game 1: lost after 2.5 s" in text
    view.advised(2, ADVICE)
    text = " ".join(lines_of(view))
    assert "had a risk" not in text
    assert "game 2" in text


def test_the_thought_about_a_guess_is_shown_until_it_is_found(view: WatchView) -> None:
    view.advised(1, Advice(BOARD, analyse(BOARD), thought=(32, 512)))
    assert "Thinking: 32 of at most 512 layouts" in lines_of(view)
    view.advised(1, ADVICE)
    assert "Thinking" not in " ".join(lines_of(view))


def test_a_pipe_gets_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with WatchLog() as log:
        log.advised(1, Advice(BOARD, analyse(BOARD)))
        log.advised(1, ADVICE)
        log.warned(TURN, MISTAKE)
        log(GameOver(LOST, FRAME, None))
    reported = capsys.readouterr()
    assert reported.err.splitlines() == [
        "Open row 1, column 1 and 1 more: 2 cells are certainly safe",
        "Game 1, turn 1: Row 1, column 2 had a risk of 27.0 % while 2 cells were safe.",
    ]
    assert reported.out == "Game 1: lost.\n"
