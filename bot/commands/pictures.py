"""Find and read the board that options name: on a screenshot, or on the screen."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from bot.commands.shared import Picture, Saved, Screenshot
from bot.errors import UsageError
from bot.options import parse_screen_point
from bot.streams import note
from bot.tracking.places import check_found
from calibration import Calibration, Frame, PixelPoint, Reader, ScreenPoint, calibrate, load_image
from calibration.classify.refusals import TILE_NAMES
from calibration.errors import Unreadable, UnreadableGrid
from calibration.reading import Reading
from calibration.theme import LEARNED, Theme, builtin_themes, themes_named
from solver.counting import no_such


def themes_of(theme: str | None) -> tuple[Theme, ...] | None:
    """Return the themes of ``--theme``, which names a theme or a program; None stands for all.

    A name that ends in ``.toml`` is a file. Raises `UsageError` for an unknown name,
    `BadCalibration` for a file that does not hold a theme.
    """
    if theme is None:
        return None
    chosen = themes_named(theme)
    if not chosen:
        names = [one.name for one in builtin_themes()]
        raise UsageError(no_such("theme", theme, names, ["FILE.toml for one of your own"]))
    return chosen


def theme_files_of(args: Picture) -> tuple[Path, ...]:
    """Return the file that ``--theme`` names, if it names one."""
    return (Path(args.theme),) if args.theme and args.theme.endswith(".toml") else ()


def calibration_of(args: Saved, mines: int | None) -> Calibration | None:
    """Load the file of ``--calibration`` and set its mine total if given; None without the
    option.
    """
    if args.calibration is None:
        return None
    saved = Calibration.load(args.calibration)
    return saved if mines is None else replace(saved, mines=mines, mines_from="given")


@dataclass(frozen=True)
class Sought:
    """What the user said about the board to find; `sought_of` reads it before any picture.

    ``near`` is a pixel of a file, or a point of the screen. ``theme`` is the name that was given,
    ``themes`` are the themes of this name, and ``saved`` is a calibration that replaces a search.
    """

    near: PixelPoint | ScreenPoint | None
    mines: int | None
    theme: str | None
    themes: tuple[Theme, ...] | None
    saved: Calibration | None


def sought_of(args: Screenshot) -> Sought:
    """Read the options about finding the board, and load the files that they name.

    Raises `UsageError` and `BadCalibration` if they cannot be used.
    """
    if args.calibration is not None and "theme" in args.typed:
        raise UsageError("--theme and --calibration both say how tiles look: leave one out.")
    saved = calibration_of(args, args.mines)
    near = near_of(args.near, screen=args.screen)
    return Sought(near, args.mines, args.theme, themes_of(args.theme), saved)


def calibrated(frame: Frame, sought: Sought) -> Calibration:
    """Return the saved calibration, else find the board in a picture.

    Raises a `CalibrationError`, or `UsageError` for a point outside the picture.
    """
    near = frame.to_pixel(sought.near) if isinstance(sought.near, ScreenPoint) else sought.near
    check_near(near, frame)
    if sought.saved is None:
        found = calibrate(frame, near=near, mines=sought.mines, themes=sought.themes)
        note_other_theme(sought.theme, found.theme)
        return found
    check_found(frame, sought.saved)
    return sought.saved


def near_of(near: str | None, *, screen: bool) -> PixelPoint | ScreenPoint | None:
    """Read ``--near``: a pixel of a file, or a point of the ``screen``. Raises `UsageError`."""
    if near is None:
        return None
    if screen:
        return parse_screen_point(near)
    try:
        x, y = (float(part) for part in near.split(","))
    except ValueError as error:
        raise UsageError(f"--near takes X,Y in pixels, such as 640,400, not {near!r}.") from error
    if not (0 <= x < inf and 0 <= y < inf):
        raise UsageError(f"--near takes a pixel of the picture, not {near!r}.")
    return PixelPoint(x, y)


def check_near(near: PixelPoint | None, frame: Frame) -> None:
    """Raise `UsageError` if the pixel of ``--near`` is not in the picture."""
    if near is not None and not (near.x < frame.width and near.y < frame.height):
        raise UsageError(
            f"--near {near.x:g},{near.y:g} is not in the picture, which has {frame.width} x "
            f"{frame.height} pixels."
        )


def note_other_theme(named: str | None, theme: Theme) -> None:
    """Note that the picture does not show the program or theme ``named`` with ``--theme``."""
    if named is not None and theme.name == LEARNED:
        note(
            f"The theme {named} does not fit the tiles or the smiley; their appearances are "
            "learned from the picture."
        )


ON_SCREEN = Path("screen")
"""The name of the picture that ``--screen`` takes."""


@dataclass(frozen=True)
class Shot:
    """A picture to read: a file, or what the screen shows now."""

    name: Path
    grabbed: Frame | None = None

    @property
    def frame(self) -> Frame:
        """The picture. Raises what `load_image` raises."""
        return load_image(self.name) if self.grabbed is None else self.grabbed


def shots_of(images: Sequence[Path], sought: Sought, *, screen: bool) -> tuple[Shot, ...]:
    """Return the pictures that were named, or one of the screen.

    Raises `UsageError` for both or neither, and for a point that is on no monitor; `NoDesktop` or
    `ScreenGone` if no picture of the screen can be made.
    """
    if bool(images) == screen:
        raise UsageError("Give either a screenshot, or --screen for what the screen shows now.")
    if not screen:
        return tuple(map(Shot, images))
    from bot.desktop.ports import check_on_monitor
    from bot.desktop.routes import open_desktop  # needed with --screen only

    shown = open_desktop(None, note).screen
    if isinstance(sought.near, ScreenPoint):
        check_on_monitor("--near", sought.near, shown.monitors())
    return (Shot(ON_SCREEN, shown.grab()),)


@dataclass(frozen=True)
class ScreenshotReading:
    """A screenshot, its calibration and reading, and how long these took in milliseconds."""

    frame: Frame
    calibration: Calibration
    reading: Reading
    calibrate_ms: float
    read_ms: float


def read_screenshot(shot: Shot, sought: Sought) -> ScreenshotReading:
    """Calibrate on a picture and read it. Raises what `calibrated` and `load_image` raise."""
    frame = shot.frame
    start = time.perf_counter()
    calibration = calibrated(frame, sought)
    found = time.perf_counter()
    reading = Reader(calibration).read_in_part(frame)
    done = time.perf_counter()
    return ScreenshotReading(
        frame, calibration, reading, 1e3 * (found - start), 1e3 * (done - found)
    )


def calibration_for(frame: Frame, error: Unreadable, sought: Sought) -> Calibration:
    """Return the calibration with which reading failed."""
    if isinstance(error, UnreadableGrid):
        return Calibration(error.grid, Theme(LEARNED, ()))
    return calibrated(frame, sought)


def note_unknown(reading: Reading) -> None:
    """Print a note for each unknown tile with its likely meanings."""
    for cell in reading.unknown:
        one, other = (TILE_NAMES[tile] for tile in reading.likeliest(cell))
        note(f"{cell.place.capitalize()} is not known (~): {one} or {other}.")
