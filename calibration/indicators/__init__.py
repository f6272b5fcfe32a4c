"""What does the window say? The mine counter, the smiley and words beside the board.

counter.py     find the mine counter, distinguish it from the clock, read it again
text.py        find and read lines of text, with RapidOCR's networks
displays.py    read seven-segment displays
words.py       words that announce the end of a game, on the board or around it
phrases.toml   these words, and those beside a counter, in several languages
smiley.py      the smiley above the board: find it, learn it, read the status from it
lives.py       lives that are drawn as a row of equal pictures

Imports from the rest of `calibration` only values (frame, grid, points, appearances) and
`likeness`; nothing of `locate` and `classify`.
"""
