"""A desktop portal on a real D-Bus that follows the published interfaces, and a fake GStreamer.

`FakePortal` answers as its test says, and stores the calls that it gets. `Painter` puts a program
in GStreamer's place that writes the pictures that a file lists.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.blocking import Proxy, open_dbus_connection

NAME, OBJECT = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"


@contextmanager
def session_bus() -> Iterator[str]:
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert daemon.stdout is not None
    try:
        yield daemon.stdout.readline().strip()
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(60)
        daemon.stdout.close()


class FakePortal(threading.Thread):
    """A portal whose user gives ``answer``: grant, refuse, silence, no mouse, no stream."""

    def __init__(
        self, address: str, answer: str = "grant", *, version: int = 2, size: tuple[int, int]
    ) -> None:
        super().__init__(daemon=True)
        self.answer = answer
        self.version = version
        self.size = size
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self._session = ""
        self._leaving = threading.Event()
        self._bus = open_dbus_connection(address, enable_fds=True)
        Proxy(message_bus, self._bus).RequestName(NAME)
        self.start()

    def run(self) -> None:
        while not self._leaving.is_set():
            try:
                message = self._bus.receive(timeout=0.02)
            except TimeoutError:
                continue
            except (OSError, EOFError):
                return
            if message.header.message_type is MessageType.method_call:
                self._answer(message)

    def _answer(self, message: Message) -> None:
        member = message.header.fields[HeaderFields.member]
        self.calls.append((member, tuple(message.body)))
        if member == "Get":
            number = {"version": self.version, "AvailableCursorModes": 7}[message.body[1]]
            self._bus.send(new_method_return(message, "v", (("u", number),)))
        elif member == "OpenPipeWireRemote":
            with open(os.devnull, "rb") as nothing:
                self._bus.send(new_method_return(message, "h", (nothing.fileno(),)))
        elif member.startswith("Notify") and self.answer == "broken":
            self._bus.send(
                new_error(message, "org.freedesktop.DBus.Error.AccessDenied", "s", ("no",))
            )
        elif member in ("CreateSession", "SelectDevices", "SelectSources", "Start"):
            self._respond(message, member)
        else:
            self._bus.send(new_method_return(message))

    def _respond(self, message: Message, member: str) -> None:
        sender = message.header.fields[HeaderFields.sender][1:].replace(".", "_")
        options = message.body[-1]
        path = f"{OBJECT}/request/{sender}/{options['handle_token'][1]}"
        self._bus.send(new_method_return(message, "o", (path,)))
        code, results = self._results(member, sender, options)
        if code is not None:
            where = DBusAddress(path, interface="org.freedesktop.portal.Request")
            self._bus.send(new_signal(where, "Response", "ua{sv}", (code, results)))

    def _results(
        self, member: str, sender: str, options: Mapping[str, Any]
    ) -> tuple[int | None, dict[str, tuple[str, Any]]]:
        if member == "CreateSession":
            self._session = f"{OBJECT}/session/{sender}/{options['session_handle_token'][1]}"
            return 0, {"session_handle": ("s", self._session)}
        if member != "Start":
            return 0, {}
        if self.answer in ("refuse", "silence", "fail"):
            return {"refuse": 1, "silence": None, "fail": 2}[self.answer], {}
        facts = {"position": ("(ii)", (100, 50)), "size": ("(ii)", self.size)}
        streams = [] if self.answer == "no stream" else [(42, facts)]
        granted = {
            "devices": ("u", 1 if self.answer == "no mouse" else 3),
            "streams": ("a(ua{sv})", streams),
        }
        return 0, granted | (
            {"restore_token": ("s", f"token-{len(self.calls)}")} if self.version >= 2 else {}
        )

    def revoke(self) -> None:
        """End the session, as the desktop's own button does."""
        where = DBusAddress(self._session, interface="org.freedesktop.portal.Session")
        self._bus.send(new_signal(where, "Closed", "a{sv}", ({},)))

    def last(self, member: str) -> tuple[Any, ...]:
        return [body for name, body in self.calls if name == member][-1]

    def count(self, member: str) -> int:
        return sum(name == member for name, _ in self.calls)

    def close(self) -> None:
        self._leaving.set()
        self.join(60)
        self._bus.close()


GSTREAMER = '''#!{python}
"""Paint pictures as the lines of a file say: WIDTH HEIGHT SHADE, or end."""
import os, sys, time
sink = next(int(word[3:]) for word in reversed(sys.argv) if word.startswith("fd="))
done, size = 0, None
while True:
    lines = open({script!r}).read().splitlines()
    for line in lines[done:]:
        if line == "end":
            sys.exit(0)
        if line == "error":
            print("ERROR: from element pipewiresrc0: target not found", flush=True)
            sys.exit(1)
        width, height, shade = map(int, line.split())
        if size != (width, height):
            size = width, height
            print("/GstPipeline:pipeline0/GstFdSink:fdsink0.GstPad:sink: caps = video/x-raw, "
                  f"width=(int){{width}}, height=(int){{height}}, format=(string)RGB", flush=True)
        row = bytes([shade]) * (3 * width)
        os.write(sink, (row + b"\\xff" * (-len(row) % 4)) * height)
    done = len(lines)
    time.sleep(0.005)
'''


class Painter:
    """The pictures of the fake GStreamer."""

    def __init__(self, folder: Path) -> None:
        self._script = folder / "pictures"
        self._script.write_text("")
        program = folder / "gst-launch-1.0"
        program.write_text(GSTREAMER.format(python=sys.executable, script=str(self._script)))
        program.chmod(0o755)

    def paint(self, width: int, height: int, shade: int) -> None:
        self.write(f"{width} {height} {shade}")

    def write(self, line: str) -> None:
        with self._script.open("a") as script:
            script.write(f"{line}\n")
