"""What does the window say? The mine counter and the smiley beside the board.

counter.py         find the mine counter, distinguish it from the clock, read it again
seven_segment.py   seven-segment displays
counter_text.py    text of the form ``flags/mines``
counter_digits.py  which digit a glyph of it shows
words.py           words that tell the end of a game, wherever they stand on or around the board
phrases.toml       what they say in several languages
smiley.py          the smiley above the board: find it, learn it, tell the status from it
lives.py           lives that are drawn as a row of like pictures

Imports from the rest of `calibration` only the values (frame, grid, points, appearances),
`glyphs` and `likeness`; nothing of `locate` and `read`.
"""
