"""The guarded mouse: kill switch, Ctrl-C, a person at the mouse."""

import ast
import os
import signal
import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bot.desktop.ports import Button, Desktop, Monitor, Window
from bot.errors import NotPressed, PersonAtMouse, StoppedByUser, WindowStuck
from bot.mouse.guard import CUTTING_SHORT, STOPPING, Aim, MouseGuard, StopSignal, in_corner
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


# ---- the gate --------------------------------------------------------------------------------

HERE = ScreenPoint(100, 100)


def noted(desk: Desk, *named: str) -> MouseGuard:
    """Return a guard that knows the window in which the board was read, as far as it is said."""
    guard = MouseGuard(desk.ports, named_keys=named)
    guard.note_board(HERE, lambda: True)
    return guard


def test_nothing_is_pressed_in_another_window_than_the_board_was_read_in(desk: Desk) -> None:
    desk.tells_windows = True
    guard = noted(desk)
    guard.click(seen(HERE))
    desk.window = 2
    guard.note_board(HERE, lambda: True)
    for aim in (seen(HERE), Aim(HERE, lambda: True, user_named=True)):
        with pytest.raises(NotPressed, match="Another window"):
            guard.click(aim)
    assert len(desk.clicks) == 1


@pytest.mark.parametrize("comes", [True, False])
def test_a_window_that_comes_or_goes_while_the_board_is_noted_is_not_taken_for_its(
    desk: Desk, comes: bool
) -> None:
    desk.tells_windows, guard = True, MouseGuard(desk.ports)

    def look() -> bool:
        desk.window = 2
        return comes

    guard.note_board(HERE, look)
    with pytest.raises(NotPressed, match="not known which window"):
        guard.click(seen(HERE))
    assert desk.clicks == []


def test_a_point_that_the_user_named_may_lie_in_a_dialog_of_the_board(desk: Desk) -> None:
    desk.tells_windows = True
    guard = noted(desk)
    dialog = Window(5, 60, 60, owner=1)
    desk.window_at = lambda point: dialog  # type: ignore[method-assign]
    guard = MouseGuard(desk.ports)
    guard._board = Window(1, 0, 0, 1)
    guard.click(Aim(HERE, lambda: True, user_named=True))
    with pytest.raises(NotPressed):
        guard.click(seen(HERE))
    assert len(desk.clicks) == 1


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
    desk.tells_windows = True
    guard = noted(desk, "f2")
    guard.press("f2")
    desk.keyboard = 2
    for keys in ("f2", "escape"):
        with pytest.raises(NotPressed, match="has the keyboard"):
            guard.press(keys)
    assert desk.keys == ["f2"]


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
    with pytest.raises(NotPressed, match="has the keyboard"):
        guard.press("f2")
    assert desk.keys == ["escape"]


@pytest.mark.parametrize("number", [n for n in CUTTING_SHORT if n != signal.SIGTSTP])
@pytest.mark.parametrize("listening", [True, False])
def test_no_signal_comes_between_a_press_and_its_release(
    desk: Desk, number: signal.Signals, listening: bool
) -> None:
    came: list[str] = []
    before = signal.signal(number, lambda *_: came.append("handled"))

    def click(point: ScreenPoint, *_: object) -> bool:
        desk.at = point
        os.kill(os.getpid(), number)
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
    root = Path(__file__).resolve().parents[3]
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
