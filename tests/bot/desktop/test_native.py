"""What can be known of a desktop before it is opened, and how its monitors are seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from bot.desktop.native import RealKeyboard, RealPointer, RealScreen, why_no_desktop
from bot.desktop.ports import Button, Monitor, Window
from bot.errors import ScreenGone
from calibration.grid import PixelBox, PixelPoint, ScreenPoint
from tests.bot.desktop.fakes import FakeMss


@pytest.mark.parametrize(
    ("platform", "environ", "usable"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}, True),
        # A nested or virtual X server within a Wayland session.
        ("linux", {"DISPLAY": ":5", "XDG_SESSION_TYPE": "wayland"}, True),
        ("win32", {}, True),
    ],
)
def test_an_unusable_desktop_is_explained_in_one_sentence(
    platform: str, environ: dict[str, str], usable: bool
) -> None:
    reason = why_no_desktop(platform, environ)
    assert (reason is None) is usable
    if reason is not None:
        assert "DISPLAY" in reason
        assert "sim" not in reason, "only play has a simulated window"
        assert reason.count(". ") == 0


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
    pointer = RealPointer(gui, lambda point: Window(8, 0, 0, 8))
    assert not pointer.click(ScreenPoint(5, 5), button, into=Window(7, 0, 0, 7))
    assert pointer.click(ScreenPoint(-5, 7), button)
    assert gui.events == [("down", -5, 7, button.value), ("up", -5, 7, button.value)]


def test_the_button_on_macos_is_released_whatever_happens_while_it_is_held() -> None:
    gui = FakeGui()
    with pytest.raises(ValueError, match="non-negative"):
        RealPointer(gui, lambda point: None).click(ScreenPoint(1, 2), hold_s=-1.0)
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
