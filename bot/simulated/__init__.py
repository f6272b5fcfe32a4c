"""A desktop that needs no display, with a Minesweeper window to play and faults to switch on.

paint.py       smooth shapes and text on RGB arrays
glyphs.py      the glyphs of the game as shapes: digits, flag, mine, seven-segment numbers
skins.py       how each program is drawn: colours, family of tiles, digit style
tiles.py       one tile in a skin, at any size
render.py      the picture of a Minesweeper window, redrawn part by part
scenery.py     wallpapers, other programs' windows, dialogs
screen.py      layers composed into one screen, and what can cover the window
clock.py       a clock that does not wait, and actions planned on it
faults.py      how the program behaves, and what can go wrong
program.py     the game and the window that shows it
desktop.py     the facade: screen, pointer, keyboard and the truth for tests

The player sees only the ports. Nothing here reads a picture, and no other folder knows how one
is drawn.
"""

from bot.simulated.clock import FakeClock
from bot.simulated.desktop import Hit, SimClick, SimulatedDesktop
from bot.simulated.faults import Behaviour, Faults
from bot.simulated.program import NEW_GAME_KEYS
from bot.simulated.skins import SKINS

__all__ = [
    "NEW_GAME_KEYS",
    "SKINS",
    "Behaviour",
    "FakeClock",
    "Faults",
    "Hit",
    "SimClick",
    "SimulatedDesktop",
]
