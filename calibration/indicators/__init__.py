"""What does the window say? The mine counter, the smiley and words beside the board.

counter.py     find the mine counter, distinguish it from the clock, read it again
digits.py      numbers: text of the form ``flags/mines``, and seven-segment displays
words.py       words that announce the end of a game, on the board or around it
phrases.toml   these words in several languages
smiley.py      the smiley above the board: find it, learn it, read the status from it
lives.py       lives that are drawn as a row of equal pictures

Imports from the rest of `calibration` only values (frame, grid, points, appearances), `glyphs` and
`likeness`; nothing of `locate` and `classify`.
"""
