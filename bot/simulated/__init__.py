"""A desktop that needs no display, with a Minesweeper window to play and faults to switch on.

paint.py    smooth shapes and text on RGB arrays
glyphs.py   the glyphs of the game as shapes: digits, flag, mine, seven-segment numbers
render.py   the picture of a Minesweeper window in the skin of a program
screen.py   wallpapers, windows and dialogs composed into one screen; a clock that does not wait
program.py  the game and the window that shows it; how it behaves, and what can go wrong
desktop.py  the facade: screen, pointer, keyboard and the truth for tests

The player sees only the ports. Nothing here reads a picture, and no other folder knows how one
is drawn.
"""

from bot.simulated.desktop import Hit, SimClick, SimulatedDesktop
from bot.simulated.program import NEW_GAME_KEYS, Behaviour, Faults
from bot.simulated.render import SKINS
from bot.simulated.screen import FakeClock

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
