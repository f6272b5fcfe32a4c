"""A desktop for tests only: an X server of its own, a window manager, and programs.

Every process that a desk starts has the desk's mark in its environment, and only processes with
this mark are ended with the desk. No settings of the user are read or written: home and
configuration lie in a temporary folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import mss
import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

WIDTH, HEIGHT = 1920, 1080
FIRST_DISPLAY, LAST_DISPLAY = 51, 99
SERVER_OPTIONS = ("-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-noreset", "-nolisten", "tcp")
MARK = "MINEBOT_DESK"
TOOLS = ("Xvfb", "openbox", "xdotool", "xprop", "xwininfo", "dbus-run-session")
GAMES_PATH = "/usr/games"
"""Where Debian installs games; root's path often lacks it."""


class DeskError(Exception):
    """The desktop or a program on it did not start."""


def which(command: str) -> str | None:
    """Find a command, also among Debian's games."""
    return shutil.which(command, path=f"{os.environ.get('PATH', os.defpath)}:{GAMES_PATH}")


def wait_until(look: Callable[[], T], limit_s: float, what: str, every_s: float = 0.05) -> T:
    """Wait until ``look`` returns something true; raise `DeskError` after ``limit_s``."""
    end = time.monotonic() + limit_s
    while not (seen := look()):
        if time.monotonic() > end:
            raise DeskError(f"waited {limit_s:g} s in vain for {what}")
        time.sleep(every_s)
    return seen


def wait_still(look: Callable[[], T], still_s: float, limit_s: float, every_s: float = 0.05) -> T:
    """Wait until what ``look`` returns has not changed for ``still_s``; return it."""
    end = time.monotonic() + limit_s
    last, since = look(), time.monotonic()
    while time.monotonic() - since < still_s:
        time.sleep(every_s)
        now = look()
        if not np.array_equal(now, last):  # type: ignore[arg-type]
            last, since = now, time.monotonic()
        if time.monotonic() > end:
            raise DeskError(f"the desk did not come to rest in {limit_s:g} s")
    return last


def wayland_environment(home: Path, desktop: str) -> dict[str, str]:
    """Return this process's environment without its session, for a Wayland session in ``home``."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY")
        and not key.startswith("XDG_")
    }
    return kept | {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PATH": f"{os.environ.get('PATH', os.defpath)}:{GAMES_PATH}",
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_RUNTIME_DIR": str(home / "runtime"),
        "XDG_SESSION_TYPE": "wayland",
        "XDG_CURRENT_DESKTOP": desktop,
    }


def open_camera(display: str) -> Any:
    """Open mss on a display; release 10.2 renamed its class and warns of the old name."""
    return mss.MSS(display=display) if hasattr(mss, "MSS") else mss.mss(display=display)


class Desk:
    """An X server of 1920x1080 pixels with openbox, and the programs started on it.

    Use it in a ``with`` statement: its end also ends all processes that were started. Raises
    `DeskError` if no server starts.
    """

    scale = 1.0
    """Pixels a mouse unit."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="minebot-desk-"))
        self.env: dict[str, str] = {}
        self._server: subprocess.Popen[bytes] | None = None
        self._camera: Any = None
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Desk:
        try:
            self._server = self._start_server()
            self._camera = open_camera(self.env["DISPLAY"])  # keeps one connection open
            self.start(["openbox"])
            wait_until(self._managed, 10, "the window manager")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start_server(self) -> subprocess.Popen[bytes]:
        """Take the first display number that no server uses, as the lock of the server decides."""
        for number in range(FIRST_DISPLAY, LAST_DISPLAY + 1):
            self.env = self._environment(f":{number}")
            ready, writing = os.pipe()
            server = subprocess.Popen(
                ["Xvfb", f":{number}", *SERVER_OPTIONS, "-displayfd", str(writing)],
                env=self.env,
                pass_fds=[writing],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            os.close(writing)
            with os.fdopen(ready, "rb") as answer:
                if answer.readline().strip() == str(number).encode():
                    return server
            server.wait(10)
        raise DeskError(f"no free display from :{FIRST_DISPLAY} to :{LAST_DISPLAY}")

    def _environment(self, display: str) -> dict[str, str]:
        runtime = self.home / "runtime"
        runtime.mkdir(mode=0o700, exist_ok=True)
        kept = {
            key: value
            for key, value in os.environ.items()
            if key not in ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY")
            and not key.startswith("XDG_")
        }
        return kept | {
            MARK: str(self.home),
            "DISPLAY": display,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PATH": f"{os.environ.get('PATH', os.defpath)}:{GAMES_PATH}",
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_RUNTIME_DIR": str(runtime),
        }

    def _managed(self) -> bool:
        answer = self.run(["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"])
        return "window id" in answer

    def start(
        self, command: list[str], env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a program on the desk, in its own process group."""
        program = subprocess.Popen(
            command,
            env=self.env | dict(env or {}),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._started.append(program)
        return program

    def run(self, command: list[str], limit_s: float = 20) -> str:
        """Run a short command on the desk and return what it prints, even if it fails."""
        done = subprocess.run(
            command,
            env=self.env,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit_s,
            check=False,
        )
        return done.stdout.decode(errors="replace")

    def xdotool(self, *words: object) -> str:
        """Run xdotool and return what it prints."""
        return self.run(["xdotool", *map(str, words)])

    def push_into_corner(self) -> None:
        """Push the pointer into the upper left corner, as a hand does that uses the kill switch.

        A single step may fall between the bot's look at the pointer and its own movement.
        """
        for _ in range(10):
            self.xdotool("mousemove", 0, 0)
            time.sleep(0.02)

    def grab(self) -> NDArray[np.uint8]:
        """Grab the whole desk: RGB uint8 ``(1080, 1920, 3)``."""
        shot = self._camera.grab(self._camera.monitors[0])
        return np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3).copy()

    def windows(self, window_class: str) -> list[int]:
        """List the visible windows of a class, the newest last."""
        found = self.xdotool("search", "--onlyvisible", "--classname", f"^{window_class}$")
        return [int(line) for line in found.split()]

    def wait_window(self, window_class: str, limit_s: float = 30) -> int:
        """Wait for the window of a class and return its number."""

        def shown() -> list[int]:
            # openbox sometimes ignores a window that opens while openbox starts (6 of 25
            # times); a change of the root window wakes it up.
            self.run(["xprop", "-root", "-f", "NUDGE", "8s", "-set", "NUDGE", "wake up"])
            return self.windows(window_class)

        return wait_until(shown, limit_s, f"{window_class}'s window")[-1]

    def geometry(self, window: int) -> tuple[int, int, int, int]:
        """Return left, top, width and height of a window without its frame, in screen pixels."""
        answer = dict(
            line.strip().split(":", 1)
            for line in self.run(["xwininfo", "-id", str(window)]).splitlines()
            if line.count(":") == 1
        )
        names = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
        left, top, width, height = (int(answer[name]) for name in names)
        return left, top, width, height

    def move_window(self, window: int, left: int, top: int) -> None:
        """Move a window."""
        self.xdotool("windowmove", "--sync", window, left, top)

    def wait_stable(self, still_s: float = 0.4, limit_s: float = 15) -> NDArray[np.uint8]:
        """Wait until nothing changed for ``still_s``, not even a clock or a cursor."""
        return wait_still(self.grab, still_s, limit_s)

    def click(self, x: float, y: float, button: int = 1) -> None:
        """Click a point of the screen with xdotool."""
        self.xdotool("mousemove", "--sync", round(x), round(y), "click", button)

    def close(self) -> None:
        """End all processes with this desk's mark, programs first, and remove its folder."""
        for ask in (signal.SIGTERM, signal.SIGKILL):
            for pid in self._programs():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, ask)
            with contextlib.suppress(DeskError):
                wait_until(lambda: not self._programs(), 2, "the programs to end")
                break
        for program in self._started:
            program.wait(5)
        if self._camera:
            self._camera.close()
        if self._server:
            self._server.terminate()
            self._server.wait(10)
        shutil.rmtree(self.home, ignore_errors=True)

    def _programs(self) -> set[int]:
        """Return the running processes with this desk's mark, without the server."""
        server = {self._server.pid} if self._server else set()
        return set(_processes_with(f"{MARK}={self.home}")) - server


def end_all(setting: str) -> None:
    """End every process whose environment holds ``setting``."""
    for ask in (signal.SIGTERM, signal.SIGKILL):
        for pid in _processes_with(setting):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, ask)
        with contextlib.suppress(DeskError):
            wait_until(lambda: not list(_processes_with(setting)), 3, "the programs to end")
            return


def _processes_with(setting: str) -> Iterator[int]:
    """Yield the running processes whose environment holds ``setting``."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                environment = (entry / "environ").read_bytes().split(b"\0")
                if setting.encode() in environment:
                    yield int(entry.name)
