"""Everything with an effect: screen, mouse, clock, play, recordings and the command line.

Folders, from the outer world up to the commands:

desktop/    What lies outside? Screen, pointer, keyboard and clock behind small ports
mouse/      How is a click made? It is planned, paced and guarded
tracking/   What does the window show now? The board is found, followed and read
play/       How is a game played? Observe, decide, click, wait; turn by turn
watch/      What does a person do? A game that a person plays is followed
record/     What happened? Sessions are recorded, replayed and summed up
terminal/   What does a person see? Output, live view, manual play, pictures
simulated/  A desktop with a Minesweeper window that needs no display, behind the same ports
commands/   What can a person type, and what happens then? One file for each command

Modules next to them:

__main__.py    starts the program; Ctrl-C ends it at once while it loads
cli.py         runs the command that was typed; errors as sentences
doctor.py      what on this machine would prevent the bot from playing
events.py      what happens in play: turns, results, and the events that observers receive
options.py     what a person may choose about play, and all limits of waiting
errors.py      the errors of the bot, each with its exit code
failures.py    what an error means for a person: its exit code, and what helps
outputs.py     output files: checked first, folders made
streams.py     standard input, output and error, and how every command prints on them
interrupts.py  Ctrl-C raises only after an import or the reading of words is finished
version.py     the version, and the libraries that play needs

Imports ``calibration`` and ``solver``; neither imports ``bot``. The order of the folders is
the contract "Layers of bot" in ``pyproject.toml``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.version import __version__
from solver.lazy import lazy_names

if TYPE_CHECKING:
    from bot.desktop.ports import Desktop
    from bot.desktop.routes import open_desktop
    from bot.errors import BotError
    from bot.events import (
        BoardFound,
        Decided,
        Event,
        GameOver,
        GameResult,
        Noticed,
        Observer,
        Outcome,
        Played,
        Stopped,
        Thinking,
        Turn,
    )
    from bot.options import PlayOptions
    from bot.play.player import Player
    from bot.record.session import Recorder
    from bot.simulated.desktop import SimulatedDesktop

__all__ = [
    "BoardFound",
    "BotError",
    "Decided",
    "Desktop",
    "Event",
    "GameOver",
    "GameResult",
    "Noticed",
    "Observer",
    "Outcome",
    "PlayOptions",
    "Played",
    "Player",
    "Recorder",
    "SimulatedDesktop",
    "Stopped",
    "Thinking",
    "Turn",
    "__version__",
    "open_desktop",
]

_NAMES = {
    "bot.desktop.ports": "Desktop",
    "bot.desktop.routes": "open_desktop",
    "bot.errors": "BotError",
    "bot.events": "BoardFound Decided Event GameOver GameResult Noticed Observer Outcome Played "
    "Stopped Thinking Turn",
    "bot.options": "PlayOptions",
    "bot.play.player": "Player",
    "bot.record.session": "Recorder",
    "bot.simulated.desktop": "SimulatedDesktop",
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
