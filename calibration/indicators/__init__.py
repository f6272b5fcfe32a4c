"""What does the window say? The mine counter, the smiley and words beside the board.

counter.py     find the mine counter, distinguish it from the clock, read it again
text.py        find and read lines of text, with RapidOCR's networks; seven-segment displays
words.py       words that announce the end of a game; lives drawn as equal pictures
phrases.toml   these words, and those beside a counter, in several languages
smiley.py      the smiley above the board: find it, learn it, read the status from it

Imports from the rest of `calibration` only values (frame, grid, theme), `tiles`, and what runs a
network; nothing of `locate` and `classify`.
"""
