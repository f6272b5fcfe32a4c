"""What can be known of a desktop before it is opened, and how its monitors are seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.desktop import system
from bot.desktop.native import RealKeyboard, RealPointer, RealScreen, why_no_desktop
from bot.desktop.ports import Button, Monitor, Window
from bot.desktop.system import GA_ROOT, GA_ROOT_OWNER
from bot.errors import ScreenGone
from calibration.grid import PixelBox, PixelPoint, ScreenPoint


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({}, "DISPLAY"),
        ({"DISPLAY": ""}, "DISPLAY"),
    ],
)
def test_an_unusable_desktop_is_explained_in_one_sentence(
    environ: dict[str, str], word: str
) -> None:
    reason = why_no_desktop("linux", environ)
    assert reason is not None
    assert word in reason
    assert "sim" not in reason, "only play has a simulated window"
    assert reason.count(". ") == 0


def test_an_x_display_can_be_used() -> None:
    assert why_no_desktop("linux", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}) is None
    # A nested or virtual X server within a Wayland session.
    assert why_no_desktop("linux", {"DISPLAY": ":5", "XDG_SESSION_TYPE": "wayland"}) is None


def test_windows_needs_no_display_variable() -> None:
    assert why_no_desktop("win32", {}) is None


class Refused(Exception):
    """What mss raises for a box that no monitor shows."""


@dataclass
class FakeMss:
    """Stands for the library mss on a desktop whose monitors may change.

    The grey of a pixel shows its column, counted from the left edge of all monitors.
    """

    monitors: list[tuple[int, int, int, int]]
    pixels_a_unit: int = 1
    has_memory: bool = True
    ScreenShotError = Refused

    def MSS(self) -> FakeCamera:  # noqa: N802  as the library names it
        if not self.has_memory:
            raise OSError(27, "File too large")
        edges = np.array(self.monitors)
        whole = (*edges[:, :2].min(axis=0), *edges[:, 2:].max(axis=0))
        return FakeCamera(self, [_as_mss(*edge) for edge in (whole, *self.monitors)])


@dataclass
class FakeCamera:
    """An instance of mss: it asks for the monitors once."""

    desktop: FakeMss
    monitors: list[dict[str, int]]

    def grab(self, box: tuple[int, int, int, int]) -> NDArray[np.uint8]:
        left, top, right, bottom = box
        edges = np.array(self.desktop.monitors)
        first, last = edges[:, 0].min(), edges[:, 2].max()
        if left < first or right > last or left >= right:
            raise Refused("Match")
        ratio = self.desktop.pixels_a_unit
        columns = np.repeat(np.arange(left - first, right - first), ratio)
        pixels = np.zeros((ratio * (bottom - top), columns.size, 4), np.uint8)
        pixels[...] = (columns % 256)[None, :, None]
        return pixels

    def close(self) -> None:
        self.monitors = []


def _as_mss(left: int, top: int, right: int, bottom: int) -> dict[str, int]:
    edges = {"left": left, "top": top, "width": right - left, "height": bottom - top}
    return {name: int(edge) for name, edge in edges.items()}


ALONE = (0, 0, 60, 40)
AT_THE_LEFT = (-50, 0, 0, 40)
AT_THE_RIGHT = (60, 0, 140, 40)


@pytest.mark.parametrize("primary", [ALONE, AT_THE_RIGHT])
def test_mouse_units_are_pixels_where_no_width_is_reported(
    primary: tuple[int, int, int, int],
) -> None:
    """X11 shows the width of all monitors together, and the primary one may start anywhere."""
    others = [edges for edges in (ALONE, AT_THE_RIGHT) if edges != primary]
    screen = RealScreen(FakeMss([primary, *others]))
    frame = screen.grab()
    assert screen.scale == frame.scale == 1.0
    assert frame.pixels.shape == (40, 140, 3)
    assert set(screen.monitors()) == {Monitor(*ALONE), Monitor(*AT_THE_RIGHT)}


@pytest.mark.parametrize("ratio", [1, 2])
def test_points_on_a_monitor_at_the_left_are_negative(
    ratio: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    screen = RealScreen(FakeMss([ALONE, AT_THE_LEFT], pixels_a_unit=ratio), mouse_width=60)
    assert screen.scale == ratio
    assert screen.monitors() == (Monitor(*ALONE), Monitor(*AT_THE_LEFT))
    whole = screen.grab()
    assert whole.origin == ScreenPoint(-50, 0)
    assert whole.to_screen(PixelPoint(20 * ratio, 8 * ratio)) == ScreenPoint(-30, 8)
    part = screen.grab(PixelBox(20 * ratio, 8 * ratio, 30 * ratio, 12 * ratio))
    assert part.origin == ScreenPoint(-30, 8)
    assert part.to_screen(PixelPoint(0, 0)) == ScreenPoint(-30, 8)
    assert (part.pixels == whole.pixels[8 * ratio : 12 * ratio, 20 * ratio : 30 * ratio]).all()


def test_a_look_without_shared_memory_is_a_screen_that_gives_no_picture() -> None:
    """So it was where the size of files, and with it of shared memory, was limited during play."""
    desktop = FakeMss([ALONE])
    screen = RealScreen(desktop)
    desktop.has_memory = False
    with pytest.raises(ScreenGone, match="gives no picture"):
        screen.grab()


def test_a_monitor_that_is_unplugged_is_noticed_at_the_next_look_at_the_whole_screen() -> None:
    desktop = FakeMss([ALONE, AT_THE_RIGHT])
    screen = RealScreen(desktop)
    box = PixelBox(100, 0, 120, 20)
    assert screen.grab(box).pixels.shape == (20, 20, 3)
    desktop.monitors = [ALONE]
    with pytest.raises(ScreenGone):
        screen.grab(box)
    assert screen.grab().pixels.shape == (40, 60, 3)
    assert screen.monitors() == (Monitor(*ALONE),)
    with pytest.raises(ScreenGone):
        screen.grab(box)
    desktop.monitors = [ALONE, AT_THE_RIGHT]
    screen.grab()
    assert screen.grab(box).pixels.shape == (20, 20, 3)


@dataclass
class FakeGui:
    """Stands for pyautogui on macOS: an event of Quartz carries the place that it is given.

    A person pushes the mouse after each movement.
    """

    at: tuple[int, int] = (0, 0)
    events: list[tuple[str, int, int, str]] = field(default_factory=list)

    def moveTo(self, x: int, y: int, _pause: bool) -> None:  # noqa: N802  as the library names it
        self.at = (x + 30, y)

    def mouseDown(  # noqa: N802
        self, x: int | None = None, y: int | None = None, *, button: str, _pause: bool
    ) -> None:
        self.at = (self.at[0] if x is None else x, self.at[1] if y is None else y)
        self.events.append(("down", *self.at, button))

    def mouseUp(self, *, button: str, _pause: bool) -> None:  # noqa: N802
        self.events.append(("up", *self.at, button))

    def position(self) -> tuple[float, float]:
        return self.at


@pytest.mark.parametrize("button", Button)
def test_a_press_on_macos_falls_where_it_is_sent_though_a_person_pushes_the_mouse(
    button: Button,
) -> None:
    gui = FakeGui()
    assert RealPointer(gui, lambda point: None).click(ScreenPoint(-5, 7), button)
    assert gui.events == [("down", -5, 7, button.value), ("up", -5, 7, button.value)]


def test_no_press_on_macos_goes_into_another_window() -> None:
    gui = FakeGui()
    pointer = RealPointer(gui, lambda point: Window(8, 0, 0, 8))
    assert not pointer.click(ScreenPoint(5, 5), into=Window(7, 0, 0, 7))
    assert gui.events == []


def test_the_button_on_macos_is_released_whatever_happens_while_it_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    gui = FakeGui()
    monkeypatch.setattr("bot.desktop.native.time.sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        RealPointer(gui, lambda point: None).click(ScreenPoint(1, 2), hold_s=1.0)
    assert [event[0] for event in gui.events] == ["down", "up"]


def test_windows_and_macos_are_asked_who_gets_a_key() -> None:
    pressed: list[tuple[str, ...]] = []
    gui = SimpleNamespace(
        isValidKey=lambda name: True, hotkey=lambda *names, **_: pressed.append(names)
    )
    keyboard = RealKeyboard(gui, lambda number: number == 7)
    assert keyboard.press("ctrl+n", 7)
    assert not keyboard.press("f2", 8)
    assert pressed == [("ctrl", "n")]


# ---- whose window lies at a point, and who gets the keys -------------------------------------


ROOTS, OWNERS = {21: 20, 20: 20, 10: 10}, {20: 10, 10: 10}
"""A button 21 in the dialog 20 of the game 10."""


def user32(at_point: int | None = None, front: int | None = None) -> SimpleNamespace:
    """Return what Windows answers of these windows."""

    def place(window: int, box: Any) -> None:
        box._obj.left, box._obj.top = 3 * window, 4 * window

    return SimpleNamespace(
        WindowFromPoint=lambda point: at_point if (point.x, point.y) == (-5, 7) else None,
        GetAncestor=lambda window, kind: {GA_ROOT: ROOTS, GA_ROOT_OWNER: OWNERS}[kind].get(window),
        GetForegroundWindow=lambda: front,
        GetWindowRect=place,
    )


@pytest.mark.parametrize(
    ("at_point", "window"),
    [(21, Window(20, 60, 80, 10)), (10, Window(10, 30, 40, 10)), (None, Window(0, 0, 0, 0))],
)
def test_windows_names_the_top_level_window_at_a_point_and_whose_dialog_it_is(
    monkeypatch: pytest.MonkeyPatch, at_point: int | None, window: Window
) -> None:
    monkeypatch.setattr(system, "_user32", lambda: user32(at_point=at_point))
    assert system.window_of_windows(ScreenPoint(-5, 7)) == window


@pytest.mark.parametrize(
    ("front", "gets_keys"), [(10, True), (20, True), (33, False), (None, False)]
)
def test_on_windows_the_keys_go_to_the_foreground_window_or_the_one_it_is_a_dialog_of(
    monkeypatch: pytest.MonkeyPatch, front: int | None, gets_keys: bool
) -> None:
    monkeypatch.setattr(system, "_user32", lambda: user32(front=front))
    assert system.gets_keys_on_windows(10) is gets_keys
