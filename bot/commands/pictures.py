"""Read what the options ask for that help to find and read a board."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

from bot.errors import UsageError
from bot.record.themes import kept_themes
from bot.terminal.output import note
from bot.tracking.places import check_found
from bot.usage.play import Play
from bot.usage.shared import Picture, Screenshot
from calibration.calibration import Calibration, calibrate
from calibration.frame import Frame
from calibration.points import PixelPoint
from calibration.theme import LEARNED, Theme, builtin_themes, themes_named
from solver.counting import no_such


def themes_of(theme: str | None) -> tuple[Theme, ...] | None:
    """Return the themes of ``--theme``, a theme or a program; without it all that are known.

    These are the built-in ones, for which None stands if play has learned no other. A name that
    ends in ``.toml`` is a file. Raises `UsageError` for an unknown name, `BadCalibration` for a
    file that is no theme file.
    """
    learned = kept_themes(note)
    if theme is None:
        return (*builtin_themes(), *learned) if learned else None
    chosen = themes_named(theme) or tuple(
        one for one in learned if theme in (one.name, one.name.partition("/")[2])
    )
    if not chosen:
        names = [one.name for one in (*builtin_themes(), *learned)]
        raise UsageError(no_such("theme", theme, names, ["FILE.toml for one of your own"]))
    return chosen


def theme_files_of(args: Picture) -> tuple[Path, ...]:
    """Return the file that ``--theme`` names, if it names one."""
    return (Path(args.theme),) if args.theme and args.theme.endswith(".toml") else ()


def calibration_of(args: Screenshot | Play) -> Calibration | None:
    """Load the calibration of ``--calibration``, with the total of ``--mines``; None without it."""
    if args.calibration is None:
        return None
    saved = Calibration.load(args.calibration)
    return saved if args.mines is None else replace(saved, mines=args.mines, mines_from="given")


def calibrated(frame: Frame, args: Screenshot) -> Calibration:
    """Return the calibration of ``--calibration``, else find the board in a picture.

    Raises a `CalibrationError`, `UsageError` for options that do not fit the picture.
    """
    near, saved = near_of(args), calibration_of(args)
    check_near(near, frame)
    if saved is None:
        found = calibrate(frame, near=near, mines=args.mines, themes=themes_of(args.theme))
        note_other_theme(args, found.theme)
        return found
    if "theme" in args.typed:
        raise UsageError("--theme and --calibration both say how tiles look: leave one out.")
    check_found(frame, saved)
    return saved


def near_of(args: Picture) -> PixelPoint | None:
    """Return the pixel of ``--near``, None without it. Raises `UsageError`."""
    if args.near is None:
        return None
    try:
        x, y = (float(part) for part in args.near.split(","))
    except ValueError as error:
        raise UsageError(
            f"--near takes X,Y in pixels, such as 640,400, not {args.near!r}."
        ) from error
    if not (0 <= x < inf and 0 <= y < inf):
        raise UsageError(f"--near takes a pixel of the picture, not {args.near!r}.")
    return PixelPoint(x, y)


def check_near(near: PixelPoint | None, frame: Frame) -> None:
    """Raise `UsageError` if the pixel of ``--near`` is not in the picture."""
    if near is not None and not (near.x < frame.width and near.y < frame.height):
        raise UsageError(
            f"--near {near.x:g},{near.y:g} is not in the picture, which has {frame.width} x "
            f"{frame.height} pixels."
        )


def note_other_theme(args: Picture, theme: Theme) -> None:
    """Tell that the program or theme of ``--theme`` is not what the picture shows."""
    if args.theme is not None and theme.name == LEARNED:
        note(
            f"The theme {args.theme} does not fit the tiles or the smiley; their appearances are "
            "learned from the picture."
        )
