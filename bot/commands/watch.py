"""``minebot watch``: watch while a person plays, then review the games."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bot.commands.parsing import flag, option
from bot.commands.shared import Files, Mines, Picture, Recording, Shown
from bot.errors import CannotWrite, NoDesktop, StoppedByUser
from bot.outputs import check_writable
from bot.streams import note
from bot.version import __version__

if TYPE_CHECKING:
    from bot.desktop.ports import Desktop, Overlay
    from bot.events import Observer
    from bot.mouse.guard import StopSignal
    from bot.tracking.follow import Wanted
    from bot.watch.hints import WindowHints


@dataclass(frozen=True, kw_only=True)
class Watch(Recording, Mines, Picture, Files, Shown):
    """Watch while you play Minesweeper yourself, in any program. The mouse and the keyboard are
    never touched. The terminal shows the certain cells, all risks and the best move, and warns of
    each mistake as you make it. Press Ctrl-C, or close the game's window, to stop: then every move
    is compared with the best one, and your mistakes are listed.

    examples:
      minebot watch                       see hints; list the mistakes at the end
      minebot watch --overlay             see hints on the game's window, too
      minebot watch -o mine.html          and make a page of the games
      minebot watch --record session/     keep the recording, with its page
    """

    output: Path | None = option("the page to write", "OUT", short="-o")
    overlay: bool = flag("draw the hints over the game's window, too (X11, wlroots)")


def run(args: Watch) -> int:
    """Watch until Ctrl-C or the window is gone, then review."""
    from bot.commands.resolve import note_recording, record_folder
    from bot.commands.review import review_sessions
    from bot.desktop.routes import open_desktop
    from bot.failures import FAILED
    from bot.mouse.guard import StopSignal
    from bot.record.session import Recorder
    from bot.record.trouble import TroubleWatcher
    from bot.watch.hints import CleanScreen, WindowHints

    if args.output is not None and not args.output.is_dir():
        check_writable(args.output, replace=args.force)
    stop = StopSignal()
    with ExitStack() as stack:
        stack.enter_context(stop.listening())
        wanted, kept = wanted_of(args), record_folder(args.record)
        folder = kept or Path(stack.enter_context(TemporaryDirectory())) / "session"
        recorder = stack.enter_context(closing(Recorder(folder, header_of(args))))
        desktop = open_desktop()
        window = None
        if args.overlay and (overlay := overlay_or_none()):
            stack.enter_context(closing(overlay))
            clean = CleanScreen(desktop.screen, overlay, desktop.clock)
            desktop, window = replace(desktop, screen=clean), WindowHints(clean)
        trouble = TroubleWatcher(desktop.screen, desktop.clock, header_of(args), note)
        filmed = replace(desktop, screen=trouble.screen)
        note("Watching; press Ctrl-C to end with the review.")
        code = 0
        try:
            with trouble.watching():
                watch(args, wanted, filmed, stop, window, recorder, trouble)
        except CannotWrite as error:  # the disk is full: review what was recorded until then
            note(str(error))
            code = FAILED
        if not recorder.begun:
            note("No move was seen, so there is nothing to review.")
            return code
        output = args.output or (kept and kept / "review.html")
        own = args.output is None  # the page is in the folder of the session
        code = (
            review_sessions([folder], output=output, as_json=args.json, replace=own or args.force)
            or code
        )
        note_recording(recorder, args.record)
        return code


def watch(
    args: Watch,
    wanted: Wanted,
    desktop: Desktop,
    stop: StopSignal,
    window: WindowHints | None,
    *observers: Observer,
) -> None:
    """Watch until Ctrl-C or the window is gone, and show hints meanwhile."""
    from bot.events import each_of
    from bot.terminal.watch_view import LiveHints, watch_view
    from bot.watch.spectator import Spectator
    from solver.agents import make_agent

    with ExitStack() as stack:
        view = watch_view(as_json=args.json, colours=args.colours)
        stack.enter_context(view)
        hints = stack.enter_context(closing(LiveHints(make_agent("deep"), view, window)))

        def before_frame() -> None:
            stop.check()
            hints.poll()

        spectator = Spectator(
            desktop.screen,
            desktop.pointer,
            desktop.clock,
            observer=each_of(*observers, view, hints),
            before_frame=before_frame,
            hints=hints,
            wanted=wanted,
            lines_in=desktop.lines_in,
        )
        try:
            spectator.watch()
        except StoppedByUser:
            spectator.finish()


def wanted_of(args: Watch) -> Wanted:
    """Return which board to watch. Raises an error for values that cannot be used."""
    from bot.commands.pictures import themes_of
    from bot.options import parse_screen_point
    from bot.tracking.follow import Wanted

    near = None if args.near is None else parse_screen_point(args.near)
    return Wanted(near, args.mines, themes_of(args.theme))


def overlay_or_none() -> Overlay | None:
    """Open the overlay; print a note if that is not possible."""
    from bot.desktop.routes import open_overlay

    try:
        return open_overlay()
    except NoDesktop as error:
        note(str(error))
        return None


def header_of(args: Watch) -> dict[str, Any]:
    """Return the header of the recording: a person played."""
    options = {"mines": args.mines, "theme": args.theme}
    return {"minebot": __version__, "agent": {"name": "a person"}, "options": options}
