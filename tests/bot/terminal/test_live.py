"""Play on the terminal: the plain log and the live view."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.events import (
    Click,
    Decided,
    Event,
    GameOver,
    GameResult,
    Noticed,
    Outcome,
    Played,
    Thinking,
    Timings,
    Turn,
)
from bot.terminal.console import PipeConsole
from bot.terminal.keys import KeyControl
from bot.terminal.live import LiveView, demo_pace, terminal_observer
from bot.terminal.printers import PlainLog
from calibration.frame import Frame
from calibration.grid import ScreenPoint
from calibration.reading import Reading
from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell
from solver.game import Status

FRAME = Frame(np.zeros((4, 4, 3), np.uint8))

BOARD = Board.from_text("####\n1221\n0000", mines=2)


def turn_of(board: Board, decision: Decision, **changes: object) -> Turn:
    turn = Turn(1, 1, FRAME, Reading(board, Status.PLAYING, 1.0), decision, chance=0.5)
    return replace(turn, **changes)  # type: ignore[arg-type]


SAFE = Decision((Move(Cell(0, 0)), Move(Cell(0, 3))), "They are free.", 1.0)

GUESS = Decision((Move(Cell(0, 1)),), "least risk", 0.75, win=0.5)

WON = GameResult(1, Outcome.WON, turns=3, clicks=7, guesses=1, seconds=2.5, chance=0.8)


def terminal(width: int = 120, **options: object) -> PipeConsole:
    return PipeConsole(
        file=io.StringIO(), force_terminal=True, width=width, height=40, **options  # type: ignore[arg-type]
    )  # fmt: skip


def panel(view: LiveView, width: int = 120) -> str:
    """Draw the picture of the moment without colours."""
    console = PipeConsole(file=io.StringIO(), width=width)
    console.print(view.panel())
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def without_times(text: str) -> str:
    return re.sub(r"(time |… )\d+\.\d s", r"\1N s", text)


def test_a_pipe_gets_a_plain_log_of_only_guesses_notes_and_results() -> None:
    console = PipeConsole(file=io.StringIO(), width=40)
    with terminal_observer(console=console) as view:
        assert isinstance(view, PlainLog)
        view(Decided(turn_of(BOARD, SAFE)))
        view(Decided(turn_of(BOARD, GUESS)))
        view(Decided(turn_of(BOARD, GUESS, retry=True)))
        view(Noticed("The window moved [to the left]."))
        view(GameOver(WON, FRAME, None))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines == [
        "Game 1, turn 1: Guess at row 1, column 2 (75.0 % to survive, 50.0 % to win): least risk",
        "The window moved [to the left].",
        "Game 1: won after 2.5 s, 7 clicks, 1 guess; the chance to survive it was 80.0 %.",
    ]


CLICK = Click(Cell(0, 1), ScreenPoint(1, 1), Button.LEFT)
PLAYED = Played(turn_of(BOARD, GUESS, clicks=(CLICK,), timings=Timings(decide_ms=12.0)))
CLICKED = Played(turn_of(BOARD, SAFE, clicks=(Click(Cell(1, 2), ScreenPoint(1, 1)),)))
OVER = GameOver(WON, FRAME, Reading(BOARD, Status.WON, 1.0))
FLAG = Decision((Move(Cell(0, 1), Action.FLAG),), "It is a mine.", 1.0)
LONG = "nothing is certain; " + "the best in view of what it may show " * 3
OPEN_ONE = Board.from_text("#1001##\n#10011#", mines=2)
IMPOSSIBLE = Board.from_text("#8#\n###", mines=3)
EXPERT = Board(np.full((16, 30), -1), 99)
UNKNOWN_TOTAL = Board.from_text("1########" + 8 * "\n#########")

MOMENTS: dict[str, list[Event]] = {
    "the board is looked for": [],
    "a guess": [Decided(turn_of(BOARD, GUESS))],
    "a game was won": [Decided(turn_of(BOARD, GUESS)), PLAYED, OVER],
    "the next game": [PLAYED, OVER, Decided(turn_of(BOARD, SAFE, game=2))],
    "it thinks": [Decided(turn_of(BOARD, SAFE)), Thinking(32, 4096)],
    "it has thought": [Thinking(32, 4096), Decided(turn_of(BOARD, GUESS))],
    "all moves are certain": [Decided(turn_of(OPEN_ONE, SAFE))],
    "the total is unknown": [Decided(turn_of(UNKNOWN_TOTAL, GUESS))],
    "no layout fits": [Decided(turn_of(IMPOSSIBLE, GUESS))],
    "a certain flag": [Decided(turn_of(BOARD, FLAG))],
    "a long reason": [Decided(turn_of(BOARD, replace(GUESS, reason=LONG)))],
    "only the last notes stay": [
        Decided(turn_of(BOARD, SAFE)), *[Noticed(f"note {number}") for number in range(9)],
    ],
    "notes go with their game": [
        Noticed("The board is partly open already."), Decided(turn_of(BOARD, SAFE)), OVER,
        Noticed("The window moved."), Decided(turn_of(BOARD, SAFE, game=2)),
    ],
}  # fmt: skip


def test_what_the_live_view_shows(compare: Callable[[str, str], None]) -> None:
    shown = []
    for name, events in MOMENTS.items():
        with terminal_observer(games=3, agent="tank", console=terminal(100)) as view:
            assert isinstance(view, LiveView)
            for event in events:
                view(event)
            shown.append(f"{name}\n{panel(view, 100)}")
    compare("live", without_times("\n".join(shown)))


@pytest.mark.slow
def test_the_clock_runs_while_nothing_happens() -> None:
    console = terminal()
    with terminal_observer(console=console):
        limit = time.monotonic() + 120
        while len(set(re.findall(r"board… (\d+\.\d) s", console.file.getvalue()))) < 3:  # type: ignore[attr-defined]
            assert time.monotonic() < limit, "the clock stands still"
            time.sleep(0.05)


def test_a_demonstration_takes_about_six_seconds() -> None:
    """Openings spare about half of the clicks on a beginner board, 60 % on larger ones."""
    assert demo_pace(81, 10).pause_s(guess=False) == pytest.approx(0.17, abs=0.01)
    assert demo_pace(480, 99).pause_s(guess=False) == pytest.approx(0.03, abs=0.005)
    assert demo_pace(4, 4).pause_s(guess=False) > 0


def drawn(width: int, height: int, *, paused: bool, listed: bool, note: bool) -> list[str]:
    """Draw an expert board on a terminal of this size."""
    control = KeyControl(lambda: "")
    control.paused, control.help = paused, listed
    size = PipeConsole(file=io.StringIO(), force_terminal=True, width=width, height=height)
    with terminal_observer(console=size, control=control) as view:
        assert isinstance(view, LiveView)
        if note:
            view(Noticed("The number of mines is not read."))
        view(Decided(turn_of(EXPERT, GUESS if note else SAFE)))
        return panel(view, width).splitlines()


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 20), (40, 12), (100, 30), (200, 60)])
def test_the_live_view_fits_on_every_terminal(size: tuple[int, int]) -> None:
    for paused, listed, note in product((False, True), repeat=3):
        lines = drawn(*size, paused=paused, listed=listed, note=note)
        assert len(lines) <= size[1]
        assert max(map(len, lines)) <= size[0]
        assert ("PAUSED" in lines[0]) is paused
        text = " ".join(line.strip("│ ") for line in lines)
        assert "stops at once" in text if listed else re.search("[✓@]", text), "what matters most"


def test_what_has_no_room_is_named(compare: Callable[[str, str], None]) -> None:
    looks = {"plain": (False, False), "with a note": (False, True), "with the keys": (True, False)}
    shown = [
        "\n".join([f"{width}x{height} {name}", *look, ""])
        for width, height in ((80, 24), (60, 20), (40, 12))
        for name, (listed, note) in looks.items()
        for look in [drawn(width, height, paused=False, listed=listed, note=note)]
    ]
    compare("live-sizes", without_times("\n".join(shown)))


def test_a_resized_terminal_is_cleared_and_drawn_anew() -> None:
    console = terminal(80)
    sent: io.StringIO = console.file  # type: ignore[assignment]
    with terminal_observer(console=console, control=KeyControl(lambda: "", step=True)) as view:
        view(Decided(turn_of(BOARD, SAFE)))
        before = len(sent.getvalue())
        assert "\x1b[2J" not in sent.getvalue()
        console.size = (36, 20)  # type: ignore[assignment]
        limit = time.monotonic() + 120
        while "╯" not in sent.getvalue()[before:].partition("\x1b[2J")[2]:
            assert time.monotonic() < limit, "nothing is drawn although play is paused"
            time.sleep(0.05)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sent.getvalue()[before:]).splitlines()
    assert max(map(len, (line.strip("\r") for line in lines))) <= 36


def test_the_last_click_is_marked() -> None:
    console = terminal(color_system="truecolor")
    with terminal_observer(console=console) as view:
        for event in (Decided(turn_of(BOARD, SAFE)), CLICKED, Decided(turn_of(BOARD, GUESS))):
            view(event)
    sent = console.file.getvalue()  # type: ignore[attr-defined]
    assert any(part[:2] == "4;" and part.endswith("m 2 ") for part in sent.split("\x1b["))
