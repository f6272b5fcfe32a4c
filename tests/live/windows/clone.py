"""Runs on Windows' Python: one of two programs of the package index, which says how a game ended.

    python.exe clone.py FOLDER NAME ENDS

FOLDER holds the program NAME as pip installed it; ``won`` or ``lost`` is written to ENDS as the
program itself counts it.
"""

import sys
from importlib import import_module
from pathlib import Path


def main(folder, name, ends):
    sys.path.insert(0, folder)
    {"pygame-minesweeper": play_pygame, "minesweeper-python": play_tkinter}[name](Path(ends))


def play_pygame(ends):
    """A program drawn by pygame, with pictures as of Windows 2000."""
    sys.argv[1:] = ["basic"]
    main = import_module("minesweeper.__main__")
    draw = main.UserInterface.draw

    def drawn(window):
        board = window._board  # type: ignore[attr-defined]
        if board.is_game_over or board.is_game_finished:
            note(ends, "lost" if board.is_game_over else "won")
        return draw(window)

    main.UserInterface.draw = drawn
    main.main()


def play_tkinter(ends):
    """A program of tkinter's buttons, and a line of text below them."""
    game = import_module("minesweeper.minesweeper")
    prepare = game.init

    def prepared():
        prepare()
        game.x_size, game.y_size, game.num_mines = 8, 8, 10

        def look():
            text = game.message_label.cget("text") if game.message_label else ""
            if "Won" in text.title() or "Lost" in text.title():
                note(ends, "won" if "Won" in text.title() else "lost")
            game.root.after(100, look)

        game.root.after(500, look)

    game.init = prepared
    game.start()


def note(ends, end):
    """Write how a game ended, once: the program may be ended at any moment."""
    if not ends.exists():
        ends.write_text(end, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
