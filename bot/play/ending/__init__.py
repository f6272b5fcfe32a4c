"""Is the game over, and how did it end? Even if a dialog hides the board.

detector.py     EndDetector: the facade; what is seen now, and what can still be told without it
last_turn.py    what the last clicks tell of an end that cannot be read
shown_mines.py  which tiles are mines that a loss shows, and which may be half painted
last_flags.py   programs that want all mines flagged at the end of a game
lives.py        mines that took one of several lives

Uses ``bot.play.restart`` for the keys that close a dialog, and nothing else of ``bot.play``.
"""
