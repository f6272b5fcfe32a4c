"""Marks over the windows of a wlroots compositor, through which every click goes.

Each output has a transparent surface above all windows, of the output's own pixels, so that a mark
has sharp edges at any scale. Its input region is empty: the pointer finds what lies below.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from pywayland.protocol.viewporter import WpViewporter
from pywayland.protocol.wayland import WlCompositor, WlShm

from bot.desktop.ports import Mark
from bot.desktop.wlroots.connection import Connection, on_event
from bot.desktop.wlroots.outputs import Output, Outputs
from bot.desktop.wlroots.protocols import ABOVE_ALL, LAYER_SHELL, NO_ZONE
from calibration.points import PixelBox

ALL_EDGES = 1 | 2 | 4 | 8
"""A surface that is anchored to all edges fills its output."""

BUFFERS = 2
"""The compositor may still read the one while the other is painted."""


class WlrOverlay:
    """The overlay of a wlroots compositor. Raises `NoDesktop` if it lacks a protocol for it."""

    def __init__(self, connection: Connection | None = None) -> None:
        self._connection = connection or Connection()
        self._outputs = Outputs(self._connection)
        self._panes = [Pane(self._connection, output) for output in self._outputs.all]

    def show(self, marks: Sequence[Mark]) -> None:
        """Show these marks above all windows, and no others."""
        for pane in self._panes:
            boxes = (on_output(mark.box, pane.output, self._outputs) for mark in marks)
            pane.show([Mark(box, mark.colour) for box, mark in zip(boxes, marks, strict=True)])
        self._connection.sync()

    def clear(self) -> None:
        """Show nothing."""
        self.show([])

    def close(self) -> None:
        """Show nothing any more."""
        self._connection.close()


class Pane:
    """A transparent surface that fills an output."""

    def __init__(self, connection: Connection, output: Output) -> None:
        self.output = output
        compositor = connection.bind(WlCompositor, 4)
        self._surface: Any = compositor.create_surface()
        self._surface.set_input_region(compositor.create_region())
        shell = connection.bind(LAYER_SHELL, 4)
        self._layer = shell.send(
            "get_layer_surface", self._surface, output.proxy, ABOVE_ALL, "minebot hints"
        )
        serials: list[int] = []
        on_event(self._layer, "configure", lambda serial, *size: serials.append(serial))
        self._layer.send("set_anchor", ALL_EDGES)
        self._layer.send("set_exclusive_zone", NO_ZONE)
        self._surface.commit()
        connection.wait(lambda: bool(serials))
        self._layer.send("ack_configure", serials[-1])
        left, top, right, bottom = output.monitor
        self._viewport = connection.bind(WpViewporter, 1).get_viewport(self._surface)
        self._viewport.set_destination(right - left, bottom - top)
        shm = connection.bind(WlShm, 1)
        self._pictures = [Picture(shm, output.width_px, output.height_px) for _ in range(BUFFERS)]
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


class Picture:
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


def on_output(box: PixelBox, output: Output, outputs: Outputs) -> PixelBox:
    """Return a box of a picture of the whole screen in pixels of an output, cut at its edges.

    One that lies beside the output becomes empty.
    """
    place, factor = outputs.place(output), output.scale / outputs.scale
    x0, x1 = (_cut(factor * (x - place.x0), output.width_px) for x in (box.x0, box.x1))
    y0, y1 = (_cut(factor * (y - place.y0), output.height_px) for y in (box.y0, box.y1))
    return PixelBox(x0, y0, x1, y1)


def _cut(at: float, side: int) -> int:
    return min(max(round(at), 0), side)
