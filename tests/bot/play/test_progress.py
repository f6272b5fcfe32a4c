"""What is counted of a game under way, and why one was lost."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.errors import WindowStuck
from bot.events import Blame, Click, Outcome
from bot.play.progress import Progress, explain_loss
from bot.tracking.game import Observation
from calibration.frame import Frame
from calibration.grid import ScreenPoint
from calibration.reading import Reading
from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell, Tile
from solver.game import Status
from tests.bot.command_line import TOO_LARGE

RISKY = Decision((Move(Cell(0, 0), Action.OPEN),), "the corner", 0.8)


def observation(text: str) -> Observation:
    board = Board.from_text(text, 1)
    return Observation(
        Frame(np.zeros((9, 9, 3), np.uint8)), Reading(board, Status.PLAYING, confidence=1.0)
    )


def test_a_first_click_that_has_a_risk_is_a_guess() -> None:
    """The review of a game judges it so, too."""
    progress = Progress(1, 0.0)
    for text in ("##\n##", "#1\n##"):
        seen = observation(text)
        progress.begin_turn(seen, seen.board, RISKY, 0.0)
    assert progress.guesses == 2
    assert progress.chance == pytest.approx(0.8 * 0.8)


def test_a_game_that_is_broken_off_has_a_result_once() -> None:
    progress = Progress(1, 2.0)
    assert progress.sum_up_stopped(3.0) is None
    seen = observation("##\n##")
    progress.end_turn(progress.begin_turn(seen, seen.board, RISKY, 0.0), (), send_ms=0, wait_ms=0)
    result = progress.sum_up_stopped(5.0)
    assert result is not None
    assert (result.outcome, result.turns, result.seconds) == (Outcome.STOPPED, 1, 3.0)
    assert progress.sum_up_stopped(6.0) is None


def test_why_an_agent_stopped_is_a_sentence() -> None:
    result = Progress(1, 0.0).sum_up(None, 1.0, Board.from_text("##"), "gives up: stuck")
    assert result.why == "Gives up: stuck."


@pytest.mark.parametrize(
    ("clicks", "mines", "tile", "is_game"),
    [
        (49, None, 0, False),
        (49, 40, 0, False),
        (30, 40, 0, True),  # an opening of a page that opens one cell a click
        (49, 40, 1, True),
        (49, 2, 0, True),
    ],
)
def test_a_board_without_any_number_is_doubted_in_the_end(
    clicks: int, mines: int | None, tile: int, is_game: bool
) -> None:
    tiles = np.full((16, 16), Tile.HIDDEN, np.int8)
    tiles[:7, :7] = 0
    tiles[7, 7] = tile
    progress = Progress(1, 0.0, clicks=clicks)
    with nullcontext() if is_game else pytest.raises(WindowStuck, match="none shows a number"):
        progress.check_numbers(Board(tiles, mines))


# ---- why a game was lost -------------------------------------------------------------------------


def lost(
    before: str,
    after: str,
    cell: tuple[int, int],
    *,
    survival: float = 1.0,
    mines: int | None = None,
    clicked: bool = True,
) -> Blame:
    decision = Decision((Move(Cell(*cell)),), "test", survival)
    clicks = [Click(Cell(*cell), ScreenPoint(0, 0))] if clicked else []
    blame, why = explain_loss(
        Board.from_text(before, mines), decision, clicks, Board.from_text(after)
    )
    assert why.endswith(".")
    return blame


GUESS = {"survival": 0.5}
TWO, ROW, WALL = "###\n121", "####\n1221", "###\n111"
FAR, SHOWN = "####\n####\n####\n01##", "####\n#*##\n####\n01*#"


@pytest.mark.parametrize(
    ("before", "after", "cell", "known", "blame"),
    [
        # A number that the mines contradict is a misread; so is a total, if there are more mines.
        ("###\n131", "X#*\n121", (0, 0), {}, Blame.MISREAD),
        (WALL, "X#*\n111", (0, 0), GUESS, Blame.MISREAD),
        ("F#\n22", "WX\n22", (0, 1), GUESS, Blame.MISREAD),
        ("####\n1111\n####", "#X##\n1111\n###*", (0, 1), {"mines": 1}, Blame.MISREAD),
        # While mines still appear the one that was clicked may be covered.
        (ROW, "###X\n1221", (0, 1), GUESS, Blame.MISTAKE),
        (ROW, "###X\n1221", (0, 1), {}, Blame.UNKNOWN),
        # An exploded mine that was not clicked is a misclick.
        ("###\n011", "##X\n011", (0, 0), {}, Blame.MISCLICK),
        (WALL, "X##\n111", (0, 0), {"clicked": False}, Blame.MISCLICK),
        # A program may draw each mine in another colour, or all like the one that exploded.
        (TWO, "*#X\n121", (0, 0), GUESS, Blame.MISTAKE),
        (ROW, "X##X\n1221", (0, 0), GUESS, Blame.MISTAKE),
        (WALL, "#X#\n111", (0, 1), {"mines": 1}, Blame.SOLVER_FAULT),
        (TWO, "#X#\n121", (0, 1), {"mines": 2}, Blame.UNKNOWN),  # too few mines are shown
        ("##\n##", "X#\n*#", (0, 0), {}, Blame.BAD_LUCK),  # a first click
        # Far from every number, or while the numbers lack mines, the clicked one may be covered.
        (ROW, "#*##\n1221", (0, 3), {}, Blame.UNKNOWN),
        (FAR, SHOWN, (0, 0), {}, Blame.UNKNOWN),
        (FAR, SHOWN, (0, 0), {"mines": 2}, Blame.MISCLICK),
        (TWO, "~#*\n121", (0, 0), {}, Blame.UNKNOWN),
        # Nothing is contradicted: one mine is shown, tiles are in doubt, or mines look alike,
        # where hidden tiles were read as flags.
        ("##\n21", "X#\n21", (0, 0), GUESS, Blame.BAD_LUCK),
        (TWO, "X##\n121", (0, 0), GUESS, Blame.MISTAKE),
        (TWO, "X~*\n121", (0, 0), {"mines": 2, **GUESS}, Blame.MISTAKE),
        (TWO, "*#*\n1~1", (0, 0), GUESS, Blame.MISTAKE),
        (TWO, "X#W\n121", (0, 0), GUESS, Blame.MISTAKE),
        ("####\n1111", "#XX#\n1111", (0, 0), GUESS, Blame.MISREAD),
    ],
)
def test_what_a_loss_is_put_down_to(
    before: str, after: str, cell: tuple[int, int], known: dict[str, Any], blame: Blame
) -> None:
    assert lost(before, after, cell, **known) is blame


def test_a_guess_is_bad_luck_with_its_risk_or_a_mistake_beside_a_safe_cell() -> None:
    for text, end, expected in (
        ("##\n11", "X#\n11", (Blame.BAD_LUCK, "The guess had a risk of 20.0 %.")),
        (TWO, "X#*\n121", (Blame.MISTAKE, "Row 1, column 2 was certainly safe.")),
    ):
        decision = Decision((Move(Cell(0, 0)),), "test", 0.8)
        clicks = [Click(Cell(0, 0), ScreenPoint(0, 0))]
        board = Board.from_text(text, 1 if expected[0] is Blame.BAD_LUCK else None)
        assert explain_loss(board, decision, clicks, Board.from_text(end)) == expected


def test_a_chord_may_explode_a_neighbour() -> None:
    decision = Decision((Move(Cell(1, 1)),), "test", 1.0)
    clicks = [Click(Cell(1, 1), ScreenPoint(0, 0), Button.MIDDLE)]
    board, final = Board.from_text("###\n#1#\n###"), Board.from_text("X##\n#1#\n###")
    assert explain_loss(board, decision, clicks, final)[0] is Blame.SOLVER_FAULT


@pytest.mark.slow
def test_a_guess_on_a_board_too_large_to_count_is_bad_luck() -> None:
    assert lost(TOO_LARGE, f"X{TOO_LARGE[1:]}", (0, 0), survival=0.5) is Blame.BAD_LUCK


def test_where_all_mines_are_in_sight_and_none_was_meant_a_click_went_elsewhere() -> None:
    """A page moved between two clicks; it draws all mines alike, and the exploded one too."""
    before = """
        00000001#
        01221001#
        02##1112#
        02#######
        01#######
        11#######
        #########
    """
    after = """
        00000001#
        01221001*
        02**11121
        02*422*##
        01##*##*#
        11#######
        #*#######
    """
    board, final = (Board.from_text("\n".join(text.split())) for text in (before, after))
    cells = [Cell(2, 8), Cell(3, 3), Cell(3, 4), Cell(3, 5), Cell(3, 7)]
    clicks = [Click(cell, ScreenPoint(0, 0)) for cell in cells]
    for survival in (1.0, 0.5):
        decision = Decision(tuple(map(Move, cells)), "test", survival)
        blame, why = explain_loss(board, decision, clicks, final)
        assert blame is Blame.MISCLICK
        assert "opened another cell" in why
