"""What does the window show now? The board is found, followed and read.

boxes.py        boxes of pixels: grown, joined, cut into strips
places.py       calibrations and grids compared by their places
hidden.py       what hidden tiles look like, so that nothing else is clicked
observation.py  a frame, the board read from it, and what they say of the game
dimmed.py       pictures of a board that a page dimmed, with their old brightness
copies.py       a board that moved, found by its last picture
target.py       Target: where the board lies, its reader, and its border
tracker.py      BoardTracker: one board on the screen; grabs its frames, notices that it moved
search.py       BoardSearch: finds the board at the start, and again after trouble
recovery.py     Recovery: what is tried while the board cannot be read
end_words.py    EndWords: what the screen says of the end of a game, and did not say before
last_frames.py  LastFrames: the frames seen since the last clicks, and what they tell
waits.py        Waits: polls the screen until the program has answered, always with a limit

Imports ``bot.mouse``, ``bot.events``, ``bot.options`` and what lies below them.
"""
