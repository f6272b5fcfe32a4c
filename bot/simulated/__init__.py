"""A desktop that needs no display, with a Minesweeper window to play, look at and break.

paint.py       smooth shapes and text on RGB arrays
glyphs.py      the signs of the game as shapes: digits, flag, mine, lamps
looks.py       how programs look, and one tile drawn at any size
render.py      the picture of a Minesweeper window, kept up to date piece by piece
scenery.py     wallpapers and other people's windows
layers.py      pictures stacked into one screen, repainted only where something changed
clock.py       a clock without waiting, and what is due when
faults.py      what can go wrong, switchable
program.py     the game and the window that follows it
desktop.py     screen, pointer and keyboard around them

Nothing in here looks at a picture and nothing else in the bot knows how one is drawn.
"""

from bot.simulated.clock import FakeClock
from bot.simulated.desktop import Hit, SimClick, SimulatedDesktop
from bot.simulated.faults import Faults
from bot.simulated.looks import LOOKS
from bot.simulated.program import NEW_GAME_KEYS, Habits

__all__ = [
    "LOOKS",
    "NEW_GAME_KEYS",
    "FakeClock",
    "Faults",
    "Habits",
    "Hit",
    "SimClick",
    "SimulatedDesktop",
]
