"""Whole games of the player: wrong totals, ends, flags, boards that are read again."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from bot.desktop.ports import Button, Desktop
from bot.errors import BoardChanged, WindowStuck, WindowTrouble
from bot.events import Decided, Event, Outcome
from bot.options import Limits
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint
from solver.agents import Decision, Move
from solver.agents.tank import Tank
from solver.board import Board, Cell
from solver.errors import InconsistentBoard
from solver.game import Rule
from tests.bot.fake_ports import FakePorts
from tests.bot.play.playing import desktop, play
from tests.simulated import Behaviour, Faults, FaultyDesktop

# ---- stopping ------------------------------------------------------------------------------------


def still(desk: FaultyDesktop) -> Desktop:
    """Return a desktop whose board stays as it is; the corner of the screen shows a click."""

    class Still(FakePorts):
        def grab(self, box: PixelBox | None = None) -> Frame:
            frame = super().grab(box)
            if desk.clicks and box is None:
                pixels = frame.pixels.copy()
                pixels[0, 0] = 77
                frame = replace(frame, pixels=pixels)
            return frame

    return replace(desk.ports, screen=Still(picture=desk.grab()))


def announcing(ports: Desktop) -> Desktop:
    """Return the same desktop, with words that come as soon as the screen changes."""
    start = ports.screen.grab()
    return replace(ports, lines_in=lambda frame, box: [] if frame == start else ["You lost!"])


def test_what_may_be_no_game_is_clicked_once() -> None:
    desk = desktop(skin="flat", faults=Faults(counter_absent=True))
    with pytest.raises(WindowStuck, match="may not be Minesweeper"):
        play(desk, ports=still(desk), mines=None)
    assert len(desk.clicks) == 1


def test_words_show_the_end_where_a_message_keeps_clicks_from_the_board() -> None:
    """A page said that the game was over before it painted the last click."""
    desk = desktop()
    results, _ = play(desk, ports=announcing(still(desk)), unread_ends=True)
    assert [result.outcome for result in results] == [Outcome.LOST]
    assert len(desk.clicks) == 2


@pytest.mark.slow
@pytest.mark.parametrize("clicked", [True, False])
def test_an_alert_after_a_click_ends_the_game_though_a_person_had_the_mouse(
    clicked: bool,
) -> None:
    """Where nothing was clicked the person may have covered the board."""

    def alert(desk: FaultyDesktop) -> None:
        desk.popup(share=1.1)
        desk.user_moves(lasts_s=0.5)

    def alerted(event: Event) -> None:
        if isinstance(event, Decided) and not clicked:
            alert(desk)

    desk = desktop(after_click={1: alert} if clicked else {})
    limits = Limits(cover_s=1.5, gone_s=1.5, idle_s=1.0)
    outcomes: list[Outcome] = []
    with nullcontext() if clicked else pytest.raises((WindowTrouble, CalibrationError)):
        results, _ = play(
            desk, ports=announcing(desk.ports), more=alerted, limits=limits, unread_ends=True
        )
        outcomes = [result.outcome for result in results]
    assert outcomes == [Outcome.LOST] * clicked
    assert len(desk.clicks) == int(clicked)


class Shimmering(FaultyDesktop):
    """Its first tile is darker by 0 to 3 times a ``step`` in each channel: 64 pictures in turn."""

    step, grabs = 0, 0

    def grab(self, box: PixelBox | None = None) -> Frame:
        frame = super().grab(box)
        self.grabs += 1
        pixels = frame.pixels.copy()
        at = self.truth_grid().centre(Cell(0, 0))
        x, y = (round(one) - 4 for one in (at.x - frame.origin.x, at.y - frame.origin.y))
        if x >= 0 and y >= 0:
            darker = self.grabs // np.array([1, 4, 16]) % 4
            pixels[y : y + 3, x : x + 3] -= (self.step * darker).astype(np.uint8)
        return replace(frame, pixels=pixels)


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 5])
def test_a_tile_that_shimmers_is_clicked_and_one_that_changes_all_the_time_stops_play(
    step: int,
) -> None:
    desk = desktop(Shimmering)
    desk.step = step
    stops = pytest.raises(WindowTrouble, match=r"change all the time|changed before the click")
    with nullcontext() if step == 1 else stops:
        play(desk)
    assert len(desk.results) == (step == 1)
    assert bool(desk.clicks) is (step == 1)
    assert desk.clock.now() < 60


class Doubter:
    """An agent that accepts one mine total only, and opens a cell that it knows is safe."""

    name = "doubter"

    def __init__(self, desk: FaultyDesktop, believes: int | None) -> None:
        self._desk, self._believes = desk, believes
        self.asked: list[int | None] = []

    def decide(self, board: Board) -> Decision:
        self.asked.append(board.mines)
        if board.mines != self._believes:
            raise InconsistentBoard("no layout fits")
        mines = self._desk.game.mines
        safe = np.argwhere(board.covered if mines is None else board.covered & ~mines)
        moves = tuple(Move(Cell(*cell)) for cell in safe[:1].tolist())
        return Decision(moves, "it is safe", 1.0)


# ---- totals --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counter", "asked", "said"),
    [(True, [11, 12], "the counter says 12"), (False, [11, None], "without a total")],
)
def test_a_wrong_total_is_replaced_by_the_counters_or_given_up(
    counter: bool, asked: list[int | None], said: str
) -> None:
    desk = desktop(mines=12, faults=Faults(counter_absent=not counter))
    doubter = Doubter(desk, asked[1])
    results, notes = play(desk, agent=doubter, mines=11)
    assert results[0].outcome is Outcome.WON
    assert doubter.asked[:2] == asked
    assert any(said in note for note in notes.notes)


@pytest.mark.parametrize(("mines", "said"), [(None, 1), (12, 0)])
def test_a_board_without_a_counter_says_so_once(mines: int | None, said: int) -> None:
    desk = desktop(rows=5, cols=5, mines=12, faults=Faults(counter_absent=True))
    _, notes = play(desk, mines=mines)
    assert sum("number of mines is not read" in note for note in notes.notes) == said


def test_a_board_that_fits_no_total_stops_play() -> None:
    desk = desktop()
    with pytest.raises(CalibrationError, match="contradict"):
        play(desk, agent=Doubter(desk, 99))
    assert desk.clicks == []


# ---- ends ----------------------------------------------------------------------------------------


def test_an_agent_that_gives_up_ends_the_game_with_its_reason() -> None:
    class Quitter:
        name = "quitter"

        def decide(self, board: Board) -> Decision:
            return Decision((), "nothing is certain", 1.0)

    results, _ = play(desktop(), agent=Quitter())
    assert results[0].outcome is Outcome.STOPPED
    assert results[0].why == "Nothing is certain."


def test_a_dry_run_decides_and_clicks_nothing() -> None:
    desk = desktop()
    results, notes = play(desk, dry_run=True, games=2)
    assert (results, notes.turns, desk.clicks) == ([], [], [])


@pytest.mark.slow
def test_a_dry_run_starts_no_game_on_a_finished_board() -> None:
    desk = desktop()
    play(desk)
    made, finished = [*desk.clicks], desk.grab()
    _, notes = play(desk, dry_run=True)
    assert (desk.clicks, desk.grab()) == (made, finished)
    assert any("This game is over" in note for note in notes.notes)


# ---- the bot's own flags -------------------------------------------------------------------------


def test_flags_that_never_stay_are_not_set_any_more() -> None:
    # Every click arrives twice, so that each flag is removed again at once.
    desk = desktop(faults=Faults(double_every=1))
    results, notes = play(desk, flags=True)
    assert results[0].outcome in (Outcome.WON, Outcome.LOST)
    assert any("without flags" in note for note in notes.notes)


# ---- pointer and misreadings ---------------------------------------------------------------------


def test_without_flags_the_left_button_does_all_and_the_pointer_is_parked_beside_the_board() -> (
    None
):
    desk = desktop()
    play(desk)
    assert {click.button for click in desk.clicks} == {Button.LEFT}
    x0, y0, x1, y1 = desk.truth_grid().bounds
    at = desk.position()
    assert not (x0 <= at.x < x1 and y0 <= at.y < y1)
    assert not {at} & {ScreenPoint(0, 0), ScreenPoint(1919, 0), ScreenPoint(0, 1079)}


@pytest.mark.parametrize("times", [1, 4])
def test_an_impossible_board_is_read_again(times: int) -> None:
    """Tiles may be grabbed in the middle of their animation, which may take a second."""

    class Unsure(Tank):
        refused: ClassVar[list[int | None]] = []

        def decide(self, board: Board) -> Decision:
            if board.open.any() and self.refused.count(None) < times:
                self.refused.append(board.mines)
                raise InconsistentBoard("no layout fits")
            return super().decide(board)

    desk = desktop()
    results, _ = play(desk, agent=Unsure())
    assert Unsure.refused == [10, None] * times
    assert len(results) == len(desk.results) == 1


@pytest.mark.slow
@pytest.mark.parametrize("restart_s", [0.0, 0.15, 3.0])
def test_a_program_that_starts_the_next_game_by_itself_is_played_on(restart_s: float) -> None:
    """The end of a game may not be seen at all: its last clicks say how it ended."""
    desk = desktop(rule=Rule.ZERO, seed=3, behaviour=Behaviour(restart_s=restart_s))
    results, _ = play(desk, games=2, mines=None, unread_ends=True)
    reported = [result.outcome.value for result in results]
    assert reported == [status.value for status in desk.results][:2] == ["won", "won"]


@pytest.mark.slow
@pytest.mark.parametrize("again", [False, True])
def test_a_timer_that_starts_a_game_after_the_key_ends_no_series(again: bool) -> None:
    """The bot's key came before the program's own timer, which replaces the game under way."""
    desk = desktop(rule=Rule.ZERO, seed=3)

    def timer(event: Event) -> None:
        if isinstance(event, Decided) and event.turn.number == 2:
            game = event.turn.game
            if game == 2 or (again and game > 2):
                desk.new_game()

    with pytest.raises(BoardChanged) if again else nullcontext():
        results, _ = play(desk, games=4, mines=None, more=timer, unread_ends=True)
        assert [one.outcome is Outcome.STOPPED for one in results] == [False, True, False, False]
        # Clicks that were under way may have lost the game that came between.
        ends = [status.value for status in desk.results]
        assert [one.outcome.value for one in results[2:]] == ends[-2:]
