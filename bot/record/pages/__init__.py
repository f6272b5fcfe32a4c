"""What does a page of a recorded game show? One self-contained HTML file a game, and an index.

game.py       a game: its head, its turns, its mistakes, how it ended
turns.py      a turn: the board, the risks, the decision, what was sent, what was better
pictures.py   what the screen showed, small enough for a page
index.py      several games with their sums
rendering.py  fills the files in templates/
"""
