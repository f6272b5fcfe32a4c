"""The simulated desktop with all that can go wrong on a real one, and the truth for tests.

scenery.py  wallpapers, other programs' windows and a task bar below the game
screen.py   what can cover the game or take it off the screen
program.py  how a program can behave, its dialogs, and its faults
desktop.py  the facade: clicks that are lost, a person at the mouse, what was clicked
"""

from tests.simulated.desktop import FaultyDesktop, Hit, SimClick
from tests.simulated.program import Behaviour, Faults, FaultyProgram

__all__ = ["Behaviour", "Faults", "FaultyDesktop", "FaultyProgram", "Hit", "SimClick"]
