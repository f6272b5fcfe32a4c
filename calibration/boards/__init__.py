"""Which grids of a frame are boards.

The finders of `calibration.locate` propose grids; each is read and judged here.

search.py      the entry, `find_boards`: asks the finders one after another
ranking.py     the one score of a grid, and the boards that are left
patterns.py    whether the tiles of a grid are the texture of a page, or several tiles
ends.py        where a board ends: which cells of a lattice are its tiles
"""
