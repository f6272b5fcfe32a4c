"""A desktop for tests only: an X server of its own, a window manager, and programs."""

import re
import time
from contextlib import contextmanager

import mss
import numpy as np

from tests.live.ledger import Ledger
from tests.live.session import Session, wait_until, x_server

WIDTH, HEIGHT = 1920, 1080


def open_camera(display, **options):
    """Open mss on a display; release 10.2 renamed its class and warns of the old name."""
    return (mss.MSS if hasattr(mss, "MSS") else mss.mss)(display=display, **options)


def shoot(camera, place):
    """Take a picture of a place on the screen, RGB."""
    shot = camera.grab(place)
    return np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3)


class Desk(Session):
    """An X server of 1920x1080 pixels with openbox, and the programs started on it."""

    TOOLS = ("Xvfb", "openbox", "xdotool", "xprop", "xwininfo", "xrandr", "dbus-run-session")
    PACKAGES = "xvfb openbox xdotool x11-utils x11-xserver-utils dbus-x11"

    def begin(self):
        self.env["DISPLAY"] = self.enter_context(x_server(screen=f"{WIDTH}x{HEIGHT}x24"))
        # Keeps one connection open.
        self._camera = self.enter_context(open_camera(self.env["DISPLAY"]))
        self.start(["openbox"])
        asked = ("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")
        wait_until(lambda: "window id" in self.says(*asked), 10, "the window manager")

    def says(self, *command):
        return self.run(command).decode(errors="replace")

    def xdotool(self, *words):
        return self.says("xdotool", *words)

    def push_into_corner(self):
        """Push the pointer into the upper left corner, as a hand does that uses the kill switch.

        A single step may fall between the bot's look at the pointer and its own movement.
        """
        for _ in range(10):
            self.xdotool("mousemove", 0, 0)
            time.sleep(0.02)

    def click(self, x, y, button=1):
        self.xdotool("mousemove", "--sync", round(x), round(y), "click", button)

    def grab(self):
        return shoot(self._camera, self._camera.monitors[0]).copy()

    def windows(self, name, by="classname"):
        # openbox sometimes ignores a window that opens while openbox starts (6 of 25
        # times); a change of the root window wakes it up.
        self.run(["xprop", "-root", "-f", "NUDGE", "8s", "-set", "NUDGE", "wake up"])
        found = self.xdotool("search", "--onlyvisible", f"--{by}", f"^{name}$")
        return [int(line) for line in found.split()]

    def geometry(self, window):
        """Return left, top, width and height of a window without its frame, in screen pixels.

        Raises ValueError if the window is gone.
        """
        said = self.says("xwininfo", "-id", window)
        found = re.findall(r"(?:Absolute upper-left [XY]|Width|Height): +(-?\d+)", said)
        left, top, width, height = map(int, found)
        return left, top, width, height

    def move_window(self, window, left, top):
        self.xdotool("windowmove", "--sync", window, left, top)

    def ledger(self, window, program):
        return Ledger(self.env["DISPLAY"])

    @contextmanager
    def eye(self, window):
        left, top, width, height = self.geometry(window)
        place = left, top, min(left + width, WIDTH), min(top + height, HEIGHT)
        with open_camera(self.env["DISPLAY"]) as camera:
            yield lambda: shoot(camera, place)
