"""Why a game was lost."""

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


def test_a_guess_that_hits_a_mine_is_bad_luck_with_its_risk() -> None:
    decision = Decision((Move(Cell(0, 0)),), "test", 0.8)
    board, final = Board.from_text("##\n11", 1), Board.from_text("X#\n11")
    clicks = [Click(Cell(0, 0), ScreenPoint(0, 0))]
    assert explain_loss(board, decision, clicks, final) == (
        Blame.BAD_LUCK,
        "The guess had a risk of 20.0 %.",
    )


def test_a_guess_beside_a_safe_cell_is_a_mistake() -> None:
    decision = Decision((Move(Cell(0, 0)),), "test", 0.8)
    board, final = Board.from_text("###\n121"), Board.from_text("X#*\n121")
    clicks = [Click(Cell(0, 0), ScreenPoint(0, 0))]
    assert explain_loss(board, decision, clicks, final) == (
        Blame.MISTAKE,
        "Row 1, column 2 was certainly safe.",
    )


def test_a_number_that_the_mines_contradict_is_a_misread() -> None:
    assert lost("##\n21", "X#\n21", (0, 0), survival=0.5) is not Blame.MISREAD
    assert lost("###\n131", "X#*\n121", (0, 0)) is Blame.MISREAD
    assert lost("###\n111", "X#*\n111", (0, 0), survival=0.5) is Blame.MISREAD


def test_while_mines_still_appear_the_one_that_was_clicked_may_be_covered() -> None:
    """A page shows its mines one after another, each in another colour."""
    assert lost("####\n1221", "###X\n1221", (0, 1), survival=0.5) is Blame.MISTAKE
    assert lost("####\n1221", "###X\n1221", (0, 1)) is Blame.UNKNOWN


def test_an_exploded_mine_that_was_not_clicked_is_a_misclick() -> None:
    assert lost("###\n011", "##X\n011", (0, 0)) is Blame.MISCLICK
    assert lost("###\n111", "X##\n111", (0, 0), clicked=False) is Blame.MISCLICK


def test_a_program_may_draw_each_mine_in_another_colour() -> None:
    """Another one than that which was clicked may then look like the exploded one."""
    assert lost("###\n121", "*#X\n121", (0, 0), survival=0.5) is Blame.MISTAKE


def test_a_program_may_draw_all_mines_like_the_one_that_exploded() -> None:
    assert lost("####\n1221", "X##X\n1221", (0, 0), survival=0.5) is Blame.MISTAKE
    assert lost("####\n1111", "#XX#\n1111", (0, 0), survival=0.5) is not Blame.BAD_LUCK


def test_a_certain_cell_that_explodes_is_the_solvers_fault() -> None:
    assert lost("###\n111", "#X#\n111", (0, 1), mines=1) is Blame.SOLVER_FAULT


def test_more_mines_than_assumed_is_a_misread_total() -> None:
    assert lost("####\n1111\n####", "#X##\n1111\n###*", (0, 1), mines=1) is Blame.MISREAD


def test_a_chord_may_explode_a_neighbour() -> None:
    decision = Decision((Move(Cell(1, 1)),), "test", 1.0)
    clicks = [Click(Cell(1, 1), ScreenPoint(0, 0), Button.MIDDLE)]
    board, final = Board.from_text("###\n#1#\n###"), Board.from_text("X##\n#1#\n###")
    assert explain_loss(board, decision, clicks, final)[0] is Blame.SOLVER_FAULT


def test_if_only_the_exploded_mine_is_shown_nothing_is_contradicted() -> None:
    assert misread_cell(Board.from_text("###\n121"), Board.from_text("X##\n121")) is None


def test_a_loss_that_shows_too_few_mines_has_an_unknown_cause() -> None:
    assert lost("###\n121", "#X#\n121", (0, 1), mines=2) is Blame.UNKNOWN


def test_a_first_click_that_hits_a_mine_is_bad_luck() -> None:
    assert lost("##\n##", "X#\n*#", (0, 0)) is Blame.BAD_LUCK


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


def test_a_hidden_cell_may_be_the_mine_where_not_all_are_in_sight() -> None:
    """Far from every number, or while the numbers lack mines, the clicked one may be covered."""
    assert lost("####\n1221", "#*##\n1221", (0, 3)) is Blame.UNKNOWN
    far, shown = "####\n####\n####\n01##", "####\n#*##\n####\n01*#"
    assert lost(far, shown, (0, 0)) is Blame.UNKNOWN
    assert lost(far, shown, (0, 0), mines=2) is Blame.MISCLICK


def test_tiles_in_doubt_contradict_nothing() -> None:
    """Mines that look alike were read as mines and as wrong flags, hidden tiles as flags."""
    assert lost("###\n121", "X~*\n121", (0, 0), survival=0.5, mines=2) is not Blame.MISREAD
    assert lost("###\n121", "*#*\n1~1", (0, 0), survival=0.5) is not Blame.MISREAD
    assert lost("###\n121", "X#W\n121", (0, 0), survival=0.5) is not Blame.MISREAD
    assert lost("F#\n22", "WX\n22", (0, 1), survival=0.5) is Blame.MISREAD
    assert lost("###\n121", "~#*\n121", (0, 0), survival=1.0) is Blame.UNKNOWN
