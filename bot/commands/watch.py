"""``minebot watch``: look on while a person plays, and review the games."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.commands.live_hints import LiveHints
from bot.commands.pictures import themes_of
from bot.commands.recording import note_recording, record_folder
from bot.commands.review import review_sessions
from bot.desktop.ports import Desktop, Overlay
from bot.desktop.routes import open_desktop, open_overlay
from bot.errors import CannotWrite, NoDesktop, StoppedByUser
from bot.events import Observer, Observers, SilentObserver, Turn
from bot.exit_codes import FAILED
from bot.mouse.guard import StopSignal
from bot.options import parse_screen_point
from bot.outputs import check_writable
from bot.record.session import Recorder
from bot.record.trouble.watcher import TroubleWatcher
from bot.terminal.output import note
from bot.terminal.watch_view import watch_view
from bot.usage.watch import Watch
from bot.version import __version__
from bot.watch.clean_screen import CleanScreen
from bot.watch.spectator import Spectator
from bot.watch.window_hints import WindowHints
from solver.agents import make_agent


def run(args: Watch) -> int:
    """Watch until Ctrl-C or the window is gone, then review."""
    if args.output is not None and not args.output.is_dir():
        check_writable(args.output, replace=args.force)
    stop = StopSignal()
    with ExitStack() as stack:
        stack.enter_context(stop.listening())
        desktop = open_desktop()
        kept = record_folder(args.record)
        folder = kept or Path(stack.enter_context(TemporaryDirectory())) / "session"
        recorder = stack.enter_context(closing(Recorder(folder, header_of(args))))
        counter = TurnCounter()
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
                watch(args, filmed, stop, window, recorder, counter, trouble)
        except CannotWrite as error:  # the disk is full: what was recorded by then is reviewed
            note(str(error))
            code = FAILED
        if not counter.turns:
            note("No move was seen, so there is nothing to review.")
            return code
        output = args.output or (kept and kept / "review.html")
        own = args.output is None  # the page lies in the folder of the session
        code = (
            review_sessions([folder], output=output, as_json=args.json, replace=own or args.force)
            or code
        )
        note_recording(recorder, args.record)
        return code


def watch(
    args: Watch,
    desktop: Desktop,
    stop: StopSignal,
    window: WindowHints | None,
    *observers: Observer,
) -> None:
    """Watch until Ctrl-C or the window is gone, and show hints meanwhile."""
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
            observer=Observers(*observers, view, hints),
            before_frame=before_frame,
            hints=hints,
            near=None if args.near is None else parse_screen_point(args.near),
            mines=args.mines,
            themes=themes_of(args.theme),
        )
        try:
            spectator.watch()
        except StoppedByUser:
            spectator.finish()


def overlay_or_none() -> Overlay | None:
    """Open the overlay; where there is none, say why."""
    try:
        return open_overlay()
    except NoDesktop as error:
        note(str(error))
        return None


def header_of(args: Watch) -> dict[str, Any]:
    """Return the header of the recording: nobody's agent played."""
    options = {"mines": args.mines, "theme": args.theme}
    return {"minebot": __version__, "agent": {"name": "a person"}, "options": options}


class TurnCounter(SilentObserver):
    """Counts the turns that were seen."""

    def __init__(self) -> None:
        self.turns = 0

    def played(self, turn: Turn) -> None:
        """Count a turn."""
        self.turns += 1
