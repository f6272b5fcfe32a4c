"""A graphical session for tests only: a home of its own, and the programs started in it.

Every process that a session starts has its mark in the environment, and only processes with this
mark are ended with it. No settings of the user are read or written: home and configuration lie in
a temporary folder.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.live.ledger import NativeLedger

Pixels = NDArray[np.uint8]
Eye = AbstractContextManager[Callable[[], Pixels]]  # within its block, takes pictures of a window
Process = subprocess.Popen[bytes]
NOTHING: Mapping[str, str] = {}

MARK = "MINEBOT_DESK"

GAMES_PATH = "/usr/games"  # where Debian installs games; root's path often lacks it


class DeskError(Exception):
    """The desktop or a program on it did not start."""


def which(command):
    """Find a command, also among Debian's games."""
    return shutil.which(command, path=f"{os.environ.get('PATH', os.defpath)}:{GAMES_PATH}")


def wait_until(look, limit_s, what, every_s=0.05):
    """Wait until ``look`` returns something true; raise `DeskError` after ``limit_s``."""
    end = time.monotonic() + limit_s
    while not (seen := look()):
        if time.monotonic() > end:
            raise DeskError(f"waited {limit_s:g} s in vain for {what}")
        time.sleep(every_s)
    return seen


def wait_still(look, still_s, limit_s, every_s=0.05):
    """Wait until what ``look`` returns has not changed for ``still_s``; return it."""
    end = time.monotonic() + limit_s
    last, since = look(), time.monotonic()
    while time.monotonic() - since < still_s:
        time.sleep(every_s)
        now = look()
        if not np.array_equal(now, last):
            last, since = now, time.monotonic()
        if time.monotonic() > end:
            raise DeskError(f"the desk did not come to rest in {limit_s:g} s")
    return last


@contextmanager
def x_server(*options, screen="800x600x24"):
    """Start an X server with nothing on it; yield the name of its display."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", screen, "-noreset",
         "-nolisten", "tcp", *options],
        pass_fds=[writing], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    os.close(writing)
    try:
        with os.fdopen(reading) as names:
            if not (number := names.readline().strip()):
                raise DeskError("Xvfb does not start")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(20)


class Session(ExitStack):
    """The programs of one graphical session; a subclass is the port to its compositor.

    Use it in a ``with`` statement: its end also ends all processes that were started. Raises
    `DeskError` if the session does not start. A subclass has ``begin``, which starts the server and
    waits until programs can be started; ``windows`` of a program, newest last; ``geometry`` of a
    window's inside, in mouse units; ``move_window``; ``grab``, a picture of the whole screen;
    ``ledger``, which records what is pressed on a program's window; and ``eye``, which takes
    pictures of a window where it lies now.
    """

    TOOLS: tuple[str, ...] = ()  # the commands that it needs, or files by their whole path
    PACKAGES = ""  # the packages of Debian that have them
    ENV = ""  # variables of the environment of its programs, as a shell writes them
    scale = 1.0  # pixels a mouse unit

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix=f"minebot-{type(self).__name__.lower()}-"))
        self.callback(shutil.rmtree, self.home, ignore_errors=True)
        self.runtime = self.home / "runtime"
        self.runtime.mkdir(mode=0o700)
        own = dict(word.split("=") for word in self.ENV.split())
        self.env = environment(self.home) | {MARK: str(self.home)} | own
        self.logs: dict[int, Path] = {}
        """What each program writes on standard error."""
        self.as_whom: dict[str, Any] = {}
        """The user of the programs, as arguments of `subprocess.Popen`."""
        self.started: list[Process] = []

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.close()
            raise
        return self

    def start(self, command, env=NOTHING):
        if not self.started:
            self.callback(self._end_programs)
        log = self.home / f"log-{len(self.started)}.txt"
        with log.open("wb") as file:
            program = subprocess.Popen(
                command, env={**self.env, **env}, cwd=self.home, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=file, start_new_session=True, **self.as_whom,
            )  # fmt: skip
        self.started.append(program)
        self.logs[program.pid] = log
        return program

    def run(self, command, limit_s=20):
        """Run a short command and return its output, even if it fails."""
        return subprocess.run(
            [str(word) for word in command], env=self.env, cwd=self.home,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=limit_s, check=False,
        ).stdout  # fmt: skip

    def wait_window(self, name, limit_s=60):
        return wait_until(lambda: self.windows(name), limit_s, f"{name}'s window")[-1]

    def wait_stable(self, still_s=0.4, limit_s=20):
        """Wait until nothing changed for ``still_s``, not even a clock or a cursor."""
        return wait_still(self.grab, still_s, limit_s)

    def _end_programs(self):
        for program in reversed(self.started):
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGTERM)
        # A compositor starts programs, such as Xwayland, in other process groups.
        end_all(f"{MARK}={self.home}")
        for program in self.started:
            program.wait(5)


class WaylandSession(Session):
    """A session of a Wayland compositor; programs are native ones where they can be.

    The protocol log of a program shows the clicks that it receives and the titles that it sets. A
    subclass also has ``grab_at``, a picture of a place such as ``10,20 300x200`` in mouse units.
    """

    def start(self, command, env=NOTHING):
        native = {"GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland", "WAYLAND_DEBUG": "1"}
        return super().start(command, {**(native if self.started else {}), **env})

    def ledger(self, window, program):
        """Read what a native program writes about its presses."""
        return NativeLedger(self.logs[program.pid], self.geometry(window))

    def eye(self, window):
        """Return what takes pictures of a native window, at the scale of the screen."""
        left, top, width, height = self.geometry(window)
        return nullcontext(lambda: self.grab_at(f"{left},{top} {width}x{height}", 1))


def environment(home):
    """Return this process's environment without its session, for a session in ``home``."""
    session = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY")
    kept = [key for key in os.environ if key not in session and not key.startswith("XDG_")]
    return {key: os.environ[key] for key in kept} | {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PATH": f"{os.environ.get('PATH', os.defpath)}:{GAMES_PATH}",
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_RUNTIME_DIR": str(home / "runtime"),
    }


def end_all(setting):
    """End every process whose environment holds ``setting``."""

    def running():
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if setting.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    for ask in (signal.SIGTERM, signal.SIGKILL):
        for pid in running():
            with suppress(ProcessLookupError):
                os.kill(pid, ask)
        with suppress(DeskError):
            wait_until(lambda: not running(), 3, "the programs to end")
            return
