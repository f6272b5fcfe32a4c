"""A GNOME desktop for a test: GNOME Shell without a screen, the portals, and programs on it.

The test consents in place of a person: GNOME Shell clicks in the portal's window.
"""

import json
import threading
import time
from contextlib import contextmanager

import cv2
import numpy as np

from tests.live.session import DeskError, WaylandSession, wait_still, wait_until

PORTALS = ("/usr/libexec/xdg-desktop-portal-gnome", "/usr/libexec/xdg-desktop-portal")

SESSION = """\
echo "$DBUS_SESSION_BUS_ADDRESS" > "$XDG_RUNTIME_DIR/bus"
export DBUS_SYSTEM_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS"
pipewire & wireplumber &
exec gnome-shell --headless --wayland --unsafe-mode --virtual-monitor 1920x1080
"""
"""GNOME Shell needs a system bus, on which nothing has to answer."""

QUESTION = "Remote desktop"  # Title of the portal's window
MOUSE = """
const {Clutter, GLib} = imports.gi;
globalThis.mouse ??= Clutter.get_default_backend().get_default_seat()
    .create_virtual_device(Clutter.InputDeviceType.POINTER_DEVICE);
globalThis.clickAt = (x, y) => {
    const now = GLib.get_monotonic_time();
    mouse.notify_absolute_motion(now, x, y);
    mouse.notify_button(now, 1, 1);
    mouse.notify_button(now, 1, 0);
};
Main.overview.hide();
"""
WINDOWS = """
global.get_window_actors().map(({meta_window: w}) => {
    const r = w.get_frame_rect();
    return {id: w.get_id(), title: w.title, name: w.wm_class,
            place: [r.x, r.y, r.width, r.height]};
})
"""


class GnomeDesk(WaylandSession):
    """A separate GNOME Shell with the portals, and the programs started on it."""

    TOOLS = (
        *("gnome-shell", "pipewire", "wireplumber", "gst-launch-1.0", "gdbus", "dbus-run-session"),
        *PORTALS,
    )
    PACKAGES = (
        "gnome-shell xdg-desktop-portal-gnome pipewire wireplumber gstreamer1.0-tools "
        "gstreamer1.0-pipewire gstreamer1.0-plugins-base libglib2.0-bin dbus"
    )

    ENV = (
        "XDG_SESSION_TYPE=wayland XDG_CURRENT_DESKTOP=GNOME "
        "LIBGL_ALWAYS_SOFTWARE=1 GSETTINGS_BACKEND=keyfile"
    )

    def begin(self):
        self.shell = self.start(["dbus-run-session", "--", "bash", "-c", SESSION])
        bus = self.runtime / "bus"
        address = wait_until(lambda: bus.exists() and bus.read_text().strip(), 20, "D-Bus")
        self.env |= {"DBUS_SESSION_BUS_ADDRESS": address, "WAYLAND_DISPLAY": "wayland-0"}
        wait_until(lambda: self.evaluate("1 + 1") == 2, 60, "GNOME Shell", every_s=0.5)
        self.evaluate(f"{MOUSE}; 1")
        for portal in PORTALS:
            self.start([portal])
        names = "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.ListNames"
        portals = "'org.freedesktop.portal.Desktop'"
        wait_until(lambda: portals in self._call(*names), 30, "the portals", every_s=0.5)

    def _call(self, name, path, method, *arguments):
        call = ["gdbus", "call", "--session", "-d", name, "-o", path, "-m", method, *arguments]
        return self.run(call, 30).decode()

    def evaluate(self, script):
        """Run a script in GNOME Shell and return its value, None if it fails."""
        answer = self._call("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell.Eval", script)
        if not answer.startswith("(true, "):
            return None
        text = answer.strip()[len("(true, ") + 1 : -2]
        return json.loads(text.replace("\\\\", "\\")) if text else None

    def _shown(self):
        return self.evaluate(WINDOWS) or []

    def windows(self, name):
        return [window["id"] for window in self._shown() if name in window["name"].split(".")]

    def geometry(self, window):
        for one in self._shown():
            if one["id"] == window:
                return tuple(one["place"])
        raise DeskError("the window is gone")

    def move_window(self, window, left, top):
        """Move a window. GNOME Shell places a window that has just opened, so try repeatedly."""
        found = f"global.get_window_actors().find(a => a.meta_window.get_id() == {window})"

        def moved():
            self.evaluate(f"{found}.meta_window.move_frame(true, {left}, {top}); 1")
            return self.geometry(window)[:2] == (left, top)

        wait_until(moved, 20, "the window to move", every_s=0.3)

    def grab(self):
        return self.grab_at("0,0 1920x1080")

    def grab_at(self, place, scale=None):
        file = self.home / "picture.png"
        numbers = place.replace(",", " ").replace("x", " ").split()
        self._call(
            *("org.gnome.Shell.Screenshot", "/org/gnome/Shell/Screenshot"),
            *("org.gnome.Shell.Screenshot.ScreenshotArea", *numbers, "false", str(file)),
        )
        picture = cv2.imread(str(file))
        if picture is None:
            raise DeskError("GNOME Shell takes no picture")
        return np.asarray(picture[..., ::-1], dtype=np.uint8)

    def wait_stable(self, still_s=1.0, limit_s=30):
        """Wait until no window has moved for ``still_s``."""
        wait_still(self._shown, still_s, limit_s, every_s=0.1)

    @contextmanager
    def person(self, *, mouse=True, share=True):
        """Answer the portal's question as a person: share the screen, the mouse, or neither."""
        closing = threading.Event()

        def questions():
            return [window for window in self._shown() if window["title"] == QUESTION]

        def answer():
            chosen = not (mouse and share)
            while not closing.wait(0.5):
                if not questions():
                    continue
                # A window that is just opening does not receive every click.
                self.wait_stable(0.5)
                for question in questions():
                    left, top, width, height = question["place"]
                    if not chosen:
                        self.evaluate(f"clickAt({left + width - 55}, {top + height * 0.74}); 1")
                        chosen = True
                        time.sleep(0.5)
                    across = left + (width - 40 if share else 40)
                    self.evaluate(f"clickAt({across}, {top + 24}); 1")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield
        finally:
            closing.set()
            thread.join(10)

    def revoke(self):
        """End all sharing of the screen, as GNOME does when the screen is locked."""
        self.evaluate("global.backend.get_remote_access_controller().inhibit_remote_access(); 1")
