"""Connect to the X server of this session, with the cookie that other X programs would take.

python-xlib takes an X cookie only if its entry names this machine. Entries for any machine
(*FamilyWild*, as containers get them) fit too, and so do those without a display number, as GDM
writes them: here an entry is chosen by the rule of libXau, which almost all other programs use.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any, NamedTuple

from Xlib import xauth
from Xlib.display import Display
from Xlib.error import DisplayError, XauthError
from Xlib.protocol.display import Display as BaseDisplay
from Xlib.protocol.event import event_class
from Xlib.support import connect

from bot.errors import NoDesktop

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
