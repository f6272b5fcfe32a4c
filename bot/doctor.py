"""What on this machine would keep the bot from playing: a list of checks, each one sentence."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from bot.desktop import open_desktop, why_no_desktop
from bot.errors import BotError
from bot.eye import BLACK
from bot.ports import Desktop, Pointer
from calibration.frame import ScreenPoint
from solver.kernels import is_cached

LIBRARIES = ("numpy", "opencv-python-headless", "mss", "pyautogui", "numba", "rich")
EXTRAS = {
    "dask": "bench on a cluster (--scheduler)",
    "distributed": "bench on a cluster (--scheduler)",
    "matplotlib": "plots of the arena",
}


class Verdict(Enum):
    """How a check came out: fine, worth knowing, or in the way of playing."""

    OK = "ok"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True)
class Check:
    """One check: what was looked at, how it came out, and what it means."""

    name: str
    verdict: Verdict
    message: str


def examine() -> Iterator[Check]:
    """Run every check, those of the real screen only where there is one."""
    yield from check_python()
    yield from check_libraries()
    yield check_kernels()
    yield from check_extras()
    session = check_session(os.environ)
    yield session
    if session.verdict is Verdict.BAD:
        return
    try:
        desktop = open_desktop()
    except BotError as error:
        yield Check("desktop", Verdict.BAD, str(error))
        return
    yield from check_desktop(desktop)


def check_python() -> Iterator[Check]:
    """Name the versions of Python and the system."""
    yield Check(
        "python",
        Verdict.OK if sys.version_info >= (3, 11) else Verdict.BAD,
        f"Python {platform.python_version()} on {platform.system()} {platform.release()}.",
    )


def check_libraries() -> Iterator[Check]:
    """Name the versions of the libraries that play needs."""
    for name in LIBRARIES:
        try:
            yield Check(name, Verdict.OK, f"{name} {version(name)}.")
        except PackageNotFoundError:
            # OpenCV comes in four packages of the same module.
            if name.startswith("opencv") and find_spec("cv2"):
                yield Check(name, Verdict.OK, "OpenCV is there from another package.")
            else:
                yield Check(name, Verdict.BAD, f"{name} is missing: install minebot with pip.")


def check_kernels() -> Check:
    """Say whether the solver is compiled already."""
    if is_cached():
        return Check("solver", Verdict.OK, "The solver is compiled; play starts at once.")
    return Check(
        "solver", Verdict.NOTE, "The solver compiles at the first use, once, for about a minute."
    )


def check_extras() -> Iterator[Check]:
    """Say which optional libraries are missing and what they are for."""
    for module, purpose in EXTRAS.items():
        if find_spec(module) is None:
            yield Check(
                module, Verdict.NOTE, f"{module} is not installed; only {purpose} needs it."
            )


def check_session(environ: Mapping[str, str]) -> Check:
    """Say what kind of desktop session this is."""
    reason = why_no_desktop(sys.platform, environ)
    if reason is not None:
        return Check("session", Verdict.BAD, reason)
    kind = environ.get("XDG_SESSION_TYPE") or "session of unknown type"
    display = environ.get("DISPLAY")
    return Check("session", Verdict.OK, f"{kind}{f', display {display}' if display else ''}.")


def check_desktop(desktop: Desktop) -> Iterator[Check]:
    """Look at the screen and move the pointer by a hair."""
    monitors = desktop.screen.monitors()
    names = ", ".join(f"{m.right - m.left}x{m.bottom - m.top}" for m in monitors)
    yield Check("monitors", Verdict.OK, f"{len(monitors)} monitor(s): {names}.")
    yield _guarded("screenshot", lambda: check_screenshot(desktop))
    yield _guarded("pointer", lambda: check_pointer(desktop.pointer))


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except Exception as error:
        return Check(name, Verdict.BAD, f"{type(error).__name__}: {error}")


def check_screenshot(desktop: Desktop) -> Check:
    """Take a picture, which must not be black, and time it."""
    desktop.screen.grab()
    start = desktop.clock.now()
    frame = desktop.screen.grab()
    ms = 1e3 * (desktop.clock.now() - start)
    size = f"{frame.width}x{frame.height} in {ms:.0f} ms, {frame.scale:g} pixels a mouse unit"
    if int(frame.pixels.max()) <= BLACK:
        return Check(
            "screenshot",
            Verdict.BAD,
            f"The picture is black ({size}): unlock the screen, or allow screen recording.",
        )
    return Check("screenshot", Verdict.OK, f"{size}.")


def check_pointer(pointer: Pointer) -> Check:
    """Move the pointer by one unit and back."""
    here = pointer.position()
    step = -1 if here.x > 0 else 1
    pointer.move(ScreenPoint(here.x + step, here.y))
    there = pointer.position()
    pointer.move(here)
    if abs(there.x - here.x) != 1:
        return Check(
            "pointer",
            Verdict.BAD,
            "The pointer does not move: allow this program to control the computer.",
        )
    return Check("pointer", Verdict.OK, f"The pointer moves; it is at {here.x},{here.y}.")
