"""The end of a game that can be read: who won, whatever the marks and mines seem to say."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.events import Outcome
from bot.play.ending.last_turn import UnreadEnd
from bot.tracking.observation import Observation
from calibration.errors import BoardCovered, StatusUnclear
from calibration.reading import Reading
from solver.agents.base import Action
from solver.board import Board, Cell
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


@pytest.mark.parametrize("mine", "*X")
@pytest.mark.parametrize("flagged", [False, True], ids=["at once", "after a turn of flags"])
def test_mines_shown_when_all_safe_cells_are_open_are_those_of_a_win(
    flagged: bool, mine: str
) -> None:
    """A page that tells the win a second late looks as if it wanted the mines flagged first.

    A mine under a part of a dialog seems exploded; nobody clicked it.
    """
    detector = detector_of(Still())
    opened = turn("12#\n#2#\n110", 2, Action.OPEN, [Cell(1, 2)])
    detector.note_turn(opened)
    if flagged:
        flags = turn(LAST, 2, Action.FLAG, [Cell(0, 2), Cell(1, 0)])
        detector.note_turn(replace(flags, number=2))
    shown = Board.from_text(LAST.replace("#", mine, 1).replace("#", "*"), 2)
    end = detector.detect(Observation(opened.frame, Reading(shown, Status.LOST, 1.0)))
    assert end is not None
    assert end[0] is Outcome.WON


def after_a_life() -> tuple[Any, Any]:
    """Return a detector after a guess whose mine took a life, and that turn."""
    still: Any = Still()
    still.frames = SimpleNamespace(lost_a_life=lambda *_: True, note_survived=lambda _: None)
    detector = detector_of(still)
    guess = turn("12#\n###\n110", 2, Action.OPEN, [Cell(0, 2)], 0.5)
    still.wait_readable = lambda *, after: Observation(
        guess.frame, Reading(after, Status.PLAYING, 1.0)
    )
    detector.note_turn(guess)
    struck = Board.from_text("12X\n###\n110", 2)
    taken = detector.detect(Observation(guess.frame, Reading(struck, Status.LOST, 1.0)))
    assert taken is not None
    assert taken[0] is None
    return detector, guess


def test_a_mine_that_took_a_life_makes_no_loss_of_a_win_that_shows_all_mines() -> None:
    """It was opened by a click, as the mine of a loss is."""
    detector, guess = after_a_life()
    detector.note_turn(turn("12X\n###\n110", 2, Action.OPEN, [Cell(1, 1), Cell(1, 2)], number=3))
    shown = Board.from_text("12*\n*21\n110", 2)
    end = detector.detect(Observation(guess.frame, Reading(shown, Status.LOST, 1.0)))
    assert end is not None
    assert end[0] is Outcome.WON


def test_a_mine_that_took_a_life_and_was_opened_again_makes_no_loss_of_a_win() -> None:
    """The page hid it again, and then wanted all mines flagged."""
    detector, guess = after_a_life()
    detector.note_turn(replace(guess, number=3))
    flagged = Board.from_text("12F\nF21\n110", 2)
    end = detector.detect(Observation(guess.frame, Reading(flagged, Status.WON, 1.0)))
    assert end is not None
    assert end[0] is Outcome.WON


SAFE_LEFT = [Cell(0, 0), Cell(0, 2), Cell(0, 3), Cell(0, 4), Cell(1, 4), Cell(2, 3), Cell(2, 4)]


@pytest.mark.parametrize("alike", [True, False], ids=["all mines alike", "read as lost"])
@pytest.mark.parametrize(
    ("clicked", "won"), [(SAFE_LEFT, True), (SAFE_LEFT[:1], False)], ids=["all cells", "one cell"]
)
def test_a_page_that_opens_cells_that_no_click_reached_shows_no_win(
    alike: bool, clicked: list[Cell], won: bool
) -> None:
    """A click of somebody else hit a mine, and the page opened its whole board."""
    last = turn("#####\n112##\n001##", None, Action.OPEN, clicked)
    shown = Board.from_text("1*211\n112*1\n00111", None)
    if alike:
        told = unread_end(last, Changes([]), StatusUnclear("unclear", shown))
        assert (told and told.outcome) is (Outcome.WON if won else None)
        return
    detector = detector_of(Still())
    detector.note_turn(last)
    end = detector.detect(Observation(last.frame, Reading(shown, Status.LOST, 1.0)))
    assert end is not None
    assert end[0] is (Outcome.WON if won else Outcome.LOST)


@pytest.mark.parametrize(
    ("clicked", "outcome"), [(Cell(1, 2), Outcome.WON), (Cell(0, 2), Outcome.LOST)]
)
@pytest.mark.parametrize("later", [False, True], ids=["at once", "a turn later"])
def test_a_clicked_cell_that_shows_a_flag_exploded(
    clicked: Cell, outcome: Outcome, later: bool
) -> None:
    """Plain red mines that a page shows one after another may be taken for flags."""
    detector = detector_of(Still())
    opened = turn("12#\n#2#\n110", 2, Action.OPEN, [clicked], 0.5)
    detector.note_turn(opened)
    if later:
        detector.note_turn(replace(turn(LAST, 2, Action.OPEN, [Cell(2, 0)]), number=2))
    shown = Board.from_text(LAST.replace("#", "F"), 2)
    end = detector.detect(Observation(opened.frame, Reading(shown, Status.WON, 1.0)))
    assert end is not None
    assert end[0] is outcome


@pytest.mark.parametrize(
    ("clicked", "outcome"),
    [
        ([Cell(0, 1)], Outcome.LOST),
        (SAFE_LEFT, Outcome.WON),
        ([Cell(0, 1), *SAFE_LEFT], Outcome.WON),
    ],
    ids=["a mine", "all safe cells", "a mine too, but the click was lost"],
)
def test_a_page_that_opens_its_board_after_a_mine_shows_no_win(
    clicked: list[Cell], outcome: Outcome
) -> None:
    """The mines come a moment later, under a dialog."""
    last = turn("#####\n112##\n001##", None, Action.OPEN, clicked, 0.5)
    detector = detector_of(Still())
    detector.flags.wanted = False
    detector.note_turn(last)
    detector.note_clicks(all_clicks(last))
    shown = Board.from_text("1#211\n112#1\n00111", None)
    end = detector.detect(Observation(last.frame, Reading(shown, Status.WON, 1.0)))
    assert end is not None
    assert end[0] is outcome


@pytest.mark.parametrize(
    ("shown", "lost"),
    [("F#F###\n###F##\n#F1000\n####2F", True), ("F#F###\n###F##\n##1000\n####2F", False)],
    ids=["on the cell that was opened, too", "on others only"],
)
def test_marks_that_nobody_set_are_the_mines_of_a_lost_game(shown: str, lost: bool) -> None:
    detector = detector_of(Still())
    guess = turn("######\n######\n##1000\n####2#", None, Action.OPEN, [Cell(2, 1)], 0.5)
    detector.note_turn(guess)
    board = Board.from_text(shown, None)
    end = detector.detect(Observation(guess.frame, Reading(board, Status.PLAYING, 1.0)))
    assert (end and end[0]) is (Outcome.LOST if lost else None)


@pytest.mark.parametrize(
    ("shown", "clicked", "lives", "outcome"),
    [
        ("X###\n####\n####", Cell(0, 0), False, Outcome.LOST),
        ("###X\n####\n####", Cell(0, 0), False, None),  # another cell
        ("X###\n####\n####", Cell(0, 0), True, None),  # a life less
        (None, Cell(0, 0), False, None),  # a page asks for a name: dimmed, but no mine
    ],
)
def test_a_mine_on_a_dimmed_board_after_the_first_click_is_a_loss(
    shown: str | None, clicked: Cell, lives: bool, outcome: Outcome | None
) -> None:
    """An alert in words that nobody knows darkens the page."""
    last = turn("####\n####\n####", None, Action.OPEN, [clicked], 0.8, number=1)
    waits = Changes([clicked], dimmed=True)
    if shown is not None:
        waits.unclear = StatusUnclear("one sign", Board.from_text(shown, None), may_change=True)
    end = unread_end(last, waits, BoardCovered("dimmed"), lives=lives)
    assert (end and cast(UnreadEnd, end).outcome) is outcome


@pytest.mark.parametrize(("dimmed", "outcome"), [(True, Outcome.WON), (False, None)])
def test_a_page_that_dims_its_board_wants_no_more_flags(
    dimmed: bool, outcome: Outcome | None
) -> None:
    """Its tiles may be those of a program that does: pages draw the tiles of xdemineur."""
    safe = [Cell(0, 1), Cell(1, 0)]
    detector = detector_of(Changes(safe, dimmed=dimmed))
    detector.mines, detector.flags.wanted = 1, True
    last = turn("1#10\n##10\n1110", 1, Action.OPEN, safe)
    made = all_clicks(last)
    end = detector.unread_end(last, made, last.frame, BoardCovered("an alert"))
    assert (end and cast(UnreadEnd, end).outcome) is outcome
