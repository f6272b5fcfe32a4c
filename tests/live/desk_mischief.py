"""Faults of the desktop itself: its person, its mouse and keyboard, its monitors, its disk.

Each is a context manager, as those of `tests.live.mischief`.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from Xlib import XK, X, Xatom
from Xlib.ext import xtest

from bot.desktop.x11_overlay import INPUT, set_shape
from tests.live.desk import Desk
from tests.live.monitors import two_monitors, unplugged
from tests.live.referee import connect
from tests.live.scene import WHOLE, Scene, no_clicks, part_of_board, wait, window_over

MONITOR = 1200
"""Width of the monitor that is left when the other is unplugged."""


@contextmanager
def blanked(scene: Scene) -> Iterator[None]:
    """Make the whole screen black for a while."""
    with window_over(scene, WHOLE, colour=0):
        wait(scene, (0.5, 2.0))
    yield


@contextmanager
def person(scene: Scene) -> Iterator[None]:
    """Move the mouse for a while, as a person does."""
    for step in range(scene.random.randrange(4, 14)):
        scene.desk.xdotool("mousemove", 1500 + 9 * step, 900 - 5 * step)
        time.sleep(0.05)
    yield


@contextmanager
def unseen_window(scene: Scene) -> Iterator[None]:
    """Lay a window that cannot be seen over a part of the board for a while."""
    box = part_of_board(scene, scene.random.choice([0.5, 1.0]))
    with window_over(scene, box, input_only=True), no_clicks(scene, box):
        wait(scene)
    yield


@contextmanager
def key_held(scene: Scene) -> Iterator[None]:
    """Hold a key that changes what a click does."""
    key = scene.random.choice(["Shift_L", "Control_L", "Alt_L"])
    display = connect(scene.desk.env["DISPLAY"])
    code = display.keysym_to_keycode(XK.string_to_keysym(key))
    xtest.fake_input(display, X.KeyPress, code)
    display.sync()
    with no_clicks(scene):
        wait(scene)
    xtest.fake_input(display, X.KeyRelease, code)
    display.sync()
    display.close()
    yield


@contextmanager
def swapped_buttons(desk: Desk) -> Iterator[None]:
    """Swap the buttons of the mouse, as the settings for left-handed people do."""
    display = connect(desk.env["DISPLAY"])
    usual = list(display.get_pointer_mapping())
    display.set_pointer_mapping([3, 2, 1, *usual[3:]])
    display.sync()
    try:
        yield
    finally:
        display.set_pointer_mapping(usual)
        display.sync()
        display.close()


def buttons_swapped(scene: Scene) -> AbstractContextManager[None]:
    """Swap the buttons of the mouse until the bot ends."""
    return swapped_buttons(scene.desk)


@contextmanager
def second_monitor(scene: Scene) -> Iterator[None]:
    """Play on two monitors side by side, of which the right one is the primary one."""
    width = scene.random.choice([500, 960, 1300])
    left, top, *_ = scene.desk.geometry(scene.window)
    with two_monitors(scene.desk, width):
        scene.desk.move_window(scene.window, scene.random.choice([left, width + 20]), top)
        yield


@contextmanager
def monitor_unplugged(scene: Scene) -> Iterator[None]:
    """Unplug the right one of two monitors; the window lies on it or on the other."""
    if scene.random.random() < 0.5:
        scene.desk.xdotool("windowmove", scene.window, MONITOR + 10, 90)
    with unplugged(scene.desk, MONITOR):
        yield


@contextmanager
def night_light(scene: Scene) -> Iterator[None]:
    """Shift all colours towards orange, as a night light does, until the bot ends.

    A translucent window does it, through which every click goes: what a graphics card does to the
    colours is in no picture of the screen.
    """
    compositor = scene.desk.start(["picom", "--backend", "xrender"])
    display = connect(scene.desk.env["DISPLAY"])
    screen = display.screen()
    window = screen.root.create_window(
        *WHOLE, 0, screen.root_depth, X.InputOutput, X.CopyFromParent, override_redirect=1,
        background_pixel=0xFF8800,
    )  # fmt: skip
    opacity = display.intern_atom("_NET_WM_WINDOW_OPACITY")
    share = scene.random.choice([0.04, 0.1, 0.2, 0.35])
    window.change_property(opacity, Xatom.CARDINAL, 32, [int(share * 0xFFFFFFFF)])
    set_shape(window, INPUT, [])
    window.map()
    display.sync()
    try:
        yield
    finally:
        window.destroy()
        display.sync()
        display.close()
        compositor.terminate()
        compositor.wait(10)


@contextmanager
def disk_full(scene: Scene) -> Iterator[None]:
    """Let no file of the bot grow any more."""
    with suppress(ProcessLookupError):
        resource.prlimit(scene.bot_pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    yield


@contextmanager
def interrupted(scene: Scene) -> Iterator[None]:
    """Press Ctrl-C."""
    with suppress(ProcessLookupError):
        os.kill(scene.bot_pid, signal.SIGINT)
    yield


@contextmanager
def kill_switch(scene: Scene) -> Iterator[None]:
    """Push the pointer into a corner."""
    scene.desk.push_into_corner()
    yield
