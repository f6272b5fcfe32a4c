"""A scripted person plays the simulated window; the spectator shows what was done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button, Monitor, Screen
from bot.errors import StoppedByUser
from bot.events import Event, GameOver, GameResult, Outcome, Played, Turn
from bot.tracking.follow import Wanted
from bot.watch.hints import NO_HINTS, Hints, Sight
from bot.watch.spectator import Spectator
from calibration import calibrate
from calibration.frame import Frame
from calibration.grid import PixelBox
from calibration.theme import Theme
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Rule
from tests.simulated import FaultyDesktop


class Diary:
    """Keeps turns and results."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.results: list[GameResult] = []

    def __call__(self, event: Event) -> None:
        match event:
            case Played(turn):
                self.turns.append(turn)
            case GameOver(result):
                self.results.append(result)

    @property
    def moves(self) -> list[tuple[str, Cell]]:
        return [(m.action.value, m.cell) for turn in self.turns for m in turn.decision.moves]


class HintsDiary:
    """Keeps the sights it is given, with None for each time the board changed."""

    def __init__(self) -> None:
        self.reported: list[Sight | None] = []

    def board_changed(self, cells: Collection[Cell] | None) -> None:
        self.reported.append(None)

    def board_at_rest(self, sight: Sight) -> None:
        self.reported.append(sight)

    @property
    def sights(self) -> list[Sight]:
        return [sight for sight in self.reported if sight is not None]


class HidingScreen:
    """The screen of a desktop on which something may lie over one tile."""

    def __init__(self, desk: FaultyDesktop, cell: Cell) -> None:
        self._desk, self._cell, self.hides = desk, cell, False

    def monitors(self) -> tuple[Monitor, ...]:
        return self._desk.screen.monitors()

    def grab(self, box: PixelBox | None = None) -> Frame:
        frame = self._desk.screen.grab(box)
        if not self.hides:
            return frame
        point, pixels = self._desk.cell_point(self._cell), frame.pixels.copy()
        x, y = (round(v) for v in (point.x - frame.origin.x, point.y - frame.origin.y))
        pixels[max(0, y - 7) : y + 7, max(0, x - 3) : x + 3] = (20, 120, 60)
        pixels[max(0, y - 2) : y + 2, max(0, x - 8) : x + 8] = (250, 250, 90)
        return Frame(pixels, frame.origin, frame.scale)


def watched(
    desk: FaultyDesktop,
    person: Iterator[None],
    *themes: Theme,
    hints: Hints = NO_HINTS,
    screen: Screen | None = None,
) -> Diary:
    """Let a person play a step every half second, watched; return what was reported."""
    diary = Diary()
    next_at = desk.clock.now() + 1.0

    def step() -> None:
        nonlocal next_at
        if desk.clock.now() >= next_at:
            next_at = desk.clock.now() + 0.5
            try:
                next(person)
            except StopIteration:
                raise StoppedByUser("The person has finished.") from None

    spectator = Spectator(
        screen or desk.screen,
        desk.pointer,
        desk.clock,
        observer=diary,
        before_frame=step,
        hints=hints,
        wanted=Wanted(themes=themes or None),
        lines_in=desk.lines_in,
    )
    try:
        spectator.watch()
    except StoppedByUser:
        spectator.finish()
    return diary


def desktop(**changes: Any) -> FaultyDesktop:
    settings: dict[str, Any] = {"rows": 9, "cols": 9, "mines": 10, "rule": Rule.ZERO, "seed": 4}
    return FaultyDesktop(**{**settings, **changes})


def board(desk: FaultyDesktop) -> Board:
    return Board(desk.game.board.tiles, 10)


def test_every_click_is_reported() -> None:
    desk = desktop()
    clicked: list[tuple[str, Cell]] = []

    def person() -> Iterator[None]:
        def click(cell: Cell, button: Button = Button.LEFT) -> None:
            action = "open" if button is Button.LEFT else "flag"
            clicked.append((action, cell))
            desk.click(desk.cell_point(cell), button)

        click(Cell(4, 4))
        yield
        for _ in range(5):
            known = analyse(board(desk))
            if known.mines and desk.game.board.tiles[known.mines[0]] == -1:
                click(known.mines[0], Button.RIGHT)
                yield
            if known.safe:
                click(known.safe[0])
                yield
        yield

    diary = watched(desk, person())
    assert len(clicked) > 4
    assert diary.moves == clicked
    assert diary.turns[0].decision.certain, "the program may protect a first click"
    assert [result.outcome for result in diary.results] == [Outcome.STOPPED]


@pytest.mark.slow
def test_a_tile_that_something_hides_is_reported_as_unknown_until_it_is_seen() -> None:
    desk = desktop()
    screen, hints = HidingScreen(desk, Cell(4, 4)), HintsDiary()

    def person() -> Iterator[None]:
        yield
        screen.hides = True
        desk.click(desk.cell_point(Cell(0, 0)))
        for _ in range(4):
            yield
        screen.hides = False
        yield
        yield

    diary = watched(desk, person(), hints=hints, screen=screen)
    reported = [sight.board for sight in hints.sights]
    in_part = [one for one in reported if one.unknown.any()]
    assert [np.argwhere(one.unknown).tolist() for one in in_part] == [[[4, 4]]] * len(in_part)
    assert len(in_part) == 1, "it is reported once"
    known = ~in_part[-1].unknown
    assert (in_part[-1].tiles == desk.game.board.tiles)[known].all()
    assert reported[-1].tiles.tolist() == desk.game.board.tiles.tolist()
    assert diary.moves == [("open", Cell(0, 0))]


def test_a_lost_game_and_the_next_one() -> None:
    desk = desktop()

    def person() -> Iterator[None]:
        desk.click(desk.cell_point(Cell(4, 4)))
        yield
        mine = Cell(*map(int, np.argwhere(desk.game.mines)[0]))
        desk.click(desk.cell_point(mine))
        yield
        yield
        desk.press("f2")
        yield
        desk.click(desk.cell_point(Cell(0, 0)))
        yield
        yield

    diary = watched(desk, person())
    assert [result.outcome for result in diary.results] == [Outcome.LOST, Outcome.STOPPED]
    assert [turn.game for turn in diary.turns] == [1, 1, 2]
    assert diary.turns[1].decision.survival < 1.0


def test_the_spectator_sends_nothing() -> None:
    desk = desktop()
    diary = watched(desk, iter([None, None, None]))
    assert desk.clicks == []
    assert diary.turns == []
    assert diary.results == []


@pytest.mark.slow
def test_a_window_that_closes_ends_the_watch() -> None:
    desk = desktop(rows=8, cols=8)

    def person() -> Iterator[None]:
        desk.click(desk.cell_point(Cell(4, 4)))
        yield
        desk.minimise()
        for _ in range(100):
            yield

    diary = watched(desk, person())
    assert len(diary.turns) == 1
    (result,) = diary.results
    assert result.outcome is Outcome.STOPPED
    assert result.why == "The board is not on the screen any more."


@pytest.mark.slow
def test_a_window_that_moves_is_followed() -> None:
    desk = desktop()
    moved: Callable[[], None] = lambda: desk.move_window(60, 30)  # noqa: E731

    def person() -> Iterator[None]:
        desk.click(desk.cell_point(Cell(4, 4)))
        yield
        moved()
        for _ in range(4):
            yield
        desk.click(desk.cell_point(analyse(board(desk)).safe[0]))
        yield
        yield

    diary = watched(desk, person())
    assert len(diary.turns) == 2


def test_two_clicks_between_two_frames_are_two_turns() -> None:
    desk = desktop()

    def person() -> Iterator[None]:
        desk.click(desk.cell_point(Cell(4, 4)))
        yield
        for cell in analyse(board(desk)).safe[:2]:
            desk.click(desk.cell_point(cell))
        yield
        yield

    diary = watched(desk, person())
    assert len(diary.turns) == 3
    assert [turn.decision.survival for turn in diary.turns[1:]] == [1.0, 1.0]
    covered = [int(turn.reading.board.covered.sum()) for turn in diary.turns]
    assert covered == sorted(covered, reverse=True)


def test_a_board_given_up_and_begun_again_partly_open() -> None:
    """Some programs open a corner of a new board themselves."""
    desk = desktop()

    def person() -> Iterator[None]:
        desk.click(desk.cell_point(Cell(4, 4)))
        yield
        desk.press("f2")
        desk.click(desk.cell_point(Cell(0, 0)))  # too soon to be seen
        yield
        yield
        yield
        yield
        desk.click(desk.cell_point(analyse(board(desk)).safe[0]))
        yield
        yield

    diary = watched(desk, person())
    assert [turn.game for turn in diary.turns] == [1, 2]
    assert [result.outcome for result in diary.results] == [Outcome.STOPPED, Outcome.STOPPED]


@pytest.mark.slow
def test_a_dialog_over_the_end_may_stay_for_long() -> None:
    desk = desktop()

    def person() -> Iterator[None]:
        desk.click(desk.cell_point(Cell(4, 4)))
        yield
        desk.click(desk.cell_point(Cell(*map(int, np.argwhere(desk.game.mines)[0]))))
        yield
        desk.popup(lasts_s=7.5)
        for _ in range(18):
            yield
        desk.press("f2")
        yield
        desk.click(desk.cell_point(Cell(0, 0)))
        yield
        yield

    diary = watched(desk, person())
    assert [result.outcome for result in diary.results] == [Outcome.LOST, Outcome.STOPPED]
    assert [turn.game for turn in diary.turns] == [1, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("won", [False, True])
def test_a_loss_is_reported_by_the_mines_beside_a_dialog_that_stays_until_the_next_game(
    won: bool,
) -> None:
    desk, theme = desktop(), theme_with_mines()

    def person() -> Iterator[None]:
        desk.click(desk.cell_point(Cell(4, 4)))
        yield
        left = [cell for cell in board(desk).cells() if board(desk).covered[cell]]
        mines = [cell for cell in left if desk.game.mines[cell]]
        for cell in [cell for cell in left if cell not in mines] if won else mines[:1]:
            desk.click(desk.cell_point(cell))
        desk.popup(lasts_s=3.0)
        for _ in range(5):
            yield
        desk.press("f2")
        for _ in range(6):
            yield

    diary = watched(desk, person(), theme)
    reported = [result.outcome for result in diary.results]
    assert reported == [Outcome.STOPPED if won else Outcome.LOST]


def theme_with_mines() -> Theme:
    """Describe how the simulated program looks, its mines included, as a theme does."""
    desk = desktop(seed=9, windows=())
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(2)
    mine = np.argwhere(desk.game.mines)[0]
    desk.click(desk.cell_point(Cell(*map(int, mine))))
    desk.clock.sleep(2)
    return Theme("simulated", calibrate(desk.grab(), themes=()).theme.appearances)
