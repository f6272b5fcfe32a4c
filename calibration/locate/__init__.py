"""Where is the board? From a frame to grids on which a board may lie.

crosses.py      boards with lines: edges, crosses, squares of crosses; finds most boards
lattice.py      an exact lattice fitted to the lines
lines.py        equally spaced lines fitted to a profile of edges, and their exact pitch
extent.py       the rows and columns of a lattice that belong to the board
repetition.py   parts of the frame that repeat by a pitch, as boards without lines do
boxes.py        boards without lines: nearly every cell is a box with an edge all around it
sides.py        whether the board continues: over its bed, cut off by the picture, or covered

Imports from the rest of `calibration` only values (frame, grid), and `tiles`.
"""
