"""What does a person do? A game that a person plays, followed without touching the mouse.

advice.py        what an agent would do on the newest board, thought about in a thread
clean_screen.py  the screen without the marks of our own overlay
cover.py         what can be seen of a board while something covers it
games.py         the games in one window: their moves and their ends, reported to the observer
game.py          one game: what is counted of it, and how its boards follow from each other
hints.py         the interface of a hint display: every change, and every stable board
marks.py         what is drawn on the window for a piece of advice
moves.py         the moves that lead from one board to the next
spectator.py     follow a window: notice every change, and read the board at rest
window_hints.py  marks on the window, taken away where the board changes

Imports `bot.tracking` and what lies below it; never `bot.play`.
"""
