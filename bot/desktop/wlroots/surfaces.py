"""Transparent surfaces above all windows: they notice a person at the mouse, and show marks.

A compositor does not say where the pointer is, unless it is over one of the program's own surfaces.
So corner surfaces, one in each corner of each output, notice the kill switch; a parking surface,
around the place where the bot parks the pointer, notices a person who moves it away. They need
``wlr-layer-shell``. Between two clicks, the parking surface is put around the pointer only during a
pause, because a click must go to the window below. Without a pause, only the corner surfaces notice
a person. Each click still hits its target, because it carries its own position.

The marks of the overlay have the output's own pixels, so that they have sharp edges at any scale.
Their input region is empty: the pointer finds what lies below.
"""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pywayland.protocol.ext_idle_notify_v1 import ExtIdleNotifierV1
from pywayland.protocol.viewporter import WpViewporter
from pywayland.protocol.wayland import WlCompositor, WlShm

from bot.desktop.ports import Mark, Monitor
from bot.desktop.wlroots import client
from calibration.grid import PixelBox, ScreenPoint

TOP_LEFT = 1 | 4
"""The edges from which a surface is placed."""

CORNER_SIDE = 2
"""Side of a corner surface, in mouse units: the size of a corner in `bot.mouse`."""

PARKING_SIDE = 31
"""Side of the parking surface, in mouse units: small, because a person cannot click a button below
it, but larger than the movement of a mouse that is only touched."""

PAUSE_S = 0.01
"""The pointer counts as resting this long after a click; clicks in a row come faster."""

TAKEN_POINTS = 11
"""Points that are reported in turn for a pointer in use: so many that a caller who asks two or
three times before comparing does not get the same one again."""

IDLE_MS = 200
"""How long mouse and keyboard must rest before the compositor reports it."""


class ClearSurface:
    """A transparent square above all windows of an output."""

    def __init__(
        self, watch: PointerWatch, output: client.OutputGeometry, side: int, left: int, top: int
    ) -> None:
        self._watch = watch
        self._output = output
        self._side = side
        self.surface = watch.compositor.create_surface()
        self._layer = watch.shell.send(
            "get_layer_surface", self.surface, output.proxy, client.ABOVE_ALL, "minebot"
        )
        serials: list[int] = []
        client.on_event(
            self._layer, "configure", lambda serial, width, height: self._accept(serials, serial)
        )
        self._layer.send("set_size", side, side)
        self._layer.send("set_anchor", TOP_LEFT)
        self._layer.send("set_exclusive_zone", client.NO_ZONE)
        self._place_at(left, top)
        watch.connection.wait(lambda: bool(serials))
        self.surface.attach(watch.clear_buffer(side), 0, 0)
        self.surface.commit()

    def _accept(self, serials: list[int], serial: int) -> None:
        self._layer.send("ack_configure", serial)
        serials.append(serial)

    def _place_at(self, left: int, top: int) -> None:
        self.left, self.top = left, top
        monitor = self._output.monitor
        self._layer.send("set_margin", top - monitor.top, 0, 0, left - monitor.left)
        self.surface.commit()

    def move_to(self, left: int, top: int) -> None:
        """Move the top left corner there, and receive the pointer again."""
        self.surface.set_input_region(None)
        self._place_at(left, top)

    def let_pointer_through(self) -> None:
        """Stop receiving the pointer: it reaches the window below."""
        self.surface.set_input_region(self._watch.empty_region)
        self.surface.commit()

    def contains(self, point: ScreenPoint) -> bool:
        """Whether a point lies within."""
        return (
            self.left <= point.x < self.left + self._side
            and self.top <= point.y < self.top + self._side
        )


class PointerWatch:
    """Knows where the pointer is, as far as its surfaces receive it.

    Raises `NoDesktop` if the compositor does not offer what it needs.
    """

    def __init__(self, connection: client.Connection, outputs: client.Outputs, seat: Any) -> None:
        self.connection = connection
        self.compositor = connection.bind(WlCompositor, 4)
        self.shell = connection.bind(client.LAYER_SHELL, 4)
        self._shm = connection.bind(WlShm, 1)
        self.empty_region = self.compositor.create_region()
        self._clear_buffers: dict[int, Any] = {}
        self._parking_surfaces: dict[str, ClearSurface] = {}
        self._parking: ClearSurface | None = None
        self._under_pointer: ClearSurface | None = None
        self._bot_moves = False
        self._clicked: tuple[float, Callable[[], None]] | None = None
        self._corner: ScreenPoint | None = None
        first = outputs.all[0].monitor
        # At first the position is not known; the middle of a screen is not a corner.
        self._at = ScreenPoint((first.left + first.right) // 2, (first.top + first.bottom) // 2)
        self._taken = False
        self._calls_while_taken = 0
        self._outputs = outputs.all
        self._corner_surfaces = [
            ClearSurface(self, output, CORNER_SIDE, left, top)
            for output in outputs.all
            for left, top in _corners(output.monitor)
        ]
        self._pointer = seat.get_pointer()
        client.on_event(self._pointer, "enter", self._entered)
        client.on_event(self._pointer, "motion", lambda time, x, y: self._moved(x, y))
        client.on_event(self._pointer, "leave", lambda serial, surface: self._left())
        self._idle = _idle_listener(connection, seat, self._set_idle)
        self._is_idle = False
        connection.sync()
        self._ignore_corner_at_start()

    def _ignore_corner_at_start(self) -> None:
        """Use no kill switch if the pointer rests in a corner before play begins."""
        if self._corner is not None:
            self._at, self._corner = self._corner, None

    def clear_buffer(self, side: int) -> Any:
        """Return a transparent buffer of ``side`` x ``side`` pixels."""
        if side not in self._clear_buffers:
            size = 4 * side * side
            file = os.memfd_create("minebot-clear", os.MFD_CLOEXEC)
            os.ftruncate(file, size)
            pool = self._shm.create_pool(file, size)
            self._clear_buffers[side] = pool.create_buffer(
                0, side, side, 4 * side, WlShm.format.argb8888
            )
            pool.destroy()
            os.close(file)
        return self._clear_buffers[side]

    def _entered(self, serial: int, surface: Any, x: float, y: float) -> None:
        surfaces = [*self._corner_surfaces, *self._parking_surfaces.values()]
        self._under_pointer = next((own for own in surfaces if own.surface is surface), None)
        self._moved(x, y)

    def _moved(self, x: float, y: float) -> None:
        if self._under_pointer is None:
            return
        here = ScreenPoint(self._under_pointer.left + int(x), self._under_pointer.top + int(y))
        if self._under_pointer in self._corner_surfaces:
            # Permanent, so that no movement of the bot itself undoes the kill switch.
            self._corner = here
        elif not self._bot_moves:
            self._at = here
            self._taken = False

    def _left(self) -> None:
        if self._under_pointer is self._parking and not self._bot_moves:
            self._taken = True
        self._under_pointer = None

    def _set_idle(self, is_idle: bool) -> None:
        self._is_idle = is_idle

    def position(self) -> ScreenPoint:
        """Return where the pointer is, as far as it is known.

        While a person holds it somewhere else than on the parking surface, a point beside this
        surface is returned: another one at each call as long as the compositor reports that mouse
        or keyboard are in use. Raises `ScreenGone` when the compositor is gone.
        """
        self.connection.handle_arrived()
        if self._corner is not None:
            return self._corner
        if self._clicked is not None and time.monotonic() > self._clicked[0] + PAUSE_S:
            self._park(self._clicked[1], self._at)
        if not self._taken:
            return self._at
        if self._idle is not None and not self._is_idle:
            self._calls_while_taken += 1
        beside = 2 * PARKING_SIDE + 8 * (self._calls_while_taken % TAKEN_POINTS)
        return ScreenPoint(self._at.x + beside, self._at.y)

    def move_by_bot(
        self, move: Callable[[], None], end: ScreenPoint, click: Callable[[], None] | None = None
    ) -> None:
        """Move the pointer to ``end`` by ``move``; its events do not count as a person's.

        Without a ``click`` the parking surface is put around the end at once. After a click, which
        it must not receive, it is put there when the position is first asked for after a pause. The
        window below receives the new position before the parking surface covers it: kmines shows
        its message as long as the pointer seems to be over it.
        """
        if self._parking is not None and (click is None or self._parking.contains(end)):
            self._parking.let_pointer_through()
            self._parking = None
        self._bot_moves = True
        try:
            (click or move)()
            self.connection.sync()
        finally:
            self._bot_moves = False
        self._at = end
        self._taken = False
        self._clicked = (time.monotonic(), move)
        if click is None:
            self._park(move, end)

    def _park(self, move: Callable[[], None], end: ScreenPoint) -> None:
        """Put the parking surface around ``end`` and move the pointer onto it.

        Whoever moves it away from there, even before this returns, is a person.
        """
        self._clicked = None
        if self._parking is not None:
            self._parking.let_pointer_through()
        self._parking = self._put_parking_surface(end)
        move()
        self.connection.sync()

    def _put_parking_surface(self, end: ScreenPoint) -> ClearSurface | None:
        """Put the parking surface of the output that shows ``end`` around it."""
        for output in self._outputs:
            left, top, right, bottom = output.monitor
            if left <= end.x < right and top <= end.y < bottom:
                x, y = end.x - PARKING_SIDE // 2, end.y - PARKING_SIDE // 2
                parking = self._parking_surfaces.get(output.name)
                if parking is None:
                    parking = ClearSurface(self, output, PARKING_SIDE, x, y)
                    self._parking_surfaces[output.name] = parking
                else:
                    parking.move_to(x, y)
                return parking
        return None


def _corners(monitor: Monitor) -> list[tuple[int, int]]:
    """Return the top left points of the corner surfaces of a monitor."""
    return [
        (left, top)
        for left in (monitor.left, monitor.right - CORNER_SIDE)
        for top in (monitor.top, monitor.bottom - CORNER_SIDE)
    ]


def _idle_listener(connection: client.Connection, seat: Any, report: Callable[[bool], None]) -> Any:
    """Call ``report`` when mouse and keyboard begin or cease to rest.

    Returns the objects to keep, None if the compositor does not report it.
    """
    if connection.offers(ExtIdleNotifierV1.name):
        notifier = connection.bind(ExtIdleNotifierV1, 1)
        listener = notifier.get_idle_notification(IDLE_MS, seat)
        client.on_event(listener, "idled", lambda: report(True))
    elif connection.offers(client.KDE_IDLE.name):
        notifier = connection.bind(client.KDE_IDLE, 1)
        listener = notifier.send("get_idle_timeout", seat, IDLE_MS)
        client.on_event(listener, "idle", lambda: report(True))
    else:
        return None
    client.on_event(listener, "resumed", lambda: report(False))
    return notifier, listener


ALL_EDGES = 1 | 2 | 4 | 8
"""A surface that is anchored to all edges fills its output."""

BUFFERS = 2
"""How many pictures there are: the compositor may still read one while the other is painted."""


class WlrOverlay:
    """The overlay of a wlroots compositor. Raises `NoDesktop` if it lacks a protocol for it."""

    def __init__(self, connection: client.Connection | None = None) -> None:
        self._connection = connection or client.Connection()
        self._outputs = client.Outputs(self._connection)
        self._panes = [Pane(self._connection, output) for output in self._outputs.all]

    def show(self, marks: Sequence[Mark]) -> None:
        """Show these marks above all windows, and no others."""
        for pane in self._panes:
            boxes = (on_output(mark.box, pane.output, self._outputs) for mark in marks)
            pane.show([Mark(box, mark.colour) for box, mark in zip(boxes, marks, strict=True)])
        self._connection.sync()

    def close(self) -> None:
        """Show nothing any more."""
        self._connection.close()


class Pane:
    """A transparent surface that fills an output."""

    def __init__(self, connection: client.Connection, output: client.OutputGeometry) -> None:
        self.output = output
        compositor = connection.bind(WlCompositor, 4)
        self._surface: Any = compositor.create_surface()
        self._surface.set_input_region(compositor.create_region())
        shell = connection.bind(client.LAYER_SHELL, 4)
        self._layer = shell.send(
            "get_layer_surface", self._surface, output.proxy, client.ABOVE_ALL, "minebot hints"
        )
        serials: list[int] = []
        client.on_event(self._layer, "configure", lambda serial, *size: serials.append(serial))
        self._layer.send("set_anchor", ALL_EDGES)
        self._layer.send("set_exclusive_zone", client.NO_ZONE)
        self._surface.commit()
        connection.wait(lambda: bool(serials))
        self._layer.send("ack_configure", serials[-1])
        left, top, right, bottom = output.monitor
        self._viewport = connection.bind(WpViewporter, 1).get_viewport(self._surface)
        self._viewport.set_destination(right - left, bottom - top)
        shm = connection.bind(WlShm, 1)
        self._pictures = [
            OverlayPicture(shm, output.width_px, output.height_px) for _ in range(BUFFERS)
        ]
        self._shown: list[PixelBox] = []

    def show(self, marks: Sequence[Mark]) -> None:
        """Show these marks, in pixels of the output, and no others."""
        picture = self._pictures[0]
        picture.paint(marks)
        self._surface.attach(picture.buffer, 0, 0)
        for x0, y0, x1, y1 in [*self._shown, *picture.painted]:
            self._surface.damage_buffer(x0, y0, x1 - x0, y1 - y0)
        self._surface.commit()
        self._shown = picture.painted
        self._pictures.reverse()


class OverlayPicture:
    """A transparent picture with marks, in memory that is shared with the compositor."""

    def __init__(self, shm: Any, width: int, height: int) -> None:
        self.painted: list[PixelBox] = []
        size = 4 * width * height
        file = os.memfd_create("minebot-hints", os.MFD_CLOEXEC)
        os.ftruncate(file, size)
        pool = shm.create_pool(file, size)
        self.buffer = pool.create_buffer(0, width, height, 4 * width, WlShm.format.argb8888)
        pool.destroy()
        self._bgra = np.frombuffer(mmap.mmap(file, size), np.uint8).reshape(height, width, 4)
        os.close(file)

    def paint(self, marks: Sequence[Mark]) -> None:
        """Paint these marks in place of those painted before; later ones over earlier ones."""
        for x0, y0, x1, y1 in self.painted:
            self._bgra[y0:y1, x0:x1] = 0
        for (x0, y0, x1, y1), (red, green, blue) in marks:
            self._bgra[y0:y1, x0:x1] = blue, green, red, 255
        self.painted = [mark.box for mark in marks]


def on_output(box: PixelBox, output: client.OutputGeometry, outputs: client.Outputs) -> PixelBox:
    """Return a box of a picture of the whole screen in pixels of an output, cut at its edges.

    One that lies beside the output becomes empty.
    """
    place, factor = outputs.place(output), output.scale / outputs.scale
    x0, x1 = (_cut(factor * (x - place.x0), output.width_px) for x in (box.x0, box.x1))
    y0, y1 = (_cut(factor * (y - place.y0), output.height_px) for y in (box.y0, box.y1))
    return PixelBox(x0, y0, x1, y1)


def _cut(at: float, side: int) -> int:
    return min(max(round(at), 0), side)
