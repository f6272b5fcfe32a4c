"""The moves between two boards, and what is counted of a game."""

from __future__ import annotations

import numpy as np
import pytest

from bot.tracking.game import Observation
from bot.watch.moves import end_of, infer_moves, one_by_one, risk_on
from calibration.frame import Frame
from calibration.indicators.words import Said
from calibration.reading import Reading
from solver.agents.base import Action, Move
from solver.board import Board, Cell
from solver.game import Status
from tests.bot.command_line import TOO_LARGE


def board(text: str) -> Board:
    return Board.from_text(text.replace(" ", "\n"))


@pytest.mark.parametrize(
    ("before", "after", "pointer", "over", "moves"),
    [
        ("## ##", "1# ##", None, False, "open 0 0"),
        ("#### #### ####", "001# 001# 111#", (1, 1), False, "open 1 1"),
        ("#### #### ####", "001# 001# 111#", (0, 2), False, "open 0 0"),
        ("1## 1## ###", "1#2 1## #2#", None, False, "open 0 2, open 2 1"),
        ("1# ##", "1F ##", None, False, "flag 0 1"),
        ("1F ##", "1? ##", None, False, "flag 0 1"),
        ("1F ##", "1# ##", None, False, "flag 0 1"),
        ("1F ##", "1F 21", (0, 0), False, "chord 0 0"),
        ("1F ##", "1F 21", None, False, "chord 0 0"),
        ("1F ##", "1F 21", (1, 1), False, "open 1 0, open 1 1"),
        ("1F ##", "1W X1", (0, 0), True, "chord 0 0"),
        ("1F ##", "1F #X", (0, 0), True, "chord 0 0"),
        ("1# ##", "1X #*", None, True, "open 0 1"),
        ("1# ##", "1* #*", (1, 1), True, "open 1 1"),
        ("1# ##", "1* #*", None, True, ""),
        ("1# 11", "1F 11", None, True, ""),
        ("1#", "1#", None, True, ""),
        ("1#", "1#", None, False, ""),
    ],
)
def test_the_moves_between_two_boards(
    before: str, after: str, pointer: tuple[int, int] | None, over: bool, moves: str
) -> None:
    found = infer_moves(board(before), board(after), pointer=pointer and Cell(*pointer), over=over)
    assert (
        ", ".join(f"{move.action.value} {move.cell[0]} {move.cell[1]}" for move in found) == moves
    )


def test_of_an_area_the_zero_of_least_risk_was_clicked() -> None:
    opened = board("001# 001# 111#")
    (move,) = infer_moves(board("#### #### ####"), opened, risk=lambda cell: -cell.row - cell.col)
    assert move == Move(Cell(1, 1))


def test_without_a_mine_total_a_cell_risks_what_the_likely_totals_tell() -> None:
    fresh = Board.from_text("1########" + 8 * "\n#########")
    assert 0.08 < risk_on(fresh, Move(Cell(8, 8))) < 0.2


def test_moves_in_an_unknown_order_are_reported_with_the_least_risk() -> None:
    before = Board.from_text("1##\n###\n###", 1)
    after = Board.from_text("1#1\n###\n111", 1)
    clicked = (Move(Cell(2, 0)), Move(Cell(2, 2)), Move(Cell(0, 2)), Move(Cell(2, 1)))
    seen = list(one_by_one(before, after, clicked, lambda _, move: 3.0 - move.cell.col))
    assert [move.cell for _, move in seen] == [Cell(2, 2), Cell(0, 2), Cell(2, 1), Cell(2, 0)]
    assert [board.text_rows() for board, _ in seen][:3] == [
        ["1##", "###", "###"],
        ["1##", "###", "##1"],
        ["1#1", "###", "##1"],
    ]


def test_flags_come_before_a_chord_between_two_boards() -> None:
    before, after = Board.from_text("1##\n###", 2), Board.from_text("1F2\n12#", 2)
    made = infer_moves(before, after, pointer=Cell(0, 0))
    seen = list(one_by_one(before, after, made, lambda *_: 0.5))
    assert [move.action for _, move in seen][:2] == [Action.FLAG, Action.CHORD]
    assert seen[1][0].text_rows() == ["1F#", "###"]


@pytest.mark.slow
def test_a_board_too_large_to_count_has_no_known_risks() -> None:
    board = Board.from_text(TOO_LARGE)
    assert risk_on(board, Move(Cell(0, 0))) == 0.0


LAST_CELL = "01#1 0111 111# 1#1#"

TWO_CELLS = "01#1 0111 11## 1#1#"

ALL_SHOWN = "01*1 0111 1111 1*11"

EXPLODED = "01X1 0111 1111 1*11"


def ended(shown: str) -> Observation:
    tiles = board(shown)
    reading = Reading(tiles, Status.LOST, 1.0, None, np.ones(tiles.tiles.shape), "learned")
    return Observation(Frame(np.zeros((4, 4, 3), np.uint8)), reading)


@pytest.mark.parametrize(
    ("before", "shown", "pointer", "status"),
    [
        ("01#1 0111 111# 1#11", ALL_SHOWN, None, Status.WON),
        ("01#1 0111 111# 1#11", ALL_SHOWN, Cell(2, 3), Status.WON),
        ("01#1 0111 111# 1#11", ALL_SHOWN, Cell(3, 1), Status.LOST),
        (LAST_CELL, ALL_SHOWN, None, Status.LOST),
        (TWO_CELLS, ALL_SHOWN, None, Status.LOST),
        ("01#1 0111 111# 1#11", EXPLODED, None, Status.LOST),
    ],
)
def test_mines_shown_after_the_last_cell_was_opened_are_those_of_a_win(
    before: str, shown: str, pointer: Cell | None, status: Status
) -> None:
    assert end_of(board(before), ended(shown), pointer, lambda: None).status is status


@pytest.mark.parametrize("status", [Status.WON, Status.LOST])
def test_words_count_more_than_what_one_click_opens(status: Status) -> None:
    said = Said(status, plain=True)
    for before in (LAST_CELL, "01#1 0111 111# 1#11"):
        assert end_of(board(before), ended(ALL_SHOWN), None, lambda: said).status is status
