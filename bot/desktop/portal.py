"""Screen, pointer and keyboard through the desktop portals of GNOME, KDE and others.

Requests go over D-Bus and follow the published interfaces ``org.freedesktop.portal.Request``,
``Session``, ``RemoteDesktop`` and ``ScreenCast``; this is the only place that uses jeepney. One
session shares the screen, the mouse and the keyboard. The user is asked once if the portal gives a
restore token (``RemoteDesktop`` from version 2 on), which is kept in the user's data folder.

The portals do not say where the pointer is. The kill switch is Ctrl-C, or the desktop's own
button that stops the sharing: no click can follow it.

A compositor sends a picture only when something on the screen changes, so the newest one is kept.
GStreamer's ``gst-launch-1.0`` writes raw pictures into a pipe, and their size to its standard
output before the first one of that size.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import secrets
import select
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import cv2
import jeepney
import numpy as np
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from numpy.typing import NDArray

from bot.desktop.keys import APPROACH, BUTTON_CODES, keysym, split_keys
from bot.desktop.native import RealClock
from bot.desktop.ports import Button, Desktop, Monitor, Window
from bot.errors import NoDesktop, ScreenGone, StoppedByUser
from calibration import Frame, PixelBox, ScreenPoint
from solver.files import write_file

RELEASED, PRESSED = 0, 1


def open_portal() -> Desktop:
    """Ask for the screen and the mouse and connect to them. Raises `NoDesktop`."""
    portal = Portal()
    try:
        sharing = Sharing.begin(portal, TokenFile.of_user(os.environ))
    except BaseException:
        # Even after Ctrl-C: the question must not stay open on the desktop.
        portal.close()
        raise
    return Desktop(
        PortalScreen(sharing), PortalPointer(sharing), PortalKeyboard(sharing), RealClock()
    )


class PortalScreen:
    """The monitor that the user chose.

    From scale 2 on, pictures are reduced as in `bot.desktop.wlroots.desktop`.
    """

    def __init__(self, sharing: Sharing) -> None:
        self._sharing = sharing
        width = sharing.stream.newest().shape[1]
        exact = width / (sharing.monitor.right - sharing.monitor.left)
        self._reduction = max(1, int(exact))
        self.scale = exact / self._reduction

    def monitors(self) -> tuple[Monitor, ...]:
        """Return where the shared monitor lies, in mouse units."""
        return (self._sharing.monitor,)

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Take a picture; see `bot.desktop.ports.Screen`."""
        self._sharing.check()
        whole = self._sharing.picture()
        factor, (height, width, _) = self._reduction, whole.shape
        if box is None:
            box = PixelBox(0, 0, width // factor, height // factor)
        x0, y0 = max(0, box.x0), max(0, box.y0)
        pixels = whole[factor * y0 : factor * box.y1, factor * x0 : factor * box.x1]
        if factor > 1:
            pixels = np.asarray(
                cv2.resize(pixels, None, None, 1 / factor, 1 / factor, cv2.INTER_AREA),
                dtype=np.uint8,
            )
        left, top = self._sharing.monitor[:2]
        origin = ScreenPoint(left + round(x0 / self.scale), top + round(y0 / self.scale))
        return Frame(np.ascontiguousarray(pixels), origin, self.scale)


class PortalPointer:
    """The mouse. Its position is where the bot left it, because the portals do not report it."""

    def __init__(self, sharing: Sharing) -> None:
        self._sharing = sharing
        left, top, right, bottom = sharing.monitor
        self._at = ScreenPoint((left + right) // 2, (top + bottom) // 2)

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s`` seconds.

        The portals do not say whose window lies there.
        """
        self.move(point)
        self._sharing.check()
        try:
            self._sharing.notify("PointerButton", "iu", BUTTON_CODES[button], PRESSED)
            time.sleep(hold_s)
        finally:
            self._sharing.notify("PointerButton", "iu", BUTTON_CODES[button], RELEASED)
        return True

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        self._sharing.check()
        left, top = self._sharing.monitor[:2]
        if point != self._at:
            self._sharing.stream.pointer_moved()
        for part in APPROACH:
            self._sharing.notify(
                "PointerMotionAbsolute",
                "udd",
                self._sharing.node,
                point.x - left + part,
                point.y - top + part,
            )
        self._at = point

    def position(self) -> ScreenPoint:
        """Return where the bot left the pointer. Raises as `Sharing.check` does."""
        self._sharing.check()
        return self._at


class PortalKeyboard:
    """The keyboard. The portals do not say which window gets the keys."""

    def __init__(self, sharing: Sharing) -> None:
        self._sharing = sharing

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key, or several such as ``ctrl+n``. Raises `UsageError` for an unknown key."""
        names = split_keys(keys)
        self._sharing.check()
        for name in names:
            self._sharing.notify("KeyboardKeysym", "iu", keysym(name), PRESSED)
        for name in reversed(names):
            self._sharing.notify("KeyboardKeysym", "iu", keysym(name), RELEASED)
        return True


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


BUS_NAME = "org.freedesktop.portal.Desktop"

OBJECT = "/org/freedesktop/portal/desktop"

REMOTE = "org.freedesktop.portal.RemoteDesktop"

CAST = "org.freedesktop.portal.ScreenCast"

PORTAL_ANSWER_S = 10.0
"""How long the portal may take to answer a call that asks the user nothing."""

NOTICE_S = 1.0
"""How long to wait for the reason when a call or the stream of pictures fails: at the end of a
session, the stream may end before the portal's notice arrives."""

Options = Mapping[str, tuple[str, Any]]
"""Names with signatures and values: ``a{sv}`` in D-Bus."""

GRANTED, REFUSED = 0, 1

REFUSED_SENTENCE = (
    "The desktop was not allowed to share the screen and the mouse: start again and allow both."
)


class Portal:
    """A connection to the portals of this session. Raises `NoDesktop` if there is no D-Bus."""

    def __init__(self) -> None:
        try:
            self._bus: DBusConnection = open_dbus_connection("SESSION", enable_fds=True)
        except Exception as error:
            reason = f"{error.args[0]} is not set" if isinstance(error, KeyError) else error
            raise NoDesktop(
                f"The session's D-Bus does not answer ({reason}): run this inside your desktop "
                "session."
            ) from error
        self._me = str(self._bus.unique_name)[1:].replace(".", "_")
        self._end_signals: deque[jeepney.Message] = deque()

    def version(self, interface: str) -> int:
        """Return the version of a portal interface, 0 if it does not exist."""
        return int(self.number(interface, "version"))

    def number(self, interface: str, name: str) -> int:
        """Return a property of an interface that is a number, 0 if it does not exist."""
        address = jeepney.DBusAddress(OBJECT, BUS_NAME, interface)
        try:
            reply = self._bus.send_and_get_reply(
                jeepney.Properties(address).get(name), timeout=PORTAL_ANSWER_S
            )
        except TimeoutError:
            return 0
        return (
            0 if reply.header.message_type is jeepney.MessageType.error else int(reply.body[0][1])
        )

    def request(
        self,
        interface: str,
        member: str,
        signature: str,
        arguments: tuple[Any, ...],
        options: Options,
        limit_s: float = PORTAL_ANSWER_S,
    ) -> dict[str, tuple[str, Any]]:
        """Make a request that may ask the user, and return the answer.

        Raises `NoDesktop` if the user refuses or does not answer in ``limit_s``, or if it fails.
        """
        token = f"minebot{secrets.token_hex(8)}"
        path = f"{OBJECT}/request/{self._me}/{token}"
        rule = jeepney.MatchRule(
            type="signal", interface="org.freedesktop.portal.Request", member="Response", path=path
        )
        self._watch(rule)
        with self._bus.filter(rule) as answers:
            self.call(
                interface,
                member,
                f"{signature}a{{sv}}",
                (*arguments, {"handle_token": ("s", token), **options}),
            )
            try:
                answer = self._bus.recv_until_filtered(answers, timeout=limit_s)
            except TimeoutError as error:
                self._withdraw(path)
                raise NoDesktop(
                    f"The question about sharing the screen was not answered in {limit_s:g} s: "
                    "start again and look for its window."
                ) from error
            except (OSError, EOFError) as error:
                raise _session_ended() from error
        code, results = answer.body
        if code == REFUSED:
            raise NoDesktop(REFUSED_SENTENCE)
        if code != GRANTED:
            raise NoDesktop(f"The portal ended {member} with an error: log in again, start anew.")
        return dict(results)

    def call(
        self, interface: str, member: str, signature: str, arguments: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Call a method and return its result.

        Raises `NoDesktop` if the portal refuses, `ScreenGone` if it does not answer.
        """
        message = jeepney.new_method_call(
            jeepney.DBusAddress(OBJECT, BUS_NAME, interface), member, signature, arguments
        )
        try:
            reply = self._bus.send_and_get_reply(message, timeout=PORTAL_ANSWER_S)
        except TimeoutError as error:
            raise ScreenGone(
                f"The portal has not answered for {PORTAL_ANSWER_S:g} s: "
                "log in again and start anew."
            ) from error
        except (OSError, EOFError) as error:
            raise _session_ended() from error
        if reply.header.message_type is jeepney.MessageType.error:
            self.check(NOTICE_S)
            name = reply.header.fields.get(jeepney.HeaderFields.error_name, "an error")
            reason = f"{name}: {reply.body[0]}" if reply.body else name
            raise NoDesktop(f"The portal refuses {member} ({reason}).")
        return tuple(reply.body)

    def watch_session(self, session: str) -> None:
        """Watch for the end of a session and of the portal itself; `check` reports both."""
        for rule in (
            jeepney.MatchRule(
                type="signal",
                interface="org.freedesktop.portal.Session",
                member="Closed",
                path=session,
            ),
            _owner_changed(),
        ):
            self._watch(rule)
            self._bus.filter(rule, queue=self._end_signals)

    def check(self, limit_s: float = 0.0) -> None:
        """Raise `StoppedByUser` if the session was closed, `ScreenGone` if the portal is gone.

        Waits up to ``limit_s`` for a notice of either.
        """
        end = time.monotonic() + limit_s
        try:
            while True:
                left = 0.0 if self._end_signals else max(0.0, end - time.monotonic())
                self._bus.recv_messages(timeout=left)
        except TimeoutError:
            pass
        except (OSError, EOFError) as error:
            raise _session_ended() from error
        for message in self._end_signals:
            if message.header.fields[jeepney.HeaderFields.member] == "Closed":
                raise StoppedByUser(
                    "Stopped: the desktop ended the sharing of the screen, as when you stop it or "
                    "lock the screen; no click was made after it."
                )
            if not message.body[2]:
                raise ScreenGone("The desktop portal is gone: log in again and start anew.")

    def close_session(self, session: str) -> None:
        """End a session, so that the desktop no longer shows that the screen is shared."""
        address = jeepney.DBusAddress(session, BUS_NAME, "org.freedesktop.portal.Session")
        # If the bus is gone, so is the session.
        with contextlib.suppress(OSError):
            self._bus.send(jeepney.new_method_call(address, "Close"))

    def _withdraw(self, path: str) -> None:
        """Close the question that a request asks."""
        self._bus.send(
            jeepney.new_method_call(
                jeepney.DBusAddress(path, BUS_NAME, "org.freedesktop.portal.Request"), "Close"
            )
        )

    def _watch(self, rule: jeepney.MatchRule) -> None:
        """Ask the bus for the signals of a rule."""
        self._bus.send_and_get_reply(jeepney.message_bus.AddMatch(rule), timeout=PORTAL_ANSWER_S)

    def close(self) -> None:
        """Disconnect from the bus."""
        self._bus.close()


def _owner_changed() -> jeepney.MatchRule:
    rule = jeepney.MatchRule(
        type="signal",
        sender="org.freedesktop.DBus",
        interface="org.freedesktop.DBus",
        member="NameOwnerChanged",
        path="/org/freedesktop/DBus",
    )
    rule.add_arg_condition(0, BUS_NAME)
    return rule


def _session_ended() -> ScreenGone:
    return ScreenGone("The desktop session has ended: log in again and start anew.")


def why_no_portal() -> str | None:
    """Say why the portals of this session cannot be used; None if they may work."""
    try:
        portal = Portal()
    except NoDesktop as error:
        return str(error)
    lacking = [name.rpartition(".")[2] for name in (REMOTE, CAST) if portal.version(name) == 0]
    portal.close()
    if not lacking:
        return None
    return (
        f"No desktop portal offers {' and '.join(lacking)}: install xdg-desktop-portal and the "
        "backend of your desktop (xdg-desktop-portal-gnome or xdg-desktop-portal-kde), then log in "
        "again."
    )


FIRST_PICTURE_S = 10.0
"""How long the first picture may take; it took 0.3 s on GNOME 43."""

STALL_S = 2.0
"""How long a picture may take after a movement of the pointer, which is in the picture. It took at
most 80 ms on GNOME 43 without a graphics card."""

SETTLE_S = 0.8
"""A picture that arrives after a movement may have been drawn before it, and its pointer then
covers a tile: the right one came after 63 ms on GNOME 43, later on a busy machine. So the bot waits
until no picture has come for ``QUIET_S``, at most for ``SETTLE_S``."""

QUIET_S = 0.2
"""A picture is returned a second time only if no other has come for this long. If not, a test
whether the screen is at rest could compare a picture with itself. While something moved, pictures
came 17 to 80 ms apart on GNOME 43."""

SIZE = re.compile(r"fdsink.*caps = video/x-raw.*width=\(int\)(\d+), height=\(int\)(\d+)")


@dataclass(frozen=True)
class StreamPicture:
    """RGB pixels and when they arrived."""

    pixels: NDArray[np.uint8]
    at: float


class Stream:
    """A stream of pictures. ``remote`` is PipeWire's socket; it is closed here.

    Raises `NoDesktop` if GStreamer does not start or no first picture comes.
    """

    def __init__(self, remote: int, node: int) -> None:
        self._newest: StreamPicture | None = None
        self._returned: StreamPicture | None = None
        self._end_reason = ""
        self._moved_at = 0.0
        self._arrived = threading.Condition()
        source, sink = os.pipe()
        try:
            self._process = subprocess.Popen(
                _command(remote, node, sink),
                pass_fds=(remote, sink),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            os.close(source)
            raise NoDesktop(f"GStreamer does not start ({error}): run 'minebot doctor'.") from error
        finally:
            os.close(sink)
            os.close(remote)
        self._pictures = os.fdopen(source, "rb", 0)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        with self._arrived:
            self._arrived.wait_for(lambda: self._newest or self._end_reason, FIRST_PICTURE_S)
            if self._newest is None:
                self.close()
                reason = self._end_reason or "and no error"
                raise NoDesktop(
                    f"PipeWire sends no picture of the screen ({reason}): "
                    "log in again and start anew."
                )

    def pointer_moved(self) -> None:
        """Store that the pointer, which is in the picture, moves now."""
        self._moved_at = time.monotonic()

    def newest(self) -> NDArray[np.uint8]:
        """Return the newest picture, no older than the last movement of the pointer.

        Raises `ScreenGone` if the stream has ended, stalled or changed its size.
        """
        moved = self._moved_at
        with self._arrived:
            self._arrived.wait_for(
                lambda: self._end_reason or self._time() > moved,
                max(0.0, moved + STALL_S - time.monotonic()),
            )
            self._wait_quiet(moved)
            if self._newest is self._returned:
                self._arrived.wait_for(
                    lambda: self._end_reason or self._newest is not self._returned,
                    max(0.0, self._time() + QUIET_S - time.monotonic()),
                )
            if self._end_reason:
                raise ScreenGone(f"{self._end_reason}: start again.")
            if self._newest is None or self._time() <= moved:
                raise ScreenGone(
                    f"PipeWire has sent no picture for {STALL_S:g} s although the pointer moved: "
                    "see whether the desktop still works, then start again."
                )
            self._returned = self._newest
            return self._newest.pixels

    def _wait_quiet(self, moved: float) -> None:
        """Wait until no further picture comes after a movement."""
        while not self._end_reason and self._time() > moved:
            left = min(self._time() + QUIET_S, moved + SETTLE_S) - time.monotonic()
            if left <= 0:
                return
            self._arrived.wait(left)

    def _time(self) -> float:
        return 0.0 if self._newest is None else self._newest.at

    def _read(self) -> None:
        """Keep the newest picture until the stream ends. Runs in a thread of its own."""
        assert self._process.stdout is not None
        output = _GStreamerOutput(self._process.stdout.fileno())
        while output.size is None and not output.ended:
            output.read(None)
        if output.size is None:
            self._end(output.error or "GStreamer ended")
            return
        first = output.size
        while (pixels := _picture(self._pictures, *first)) is not None:
            # GStreamer writes a new size before the first picture of that size.
            output.read(0)
            if output.size != first:
                self._end("The shared screen changed its size")
                return
            with self._arrived:
                self._newest = StreamPicture(pixels, time.monotonic())
                self._arrived.notify_all()
        self._end("The sharing of the screen has ended")

    def _end(self, reason: str) -> None:
        with self._arrived:
            self._end_reason = reason
            self._arrived.notify_all()

    def close(self) -> None:
        """End GStreamer."""
        self._process.terminate()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(2)
        self._pictures.close()
        if self._process.stdout is not None:
            self._process.stdout.close()


class _GStreamerOutput:
    """What GStreamer has written so far: the size of the pictures, an error, its end."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._rest = b""
        self.size: tuple[int, int] | None = None
        self.error = ""
        self.ended = False

    def read(self, limit_s: float | None) -> None:
        """Read what GStreamer has written; if that is nothing, wait for ``limit_s``."""
        while not self.ended and select.select([self._file], [], [], limit_s)[0]:
            chunk = os.read(self._file, 65536)
            self.ended = not chunk
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                self._read_line(line.decode("utf-8", "replace"))
            limit_s = 0

    def _read_line(self, line: str) -> None:
        if line.startswith("ERROR"):
            self.error = line
        elif (match := SIZE.search(line)) is not None:
            self.size = (int(match[1]), int(match[2]))


def _picture(pipe: IO[bytes], width: int, height: int) -> NDArray[np.uint8] | None:
    """Read one picture, None at the end. GStreamer pads rows to multiples of four bytes."""
    stride = -(-3 * width // 4) * 4
    buffer = bytearray(stride * height)
    rest = memoryview(buffer)
    while rest:
        count = pipe.readinto(rest)  # type: ignore[attr-defined]
        if not count:
            return None
        rest = rest[count:]
    rows = np.frombuffer(buffer, np.uint8).reshape(height, stride)
    return rows[:, : 3 * width].reshape(height, width, 3)


def _command(remote: int, node: int, sink: int) -> list[str]:
    """Return the command that writes a stream's pictures to ``sink``; it may skip older ones."""
    return [
        *("gst-launch-1.0", "-v", "pipewiresrc", f"fd={remote}", f"path={node}"),
        *("always-copy=true", "do-timestamp=true"),
        *("!", "queue", "leaky=downstream", "max-size-buffers=1"),
        *("!", "videoconvert", "!", "video/x-raw,format=RGB"),
        *("!", "fdsink", f"fd={sink}", "sync=false"),
    ]
