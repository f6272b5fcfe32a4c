"""A connection to a Wayland compositor: every wait has a limit, every failure is a typed error.

The only place that uses pywayland's display; `bot.desktop.wlroots.protocols` describes the
requests that pywayland does not ship.
"""

from __future__ import annotations

import atexit
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pywayland.client.display import Display

from bot.errors import NoDesktop, ScreenGone

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

    pywayland prints what ``handle`` raises and goes on, so it must only store what it is given.
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
