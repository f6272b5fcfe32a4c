"""Why a game was lost."""

from typing import Any

import pytest

from bot.desktop.ports import Button
from bot.events import Blame, Click
from bot.play.progress import explain_loss, misread_cell
from calibration.grid import ScreenPoint
from solver.agents.base import Decision, Move
from solver.board import Board, Cell
from tests.bot.command_line import TOO_LARGE


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


TWO, ROW, WALL = "###\n121", "####\n1221", "###\n111"
FAR, SHOWN = "####\n####\n####\n01##", "####\n#*##\n####\n01*#"


@pytest.mark.parametrize(
    ("before", "after", "cell", "known", "blame"),
    [
        # A number that the mines contradict is a misread; so is a total, if there are more mines.
        ("###\n131", "X#*\n121", (0, 0), {}, Blame.MISREAD),
        (WALL, "X#*\n111", (0, 0), {"survival": 0.5}, Blame.MISREAD),
        ("F#\n22", "WX\n22", (0, 1), {"survival": 0.5}, Blame.MISREAD),
        ("####\n1111\n####", "#X##\n1111\n###*", (0, 1), {"mines": 1}, Blame.MISREAD),
        # While mines still appear the one that was clicked may be covered.
        (ROW, "###X\n1221", (0, 1), {"survival": 0.5}, Blame.MISTAKE),
        (ROW, "###X\n1221", (0, 1), {}, Blame.UNKNOWN),
        # An exploded mine that was not clicked is a misclick.
        ("###\n011", "##X\n011", (0, 0), {}, Blame.MISCLICK),
        (WALL, "X##\n111", (0, 0), {"clicked": False}, Blame.MISCLICK),
        # A program may draw each mine in another colour, or all like the one that exploded.
        (TWO, "*#X\n121", (0, 0), {"survival": 0.5}, Blame.MISTAKE),
        (ROW, "X##X\n1221", (0, 0), {"survival": 0.5}, Blame.MISTAKE),
        (WALL, "#X#\n111", (0, 1), {"mines": 1}, Blame.SOLVER_FAULT),
        (TWO, "#X#\n121", (0, 1), {"mines": 2}, Blame.UNKNOWN),  # too few mines are shown
        ("##\n##", "X#\n*#", (0, 0), {}, Blame.BAD_LUCK),  # a first click
        # Far from every number, or while the numbers lack mines, the clicked one may be covered.
        (ROW, "#*##\n1221", (0, 3), {}, Blame.UNKNOWN),
        (FAR, SHOWN, (0, 0), {}, Blame.UNKNOWN),
        (FAR, SHOWN, (0, 0), {"mines": 2}, Blame.MISCLICK),
        (TWO, "~#*\n121", (0, 0), {}, Blame.UNKNOWN),
    ],
)
def test_what_a_loss_is_put_down_to(
    before: str, after: str, cell: tuple[int, int], known: dict[str, Any], blame: Blame
) -> None:
    assert lost(before, after, cell, **known) is blame


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [
        ("##\n21", "X#\n21", {}),
        # Tiles in doubt, and mines that look alike: hidden tiles were read as flags.
        (TWO, "X~*\n121", {"mines": 2}),
        (TWO, "*#*\n1~1", {}),
        (TWO, "X#W\n121", {}),
    ],
)
def test_what_contradicts_nothing_is_no_misread(
    before: str, after: str, known: dict[str, Any]
) -> None:
    assert lost(before, after, (0, 0), survival=0.5, **known) is not Blame.MISREAD


def test_a_guess_is_bad_luck_with_its_risk_or_a_mistake_beside_a_safe_cell() -> None:
    for text, end, expected in (
        ("##\n11", "X#\n11", (Blame.BAD_LUCK, "The guess had a risk of 20.0 %.")),
        (TWO, "X#*\n121", (Blame.MISTAKE, "Row 1, column 2 was certainly safe.")),
    ):
        decision = Decision((Move(Cell(0, 0)),), "test", 0.8)
        clicks = [Click(Cell(0, 0), ScreenPoint(0, 0))]
        board = Board.from_text(text, 1 if expected[0] is Blame.BAD_LUCK else None)
        assert explain_loss(board, decision, clicks, Board.from_text(end)) == expected
    assert lost("####\n1111", "#XX#\n1111", (0, 0), survival=0.5) is not Blame.BAD_LUCK


def test_a_chord_may_explode_a_neighbour() -> None:
    decision = Decision((Move(Cell(1, 1)),), "test", 1.0)
    clicks = [Click(Cell(1, 1), ScreenPoint(0, 0), Button.MIDDLE)]
    board, final = Board.from_text("###\n#1#\n###"), Board.from_text("X##\n#1#\n###")
    assert explain_loss(board, decision, clicks, final)[0] is Blame.SOLVER_FAULT


def test_if_only_the_exploded_mine_is_shown_nothing_is_contradicted() -> None:
    assert misread_cell(Board.from_text(TWO), Board.from_text("X##\n121")) is None


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
