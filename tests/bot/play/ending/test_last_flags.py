"""Programs that want all mines flagged at the end of a game."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.errors import WindowStuck
from bot.options import Limits
from bot.tracking.observation import Observation
from calibration.errors import BoardCovered
from calibration.indicators.words import Said
from calibration.reading import Reading
from calibration.verdict import NO_FLAGS, Verdict
from solver.agents.base import Action
from solver.board import Board, Cell
from solver.game import Status
from tests.bot.play.ending.cases import (
    LAST,
    Changes,
    Still,
    Words,
    all_clicks,
    detector_of,
    turn,
)


@pytest.mark.parametrize(
    ("runs_on", "left", "said"),
    [
        ([False], 2, None),
        ([True, True, True, True], 2, None),
        ([True, True, True, True], 0, None),
        ([True, True, True, True], None, None),
        ([True, False, False], 2, None),
        ([True, True, True, True], 2, Said(Status.WON, plain=True)),
    ],
)
def test_marks_that_no_counter_counts_while_the_clock_runs_on_are_no_flags(
    runs_on: list[bool], left: int | None, said: Said | None
) -> None:
    """A right click may set a question mark first, which looks like a flag that is not known.

    If the window says that the game is won, or stands still later, what moved there is no clock.
    Without a counter nothing is left to play.
    """
    still: Any = Still()
    running = iter([True, *runs_on])
    still.wait_running_clock = lambda _: next(running)
    detector = detector_of(still, Words(said))
    open_all = turn(LAST, 2, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(open_all)
    hidden = Observation(open_all.frame, Reading(open_all.reading.board, Status.PLAYING, 1.0))
    assert detector.detect(hidden)[0].status is Status.PLAYING  # the flags are missing
    marked = Board.from_text(LAST.replace("#", "F"), 2)
    end = Observation(open_all.frame, Reading(marked, Status.WON, 1.0, left))
    if all(runs_on) and left and said is None:
        with pytest.raises(WindowStuck, match="clock"):
            detector.detect(end)
    else:
        told, last = detector.detect(end)
        assert told.status is Status.WON
        assert last is end


@pytest.mark.parametrize(
    ("beside", "on_mines", "said", "more"),
    [
        (False, False, None, False),
        (True, False, None, False),
        (True, True, None, True),
        (True, False, Said(Status.WON, plain=True), True),
    ],
    ids=["nothing shows the end", "the smiley differs", "the mines differ", "a word appeared"],
)
def test_one_flag_is_tried_where_nothing_shows_the_end(
    beside: bool, on_mines: bool, said: Said | None, more: bool
) -> None:
    def differs(*_: object, hidden_only: bool = False) -> bool:
        return on_mines if hidden_only else beside

    still: Any = Still()
    still.frames = SimpleNamespace(shows_more=differs)
    still.wait_running_clock = lambda _: False
    detector = detector_of(still, Words(said))
    last = turn(LAST, None, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    board = last.reading.board
    told, _ = detector.detect(Observation(last.frame, Reading(board, Status.PLAYING, 1.0)))
    if more:
        assert told.status is Status.WON
        return
    assert told.status is Status.PLAYING
    assert len(detector.flags.decide(board).moves) == 1
    detector.note_turn(turn(LAST, None, Action.FLAG, [Cell(0, 2)]))
    refused = detector.refused_flags()
    assert refused is not None
    assert refused.row is NO_FLAGS
    assert refused.in_sight


def test_all_mines_are_flagged_once_a_first_flag_was_taken() -> None:
    still: Any = Still()
    still.frames = SimpleNamespace(shows_more=lambda *_: False)
    still.wait_running_clock = lambda _: False
    detector = detector_of(still)
    rows = "12#10\n#2110\n11000\n11000\n#1000"
    last = turn(rows, 3, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    board = last.reading.board
    told, _ = detector.detect(Observation(last.frame, Reading(board, Status.PLAYING, 1.0)))
    assert told.status is Status.PLAYING
    assert len(detector.flags.decide(board).moves) == 1
    taken = Board.from_text(rows.replace("#", "F", 1), 3)
    assert len(detector.flags.decide(taken).moves) == 2
    assert detector.refused_flags() is None


def test_a_flag_that_is_gone_when_all_are_set_was_none() -> None:
    """Swing draws a frame on the button under the pointer, which was read as a flag."""
    still: Any = Still()
    still.frames = SimpleNamespace(shows_more=lambda *_, **__: False)
    still.wait_running_clock = lambda _: False
    noticed: list[str] = []
    detector = detector_of(still)
    detector.flags._observer = SimpleNamespace(noticed=noticed.append)
    rows = "12#10\n#2110\n11000\n11000\n#1000"
    last = turn(rows, 3, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    bare = Observation(last.frame, Reading(last.reading.board, Status.WON, 1.0))
    assert detector.detect(bare)[0].status is Status.PLAYING
    others = turn(rows.replace("#", "F", 1), 3, Action.FLAG, [Cell(1, 0), Cell(4, 0)])
    detector.note_turn(others)
    flagged = Observation(last.frame, others.reading)
    assert detector.detect(flagged)[0].status is Status.PLAYING
    assert detector.detect(bare)[0].status is Status.WON
    assert noticed == [NO_FLAGS.reason]


def test_a_flag_that_was_tried_says_nothing_of_the_next_game() -> None:
    waits: Any = Changes([])
    waits.shows_more, waits.close_menu = lambda *_: False, lambda: None
    waits.wait_running_clock = lambda _: False
    detector = detector_of(waits)
    last = turn("1#\n11", 1, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    assert detector.flags.ask(Observation(last.frame, last.reading), last)
    new = turn("####\n####\n####", None, Action.OPEN, [Cell(1, 1)], 0.5, number=1)
    detector.begin_game()
    detector.note_turn(new)
    assert detector.unread_end(new.frame, BoardCovered("a card")) is None


def test_the_first_flag_is_waited_for_longer_than_pages_are_frozen() -> None:
    still: Any = Still()
    still.frames = SimpleNamespace(shows_more=lambda *_: False)
    still.wait_running_clock = lambda _: False
    detector = detector_of(still)
    last = turn(LAST, None, Action.OPEN, [Cell(1, 1)])
    assert detector.flags.patience(0) == 1
    detector.note_turn(last)
    left = Observation(last.frame, last.reading)
    assert detector.detect(left)[0].status is Status.PLAYING
    assert Limits().change_s * detector.flags.patience(0) > 8
    assert detector.flags.patience(1) == 2


@pytest.mark.parametrize("runs_on", [False, True])
def test_one_flag_is_tried_though_the_clock_runs_on_for_a_menu_may_open(runs_on: bool) -> None:
    """The next right clicks would land on the menu. A clock that runs may wait for other marks."""
    waits: Any = Changes([])
    waits.shows_more, waits.close_menu = lambda *_: False, lambda: None
    waits.wait_running_clock = lambda _: runs_on
    detector = detector_of(waits)
    last = turn(LAST, 2, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    assert detector.flags.ask(Observation(last.frame, last.reading), last)
    flags = detector.flags.decide(last.reading.board)
    assert len(flags.moves) == 1
    tried = turn(LAST, 2, Action.FLAG, [flags.moves[0].cell])
    detector.note_turn(tried)
    detector.note_clicks(all_clicks(tried))
    if runs_on:
        with pytest.raises(WindowStuck, match="a right click opens a menu"):
            detector.unread_end(last.frame, BoardCovered("a menu"))
    else:
        end = detector.unread_end(last.frame, BoardCovered("a menu"))
        assert isinstance(end, Verdict)
        assert end.row is NO_FLAGS
