"""Runs on Windows' Python: one of two programs of the package index, which says how a game ended.

    python.exe clone.py FOLDER NAME ENDS

FOLDER holds the program NAME as pip installed it; ``won`` or ``lost`` is written to ENDS as the
program itself counts it.
"""

import sys
from importlib import import_module
from pathlib import Path


def play_pygame(note):
    """A program drawn by pygame, with pictures as of Windows 2000."""
    sys.argv[1:] = ["basic"]
    main = import_module("minesweeper.__main__")
    draw = main.UserInterface.draw

    def drawn(window):
        board = window._board
        if board.is_game_over or board.is_game_finished:
            note("lost" if board.is_game_over else "won")
        return draw(window)

    main.UserInterface.draw = drawn
    main.main()


def play_tkinter(note):
    """A program of tkinter's buttons, and a line of text below them."""
    game = import_module("minesweeper.minesweeper")
    prepare = game.init

    def prepared():
        prepare()
        game.x_size, game.y_size, game.num_mines = 8, 8, 10
        game.root.after(500, look)

    def look():
        text = game.message_label.cget("text").title() if game.message_label else ""
        if "Won" in text or "Lost" in text:
            note("won" if "Won" in text else "lost")
        game.root.after(100, look)

    game.init = prepared
    game.start()


def main(folder, name, file):
    ends = Path(file)

    def note(end):  # once: the program may be ended at any moment
        if not ends.exists():
            ends.write_text(end, "utf-8")

    sys.path.insert(0, folder)
    {"pygame-minesweeper": play_pygame, "minesweeper-python": play_tkinter}[name](note)


if __name__ == "__main__":
    main(*sys.argv[1:])
