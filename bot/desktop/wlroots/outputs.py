"""The outputs of a Wayland compositor: the place, rotation and scale of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pywayland.protocol.wayland import WlOutput
from pywayland.protocol.xdg_output_unstable_v1 import ZxdgOutputManagerV1

from bot.desktop.ports import Monitor
from bot.desktop.wlroots.connection import Connection, on_event
from bot.errors import NoDesktop
from calibration.points import PixelBox, ScreenPoint

SCALE_STEPS = 120
"""Wayland gives fractional scales in 120ths."""


@dataclass(frozen=True)
class Output:
    """One output: its place in mouse units, and its size in pixels as a person sees it.

    ``transform`` says how the compositor turns the picture: the lower two bits count quarters of
    a turn; the third bit says that it is mirrored before.
    """

    proxy: Any
    name: str
    monitor: Monitor
    width_px: int
    height_px: int
    transform: int

    @property
    def scale(self) -> float:
        """Pixels per mouse unit."""
        units = self.monitor.right - self.monitor.left
        exact = round(SCALE_STEPS * self.width_px / units) / SCALE_STEPS
        # The last unit may be cut off: 1366 pixels at scale 1.5 are 911 units.
        return exact if abs(self.width_px / exact - units) < 1 else self.width_px / units


def upright(pixels: NDArray[np.uint8], transform: int) -> NDArray[np.uint8]:
    """Turn a picture from how the compositor stores it to how a person sees it."""
    turned = np.rot90(pixels, -(transform & 3))
    return turned[:, ::-1] if transform & 4 else turned


class Outputs:
    """All outputs of a connection.

    ``changed`` says in words which one was changed or removed, empty if none was.
    """

    def __init__(self, connection: Connection) -> None:
        self.changed = ""
        self._reported: dict[int, dict[str, Any]] = {}
        manager = connection.bind(ZxdgOutputManagerV1, 3)
        self._proxies: list[Any] = [manager]
        for offer in connection.globals:
            if offer.interface == WlOutput.name:
                self._follow(connection.bind(WlOutput, 4, offer.number), manager, offer.number)
        connection.sync()
        self.all = tuple(
            sorted(map(_output, self._reported.values()), key=lambda output: output.monitor)
        )
        if not self.all:
            raise NoDesktop("The compositor has no output: switch a screen on and start again.")
        connection.on_removed(self._removed)

    def _follow(self, proxy: Any, manager: Any, number: int) -> None:
        reported: dict[str, Any] = {"proxy": proxy, "name": f"output {number}"}
        self._reported[number] = reported

        def store(key: str, value: Any) -> None:
            if self.all and reported.get(key) != value:
                self.changed = f"{reported['name']} was resized, moved or turned"
            reported[key] = value

        def mode(flags: int, width: int, height: int, refresh: int) -> None:
            if flags & WlOutput.mode.current:
                store("pixels", (width, height))

        logical = manager.get_xdg_output(proxy)
        on_event(proxy, "geometry", lambda *geometry: store("transform", geometry[-1]))
        on_event(proxy, "mode", mode)
        on_event(logical, "logical_position", lambda x, y: store("place", (x, y)))
        on_event(logical, "logical_size", lambda width, height: store("size", (width, height)))
        on_event(logical, "name", lambda name: reported.update(name=name))
        self._proxies.append(logical)

    all: tuple[Output, ...] = ()

    @property
    def scale(self) -> float:
        """Pixels per mouse unit in a picture of the whole screen.

        It is that of the finest output; from 2 on it is reduced by a whole number.
        """
        finest = max(output.scale for output in self.all)
        return finest / int(finest)

    @property
    def corner(self) -> ScreenPoint:
        """The upper left corner of a picture of the whole screen."""
        monitors = [output.monitor for output in self.all]
        return ScreenPoint(min(m.left for m in monitors), min(m.top for m in monitors))

    def place(self, output: Output) -> PixelBox:
        """Return which pixels of a picture of the whole screen an output shows."""
        (x, y), scale = self.corner, self.scale
        left, top, right, bottom = output.monitor
        return PixelBox(
            round(scale * (left - x)),
            round(scale * (top - y)),
            round(scale * (right - x)),
            round(scale * (bottom - y)),
        )

    def _removed(self, number: int) -> None:
        if number in self._reported:
            self.changed = f"{self._reported[number]['name']} was removed or switched off"


def _output(reported: dict[str, Any]) -> Output:
    """Make an output from what the compositor reported."""
    (left, top), (width, height) = reported["place"], reported["size"]
    across, down = reported["pixels"]
    if reported["transform"] & 1:
        across, down = down, across
    monitor = Monitor(left, top, left + width, top + height)
    return Output(reported["proxy"], reported["name"], monitor, across, down, reported["transform"])
