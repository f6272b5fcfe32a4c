"""A Wayland desktop for a test: sway without a screen, and programs on it.

sway does not run as root: if root starts it, it and the programs run as the system's user
``nobody``.
"""

import contextlib
import json
import os
import pwd
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from tests.live.ledger import Ledger, connect, pixels_of
from tests.live.session import NOTHING, DeskError, WaylandSession, wait_until

CONFIG = """\
xwayland force
default_border none
default_floating_border none
focus_follows_mouse no
for_window [app_id=".*"] floating enable
for_window [class=".*"] floating enable
for_window [instance=".*"] floating enable
exec sh -c 'echo "$DISPLAY $WAYLAND_DISPLAY $SWAYSOCK" > "$XDG_RUNTIME_DIR/ready"'
"""


@dataclass(frozen=True)
class Screen:
    """An output: its size in pixels, its scale, and where it lies in mouse units."""

    width: int = 1920
    height: int = 1080
    scale: float = 1.0
    left: int = 0
    top: int = 0


SCREENS = {1: Screen(), 1.5: Screen(scale=1.5), 2: Screen(2560, 1440, scale=2)}
"""For each scale, a screen with room for an expert board."""


class SwayDesk(WaylandSession):
    """A separate sway with some outputs, and the programs started on it."""

    TOOLS = ("sway", "swaymsg", "Xwayland", "grim", "dbus-run-session")
    PACKAGES = "sway xwayland grim dbus qtwayland5"
    ENV = (
        "XDG_SESSION_TYPE=wayland XDG_CURRENT_DESKTOP=sway "
        "WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1"
    )

    def __init__(self, *screens):
        super().__init__()
        self.screens = screens or (Screen(),)
        finest = max(screen.scale for screen in self.screens)
        self.scale = finest / int(finest)
        self._user = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        if self._user is not None:
            group = self._user.pw_gid
            self.as_whom = {"user": self._user.pw_uid, "group": group, "extra_groups": []}

    def begin(self):
        self.callback(self._remove_display)
        config = self.home / "sway.conf"
        outputs = (
            f"output HEADLESS-{number} resolution {screen.width}x{screen.height} "
            f"position {screen.left} {screen.top} scale {screen.scale:g}\n"
            for number, screen in enumerate(self.screens, start=1)
        )
        config.write_text("".join(outputs) + CONFIG)
        env = {"WLR_HEADLESS_OUTPUTS": str(len(self.screens))}
        self.start(["dbus-run-session", "--", "sway", "-c", str(config)], env)
        ready = self.runtime / "ready"
        addresses = wait_until(lambda: ready.exists() and ready.read_text().split(), 20, "sway")
        names = "DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK"
        self.env |= dict(zip(names, addresses, strict=True))

    def start(self, command, env=NOTHING):
        """Start a program as the user whom Xwayland admits, who must own all files in its home."""
        if self._user is not None:
            for path in (self.home, *self.home.rglob("*")):
                with contextlib.suppress(FileNotFoundError):
                    os.chown(path, self._user.pw_uid, self._user.pw_gid, follow_symlinks=False)
        return super().start(command, env)

    @contextlib.contextmanager
    def as_user(self):
        """Act as the user of the programs, whom Xwayland admits."""
        if self._user is None:
            yield
            return
        os.seteuid(self._user.pw_uid)
        try:
            yield
        finally:
            os.seteuid(0)

    def sway_does(self, *words):
        """Have sway run a command. Raises `DeskError` if it does not."""
        answer = json.loads(self.run(["swaymsg", "-r", "--", " ".join(map(str, words))]) or "[{}]")
        if not all(part.get("success") for part in answer):
            raise DeskError(f"sway does not {words}: {answer}")

    def grab(self):
        """Take a picture of all outputs with grim, RGB, at the finest scale among them."""
        return self.grab_at("")

    def grab_at(self, place, scale=None):
        where = ["-g", place] if place else []
        fine = scale or max(screen.scale for screen in self.screens)
        encoded = self.run(["grim", "-t", "ppm", "-s", fine, *where, "-"])
        if not encoded:
            raise DeskError("grim takes no picture")
        picture = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
        return np.asarray(picture[..., ::-1], dtype=np.uint8)

    def _windows(self):
        # xdemineur's title is Latin-1.
        tree = self.run(["swaymsg", "-r", "-t", "get_tree"]).decode("utf-8", "replace")
        nodes = [json.loads(tree or "{}")]
        for node in nodes:
            nodes += (*node.get("nodes", ()), *node.get("floating_nodes", ()))
        return [one for one in nodes if one.get("pid") and one["type"] in ("con", "floating_con")]

    def windows(self, name):
        return [
            window["id"]
            for window in self._windows()
            if name in (window.get("app_id") or "").split(".")
            or name == window.get("window_properties", {}).get("instance")
        ]

    def node(self, window):
        """Return sway's description of a window. Raises `DeskError` if the window is gone."""
        for node in self._windows():
            if node["id"] == window:
                return node
        raise DeskError("the window is gone")

    def geometry(self, window):
        node = self.node(window)
        rect, inside = node["rect"], node["window_rect"]
        return rect["x"] + inside["x"], rect["y"] + inside["y"], inside["width"], inside["height"]

    def is_native(self, window):
        return bool(self.node(window)["shell"] == "xdg_shell")

    def move_window(self, window, left, top):
        self.sway_does(f"[con_id={window}] move absolute position {left} {top}")

    def ledger(self, window, program):
        if self.is_native(window):
            return super().ledger(window, program)
        with self.as_user():
            return Ledger(self.env["DISPLAY"])

    def eye(self, window):
        """Return what takes pictures of an X11 window on Xwayland, in the program's own pixels."""
        node = self.node(window)
        if self.is_native(window):
            return super().eye(window)
        with self.as_user():
            display = connect(self.env["DISPLAY"])
        self.callback(display.close)
        inside = display.create_resource_object("window", node["window"])
        return contextlib.nullcontext(lambda: pixels_of(inside))

    def _remove_display(self):
        """Remove what Xwayland leaves when it is killed: it has 33 display numbers."""
        number = self.env.get("DISPLAY", "").lstrip(":")
        for left in (f"/tmp/.X{number}-lock", f"/tmp/.X11-unix/X{number}") if number else ():
            Path(left).unlink(missing_ok=True)
