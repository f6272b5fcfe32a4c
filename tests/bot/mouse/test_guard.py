"""The guarded mouse: kill switch, Ctrl-C, a person at the mouse."""

import signal
import time
from dataclasses import replace

import numpy as np
import pytest

from bot.desktop.ports import Button, Desktop, Monitor, Window
from bot.errors import PersonAtMouse, StoppedByUser, WindowStuck
from bot.mouse.guard import Aim, MouseGuard, StopSignal, in_corner
from bot.simulated import FakeClock
from calibration.frame import Frame
from calibration.points import PixelBox, ScreenPoint

LEFT_SCREEN = Monitor(-1280, 0, 0, 1024)
MAIN_SCREEN = Monitor(0, 0, 1920, 1080)


def seen(point: ScreenPoint) -> Aim:
    """Return the aim at a point that looks as it was read."""
    return Aim(point, lambda: True)


class Desk:
    """A desktop that only records what is done to it.

    Where ``tells_windows``, the window of number ``window`` lies everywhere, and ``keyboard`` gets
    the keys; else it may still say the latter.
    """

    def __init__(self) -> None:
        self.tells_windows, self.window, self.keyboard = False, 1, 1
        self.tells_keyboard = False
        self.at = ScreenPoint(900, 500)
        self.clicks: list[tuple[ScreenPoint, Button]] = []
        self.moves: list[ScreenPoint] = []
        self.keys: list[str] = []
        self.screens = MAIN_SCREEN, LEFT_SCREEN
        self.clock = FakeClock()

    def grab(self, box: PixelBox | None = None) -> Frame:
        raise AssertionError("the guard grabs no frame")

    def monitors(self) -> tuple[Monitor, ...]:
        return self.screens

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        self.at = point
        if into is not None and into != self.window_at(point):
            return False
        self.clicks.append((point, button))
        return True

    def move(self, point: ScreenPoint) -> None:
        self.at = point
        self.moves.append(point)

    def position(self) -> ScreenPoint:
        return self.at

    def press(self, keys: str, into: int | None = None) -> bool:
        if into is not None and into != self.focused():
            return False
        self.keys.append(keys)
        return True

    def window_at(self, point: ScreenPoint) -> Window | None:
        return Window(self.window, 0, 0, self.window) if self.tells_windows else None

    def focused(self) -> int | None:
        return self.keyboard if self.tells_windows or self.tells_keyboard else None

    @property
    def ports(self) -> Desktop:
        return Desktop(self, self, self, self.clock, self.window_at, focused=self.focused)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(
    "point",
    [(0, 0), (1919, 0), (0, 1079), (1919, 1079), (1, 1), (-1280, 0), (-1280, 1023), (-1, 1023)],
)
def test_every_corner_of_every_monitor_is_the_kill_switch(point: tuple[int, int]) -> None:
    assert in_corner(ScreenPoint(*point), (MAIN_SCREEN, LEFT_SCREEN))


@pytest.mark.parametrize("point", [(5, 0), (0, 5), (960, 0), (1919, 540), (-640, 1023), (3, 3)])
def test_edges_are_no_corners(point: tuple[int, int]) -> None:
    assert not in_corner(ScreenPoint(*point), (MAIN_SCREEN, LEFT_SCREEN))


def test_no_click_after_the_pointer_is_pushed_into_a_corner(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    guard.click(seen(ScreenPoint(100, 100)))
    desk.at = ScreenPoint(1919, 0)
    for _ in range(3):
        with pytest.raises(StoppedByUser, match="corner"):
            guard.click(seen(ScreenPoint(200, 200)))
    with pytest.raises(StoppedByUser):
        guard.press("f2")
    with pytest.raises(StoppedByUser):
        guard.wait(0.1)
    assert [point for point, _ in desk.clicks] == [(100, 100)]
    assert desk.keys == []


def test_the_corners_are_those_of_the_monitors_as_they_are_by_now(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    guard.park(ScreenPoint(900, 500))
    desk.screens = Monitor(0, 0, 1280, 1024), LEFT_SCREEN
    desk.at = ScreenPoint(1279, 1023)
    with pytest.raises(StoppedByUser, match="corner"):
        guard.check_stop()


def test_a_pointer_that_was_in_the_corner_before_play_stops_nothing(desk: Desk) -> None:
    desk.at = ScreenPoint(0, 0)
    guard = MouseGuard(desk.ports)
    guard.click(seen(ScreenPoint(100, 100)))
    desk.at = ScreenPoint(0, 0)
    with pytest.raises(StoppedByUser):
        guard.click(seen(ScreenPoint(100, 100)))


def test_the_kill_switch_works_before_the_first_click(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    desk.at = ScreenPoint(0, 1079)
    with pytest.raises(StoppedByUser):
        guard.click(seen(ScreenPoint(100, 100)))
    assert desk.clicks == []


def test_a_person_at_the_mouse_is_noticed_and_waited_for(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    guard.park(ScreenPoint(100, 100))
    desk.at = ScreenPoint(140, 100)
    with pytest.raises(PersonAtMouse):
        guard.click(seen(ScreenPoint(300, 300)))
    before = desk.clock.now()
    guard.wait_idle(1.0)
    assert desk.clock.now() - before >= 1.0
    guard.click(seen(ScreenPoint(300, 300)))
    assert len(desk.clicks) == 1


def test_the_rounding_of_a_scaled_screen_is_not_taken_for_a_person(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    guard.park(ScreenPoint(100, 100))
    desk.at = ScreenPoint(101, 99)
    guard.check()


def test_ctrl_c_stops_before_the_next_click(desk: Desk) -> None:
    stop = StopSignal()
    guard = MouseGuard(desk.ports, stop)
    with stop.listening():
        with pytest.raises(StoppedByUser):
            interrupt()
        with pytest.raises(StoppedByUser):
            guard.click(seen(ScreenPoint(100, 100)))
    assert desk.clicks == []


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)
    time.sleep(0.1)  # the signal is delivered between two bytecodes


def test_a_signal_within_a_click_waits_for_the_release(desk: Desk) -> None:
    stop = StopSignal()
    finished = []

    def interrupted_click(point: ScreenPoint, *_: object) -> bool:
        desk.at = point
        stop.receive()
        finished.append(point)
        return True

    desk.click = interrupted_click  # type: ignore[method-assign]
    guard = MouseGuard(desk.ports, stop)
    with pytest.raises(StoppedByUser):
        guard.click(seen(ScreenPoint(100, 100)))
    assert finished == [(100, 100)]
    with pytest.raises(StoppedByUser):
        guard.click(seen(ScreenPoint(200, 200)))
    assert len(finished) == 1


def test_the_old_signal_handlers_are_restored() -> None:
    before = signal.getsignal(signal.SIGINT)
    with StopSignal().listening():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_nudge_moves_the_pointer_over_the_border_and_to_its_place(desk: Desk) -> None:
    guard, border, place = MouseGuard(desk.ports), ScreenPoint(305, 240), ScreenPoint(320, 240)
    guard.nudge(border, place)
    assert desk.moves == [], "a pointer that the bot never moved is left alone"
    guard.park(ScreenPoint(300, 200))
    for _ in range(2):
        guard.nudge(border, place)
        assert desk.moves[-2:] == [border, place]
    guard.check()
    desk.at = ScreenPoint(10, 400)
    with pytest.raises(PersonAtMouse):
        guard.nudge(border, place)


def test_a_held_key_is_waited_for(desk: Desk) -> None:
    released_at = 3.0
    ports = replace(
        desk.ports, held_keys=lambda: ("Shift",) if desk.clock.now() < released_at else ()
    )
    guard = MouseGuard(ports)
    with pytest.raises(PersonAtMouse, match="Shift"):
        guard.click(seen(ScreenPoint(100, 200)))
    guard.wait_idle(1.0)
    assert desk.clock.now() == pytest.approx(released_at + 1.0, abs=0.1)
    guard.click(seen(ScreenPoint(100, 200)))
    assert len(desk.clicks) == 1


def test_the_twelfth_click_at_one_place_is_not_made(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    places = [(100 + shift % 2, 200) for shift in range(12)] + [(30 * n, 40) for n in range(3)]
    for x, y in places[-3:] + places[:11]:
        guard.click(seen(ScreenPoint(x, y)))
    with pytest.raises(WindowStuck, match="12 of the last 15 clicks"):
        guard.click(seen(ScreenPoint(101, 199)))
    assert len(desk.clicks) == 14


def test_two_places_in_turns_are_a_circle(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    for click in range(11):
        guard.click(seen(ScreenPoint(300 + 20 * (click % 2), 300)))
    with pytest.raises(WindowStuck, match="two places"):
        guard.click(seen(ScreenPoint(320, 300)))
    assert len(desk.clicks) == 11


def test_clicks_all_over_a_board_and_games_that_begin_alike_are_no_circle(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    for click in range(200):
        guard.click(seen(ScreenPoint(100 + 20 * (click % 7), 300)))
    for _ in range(30):  # each game: its first cell, then the smiley
        guard.loops.forget()
        guard.click(seen(ScreenPoint(100, 300)))
        guard.click(seen(ScreenPoint(200, 50)))
    assert len(desk.clicks) == 260


def test_many_clicks_that_change_no_pixel_end_the_game(desk: Desk) -> None:
    guard, board = MouseGuard(desk.ports), np.zeros((90, 90, 3), np.uint8)

    def turn(clicks: int) -> None:
        guard.loops.begin_turn(board)
        for click in range(clicks):
            guard.click(seen(ScreenPoint(100 + 20 * (click % 9), 300)))

    turn(250)  # a large board may be opened in one turn
    board[40, 40] = 255
    turn(199)
    turn(1)
    with pytest.raises(WindowStuck, match="200 clicks changed nothing"):
        turn(1)
    assert len(desk.clicks) == 450
