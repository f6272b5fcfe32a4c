"""How is a game played? Observe, decide, click, wait; turn by turn, until it ends.

player.py       Player: the facade; the loop over turns and games
turns.py        one turn: its clicks are planned and sent, and the answer is waited for
progress.py     the state of the game under way: its turns, risks and unanswered clicks
decider.py      what to do: asks the agent, and corrects a wrong mine total
clicker.py      sends the clicks of a turn, each only to a tile that still looks as it was read
marks.py        the clicks of a turn by the style of play; flags and chords, until they do not work
control.py      how a person steers play: pause, single turns, speed, an early end
ending/         whether a game is over, and how it ended
restart.py      between two games: closes dialogs, asks for a new game
blame.py        why a game was lost
first_click.py  what the program keeps free of mines at the first click

Imports ``bot.tracking``, ``bot.mouse`` and what lies below them.
"""
