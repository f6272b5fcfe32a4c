"""The table of verdicts: is a game over, and who won it? Exact evidence, exact verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration.indicators.words import Said
from calibration.rules import UNREAD, Tiles
from calibration.verdict import A_LIFE, NO_FLAGS, OTHER_MARKS, Evidence, Verdict, verdict
from solver.board import Cell, Tile
from solver.game import Status
from tests.calibration.drawing import tiles

PLAYING, WON, LOST, UNKNOWN = Status.PLAYING, Status.WON, Status.LOST, None
SAID_WON, SAID_LOST = Said(WON, plain=True), Said(LOST, plain=True)
GAME_OVER = Said(LOST, plain=False)


def cells(text: str) -> frozenset[Cell]:
    """Return the cells of a text: "02 10" are two."""
    return frozenset(Cell(int(one[0]), int(one[1])) for one in text.split())


def game(
    before: str,
    shown: str = "",
    *,
    to_open: str = "",
    guess: bool = False,
    first: bool = False,
    clicked: str | None = None,
    flagged: str = "",
    changed: str = "",
    said: Said | None = None,
    **seen: Any,
) -> Evidence:
    """Return what is seen of a game; all cells of a move were clicked if ``clicked`` is None."""
    old = tiles(before)
    asked = {
        name: (lambda value=value: value)
        for name, value in seen.items()
        if name
        in ("wants_flags", "clock_runs", "runs_on", "goes_on", "ended", "confirmed", "earlier")
    }
    return Evidence(
        tiles(shown) if shown else np.full_like(old, UNREAD),
        old,
        words=lambda: said,
        moved=cells(to_open) | cells(flagged),
        to_open=cells(to_open),
        certain=not guess,
        risky=guess or first,
        opened=cells(to_open if clicked is None else clicked),
        flagged=cells(flagged),
        changed=cells(changed),
        **(seen | asked),
    )


def covered(before: str, shown: str = "", **seen: Any) -> Evidence:
    """Return what is seen of a game whose board stays covered."""
    return game(before, shown, covered=True, at_rest=True, waited=True, **seen)


def unclear(before: str, shown: str, **seen: Any) -> Evidence:
    """Return the evidence of a board that is not read yet and has no status."""
    return game(before, shown, waited=True, **seen)


def anew(before: str, **seen: Any) -> Evidence:
    """Return what is seen of a game after which all is covered again."""
    return game(before, anew=True, **seen)


def read(status: Status, before: str, shown: str, **seen: Any) -> Evidence:
    """Return what is seen of a board that was read twice."""
    whole: dict[str, Any] = {"read": status, "at_rest": True, **seen}
    return game(before, shown, **whole)


def brief(before: str, shown: str, **seen: Any) -> Evidence:
    """Return what is seen of a board that was shown for a moment."""
    return game(before, shown, **{"read": LOST, "fleeting": True, **seen})


def inferred(before: str, shown: str = "01*1 0111 1111 1*11", **seen: Any) -> Evidence:
    return read(LOST, before, shown, inferred=True, **seen)


def sure(shown: str) -> Tiles:
    """Return the mines of a board that are beyond doubt."""
    return np.where(tiles(shown) == Tile.MINE, tiles(shown), np.int8(UNREAD))


ONE_MINE, GROWING = "01#1 0111 111# 1#11", "#2## #31# ####"
ALL_HIDDEN = "###### ###### ###### ######"
PAINTED, SCATTERED = "X**### ***### **1### ######", "X##*## ####*# #*#### ###*##"
FEW_MINES, MORE_MINES = "##1000 ##1000 ##2111 *####*", "*#1000 ##1000 #*2111 #####*"
TWO_LEFT = "1#10 ##10 1110"
LAST, BEFORE_LAST = "12# #21 110", "12# #2# 110"
FRESH, BEGUN = "#### #### ####", "1### #### ####"
SIX_LEFT = "##### 112## 001##"
FEW = "###### ###### ##1000 ####2#"
SAFE_LEFT = "00 02 03 04 14 23 24"
ALL_OPENED = "1*211 112*1 00111"


@pytest.mark.parametrize(
    ("seen", "status"),
    [
        # Mines shown when all safe cells are open are those of a win. One under a part of a dialog
        # seems exploded, and a page that announces the win late seems to want flags first.
        (read(LOST, BEFORE_LAST, "12* *21 110", to_open="12"), WON),
        (read(LOST, BEFORE_LAST, "12X *21 110", to_open="12"), WON),
        (read(LOST, LAST, "12X *21 110", flagged="02 10", clicked="12"), WON),
        (read(LOST, BEFORE_LAST, "12* *21 110", to_open="02", guess=True), LOST),
        # No click opened the cells that are open now: a mine was hit.
        (read(LOST, SIX_LEFT, ALL_OPENED, to_open=SAFE_LEFT), WON),
        (read(LOST, SIX_LEFT, ALL_OPENED, to_open="00"), LOST),
        (unclear(SIX_LEFT, ALL_OPENED, to_open=SAFE_LEFT), WON),
        (unclear(SIX_LEFT, ALL_OPENED, to_open="00"), UNKNOWN),
        # A page opens its board after a mine, and shows the mines a moment later.
        (read(WON, SIX_LEFT, "1#211 112#1 00111", to_open="01", guess=True), LOST),
        (read(WON, SIX_LEFT, "1#211 112#1 00111", to_open=SAFE_LEFT), WON),
        (read(WON, SIX_LEFT, "1#211 112#1 00111", to_open=f"01 {SAFE_LEFT}"), WON),  # a lost click
        # Plain red mines, shown one after another, may be taken for flags.
        (read(WON, BEFORE_LAST, "12F F21 110", to_open="12", guess=True), WON),
        (read(WON, BEFORE_LAST, "12F F21 110", to_open="02", guess=True), LOST),
        (read(WON, LAST, "12F F21 110", to_open="20", clicked="20 02"), LOST),  # a turn later
        (read(WON, LAST, "12F F21 110", to_open="02", guess=True, said=SAID_WON), WON),
        # Marks that no click set.
        (read(PLAYING, FEW, "F#F### ###F## #F1000 ####2F", to_open="21", guess=True), LOST),
        (read(PLAYING, FEW, "F#F### ###F## ##1000 ####2F", to_open="21", guess=True), PLAYING),
        # An end is to be seen twice, and all that is left may want flags.
        (read(WON, BEFORE_LAST, LAST, to_open="12", at_rest=False), UNKNOWN),
        (read(PLAYING, BEFORE_LAST, LAST, to_open="12", at_rest=False), UNKNOWN),
        (read(PLAYING, BEFORE_LAST, LAST, to_open="12", flags=True, at_rest=False), PLAYING),
        (read(PLAYING, BEFORE_LAST, LAST, to_open="12", wants_flags=True), PLAYING),
        (read(PLAYING, BEFORE_LAST, LAST, to_open="12"), WON),
        (read(WON, LAST, "12F F21 110", flagged="02 10", clicked="12", wants_flags=True), WON),
        # A clock runs on though all mines are marked: a page without a sign of a win.
        (read(WON, LAST, "12F F21 110", flagged="02 10", runs_on=True), WON),
        (read(WON, LAST, "12F F21 110", flagged="02 10", runs_on=True, counted=0), WON),
        (read(WON, LAST, "12F F21 110", flagged="02 10", runs_on=True, counted=2), UNKNOWN),
        (read(WON, LAST, "12F F21 110", flagged="02 10", counted=2), WON),
        (read(WON, LAST, "12F F21 110", flagged="02", runs_on=True, counted=2, said=SAID_WON), WON),
        # One mine of several lives.
        (read(LOST, FRESH, "X### #### ####", to_open="00", guess=True, goes_on=True), PLAYING),
        (read(LOST, FRESH, "X### *### ####", to_open="00", guess=True, goes_on=True), LOST),
        (read(LOST, "X### #### ####", "X### *### ####", to_open="10", goes_on=True), PLAYING),
        (read(LOST, FRESH, "X### #### ####", to_open="00", guess=True), LOST),
        # After a life, a win that shows all mines, or wants all flagged.
        (read(LOST, "12X ### 110", "12* *21 110", to_open="11 12", goes_on=True), WON),
        (read(WON, "12X ### 110", "12F F21 110", to_open="11 12"), WON),
        # Words outweigh clicks that are inferred.
        (inferred(ONE_MINE, to_open="23"), WON),
        (inferred(ONE_MINE, to_open="31"), LOST),
        (inferred("01#1 0111 111# 1#1#", to_open="23"), LOST),
        (inferred("01#1 0111 111# 1#1#", to_open="23", said=SAID_WON), WON),
        (inferred(ONE_MINE, to_open="23", said=SAID_LOST), LOST),
        (inferred(ONE_MINE, "01X1 0111 1111 1*11", to_open="02"), LOST),
        # On a board seen briefly only a clicked mine shows a loss: a page shows its mines as
        # flowers after a win, one of them on red.
        (brief(BEFORE_LAST, "12X *21 110", to_open="12"), WON),
        (brief(BEFORE_LAST, "12X *2# 110", to_open="02"), LOST),
        (brief(BEFORE_LAST, "12X #21 110", to_open="12"), WON),
        (brief(BEFORE_LAST, "1#X #21 110", to_open="12"), UNKNOWN),
        (brief(BEFORE_LAST, "12F F21 110", to_open="12", read=WON), WON),
        (brief(BEFORE_LAST, "12F F21 110", to_open="02", read=WON), LOST),
        # A page in colours of a rainbow painted nine tiles with red edges, and hung for a minute.
        (brief(ALL_HIDDEN, PAINTED, to_open="00", first=True), UNKNOWN),
        (brief(ALL_HIDDEN, SCATTERED, to_open="00", first=True), LOST),
        (covered(ALL_HIDDEN, f"{PAINTED[:-1]}!", to_open="00", first=True), UNKNOWN),
        # A page that lets its digits grow hung as two of them looked like small mines.
        (brief(GROWING, "X2## X31# ####", to_open="00 10"), UNKNOWN),
        (brief(GROWING, "X2## #31# ####", to_open="00 10"), UNKNOWN),
        (brief(GROWING, "X2## #31# ####", to_open="00", guess=True), LOST),
        (brief(GROWING, "X2#* #31# ##*#", to_open="00 10"), LOST),
        (brief(GROWING, "#2## #31X ####", to_open="00 10"), LOST),
    ],
)
def test_the_end_of_a_board_that_was_read(seen: Evidence, status: Status | None) -> None:
    assert verdict(seen).status is status


GUESSED = "##1000 ##1000 ##2111 ######"
LAST_GUESS = "00111 001#1 11222 1#22# 22#32 112## 001##"
REVEALS = "13 22 04 34"
HIDES = "001## 012## 01### 01###"
MANY = "1#1## 11### ##### #####"


@pytest.mark.parametrize(
    ("seen", "status"),
    [
        # The last safe cells were opened, unless a click was missed or the program wants flags.
        (covered(TWO_LEFT, to_open="01 10", changed="01 10", mines=1), WON),
        (covered(TWO_LEFT, to_open="01 10", changed="01", mines=1), UNKNOWN),
        (covered(TWO_LEFT, to_open="01 10", changed="01", mines=1, dimmed=True), WON),
        (covered(TWO_LEFT, to_open="01 10", changed="01 10", mines=1, clock_runs=True), UNKNOWN),
        (covered(TWO_LEFT, to_open="01 10", changed="01 10", mines=1, flags=True), UNKNOWN),
        (
            covered(TWO_LEFT, to_open="01 10", changed="01 10", mines=1, flags=True, dimmed=True),
            WON,
        ),
        # A page hangs at its end, and shows the cells as they were: only clicks count.
        (covered(TWO_LEFT, to_open="01 10", clicked="", changed="01 10", mines=1), UNKNOWN),
        (covered(TWO_LEFT, to_open="01 10", clicked="01", changed="01 10", mines=1), UNKNOWN),
        (covered(TWO_LEFT, to_open="01 10", changed="01 10", mines=2), UNKNOWN),
        (covered(TWO_LEFT, to_open="01 10", changed="01 10", mines=1, guess=True), UNKNOWN),
        (covered(TWO_LEFT, to_open="01 10", changed="01 10"), WON),  # all others are sure mines
        (covered(f"{TWO_LEFT} 0000 1221 #### ####", to_open="01 10", changed="01 10"), UNKNOWN),
        (covered("1#1###", to_open="03 04 05", clicked="04", changed="03 04 05", mines=1), WON),
        # Only mines are not open, and none can be read: the clicked cell decides.
        (covered(BEFORE_LAST, "12! !21 110", to_open="12", guess=True), WON),
        (covered(BEFORE_LAST, "12! !21 110", to_open="02", guess=True), LOST),
        (covered(BEFORE_LAST, "12! #21 110", to_open="12", guess=True), UNKNOWN),
        (covered(BEFORE_LAST, "12! !22 110", to_open="12", guess=True), UNKNOWN),
        # Open cells below a message stay as they were.
        (covered("221 ##1 ##1", "221 FF1 F31", to_open="21", changed="21"), WON),
        (covered("221 ##1 ##1", "221 ##1 #31", to_open="21", changed="21"), WON),
        (covered("221 ##1 #31", "221 FF1 !31", to_open="20", changed="20"), LOST),
        (covered("221 ##1 ##1", "221 ##1 ##1", to_open="21"), UNKNOWN),
        (covered("221 ##1 ##1", "221 ##1 #!1", to_open="21"), UNKNOWN),
        # A clicked mine among others beside a message.
        (covered(MANY, "1X1## 11!## !!!*# ##*##", to_open="01", guess=True), LOST),
        (covered(MANY, "1X1## 11!## !!!## ##*##", to_open="01", guess=True), UNKNOWN),
        (covered(MANY, "1##*# 11!## !!!*# ##*##", to_open="01", guess=True), UNKNOWN),
        (covered(MANY, "1X0## 11!## !!!*# ##*##", to_open="01", guess=True), LOST),
        (covered(MANY, "1X1## 11!## !!!*# ##*##", to_open="01", guess=True, said=SAID_WON), WON),
        (covered(LAST, "12! !21 110", flagged="02 10", mines=2), UNKNOWN),
        # Flags on all mines that are left, of a program that wants them.
        (covered(LAST, flagged="02 10", changed="02 10", mines=2, flags=True), WON),
        (covered(LAST, flagged="02", changed="02", mines=2, flags=True), UNKNOWN),
        (covered("12# F21 110", flagged="02", changed="02", mines=2, flags=True), WON),
        (covered(LAST, flagged="02 10", changed="02", mines=2, flags=True), UNKNOWN),
        # A page dims its board after a guess that cannot have won.
        (covered(GUESSED, to_open="35", guess=True, dimmed=True, mines=3), LOST),
        (covered(GUESSED, to_open="35", guess=True, dimmed=True), LOST),
        (covered(GUESSED, to_open="35", guess=True, dimmed=True, mines=11), UNKNOWN),
        (covered(GUESSED, to_open="35", guess=True, mines=3), UNKNOWN),
        (covered(GUESSED, to_open="35", dimmed=True, mines=3), UNKNOWN),
        (covered("1##1 #### 1##1", to_open="02", guess=True, dimmed=True), LOST),
        (covered("11# 111 #11", to_open="02", guess=True, dimmed=True), UNKNOWN),
        (covered(LAST_GUESS, to_open="53", guess=True, dimmed=True), UNKNOWN),
        (covered(LAST_GUESS, to_open="64", guess=True, dimmed=True), LOST),
        (covered(LAST_GUESS, to_open="64", guess=True, dimmed=True, said=SAID_WON), WON),
        (covered(FRESH, to_open="00", guess=True, first=True, dimmed=True), UNKNOWN),  # a name
        # Mines beyond doubt beside what covers a board: too few, a clicked one and more, another.
        (covered(GUESSED, to_open="35", guess=True, confirmed=sure(FEW_MINES)), UNKNOWN),
        (covered(GUESSED, to_open="35", guess=True, confirmed=sure(MORE_MINES)), LOST),
        (covered(GUESSED, to_open="34", guess=True, confirmed=sure(MORE_MINES)), UNKNOWN),
        # Tiles that changed fit nothing but the mines.
        (covered(HIDES, to_open="34", guess=True, changed=REVEALS, mines=4), LOST),
        (covered(HIDES, to_open="34", guess=True, changed=REVEALS, mines=4, said=SAID_WON), WON),
        (covered(HIDES, flagged="34", changed=REVEALS, mines=4), UNKNOWN),  # a flag explodes none
        # Nothing but a mine on the clicked cell.
        (unclear(BEGUN, "1### #X## ####", to_open="11", guess=True, changing=True, mines=2), LOST),
        (unclear(BEGUN, "1### #*## ####", to_open="11", guess=True, changing=True, mines=2), LOST),
        # A cell that was certainly safe shows a zero in an unusual font, if nothing confirms more.
        (unclear(BEGUN, "1### #*## ####", to_open="11", changing=True, mines=2), UNKNOWN),
        (unclear(BEGUN, "1### #*## ####", to_open="11", changing=True, ended=True), LOST),
        (unclear(BEGUN, "1### #*## ####", to_open="11", changing=True, flags=False), LOST),
        (unclear(BEGUN, "1### #*## ####", to_open="11", changing=True, said=SAID_LOST), LOST),
        # At a first click a zero that is written looks like that: something else must confirm it.
        (unclear(FRESH, "#### #X## ####", to_open="11", changing=True, mines=2), UNKNOWN),
        (unclear(FRESH, "#### #*## ####", to_open="11", changing=True, ended=True), LOST),
        (unclear(FRESH, "#### #*## ####", to_open="11", changing=True, flags=False), LOST),
        (unclear(FRESH, "#### #*## ####", to_open="11", changing=True, said=SAID_LOST), LOST),
        (unclear(FRESH, "###* #*## ####", to_open="11", changing=True, mines=2), UNKNOWN),
        (unclear(FRESH, "###X #### ####", to_open="11", changing=True, mines=2), UNKNOWN),
        (unclear(FRESH, "#### #X## ####", to_open="11", changing=True, goes_on=True), PLAYING),
        (
            unclear("X### #### ####", "*### #*## ####", to_open="11", changing=True, goes_on=True),
            PLAYING,
        ),
        (unclear("2###X 1####", "2###X 1#X##", to_open="12", guess=True, changing=True), LOST),
        (unclear("2###X 1####", "2###F 1#X##", to_open="12", guess=True, changing=True), LOST),
        (unclear("2###X 1####", "2###1 1#X##", to_open="12", changing=True), UNKNOWN),
        (unclear("2###X 1####", "2###X 1FX##", to_open="12", changing=True), UNKNOWN),
        # All mines are shown alike: the clicked cell decides, on the board that was played.
        (unclear(BEFORE_LAST, "12* *21 110", to_open="12", guess=True), WON),
        (unclear(BEFORE_LAST, "12* *21 110", to_open="02", guess=True), LOST),
        (unclear(BEFORE_LAST, "12* *21 100", to_open="12", guess=True), UNKNOWN),
        # The window says it in words; "game over" is a loss only after a risk that cannot have won.
        (covered(FRESH, to_open="11", changed="00", mines=2, said=SAID_WON), WON),
        (covered(FRESH, to_open="11", changed="00", mines=2, said=SAID_LOST), LOST),
        (covered(FRESH, to_open="11", guess=True, changed="00", mines=2, said=GAME_OVER), LOST),
        (covered(FRESH, to_open="11", changed="00", mines=2, said=GAME_OVER), UNKNOWN),
        (covered(FRESH, to_open="11", guess=True, mines=11, said=GAME_OVER), UNKNOWN),
        (covered(FRESH, to_open="11", first=True, changed="00", said=GAME_OVER), LOST),
        (covered(FRESH, to_open="11", guess=True, changed="00", mines=2), UNKNOWN),
        (game(FRESH, to_open="11", said=SAID_WON), UNKNOWN),  # there is more to be seen
        # Frames before the last one.
        (covered(FRESH, to_open="11", earlier=verdict(read(WON, LAST, LAST))), WON),
        (covered(FRESH, to_open="11", earlier=verdict(read(LOST, FRESH, "X### #### ####"))), LOST),
        # The mines take no flags.
        (game(LAST, LAST, flagged="02", refused=True), WON),
    ],
)
def test_the_end_of_a_board_that_cannot_be_read(seen: Evidence, status: Status | None) -> None:
    assert verdict(seen).status is status


@pytest.mark.parametrize(
    ("seen", "status"),
    [
        # The clicks opened the last safe cells, by flooding too, or so a guess would have to.
        (anew("1#10 ##10 1110", to_open="01 10", mines=1), WON),
        (anew("#11 #21 #21 111", to_open="00", guess=True, mines=2), UNKNOWN),
        (anew("#10 #10", to_open="00", guess=True, mines=1), UNKNOWN),
        # A guess that leaves safe cells ends the game only on a mine.
        (anew(GUESSED, to_open="35", guess=True, mines=3), LOST),
        (anew(MANY, to_open="01", guess=True, mines=8), LOST),
        # A new game began: one of many clicks, or none, may have ended the old one.
        (anew(GUESSED, to_open="35", clicked="", guess=True, mines=3), UNKNOWN),
        (anew("00000 01110 01#21 012## ####2", to_open="", clicked="", mines=3), UNKNOWN),
        # An end was seen before.
        (anew(FRESH, to_open="11", earlier=verdict(read(WON, LAST, LAST))), WON),
        (anew(FRESH, to_open="11", earlier=verdict(read(LOST, BEGUN, "X### #### ####"))), LOST),
    ],
)
def test_the_end_of_a_game_after_which_a_new_one_began_by_itself(
    seen: Evidence, status: Status | None
) -> None:
    assert verdict(seen).status is status


def test_a_verdict_has_a_reason_and_the_known_part_of_the_board() -> None:
    lost = verdict(covered(HIDES, to_open="34", guess=True, changed=REVEALS, mines=4))
    assert lost.in_sight
    assert "can only be its mines" in lost.reason
    assert lost.tiles is not None
    assert {*map(tuple, np.argwhere(lost.tiles == Tile.MINE).tolist())} == {(1, 3), (2, 2), (0, 4)}
    assert lost.tiles[3, 4] == Tile.EXPLODED
    assert verdict(game(LAST, LAST, refused=True)).reason == NO_FLAGS.reason
    life = verdict(read(LOST, FRESH, "X### #### ####", to_open="00", goes_on=True))
    assert life.reason == A_LIFE.reason
    marks = read(WON, LAST, "12F F21 110", flagged="02 10", runs_on=True, counted=2)
    assert verdict(marks).reason == OTHER_MARKS.reason


def test_words_are_asked_once_and_only_where_a_row_comes_to_them() -> None:
    asked: list[int] = []

    def words() -> Said | None:
        asked.append(1)
        return None

    shown = tiles(LAST)
    playing = Evidence(tiles(FRESH), tiles(FRESH), read=PLAYING, words=words)
    assert verdict(playing).status is PLAYING
    assert not asked
    hidden = Evidence(np.full_like(shown, UNREAD), shown, waited=True, words=words)
    assert verdict(hidden).status is UNKNOWN
    assert len(asked) == 1


WALL, FIVE_ROWS = "222121 ##3#2# ##3121", " ".join(["######"] * 5)
EVERY = " ".join(f"{row}{col}" for row in range(3) for col in range(6))
MANY_APART = "01 03 04 20 21 23 24 40 41 43 44"


@pytest.mark.parametrize(
    ("seen", "revealed"),
    [
        (game(HIDES, to_open="34", changed=REVEALS, mines=4), True),
        (game(HIDES, to_open="34", changed=REVEALS), True),
        (game(HIDES, to_open="03", changed="03", mines=4), False),  # one number was opened
        (game(HIDES, to_open="03", changed="03 04 14", mines=4), False),  # an area was opened
        (game(HIDES, to_open="34", changed="22 04 34", mines=4), False),  # a mine is missing
        (game(HIDES, to_open="34", changed=f"{REVEALS} 32", mines=4), False),  # one too many
        (game(HIDES, to_open="03", changed=REVEALS, mines=4), False),  # not the clicked cell
        (game(HIDES, to_open="04", changed="03 04 13 14 22 23 24 32 33 34", mines=4), False),
        (game("##### ##### ##### #####", to_open="34", changed=REVEALS), False),  # no number
        # The clicked cell, far from numbers, may be the last safe one.
        (game(WALL, to_open="20", changed="10 11 20 21 13 15"), False),
        (game(WALL, to_open="21", changed="10 11 20 21 13 15"), True),
        (game(WALL, to_open="20", changed="10 11 20 21 13 15", mines=6), True),
        # All that is hidden changed and fits the numbers, but so did the open tiles: it is dimmed.
        (game(WALL, to_open="21", changed=EVERY, mines=6), False),
        # A program that does not spare the first click shows its mines on a board without numbers.
        (game(FIVE_ROWS, to_open="00", changed="00 03 21 35 42", at_rest=True), True),
        (game(FIVE_ROWS, to_open="00", changed="00 03 21 35 42"), False),
        (game(FIVE_ROWS, to_open="00", changed="00 01 10 11 12", at_rest=True), False),  # opened
        (game(FIVE_ROWS, to_open="00", changed=f"00 05 25 45 {MANY_APART}", at_rest=True), False),
        (game(FIVE_ROWS, to_open="00", changed="03 21 35 42", at_rest=True), False),  # another one
    ],
)
def test_tiles_that_changed_may_be_the_mines_of_a_loss(seen: Evidence, revealed: bool) -> None:
    assert (seen.revealed is not None) is revealed


IN_PLAY = tiles("2### #### #### ####")
ALL_SHOWN, STRUCK = "*2* 121 000", "1221 1X#1 1221 0000"
ONE_SIGN = "2#** ##** #### ####"


def picture(
    rows: str,
    *,
    said: Said | None = None,
    lives: bool = False,
    sunglasses: bool = False,
    other_face: bool = False,
    before: Tiles | None = None,
    **seen: Any,
) -> Verdict:
    """Return the verdict on a picture."""
    asked = {"lives": lives, "sunglasses": sunglasses, "other_face": other_face}
    seen |= {name: (lambda value=value: value) for name, value in asked.items()}
    old, first = tiles(rows) if before is None else before, before is None
    return verdict(Evidence(tiles(rows), old, words=lambda: said, first=first, **seen))


@pytest.mark.parametrize(
    ("rows", "seen", "status", "why"),
    [
        # Zeros that still appear may look like mines, all of them in one patch.
        (ONE_SIGN, {"before": IN_PLAY}, UNKNOWN, "only one sign"),
        ("2##* #### *### ##*#", {"before": IN_PLAY}, LOST, "A mine"),
        (ONE_SIGN, {"before": IN_PLAY, "program": "xdemineur"}, LOST, "A mine"),
        (ONE_SIGN, {"before": IN_PLAY, "said": SAID_LOST}, UNKNOWN, "only one sign"),  # wait
        # Of programs that want flags.
        ("1#1 111 111 1F1", {"flags": True}, PLAYING, "left"),
        ("1?1 111 111 1F1", {"flags": True}, PLAYING, "left"),
        ("1F1 111 111 1F1", {"flags": True}, WON, "All safe"),
        ("1#1 111 111 1F1", {"flags": True, "other_face": True}, UNKNOWN, "is not clear"),
        # A smiley that contradicts the board.
        ("1#1 111 111 1F1", {"face": LOST}, UNKNOWN, "won, but what stands beside it says lost"),
        ("1#1 111 111 1F1", {"face": PLAYING}, UNKNOWN, "beside it says playing"),
        ("1#1 111 111 1F1", {"face": PLAYING, "new_face": True}, WON, "All safe"),
        (ONE_SIGN, {"face": LOST}, LOST, "A mine"),
        # Words decide if all mines are shown.
        (ALL_SHOWN, {"said": SAID_LOST}, LOST, "window"),
        (ALL_SHOWN, {"said": SAID_WON}, WON, "window"),
        (ALL_SHOWN, {}, UNKNOWN, "whether it is won or lost"),
        (ALL_SHOWN, {"sunglasses": True}, WON, "window"),
        ("F2X1 1221 0000 0000", {"sunglasses": True}, WON, "window"),
        # They are a second sign of a loss, but not one against it.
        (ONE_SIGN, {"said": SAID_LOST}, LOST, "A mine"),
        (ONE_SIGN, {"said": SAID_WON}, UNKNOWN, "only one sign"),
        ("X2* 121 000", {"said": SAID_LOST}, LOST, "A mine"),
        ("X2* 121 000", {"said": SAID_WON}, UNKNOWN, "but what stands beside it says won"),
        # A lone mine may have taken a life.
        (STRUCK, {"lives": True}, UNKNOWN, "lives are counted"),
        ("1221 1X*1 12## 00##", {"lives": True}, LOST, "A mine"),
        ("1221 1X*1 1221 0000", {"lives": True}, UNKNOWN, "lives are counted"),
        (STRUCK, {}, LOST, "A mine"),
        (STRUCK, {"has_face": True}, UNKNOWN, "one life less"),
        (STRUCK, {"has_face": True, "said": SAID_LOST}, LOST, "A mine"),
        (STRUCK, {"has_face": True, "before": tiles(STRUCK.replace("X", "#"))}, LOST, "A mine"),
    ],
)
def test_the_verdict_on_a_picture(
    rows: str, seen: dict[str, Any], status: Status | None, why: str
) -> None:
    found = picture(rows, **seen)
    assert found.status is status
    assert why in found.reason
