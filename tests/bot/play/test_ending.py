"""The end of a game that cannot be read any more, told from the last clicks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bot.errors import ScreenGone, WindowGone, WindowStuck
from bot.events import Outcome, Turn
from bot.mouse.plan import ClickEffect, plan_clicks
from bot.options import Limits
from bot.play.ending import EndDetector
from bot.play.last_turn import UnreadEnd, flagged_all_mines, opened_all_safe
from bot.tracking.observation import Observation
from calibration.errors import BoardCovered, StatusUnclear, UnreadableTiles
from calibration.frame import Frame
from calibration.indicators.words import Said
from calibration.reader import Reading
from calibration.rules import UNREAD, Tiles
from solver.agents.base import Action, Decision, Move
from solver.board import TILE_OF_TEXT, Board, Cell, Tile
from solver.game import Status


def turn(
    rows: str,
    mines: int | None,
    action: Action,
    cells: list[Cell],
    chance: float = 1,
    number: int = 2,
) -> Turn:
    """Make a turn that does the same to all ``cells`` of a board."""
    reading = Reading(Board.from_text(rows, mines), Status.PLAYING, 1.0)
    moves = tuple(Move(cell, action) for cell in cells)
    frame = Frame(np.zeros((4, 4, 3), np.uint8))
    return Turn(1, number, frame, reading, Decision(moves, "", chance, None))


LAST = "12#\n#21\n110"
"""Both hidden cells are mines."""


def test_the_last_safe_cells_end_the_game() -> None:
    board = "1#10\n##10\n1110"
    safe = [Cell(0, 1), Cell(1, 0)]
    known = turn(board, 1, Action.OPEN, safe)
    assert opened_all_safe(known, safe)
    assert opened_all_safe(known, safe[:1])  # the other one lies beside it
    assert not opened_all_safe(known, [])
    assert not opened_all_safe(turn(board, 2, Action.OPEN, safe), safe)
    assert not opened_all_safe(turn(board, 1, Action.OPEN, safe, 0.5), safe)


@pytest.mark.parametrize(
    ("rows", "won"),
    [("1#10\n##10\n1110", True), ("1#10\n##10\n1110\n0000\n1221\n####\n####", False)],
)
def test_without_a_mine_total_all_that_is_left_must_be_certain(rows: str, won: bool) -> None:
    safe = [Cell(0, 1), Cell(1, 0)]
    assert opened_all_safe(turn(rows, None, Action.OPEN, safe), safe) is won


class Changes:
    """Stands for `Waits` where only these cells changed and no other frame was seen."""

    clock_runs = False

    def __init__(self, changed: list[Cell], *, dimmed: bool = False) -> None:
        self.frames = self
        self.changed, self.dimmed = changed, dimmed
        self.mines = np.full((9, 9), UNREAD, np.int8)

    def undimmed(self, _: Frame, after: Frame, __: Board) -> Frame | None:
        return after if self.dimmed else None

    def changed_cells(self, _: Frame, __: Frame, cells: Sequence[Cell]) -> list[Cell]:
        return [cell for cell in cells if cell in self.changed]

    def look_back(self, _: Frame) -> Iterator[Frame]:
        return iter(())

    def read_end(self, *_: object) -> None:
        return None

    def shown_mines(self, _: Frame) -> Tiles:
        return self.mines

    def wait_running_clock(self, _: float) -> bool:
        return self.clock_runs


class Words:
    """Stands for `EndWords` of a window that says this."""

    def __init__(self, said: Said | None = None, *, lives: bool = False) -> None:
        self.said, self.lives = said, lives

    def note_start(self) -> None:
        pass

    def read(self) -> Said | None:
        return self.said

    def count_lives(self) -> bool:
        return self.lives


def detector_of(waits: Any, words: Any = None) -> EndDetector:
    """Make an end detector that waits and restarts by ``waits``."""
    quiet: Any = SimpleNamespace(noticed=lambda _: None)
    return EndDetector(waits, waits, words or Words(), observer=quiet, limits=Limits())


def unread_end(
    last: Turn,
    waits: Any,
    trouble: Exception | None = None,
    *,
    mines: int | None = None,
    flags: bool = False,
    said: Said | None = None,
    lives: bool = False,
) -> UnreadEnd | None:
    """Return the end that is told after a turn whose clicks were all made."""
    detector = detector_of(waits, Words(said, lives=lives))
    detector.mines = mines
    made = plan_clicks(last.decision, last.reading.board, mines=[], flags=flags, chords=False)
    return detector.unread_end(last, made, last.frame, trouble)


@pytest.mark.parametrize(
    ("missed", "dimmed", "won"),
    [(False, False, True), (True, False, False), (True, True, True)],
    ids=["all cells opened", "a click was missed", "painted after the page was dimmed"],
)
def test_a_click_that_the_program_missed_ends_no_game(
    missed: bool, dimmed: bool, won: bool
) -> None:
    safe = [Cell(0, 1), Cell(1, 0)]
    last = turn("1#10\n##10\n1110", 1, Action.OPEN, safe)
    end = unread_end(last, Changes(safe[: 1 if missed else 2], dimmed=dimmed), mines=1)
    assert (end is not None and end.outcome is Outcome.WON) is won


def test_a_screen_that_is_gone_tells_no_end() -> None:
    """The program may have been ended before the last click reached it."""
    safe = [Cell(0, 1), Cell(1, 0)]
    last = turn("1#10\n##10\n1110", 1, Action.OPEN, safe)
    assert unread_end(last, Changes(safe), WindowGone("away"), mines=1) is not None
    assert unread_end(last, Changes(safe), ScreenGone("black"), mines=1) is None


@pytest.mark.parametrize("sent", [False, True])
def test_a_click_of_the_turn_before_may_have_opened_the_last_safe_cells(sent: bool) -> None:
    """A page that hangs at its end shows the cells as they were, and then goes away."""
    safe = [Cell(0, 1), Cell(1, 0)]
    detector = detector_of(Changes(safe))
    detector.mines = 1
    again = turn("1#10\n##10\n1110", 1, Action.OPEN, safe)
    if sent:
        board = again.reading.board
        made = plan_clicks(again.decision, board, mines=[], flags=False, chords=False)
        detector.note_clicks(made)
    end = detector.unread_end(again, [], again.frame, BoardCovered("gone"))
    assert (end is not None) is sent


@pytest.mark.parametrize(
    ("seen", "clicked", "outcome"),
    [
        ("12!\n!21\n110", Cell(1, 2), Outcome.WON),
        ("12!\n!21\n110", Cell(0, 2), Outcome.LOST),
        ("12!\n#21\n110", Cell(1, 2), None),  # one is still hidden
        ("12!\n!!1\n110", Cell(1, 2), None),  # numbers have too many of them
    ],
)
def test_the_cell_clicked_tells_the_end_if_only_mines_are_not_open_and_none_can_be_read(
    seen: str, clicked: Cell, outcome: Outcome | None
) -> None:
    last = turn("12#\n#2#\n110", None, Action.OPEN, [clicked], 0.5)
    trouble = UnreadableTiles("in doubt")
    codes = TILE_OF_TEXT | {"!": UNREAD}
    trouble.labels = np.array([[codes[one] for one in row] for row in seen.split()], np.int8)
    end = unread_end(last, Changes([]), trouble)
    assert (end and end.outcome) is outcome


def test_flags_that_cannot_be_read_are_no_clicked_mines() -> None:
    last = turn(LAST, None, Action.FLAG, [Cell(0, 2), Cell(1, 0)])
    trouble = UnreadableTiles("in doubt")
    trouble.labels = np.where(last.reading.board.open, last.reading.board.tiles, np.int8(UNREAD))
    made = plan_clicks(last.decision, last.reading.board, mines=[], flags=True, chords=False)
    assert [one.effect for one in made] == [ClickEffect.FLAG] * 2
    assert unread_end(last, Changes([]), trouble, flags=True) is None


GUESSED = "##1000\n##1000\n##2111\n######"


@pytest.mark.parametrize(
    ("mines", "dimmed", "survival", "told"),
    [
        (3, True, 0.6, True),
        (None, True, 0.6, True),  # of the cells left, some touch no number
        (11, True, 0.6, False),  # all that are left may be mines: it may be a win
        (3, False, 0.6, False),  # any window may lie over the board
        (3, True, None, False),  # a click that was certainly safe loses no game
    ],
)
def test_a_page_that_dims_its_board_after_a_guess_tells_the_loss(
    mines: int | None, dimmed: bool, survival: float | None, told: bool
) -> None:
    """An alert stops a page before it paints the mine."""
    last = turn(GUESSED, mines, Action.OPEN, [Cell(3, 5)], *([survival] if survival else []))
    end = unread_end(last, Changes([], dimmed=dimmed), mines=mines)
    assert (end is not None and end.outcome is Outcome.LOST) is told


@pytest.mark.parametrize(("board", "told"), [("1##1\n####\n1##1", True), ("11#\n111\n#11", False)])
def test_cells_that_cannot_all_be_mines_tell_the_loss_without_a_mine_total(
    board: str, told: bool
) -> None:
    """Every cell touches a number, some of which have too few mines for all that are left."""
    last = turn(board, None, Action.OPEN, [Cell(0, 2)], 0.5)
    end = unread_end(last, Changes([], dimmed=True))
    assert (end is not None and end.outcome is Outcome.LOST) is told


@pytest.mark.parametrize(
    ("mines", "told"),
    [
        ([(3, 5), (0, 0), (2, 1)], True),
        ([(3, 5), (0, 0)], False),
        ([(3, 4), (0, 0), (2, 1)], False),
    ],
    ids=["a clicked mine and more", "too few", "none was clicked"],
)
def test_mines_beside_what_covers_a_board_tell_the_loss(
    mines: list[tuple[int, int]], told: bool
) -> None:
    last = turn(GUESSED, None, Action.OPEN, [Cell(3, 5)], 0.6)
    waits = Changes([])
    waits.mines[tuple(np.transpose(mines))] = Tile.MINE
    end = unread_end(last, waits)
    assert (end is not None and end.outcome is Outcome.LOST) is told


def test_flags_on_the_last_mines_end_the_game_of_a_program_that_wants_them() -> None:
    mines = [Cell(0, 2), Cell(1, 0)]
    flags = turn(LAST, 2, Action.FLAG, mines)
    assert flagged_all_mines(flags, mines)
    assert not flagged_all_mines(flags, mines[:1])
    half = turn(LAST, 2, Action.FLAG, mines[:1])
    assert not flagged_all_mines(half, mines[:1])
    flagged = turn(LAST.replace("#21", "F21"), 2, Action.FLAG, mines[:1])
    assert flagged_all_mines(flagged, mines[:1])


class Still:
    """Stands for `Waits` and `Restarter` where the board stays as it is and no dialog opens."""

    frames = None

    def wait_end_confirmed(self, observation: Observation, **_: Any) -> Observation:
        return observation

    def wait_final_board(self, observation: Observation, **_: Any) -> Observation:
        return observation

    def dialog_keys(self, **_: Any) -> tuple[str, ...]:
        return ()


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


@pytest.mark.parametrize(
    ("clicked", "outcome"),
    [(Cell(1, 2), Outcome.WON), (Cell(0, 2), Outcome.LOST)],
    ids=["a number", "a mine"],
)
def test_the_cell_clicked_tells_whose_the_mines_are_that_are_all_shown(
    clicked: Cell, outcome: Outcome
) -> None:
    """A page that shows its mines after a win shows the same board as one that opens all."""
    last = turn("12#\n#2#\n110", None, Action.OPEN, [clicked], 0.5)
    shown = Board.from_text(LAST.replace("#", "*"), None)
    end = unread_end(last, Changes([]), StatusUnclear("unclear", shown))
    assert end is not None
    assert end.outcome is outcome
    other = Board.from_text(LAST.replace("#", "*").replace("11", "10"), None)
    assert unread_end(last, Changes([]), StatusUnclear("unclear", other)) is None


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
    ("said", "chance", "mines", "outcome"),
    [
        (Said(Status.WON, plain=True), 1.0, 2, Outcome.WON),
        (Said(Status.LOST, plain=True), 1.0, 2, Outcome.LOST),
        (Said(Status.LOST, plain=False), 0.5, 2, Outcome.LOST),
        (Said(Status.LOST, plain=False), 1.0, 2, None),  # safe cells explode on no page
        (Said(Status.LOST, plain=False), 0.5, 11, None),  # the guess may have won
        (None, 0.5, 2, None),
    ],
)
def test_words_tell_how_a_covered_game_ended(
    said: Said | None, chance: float, mines: int, outcome: Outcome | None
) -> None:
    last = turn("####\n####\n####", mines, Action.OPEN, [Cell(1, 1)], chance)
    end = unread_end(last, Changes([Cell(0, 0)]), BoardCovered("a card"), mines=mines, said=said)
    assert (end and end.outcome) is outcome


def test_game_over_after_a_first_click_is_a_loss() -> None:
    """Not every page keeps the first click free."""
    first = turn("####\n####\n####", None, Action.OPEN, [Cell(1, 1)], number=1)
    over = Said(Status.LOST, plain=False)
    end = unread_end(first, Changes([Cell(0, 0)]), BoardCovered("a card"), said=over)
    assert end is not None
    assert end.outcome is Outcome.LOST


@pytest.mark.parametrize(
    ("shown", "told"),
    [("####\n#X##\n####", True), ("####\n#*##\n####", True), ("###*\n#*##\n####", False)],
    ids=["exploded", "a mine", "another one, too"],
)
def test_a_mine_on_the_clicked_cell_and_nothing_else_is_a_loss(shown: str, told: bool) -> None:
    last = turn("####\n####\n####", 2, Action.OPEN, [Cell(1, 1)], 0.5)
    trouble = StatusUnclear("one sign", Board.from_text(shown, None), may_change=True)
    end = unread_end(last, Changes([]), trouble, mines=2)
    assert (end and end.outcome) is (Outcome.LOST if told else None)


@pytest.mark.parametrize(
    ("clock", "lives"),
    [(True, False), (False, True)],
    ids=["the clock runs on", "lives are counted"],
)
def test_a_mine_after_which_the_game_goes_on_took_a_life(clock: bool, lives: bool) -> None:
    last = turn("####\n####\n####", 2, Action.OPEN, [Cell(1, 1)], 0.5)
    running = Changes([])
    running.clock_runs = clock
    trouble = StatusUnclear("one sign", Board.from_text("####\n#X##\n####", None), may_change=True)
    with pytest.raises(WindowStuck, match="seems to go on"):
        unread_end(last, running, trouble, mines=2, lives=lives)


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


@pytest.mark.parametrize("runs_on", [False, True])
def test_marks_after_which_the_clock_runs_on_are_no_win(runs_on: bool) -> None:
    """A right click may set a question mark first, which looks like a flag that is not known."""
    still: Any = Still()
    running = iter([True, runs_on])
    still.wait_running_clock = lambda _: next(running)
    detector = detector_of(still)
    open_all = turn(LAST, 2, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(open_all)
    left = Observation(open_all.frame, Reading(open_all.reading.board, Status.PLAYING, 1.0))
    assert detector.detect(left) is None  # the flags are missing
    marked = Board.from_text(LAST.replace("#", "F"), 2)
    end = Observation(open_all.frame, Reading(marked, Status.WON, 1.0))
    if runs_on:
        with pytest.raises(WindowStuck, match="clock"):
            detector.detect(end)
    else:
        assert detector.detect(end) == (Outcome.WON, end)


class Dimmed(Changes):
    """Stands for `Waits` where the frame, made bright again, shows ``board`` as lost."""

    def __init__(self, board: Board, status: Status = Status.LOST) -> None:
        super().__init__([], dimmed=True)
        self.board, self.status = board, status

    def read_end(self, frame: Frame, _: Board) -> Observation:
        return Observation(frame, Reading(self.board, self.status, 1.0))


@pytest.mark.parametrize(
    ("clicked", "shown", "outcome"),
    [
        (Cell(1, 2), "12X\n*21\n110", Outcome.WON),
        (Cell(0, 2), "12X\n*2#\n110", Outcome.LOST),
        (Cell(1, 2), "12X\n#21\n110", Outcome.WON),
        (Cell(1, 2), "1#X\n#21\n110", None),
    ],
    ids=["all mines are shown", "the clicked one", "a mine of a win", "another one"],
)
def test_a_dimmed_board_tells_a_loss_by_a_clicked_mine_only(
    clicked: Cell, shown: str, outcome: Outcome | None
) -> None:
    """A page shows its mines as flowers after a win, one of them on red."""
    detector = detector_of(Dimmed(Board.from_text(shown, None)))
    last = turn("12#\n#2#\n110", None, Action.OPEN, [clicked], 0.5)
    made = plan_clicks(last.decision, last.reading.board, mines=[], flags=False, chords=False)
    detector.note_turn(last)
    detector.note_clicks(made)
    end = detector.unread_end(last, made, last.frame, BoardCovered("a card"))
    assert (end and end.outcome) is outcome


@pytest.mark.parametrize(("clicked", "won"), [(Cell(1, 2), True), (Cell(0, 2), False)])
def test_mines_that_look_like_flags_tell_a_loss_on_the_clicked_cell(
    clicked: Cell, won: bool
) -> None:
    shown = Board.from_text("12F\nF21\n110", None)
    detector = detector_of(Dimmed(shown, Status.WON))
    last = turn("12#\n#2#\n110", None, Action.OPEN, [clicked], 0.5)
    detector.note_turn(last)
    end = detector.unread_end(last, [], last.frame, BoardCovered("a card"))
    assert end is not None
    assert end.outcome is (Outcome.WON if won else Outcome.LOST)


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
    end = detector.detect(Observation(last.frame, Reading(board, Status.PLAYING, 1.0)))
    if more:
        assert end is not None
        assert end[0] is Outcome.WON
        return
    assert end is None
    assert len(detector.flag_mines(board).moves) == 1
    refused = detector.refused_flags(turn(LAST, None, Action.FLAG, [Cell(0, 2)]))
    assert refused is not None
    assert refused.outcome is Outcome.WON


def test_all_mines_are_flagged_once_a_first_flag_was_taken() -> None:
    still: Any = Still()
    still.frames = SimpleNamespace(shows_more=lambda *_: False)
    still.wait_running_clock = lambda _: False
    detector = detector_of(still)
    rows = "12#10\n#2110\n11000\n11000\n#1000"
    last = turn(rows, 3, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    board = last.reading.board
    assert detector.detect(Observation(last.frame, Reading(board, Status.PLAYING, 1.0))) is None
    assert len(detector.flag_mines(board).moves) == 1
    taken = Board.from_text(rows.replace("#", "F", 1), 3)
    assert len(detector.flag_mines(taken).moves) == 2
    assert detector.refused_flags(last) is None


def test_a_flag_that_was_tried_says_nothing_of_the_next_game() -> None:
    waits: Any = Changes([])
    waits.shows_more, waits.close_menu = lambda *_: False, lambda: None
    waits.wait_running_clock = lambda _: False
    detector = detector_of(waits)
    last = turn("1#\n11", 1, Action.OPEN, [Cell(1, 1)])
    detector.note_turn(last)
    assert detector.needs_flags(Observation(last.frame, last.reading))
    new = turn("####\n####\n####", None, Action.OPEN, [Cell(1, 1)], 0.5, number=1)
    detector.note_turn(new)
    assert detector.unread_end(new, [], new.frame, BoardCovered("a card")) is None
