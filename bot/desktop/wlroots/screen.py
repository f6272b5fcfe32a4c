"""Pictures of the screen on compositors of the wlroots family, by ``wlr-screencopy``.

The compositor takes the picture at the next refresh of the output. So it is never older than the
request, and takes up to 17 ms at 60 Hz, whatever its size.
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pywayland.protocol.wayland import WlShm

from bot.desktop.ports import Monitor
from bot.desktop.wlroots.connection import Connection, on_event
from bot.desktop.wlroots.outputs import Output, Outputs, upright
from bot.desktop.wlroots.protocols import SCREENCOPY_MANAGER
from bot.errors import ScreenGone
from calibration.frame import Frame
from calibration.points import PixelBox, ScreenPoint

Pixels = NDArray[np.uint8]

UPSIDE_DOWN = 1
"""The flag of a picture whose first row is at the bottom."""

MAX_STEP = 30
"""A region must begin and end where mouse units and pixels coincide: up to every 120 units at a
scale of n/120. Where the step is larger than this, the whole output is taken instead."""

CONVERSIONS = {
    0: cv2.COLOR_BGRA2RGB,  # ARGB8888
    1: cv2.COLOR_BGRA2RGB,  # XRGB8888
    0x34324241: cv2.COLOR_RGBA2RGB,  # ABGR8888
    0x34324258: cv2.COLOR_RGBA2RGB,  # XBGR8888
    0x34324752: cv2.COLOR_BGR2RGB,  # RGB888
    0x34324742: None,  # BGR888
}
"""How each format of 8 bits a channel becomes RGB. The names of the formats begin at the highest
bit of a number, OpenCV's names at the first byte in memory."""


@dataclass(frozen=True)
class Shape:
    """Format, width, height and bytes a row of a picture."""

    format: int
    width: int
    height: int
    stride: int


class Memory:
    """Shared memory into which a compositor copies a picture."""

    def __init__(self, shm: Any, shape: Shape) -> None:
        self.shape = shape
        size = shape.stride * shape.height
        self._file = os.memfd_create("minebot-picture", os.MFD_CLOEXEC)
        os.ftruncate(self._file, size)
        self._map = mmap.mmap(self._file, size)
        self._pool = shm.create_pool(self._file, size)
        self.buffer = self._pool.create_buffer(
            0, shape.width, shape.height, shape.stride, shape.format
        )

    def pixels(self) -> Pixels:
        """Return a copy of the picture, RGB."""
        shape = self.shape
        if shape.format not in CONVERSIONS:
            raise ScreenGone(
                f"The compositor gives pictures in an unknown format ({shape.format:#x}): set the "
                "output to 8 bits a channel and start again."
            )
        conversion = CONVERSIONS[shape.format]
        channels = 3 if shape.format in (0x34324752, 0x34324742) else 4
        rows = np.frombuffer(self._map, np.uint8).reshape(shape.height, shape.stride)
        whole = rows[:, : shape.width * channels].reshape(shape.height, shape.width, channels)
        if conversion is None:
            return whole.copy()
        return np.asarray(cv2.cvtColor(whole, conversion), dtype=np.uint8)

    def close(self) -> None:
        """Give the memory back."""
        self.buffer.destroy()
        self._pool.destroy()
        self._map.close()
        os.close(self._file)


class WlrScreen:
    """The outputs of a wlroots compositor as one screen of one scale.

    A frame has one scale, the finest among the outputs; pictures of the others are enlarged to
    it. From scale 2 on, pictures are reduced by a whole number, which leaves one to two pixels
    for each mouse unit: tiles of the size that `calibration` is made for, and a quarter of the
    work.
    """

    def __init__(self, connection: Connection, outputs: Outputs) -> None:
        self._connection = connection
        self._outputs = outputs
        self._shm = connection.bind(WlShm, 1)
        self._manager = connection.bind(SCREENCOPY_MANAGER, 3)
        self._memories: dict[tuple[str, bool], Memory] = {}
        self.scale = outputs.scale
        places = [outputs.place(output) for output in outputs.all]
        self._whole = PixelBox(0, 0, max(p.x1 for p in places), max(p.y1 for p in places))

    def monitors(self) -> tuple[Monitor, ...]:
        """Return where the outputs lie, in mouse units."""
        return tuple(output.monitor for output in self._outputs.all)

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Take a picture; see `bot.desktop.ports.Screen`."""
        wanted = self._whole if box is None else _overlap(box, self._whole)
        if wanted is None:
            raise ScreenGone(
                "The part of the screen to look at lies outside of all outputs: start again."
            )
        pieces = [
            (part, self._capture(output, part))
            for output in self._outputs.all
            if (part := _overlap(wanted, self._outputs.place(output))) is not None
        ]
        origin = ScreenPoint(
            self._outputs.corner.x + round(wanted.x0 / self.scale),
            self._outputs.corner.y + round(wanted.y0 / self.scale),
        )
        if len(pieces) == 1 and pieces[0][0] == wanted:
            return Frame(pieces[0][1], origin, self.scale)
        # Pixels that no output shows are black.
        canvas = np.zeros((wanted.y1 - wanted.y0, wanted.x1 - wanted.x0, 3), dtype=np.uint8)
        for part, pixels in pieces:
            x, y = part.x0 - wanted.x0, part.y0 - wanted.y0
            canvas[y : y + pixels.shape[0], x : x + pixels.shape[1]] = pixels
        return Frame(canvas, origin, self.scale)

    def _capture(self, output: Output, part: PixelBox) -> Pixels:
        """Take a picture of a part of an output; ``part`` is in pixels of the whole screen."""
        place = self._outputs.place(output)
        left, top, right, bottom = output.monitor
        step = _step(output.scale)
        units: tuple[int, int, int, int] | None = None
        x, y = part.x0 - place.x0, part.y0 - place.y0
        # wlroots 0.15 copies the wrong region of a turned output.
        if part != place and step <= MAX_STEP and not output.transform:
            # At the corners of the region, mouse units and pixels must coincide.
            grain = step * self.scale
            units = (
                step * int(x // grain),
                step * int(y // grain),
                min(step * int(-(-(part.x1 - place.x0) // grain)), right - left),
                min(step * int(-(-(part.y1 - place.y0) // grain)), bottom - top),
            )
            x, y = x - round(self.scale * units[0]), y - round(self.scale * units[1])
        pixels = self._copy_output(output, units)
        if output.scale != self.scale:
            ratio = self.scale / output.scale
            how = cv2.INTER_AREA if ratio < 1 else cv2.INTER_LINEAR
            how = cv2.INTER_NEAREST if ratio.is_integer() else how
            pixels = np.asarray(cv2.resize(pixels, None, None, ratio, ratio, how), np.uint8)
        return np.ascontiguousarray(pixels[y : y + part.y1 - part.y0, x : x + part.x1 - part.x0])

    def _copy_output(self, output: Output, region: tuple[int, int, int, int] | None) -> Pixels:
        """Take a picture of an output or of a region of it, in units from its own corner."""
        self._connection.handle_arrived()
        if self._outputs.changed:
            raise ScreenGone(f"The screen changed: {self._outputs.changed}; start again.")
        if region is None:
            frame = self._manager.send("capture_output", 0, output.proxy)
        else:
            left, top, right, bottom = region
            frame = self._manager.send(
                "capture_output_region", 0, output.proxy, left, top, right - left, bottom - top
            )
        try:
            memory, flags = self._copy_frame(frame, (output.name, region is None))
        finally:
            frame.end()
        pixels = memory.pixels()
        if flags & UPSIDE_DOWN:
            pixels = pixels[::-1]
        return upright(pixels, output.transform)

    def _copy_frame(self, frame: Any, place: tuple[str, bool]) -> tuple[Memory, int]:
        """Have a frame copied; return its memory and its flags. Raises `ScreenGone`."""
        reported: dict[str, Any] = {}
        on_event(frame, "buffer", lambda *shape: reported.setdefault("shape", Shape(*shape)))
        on_event(frame, "flags", lambda flags: reported.update(flags=flags))
        on_event(frame, "ready", lambda *when: reported.update(ready=True))
        on_event(frame, "failed", lambda: reported.update(failed=True))
        self._connection.wait(lambda: "shape" in reported or "failed" in reported)
        if "failed" not in reported:
            memory = self._memory(place, reported["shape"])
            frame.send("copy", memory.buffer)
            self._connection.wait(lambda: "ready" in reported or "failed" in reported)
        if "failed" in reported:
            raise ScreenGone(
                "The compositor gives no picture of this output: unlock the screen, switch the "
                "output on and start again."
            )
        return memory, reported.get("flags", 0)

    def _memory(self, place: tuple[str, bool], shape: Shape) -> Memory:
        """Return memory of this shape; use that of the last picture again if it fits."""
        memory = self._memories.get(place)
        if memory is None or memory.shape != shape:
            if memory is not None:
                memory.close()
            memory = self._memories[place] = Memory(self._shm, shape)
        return memory


def _overlap(one: PixelBox, other: PixelBox) -> PixelBox | None:
    """Return the overlap of two boxes, None if there is none."""
    both = PixelBox(
        max(one.x0, other.x0), max(one.y0, other.y0), min(one.x1, other.x1), min(one.y1, other.y1)
    )
    return both if both.x0 < both.x1 and both.y0 < both.y1 else None


def _step(scale: float) -> int:
    """Return the fewest mouse units, up to 120, that are a whole number of pixels; else 121."""
    return next((n for n in range(1, 121) if abs(n * scale - round(n * scale)) < 1e-6), 121)
