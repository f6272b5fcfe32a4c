"""The desktop of a compositor of the wlroots family: sway, Hyprland, labwc and others."""

from __future__ import annotations

from bot.desktop.native import RealClock
from bot.desktop.ports import Desktop
from bot.desktop.wlroots.connection import Connection
from bot.desktop.wlroots.input import WlrKeyboard, WlrPointer, seat_of
from bot.desktop.wlroots.outputs import Outputs
from bot.desktop.wlroots.pointer_watch import PointerWatch
from bot.desktop.wlroots.protocols import (
    LAYER_SHELL,
    SCREENCOPY_MANAGER,
    TOPLEVEL_MANAGER,
    VIRTUAL_KEYBOARD_MANAGER,
    VIRTUAL_POINTER_MANAGER,
)
from bot.desktop.wlroots.screen import WlrScreen
from bot.desktop.wlroots.toplevels import Toplevels

PROTOCOLS = (
    SCREENCOPY_MANAGER.name,
    VIRTUAL_POINTER_MANAGER.name,
    VIRTUAL_KEYBOARD_MANAGER.name,
    "zxdg_output_manager_v1",
)
"""The protocols without which the bot cannot play."""


def missing(connection: Connection) -> tuple[str, ...]:
    """Return the needed protocols that a compositor lacks."""
    return tuple(name for name in PROTOCOLS if not connection.offers(name))


def can_notice_person(connection: Connection) -> bool:
    """Whether the bot can notice a person at the mouse on this compositor."""
    return connection.offers(LAYER_SHELL.name)


def open_wlroots(connection: Connection | None = None) -> Desktop:
    """Connect to the compositor of this session. Raises `NoDesktop` if that fails."""
    connection = connection or Connection()
    outputs = Outputs(connection)
    screen = WlrScreen(connection, outputs)
    seat = seat_of(connection)
    pointer = WlrPointer(connection, outputs, seat)
    if can_notice_person(connection):
        # Only now: a seat without a mouse has no pointer before the virtual one exists.
        pointer.watch_with(PointerWatch(connection, outputs, seat))
    if not connection.offers(TOPLEVEL_MANAGER.name):
        return Desktop(screen, pointer, WlrKeyboard(connection, seat), RealClock())
    toplevels = Toplevels(connection)
    keyboard = WlrKeyboard(connection, seat, toplevels)
    return Desktop(screen, pointer, keyboard, RealClock(), focused=toplevels.focused)
