"""A session with the portals, which shares the screen, the mouse and the keyboard.

One session does both (``ScreenCast`` and ``RemoteDesktop``). The user is asked once if the portal
gives a restore token (``RemoteDesktop`` from version 2 on); it is kept in the user's data folder.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.desktop.portal.calls import CAST, NOTICE_S, REMOTE, Portal
from bot.desktop.portal.pipewire import Stream
from bot.desktop.ports import Monitor
from bot.errors import NoDesktop, ScreenGone
from solver.files import write_file

CONSENT_S = 120.0
"""How long the user may take to answer the question about sharing."""

KEYBOARD, POINTER = 1, 2
MONITOR = 1
CURSOR_HIDDEN, CURSOR_IN_PICTURE = 1, 2
UNTIL_REVOKED = 2


@dataclass(frozen=True)
class TokenFile:
    """The file of the restore token, with which the portal need not ask again."""

    path: Path

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> TokenFile:
        """Name the file in the user's data folder."""
        data = environ.get("XDG_DATA_HOME") or Path(environ.get("HOME", "~")) / ".local/share"
        return cls(Path(data).expanduser() / "minebot" / "portal-token")

    def read(self) -> str:
        """Return the token, empty if there is none."""
        try:
            return self.path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def write(self, token: str) -> None:
        """Store a token; only this user can read the file.

        If it cannot be stored, the portal asks again next time.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_file(self.path, f"{token}\n", replace=True, mode=0o600)
        except OSError:
            return


class Sharing:
    """A session with the portals: a shared screen, a mouse and a keyboard."""

    def __init__(self, portal: Portal, session: str, node: int, facts: Mapping[str, Any]) -> None:
        self._portal = portal
        self._session = session
        self.node = node
        portal.watch_session(session)
        (remote,) = portal.call(CAST, "OpenPipeWireRemote", "oa{sv}", (session, {}))
        self.stream = Stream(remote.to_raw_fd(), node)
        height, width, _ = self.stream.newest().shape
        units = facts.get("size", ("(ii)", (width, height)))[1]
        left, top = facts.get("position", ("(ii)", (0, 0)))[1]
        self.monitor = Monitor(left, top, left + units[0], top + units[1])
        atexit.register(self.close)

    @classmethod
    def begin(cls, portal: Portal, tokens: TokenFile) -> Sharing:
        """Start a session; the portal asks the user unless a token is stored.

        Raises `NoDesktop` if the user does not share a screen and the mouse.
        """
        made = portal.request(
            REMOTE, "CreateSession", "", (), {"session_handle_token": ("s", "minebot")}
        )
        session = str(made["session_handle"][1])
        token_options: dict[str, tuple[str, Any]] = {}
        if portal.version(REMOTE) >= 2:
            token_options["persist_mode"] = ("u", UNTIL_REVOKED)
            if token := tokens.read():
                token_options["restore_token"] = ("s", token)
        devices = {"types": ("u", KEYBOARD | POINTER), **token_options}
        portal.request(REMOTE, "SelectDevices", "o", (session,), devices)
        # With the pointer in the picture, each of its movements must bring a new picture.
        modes = portal.number(CAST, "AvailableCursorModes")
        cursor = CURSOR_IN_PICTURE if modes & CURSOR_IN_PICTURE else CURSOR_HIDDEN
        sources = {"types": ("u", MONITOR), "multiple": ("b", False), "cursor_mode": ("u", cursor)}
        portal.request(CAST, "SelectSources", "o", (session,), sources)
        granted = portal.request(REMOTE, "Start", "os", (session, ""), {}, CONSENT_S)
        if granted.get("devices", ("u", 0))[1] & POINTER == 0:
            raise NoDesktop(
                "The screen is shared but not the mouse: start again and allow remote "
                "interaction, too, in the desktop's window."
            )
        if "restore_token" in granted:
            tokens.write(str(granted["restore_token"][1]))
        streams = granted.get("streams", ("", []))[1]
        if not streams:
            raise NoDesktop("No screen was chosen to be shared: start again and choose one.")
        node, facts = streams[0]
        return cls(portal, session, node, facts)

    def check(self) -> None:
        """Raise `StoppedByUser` if the sharing was ended."""
        self._portal.check()

    def picture(self) -> NDArray[np.uint8]:
        """Return the newest picture, RGB.

        Raises `StoppedByUser` if the sharing was ended, `ScreenGone` if no picture comes.
        """
        try:
            return self.stream.newest()
        except ScreenGone:
            self._portal.check(NOTICE_S)
            raise

    def notify(self, event: str, signature: str, *arguments: Any) -> None:
        """Send an event of the mouse or the keyboard. Raises `StoppedByUser` or `ScreenGone`."""
        try:
            self._portal.call(
                REMOTE, f"Notify{event}", f"oa{{sv}}{signature}", (self._session, {}, *arguments)
            )
        except NoDesktop as error:
            raise ScreenGone(str(error)) from error

    def close(self) -> None:
        """End the sharing."""
        atexit.unregister(self.close)
        self.stream.close()
        self._portal.close_session(self._session)
        self._portal.close()
