"""What does the window show now? The board is found, followed and read.

boxes.py        boxes of pixels: grown, joined, cut into strips
places.py       calibrations and grids compared by their places
hidden.py       what hidden tiles look like, so that nothing else is clicked
observation.py  a frame, the board read from it, and what they say of the game
dimmed.py       pictures of a board that a page dimmed, with their old brightness
copies.py       a board that moved, found by its last picture
target.py       Target: where the board lies, its reader, and its border
changes.py      what changed between two pictures: only the opened cells, or a clock?
memory.py       FrameMemory: what is remembered of the frames; Followed: a target and its memory
follow.py       `Wanted.find` finds a board; `follow` finds it again, or returns that it is `Lost`
tracker.py      BoardTracker: grabs and reads frames; holds what is followed and remembered
search.py       BoardSearch: finds the board at the start, and again after trouble
recovery.py     Recovery: looks at a board until it can be read, and what is tried meanwhile
end_words.py    EndWords: what the screen says of the end of a game, and did not say before
waits.py        Waits: polls the screen until the program has answered, always with a limit

Targets and memories are values: nothing in them changes. Only the tracker keeps the last ones.

Imports ``bot.mouse``, ``bot.events``, ``bot.options`` and what lies below them.
"""
