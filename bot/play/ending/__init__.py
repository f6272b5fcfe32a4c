"""Is the game over, and how did it end? Even if a dialog hides the board.

detector.py    EndDetector: gathers the evidence for the verdict of `calibration.verdict`
last_flags.py  programs that want all mines flagged at the end of a game
lives.py       mines that took one of several lives

Uses ``bot.play.restart`` for the keys that close a dialog, and nothing else of ``bot.play``.
"""
