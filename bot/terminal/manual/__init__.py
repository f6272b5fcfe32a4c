"""What does a person play with on the terminal? Manual play, with agents at one's side.

play.py     the game under way: moves, agents' advice, turns to take back, positions in files
screens.py  the board as a widget, the list of keys, the review of a game
app.py      the app: its main screen, its keys, and the agents' work in threads

Only `play` works without ``textual``, an extra. Imports the other modules of ``bot.terminal`` and
the layers below; only ``bot.commands`` imports it.
"""
