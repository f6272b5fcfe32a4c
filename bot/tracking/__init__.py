"""What does the window show now? The board is found, followed and read.

game.py      one game, played or watched: what is seen and counted of it, how it ends
places.py    where a board lies: calibrations and grids compared, boxes of pixels
hidden.py    what hidden tiles look like, so that nothing else is clicked; dimmed boards
target.py    Target: the followed board; FrameMemory: what is remembered of its frames
follow.py    `Wanted.find` finds a board; `follow` finds it again, or returns that it is `Lost`
tracker.py   BoardTracker: grabs, reads and keeps frames; Stage: what play and watch work on
recovery.py  Recovery: looks at a board until it can be read; BoardSearch: looks for it
waits.py     Waits: polls the screen until the program has answered, always with a limit

Targets and memories are values: nothing in them changes. Only the tracker keeps the last ones.

Imports ``bot.mouse``, ``bot.events``, ``bot.options`` and what lies below them.
"""
