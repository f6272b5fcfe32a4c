"""A loss is told from where tiles changed, if they fit nothing but the mines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from bot.events import Outcome, Turn
from bot.play.ending.detector import EndDetector
from bot.play.ending.last_turn import (
    UnreadEnd,
    flagged_all_mines,
    opened_all_safe,
    revealed_mines,
)
from bot.tracking.observation import Observation
from calibration.errors import ImpossibleBoard, UnreadableTiles
from calibration.frame import Frame
from calibration.indicators.words import Said
from calibration.reading import Reading
from solver.agents.base import Action
from solver.board import Board, Cell, Tile
from solver.game import Status
from tests.bot.play.ending.cases import (
    LAST,
    Changes,
    Still,
    all_clicks,
    detector_of,
    turn,
    unread_end,
)

BEFORE = Board.from_text(
    """
    001##
    012##
    01###
    01###
    """,
    mines=4,
)
MINES = [Cell(1, 3), Cell(2, 2), Cell(0, 4), Cell(3, 4)]


def reveal(clicked: Cell, changed: list[Cell], board: Board = BEFORE) -> Board | None:
    return revealed_mines(board, [clicked], changed)


def test_tiles_that_fit_every_number_are_the_mines_of_a_loss() -> None:
    lost = reveal(Cell(3, 4), MINES)
    assert lost is not None
    assert lost[Cell(3, 4)] == Tile.EXPLODED
    assert {cell for cell in lost.cells() if lost[cell] == Tile.MINE} == set(MINES[:3])


@pytest.mark.parametrize(
    ("clicked", "changed"),
    [
        (Cell(0, 3), [Cell(0, 3)]),  # one number was opened
        (Cell(0, 3), [Cell(0, 3), Cell(0, 4), Cell(1, 4)]),  # an area was opened
        (Cell(3, 4), MINES[1:]),  # a mine is missing
        (Cell(3, 4), [*MINES, Cell(3, 2)]),  # one too many
        (Cell(0, 3), MINES),  # the clicked cell did not change
        (Cell(0, 4), [cell for cell in BEFORE.cells() if BEFORE.covered[cell]]),  # all dimmed
    ],
)
def test_nothing_is_told_where_the_changed_tiles_are_no_mines(
    clicked: Cell, changed: list[Cell]
) -> None:
    assert reveal(clicked, changed) is None


def test_a_clicked_cell_far_from_numbers_may_be_the_last_safe_one() -> None:
    """A program that is won may show its mines, too."""
    board = Board.from_text("222121\n##3#2#\n##3121", mines=None)
    hidden = board.hidden_cells()
    assert reveal(Cell(2, 0), hidden, board) is None
    assert reveal(Cell(2, 1), hidden, board) is not None
    assert reveal(Cell(2, 0), hidden, board.with_mines(6)) is not None


def test_a_board_that_is_dimmed_shows_no_mines() -> None:
    """All that is hidden changed and fits the numbers, but so did the open tiles."""
    board = Board.from_text("222121\n##3#2#\n##3121", mines=6)
    assert reveal(Cell(2, 1), board.hidden_cells(), board) is not None
    assert reveal(Cell(2, 1), [*board.cells()], board) is None


def test_without_a_mine_total_some_numbers_must_fit() -> None:
    assert reveal(Cell(3, 4), MINES, BEFORE.with_mines(None)) is not None
    fresh = Board.from_text("\n".join(["#####"] * 4))
    assert reveal(Cell(3, 4), MINES, fresh) is None


@pytest.mark.parametrize(
    ("cells", "lost"),
    [
        ("00 03 21 35 42", True),
        ("00 01 10 11 12", False),  # an opening
        ("00 01 03 04 20 21 23 24 40 41 43 44 05 25 45", False),  # too many
        ("03 21 35 42", False),  # not the clicked one
    ],
)
def test_scattered_tiles_tell_a_loss_at_the_first_click(cells: str, lost: bool) -> None:
    """A program that does not spare the first click shows its mines on a board without numbers."""
    fresh = Board.from_text("\n".join(["######"] * 5))
    changed = [Cell(int(row), int(col)) for row, col in cells.split()]
    told = revealed_mines(fresh, [Cell(0, 0)], changed, at_rest=True)
    assert (told is not None) is lost
    assert reveal(Cell(0, 0), changed, fresh) is None


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
    end = unread_end(last, Changes(MINES), UnreadableTiles("unknown"), mines=4, said=said)
    assert isinstance(end, UnreadEnd)
    assert end.outcome is outcome


@pytest.mark.parametrize("said", [None, Said(Status.WON, plain=True)], ids=["nothing", "you win"])
def test_of_a_board_that_contradicts_itself_only_words_tell_the_end(said: Said | None) -> None:
    """Under the box of a page some tiles were misread."""
    last = turn(LAST, None, Action.OPEN, [Cell(0, 2)], 0.5)
    end = unread_end(last, Changes([Cell(0, 2)]), ImpossibleBoard("contradiction"), said=said)
    assert (isinstance(end, UnreadEnd) and end.outcome is Outcome.WON) is (said is not None)


class Seen(Changes):
    """One frame was seen before the last one, and showed this board, lost."""

    def __init__(self, shown: str) -> None:
        super().__init__([])
        self.shown = Board.from_text(shown)

    def look_back(self, last: Frame) -> Iterator[Frame]:
        yield last

    def read_end(self, frame: Frame, after: Board) -> Observation:
        return Observation(frame, Reading(self.shown, Status.LOST, 1.0))


class Hangs(Still):
    """A board that hung while it was painted shows the rest of its opening half a minute later."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self.shown = Board.from_text(shown)

    def wait_end_confirmed(self, observation: Observation, **limits: Any) -> Observation:
        if limits["hang_s"] < 30:
            return observation
        assert not limits["after"].open.any()
        return replace(observation, reading=Reading(self.shown, Status.PLAYING, 1.0))


class Hidden(Still):
    """The end that was read once cannot be read again."""

    def wait_end_confirmed(self, observation: Observation, **_: Any) -> Observation:
        raise UnreadableTiles("unknown")


def detector_after(first: Turn, waits: Any) -> EndDetector:
    detector = detector_of(waits)
    detector.note_turn(first)
    detector.note_clicks(all_clicks(first))
    return detector


PAINTED = "X**###\n***###\n**1###\n######"
SCATTERED = "X##*##\n####*#\n#*####\n###*##"


@pytest.mark.parametrize(("shown", "told"), [(PAINTED, False), (SCATTERED, True)])
def test_a_program_that_hangs_while_it_paints_its_first_opening_shows_no_mines(
    shown: str, told: bool
) -> None:
    """A page in colours of a rainbow painted nine tiles with red edges, and hung for a minute."""
    first = turn("\n".join(["######"] * 4), None, Action.OPEN, [Cell(0, 0)], 1, number=1)
    detector = detector_after(first, Seen(shown))
    end = detector.unread_end(first, all_clicks(first), first.frame, UnreadableTiles("unknown"))
    assert (isinstance(end, UnreadEnd) and end.outcome is Outcome.LOST) is told
    labels = UnreadableTiles("unknown")
    labels.labels = Board.from_text(shown).tiles
    end = detector_after(first, Changes([])).unread_end(first, [], first.frame, labels)
    assert (isinstance(end, UnreadEnd) and end.outcome is Outcome.LOST) is told
    lost = Observation(first.frame, Reading(Board.from_text(shown), Status.LOST, 1.0))
    with nullcontext() if told else pytest.raises(UnreadableTiles):
        detected = detector_after(first, Hidden()).detect(lost)
        assert detected is not None
        assert detected[0] is Outcome.LOST
    end = detector_after(first, Hangs("1001##\n1001##\n111###\n######")).detect(lost)
    assert end is not None
    assert end[0] is (Outcome.LOST if told else None)
    assert (end[1] is lost) is told
