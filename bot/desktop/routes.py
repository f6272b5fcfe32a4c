"""Choose the route to the desktop of this session.

Windows, macOS and an X11 session have one route each. A Wayland session has two: the protocols of
wlroots, which need no consent and let the bot notice a person at the mouse, and the desktop
portals, for compositors without these protocols.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

from bot.desktop import native
from bot.desktop.ports import Desktop, Overlay
from bot.errors import BotError, NoDesktop, UsageError
from solver.extras import install_command

WAYLAND = "wayland"
"""The kind of a session that has a Wayland compositor."""

WAYLAND_LIBRARIES = ("pywayland", "jeepney")
"""What the extra ``wayland`` installs."""

GSTREAMER = {
    "apt-get": "apt install gstreamer1.0-tools gstreamer1.0-pipewire gstreamer1.0-plugins-base",
    "dnf": "dnf install gstreamer1 pipewire-gstreamer gstreamer1-plugins-base",
    "pacman": "pacman -S gstreamer gst-plugin-pipewire gst-plugins-base",
    "zypper": "zypper install gstreamer gstreamer-plugin-pipewire gstreamer-plugins-base",
}
"""How each package manager installs GStreamer with its PipeWire plugin."""

CTRL_C_NOTE = (
    "On this compositor the bot cannot notice when you move the mouse: stop it with Ctrl-C; "
    "pushing the mouse into a corner does not stop it."
)
PORTAL_NOTE = (
    "Through the portals the bot cannot notice when you move the mouse: stop it with Ctrl-C or "
    "with the desktop's own button that stops sharing; pushing the mouse into a corner does not "
    "stop it."
)


class Route(Enum):
    """How the bot sees the screen and moves the mouse, as ``--screen`` names it."""

    NATIVE = "native"
    X11 = "x11"
    WLROOTS = "wlroots"
    PORTAL = "portal"


@dataclass(frozen=True)
class Offer:
    """A route, and one sentence that says why it does not work here; None if it may work.

    ``note`` is what its user must know. A route that is not ``automatic`` is used only if the user
    names it.
    """

    route: Route
    obstacle: str | None = None
    note: str = ""
    automatic: bool = True


@dataclass(frozen=True)
class DesktopSession:
    """The kind of a desktop session, and its routes, the best first.

    ``compositor`` is the name of its program, empty if unknown.
    """

    kind: str
    compositor: str
    offers: tuple[Offer, ...]

    def choose(self, wanted: Route | None = None) -> Offer:
        """Return the offer of the route ``wanted``, or the best one without an obstacle.

        If all have an obstacle, this is the last route, which most desktops have. Raises
        `UsageError` if the wanted route does not exist on this system.
        """
        if wanted is None:
            offers = [offer for offer in self.offers if offer.automatic]
        else:
            offers = [offer for offer in self.offers if offer.route is wanted]
            if not offers:
                known = ", ".join(offer.route.value for offer in self.offers)
                raise UsageError(
                    f"The route '{wanted.value}' is not for this desktop ({self.kind}); "
                    f"--screen takes auto, sim or one of its own: {known}."
                )
        return next((offer for offer in offers if offer.obstacle is None), offers[-1])


def open_desktop(
    wanted: Route | None = None, report: Callable[[str], None] = lambda sentence: None
) -> Desktop:
    """Connect to the desktop of this session.

    ``report`` is called with what the user must know about the chosen route. Raises `NoDesktop`,
    which says what to do.
    """
    session = examine_session(sys.platform, os.environ)
    offer = session.choose(wanted)
    obstacle = offer.obstacle
    if obstacle is None and session.kind == WAYLAND and offer.route is Route.X11:
        obstacle = why_xwayland(os.environ)
    if obstacle is not None:
        raise NoDesktop(obstacle)
    if offer.note:
        report(offer.note)
    return replace(_open(offer.route), route=offer.route.value)


def _open(route: Route) -> Desktop:
    if route is Route.WLROOTS:
        from bot.desktop.wlroots.desktop import open_wlroots  # noqa: PLC0415

        return open_wlroots()
    if route is Route.PORTAL:
        from bot.desktop.portal import open_portal  # noqa: PLC0415

        return open_portal()
    return native.open_desktop()


def open_overlay() -> Overlay:
    """Open the overlay of this session's desktop.

    Raises `NoDesktop`, which says why there is none.
    """
    session = examine_session(sys.platform, os.environ)
    route = session.choose().route
    if route is Route.X11:
        from bot.desktop.x11_overlay import XOverlay  # noqa: PLC0415  Xlib is there under X11 only

        return XOverlay()
    if route is Route.WLROOTS:
        from bot.desktop.wlroots.surfaces import WlrOverlay  # noqa: PLC0415

        return WlrOverlay()
    where = "" if sys.platform != "linux" else ", only under X11 and on compositors like sway"
    raise NoDesktop(
        f"Hints cannot be drawn over a window of {session.kind}{where}: the terminal shows them."
    )


def examine_session(platform: str, environ: Mapping[str, str]) -> DesktopSession:
    """Find out the kind of this session and its routes."""
    obstacle = native.why_no_desktop(platform, environ)
    if platform != "linux":
        kind = {"darwin": "macOS", "win32": "Windows"}.get(platform, platform)
        return DesktopSession(kind, "", (Offer(Route.NATIVE, obstacle),))
    if not environ.get("WAYLAND_DISPLAY"):
        known = "x11" if environ.get("DISPLAY") else "no display"
        kind = environ.get("XDG_SESSION_TYPE") or known
        return DesktopSession(kind, "", (Offer(Route.X11, obstacle),))
    # Used only if named: for a separate X server, such as Xvfb, that a Wayland user starts.
    x11 = Offer(Route.X11, obstacle, automatic=False)
    library = _why_no_library()
    if library is None:
        routes = (_offer_wlroots(), Offer(Route.PORTAL, _why_no_portal(), PORTAL_NOTE))
    else:
        routes = (Offer(Route.WLROOTS, library), Offer(Route.PORTAL, library))
    return DesktopSession(WAYLAND, compositor_name(environ), (*routes, x11))


def compositor_name(environ: Mapping[str, str]) -> str:
    """Return the name of the compositor's program, empty if it is not known."""
    return _listener(_wayland_socket(environ))[1]


def _wayland_socket(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("XDG_RUNTIME_DIR", "")) / environ.get("WAYLAND_DISPLAY", "")


def _listener(path: Path) -> tuple[int, str]:
    """Return the process that listens at a socket, and its name; 0 and "" if unknown."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.connect(str(path))
            size = struct.calcsize("3i")
            pid, _, _ = struct.unpack(
                "3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
            )
        return pid, Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return 0, ""


def _why_no_library() -> str | None:
    missing = [name for name in WAYLAND_LIBRARIES if find_spec(name) is None]
    if not missing:
        return None
    return (
        "This is a Wayland session, which needs the extra 'wayland': run "
        f"{install_command(WAYLAND)}."
    )


def _offer_wlroots() -> Offer:
    from bot.desktop.wlroots.client import Connection  # noqa: PLC0415
    from bot.desktop.wlroots.desktop import can_notice_person, missing  # noqa: PLC0415

    try:
        connection = Connection()
    except BotError as error:
        return Offer(Route.WLROOTS, str(error))
    lacking = missing(connection)
    note = "" if can_notice_person(connection) else CTRL_C_NOTE
    connection.close()
    obstacle = f"This compositor does not offer {', '.join(lacking)}." if lacking else None
    return Offer(Route.WLROOTS, obstacle, note)


def _why_no_portal() -> str | None:
    from bot.desktop.portal import why_no_portal  # noqa: PLC0415

    return why_no_portal() or why_no_frames()


def why_no_frames() -> str | None:
    """Say why GStreamer cannot read PipeWire; None if it can."""
    inspect = shutil.which("gst-inspect-1.0")
    elements = ("pipewiresrc", "videoconvert", "fdsink")
    if inspect and all(
        subprocess.run(
            [inspect, "--exists", "--atleast-version=0.1", element], check=False
        ).returncode
        == 0
        for element in elements
    ):
        return None
    command = next((GSTREAMER[name] for name in GSTREAMER if shutil.which(name)), None)
    return (
        "The pictures of this desktop come through PipeWire: install GStreamer's tools and its "
        f"PipeWire plugin{f' ({command})' if command else ''}."
    )


def why_xwayland(environ: Mapping[str, str]) -> str | None:
    """Say why X11 does not work here if its server is Xwayland; None if it is not.

    Xwayland shows no native window, and its pointer is not the real one. Until the first X11
    program starts, or always, the compositor itself listens at Xwayland's socket.
    """
    host, _, number = environ.get("DISPLAY", "").partition(":")
    if host not in ("", "unix"):
        return None
    pid, name = _listener(Path(f"/tmp/.X11-unix/X{number.partition('.')[0]}"))
    if name == "Xwayland" or (pid and pid == _listener(_wayland_socket(environ))[0]):
        return (
            "This X server is Xwayland, through which a program can neither see the screen nor "
            "move the mouse: leave --screen at auto."
        )
    return None
