"""A scripted person plays the simulated window; the spectator shows what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button, Monitor, Screen
from bot.errors import StoppedByUser
from bot.events import (
    Event,
    GameOver,
    GameResult,
    Observer,
    Outcome,
    Played,
    Turn,
    each_of,
    ignore,
)
from bot.tracking.follow import Wanted
from bot.watch.hints import Hints, Sight
from bot.watch.spectator import Spectator
from calibration import calibrate
from calibration.frame import Frame
from calibration.grid import PixelBox
from calibration.theme import Theme
from solver.analysis import analyse
from solver.board import Board, Cell, Tile
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


class HintsDiary(Hints):
    """Keeps the sights it is given."""

    def __init__(self) -> None:
        self.sights: list[Sight] = []

    def board_at_rest(self, sight: Sight) -> None:
        self.sights.append(sight)


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
    hints: Hints | None = None,
    screen: Screen | None = None,
    observer: Observer = ignore,
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
        observer=each_of(diary, observer),
        before_frame=step,
        hints=hints or HintsDiary(),
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


Step = Callable[[FaultyDesktop], object]
"""What a person does, or sees happen."""


def click(row: int, col: int) -> Step:
    return lambda desk: desk.click(desk.cell_point(Cell(row, col)))


def click_safe(desk: FaultyDesktop, most: int = 1) -> None:
    for cell in analyse(board(desk)).safe[:most]:
        desk.click(desk.cell_point(cell))


def click_two(desk: FaultyDesktop) -> None:
    click_safe(desk, 2)


def click_mine(desk: FaultyDesktop) -> None:
    desk.click(desk.cell_point(Cell(*map(int, np.argwhere(desk.game.mines)[0]))))


def click_the_rest(desk: FaultyDesktop) -> None:
    mines = desk.game.mines
    assert mines is not None
    for cell in board(desk).cells():
        if not mines[cell] and board(desk).covered[cell]:
            desk.click(desk.cell_point(cell))


def start_anew(desk: FaultyDesktop) -> None:
    desk.press("f2")


def rest(desk: FaultyDesktop) -> None: ...


def all_of(*steps: Step) -> Step:
    return lambda desk: [step(desk) for step in steps]


def dialog(lasts_s: float) -> Step:
    return lambda desk: desk.popup(lasts_s=lasts_s)


def do(desk: FaultyDesktop, *steps: Step) -> Iterator[None]:
    """Do one step after the other, and rest twice at the end."""
    for step in (*steps, rest):
        step(desk)
        yield


LOST, STOPPED = Outcome.LOST, Outcome.STOPPED


@pytest.mark.parametrize(
    ("steps", "outcomes", "games"),
    [
        ((rest, rest), [], []),
        ((click(4, 4), click_mine, rest, start_anew, click(0, 0)), [LOST, STOPPED], [1, 1, 2]),
        # Some programs open a corner of a new board themselves; here a click comes too soon.
        (
            (click(4, 4), all_of(start_anew, click(0, 0)), rest, rest, rest, click_safe),
            [STOPPED, STOPPED],
            [1, 2],
        ),
        pytest.param(
            (click(4, 4), lambda desk: desk.move_window(60, 30), *[rest] * 3, click_safe),
            [STOPPED],
            [1, 1],
            marks=pytest.mark.slow,
        ),
        # A dialog over the end may stay for long.
        pytest.param(
            (click(4, 4), click_mine, dialog(7.5), *[rest] * 17, start_anew, click(0, 0)),
            [LOST, STOPPED],
            [1, 1, 2],
            marks=pytest.mark.slow,
        ),
        pytest.param(
            (click(4, 4), FaultyDesktop.minimise, *[rest] * 99),
            [STOPPED],
            [1],
            marks=pytest.mark.slow,
        ),
    ],
    ids=["nothing", "a loss", "too soon", "a window that moves", "a dialog", "a closed window"],
)
def test_games_and_their_turns_are_reported_and_nothing_is_sent(
    steps: tuple[Step, ...], outcomes: list[Outcome], games: list[int]
) -> None:
    desk = desktop()
    diary = watched(desk, do(desk, *steps))
    assert [result.outcome for result in diary.results] == outcomes
    assert [turn.game for turn in diary.turns] == games
    assert len(desk.clicks) >= len(games)
    survivals = [turn.decision.survival for turn in diary.turns]
    assert (min(survivals, default=1.0) < 1.0) is (LOST in outcomes)
    if FaultyDesktop.minimise in steps:
        assert diary.results[0].why == "The board is not on the screen any more."


def test_every_click_is_reported() -> None:
    desk = desktop()

    def flag_a_mine(desk: FaultyDesktop) -> None:
        mines = [cell for cell in analyse(board(desk)).mines if board(desk)[cell] == Tile.HIDDEN]
        for cell in mines[:1]:
            desk.click(desk.cell_point(cell), Button.RIGHT)

    diary = watched(desk, do(desk, click(4, 4), *[flag_a_mine, click_safe] * 5))
    names = {Button.LEFT: "open", Button.RIGHT: "flag"}
    clicked = [(names[click.button], click.cell) for click in desk.clicks]
    assert len(clicked) > 4
    assert diary.moves == clicked
    assert diary.turns[0].decision.certain, "the program may protect a first click"


def test_two_clicks_between_two_frames_are_two_turns() -> None:
    desk = desktop()
    diary = watched(desk, do(desk, click(4, 4), click_two))
    assert [turn.decision.survival for turn in diary.turns[1:]] == [1.0, 1.0]
    covered = [int(turn.reading.board.covered.sum()) for turn in diary.turns]
    assert covered == sorted(covered, reverse=True)


@pytest.mark.slow
def test_a_tile_that_something_hides_is_reported_as_unknown_until_it_is_seen() -> None:
    desk = desktop()
    screen, hints = HidingScreen(desk, Cell(4, 4)), HintsDiary()

    def hide(hides: bool) -> Step:
        return lambda desk: setattr(screen, "hides", hides)

    steps = rest, all_of(hide(True), click(0, 0)), rest, rest, rest, hide(False), rest
    diary = watched(desk, do(desk, *steps), hints=hints, screen=screen)
    reported = [sight.board for sight in hints.sights]
    (in_part,) = (one for one in reported if one.unknown.any())  # it is reported once
    assert np.argwhere(in_part.unknown).tolist() == [[4, 4]]
    assert (in_part.tiles == desk.game.board.tiles)[~in_part.unknown].all()
    assert reported[-1].tiles.tolist() == desk.game.board.tiles.tolist()
    assert diary.moves == [("open", Cell(0, 0))]


@pytest.mark.slow
@pytest.mark.parametrize("won", [False, True])
def test_a_loss_is_reported_by_the_mines_beside_a_dialog_that_stays_until_the_next_game(
    won: bool,
) -> None:
    described = desktop(seed=9, windows=())  # how the program looks, its mines included
    for step in (click(4, 4), click_mine):
        step(described)
        described.clock.sleep(2)
    theme = Theme("simulated", calibrate(described.grab(), themes=()).theme.appearances)
    desk, last = desktop(), click_the_rest if won else click_mine
    steps = click(4, 4), all_of(last, dialog(3.0)), *[rest] * 4, start_anew, *[rest] * 5
    diary = watched(desk, do(desk, *steps), theme)
    assert [result.outcome for result in diary.results] == [STOPPED if won else LOST]
