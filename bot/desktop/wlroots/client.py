"""The connection to a Wayland compositor of the wlroots family: its outputs and windows.

Every wait has a limit, and every failure is a typed error. This is the only place that uses
pywayland's display. Protocols that pywayland does not ship are described here with its own classes:
names, versions and argument types are enough, libwayland does the rest. Requests are numbered by
their order, so each interface lists all of its requests up to the last one used.
``wlr-foreign-toplevel`` reports which window has the keyboard and to which one a dialog belongs,
but not where windows lie.
"""

from __future__ import annotations

import atexit
import select
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pywayland.client.display import Display
from pywayland.protocol.wayland import WlBuffer, WlOutput, WlSeat, WlSurface
from pywayland.protocol.xdg_output_unstable_v1 import ZxdgOutputManagerV1
from pywayland.protocol.xdg_shell import XdgPopup
from pywayland.protocol_core.argument import Argument
from pywayland.protocol_core.interface import Interface
from pywayland.protocol_core.proxy import Proxy
from pywayland.scanner.argument import ArgumentType

from bot.desktop.ports import Monitor
from bot.errors import NoDesktop, ScreenGone
from calibration.grid import PixelBox, ScreenPoint

COMPOSITOR_ANSWER_S = 3.0
"""How long a compositor may take to answer. A picture takes one refresh: 17 ms at 60 Hz."""


@dataclass(frozen=True)
class Global:
    """Something that a compositor offers: its number, its interface and its version."""

    number: int
    interface: str
    version: int


def on_event(proxy: Any, event: str, handle: Callable[..., Any]) -> None:
    """Call ``handle`` with the arguments of each event of this name that ``proxy`` gets.

    pywayland only prints an error of ``handle``, so it must do nothing but store its arguments.
    """

    def call(_: Any, *arguments: Any) -> None:
        handle(*arguments)

    proxy.dispatcher[event] = call


class Connection:
    """A connection to the compositor of this session, or to the one at the socket ``name``.

    Raises `NoDesktop` if none answers.
    """

    def __init__(self, name: str | None = None) -> None:
        self._display = Display(name)
        try:
            self._display.connect()
        except ValueError as error:
            raise NoDesktop(
                "No Wayland compositor answers: check that WAYLAND_DISPLAY and XDG_RUNTIME_DIR "
                "are those of your desktop session."
            ) from error
        # Objects that exist longer than the display crash the interpreter when it exits.
        atexit.register(self.close)
        self._globals: dict[int, Global] = {}
        self._on_removed: list[Callable[[int], None]] = []
        self._registry: Any = self._display.get_registry()
        on_event(self._registry, "global", self._added)
        on_event(self._registry, "global_remove", self._removed)
        self.sync()

    def _added(self, number: int, interface: str, version: int) -> None:
        self._globals[number] = Global(number, interface, version)

    def _removed(self, number: int) -> None:
        self._globals.pop(number, None)
        for handle in self._on_removed:
            handle(number)

    def on_removed(self, handle: Callable[[int], None]) -> None:
        """Call ``handle`` with the number of each global that is removed."""
        self._on_removed.append(handle)

    @property
    def globals(self) -> tuple[Global, ...]:
        """Everything the compositor offers now."""
        return tuple(self._globals.values())

    def offers(self, interface: str) -> bool:
        """Whether the compositor offers an interface."""
        return any(offer.interface == interface for offer in self.globals)

    def bind(self, interface: Any, version: int, number: int | None = None) -> Any:
        """Return a proxy of the global with this interface, and with ``number`` if it is given.

        Its version is the lower of ``version`` and the compositor's. Raises
        `NoDesktop` if it is not offered.
        """
        for offer in self.globals:
            if offer.interface == interface.name and number in (None, offer.number):
                return self._registry.bind(offer.number, interface, min(version, offer.version))
        raise NoDesktop(f"This compositor does not offer {interface.name}.")

    def handle_arrived(self) -> None:
        """Handle the events that have arrived. Raises `ScreenGone` when the connection is lost."""
        self._step(0)

    def sync(self, limit_s: float = COMPOSITOR_ANSWER_S) -> None:
        """Wait until the compositor has handled all requests. Raises as `wait` does."""
        done: list[int] = []
        callback: Any = self._checked(self._display.sync)
        on_event(callback, "done", done.append)
        self.wait(lambda: bool(done), limit_s)

    def wait(self, done: Callable[[], bool], limit_s: float = COMPOSITOR_ANSWER_S) -> None:
        """Send what is queued and handle events until ``done()`` is true.

        Raises `ScreenGone` when the connection is lost or the limit is over.
        """
        end = time.monotonic() + limit_s
        while not done():
            left = end - time.monotonic()
            if left <= 0:
                raise ScreenGone(
                    f"The compositor has not answered for {limit_s:g} s: see whether the "
                    "desktop still works, then start again."
                )
            self._step(left)

    def _step(self, limit_s: float) -> None:
        """Handle queued events; if there are none, wait for more and handle those."""
        if self._checked(lambda: self._display.dispatch(block=False)) and limit_s:
            return
        self._checked(self._display.flush)
        if select.select([self._checked(self._display.get_fd)], [], [], limit_s)[0]:
            self._checked(self._display.read)
            self._checked(lambda: self._display.dispatch(block=False))

    def _checked(self, act: Callable[[], Any]) -> Any:
        """Return what ``act`` returns; raise `ScreenGone` if the connection is lost."""
        try:
            return act()
        # pywayland raises ValueError on a closed display, RuntimeError on a broken connection.
        except (RuntimeError, ValueError, OSError) as error:
            raise ScreenGone(
                "The compositor has closed the connection: log in again and start anew."
            ) from error

    def close(self) -> None:
        """Disconnect; no object of this connection can be used afterwards."""
        atexit.unregister(self.close)
        self._display.disconnect()


SCALE_STEPS = 120
"""Wayland gives fractional scales in 120ths."""


@dataclass(frozen=True)
class OutputGeometry:
    """One output: its place in mouse units, and its size in pixels as a person sees it.

    ``transform`` says how the compositor turns the picture: the lower two bits count quarter turns;
    the third bit says that it is mirrored first.
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

    all: tuple[OutputGeometry, ...] = ()

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

    def place(self, output: OutputGeometry) -> PixelBox:
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


def _output(reported: dict[str, Any]) -> OutputGeometry:
    """Make an output from what the compositor reported."""
    (left, top), (width, height) = reported["place"], reported["size"]
    across, down = reported["pixels"]
    if reported["transform"] & 1:
        across, down = down, across
    monitor = Monitor(left, top, left + width, top + height)
    return OutputGeometry(
        reported["proxy"], reported["name"], monitor, across, down, reported["transform"]
    )


ACTIVATED = 2
"""The number of this state in the protocol."""

DEEPEST = 8
"""Most dialogs of dialogs that are followed to the window they belong to."""


class Toplevels:
    """The windows of a compositor. Titles are not read: those of X11 programs need not be UTF-8."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers = count(1)
        self._handles: dict[int, Any] = {}
        self._active: set[int] = set()
        self._parents: dict[int, int] = {}
        self._manager = connection.bind(TOPLEVEL_MANAGER, 3)
        on_event(self._manager, "toplevel", self._opened)
        connection.sync()
        connection.sync()  # the second answer comes after what is said of each window

    def _opened(self, handle: Any) -> None:
        number = next(self._numbers)
        self._handles[number] = handle
        on_event(handle, "state", lambda states: self._set_states(number, states))
        on_event(handle, "parent", lambda parent: self._set_parent(number, parent))
        on_event(handle, "closed", lambda: self._closed(number))

    def _set_states(self, number: int, states: bytes) -> None:
        self._active.discard(number)
        if ACTIVATED in struct.unpack(f"={len(states) // 4}I", states):
            self._active.add(number)

    def _set_parent(self, number: int, parent: Any) -> None:
        owner = next((other for other, one in self._handles.items() if one is parent), None)
        self._parents.pop(number, None)
        if owner is not None:
            self._parents[number] = owner

    def _closed(self, number: int) -> None:
        self._active.discard(number)
        self._parents.pop(number, None)
        self._handles.pop(number).end()

    def focused(self) -> int | None:
        """Return the number of the window that has the keyboard; for a dialog, that of its owner.

        None if no window has it. Raises `ScreenGone` when the compositor is gone.
        """
        self._connection.sync()
        if len(self._active) != 1:
            return None
        (number,) = self._active
        for _ in range(DEEPEST):
            number = self._parents.get(number, number)
        return number


UINT = Argument(ArgumentType.Uint)

INT = Argument(ArgumentType.Int)

FIXED = Argument(ArgumentType.Fixed)

STRING = Argument(ArgumentType.String)

ARRAY = Argument(ArgumentType.Array)

FILE = Argument(ArgumentType.FileDescriptor)

Arguments = Sequence[Argument]


def an(interface: type[Interface], *, nullable: bool = False) -> Argument:
    """Describe an argument that is an object."""
    return Argument(ArgumentType.Object, interface=interface, nullable=nullable)


def new(interface: type[Interface]) -> Argument:
    """Describe an argument that is an object made by the request."""
    return Argument(ArgumentType.NewId, interface=interface)


class Sender(Proxy[Any]):
    """A proxy whose requests are sent by name."""

    numbers: ClassVar[dict[str, int]] = {}

    def send(self, request: str, *arguments: Any) -> Any:
        """Send a request; return the object it makes, if it makes one.

        ``arguments`` are all but that object.
        """
        number = self.numbers[request]
        for argument in self.interface.requests[number].arguments:
            if argument.argument_type is ArgumentType.NewId:
                return self._marshal_constructor(number, argument.interface, *arguments)
        self._marshal(number, *arguments)
        return None

    def end(self, request: str = "destroy") -> None:
        """Send the request that destroys the object, and destroy the proxy."""
        self.send(request)
        self._destroy()


def declare(
    name: str,
    version: int,
    requests: Mapping[str, Arguments],
    events: Mapping[str, Arguments] | None = None,
) -> type[Interface]:
    """Make an interface. The message ``name@3`` exists since version 3."""
    make: Any = type(Interface)
    interface: type[Interface] = make(name, (Interface,), {"name": name, "version": version})
    for register, messages in ((interface.request, requests), (interface.event, events or {})):
        for title, arguments in messages.items():
            message, _, since = title.partition("@")
            register(*arguments, version=int(since) if since else None)(_named(message))
    numbers = {title.partition("@")[0]: number for number, title in enumerate(requests)}
    proxy = type(f"{name}_proxy", (Sender,), {"interface": interface, "numbers": numbers})
    interface.proxy_class = proxy
    interface._gen_c()
    return interface


def _named(message: str) -> Any:
    """Make a function with this name: pywayland names messages after functions."""

    def function() -> None: ...

    function.__name__ = message
    return function


SCREENCOPY_FRAME = declare(
    "zwlr_screencopy_frame_v1",
    3,
    {"copy": [an(WlBuffer)], "destroy": [], "copy_with_damage@2": [an(WlBuffer)]},
    {
        "buffer": [UINT, UINT, UINT, UINT],
        "flags": [UINT],
        "ready": [UINT, UINT, UINT],
        "failed": [],
        "damage@2": [UINT, UINT, UINT, UINT],
        "linux_dmabuf@3": [UINT, UINT, UINT],
        "buffer_done@3": [],
    },
)

SCREENCOPY_MANAGER = declare(
    "zwlr_screencopy_manager_v1",
    3,
    {
        "capture_output": [new(SCREENCOPY_FRAME), INT, an(WlOutput)],
        "capture_output_region": [new(SCREENCOPY_FRAME), INT, an(WlOutput), INT, INT, INT, INT],
    },
)

VIRTUAL_POINTER = declare(
    "zwlr_virtual_pointer_v1",
    2,
    {
        "motion": [UINT, FIXED, FIXED],
        "motion_absolute": [UINT, UINT, UINT, UINT, UINT],
        "button": [UINT, UINT, UINT],
        "axis": [UINT, UINT, FIXED],
        "frame": [],
    },
)

VIRTUAL_POINTER_MANAGER = declare(
    "zwlr_virtual_pointer_manager_v1",
    2,
    {
        "create_virtual_pointer": [an(WlSeat, nullable=True), new(VIRTUAL_POINTER)],
        "destroy": [],
        "create_virtual_pointer_with_output@2": [
            an(WlSeat, nullable=True),
            an(WlOutput, nullable=True),
            new(VIRTUAL_POINTER),
        ],
    },
)

VIRTUAL_KEYBOARD = declare(
    "zwp_virtual_keyboard_v1",
    1,
    {
        "keymap": [UINT, FILE, UINT],
        "key": [UINT, UINT, UINT],
        "modifiers": [UINT, UINT, UINT, UINT],
    },
)

VIRTUAL_KEYBOARD_MANAGER = declare(
    "zwp_virtual_keyboard_manager_v1",
    1,
    {"create_virtual_keyboard": [an(WlSeat), new(VIRTUAL_KEYBOARD)]},
)

LAYER_SURFACE = declare(
    "zwlr_layer_surface_v1",
    4,
    {
        "set_size": [UINT, UINT],
        "set_anchor": [UINT],
        "set_exclusive_zone": [INT],
        "set_margin": [INT, INT, INT, INT],
        "set_keyboard_interactivity": [UINT],
        "get_popup": [an(XdgPopup)],
        "ack_configure": [UINT],
    },
    {"configure": [UINT, UINT, UINT], "closed": []},
)

ABOVE_ALL = 3
"""The layer of a surface above all windows."""

NO_ZONE = -1
"""The zone of a surface that no panel moves aside."""

LAYER_SHELL = declare(
    "zwlr_layer_shell_v1",
    4,
    {
        "get_layer_surface": [
            new(LAYER_SURFACE),
            an(WlSurface),
            an(WlOutput, nullable=True),
            UINT,
            STRING,
        ],
        "destroy@3": [],
    },
)

TOPLEVEL = declare(
    "zwlr_foreign_toplevel_handle_v1",
    3,
    {
        "set_maximized": [],
        "unset_maximized": [],
        "set_minimized": [],
        "unset_minimized": [],
        "activate": [an(WlSeat)],
        "close": [],
        "set_rectangle": [an(WlSurface), INT, INT, INT, INT],
        "destroy": [],
    },
    {
        "title": [STRING],
        "app_id": [STRING],
        "output_enter": [an(WlOutput)],
        "output_leave": [an(WlOutput)],
        "state": [ARRAY],
        "done": [],
        "closed": [],
    },
)

# An interface must exist before it is an argument of its own event.
TOPLEVEL.event(an(TOPLEVEL, nullable=True), version=3)(_named("parent"))

TOPLEVEL._gen_c()

TOPLEVEL_MANAGER = declare(
    "zwlr_foreign_toplevel_manager_v1",
    3,
    {"stop": []},
    {"toplevel": [new(TOPLEVEL)], "finished": []},
)

KDE_IDLE_TIMEOUT = declare(
    "org_kde_kwin_idle_timeout",
    1,
    {"release": [], "simulate_user_activity": []},
    {"idle": [], "resumed": []},
)

KDE_IDLE = declare(
    "org_kde_kwin_idle", 1, {"get_idle_timeout": [new(KDE_IDLE_TIMEOUT), an(WlSeat), UINT]}
)
"""sway up to 1.7 offers it in place of ``ext_idle_notifier_v1``, which pywayland ships."""
