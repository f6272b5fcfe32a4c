"""What do pictures of a screenshot show? The reading, the risks, or why it was refused.

canvas.py    a part of a screenshot to draw on: cells, labels, captions, a legend
overlays.py  the grid with what was read; the heat map
differences.py  what a replay read or decided differently
clips.py     a recorded game as an animated GIF
refusals.py  boards to choose from, lattices that are no board, doubtful tiles enlarged

Imports the colours of ``bot.terminal``, ``calibration`` and ``solver``; only ``bot.commands``
imports it.
"""
