"""The guarded mouse: kill switch, Ctrl-C, a person at the mouse."""

import ast
import signal
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bot
from bot.desktop.ports import Button, Desktop, Monitor, Window
from bot.errors import NotPressed, PersonAtMouse, StoppedByUser, WindowStuck
from bot.mouse.guard import CUTTING_SHORT, STOPPING, Aim, MouseGuard, StopSignal, in_corner
from calibration.frame import Frame
from calibration.grid import ScreenPoint
from tests.bot.fake_ports import FakePorts

LEFT_SCREEN = Monitor(-1280, 0, 0, 1024)
MAIN_SCREEN = Monitor(0, 0, 1920, 1080)


def seen(point: ScreenPoint) -> Aim:
    """Return the aim at a point that looks as it was read."""
    return Aim(point, lambda: True)


class Desk(FakePorts):
    """A desktop that only records what is done to it.

    Where ``shows_windows``, the window of number ``window`` lies everywhere, and ``keyboard`` gets
    the keys; else it may still say the latter.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shows_windows, self.window, self.keyboard = False, 1, 1
        self.tells_keyboard = False
        self.at = ScreenPoint(900, 500)
        self.clicks: list[tuple[ScreenPoint, Button]] = []
        self.moves: list[ScreenPoint] = []
        self.screens = MAIN_SCREEN, LEFT_SCREEN

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
        super().move(point)
        self.moves.append(point)

    def press(self, keys: str, into: int | None = None) -> bool:
        return (into is None or into == self.focused()) and super().press(keys, into)

    def window_at(self, point: ScreenPoint) -> Window | None:
        return Window(self.window, 0, 0, self.window) if self.shows_windows else None

    def focused(self) -> int | None:
        return self.keyboard if self.shows_windows or self.tells_keyboard else None

    @property
    def ports(self) -> Desktop:
        return Desktop(self, self, self, self.clock, self.window_at, focused=self.focused)


@pytest.fixture
def desk() -> Desk:
    return Desk()


CORNERS = """0,0 1919,0 0,1079 1919,1079 1,1 -1280,0 -1280,1023 -1,1023
1918,1 1,1078 1918,1078 -1279,1 -1279,1022 -2,1022 -2,1"""
NO_CORNERS = """5,0 0,5 960,0 1919,540 -640,1023 3,3 2,0 0,2 1917,1079 1919,1077 1917,0
0,1077 -1278,0 -1280,1021 -3,1023 0,1023 -1,1079 1920,1079 0,1080"""


@pytest.mark.parametrize("point", CORNERS.split())
def test_every_corner_of_every_monitor_is_the_kill_switch(point: str) -> None:
    assert in_corner(ScreenPoint(*map(int, point.split(","))), (MAIN_SCREEN, LEFT_SCREEN))


@pytest.mark.parametrize("point", NO_CORNERS.split())
def test_edges_are_no_corners(point: str) -> None:
    assert not in_corner(ScreenPoint(*map(int, point.split(","))), (MAIN_SCREEN, LEFT_SCREEN))


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


@pytest.mark.parametrize(("shift", "is_person"), [(2, False), (-2, False), (3, True), (-3, True)])
def test_two_units_are_no_person(desk: Desk, shift: int, is_person: bool) -> None:
    guard = MouseGuard(desk.ports)
    desk.at = ScreenPoint(30, 30)
    guard.check()  # the bot never moved it: it may be anywhere
    guard.park(ScreenPoint(100, 100))
    for at in (ScreenPoint(100 + shift, 100), ScreenPoint(100, 100 + shift)):
        desk.at = at
        with pytest.raises(PersonAtMouse, match="100,100") if is_person else nullcontext():
            guard.check()


def test_a_pointer_that_lags_at_an_earlier_click_is_waited_for(desk: Desk) -> None:
    guard, waits = MouseGuard(desk.ports), list[float]()
    for x in range(100, 190, 10):
        guard.park(ScreenPoint(x, 300))

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 30:
            desk.at = ScreenPoint(180, 300)

    desk.at, desk.clock.sleep = ScreenPoint(110, 300), sleep  # type: ignore[method-assign]
    guard.check()
    assert waits == [0.001] * 30


def test_an_earlier_place_is_a_person_after_half_a_second_and_an_old_one_at_once(
    desk: Desk,
) -> None:
    guard = MouseGuard(desk.ports)
    for x in range(100, 190, 10):
        guard.park(ScreenPoint(x, 300))
    for x, waited in ((100, 0.0), (110, 0.5)):
        desk.at, before = ScreenPoint(x, 300), desk.clock.now()
        with pytest.raises(PersonAtMouse):
            guard.check()
        assert desk.clock.now() - before == pytest.approx(waited, abs=0.0015)
    desk.at, before = ScreenPoint(180, 300), desk.clock.now()
    guard.check()
    assert desk.clock.now() == before


def test_a_wait_ends_in_time_and_looks_at_the_pointer_all_the_while(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    guard.wait(0)
    guard.wait(-1)
    assert desk.clock.now() == 0
    guard.wait(0.05)
    assert desk.clock.now() == pytest.approx(0.05)

    def sleep(seconds: float, clock_sleep: Callable[[float], None] = desk.clock.sleep) -> None:
        clock_sleep(seconds)
        if desk.clock.now() > 0.1:
            desk.at = ScreenPoint(0, 0)

    desk.clock.sleep = sleep  # type: ignore[method-assign]
    with pytest.raises(StoppedByUser):
        guard.wait(5)
    assert 0.1 < desk.clock.now() <= 0.13


@pytest.mark.parametrize("holds", [True, False])
def test_a_person_is_idle_when_nothing_moved_for_so_long(desk: Desk, holds: bool) -> None:
    """Either a key is held until 0.5 s, or the pointer moves until then."""
    held: list[str] = []
    guard = MouseGuard(replace(desk.ports, held_keys=lambda: tuple(held)))

    def sleep(seconds: float, clock_sleep: Callable[[float], None] = desk.clock.sleep) -> None:
        assert seconds == 0.02
        clock_sleep(seconds)
        moving = desk.clock.now() < 0.5
        held[:] = ["Shift"] * (moving and holds)
        desk.at = ScreenPoint(500 + round(desk.clock.now() * 100) * (moving and not holds), 500)

    desk.clock.sleep = sleep  # type: ignore[method-assign]
    guard.wait_idle(0.3)
    assert 0.78 < desk.clock.now() < 0.86
    guard.check()  # where the person left it is where the bot goes on


def test_the_kill_switch_works_while_a_person_is_waited_for(desk: Desk) -> None:
    guard = MouseGuard(desk.ports)
    desk.at = ScreenPoint(0, 0)
    with pytest.raises(StoppedByUser):
        guard.wait_idle(1.0)
    assert desk.clock.now() == 0


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
        for act in (
            lambda: guard.click(seen(ScreenPoint(100, 100))),
            lambda: guard.wait(1),
            lambda: guard.wait_idle(1),
        ):
            with pytest.raises(StoppedByUser):
                act()
    assert desk.clicks == []
    assert desk.clock.now() == 0


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
    guard.loops.forget()
    turn(199)
    turn(1)
    with pytest.raises(WindowStuck, match="200 clicks changed nothing"):
        turn(1)
    assert len(desk.clicks) == 650


# ---- the gate --------------------------------------------------------------------------------

HERE = ScreenPoint(100, 100)
READ = Frame(np.zeros((3, 3, 3), np.uint8), ScreenPoint(99, 99))


def noted(desk: Desk, *named: str) -> MouseGuard:
    """Return a guard that knows the window in which the board was read, as far as it is said."""
    guard = MouseGuard(desk.ports, named_keys=named)
    guard.note_board(HERE, READ, lambda: True)
    return guard


def test_nothing_is_pressed_in_another_window_than_the_board_was_read_in(desk: Desk) -> None:
    desk.shows_windows = True
    guard = noted(desk)
    guard.click(seen(HERE))
    desk.window = 2
    guard.note_board(HERE, READ, lambda: True)
    for aim in (seen(HERE), Aim(HERE, lambda: True, user_named=True)):
        with pytest.raises(NotPressed, match="Another window"):
            guard.click(aim)
    assert len(desk.clicks) == 1


@pytest.mark.parametrize("comes", [True, False])
@pytest.mark.parametrize("at_look", [1, 2, 3])
def test_a_window_that_comes_or_goes_while_the_board_is_noted_is_not_taken_for_its(
    desk: Desk, comes: bool, at_look: int
) -> None:
    desk.shows_windows, guard, looks = True, MouseGuard(desk.ports), list[float]()

    def look() -> bool:
        looks.append(desk.clock.now())
        desk.window = 1 + (len(looks) >= at_look)
        return comes or len(looks) < at_look

    guard.note_board(HERE, READ, look)
    assert looks == pytest.approx([0.15 * number for number in range(at_look)])
    assert not guard.sees_windows
    with pytest.raises(NotPressed, match="not known which window") as refused:
        guard.click(seen(HERE))
    assert refused.value.other_window
    assert (desk.clicks, guard.has_clicked) == ([], False)


def test_a_window_that_does_not_itself_show_the_board_is_not_taken_for_its(desk: Desk) -> None:
    """One that cannot be seen lies over the board for as long as it likes."""
    asked, shows = list[tuple[int, Frame]](), list[bool]()

    def say(window: Window, picture: Frame) -> bool:
        asked.append((window.number, picture))
        return bool(shows)

    desk.shows_windows = True
    guard = MouseGuard(replace(desk.ports, shows=say))
    guard.note_board(HERE, READ, lambda: True)
    with pytest.raises(NotPressed, match="not known which window"):
        guard.click(seen(HERE))
    shows.append(True)
    guard.note_board(HERE, READ, lambda: True)
    guard.click(seen(HERE))
    guard.note_board(HERE, READ, lambda: True)
    assert asked == [(1, READ)] * 2
    assert len(desk.clicks) == 1
    assert guard.has_clicked


def test_the_window_of_the_board_is_looked_at_once_a_turn_and_may_move(desk: Desk) -> None:
    desk.shows_windows, place, looks = True, [Window(1, 5, 5, 1)], list[float]()
    desk.window_at = lambda point: place[-1]  # type: ignore[method-assign]
    guard = MouseGuard(desk.ports)

    def look() -> bool:
        looks.append(desk.clock.now())
        return len(looks) < 5

    guard.note_board(HERE, READ, look)
    assert looks == pytest.approx([0, 0.15, 0.3])
    place.append(Window(1, 50, 40, 1))
    with pytest.raises(NotPressed, match="Another window"):
        guard.click(seen(HERE))
    guard.note_board(HERE, READ, look)
    assert len(looks) == 4
    guard.click(seen(HERE))
    assert len(desk.clicks) == 1
    place.append(Window(1, 90, 40, 1))
    guard.note_board(HERE, READ, look)  # out of sight at the fifth look
    with pytest.raises(NotPressed, match="Another window"):
        guard.click(seen(HERE))


def test_what_the_system_says_of_windows(desk: Desk) -> None:
    guard = noted(desk)
    assert not guard.sees_windows
    assert guard.is_in_board_window(HERE)
    desk.shows_windows = True
    guard = noted(desk)
    assert guard.sees_windows
    assert guard.is_in_board_window(HERE)
    desk.window = 2
    assert not guard.is_in_board_window(HERE)
    desk.shows_windows = False
    assert not guard.is_in_board_window(HERE)


@pytest.mark.parametrize(("owner", "pressed"), [(1, True), (5, False)])
def test_a_point_that_the_user_named_may_lie_in_a_dialog_of_the_board(
    desk: Desk, owner: int, pressed: bool
) -> None:
    desk.shows_windows = True
    place = [Window(1, 0, 0, 1)]
    desk.window_at = lambda point: place[-1]  # type: ignore[method-assign]
    guard = noted(desk)
    place.append(Window(5, 60, 60, owner))
    with suppress(NotPressed):
        guard.click(Aim(HERE, lambda: True, user_named=True))
    assert len(desk.clicks) == pressed
    with pytest.raises(NotPressed):
        guard.click(seen(HERE))
    assert len(desk.clicks) == pressed


def test_what_replaces_a_dialog_just_before_the_press_is_not_pressed(desk: Desk) -> None:
    desk.shows_windows, there = True, [Window(1, 0, 0, 1)]
    desk.window_at = lambda point: there.pop() if there[1:] else there[0]  # type: ignore[method-assign]
    guard = noted(desk)
    there[:] = Window(6, 60, 60, 6), Window(5, 60, 60, 1)
    with pytest.raises(NotPressed, match="Another window"):
        guard.click(Aim(HERE, lambda: True, user_named=True))
    assert desk.clicks == []


@pytest.mark.parametrize("says_windows", [True, False])
def test_a_point_that_the_user_named_needs_a_board_where_windows_are_known(
    desk: Desk, says_windows: bool
) -> None:
    desk.shows_windows = says_windows
    guard = MouseGuard(desk.ports)
    with suppress(NotPressed):
        guard.click(Aim(HERE, lambda: True, user_named=True))
    assert len(desk.clicks) == (not says_windows)


def test_it_is_said_whether_another_window_or_the_tile_changed(desk: Desk) -> None:
    desk.shows_windows = True
    guard = noted(desk)
    with pytest.raises(NotPressed, match="changed before") as changed:
        guard.click(Aim(HERE, lambda: False))
    assert not changed.value.other_window
    desk.window = 2
    with pytest.raises(NotPressed, match="Another window") as covered:
        guard.click(seen(HERE))
    assert covered.value.other_window
    assert (desk.clicks, guard.has_clicked) == ([], False)


def test_the_pointer_rests_before_a_press_that_asks_for_it(desk: Desk) -> None:
    at: list[float] = []
    guard = noted(desk)
    guard.click(Aim(HERE, lambda: not at.append(desk.clock.now())), rest_s=0.02)
    assert at == pytest.approx([0, 0.02])
    assert desk.moves == [HERE]
    guard.click(Aim(HERE, lambda: not at.append(desk.clock.now())))
    assert at[2:] == at[1:2]
    assert desk.moves == [HERE]


@pytest.mark.parametrize(("looks", "pressed"), [([True, True], 1), ([True, False], 0)])
def test_what_changes_while_the_pointer_rests_on_it_is_not_pressed(
    desk: Desk, looks: list[bool], pressed: int
) -> None:
    asked_at: list[tuple[ScreenPoint, bool]] = []

    def unchanged() -> bool:
        asked_at.append((desk.at, looks[len(asked_at)]))
        return asked_at[-1][1]

    guard = noted(desk)
    with suppress(NotPressed):
        guard.click(Aim(HERE, unchanged), rest_s=0.02)
    assert [point for point, _ in asked_at] == [(900, 500), HERE]
    assert len(desk.clicks) == pressed


def test_a_key_goes_only_to_the_window_of_the_board(desk: Desk) -> None:
    desk.shows_windows = True
    guard = noted(desk, "f2")
    guard.press("f2")
    guard.press("escape")
    desk.keyboard = 2
    for keys in ("f2", "escape"):
        with pytest.raises(NotPressed, match="has the keyboard") as refused:
            guard.press(keys)
        assert refused.value.other_window
    assert desk.keys == ["f2", "escape"]


def test_a_key_leaves_the_pointer_where_the_bot_left_it(desk: Desk) -> None:
    guard = noted(desk, "f2")
    guard.press("f2")
    desk.at = ScreenPoint(5, 60)
    guard.press("f2")  # the bot never moved the pointer
    guard.park(HERE)
    guard.press("f2")
    desk.at = ScreenPoint(5, 60)
    with pytest.raises(PersonAtMouse, match="100,100"):
        guard.press("f2")
    assert len(desk.keys) == 3


def test_the_default_button_is_pressed_in_a_dialog_of_the_board_and_in_no_other_window(
    desk: Desk,
) -> None:
    desk.shows_windows = True
    dialogs: dict[int, int] = {}
    guard = MouseGuard(replace(desk.ports, dialog_of=dialogs.get))
    dialogs[1] = 7
    assert not guard.press_default_button(), "no board was read"
    guard.note_board(HERE, READ, lambda: True)
    desk.keyboard = 7
    assert guard.press_default_button()
    assert desk.keys == ["return"]
    desk.keyboard = 8  # took the keyboard since
    guard.press_default_button()
    dialogs.clear()
    assert not guard.press_default_button()
    assert desk.keys == ["return"]


def test_without_a_board_no_key_is_pressed_where_windows_are_known(desk: Desk) -> None:
    desk.shows_windows = True
    guard = MouseGuard(desk.ports, named_keys=["f2"])
    with pytest.raises(NotPressed, match="does not say") as refused:
        guard.press("f2")
    assert refused.value.other_window
    assert desk.keys == []


@pytest.mark.parametrize(("after_s", "pressed"), [(0.0499, True), (0.05, False), (0.9, False)])
def test_a_key_follows_a_click_at_once_or_not_at_all(
    desk: Desk, after_s: float, pressed: bool
) -> None:
    guard = noted(desk)
    with pytest.raises(NotPressed, match="does not say"):
        guard.press("escape")
    guard.click(seen(HERE))
    desk.clock.sleep(after_s)
    with suppress(NotPressed):
        guard.press("escape")
    assert len(desk.keys) == pressed


def test_where_nothing_says_who_gets_the_keys_only_named_ones_are_pressed(desk: Desk) -> None:
    guard = noted(desk, "f2")
    guard.press("f2")
    with pytest.raises(NotPressed, match="does not say"):
        guard.press("escape")
    guard.click(seen(HERE))
    guard.press("escape")  # the click gave the keyboard to the board a moment ago
    guard.wait(0.2)
    with pytest.raises(NotPressed, match="does not say"):
        guard.press("escape")
    assert desk.keys == ["f2", "escape"]


def test_the_window_that_a_click_on_the_board_gives_the_keyboard_to_is_the_boards(
    desk: Desk,
) -> None:
    """A Wayland compositor says which window has the keyboard, but not where it lies."""
    desk.tells_keyboard = True
    guard = noted(desk, "f2")
    guard.click(seen(HERE))
    guard.wait(1.0)
    guard.press("escape")
    desk.keyboard = 2
    with pytest.raises(NotPressed, match="has the keyboard"):
        guard.press("f2")
    guard.click(seen(HERE))  # it did not get the keyboard: nothing is known any more
    guard.wait(1.0)
    for desk.keyboard in (2, 1, 0):
        with pytest.raises(NotPressed, match="has the keyboard"):
            guard.press("f2")
    assert desk.keys == ["escape"]


@pytest.mark.parametrize("number", [n for n in CUTTING_SHORT if n.name != "SIGTSTP"])
@pytest.mark.parametrize("listening", [True, False])
def test_no_signal_comes_between_a_press_and_its_release(
    desk: Desk, number: signal.Signals, listening: bool
) -> None:
    came: list[str] = []
    before = signal.signal(number, lambda *_: came.append("handled"))

    def click(point: ScreenPoint, *_: object) -> bool:
        desk.at = point
        signal.raise_signal(number)
        time.sleep(0.01)
        came.append("released")
        return True

    desk.click = click  # type: ignore[method-assign]
    stop = StopSignal()
    try:
        with stop.listening() if listening else nullcontext():
            if listening and number in STOPPING:
                with pytest.raises(StoppedByUser):
                    MouseGuard(desk.ports, stop).click(seen(HERE))
            else:
                MouseGuard(desk.ports, stop).click(seen(HERE))
                assert came.pop() == "handled"
        assert came == ["released"]
    finally:
        signal.signal(number, before)


def test_a_handler_that_is_not_pythons_stays_in_place(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python cannot put back what a library in C has set: `getsignal` returns None for it."""
    of_python, setting = signal.getsignal, signal.signal
    foreign, changed = CUTTING_SHORT[-1], list[int]()

    def set_handler(number: int, handler: Any) -> Any:
        changed.append(number)
        return setting(number, handler)

    monkeypatch.setattr(
        signal, "getsignal", lambda number: None if number == foreign else of_python(number)
    )
    monkeypatch.setattr(signal, "signal", set_handler)
    MouseGuard(desk.ports).click(seen(ScreenPoint(300, 200)))
    assert changed
    assert foreign not in changed


def test_a_thread_may_click_though_only_the_main_one_handles_signals(desk: Desk) -> None:
    before, guard = signal.signal(signal.SIGTERM, lambda *_: None), MouseGuard(desk.ports)
    try:
        clicking = threading.Thread(target=guard.click, args=[seen(HERE)])
        clicking.start()
        clicking.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(desk.clicks) == 1


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has an event of its own for it")
def test_a_terminal_that_closes_stops_play_unless_that_is_ignored() -> None:
    stop, before = StopSignal(), signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        with stop.listening(), pytest.raises(StoppedByUser):
            signal.raise_signal(signal.SIGHUP)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup has it
        with StopSignal().listening():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


PORTS = {"pointer", "keyboard"}
GATE = ("bot/mouse/guard.py", "bot/desktop/", "bot/simulated/")
ONLY_MOVES = {"bot/doctor.py", "bot/commands/watch.py"}
"""Modules that ask where the pointer is, or move it, and press nothing."""


def test_no_module_but_the_guard_reaches_the_ports_that_press() -> None:
    root = Path(bot.__file__).parents[1]
    reached: set[str] = set()
    for path in (root / "bot").rglob("*.py"):
        name = path.relative_to(root).as_posix()
        if name.startswith(GATE):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        values = {
            node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in PORTS
        }
        if any("desktop" in value for value in values):
            reached.add(name)
            pressing = {"click", "press"} & names
            assert not pressing, f"{name} presses without the guard"
    assert reached == ONLY_MOVES
