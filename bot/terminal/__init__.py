"""What does a person see? Boards, risks and sentences on the terminal; pictures in files.

colours.py       the palettes, and the background of the terminal
risks.py         a risk as a colour and in percent
sentences.py     a decision, a place or a result in one line
witnesses.py     what was seen on tiles, and what else it might be
explanations.py  candidates for a guess, and why a cell is certain
board_text.py    a board drawn with colours
output.py        JSON lines and notes, before anything heavy is loaded
console.py       the console of every command
descriptions.py  what JSON lines hold of analyses, decisions and grids
printers.py      observers that print a game: lines, JSON, results
live_view.py     play shown live
live_panel.py    what of the live view fits into the terminal
live_parts.py    the texts beside its board: decision, score, guesses, legend, keys
watch_view.py    a game that a person plays, with hints and warnings
keys.py          single keys from the terminal, without waiting
play_keys.py     play steered with keys
pictures/        screenshots with the reading, the risks, or why they were refused
manual/          games played by hand with agents' help

Imports the layers of the bot below it, ``calibration`` and ``solver``; only ``bot.commands`` and
``bot.cli`` import it. Only ``manual/`` imports ``textual``, an extra.
"""
