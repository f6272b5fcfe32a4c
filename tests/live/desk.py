"""A desktop for tests only: an X server of its own, a window manager, and programs."""

from __future__ import annotations

import os
import subprocess
import time
from typing import Any

import mss
import numpy as np
from numpy.typing import NDArray

from tests.live.session import DeskError, Session, end_all, wait_still, wait_until

WIDTH, HEIGHT = 1920, 1080
FIRST_DISPLAY, LAST_DISPLAY = 51, 99
SERVER_OPTIONS = ("-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-noreset", "-nolisten", "tcp")
TOOLS = ("Xvfb", "openbox", "xdotool", "xprop", "xwininfo", "dbus-run-session")


def open_camera(display: str, **options: Any) -> Any:
    """Open mss on a display; release 10.2 renamed its class and warns of the old name."""
    return (mss.MSS if hasattr(mss, "MSS") else mss.mss)(display=display, **options)


class Desk(Session):
    """An X server of 1920x1080 pixels with openbox, and the programs started on it."""

    def __init__(self) -> None:
        super().__init__("desk", {})
        self._server: subprocess.Popen[bytes] | None = None
        self._camera: Any = None

    def begin(self) -> None:
        """Start server and window manager."""
        self._server = self._start_server()
        self._camera = open_camera(self.env["DISPLAY"])  # keeps one connection open
        self.start(["openbox"])
        wait_until(self._managed, 10, "the window manager")

    def _start_server(self) -> subprocess.Popen[bytes]:
        """Take the first display number that no server uses, as the lock of the server decides."""
        for number in range(FIRST_DISPLAY, LAST_DISPLAY + 1):
            self.env["DISPLAY"] = f":{number}"
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

    def _managed(self) -> bool:
        answer = self.says("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")
        return "window id" in answer

    def says(self, *command: object) -> str:
        """Run a short command and return what it prints, even if it fails."""
        return self.run(command).decode(errors="replace")

    def xdotool(self, *words: object) -> str:
        """Run xdotool and return what it prints."""
        return self.says("xdotool", *words)

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
            for line in self.says("xwininfo", "-id", window).splitlines()
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
        """End all programs, then the server, and remove the folder."""
        server = frozenset({self._server.pid} if self._server else ())
        end_all(self.mark, but=server)
        if self._camera:
            self._camera.close()
        if self._server:
            self._server.terminate()
            self._server.wait(10)
        super().close()
