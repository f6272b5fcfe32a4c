"""What is gathered for the verdict: what was clicked, what is seen, and what is waited for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bot.errors import ScreenGone, WindowGone
from bot.play.ending.detector import EndDetector
from bot.tracking.observation import Observation
from calibration.errors import BoardCovered, ImpossibleBoard, StatusUnclear, UnreadableTiles
from calibration.frame import Frame
from calibration.indicators.words import Said
from calibration.reading import Reading
from calibration.rules import UNREAD
from calibration.verdict import A_LIFE, Verdict
from solver.agents.base import Action
from solver.board import TILE_OF_TEXT, Board, Cell, Tile
from solver.game import Status
from tests.bot.play.ending.cases import (
    LAST,
    Changes,
    Still,
    all_clicks,
    detector_after,
    turn,
    unread_end,
)

FRESH = "####\n####\n####"
BEFORE_LAST = "12#\n#2#\n110"
WON_BY_WORDS = Said(Status.WON, plain=True)


def status_of(end: Verdict | Observation | None) -> Status | None:
    """Return the status that was told; PLAYING where the game goes on with a new observation."""
    if isinstance(end, Observation):
        return Status.PLAYING
    return end and end.status


def seen(board: str, status: Status) -> Observation:
    """Return the observation of a board."""
    frame = Frame(np.zeros((4, 4, 3), np.uint8))
    return Observation(frame, Reading(Board.from_text(board, None), status, 1.0))


def after_a_life() -> tuple[EndDetector, Any]:
    """Return a detector after a guess whose mine took a life, and that turn."""
    still: Any = Still()
    still.frames = SimpleNamespace(lost_a_life=lambda *_: True, note_survived=lambda _: None)
    still.wait_readable = lambda *, after: seen(str(after), Status.PLAYING)
    guess = turn("12#\n###\n110", 2, Action.OPEN, [Cell(0, 2)], 0.5)
    detector = detector_after(guess, still)
    told, _ = detector.detect(seen("12X\n###\n110", Status.LOST))
    assert told.row is A_LIFE
    return detector, guess


def test_a_mine_that_took_a_life_makes_no_loss_of_a_win_that_shows_all_mines() -> None:
    """It was opened by a click, as the mine of a loss is."""
    detector, _ = after_a_life()
    last = turn("12X\n###\n110", 2, Action.OPEN, [Cell(1, 1), Cell(1, 2)], number=3)
    detector.note_turn(last)
    detector.note_clicks(all_clicks(last))
    assert detector.detect(seen("12*\n*21\n110", Status.LOST))[0].status is Status.WON


def test_a_mine_that_took_a_life_and_was_opened_again_makes_no_loss_of_a_win() -> None:
    """The page hid it again, and then wanted all mines flagged."""
    detector, guess = after_a_life()
    detector.note_turn(replace(guess, number=3))
    detector.note_clicks(all_clicks(guess))
    assert detector.detect(seen("12F\nF21\n110", Status.WON))[0].status is Status.WON


@pytest.mark.parametrize("later", [False, True], ids=["at once", "a turn later"])
@pytest.mark.parametrize(("clicked", "won"), [(Cell(1, 2), True), (Cell(0, 2), False)])
def test_the_clicks_of_all_turns_of_a_game_count(clicked: Cell, won: bool, later: bool) -> None:
    """Plain red mines that a page shows one after another may be taken for flags."""
    first = turn(BEFORE_LAST, 2, Action.OPEN, [clicked], 0.5)
    detector = detector_after(first, Still())
    if later:
        detector.note_turn(replace(turn(LAST, 2, Action.OPEN, [Cell(2, 0)]), number=3))
    told, _ = detector.detect(seen("12F\nF21\n110", Status.WON))
    assert told.status is (Status.WON if won else Status.LOST)
    detector.begin_game()
    detector.note_turn(turn(BEFORE_LAST, None, Action.OPEN, [Cell(1, 2)], number=1))
    assert detector.detect(seen("12F\nF21\n110", Status.WON))[0].status is Status.WON


@pytest.mark.parametrize("sent", [False, True])
def test_a_click_of_the_turn_before_may_have_opened_the_last_safe_cells(sent: bool) -> None:
    """A page that hangs at its end shows the cells as they were, and then goes away."""
    safe = [Cell(0, 1), Cell(1, 0)]
    again = turn("1#10\n##10\n1110", 1, Action.OPEN, safe)
    detector = detector_after(again, Changes(safe), clicked=sent)
    detector.mines = 1
    detector.note_turn(replace(again, number=3))
    assert (detector.unread_end(again.frame, BoardCovered("gone")) is not None) is sent


def test_a_screen_that_is_gone_tells_no_end() -> None:
    """The program may have been ended before the last click reached it."""
    safe = [Cell(0, 1), Cell(1, 0)]
    last = turn("1#10\n##10\n1110", 1, Action.OPEN, safe)
    assert unread_end(last, Changes(safe), WindowGone("away"), mines=1) is not None
    assert unread_end(last, Changes(safe), ScreenGone("black"), mines=1) is None


@pytest.mark.parametrize(
    ("tiles", "clicked", "status"),
    [
        ("12!\n!21\n110", Cell(1, 2), Status.WON),
        ("12!\n!21\n110", Cell(0, 2), Status.LOST),
        ("!2!\n!21\n110", Cell(1, 2), Status.WON),  # a number below a message stays as it was
        ("12!\n#21\n110", Cell(1, 2), None),
    ],
)
def test_what_can_be_read_of_a_covered_board_counts(
    tiles: str, clicked: Cell, status: Status | None
) -> None:
    codes, trouble = TILE_OF_TEXT | {"!": UNREAD}, BoardCovered("covered")
    trouble.labels = np.array([[codes[one] for one in row] for row in tiles.split()], np.int8)
    last = turn(BEFORE_LAST, None, Action.OPEN, [clicked], 0.5)
    end = unread_end(last, Changes([]), trouble)
    assert status_of(end) is status


@pytest.mark.parametrize(
    ("clicked", "status"), [(Cell(1, 2), Status.WON), (Cell(0, 2), Status.LOST)]
)
def test_a_board_that_tells_no_status_is_judged_by_the_clicks(
    clicked: Cell, status: Status
) -> None:
    last = turn(BEFORE_LAST, None, Action.OPEN, [clicked], 0.5)
    shown = Board.from_text("12*\n*21\n110", None)
    end = unread_end(last, Changes([]), StatusUnclear("unclear", shown))
    assert isinstance(end, Verdict)
    assert end.status is status
    assert end.in_sight
    assert Board(end.tiles) == shown


@pytest.mark.parametrize("said", [None, WON_BY_WORDS], ids=["nothing", "you win"])
@pytest.mark.parametrize(
    "trouble", [ImpossibleBoard("contradiction"), StatusUnclear("the face says otherwise")]
)
def test_of_a_board_that_contradicts_itself_only_words_tell_the_end(
    trouble: Exception, said: Said | None
) -> None:
    """Under the box of a page some tiles were misread."""
    last = turn(LAST, None, Action.OPEN, [Cell(0, 2)], 0.5)
    end = unread_end(last, Changes([Cell(0, 2)]), trouble, said=said)
    assert status_of(end) is (said and Status.WON)


LONE = StatusUnclear("one sign", Board.from_text("####\n#X##\n####", None), may_change=True)


@pytest.mark.parametrize(
    ("clock", "lives", "said", "status"),
    [
        (False, False, None, Status.LOST),
        (True, False, None, Status.PLAYING),
        (False, True, None, Status.PLAYING),
        (True, False, Said(Status.LOST, plain=True), Status.LOST),
    ],
    ids=["nothing goes on", "the clock runs on", "lives are counted", "the window says lost"],
)
def test_a_mine_after_which_the_game_goes_on_took_a_life(
    clock: bool, lives: bool, said: Said | None, status: Status
) -> None:
    last = turn(FRESH, 2, Action.OPEN, [Cell(1, 1)], 0.5)
    waits = Changes([])
    waits.clock_runs = clock
    assert status_of(unread_end(last, waits, LONE, mines=2, lives=lives, said=said)) is status
    assert waits.survived == ({Cell(1, 1)} if status is Status.PLAYING else set())


def test_a_second_life_is_taken_though_the_first_mine_looks_otherwise_now() -> None:
    last = turn("X###\n####\n####", 2, Action.OPEN, [Cell(1, 1)], 0.5)
    waits = Changes([])
    waits.clock_runs = True
    detector = detector_after(last, waits)
    detector._lives.survived.add(Cell(0, 0))
    shown = Board.from_text("*###\n#*##\n####", None)
    trouble = StatusUnclear("one sign", shown, may_change=True)
    assert isinstance(detector.unread_end(last.frame, trouble), Observation)
    assert waits.survived == {Cell(0, 0), Cell(1, 1)}


@pytest.mark.parametrize(
    ("shown", "clicked", "lives", "status"),
    [
        ("X###\n####\n####", Cell(0, 0), False, Status.LOST),
        ("###X\n####\n####", Cell(0, 0), False, None),  # another cell
        ("X###\n####\n####", Cell(0, 0), True, None),  # a life less
        (None, Cell(0, 0), False, None),  # a page asks for a name: dimmed, but no mine
    ],
)
@pytest.mark.parametrize("number", [1, 2])
def test_a_mine_on_a_dimmed_board_is_a_loss(
    shown: str | None, clicked: Cell, lives: bool, status: Status | None, number: int
) -> None:
    """An alert in words that nobody knows darkens the page."""
    last = turn(FRESH, None, Action.OPEN, [clicked], 0.8, number=number)
    waits = Changes([clicked], dimmed=True)
    if shown is not None:
        waits.unclear = StatusUnclear("one sign", Board.from_text(shown, None), may_change=True)
    assert status_of(unread_end(last, waits, BoardCovered("dimmed"), lives=lives)) is status


class Seen(Changes):
    """The frame made bright again, or one before the last one, showed this board."""

    def __init__(self, shown: str, status: Status = Status.LOST, *, dimmed: bool = False) -> None:
        super().__init__([], dimmed=dimmed)
        self.end = seen(shown, status)

    def look_back(self, last: Frame) -> Iterator[Frame]:
        yield last

    def read_end(self, frame: Frame, _: Board) -> Observation:
        return self.end


@pytest.mark.parametrize("dimmed", [False, True])
@pytest.mark.parametrize(
    ("clicked", "shown", "status"),
    [
        (Cell(1, 2), "12X\n*21\n110", Status.WON),
        (Cell(0, 2), "12X\n*2#\n110", Status.LOST),
        (Cell(1, 2), "1#X\n#21\n110", None),
    ],
    ids=["all mines are shown", "the clicked one", "another one"],
)
def test_what_was_seen_before_a_board_was_covered_counts(
    clicked: Cell, shown: str, status: Status | None, dimmed: bool
) -> None:
    last = turn(BEFORE_LAST, None, Action.OPEN, [clicked], 0.5)
    end = unread_end(last, Seen(shown, dimmed=dimmed), BoardCovered("a card"))
    assert status_of(end) is status
    if isinstance(end, Verdict):
        assert Board(end.tiles) == Board.from_text(shown, None)


def test_mines_beyond_doubt_beside_what_covers_a_board_tell_the_loss() -> None:
    last = turn("##1000\n##1000\n##2111\n######", None, Action.OPEN, [Cell(3, 5)], 0.6)
    waits = Changes([])
    waits.mines = np.full((4, 6), UNREAD, np.int8)
    for cell in (Cell(3, 5), Cell(0, 0), Cell(2, 1)):
        waits.mines[cell] = Tile.MINE
    assert status_of(unread_end(last, waits)) is Status.LOST


HIDES = "001##\n012##\n01###\n01###"
REVEALS = [Cell(1, 3), Cell(2, 2), Cell(0, 4), Cell(3, 4)]


@pytest.mark.parametrize(("action", "told"), [(Action.OPEN, True), (Action.FLAG, False)])
def test_a_frame_whose_changes_fit_the_mines_of_a_loss_is_waited_for_no_longer(
    action: Action, told: bool
) -> None:
    """A page hung at the last flag, and its rows grew: all mines looked different."""
    last = turn(HIDES, 4, action, [REVEALS[3]])
    detector = detector_after(last, Changes(REVEALS))
    detector.mines = 4
    assert detector.told_unread(last.frame, False) is told
    assert detector.told_unread(last.frame, True) is told
    end = detector.unread_end(last.frame, BoardCovered("in doubt"))
    assert (status_of(end) is Status.LOST) is told


def test_the_last_cells_are_waited_for_until_nothing_covers_them_for_a_while() -> None:
    safe = [Cell(0, 1), Cell(1, 0)]
    last = turn("1#10\n##10\n1110", 1, Action.OPEN, safe)
    for dimmed in (False, True):
        detector = detector_after(last, Changes(safe, dimmed=dimmed))
        detector.mines = 1
        assert not detector.told_unread(last.frame, False)
        assert detector.told_unread(last.frame, True) is dimmed


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


PAINTED = "X**###\n***###\n**1###\n######"
SCATTERED = "X##*##\n####*#\n#*####\n###*##"


@pytest.mark.parametrize(("shown", "told"), [(PAINTED, False), (SCATTERED, True)])
def test_a_program_that_hangs_while_it_paints_its_first_opening_shows_no_mines(
    shown: str, told: bool
) -> None:
    """A page in colours of a rainbow painted nine tiles with red edges, and hung for a minute."""
    first = turn("\n".join(["######"] * 4), None, Action.OPEN, [Cell(0, 0)], 1, number=1)
    unread = UnreadableTiles("unknown")
    assert (status_of(unread_end(first, Seen(shown), unread)) is Status.LOST) is told
    unread.labels = Board.from_text(shown).tiles
    assert (status_of(unread_end(first, Changes([]), unread)) is Status.LOST) is told
    lost = seen(shown, Status.LOST)
    with nullcontext() if told else pytest.raises(UnreadableTiles):
        assert detector_after(first, Hidden()).detect(lost)[0].status is Status.LOST
    hangs = detector_after(first, Hangs("1001##\n1001##\n111###\n######"))
    end, last = hangs.detect(lost)
    assert end.status is (Status.LOST if told else Status.PLAYING)
    assert (last is lost) is told
