"""Programs that want all mines flagged at the end of a game."""

from __future__ import annotations

import pytest

from bot.errors import WindowStuck
from bot.options import Limits
from bot.tracking.game import Observation
from calibration.errors import BoardCovered
from calibration.indicators.words import Said
from calibration.reading import Reading
from calibration.verdict import NO_FLAGS, Verdict
from solver.agents.base import Action
from solver.board import Board, Cell
from solver.game import Status
from tests.bot.play.ending.cases import (
    LAST,
    all_clicks,
    detector_of,
    observed,
    turn,
)
from tests.bot.scene import Scene

BEFORE_LAST = "12#\n##1\n110"
FLAGGED = LAST.replace("#", "F")


@pytest.mark.parametrize(
    ("runs_for_s", "left", "said"),
    [
        (4.0, 2, None),
        (99.0, 2, None),
        (99.0, 0, None),
        (99.0, None, None),
        (99.0, 2, Said(Status.WON, plain=True)),
    ],
)
def test_marks_that_no_counter_counts_while_the_clock_runs_on_are_no_flags(
    runs_for_s: float, left: int | None, said: Said | None
) -> None:
    """A right click may set a question mark first, which looks like a flag that is not known.

    If the window says that the game is won, or stands still later, a clock did not move there.
    Without a counter nothing is left to play.
    """
    scene = Scene(LAST, left=left)
    scene.clock_runs = True
    detector = detector_of(scene, said)
    detector.note_turn(turn(scene, 2, Action.OPEN, [Cell(1, 1)]))
    hidden = observed(scene, LAST, Status.PLAYING)
    if said:  # words count more than flags that are missing
        assert detector.detect(hidden)[0].status is Status.WON
        assert not detector.flags.wanted
        return
    assert detector.detect(hidden)[0].status is Status.PLAYING  # the flags are missing
    scene.clock.later(runs_for_s, lambda: setattr(scene, "clock_runs", False))
    end = observed(scene, FLAGGED, Status.WON)
    if runs_for_s > 50 and left:
        with pytest.raises(WindowStuck, match="clock"):
            detector.detect(end)
    else:
        reported, last = detector.detect(end)
        assert reported.status is Status.WON
        assert last.board.text_rows() == FLAGGED.splitlines()


@pytest.mark.parametrize("before", [False, True])
def test_words_that_come_with_the_end_and_pulse_are_no_clock(before: bool) -> None:
    """A clock stood beside the board before the last clicks."""
    scene = Scene(LAST)
    scene.words_pulse = before
    last = turn(scene, 2, Action.OPEN, [Cell(1, 1)])
    scene.words_pulse = True
    detector = detector_of(scene)
    assert detector.flags.clock_runs(last) is before
    assert detector.flags.clock_runs(None)


@pytest.mark.parametrize(
    ("face", "marked", "said", "more"),
    [
        ((0, 0, 0), [], None, False),
        ((250, 60, 60), [], None, False),
        ((250, 60, 60), [Cell(0, 2), Cell(1, 0)], None, True),
        ((250, 60, 60), [], Said(Status.WON, plain=True), True),
    ],
    ids=["nothing shows the end", "the smiley differs", "the mines differ", "a word appeared"],
)
def test_one_flag_is_tried_where_nothing_shows_the_end(
    face: tuple[int, int, int], marked: list[Cell], said: Said | None, more: bool
) -> None:
    scene = Scene(BEFORE_LAST)
    detector = detector_of(scene, said)
    last = turn(scene, None, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    scene.face_ink = face
    scene.show(LAST, marked)
    left = Observation(scene.frame(), Reading(scene.board, Status.PLAYING, 1.0))
    assert detector.flags.find_out(left, last) is not more
    if more:
        return
    assert len(detector.flags.decide(scene.board).moves) == 1
    detector.note_turn(turn(scene, None, Action.FLAG, [Cell(0, 2)]))
    refused = detector.end_without_flags()
    assert refused is not None
    assert refused.reason == NO_FLAGS.reason
    assert refused.in_sight


def test_all_mines_are_flagged_once_a_first_flag_was_taken() -> None:
    """The first one is waited for longer than pages are frozen."""
    scene = Scene(rows := "12#10\n#2110\n11000\n11000\n#1000")
    detector = detector_of(scene)
    detector.note_turn(turn(scene, 3, Action.OPEN, [Cell(1, 1)]))
    reported, last = detector.detect(observed(scene, rows, Status.PLAYING))
    assert reported.status is Status.PLAYING
    assert Limits().change_s * detector.flags.patience(0) > 8
    assert len(detector.flags.decide(last.board).moves) == 1
    taken = Board.from_text(rows.replace("#", "F", 1), 3)
    assert len(detector.flags.decide(taken).moves) == 2
    assert [detector.flags.patience(turns) for turns in (0, 1)] == [1, 2]
    assert detector.end_without_flags() is None


def test_a_flag_that_is_gone_when_all_are_set_was_none() -> None:
    """Swing draws a frame on the button under the pointer, which was read as a flag."""
    rows = "12#10\n#2110\n11000\n11000\n#1000"
    scene = Scene(rows)
    detector = detector_of(scene)
    detector.note_turn(turn(scene, 3, Action.OPEN, [Cell(1, 1)]))
    assert detector.detect(observed(scene, rows, Status.WON))[0].status is Status.PLAYING
    scene.show(rows.replace("#", "F", 1))
    detector.note_turn(turn(scene, 3, Action.FLAG, [Cell(1, 0), Cell(4, 0)]))
    flagged = observed(scene, rows.replace("#", "F", 1), Status.PLAYING)
    assert detector.detect(flagged)[0].status is Status.PLAYING
    assert detector.detect(observed(scene, rows, Status.WON))[0].status is Status.WON
    assert scene.notes == [NO_FLAGS.reason]


def test_a_flag_that_was_tried_says_nothing_of_the_next_game() -> None:
    scene = Scene(LAST)
    detector = detector_of(scene)
    last = turn(scene, 2, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    assert detector.flags.find_out(observed(scene, LAST, Status.PLAYING), last)
    detector.begin_game()
    scene.show("###\n###\n###")
    detector.note_turn(turn(scene, None, Action.OPEN, [Cell(1, 1)], 0.5, number=1))
    assert detector.unread_end(scene.frame(), BoardCovered("a card")) is None


@pytest.mark.parametrize("runs_on", [False, True])
def test_one_flag_is_tried_though_the_clock_runs_on_for_a_menu_may_open(runs_on: bool) -> None:
    """The next right clicks would land on the menu. A clock that runs may wait for other marks."""
    scene = Scene(LAST)
    scene.clock_runs = runs_on
    detector = detector_of(scene)
    last = turn(scene, 2, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    assert detector.flags.find_out(observed(scene, LAST, Status.PLAYING), last)
    flags = detector.flags.decide(last.reading.board)
    assert len(flags.moves) == 1
    tried = turn(scene, 2, Action.FLAG, [flags.moves[0].cell])
    detector.note_turn(tried)
    detector.note_clicks(all_clicks(tried))
    if runs_on:
        with pytest.raises(WindowStuck, match="a right click opens a menu"):
            detector.unread_end(scene.frame(), BoardCovered("a menu"))
    else:
        end = detector.unread_end(scene.frame(), BoardCovered("a menu"))
        assert isinstance(end, Verdict)
        assert end.reason == NO_FLAGS.reason
    assert scene.keys == ["escape"]
