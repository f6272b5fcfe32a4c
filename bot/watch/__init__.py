"""What does a person do? A game that a person plays, followed without touching the mouse.

spectator.py  follow a window: notice every change, read the board at rest, report games
moves.py      the moves that lead from one board to the next; what is counted of a game
hints.py      an agent's advice on the newest board, and its marks on the game's window

Imports `bot.tracking` and what lies below it; never `bot.play`.
"""
