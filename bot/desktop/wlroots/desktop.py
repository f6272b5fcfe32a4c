"""The desktop of a compositor of the wlroots family: sway, Hyprland, labwc and others.

The compositor takes a picture (``wlr-screencopy``) at the next refresh of the output. So the
picture is never older than the request, and takes up to 17 ms at 60 Hz, whatever its size. Pointer
and keyboard are virtual devices.
"""

from __future__ import annotations

import mmap
import os
import time
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pywayland.protocol.wayland import WlSeat, WlShm

from bot.desktop.keys import APPROACH, BUTTON_CODES, KEYS, MODIFIERS, split_keys
from bot.desktop.native import RealClock
from bot.desktop.ports import Button, Desktop, Monitor, Window
from bot.desktop.wlroots import client
from bot.desktop.wlroots.surfaces import PointerWatch
from bot.errors import NoDesktop, ScreenGone
from calibration import Frame, PixelBox, ScreenPoint

PROTOCOLS = (
    client.SCREENCOPY_MANAGER.name,
    client.VIRTUAL_POINTER_MANAGER.name,
    client.VIRTUAL_KEYBOARD_MANAGER.name,
    "zxdg_output_manager_v1",
)
"""The protocols without which the bot cannot play."""


def missing(connection: client.Connection) -> tuple[str, ...]:
    """Return the needed protocols that a compositor lacks."""
    return tuple(name for name in PROTOCOLS if not connection.offers(name))


def can_notice_person(connection: client.Connection) -> bool:
    """Whether the bot can notice a person at the mouse on this compositor."""
    return connection.offers(client.LAYER_SHELL.name)


def open_wlroots(connection: client.Connection | None = None) -> Desktop:
    """Connect to the compositor of this session. Raises `NoDesktop` if that fails."""
    connection = connection or client.Connection()
    outputs = client.Outputs(connection)
    screen = WlrScreen(connection, outputs)
    seat = seat_of(connection)
    pointer = WlrPointer(connection, outputs, seat)
    if can_notice_person(connection):
        # Only now: a seat without a mouse has no pointer before the virtual one exists.
        pointer.watch_with(PointerWatch(connection, outputs, seat))
    if not connection.offers(client.TOPLEVEL_MANAGER.name):
        return Desktop(screen, pointer, WlrKeyboard(connection, seat), RealClock())
    toplevels = client.Toplevels(connection)
    keyboard = WlrKeyboard(connection, seat, toplevels)
    return Desktop(screen, pointer, keyboard, RealClock(), focused=toplevels.focused)


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


class SharedPixels:
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

    def __init__(self, connection: client.Connection, outputs: client.Outputs) -> None:
        self._connection = connection
        self._outputs = outputs
        self._shm = connection.bind(WlShm, 1)
        self._manager = connection.bind(client.SCREENCOPY_MANAGER, 3)
        self._memories: dict[tuple[str, bool], SharedPixels] = {}
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

    def _capture(self, output: client.OutputGeometry, part: PixelBox) -> Pixels:
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

    def _copy_output(
        self, output: client.OutputGeometry, region: tuple[int, int, int, int] | None
    ) -> Pixels:
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
        return client.upright(pixels, output.transform)

    def _copy_frame(self, frame: Any, place: tuple[str, bool]) -> tuple[SharedPixels, int]:
        """Copy a frame; return its memory and its flags. Raises `ScreenGone`."""
        reported: dict[str, Any] = {}
        client.on_event(frame, "buffer", lambda *shape: reported.setdefault("shape", Shape(*shape)))
        client.on_event(frame, "flags", lambda flags: reported.update(flags=flags))
        client.on_event(frame, "ready", lambda *when: reported.update(ready=True))
        client.on_event(frame, "failed", lambda: reported.update(failed=True))
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

    def _memory(self, place: tuple[str, bool], shape: Shape) -> SharedPixels:
        """Return memory of this shape; use that of the last picture again if it fits."""
        memory = self._memories.get(place)
        if memory is None or memory.shape != shape:
            if memory is not None:
                memory.close()
            memory = self._memories[place] = SharedPixels(self._shm, shape)
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


RELEASED, PRESSED = 0, 1

KEYMAP = b"""xkb_keymap {
xkb_keycodes { include "evdev+aliases(qwerty)" };
xkb_types { include "complete" };
xkb_compatibility { include "complete" };
xkb_symbols { include "pc+us+inet(evdev)" };
};
\0"""
"""A US keyboard, made of parts that every desktop has."""

XKB_TEXT = 1


def now_ms() -> int:
    """Return the time of an event in Wayland's unit."""
    return int(1e3 * time.monotonic()) & 0xFFFFFFFF


class WlrPointer:
    """One virtual pointer for each output.

    It moves to the middle of a mouse unit, so that rounding never ends in another one.
    """

    def __init__(self, connection: client.Connection, outputs: client.Outputs, seat: Any) -> None:
        self._connection = connection
        self._outputs = outputs
        self._watch: PointerWatch | None = None
        self._manager = connection.bind(client.VIRTUAL_POINTER_MANAGER, 2)
        first = outputs.all[0].monitor
        self._at = ScreenPoint((first.left + first.right) // 2, (first.top + first.bottom) // 2)
        offered = next(
            g for g in connection.globals if g.interface == client.VIRTUAL_POINTER_MANAGER.name
        )
        if offered.version < 2 and len(outputs.all) > 1:
            raise NoDesktop(
                "This compositor's virtual pointer cannot be bound to one of several outputs: "
                "switch all but one off."
            )
        self._pointers = {
            output.name: self._manager.send("create_virtual_pointer", seat)
            if offered.version < 2
            else self._manager.send("create_virtual_pointer_with_output", seat, output.proxy)
            for output in outputs.all
        }
        connection.sync()

    def watch_with(self, watch: PointerWatch) -> None:
        """Take the position of the pointer from ``watch`` from now on."""
        self._watch = watch

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s`` seconds. Raises `ScreenGone`.

        The compositor does not say whose window lies there.
        """
        self._move(point, BUTTON_CODES[button], hold_s)
        return True

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``. Raises `ScreenGone`."""
        self._move(point, None)

    def position(self) -> ScreenPoint:
        """Return where the pointer is if that is known, else where the bot left it."""
        return self._at if self._watch is None else self._watch.position()

    def _move(self, point: ScreenPoint, button: int | None, hold_s: float = 0.0) -> None:
        # After a change of the outputs, the point may lie somewhere else.
        self._connection.handle_arrived()
        if self._outputs.changed:
            raise ScreenGone(f"The screen changed: {self._outputs.changed}; start again.")
        if self._watch is None:
            self._send(point, button, hold_s)
            self._connection.sync()
        else:
            click = None if button is None else lambda: self._send(point, button, hold_s)
            self._watch.move_by_bot(lambda: self._send(point, None), point, click)
        self._at = point

    def _send(self, point: ScreenPoint, button: int | None, hold_s: float = 0.0) -> None:
        output = self._output(point)
        left, top, right, bottom = output.monitor
        pointer = self._pointers[output.name]
        for part in APPROACH:
            pointer.send(
                "motion_absolute",
                now_ms(),
                int(4 * (point.x - left + part)),
                int(4 * (point.y - top + part)),
                4 * (right - left),
                4 * (bottom - top),
            )
            pointer.send("frame")
        if button is None:
            return
        pointer.send("button", now_ms(), button, PRESSED)
        pointer.send("frame")
        try:
            if hold_s:
                self._connection.sync()  # or the press would wait for the release
                time.sleep(hold_s)
        finally:
            pointer.send("button", now_ms(), button, RELEASED)
            pointer.send("frame")

    def _output(self, point: ScreenPoint) -> client.OutputGeometry:
        for output in self._outputs.all:
            left, top, right, bottom = output.monitor
            if left <= point.x < right and top <= point.y < bottom:
                return output
        raise ScreenGone(f"No output shows {point.x},{point.y}: start again.")


class WlrKeyboard:
    """A virtual keyboard with a US layout, whatever the layout of the real one.

    ``toplevels`` says which window gets the keys, None where the compositor does not.
    """

    def __init__(
        self, connection: client.Connection, seat: Any, toplevels: client.Toplevels | None = None
    ) -> None:
        self._connection = connection
        self._toplevels = toplevels
        self._manager = connection.bind(client.VIRTUAL_KEYBOARD_MANAGER, 1)
        self._keyboard = self._manager.send("create_virtual_keyboard", seat)
        file = os.memfd_create("minebot-keymap", os.MFD_CLOEXEC)
        try:
            os.write(file, KEYMAP)
            self._keyboard.send("keymap", XKB_TEXT, file, len(KEYMAP))
            connection.sync()
        finally:
            os.close(file)

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key, or several such as ``ctrl+n``. Raises `UsageError` for an unknown key."""
        names = split_keys(keys)
        if into is not None and (self._toplevels is None or self._toplevels.focused() != into):
            return False
        held = 0
        for name in names:
            held |= MODIFIERS.get(name, 0)
            self._send(name, PRESSED, held)
        for name in reversed(names):
            held &= ~MODIFIERS.get(name, 0)
            self._send(name, RELEASED, held)
        self._connection.sync()
        return True

    def _send(self, name: str, state: int, held: int) -> None:
        self._keyboard.send("key", now_ms(), KEYS[name].code, state)
        self._keyboard.send("modifiers", held, 0, 0, 0)


def seat_of(connection: client.Connection) -> Any:
    """Return the compositor's seat, which holds the mouse and the keyboard."""
    return connection.bind(WlSeat, 5)
