"""The status of a game in a program that is not known."""

from __future__ import annotations

from contextlib import nullcontext

import cv2
import numpy as np
import pytest

from calibration.errors import StatusUnclear
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.smiley import Smiley
from calibration.indicators.status import told_status
from calibration.indicators.words import Said
from calibration.rules import Tiles
from calibration.theme import LEARNED, ProgramProfile, Theme
from solver.board import Board
from solver.game import Status

FRAME, GRID = Frame(np.zeros((160, 120, 3), np.uint8)), Grid(20, 60, 20, 20, 4, 4)
IN_PLAY = Board.from_text("2###\n####\n####\n####").tiles


LOST, WON = Said(Status.LOST, plain=True), Said(Status.WON, plain=True)


def told(
    rows: str,
    theme: str = LEARNED,
    *,
    said: Said | None = None,
    lives: bool = False,
    before: Tiles | None = IN_PLAY,
    frame: Frame = FRAME,
) -> Status:
    board, asked = Board.from_text(rows), (lambda: said, lambda: lives)
    known = Theme(theme, ()), Smiley(())
    known[1].find(frame, GRID)
    return told_status(frame, board, *known, *asked, counted=False, before=before)


@pytest.mark.parametrize("theme", [LEARNED, f"{LEARNED}/look-1"])
def test_a_look_that_was_kept_is_no_known_program(theme: str) -> None:
    """Zeros that still appear may look like mines, all of them in one patch."""
    with pytest.raises(StatusUnclear, match="only one sign"):
        told("2#**\n##**\n####\n####", theme)
    assert told("2##*\n####\n*###\n##*#", theme) is Status.LOST


def test_the_mines_of_a_known_program_are_sign_enough() -> None:
    assert told("2#**\n##**\n####\n####", "xdemineur/default") is Status.LOST


@pytest.mark.parametrize(("mark", "status"), [("#", "PLAYING"), ("?", "PLAYING"), ("F", "WON")])
def test_a_game_won_by_flags_goes_on_until_all_mines_have_one(mark: str, status: str) -> None:
    """A right click that came twice left a question mark on one of them."""
    board = Board.from_text(f"1{mark}1\n111\n111\n1F1")
    theme = Theme("xdemineur/default", (), profile=ProgramProfile(flags_to_win=True))
    smiley = Smiley(())
    smiley.find(FRAME, GRID)
    asked = (lambda: None, lambda: False)
    told = told_status(FRAME, board, theme, smiley, *asked, counted=False, before=None)
    assert told is Status[status]


ALL_SHOWN = "*2*\n121\n000"


@pytest.mark.parametrize(("said", "status"), [(LOST, Status.LOST), (WON, Status.WON)])
def test_words_tell_what_mines_that_are_all_shown_do_not(said: Said, status: Status) -> None:
    assert told(ALL_SHOWN, said=said, before=None) is status
    with pytest.raises(StatusUnclear, match="whether it is won or lost"):
        told(ALL_SHOWN, said=None, before=None)


def test_words_are_a_second_sign_of_a_loss_but_not_against_it() -> None:
    one_mine = "2#**\n##**\n####\n####"
    assert told(one_mine, said=LOST, before=None) is Status.LOST
    with pytest.raises(StatusUnclear, match="only one sign"):
        told(one_mine, said=WON, before=None)


def test_words_of_a_win_contradict_a_board_that_is_over_and_lost() -> None:
    assert told("X2*\n121\n000", said=LOST, before=None) is Status.LOST
    with pytest.raises(StatusUnclear, match="board says lost, but the window says won"):
        told("X2*\n121\n000", said=WON, before=None)


def test_in_play_the_board_is_waited_for_and_no_words_are_read() -> None:
    with pytest.raises(StatusUnclear, match="only one sign"):
        told("2#**\n##**\n####\n####", said=LOST)


STRUCK = "1221\n1X#1\n1221\n0000"


def test_a_lone_mine_ends_no_game_that_counts_lives() -> None:
    with pytest.raises(StatusUnclear, match="lives are counted"):
        told(STRUCK, before=None, lives=True)
    two_mines = "1221\n1X*1\n12##\n00##"
    assert told(two_mines, before=None, lives=True) is Status.LOST
    with pytest.raises(StatusUnclear, match="lives are counted"):  # it may be won
        told("1221\n1X*1\n1221\n0000", before=None, lives=True)


def face(*, sunglasses: bool) -> Frame:
    """Draw a yellow face above the middle of the board."""
    pixels = np.full((160, 120, 3), 200, np.uint8)
    cv2.circle(pixels, (60, 24), 15, (250, 220, 40), -1, cv2.LINE_AA)
    for x in (54, 66):
        cv2.circle(pixels, (x, 21), 5 if sunglasses else 2, (20, 20, 20), -1, cv2.LINE_AA)
    if sunglasses:
        cv2.rectangle(pixels, (49, 18), (71, 20), (20, 20, 20), -1)
    cv2.ellipse(pixels, (60, 27), (7, 6), 0, 20, 160, (20, 20, 20), 1, cv2.LINE_AA)
    return Frame(pixels)


def test_a_lone_mine_below_a_face_needs_words() -> None:
    """Some programs show only the mine that exploded, others go on with a life less."""
    assert told(STRUCK, before=None) is Status.LOST
    frame = face(sunglasses=False)
    with pytest.raises(StatusUnclear, match="a life less"):
        told(STRUCK, before=None, frame=frame)
    assert told(STRUCK, said=LOST, before=None, frame=frame) is Status.LOST
    seen = Board.from_text(STRUCK.replace("X", "#")).tiles
    assert told(STRUCK, before=seen, frame=frame) is Status.LOST


@pytest.mark.parametrize("rows", [ALL_SHOWN, "F2X1\n1221\n0000\n0000"])
def test_sunglasses_tell_a_win_where_the_board_does_not(rows: str) -> None:
    for sunglasses in (False, True):
        smiley, frame = Smiley(()), face(sunglasses=sunglasses)
        smiley.find(frame, GRID)
        assert smiley.wears_sunglasses(frame) is sunglasses
        with nullcontext() if sunglasses else pytest.raises(StatusUnclear):
            assert told(rows, before=None, frame=frame) is Status.WON
