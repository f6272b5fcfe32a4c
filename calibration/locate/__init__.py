"""Where is the board? From a frame to grids on which a board may lie.

With lines between the tiles:

crosses.py          the entry, `find_lattices`: line masks, crosses, the best lattices
candidates.py       tile sizes and regions where four crosses often form a square
lattice.py          fit a lattice to a region, follow uneven lines, refine the pitch
line_fit.py         equally spaced lines fitted to a profile of edges
extent.py           where the board ends: the rows and columns that are drawn
growth.py           rows of open tiles without lines, added by what they look like
pitch.py            the exact pitch, from harmonics of the lines and from tiles that repeat

Without lines:

borderless.py       the entry, `find_borderless_grids`: cells that look alike
autocorrelation.py  regions of the frame that repeat, and their pitches
cell_likeness.py    which cells of a region look alike, and which of them make a board

For both:

margins.py          whether the edge of the picture cuts a board off
covers.py           whether something that lies over a board hides a part of it

Imports from the rest of `calibration` only values (frame, grid, points), the rules, and the tile
pictures (tiles); nothing of `classify` and `indicators`.
"""
