"""Monitors of a desk's X server: two in place of one, and one that is unplugged.

python-xlib knows the RandR extension up to version 1.3 and lacks some of its arguments, so the
requests for monitors and modes are written out here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from Xlib.display import Display
from Xlib.ext import randr
from Xlib.protocol import rq

from tests.live.desk import HEIGHT, WIDTH, Desk
from tests.live.referee import connect

UPRIGHT = 1
"""The rotation of a picture that is not turned."""

PIXELS_A_MM = 4


class _SetMonitor(rq.Request):  # type: ignore[misc]
    """The request RRSetMonitor of RandR 1.5."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(43),
        rq.RequestLength(),
        rq.Window("window"),
        rq.Card32("name"),
        rq.Bool("primary"),
        rq.Bool("automatic"),
        rq.LengthOf("outputs", 2),
        rq.Int16("x"),
        rq.Int16("y"),
        rq.Card16("width"),
        rq.Card16("height"),
        rq.Card32("width_mm"),
        rq.Card32("height_mm"),
        rq.List("outputs", rq.Card32Obj),
    )


class _DeleteMonitor(rq.Request):  # type: ignore[misc]
    """The request RRDeleteMonitor of RandR 1.5."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(44),
        rq.RequestLength(),
        rq.Window("window"),
        rq.Card32("name"),
    )


@contextmanager
def two_monitors(desk: Desk, left_width: int) -> Iterator[None]:
    """Let the screen be that of two monitors side by side; the right one is the primary one."""
    display = connect(desk.env["DISPLAY"])
    root, opcode = display.screen().root, display.display.get_extension_major(randr.extname)
    output = root.xrandr_get_screen_resources().outputs[0]
    places = {
        "left": (0, left_width, 0, [output]),
        "right": (left_width, WIDTH - left_width, 1, []),
    }
    atoms = {name: display.intern_atom(f"monitor {name}") for name in places}
    for name, (x, width, primary, outputs) in places.items():
        _SetMonitor(
            display=display.display,
            opcode=opcode,
            window=root.id,
            name=atoms[name],
            primary=primary,
            automatic=0,
            x=x,
            y=0,
            width=width,
            height=HEIGHT,
            width_mm=width // PIXELS_A_MM,
            height_mm=HEIGHT // PIXELS_A_MM,
            outputs=outputs,
        )
    display.sync()
    try:
        yield
    finally:
        for atom in atoms.values():
            _DeleteMonitor(display=display.display, opcode=opcode, window=root.id, name=atom)
        display.sync()
        display.close()


@contextmanager
def unplugged(desk: Desk, width_left: int) -> Iterator[None]:
    """Let only the left part of the screen be there, as if the right monitor were unplugged."""
    display = connect(desk.env["DISPLAY"])
    resources = display.screen().root.xrandr_get_screen_resources()
    mode, output = resources.modes[0].id, resources.outputs[0]
    _show(display, resources.crtcs[0], 0, [])
    _resize(display, width_left)
    try:
        yield
    finally:
        _resize(display, WIDTH)
        _show(display, resources.crtcs[0], mode, [output])
        display.close()


def _show(display: Display, crtc: int, mode: int, outputs: list[int]) -> None:
    """Have a part of the server show a mode on outputs; mode 0 is none."""
    randr.SetCrtcConfig(
        display=display.display,
        opcode=display.display.get_extension_major(randr.extname),
        crtc=crtc,
        timestamp=0,
        config_timestamp=0,
        x=0,
        y=0,
        mode=mode,
        rotation=UPRIGHT,
        outputs=outputs,
    )


def _resize(display: Display, width: int) -> None:
    display.screen().root.xrandr_set_screen_size(
        width, HEIGHT, width // PIXELS_A_MM, HEIGHT // PIXELS_A_MM
    )
    display.sync()
