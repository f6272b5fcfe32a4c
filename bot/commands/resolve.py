"""Turn options that several commands share into values: agents, themes, boards, folders."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from pathlib import Path

from bot.commands.shared import AgentChoice, NamedAgent, Picture, Saved, Screenshot, Work
from bot.errors import BadSession, UsageError
from bot.play.first_click import first_click_rule
from bot.record.session import LINES_FILE, Recorder, Session
from bot.record.storage import new_session_folder, sessions_folder
from bot.record.themes import kept_themes
from bot.terminal.output import note
from bot.tracking.places import check_found
from calibration.calibration import Calibration, calibrate
from calibration.classify.refusals import TILE_NAMES
from calibration.errors import Unreadable, UnreadableGrid
from calibration.frame import Frame
from calibration.images import load_image
from calibration.points import PixelPoint
from calibration.reader import Reader
from calibration.reading import Reading
from calibration.theme import LEARNED, Theme, builtin_themes, themes_named
from solver.agents import Agent, make_agent
from solver.agents.registry import has_option
from solver.arena.runs import Workers
from solver.board import Cell
from solver.counting import counted, no_such
from solver.game import Rule


def agent_name_of(args: NamedAgent, name: str | None = None) -> str:
    """Return the name of ``--agent``, or ``name``, with the level of ``--think`` as its option.

    A level that stands in the configuration is meant for the agents that can think, and for those
    whose name has no level of its own.
    """
    configured = "think" not in args.typed
    agent = str(args.agent) if name is None else name
    unfit = "think=" in agent or not has_option(agent, "think")
    if args.think is None or (configured and unfit):
        return agent
    return f"{agent}{',' if ':' in agent else ':'}think={args.think}"


def agents_of(text: str) -> tuple[str, ...]:
    """Read names of agents, with their options, separated by commas. Raises `UnknownAgent`.

    The options of one agent are separated by commas too: a part with ``=`` and no ``:`` belongs to
    the agent before it.

    >>> agents_of("gac:stuck=guess,basic")
    ('gac:stuck=guess', 'basic')
    """
    agents: list[str] = []
    for part in text.split(","):
        if agents and "=" in part and ":" not in part:
            agents[-1] += f",{part}"
        else:
            agents.append(part.strip())
    for agent in agents:
        make_agent(agent)
    return tuple(dict.fromkeys(agents))


def agent_of(args: AgentChoice, theme: Theme | None = None) -> Agent:
    """Make the agent of ``--agent``.

    The first-click rule is that of ``--first``, else that of the program of ``theme``.
    """
    rule = Rule(args.first) if args.first else first_click_rule(theme)
    return make_agent(agent_name_of(args), seed=args.seed, rule=rule)


def check_on_board(cell: Cell, rows: int, cols: int, *, start: int = 1) -> None:
    """Raise `UsageError` for a cell that a board of this size lacks, counted from ``start``."""
    if not (cell.row < rows and cell.col < cols):
        raise UsageError(
            f"There is no {place_from(cell, start)} on this board of {counted(rows, 'row')} "
            f"and {counted(cols, 'column')}; rows and columns count from {start} at the top left."
        )


def place_from(cell: Cell, start: int) -> str:
    """Name a cell with its row and column counted from ``start``."""
    return f"row {cell.row + start}, column {cell.col + start}"


def workers_of(args: Work) -> Workers:
    """Return the workers that the options ask for."""
    return Workers(jobs=args.jobs, scheduler=args.scheduler)


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


def calibration_of(args: Saved, mines: int | None) -> Calibration | None:
    """Load the calibration of ``--calibration``, with this total if given; None without it."""
    if args.calibration is None:
        return None
    saved = Calibration.load(args.calibration)
    return saved if mines is None else replace(saved, mines=mines, mines_from="given")


def calibrated(frame: Frame, args: Screenshot) -> Calibration:
    """Return the calibration of ``--calibration``, else find the board in a picture.

    Raises a `CalibrationError`, `UsageError` for options that do not fit the picture.
    """
    near, saved = near_of(args), calibration_of(args, args.mines)
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


def record_folder(record: Path | bool | None) -> Path | None:
    """Return the folder to record in, None where nobody asked for a recording."""
    if record is None or isinstance(record, Path):
        return record
    return new_session_folder(datetime.now())


def note_recording(recorder: Recorder | None, record: Path | bool | None) -> None:
    """Say where a session lies and what to type for its page, if there is one."""
    if recorder is None or record is None or not recorder.begun:
        return
    named = f" {typed(record)}" if isinstance(record, Path) else ""
    note(f"Recorded in {recorder.folder}; 'minebot review{named}' makes a page of it.")


def typed(path: Path) -> str:
    """Write a path as a shell of any system takes it."""
    return f'"{path}"' if " " in str(path) else str(path)


def last_session() -> Path:
    """Return the session recorded last among the user's data. Raises `BadSession`."""
    found = sorted(sessions_folder().glob(f"*/{LINES_FILE}"), key=lambda file: file.stat().st_mtime)
    for file in reversed(found):
        with suppress(BadSession):
            if Session.load(file.parent).has_turns:
                return file.parent
    raise BadSession(
        f"{sessions_folder()} holds no recorded game: record one with 'minebot play --record', or "
        "name the folder of a session."
    )


ON_SCREEN = Path("screen")
"""What the picture of ``--screen`` is called."""


@dataclass(frozen=True)
class Shot:
    """A picture to read: a file, or what the screen shows now."""

    name: Path
    grabbed: Frame | None = None

    @property
    def frame(self) -> Frame:
        """The picture. Raises what `load_image` raises."""
        return load_image(self.name) if self.grabbed is None else self.grabbed


def shots_of(images: Sequence[Path], *, screen: bool) -> tuple[Shot, ...]:
    """Return the pictures that were named, or one of the screen.

    Raises `UsageError` unless either is asked for, and `NoDesktop` or `ScreenGone` where no picture
    of the screen can be made.
    """
    if bool(images) == screen:
        raise UsageError("Give either a screenshot, or --screen for what the screen shows now.")
    if not screen:
        return tuple(map(Shot, images))
    from bot.desktop.routes import open_desktop  # needed with --screen only

    return (Shot(ON_SCREEN, open_desktop(None, note).screen.grab()),)


@dataclass(frozen=True)
class ScreenshotReading:
    """A screenshot, what was found and read on it, and how long that took in milliseconds."""

    frame: Frame
    calibration: Calibration
    reading: Reading
    calibrate_ms: float
    read_ms: float


def read_screenshot(shot: Shot, args: Screenshot) -> ScreenshotReading:
    """Calibrate on a picture and read it. Raises what `calibrated` and `load_image` raise."""
    frame = shot.frame
    start = time.perf_counter()
    calibration = calibrated(frame, args)
    found = time.perf_counter()
    reading = Reader(calibration).read_in_part(frame)
    done = time.perf_counter()
    return ScreenshotReading(
        frame, calibration, reading, 1e3 * (found - start), 1e3 * (done - found)
    )


def calibration_for(frame: Frame, error: Unreadable, args: Screenshot) -> Calibration:
    """Return the calibration with which reading failed."""
    if isinstance(error, UnreadableGrid):
        return Calibration(error.grid, Theme(LEARNED, ()))
    return calibrated(frame, args)


def note_unknown(reading: Reading) -> None:
    """Tell which tiles are unknown, and what they may be."""
    for cell in reading.unknown:
        one, other = (TILE_NAMES[tile] for tile in reading.likeliest(cell))
        note(f"{cell.place.capitalize()} is not known (~): {one} or {other}.")
