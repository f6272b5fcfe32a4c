"""A desktop that needs no display, with a Minesweeper window to play.

paint.py    smooth shapes and text on RGB arrays
glyphs.py   the glyphs of the game as shapes: digits, flag, mine, seven-segment numbers
render.py   the picture of a Minesweeper window in the skin of a program
screen.py   the window over a wallpaper; a clock that does not wait
program.py  the game, and the window that shows it
desktop.py  the entry point: screen, pointer and keyboard

The player sees only the ports. Nothing here reads a picture, and no other folder knows how one
is drawn. The tests switch on faults, dialogs and other windows in tests/simulated.
"""

from bot.simulated.desktop import SimulatedDesktop
from bot.simulated.program import NEW_GAME_KEYS
from bot.simulated.render import SKINS
from bot.simulated.screen import FakeClock

__all__ = ["NEW_GAME_KEYS", "SKINS", "FakeClock", "SimulatedDesktop"]
