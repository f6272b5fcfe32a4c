"""Pictures of wlroots outputs are joined rightly; tests/live plays on a real compositor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from bot.desktop.ports import Monitor
from bot.errors import ScreenGone
from bot.mouse.guard import MouseGuard
from bot.simulated import FakeClock
from calibration.grid import PixelBox, PixelPoint, ScreenPoint
from tests.bot.fake_ports import FakePorts

pytest.importorskip("pywayland")

from bot.desktop.wlroots.client import (
    Connection,
    OutputGeometry,
    Outputs,
    upright,
)
from bot.desktop.wlroots.desktop import Pixels, WlrScreen
from bot.desktop.wlroots.surfaces import PointerWatch

Box = tuple[int, int, int, int]


def output(
    left: int, top: int, width: int, height: int, scale: float = 1.0, transform: int = 0
) -> OutputGeometry:
    """Return an output of this size in mouse units."""
    monitor = Monitor(left, top, left + width, top + height)
    return OutputGeometry(
        None, f"at {left}", monitor, round(scale * width), round(scale * height), transform
    )


class FakeOutputs(Outputs):
    changed = ""

    def __init__(self, *outputs: OutputGeometry) -> None:
        self.all = outputs


class FakeConnection:
    def bind(self, *_: Any) -> None:
        return None


class PaintedScreen(WlrScreen):
    """A screen whose pixels hold their place on the output: x in red, y in green."""

    def __init__(self, *outputs: OutputGeometry) -> None:
        super().__init__(cast("Connection", FakeConnection()), FakeOutputs(*outputs))
        self.regions: list[tuple[int, int, int, int] | None] = []

    def _copy_output(
        self, output: OutputGeometry, region: tuple[int, int, int, int] | None
    ) -> Pixels:
        self.regions.append(region)
        down, across = np.mgrid[: output.height_px, : output.width_px]
        whole = np.dstack([across, down, np.full_like(down, 9)]).astype(np.uint8)
        if region is None:
            return whole
        left, top, right, bottom = (units * output.scale for units in region)
        assert all(edge == round(edge) for edge in (left, top))
        return whole[round(top) : round(bottom), round(left) : round(right)]


@pytest.mark.parametrize(
    ("scale", "shown", "by"),
    [(1, 1, 1), (1.25, 1.25, 1), (1.5, 1.5, 1), (1.75, 1.75, 1), (2, 1, 1), (3, 1, 1),
     (2.5, 1.25, 5)],
)  # fmt: skip
def test_a_region_is_the_same_as_cut_out_of_the_whole(scale: float, shown: float, by: int) -> None:
    """From scale 2 on, pictures are reduced."""
    screen = PaintedScreen(output(0, 0, 80, 60, scale))
    whole, rng = screen.grab(), np.random.default_rng(3)
    assert whole.scale == screen.scale == shown
    assert (whole.width, whole.height) == (80 * shown, 60 * shown)
    assert whole.to_screen(PixelPoint(30 * shown, 20 * shown)) == (30, 20)
    for _ in range(50):
        x0, y0, width, height = (by * rng.integers(1, 30 // by, 4)).tolist()
        part = screen.grab(PixelBox(x0, y0, x0 + width, y0 + height))
        assert np.array_equal(part.pixels, whole.pixels[y0 : y0 + height, x0 : x0 + width])
        assert part.origin == (round(x0 / shown), round(y0 / shown))
    assert None not in screen.regions[1:]


def test_outputs_are_joined_where_they_lie() -> None:
    """The first one starts above and left of the origin."""
    screen = PaintedScreen(output(-100, -20, 100, 60), output(0, 0, 80, 50))
    frame = screen.grab()
    assert (frame.width, frame.height, frame.origin) == (180, 70, (-100, -20))
    assert frame.pixels[0, 0].tolist() == [0, 0, 9]
    assert frame.pixels[20, 100].tolist() == [0, 0, 9]
    assert frame.pixels[69, 179].tolist() == [79, 49, 9]
    assert frame.pixels[0, 150].tolist() == [0, 0, 0]  # shown by no output
    across = screen.grab(PixelBox(90, 30, 110, 40))
    assert np.array_equal(across.pixels, frame.pixels[30:40, 90:110])


def test_a_coarser_output_is_enlarged_to_the_finest() -> None:
    screen = PaintedScreen(output(0, 0, 80, 60), output(80, 0, 80, 60, scale=1.5))
    frame = screen.grab()
    assert (frame.scale, frame.width, frame.height) == (1.5, 240, 90)
    assert frame.to_screen(PixelPoint(120 + 30, 45)) == (100, 30)
    assert frame.pixels[45, 120 + 30].tolist() == [30, 45, 9]
    assert abs(int(frame.pixels[45, 60, 0]) - 40) <= 1
    part = screen.grab(PixelBox(100, 10, 140, 50))
    assert (part.width, part.height) == (40, 40)
    assert np.abs(part.pixels.astype(int) - frame.pixels[10:50, 100:140]).max() <= 1


def test_a_box_outside_of_all_outputs_is_an_error() -> None:
    with pytest.raises(ScreenGone):
        PaintedScreen(output(0, 0, 80, 60)).grab(PixelBox(100, 100, 110, 110))


@pytest.mark.parametrize("transform", range(8))
def test_a_turned_picture_is_set_upright(transform: int) -> None:
    """As in the protocol: mirrored first, then turned counter-clockwise."""
    seen = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    held = seen[:, ::-1] if transform & 4 else seen
    for _ in range(transform & 3):
        held = np.rot90(held)
    assert np.array_equal(upright(held, transform), seen)


def test_a_turned_output_is_copied_whole() -> None:
    screen = PaintedScreen(output(0, 0, 80, 60, transform=1))
    screen.grab(PixelBox(10, 10, 20, 20))
    assert screen.regions == [None]


@pytest.mark.parametrize(
    ("pixels", "units", "scale"),
    [(1366, 911, 1.5), (1920, 1280, 1.5), (1920, 1097, 1.75), (3840, 1920, 2), (1920, 1440, 4 / 3)],
)
def test_the_scale_of_an_output_is_what_it_was_set_to(
    pixels: int, units: int, scale: float
) -> None:
    shown = OutputGeometry(None, "any", Monitor(0, 0, units, 100), pixels, 100, 0)
    assert shown.scale == pytest.approx(scale, abs=1e-9)


def test_a_removed_output_is_reported() -> None:
    outputs = Outputs.__new__(Outputs)
    outputs.changed, outputs._reported = "", {38: {"name": "HDMI-A-1"}}
    outputs._removed(7)
    assert outputs.changed == ""
    outputs._removed(38)
    assert outputs.changed == "HDMI-A-1 was removed or switched off"


class HeldPointer(PointerWatch):
    """A pointer that a person holds, and moves until ``moved_until`` on the clock."""

    def __init__(self, moved_until: float) -> None:
        self.clock, self.moved_until = FakeClock(), moved_until
        self.connection = cast("Connection", self)
        self._at, self._corner, self._clicked = ScreenPoint(900, 500), None, None
        self._taken, self._calls_while_taken, self._idle = True, 0, object()

    def handle_arrived(self) -> None:
        self._is_idle = self.clock.now() >= self.moved_until


def test_a_person_who_goes_on_moving_the_mouse_is_waited_for() -> None:
    pointer = HeldPointer(moved_until=7.0)
    ports = replace(FakePorts().ports, pointer=cast("Any", pointer), clock=pointer.clock)
    MouseGuard(ports).wait_idle(1.0)
    assert 7.9 < pointer.clock.now() < 8.2
