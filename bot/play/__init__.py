"""How is a game played? Observe, decide, click, wait; turn by turn, until it ends.

player.py    Player: the facade; the loop over turns and games, the decision and its clicks
progress.py  the state of the game under way: turns, risks, unanswered clicks; why it was lost
clicker.py   the clicks of a turn by the style of play, sent only to tiles that look as read
ending.py    whether a game is over, and how it ended
restart.py   between two games: closes dialogs, asks for a new game

Imports ``bot.tracking``, ``bot.mouse`` and what lies below them.
"""
