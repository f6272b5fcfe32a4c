"""The last turn tells the end of a game if its clicks opened, or flagged, all that was left."""

from __future__ import annotations

import pytest

from bot.events import Outcome
from bot.play.ending.last_turn import UnreadEnd, flagged_all_mines, opened_all_safe
from calibration.errors import ImpossibleBoard, UnreadableTiles
from calibration.indicators.words import Said
from solver.agents.base import Action
from solver.board import Cell
from solver.game import Status
from tests.bot.play.ending.cases import LAST, Changes, turn, unread_end


def test_the_last_safe_cells_end_the_game() -> None:
    board = "1#10\n##10\n1110"
    safe = [Cell(0, 1), Cell(1, 0)]
    known = turn(board, 1, Action.OPEN, safe)
    assert opened_all_safe(known, safe)
    assert not opened_all_safe(known, safe[:1])
    assert not opened_all_safe(known, [])
    assert not opened_all_safe(turn(board, 2, Action.OPEN, safe), safe)
    assert not opened_all_safe(turn(board, 1, Action.OPEN, safe, 0.5), safe)
    zeros = [Cell(0, 3), Cell(0, 4), Cell(0, 5)]
    flooding = turn("1#1###", 1, Action.OPEN, zeros)
    assert opened_all_safe(flooding, zeros[1:2])  # opens the two others, too


@pytest.mark.parametrize(
    ("rows", "won"),
    [("1#10\n##10\n1110", True), ("1#10\n##10\n1110\n0000\n1221\n####\n####", False)],
)
def test_without_a_mine_total_all_that_is_left_must_be_certain(rows: str, won: bool) -> None:
    safe = [Cell(0, 1), Cell(1, 0)]
    assert opened_all_safe(turn(rows, None, Action.OPEN, safe), safe) is won


def test_flags_on_the_last_mines_end_the_game_of_a_program_that_wants_them() -> None:
    mines = [Cell(0, 2), Cell(1, 0)]
    flags = turn(LAST, 2, Action.FLAG, mines)
    assert flagged_all_mines(flags, mines)
    assert not flagged_all_mines(flags, mines[:1])
    half = turn(LAST, 2, Action.FLAG, mines[:1])
    assert not flagged_all_mines(half, mines[:1])
    flagged = turn(LAST.replace("#21", "F21"), 2, Action.FLAG, mines[:1])
    assert flagged_all_mines(flagged, mines[:1])


@pytest.mark.parametrize(
    ("said", "outcome"),
    [(None, Outcome.LOST), (Said(Status.WON, plain=True), Outcome.WON)],
    ids=["no words", "you win"],
)
def test_plain_words_count_more_than_where_tiles_changed(
    said: Said | None, outcome: Outcome
) -> None:
    """A page flagged the last safe cell, which it had opened, and not the mine beside it."""
    last = turn("001##\n012##\n01###\n01###", 4, Action.OPEN, [Cell(3, 4)], 0.5)
    changed = Changes([Cell(1, 3), Cell(2, 2), Cell(0, 4), Cell(3, 4)])
    end = unread_end(last, changed, UnreadableTiles("unknown"), mines=4, said=said)
    assert isinstance(end, UnreadEnd)
    assert end.outcome is outcome


@pytest.mark.parametrize("said", [None, Said(Status.WON, plain=True)], ids=["nothing", "you win"])
def test_of_a_board_that_contradicts_itself_only_words_tell_the_end(said: Said | None) -> None:
    """Under the box of a page some tiles were misread."""
    last = turn(LAST, None, Action.OPEN, [Cell(0, 2)], 0.5)
    end = unread_end(last, Changes([Cell(0, 2)]), ImpossibleBoard("contradiction"), said=said)
    assert (isinstance(end, UnreadEnd) and end.outcome is Outcome.WON) is (said is not None)
