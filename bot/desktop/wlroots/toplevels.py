"""Which window has the keyboard, as the compositor tells panels by ``wlr-foreign-toplevel``.

It says which window is active and which one it is a dialog of, but not where any window lies.
"""

from __future__ import annotations

import struct
from itertools import count
from typing import Any

from bot.desktop.wlroots.connection import Connection, on_event
from bot.desktop.wlroots.protocols import TOPLEVEL_MANAGER

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
        """Return the number of the window that has the keyboard, or of that it is a dialog of.

        None if no window has it. Raises `ScreenGone` when the compositor is gone.
        """
        self._connection.sync()
        if len(self._active) != 1:
            return None
        (number,) = self._active
        for _ in range(DEEPEST):
            number = self._parents.get(number, number)
        return number
