"""Where is the board? From a frame to grids on which a board may lie.

lines/        with lines between the tiles: crosses, lattices, and where they end
areas.py      areas without an edge in them, and their boxes
bed.py        rows of zeros that look like the area between the tiles
boxes.py      without lines: nearly every cell is a box with an edge all around it
repetition/   without lines: cells that look alike and repeat by their pitch
margins.py    whether the edge of the picture cuts a board off
covers.py     whether something that lies over a board hides a part of it
proposal.py   what a finder proposes: a grid, and the sides at which its board seems to go on
finders.py    all finders, in the order in which `calibration.boards` asks them

What repeats is looked for last, since it takes the longest and errs most. `repetition` refines its
pitch with `lines.pitch`. Imports from the rest of `calibration` only values (frame, grid, points),
`likeness` and the tile pictures (tiles); nothing of `read` and `indicators`.
"""
