"""The hands: screen, pointer, clock, recording, the loop and the command line.

errors.py      the error tree, each leaf with its exit code
ports.py       Screen, Pointer, Keyboard, Clock: all the bot knows of the outer world
view.py        what a person sees of play in the terminal: live board, risks, reasons, score
manual.py      a game by hand with any agent at one's side
manual_board.py, manual_app.py   its terminal screen (the only textual imports)
simulated/     a rendered desktop with a Minesweeper window, behind the same ports

Imports ``calibration`` and ``solver``; nothing imports ``bot``.
"""
