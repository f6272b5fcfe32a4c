"""The guarded mouse: kill switch, Ctrl-C, a person at the mouse, and which window gets what."""

from __future__ import annotations

import ast
import signal
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bot
from bot.desktop.ports import Monitor, Window
from bot.errors import NotPressed, PersonAtMouse, StoppedByUser, WindowStuck
from bot.mouse.guard import (
    CUTTING_SHORT,
    STOPPING,
    Aim,
    ClickLoops,
    MouseGuard,
    StopSignal,
    in_corner,
)
from calibration.frame import Frame
from calibration.grid import ScreenPoint
from tests.bot.fake_ports import FakePorts

LEFT_SCREEN = Monitor(-1280, 0, 0, 1024)
MAIN_SCREEN = Monitor(0, 0, 1920, 1080)
BOARD, OTHER = Window(1, 0, 0, 1), Window(2, 0, 0, 2)
HERE, THERE = ScreenPoint(100, 100), ScreenPoint(300, 300)
READ = Frame(np.zeros((3, 3, 3), np.uint8), ScreenPoint(99, 99))


def seen(point: ScreenPoint) -> Aim:
    """Return the aim at a point that looks as it was read."""
    return Aim(point, lambda: True)


NAMED = Aim(HERE, lambda: True, user_named=True)


@pytest.fixture
def desk() -> FakePorts:
    """A desktop with two monitors that says nothing of windows."""
    desk = FakePorts()
    desk.screens, desk.at = (MAIN_SCREEN, LEFT_SCREEN), ScreenPoint(900, 500)
    return desk


@pytest.fixture
def windowed(desk: FakePorts) -> FakePorts:
    """The same, where the system says that the window of the board is everywhere."""
    desk.window, desk.focus = BOARD, 1
    return desk


def noted(desk: FakePorts, *named: str) -> MouseGuard:
    """Return a guard that knows the window in which the board was read, as far as it is said."""
    guard = MouseGuard(desk.ports, named_keys=named)
    guard.note_board(HERE, READ, lambda: True)
    return guard


def refusal(act: Callable[[], None], words: str) -> bool:
    """Check that nothing is pressed; return whether another window is the reason."""
    with pytest.raises(NotPressed, match=words) as refused:
        act()
    return refused.value.other_window


# ---- the kill switch -----------------------------------------------------------------------

CORNERS = """0,0 1919,0 0,1079 1919,1079 1,1 -1280,0 -1280,1023 -1,1023
1918,1 1,1078 1918,1078 -1279,1 -1279,1022 -2,1022 -2,1"""
NO_CORNERS = """5,0 0,5 960,0 1919,540 -640,1023 3,3 2,0 0,2 1917,1079 1919,1077 1917,0
0,1077 -1278,0 -1280,1021 -3,1023 0,1023 -1,1079 1920,1079 0,1080"""


@pytest.mark.parametrize(("points", "is_corner"), [(CORNERS, True), (NO_CORNERS, False)])
def test_every_corner_of_every_monitor_and_no_edge_is_the_kill_switch(
    points: str, is_corner: bool
) -> None:
    for text in points.split():
        point = ScreenPoint(*map(int, text.split(",")))
        assert in_corner(point, (MAIN_SCREEN, LEFT_SCREEN)) is is_corner, point


@pytest.mark.parametrize(
    ("start", "clicks", "corner"),
    [
        ((900, 500), 0, (0, 1079)),
        ((900, 500), 1, (1919, 0)),
        # A pointer that rests in a corner before play stops nothing.
        ((0, 0), 0, (1919, 0)),
        ((0, 0), 1, (0, 0)),
    ],
)
def test_after_the_kill_switch_nothing_is_done(
    desk: FakePorts, start: tuple[int, int], clicks: int, corner: tuple[int, int]
) -> None:
    desk.at = ScreenPoint(*start)
    guard = MouseGuard(desk.ports, named_keys=["f2"])
    guard.check()
    for _ in range(clicks):
        guard.click(seen(HERE))
    desk.at = ScreenPoint(*corner)
    for act in (
        lambda: guard.click(seen(THERE)),
        lambda: guard.press("f2"),
        lambda: guard.park(THERE),
        lambda: guard.wait(0.1),
        lambda: guard.wait_idle(1.0),
    ) * 2:
        with pytest.raises(StoppedByUser, match="corner"):
            act()
    assert [press.point for press in desk.presses] == [HERE] * clicks
    assert (desk.keys, desk.moves, desk.clock.now()) == ([], [], 0)


def test_the_corners_are_those_of_the_monitors_as_they_are_by_now(desk: FakePorts) -> None:
    guard = MouseGuard(desk.ports)
    guard.park(ScreenPoint(900, 500))
    desk.screens = Monitor(0, 0, 1280, 1024), LEFT_SCREEN
    desk.at = ScreenPoint(1279, 1023)
    with pytest.raises(StoppedByUser, match="corner"):
        guard.check_stop()


# ---- a person at the mouse -------------------------------------------------------------------


@pytest.mark.parametrize(("shift", "is_person"), [(2, False), (-2, False), (3, True), (-3, True)])
def test_two_units_are_no_person(desk: FakePorts, shift: int, is_person: bool) -> None:
    guard = MouseGuard(desk.ports)
    desk.at = ScreenPoint(30, 30)
    guard.check()  # the bot never moved it: it may be anywhere
    guard.park(HERE)
    for at in (ScreenPoint(100 + shift, 100), ScreenPoint(100, 100 + shift)):
        desk.at = at
        with pytest.raises(PersonAtMouse, match="100,100") if is_person else nullcontext():
            guard.check()


def test_a_pointer_that_lags_at_an_earlier_click_is_waited_for(desk: FakePorts) -> None:
    """For half a second; at an old place it is a person at once."""
    guard = MouseGuard(desk.ports)
    for x in range(100, 190, 10):
        guard.park(ScreenPoint(x, 300))
    for x, waited in ((100, 0.0), (110, 0.5)):
        desk.at, before = ScreenPoint(x, 300), desk.clock.now()
        with pytest.raises(PersonAtMouse):
            guard.check()
        assert desk.clock.now() - before == pytest.approx(waited, abs=0.0015)
    desk.clock.waits.clear()
    desk.clock.later(0.0295, lambda: desk.move(ScreenPoint(180, 300)))
    guard.check()
    assert desk.clock.waits == [0.001] * 30
    guard.check()
    assert len(desk.clock.waits) == 30


def test_a_wait_ends_in_time_and_looks_at_the_pointer_all_the_while(desk: FakePorts) -> None:
    guard = MouseGuard(desk.ports)
    guard.wait(0)
    guard.wait(-1)
    assert desk.clock.now() == 0
    guard.wait(0.05)
    assert desk.clock.now() == pytest.approx(0.05)
    desk.clock.later(0.051, lambda: desk.move(ScreenPoint(0, 0)))
    with pytest.raises(StoppedByUser):
        guard.wait(5)
    assert 0.1 < desk.clock.now() <= 0.13


@pytest.mark.parametrize("holds", [True, False])
def test_a_person_is_waited_for_until_nothing_moved_for_so_long(
    desk: FakePorts, holds: bool
) -> None:
    """Either Shift is held until 0.5 s, or the pointer moves until then."""
    guard = MouseGuard(desk.ports)
    guard.park(HERE)

    def disturb() -> None:
        desk.held = ("Shift",) if holds and desk.clock.now() < 0.5 else ()
        if not holds:
            desk.at = ScreenPoint(500 + round(desk.clock.now() * 100), 500)

    disturb()
    with pytest.raises(PersonAtMouse, match="Shift" if holds else "100,100"):
        guard.click(seen(THERE))
    desk.clock.waits.clear()
    for step in range(1, 26):
        desk.clock.later(0.02 * step, disturb)
    guard.wait_idle(0.3)
    assert {*desk.clock.waits} == {0.02}
    assert 0.78 < desk.clock.now() < 0.86
    guard.click(seen(THERE))  # where the person left it is where the bot goes on
    assert len(desk.presses) == 1


def test_a_nudge_moves_the_pointer_over_the_border_and_to_its_place(desk: FakePorts) -> None:
    guard, border, place = MouseGuard(desk.ports), ScreenPoint(305, 240), ScreenPoint(320, 240)
    guard.nudge(border, place)
    assert desk.moves == [], "a pointer that the bot never moved is left alone"
    guard.park(ScreenPoint(300, 200))
    for _ in range(2):
        guard.nudge(border, place)
        assert [point for _, point in desk.moves[-2:]] == [border, place]
    guard.check()
    desk.at = ScreenPoint(10, 400)
    with pytest.raises(PersonAtMouse):
        guard.nudge(border, place)


def test_the_pointer_rests_before_a_press_that_asks_for_it(desk: FakePorts) -> None:
    looks: list[tuple[float, ScreenPoint]] = []
    aim = Aim(HERE, lambda: not looks.append((desk.clock.now(), desk.at)))
    guard = noted(desk)
    guard.click(aim, rest_s=0.02)
    guard.click(aim)
    assert looks == [(0, (900, 500)), (pytest.approx(0.02), HERE), (pytest.approx(0.02), HERE)]
    assert desk.moves == [(0, HERE)]
    changes = Aim(HERE, lambda: desk.clock.now() < 0.03)
    for aim, rest_s in ((changes, 0.02), (Aim(HERE, lambda: False), 0.0)):
        assert not refusal(lambda aim=aim, rest=rest_s: guard.click(aim, rest_s=rest), "changed")  # type: ignore[misc]
    assert len(desk.presses) == 2


# ---- signals ---------------------------------------------------------------------------------


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)
    time.sleep(0.1)  # the signal is delivered between two bytecodes


def test_ctrl_c_stops_before_the_next_click(desk: FakePorts) -> None:
    stop, before = StopSignal(), signal.getsignal(signal.SIGINT)
    guard = MouseGuard(desk.ports, stop)
    with stop.listening():
        assert signal.getsignal(signal.SIGINT) is not before
        with pytest.raises(StoppedByUser):
            interrupt()
        for act in (
            lambda: guard.click(seen(HERE)),
            lambda: guard.wait(1),
            lambda: guard.wait_idle(1),
        ):
            with pytest.raises(StoppedByUser):
                act()
    assert (desk.presses, desk.clock.now()) == ([], 0)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [n for n in CUTTING_SHORT if n.name != "SIGTSTP"])
@pytest.mark.parametrize("listening", [True, False])
def test_no_signal_comes_between_a_press_and_its_release(
    desk: FakePorts, number: signal.Signals, listening: bool
) -> None:
    came: list[str] = []
    before = signal.signal(number, lambda *_: came.append("handled"))

    def interrupted() -> None:
        signal.raise_signal(number)
        time.sleep(0.01)
        came.append("released")

    desk.on_press = interrupted
    stop = StopSignal()
    guard = MouseGuard(desk.ports, stop)
    try:
        with stop.listening() if listening else nullcontext():
            if listening and number in STOPPING:
                for _ in range(2):
                    with pytest.raises(StoppedByUser):
                        guard.click(seen(HERE))
            else:
                guard.click(seen(HERE))
                assert came.pop() == "handled"
        assert came == ["released"]
    finally:
        signal.signal(number, before)


def test_a_handler_that_is_not_pythons_stays_in_place(
    desk: FakePorts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python cannot put back what a library in C has set: `getsignal` returns None for it."""
    handler_of, foreign, changed = signal.getsignal, CUTTING_SHORT[-1], list[int]()
    monkeypatch.setattr(signal, "getsignal", lambda n: None if n == foreign else handler_of(n))
    monkeypatch.setattr(signal, "signal", lambda number, _: changed.append(number))
    MouseGuard(desk.ports).click(seen(HERE))
    assert changed
    assert foreign not in changed


def test_a_thread_may_click_though_only_the_main_one_handles_signals(desk: FakePorts) -> None:
    before, guard = signal.signal(signal.SIGTERM, lambda *_: None), MouseGuard(desk.ports)
    try:
        clicking = threading.Thread(target=guard.click, args=[seen(HERE)])
        clicking.start()
        clicking.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(desk.presses) == 1


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


# ---- the window of the board -------------------------------------------------------------------


DIALOG, STRANGER = Window(5, 60, 60, 1), Window(5, 60, 60, 5)


@pytest.mark.parametrize(
    ("there", "aim", "pressed"),
    [
        (BOARD, seen(HERE), True),
        (OTHER, seen(HERE), False),
        (None, seen(HERE), False),
        (DIALOG, seen(HERE), False),
        (DIALOG, NAMED, True),
        (STRANGER, NAMED, False),
        (OTHER, NAMED, False),
    ],
)
def test_nothing_is_pressed_in_another_window_than_the_board_was_read_in(
    windowed: FakePorts, there: Window | None, aim: Aim, pressed: bool
) -> None:
    """A point that the user named may lie in a dialog of the board."""
    guard = noted(windowed)
    assert guard.sees_windows
    assert guard.is_in_board_window(HERE)
    windowed.window = there
    guard.note_board(HERE, READ, lambda: True)
    assert guard.is_in_board_window(HERE) is (there == BOARD)
    if pressed:
        guard.click(aim)
    else:
        assert refusal(lambda: guard.click(aim), "Another window")
    assert len(windowed.presses) == guard.has_clicked == pressed


@pytest.mark.parametrize("comes", [True, False])
@pytest.mark.parametrize("at_look", [1, 2, 3])
def test_a_window_that_comes_or_goes_while_the_board_is_noted_is_not_taken_for_its(
    windowed: FakePorts, comes: bool, at_look: int
) -> None:
    guard, looks = MouseGuard(windowed.ports), list[float]()

    def look() -> bool:
        looks.append(windowed.clock.now())
        windowed.window = OTHER if len(looks) >= at_look else BOARD
        return comes or len(looks) < at_look

    guard.note_board(HERE, READ, look)
    assert looks == pytest.approx([0.15 * number for number in range(at_look)])
    assert not guard.sees_windows
    assert refusal(lambda: guard.click(seen(HERE)), "not known which window")
    assert (windowed.presses, guard.has_clicked) == ([], False)


def test_a_window_that_does_not_itself_show_the_board_is_not_taken_for_its(
    windowed: FakePorts,
) -> None:
    """One that cannot be seen lies over the board for as long as it likes."""
    windowed.hides_board = True
    guard = noted(windowed)
    refusal(lambda: guard.click(seen(HERE)), "not known which window")
    windowed.hides_board = False
    for _ in range(2):
        guard.note_board(HERE, READ, lambda: True)
        guard.click(seen(HERE))
    assert windowed.asked == [(BOARD, READ)] * 2


def test_the_window_of_the_board_is_looked_at_once_a_turn_and_may_move(
    windowed: FakePorts,
) -> None:
    guard, looks = MouseGuard(windowed.ports), list[float]()

    def look() -> bool:
        looks.append(windowed.clock.now())
        return len(looks) < 5

    guard.note_board(HERE, READ, look)
    assert looks == pytest.approx([0, 0.15, 0.3])
    windowed.window = Window(1, 50, 40, 1)
    refusal(lambda: guard.click(seen(HERE)), "Another window")
    guard.note_board(HERE, READ, look)
    assert len(looks) == 4
    guard.click(seen(HERE))
    windowed.window = Window(1, 90, 40, 1)
    guard.note_board(HERE, READ, look)  # out of sight at the fifth look
    refusal(lambda: guard.click(seen(HERE)), "Another window")
    assert len(windowed.presses) == 1


def test_what_replaces_a_dialog_just_before_the_press_is_not_pressed(windowed: FakePorts) -> None:
    def replaced() -> tuple[str, ...]:
        windowed.window = STRANGER
        return ()

    guard = MouseGuard(replace(windowed.ports, held_keys=replaced))
    guard.note_board(HERE, READ, lambda: True)
    windowed.window = DIALOG
    assert refusal(lambda: guard.click(NAMED), "Another window")


@pytest.mark.parametrize("says_windows", [True, False])
def test_a_point_that_the_user_named_needs_a_board_where_windows_are_known(
    desk: FakePorts, says_windows: bool
) -> None:
    desk.window = BOARD if says_windows else None
    guard = MouseGuard(desk.ports)
    assert guard.is_in_board_window(HERE)
    with suppress(NotPressed):
        guard.click(NAMED)
    assert len(desk.presses) == (not says_windows)


# ---- who gets the keys -----------------------------------------------------------------------


def test_a_key_goes_only_to_the_window_of_the_board(windowed: FakePorts) -> None:
    unread = MouseGuard(windowed.ports, named_keys=["f2"])
    assert refusal(lambda: unread.press("f2"), "does not say"), "no board was read"
    guard = noted(windowed, "f2")
    guard.press("f2")
    guard.press("escape")
    windowed.focus = 2
    for keys in ("f2", "escape"):
        assert refusal(lambda keys=keys: guard.press(keys), "has the keyboard")  # type: ignore[misc]
    assert windowed.keys == ["f2", "escape"]


def test_a_key_leaves_the_pointer_where_the_bot_left_it(desk: FakePorts) -> None:
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
    windowed: FakePorts,
) -> None:
    guard = MouseGuard(windowed.ports)
    windowed.dialogs[1] = windowed.focus = 7
    assert not guard.press_default_button(), "no board was read"
    guard.note_board(HERE, READ, lambda: True)
    assert guard.press_default_button()
    windowed.focus = 8  # took the keyboard since
    guard.press_default_button()
    windowed.dialogs.clear()
    assert not guard.press_default_button()
    assert windowed.keys == ["return"]


@pytest.mark.parametrize(("after_s", "pressed"), [(0.0499, True), (0.05, False), (0.9, False)])
def test_where_nothing_says_who_gets_the_keys_a_named_one_is_pressed_or_one_after_a_click(
    desk: FakePorts, after_s: float, pressed: bool
) -> None:
    """The click gave the keyboard to the board a moment ago."""
    guard = noted(desk, "f2")
    assert refusal(lambda: guard.press("escape"), "does not say")
    guard.press("f2")
    guard.click(seen(HERE))
    desk.clock.sleep(after_s)
    with suppress(NotPressed):
        guard.press("escape")
    assert desk.keys == ["f2", *["escape"] * pressed]


def test_the_window_that_a_click_on_the_board_gives_the_keyboard_to_is_the_boards(
    desk: FakePorts,
) -> None:
    """A Wayland compositor says which window has the keyboard, but not where it lies."""
    desk.focus = 1
    guard = noted(desk, "f2")
    guard.click(seen(HERE))
    guard.wait(1.0)
    guard.press("escape")
    desk.focus = 2
    refusal(lambda: guard.press("f2"), "has the keyboard")
    guard.click(seen(HERE))  # it did not get the keyboard: nothing is known any more
    guard.wait(1.0)
    for desk.focus in (2, 1, 0):
        refusal(lambda: guard.press("f2"), "has the keyboard")
    assert desk.keys == ["escape"]


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
        attributes = [
            node for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Attribute)
        ]  # fmt: skip
        owners = [ast.unparse(node.value) for node in attributes if node.attr in PORTS]
        if any("desktop" in owner.rpartition(".")[2] for owner in owners):
            reached.add(name)
            pressing = {"click", "press"} & {node.attr for node in attributes}
            assert not pressing, f"{name} presses without the guard"
    assert reached == ONLY_MOVES


# ---- clicks that go round in circles -------------------------------------------------------------


ROW = [100 + 20 * (click % 9) for click in range(250)]
"""Clicks all over a board."""

AT_ONE, IN_TURNS = "12 of the last 15 clicks", "two places of the window in turns"


def click(loops: ClickLoops, across: Iterable[int]) -> None:
    for x in across:
        loops.add(ScreenPoint(x, 50))


@pytest.mark.parametrize(
    ("across", "last", "circle"),
    [
        # Clicks two units apart are at one place. Three elsewhere come in between, so that no two
        # places take turns.
        *(([*[100, 100 + by] * 5, 300, 400, 500, 100], 100 + by, AT_ONE) for by in (0, 2)),
        ([*[100, 103] * 5, 300, 400, 500, 100], 103, None),
        ([*[100] * 10, 300, 400, 500, 600], 100, None),
        # Two places in turns; a third one among the last twelve clicks breaks the circle.
        ([100, 200] * 5 + [100], 200, IN_TURNS),
        ([300, *[200, 100] * 5], 200, None),
        ([100, 300, *[100, 200] * 4, 100], 200, None),
        ([100, 200] * 5 + [300], 200, None),
        (ROW, 100, None),
    ],
)
def test_the_click_that_would_close_a_circle_is_refused(
    across: list[int], last: int, circle: str | None
) -> None:
    loops = ClickLoops()
    click(loops, across)
    with pytest.raises(WindowStuck, match=circle) if circle else nullcontext():
        click(loops, [last])


def test_games_that_begin_alike_are_no_circle() -> None:
    loops = ClickLoops()
    for _ in range(30):  # each game: its first cell, then the smiley
        loops.forget()
        click(loops, [100, 200])


def test_the_guard_does_not_make_that_click() -> None:
    desk = FakePorts()
    guard = MouseGuard(desk.ports)
    aims = [Aim(ScreenPoint(300 + 20 * (turn % 2), 300), lambda: True) for turn in range(12)]
    for aim in aims[:11]:
        guard.click(aim)
    with pytest.raises(WindowStuck, match="two places"):
        guard.click(aims[11])
    assert len(desk.presses) == 11


def test_many_clicks_that_change_no_pixel_end_the_game() -> None:
    loops, board = ClickLoops(), np.zeros((90, 90, 3), np.uint8)

    def turn(clicks: int) -> None:
        loops.begin_turn(board)
        click(loops, ROW[:clicks])

    turn(250)  # a large board may be opened in one turn
    board[40, 40] = 255  # drawn in the same array
    turn(199)
    turn(1)
    with pytest.raises(WindowStuck, match="200 clicks changed nothing"):
        turn(1)
    loops.forget()
    turn(199)
    turn(1)
    with pytest.raises(WindowStuck, match="200 clicks changed nothing"):
        turn(1)
