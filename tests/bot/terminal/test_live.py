"""Play on the terminal: the plain log and the live view."""

from __future__ import annotations

import io
import re
import time
from dataclasses import replace

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.events import (
    Click,
    Decided,
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


def terminal(width: int = 120, **options: object) -> PipeConsole:
    return PipeConsole(
        file=io.StringIO(), force_terminal=True, width=width, height=40, **options  # type: ignore[arg-type]
    )  # fmt: skip


def plain_text(view: LiveView) -> str:
    """Draw the picture of the moment without colours."""
    console = PipeConsole(file=io.StringIO(), width=120)
    console.print(view.panel())
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_a_pipe_gets_the_plain_log_and_a_terminal_the_live_view() -> None:
    assert isinstance(terminal_observer(console=PipeConsole(file=io.StringIO())), PlainLog)
    assert isinstance(terminal_observer(console=terminal()), LiveView)


def test_the_plain_log_has_only_guesses_notes_and_results() -> None:
    console = PipeConsole(file=io.StringIO(), width=40)
    with terminal_observer(console=console) as view:
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


def test_without_a_mine_total_other_cells_have_the_risk_of_the_likely_totals() -> None:
    board = Board.from_text("1########" + 8 * "\n#########")
    with terminal_observer(console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(board, GUESS)))
        (risk,) = re.findall(r"other cells' risk (\S+) %", plain_text(view))
    assert 8 < float(risk) < 20


def test_the_picture_shows_board_reason_and_chances() -> None:
    with terminal_observer(games=3, agent="tank", console=terminal()) as view:
        assert isinstance(view, LiveView)
        assert "Looking for the board" in plain_text(view)
        view(Decided(turn_of(BOARD, GUESS)))
        text = plain_text(view)
    assert "game 1 of 3 · 3×4, 2 mines · tank" in text
    assert "Guess row 1, column 2, risk 25.0 %: least risk" in text
    assert "chance to win 50.0 %" in text
    assert text.count("50.0 %") == 1
    assert "1 guess (risk): r1 c2 (25.0 %)" in text
    assert "last click" in text
    assert "least risk" in text
    assert "2  1  2  2  1" in text  # the second row, with its label
    assert "1  2  3  4" in text


def test_the_picture_counts_clicks_guesses_wins_and_the_bots_time() -> None:
    with terminal_observer(games=2, console=terminal()) as view:
        assert isinstance(view, LiveView)
        turn = turn_of(BOARD, GUESS)
        view(Decided(turn))
        click = Click(Cell(0, 1), ScreenPoint(1, 1), Button.LEFT)
        view(Played(replace(turn, clicks=(click,), timings=Timings(decide_ms=12.0))))
        view(GameOver(WON, FRAME, Reading(BOARD, Status.WON, 1.0)))
        text = plain_text(view)
    assert "won 1 of 1 (21–100 %)" in text
    assert "chance to win 100 %" in text
    assert "1 guess (risk): " in text
    assert "clicks 1" in text
    assert "bot's time a turn 12 ms" in text
    assert "Game 1: won after 2.5 s" in text


def test_thought_shows_how_far_it_is_until_the_decision() -> None:
    with terminal_observer(agent="deep:think=high", console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(BOARD, SAFE)))
        view(Thinking(32, 4096))
        assert "Thinking: 32 of at most 4096 worlds" in plain_text(view)
        view(Decided(turn_of(BOARD, GUESS)))
        assert "Thinking" not in plain_text(view)


def test_a_new_game_starts_with_new_counts() -> None:
    with terminal_observer(games=2, console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(BOARD, GUESS)))
        view(Decided(turn_of(BOARD, SAFE, game=2)))
        text = plain_text(view)
    assert "No guess so far" in text
    assert "game 2 of 2" in text
    assert "Open row 1, column 1 and 1 more: They are free." in text


def test_the_chance_to_win_is_shown_while_all_moves_are_certain() -> None:
    open_one = Board.from_text("#1001##\n#10011#", mines=2)
    with terminal_observer(games=2, console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(open_one, SAFE)))
        assert "chance to win 50.0 %" in plain_text(view)
    with terminal_observer(games=2, console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(BOARD.with_mines(None), SAFE)))
        assert "chance to win unknown" in plain_text(view)


def test_only_the_last_notes_stay() -> None:
    with terminal_observer(console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(BOARD, SAFE)))
        for number in range(9):
            view(Noticed(f"note {number}"))
        text = plain_text(view)
    assert "note 8" in text
    assert "note 1" not in text


def test_a_board_without_a_solution_is_shown_without_risks() -> None:
    impossible = Board.from_text("#8#/###".replace("/", "\n"), mines=3)
    with terminal_observer(console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(impossible, GUESS)))
        assert "8" in plain_text(view)


def test_an_expert_board_fits_in_eighty_columns() -> None:
    with terminal_observer(console=terminal(80)) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(Board(np.full((16, 30), -1), 99), SAFE)))
        console = PipeConsole(file=io.StringIO(), width=80)
        console.print(view.panel())
        lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert sum(line.count("·") >= 28 for line in lines) == 16
    assert max(map(len, lines)) <= 80


@pytest.mark.slow
def test_the_clock_runs_while_nothing_happens() -> None:
    console = terminal()
    with terminal_observer(console=console):
        limit = time.monotonic() + 30
        while len(set(re.findall(r"board… (\d+\.\d) s", console.file.getvalue()))) < 3:  # type: ignore[attr-defined]
            assert time.monotonic() < limit, "the clock stands still"
            time.sleep(0.05)


def test_a_demonstration_takes_about_six_seconds() -> None:
    """Openings spare about half of the clicks on a beginner board, 60 % on larger ones."""
    assert demo_pace(81, 10).pause_s(guess=False) == pytest.approx(0.17, abs=0.01)
    assert demo_pace(480, 99).pause_s(guess=False) == pytest.approx(0.03, abs=0.005)
    assert demo_pace(4, 4).pause_s(guess=False) > 0


def test_a_certain_flag_is_not_shown_as_a_guess() -> None:
    decision = Decision((Move(Cell(0, 1), Action.FLAG),), "It is a mine.", 1.0)
    with terminal_observer(console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(BOARD, decision)))
        assert "Flag row 1, column 2: It is a mine." in plain_text(view)


def drawn(
    width: int,
    height: int,
    board: Board,
    decision: Decision = SAFE,
    *,
    control: KeyControl | None = None,
    note: str = "",
) -> list[str]:
    """Draw the live view on a terminal of this size."""
    control = control or KeyControl(lambda: "")
    size = PipeConsole(file=io.StringIO(), force_terminal=True, width=width, height=height)
    with terminal_observer(console=size, control=control) as view:
        assert isinstance(view, LiveView)
        if note:
            view(Noticed(note))
        view(Decided(turn_of(board, decision)))
        console = PipeConsole(file=io.StringIO(), width=width)
        console.print(view.panel())
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined,no-any-return]


EXPERT = Board(np.full((16, 30), -1), 99)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 12), (100, 30), (200, 60)])
def test_the_live_view_fits_and_shows_the_part_of_the_board_around_the_move(
    size: tuple[int, int],
) -> None:
    lines = drawn(*size, EXPERT)
    assert len(lines) <= size[1]
    assert max(map(len, lines)) <= size[0]
    text = " ".join(line.strip("│ ") for line in lines)
    assert ("last click" in text) == (size[0] >= 80)
    assert "Open row 1, column 1 and 1 more" in text
    assert "✓" in text or "@" in text, "the move is in sight"
    if size[0] >= 80:
        assert len(re.findall(r"^│ +\d+ +[@·] ", "\n".join(lines), re.M)) == 16, "the whole board"


@pytest.mark.parametrize("size", [(40, 20), (40, 12), (80, 24), (100, 30)])
def test_the_keys_are_listed_on_every_terminal(size: tuple[int, int]) -> None:
    control = KeyControl(lambda: "")
    control.help = True
    lines = drawn(*size, EXPERT, control=control)
    text = "\n".join(lines)
    assert len(lines) <= size[1]
    assert "q  stop after this game" in text
    assert "stops at once" in " ".join(line.strip("│ ") for line in lines)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (100, 30)])
@pytest.mark.parametrize("listed", [False, True])
def test_a_pause_shows_on_every_terminal(size: tuple[int, int], listed: bool) -> None:
    control = KeyControl(lambda: "")
    control.paused, control.help = True, listed
    lines = drawn(*size, EXPERT, control=control)
    assert "PAUSED" in lines[0]
    assert len(lines) <= size[1]


def test_eighty_columns_and_24_rows_name_the_key_that_lists_the_keys() -> None:
    lines = drawn(80, 24, EXPERT)
    assert lines[-2].strip("│ ") == "? keys · No guess so far."
    assert lines[-1].strip("╰─╯ ").endswith("last click"), "the legend has room there"
    lines = drawn(80, 24, EXPERT, GUESS)
    assert "? keys · 1 guess (risk): r1 c2 (25.0 %)" in lines[-2]
    lines = drawn(80, 24, EXPERT, GUESS, note="The number of mines is not read.")
    assert "? keys · 1 guess (risk): r1 c2 (25.0 %) · The number of mines is not read." in lines[-2]
    assert len(lines) == 24
    control = KeyControl(lambda: "")
    control.help = control.paused = True
    page = [line.strip("│ ") for line in drawn(80, 24, EXPERT, control=control)]
    assert "PAUSED" in page, "no lone dot follows"
    assert "q  stop after this game" in page


def test_a_note_goes_with_its_game() -> None:
    with terminal_observer(games=2, console=terminal()) as view:
        assert isinstance(view, LiveView)
        view(Noticed("The board is partly open already; playing on from here."))
        view(Decided(turn_of(BOARD, SAFE)))
        assert "partly open" in plain_text(view)
        view(GameOver(WON, FRAME, Reading(BOARD, Status.WON, 1.0)))
        assert "partly open" not in plain_text(view)
        view(Noticed("The window moved."))
        view(Decided(turn_of(BOARD, SAFE, game=2)))
        assert "The window moved." in plain_text(view)


def test_a_resized_terminal_is_cleared_and_drawn_anew() -> None:
    console = terminal(80)
    control = KeyControl(lambda: "", step=True)
    with terminal_observer(console=console, control=control) as view:
        assert isinstance(view, LiveView)
        view(Decided(turn_of(BOARD, SAFE)))
        before = len(console.file.getvalue())  # type: ignore[attr-defined]
        assert "\x1b[2J" not in console.file.getvalue()  # type: ignore[attr-defined]
        console.size = (36, 20)  # type: ignore[assignment]
        limit = time.monotonic() + 30
        while "╯" not in console.file.getvalue()[before:].partition("\x1b[2J")[2]:  # type: ignore[attr-defined]
            assert time.monotonic() < limit, "nothing is drawn although play is paused"
            time.sleep(0.05)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", console.file.getvalue()[before:]).splitlines()  # type: ignore[attr-defined]
    assert max(map(len, (line.strip("\r") for line in lines))) <= 36


def test_a_long_reason_is_not_cut_where_there_is_room() -> None:
    reason = "nothing is certain; " + "the best in view of what it may show " * 3
    text = " ".join(
        line.strip("│ ") for line in drawn(100, 40, BOARD, replace(GUESS, reason=reason))
    )
    assert " ".join(reason.split()) in " ".join(text.split())


def test_the_last_click_is_marked() -> None:
    with terminal_observer(console=terminal()) as view:
        assert isinstance(view, LiveView)
        turn = turn_of(BOARD, SAFE)
        view(Decided(turn))
        view(Played(replace(turn, clicks=(Click(Cell(1, 2), ScreenPoint(1, 1)),))))
        view(Decided(turn_of(BOARD, GUESS)))
        console = PipeConsole(
            file=io.StringIO(), width=120, force_terminal=True, color_system="truecolor"
        )
        console.print(view.panel())
    marked = [part for part in console.file.getvalue().split("\x1b[") if part.startswith("4;")]  # type: ignore[attr-defined]
    assert any(part.endswith("m 2 ") for part in marked)
