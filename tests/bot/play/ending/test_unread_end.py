"""The end of a game that cannot be read any more, told from the last clicks."""

from __future__ import annotations

import numpy as np
import pytest

from bot.errors import ScreenGone, WindowGone
from bot.events import Outcome
from bot.play.ending.last_turn import UnreadEnd
from bot.tracking.observation import Observation
from calibration.errors import BoardCovered, StatusUnclear, UnreadableTiles
from calibration.frame import Frame
from calibration.indicators.words import Said
from calibration.reading import Reading
from calibration.rules import UNREAD
from solver.agents.base import Action
from solver.board import TILE_OF_TEXT, Board, Cell, Tile
from solver.game import Status
from tests.bot.play.ending.cases import LAST, Changes, all_clicks, detector_of, turn, unread_end


@pytest.mark.parametrize(
    ("missed", "dimmed", "runs", "won"),
    [(0, 0, 0, 1), (1, 0, 0, 0), (1, 1, 0, 1), (0, 0, 1, 0)],
    ids=["all cells opened", "a click was missed", "painted after the page was dimmed", "flags"],
)
def test_a_click_that_the_program_missed_ends_no_game(
    missed: bool, dimmed: bool, runs: bool, won: bool
) -> None:
    """Nor does it end beside a clock that runs on: the program may want all mines flagged."""
    safe = [Cell(0, 1), Cell(1, 0)]
    last = turn("1#10\n##10\n1110", 1, Action.OPEN, safe)
    waits = Changes(safe[: 1 if missed else 2], dimmed=dimmed)
    waits.clock_runs = runs
    end = unread_end(last, waits, mines=1)
    assert (end is not None and end.outcome is Outcome.WON) == won


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
        detector.note_clicks(all_clicks(again))
    end = detector.unread_end(again, [], again.frame, BoardCovered("gone"))
    assert (end is not None) is sent


@pytest.mark.parametrize(
    ("seen", "clicked", "outcome"),
    [
        ("12!\n!21\n110", Cell(1, 2), Outcome.WON),
        ("12!\n!21\n110", Cell(0, 2), Outcome.LOST),
        ("12!\n#21\n110", Cell(1, 2), None),  # one is still hidden
        ("12!\n!22\n110", Cell(1, 2), None),  # a number has too few of them
    ],
)
def test_the_cell_clicked_tells_the_end_if_only_mines_are_not_open_and_none_can_be_read(
    seen: str, clicked: Cell, outcome: Outcome | None
) -> None:
    last = turn("12#\n#2#\n110", None, Action.OPEN, [clicked], 0.5)
    end = unread_end(last, Changes([]), _covered(seen))
    assert (end and end.outcome) is outcome


def _covered(seen: str) -> BoardCovered:
    """Return the error of a board on which something lies over the tiles marked ``!``."""
    trouble = BoardCovered("covered")
    codes = TILE_OF_TEXT | {"!": UNREAD}
    trouble.labels = np.array([[codes[one] for one in row] for row in seen.split()], np.int8)
    return trouble


@pytest.mark.parametrize(
    ("seen", "clicked", "outcome"),
    [
        ("!!1\nFF1\nF31", Cell(2, 1), Outcome.WON),  # some pages flag all mines at a win
        ("!!1\n##1\n#31", Cell(2, 1), Outcome.WON),
        ("!!1\nFF1\n!31", Cell(2, 0), Outcome.LOST),  # what was clicked can only be a mine
        ("!!1\n##1\n##1", Cell(2, 1), None),  # the click was lost
        ("!!1\n##1\n#!1", Cell(2, 1), None),  # the cell below may be as it was
    ],
)
def test_open_cells_below_a_message_stay_as_they_were(
    seen: str, clicked: Cell, outcome: Outcome | None
) -> None:
    """That the cell in the corner is a mine, only the number tells that was opened last."""
    rows = "221\n##1\n#31" if clicked == Cell(2, 0) else "221\n##1\n##1"
    last = turn(rows, None, Action.OPEN, [clicked])
    end = unread_end(last, Changes([clicked]), _covered(seen))
    assert (end and end.outcome) is outcome


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [
        ("1X1##\n11!##\n!!!*#\n##*##", Outcome.LOST),
        ("1X1##\n11!##\n!!!##\n##*##", None),  # too few mines to be all
        ("1##*#\n11!##\n!!!*#\n##*##", None),  # another cell was clicked
        ("1X0##\n11!##\n!!!*#\n##*##", Outcome.LOST),  # whatever is misread beside it
    ],
)
def test_a_clicked_mine_among_others_beside_a_message_is_a_loss(
    seen: str, outcome: Outcome | None
) -> None:
    last = turn("1#1##\n11###\n#####\n#####", None, Action.OPEN, [Cell(0, 1)], 0.5)
    end = unread_end(last, Changes([]), _covered(seen))
    assert (end and end.outcome) is outcome


def test_flags_that_cannot_be_read_are_no_clicked_mines() -> None:
    last = turn(LAST, None, Action.FLAG, [Cell(0, 2), Cell(1, 0)])
    trouble = UnreadableTiles("in doubt")
    trouble.labels = np.where(last.reading.board.open, last.reading.board.tiles, np.int8(UNREAD))
    assert unread_end(last, Changes([]), trouble) is None


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


LAST_GUESS = "00111\n001#1\n11222\n1#22#\n22#32\n112##\n001##"


@pytest.mark.parametrize(
    ("clicked", "said", "told"),
    [
        (Cell(5, 3), None, False),
        (Cell(6, 4), None, True),
        (Cell(6, 4), Said(Status.WON, plain=True), False),
    ],
    ids=["all others may be mines", "they cannot", "the window says won"],
)
def test_an_alert_after_the_last_guess_may_be_that_of_a_win(
    clicked: Cell, said: Said | None, told: bool
) -> None:
    """It comes up before the last cell is painted; a cell that touches only this one is no sign."""
    last = turn(LAST_GUESS, None, Action.OPEN, [clicked], 0.5)
    end = unread_end(last, Changes([], dimmed=True), said=said)
    assert (isinstance(end, UnreadEnd) and end.outcome is Outcome.LOST) is told


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
    again = unread_end(last, running, trouble, mines=2, lives=lives)
    assert isinstance(again, Observation)
    assert running.survived == {Cell(1, 1)}


def test_a_second_life_is_taken_though_the_first_mine_looks_otherwise_now() -> None:
    last = turn("X###\n####\n####", 2, Action.OPEN, [Cell(1, 1)], 0.5)
    running = Changes([])
    running.clock_runs = True
    trouble = StatusUnclear("one sign", Board.from_text("*###\n#*##\n####", None), may_change=True)
    detector = detector_of(running)
    detector._lives.survived.add(Cell(0, 0))
    made = all_clicks(last)
    assert isinstance(detector.unread_end(last, made, last.frame, trouble), Observation)
    assert running.survived == {Cell(0, 0), Cell(1, 1)}


def test_a_mine_beside_a_running_clock_ends_the_game_if_the_window_says_so() -> None:
    last = turn("####\n####\n####", 2, Action.OPEN, [Cell(1, 1)], 0.5)
    running = Changes([])
    running.clock_runs = True
    trouble = StatusUnclear("one sign", Board.from_text("####\n#X##\n####", None), may_change=True)
    end = unread_end(last, running, trouble, mines=2, said=Said(Status.LOST, plain=True))
    assert isinstance(end, UnreadEnd)
    assert end.outcome is Outcome.LOST


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
    made = all_clicks(last)
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
