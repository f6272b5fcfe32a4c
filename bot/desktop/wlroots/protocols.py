"""The protocols of wlroots that pywayland does not ship, described with its own classes.

Only names, versions and argument types are needed: libwayland does the rest. Requests are numbered
by their order, so each interface lists all of its requests up to the last one that is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pywayland.protocol.wayland import WlBuffer, WlOutput, WlSeat, WlSurface
from pywayland.protocol.xdg_shell import XdgPopup
from pywayland.protocol_core.argument import Argument
from pywayland.protocol_core.interface import Interface
from pywayland.protocol_core.proxy import Proxy
from pywayland.scanner.argument import ArgumentType

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
        "destroy": [],
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
        "axis_source": [UINT],
        "axis_stop": [UINT, UINT],
        "axis_discrete": [UINT, UINT, FIXED, INT],
        "destroy": [],
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
        "destroy": [],
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
        "destroy": [],
    },
    {"configure": [UINT, UINT, UINT], "closed": []},
)

ABOVE_ALL, NO_ZONE = 3, -1
"""The layer of a surface above all windows, and the zone of one that no panel moves aside."""

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
