"""What does a person see? Boards, risks and sentences on the terminal; pictures in files.

console.py     the console of every command, its colours, tables and progress bars
board_text.py  a board drawn with colours; a risk as a colour and in percent
words.py       sentences and JSON lines for moves, risks, reasons, tiles in doubt
printers.py    observers that print a game: lines, JSON, results
live.py        play shown live
watch_view.py  a game that a person plays, with hints and warnings
keys.py        play steered with single keys
pictures.py    screenshots with the reading, the risks, a refusal, or how a replay differs
clips.py       a recorded game as an animated GIF
manual_game.py games played by hand with an agent's help
manual_app.py  the app of manual play

Imports the layers of the bot below it, ``calibration`` and ``solver``; only ``bot.commands`` and
``bot.cli`` import it. Only ``manual_app`` imports ``textual``, an extra.
"""
