"""A graphical session for tests only: a home of its own, and the programs started in it.

Every process that a session starts has its mark in the environment, and only processes with this
mark are ended with it. No settings of the user are read or written: home and configuration lie in
a temporary folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

T = TypeVar("T")

MARK = "MINEBOT_DESK"

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


class Session:
    """The programs of one graphical session, which a subclass begins.

    Use it in a ``with`` statement: its end also ends all processes that were started. Raises
    `DeskError` if the session does not start.
    """

    scale = 1.0
    """Pixels a mouse unit."""

    def __init__(self, name: str, env: Mapping[str, str]) -> None:
        self.home = Path(tempfile.mkdtemp(prefix=f"minebot-{name}-"))
        self.runtime = self.home / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.mark = f"{MARK}={self.home}"
        self.env = environment(self.home) | {MARK: str(self.home)} | dict(env)
        self.logs: dict[int, Path] = {}
        """What each program writes on standard error."""
        self.as_whom: dict[str, Any] = {}
        """The user of the programs, as arguments of `subprocess.Popen`."""
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        try:
            self.begin()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self) -> None:
        """Start the server, and wait until programs can be started."""
        raise NotImplementedError

    def windows(self, name: str) -> Sequence[Any]:
        """List the windows of a program, newest last."""
        raise NotImplementedError

    def start(
        self, command: list[str], env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a program, in its own process group."""
        log = self.home / f"log-{len(self._started)}.txt"
        with log.open("wb") as file:
            program = subprocess.Popen(
                command,
                env=self.env | dict(env or {}),
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                start_new_session=True,
                **self.as_whom,
            )
        self._started.append(program)
        self.logs[program.pid] = log
        return program

    def run(self, command: Sequence[object], limit_s: float = 20) -> bytes:
        """Run a short command and return its output, even if it fails."""
        done = subprocess.run(
            [str(word) for word in command],
            env=self.env,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit_s,
            check=False,
        )
        return done.stdout

    def wait_window(self, name: str, limit_s: float = 60) -> int:
        """Wait for the window of a program and return its number."""
        return int(wait_until(lambda: self.windows(name), limit_s, f"{name}'s window")[-1])

    def close(self) -> None:
        """End all that was started, programs first, and remove the folder."""
        for program in reversed(self._started):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGTERM)
        # A compositor starts programs, such as Xwayland, in other process groups.
        end_all(self.mark)
        for program in self._started:
            program.wait(5)
        shutil.rmtree(self.home, ignore_errors=True)


class WaylandSession(Session):
    """A session of a Wayland compositor; programs are native ones where they can be.

    The protocol log of a program shows the clicks that it receives and the titles that it sets.
    """

    native: Mapping[str, str] = {
        "GDK_BACKEND": "wayland",
        "QT_QPA_PLATFORM": "wayland",
        "WAYLAND_DEBUG": "1",
    }

    def __init__(self, name: str, desktop: str) -> None:
        super().__init__(name, {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": desktop})

    def start(
        self, command: list[str], env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a program, as a native one if it can; its protocol log goes into a file."""
        native = self.native if self._started else {}
        return super().start(command, {**native, **(env or {})})


def environment(home: Path) -> dict[str, str]:
    """Return this process's environment without its session, for a session in ``home``."""
    session = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY")
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in session and not key.startswith("XDG_")
    }
    return kept | {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PATH": f"{os.environ.get('PATH', os.defpath)}:{GAMES_PATH}",
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_RUNTIME_DIR": str(home / "runtime"),
    }


def end_all(setting: str, *, but: frozenset[int] = frozenset()) -> None:
    """End every process whose environment holds ``setting``."""
    for ask in (signal.SIGTERM, signal.SIGKILL):
        for pid in processes_with(setting) - but:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, ask)
        with contextlib.suppress(DeskError):
            wait_until(lambda: not processes_with(setting) - but, 3, "the programs to end")
            return


def processes_with(setting: str) -> frozenset[int]:
    """Return the running processes whose environment holds ``setting``."""
    return frozenset(_processes_with(setting))


def _processes_with(setting: str) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if setting.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    yield int(entry.name)
