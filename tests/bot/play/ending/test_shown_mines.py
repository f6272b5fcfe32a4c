"""A loss is told from where tiles changed, if they fit nothing but the mines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from bot.events import Outcome, Turn
from bot.play.ending.detector import EndDetector
from bot.play.ending.last_turn import UnreadEnd
from bot.play.ending.shown_mines import is_lone_mine, revealed_mines
from bot.tracking.observation import Observation
from calibration.errors import BoardCovered, UnreadableTiles
from calibration.frame import Frame
from calibration.reading import Reading
from solver.agents.base import Action
from solver.board import Board, Cell, Tile
from solver.game import Status
from tests.bot.play.ending.cases import (
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


@pytest.mark.parametrize(("action", "lost"), [(Action.OPEN, True), (Action.FLAG, False)])
def test_a_flag_explodes_no_mine(action: Action, lost: bool) -> None:
    """A page hung at the last flag, and its rows grew: all mines looked different."""
    last = turn("001##\n012##\n01###\n01###", 4, action, [MINES[3]])
    end = unread_end(last, Changes(MINES), BoardCovered("in doubt"), mines=4)
    assert (isinstance(end, UnreadEnd) and end.outcome is Outcome.LOST) is lost


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


@pytest.mark.parametrize(
    ("shown", "chance", "told"),
    [
        ("X2##\nX31#\n####", 1.0, False),
        ("X2##\n#31#\n####", 1.0, False),
        ("X2##\n#31#\n####", 0.5, True),
        ("X2#*\n#31#\n##*#", 1.0, True),
        ("#2##\n#31X\n####", 1.0, True),
    ],
    ids=["several clicked", "clicked and safe", "a guess", "others too", "not clicked"],
)
def test_digits_that_are_half_painted_as_a_program_hangs_are_no_mines(
    shown: str, chance: float, told: bool
) -> None:
    """A page that lets its digits grow hung for 25 s as two of them looked like small mines."""
    cells = [Cell(0, 0), Cell(1, 0)] if chance == 1.0 else [Cell(0, 0)]
    last = turn("#2##\n#31#\n####", None, Action.OPEN, cells, chance)
    detector = detector_after(last, Seen(shown))
    end = detector.unread_end(last, all_clicks(last), last.frame, UnreadableTiles("unknown"))
    assert (isinstance(end, UnreadEnd) and end.outcome is Outcome.LOST) is told


@pytest.mark.parametrize(
    ("shown", "lone"),
    [("2###X 1#X##", True), ("2###F 1#X##", True), ("2###1 1#X##", False), ("2###X 1FX##", False)],
)
def test_a_mine_that_took_a_life_before_may_count_as_a_flag_beside_a_lone_one(
    shown: str, lone: bool
) -> None:
    before, after = (Board.from_text(text.replace(" ", "\n")) for text in ("2###X 1####", shown))
    assert is_lone_mine(before, after, {Cell(1, 2)}) is lone
