"""The X server of this session: how it is reached, whose window lies where, who gets the keys.

python-xlib takes an X cookie only if its entry names this machine. Entries for any machine
(*FamilyWild*, as containers get them) fit too, and so do those without a display number, as GDM
writes them: here an entry is chosen by the rule of libXau, which almost all other programs use.

All answers about windows are those of the X server itself, which alone decides where a press and a
key go. They hold until the next request of any other program; while the server is held still, there
is none.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from Xlib import X, Xatom, xauth
from Xlib.display import Display
from Xlib.error import BadDrawable, BadMatch, BadWindow, DisplayError, XauthError, XError
from Xlib.protocol.display import Display as BaseDisplay
from Xlib.protocol.event import ClientMessage, event_class
from Xlib.protocol.request import GetInputFocus, QueryPointer, TranslateCoords
from Xlib.support import connect

from bot.desktop.ports import Window
from bot.errors import NoDesktop
from calibration import Frame, ScreenPoint

LOCAL, INTERNET, WILD = 256, 0, 65535
"""Families of addresses in a file of X cookies; the last one fits every machine."""

COOKIE = b"MIT-MAGIC-COOKIE-1"
LOOPBACK = b"\x7f\x00\x00\x01"


class Entry(NamedTuple):
    """An entry of a file of X cookies."""

    family: int
    address: bytes
    number: bytes
    name: bytes
    data: bytes


def cookie_for(
    entries: Iterable[Entry], family: int, address: bytes, number: int
) -> tuple[bytes, bytes]:
    """Return the name and the data of the first cookie that fits a display; empty without one."""
    for entry in entries:
        here = entry.family == WILD or (entry.family, entry.address) == (family, address)
        if here and entry.number in (b"", b"%d" % number) and entry.name == COOKIE:
            return entry.name, entry.data
    return b"", b""


def connected(name: str) -> Display:
    """Connect to a display with a table of events of its own.

    python-xlib keeps the events of the extensions of all displays in one table, by codes that
    differ from server to server.
    """
    BaseDisplay.event_classes = event_class.copy()
    display = Display(name)
    display.display.event_classes = BaseDisplay.event_classes
    return display


def open_display() -> Display:
    """Connect to the X server that ``DISPLAY`` names. Raises `NoDesktop`; prints nothing."""
    try:
        with redirect_stdout(StringIO()), _cookies_as_in_libxau():
            # "unix:0" is ":0", which is all that older versions of python-xlib understand.
            name = os.environ.get("DISPLAY", "")
            return connected(name.removeprefix("unix") if name.startswith("unix:") else name)
    except (DisplayError, XauthError, OSError) as error:
        raise NoDesktop(
            f"The X server cannot be reached ({_words(error)}): check that DISPLAY names a running "
            "X server that lets you in."
        ) from error


def _words(error: Exception) -> str:
    """Return what the X server said, without the bytes around it."""
    said = getattr(error, "msg", None) or str(error)
    text = said.decode("latin-1") if isinstance(said, bytes) else str(said)
    return text.strip() or type(error).__name__


@contextmanager
def _cookies_as_in_libxau() -> Iterator[None]:
    """Let python-xlib choose the cookie by the rule of libXau within the block."""
    own, connect.get_auth = connect.get_auth, _cookie
    try:
        yield
    finally:
        connect.get_auth = own


def _cookie(peer: Any, *where: Any) -> tuple[bytes, bytes]:
    """Return the cookie for the server that a socket leads to; ``where`` ends with its number."""
    try:
        with redirect_stdout(StringIO()):
            entries = [Entry(*entry) for entry in xauth.Xauthority().entries]
    except (XauthError, OSError):
        return b"", b""
    family, address = LOCAL, socket.gethostname().encode()
    if peer.family == socket.AF_INET:
        remote = socket.inet_aton(peer.getpeername()[0])
        if remote != LOOPBACK:  # the cookies of a display that ssh passes on are local ones
            family, address = INTERNET, remote
    return cookie_for(entries, family, address, int(where[-1]))


DEEPEST = 8
"""Most dialogs of dialogs that are followed to the window they belong to."""

SHOWS = 0.9
"""Correlation with what was read from which a window shows it. A compositor may dim a window; one
that is seen through, or shows something else, has none of it."""

PAGER = 2
"""Says of a request to activate a window that a person wants it, not a program for itself."""


class Placed(NamedTuple):
    """A window of the server, and where its upper left corner lies on the screen."""

    window: Any
    left: int
    top: int


class PointerState(NamedTuple):
    """Where the pointer is, the windows it is in, from the one on the root inwards, and the focus.

    ``focus`` is the number of the window that gets the keys, or `X.NONE` or `X.PointerRoot`.
    """

    point: ScreenPoint
    path: tuple[Placed, ...]
    focus: int


class XWindows:
    """The windows of an X display, asked through one connection."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._root = display.screen().root
        self._wm_state = display.intern_atom("WM_STATE")
        self._transient_for = Xatom.WM_TRANSIENT_FOR
        self._active_window = display.intern_atom("_NET_ACTIVE_WINDOW")
        self._supported = display.intern_atom("_NET_SUPPORTED")
        self._own_ids = display.display.info.resource_id_mask
        self._managed: set[int] = set()
        self._at: list[Any] = []
        self._under_pointer: list[Any] = []

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
            answers = self._ask_inwards(self._at, lambda window: TranslateCoords(
                self._display.display, 1, src_wid=self._root, dst_wid=window,
                src_x=point.x, src_y=point.y,
            ))  # fmt: skip
            path = [
                Placed(window, point.x - one.x, point.y - one.y)
                for window, one in zip(self._at, answers[1:], strict=True)
            ]
            if not path:
                return Window(0, 0, 0, 0)
            found = self._client(path)
            return Window(found.window.id, found.left, found.top, self._owner(found.window))

    def shows(self, window: Window, picture: Frame) -> bool:
        """Whether a window is topmost at the middle of a picture and itself shows that there.

        A window that is seen through, or that nothing is drawn in, takes the press and shows
        nothing: it is asked for its own pixels. Where the picture is of one colour, no board was
        seen, and any window shows that.
        """
        left, top = picture.origin
        size = picture.width, picture.height
        with self.held_still():
            if self.at(ScreenPoint(left + size[0] // 2, top + size[1] // 2)) != window:
                return False
            drawn = self._root
            if window.number:
                drawn = self._display.create_resource_object("window", window.number)
            try:
                image = drawn.get_image(
                    left - window.left, top - window.top, *size, X.ZPixmap, 0xFFFFFFFF
                )
            except (BadMatch, BadDrawable, BadWindow):  # nothing is drawn in it, or not all there
                return False
        # python-xlib takes what happens to be UTF-8 for text.
        data = image.data.encode() if isinstance(image.data, str) else image.data
        pixels = np.frombuffer(data, np.uint8).reshape(*size[::-1], 4)
        return _correlation(pixels[..., 2::-1], picture.pixels) >= SHOWS

    def now(self) -> PointerState:
        """Return where the pointer and the focus are; the server must be held still."""
        server = self._display.display
        focus = GetInputFocus(server, 1)
        answers = self._ask_inwards(
            self._under_pointer, lambda window: QueryPointer(server, 1, window=window)
        )
        focus.reply()
        point = ScreenPoint(answers[0].root_x, answers[0].root_y)
        path = (
            Placed(window, point.x - one.win_x, point.y - one.win_y)
            for window, one in zip(self._under_pointer, answers[1:], strict=True)
        )
        return PointerState(point, tuple(path), _number(focus.focus))

    def _ask_inwards(self, within: list[Any], ask: Callable[[Any], Any]) -> Sequence[Any]:
        """Ask the root, and the windows at a place from it inwards; return the answers.

        ``ask`` sends a request to a window, whose answer names the ``child`` there. The windows
        that lay ``within`` each other the last time are asked all at once, for mostly they still
        do; afterwards the list holds those of now.
        """
        while True:
            asked = [ask(one) for one in (self._root, *within)]
            try:
                for one in asked:
                    one.reply()
            except XError:  # a window is gone
                within.clear()
                continue
            inner = [one.child for one in asked]
            numbers = [*map(_number, inner)]
            if numbers == [*map(_number, within), 0]:
                return asked
            same = next(
                at
                for at, (now, before) in enumerate(zip(numbers, [*within, 0], strict=True))
                if now != _number(before)
            )
            within[same:] = [inner[same]] if numbers[same] else []

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
        answer = deepest.grab_pointer(
            True, 0, X.GrabModeAsync, X.GrabModeAsync, X.NONE, X.NONE, X.CurrentTime
        )
        if answer == X.GrabSuccess:
            self._display.ungrab_pointer(X.CurrentTime)
        return answer == X.GrabSuccess or self._has_menu(window.number)

    # ---- the keyboard ------------------------------------------------------------------------

    def has_focus(self, number: int, now: PointerState) -> bool:
        """Whether the server's focus is in the window of this number, which the pointer is in."""
        if now.focus in (X.NONE, X.PointerRoot):
            return False
        numbers = [_number(one.window) for one in now.path]
        if now.focus in numbers and number in numbers:
            return numbers.index(now.focus) >= numbers.index(number)
        focus = self._display.create_resource_object("window", now.focus)
        return number in [_number(one.window) for one in self._ancestors(focus)]

    def give_focus(self, number: int) -> bool:
        """Ask the window manager to give a window the focus; return whether there is one to ask."""
        listed = self._root.get_property(self._supported, Xatom.ATOM, 0, 1024)
        if number not in self._managed or not listed or self._active_window not in listed.value:
            return False
        window = self._display.create_resource_object("window", number)
        wanted = ClientMessage(
            window=window,
            client_type=self._active_window,
            data=(32, [PAGER, X.CurrentTime, 0, 0, 0]),
        )
        mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
        self._root.send_event(wanted, event_mask=mask)
        return True

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
        answer = path[-1].window.grab_keyboard(
            True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime
        )
        if answer == X.GrabSuccess:
            self._display.ungrab_keyboard(X.CurrentTime)
        return answer == X.GrabSuccess or self._has_menu(number)

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
        now = self.now()
        if now.focus == X.NONE:
            return ()
        if now.focus == X.PointerRoot:
            return now.path
        return self._ancestors(self._display.create_resource_object("window", now.focus))

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


def _number(window: Any) -> int:
    """Return the number of a window, or of what stands for none."""
    return window if isinstance(window, int) else int(window.id)


def _correlation(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Return how alike two pictures are, however bright they are; 0 where one shows nothing."""
    first, second = (np.asarray(picture, np.float32).ravel() for picture in (one, other))
    first, second = first - first.mean(), second - second.mean()
    size = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / size if size else 0.0
