"""Whose window lies where under X11, and who gets the keys.

All answers are those of the X server itself, which alone decides where a press and a key go. They
hold until the next request of any other program; while the server is held still, there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import BadDrawable, BadWindow

from bot.desktop.ports import Window
from calibration.points import ScreenPoint

DEEPEST = 8
"""Most dialogs of dialogs that are followed to the window they belong to."""


class Placed(NamedTuple):
    """A window of the server, and where its upper left corner lies on the screen."""

    window: Any
    left: int
    top: int


class UnderPointer(NamedTuple):
    """Where the pointer is, and the windows it is in, from the one on the root inwards."""

    point: ScreenPoint
    path: tuple[Placed, ...]


class XWindows:
    """The windows of an X display, asked through one connection."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._root = display.screen().root
        self._wm_state = display.intern_atom("WM_STATE")
        self._transient_for = Xatom.WM_TRANSIENT_FOR
        self._active_window = display.intern_atom("_NET_ACTIVE_WINDOW")
        self._own_ids = display.display.info.resource_id_mask
        self._managed: set[int] = set()

    @contextmanager
    def held_still(self) -> Iterator[None]:
        """Let the server handle only our requests: no window opens, moves or takes the focus.

        The block must be short, and wait for nothing that another connection asks for.
        """
        self._display.grab_server()
        try:
            yield
        finally:
            self._display.ungrab_server()
            self._display.flush()

    # ---- the pointer -------------------------------------------------------------------------

    def at(self, point: ScreenPoint) -> Window:
        """Return the window at a point; its number is 0 for the root itself."""
        with self.held_still():
            path = []
            asked = self._root.translate_coords(self._root, *point)
            while asked.child:
                window = asked.child
                asked = window.translate_coords(self._root, *point)
                path.append(Placed(window, point.x - asked.x, point.y - asked.y))
            if not path:
                return Window(0, 0, 0, 0)
            found = self._client(path)
            return Window(found.window.id, found.left, found.top, self._owner(found.window))

    def under_pointer(self) -> UnderPointer:
        """Return where the pointer is, and the windows it is in."""
        asked = self._root.query_pointer()
        point, path = ScreenPoint(asked.root_x, asked.root_y), []
        while asked.child:
            window = asked.child
            asked = window.query_pointer()
            path.append(Placed(window, point.x - asked.win_x, point.y - asked.win_y))
        return UnderPointer(point, tuple(path))

    def gets_press(self, window: Window, path: Sequence[Placed]) -> bool:
        """Whether a press where the pointer is would go to ``window``, which lies where it lay.

        A menu, or a program with which a part of the screen is chosen, may have grabbed the
        pointer: then all presses go there. Asking for a grab of our own shows it; made on the
        window that has the pointer already, and given up at once, no program notices.
        """
        if window.number and not any(
            (window.number, window.left, window.top) == (one.window.id, one.left, one.top)
            for one in path
        ):
            return False
        if not window.number and path:
            return False
        deepest = path[-1].window if path else self._root
        told = deepest.grab_pointer(
            True, 0, X.GrabModeAsync, X.GrabModeAsync, X.NONE, X.NONE, X.CurrentTime
        )
        if told == X.GrabSuccess:
            self._display.ungrab_pointer(X.CurrentTime)
        return told == X.GrabSuccess or self._has_menu(window.number)

    # ---- the keyboard ------------------------------------------------------------------------

    def has_focus(self, number: int) -> bool:
        """Whether the server's focus is in the window of this number."""
        focus = self._display.get_input_focus().focus
        if isinstance(focus, int):  # X.NONE or X.PointerRoot
            return False
        return int(self._client(self._ancestors(focus)).window.id) == number

    def gets_keys(self, number: int) -> bool:
        """Whether keys would go to the window of this number, or to a dialog of it.

        The server's focus decides. What the window manager calls the active window must be the
        same, for the focus may be about to follow it.
        """
        path = self._path_of_focus()
        if not path or not self._is_of(self._client(path).window, number):
            return False
        active = self._number_in(self._root, self._active_window, Xatom.WINDOW)
        if active and number in self._managed:
            window = self._display.create_resource_object("window", active)
            if not self._is_of(window, number):
                return False
        told = path[-1].window.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
        if told == X.GrabSuccess:
            self._display.ungrab_keyboard(X.CurrentTime)
        return told == X.GrabSuccess or self._has_menu(number)

    def dialog_of(self, number: int) -> int | None:
        """Return the dialog of the window of this number that has the focus, None without it."""
        with self.held_still():
            path = self._path_of_focus()
            found = self._client(path).window if path else None
            if found is None or found.id == number or not self._is_of(found, number):
                return None
            return int(found.id)

    def _path_of_focus(self) -> Sequence[Placed]:
        """Return the window that has the focus and all it lies in; empty if none has it."""
        focus = self._display.get_input_focus().focus
        if focus == X.NONE:
            return ()
        return self.under_pointer().path if focus == X.PointerRoot else self._ancestors(focus)

    def _ancestors(self, window: Any) -> tuple[Placed, ...]:
        """Return the window and all it lies in, from the one on the root inwards."""
        path = [Placed(window, 0, 0)]
        while (parent := path[-1].window.query_tree().parent) and parent.id != self._root.id:
            path.append(Placed(parent, 0, 0))
        return tuple(reversed(path))

    # ---- which windows are one ---------------------------------------------------------------

    def _client(self, path: Sequence[Placed]) -> Placed:
        """Return the window of the program on a path: that inside the window manager's frame."""
        for placed in path:
            number = placed.window.id
            if number not in self._managed and self._property(
                placed.window, self._wm_state, X.AnyPropertyType
            ):
                self._managed.add(number)
            if number in self._managed:
                return placed
        return path[0]

    def _is_of(self, window: Any, number: int) -> bool:
        return number in (int(window.id), self._owner(window))

    def _owner(self, window: Any) -> int:
        """Return the number of the window of the same program that this one is a dialog of.

        Another program may say of its window what it likes, so that is not followed.
        """
        chain = [int(window.id)]
        for _ in range(DEEPEST):
            owner = self._number_in(
                self._display.create_resource_object("window", chain[-1]),
                self._transient_for,
                Xatom.WINDOW,
            )
            if not owner or owner in chain:
                break
            chain.append(owner)
        for dialog, owner in pairwise(chain):
            if self._program(dialog) != self._program(owner):
                return int(dialog)
        return chain[-1]

    def _program(self, number: int) -> int:
        """Return what the numbers of all windows of one program have in common."""
        return number & ~int(self._own_ids)

    def _has_menu(self, number: int) -> bool:
        """Whether the program of a window shows a menu or the like, which is its own grab."""
        for window in self._root.query_tree().children:
            if self._program(window.id) == self._program(number) and window.id != number:
                looks = window.get_attributes()
                if looks.override_redirect and looks.map_state == X.IsViewable:
                    return True
        return False

    def _number_in(self, window: Any, name: int, kind: int) -> int:
        """Return the first number in a property of a window, 0 without one."""
        found = self._property(window, name, kind)
        return int(found[0]) if found else 0

    @staticmethod
    def _property(window: Any, name: int, kind: int) -> Sequence[int]:
        try:
            found = window.get_property(name, kind, 0, 2)
        except (BadWindow, BadDrawable):  # it names a window that is gone
            return ()
        return () if found is None else tuple(found.value)
