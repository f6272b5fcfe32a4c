"""A game that a person plays, on the panel of play and in plain lines."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

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


def test_what_the_panel_of_watch_shows(
    compare: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_view, "WARNING_S", 600.0)
    terminal = PipeConsole(file=io.StringIO(), force_terminal=True, width=80, height=24)
    shown = []

    def show(what: str) -> None:
        console = PipeConsole(file=io.StringIO(), width=80)
        console.print(view.panel())
        text = console.file.getvalue()  # type: ignore[attr-defined]
        shown.append(f"{what}\n{re.sub('time [0-9.]+ s', 'time N s', text)}")

    with WatchView(terminal) as view:
        view.advised(1, Advice(BOARD, analyse(BOARD), thought=(32, 512)))
        show("the thought about a guess")
        view.advised(1, ADVICE)
        show("certain cells and the chance to win")
        view(Decided(TURN))
        view(Played(TURN))
        view.warned(TURN, MISTAKE)
        show("a mistake above the best move; nothing below moves")
        view(Played(TURN))
        view.advised(1, ADVICE)
        show("a warning stays for some seconds of moves")
        monkeypatch.setattr(watch_view, "WARNING_S", 0.0)
        view(Played(TURN))
        view.advised(1, ADVICE)
        show("and goes after them")
        view.warned(TURN, MISTAKE)
        view(GameOver(LOST, FRAME, Reading(BOARD, Status.LOST, 1.0)))
        show("at the end it stays")
        view.advised(2, ADVICE)
        show("and goes with the game")
    compare("watch", "\n".join(shown))


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
