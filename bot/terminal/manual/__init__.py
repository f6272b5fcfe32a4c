"""What does a person play with on the terminal? Manual play, with agents at one's side.

play.py      the game under way: moves, proposals, positions in files; no screen
history.py   turns to take back, and the mistakes among them
stopwatch.py the seconds of a game
advice.py    what several agents would do, side by side
board.py     the board as a widget, with labels
tasks.py     work that the screen does not wait for
screens.py   the list of keys, and the review of a game
view.py      the main screen: status, board, panel, messages
agents.py    the main screen's keys that ask agents
app.py       the app: the player's own keys, review, files

Only `play`, `history`, `stopwatch` and `advice` work without ``textual``, an extra; imports the
other modules of ``bot.terminal`` and the layers below; only ``bot.commands`` imports it.
"""
