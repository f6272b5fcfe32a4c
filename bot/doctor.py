"""Check what on this machine would prevent the bot from playing; each result is one sentence."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from bot.desktop import routes
from bot.desktop.ports import Desktop, focus_unknown
from bot.errors import BotError
from bot.failures import sentence_for
from bot.outputs import sessions_folder
from bot.tracking.tracker import BLACK_LEVEL
from bot.version import LIBRARIES
from calibration import CalibrationError, NoGrid, Reader, ScreenPoint, Unreadable, calibrate
from calibration.theme import LEARNED, Theme
from solver.counting import counted
from solver.extras import install_command, pip_command

EXTRAS = {
    "dask": (("distributed",), "bench on a cluster (--scheduler)"),
    "learn": (("jax", "flax", "optax", "gymnasium"), "training"),
    "manual": (("textual",), "manual play"),
    "plots": (("matplotlib",), "a chart (--plot)"),
    "replays": (("ms_toollib",), "the review of a game that another program saved"),
    routes.WAYLAND: (routes.WAYLAND_LIBRARIES, "play on a Wayland desktop"),
}
"""The extras that play does not need: their modules, and the only feature that needs them."""

SHARES = (0.75, 0.25)
"""The places on a monitor to which the pointer is moved, as shares of its width and height."""

ROUNDING_UNITS = 1
"""By how many mouse units it may be off: scaled screens round."""

REASONS = {
    routes.Route.NATIVE: "Play goes through the system's own calls.",
    routes.Route.X11: "Play goes through the X server.",
    routes.Route.WLROOTS: "Play goes through the compositor's wlroots protocols: it offers them "
    "all, and they need no consent.",
    routes.Route.PORTAL: "Play goes through the desktop portals, which ask for your consent: the "
    "compositor offers no route without it.",
}
"""The reason for each route."""


class CheckStatus(Enum):
    """The result of a check: fine, worth knowing, or the bot cannot play."""

    OK = "ok"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True)
class Check:
    """One check: what was checked, the verdict, and one sentence that explains it."""

    name: str
    verdict: CheckStatus
    message: str


def examine(configuration: Check, themes: Sequence[Theme] | None = None) -> Iterator[Check]:
    """Run all checks; those of the real screen only if there is one.

    The caller, who knows the commands, checks the configuration. ``themes`` are the themes to read
    a board on the screen with, None for the built-in ones.
    """
    yield from check_python()
    yield from check_libraries()
    yield from check_extras()
    yield configuration
    yield check_sessions()
    session = routes.examine_session(sys.platform, os.environ)
    offer = session.choose()
    yield from check_session(session, os.environ)
    if offer.obstacle is not None:
        return
    try:
        desktop = routes.open_desktop(offer.route)
    except BotError as error:
        yield Check("desktop", CheckStatus.BAD, str(error))
        return
    yield from check_desktop(desktop, offer.route)
    yield _guarded(BOARD, lambda: check_board(desktop, themes))


def check_python() -> Iterator[Check]:
    """Check the version of Python, and name the system."""
    yield Check(
        "python",
        CheckStatus.OK if sys.version_info >= (3, 11) else CheckStatus.BAD,
        f"Python {platform.python_version()} on {platform.system()} {platform.release()}.",
    )


def check_libraries() -> Iterator[Check]:
    """Check that the libraries that play needs are installed."""
    for name in LIBRARIES:
        try:
            yield Check(name, CheckStatus.OK, f"{name} {version(name)}.")
        except PackageNotFoundError:
            # Four packages provide the same module of OpenCV.
            if name.startswith("opencv") and find_spec("cv2"):
                yield Check(name, CheckStatus.OK, "OpenCV is installed from another package.")
            else:
                yield Check(name, CheckStatus.BAD, f"{name} is missing: run {pip_command(name)}.")


def check_extras() -> Iterator[Check]:
    """Check which extras are missing, and name the features that need them."""
    for extra, (modules, purpose) in EXTRAS.items():
        if extra == routes.WAYLAND and sys.platform != "linux":
            continue
        if not all(map(find_spec, modules)):
            missing = (
                f"The extra is not installed; only {purpose} needs it: {install_command(extra)}"
            )
            yield Check(extra, CheckStatus.NOTE, missing)


def check_sessions() -> Check:
    """Say where the recorded sessions are."""
    return Check("sessions", CheckStatus.OK, f"'play --record' writes to {sessions_folder()}.")


def check_session(session: routes.DesktopSession, environ: Mapping[str, str]) -> Iterator[Check]:
    """Check the kind of desktop session, which route is used, and why."""
    display = environ.get("DISPLAY")
    names = (
        session.kind,
        f"compositor {session.compositor}" if session.compositor else "",
        f"display {display}" if display and sys.platform == "linux" else "",
    )
    chosen = session.choose()
    if chosen.obstacle is not None and len(session.offers) == 1:
        yield Check("session", CheckStatus.BAD, chosen.obstacle)
        return
    yield Check("session", CheckStatus.OK, f"{', '.join(filter(None, names))}.")
    for offer in session.offers:
        if offer.automatic and offer is not chosen and offer.obstacle is not None:
            yield Check(offer.route.value, CheckStatus.NOTE, f"Not used: {offer.obstacle}")
    if chosen.obstacle is not None:
        yield Check(chosen.route.value, CheckStatus.BAD, chosen.obstacle)
    else:
        yield Check(
            chosen.route.value, CheckStatus.OK, f"{REASONS[chosen.route]} {chosen.note}".strip()
        )


def check_desktop(desktop: Desktop, route: routes.Route) -> Iterator[Check]:
    """Check that the screen can be grabbed and the pointer moved."""
    monitors = desktop.screen.monitors()
    names = ", ".join(f"{m.right - m.left}x{m.bottom - m.top}" for m in monitors)
    yield Check("monitors", CheckStatus.OK, f"{counted(len(monitors), 'monitor')}: {names}.")
    yield _guarded("screenshot", lambda: check_screenshot(desktop, route))
    for fact in desktop.facts():
        yield Check(fact.name, CheckStatus.OK if fact.good else CheckStatus.NOTE, fact.sentence)
    yield _guarded("pointer", lambda: check_pointer(desktop))
    yield from check_rights(desktop)
    yield _guarded("keys", lambda: check_keys(desktop))
    yield _guarded("windows", lambda: check_windows(desktop))


BOARD = "board"
"""The name of the check that looks for a game."""


def check_board(desktop: Desktop, themes: Sequence[Theme] | None = None) -> Check:
    """Look for a game on the screen: its program, size and counter, and how the next one starts."""
    frame = desktop.screen.grab()
    try:
        found = calibrate(frame, themes=themes)
    except NoGrid:
        return Check(
            BOARD,
            CheckStatus.NOTE,
            "No board is in sight: start a game, and bring its window to the front (gnome-mines "
            "shows a menu of sizes first).",
        )
    except CalibrationError as error:
        return Check(BOARD, CheckStatus.NOTE, sentence_for(error, live=True))
    theme = found.theme
    program = "a program without a theme" if theme.program == LEARNED else theme.name
    mines = (
        "the number of mines is not read: give it with --mines"
        if found.mines is None
        else counted(found.mines, "mine")
    )
    seen = f"{found.grid.rows}x{found.grid.cols} of {program}; {mines}"
    readout = Reader(found).read(frame)
    if isinstance(readout.result, Unreadable):
        return Check(BOARD, CheckStatus.NOTE, f"{seen}; {sentence_for(readout.result, live=True)}")
    smiley = "smiley" if readout.memory.smiley.centre else None
    control = theme.profile.new_game or smiley
    starts = f"new games start with {control}" if control else "new games need --new-game"
    return Check(BOARD, CheckStatus.OK, f"{seen}; {starts}.")


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except Exception as error:
        return Check(name, CheckStatus.BAD, f"{type(error).__name__}: {error}")


def check_screenshot(desktop: Desktop, route: routes.Route) -> Check:
    """Grab the screen, which must not be black, and measure how long it takes.

    An X server and Windows allow every program to take pictures, and an empty desktop may be black:
    there a black screen is only a note.
    """
    desktop.screen.grab()
    start = desktop.clock.now()
    frame = desktop.screen.grab()
    ms = 1e3 * (desktop.clock.now() - start)
    size = f"{frame.width}x{frame.height} in {ms:.0f} ms, pixels per mouse unit: {frame.scale:g}"
    if int(frame.pixels.max()) <= BLACK_LEVEL:
        black = f"The screen is black ({size}): unlock it, open the game"
        if route is routes.Route.X11 or (route is routes.Route.NATIVE and sys.platform == "win32"):
            return Check(
                "screenshot",
                CheckStatus.NOTE,
                f"{black} or bring its window back; nothing may be open yet.",
            )
        return Check("screenshot", CheckStatus.BAD, f"{black}, or allow screen recording.")
    return Check("screenshot", CheckStatus.OK, f"{size}.")


def check_pointer(desktop: Desktop) -> Check:
    """Move the pointer to two places on each monitor and back; the system must find it there.

    That shows that mouse and picture agree on scale, monitors and their places.
    """
    pointer = desktop.pointer
    start = pointer.position()
    places = [
        ScreenPoint(
            round(share * m.left + (1 - share) * m.right),
            round(share * m.top + (1 - share) * m.bottom),
        )
        for m in desktop.screen.monitors()
        for share in SHARES
    ]
    arrived = []
    for place in places:
        pointer.move(place)
        arrived.append(pointer.position())
    pointer.move(start)
    if all(there == start for there in arrived):
        return Check(
            "pointer",
            CheckStatus.BAD,
            "The pointer does not move: allow this program to control the computer.",
        )
    for place, there in zip(places, arrived, strict=True):
        if not there.is_near(place, ROUNDING_UNITS):
            return Check(
                "pointer",
                CheckStatus.BAD,
                f"The pointer was sent to {place.x},{place.y} and went to {there.x},{there.y}: "
                "give all monitors one scale, or leave only one on.",
            )
    return Check(
        "pointer",
        CheckStatus.OK,
        f"The pointer moves to each of {counted(len(places), 'place')}; it is at "
        f"{start.x},{start.y}.",
    )


def check_rights(desktop: Desktop) -> Iterator[Check]:
    """Check that the window under the pointer accepts clicks; no result on systems where all do."""
    place = desktop.pointer.position()
    refusal = desktop.refusal_at(place)
    if refusal is not None:
        yield Check("rights", CheckStatus.NOTE, f"At {place.x},{place.y}: {refusal}")


def check_keys(desktop: Desktop) -> Check:
    """Check that no key is held that changes the meaning of a click."""
    if held := desktop.held_keys():
        return Check(
            "keys",
            CheckStatus.NOTE,
            f"Held down: {', '.join(held)}. Play waits until none of them is.",
        )
    return Check("keys", CheckStatus.OK, "No key is held that would change what a click does.")


def check_windows(desktop: Desktop) -> Check:
    """Report how the bot knows that clicks and keys go to the window of the board."""
    if desktop.window_at(desktop.pointer.position()) is not None:
        return Check(
            "windows",
            CheckStatus.OK,
            "Before each press and each key the system is asked whose window gets it.",
        )
    keys = (
        "it says which one has the keyboard"
        if desktop.focused is not focus_unknown
        else "nor which one has the keyboard: a key is pressed right after a click on the board, "
        "or if you name it with --new-game or --close"
    )
    return Check(
        "windows",
        CheckStatus.NOTE,
        "This desktop does not say whose window lies at a point: the pixels there are compared "
        f"before each press; {keys}.",
    )
