"""What is gathered for the verdict: what was clicked, what is seen, and what is waited for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bot.errors import ScreenGone, WindowCovered, WindowGone
from bot.events import Turn
from bot.play.ending import BOARD_HIDDEN_NOTE, Lives
from bot.tracking.game import Observation
from calibration.errors import BoardCovered, ImpossibleBoard, StatusUnclear, UnreadableTiles
from calibration.grid import PixelBox
from calibration.indicators.words import Said
from calibration.rules import UNREAD
from calibration.verdict import A_LIFE, Verdict
from solver.agents.base import Action
from solver.board import TILE_OF_TEXT, Board, Cell
from solver.game import Status
from tests.bot.play.ending.cases import (
    LAST,
    Words,
    all_clicks,
    detector_after,
    is_board,
    observed,
    status_of,
    turn,
    unread_end,
)
from tests.bot.scene import LEFT, SIDE, TOP, Scene

FRESH, BEGUN = "####\n####\n####", "1###\n####\n####"
TWO_LEFT = "1#10\n##10\n1110"
BEFORE_LAST = "12#\n#2#\n11#"
WON_BY_WORDS = Said(Status.WON, plain=True)


@pytest.mark.parametrize(
    ("again", "shown", "status"),
    [
        (False, "12*\n*21\n110", Status.LOST),
        # The page hid it again, and then wanted all mines flagged.
        (True, "12F\nF21\n110", Status.WON),
    ],
)
def test_a_mine_that_took_a_life_makes_no_loss_of_a_win_that_shows_all_mines(
    again: bool, shown: str, status: Status
) -> None:
    """It was opened by a click, as the mine of a loss is."""
    scene = Scene("12#\n###\n11#", 2)
    scene.hearts = 3
    guess = turn(scene, 2, Action.OPEN, [Cell(0, 2)], 0.5)
    scene.hearts = 2
    detector = detector_after(scene, guess)
    reported, _ = detector.detect(observed(scene, "12X\n###\n11#", Status.LOST))
    assert reported.reason == A_LIFE.reason
    rest = turn(scene, 2, Action.OPEN, [Cell(1, 1), Cell(1, 2), Cell(2, 2)])
    last = replace(guess if again else rest, number=3)
    detector.note_turn(last)
    detector.note_clicks(all_clicks(last))
    assert detector.detect(observed(scene, shown, status))[0].status is Status.WON


@pytest.mark.parametrize("later", [False, True], ids=["at once", "a turn later"])
@pytest.mark.parametrize(("clicked", "won"), [(Cell(1, 2), True), (Cell(0, 2), False)])
def test_the_clicks_of_all_turns_of_a_game_count(clicked: Cell, won: bool, later: bool) -> None:
    """Plain red mines that a page shows one after another may be taken for flags."""
    scene = Scene(BEFORE_LAST)
    detector = detector_after(scene, turn(scene, 2, Action.OPEN, [clicked], 0.5))
    if later:
        detector.note_turn(replace(turn(scene, 2, Action.OPEN, [Cell(2, 0)]), number=3))
    end = observed(scene, "12F\nF21\n110", Status.WON)
    assert detector.detect(end)[0].status is (Status.WON if won else Status.LOST)
    detector.begin_game()
    scene.show(BEFORE_LAST)
    detector.note_turn(turn(scene, None, Action.OPEN, [Cell(1, 2)], number=1))
    end = observed(scene, "12F\nF21\n110", Status.WON)
    assert detector.detect(end)[0].status is Status.WON


def last_safe_cells(scene: Scene) -> Turn:
    """Return a turn that opens the last safe cells of a scene, which look different since."""
    safe = [Cell(0, 1), Cell(1, 0)]
    last = turn(scene, 1, Action.OPEN, safe)
    scene.marked = {*safe}
    return last


@pytest.mark.parametrize(
    ("sent", "trouble", "is_won"),
    [
        # A page that hangs at its end shows the cells as they were, and then goes away.
        (True, BoardCovered("gone"), True),
        (False, BoardCovered("gone"), False),
        (True, WindowGone("away"), True),
        # The program may have been ended before the last click reached it.
        (True, ScreenGone("black"), False),
    ],
)
def test_a_click_of_the_turn_before_may_have_opened_the_last_safe_cells(
    sent: bool, trouble: Exception, is_won: bool
) -> None:
    scene = Scene(TWO_LEFT, 1)
    last = last_safe_cells(scene)
    detector = detector_after(scene, last, clicked=sent, mines=1)
    detector.note_turn(replace(last, number=3))
    assert status_of(detector.unread_end(scene.frame(), trouble)) is (
        Status.WON if is_won else None
    )


@pytest.mark.parametrize(
    ("tiles", "clicked", "status"),
    [
        ("!2!\n!21\n110", Cell(1, 2), Status.WON),  # a number below a message stays as it was
        ("!2!\n!21\n110", Cell(0, 2), Status.LOST),
        # All is seen, but not how the game stands.
        ("12*\n*21\n110", Cell(1, 2), Status.WON),
        ("12*\n*21\n110", Cell(0, 2), Status.LOST),
    ],
)
def test_what_can_be_read_of_a_board_counts_with_the_clicks(
    tiles: str, clicked: Cell, status: Status | None
) -> None:
    codes, trouble = TILE_OF_TEXT | {"!": UNREAD}, BoardCovered("covered")
    trouble.labels = np.array([[codes[one] for one in row] for row in tiles.split()], np.int8)
    scene, shows_all = Scene("12#\n#2#\n110"), "!" not in tiles
    last = turn(scene, None, Action.OPEN, [clicked], 0.5)
    shown = StatusUnclear("unclear", Board(trouble.labels)) if shows_all else trouble
    end = unread_end(scene, last, shown)
    assert status_of(end) is status
    if shows_all:
        assert isinstance(end, Verdict)
        assert end.in_sight
        assert is_board(end.tiles, tiles)


@pytest.mark.parametrize("said", [None, WON_BY_WORDS], ids=["nothing", "you win"])
@pytest.mark.parametrize(
    "trouble", [ImpossibleBoard("contradiction"), StatusUnclear("the face contradicts it")]
)
def test_of_a_board_that_contradicts_itself_only_words_show_the_end(
    trouble: Exception, said: Said | None
) -> None:
    """Under the box of a page some tiles were misread."""
    scene = Scene(LAST)
    last = turn(scene, None, Action.OPEN, [Cell(0, 2)], 0.5)
    scene.marked = {Cell(0, 2)}
    assert status_of(unread_end(scene, last, trouble, said=said)) is (said and Status.WON)


@pytest.mark.parametrize(
    ("before", "chance", "clock", "lives", "status"),
    [
        (BEGUN, 0.5, False, False, Status.LOST),
        (BEGUN, 0.5, True, False, Status.PLAYING),
        # At a first click, and on a safe cell, it may be a zero that the page writes.
        (FRESH, 0.5, True, False, None),
        (BEGUN, 1, True, False, None),
        (BEGUN, 1, False, True, Status.PLAYING),
    ],
)
def test_a_mine_after_which_the_game_goes_on_took_a_life(
    before: str, chance: float, clock: bool, lives: bool, status: Status | None
) -> None:
    scene = Scene(before, 2)
    last = turn(scene, 2, Action.OPEN, [Cell(1, 1)], chance)
    scene.show(f"{before[0]}###\n#X##\n####")
    scene.clock_runs = clock
    lone = StatusUnclear("one sign", scene.board, may_change=True)
    assert status_of(unread_end(scene, last, lone, mines=2, lives=lives)) is status
    survived = scene.tracker.memory.reader.survived
    assert survived == ({Cell(1, 1)} if status is Status.PLAYING else set())


def test_a_second_life_is_taken_though_the_first_mine_looks_otherwise_now() -> None:
    scene = Scene("X###\n####\n####", 3)
    last = turn(scene, 3, Action.OPEN, [Cell(1, 1)], 0.5)
    scene.show("*###\n#*##\n####")
    scene.clock_runs = True
    detector = detector_after(scene, last, mines=3)
    detector._lives.survive([Cell(0, 0)])
    trouble = StatusUnclear("one sign", scene.board, may_change=True)
    assert isinstance(detector.unread_end(scene.frame(), trouble), Observation)
    assert scene.tracker.memory.reader.survived == {Cell(0, 0), Cell(1, 1)}


@pytest.mark.parametrize("dimmed", [False, True])
@pytest.mark.parametrize(
    ("before", "clicked", "shown", "status"),
    [
        ("12#\n#2#\n110", Cell(1, 2), "12X\n*21\n110", Status.WON),
        ("12#\n#2#\n11#", Cell(0, 2), "12X\n*2#\n11#", Status.LOST),
    ],
    ids=["all mines are shown", "the clicked one"],
)
def test_what_was_seen_before_a_board_was_covered_counts(
    before: str, clicked: Cell, shown: str, status: Status, dimmed: bool
) -> None:
    """It is a picture from the wait for the last clicks, or the one that a page dimmed."""
    scene = Scene(before)
    last = turn(scene, None, Action.OPEN, [clicked], 0.5)
    scene.show(shown)
    scene.dimmed = dimmed
    scene.see()
    if not dimmed:
        scene.cover = PixelBox(LEFT, TOP, LEFT + 3 * SIDE, TOP + 3 * SIDE)
    end = unread_end(scene, last, BoardCovered("a card"))
    assert status_of(end) is status
    assert isinstance(end, Verdict)
    assert is_board(end.tiles, shown)


def test_mines_beyond_doubt_beside_what_covers_a_board_show_the_loss() -> None:
    scene = Scene("##1000\n##1000\n##2111\n######")
    last = turn(scene, None, Action.OPEN, [Cell(3, 5)], 0.6)
    scene.show("*#1000\n##1000\n#*2111\n#####X")
    scene.cover = PixelBox(LEFT + 2 * SIDE, TOP, LEFT + 4 * SIDE, TOP + 3 * SIDE)
    assert status_of(unread_end(scene, last)) is Status.LOST


HIDES = "001##\n012##\n01###\n01###"
REVEALS = [Cell(1, 3), Cell(2, 2), Cell(0, 4), Cell(3, 4)]


@pytest.mark.parametrize(("action", "reported"), [(Action.OPEN, True), (Action.FLAG, False)])
def test_a_frame_whose_changes_fit_the_mines_of_a_loss_is_waited_for_no_longer(
    action: Action, reported: bool
) -> None:
    """A page hung at the last flag, and its rows grew: all mines looked different."""
    scene = Scene(HIDES, 4)
    last = turn(scene, 4, action, [REVEALS[3]])
    scene.marked = {*REVEALS}
    detector = detector_after(scene, last, mines=4)
    assert detector.shows_end_unread(scene.frame(), False) is reported
    assert detector.shows_end_unread(scene.frame(), True) is reported
    end = detector.unread_end(scene.frame(), BoardCovered("in doubt"))
    assert (status_of(end) is Status.LOST) is reported


@pytest.mark.parametrize("dimmed", [False, True])
def test_the_last_cells_are_waited_for_until_nothing_covers_them_for_a_while(dimmed: bool) -> None:
    scene = Scene(TWO_LEFT, 1)
    detector = detector_after(scene, last_safe_cells(scene), mines=1)
    scene.dimmed = dimmed
    assert not detector.shows_end_unread(scene.frame(), False)
    assert detector.shows_end_unread(scene.frame(), True) is dimmed


PAINTED = "X**###\n***###\n***###\n######"
SCATTERED = "X##*##\n####*#\n#*####\n###*##"
FIRST = "\n".join(["######"] * 4)


def first_turn(scene: Scene) -> Turn:
    return turn(scene, None, Action.OPEN, [Cell(0, 0)], 1, number=1)


@pytest.mark.parametrize(("shown", "reported"), [(PAINTED, False), (SCATTERED, True)])
def test_a_program_that_hangs_while_it_paints_its_first_opening_showed_no_mines(
    shown: str, reported: bool
) -> None:
    scene = Scene(FIRST)
    first = first_turn(scene)
    scene.show(shown)
    scene.see()
    scene.show(FIRST)
    end = unread_end(scene, first, UnreadableTiles("unknown"))
    assert (status_of(end) is Status.LOST) is reported


@pytest.mark.parametrize(("shown", "reported"), [(PAINTED, False), (SCATTERED, True)])
def test_an_end_that_cannot_be_read_again_counts_unless_it_was_half_painted(
    shown: str, reported: bool
) -> None:
    scene = Scene(FIRST)
    detector = detector_after(scene, first_turn(scene))
    lost = observed(scene, shown, Status.LOST)
    scene.cover = PixelBox(LEFT, TOP, LEFT + 6 * SIDE, TOP + 4 * SIDE)
    if reported:
        assert detector.detect(lost)[0].status is Status.LOST
        assert scene.notes == [BOARD_HIDDEN_NOTE]
    else:
        with pytest.raises(WindowCovered):
            detector.detect(lost)


@pytest.mark.parametrize(
    ("shown", "hangs_s", "status"),
    [
        (PAINTED, 5.0, Status.PLAYING),
        (PAINTED, 99.0, Status.LOST),
        (SCATTERED, 5.0, Status.LOST),
    ],
)
def test_a_half_painted_board_has_as_long_to_change_as_a_program_may_hang(
    shown: str, hangs_s: float, status: Status
) -> None:
    scene = Scene(FIRST)
    detector = detector_after(scene, first_turn(scene))
    lost = observed(scene, shown, Status.LOST)
    scene.clock.later(hangs_s, lambda: scene.show("001###\n001###\n112###\n######"))
    assert detector.detect(lost)[0].status is status


def test_at_a_first_click_another_face_confirms_that_a_lone_mine_is_one() -> None:
    """A zero that a page writes in an unusual font looks like a mine, too."""
    scene = Scene(FRESH, 2)
    scene.tracker.read(scene.frame())
    scene.tracker.learn_smiley(scene.frame(), Status.PLAYING)
    last = turn(scene, 2, Action.OPEN, [Cell(1, 1)], 0.5)
    scene.show("####\n#X##\n####")
    lone = StatusUnclear("one sign", scene.board, may_change=True)
    assert unread_end(scene, last, lone, mines=2) is None
    scene.face_ink = (250, 60, 60)
    assert status_of(unread_end(scene, last, lone, mines=2)) is Status.LOST


@pytest.mark.parametrize(
    ("stays", "clock", "said", "over"),
    [
        (False, False, None, False),
        (True, False, None, True),
        (True, True, None, False),
        (True, True, WON_BY_WORDS, True),
    ],
)
def test_a_dialog_that_stays_over_a_won_board_is_waited_out_no_longer(
    stays: bool, clock: bool, said: Said | None, over: bool
) -> None:
    scene = Scene(BEFORE_LAST, 2)
    last = turn(scene, 2, Action.OPEN, [Cell(1, 2), Cell(2, 2)])
    scene.cover = PixelBox(LEFT, TOP, LEFT + 3 * SIDE, TOP + 3 * SIDE)
    scene.clock_runs = clock
    detector = detector_after(scene, last, said, mines=2)
    assert detector.shows_end_unread(scene.frame(), stays) is over


# ---- whether the game goes on after a mine -------------------------------------------------------


BOARD = "####\n#12#\n#11#\n####"


def lives_of(scene: Scene, said: Said | None = None, *, counted: bool = False) -> Lives:
    words: Any = Words(said, lives=counted)
    return Lives(scene.stage, scene.waits, words)


def test_the_mines_of_a_game_are_forgotten_as_the_next_one_begins() -> None:
    scene = Scene(BOARD)
    lives = lives_of(scene)
    lives.survive([Cell(0, 0)])
    lives.survive([Cell(0, 1)])
    assert scene.tracker.memory.reader.survived == {Cell(0, 0), Cell(0, 1)}
    lives.begin_game()
    assert scene.tracker.memory.reader.survived == set()


@pytest.mark.parametrize(
    ("clock", "counted", "gone", "said", "goes_on"),
    [
        (False, False, False, None, False),
        (False, True, False, None, True),
        (True, False, False, None, True),
        (False, False, True, None, True),
        (True, True, True, Said(Status.LOST, plain=False), False),
        (True, False, False, Said(Status.WON, plain=False), True),
    ],
)
def test_a_life_was_taken_if_the_game_goes_on(
    clock: bool, counted: bool, gone: bool, said: Said | None, goes_on: bool
) -> None:
    scene = Scene(BOARD)
    scene.hearts = 3
    before = scene.frame()
    scene.hearts, scene.clock_runs = 2 if gone else 3, clock
    lives = lives_of(scene, said, counted=counted)
    assert lives.goes_on(before, scene.frame()) is goes_on


@pytest.mark.parametrize("other_face", [True, False])
def test_a_program_that_hangs_may_go_on_unless_the_face_beside_its_board_changed(
    other_face: bool,
) -> None:
    """A page hung for long after it drew a mine, and before it took one of its hearts away."""
    scene = Scene(BOARD)
    scene.tracker.read(scene.frame())
    scene.tracker.learn_smiley(before := scene.frame(), Status.PLAYING)
    scene.face_ink = (250, 60, 60) if other_face else scene.face_ink
    scene.clock.later(5.0, lambda: setattr(scene, "clock_runs", True))
    assert lives_of(scene).goes_on(before, scene.frame()) is not other_face
